! Explicit diffusion in a closed box, by hand for the CPU.
module diffusion_kernels
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: pi = 3.14159265358979324_dp, kappa = 0.7_dp

contains

  pure real(dp) function solution(x, y, z, t)
    real(dp), intent(in) :: x, y, z, t
    solution = exp(-kappa * pi**2 * 14 * t) * cos(pi * x) * cos(2 * pi * y) * cos(3 * pi * z)
  end function solution

  subroutine fill(nx, ny, nz, f)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(out) :: f(0:nx+1,0:ny+1,0:nz+1)
    integer :: i, j, k
    !$omp parallel do private(i, j) schedule(static)
    do k = 0, nz + 1
      do j = 0, ny + 1
        do i = 0, nx + 1
          f(i,j,k) = solution((i - 0.5_dp) / nx, (j - 0.5_dp) / ny, (k - 0.5_dp) / nz, 0.0_dp)
        end do
      end do
    end do
  end subroutine fill

  subroutine step(nx, ny, nz, dt, a, b)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(in) :: dt, a(0:nx+1,0:ny+1,0:nz+1)
    real(dp), intent(inout) :: b(0:nx+1,0:ny+1,0:nz+1)
    real(dp) :: cx, cy, cz
    integer :: i, j, k
    cx = kappa * dt * real(nx, dp)**2
    cy = kappa * dt * real(ny, dp)**2
    cz = kappa * dt * real(nz, dp)**2
    !$omp parallel do private(i, j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        !$omp simd
        do i = 1, nx
          b(i,j,k) = a(i,j,k) + cx * (a(i-1,j,k) - 2.0_dp * a(i,j,k) + a(i+1,j,k)) &
                              + cy * (a(i,j-1,k) - 2.0_dp * a(i,j,k) + a(i,j+1,k)) &
                              + cz * (a(i,j,k-1) - 2.0_dp * a(i,j,k) + a(i,j,k+1))
        end do
      end do
    end do
  end subroutine step

  subroutine mirror(nx, ny, nz, f)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(inout) :: f(0:nx+1,0:ny+1,0:nz+1)
    integer :: j, k
    !$omp parallel do private(j) schedule(static)
    do k = 1, nz
      do j = 1, ny
        f(0,j,k) = f(1,j,k)
        f(nx+1,j,k) = f(nx,j,k)
      end do
      f(1:nx,0,k) = f(1:nx,1,k)
      f(1:nx,ny+1,k) = f(1:nx,ny,k)
    end do
    !$omp parallel do schedule(static)
    do j = 1, ny
      f(1:nx,j,0) = f(1:nx,j,1)
      f(1:nx,j,nz+1) = f(1:nx,j,nz)
    end do
  end subroutine mirror

  real(dp) function rms(nx, ny, nz, t, f)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(in) :: t, f(0:nx+1,0:ny+1,0:nz+1)
    real(dp) :: s, e, want
    integer :: i, j, k
    s = 0
    e = 0
    !$omp parallel do private(i, j, want) reduction(+:s, e) schedule(static)
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          want = solution((i - 0.5_dp) / nx, (j - 0.5_dp) / ny, (k - 0.5_dp) / nz, t)
          e = e + (f(i,j,k) - want)**2
          s = s + want**2
        end do
      end do
    end do
    rms = sqrt(e / s)
  end function rms

end module diffusion_kernels

program diffusion_reference
  use diffusion_kernels
  implicit none
  integer :: n(4), arg, it, i, j, k, unit
  real(dp), pointer :: f(:,:,:), g(:,:,:), t(:,:,:)
  real(dp) :: dt, err
  character(len=256) :: file, text

  n = [96, 80, 72, 600]
  file = "diffusion_reference.dat"
  if (command_argument_count() > 0) call get_command_argument(1, file)
  do arg = 2, min(5, command_argument_count())
    call get_command_argument(arg, text)
    read(text, *) n(arg-1)
  end do

  allocate(f(0:n(1)+1,0:n(2)+1,0:n(3)+1), g(0:n(1)+1,0:n(2)+1,0:n(3)+1))
  call fill(n(1), n(2), n(3), f)
  call fill(n(1), n(2), n(3), g)
  dt = 0.4_dp / (kappa * (real(n(1), dp)**2 + real(n(2), dp)**2 + real(n(3), dp)**2))
  do it = 1, n(4)
    call step(n(1), n(2), n(3), dt, f, g)
    call mirror(n(1), n(2), n(3), g)
    t => f
    f => g
    g => t
  end do
  err = rms(n(1), n(2), n(3), n(4) * dt, f)

  open(newunit=unit, file=file, form="unformatted", access="stream", status="replace")
  write(unit) n(1:3)
  write(unit) (((f(i,j,k), i=1,n(1)), j=1,n(2)), k=1,n(3))
  close(unit)
  deallocate(f, g)
  write(*, "(a,es12.5,a)") "RMS error ", err, " of the exact solution's own size"
  if (.not. err < 5.0e-2_dp) stop 1
  write(*, "(a)") "test ok"
end program diffusion_reference
