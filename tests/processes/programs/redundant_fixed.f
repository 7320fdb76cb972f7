      module redundant_fixed
      use zoo
      implicit none
      integer :: nx, ny
      integer, parameter :: nxg = 17, nyg = 15, nh = 2
      contains
      subroutine setup()
!@decomposition{name(dec), domName(i,j), global(nxg,nyg), &
!@&  local(nx,ny), halo(i:nh, j:nh), grid(px,py), periodic(j)}
      end subroutine
      subroutine fill(u)
      real(8) u
      dimension u(1-nh:nx+nh, 1-nh:ny+nh, nz)
      integer i, j, k
!@wholeGrid
      do 10 k = 1, nz
      do 10 j = 1, ny
      do 10 i = 1, nx
        u(i,j,k) = code(i, j, k, 1)
   10 continue
      return
      end subroutine
      subroutine work(u, v)
      real(8) u(1-nh:nx+nh, 1-nh:ny+nh, nz)
      real(8) v(1-nh:nx+nh, 1-nh:ny+nh)
      integer i, j, k
!@haloExchange{fields(u, v)}
!@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:1, j:1)}
      do j = 1, ny
      do i = 1,
     &  nx
      v(i,j) = u(i,j,1) + global(j)
      end do
      end do
!@end parallelRegion
!@parallelRegion{halo(i:0), domName(i,j), domSize(nx,ny)}
      do j = 1, ny
      do i = 1, nx
      u(i,j,1) = v(i-1,j) + v(i+1,j+1)
      end do
      end do
!@end parallelRegion
      end subroutine
      subroutine turns(u, v, n, seldom)
      real(8) u(1-nh:nx+nh, 1-nh:ny+nh, nz)
      real(8) v(1-nh:nx+nh, 1-nh:ny+nh)
      integer i, j, m, n
      logical seldom
      if (seldom) then
      steps: do m = 1, n
!@haloExchange{fields(u), width(i:1, j:0:1), every(2)}
!@parallelRegion{domName(i,j), domSize(nx,ny)}
      do j = 1, ny
      do i = 1, nx
      v(i,j) = u(i-1,j,1) + 2*u(i+1,j+1,1) + global(j)
      end do
      end do
!@end parallelRegion
!@parallelRegion{domName(i,j), domSize(nx,ny)}
      do j = 1, ny
      do i = 1,
     &  nx
      u(i,j,1) = mod(v(i,j), 997d0)
      end do
      end do
!@end parallelRegion
      end do steps
      else
      do m = 1, n
!@haloExchange{fields(u)}
!@parallelRegion{domName(i,j), domSize(nx,ny)}
      do j = 1, ny
      do i = 1, nx
      v(i,j) = u(i-1,j,1) + 2*u(i+1,j+1,1) + global(j)
      end do
      end do
!@end parallelRegion
!@parallelRegion{domName(i,j), domSize(nx,ny)}
      do j = 1, ny
      do i = 1, nx
      u(i,j,1) = mod(v(i,j), 997d0)
      end do
      end do
!@end parallelRegion
      end do
      end if
      end subroutine
      subroutine run()
      real(8), allocatable :: u(:,:,:), v(:,:)
      real(8), allocatable :: x(:,:,:)
      integer i, j, t
      current = 'redundant_fixed'
      call setup()
      allocate(u(1-nh:nx+nh, 1-nh:ny+nh, nz))
      allocate(v(1-nh:nx+nh, 1-nh:ny+nh))
      u = 0
      v = 0
      call fill(u)
      call work(u, v)
      do j = 1, ny
      do i = 1, nx
      t = 0
      if (global(i) > 1) t = value(global(i)-1, global(j))
      if (global(i) < nxg) t = t + value(global(i)+1, global(j)+1)
      call told(u(i,j,1) == t, "u", i, j, 0, 0)
      end do
      end do
      allocate(x(1-nh:nx+nh, 1-nh:ny+nh, nz))
      do t = 1, 5
      x = u
      call turns(u, v, t, .true.)
      call turns(x, v, t, .false.)
      call told(all(u(1:nx,1:ny,1) == x(1:nx,1:ny,1)), "t", t, 0, 0, 0)
      end do
      contains
      integer function value(gi, gj)
      integer, intent(in) :: gi, gj
      value = 1 + modulo(gj - 1, nyg)
      value = value + code(gi, value, 1, 1)
      end function
      end subroutine
      end module
