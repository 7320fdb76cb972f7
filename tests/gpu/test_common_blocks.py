"""Common blocks that routines in kernels read: what is refused, by every backend, and what is given to the kernel.

``language/commons.f90`` and its neighbours run on all backends; here are the programs that must not.
"""

from __future__ import annotations

import pytest

from hfpy.backends.refused import EQUIVALENT, IN_COMMON, OTHER_LAYOUT, WRITTEN_IN_BLOCK
from tests.support import Translated, translate_text

BACKENDS = ("cuda-c", "cuda-fortran", "hip", "opencl", "openacc", "openmp-target")

# The called routine, with what is around its statement; the routine with the region, with its own declarations.
PROGRAM = """
subroutine column(x)
  implicit none
  real(8), intent(inout) :: x
  {declared}
  {statement}
end subroutine column

subroutine work(n, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
  {own}
  {before}
  !@parallelRegion{{domName(i), domSize(n)}}
  do i = 1, n
    {here}
    call column(a(i))
  end do
  !@end parallelRegion
end subroutine work
{more}
"""
PLAIN = "real(8) :: g, t(3)\n  common /consts/ g, t"


def program(**parts: str) -> str:
    """The program with some parts."""
    usual = {"declared": PLAIN, "statement": "x = x + g*t(2)", "own": "", "before": "", "here": "", "more": ""}
    return PROGRAM.format(**{**usual, **parts})


def translated(backend: str, **parts: str) -> Translated:
    """What a backend makes of it."""
    return translate_text({"m.f90": program(**parts)}, target="gpu", backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_members_are_given_to_the_kernel(backend: str) -> None:
    done = translated(backend)
    assert not done.errors
    assert "common /consts/ hf_consts_t" in done.text


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_routine_gives_its_own_names(backend: str) -> None:
    done = translated(backend, own="real(8) :: first, others(3)\n  common /consts/ first, others")
    assert not done.errors
    assert "hf_consts" not in done.text


# What is refused: parts of the program, the line of the refusal (from the end of the text that is named), the hint.
REFUSED = {
    "a write": ({"statement": "g = x"}, "g = x", WRITTEN_IN_BLOCK),
    "a write of an element by a call": (
        {
            "statement": "call fill(t)",
            "more": "subroutine fill(v)\n  real(8), intent(out) :: v(3)\n  v = 1\nend subroutine",
        },
        "call fill(t)",
        WRITTEN_IN_BLOCK,
    ),
    "a block that the routine with the region divides otherwise": (
        {"own": "real(8) :: p(2), q(2)\n  common /consts/ p, q"},
        "call column(a(i))",
        OTHER_LAYOUT,
    ),
    "other kinds": ({"own": "real(4) :: g, t(3)\n  common /consts/ g, t"}, "call column(a(i))", OTHER_LAYOUT),
    "other bounds": ({"own": "real(8) :: g, t(0:2)\n  common /consts/ g, t"}, "call column(a(i))", OTHER_LAYOUT),
    "an equivalence in the called routine": (
        {"declared": f"{PLAIN}\n  real(8) :: e(2)\n  equivalence (e(1), g)"},
        "",
        EQUIVALENT,
    ),
    "an equivalence in the routine with the region": (
        {"own": "real(8) :: g, t(3), e(4)\n  common /consts/ g, t\n  equivalence (e(1), g)", "here": "e(2) = a(i)"},
        "call column(a(i))",
        EQUIVALENT,
    ),
    "a block with an object": (
        {
            "declared": "type pair\n  sequence\n  real(8) :: p\n  end type\n  type(pair) :: o\n  real(8) :: g, t(3)\n"
            "  common /consts/ o, g, t"
        },
        "",
        IN_COMMON,
    ),
    "a block that C knows": ({"declared": f"{PLAIN}\n  bind(c) :: /consts/"}, "call column(a(i))", IN_COMMON),
    "a block of which each thread has its own": (
        {"declared": f"{PLAIN}\n  !$omp threadprivate(/consts/)"},
        "call column(a(i))",
        IN_COMMON,
    ),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("what", REFUSED)
def test_refused(what: str, backend: str) -> None:
    parts, line, hint = REFUSED[what]
    done = translated(backend, **parts)
    found = [d for d in done.errors if d.code == "HF702"]
    assert found, [str(d) for d in done.diagnostics]
    assert any(d.hint == hint for d in found), [(d.message, d.hint) for d in found]
    if line:
        lines = program(**parts).splitlines()
        assert any(line in lines[d.place.line - 1] for d in found), [d.place for d in found]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_member_that_each_point_sets(backend: str) -> None:
    """It is one variable for all points, which the called routine reads: no copy of a point's own would do."""
    done = translated(backend, own=PLAIN, here="g = a(i)")
    assert {"HF702", "HF504", "HF501"} & {d.code for d in done.diagnostics}
    assert done.errors
