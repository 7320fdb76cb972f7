"""Run what ``prepare`` built on a machine with a GPU, several programs at once, and compare what they print.

    python3 FOLDER/run.py [--jobs 8] [--under "compute-sanitizer --tool memcheck"] [NAME…]

Needs Python alone. Numbers may differ by ``--within`` of their size: functions as ``exp`` are others on GPUs. Names are
beginnings of executables' names; without any, all run. Status 1 if any program differs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+))(?:[eEdD]?([-+]\d+)|[eEdD](\d+))?|NaN|[-+]?Infinity")


def difference(got: str, wanted: str, within: float) -> str:
    """Where two outputs differ; nothing if they do not."""
    if got == wanted:
        return ""
    here, there = ([_value(found) for found in NUMBER.finditer(text)] for text in (got, wanted))
    if NUMBER.sub("#", got).split() != NUMBER.sub("#", wanted).split():
        return f"got {got[-300:]!r}, expected {wanted[-300:]!r}"
    for a, b in zip(here, there, strict=True):
        if not (a == b or abs(a - b) <= within * max(abs(a), abs(b)) or (math.isnan(a) and math.isnan(b))):
            return f"got {a}, expected {b}"
    return ""


def _value(found: re.Match[str]) -> float:
    """A number as Fortran writes it, where an exponent of three digits has no letter."""
    digits, signed, plain = found.groups()
    return float(found[0] if digits is None else f"{digits}e{signed or plain or 0}")


def ran(name: str, program: str, wanted: str, given: argparse.Namespace) -> str:
    """What is wrong with a program; nothing if it prints what it must."""
    libraries = os.pathsep.join(filter(None, [str(FOLDER / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]))
    more = {"LD_LIBRARY_PATH": libraries, "ACC_DEVICE_TYPE": "nvidia", "OMP_TARGET_OFFLOAD": "MANDATORY"}
    command = [*shlex.split(given.under), str(FOLDER / name), program]
    try:
        done = subprocess.run(
            command, env={**os.environ, **more}, capture_output=True, text=True, timeout=given.timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return "does not end"
    if done.returncode:
        return f"status {done.returncode}: {(done.stderr + done.stdout)[-given.shown :]}"
    got = re.sub(r"^=========.*\n", "", done.stdout, flags=re.M)  # of the sanitizer
    return difference(got, wanted, given.within)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Run programs of the tests on a GPU.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--under", default="", help="a command to run the programs with")
    parser.add_argument("--within", type=float, default=1e-11)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--shown", type=int, default=600, help="how much of a failing program's output is shown")
    given = parser.parse_args()
    (FOLDER / "lib").mkdir(exist_ok=True)
    wanted = json.loads((FOLDER / "wanted.json").read_text(encoding="utf-8"))
    chosen = [name for name in wanted if not given.names or name.startswith(tuple(given.names))]
    bad = 0
    with ThreadPoolExecutor(given.jobs) as pool:
        runs = {(n, p): pool.submit(ran, n, p, text, given) for n in chosen for p, text in wanted[n].items()}
        for (name, program), run in runs.items():
            if found := run.result():
                bad += 1
                print(f"{name} {program}: {found}", flush=True)
    print(f"{len(runs)} programs on the GPU, {bad} of them differ", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
