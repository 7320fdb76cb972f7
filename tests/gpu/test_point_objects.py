"""Objects of a point that kernels cannot hold: refused with the place, and nothing else is said of them."""

import pytest

from tests.support import translate_text

SOURCE = """module m
implicit none
type spot
real(8) :: x
integer :: k
end type
INTERFACE
contains
PROCEDURES
subroutine s(n, p, q, a)
integer, intent(in) :: n
type(spot), intent(in) :: p(n)
type(spot), intent(inout) :: q(n)
real(8), intent(inout) :: a(n)
type(spot) :: t
integer :: i
BEFORE
!@parallelRegion
do i = 1, n
BODY
end do
BEHIND
end subroutine
end module
"""
DEFINED = "interface assignment(=)\nmodule procedure set\nend interface"
SET = """elemental subroutine set(one, other)
type(spot), intent(out) :: one
type(spot), intent(in) :: other
one%x = -other%x
one%k = 2
end subroutine
"""


def refused(body: str, backend: str = "cuda-c", **parts: str) -> list[tuple[str, int]]:
    """Codes and lines of the errors for a region, its lines counted from 1."""
    text = SOURCE.replace("BODY", body)
    for word in ("INTERFACE", "PROCEDURES", "BEFORE", "BEHIND"):
        text = text.replace(word, parts.get(word.lower(), ""))
    first = text[: text.index(body)].count("\n")
    done = translate_text({"m.f90": text}, target="gpu", backend=backend)
    return [(d.code, d.place.line - first) for d in done.errors]


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl"])
def test_taken(backend: str) -> None:
    assert not refused("t = p(i)\nt%k = t%k + 1\nq(i) = t\na(i) = q(i)%x", backend)
    assert not refused("t%x = a(i)\nt%k = i\na(i) = t%x*t%k", backend)
    assert not refused("if (i > 1) q(i) = p(i)", backend)
    assert not refused("t = p(i)\nt = p(t%k)\na(i) = t%x", backend)


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl"])
def test_defined_assignment(backend: str) -> None:
    """What the program's own procedure does is not copied component by component."""
    parts = {"interface": DEFINED, "procedures": SET}
    assert all(code == "HF702" for code, _ in refused("q(i) = p(i)", backend, **parts))
    assert refused("q(i) = p(i)", backend, **parts)


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl"])
def test_indices_that_ask_the_object_that_is_set(backend: str) -> None:
    assert ("HF702", 1) in refused("q(q(i)%k) = p(i)", backend)


@pytest.mark.parametrize("backend", ["cuda-c", "opencl"])
def test_values_from_outside(backend: str) -> None:
    """An object that has values before the region, or after it, is not each point's own."""
    assert ("HF702", 1) in refused("a(i) = t%x\nt%k = i\na(i) = a(i) + t%k", backend, before="t%x = 3")
    assert refused("t = p(i)\na(i) = t%x", backend, behind="a(1) = t%x")


def test_one_message() -> None:
    """Arrays of objects beside one that is refused are no functions."""
    assert refused("t%x = p(i)%x\nt%k = 1\na(i) = t%x", before="t%k = 1") == [("HF702", 1)]


SHAPED = """subroutine s(n, a)
implicit none
type part
real(8) :: x(3), v
end type
integer, intent(in) :: n
real(8), intent(inout) :: a(n)
type(part) :: w
integer :: i
!@parallelRegion
do i = 1, n
SET
a(i) = w%x(3)
end do
end subroutine
"""


@pytest.mark.parametrize("backend", ["openmp", "openacc", "cuda-c"])
def test_elements_of_a_component_that_is_set_whole(backend: str) -> None:
    target = "cpu" if backend == "openmp" else "gpu"
    for stated, codes in (
        ("w%x = a(i)", []),
        ("w%x(2:) = a(i)", []),
        ("w%x(:2) = a(i)", ["HF504"]),
        ("w%v = 1", ["HF504"]),
    ):
        done = translate_text({"s.f90": SHAPED.replace("SET", stated)}, target=target, backend=backend)
        assert [c for c in done.codes() if c != "HF702"] == codes, stated
        assert codes or not done.errors


@pytest.mark.parametrize("backend", ["openacc", "openmp-target"])
def test_constructors(backend: str) -> None:
    """Directives take structure constructors: they are no procedures without source."""
    assert not refused("q(i) = spot(a(i), i)", backend)
