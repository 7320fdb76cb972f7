! row 18: allocate and deallocate with stat=, allocatable locals, once inside a loop
module r18
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8), allocatable :: a(:,:,:), t(:,:)
    integer :: n, i9, j9, k9, status
    !
    allocate(a(nx,ny,nz), t(nx,ny), stat=status)
    if (status /= 0) stop 3
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 0.1d0*n
    end do; end do; end do
    t = 0
    do n = 1, 3
      call step(n, a, t)
    end do
    print '(es24.16)', t
    deallocate(a, stat=status)
    if (allocated(t)) deallocate(t)
  end subroutine run
  subroutine step(n, a, t)
    integer, intent(in) :: n
    real(8), intent(in) :: a(nx,ny,nz)
    real(8), intent(inout) :: t(nx,ny)
    real(8), allocatable :: work(:), scratch(:,:)
    integer :: k
    integer :: x, y
    allocate(scratch(nx,ny))
    scratch = n
    do y = 1, ny; do x = 1, nx
    allocate(work(n))
    do k = 1, n
      work(k) = a(x,y,k)*scratch(x,y)
    end do
    t(x,y) = t(x,y) + sum(work)
    deallocate(work)
    end do; end do
    deallocate(scratch)
  end subroutine step
end module r18
