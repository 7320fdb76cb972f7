"""Local arrays of run-time size in routines that kernels call, in terms of the kernel: how large each of them is, where
that is the same for every call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hfpy.analyze.graph import CallSite
from hfpy.analyze.scopes import Found
from hfpy.backends.c.space import bound_texts
from hfpy.backends.c.views import scalar_of
from hfpy.model.expressions import Keyword, Name, walk
from hfpy.model.kernel import Bound, Slot, Workspace
from hfpy.parse.expressions import expression
from hfpy.parse.grammar import GrammarError
from hfpy.parse.macros import expand

if TYPE_CHECKING:
    from hfpy.backends.kernelspec import SpecBuilder


def workspace(builder: SpecBuilder, slot: Slot, called: list[str]) -> Workspace:
    """The room for a local array of a routine called in a region, given by the routine's key and the array's name."""
    owner, name = slot
    data = builder.facts.object(name, owner)
    assert data is not None
    routine = builder.facts.routine(owner).name
    pairs = []
    for low, high in bound_texts(builder.facts, data):
        pairs.append((_known(builder, low, owner, called), _known(builder, high, owner, called)))
    storage = builder.facts.order(data).storage or tuple(range(data.rank))
    bounds = tuple((low, high) for low, high in (pairs[d] for d in storage) if low is not None and high is not None)
    text = builder.names.name(f"{name}_of_{routine}", ("workspace", *slot))
    scalar = scalar_of(builder.device.kinds, data)
    return Workspace(slot, routine, text, scalar, bounds if len(bounds) == data.rank else None)


def _known(builder: SpecBuilder, text: str, unit: str, called: list[str]) -> Bound | None:
    """A size of a routine called here in terms of the kernel; None where it is not the same for every call."""
    if unit == builder.key:
        return builder.lasting(text, unit)
    shown = expand(text, builder.facts.application.macros_of(builder.key))
    try:
        tree = expression(shown)
    except GrammarError:
        return None
    value = builder.device.kinds.value(tree, unit)
    if value is not None:
        return builder.number(value)
    pieces: list[tuple[int, int, str]] = []
    for node in walk(tree):
        if not isinstance(node, Name):
            continue
        found = builder.facts.scopes.variable(node.name, unit)
        given = _given_size(builder, node.name, found, unit, called) if found is not None else None
        if given is None:
            return None
        pieces.append((node.start, node.end, given if given.isidentifier() or given.isdigit() else f"({given})"))
    # All names at once: what stands for one may mention another, such as `n, m` given for `m, n`.
    for start, end, given in sorted(pieces, reverse=True):
        shown = shown[:start] + given + shown[end:]
    return Bound(shown, expression(shown))


def _given_size(builder: SpecBuilder, name: str, found: Found, unit: str, called: list[str]) -> str | None:
    if found.symbol.constant:
        value = builder.device.kinds.value(Name(0, 0, name), unit)
        return str(value) if value is not None else None
    if found.home != unit:
        return builder.globals.get((found.home, found.symbol.name))
    if name not in builder.facts.routine(unit).dummies or builder.device.effects.intent(unit, name) != "in":
        return None
    texts: set[str | None] = set()
    for caller in (builder.key, *called):
        sites = builder.sites if caller == builder.key else builder.facts.graph.sites.get(caller, ())
        for site in sites:
            if site.callee == unit:
                actual = _actual(site, builder.facts.routine(unit).dummies, name)
                known = _known(builder, actual, caller, called)
                texts.add(known.text if known is not None else None)
    return texts.pop() if len(texts) == 1 else None


def _actual(site: CallSite, dummies: tuple[str, ...], name: str) -> str:
    """The text of an actual argument; empty if it is not given."""
    text = site.at.statement.line.text
    for number, argument in enumerate(site.args):
        given = argument.name if isinstance(argument, Keyword) else dummies[number]
        if given == name:
            value = argument.value if isinstance(argument, Keyword) else argument
            return text[value.start : value.end]
    return ""
