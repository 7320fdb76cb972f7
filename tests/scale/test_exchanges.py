"""Messages in ``hfpy explain --schedule``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.diagnostics import has_errors
from hfpy.options import Machine, Options
from hfpy.pipeline import translate
from hfpy.scale.network import Network

TEXT = """module m
  implicit none
  integer :: nx, ny
  integer, parameter :: nh = 2
contains
  subroutine setup()
    @decomposition{domName(i,j), global(90,80), local(nx,ny), halo(i:nh, j:nh)MORE}
  end subroutine
  subroutine step(u, v, w)
    real(8), intent(inout) :: u(1-nh:nx+nh, 1-nh:ny+nh, 0:9)
    real(4), intent(inout) :: v(1-nh:nx+nh, 1-nh:ny+nh)
    real(8), intent(inout) :: w(nx, ny)
    DIRECTIVE
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    w(i,j) = u(i+1,j,1) + v(i,j-1)
    @end parallelRegion
  end subroutine
end module
"""
MACHINE = Machine(bandwidth=1e9, rate=1e9, cache=1000, launch=1e-6, points=100 * 60 * 100, row=100)
NETWORK = Network(latency=3e-6, overhead=1e-6, gap=1e-6, bandwidth=1e8)


def shown(folder: Path, directive: str, more: str = "", machine: Machine = MACHINE) -> str:
    """What ``hfpy explain --schedule`` says of the routine."""
    path = folder / "m.h90"
    path.write_text(TEXT.replace("DIRECTIVE", directive).replace("MORE", more))
    made = translate([path], Options(backend="openmp", machine=machine, network=NETWORK))
    assert not has_errors(made.diagnostics), made.diagnostics
    return made.schedule("step")


def reported(folder: Path, directive: str, more: str = "", machine: Machine = MACHINE) -> list[str]:
    """What is said of its exchanges, for parts of 100 x 100 points."""
    listed = shown(folder, directive, more, machine).splitlines()
    return listed[next(n for n, row in enumerate(listed) if row.startswith("exchange of")) :]


@pytest.mark.parametrize(
    ("directive", "more", "what", "sends", "messages"),
    [
        # 84 bytes a point: ten levels of 8 bytes, and one of 4
        ("@haloExchange{fields(u,v)}", "", "u, v along i 2:2, j 2:2", 84 * 2 * (200 + 200), (4, 8)),
        (
            "@haloExchange{fields(u,v), width(i:1, j:0:1)}",
            "",
            "u, v along i 1:1, j 0:1",
            84 * (200 + 100),
            (3, 5),
        ),
        ("@haloExchange{fields(v), width(i:1)}", "", "v along i 1:1", 4 * 200, (2, 2)),
        ("@haloExchange{fields(u,v), corners(no)}", "", "u, v along i 2:2, j 2:2", 84 * 2 * 400, (4, 4)),
        ("", ", exchange(auto)", "u, v along i 0:1, j 1:0", 84 * 200, (2, 2)),
    ],
)
def test_messages(directive: str, more: str, what: str, sends: int, messages: tuple[int, int], tmp_path: Path) -> None:
    first, part, one, once, figures = reported(tmp_path, directive, more)
    assert first.startswith(f"exchange of {what}  (m.h90:1")
    assert ("placed by hfpy" in first) == bool(more)
    unit = f"{sends / 1e3:.3g} kB" if sends >= 1e3 else f"{sends} bytes"
    assert part.split(" sends ")[0] == "  a part of 100 x 100 points"
    assert part.split(" sends ")[1].removesuffix(" and corners") == unit
    assert f": {messages[0]} messages, " in one
    assert f": {messages[1]} messages, " in once
    once_pays = "corners(no)" in directive or more  # what two latencies take, not what four messages more do
    chosen = "" if "fields(v)" in directive else " (all at once)" if once_pays else " (one domain after the other)"
    assert figures == "  figures: latency 3 µs, 0.1 GB/s; mode(blocking)" + chosen


def test_the_choice(tmp_path: Path) -> None:
    """What the translation has chosen is said; a mode that prescribes it says it by itself."""
    slow = replace(MACHINE, launch=1e-4)
    assert reported(tmp_path, "@haloExchange{fields(u)}", machine=slow)[-1].endswith("(one domain after the other)")
    assert reported(tmp_path, "@haloExchange{fields(u), mode(phases)}")[-1].endswith("; mode(phases)")
    assert reported(tmp_path, "@haloExchange{fields(u), mode(together)}", machine=slow)[-1].endswith("; mode(together)")


def test_a_width_that_is_no_number(tmp_path: Path) -> None:
    (_, why) = reported(tmp_path, "@haloExchange{fields(u), width(i:nx)}")
    assert "a width is no number" in why


def test_nothing_is_said_without_exchanges(tmp_path: Path) -> None:
    assert "exchange of" not in shown(tmp_path, "")
