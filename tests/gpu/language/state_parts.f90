! what the runtime can keep in step, and directives cannot: two parts of one array in a call, arrays of unknown size
module state_parts
  implicit none
  integer, parameter :: n = 5, m = 4
contains
  subroutine run()
    real(8) :: a(n,m), b(n)
    integer :: i, j
    do j = 1, m
      do i = 1, n
        a(i,j) = i + 0.1d0*j
      end do
    end do
    b = a(:,1)
    call top(a, b)
    print '(5es24.16)', a, b
  end subroutine run

  subroutine top(a, b)
    real(8), intent(inout) :: a(n,m), b(n)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(n,m)}
    do j = 1, m
      do i = 1, n
        a(i,j) = 2*a(i,j)
      end do
    end do
    !@end parallelRegion
    call both(n, a(:,1), 3, a(1:n:2,2))
    call both(3, a(n:1:-2,4), n, a(:,3))
    call both(m, a(n,:), m, a(1,:))
    !@parallelRegion{domName(i,j), domSize(n,m)}
    do j = 1, m
      do i = 1, n
        a(i,j) = a(i,j) + 0.5d0
        if (j == 1) b(i) = b(i) + 1
      end do
    end do
    !@end parallelRegion
    call unsized(b)
    call unsized(a(2,3))
    !@parallelRegion{domName(i,j), domSize(n,m)}
    do j = 1, m
      do i = 1, n
        a(i,j) = a(i,j) + b(i)
      end do
    end do
    !@end parallelRegion
  end subroutine top

  subroutine both(first, v, second, w)
    integer, intent(in) :: first, second
    real(8), intent(inout) :: v(first), w(second)
    integer :: i
    !@parallelRegion{domName(i), domSize(first)}
    do i = 1, first
      v(i) = v(i) + i
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i), domSize(second)}
    do i = 1, second
      w(i) = w(i) - i
    end do
    !@end parallelRegion
  end subroutine both

  subroutine unsized(v)
    real(8), intent(inout) :: v(*)
    call both(2, v, 2, v(4))
    v(1) = v(5) + 1
    call both(2, v(2), 2, v(4))
  end subroutine unsized
end module state_parts
