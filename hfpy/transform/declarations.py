"""Declarations: inserted dimensions, storage order, iterators, and locals too large for the stack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.orders import Order
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.diagnostics import Diagnostic, Related, error, warning
from hfpy.model.extents import Dim
from hfpy.model.units import OldSize, Routine, Symbol
from hfpy.parse.declarations.declarations import entity_spans, is_dimension_statement
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.splits import arranged
from hfpy.transform.text.edits import Edit, insert, replace_range


def dims_in_use(data: DataObject) -> list[Dim]:
    """The dimensions in use, as a declaration has them (``:`` where the shape is deferred)."""
    deferred = any(d.open for d in data.symbol.shape)
    return [
        data.symbol.shape[d.declared] if d.declared is not None else Dim("deferred") if deferred else d.extent
        for d in data.used
    ]


def shape_text(data: DataObject, order: Order) -> str:
    """The dimension list of a declaration in storage order."""
    dims = dims_in_use(data)
    if order.pieces or (order.permutation is not None and len(dims) == len(order.permutation)):
        return ",".join(arranged(dims, order))
    listed = ",".join(dim.text for dim in dims)
    deferred = all(dim.open and dim.lower is None and dim.form != "star" for dim in dims)
    if order.domain_macro and not deferred:
        return f"{order.domain_macro}({listed})"
    return listed


def known_small(facts: Facts, routine: Routine, data: DataObject) -> bool:
    """Whether the size of an array is known and at most 64 KiB (at 8 bytes an element)."""
    total = 8
    for dim in dims_in_use(data):
        if dim.upper is None:
            return False
        low, high = (facts.domains.value(bound, routine.key) for bound in (dim.lower or ONE, dim.upper))
        if low is None or high is None:
            return False
        total *= max(high - low + 1, 0)
    return total <= 64 * 1024


class DeclarationRewriter:
    """Edits of the specification part of one unit."""

    def __init__(self, facts: Facts, routine: Routine) -> None:
        self.facts = facts
        self.routine = routine
        self.found: list[Diagnostic] = []
        self.allocations: list[str] = []
        self.unknown: dict[tuple[str, int], int] = {}

    def edits(self, moved: frozenset[str] = frozenset()) -> Iterator[Edit]:
        """Edits of every declaration that changes; ``moved`` are locals that went to another routine altogether."""
        by_line: dict[int, list[Symbol]] = {}
        for symbol in self.routine.spec.symbols.values():
            if symbol.line is not None and "header" not in symbol.attributes:
                by_line.setdefault(id(symbol.line), []).append(symbol)
        for symbols in by_line.values():
            gone = [s for s in symbols if s.name in moved]
            large = [s for s in symbols if s not in gone and self._heaped(s.name)]
            left = [s for s in symbols if s not in gone and s not in large]
            yield from without([*gone, *large], self._deferred(large))
            shapes = {s.name: text for s in left if (text := self._new_shape(s)) is not None}
            yield from shape_edits(left, shapes)

    def _new_shape(self, symbol: Symbol) -> str | None:
        """The new dimension list of a symbol, or None if it stays."""
        data = self.facts.object(symbol.name, self.routine.key)
        if data is None or data.home != self.routine.key or data.user_macro:
            return None
        order = self.facts.order(data)
        assert symbol.line is not None
        if self._explicit_pointer(symbol):
            place = symbol.line.place(self.routine.file, *symbol.name_span)
            message = f"'{symbol.name}' is a pointer or allocatable with an explicit shape, which is no Fortran"
            hint = "its shape is left open because this is an existing project"
            self.found.append(warning("HF110", message, place, hint))
            return ",".join(":" * order.places(data.rank))
        if (not data.inserted and order.identity) or not self._sizes_known(data):
            return None
        if symbol.line.file:
            place = symbol.line.place(self.routine.file, *symbol.name_span)
            message = f"hfpy would have to change the declaration of '{symbol.name}' in an included file"
            self.found.append(error("HF112", message, place, "declare it in the routine itself"))
            return None
        text = shape_text(data, order)
        return None if not data.inserted and text == ",".join(d.text for d in symbol.shape) else text

    def _explicit_pointer(self, symbol: Symbol) -> bool:
        """Whether an old compiler let a pointer pass that has bounds in its declaration."""
        legacy = self.facts.application.options.legacy
        return legacy and symbol.dynamic and any(d.form == "explicit" for d in symbol.shape)

    def _sizes_known(self, data: DataObject) -> bool:
        """Whether every name in an inserted size is known here (L13); else an error."""
        macros = {m.lower() for m in self.facts.application.macros} | {
            m.lower() for m in self.facts.application.file(self.routine.key).macros
        }
        for dimension in data.used:
            if dimension.declared is not None or data.symbol.dynamic:
                continue
            for name in sorted(dimension.extent.names - macros):
                key = self.routine.key
                if self.facts.scopes.variable(name, key) is None and not self._excused(name):
                    self._tell_unknown(data, dimension.size, name)
                    return False
        return True

    def _tell_unknown(self, data: DataObject, size: str, name: str) -> None:
        """Say that a name in a size is not known, once for all arrays that one line lists."""
        place = data.listed or self.routine.place()
        number = self.unknown.setdefault((name, place.line), len(self.found))
        if number < len(self.found):
            first = self.found[number]
            also = Related(place, f"'{data.name}' gets one, too")
            self.found[number] = replace(first, related=(*first.related, also))
            return
        message = f"'{data.name}' gets a dimension of size {size}, but '{name}' is not known here"
        hint = f"import '{name}', or pass it to '{self.routine.name}'"
        self.found.append(error("HF307", message, place, hint))

    def _excused(self, name: str) -> bool:
        scopes, key = self.facts.scopes, self.routine.key
        if scopes.opaque.seen_by(key) or scopes.opaque.brings(name, key) or scopes.is_intrinsic(name, key):
            return True
        return bool(scopes.procedures(name, key))

    # -- large locals

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The names that declarations of the unit mention."""
        return frozenset(name for symbol in self.routine.spec.symbols.values() for name in symbol.names)

    def _too_large(self, data: DataObject) -> bool:
        """Whether a local goes to the heap: it has a parallel dimension, and OpenMP code keeps all locals on the
        stack (§8).
        """
        symbol = data.symbol
        position = self.facts.positions.get(self.routine.key)
        if self.facts.backend(self.routine.key) != "openmp":
            return False
        if self.routine.kind not in ("subroutine", "function") or position.label not in ("within", "inside"):
            return False
        if (
            not symbol.type.text
            or not data.local
            or data.user_macro
            or symbol.dynamic
            or symbol.constant
            or data.name == self.routine.result
            or self.routine.entries  # they do not pass the beginning, where it would be allocated
        ):
            return False
        if (
            known_small(self.facts, self.routine, data)
            or not any(d.parallel for d in data.used)
            or keeps_value(self.routine, data.name)
        ):
            return False
        if data.name in self.mentioned:  # as in b(size(a)), which counts before anything is allocated
            return False
        if data.name in self.routine.spec.storage or symbol.attributes & {
            "asynchronous",
            "target",
            "volatile",
            "codimension",
        }:
            return False
        if symbol.type.base in ("character", "class", "procedure") or symbol.line is None or symbol.line.file:
            return False
        if any(d.form != "explicit" for d in symbol.shape) or position.above:
            return False
        return "pure" not in self.routine.prefix and "elemental" not in self.routine.prefix

    def _deferred(self, symbols: list[Symbol]) -> list[str]:
        """The declarations of large locals as allocatable ones, a line a name.

        They are allocated at the beginning of the executable part and freed by the language at every return.
        """
        rows = []
        for symbol in symbols:
            data = self.facts.object(symbol.name, self.routine.key)
            assert symbol.line is not None and data is not None
            if not self._sizes_known(data):
                continue
            spelled = symbol.line.text[symbol.name_span[0] : symbol.name_span[1]]
            words = [] if by_dimension(symbol) else [symbol.type.text, *sorted(symbol.attributes - {"initialised"})]
            head = ", ".join([*words, "allocatable"])
            order = self.facts.order(data)
            rows.append(f"{head} :: {spelled}({','.join(':' * order.places(data.rank))})")
            self.allocations.append(f"{spelled}({shape_text(data, order)})")
        return rows

    def _heaped(self, name: str) -> bool:
        data = self.facts.object(name, self.routine.key)
        return data is not None and data.home == self.routine.key and self._too_large(data)


def by_dimension(symbol: Symbol) -> bool:
    """Whether a ``dimension`` statement gives an array its shape: its type is elsewhere, or is implicit."""
    return symbol.line is not None and is_dimension_statement(symbol.line)


def shape_edits(symbols: list[Symbol], shapes: dict[str, str]) -> Iterator[Edit]:
    """New shapes for the entities of one declaration.

    A ``dimension(…)`` that they share is edited in place where all that have their shape from it get the same one. It
    is taken away where all get one of their own, so that it does not tell of dimensions that nothing has.
    """
    sharing = [s for s in symbols if s.shape_span is None and s.shared_shape is not None]
    changed = [shapes[s.name] for s in sharing if s.name in shapes]
    done: set[str] = set()
    if sharing and len(changed) == len(sharing):
        line, shared = sharing[0].line, sharing[0].shared_shape
        assert line is not None and shared is not None
        if len(set(changed)) == 1:
            yield replace_range(line, *shared.span, changed[0])
            done = {s.name for s in sharing}
        else:
            yield replace_range(line, shared.begin, shared.end, "")
    for symbol in symbols:
        if symbol.name not in shapes or symbol.name in done:
            continue
        assert symbol.line is not None
        if symbol.shape_span is not None:
            yield replace_range(symbol.line, *symbol.shape_span, shapes[symbol.name])
        else:
            yield insert(symbol.line, symbol.name_span[1], f"({shapes[symbol.name]})")


def without(gone: list[Symbol], rows: list[str]) -> Iterator[Edit]:
    """The declaration of some names without them; ``rows`` are declarations that are before it."""
    line = gone[0].line if gone else None
    if line is None:
        return
    below = f"\n{' ' * line.segments[0][2]}"
    listed, places = entity_spans(line), {s.entity_span for s in gone}
    if all(span in places for span in listed):
        yield replace_range(line, 0, len(line.text), below.join(rows))
        return
    yield from (insert(line, 0, row + below) for row in rows)
    index = 0
    while index < len(listed):
        if listed[index] not in places:
            index += 1
            continue
        last = index
        while last + 1 < len(listed) and listed[last + 1] in places:
            last += 1
        if index == 0:
            yield replace_range(line, listed[0][0], listed[last + 1][0], "")
        else:
            yield replace_range(line, listed[index - 1][1], listed[last][1], "")
        index = last + 1


def with_unknown_size(name: str, place: OldSize, file: str) -> Edit | Diagnostic:
    """The edit that puts ``*`` in the place of a last extent of 1; HF603 where it is declared together with others."""
    if place.start >= 0:
        return replace_range(place.line, place.start, place.end, "*")
    message = f"'{name}' is copied here, and its last extent is declared as 1 together with others"
    return error("HF603", message, place.line.place(file), f"declare {name}(*)")
