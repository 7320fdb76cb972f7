"""Jumps: which loops they leave, and whether they go backwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hfpy.analyze.dependence.model import Condition, Every, negated
from hfpy.model.statements import Construct, Header, Jump, Node, OneLine, Statement, flatten

LOOPS = ("do", "dowhile", "doconcurrent")
_ENDS = ("return", "@exit", "stop", "errorstop")


@dataclass(frozen=True, slots=True)
class Level:
    """A loop whose body is walked, or a routine: ``depth`` is the number of loops around what stands in it directly,
    ``guards`` the number of conditions.
    """

    depth: int
    guards: int
    name: str = ""
    loop: bool = True


@dataclass(frozen=True, slots=True)
class Leaving:
    """A jump that what follows is behind: it happens only if the jump did not. ``condition`` is None where that cannot
    be told. It ends at ``label``, or with the body of the loop at ``depth``.
    """

    depth: int
    condition: Condition | None
    label: str = ""


def target(jump: Jump, levels: list[Level]) -> Level:
    """The level whose rest a jump passes over: that of a loop that goes on or ends, or that of the routine."""
    base = max(n for n, level in enumerate(levels) if not level.loop)
    inner = levels[base + 1 :]
    if jump.kind in _ENDS or jump.kind == "goto" or not inner:
        return levels[base]
    if jump.target:
        return next((level for level in reversed(inner) if level.name == jump.target), levels[base])
    return inner[-1]


def left_by(jump: Jump, levels: list[Level], depth: int, guards: tuple[Condition, ...]) -> Leaving:
    """What a jump under some conditions, within ``depth`` loops, passes over."""
    level = target(jump, levels)
    straight = level.depth == depth and jump.kind != "goto"
    condition = negated(Every(guards[level.guards :])) if straight else None
    return Leaving(level.depth, condition, jump.target if jump.kind == "goto" else "")


def leaves(loop: Construct) -> bool:
    """Whether a jump in a loop's body may end the loop."""
    labels = {s.line.label for s in flatten(loop.body)} | ({loop.end.line.label} if loop.end is not None else set())
    return any(_leaves(jump, inside, labels) for jump, inside in _jumps(loop.body, ()))


def _leaves(jump: Jump, inside: tuple[str, ...], labels: set[str]) -> bool:
    if jump.kind in _ENDS:
        return True
    if jump.kind == "goto":
        return jump.target not in labels
    if jump.target:
        return jump.target not in inside and jump.kind in ("exit", "cycle")
    return jump.kind == "exit" and not inside


def _jumps(nodes: tuple[Node, ...], inside: tuple[str, ...]) -> Iterator[tuple[Jump, tuple[str, ...]]]:
    """The jumps below some nodes, with the names of the loops around each ('' for one without)."""
    for node in nodes:
        if isinstance(node, Construct):
            name = node.header.construct_name if isinstance(node.header, Header) else ""
            within = (*inside, name) if node.kind in LOOPS else inside
            for part in node.parts:
                yield from _jumps(part.body, within)
        else:
            statement: Statement = node
            while isinstance(statement, OneLine):
                statement = statement.action
            if isinstance(statement, Jump):
                yield statement, inside


def disordered(nodes: tuple[Node, ...]) -> bool:
    """Whether a jump goes backwards, so that statements run again that are in no loop."""
    seen: set[str] = set()
    for statement in flatten(nodes):
        if statement.line.label:
            seen.add(statement.line.label)
        if isinstance(statement, Jump) and statement.kind == "goto" and statement.target in seen:
            return True
    return False
