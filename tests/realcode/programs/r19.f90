! row 19: pointer arrays: a section of an array, swap of two pointers, a pointer component
module r19
  implicit none
  type box
    real(8), pointer :: p(:,:) => null()
  end type box
contains
  subroutine run()
    real(8), target :: a(4,3,2)
    real(8), pointer :: old(:,:), new(:,:), tmp(:,:)
    type(box) :: b
    integer :: n, i, j
    a = reshape([(0.1d0*n, n=1, 24)], [4, 3, 2])
    old => a(:,:,1)
    new => a(:,:,2)
    allocate(b%p(4,3))
    b%p = 1
    do n = 1, 3
      !@parallelRegion{domName(i,j), domSize(4,3)}
      do j = 1, 3
        do i = 1, 4
          new(i,j) = 0.5d0*(old(i,j) + old(i,max(j-1,1))) + b%p(i,j)
          b%p(i,j) = b%p(i,j) + i
        end do
      end do
      !@end parallelRegion
      tmp => old
      old => new
      new => tmp
    end do
    print '(es24.16)', old, new, b%p
    deallocate(b%p)
  end subroutine run
end module r19
