! Labels in variables: `assign` and `go to` a variable, in routines of the host that have kernels or use what is on the
! device.
module assigned_gotos
  implicit none
  integer, parameter :: n = 50
contains
  subroutine run
    real(8) :: x(n), y(n), d
    integer :: i, next
    !@parallelRegion
    do i = 1, n
      x(i) = 0.25d0*i - 3
      y(i) = 0
    end do
    d = norm(x, y)
    !@parallelRegion
    do i = 1, n
      x(i) = x(i) + y(i)*d
    end do
    assign 30 to next
    if (d > 1d4) assign 40 to next
    go to next, (30, 40)
40  x(1) = -1
    !@parallelRegion
    do i = 1, n
      x(i) = x(i) + i
    end do
    assign 50 to next
    go to next (30, 50)
30  y(2) = 5
    !@parallelRegion
    do i = 1, n
      x(i) = x(i)*2 + y(i)
    end do
    assign 40 to next
    x(3) = x(3) + 1
    if (y(2) > 3) go to next, (40, 50)
50  print '(5f16.6)', d, x
    print '(5f16.6)', y
  end subroutine run

  function norm(x, y) result(s)
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: y(n)
    real(8) :: s
    integer :: next, i
    assign 30 to next
    s = 0
    i = 1
20  go to next
30  if (abs(x(i)) > 1) go to 85
    assign 50 to next
    y(i) = 7
50  if (x(i) == 0) go to 200
    assign 70 to next
70  s = s + x(i)**2
    go to 100
85  s = s + abs(x(i))
    y(i) = 1
    if (i == 4) assign 50 to next
100 if (i == 5 .and. y(4) > 0) assign 70 to next
    y(i) = y(i) + s
200 i = i + 1
    if (i <= n) go to 20
    !@parallelRegion
    do i = 1, n
      y(i) = y(i) + 2
    end do
  end function norm
end module assigned_gotos
