module left_early
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
    call neighbours(nc, nl, a, b, u, v, w)
    call sweep(nc, nl, a, b, u, v)
    do k = 1, nl
      print '(*(i0,1x))', (sum(a(i::7,k)), sum(b(i::7,k)), sum(v(i::7,k)), sum(w(i::7,k)), i = 1, 7)
    end do
    print '(*(i0,1x))', u(::9)
  end subroutine run

  subroutine neighbours(nc, nl, a, b, u, v, w)
    integer, intent(in) :: nc, nl
    integer, intent(inout) :: a(nc,nl), b(nc,nl), u(nc), v(nc,nl), w(nc,nl)
    integer :: i, k, s
    do k = 1, nl
      !@parallelRegion
      do i = 1, nc
        if (w(i,k) + u(i) > 20) cycle
        u(i) = modulo(u(i) + k, 9)
      end do
      !@end parallelRegion
      !@parallelRegion
      do i = 1, nc
        s = modulo(b(i,k) + a(i,k) + twice(u(i)), 89)
        b(i,nl+1-k) = modulo(u(i) - w(i,max(k-1,1)), 97)
        v(i,max(k-1,1)) = modulo(u(i) + s, 97)
        w(i,nl+1-k) = modulo(a(i,max(k-1,1)) + 2*twice(v(i,nl+1-k)), 97)
      end do
      !@end parallelRegion
    end do
  end subroutine neighbours

  subroutine sweep(nc, nl, a, b, u, v)
    integer, intent(in) :: nc, nl
    integer, intent(inout) :: a(nc,nl), b(nc,nl), u(nc), v(nc,nl)
    integer :: i, k, s
    !@parallelRegion
    do i = 1, nc
      if (v(i,3) + u(i) > 12) cycle
      s = 0
      do k = 1, nl
        s = modulo(s + b(i,k) + a(i,k) + twice(u(i)), 89)
        b(i,nl+1-k) = modulo(u(i) - v(i,max(k-1,1)) + s, 97)
      end do
      a(i,3) = s
    end do
    !@end parallelRegion
  end subroutine sweep

  pure integer function twice(x)
    integer, intent(in) :: x
    twice = 2*x + 1
  end function twice
end module left_early
