! regions over one to five domains, without points, with bounds of their own, with steps
module kernel_domains
  implicit none
contains
  subroutine run()
    real(8) :: a(0:4,3,2), five(3,2,4,2,3), one(0:6)
    integer :: n
    a = 1
    five = 2
    one = 0
    do n = 0, 2
      call halos(n, a(0:n+1,:,1))
      call many(3, 2, 4 - 2*n, n, 3, five)
      call steps(n, 5, one)
      call nothing(n - 1, 3, a)
      print '(5es24.16)', a, one
      print '(6es24.16)', five
    end do
  end subroutine run

  subroutine halos(n, v)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(0:n+1,3)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(0:n+1,3)}
    do j = 1, 3
      do i = 0, n + 1
        v(i,j) = v(i,j) + i + 10*j
      end do
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i,j), domSize(0:n+1,3), startAt(1,2), endAt(n,2)}
    do j = 2, 2
      do i = 1, n
        v(i,j) = v(i,j) - 0.25d0*i
      end do
    end do
    !@end parallelRegion
  end subroutine halos

  subroutine many(n1, n2, n3, n4, n5, w)
    integer, intent(in) :: n1, n2, n3, n4, n5
    real(8), intent(inout) :: w(3,2,4,2,3)
    integer :: i, j, k, l, m
    !@parallelRegion{domName(i,j,k,l), domSize(n1,n2,n3,n4)}
    do l = 1, n4
      do k = 1, n3
        do j = 1, n2
          do i = 1, n1
            w(i,j,k,l,1) = w(i,j,k,l,1) + i + 0.1d0*j + 0.01d0*k - l
          end do
        end do
      end do
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i,j,k,l,m), domSize(n1,n2,n3,n4,n5)}
    do m = 1, n5
      do l = 1, n4
        do k = 1, n3
          do j = 1, n2
            do i = 1, n1
              w(i,j,k,l,m) = 2*w(i,j,k,l,m) + m
            end do
          end do
        end do
      end do
    end do
    !@end parallelRegion
  end subroutine many

  subroutine steps(first, last, v)
    integer, intent(in) :: first, last
    real(8), intent(inout) :: v(0:6)
    integer :: i
    !@parallelRegion{domName(i), domSize(0:6), startAt(first), endAt(last), stride(2)}
    do i = first, last, 2
      v(i) = v(i) + 100*i + first
    end do
    !@end parallelRegion
  end subroutine steps

  subroutine nothing(n, m, v)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: v(0:4,3,2)
    real(8) :: s
    integer :: i, j
    s = 5
    !@parallelRegion{domName(i,j), domSize(n,m), reduction(+:s)}
    do j = 1, m
      do i = 1, n
        s = s + v(i,j,2)
      end do
    end do
    !@end parallelRegion
    v(4,3,2) = s
  end subroutine nothing
end module kernel_domains
