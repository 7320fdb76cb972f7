!> One run of each kernel that is tuned by hand: as in source/runs.f90.
module runs
  use kinds, only: nh, wp
  use fields, only: begin_call, courant, default, end_call, fill, fill_rows, report, rising, start_calls, wind
  use cosmo, only: fastwavesuv, hdiffsa
  use fv3, only: fvtp2d
  implicit none

  private
  public :: kernels, run

  character(len=12), parameter :: kernels(*) = [character(len=12) :: "hdiffsa", "fastwavesuv", "fvtp2d"]

  real(wp), parameter :: dt = 10.0_wp, edadlat = 0.7_wp

contains

  subroutine run(kernel, nx, ny, nz, calls)
    character(len=*), intent(in) :: kernel
    integer, intent(in) :: nx, ny, nz, calls

    call start_calls(calls)
    select case (kernel)
    case ("hdiffsa")
      call run_hdiffsa(nx, ny, nz, calls)
    case ("fastwavesuv")
      call run_fastwavesuv(nx, ny, nz, calls)
    case ("fvtp2d")
      call run_fvtp2d(nx, ny, nz, calls)
    case default
      write(*, "(2a)") "stencils: no such kernel: ", kernel
      stop 1
    end select
  end subroutine run

  subroutine run_hdiffsa(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: inp, mask, out
    real(wp), dimension(1-nh:ny+nh) :: crlato, crlatu
    integer :: n

    call fill(nx, ny, nz, 1, default, inp)
    call fill(nx, ny, nz, 2, default, mask)
    call fill_rows(ny, 3, crlato)
    call fill_rows(ny, 4, crlatu)
    do n = 1, calls
      call begin_call()
      call hdiffsa(nx, ny, nz, inp, mask, crlato, crlatu, out)
      call end_call()
    end do
    call report("hdiffsa", "out", nx, ny, nz, out)
  end subroutine run_hdiffsa

  subroutine run_fastwavesuv(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: uin, utens, vin, vtens, wgtfac
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: ppuv, hhl, rho, uout, vout
    real(wp), dimension(1-nh:ny+nh) :: fx
    integer :: n

    call fill(nx, ny, nz, 1, wind, uin)
    call fill(nx, ny, nz, 2, default, utens)
    call fill(nx, ny, nz, 3, wind, vin)
    call fill(nx, ny, nz, 4, default, vtens)
    call fill(nx, ny, nz, 5, default, wgtfac)
    call fill(nx, ny, nz, 6, default, ppuv)
    call fill(nx, ny, nz, 7, rising, hhl)
    call fill(nx, ny, nz, 8, default, rho)
    call fill_rows(ny, 9, fx)
    do n = 1, calls
      call begin_call()
      call fastwavesuv(nx, ny, nz, dt, edadlat, uin, utens, vin, vtens, wgtfac, ppuv, hhl, rho, fx, uout, vout)
      call end_call()
    end do
    call report("fastwavesuv", "uout", nx, ny, nz, uout)
    call report("fastwavesuv", "vout", nx, ny, nz, vout)
  end subroutine run_fastwavesuv

  subroutine run_fvtp2d(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: q, crx, cry, xfx, yfx, ra_x, ra_y, area, fx, fy
    integer :: n

    call fill(nx, ny, nz, 1, default, q)
    call fill(nx, ny, nz, 2, courant, crx)
    call fill(nx, ny, nz, 3, courant, cry)
    call fill(nx, ny, nz, 4, default, xfx)
    call fill(nx, ny, nz, 5, default, yfx)
    call fill(nx, ny, nz, 6, default, ra_x)
    call fill(nx, ny, nz, 7, default, ra_y)
    call fill(nx, ny, nz, 8, default, area)
    do n = 1, calls
      call begin_call()
      call fvtp2d(nx, ny, nz, q, crx, cry, xfx, yfx, ra_x, ra_y, area, fx, fy)
      call end_call()
    end do
    call report("fvtp2d", "fx", nx, ny, nz, fx)
    call report("fvtp2d", "fy", nx, ny, nz, fy)
  end subroutine run_fvtp2d

end module runs
