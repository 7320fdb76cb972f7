module diffusion
  implicit none
  private
  public :: step, heat

contains

  ! One explicit step of the diffusion of heat in a plate; its rim stays as it is.
  subroutine step(nx, ny, c, t, t_new)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: c
    real(8), intent(in) :: t(nx, ny)
    real(8), intent(inout) :: t_new(nx, ny)
    integer :: i, j

    !@parallelRegion{domName(i,j), domSize(nx,ny), startAt(2,2), endAt(nx-1,ny-1)}
    do j = 2, ny - 1
      do i = 2, nx - 1
        t_new(i, j) = t(i, j) + c * (t(i-1, j) + t(i+1, j) + t(i, j-1) + t(i, j+1) - 4.d0 * t(i, j))
      end do
    end do
    !@end parallelRegion
  end subroutine step

  ! The heat of each row.
  subroutine heat(nx, ny, t, rows)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: t(nx, ny)
    real(8), intent(out) :: rows(ny)
    integer :: i, j

    !@parallelRegion{domName(j), domSize(ny)}
    do j = 1, ny
      rows(j) = 0.d0
      do i = 1, nx
        rows(j) = rows(j) + t(i, j)
      end do
    end do
    !@end parallelRegion
  end subroutine heat

end module diffusion
