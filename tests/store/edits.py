"""Random edits of programs: of bodies, declarations, directives, routines and files, and edits taken back.

An edit need not leave a program valid: what is refused then is to be refused in the same words with a cache.
"""

from __future__ import annotations

import re
from random import Random

Files = dict[str, str]
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?=(?:_wp|d0|_8)?\b)")
_ASSIGNED = re.compile(r"^\s+\w+(?:\([^=]*\))? = [^&]*$")
_DECLARED = re.compile(r"^\s*(?:real|integer|logical)\b.*::")
_DIRECTIVE = re.compile(r"^\s*!?@\s*\w+", re.IGNORECASE)
_END = re.compile(r"^\s*end (?:module|program)\b", re.IGNORECASE)
_CONTAINS = re.compile(r"^\s*contains\b", re.IGNORECASE)


def _place(files: Files, rng: Random, pattern: re.Pattern[str]) -> tuple[str, list[str], int] | None:
    """A line that fits a pattern: its file, the lines of that, and its number. None if there is none."""
    found = [
        (name, n) for name in sorted(files) for n, row in enumerate(files[name].split("\n")) if pattern.search(row)
    ]
    if not found:
        return None
    name, number = rng.choice(found)
    return name, files[name].split("\n"), number


def _changed(files: Files, rng: Random, pattern: re.Pattern[str], kinds: tuple[str, ...]) -> Files:
    """The files with one line that fits a pattern changed in one of some ways."""
    place = _place(files, rng, pattern)
    if place is None:
        return files
    name, rows, n = place
    kind = rng.choice(kinds)
    row = rows[n]
    if kind == "number":
        number = rng.choice([*_NUMBER.finditer(row)] or [None])
        if number is not None:
            row = row[: number.start()] + str(rng.randint(1, 9)) + row[number.end() :]
        rows[n] = row
    elif kind == "operator":
        rows[n] = row.replace(" + ", " - ", 1) if " + " in row else row.replace(" - ", " + ", 1)
    elif kind == "twice":
        rows.insert(n, row)
    elif kind == "gone":
        del rows[n]
    elif kind == "comment":
        rows.insert(n, f"  ! remark {rng.randint(0, 99)}")
    elif kind == "scaled":
        rows[n] = row.replace(" = ", " = 1*", 1)
    elif kind == "swapped":
        other = rng.choice([m for m, text in enumerate(rows) if pattern.search(text)])
        rows[n], rows[other] = rows[other], rows[n]
    elif kind == "intent":
        rows[n] = row.replace("intent(in)", "intent(inout)") if "intent(in)" in row else row + "  ! as before"
    elif kind == "declared":
        rows.insert(n + 1, f"  integer :: hf_new{rng.randint(0, 9)}")
    elif kind == "print":
        rows.insert(n, "    print *, 'here'")
    elif kind == "moved":
        rows.insert(rng.randrange(max(0, n - 12), min(len(rows), n + 12)), rows.pop(n))
    elif kind == "index":
        row = re.sub(r"\((\w+)([,)])", lambda m: f"({m[1]}{rng.choice(('', '-1', '+0'))}{m[2]}", row, count=2)
        rows[n] = row
    elif kind == "whole":
        rows[n] = re.sub(r"\((?:\w+,)*\w+\) = ", " = ", row, count=1)
    elif kind == "early":
        rows.insert(n, "    if (1 > 2) return")
    elif kind == "inner":
        rows[n : n + 1] = ["    associate (hf_one => 1)", row, "    end associate"]
    elif kind == "conditional":
        rows[n] = re.sub(r"^(\s+)", r"\1if (1 > 0) ", row)
    elif kind in ("reads", "writes"):
        near = [m for m in range(max(0, n - 40), min(len(rows), n + 40)) if pattern.search(rows[m])]
        other = rows[rng.choice(near)].split(" = ")[0].strip()
        rows[n : n + 1] = [f"{row} + {other}"] if kind == "reads" else [row, f"    {other} = 2*{other}"]
    elif kind == "broken":
        rows[n] = row + " + * 2"
    elif kind == "unknown":
        rows[n] = row + " + hf_unknown"
    return {**files, name: "\n".join(rows)}


def _routine(files: Files, rng: Random) -> Files:
    """The files with a routine more, or without one that was added."""
    place = _place(files, rng, _END)
    if place is None:
        return files
    name, rows, n = place
    added = f"hf_added{rng.randint(0, 3)}"
    if not any(_CONTAINS.search(row) for row in rows[:n]):
        return files
    here = [m for m, row in enumerate(rows) if row.startswith(f"  subroutine {added}(")]
    if here:
        del rows[here[0] : here[0] + 4]
    else:
        rows[n:n] = [f"  subroutine {added}(x)", "    real, intent(inout) :: x", "    x = x + 1", "  end subroutine"]
    return {**files, name: "\n".join(rows)}


def _file(files: Files, rng: Random) -> Files:
    """The files with a module more, or without one that was added."""
    name = f"hf_more{rng.randint(0, 1)}.f90"
    if name in files:
        return {other: text for other, text in files.items() if other != name}
    return {**files, name: f"module {name[:-4]}\n  implicit none\n  real :: x = {rng.randint(0, 9)}\nend module\n"}


_BODY = ("number", "operator", "twice", "gone", "comment", "scaled", "swapped", "print", "conditional")
_ODD = ("moved", "index", "whole", "early", "inner", "reads", "writes", "broken", "unknown")


def edited(files: Files, rng: Random) -> Files:
    """The files with one edit at a random place: mostly of a body."""
    draw = rng.random()
    if draw < 0.5:
        return _changed(files, rng, _ASSIGNED, _BODY)
    if draw < 0.7:
        return _changed(files, rng, _ASSIGNED, _ODD)
    if draw < 0.8:
        return _changed(files, rng, _DECLARED, ("intent", "declared", "declared", "number", "comment", "gone"))
    if draw < 0.88:
        return _changed(files, rng, _DIRECTIVE, ("number", "twice", "gone", "comment"))
    return _routine(files, rng) if draw < 0.95 else _file(files, rng)
