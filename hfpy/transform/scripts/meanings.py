"""Names that parts of a kernel give a meaning of their own, and the type of a loop's variable.

Transformations put a value, or another name, in the places of a name. In an implied loop, a ``forall``, a ``do
concurrent``, an ``associate``, a ``select type`` or a ``block`` that name may be another variable than around it, and
so may be a name in the value.
"""

from __future__ import annotations

from collections.abc import Collection

from hfpy.analyze.language.given import given_by, given_in
from hfpy.analyze.language.typed import Types
from hfpy.analyze.nests.around import around
from hfpy.model.building import apply, literal, name
from hfpy.model.expressions import Expr
from hfpy.model.statements import Construct, Header, Node
from hfpy.parse.statements.nests import innermost_body
from hfpy.transform.scripts.legality import Against
from hfpy.transform.scripts.work import Work

# What a rule says; the words are in messages.
MEANING = "names mean the same in all that is written anew"
INTEGER = "the loop's variable is an integer of the routine's own"


def check_meanings(work: Work, key: str, number: int, names: Collection[str], loop: Construct | None = None) -> None:
    """Nothing in a region, or around it, gives one of some names a meaning of its own; with a ``loop`` of the body,
    nothing in that loop or around it. Raises Against.
    """
    body = work.body(key, number)
    nodes = innermost_body(body.construct, body.region)
    outer = [*around(body), *(way_to(nodes, loop) if loop is not None else ())]
    given = [pair for construct in outer for pair in given_by(construct)]
    given += given_in(nodes if loop is None else (loop,))
    for one, statement in given:
        if one in names:
            raise Against(MEANING, f"'{one}' means something else here", statement)


def way_to(nodes: tuple[Node, ...], loop: Construct) -> tuple[Construct, ...]:
    """The constructs around a loop that is somewhere in some nodes, outermost first."""
    for node in nodes:
        if not isinstance(node, Construct) or node is loop:
            continue
        for part in node.parts:
            if any(one is loop for one in part.body):
                return (node,)
            if found := way_to(part.body, loop):
                return (node, *found)
    return ()


def check_counter(work: Work, key: str, number: int, *loops: Construct) -> None:
    """The variables of loops are integers of one kind, which are declared where the kernel is. Raises Against."""
    found = [counter(work, key, loop) for loop in loops]
    for loop, kind in zip(loops, found, strict=True):
        if kind is None:
            raise Against(INTEGER, f"'{_variable(loop)}' is no integer", loop.header)
        if kind != found[0]:
            raise Against(INTEGER, f"'{_variable(loop)}' has another kind than '{_variable(loops[0])}'", loop.header)


def counter(work: Work, key: str, loop: Construct) -> int | None:
    """The bytes of the integer that counts a loop; None where that is not known."""
    data = work.facts.object(_variable(loop), key)
    if data is None or data.rank or data.symbol.type.base != "integer":
        return None
    found = Types(work.application, work.facts.scopes).variable(data.symbol, data.home, key)
    return found.bytes if found is not None else None


def kind_of_counter(work: Work, key: str, loop: Construct) -> str:
    """The kind parameter of the integer that counts a loop, as constants have it; empty for the default kind. Raises
    Against.
    """
    check_counter(work, key, 0, loop)
    data = work.facts.object(_variable(loop), key)
    if counter(work, key, loop) == work.application.options.kinds.integer:
        return ""
    kind = data.symbol.type.kind if data is not None and data.home == key else None
    text = kind.text.strip() if kind is not None else ""
    if not (text.isidentifier() or text.isdecimal()):
        raise Against(INTEGER, f"'{_variable(loop)}' has a kind that constants cannot be written with", loop.header)
    return text


def as_counter(work: Work, key: str, loop: Construct, bound: Expr) -> Expr:
    """A bound of a loop in the kind of its variable: arguments of ``min`` have one kind. Raises Against."""
    kind = kind_of_counter(work, key, loop)
    found = Types(work.application, work.facts.scopes).expression(bound, key)
    if found is not None and found.base == "integer" and found.bytes == counter(work, key, loop):
        return bound
    wanted = (literal("int", kind),) if kind.isdecimal() else (name(kind),) if kind else ()
    return apply("int", (bound, *wanted))


def _variable(loop: Construct) -> str:
    return loop.header.var if isinstance(loop.header, Header) else ""
