! How far into the halos of arrays points are as their owners have them, while the program runs. hfpy has generated code
! note it where it cannot tell beforehand whether an exchange is missing. Arrays are known by their addresses; of one that
! is not known here nothing is said.
module hfpy_marks
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: hf_mark_set, hf_mark_clean, hf_mark_unknown, hf_mark_fault

  integer, parameter :: most = 2  ! domains that are cut

  ! What has been exchanged since the points were set: so many points on the low and the high side of each domain, and at
  ! the corners between them.
  type :: box
    integer :: low(most) = 0, high(most) = 0
  end type

  ! The points of an array have been set at a place.
  type :: mark
    integer(int64) :: address = 0                       ! 0: it is free
    type(box), allocatable :: clean(:)
    character(:), allocatable :: place
  end type

  type(mark), allocatable, save :: marks(:)

contains

  ! All points that the process owns have been set.
  subroutine hf_mark_set(address, place)
    integer(int64), intent(in) :: address
    character(*), intent(in) :: place
    integer :: n

    if (address == 0) return
    n = place_of(address)
    if (n == 0) n = place_of(0_int64)
    if (n == 0) call grow(n)
    marks(n)%address = address
    marks(n)%clean = [box ::]
    marks(n)%place = place
  end subroutine

  ! The halo has been exchanged, so far: with the corners, or the halos of each domain alone.
  subroutine hf_mark_clean(address, low, high, corners)
    integer(int64), intent(in) :: address
    integer, intent(in) :: low(:), high(:)
    logical, intent(in) :: corners
    type(box) :: new
    integer :: n, d

    n = place_of(address)
    if (n == 0 .or. address == 0) return
    if (corners) then
      new%low(:size(low)) = low
      new%high(:size(high)) = high
      call keep(marks(n)%clean, new)
    else
      do d = 1, size(low)
        new = box()
        new%low(d) = low(d)
        new%high(d) = high(d)
        call keep(marks(n)%clean, new)
      end do
    end if
  end subroutine

  ! Keep a box beside others, without those that lie in it.
  subroutine keep(boxes, new)
    type(box), allocatable, intent(inout) :: boxes(:)
    type(box), intent(in) :: new
    logical :: outside(size(boxes))
    integer :: b

    do b = 1, size(boxes)
      if (all(new%low <= boxes(b)%low) .and. all(new%high <= boxes(b)%high)) return
      outside(b) = any(boxes(b)%low > new%low) .or. any(boxes(b)%high > new%high)
    end do
    boxes = [pack(boxes, outside), new]
  end subroutine

  ! Something has happened to the array of which hfpy does not know what it means for the halo.
  subroutine hf_mark_unknown(address)
    integer(int64), intent(in) :: address
    integer :: n

    n = place_of(address)
    if (n > 0) marks(n)%address = 0
  end subroutine

  ! What is wrong with a read that goes so far into the halo, and to the corners; empty if nothing is.
  function hf_mark_fault(address, low, high, name, place) result(fault)
    integer(int64), intent(in) :: address
    integer, intent(in) :: low(:), high(:)
    character(*), intent(in) :: name, place
    character(:), allocatable :: fault
    integer :: farthest(most), n, d, corner

    fault = ''
    n = place_of(address)
    if (n == 0 .or. address == 0) return
    do corner = 0, 2**size(low) - 1  ! in each direction the point that is farthest away
      farthest = 0
      do d = 1, size(low)
        farthest(d) = merge(high(d), -low(d), btest(corner, d - 1))
      end do
      if (all(farthest == 0)) cycle
      if (.not. has(marks(n)%clean, farthest)) then
        fault = 'the halo of '//name//' is read at '//place//', and it has not been exchanged since its points were set at '// &
          marks(n)%place
        return
      end if
    end do
  end function

  ! Whether one of the boxes has a point: so far away on the low side (negative) or the high side of each domain.
  pure logical function has(boxes, point)
    type(box), intent(in) :: boxes(:)
    integer, intent(in) :: point(most)
    integer :: b

    has = .true.
    do b = 1, size(boxes)
      if (all(-boxes(b)%low <= point .and. point <= boxes(b)%high)) return
    end do
    has = .false.
  end function

  ! Where the mark of an address is; 0 if there is none.
  integer function place_of(address)
    integer(int64), intent(in) :: address
    integer :: n

    place_of = 0
    if (.not. allocated(marks)) return
    do n = 1, size(marks)
      if (marks(n)%address == address) then
        place_of = n
        return
      end if
    end do
  end function

  ! Make room for more marks; the first of them is the next one.
  subroutine grow(next)
    integer, intent(out) :: next
    type(mark), allocatable :: more(:)

    next = 1
    if (allocated(marks)) next = size(marks) + 1
    allocate (more(2*next + 6))
    if (next > 1) more(:next - 1) = marks
    call move_alloc(more, marks)
  end subroutine

end module
