"""What the analyses take over of routines that have not changed is what they find when they look at everything."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.synthetic import generate
from hfpy.analyze.analysis import analyse
from hfpy.analyze.facts import Facts
from hfpy.analyze.unchanged import unchanged_routines
from hfpy.build.settings.projectfile import load_project
from hfpy.build.translated import all_sources
from hfpy.making import deep
from hfpy.model.application import Application
from hfpy.options import Options
from hfpy.parse.application import read_application
from hfpy.pipeline import translate
from hfpy.project import options_for
from hfpy.store import incremental, signatures
from hfpy.transform import pipelines
from hfpy.transform.plain import form
from tests.store.test_oracle import COLUMNS, write

SAMPLES = Path(__file__).parents[2] / "samples"
RANDOM = int(os.environ.get("HFPY_UNCHANGED", "60"))
FULL = pytest.mark.full
# Samples of which the passes change some files, and not all.
CASES = [
    ("columns", "cpu"),
    *(pytest.param(*c, marks=FULL) for c in (("cloud", "cpu"), ("weather", "cpu"), ("diffusion", "gpu"))),
    *(pytest.param("stencils", target, marks=FULL) for target in ("cpu", "gpu")),
]


class Compared:
    """Analyses twice: with what was known before, and without. ``taken`` counts routines that were taken over."""

    def __init__(self) -> None:
        self.taken = 0

    def __call__(self, application: Application, before: Facts | None = None) -> Facts:
        found, fresh = analyse(application, before), analyse(application)
        if before is not None:
            self.taken += len(unchanged_routines(before.application, application))
        for name in ("statements", "sites", "indirect", "callers"):
            assert getattr(found.graph, name) == getattr(fresh.graph, name), name
        for name in ("references", "plans", "orders", "allocations", "positions"):
            assert getattr(found, name) == getattr(fresh, name), name
        assert found.domains.private == fresh.domains.private
        return found


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Compared:
    made = Compared()
    monkeypatch.setattr(pipelines, "analyse", made)
    monkeypatch.setattr(form, "analyse", made)
    monkeypatch.setenv("HFPY_DEBUG", "1")
    return made


@pytest.mark.parametrize("name, target", CASES)
def test_samples(name: str, target: str, compared: Compared) -> None:
    project = load_project(SAMPLES / name)
    with deep():
        translate(list(all_sources(project)), options_for(project, target))
    assert compared.taken


@pytest.mark.parametrize("number", [1, *(pytest.param(n, marks=FULL) for n in range(2, RANDOM))])
def test_random_programs(number: int, compared: Compared, tmp_path: Path) -> None:
    files = {Path(name).name: text for name, text in generate(900, seed=number).files.items()}
    with deep():
        translate(write(files, tmp_path), Options(**COLUMNS[number % len(COLUMNS)]))
    assert compared.taken or COLUMNS[number % len(COLUMNS)].get("target") == "gpu"


@pytest.mark.parametrize("number", [3, *(pytest.param(n, marks=FULL) for n in range(4, 24))])
def test_signatures_of_steps(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the signatures of a step have is what they have if the step is looked at by itself."""
    alone, seen = signatures.signatures_of, []

    def compared(steps: Sequence[Facts]) -> tuple[dict[str, str], ...]:
        found = alone(steps)
        assert found == tuple(alone([facts])[0] for facts in steps)
        seen.append(len(steps))
        return found

    monkeypatch.setattr(signatures, "signatures_of", compared)
    monkeypatch.setattr(incremental, "_WORTH", 0)
    monkeypatch.setenv("HFPY_DEBUG", "1")
    files = {Path(name).name: text for name, text in generate(900, seed=number).files.items()}
    with deep():
        translate(write(files, tmp_path / "s"), Options(**COLUMNS[number % len(COLUMNS)], cache_dir=tmp_path / "c"))
    assert seen


USER = "subroutine caller(x)\n use shown, only: n\n real :: x(n)\n call called(x, n)\nend subroutine\n"
SHOWN = "module shown\n integer, parameter :: n = 3\n real :: field(n)\nend module\n"
CALLED = "subroutine called(y, m)\n integer :: m\n real :: y(m)\n real :: t\n t = 1\n y = t\nend subroutine\n"


@pytest.mark.parametrize(
    ("path", "old", "new", "left"),
    [
        ("called.f90", "t = 1", "t = 2", True),
        ("called.f90", " real :: t\n", " real :: t, u\n", True),
        ("called.f90", "real :: y(m)", "real :: y(m+1)", False),
        ("called.f90", "real :: y(m)", "real(8) :: y(m)", False),
        ("called.f90", "(y, m)", "(m, y)", False),
        ("called.f90", "subroutine called(y, m)", "pure subroutine called(y, m)", False),
        ("called.f90", "end subroutine\n", "end subroutine\nsubroutine hf_own()\nend subroutine\n", True),
        ("called.f90", "end subroutine\n", "end subroutine\nsubroutine another()\nend subroutine\n", False),
        ("shown.f90", "n = 3", "n = 4", False),
        ("shown.f90", "real :: field(n)", "real :: field(n+1)", False),
        ("shown.f90", "end module", "! a comment\nend module", True),
        ("shown.f90", "end module", "contains\nsubroutine s()\nend subroutine\nend module", False),
    ],
)
def test_what_others_see(path: str, old: str, new: str, left: bool, tmp_path: Path) -> None:
    texts = {"caller.f90": USER, "shown.f90": SHOWN, "called.f90": CALLED}
    options = Options()
    before, _ = read_application(write(texts, tmp_path), options, everything=True)
    assert old in texts[path]
    edited = {**texts, path: texts[path].replace(old, new)}
    after, _ = read_application(write(edited, tmp_path), options, everything=True)
    same = {f.path: f for f in before.files}
    kept = tuple(f if f.path.endswith(path) else same[f.path] for f in after.files)
    routines = {k: r if r.file.endswith(path) else before.routines[k] for k, r in after.routines.items()}
    unchanged = unchanged_routines(before, replace(after, files=kept, routines=routines))
    assert ("caller" in {key.split("::")[-1] for key in unchanged}) is left
