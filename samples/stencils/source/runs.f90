!> One run of each kernel: its fields, its calls, its results.
!>
!> The constants are not those of the models but such that every term and every branch counts.
module runs
  use kinds, only: nh, wp
  use fields, only: begin_call, courant, default, diagonal, end_call, fill, fill_rows, lower, report, rising, side, &
                    start_calls, wind
  use cosmo, only: fastwavesuv, hadvuv, hadvuv5th, hdiffsa, hdiffsmag, laplace
  use fv3, only: fvtp2d, fvtp2d_flux, fvtp2d_qi, fvtp2d_qj, nh_p_grad, p_grad_c, uvbke
  use vertical, only: thomas, thomas_if
  implicit none

  private
  public :: kernels, run

  character(len=12), parameter :: kernels(*) = [character(len=12) :: &
    "laplace", "hdiffsa", "hdiffsmag", "hadvuv", "hadvuv5th", "fastwavesuv", "p_grad_c", "nh_p_grad", "uvbke", &
    "fvtp2d_qi", "fvtp2d_qj", "fvtp2d_flux", "fvtp2d", "thomas", "thomas_if"]

  real(wp), parameter :: eddlat = 0.7_wp, eddlon = 0.9_wp, radius = 1.3_wp, tau = 1.2_wp, weight = 0.7_wp
  real(wp), parameter :: dt = 10.0_wp, edadlat = 0.7_wp, dt2 = 0.1_wp, dt_fv3 = 0.1_wp, dt5 = 112.5_wp

contains

  subroutine run(kernel, nx, ny, nz, calls)
    character(len=*), intent(in) :: kernel
    integer, intent(in) :: nx, ny, nz, calls

    call start_calls(calls)
    select case (kernel)
    case ("laplace")
      call run_laplace(nx, ny, nz, calls)
    case ("hdiffsa")
      call run_hdiffsa(nx, ny, nz, calls)
    case ("hdiffsmag")
      call run_hdiffsmag(nx, ny, nz, calls)
    case ("hadvuv")
      call run_hadvuv(nx, ny, nz, calls)
    case ("hadvuv5th")
      call run_hadvuv5th(nx, ny, nz, calls)
    case ("fastwavesuv")
      call run_fastwavesuv(nx, ny, nz, calls)
    case ("p_grad_c")
      call run_p_grad_c(nx, ny, nz, calls)
    case ("nh_p_grad")
      call run_nh_p_grad(nx, ny, nz, calls)
    case ("uvbke")
      call run_uvbke(nx, ny, nz, calls)
    case ("fvtp2d_qi")
      call run_fvtp2d_qi(nx, ny, nz, calls)
    case ("fvtp2d_qj")
      call run_fvtp2d_qj(nx, ny, nz, calls)
    case ("fvtp2d_flux")
      call run_fvtp2d_flux(nx, ny, nz, calls)
    case ("fvtp2d")
      call run_fvtp2d(nx, ny, nz, calls)
    case ("thomas")
      call run_thomas(nx, ny, nz, calls)
    case ("thomas_if")
      call run_thomas_if(nx, ny, nz, calls)
    case default
      write(*, "(2a)") "stencils: no such kernel: ", kernel
      stop 1
    end select
  end subroutine run

  subroutine run_laplace(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: inp, out
    integer :: n

    call fill(nx, ny, nz, 1, default, inp)
    do n = 1, calls
      call begin_call()
      call laplace(nx, ny, nz, inp, out)
      call end_call()
    end do
    call report("laplace", "out", nx, ny, nz, out)
  end subroutine run_laplace

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

  subroutine run_hdiffsmag(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: uin, vin, mask, uout, vout
    real(wp), dimension(1-nh:ny+nh) :: crlavo, crlavu, crlato, crlatu, acrlat0
    integer :: n

    call fill(nx, ny, nz, 1, wind, uin)
    call fill(nx, ny, nz, 2, wind, vin)
    call fill(nx, ny, nz, 3, default, mask)
    call fill_rows(ny, 4, crlavo)
    call fill_rows(ny, 5, crlavu)
    call fill_rows(ny, 6, crlato)
    call fill_rows(ny, 7, crlatu)
    call fill_rows(ny, 8, acrlat0)
    do n = 1, calls
      call begin_call()
      call hdiffsmag(nx, ny, nz, eddlat, eddlon, radius, tau, weight, uin, vin, mask, crlavo, crlavu, crlato, &
                     crlatu, acrlat0, uout, vout)
      call end_call()
    end do
    call report("hdiffsmag", "uout", nx, ny, nz, uout)
    call report("hdiffsmag", "vout", nx, ny, nz, vout)
  end subroutine run_hdiffsmag

  subroutine run_hadvuv(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: uin, vin, uout, vout
    real(wp), dimension(1-nh:ny+nh) :: acrlat0, acrlat1, tgrlatda0, tgrlatda1
    integer :: n

    call fill(nx, ny, nz, 1, wind, uin)
    call fill(nx, ny, nz, 2, wind, vin)
    call fill_rows(ny, 3, acrlat0)
    call fill_rows(ny, 4, acrlat1)
    call fill_rows(ny, 5, tgrlatda0)
    call fill_rows(ny, 6, tgrlatda1)
    do n = 1, calls
      call begin_call()
      call hadvuv(nx, ny, nz, eddlat, eddlon, radius, uin, vin, acrlat0, acrlat1, tgrlatda0, tgrlatda1, uout, vout)
      call end_call()
    end do
    call report("hadvuv", "uout", nx, ny, nz, uout)
    call report("hadvuv", "vout", nx, ny, nz, vout)
  end subroutine run_hadvuv

  subroutine run_hadvuv5th(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: uin, vin, uout, vout
    real(wp), dimension(1-nh:ny+nh) :: acrlat0, acrlat1, tgrlatda0, tgrlatda1
    integer :: n

    call fill(nx, ny, nz, 1, wind, uin)
    call fill(nx, ny, nz, 2, wind, vin)
    call fill_rows(ny, 3, acrlat0)
    call fill_rows(ny, 4, acrlat1)
    call fill_rows(ny, 5, tgrlatda0)
    call fill_rows(ny, 6, tgrlatda1)
    do n = 1, calls
      call begin_call()
      call hadvuv5th(nx, ny, nz, eddlat, eddlon, radius, uin, vin, acrlat0, acrlat1, tgrlatda0, tgrlatda1, uout, vout)
      call end_call()
    end do
    call report("hadvuv5th", "uout", nx, ny, nz, uout)
    call report("hadvuv5th", "vout", nx, ny, nz, vout)
  end subroutine run_hadvuv5th

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

  subroutine run_p_grad_c(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: uin, vin, rdxc, rdyc, delpc, gz, pkc, uout, vout
    integer :: n

    call fill(nx, ny, nz, 1, wind, uin)
    call fill(nx, ny, nz, 2, wind, vin)
    call fill(nx, ny, nz, 3, default, rdxc)
    call fill(nx, ny, nz, 4, default, rdyc)
    call fill(nx, ny, nz, 5, default, delpc)
    call fill(nx, ny, nz, 6, default, gz)
    call fill(nx, ny, nz, 7, default, pkc)
    do n = 1, calls
      call begin_call()
      call p_grad_c(nx, ny, nz, dt2, uin, vin, rdxc, rdyc, delpc, gz, pkc, uout, vout)
      call end_call()
    end do
    call report("p_grad_c", "uout", nx, ny, nz, uout)
    call report("p_grad_c", "vout", nx, ny, nz, vout)
  end subroutine run_p_grad_c

  subroutine run_nh_p_grad(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: uin, vin, rdx, rdy, gz, pp, pk3, wk1, uout, vout
    integer :: n

    call fill(nx, ny, nz, 1, wind, uin)
    call fill(nx, ny, nz, 2, wind, vin)
    call fill(nx, ny, nz, 3, default, rdx)
    call fill(nx, ny, nz, 4, default, rdy)
    call fill(nx, ny, nz, 5, default, gz)
    call fill(nx, ny, nz, 6, default, pp)
    call fill(nx, ny, nz, 7, rising, pk3)
    call fill(nx, ny, nz, 8, default, wk1)
    do n = 1, calls
      call begin_call()
      call nh_p_grad(nx, ny, nz, dt_fv3, uin, vin, rdx, rdy, gz, pp, pk3, wk1, uout, vout)
      call end_call()
    end do
    call report("nh_p_grad", "uout", nx, ny, nz, uout)
    call report("nh_p_grad", "vout", nx, ny, nz, vout)
  end subroutine run_nh_p_grad

  subroutine run_uvbke(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: uc, vc, cosa, rsina, ub, vb
    integer :: n

    call fill(nx, ny, nz, 1, default, uc)
    call fill(nx, ny, nz, 2, default, vc)
    call fill(nx, ny, nz, 3, default, cosa)
    call fill(nx, ny, nz, 4, default, rsina)
    do n = 1, calls
      call begin_call()
      call uvbke(nx, ny, nz, dt5, uc, vc, cosa, rsina, ub, vb)
      call end_call()
    end do
    call report("uvbke", "ub", nx, ny, nz, ub)
    call report("uvbke", "vb", nx, ny, nz, vb)
  end subroutine run_uvbke

  subroutine run_fvtp2d_qi(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: q, cry, ra_y, yfx, area, q_i, fy2
    integer :: n

    call fill(nx, ny, nz, 1, default, q)
    call fill(nx, ny, nz, 2, courant, cry)
    call fill(nx, ny, nz, 3, default, ra_y)
    call fill(nx, ny, nz, 4, default, yfx)
    call fill(nx, ny, nz, 5, default, area)
    do n = 1, calls
      call begin_call()
      call fvtp2d_qi(nx, ny, nz, q, cry, ra_y, yfx, area, q_i, fy2)
      call end_call()
    end do
    call report("fvtp2d_qi", "q_i", nx, ny, nz, q_i)
    call report("fvtp2d_qi", "fy2", nx, ny, nz, fy2)
  end subroutine run_fvtp2d_qi

  subroutine run_fvtp2d_qj(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: q, crx, ra_x, xfx, area, q_i, q_j, fx1, fx2
    integer :: n

    call fill(nx, ny, nz, 1, default, q)
    call fill(nx, ny, nz, 2, courant, crx)
    call fill(nx, ny, nz, 3, default, ra_x)
    call fill(nx, ny, nz, 4, default, xfx)
    call fill(nx, ny, nz, 5, default, area)
    call fill(nx, ny, nz, 6, default, q_i)
    do n = 1, calls
      call begin_call()
      call fvtp2d_qj(nx, ny, nz, q, crx, ra_x, xfx, area, q_i, q_j, fx1, fx2)
      call end_call()
    end do
    call report("fvtp2d_qj", "q_j", nx, ny, nz, q_j)
    call report("fvtp2d_qj", "fx1", nx, ny, nz, fx1)
    call report("fvtp2d_qj", "fx2", nx, ny, nz, fx2)
  end subroutine run_fvtp2d_qj

  subroutine run_fvtp2d_flux(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: cry, xfx, yfx, q_j, fx1, fx2, fy2, fx, fy
    integer :: n

    call fill(nx, ny, nz, 1, courant, cry)
    call fill(nx, ny, nz, 2, default, xfx)
    call fill(nx, ny, nz, 3, default, yfx)
    call fill(nx, ny, nz, 4, default, q_j)
    call fill(nx, ny, nz, 5, default, fx1)
    call fill(nx, ny, nz, 6, default, fx2)
    call fill(nx, ny, nz, 7, default, fy2)
    do n = 1, calls
      call begin_call()
      call fvtp2d_flux(nx, ny, nz, cry, xfx, yfx, q_j, fx1, fx2, fy2, fx, fy)
      call end_call()
    end do
    call report("fvtp2d_flux", "fx", nx, ny, nz, fx)
    call report("fvtp2d_flux", "fy", nx, ny, nz, fy)
  end subroutine run_fvtp2d_flux

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

  subroutine run_thomas(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: a, b, c, d, x
    integer :: n

    call fill(nx, ny, nz, 1, lower, a)
    call fill(nx, ny, nz, 2, diagonal, b)
    call fill(nx, ny, nz, 3, lower, c)
    call fill(nx, ny, nz, 4, side, d)
    do n = 1, calls
      call begin_call()
      call thomas(nx, ny, nz, a, b, c, d, x)
      call end_call()
    end do
    call report("thomas", "x", nx, ny, nz, x)
  end subroutine run_thomas

  subroutine run_thomas_if(nx, ny, nz, calls)
    integer, intent(in) :: nx, ny, nz, calls

    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh) :: a, b, c, d, x
    integer :: n

    call fill(nx, ny, nz, 1, lower, a)
    call fill(nx, ny, nz, 2, diagonal, b)
    call fill(nx, ny, nz, 3, lower, c)
    call fill(nx, ny, nz, 4, side, d)
    do n = 1, calls
      call begin_call()
      call thomas_if(nx, ny, nz, a, b, c, d, x)
      call end_call()
    end do
    call report("thomas_if", "x", nx, ny, nz, x)
  end subroutine run_thomas_if

end module runs
