! hfpy_arrays.f90: arrays on the device, as generated Fortran calls it: any type, kind and rank.
!
! The arrays have no intent: with one, compilers might think that the call leaves their values as they are.
module hfpy_arrays
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int, c_int64_t, c_intptr_t, c_null_char, c_ptr, c_size_t
  implicit none
  private
  public :: hf_enter, hf_leave, hf_enter_bytes, hf_leave_bytes
  public :: hf_enter_once, hf_leave_once, hf_enter_into, hf_leave_from, hf_leave_all
  public :: hf_update_host, hf_update_device, hf_update_host_behind, hf_update_device_behind
  public :: hf_location, hf_moved, hf_forget, hf_freed, hf_set_aside, hf_take_back, hf_drop_set_aside, hf_end
  public :: hf_extent, hf_address, hf_region_begins, hf_region_ends, hf_order_printed, c_f_pointer

  !> What ends a text for C.
  character(kind=c_char), parameter :: hf_end = c_null_char

  interface
    !> Brings an array to the device, or counts one more user of it; copy_in: 1 to copy its values.
    subroutine hf_enter(array, copy_in, name, where) bind(c, name="hfd_enter_array")
      import :: c_char, c_int
      type(*) :: array(..)
      integer(c_int), value :: copy_in
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_enter

    !> The other end of hf_enter; copy_out: 1 to take the values back with the last user.
    subroutine hf_leave(array, copy_out, name, where) bind(c, name="hfd_leave_array")
      import :: c_char, c_int
      type(*) :: array(..)
      integer(c_int), value :: copy_out
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_leave

    !> As hf_enter for an array of unknown size, of which so many bytes are meant.
    subroutine hf_enter_bytes(array, bytes, copy_in, name, where) bind(c, name="hfd_enter")
      import :: c_char, c_int, c_size_t
      type(*) :: array(*)
      integer(c_size_t), value :: bytes
      integer(c_int), value :: copy_in
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_enter_bytes

    !> The other end of hf_enter_bytes.
    subroutine hf_leave_bytes(array, bytes, copy_out, name, where) bind(c, name="hfd_leave")
      import :: c_char, c_int, c_size_t
      type(*) :: array(*)
      integer(c_size_t), value :: bytes
      integer(c_int), value :: copy_out
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_leave_bytes

    !> As hf_enter, but only if entered is 0, which becomes 1, or if the array has other memory since.
    subroutine hf_enter_once(array, copy_in, entered, name, where) bind(c, name="hfd_enter_array_once")
      import :: c_char, c_int
      type(*) :: array(..)
      integer(c_int), value :: copy_in
      integer(c_int), intent(inout) :: entered
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_enter_once

    !> As hf_leave, but only if entered is 1, which becomes 0.
    subroutine hf_leave_once(array, copy_out, entered, name, where) bind(c, name="hfd_leave_array_once")
      import :: c_char, c_int
      type(*) :: array(..)
      integer(c_int), value :: copy_out
      integer(c_int), intent(inout) :: entered
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_leave_once

    !> As hf_enter for what a pointer means, but only if it is not among those entered into the group already
    !> (0 is a new one).
    subroutine hf_enter_into(array, copy_in, group, name, where) bind(c, name="hfd_enter_array_into")
      import :: c_char, c_int
      type(*) :: array(..)
      integer(c_int), value :: copy_in
      integer(c_int), intent(inout) :: group
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_enter_into

    !> As hf_leave for one of a group, if it is in it.
    subroutine hf_leave_from(array, copy_out, group, name, where) bind(c, name="hfd_leave_array_from")
      import :: c_char, c_int
      type(*) :: array(..)
      integer(c_int), value :: copy_out
      integer(c_int), intent(inout) :: group
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_leave_from

    !> As hf_leave for all of a group, which is 0 then.
    subroutine hf_leave_all(copy_out, group, name, where) bind(c, name="hfd_leave_all")
      import :: c_char, c_int
      integer(c_int), value :: copy_out
      integer(c_int), intent(inout) :: group
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_leave_all

    !> How many indices a dimension of an array has; 0 if the array was not given.
    function hf_extent(array, dimension) bind(c, name="hfd_extent")
      import :: c_int
      type(*), optional, intent(in) :: array(..)
      integer(c_int), value :: dimension
      integer(c_int) :: hf_extent
    end function hf_extent

    !> Copies an array from the device to the host, as far as it is there.
    subroutine hf_update_host(array, name, where) bind(c, name="hfd_update_host_array")
      import :: c_char
      type(*) :: array(..)
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_update_host

    !> Copies an array from the host to the device, as far as it is there.
    subroutine hf_update_device(array, name, where) bind(c, name="hfd_update_device_array")
      import :: c_char
      type(*) :: array(..)
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_update_device

    !> As hf_update_host for all that is on the device from the beginning of an array on, whose size is not known.
    subroutine hf_update_host_behind(array, name, where) bind(c, name="hfd_update_host_behind")
      import :: c_char
      type(*) :: array(*)
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_update_host_behind

    !> As hf_update_device, in the same way.
    subroutine hf_update_device_behind(array, name, where) bind(c, name="hfd_update_device_behind")
      import :: c_char
      type(*) :: array(*)
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_update_device_behind

    !> Gives back what an array has on the device, whoever uses it, before it is deallocated; entered becomes 0.
    subroutine hf_forget(array, entered) bind(c, name="hfd_forget_array")
      import :: c_int
      type(*) :: array(..)
      integer(c_int), intent(inout) :: entered
    end subroutine hf_forget

    !> The same for an array that others may have brought there.
    subroutine hf_freed(array) bind(c, name="hfd_freed_array")
      type(*) :: array(..)
    end subroutine hf_freed

    !> Where an allocatable array is, before a statement that may allocate it anew.
    integer(c_intptr_t) function hf_location(array) bind(c, name="hfd_location_of_array")
      import :: c_intptr_t
      type(*) :: array(..)
    end function hf_location

    !> Behind such a statement: what was on the device for the old memory becomes that of the new one, with its values.
    !> update: 1 to copy the values, too, if the memory is the same.
    subroutine hf_moved(array, was, update, name, where) bind(c, name="hfd_moved_array")
      import :: c_char, c_int, c_intptr_t
      type(*) :: array(..)
      integer(c_intptr_t), value :: was
      integer(c_int), value :: update
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_moved

    !> Before a call that may free an array's memory: it leaves the device with its values, whoever uses it. number is
    !> for the call after that.
    subroutine hf_set_aside(array, number, name, where) bind(c, name="hfd_set_array_aside")
      import :: c_char, c_int64_t
      type(*) :: array(..)
      integer(c_int64_t), intent(inout) :: number
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_set_aside

    !> Behind such a call: the array is there for its users again, if it still lies where it was. number becomes 0.
    subroutine hf_take_back(array, number, name, where) bind(c, name="hfd_take_array_back")
      import :: c_char, c_int64_t
      type(*) :: array(..)
      integer(c_int64_t), intent(inout) :: number
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hf_take_back

    !> Behind such a call, for an array that is no more.
    subroutine hf_drop_set_aside(number) bind(c, name="hfd_drop_set_aside")
      import :: c_int64_t
      integer(c_int64_t), intent(inout) :: number
    end subroutine hf_drop_set_aside

    !> The device address of an array, for a region of OpenACC or OpenMP. An error if it is not there.
    function hf_address(array, name, region, where) bind(c, name="hfd_address_of_array") result(device)
      import :: c_char, c_ptr
      type(*) :: array(..)
      character(kind=c_char), intent(in) :: name(*), region(*), where(*)
      type(c_ptr) :: device
    end function hf_address

    !> Before a region of OpenACC (openacc: 1) or OpenMP: waits for CUDA kernels, which its runtime knows nothing of.
    subroutine hf_region_begins(region, where, openacc) bind(c, name="hfd_region_begins")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: region(*), where(*)
      integer(c_int), value :: openacc
    end subroutine hf_region_begins

    !> Behind it.
    subroutine hf_region_ends(region, where) bind(c, name="hfd_region_ends")
      import :: c_char
      character(kind=c_char), intent(in) :: region(*), where(*)
    end subroutine hf_region_ends
  end interface
contains
  !> The places of the records that a kernel has written to a buffer, by their points; those of a point as they came.
  subroutine hf_order_printed(printed, order)
    integer(8), intent(in) :: printed(:)
    integer, allocatable, intent(out) :: order(:)
    integer, allocatable :: other(:)
    integer :: at, count, width

    count = 0
    allocate(order(size(printed)))
    at = 2
    do while (at < size(printed))
      if (printed(at) <= 0) exit
      count = count + 1
      order(count) = at
      at = at + int(printed(at))
    end do
    order = order(:count)
    allocate(other(count))
    width = 1
    do while (width < count)
      do at = 1, count, 2*width
        call merge_runs(printed, order, other, at, min(at + width, count + 1), min(at + 2*width, count + 1))
      end do
      order = other
      width = 2*width
    end do
  end subroutine hf_order_printed

  !> Two neighbouring runs that are in order, from first and from second on, as one; last is behind them.
  subroutine merge_runs(printed, order, other, first, second, last)
    integer(8), intent(in) :: printed(:)
    integer, intent(in) :: order(:), first, second, last
    integer, intent(inout) :: other(:)
    integer :: left, right, to
    logical :: from_left

    left = first
    right = second
    do to = first, last - 1
      from_left = right >= last
      if (left < second .and. right < last) from_left = printed(order(left) + 1) <= printed(order(right) + 1)
      if (from_left) then
        other(to) = order(left)
        left = left + 1
      else
        other(to) = order(right)
        right = right + 1
      end if
    end do
  end subroutine merge_runs
end module hfpy_arrays
