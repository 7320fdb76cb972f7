"""Programs of the tests about storage: one text with regions, and with loops in their place as its twin."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from hfpy.options import DomainSpec
from tests.support import Pair, Variant

REGION = ("@parallelRegion{domName(i,j), domSize(4,3)}", "@end parallelRegion")
LOOPS = ("do j = 1, 3\ndo i = 1, 4", "end do\nend do")
ONE = ("@parallelRegion{domName(i), domSize(4)}", "@end parallelRegion")
LOOP = ("do i = 1, 4", "end do")
LAYOUT: Mapping[str, Any] = {
    "layout": "j i",
    "domains": {"i": DomainSpec(("4",), ("i",)), "j": DomainSpec(("3",), ("j",))},
}


def program(name: str, text: str, **plain: str) -> Pair:
    """A pair of a text in which ``<ij`` and ``<i`` begin regions over (4,3) and (4) points that ``>`` ends, and loops
    in their place. The twin has no blocks of domain dependants. ``plain`` are further files, by stem, that both have.
    The module is called ``name``.
    """

    def written(both: tuple[str, str], one: tuple[str, str]) -> str:
        lines, ends, skipped = [], [], False
        plain_text = both is LOOPS
        for line in text.replace("NAME", name).splitlines():
            match line.strip():
                case "<ij":
                    lines.append(both[0])
                    ends.append(both[1])
                case "<i":
                    lines.append(one[0])
                    ends.append(one[1])
                case ">":
                    lines.append(ends.pop())
                case stripped if plain_text and stripped.startswith("@domainDependant"):
                    skipped = True
                case "@end domainDependant" if plain_text:
                    skipped = False
                case _ if not skipped:
                    lines.append(line)
        return "\n".join(lines) + "\n"

    more = {f"{stem}.f90": content.replace("NAME", name) for stem, content in plain.items()}
    hybrid = {**more, f"{name}.h90": written(REGION, ONE)}
    return Pair(name, hybrid, {**more, f"{name}.f90": written(LOOPS, LOOP)}, name, layout=LAYOUT)


def in_part(names: Iterable[str], step: int) -> list[Any]:
    """Parameters of a test: each ``step``-th name for every run of the tests, the others for the full run."""
    return [n if not place % step else pytest.param(n, marks=pytest.mark.full) for place, n in enumerate(names)]


def asked(request: pytest.FixtureRequest, *pairs: Iterable[Pair]) -> list[Pair]:
    """The programs that the tests of a module ask for in this run, by the parameter ``name`` with which the programs'
    names end: the others need not be compiled.
    """
    here = (item for item in request.session.items if item.path == request.path)
    names = {item.callspec.params.get("name") for item in here if hasattr(item, "callspec")}
    return [pair for pair in itertools.chain(*pairs) if pair.name.split("_", 1)[1] in names]


def in_turn(ways: Mapping[str, Sequence[Variant]]) -> list[Any]:
    """Parameters ``name`` and ``variant`` of a test: each program in one of its ways, another one for the next program,
    for every run of the tests; in all its ways for the full run.
    """
    return [
        pytest.param(name, variant, id=f"{name}-{variant.label}", marks=[pytest.mark.full] * (n != place % len(own)))
        for place, (name, own) in enumerate(ways.items(), 1)
        for n, variant in enumerate(own)
    ]


def asked_ways(request: pytest.FixtureRequest) -> dict[str, list[Variant]]:
    """The ways in which the tests of a module ask for each program in this run, by their parameters ``name`` and
    ``variant``: the others need not be translated.
    """
    found: dict[str, list[Variant]] = defaultdict(list)
    for item in request.session.items:
        given = item.callspec.params if item.path == request.path and hasattr(item, "callspec") else {}
        if {"name", "variant"} <= given.keys():
            found[given["name"]].append(given["variant"])
    return found
