! nests whose loops end on labels of their own, as FORTRAN 77 has them; one point that ends early, one end that computes
module labelled_nests
  implicit none
contains
  subroutine run()
    real(8) :: a(7,6), b(7,6), c(7,6,3), total
    integer :: i, j
    do j = 1, 6
      do i = 1, 7
        a(i,j) = 0.5d0*i - 0.25d0*j*j
        b(i,j) = 0
      end do
    end do
    c = 1
    call smooth(7, 6, a, b)
    call layers(7, 6, 3, a, b, c)
    call both(7, 6, a, b, total)
    print '(4es24.16)', a, b, c, total
  end subroutine run

  subroutine smooth(n, m, a, b)
    integer, intent(in) :: n, m
    real(8), intent(in) :: a(n,m)
    real(8), intent(inout) :: b(n,m)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(n,m)}
    do 20 j = 2, m-1
      do 10 i = 2, n-1
        b(i,j) = 0.25d0*(a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1))
   10 continue
   20 continue
    !@end parallelRegion
  end subroutine smooth

  subroutine layers(n, m, l, a, b, c)
    integer, intent(in) :: n, m, l
    real(8), intent(in) :: a(n,m), b(n,m)
    real(8), intent(inout) :: c(n,m,l)
    integer :: i, j, k
    !@parallelRegion
    do 30 k = 1, l
      do 20 j = 1, m
        do 10 i = 1, n
          if (mod(i+j+k, 4) == 0) go to 10
          c(i,j,k) = c(i,j,k)*a(i,j) + k*b(i,j)
   10   continue
   20 continue
   30 continue
  end subroutine layers

  subroutine both(n, m, a, b, total)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(n,m)
    real(8), intent(in) :: b(n,m)
    real(8), intent(out) :: total
    integer :: i, j
    total = 0
    !@parallelRegion{domName(i,j), domSize(n,m), reduction(+:total)}
    do 20 j = 1, m
      do 10 i = 1, n
        total = total + nint(8*b(i,j))
   10   a(i,j) = a(i,j) + b(i,j)
   20 continue
    !@end parallelRegion
  end subroutine both
end module labelled_nests
