"""Reads of halos that are stale on some ways: the program ends there with both places, and right programs go on."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.processes.programs import marked
from tests.processes.stages import Program, drawn
from tests.processes.test_halos import LAUNCH, NO_MPI, expected, printed, project


def asked(seed: int) -> Program:
    """The program of a seed, where the environment may leave out an exchange."""
    return replace(drawn(seed).with_exchanges(), asked=True)


def ended(folder: Path, off: int, ranks: int) -> subprocess.CompletedProcess[str]:
    """What has been built, without one exchange."""
    (built,) = (p for p in folder.glob("build/*/main") if p.is_file() and ("mpi" in p.parent.name) == bool(ranks))
    environment = os.environ | {"HF_OFF": str(off), "OMP_NUM_THREADS": "2"}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [*((*LAUNCH, str(ranks)) if ranks else ()), str(built)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


@NO_MPI
@pytest.mark.parametrize("options", marked({(): True, ("--target", "gpu", "--emulate"): False}))
@pytest.mark.parametrize("seed", marked({0: True} | dict.fromkeys(range(1, 12), False)))
def test_an_exchange_that_is_left_out_is_missed(seed: int, options: tuple[str, ...], tmp_path: Path) -> None:
    program = asked(seed)
    folder = project([(program, False)], tmp_path)
    assert printed(folder, *options) == expected([(program, False)])
    many = (2,) if seed else ()  # building for MPI takes a while
    assert all(printed(folder, *options, ranks=ranks) == expected([(program, False)]) for ranks in many)
    for off, exchange in enumerate(program.exchanges, 1):
        for ranks in (0, *many) if off == 1 else (0,):
            done = ended(folder, off, ranks)
            assert done.returncode != 0, f"without {exchange}\n{program.text()}"
            assert f"the halo of '{exchange.name}' is read at case_{program.name}.h90:" in done.stderr
            assert "it has not been exchanged since its points were set at case_" in done.stderr
