"""Lines of kernels and device routines as they come to be, with the names in them, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from hfpy.analyze.facts import Facts
from hfpy.backends.c.values import CannotPrint, Follows, Problem, Refusals, Unprintable
from hfpy.backends.fortran.elements import ElementText
from hfpy.model.statements import Statement
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import dim_of, expanded_dim
from hfpy.parse.text.cards import free_form
from hfpy.parse.text.macros import expand
from hfpy.transform.text.wrapping import wrap_line

Lines = list[tuple[str, int]]


class Rows(ElementText):
    """The lines of one routine. ``names`` are all that expressions in them mention, ``expanded`` those of them that
    macros mean.
    """

    def __init__(self, facts: Facts, routine: Routine, refusals: Refusals) -> None:
        super().__init__(facts, routine)
        self.refusals = refusals
        self.lines: Lines = []
        self.macros = facts.application.macros_of(routine.key)
        self.names: set[str] = set()
        self.expanded: set[str] = set()

    def _refuse(self, statement: Statement, what: str) -> None:
        line = statement.line
        raise Unprintable([Problem(what, line, 0, len(line.text), self.routine.file)])

    @contextmanager
    def _at(self, statement: Statement) -> Iterator[None]:
        """Turns what cannot be printed of a statement into a refusal at its place."""
        line = statement.line
        try:
            yield
        except Follows:
            raise
        except CannotPrint as problem:
            end = problem.end if problem.end >= 0 else len(line.text)
            found = Problem(problem.what, line, problem.start, end, self.routine.file, problem.hint, problem.also)
            raise Unprintable([found]) from problem

    def _row(self, text: str, depth: int, statement: Statement) -> None:
        """One line, after the statement's label if it has one."""
        line = statement.line
        label = f"{line.label} " if line.label else ""
        text = free_form(expand(text, self.macros))
        self.lines += [(row, line.first) for row in wrap_line("  " * depth + label + text.strip())]

    def _line(self, text: str, depth: int, statement: Statement) -> None:
        rows = wrap_line("  " * depth + free_form(expand(text, self.macros)))
        self.lines += [(row, statement.line.first) for row in rows]

    def _mention(self, texts: Iterable[str]) -> None:
        """Remember the names in expressions, and in ranges of cases, as they are printed."""
        for made in map(dim_of, texts):
            plain = expanded_dim(made, self.macros)
            self.names |= plain.names
            self.expanded |= plain.names - made.names
