! the bits of a number as a number of another type: transfer between reals and integers
module same_bits
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  implicit none
  integer, parameter :: seeds = 11
contains
  subroutine run()
    real(real64) :: x(seeds), y(seeds)
    real(real32) :: s(seeds)
    integer(int64) :: bits(seeds, 4)
    integer :: i, short(seeds, 4)
    do i = 1, seeds
      x(i) = (i - 6)*1.25d0**i
      s(i) = real(i, real32)/7 - 0.5
    end do
    call same_bits_words(seeds, x, s, bits, short)
    call same_bits_hashed(seeds, x, y)
    print '(3i22)', bits
    print '(5i12)', short
    print '(4f18.12)', y
  end subroutine run
  subroutine same_bits_words(n, x, s, bits, short)
    integer, intent(in) :: n
    real(real64), intent(in) :: x(n)
    real(real32), intent(in) :: s(n)
    integer(int64), intent(out) :: bits(n, 4)
    integer, intent(out) :: short(n, 4)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      bits(i, 1) = transfer(x(i), 0_int64)
      bits(i, 2) = iand(transfer(source=x(i)*2, mold=bits(i, 1)), 1048575_int64)
      bits(i, 3) = transfer(mold=1_int64, source=-x(i))
      bits(i, 4) = transfer(transfer(bits(i, 1) + i, x(1)), 0_int64)
      short(i, 1) = transfer(s(i), short(1, 1))
      short(i, 2) = transfer(1.5, 0) + transfer(i, i)
      short(i, 3) = nint(10*transfer(shiftr(transfer(abs(s(i)) + 1, 0), 1) + 532487670, 1.0))
      short(i, 4) = merge(1, 0, transfer(s(i), 0) < 0)
    end do
    !@end parallelRegion
  end subroutine same_bits_words
  subroutine same_bits_hashed(n, x, y)
    integer, intent(in) :: n
    real(real64), intent(in) :: x(n)
    real(real64), intent(out) :: y(n)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      y(i) = between(x(i)) + rough_root(abs(x(i)) + 1)
    end do
    !@end parallelRegion
  end subroutine same_bits_hashed
  ! a number from 0 to 1 that depends on the bits of another one
  pure function between(x) result(u)
    real(real64), intent(in) :: x
    real(real64) :: u
    integer(int64) :: h
    h = transfer(x, h)
    h = ieor(h, shiftl(h, 13))
    h = ieor(h, shiftr(h, 7))
    h = ieor(h, shiftl(h, 17))
    u = transfer(ior(shiftr(h, 12), 4607182418800017408_int64), 1d0) - 1
  end function between
  ! the square root as far as halving the exponent gives it
  pure function rough_root(x) result(r)
    real(real64), intent(in) :: x
    real(real64) :: r
    r = transfer(2303591209400008704_int64 + shiftr(transfer(x, 1_int64), 1), r)
    r = 0.5d0*(r + x/r)
  end function rough_root
end module same_bits
