! row 52: arithmetic if inside a region
module r52b
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3)
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        if (i - j) 10, 20, 30
10      a(i,j) = 1
        goto 40
20      a(i,j) = 2
        goto 40
30      a(i,j) = 3
40      continue
      end do
    end do
    !@end parallelRegion
    print '(es24.16)', a
  end subroutine run
end module r52b
