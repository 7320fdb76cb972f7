! Runs the scheme for some steps and shows that heat spreads without being lost.
program main
  use heat_scheme, only: initialise, step, total
  implicit none
  integer, parameter :: nx = 64, ny = 48, nz = 32, steps = 100
  real(8), parameter :: c = 0.1d0
  real(8), allocatable :: t(:, :, :), t_new(:, :, :)
  real(8) :: before, after
  integer :: n

  allocate (t(nx, ny, nz), t_new(nx, ny, nz))
  call initialise(nx, ny, nz, t)
  t_new = t
  call total(nx, ny, nz, t, before)
  print '(a, f8.3)', 'hottest point at the start:        ', maxval(t)
  do n = 1, steps / 2
    call step(nx, ny, nz, c, t, t_new)
    call step(nx, ny, nz, c, t_new, t)
  end do
  call total(nx, ny, nz, t, after)
  print '(a, i0, a, f8.3)', 'hottest point after ', steps, ' steps:     ', maxval(t)
  print '(a, es9.2)', 'heat gained or lost, relative: ', (after - before) / before
end program
