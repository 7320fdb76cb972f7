"""The report as one HTML page that needs nothing else: no script, no network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hfpy.report.productivity.estimate import Estimate, NoEstimate
from hfpy.report.productivity.figures import HybridPart
from hfpy.report.productivity.kinds import KINDS
from hfpy.report.productivity.pictures import flow, row_bar, stacked
from hfpy.report.productivity.report import Bar, Report, bars
from hfpy.report.productivity.text import number, percent

_LEGEND = ("parallelisation", "layout", "macros", "granularity", "specification", "signature", "duplicated", "other")


def page(report: Report) -> str:
    """The page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("hfpy", "templates/report"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["n"] = number
    f = report.figures
    sides = bars(report)
    largest = max((p.kept + p.new for p in f.hybrid_files), default=0)
    return environment.get_template("productivity.html").render(
        report=report,
        f=f,
        growth_raw=percent(f.hybrid_raw - f.reference_raw, f.reference_raw, True),
        growth=percent(f.hybrid_lines - f.reference_lines, f.reference_lines, True),
        percent=percent,
        flow=Markup(flow(f)),
        stacked=Markup(stacked(sides, f.reference_lines)),
        legend=legend(sides),
        sides=sides,
        estimate=report.estimate if isinstance(report.estimate, Estimate) else None,
        refused=report.estimate.problems if isinstance(report.estimate, NoEstimate) else (),
        kinds=KINDS,
        files=sorted(f.hybrid_files, key=lambda p: (-p.new, p.name)),
        gone=[p for p in f.reference_files if not p.counterpart],
        routines=interesting(f.hybrid_routines),
        lost=[p for p in f.reference_routines if not p.counterpart],
        bar=lambda part: Markup(row_bar(part.kept, part.new, largest)),
    )


def legend(sides: Sequence[Bar]) -> list[dict[str, Any]]:
    """One row for everything that lines are for, with the count of each side (None where it does not come up)."""
    counts = [{key: (label, lines) for key, label, lines in bar.parts} for bar in sides]
    rows = []
    for key in _LEGEND:
        labels = [count[key][0] for count in counts if key in count]
        if not labels:
            continue
        label = "parallelisation directives" if key == "parallelisation" else labels[0]
        row = [count[key][1] if key in count else None for count in counts]
        least = [key == "parallelisation" and not bar.complete for bar in sides]
        rows.append({"key": key, "label": label, "cells": list(zip(row, least, strict=True))})
    return rows


def interesting(routines: Sequence[HybridPart]) -> list[HybridPart]:
    """Routines that have something new or came from elsewhere, those with most new lines first."""
    found = [r for r in routines if r.new or r.moved or r.copy_of]
    return sorted(found, key=lambda r: (-r.new, r.file, r.name))
