"""Regions with loops along a column as stages: sweeps, in which values go from one level to the next
(stencil-optimisation.md §7); else the reason why a region is none, with its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.language.sizes import Linear, linear, show
from hfpy.analyze.language.uses import Reference
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, names_in, walk
from hfpy.model.statements import Construct, Header, Node, OneLine, Statement, expressions, flatten
from hfpy.parse.expressions.fragments import expanded
from hfpy.parse.expressions.fragments import piece as piece_of
from hfpy.parse.statements.nests import innermost_body
from hfpy.transform.stencil.flow import target_name
from hfpy.transform.stencil.lift import Draft, Lifter, wishes_of
from hfpy.transform.stencil.linearforms import names_of
from hfpy.transform.stencil.operations import count
from hfpy.transform.stencil.program import WRITTEN_LEVELS, Access, Offset, Pattern, Piece, Span, SpanKey
from hfpy.values import dataclass


@dataclass(frozen=True)
class _Index:
    """One index of a reference: the iterator and how far from it, or a text that is the same at all points."""

    iterator: str
    by: int
    form: Linear


@dataclass(frozen=True)
class _Use:
    """A reference of an array: where it is, whether it is set there, and the loop that it is in."""

    reference: Reference
    name: str
    own: bool
    items: tuple[_Index, ...]
    piece: Piece

    @property
    def key(self) -> SpanKey:
        """Its place in the text."""
        return self.reference.at.statement.line.key, self.reference.node.start, self.reference.node.end


class SweepLifter(Lifter):
    """Turns the regions of one routine into drafts of stages, those with loops along columns too."""

    def draft(self, construct: Construct, number: int) -> Draft:
        """The draft of a region. Raises Refused."""
        region = construct.region
        assert region is not None
        nodes = innermost_body(construct, region)
        if not any(isinstance(node, Construct) and node.kind == "do" for node in nodes):
            return super().draft(construct, number)
        self._check_region(region)
        level, pieces = self._pieces(nodes, region)
        body, scalars = self._scalars(region, number)
        return self._sweep(construct, region, pieces, level, body, tuple(s for s in scalars if s != level))

    # -- loops

    def _pieces(self, nodes: tuple[Node, ...], region: Region) -> tuple[str, tuple[Piece, ...]]:
        """The iterator along the column, and the loops and statements of a region."""
        if wishes_of(region, self.routine.scope(region.line)):
            raise self._refused(6, "there is a 'do' in it", region.place)
        pieces: list[Piece] = []
        level = ""
        for node in nodes:
            if not isinstance(node, Construct) or node.kind != "do":
                self._check_node(node)
                pieces.append(Piece((node,), None, 0))
                continue
            header = node.header
            place = header.line.place(self.routine.file)
            assert isinstance(header, Header)
            if header.label or header.construct_name or len(header.exprs) < 2 or header.var in region.iterators:
                raise self._refused(6, "there is a 'do' in it that is no loop along a column", place)
            if header.serial:
                raise self._refused(6, f"a loop is called serial: {header.serial}", place)
            if level and header.var != level:
                raise self._refused(6, f"its loops go over '{level}' and '{header.var}'", place)
            level = header.var
            for inner in node.body:
                self._check_node(inner)
            pieces.append(self._loop(node, header))
        for piece in pieces:
            for statement in flatten(piece.body) if piece.span is None else ():
                if any(level in names_in(e) for e in expressions(statement)):
                    place = statement.line.place(self.routine.file)
                    raise self._refused(6, f"'{level}' is used outside of the loops over it", place)
        return level, tuple(pieces)

    def _loop(self, node: Construct, header: Header) -> Piece:
        text = header.line.text
        place = header.line.place(self.routine.file)
        forms = [linear(expanded(piece_of(text, e), self.macros).expr) for e in header.exprs]
        step = dict(forms[2] or ()) if len(forms) > 2 else {"": 1}
        if None in forms or step not in ({"": 1}, {"": -1}) or any(_computed(e) for e in header.exprs):
            raise self._refused(7, "the bounds of a loop cannot be compared, or it has a step", place)
        self._check_macros(header)
        first, last, sign = forms[0], forms[1], step[""]
        assert first is not None and last is not None
        return Piece(node.body, Span(first, last) if sign > 0 else Span(last, first), sign)

    # -- references

    def _sweep(
        self,
        construct: Construct,
        region: Region,
        pieces: tuple[Piece, ...],
        level: str,
        body: RegionBody,
        scalars: tuple[str, ...],
    ) -> Draft:
        iterators = (*region.iterators, level)
        varying = {*scalars, *iterators}
        fixed: set[str] = set()
        uses = list(self._uses(pieces, iterators, body, varying, fixed))
        patterns: dict[str, Pattern] = {}
        accesses: dict[SpanKey, Access] = {}
        for name in dict.fromkeys(u.name for u in uses):
            pattern, found = self._pattern([u for u in uses if u.name == name], iterators, region)
            patterns[name] = pattern
            accesses |= found
        written = tuple(dict.fromkeys(u.name for u in uses if u.own))
        if not written:
            raise self._refused(2, "it writes no array", region.place)
        several = sorted(n for n in patterns if self._is_open(n))
        if len(several) > 1 and set(several) & set(written):
            first = min(set(several) & set(written))
            other = next(n for n in several if n != first)
            raise self._refused(5, f"'{first}' may be the same memory as '{other}'", region.place)
        for use in uses:
            self._check_use(use, accesses[use.key], written, patterns[use.name], iterators)
        for piece in pieces:
            fixed |= names_of(*_bounds(piece))
        fixed |= {n for b in (*region.starts, *region.ends) for n in expanded(b, self.macros).names}
        box = (*self._box(region, fixed, varying), WRITTEN_LEVELS)
        offsets: dict[str, frozenset[Offset]] = {}
        for access in accesses.values():
            if access.array not in written:
                flat = (*access.offset[:-1], 0)
                offsets[access.array] = offsets.get(access.array, frozenset()) | {flat}
        return Draft(
            construct,
            iterators,
            tuple(node for piece in pieces for node in piece.body),
            box,
            accesses,
            offsets,
            written,
            frozenset(written),
            self._surely_there(uses, accesses, patterns, iterators, region),
            scalars,
            patterns,
            frozenset(fixed),
            self.opened(patterns, body, fixed),
            sum(count(piece.body) for piece in pieces if piece.span is not None) + self.called(body),
            region.place,
            wishes_of(region, self.routine.scope(region.line)),
            self.routine.scope(region.line),
            tuple(self._directed(piece, accesses, scalars, written, patterns, level) for piece in pieces),
        )

    def _uses(
        self,
        pieces: tuple[Piece, ...],
        iterators: tuple[str, ...],
        body: RegionBody,
        varying: set[str],
        fixed: set[str],
    ) -> Iterator[_Use]:
        """The references of arrays; ``fixed`` collects the names that fixed indices depend on."""
        home = {id(s): piece for piece in pieces for s in flatten(piece.body)}
        for reference in body.references:
            if reference.at.loop_of == body.identity.number or reference.name in iterators:
                continue
            data = self._data(reference)
            if data is None or not data.rank:
                continue
            if id(reference.at.statement) not in home:
                raise self._at(7, f"a bound is computed from '{reference.name}'", reference)
            made = self.facts.plan_of(reference, self.key)
            items = made.items if made is not None and made.items is not None else reference.indices
            if items is None or len(items) != data.rank or (made is not None and made.final):
                raise self._at(1, f"'{data.name}' is not used element by element", reference)
            indices = []
            for item in items:
                form = self._form(item, reference)
                moving = [(atom, factor) for atom, factor in form if atom in iterators]
                inner = names_of(form)
                if not moving:
                    if inner & varying:
                        raise self._at(1, f"an index of '{data.name}' is computed", reference)
                    fixed |= inner
                    indices.append(_Index("", 0, form))
                    continue
                rest = [atom for atom, _ in form if atom and atom != moving[0][0]]
                twice = moving[0][0] in [i.iterator for i in indices]
                if len(moving) > 1 or moving[0][1] != 1 or rest or twice:
                    raise self._at(1, f"an index of '{data.name}' is no iterator plus a number", reference)
                indices.append(_Index(moving[0][0], dict(form).get("", 0), form))
            piece = home[id(reference.at.statement)]
            yield _Use(reference, data.name, reference.role == "write", tuple(indices), piece)

    def _pattern(
        self, uses: list[_Use], iterators: tuple[str, ...], region: Region
    ) -> tuple[Pattern, dict[SpanKey, Access]]:
        """How an array is indexed, the level by an iterator or by what is the same at all points; its accesses."""
        name, level = uses[0].name, iterators[-1]
        columns = list(zip(*(u.items for u in uses), strict=True))
        along = [n for n, column in enumerate(columns) if any(i.iterator == level for i in column)]
        rest = [n for n, column in enumerate(columns) if all(not i.iterator for i in column)]
        if not along and len(rest) == 1 and len(columns) == len(iterators):
            along = rest  # a level by number, as at the lowest one
        texts = []
        for n, column in enumerate(columns):
            if n in along:
                ways = {i.iterator for i in column} - {"", level}
                texts.append(level)
            else:
                ways = {i.iterator or show(i.form) for i in column}
                texts.append(min(ways))
            if len(ways) > (n not in along) or len(along) > 1:
                raise self._at(1, f"'{name}' is indexed in two ways", uses[-1].reference)
        accesses = {}
        for use in uses:
            by = {i.iterator: i.by for i in use.items if i.iterator}
            row = next((use.items[n].form for n in along if not use.items[n].iterator), None)
            accesses[use.key] = Access(name, tuple(by.get(i, 0) for i in iterators), use.own, row)
        data = self._object(name, region.place)
        place = uses[0].reference.at.statement.line.place(self.routine.file)
        text, size = self.type_text(name, place)
        scope = self.routine.scope(region.line)
        temporary = scope is not None and name in {t.name for t in scope.temporaries}
        local, logical = temporary or self._vanishes(data), data.symbol.type.base == "logical"
        return Pattern(name, tuple(texts), text, size, local, logical), accesses

    def _check_use(
        self, use: _Use, access: Access, written: tuple[str, ...], pattern: Pattern, iterators: tuple[str, ...]
    ) -> None:
        """What a sweep writes belongs to its column and level, and is read in levels done before (rules 2, 3)."""
        name, level, reference = use.name, iterators[-1], use.reference
        beside, by = any(access.offset[:-1]), access.offset[-1]
        if use.own:
            elsewhere = beside or by or (use.piece.span is not None and access.row is not None)
            if elsewhere or set(iterators[:-1]) - set(pattern.items):
                raise self._at(2, f"'{name}' is not written at the point itself", reference)
        elif name in written:
            if beside:
                raise self._at(3, f"'{name}' is read in another column and written", reference)
            ahead = use.piece.span is not None and by * use.piece.step > 0
            if ahead and self._set_in(use.piece, name):
                way = "upwards" if use.piece.step > 0 else "downwards"
                raise self._at(3, f"'{name}' is read at {level}{by:+d} and written in a loop {way}", reference)

    def _set_in(self, piece: Piece, name: str) -> bool:
        return any(target_name(s) == name for s in flatten(piece.body))

    def _surely_there(
        self,
        uses: list[_Use],
        accesses: dict[SpanKey, Access],
        patterns: dict[str, Pattern],
        iterators: tuple[str, ...],
        region: Region,
    ) -> frozenset[SpanKey]:
        """The references in loops of elements that the arrays surely have, whatever level is asked for."""
        found = set()
        across = tuple(Span(low, high) for low, high in self._ends(region))
        for use in uses:
            if use.piece.span is not None and accesses[use.key].row is None and len(across) == len(iterators) - 1:
                box = (*across, use.piece.span)
                if self._inside(patterns[use.name], accesses[use.key], box, iterators, region.place):
                    found.add(use.key)
        return frozenset(found)

    def _ends(self, region: Region) -> Iterator[tuple[Linear, Linear]]:
        for low, high in zip(region.starts, region.ends, strict=True):
            yield linear(expanded(low, self.macros).expr), linear(expanded(high, self.macros).expr)

    def _directed(
        self,
        piece: Piece,
        accesses: dict[SpanKey, Access],
        scalars: tuple[str, ...],
        written: tuple[str, ...],
        patterns: dict[str, Pattern],
        level: str,
    ) -> Piece:
        """A loop whose turns may come in any order says so: it carries neither elements nor single values."""
        if piece.span is None:
            return piece
        set_here = {target_name(s) for s in flatten(piece.body)} & set(written)
        lines = {s.line.key for s in flatten(piece.body)}
        for (line, _, _), access in accesses.items():
            if line in lines and access.array in set_here:
                flat = level not in patterns[access.array].items
                if flat or access.offset[-1] or access.row is not None:
                    return piece
        if read_first(piece.body, frozenset(scalars)):
            return piece
        return Piece(piece.body, piece.span, 0)


def read_first(nodes: tuple[Node, ...], scalars: frozenset[str]) -> frozenset[str]:
    """The scalars among some that statements may read before they have certainly set them."""
    found: set[str] = set()
    _certain(nodes, scalars, frozenset(), found)
    return frozenset(found)


def _certain(
    nodes: tuple[Node, ...], scalars: frozenset[str], known: frozenset[str], found: set[str]
) -> frozenset[str]:
    for node in nodes:
        if isinstance(node, Construct):
            ends = []
            for part in node.parts:
                found |= (_named(part.header) & scalars) - known
                ends.append(_certain(part.body, scalars, known, found))
            last = node.parts[-1].header
            if isinstance(last, Header) and last.kind == "else":
                known = frozenset.intersection(*ends)
        elif isinstance(node, OneLine):
            found |= (_named(node) & scalars) - known
            _certain((node.action,), scalars, known, found)
        else:
            target = target_name(node)
            value = getattr(node, "value", None)
            read = names_in(value) if value is not None else _named(node)
            found |= (read & scalars) - known
            known |= {target} & scalars
    return known


def _named(statement: Statement) -> set[str]:
    return {n for e in expressions(statement) for n in names_in(e)}


def _computed(expr: object) -> bool:
    return any(isinstance(n, Apply) for n in walk(expr))  # type: ignore[arg-type]


def _bounds(piece: Piece) -> tuple[Linear, ...]:
    return (piece.span.lower, piece.span.upper) if piece.span is not None else ()
