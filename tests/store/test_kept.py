"""Facts without bodies: every file that is made from them alone is what a full translation makes of it.

What a translation leaves after is asked for each file by itself, as if its bodies had been edited.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from hfpy.build.settings.projectfile import load_project
from hfpy.build.translated import all_sources
from hfpy.diagnostics import ordered
from hfpy.making import deep
from hfpy.options import Options
from hfpy.parse.text.allowed import acknowledged
from hfpy.pipeline import translate
from hfpy.project import options_for
from hfpy.store import incremental
from hfpy.store.steps import Kept
from hfpy.store.store import Store
from hfpy.translation import Translation
from tests.store.test_oracle import program, shown, write

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = sorted(p.parent.name for p in SAMPLES.glob("*/hfpy.toml"))
QUICK = {("columns", "gpu"), ("euler", "cpu"), ("module_data", "gpu"), ("reduction", "cpu"), ("cloud", "cpu")}
RANDOM = int(os.environ.get("HFPY_KEPT", "120"))
FULL = pytest.mark.full
CASES = [
    pytest.param(name, target, marks=() if (name, target) in QUICK else FULL)
    for name in NAMES
    for target in ("cpu", "gpu")
]


@pytest.fixture(autouse=True)
def _everything_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incremental, "_WORTH", 0)
    monkeypatch.setenv("HFPY_DEBUG", "1")


def one_by_one(paths: list[Path], options: Options) -> Iterator[tuple[Path, Translation, Translation | None]]:
    """Each file with the whole translation, and that with this file made anew from what was kept."""
    assert options.cache_dir is not None
    whole = translate(paths, options)
    store = Store(options.cache_dir)
    kept = store.get("translation", incremental.key_now(paths, options)) if whole.files else None
    for path in paths if isinstance(kept, Kept) and kept.steps is not None else ():
        with deep():
            made = incremental._made_again(frozenset({str(path)}), options, kept, store)
        yield path, whole, replace(made, diagnostics=ordered(acknowledged(made.diagnostics))) if made else None


@pytest.mark.parametrize("name, target", CASES)
def test_every_file_of_a_sample(name: str, target: str, tmp_path: Path) -> None:
    project = load_project(SAMPLES / name)
    options = replace(options_for(project, target), cache_dir=tmp_path)
    seen = 0
    for path, whole, made in one_by_one(list(all_sources(project)), options):
        assert made is not None, f"{path.name} needs a full translation"
        assert shown(made) == shown(whole), path.name
        seen += 1
    assert seen


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=FULL) for n in range(2, RANDOM, 2))])
def test_every_file_of_random_programs(first: int, tmp_path: Path) -> None:
    made = 0
    for number in range(first, first + 2):
        files, way = program(Random(number).randrange(10_000))
        paths = write(files, tmp_path / f"source{number}")
        for path, whole, again in one_by_one(paths, Options(**way, cache_dir=tmp_path / f"cache{number}")):
            if again is not None:
                assert shown(again) == shown(whole), (number, path.name)
                made += 1
    assert made


LENIENT = """\
module MODULE
  USES
  implicit none
contains
  subroutine NAME(n, a, on)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    logical, intent(in) :: on
    @parallelRegion{domName(i), domSize(n)}
    if (on .eq. .true.) a = a + 1.
    @end parallelRegion
    if (on == .false.) a(1) = 2.
    CALL
  end subroutine
end module
"""


@pytest.mark.parametrize(("target", "backend"), [("cpu", "openmp"), ("gpu", "cuda-c")])
def test_every_file_of_an_existing_project(target: str, backend: str, tmp_path: Path) -> None:
    """A file with repairs of what old compilers let pass is made with the whole program, which tells of them."""
    one = LENIENT.replace("MODULE", "one").replace("NAME", "low").replace("USES", "").replace("CALL", "")
    two = LENIENT.replace("MODULE", "two").replace("NAME", "high").replace("USES", "use one")
    two = two.replace("CALL", "call low(n, a, on)").replace("on .eq. .true.", "on").replace("on == .false.", ".not. on")
    paths = write({"one.h90": one, "two.h90": two}, tmp_path / "source")
    options = Options(target=target, backend=backend, legacy=True, cache_dir=tmp_path / "cache")
    again = {path.name: (whole, made) for path, whole, made in one_by_one(paths, options)}
    assert again["one.h90"][1] is None
    whole, made = again["two.h90"]
    assert made is not None and shown(made) == shown(whole)
    assert [d.code for d in whole.diagnostics].count("HF110") == 2
