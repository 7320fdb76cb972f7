module r26
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run()
    real(8) :: aa(nz), bb(nx,ny,nz), cc(nx,ny,nz)
    integer :: n, x, y
    cc = reshape([(0.1d0*n, n=1, 60)], [nx, ny, nz])
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
    print '(es24.16)', bb
  end subroutine run
end module r26
