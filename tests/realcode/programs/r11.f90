! row 11: assumed-shape dummies, bounds by size
module r11
  implicit none
contains
  subroutine run()
    real(8) :: a(0:5,4), b(0:5,4)
    integer :: n
    a = reshape([(0.1d0*n, n=1, 24)], [6, 4])
    b = 0
    call step(a(1:5,:), b(1:5,:))
    print '(es24.16)', b
  end subroutine run
  subroutine step(a, b)
    real(8), intent(in) :: a(:,:)
    real(8), intent(inout), dimension(:,:) :: b
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(size(a,1),size(a,2)), endAt(size(a,1)-1,size(a,2))}
    do j = 1, size(a, 2)
      do i = 1, size(a, 1) - 1
        b(i,j) = a(i,j) + a(i+1,j)
      end do
    end do
    !@end parallelRegion
  end subroutine step
end module r11
