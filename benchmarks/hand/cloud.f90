!> The cloud physics of the sample in blocks of 32 columns, as one writes it by hand for CPUs: the columns of a block are
!> the innermost loops, what belongs to a block lies in local arrays, threads take the blocks. It computes what the
!> sample's column computes, in the same order.
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
  real(r8), intent(in), dimension(nx,nlev) :: p, t, q, ql, qi, qr, qs, cover, dtdyn, dqdyn, dldyn, didyn, omega, heat, &
    detrain, mass, snow_mass
  real(r8), intent(in) :: ph(nx,nlev+1)
  real(r8), intent(out), dimension(nx,nlev) :: tend_t, tend_q, tend_l, tend_i, tend_r, tend_s, tend_a, humidity, &
    radius_l, radius_i
  real(r8), intent(out), dimension(nx,nlev+1) :: flux_l, flux_i, flux_r, flux_s, enth_l, enth_s, wet
  integer, parameter :: width = 32
  integer :: first

  !$omp parallel do schedule(static)
  do first = 1, nx, width
    call block_of_columns(first, min(first + width - 1, nx))
  end do
  !$omp end parallel do

contains

  subroutine block_of_columns(first, last)
    use cloud_constants, only: nspecies, liquid, ice, rain, snow, vapour
    integer, intent(in) :: first, last
    real(r8), dimension(width) :: temp, dp, rho, qsat, above, largest
    real(r8), dimension(width,nspecies) :: now, right, sink, ratio, from_above
    real(r8), dimension(width,nspecies,nspecies) :: matrix, given
    integer :: order(width,nspecies)
    real(r8) :: x, e_liquid, e_ice, s, saturated, slope, excess, share, heating, evaporated, moisture, most
    integer :: i, j, k, l, m, n, count, keep

    count = last - first + 1
    do j = 1, count
      i = first + j - 1
      flux_l(i,1) = 0.0_r8
      flux_i(i,1) = 0.0_r8
      flux_r(i,1) = 0.0_r8
      flux_s(i,1) = 0.0_r8
      enth_l(i,1) = 0.0_r8
      enth_s(i,1) = 0.0_r8
      wet(i,1) = 0.0_r8
      above(j) = 0.0_r8
    end do
    from_above = 0.0_r8
    do k = 1, nlev
      !$omp simd private(i, share)
      do j = 1, count
        i = first + j - 1
        dp(j) = ph(i,k+1) - ph(i,k)
        temp(j) = t(i,k) + dt*dtdyn(i,k) + dt*heat(i,k)
        rho(j) = p(i,k)/(thermo%dry_gas*temp(j))
        now(j,rain) = qr(i,k)
        now(j,snow) = qs(i,k)
        now(j,vapour) = q(i,k) + dt*dqdyn(i,k)
        share = min(1.0_r8, ((max(water%freeze, min(water%melt, temp(j))) - water%freeze) &
          /(water%melt - water%freeze))**2)
        now(j,liquid) = ql(i,k) + dt*dldyn(i,k) + dt*share*detrain(i,k)*mass(i,k)*thermo%gravity/dp(j)
        now(j,ice) = qi(i,k) + dt*didyn(i,k) + dt*(1.0_r8 - share)*detrain(i,k)*snow_mass(i,k)*thermo%gravity/dp(j)
      end do
      do n = 1, 2
        !$omp simd private(i, x, s, e_liquid, e_ice, saturated, slope, excess, share)
        do j = 1, count
          i = first + j - 1
          x = temp(j)
          s = min(1.0_r8, ((max(water%freeze, min(water%melt, x)) - water%freeze)/(water%melt - water%freeze))**2)
          e_liquid = water%e0*exp(water%a_liquid*(x - water%melt)/(x - water%b_liquid))
          e_ice = water%e0*exp(water%a_ice*(x - water%melt)/(x - water%b_ice))
          saturated = min(0.5_r8, thermo%ratio*(s*e_liquid + (1.0_r8 - s)*e_ice)/p(i,k))
          slope = saturated*water%a_liquid*(water%melt - water%b_liquid)/(x - water%b_liquid)**2
          excess = (now(j,vapour) - saturated) &
            /(1.0_r8 + (s*thermo%vaporise + (1.0_r8 - s)*thermo%sublimate)/thermo%cp*slope)
          excess = max(excess, -now(j,liquid) - now(j,ice))
          share = s
          if (excess <= 0.0_r8) share = now(j,liquid)/max(now(j,liquid) + now(j,ice), micro%tiny_q)
          if (.not. (excess > 0.0_r8 .or. cover(i,k) < 0.99_r8)) excess = 0.0_r8
          now(j,liquid) = now(j,liquid) + share*excess
          now(j,ice) = now(j,ice) + (1.0_r8 - share)*excess
          now(j,vapour) = now(j,vapour) - excess
          temp(j) = x + (share*thermo%vaporise + (1.0_r8 - share)*thermo%sublimate)/thermo%cp*excess
        end do
      end do
      !$omp simd private(i, x, s, e_liquid, e_ice)
      do j = 1, count
        i = first + j - 1
        x = temp(j)
        s = min(1.0_r8, ((max(water%freeze, min(water%melt, x)) - water%freeze)/(water%melt - water%freeze))**2)
        e_liquid = water%e0*exp(water%a_liquid*(x - water%melt)/(x - water%b_liquid))
        e_ice = water%e0*exp(water%a_ice*(x - water%melt)/(x - water%b_ice))
        qsat(j) = min(0.5_r8, thermo%ratio*(s*e_liquid + (1.0_r8 - s)*e_ice)/p(i,k))
        humidity(i,k) = now(j,vapour)/qsat(j)
        above(j) = above(j)*0.9_r8
        if (now(j,liquid) + now(j,ice) > micro%tiny_q) above(j) = max(above(j), cover(i,k))
        wet(i,k+1) = above(j)
      end do

      given = 0.0_r8
      !$omp simd private(i)
      do j = 1, count
        i = first + j - 1
        given(j,rain,liquid) = merge(dt*micro%autoconvert*(1.0_r8 - exp(-(now(j,liquid)/micro%threshold)**2)) &
          + dt*micro%accrete*now(j,rain)*max(cover(i,k), 0.01_r8), 0.0_r8, now(j,liquid) > micro%tiny_q)
        given(j,ice,liquid) = merge(1.0_r8, 0.0_r8, now(j,liquid) > micro%tiny_q &
          .and. temp(j) < water%freeze - 12.0_r8)
        given(j,snow,ice) = merge(dt*micro%autoconvert*exp(0.025_r8*(temp(j) - thermo%melt)) &
          *(1.0_r8 - exp(-(now(j,ice)/micro%threshold)**2)), 0.0_r8, now(j,ice) > micro%tiny_q)
      end do
      !$omp simd private(i, evaporated)
      do j = 1, count
        i = first + j - 1
        if (temp(j) > thermo%melt) then
          given(j,rain,snow) = min(1.0_r8, dt*2.0e-3_r8*(temp(j) - thermo%melt))
          given(j,liquid,ice) = 1.0_r8
        end if
        evaporated = max(0.0_r8, 1.0_r8 - humidity(i,k))*micro%evaporate*(1.0_r8 - above(j))
        given(j,vapour,rain) = dt*evaporated*sqrt(rho(j))*1.0e-2_r8
        given(j,vapour,snow) = dt*evaporated*1.0e-3_r8
      end do
      if (micro%erosion) then
        do j = 1, count
          i = first + j - 1
          given(j,vapour,liquid) = dt*micro%erode*(1.0_r8 - cover(i,k))*(1.0_r8 + land(i))
        end do
      end if

      do n = 1, nspecies
        do j = 1, count
          sink(j,n) = given(j,1,n)
        end do
        do m = 2, nspecies
          do j = 1, count
            sink(j,n) = sink(j,n) + given(j,m,n)
          end do
        end do
        do j = 1, count
          ratio(j,n) = 1.0_r8/max(sink(j,n), 1.0_r8)
          order(j,n) = n
        end do
      end do
      do n = 1, nspecies - 1
        do m = n + 1, nspecies
          !$omp simd private(keep)
          do j = 1, count
            if (sink(j,order(j,m)) > sink(j,order(j,n))) then
              keep = order(j,n)
              order(j,n) = order(j,m)
              order(j,m) = keep
            end if
          end do
        end do
      end do
      !$omp simd
      do j = 1, count
        largest(j) = ratio(j,order(j,1))
      end do
      ! In which order the species give does not matter to what they give.
      do n = 1, nspecies
        do m = 1, nspecies
          do j = 1, count
            given(j,m,order(j,n)) = given(j,m,order(j,n))*max(largest(j), ratio(j,order(j,n)))
          end do
        end do
      end do
      do n = 1, nspecies
        do j = 1, count
          right(j,n) = now(j,n) + from_above(j,n)*dt*thermo%gravity/dp(j)
          matrix(j,n,n) = 1.0_r8 + dt*rho(j)*thermo%gravity*micro%fall(n)/dp(j)
        end do
        do m = 1, nspecies
          if (m == n) cycle
          do j = 1, count
            matrix(j,m,n) = -given(j,m,n)
            matrix(j,n,n) = matrix(j,n,n) + given(j,m,n)
          end do
        end do
      end do
      do n = 2, nspecies
        do m = n, nspecies
          do j = 1, count
            matrix(j,m,n-1) = matrix(j,m,n-1)/matrix(j,n-1,n-1)
          end do
          do l = n, nspecies
            do j = 1, count
              matrix(j,m,l) = matrix(j,m,l) - matrix(j,m,n-1)*matrix(j,n-1,l)
            end do
          end do
          do j = 1, count
            right(j,m) = right(j,m) - matrix(j,m,n-1)*right(j,n-1)
          end do
        end do
      end do
      do j = 1, count
        right(j,nspecies) = right(j,nspecies)/matrix(j,nspecies,nspecies)
      end do
      do n = nspecies - 1, 1, -1
        do m = n + 1, nspecies
          do j = 1, count
            right(j,n) = right(j,n) - matrix(j,n,m)*right(j,m)
          end do
        end do
        do j = 1, count
          right(j,n) = right(j,n)/matrix(j,n,n)
        end do
      end do

      !$omp simd private(i, heating, moisture, most)
      do j = 1, count
        i = first + j - 1
        from_above(j,liquid) = micro%fall(liquid)*rho(j)*right(j,liquid)
        from_above(j,ice) = micro%fall(ice)*rho(j)*right(j,ice)
        from_above(j,rain) = micro%fall(rain)*rho(j)*right(j,rain)
        from_above(j,snow) = micro%fall(snow)*rho(j)*right(j,snow)
        from_above(j,vapour) = micro%fall(vapour)*rho(j)*right(j,vapour)
        heating = (right(j,liquid) + right(j,rain) - now(j,liquid) - now(j,rain))*thermo%vaporise &
          + (right(j,ice) + right(j,snow) - now(j,ice) - now(j,snow))*thermo%sublimate
        moisture = right(j,liquid) + right(j,ice)
        most = moisture + 0.1_r8*qsat(j)
        tend_t(i,k) = (temp(j) - t(i,k) + heating/thermo%cp)/dt + 1.0e-9_r8*omega(i,k)
        tend_q(i,k) = (right(j,vapour) - q(i,k))/dt
        tend_l(i,k) = (right(j,liquid) - ql(i,k))/dt
        tend_i(i,k) = (right(j,ice) - qi(i,k))/dt
        tend_r(i,k) = (right(j,rain) - qr(i,k))/dt
        tend_s(i,k) = (right(j,snow) - qs(i,k))/dt
        tend_a(i,k) = (moisture/most - cover(i,k))/dt
        radius_l(i,k) = min(30.0_r8, 4.0_r8 + 1.0e4_r8*right(j,liquid))
        radius_i(i,k) = min(90.0_r8, 20.0_r8 + 2.0e5_r8*right(j,ice))
        flux_l(i,k+1) = from_above(j,liquid)
        flux_i(i,k+1) = from_above(j,ice)
        flux_r(i,k+1) = from_above(j,rain)
        flux_s(i,k+1) = from_above(j,snow)
        enth_l(i,k+1) = -thermo%vaporise*(flux_l(i,k+1) + flux_r(i,k+1))
        enth_s(i,k+1) = -thermo%sublimate*(flux_i(i,k+1) + flux_s(i,k+1))
      end do
    end do
  end subroutine block_of_columns
end subroutine cloud_run
