! arrays that are on the device, which the host sets under masks: what the mask leaves is what kernels have set, and
! allocatable ones stay where they are
module masked_sets
  implicit none
  integer, parameter :: n = 7
  real(8), allocatable :: held(:)
contains
  subroutine run()
    real(8) :: a(n), b(n)
    integer :: turn
    allocate (held(n))
    a = [1.d0, 2.d0, 3.d0, 4.d0, 5.d0, 6.d0, 7.d0]
    do turn = 0, 2
      b = 0
      held = turn
      call masked_sets_top(a, b, turn)
      print '(7f10.5)', a, b, held
    end do
    deallocate (held)
  end subroutine run
  subroutine masked_sets_top(a, b, turn)
    real(8), intent(inout) :: a(n), b(n)
    integer, intent(in) :: turn
    integer :: i
    !@domainDependant{attribute(transferHere)}
    ! held
    !@end domainDependant
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      b(i) = b(i) + a(i)
      held(i) = held(i) - a(i)
    end do
    !@end parallelRegion
    if (turn == 1) where (a > 3) b = bessel_j0(a)
    call masked_sets_below(a)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i) + 0.25d0*b(i) + held(i)
    end do
    !@end parallelRegion
  end subroutine masked_sets_top
  subroutine masked_sets_below(a)
    real(8), intent(inout) :: a(n)
    integer :: i
    where (held > -4) held = bessel_j1(held)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      held(i) = held(i) + a(i)
    end do
    !@end parallelRegion
    where (held < 1)
      held = bessel_j0(held)
    elsewhere (held < 3)
      held = 2
    end where
  end subroutine masked_sets_below
end module masked_sets
