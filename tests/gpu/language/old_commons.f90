! the caller of routines in fixed form that have their data in common blocks
module old_commons
  implicit none
contains
  subroutine run()
    real(8) :: a(5,3)
    integer :: i, k, step
    do k = 1, 3
      do i = 1, 5
        a(i,k) = i + 0.1d0*k
      end do
    end do
    do step = 1, 4
      call comfi9(step, a)
      print '(5es22.14)', a
    end do
  end subroutine run
end module old_commons
