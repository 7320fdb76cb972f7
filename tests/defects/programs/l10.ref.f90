! L10: pointers, their swap, domains of deferred shapes
module l10
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8), pointer :: f(:,:,:), fn(:,:,:), tmp(:,:,:)
    integer :: step, x, y, k
    allocate(f(nx,ny,nz), fn(nx,ny,nz))
    call fill(f)
    fn = 0
    do step = 1, 3
      do y = 1, ny
        do x = 1, nx
          fn(x,y,1) = f(x,y,1)
          do k = 2, nz
            fn(x,y,k) = 0.5d0*(f(x,y,k) + f(x,y,k-1)) + 0.125d0*f(max(x-1,1),y,k)
          end do
        end do
      end do
      tmp => f
      f => fn
      fn => tmp
    end do
    call show(f)
    print *, associated(tmp, fn), associated(f, fn)
    deallocate(f, fn)
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
end module l10
