"""Regions as stages, if the rules of stencil-optimisation.md §1 hold; else the reason, with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.internal import named_inside
from hfpy.analyze.facts import Facts, keeps_value, resolve_alias
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.sizes import Linear, linear, show
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.diagnostics import Place
from hfpy.model.directives import Region, StencilScope
from hfpy.model.expressions import Apply, ArrayConstructor, Expr, Literal, Name, Range, walk
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Construct, Node, OneLine, Statement, expressions, flatten
from hfpy.parse.expressions.fragments import ONE, expanded, expanded_dim, fragment, single
from hfpy.parse.statements.nests import innermost_body
from hfpy.transform.passes import Refusal, Refused
from hfpy.transform.stencil.flow import kept_arrays
from hfpy.transform.stencil.linearforms import names_of
from hfpy.transform.stencil.operations import PURE, count
from hfpy.transform.stencil.program import Access, Box, Offset, Pattern, Piece, Span, SpanKey, Wishes, distance, moved
from hfpy.transform.stencil.purecalls import against, operations_of, site_of
from hfpy.values import dataclass

_OPEN = frozenset({"pointer", "target"})
_NUMBERS = ("real", "integer", "logical")


@dataclass(frozen=True)
class Draft:
    """A region as a stage before its arrays have versions. ``offsets`` has the places that each array is read at,
    ``written`` the arrays that the region writes, ``fixed`` the names that bounds and fixed indices depend on.
    """

    region: Construct
    iterators: tuple[str, ...]
    body: tuple[Node, ...]
    box: Box
    accesses: Mapping[SpanKey, Access]
    offsets: Mapping[str, frozenset[Offset]]
    written: tuple[str, ...]
    keeps: frozenset[str]
    safe: frozenset[SpanKey]
    scalars: tuple[str, ...]
    patterns: Mapping[str, Pattern]
    fixed: frozenset[str]
    open: frozenset[str]
    operations: int
    place: Place
    wishes: Wishes
    scope: StencilScope | None
    pieces: tuple[Piece, ...] = ()


def wishes_of(region: Region, scope: StencilScope | None) -> Wishes:
    """What the attributes of a region ask for, and the ``@stencilProgram`` around it."""
    around = {"all": "all", "none": "no"}.get(scope.fuse, "") if scope is not None else ""
    unroll, tile, march, share = (dict(region.factors(hint)) for hint in ("unroll", "tile", "march", "share"))
    return Wishes(unroll, tile, region.fusion or around, march, share, region.schedule, region.collapse)


class Lifter:
    """Turns the regions of one routine into drafts of stages."""

    def __init__(self, facts: Facts, sharing: RoutineSharing) -> None:
        self.facts = facts
        self.sharing = sharing
        self.routine = sharing.routine
        self.key = sharing.routine.key
        self.macros = facts.application.macros_of(self.key)
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)

    def draft(self, construct: Construct, number: int) -> Draft:
        """The draft of a region. Raises Refused."""
        region = construct.region
        assert region is not None
        self._check_region(region)
        nodes = innermost_body(construct, region)
        for node in nodes:
            self._check_node(node)
        body, scalars = self._scalars(region, number)
        return self._read(construct, region, nodes, body, scalars)

    def _scalars(self, region: Region, number: int) -> tuple[RegionBody, tuple[str, ...]]:
        """The body of a region for the analyses, and the single values that it sets for itself."""
        shared = self.sharing.region(number)
        placed = shared.place()
        body = shared.body
        assigned = set(body.flow().written) - set(region.iterators)
        scalars = tuple(sorted(n for n in assigned if not self._object(n, region.place).rank))
        loose = [n for n in scalars if n not in placed.private]
        if loose or not placed.clean:
            raise self._refused(
                6, f"'{loose[0]}' carries a value out of the region" if loose else "its points may meet", region.place
            )
        return body, scalars

    def _read(
        self, construct: Construct, region: Region, nodes: tuple[Node, ...], body: RegionBody, scalars: tuple[str, ...]
    ) -> Draft:
        accesses: dict[SpanKey, Access] = {}
        patterns: dict[str, Pattern] = {}
        offsets: dict[str, set[Offset]] = {}
        written: dict[str, None] = {}
        fixed: set[str] = set()
        for reference in body.references:
            if reference.at.loop_of == body.identity.number or reference.name in region.iterators:
                continue
            data = self._data(reference)
            if data is None or not data.rank:
                continue
            pattern, offset, names = self._place(reference, data, region, set(scalars))
            known = patterns.setdefault(pattern.name, pattern)
            if known.items != pattern.items:
                raise self._at(1, f"'{pattern.name}' is indexed in two ways", reference)
            fixed |= names
            line = reference.at.statement.line
            own = reference.role == "write"
            accesses[line.key, reference.node.start, reference.node.end] = Access(pattern.name, offset, own)
            if own:
                written[pattern.name] = None
                if any(offset) or set(region.iterators) - set(pattern.items):
                    raise self._at(2, f"'{pattern.name}' is not written at the point itself", reference)
            else:
                offsets.setdefault(pattern.name, set()).add(offset)
        self._check_written(written, offsets, region)
        fixed |= {n for b in (*region.starts, *region.ends) for n in expanded(b, self.macros).names}
        box = self._box(region, fixed, {*scalars, *region.iterators})
        safe = frozenset(
            key
            for key, a in accesses.items()
            if a.own or a.array in written or self._inside(patterns[a.array], a, box, region.iterators, region.place)
        )
        return Draft(
            construct,
            region.iterators,
            nodes,
            box,
            accesses,
            {a: frozenset(o) for a, o in offsets.items()},
            tuple(written),
            kept_arrays(nodes, accesses, frozenset(written)),
            safe,
            scalars,
            patterns,
            frozenset(fixed),
            self.opened(patterns, body, fixed),
            count(nodes) + self.called(body),
            region.place,
            wishes_of(region, self.routine.scope(region.line)),
            self.routine.scope(region.line),
        )

    def called(self, body: RegionBody) -> int:
        """The operations of the functions that a region calls."""
        sites = (site_of(self.facts, self.key, r) for r in body.references if self._unknown(r))
        return sum(operations_of(self.facts, site.callee) for site in sites if site is not None)

    def _unknown(self, reference: Reference) -> bool:
        return self.facts.object(reference.name, self.key) is None

    # -- what a region and its statements may be

    def _check_region(self, region: Region) -> None:
        if region.reductions:
            raise self._refused(6, "it has a reduction", region.place)
        if region.vector or any(s != ONE for s in region.strides):
            raise self._refused(6, "its loops are vector loops or have a stride", region.place)
        if region.independent or region.distinct:
            raise self._refused(6, "it states what hfpy cannot prove", region.place)
        wishes = wishes_of(region, self.routine.scope(region.line))
        if wishes.fuse == "no" and not wishes:
            raise self._refused(6, "fuse(no) says so", region.place)

    def _check_node(self, node: Node) -> None:
        if isinstance(node, Construct):
            if node.kind != "if" or any(getattr(p.header, "construct_name", "") for p in node.parts):
                raise self._refused(6, f"there is a '{node.kind}' in it", node.header.line.place(self.routine.file))
            for part in node.parts:
                for inner in part.body:
                    self._check_node(inner)
            return
        action = node.action if isinstance(node, OneLine) and node.kind == "if" else node
        if not isinstance(action, Assignment) or action.pointer or node.line.label or node.line.file:
            raise self._refused(
                6, "there is a statement in it that is no assignment", node.line.place(self.routine.file)
            )
        self._check_macros(node)

    def _check_macros(self, statement: Statement) -> None:
        line = statement.line
        spelled = {name for s in flatten((statement,)) for expr in expressions(s) for name in _spelled(expr, line)}
        for name in (m for m in self.macros if m in spelled):
            stands_for = single(self.macros[name])
            if stands_for is None:
                raise self._refused(1, f"there is the macro '{name}' in it", line.place(self.routine.file))
            if isinstance(stands_for, Name) and self.facts.object(stands_for.name, self.key) is not None:
                raise self._refused(1, f"the macro '{name}' means a variable", line.place(self.routine.file))

    def _check_written(self, written: Mapping[str, None], offsets: Mapping[str, set[Offset]], region: Region) -> None:
        if not written:
            raise self._refused(2, "it writes no array", region.place)
        for name in written:
            if any(any(offset) for offset in offsets.get(name, ())):
                raise self._refused(3, f"'{name}' is read at a neighbour and written", region.place)

    # -- references

    def _data(self, reference: Reference) -> DataObject | None:
        """The variable of a reference; None for intrinsic functions. Raises Refused for everything else."""
        name, plain = resolve_alias(reference.name, reference.at)
        if name is None or not plain or reference.component:
            raise self._at(1, f"'{reference.name}' is a component or another name of something", reference)
        data = self.facts.object(name, self.key)
        if data is None:
            if reference.name in PURE and self.facts.scopes.is_intrinsic(reference.name, self.key):
                return None
            site = site_of(self.facts, self.key, reference)
            if site is None:
                raise self._at(6, f"'{reference.name}' is called", reference)
            if because := against(self.facts, site.callee):
                raise self._at(6, f"'{reference.name}' is called: {because}", reference)
            return None
        if data.symbol.type.base not in _NUMBERS or reference.role not in ("read", "write", "argument"):
            raise self._at(6, f"'{reference.name}' is used as more than a number", reference)
        if data.rank and data.symbol.constant:
            raise self._at(1, f"'{reference.name}' is a constant array", reference)
        return data

    def _object(self, name: str, place: Place) -> DataObject:
        data = self.facts.object(name, self.key)
        if data is None:
            raise self._refused(6, f"'{name}' is no variable of the routine", place)
        return data

    def _place(
        self, reference: Reference, data: DataObject, region: Region, varying: set[str]
    ) -> tuple[Pattern, Offset, set[str]]:
        """The pattern and offset of an array reference, and the names that fixed indices depend on."""
        made = self.facts.plan_of(reference, self.key)
        items = made.items if made is not None and made.items is not None else reference.indices
        if items is None or len(items) != data.rank or (made is not None and made.final):
            raise self._at(1, f"'{data.name}' is not used element by element", reference)
        texts: list[str] = []
        offset = dict.fromkeys(region.iterators, 0)
        names: set[str] = set()
        for item in items:
            form = self._form(item, reference)
            moving = [(atom, factor) for atom, factor in form if atom in offset]
            if not moving:
                inner = names_of(form)
                if inner & (varying | set(offset)):
                    raise self._at(1, f"an index of '{data.name}' is computed", reference)
                names |= inner
                texts.append(show(form))
                continue
            rest = [atom for atom, _ in form if atom and atom != moving[0][0]]
            if len(moving) > 1 or moving[0][1] != 1 or rest or moving[0][0] in texts:
                raise self._at(1, f"an index of '{data.name}' is no iterator plus a number", reference)
            texts.append(moving[0][0])
            offset[moving[0][0]] = dict(form).get("", 0)
        text, size = self.type_text(data.name, reference.at.statement.line.place(self.routine.file))
        scope = self.routine.scope(region.line)
        temporary = scope is not None and data.name in {t.name for t in scope.temporaries}
        local, logical = temporary or self._vanishes(data), data.symbol.type.base == "logical"
        pattern = Pattern(data.name, tuple(texts), text, size, local, logical)
        return pattern, tuple(offset.values()), names

    def _inside(self, pattern: Pattern, access: Access, box: Box, iterators: tuple[str, ...], place: Place) -> bool:
        """Whether an array surely has the element that a reference names, at all points of the box."""
        data = self._object(pattern.name, place)
        if len(data.used) != len(pattern.items):
            return False
        for item, dimension in zip(pattern.items, data.used, strict=True):
            if item not in iterators:
                return False
            dim = expanded_dim(dimension.extent, self.macros)
            if dim.upper is None:
                return False
            ends = [linear((dim.lower or ONE).expr), linear(dim.upper.expr)]
            span = box[iterators.index(item)]
            by = access.offset[iterators.index(item)]
            first, last, low, high = (self._known(f) for f in (span.lower, span.upper, *ends))
            below, above = distance(moved(first, by), low), distance(high, moved(last, by))
            if below is None or above is None or below < 0 or above < 0:
                return False
        return True

    def _known(self, form: Linear) -> Linear:
        """A linear form with named constants as numbers."""
        terms: dict[str, int] = {}
        for atom, factor in form:
            value = self.facts.domains.value(fragment(atom), self.key) if atom else 1
            name, times = (atom, 1) if value is None else ("", value)
            terms[name] = terms.get(name, 0) + factor * times
        return tuple(sorted((a, c) for a, c in terms.items() if c))

    def _form(self, item: Expr | str, reference: Reference) -> Linear:
        form = linear(fragment(item).expr) if isinstance(item, str) and item != ":" else None
        if isinstance(item, Expr) and not isinstance(item, Range):
            form = linear(item)
            if any(isinstance(n, Apply) for n in walk(item)):
                raise self._at(1, f"an index of '{reference.name}' is computed", reference)
        if form is None:
            raise self._at(1, f"'{reference.name}' is not used element by element", reference)
        return form

    def type_text(self, name: str, place: Place) -> tuple[str, int]:
        """The type of a variable as a declaration in this routine may give it, and its size in bytes.

        Kinds become numbers, since their names need not be known here.
        """
        data = self._object(name, place)
        ftype = data.symbol.type
        scalar = self.kinds.scalar(ftype, data.home)
        if scalar is None:
            raise self._refused(6, f"the kind of '{name}' is not known", place)
        if ftype.default:
            return ftype.base, scalar.bytes
        return f"{ftype.base}({scalar.bytes})", scalar.bytes

    def _vanishes(self, data: DataObject) -> bool:
        """Whether the array is the routine's own, made anew for each call, and known by no other name."""
        symbol, routine = data.symbol, self.routine
        if not data.local or data.name == routine.result or symbol.attributes & _OPEN or symbol.dynamic:
            return False
        if named_inside(self.facts, self.key, data.name):
            return False
        return not keeps_value(routine, data.name) and data.name not in routine.spec.storage

    def opened(self, patterns: Mapping[str, Pattern], body: RegionBody, fixed: set[str]) -> frozenset[str]:
        """The arrays, and the single values that a region takes from outside, whose memory may have other names."""
        values = {r.name for r in body.references} | fixed
        return frozenset(name for name in values.union(patterns) if self._is_open(name))

    def _is_open(self, name: str) -> bool:
        """Whether other names may mean the same memory (rule 5)."""
        data = self.facts.object(name, self.key)
        if data is None or data.symbol.constant:
            return False
        home = self.facts.application.routines.get(data.home)
        stored = home is not None and data.symbol.name in home.spec.storage
        return bool(data.symbol.attributes & _OPEN) or stored

    def _box(self, region: Region, fixed: set[str], varying: set[str]) -> Box:
        spans = []
        for low, high in zip(region.starts, region.ends, strict=True):
            if fixed & varying:
                raise self._refused(7, f"its bounds '{low}:{high}' cannot be compared", region.place)
            spans.append(Span(*(linear(expanded(b, self.macros).expr) for b in (low, high))))
        return tuple(spans)

    # -- refusals

    def _at(self, rule: int, text: str, reference: Reference) -> Refused:
        node = reference.node
        return self._refused(rule, text, reference.at.statement.line.place(self.routine.file, node.start, node.end))

    @staticmethod
    def _refused(rule: int, text: str, place: Place) -> Refused:
        return Refused(Refusal(rule, text, place))


def _spelled(expr: Expr, line: LogicalLine) -> Iterator[str]:
    """The names that an expression mentions, as they are written."""
    for node in walk(expr):
        match node:
            case Name(start=start, end=end):
                yield line.text[start:end]
            case Literal(parameter=parameter):
                yield parameter
            case ArrayConstructor(spec_names=names):
                yield from names
