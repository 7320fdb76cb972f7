! data of modules under other names, arrays allocated again, one array for two arguments, ways out in one line
module kernel_data
  use kernel_data_store, only: here => field, local_fixed => fixed
  implicit none
contains
  subroutine run()
    integer :: turn
    real(8) :: a(5), b(5)
    a = 2
    b = 0
    do turn = 1, 4
      call allocated_again(turn)
      call two_names(5, a, a, b)
      call leaves(turn, a, b)
      call made_below(turn)
      print '(5es24.16)', a, b, local_fixed, here
    end do
  end subroutine run

  subroutine allocated_again(n)
    integer, intent(in) :: n
    real(8), allocatable :: w(:)
    integer :: i, turn
    if (allocated(here)) deallocate(here)
    allocate(here(n))
    here = n
    do turn = 1, 2
      if (allocated(w)) deallocate(w)
      allocate(w(n*turn))
      w = turn
      !@parallelRegion{domName(i), domSize(n)}
      do i = 1, n
        here(i) = here(i) + w(i) + local_fixed(i)
        local_fixed(i) = local_fixed(i) + 0.5d0
      end do
      !@end parallelRegion
    end do
    here = [here, 1.d0]
    here = here*2
    !@parallelRegion{domName(i), domSize(n + 1)}
    do i = 1, n + 1
      here(i) = here(i) - 1
    end do
    !@end parallelRegion
  end subroutine allocated_again

  ! allocated by others, on the host and by one that has kernels, also in the place of what is on the device
  subroutine made_below(turn)
    integer, intent(in) :: turn
    real(8), allocatable :: w(:)
    integer :: i, n
    n = 3 + turn
    call make(n, w)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      w(i) = w(i) + i
    end do
    !@end parallelRegion
    call longer(w)
    !@parallelRegion{domName(i), domSize(n + 2)}
    do i = 1, n + 2
      w(i) = w(i)*2
    end do
    !@end parallelRegion
    call make(turn, w)
    !@parallelRegion{domName(i), domSize(turn)}
    do i = 1, turn
      w(i) = w(i) - i
    end do
    !@end parallelRegion
    call make(turn, w)
    call longer(w)
    print '(6es24.16)', w
  end subroutine made_below

  subroutine make(n, w)
    integer, intent(in) :: n
    real(8), allocatable, intent(out) :: w(:)
    allocate(w(n))
    w = 0.125d0*n
  end subroutine make

  subroutine longer(w)
    real(8), allocatable, intent(inout) :: w(:)
    real(8), allocatable :: old(:)
    integer :: i, n
    n = size(w)
    allocate(old(n))
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      old(i) = w(i) + 1
    end do
    !@end parallelRegion
    deallocate(w)
    allocate(w(n + 2))
    w = -1
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      w(i) = old(i)*3
    end do
    !@end parallelRegion
  end subroutine longer

  subroutine two_names(n, x, y, z)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n), y(n)
    real(8), intent(inout) :: z(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      z(i) = z(i) + x(i)*y(n+1-i)
    end do
    !@end parallelRegion
  end subroutine two_names

  subroutine leaves(turn, a, b)
    integer, intent(in) :: turn
    real(8), intent(inout) :: a(5), b(5)
    integer :: i
    if (turn == 1) return
    !@parallelRegion{domName(i), domSize(5)}
    do i = 1, 5
      a(i) = a(i) + b(i)*i
    end do
    !@end parallelRegion
    if (turn == 2) return; if (a(1) < 0) return
    if (turn == 3) then
      b(2) = -1
      return
    end if
    !@parallelRegion{domName(i), domSize(5)}
    do i = 1, 5
      b(i) = a(i)/2
    end do
    !@end parallelRegion
  end subroutine leaves
end module kernel_data
