"""Variables with names of intrinsics that hfpy writes into generated Fortran: told at their declaration (HF406)."""

from __future__ import annotations

import pytest

from tests.support import translate_text

ASSUMED = """subroutine assumed(a, {names})
  real, intent(inout) :: a(:,0:)
  integer, intent(in) :: {names}
  integer :: i, j
  !@parallelRegion
  do j = 0, {names}
    do i = 1, {names}
      a(i,j) = a(i,j) + {names}
    end do
  end do
end subroutine assumed
"""
REDUCED = """subroutine reduced(n, a, s, {names})
  integer, intent(in) :: n
  real, intent(in) :: a(n), {names}
  real, intent(inout) :: s
  integer :: i
  !@parallelRegion{{reduction(max:s)}}
  do i = 1, n
    if (a(i)*{names} > s) s = a(i)*{names}
  end do
end subroutine reduced
"""


@pytest.mark.parametrize(
    ("text", "name", "backend", "refused"),
    [
        (ASSUMED, "lbound", "cuda-c", True),
        (ASSUMED, "ubound", "opencl", True),
        (ASSUMED, "lbound", "openmp", False),
        (ASSUMED, "merge", "cuda-c", False),
        (REDUCED, "max", "openmp", True),
        (REDUCED, "max", "openacc", True),
        (REDUCED, "max", "cuda-c", False),
        (REDUCED, "min", "openmp", False),
    ],
)
def test_told_where_generated_text_needs_them(text: str, name: str, backend: str, refused: bool) -> None:
    target = "cpu" if backend == "openmp" else "gpu"
    done = translate_text({"p.f90": text.format(names=name)}, target=target, backend=backend)
    assert [(d.code, d.place.line) for d in done.errors] == ([("HF406", 3)] if refused else [])


def test_arrays_may_have_them() -> None:
    """What hfpy writes may be an element: ``size(i)``."""
    text = "subroutine s(n, size)\n  integer, intent(in) :: n\n  real, intent(inout) :: size(n)\n"
    text += "  @parallelRegion{domName(i), domSize(n)}\n  size = 2*size\n  @end parallelRegion\nend subroutine s\n"
    assert translate_text(text).codes() == []


PROCEDURES = """module m
  implicit none
contains
  pure real function {name}(a, b)
    real, intent(in) :: a, b
    {name} = a*0.5 + b
  end function {name}
{routine}end module m
"""


@pytest.mark.parametrize(
    ("text", "name", "backend", "refused"),
    [
        (ASSUMED, "lbound", "cuda-c", True),
        (ASSUMED, "ubound", "openacc", False),
        (REDUCED, "max", "openmp", True),
        (REDUCED, "max", "cuda-c", False),
    ],
)
def test_procedures_with_such_names(text: str, name: str, backend: str, refused: bool) -> None:
    """They are told where a routine does not mention them, so that only what hfpy writes can mean them."""
    target = "cpu" if backend == "openmp" else "gpu"
    routine = "".join(f"  {line}\n" for line in text.format(names="other").splitlines())
    text = PROCEDURES.format(name=name, routine=routine)
    done = translate_text({"p.f90": text}, target=target, backend=backend)
    assert [d.code for d in done.errors] == (["HF406"] if refused else [])
    if refused:
        assert "a procedure here" in done.errors[0].message
        assert "rename the procedure" in done.errors[0].hint


MENTIONED = """module m
  implicit none
contains
  pure integer function {name}(a, b)
    integer, intent(in) :: a, b
    {name} = a*5 + b
  end function {name}
  subroutine both(n, x, y)
    integer, intent(in) :: n
    integer, intent(inout) :: x(*), y(:)
    integer :: i
    !@parallelRegion
    do i = 1, {bound}
      x(i) = x(i) + y(i)
    end do
    y(1) = {name}(n, 3)
  end subroutine both
end module m
"""


@pytest.mark.parametrize(
    ("name", "bound", "backend", "refused"),
    [
        ("max", "n", "cuda-c", True),
        ("int", "n", "cuda-c", True),
        ("lbound", "n", "cuda-fortran", True),
        ("max", "n", "openacc", True),
        ("max", "max(n, 3)", "openmp", False),
        ("present", "n", "openacc", False),
    ],
)
def test_mentioned_ones(name: str, bound: str, backend: str, refused: bool) -> None:
    """Calls of the user's own mean what they mean, beside those that hfpy writes; clauses of directives are none."""
    target = "cpu" if backend == "openmp" else "gpu"
    done = translate_text({"p.f90": MENTIONED.format(name=name, bound=bound)}, target=target, backend=backend)
    assert [d.code for d in done.errors] == (["HF406"] if refused else [])


FUSED = """module m
  implicit none
contains
  elemental integer function {name}(a, b)
    integer, intent(in) :: a, b
    {name} = a*b - 7
  end function {name}
  subroutine both(nx, ny, a, c, b)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: a(0:nx+1,0:ny+1), c(0:nx+1,0:ny+1)
    real(8), intent(inout) :: b(0:nx+1,0:ny+1)
    real(8) :: e(0:nx+1,0:ny+1)
    @parallelRegion{{domName(i,j), domSize(0:nx+1,0:ny+1)}}
    e(i,j) = sqrt(a(i,j)*c(i,j) + 1)
    @end parallelRegion
    @parallelRegion{{domName(i,j), domSize(nx,ny)}}
    b(i,j) = e(i+1,j) - e(i-1,j) + e(i,j+1) - e(i,j-1)
    @end parallelRegion
  end subroutine both
  subroutine column(nk, t)
    integer, intent(in) :: nk
    real(8), intent(inout) :: t(nk)
    real(8) :: s
    integer :: k
    s = 0
    do k = 1, nk
      s = s*0.5d0 + exp(t(k))
      if (s > 4) t(k) = sqrt(abs(s))
    end do
  end subroutine column
  subroutine physics(nx, nk, t)
    integer, intent(in) :: nx, nk
    real(8), intent(inout) :: t(nk,nx)
    @domainDependant{{attribute(autoDom)}}
    t
    @end domainDependant
    @parallelRegion{{domName(i), domSize(nx)}}
    call column(nk, t(:,i))
    @end parallelRegion
  end subroutine physics
end module m
"""


@pytest.mark.parametrize("name", ["min", "max", "modulo", "merge", "other"])
def test_the_optimiser_leaves_what_its_text_would_mean_otherwise(name: str) -> None:
    """Functions of the program have the names of those in fused regions and in blocks of columns."""
    made = translate_text({"m.h90": FUSED.format(name=name)}, backend="openmp", opt=2).require().text
    assert ("regions as one" in made) == (name in ("merge", "other"))
    assert ("hf_i_block" in made) == (name != "min")
