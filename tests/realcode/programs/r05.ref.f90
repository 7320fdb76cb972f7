! row 5: explicit-shape dummies with run-time bounds and lower bounds other than 1, loops over an inner range
module r05
  implicit none
contains
  subroutine run()
    real(8) :: t(-1:5,0:4,3), q(-1:5,0:4,3)
    integer :: i9, j9, k9
    do j9 = 1, 3; do k9 = 0, 4; do i9 = -1, 5
      t(i9,k9,j9) = i9 + 0.1d0*k9 + 0.01d0*j9*j9
    end do; end do; end do
    q = 0
    call tile(t, q, -1, 5, 1, 3, 0, 4, 1, 4, 1, 3)
    print '(es24.16)', (((t(i9,k9,j9), q(i9,k9,j9), i9=-1,5), k9=0,4), j9=1,3)
  end subroutine run
  subroutine tile(t, q, ims, ime, jms, jme, kms, kme, its, ite, kts, kte)
    integer, intent(in) :: ims, ime, jms, jme, kms, kme, its, ite, kts, kte
    real(8), intent(inout) :: t(ims:ime,kms:kme,jms:jme)
    real(8), dimension(ims:ime, kms:kme, jms:jme), intent(inout) :: q
    integer :: k, i, j
    do j = jms+1, jme; do i = its, ite
    do k = kts, kte
      q(i,k,j) = t(i-1,k,j) + t(i,k+1,j) + t(i+1,k-1,j)
    end do
    q(i,kms,j) = i + 10*j
    end do; end do
    do j = jms, jme; do i = ims, ime
    t(i,:,j) = t(i,:,j) - q(i,:,j)
    end do; end do
  end subroutine tile
end module r05
