"""Exchanges that hfpy places by itself, and what is to be said of those that the user has placed.

An exchange comes before the region that needs it. Where a routine may only read the field, it comes before the calls of
the routine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hfpy.analyze.calls import dummy_name
from hfpy.analyze.halos import Need, Walk
from hfpy.diagnostics import Diagnostic, Related, error, note
from hfpy.model.directives import Listed
from hfpy.model.distributed import Decomposition, HaloExchange, Width
from hfpy.model.expressions import Apply, Name
from hfpy.model.expressions import walk as parts_of
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Node, expressions
from hfpy.parse.fragments import fragment
from hfpy.transform.distributed.questions import WORDS, outermost_around

# By the row of a line: the line, and by name what is exchanged before it.
Places = dict[int, tuple[LogicalLine, dict[str, Need]]]
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
        for region, needs in self.walk.wanted.items():
            routine = self.walk.facts.routine(region.routine)
            around = list(outermost_around(routine.body, routine.regions[region.number]))
            outermost = next(c for c in around if c.kind == "region")
            for need in needs.values():
                self._place(region.routine, outermost.header.line, around, need, 0)
        for key, listed in self.places.items():
            self.places[key] = self._together(key, listed)
        return self

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
                known[name] = need if name not in known else replace(need, depths=_deepest(known[name], need))
        return made

    def _set_between(self, key: str, first: LogicalLine, last: LogicalLine, need: Need) -> bool:
        """Whether a field may be set between two lines."""
        facts, effects = self.walk.facts, self.walk.effects
        data = facts.object(need.name, key)
        for reference in facts.references.get(key, ()):
            row = reference.at.statement.line.first
            if first.first <= row < last.first and reference.name == need.name and effects.of(reference, key)[1]:
                return True
        sites = (s for s in facts.graph.below(key) if first.first <= s.at.statement.line.first < last.first)
        return data is None or any(not s.callee or effects.may_change(s.callee, data.identity) for s in sites)

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
        listed = self.places.setdefault(key, {}).setdefault(line.first, (line, {}))[1]
        before = listed.get(need.name)
        deeper = need if before is None else replace(need, depths=_deepest(before, need))
        listed[need.name] = deeper

    def _before_calls(self, key: str, need: Need, depth: int) -> None:
        for site in self.walk.facts.graph.callers.get(key, ()):
            for position, value in enumerate(site.args):
                if dummy_name(self.walk.facts, site, position) != need.name:
                    continue
                caller = self.walk.facts.routine(site.caller)
                line = site.at.statement.line
                if not isinstance(value, Name) or site.at.regions:
                    message = f"an exchange of '{need.name}' belongs before this call, which passes no whole array"
                    self.found.append(error("HF657", message, line.place(caller.file), "exchange it by @haloExchange"))
                    continue
                around = list(_around(caller.body, line))
                self._place(site.caller, line, around, replace(need, name=value.name), depth + 1)


def _deepest(one: Need, other: Need) -> tuple[tuple[int, int], ...]:
    return tuple((max(a, c), max(b, d)) for (a, b), (c, d) in zip(one.depths, other.depths, strict=True))


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
    """The block in which a line stands: the numbers of the nodes and parts on the way to it."""
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


def exchange_for(grid: Decomposition, needs: Sequence[Need]) -> HaloExchange:
    """The exchange of what a region needs, as wide as it reads."""
    place = needs[0].reference.at.statement.line.place("")
    deepest = [
        (max(n.depths[number][0] for n in needs), max(n.depths[number][1] for n in needs))
        for number in range(len(grid.domains))
    ]
    widths = tuple(
        Width(domain, fragment(str(low)), fragment(str(high)))
        for domain, (low, high) in zip(grid.domains, deepest, strict=True)
        if low or high
    )
    fields = tuple(Listed(need.name, place) for need in needs)
    return HaloExchange(fields, widths, True, grid.name)


def judged(walk: Walk) -> Iterator[Diagnostic]:
    """Exchanges that are missing, which are errors, and those that have no effect."""
    for missing in () if walk.automatic else walk.missing.values():
        reference = missing.need.reference
        file = walk.facts.routine(missing.key).file
        place = reference.at.statement.line.place(file, reference.node.start, reference.node.end)
        depths = zip(walk.grid.what.domains, missing.need.depths, strict=True)
        width = ", ".join(f"{domain}:{low}:{high}" for domain, (low, high) in depths if low or high)
        message = f"the halo of '{missing.need.name}' is read, and it has not been exchanged since its points were set"
        hint = f"before the region: @haloExchange{{fields({missing.need.name}), width({width})}}"
        yield error("HF655", message, place, hint, [Related(missing.stale, "they are set here")])
    for key, statement, needed in walk.exchanges.values():
        if not needed:
            place = statement.line.place(walk.facts.routine(key).file)
            yield note("HF656", "this exchange changes nothing: these halos are up to date here", place)
