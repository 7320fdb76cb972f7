"""``goto`` out of a loop to the statement after it: an ``exit``."""

from __future__ import annotations

from dataclasses import replace

from hfpy.model.statements import Construct, Jump, Node, OneLine, Statement, flatten
from hfpy.model.units import Routine

_LOOPS = ("do", "dowhile")


def left_by_exit(routine: Routine, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Some statements of a routine with ``exit`` in the place of each ``goto`` that leaves a loop for the ``continue``
    right after it, which goes. Nothing changes where other statements jump there, too, or from a loop within.
    """
    found: list[Node] = []
    for node in nodes:
        before = found[-1] if found else None
        label = node.line.label if isinstance(node, Jump) and node.kind == "continue" else ""
        if label and isinstance(before, Construct) and before.kind in _LOOPS and _jumps(routine.body, label):
            inside = tuple(_exited(inner, label) for inner in before.body)
            if _jumps(routine.body, label) == _exits(before.body, label):
                found[-1] = replace(before, parts=(replace(before.parts[0], body=inside),))
                continue
        found.append(node)
    return tuple(found)


def _is_jump(statement: Statement, label: str) -> bool:
    return isinstance(statement, Jump) and statement.kind == "goto" and statement.target == label


def _jumps(nodes: tuple[Node, ...], label: str) -> int:
    """How many statements go to a label."""
    return sum(_is_jump(s, label) for s in flatten(nodes))


def _exits(nodes: tuple[Node, ...], label: str) -> int:
    """How many of them are in no loop of their own."""
    count = 0
    for node in nodes:
        if isinstance(node, Construct):
            count += sum(_exits(part.body, label) for part in node.parts) if node.kind not in _LOOPS else 0
        else:
            count += _jumps((node,), label)
    return count


def _exited(node: Node, label: str) -> Node:
    """A statement with ``exit`` for jumps to a label."""
    if isinstance(node, Construct):
        if node.kind in _LOOPS:
            return node
        return replace(node, parts=tuple(replace(p, body=tuple(_exited(n, label) for n in p.body)) for p in node.parts))
    if isinstance(node, OneLine) and _is_jump(node.action, label):
        return replace(node, action=_exit(node.action), made=True)
    return _exit(node) if _is_jump(node, label) else node


def _exit(jump: Statement) -> Jump:
    assert isinstance(jump, Jump)
    return replace(jump, kind="exit", target="", made=True)
