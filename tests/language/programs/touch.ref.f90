! By hand: local arrays that are set to a scalar before the regions that work on them
module touch
  implicit none
  integer, parameter :: nz = 4
contains
  subroutine run()
    real(8) :: a(40,30,nz), s
    integer :: i, j, k
    do k = 1, nz
      do j = 1, 30
        do i = 1, 40
          a(i,j,k) = i + 0.1d0*j + 0.01d0*k*k
        end do
      end do
    end do
    do k = 1, 2
      call step(40, 30, a, 0.25d0, s)
    end do
    print '(es24.16)', s, a(1:40:7,3,2), a(5,1:30:9,4)
  end subroutine run
  subroutine step(nx, ny, a, start, s)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(nx,ny,nz)
    real(8), intent(in) :: start
    real(8), intent(out) :: s
    real(8) :: tmp(nx,ny,nz), flux(nx,ny,0:nz), w(nx,ny), scale
    integer :: count(nx,ny), i, j, k, n
    scale = 2; tmp = start*scale - 1 ! a comment
    flux(:,:,:) = 0
    do n = 1, 2
      w(:,:) = 3.d0 * n
      count = n; if (n > 1) scale = 1
      do j = 1, ny
      do i = 1, nx
      do k = 1, nz
        tmp(i,j,k) = tmp(i,j,k) + a(i,j,k)*w(i,j)
        flux(i,j,k) = flux(i,j,k-1) + tmp(i,j,k)
      end do
      count(i,j) = count(i,j) + i
      end do
    end do
    end do
    do j = 1, ny
    do i = 1, nx
    do k = 1, nz
      a(i,j,k) = tmp(i,j,k) - 0.5d0*flux(i,j,k)*count(i,j)
    end do
    end do
    end do
    s = sum(w)
  end subroutine step
end module touch
