! Flags, by hand: set to one constant by some points, read behind the region
module flags
  implicit none
  integer, parameter :: nx = 7, ny = 5, nz = 4, failed = 3
  integer :: seen = 0
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), b(nx,ny), limit
    integer :: i, j, k, ierr, code, n
    logical :: cold, hot
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          a(i,j,k) = i + 0.1d0*j + 0.01d0*k*k
        end do
      end do
    end do
    do n = 1, 3
      limit = 2.6d0 * n
      ierr = 0; cold = .true.; hot = .false.; code = 0
      do j = 1, ny
      do i = 1, nx
      b(i,j) = 2*sum(a(i,j,:))
      if (a(i,j,2) > limit) ierr = 1 ! too large
      if (a(i,j,1) > limit + 0.1d0 .and. &
          b(i,j) > 1) & ! a comment in between
          code = failed
      if (b(i,j) > 60) then
        if (j > 3) then; hot = .true.; end if
        cold = .FALSE.
      else if (b(i,j) > 59 * n) then
        cold = .false.; b(i,j) = 0
      end if
      end do
    end do
      print '(2i3,2l2,f12.5)', ierr, code, cold, hot, sum(b)
      call levels(a, limit, ierr)
      print '(2i3)', ierr, seen
    end do
  end subroutine run
  ! a body that moves to a routine of its own
  subroutine levels(a, limit, ierr)
    real(8), intent(inout) :: a(nx,ny,nz)
    real(8), intent(in) :: limit
    integer, intent(inout) :: ierr
    integer :: i, j, k
    do j = 1, ny
    do i = 1, nx
    do k = 1, nz
      a(i,j,k) = a(i,j,k) + 0.001d0*k
      if (a(i,j,k) > limit + 5) seen = 2
      if (a(i,j,k) > limit + 2) then
        a(i,j,k) = a(i,j,k) + 0.5d0
        ierr = -failed
      end if
    end do
    if (a(i,j,1) > 7) ierr = -failed
    end do
    end do
  end subroutine levels
end module flags
