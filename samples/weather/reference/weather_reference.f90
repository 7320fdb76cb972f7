! The same thermal as the hybrid program, written by hand for the CPU.
!   weather_reference [FILE [NX NY NZ [NSTEPS [NFRAMES]]]]
program weather_reference
  use model_setup
  use fields
  use dyn_core
  use column_physics
  implicit none
  integer :: nsteps, nframes, unit, frame, step, stage, first, last
  real(dp) :: dts
  character(len=256) :: file

  file = "weather_reference.dat"
  if (command_argument_count() > 0) call get_command_argument(1, file)
  nx = argument(2, 56)
  ny = argument(3, 44)
  nz = argument(4, 48)
  nsteps = argument(5, 1080)
  nframes = argument(6, 3)
  if (nx < 4 .or. ny < 4 .or. nz < 6 .or. nsteps < 1 .or. nframes < 1) stop 1

  call setup_reference_state
  call setup_fields

  open(newunit=unit, file=file, form="unformatted", access="stream", status="replace")
  write(unit) nx, ny, nz, dx, dy, dz
  call write_frame(unit, 0.0_dp)
  last = 0
  do frame = 1, nframes
    first = last + 1
    last = frame * nsteps / nframes
    do step = first, last
      call fill_halos(u, v, w, th, ex)
      if (mod(step - 1, 4) == 0) then
        call physics(4 * dt, u, v, th, cover, slab, um, vm, pu, pv, pth)
        call fill_physics_halos(pu, pv)
      end if
      call save_state(u, v, w, th, ex, u0, v0, w0, th0, ex0)
      do stage = 1, 3
        dts = dt / real(4 - stage, dp)
        if (stage > 1) call fill_halos(u, v, w, th, ex)
        call mass_divergence(u, v, w, div, tex)
        call transport_u(u, v, w, div, tu)
        call transport_v(u, v, w, div, tv)
        call transport_w(u, v, w, div, tw)
        call transport_scalar(u, v, w, div, th, tth)
        call forces(w, th, ex, tu, tv, tw, tth)
        call mix_horizontally(u, v, w, th, tu, tv, tw, tth)
        call relax(u, v, w, th, tu, tv, tw, tth)
        call update(dts, u0, v0, w0, th0, ex0, tu, tv, tw, tth, tex, pu, pv, pth, u, v, w, th, ex)
      end do
      if (mod(step, max(1, nsteps / 20)) == 0 .or. step == last) call report(step)
    end do
    call write_frame(unit, last * dt)
  end do
  close(unit)

contains

  subroutine report(step)
    integer, intent(in) :: step
    real(dp) :: wmax, thmax, windmax, heat, pressure, energy
    integer :: i, j, k

    wmax = 0
    thmax = -1.0e3_dp
    windmax = 0
    heat = 0
    pressure = 0
    energy = 0
    !$omp parallel do private(i, k) reduction(max:wmax, thmax, windmax) reduction(+:heat, pressure, energy)
    do j = 1, ny
      do i = 1, nx
        do k = 1, nz
          wmax = max(wmax, w(k,i,j))
          thmax = max(thmax, th(k,i,j))
          windmax = max(windmax, abs(u(k,i,j)), abs(v(k,i,j)))
          heat = heat + rho(k) * th(k,i,j) * (dx * dy * dz)
          pressure = pressure + ex(k,i,j) / cpi(k)
          energy = energy + 0.5_dp * rho(k) * (dx * dy * dz) * (u(k,i,j) ** 2 + v(k,i,j) ** 2 + w(k,i,j) ** 2)
        end do
      end do
    end do
    pressure = pressure / (real(nx, dp) * real(ny, dp) * real(nz, dp))
    write(*, "(a,i6,a,f9.1,a,f8.4,a,f8.4,a,f8.4,a,es15.7,a,es10.2,a,es15.7)") "step", step, "  t", step * dt, &
      " s  w", wmax, "  th", thmax, "  wind", windmax, "  heat", heat, "  pi", pressure, "  energy", energy
  end subroutine report

  integer function argument(n, default)
    integer, intent(in) :: n, default
    character(len=32) :: text

    argument = default
    if (command_argument_count() < n) return
    call get_command_argument(n, text)
    read(text, *) argument
  end function argument

end program weather_reference
