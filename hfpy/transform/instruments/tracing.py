"""Calls that write arrays at kernel boundaries, for ``hfpy verify``: after every region the arrays that it writes, and
at the end of every routine that leads to regions the array arguments that it may change.

A region is known by the line of the user's file with its end, so that builds of different levels can be compared: a
region that the optimiser has made of several ends where the last of these does. Local arrays are written at level 0
only, since the optimiser may keep only parts of them, or none, but for those that outlast a call. Those that the user
calls temporaries are written nowhere. Array statements that became regions are passed over, as they are none on the
other side.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.accesses import parallel_positions
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, keeps_value, resolve_alias
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.order.allocations import known_size
from hfpy.model.names import from_statement
from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.text.edits import Edit, insert_lines

MODULE = "hfpy_verify"


def traces(facts: Facts, effects: Effects, routine: Routine) -> list[Edit]:
    """All edits of a routine."""
    position = facts.positions.get(routine.key)
    if not (position.own or position.below) or position.above or {"pure", "elemental"} & set(routine.prefix):
        return []
    used = {"hf_trace", "hf_trace_end"}
    edits = [*_behind_regions(facts, effects, routine, used), *_at_end(facts, effects, routine, used)]
    if edits:
        margin = " " * (routine.header.segments[0][2] + 2)
        rows = [f"{margin}use {MODULE}, only: {', '.join(sorted(used))}"]
        edits.append(insert_lines(routine.uses_row, rows, -19, routine.header.first))
    return edits


def _behind_regions(facts: Facts, effects: Effects, routine: Routine, used: set[str]) -> Iterator[Edit]:
    index = facts.application.file(routine.key)
    for number, construct in enumerate(regions_of(routine)):
        identity = RegionId(routine.key, number)
        region = facts.positions.regions.get(identity)
        if region is None or construct.end is None or region.vector or from_statement(region.iterators):
            continue
        scope = routine.scope(construct.header.line)
        passed_over = {listed.name for listed in scope.temporaries} if scope is not None else set()
        written: dict[str, DataObject] = {}
        for reference in facts.references[routine.key]:
            if number not in reference.at.regions or not facts.live(reference.at, routine.key):
                continue
            name = resolve_alias(reference.name, reference.at)[0]
            data = facts.object(name, routine.key) if name is not None else None
            if data is None or not data.rank or reference.component or not effects.of(reference, routine.key)[1]:
                continue
            if data.name in passed_over:
                continue
            lasts = not data.local or keeps_value(routine, data.name)  # also a member of a common block
            if lasts or (parallel_positions(data, region) and not facts.application.options.opt):
                written[data.name] = data
        point = f"{routine.key}, the region that ends in line {index.user_line(construct.end.line.last)}"
        rows = [r for name in sorted(written) for r in _call(facts, routine, written[name], point, region.line, used)]
        if rows:
            yield insert_lines(construct.end.line.last + 1, rows, -4, construct.end.line.first)


def _at_end(facts: Facts, effects: Effects, routine: Routine, used: set[str]) -> Iterator[Edit]:
    if routine.end is None or routine.kind == "program":
        return
    rows = []
    passed_over = {listed.name for scope in routine.scopes for listed in scope.temporaries}
    for name in routine.dummies:
        data = facts.object(name, routine.key)
        if data is not None and data.rank and name not in passed_over and effects.intent(routine.key, name) != "in":
            rows += _call(facts, routine, data, f"{routine.key}, end", routine.end, used)
    unit = facts.application.file(routine.key).units[routine.unit]
    lines = facts.application.file(routine.key).lines
    at = lines[unit.contains].first if unit.contains >= 0 else routine.end.first
    if rows:
        yield insert_lines(at, rows, -3, routine.end.first)


def _call(facts: Facts, routine: Routine, data: DataObject, point: str, line: LogicalLine, used: set[str]) -> list[str]:
    """The call that writes an array; none where its size is not known here (``a(*)``), or where it has blocks and
    nothing tells what of them is padding. ``used`` gets the names that it needs besides.
    """
    if any(dim.form == "star" for dim in data.symbol.shape):
        return []
    margin = " " * (routine.header.segments[0][2] + 2)
    place = facts.application.shown_place(routine.key, line)
    permutation = _permutation(facts, data)
    if permutation is None:
        return []
    if facts.order(data).blocks:
        used.add("hf_trace_range")
    texts = ", ".join([permutation, *(f'"{text}"//hf_trace_end' for text in (data.name, point, place))])
    call = f"call hf_trace({_elements(facts, data)}, {texts})"
    if data.symbol.dynamic:
        test = "associated" if "pointer" in data.symbol.attributes else "allocated"
        call = f"if ({test}({data.name})) {call}"
    elif "optional" in data.symbol.attributes:
        call = f"if (present({data.name})) {call}"
    return [margin + call]


def _elements(facts: Facts, data: DataObject) -> str:
    """An array, without the elements that it has more for a script, which the program never sees."""
    pads = dict(facts.application.options.padded.get(data.identity, ()))
    if not pads:
        return data.name
    shown = [":"] * data.rank
    for place, dimension in enumerate(facts.order(data).stored(data.rank)):
        if (count := pads.get(dimension)) is None:
            continue
        shown[place] = f":ubound({data.name}, {place + 1}) - {count}"
    return f"{data.name}({', '.join(shown)})"


def _permutation(facts: Facts, data: DataObject) -> str | None:
    """The declared place of each dimension in memory, as an expression; for those in blocks their pieces and ranges."""
    order = facts.order(data)
    if not order.pieces:
        return f'"{" ".join(map(str, order.storage)) if order.storage is not None else ""}"//hf_trace_end'
    signs = {"whole": "{0}", "within": "{0}:{1}", "number": "{0}/{1}"}
    pieces = " ".join(signs[p.part].format(p.dimension, p.extent) for p in order.pieces)
    parts = [f'"{pieces}"']
    for dimension in sorted(order.blocks):
        size = known_size(facts, data, dimension)
        if size is None or size.upper is None:
            return None
        parts.append(f"hf_trace_range({dimension}, {size.lower or ONE}, {size.upper})")
    return "//".join([*parts, "hf_trace_end"])
