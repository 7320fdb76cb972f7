! functions and min, max in indices, substrings and array constructors next to arrays
module accessors
  implicit none
  integer, parameter :: nx = 6, ny = 5, nz = 4
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), b(nx,ny,nz)
    character(len=12) :: text(2)
    integer :: i9, j9, k9
    text = ['alpha(1,2)  ', 'b(x,y,z)    ']
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      a(i9,j9,k9) = i9 + 0.1d0*j9 + 0.01d0*k9
    end do; end do; end do
    b = 0
    call step(a, b, nx, ny, text)
    print '(es24.16)', (((b(i9,j9,k9), i9=1, nx), j9=1, ny), k9=1, nz)
    print *, text
  end subroutine run
  subroutine step(a, b, n, m, text)
    integer, intent(in) :: n, m
    real(8), intent(in) :: a(n,m,nz)
    real(8), intent(inout) :: b(n,m,nz)
    character(len=*), intent(in) :: text(2)
    integer :: k
    integer :: x, y
    do y = 1, m; do x = 1, n
    do k = 1, nz
      b(x,y,k) = a(min(x+1,n),y,k) + a(max(x-1,1), min(max(y-1, 1), m), clip(k+1, nz)) + &
        & a(x,y,clip(k-1, nz)) + sum([a(x,y,1), a(x,y,2)]) &
        & + len_trim(text(1)(1:5)) + index(text(2), 'b(x') + ichar(text(2)(k:k))*0
      if (text(2)(1:1) == 'b' .and. text(1)(2:) /= 'x') b(x,y,k) = b(x,y,k) + 0.5d0
    end do
    end do; end do
  end subroutine step
  pure integer function clip(k, n)
    integer, intent(in) :: k, n
    clip = max(1, min(k, n))
  end function clip
end module accessors
