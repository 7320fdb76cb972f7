"""Which files ask for the bodies of routines in which others.

What becomes of a region depends on the bodies of the routines that it calls, directly or not. Of all other files the
output for a file depends on declarations, directives and effects alone (:mod:`hfpy.store.signatures`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import networkx as nx

from hfpy.analyze.facts import Facts
from hfpy.model.application import Application


def asked_files(
    facts: Facts, looked: Collection[tuple[str, str]], application: Application
) -> dict[str, frozenset[str]]:
    """The files, by their paths, whose routines the regions of a file call, or routines of it that regions call.
    ``looked`` are pairs of routines of ``application``, which may have more of them, the second of whose bodies was
    asked for the sake of the first.
    """
    return asked_among(facts, looked, lambda key: application.file(key).path)


def asked_among(
    facts: Facts, looked: Collection[tuple[str, str]], owner: Callable[[str], str]
) -> dict[str, frozenset[str]]:
    """The same of what routines belong to, such as their files: ``owner`` gives that of a routine."""
    found: dict[str, set[str]] = {}

    def add(asking: str, asked: str) -> None:
        here, there = owner(asking), owner(asked)
        if here != there:
            found.setdefault(here, set()).add(there)

    for key in facts.graph.statements:
        within = bool(facts.positions.get(key).above)
        for site in facts.graph.below(key):
            if site.callee in facts.application.routines and (within or site.at.regions):
                add(key, site.callee)
    for asking, asked in looked:
        add(asking, asked)
    return {here: frozenset(there) for here, there in found.items()}


def asking(net: Mapping[str, Collection[str]], files: Collection[str]) -> frozenset[str]:
    """Some files with all that ask for their bodies, directly or not; ``net`` is what :func:`asked_files` gave."""
    graph = _graph(net)
    return frozenset(files).union(*(nx.ancestors(graph, f) for f in files if f in graph))


def asked(net: Mapping[str, Collection[str]], files: Collection[str]) -> frozenset[str]:
    """Some files with all whose bodies they ask for, directly or not; ``net`` is what :func:`asked_files` gave."""
    graph = _graph(net)
    return frozenset(files).union(*(nx.descendants(graph, f) for f in files if f in graph))


def _graph(net: Mapping[str, Collection[str]]) -> nx.DiGraph:
    return nx.DiGraph((here, there) for here in net for there in net[here])
