"""Calls against definitions: which dummy an actual argument meets, and calls that match no definition."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.expressions import Apply, Expr, Keyword
from hfpy.model.statements import Call
from hfpy.model.units import Routine, Symbol

_NAMES_HINT = "give the arguments in the interface the names that the definition has"


def dummy_name(facts: Facts, site: CallSite, position: int | str) -> str | None:
    """The dummy argument at a position (number or keyword) of a call; None if there is none."""
    routine = facts.application.routines.get(site.callee)
    if routine is None:
        return None
    if isinstance(position, str):
        return position if position in routine.dummies else None
    return routine.dummies[position] if position < len(routine.dummies) else None


def passed(facts: Facts, site: CallSite) -> Iterator[tuple[str, Expr]]:
    """The dummy arguments of a call's routine with what the call passes for each, by position or by name."""
    for position, value in enumerate(site.args):
        name = dummy_name(facts, site, value.name if isinstance(value, Keyword) else position)
        if name is not None:
            yield name, value.value if isinstance(value, Keyword) else value


def dummy_of(facts: Facts, site: CallSite, position: int | str) -> tuple[bool, DataObject | None]:
    """Whether the callee's dummies are known, and the data object of the dummy at the position."""
    name = dummy_name(facts, site, position)
    if name is None:
        return False, None
    data = facts.object(name, site.callee)
    return data is not None, data


def position_in(site: CallSite, reference: Reference) -> int | str:
    """The position of an argument, or its name, among all that a candidate gets: the object of a type-bound procedure
    is one of them, and the procedure may have another name for what the interface of a pointer names.
    """
    if not site.chosen:
        return reference.position
    statement, call = reference.at.statement, reference.call
    args = statement.args if isinstance(statement, Call) and call is statement.designator else ()
    args = call.args if isinstance(call, Apply) and not args else args
    if isinstance(reference.position, str):
        value = next((a.value for a in args if isinstance(a, Keyword) and a.name == reference.position), None)
        here = (a.name for a in site.args if isinstance(a, Keyword) and a.value is value)
        return next(here, reference.position)
    given = args[reference.position]
    return next((n for n, arg in enumerate(site.args) if arg is given), reference.position)


def dummies_met(facts: Facts, key: str, reference: Reference) -> list[tuple[CallSite, DataObject | None]]:
    """The procedures that a reference may be passed to as an argument, each with its dummy; None for one that has no
    such dummy.
    """
    if reference.role != "argument" or reference.call is None:
        return []
    sites = facts.graph.called_at(key, reference.at, reference.call)
    return [(site, dummy_of(facts, site, position_in(site, reference))[1]) for site in sites]


def chosen_dummies(facts: Facts, key: str, reference: Reference) -> list[tuple[CallSite, DataObject | None]]:
    """The same for calls whose procedure is not known before the run only."""
    if not facts.graph.indirect.get(key):
        return []
    return [(site, dummy) for site, dummy in dummies_met(facts, key, reference) if site.chosen]


def result_of(facts: Facts, site: CallSite) -> Symbol | None:
    """The declaration of the result of a called function; None where it is not known."""
    routine = facts.application.routines.get(site.callee)
    return routine.spec.symbols.get(routine.result or routine.name) if routine is not None else None


def is_elemental(facts: Facts, site: CallSite) -> bool:
    """Whether the called routine is elemental: its arguments may be arrays of any rank."""
    routine = facts.application.routines.get(site.callee)
    return routine is not None and "elemental" in routine.prefix


def check_calls(facts: Facts) -> list[Diagnostic]:
    """Calls in hybrid files whose arguments do not fit the routine's definition (B4 of the call graph: L13)."""
    found: list[Diagnostic] = []
    for key, sites in facts.graph.sites.items():
        if not facts.application.file(key).hybrid:
            continue
        for site in sites:
            routine = facts.application.routines.get(site.callee)
            if routine is None or routine.kind not in ("subroutine", "function"):
                continue
            other = _named_otherwise(facts, site, routine)
            problem = other or argument_problem(site, routine)
            if problem is None:
                continue
            caller = facts.routine(key)
            place = site.at.statement.line.place(caller.file, site.node.start, site.node.end)
            related = [Related(routine.place(), f"'{routine.name}' is defined here")]
            found.append(error("HF400", problem, place, _NAMES_HINT if other else "", related))
    return found


def _named_otherwise(facts: Facts, site: CallSite, routine: Routine) -> str | None:
    """What is wrong with a call by keywords whose interface body gives the arguments other names than the definition,
    which is legal: the analyses know the names of the definition alone.
    """
    named = [arg.name for arg in site.args if isinstance(arg, Keyword)]
    if not named or routine.module or routine.host:
        return None
    for dummies in _interfaces(facts, site.caller, routine.name):
        for name, defined in zip(dummies, routine.dummies, strict=False):
            if name in named and name != defined:
                return f"the interface of '{routine.name}' has '{name}' for what its definition calls '{defined}'"
    return None


def _interfaces(facts: Facts, key: str, name: str) -> Iterator[tuple[str, ...]]:
    """The names of arguments in the interface bodies of a procedure that a routine may see."""
    units = facts.application.routines
    left, seen = [key], {key}
    while left:
        unit = units.get(left.pop())
        if unit is None:
            continue
        for interface in unit.spec.interfaces:
            yield from (d for body, d in zip(interface.bodies, interface.dummies, strict=True) if body == name)
        around = [unit.host, *(use.module for use in unit.spec.uses)]
        left += [other for other in around if other and other not in seen]
        seen.update(around)


def argument_problem(site: CallSite, routine: Routine) -> str | None:
    """What is wrong with the number or the keywords of a call's arguments; None if nothing is."""
    dummies = routine.dummies
    given: set[str] = set()
    for number, arg in enumerate(site.args):
        if isinstance(arg, Keyword):
            if arg.name not in dummies:
                return f"'{site.name}' has no argument '{arg.name}'"
            name = arg.name
        elif number >= len(dummies):
            return f"{len(site.args)} arguments for '{site.name}', which has {len(dummies)}"
        else:
            name = dummies[number]
        if name in given and name != "*":  # of an alternate return, of which there may be several
            return f"argument '{name}' of '{site.name}' is given twice"
        given.add(name)
    missing = [
        d
        for d in dummies
        if d not in given
        and d != "*"
        and not (d in routine.spec.symbols and "optional" in routine.spec.symbols[d].attributes)
    ]
    if missing:
        return f"argument '{missing[0]}' of '{site.name}' is missing"
    return None
