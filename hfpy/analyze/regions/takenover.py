"""Variables whose values go into a region or out of it, and that ``equivalence`` gives other names.

GNU Fortran (12) loses such values where a loop's directive is not one with that of the threads: ``firstprivate`` has no
value there, and nothing comes out of ``lastprivate`` and ``reduction``. ``parallel do`` is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Region


class Clauses(Protocol):
    """What the directives of a region say of its variables."""

    @property
    def firstprivate(self) -> list[str]:
        """Those whose values go in."""

    @property
    def lastprivate(self) -> list[str]:
        """Those whose last value comes out."""

    @property
    def heap(self) -> list[str]:
        """Arrays that each thread allocates."""


def taken_over(facts: Facts, key: str, region: Region, clauses: Clauses) -> list[str]:
    """The variables of this kind of a region in the routine ``key``."""
    reductions = (r.name for r in region.reductions)
    names = sorted({*clauses.firstprivate, *clauses.lastprivate, *reductions})
    found = ((name, facts.object(name, key)) for name in names)
    return [name for name, data in found if data is not None and facts.storage.equivalent(data.identity)]


def lost_beside_large(facts: Facts, key: str, region: Region, clauses: Clauses) -> Iterator[Diagnostic]:
    """HF409 where such values would be lost: beside arrays that each thread allocates, the directives are two."""
    if clauses.heap and facts.backend(key) == "openmp":
        for name in taken_over(facts, key, region, clauses):
            message = (
                f"'{name}' has other names by equivalence, and GNU Fortran loses its value beside large private arrays"
            )
            yield error("HF409", message, region.place, f"use a variable without an equivalence in place of '{name}'")
