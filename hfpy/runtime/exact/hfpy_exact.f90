! Sums of floating-point numbers without rounding: the same bits for any order of the numbers, and so for any number of
! processes. A number is an integer times a power of two; the sum is kept as one long integer that has room for all
! of them (a superaccumulator, after Kulisch), and is rounded once, to nearest, ties to even.
module hfpy_exact
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private
  public :: hf_exact, hf_exact_clear, hf_exact_add, hf_exact_merge, hf_exact_round, hf_exact_parts, hf_exact_of_parts

  integer, parameter :: digits = 70                        ! of 32 bits; the top one has the sign
  integer, parameter, public :: hf_exact_size = digits + 3  ! of the parts of a sum
  integer, parameter :: unit_bit = 1088                    ! the bit of the long integer that is worth 1
  integer(int64), parameter :: low_half = 4294967295_int64 ! 2**32 - 1
  integer(int64), parameter :: most_additions = 2_int64**29

  ! A sum. Its digits may be larger than 32 bits, or negative, until they are carried over; they have room for 2**30
  ! additions before that.
  type :: hf_exact
    private
    integer(int64) :: digit(0:digits - 1) = 0
    integer(int64) :: additions = 0
    integer(int64) :: nans = 0, plus_infinities = 0, minus_infinities = 0
  end type

  interface hf_exact_add
    module procedure add_real32, add_real64
  end interface

  ! The nearest number to a sum. One of 32 bits is rounded once, not first to 64.
  interface hf_exact_round
    module procedure round_real32, round_real64
  end interface

contains

  ! Set a sum to zero.
  pure subroutine hf_exact_clear(sum)
    type(hf_exact), intent(out) :: sum

    sum%additions = 0
  end subroutine

  ! Add a number. Every number of 32 bits is one of 64.
  pure subroutine add_real32(sum, value)
    type(hf_exact), intent(inout) :: sum
    real(real32), intent(in) :: value
    integer(int32) :: bits, mantissa
    integer :: exponent

    bits = transfer(value, bits)
    exponent = ibits(bits, 23, 8)
    mantissa = ibits(bits, 0, 23)
    if (exponent == 255) then
      call add_special(sum, mantissa /= 0, bits < 0)
    else
      if (exponent > 0) mantissa = ibset(mantissa, 23)
      call add_integer(sum, int(mantissa, int64), max(exponent, 1) - 150, bits < 0)
    end if
  end subroutine

  ! Its bits are looked at, since compilers may take comparisons with NaN, or numbers without leading digit, for granted.
  pure subroutine add_real64(sum, value)
    type(hf_exact), intent(inout) :: sum
    real(real64), intent(in) :: value
    integer(int64) :: bits, mantissa
    integer :: exponent

    bits = transfer(value, bits)
    exponent = int(ibits(bits, 52, 11))
    mantissa = ibits(bits, 0, 52)
    if (exponent == 2047) then
      call add_special(sum, mantissa /= 0, bits < 0)
    else
      if (exponent > 0) mantissa = ibset(mantissa, 52)
      call add_integer(sum, mantissa, max(exponent, 1) - 1075, bits < 0)
    end if
  end subroutine

  pure subroutine add_special(sum, nan, negative)
    type(hf_exact), intent(inout) :: sum
    logical, intent(in) :: nan, negative

    if (nan) then
      sum%nans = sum%nans + 1
    else if (negative) then
      sum%minus_infinities = sum%minus_infinities + 1
    else
      sum%plus_infinities = sum%plus_infinities + 1
    end if
  end subroutine

  ! Add mantissa * 2**power, or take it away: at most 53 bits, in up to three digits.
  pure subroutine add_integer(sum, mantissa, power, negative)
    type(hf_exact), intent(inout) :: sum
    integer(int64), intent(in) :: mantissa
    integer, intent(in) :: power
    logical, intent(in) :: negative
    integer(int64) :: low, high, sign
    integer :: d, shift

    d = (power + unit_bit)/32
    shift = mod(power + unit_bit, 32)
    low = ishft(iand(mantissa, low_half), shift)
    high = ishft(ishft(mantissa, -32), shift)
    sign = merge(-1_int64, 1_int64, negative)
    sum%digit(d) = sum%digit(d) + sign*iand(low, low_half)
    sum%digit(d + 1) = sum%digit(d + 1) + sign*(ishft(low, -32) + iand(high, low_half))
    sum%digit(d + 2) = sum%digit(d + 2) + sign*ishft(high, -32)
    sum%additions = sum%additions + 1
    if (sum%additions >= most_additions) call carry(sum)
  end subroutine

  ! Add another sum, such as that of another thread.
  pure subroutine hf_exact_merge(sum, other)
    type(hf_exact), intent(inout) :: sum
    type(hf_exact), intent(in) :: other
    type(hf_exact) :: carried

    carried = other
    call carry(carried)
    call carry(sum)
    sum%digit = sum%digit + carried%digit
    sum%additions = 1
    sum%nans = sum%nans + other%nans
    sum%plus_infinities = sum%plus_infinities + other%plus_infinities
    sum%minus_infinities = sum%minus_infinities + other%minus_infinities
  end subroutine

  ! Bring all digits but the top one between 0 and 2**32 - 1.
  pure subroutine carry(sum)
    type(hf_exact), intent(inout) :: sum
    integer(int64) :: over
    integer :: d

    do d = 0, digits - 2
      over = shifta(sum%digit(d), 32)
      sum%digit(d) = iand(sum%digit(d), low_half)
      sum%digit(d + 1) = sum%digit(d + 1) + over
    end do
    sum%additions = 0
  end subroutine

  ! A sum as integers that can be added to those of other sums, part by part.
  pure function hf_exact_parts(sum) result(parts)
    type(hf_exact), intent(in) :: sum
    integer(int64) :: parts(hf_exact_size)
    type(hf_exact) :: carried

    carried = sum
    call carry(carried)
    parts = [carried%digit, carried%nans, carried%plus_infinities, carried%minus_infinities]
  end function

  ! The sum whose parts these are: those of up to 2**30 sums added.
  pure function hf_exact_of_parts(parts) result(sum)
    integer(int64), intent(in) :: parts(hf_exact_size)
    type(hf_exact) :: sum

    sum%digit = parts(:digits)
    sum%nans = parts(digits + 1)
    sum%plus_infinities = parts(digits + 2)
    sum%minus_infinities = parts(digits + 3)
    call carry(sum)
  end function

  pure subroutine round_real64(sum, total)
    type(hf_exact), intent(in) :: sum
    real(real64), intent(out) :: total
    type(hf_exact) :: carried

    carried = sum
    call carry(carried)
    total = transfer(rounded(carried, 52, 1074, 2047), total)
  end subroutine

  pure subroutine round_real32(sum, total)
    type(hf_exact), intent(in) :: sum
    real(real32), intent(out) :: total
    type(hf_exact) :: carried
    integer(int64) :: bits

    carried = sum
    call carry(carried)
    bits = rounded(carried, 23, 149, 255)
    total = transfer(int(merge(bits - 2_int64**32, bits, btest(bits, 31)), int32), total)
  end subroutine

  ! The bits of the nearest number of a format: `fraction` bits after the leading one, 2**(-smallest) the smallest number,
  ! `special` the exponent field of infinities and NaN.
  pure integer(int64) function rounded(sum, fraction, smallest, special) result(bits)
    type(hf_exact), intent(in) :: sum
    integer, intent(in) :: fraction, smallest, special
    type(hf_exact) :: size
    logical :: negative
    integer :: top, last, exponent, sign_bit

    sign_bit = fraction + merge(11, 8, fraction == 52)
    if (sum%nans > 0 .or. (sum%plus_infinities > 0 .and. sum%minus_infinities > 0)) then
      bits = ibset(ishft(int(special, int64), fraction), fraction - 1)
      return
    end if
    size = sum
    negative = sum%digit(digits - 1) < 0
    if (negative) then
      size%digit = -size%digit
      call carry(size)
    end if
    top = top_bit(size)
    bits = 0
    if (top >= 0) then
      last = max(top - fraction, unit_bit - smallest)        ! the bit that becomes the last of the number
      bits = bits_from(size, last, fraction + 1)
      if (bit(size, last - 1) .and. (btest(bits, 0) .or. any_below(size, last - 1))) bits = bits + 1
      ! The leading one counts as one in the exponent, as a carry from rounding does. What has no exponent is infinite.
      exponent = last - (unit_bit - smallest)
      bits = merge(bits + ishft(int(exponent, int64), fraction), ishft(int(special, int64), fraction), exponent < special - 1)
    end if
    if (sum%plus_infinities + sum%minus_infinities > 0) then
      bits = ishft(int(special, int64), fraction)
      negative = sum%minus_infinities > 0
    end if
    if (negative) bits = ibset(bits, sign_bit)
  end function

  ! The highest bit that is set, or -1.
  pure integer function top_bit(sum)
    type(hf_exact), intent(in) :: sum
    integer :: d

    top_bit = -1
    do d = digits - 1, 0, -1
      if (sum%digit(d) == 0) cycle
      top_bit = 32*d + 63 - leadz(sum%digit(d))
      return
    end do
  end function

  pure logical function bit(sum, place)
    type(hf_exact), intent(in) :: sum
    integer, intent(in) :: place

    bit = btest(sum%digit(place/32), mod(place, 32))
  end function

  ! Whether any bit below a place is set.
  pure logical function any_below(sum, place)
    type(hf_exact), intent(in) :: sum
    integer, intent(in) :: place

    any_below = any(sum%digit(:place/32 - 1) /= 0) .or. ibits(sum%digit(place/32), 0, mod(place, 32)) /= 0
  end function

  ! Some bits from a place upwards, as an integer.
  pure integer(int64) function bits_from(sum, place, count)
    type(hf_exact), intent(in) :: sum
    integer, intent(in) :: place, count
    integer :: i

    bits_from = 0
    do i = 0, count - 1
      if ((place + i)/32 >= digits) exit
      if (bit(sum, place + i)) bits_from = ibset(bits_from, i)
    end do
  end function

end module hfpy_exact
