! a routine gives a pointer another target; a pointer and a dummy argument that are parts of an array which others set
module pointed_elsewhere_data
  implicit none
  real(8), target :: field(6)
  real(8) :: plain(6)
contains
  subroutine point(p)
    real(8), pointer, intent(out) :: p(:)
    p => field(2:4)
  end subroutine point

  subroutine point_and_set(p)
    real(8), pointer :: p(:)
    p = -p
    p => field(5:6)
    p = p*4
  end subroutine point_and_set

  subroutine raise()
    field = field + 100
    plain(1) = plain(1) + 100
  end subroutine raise

  subroutine work_on(x)
    real(8), intent(inout) :: x(3)
    integer :: i
    !@parallelRegion{domName(i), domSize(3)}
    do i = 1, 3
      x(i) = x(i) + 1
    end do
    !@end parallelRegion
    call raise()
    !@parallelRegion{domName(i), domSize(3)}
    do i = 1, 3
      x(i) = x(i)*2
    end do
    !@end parallelRegion
  end subroutine work_on
end module pointed_elsewhere_data

module pointed_elsewhere
  use pointed_elsewhere_data
  implicit none
contains
  subroutine run()
    integer :: i, turn
    real(8), pointer :: q(:), part(:)
    real(8) :: w(6)
    field = 1
    plain = 1
    w = 0
    part => field(2:3)
    do turn = 1, 3
      !@parallelRegion{domName(i), domSize(6)}
      do i = 1, 6
        field(i) = field(i) + i
        plain(i) = plain(i) + i
      end do
      !@end parallelRegion
      call point(q)
      w(2:4) = q
      !@parallelRegion{domName(i), domSize(2)}
      do i = 1, 2
        part(i) = part(i) + 50
      end do
      !@end parallelRegion
      call raise()
      !@parallelRegion{domName(i), domSize(6)}
      do i = 1, 6
        field(i) = field(i) + i
        plain(i) = plain(i)*2
        w(i) = w(i) + i
      end do
      !@end parallelRegion
      call work_on(plain(3:5))
      call point_and_set(q)
      !@parallelRegion{domName(i), domSize(6)}
      do i = 1, 6
        field(i) = field(i) + i
      end do
      !@end parallelRegion
      print '(9f12.2)', field, plain, w, q
    end do
  end subroutine run
end module pointed_elsewhere
