"""A row of a region's points, the innermost loop with its body, in a routine of its own: on the CPU, from level 1 on.

In a parallel region compilers lose what they know about arrays: that two of them have no memory in common, that an
allocatable one stays where it is. A loop whose points have small arrays of their own then gets no vector instructions
(real-code.md §1, finding 2). In a routine, arrays are dummy arguments, and each row has its private arrays as locals.
The routine is placed after the one with the region, or inside it if that is a main program or in no module.
"""

from __future__ import annotations

from dataclasses import replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.regions.renamed import given_around
from hfpy.analyze.regions.sharing import RegionSharing, Sharing
from hfpy.model.directives import Region
from hfpy.model.expressions import Fragment, names_in
from hfpy.model.names import lower_bound_name, outlined_name
from hfpy.model.statements import (
    Assignment,
    Construct,
    Header,
    Jump,
    Node,
    OneLine,
    all_names,
    constructs,
    expressions,
    flatten,
)
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import expanded
from hfpy.parse.statements.nests import innermost_body, own_nest
from hfpy.parse.text.physical import preprocessed
from hfpy.transform.declarations import known_small, shape_text
from hfpy.transform.regions.outline import Builder, Outline, Refused
from hfpy.transform.regions.regioncode import RegionCode
from hfpy.transform.regions.rowregions import check_row
from hfpy.transform.text.wrapping import wrap_line
from hfpy.values import dataclass

_NUMBERS = ("real", "integer", "logical", "complex")
_MOVABLE = {"pointer", "target", "volatile", "asynchronous", "optional", "codimension", "header"}


def row_of(
    facts: Facts, effects: Effects, routine: Routine, node: Construct, analysis: RegionSharing, code: RegionCode
) -> tuple[Outline, Region]:
    """The outline of a region's rows, and the region without the loop along them.

    Raises Refused where it would not pay or cannot be done. It pays where the innermost loop goes along contiguous
    elements, with loops of few turns or private arrays in its body, which keep ``simd`` away.
    """
    region = code.region
    inner, loop_name = _innermost(node, code)
    body = innermost_body(node, region)
    check_row(facts, effects, routine, body, code, inner, loop_name)
    around = given_around(analysis.body)
    if around and any(reference.name in around for reference in analysis.body.references):
        raise Refused("names are those of a construct around the region")
    left = _without(region, inner)
    builder = _RowBuilder(facts, routine, left, analysis, body, inner)
    bounds = _bounds_of(region, inner)
    builder.collect_row(bounds)
    if not builder.private_arrays and not any(c.kind == "do" for c in constructs(body)):
        raise Refused("there are neither loops nor private arrays in the body")
    first, last = _row_lines(node, region)
    assert node.end is not None
    index = facts.application.file(routine.key)
    if preprocessed(index.source.lines[node.header.line.first : node.end.line.last + 1], index.fixed):
        raise Refused("there are lines for the preprocessor in the region")
    name = outlined_name(routine.name, code.number)
    loop = None if region.loops else code.loops[-1]
    head, tail = builder.row(name, region, (loop.head, loop.end) if loop else None)
    made = Outline(
        first,
        last,
        name,
        tuple(builder.actuals),
        tuple(head),
        tuple(tail),
        builder.remaining(),
        frozenset({*builder.locals, inner} & routine.spec.symbols.keys()),
        builder.within,
    )
    return made, left


def _innermost(node: Construct, code: RegionCode) -> tuple[str, str]:
    """The iterator of the innermost loop, and the name that the user has given the loop."""
    if not code.region.loops:
        return code.loops[-1].var, ""
    header = own_nest(node.body, code.region.iterators)[-1].header
    assert isinstance(header, Header)
    return header.var, header.construct_name


def _without(region: Region, inner: str) -> Region:
    """The region without one of its loops."""
    at = region.iterators.index(inner)
    return replace(
        region,
        domains=region.domains[:at] + region.domains[at + 1 :],
        starts=region.starts[:at] + region.starts[at + 1 :],
        ends=region.ends[:at] + region.ends[at + 1 :],
        strides=region.strides[:at] + region.strides[at + 1 :],
    )


def _bounds_of(region: Region, inner: str) -> list[Fragment]:
    """Bounds and step of one loop."""
    place = region.iterators.index(inner)
    return [bounds[place] for bounds in (region.starts, region.ends, region.strides) if bounds]


def _row_lines(node: Construct, region: Region) -> tuple[int, int]:
    """First and last physical line of a row: the body of the next loop outwards."""
    if not region.loops:
        assert node.end is not None
        return node.header.line.last + 1, node.end.line.first - 1
    outer, inner = own_nest(node.body, region.iterators)[-2:]
    if outer.end is None or inner.end is None or outer.end.line.label or inner.end.line.label:
        raise Refused("a loop ends on a label")
    rows = [outer.header.line.last, inner.header.line.first, inner.header.line.last]
    rows += [n for line in _lines_of(inner.body) for n in line]
    rows += [inner.end.line.first, inner.end.line.last, outer.end.line.first]
    if any(a >= b for a, b in zip(rows[::2], rows[1::2], strict=True)):
        raise Refused("several statements of the nest are in one line")
    return outer.header.line.last + 1, outer.end.line.first - 1


def _lines_of(body: tuple[Node, ...]) -> list[tuple[int, int]]:
    """First and last line of each statement in a loop; nothing for an empty loop."""
    lines = [s.line for s in flatten(body)]
    return [(min(line.first for line in lines), max(line.last for line in lines))] if lines else []


@dataclass(frozen=True)
class _Foreign:
    """An array of another unit's that becomes a dummy argument, with open upper bounds: its number of places in
    memory.
    """

    data: DataObject
    places: int

    @property
    def lows(self) -> list[str]:
        """The dummies for its lower bounds."""
        return [lower_bound_name(self.data.name, n + 1) for n in range(self.places)]


class _RowBuilder(Builder):
    """Collects what a row names and writes its routine."""

    def __init__(
        self,
        facts: Facts,
        routine: Routine,
        region: Region,
        analysis: RegionSharing,
        body: tuple[Node, ...],
        inner: str,
    ) -> None:
        super().__init__(facts, routine, region, analysis, all_names(body))
        self.inner = inner
        self.within = not routine.host
        self.always = _always(body)
        self.along = self._along(analysis)
        self.reduced = sorted({r.name for r in region.reductions})
        self.foreign: dict[str, _Foreign] = {}

    def _along(self, analysis: RegionSharing) -> set[str]:
        """Arrays that the points of a row read or write at different places, or write."""
        uses = (r for r in analysis.body.references if any(self.inner in names_in(i) for i in r.indices or ()))
        plans = ((r.name, self.facts.plan_of(r, self.source.key)) for r in analysis.body.references)
        inserted = {name for name, plan in plans if plan is not None and self.inner in (plan.items or ())}
        return {r.name for r in uses} | inserted | set(self.flow.written)

    @property
    def private_arrays(self) -> bool:
        """Whether a point has arrays of its own."""
        return any(data.rank for data in self.locals.values())

    @property
    def dummies(self) -> list[str]:
        """Iterators, scalars, lower bounds, arrays."""
        return [*self._scalars, *(low for f in self._others for low in f.lows), *self._arrays]

    @property
    def actuals(self) -> list[str]:
        """What is passed for them."""
        bounds = [f"lbound({f.data.name}, {n + 1})" for f in self._others for n in range(f.places)]
        return [*self._scalars, *bounds, *self._arrays]

    @property
    def _scalars(self) -> list[str]:
        return [*self.region.iterators, *sorted(n for n, d in self.passed.items() if not d.rank)]

    @property
    def _arrays(self) -> list[str]:
        return sorted([*(n for n, d in self.passed.items() if d.rank), *self.foreign])

    @property
    def _others(self) -> list[_Foreign]:
        return [self.foreign[name] for name in sorted(self.foreign)]

    # -- names

    def collect_row(self, bounds: list[Fragment]) -> None:
        """Sort the names of the row; raises Refused where one can be neither passed nor seen."""
        iterators = {*self.region.iterators, self.inner}
        for name in sorted(iterators):
            self._iterator(name)
        for name in sorted(self.mentioned - iterators):
            if name in self.sharing.private:
                self._private(name)
            elif name in self.reduced:
                self._reduction(name)
            elif name in self.sharing.shared:
                self._shared(name)
        if not self.within:
            for name in sorted(self._constants_of_body()):
                self._constant(name)
        for bound in bounds:
            self._names_of(bound)
            self.named |= expanded(bound, self.facts.application.macros_of(self.source.key)).names
        self._check_memory()

    def _iterator(self, name: str) -> None:
        found = self.facts.scopes.variable(name, self.source.key)
        if name in self.source.dummies or (
            found is not None and (found.symbol.rank or found.symbol.type.base != "integer")
        ):
            raise Refused(f"the iterator '{name}' is a dummy argument")
        if found is not None and found.home != self.source.key and found.symbol.type.kind is not None:
            raise Refused(f"the iterator '{name}' has a kind of another unit")

    def _private(self, name: str) -> None:
        data = self._number(name)
        if data.symbol.attributes & (_MOVABLE | {"allocatable", "save"}) or data.symbol.initial is not None:
            raise Refused(f"'{name}' keeps its value, or is allocated")
        if data.rank and not known_small(self.facts, self.source, data):
            raise Refused(f"the private array '{name}' is large, or its size is known in the run only")
        for dim in data.symbol.shape:
            for bound in dim.bounds:
                self._names_of(bound)
        self.locals[name] = data

    def _reduction(self, name: str) -> None:
        data = self._number(name)
        if data.rank or data.symbol.attributes & (_MOVABLE | {"allocatable"}):
            raise Refused(f"the reduction variable '{name}' is an array, or allocated")
        self.passed[name] = data

    def _number(self, name: str) -> DataObject:
        """A variable that is declared again in the row."""
        data = self.facts.object(name, self.source.key)
        if data is None or data.symbol.type.base not in _NUMBERS or not self._declarable(data):
            raise Refused(f"'{name}' cannot be declared again")
        self._names_of(data.symbol.type.kind)
        return data

    def _declarable(self, data: DataObject) -> bool:
        """Whether the row's routine can repeat the type of a variable, and its memory is its own."""
        home = self.facts.application.routines.get(data.home)
        symbol = data.symbol
        if home is None or not symbol.type.text or symbol.name in home.spec.storage or data.user_macro:
            return False
        scopes, key = self.facts.scopes, self.source.key
        named = symbol.type.names if symbol.line is not None else frozenset()
        if data.home != key and data.rank:
            named = named.union(*(dim.names for dim in symbol.shape if "allocatable" not in symbol.attributes))
        return all(scopes.variable(name, key) == scopes.variable(name, data.home) for name in named)

    def _shared(self, name: str) -> None:
        data = self.facts.object(name, self.source.key)
        if data is None:
            raise Refused(f"'{name}' is unknown")
        own = data.home == self.source.key and not self.within
        if not data.rank or data.symbol.constant:
            if own:
                self._name(name)
        elif own:
            self._own_array(name, data)
        elif self._better_passed(name, data):
            self.foreign[name] = _Foreign(data, self.facts.order(data).places(data.rank))

    def _own_array(self, name: str, data: DataObject) -> None:
        if any(dim.form == "assumed" for dim in data.symbol.shape) and "contiguous" not in data.symbol.attributes:
            raise Refused(f"the rows of '{name}' may have gaps, which only the run knows")
        if "allocatable" not in data.symbol.attributes:
            self._name(name)
        elif self._better_passed(name, data):
            self.foreign[name] = _Foreign(data, self.facts.order(data).places(data.rank))
        else:
            raise Refused(f"'{name}' is allocatable, and not every point uses it at a place of its own")

    def _better_passed(self, name: str, data: DataObject) -> bool:
        """Whether a row can have an array of another unit's, or an allocatable one, as a dummy argument, and the
        compiler knows more of it then: it is allocatable and allocated, or an argument or local of the routine around.
        """
        symbol = data.symbol
        if symbol.type.base not in _NUMBERS or symbol.attributes & _MOVABLE or not self._declarable(data):
            return False
        if not self.within and self.brought(name):
            return False
        if name not in self.along:
            return False
        if "allocatable" in symbol.attributes:
            return name in self.always
        home = self.facts.application.routines[data.home]
        return home.kind in ("subroutine", "function") and all(d.form == "explicit" for d in symbol.shape)

    def _names_of(self, given: Fragment | None) -> None:
        if given is None:
            return
        names = expanded(given, self.facts.application.macros_of(self.source.key)).names
        if names & (set(self.flow.written) - set(self.region.iterators)):
            raise Refused("a size that is set in the region")
        if not self.within:
            super()._names_of(given)

    def _check_memory(self) -> None:
        """Raises Refused where an array that is passed may have another name in the row, and one of them is written."""
        storage, key = self.facts.storage, self.source.key
        arrays = {n for n in self.mentioned if (d := self.facts.object(n, key)) is not None and d.rank}
        for name in self.foreign:
            for other in sorted(arrays - {name}):
                written = {name, other} & set(self.flow.written)
                if written and storage.meet(storage.objects(name, key), storage.objects(other, key)):
                    raise Refused(f"'{name}' and '{other}' may be one array")

    # -- text

    def row(self, name: str, region: Region, loop: tuple[str, str] | None) -> tuple[list[str], list[str]]:
        """Head and tail of the routine, with the loop if the text has none."""
        macros = self.facts.application.macros_of(self.source.key)
        indent = " " * (self.source.header.segments[0][2] + (2 if self.within else 0))
        rows = [f"subroutine {name}({', '.join(self.dummies)})"]
        inner = [] if self.within else self._uses()
        inner += ["implicit none", *([] if self.within else self._constants()), *self._declarations()]
        rows += ["  " + row for row in inner]
        place = f"{self.source.name}, region over {', '.join(region.iterators)}"
        head = ["", f"{indent}! A row of {place}: in a routine the compiler knows which arrays differ."]
        for row in rows:
            head += wrap_line(indent + row, macros)
        opened, closed = ([f"{indent}  {text}"] for text in loop) if loop else ([], [])
        return [*head, "", *opened], [*closed, f"{indent}end subroutine {name}"]

    def _own_names(self) -> set[str]:
        if self.brought(self.inner):
            raise Refused(f"'{self.inner}' comes with all names of a module")
        return super()._own_names() | {self.inner, *self.foreign}

    def _declarations(self) -> list[str]:
        rows = [self._iterators()]
        for name in sorted(n for n, d in self.passed.items() if not d.rank):
            rows.append(f"{self.passed[name].symbol.type.text}, {self._intent(name)} :: {name}")
        lows = [low for f in self._others for low in f.lows]
        rows += [f"integer, intent(in) :: {', '.join(lows)}"] if lows else []
        for name in self._arrays:
            if name in self.foreign:
                made = self.foreign[name]
                head, shape = f"{made.data.symbol.type.text}, contiguous", ",".join(f"{low}:" for low in made.lows)
            else:
                data = self.passed[name]
                whole = ", contiguous" if "contiguous" in data.symbol.attributes else ""
                head, shape = data.symbol.type.text + whole, shape_text(data, self.facts.order(data))
            rows.append(f"{head}, {self._intent(name)} :: {name}({shape})")
        own = {self._inner_type(): [self.inner]}
        for name, data in self.locals.items():
            shape = f"({shape_text(data, self.facts.order(data))})" if data.rank else ""
            own.setdefault(data.symbol.type.text, []).append(f"{name}{shape}")
        return [*rows, *(f"{text} :: {', '.join(names)}" for text, names in own.items())]

    def _declared_names(self) -> set[str]:
        kinds = (f.data.symbol.type.kind for f in self.foreign.values())
        return super()._declared_names() | {name for kind in kinds if kind is not None for name in kind.names}

    def _intent(self, name: str) -> str:
        return "intent(inout)" if name in self.flow.written or name in self.reduced else "intent(in)"

    def _inner_type(self) -> str:
        symbol = self.source.spec.symbols.get(self.inner)
        return symbol.type.text if symbol is not None else "integer(4)"

    def remaining(self) -> Sharing:
        """The placement of what is left in the loops."""
        kept = (set(self.passed) - set(self.reduced)) | set(self.foreign) | self._bound_names()
        more = sorted(kept - {*self.sharing.shared, *self.sharing.private} - self._bound_names())
        return replace(self.sharing, shared=[n for n in self.sharing.shared if n in kept] + more, private=[])


def _always(body: tuple[Node, ...]) -> set[str]:
    """Names that every point uses, so that arrays of these names are allocated."""
    found: set[str] = set()
    for node in body:
        if any(
            isinstance(s, Jump) or (isinstance(s, OneLine) and isinstance(s.action, Jump)) for s in flatten((node,))
        ):
            break
        if isinstance(node, Construct):
            found |= _always(node.body) if node.kind == "do" else set()
        elif isinstance(node, Assignment):
            found |= {name for expr in expressions(node) for name in names_in(expr)}
    return found
