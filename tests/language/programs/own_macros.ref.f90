! macros of the user's choice for access and dimensions, regions in branches
module own_macros
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: c(nx,ny,nz), d(nx,ny,nz)
    integer :: i9, j9, k9
    !
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      c(i9,j9,k9) = i9 + 0.1d0*j9 + 0.01d0*k9
    end do; end do; end do
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      d(i9,j9,k9) = i9 - 0.1d0*j9 + 0.01d0*k9
    end do; end do; end do
    call branch(c, d, .true.)
    call branch(c, d, .false.)
    print '(2es24.16)', (((c(i9,j9,k9), d(i9,j9,k9), i9=1, nx), j9=1, ny), k9=1, nz)
  end subroutine run
  subroutine branch(c, d, first)
    real(8), intent(inout) :: c(nx,ny,nz), d(nx,ny,nz)
    logical, intent(in) :: first
    integer :: k
    integer :: x, y
    !
    !
    if (first) then
      do y = 1, ny; do x = 1, nx
      do k = 2, nz
        c(x,y,k) = c(x,y,k) + d(x,y,k-1)
      end do
      end do; end do
    else
      do y = 1, ny; do x = 1, nx
      do k = 1, nz - 1
        d(x,y,k) = c(x,y,k+1)*2
      end do
      end do; end do
      c(2,2,1) = d(2,2,2)
    end if
  end subroutine branch
end module own_macros
