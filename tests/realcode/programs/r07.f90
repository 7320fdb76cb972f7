! row 7: stencil reads at +1, -1, +2 in a three-deep nest whose loop order is not the storage order
module r07
  implicit none
contains
  subroutine run()
    real(8) :: u(7,6,5), f(7,6,5)
    integer :: n
    u = reshape([(sin(0.37d0*n), n=1, 210)], [7, 6, 5])
    f = 0
    call flux(7, 6, 5, u, f)
    print '(es24.16)', f
  end subroutine run
  subroutine flux(nx, ny, nz, u, f)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in) :: u(nx,ny,nz)
    real(8), intent(inout) :: f(nx,ny,nz)
    integer :: i, j, k
    !@parallelRegion{domName(i,k,j), domSize(nx,nz,ny), startAt(2,1,2), endAt(nx-2,nz-1,ny-1)}
    do j = 2, ny - 1
      do k = 1, nz - 1
        do i = 2, nx - 2
          f(i,j,k) = (7*(u(i+1,j,k) + u(i,j,k)) - (u(i+2,j,k) + u(i-1,j,k)))/12 &
            &      + 0.5d0*(u(i,j+1,k) - u(i,j-1,k)) + u(i,j,k+1)
        end do
      end do
    end do
    !@end parallelRegion
  end subroutine flux
end module r07
