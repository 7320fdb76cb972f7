"""The order of the analyses: call graph and positions, dimensions, plans of references, classes, storage orders.

:func:`analyse` makes the :class:`~hfpy.analyze.facts.Facts` of an application on one target.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from hfpy.analyze.arrays.accesses import Plan, Surroundings, is_full_range, plan
from hfpy.analyze.arrays.domains import DataObject, Domains
from hfpy.analyze.arrays.orders import IDENTITY, Classes, MacroOrders, Node, Order
from hfpy.analyze.arrays.storage import Storage
from hfpy.analyze.callgraph.graph import CallGraph, CallSite
from hfpy.analyze.callgraph.positions import Positions, in_their_positions, positions
from hfpy.analyze.calls import check_calls, dummy_of, is_elemental
from hfpy.analyze.device.gapped import Gapped
from hfpy.analyze.facts import Facts, Plans, analysed_routines, keeps_value, resolve_alias, views_by_class
from hfpy.analyze.language.context import region_at
from hfpy.analyze.language.referenced import references_in
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.sizes import atoms, normal
from hfpy.analyze.language.types import assigned_by_parts
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.agreement import edges_by_class, joints, turned_by_macros
from hfpy.analyze.order.allocations import allocations
from hfpy.analyze.order.layout import decide_layout, keep_unpinned
from hfpy.analyze.unchanged import in_same_positions, in_same_regions, unchanged_routines
from hfpy.diagnostics import Diagnostic, Fix, Related, error, warning
from hfpy.model.application import Application
from hfpy.model.directives import Dependants, Listed, Region
from hfpy.model.expressions import Apply, Expr, Name, base_name, names_in
from hfpy.model.source import LineKey
from hfpy.model.statements import Assignment, Statement
from hfpy.model.units import Routine, Symbol
from hfpy.parse.expressions.fragments import fragment


def analyse(application: Application, before: Facts | None = None, earlier: CallGraph | None = None) -> Facts:
    """Run all analyses for the target of the application's options. ``before`` are the facts without errors of the
    application before some of its files got other texts: what they have to say of routines that have not changed is not
    found out, nor said, again. ``earlier`` is the call graph of such an application, for when there are no facts.
    """
    target = application.options.target
    scopes = Scopes(application)
    earlier = before.graph if before is not None else earlier
    same = unchanged_routines(earlier.application, application) if earlier is not None else frozenset()
    graph = CallGraph(application, scopes, before=earlier, same=same)
    where = positions(application, graph, target)
    settled = in_their_positions(application, where)
    if settled is not application:
        return analyse(settled)  # what is declared decides which calls are meant
    first = Domains(application, scopes, where, known=_objects_before(before, where, same))
    references = {key: _references(key, graph, scopes, before) for key in graph.statements}
    storage = Storage(application, scopes, graph)
    facts = Facts(application, target, scopes, graph, where, first, references, Classes(), storage)
    found = [*where.diagnostics, *check_calls(facts)]
    private = _private_to_points(facts, found)
    changed = {key for key, _ in private}
    known = {slot: data for slot, data in first.known.items() if slot[0] not in changed}
    domains = Domains(application, scopes, where, private=private, known=known)
    facts = replace(facts, domains=domains)
    facts = replace(facts, allocations=allocations(facts))
    found += _check_listed(facts)
    facts = replace(facts, plans=_plans(facts, found, before, same))
    facts = replace(facts, classes=_classes(facts, found))
    facts = replace(facts, orders=_orders(facts, found))
    if target == "gpu":
        facts = replace(facts, gapped=Gapped(facts).dummies())
    return replace(facts, found=(*found, *first.found, *domains.found))


def _objects_before(
    before: Facts | None, where: Positions, same: frozenset[str]
) -> dict[tuple[str, str], DataObject | None]:
    """The data objects that are as they were, of routines without variables private to points."""
    if before is None:
        return {}
    private = {key for key, _ in before.domains.private}
    still = in_same_regions(before.positions, where, same) - private
    return {slot: data for slot, data in before.domains.known.items() if slot[0] in still}


def _references(key: str, graph: CallGraph, scopes: Scopes, before: Facts | None) -> tuple[Reference, ...]:
    """The references of a routine, which are those before if its statements and calls are."""
    if before is not None:
        earlier = before.graph
        if graph.statements[key] is earlier.statements.get(key) and graph.indirect[key] is earlier.indirect.get(key):
            return before.references[key]
    return references_of(key, graph, scopes)


def references_of(key: str, graph: CallGraph, scopes: Scopes) -> tuple[Reference, ...]:
    """All references of a routine. What a defined assignment may set in part only is read there, too."""
    found = references_in(graph.statements[key], key, scopes)
    sites = (s for s in graph.indirect.get(key, ()) if _target_of(s.at.statement) is s.node)
    targets = {(id(s.at.statement), s.node.start) for s in sites}  # components begin with the name of the object
    targets |= {
        (id(at.statement), target.start)
        for at in graph.statements[key]
        if (target := _target_of(at.statement)) is not None and assigned_by_parts(target, key, scopes)
    }
    written = (r for r in found if r.role == "write")
    return (*found, *(replace(r, role="read") for r in written if (id(r.at.statement), r.node.start) in targets))


def _target_of(statement: Statement) -> Expr | None:
    return statement.target if isinstance(statement, Assignment) else None


def _private_to_points(facts: Facts, found: list[Diagnostic]) -> frozenset[tuple[str, str]]:
    """The locals of routines with regions, as routine and name, that stay private to a point and are not extended
    (§5.3, privatisation).
    """
    private: set[tuple[str, str]] = set()
    for routine in analysed_routines(facts):
        position = facts.positions.get(routine.key)
        if not position.own:
            continue
        for name in facts.domains.listings(routine.key):
            data = facts.object(name, routine.key)
            if data is None or data.dummy or not data.inserted:
                continue
            if data.local and (facts.target == "gpu" or keeps_value(routine, name)):
                continue
            if not data.local and _extended_at_home(facts, data):
                continue
            if not value_crosses(facts, routine, name):
                private.add((routine.key, name))
            elif not data.local:
                found.append(_not_at_home(facts, data))
    return frozenset(private)


def _extended_at_home(facts: Facts, data: DataObject) -> bool:
    """Whether the module of a variable has it with the dimensions that are inserted here: by its own directives, or
    on the GPU as a device twin that the user declares (§7.3).
    """
    home = facts.object(data.symbol.name, data.home)
    if home is None or len(home.full) == len(data.full):
        return True
    twin = facts.scopes.variable(f"{data.symbol.name}_hfdev", data.home)
    return facts.target == "gpu" and twin is not None


def _not_at_home(facts: Facts, data: DataObject) -> Diagnostic:
    home = facts.routine(data.home)
    symbol = data.symbol
    declared = symbol.line.place(home.file, *symbol.name_span) if symbol.line is not None else home.place()
    sizes = ", ".join(d.size for d in data.full if d.declared is None)
    message = f"'{data.name}' gets the dimensions {sizes} here, but not in its {home.kind} '{home.name}'"
    hint = f"list it with the same domains in a @domainDependant block of {home.kind} '{home.name}'"
    return error("HF302", message, data.listed or declared, hint, [Related(declared, "it is declared here")])


def value_crosses(facts: Facts, routine: Routine, name: str) -> bool:
    """Whether a local is used in two regions, or its value goes into or out of its region, or to a neighbour."""
    data = facts.object(name, routine.key)
    assert data is not None
    regions = set()
    set_outside = written = outside = False
    for reference in facts.references[routine.key]:
        if reference.name != name or not facts.live(reference.at, routine.key):
            continue
        identity = facts.positions.active(routine.key, reference.at)
        if identity is not None:
            regions.add(identity.number)
            written = written or reference.role not in ("read", "inquiry")
            outside = outside or _at_neighbour(reference, data)
        elif reference.role in ("write", "allocate"):
            set_outside = True
        else:
            outside = True
    # Set before the region and changed in it: every point needs its own value, one copy a thread would carry it on.
    return len(regions) > 1 or outside or (set_outside and written)


def _at_neighbour(reference: Reference, data: DataObject) -> bool:
    """Whether all indices are given and one that would be dropped is not the point's own."""
    if reference.indices is None or len(reference.indices) != len(data.full):
        return False
    return any(
        d.declared is None and not is_full_range(i) and not (isinstance(i, Name) and i.name == d.name)
        for i, d in zip(reference.indices, data.full, strict=True)
    )


def _check_listed(facts: Facts) -> Iterator[Diagnostic]:
    """Every listed name must be a variable that is known in its scope (§3.3, B21)."""
    for key, routine in facts.application.routines.items():
        for block in routine.spec.dependants:
            for listed in block.names:
                yield from _listed_as(facts, key, routine, block, listed)


def _listed_as(facts: Facts, key: str, routine: Routine, block: Dependants, listed: Listed) -> Iterator[Diagnostic]:
    """What is wrong with one listed name."""
    name = base_name(fragment(listed.name).expr) or listed.name
    found = facts.scopes.variable(name, key)
    if "transferhere" in block.flags and found is not None:
        yield from _not_transferred(listed, found.symbol)
    known = name in routine.spec.symbols
    if found is not None and known and "parameter" in found.symbol.attributes:
        yield error("HF313", f"'{name}' is a named constant", listed.place)
        return
    if found is not None and (found.home != key or known or name in routine.dummies):
        return
    if facts.scopes.opaque.brings(name, key) or facts.scopes.opaque.seen_by(key):
        return
    message = f"'{listed.name}' is listed but not declared"
    if facts.application.options.legacy and not block.domains:
        # The predecessor took such names for scalars of the module, and did nothing about them.
        yield warning("HF300", message, listed.place, "it is ignored because this is an existing project")
        return
    near = _near(name, list(routine.spec.symbols))
    hint = f"did you mean '{near}'?" if near else "declare it, or import it with use … only"
    yield error("HF300", message, listed.place, hint).proposing(*([Fix(listed.place, near)] if near else []))


def _not_transferred(listed: Listed, symbol: Symbol) -> list[Diagnostic]:
    """An error for an object or a component with ``transferHere``: only arrays of their own are brought to the device
    for a whole routine, components for each kernel.
    """
    if not listed.component and symbol.type.base not in ("type", "class"):
        return []
    what = "a component" if listed.component else "an object of derived type"
    hint = "pass the array to a routine whose dummy argument is listed there"
    return [error("HF605", f"'{listed.name}' is {what}, and cannot be brought to the device here", listed.place, hint)]


def _near(name: str, known: list[str]) -> str:
    return next(iter(difflib.get_close_matches(name, known, 1, 0.7)), "")


def _plans(facts: Facts, found: list[Diagnostic], before: Facts | None, same: frozenset[str]) -> dict[str, Plans]:
    """The plans of all references, by routine. Those of a routine are as before if neither the routines that it calls
    nor those with the regions around it have changed.
    """
    known = before.plans if before is not None else {}
    still = in_same_positions(before, facts, same) if before is not None else same
    made: dict[str, Plans] = {}
    for routine in analysed_routines(facts):
        key = routine.key
        as_before = key in known and concerned(facts, key) <= still
        made[key] = known[key] if as_before else plans_of(facts, routine, found)
    return made


def concerned(facts: Facts, key: str) -> set[str]:
    """A routine with those that it calls and those with the regions around it: what it is depends on no others."""
    position = facts.positions.get(key)
    regions = (*position.own, *position.below, *position.above)
    return {key, *facts.graph.called(key), *(region.routine for region in regions)} - {""}


def plans_of(facts: Facts, routine: Routine, found: list[Diagnostic]) -> Plans:
    """The plans of all references of one routine; what is wrong with them goes to ``found``."""
    key = routine.key
    plans: dict[tuple[LineKey, int, int], Plan] = {}
    sites = {(s.at.statement.line.key, s.node.start, s.node.end): s for s in facts.graph.sites[key]}
    for reference in facts.references[key]:
        if not facts.live(reference.at, key):
            continue
        name, _plain = resolve_alias(reference.name, reference.at)
        data = facts.object(name, key) if name is not None else None
        if data is None or not (data.full or data.symbol.rank):
            continue
        if reference.role != "argument" and not isinstance(reference.node, Apply | Name):
            continue
        region = facts.positions.region(key, reference.at)
        made, problems = plan(data, reference, _surroundings(facts, routine, reference, region, sites))
        found += problems
        node = reference.node
        plans[(reference.at.statement.line.key, node.start, node.end)] = made
    return plans


def _surroundings(
    facts: Facts,
    routine: Routine,
    reference: Reference,
    region: Region | None,
    sites: dict[tuple[LineKey, int, int], CallSite],
) -> Surroundings:
    line = reference.at.statement.line
    around = [region_at(routine, number) for number in reference.at.regions]
    inactive = tuple([r for r in around if not r.active(facts.target)])
    dummy: DataObject | None = None
    known = False
    if reference.role == "argument" and reference.call is not None:
        site = sites.get((line.key, reference.call.start, reference.call.end))
        if site is not None and site.callee and not is_elemental(facts, site):
            known, dummy = dummy_of(facts, site, reference.position)
    node = reference.node
    place = line.place(routine.file, node.start, node.end)
    set_here = region is None and bool(inactive) and reference.role == "write"
    single = set_here and _one_value(facts, routine.key, reference.at.statement, inactive[-1])
    return Surroundings(region, inactive, dummy, known, place, facts.application.macros, single)


def _one_value(facts: Facts, key: str, statement: Statement, region: Region) -> bool:
    """Whether a statement assigns a value that is a scalar and does not depend on the point of a region."""
    if not isinstance(statement, Assignment) or statement.pointer:
        return False
    names = names_in(statement.value)
    objects = (facts.object(name, key) for name in names)
    return not names & set(region.iterators) and all(data is None or data.rank == 0 for data in objects)


def _classes(facts: Facts, found: list[Diagnostic]) -> Classes:
    """What is one object together: whole arrays and their dummies, pointers and targets."""
    classes = Classes()
    for joint in joints(facts):
        classes.join(joint.data.identity, joint.other.identity)
        if joint.reference is not None and joint.site is not None and not joint.site.chosen:
            found += _check_sizes(facts, joint.key, joint.reference, joint.data, joint.other)
            if not turned_by_macros(facts, joint):
                found += _check_places(facts, joint.key, joint.reference, joint.data, joint.other)
    return classes


def _check_sizes(
    facts: Facts, key: str, reference: Reference, data: DataObject, dummy: DataObject
) -> Iterator[Diagnostic]:
    """Sizes that hfpy inserts in caller and callee must not contradict each other (design contract 4).

    Told apart only where both share a name, such as ``nx`` against ``0:nx+1`` (``nx`` and a callee's own ``n`` may
    be one size).
    """
    for mine, other in zip(data.used, dummy.used, strict=True):
        if mine.declared is not None and other.declared is not None:
            continue
        if not atoms(mine.extent) & atoms(other.extent) or normal(mine.extent) == normal(other.extent):
            continue
        routine = facts.routine(key)
        node = reference.node
        place = reference.at.statement.line.place(routine.file, node.start, node.end)
        here, there = f"'{reference.name}' has dimension {mine.size} here", f"'{dummy.name}' gets {other.size}"
        message = f"{here}, but {there} in '{dummy.routine}'"
        related = [Related(d.listed, "its domains come from here") for d in (data, dummy) if d.listed]
        yield error("HF305", message, place, "give both the same domSize", related)
        return


def _check_places(
    facts: Facts, key: str, reference: Reference, data: DataObject, dummy: DataObject
) -> Iterator[Diagnostic]:
    """A domain must be at the same place in both shapes where hfpy inserted dimensions in one of them: the array
    ``(nz,nx,ny)`` is no ``(nx,ny,nz)`` even if the sizes agree.

    Names of iterators belong to a routine: ``i`` may go along ``nx`` in one and along ``ny`` in another. Where all
    sizes are written alike and differ from each other, they tell the places.
    """
    if not (data.inserted or dummy.inserted):
        return
    here, there = ([normal(d.extent) for d in o.used] for o in (data, dummy))
    if here == there and len(set(here)) == len(here):
        return
    mine, theirs = ({d.name: i for i, d in enumerate(o.used) if d.name} for o in (data, dummy))
    moved = [name for name in mine if name in theirs and mine[name] != theirs[name]]
    if not moved:
        return
    node = reference.node
    place = reference.at.statement.line.place(facts.routine(key).file, node.start, node.end)
    message = (
        f"domain {moved[0]} is dimension {mine[moved[0]] + 1} of '{reference.name}', "
        f"but dimension {theirs[moved[0]] + 1} of '{dummy.name}' in '{dummy.routine}'"
    )
    related = [Related(d.listed, "its domains come from here") for d in (data, dummy) if d.listed]
    yield error("HF305", message, place, "declare both with their dimensions in one order", related)


def _orders(facts: Facts, found: list[Diagnostic]) -> Mapping[Node, Order]:
    """The storage order of each class that has another than the declared one."""
    if facts.application.options.layout or facts.application.options.layout_arrays:
        return decide_layout(facts, found)
    options = facts.application.options
    macros = dict(facts.application.macros)
    for file in facts.application.files:
        for name in file.macros:
            macros.setdefault(name, macros.get(name))  # type: ignore[arg-type]
    decider = MacroOrders(macros, options.storage_order is not None)
    edges = cache(lambda: edges_by_class(facts))  # asked for where views differ only
    wanted: dict[Node, Order] = {}
    views = views_by_class(facts)
    for representative, members in views.items():
        order = decider.decide(members, representative, edges)
        if order is not IDENTITY:
            wanted[representative] = order
    orders = keep_unpinned(facts, wanted, views, found, by_macros=True)
    found += decider.found
    return orders
