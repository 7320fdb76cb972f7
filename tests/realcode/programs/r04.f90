! row 4: kinds from a module; literals with suffix, without suffix and with d0 in one expression
module r04
  use r04_kinds, only: wp, sp, ik
  implicit none
contains
  subroutine run()
    real(wp) :: a(4,3)
    real(sp) :: s(4,3)
    real*8 b(4,3)
    integer(ik) :: i, j
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = 0.1_wp*i + 0.1*j + 0.1d0 + 1.e-3_sp + 1.0D-2
        s(i,j) = 0.1*i + 0.3_wp*j
        b(i,j) = 1.0/3.0 + 1.0d0/3.0 + real(i, wp)/7 + 2/3 + 2._sp/3
      end do
    end do
    !@end parallelRegion
    print '(es24.16)', a, s, b
  end subroutine run
end module r04
