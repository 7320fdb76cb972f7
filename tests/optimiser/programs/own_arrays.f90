module own_arrays
  implicit none
contains
  subroutine run()
    integer :: a(90,40), b(90,40), i
    do i = 1, 40
      a(:,i) = modulo([(7*i + 3*modulo(i,5), i=1,90)], 31)
    end do
    b = a
    call work(90, 40, a, b)
    print '(*(i0,1x))', (sum(a(i::7,:)), sum(b(i::7,:)), i = 1, 7)
  end subroutine run

  subroutine work(nc, nl, a, b)
    integer, intent(in) :: nc, nl
    integer, intent(inout) :: a(nc,nl), b(nc,nl)
    integer :: t(nl), w(nc,nl), i, k, h
    h = 3
    !@parallelRegion{private(t)}
    do i = 1, nc
      do k = 1, nl
        t(k) = a(i,k) * 2
      end do
      do k = 2, nl
        w(i,k) = t(k) + t(k-1)
      end do
      w(i,1) = t(1) + h
    end do
    !@end parallelRegion
    !@parallelRegion
    do i = 1, nc
      do k = 1, nl
        b(i,k) = modulo(w(i,k) + twice(b(i,k)), 97)
      end do
    end do
    !@end parallelRegion
    do k = 2, 3
      h = k
    end do
    a(:,1) = modulo(a(:,1) + h, 97)
  end subroutine work

  pure integer function twice(x)
    integer, intent(in) :: x
    twice = 2*x + 1
  end function twice
end module own_arrays
