#include "storage_order.F90"
program spin_up
  use sizes
  use physics
  use checks
  use helper_functions
  implicit none
  real(8), allocatable :: temp(:,:,:), moist(:,:,:), ground(:,:), t(:), q(:)
  real(8) :: g, worst
  integer :: i, j, steps
  integer, external :: steps_of
  call init_hf()
  allocate(temp(DOM(nx,ny,nz)), moist(DOM(nx,ny,nz)), ground(nx,ny), t(nz), q(nz))
  steps = steps_of(0)
  call initialise(temp, moist, ground)
  call advance(temp, moist, ground, steps)
  worst = 0
  do j = 1, ny
    do i = 1, nx
      call start_of(i, j, t, q, g)
      call column(t, q, g, nz, steps)
      worst = max(worst, maxval(abs(t - temp(AT(i,j,:)))), maxval(abs(q - moist(AT(i,j,:)))), abs(g - ground(i,j)))
    end do
  end do
  if (worst > 1d-10 .or. calls /= 1) then
    write(0,*) 'spin_up failed', worst
    stop 2
  end if
  write(0,*) 'spin_up ok'
  call write3DToFile('./out/temp.dat', temp, nx, ny, nz)
  call write2DToFile('./out/ground.dat', ground, nx, ny)
contains
  subroutine start_of(i, j, t, q, g)
    integer, intent(in) :: i, j
    real(8), intent(out) :: t(:), q(:), g
    integer :: k
    t = (/ (280.0d0 - 6.0d0*k + 0.1d0*i*j, k = 1, nz) /)
    q = (/ (3.0d0 + 0.01d0*i - 0.02d0*j*k, k = 1, nz) /)
    g = 285.0d0 + i - j
  end subroutine
end program
