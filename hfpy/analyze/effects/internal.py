"""What calls do to variables of the calling routine that are no arguments: its internal procedures know them."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.flow import EffectsByStatement
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Keyword, Name
from hfpy.model.units import Routine


def used_below(facts: Facts, effects: Effects, routine: Routine) -> EffectsByStatement:
    """The variables of a routine that its calls may use by host association (Fortran 2018, 19.5.1.4), by statement:
    called internal procedures, those that a called routine gets as arguments, and what all of these call.
    """
    key = routine.key
    found: EffectsByStatement = {}
    internal = {one.name: one.key for one in facts.application.routines_of(key)}
    if not internal:
        return found
    for site in facts.graph.below(key):
        if not facts.live(site.at, key):
            continue
        called = {site.callee, *_given(site, internal)} - {""}
        mentioned = frozenset(i for one in called for i in effects.mentioned_memory(one) if i[0] == key)
        for home, name in sorted(mentioned):
            node = Name(site.node.start, site.node.end, name)
            writes = any(effects.may_change(one, (home, name)) for one in called)
            entry = (Reference(name, node, site.at, "argument"), True, writes, False)
            found.setdefault(id(site.at.statement), []).append(entry)
    return found


def _given(site: CallSite, internal: dict[str, str]) -> Iterator[str]:
    """The internal procedures that are arguments of a call."""
    for arg in site.args:
        value = arg.value if isinstance(arg, Keyword) else arg
        if isinstance(value, Name) and value.name in internal:
            yield internal[value.name]


def named_inside(facts: Facts, key: str, name: str) -> bool:
    """Whether an internal procedure of a routine names one of its variables."""
    inner = [one.key for one in facts.application.routines_of(key)]
    using = (k for k in inner if any(r.name == name for r in facts.references.get(k, ())))
    found = (facts.scopes.variable(name, k) for k in using)
    return any(f is not None and f.home == key for f in found)


def joined(one: EffectsByStatement, other: EffectsByStatement) -> EffectsByStatement:
    """What statements do by both; what they read is first."""
    if not other:
        return one
    both = {statement: [*one.get(statement, ()), *other.get(statement, ())] for statement in (*one, *other)}
    return {statement: sorted(listed, key=lambda entry: entry[2]) for statement, listed in both.items()}
