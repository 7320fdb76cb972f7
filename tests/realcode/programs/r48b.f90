! row 48: return inside a region
! expect: refused HF405
module r48b
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = i + 0.1d0*j
        if (a(i,j) > 3) return
      end do
    end do
    !@end parallelRegion
  end subroutine run
end module r48b
