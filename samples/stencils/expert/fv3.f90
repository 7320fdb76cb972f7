!> The transport operator as one would tune it by hand for a CPU: one march over the rows of each level.
module fv3
  use kinds, only: wp, nh
  implicit none

  private
  public :: fvtp2d

  real(wp), parameter :: p1 = 7.0_wp / 12.0_wp, p2 = 1.0_wp / 12.0_wp

contains

  subroutine fvtp2d(nx, ny, nz, q, crx, cry, xfx, yfx, ra_x, ra_y, area, fx, fy)
    integer, intent(in) :: nx, ny, nz
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(in) :: q, crx, cry, xfx, yfx, ra_x, ra_y, area
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh), intent(inout) :: fx, fy

    integer :: k

    !$omp parallel do schedule(static)
    do k = 1, nz
      call transport_level(nx, ny, q(:,:,k), crx(:,:,k), cry(:,:,k), xfx(:,:,k), yfx(:,:,k), &
                           ra_x(:,:,k), ra_y(:,:,k), area(:,:,k), fx(:,:,k), fy(:,:,k))
    end do
  end subroutine fvtp2d

  !> For row j the faces along i must be there for rows j-3 to j+2, those along j for rows j and j+1: rings of rows.
  subroutine transport_level(nx, ny, q, crx, cry, xfx, yfx, ra_x, ra_y, area, fx, fy)
    integer, intent(in) :: nx, ny
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh), intent(in) :: q, crx, cry, xfx, yfx, ra_x, ra_y, area
    real(wp), dimension(1-nh:nx+nh, 1-nh:ny+nh), intent(inout) :: fx, fy

    real(wp) :: fx2(nx+1, 0:5), q_j(nx, 0:5), fy2(-2:nx+2, 0:1), q_i(-2:nx+2), fx1(nx), fy1(nx)
    integer :: i, j, here, next

    do j = -2, 2
      call along_i(j)
    end do
    call along_j(1)
    do j = 1, ny
      call along_i(j + 2)
      call along_j(j + 1)
      here = modulo(j, 2)
      next = 1 - here
      !$omp simd
      do i = -2, nx + 2
        q_i(i) = (q(i,j) * area(i,j) + yfx(i,j) * fy2(i,here) - yfx(i,j+1) * fy2(i,next)) / ra_y(i,j)
      end do
      call face(nx, q_i(-2), q_i(-1), q_i(0), q_i(1), q_i(2), q_i(3), crx(1,j), fx1)
      call face(nx, q_j(1,modulo(j-3,6)), q_j(1,modulo(j-2,6)), q_j(1,modulo(j-1,6)), q_j(1,modulo(j,6)), &
                q_j(1,modulo(j+1,6)), q_j(1,modulo(j+2,6)), cry(1,j), fy1)
      !$omp simd
      do i = 1, nx
        fx(i,j) = 0.5_wp * (fx1(i) + fx2(i,modulo(j,6))) * xfx(i,j)
        fy(i,j) = 0.5_wp * (fy1(i) + fy2(i,here)) * yfx(i,j)
      end do
    end do

  contains

    !> The faces of q along i in a row, and q advanced by them.
    subroutine along_i(j)
      integer, intent(in) :: j

      integer :: i, ring

      ring = modulo(j, 6)
      call face(nx + 1, q(-2,j), q(-1,j), q(0,j), q(1,j), q(2,j), q(3,j), crx(1,j), fx2(1,ring))
      !$omp simd
      do i = 1, nx
        q_j(i,ring) = (q(i,j) * area(i,j) + xfx(i,j) * fx2(i,ring) - xfx(i+1,j) * fx2(i+1,ring)) / ra_x(i,j)
      end do
    end subroutine along_i

    !> The faces of q along j in a row.
    subroutine along_j(j)
      integer, intent(in) :: j

      call face(nx + 5, q(-2,j-3), q(-2,j-2), q(-2,j-1), q(-2,j), q(-2,j+1), q(-2,j+2), cry(-2,j), fy2(-2,modulo(j,2)))
    end subroutine along_j
  end subroutine transport_level

  !> Limited upwind values at n faces, from the three points before each and the three behind it. The wind chooses
  !> operands, not statements, so that the loop has no branches: both directions differ in the sign of c alone.
  pure subroutine face(n, q1, q2, q3, q4, q5, q6, c, f)
    integer, intent(in) :: n
    real(wp), dimension(n), intent(in) :: q1, q2, q3, q4, q5, q6, c
    real(wp), dimension(n), intent(out) :: f

    real(wp) :: al3, al4, al5, bl3, br3, b03, bl4, br4, b04, limited, speed, upwind, slope, both
    integer :: i

    !$omp simd private(al3, al4, al5, bl3, br3, b03, bl4, br4, b04, limited, speed, upwind, slope, both)
    do i = 1, n
      al3 = p1 * (q2(i) + q3(i)) + p2 * (q1(i) + q4(i))
      al4 = p1 * (q3(i) + q4(i)) + p2 * (q2(i) + q5(i))
      al5 = p1 * (q4(i) + q5(i)) + p2 * (q3(i) + q6(i))
      bl3 = al3 - q3(i)
      br3 = al4 - q3(i)
      b03 = bl3 + br3
      bl4 = al4 - q4(i)
      br4 = al5 - q4(i)
      b04 = bl4 + br4
      limited = max(merge(1.0_wp, 0.0_wp, bl3 * br3 < 0.0_wp), merge(1.0_wp, 0.0_wp, bl4 * br4 < 0.0_wp))
      speed = abs(c(i))
      upwind = merge(q3(i), q4(i), c(i) > 0.0_wp)
      slope = merge(br3, bl4, c(i) > 0.0_wp)
      both = merge(b03, b04, c(i) > 0.0_wp)
      f(i) = upwind + limited * (1.0_wp - speed) * (slope - speed * both)
    end do
  end subroutine face

end module fv3
