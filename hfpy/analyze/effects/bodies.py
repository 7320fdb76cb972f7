"""The body of one region: its statements and references, the names that it mentions, what flows through it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.flow import Flow, FlowScan
from hfpy.analyze.effects.memory import Done, done_below, done_in
from hfpy.analyze.effects.resized import Path, anew, read_by_inquiries
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.diagnostics import Place
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, Expr, Name, names_in, walk
from hfpy.model.statements import Call, Construct, Header, constructs, expressions
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import expanded, macro_names
from hfpy.parse.statements.nests import innermost_body

if TYPE_CHECKING:
    from hfpy.analyze.nests.views import View


class RegionBody:
    """The statements and references of one region. ``among`` and ``references`` are those to choose from, if the caller
    knows a part of the routine that has all of the region's; without them the whole routine is looked through.
    """

    def __init__(
        self,
        facts: Facts,
        effects: Effects,
        routine: Routine,
        construct: Construct,
        number: int,
        among: Iterable[Located] | None = None,
        references: Iterable[Reference] | None = None,
    ) -> None:
        assert construct.region is not None
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.key = routine.key
        self.macros = facts.application.macros_of(routine.key)
        self.construct = construct
        self.region: Region = construct.region
        self.identity = RegionId(routine.key, number)
        everything = facts.graph.statements[self.key] if among is None else among
        self.inside = [at for at in everything if number in at.regions and facts.live(at, self.key)]
        ids = {id(at.statement) for at in self.inside}
        if references is None:
            assert effects.facts.references is facts.references  # what is settled may differ
            references = effects.inside(self.key, number)
        self.references = [r for r in references if id(r.at.statement) in ids and number in r.at.regions]
        asks = effects.asks(self.key)
        self.anew: frozenset[Path] = anew(self.inside, self.key, facts.scopes) if asks else frozenset()
        self.references += read_by_inquiries(self.references, self.anew, self._others_change) if asks else ()
        self.mentioned: frozenset[str] = frozenset()
        self._scanned: Flow | None = None
        self.parts: dict[tuple[int, str], View] = {}  # what names of an associate around it mean

    def lasting_in(self, construct: Construct, names: Collection[str]) -> bool:
        """Whether some variables of the routine keep their values all through a construct of it."""
        if not names:
            return True
        named = (r for r in self.facts.references[self.key] if r.name in names)
        if any(self.effects.of(r, self.key)[1] for r in named if any(c is construct for c in r.at.constructs)):
            return False
        found = [data for name in names if (data := self.facts.object(name, self.key)) is not None]
        open_ = [d for d in found if not d.symbol.constant]
        below = self.facts.graph.sites.get(self.key, ())
        sites = (site for site in below if any(c is construct for c in site.at.constructs))
        return not any(self.effects.may_change(site.callee, d.identity) for site in sites for d in open_ if site.callee)

    @cached_property
    def sites(self) -> tuple[CallSite, ...]:
        """The calls in the region of routines that are known, or may be called where the run decides that."""
        here = (s for s in self.facts.graph.below(self.key) if self.identity.number in s.at.regions and s.callee)
        return tuple(s for s in here if self.facts.live(s.at, self.key))

    @cached_property
    def callees(self) -> tuple[str, ...]:
        """The routines that the region calls, or may call."""
        return tuple(dict.fromkeys(site.callee for site in self.sites))

    def in_common(self, identity: Identity) -> bool:
        """Whether all points have a variable in common: not a local of a routine that each point calls anew."""
        return self.effects.lasts(identity) or identity[0] in (self.key, self.routine.host)

    @cached_property
    def changed_below(self) -> frozenset[Done]:
        """What routines that points call do to the memory of variables (:mod:`hfpy.analyze.effects.memory`)."""
        return done_below(self)

    @cached_property
    def resized(self) -> frozenset[str]:
        """The variables whose bounds, length, allocation or target points may change, by their names as arrays of the
        region.
        """
        objects = (self.facts.object(name, home) for (home, name), _ in done_in(self) | self.changed_below)
        return frozenset(data.name_in(self.key) for data in objects if data is not None)

    def _others_change(self, reference: Reference) -> bool:
        """Whether routines that points call may change the bounds of a variable, or its target."""
        found = self.facts.variable(reference.name, reference.at, self.key)
        return found is not None and any(at == (found.home, found.symbol.name) for at, _ in self.changed_below)

    def known_below(self, data: DataObject) -> bool:
        """Whether a routine that the region calls knows a variable by itself: a copy for each thread would not do."""
        return any(self.effects.knows(callee, data.identity) for callee in self.callees)

    def flow(self) -> Flow:
        """What the region's body reads and writes, in which order."""
        if self._scanned is None:
            self._scanned = self._scan()
        return self._scanned

    def names(self) -> set[str]:
        """Every variable name that the region's code mentions, names in macros and bounds included."""
        names: set[str] = set()
        lowered = {m.lower() for m in self.macros}
        for reference in self.references:
            if reference.at.loop_of == self.identity.number:
                continue  # the bounds are among the region's
            named, line = _named(reference), reference.at.statement.line
            if line.text[named.start : named.end] in self.macros:
                names |= macro_names(line, named, self.macros)
                continue
            name, _ = resolve_alias(reference.name, reference.at)
            if name is not None:
                names.add(name)
            elif not self._declared_inside(reference):
                names.add(reference.name)
            names |= self._alias_names(reference)
        for at in self.inside if lowered else ():
            for call in _macro_calls(at, lowered):
                names |= macro_names(at.statement.line, call, self.macros)
        inner = (c.region for c in constructs(self.construct.body) if c.region is not None and c.region.vector)
        names = names.union(*(region.bound_names for region in inner))
        names |= self._called_pointers()
        names |= self._statement_function_names(names)
        self.mentioned = frozenset(names)
        for bound in (*self.region.starts, *self.region.ends, *self.region.strides):
            names |= self._meant_around(expanded(bound, self.macros).names)
        return {n for n in names if n not in lowered or self.facts.scopes.variable(n, self.key) is not None}

    def _called_pointers(self) -> set[str]:
        """The procedure pointers that ``call`` names: directives list them, other than dummy procedures."""
        calls = (at.statement.designator for at in self.inside if isinstance(at.statement, Call))
        named = {called.name for called in calls if isinstance(called, Name)}
        found = ((name, self.facts.scopes.variable(name, self.key)) for name in named)
        return {n for n, f in found if f and f.symbol.type.base == "procedure" and "pointer" in f.symbol.attributes}

    def _meant_around(self, names: Collection[str]) -> set[str]:
        """What names of bounds mean, of which constructs around the region may give some."""
        given: dict[str, Expr] = {}
        for construct in self.inside[0].constructs if self.inside and self.inside[0].renamed else ():
            if construct is self.construct:
                break
            if construct.kind in ("associate", "selecttype") and isinstance(construct.header, Header):
                given |= dict(zip(construct.header.names, construct.header.exprs, strict=False))
        return self._meant(given, names)

    @staticmethod
    def _meant(given: dict[str, Expr], names: Collection[str]) -> set[str]:
        found, todo = set[str](), list(names)
        while todo:
            name = todo.pop()
            if name in given:
                todo += names_in(given.pop(name))  # `x => x(2:)` is of the x around it
            else:
                found.add(name)
        return found

    def _declared_inside(self, reference: Reference) -> bool:
        return reference.name in aliases_of(reference.at)

    def _alias_names(self, reference: Reference) -> set[str]:
        """The names in what an associate name means, and in what those of them mean that constructs give, too."""
        given = {name: expr for name, expr in aliases_of(reference.at).items() if expr is not None}
        return self._meant(given, [reference.name]) if reference.name in given else set()

    def _statement_function_names(self, names: set[str]) -> set[str]:
        """What the statement functions among some names mention, and those that they use in turn."""
        defined = {name: names_in(value) - {*own} for name, own, value, _ in self.routine.spec.statement_functions}
        found, pending = set[str](), names & defined.keys()
        while pending:
            new = set[str]().union(*(defined[name] for name in pending)) - found
            found |= new
            pending = new & defined.keys()
        return found

    def references_of(self, name: str) -> list[Reference]:
        """The references that mean a variable, aliases included."""
        return self._by_name.get(name, [])

    @cached_property
    def _by_name(self) -> dict[str | None, list[Reference]]:
        found: dict[str | None, list[Reference]] = {}
        for reference in self.references:
            found.setdefault(resolve_alias(reference.name, reference.at)[0], []).append(reference)
        return found

    def _scan(self) -> Flow:
        effects = self.effects.by_statement(self.references, self.key)
        scan = FlowScan(effects, lambda condition: self.facts.holds(condition, self.key))
        return scan.scan(innermost_body(self.construct, self.region))

    def place(self, reference: Reference) -> Place:
        """The place of a reference in the user's text."""
        node = reference.node
        return reference.at.statement.line.place(self.routine.file, node.start, node.end)


def _named(reference: Reference) -> Expr:
    """The name in a reference."""
    return reference.node.base if isinstance(reference.node, Apply) else reference.node


def _macro_calls(at: Located, lowered: set[str]) -> Iterator[Expr]:
    """Calls of function-like macros in a statement (names after them must be placed too)."""
    for expr in expressions(at.statement):
        for node in walk(expr):
            if isinstance(node, Apply) and isinstance(node.base, Name) and node.base.name in lowered:
                yield node
