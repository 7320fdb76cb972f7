"""Storage objects: which memory a name may mean, over the whole program.

A variable that is declared is an object. A dummy argument, a pointer, and a name of an ``associate`` are *views* of one
of several objects: of all that calls, pointer assignments and allocations bring there. Components are told apart by
their names alone, whatever object of a derived type they belong to. What cannot be followed is :data:`ANYTHING`.

The sets are the least solution of inclusions (Andersen's analysis): each ``p => a`` and each argument says that a view
may mean all that another one may mean.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from functools import cached_property

from hfpy.analyze.arrays.associations import Associations
from hfpy.analyze.arrays.givento import as_it_lies, has_gaps, in_order, is_null
from hfpy.analyze.arrays.inobjects import InObjects, owners
from hfpy.analyze.arrays.overlays import Overlays
from hfpy.analyze.arrays.pointerresults import results_meant
from hfpy.analyze.callgraph.graph import CallGraph, CallSite
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import component, is_part, named_outside, shared_by_copies
from hfpy.analyze.language.uses import aliases_of
from hfpy.model.application import Application
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Name, base_name
from hfpy.model.statements import Assignment, Call, Memory
from hfpy.model.units import Routine, Symbol

#: Home unit and name there; ``("%", name)`` for components, ``("common", name)`` for the variables of a common block.
Identity = tuple[str, str]
#: Represents memory that pointers of unknown origin may point to.
ANYTHING: Identity = ("", "anything")
#: The first half of what represents variables of ``block`` constructs.
BLOCK = "block"
#: The first half of what :meth:`Storage.joint` gives.
JOINT = "/"
_POINTED = frozenset({"pointer", "target"})
_UNIT_KINDS = ("subroutine", "function")


def component_object(name: str) -> Identity:
    """What represents the components of a name, in objects of any type."""
    return "%", name


def block_object(name: str, key: str) -> Identity:
    """What represents the variables of a name that ``block`` constructs of a routine declare."""
    return BLOCK, f"{key} {name}"


def _same_target(name: str) -> Identity:
    """What notes that the pointer components of a name in several objects may point to one target."""
    return "%=", name


class Storage:
    """Answers what names mean. Everything is worked out when first asked."""

    def __init__(self, application: Application, scopes: Scopes, graph: CallGraph) -> None:
        self.application = application
        self.scopes = scopes
        self.graph = graph
        self.associations = Associations(application)
        self.overlays = Overlays(application, scopes, self.associations)
        self._objects: dict[Identity, frozenset[Identity]] | None = None
        self._gapped: frozenset[Identity] = frozenset()
        self._shared: dict[tuple[str, frozenset[str]], bool] = {}
        self.inside = InObjects(application, scopes)

    def without_bodies(self, application: Application, scopes: Scopes, graph: CallGraph) -> Storage:
        """The same answers for the application without its statements."""
        made = Storage(application, scopes, graph)
        made._objects, made._gapped = self._solved(), self._gapped
        for key, routine in self.application.routines.items():
            pointed = [d for d in routine.dummies if self._attributes((key, d)) & _POINTED]
            for first, second in itertools.combinations(pointed, 2):
                made._shared[key, frozenset({first, second})] = self.shared(first, second, key)
        return made

    def turn_to(self, application: Application, scopes: Scopes) -> None:
        """Go on with an application that differs in bodies only, and there in no assignment of pointers and no call."""
        self.application, self.scopes = application, scopes

    def objects(self, name: str, key: str) -> frozenset[Identity]:
        """The objects that a variable of a routine may mean; empty for what is no variable."""
        found = self.scopes.variable(name, key)
        return self.of_identity((found.home, found.symbol.name)) if found is not None else frozenset()

    def of_identity(self, identity: Identity) -> frozenset[Identity]:
        """The objects that a declared variable, or a component, may mean."""
        return self._solved().get(identity, frozenset({identity}))

    def same_target(self, name: str) -> bool:
        """Whether the pointer components of a name in several objects may point to one target: they are set to
        something, or their objects are copied. What is allocated for each of them is apart.
        """
        return _same_target(name) in self._solved()

    def gapped(self, name: str) -> bool:
        """Whether a pointer component of a name may get a section that has gaps in memory."""
        self._solved()
        return component_object(name) in self._gapped

    def alone(self, identity: Identity) -> bool:
        """Whether a declared array has memory that no pointer and no other variable can name: a copy for each point
        would not do otherwise.
        """
        if "pointer" in self._attributes(identity) or self.equivalent(identity):
            return False
        if "target" not in self._attributes(identity):
            return self.associations.associated(identity) is None
        by_target, into_objects = self._leading
        if any(view != identity for view in by_target.get(identity, ())):
            return False
        mine = frozenset({identity})
        return not any(view != identity and self._in(mine, there) for view, there in into_objects)

    @cached_property
    def _leading(self) -> tuple[dict[Identity, list[Identity]], list[tuple[Identity, frozenset[Identity]]]]:
        """The pointers, components and addresses by what they may mean, and those that may mean components."""
        by_target: dict[Identity, list[Identity]] = {}
        into_objects = []
        for view, there in self._solved().items():
            if not there <= {view} and (view[0] == "%" or self._leads(view)):
                for identity in there:
                    by_target.setdefault(identity, []).append(view)
                if any(kind == "%" for kind, _ in there):
                    into_objects.append((view, there))
        return by_target, into_objects

    def pointed_to(self, identity: Identity) -> bool:
        """Whether a pointer may read what a declared variable holds, or an address that something keeps."""
        return "target" in self._attributes(identity) and not self.alone(identity)

    def equivalent(self, identity: Identity) -> bool:
        """Whether ``equivalence`` gives the memory of a declared variable other names."""
        return len(self.associations.equivalent(identity)) > 1 or self.overlays.reached(identity)

    def joint(self, identity: Identity) -> Identity | None:
        """What represents all memory that ``common`` and ``equivalence`` join with that of a declared variable, in any
        unit; None if they join nothing with it.
        """
        home = self.application.routines.get(identity[0])
        found = self.associations.associated(identity) if home is not None and home.spec.groups else None
        return (JOINT, "/".join(found)) if found is not None else None

    def _solved(self) -> dict[Identity, frozenset[Identity]]:
        if self._objects is None:
            inclusions = _Inclusions(self.application, self.scopes, self.graph, self.associations)
            self._objects, self._gapped = inclusions.solved(), inclusions.reached(inclusions.sections)
        return self._objects

    def of_designator(self, expr: Expr, at: Located, key: str) -> frozenset[Identity]:
        """The objects that a designator means a part of: a variable, a component, a name of an ``associate``, what a
        function points to.
        """
        found = sources(expr, at, key, self.scopes, self.graph)
        return frozenset[Identity]().union(*map(self.of_identity, found))

    def meet(self, first: Iterable[Identity], second: Iterable[Identity]) -> bool:
        """Whether two sets of objects may have memory in common."""
        one, other = frozenset(first), frozenset(second)
        if one & other:
            return True
        if self._in(one, other) or self._in(other, one):
            return True
        return self._unknown_meets(one, other) or self._unknown_meets(other, one)

    def _in(self, one: frozenset[Identity], other: frozenset[Identity]) -> bool:
        """Whether components among the ``other`` ones, to which pointers point, may lie in objects of the first."""
        parts = [name for kind, name in other if kind == "%"]
        holders = [identity for identity in one if self.targetable(identity)] if parts else []
        return bool(holders) and self.inside.meet(parts, holders, self._solved(), ANYTHING)

    def _unknown_meets(self, one: frozenset[Identity], other: frozenset[Identity]) -> bool:
        return ANYTHING in one and any(self.targetable(identity) for identity in other)

    def targetable(self, identity: Identity) -> bool:
        """Whether a pointer may point to an object (Fortran 2018, 8.5.7 and 8.5.17)."""
        if identity == ANYTHING or identity[0] in ("%", "common", BLOCK):
            return True
        return bool(self._attributes(identity) & _POINTED)

    def shared(self, first: str, second: str, key: str) -> bool:
        """Whether two names of a routine may mean the same memory, one of them being written, in a program that
        conforms to the standard (Fortran 2018, 15.5.2.13): both are pointers or targets and may have an object in
        common, or storage association says so.
        """
        slot = (key, frozenset({first, second}))
        if slot not in self._shared:
            self._shared[slot] = False  # a recursive call adds nothing
            self._shared[slot] = self._may_share(first, second, key)
        return self._shared[slot]

    def _may_share(self, first: str, second: str, key: str) -> bool:
        found = [self.scopes.variable(name, key) for name in (first, second)]
        if first == second or any(f is None for f in found):
            return False
        one, other = ((f.home, f.symbol.name) for f in found if f is not None)
        if one == other:
            return True
        objects = [self.of_identity(i) for i in (one, other)]
        if one[0] == other[0]:  # variables of one common block are apart in the unit that declares them
            if other[1] in self.associations.equivalent(one) or self.overlays.overlap(one, other):
                return True
        elif (block := self.associations.associated(one)) and block == self.associations.associated(other):
            return True
        if not all(self._attributes(i) & _POINTED for i in (one, other)):
            return False
        routine = self.application.routines.get(key)
        dummies = routine.dummies if routine is not None else ()
        if first in dummies and second in dummies and not any(self._pointer(i) for i in (one, other)):
            sites = self.graph.callers.get(key, [])
            if sites:
                return any(self._actuals_meet(site, dummies, first, second) for site in sites)
        return self.meet(*objects)

    def _actuals_meet(self, site: CallSite, dummies: tuple[str, ...], first: str, second: str) -> bool:
        """Whether two dummies get the same memory at a call."""
        given = [actual(site, dummies, name) for name in (first, second)]
        if None in given:
            return False
        names = [_base(e) for e in given if e is not None]
        known = [self.scopes.variable(name, site.caller) if name is not None else None for name in names]
        if names[0] is not None and names[1] is not None and None not in known:
            return names[0] == names[1] or self.shared(names[0], names[1], site.caller)
        return self.meet(*(self.of_designator(e, site.at, site.caller) for e in given if e is not None))

    def _leads(self, identity: Identity) -> bool:
        """Whether a declared variable may lead to others: a pointer, or an address."""
        symbol = _symbol(self.application, identity)
        return symbol is not None and ("pointer" in symbol.attributes or holds_address(symbol))

    def _pointer(self, identity: Identity) -> bool:
        return "pointer" in self._attributes(identity)

    def _attributes(self, identity: Identity) -> frozenset[str]:
        symbol = _symbol(self.application, identity)
        return symbol.attributes if symbol is not None else frozenset()


def actual(site: CallSite, dummies: tuple[str, ...], dummy: str) -> Expr | None:
    """The actual argument of a dummy at a call; None if it is not given."""
    for position, arg in enumerate(site.args):
        if isinstance(arg, Keyword):
            if arg.name == dummy:
                return arg.value
        elif position < len(dummies) and dummies[position] == dummy:
            return arg
    return None


def designated(expr: Expr, at: Located, key: str, scopes: Scopes) -> Identity | None:
    """The variable or component that a designator means a part of, or what represents a variable of a ``block``; None
    for anything else. A part ``z%re`` of a complex number is one of ``z``.
    """
    seen: set[str] = set()
    aliases = aliases_of(at)
    while True:
        while isinstance(expr, Apply) or (
            isinstance(expr, Component) and is_part(named_outside(expr, aliases), key, scopes)
        ):
            expr = expr.base
        if isinstance(expr, Component):
            return component_object(expr.name)
        if not isinstance(expr, Name):
            return None
        selector = aliases.get(expr.name) if expr.name not in seen else None
        if selector is None:
            break
        seen.add(expr.name)
        expr = selector
    if aliases.get(expr.name, expr) is None:
        return block_object(expr.name, key)
    found = scopes.variable(expr.name, key)
    return (found.home, found.symbol.name) if found is not None else None


def sources(expr: Expr, at: Located, key: str, scopes: Scopes, graph: CallGraph) -> list[Identity]:
    """What a designator, or a reference of a function whose result is a pointer, means a part of."""
    results = results_meant(expr, at, key, scopes, graph)
    if results is not None:
        found, unknown = results
        return [*found, *([ANYTHING] if unknown else [])]
    identity = designated(expr, at, key, scopes)
    return [identity] if identity is not None else []


def holds_address(symbol: Symbol) -> bool:
    """Whether a variable holds the address of another one (Fortran 2018, 18.3.2)."""
    return symbol.type.derived == "c_ptr"


def _base(expr: Expr) -> str | None:
    """The variable that an argument is, or is a part of; None for components and expressions."""
    while isinstance(expr, Apply):
        expr = expr.base
    return expr.name if isinstance(expr, Name) else None


def _symbol(application: Application, identity: Identity) -> Symbol | None:
    home = application.routines.get(identity[0])
    return home.spec.symbols.get(identity[1]) if home is not None else None


class _Inclusions:
    """The inclusions of a program, and their least solution."""

    def __init__(self, application: Application, scopes: Scopes, graph: CallGraph, associations: Associations) -> None:
        self.application = application
        self.scopes = scopes
        self.graph = graph
        self.associations = associations
        self.known: dict[Identity, set[Identity]] = {}
        self.flows: dict[Identity, set[Identity]] = {}
        self.sections = set[Identity]()  # views that get a section with gaps

    def solved(self) -> dict[Identity, frozenset[Identity]]:
        """The objects of every declared variable and component. Procedures, to which pointers may point, are none."""
        for routine in self.application.routines.values():
            self._declared(routine)
        for key in self.graph.sites:
            self._statements(key)
            for site in self.graph.below(key):
                self._call(site)
        self._solve()
        symbols = ((identity, _symbol(self.application, identity)) for identity in self.known)
        for identity in [i for i, symbol in symbols if symbol is not None and symbol.type.base == "procedure"]:
            self.known[identity] = set()
        return {identity: frozenset(objects) for identity, objects in self.known.items()}

    def reached(self, sections: set[Identity]) -> frozenset[Identity]:
        """The views that may have gaps in memory, if some get sections that do."""
        found, pending = set[Identity](), list(sections)
        while pending:
            view = pending.pop()
            symbol = _symbol(self.application, view)
            if view not in found and (symbol is None or as_it_lies(symbol)):
                found.add(view)
                pending += self.flows.get(view, ())
        return frozenset(found)

    def _solve(self) -> None:
        pending = list(self.known)
        while pending:
            view = pending.pop()
            objects = self.known[view]
            for other in self.flows.get(view, ()):
                there = self.known.setdefault(other, set())
                if not objects <= there:
                    there |= objects
                    pending.append(other)

    def _stands_for(self, view: Identity, *objects: Identity) -> None:
        self.known.setdefault(view, set()).update(objects)

    def _flow(self, source: Identity | None, view: Identity | None) -> None:
        if source is None or view is None:
            return
        self.flows.setdefault(source, set()).add(view)
        if source[0] in ("%", BLOCK) or source == ANYTHING:
            self._stands_for(source, source)

    def _meant(self, expr: Expr, at: Located, key: str) -> list[Identity]:
        """What gets another name by an argument or a pointer, with a note of the objects that it lies in."""
        node = named_outside(expr, aliases_of(at)) if at.renamed else expr
        while isinstance(node, (Apply, Component)):
            if isinstance(node, Component):
                around = designated(node.base, at, key, self.scopes)
                self._flow(around or ANYTHING, owners(node.name))
            node = node.base
        return sources(expr, at, key, self.scopes, self.graph)

    # -- declarations

    def _declared(self, routine: Routine) -> None:
        unseen = routine.kind in _UNIT_KINDS and not self.graph.is_called(routine.key)
        for derived in routine.spec.types.values():
            for part in derived.components:
                if "pointer" in part.attributes:
                    self._initial(routine, part, component_object(part.name))
        for name, symbol in routine.spec.symbols.items():
            identity = (routine.key, name)
            if name in routine.dummies:
                if unseen:  # whoever calls it has arrays of his own
                    self._stands_for(identity, identity, *((ANYTHING,) if symbol.attributes & _POINTED else ()))
            elif "pointer" in symbol.attributes:
                self._initial(routine, symbol, identity)
                joint = self.associations.associated(identity)
                if joint is not None:  # who declares the block elsewhere has the target, too
                    pointers = "pointers", "/".join(joint)
                    self._flow(identity, pointers)
                    self._flow(pointers, identity)
            else:
                self._stands_for(identity, self.associations.associated(identity) or identity)

    def _initial(self, routine: Routine, symbol: Symbol, view: Identity) -> None:
        """What a pointer points to from the beginning."""
        name = base_name(symbol.initial.expr) if symbol.initial is not None else None
        if name is not None and name != "null":
            found = self.scopes.variable(name, routine.key)
            if found is not None:
                self._flow((found.home, found.symbol.name), view)
                if view[0] == "%":
                    self._stands_for(_same_target(symbol.name), view)

    # -- statements

    def _statements(self, key: str) -> None:
        for at in self.graph.statements[key]:
            match at.statement:
                case Assignment(target=target, value=value, pointer=True):
                    self._pointed(target, value, at, key)
                case Assignment(target=target, value=value):
                    self._constructed(value, at, key)
                    self._address(target, value, at, key)
                    for name in shared_by_copies(at.statement, key, self.scopes):
                        self._stands_for(_same_target(name), component_object(name))
                case Memory(kind="allocate", items=items):
                    for item in items:
                        view = designated(item, at, key, self.scopes)
                        if view is not None:
                            self._stands_for(view, view)
                case Call(designator=Name(name=name), args=args) if not self.scopes.procedures(name, key):
                    self._unseen_call(name, args, at, key)

    def _pointed(self, target: Expr, value: Expr, at: Located, key: str) -> None:
        view = designated(target, at, key, self.scopes)
        if view is None:
            return
        if view[0] == "%" and not is_null(value):
            self._stands_for(_same_target(view[1]), view)
        meant = component(target, key, self.scopes) if isinstance(target, Component) else None
        if has_gaps(named_outside(value, aliases_of(at)), key, self.scopes) and (meant is None or as_it_lies(meant)):
            self.sections.add(view)
        found = self._meant(value, at, key)
        for source in found:
            self._flow(source, view)
        if not found and not is_null(value):
            self._stands_for(view, ANYTHING)

    def _address(self, target: Expr, value: Expr, at: Located, key: str) -> None:
        """An address for procedures in C: that of an argument of ``c_loc``, or of what another function gets."""
        view = designated(target, at, key, self.scopes)
        symbol = component(target, key, self.scopes) if isinstance(target, Component) else None
        symbol = symbol or (_symbol(self.application, view) if view is not None else None)
        if view is None or symbol is None or not holds_address(symbol):
            return
        self._addressed(view, value, at, key)

    def _addressed(self, view: Identity, value: Expr, at: Located, key: str) -> None:
        """A view gets what an address is that of."""
        given: tuple[Expr, ...] = (value,)
        if isinstance(value, Apply) and isinstance(value.base, Name) and not self.scopes.variable(value.base.name, key):
            given = value.args
            for callee in self.scopes.procedures(value.base.name, key):
                routine = self.application.routines.get(callee)
                self._flow((callee, routine.result or routine.name) if routine is not None else None, view)
        for expr in given:
            for source in self._meant(expr.value if isinstance(expr, Keyword) else expr, at, key):
                self._flow(source, view)

    def _constructed(self, value: Expr, at: Located, key: str) -> None:
        """A constructor ``box(a)``: pointers among the components may point to the arguments."""
        if not isinstance(value, Apply) or not isinstance(value.base, Name):
            return
        parts = [part for _, derived in self.scopes.lineage(value.base.name, key) for part in derived.components]
        for arg in value.args if parts else ():
            given = arg.value if isinstance(arg, Keyword) else arg
            found = self._meant(given, at, key)
            for part in parts:
                if "pointer" in part.attributes:
                    if as_it_lies(part) and has_gaps(given, key, self.scopes):
                        self.sections.add(component_object(part.name))
                    for source in found:
                        self._flow(source, component_object(part.name))
                    self._stands_for(_same_target(part.name), component_object(part.name))

    def _unseen_call(self, name: str, args: tuple[Expr, ...], at: Located, key: str) -> None:
        """A subroutine without source may associate the pointers that it gets."""
        given = in_order(args, name)
        views = [designated(value, at, key, self.scopes) for value in given]
        if name == "move_alloc" and len(views) > 1:
            self._flow(views[0], views[1])
            return
        for view in views[1:2] if name == "c_f_pointer" else ():
            if view is not None:
                self._addressed(view, given[0], at, key)
            if view is not None and view[0] == "%":
                self._stands_for(_same_target(view[1]), view)
        for view in views:
            symbol = _symbol(self.application, view) if view is not None else None
            if view is not None and symbol is not None and "pointer" in symbol.attributes:
                self._stands_for(view, ANYTHING)

    # -- calls

    def _call(self, site: CallSite) -> None:
        routine = self.application.routines.get(site.callee)
        if routine is None:
            return
        for dummy in routine.dummies:
            given = actual(site, routine.dummies, dummy)
            found = self._meant(given, site.at, site.caller) if given is not None else []
            view = (site.callee, dummy)
            for source in found:
                self._flow(source, view)
            if given is not None and has_gaps(given, site.caller, self.scopes):
                self.sections.add(view)
            symbol = routine.spec.symbols.get(dummy)
            leads = symbol is not None and ("pointer" in symbol.attributes or holds_address(symbol))
            if leads and symbol is not None and symbol.intent != "in":
                for source in found:
                    self._flow(view, source if source != ANYTHING else None)
                    if source[0] == "%":
                        self._stands_for(_same_target(source[1]), source)
