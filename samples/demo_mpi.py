#!/usr/bin/env python3
"""The demonstration after ``make demo-mpi``: samples/weather as one process and as several, compared and drawn.

Both programs come from one source, with the same compiler and flags, so that their output has to be equal bit for bit.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from demo import EXACT, OUTPUT, SAMPLE, call, reported, shown

PROCESSES = int(os.environ.get("PROCESSES", "2"))
ARGUMENTS = ("56", "44", "48", "240", "3")
GRID = re.compile(r"points on (\d+) x (\d+) processes")


def launcher() -> list[str]:
    """The command that starts several processes, by Open MPI if it is there."""
    for name in ("mpirun.openmpi", "mpirun", "mpiexec"):
        if shutil.which(name):
            said = subprocess.run([name, "--version"], capture_output=True, text=True, check=False).stdout
            # More processes than cores are no mistake here.
            more = ["--oversubscribe", "--bind-to", "none"] if "Open MPI" in said or "Open RTE" in said else []
            return [name, *more, "-n", str(PROCESSES)]
    sys.exit("demo-mpi: no MPI here (make mpi installs Open MPI and MPICH where apt-get can)")


def modules(environment: dict[str, str]) -> str:
    """Where the compiler has its own modules, which ``-nostdinc`` hides."""
    asked = [*shlex.split(environment.get("FC", "gfortran")), "-print-file-name=finclude"]
    folder = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    return f"-fintrinsic-modules-path {folder}"


def built(environment: dict[str, str], *options: str) -> Path:
    """The model, as one process or (``--mpi``) as many."""
    call([sys.executable, "-m", "hfpy", "build", SAMPLE, *options], environment)
    return SAMPLE / "build" / f"cpu-openmp{'-mpi' if options else ''}" / "weather"


def run(command: list[str | Path], environment: dict[str, str]) -> tuple[float, str]:
    """Run a program: the seconds it took, and what it said on standard error."""
    begin = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"demo-mpi: {shown(Path(command[-1]))} failed\n{done.stdout}{done.stderr}")
    return time.perf_counter() - begin, done.stderr


def main() -> None:
    """The whole demonstration."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    environment = {"OMP_STACKSIZE": "64M", "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "1", **os.environ}
    environment |= {"FFLAGS": f"{environment.get('FFLAGS', '')} {EXACT} {modules(environment)}", "HFPY_MPI_SHOW": "1"}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    start = launcher()
    if start[0].endswith(".openmpi") and "FC" not in environment:
        environment["FC"] = "mpifort.openmpi"
    reported(f"building {shown(SAMPLE)} as one process and for many")
    one, many = built(environment), built(environment, "--mpi")
    reported(f"running it as one process and as {PROCESSES}")
    wanted, data = OUTPUT / "weather_one.dat", OUTPUT / "weather_many.dat"
    alone, _ = run([one, wanted, *ARGUMENTS], environment)
    together, said = run([*start, many, data, *ARGUMENTS], environment)
    if data.read_bytes() != wanted.read_bytes():
        sys.exit("demo-mpi: the results of one process and of several differ")
    reported(f"the results are equal bit for bit; {alone:.1f} s as one process, {together:.1f} s as {PROCESSES}")
    grid = GRID.search(said)
    picture = OUTPUT / "weather_mpi.png"
    along = ["--processes", f"{grid[1]}x{grid[2]}"] if grid else []
    call([sys.executable, SAMPLE / "plot.py", data, picture, *along], environment)
    reported(f"the picture is in {shown(picture)}")


if __name__ == "__main__":
    main()
