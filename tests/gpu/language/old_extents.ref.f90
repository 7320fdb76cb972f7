! Dummies declared with 1 as the last extent, of which more is used.
module old_extents
  implicit none
contains
  subroutine add(n, a, b, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(*), c(n,*)
    real(8), intent(in) :: b(*)
    integer :: i, j
    call put(n, a)
    do i = 1, n
      a(i) = a(i) + 2*b(i)
      do j = 1, 3
        c(i,j) = c(i,j) + a(i)*j
      end do
    end do
  end subroutine add
  subroutine put(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(*)
    a(n) = -3
  end subroutine put
  subroutine run()
    real(8) :: a(7), b(7), c(7,3)
    integer :: i
    a = 1
    c = 2
    b = [(i*1.d0, i = 1, 7)]
    call add(7, a, b, c)
    call add(3, a(2), b(5), c(2,2))
    print *, a, c
  end subroutine run
end module old_extents
