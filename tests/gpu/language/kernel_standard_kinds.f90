! constants of intrinsic modules in a region and in what it calls: imported, renamed, passed on by other modules
module standard_kinds
  use, intrinsic :: iso_fortran_env, only: wp => real64, sp => real32, int64
  implicit none
  private
  public :: wp, sp, int64
  integer, parameter, public :: long = int64
end module standard_kinds

module standard_values
  use standard_kinds
  implicit none
  real(wp), parameter :: gravity = 9.81_wp, table(3) = [1.0_wp, 2.5_wp, 4.0_wp]
end module standard_values

module kernel_standard_kinds
  use standard_values
  use standard_kinds, only: rk => wp, long
  use, intrinsic :: iso_fortran_env, only: numeric_storage_size, int16
  use iso_c_binding
  implicit none
  integer, parameter :: n = 7
contains
  pure function curve(x) result(y)
    real(rk), intent(in) :: x
    real(rk) :: y
    y = real(int(x*100, long), rk)*gravity + table(2) + real(1.1_sp, kind=wp)
  end function curve

  subroutine rounded(x)
    use, intrinsic :: iso_fortran_env, only: single => real32
    real(rk), intent(inout) :: x
    x = real(real(x, single), wp) + 0.1_single
  end subroutine rounded

  subroutine run()
    real(rk) :: a(n)
    integer :: i
    integer(int64) :: mixed
    logical(c_bool) :: large
    a = 0
    !@parallelRegion
    do i = 1, n
      mixed = ieor(int(i, int64)*1234567891_int64, shiftr(987654321987_c_long_long, 5))
      a(i) = a(i) + curve(real(i, rk)) + real(mod(mixed, 1000_long), rk) + numeric_storage_size/8
      large = int(mixed, c_int) > 0
      if (kind(a(i)) == rk .and. large) a(i) = a(i) + real(i, c_double)
      a(i) = a(i) + min(int(7, int16), int(i, int16))
      call rounded(a(i))
    end do
    !@end parallelRegion
    print '(es24.16)', a
  end subroutine run
end module kernel_standard_kinds
