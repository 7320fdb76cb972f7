"""``reductions(exact)``: sums have the bits of the exact sum on any number of processes, on every backend."""

from __future__ import annotations

import pytest

from tests.processes.exactsums import exact_cases
from tests.processes.programs import WAYS, faults, marked, translated
from tests.support import translate_text

GRIDS = ((1, 1), (2, 1), (2, 2), (3, 2), (1, 4))
LABELS = marked({label: label in ("openmp",) for label in WAYS})


@pytest.mark.parametrize("grid", marked({grid: grid == (3, 2) for grid in GRIDS}))
@pytest.mark.parametrize("label", LABELS)
def test_exact_sums(label: str, grid: tuple[int, int]) -> None:
    assert not translated(WAYS[label], exact_cases()).refused
    assert not faults(WAYS[label], "openmpi", grid, exact_cases())


@pytest.mark.parametrize("label", LABELS)
def test_without_mpi(label: str) -> None:
    assert not faults(WAYS[label], "alone", (1, 1), exact_cases())


WORK = """module m
  implicit none
  integer :: nx, ny
contains
  subroutine setup()
    @decomposition{domName(i,j), global(17,15), local(nx,ny), halo(i:1, j:1), reductions(exact)}
  end subroutine
  subroutine work(u, s)
    real(8), intent(inout) :: u(0:nx+1, 0:ny+1), s
    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(OP:s)}
    BODY
    @end parallelRegion
  end subroutine
end module
"""


@pytest.mark.parametrize(
    ("op", "body", "said"),
    [
        ("+", "s = s + u(i,j)", []),
        ("max", "s = max(s, u(i,j))", []),
        ("+", "s = s + u(i,j)\n    u(i,j) = s", [("HF503", "error", 12)]),
        ("+", "s = u(i,j)", [("HF503", "error", 11)]),
        ("+", "s = s * u(i,j)", [("HF503", "error", 11)]),
        ("+", "u(i,j) = 1", [("HF503", "warning", 10)]),
        ("*", "s = s * u(i,j)", [("HF653", "warning", 10)]),
        ("+", "#define ADDED s = s + u(i,j)\n    ADDED", []),
        ("+", "#define ADD(x) s + x\n    s = ADD(u(i,j))", [("HF653", "error", 10), ("HF503", "error", 12)]),
        ("+", '#include "terms.inc"', []),
    ],
)
def test_what_is_said(op: str, body: str, said: list[tuple[str, str, int]]) -> None:
    files = {"m.h90": WORK.replace("OP", op).replace("BODY", body), "terms.inc": "    s = s + u(i,j)\n"}
    done = translate_text(files)
    assert [(d.code, str(d.severity), d.place.line) for d in done.diagnostics] == said
