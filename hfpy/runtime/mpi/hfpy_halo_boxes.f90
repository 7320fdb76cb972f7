! Arrays of any type as bytes, and boxes of them: what packs, unpacks and fills halos on the host.
!
! Elements are copied as memory, by the C library's memcpy, so that no compiler draws conclusions from their types.
module hfpy_halo_boxes
  use, intrinsic :: iso_c_binding, only: c_ptr, c_size_t, c_intptr_t
  use, intrinsic :: iso_fortran_env, only: int64
  use hfpy_halo_job, only: fail, text_of
  use hfpy_halo_decomposition, only: hf_decomposition, check_ready
  implicit none
  private
  public :: hf_field, hf_box, field_of, box_of, elements_of, pack_box, unpack_box, fill_box

  ! An array in memory.
  type :: hf_field
    type(c_ptr) :: address
    integer :: bytes = 0                           ! of an element
    integer :: extents(4) = 1
    integer :: dims(3) = 0                         ! the array's dimension for each decomposed one; 0: it has none
    integer :: first(3) = 1, last(3) = 1           ! bounds of those, where the first owned point has the index 1
  end type

  ! A part of an array: elements before it, and in it, along each dimension.
  type :: hf_box
    integer :: skipped(4) = 0, counts(4) = 1
  end type

  interface
    type(c_ptr) function memcpy(to, from, bytes) bind(C, name='memcpy')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
    end function
  end interface

contains

  ! The description of an array; ends the job where it does not fit the decomposition.
  type(hf_field) function field_of(dec, address, bytes, extents, dims, first, last) result(field)
    type(hf_decomposition), intent(in) :: dec
    type(c_ptr), intent(in) :: address
    integer, intent(in) :: bytes, extents(:), dims(:), first(:), last(:)
    integer :: d, e

    call check_ready(dec, 1)
    if (any([size(dims), size(first), size(last)] /= dec%dims)) call fail('a field of decomposition '//trim(dec%name)// &
      ' is given dims, first or last for another number of dimensions than '//text_of(dec%dims))
    field%address = address
    field%bytes = bytes
    field%extents(:size(extents)) = extents
    field%dims(:dec%dims) = dims
    field%first(:dec%dims) = first
    field%last(:dec%dims) = last
    do d = 1, dec%dims
      e = dims(d)
      if (e == 0) cycle
      if (e < 0 .or. e > size(extents) .or. count(dims == e) > 1) call fail('a field with '//text_of(size(extents))// &
        ' dimensions is said to have dimension '//text_of(d)//' of decomposition '//trim(dec%name)//' as its dimension '// &
        text_of(e))
      if (last(d) - first(d) + 1 /= extents(e)) call fail('dimension '//text_of(e)//' of a field has '// &
        text_of(extents(e))//' elements, but its bounds are said to be '//text_of(first(d))//' and '//text_of(last(d)))
      if (first(d) > 1 .or. last(d) < dec%owned(d)) call fail('dimension '//text_of(e)//' of a field has the bounds '// &
        text_of(first(d))//' and '//text_of(last(d))//', which do not hold the '//text_of(dec%owned(d))//' owned points')
    end do
  end function

  ! The box between local indices along decomposed dimensions, whole along the others.
  pure type(hf_box) function box_of(field, low, high) result(box)
    type(hf_field), intent(in) :: field
    integer, intent(in) :: low(3), high(3)
    integer :: d

    box%counts = field%extents
    do d = 1, 3
      if (field%dims(d) == 0) cycle
      box%skipped(field%dims(d)) = low(d) - field%first(d)
      box%counts(field%dims(d)) = max(0, high(d) - low(d) + 1)
    end do
  end function

  ! The number of elements of a box.
  pure integer(int64) function elements_of(box)
    type(hf_box), intent(in) :: box

    elements_of = product(int(box%counts, int64))
  end function

  ! Copy a box to memory, one element after the other.
  subroutine pack_box(field, box, buffer)
    type(hf_field), intent(in) :: field
    type(hf_box), intent(in) :: box
    type(c_ptr), intent(in) :: buffer

    call copy_rows(field, box, buffer, packs=.true., repeats=.false.)
  end subroutine

  ! Copy such memory to a box.
  subroutine unpack_box(field, box, buffer)
    type(hf_field), intent(in) :: field
    type(hf_box), intent(in) :: box
    type(c_ptr), intent(in) :: buffer

    call copy_rows(field, box, buffer, packs=.false., repeats=.false.)
  end subroutine

  ! Set all elements of a box to the one at an address.
  subroutine fill_box(field, box, element)
    type(hf_field), intent(in) :: field
    type(hf_box), intent(in) :: box
    type(c_ptr), intent(in) :: element

    call copy_rows(field, box, element, packs=.false., repeats=.true.)
  end subroutine

  ! Rows along the array's first dimension are contiguous. With `repeats`, each element is the one at the buffer.
  subroutine copy_rows(field, box, buffer, packs, repeats)
    type(hf_field), intent(in) :: field
    type(hf_box), intent(in) :: box
    type(c_ptr), intent(in) :: buffer
    logical, intent(in) :: packs, repeats
    integer(c_intptr_t) :: base, at, other, row
    integer :: i, j, k, l

    if (elements_of(box) == 0) return
    base = transfer(field%address, base)
    other = transfer(buffer, other)
    row = int(box%counts(1), c_intptr_t)*field%bytes
    do l = box%skipped(4), box%skipped(4) + box%counts(4) - 1
      do k = box%skipped(3), box%skipped(3) + box%counts(3) - 1
        do j = box%skipped(2), box%skipped(2) + box%counts(2) - 1
          at = ((int(l, c_intptr_t)*field%extents(3) + k)*field%extents(2) + j)*field%extents(1) + box%skipped(1)
          at = base + at*field%bytes
          if (repeats) then
            do i = 0, box%counts(1) - 1
              call copy(at + int(i, c_intptr_t)*field%bytes, other, int(field%bytes, c_intptr_t))
            end do
            cycle
          end if
          if (packs) call copy(other, at, row)
          if (.not. packs) call copy(at, other, row)
          other = other + row
        end do
      end do
    end do
  end subroutine

  subroutine copy(to, from, bytes)
    integer(c_intptr_t), intent(in) :: to, from, bytes
    type(c_ptr) :: pointer, ignored

    ignored = memcpy(transfer(to, pointer), transfer(from, pointer), int(bytes, c_size_t))
  end subroutine

end module hfpy_halo_boxes
