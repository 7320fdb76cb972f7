! Cases of the engine that are no fields: exchanges of buffers, reductions, exact sums, the grid of processes.
module special
  use, intrinsic :: iso_c_binding, only: c_loc
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use engine
  use hfpy_halo_grid, only: choose_grid
  implicit none

  ! Two fields that are exchanged together.
  real(real64), allocatable :: u(:, :), v(:, :)
  real(real64), allocatable, target, asynchronous :: send(:), recv(:)

contains

  subroutine grid_case()
    logical :: found
    integer :: chosen(3)

    chosen = grid
    call choose_grid(global(:nd), low(:nd), high(:nd), periodic(:nd), ranks_of_grid, chosen(:nd), found)
    write (output) merge(1, 0, found), chosen(:nd)
  end subroutine

  subroutine set_fields(turn)
    integer, intent(in) :: turn
    integer :: i, j, at(4)

    do j = lbound(u, 2), ubound(u, 2)
      do i = lbound(u, 1), ubound(u, 1)
        at = [i + hf_before(dec, 1), j + hf_before(dec, 2), 1, 1]
        u(i, j) = as_real64(-(code(at) + rank*17 + 3))
        if (is_owned(at)) u(i, j) = as_real64(code(at) + turn)
        v(i, j) = u(i, j) + 1000
      end do
    end do
  end subroutine

  ! Buffers packed by hand, as kernels do it. In phases: along i the owned rows, along j all columns; or all neighbours
  ! at once. The plans are used again in every turn.
  subroutine swap_case()
    type(hf_plan) :: plans(2)
    integer :: turn, phase, phases, i, total(2)
    logical :: done, early
    integer :: sent(4, 8, 2), received(4, 8, 2), directions(2, 8, 2), n(2)

    allocate (u(1 - low(1):local(1) + high(1), 1 - low(2):local(2) + high(2)))
    allocate (v, mold=u)
    phases = merge(2, 1, corners)
    do phase = 1, phases
      call neighbours(phase, phases, directions(:, :, phase), sent(:, :, phase), received(:, :, phase), n(phase))
      associate (k => n(phase))
        call hf_swap_plan(dec, plans(phase), directions(:, :k, phase), before(sent(:, :k, phase)), &
          elements(sent(:, :k, phase)), before(received(:, :k, phase)), elements(received(:, :k, phase)), site=phase)
      end associate
    end do
    early = .false.
    do turn = 1, turns
      call set_fields(turn)
      do phase = 1, phases
        associate (k => n(phase))
          total = [sum(elements(sent(:, :k, phase))), sum(elements(received(:, :k, phase)))]
          allocate (send(total(1)), recv(total(2)))
          call pack(sent(:, :k, phase))
          if (outer) then
            call hf_swap_start(dec, plans(phase), c_loc(send), c_loc(recv), 8)
          else
            call hf_swap_start(dec, plans(phase), send, recv)
          end if
          call hf_progress(plans(phase), done)
          early = early .or. done
          do i = 1, 3
            call hf_progress(plans(phase))
          end do
          call hf_swap_finish(plans(phase))
          call unpack(received(:, :k, phase))
          deallocate (send, recv)
        end associate
      end do
    end do
    write (output) merge(1, 0, early), u, v
    deallocate (u, v)
  end subroutine

  ! The directions of a phase with what goes there and comes from there, as bounds of i and j.
  subroutine neighbours(phase, phases, directions, sent, received, n)
    integer, intent(in) :: phase, phases
    integer, intent(out) :: directions(2, 8), sent(4, 8), received(4, 8), n
    integer :: a, b, d, bounds(4), from(4)

    n = 0
    do b = 1, -1, -1
      do a = -1, 1
        if (a == 0 .and. b == 0) cycle
        if (phases == 2 .and. (a /= 0 .and. b /= 0 .or. (a /= 0 .neqv. phase == 1))) cycle
        if (hf_neighbour(dec, [a, b]) < 0) cycle
        do d = 1, 2
          select case (merge(a, b, d == 1))
          case (-1)
            from(2*d - 1:2*d) = [1, high(d)]
            bounds(2*d - 1:2*d) = [1 - low(d), 0]
          case (1)
            from(2*d - 1:2*d) = [local(d) - low(d) + 1, local(d)]
            bounds(2*d - 1:2*d) = [local(d) + 1, local(d) + high(d)]
          case default
            from(2*d - 1:2*d) = [1, local(d)]
            if (phase == 2) from(2*d - 1:2*d) = [1 - low(d), local(d) + high(d)]
            bounds(2*d - 1:2*d) = from(2*d - 1:2*d)
          end select
        end do
        n = n + 1
        directions(:, n) = [a, b]
        sent(:, n) = from
        received(:, n) = bounds
      end do
    end do
  end subroutine

  pure function elements(boxes) result(counts)
    integer, intent(in) :: boxes(:, :)
    integer :: counts(size(boxes, 2))

    counts = 2*max(0, boxes(2, :) - boxes(1, :) + 1)*max(0, boxes(4, :) - boxes(3, :) + 1)
  end function

  pure function before(boxes) result(counts)
    integer, intent(in) :: boxes(:, :)
    integer :: counts(size(boxes, 2)), each(size(boxes, 2)), m

    each = elements(boxes)
    counts = [(sum(each(:m - 1)), m=1, size(each))]
  end function

  subroutine pack(boxes)
    integer, intent(in) :: boxes(:, :)
    integer :: m, i, j, n

    n = 0
    do m = 1, size(boxes, 2)
      do j = boxes(3, m), boxes(4, m)
        do i = boxes(1, m), boxes(2, m)
          send(n + 1) = u(i, j)
          send(n + 2) = v(i, j)
          n = n + 2
        end do
      end do
    end do
  end subroutine

  subroutine unpack(boxes)
    integer, intent(in) :: boxes(:, :)
    integer :: m, i, j, n

    n = 0
    do m = 1, size(boxes, 2)
      do j = boxes(3, m), boxes(4, m)
        do i = boxes(1, m), boxes(2, m)
          u(i, j) = recv(n + 1)
          v(i, j) = recv(n + 2)
          n = n + 2
        end do
      end do
    end do
  end subroutine

  ! Two exchanges under way at once, finished in the other order, and, as their sites differ, started in another
  ! order on odd processes. The elements are of all types, in a ring of all processes.
  subroutine pairs_case()
    type(hf_plan) :: plans(2, 7)
    integer :: n, turn

    do turn = 1, 2
      do n = 1, 7
        call start_pair(plans(:, n), n)
      end do
    end do
  end subroutine

  subroutine start_pair(plans, n)
    type(hf_plan), intent(inout) :: plans(2)
    integer, intent(in) :: n
    integer :: below, above

    below = hf_neighbour(dec, [-1])
    above = hf_neighbour(dec, [1])
    call hf_swap_plan(dec, plans(1), reshape([-1, 1], [1, 2]), [0, 3], [3, 2], [0, 2], [2, 3], site=2*n)
    call hf_swap_plan(dec, plans(2), reshape([1, -1], [1, 2]), [0, 3], [3, 2], [0, 2], [2, 3], site=2*n + 1)
    select case (n)
    case (1)
      call pair_real32(plans, below, above)
    case (2)
      call pair_real64(plans, below, above)
    case (3)
      call pair_int32(plans, below, above)
    case (4)
      call pair_int64(plans, below, above)
    case (5)
      call pair_logical(plans, below, above)
    case (6)
      call pair_complex32(plans, below, above)
    case (7)
      call pair_complex64(plans, below, above)
    end select
  end subroutine

#define HF_PAIR pair_real32
#define HF_ELEMENT real(real32)
#define HF_AS as_real32
#include "special_pair.inc"
#define HF_PAIR pair_real64
#define HF_ELEMENT real(real64)
#define HF_AS as_real64
#include "special_pair.inc"
#define HF_PAIR pair_int32
#define HF_ELEMENT integer(int32)
#define HF_AS as_int32
#include "special_pair.inc"
#define HF_PAIR pair_int64
#define HF_ELEMENT integer(int64)
#define HF_AS as_int64
#include "special_pair.inc"
#define HF_PAIR pair_logical
#define HF_ELEMENT logical
#define HF_AS as_logical
#include "special_pair.inc"
#define HF_PAIR pair_complex32
#define HF_ELEMENT complex(real32)
#define HF_AS as_complex32
#include "special_pair.inc"
#define HF_PAIR pair_complex64
#define HF_ELEMENT complex(real64)
#define HF_AS as_complex64
#include "special_pair.inc"

  ! Kilobytes of memory after some exchanges, and after many more.
  subroutine growth_case()
    real(real64), allocatable :: field(:, :)
    type(hf_plan) :: plan
    type(hf_decomposition) :: again
    real(real64) :: total
    integer :: turn, used(2), there(2)

    allocate (field(1 - low(1):local(1) + high(1), 1 - low(2):local(2) + high(2)), source=1.0_real64)
    do turn = 1, turns
      call hf_exchange(dec, field, [1, 2], first(:2), last(:2))
      call hf_swap_plan(dec, plan, reshape([-1, 0, 1, 0], [2, 2]), [0, 100], [100, 100], [0, 100], [100, 100])
      allocate (send(200), recv(200), source=0.0_real64)
      call hf_swap_start(dec, plan, send, recv)
      call hf_swap_finish(plan)
      deallocate (send, recv)
      total = 1
      call hf_sum_all(dec, total)
      total = hf_sum_exact(dec, field)
      if (modulo(turn, 20) == 0) then
        call hf_decompose(again, 'again', [24, 20], there, [2, 2], [2, 2], [.true., .true.], [0, 0])
        call hf_release(again)
      end if
      if (turn == turns/5) used(1) = kilobytes()
    end do
    used(2) = kilobytes()
    write (output) used
  end subroutine

  ! What the process has in memory, by what the system says.
  integer function kilobytes()
    integer :: input, status
    character(len=80) :: line

    kilobytes = 0
    open (newunit=input, file='/proc/self/status', action='read', status='old', iostat=status)
    do while (status == 0)
      read (input, '(a)', iostat=status) line
      if (line(:6) == 'VmRSS:') read (line(7:), *) kilobytes
    end do
    close (input)
  end function

  ! Sections of a field, which are exchanged as copies: every other level.
  subroutine sections_case()
    integer, allocatable :: levels(:, :, :)
    integer :: i, k

    allocate (levels(2, 0:local(1) + 1, 4), source=-1)
    do k = 1, 4
      levels(:, 1:local(1), k) = spread([(100*(i + hf_before(dec, 1)) + k, i=1, local(1))], 1, 2)
    end do
    call hf_exchange(dec, levels(2, :, 1:4:2), [1], [0], [local(1) + 1])
    write (output) levels
    call hf_poison(dec, levels(1, :, ::3), [1], [0], [local(1) + 1])
    write (output) levels
  end subroutine

  ! Each process has values of its own; those of the tests are the same.
  subroutine sums_case()
    real(real32) :: r4, a4(3)
    real(real64) :: r8, a8(2, 2), b8(2), n8
    integer(int32) :: i4
    integer(int64) :: i8, c8(2, 1, 2)
    complex(real32) :: z4
    complex(real64) :: z8
    logical :: yes, some, l2(2)
    integer :: i

    r4 = 1.0_real32/(rank + 3)
    a4 = [(as_real32(rank*rank + i), i=1, 3)]
    r8 = 1.0_real64/(rank + 3)
    a8 = reshape([(as_real64(10*i - rank), i=1, 4)], [2, 2])
    i4 = 5 - 3*rank
    i8 = 2_int64**40*(rank + 1)
    c8 = reshape([(as_int64(i*(rank - 1)), i=1, 4)], [2, 1, 2])
    z4 = as_complex32(rank + 1)
    z8 = as_complex64(rank + 1)
    b8 = as_real64(rank)
    call hf_sum_all(dec, r4)
    call hf_sum_all(dec, a4)
    call hf_sum_all(dec, r8)
    call hf_sum_all(dec, a8)
    call hf_sum_all(dec, i4)
    call hf_sum_all(dec, i8)
    call hf_sum_all(dec, c8)
    call hf_sum_all(dec, z4)
    call hf_sum_all(dec, z8)
    call hf_sum_all(dec, b8(2:1))
    write (output) r4, a4, r8, a8, i4, i8, c8, z4, z8
    r8 = as_real64(rank + 1)
    i4 = rank - 2
    z8 = as_complex64(rank + 1)
    call hf_product_all(dec, r8)
    call hf_product_all(dec, i4)
    call hf_product_all(dec, z8)
    write (output) r8, i4, z8
    r4 = as_real32(modulo(5*rank + 2, 7))
    r8 = as_real64(modulo(5*rank + 2, 7) - 3)
    i4 = modulo(5*rank + 2, 7) - 3
    i8 = as_int64(i4)
    a8 = as_real64(rank)
    a8(2, 1) = transfer(9221120237041090560_int64, r8)          ! NaN everywhere
    if (rank == 0) a8(1, 2) = a8(2, 1)                          ! and at process 0
    if (rank == 1) a8(2, 2) = a8(2, 1)                          ! and at process 1
    n8 = r8
    call hf_max_all(dec, r4)
    call hf_max_all(dec, r8)
    call hf_min_all(dec, n8)
    write (output) r4, r8, n8
    b8 = a8(:, 2)
    call hf_max_all(dec, a8)
    call hf_min_all(dec, b8)
    call hf_min_all(dec, i4)
    call hf_max_all(dec, i8)
    write (output) a8, b8, i4, i8
    yes = rank < 1
    some = rank == 1
    l2 = [rank >= 0, rank < 0]
    call hf_and_all(dec, yes)
    call hf_or_all(dec, some)
    call hf_and_all(dec, l2)
    write (output) merge(1, 0, [yes, some, l2])
  end subroutine

  ! Sets of numbers from a file, dealt out to the processes; each as one array, and once more one by one, backwards.
  subroutine exact_case()
    integer :: input, sets, set, n, i, mine
    integer(int64), allocatable :: bits(:)
    real(real64), allocatable :: wide(:)
    real(real32), allocatable :: short(:)
    real(real64) :: total
    real(real32) :: total32
    type(hf_exact) :: each, other

    open (newunit=input, file='numbers.bin', access='stream', form='unformatted', action='read', status='old')
    read (input) sets
    do set = 1, sets
      read (input) n
      allocate (bits(n), wide(n), short(n))
      read (input) bits
      mine = 0
      do i = 1, n
        if (modulo(i*7 + set, hf_processes(dec)) /= rank) cycle
        mine = mine + 1
        wide(mine) = transfer(bits(i), 0.0_real64)
        short(mine) = transfer(int(ibits(bits(i), 0, 31), int32), 0.0_real32)
        if (btest(bits(i), 31)) short(mine) = sign(short(mine), -1.0_real32)
      end do
      if (type == 'real32') then
        total32 = hf_sum_exact(dec, short(:mine))
        write (output) int(transfer(total32, 0_int32), int64)
      else
        total = hf_sum_exact(dec, reshape(wide(:mine), [1, mine, 1]))
        write (output) transfer(total, 0_int64)
      end if
      ! Backwards, and as two sums that are put together.
      call hf_exact_clear(each)
      call hf_exact_clear(other)
      do i = mine, 1, -1
        if (i == mine/2) then
          call hf_exact_merge(other, each)
          call hf_exact_clear(each)
        end if
        if (type == 'real32') call hf_exact_add(each, short(i))
        if (type /= 'real32') call hf_exact_add(each, wide(i))
      end do
      call hf_exact_merge(each, other)
      if (type == 'real32') then
        call hf_exact_total(dec, each, total32)
        write (output) int(transfer(total32, 0_int32), int64)
      else
        call hf_exact_total(dec, each, total)
        write (output) transfer(total, 0_int64)
      end if
      deallocate (bits, wide, short)
    end do
    close (input)
  end subroutine

end module special
