"""What routines know by those that they call: each routine is looked at once, whatever calls what."""

from __future__ import annotations

import cProfile
import pstats
import random
from pathlib import Path

from hfpy.analyze.callgraph.graph import CallGraph
from hfpy.analyze.language.scopes import Scopes
from hfpy.options import Options
from hfpy.pipeline import settled_application
from tests.support import write_files


def _graph(calls: dict[int, list[int]], folder: Path) -> CallGraph:
    """The call graph of routines ``s0``, ``s1`` and so on, the first of which has a region."""
    text = ""
    for number, called in calls.items():
        region = "!@parallelRegion\ndo i = 1, 9\na(i) = 1\nend do\n" if not number else ""
        lines = "".join(f"call s{n}(a)\n" for n in called)
        text += f"recursive subroutine s{number}(a)\nreal a(9)\n{region}{lines}end subroutine s{number}\n"
    paths = write_files({"s.f90": text}, folder)
    application = settled_application(paths, Options(target="cpu", backend="openmp", auto=True, jobs=1)).application
    return CallGraph(application, Scopes(application))


def test_it_is_all_that_can_be_reached(tmp_path: Path) -> None:
    chosen = random.Random(3)
    for number in range(15):
        count = 12
        calls = {n: chosen.sample(range(count), chosen.randrange(3)) for n in range(count)}
        own = {f"::s{n}": frozenset(chosen.sample(range(9), chosen.randrange(3))) for n in range(count)}
        found = _graph(calls, tmp_path / str(number)).gathered(own)
        for start in range(count):
            reached, pending = {start}, [start]
            while pending:
                new = [n for n in calls[pending.pop()] if n not in reached]
                reached.update(new)
                pending += new
            assert found[f"::s{start}"] == frozenset().union(*(own[f"::s{n}"] for n in reached)), calls


def test_the_work_grows_with_the_calls(tmp_path: Path) -> None:
    """Each level calls the ten below."""
    taken = []
    for count in (30, 120):
        calls = {n: [*range(max(0, n - 10), n)] for n in range(count)}
        graph = _graph(calls, tmp_path / str(count))
        own = {f"::s{n}": frozenset({n}) for n in range(count)}
        profile = cProfile.Profile()
        found = profile.runcall(graph.gathered, own)
        assert found[f"::s{count - 1}"] == frozenset(range(count))
        taken.append(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]
    assert taken[1] < 6 * taken[0], taken
