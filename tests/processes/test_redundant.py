"""Regions that compute points of the halo: what is refused, what is clean after them, programs of random stages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes.programs import DOMAINS, SUPPORT, Case, built, faults, marked
from tests.processes.programs import WAYS as ALL_WAYS
from tests.processes.stages import Program, drawn
from tests.processes.test_clean_depths import DIAGONAL, NEXT, SET, region
from tests.processes.test_clean_depths import said as said_of_exchanges
from tests.processes.test_halos import NO_MPI, expected, found, printed, project
from tests.processes.test_overlaps import MODULE
from tests.support import translate_text

EXCHANGE = "@haloExchange{fields(u, v, w, held)}\n"
REGION = "@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:1, j:0:1)}"
READ = "v(i,j,1) = u(i-1,j,1) + w(i,j+1,1)"
LEGAL = (
    READ,
    "v(i,j,1) = u(i-nh+1,j,1)",
    "s = u(i-1,j,1)\nv(i,j,1) = s\nv(i,j,2) = v(i,j,1)",
    "do k = 1, 2\ncolumn(k) = u(i,j,k)\nend do\nv(i,j,1) = column(1) + column(2)",
    "do k = 1, 2\nif (u(i,j+1,k) > 0) cycle\nv(i,j,k) = w(i+1,j,k)\nend do",
    "v(i,j,1) = twice(u(i+1,j,1)) + sqrt(u(i,j,1)) + global(i) + global(nx)",
    "if (global(i) == 1 .or. global(j) == global(ny)) v(i,j,1) = 0",
    "u(i,j,1) = 2*u(i,j,2)",
)
REFUSED = {
    "v(i,j,1) = i": "HF660",
    "v(i,j,1) = global(i) + j": "HF660",
    "v(i,j,1) = u(i,j,1)/nx": "HF660",
    "do k = 1, ny\nv(i,j,1) = k\nend do": "HF660",
    "v(i,j,1) = size(u, 1)": "HF660",
    "if (onEdge(i, low)) v(i,j,1) = 0": "HF660",
    "if (onEdge(j, high) .and. global(j) == 3) v(i,j,1) = 0": "HF660",
    "v(i,j,1) = u(i,j,1)\nprint *, v(i,j,1)": "HF660",
    "v(i,j,1) = u(i,j,1)\nif (v(i,j,1) > 3) stop": "HF660",
    "v(i,j,1) = impure(u(i+1,j,1))": "HF660",
    "v(i,j,1) = neighbours(u, 3)": "HF660",
    "v(i,j,1) = of_module(3)": "HF660",
    "v(i,j,1) = u(i,j,1) + v(i,j-1,2)": "HF660",
    "v(i+1,j,1) = u(i,j,1)": "HF660",
    "v(j,i,1) = u(i,j,1)": "HF660",
    "total = u(i,j,1)": "HF660",
    "at(global(i)) = 1\nv(i,j,1) = 0": "HF660",
    "v(i,j,1) = w(at(i),j,1)": "HF655 HF660",
    "v(i,j,1) = w(3,j,1)": "HF660",
    "v(i,j,1) = w(i+k,j,1)": "HF660",
    "v(i,j,1) = w(2*i,j,1)": "HF660",
    "v(i,j,1) = sum(w)": "HF660",
    "short(i,j) = u(i,j,1)": "HF660",
    "v(i,j,1) = u(i+2,j,1)": "HF655",
    "v(i,j,1) = u(i,j+2,1)": "HF655",
    "v(i,j,1) = u(i,j-3,1)": "HF655",
    "v(i,j,1) = rest(i,j)": "HF655",
}
REGIONS = {
    "@parallelRegion{domName(i,j), domSize(nx,ny), halo(k:1)}": "HF202",
    "@parallelRegion{domName(i,j), domSize(nx,ny), halo(i)}": "HF202",
    "@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:1, i:2)}": "HF202",
    "@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:)}": "HF202",
    "@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:-1)}": "HF660",
    "@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:n)}": "HF660",
    "@parallelRegion{domName(i,j), domSize(0:nx+1,ny), halo(i:1)}": "HF660",
    "@parallelRegion{domName(i,j), domSize(nx,ny), startAt(2,1), halo(i:1)}": "HF660",
    "@parallelRegion{domName(i,j), domSize(nx,ny), endAt(nx-1,ny), halo(j:1)}": "HF660",
    "@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:1), stride(2,1)}": "HF660",
    "@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:1), reduction(+:total)}": "HF660",
    "@parallelRegion{domName(i,j,k), domSize(nx,ny,2), halo(k:1)}": "HF660",
    "@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:1), appliesTo(GPU)}": "",
    "@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:nh:0)}": "",
    "@parallelRegion{halo(i:1), domName(i,j), domSize(nx,ny), startAt(1,1), endAt(nx,ny)}": "",
}


def said(body: str, top: str = EXCHANGE + REGION) -> list[str]:
    """The codes of the errors of a program."""
    more = "    real(8) :: s, column(2), short(nx,ny), rest(0:nx+1,0:ny+1), broad(-4:nx+5,1:ny)\n"
    text = MODULE.replace("    real(8) :: s, column(2)\n", more)
    text = (
        text.replace("EXCHANGE\nREGION", top).replace("BODY", body).replace("intent(in) :: at", "intent(inout) :: at")
    )
    done = translate_text({"zoo.f90": SUPPORT, "m.h90": text}, backend="openmp", domains=DOMAINS)
    return [d.code for d in done.errors]


@pytest.mark.parametrize("body", LEGAL)
def test_what_is_computed_in_the_halo(body: str) -> None:
    assert said(body) == []


@pytest.mark.parametrize(("body", "code"), REFUSED.items())
def test_what_is_not(body: str, code: str) -> None:
    assert sorted(said(body)) == code.split()


@pytest.mark.parametrize(("top", "code"), REGIONS.items())
def test_regions(top: str, code: str) -> None:
    assert said("v(i,j,1) = u(i,j,1)", EXCHANGE + top) == ([code] if code else [])


def test_wider_than_the_decomposition() -> None:
    top = "@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:3)}"
    assert said("broad(i,j) = 1", top) == ["HF660"]
    assert said("broad(i,j) = 1", top.replace("i:3", "i:2")) == []


def test_points_beyond_the_boundary_of_the_grid() -> None:
    """No process computes them in the halo of another one."""
    top = EXCHANGE + REGION.replace("j:0:1", "j:1")
    behind = "@end parallelRegion\n@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:0)}\n"
    assert said(f"v(i,j,1) = u(i,j,1)\nv(i,j,2) = 0\n{behind}w(i,j,1) = v(i-1,j-1,1)", top) == []
    without = top.replace("fields(u, v, w, held)", "fields(u)")
    assert said(f"v(i,j,:) = u(i,j,:)\n{behind}w(i,j,1) = v(i-1,j-1,1)", without) == ["HF655"]
    assert said(f"v(i,j,:) = u(i,j,:)\n{behind}w(i,j,1) = v(i-1,j,1) + v(i,j+1,1)", without) == []


def test_points_beyond_that_a_region_sets() -> None:
    """A region with bounds of its own sets them for the rows of its process alone."""
    own = EXCHANGE + "@parallelRegion{domName(i,j), domSize(nx,ny), startAt(0,1), endAt(nx+1,ny)}\n"
    own += "v(i,j,:) = u(i,j,:)\n@end parallelRegion\n"
    behind = "v(i,j,:) = u(i,j,:)\n@end parallelRegion\n@parallelRegion{domName(i,j), domSize(nx,ny), halo(i:0)}\n"
    top = REGION.replace("j:0:1", "j:1")
    assert said(f"{behind}w(i,j,1) = v(i-1,j-1,1)", own + top) == ["HF655"]
    assert said(f"{behind}w(i,j,1) = v(i-1,j-1,1)", EXCHANGE + top) == []


def test_what_stands_behind_the_region() -> None:
    behind = "s = u(i,j,1)\nv(i,j,1) = s\n@end parallelRegion\nif (s > 3) total = 1\n" + REGION
    assert said(f"{behind}\n{READ}", EXCHANGE + REGION) == ["HF660"]


def test_no_decomposition() -> None:
    text = "subroutine s(a, n)\ninteger :: n\nreal(8) :: a(n)\n@parallelRegion{domName(i), domSize(n), halo(i:1)}\n"
    done = translate_text({"m.h90": text + "a(i) = 1\n@end parallelRegion\nend subroutine\n"}, backend="openmp")
    assert [d.code for d in done.errors] == ["HF650"]


HALO = ", halo(i:1, j:1)"
FROM_G = "@haloExchange{fields(g)}\n"
BOTH_ROUND = FROM_G + "@haloExchange{fields(f)}\n"


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (FROM_G + region("f(i,j) = g(i+1,j)", HALO) + NEXT, []),
        (FROM_G + region("f(i,j) = g(i+1,j)", HALO) + DIAGONAL, []),
        (FROM_G + region("f(i,j) = g(i+1,j)", HALO) + region("g(i,j) = f(i-2,j)"), ["HF655"]),
        (FROM_G + region("f(i,j) = g(i+1,j)", ", halo(i:0:1)") + NEXT, []),
        (FROM_G + region("f(i,j) = g(i+1,j)", ", halo(i:1:0)") + NEXT, ["HF655"]),
        (FROM_G + region("f(i,j) = g(i+1,j)", ", halo(i:1)") + DIAGONAL, ["HF655"]),
        (region("f(i,j) = 3", HALO) + NEXT, []),
        # what is read is not certain to be clean
        (region("f(i,j) = g(i,j)", HALO), ["HF655"]),
        (SET + region("g(i,j) = f(i,j)", HALO), ["HF655"]),
        ("@haloExchange{fields(g), width(i:1)}\n" + region("f(i,j) = g(i,j)", HALO), ["HF655"]),
        ("@haloExchange{fields(g), width(i:1, j:1), corners(no)}\n" + region("f(i,j) = g(i,j)", HALO), ["HF655"]),
        ("@haloExchange{fields(g), width(i:1, j:1)}\n" + region("f(i,j) = g(i,j)", HALO), []),
        (
            FROM_G + "if (later) then\n" + region("g(i,j) = f(i,j)") + "end if\n" + region("f(i,j) = g(i,j)", HALO),
            ["HF655"],
        ),
        (FROM_G + "g(3,3) = 1\n" + region("f(i,j) = g(i,j)", HALO), ["HF655"]),
        # in a loop
        ("do a = 1, 3\n" + FROM_G + region("f(i,j) = g(i+1,j)", HALO) + NEXT + "end do\n", []),
        (FROM_G + "do a = 1, 3\n" + region("f(i,j) = g(i+1,j)", HALO) + NEXT + "end do\n", ["HF655"]),
        # points that perhaps stay as they are
        (BOTH_ROUND + region("if (g(i,j) > 0) f(i,j) = 1", HALO) + region("g(i,j) = 2*f(i,j)", HALO), []),
        (FROM_G + SET + region("if (g(i,j) > 0) f(i,j) = 1", HALO) + region("g(i,j) = 2*f(i,j)", HALO), ["HF655"]),
        (
            FROM_G
            + SET
            + region("do a = 1, 1\nif (g(i,j) > 0) cycle\nf(i,j) = 1\nend do", HALO)
            + region("g(i,j) = f(i,j)", HALO),
            ["HF655"],
        ),
        (FROM_G + SET + region("do a = 1, w\nf(i,j) = 1\nend do", HALO) + region("g(i,j) = f(i,j)", HALO), ["HF655"]),
    ],
)
def test_what_is_clean(body: str, codes: list[str]) -> None:
    assert said_of_exchanges(body) == codes


def test_placed_exchanges_count_on_it() -> None:
    from tests.processes.test_clean_depths import placed

    assert len(placed(SET + region("g(i,j) = f(i+1,j)", HALO) + region("f(i,j) = g(i,j+1)"))) == 1
    assert len(placed(SET + region("if (later) g(i,j) = f(i+1,j)", HALO) + region("f(i,j) = g(i,j+1)"))) == 2


def test_an_array_that_is_too_short() -> None:
    """What only the run shows ends it with a message."""
    text = MODULE.replace("EXCHANGE\nREGION", "integer :: unused").split("  subroutine work")[0]
    text += """  subroutine run()
    integer, allocatable :: a(:,:)
    call setup()
    allocate(a(nx,ny))
    @parallelRegion{domName(i,j), domSize(nx,ny), halo(i:1)}
    a(i,j) = 3
    @end parallelRegion
    call told(all(a == 3), 'a', 0, 0, 0, 0)
  end subroutine
end module
"""
    case = {"m": Case("m", {"m.h90": text.replace("module m\n", "module m\n", 1)})}
    assert built(ALL_WAYS["openmp"], "openmpi", case)
    assert "a region computes 'a' at the points" in faults(ALL_WAYS["openmp"], "openmpi", (2, 1), case)


def programs(seeds: range) -> list[tuple[Program, bool]]:
    """Programs with stages that compute points of the halo, with exchanges of their own and with those of hfpy."""
    stated = [(drawn(seed, "case", redundant=True).with_exchanges(), False) for seed in seeds]
    return [*stated, *((drawn(seed, "auto", redundant=True), True) for seed in seeds)]


@pytest.mark.parametrize("seed", marked({seed: seed == 1 for seed in range(60)}))
def test_an_exchange_that_is_taken_away_is_missed(seed: int, tmp_path: Path) -> None:
    program = drawn(seed, redundant=True).with_exchanges()
    assert [d for d in found(program.text(), tmp_path) if d.severity == "error"] == []
    for exchange in (e for e in program.exchanges if e.certain):
        codes = {d.code for d in found(program.without(exchange).text(), tmp_path) if d.severity == "error"}
        assert codes == {"HF655"}, f"without {exchange}\n{program.without(exchange).text()}"


@NO_MPI
@pytest.mark.parametrize("options", marked({(): True, ("--target", "gpu", "--emulate"): False}))
@pytest.mark.parametrize(
    "seeds", marked({range(4): False, range(4, 20): False, range(20, 36): False, range(36, 52): False})
)
def test_results(seeds: range, options: tuple[str, ...], tmp_path: Path) -> None:
    made = programs(seeds)
    assert sum(program.text().count(", halo(i:") for program, _ in made) > len(made)
    folder = project(made, tmp_path)
    for ranks in (0, 6) if seeds == range(4) else (0, 1, 2, 4, 6):
        assert printed(folder, *options, ranks=ranks) == expected(made)
