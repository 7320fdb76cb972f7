! row 42: calls of a library without source between regions
module r42
  use r42_mpi
  implicit none
contains
  subroutine run()
    real(8) :: a(6,3), halo(3)
    integer :: i, j, ierr
    a = 1
    !@parallelRegion{domName(i,j), domSize(6,3)}
    do j = 1, 3
      do i = 1, 6
        a(i,j) = i + 10*j
      end do
    end do
    !@end parallelRegion
    call mpi_exchange(a, 18, mpi_double, mpi_world, ierr)
    call mpi_exchange(a(1,2), 6, mpi_double, mpi_world, ierr)
    halo = a(6,:)
    call mpi_exchange(halo, size(halo), mpi_double, mpi_world, ierr)
    !@parallelRegion{domName(j), domSize(3)}
    do j = 1, 3
      a(1,j) = halo(j)
    end do
    !@end parallelRegion
    print '(es24.16)', a
    print *, ierr
  end subroutine run
end module r42
