! Bounds with sums in the operands of products and quotients: texts of them that are read again need parentheses.
module quotients
  implicit none
contains
  subroutine step(n, m, l, a, b)
    integer, intent(in) :: n, m, l
    real(8), intent(inout) :: a(n,l), b(n,l)
    integer :: i, k
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      do k = 1, l/(m+1)
        a(i,k) = a(i,k) + 1
      end do
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      do k = 1, l/(m+1)
        b(i,k) = a(i,k)*2 + b(i,k) + a(i,m*(k-1)-(m-1)*(k-1)+1)
      end do
    end do
    !@end parallelRegion
  end subroutine step
  subroutine run()
    real(8) :: a(5,12), b(5,12)
    a = 1
    b = 0
    call step(5, 2, 12, a, b)
    print *, a
    print *, b
  end subroutine run
end module quotients
