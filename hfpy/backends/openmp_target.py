"""Fortran with OpenMP's directives for devices: teams of threads share out the points of a region."""

from __future__ import annotations

from collections.abc import Sequence

from hfpy.backends.called import Known
from hfpy.backends.offloadcode import OffloadCode, close_lines, open_lines
from hfpy.backends.openmp import reduction_clauses
from hfpy.backends.sequential import Sequential
from hfpy.transform.directivelines import Clause, clause, directive_lines
from hfpy.transform.regioncode import RegionCode

_CONSTRUCT = "target teams distribute parallel do"


class OpenMPTarget:
    """``openmp-target``: one ``target teams distribute parallel do`` a region.

    Arrays are mapped ``tofrom``: those that are on the device already are not copied, so nothing moves. Where they are
    device addresses, compilers do not let them be named in a second clause, so ``default(none)`` cannot be asked for.
    """

    name = "openmp-target"
    openmp = False

    def open_region(self, code: RegionCode) -> list[str]:
        """The directive and the ``do`` statements; plain loops in routines that kernels call."""
        if not isinstance(code, OffloadCode):
            return Sequential().open_region(code)
        reduced = {r.name for r in code.region.reductions}
        mapped = () if code.addressed else code.arrays
        shared = [*mapped, *code.asked, *code.objects, *code.given_arrays, *code.changed]
        shared += [name for name in code.brought_back if name not in reduced]
        parts: list[str | Clause] = [
            _CONSTRUCT,
            *([f"collapse({code.nested})"] if code.nested > 1 else []),
            *(["default(none)"] if code.sharing.complete and not code.addressed else []),
            *clause("has_device_addr(", code.arrays if code.addressed else ()),
            *clause("map(tofrom: ", [*mapped, *(s.text for s in code.sections), *code.changed, *code.brought_back]),
            *clause("map(alloc: ", code.asked),
            *clause("map(to: ", [*code.objects, *code.given_arrays]),
            *clause("shared(", shared),
            *clause("firstprivate(", [*code.scalars, *code.given_scalars]),
            *clause("private(", code.owned),
            *reduction_clauses(code),
            *(["nowait"] if code.queued.queue else []),
        ]
        return open_lines(code, "!$omp", parts, _update(code, "target update to(", code.updates))

    def close_region(self, code: RegionCode) -> list[str]:
        """The ``end do`` statements and the end directive."""
        if not isinstance(code, OffloadCode):
            return Sequential().close_region(code)
        returned = _update(code, "target update from(", code.returned)
        return close_lines(code, f"!$omp end {_CONSTRUCT}", "!$omp taskwait", returned)


def _update(code: OffloadCode, construct: str, variables: Sequence[Known]) -> list[str]:
    """The directive that copies variables which the device knows."""
    if not variables:
        return []
    return directive_lines(code.indent, "!$omp", [str(Clause(construct, tuple(v.name for v in variables)))])
