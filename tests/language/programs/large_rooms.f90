! Large arrays of a thread beside values that come out of the points, and in a region within one thread.
module large_rooms
  implicit none
contains
  subroutine columns(n, l, a, total, last, top)
    integer, intent(in) :: n, l
    real(8), intent(inout) :: a(n), total, last
    integer, intent(inout) :: top
    real(8) :: room(n, l)
    integer :: i, k
    !@parallelRegion{reduction(+:total), reduction(max:top)}
    do i = 1, n
      do k = 1, l
        room(:, k) = a(i) + k
      end do
      last = room(n, l)
      total = total + room(1, 2)
      top = max(top, int(room(2, 1)))
      a(i) = last
    end do
  end subroutine columns

  subroutine row(n, l, a, total)
    integer, intent(in) :: n, l
    real(8), intent(inout) :: a(n)
    real(8), intent(out) :: total
    real(8) :: room(n, l)
    integer :: i, k
    total = 0
    !@parallelRegion{vector, reduction(+:total), private(room)}
    do i = 1, n
      do k = 1, l
        room(i, k) = a(i) + k
      end do
      total = total + room(i, 1)
      a(i) = room(i, l)
    end do
  end subroutine row

  subroutine rows(n, l, b, totals)
    integer, intent(in) :: n, l
    real(8), intent(inout) :: b(n, n), totals(n)
    integer :: j
    !@parallelRegion
    do j = 1, n
      call row(n, l, b(:, j), totals(j))
    end do
  end subroutine rows

  subroutine run
    real(8) :: a(20), b(20, 20), totals(20), total, last
    integer :: i, top
    a = [(0.5d0*i, i = 1, 20)]
    b = spread(a, 2, 20)
    top = -3
    total = 0
    last = 5
    call columns(0, 7, a, total, last, top)
    print '(2f10.2, i4, 20f8.1)', total, last, top, a
    call columns(20, 7, a, total, last, top)
    print '(2f10.2, i4, 20f8.1)', total, last, top, a
    call rows(20, 7, b, totals)
    print '(20f8.1, f10.1)', totals, sum(b)
  end subroutine run
end module large_rooms
