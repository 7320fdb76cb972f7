! What the tests of the library run: cases that a file names, each in turn on all processes. Every process writes what it
! has then to a file of its own; the tests know what should be there.
module engine
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use hfpy_halo
  implicit none

  integer :: output
  integer :: rank = 0

  ! A case.
  character(len=16) :: kind, type
  integer :: nd, global(3), low(3), high(3), grid(3), stagger(3)     ! the decomposition
  logical :: periodic(3)
  integer :: ranks_of_grid
  integer :: extents(4), dims(3), pad(2), narrow_low(3), narrow_high(3)  ! a field
  integer :: array_rank
  logical :: corners, outer, narrow
  integer :: turns
  namelist /case/ kind, type, nd, global, low, high, grid, stagger, periodic, ranks_of_grid, extents, dims, pad, &
    narrow_low, narrow_high, array_rank, corners, outer, narrow, turns

  type(hf_decomposition) :: dec
  integer :: local(3), first(3), last(3)

contains

  subroutine defaults()
    kind = ''
    type = 'real64'
    nd = 2
    global = 1
    low = 0
    high = 0
    grid = 0
    stagger = 0
    periodic = .false.
    ranks_of_grid = 1
    extents = 1
    dims = 0
    pad = 0
    narrow_low = 0
    narrow_high = 0
    array_rank = 2
    corners = .true.
    outer = .false.
    narrow = .false.
    turns = 1
  end subroutine

  subroutine decompose()
    integer :: d

    call hf_decompose(dec, 'dec', global(:nd), local(:nd), low(:nd), high(:nd), periodic(:nd), grid(:nd), stagger(:nd))
    if (any([(hf_owned(dec, d), d=1, nd)] /= local(:nd))) error stop 'hf_owned'
    do d = 1, nd
      if (dims(d) == 0) cycle
      first(d) = 1 - low(d) - pad(1)
      last(d) = local(d) + high(d) + pad(2)
      extents(dims(d)) = last(d) - first(d) + 1
    end do
    rank = hf_process(dec)
  end subroutine

  ! The subscripts of the array's element number n, from 0; along decomposed dimensions global ones, from 1.
  function place(n, sizes, whole) result(at)
    integer, intent(in) :: n, sizes(4)
    logical, intent(in) :: whole
    integer :: at(4), d

    at = [mod(n, sizes(1)), mod(n/sizes(1), sizes(2)), mod(n/product(sizes(:2)), sizes(3)), n/product(sizes(:3))] + 1
    if (whole) return
    do d = 1, nd
      if (dims(d) > 0) at(dims(d)) = at(dims(d)) - 1 + first(d) + hf_before(dec, d)
    end do
  end function

  ! A number for each place, all different.
  integer function code(at)
    integer, intent(in) :: at(4)

    code = dot_product(at, [1, 100, 10000, 1000000])
  end function

  ! Whether a place is one of those that this process owns.
  logical function is_owned(at)
    integer, intent(in) :: at(4)
    integer :: d

    is_owned = .true.
    do d = 1, nd
      if (dims(d) == 0) cycle
      is_owned = is_owned .and. at(dims(d)) > hf_before(dec, d) .and. at(dims(d)) <= hf_before(dec, d) + local(d)
    end do
  end function

  pure real(real32) function as_real32(n)
    integer, intent(in) :: n
    as_real32 = real(n, real32)/16
  end function
  pure real(real64) function as_real64(n)
    integer, intent(in) :: n
    as_real64 = real(n, real64)*0.1_real64
  end function
  pure integer(int32) function as_int32(n)
    integer, intent(in) :: n
    as_int32 = n
  end function
  pure integer(int64) function as_int64(n)
    integer, intent(in) :: n
    as_int64 = n*2_int64**32 + 7
  end function
  pure logical function as_logical(n)
    integer, intent(in) :: n
    as_logical = modulo(n/7 + n/100 + n, 2) == 0
  end function
  pure complex(real32) function as_complex32(n)
    integer, intent(in) :: n
    as_complex32 = cmplx(as_real32(n), -as_real32(n) - 1, real32)
  end function
  pure complex(real64) function as_complex64(n)
    integer, intent(in) :: n
    as_complex64 = cmplx(as_real64(n), -as_real64(n) - 1, real64)
  end function

#define HF_FIELD field_real32
#define HF_ELEMENT real(real32)
#define HF_AS as_real32
#include "engine_field.inc"
#define HF_FIELD field_real64
#define HF_ELEMENT real(real64)
#define HF_AS as_real64
#include "engine_field.inc"
#define HF_FIELD field_int32
#define HF_ELEMENT integer(int32)
#define HF_AS as_int32
#include "engine_field.inc"
#define HF_FIELD field_int64
#define HF_ELEMENT integer(int64)
#define HF_AS as_int64
#include "engine_field.inc"
#define HF_FIELD field_logical
#define HF_ELEMENT logical
#define HF_AS as_logical
#include "engine_field.inc"
#define HF_FIELD field_complex32
#define HF_ELEMENT complex(real32)
#define HF_AS as_complex32
#include "engine_field.inc"
#define HF_FIELD field_complex64
#define HF_ELEMENT complex(real64)
#define HF_AS as_complex64
#include "engine_field.inc"

  subroutine field_case()
    select case (type)
    case ('real32')
      call field_real32()
    case ('real64')
      call field_real64()
    case ('int32')
      call field_int32()
    case ('int64')
      call field_int64()
    case ('logical')
      call field_logical()
    case ('complex32')
      call field_complex32()
    case ('complex64')
      call field_complex64()
    end select
  end subroutine

  ! What the decomposition says of this process.
  subroutine inquire_case()
    integer :: d, i, j
    integer :: direction(3)

    write (output) rank, hf_processes(dec), local(:nd), (hf_before(dec, d), d=1, nd), (hf_coordinate(dec, d), d=1, nd), &
      (hf_global(dec, d), d=1, nd), (merge(1, 0, hf_edge(dec, d, -1)), merge(1, 0, hf_edge(dec, d, 1)), d=1, nd)
    do i = 0, 3**nd - 1
      direction = [(mod(i/3**j, 3) - 1, j=0, 2)]
      write (output) hf_neighbour(dec, direction(:nd))
    end do
  end subroutine

end module engine
