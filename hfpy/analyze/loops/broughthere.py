"""Which routines should bring arrays to the device for all that they call: the outermost ones whose loops lead to
kernels (automatic.md §3).

Without that the routine nearest to a kernel copies its dummies at each call. A routine with kernels of its own holds
the arrays of these on the device already.
"""

from __future__ import annotations

import itertools

import networkx as nx

from hfpy.analyze.arrays.orders import Node
from hfpy.analyze.facts import Facts
from hfpy.analyze.order.agreement import arguments_joined
from hfpy.model.statements import LOOPS


def brought_here(facts: Facts) -> dict[str, tuple[str, ...]]:
    """The names to list with ``transferHere``, by routine."""
    net = nx.DiGraph([(k, c) for k in facts.graph.statements for c in facts.graph.called(k) if c])
    driving = {key: called for key in facts.graph.statements if (called := _from_loops(facts, key))}
    outermost = [
        k for k in driving if not any(k != other and k in net and nx.has_path(net, other, k) for other in driving)
    ]
    passed = _Passed(facts)
    found = {}
    for key in outermost:
        reached = set(driving[key]).union(*(nx.descendants(net, c) for c in driving[key] if c in net))
        if key not in reached and (names := _names(facts, key, reached, passed)):
            found[key] = names
    return found


class _Passed:
    """The whole arrays that routines pass to others: by routine, the dummy and what is passed for it."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._pairs: dict[str, list[tuple[Node, Node]]] = {}

    def for_dummies(self, used: set[Node], keys: set[str]) -> set[Node]:
        """Some arrays, and those that routines (by their keys) pass for them, directly or through others."""
        given: dict[Node, set[Node]] = {}
        for dummy, array in itertools.chain.from_iterable(map(self._of, keys)):
            given.setdefault(dummy, set()).add(array)
        found, pending = set(used), list(used)
        while pending:
            new = given.get(pending.pop(), set()) - found
            found |= new
            pending += new
        return found

    def _of(self, key: str) -> list[tuple[Node, Node]]:
        if key not in self._pairs:
            joined = arguments_joined(self.facts, key, 1) if key in self.facts.references else ()
            self._pairs[key] = [(j.other.identity, j.data.identity) for j in joined]
        return self._pairs[key]


def _from_loops(facts: Facts, key: str) -> frozenset[str]:
    """The routines with kernels, or above such, that a routine outside of kernels calls in its loops."""
    position = facts.positions.get(key)
    if position.above or not position.below:
        return frozenset()
    called = set()
    for site in facts.graph.sites.get(key, ()):
        around = any(c.kind in LOOPS for c in site.at.constructs)
        there = facts.positions.get(site.callee)
        if site.callee and around and not site.at.regions and (there.own or there.below):
            called.add(site.callee)
    return frozenset(called)


def _names(facts: Facts, key: str, reached: set[str], passed: _Passed) -> tuple[str, ...]:
    """The arrays of a routine that kernels below it use, and its own do not."""
    below = set().union(*(_in_kernels(facts, callee) for callee in reached))
    used = {facts.classes.root(node) for node in passed.for_dummies(below, {key, *reached})}
    own = {facts.classes.root(node) for node in _in_kernels(facts, key)}
    names = []
    listed = {x.name for block in facts.routine(key).spec.dependants for x in block.names}
    modules = {n for callee in reached for n in _known_names(facts, callee)}
    for name in sorted(({r.name for r in facts.references[key]} | modules) - listed):
        data = facts.object(name, key)
        if (
            data is None
            or not data.rank
            or data.symbol.constant
            or data.symbol.type.base in ("type", "class", "character")
            or data.identity in facts.of_threads
        ):
            continue
        root = facts.classes.root(data.identity)
        if root in used - own and "pointer" not in data.symbol.attributes:
            names.append(name)
    return tuple(names)


def _in_kernels(facts: Facts, key: str) -> set[Node]:
    """The arrays that regions of a routine, or it as a part of one, use."""
    whole = bool(facts.positions.get(key).above)
    found = set()
    for reference in facts.references.get(key, ()):
        if whole or facts.positions.active(key, reference.at) is not None:
            data = facts.object(reference.name, key)
            if data is not None and data.rank:
                found.add(data.identity)
    return found


def _known_names(facts: Facts, key: str) -> set[str]:
    """The names of variables of modules that a routine uses."""
    objects = (facts.object(r.name, key) for r in facts.references.get(key, ()))
    return {d.symbol.name for d in objects if d is not None and d.home != key}
