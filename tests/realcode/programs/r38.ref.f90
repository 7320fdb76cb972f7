! row 38: indirect subscripts: a gather in the region, a scatter outside
module r38
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), s(nx), g(nx,ny)
    integer :: n, i9, j9, k9, idx(nx), order(nz), kmax(nx,ny), k
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = sin(0.3d0*n)
    end do; end do; end do
    idx = [3, 1, 4, 2]
    order = [5, 3, 1, 2, 4]
    kmax = reshape([(mod(n, nz) + 1, n=1, 12)], [nx, ny])
    s = 0
    do y = 1, ny; do x = 1, nx
    g(x,y) = a(idx(x),y,2) + a(x,y,order(2)) + a(x,y,kmax(x,y))
    do k = 1, nz
      g(x,y) = 2*g(x,y) + a(x,y,order(k))
    end do
    end do; end do
    do n = 1, nx
      s(idx(n)) = s(idx(n)) + g(n,1)
    end do
    print '(es24.16)', g, s
  end subroutine run
end module r38
