! row 8: automatic locals with run-time bounds: per column, per column and level, extended by a directive
module r08
  implicit none
contains
  subroutine run()
    real(8) :: t(4,3,5)
    integer :: i9, j9, k9
    do k9 = 1, 5; do j9 = 1, 3; do i9 = 1, 4
      t(i9,j9,k9) = i9 + 0.1d0*j9 + 0.01d0*k9
    end do; end do; end do
    call physics(1, 4, 1, 3, 1, 5, t)
    print '(es24.16)', (((t(i9,j9,k9), i9=1,4), j9=1,3), k9=1,5)
  end subroutine run
  subroutine physics(its, ite, jts, jte, kts, kte, t)
    integer, intent(in) :: its, ite, jts, jte, kts, kte
    real(8), intent(inout) :: t(its:ite,jts:jte,kts:kte)
    real(8) :: work(kts:kte), half(kts:kte+1)
    real(8) :: slab(its:ite,kts:kte), kept(its:ite,jts:jte,kts:kte)
    integer :: k, i, j
    
    
    
    slab = 1
    do j = jts, jte; do i = its, ite
    half(kts) = 0
    do k = kts, kte
      work(k) = t(i,j,k)*slab(i,k)
      half(k+1) = half(k) + work(k)
    end do
    kept(i,j,:) = half(kts:kte) - half(kts+1:)
    end do; end do
    do j = jts, jte; do i = its, ite
    t(i,j,kts:kte) = 2*kept(i,j,:)
    end do; end do
  end subroutine physics
end module r08
