"""Calls that print values after every kernel, the same text on every backend (``--debug-print``; hybrid-fortran.md
§11, without the names of dimensions that were wired in there, B29).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.model.directives import Region
from hfpy.model.expressions import names_in
from hfpy.model.names import from_statement
from hfpy.model.source import compact
from hfpy.model.statements import Construct
from hfpy.model.units import Routine
from hfpy.options import DebugPrint
from hfpy.parse.text.macros import numbers_named
from hfpy.transform.device.datadialect import DataDirectives, Handle, dialect_of
from hfpy.transform.text.edits import Edit, insert_lines
from hfpy.transform.text.wrapping import wrap_line

MODULE = "hfpy_debug"
_NUMBERS = ("real", "complex")
_PRINTED = (*_NUMBERS, "integer", "logical")


def debug_prints(facts: Facts, effects: Effects, routine: Routine) -> list[Edit]:
    """All edits of a routine. Files in fixed form, and pure routines, print nothing."""
    wanted = facts.application.options.debug_print
    position = facts.positions.get(routine.key)
    if not wanted.on or not position.own or position.above or {"pure", "elemental"} & set(routine.prefix):
        return []
    if facts.application.file(routine.key).fixed or not _named(routine.name, routine.key, wanted.routines):
        return []
    edits = list(_Printer(facts, effects, routine, wanted).edits())
    if edits:
        margin = " " * (routine.header.segments[0][2] + 2)
        rows = [f"{margin}use {MODULE}, only: hf_debug_kernel, hf_debug_value, hf_debug_end"]
        edits.append(insert_lines(routine.uses_row, rows, -18, routine.header.first))
    return edits


def _named(name: str, key: str, chosen: tuple[str, ...]) -> bool:
    return not chosen or name in chosen or key in chosen


class _Printer:
    """The edits of one routine."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine, wanted: DebugPrint) -> None:
        self.facts = facts
        self.routine = routine
        self.wanted = wanted
        self.points = _points(facts, routine, wanted)
        self.sharing = RoutineSharing(facts, effects, routine)
        self.dialect = dialect_of(facts.backend(routine.key), facts.application.options.kinds)

    def edits(self) -> Iterator[Edit]:
        """The lines after each region."""
        for number, construct in enumerate(regions_of(self.routine)):
            region = self.facts.positions.regions.get(RegionId(self.routine.key, number))
            if region is None or region.vector or construct.end is None or from_statement(region.iterators):
                continue
            rows = [
                row for data in self._printed(number, construct, region) for row in self._rows(data, region, number)
            ]
            place = self.facts.application.shown_place(self.routine.key, region.line)
            name = f"{number} of {self.routine.name}"
            head = f'call hf_debug_kernel("{name}"//hf_debug_end, "{place}"//hf_debug_end)'
            margin = " " * construct.header.line.segments[0][2]
            macros = self.facts.application.macros
            lines = [piece for row in (head, *rows) for piece in wrap_line(margin + row, macros)]
            yield insert_lines(construct.end.line.last + 1, lines, -4, construct.end.line.first)

    def _printed(self, number: int, construct: Construct, region: Region) -> list[DataObject]:
        """Arrays, and numbers, of the region that have a value after it; counts and flags if it sets them."""
        sharing = self.sharing.region(number)
        placed = sharing.place()
        reduced = {r.name for r in region.reductions}
        written = {*sharing.body.flow().written, *reduced}
        names = {*placed.shared, *placed.lastprivate} & {*sharing.body.mentioned} | reduced
        objects = (self.facts.object(name, self.routine.key) for name in sorted(names))
        return [d for d in objects if d is not None and self._shown(d, d.name in written)]

    def _shown(self, data: DataObject, written: bool) -> bool:
        base = data.symbol.type.base
        if data.symbol.constant or base not in _PRINTED or any(d.form == "star" for d in data.symbol.shape):
            return False
        if not _named(data.name, "", self.wanted.arrays):
            return False
        return bool(data.rank) or base in _NUMBERS or written

    def _rows(self, data: DataObject, region: Region, number: int) -> list[str]:
        """The call for one variable, after its values came from the device where a compiler's runtime has them."""
        storage = self.facts.order(data).storage or tuple(range(data.rank))
        lower = f"int(lbound({data.name}), 4)" if data.rank else "[0]"
        texts = (self._point(data, self._indexed(data, region, number)), " ".join(map(str, storage)), data.name)
        listed = ", ".join(f'"{text}"//hf_debug_end' for text in texts)
        call = f"call hf_debug_value({data.name}, {lower}, {listed})"
        test = ""
        if data.symbol.dynamic:
            test = f"{'associated' if 'pointer' in data.symbol.attributes else 'allocated'}({data.name})"
        elif "optional" in data.symbol.attributes:
            test = f"present({data.name})"
        rows = [f"if ({test}) {call}" if test else call]
        if data.rank and isinstance(self.dialect, DataDirectives):
            place = self.facts.application.shown_place(self.routine.key, region.line)
            rows = [*self.dialect.update_host(Handle(data.name, place, test)), *rows]
        return rows

    def _indexed(self, data: DataObject, region: Region, number: int) -> list[str]:
        """For each dimension the domain whose iterator is its index wherever the region names the array; or nothing."""
        found: list[set[str]] = [set() for _ in data.used]
        for reference in self.sharing.region(number).body.references:
            indices = reference.indices
            if reference.name == data.name and indices is not None and len(indices) == data.rank:
                for names, index in zip(found, indices, strict=True):
                    names |= names_in(index) & set(region.iterators)
        return [names.pop() if len(names) == 1 else "" for names in found]

    def _point(self, data: DataObject, indexed: Sequence[str]) -> str:
        """An index for each declared dimension, or ``*`` for the first one: by domain, iterator, size or place."""
        seen: Counter[str] = Counter()
        indices = []
        for place, (dimension, iterator) in enumerate(zip(data.used, indexed, strict=True), 1):
            size = compact(dimension.size)
            names = [n for n in (dimension.name.lower(), iterator, size, str(place)) if n]
            found = next((n for n in names if n in self.points), "")
            if found:
                seen[found] += 1
                indices.append(str(self.points.get(f"{found}_{seen[found]}", self.points[found])))
            else:
                indices.append("*")
        return " ".join(indices)


def _points(facts: Facts, routine: Routine, wanted: DebugPrint) -> dict[str, int]:
    """The indices by name: what the macros ``DEBUG_OUT_…`` say, and over it what the project says."""
    points = numbers_named("DEBUG_OUT_", facts.application.macros_of(routine.key))
    return {**points, **{compact(name): index for name, index in wanted.point}}
