! Programs that go wrong, each in its own way: the job has to end with a message.
module faults
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: real64
  use hfpy_halo
  implicit none

  interface
    integer(c_int) function raise(signal) bind(C, name='raise')
      import :: c_int
      integer(c_int), value :: signal
    end function
    integer(c_int) function sleep(seconds) bind(C, name='sleep')
      import :: c_int
      integer(c_int), value :: seconds
    end function
  end interface

contains

  subroutine set_up(dec, n, halo)
    type(hf_decomposition), intent(inout) :: dec
    integer, intent(in) :: n, halo
    integer :: local(1)

    call hf_decompose(dec, 'ring', [n], local, [halo], [halo], [.true.], [0])
  end subroutine

  subroutine fault(name)
    character(*), intent(in) :: name
    type(hf_decomposition) :: dec
    type(hf_plan) :: plan
    real(real64), allocatable :: send(:), recv(:), u(:)
    real(real64) :: total
    integer :: local(2), rank, n

    total = 1
    select case (name)
    case ('rows')
      call set_up(dec, 1, 0)
    case ('narrow')
      call set_up(dec, 9, 5)
    case ('grid')
      call hf_decompose(dec, 'plane', [8, 8], local, [1, 1], [1, 1], [.true., .true.], [2, 3])
    case ('unready')
      call hf_sum_all(dec, total)
    case ('negative')
      call set_up(dec, 9, -1)
    end select
    call set_up(dec, 12, 1)
    rank = hf_process(dec)
    n = hf_owned(dec, 1)
    allocate (send(2), recv(2), u(0:n + 1))
    u = rank
    select case (name)
    case ('sizes')
      call set_up(dec, 12 + rank, 1)
    case ('names')
      if (rank == 0) call set_up(dec, 12, 1)
      if (rank > 0) call hf_decompose(dec, 'other', [12], local(:1), [1], [1], [.true.], [0])
    case ('longer', 'shorter', 'silent')
      ! Process 1 sends another number of elements than process 0 expects.
      deallocate (send)
      allocate (send(200))
      send = 1
      local = merge(merge(100, merge(0, 1, name == 'silent'), name == 'longer'), merge(1, 2, name /= 'shorter'), rank == 1)
      if (name == 'shorter') then
        deallocate (recv)
        allocate (recv(4))
        call hf_swap_plan(dec, plan, reshape([-1, 1], [1, 2]), [0, 100], local, [0, 2], [2, 2])
      else
        call hf_swap_plan(dec, plan, reshape([-1, 1], [1, 2]), [0, 100], local, [0, 1], [1, 1])
      end if
      call hf_swap_start(dec, plan, send, recv)
      call hf_swap_finish(plan)
    case ('dies')
      if (rank == 1) n = raise(9_c_int)
      call hf_exchange(dec, u, [1], [0], [n + 1])
    case ('stops')
      if (rank == 1) stop
      call hf_exchange(dec, u, [1], [0], [n + 1])
    case ('stops-far')
      ! Process 0 gets all its messages, and waits for nothing more.
      if (rank == 2) stop
      call hf_exchange(dec, u, [1], [0], [n + 1])
    case ('stops-in-gather')
      ! Process 0 waits for one that is not its neighbour.
      if (rank == 2) stop
      deallocate (send)
      allocate (send(12))
      call hf_gather(dec, u, send, [1], [0], [n + 1])
    case ('stops-in-scatter')
      if (rank == 0) stop
      call hf_scatter(dec, send, u, [1], [0], [n + 1])
    case ('stops-in-sum')
      if (rank == 1) stop
      call hf_sum_all(dec, total)
    case ('error-stop')
      if (rank == 1) error stop 3
      call hf_exchange(dec, u, [1], [0], [n + 1])
    case ('sleeps')
      if (rank == 1) n = sleep(20_c_int)
      call hf_exchange(dec, u, [1], [0], [n + 1])
    case ('unfinished')
      call hf_swap_plan(dec, plan, reshape([-1, 1], [1, 2]), [0, 1], [1, 1], [0, 1], [1, 1])
      call hf_swap_start(dec, plan, send, recv)
      stop
    case ('twice')
      call hf_swap_plan(dec, plan, reshape([-1, 1], [1, 2]), [0, 1], [1, 1], [0, 1], [1, 1])
      call hf_swap_start(dec, plan, send, recv)
      call hf_swap_start(dec, plan, send, recv)
    case ('finish')
      call hf_swap_plan(dec, plan, reshape([-1, 1], [1, 2]), [0, 1], [1, 1], [0, 1], [1, 1])
      call hf_swap_finish(plan)
    case ('buffer')
      call hf_swap_plan(dec, plan, reshape([-1, 1], [1, 2]), [0, 1], [1, 2], [0, 1], [1, 2])
      call hf_swap_start(dec, plan, send, recv)
    case ('bounds')
      call hf_exchange(dec, u, [1], [1], [n + 1])
    case ('too-wide')
      call hf_exchange(dec, u, [1], [0], [n + 1], [2], [1])
    case ('whole')
      call hf_gather(dec, u, u, [1], [0], [n + 1])
    case default
      error stop 'no such fault'
    end select
    print '(a)', 'no fault was found'
  end subroutine

end module faults
