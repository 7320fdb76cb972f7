"""samples/weather goes on from its checkpoints: killed at any moment, and on another number of processes, it writes
what the run writes that nobody killed.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest

from tests.command import hfpy_process
from tests.mpi.launch import BUILDS, environment
from tests.processes.test_samples import copied
from tests.support import LEVEL

STEPS, FRAMES, KEEP = 24, 5, 1
ARGUMENTS = ("18", "14", "9", str(STEPS), str(FRAMES))
WHOLE = 8 * 4 + 8 * (18 * 14 * (4 * 9 + 10 + 9 + 3) + 2 * 19 * 15 * 9)  # bytes of a checkpoint
TIMEOUT = 300


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model for many processes, on Open MPI, which is compiled once."""
    return program("openmpi", tmp_path_factory.mktemp("checkpoints"))


def program(mpi: str, folder: Path, *options: str) -> Path:
    """The model for many processes on an MPI."""
    build = BUILDS[mpi]
    if build.missing:
        pytest.skip(f"{build.missing} is not installed (make mpi)")
    project = copied("weather", folder)
    flags = {"FC": build.compiler, "FFLAGS": f"{LEVEL} -ffp-contract=off -fno-tree-vectorize"}
    command = ["build", str(project), "--mpi", *options]
    done = hfpy_process(command, env=os.environ | flags)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = (p for p in project.glob("build/*mpi*/weather") if p.is_file())
    return found


def command(mpi: str, ranks: int, model: Path, output: Path, keep: int = KEEP) -> list[str]:
    """What starts the model on some processes (0: by itself)."""
    launcher = [*BUILDS[mpi].launcher, "-n", str(ranks)] if ranks else []
    return [*launcher, str(model), str(output), *ARGUMENTS, str(keep)]


def finished(asked: list[str]) -> None:
    """Run to the end."""
    done = subprocess.run(asked, env=surroundings(), capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def surroundings() -> dict[str, str]:
    """The environment of the model."""
    return environment(OMP_STACKSIZE="64M", OMP_WAIT_POLICY="passive")


def children(parent: int) -> list[int]:
    """The processes that stem from one, the deepest last."""
    pairs = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            pairs.append((int(path.parent.name), int(fields[1])))
    found = [parent]
    for one in found:
        found += [pid for pid, above in pairs if above == one]
    return found[1:]


def step_of(restart: Path) -> int:
    """The step of the newest checkpoint; 0 if there is none."""
    with contextlib.suppress(OSError, struct.error):
        return int(struct.unpack("8i", restart.read_bytes()[:32])[6])
    return 0


def killed(asked: list[str], restart: Path, step: int, delay: float, everything: bool) -> bool:
    """Run until there is a checkpoint of a step, and kill some time later: all processes, or one of the model. Whether
    the run was still under way then.
    """
    with subprocess.Popen(asked, env=surroundings(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        until = time.monotonic() + TIMEOUT
        while running.poll() is None and step_of(restart) < step:
            assert time.monotonic() < until, "no checkpoint comes"
        time.sleep(delay)
        if running.poll() is not None:
            return False
        started = [*children(running.pid)] or [running.pid]
        victims = [running.pid, *started] if everything else started[-1:]
        for pid in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        running.wait(TIMEOUT)
        return True


def goes_on(mpi: str, model: Path, folder: Path, seed: int, ranks: tuple[int, ...]) -> int:
    """Kill the model again and again, each time on another number of processes: how many times that was. Its output
    has to be that of an undisturbed run.
    """
    drawn = random.Random(seed)
    wanted, output = folder / "wanted.dat", folder / "output.dat"
    restart = folder / "output.dat.restart"
    finished(command(mpi, 1, model, wanted, keep=0))
    times = step = 0
    while step < STEPS - 1:
        step = drawn.randint(step + 1, min(step + STEPS // 4, STEPS - 1))
        asked = command(mpi, drawn.choice(ranks), model, output)
        times += killed(asked, restart, step, drawn.choice((0.0, drawn.uniform(0, 0.02))), drawn.random() < 0.5)
        if not restart.exists():
            break  # it was done before
        assert restart.stat().st_size == WHOLE
        step = max(step, step_of(restart))
        (folder / "output.dat.restart.new").write_bytes(restart.read_bytes()[: drawn.randint(0, WHOLE)])
    finished(command(mpi, drawn.choice(ranks), model, output))
    assert output.read_bytes() == wanted.read_bytes(), f"seed {seed}"
    assert not restart.exists()
    return times


@pytest.mark.full
def test_killed_and_started_again(built: Path, tmp_path: Path) -> None:
    assert goes_on("openmpi", built, tmp_path, 1, (1, 2, 3, 4)) > 1


@pytest.mark.full
@pytest.mark.parametrize("seed", range(2, 12))
def test_killed_more_often(seed: int, built: Path, tmp_path: Path) -> None:
    assert goes_on("openmpi", built, tmp_path, seed, (1, 2, 4, 6)) > 1


@pytest.mark.full
@pytest.mark.parametrize("mpi", ["mpich"])
def test_killed_on_another_mpi(mpi: str, tmp_path: Path) -> None:
    assert goes_on(mpi, program(mpi, tmp_path), tmp_path, 1, (1, 2)) > 1


@pytest.mark.full
@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "openacc", "openmp-target"])
def test_killed_with_kernels(backend: str, tmp_path: Path) -> None:
    model = program("openmpi", tmp_path, "--target", "gpu", "--backend", backend, "--emulate")
    assert goes_on("openmpi", model, tmp_path, 1, (1, 2, 4)) > 1


@pytest.mark.full
def test_every_step(built: Path, tmp_path: Path) -> None:
    """Between any two steps."""
    wanted = tmp_path / "wanted.dat"
    finished(command("openmpi", 2, built, wanted, keep=0))
    for step in range(1, STEPS):
        output = tmp_path / f"output{step}.dat"
        killed(command("openmpi", 2, built, output), Path(f"{output}.restart"), step, 0.0, everything=True)
        finished(command("openmpi", 1 + step % 4, built, output))
        assert output.read_bytes() == wanted.read_bytes(), f"step {step}"


def test_a_checkpoint_of_another_run(built: Path, tmp_path: Path) -> None:
    output = tmp_path / "output.dat"
    killed(command("openmpi", 2, built, output), Path(f"{output}.restart"), 3, 0.0, everything=True)
    other = command("openmpi", 1, built, output)
    other[other.index(ARGUMENTS[3])] = str(STEPS + 1)
    done = subprocess.run(other, env=surroundings(), capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode != 0
    assert "is one of another run; remove it" in done.stdout
