! trap: a section that is contiguous in one order and strided in the other
module t09
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), plane(nx,ny)
    integer :: n, i9, j9, k9
    integer :: x, y
    plane = 0.25d0
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 1 + 0.1d0*n
    end do; end do; end do
    do y = 1, ny; do x = 1, nx
    call column(a(x,y,:), nz)
    call column(a(x,y,2:4), 3)
    end do; end do
    call flatten(a(:,:,2), plane)
    call flatten(a(:,2,:), a(:,:,5))
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz), plane
  end subroutine run
  subroutine column(c, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: c(n)
    integer :: k
    do k = 2, n
      c(k) = c(k) + 0.5d0*c(k-1)
    end do
  end subroutine column
  subroutine flatten(from, into)
    real(8), intent(in) :: from(:,:)
    real(8), intent(inout) :: into(:,:)
    into(:,1) = from(:,1) + sum(from(:,size(from, 2)))
  end subroutine flatten
end module t09
