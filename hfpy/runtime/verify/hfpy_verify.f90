! hfpy_verify.f90: what programs that are built for `hfpy verify` call.
module hfpy_verify
  use, intrinsic :: iso_c_binding, only: c_char, c_null_char
  implicit none
  private
  public :: hf_trace, hf_trace_end

  !> What ends a text for C.
  character(kind=c_char), parameter :: hf_trace_end = c_null_char

  interface
    !> Writes an array as it is at a point of the program; permutation: the declared place of each dimension in memory.
    subroutine hf_trace(array, permutation, name, point, place) bind(c, name="hfv_trace")
      import :: c_char
      type(*) :: array(..)
      character(kind=c_char), intent(in) :: permutation(*), name(*), point(*), place(*)
    end subroutine hf_trace
  end interface
end module hfpy_verify
