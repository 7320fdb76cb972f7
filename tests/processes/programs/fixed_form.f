      module fixed_form
      use zoo
      implicit none
      integer :: nx, ny
      integer, parameter :: nxg = 17, nyg = 15, nh = 2
      contains
      subroutine setup()
!@decomposition{name(dec), domName(i,j), global(nxg,nyg), &
!@&  local(nx,ny), halo(i:nh, j:nh), grid(px,py), reductions(global)}
      end subroutine
      subroutine fill(u)
      real(8) u
      dimension u(1-nh:nx+nh, 1-nh:ny+nh, nz)
      integer i, j, k
!@wholeGrid
      do 10 k = 1, nz
      do 10 j = 1, ny
      do 10 i = 1,
     &  nx
        u(i,j,k) = code(i, j, k, 1)
   10 continue
      return
      end subroutine
      subroutine work(u, s)
      real(8) u(1-nh:nx+nh, 1-nh:ny+nh, nz), s
      integer i, j, k
!@haloExchange{fields(u), width(i:1, j:2)}
      s = 3
!@parallelRegion{domName(i,j), domSize(nx,ny), reduction(+:s)}
      do j = 1, ny
      do i = 1, nx
      s = s + u(i-1,j+2,1) + global(i) + 100*global(j) + u(i+1,j-1,nz)
      end do
      end do
!@end parallelRegion
      end subroutine
      subroutine run()
      real(8), allocatable :: u(:,:,:)
      real(8) s, t
      integer i, j
      current = 'fixed_form'
      call setup()
      allocate(u(1-nh:nx+nh, 1-nh:ny+nh, nz))
      u = 0
      call fill(u)
      call work(u, s)
      t = 3
      do j = 1, nyg
      do i = 1, nxg
      t = t + i + 100*j
      if (i > 1 .and. j < nyg - 1) t = t + code(i-1, j+2, 1, 1)
      if (i < nxg .and. j > 1) t = t + code(i+1, j-1, nz, 1)
      end do
      end do
      call told(s == t, "s", 0, 0, 0, 0)
      end subroutine
      end module
