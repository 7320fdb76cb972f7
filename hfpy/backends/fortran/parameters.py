"""Pieces of text that kernels and launchers are put together from."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from hfpy.backends.c.parameters import Parameter
from hfpy.backends.fortran.constants import type_text
from hfpy.model.names import cut
from hfpy.transform.wrapping import wrap_line


def value_lines(parameters: Iterable[Parameter], kinds: tuple[str, ...]) -> Iterator[str]:
    """The declarations of what is passed by value, one for each run of the same type."""
    values = (p for p in parameters if p.kind in kinds)
    for scalar, run in itertools.groupby(values, key=lambda p: p.type):
        yield f"{type_text(scalar)}, value :: {', '.join(p.text for p in run)}"


def passed(parameters: Iterable[Parameter]) -> Iterator[tuple[str, str]]:
    """Dummy arguments of the kernel with the actual ones of the launch."""
    for p in parameters:
        yield p.text, {"value": p.text, "optional": cut(f"{p.text}_value")}.get(p.kind, cut(f"{p.text}_device"))
        if p.optional:
            yield cut(f"{p.text}_given"), cut(f"{p.text}_given")


def wrapped(row: str) -> list[str]:
    """A line of the launcher; a launch is broken by hand, since ``<<<`` is no token of Fortran."""
    head, launch, arguments = row.partition(">>>(")
    if not launch:
        return wrap_line(row)
    rows = wrap_line(f"{' ' * 6}({arguments}")
    return [f"{head}{launch} &", rows[0].replace("(", "", 1), *rows[1:]]


def shape(pairs: Iterable[tuple[str, str]]) -> str:
    """Bounds as the dimensions of a declaration."""
    return ", ".join(high if low == "1" else f"{low}:{high}" for low, high in pairs)


def count(first: str, last: str, step: str) -> str:
    """The number of points from first to last."""
    low = first if first.isalnum() else f"({first})"
    plain = last if first == "1" else f"{last} - {low} + 1"
    return plain if step == "1" else f"({last} - {low}) / ({step}) + 1"
