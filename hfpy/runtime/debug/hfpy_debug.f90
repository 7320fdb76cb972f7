! hfpy_debug.f90: what programs built with `hfpy build --debug-print` call behind each kernel.
module hfpy_debug
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: hf_debug_kernel, hf_debug_value, hf_debug_end

  !> What ends a text for C.
  character(kind=c_char), parameter :: hf_debug_end = c_null_char

  interface
    !> Says that a kernel has finished.
    subroutine hf_debug_kernel(kernel, place) bind(c, name="hfp_kernel")
      import :: c_char
      character(kind=c_char), intent(in) :: kernel(*), place(*)
    end subroutine hf_debug_kernel

    !> Writes a scalar, or an array's element at a point: an index or * for each declared dimension. order: the declared
    !> place of each dimension in memory, from 0; lower: the lower bounds of the dimensions in memory.
    subroutine hf_debug_value(array, lower, point, order, name) bind(c, name="hfp_value")
      import :: c_char, c_int
      type(*), intent(in) :: array(..)
      integer(c_int), intent(in) :: lower(*)
      character(kind=c_char), intent(in) :: point(*), order(*), name(*)
    end subroutine hf_debug_value
  end interface
end module hfpy_debug
