! row 12: output in the routine, and inside the loop under a debug flag
module r12
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3)
    logical :: debug
    integer :: i, j
    debug = .false.
    write(*, '(a, i0)') 'start & "go" ', 1
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = i*0.1d0 + j
        if (debug) write(*,*) 'a(i,j) = ', a(i,j)
        if (debug .and. a(i,j) > 1) then
          print '(a, 2i4)', 'at', i, j
        end if
      end do
    end do
    !@end parallelRegion
    print *, 'done'
    print '(es24.16)', a
  end subroutine run
end module r12
