! hfpy_device.f90: the device memory of programs made by hfpy, as generated Fortran calls it. What the procedures do is
! described in hfpy_device.h.
!
! Arrays of any type and rank are given as they are; they must be contiguous. Those that are copied back have no
! intent: with one, compilers might think that the call leaves them as they are, or refuse constants' dummies.
module hfpy_device
  implicit none
  public

  interface
    subroutine hfd_enter(host, bytes, copy_in, name, where) bind(c, name="hfd_enter")
      use, intrinsic :: iso_c_binding, only: c_char, c_int, c_size_t
      type(*) :: host(*)
      integer(c_size_t), value :: bytes
      integer(c_int), value :: copy_in
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hfd_enter

    subroutine hfd_leave(host, bytes, copy_out, name, where) bind(c, name="hfd_leave")
      use, intrinsic :: iso_c_binding, only: c_char, c_int, c_size_t
      type(*) :: host(*)
      integer(c_size_t), value :: bytes
      integer(c_int), value :: copy_out
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hfd_leave

    subroutine hfd_update_host(host, bytes, name, where) bind(c, name="hfd_update_host")
      use, intrinsic :: iso_c_binding, only: c_char, c_size_t
      type(*) :: host(*)
      integer(c_size_t), value :: bytes
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hfd_update_host

    subroutine hfd_update_device(host, bytes, name, where) bind(c, name="hfd_update_device")
      use, intrinsic :: iso_c_binding, only: c_char, c_size_t
      type(*) :: host(*)
      integer(c_size_t), value :: bytes
      character(kind=c_char), intent(in) :: name(*), where(*)
    end subroutine hfd_update_device

    function hfd_present(host, bytes) bind(c, name="hfd_present") result(present_there)
      use, intrinsic :: iso_c_binding, only: c_int, c_size_t
      type(*) :: host(*)
      integer(c_size_t), value :: bytes
      integer(c_int) :: present_there
    end function hfd_present

    function hfd_pointer(host, bytes, name, kernel, where) bind(c, name="hfd_pointer") result(device)
      use, intrinsic :: iso_c_binding, only: c_char, c_ptr, c_size_t
      type(*) :: host(*)
      integer(c_size_t), value :: bytes
      character(kind=c_char), intent(in) :: name(*), kernel(*), where(*)
      type(c_ptr) :: device
    end function hfd_pointer

    subroutine hfd_synchronise() bind(c, name="hfd_synchronise")
    end subroutine hfd_synchronise

    subroutine hfd_init_device(local_rank) bind(c, name="hfd_init_device")
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: local_rank
    end subroutine hfd_init_device
  end interface
end module hfpy_device
