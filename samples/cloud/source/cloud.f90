!> Cloud physics of many columns, some steps.
!>
!>   cloud [FILE [NX NLEV [NSTEPS]]]
program cloud
  use cloud_constants, only: r8, thermo_type, water_type, micro_type
  implicit none
  character(len=256) :: file
  character(len=32) :: text
  integer :: sizes(3), n

  file = "cloud.dat"
  sizes = [16384, 60, 4]
  if (command_argument_count() > 0) call get_command_argument(1, file)
  do n = 1, min(3, command_argument_count() - 1)
    call get_command_argument(n + 1, text)
    read(text, *) sizes(n)
  end do
  call run(sizes(1), sizes(2), sizes(3))

contains

  subroutine run(nx, nlev, nsteps)
    integer, intent(in) :: nx, nlev, nsteps
    type(thermo_type) :: thermo
    type(water_type) :: water
    type(micro_type) :: micro
    real(r8), parameter :: dt = 600.0_r8
    real(r8), allocatable :: land(:)
    real(r8), allocatable, dimension(:,:) :: ph, p, t, q, ql, qi, qr, qs, cover, dtdyn, dqdyn, dldyn, didyn, &
    omega, heat, detrain, mass, snow_mass, tend_t, tend_q, tend_l, tend_i, tend_r, tend_s, tend_a, humidity, &
    radius_l, radius_i, flux_l, flux_i, flux_r, flux_s, enth_l, enth_s, wet
    integer :: i, k, step, unit, start, finish, rate
    real(r8) :: eta, wave

    allocate(land(nx))
    allocate(p(nx,nlev), t(nx,nlev), q(nx,nlev), ql(nx,nlev), qi(nx,nlev), qr(nx,nlev), qs(nx,nlev), &
    cover(nx,nlev), dtdyn(nx,nlev), dqdyn(nx,nlev), dldyn(nx,nlev), didyn(nx,nlev), omega(nx,nlev), &
    heat(nx,nlev), detrain(nx,nlev), mass(nx,nlev), snow_mass(nx,nlev), tend_t(nx,nlev), tend_q(nx,nlev), &
    tend_l(nx,nlev), tend_i(nx,nlev), tend_r(nx,nlev), tend_s(nx,nlev), tend_a(nx,nlev), humidity(nx,nlev), &
    radius_l(nx,nlev), radius_i(nx,nlev))
    allocate(ph(nx,nlev+1), flux_l(nx,nlev+1), flux_i(nx,nlev+1), flux_r(nx,nlev+1), flux_s(nx,nlev+1), &
    enth_l(nx,nlev+1), enth_s(nx,nlev+1), wet(nx,nlev+1))
    do i = 1, nx
      land(i) = mod(i, 3)/2
    end do
    do k = 1, nlev + 1
      do i = 1, nx
        ph(i,k) = 1.0e3_r8 + 9.9e4_r8*(real(k-1, r8)/nlev)**2 + 10*mod(i, 7)*real(k, r8)/nlev
      end do
    end do
    do k = 1, nlev
      eta = real(k, r8)/nlev
      do i = 1, nx
        wave = real(mod(37*i + 11*k, 101), r8)/101
        p(i,k) = 0.5_r8*(ph(i,k) + ph(i,k+1))
        t(i,k) = 205.0_r8 + 90.0_r8*eta + 4*wave
        q(i,k) = 1.0e-6_r8 + 1.4e-2_r8*eta**3*(0.4_r8 + wave)
        ql(i,k) = merge(4.0e-4_r8*wave, 0.0_r8, wave > 0.4_r8 .and. eta > 0.5_r8)
        qi(i,k) = merge(1.0e-4_r8*wave, 0.0_r8, wave > 0.5_r8 .and. eta < 0.7_r8)
        qr(i,k) = 1.0e-5_r8*wave
        qs(i,k) = 1.0e-5_r8*(1 - wave)
        cover(i,k) = wave
        dtdyn(i,k) = 1.0e-5_r8*(wave - 0.5_r8)
        dqdyn(i,k) = 1.0e-8_r8*(0.5_r8 - wave)*eta
        dldyn(i,k) = 1.0e-10_r8*wave
        didyn(i,k) = 1.0e-10_r8*(1 - wave)
        omega(i,k) = 0.1_r8*(wave - 0.5_r8)
        heat(i,k) = -1.0e-5_r8*eta
        detrain(i,k) = 1.0e-5_r8*wave
        mass(i,k) = 0.1_r8*eta
        snow_mass(i,k) = 0.1_r8*(1 - eta)
      end do
    end do
    call system_clock(start, rate)
    do step = 1, nsteps
      call cloud_run(nx, nlev, dt, thermo, water, micro, land, p, t, q, ql, qi, qr, qs, cover, dtdyn, dqdyn, &
    dldyn, didyn, omega, heat, detrain, mass, snow_mass, ph, tend_t, tend_q, tend_l, tend_i, tend_r, tend_s, &
    tend_a, humidity, radius_l, radius_i, flux_l, flux_i, flux_r, flux_s, enth_l, enth_s, wet)
    end do
    call system_clock(finish)
    write(*, "(a,f10.6)") "seconds ", real(finish - start, r8)/rate
    open(newunit=unit, file=trim(file), access="stream", form="unformatted", status="replace")
    write(unit) nx, nlev, tend_t, tend_q, tend_l, tend_i, tend_r, tend_s, tend_a, humidity, radius_l, radius_i, &
    flux_l, flux_i, flux_r, flux_s, enth_l, enth_s, wet
    close(unit)
    if (all(tend_t > -1.0_r8 .and. tend_t < 1.0_r8)) write(*, "(a)") "test ok"
  end subroutine run
end program cloud
