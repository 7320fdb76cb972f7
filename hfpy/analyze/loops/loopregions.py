"""A loop nest of the user's as a region: iterators, sizes and bounds as its loops have them, or why it is none.

The nest is *perfect*: each loop holds the next one and nothing else. What the innermost holds is done for a point, more
loops among it. The sizes of the domains are those of the dimensions that the iterators index, so that arrays and
layouts know them; where no array tells, the loops' bounds are taken.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

from hfpy.analyze.language.context import located
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.referenced import asks, references_in
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.sizes import constant, normal
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.loops.sharedends import Ending, Endings
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import (
    Apply,
    Binary,
    Component,
    Expr,
    Fragment,
    Keyword,
    Literal,
    Name,
    Paren,
    Range,
    children,
)
from hfpy.model.extents import Dim
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Assignment,
    Construct,
    Header,
    Jump,
    OneLine,
    Statement,
    constructs,
    flatten,
    jumps_out,
    turn_ends,
    within,
)
from hfpy.model.units import FileIndex, Routine, Symbol
from hfpy.options import DomainSpec
from hfpy.parse.expressions.fragments import ONE, dim_of, piece
from hfpy.parse.text.sentinels import index_types
from hfpy.values import dataclass


@dataclass(frozen=True)
class Turns:
    """One loop of a nest: its variable, and its bounds and step as they are written. ``down`` says that it certainly
    goes downwards.
    """

    iterator: str
    first: Fragment
    last: Fragment
    step: Fragment = ONE
    down: bool = False

    @staticmethod
    def of(text: str, iterator: str, span: Range) -> Turns:
        """The turns that a triplet ``first:last:step`` in a text means. Raises GrammarError."""
        assert span.lower is not None and span.upper is not None
        step = piece(text, span.step) if span.step is not None else ONE
        return Turns(iterator, piece(text, span.lower), piece(text, span.upper), step)

    @property
    def extent(self) -> Dim:
        """The loop's bounds as the size of a domain."""
        lower, upper = (self.last, self.first) if self.down else (self.first, self.last)
        return Dim("explicit", None if lower == ONE else lower, upper)


class NotTaken(Exception):
    """Why a nest cannot be a region: a message, the line with the part that is meant, what helps, and the code."""

    def __init__(
        self, message: str, line: LogicalLine, hint: str, span: tuple[int, int | None] = (0, None), code: str = "HF241"
    ) -> None:
        super().__init__(message)
        self.message, self.line, self.hint, self.span, self.code = message, line, hint, span, code

    def error(self, file: str) -> Diagnostic:
        """The refusal of a directive that asks for a region."""
        return error(self.code, self.message, self.line.place(file, *self.span), self.hint)


@dataclass(frozen=True)
class LoopRegion:
    """A nest as a region: its loops, outermost first; the iterators in the order of ``domName``, with their sizes."""

    loops: tuple[Construct, ...]
    turns: tuple[Turns, ...]
    domains: tuple[tuple[str, str], ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that the loops give the region."""
        names, sizes = (",".join(part) for part in zip(*self.domains, strict=True))
        return f"domName({names})", f"domSize({sizes})", "explicit"

    @staticmethod
    def masks(header: Header) -> tuple[Expr, ...]:
        """The mask of a ``do concurrent``, if it has one."""
        return tuple(e for e in header.exprs if not isinstance(e, Keyword))


@dataclass(frozen=True)
class World:
    """What is known around a nest: the scopes, its routine, the references of that, the project's domains, and
    variables of which each thread has its own (``threadprivate``), by home unit and name. ``known`` are the regions of
    its loops that were asked for before, by a loop's identity and a depth, or why there is none.
    """

    scopes: Scopes
    routine: Routine
    references: Sequence[Reference]
    domains: Mapping[str, DomainSpec]
    of_threads: frozenset[tuple[str, str]] = frozenset()
    known: dict[tuple[int, int], LoopRegion | NotTaken] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def endings(self) -> Endings:
        """The loops that end on labels."""
        return Endings(self.routine)

    def inside(self, nest: Construct) -> Sequence[tuple[Reference, tuple[Dim, ...]]]:
        """The references of arrays in a nest with all their indices, and the dimensions of each."""
        return self._indexed.get(id(nest), ())

    @cached_property
    def _indexed(self) -> dict[int, list[tuple[Reference, tuple[Dim, ...]]]]:
        """The same for all constructs of the routine, by identity."""
        made: dict[int, list[tuple[Reference, tuple[Dim, ...]]]] = {}
        for reference in self.references:
            indices = reference.indices
            if indices is None or reference.component or not reference.at.constructs:
                continue
            found = self.scopes.variable(reference.name, self.routine.key)
            if found is not None and len(found.symbol.shape) == len(indices):
                for construct in reference.at.constructs:
                    made.setdefault(id(construct), []).append((reference, found.symbol.shape))
        return made


def world_of(scopes: Scopes, routine: Routine, of_threads: frozenset[tuple[str, str]] = frozenset()) -> World:
    """What is known around the nests of a routine."""
    references = references_in(located(routine), routine.key, scopes)
    return World(scopes, routine, references, scopes.application.options.domains, of_threads)


def perfect_nest(outer: Construct, most: int) -> list[Construct]:
    """The loops with a variable that are in each other with nothing between them, outermost first, up to a number."""
    loops = [outer]
    while len(loops) < most and len(nodes := within(loops[-1])) == 1:
        inner = nodes[0]
        if not isinstance(inner, Construct) or inner.kind != "do" or not _counted(inner) or serial_reason(inner):
            break
        loops.append(inner)
    return loops


ON_ITS_LINES = "other statements are on its lines"


def on_its_lines(index: FileIndex, loop: Construct) -> bool:
    """Whether other statements are where lines have to be put before and after a loop. A ``do concurrent`` needs its
    first and last line for itself, as these are replaced.
    """
    first, last = loop.header.line, loop.end.line if loop.end is not None else None
    whole = loop.kind == "doconcurrent"
    return (
        _neighbour(index, first, -1, first.first)
        or (whole and _neighbour(index, first, 1, first.last))
        or (last is not None and _neighbour(index, last, 1, last.last))
        or (whole and last is not None and _neighbour(index, last, -1, last.first))
    )


def separable(index: FileIndex, ending: Ending) -> bool:
    """Whether each of some loops that end on a label may get an end of its own."""
    return ending.plain and not _neighbour(index, ending.line, 1, ending.line.last)


def _neighbour(index: FileIndex, line: LogicalLine, step: int, row: int) -> bool:
    """Whether the statement before or after another one is on a physical line, too."""
    at = bisect_left(index.lines, line.key[1:], key=lambda other: other.key[1:]) + step
    return 0 <= at < len(index.lines) and index.lines[at].first <= row <= index.lines[at].last


def serial_reason(loop: Construct) -> str:
    """Why the user wants a loop to stay as it is; empty if nothing is said."""
    return loop.header.serial if isinstance(loop.header, Header) else ""


def _counted(loop: Construct) -> bool:
    return isinstance(loop.header, Header) and bool(loop.header.var)


def loop_region(world: World, outer: Construct, names: Sequence[str] = (), most: int = 15) -> LoopRegion:
    """A nest as a region: of loops over these ``names``, or of all its loops up to a number.

    Raises NotTaken.
    """
    if outer.kind != "do" or not _counted(outer):
        raise NotTaken("a loop of a region needs a variable and bounds", outer.header.line, _NEED)
    if why := serial_reason(outer):
        raise NotTaken(f"you call this loop serial: {why}", outer.header.line, "name others, or take @serial away")
    loops = perfect_nest(outer, len(names) or most)
    turns = tuple(turns_of(world, loop) for loop in loops)
    _all_named(names, loops, turns)
    for loop, turn in zip(loops, turns, strict=True):
        _proper(world, loop.header, turn, [t.iterator for t in turns])
    _unchanged(world, loops, turns)
    _without_jumps_out(loops)
    order = list(names) or by_storage(world, loops[0], [t.iterator for t in reversed(turns)])
    sizes = {t.iterator: _size(world, loops[0], t) for t in turns}
    return LoopRegion(tuple(loops), turns, tuple((name, sizes[name]) for name in order))


def _without_jumps_out(loops: Sequence[Construct]) -> None:
    """A point of a nest ends where the body of its innermost loop does, by ``cycle`` or a jump to its end, too."""
    inner = loops[-1]
    assert isinstance(inner.header, Header)
    name, body = inner.header.construct_name, inner.body
    labels = turn_ends(inner).union(s.line.label for s in flatten(body))
    for jump in jumps_out(body):
        if jump.kind == "exit" or jump.target not in ("", name):
            shown = " ".join(filter(None, (jump.kind, jump.target)))
            raise NotTaken(f"'{shown}' leaves the region", jump.line, _NEXT_POINT, code="HF405")
    for statement in flatten(body):
        if isinstance(statement, Jump) and statement.kind == "goto" and statement.target not in labels:
            raise NotTaken("goto out of a region", statement.line, _NEXT_POINT, code="HF405")


_NEXT_POINT = "use @exit to go on with the next point"


def concurrent_region(world: World, loop: Construct, turns: Sequence[Turns], order: Sequence[str]) -> LoopRegion:
    """A ``do concurrent`` as a region, its loops in an order, innermost first. Raises NotTaken."""
    turns = [_directed(world, t) for t in turns]
    by_name = {t.iterator: t for t in turns}
    for turn in turns:
        if not index_types(loop.header.line) or world.scopes.variable(turn.iterator, world.routine.key) is not None:
            _integer(world, loop.header, turn.iterator, (0, None))
        _moving(loop.header.line, turn, (0, None))
    _unchanged(world, [loop], turns)
    sizes = {name: _size(world, loop, by_name[name]) for name in order}
    outermost_first = tuple(by_name[name] for name in reversed(order))
    return LoopRegion((loop,), outermost_first, tuple(sizes.items()))


_NEED = "begin the nest with `do VARIABLE = FIRST, LAST`"


def turns_of(world: World, loop: Construct) -> Turns:
    """The turns of a loop with a variable."""
    header = loop.header
    assert isinstance(header, Header)
    first, last, step = (*(piece(header.line.text, e) for e in header.exprs), ONE)[:3]
    return _directed(world, Turns(header.var, first, last, step))


def _directed(world: World, turn: Turns) -> Turns:
    """Turns that know whether they go downwards; where that is not known, they are taken to go upwards."""
    step = Kinds(world.scopes).value(turn.step.expr, world.routine.key)
    return replace(turn, down=step is not None and step < 0)


def _all_named(names: Sequence[str], loops: Sequence[Construct], turns: Sequence[Turns]) -> None:
    missing = [n for n in names if n not in {t.iterator for t in turns}]
    if missing:
        message = f"the loops here are no perfect nest over {', '.join(names)}: the loop over '{missing[0]}' is missing"
        hint = "put the loops right into each other, or name only those that are: domName(…)"
        raise NotTaken(message, loops[-1].header.line, hint)


def _proper(world: World, header: object, turn: Turns, iterators: Sequence[str]) -> None:
    """A loop whose variable is an integer, and whose bounds are known before the nest begins."""
    assert isinstance(header, Header)
    _integer(world, header, turn.iterator, (header.var_start, header.var_start + len(turn.iterator)))
    for expr in header.exprs:
        other = next((n for n in iterators if n in piece(header.line.text, expr).names), "")
        if other:
            message = f"the bounds of the loop over '{turn.iterator}' depend on '{other}', an iterator of the region"
            hint = f"name the loops that are the region's without this one: domName({_but(iterators, turn.iterator)})"
            raise NotTaken(message, header.line, hint, (expr.start, expr.end))
    _moving(header.line, turn, (header.exprs[-1].start, header.exprs[-1].end))


def _integer(world: World, header: Statement, iterator: str, at: tuple[int, int | None]) -> None:
    found = world.scopes.variable(iterator, world.routine.key)
    kind = found.symbol.type if found is not None else world.scopes.implicit_type(iterator, world.routine)
    if kind.base != "integer" or (found is not None and found.symbol.rank):
        raise NotTaken(f"'{iterator}' is no integer variable", header.line, "loop over an integer", at)


def _moving(line: LogicalLine, turn: Turns, at: tuple[int, int | None]) -> None:
    if constant(turn.step.expr) == 0:
        message = f"the loop over '{turn.iterator}' has the step 0"
        raise NotTaken(message, line, "Fortran allows no such step (2018, 11.1.7.4.1)", at)


def _but(iterators: Sequence[str], name: str) -> str:
    rest = list(iterators)
    while rest and rest.pop() != name:
        pass
    return ",".join(reversed(rest)) or "…"


Path = tuple[str, ...]  # of a designator: the variable, then the components


def _hidden(loop: Construct) -> dict[int, set[str]]:
    """The names that blocks in a loop declare, by the identity of the statements in them."""
    found: dict[int, set[str]] = {}
    for construct in constructs(loop.body):
        names = {s.name for s in construct.declarations if isinstance(s, Symbol)}
        for statement in flatten(construct.body) if names else ():
            found.setdefault(id(statement), set()).update(names)
    return found


def _unchanged(world: World, loops: Sequence[Construct], turns: Sequence[Turns]) -> None:
    """Neither a bound nor an iterator is set in the nest: a region finds its bounds once."""
    bounds = [f.expr for t in turns for f in (t.first, t.last, t.step)]
    iterators = {(t.iterator,) for t in turns}
    values = iterators.union(*(_needed(world, e, False) for e in bounds))
    names = iterators.union(*(_needed(world, e, True) for e in bounds))
    hidden = _hidden(loops[-1])
    for statement in flatten(loops[-1].body):
        action = statement.action if isinstance(statement, OneLine) else statement
        path: Path = ()
        fixed = values
        if isinstance(action, Assignment):
            path = _path(action.target)
            if not isinstance(action.target, Apply):  # an element has nothing to do with a size, nor have parts of it
                fixed = values.union(known for known in names if known[: len(path)] == path)
        elif isinstance(action, Header) and action.var:
            path = (action.var,)
        if path and path[0] in hidden.get(id(statement), ()):
            continue
        if any(path[: len(known)] == known[: len(path)] for known in fixed if path):
            message = f"'{'%'.join(path)}' is set in the nest, whose loops it belongs to"
            raise NotTaken(message, statement.line, "give the loops bounds that do not change")


def _path(designator: Expr) -> Path:
    names: list[str] = []
    while isinstance(designator, (Apply, Component)):
        if isinstance(designator, Component):
            names.append(designator.name)
        designator = designator.base
    return (designator.name, *reversed(names)) if isinstance(designator, Name) else ()


def _needed(world: World, expr: Expr, sizes: bool) -> Iterator[Path]:
    """The variables and components whose values an expression needs; with ``sizes`` also those of which it only asks a
    size or the like.
    """
    if isinstance(expr, Apply) and expr.args and asks(expr, world.routine.key, world.scopes):
        asked, *others = expr.args
        valued = [asked] if sizes else _indices(asked)
        yield from (p for e in (*valued, *others) for p in _needed(world, e, sizes))
    elif isinstance(expr, (Name, Apply, Component)):
        yield _path(expr)
        yield from (p for index in _indices(expr) for p in _needed(world, index, sizes))
    else:
        for operand in children(expr):
            yield from _needed(world, operand, sizes)


def _indices(designator: Expr) -> Iterator[Expr]:
    """All that is in the lists of a designator."""
    while isinstance(designator, (Apply, Component)):
        if isinstance(designator, Apply):
            yield from designator.args
        designator = designator.base


# -- what arrays tell


def iterator_of(index: Expr) -> str:
    """The name in an index that is a name plus or minus a number, else empty."""
    match index:
        case Name(name=name):
            return name
        case Paren(inner=inner):
            return iterator_of(inner)
        case Binary(op="+" | "-", left=left, right=Literal()):
            return iterator_of(left)
        case Binary(op="+", left=Literal(), right=right):
            return iterator_of(right)
    return ""


def _size(world: World, nest: Construct, turn: Turns) -> str:
    """The size of the domain of a loop: of the dimensions that its iterator indexes a size that the project names, the
    loop's bounds, or the most frequent one; the bounds where it indexes none.
    """
    own = normal(turn.extent)
    sizes: Counter[str] = Counter()
    texts = {own: turn.extent.text}
    for reference, shape in world.inside(nest):
        for index, dim in zip(reference.indices or (), shape, strict=True):
            if dim.form == "explicit" and iterator_of(index) == turn.iterator and _known(world, dim):
                sizes[normal(dim)] += 1
                texts.setdefault(normal(dim), dim.text)
    stated = {normal(dim_of(s)) for s in _stated(world.domains, turn.iterator)}
    best = sorted(sizes, key=lambda size: (size not in stated, size != own, -sizes[size]))
    return texts[best[0] if best else own]


def _stated(domains: Mapping[str, DomainSpec], iterator: str) -> tuple[str, ...]:
    for name, spec in domains.items():
        if iterator in (name.lower(), *(i.lower() for i in spec.iterators)):
            return spec.size
    return ()


def _known(world: World, dim: Dim) -> bool:
    """Whether the routine knows all names of a size."""
    return all(world.scopes.variable(name, world.routine.key) is not None for name in dim.names)


def by_storage(world: World, nest: Construct, iterators: Sequence[str]) -> list[str]:
    """Iterators in the order in which arrays have their dimensions, fastest first; else as they are given."""
    places: dict[str, list[int]] = {name: [] for name in iterators}
    for reference, _ in world.inside(nest):
        for place, index in enumerate(reference.indices or ()):
            if (name := iterator_of(index)) in places:
                places[name].append(place)
    if not all(places.values()):
        return list(iterators)
    return sorted(iterators, key=lambda name: sum(places[name]) / len(places[name]))
