! Actions of one-line ifs that begin on lines that go on, with copies around them.
module continued_ifs
  implicit none
contains
  subroutine step(n, f, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: f(n), a(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      f(i) = f(i) + a(i)
    end do
    !@end parallelRegion
    if (n > 3) &
      f(1) = f(2) + 1
    if (n > 4)   &   ! a comment
      & f(2) = f(1) &
             + f(3)
    if (n > 9) f(3) = &
      f(4)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      f(i) = f(i)*2
    end do
    !@end parallelRegion
  end subroutine step
  subroutine run()
    real(8) :: f(12), a(12)
    integer :: i
    f = [(i*0.5d0, i = 1, 12)]
    a = [(i*i*1d0, i = 1, 12)]
    call step(12, f, a)
    call step(4, f, a)
    print *, f
  end subroutine run
end module continued_ifs
