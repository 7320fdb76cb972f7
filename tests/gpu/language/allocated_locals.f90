! Local arrays of called routines that one statement allocates: arrays with bounds in kernels.
module allocated_locals
  implicit none
  integer, parameter :: nx = 6, nz = 9
  integer, save :: extra = 2
contains
  subroutine column(n, t, q, total)
    integer, intent(in) :: n
    real(8), intent(inout) :: t(n), total
    real(8), intent(in) :: q(n)
    real(8), allocatable :: flux(:), parts(:,:)
    integer, dimension(:), allocatable :: level
    integer :: k
    total = q(1)
    allocate (flux(0:n), parts(n,-1:extra), level(n+1-(2*1)))
    flux = 0.5d0
    parts(:,0) = q
    parts(:,extra) = 2*t
    level(:) = [(k, k=1, nz-1)]
    do k = 1, n - 1
      flux(k) = flux(k-1) + parts(k,0)*level(k)
    end do
    call add(flux(1:n), parts(:,extra))
    call add(parts(:,0), q)
    t = flux(1:n) + parts(:,0) + lbound(flux, 1) + size(parts) + lbound(parts, 2)
    total = total + flux(0) + ubound(flux, 1)
    if (total > 12) return
    deallocate (flux, level)
    total = -total
    deallocate (parts)
  end subroutine column
  subroutine add(x, y)
    real(8), intent(inout) :: x(:)
    real(8), intent(in) :: y(:)
    integer :: k
    do k = 1, size(x)
      x(k) = x(k) + y(k)*k
    end do
  end subroutine add
  subroutine summed(x, y)
    real(8), intent(inout) :: x(:)
    real(8), intent(in) :: y(0:)
    real(8), allocatable :: w(:), z(:)
    integer :: l
    allocate (w(size(x)), z(lbound(y, 1):ubound(y, 1)))
    do l = 1, size(w)
      w(l) = x(l) + y(l-1)
      z(l-1) = l
    end do
    call carry
    x = w*z + last()
  contains
    subroutine carry
      integer :: k
      do k = 2, size(w)
        w(k) = w(k) + 0.5d0*w(k-1)
      end do
    end subroutine carry
    real(8) function last()
      last = w(size(w)) - z(0)
    end function last
  end subroutine summed
  subroutine run()
    real(8) :: t(nx,nz), q(nx,nz), total(nx)
    integer :: i, k
    do k = 1, nz
      do i = 1, nx
        t(i,k) = 10*i - k
        q(i,k) = mod(7*i + 5*k, 11)/11d0
      end do
    end do
    !@parallelRegion
    do i = 1, nx
      call column(nz, t(i,:), q(i,:), total(i))
      call summed(t(i,:), q(i,:))
    end do
    print '(6es24.15)', t, total
  end subroutine run
end module allocated_locals
