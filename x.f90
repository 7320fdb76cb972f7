module m
contains
subroutine s(nx,ny,nz,t,q,r,flag)
integer, intent(in) :: nx,ny,nz
real(8), intent(inout) :: t(nx,ny,nz), q(nx,ny,nz), r(nx,ny,nz)
logical, intent(in) :: flag(nx,ny)
real(8) :: loc(nz), sat(nz)
logical :: msk(nz)
integer :: i,j,k

!@parallelRegion{domName(i,j), domSize(nx,ny)}
do j=1,ny
do i=1,nx
where (q(i,j,:) > 0)
loc(:) = q(i,j,:)
sat = loc*2
elsewhere
sat = 0
end where
t(i,j,:) = sat
end do
end do
!@end parallelRegion
end subroutine
end module
