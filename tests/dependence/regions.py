"""Small regions drawn at random, as Fortran and as something that runs.

A tree of statements is printed as a module with one region, and run point by point by an interpreter that shares
nothing with hfpy: it knows which point touches which variable, through calls, dummies and index arrays.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

LOW, HIGH = -30, 70  # bounds of all arrays of the module
SHARED = ("g", "h", "st%c")  # scalars of the module
ARRAYS = ("a", "u", "st%v")
TEMPORARIES = ("s", "t", "k1", "k2", "k3")  # locals of the region's routine


class InvalidError(Exception):
    """The program may not run so: an index outside of bounds, or two names of one variable in a call."""


@dataclass
class Set:
    target: str
    value: str


@dataclass
class If:
    condition: str
    then: list
    other: list


@dataclass
class Do:
    var: str
    lower: str
    upper: str
    body: list


@dataclass
class Block:
    """A construct that :class:`Leave` leaves by its name: a ``block``, an ``if`` with a condition, or what is before a
    label.
    """

    name: str
    kind: str
    body: list


@dataclass
class Leave:
    name: str
    kind: str
    condition: str


class LeftError(Exception):
    """A construct is left."""


@dataclass
class Call:
    """``call name(args)``; for a function ``target = target + name(args)``."""

    name: str
    args: list[str]
    keywords: bool = False
    target: str = ""


@dataclass
class Routine:
    """``dummies`` are names with their kinds: in, inout (scalars), array (bounds as declared), flat (from 1)."""

    name: str
    dummies: list[tuple[str, str]]
    body: list
    function: bool = False


@dataclass
class Program:
    points: list[str]
    upper: list[str]
    body: list
    routines: list[Routine] = field(default_factory=list)

    def routine(self, name: str) -> Routine:
        return next(r for r in self.routines if r.name == name)

    def called(self) -> list[Routine]:
        """The routines that the region leads to."""
        found, pending = [], [str(self.body)]
        while pending:
            text = pending.pop()
            fresh = [r for r in self.routines if f"name='{r.name}'" in text and r not in found]
            found += fresh
            pending += [str(r.body) for r in fresh]
        return found


# -- as Fortran


def fortran(program: Program) -> str:
    """The module."""
    names, sizes = ", ".join(program.points), ", ".join(program.upper)
    rows = [
        "module m", "  implicit none", "  type box", "    integer :: c", f"    integer :: v({LOW}:{HIGH})",
        "  end type box", "  type(box) :: st", "  integer :: g, h", f"  integer :: u({LOW}:{HIGH})",
        f"  integer :: ix({LOW}:{HIGH})", "contains", "  subroutine run(n, m2, kk, a)",
        "    integer, intent(in) :: n, m2, kk", f"    integer, intent(inout) :: a({LOW}:{HIGH})",
        "    integer :: s, t, k1, k2, k3", f"    @parallelRegion{{domName({names}), domSize({sizes})}}",
        *_rows(program, program.body, "    "), "    @end parallelRegion", "  end subroutine run",
    ]  # fmt: skip
    for routine in program.routines:
        rows += _routine(program, routine)
    return "\n".join([*rows, "end module m", ""])


def _routine(program: Program, routine: Routine) -> Iterator[str]:
    word = "function" if routine.function else "subroutine"
    result = " result(res)" if routine.function else ""
    yield f"  {word} {routine.name}({', '.join(d for d, _ in routine.dummies)}){result}"
    for name, kind in routine.dummies:
        bounds = {"array": f"({LOW}:{HIGH})", "flat": f"({HIGH - LOW + 1})"}.get(kind, "")
        yield f"    integer, intent({'in' if kind == 'in' else 'inout'}) :: {name}{bounds}"
    yield f"    integer :: l, k1, k2, k3{', res' if routine.function else ''}"
    yield "    l = 1"
    if routine.function:
        yield "    res = 2"
    yield from _rows(program, routine.body, "    ")
    yield f"  end {word} {routine.name}"


def _rows(program: Program, body: list, margin: str) -> Iterator[str]:
    for node in body:
        match node:
            case Set(target=target, value=value):
                yield f"{margin}{target} = {value}"
            case If(condition=condition, then=then, other=other):
                yield f"{margin}if ({condition}) then"
                yield from _rows(program, then, margin + "  ")
                if other:
                    yield f"{margin}else"
                    yield from _rows(program, other, margin + "  ")
                yield f"{margin}end if"
            case Do(var=var, lower=lower, upper=upper, body=inner):
                yield f"{margin}do {var} = {lower}, {upper}"
                yield from _rows(program, inner, margin + "  ")
                yield f"{margin}end do"
            case Block(name=name, kind="label", body=inner):
                yield from _rows(program, inner, margin)
                yield f"{name} continue"
            case Block(name=name, kind=kind, body=inner):
                yield f"{margin}b{name}: {'if (1 < 2) then' if kind == 'if' else 'block'}"
                yield from _rows(program, inner, margin + "  ")
                yield f"{margin}end {kind} b{name}"
            case Leave(name=name, kind=kind, condition=condition):
                yield f"{margin}if ({condition}) {'go to ' if kind == 'label' else 'exit b'}{name}"
            case Call(name=name, args=args, keywords=keywords, target=target):
                dummies = program.routine(name).dummies
                listed = [f"{d}={a}" for (d, _), a in zip(dummies, args, strict=True)][::-1] if keywords else args
                text = f"{name}({', '.join(listed)})"
                yield f"{margin}{target} = 1 + {text}" if target else f"{margin}call {text}"


# -- as something that runs


@dataclass(frozen=True)
class Touched:
    """A variable, the element (nothing for a scalar), and what was written (None for a read)."""

    point: tuple[int, ...]
    name: str
    element: tuple[int, ...]
    write: bool
    value: int | None


_TOKEN = re.compile(r"(?<![\w%])([a-z]\w*(?:%[a-z]\w*)?)")
_FUNCTIONS = {"mod": "_mod", "min": "min", "max": "max", "and": "and", "or": "or"}


@dataclass
class Scope:
    """What names mean in a routine: own variables, and views of others: name, index to be added."""

    own: dict[str, int]
    views: dict[str, tuple[str, tuple[int, ...] | None, int]]


class Run:
    """One run of a region with sizes and data; what is touched is in ``touched``. Two names of one variable in a call,
    one of them written, and elements that are not there, are an error unless it is ``lenient``.
    """

    def __init__(self, program: Program, sizes: dict[str, int], data: Callable[[], int], lenient: bool = False) -> None:
        self.lenient = lenient
        self.program = program
        self.sizes = sizes
        self.data = data
        self.memory: dict[tuple[str, tuple[int, ...]], int] = {}
        self.touched: list[Touched] = []
        self.point: tuple[int, ...] = ()
        self.bound: list[tuple[str, tuple[int, ...] | None]] = []
        self.steps = 0
        self._points([], 0)

    def _points(self, values: list[int], which: int) -> None:
        """The last iterator is the outermost loop."""
        if which == len(self.program.points):
            values = values[::-1]
            self.point = tuple(values)
            own = {**self.sizes, **dict(zip(self.program.points, values, strict=True))}
            self.block(self.program.body, Scope(own, {}))
            return
        for value in range(1, self.sizes[self.program.upper[-1 - which]] + 1):
            self._points([*values, value], which + 1)

    # -- memory

    def place(self, name: str, index: list[int], scope: Scope) -> tuple[str, tuple[int, ...], bool]:
        """The variable behind a name, and whether it is meant by its own name."""
        if name in scope.views:
            base, element, shift = scope.views[name]
            return base, element if element is not None else tuple(x + shift for x in index), False
        return name, tuple(index), True

    def touch(self, name: str, index: list[int], scope: Scope, value: int | None) -> int:
        base, element, direct = self.place(name, index, scope)
        if element and not LOW <= element[0] <= HIGH and not self.lenient:
            raise InvalidError("bounds")
        active = [(b, e) for b, e in self.bound if b == base and (e is None or e == element)]
        if active and (direct or len(active) > 1) and not self.lenient:
            raise InvalidError("two names")
        key = (base, element)
        if base != "ix":
            self.touched.append(Touched(self.point, base, element, value is not None, value))
        if value is not None:
            self.memory[key] = value
        elif key not in self.memory:
            self.memory[key] = self.data()
        return self.memory[key]

    # -- expressions, by Python

    def number(self, text: str, scope: Scope) -> int:
        self.steps += 1
        if self.steps > 30_000:
            raise InvalidError("long")
        for sign, other in ((".and.", " and "), (".or.", " or "), ("/=", "!=")):
            text = text.replace(sign, other)
        return eval(_TOKEN.sub(lambda found: self._word(found[1], scope, text), text), {"S": self, "C": scope})

    def _word(self, name: str, scope: Scope, text: str) -> str:
        if name in _FUNCTIONS:
            return f"S.{_FUNCTIONS[name]}" if name == "mod" else _FUNCTIONS[name]
        if name in scope.own:
            return f"({scope.own[name]})"
        array = name in (*ARRAYS, "ix") or (name in scope.views and scope.views[name][1] is None)
        return f"S.element('{name}', C)" if array else f"S.touch('{name}', [], C, None)"

    @staticmethod
    def _mod(a: int, b: int) -> int:
        return abs(a) % abs(b) * (1 if a >= 0 else -1)

    def element(self, name: str, scope: Scope) -> Callable[[int], int]:
        return lambda index: self.touch(name, [index], scope, None)

    # -- statements

    def assign(self, target: str, value: int, scope: Scope) -> None:
        name, _, rest = target.partition("(")
        if name in scope.own:
            scope.own[name] = value
            return
        index = [self.number(rest.removesuffix(")"), scope)] if rest else []
        self.touch(name, index, scope, value)

    def block(self, body: list, scope: Scope) -> None:
        for node in body:
            match node:
                case Set(target=target, value=value):
                    self.assign(target, self.number(value, scope), scope)
                case If(condition=condition, then=then, other=other):
                    self.block(then if self.number(condition, scope) else other, scope)
                case Do(var=var, lower=lower, upper=upper, body=inner):
                    low, high = self.number(lower, scope), self.number(upper, scope)
                    for value in range(low, high + 1):
                        self.assign(var, value, scope)
                        self.block(inner, scope)
                    self.assign(var, max(low, high + 1), scope)
                case Block(name=name, body=inner):
                    try:
                        self.block(inner, scope)
                    except LeftError as left:
                        if left.args[0] != name:
                            raise
                case Leave(name=name, condition=condition):
                    if self.number(condition, scope):
                        raise LeftError(name)
                case Call(target=target):
                    value = self.call(node, scope)
                    if target:
                        self.assign(target, 1 + value, scope)

    def call(self, node: Call, scope: Scope) -> int:
        routine = self.program.routine(node.name)
        inner = Scope({**self.sizes, "l": 1, "res": 2, "k1": 0, "k2": 0, "k3": 0}, {})
        for name in ("n", "m2", "kk"):
            inner.own.pop(name)
        bound = list(self.bound)
        for (dummy, kind), arg in zip(routine.dummies, node.args, strict=True):
            if kind == "in":
                inner.own[dummy] = self.number(arg, scope)
                continue
            name, _, rest = arg.partition("(")
            if kind == "inout" and name in scope.own:
                raise InvalidError("a local of a routine")
            index = [self.number(rest.removesuffix(")"), scope)] if rest else []
            base, element, _ = self.place(name, index, scope)
            if kind in ("array", "flat"):
                inner.views[dummy] = (base, None, 0 if kind == "array" else LOW - 1)
                bound.append((base, None))
            else:
                if element and not LOW <= element[0] <= HIGH and not self.lenient:
                    raise InvalidError("bounds")
                inner.views[dummy] = (base, element, 0)
                bound.append((base, element))
        outer_bound, self.bound = self.bound, bound
        self.block(routine.body, inner)
        self.bound = outer_bound
        return inner.own["res"]


# -- what is wrong in a run

Pair = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Conflict:
    """Two points that meet in a variable; ``kind`` is ``writes`` or ``reads`` (the second reads)."""

    name: str
    element: tuple[int, ...]
    points: Pair
    kind: str


def conflicts(run: Run, own: frozenset[str], values_count: bool = True) -> Iterator[Conflict]:
    """All meetings in a run that make the result depend on the order of the points; where values do not count, those
    that write one value, too. Variables of ``own`` may be each point's own, if each sets them before it reads them: a
    local, or a scalar of the module that all points set.
    """
    writers: dict[tuple[str, tuple[int, ...]], dict[tuple[int, ...], set[int | None]]] = {}
    readers: dict[tuple[str, tuple[int, ...]], dict[tuple[int, ...], bool]] = {}  # whether before a write
    for t in run.touched:
        key = t.name, t.element
        if t.write:
            writers.setdefault(key, {}).setdefault(t.point, set()).add(t.value)
        else:
            mine = readers.setdefault(key, {})
            mine[t.point] = mine.get(t.point, False) or t.point not in writers.get(key, {})
    points = {t.point for t in run.touched}
    for key, found in writers.items():
        for one in found:
            for other, early in readers.get(key, {}).items():
                if one != other and (early or key[0] not in own):
                    yield Conflict(*key, (one, other), "reads")
        values = set().union(*found.values())
        private = key[0] in TEMPORARIES or (key[0] in own and len(found) == len(points))
        if (len(values) > 1 or not values_count) and not private:
            yield from (Conflict(*key, (one, other), "writes") for one in found for other in found if one != other)


# -- drawing


class Maker:
    """Draws programs."""

    def __init__(self, rnd: random.Random) -> None:
        self.rnd = rnd
        self.routines: list[Routine] = []
        self._blocks = 0

    def program(self) -> Program:
        """A region over one or two iterators, with up to three routines below it."""
        rnd = self.rnd
        points, upper = (["i"], ["n"]) if rnd.random() < 0.6 else (["i", "j"], ["n", "m2"])
        for number in reversed(range(rnd.choice([0, 1, 1, 2, 2, 3]))):
            self.routines.append(self._routine(number))
        names = Names(points[:], [*TEMPORARIES[:2]], ["n", "kk"], "own")
        body = self.block(names, 0, rnd.choice([1, 2, 2, 3]))
        for name in TEMPORARIES[:2]:
            if name in str(body) and rnd.random() < 0.75:
                body.insert(0, Set(name, rnd.choice([points[0], "kk + 1", f"a({points[0]})", "2"])))
        return Program(points, upper, body, self.routines)

    def _routine(self, number: int) -> Routine:
        rnd = self.rnd
        function = rnd.random() < 0.25
        dummies = [("p", "in"), ("q", "in")][: rnd.choice([1, 1, 2])]
        dummies += [("x", "inout")] if rnd.random() < 0.6 and not function else []
        dummies += [("w", rnd.choice(["array", "flat"]))] if rnd.random() < 0.4 and not function else []
        names = Names([d for d, k in dummies if k == "in"], ["l"], [], f"r{number}")
        names.scalars = [d for d, k in dummies if k == "inout"]
        names.arrays = [d for d, k in dummies if k in ("array", "flat")]
        body = self.block(names, 1, rnd.choice([1, 1, 2]))
        return Routine(f"r{number}", dummies, body, function)

    def index(self, names: Names) -> str:
        rnd = self.rnd
        v = rnd.choice(names.indices)
        texts = [v, v, v, f"{v} + 1", f"{v} - 1", f"2*{v}", f"mod({v}, 3)", f"min({v}, 2)", "1", "2", f"ix({v})"]
        texts += [f"{v} + {k}" for k in names.parameters] + [f"{v} + {w}" for w in names.indices if w != v]
        texts += [rnd.choice([names.locals[0], "g"])] if rnd.random() < 0.3 else []
        return rnd.choice(texts)

    def element(self, names: Names) -> str:
        return f"{self.rnd.choice([*ARRAYS[1 - (names.home == 'own') :], *names.arrays])}({self.index(names)})"

    def variable(self, names: Names) -> str:
        rnd = self.rnd
        if rnd.random() < 0.5:
            return self.element(names)
        return rnd.choice([*SHARED, *names.locals, *names.scalars, *names.scalars])

    def value(self, names: Names) -> str:
        rnd = self.rnd
        v = rnd.choice(names.indices)
        texts = ["1", "3", v, f"{v} + 1", self.variable(names), f"{self.variable(names)} + {v}"]
        return rnd.choice([*texts, f"max({self.variable(names)}, {v})", f"ix({v})"])

    def condition(self, names: Names) -> str:
        rnd = self.rnd
        v = rnd.choice(names.indices)
        texts = [f"{v} > 1", f"{v} == 1", f"{v} == 2", f"mod({v}, 2) == 0", f"ix({v}) > 1", f"{v} == ix(1)"]
        texts += [f"{v} == {k}" for k in names.parameters] + [f"{v} == 1 .and. ix(2) > 0", f"{self.element(names)} > 2"]
        return rnd.choice(texts)

    def block(self, names: Names, depth: int, count: int) -> list:
        return [self.statement(names, depth) for _ in range(count)]

    def statement(self, names: Names, depth: int) -> Set | If | Do | Call | Block | Leave:
        rnd = self.rnd
        if depth < 2 and not names.left and rnd.random() < 0.12:
            self._blocks += 1
            left = (str(90 + self._blocks), rnd.choice(["if", "block", "label"]))
            return Block(*left, self.block(replace(names, left=left), depth, rnd.choice([2, 3, 4])))
        if names.left and rnd.random() < 0.3:
            return Leave(*names.left, self.condition(names))
        kind = rnd.random()
        below = [r for r in self.routines if names.home == "own" or r.name > names.home]
        if below and kind < 0.45:
            return self._call(rnd.choice(below), names)
        if depth < 3 and kind < 0.6:
            other = self.block(names, depth + 1, 1) if rnd.random() < 0.3 else []
            return If(self.condition(names), self.block(names, depth + 1, 1), other)
        if depth < 2 and kind < 0.7:
            var = f"k{depth + 1}"
            inner = replace(names, indices=[*names.indices, var])
            v = rnd.choice(names.indices)
            low, high = rnd.choice([("1", "3"), ("1", v), (v, "3"), (v, f"{v} + 1")])
            return Do(var, low, high, self.block(inner, depth + 1, 1))
        value = self.value(names)
        target = self.variable(names)
        if rnd.random() < 0.25:
            value = f"{target} + {rnd.choice(names.indices)}"
        return Set(target, value)

    def _call(self, routine: Routine, names: Names) -> Call:
        rnd = self.rnd
        args = []
        for _, kind in routine.dummies:
            if kind == "in":
                args.append(rnd.choice([rnd.choice(names.indices), self.index(names), "1"]))
            elif kind == "inout":
                args.append(self.element(names) if rnd.random() < 0.6 else rnd.choice([*SHARED, *names.scalars]))
            else:
                args.append(rnd.choice([*ARRAYS[1 - (names.home == "own") :], *names.arrays]))
        target = self.variable(names) if routine.function else ""
        return Call(routine.name, args, rnd.random() < 0.3, target)


@dataclass
class Names:
    """What a statement may use: integers that are set, locals, parameters of the region, dummies."""

    indices: list[str]
    locals: list[str]
    parameters: list[str]
    home: str
    scalars: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)
    left: tuple[str, str] | None = None
