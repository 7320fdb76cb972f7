! row 25: OpenMP, OpenACC and vendor lines of the user next to loops with directives
module r25
  implicit none
contains
  subroutine run()
    real(8) :: a(4,3), b(4,3)
    integer :: i, j
!$omp parallel do private(i) &
!$omp&  schedule(static)
    do j = 1, 3
      do i = 1, 4
        a(i,j) = 0.1d0*i + j
      end do
    end do
!$omp end parallel do
!DIR$ NOINLINE
    !@parallelRegion{domName(i,j), domSize(4,3)}
!$acc parallel loop collapse(2) present(a, b)
    do j = 1, 3
!DIR$ IVDEP
      do i = 1, 4
        !$acc cache(a)
        b(i,j) = a(i,j) + i
      end do
    end do
    !@end parallelRegion
!$acc update host(b)
    print '(es24.16)', b
  end subroutine run
end module r25
