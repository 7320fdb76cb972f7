! row 3: components read in a loop, two levels deep with an index in the middle on the left
module r03
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  type inner
    real(8), allocatable :: c(:,:)
    real(8) :: weight = 0.5d0
  end type inner
  type outer
    type(inner) :: b(2)
    real(8) :: scale = 3
    integer :: first = 2
  end type outer
contains
  subroutine run()
    type(outer) :: a
    real(8) :: t(nx,ny,nz)
    integer :: i, n, i9, j9, k9
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      i = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      t(i9,j9,k9) = 0.1d0*i
    end do; end do; end do
    do n = 1, 2
      allocate(a%b(n)%c(nx,ny))
      a%b(n)%c = n
    end do
    call step(a, t, 2)
    print '(es24.16)', a%b(1)%c, a%b(2)%c, t(:,:,1), t(:,:,2)
  end subroutine run
  subroutine step(a, t, n)
    type(outer), intent(inout) :: a
    real(8), intent(inout) :: t(nx,ny,nz)
    integer, intent(in) :: n
    integer :: k, x, y
    do y = 1, ny; do x = 1, nx
    do k = a%first, nz
      a%b(n)%c(x,y) = a%b(n)%c(x,y) + a%scale*t(x,y,k)
    end do
    a%b(1)%c(x,y) = a%b(n) % c(x,y)*a%b(1)%weight
    t(x,y,1) = a%b(1)%c(x,y)
    end do; end do
  end subroutine step
end module r03
