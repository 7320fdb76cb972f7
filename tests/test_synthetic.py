"""The synthetic code base of the benchmarks: the annotated program prints what the plain one prints."""

from pathlib import Path

import pytest

from benchmarks.synthetic import REACHED_SHARE, generate
from tests.support import Built, compile_files, output, translate_text

LINES = 5_000
FLAGS = ("-O0", "-ffp-contract=off", "-foffload=disable", "-cpp")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    built = compile_files(generate(LINES, plain=True).files, tmp_path_factory.mktemp("plain"), FLAGS)
    return output(built)


def annotated(folder: Path, backend: str) -> Built:
    result = translate_text(generate(LINES).files, backend=backend).require()
    return compile_files(result.files, folder, FLAGS, openmp=backend == "openmp")


@pytest.mark.parametrize(("backend", "threads"), [("sequential", 1), ("openmp", 2)])
def test_same_output(expected: str, tmp_path: Path, backend: str, threads: int) -> None:
    assert output(annotated(tmp_path, backend), threads=threads) == expected


def test_size_and_share() -> None:
    project = generate(20_000)
    assert abs(project.lines - 20_000) < 2_500
    assert abs(project.reached / project.lines - REACHED_SHARE) < 0.03
    assert generate(20_000).files == project.files
