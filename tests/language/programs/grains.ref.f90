! fine on the CPU inside coarse on the GPU: vector loops over a block of columns, one column a thread
module grains
  implicit none
  integer, parameter :: klon = 6, klev = 5, nblocks = 3
contains
  subroutine run()
    real(8) :: t(klon,klev,nblocks), q(klon,klev,nblocks)
    integer :: ib, jl, jk
    do ib = 1, nblocks; do jk = 1, klev; do jl = 1, klon
      t(jl,jk,ib) = jl + 0.1d0*jk + 0.01d0*ib
      q(jl,jk,ib) = 1
    end do; end do; end do
    do ib = 1, nblocks
    call physics(t(:,:,ib), q(:,:,ib))
    end do
    print '(2es24.16)', (((t(jl,jk,ib), q(jl,jk,ib), jl=1, klon), jk=1, klev), ib=1, nblocks)
  end subroutine run
  subroutine physics(t, q)
    real(8), intent(inout) :: t(klon,klev), q(klon,klev)
    real(8) :: above(klon), limit
    integer :: jk, jl
    !
    limit = 3
    do jl = 1, klon
    above(jl) = 0
    end do
    do jk = 1, klev
      do jl = 1, klon
      q(jl,jk) = q(jl,jk) + min(above(jl), limit)
      t(jl,jk) = t(jl,jk)*0.5d0 + q(jl,jk)
      above(jl) = t(jl,jk)
      end do
    end do
  end subroutine physics
end module grains
