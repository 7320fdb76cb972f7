! row 9: max and min with 2 to 5 arguments, nested; sqrt, exp, log; integer, half and real powers
module r09
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3), p
    integer :: i, j
    p = 1.7d0
    !@parallelRegion{domName(i,j), domSize(4,3)}
    do j = 1, 3
      do i = 1, 4
        a(i,j) = max(0.1d0*i, min(0.2d0*j, 0.5d0, 0.3d0*i, 9.d0, 8.d0), 0.15d0)
        a(i,j) = sqrt(a(i,j)) + exp(-a(i,j)) + log(1 + a(i,j)) + a(i,j)**2 + a(i,j)**0.5 + a(i,j)**p + a(i,j)**(-3)
        a(i,j) = a(i,j) + mod(i, 3) + modulo(-i, 3) + sign(1.d0, a(i,j) - 2) + abs(-1.5d0) + nint(2.5d0*j) + int(a(i,j))
      end do
    end do
    !@end parallelRegion
    print '(es24.16)', a
  end subroutine run
end module r09
