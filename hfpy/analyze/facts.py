"""Facts: everything the analyses find out about an application on one target.

Made once by :func:`analyse`; the transformations only read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path

from hfpy.analyze.arrays.accesses import Plan
from hfpy.analyze.arrays.domains import DataObject, Domains
from hfpy.analyze.arrays.orders import IDENTITY, Classes, Node, Order
from hfpy.analyze.arrays.storage import Identity, Storage
from hfpy.analyze.callgraph.graph import CallGraph
from hfpy.analyze.callgraph.positions import Positions
from hfpy.analyze.devicefacts import DeviceFacts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.ofthreads import of_threads
from hfpy.analyze.language.scopes import Found, Scopes
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.model.application import Application
from hfpy.model.directives import IfDirective
from hfpy.model.expressions import Apply, Component, Expr, Name, base_name
from hfpy.model.extents import Dim
from hfpy.model.names import unit_name
from hfpy.model.source import LineKey
from hfpy.model.statements import OneLine, Opaque
from hfpy.model.targets import holds_architecture, holds_position
from hfpy.model.units import POINTEE, Routine
from hfpy.parse.files import leaves_preprocessed
from hfpy.values import dataclass

Plans = Mapping[tuple[LineKey, int, int], Plan]  # of one unit, by line and place of the reference
# The routine of an ``allocate`` statement, and the sizes there.
Allocation = tuple[str, tuple[Dim, ...]]


@dataclass(frozen=True)
class Facts:
    """Results of the analyses: a value. ``found`` are their diagnostics, ``allocations`` those of each array by its
    home and name there. ``device`` is known where not all statements are there. What the analyses know is asked for by
    the methods here, and those of what it holds.
    """

    application: Application
    target: str
    scopes: Scopes
    graph: CallGraph
    positions: Positions
    domains: Domains
    references: Mapping[str, tuple[Reference, ...]]
    classes: Classes
    storage: Storage
    orders: Mapping[Node, Order] = field(default_factory=dict)
    plans: Mapping[str, Plans] = field(default_factory=dict)
    allocations: Mapping[Identity, tuple[Allocation, ...]] = field(default_factory=dict)
    device: DeviceFacts | None = None
    found: tuple[Diagnostic, ...] = ()
    gapped: frozenset[Identity] = frozenset()  # dummies of GPU code that may get arrays with gaps
    settled: frozenset[str] = frozenset()  # routines in which checks are known to find no error

    @cached_property
    def of_threads(self) -> frozenset[Identity]:
        """The variables of which each thread of OpenMP's has its own: home unit and name there."""
        return of_threads(self.application)

    @cached_property
    def _indexed(self) -> dict[str, Mapping[LineKey, OneLine]]:
        return {}

    def indexed_lines(self, key: str) -> Mapping[LineKey, OneLine]:
        """The ``forall`` and ``do concurrent`` of one line in a unit, by their lines."""
        if key not in self._indexed:
            found = (at.statement for at in self.graph.statements.get(key, ()))
            loops = (s for s in found if isinstance(s, OneLine) and s.kind in ("forall", "doconcurrent"))
            self._indexed[key] = {s.line.key: s for s in loops}
        return self._indexed[key]

    # -- questions the transformations ask

    def routine(self, key: str) -> Routine:
        """A parsed unit."""
        return self.application.routines[key]

    def object(self, name: str, key: str) -> DataObject | None:
        """The data object a name means in a routine."""
        try:
            return self.domains.known[key, name]  # this is asked millions of times
        except KeyError:
            return self.domains.object(name, key)

    def variable(self, name: str, at: Located, key: str) -> Found | None:
        """What a name means at a statement, if it is a variable, or means a part of one."""
        aliases = aliases_of(at) if at.renamed else {}
        seen: set[str] = set()
        while name in aliases and name not in seen:
            seen.add(name)
            selector = aliases[name]
            base = base_name(selector) if selector is not None else None
            if base is None:
                return None
            name = base
        return self.scopes.variable(name, key)

    def order(self, data: DataObject) -> Order:
        """The storage order of a data object as one routine uses it (rank-reduced views have none: §6.3)."""
        if data.removed or data.rank < 2:
            return IDENTITY
        order = self.orders.get(self.classes.root(data.identity), IDENTITY).of(data.identity)
        if order.access_macro and order.storage is not None:
            path = Path(self.application.file(data.routine).path)
            if not leaves_preprocessed(path):
                return replace(order, access_macro="", domain_macro="", permutation=order.storage)
        return order

    def may_have_gaps(self, data: DataObject) -> bool:
        """Whether the elements of an array need not be next to each other when the program runs. (Asked for code for a
        device: of other targets only pointers are known.)
        """
        if not data.rank or "contiguous" in data.symbol.attributes:
            return False
        return "pointer" in data.symbol.attributes or (data.home, data.symbol.name) in self.gapped

    def backend(self, key: str) -> str:
        """The backend of a routine: by name, by scheme, else the default."""
        return backend_of(self.application, key)

    def live(self, at: Located, key: str) -> bool:
        """Whether a statement survives every ``@if`` around it."""
        return not at.conditions or all(self.holds(c, key) for c in at.conditions)

    def holds(self, condition: IfDirective, key: str) -> bool:
        """Whether an ``@if`` is true in a routine (§3.5)."""
        if condition.kind == "architecture":
            return holds_architecture(condition, self.backend(key))
        return holds_position(condition, self.positions.get(key).label)

    def plan_of(self, reference: Reference, key: str) -> Plan | None:
        """The plan of a reference, or None where nothing is known to change."""
        return self.plan_at(reference.at.statement.line.key, reference.node, key)

    def plan_at(self, line: LineKey, node: Expr, key: str) -> Plan | None:
        """The plan of the reference that an expression in a line is, or None where nothing is known to change."""
        return self.plans.get(key, {}).get((line, node.start, node.end))

    def hybrid(self, key: str) -> bool:
        """Whether a routine is in a file with directives."""
        return self.application.file(key).hybrid


def backend_of(application: Application, key: str) -> str:
    """The backend of a routine (design §4)."""
    routine = application.routines.get(key)
    return application.options.backend_of(key, unit_name(key), routine.scheme if routine is not None else "")


def analysed_routines(facts: Facts) -> list[Routine]:
    """Routines with an executable part whose accesses hfpy may rewrite: those of hybrid files, all with
    ``[layout]``; none that are there for the sake of others alone.
    """
    everything = bool(facts.application.options.layout)
    absent = facts.graph.absent
    return [
        facts.application.routines[key]
        for key in facts.graph.with_statements()
        if key not in absent and (everything or facts.application.file(key).hybrid)
    ]


def routines_to_check(facts: Facts) -> list[Routine]:
    """The analysed routines but for those of which it is known what checks find."""
    return [routine for routine in analysed_routines(facts) if routine.key not in facts.settled]


def keeps_value(routine: Routine, name: str) -> bool:
    """Whether a local keeps its value between calls: by ``save``, an initial value, or as a part of a common block,
    which other routines know as well. A main program's variable does not count by itself.
    """
    saved = routine.spec.saved
    if "*" in saved and name not in (*routine.dummies, routine.result or routine.name):
        return True
    return any(_keeps_value(routine, one) for one in in_one_memory(routine, name))


def block_of(routine: Routine, name: str) -> str | None:
    """The common block that a variable of a routine is in (empty for blank common); None if it is in none."""
    return next((g.name for g in routine.spec.groups if g.kind == "common" and name in g.members), None)


def _keeps_value(routine: Routine, name: str) -> bool:
    symbol = routine.spec.symbols.get(name)
    return (
        block_of(routine, name) is not None
        or name in routine.spec.saved
        or (symbol is not None and bool(symbol.attributes & {"save", "initialised"}))
    )


def in_one_memory(routine: Routine, name: str) -> set[str]:
    """A variable with those that ``equivalence`` puts into its memory."""
    found = {name}
    groups = [set(g.members) for g in routine.spec.groups if g.kind == "equivalence"]
    while more := [g for g in groups if g & found and not g <= found]:
        found = found.union(*more)
    return found


def resolve_alias(name: str, at: Located) -> tuple[str | None, bool]:
    """The variable a name means under associations and blocks: (name, plain) or (None, …) if it is none of the
    routine's.
    """
    if not at.renamed:
        return name, True
    aliases = aliases_of(at)
    seen: set[str] = set()
    while name in aliases and name not in seen:
        seen.add(name)
        selector = aliases[name]
        if not isinstance(selector, Name):
            return None, False
        name = selector.name
    return name, True


def stands_for(name: str, at: Located) -> tuple[str | None, bool]:
    """The variable whose memory a name means at a place, and whether it means all of it. An associate name may mean a
    part. (None, …) for the value of an expression, and for names that a ``block`` declares.
    """
    aliases = aliases_of(at)
    seen: set[str] = set()
    whole = True
    while name in aliases and name not in seen:
        seen.add(name)
        selector = aliases[name]
        base = base_name(selector) if isinstance(selector, (Name, Apply, Component)) else None
        if base is None:
            return None, False
        whole = whole and isinstance(selector, Name)
        name = base
    return name, whole


def views_by_class(facts: Facts, hybrid_only: bool = True) -> dict[Node, list[tuple[DataObject, Place]]]:
    """Every array view of analysed routines and modules by class, with the place of its declaration."""
    result: dict[Node, list[tuple[DataObject, Place]]] = {}
    seen: set[tuple[str, str]] = set()
    for key, routine in sorted(facts.application.routines.items()):
        if hybrid_only and not facts.application.file(key).hybrid:
            continue
        names = set(routine.spec.symbols) | {r.name for r in facts.references.get(key, ())}
        for name in sorted(names):
            data = facts.object(name, key)
            if data is None or data.rank < 2 or (key, name) in seen:
                continue
            seen.add((key, name))
            line = data.symbol.line
            home = facts.application.routines.get(data.home, routine)
            place = data.listed or (line.place(home.file, *data.symbol.name_span) if line is not None else home.place())
            result.setdefault(facts.classes.root(data.identity), []).append((data, place))
    return result


# Statements of old Fortran that do no more than to branch, to labels that they do not name.
BRANCHES = frozenset({"an assigned goto"})


def only_branches(facts: Facts, statement: Opaque, key: str) -> bool:
    """Whether a statement that hfpy does not understand does no more than to branch, where no way matters: in a routine
    that has no regions, is called in none, and has no arrays on a device.
    """
    routine = facts.routine(key)
    alone = not routine.regions and not facts.positions.get(key).above
    return statement.reason in BRANCHES and alone and facts.target == "cpu"


def opaque_in_regions(facts: Facts) -> list[Diagnostic]:
    """Statements that hfpy cannot understand where that matters. Outside regions, what is Fortran reads and sets only
    what it names, and calls what it names; what hfpy cannot parse may also go on elsewhere.
    """
    found: list[Diagnostic] = []
    for routine in routines_to_check(facts):
        for at in facts.graph.statements[routine.key]:
            statement = at.statement
            if not isinstance(statement, Opaque) or not facts.live(at, routine.key):
                continue
            if only_branches(facts, statement, routine.key) or (statement.legal and _apart(facts, at, routine.key)):
                continue
            what = "what this statement does is not known" if statement.legal else "this statement cannot be parsed"
            found.append(error("HF110", f"{what}: {statement.reason}", statement.line.place(routine.file)))
    return found


def _apart(facts: Facts, at: Located, key: str) -> bool:
    """Whether no point executes a statement, what it names is where it is declared, and has the dimensions that it is
    declared with.
    """
    if at.regions or facts.positions.get(key).above or not isinstance(at.statement, Opaque):
        return False
    named = [data for name in sorted(at.statement.names) if (data := facts.object(name, key)) is not None]
    return not any(d.inserted or d.removed or POINTEE in d.symbol.attributes for d in named)
