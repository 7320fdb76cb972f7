! Objects whose type gives them values where their life begins: local, allocated, of a type within another.
module born
  implicit none
  type part
    real(8) :: w = 2.5d0
  end type part
  type cell
    real(8) :: t
    type(part) :: p(2)
  end type cell
contains
  subroutine run()
    type(cell) :: row(6)
    type(cell), allocatable :: more(:)
    type(part) :: single(6)
    real(8) :: x(6)
    integer :: i
    allocate(more(6))
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      row(i)%t = i*row(i)%p(2)%w
      more(i)%t = i + more(i)%p(1)%w
      x(i) = single(i)%w + row(i)%t
    end do
    !@end parallelRegion
    print *, x, row%p(1)%w, row%t, more%t, more%p(2)%w
  end subroutine run
end module born
