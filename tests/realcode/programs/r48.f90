! row 48: stop and error stop inside a region, never reached
module r48
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = i + 0.1d0*j
        if (a(i,j) < 0) stop 'negative'
        if (a(i,j) > 100) then
          error stop 3
        end if
      end do
    end do
    !@end parallelRegion
    print '(es24.16)', a
  end subroutine run
end module r48
