module r26
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: aa(nz), bb(nx,ny,nz), cc(nx,ny,nz)
    integer :: n, i9, j9, k9, x, y
    do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      n = i9 + nx*(j9 - 1) + nx*ny*(k9 - 1)
      cc(i9,j9,k9) = 0.1d0*n
    end do; end do; end do
    bb = 1
    do y = 1, ny
      do x = 1, nx
        aa = cc(x,y,:)
        bb(x,y,1) = aa(1) + aa(2) + aa(3) + aa(4) + aa(5) + aa(1) + aa(2) + aa(3) + aa(4) + aa(5) &
          & + aa(1)*aa(2)*aa(3)*aa(4) + 1.d0*aa(5)
        bb(x,y,2) = bb(x,y,1) + 1
        bb(x,y,3) = bb(x,y,2)
        if (aa(1) > 2) bb(x,y,4) = aa(1)
        bb(x,y,5) = 2
        if (all(aa > 1)) bb(x,y,1) = bb(x,y,1) + 7
      end do
    end do
    print '(es24.16)', (((bb(i9,j9,k9), i9=1,nx), j9=1,ny), k9=1,nz)
  end subroutine run
end module r26
