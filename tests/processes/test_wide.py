"""Exchanges of every few turns: what is refused, how far regions go, programs of random stages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes.programs import DOMAINS, SUPPORT
from tests.processes.stages import Program, drawn_wide
from tests.processes.test_halos import NO_MPI, built_for_threads, expected, printed, printed_by, project
from tests.support import translate_text

MODULE = """module m
  implicit none
  integer :: nx, ny, ids(3)
  integer, parameter :: nh = 6
contains
  subroutine setup()
    @decomposition{domName(i,j), global(37,35), local(nx,ny), halo(i:nh, j:nh)PERIODIC, reductions(local)}
  end subroutine
  subroutine reset(x)
    real(8), intent(inout) :: x(1-nh:nx+nh, 1-nh:ny+nh)
    x(1:nx,1:ny) = 0
  end subroutine
  subroutine peek(x)
    real(8), intent(in) :: x(1-nh:nx+nh, 1-nh:ny+nh)
    print *, x(0,3)
  end subroutine
  subroutine look(x)
    real(8), intent(in) :: x(1-nh:nx+nh, 1-nh:ny+nh)
    @wholeGrid
    print *, x(3,3)
  end subroutine
  subroutine work(u, v, w, narrow, p, turns, total)
    real(8), intent(inout), target :: u(1-nh:nx+nh, 1-nh:ny+nh)
    real(8), intent(inout) :: v(1-nh:nx+nh, 1-nh:ny+nh), w(1-nh:nx+nh, 1-nh:ny+nh), narrow(0:nx+1,0:ny+1)
    real(8), pointer, intent(inout) :: p(:,:)
    integer, intent(in) :: turns
    real(8), intent(inout) :: total
    integer :: n, k
    real(8), pointer :: r(:,:)
    @domainDependant{domName(i,j), domSize(1-nh:nx+nh,1-nh:ny+nh)}
    r
    @end domainDependant
BODY
  end subroutine
end module
"""
WIDE = "@haloExchange{fields(u), width(i:1, j:1), every(3)}"
LOOP = "do n = 1, turns"
V_OF_U = "@parallelRegion{domName(i,j), domSize(nx,ny)}\nv(i,j) = u(i-1,j) + u(i,j+1)\n@end parallelRegion"
U_OF_V = "@parallelRegion{domName(i,j), domSize(nx,ny)}\nu(i,j) = v(i,j)\n@end parallelRegion"
TURN = f"{V_OF_U}\n{U_OF_V}"
REST = f"{WIDE}\n{TURN}\nend do"


def region(body: str, more: str = "") -> str:
    """A region over all points of the process."""
    return f"@parallelRegion{{domName(i,j), domSize(nx,ny){more}}}\n{body}\n@end parallelRegion"


LEGAL = (
    f"{LOOP}\n{REST}",
    f"{LOOP}\ntotal = total + n\n{REST}",
    f"{LOOP}\n{WIDE}\ntotal = total + sum(u(1:nx,1)) + u(1,ny)\n{TURN}\nend do",
    f"{LOOP}\n{WIDE}\ndo k = 2, nx\ntotal = total + u(k-1,2)\nend do\n{TURN}\nend do",
    f"do while (total < 3)\n{REST}",
    f"{LOOP}\n{WIDE}\n{TURN}\nif (mod(n, 3) == 0) call look(u)\nend do",
    f"{LOOP}\n{WIDE}\n{TURN}\nif (total > 3) stop\nend do",
    f"{LOOP}\n{WIDE}\n{V_OF_U}\n" + region("total = total + v(i,j)", ", reduction(+:total)") + f"\n{U_OF_V}\nend do",
    # another exchange within
    f"{LOOP}\n{WIDE}\n{V_OF_U}\n@haloExchange{{fields(v), width(i:2, j:2)}}\n"
    + region("u(i,j) = v(i+2,j)")
    + "\nend do",
    # a field that stays as it is
    f"@haloExchange{{fields(w)}}\n{LOOP}\n{WIDE}\n{V_OF_U}\n" + region("u(i,j) = v(i,j) + w(i+1,j+1)") + "\nend do",
    # points that stay as they are
    f"{LOOP}\n{WIDE}\n{V_OF_U}\n" + region("if (v(i,j) > 0) u(i,j) = v(i,j)") + "\nend do",
)
REFUSED = {
    f"{WIDE}\n{TURN}": "HF661",
    f"{LOOP}\nif (n > 3) then\n{WIDE}\nend if\n{TURN}\nend do": "HF661",
    f"{LOOP}\n{REST.replace('every(3)', 'every(turns)')}": "HF661",
    f"{LOOP}\n{REST.replace('every(3)', 'every(0)')}": "HF661",
    f"{LOOP}\n{REST.replace('every(3)', 'every(99)')}": "HF661",
    f"{LOOP}\n{REST.replace('every(3)', 'every(7)')}": "HF661",
    f"{LOOP}\n{REST.replace('every(3)', 'every(2,3)')}": "HF203",
    f"{LOOP}\n{REST.replace('every(3)', 'every(3), mode(overlap)')}": "HF661",
    f"{LOOP}\n{REST.replace('every(3)', 'every(3), corners(no)')}": "HF661",
    f"{LOOP}\n{REST.replace('width(i:1, j:1), ', '')}": "HF661",
    f"{LOOP}\n{REST.replace('width(i:1, j:1)', 'width(i:turns, j:1)')}": "HF661",
    f"{LOOP}\n{REST.replace('width(i:1, j:1)', 'width(i:1:0, j:1:0)')}": "HF661",
    f"{LOOP}\n{V_OF_U}\n{WIDE}\n{U_OF_V}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\n{WIDE}\n{TURN}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\nu(1,1) = 0\n{TURN}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\n{V_OF_U}\nv(0,:) = 0\n{U_OF_V}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\ncall reset(u)\n{TURN}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\nread (*, *) u(3,3)\n{TURN}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\ncall random_number(u)\n{TURN}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\ncall unseen(n)\n{TURN}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\np => u\n{TURN}\nend do": "HF661",
    f"p => u\n{LOOP}\n{WIDE}\n{TURN}\n" + region("p(i,j) = 0") + "\nend do": "HF661",
    f"{LOOP}\n{WIDE}\n{V_OF_U}\nif (total > 3) cycle\n{U_OF_V}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\n{V_OF_U}\nif (total > 3) goto 10\n{U_OF_V}\n10 continue\nend do": "HF661",
    f"{LOOP}\n{WIDE}\nif (n > 3) then\n{V_OF_U}\nend if\n{U_OF_V}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\ndo k = 1, 2\n{V_OF_U}\nend do\n{U_OF_V}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\n{V_OF_U.replace('ny)}', 'ny), halo(i:1)}')}\n{U_OF_V}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\n{V_OF_U.replace('ny)}', 'ny), appliesTo(GPU)}')}\n{U_OF_V}\nend do": "HF661",
    f"{LOOP}\n{WIDE}\n"
    + region("if (u(i,j) > 0) v(i,j) = u(i,j)")
    + "\n"
    + region("u(i,j) = v(i+1,j)")
    + "\nend do": "HF661",
    # the halo is read elsewhere
    f"{LOOP}\n{WIDE}\n{TURN}\ncall peek(u)\nend do": "HF661",
    f"{LOOP}\n{WIDE}\n{TURN}\ntotal = total + sum(u(0:nx+1,1))\nend do": "HF661",
    f"{LOOP}\n{WIDE}\ndo k = 1, nx\ntotal = total + u(k-1,2)\nend do\n{TURN}\nend do": "HF661",
    # one array under two names
    f"r => u\n{LOOP}\n{WIDE}\n{TURN}\n" + region("r(i,j) = 0") + "\nend do": "HF661",
    # another exchange that is too narrow
    f"{LOOP}\n{WIDE}\n{V_OF_U}\n@haloExchange{{fields(v), width(i:1, j:1)}}\n"
    + region("u(i,j) = v(i+2,j)")
    + "\nend do": "HF661",
    # what is read is deeper than what is exchanged
    f"{LOOP}\n{WIDE}\n{V_OF_U}\n" + region("u(i,j) = v(i-1,j)") + "\nend do": "HF661",
    f"{LOOP}\n{WIDE}\n" + region("v(i,j) = w(i-1,j)") + "\n" + region("w(i,j) = u(i,j)") + "\nend do": "HF661",
    f"{LOOP}\n{WIDE}\n" + region("v(i,j) = u(n,j)") + f"\n{U_OF_V}\nend do": "HF661",
    # what a region does
    f"{LOOP}\n{WIDE}\n{V_OF_U}\n" + region("u(i,j) = v(i,j) + i") + "\nend do": "HF660",
    f"{LOOP}\n{WIDE}\n{V_OF_U}\n"
    + region("u(i,j) = v(i,j)\ntotal = total + 1", ", reduction(+:total)")
    + "\nend do": "HF660",
    f"{LOOP}\n{WIDE}\n{V_OF_U}\n" + region("u(i,j) = v(i,j)", ", startAt(2,1)") + "\nend do": "HF660",
    f"{LOOP}\n{WIDE}\n" + V_OF_U.replace("v(", "narrow(") + "\n" + region("u(i,j) = narrow(i,j)") + "\nend do": "HF660",
    # what is not certain to be clean
    f"{LOOP}\n{WIDE}\n{V_OF_U}\n" + region("u(i,j) = v(i,j) + w(i,j)") + "\nend do": "HF655",
    f"@haloExchange{{fields(w), width(i:1, j:1)}}\n{LOOP}\n{WIDE}\n{V_OF_U}\n"
    + region("u(i,j) = v(i,j) + w(i,j)")
    + "\nend do": "HF655",
    f"{LOOP}\n{WIDE}\n{TURN}\nend do\n" + region("v(i,j) = u(i+1,j)"): "HF655",
    f"{LOOP}\n{WIDE.replace('every(3)', 'every(2)')}\n{V_OF_U}\n"
    + region("w(i,j) = u(i+3,j)")
    + f"\n{U_OF_V}\nend do": "HF661",
}


def said(body: str, periodic: bool = True) -> list[str]:
    """The codes of the errors of a routine."""
    text = MODULE.replace("BODY", body).replace("PERIODIC", ", periodic(i,j)" if periodic else "")
    done = translate_text({"zoo.f90": SUPPORT, "m.h90": text}, backend="openmp", domains=DOMAINS)
    return sorted({d.code for d in done.errors})


@pytest.mark.parametrize("body", LEGAL)
def test_what_is_wide(body: str) -> None:
    assert said(body) == []


@pytest.mark.parametrize(("body", "code"), REFUSED.items())
def test_what_is_not(body: str, code: str) -> None:
    assert said(body) == [code]


def test_points_beyond_the_boundary_of_the_grid() -> None:
    """The loop sets none, so that those of a field that is not exchanged in it must be clean before."""
    body = f"{LOOP}\n{WIDE.replace('1, j:1', '2, j:1')}\n{V_OF_U}\n" + region("u(i,j) = v(i-1,j)") + "\nend do"
    assert said(body) == []
    assert said(body, periodic=False) == ["HF655"]
    assert said(f"@haloExchange{{fields(v)}}\n{body}", periodic=False) == []


def test_how_far_regions_go() -> None:
    """Backwards from the last turn: there what the turn itself reads, before that as much more as the turns after."""
    done = translate_text({"m.h90": MODULE.replace("BODY", LEGAL[0]).replace("PERIODIC", "")}, backend="openmp")
    text = "".join(done.files.values())
    assert text.count("merge(0, merge(2, merge(1, 0, hf_turn") == 4
    assert "= mod(hf_turn" in text


def test_next_to_exchanges_that_hfpy_places() -> None:
    def placed(body: str) -> int:
        source = MODULE.replace("BODY", body).replace("PERIODIC", ", periodic(i,j), exchange(auto)")
        done = translate_text({"m.h90": source}, backend="openmp")
        assert not done.errors
        return "".join(done.files.values()).count("! halos of")

    assert placed(LEGAL[0]) == 1
    assert placed(f"{LOOP}\n{WIDE}\n{V_OF_U}\n" + region("u(i,j) = v(i,j) + w(i,j)") + "\nend do") == 2
    assert placed(LEGAL[0] + "\n" + region("v(i,j) = u(i+1,j)")) == 2


def programs(seeds: range) -> list[tuple[Program, bool]]:
    """Programs with one exchange in every few turns."""
    return [(drawn_wide(seed), False) for seed in seeds]


@NO_MPI
def test_results_of_some_processes() -> None:
    made = programs(range(3))
    program = built_for_threads(made)
    for ranks in (1, 6):
        assert printed_by(program, ranks) == expected(made)


@NO_MPI
@pytest.mark.full
@pytest.mark.parametrize("options", [(), ("--target", "gpu", "--emulate")])
@pytest.mark.parametrize("seeds", [range(3), range(3, 36), range(36, 66)])
def test_results(seeds: range, options: tuple[str, ...], tmp_path: Path) -> None:
    made = programs(seeds)
    folder = project(made, tmp_path)
    for ranks in (0, 1, 2, 3, 4, 6):
        assert printed(folder, *options, ranks=ranks) == expected(made)
