"""Tables in routines that kernels call, in plain form: a local that keeps its value, and that nothing sets but its
declaration or a ``data`` statement, is a named constant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.analyze.language.kinds import Kinds
from hfpy.model.expressions import Apply, Expr, Fragment, ImpliedDo, Name
from hfpy.model.units import Routine, Symbol
from hfpy.parse.declarations.datastatements import DataSet, Repeated, data_sets, late_data, object_name, variables_of
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.plain.declarations import without
from hfpy.transform.text.edits import Edit, insert_lines, replace_range

_BASES = ("real", "integer", "logical", "complex")
_KEPT = frozenset({"dimension", "save", "initialised"})
_MOST = 4096  # values of a table that is written anew


def table_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for the tables of some routines; those with regions bring theirs to the device."""
    made: dict[str, list[Edit]] = {}
    owners = {r.routine for r in facts.positions.regions}
    for key in (k for k in keys if k not in owners):
        found = list(_Tables(facts, effects, facts.routine(key)).edits())
        if found:
            made.setdefault(facts.routine(key).file, []).extend(found)
    return made


class _Tables:
    """The tables of one routine."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.key = routine.key
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self.among = (*routine.spec.lines, *late_data(routine.body))
        self.lines = {line.key: sets for line in self.among if (sets := data_sets(line)) is not None}

    def edits(self) -> Iterator[Edit]:
        """Declarations as constants, without the statements that gave the values."""
        wanted = {name: symbol for name, symbol in self.routine.spec.symbols.items() if self._is_table(name, symbol)}
        rows = {name: row for name, symbol in wanted.items() if (row := self._row(name, symbol))}
        rows = {name: row for name, row in rows.items() if self._gone_with(name, rows)}
        if not rows:
            return
        for line in self.among:
            if line.key in self.lines and self._named(self.lines[line.key]) & rows.keys():
                yield replace_range(line, 0, len(line.text), "")
        for line in dict.fromkeys(s.line for s in wanted.values() if s.line is not None and s.name in rows):
            yield without(self.routine, line, rows)
        margin = " " * (self.routine.header.segments[0][2] + 2)
        yield insert_lines(self.routine.spec_insert + 1, [margin + row for row in rows.values()], 3)

    def _is_table(self, name: str, symbol: Symbol) -> bool:
        plain = symbol.type.base in _BASES and not symbol.attributes - _KEPT and not symbol.constant
        known = symbol.line is not None and not symbol.line.file
        if not plain or not known or not keeps_value(self.routine, name):
            return False
        inner = self.facts.application.routines_of(self.key)
        if any(reference.name == name for r in inner for reference in self.facts.references.get(r.key, ())):
            return False
        own = (r for r in self.facts.references.get(self.key, ()) if r.name == name)
        return not any(r.role == "pointer" or self.effects.of(r, self.key)[1] for r in own)

    @staticmethod
    def _named(sets: tuple[DataSet, ...]) -> set[str]:
        return {name for one in sets for o in one.objects for name in variables_of(o.expr)}

    def _gone_with(self, name: str, rows: Collection[str]) -> bool:
        """Whether all that the statements set that set a table become constants, too."""
        return all(self._named(sets) <= set(rows) for sets in self.lines.values() if name in self._named(sets))

    # -- values

    def _row(self, name: str, symbol: Symbol) -> str:
        """The declaration of a constant; empty where its value is not known."""
        scalar = self.kinds.scalar(symbol.type, self.key)
        if scalar is None:
            return ""
        kind = f"{scalar.base}({scalar.bytes})"
        sizes = [self._size(symbol, d) for d in range(symbol.rank)]
        if any(size is None for size in sizes):
            return ""
        shape = ",".join(d.text for d in symbol.shape)
        declared = f"{kind}, parameter :: {name}{f'({shape})' if shape else ''}"
        values = self._values(name, symbol, [s for s in sizes if s is not None])
        if symbol.initial is not None and values is None:
            return f"{declared} = {symbol.initial.text}"
        if values is None or not values:
            return ""
        if not symbol.rank:
            return f"{declared} = {values[0]}"
        listed = f"[{kind} :: {', '.join(values)}]"
        if symbol.rank > 1:
            listed = f"reshape({listed}, [{', '.join(map(str, sizes))}])"
        return f"{declared} = {listed}"

    def _size(self, symbol: Symbol, dimension: int) -> int | None:
        low, high = self._bound(symbol, dimension)
        return max(high - low + 1, 0) if low is not None and high is not None else None

    def _bound(self, symbol: Symbol, dimension: int) -> tuple[int | None, int | None]:
        dim = symbol.shape[dimension]
        if dim.form != "explicit" or dim.upper is None:
            return None, None
        return self._number(dim.lower or ONE), self._number(dim.upper)

    def _number(self, found: Fragment) -> int | None:
        return self.kinds.value(found.expr, self.key)

    def _values(self, name: str, symbol: Symbol, sizes: list[int]) -> list[str] | None:
        """The values that a ``data`` statement gives a variable; None where it gives none that is known."""
        count = 1
        for size in sizes:
            count *= size
        for one in (s for sets in self.lines.values() for s in sets):
            position = 0
            for thing in one.objects:
                found = self._whole(thing.expr)
                known = self.routine.spec.symbols.get(found)
                if known is None or any(self._size(known, d) is None for d in range(known.rank)):
                    break
                total = 1
                for d in range(known.rank):
                    total *= self._size(known, d) or 0
                if found == name:
                    values = self._flat(one.values)
                    return values[position : position + count] if values and len(values) >= position + count else None
                position += total
        return None

    def _flat(self, values: tuple[Repeated, ...]) -> list[str] | None:
        found: list[str] = []
        for value in values:
            times = self._number(value.times) if value.times is not None else 1
            if times is None or len(found) + times > _MOST:
                return None
            found += [value.value.text] * times
        return found

    def _whole(self, expr: Expr) -> str:
        """The variable all of whose elements, in their order, an object of a ``data`` statement means; else empty."""
        if not isinstance(expr, ImpliedDo):
            return object_name(expr)
        loops: list[ImpliedDo] = []
        inner: Expr = expr
        while isinstance(inner, ImpliedDo) and len(inner.items) == 1:
            loops.append(inner)
            inner = inner.items[0]
        if not isinstance(inner, Apply) or not isinstance(inner.base, Name):
            return ""
        symbol = self.routine.spec.symbols.get(inner.base.name)
        names = [loop.var for loop in reversed(loops)]
        if symbol is None or [a.name if isinstance(a, Name) else "" for a in inner.args] != names:
            return ""
        for dimension, loop in enumerate(reversed(loops)):
            ends = tuple(self.kinds.value(e, self.key) for e in loop.bounds)
            if None in ends or ends[:2] != self._bound(symbol, dimension) or ends[2:] not in ((), (1,)):
                return ""
        return inner.base.name
