"""Calls that count and time every kernel (``hfpy run --profile``): its name and place, its points, the bytes it moves.

A kernel moves what the model of the optimiser says (stencil-optimisation.md §9): of each array every element that the
points reach is read once if the kernel reads the array, and stored once if it changes it. What lies beside the region,
where only neighbours of its points are, does not count.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.language.sizes import linear
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.known import known_values
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.model.directives import Region
from hfpy.model.expressions import Expr, Paren, Range, Unary, names_in
from hfpy.model.names import is_own
from hfpy.model.statements import Construct, Header
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import fragment
from hfpy.transform.text.edits import Edit, insert_lines
from hfpy.transform.text.fixedform import FIELD, wrap_fixed
from hfpy.transform.text.wrapping import wrap_line

MODULE = "hfpy_profile"
_NAMES = ("kernel", "moves", "start", "stop", "count", "end")
_BEFORE, _BEHIND = 12, -6  # next to the region, inside of all copies
_KINDS = ("real", "complex", "integer", "logical", "character")


def profiled(facts: Facts, effects: Effects, routine: Routine) -> list[Edit]:
    """All edits of a routine. Pure routines are not timed."""
    position = facts.positions.get(routine.key)
    if not facts.application.options.profile or not position.own or position.above:
        return []
    if {"pure", "elemental"} & set(routine.prefix):
        return []
    profile = _Profile(facts, effects, routine)
    edits = list(profile.edits())
    if edits:
        row = f"use {MODULE}, only: {', '.join(f'hf_profile_{name}' for name in _NAMES)}"
        rows = profile.lines(routine.header.segments[0][2] + 2, row)
        edits.append(insert_lines(routine.uses_row, rows, -17, routine.header.first))
    return edits


class _Profile:
    """The edits of one routine."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.sharing = RoutineSharing(facts, effects, routine)
        self.fixed = facts.application.file(routine.key).fixed

    def lines(self, column: int, *rows: str) -> list[str]:
        """Statements as lines of the file's form, which begin in a column (from 0) in free form."""
        if self.fixed:
            return [line for row in rows for line in wrap_fixed(FIELD + row, self.facts.application.macros)]
        margin = " " * column
        return [line for row in rows for line in wrap_line(margin + row, self.facts.application.macros)]

    def edits(self) -> Iterator[Edit]:
        """The lines around each region."""
        numbered = list(enumerate(regions_of(self.routine)))
        timed = [(n, c, r) for n, c in numbered if (r := self._timed(n, c)) is not None]
        for place, (number, construct, region) in enumerate(timed, 1):
            assert construct.end is not None
            name = self.routine.name + (f" {place}" if len(timed) > 1 else "")
            name += f" ({region.name})" if region.name else ""
            several = sum(self._place(other) == self._place(region) for _, _, other in timed) > 1
            name += self._version(number, construct, region) if several else ""
            texts = ", ".join(f'"{text}"//hf_profile_end' for text in (name, self._place(region)))
            points = "*".join(self._points(region, n) for n in range(len(region.domains))) or "1_8"
            rows = [
                f"call hf_profile_kernel({texts}, {points})",
                *self._moves(number, region),
                "call hf_profile_start()",
            ]
            first, last = construct.header.line, construct.end.line
            column = first.segments[0][2]
            yield insert_lines(first.first, self.lines(column, *rows), _BEFORE, first.first)
            behind = self.lines(column, "call hf_profile_stop()")
            yield insert_lines(last.last + 1, behind, _BEHIND, first.first)

    def _version(self, number: int, construct: Construct, region: Region) -> str:
        """Which one of several versions for sizes a region is: the general one is for all other sizes."""
        written = self.sharing.region(number).body.flow().written
        known = known_values(self.facts, self.routine, construct, set(written))
        sizes = "".join(f", {name} = {value}" for name, value in known.items())
        return sizes or (", other sizes" if region.sizes else "")

    def _timed(self, number: int, construct: Construct) -> Region | None:
        region = self.facts.positions.regions.get(RegionId(self.routine.key, number))
        return None if region is None or region.vector or construct.end is None else region

    def _place(self, region: Region) -> str:
        """File and line, as the user counts."""
        return self.facts.application.shown_place(self.routine.key, region.line)

    @staticmethod
    def _points(region: Region, number: int) -> str:
        """How many points there are along one domain."""
        step = region.strides[number].text if number < len(region.strides) else ""
        blocks = is_own(region.iterators[number])  # of the optimiser: each has its points in a loop
        return _count(region.starts[number].text, region.ends[number].text, "1" if blocks or not step else step)

    def _moves(self, number: int, region: Region) -> Iterator[str]:
        """A call for each array, whose elements are counted when it runs."""
        sharing = self.sharing.region(number)
        shared = {*sharing.place().shared, *sharing.place().lastprivate}
        written = set(sharing.body.flow().written)
        found: dict[str, tuple[DataObject, list[Reference], list[Reference]]] = {}
        for reference in sharing.body.references:
            name, _ = resolve_alias(reference.name, reference.at)
            data = self.facts.object(name, self.routine.key) if name is not None else None
            if data is None or not self._counted(data, reference) or data.name not in shared:
                continue
            reads, writes = self.effects.of(reference, self.routine.key)
            entry = found.setdefault(data.name, (data, [], []))
            entry[1].extend([reference] * reads)
            entry[2].extend([reference] * writes)
        for data, reading, writing in found.values():
            parts = [self._elements(data, refs, region, written) for refs in (reading, writing) if refs]
            if not parts:
                continue
            total = f"2*{parts[0]}" if parts[1:] == parts[:1] else " + ".join(parts)
            call = f"call hf_profile_moves(int(storage_size({data.name})/8, 8)*({total}))"
            test = _test(data)
            yield f"if ({test}) {call}" if test else call

    @staticmethod
    def _counted(data: DataObject, reference: Reference) -> bool:
        symbol = data.symbol
        return bool(data.rank) and not symbol.constant and not reference.component and symbol.type.base in _KINDS

    def _elements(self, data: DataObject, references: list[Reference], region: Region, written: set[str]) -> str:
        """How many elements the points reach, as an expression."""
        order = self.facts.order(data)
        plans = [self._items(r) for r in references]
        factors = []
        for dimension in range(data.rank):
            items = [p[dimension] if p is not None and len(p) == data.rank else None for p in plans]
            declared = data.used[dimension].declared
            unknown = declared is not None and data.symbol.shape[declared].form == "star"
            blocks = f"{order.blocks[dimension]}*" if dimension in order.blocks else ""
            whole = "" if unknown else f"{blocks}size({data.name}, {order.place(dimension) + 1}, 8)"
            factors.append(self._along(items, references, region, written, whole) or "1_8")
        return "*".join(factors)

    def _items(self, reference: Reference) -> tuple[Expr | str, ...] | None:
        made = self.facts.plan_of(reference, self.routine.key)
        return made.items if made is not None and made.items is not None else reference.indices

    def _along(
        self, items: list[Expr | str | None], references: list[Reference], region: Region, written: set[str], whole: str
    ) -> str:
        """How many elements along one dimension.

        Indices that differ by a number reach the same elements, others different ones: each as many as their iterator,
        or the loop around them, has values. All of the dimension, ``whole``, is taken where that is not known; it is
        empty where the size of the dimension is not known.
        """
        reached: dict[object, str] = {}
        fixed: set[str] = set()
        for item, reference in zip(items, references, strict=True):
            if item is None or isinstance(item, Range) or item == ":":
                return whole
            line = reference.at.statement.line.text
            text = item if isinstance(item, str) else line[item.start : item.end]
            names = {item} if isinstance(item, str) else names_in(item)
            varying = (names & set(region.iterators)) or (names & written)
            if not varying:
                fixed.add(text)
                continue
            name = min(varying)
            extent = self._extent(region, name, reference, written) if len(varying) == 1 else ""
            if not extent:
                return whole
            form = linear(fragment(item).expr if isinstance(item, str) else item)
            reached[frozenset((a, n) for a, n in form if a) if form else text] = extent
        parts = [*reached.values(), *([f"{len(fixed)}_8"] if fixed else [])]
        if len(parts) == 1:
            return parts[0]
        return f"min({' + '.join(parts)}, {whole})" if whole else f"({' + '.join(parts)})"

    def _extent(self, region: Region, name: str, reference: Reference, written: set[str]) -> str:
        """How many values an iterator, or the variable of a loop in the region, has; empty if that is not known.

        Strides do not count: what is passed over mostly comes along, and blocks of columns have loops for it.
        """
        if name in region.iterators:
            number = region.iterators.index(name)
            return _count(region.starts[number].text, region.ends[number].text)
        for construct in reversed(reference.at.constructs):
            header = construct.header
            if isinstance(header, Header) and header.kind == "do" and header.var == name:
                bounds = header.exprs[:2]
                if len(bounds) < 2 or any(names_in(b) & (written | set(region.iterators)) for b in bounds):
                    return ""
                first, last = (header.line.text[b.start : b.end] for b in bounds)
                return _count(last, first) if any(map(_negative, header.exprs[2:])) else _count(first, last)
        return ""


def _negative(step: Expr) -> bool:
    """Whether an expression begins with a minus sign, within parentheses or not."""
    while isinstance(step, Paren):
        step = step.inner
    return isinstance(step, Unary) and step.op == "-"


def _count(lower: str, upper: str, step: str = "1") -> str:
    return f"hf_profile_count({', '.join(f'int({bound}, 8)' for bound in (lower, upper, step))})"


def _test(data: DataObject) -> str:
    """Whether an array is there at all, as a condition; empty where it always is."""
    if data.symbol.dynamic:
        return f"{'associated' if 'pointer' in data.symbol.attributes else 'allocated'}({data.name})"
    return f"present({data.name})" if "optional" in data.symbol.attributes else ""
