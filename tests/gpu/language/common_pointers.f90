! pointers in common blocks, and pointers in objects that have a target from the beginning
module common_pointers_data
  implicit none
  real(8), target :: c(6)
  type holder
    real(8), pointer :: p(:) => c
  end type holder
contains
  subroutine aim()
    real(8), pointer :: p(:)
    common /common_pointers_block/ p
    p => c
  end subroutine aim

  subroutine by_block()
    real(8), pointer :: q(:)
    common /common_pointers_block/ q
    q(2) = q(2) + 100
  end subroutine by_block

  subroutine by_object()
    type(holder) :: o
    o%p(3) = o%p(3)*2
  end subroutine by_object
end module common_pointers_data

module common_pointers
  use common_pointers_data
  implicit none
contains
  subroutine run()
    type(holder) :: o
    real(8), pointer :: q(:)
    common /common_pointers_block/ q
    integer :: i, turn
    c = 1
    call aim()
    do turn = 1, 3
      !@parallelRegion{domName(i), domSize(6)}
      do i = 1, 6
        c(i) = c(i) + i
      end do
      !@end parallelRegion
      call by_block()
      call by_object()
      q(5) = q(5) - 1000
      o%p(4) = o%p(4)*2
      !@parallelRegion{domName(i), domSize(6)}
      do i = 1, 6
        c(i) = c(i) + i
      end do
      !@end parallelRegion
      print '(6f10.1)', c
    end do
  end subroutine run
end module common_pointers
