! row 30: saved and initialised locals, written across calls outside the region, read in it
module r30
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3)
    integer :: n
    a = 0
    do n = 1, 3
      call step(a)
    end do
    print '(es24.16)', a
  end subroutine run
  subroutine step(a)
    real(8), intent(inout) :: a(4,3)
    real(8), save :: offset
    logical :: first = .true.
    integer :: calls = 0
    integer :: i, j
    if (first) then
      offset = 0.25d0
      first = .false.
    end if
    calls = calls + 1
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = a(i,j) + offset*i + calls
      end do
    end do
    !@end parallelRegion
    offset = offset + 1
  end subroutine step
end module r30
