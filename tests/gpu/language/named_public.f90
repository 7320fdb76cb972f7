! variables of a module that a statement makes public, which only a routine called in the region names
module named_public_sizes
  implicit none
  private
  public :: width, last_of
  public :: weight
  integer, protected :: width = 4
  real(8) :: weight(3) = [1d0, 2d0, 3d0]
contains
  subroutine last_of(block, blocks, last, w)
    integer, intent(in) :: block, blocks
    integer, intent(out) :: last
    real(8), intent(out) :: w
    last = merge(width/2, width, block == blocks)
    w = weight(mod(block, 3) + 1)
  end subroutine last_of
end module named_public_sizes

module named_public
  use named_public_sizes, only: last_of
  implicit none
contains
  subroutine run()
    real(8) :: a(4,5), w
    integer :: i, j, last
    a = 1.5d0
    !@parallelRegion{domName(j), domSize(5)}
    do j = 1, 5
      call last_of(j, 5, last, w)
      do i = 1, last
        a(i,j) = a(i,j)*2 + j*w
      end do
    end do
    !@end parallelRegion
    print '(4f8.2)', a
  end subroutine run
end module named_public
