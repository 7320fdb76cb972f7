"""Fortran with OpenMP's directives for devices: teams of threads share out the points of a region."""

from __future__ import annotations

from collections.abc import Sequence

from hfpy.backends.called import Known
from hfpy.backends.offloadcode import OffloadCode, close_lines, open_lines
from hfpy.backends.openmp import reduction_clauses
from hfpy.backends.sequential import Sequential
from hfpy.transform.device.directivelines import Clause, clause, directive_lines
from hfpy.transform.regions.regioncode import RegionCode
from hfpy.transform.text.wrapping import wrap_line

_TARGET = "target"
_LOOPS = "teams distribute parallel do"


class OpenMPTarget:
    """``openmp-target``: one ``target teams distribute parallel do`` a region.

    Arrays are mapped ``tofrom``: those that are on the device already are not copied, so nothing moves. Where they are
    device addresses, compilers do not let them be named in a second clause, so ``default(none)`` cannot be asked for;
    and ``target`` is a construct of its own, since GCC 12 forgets ``has_device_addr`` in the combined one.

    Where a region names a member of a common block, GCC 12 maps the whole block, too, and takes the members from there;
    if a part of the block is on the device already, it takes the others from beside that part. So such members get
    names by ``associate``, which no clause but ``map`` may have.
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
        shared = [name for name in shared if name not in code.members]
        data: list[str | Clause] = [
            *clause("has_device_addr(", code.arrays if code.addressed else ()),
            *clause("map(tofrom: ", [*mapped, *(s.text for s in code.sections), *code.changed, *code.brought_back]),
            *clause("map(alloc: ", code.asked),
            *clause("map(to: ", [*code.objects, *code.given_arrays]),
        ]
        read_only = clause("firstprivate(", [*code.scalars, *code.given_scalars])
        complete = code.sharing.complete and not code.addressed and not code.members
        shares: list[str | Clause] = [
            *([f"collapse({code.nested})"] if code.nested > 1 else []),
            *(["default(none)"] if complete else []),
            *clause("shared(", shared),
            *clause("private(", code.owned),
            *reduction_clauses(code),
        ]
        wait = ["nowait"] if code.queued.queue else []
        directives = (
            [[_TARGET, *data, *read_only, *wait], [_LOOPS, *shares]]
            if code.addressed
            else [[f"{_TARGET} {_LOOPS}", *shares, *data, *read_only, *wait]]
        )
        named = ", ".join(f"{name} => {name}" for name in code.members)
        begin = wrap_line(f"{code.indent}associate ({named})") if named else []
        # A block right after ``target data`` would be all of that construct (OpenMP 5.2, 1.2.2).
        begin += [f"{code.indent}continue"] if code.declared else []
        return [*begin, *open_lines(code, "!$omp", directives, _update(code, "target update to(", code.updates))]

    def close_region(self, code: RegionCode) -> list[str]:
        """The ``end do`` statements and the end directive."""
        if not isinstance(code, OffloadCode):
            return Sequential().close_region(code)
        returned = _update(code, "target update from(", code.returned)
        ends = [_LOOPS, _TARGET] if code.addressed else [f"{_TARGET} {_LOOPS}"]
        lines = close_lines(code, [f"!$omp end {end}" for end in ends], "!$omp taskwait", returned)
        return [*lines, *([f"{code.indent}end associate"] if code.members else [])]


def _update(code: OffloadCode, construct: str, variables: Sequence[Known]) -> list[str]:
    """The directive that copies variables which the device knows."""
    if not variables:
        return []
    return directive_lines(code.indent, "!$omp", [str(Clause(construct, tuple(v.name for v in variables)))])
