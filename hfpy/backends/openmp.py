"""Fortran with OpenMP: the outermost loop over threads, the innermost over lanes where that is legal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hfpy.analyze.regions.sharing import Sharing
from hfpy.backends.base import render
from hfpy.backends.sequential import nest
from hfpy.transform.device.directivelines import Clause, clause, directive_lines
from hfpy.transform.regions.regioncode import RegionCode

_OPERATORS = {"-": "+"}


def data_clauses(sharing: Sharing, code: RegionCode) -> list[str | Clause]:
    """Data-sharing clauses: ``default(none)`` and every symbol placed; ``default(shared)`` only where a name is
    unknown.
    """
    return [
        "default(none)" if sharing.complete else "default(shared)",
        *clause("shared(", sharing.listed if sharing.complete else []),
        *own_clauses(sharing, code),
    ]


def own_clauses(sharing: Sharing, code: RegionCode) -> list[Clause]:
    """The clauses for what each thread has for itself."""
    return [
        *clause("private(", sorted({*sharing.private, *counters(code)})),
        *last_clauses(sharing, code, sharing.firstprivate),
    ]


def last_clauses(sharing: Sharing, code: RegionCode, first: Sequence[str] = ()) -> list[Clause]:
    """The clauses for values that come out of the last point, and those that go in (``first``).

    A loop without turns leaves variables as they are. Compilers such as gfortran give no value at all to one that is
    only ``lastprivate`` then (OpenMP 5.2 does not say what it is), so that it gets its value before the loop as well.
    """
    kept = [] if code.certain else sharing.lastprivate
    return [*clause("firstprivate(", [*first, *kept]), *clause("lastprivate(", sharing.lastprivate)]


def counters(code: RegionCode) -> set[str]:
    """The variables of the loops."""
    return {*(d.name for d in code.region.domains), *(loop.var for loop in code.loops)}


def reduction_clauses(code: RegionCode) -> list[Clause]:
    """One ``reduction`` clause an operator (``-`` sums like ``+``: OpenMP 5.2 deprecates the former)."""
    groups: dict[str, list[str]] = {}
    for reduction in code.region.reductions:
        groups.setdefault(_OPERATORS.get(reduction.op, reduction.op), []).append(reduction.name)
    return [Clause(f"reduction({op}:", tuple(names)) for op, names in groups.items()]


class OpenMP:
    """``openmp``: one parallel loop a region."""

    name = "openmp"
    openmp = True

    def open_region(self, code: RegionCode) -> list[str]:
        """The directives and the ``do`` statements."""
        sharing = code.sharing
        schedule = [f"schedule({code.schedule})"] if code.schedule else []
        collapse = [f"collapse({code.collapse})"] if code.collapse > 1 else []
        worksharing: list[str] = []
        if code.region.vector:
            parallel: list[str] = []
        elif code.heap:
            # What the loop hands over is shared by the threads around it.
            over = [*sharing.lastprivate, *(r.name for r in code.region.reductions)]
            around = replace(sharing, shared=sorted({*sharing.shared, *over}), lastprivate=[])
            parallel = directive_lines(code.indent, "!$omp", ["parallel", *data_clauses(around, code)])
            handed = [*last_clauses(sharing, code), *reduction_clauses(code)]
            worksharing = directive_lines(code.indent, "!$omp", ["do", *collapse, *schedule, *handed])
        else:
            alone = code.together is None
            word = f"parallel {self._word(code)}" if alone else self._word(code)
            data = data_clauses(sharing, code) if alone else own_clauses(sharing, code)
            parts = [word, *collapse, *schedule, *data, *reduction_clauses(code)]
            parallel = [*self._begun(code), *directive_lines(code.indent, "!$omp", parts)]
        return render(
            "openmp/open.j2",
            indent=code.indent,
            parallel=parallel,
            worksharing=worksharing,
            heap=code.heap,
            simd=self.inner_lines(code),
            loops=nest(code.loops),
        )

    def close_region(self, code: RegionCode) -> list[str]:
        """The ``end do`` statements and the end directive."""
        together, vector = code.together, code.region.vector
        ends: list[str] = []
        if code.heap:
            ends = ["!$omp end parallel"]
        elif together is not None:
            ends = [f"!$omp end {self._word(code)}{'' if together.wait else ' nowait'}"]
            ends += ["!$omp end parallel"] if together.last else []
        elif not vector:
            ends = [f"!$omp end parallel {self._word(code)}"]
        return render("openmp/close.j2", indent=code.indent, heap=code.heap, ends=ends, loops=nest(code.loops))

    @staticmethod
    def _begun(code: RegionCode) -> list[str]:
        """The beginning of what neighbours are computed in together."""
        together = code.together
        if together is None or not together.first:
            return []
        default = "default(none)" if together.complete else "default(shared)"
        names = clause("shared(", together.names if together.complete else ())
        return directive_lines(code.indent, "!$omp", ["parallel", default, *names])

    def _word(self, code: RegionCode) -> str:
        return "do simd" if self._fused(code) else "do"

    @staticmethod
    def _fused(code: RegionCode) -> bool:
        one = len(code.region.domains) == 1 and len(code.loops) <= 1
        return code.simd and one and not code.heap and not code.region.vector

    def inner_lines(self, code: RegionCode) -> list[str]:
        """The ``simd`` directive of the innermost loop, where that is legal."""
        if not code.simd or self._fused(code):
            return []
        indent = code.indent + "  " * (len(code.loops) - 1)
        private = clause("private(", code.simd_private)
        reductions = reduction_clauses(code) if code.region.vector else []
        return directive_lines(indent, "!$omp", ["simd", *private, *reductions])
