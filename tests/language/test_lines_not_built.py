"""Lines of ``@if`` that are not in a build go as they are, whatever hfpy would make of them."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """module lines
  implicit none
contains
  subroutine work(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i, k
    @if{architecture(CPU)}
    if (n == 2) return
    @end if
    @if{architecture(GPU)}
    if (n == 3) then
      return
    end if
    @end if
    @parallelRegion{domName(i), domSize(n)}
    if (a(i) > 1) then
      @if{architecture(CPU)}
      a(i) = 2
      @exit
      @end if
      a(i) = 3
    end if
    @if{architecture(GPU)}
    if (a(i) < 0) @exit
    @serial: of this target alone
    do k = 1, 3
      a(i) = a(i)*k
    end do
    @end if
    @if{architecture(CPU)}
    @serial: of the other one
    do k = 1, 4
      a(i) = a(i)/k
    end do
    @end if
    @end parallelRegion
  end subroutine work
end module lines
"""


@pytest.mark.parametrize("backend", ["sequential", "openmp", "cuda-c", "openacc", "openmp-target"])
def test_what_would_be_changed_in_them(backend: str) -> None:
    target = "cpu" if backend in ("sequential", "openmp") else "gpu"
    done = translate_text(PROGRAM, target=target, backend=backend).require()
    made = done.statements
    assert any("(n==2)" in row for row in made) == (target == "cpu")
    assert any("(n==3)" in row for row in made) == (target == "gpu")
    assert "@" not in "".join(made)


SETTER = """subroutine work(n, a, b)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b
  real(8) :: s
  integer :: i
  @parallelRegion{domName(i), domSize(n)}
  if (a(i) > 0) then
    s = a(i)
    a(i) = s*s
  end if
  @end parallelRegion
  @if{architecture(NAMES)}
  s = 3
  @end if
  b = s
end subroutine work
"""


@pytest.mark.parametrize("backend", ["openmp", "cuda-c"])
@pytest.mark.parametrize("names", ["CPU", "GPU"])
def test_what_is_set_in_those_that_are_built_is_set(names: str, backend: str) -> None:
    target = "cpu" if backend == "openmp" else "gpu"
    done = translate_text(SETTER.replace("NAMES", names), target=target, backend=backend)
    assert done.codes() == ([] if names.lower() == target else ["HF502"])
