! hfpy_races.f90: what programs that are built for `hfpy verify --races` call (see hfpy_races.c).
module hfpy_races
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_null_char
  implicit none
  private
  public :: hf_race_region, hf_race_array, hf_race_array_in, hf_race_memory, hf_race_begin, hf_race_point, hf_race_end
  public :: hf_race_atomic, hf_race_zero, hf_race_set, hf_race_text

  !> What ends a text for C.
  character(kind=c_char), parameter :: hf_race_text = c_null_char

  ! Arrays are targets and have no intent: else the compiler would believe that their addresses are not kept, and would
  ! leave accesses of local arrays out of what it tells.
  interface
    !> A region begins: its place and the names of its iterators, with commas between them.
    subroutine hf_race_region(place, iterators) bind(c, name="hfr_region")
      import :: c_char
      character(kind=c_char), intent(in) :: place(*), iterators(*)
    end subroutine hf_race_region

    !> An array, or a scalar, that the points of the region share.
    subroutine hf_race_array(array, name) bind(c, name="hfr_array")
      import :: c_char
      type(*), target :: array(..)
      character(kind=c_char), intent(in) :: name(*)
    end subroutine hf_race_array

    !> The same in pure procedures.
    pure subroutine hf_race_array_in(array, name) bind(c, name="hfr_array_in")
      import :: c_char
      type(*), intent(in), target :: array(..)
      character(kind=c_char), intent(in) :: name(*)
    end subroutine hf_race_array_in

    !> The same for memory: address and bytes.
    subroutine hf_race_memory(address, bytes, name) bind(c, name="hfr_memory")
      import :: c_char, c_int64_t
      integer(c_int64_t), value :: address, bytes
      character(kind=c_char), intent(in) :: name(*)
    end subroutine hf_race_memory

    !> All arrays are known: points follow, with so many iterators each.
    subroutine hf_race_begin(iterators) bind(c, name="hfr_begin")
      import :: c_int
      integer(c_int), value :: iterators
    end subroutine hf_race_begin

    !> A point begins; iterators that there are none of are 0.
    subroutine hf_race_point(a, b, c, d, e, f) bind(c, name="hfr_point")
      import :: c_int64_t
      integer(c_int64_t), value :: a, b, c, d, e, f
    end subroutine hf_race_point

    subroutine hf_race_end() bind(c, name="hfr_end")
    end subroutine hf_race_end

    !> Before (1) and behind (0) an atomic statement.
    subroutine hf_race_atomic(begins) bind(c, name="hfr_atomic")
      import :: c_int
      integer(c_int), value :: begins
    end subroutine hf_race_atomic

    !> Before a statement that sets a whole array to zero.
    subroutine hf_race_zero(array) bind(c, name="hfr_zero")
      type(*), target :: array(..)
    end subroutine hf_race_zero

    !> Before a statement that sets a whole array to the values of another one.
    subroutine hf_race_set(array, value) bind(c, name="hfr_set")
      type(*), target :: array(..)
      type(*), intent(in) :: value(..)
    end subroutine hf_race_set
  end interface
end module hfpy_races
