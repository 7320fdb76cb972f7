! Dummies declared with 1 as the last extent, which are used as wholes: these are what is declared.
module old_wholes
  implicit none
contains
  subroutine twice(n, a, s)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,1)
    real(8), intent(out) :: s
    a = a*2
    s = sum(a) + size(a)
    a(2,1) = maxval(a)
  end subroutine twice

  subroutine first(a, b)
    real(8), intent(inout) :: a(1), b(2,1)
    a(1) = 7
    a = a + 1
    b(:,:) = 9
  end subroutine first

  subroutine run()
    integer, parameter :: n = 5
    real(8) :: c(n), d(n,3)
    integer :: i
    do i = 1, n
      c(i) = i*0.25d0
    end do
    call points(n, c, d)
    print '(5f18.6)', d
  end subroutine run

  subroutine points(n, c, d)
    integer, intent(in) :: n
    real(8), intent(in) :: c(n)
    real(8), intent(out) :: d(n,3)
    real(8) :: w(3,4), v(2,3)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      w = c(i)
      v = c(i) + 1
      call twice(3, w, d(i,1))
      d(i,2) = sum(w) + w(2,1)
      call first(w(1:3,2), v)
      d(i,3) = sum(w) + 100*sum(v)
    end do
    !@end parallelRegion
  end subroutine points
end module old_wholes
