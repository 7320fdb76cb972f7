"""Serial loops around regions go into them, where each point may run them for itself: one kernel instead of one for
each region in each turn (:mod:`hfpy.analyze.regions.ownturns` decides).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.regions.ownturns import OwnTurns, closing, opening, own_turns
from hfpy.backendtable import DEVICE_BACKENDS
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Header
from hfpy.transform.passes import Made, Refusal, edited_files
from hfpy.transform.text.edits import Edit, insert_rows, replace_lines, replace_rows
from hfpy.values import dataclass


@dataclass(frozen=True)
class MadeLoops(Made):
    """What the pass made, in lines of text by routine."""

    said: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    moved: frozenset[str] = frozenset()

    def only(self, accepted: Collection[str], facts: Facts) -> MadeLoops:
        """What was done in the files whose text is accepted; elsewhere nothing is to be said."""
        gone = {key for key in self.moved if facts.routine(key).file not in accepted}
        return replace(super().only(accepted, facts), said={k: v for k, v in self.said.items() if k not in gone})


@dataclass(frozen=True)
class Loops:
    """The pass that lets points run serial loops for themselves."""

    name: str = "loops"
    needs: frozenset[str] = frozenset({"fuse"})
    whole: bool = False

    def validate(self, facts: Facts, effects: Effects) -> Mapping[str, tuple[Refusal, ...]]:
        """Nothing: :meth:`explain` tells why loops stay."""
        return {}

    def apply(self, facts: Facts, effects: Effects, only: Collection[str] | None = None) -> MadeLoops:
        """New texts in which loops and the directives of their regions have changed places."""
        edits: dict[str, list[Edit]] = {}
        said: dict[str, tuple[str, ...]] = {}
        moved = set()
        for key in dict.fromkeys(region.routine for region in facts.positions.regions):
            routine = facts.routine(key)
            if not facts.graph.has(routine, only) or not _may_move(facts, key):
                continue
            found = list(own_turns(facts, effects, routine))
            index = facts.application.file(key)
            said[key] = tuple(_said(one, index.user_line(one.loops[0].header.line.first)) for one in found)
            for one in found:
                if not one.against:
                    edits.setdefault(routine.file, []).extend(_edits(index.source.lines, one))
                    moved.add(key)
        return MadeLoops(edited_files(facts, edits), {}, said=said, moved=frozenset(moved))

    def explain(self, made: Made, _facts: Facts, key: str) -> Iterator[str]:
        """The loops of a routine that went into kernels, and those that stay around them with the reason."""
        yield from made.said.get(key, ()) if isinstance(made, MadeLoops) else ()


def _may_move(facts: Facts, key: str) -> bool:
    """Whether nothing looks at what each kernel of a routine has done, and it has kernels."""
    options = facts.application.options
    watched = options.trace or options.profile or options.races or options.debug_print.on
    return facts.target == "gpu" and facts.backend(key) in DEVICE_BACKENDS and not watched


def _said(one: OwnTurns, line: int) -> str:
    names = [loop.header.var for loop in one.loops if isinstance(loop.header, Header) and loop.header.var]
    listed = ", ".join(f"'{name}'" for name in names)
    several, kernels = len(one.regions) > 1, len(one.kernels)
    if one.against:
        word = "kernels" if several else "kernel"
        return f"  line {line}: the loop{'' if not listed else ' over '}{listed} stays around its {word}: {one.against}"
    loops = f"the loop{'s' if names[1:] else ''} over {listed}"
    regions = f" and the {len(one.regions)} regions in it" if several else ""
    return f"  line {line}: {loops}{regions} within {'one kernel' if kernels == 1 else f'{kernels} kernels'}"


def _edits(lines: tuple[str, ...], one: OwnTurns) -> Iterator[Edit]:
    """What opens and closes the first region of a kernel is around the loops; all other such lines go, as other
    regions of it need not have loops of their own. From the second kernel on the loops are copies.
    """
    outer, heads = one.loops[0], [loop.header.line for loop in one.loops]
    first = opening(one.regions[0])
    yield insert_rows(outer.header.line.first, _rows(lines, first))
    yield from map(_gone, first)
    for kernel in one.kernels:
        for region, following in pairwise(kernel):
            yield from map(_gone, (*closing(region), *opening(following)))
    for kernel, behind in pairwise(one.kernels):
        begins = opening(behind[0])
        yield from _replaced(lines, closing(kernel[-1]), [*map(_end, reversed(one.loops)), *closing(kernel[0])])
        yield from _replaced(lines, begins, [*begins, *heads])
    last = one.kernels[-1]
    yield insert_rows(_end(outer).last + 1, _rows(lines, closing(last[0])))
    yield from map(_gone, closing(last[-1]))


def _replaced(lines: tuple[str, ...], old: Sequence[LogicalLine], new: Iterable[LogicalLine]) -> Iterator[Edit]:
    """Other lines of the file in the place of some: at the first of them."""
    yield replace_rows(old[0].first, old[0].last, _rows(lines, new))
    yield from map(_gone, old[1:])


def _rows(lines: tuple[str, ...], taken: Iterable[LogicalLine]) -> list[tuple[str, int]]:
    return [(lines[row], row) for line in taken for row in range(line.first, line.last + 1)]


def _gone(line: LogicalLine) -> Edit:
    return replace_lines(line.first, line.last, [])


def _end(construct: Construct) -> LogicalLine:
    assert construct.end is not None
    return construct.end.line
