! L4: components of derived types in regions
module l04
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  type part
    real(8), allocatable :: q(:,:)
    real(8) :: c = 2
  end type part
  type state
    real(8), allocatable :: r(:,:,:)
    type(part) :: parts(3)
  end type state
contains
  subroutine run()
    type(state) :: s
    real(8) :: a(nx,ny,nz)
    integer :: n, i, j, x, y, k
    call fill(a)
    allocate(s%r(nx,ny,nz))
    do n = 1, 3
      allocate(s%parts(n)%q(nx,ny))
      s%parts(n)%q = n
    end do
    do n = 1, nz; do j = 1, ny; do i = 1, nx
      s%r(i,j,n) = a(i,j,n)
    end do; end do; end do
    do y = 1, ny
      do x = 1, nx
        do k = 2, nz
          s%r(x,y,k) = s%r(x,y,k) + a(x,y,k-1)*s%parts(2)%c
        end do
        s%parts(2)%q(x,y) = s%parts(2)%q(x,y) + sum(s%r(x,y,:)); s%parts(3)%q(x,y) = x
        a(x,y,1) = s%parts(2)%q(x,y)
      end do
    end do
    call show(a)
    print '(es24.16)', s%r, s%parts(2)%q, s%parts(3)%q
  end subroutine run
  subroutine fill(a)
    real(8), intent(out) :: a(nx,ny,nz)
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          a(i,j,k) = i + 0.1d0*j + 0.01d0*k*k
        end do
      end do
    end do
  end subroutine fill
  subroutine show(a)
    real(8), intent(in) :: a(nx,ny,nz)
    integer :: i, j, k
    do k = 1, nz
      do j = 1, ny
        print '(2i3,9es24.16)', k, j, (a(i,j,k), i=1, nx)
      end do
    end do
  end subroutine show
end module l04
