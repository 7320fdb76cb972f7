!> Cloud physics of many columns in blocks, some steps.
!>
!>   cloud_blocks [FILE [NX NLEV [NSTEPS [KLON]]]]
program cloud_blocks
  use cloud_constants, only: r8, thermo_type, water_type, micro_type
  implicit none
  character(len=256) :: file
  character(len=32) :: text
  integer :: sizes(4), n

  file = "cloud.dat"
  sizes = [16384, 60, 4, 32]
  if (command_argument_count() > 0) call get_command_argument(1, file)
  do n = 1, min(4, command_argument_count() - 1)
    call get_command_argument(n + 1, text)
    read(text, *) sizes(n)
  end do
  call run(sizes(1), sizes(2), sizes(3), sizes(4))

contains

  subroutine run(nx, nlev, nsteps, klon)
    use cloud_driver, only: cloud_all
    integer, intent(in) :: nx, nlev, nsteps, klon
    type(thermo_type) :: thermo
    type(water_type) :: water
    type(micro_type) :: micro
    real(r8), parameter :: dt = 600.0_r8
    real(r8), allocatable :: land(:,:)
    integer, allocatable :: last(:)
    real(r8), allocatable, dimension(:,:,:) :: ph, p, t, q, ql, qi, qr, qs, cover, dtdyn, dqdyn, dldyn, didyn, &
    omega, heat, detrain, mass, snow_mass, tend_t, tend_q, tend_l, tend_i, tend_r, tend_s, tend_a, humidity, &
    radius_l, radius_i, flux_l, flux_i, flux_r, flux_s, enth_l, enth_s, wet
    integer :: i, k, jl, ib, nb, step, unit, start, finish, rate
    real(r8) :: eta, wave

    nb = (nx + klon - 1)/klon
    allocate(land(klon,nb), last(nb))
    allocate(p(klon,nlev,nb), t(klon,nlev,nb), q(klon,nlev,nb), ql(klon,nlev,nb), qi(klon,nlev,nb), qr(klon,nlev,nb), qs(klon,nlev,nb), &
    cover(klon,nlev,nb), dtdyn(klon,nlev,nb), dqdyn(klon,nlev,nb), dldyn(klon,nlev,nb), didyn(klon,nlev,nb), omega(klon,nlev,nb), &
    heat(klon,nlev,nb), detrain(klon,nlev,nb), mass(klon,nlev,nb), snow_mass(klon,nlev,nb), tend_t(klon,nlev,nb), tend_q(klon,nlev,nb), &
    tend_l(klon,nlev,nb), tend_i(klon,nlev,nb), tend_r(klon,nlev,nb), tend_s(klon,nlev,nb), tend_a(klon,nlev,nb), humidity(klon,nlev,nb), &
    radius_l(klon,nlev,nb), radius_i(klon,nlev,nb))
    allocate(ph(klon,nlev+1,nb), flux_l(klon,nlev+1,nb), flux_i(klon,nlev+1,nb), flux_r(klon,nlev+1,nb), flux_s(klon,nlev+1,nb), &
    enth_l(klon,nlev+1,nb), enth_s(klon,nlev+1,nb), wet(klon,nlev+1,nb))
    do ib = 1, nb
      last(ib) = min(klon, nx - (ib - 1)*klon)
    end do
    do ib = 1, nb
      do k = 1, nlev + 1
        do jl = 1, klon
          i = (ib - 1)*klon + jl
          land(jl,ib) = mod(i, 3)/2
          ph(jl,k,ib) = 1.0e3_r8 + 9.9e4_r8*(real(k-1, r8)/nlev)**2 + 10*mod(i, 7)*real(k, r8)/nlev
        end do
      end do
      do k = 1, nlev
        eta = real(k, r8)/nlev
        do jl = 1, klon
          i = (ib - 1)*klon + jl
          wave = real(mod(37*i + 11*k, 101), r8)/101
          p(jl,k,ib) = 0.5_r8*(ph(jl,k,ib) + ph(jl,k+1,ib))
          t(jl,k,ib) = 205.0_r8 + 90.0_r8*eta + 4*wave
          q(jl,k,ib) = 1.0e-6_r8 + 1.4e-2_r8*eta**3*(0.4_r8 + wave)
          ql(jl,k,ib) = merge(4.0e-4_r8*wave, 0.0_r8, wave > 0.4_r8 .and. eta > 0.5_r8)
          qi(jl,k,ib) = merge(1.0e-4_r8*wave, 0.0_r8, wave > 0.5_r8 .and. eta < 0.7_r8)
          qr(jl,k,ib) = 1.0e-5_r8*wave
          qs(jl,k,ib) = 1.0e-5_r8*(1 - wave)
          cover(jl,k,ib) = wave
          dtdyn(jl,k,ib) = 1.0e-5_r8*(wave - 0.5_r8)
          dqdyn(jl,k,ib) = 1.0e-8_r8*(0.5_r8 - wave)*eta
          dldyn(jl,k,ib) = 1.0e-10_r8*wave
          didyn(jl,k,ib) = 1.0e-10_r8*(1 - wave)
          omega(jl,k,ib) = 0.1_r8*(wave - 0.5_r8)
          heat(jl,k,ib) = -1.0e-5_r8*eta
          detrain(jl,k,ib) = 1.0e-5_r8*wave
          mass(jl,k,ib) = 0.1_r8*eta
          snow_mass(jl,k,ib) = 0.1_r8*(1 - eta)
        end do
      end do
    end do
    call system_clock(start, rate)
    do step = 1, nsteps
      call cloud_all(klon, nlev, nb, last, dt, thermo, water, micro, land, p, t, q, ql, qi, qr, qs, cover, dtdyn, dqdyn, &
    dldyn, didyn, omega, heat, detrain, mass, snow_mass, ph, tend_t, tend_q, tend_l, tend_i, tend_r, tend_s, &
    tend_a, humidity, radius_l, radius_i, flux_l, flux_i, flux_r, flux_s, enth_l, enth_s, wet)
    end do
    call system_clock(finish)
    write(*, "(a,f10.6)") "seconds ", real(finish - start, r8)/rate
    open(newunit=unit, file=trim(file), access="stream", form="unformatted", status="replace")
    write(unit) nx, nlev
    call write_columns(unit, klon, nlev, nb, last, tend_t)
    call write_columns(unit, klon, nlev, nb, last, tend_q)
    call write_columns(unit, klon, nlev, nb, last, tend_l)
    call write_columns(unit, klon, nlev, nb, last, tend_i)
    call write_columns(unit, klon, nlev, nb, last, tend_r)
    call write_columns(unit, klon, nlev, nb, last, tend_s)
    call write_columns(unit, klon, nlev, nb, last, tend_a)
    call write_columns(unit, klon, nlev, nb, last, humidity)
    call write_columns(unit, klon, nlev, nb, last, radius_l)
    call write_columns(unit, klon, nlev, nb, last, radius_i)
    call write_columns(unit, klon, nlev+1, nb, last, flux_l)
    call write_columns(unit, klon, nlev+1, nb, last, flux_i)
    call write_columns(unit, klon, nlev+1, nb, last, flux_r)
    call write_columns(unit, klon, nlev+1, nb, last, flux_s)
    call write_columns(unit, klon, nlev+1, nb, last, enth_l)
    call write_columns(unit, klon, nlev+1, nb, last, enth_s)
    call write_columns(unit, klon, nlev+1, nb, last, wet)
    close(unit)
    if (all(tend_t > -1.0_r8 .and. tend_t < 1.0_r8)) write(*, "(a)") "test ok"
  end subroutine run

  !> A field by levels, without what fills the last block.
  subroutine write_columns(unit, klon, levels, nb, last, field)
    integer, intent(in) :: unit, klon, levels, nb, last(nb)
    real(r8), intent(in) :: field(klon,levels,nb)
    integer :: ib, k
    write(unit) ((field(1:last(ib),k,ib), ib = 1, nb), k = 1, levels)
  end subroutine write_columns
end program cloud_blocks
