! Loops and choices of the host with jumps that stay within them: arrays of the device are copied around the whole.
! Others have jumps to their own beginning, or out of them.
module jumps_within
  implicit none
  integer, parameter :: n = 12
contains
  subroutine work(x, y, s)
    real(8), intent(inout) :: x(n), y(n), s
    integer :: i, j, again
    !@parallelRegion
    do i = 1, n
      x(i) = sqrt(y(i)) + i
    end do
    do 60 i = 2, n
      if (x(i) > 6) goto 60
      do 61 j = 2, 4
61    y(j) = y(j-1)*0.25d0 + x(i)
60  x(i) = x(i) + 0.5d0
    do 70 i = 2, n
      if (x(i) < 3) goto 70
      s = s + x(i)
70  y(i) = y(i-1)*0.25d0 + x(i)
    !@parallelRegion
    do i = 1, n
      x(i) = x(i) + y(i)*i
    end do
    outer: do i = 1, n
      do j = 1, 3
        if (y(j) > 1d3) cycle outer
        if (x(i) > 40) exit outer
        if (i + j == 7) goto 80
        x(i) = x(i) - y(j)*0.5d0
      end do
      if (x(i) < 0) cycle
      y(i) = y(i) + x(i)
80    s = s + x(i)
    end do outer
    !@parallelRegion
    do i = 1, n
      y(i) = y(i)*0.5d0 - x(i)
    end do
    again = 0
85  do i = 1, 3
      x(i) = x(i) + 1
      again = again + 1
      if (again == 5) goto 85
    end do
    !@parallelRegion
    do i = 1, n
      y(i) = y(i) + x(i)*2
    end do
    if (s > 10) then
      if (y(2) > 0) goto 90
      y(2) = 1
      if (y(3) > 0) goto 90
      y(3) = -1
90  end if
    !@parallelRegion
    do i = 1, n
      x(i) = x(i) + y(i)
    end do
    do i = 1, n
      x(i) = x(i)*2
      if (x(i) > 5) goto 95
      y(i) = x(i)
    end do
    s = s + y(n)
95  continue
    !@parallelRegion
    do i = 1, n
      x(i) = x(i) - y(i)
    end do
    do i = 1, n
      y(i) = x(i)
      if (y(i) < -50) return
    end do
    !@parallelRegion
    do i = 1, n
      y(i) = y(i) + x(i)
    end do
  end subroutine work

  subroutine run
    real(8) :: x(n), y(n), s
    integer :: i, turn
    x = 0
    y = [(1 + 0.5d0*mod(7*i, 11), i = 1, n)]
    s = 0
    do turn = 1, 4
      call work(x, y, s)
      print '(6f20.8)', x, y, s
      y = abs(y)*0.1d0
    end do
  end subroutine run
end module jumps_within
