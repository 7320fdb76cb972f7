"""Random regions as Fortran, judged by running them point by point: what is accepted without a warning has no conflict
in any run, and where hfpy says that two points meet, these two do in some run.

``HFPY_REGIONS=5000`` draws more of them, ``HFPY_REGIONS_FROM=N`` others.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from hfpy.diagnostics import Diagnostic
from tests.dependence.regions import (
    HIGH,
    LOW,
    SHARED,
    TEMPORARIES,
    Conflict,
    InvalidError,
    Maker,
    Program,
    Run,
    conflicts,
    fortran,
)
from tests.support import translate_text

REGIONS = int(os.environ.get("HFPY_REGIONS", "300"))
FIRST = int(os.environ.get("HFPY_REGIONS_FROM", "0"))
PARTS = 6
SOON = (0, 4)  # of the parts, for every run of the tests
SIZES = [(n, m, kk) for n, m in ((2, 1), (1, 3), (3, 2), (5, 3), (8, 2)) for kk in (-1, 0, 1, 2)]
BY_DATA = (10**9,)  # an element that an index array names
_MET = re.compile(r"points? (?P<one>.*?) (?:and (?P<other>.*?) both write|writes) (?P<element>[^ :]*?(?:\(.*?\))?)"
                  r"(?:, which point (?P<reader>.*?) reads)?(?::.*)?$")  # fmt: skip


def runs(
    program: Program, rnd: random.Random, most: int = 3, sizes: list = SIZES, lenient: bool = False
) -> Iterator[Run]:
    """The program with sizes and data, as far as it may run so."""
    for n, m, kk in sizes:
        for _ in range(most):
            low, high = rnd.choice([(0, 2), (0, 3), (0, 6), (-9, 2 * n + 1)])
            try:
                yield Run(
                    program, {"n": n, "m2": m, "kk": kk}, lambda low=low, high=high: rnd.randrange(low, high), lenient
                )
            except InvalidError:
                continue


def own(program: Program) -> frozenset[str]:
    """Variables that may be each point's own: locals, and scalars of the module that no called routine knows."""
    known = re.findall(r"\b[gh]\b", str([(r.dummies, r.body) for r in program.called()]))
    return frozenset({*TEMPORARIES, *SHARED[:2]} - set(known))


def witness(found: Diagnostic) -> Conflict | None:
    """The meeting that a message tells of; None if it tells of none."""
    reported = _MET.match(found.message)
    if found.code != "HF504" or reported is None:
        return None
    points = []
    for text in (reported["one"], reported["other"] or reported["reader"]):
        values = dict(part.split(" = ") for part in text.split(", "))
        points.append(tuple(int(values[name]) for name in sorted(values)))
    name, _, rest = reported["element"].replace("%v(", "%v (", 1).replace(" (", "(").partition("(")
    indices = [x for x in rest.removesuffix(")").split(",") if x]
    numbers = all(re.fullmatch(r"-?\d+", x) for x in indices)
    element = tuple(map(int, indices)) if numbers else BY_DATA
    return Conflict(name, element, (points[0], points[1]), "writes" if reported["other"] else "reads")


def happens(program: Program, reported: Conflict, sure: bool, rnd: random.Random) -> bool:
    """Whether two points meet so in some run; where data decide (``sure`` is false), whether any points meet there. So,
    too, if the program cannot run with these points.
    """
    possible = False
    largest = max(max(p) for p in reported.points)
    pairs = (
        (largest, largest),
        (largest + 3, 4),
        (largest + 3, largest),
        (largest - 2, largest),
        *((n, largest) for n in range(1, largest + 5)),
        *((largest, m) for m in (1, 2)),
    )
    sizes = [(n, m, kk) for n, m in pairs for kk in (-1, 0, 1, 2)] + SIZES
    for run in runs(program, rnd, 12 if sure else 40, [s for s in sizes if s[0] > 0 and max(s) < 40], lenient=True):
        possible = possible or run.sizes["n"] >= largest
        for found in conflicts(run, frozenset(), values_count=False):
            if found.name == reported.name and (not sure or same(found, reported)):
                return True
    return not possible


def same(found: Conflict, reported: Conflict) -> bool:
    if set(found.points) != set(reported.points):
        return False
    beyond = bool(reported.element) and not LOW <= reported.element[0] <= HIGH  # an index that data may give
    return beyond or reported.element == found.element


def judge(number: int) -> tuple[str, str]:
    """What became of a region: a word for the count, and what is wrong."""
    rnd = random.Random(number)
    program = Maker(rnd).program()
    source = fortran(program)
    done = translate_text(source, backend="openmp")
    said = [d for d in done.diagnostics if d.severity != "note"]
    shown = source + "\n".join(f"{d.severity} {d.code} {d.message}" for d in done.diagnostics)
    said = [d for d in said if d.code != "HF510"]  # the calls are drawn, and give one variable to two arguments as well
    other = [d for d in said if not d.code.startswith("HF50")]
    if other:
        return "other", f"region {number}: unexpected\n{shown}"
    if not said:
        count = 0
        for run in runs(program, rnd):
            count += 1
            found = next(conflicts(run, own(program)), None)
            if found is not None:
                return "wrong", f"region {number}: accepted, but {found} with {run.sizes}\n{shown}"
        return ("accepted" if count else "never runs"), ""
    for d in said:
        reported = witness(d)
        if reported is not None and d.severity == "error":
            sure = "condition on data" not in d.message
            if not happens(program, reported, sure, rnd):
                return "wrong", f"region {number}: {reported} does not happen\n{shown}"
            return "refuted", ""
    return "open", ""


@pytest.mark.parametrize("part", [pytest.param(p, marks=[pytest.mark.full] * (p not in SOON)) for p in range(PARTS)])
def test_regions_against_runs(part: int) -> None:
    counts: Counter[str] = Counter()
    wrong = []
    for number in range(FIRST + part, FIRST + REGIONS, PARTS):
        word, text = judge(number)
        counts[word] += 1
        wrong += [text] if text else []
    print(dict(counts))
    assert not wrong, f"{len(wrong)} of {sum(counts.values())}\n" + "\n\n".join(wrong[:4])
    assert counts["accepted"] > REGIONS / PARTS / 12 and counts["refuted"] > REGIONS / PARTS / 8, counts
