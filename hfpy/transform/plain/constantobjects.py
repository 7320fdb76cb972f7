"""Named constants in plain form: a plain list of values for each component of an object that code in kernels reads, and
for each array of constants whose value is another expression.

``table(k)%c(2)`` becomes ``hf_table_c(k, 2)``. Later steps, and the printers, take that as the user's own constants.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.uses import aliases_of
from hfpy.model.expressions import Apply, ArrayConstructor, Component, Expr, ImpliedDo, Name, Range, walk
from hfpy.model.extents import Dim
from hfpy.model.names import Names, object_constant
from hfpy.model.statements import OneLine, expressions
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE, fragment, respelled
from hfpy.transform.plain.constantvalues import ConstantValues, Path
from hfpy.transform.plain.objectparts import Chain, chain_of
from hfpy.transform.plain.objecttypes import BASES
from hfpy.transform.text.edits import Edit, insert_lines, replace_range
from hfpy.values import dataclass


def constant_edits(facts: Facts, effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for the objects that are constants in the routines of ``keys``."""
    made: dict[str, list[Edit]] = {}
    values = ConstantValues(facts)
    for key in keys:
        found = list(_Constants(facts, values, facts.routine(key)).edits())
        if found:
            made.setdefault(facts.routine(key).file, []).extend(found)
    return made


@dataclass(frozen=True)
class _Made:
    """A constant with the values of a component: its name, its declaration, and how many dimensions the object and each
    component on the way have.
    """

    name: str
    declared: str
    ranks: tuple[int, ...]


class _Constants:
    """The constant objects of one routine."""

    def __init__(self, facts: Facts, values: ConstantValues, routine: Routine) -> None:
        self.facts = facts
        self.values = values
        self.routine = routine
        self.key = routine.key
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self.names = Names(frozenset(routine.spec.symbols))
        self._made: dict[tuple[str, str, Path], _Made | None] = {}
        self._renamed: frozenset[str] = frozenset()  # what blocks around a statement give another meaning
        self._wanted = {
            name: found for name, found in self._constants() if self._is_object(found) or self._hidden(found)
        }

    def _constants(self) -> Iterator[tuple[str, Found]]:
        """The named constants that the routine mentions."""
        names = {reference.name for reference in self.facts.references.get(self.key, ())}
        names |= {name for symbol in self.routine.spec.symbols.values() for dim in symbol.shape for name in dim.names}
        for name in sorted(names):
            found = self.facts.scopes.variable(name, self.key)
            if found is not None and found.symbol.constant:
                yield name, found

    @staticmethod
    def _is_object(found: Found) -> bool:
        return found.symbol.type.base == "type"

    def edits(self) -> Iterator[Edit]:
        """The references, and the declarations of what they mean now."""
        if not self._wanted:
            return
        for at in self.facts.graph.statements.get(self.key, ()):
            statement = at.statement
            if statement.line.file or (isinstance(statement, OneLine) and not statement.control):
                continue
            self._renamed = frozenset(aliases_of(at)) if at.renamed else frozenset()
            for expr in expressions(statement):
                shown = self._text(expr, statement.line.text)
                if shown != statement.line.text[expr.start : expr.end]:
                    yield replace_range(statement.line, expr.start, expr.end, shown)
        self._renamed = frozenset()
        first = self.routine.spec_insert + 1
        for edit in self._shapes():
            first = min(first, edit.line)
            yield edit
        rows = [made.declared for made in self._made.values() if made is not None]
        if rows:
            margin = " " * (self.routine.header.segments[0][2] + 2)
            yield insert_lines(first, [margin + row for row in rows], 5, self.routine.header.first)

    def _shapes(self) -> Iterator[Edit]:
        """The declarations of arrays whose sizes are components of constants."""
        done: set[tuple[object, tuple[int, int]]] = set()
        for symbol in self.routine.spec.symbols.values():
            shared = symbol.shared_shape.span if symbol.shared_shape is not None else None
            span = symbol.shape_span or shared
            shape = tuple(map(self._dimension, symbol.shape))
            if symbol.line is None or symbol.line.file or span is None or shape == symbol.shape:
                continue
            if (symbol.line.key, span) not in done:
                done.add((symbol.line.key, span))
                yield replace_range(symbol.line, *span, ", ".join(dim.text for dim in shape))

    def _dimension(self, dim: Dim) -> Dim:
        """A dimension with the new constants in its bounds."""
        lower, upper = (None if b is None else fragment(self._text(b.expr, b.text)) for b in (dim.lower, dim.upper))
        return replace(dim, lower=lower, upper=upper)

    def _text(self, expr: Expr, text: str) -> str:
        """An expression with the new constants in it."""
        chain = chain_of(expr)
        made = self._of_chain(chain) if chain is not None else None
        if chain is not None and made is not None:
            known = self.values.text(expr, self.key) if any(made.ranks) and _is_element(made, chain) else None
            return known if known is not None else self._element(made, chain, text)
        return respelled(expr, text, lambda child: self._text(child, text))

    def _element(self, made: _Made, chain: Chain, text: str) -> str:
        """The element, section or whole of a new constant that a designator means."""
        if all(indices is None for indices in chain.indices):
            return made.name
        given = [
            [self._text(index, text) for index in indices] if indices is not None else [":"] * rank
            for rank, indices in zip(made.ranks, chain.indices, strict=True)
        ]
        return f"{made.name}({', '.join(index for listed in given for index in listed)})"

    def _of_chain(self, chain: Chain) -> _Made | None:
        """The constant for a component of a constant object, or for a constant that is made of such components; None
        where there can be none.
        """
        found = self._wanted.get(chain.root) if chain.root not in self._renamed else None
        if found is None or bool(chain.path) != self._is_object(found):
            return None
        slot = (found.home, found.symbol.name, chain.path)
        if slot not in self._made:
            self._made[slot] = self._new(found, chain.path)
        made = self._made[slot]
        fits = made is not None and all(
            indices is None or len(indices) == rank for rank, indices in zip(made.ranks, chain.indices, strict=True)
        )
        return made if fits else None

    def _hidden(self, found: Found, seen: frozenset[str] = frozenset()) -> bool:
        """Whether the value of a constant that is a number, or an array of numbers, has to be worked out: it mentions
        components or arrays, itself or through others, or it is no list of single values.
        """
        symbol = found.symbol
        if not symbol.constant or symbol.initial is None or self._is_object(found) or symbol.name in seen:
            return False
        initial = symbol.initial.expr
        if any(isinstance(node, (Component, ImpliedDo)) for node in walk(initial)):
            return True
        if symbol.rank and not _is_list(initial):
            return True
        names = {node.name for node in walk(initial) if isinstance(node, Name)} - {symbol.name}
        mentioned = (self.facts.scopes.variable(name, found.home) for name in sorted(names))
        known = [other for other in mentioned if other is not None]
        return any(other.symbol.rank or self._hidden(other, seen | {symbol.name}) for other in known)

    def _new(self, found: Found, path: Path) -> _Made | None:
        declared = [found]
        for name in path:
            above = declared[-1]
            component = self.facts.scopes.component(name, above.symbol.type.derived, above.home)
            if component is None:
                return None
            declared.append(component)
        last = declared[-1]
        scalar = self.kinds.scalar(last.symbol.type, last.home)
        values = self.values.component(found, path) if scalar is not None and scalar.base in BASES else None
        if scalar is None or not values:
            return None
        listed: list[list[tuple[int, int]]] = []
        for one in reversed(declared):
            bounds = self._bounds(one, len(values) // prod(map(_extent, listed)))
            if bounds is None:
                return None
            listed.insert(0, bounds)
        name = self.names.name(object_constant(found.symbol.name, path), (found.home, found.symbol.name, path))
        kind = f"{scalar.base}({scalar.bytes})"
        flat = [bound for bounds in listed for bound in bounds]
        shape = ", ".join(f"{lower}:{upper}" for lower, upper in flat)
        value = f"[{kind} :: {', '.join(_outermost_first(values, listed))}]" if flat else values[0]
        if len(flat) > 1:
            value = f"reshape({value}, [{', '.join(str(upper - lower + 1) for lower, upper in flat)}])"
        row = f"{kind}, parameter :: {name}{f'({shape})' if flat else ''} = {value}"
        return _Made(name, row, tuple(map(len, listed)))

    def _bounds(self, found: Found, left: int) -> list[tuple[int, int]] | None:
        """The bounds of each dimension of a declaration; ``left`` is the extent of one that the value decides."""
        made: list[tuple[int, int]] = []
        for dim in found.symbol.shape:
            lower = self.kinds.value((dim.lower or ONE).expr, found.home)
            upper = self.kinds.value(dim.upper.expr, found.home) if dim.upper is not None else None
            if dim.form == "star" and lower is not None:
                upper = lower + left - 1
            if lower is None or upper is None or upper < lower:
                return None
            made.append((lower, upper))
        return made


def _is_element(made: _Made, chain: Chain) -> bool:
    """Whether a designator means one element, not an array, which may have one element, too."""
    given = zip(made.ranks, chain.indices, strict=True)
    return all(not rank or (i is not None and not any(isinstance(n, Range) for n in i)) for rank, i in given)


def _is_list(initial: Expr) -> bool:
    """Whether the value of an array is written as a list, perhaps with its shape."""
    reshaped = isinstance(initial, Apply) and isinstance(initial.base, Name) and initial.base.name == "reshape"
    listed = initial.args[0] if reshaped and isinstance(initial, Apply) else initial
    inner = (node for node in walk(listed) if node is not listed)
    return isinstance(listed, ArrayConstructor) and not any(isinstance(node, ArrayConstructor) for node in inner)


def _extent(bounds: Sequence[tuple[int, int]]) -> int:
    """The number of elements between bounds."""
    return prod(upper - lower + 1 for lower, upper in bounds)


def _outermost_first(values: Sequence[str], listed: Sequence[Sequence[tuple[int, int]]]) -> list[str]:
    """Values as they lie in an array whose first dimensions are those of the array of objects, as the plain form has
    them; in memory these dimensions come last.
    """
    extents = list(map(_extent, listed))
    found: list[str] = []
    for inner in product(*(range(extent) for extent in reversed(extents))):
        place = 0
        for number, extent in zip(reversed(inner), extents, strict=True):
            place = place * extent + number
        found.append(values[place])
    return found
