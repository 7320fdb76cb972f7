! A program with MPI of its own: it initialises and finalises, and the library works in communicators that it makes, one
! for the even and one for the odd processes, in reversed order, while its own messages are under way.
program guest
#ifdef HFPY_MPI_OLD
  use mpi
#else
  use mpi_f08
#endif
  use hfpy_halo
  implicit none
#ifdef HFPY_MPI_OLD
  integer :: half, request, handler
  integer :: status(MPI_STATUS_SIZE)
#else
  type(MPI_Comm) :: half
  type(MPI_Request) :: request
  type(MPI_Errhandler) :: handler
  type(MPI_Status) :: status
#endif
  type(hf_decomposition) :: dec, faces
  integer :: ierror, rank, ranks, local(1), face(1), comm, i, n
  integer, asynchronous :: mine(1), other(1)
  integer, allocatable :: u(:), w(:)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), -rank, half, ierror)
#ifdef HFPY_MPI_OLD
  comm = half
#else
  comm = half%MPI_VAL
#endif
  call MPI_Comm_get_errhandler(MPI_COMM_WORLD, handler, ierror)
  if (handler /= MPI_ERRORS_ARE_FATAL) error stop 'MPI starts with another handler of errors'
  ! A message of the program's, with a tag and to partners that the library uses too.
  mine = 1000 + rank
  call MPI_Irecv(other, 1, MPI_INTEGER, modulo(rank - 2, ranks), 1, MPI_COMM_WORLD, request, ierror)

  call hf_decompose(dec, 'half', [20], local, [1], [1], [.true.], [0], comm=comm)
  call MPI_Comm_get_errhandler(MPI_COMM_WORLD, handler, ierror)
  if (handler /= MPI_ERRORS_ARE_FATAL) error stop 'the handler of errors is not that of the program any more'
  call hf_decompose(faces, 'faces', [20], face, [1], [1], [.false.], [0], [1], comm)
  n = local(1)
  allocate (u(0:n + 1), w(0:face(1) + 1))
  u = -1
  w = -1
  u(1:n) = [(i + hf_before(dec, 1), i=1, n)]
  w(1:face(1)) = [(i + hf_before(faces, 1), i=1, face(1))]
  call hf_exchange(dec, u, [1], [0], [n + 1])
  call hf_exchange(faces, w, [1], [0], [face(1) + 1])
  call MPI_Send(mine, 1, MPI_INTEGER, modulo(rank + 2, ranks), 1, MPI_COMM_WORLD, ierror)
  call MPI_Wait(request, status, ierror)
  if (other(1) /= 1000 + modulo(rank - 2, ranks)) error stop 'the message of the program'
  if (u(0) /= modulo(u(1) - 2, 20) + 1 .or. u(n + 1) /= modulo(u(n), 20) + 1) error stop 'the halo'
  if (.not. hf_edge(faces, 1, -1) .and. w(0) /= w(1) - 1) error stop 'the halo of faces'
  if (hf_edge(faces, 1, 1) .and. w(face(1)) /= 21) error stop 'the last face'
  if (hf_processes(dec) /= (ranks + 1 - modulo(rank, 2))/2) error stop 'the number of processes'
  if (hf_process(dec) /= (ranks - 1 - rank)/2) error stop 'the order of processes'
  call hf_release(faces)
  call MPI_Comm_free(half, ierror)
  i = 1
  call hf_sum_all(dec, i)
  if (i /= hf_processes(dec)) error stop 'the sum'
  call MPI_Finalize(ierror)
  if (rank == 0) print '(a)', 'guest is content'
end program
