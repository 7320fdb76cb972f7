! Buffers of messages that regions pack and unpack on a device: each is named by its address on the host, and the runtime
! of the backend that has brought it to the device finds it there. HFPY_CUDA: the program has kernels of CUDA C or CUDA
! Fortran. HFPY_OFFLOAD: its directives are for a device. A buffer that is on no device is left alone.
module hfpy_buffers
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int8, int64
  implicit none
  private
  public :: buffer_to_host, buffer_to_device, buffer_on_device

#ifdef HFPY_CUDA
  character(kind=c_char, len=*), parameter :: what = 'a buffer of messages'//c_null_char, place = 'hfpy_buffers'//c_null_char

  interface
    integer(c_int) function hfd_present(host, bytes) bind(c, name='hfd_present')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: host
      integer(c_size_t), value :: bytes
    end function
    subroutine hfd_update_host(host, bytes, name, where) bind(c, name='hfd_update_host')
      import :: c_char, c_ptr, c_size_t
      type(c_ptr), value :: host
      integer(c_size_t), value :: bytes
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine
    subroutine hfd_update_device(host, bytes, name, where) bind(c, name='hfd_update_device')
      import :: c_char, c_ptr, c_size_t
      type(c_ptr), value :: host
      integer(c_size_t), value :: bytes
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine
    type(c_ptr) function hfd_pointer(host, bytes, name, kernel, where) bind(c, name='hfd_pointer')
      import :: c_char, c_ptr, c_size_t
      type(c_ptr), value :: host, kernel
      integer(c_size_t), value :: bytes
      character(kind=c_char), intent(in) :: name(*), where(*)
    end function
    subroutine hfd_synchronise() bind(c, name='hfd_synchronise')
    end subroutine
  end interface
#endif
#if defined(HFPY_OFFLOAD) && defined(_OPENACC)
  interface
    integer(c_int) function acc_present_there(host, bytes) bind(c, name='acc_is_present')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: host
      integer(c_size_t), value :: bytes
    end function
    type(c_ptr) function acc_place_there(host) bind(c, name='acc_deviceptr')
      import :: c_ptr
      type(c_ptr), value :: host
    end function
  end interface
#endif

contains

  ! Copy the first bytes of a buffer from the device to the host.
  subroutine buffer_to_host(host, bytes)
    type(c_ptr), intent(in) :: host
    integer(int64), intent(in) :: bytes
    integer(int8), pointer, contiguous :: memory(:)

    if (bytes <= 0) return
    call c_f_pointer(host, memory, [bytes])
#ifdef HFPY_CUDA
    if (hfd_present(host, int(bytes, c_size_t)) /= 0) call hfd_update_host(host, int(bytes, c_size_t), what, place)
#endif
#ifdef HFPY_OFFLOAD
    call directed_to_host(memory, bytes)
#endif
  end subroutine

  ! Copy the first bytes of a buffer from the host to the device.
  subroutine buffer_to_device(host, bytes)
    type(c_ptr), intent(in) :: host
    integer(int64), intent(in) :: bytes
    integer(int8), pointer, contiguous :: memory(:)

    if (bytes <= 0) return
    call c_f_pointer(host, memory, [bytes])
#ifdef HFPY_CUDA
    if (hfd_present(host, int(bytes, c_size_t)) /= 0) call hfd_update_device(host, int(bytes, c_size_t), what, place)
#endif
#ifdef HFPY_OFFLOAD
    call directed_to_device(memory, bytes)
#endif
  end subroutine

  ! Where a buffer is on the device, after all that the device has been asked to do; null if it is on none, or if the
  ! runtime does not tell: OpenMP's is only asked since version 5.1.
  type(c_ptr) function buffer_on_device(host, bytes) result(there)
    type(c_ptr), intent(in) :: host
    integer(int64), intent(in) :: bytes

    there = c_null_ptr
    if (bytes <= 0 .or. .not. c_associated(host)) return
    ! OpenCL has no addresses that a library for messages could use.
#if defined(HFPY_CUDA) && !defined(HFPY_OPENCL)
    if (hfd_present(host, int(bytes, c_size_t)) /= 0) then
      call hfd_synchronise()
      there = hfd_pointer(host, int(bytes, c_size_t), what, c_null_ptr, place)
      return
    end if
#endif
#if defined(HFPY_OFFLOAD) && defined(_OPENACC)
    if (acc_present_there(host, int(bytes, c_size_t)) /= 0) then
      !$acc wait
      there = acc_place_there(host)
    end if
#endif
  end function

#ifdef HFPY_OFFLOAD
  subroutine directed_to_host(memory, bytes)
    integer(int64), intent(in) :: bytes
    integer(int8), intent(inout) :: memory(bytes)

    !$acc update self(memory(1:bytes)) if_present
    !$omp target update from(memory(1:bytes))
    if (.false.) memory = 0
  end subroutine

  subroutine directed_to_device(memory, bytes)
    integer(int64), intent(in) :: bytes
    integer(int8), intent(inout) :: memory(bytes)

    !$acc update device(memory(1:bytes)) if_present
    !$omp target update to(memory(1:bytes))
    if (.false.) memory = 0
  end subroutine
#endif
end module hfpy_buffers
