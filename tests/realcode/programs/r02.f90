! row 2: intents everywhere, and two dummies without
module r02
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3), b(4,3), s
    integer :: i
    a = reshape([(0.1d0*i, i=1, 12)], [4, 3])
    b = 0
    s = 2
    call step(4, 3, a, b, s, .true.)
    print '(es24.16)', b, s
  end subroutine run
  subroutine step(n, m, a, b, s, flag)
    integer, intent(in) :: n, m
    real(8), intent(in) :: a(n,m)
    real(8) :: b(n,m)
    real(8) :: s
    logical, intent(in) :: flag
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(n,m)}
    do j = 1, m
      do i = 1, n
        b(i,j) = s*a(i,j)
        if (flag) b(i,j) = b(i,j) + i*j
      end do
    end do
    !@end parallelRegion
    s = b(n,m)
  end subroutine step
end module r02
