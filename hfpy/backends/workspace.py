"""Local arrays of run-time size in routines that kernels call, in terms of the kernel: how large each of them is, where
that is the same for every call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hfpy.analyze.graph import CallSite
from hfpy.analyze.scopes import Found
from hfpy.backends.c.space import bounds_of
from hfpy.backends.c.views import scalar_of
from hfpy.model.expressions import Fragment, Keyword, Name, walk
from hfpy.model.kernel import Slot, Workspace
from hfpy.parse.fragments import expanded, fragment, piece

if TYPE_CHECKING:
    from hfpy.backends.kernelspec import SpecBuilder


def workspace(builder: SpecBuilder, slot: Slot, called: list[str]) -> Workspace:
    """The room for a local array of a routine called in a region, given by the routine's key and the array's name."""
    owner, name = slot
    data = builder.facts.object(name, owner)
    assert data is not None
    routine = builder.facts.routine(owner).name
    pairs = []
    for low, high in bounds_of(builder.facts, data):
        pairs.append((_known(builder, low, owner, called), _known(builder, high, owner, called)))
    storage = builder.facts.order(data).storage or tuple(range(data.rank))
    bounds = tuple((low, high) for low, high in (pairs[d] for d in storage) if low is not None and high is not None)
    text = builder.names.name(f"{name}_of_{routine}", ("workspace", *slot))
    scalar = scalar_of(builder.device.kinds, data)
    return Workspace(slot, routine, text, scalar, bounds if len(bounds) == data.rank else None)


def _known(builder: SpecBuilder, bound: Fragment | None, unit: str, called: list[str]) -> Fragment | None:
    """A size of a routine called here in terms of the kernel; None where it is not the same for every call."""
    if bound is None:
        return None
    if unit == builder.key:
        return builder.lasting(bound, unit)
    plain = expanded(bound, builder.facts.application.macros_of(builder.key))
    shown = plain.text
    value = builder.device.kinds.value(plain.expr, unit)
    if value is not None:
        return fragment(str(value))
    pieces: list[tuple[int, int, str]] = []
    for node in walk(plain.expr):
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
    return fragment(shown)


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


def _actual(site: CallSite, dummies: tuple[str, ...], name: str) -> Fragment | None:
    """An actual argument; None if it is not given."""
    text = site.at.statement.line.text
    for number, argument in enumerate(site.args):
        given = argument.name if isinstance(argument, Keyword) else dummies[number]
        if given == name:
            value = argument.value if isinstance(argument, Keyword) else argument
            return piece(text, value)
    return None
