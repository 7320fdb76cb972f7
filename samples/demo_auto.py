#!/usr/bin/env python3
"""The demonstration after ``make demo-auto``: plain Fortran, annotated by hfpy, built, run, compared and drawn.

A copy of samples/ocean gets its directives by ``hfpy annotate --write``. The program as it is and the annotated one
have the same compiler and flags, so that their output has to be equal bit for bit.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

from compare import compare
from demo import EXACT, FLAGS, OUTPUT, SAMPLE, call, reported, run, shown

OCEAN = SAMPLE.parent / "ocean"
FOLDER = OUTPUT.parent.parent / "ocean" / "output"


def main() -> None:
    """The whole demonstration."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    copy = FOLDER / "annotated"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(OCEAN, copy, ignore=shutil.ignore_patterns("build", "output", "reference"))
    settings = copy / "hfpy.toml"
    settings.write_text("\n".join(r for r in settings.read_text().splitlines() if not r.startswith("auto")) + "\n")
    environment = {**os.environ, "GFORTRAN_UNBUFFERED_ALL": "1"}
    environment["FFLAGS"] = f"{environment.get('FFLAGS', '')} {EXACT}".strip()
    reported("looking for parallel loops in samples/ocean, which has no directive")
    hfpy = [sys.executable, "-m", "hfpy"]
    said = subprocess.run([*hfpy, "annotate", "--write", copy], env=environment, capture_output=True, text=True)
    if said.returncode:
        sys.exit(f"demo: hfpy annotate failed\n{said.stderr}")
    for row in said.stdout.splitlines()[-2:]:
        reported(row)
    reported("building the annotated program for OpenMP, and the plain one as it is")
    call([*hfpy, "build", copy], environment)
    plain = FOLDER / "ocean_plain"
    compiler = shlex.split(environment.get("FC", "gfortran"))
    call([*compiler, *FLAGS, *shlex.split(EXACT), OCEAN / "source" / "ocean.f90", "-o", plain], environment)
    data, wanted = FOLDER / "ocean.dat", FOLDER / "ocean_plain.dat"
    seconds, _ = run(copy / "build" / "cpu-openmp" / "ocean", data, "annotated, through hfpy", environment)
    serial, _ = run(plain, wanted, "plain                  ", environment)
    differences = compare("ocean", data, wanted)
    if differences:
        sys.exit("demo: the results differ:\n  " + "\n  ".join(differences))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    reported(f"the results are equal bit for bit; {serial:.1f} s as it is, {seconds:.1f} s on {cores} cores")
    picture = FOLDER / "ocean.png"
    call([sys.executable, OCEAN / "plot.py", data, picture], environment)
    reported(f"the picture is in {shown(picture)}")


if __name__ == "__main__":
    main()
