! row 6: one-line ifs with assignment, cycle, return; chains that mix .gt. and >
module r06
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3)
    integer :: i
    a = reshape([(0.1d0*i, i=1, 12)], [4, 3])
    call step(4, 3, a)
    call step(0, 3, a)
    print '(es24.16)', a
  end subroutine run
  subroutine step(n, m, a)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(4,m)
    integer :: i, j, k
    if (n.eq.0) return
    !@parallelRegion{domName(i,j), domSize(n,m)}
    do j = 1, m
      do i = 1, n
        if (a(i,j) > 1.0) a(i,j) = a(i,j)/2
        do k = 1, 3
          if (k.eq.2) cycle
          if (a(i,j) .gt. .9d0 .and. k > 2) exit
          a(i,j) = a(i,j) + k
        end do
        if (a(i,j).lt.1.5.or.i==2) then
          a(i,j) = -a(i,j)
        else if (a(i,j) >= 4.2 .AND. .not.(j .ne. 2)) then
          a(i,j) = 7
        elseif (a(i,j) /= 0) then
          a(i,j) = a(i,j)*1.5d0
        else
          a(i,j) = 0
        endif
      end do
    end do
    !@end parallelRegion
  end subroutine step
end module r06
