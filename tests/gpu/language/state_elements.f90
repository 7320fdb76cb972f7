! Elements of an array of objects on the device, in a routine that is called, bound to their type, or behind a pointer.
module state_elements
  implicit none
  type :: cell
    real(8) :: w(4) = 1
  contains
    procedure :: add
  end type cell
  type(cell), target :: cells(6)
contains
  subroutine add(self, x)
    class(cell), intent(inout) :: self
    real(8), intent(in) :: x
    self%w(2) = self%w(2)*2 + x
  end subroutine add
  subroutine in_host()
    cells(4)%w(3) = cells(4)%w(1)*3 + 1
  end subroutine in_host
  subroutine bound(n)
    integer, intent(in) :: n
    call cells(n)%add(0.5d0)
  end subroutine bound
  subroutine behind(n)
    integer, intent(in) :: n
    class(cell), pointer :: one
    one => cells(n)
    one%w(4) = one%w(1) + 7
  end subroutine behind
  subroutine objects()
    type(cell), pointer :: one
    integer :: i
    one => cells(5)
    !@parallelRegion
    do i = 1, 6
      cells(i)%w(1) = 10*i
    end do
    !@end parallelRegion
    call in_host()
    call bound(2)
    call behind(3)
    one%w(1) = one%w(1) + 0.25d0
    !@parallelRegion
    do i = 1, 6
      cells(i)%w(2) = cells(i)%w(2) + cells(i)%w(1) + cells(i)%w(3)*cells(i)%w(4)
    end do
    !@end parallelRegion
    print *, one%w, cells(2)%w, cells(3)%w, cells(4)%w
  end subroutine objects
  subroutine run()
    call objects()
  end subroutine run
end module state_elements
