! trap: the write does not contain the outer iterator: a race
! expect: warned HF504
module t03
  implicit none
contains
  subroutine run()
    real(8) :: tend(4), f(4,3)
    integer :: i, j
    f = 1
    tend = 0
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        tend(i) = f(i,j)
      end do
    end do
    !@end parallelRegion
    print *, tend
  end subroutine run
end module t03
