"""Procedures that run where no call is written: final procedures, and those that assign components of objects. Points
that make them run may meet in what these set.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.types import assigned_by_parts, finalized, finalizes
from hfpy.analyze.regions.donebypoints import DoneByPoints
from hfpy.diagnostics import Diagnostic, Related, warning
from hfpy.model.directives import Region
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Header, Memory
from hfpy.model.units import Routine, Symbol

_FINAL = "a final procedure runs"
_PARTS = "procedures that the program defines assign components"
_HINT = "make sure that it sets nothing that points share, and acknowledge this: !@allow; or do it before the region"


def unwritten_calls(facts: Facts, effects: Effects, routine: Routine) -> Iterator[Diagnostic]:
    """A warning (HF501) for each such statement in a region, or in a routine that is called in one, and for what such a
    routine ends with.
    """
    points = DoneByPoints(facts, routine.key)
    parts = facts.scopes.parts
    final = bool(parts.finalized) and any(map(effects.lasting_writes, facts.graph.candidates.finals))
    if not points.some or not (final or parts.assigned):
        return
    for at in facts.graph.statements[routine.key]:
        region = points.region(at)
        if region is not None and (why := _why(facts, routine, at, final)):
            yield _said(why, region, routine, at.statement.line)
    if points.above is not None and final:
        ending = (s for s in routine.spec.symbols.values() if _ends(facts, routine, s))
        if symbol := next(ending, None):
            yield _said(
                f"'{symbol.name}' ends here, and {_FINAL}", points.above, routine, symbol.line or routine.header
            )


def _why(facts: Facts, routine: Routine, at: Located, final: bool) -> str:
    """What a statement runs; empty for nothing."""
    scopes, key = facts.scopes, routine.key
    match at.statement:
        case Assignment(pointer=False, target=target):
            if assigned_by_parts(target, key, scopes):
                return _PARTS
            return _FINAL if final and finalizes(target, key, scopes) else ""
        case Memory(items=items) if final and any(finalizes(i, key, scopes) for i in items):
            return _FINAL
        case Header(kind="block") if final:
            declared = next((c.declarations for c in reversed(at.constructs) if c.header is at.statement), ())
            return _FINAL if any(isinstance(s, Symbol) and finalized(s, key, scopes) for s in declared) else ""
    return ""


def _ends(facts: Facts, routine: Routine, symbol: Symbol) -> bool:
    """Whether a call of a routine finalizes a variable: one of its locals, or what comes with ``intent(out)``."""
    if not finalized(symbol, routine.key, facts.scopes) or keeps_value(routine, symbol.name):
        return False
    return symbol.intent == "out" if symbol.name in routine.dummies else symbol.name != (routine.result or routine.name)


def _said(why: str, region: Region, routine: Routine, line: LogicalLine) -> Diagnostic:
    message = f"{why}: points may meet in what it sets"
    return warning("HF501", message, line.place(routine.file), _HINT, [Related(region.place, "the region")])
