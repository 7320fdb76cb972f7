! pointers that blocks declare, by which the host sets and reads arrays, here and in what it calls
module block_pointers
  implicit none
  real(8), target :: field(6), other(6)
contains
  subroutine on_host(k)
    integer, intent(in) :: k
    block
      real(8), pointer :: q(:), s
      q => field(k:)
      q = q + 1
      s => other(k)
      s = s*2
      call first(q)
    end block
  end subroutine on_host

  subroutine first(x)
    real(8), intent(inout) :: x(:)
    x(1) = x(1) + 0.5d0
  end subroutine first

  subroutine kernel(n, x)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      x(i) = x(i) + 100
    end do
    !@end parallelRegion
  end subroutine kernel

  subroutine run()
    integer :: i, turn
    real(8) :: q(6)
    real(8), target :: y(6)
    field = 1
    other = 2
    q = 0
    y = 0
    do turn = 1, 4
      !@parallelRegion{domName(i), domSize(6)}
      do i = 1, 6
        field(i) = field(i) + i
        other(i) = other(i) + i
        q(i) = q(i) + i
        y(i) = y(i) - i
      end do
      !@end parallelRegion
      call on_host(turn)
      block
        real(8), pointer :: q(:)
        q => other
        q(3) = 0
        associate (z => q(4:5))
          z = z*2
        end associate
        call kernel(6, q)
        q => field(2:turn+1)
        call kernel(turn, q)
        call first(q)
        print '(6f10.1)', q
        do i = 1, size(q)
          q(i) = q(i) + 1
        end do
        q => y(::2)
        q = q + 1000
      end block
      !@parallelRegion{domName(i), domSize(6)}
      do i = 1, 6
        field(i) = field(i) + i
        other(i) = other(i) + i
        q(i) = q(i) + i
        y(i) = y(i) - i
      end do
      !@end parallelRegion
      print '(12f10.1)', field, other, q, y
    end do
  end subroutine run
end module block_pointers
