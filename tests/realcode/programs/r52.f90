! row 52: common, entry, forall, do concurrent, block
module r52
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3), shared_rate
    common /r52_block/ shared_rate
    integer :: i, j
    shared_rate = 0.5d0
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        block
          real(8) :: local(2)
          integer :: k
          forall (k = 1:2) local(k) = k*i
          a(i,j) = sum(local)*shared_rate
        end block
        if (i < j) goto 10
        if (i == j) goto 20
        a(i,j) = a(i,j) + 3
        goto 40
10      a(i,j) = a(i,j) + 1
        goto 40
20      a(i,j) = a(i,j) + 2
40      continue
      end do
    end do
    !@end parallelRegion
    do concurrent (i = 1:4, j = 1:3, i /= j)
      a(i,j) = a(i,j)*2
    end do
    call first_entry(a)
    call second_entry(a)
    print '(es24.16)', a
  end subroutine run
  subroutine first_entry(a)
    real(8), intent(inout) :: a(4,3)
    a(1,1) = -a(1,1)
    return
  entry second_entry(a)
    a(2,2) = -a(2,2)
  end subroutine first_entry
end module r52
