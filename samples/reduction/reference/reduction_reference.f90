! The reductions of the sample with OpenMP clauses written by hand.
program reduction_reference
  implicit none
  integer, parameter :: dp = kind(1.0d0), long = selected_int_kind(18)
  real(dp), allocatable :: a(:,:,:), dev(:,:,:), plane(:,:), row(:), mean(:)
  integer, allocatable :: m(:,:,:)
  real(dp) :: total, absolute, largest, smallest, prod, norm, highest, s
  real :: squares
  integer :: n(4), rep, nx, ny, nz, i, j, k, unit, left, sgn, common, anyof, parity
  integer(long) :: wide
  logical :: bounded, negative, even, odd
  character(len=256) :: file, text

  n = [60, 50, 40, 1]
  file = "reduction_reference.dat"
  if (command_argument_count() > 0) call get_command_argument(1, file)
  do i = 2, min(5, command_argument_count())
    call get_command_argument(i, text)
    read(text, *) n(i-1)
  end do
  nx = n(1)
  ny = n(2)
  nz = n(3)
  allocate(a(nx,ny,nz), dev(nx,ny,nz), plane(nx,ny), row(nx), mean(nz), m(nx,ny,nz))

  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        a(i,j,k) = sin(0.1_dp * i + 0.37_dp * j) * cos(0.23_dp * k - 0.05_dp * i)
        m(i,j,k) = 1024 + modulo(i + 10 * j + 100 * k, 1024)
      end do
    end do
  end do
  do j = 1, ny
    do i = 1, nx
      plane(i,j) = a(i,j,1 + modulo(i + j, nz))
    end do
  end do
  do i = 1, nx
    row(i) = a(i,1 + modulo(i, ny),nz)
  end do

  do rep = 1, n(4)
    total = 100
    squares = 0
    absolute = 0
    !$omp parallel do private(i, j) reduction(+:total, squares, absolute) schedule(static)
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          total = total + a(i,j,k)
          squares = squares + real(nint(4 * (a(i,j,k) - 0.25_dp)))**2
          absolute = absolute + abs(a(i,j,k) - 0.25_dp)
        end do
      end do
    end do

    largest = -1.0e30_dp
    smallest = 1.0e30_dp
    left = 0
    !$omp parallel do private(i, k) reduction(max:largest) reduction(min:smallest) reduction(+:left) schedule(static)
    do j = 2, ny - 1
      do i = 2, nx - 1
        do k = 1, nz
          largest = max(largest, a(i,j,k) - a(i-1,j,k))
          smallest = min(smallest, a(i,j+1,k))
          if (a(i,j,k) > 0) left = left + modulo(i + 2 * j + 3 * k, 5)
        end do
      end do
    end do
    left = 7000 - left

    prod = 2
    sgn = 1
    !$omp parallel do private(i) reduction(*:prod, sgn) schedule(static)
    do j = 1, ny
      do i = 1, nx
        prod = prod * (1.0_dp + 1.0e-3_dp * plane(i,j))
        if (plane(i,j) < 0) sgn = -sgn
      end do
    end do

    common = -1
    anyof = 2048
    parity = 0
    wide = 5
    !$omp parallel do private(i, j) reduction(iand:common) reduction(ior:anyof) reduction(ieor:parity) &
    !$omp& reduction(+:wide) schedule(static)
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          common = iand(common, m(i,j,k))
          anyof = ior(anyof, m(i,j,k))
          parity = ieor(parity, m(i,j,k))
          wide = wide + 1000003_long * m(i,j,k)
        end do
      end do
    end do

    bounded = .true.
    negative = .false.
    even = .true.
    odd = .false.
    !$omp parallel do private(i) reduction(.and.:bounded) reduction(.or.:negative) reduction(.eqv.:even) &
    !$omp& reduction(.neqv.:odd) schedule(static)
    do j = 1, ny
      do i = 1, nx
        bounded = bounded .and. abs(plane(i,j)) < 2
        negative = negative .or. plane(i,j) < -0.99_dp
        if (plane(i,j) <= 0.3_dp) even = .not. even
        if (plane(i,j) < -0.3_dp) odd = .not. odd
      end do
    end do

    norm = 0
    highest = -huge(highest)
    !$omp parallel do reduction(+:norm) reduction(max:highest) schedule(static)
    do i = 1, nx
      norm = norm + row(i) * row(i)
      highest = max(highest, row(i), 0.5_dp * row(i))
    end do
    norm = sqrt(norm)

    do k = 1, nz
      s = 0
      !$omp parallel do private(i) reduction(+:s) schedule(static)
      do j = 1, ny
        do i = 1, nx
          s = s + a(i,j,k)
          dev(i,j,k) = a(i,j,k) * real(i + nx * j, dp)
        end do
      end do
      mean(k) = s / real(nx * ny, dp)
    end do
  end do

  write(*, "(a,3es24.16)") "sums      ", total, squares, absolute
  write(*, "(a,2es24.16,i12)") "extremes  ", largest, smallest, left
  write(*, "(a,es24.16,i4)") "products  ", prod, sgn
  write(*, "(a,3i8,i20)") "bits      ", common, anyof, parity, wide
  write(*, "(a,4l2)") "statements", bounded, negative, even, odd
  write(*, "(a,2es24.16)") "line      ", norm, highest
  write(*, "(a,2es24.16)") "levels    ", mean(1), mean(nz)

  open(newunit=unit, file=file, form="unformatted", access="stream", status="replace")
  write(unit) n(1:3), largest, smallest, highest, squares, left, sgn, common, anyof, parity, wide
  write(unit) merge(1, 0, bounded), merge(1, 0, negative), merge(1, 0, even), merge(1, 0, odd)
  write(unit) dev, total, absolute, prod, norm, mean
  close(unit)
end program reduction_reference
