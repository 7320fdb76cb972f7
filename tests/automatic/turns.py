"""Programs for OpenMP whose threads run in turns, in a chosen order, with ThreadSanitizer if it is there (``turns.c``).

Wrong numbers and races of such a program are the same in each run. With as many threads as points, each point has
values of its own, and the points run from the last one to the first.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support import write_files

SOURCE = Path(__file__).parent / "turns.c"
FLAGS = ("-O0", "-g", "-fcheck=bounds,pointer,mem", "-w", "-ffp-contract=off", "-foffload=disable")
FORM = ("-cpp", "-ffree-line-length-none", "-fopenmp")
WATCH = "-fsanitize=thread"
ORDERS = ("0", "5")  # from the last thread to the first, and in some order
MAIN = "program main\n  use {module}\n  call run()\nend program main\n"


@dataclass(frozen=True)
class Ran:
    """What a program printed, whether it ended well, and the functions in which threads meet in memory."""

    text: str
    good: bool
    raced: tuple[str, ...] = ()


@lru_cache
def watching() -> tuple[str, ...]:
    """The flag for ThreadSanitizer, if programs can be built with it and run."""
    done = subprocess.run(
        ["sh", "-c", f'printf "end\\n" > "$0/a.f90" && cd "$0" && gfortran {WATCH} a.f90 && ./a.out', str(_folder())],
        capture_output=True,
        check=False,
    )
    return (WATCH,) if done.returncode == 0 else ()


@lru_cache
def _kept() -> TemporaryDirectory[str]:
    """A folder that goes when the tests end."""
    return TemporaryDirectory(prefix="hfpy-turns-")


def _folder() -> Path:
    return Path(_kept().name)


@lru_cache
def _object() -> Path:
    made = _folder() / "turns.o"
    command = ["gcc", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-c", str(SOURCE), "-o", str(made)]
    subprocess.run(command, check=True)
    return made


def build(files: Mapping[str, str], module: str, folder: Path, in_turns: bool) -> str:
    """Build a program that calls ``run`` of a module, as ``folder/program``; what the compiler says if it cannot."""
    main = {"a_main.f90": MAIN.replace("{module}", module)}
    write_files({**files, **main}, folder)
    more = (*watching(), str(_object())) if in_turns else ()
    command = ["gfortran", *FLAGS, *FORM, *files, *main, *more, "-o", "program"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def run(folder: Path, order: str = "0") -> Ran:
    """Run what :func:`build` has built, with a thread for each of up to 30 points."""
    more = {"OMP_NUM_THREADS": "30", "TURNS_ORDER": order, "TSAN_OPTIONS": "exitcode=0"}
    command = [str(folder / "program")]
    try:
        done = subprocess.run(
            command, env={**os.environ, **more}, capture_output=True, timeout=120, cwd=folder, check=False
        )
    except subprocess.TimeoutExpired:
        return Ran("", False)
    said = done.stderr.decode(errors="replace")
    good = done.returncode == 0 and "DEADLYSIGNAL" not in said
    raced = sorted(set(re.findall(r"#\d+ (\S*_omp_fn\S*)", said))) if "data race" in said else ()
    return Ran(done.stdout.decode(errors="replace"), good, tuple(raced))


def fault(plain: Mapping[str, str], made: Mapping[str, str], module: str, folder: Path, same: bool = False) -> str:
    """What is wrong with a program that hfpy made; empty if it does what the plain one does. In programs whose points
    write the ``same`` values, they meet.
    """
    if build(plain, module, folder / "plain", False):
        return ""  # no program
    expected = run(folder / "plain")
    if not expected.good:
        return ""
    if said := build(made, module, folder / "turns", True):
        return "" if "internal compiler error" in said else said[-700:]
    for order in ORDERS:
        got = run(folder / "turns", order)
        if not got.good or got.text != expected.text:
            rows = zip(got.text.splitlines(), expected.text.splitlines(), strict=False)
            return f"order {order}: {next((p for p in rows if p[0] != p[1]), 'it ends badly')}"
        if got.raced and not same:
            return f"points meet: {got.raced[:3]}"
    return ""
