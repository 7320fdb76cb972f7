! Whole fields on process 0, and back: for output and input by global index.
module hfpy_halo_gathering
  use, intrinsic :: iso_c_binding, only: c_ptr, c_loc
  use, intrinsic :: iso_fortran_env, only: int8, int64
  use hfpy_halo_job, only: fail, text_of
  use hfpy_halo_decomposition, only: hf_decomposition, owned_box
  use hfpy_halo_boxes, only: hf_field, hf_box, box_of, elements_of, pack_box, unpack_box
  use hfpy_halo_messages, only: hf_batch, batch_open, batch_send, batch_receive, batch_begin, batch_wait
  implicit none
  private
  public :: gather_field, scatter_field

  integer, parameter :: gather_tag = 32765, scatter_tag = 32766     ! above those of exchanges

contains

  ! Copy the owned points of `local` of all processes to `whole` at process 0.
  subroutine gather_field(dec, local, whole)
    type(hf_decomposition), intent(in) :: dec
    type(hf_field), intent(in) :: local, whole
    type(hf_field) :: global
    integer(int8), allocatable, target :: buffer(:)
    type(hf_box) :: box
    integer :: rank, none(3)

    none = 0
    if (dec%rank == 0) then
      global = checked(dec, local, whole)
      do rank = 0, dec%ranks - 1
        if (.not. takes_part(dec, local, rank)) cycle
        box = box_of_rank(dec, global, rank)
        allocate (buffer(max(1_int64, elements_of(box)*local%bytes)))
        if (rank == 0) then
          call pack_box(local, box_of(local, none + 1, dec%owned), c_loc(buffer))
        else
          call move(dec, c_loc(buffer), elements_of(box)*local%bytes, rank, gather_tag, sends=.false.)
        end if
        call unpack_box(global, box, c_loc(buffer))
        deallocate (buffer)
      end do
    else if (takes_part(dec, local, dec%rank)) then
      box = box_of(local, none + 1, dec%owned)
      allocate (buffer(max(1_int64, elements_of(box)*local%bytes)))
      call pack_box(local, box, c_loc(buffer))
      call move(dec, c_loc(buffer), elements_of(box)*local%bytes, 0, gather_tag, sends=.true.)
    end if
  end subroutine

  ! Copy `whole` of process 0 to the owned points of `local` of all processes.
  subroutine scatter_field(dec, local, whole)
    type(hf_decomposition), intent(in) :: dec
    type(hf_field), intent(in) :: local, whole
    type(hf_field) :: global
    integer(int8), allocatable, target :: buffer(:)
    type(hf_box) :: box, mine
    integer :: rank, none(3)

    none = 0
    mine = box_of(local, none + 1, dec%owned)
    if (dec%rank == 0) then
      global = checked(dec, local, whole)
      do rank = 0, dec%ranks - 1
        box = box_of_rank(dec, global, rank)
        allocate (buffer(max(1_int64, elements_of(box)*local%bytes)))
        call pack_box(global, box, c_loc(buffer))
        if (rank == 0) then
          call unpack_box(local, mine, c_loc(buffer))
        else
          call move(dec, c_loc(buffer), elements_of(box)*local%bytes, rank, scatter_tag, sends=.true.)
        end if
        deallocate (buffer)
      end do
    else
      allocate (buffer(max(1_int64, elements_of(mine)*local%bytes)))
      call move(dec, c_loc(buffer), elements_of(mine)*local%bytes, 0, scatter_tag, sends=.false.)
      call unpack_box(local, mine, c_loc(buffer))
    end if
  end subroutine

  ! Whether a process's points are gathered: of those that have the same points, as the field does not have all
  ! decomposed dimensions, the first.
  pure logical function takes_part(dec, field, rank)
    type(hf_decomposition), intent(in) :: dec
    type(hf_field), intent(in) :: field
    integer, intent(in) :: rank
    integer :: before(3), owned(3)

    call owned_box(dec, rank, before, owned)
    takes_part = all(before == 0 .or. field%dims > 0)
  end function

  ! The points that a process owns, as a box of the whole field.
  pure type(hf_box) function box_of_rank(dec, global, rank) result(box)
    type(hf_decomposition), intent(in) :: dec
    type(hf_field), intent(in) :: global
    integer, intent(in) :: rank
    integer :: before(3), owned(3)

    call owned_box(dec, rank, before, owned)
    box = box_of(global, before + 1, before + owned)
  end function

  ! The whole field, if its sizes are those of the decomposition and of the local one; else the end of the job.
  type(hf_field) function checked(dec, local, whole) result(global)
    type(hf_decomposition), intent(in) :: dec
    type(hf_field), intent(in) :: local, whole
    integer :: wanted(4), d

    wanted = local%extents
    do d = 1, dec%dims
      if (local%dims(d) > 0) wanted(local%dims(d)) = dec%points(d) + dec%stagger(d)
    end do
    if (any(whole%extents /= wanted)) call fail('the whole field of decomposition '//trim(dec%name)//' has '// &
      text_of(whole%extents)//' elements at process 0 where '//text_of(wanted)//' are needed')
    global = whole
    global%dims = local%dims
    global%first = 1
  end function

  ! One message, and wait for it.
  subroutine move(dec, address, bytes, partner, tag, sends)
    type(hf_decomposition), intent(in) :: dec
    type(c_ptr), intent(in) :: address
    integer(int64), intent(in) :: bytes
    integer, intent(in) :: partner, tag
    logical, intent(in) :: sends
    type(hf_batch) :: batch

    call batch_open(batch, dec%link)
    if (sends) call batch_send(batch, address, bytes, partner, tag)
    if (.not. sends) call batch_receive(batch, address, bytes, partner, tag)
    call batch_begin(batch)
    call batch_wait(batch)
  end subroutine

end module hfpy_halo_gathering

#define HF_MODULE hfpy_halo_gather_real32
#define HF_ELEMENT real(real32)
#include "hfpy_halo_gathers.inc"

#define HF_MODULE hfpy_halo_gather_real64
#define HF_ELEMENT real(real64)
#include "hfpy_halo_gathers.inc"

#define HF_MODULE hfpy_halo_gather_int32
#define HF_ELEMENT integer(int32)
#include "hfpy_halo_gathers.inc"

#define HF_MODULE hfpy_halo_gather_int64
#define HF_ELEMENT integer(int64)
#include "hfpy_halo_gathers.inc"

#define HF_MODULE hfpy_halo_gather_logical
#define HF_ELEMENT logical
#include "hfpy_halo_gathers.inc"

#define HF_MODULE hfpy_halo_gather_complex32
#define HF_ELEMENT complex(real32)
#include "hfpy_halo_gathers.inc"

#define HF_MODULE hfpy_halo_gather_complex64
#define HF_ELEMENT complex(real64)
#include "hfpy_halo_gathers.inc"

module hfpy_halo_gathers
  use hfpy_halo_gather_real32
  use hfpy_halo_gather_real64
  use hfpy_halo_gather_int32
  use hfpy_halo_gather_int64
  use hfpy_halo_gather_logical
  use hfpy_halo_gather_complex32
  use hfpy_halo_gather_complex64
  implicit none
  public
end module hfpy_halo_gathers
