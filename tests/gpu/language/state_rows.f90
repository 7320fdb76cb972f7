! where copies stand: several statements on a line, labels that jumps lead to, one-line ifs
module state_rows
  implicit none
  integer, parameter :: n = 5
contains
  subroutine run()
    real(8) :: a(n), s
    integer :: turn
    a = [1.d0, 2.d0, 3.d0, 4.d0, 5.d0]
    do turn = 0, 4
      call top(a, s, turn)
      print '(6es24.16)', a, s
    end do
  end subroutine run

  subroutine top(a, s, turn)
    real(8), intent(inout) :: a(n)
    real(8), intent(out) :: s
    integer, intent(in) :: turn
    integer :: i
    s = 0
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i) + 1
    end do
    !@end parallelRegion
    call twice(n, a); s = sum(a); call twice(n, a); a(1) = s; call twice(n, a); s = s + a(1)
    if (turn == 1) call twice(n, a); s = s + a(2); if (turn == 2) a(2) = 0; if (turn == 3) call twice(3, a(1:n:2))
    do i = 1, 2; call twice(n, a); a(i) = a(i) + s; end do; a(3) = a(3) - 1
    if (turn == 0) goto 10
    a(4) = -1
10  a(5) = a(4) + turn
    if (turn == 1) goto 20
    call twice(n, a)
20  call twice(3, a(1:n:2))
    do 30 i = 1, 3
      if (i == 2) goto 30
      call twice(n, a); a(i) = 2 + a(n)
30  continue
    if (turn > 3) then
      call twice(n, a)
    else if (largest(3, a(1:n:2)) > largest(n, a)) then
      a(1) = 1
    else if (sum(a) > 0) then
      call twice(2, a)
    end if
    if (turn == 2) goto 99
    a = a/8
    if (turn == 3) return; s = a(1)
99  return
  end subroutine top

  real(8) function largest(m, v)
    integer, intent(in) :: m
    real(8), intent(in) :: v(m)
    integer :: i
    largest = v(1)
    !@parallelRegion{domName(i), domSize(m), reduction(max:largest)}
    do i = 1, m
      largest = max(largest, v(i))
    end do
    !@end parallelRegion
  end function largest

  subroutine twice(m, v)
    integer, intent(in) :: m
    real(8), intent(inout) :: v(m)
    integer :: i
    !@parallelRegion{domName(i), domSize(m)}
    do i = 1, m
      v(i) = 2*v(i)
    end do
    !@end parallelRegion
  end subroutine twice
end module state_rows
