! cudafor.f90 of the emulation: the names that kernels in CUDA Fortran use, on the CPU. A launch becomes a loop over the
! threads of the grid (hfpy.build.cudafortran), whose indices are variables here.
module cudafor
  use, intrinsic :: iso_c_binding, only: c_devptr => c_ptr, c_int, c_char, c_int64_t
  implicit none
  private
  public :: c_devptr, dim3, threadidx, blockidx, blockdim, griddim, atomicadd
  public :: hf_emulate_begin, hf_emulate_next, hf_emulate_check

  type :: dim3
    integer(c_int) :: x = 1, y = 1, z = 1
  end type dim3

  type(dim3) :: threadidx, blockidx, blockdim, griddim

  interface
    subroutine begin_threads(kernel, where, blocks, threads) bind(c, name="hf_emulate_begin_threads")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: kernel(*), where(*)
      integer(c_int), intent(in) :: blocks(3), threads(3)
    end subroutine begin_threads

    function next_thread(block, thread) bind(c, name="hf_emulate_next_thread") result(there)
      import :: c_int
      integer(c_int), intent(out) :: block(3), thread(3)
      integer(c_int) :: there
    end function next_thread

    !> Adds to a variable that all threads share; its value before.
    function atomicadd(variable, more) bind(c, name="hf_emulate_add") result(before)
      import :: c_int64_t
      integer(c_int64_t), intent(inout) :: variable
      integer(c_int64_t), value :: more
      integer(c_int64_t) :: before
    end function atomicadd

    !> Ends the program if an argument of a kernel is not in device memory.
    subroutine hf_emulate_check(position, argument) bind(c, name="hf_emulate_check_pointer")
      import :: c_int
      integer(c_int), value :: position
      type(*), intent(in) :: argument(*)
    end subroutine hf_emulate_check
  end interface
contains
  !> Before the first thread of a kernel.
  subroutine hf_emulate_begin(kernel, where, blocks, threads)
    character(kind=c_char), intent(in) :: kernel(*), where(*)
    type(dim3), intent(in) :: blocks, threads

    griddim = blocks
    blockdim = threads
    call begin_threads(kernel, where, [blocks%x, blocks%y, blocks%z], [threads%x, threads%y, threads%z])
  end subroutine hf_emulate_begin

  !> Goes to the next thread; false behind the last.
  function hf_emulate_next() result(there)
    logical :: there
    integer(c_int) :: block(3), thread(3)

    there = next_thread(block, thread) /= 0
    if (.not. there) return
    blockidx = dim3(block(1), block(2), block(3))
    threadidx = dim3(thread(1), thread(2), thread(3))
  end function hf_emulate_next
end module cudafor
