! row 23: loops with step 2, a variable step, step -1 (a downward sweep that carries a value)
module r23
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3,9), carry
    integer :: n, i, j, k, s
    a = reshape([(0.1d0*n, n=1, 108)], [4, 3, 9])
    s = 3
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        do k = 1, 9, 2
          a(i,j,k) = 2*a(i,j,k)
        end do
        do k = 1, 9, s
          a(i,j,k) = a(i,j,k) + 1
        end do
        carry = a(i,j,9)
        do k = 8, 1, -1
          carry = 0.5d0*carry + a(i,j,k)
          a(i,j,k) = carry
        end do
      end do
    end do
    !@end parallelRegion
    print '(es24.16)', a
  end subroutine run
end module r23
