"""Loops whose turns set something and ask for something, in all kinds of ways: module variables, saved ones, objects,
common blocks, locals, variables of the host, defined assignments, procedure pointers, random numbers (``states``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from tests.automatic.turns import build, fault, run
from tests.support import translate_text

FOLDER = Path(__file__).parent / "states"
STATES = sorted(path.stem for path in FOLDER.glob("*.txt"))
FORMS = {
    "A": ("if (i == 9) then", "{S}", "end if", "c(i) = {G}"),
    "B": ("c(i) = {G}", "{S}"),
    "C": ("{S}", "c(i) = {G}"),
    "D": ("{S}",),
    "E": ("c(i) = {G}",),
    "F": ("if (ga(i) > 6) then", "{S}", "end if", "c(i) = {G}"),
    "G": ("do k = 1, 2", "c(i) = {G}", "{S}", "end do"),
}
MODULE = """module hand
  implicit none
  integer :: c(40), ga(80)
{declarations}
contains
{routines}
{procedures}
end module hand
"""
RUN = """subroutine run
{calls}
end subroutine run
"""
WORK = """subroutine work{number}
  integer :: i, k
{locals}
  c = 0
  ga = [(mod(i*7, 13) + 1, i = 1, 80)]
  k = 0
{begin}
  !@parallelRegion
  do i = 1, 30
{body}
10 continue
  end do
  print *, 'work{number}', k, sum([(i*c(i), i = 1, 40)]), sum([(i*ga(i), i = 1, 80)])
{show}
{internal}
end subroutine work{number}
"""


@dataclass(frozen=True)
class Combination:
    """A way to set something, one to ask for it, and the form of the loop that does both."""

    sets: str
    asks: str
    form: str


@lru_cache
def _parts(state: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    rows = found["declarations"] = []
    for row in (FOLDER / f"{state}.txt").read_text().splitlines():
        if row.startswith("[") and row.endswith("]"):
            rows = found.setdefault(row[1:-1], [])
        else:
            rows.append(row)
    return found


def drawn(state: str, first: int, count: int) -> list[Combination]:
    """Some combinations of a state, in an order of their own."""
    parts = _parts(state)
    pairs = [Combination(s, g, f) for f in FORMS if f not in "DE" for s in parts["set"] for g in parts["ask"]]
    pairs += [Combination(s, "", "D") for s in parts["set"]] + [Combination("", g, "E") for g in parts["ask"]]
    Random(f"state {state}").shuffle(pairs)
    return pairs[first : first + count]


def program(state: str, combinations: list[Combination]) -> str:
    """A program with a loop for each combination."""
    parts = {word: "\n".join(rows) for word, rows in _parts(state).items()}
    text = {word: parts.get(word, "") for word in ("declarations", "procedures", "locals", "begin", "show")}
    internal = f"contains\n{parts['internal']}" if "internal" in parts else ""
    routines = []
    for number, made in enumerate(combinations):
        rows = "\n".join(FORMS[made.form]).replace("{S}", made.sets or "continue").replace("{G}", made.asks or "0")
        work = WORK.replace("{number}", str(number)).replace("{body}", rows.replace("; ", "\n"))
        for word in ("locals", "begin", "show"):
            work = work.replace("{" + word + "}", text[word])
        routines.append(work.replace("{internal}", internal))
    calls = RUN.replace("{calls}", "\n".join(f"call work{n}" for n in range(len(combinations))))
    filled = MODULE.replace("{declarations}", text["declarations"]).replace("{procedures}", text["procedures"])
    return filled.replace("{routines}", "\n".join([calls, *routines]))


def faults(state: str, combinations: list[Combination], folder: Path) -> list[str]:
    """What is wrong with combinations of which hfpy says nothing."""
    silent, same = [], False
    for one in combinations:
        made = translate_text({"hand.f90": program(state, [one])}, backend="openmp")
        assert not any(d.code == "HF900" for d in made.diagnostics), one
        if all(d.severity == "note" for d in made.diagnostics):
            silent.append(one)
            same = same or any(d.code == "HF509" for d in made.diagnostics)
    return list(_wrong(state, silent, same, folder))


def _wrong(state: str, silent: list[Combination], same: bool, folder: Path) -> list[str]:
    """The same of those; they are halved where something is wrong with them together."""
    if not silent:
        return []
    text = program(state, silent)
    whole = {"hand.f90": text}
    legal = not build(whole, "hand", folder / "legal", False) and run(folder / "legal").good
    wrong = fault(whole, translate_text(whole, backend="openmp").files, "hand", folder, same) if legal else "illegal"
    if not wrong or len(silent) == 1:
        return [f"{state}: {silent[0]}: {wrong}"] if wrong and legal else []
    middle = len(silent) // 2
    halves = (silent[:middle], silent[middle:])
    return [w for n, half in enumerate(halves) for w in _wrong(state, half, same, folder / str(n))]
