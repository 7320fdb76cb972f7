! The host side of advect.cu, as hfpy would make it, and a program around it that checks the result.
!
! The preprocessor takes single steps out, or spoils them, for tests of what is said then.
#ifndef COPY_IN
#define COPY_IN 1
#endif
#ifndef LAST
#define LAST nx
#endif
module advection
  use, intrinsic :: iso_c_binding, only: c_int, c_double, c_size_t, c_null_char
  use hfpy_device
  implicit none

  interface
    subroutine hfl0_advect(i_first, i_last, j_first, j_last, nx, ny, nz, q, r) bind(c, name="hfl0_advect")
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: i_first, i_last, j_first, j_last, nx, ny, nz
      type(*) :: q(*), r(*)
    end subroutine hfl0_advect
  end interface

contains

  subroutine advect(nx, ny, nz, q, r)
    integer, intent(in) :: nx, ny, nz
    real(c_double), intent(in) :: q(nx, ny, nz)
    real(c_double), intent(inout) :: r(nx, ny, nz)

#ifndef NO_ENTER
    call hfd_enter(q, storage_size(q, c_size_t) / 8 * size(q, kind=c_size_t), int(COPY_IN, c_int), &
                   "q" // c_null_char, "advect.h90:40" // c_null_char)
#endif
    call hfd_enter(r, storage_size(r, c_size_t) / 8 * size(r, kind=c_size_t), 1_c_int, "r" // c_null_char, &
                   "advect.h90:40" // c_null_char)
    call hfl0_advect(1, LAST, 1, ny, nx, ny, nz, q, r)
    call hfd_leave(r, storage_size(r, c_size_t) / 8 * size(r, kind=c_size_t), 1_c_int, "r" // c_null_char, &
                   "advect.h90:50" // c_null_char)
    call hfd_leave(q, storage_size(q, c_size_t) / 8 * size(q, kind=c_size_t), 0_c_int, "q" // c_null_char, &
                   "advect.h90:50" // c_null_char)
  end subroutine advect

end module advection

program main
  use advection
  implicit none
  integer, parameter :: nx = 37, ny = 9, nz = 5
  real(c_double) :: q(nx, ny, nz), r(nx, ny, nz)
  integer :: step

  call random_number(q)
  r = -1
  do step = 1, 3
    call advect(nx, ny, nz, q, r)
  end do
  if (any(r /= r)) then
    print '(a)', "NaN"
  else if (any(r /= q + 1)) then
    print '(a)', "wrong"
  else
    print '(a)', "right"
  end if
end program main
