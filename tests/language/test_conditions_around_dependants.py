"""What is in an ``@if`` among declarations, ``@domainDependant`` blocks too, counts only where that holds."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """module m
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
contains
  subroutine run
    real(8) :: t(nx,ny,nz)
    t = 1
    @parallelRegion{appliesTo(CPU), domName(i,j), domSize(nx,ny)}
    call s(t)
    @end parallelRegion
  end subroutine
  subroutine s(t)
    real(8), intent(inout) :: t(nz)
    integer :: k
    {DECLARED}
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom)}
    t
    @end domainDependant
    {LISTED}
    @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny)}
    do k = 1, nz
      w(k) = k*t(k)
    end do
    @end parallelRegion
    @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny)}
    t = w + t
    @end parallelRegion
  end subroutine
end module
"""
BLOCK = """@if{{{}}}
    @domainDependant{{domName(i,j), domSize(nx,ny), attribute(autoDom)}}
    w
    @end domainDependant
    @end if"""
TWO = """@if{parallelRegion(within)}
    real(8) :: w(nx,ny,nz)
    @end if
    @if{parallelRegion(outside)}
    real(8) :: w(nz)
    @end if"""
WHOLE, POINT = "real(8)::w(nx,ny,nz)", "real(8)::w(nz)"


@pytest.mark.parametrize(
    ("declared", "listed", "backend", "expected"),
    [
        ("real(8) :: w(nz)", BLOCK.format("architecture(GPU)"), "sequential", POINT),
        ("real(8) :: w(nz)", BLOCK.format("architecture(GPU)"), "openacc", WHOLE),
        ("real(8) :: w(nz)", BLOCK.format("parallelRegion(within)"), "sequential", POINT),
        ("real(8) :: w(nz)", BLOCK.format("parallelRegion(within)"), "openacc", WHOLE),
        (TWO, "", "sequential", POINT),
        (TWO, "", "openacc", WHOLE),
    ],
)
def test_what_does_not_hold_has_no_effect(declared: str, listed: str, backend: str, expected: str) -> None:
    target = "gpu" if backend == "openacc" else "cpu"
    text = PROGRAM.replace("{DECLARED}", declared).replace("{LISTED}", listed)
    made = translate_text(text, backend=backend, target=target).require()
    assert expected in made.statements
    assert ("w(i,j,k)=k*t(i,j,k)" if backend == "openacc" else "w(k)=k*t(k)") in made.statements


def test_a_condition_that_does_not_hold_gives_no_dimensions() -> None:
    """Two regions on the CPU would need the dimensions which the block gives on the GPU alone."""
    text = PROGRAM.replace("{DECLARED}", "real(8) :: w(nz)").replace("{LISTED}", BLOCK.format("architecture(GPU)"))
    text = text.replace("appliesTo(GPU), ", "").replace("appliesTo(CPU)", "appliesTo(GPU)")
    text = text.replace("    @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny)}\n    call", "    call")
    text = text.replace("    call s(t)\n    @end parallelRegion\n", "    call s(t)\n")
    made = translate_text(text)
    assert [(d.code, "w(" in d.message) for d in made.errors] == [("HF504", True)], made.errors
    assert not translate_text(text, backend="openacc", target="gpu").errors
