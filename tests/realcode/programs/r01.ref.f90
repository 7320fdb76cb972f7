! row 1: a routine with 55 dummies over many continued lines
module r01
  implicit none
contains
  subroutine run()
    integer, parameter :: nx = 3, ny = 2, nz = 4
    real(8) :: a(nx,ny,nz,50), total(nx,ny)
    integer :: i9, j9, k9, l9
    do l9 = 1, 50; do k9 = 1, nz; do j9 = 1, ny; do i9 = 1, nx
      a(i9,j9,k9,l9) = i9 + 0.1d0*j9 + 0.01d0*k9 + 0.001d0*l9
    end do; end do; end do; end do
    total = 0
    call many(nx, ny, nz, &
      a(:,:,:,1), &
      a(:,:,:,2), &
      a(:,:,:,3), &
      a(:,:,:,4), &
      a(:,:,:,5), &
      a(:,:,:,6), &
      a(:,:,:,7), &
      a(:,:,:,8), &
      a(:,:,:,9), &
      a(:,:,:,10), &
      a(:,:,:,11), &
      a(:,:,:,12), &
      a(:,:,:,13), &
      a(:,:,:,14), &
      a(:,:,:,15), &
      a(:,:,:,16), &
      a(:,:,:,17), &
      a(:,:,:,18), &
      a(:,:,:,19), &
      a(:,:,:,20), &
      a(:,:,:,21), &
      a(:,:,:,22), &
      a(:,:,:,23), &
      a(:,:,:,24), &
      a(:,:,:,25), &
      a(:,:,:,26), &
      a(:,:,:,27), &
      a(:,:,:,28), &
      a(:,:,:,29), &
      a(:,:,:,30), &
      a(:,:,:,31), &
      a(:,:,:,32), &
      a(:,:,:,33), &
      a(:,:,:,34), &
      a(:,:,:,35), &
      a(:,:,:,36), &
      a(:,:,:,37), &
      a(:,:,:,38), &
      a(:,:,:,39), &
      a(:,:,:,40), &
      a(:,:,:,41), &
      a(:,:,:,42), &
      a(:,:,:,43), &
      a(:,:,:,44), &
      a(:,:,:,45), &
      a(:,:,:,46), &
      a(:,:,:,47), &
      a(:,:,:,48), &
      a(:,:,:,49), &
      a(:,:,:,50), &
      & 2.d0, total)
    print '(es24.16)', (((a(i9,j9,k9,50), i9=1,nx), j9=1,ny), k9=1,nz), total
  end subroutine run
  subroutine many( nx, ny, nz, & ! sizes
       f01, f02, f03, f04, & ! fields 0
     & f05, f06, f07, f08, & ! fields 4
     ! a comment line between

       f09, f10, f11, f12, & ! fields 8
     & f13, f14, f15, f16, & ! fields 12
       f17, f18, f19, f20, & ! fields 16
     ! a comment line between

     & f21, f22, f23, f24, & ! fields 20
       f25, f26, f27, f28, & ! fields 24
     & f29, f30, f31, f32, & ! fields 28
     ! a comment line between

       f33, f34, f35, f36, & ! fields 32
     & f37, f38, f39, f40, & ! fields 36
       f41, f42, f43, f44, & ! fields 40
     ! a comment line between

     & f45, f46, f47, f48, & ! fields 44
       f49, f50 & ! fields 48
     &, factor, total )
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in) :: factor
    real(8), intent(inout) :: total(nx,ny)
    real(8), intent(in) :: f01(nx,ny,nz)
    real(8), intent(in) :: f02(nx,ny,nz)
    real(8), intent(in) :: f03(nx,ny,nz)
    real(8), intent(in) :: f04(nx,ny,nz)
    real(8), intent(in) :: f05(nx,ny,nz)
    real(8), intent(in) :: f06(nx,ny,nz)
    real(8), intent(in) :: f07(nx,ny,nz)
    real(8), intent(in) :: f08(nx,ny,nz)
    real(8), intent(in) :: f09(nx,ny,nz)
    real(8), intent(in) :: f10(nx,ny,nz)
    real(8), intent(in) :: f11(nx,ny,nz)
    real(8), intent(in) :: f12(nx,ny,nz)
    real(8), intent(in) :: f13(nx,ny,nz)
    real(8), intent(in) :: f14(nx,ny,nz)
    real(8), intent(in) :: f15(nx,ny,nz)
    real(8), intent(in) :: f16(nx,ny,nz)
    real(8), intent(in) :: f17(nx,ny,nz)
    real(8), intent(in) :: f18(nx,ny,nz)
    real(8), intent(in) :: f19(nx,ny,nz)
    real(8), intent(in) :: f20(nx,ny,nz)
    real(8), intent(in) :: f21(nx,ny,nz)
    real(8), intent(in) :: f22(nx,ny,nz)
    real(8), intent(in) :: f23(nx,ny,nz)
    real(8), intent(in) :: f24(nx,ny,nz)
    real(8), intent(in) :: f25(nx,ny,nz)
    real(8), intent(in) :: f26(nx,ny,nz)
    real(8), intent(in) :: f27(nx,ny,nz)
    real(8), intent(in) :: f28(nx,ny,nz)
    real(8), intent(in) :: f29(nx,ny,nz)
    real(8), intent(in) :: f30(nx,ny,nz)
    real(8), intent(in) :: f31(nx,ny,nz)
    real(8), intent(in) :: f32(nx,ny,nz)
    real(8), intent(in) :: f33(nx,ny,nz)
    real(8), intent(in) :: f34(nx,ny,nz)
    real(8), intent(in) :: f35(nx,ny,nz)
    real(8), intent(in) :: f36(nx,ny,nz)
    real(8), intent(in) :: f37(nx,ny,nz)
    real(8), intent(in) :: f38(nx,ny,nz)
    real(8), intent(in) :: f39(nx,ny,nz)
    real(8), intent(in) :: f40(nx,ny,nz)
    real(8), intent(in) :: f41(nx,ny,nz)
    real(8), intent(in) :: f42(nx,ny,nz)
    real(8), intent(in) :: f43(nx,ny,nz)
    real(8), intent(in) :: f44(nx,ny,nz)
    real(8), intent(in) :: f45(nx,ny,nz)
    real(8), intent(in) :: f46(nx,ny,nz)
    real(8), intent(in) :: f47(nx,ny,nz)
    real(8), intent(in) :: f48(nx,ny,nz)
    real(8), intent(in) :: f49(nx,ny,nz)
    real(8), intent(inout) :: f50(nx,ny,nz)
    integer :: k, x, y
    do y = 1, ny
    do x = 1, nx
    do k = 1, nz
      f50(x,y,k) = f01(x,y,k)*factor + f25(x,y,k) - &
        & f13(x,y,k) + f49(x,y,k)
      total(x,y) = total(x,y) + f50(x,y,k)
    end do
    end do
    end do
    if (factor < 0) print *, f02, &
      f03, &
      f04, &
      f05, &
      f06, &
      f07, &
      f08, &
      f09, &
      f10, &
      f11, &
      f12, &
      f14, &
      f15, &
      f16, &
      f17, &
      f18, &
      f19, &
      f20, &
      f21, &
      f22, &
      f23, &
      f24, &
      f26, &
      f27, &
      f28, &
      f29, &
      f30, &
      f31, &
      f32, &
      f33, &
      f34, &
      f35, &
      f36, &
      f37, &
      f38, &
      f39, &
      f40, &
      f41, &
      f42, &
      f43, &
      f44, &
      f45, &
      f46, &
      f47, &
      f48
  end subroutine many
end module r01
