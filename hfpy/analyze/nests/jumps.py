"""Jumps: which loops and constructs they leave, and whether they go backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from hfpy.analyze.dependence.forms import Form
from hfpy.analyze.dependence.model import Condition, Every, negated
from hfpy.model.statements import LOOPS, Construct, Jump, Node, OneLine, Statement, flatten, name_of
from hfpy.values import dataclass

_ENDS = ("return", "@exit", "stop", "errorstop")


@dataclass(frozen=True, slots=True)
class Level:
    """A loop whose body is walked, a routine, or a block that jumps end at (another construct by its name, a label).

    ``depth`` is the number of loops around what is in it directly, ``guards`` the number of conditions.
    """

    depth: int
    guards: int
    name: str = ""
    kind: str = "loop"


# The most comparisons in the condition of a jump: with many labels one jump's condition has those of others several
# times over.
_LARGEST = 200


@dataclass(frozen=True, slots=True, eq=False)
class Leaving:
    """A jump that what follows is after: it happens only if the jump did not. It ends at ``label``, after the
    construct of that name, or with the body of the loop at ``depth``.

    ``own`` tells that the jump did not happen where it was reached, that is, where none of the jumps in ``before``
    happened; ``condition`` that it did not happen. They are None where that is not known. ``size`` is the number of
    comparisons in ``condition``.
    """

    depth: int
    own: Condition | None
    condition: Condition | None
    label: str = ""
    before: tuple[Leaving, ...] = ()
    size: int = 1


def target(jump: Jump, levels: list[Level]) -> Level:
    """The level whose rest a jump passes over: that of a loop that goes on or ends, or that of the routine."""
    base = max(n for n, level in enumerate(levels) if level.kind == "routine")
    inner = levels[base + 1 :]
    if jump.kind in _ENDS and not jump.target:
        return levels[base]
    if jump.target:
        return next((level for level in reversed(inner) if level.name == jump.target), levels[base])
    return next((level for level in reversed(inner) if level.kind == "loop"), levels[base])


def left_by(
    jump: Jump, levels: list[Level], depth: int, guards: tuple[Condition, ...], leaving: Sequence[Leaving]
) -> Leaving:
    """What a jump under some conditions, within ``depth`` loops, passes over. ``leaving`` are the jumps before it. It
    happens only where they did not, and their labels may be among the statements that it passes over.
    """
    level = target(jump, levels)
    label = jump.target if jump.kind == "goto" or level.kind == "block" else ""
    if level.depth != depth or (jump.kind == "goto" and level.kind != "block"):
        return Leaving(level.depth, None, None, label)
    before = tuple(x for x in leaving if x.label and x.label != label)
    mine = guards[level.guards :]
    size = len(mine) + sum(x.size for x in before)
    known = [c for c in none_of(before) if c is not None]
    reported = len(known) == len(before) and size <= _LARGEST
    condition = negated(Every((*mine, *known))) if reported else None
    return Leaving(level.depth, negated(Every(mine)), condition, label, before, size)


def none_of(leaving: Sequence[Leaving]) -> Iterator[Condition | None]:
    """That none of some jumps happened, a condition for each; None where it is not known. A jump of which all the
    jumps before it are among them was reached, so that its own condition tells enough.
    """
    there = {id(x) for x in leaving}
    for x in leaving:
        yield x.own if all(id(y) in there for y in x.before) else x.condition


def joined(
    values: Mapping[str, Form], others: Sequence[Mapping[str, Form]], fresh: Callable[[str], Form]
) -> dict[str, Form]:
    """What scalars hold where several ways meet: what all agree about, and new values."""
    results = (values, *others)
    found = {}
    for name in dict.fromkeys(n for r in results for n in r):
        value, *more = {r.get(name) for r in results}
        found[name] = value if value is not None and not more else fresh(name)
    return found


def leaves(loop: Construct) -> bool:
    """Whether a jump in a loop's body may end the loop."""
    labels = {s.line.label for s in flatten(loop.body)} | ({loop.end.line.label} if loop.end is not None else set())
    own = name_of(loop)
    return any(_leaves(jump, inside, names, labels, own) for jump, inside, names in _jumps(loop.body, 0, ()))


def _leaves(jump: Jump, inside: int, names: tuple[str, ...], labels: set[str], own: str) -> bool:
    if jump.kind in _ENDS and not jump.target:
        return True
    if jump.kind == "cycle" and jump.target == own:
        return False
    if jump.kind == "goto":
        return jump.target not in labels
    if jump.target:
        return jump.target not in names and jump.kind in ("exit", "cycle", "@exit")
    return jump.kind == "exit" and not inside


def _jumps(nodes: tuple[Node, ...], inside: int, names: tuple[str, ...]) -> Iterator[tuple[Jump, int, tuple[str, ...]]]:
    """The jumps below some nodes, with the number of loops around each, and the names of the constructs."""
    for node in nodes:
        if isinstance(node, Construct):
            name = name_of(node)
            for part in node.parts:
                yield from _jumps(part.body, inside + (node.kind in LOOPS), (*names, name))
        else:
            statement: Statement = node
            while isinstance(statement, OneLine):
                statement = statement.action
            if isinstance(statement, Jump):
                yield statement, inside, names


def disordered(nodes: tuple[Node, ...]) -> bool:
    """Whether a jump goes backwards, so that statements run again that are in no loop."""
    seen: set[str] = set()
    for statement in flatten(nodes):
        if statement.line.label:
            seen.add(statement.line.label)
        if isinstance(statement, Jump) and statement.kind == "goto" and statement.target in seen:
            return True
    return False
