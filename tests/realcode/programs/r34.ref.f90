! row 34: derived types with scalars, fixed arrays, allocatables, default initialisation, nesting
module r34
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  type :: settings
    real(8) :: rate = 0.5d0, limit
    integer :: levels(2) = [1, 3]
    logical :: active = .true.
    character(len=8) :: name = 'none'
  end type settings
  type, public :: model
    private
    type(settings) :: s
    real(8) :: table(nz) = 2
    real(8), allocatable :: h(:,:)
  end type model
contains
  subroutine run()
    type(model) :: m
    real(8) :: a(nx,ny,nz)
    integer :: n, i9, j9, k9
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = 0.1d0*n
    end do; end do; end do
    m = model(settings(limit=4.d0, name='first'), h=reshape([(1.d0*n, n=1, 12)], [nx, ny]))
    call step(m, a)
    print '(es24.16)', (((a(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz), m%h
  end subroutine run
  subroutine step(m, a)
    type(model), intent(inout) :: m
    real(8), intent(inout) :: a(nx,ny,nz)
    integer :: k
    integer :: x, y
    do y = 1, ny; do x = 1, nx
    if (m%s%active .and. m%s%name == 'first') then
      do k = m%s%levels(1), m%s%levels(2)
        a(x,y,k) = min(a(x,y,k)*m%table(k), m%s%limit) + m%s%rate
      end do
    end if
    m%h(x,y) = m%h(x,y) + a(x,y,1)
    end do; end do
  end subroutine step
end module r34
