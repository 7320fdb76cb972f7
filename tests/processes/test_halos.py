"""Exchanges: those that hfpy places are enough, those that are missing are errors, and the results are NumPy's."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from hfpy.diagnostics import Diagnostic
from hfpy.options import Options
from hfpy.pipeline import translate
from tests.command import hfpy_process
from tests.mpi.launch import started
from tests.processes.programs import WAYS, executable, marked
from tests.processes.stages import Program, drawn, main_program
from tests.support import translate_text

FEW, MANY = range(3), range(3, 60)
SOON = FEW[:2]
LAUNCH = ("mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n")
NO_MPI = pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="Open MPI is not installed (make mpi)")


def found(text: str, folder: Path) -> list[Diagnostic]:
    """What hfpy says of a module."""
    path = folder / "case.h90"
    path.write_text(text)
    return list(translate([path], Options()).diagnostics)


def project(programs: list[tuple[Program, bool]], folder: Path) -> Path:
    """A project of programs, each with exchanges of its own or those that hfpy places."""
    (folder / "source").mkdir()
    for program, automatic in programs:
        (folder / "source" / f"case_{program.name}.h90").write_text(program.text(automatic))
    (folder / "source" / "main.f90").write_text(main_program([p for p, _ in programs]))
    (folder / "hfpy.toml").write_text(
        '[project]\nname = "halos"\nsources = ["source"]\n[target.cpu]\nflags = ["-O0", "-fcheck=all", "-g"]\n'
    )
    return folder


def printed(folder: Path, *options: str, ranks: int = 0) -> list[str]:
    """What a project prints, sorted; on several processes where a number is given."""
    environment = {k: v for k, v in os.environ.items() if k not in ("FC", "FFLAGS")}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}
    many = []
    if ranks:
        environment["FC"] = "mpifort.openmpi"
        many = ["--mpi", "--launcher", " ".join([*LAUNCH, str(ranks)])]
    command = ["run", "-C", str(folder), *many, *options]
    done = hfpy_process(command, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(row for row in done.stdout.splitlines() if row.startswith(("case", "auto")))


def both(seeds: range) -> list[tuple[Program, bool]]:
    """The programs of some seeds with exchanges of their own, and with those that hfpy places."""
    stated = [(drawn(seed).with_exchanges(), False) for seed in seeds]
    return [*stated, *((drawn(seed, "auto"), True) for seed in seeds)]


def expected(programs: list[tuple[Program, bool]]) -> list[str]:
    return sorted(program.sums() for program, _ in programs)


@pytest.mark.parametrize("seed", marked({seed: seed in SOON for seed in (*FEW, *MANY)}))
def test_an_exchange_that_is_taken_away_is_missed(seed: int, tmp_path: Path) -> None:
    program = drawn(seed).with_exchanges()
    assert [d for d in found(program.text(), tmp_path) if d.code in ("HF655", "HF656", "HF657")] == []
    for exchange in program.exchanges:
        codes = {d.code for d in found(program.without(exchange).text(), tmp_path) if d.severity == "error"}
        assert codes == {"HF655"}, f"without {exchange}\n{program.without(exchange).text()}"


def test_an_exchange_too_many_is_noted(tmp_path: Path) -> None:
    program = drawn(1).with_exchanges()
    exchange = next(row for row in program.text().splitlines() if "haloExchange" in row)
    said = found(program.text().replace(exchange, f"{exchange}\n{exchange}", 1), tmp_path)
    assert [d.code for d in said if d.code == "HF656"] == ["HF656"]


@pytest.mark.full
def test_results_of_one_process(tmp_path: Path) -> None:
    programs = both(FEW)
    folder = project(programs, tmp_path)
    assert printed(folder) == expected(programs)


def built_for_threads(programs: list[tuple[Program, bool]]) -> Path:
    """Programs as one executable, with the runtime library that all tests share: a project compiles one of its own,
    which takes longer than the programs.
    """
    sources = {f"case_{program.name}.h90": program.text(automatic) for program, automatic in programs}
    sources["main.f90"] = main_program([program for program, _ in programs])
    return executable(WAYS["openmp"], "openmpi", translate_text(sources, backend="openmp").require().files)


def printed_by(program: Path, ranks: int) -> list[str]:
    """What an executable prints on several processes, sorted."""
    done = started("openmpi", ranks, program.parent, program=program, OMP_NUM_THREADS="1")
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(row for row in done.stdout.splitlines() if row.startswith(("case", "auto")))


@NO_MPI
def test_results_of_six_processes() -> None:
    programs = both(FEW)
    assert printed_by(built_for_threads(programs), 6) == expected(programs)


@NO_MPI
@pytest.mark.full
@pytest.mark.parametrize("options", [(), ("--target", "gpu", "--emulate")])
def test_results_of_many_processes(options: tuple[str, ...], tmp_path: Path) -> None:
    programs = both(FEW)
    folder = project(programs, tmp_path)
    for ranks in (6,) if not options else (4, 6):
        assert printed(folder, *options, ranks=ranks) == expected(programs)


@NO_MPI
@pytest.mark.full
@pytest.mark.parametrize("first", range(MANY.start, MANY.stop, 15))
def test_results_of_many_programs(first: int, tmp_path: Path) -> None:
    programs = both(MANY[first - MANY.start :][:15])
    folder = project(programs, tmp_path)
    for ranks in (1, 2, 4, 6):
        assert printed(folder, ranks=ranks) == expected(programs)
