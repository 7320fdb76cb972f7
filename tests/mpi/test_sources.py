"""The sources of the library: what compilers say of them, and how long they are."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.mpi.launch import EXACT, LIBRARY, SOURCES, results
from tests.mpi.test_fields import Reader


def test_all_sources_are_compiled() -> None:
    """What is not named there would be missing in programs."""
    homes = (LIBRARY, EXACT.parent)
    assert sorted(SOURCES) == sorted(p for home in homes for p in home.glob("*.[fF]90"))


def test_the_order_of_compilation_is_told() -> None:
    page = (LIBRARY / "hfpy_halo.F90").read_text()
    reported = re.search(r"order of compilation: (.*?)\.\n", page, re.DOTALL)
    assert reported
    names = re.findall(r"\w+", reported[1].replace("hfpy_halo_job", "_job"))
    assert [name.removeprefix("_") for name in names[:-1]] == [
        source.stem.removeprefix("hfpy_halo_") for source in SOURCES[1:-1]
    ]


def test_sources_are_short() -> None:
    for path in (EXACT, *LIBRARY.iterdir()):
        lines = path.read_text().splitlines()
        assert len(lines) < 500, path.name
        assert max(map(len, lines)) <= 132, path.name


def test_a_build_without_mpi() -> None:
    """It does not mention MPI."""
    for source in SOURCES:
        command = ["gfortran", "-cpp", "-E", "-P", str(source)]
        text = subprocess.run(command, cwd=LIBRARY, capture_output=True, text=True, check=True).stdout
        assert not re.search(r"^\s*(use|call) mpi", text, re.IGNORECASE | re.MULTILINE), source


@pytest.mark.skipif(shutil.which("flang-22") is None, reason="flang-22 is not installed (make flang)")
def test_another_compiler_takes_them(tmp_path: Path) -> None:
    for source in SOURCES:
        command = ["flang-22", "-fsyntax-only", "-Wno-interoperability", "-Werror", str(source)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def grid_cases() -> list[tuple[dict[str, object], list[int] | None]]:
    """Points, halos, and processes, with the grid that is best, or None where there is no grid."""
    wide = {"nd": 2, "low": (3, 3), "high": (3, 3), "periodic": (False, False)}
    ring = {"nd": 1, "low": 2, "high": 2}
    return [
        ({**wide, "global": (1581, 1301), "ranks_of_grid": 24}, [6, 4]),  # as square as it can be
        ({**wide, "global": (1301, 1581), "ranks_of_grid": 24}, [4, 6]),
        ({**wide, "global": (1000, 1000), "ranks_of_grid": 2}, [1, 2]),  # strips along the first are packed with jumps
        ({**wide, "global": (1000, 10), "ranks_of_grid": 4}, [4, 1]),
        ({**wide, "global": (1000, 1000), "ranks_of_grid": 4, "grid": (4, 0)}, [4, 1]),
        ({**wide, "global": (1000, 1000), "ranks_of_grid": 6, "grid": (4, 0)}, None),
        ({**wide, "global": (1000, 1000), "ranks_of_grid": 6, "grid": (2, 2)}, None),
        ({**wide, "global": (6, 6), "ranks_of_grid": 4}, [2, 2]),
        ({**wide, "global": (6, 5), "ranks_of_grid": 4}, None),
        (
            {**wide, "global": (2, 7), "ranks_of_grid": 2},
            [1, 2],
        ),  # fewer points than the halo, but not divided
        ({**wide, "global": (2, 5), "ranks_of_grid": 1}, [1, 1]),
        ({**wide, "global": (2, 5), "ranks_of_grid": 1, "periodic": (True, False)}, None),
        ({**ring, "global": 7, "ranks_of_grid": 3}, [3]),
        ({**ring, "global": 5, "ranks_of_grid": 3}, None),
        ({"nd": 3, "global": (64, 64, 64), "low": (1, 1, 1), "high": (1, 1, 1), "ranks_of_grid": 8}, [2, 2, 2]),
        ({"nd": 1, "global": 3, "ranks_of_grid": 4}, None),
    ]


def test_the_grid_of_processes(tmp_path: Path) -> None:
    cases = grid_cases()
    inquiry = {"kind": "inquire", "nd": 1, "global": 5}  # the engine opens its file at the first decomposition
    written, _ = results("serial", 1, tmp_path, [inquiry, *({"kind": "grid", **case} for case, _ in cases)])
    reader = Reader(written[0])
    reader.take("int32", (2 + 4 + 2 + 3,))
    for case, expected in cases:
        found = reader.take("int32", (1 + int(str(case["nd"])),))
        assert (list(found[1:]) if found[0] else None) == expected, case


@pytest.mark.parametrize(
    ("name", "ranks", "grid"),
    [
        ("serial", 1, (1, 1)),
        ("openmpi", 4, (2, 2)),
        pytest.param("mpich", 2, (1, 2), marks=pytest.mark.full),
        pytest.param("openmpi", 6, (3, 2), marks=pytest.mark.full),
    ],
)
def test_inquiries(name: str, ranks: int, grid: tuple[int, int], tmp_path: Path) -> None:
    cases = list(product([False, True], repeat=2))
    points, stagger = (13, 11), (1, 1)
    asked = [
        {"kind": "inquire", "nd": 2, "global": points, "low": (1, 1), "high": (1, 1), "stagger": stagger}
        | {"periodic": periodic, "grid": grid}
        for periodic in cases
    ]
    written, _ = results(name, ranks, tmp_path, asked)
    for rank, reader in enumerate(map(Reader, written)):
        place = (rank % grid[0], rank // grid[0])
        for periodic in cases:
            own, before, whole, edges = [], [], [], []
            for n, parts, at, around in zip(points, grid, place, periodic, strict=True):
                pieces = [len(a) for a in np.array_split(np.arange(n), parts)]
                whole.append(n + (not around))
                own.append(pieces[at] + (not around and at == parts - 1))
                before.append(sum(pieces[:at]))
                edges += [int(not around and at == 0), int(not around and at == parts - 1)]
            expected = [rank, ranks, *own, *before, *place, *whole, *edges]
            for b, a in product((-1, 0, 1), repeat=2):
                there = [place[0] + a, place[1] + b]
                inside = all(around or 0 <= at < parts for at, parts, around in zip(there, grid, periodic, strict=True))
                expected.append(there[0] % grid[0] + grid[0] * (there[1] % grid[1]) if inside else -1)
            assert list(reader.take("int32", (len(expected),))) == expected, (rank, periodic)
