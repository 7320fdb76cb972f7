! names that an associate gives to parts of objects, and pointers of blocks to objects, by which the host uses arrays
module associated_parts
  implicit none
  type state
    real(8), allocatable :: h(:)
    real(8) :: g(6) = 0
  end type state
  type(state), target :: s
contains
  subroutine run()
    integer :: turn
    allocate(s%h(6), source=1d0)
    do turn = 1, 3
      call work(s%h, s%g, turn)
      print '(12f12.1)', s%h, s%g
    end do
  end subroutine run

  subroutine work(h, g, turn)
    real(8), intent(inout) :: h(6), g(6)
    integer, intent(in) :: turn
    integer :: i
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      h(i) = h(i) + i
      g(i) = g(i) + i
    end do
    !@end parallelRegion
    if (turn == 1) then
      associate (z => s%h(2:3), top => s%g(1))
        z = z*10
        top = z(1)
      end associate
    else if (turn == 2) then
      call by_others()
    else
      call by_pointer()
    end if
    !@parallelRegion{domName(i), domSize(6)}
    do i = 1, 6
      h(i) = h(i)*2
      g(i) = g(i)*2
    end do
    !@end parallelRegion
  end subroutine work

  subroutine by_others()
    associate (z => s%h(2:3), all => s)
      z = z*10
      all%g(1) = z(1)
      associate (w => all%h)
        w(4) = 9
      end associate
    end associate
  end subroutine by_others

  subroutine by_pointer()
    block
      type(state), pointer :: q
      q => s
      q%h(2) = 7
      q%g(1) = q%h(1)
    end block
  end subroutine by_pointer
end module associated_parts
