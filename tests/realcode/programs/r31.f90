! row 31: exit and cycle in inner loops, with names
module r31
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3), s
    integer :: i, j, k, l
    !@parallelRegion{domName(i,j), domSize(4,3)}
    rows: do j = 1, 3
      columns: do i = 1, 4
        s = 0
        outer: do k = 1, 5
          do l = 1, 5
            if (l == k) cycle outer
            if (s > 20) exit outer
            s = s + k*l
            if (mod(s, 7.d0) == 0) exit
          end do
        end do outer
        if (i == 3) then
          a(i,j) = -s
          cycle columns
        end if
        a(i,j) = s + i + j
      end do columns
    end do rows
    !@end parallelRegion
    print '(es24.16)', a
  end subroutine run
end module r31
