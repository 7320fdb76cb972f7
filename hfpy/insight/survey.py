"""What is known of a program on one target, as plain values: for pictures, pages and texts.

The survey is made of facts once; what shows it needs no facts, and no analysis runs while a picture is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from pathlib import PurePath

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.calls import dummy_of
from hfpy.analyze.device.arraystatements import array_statements
from hfpy.analyze.device.states import HOST, LOCAL, TRANSFER, States
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.context import regions_of
from hfpy.insight.objectdata import component_uses
from hfpy.model.application import Application
from hfpy.model.directives import Region
from hfpy.model.statements import Header, constructs
from hfpy.model.units import Routine, UnitIndex
from hfpy.parse.edges import index_edges
from hfpy.values import dataclass

UNPARSED = "unparsed"  # the position of a routine that no directive reaches, so that it was not looked into
_CALLABLE = ("program", "subroutine", "function", "procedure")


@dataclass(frozen=True)
class RegionView:
    """A parallel region: its domains as (iterator, size), where it is, and whether it is active on the target.
    ``last_line`` and ``schedule``, what the optimiser makes of it in a few words, are known of a routine's own regions.
    """

    domains: tuple[tuple[str, str], ...]
    file: str
    line: int
    active: bool = True
    routine: str = ""
    last_line: int = field(default=0, compare=False)
    schedule: str = field(default="", compare=False)

    @property
    def iterators(self) -> str:
        """The names of the iterators, such as ``i, j``."""
        return ", ".join(name for name, _ in self.domains)

    @property
    def text(self) -> str:
        """The domains with their sizes, such as ``i=nx, j=ny``."""
        return ", ".join(f"{name}={size}" for name, size in self.domains)


@dataclass(frozen=True)
class DataView:
    """A variable that has dimensions: ``dimensions`` as text (``*`` parallel, ``+`` inserted), where it comes from,
    where it lives while the routine runs (on a GPU), and its storage order with the reason.
    """

    name: str
    dimensions: str
    kind: str
    state: str
    order: str


@dataclass(frozen=True)
class StatementView:
    """An array statement of host code that touches arrays on the device: its line, and why it stays on the host (empty
    where it becomes a kernel).
    """

    line: int
    reason: str


@dataclass(frozen=True)
class SerialView:
    """A loop that the user calls serial: its variable (empty without one), its line, and the reason."""

    var: str
    line: int
    reason: str


@dataclass(frozen=True)
class PassedArray:
    """An array argument of a call: the names on both sides, and its state in the routine called (empty on a CPU)."""

    name: str
    dummy: str
    state: str = ""


@dataclass(frozen=True)
class CallView:
    """All calls of one routine by another: their lines, whether they are in an active region, the arrays passed."""

    caller: str
    callee: str
    lines: tuple[int, ...] = ()
    in_region: bool = False
    arrays: tuple[PassedArray, ...] = ()


@dataclass(frozen=True)
class RoutineView:
    """A routine: where it is, its position (``within``, ``inside``, ``outside``, ``none`` or ``unparsed``), its own
    regions, those that it leads to and lies in, its data, and its array statements on arrays that are on the device.
    """

    key: str
    name: str
    kind: str
    module: str
    file: str
    line: int
    last_line: int
    position: str
    backend: str = ""
    regions: tuple[RegionView, ...] = ()
    below: tuple[RegionView, ...] = ()
    above: tuple[RegionView, ...] = ()
    data: tuple[DataView, ...] = ()
    statements: tuple[StatementView, ...] = ()
    serial: tuple[SerialView, ...] = ()

    @property
    def kernels(self) -> tuple[RegionView, ...]:
        """The regions that are active on the target."""
        return tuple(r for r in self.regions if r.active)


@dataclass(frozen=True)
class Survey:
    """A program on one target: its routines in the order of the files, and who calls whom."""

    target: str = "cpu"
    routines: tuple[RoutineView, ...] = ()
    calls: tuple[CallView, ...] = field(default=())

    def named(self, name: str) -> tuple[RoutineView, ...]:
        """The routines of a name, or of a ``module::name``, in any case."""
        wanted = name.lower()
        return tuple(r for r in self.routines if wanted in (r.key, r.name, f"{r.module}::{r.name}"))


def survey(facts: Facts, states: States) -> Survey:
    """Everything that is known of a program."""
    application = facts.application
    routines = []
    for key in application.units:
        if application.unit(key).kind in _CALLABLE:
            known = key in facts.graph.statements
            routines.append(routine_view(facts, states, key) if known else _unparsed(facts, key))
    return Survey(facts.target, tuple(routines), tuple(_calls(facts, states)))


def routine_view(facts: Facts, states: States, key: str) -> RoutineView:
    """What is known of one routine that has been parsed."""
    routine = facts.routine(key)
    position = facts.positions.get(key)
    place = routine.place()
    own = []
    for number, construct in enumerate(regions_of(routine)):
        if construct.region is not None:
            active = RegionId(key, number) in facts.positions.regions
            view = _region(facts, construct.region, key, active)
            last = construct.end.line.last + 1 if construct.end is not None else 0
            own.append(replace(view, last_line=_source_line(facts, key, last) if last else 0))
    return RoutineView(
        key,
        routine.name,
        routine.kind,
        routine.module,
        place.file,
        _source_line(facts, key, place.line),
        _last_line(facts, routine),
        position.label,
        facts.backend(key),
        tuple(own),
        _regions(facts, position.below),
        _regions(facts, position.above),
        data_views(facts, states, key),
        tuple(_statements(facts, states, key)),
        tuple(_serial(facts, routine)),
    )


def _serial(facts: Facts, routine: Routine) -> Iterator[SerialView]:
    for construct in constructs(routine.body):
        header = construct.header
        if isinstance(header, Header) and header.serial:
            line = facts.application.user_line(routine.key, header.line.first)
            yield SerialView(header.var, line, header.serial)


def _statements(facts: Facts, states: States, key: str) -> Iterator[StatementView]:
    index = facts.application.file(key)
    for found in array_statements(facts, states, key):
        reason = found.reason if facts.application.options.opt else "the optimiser is at level 0"
        yield StatementView(index.user_line(found.first.first), reason)


def data_views(facts: Facts, states: States, key: str) -> tuple[DataView, ...]:
    """The variables of a routine that have dimensions, by name, and the arrays in objects that its kernels use."""
    routine = facts.routine(key)
    found: list[DataView] = []
    for name in sorted({*routine.spec.symbols, *(r.name for r in facts.references.get(key, ()))}):
        data = facts.object(name, key)
        if data is None or not (data.full or data.rank):
            continue
        order = facts.order(data)
        dimensions = ", ".join(
            f"{d.size}{f' [{d.name}]' if d.name else ''}{'*' if d.parallel else ''}{'+' if d.declared is None else ''}"
            for d in data.used
        )
        kind = "dummy" if data.dummy else "local" if data.home == key else f"from {data.home}"
        found.append(
            DataView(
                name,
                f"({dimensions})" if data.rank else "scalar here",
                kind,
                state_of(facts, states, data, name, key),
                order.reason or ("declared order" if data.rank > 1 else ""),
            )
        )
    found += (
        DataView(use.name, use.dimensions, "component", use.state, "no directive brings it there")
        for use in component_uses(facts, states.effects, key)
    )
    return tuple(found)


def state_of(facts: Facts, states: States, data: DataObject, name: str, key: str) -> str:
    """Where an array lives while the routine runs, and what is copied; on CPUs what the directives say."""
    asked = next(iter(data.flags), "")
    if facts.target != "gpu" or not data.rank:
        return asked
    state = states.of(name, key)
    if state == TRANSFER:
        copied_in, copied_out = states.copies(name, key)
        ways = " and back" if copied_out else ""
        return f"brought to the device{ways}" if copied_in else "made on the device"
    if state == LOCAL:
        return "made on the device"
    return "on the host" if state == HOST else "on the device"


def _regions(facts: Facts, identities: frozenset[RegionId]) -> tuple[RegionView, ...]:
    ordered = sorted(identities, key=lambda r: (r.routine, r.number))
    return tuple(_region(facts, facts.positions.regions[i], i.routine, True) for i in ordered)


def _region(facts: Facts, region: Region, key: str, active: bool) -> RegionView:
    domains = tuple((d.name, d.extent.text) for d in region.domains)
    return RegionView(domains, region.place.file, _source_line(facts, key, region.place.line), active, key)


def _unparsed(facts: Facts, key: str) -> RoutineView:
    """A routine that is known from the index alone."""
    application = facts.application
    index, unit = application.file(key), application.unit(key)
    first = index.lines[unit.first].place(index.path).line
    last = index.lines[min(unit.last, len(index.lines) - 1)].place(index.path).line
    module = key.split("::")[0] if unit.parent is not None and not key.startswith("program::") else ""
    name = unit.name or PurePath(index.path).stem
    return RoutineView(
        key, name, unit.kind, module, index.path, index.user_line(first - 1), index.user_line(last - 1), UNPARSED
    )


def _source_line(facts: Facts, key: str, line: int) -> int:
    return facts.application.file(key).user_line(line - 1)


def _last_line(facts: Facts, routine: Routine) -> int:
    end = routine.end if routine.end is not None else routine.header
    return _source_line(facts, routine.key, end.last + 1)


def _calls(facts: Facts, states: States) -> Iterator[CallView]:
    """One for each pair of routines of which one calls the other."""
    application = facts.application
    found: dict[tuple[str, str], CallView] = {}
    for caller, sites in facts.graph.sites.items():
        arrays = _arrays(facts, states, caller)
        for site in sites:
            if site.callee not in application.units:
                continue
            made = found.get((caller, site.callee), CallView(caller, site.callee))
            line = site.at.statement.line.place(facts.routine(caller).file, site.node.start).line
            inside = facts.positions.active(caller, site.at) is not None
            found[(caller, site.callee)] = replace(
                made,
                lines=(*made.lines, _source_line(facts, caller, line)),
                in_region=made.in_region or inside,
                arrays=tuple(dict.fromkeys((*made.arrays, *arrays.get(_slot(site), ())))),
            )
    for caller, callees in index_edges(application).items():
        if caller not in facts.graph.sites:
            for callee in _meant(application, caller, callees - {caller}):
                found.setdefault((caller, callee), CallView(caller, callee))
    callable_units = {k for k in application.units if application.unit(k).kind in _CALLABLE}
    yield from (c for c in found.values() if c.caller in callable_units and c.callee in callable_units)


def _meant(application: Application, caller: str, candidates: set[str]) -> list[str]:
    """Which of the routines that have a name mentioned in a routine it can mean: of several of one name those in its
    own unit, else in modules that it uses, else outside of modules.
    """
    by_name: dict[str, list[str]] = {}
    for key in sorted(candidates):
        by_name.setdefault(application.unit(key).name, []).append(key)
    index, number = application.file(caller), application.units[caller][1]
    used: set[str] = set()
    parents = [caller.rsplit("::", n)[0] for n in range(1, caller.count("::") + 1)]
    unit: UnitIndex | None = index.units[number]
    while unit is not None:
        used |= {use.module for use in unit.uses}
        unit = index.units[unit.parent] if unit.parent is not None else None
    meant: list[str] = []
    for keys in by_name.values():
        homes = {key: key.rpartition("::")[0] for key in keys}
        for fitting in ({*parents, caller}, used, {""}):
            chosen = [key for key in keys if homes[key] in fitting]
            if chosen:
                break
        meant += chosen or (keys if len(keys) == 1 else [])
    return meant


def _slot(site: CallSite) -> tuple[object, int, int]:
    return site.at.statement.line.key, site.node.start, site.node.end


def _arrays(facts: Facts, states: States, key: str) -> dict[tuple[object, int, int], list[PassedArray]]:
    """The array arguments of the calls of a routine, by call."""
    found: dict[tuple[object, int, int], list[PassedArray]] = {}
    for reference in facts.references.get(key, ()):
        site = states.effects.site(reference, key) if reference.role == "argument" else None
        if site is None or not site.callee:
            continue
        name = resolve_alias(reference.name, reference.at)[0] or reference.name
        dummy = dummy_of(facts, site, reference.position)[1]
        if dummy is None or not dummy.rank:
            continue
        state = state_of(facts, states, dummy, dummy.name, site.callee) if facts.target == "gpu" else ""
        if facts.positions.get(site.callee).above:
            state = "in the kernel" if facts.target == "gpu" else ""
        found.setdefault(_slot(site), []).append(PassedArray(name, dummy.name, state))
    return found
