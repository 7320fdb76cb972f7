! trap: a neighbour of the element that is written is read, made safe only by a mask
! expect: refused HF504
module t04
  implicit none
contains
  subroutine run()
    real(8) :: ssh(6,5)
    logical :: sea(6,5)
    integer :: ji, jj
    ssh = reshape([(0.1d0*ji, ji=1, 30)], [6, 5])
    sea = .true.
    sea(1,:) = .false.
    !@parallelRegion{domName(ji,jj), domSize(6,5), endAt(5,5)}
    do jj = 1, 5
      do ji = 1, 5
        if (.not. sea(ji,jj)) ssh(ji,jj) = ssh(ji+1,jj)
      end do
    end do
    !@end parallelRegion
    print '(es24.16)', ssh
  end subroutine run
end module t04
