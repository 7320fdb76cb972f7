"""Kernel positions: where every routine lies relative to the regions that are active on a target.

Positions follow from the call graph (design contract 5, hybrid-fortran.md §4.2): ``own`` regions lie in the routine,
``below`` in routines it calls, ``above`` around calls that lead to it. A routine that is
both around a region and inside one is an error unless the inner region is a ``vector`` loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import networkx as nx

from hfpy.analyze.callgraph.graph import CallGraph, CallSite
from hfpy.analyze.language.context import Located, regions_of
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.application import Application
from hfpy.model.directives import Dependants, Region
from hfpy.model.names import unit_name
from hfpy.model.statements import constructs
from hfpy.model.targets import holds_position
from hfpy.model.units import Routine
from hfpy.values import dataclass, fixed


@dataclass(frozen=True, slots=True)
class RegionId:
    """A region by routine and number."""

    routine: str
    number: int


@dataclass(frozen=True)
class Position:
    """Where one routine lies on one target."""

    own: tuple[RegionId, ...] = ()
    below: frozenset[RegionId] = frozenset()
    above: frozenset[RegionId] = frozenset()

    @property
    def label(self) -> str:
        """``within``, ``inside``, ``outside`` or ``none``, as the language names them."""
        if self.own:
            return "within"
        if self.below:
            return "inside"
        return "outside" if self.above else "none"


NOWHERE = Position()


@dataclass(frozen=True)
class Positions:
    """Positions of all routines, the active regions, what was wrong, and the iterators of all regions, those of other
    targets too.
    """

    of: dict[str, Position]
    regions: dict[RegionId, Region]
    diagnostics: tuple[Diagnostic, ...]
    iterators: frozenset[str] = frozenset()

    def get(self, key: str) -> Position:
        """The position of a routine (nowhere, if it is not parsed)."""
        return self.of.get(key, NOWHERE)

    def active(self, key: str, at: Located) -> RegionId | None:
        """The active region around a statement of a routine, or None."""
        for number in reversed(at.regions):
            identity = RegionId(key, number)
            if identity in self.regions:
                return identity
        return None

    def region(self, key: str, at: Located) -> Region | None:
        """The active region around a statement of a routine, or None."""
        identity = self.active(key, at)
        return self.regions[identity] if identity is not None else None


def active_regions(application: Application, target: str) -> dict[RegionId, Region]:
    """Every region that is active on the target."""
    return {
        RegionId(key, number): construct.region
        for key, routine in application.routines.items()
        for number, construct in enumerate(regions_of(routine))
        if construct.region is not None and construct.region.active(target)
    }


def positions(application: Application, graph: CallGraph, target: str) -> Positions:
    """Positions on one target."""
    regions = active_regions(application, target)
    own: dict[str, list[RegionId]] = {}
    for identity in regions:
        own.setdefault(identity.routine, []).append(identity)
    net = nx.DiGraph()
    net.add_nodes_from(application.routines)
    inside_calls: dict[RegionId, set[str]] = {r: set() for r in regions}
    for key, sites in graph.sites.items():
        for site in sites:
            if not site.callee:
                continue
            net.add_edge(key, site.callee)
            for number in site.at.regions:
                if (identity := RegionId(key, number)) in regions:
                    inside_calls[identity].add(site.callee)
    found = _recursion(graph, net, own, regions)
    below: dict[str, set[RegionId]] = {key: set() for key in application.routines}
    above: dict[str, set[RegionId]] = {key: set() for key in application.routines}
    reached = net.copy()
    reached.add_edges_from((key, s.callee) for key, sites in graph.indirect.items() for s in sites if s.callee)
    for key, identities in own.items():
        for caller in nx.ancestors(reached, key):
            below.setdefault(caller, set()).update(identities)
    for identity, callees in inside_calls.items():
        for callee in callees:
            for inner in {callee} | nx.descendants(net, callee):
                above.setdefault(inner, set()).add(identity)
    result = {
        key: Position(tuple(own.get(key, ())), fixed(below.get(key, ())), fixed(above.get(key, ())))
        for key in application.routines
    }
    made = Positions(result, regions, ())
    found += _nesting(application, graph, made)
    everywhere = (c.region for r in application.routines.values() for c in r.regions)
    iterators = frozenset(name for region in everywhere if region is not None for name in region.iterators)
    return Positions(result, regions, tuple(found), iterators)


def in_their_positions(application: Application, where: Positions) -> Application:
    """The application with the declarations and ``@domainDependant`` blocks of those ``@if`` that hold in the positions
    of routines; what asks for a target has been decided before. It is the same one where none depends on a position.
    """
    made: dict[str, Routine] = {}
    for key, routine in application.routines.items():
        spec, label = routine.spec, where.get(key).label
        asked = [(condition, symbol) for condition, symbol in spec.alternatives if condition.kind != "architecture"]
        symbols = {symbol.name: symbol for condition, symbol in asked if holds_position(condition, label)}
        listed = tuple(block for block in spec.dependants if _is_for(block, label))
        if len(listed) < len(spec.dependants) or any(spec.symbols[name] is not s for name, s in symbols.items()):
            spec = replace(spec, symbols={**spec.symbols, **symbols}, dependants=listed)
            made[key] = replace(routine, spec=spec)
    return replace(application, routines={**application.routines, **made}) if made else application


def _is_for(block: Dependants, label: str) -> bool:
    condition = block.condition
    return condition is None or condition.kind == "architecture" or holds_position(condition, label)


def _recursion(
    graph: CallGraph, net: nx.DiGraph, own: dict[str, list[RegionId]], regions: Mapping[RegionId, Region]
) -> list[Diagnostic]:
    """Routines of the host may call each other around regions: procedures are recursive if nothing else is said
    (Fortran 2018, 15.6.2.1), and older ones, which are not, come back to none that is active. One that calls itself by
    its own name says that it is recursive, as compilers ask for it. A region cannot go on in itself, and halos are not
    followed from one call to the next.
    """
    found: list[Diagnostic] = []
    routines = graph.application.routines
    distributed = any(unit.distributed for file in graph.application.files for unit in file.units)
    for component in nx.strongly_connected_components(net):
        first = min(component)
        if len(component) == 1 and not net.has_edge(first, first):
            continue
        reaches = any(k in own for k in component) or any(k in own for k in nx.descendants(net, first))
        if not reaches:
            continue
        sites = [s for k in sorted(component) for s in graph.sites.get(k, ()) if s.callee in component]
        inside = any(RegionId(s.caller, number) in regions for s in sites for number in s.at.regions)
        itself = (k for k in sorted(component) if net.has_edge(k, k))
        silent = next((k for k in itself if "recursive" not in routines[k].prefix), "")
        if not (inside or silent or distributed):
            continue
        hint = "take the region out of the recursion"
        if not inside and not distributed:
            hint = f"declare '{unit_name(silent)}' recursive, or {hint}"
        related = [Related(_place(graph, s), f"'{s.name}' is called here") for s in sites[:4]]
        chain = " → ".join(unit_name(k) for k in (*sorted(component), first))
        found.append(
            error("HF401", f"recursive call chain into a region: {chain}", routines[first].place(), hint, related)
        )
    return found


def _place(graph: CallGraph, site: CallSite):  # type: ignore[no-untyped-def]
    routine = graph.application.routines[site.caller]
    return site.at.statement.line.place(routine.file, site.node.start, site.node.end)


def _nesting(application: Application, graph: CallGraph, made: Positions) -> list[Diagnostic]:
    """Regions of one target inside each other, in the text or through calls (§4.2)."""
    found: list[Diagnostic] = _lexical_nesting(application, made)
    for key, sites in graph.sites.items():
        for site in sites:
            outer = made.region(key, site.at)
            if outer is None or not site.callee:
                continue
            position = made.get(site.callee)
            inner = [r for r in (*position.own, *position.below) if not made.regions[r].vector]
            if not inner or (outer.vector and not inner):
                continue
            nested = min(inner, key=lambda r: (r.routine, r.number))
            related = [
                Related(outer.place, "the outer region begins here"),
                Related(made.regions[nested].place, f"the inner region, in '{nested.routine}', begins here"),
            ]
            hint = "let one of the regions apply to the other target only (appliesTo), or make the inner one 'vector'"
            message = f"'{site.name}' is called in a region and leads into another region"
            found.append(error("HF402", message, _place(graph, site), hint, related))
    return found


def _lexical_nesting(application: Application, made: Positions) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for _key, routine in application.routines.items():
        for construct in regions_of(routine):
            for part in construct.parts:
                for inner in constructs(part.body):
                    outer_region, inner_region = construct.region, inner.region
                    if outer_region is None or inner_region is None:
                        continue
                    both = all(r in made.regions.values() for r in (outer_region, inner_region))
                    if both and not inner_region.vector:
                        related = [Related(outer_region.place, "the outer region begins here")]
                        hint = "close the outer region first, or let them apply to different targets (appliesTo)"
                        found.append(error("HF206", "a region inside a region", inner_region.place, hint, related))
    return found
