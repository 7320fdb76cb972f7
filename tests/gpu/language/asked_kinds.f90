! kinds by what other types can hold: precision() and range() in their definitions
module asked_kinds
  implicit none
  integer, parameter :: n = 4
  real :: short
  real(selected_real_kind(2*precision(short))) :: long
  integer, parameter :: wp = selected_real_kind(2*precision(1.0)), far = selected_real_kind(r=range(short) + 1)
  integer, parameter :: tall = selected_int_kind(2*range(1)), small = selected_int_kind(range(1_2))
contains
  subroutine run()
    real(wp) :: a(n), factor
    real(far) :: b(n)
    integer(tall) :: total(n), big
    integer(small) :: few(n)
    integer :: i
    factor = 1.000000000001_wp
    long = 1.000000000003_wp
    big = 4000000000_tall
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = factor*i
      b(i) = 1e100_far*i*long
      total(i) = big*i
      few(i) = int(i, small)
    end do
    !@end parallelRegion
    print '(es24.16)', a, b
    print *, total, few
  end subroutine run
end module asked_kinds
