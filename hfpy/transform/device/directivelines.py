"""Directives over several lines, with lists of names in their clauses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hfpy.values import dataclass


@dataclass(frozen=True)
class Clause:
    """A clause of a directive: its word with all that is before the first of the names, and the names."""

    word: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        """The text."""
        return f"{self.word}{', '.join(self.names)})"

    def pieces(self, limit: int) -> list[str]:
        """A clause with a long list as several clauses of the same kind."""
        pieces: list[Clause] = []
        for name in self.names:
            longer = Clause(self.word, (*pieces[-1].names, name)) if pieces else None
            if longer is not None and len(str(longer)) <= limit:
                pieces[-1] = longer
            else:
                pieces.append(Clause(self.word, (name,)))
        return [str(piece) for piece in pieces]


def clause(word: str, names: Iterable[str]) -> list[Clause]:
    """A clause with a list, if there is anything in it. The word ends with ``(``, or with ``:`` after one."""
    listed = tuple(names)
    return [Clause(word, listed)] if listed else []


def directive_lines(indent: str, sentinel: str, parts: Sequence[str | Clause], limit: int = 120) -> list[str]:
    """A directive with its clauses over as many lines as it needs, each continued with ``&``."""
    lines: list[str] = []
    current = f"{indent}{sentinel} {parts[0]}"
    for part in parts[1:]:
        for piece in part.pieces(limit - len(indent) - 10) if isinstance(part, Clause) else [part]:
            if len(current) + len(piece) + 1 > limit:
                lines.append(current + " &")
                current = f"{indent}{sentinel}& {piece}"
            else:
                current += " " + piece
    return [*lines, current]
