! The twelve results of the sample in plain Fortran, order (k,i,j); p, as in the sample, (i,k,j).
program module_data_reference
  use reference_functions, only: dp, offset, blend, average
  implicit none
  type :: settings
    real(dp) :: gain = 0.75_dp, weight(4), lower = -1.0_dp, upper = 60.0_dp
    integer :: stride = 3
  end type settings
  type(settings) :: config
  integer, parameter :: ntracer = 3
  real(dp) :: factor = 1.5_dp, dt = 0.125_dp
  logical :: reversed
  real(dp), allocatable, dimension(:,:,:) :: t, q, p, tend, res, anom
  real(dp), allocatable :: c(:,:,:,:), sfc(:,:), prof(:), mean(:,:)
  real(dp) :: m, total
  integer :: n(4), rep, nx, ny, nz, i, j, k, l, test, unit
  character(len=256) :: file, text

  n = [18, 14, 11, 1]
  file = "module_data_reference.dat"
  if (command_argument_count() > 0) call get_command_argument(1, file)
  do i = 2, min(5, command_argument_count())
    call get_command_argument(i, text)
    read(text, *) n(i-1)
  end do
  nx = n(1)
  ny = n(2)
  nz = n(3)

  allocate(t(nz,nx,ny), q(nz,nx,ny), p(nx,nz,ny), tend(nz,nx,ny), res(nz,nx,ny), anom(nz,nx,ny))
  allocate(c(nz,ntracer,nx,ny), sfc(nx,ny), prof(nz), mean(nx,ny))
  offset = -0.25_dp
  config%weight = [0.1_dp * 1, 0.1_dp * 4, 0.1_dp * 9, 0.1_dp * 16]
  do k = 1, nz
    prof(k) = 1.0_dp / real(k + 1, dp)
  end do
  do j = 1, ny
    do i = 1, nx
      sfc(i,j) = real(i * i - 3 * j, dp) / 5.0_dp
      do k = 1, nz
        t(k,i,j) = real(i + 10 * j + 100 * k, dp) / 7.0_dp
        q(k,i,j) = real(mod(3 * i + 5 * j + 7 * k, 11), dp) / 13.0_dp
        p(i,k,j) = real(1000 - 20 * k + i * i + i * j * j, dp) / 3.0_dp
        tend(k,i,j) = real(i * k - j, dp) / 9.0_dp
        do l = 1, ntracer
          c(k,l,i,j) = real(l, dp) + real(i - 2 * j + 3 * k, dp) / 17.0_dp
        end do
      end do
    end do
  end do

  open(newunit=unit, file=file, form="unformatted", access="stream", status="replace")
  write(unit) nx, ny, nz, 12
  res = 0
  do rep = 1, n(4)
    do test = 1, 12
      select case (test)
      case (1, 2)
        reversed = test == 2
        !$omp parallel do private(i)
        do j = 1, ny
          do i = 1, nx
            res(:,i,j) = t(:,i,j) * factor + dt * tend(:,i,j) * prof
            if (reversed) res(:,i,j) = -res(:,i,j)
            tend(1,i,j) = tend(1,i,j) + (2 * i - j)
          end do
        end do
      case (3)
        !$omp parallel do private(i, k, m)
        do j = 1, ny
          do i = 1, nx
            m = average(nz, t(:,i,j))
            res(:,i,j) = blend(t(:,i,j), q(:,i,j))
            do k = 2, nz
              res(k,i,j) = res(k,i,j) + blend(t(k-1,i,j), m)
            end do
            res(1,i,j) = max(res(2,i,j), blend(res(1,i,j), average(nz, q(:,i,j))))
          end do
        end do
      case (4)
        !$omp parallel do private(i)
        do j = 1, ny
          do i = 1, nx
            mean(i,j) = average(nz, t(:,i,j)) + sfc(i,j)
            anom(:,i,j) = t(:,i,j) - mean(i,j)
          end do
          do i = 2, nx
            res(:,i,j) = anom(:,i,j) + mean(i,j) * anom(:,i-1,j)
          end do
          res(:,1,j) = anom(:,1,j) - anom(:,nx,j)
        end do
      case (5)
        !$omp parallel do private(i)
        do j = 1, ny
          do i = 1, nx
            res(:,i,j) = res(:,i,j) + 0.25_dp * (q(:,i,j) - res(:,i,j))
            res(:,i,j) = max(res(:,i,j) + 0.5_dp * (t(:,i,j) - res(:,i,j)), 20.0_dp)
            res(:,i,j) = (1.0_dp - 0.5_dp) * res(:,i,j) + 0.5_dp * q(:,i,j)
            res(:,i,j) = min((1.0_dp - 0.125_dp) * res(:,i,j) + 0.125_dp * t(:,i,j), 55.5_dp)
          end do
        end do
      case (6)
        !$omp parallel do private(i, k)
        do j = 1, ny
          do i = 1, nx
            do k = 1, nz
              res(k,i,j) = t(k,i,j) - t(max(k-1,1),i,j) + q(k,min(i+1,nx),j) * q(max(k-1,1),i,max(j-1,1))
            end do
          end do
        end do
      case (7)
        !$omp parallel do private(i)
        do j = 1, ny
          do i = 1, nx
            res(:,i,j) = t(:,i,j) + 3.0_dp * sfc(i,j) - t(:,nx+1-i,j)
          end do
        end do
      case (8)
        !$omp parallel do private(i)
        do j = 1, ny
          do i = 1, nx
            res(:,i,j) = 0
            if (i == 1 .or. i == nx .or. j == 1 .or. j == ny) cycle
            res(:,i,j) = 4.0_dp * p(i,:,j) - p(i-1,:,j) - p(i+1,:,j) - p(i,:,j-1) - p(i,:,j+1)
          end do
        end do
      case (9)
        !$omp parallel do private(i, k)
        do j = 1, ny
          do i = 1, nx
            do k = 1, nz
              res(k,i,j) = config%gain * t(k,i,j) + config%weight(1 + mod(i + config%stride * k, 4))
              res(k,i,j) = min(config%upper, max(config%lower, res(k,i,j)))
            end do
          end do
        end do
      case (10)
        !$omp parallel do private(i)
        do j = 1, ny
          do i = 1, nx
            res(:,i,j) = c(:,1,i,j)
          end do
        end do
        do l = 2, ntracer
          !$omp parallel do private(i, k)
          do j = 1, ny
            do i = 1, nx
              c(1,l,i,j) = 2.0_dp * c(1,l-1,i,j)
              do k = 1, nz
                res(k,i,j) = res(k,i,j) + c(k,l,i,j) * real(l, dp) - c(nz+1-k,l-1,i,j)
              end do
            end do
          end do
        end do
      case (11)
        !$omp parallel do
        do j = 1, ny
          res(:,:,j) = 0.5_dp * (t(:,:,j) + q(:,:,j))
        end do
      case (12)
        !$omp parallel do private(i)
        do j = 1, ny
          do i = 1, nx
            res(:,i,j) = t(:,i,j) * q(nz:1:-1,i,j)
          end do
        end do
      end select

      if (rep < n(4)) cycle
      total = 0
      do k = 1, nz
        do j = 1, ny
          do i = 1, nx
            total = total + res(k,i,j) * real(1 + mod(i + 2 * j + 3 * k, 7), dp)
          end do
        end do
      end do
      write(unit) (((res(k,i,j), i=1,nx), j=1,ny), k=1,nz)
      write(*, "(a,i3,es24.15)") "test", test, total
    end do
  end do
  close(unit)

end program module_data_reference
