"""The report as one value, as plain data for JSON, and the two sides of the comparison that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from hfpy.diagnostics import Diagnostic
from hfpy.report.productivity.estimate import Estimate, NoEstimate
from hfpy.report.productivity.figures import Figures, HybridPart, ReferencePart, share
from hfpy.report.productivity.generated import Generated
from hfpy.report.productivity.kinds import KINDS
from hfpy.values import dataclass


@dataclass(frozen=True)
class Report:
    """Two trees by name, what was counted, what OpenACC would take, and what hfpy generates."""

    reference: str
    hybrid: str
    figures: Figures
    estimate: Estimate | NoEstimate
    generated: tuple[Generated, ...] = field(default=())


@dataclass(frozen=True)
class Bar:
    """One side of the comparison: lines by what they are for, as (key, label, lines)."""

    title: str
    parts: tuple[tuple[str, str, int], ...]
    complete: bool = True

    @property
    def total(self) -> int:
        """All its lines."""
        return sum(lines for _, _, lines in self.parts)


def bars(report: Report) -> tuple[Bar, ...]:
    """New lines of the hybrid code, and, if it could be estimated, of an implementation with OpenACC (figure 5)."""
    kinds = report.figures.kinds
    hybrid = Bar("Hybrid code", tuple((kind, KINDS[kind], kinds[kind]) for kind in KINDS))
    found = report.estimate
    if isinstance(found, NoEstimate):
        return (hybrid,)
    same = ("specification", "signature", "duplicated", "other")
    openacc = (
        ("parallelisation", "OpenACC directives", found.directives),
        ("macros", "lines with storage-order macros", found.macros),
        ("granularity", "routines duplicated for the CPU", found.duplicated_lines),
        *((kind, KINDS[kind], kinds[kind]) for kind in KINDS if kind in same),
    )
    return hybrid, Bar("OpenACC, estimated", openacc, found.complete)


def as_data(report: Report) -> dict[str, Any]:
    """Everything in the report as plain data (docs/report.md has the keys)."""
    f = report.figures
    return {
        "reference": {
            "name": report.reference,
            "files": len(f.reference_files),
            **_size(f.reference_raw, f.reference_lines),
        },
        "hybrid": {"name": report.hybrid, "files": len(f.hybrid_files), **_size(f.hybrid_raw, f.hybrid_lines)},
        "growth": {
            "raw": share(f.hybrid_raw - f.reference_raw, f.reference_raw),
            "sanitised": share(f.hybrid_lines - f.reference_lines, f.reference_lines),
        },
        **_lines(f),
        "new_by_kind": dict(f.kinds),
        "openacc": _estimate(report),
        "generated": [_generated(g) for g in report.generated],
        "files": [_hybrid_part(p) for p in f.hybrid_files],
        "reference_files": [_reference_part(p) for p in f.reference_files],
        "routines": [_hybrid_part(p) for p in f.hybrid_routines],
        "reference_routines": [_reference_part(p) for p in f.reference_routines],
        "new_lines": [{"file": n.file, "first": n.first, "last": n.last, "kind": n.kind} for n in f.new_lines],
    }


def _size(raw: int, lines: int) -> dict[str, int]:
    return {"raw": raw, "sanitised": lines}


def _lines(f: Figures) -> dict[str, Any]:
    return {
        "kept": {
            "lines": f.kept,
            "moved": f.moved,
            "of_reference": share(f.kept, f.reference_lines),
            "of_hybrid": share(f.kept, f.hybrid_lines),
        },
        "replaced": {
            "lines": f.replaced,
            "directives": f.removed_directives,
            "of_reference": share(f.replaced, f.reference_lines),
        },
        "new": {
            "lines": f.new,
            "of_hybrid": share(f.new, f.hybrid_lines),
            "of_reference": share(f.new, f.reference_lines),
        },
    }


def _estimate(report: Report) -> dict[str, Any]:
    found = report.estimate
    if isinstance(found, NoEstimate):
        return {"estimated": False, "problems": _problems(found.problems)}
    total = bars(report)[1].total
    return {
        "estimated": True,
        "complete": found.complete,
        "directives": found.directives,
        "macro_lines": {"accesses": found.accesses, "declarations": found.declarations, "all": found.macros},
        "duplicated_lines": found.duplicated_lines,
        "duplicated_routines": [
            {"name": d.name, "file": d.file, "line": d.line, "lines": d.lines, "cpu": d.cpu, "gpu": d.gpu}
            for d in found.duplicated
        ],
        "new": {"lines": total, "of_reference": share(total, report.figures.reference_lines)},
        "problems": _problems(found.problems),
    }


def _problems(problems: Sequence[Diagnostic]) -> list[dict[str, object]]:
    return [problem.as_dict() for problem in problems]


def _generated(made: Generated) -> dict[str, Any]:
    if made.figures is None:
        return {"target": made.name, "generated": False, "problems": _problems(made.problems)}
    f = made.figures
    return {
        "target": made.name,
        "generated": True,
        "files": len(f.hybrid_files),
        **_size(f.hybrid_raw, f.hybrid_lines),
        "taken_over": f.kept,
        "written": f.new,
        "written_of_generated": share(f.new, f.hybrid_lines),
        "in_kernel_files": made.kernels,
    }


def _hybrid_part(part: HybridPart) -> dict[str, Any]:
    return {
        "name": part.name,
        "file": part.file,
        **_size(part.raw, part.lines),
        "kept": part.kept,
        "moved": part.moved,
        "new": part.new,
        "new_by_kind": dict(part.kinds),
        "counterpart": part.counterpart,
        "copy_of": part.copy_of,
    }


def _reference_part(part: ReferencePart) -> dict[str, Any]:
    return {
        "name": part.name,
        "file": part.file,
        **_size(part.raw, part.lines),
        "kept": part.kept,
        "replaced": part.replaced,
        "counterpart": part.counterpart,
    }
