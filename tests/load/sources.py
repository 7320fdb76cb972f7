"""Fortran that the tests load, and NumPy that says the same."""

from __future__ import annotations

from typing import Any

import numpy as np

# Two regions that level 2 fuses, a reduction into an intent(out) scalar, lower bounds other than 1.
SMOOTH = """
module smooth
  implicit none
  integer, parameter :: rk = kind(1d0)
  real(rk) :: weight = 0.25d0
  integer :: calls = 0
contains
  subroutine twice(nx, ny, a, b, calls_before)
    integer, intent(in) :: nx, ny
    real(rk), intent(in) :: a(0:nx+1,0:ny+1)
    real(rk), intent(inout) :: b(0:nx+1,0:ny+1)
    integer, intent(out) :: calls_before
    real(rk) :: flux(0:nx+1,0:ny+1)

    calls_before = calls
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(0,1)}
    flux(i,j) = a(i+1,j) - a(i,j)
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    b(i,j) = a(i,j) + weight * (flux(i,j) - flux(i-1,j)) + 100 * j
    @end parallelRegion
    calls = calls + 1
  end subroutine twice
end module smooth
"""

# An inserted dimension, and an order of dimensions that is not the declared one.
COLUMNS = """
module columns
  implicit none
contains
  subroutine heat(nx, ny, nz, source, t)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in), dimension(nz) :: source
    real(8), intent(inout), dimension(nz) :: t
    integer :: k

    @domainDependant{domName(i,j,k), domSize(nx,ny,nz)}
    source, t
    @end domainDependant
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    do k = 2, nz
      t(k) = t(k-1) + source(k) * i + 1000 * j
    end do
    @end parallelRegion
  end subroutine heat
end module columns
"""

# Every type and form of argument; nothing for hfpy to do.
FORMS = """
module sizes
  implicit none
  integer :: nx = 0, ny = 0
  integer, parameter :: halo = 1
end module sizes

module forms
  use sizes, only: nx
  implicit none
  private
  integer, parameter :: wide = selected_real_kind(12), hidden = 2
  integer, public, parameter :: levels = 3
  integer, public :: mode = 7
  logical, public, protected :: ready = .true.
  real(wide), public :: factor = 1.5_wide
  complex, public :: turn = (0.0, 1.0)
  integer :: secret = 1
  type :: pair
    integer :: a, b
  end type pair
  public :: module_sizes, local_names, shapes, every_scalar, results_real, results_integer, results_logical
  public :: results_complex, maybe, invert, flags, narrow, of_pair, of_text, vector, changed, both, by_value
  public :: intrinsic_names
contains
  subroutine module_sizes(a)
    use sizes, only: rows => ny, halo
    integer(4), intent(out) :: a(1-halo:nx+halo, rows)
    integer :: i, j
    do j = 1, rows
      do i = 1 - halo, nx + halo
        a(i,j) = 10*i + j
      end do
    end do
  end subroutine module_sizes

  subroutine local_names(a)
    integer, parameter :: half = hidden + 1
    integer, parameter :: n(2) = [half, 2*half]
    real(wide), intent(inout) :: a(n(1), n(2))
    a(half,1) = -1
  end subroutine local_names

  subroutine shapes(n, assumed, sized, after)
    integer, intent(in) :: n
    real(4), intent(in) :: assumed(0:,:)
    real(4), intent(inout) :: sized(n,*)
    real(4), intent(out) :: after(size(assumed,2), lbound(assumed,1):ubound(assumed,1))
    sized(n,1) = assumed(0,2)
    after = transpose(assumed)
  end subroutine shapes

  subroutine every_scalar(i1, i8, r4, l1, c8, o2, o8)
    integer(1), intent(in) :: i1
    integer(8), intent(inout) :: i8
    real(4), intent(in) :: r4
    logical(1), intent(in) :: l1
    complex(8), intent(in) :: c8
    logical, intent(out) :: o2
    complex(4), intent(out) :: o8
    i8 = i8 + i1
    o2 = .not. l1
    o8 = cmplx(c8 * r4)
  end subroutine every_scalar

  real(4) function results_real(x)
    real(4), intent(in) :: x(:)
    results_real = sum(x)
  end function results_real

  function results_integer(n) result(power)
    integer, intent(in) :: n
    integer(8) :: power
    power = 2_8**n
  end function results_integer

  logical function results_logical(a, b)
    real(8), intent(in) :: a, b
    results_logical = a < b
  end function results_logical

  function results_complex(angle, size) result(z)
    real(wide), intent(in) :: angle
    real(wide), intent(inout) :: size
    complex(wide) :: z
    z = size * exp(cmplx(0, angle, wide))
    size = 2 * size
  end function results_complex

  subroutine maybe(scale, x, extra, times)
    real(8), intent(in), optional :: scale
    real(8), intent(inout) :: x(:)
    real(8), intent(in), optional :: extra(size(x))
    integer, intent(in), optional :: times
    if (present(scale)) x = x * scale
    if (present(extra)) x = x + extra
    if (present(times)) x = x * times
  end subroutine maybe

  subroutine invert(n, mask, few)
    integer, intent(in) :: n
    logical, intent(inout) :: mask(n,2)
    logical(1), intent(inout) :: few(n)
    mask(:,1) = .not. mask(:,1)
    few = .not. few
  end subroutine invert

  subroutine flags(mask, count_of)
    logical, intent(in) :: mask(:,:)
    integer, intent(out) :: count_of
    count_of = count(mask) + secret - 1
  end subroutine flags

  subroutine narrow(n, a)
    integer(2), intent(in) :: n
    real(8), intent(in) :: a(n)
  end subroutine narrow

  subroutine of_pair(p)
    type(pair), intent(in) :: p
  end subroutine of_pair

  subroutine of_text(t)
    character(len=*), intent(in) :: t
  end subroutine of_text

  function vector(n) result(v)
    integer, intent(in) :: n
    integer :: v(n)
    v = n
  end function vector

  subroutine changed(n)
    integer :: n
    n = n + 1
  end subroutine changed

  subroutine both(a, b)
    real(8), intent(in) :: a(:)
    real(8), intent(inout) :: b(:)
    b(1:size(a)) = b(1:size(a)) + a
  end subroutine both

  subroutine intrinsic_names(max, int, all)
    integer, intent(in) :: max, int
    integer, intent(inout) :: all(max, int)
    all = all + max * int
  end subroutine intrinsic_names

  integer function by_value(n)
    integer, value :: n
    n = n + 1
    by_value = n
  end function by_value
end module forms
"""

# Arrays that a caller has to bring to the device: arguments (one of them optional), and one of the module. Another one
# of the module is brought by nobody.
PRESENT = """
module held
  implicit none
  real(8) :: table(5) = [1d0, 2d0, 3d0, 5d0, 8d0], spare(5) = [2d0, 3d0, 4d0, 6d0, 9d0]
contains
  subroutine scaled(n, a, b, c)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    real(8), intent(inout), optional :: c(n)

    @domainDependant{attribute(autoDom, present)}
    a, b, c
    @end domainDependant
    if (present(c)) then
      @parallelRegion{domName(i), domSize(n)}
      c(i) = c(i) + a(i) * i
      @end parallelRegion
    end if
    @parallelRegion{domName(i), domSize(n)}
    b(i) = b(i) + 2 * a(i)
    @end parallelRegion
  end subroutine scaled

  subroutine looked_up(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)

    @domainDependant{attribute(autoDom, present)}
    a, table
    @end domainDependant
    @parallelRegion{domName(i), domSize(n)}
    a(i) = a(i) + table(i)
    @end parallelRegion
  end subroutine looked_up

  subroutine spared(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)

    @domainDependant{attribute(autoDom, present)}
    a, spare
    @end domainDependant
    @parallelRegion{domName(i), domSize(n)}
    a(i) = a(i) + spare(i)
    @end parallelRegion
  end subroutine spared

  subroutine bringing(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)

    @domainDependant{attribute(autoDom, transferHere)}
    a, table
    @end domainDependant
    call looked_up(n, a)
  end subroutine bringing
end module held
"""


def smoothed(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], weight: float = 0.25) -> np.ndarray[Any, Any]:
    """What ``smooth.twice`` makes of ``b``."""
    flux = a[1:, 1:-1] - a[:-1, 1:-1]
    rows = np.arange(1, a.shape[1] - 1)
    result = b.copy(order="F")
    result[1:-1, 1:-1] = a[1:-1, 1:-1] + weight * (flux[1:] - flux[:-1]) + 100.0 * rows
    return result


def field(*shape: int) -> np.ndarray[Any, Any]:
    """Numbers that tell their place, in Fortran's order."""
    return np.asfortranarray(np.arange(np.prod(shape), dtype=float).reshape(shape) ** 2 / 7)
