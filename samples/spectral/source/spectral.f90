! A Poisson problem with spectral elements: spectral FILE ORDER LEVELS STEPS, on 2**LEVELS elements.
program spectral
  use kernels, only: dp, sum_copies
  use mesh, only: box, geometry, groups, quadrature
  use solver, only: solve
  implicit none
  integer :: order, levels, steps, n1, ne, np, ng, nc, unit, m, along(3)
  integer, allocatable :: first(:), points(:)
  real(dp), allocatable :: z(:), weights(:), d(:,:), factors(:,:,:,:,:), c(:), f(:), x(:), r(:), direction(:), w(:)
  real(dp), allocatable :: history(:)
  character(200) :: file, word
  integer(selected_int_kind(12)) :: begin, end, rate
  integer :: n, given(3)
  real(dp) :: seconds

  given = [6, 6, 20]
  if (command_argument_count() < 1) error stop 'usage: spectral FILE [ORDER LEVELS STEPS]'
  call get_command_argument(1, file)
  do n = 1, min(3, command_argument_count() - 1)
    call get_command_argument(n + 1, word)
    read(word, *) given(n)
  end do
  order = given(1)
  levels = given(2)
  steps = given(3)

  n1 = order + 1
  ne = 2**levels
  np = ne * n1**3
  along = box(levels)
  allocate(z(n1), weights(n1), d(n1,n1), factors(6,n1,n1,n1,ne), c(np), f(np), x(np), r(np), direction(np), w(np))
  allocate(history(0:steps))
  call quadrature(order, z, weights, d)
  call geometry(n1, ne, weights, factors)
  call groups(n1, along, first, points)
  ng = size(first) - 1
  nc = size(points)

  c = 1
  call sum_copies(np, ng, nc, first, points, c)
  c = 1 / c
  do m = 1, np
    f(m) = sin(1e9_dp * cos((1e9_dp * m) * m))
  end do
  call sum_copies(np, ng, nc, first, points, f)
  f = f * c

  call solve(n1, ne, np, ng, nc, d, factors, first, points, c, f, steps, x, r, direction, w, history)
  call system_clock(begin, rate)
  call solve(n1, ne, np, ng, nc, d, factors, first, points, c, f, steps, x, r, direction, w, history)
  call system_clock(end)

  open(newunit=unit, file=trim(file), access='stream', form='unformatted', status='replace')
  write(unit) order, levels, steps, f, history, x
  close(unit)
  print '(a,es14.7,a,es14.7)', 'residual ', history(0), ' at first, in the end ', history(steps)
  seconds = real(max(end - begin, 1_8), dp) / rate
  print '(f0.4,a,f0.6)', real(ne, dp) * order**3 * steps / (seconds * 1e9_dp), ' GDOFS, seconds ', seconds
end program spectral
