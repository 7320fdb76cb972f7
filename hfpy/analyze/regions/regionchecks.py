"""What is in or around regions and cannot be done there: statements, calls that are not known, names taken."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.accesses import view
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.directives.owndirectives import own_directives
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.inanyorder import in_any_order, modes_of_threads
from hfpy.analyze.regions.setiterators import iterators_set
from hfpy.analyze.regions.unseen import unseen_changes
from hfpy.analyze.regions.unwritten import unwritten_calls
from hfpy.backendtable import of_kind
from hfpy.diagnostics import Diagnostic, Related, error, note
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, Component, Keyword, Name
from hfpy.model.names import block_counter, derived_from, generated_names
from hfpy.model.statements import (
    LABELS,
    Call,
    Construct,
    InputOutput,
    OneLine,
    Specification,
    Statement,
    constructs,
    ways_out,
)
from hfpy.model.units import Routine, Symbol


def check_regions(facts: Facts, effects: Effects, key: str) -> Iterator[Diagnostic]:
    """All checks of this module for one routine."""
    routine = facts.routine(key)
    yield from in_any_order(facts, routine)
    yield from modes_of_threads(facts, routine)
    yield from iterators_set(facts, effects, routine)
    yield from _goes_on_elsewhere(facts, routine)
    yield from _of_blocks(facts, routine)
    yield from _sized_in_blocks(facts, routine)
    yield from _unknown_calls(facts, effects, routine)
    yield from _unresolved(facts, routine)
    yield from _entries(facts, routine)
    yield from _pure(facts, routine)
    yield from unseen_changes(facts, effects, routine)
    yield from unwritten_calls(facts, effects, routine)
    yield from _names_taken(facts, routine)
    yield from own_directives(facts, routine)


def _goes_on_elsewhere(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """Statements that may go on at labels without being jumps, in regions and in routines called there: the analyses of
    points do not know where they lead.
    """
    above = [facts.positions.regions[i] for i in sorted(facts.positions.get(routine.key).above, key=str)]
    for at in facts.graph.statements[routine.key]:
        message, hint = _labels_of(at.statement)
        region = facts.positions.region(routine.key, at) or next(iter(above), None) if message else None
        if region is not None and facts.live(at, routine.key):
            place = at.statement.line.place(routine.file)
            yield error("HF405", message, place, hint, [Related(region.place, "the region")])


def _labels_of(statement: Statement) -> tuple[str, str]:
    """How a statement may go on at a label, and what does without; empty texts for others."""
    if isinstance(statement, OneLine):
        return _labels_of(statement.action)
    if not ways_out(statement):
        return "", ""
    if isinstance(statement, Call):
        hint = "return a number instead, and branch by it after the call"
        return "a call with alternate returns in a region, which may go on at their labels", hint
    control = statement.control if isinstance(statement, InputOutput) else ()
    named = next((c.name for c in control if isinstance(c, Keyword) and c.name in LABELS), "")
    hint = "ask for iostat= instead, and branch by it after the statement"
    return f"'{named}=' in a region, where the statement may go on at a label", hint


def _of_blocks(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """Variables that a ``block`` around a region declares: nothing tells whether points share them, as the names of a
    routine are all that the analyses know. The first use of each in each region; named constants do no harm.
    """
    seen: set[tuple[int, str]] = set()
    for reference in facts.references[routine.key]:
        at = reference.at
        if not at.renamed or not at.regions or not facts.live(at, routine.key):
            continue
        region = facts.positions.region(routine.key, at)
        if region is None or (id(region), reference.name) in seen:
            continue
        symbol = _around(reference, region)
        if symbol is None or "parameter" in symbol.attributes:
            continue
        seen.add((id(region), reference.name))
        place = at.statement.line.place(routine.file, reference.node.start, reference.node.end)
        message = (
            f"'{reference.name}' is declared in a block around the region, which may only use what its routine declares"
        )
        hint = f"declare '{reference.name}' in the routine, or move the block into the region"
        yield error("HF404", message, place, hint, [Related(region.place, "the region")])


def _around(reference: Reference, region: Region) -> Symbol | None:
    """The declaration of a name, if it is in a ``block`` around the region."""
    outside = False
    for construct in reversed(reference.at.constructs):
        outside = outside or construct.region is region
        if reference.name in getattr(construct.header, "names", ()):
            return None
        for symbol in construct.declarations if construct.kind == "block" else ():
            if isinstance(symbol, Symbol) and symbol.name == reference.name:
                return symbol if outside else None
    return None


def _sized_in_blocks(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """Arrays and texts of a ``block`` in a region whose size is another one at each point: gfortran 12 keeps such
    bounds in a variable of the routine, which threads share. Or whose size comes from a variable that no statement of
    the region names, so that no clause of a directive brings it to the points.
    """
    clauses = facts.backend(routine.key) not in of_kind("kernels") | {"sequential"}
    for number, region in enumerate(regions_of(routine)):
        if region.region is None or not region.region.active(facts.target):
            continue
        sized = list(_sizes(region))
        inside = [r for r in facts.references[routine.key] if number in r.at.regions] if sized else []
        changed = {*region.region.iterators, *(r.name for r in inside if r.role not in ("read", "inquiry", "io"))}
        for symbol, name in sized:
            data = facts.object(name, routine.key)
            if name in changed:
                what = "which points set: compilers may share it"
            elif clauses and _unnamed(data, name, inside):
                what = "which no statement of the region names"
            else:
                continue
            assert symbol.line is not None
            place = symbol.line.place(routine.file, *symbol.name_span)
            hint = f"give '{symbol.name}' a size that is a constant, or put the block into a routine"
            message = f"the size of '{symbol.name}' depends on '{name}', {what}"
            yield error("HF404", message, place, hint, [Related(region.region.place, "the region")])


def _unnamed(data: DataObject | None, name: str, inside: list[Reference]) -> bool:
    """Whether a name is that of a variable which none of some references names."""
    return data is not None and "parameter" not in data.symbol.attributes and all(r.name != name for r in inside)


def _sizes(region: Construct) -> Iterator[tuple[Symbol, str]]:
    """What blocks in a region declare, with each name that its size mentions."""
    for construct in constructs(region.body):
        for symbol in construct.declarations if construct.kind == "block" else ():
            if isinstance(symbol, Symbol) and symbol.line is not None:
                for name in sorted(symbol.type.names.union(*(d.names for d in symbol.shape))):
                    yield symbol, name


def _unknown_calls(facts: Facts, effects: Effects, routine: Routine) -> Iterator[Diagnostic]:
    """Arrays named whole in calls of procedures without source: hfpy passes their view at the point, and says so
    (B6, B33).
    """
    for reference in facts.references[routine.key]:
        if reference.role != "argument" or reference.indices is not None or not facts.live(reference.at, routine.key):
            continue
        region = facts.positions.region(routine.key, reference.at)
        made = facts.plan_of(reference, routine.key)
        data = facts.object(reference.name, routine.key)
        if region is None or made is None or not made.changed or data is None or reference.component:
            continue
        name = _unknown(facts, effects, routine, reference)
        if name:
            shown = f"{reference.name}({','.join(str(i) for i in view(data, region))})"
            place = reference.at.statement.line.place(routine.file, reference.node.start, reference.node.end)
            message = f"the source of '{name}' is not here: it is given the array at one point, {shown}"
            yield note("HF403", message, place, "write out the indices if another part is meant")


def _unknown(facts: Facts, effects: Effects, routine: Routine, reference: Reference) -> str:
    """The name of the procedure that a reference is an argument of, if nothing is known of it; else empty."""
    site = effects.site(reference, routine.key)
    call = reference.call
    if site is not None:
        return "" if site.callee else site.name
    if isinstance(call, Component):
        return call.name
    if not isinstance(call, Apply) or not isinstance(call.base, Name):
        return ""
    name = call.base.name
    found = facts.scopes.variable(name, routine.key)
    known = facts.scopes.is_intrinsic(name, routine.key) or facts.scopes.procedures(name, routine.key)
    function = found is None or (not found.symbol.rank and found.symbol.type.base != "character")
    return name if function and not known and not facts.scopes.statement_function(name, routine.key) else ""


def _unresolved(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """Generic calls that may mean a routine with directives, where hfpy cannot tell which one is meant."""
    for site in facts.graph.sites[routine.key]:
        if site.callee or not isinstance(site.node, (Name, Apply)) or not facts.live(site.at, routine.key):
            continue
        keys = facts.scopes.procedures(site.name, routine.key)
        marked = [k for k in keys if _has_directives(facts, k)]
        if len(keys) > 1 and marked:
            yield _generic(facts, routine, site, marked)


def _entries(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """``entry`` in a routine that brings arrays to the device and takes them back: the calls for that would be run in
    part (Fortran 2018, 15.6.2.6).
    """
    position = facts.positions.get(routine.key)
    if facts.target != "gpu" or not (position.own or position.below):
        return
    for at in facts.graph.statements[routine.key]:
        if isinstance(at.statement, Specification) and at.statement.kind == "entry":
            message = f"'{routine.name}' has another entry here, and works on the device"
            hint = "make a subroutine of its own of what is after the entry"
            yield error("HF408", message, at.statement.line.place(routine.file), hint)


def _pure(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """Regions in pure procedures, which can hold no directives but ``simd``, and start no kernels. Host code
    starts kernels for those with ``vector``, too. ``sequential`` needs neither.
    """
    own = (facts.positions.regions[identity] for identity in facts.positions.get(routine.key).own)
    pure = {"pure", "elemental"} & set(routine.prefix) and "impure" not in routine.prefix
    if pure and facts.backend(routine.key) != "sequential":
        for region in own:
            if not region.vector or facts.backend(routine.key) in of_kind("kernels"):
                message = (
                    f"a region in '{routine.name}', which is pure: pure procedures can start no threads and no kernels"
                )
                hint = "take 'pure' or 'elemental' away, or put the region around the call"
                yield error("HF404", message, region.place, hint)


def _has_directives(facts: Facts, key: str) -> bool:
    routine = facts.application.routines.get(key)
    return routine is not None and bool(routine.spec.dependants or regions_of(routine))


def _generic(facts: Facts, routine: Routine, site: CallSite, marked: list[str]) -> Diagnostic:
    place = site.at.statement.line.place(routine.file, site.node.start, site.node.end)
    found = [facts.routine(key) for key in marked]
    related = [Related(r.place(), f"'{r.name}' may be meant") for r in found]
    message = f"which specific routine '{site.name}' calls is not known, and it matters: there are directives in it"
    return error("HF407", message, place, "call the specific routine by its name", related)


def _names_taken(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """Names of the user's that hfpy would give to something new."""
    numbers = range(len(regions_of(routine)))
    if not facts.positions.get(routine.key).own:
        return
    names = generated_names(routine.name, numbers)
    if any(order.pieces for order in facts.orders.values()):
        own = (facts.positions.regions[identity] for identity in facts.positions.get(routine.key).own)
        names |= {block_counter(iterator) for region in own for iterator in region.iterators}
    variables = routine.spec.symbols.keys() | {r.name for r in facts.references[routine.key]}
    names |= {name for name in routine.spec.symbols if derived_from(name, variables)}
    named: dict[str, Statement] = {}
    for construct in constructs(routine.body):
        named.setdefault(getattr(construct.header, "construct_name", ""), construct.header)
    for name in sorted(names):
        found = facts.scopes.variable(name, routine.key)
        procedures = facts.scopes.procedures(name, routine.key)
        declared = found.symbol.line if found is not None else None
        if found is not None and declared is not None:
            place = declared.place(facts.routine(found.home).file, *found.symbol.name_span)
        elif procedures and procedures[0] in facts.application.routines:
            place = facts.routine(procedures[0]).place()
        else:
            if name not in named:
                continue
            place = named[name].line.place(routine.file)
        related = [Related(routine.place(), f"for a region of '{routine.name}'")]
        yield error("HF406", f"hfpy needs the name '{name}' for generated code", place, "", related)
