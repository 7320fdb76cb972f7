! row 28: a running maximum that is private and one that is a reduction; maxval, sum, any, minloc on sections
module r28
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: a(nx,ny,nz), t(nx,ny), biggest, peak
    integer :: n, i9, j9, k9, k, loc(1)
    logical :: found
    integer :: x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      a(i9,j9,k9) = sin(0.7d0*n)
    end do; end do; end do
    biggest = -9
    found = .false.
    do y = 1, ny; do x = 1, nx
    peak = a(x,y,1)
    do k = 2, nz
      peak = max(peak, a(x,y,k))
    end do
    biggest = max(biggest, peak)
    loc = minloc(a(x,y,:))
    t(x,y) = peak + maxval(a(x,y,2:3)) + loc(1)
    if (any(a(x,y,:) > 0.99d0)) found = .true.
    if (count(a(x,y,:) > 0) == 3) t(x,y) = -t(x,y)
    end do; end do
    print '(es24.16)', t, biggest
    print *, found
  end subroutine run
end module r28
