! the host reads and sets what functions point to, as variables and as arguments, here and in what it calls
module pointer_results_data
  implicit none
  real(8), target :: field(5)
  type holder
    real(8), pointer :: p(:)
  contains
    procedure :: part
  end type holder
contains
  function from(k) result(p)
    integer, intent(in) :: k
    real(8), pointer :: p(:)
    p => field(k:)
  end function from

  function one(k) result(p)
    integer, intent(in) :: k
    real(8), pointer :: p
    p => field(k)
  end function one

  function part(o, k) result(p)
    class(holder), intent(in) :: o
    integer, intent(in) :: k
    real(8), pointer :: p(:)
    p => o%p(k:)
  end function part

  function through(x, k) result(p)
    real(8), intent(in), target :: x(:)
    integer, intent(in) :: k
    real(8), pointer :: p(:)
    p => x(k:)
  end function through

  subroutine raise(x)
    real(8), intent(inout) :: x(:)
    x = x + 50
  end subroutine raise

  subroutine raise_one(x)
    real(8), intent(inout) :: x
    x = x + 50
  end subroutine raise_one

  subroutine below(k)
    integer, intent(in) :: k
    call raise(from(5))
    one(1) = 99
    from(k) = from(k)*3
  end subroutine below

  subroutine kernel(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      x(i) = x(i) + 1000
    end do
    !@end parallelRegion
  end subroutine kernel

  ! two targets, of which one is what a function points to
  subroutine both(a, b)
    real(8), target :: a(5), b(4)
    integer :: i
    !@parallelRegion{domName(i), domSize(4)}
    do i = 1, 4
      b(i) = b(i) + 7
    end do
    !@end parallelRegion
    a(2) = b(2)*2
  end subroutine both
end module pointer_results_data

module pointer_results
  use pointer_results_data
  implicit none
contains
  subroutine run()
    integer :: i, turn
    real(8), target :: w(5)
    real(8), pointer :: q(:)
    type(holder) :: o
    w = 1
    field = 1
    o%p => field
    do turn = 1, 14
      !@parallelRegion{domName(i), domSize(5)}
      do i = 1, 5
        field(i) = field(i) + i
        w(i) = w(i) + 2*i
      end do
      !@end parallelRegion
      select case (turn)
      case (1); from(4) = w(1:2)
      case (2); one(2) = 7
      case (3); call raise(from(3))
      case (4); call raise_one(one(3))
      case (5); o%part(3) = 8
      case (6); through(w, 2) = 6
      case (7); call raise(o%part(2))
      case (8); from(2) = from(2)*2
      case (9); call below(2)
      case (10); call kernel(4, from(2))
      case (11); call both(field, from(2))
      case (12); q => o%part(2); q = q*10
      case (13); w(1:4) = through(field, 2) + from(2)
      case (14); if (one(3) > 4) w(2) = one(3)
      end select
      !@parallelRegion{domName(i), domSize(5)}
      do i = 1, 5
        field(i) = field(i) + i
        w(i) = w(i) + 2*i
      end do
      !@end parallelRegion
      print '(10f12.2)', w, field
    end do
  end subroutine run
end module pointer_results
