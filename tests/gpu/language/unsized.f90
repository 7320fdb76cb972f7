! Arrays of unknown size in regions: whole, parts of a work array, triangles, steps.
module unsized
  implicit none
contains
  subroutine scaled(n, m, c, x, y)
    integer, intent(in) :: n, m
    real(8), intent(in) :: c, x(*)
    real(8), intent(inout) :: y(*)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      y(i) = c*x(m*(i-1)+1) + i
    end do
    !@end parallelRegion
  end subroutine scaled

  subroutine triangle(n, a, s)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n,*)
    real(8), intent(out) :: s(*)
    real(8) :: total
    integer :: i, j
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      total = 0
      do j = 1, i
        total = total + a(i,j)*j
      end do
      s(i) = total
      if (mod(i, 2) == 0) s(i) = -total
    end do
    !@end parallelRegion
  end subroutine triangle

  subroutine both(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(*)
    integer :: i, m
    m = n/2
    !@parallelRegion{domName(i), domSize(m), startAt(1), endAt(m)}
    do i = 1, m
      x(2*i) = x(2*i) + 100*i
    end do
    !@end parallelRegion
    x(1) = x(2)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      x(i) = shifted(x(i), i)
    end do
    !@end parallelRegion
  end subroutine both

  real(8) function shifted(x, i)
    real(8), intent(in) :: x
    integer, intent(in) :: i
    shifted = x + 0.25d0*i
  end function shifted

subroutine run()
  integer, parameter :: n = 13
  real(8) :: work(200), a(7,7), s(n)
  integer :: i, j
  do i = 1, 200
    work(i) = i*1.5d0
  end do
  do j = 1, 7
    do i = 1, 7
      a(i,j) = i + 100*j
    end do
  end do
  call scaled(n, 3, 2.d0, work(5), work(60))
  call scaled(4, 1, 2.d0, work(1), work(5))
  call scaled(0, 1, 2.d0, work(200), work(200))
  print *, work
  s = 0
  call triangle(7, a, s)
  print *, s
  call both(n, work)
  call both(5, work(196))
  print *, work
end subroutine run
end module unsized
