! The plain twin of blocks.h90.
module blocks_grid
  implicit none
  integer, parameter :: nx = 11, ny = 3, nz = 4, nh = 2
end module blocks_grid

module blocks
  use blocks_grid
  implicit none
  private
  public :: run

  real(8) :: u(nx,ny,nz), w(0:nx+1,ny,0:nz) = 1.5d0
  integer, allocatable :: n(:,:)
  logical :: m(1-nh:nx+nh,ny)
  real(4) :: s(ny,nx)
  real(8), allocatable :: wide(:,:,:)

contains

  subroutine fill(a, first, scale)
    real(8), intent(out) :: a(:,:,:)
    integer, intent(in) :: first
    real(8), intent(in), optional :: scale
    integer :: i, j, k

    a = 0
    do k = 1, nz
      do j = 1, ny
        do i = first, nx
          a(i,j,k) = i + 100*j + 10000*k
        end do
      end do
    end do
    if (present(scale)) a(nx,1,:) = scale * a(nx-1,2,:)
  end subroutine fill

  ! One column: the caller is in a region.
  subroutine column(a, factor, ground)
    real(8), intent(inout) :: a(nz)
    real(8), intent(in) :: factor
    real(8), intent(out) :: ground
    integer :: k

    do k = 2, nz
      a(k) = a(k) + factor * a(k-1)
    end do
    ground = a(nz) - a(1)
  end subroutine column

  subroutine physics(a, p, ground)
    real(8), intent(inout) :: a(nx,ny,nz)
    real(8), intent(in) :: p(0:nx+1,ny,0:nz)
    real(8), intent(out) :: ground(nx,ny)
    integer :: i, j, k

    do j = 1, ny
      do i = 1, nx
        do k = 1, nz
          a(i,j,k) = a(i,j,k) + p(i+1,j,k) - 0.5d0 * p(i-1,j,k-1)
        end do
        call column(a(i,j,:), 0.25d0, ground(i,j))
        n(i,j) = nint(a(i,j,1)) + i
        m(i,j) = mod(i, 2) == 0
        s(j,i) = real(i + j / 8.0)
      end do
    end do
  end subroutine physics

  ! Straight bodies and neighbours, over part of the points; a local array as large as the grid.
  subroutine smooth(a, b, nx, ny)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: a(nx,ny,nz)
    real(8), intent(inout) :: b(0:nx+1,ny,0:nz)
    real(8) :: t(nx,ny,nz), total
    integer :: i, j, k

    t = 2 * a
    do k = 1, nz
      do j = 1, ny
        do i = 2, nx - 1
          b(i,j,k) = t(i-1,j,k) - 2 * t(i,j,k) + t(i+1,j,k)
        end do
      end do
    end do
    b(0,:,:) = b(nx,:,:)
    b(nx+1,:,:) = b(1,:,:)
    total = -1.0d9
    do j = 1, ny
      do i = 1, nx
        if (i /= 3) total = max(total, a(i,j,2) + t(i,j,1))
      end do
    end do
    print '(f14.4)', total
  end subroutine smooth

  subroutine run()
    integer :: unit, i, j, k
    real(8) :: v(nx,ny,nz), ground(nx,ny)
    real(4) :: back(ny,nx)
    real(8), allocatable :: copy(:,:,:)

    allocate (n(nx,ny), wide(1-nh:nx+nh,ny,nz))
    call fill(u, 1)
    call fill(a=v, first=2, scale=0.5d0)
    w(:,2,1) = 7.25d0
    w(0,1,1) = -3
    m = .false.
    wide = 1
    wide(:,:,2) = 3
    wide(:,1,:) = wide(:,ny,:)
    call physics(u, w, ground)
    call physics(v, w, ground)
    call smooth(u, w, nx, ny)
    allocate (copy(nx,ny,nz))
    do j = 1, ny
      do i = 1, nx
        do k = 1, nz
          copy(i,j,k) = 0
          wide(i,j,k) = wide(i,j,k) + 0.5d0 * u(i,j,k)
        end do
      end do
    end do
    copy = v
    open (newunit=unit, status='scratch', form='unformatted')
    write (unit) u, copy(2:nx:3,:,1), n
    write (unit) s(:,3), s
    rewind unit
    v = 0
    read (unit) v
    read (unit) s(:,1), back
    close (unit)
    print '(11f10.2)', v
    print *, n
    print *, m(:,1), m(3:5,2)
    print '(3f7.3)', s, back
    print '(13f12.3)', (w(:,j,1), j = 1, ny)
    print '(4f10.2)', (((copy(i,j,k), k = 1, nz), j = ny, 1, -2), i = 1, nx, 5)
    print '(15f7.2)', wide(:,:,2), ground
    print *, maxval(u(3,:,1)), size(w, 3), lbound(wide, 2), allocated(n)
    deallocate (n, wide)
  end subroutine run

end module blocks
