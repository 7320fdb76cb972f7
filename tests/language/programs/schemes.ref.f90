! schemes, host-only routines, architecture branches, data statements, expressions as arguments
module schemes_host
  implicit none
contains
  subroutine host_only(a, n, total)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: total
    !
    !
    total = sum(a)
  end subroutine host_only
end module schemes_host
module schemes
  use schemes_host, only: host_only
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), s(nz), total
    integer :: i9, j9, k9, table(3)
    data table /1, 2*4/
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      a(i9,j9,k9) = i9 + 0.1d0*j9 + 0.01d0*k9*table(2)
    end do; end do; end do
    call kernels(a, 2*table(3) - 6, a(1,1,1) > 0)
    s = a(2,2,:)
    call host_only(s, size(s), total)
    print '(es24.16)', (((a(i9,j9,k9), i9=1, nx), j9=1, ny), k9=1, nz), total
  end subroutine run
  subroutine kernels(a, level, on)
    real(8), intent(inout) :: a(nx,ny,nz)
    integer, intent(in) :: level
    logical, intent(in) :: on
    integer :: x, y
    if (.not. on) return
    do y = 1, ny; do x = 1, nx
    call device_add(a(x,y,:), level + 1, a(x,y,level)*2.d0)
    a(x,y,1) = 1
    !
    end do; end do
  end subroutine kernels
  subroutine device_add(a, k, v)
    real(8), intent(inout) :: a(nz)
    integer, intent(in) :: k
    real(8), intent(in) :: v
    a(k) = a(k) + v
  end subroutine device_add
end module schemes
