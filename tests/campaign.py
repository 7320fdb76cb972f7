"""Many random programs or mutants in one go: ``python -m tests.campaign programs FIRST COUNT``, or ``mutants``.

What goes wrong is printed as it is found, and the run goes on; the last line sums up. The programs are compiled without
optimisation, as compiling takes most of the time; the tests compile others with it.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.attacks.judge import judged
from tests.attacks.mutants import mutant, programs, warm_up
from tests.random.test_programs import failures
from tests.support import Compiler

PLAIN = Compiler("gfortran", ("-O0", "-w", "-ffp-contract=off", "-foffload=disable", "-cpp"), ())
BATCH = 120


def random_programs(first: int, count: int, reported: Counter[str]) -> Iterator[str]:
    """What goes wrong with random programs, each in four ways."""
    for at in range(first, first + count, BATCH):
        size = min(BATCH, first + count - at)
        with tempfile.TemporaryDirectory(prefix="hfpy-campaign-") as folder:
            try:
                yield from failures(at, size, Path(folder), reported, PLAIN)
            except Exception as fault:  # of one batch; the others still run
                yield f"{at} to {at + size - 1}: {type(fault).__name__}: {str(fault)[-3000:]}"
        reported["programs"] += size
        print(at + size, dict(reported), flush=True)


def mutants(first: int, count: int, reported: Counter[str]) -> Iterator[str]:
    """What goes wrong with mutants."""
    chosen = programs()
    warm_up()
    for number in range(first, first + count):
        made = mutant(number, chosen)
        verdict = judged(made.files, storage=made.storage, **made.options)
        reported["mutants"] += 1
        reported["refused" if verdict.errors else "translated"] += 1
        if not verdict.good:
            yield f"{number}: {made.name}, {dict(made.options)}: {verdict.fault or verdict.messages}"
        if (number + 1 - first) % 1000 == 0:
            print(number + 1, dict(reported), flush=True)


def main() -> int:
    """Run what the command line asks for; 1 if anything went wrong."""
    what, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    reported: Counter[str] = Counter()
    found = 0
    for fault in {"programs": random_programs, "mutants": mutants}[what](first, count, reported):
        found += 1
        print("FAULT", fault, flush=True)
    print(f"{count} {what} from {first}: {found} faults, {dict(reported)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
