! row 46: dot_product, matmul, reshape, merge inside a column
module r46
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), m(nz,nz), w(nz), t(nx,ny), p(2,2)
    integer :: n, i9, j9, k9
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 1 + 0.1d0*n
    end do; end do; end do
    m = reshape([(0.01d0*n, n=1, 25)], [nz, nz])
    do y = 1, ny; do x = 1, nx
    w = matmul(m, a(x,y,:))
    t(x,y) = dot_product(w, a(x,y,:)) + merge(1.d0, 2.d0, a(x,y,1) > 2)
    p = reshape(a(x,y,1:4), [2, 2])
    a(x,y,:) = merge(w, a(x,y,:), w > 0.5d0) + p(2,1)
    end do; end do
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz), t
  end subroutine run
end module r46
