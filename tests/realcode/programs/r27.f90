! row 27: numbered labels and formats
module r27
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3)
    integer :: i, j
    write(*, 100) 'it''s', 3
100 format(1x, a, ' & ', i3, '!')
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = i
        if (i == 2) goto 20
        a(i,j) = a(i,j) + 0.5d0
20      continue
        a(i,j) = a(i,j)*j
      end do
    end do
    !@end parallelRegion
    print 200, a
200 format(es24.16)
  end subroutine run
end module r27
