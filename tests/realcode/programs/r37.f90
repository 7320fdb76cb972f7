! row 37: goto out of an inner loop, forward goto over a block, inside a region
module r37
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3), s
    integer :: i, j, k
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        s = 0
        do k = 1, 10
          s = s + k*i
          if (s > 12) goto 100
        end do
        s = -s
  100   continue
        if (i == 2) go to 200
        s = s + 0.5d0
        if (j == 3) then
          s = 2*s
        end if
  200   a(i,j) = s
      end do
    end do
    !@end parallelRegion
    print '(es24.16)', a
  end subroutine run
end module r37
