! stands for a library of which hfpy sees no source
module r42_mpi
  implicit none
  integer, parameter :: mpi_double = 8, mpi_world = 0
contains
  subroutine mpi_exchange(buffer, count, kind, comm, ierr)
    integer, intent(in) :: count, kind, comm
    real(8), intent(inout) :: buffer(*)
    integer, intent(out) :: ierr
    buffer(count) = buffer(1) + kind + comm
    ierr = 0
  end subroutine mpi_exchange
end module r42_mpi
