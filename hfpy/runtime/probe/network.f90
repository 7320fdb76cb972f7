! What messages between two processes cost: for `hfpy probe --mpi`. It prints
!   message BYTES SECONDS     one way, half of the way there and back
!   overhead SECONDS          a call that begins to send a small message
!   gap SECONDS               a small message among many
! each several times, from rounds that take turns: the machine may do other things meanwhile.
program network
  use, intrinsic :: iso_fortran_env, only: int8, int64
  use mpi
  implicit none
  integer, parameter :: rounds = 9, burst = 100
  integer(int64), parameter :: sizes(*) = [8_int64, 64_int64, 1024_int64, 16384_int64, 131072_int64, 1048576_int64, 8388608_int64]
  integer(int8), allocatable, asynchronous :: buffer(:)
  integer :: rank, processes, fault, round, n

  call MPI_Init(fault)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, fault)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, fault)
  if (processes < 2) then
    print '(a)', 'alone'
    call MPI_Finalize(fault)
    stop
  end if
  allocate (buffer(sizes(size(sizes))))
  buffer = 1_int8
  do round = 1, rounds
    do n = 1, size(sizes)
      call back_and_forth(int(sizes(n)), turns=max(4, min(400, int(20000000_int64/(sizes(n) + 20000)))))
    end do
    call many()
  end do
  call MPI_Finalize(fault)

contains

  subroutine back_and_forth(bytes, turns)
    integer, intent(in) :: bytes, turns
    double precision :: begun
    integer :: turn

    if (rank > 1) return
    do turn = 0, turns
      if (turn == 1) begun = MPI_Wtime()  ! the first is not counted
      if (rank == 0) then
        call MPI_Send(buffer, bytes, MPI_INTEGER1, 1, 1, MPI_COMM_WORLD, fault)
        call MPI_Recv(buffer, bytes, MPI_INTEGER1, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, fault)
      else
        call MPI_Recv(buffer, bytes, MPI_INTEGER1, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, fault)
        call MPI_Send(buffer, bytes, MPI_INTEGER1, 0, 2, MPI_COMM_WORLD, fault)
      end if
    end do
    if (rank == 0) print '(a,1x,i0,1x,es14.6)', 'message', bytes, (MPI_Wtime() - begun)/(2*turns)
  end subroutine

  subroutine many()
    integer :: requests(burst), one
    double precision :: begun, sent

    if (rank > 1) return
    if (rank == 1) then
      do one = 1, burst
        call MPI_Irecv(buffer(8*one), 1, MPI_INTEGER1, 0, 3, MPI_COMM_WORLD, requests(one), fault)
      end do
      call MPI_Send(buffer, 1, MPI_INTEGER1, 0, 4, MPI_COMM_WORLD, fault)
      call MPI_Waitall(burst, requests, MPI_STATUSES_IGNORE, fault)
      call MPI_Send(buffer, 1, MPI_INTEGER1, 0, 5, MPI_COMM_WORLD, fault)
      return
    end if
    call MPI_Recv(buffer, 1, MPI_INTEGER1, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, fault)
    begun = MPI_Wtime()
    do one = 1, burst
      call MPI_Isend(buffer, 1, MPI_INTEGER1, 1, 3, MPI_COMM_WORLD, requests(one), fault)
    end do
    sent = MPI_Wtime()
    call MPI_Recv(buffer, 1, MPI_INTEGER1, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, fault)
    print '(a,1x,es14.6)', 'overhead', (sent - begun)/burst
    print '(a,1x,es14.6)', 'gap', (MPI_Wtime() - begun)/burst
    call MPI_Waitall(burst, requests, MPI_STATUSES_IGNORE, fault)
  end subroutine
end program
