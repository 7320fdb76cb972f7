interface
subroutine cloud_column(nlev, dt, thermo, water, micro, land, p, t, q, ql, qi, qr, qs, cover, dtdyn, dqdyn, &
    dldyn, didyn, omega, heat, detrain, mass, snow_mass, ph, tend_t, tend_q, tend_l, tend_i, tend_r, tend_s, &
    tend_a, humidity, radius_l, radius_i, flux_l, flux_i, flux_r, flux_s, enth_l, enth_s, wet)
  use cloud_constants, only: r8, thermo_type, water_type, micro_type
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
end subroutine cloud_column
end interface
