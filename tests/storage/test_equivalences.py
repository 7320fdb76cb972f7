"""What ``equivalence`` and ``common`` join, against the definition, and by work that grows with the declarations."""

from __future__ import annotations

import cProfile
import pstats
import random
from pathlib import Path

from hfpy.analyze.arrays.associations import Associations
from hfpy.analyze.arrays.storage import Storage
from hfpy.analyze.callgraph.graph import CallGraph
from hfpy.analyze.language.scopes import Scopes
from hfpy.model.application import Application
from hfpy.options import Options
from hfpy.pipeline import settled_application
from tests.support import write_files

NAMES = [f"v{n}" for n in range(24)]


def _application(lines: list[str], folder: Path) -> Application:
    text = "\n".join(["subroutine s", *lines, "do i = 1, 9", "v0 = i", "end do", "end subroutine s", ""])
    options = Options(target="cpu", backend="openmp", auto=True, jobs=1)
    return settled_application(write_files({"s.f90": text}, folder), options).application


def _brute(
    name: str, pairs: list[tuple[str, str]], blocks: dict[str, list[str]]
) -> tuple[set[str], tuple[str, str] | None]:
    joined = {name}
    while more := {n for pair in pairs if joined & {*pair} for n in pair} - joined:
        joined |= more
    found = next((("common", block) for block, members in blocks.items() if joined & {*members}), None)
    return joined, found or (("::s", min(joined)) if len(joined) > 1 else None)


def test_the_sets_are_those_of_the_definition(tmp_path: Path) -> None:
    chosen = random.Random(7)
    for number in range(40):
        names = chosen.sample(NAMES, len(NAMES))
        blocks = {"one": names[:3], "two": names[3:5]}
        pairs = [(chosen.choice(names[5:]), chosen.choice(names)) for _ in range(chosen.randrange(12))]
        pairs = [(a, b) for a, b in pairs if a != b]
        lines = [f"real {', '.join(NAMES)}", *(f"common /{b}/ {', '.join(m)}" for b, m in blocks.items())]
        lines += [f"equivalence ({a}, {b})" for a, b in pairs]
        found = Associations(_application(lines, tmp_path / str(number)))
        for name in NAMES:
            identity = ("::s", name)
            assert (found.equivalent(identity), found.associated(identity)) == _brute(name, pairs, blocks), lines


def test_the_work_grows_with_the_declarations(tmp_path: Path) -> None:
    taken = []
    for count in (50, 200):
        lines = [f"real a{n}, b{n}" for n in range(count)] + [f"equivalence (a{n}, b{n})" for n in range(count)]
        application = _application(["real v0", *lines], tmp_path / str(count))
        scopes = Scopes(application)
        storage = Storage(application, scopes, CallGraph(application, scopes))
        profile = cProfile.Profile()
        found = [profile.runcall(storage.objects, name, "::s") for name in ("a7", "b7", "b8")]
        assert found[0] == found[1] != found[2]
        taken.append(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]
    assert taken[1] < 6 * taken[0], taken
