! Arrays of unknown size whose last columns are there in part.
module unsized_columns
  implicit none
contains
  subroutine sweep(n, m, ld, a, w)
    integer, intent(in) :: n, m, ld
    real(8), intent(inout) :: a(ld,*), w(ld,0:1,*)
    integer :: i, k
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      do k = 2, m
        a(i,k) = a(i,k) + 0.5d0*a(i,k-1)
        w(i,1,k-1) = a(i,k)
      end do
    end do
    !@end parallelRegion
  end subroutine sweep

  subroutine run()
    integer, parameter :: n = 13
    real(8) :: a(n+2,7), w(n+2,2,6)
    integer :: i, j
    do j = 1, 7
      do i = 1, n + 2
        a(i,j) = i + 100*j
      end do
    end do
    w = -1
    call sweep(n, 7, n + 2, a, w)
    print *, a
    print *, w
    call sweep(n, 3, n + 2, a(3,5), w(3,1,1))
    print *, a
    print *, w
    call sweep(n, 1, n + 2, a(15,7), w(15,2,6))
    call sweep(0, 4, n + 2, a(15,7), w(15,2,6))
  end subroutine run
end module unsized_columns
