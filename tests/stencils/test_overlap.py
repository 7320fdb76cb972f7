"""Kernels and copies beside one another in the model of a GPU: timelines worked out by hand, groupings that change, and
what ``hfpy explain --schedule`` says.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from random import Random

import pytest

from hfpy.options import GPU, Machine, Options
from hfpy.pipeline import translate
from hfpy.transform.stencil.effort import EFFORTS
from hfpy.transform.stencil.gpumodel import for_backend
from hfpy.transform.stencil.groups import Illegal
from hfpy.transform.stencil.overlap import Work, beside, in_order
from hfpy.transform.stencil.program import Program
from hfpy.transform.stencil.search import choose, grouped
from tests.stencils.test_counts import programs

__all__ = ["programs"]


def kernel(seconds: float, *behind: int, memory: float = 0.0) -> Work:
    return Work(seconds, {"memory": memory}, behind)


def copy(seconds: float, *behind: int) -> Work:
    return Work(seconds, {}, behind, copy=True)


@pytest.mark.parametrize(
    ("works", "queues", "seconds"),
    [
        ([kernel(3), kernel(2)], 4, 3),
        ([kernel(3), kernel(2)], 1, 5),
        ([kernel(3), kernel(2, 0)], 4, 5),
        ([kernel(3, memory=3), kernel(2, memory=2)], 4, 5),  # both need all of the memory
        ([kernel(3, memory=1), kernel(2, memory=1)], 4, 3),
        ([kernel(3), kernel(2), kernel(4, 0), kernel(1, 1)], 2, 7),  # two chains
        ([kernel(3), kernel(2), kernel(4)], 2, 6),  # the third one waits for a queue
        ([kernel(1), kernel(5), kernel(1, 0), kernel(1)], 2, 5),  # a chain stays in its queue
        ([copy(4), kernel(3)], 4, 7),  # the host waits for the copy
        ([kernel(3), copy(4)], 4, 4),
        ([kernel(3), copy(4, 0)], 4, 7),
        ([kernel(3), kernel(2), copy(2, 1), copy(2, 0)], 4, 6),  # the first copy is beside the first kernel
        ([], 4, 0),
    ],
)
def test_timelines(works: list[Work], queues: int, seconds: float) -> None:
    assert beside(works, queues) == pytest.approx(seconds)


@pytest.mark.parametrize("seed", range(40))
def test_bounds(seed: int) -> None:
    """No faster than the longest chain or any resource, no slower than one after another."""
    random = Random(seed)
    works: list[Work] = []
    for place in range(8):
        behind = tuple(n for n in range(place) if random.random() < 0.3)
        seconds = random.uniform(1, 5)
        works.append(kernel(seconds, *behind, memory=seconds * random.random()))
    chains: list[float] = []
    for work in works:
        chains.append(work.seconds + max((chains[n] for n in work.behind), default=0))
    least = max(*chains, sum(work.busy["memory"] for work in works))
    times = [beside(works, queues) for queues in (1, 2, 4, 16)]
    assert times[0] == pytest.approx(in_order(works))
    assert all(least - 1e-9 <= time <= in_order(works) + 1e-9 for time in times)


SOURCE = """subroutine go(nx, ny, a, b, c, d)
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: a(nx,ny), c(nx,ny)
  real(8), intent(inout) :: b(nx,ny), d(nx,ny)
  @parallelRegion{domName(i,j), domSize(nx,ny)FIRST}
  d(i,j) = exp(sin(a(i,j))) + exp(cos(a(i,j)))
  @end parallelRegion
  @parallelRegion{domName(i,j), domSize(nx,ny)SECOND}
  b(i,j) = exp(sin(c(i,j))) + exp(cos(c(i,j)))
  @end parallelRegion
end subroutine go
"""


def schedule(folder: Path, machine: Machine, backend: str = "cuda-c", apart: bool = False) -> list[str]:
    path = folder / "m.h90"
    first, second = (", fuse(one)", ", fuse(two)") if apart else ("", "")
    path.write_text(SOURCE.replace("FIRST", first).replace("SECOND", second))
    done = translate([path], Options(target="gpu", backend=backend, machine=machine))
    return [row.strip() for row in done.schedule("go").split("\n")]


SMALL = replace(GPU, points=4096, launch=1e-7)


@pytest.mark.parametrize(("backend", "queues", "groups"), [("cuda-c", 4, 2), ("cuda-c", 1, 1), ("openacc", 4, 1)])
def test_small_kernels_that_share_nothing_stay_apart(backend: str, queues: int, groups: int, tmp_path: Path) -> None:
    """One kernel of both would not keep more of the machine busy; two beside one another do."""
    assert SMALL.device is not None
    rows = schedule(tmp_path, replace(SMALL, device=replace(SMALL.device, queues=queues)), backend)
    assert len([row for row in rows if row.startswith("group ")]) == groups, rows
    assert any(row.startswith("all groups: ") for row in rows) == (groups == 2)


def test_large_kernels_are_fused_as_before(tmp_path: Path) -> None:
    assert len([row for row in schedule(tmp_path, GPU) if row.startswith("group ")]) == 1


def test_copies_and_kernels_at_the_same_time(tmp_path: Path) -> None:
    """The copy of 'd', which the first kernel sets, goes on while the second one runs."""
    rows = schedule(tmp_path, replace(GPU, points=10**6, launch=0, rate=1e9), apart=True)
    found = rows[next(n for n, row in enumerate(rows) if row.startswith("queues of ")) :]
    # 8 MB are 0.8 ms. Each kernel computes for longer, and with one and the same resource.
    (operations,) = {row.split()[3] for row in rows if row.startswith("stage ")}
    each = int(operations) * 10**6 / 1e9 * 1e3
    assert found[1:] == [
        "kernel of line 5: after none",
        "kernel of line 8: after none",
        "copies: 'a' and 'c' to the device before the first kernel; 'd' and 'b' back after the kernels that set them",
        f"about 3.2 ms of copies and {2 * each:.3g} ms of kernels, 0.8 ms of these at the same time",
    ]


def test_kernels_behind_others(tmp_path: Path) -> None:
    """The second kernel needs what the first one sets, which is copied back while the second one runs."""
    path = tmp_path / "m.h90"
    path.write_text(SOURCE.replace("FIRST", ", fuse(one)").replace("SECOND", ", fuse(two)").replace("c(i,j)", "d(i,j)"))
    text = translate([path], Options(target="gpu", backend="cuda-c")).schedule("go")
    assert "  kernel of line 8: after that of line 5\n" in text
    assert text.endswith(" ms of these at the same time") and "all groups" not in text


@pytest.mark.parametrize("name", ["hdiffsa", "uvbke"])
def test_the_choice_is_the_best_of_all_within_a_tenth(name: str, programs: dict[str, Program]) -> None:
    program = programs[name]
    machine = for_backend(replace(GPU, points=20000), "cuda-c", EFFORTS[2])
    times = []
    for cuts in product((False, True), repeat=len(program.stages) - 1):
        places = [0, *(n + 1 for n, cut in enumerate(cuts) if cut), len(program.stages)]
        sizes = tuple(b - a for a, b in pairwise(places))
        with suppress(Illegal):
            times.append(grouped(program, machine, "gpu", EFFORTS[2], sizes).seconds)
    assert len(times) > 1
    assert choose(program, machine, "gpu", EFFORTS[2]).seconds <= min(times) / 0.9
