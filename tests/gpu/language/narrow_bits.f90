! bits of integers of one and two bytes that are results of operations: C computes them as int, which has more bits
module narrow_bits
  implicit none
contains
  subroutine run()
    integer, parameter :: n = 7
    integer(1) :: a(n), b(n)
    integer(2) :: h(n)
    integer :: counted(n, 6), turned(n, 8), i
    do i = 1, n
      a(i) = int(17*i - 60, 1)
      b(i) = int(9*i - 31, 1)
      h(i) = int(5000*i - 17000, 2)
    end do
    call narrow_bits_counted(n, a, b, h, counted)
    call narrow_bits_turned(n, a, b, h, turned)
    print '(7i8)', counted, turned
  end subroutine run
  subroutine narrow_bits_counted(n, a, b, h, counted)
    integer, intent(in) :: n
    integer(1), intent(in) :: a(n), b(n)
    integer(2), intent(in) :: h(n)
    integer, intent(out) :: counted(n, 6)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      counted(i, 1) = popcnt(-a(i)) + popcnt(-1_1)
      counted(i, 2) = popcnt(not(a(i)))
      counted(i, 3) = leadz(iand(a(i), b(i))) + leadz(5_2)
      counted(i, 4) = trailz(a(i) - a(i))
      counted(i, 5) = popcnt(merge(-a(i), b(i), i > 3))
      counted(i, 6) = popcnt(max(h(i)/2_2, -3_2))
    end do
    !@end parallelRegion
  end subroutine narrow_bits_counted
  subroutine narrow_bits_turned(n, a, b, h, turned)
    integer, intent(in) :: n
    integer(1), intent(in) :: a(n), b(n)
    integer(2), intent(in) :: h(n)
    integer, intent(out) :: turned(n, 8)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      turned(i, 1) = shiftr(-a(i), 1)
      turned(i, 2) = ishftc(-a(i)/2_1, 1)
      turned(i, 3) = ishft(ieor(h(i), -1_2), -3)
      turned(i, 4) = ishft(-5_1, -1)
      turned(i, 5) = ishftc(shifta(11_1, 3), -i)
      turned(i, 6) = ibits(-a(i), 3, 5)
      turned(i, 7) = shiftl(a(i) + b(i)/2_1, 3)
      turned(i, 8) = ibset(ibclr(-b(i), 2), 7)
    end do
    !@end parallelRegion
  end subroutine narrow_bits_turned
end module narrow_bits
