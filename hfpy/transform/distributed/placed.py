"""Exchanges that hfpy places by itself, and what is to be said of those that the user has placed.

An exchange comes before the region that needs it. Where a routine may only read the field, it comes before the calls of
the routine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import reduce

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.calls import passed
from hfpy.analyze.facts import stands_for
from hfpy.analyze.language.context import Located
from hfpy.analyze.processes.halodepths import FAR, Depths, deepest, has_corners, sides_of
from hfpy.analyze.processes.halos import Walk
from hfpy.analyze.processes.regionhalos import Need
from hfpy.diagnostics import Diagnostic, Related, error, note, warning
from hfpy.model.directives import Listed, Width
from hfpy.model.distributed import Decomposition, HaloExchange
from hfpy.model.expressions import Apply, Expr, Name, base_name
from hfpy.model.expressions import walk as parts_of
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Node, expressions, flatten
from hfpy.parse.expressions.fragments import fragment
from hfpy.transform.distributed.questions import WORDS
from hfpy.values import dataclass

# By the row of a line: the line, and by name what is exchanged before it.
Places = dict[int, tuple[LogicalLine, dict[str, Need]]]
_BRANCHES = ("if", "select", "selecttype", "selectrank", "where", "forall")
_DEEPEST = 50  # calls through which a need goes up


@dataclass
class Placements:
    """Where exchanges go: for each routine the lines before which they come, with what they exchange. What is against
    it is added to ``found``.
    """

    walk: Walk
    found: list[Diagnostic]
    places: dict[str, Places] = field(default_factory=dict)

    def all(self) -> Placements:
        """Of all needs of the program."""
        for (key, _), needs in self.walk.wanted.items():
            body = self.walk.facts.routine(key).body
            for need in needs.values():
                around = list(_around(body, need.line))
                outermost = next((c.header.line for c in around if c.kind == "region"), need.line)
                if not need.name:
                    self._refused(
                        key, need, f"an exchange of '{need.identity[1]}' belongs here, which is not known here"
                    )
                elif not need.in_region and any(c.kind in _BRANCHES for c in around):
                    message = f"an exchange of '{need.name}' belongs here, which not all processes may reach"
                    self._refused(key, need, message)
                else:
                    self._place(key, outermost, around, need, 0)
        for key, listed in self.places.items():
            self.places[key] = self._together(key, listed)
        return self

    def _refused(self, key: str, need: Need, message: str) -> None:
        place = need.line.place(self.walk.facts.routine(key).file)
        self.found.append(error("HF657", message, place, "exchange it by @haloExchange where all processes do"))

    def _together(self, key: str, listed: Places) -> Places:
        """The same with what can be exchanged earlier together with something else: a message more costs more than its
        bytes (distributed.md §4).
        """
        body = self.walk.facts.routine(key).body
        made: Places = {}
        for row, (line, needs) in sorted(listed.items()):
            for name, need in needs.items():
                earlier = [
                    one
                    for first, (one, _) in made.items()
                    if first < row
                    and _block(body, one) == _block(body, line)
                    and not self._set_between(key, one, line, need)
                ]
                place = earlier[0] if earlier else line
                known = made.setdefault(place.first, (place, {}))[1]
                known[name] = (
                    need if name not in known else replace(need, depths=deepest(known[name].depths, need.depths))
                )
        return made

    def _set_between(self, key: str, first: LogicalLine, last: LogicalLine, need: Need) -> bool:
        """Whether a field may be set between two lines, under any name, or the first may be passed by."""
        facts, effects, storage = self.walk.facts, self.walk.effects, self.walk.facts.storage
        if any(first.first < s.line.first <= last.first and s.line.label for s in flatten(facts.routine(key).body)):
            return True  # jumps may lead past the first line
        field_memory = storage.of_identity(need.identity)
        for reference in facts.references.get(key, ()):
            if first.first <= reference.at.statement.line.first < last.first and effects.of(reference, key)[1]:
                memory = storage.of_designator(reference.node, reference.at, key)
                if reference.component or storage.meet(memory, field_memory):
                    return True
        sites = (s for s in facts.graph.below(key) if first.first <= s.at.statement.line.first < last.first)
        return any(not s.callee or storage.meet(effects.changed_memory(s.callee), field_memory) for s in sites)

    def _place(self, key: str, line: LogicalLine, around: Sequence[Construct], need: Need, depth: int) -> None:
        """One need before a line of a routine, or before the calls of the routine."""
        data = self.walk.facts.object(need.name, key)
        if data is not None and data.dummy and data.symbol.intent == "in" and depth < _DEEPEST:
            self._before_calls(key, need, depth)
            return
        if any(_by_process(construct) for construct in around):
            place = need.reference.at.statement.line.place(self.walk.facts.routine(key).file)
            message = f"an exchange of '{need.name}' belongs here, which not all processes would reach"
            self.found.append(
                error("HF657", message, place, "take it out of the condition, or exchange before: @haloExchange")
            )
            return
        if line.label:
            message = f"an exchange of '{need.name}' belongs before this line, and jumps lead to its label"
            self._refused(key, replace(need, line=line), message)
            return
        listed = self.places.setdefault(key, {}).setdefault(line.first, (line, {}))[1]
        before = listed.get(need.name)
        deeper = need if before is None else replace(need, depths=deepest(before.depths, need.depths))
        listed[need.name] = deeper

    def _before_calls(self, key: str, need: Need, depth: int) -> None:
        """One need of a routine that may only read the field, before its calls."""
        facts = self.walk.facts
        routine = facts.routine(key)
        if self.walk.exports.calls(routine):
            message = (
                f"an exchange of '{need.name}' belongs before the calls of '{routine.name}' by code that is not here"
            )
            hint = f"declare it intent(inout), or list '{routine.name}' in no exports"
            self.found.append(error("HF657", message, need.line.place(routine.file), hint))
            return
        for site in facts.graph.callers.get(key, ()):
            value = dict(passed(facts, site)).get(need.name)
            if value is None:
                continue
            caller = facts.routine(site.caller)
            line = site.at.statement.line
            meant = self._whole_field(site.caller, value, site.at)
            if meant is None or site.at.regions:
                message = (
                    f"an exchange of '{need.name}' belongs before this call, which passes no array that is exchanged"
                )
                self.found.append(error("HF657", message, line.place(caller.file), "exchange it by @haloExchange"))
                continue
            data, is_whole = meant
            depths = need.depths if is_whole else _everything(need.depths)
            around = list(_around(caller.body, line))
            there = replace(need, name=data.name, identity=data.identity, line=line, depths=depths)
            self._place(site.caller, line, around, there, depth + 1)

    def _whole_field(self, key: str, value: Expr, at: Located) -> tuple[DataObject, bool] | None:
        """The field that an argument is, or is a part of, and whether it is all of it."""
        base = base_name(value)
        name, whole = stands_for(base, at) if base is not None else (None, False)
        data = self.walk.facts.object(name, key) if name is not None else None
        if data is None or not self.walk.fields.cuts(key, data):
            return None
        return data, whole and isinstance(value, Name)


def _everything(depths: Depths) -> Depths:
    """As deep as there is a halo."""
    return frozenset({tuple((FAR, FAR) for _ in sides_of(depths))})


def _around(nodes: tuple[Node, ...], line: LogicalLine) -> Iterator[Construct]:
    """The constructs around a line."""
    for node in nodes:
        if not isinstance(node, Construct) or node.end is None:
            continue
        if node.header.line.first <= line.first <= node.end.line.last:
            yield node
            for part in node.parts:
                yield from _around(part.body, line)


def _block(nodes: tuple[Node, ...], line: LogicalLine) -> tuple[int, ...]:
    """The block in which a line is: the numbers of the nodes and parts on the way to it."""
    for number, node in enumerate(nodes):
        if not isinstance(node, Construct) or node.end is None or node.kind == "region":
            continue
        if node.header.line.first < line.first <= node.end.line.last:
            parts = [n for n, part in enumerate(node.parts) if part.header.line.first < line.first]
            return (number, parts[-1], *_block(node.parts[parts[-1]].body, line))
    return ()


def _by_process(construct: Construct) -> bool:
    """Whether what is in a construct depends on the process: its conditions ask for its place in the grid."""
    for part in construct.parts if construct.kind in ("if", "select") else ():
        for top in expressions(part.header):
            names = (n.base.name for n in parts_of(top) if isinstance(n, Apply) and isinstance(n.base, Name))
            if any(name in WORDS for name in names):
                return True
    return False


def exchanges_for(walk: Walk, key: str, needs: Sequence[Need]) -> Iterator[HaloExchange]:
    """What some reads of a routine need: one exchange, but for fields that have no room for the widths of the others,
    as far as is known.
    """
    groups: list[list[Need]] = []
    for need in needs:
        fitting = (group for group in groups if _has_room(walk, key, [*group, need]))
        group = next(fitting, None)
        if group is None:
            groups.append([need])
        else:
            group.append(need)
    yield from (_exchange_for(walk.grid.what, group) for group in groups)


def _has_room(walk: Walk, key: str, needs: Sequence[Need]) -> bool:
    """Whether each of some fields has as many points beside the part as the widest of them needs."""
    widest = sides_of(reduce(deepest, (need.depths for need in needs)))
    for need in needs:
        own = sides_of(need.depths)
        data = walk.facts.object(need.name, key)
        if data is None or own == widest:
            continue
        for cut in walk.grid.cuts(data):
            room = walk.grid.room(data, cut)
            for there, mine, wanted in zip(room, own[cut.number], widest[cut.number], strict=True):
                if wanted > mine and (there is None or there < wanted):
                    return False
    return True


def _exchange_for(grid: Decomposition, needs: Sequence[Need]) -> HaloExchange:
    """The exchange of what some reads need, as wide as they go; without widths where all of the halo is needed."""
    place = needs[0].reference.at.statement.line.place("")
    deepest_of_all = reduce(deepest, (need.depths for need in needs))
    sides = sides_of(deepest_of_all)
    fields = tuple(Listed(need.name, place) for need in needs)
    corners = has_corners(deepest_of_all)
    if any(FAR in side for side in sides):
        return HaloExchange(fields, (), corners, grid.name)
    widths = tuple(
        Width(domain, fragment(str(low)), fragment(str(high)))
        for domain, (low, high) in zip(grid.domains, sides, strict=True)
        if low or high
    )
    return HaloExchange(fields, widths, corners, grid.name)


def judged(walk: Walk) -> Iterator[Diagnostic]:
    """Exchanges that are missing, which are errors, and those that have no effect."""
    for missing in () if walk.grid.what.automatic else walk.missing.values():
        reference = missing.need.reference
        file = walk.facts.routine(missing.key).file
        place = reference.at.statement.line.place(file, reference.node.start, reference.node.end)
        message = f"the halo of '{missing.need.name}' is read, and it has not been exchanged since its points were set"
        yield error("HF655", message, place, _wanted(walk, missing.need), [Related(missing.stale, "they are set here")])
    for slot, (key, need) in walk.doubtful.items():
        if slot not in walk.missing:
            yield _doubtful(walk, key, need)
    for key, statement, needed in walk.exchanges.values():
        if not needed:
            place = statement.line.place(walk.facts.routine(key).file)
            yield note("HF656", "this exchange changes nothing: these halos are up to date here", place)
    for key, reference in walk.unclear.values() if walk.grid.what.automatic else ():
        place = reference.at.statement.line.place(
            walk.facts.routine(key).file, reference.node.start, reference.node.end
        )
        message = f"a neighbour is read here, and it is not known whether '{reference.name}' is a field of the grid"
        yield warning("HF658", message, place, "tell its domains by its declaration or by @domainDependant")


def _wanted(walk: Walk, need: Need) -> str:
    """The exchange that a read needs, as a hint."""
    depths = zip(walk.grid.what.domains, sides_of(need.depths), strict=True)
    shown = (
        f"{domain}:{low}:{high}" if FAR not in (low, high) else "" for domain, (low, high) in depths if low or high
    )
    widths = list(shown)
    width = f", width({', '.join(widths)})" if all(widths) else ""
    return f"before the region: @haloExchange{{fields({need.name}){width}}}"


def _doubtful(walk: Walk, key: str, need: Need) -> Diagnostic:
    """An error for a region that computes points of the halo from what may not be clean."""
    line = need.reference.at.statement.line
    place = line.place(walk.facts.routine(key).file, need.reference.node.start, need.reference.node.end)
    name = need.name or need.identity[1]
    message = f"this region computes points of the halo, and it is not certain that '{name}' is clean where it reads it"
    return error("HF655", message, place, _wanted(walk, replace(need, name=name)))
