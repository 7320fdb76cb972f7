module left_named
  implicit none
  integer :: nc = 0, nl = 0
contains
  subroutine run()
    integer, allocatable :: a(:,:), b(:,:), u(:), v(:,:), w(:,:)
    integer :: i, k
    nc = nc + 70
    nl = nl + 6
    allocate (a(nc,nl), b(nc,nl), u(nc), v(nc,nl), w(nc,nl))
    do k = 1, nl
      do i = 1, nc
        a(i,k) = modulo(7*i + 3*k, 31)
        b(i,k) = modulo(5*i - k, 29)
        v(i,k) = modulo(i*k, 23)
        w(i,k) = modulo(3*i + 2*k, 37)
      end do
    end do
    u = 1
    call named(nc, nl, a, b, u)
    do k = 1, nl
      print '(*(i0,1x))', (sum(a(i::7,k)), sum(b(i::7,k)), sum(v(i::7,k)), sum(w(i::7,k)), i = 1, 7)
    end do
    print '(*(i0,1x))', u(::9)
  end subroutine run

  subroutine named(nc, nl, a, b, u)
    integer, intent(in) :: nc, nl
    integer, intent(inout) :: a(nc,nl), b(nc,nl), u(nc)
    integer :: i, k
    !@parallelRegion
    column: do i = 1, nc
      do k = 2, nl
        if (a(i,k) > 28) cycle column
        a(i,k) = modulo(a(i,k-1) + b(i,k) + twice(u(i)), 31)
      end do
      do k = 1, nl
        b(i,k) = modulo(b(i,k) + a(i,k) + twice(k), 97)
      end do
    end do column
    !@end parallelRegion
  end subroutine named

  pure integer function twice(x)
    integer, intent(in) :: x
    twice = 2*x + 1
  end function twice
end module left_named
