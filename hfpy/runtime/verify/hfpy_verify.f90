! hfpy_verify.f90: what programs that are built for `hfpy verify` call.
module hfpy_verify
  use, intrinsic :: iso_c_binding, only: c_char, c_null_char
  implicit none
  private
  public :: hf_trace, hf_trace_end, hf_trace_range

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

contains

  !> What of a dimension in blocks is not padding, for the text of a permutation.
  pure function hf_trace_range(dimension, lower, upper) result(text)
    integer, intent(in) :: dimension, lower, upper
    character(len=40) :: text

    write (text, "(a,i0,1x,i0,1x,i0)") ";", dimension, lower, upper
  end function hf_trace_range
end module hfpy_verify
