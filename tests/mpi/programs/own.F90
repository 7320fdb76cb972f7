! A program that has initialised MPI itself, and ends in a way that the first argument names.
program own
#ifdef HFPY_MPI_OLD
  use mpi
#else
  use mpi_f08
#endif
  use hfpy_halo
  implicit none
  type(hf_decomposition) :: dec
  integer :: local(1), ierror, n
  real, allocatable :: u(:)
  character(len=16) :: how

  call get_command_argument(1, how)
  call MPI_Init(ierror)
  call hf_decompose(dec, 'own', [12], local, [1], [1], [.true.], [0])
  n = local(1)
  allocate (u(0:n + 1), source=1.0)
  if (hf_process(dec) == 1) then
    select case (how)
    case ('stop')
      stop
    case ('error-stop')
      error stop 3
    case ('finalize')
      call MPI_Finalize(ierror)
      stop
    case ('abort')
      call MPI_Abort(MPI_COMM_WORLD, 4, ierror)
    end select
  end if
  call hf_exchange(dec, u, [1], [0], [n + 1])
  call MPI_Finalize(ierror)
end program
