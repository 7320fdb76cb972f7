"""Running counters: integers to which each point of a nest of loops adds the same, such as ``k = k + 1``.

Their value at a point follows from the loops' variables, so that no point needs what another has left: with loops over
``j`` and, in it, ``i`` from 1 to ``nx`` a counter has grown by ``(j - 1)*nx + i - 1`` at the beginning of a point.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from hfpy.analyze.language.intrinsics import INQUIRY
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.types import component
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.analyze.loops.loopregions import Turns, World, turns_of
from hfpy.model.building import apply, as_written, binary, name, number, plus
from hfpy.model.expressions import (
    Apply,
    Binary,
    Component,
    Expr,
    Fragment,
    Literal,
    Name,
    Paren,
    Unary,
    base_name,
    walk,
)
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    Jump,
    Node,
    expressions,
    flatten,
    jumps_out,
    name_of,
    targets,
    turn_ends,
)
from hfpy.model.units import FType, Symbol
from hfpy.parse.expressions.fragments import piece
from hfpy.values import dataclass

# Variables with these may be reached by other names, change by themselves, or not be there.
_SHARED = frozenset("pointer target volatile asynchronous allocatable optional".split())


@dataclass(frozen=True)
class Start:
    """A loop at the beginning of whose body a counter has to get its value: ``added`` since the nest began."""

    loop: Construct
    added: Expr


@dataclass(frozen=True)
class Counter:
    """A counter of a nest, where it gets its value, and what the nest adds in ``all`` its turns."""

    name: str
    starts: tuple[Start, ...]
    all: Expr


def counters(world: World, loops: Sequence[Construct], known: Sequence[str] = ()) -> Iterator[Counter]:
    """The counters of a perfect nest, outermost loop first, but for variables that are ``known`` to be something else,
    such as those of reductions.
    """
    updates = list(_updates(loops[-1].body))
    names = {u.target.name for u in updates if isinstance(u.target, Name)}
    if not names.difference(known):
        return
    if any(s.line.file for s in flatten((loops[0],))):
        return  # lines of included files stay as they are
    for counter in sorted(names.difference(known)):
        found = _Search(world, loops, counter, updates).found()
        if found is not None:
            yield found


def _updates(nodes: Sequence[Node]) -> Iterator[Assignment]:
    """The statements ``k = k + c`` of a body, those in its loops included, which no condition is before."""
    for node in nodes:
        if isinstance(node, Assignment) and increment(node) is not None:
            yield node
        elif isinstance(node, Construct) and node.kind == "do":
            yield from _updates(node.body)


def _ways_on(node: Node, loop: str) -> Iterator[str]:
    """Where statements of a node may go on that is neither in the node nor right behind it: a label, ``cycle`` for the
    next turn of the loop around it, and what no label is for any other way.
    """
    listed = list(flatten((node,)))
    labels = {s.line.label for s in listed[1:]}
    for jump in jumps_out((node,)):
        yield jump.kind if jump.target in ("", loop) else "another loop"
    for statement in listed:
        yield from (label for label in targets(statement) if label not in labels)
        if isinstance(statement, Jump) and statement.kind not in (*_GO_ON, "goto"):
            yield statement.kind


Terms = tuple[tuple[int, Expr], ...]  # of a sum, with their signs


def increment(statement: Assignment) -> Terms | None:
    """What a statement adds to the variable that it sets; None if it does something else."""
    target, value = statement.target, statement.value
    if not isinstance(target, Name) or not isinstance(value, Binary):
        return None
    terms = list(_terms(value, 1))
    own = [
        n for n, (sign, term) in enumerate(terms) if isinstance(term, Name) and term.name == target.name and sign > 0
    ]
    return (*terms[: own[0]], *terms[own[0] + 1 :]) if len(own) == 1 and len(terms) > 1 else None


def _terms(expr: Expr, sign: int) -> Iterator[tuple[int, Expr]]:
    if isinstance(expr, Binary) and expr.op in ("+", "-"):
        yield from _terms(expr.left, sign)
        yield from _terms(expr.right, sign if expr.op == "+" else -sign)
    else:
        yield sign, expr


class _Search:
    """Looks at one variable of a nest."""

    def __init__(self, world: World, loops: Sequence[Construct], counter: str, updates: Sequence[Assignment]) -> None:
        self.world = world
        self.loops = loops
        self.counter = counter
        self.updates = {id(u): u for u in updates if isinstance(u.target, Name) and u.target.name == counter}
        inside = [r for r in world.references if any(c is loops[0] for c in r.at.constructs)]
        self.references = [r for r in inside if r.name == counter]
        self.by_name: dict[str, list[Reference]] = {}
        for reference in inside:
            self.by_name.setdefault(reference.name, []).append(reference)
        self.calls = self._calls()

    def found(self) -> Counter | None:
        """The variable as a counter, if it is one."""
        if not self._own() or not all(map(self._fits, self.references)) or not self._in_order(self.loops[-1]):
            return None
        read = [r for r in self.references if id(r.at.statement) not in self.updates]
        if not read:
            return None  # a sum: points need not know it
        holding = self._holding(self.loops[-1].body)
        counted = [(loop, turns_of(self.world, loop)) for loop in (*self.loops, *holding)]
        spans = {id(loop): turns for loop, turns in counted if self._steady(loop, turns)}
        added = [term for u in self.updates.values() for _, term in increment(u) or ()]
        if len(spans) < len(counted) or not all(map(self._is_steady, added)):
            return None
        sums = _Sums(self.world, self.loops, spans, self.updates)
        needed = [self._innermost(r, {*map(id, holding), id(self.loops[-1])}) for r in self.references]
        starts = tuple(s for s in sums.starts() if any(s.loop is loop for loop in needed))
        made = (sums.total(), *(start.added for start in starts))
        if not self.world.scopes.is_intrinsic(_COUNTING, self.world.routine.key) and any(map(_counts, made)):
            return None
        return Counter(self.counter, starts, made[0])

    def _own(self) -> bool:
        """Whether the variable is an integer of default kind of the routine's own, which no other name reaches."""
        found = self.world.scopes.variable(self.counter, self.world.routine.key)
        routine, scopes = self.world.routine, self.world.scopes
        if self.counter in routine.spec.storage or scopes.application.routines_of(routine.key):
            return False  # it has other names, or procedures in the routine may set it
        if found is None:
            return _plain(scopes.implicit_type(self.counter, routine))
        own = found.home == routine.key and (found.home, self.counter) not in self.world.of_threads
        return own and not found.symbol.rank and _plain(found.symbol.type) and not found.symbol.attributes & _SHARED

    def _fits(self, reference: Reference) -> bool:
        """Whether a reference of the counter reads it, or is one of its updates."""
        if self.counter in aliases_of(reference.at) or reference.component:
            return False
        if id(reference.at.statement) in self.updates or reference.role == "read":
            return True
        return self._only_read(reference)

    def _only_read(self, reference: Reference) -> bool:
        """Whether a reference in a list is an index of an array or an argument of an intrinsic function."""
        call, scopes, key = reference.call, self.world.scopes, self.world.routine.key
        if reference.role != "argument" or not isinstance(call, Apply):
            return False
        if isinstance(call.base, Component):
            symbol = component(call.base, key, scopes)
            return symbol is not None and symbol.rank > 0
        if not isinstance(call.base, Name):
            return False
        found = scopes.variable(call.base.name, key)
        return found.symbol.rank > 0 if found is not None else scopes.is_intrinsic(call.base.name, key)

    def _in_order(self, loop: Construct) -> bool:
        """Whether all updates in the body of a loop are done in each of its turns: nothing jumps past them."""
        nodes, ends = loop.body, turn_ends(loop)
        places = {(n.header if isinstance(n, Construct) else n).line.label: at for at, n in enumerate(nodes)}
        places |= dict.fromkeys(ends | {"cycle"}, len(nodes))
        updated = [at for at, n in enumerate(nodes) if any(id(s) in self.updates for s in flatten((n,)))]
        for at, node in enumerate(nodes):
            for label in _ways_on(node, name_of(loop)):
                behind = places.get(label, at)  # a jump back, or out of the loop
                if behind <= at or any(at <= n < behind for n in updated):
                    return False
        return all(self._in_order(inner) for inner in self._holding(nodes))

    def _holding(self, nodes: Sequence[Node]) -> list[Construct]:
        """The loops of a body with updates in them, outer ones first."""
        found = []
        for node in nodes:
            if (
                isinstance(node, Construct)
                and node.kind == "do"
                and any(id(s) in self.updates for s in flatten((node,)))
            ):
                found += [node, *self._holding(node.body)]
        return found

    def _innermost(self, reference: Reference, loops: set[int]) -> Construct:
        return next(c for c in reversed(reference.at.constructs) if id(c) in loops)

    # -- what stays as it is

    def _calls(self) -> bool:
        """Whether a routine or a function of the user's is called in the nest, which may set variables of modules."""
        scopes, key = self.world.scopes, self.world.routine.key
        for statement in flatten((self.loops[0],)):
            if isinstance(statement, Call):
                return True
            for node in (n for expr in expressions(statement) for n in walk(expr)):
                if isinstance(node, Apply) and isinstance(node.base, Name):
                    function = node.base.name
                    if scopes.variable(function, key) is None and not scopes.is_intrinsic(function, key):
                        return True
                elif isinstance(node, Component) and component(node, key, scopes) is None:
                    return True
        return False

    def _steady(self, loop: Construct, turns: Turns) -> bool:
        """Whether a loop with a counter in it has the same turns at each point, with a step that is known."""
        step = Kinds(self.world.scopes).value(turns.step.expr, self.world.routine.key)
        inside = (r for r in self.by_name.get(turns.iterator, ()) if any(c is loop for c in r.at.constructs))
        moved = any(r.writes and r.at.statement is not loop.header for r in inside)
        return bool(step) and not moved and self._is_steady(turns.first.expr) and self._is_steady(turns.last.expr)

    def _is_steady(self, expr: Expr) -> bool:
        """Whether an integer of default kind has one value all over the nest."""
        match expr:
            case Literal():
                return expr.integer is not None and not expr.parameter
            case Paren(inner=inner) | Unary(op="+" | "-", operand=inner):
                return self._is_steady(inner)
            case Binary(op="+" | "-" | "*" | "/", left=left, right=right):
                return self._is_steady(left) and self._is_steady(right)
            case Name(name=found):
                return self._still(found, True)
            case Apply(base=Name(name=function), args=args) if function in INQUIRY and function != "kind":
                asked = base_name(args[0]) if args else None
                scopes, key = self.world.scopes, self.world.routine.key
                still = asked is not None and scopes.is_intrinsic(function, key) and self._keeps_shape(asked)
                return still and all(isinstance(a, Literal) for a in args[1:]) and isinstance(args[0], Name)
            case Component():
                return self._still_part(expr)
        return False

    def _keeps_shape(self, array: str) -> bool:
        """Whether an array has the same bounds all over the nest, whatever is set in it."""
        found = self.world.scopes.variable(array, self.world.routine.key)
        inside = self.by_name.get(array, ())
        plain = found is not None and not found.symbol.attributes & {"pointer", "allocatable"}
        return plain and not any(array in aliases_of(r.at) for r in inside)

    def _still_part(self, part: Component) -> bool:
        """The same for a component of an object, or of an object in it, such as a size of a grid."""
        symbols = []
        expr: Expr = part
        while isinstance(expr, Component):
            symbols.append(component(expr, self.world.routine.key, self.world.scopes))
            expr = expr.base
        if not isinstance(expr, Name) or any(s is None or s.rank or s.attributes & _SHARED for s in symbols):
            return False
        return symbols[0] is not None and _plain(symbols[0].type) and self._still(expr.name, False)

    def _still(self, variable: str, integer: bool) -> bool:
        """Whether nothing in the nest changes a variable; as an ``integer``, whether it is a scalar of default kind."""
        scopes, routine = self.world.scopes, self.world.routine
        found = scopes.variable(variable, routine.key)
        symbol = found.symbol if found is not None else Symbol(variable, scopes.implicit_type(variable, routine))
        if variable == self.counter or (integer and (not _plain(symbol.type) or symbol.rank)):
            return False
        if symbol.constant:
            return True
        elsewhere = variable in routine.spec.storage or (found is not None and found.home != routine.key)
        if symbol.attributes & _SHARED or (elsewhere and self.calls):
            return False
        inside = self.by_name.get(variable, ())
        read = all(r.role in ("read", "inquiry") or self._only_read(r) for r in inside)
        return read and not any(variable in aliases_of(r.at) for r in inside)


_COUNTING = "max"  # the intrinsic function by which loops have no fewer turns than none


def _counts(made: Expr) -> bool:
    """Whether an expression of sums and turns calls that function."""
    return any(isinstance(node, Apply) and base_name(node) == _COUNTING for node in walk(made))


_GO_ON = frozenset({"continue", "cycle", "exit", "stop", "errorstop"})


def _plain(ftype: FType) -> bool:
    return ftype.base == "integer" and ftype.default


class _Sums:
    """What is added to a counter, as expressions."""

    def __init__(
        self, world: World, loops: Sequence[Construct], spans: Mapping[int, Turns], updates: Mapping[int, Assignment]
    ) -> None:
        self.world = world
        self.loops = loops
        self.spans = spans
        self.updates = updates

    def starts(self) -> Iterator[Start]:
        """For each loop with updates in it, outer ones first, what has been added at the beginning of its body."""
        yield from self._starts((self.loops[-1],))

    def total(self) -> Expr:
        """What all turns of the nest add."""
        found = self._amount(self.loops[-1].body, ())
        for loop in self.loops:
            found = _times(found, self._count(loop, False))
        return found

    def _starts(self, chain: tuple[Construct, ...]) -> Iterator[Start]:
        """``chain`` has the loops from the innermost of the nest to one in it."""
        yield Start(chain[-1], self._added(chain))
        for node in chain[-1].body:
            if isinstance(node, Construct) and id(node) in self.spans:
                yield from self._starts((*chain, node))

    def _added(self, chain: tuple[Construct, ...]) -> Expr:
        """What has been added at the beginning of a turn of the last loop."""
        before: Expr = _ZERO  # points
        for loop in self.loops:
            before = _plus(_times(before, self._count(loop, True)), self._turn(loop))
        found = _times(self._amount(chain[0].body, chain), before)
        for outer, loop in pairwise(chain):
            place = next(n for n, node in enumerate(outer.body) if node is loop)
            found = _plus(found, self._amount(outer.body[:place], chain))
            found = _plus(found, _times(self._amount(loop.body, chain), self._turn(loop)))
        return found

    def _amount(self, nodes: Sequence[Node], chain: Sequence[Construct]) -> Expr:
        """What a body adds; loops of ``chain`` have at least one turn."""
        found: Expr = _ZERO
        for node in nodes:
            if id(node) in self.updates:
                found = _plus(found, self._step(self.updates[id(node)]))
            elif isinstance(node, Construct) and id(node) in self.spans:
                turns = self._count(node, any(node is loop for loop in chain))
                found = _plus(found, _times(self._amount(node.body, chain), turns))
        return found

    def _step(self, update: Assignment) -> Expr:
        found: Expr = _ZERO
        for sign, by in increment(update) or ():
            value = self._value(by)
            if value is not None:
                found = _plus(found, number(sign * value))
            elif sign > 0:
                found = _plus(found, self._written(piece(update.line.text, by)))
            else:
                found = binary(found, "-", self._written(piece(update.line.text, by)))
        return found

    def _count(self, loop: Construct, some: bool) -> Expr:
        """How many turns a loop has, in which there is one at least if ``some``."""
        low, high, step = self._upwards(loop)
        first, last = self._value(low.expr), self._value(high.expr)
        if first is not None and last is not None:
            return number(max(0, (last - first + step) // step))
        found = self._written(high)
        if first is None:
            found = plus(binary(found, "-", self._written(low)), step)
        else:
            found = plus(found, step - first)
        found = found if step == 1 else binary(found, "/", number(step))
        return found if some else apply(_COUNTING, (_ZERO, found))

    def _turn(self, loop: Construct) -> Expr:
        """How many turns of a loop are before the present one."""
        turns = self.spans[id(loop)]
        low, high, step = self._upwards(loop)
        here = name(turns.iterator)
        first = self._value(low.expr)
        if low is not turns.first:
            found = binary(self._written(high), "-", here)
        else:
            found = plus(here, -first) if first is not None else binary(here, "-", self._written(low))
        return found if step == 1 else binary(found, "/", number(step))

    def _upwards(self, loop: Construct) -> tuple[Fragment, Fragment, int]:
        """The lower and the upper bound of a loop, and the size of its step."""
        turns = self.spans[id(loop)]
        step = self._value(turns.step.expr) or 1
        return (turns.first, turns.last, step) if step > 0 else (turns.last, turns.first, -step)

    def _written(self, bound: Fragment) -> Expr:
        macros = self.world.scopes.application.macros_of(self.world.routine.key)
        return as_written(bound, {m.lower() for m in macros})

    def _value(self, expr: Expr) -> int | None:
        return Kinds(self.world.scopes).value(expr, self.world.routine.key)


_ZERO = number(0)


def _plus(left: Expr, right: Expr) -> Expr:
    if _ZERO in (left, right):
        return right if left == _ZERO else left
    one, other = _number(left), _number(right)
    if one is not None and other is not None:
        return number(one + other)
    return plus(left, other) if other is not None else binary(left, "+", right)


def _times(left: Expr, right: Expr) -> Expr:
    one, other = _number(left), _number(right)
    if one == 0 or other == 0:
        return _ZERO
    if one == 1 or other == 1:
        return right if one == 1 else left
    return number(one * other) if one is not None and other is not None else binary(left, "*", right)


def _number(expr: Expr) -> int | None:
    match expr:
        case Literal():
            return expr.integer
        case Unary(op="-", operand=Literal() as inner) if inner.integer is not None:
            return -inner.integer
    return None
