"""A region's body in a routine of its own.

Inside an outlined OpenMP loop gfortran no longer knows that dummy arguments do not alias, and does not vectorise the
modeller's
inner loops (real-code.md §1, finding 2: a factor of two). With the body in a module procedure whose dummies have the
same
explicit shapes, it knows again. Applied where the body has an inner loop and everything it names can be passed or
seen from
the module; :func:`outline` says why not otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.typed import Types
from hfpy.analyze.language.uses import aliases_of
from hfpy.analyze.regions.known import known_values
from hfpy.analyze.regions.sharing import RegionSharing, Sharing
from hfpy.model.directives import Region
from hfpy.model.expressions import Fragment, names_in
from hfpy.model.names import is_operator, outlined_name
from hfpy.model.source import compact
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    Jump,
    Memory,
    Node,
    OneLine,
    all_names,
    constructs,
    expressions,
    flatten,
)
from hfpy.model.units import Routine, Symbol
from hfpy.parse.expressions.fragments import expanded, fragment
from hfpy.parse.statements.nests import innermost_body, own_nest
from hfpy.transform.declarations import dims_in_use, shape_text
from hfpy.transform.regions.blockloops import preamble
from hfpy.transform.splits import BlockLoop
from hfpy.transform.text.wrapping import wrap_line
from hfpy.values import dataclass


@dataclass(frozen=True)
class Outline:
    """A body to be moved: physical lines ``first`` to ``last``, the call that takes their place, and the new routine
    around them, which is after the routine with the region, or ``within`` it.
    """

    first: int
    last: int
    name: str
    arguments: tuple[str, ...]
    head: tuple[str, ...]
    tail: tuple[str, ...]
    sharing: Sharing
    locals: frozenset[str] = frozenset()
    within: bool = False


@dataclass(frozen=True)
class Contained:
    """A region to be moved, with the edits inside it, into an internal procedure of its routine: physical lines
    ``first`` to ``last``, what takes their place, and the lines around them in the procedure.
    """

    first: int
    last: int
    call: tuple[str, ...]
    head: tuple[str, ...]
    tail: tuple[str, ...]


_NUMBERS = ("real", "integer", "logical", "complex")


class Refused(Exception):
    """The body stays where it is, for the reason given."""


def outline(
    facts: Facts,
    routine: Routine,
    node: Construct,
    region: Region,
    analysis: RegionSharing,
    number: int,
    by_block: Mapping[str, BlockLoop],
) -> Outline:
    """The outline of a region's body, which begins with the numbers of the blocks of ``by_block``.

    Raises Refused where it would not pay or cannot be done.
    """
    body = innermost_body(node, region)
    sharing = analysis.result
    _check_routine(facts, routine, region, sharing)
    _check_body(body)
    first, last = body_lines(node, region)
    builder = Builder(facts, routine, region, analysis, all_names(body))
    builder.collect()
    name = outlined_name(routine.name, number)
    head, tail = builder.routine(name, by_block)
    return Outline(
        first,
        last,
        name,
        tuple(builder.arguments),
        tuple(head),
        tuple(tail),
        builder.remaining(),
        frozenset(builder.locals),
    )


def body_lines(node: Construct, region: Region) -> tuple[int, int]:
    """First and last physical line of what is executed for one point."""
    if region.loops:
        inner = own_nest(node.body, region.iterators)[-1]
        if inner.end is None:
            raise Refused("the inner loop ends on a label")
        return inner.header.line.last + 1, inner.end.line.first - 1
    assert node.end is not None
    return node.header.line.last + 1, node.end.line.first - 1


def _check_routine(facts: Facts, routine: Routine, region: Region, sharing: Sharing) -> None:
    host = facts.application.routines.get(routine.host)
    if host is None or host.kind not in ("module", "submodule"):
        raise Refused("the routine is not in a module")
    if sharing.given:
        raise Refused("names are those of a 'select type' around the region")
    if region.reductions or sharing.firstprivate or sharing.lastprivate or sharing.heap or not sharing.complete:
        raise Refused("values go into or out of the body")
    if (
        routine.spec.statement_functions
        or routine.spec.types
        or not (routine.spec.implicit_none or host.spec.implicit_none)
    ):
        raise Refused("the routine has implicit types or definitions of its own")
    if any(w in routine.prefix for w in ("pure", "elemental")) or routine.spec.interfaces:
        raise Refused("the routine is pure or has interfaces")


def _check_body(body: tuple[Node, ...]) -> None:
    if not any(c.kind == "do" for c in constructs(body)):
        raise Refused("there is no inner loop")
    names = {getattr(c.header, "construct_name", "") for c in constructs(body)} - {""}
    if any(
        s.target and s.target not in names for s in flatten(body) if isinstance(s, Jump) and s.kind in ("exit", "cycle")
    ):
        raise Refused("a jump goes to a loop of the region")
    if any(_loose_jump(node) for node in body):
        raise Refused("a jump goes to a loop of the region")
    for construct in constructs(body):
        if construct.kind not in ("do", "if", "select", "dowhile", "where"):
            raise Refused(f"there is a '{construct.kind}' in the body")
    for statement in flatten(body):
        inner = statement.action if isinstance(statement, OneLine) else statement
        if not isinstance(inner, (Assignment, Call, Jump, OneLine)) and type(inner).__name__ not in ("Header", "End"):
            raise Refused("there is more than assignments and calls in the body")
        if isinstance(inner, Memory) or (isinstance(inner, Jump) and inner.kind == "goto"):
            raise Refused("there is a jump in the body")
        if statement.line.label or statement.line.file:
            raise Refused("there are labels or included lines in the body")


def _loose_jump(node: Node) -> bool:
    """Whether an unnamed ``cycle`` or ``exit`` is in branches alone, so that it means a loop of the region."""
    if not isinstance(node, Construct):
        inner = node.action if isinstance(node, OneLine) else node
        return isinstance(inner, Jump) and inner.kind in ("exit", "cycle") and not inner.target
    if node.kind in ("do", "dowhile"):
        return False
    return any(_loose_jump(n) for part in node.parts for n in part.body)


class Builder:
    """Collects what the body names and writes the new routine."""

    def __init__(
        self, facts: Facts, routine: Routine, region: Region, analysis: RegionSharing, named: set[str]
    ) -> None:
        self.facts = facts
        self.source = routine
        self.region = region
        self.sharing = analysis.result
        self.flow = analysis.body.flow()
        self.mentioned = analysis.body.mentioned
        statements = (at.statement for at in analysis.body.inside)
        self.called = {name for s in statements for expr in expressions(s) for name in names_in(expr)}
        self.named = named | self.mentioned
        self.passed: dict[str, DataObject] = {}
        self.locals: dict[str, DataObject] = {}
        self.constants: dict[str, Symbol] = {}
        self.associated: dict[str, str] = {}  # names of associate with their types
        self._references = analysis.body.references
        self.known = known_values(facts, routine, analysis.body.construct, set(self.flow.written))

    @property
    def arguments(self) -> list[str]:
        """Actual arguments and dummies alike: iterators first, scalars before the arrays that they dimension."""
        scalars = sorted([*(n for n, d in self.passed.items() if not d.rank), *self.associated])
        arrays = sorted(n for n, d in self.passed.items() if d.rank)
        return [*self.region.iterators, *scalars, *arrays]

    def collect(self) -> None:
        """Sort the names of the body; raises Refused where one can be neither passed nor seen."""
        for name in sorted(self.called):
            if f"{self.source.key}::{name}" in self.facts.application.units:
                raise Refused(f"'{name}' is a procedure of the routine's own")
        names = [*self.sharing.shared, *self.sharing.private]
        for name in names:
            if name not in self.region.iterators and name in self.mentioned:
                self._name(name)
        for name in sorted(self._constants_of_body()):
            self._constant(name)
        self._associate()

    def _associate(self) -> None:
        """Names of ``associate`` around the region are arguments: what they mean is not seen from the body."""
        types = Types(self.facts.application, self.facts.scopes)
        for reference in self._references:
            aliases = aliases_of(reference.at)
            if reference.name not in aliases:
                continue
            selector = aliases[reference.name]
            found = types.expression(selector, self.source.key) if selector is not None else None
            if (
                found is None
                or found.rank != 0
                or found.base not in _NUMBERS
                or found.bytes is None
                or reference.writes
            ):
                raise Refused(f"'{reference.name}' means something that cannot be passed")
            kind = found.bytes // 2 if found.base == "complex" else found.bytes
            self.associated[reference.name] = f"{found.base}({kind})"

    def _constants_of_body(self) -> set[str]:
        symbols = self.source.spec.symbols
        return {n for n in self.flow.read if n in symbols and symbols[n].constant}

    def _name(self, name: str) -> None:
        data = self.facts.object(name, self.source.key)
        if data is None:
            raise Refused(f"'{name}' is unknown")
        if data.home != self.source.key:
            return
        symbol = data.symbol
        if symbol.constant:
            self._constant(name)
            return
        if name in self.known and symbol.type.text:
            self._names_of(symbol.type.kind)
            self.constants[name] = replace(symbol, initial=fragment(str(self.known[name])))
            return
        if symbol.type.base not in _NUMBERS or not symbol.type.text:
            raise Refused(f"'{name}' is no number")
        if symbol.attributes & {"pointer", "allocatable", "target", "optional", "volatile", "save", "header"}:
            raise Refused(f"'{name}' is a pointer, allocatable, optional or the like")
        if any(d.form in ("star", "deferred") for d in symbol.shape) or name in self.source.spec.storage:
            raise Refused(f"the shape of '{name}' cannot be repeated")
        if data.rank == 0 and name in self.sharing.private:
            self.locals[name] = data
        else:
            self.passed[name] = data
        self._names_of(symbol.type.kind)
        for bound in (b for dim in dims_in_use(data) for b in dim.bounds):
            self._names_of(bound)

    def _names_of(self, given: Fragment | None) -> None:
        """What a size or kind names must be there too."""
        if given is None:
            return
        for name in sorted(expanded(given, self.facts.application.macros_of(self.source.key)).names):
            found = self.facts.scopes.variable(name, self.source.key)
            if found is None or found.home != self.source.key or name in self.passed or name in self.constants:
                continue
            if found.symbol.constant:
                self._constant(name)
            elif found.symbol.rank or name in self.flow.written:
                raise Refused("a size that is set in the region")
            else:
                self._name(name)

    def _constant(self, name: str) -> None:
        symbol = self.source.spec.symbols[name]
        if name in self.constants:
            return
        if symbol.initial is None or symbol.rank or not symbol.type.text:
            raise Refused(f"the constant '{name}' cannot be repeated")
        self._names_of(symbol.initial)
        self._names_of(symbol.type.kind)
        self.constants[name] = symbol

    # -- text

    def _uses(self) -> list[str]:
        """The ``use`` statements of the routine, repeated with the names that the body needs and does not declare."""
        rows = []
        needed = (self.named | self._declared_names()) - self._own_names()
        for use in self.source.spec.uses:
            if use.line is None or use.line.file:
                continue
            if use.only is None:
                rows.append(use.line.text)
                continue
            pairs = [(local, remote) for local, remote in use.only if local in needed or is_operator(local)]
            if pairs:
                shown = ", ".join(a if a == b else f"{a} => {b}" for a, b in pairs)
                nature = ", intrinsic ::" if use.intrinsic else ""
                rows.append(f"use{nature} {use.module}, only: {shown}")
        return rows

    def _own_names(self) -> set[str]:
        """The names that the new routine declares. Raises Refused where a whole module brings one of them."""
        names = {*self.region.iterators, *self.passed, *self.locals, *self.associated}
        if with_it := sorted(n for n in names if self.brought(n)):
            raise Refused(f"'{with_it[0]}' comes with all names of a module")
        return names

    def brought(self, name: str) -> bool:
        """Whether a ``use`` of the routine without ``only`` may bring a name, which cannot be declared beside it."""
        found = self.facts.scopes.variable(name, self.source.key)
        if found is None or found.home == self.source.key:
            return False
        listed = any(name == local for use in self.source.spec.uses for local, _ in use.only or ())
        around = self.source.host
        while around and around != found.home:
            unit = self.facts.application.routines.get(around)
            around = unit.host if unit is not None else ""
        return not listed and not around and any(use.only is None for use in self.source.spec.uses)

    def _declared_names(self) -> set[str]:
        """Every name in the declarations of the new routine."""
        symbols = [*self.constants.values(), *(d.symbol for d in (*self.passed.values(), *self.locals.values()))]
        spec = self.source.spec.symbols
        symbols += [spec[name] for name in self.region.iterators if name in spec]
        parts = [part for s in symbols for part in (s.type.kind, s.type.length, s.initial) if part is not None]
        parts += [bound for data in self.passed.values() for dim in dims_in_use(data) for bound in dim.bounds]
        return {name for part in parts for name in part.names}

    def _constants(self) -> list[str]:
        """Local named constants that the body needs, repeated."""
        return [f"{s.type.text}, parameter :: {n} = {s.initial}" for n, s in self.constants.items()]

    def routine(self, name: str, by_block: Mapping[str, BlockLoop]) -> tuple[list[str], list[str]]:
        """Head and tail of the new routine."""
        macros = self.facts.application.macros_of(self.source.key)
        indent = " " * self.source.header.segments[0][2]
        rows = [f"subroutine {name}({', '.join(self.arguments)})"]
        inner = [*self._uses(), "implicit none", *self._constants(), *self._declarations()]
        declared, begin = preamble(by_block)
        rows += ["  " + row for row in (*inner, *declared)]
        place = f"{self.source.name}, region over {', '.join(self.region.iterators)}"
        head = ["", f"{indent}! The body of {place}: a routine of its own lets the compiler vectorise its loops."]
        for row in rows:
            head += wrap_line(indent + row, macros)
        head += ["", *(f"{indent}  {row}" for row in begin)]
        return [*head, ""] if begin else head, [f"{indent}end subroutine {name}"]

    def _declarations(self) -> list[str]:
        rows = [self._iterators()]
        ordered = [n for n in self.arguments if n in self.passed]
        for name in ordered:
            data = self.passed[name]
            intent = "intent(inout)" if name in self.flow.written else "intent(in)"
            shape = f"({shape_text(data, self.facts.order(data))})" if data.rank else ""
            rows.append(f"{data.symbol.type.text}, {intent} :: {name}{shape}")
        rows += [f"{kind}, intent(in) :: {name}" for name, kind in sorted(self.associated.items())]
        for name, data in self.locals.items():
            rows.append(f"{data.symbol.type.text} :: {name}")
        return rows

    def _iterators(self) -> str:
        kinds = set()
        for name in self.region.iterators:
            symbol = self.source.spec.symbols.get(name)
            text = symbol.type.text if symbol is not None and name not in self.source.dummies else "integer(4)"
            kinds.add(compact(text))
        if len(kinds) > 1:
            raise Refused("the iterators have different kinds")
        return f"{kinds.pop()}, intent(in) :: {', '.join(self.region.iterators)}"

    def remaining(self) -> Sharing:
        """The placement of what is left in the loop: the arguments of the call, and the names of the bounds."""
        kept = set(self.passed) | self._bound_names()
        return replace(
            self.sharing,
            shared=[n for n in self.sharing.shared if n in kept]
            + sorted(n for n in self.passed if n not in self.sharing.shared and n not in self.sharing.private),
            private=[n for n in self.sharing.private if n in self.passed],
        )

    def _bound_names(self) -> set[str]:
        macros = self.facts.application.macros_of(self.source.key)
        bounds = (*self.region.starts, *self.region.ends, *self.region.strides)
        return {name for bound in bounds for name in expanded(bound, macros).names}
