"""Fortran with OpenACC: a ``parallel loop`` for each region, with the standard's directives only (hybrid-fortran.md
§10, [R]).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hfpy.backends.called import Known
from hfpy.backends.offloadcode import OffloadCode, close_lines, open_lines
from hfpy.backends.openmp import reduction_clauses
from hfpy.backends.sequential import Sequential
from hfpy.transform.device.directivelines import Clause, clause, directive_lines
from hfpy.transform.regions.regioncode import RegionCode

TO_DEVICE, TO_HOST = "hf_update_device", "hf_update_host"


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
            *clause("present(", [*(a for a in code.arrays if a not in code.transient), *code.deep]),
            *clause("no_create(", code.asked),
            *clause("copyin(", [*code.objects, *code.given_arrays, *(d.name for d in code.constants)]),
            *clause("copy(", [*code.transient, *(s.text for s in code.sections), *code.changed, *code.brought_back]),
            *clause("firstprivate(", [*code.scalars, *code.given_scalars]),
            *clause("private(", code.owned),
            *reduction_clauses(code),
            *([f"async({code.queued.queue})"] if code.queued.queue else []),
        ]
        updates = _update(code, "device", TO_DEVICE, code.updates)
        return [*_deep_data(code), *open_lines(code, "!$acc", [parts], updates)]

    def close_region(self, code: RegionCode) -> list[str]:
        """The ``end do`` statements and the end directive."""
        if not isinstance(code, OffloadCode):
            return Sequential().close_region(code)
        ends = [f"{code.indent}!$acc end data" for _ in _deep_clauses(code)]
        returned = _update(code, "self", TO_HOST, code.returned)
        return [*close_lines(code, ["!$acc end parallel loop"], "!$acc wait({})", returned), *ends]


def interfaces(codes: Iterable[OffloadCode]) -> list[str]:
    """Interfaces of the procedures of OpenACC that regions' lines call, in their form for C: for that in Fortran the
    compiler needs to find a module.
    """
    known = list(codes)
    named = (
        (TO_DEVICE, "acc_update_device", [v for code in known for v in code.updates]),
        (TO_HOST, "acc_update_self", [v for code in known for v in code.returned]),
    )
    called = [(local, name) for local, name, variables in named if any(_is_plain(v) for v in variables)]
    rows = [row for local, name in called for row in _interface(local, name)]
    return ["interface", *(f"  {row}" for row in rows), "end interface"] if rows else []


def _interface(local: str, name: str) -> list[str]:
    return [
        f'subroutine {local}(variable, bytes) bind(c, name="{name}")',
        "  use, intrinsic :: iso_c_binding, only: c_size_t",
        "  type(*) :: variable",
        "  integer(c_size_t), value :: bytes",
        f"end subroutine {local}",
    ]


def _is_plain(variable: Known) -> bool:
    """Whether a procedure takes a variable: there are none for types with procedures of their own."""
    return not variable.rank and not variable.bound


def _update(code: OffloadCode, where: str, procedure: str, variables: Sequence[Known]) -> list[str]:
    """Copies of variables that the device knows. GCC 12 drops a directive that names such a variable, but not one with
    a section of it, or the call of OpenACC's procedure.
    """
    called = [v.name for v in variables if _is_plain(v)]
    rows = [f"{code.indent}call {procedure}({name}, storage_size({name}, kind=8)/8)" for name in called]
    others = [f"{v.name}({','.join(':' * v.rank)})" if v.rank else v.name for v in variables if not _is_plain(v)]
    for made in clause(f"update {where}(", others):
        rows += directive_lines(code.indent, "!$acc", [str(made)])
    return rows


def _deep_data(code: OffloadCode) -> list[str]:
    """The directives that bring objects to the device, and then arrays in them, which are attached to them."""
    return [line for made in _deep_clauses(code) for line in directive_lines(code.indent, "!$acc", ["data", made])]


def _deep_clauses(code: OffloadCode) -> list[Clause]:
    arrays = [name for listed in code.deep.values() for name in listed]
    return [*clause("copyin(", code.deep), *clause("copy(", arrays)]
