"""What a user could state of a loop that is no region for want of a fact."""

from __future__ import annotations

from collections.abc import Sequence

from hfpy.diagnostics import Diagnostic
from hfpy.values import dataclass

_INDEPENDENT = "independent("


@dataclass(frozen=True)
class Question:
    """The clause that states a fact, and in words what is in the way without it."""

    clause: str
    why: str


def question_of(against: Sequence[Diagnostic]) -> Question | None:
    """The question about a loop, if one clause answers all that is against it, or if the same is said of several arrays
    and one clause can name them all.

    Its words name all that the clause denies. A user who knows that two names share no memory may not know that two
    points meet in an element.
    """
    said: dict[str, dict[str, None]] = {}
    for diagnostic in against:
        clause = next((f.text for f in diagnostic.fixes if f.way == "state"), "")
        said.setdefault(clause, {})[diagnostic.message] = None
    if not said or "" in said:
        return None
    clause, *others = said
    reasons = list(said[clause])
    if not others:
        return Question(clause, "; and ".join(reasons) if _array(clause) else reasons[0])
    names = [_array(c) for c in said]
    if any(not name or _of(name, said[c]) != _of(names[0], reasons) for name, c in zip(names, said, strict=True)):
        return None
    same = ", ".join(f"'{name}'" for name in names[1:])
    return Question(f"{_INDEPENDENT}{', '.join(names)})", "; and ".join([*reasons, f"the same of {same}"]))


def _array(clause: str) -> str:
    """The array in which no two points meet, as a clause states; empty for other clauses."""
    return clause.removeprefix(_INDEPENDENT).removesuffix(")") if clause.startswith(_INDEPENDENT) else ""


def _of(name: str, messages: Sequence[str] | dict[str, None]) -> list[str]:
    """The messages about an array, without its name."""
    return [m.replace(f"'{name}'", "''") for m in messages]
