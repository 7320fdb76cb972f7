! all operators in one kernel, and the order of sums
module kernel_reductions
  implicit none
  integer, parameter :: n = 11, m = 3
contains
  subroutine run()
    integer :: a(n,m), total, low, high, bits, either, odd
    real(8) :: x(n,m), factor, least, most
    logical :: all_, some, same, differ
    integer :: i, j
    do j = 1, m
      do i = 1, n
        a(i,j) = ieor(i*7, j*29)
        x(i,j) = 2.d0**(mod(i + j, 3) - 1)
      end do
    end do
    total = 100
    low = 1000
    high = -1
    bits = -1
    either = 0
    odd = 5
    factor = 3
    least = 1
    most = 0
    all_ = .true.
    some = .false.
    same = .true.
    differ = .false.
    !@parallelRegion{domName(i,j), domSize(n,m), reduction(+:total), reduction(min:low), reduction(max:high), &
    !@ reduction(iand:bits), reduction(ior:either), reduction(ieor:odd), reduction(*:factor), reduction(min:least), &
    !@ reduction(max:most), reduction(.and.:all_), reduction(.or.:some), reduction(.eqv.:same), reduction(.neqv.:differ)}
    do j = 1, m
      do i = 1, n
        total = total + a(i,j)
        low = min(low, a(i,j))
        high = max(high, a(i,j))
        bits = iand(bits, a(i,j) + 64)
        either = ior(either, a(i,j))
        odd = ieor(odd, a(i,j))
        factor = factor*x(i,j)
        least = min(least, x(i,j))
        most = max(most, x(i,j))
        all_ = all_ .and. a(i,j) >= 0
        some = some .or. a(i,j) == 93
        same = same .eqv. a(i,j) > 50
        differ = differ .neqv. a(i,j) > 40
      end do
    end do
    !@end parallelRegion
    print *, total, low, high, bits, either, odd
    print '(3es24.16)', factor, least, most
    print *, all_, some, same, differ
  end subroutine run
end module kernel_reductions
