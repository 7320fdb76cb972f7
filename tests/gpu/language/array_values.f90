! Functions whose value is an array that kernels set: compilers may give it the memory of the variable that gets it,
! which is on the device.
module array_values
  implicit none
  integer, parameter :: n = 12
  real(8) :: kept(n,3)
contains
  function slope(a) result(d)
    real(8), intent(in) :: a(n)
    real(8) :: d(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      d(i) = a(min(i+1, n)) - a(max(i-1, 1))
    end do
  end function slope

  function bent(a)
    real(8), intent(in) :: a(n)
    real(8) :: bent(n)
    integer :: i
    bent = 1
    !@parallelRegion
    do i = 2, n - 1
      bent(i) = a(i+1) - 2*a(i) + a(i-1)
    end do
    if (a(1) > 5) return
    bent(1) = -bent(2)
  end function bent

  function filled(a) result(f)
    real(8), intent(in) :: a(n)
    real(8) :: f(n)
    f = 2*a
    call double(f)
  end function filled

  subroutine double(a)
    real(8), intent(inout) :: a(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      a(i) = 2*a(i)
    end do
  end subroutine double

  subroutine step(a, steps)
    integer, intent(in) :: steps
    real(8), intent(inout) :: a(n)
    real(8) :: first(n), second(n), third(n)
    integer :: i, step_number
    do step_number = 1, steps
      first = slope(a)
      second = bent(a)
      third = filled(first)
      kept(:,2) = slope(second)
      !@parallelRegion
      do i = 1, n
        a(i) = a(i) + 0.125d0*first(i) + 0.0625d0*second(i) + 0.25d0*kept(i,2) - third(i)/64
        kept(i,1) = first(i)
        kept(i,3) = kept(i,2) + third(i)
      end do
    end do
  end subroutine step

  subroutine run
    real(8) :: a(n)
    integer :: i
    a = [(modulo(5*i, n), i = 1, n)]
    kept = 0
    call step(a, 3)
    print '(6f12.6)', a, kept
  end subroutine run
end module array_values
