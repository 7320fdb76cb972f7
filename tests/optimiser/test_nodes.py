"""What the optimisers make is printed, and read again for its places: the trees are the same, no file is left out."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from hfpy.analyze.analysis import analyse
from hfpy.analyze.checks import check
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Place, has_errors
from hfpy.model.application import Application
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, DirectiveLine, flatten
from hfpy.options import Options
from hfpy.parse.application import read_application, with_texts
from hfpy.transform.columns.optimise import put_in_blocks
from hfpy.transform.passes import NewText, with_text
from hfpy.transform.stencil.effort import EFFORTS
from hfpy.transform.stencil.optimise import optimise
from tests.freeze import corpora
from tests.optimiser.generator import stencil_pair
from tests.optimiser.sweeps import sweep_pair
from tests.parse.oracle import said
from tests.support import Pair, write_files

NOWHERE = LogicalLine("", ((0, 0, 0),), 0)


def shown(construct: Construct) -> list[object]:
    """What a region says: its directive, its statements in their order."""
    assert construct.region is not None
    statements = [s for s in flatten((construct,)) if not isinstance(s, DirectiveLine)]
    return [replace(construct.region, line=NOWHERE, place=Place("")), *map(said, statements)]


def again(application: Application, files: Mapping[str, NewText]) -> Facts:
    """The facts of the application with new texts, which must be without fault."""
    texts = {f.path: with_text(f, files[f.path]) for f in application.files if f.path in files}
    changed, found = with_texts(application, texts)
    facts = analyse(changed)
    found += [*facts.found, *check(facts, Effects(facts))]
    assert not has_errors(found), [d.message for d in found]
    return facts


def facts_of(pair: Pair, folder: Path, backend: str) -> Facts | None:
    paths = [p for p in write_files(pair.hybrid, folder) if p.suffix in (".h90", ".H90", ".f90", ".F90")]
    target = "cpu" if backend == "openmp" else "gpu"
    options = Options(target=target, backend=backend, opt=2, jobs=1, exports=("run",))
    application, found = read_application(paths, options)
    if has_errors(found):
        return None
    facts = analyse(application)
    return None if has_errors([*facts.found, *check(facts, Effects(facts))]) else facts


def read_again(facts: Facts) -> tuple[int, int]:
    """Make regions, print them and read them: the regions that are the same then, of stencils and of columns."""
    done = optimise(facts, Effects(facts), EFFORTS[2])
    after = again(facts.application, done.files)
    made = {key: [m for s in schedules for m in s.regions.values()] for key, schedules in done.schedules.items()}
    stencils = same(after, {key: [m.region for m in regions] for key, regions in made.items()})
    if facts.target == "gpu":
        return stencils, 0
    columns = put_in_blocks(after, Effects(after))
    blocked = again(after.application, columns.files)
    return stencils, same(blocked, {key: [m.region for m in regions] for key, regions in columns.blocked.items()})


def same(after: Facts, made: Mapping[str, Sequence[Construct]]) -> int:
    """How many regions there are; all of them are among those that were read."""
    for key, regions in made.items():
        there = [shown(region) for region in after.routine(key).regions]
        assert all(shown(region) in there for region in regions)
    return sum(map(len, made.values()))


def some_soon() -> Iterator[tuple[str, Pair]]:
    """Programs for every run of the tests: those made for the optimiser, the sample with most stencils, each fourth of
    the others.
    """
    for place, (corpus, pair) in enumerate(corpora()):
        if corpus in ("optimiser", "blocks") or pair.name == "stencils" or (corpus != "samples" and place % 4 == 0):
            yield corpus, pair


@pytest.mark.parametrize(
    ("programs", "backend", "least"),
    [
        pytest.param(some_soon, "openmp", 8, id="some-openmp"),
        pytest.param(corpora, "openmp", 26, id="openmp", marks=pytest.mark.full),
        pytest.param(corpora, "cuda-c", 0, id="cuda-c", marks=pytest.mark.full),
    ],
)
def test_regions_read_again_are_those_that_were_made(
    programs: Callable[[], Iterator[tuple[str, Pair]]], backend: str, least: int, tmp_path: Path
) -> None:
    found = blocked = 0
    for corpus, pair in programs():
        facts = facts_of(pair, tmp_path / corpus / pair.name, backend)
        if facts is not None:
            stencils, columns = read_again(facts)
            found, blocked = found + stencils, blocked + columns
    assert found > 10, found
    assert blocked >= least, blocked


@pytest.mark.parametrize("backend", ["openmp", "cuda-c", pytest.param("openacc", marks=pytest.mark.full)])
@pytest.mark.parametrize("make", [stencil_pair, sweep_pair])
@pytest.mark.parametrize("count", [5, pytest.param(16, marks=pytest.mark.full)])
def test_random_regions_read_again(
    count: int, make: Callable[[Random, str], Pair], backend: str, tmp_path: Path
) -> None:
    found = 0
    for number in range(count):
        facts = facts_of(make(Random(number), f"s{number}"), tmp_path / str(number), backend)
        assert facts is not None
        found += sum(read_again(facts))
    assert found > count // 2, found


def tight(text: str) -> str:
    """Without blanks around operators, and with the old spelling of comparisons."""
    lines = [re.sub(r" ([-+*/<>]=?|==) ", r"\1", line) if "@" not in line else line for line in text.splitlines()]
    return "\n".join(re.sub(r">(?!=)", ".gt.", re.sub(r"<(?!=)", ".lt.", line)) for line in lines) + "\n"


@pytest.mark.parametrize(
    "spelled",
    [
        pytest.param(str.upper, marks=pytest.mark.full),
        pytest.param(tight, marks=pytest.mark.full),
        lambda text: tight(text).upper(),
    ],
)
@pytest.mark.parametrize("make", [stencil_pair, sweep_pair])
@pytest.mark.parametrize("count", [2, pytest.param(5, marks=pytest.mark.full)])
def test_regions_in_other_spellings(
    count: int, make: Callable[[Random, str], Pair], spelled: Callable[[str], str], tmp_path: Path
) -> None:
    found = 0
    for number in range(40, 40 + count):
        pair = make(Random(number), f"s{number}")
        other = replace(pair, hybrid={name: spelled(text) for name, text in pair.hybrid.items()})
        one, two = (facts_of(p, tmp_path / f"{number}-{n}", "openmp") for n, p in enumerate((pair, other)))
        assert one is not None and two is not None
        assert read_again(one) == read_again(two)
        found += sum(read_again(one))
    assert found > count // 2, found
