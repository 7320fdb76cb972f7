! where and forall that read other elements than they set, and calls of elemental subroutines with arrays
module other_elements
  implicit none
  integer, parameter :: n = 9, m = 4
contains
  elemental subroutine raised(x, y, by)
    real(8), intent(inout) :: x
    real(8), intent(in) :: y
    real(8), intent(in), optional :: by
    x = 2*x + y
    if (present(by)) x = x + by
  end subroutine raised
  subroutine smooth(y)
    real(8), intent(inout) :: y(:)
    integer :: k
    forall (k = 2:size(y) - 1) y(k) = y(k-1) + y(k+1)
    where (y(:3) > 4) y(2:) = y(:3) - 1
  end subroutine smooth
  subroutine run()
    real(8), allocatable :: t(:,:)
    real(8) :: b(n,m), x(m)
    integer :: whole(n,m), list(m), i, k
    allocate (t(n,0:m-1))
    do i = 1, n
      do k = 1, m
        t(i,k-1) = mod(7*i + 3*k, 11)
        whole(i,k) = mod(i + 5*k, 7) - 2
      end do
    end do
    b = 1
    !@parallelRegion{private(x, list)}
    do i = 1, n
      x = t(i,:)
      call raised(x, x(2) + t(i,1))
      call raised(x(2:m), (x(1:m-1)), by=x(1:m-1))
      call raised(b(i,:), es(t(i,:)), x)
      where (x(m:1:-1) > 20)
        x = x(m:1:-1)*0.5d0
        b(i,:) = b(i,:) + x(m:1:-1)
      elsewhere (x > 12)
        x = x(m) + 1
      elsewhere
        b(i,m:1:-1) = b(i,:) + x
        x = 1
      end where
      if (t(i,0) > 2) where (t(i,1:) > t(i,:m-2)) t(i,1:) = t(i,:m-2) + sum(t(i,:))
      where (whole(i,:) /= 0) whole(i,:) = 20/whole(i,:) + whole(i,m:1:-1)
      forall (k = 1:m, x(k) > 3)
        x(k) = 0
        b(i,k) = b(i,k) - 1
      end forall
      forall (k = 1:m-1) t(i,k) = t(i,k-1) + x(k)
      list = [2, 3, 4, 1]
      list(list(4):list(1)) = [5, 6]
      b(i,:) = b(i,:) + list
      call smooth(b(i,:))
    end do
    print '(4f14.6)', (b(i,:), t(i,:), i = 1, n)
    print '(4i8)', (whole(i,:), i = 1, n)
  end subroutine run
  elemental real(8) function es(x)
    real(8), intent(in) :: x
    es = x*x + 1
  end function es
end module other_elements
