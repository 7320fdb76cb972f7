"""Fortran with OpenACC: a ``parallel loop`` for each region, with the standard's directives only (hybrid-fortran.md
§10, [R]).
"""

from __future__ import annotations

from hfpy.backends.base import Clause, clause, directive_lines
from hfpy.backends.offloadcode import OffloadCode, close_lines, open_lines
from hfpy.backends.openmp import reduction_clauses
from hfpy.backends.sequential import Sequential
from hfpy.transform.regioncode import RegionCode


class OpenACC:
    """``openacc``: one parallel loop over gangs and vector lanes a region."""

    name = "openacc"
    openmp = False

    def open_region(self, code: RegionCode) -> list[str]:
        """The directive and the ``do`` statements; plain loops in routines that kernels call."""
        if not isinstance(code, OffloadCode):
            return Sequential().open_region(code)
        parts: list[str | Clause] = [
            "parallel loop gang vector",
            *([f"collapse({code.nested})"] if code.nested > 1 else []),
            *(["default(none)"] if code.sharing.complete else []),
            *clause("present(", [*code.arrays, *code.deep]),
            *clause("no_create(", code.asked),
            *clause("copyin(", [*code.objects, *code.given_arrays, *(d.name for d in code.constants)]),
            *clause("copy(", [*(s.text for s in code.sections), *code.changed, *code.brought_back]),
            *clause("firstprivate(", [*code.scalars, *code.given_scalars]),
            *clause("private(", code.owned),
            *reduction_clauses(code),
            *([f"async({code.queued.queue})"] if code.queued.queue else []),
        ]
        return [*_deep_data(code), *open_lines(code, "!$acc", parts, "update device({})")]

    def close_region(self, code: RegionCode) -> list[str]:
        """The ``end do`` statements and the end directive."""
        if not isinstance(code, OffloadCode):
            return Sequential().close_region(code)
        ends = [f"{code.indent}!$acc end data" for _ in _deep_clauses(code)]
        return [*close_lines(code, "!$acc end parallel loop", "!$acc wait({})"), *ends]


def _deep_data(code: OffloadCode) -> list[str]:
    """The directives that bring objects to the device, and then arrays in them, which are attached to them."""
    return [line for made in _deep_clauses(code) for line in directive_lines(code.indent, "!$acc", ["data", made])]


def _deep_clauses(code: OffloadCode) -> list[Clause]:
    arrays = [name for listed in code.deep.values() for name in listed]
    return [*clause("copyin(", code.deep), *clause("copy(", arrays)]
