"""Loops that other directives, or the language, call parallel: what a region says in the place of each.

``!$omp parallel do``, ``!$acc parallel loop`` and ``do concurrent`` state that their points may run in any order; loops
in ``!$acc kernels`` have to be proved. Clauses become attributes, are hfpy's own business, or speak against a region.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hfpy.analyze.loops.loopregions import (
    ON_ITS_LINES,
    LoopRegion,
    NotTaken,
    Turns,
    World,
    by_storage,
    concurrent_region,
    loop_region,
    on_its_lines,
    perfect_nest,
)
from hfpy.model.directives import Reduction
from hfpy.model.expressions import Keyword, Range
from hfpy.model.statements import Construct, Header, Node, Statement, constructs
from hfpy.model.units import FileIndex
from hfpy.options import schedule_fault
from hfpy.parse.directives.regions import OPERATORS
from hfpy.parse.text.physical import physical
from hfpy.parse.text.sentinels import Clause, OwnDirective, index_types, locality_of, own_directives_in
from hfpy.values import dataclass

_STATED = {("omp", ("parallel", "do")), ("omp", ("parallel", "do", "simd")), ("acc", ("parallel", "loop"))}
_TO_PROVE = {("acc", ("kernels", "loop"))}
# What hfpy finds out or decides by itself.
_NO_EFFECT = {
    "omp": frozenset("shared default firstprivate lastprivate order".split()),
    "acc": frozenset(
        "gang worker vector num_gangs num_workers vector_length independent auto default copy copyin copyout create "
        "present no_create attach pcopy pcopyin pcopyout pcreate present_or_copy present_or_copyin present_or_copyout "
        "present_or_create firstprivate async".split()
    ),
    "do": frozenset({"shared", "default"}),
}
_ORDERING = frozenset({"atomic", "critical", "ordered"})  # of points, which a region does not have


@dataclass(frozen=True)
class Candidate:
    """A loop that may become a region. ``marks`` are the directives that then go, ``owner`` tells loops that become
    regions together; ``least`` is the number of its loops that surely are the region's, ``stated`` whether the user
    says that they are parallel; ``private`` are scalars whose values do not leave the loop, ``reductions`` those
    of a ``do concurrent``, which are no attributes yet.
    """

    outer: Construct
    marks: tuple[OwnDirective, ...]
    owner: int
    attributes: tuple[str, ...] = ()
    least: int = 1
    most: int = 15
    stated: bool = True
    private: frozenset[str] = frozenset()
    reductions: tuple[Reduction, ...] = ()

    @property
    def row(self) -> int:
        """The physical line of the loop, counted from 0."""
        return self.outer.header.line.first

    def region(self, world: World, depth: int) -> LoopRegion:
        """The region of so many loops. Raises NotTaken."""
        slot = id(self.outer), depth
        if slot not in world.known:
            world.known[slot] = self._region(world, depth)
        known = world.known[slot]
        if isinstance(known, NotTaken):
            raise known
        return known

    def _region(self, world: World, depth: int) -> LoopRegion | NotTaken:
        try:
            if self.outer.kind == "doconcurrent":
                return concurrent(world, self.outer)
            return loop_region(world, self.outer, most=depth)
        except NotTaken as fault:
            return fault


@dataclass(frozen=True)
class Kept:
    """A loop that stays as it is: the physical line of its directive, and why."""

    row: int
    why: str


def candidates(index: FileIndex, world: World) -> Iterator[Candidate | Kept]:
    """The loops of a routine that may become regions, and those that cannot."""
    routine = world.routine
    unit = index.units[routine.unit]
    behind = index.lines[unit.contains if unit.contains >= 0 else unit.last].first
    rows = index.rows
    listed = [d for d in own_directives_in(rows, routine.header.last + 1, behind, index.fixed) if d.sentinel]
    regions = [(c.header.line.first, c.end.line.last) for c in routine.regions if c.end is not None]
    loops: dict[int, Construct] = {}
    for construct in constructs(routine.body):
        if construct.kind in ("do", "doconcurrent"):
            loops.setdefault(construct.header.line.first, construct)  # the outer one, of several on a line
    blocks = _open_blocks(listed)
    impure = {"pure", "elemental"} & set(routine.prefix) - ({"elemental"} if "impure" in routine.prefix else set())
    for row, loop, marks in _found(rows, listed, loops, routine.body):
        if any(first <= row <= last for first, last in regions):
            continue  # part of a region already
        own = marks[0] if marks else None
        around = next((b for first, last, b in blocks if first < row < last and b is not own), None)
        why = f"it is in '{around.name}'" if around is not None and not around.for_data else ""
        why = why or ("it is in a pure procedure, which can hold no directives" if impure else "")
        if not isinstance(loop, str) and any(on_its_lines(index, one) for one in loop):
            why = why or ON_ITS_LINES
        if why or isinstance(loop, str):
            yield Kept(row, why or str(loop))
            continue
        try:
            yield from [
                _candidate(world, listed, (*marks, *_leading(rows, listed, one, marks)), one, row) for one in loop
            ]
        except NotTaken as fault:
            yield Kept(row, fault.message)


def _leading(
    rows: Sequence[str], listed: Sequence[OwnDirective], loop: Construct, marks: Sequence[OwnDirective]
) -> Iterator[OwnDirective]:
    """Other directives right before a loop, with their ends: ``!$acc loop`` in ``kernels``, those of another kind."""
    last = loop_end(loop)
    for directive in listed:
        right_before = _next_code(rows, directive.last + 1) == loop.header.line.first
        if right_before and directive.for_loop and directive not in marks and marks:
            yield directive
            yield from (d for d in _ends(rows, listed, directive, last) if d not in marks)


def _ends(
    rows: Sequence[str], listed: Sequence[OwnDirective], directive: OwnDirective, last: int
) -> Iterator[OwnDirective]:
    """The end of a directive for a loop that ends in a line."""
    code = _next_code(rows, last + 1)
    named = (d for d in listed if d.ends and (d.sentinel, d.words[1:]) == (directive.sentinel, directive.words))
    return (d for d in named if last < d.first < code)


def _open_blocks(listed: Sequence[OwnDirective]) -> list[tuple[int, int, OwnDirective]]:
    """Blocks of OpenMP and OpenACC with their first and last lines."""
    found: list[tuple[int, int, OwnDirective]] = []
    opened: list[OwnDirective] = []
    for directive in listed:
        if directive.for_block:
            opened.append(directive)
        elif directive.ends and any(o.words == directive.words[1:] for o in opened):
            while opened and opened[-1].words != directive.words[1:]:
                opened.pop()
            block = opened.pop()
            found.append((block.first, directive.first, block))
    return found


Found = tuple[int, "list[Construct] | str", tuple[OwnDirective, ...]]


def _found(
    rows: Sequence[str], listed: Sequence[OwnDirective], loops: Mapping[int, Construct], body: Sequence[Node]
) -> Iterator[Found]:
    """The line that says that something is parallel, the loops that are meant (or why there are none), and the
    directives that say it.
    """
    ends = {first: last for first, last, _ in _open_blocks(listed)}
    for directive in listed:
        key = (directive.sentinel, directive.words)
        if key in _STATED | _TO_PROVE:
            row = _next_code(rows, directive.last + 1)
            loop = loops.get(row)
            if loop is None or loop.kind != "do":
                yield directive.first, "no loop with a variable is right after it", (directive,)
                continue
            yield directive.first, [loop], (directive, *_ends(rows, listed, directive, loop_end(loop)))
        elif key == ("acc", ("kernels",)) and directive.first in ends:
            end = [d for d in listed if d.first == ends[directive.first]]
            inside = _between(body, directive.last, end[0].first)
            other = [n for n in inside if isinstance(n, Construct) and n.kind != "do"]
            found = [n for n in inside if isinstance(n, Construct) and n.kind == "do"]
            named = "no loop is right in it" if not found else "it holds other blocks than loops" if other else ""
            yield directive.first, named or found, (directive, *end)
    for row, loop in loops.items():
        if loop.kind == "doconcurrent":
            yield row, [loop], ()


def _next_code(rows: Sequence[str], row: int) -> int:
    while row < len(rows) and physical(rows[row]).apart:
        row += 1
    return row


def loop_end(loop: Construct) -> int:
    """The last physical line of a loop."""
    statements: list[Statement] = [loop.end] if loop.end is not None else []
    nodes = list(loop.body)
    while nodes and not statements:
        node = nodes.pop()
        end = node.end if isinstance(node, Construct) else node
        statements += [end] if end is not None else []
        nodes = list(node.body) if isinstance(node, Construct) else []
    return statements[0].line.last if statements else loop.header.line.last


def _between(nodes: Sequence[Node], first: int, last: int) -> list[Node]:
    """The statements between two lines, of the block that holds all of them."""
    found: list[Node] = []
    for node in nodes:
        row = (node.header if isinstance(node, Construct) else node).line.first
        if first < row < last:
            found.append(node)
        elif isinstance(node, Construct) and not found:
            found = next((f for part in node.parts if (f := _between(part.body, first, last))), [])
    return found


# -- clauses


def _of_threads(world: World, loop: Construct) -> str:
    """A variable in a loop of which each thread has its own; empty if there is none."""
    for reference in world.references:
        if any(c is loop for c in reference.at.constructs):
            found = world.scopes.variable(reference.name, world.routine.key)
            if found is not None and (found.home, found.symbol.name) in world.of_threads:
                return reference.name
    return ""


def _candidate(
    world: World, listed: Sequence[OwnDirective], marks: tuple[OwnDirective, ...], loop: Construct, owner: int
) -> Candidate:
    """A candidate with what the clauses of its directive say. Raises NotTaken."""
    if name := _of_threads(world, loop):
        raise NotTaken(f"each thread has its own '{name}' (threadprivate)", loop.header.line, "")
    last = loop_end(loop)
    inside = [d for d in listed if loop.header.line.first < d.first < last]
    ordered = any(_ORDERING & set(d.words) for d in inside)
    if not marks:
        found = concurrent_candidate(world, loop)
        texts = (f"reduction({r.op}:{r.name})" for r in found.reductions)
        return replace(found, owner=owner, stated=not ordered, attributes=(*found.attributes, *texts))
    directive = marks[0]
    made = _Clauses(directive.sentinel, world, loop)
    own = [d for d in marks if not d.ends and d.sentinel == directive.sentinel]
    for clause in (c for d in own for c in d.clauses):
        made.take(clause)
    independent = any(c.name == "independent" for d in own for c in d.clauses)
    stated = (directive.sentinel, directive.words) in _STATED or independent
    most = min(_serial_below(inside, loop), 15)
    least = max(made.collapse, 1)
    if least > min(len(perfect_nest(loop, 15)), most):
        raise NotTaken(f"collapse({least}) names more loops than are right in each other", loop.header.line, "")
    most = least if made.collapse else most
    attributes = (*made.attributes, *((f"collapse({least})",) if least > 1 and directive.sentinel == "omp" else ()))
    return Candidate(loop, marks, owner, attributes, least, most, stated and not ordered, frozenset(made.private))


def _serial_below(inside: Sequence[OwnDirective], loop: Construct) -> int:
    """How many loops of a nest come before one that a directive calls ``seq``."""
    nest = perfect_nest(loop, 15)
    for number, inner in enumerate(nest[1:], 1):
        row, above = inner.header.line.first, nest[number - 1].header.line.first
        marked = [d for d in inside if above < d.first < row]
        if any(c.name == "seq" for d in marked for c in d.clauses):
            return number
    return len(nest)


class _Clauses:
    """Attributes from the clauses of one directive, or of a ``do concurrent`` (``do``)."""

    def __init__(self, sentinel: str, world: World, loop: Construct) -> None:
        self.sentinel, self.world, self.loop = sentinel, world, loop
        self.listed: list[str] = []
        self.arrays: list[str] = []
        self.reductions: list[Reduction] = []
        self.private: set[str] = set()
        self.collapse = 0

    @property
    def attributes(self) -> list[str]:
        """All of them. Scalars that are local to a ``do concurrent`` are not what has their name outside."""
        lists = {"private": dict.fromkeys(self.arrays), "local": sorted(self.private) if self.sentinel == "do" else ()}
        return [*(f"{word}({','.join(names)})" for word, names in lists.items() if names), *self.listed]

    def take(self, clause: Clause) -> None:
        """Add what a clause says. Raises NotTaken."""
        if clause.name in ("private", "local", "firstprivate", "local_init"):
            self._private(clause)
        elif clause.name in ("reduction", "reduce"):
            self._reduction(clause)
        elif clause.name == "schedule" and self.sentinel == "omp":
            if fault := schedule_fault(clause.text or ""):
                raise self._against(fault)
            self.listed.append(f"schedule({clause.text})")
        elif clause.name == "collapse":
            if not (clause.text or "").isdigit():
                raise self._against("collapse takes a number")
            self.collapse = int(clause.text or "0")
        elif clause.name not in _NO_EFFECT[self.sentinel]:
            raise self._against(f"a region has nothing like '{clause.name}'")

    def _against(self, message: str) -> NotTaken:
        return NotTaken(message, self.loop.header.line, "")

    def _rank(self, name: str) -> int:
        found = self.world.scopes.variable(name, self.world.routine.key)
        return found.symbol.rank if found is not None else 0

    def _private(self, clause: Clause) -> None:
        arrays = [name for name in clause.entries if self._rank(name)]
        self.private |= set(clause.entries) - set(arrays)
        if arrays and clause.name in ("firstprivate", "local_init"):
            raise self._against(f"'{arrays[0]}' is an array that every point shall have a filled copy of")
        self.arrays += arrays

    def _reduction(self, clause: Clause) -> None:
        arrays = [name for name in clause.entries if self._rank(name) or not name.isidentifier()]
        if clause.operator not in OPERATORS or arrays:
            shown = arrays[0] if arrays else clause.operator
            raise self._against(f"a reduction with '{shown}' is none that a region has")
        if self.sentinel == "do":
            self.reductions += [Reduction(clause.operator, name) for name in clause.entries]
        else:
            self.listed.append(f"reduction({clause.operator}:{','.join(clause.entries)})")


# -- do concurrent


def concurrent_candidate(world: World, loop: Construct) -> Candidate:
    """A ``do concurrent`` with what its locality clauses say (F2023 11.1.7.5). Raises NotTaken."""
    made = _Clauses("do", world, loop)
    for clause in locality_of(loop.header.line):
        made.take(clause)
    count = len(concurrent(world, loop).turns)
    row = loop.header.line.first
    given = tuple(made.reductions)
    return Candidate(loop, (), row, tuple(made.attributes), count, count, True, frozenset(made.private), given)


def concurrent(world: World, loop: Construct) -> LoopRegion:
    """A ``do concurrent`` as a region: the loops go in the order of memory. Raises NotTaken."""
    header = loop.header
    assert isinstance(header, Header)
    line = header.line
    if header.serial:
        raise NotTaken(f"you call this loop serial: {header.serial}", line, "")
    if header.label:
        raise NotTaken("a labelled 'do concurrent'", line, "")
    if index_types(line) not in ("", "integer"):
        raise NotTaken("its variables have a kind of their own", line, "")
    turns = []
    for expr in header.exprs:
        if isinstance(expr, Keyword) and isinstance(expr.value, Range):
            turns.append(Turns.of(line.text, expr.name, expr.value))
    return concurrent_region(world, loop, turns, by_storage(world, loop, [t.iterator for t in turns]))
