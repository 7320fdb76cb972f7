! Objects that host statements name as a whole, or by what they inherit, while arrays in them are on the device.
module state_whole_objects
  implicit none
  type :: grid
    real(8) :: w(6) = 0.5d0
  contains
    procedure :: bump
  end type grid
  type, extends(grid) :: state
    real(8) :: u(6) = 1
  end type state
  type :: holder
    type(state) :: held
  end type holder
  type(state), target :: shared
  type(grid) :: spare
  type(holder) :: box
contains
  subroutine bump(self)
    class(grid), intent(inout) :: self
    self%w(4) = self%w(3)*2
  end subroutine bump
  subroutine outer(x, y)
    class(grid), intent(inout) :: x
    type(grid), intent(in) :: y
    x%w = x%w + y%w
  end subroutine outer
  subroutine change(x)
    type(state), intent(inout) :: x
    x%w(2) = x%w(2)*x%u(3)
  end subroutine change
  subroutine chosen(x)
    class(grid), intent(inout) :: x
    select type (x)
    type is (state)
      x%u = x%u + x%w
    end select
  end subroutine chosen
  type(state) function made(x)
    type(state), intent(in) :: x
    made = x
    made%w = made%u
  end function made
  subroutine by_part()
    type(grid) :: own
    own = shared%grid
    own%w = 2*own%w
    shared%grid = own
  end subroutine by_part
  subroutine by_constructor()
    shared = state(grid=spare, u=[1d0, 2d0, 3d0, 4d0, 5d0, 6d0])
  end subroutine by_constructor
  subroutine by_copy()
    type(state) :: copy
    copy = shared
    call change(copy)
    shared = copy
  end subroutine by_copy
  subroutine by_function()
    shared = made(shared)
  end subroutine by_function
  subroutine by_holder()
    box%held = shared
    call change(box%held)
    shared = box%held
  end subroutine by_holder
  subroutine by_argument(x)
    type(state), intent(inout) :: x
    x%grid = spare
  end subroutine by_argument
  subroutine by_text()
    character(200) :: line
    write (line, '(12f12.3)') shared
    read (line, '(12f12.3)') shared
  end subroutine by_text
  subroutine one(n, w, u)
    integer, intent(in) :: n
    real(8), intent(inout) :: w(n), u(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      u(i) = 0.5d0*u(i) + w(i) + 0.125d0*i
      w(i) = 0.5d0*w(i) + 0.25d0*u(i)
    end do
    !@end parallelRegion
  end subroutine one
  subroutine loop(n, w, u)
    integer, intent(in) :: n
    real(8), intent(inout), target :: w(n), u(n)
    integer :: t
    type(state) :: copy
    !@domainDependant{attribute(transferHere)}
    !w, u
    !@end domainDependant
    do t = 1, 11
      call one(n, w, u)
      select case (t)
      case (1)
        call by_part()
      case (2)
        call by_constructor()
      case (3)
        call by_copy()
      case (4)
        call by_function()
      case (5)
        call by_holder()
      case (6)
        call by_argument(shared)
      case (7)
        call by_text()
      case (8)
        call shared%grid%bump()
      case (9)
        call outer(shared%grid, spare)
      case (10)
        call chosen(shared)
      case (11)
        copy = shared
        copy%w = copy%w + copy%u
        shared%grid = copy%grid
      end select
      call one(n, w, u)
    end do
  end subroutine loop
  subroutine run()
    integer :: t
    spare%w = [(3d0 + t, t = 1, 6)]
    do t = 1, 2
      call loop(6, shared%w, shared%u)
      print *, shared%w, shared%u
    end do
  end subroutine run
end module state_whole_objects
