"""``exit`` out of constructs that are no loops, in plain form: jumps to labels after the constructs. ``@exit`` in a
region without loops on the target is such a jump, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.model.statements import Construct, Header, Jump, constructs, flatten, name_of, named_blocks
from hfpy.model.units import Routine
from hfpy.transform.text.edits import Edit, insert_lines, replace_range

_LAST_LABEL = 99999


def exit_edits(facts: Facts, _effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of the files of some routines, for those that leave such constructs by their names."""
    made: dict[str, list[Edit]] = {}
    for key in keys:
        routine = facts.routine(key)
        jumps = [s for s in flatten(routine.body) if isinstance(s, Jump) and s.kind in ("exit", "@exit") and s.target]
        blocks = named_blocks(routine.body) | _inactive(facts, routine)
        labels = _labels(routine, {j.target for j in jumps if j.target in blocks})
        alone = facts.application.file(key).alone
        ends = (blocks[name].end for name in labels)
        if labels and all(end is not None and not end.line.file and alone(end.line) for end in ends):
            made.setdefault(routine.file, []).extend(_edits(jumps, blocks, labels))
    return made


def _inactive(facts: Facts, routine: Routine) -> dict[str, Construct]:
    """The regions that have no loops on the target, by the names that their ``@exit`` have."""
    active = {id(region) for region in facts.positions.regions.values()}
    found = (c for c in constructs(routine.body) if c.region is not None and id(c.region) not in active)
    return {name_of(c): c for c in found}


def _labels(routine: Routine, names: set[str]) -> Mapping[str, int]:
    """A label for each construct, which the routine does not have."""
    statements = list(flatten(routine.body))
    taken = {s.line.label for s in statements} | {s.label for s in statements if isinstance(s, Header)}
    free = (n for n in range(_LAST_LABEL, 0, -1) if str(n) not in taken)
    return dict(zip(sorted(names), free, strict=False))


def _edits(jumps: list[Jump], blocks: Mapping[str, Construct], labels: Mapping[str, int]) -> Iterator[Edit]:
    for jump in jumps:
        if jump.target in labels:
            start, end = jump.span
            text = f"go to {labels[jump.target]}"
            yield replace_range(jump.line, start, len(jump.line.text) if end < 0 else end, text)
    for name, label in labels.items():
        last = blocks[name].end
        assert last is not None
        yield insert_lines(last.line.last + 1, [f"{label} continue"], 0, last.line.first)
