! Routines of the host that call each other around kernels, for arguments for which they do not come back to themselves.
module mutual_hosts
  implicit none
  integer, parameter :: n = 8
contains
  subroutine large(x, d)
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: d(n)
    real(8) :: mirrored(n), v(n)
    integer :: k
    !@parallelRegion
    do k = 1, n
      d(k) = exp(-0.25d0*abs(x(k))) + k*0.125d0
      mirrored(k) = -x(k)
    end do
    if (x(1) < 0) then
      call other(mirrored, v)
      !@parallelRegion
      do k = 1, n
        d(k) = d(k) - v(n + 1 - k)
      end do
    end if
  end subroutine large

  subroutine other(x, v)
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: v(n)
    real(8) :: mirrored(n), d(n)
    integer :: k
    !@parallelRegion
    do k = 1, n
      v(k) = x(k)*0.5d0 + k
      mirrored(k) = -x(k)
    end do
    if (x(1) < 0) then
      call large(mirrored, d)
      !@parallelRegion
      do k = 1, n
        v(k) = v(k) + 2*d(k)
      end do
    end if
  end subroutine other

  subroutine run
    real(8) :: x(n), d(n), v(n)
    integer :: i
    x = [(0.3d0*i, i = 1, n)]
    do i = 1, 2
      call large(x, d)
      call other(x, v)
      print '(4f16.8)', d, v
      x = -x
    end do
  end subroutine run
end module mutual_hosts
