!> What the program needs of MPI, for machines without it: one process that sends to itself. The
!> procedures are in messages.c.
module mpi
  implicit none
  integer, parameter :: MPI_COMM_WORLD = 0
  integer, parameter :: MPI_DOUBLE_PRECISION = 8   ! bytes of a value
  integer, parameter :: MPI_SUM = 0
  integer, parameter :: MPI_STATUS_SIZE = 4
  integer :: MPI_STATUSES_IGNORE(MPI_STATUS_SIZE, 1) = 0
end module mpi
