! whole numbers, truth values and reals of every kind, as arrays, as scalars that go in, and as scalars that come out
module kernel_kinds
  implicit none
  integer, parameter :: n = 6
contains
  subroutine run()
    integer(1) :: i1(n)
    integer(2) :: i2(n)
    integer(8) :: i8(n), big
    logical(1) :: l1(n)
    logical(2) :: l2(n)
    logical :: l4(n), last
    logical(8) :: l8(n)
    real(4) :: r4(n)
    integer :: i
    do i = 1, n
      i1(i) = int(20*i, 1)
      i2(i) = int(-3000*i, 2)
      i8(i) = 3000000000_8*i
      l1(i) = mod(i, 2) == 0
      l2(i) = mod(i, 3) == 0
      l4(i) = i > 3
      l8(i) = i == 4
      r4(i) = 0.1*i
    end do
    big = 5000000000_8
    call change(int(n, 8), i1, i2, i8, l1, l2, l4, l8, r4, big, last)
    print *, i1, i2
    print *, i8, big
    print *, l1, l2, l4, l8, last
    print '(es16.8)', r4
  end subroutine run

  subroutine change(m, i1, i2, i8, l1, l2, l4, l8, r4, big, last)
    integer(8), intent(in) :: m
    integer(1), intent(inout) :: i1(m)
    integer(2), intent(inout) :: i2(m)
    integer(8), intent(inout) :: i8(m), big
    logical(1), intent(inout) :: l1(m)
    logical(2), intent(inout) :: l2(m)
    logical, intent(inout) :: l4(m)
    logical(8), intent(inout) :: l8(m)
    real(4), intent(inout) :: r4(m)
    logical, intent(out) :: last
    integer(8) :: i, half
    half = big/2
    !@parallelRegion{domName(i), domSize(m), reduction(+:big)}
    do i = 1, m
      i1(i) = -i1(i) + 1_1
      i2(i) = i2(i)/7_2 + int(i, 2)
      i8(i) = i8(i)*3 + half
      big = big + i8(i)
      l1(i) = l1(i) .neqv. l2(i)
      l2(i) = l4(i) .and. .not. l8(i)
      l8(i) = l1(i) .or. i8(i) > 30000000000_8
      l4(i) = l2(i) .eqv. l8(i)
      r4(i) = r4(i)*r4(i) + real(i, 4)
      last = l4(i)
    end do
    !@end parallelRegion
  end subroutine change
end module kernel_kinds
