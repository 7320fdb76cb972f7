! arrays of one to seven dimensions
module ranks
  implicit none
  integer, parameter :: n1 = 3, n2 = 2, n3 = 2, n4 = 3, n5 = 2, n6 = 2, n7 = 2
contains
  subroutine run()
    real(8) :: a1(n1), a2(n1,n2), a3(n1,n2,n3), a4(n1,n2,n3,n4), a5(n1,n2,n3,n4,n5)
    real(8) :: a6(n1,n2,n3,n4,n5,n6), a7(n1,n2,n3,n4,n5,n6,n7)
    integer :: i1, i2, i3, i4, i5, i6, i7
    do i2 = 1, n2; do i1 = 1, n1
      a1(i1) = i1; a2(i1,i2) = i1 + 10*i2
      do i3 = 1, n3; a3(i1,i2,i3) = i1 + 10*i2 + 100*i3
        do i4 = 1, n4; a4(i1,i2,i3,i4) = a3(i1,i2,i3) + i4
          do i5 = 1, n5; a5(i1,i2,i3,i4,i5) = a4(i1,i2,i3,i4)*i5
            do i6 = 1, n6; a6(i1,i2,i3,i4,i5,i6) = a5(i1,i2,i3,i4,i5) - i6
              do i7 = 1, n7; a7(i1,i2,i3,i4,i5,i6,i7) = a6(i1,i2,i3,i4,i5,i6)/i7
    end do; end do; end do; end do; end do; end do; end do
    call step(a1, a2, a3, a4, a5, a6, a7)
    do i2 = 1, n2; do i1 = 1, n1
      print '(3es24.16)', a1(i1), a2(i1,i2), a3(i1,i2,2), a4(i1,i2,1,3), a5(i1,i2,2,1,2), a6(i1,i2,1,2,2,1), a7(i1,i2,2,2,1,1,2)
    end do; end do
  end subroutine run
  subroutine step(a1, a2, a3, a4, a5, a6, a7)
    real(8), intent(in) :: a1(n1)
    real(8), intent(inout) :: a2(n1,n2), a3(n1,n2,n3), a4(n1,n2,n3,n4), a5(n1,n2,n3,n4,n5)
    real(8), intent(inout) :: a6(n1,n2,n3,n4,n5,n6), a7(n1,n2,n3,n4,n5,n6,n7)
    integer :: k
    integer :: x, y
    do y = 1, n2; do x = 1, n1
    a2(x,y) = a2(x,y) + a1(x)
    a3(x,y,2) = a3(x,y,2)*2 + a2(x,y)
    a4(x,y,1,:) = a4(x,y,1,:) + a3(x,y,2)
    do k = 1, n4
      a5(x,y,2,k,:) = a5(x,y,2,k,:) - a4(x,y,1,k)
      a6(x,y,1,k,2,1) = a6(x,y,1,k,2,1) + a5(x,y,2,k,2)
      a7(x,y,2,k,1,1,2) = -a6(x,y,1,k,2,1)
    end do
    end do; end do
  end subroutine step
end module ranks
