module constant_table
  implicit none
  real(8), parameter :: table(4) = [1d0, 2d0, 3d0, 4d0]
contains
  subroutine scaled(n, a, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    real(8), intent(in) :: c(4)
    integer :: i
    !@parallelRegion{domName(i), domSize(n), explicit}
    do i = 1, n
      a(i) = a(i)*c(mod(i,4)+1)
    end do
    !@end parallelRegion
    print '(4f8.2)', c, a(7) ! a constant may be the actual argument: nothing may be written into it
    !@parallelRegion{domName(i), domSize(n), explicit}
    do i = 1, n
      a(i) = a(i) + c(4)
    end do
    !@end parallelRegion
  end subroutine scaled
  subroutine run
    real(8) :: a(100)
    integer :: i
    a = [(i, i=1,100)]
    call scaled(100, a, table)
    print '(5f12.3)', a
  end subroutine run
end module constant_table
