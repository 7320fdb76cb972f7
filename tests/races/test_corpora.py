"""Programs that are right: the watch says nothing of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import pytest

from hfpy.build.compile.messages import Origin
from hfpy.build.compile.races import run_watched
from hfpy.outputs import output_name
from tests.gpu.turns import in_cuda_c
from tests.races.watched import built, watching_files
from tests.random.generator import make_program
from tests.realcode.test_rows import expectation
from tests.support import Case, Pair, batch_main, load_pairs, storage_order

TESTS = Path(__file__).parents[1]
COUNT = int(os.environ.get("HFPY_RANDOM", "20"))


class Programs:
    """Pairs in one executable that watches, in an order of dimensions."""

    def __init__(self, pairs: Sequence[Pair], folder: Path, order: str = "KIJ") -> None:
        cases, files = [], {}
        self.folder = folder
        self.origins: list[Origin] = []
        for pair in pairs:
            below = folder / pair.name
            below.mkdir(parents=True)
            options = {}
            if not pair.in_comments:
                options["storage_order"] = below / "storage_order.F90"
                options["storage_order"].write_text(storage_order(order, order))
                files["storage_order.F90"] = storage_order(order, order)
            made, origins, _ = watching_files(_seen(pair), below, **options)
            made |= {n: t for n, t in pair.hybrid.items() if ".opaque." in n}
            cases.append(Case(pair.name, made, pair.module, pair.entry))
            files |= made
            self.origins += origins
        files["batch_main.f90"] = batch_main(cases)
        self.program = built(files, folder)

    def findings(self, name: str) -> list[str]:
        """What the watch says of a program: races, and the program's end if it is none."""
        found = run_watched(self.program, (name,), self.folder, self.origins)
        return [*(m.text() for m in found.races), *([found.messages or str(found.status)] if found.status else [])]


def _seen(pair: Pair) -> Mapping[str, str]:
    return {n: t for n, t in pair.hybrid.items() if ".opaque." not in n}


def _module_of(pair: Pair) -> bool:
    return bool(pair.reference) and output_name(Path(f"{pair.name}.h90")) != ""


LANGUAGE = load_pairs(TESTS / "language" / "programs")
REAL_CODE = [p for p in load_pairs(TESTS / "realcode" / "programs") if expectation(p)[0] == "runs"]


# Half of the programs of each folder by default; the full run watches all.
SOON, LATE = ([p for p in (*LANGUAGE, *REAL_CODE) if in_cuda_c(p.name) == first] for first in (True, False))


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(SOON, tmp_path_factory.mktemp("soon"))


@pytest.fixture(scope="module")
def further_programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(LATE, tmp_path_factory.mktemp("late"))


@pytest.fixture(scope="module")
def random_programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    pairs = []
    for number in range(COUNT):
        program = make_program(Random(number), f"w{number}")
        pairs.append(Pair(f"w{number}", program.hybrid, program.plain, f"w{number}"))
    return Programs(pairs, tmp_path_factory.mktemp("random"))


@pytest.mark.parametrize("name", [p.name for p in SOON])
def test_program(programs: Programs, name: str) -> None:
    assert programs.findings(name) == []


@pytest.mark.full
@pytest.mark.parametrize("name", [p.name for p in LATE])
def test_further_program(further_programs: Programs, name: str) -> None:
    assert further_programs.findings(name) == []


@pytest.mark.full
@pytest.mark.parametrize("number", range(COUNT))
def test_random(random_programs: Programs, number: int) -> None:
    assert random_programs.findings(f"w{number}") == []
