"""Plain programs whose loops become regions by hand, legal or not: what hfpy says nothing of has to be right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

from hfpy.diagnostics import Diagnostic
from tests.automatic.turns import fault
from tests.support import Pair, Translated, translate_text

_LOOP = re.compile(r"\s*(?:\w+\s*:\s*)?do\b(?!\s*\d)", re.IGNORECASE)
_LABELLED = re.compile(r"\s*(?:\w+\s*:\s*)?do\s+(\d+)", re.IGNORECASE)
_COUNTED = re.compile(r"\s*(?:\w+\s*:\s*)?do\b\s*(?:\d+\s*)?(?:concurrent\b|\w+\s*=)", re.IGNORECASE)
_END = re.compile(r"\s*end\s*do\b", re.IGNORECASE)

Loop = tuple[int, int]


def loops_of(rows: Sequence[str]) -> list[Loop]:
    """The first and the last row of each loop with a counter."""
    found: list[Loop] = []
    begun: list[int] = []
    for number, row in enumerate(rows):
        if label := _LABELLED.match(row):
            last = re.compile(rf"\s*{label[1]}\b")
            found += [(number, n) for n in range(number + 1, len(rows)) if last.match(rows[n])][:1]
        elif _LOOP.match(row):
            begun.append(number)
        elif _END.match(row):
            first = begun.pop()
            found += [(first, number)] if _COUNTED.match(rows[first]) else []
    return sorted(found)


def chosen(rows: Sequence[str], rng: Random) -> list[Loop]:
    """Some of the loops, none within another."""
    found: list[Loop] = []
    for first, last in loops_of(rows):
        if all(last < a or first > b for a, b in found) and rng.random() < 0.75:
            found.append((first, last))
    return found


def with_regions(rows: Sequence[str], loops: Sequence[Loop]) -> tuple[str, dict[Loop, range]]:
    """The program with directives before the loops, and the lines in which these are then."""
    made: list[str] = []
    lines: dict[Loop, range] = {}
    begin = {first: (first, last) for first, last in loops}
    for number, row in enumerate(rows):
        if number in begin:
            made.append("!@parallelRegion")
            lines[begin[number]] = range(len(made), len(made) + begin[number][1] - number + 2)
        made.append(row)
    return "\n".join(made) + "\n", lines


def _of(found: Diagnostic, lines: dict[Loop, range]) -> set[Loop]:
    """The loops that a diagnostic is about."""
    for places in ([found.place], [r.place for r in found.related]):
        loops = {loop for loop, inside in lines.items() for place in places if place.line in inside}
        if loops:
            return loops
    return set()


def silent(name: str, rows: Sequence[str], loops: Sequence[Loop]) -> tuple[list[Loop], Translated | None]:
    """The loops as regions of which hfpy says nothing, and the program with these."""
    left = list(loops)
    while left:
        text, lines = with_regions(rows, left)
        made = translate_text({f"{name}.f90": text}, backend="openmp")
        said = [d for d in made.diagnostics if d.severity != "note"]
        assert not any(d.code == "HF900" for d in said), name
        if not said:
            return left, made
        gone = set[Loop]().union(*(_of(d, lines) for d in said))
        if not gone:  # it is said of what they call
            gone = {loop for loop in left if silent(name, rows, [loop])[1] is None} if len(left) > 1 else {left[0]}
        gone = gone or {left[-1]}
        left = [loop for loop in left if loop not in gone]
    return [], None


def judged(pair: Pair, seed: str, folder: Path) -> tuple[str, int]:
    """What is wrong with regions by hand in a program, and how many there are of which nothing was said."""
    ((_, text),) = pair.reference.items()
    rows = text.split("\n")
    loops, made = silent(pair.name, rows, chosen(rows, Random(f"{seed} {pair.name}")))
    if made is None:
        return "", 0
    same = any(d.code == "HF509" for d in made.diagnostics)
    wrong = fault(pair.reference, made.files, pair.module, folder, same)
    return (f"{pair.name}, lines {[first + 1 for first, _ in loops]}: {wrong}" if wrong else ""), len(loops)
