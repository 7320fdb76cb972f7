program main
  use diffusion, only: heat, step
  implicit none
  integer, parameter :: nx = 96, ny = 64
  real(8) :: t(nx, ny), t_new(nx, ny), rows(ny)
  integer :: n

  t = 280.d0
  t(nx/2, ny/2) = 1000.d0
  t_new = t
  do n = 1, 50
    call step(nx, ny, 0.2d0, t, t_new)
    call step(nx, ny, 0.2d0, t_new, t)
  end do
  call heat(nx, ny, t, rows)
  print '(a,es22.15)', 'hottest point:   ', maxval(t)
  print '(a,es22.15)', 'in the middle:   ', rows(ny/2)
end program main
