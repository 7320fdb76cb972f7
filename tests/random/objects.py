"""Programs drawn at random about objects of the points: functions, operators and constructors that give objects, calls
that set them, nested types, values that types give to components.

Every component that is read has been set, arguments of calls do not overlap, and all values stay small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.support import Pair

_NUMBERS = ("real(8)", "real(8)", "integer", "logical", "real(4)")
_CONSTANTS = {
    "real(8)": ("1.5d0", "-2.25d0", "half", "2*half", "0.125d0 + half"),
    "real(4)": ("0.5", "-1.25", "3.0"),
    "integer": ("3", "-4", "7", "two*two + 1"),
    "logical": (".true.", ".false."),
}
_AS_REAL = {"real(8)": "{}", "real(4)": "real({}, 8)", "integer": "real({}, 8)", "logical": "merge(1d0, 0d0, {})"}
_FROM_REAL = {"real(8)": "{}", "real(4)": "real({}, 4)", "integer": "int(mod({}, 50d0))", "logical": "({}) > 1d0"}


@dataclass(frozen=True)
class Part:
    """A component: its name, its type (empty: that of an inner object), and the value that the type gives it."""

    name: str
    type: str
    initial: str = ""


@dataclass(frozen=True)
class Function:
    """A function that gives an object: what it gets, objects by their types and numbers as an empty text."""

    name: str
    gives: str
    gets: tuple[str, ...]
    optional: bool


@dataclass(frozen=True)
class Scope:
    """What may be read somewhere: numbers as expressions of ``real(8)``, and objects with their types."""

    numbers: tuple[str, ...] = ()
    objects: tuple[tuple[str, str], ...] = ()


class Program:
    """The text of one program."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.rows: list[str] = []
        self.types = {"small": self._parts("s")}
        self.types["large"] = self._parts("l", inner=True)
        self.functions: list[Function] = []
        self.operator = self.random.random() < 0.5
        self.routines: list[tuple[str, str]] = []

    def text(self, module: str) -> str:
        """All of it."""
        self._module(module)
        self._functions()
        for number in range(self.random.randint(1, 3)):
            self._routine(f"set_{number}")
        self._points()
        self._run()
        return "\n".join([*self.rows, f"end module {module}"]) + "\n"

    # -- types and expressions

    def _parts(self, prefix: str, inner: bool = False) -> list[Part]:
        found = []
        for number in range(self.random.randint(2, 4)):
            kind = self.random.choice(_NUMBERS)
            initial = self.random.choice(_CONSTANTS[kind]) if self.random.random() < 0.6 else ""
            found.append(Part(f"{prefix}{number}", kind, initial))
        if inner:
            found.insert(self.random.randint(0, len(found)), Part("in", ""))
        return found

    def _leaves(self, kind: str) -> list[Part]:
        """The numbers of which an object consists, by the names that lead to them."""
        found = []
        for part in self.types[kind]:
            inner = (
                [Part(f"in%{p.name}", p.type, p.initial) for p in self._leaves("small")] if not part.type else [part]
            )
            found += inner
        return found

    def _with(self, scope: Scope, name: str, kind: str) -> Scope:
        """What may be read once an object is set."""
        numbers = tuple(_AS_REAL[p.type].format(f"{name}%{p.name}") for p in self._leaves(kind))
        return Scope(scope.numbers + numbers, (*scope.objects, (name, kind)))

    def _number(self, scope: Scope, depth: int = 1) -> str:
        if not depth or self.random.random() < 0.3:
            return self.random.choice([*scope.numbers, "1.25d0", "0.5d0"])
        one, other = (self._number(scope, depth - 1) for _ in range(2))
        forms = (f"({one}) + ({other})", f"({one}) - 0.5d0*({other})", f"min({one}, {other})", f"0.25d0*({one})")
        return self.random.choice(forms)

    def _constructor(self, kind: str, scope: Scope) -> str:
        listed: list[str] = []
        keywords = False
        for part in self.types[kind]:
            known = part.initial or (not part.type and all(p.initial for p in self._leaves("small")))
            if known and self.random.random() < 0.3:
                keywords = True
                continue
            value = _FROM_REAL[part.type].format(self._number(scope)) if part.type else self._object("small", scope, 0)
            keywords = keywords or self.random.random() < 0.2
            listed.append(f"{part.name}={value}" if keywords else value)
        return f"{kind}({', '.join(listed)})"

    def _object(self, kind: str, scope: Scope, depth: int = 2) -> str:
        there = [name for name, of in scope.objects if of == kind]
        functions = [f for f in self.functions if f.gives == kind]
        forms = ["constructor", *(["variable"] * 2 if there else [])]
        forms += ["function"] * 3 if functions and depth else []
        forms += ["operator"] * 2 if self.operator and kind == "small" and depth and self.functions else []
        match self.random.choice(forms):
            case "constructor":
                return self._constructor(kind, scope)
            case "variable":
                return self.random.choice(there)
            case "operator":
                sides = [self._object(kind, scope, depth - 1) for _ in range(2)]
                return f"({sides[0]} + {sides[1]})"
        function = self.random.choice(functions)
        given = [self._object(k, scope, depth - 1) if k else self._number(scope) for k in function.gets]
        if function.optional and self.random.random() < 0.5:
            given.append(f"factor={self._number(scope)}")
        return f"{function.name}({', '.join(given)})"

    def _sets(self, name: str, kind: str, scope: Scope, parts: Sequence[Part] | None = None) -> None:
        for part in self._leaves(kind) if parts is None else parts:
            self.rows.append(f"{name}%{part.name} = {_FROM_REAL[part.type].format(self._number(scope))}")

    # -- parts of the program

    def _module(self, name: str) -> None:
        self.rows += [f"module {name}", "implicit none"]
        if self.random.random() < 0.4:
            self.rows += ["private", "public :: run, half, two, small, large"]
        self.rows += ["real(8), parameter :: half = 0.5d0", "integer, parameter :: two = 2"]
        for kind, parts in self.types.items():
            self.rows.append(f"type {kind}")
            for part in parts:
                initial = f" = {part.initial}" if part.initial else ""
                self.rows.append(f"{part.type or 'type(small)'} :: {part.name}{initial}")
            self.rows.append("end type")
        if self.operator:
            self.rows += ["interface operator(+)", "module procedure added", "end interface"]
        self.rows.append("contains")

    def _functions(self) -> None:
        if self.operator:
            self.rows += ["pure function added(x, y) result(z)", "type(small), intent(in) :: x, y", "type(small) :: z"]
            self._sets("z", "small", self._with(self._with(Scope(), "x", "small"), "y", "small"))
            self.rows.append("end function")
        for number in range(self.random.randint(2, 4)):
            gets = tuple(self.random.choice(("small", "large", "")) for _ in range(self.random.randint(1, 2)))
            kind = self.random.choice(("small", "large"))
            self._function(Function(f"f{number}", kind, gets, self.random.random() < 0.3))

    def _function(self, function: Function) -> None:
        names = [f"x{n}" for n in range(len(function.gets))]
        listed = ", ".join([*names, *(["factor"] if function.optional else [])])
        self.rows.append(f"pure function {function.name}({listed}) result(z)")
        scope = Scope()
        for name, kind in zip(names, function.gets, strict=True):
            self.rows.append(f"{f'type({kind})' if kind else 'real(8)'}, intent(in) :: {name}")
            scope = self._with(scope, name, kind) if kind else Scope((*scope.numbers, name), scope.objects)
        self.rows += ["real(8), intent(in), optional :: factor"] if function.optional else []
        self.rows += ["real(8) :: by", f"type({function.gives}) :: z", "type(small) :: own", "by = 1"]
        self.rows += ["if (present(factor)) by = factor"] if function.optional else []
        scope = Scope((*scope.numbers, "by"), scope.objects)
        self.rows.append(f"own = {self._object('small', scope, 1)}")
        scope = self._with(scope, "own", "small")
        if self.random.random() < 0.5:
            self.rows.append(f"z = {self._object(function.gives, scope, 1)}")
        else:
            self._sets("z", function.gives, scope)
        if self.random.random() < 0.3:
            self.rows.append(f"if ({self._number(scope, 0)} > 1) return")
            self._sets("z", function.gives, scope, [self.random.choice(self._leaves(function.gives))])
        self.rows.append("end function")
        self.functions.append(function)

    def _routine(self, name: str) -> None:
        kind, intent = self.random.choice(("small", "large")), self.random.choice(("out", "out", "inout"))
        self.rows += [f"subroutine {name}(x, r)", f"type({kind}), intent({intent}) :: x", "real(8), intent(in) :: r"]
        scope = Scope(("r",))
        scope = self._with(scope, "x", kind) if intent == "inout" else scope
        if self.random.random() < 0.5:
            self.rows.append(f"x = {self._object(kind, scope, 1)}")
        else:  # the others have the values of the type, or what they had
            parts = [
                p for p in self._leaves(kind) if not (p.initial or intent == "inout") or self.random.random() < 0.5
            ]
            self._sets("x", kind, scope, parts)
        self.rows.append("end subroutine")
        self.routines.append((name, kind))

    def _points(self) -> None:
        self.rows += ["subroutine points(n, x, s, p, q)", "integer, intent(in) :: n", "real(8), intent(in) :: x(n)"]
        self.rows += ["real(8), intent(out) :: s(n)", "type(small), intent(inout) :: p(n)"]
        self.rows += ["type(large), intent(inout) :: q(n)", "type(small) :: a, b", "type(large) :: c", "integer :: i"]
        private = ", private(a, b, c)" if self.random.random() < 0.5 else ""
        self.rows += [f"!@parallelRegion{{domName(i), domSize(n){private}}}", "do i = 1, n"]
        scope = self._with(self._with(Scope(("x(i)",)), "p(i)", "small"), "q(i)", "large")
        for name, kind in (("a", "small"), ("b", "small"), ("c", "large")):
            self.rows.append(f"{name} = {self._object(kind, scope)}")
            scope = self._with(scope, name, kind)
        for _ in range(self.random.randint(3, 7)):
            self._statement(scope)
        self.rows.append(f"s(i) = {' + '.join(self.random.sample(scope.numbers, min(6, len(scope.numbers))))}")
        self.rows += ["end do", "!@end parallelRegion", "end subroutine"]

    def _statement(self, scope: Scope) -> None:
        name, kind = self.random.choice(scope.objects)
        match self.random.choice(("set", "call", "if", "part", "inner", "block")):
            case "set":
                self.rows.append(f"{name} = {self._object(kind, scope)}")
            case "call":
                routine, of = self.random.choice(self.routines)
                objects = [o for o, k in scope.objects if k == of]
                objects += [f"{o}%in" for o, k in scope.objects if k == "large" and of == "small"]
                self.rows.append(f"call {routine}({self.random.choice(objects)}, 0.5d0*({self._number(scope)}))")
            case "if":
                self.rows.append(f"if ({self._number(scope, 0)} > 1) {name} = {self._object(kind, scope, 1)}")
            case "part":
                self._sets(name, kind, scope, [self.random.choice(self._leaves(kind))])
            case "inner":
                large = self.random.choice([o for o, k in scope.objects if k == "large"])
                self.rows.append(f"{large}%in = {self._object('small', scope, 1)}")
            case "block":
                self.rows += ["block", "type(small) :: t", f"t = {self._object('small', scope, 1)}"]
                self.rows += [f"a = {self._object('small', self._with(scope, 't', 'small'), 1)}", "end block"]

    def _run(self) -> None:
        self.rows += ["subroutine run()", "integer, parameter :: n = 12", "real(8) :: x(n), s(n)"]
        self.rows += ["type(small) :: p(n)", "type(large) :: q(n)", "integer :: i", "do i = 1, n"]
        self.rows.append("x(i) = i*0.375d0 - 1")
        for name, kind in (("p(i)", "small"), ("q(i)", "large")):
            for number, part in enumerate(self._leaves(kind)):
                self.rows.append(f"{name}%{part.name} = {_FROM_REAL[part.type].format(f'i*0.25d0 + {number}')}")
        self.rows += ["end do", "call points(n, x, s, p, q)", "print '(6f14.6)', s", "do i = 1, n"]
        for name, kind in (("p(i)", "small"), ("q(i)", "large")):
            shown = (_AS_REAL[part.type].format(f"{name}%{part.name}") for part in self._leaves(kind))
            self.rows.append(f"print '(9f14.6)', {', '.join(shown)}")
        self.rows += ["end do", "end subroutine"]


def object_pair(seed: int) -> Pair:
    """A program, which is its own twin; lines are broken at blanks."""
    name = f"objects_{seed}"
    rows = []
    for row in Program(seed).text(name).splitlines():
        while len(row) > 110:
            place = row.rindex(" ", 0, 105)
            rows.append(f"{row[:place]} &")
            row = f"  & {row[place + 1 :]}"
        rows.append(row)
    files = {f"{name}.f90": "\n".join(rows) + "\n"}
    return Pair(name, files, files, name)
