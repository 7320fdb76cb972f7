! Halos of whole fields, exchanged and poisoned on the host, without generated kernels.
module hfpy_halo_exchanges
  use, intrinsic :: iso_c_binding, only: c_ptr, c_loc
  use, intrinsic :: iso_fortran_env, only: int8, int64
  use hfpy_halo_job, only: fail, text_of
  use hfpy_halo_decomposition, only: hf_decomposition, hf_neighbour, hf_edge
  use hfpy_halo_boxes, only: hf_field, hf_box, box_of, elements_of, pack_box, unpack_box, fill_box
  use hfpy_halo_swaps, only: hf_plan, hf_swap_plan, hf_swap_start, hf_swap_finish
  implicit none
  private
  public :: exchange_field, poison_field

contains

  ! Make the halo of a field equal to what its owners have. See hf_exchange in hfpy_halo.
  subroutine exchange_field(dec, field, low, high, corners, outer)
    type(hf_decomposition), intent(in) :: dec
    type(hf_field), intent(in) :: field
    integer, intent(in), optional :: low(:), high(:)
    logical, intent(in), optional :: corners, outer
    type(hf_plan) :: plan
    type(hf_box), allocatable :: sent(:), received(:)
    integer, allocatable :: directions(:, :), send_length(:), recv_length(:)
    integer(int8), allocatable, target :: send(:), recv(:)
    integer :: wide(3, 2), m

    wide = widths(dec, field, low, high)
    call find_directions(dec, field, wanted(corners, .true.), directions)
    allocate (sent(size(directions, 2)), received(size(directions, 2)))
    do m = 1, size(directions, 2)
      sent(m) = strip(dec, field, wide, directions(:, m), wanted(outer, .false.), inside=.true.)
      received(m) = strip(dec, field, wide, directions(:, m), wanted(outer, .false.), inside=.false.)
    end do
    send_length = lengths(sent)
    recv_length = lengths(received)
    allocate (send(max(1_int64, sum(int(send_length, int64))*field%bytes)))
    allocate (recv(max(1_int64, sum(int(recv_length, int64))*field%bytes)))
    do m = 1, size(sent)
      call pack_box(field, sent(m), at(send, send_length, m, field%bytes))
    end do
    call hf_swap_plan(dec, plan, directions(:dec%dims, :), before(send_length), send_length, before(recv_length), recv_length)
    call hf_swap_start(dec, plan, c_loc(send), c_loc(recv), field%bytes)
    call hf_swap_finish(plan)
    do m = 1, size(received)
      call unpack_box(field, received(m), at(recv, recv_length, m, field%bytes))
    end do
  end subroutine

  ! Set all points of a field that are copies of others' to one element: those that exchange_field would set with the
  ! widest halo that the field has.
  subroutine poison_field(dec, field, element, outer)
    type(hf_decomposition), intent(in) :: dec
    type(hf_field), intent(in) :: field
    type(c_ptr), intent(in) :: element
    logical, intent(in), optional :: outer
    integer, allocatable :: directions(:, :)
    integer :: wide(3, 2), m

    wide = 0
    where (field%dims > 0)
      wide(:, 1) = 1 - field%first
      wide(:, 2) = field%last - dec%owned
    end where
    call find_directions(dec, field, .true., directions)
    do m = 1, size(directions, 2)
      call fill_box(field, strip(dec, field, wide, directions(:, m), wanted(outer, .false.), inside=.false.), element)
    end do
  end subroutine

  pure logical function wanted(option, default)
    logical, intent(in), optional :: option
    logical, intent(in) :: default

    wanted = default
    if (present(option)) wanted = option
  end function

  ! The widths to exchange, of each dimension and side; those of the decomposition if none are given.
  function widths(dec, field, low, high) result(wide)
    type(hf_decomposition), intent(in) :: dec
    type(hf_field), intent(in) :: field
    integer, intent(in), optional :: low(:), high(:)
    integer :: wide(3, 2), d

    wide(:, 1) = dec%halo_low
    wide(:, 2) = dec%halo_high
    if (present(low)) call take(low, wide(:, 1))
    if (present(high)) call take(high, wide(:, 2))
    do d = 1, dec%dims
      if (field%dims(d) == 0) cycle
      if (wide(d, 1) > 1 - field%first(d) .or. wide(d, 2) > field%last(d) - dec%owned(d)) call fail( &
        'a halo of '//text_of(wide(d, 1))//' and '//text_of(wide(d, 2))//' points is exchanged in dimension '// &
        text_of(field%dims(d))//' of a field that has '//text_of(1 - field%first(d))//' and '// &
        text_of(field%last(d) - dec%owned(d))//' points beside the owned ones')
    end do

  contains

    subroutine take(given, side)
      integer, intent(in) :: given(:)
      integer, intent(inout) :: side(3)

      if (size(given) /= dec%dims) call fail('a halo is exchanged with widths for '//text_of(size(given))// &
        ' dimensions; decomposition '//trim(dec%name)//' has '//text_of(dec%dims))
      if (any(given > side(:dec%dims)) .or. any(given < 0)) call fail('a halo is exchanged that is '//text_of(given)// &
        ' wide; decomposition '//trim(dec%name)//' has been made for '//text_of(side(:dec%dims)))
      side(:dec%dims) = given
    end subroutine

  end function

  ! All directions in which a field has neighbours: columns of -1, 0 and 1.
  subroutine find_directions(dec, field, corners, found)
    type(hf_decomposition), intent(in) :: dec
    type(hf_field), intent(in) :: field
    logical, intent(in) :: corners
    integer, allocatable, intent(out) :: found(:, :)
    integer :: i, direction(3), all_of(3, 26), n

    n = 0
    do i = 0, 26
      direction = [mod(i, 3), mod(i/3, 3), i/9] - 1
      if (any(direction /= 0 .and. field%dims == 0) .or. all(direction == 0)) cycle
      if (.not. corners .and. count(direction /= 0) > 1) cycle
      if (hf_neighbour(dec, direction(:dec%dims)) < 0) cycle
      n = n + 1
      all_of(:, n) = direction
    end do
    allocate (found(3, n))
    found = all_of(:, :n)
  end subroutine

  ! What a direction's neighbour gets from this process (inside), or gives to it (the halo on that side). With `outer`,
  ! what lies beyond a physical boundary beside the strip goes along.
  type(hf_box) function strip(dec, field, wide, direction, outer, inside)
    type(hf_decomposition), intent(in) :: dec
    type(hf_field), intent(in) :: field
    integer, intent(in) :: wide(3, 2), direction(3)
    logical, intent(in) :: outer, inside
    integer :: low(3), high(3), d
    logical :: edges(2)

    low = 1
    high = dec%owned
    do d = 1, dec%dims
      if (field%dims(d) == 0) cycle
      edges = [hf_edge(dec, d, -1), hf_edge(dec, d, 1)]
      select case (direction(d))
      case (-1)
        if (inside) high(d) = wide(d, 2)               ! becomes the high halo of the neighbour below
        if (.not. inside) low(d) = 1 - wide(d, 1)
        if (.not. inside) high(d) = 0
      case (1)
        if (inside) low(d) = dec%owned(d) - wide(d, 1) + 1
        if (.not. inside) low(d) = dec%owned(d) + 1
        if (.not. inside) high(d) = dec%owned(d) + wide(d, 2)
      case default
        if (outer .and. edges(1)) low(d) = 1 - wide(d, 1)
        if (outer .and. edges(2)) high(d) = dec%owned(d) + wide(d, 2)
      end select
    end do
    strip = box_of(field, low, high)
  end function

  function lengths(boxes) result(elements)
    type(hf_box), intent(in) :: boxes(:)
    integer :: elements(size(boxes)), m

    do m = 1, size(boxes)
      if (elements_of(boxes(m)) > huge(elements)) call fail('a halo has more elements than default integers can count')
      elements(m) = int(elements_of(boxes(m)))
    end do
  end function

  ! The elements before each message of a buffer.
  function before(counts) result(offsets)
    integer, intent(in) :: counts(:)
    integer :: offsets(size(counts)), m

    if (sum(int(counts, int64)) > huge(offsets)) call fail('halos have more elements than default integers can count')
    offsets = [(sum(counts(:m - 1)), m=1, size(counts))]
  end function

  ! The address of a message in a buffer.
  type(c_ptr) function at(buffer, counts, m, bytes)
    integer(int8), intent(in), target :: buffer(:)
    integer, intent(in) :: counts(:), m, bytes

    at = c_loc(buffer(min(size(buffer, kind=int64), sum(int(counts(:m - 1), int64))*bytes + 1)))
  end function

end module hfpy_halo_exchanges

#define HF_MODULE hfpy_halo_exchange_real32
#define HF_ELEMENT real(real32)
#define HF_POISON ieee_value(0.0_real32, ieee_quiet_nan)
#define HF_REAL
#include "hfpy_halo_exchange.inc"

#define HF_MODULE hfpy_halo_exchange_real64
#define HF_ELEMENT real(real64)
#define HF_POISON ieee_value(0.0_real64, ieee_quiet_nan)
#define HF_REAL
#include "hfpy_halo_exchange.inc"

#define HF_MODULE hfpy_halo_exchange_int32
#define HF_ELEMENT integer(int32)
#define HF_POISON huge(element)
#include "hfpy_halo_exchange.inc"

#define HF_MODULE hfpy_halo_exchange_int64
#define HF_ELEMENT integer(int64)
#define HF_POISON huge(element)
#include "hfpy_halo_exchange.inc"

#define HF_MODULE hfpy_halo_exchange_logical
#define HF_ELEMENT logical
#define HF_POISON .true.
#include "hfpy_halo_exchange.inc"

#define HF_MODULE hfpy_halo_exchange_complex32
#define HF_ELEMENT complex(real32)
#define HF_POISON (1, 1)*ieee_value(0.0_real32, ieee_quiet_nan)
#define HF_REAL
#include "hfpy_halo_exchange.inc"

#define HF_MODULE hfpy_halo_exchange_complex64
#define HF_ELEMENT complex(real64)
#define HF_POISON (1, 1)*ieee_value(0.0_real64, ieee_quiet_nan)
#define HF_REAL
#include "hfpy_halo_exchange.inc"

module hfpy_halo_fields
  use hfpy_halo_exchange_real32
  use hfpy_halo_exchange_real64
  use hfpy_halo_exchange_int32
  use hfpy_halo_exchange_int64
  use hfpy_halo_exchange_logical
  use hfpy_halo_exchange_complex32
  use hfpy_halo_exchange_complex64
  implicit none
  public
end module hfpy_halo_fields
