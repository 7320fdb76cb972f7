!> The same statements as plain Fortran, under a loop over the columns.
! Constants of the cloud physics, in objects as models keep them.
module cloud_constants
  implicit none
  integer, parameter :: r8 = selected_real_kind(12)
  integer, parameter :: nspecies = 5, liquid = 1, ice = 2, rain = 3, snow = 4, vapour = 5

  type thermo_type
    real(r8) :: melt = 273.16_r8, gravity = 9.80665_r8, cp = 1004.7_r8
    real(r8) :: vaporise = 2.5008e6_r8, sublimate = 2.8345e6_r8
    real(r8) :: ratio = 0.622_r8, dry_gas = 287.06_r8
  end type thermo_type

  type water_type
    real(r8) :: melt = 273.16_r8, freeze = 250.16_r8, e0 = 611.21_r8
    real(r8) :: a_liquid = 17.502_r8, b_liquid = 32.19_r8, a_ice = 22.587_r8, b_ice = -0.7_r8
  end type water_type

  type micro_type
    real(r8) :: autoconvert = 2.0e-4_r8, threshold = 3.0e-4_r8, accrete = 2.2_r8
    real(r8) :: evaporate = 0.3_r8, erode = 1.0e-6_r8, tiny_q = 1.0e-12_r8
    real(r8) :: fall(nspecies) = [0.0_r8, 0.15_r8, 4.0_r8, 1.0_r8, 0.0_r8]
    logical :: erosion = .true.
  end type micro_type
end module cloud_constants

module cloud_physics
  implicit none
contains

  !> Clouds and precipitation of one column: saturation adjustment, conversions between five species, their fall.
  subroutine cloud_column(nlev, dt, thermo, water, micro, land, p, t, q, ql, qi, qr, qs, cover, dtdyn, dqdyn, &
      dldyn, didyn, omega, heat, detrain, mass, snow_mass, ph, tend_t, tend_q, tend_l, tend_i, tend_r, tend_s, &
      tend_a, humidity, radius_l, radius_i, flux_l, flux_i, flux_r, flux_s, enth_l, enth_s, wet)
    use cloud_constants, only: r8, thermo_type, water_type, micro_type, nspecies, liquid, ice, &
      rain, snow, vapour
    implicit none
    integer, intent(in) :: nlev
    real(r8), intent(in) :: dt, land
    type(thermo_type), intent(in) :: thermo
    type(water_type), intent(in) :: water
    type(micro_type), intent(in) :: micro
    real(r8), intent(in) :: p(nlev), t(nlev), q(nlev), ql(nlev), qi(nlev), qr(nlev), qs(nlev), cover(nlev), &
      dtdyn(nlev), dqdyn(nlev), dldyn(nlev), didyn(nlev), omega(nlev), heat(nlev), detrain(nlev), mass(nlev), &
      snow_mass(nlev)
    real(r8), intent(in) :: ph(nlev+1)
    real(r8), intent(out) :: tend_t(nlev), tend_q(nlev), tend_l(nlev), tend_i(nlev), tend_r(nlev), tend_s(nlev), &
      tend_a(nlev), humidity(nlev), radius_l(nlev), radius_i(nlev)
    real(r8), intent(out) :: flux_l(nlev+1), flux_i(nlev+1), flux_r(nlev+1), flux_s(nlev+1), enth_l(nlev+1), &
      enth_s(nlev+1), wet(nlev+1)
    real(r8) :: now(nspecies), matrix(nspecies,nspecies), right(nspecies), sink(nspecies), ratio(nspecies)
    real(r8) :: from_above(nspecies), given(nspecies,nspecies)
    integer :: order(nspecies), k, m, n, l, keep
    real(r8) :: temp, dp, rho, qsat, excess, part, heating, largest, above, evaporated, moisture
  real(r8) :: share, es_liquid, es_ice, es_mixed, latent, saturated, slope, x, y
  share(x) = min(1.0_r8, ((max(water%freeze, min(water%melt, x)) - water%freeze)/(water%melt - water%freeze))**2)
  es_liquid(x) = water%e0*exp(water%a_liquid*(x - water%melt)/(x - water%b_liquid))
  es_ice(x) = water%e0*exp(water%a_ice*(x - water%melt)/(x - water%b_ice))
  es_mixed(x) = share(x)*es_liquid(x) + (1.0_r8 - share(x))*es_ice(x)
  latent(x) = share(x)*thermo%vaporise + (1.0_r8 - share(x))*thermo%sublimate
  saturated(x, y) = min(0.5_r8, thermo%ratio*es_mixed(x)/y)
  slope(x, y) = saturated(x, y)*water%a_liquid*(water%melt - water%b_liquid)/(x - water%b_liquid)**2
    associate (g => thermo%gravity, cp => thermo%cp, lv => thermo%vaporise, ls => thermo%sublimate, &
        tiny_q => micro%tiny_q, accrete => micro%accrete, autoconvert => micro%autoconvert, &
        threshold => micro%threshold, fall => micro%fall)
    flux_l(1) = 0.0_r8
    flux_i(1) = 0.0_r8
    flux_r(1) = 0.0_r8
    flux_s(1) = 0.0_r8
    enth_l(1) = 0.0_r8
    enth_s(1) = 0.0_r8
    wet(1) = 0.0_r8
    above = 0.0_r8
    from_above(:) = 0.0_r8
    do k = 1, nlev
      dp = ph(k+1) - ph(k)
      temp = t(k) + dt*dtdyn(k) + dt*heat(k)
      rho = p(k)/(thermo%dry_gas*temp)
      now(liquid) = ql(k) + dt*dldyn(k)
      now(ice) = qi(k) + dt*didyn(k)
      now(rain) = qr(k)
      now(snow) = qs(k)
      now(vapour) = q(k) + dt*dqdyn(k)

      ! What is detrained from convection, in the phases that the temperature asks for.
      part = share(temp)
      now(liquid) = now(liquid) + dt*part*detrain(k)*mass(k)*g/dp
      now(ice) = now(ice) + dt*(1.0_r8 - part)*detrain(k)*snow_mass(k)*g/dp

      ! Saturation adjustment, two steps.
      do n = 1, 2
        qsat = saturated(temp, p(k))
        excess = (now(vapour) - qsat)/(1.0_r8 + latent(temp)/cp*slope(temp, p(k)))
        excess = max(excess, -now(liquid) - now(ice))
        if (excess > 0.0_r8 .or. cover(k) < 0.99_r8) then
          part = share(temp)
          if (excess <= 0.0_r8) part = now(liquid)/max(now(liquid) + now(ice), tiny_q)
          now(liquid) = now(liquid) + part*excess
          now(ice) = now(ice) + (1.0_r8 - part)*excess
          now(vapour) = now(vapour) - excess
          temp = temp + (part*lv + (1.0_r8 - part)*ls)/cp*excess
        end if
      end do
      qsat = saturated(temp, p(k))
      humidity(k) = now(vapour)/qsat
      above = above*0.9_r8
      if (now(liquid) + now(ice) > tiny_q) above = max(above, cover(k))
      wet(k+1) = above

      ! What goes from one species to another in a step, as given(to,from): shares of what the donor has.
      given(:,:) = 0.0_r8
      if (now(liquid) > tiny_q) then
        given(rain,liquid) = dt*autoconvert*(1.0_r8 - exp(-(now(liquid)/threshold)**2)) &
          + dt*accrete*now(rain)*max(cover(k), 0.01_r8)
        if (temp < water%freeze - 12.0_r8) given(ice,liquid) = 1.0_r8
      end if
      if (now(ice) > tiny_q) given(snow,ice) = dt*autoconvert*exp(0.025_r8*(temp - thermo%melt)) &
        *(1.0_r8 - exp(-(now(ice)/threshold)**2))
      if (temp > thermo%melt) then
        given(rain,snow) = min(1.0_r8, dt*2.0e-3_r8*(temp - thermo%melt))
        given(liquid,ice) = 1.0_r8
      end if
      evaporated = max(0.0_r8, 1.0_r8 - humidity(k))*micro%evaporate*(1.0_r8 - above)
      given(vapour,rain) = dt*evaporated*sqrt(rho)*1.0e-2_r8
      given(vapour,snow) = dt*evaporated*1.0e-3_r8
      if (micro%erosion) given(vapour,liquid) = dt*micro%erode*(1.0_r8 - cover(k))*(1.0_r8 + land)

      ! No species gives more than it has; those that give the largest share come first.
      do n = 1, nspecies
        sink(n) = 0.0_r8
        do m = 1, nspecies
          sink(n) = sink(n) + given(m,n)
        end do
        ratio(n) = 1.0_r8/max(sink(n), 1.0_r8)
        order(n) = n
      end do
      do n = 1, nspecies - 1
        do m = n + 1, nspecies
          if (sink(order(m)) > sink(order(n))) then
            keep = order(n)
            order(n) = order(m)
            order(m) = keep
          end if
        end do
      end do
      largest = ratio(order(1))
      do n = 1, nspecies
        do m = 1, nspecies
          given(m,order(n)) = given(m,order(n))*max(largest, ratio(order(n)))
        end do
      end do

      ! Implicit step of all species with what falls in from above and out below.
      do n = 1, nspecies
        right(n) = now(n) + from_above(n)*dt*g/dp
        do m = 1, nspecies
          matrix(m,n) = -given(m,n)
        end do
        matrix(n,n) = 1.0_r8 + dt*rho*g*fall(n)/dp
        do m = 1, nspecies
          if (m /= n) matrix(n,n) = matrix(n,n) + given(m,n)
        end do
      end do
      do n = 2, nspecies
        do m = n, nspecies
          matrix(m,n-1) = matrix(m,n-1)/matrix(n-1,n-1)
          do l = n, nspecies
            matrix(m,l) = matrix(m,l) - matrix(m,n-1)*matrix(n-1,l)
          end do
          right(m) = right(m) - matrix(m,n-1)*right(n-1)
        end do
      end do
      right(nspecies) = right(nspecies)/matrix(nspecies,nspecies)
      do n = nspecies - 1, 1, -1
        do m = n + 1, nspecies
          right(n) = right(n) - matrix(n,m)*right(m)
        end do
        right(n) = right(n)/matrix(n,n)
      end do
      do n = 1, nspecies
        from_above(n) = fall(n)*rho*right(n)
      end do
      heating = (right(liquid) + right(rain) - now(liquid) - now(rain))*lv &
        + (right(ice) + right(snow) - now(ice) - now(snow))*ls

      moisture = right(liquid) + right(ice)
      tend_t(k) = (temp - t(k) + heating/cp)/dt + 1.0e-9_r8*omega(k)
      tend_q(k) = (right(vapour) - q(k))/dt
      tend_l(k) = (right(liquid) - ql(k))/dt
      tend_i(k) = (right(ice) - qi(k))/dt
      tend_r(k) = (right(rain) - qr(k))/dt
      tend_s(k) = (right(snow) - qs(k))/dt
      tend_a(k) = (moisture/(moisture + 0.1_r8*qsat) - cover(k))/dt
      radius_l(k) = min(30.0_r8, 4.0_r8 + 1.0e4_r8*right(liquid))
      radius_i(k) = min(90.0_r8, 20.0_r8 + 2.0e5_r8*right(ice))
      flux_l(k+1) = from_above(liquid)
      flux_i(k+1) = from_above(ice)
      flux_r(k+1) = from_above(rain)
      flux_s(k+1) = from_above(snow)
      enth_l(k+1) = -lv*(flux_l(k+1) + flux_r(k+1))
      enth_s(k+1) = -ls*(flux_i(k+1) + flux_s(k+1))
    end do
    end associate
  end subroutine cloud_column

  !> The cloud physics of all columns.
  subroutine cloud_run(nx, nlev, dt, thermo, water, micro, land, p, t, q, ql, qi, qr, qs, cover, dtdyn, dqdyn, &
      dldyn, didyn, omega, heat, detrain, mass, snow_mass, ph, tend_t, tend_q, tend_l, tend_i, tend_r, tend_s, &
      tend_a, humidity, radius_l, radius_i, flux_l, flux_i, flux_r, flux_s, enth_l, enth_s, wet)
    use cloud_constants, only: r8, thermo_type, water_type, micro_type
    implicit none
    integer, intent(in) :: nx, nlev
    real(r8), intent(in) :: dt, land(nx)
    type(thermo_type), intent(in) :: thermo
    type(water_type), intent(in) :: water
    type(micro_type), intent(in) :: micro
    real(r8), intent(in) :: p(nx,nlev), t(nx,nlev), q(nx,nlev), ql(nx,nlev), qi(nx,nlev), qr(nx,nlev), qs(nx,nlev), &
      cover(nx,nlev), dtdyn(nx,nlev), dqdyn(nx,nlev), dldyn(nx,nlev), didyn(nx,nlev), omega(nx,nlev), &
      heat(nx,nlev), detrain(nx,nlev), mass(nx,nlev), snow_mass(nx,nlev)
    real(r8), intent(in) :: ph(nx,nlev+1)
    real(r8), intent(out) :: tend_t(nx,nlev), tend_q(nx,nlev), tend_l(nx,nlev), tend_i(nx,nlev), tend_r(nx,nlev), &
      tend_s(nx,nlev), tend_a(nx,nlev), humidity(nx,nlev), radius_l(nx,nlev), radius_i(nx,nlev)
    real(r8), intent(out) :: flux_l(nx,nlev+1), flux_i(nx,nlev+1), flux_r(nx,nlev+1), flux_s(nx,nlev+1), &
      enth_l(nx,nlev+1), enth_s(nx,nlev+1), wet(nx,nlev+1)
    integer :: i

    !$omp parallel do
    do i = 1, nx
      call cloud_column(nlev, dt, thermo, water, micro, land(i), p(i,:), t(i,:), q(i,:), ql(i,:), qi(i,:), qr(i,:), &
      qs(i,:), cover(i,:), dtdyn(i,:), dqdyn(i,:), dldyn(i,:), didyn(i,:), omega(i,:), heat(i,:), detrain(i,:), &
      mass(i,:), snow_mass(i,:), ph(i,:), tend_t(i,:), tend_q(i,:), tend_l(i,:), tend_i(i,:), tend_r(i,:), &
      tend_s(i,:), tend_a(i,:), humidity(i,:), radius_l(i,:), radius_i(i,:), flux_l(i,:), flux_i(i,:), flux_r(i,:), &
      flux_s(i,:), enth_l(i,:), enth_s(i,:), wet(i,:))
    end do
    !$omp end parallel do
  end subroutine cloud_run
end module cloud_physics

!> Cloud physics of many columns, some steps.
!>
!>   cloud [FILE [NX NLEV [NSTEPS]]]
program cloud
  use cloud_constants, only: r8, thermo_type, water_type, micro_type
  use cloud_physics, only: cloud_run
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
