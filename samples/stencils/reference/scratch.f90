!> Room for what the stages hand on, allocated once and kept, so that no call has to ask for memory.
module scratch
  use kinds, only: wp, nh
  implicit none

  private
  public :: room, room_for

  real(wp), allocatable :: room(:,:,:,:)

contains

  !> Makes sure that there is room for so many fields. Each thread touches first what it will work on.
  subroutine room_for(nx, ny, nz, count)
    integer, intent(in) :: nx, ny, nz, count

    integer :: k, n

    if (allocated(room)) then
      if (size(room, 4) >= count .and. all(ubound(room(:,:,:,1)) == [nx, ny, nz] + 2 * nh)) return
      deallocate(room)
    end if
    allocate(room(1-nh:nx+nh, 1-nh:ny+nh, 1-nh:nz+nh, count))
    do n = 1, count
      !$omp parallel do schedule(static)
      do k = 1 - nh, nz + nh
        room(:,:,k,n) = 0.0_wp
      end do
    end do
  end subroutine room_for

end module scratch
