"""Loops of a region whose step is no number: they may go up or down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from hfpy.analyze.dependence.forms import Index
from hfpy.analyze.dependence.model import Loop, Nest


def ways(nest: Nest) -> Iterator[Nest]:
    """The nest for each direction of its loops over points whose step is no number, as a nest whose steps are positive.

    A loop ``do i = a, b, -w`` with a positive ``w`` has its points between ``b`` and ``a``, each ``w`` or more from the
    others, and so has ``do i = b, a, w``. Between these bounds all points are taken for possible, so that it does not
    matter with which of them the loop begins.
    """
    loops = (loop for a in nest.accesses for loop in a.at.loops)
    open_ = sorted({x.index for x in loops if x.step.constant is None and x.index in nest.points}, key=repr)
    if not open_:
        yield nest
        return
    for down in product((False, True), repeat=len(open_)):
        turned = frozenset(index for index, other in zip(open_, down, strict=True) if other)
        yield _turned(nest, turned) if turned else nest


def _turned(nest: Nest, turned: frozenset[Index]) -> Nest:
    accesses = []
    for a in nest.accesses:
        loops = tuple(_other_way(x) if x.index in turned else x for x in a.at.loops)
        accesses.append(replace(a, at=replace(a.at, loops=loops)))
    return replace(nest, accesses=tuple(accesses))


def _other_way(loop: Loop) -> Loop:
    return Loop(loop.index, loop.upper, loop.lower, loop.step.times(-1))
