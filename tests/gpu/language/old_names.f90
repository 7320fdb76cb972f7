! specific names of intrinsic functions, as old code has them, those of double complex among them
module old_names
  implicit none
contains
  subroutine run()
    integer, parameter :: n = 6
    integer :: k(n), whole(n, 3), i
    real :: s(n, 4)
    real(8) :: d(n), x(n, 8)
    complex(8) :: z(n), made(n, 7)
    do i = 1, n
      k(i) = 7*i - 20
      d(i) = 1.7d0*i - 5.2d0
      z(i) = cmplx(0.3d0*i, 1 - 0.4d0*i, 8)
    end do
    call old_names_reals(n, k, d, whole, s, x)
    call old_names_complex(n, k, d, z, x, made)
    print '(6i6)', whole
    print '(6f12.5)', s
    print '(4es20.11)', x, made
  end subroutine run
  subroutine old_names_reals(n, k, d, whole, s, x)
    integer, intent(in) :: n, k(n)
    real(8), intent(in) :: d(n)
    integer, intent(out) :: whole(n, 3)
    real, intent(out) :: s(n, 4)
    real(8), intent(out) :: x(n, 8)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      whole(i, 1) = idint(d(i)) + idnint(d(i))
      whole(i, 2) = ifix(sngl(d(i))) + iabs(k(i))
      whole(i, 3) = isign(max0(k(i), 2), idim(k(i), 3))
      s(i, 1) = float(k(i))/3
      s(i, 2) = sngl(d(i))/2
      s(i, 3) = amod(float(k(i)), 4.0)
      s(i, 4) = alog(amax1(float(k(i)), 1.5))
      x(i, 1) = dint(d(i))/2
      x(i, 2) = dnint(d(i))/4
      x(i, 3) = dfloat(k(i))/3
      x(i, 4) = dsign(derf(d(i)), dble(k(i)))
    end do
    !@end parallelRegion
  end subroutine old_names_reals
  subroutine old_names_complex(n, k, d, z, x, made)
    integer, intent(in) :: n, k(n)
    real(8), intent(in) :: d(n)
    complex(8), intent(in) :: z(n)
    real(8), intent(inout) :: x(n, 8)
    complex(8), intent(out) :: made(n, 7)
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      x(i, 5) = dimag(z(i)) + dreal(z(i))/3
      x(i, 6) = cdabs(z(i))
      x(i, 7) = zabs(dconjg(z(i)))
      x(i, 8) = dimag(dcmplx(k(i), d(i))**2)
      made(i, 1) = dcmplx(d(i), 0.1d0)
      made(i, 2) = dcmplx(d(i)/3)
      made(i, 3) = dcmplx(k(i), 1)/3
      made(i, 4) = cdexp(dcmplx(0d0, d(i)))
      made(i, 5) = zexp(z(i)) - cdlog(z(i))
      made(i, 6) = cdsqrt(z(i)) + zsqrt(z(i) + 1)
      made(i, 7) = zsin(z(i))*cdcos(z(i)) + dconjg(z(i))
    end do
    !@end parallelRegion
  end subroutine old_names_complex
end module old_names
