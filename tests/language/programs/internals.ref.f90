! Internal procedures that use columns, locals and constants of the procedure around them, which is called in a region.
module internals
  implicit none
  integer, parameter :: nx = 6, ny = 5, nz = 7
contains
  subroutine column(t, q, rain, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: t(nz)
    real(8), intent(in) :: q(nz)
    real(8), intent(inout) :: rain
    integer, parameter :: first = 2
    real(8) :: total, flux(0:n,2)
    logical :: wet
    integer :: k, steps
    total = 0
    steps = 0
    wet = q(first) > 0.4d0
    call fluxes(3)
    do k = 1, nz
      call heat(k)
      t(k) = t(k) + half(total) - half(q(k))*flux(k,2)
    end do
    if (wet) call dry
    call dry()
    rain = rain + total + steps + half(rain)
  contains
    subroutine fluxes(m)
      integer, intent(in) :: m
      integer :: l
      do l = 0, n
        flux(l,1) = l*m
        flux(l,2) = Q(max(l, 1)) - first
      end do
    end subroutine fluxes
    subroutine heat(l)
      integer, intent(in) :: l
      real(8) :: above(n)
      above = q
      total = total + above(n+1-l) + half(flux(l,1))
      t(l) = t(l) + total*k
      call count_up
    end subroutine heat
    subroutine count_up
      steps = steps + 1
    end subroutine count_up
    real(8) function half(x)
      real(8), intent(in) :: x
      half = 0.5d0*x + flux(0,1) + size(flux, 1)
      if (wet) half = half + 1
    end function half
    subroutine dry
      wet = .false.
      t(n) = t(n) - steps
    end subroutine dry
  end subroutine column
  subroutine step(t, q, rain)
    real(8), intent(inout) :: t(nx,ny,nz), rain(nx,ny)
    real(8), intent(in) :: q(nx,ny,nz)
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        call column(t(i,j,:), q(i,j,:), rain(i,j), nz)
      end do
    end do
  end subroutine step
  subroutine run()
    real(8) :: t(nx,ny,nz), q(nx,ny,nz), rain(nx,ny)
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          t(i,j,k) = 10*i + j - k
          q(i,j,k) = mod(7*i + 3*j + 5*k, 11)/11d0
        end do
      end do
    end do
    rain = q(:,:,3)
    call step(t, q, rain)
    call step(t, q, rain)
    do k = 1, nz
      print '(6es24.15)', t(:,2,k), t(3,:,k)
    end do
    print '(6es24.15)', rain
  end subroutine run
end module internals
