! row 41: classes and type-bound calls near the region
module r41
  implicit none
  type, abstract :: shape_t
  contains
    procedure(area_of), deferred :: area
  end type shape_t
  abstract interface
    function area_of(self) result(r)
      import :: shape_t
      class(shape_t), intent(in) :: self
      real(8) :: r
    end function area_of
  end interface
  type, extends(shape_t) :: square
    real(8) :: side = 2
  contains
    procedure :: area => square_area
    procedure, private :: grow
    generic :: enlarge => grow
  end type square
contains
  function square_area(self) result(r)
    class(square), intent(in) :: self
    real(8) :: r
    r = self%side**2
  end function square_area
  subroutine grow(self, by)
    class(square), intent(inout) :: self
    real(8), intent(in) :: by
    self%side = self%side + by
  end subroutine grow
  subroutine run()
    class(shape_t), allocatable :: s
    type(square) :: q
    real(8) :: a(4,3), area
    integer :: i, j
    allocate(square :: s)
    call q%enlarge(0.5d0)
    area = s%area() + q%area()
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = area*i + j
      end do
    end do
    !@end parallelRegion
    select type (s)
    type is (square)
      a(1,1) = s%side
    class default
      a(1,1) = 0
    end select
    print '(es24.16)', a
  end subroutine run
end module r41
