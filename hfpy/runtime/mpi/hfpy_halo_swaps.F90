! Exchanges of packed buffers with neighbours: a plan says which part of two buffers goes where and comes from where.
!
! Who packs and unpacks does not matter here. One buffer holds all messages of an exchange, and a message may hold parts
! of several fields: so each neighbour gets one message, whatever the number of fields. An exchange in phases (first along
! one dimension, then along the next with the halo of the first) is one plan for each phase.
module hfpy_halo_swaps
  use, intrinsic :: iso_c_binding, only: c_ptr, c_loc, c_f_pointer, c_null_ptr
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use hfpy_halo_job, only: settings, hf_settings, fail, text_of
  use hfpy_halo_decomposition, only: hf_decomposition, hf_neighbour
  use hfpy_halo_messages, only: hf_batch, batch_open, batch_send, batch_receive, batch_begin, batch_test, batch_wait, &
    batch_is_open
  implicit none
  private
  public :: hf_plan, hf_swap_plan, hf_swap_start, hf_progress, hf_swap_finish, hf_swaps_with_itself

  integer, parameter :: directions = 27, sites = 600   ! two tags for each direction and site stay below 32767

  ! What goes to one direction, and comes from there. Parts of buffers in elements: before the part, and in it.
  type :: hf_part
    integer :: direction(3) = 0
    integer :: partner = -1
    integer :: send_offset = 0, send_length = 0, recv_offset = 0, recv_length = 0
    integer :: opposite = 0                            ! the part of the opposite direction, or 0
  end type

  ! A plan, made once and used for many exchanges.
  type :: hf_plan
    private
    logical :: ready = .false.
    logical :: begun = .false.                         ! and not finished
    integer :: link = 0, rank = 0, site = 0
    integer :: bytes = 0                               ! of an element, in the present exchange
    logical :: on_device = .false.                     ! the buffers are a device's: only MPI may touch them
    type(hf_part), allocatable :: parts(:)
    type(hf_batch) :: messages
    type(hf_batch) :: heads                            ! with HFPY_MPI_CHECK: the lengths, beforehand
    integer(int64), allocatable :: told(:), heard(:)
    type(c_ptr) :: send, recv
  end type

  ! Start an exchange. The buffers are allocatable arrays, which no compiler passes as copies, or addresses with the
  ! bytes of an element (memory that is not Fortran's, or a device's where MPI can read it). Until hf_swap_finish, the
  ! caller leaves them alone, and keeps them allocated. Give them the attributes `target` and `asynchronous`.
  interface hf_swap_start
    module procedure start_real32, start_real64, start_int32, start_int64, start_logical, start_complex32
    module procedure start_complex64, start_address
  end interface

contains

  ! Make a plan. Column m of `directions` has -1, 0 or 1 for each decomposed dimension: where the part goes, and
  ! also from where the other one comes; offsets and lengths are in elements of the buffers. A direction beyond a
  ! physical boundary is left out. `site` is a number for the place in the program, the same on all processes: exchanges
  ! of different sites cannot take each other's messages. All processes start the exchanges of a site in the same order.
  subroutine hf_swap_plan(dec, plan, directions, send_offset, send_length, recv_offset, recv_length, site)
    type(hf_decomposition), intent(in) :: dec
    type(hf_plan), intent(inout) :: plan
    integer, intent(in) :: directions(:, :)
    integer, intent(in) :: send_offset(:), send_length(:), recv_offset(:), recv_length(:)
    integer, intent(in), optional :: site
    integer :: m, n

    if (plan%begun) call fail('a plan is made again while its exchange is under way')
    n = size(directions, 2)
    if (any([size(send_offset), size(send_length), size(recv_offset), size(recv_length)] /= n)) &
      call fail('hf_swap_plan: the numbers of directions, offsets and lengths differ')
    plan%link = dec%link
    plan%rank = dec%rank
    plan%site = 0
    if (present(site)) plan%site = 1 + modulo(site, sites - 1)
    if (allocated(plan%parts)) deallocate (plan%parts)
    allocate (plan%parts(n))
    do m = 1, n
      associate (part => plan%parts(m))
        part%direction(:size(directions, 1)) = directions(:, m)
        part%partner = hf_neighbour(dec, directions(:, m))
        part%send_offset = send_offset(m)
        part%send_length = send_length(m)
        part%recv_offset = recv_offset(m)
        part%recv_length = recv_length(m)
      end associate
    end do
    call pair(plan)
    plan%ready = .true.
  end subroutine

  ! Find the part of the opposite direction of each, and refuse two parts of one direction: their messages would have
  ! the same tag. A neighbour that is this process itself gets what the opposite part sends.
  subroutine pair(plan)
    type(hf_plan), intent(inout) :: plan
    integer :: m, other, sent

    do m = 1, size(plan%parts)
      do other = 1, size(plan%parts)
        if (all(plan%parts(other)%direction == -plan%parts(m)%direction)) plan%parts(m)%opposite = other
        if (other /= m .and. all(plan%parts(other)%direction == plan%parts(m)%direction)) &
          call fail('hf_swap_plan: two messages go in the same direction')
      end do
      if (plan%parts(m)%partner /= plan%rank) cycle
      sent = 0
      if (plan%parts(m)%opposite > 0) sent = plan%parts(plan%parts(m)%opposite)%send_length
      if (sent /= plan%parts(m)%recv_length) call fail('hf_swap_plan: a process is its own neighbour, and sends '// &
        text_of(sent)//' elements where it receives '//text_of(plan%parts(m)%recv_length))
    end do
  end subroutine

  ! Whether a process is its own neighbour in some direction: then it copies what goes there, and needs its buffers.
  pure logical function hf_swaps_with_itself(plan)
    type(hf_plan), intent(in) :: plan

    hf_swaps_with_itself = any(plan%parts%partner == plan%rank .and. plan%parts%recv_length > 0)
  end function

  ! Start an exchange of buffers at addresses. `elements` are those of the send and the receive buffer; `on_device`:
  ! the addresses are a device's.
  subroutine start_address(dec, plan, send, recv, bytes, elements, on_device)
    type(hf_decomposition), intent(in) :: dec
    type(hf_plan), intent(inout) :: plan
    type(c_ptr), value :: send, recv
    integer, intent(in) :: bytes
    integer, intent(in), optional :: elements(2)
    logical, intent(in), optional :: on_device
    integer :: m

    if (.not. plan%ready) call fail('an exchange is started before hf_swap_plan has made its plan')
    if (plan%begun) call fail('an exchange is started again before it is finished')
    if (plan%link /= dec%link) call fail('an exchange is started with the plan of another decomposition')
    if (present(elements)) call check_extents(plan, elements)
    plan%begun = .true.
    plan%on_device = .false.
    if (present(on_device)) plan%on_device = on_device
    plan%bytes = bytes
    plan%send = send
    plan%recv = recv
    call exchange_lengths(plan)
    call batch_open(plan%messages, plan%link)
    do m = 1, size(plan%parts)
      associate (part => plan%parts(m))
        if (part%partner < 0 .or. part%partner == plan%rank) cycle
        if (part%recv_length > 0) call batch_receive(plan%messages, place(recv, part%recv_offset, bytes), &
          int(part%recv_length, int64)*bytes, part%partner, tag(plan, -part%direction))
        if (part%send_length > 0) call batch_send(plan%messages, place(send, part%send_offset, bytes), &
          int(part%send_length, int64)*bytes, part%partner, tag(plan, part%direction))
      end associate
    end do
    call batch_begin(plan%messages)
  end subroutine

  ! Look after an exchange between other work, since MPI moves nothing by itself. `done`: all messages are there.
  subroutine hf_progress(plan, done)
    type(hf_plan), intent(inout) :: plan
    logical, intent(out), optional :: done
    logical :: ended

    ended = .true.
    if (batch_is_open(plan%messages)) ended = batch_test(plan%messages)
    if (present(done)) done = ended
  end subroutine

  ! Wait for the end of an exchange: then the receive buffer holds what the neighbours have sent.
  subroutine hf_swap_finish(plan)
    type(hf_plan), intent(inout) :: plan
    integer :: m

    if (.not. plan%begun) call fail('an exchange is finished that has not been started')
    call compare_lengths(plan)
    call batch_wait(plan%messages)
    ! Here and not at the start, so that nothing is there too early where a process is its own neighbour.
    do m = 1, size(plan%parts)
      if (plan%parts(m)%partner == plan%rank .and. plan%parts(m)%recv_length > 0) call copy_to_self(plan, plan%parts(m))
    end do
    plan%begun = .false.
  end subroutine

  subroutine copy_to_self(plan, part)
    type(hf_plan), intent(in) :: plan
    type(hf_part), intent(in) :: part
    integer(int8), pointer, contiguous :: from(:), to(:)
    integer(int64) :: length

    length = int(part%recv_length, int64)*plan%bytes
    call c_f_pointer(place(plan%send, plan%parts(part%opposite)%send_offset, plan%bytes), from, [length])
    call c_f_pointer(place(plan%recv, part%recv_offset, plan%bytes), to, [length])
    to = from
  end subroutine

  ! The tag of messages that travel in a direction.
  pure integer function tag(plan, direction)
    type(hf_plan), intent(in) :: plan
    integer, intent(in) :: direction(3)

    tag = plan%site*directions + dot_product(direction + 1, [1, 3, 9])
  end function

  ! The address behind some elements of a buffer.
  type(c_ptr) function place(buffer, offset, bytes)
    type(c_ptr), value :: buffer
    integer, intent(in) :: offset, bytes
    integer(int8), pointer, contiguous :: memory(:)

    call c_f_pointer(buffer, memory, [int(offset, int64)*bytes + 1])
    place = c_loc(memory(int(offset, int64)*bytes + 1))
  end function

  ! End the job if a part lies outside of its buffer.
  subroutine check_extents(plan, elements)
    type(hf_plan), intent(in) :: plan
    integer, intent(in) :: elements(2)
    integer :: m

    do m = 1, size(plan%parts)
      associate (part => plan%parts(m))
        if (part%partner < 0) cycle
        if (min(part%send_offset, part%send_length, part%recv_offset, part%recv_length) < 0 .or. &
          part%send_offset + part%send_length > elements(1) .or. part%recv_offset + part%recv_length > elements(2)) &
          call fail('an exchange reaches beyond its buffers, which have '//text_of(elements(1))//' and '// &
          text_of(elements(2))//' elements')
      end associate
    end do
  end subroutine

  ! With HFPY_MPI_CHECK: tell every neighbour the length of its message, also of one that is empty and so is not sent.
  ! What has not been received yet shows: all its bits are set, which are no numbers.
  subroutine exchange_lengths(plan)
    type(hf_plan), intent(inout), target :: plan
    type(hf_settings) :: asked
    integer(int8), pointer, contiguous :: memory(:)
    integer :: m

    asked = settings()
    if (.not. asked%check) return
    plan%told = int(plan%parts%send_length, int64)*plan%bytes
    plan%heard = spread(-1_int64, 1, size(plan%parts))
    call batch_open(plan%heads, plan%link)
    do m = 1, size(plan%parts)
      associate (part => plan%parts(m))
        if (part%partner < 0) cycle
        if (part%recv_length > 0 .and. .not. plan%on_device) then
          call c_f_pointer(place(plan%recv, part%recv_offset, plan%bytes), memory, [int(part%recv_length, int64)*plan%bytes])
          memory = -1_int8
        end if
        if (part%partner == plan%rank) cycle
        call batch_receive(plan%heads, c_loc(plan%heard(m)), 8_int64, part%partner, head_tag(plan, -part%direction))
        call batch_send(plan%heads, c_loc(plan%told(m)), 8_int64, part%partner, head_tag(plan, part%direction))
      end associate
    end do
    call batch_begin(plan%heads)
  end subroutine

  pure integer function head_tag(plan, direction)
    type(hf_plan), intent(in) :: plan
    integer, intent(in) :: direction(3)

    head_tag = directions*sites + tag(plan, direction)
  end function

  ! With HFPY_MPI_CHECK: end the job if a neighbour sends another length than is expected here.
  subroutine compare_lengths(plan)
    type(hf_plan), intent(inout) :: plan
    integer :: m

    if (.not. batch_is_open(plan%heads)) return
    call batch_wait(plan%heads)
    do m = 1, size(plan%parts)
      associate (part => plan%parts(m))
        if (part%partner < 0 .or. part%partner == plan%rank) cycle
        if (plan%heard(m) /= int(part%recv_length, int64)*plan%bytes) call fail('process '//text_of(part%partner)// &
          ' sends '//text_of(plan%heard(m))//' bytes where '//text_of(int(part%recv_length, int64)*plan%bytes)// &
          ' are expected: sizes or widths differ between processes')
      end associate
    end do
  end subroutine

#define HF_START start_real32
#define HF_ELEMENT real(real32)
#include "hfpy_halo_swap.inc"
#define HF_START start_real64
#define HF_ELEMENT real(real64)
#include "hfpy_halo_swap.inc"
#define HF_START start_int32
#define HF_ELEMENT integer(int32)
#include "hfpy_halo_swap.inc"
#define HF_START start_int64
#define HF_ELEMENT integer(int64)
#include "hfpy_halo_swap.inc"
#define HF_START start_logical
#define HF_ELEMENT logical
#include "hfpy_halo_swap.inc"
#define HF_START start_complex32
#define HF_ELEMENT complex(real32)
#include "hfpy_halo_swap.inc"
#define HF_START start_complex64
#define HF_ELEMENT complex(real64)
#include "hfpy_halo_swap.inc"

end module hfpy_halo_swaps
