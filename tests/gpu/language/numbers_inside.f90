! functions of what numbers are made of: parts of reals, bits of integers, questions of ieee_arithmetic, keywords
module numbers_inside
  implicit none
contains
  subroutine run()
    integer, parameter :: n = 6
    integer :: k(n), j(n), bits(n, 12), places(n, 8), i
    real(8) :: d(n), special(n), parts(n, 9)
    logical :: asked(n, 10)
    do i = 1, n
      k(i) = 37*i*i - 200
      j(i) = 11*i - 40
      d(i) = (0.63d0*i*i + 1.01d0)*merge(1, -1, mod(i, 3) == 1)
    end do
    d(5) = 0
    special = d
    special(2) = transfer(9221120237041090560_8, 1d0)  ! NaN
    special(3) = transfer(-4503599627370496_8, 1d0)  ! -Infinity
    special(4) = sign(0d0, -1d0)
    special(6) = transfer(5_8, 1d0)  ! less than tiny
    call numbers_inside_bits(n, k, j, bits)
    call numbers_inside_parts(n, d, parts)
    call numbers_inside_asked(n, k, j, special, asked)
    call numbers_inside_places(n, k, j, places)
    print '(6i12)', bits, places
    print '(3es25.17)', parts
    print '(6l2)', asked
  end subroutine run
  subroutine numbers_inside_bits(n, k, j, bits)
    integer, intent(in) :: n, k(n), j(n)
    integer, intent(out) :: bits(n, 12)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      bits(i, 1) = poppar(k(i))
      bits(i, 2) = maskl(5) + maskr(i)
      bits(i, 3) = int(shiftr(maskl(i, 8), 40))
      bits(i, 4) = merge_bits(k(i), j(i), 85)
      bits(i, 5) = dshiftl(k(i), j(i), i)
      bits(i, 6) = dshiftr(k(i), j(i), 32) + dshiftr(k(i), j(i), 0)
      bits(i, 7) = mod(p=3, a=k(i))
      bits(i, 8) = ishftc(size=9, i=k(i), shift=3)
      bits(i, 9) = merge(mask=k(i) > j(i), tsource=k(i), fsource=j(i))
      bits(i, 10) = ibits(k(i), len=3, pos=2)
      bits(i, 11) = sign(b=k(i), a=7)
      bits(i, 12) = storage_size(k(i)) + radix(k(i)) + maxexponent(1d0) + minexponent(1.0)
    end do
    !@end parallelRegion
  end subroutine numbers_inside_bits
  subroutine numbers_inside_parts(n, d, parts)
    integer, intent(in) :: n
    real(8), intent(in) :: d(n)
    real(8), intent(out) :: parts(n, 9)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      parts(i, 1) = fraction(d(i)) + exponent(d(i))
      parts(i, 2) = scale(i=-3, x=d(i))
      parts(i, 3) = set_exponent(d(i), i)
      parts(i, 4) = nearest(d(i), -1.0)
      parts(i, 5) = nearest(s=1d0, x=d(i))
      parts(i, 6) = spacing(d(i))
      parts(i, 7) = rrspacing(d(i))
      parts(i, 8) = spacing(real(d(i)))
      parts(i, 9) = ddim(d(i), 2d0)
    end do
    !@end parallelRegion
  end subroutine numbers_inside_parts
  subroutine numbers_inside_asked(n, k, j, d, asked)
    use, intrinsic :: ieee_arithmetic
    integer, intent(in) :: n, k(n), j(n)
    real(8), intent(in) :: d(n)
    logical, intent(out) :: asked(n, 10)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      asked(i, 1) = bge(k(i), j(i))
      asked(i, 2) = bgt(k(i), -j(i))
      asked(i, 3) = ble(k(i), j(i))
      asked(i, 4) = blt(k(i), -j(i))
      asked(i, 5) = ieee_is_nan(d(i))
      asked(i, 6) = ieee_is_finite(d(i))
      asked(i, 7) = ieee_is_normal(d(i))
      asked(i, 8) = ieee_is_negative(d(i))
      asked(i, 9) = ieee_unordered(1d0, d(i))
      asked(i, 10) = ieee_copy_sign(2d0, d(i)) > 0
    end do
    !@end parallelRegion
  end subroutine numbers_inside_asked
  subroutine numbers_inside_places(n, k, j, places)
    integer, intent(in) :: n, k(n), j(n)
    integer, intent(out) :: places(n, 8)
    integer :: i, w(4), m(2, 3)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      w = [k(i), j(i), 3, k(i)]
      m = reshape([k(i), j(i), 3, k(i), 7, j(i)], [2, 3])
      places(i, 1) = findloc(w, k(i), 1)
      places(i, 2) = findloc(w, k(i), dim=1, back=.true.)
      places(i, 3) = findloc(w, 3, 1, w > 2)
      places(i, 4) = sum(findloc(m, j(i), back=.true.)) + sum(findloc(m, 7))
      places(i, 5) = iall(w) + iany(w, mask=w > 2)
      places(i, 6) = iparity(w)
      places(i, 7) = merge(1, 0, parity(w > 2))
      places(i, 8) = sum(iany(m, dim=1)*[1, 2, 3]) + sum(findloc(m, 3, dim=2))
    end do
    !@end parallelRegion
  end subroutine numbers_inside_places
end module numbers_inside
