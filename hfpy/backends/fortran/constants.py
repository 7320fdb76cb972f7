"""Named constants that kernels mention, declared again in them.

The modules with the kernels use none of the program's, which use them; so each kernel declares what it needs.
"""

from __future__ import annotations

from collections.abc import Iterable

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found
from hfpy.backends.c.values import CannotPrint
from hfpy.model.expressions import ImpliedDo, Name, walk
from hfpy.model.scalars import Scalar
from hfpy.parse.expressions.fragments import expanded, expanded_shape
from hfpy.parse.text.macros import expand


def type_text(scalar: Scalar) -> str:
    """A type with its kind as a number. Raises CannotPrint for what kernels do not have."""
    if scalar.base not in ("real", "integer", "logical", "complex"):
        raise CannotPrint(f"type {scalar.base}")
    return f"{scalar.base}({scalar.bytes})"


class Constants:
    """The constants of one kernel or device routine; ``taken`` are names that mean something else there."""

    def __init__(self, facts: Facts, kinds: Kinds, taken: Iterable[str]) -> None:
        self.facts = facts
        self.kinds = kinds
        self.taken = set(taken)
        self.lines: list[str] = []
        self._known: dict[str, tuple[str, str]] = {}

    def of(self, names: Iterable[str], key: str) -> None:
        """Add those of some names of the unit ``key`` that are constants. Raises CannotPrint where one cannot be
        declared again.
        """
        for word in sorted(names):
            self._word(word, key)

    def _word(self, word: str, key: str) -> None:
        found = self.facts.scopes.variable(word, key)
        if found is not None and found.symbol.constant:
            slot = (found.home, found.symbol.name)
            if word in self.taken:
                raise CannotPrint(f"the name '{word}', which means a constant and a variable,")
            if word not in self._known:
                self._known[word] = slot
                self.lines.append(self._declaration(word, found))
            elif self._known[word] != slot:
                raise CannotPrint(f"the name '{word}', which means two constants,")
        elif found is None and word not in self._known and word not in self.taken:
            value = self.kinds.value(Name(0, 0, word), key)
            if value is not None:
                self._known[word] = ("", word)
                self.lines.append(f"integer, parameter :: {word} = {value}")

    def _counter(self, loop: ImpliedDo, home: str) -> None:
        """The variable of an implied loop in a value; a variable of this name may be there already."""
        name, scalar = loop.var, self.kinds.counter(loop, home)
        if scalar is None:
            raise CannotPrint(f"an implied loop over '{name}', whose kind is not known")
        if not loop.typed and name not in self.taken and name not in self._known:
            self._known[name] = ("", name)
            self.lines.append(f"{type_text(scalar)} :: {name}")

    def _declaration(self, word: str, found: Found) -> str:
        symbol = found.symbol
        scalar = self.kinds.scalar(symbol.type, found.home)
        if scalar is None or symbol.initial is None:
            raise CannotPrint(f"the named constant '{word}'")
        macros = self.facts.application.macros_of(found.home)
        value = (
            None if symbol.rank or scalar.base != "integer" else self.kinds.value(Name(0, 0, symbol.name), found.home)
        )
        if value is not None:
            return f"{type_text(scalar)}, parameter :: {word} = {value}"
        shape = ",".join(d.text if d.form != "star" else "*" for d in symbol.shape)
        initial = expanded(symbol.initial, macros)
        for loop in (n for n in walk(initial.expr) if isinstance(n, ImpliedDo)):
            self._counter(loop, found.home)
        self.of(initial.names.union(*(d.names for d in expanded_shape(symbol, macros))), found.home)
        listed = f"({expand(shape, macros)})" if symbol.rank else ""
        return f"{type_text(scalar)}, parameter :: {word}{listed} = {initial.text}"
