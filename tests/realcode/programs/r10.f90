! row 10: section assignments, also inside the loop over the other index
module r10
  implicit none
contains
  subroutine run()
    real(8) :: a(6,4), b(6,4)
    integer :: j, i1, i2, n
    b = reshape([(0.1d0*n, n=1, 24)], [6, 4])
    a = -1
    a(:,1) = 0
    i1 = 2
    i2 = 5
    !@parallelRegion{domName(j), domSize(4), startAt(2)}
    do j = 2, 4
      a(:,j) = 0.5
      a(i1:i2,j) = b(i1:i2,j-1) + b(i1-1:i2-1,j)
      a(1:6:2,j) = a(1:6:2,j) + b(6:1:-2,j)
    end do
    !@end parallelRegion
    print '(es24.16)', a
  end subroutine run
end module r10
