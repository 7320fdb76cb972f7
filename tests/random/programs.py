"""Random programs of several modules, whose directives are in comments: the plain program is its own reference.

Two modules have procedures of the same names, which call each other under other names, three levels deep: drivers call
steps with regions and host statements, regions call routines for columns, these call functions. Arrays are dummies
(also one array as two of them), variables of modules, components of nested types, targets of pointers. Any write may
are under a condition. Programs have no races by construction: in a region what is written is touched at the own
point only. Values stay within [-1, 1], sums are of integers: results are compared bit by bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from hfpy.options import DomainSpec
from tests.support import Pair

SIZES = {"i": "nx", "j": "ny", "k": "nz"}
NAMES = "a b c e g h m o p q r s u v w x y z aa ab ifl do1 endx real_a in_y then_z".split()
DOMAINS = {d: DomainSpec((n,), (d,)) for d, n in SIZES.items()}


@dataclass(frozen=True)
class Array:
    """An array as a routine sees it: how it is written, its dimensions as iterators, and what it means.

    ``near``: elements of other points may be read where nobody writes; ``objects``: what it may be in memory.
    """

    text: str
    dims: str
    objects: frozenset[str]
    writable: bool = True
    target: bool = False
    integer: bool = False

    def at(self, *index: str) -> str:
        """An element or a section."""
        return f"{self.text}({','.join(index)})"


@dataclass(frozen=True)
class Dummy:
    """A dummy array of a step or a driver."""

    name: str
    dims: str
    intent: str  # in, inout; "" for targets that may be one with another
    assumed: bool

    @property
    def target(self) -> bool:
        """Whether it may be one with another dummy."""
        return not self.intent


@dataclass
class Procedure:
    """A step or a driver: its dummies, and the objects of modules that it touches, also through what it calls."""

    name: str
    module: str
    dummies: list[Dummy]
    touched: set[str] = field(default_factory=set)
    sizes: bool = False


class Maker:
    """Draws one program."""

    def __init__(self, rng: Random, name: str) -> None:
        self.rng = rng
        self.name = name
        self.rows: list[str] = []
        self.module = ""
        self.procedures: dict[str, list[Procedure]] = {}
        self.scalars: list[str] = []
        self.column_first = rng.random() < 0.6  # arrays of columns as (nz,nx,ny), else (nx,ny,nz)
        self.dynamic = rng.random() < 0.4  # allocatable arrays in modules
        self.objects = rng.random() < 0.7
        self.internal = False

    # -- small things

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def put(self, level: int, *rows: str) -> None:
        self.rows += ["  " * level + row for row in rows]

    @property
    def columns(self) -> str:
        """The dimensions of arrays of columns."""
        return "kij" if self.column_first else "ijk"

    def shape(self, dims: str) -> str:
        return ",".join(SIZES[d] for d in dims)

    # -- modules

    def make(self) -> Pair:
        """The program with a layout that may be asked for."""
        rng = self.rng
        self.data()
        for letter in "ab":
            self.procedures[letter] = []
            self.one_module(letter)
        self.main()
        text = "\n".join(folded(row) for row in self.rows) + "\n"
        order = rng.choice(("j i k", "k i j", "k j i", "i:2 k i j", "i:4 k j i", "j i:2 k i"))
        layout: dict[str, Any] = {"layout": order, "domains": DOMAINS}
        files = {f"{self.name}.f90": text}
        return Pair(self.name, files, files, self.name, layout=layout)

    def data(self) -> None:
        """The module of sizes, types and arrays."""
        rng = self.rng
        nx, ny, nz = rng.randint(3, 6), rng.randint(2, 4), rng.randint(2, 4)
        self.put(0, f"module {self.name}_data", "  implicit none")
        self.put(1, f"integer, parameter :: nx = {nx}, ny = {ny}, nz = {nz}, nw = 4")
        if self.objects:
            alloc = self.chance(0.3)
            self.inner_q = "real(8), allocatable :: q(:,:)" if alloc else "real(8) :: q(nx,ny)"
            self.put(1, "type part_t", "  real(8) :: r(nx,ny)", f"  {self.inner_q}", "end type part_t")
            self.put(1, "type field_t", "  type(part_t) :: inner", "  real(8) :: s(nx,ny)", "end type field_t")
            self.put(1, "type(field_t), target :: f")
        for name, dims in (("held", "ij"), ("kept", "ij"), ("deep", self.columns)):
            if self.dynamic:
                self.put(1, f"real(8), allocatable, target :: {name}({','.join(':' for _ in dims)})")
            else:
                self.put(1, f"real(8), target :: {name}({self.shape(dims)})")
        self.put(1, "integer :: marks(nx,ny), order(nx)")
        self.put(0, f"end module {self.name}_data")

    def globals(self) -> list[Array]:
        """The arrays of the data module."""
        found = [Array(n, "ij", frozenset([n]), target=True) for n in ("held", "kept")]
        found.append(Array("deep", self.columns, frozenset(["deep"]), target=True))
        found.append(Array("marks", "ij", frozenset(["marks"]), integer=True))
        if self.objects:
            found += [Array(t, "ij", frozenset([t]), target=True) for t in ("f%inner%r", "f%inner%q", "f%s")]
        return found

    def one_module(self, letter: str) -> None:
        """A module with functions, routines for columns, steps and drivers; the second one knows the first."""
        self.module = letter
        self.put(0, f"module {self.name}_{letter}")
        uses_data = "  use " + self.name + "_data"
        if self.chance(0.5):  # under another name
            uses_data += ", stock => held"
            self.renamed = "stock"
        else:
            self.renamed = "held"
        self.put(0, uses_data)
        other = [p for p in self.procedures.get("a", []) if letter == "b"]
        self.known = [(p, f"their_{p.name}") for p in other]
        if other:
            self.put(0, f"  use {self.name}_a, only: " + ", ".join(f"{local} => {p.name}" for p, local in self.known))
        self.put(0, "  implicit none")
        if self.chance(0.5):
            self.put(1, "private", "public :: step, swap, go")
        self.put(0, "contains")
        self.value()
        self.column()
        for name in ("step", "swap"):
            self.step(name)
        self.driver("go")
        self.put(0, f"end module {self.name}_{letter}")

    def value(self) -> None:
        """A function of two numbers."""
        rng = self.rng
        kind = "elemental" if self.chance(0.3) else "pure"
        self.put(1, f"{kind} function val(x, y) result(z)", "  real(8), intent(in) :: x, y", "  real(8) :: z")
        first = rng.choice(("0.5d0*(x - y)", "x*y", "x/(1.d0 + abs(y))", "max(x, y)*0.5d0"))
        self.put(2, f"z = {first}", f"if (x > {rng.choice(('y', '0.25d0', '-0.5d0'))}) z = 0.5d0*z + 0.25d0*y")
        self.put(1, "end function val")

    def column(self) -> None:
        """A routine for one column."""
        rng = self.rng
        assumed = self.chance(0.4)
        self.put(1, "subroutine col(c, s, x)" if assumed else "subroutine col(n, c, s, x)")
        if assumed:
            self.put(2, "real(8), intent(inout) :: c(:)")
        else:
            self.put(2, "integer, intent(in) :: n", "real(8), intent(inout) :: c(n)")
        self.column_arguments = "" if assumed else "nz, "
        self.put(2, "real(8), intent(inout) :: s", "real(8), intent(in) :: x", "real(8) :: t")
        local = self.chance(0.5)
        size = "size(c)" if assumed else "n"
        if local:
            self.put(2, f"real(8) :: w({size})")
        self.put(2, "integer :: k", "t = x")
        if local:
            self.put(2, "w = 0.125d0")
        self.put(2, f"do k = 1, {size}")
        inner = ["t = 0.5d0*t + 0.5d0*c(k)", "c(k) = 0.5d0*(val(c(k), t) + x)"]
        if local:
            inner += ["w(k) = val(t, w(k))", "c(k) = c(k)*0.5d0 + 0.25d0*w(k)"]
        if self.chance(0.6):
            inner[-1] = f"if ({rng.choice(('c(k) > t', 't.gt.x', 'k > 1 .and. t < 0.5d0'))}) {inner[-1]}"
        self.put(3, *inner)
        self.put(2, "end do", f"{rng.choice(('', 'if (x < s) '))}s = 0.5d0*s + 0.5d0*t")
        self.put(1, "end subroutine col")

    # -- steps and drivers

    def signature(self, name: str) -> Procedure:
        """Dummies with names in any order of the alphabet."""
        rng = self.rng
        names = rng.sample(NAMES, 5)
        dummies = [Dummy(names[0], "ij", "inout", self.chance(0.5))]
        dummies += [Dummy(n, "ij", "in", self.chance(0.5)) for n in names[1 : rng.randint(2, 3)]]
        if self.chance(0.5):
            dummies.append(Dummy(names[3], self.columns, rng.choice(("in", "inout")), self.chance(0.5)))
        if self.chance(0.4):  # two targets that may be one array
            dummies[0] = Dummy(names[0], "ij", "", True)
            dummies.append(Dummy(names[4], "ij", "", True))
        rng.shuffle(dummies)
        return Procedure(name, self.module, dummies, sizes=self.chance(0.3))

    def open_procedure(self, procedure: Procedure) -> list[Array]:
        """The head of a step or driver; the arrays that it sees."""
        listed = [*(("nx", "ny", "nz") if procedure.sizes else ()), *(d.name for d in procedure.dummies)]
        self.put(1, f"subroutine {procedure.name}({', '.join(listed)})")
        if procedure.sizes:
            self.put(2, "integer, intent(in) :: nx, ny, nz")
        rows = []
        shared = frozenset(f"dummy {d.name}" for d in procedure.dummies if d.target)
        arrays = []
        for d in procedure.dummies:
            shape = ",".join(":" for _ in d.dims) if d.assumed else self.shape(d.dims)
            intent = f", intent({d.intent})" if d.intent else ", target"
            rows.append(f"real(8){intent} :: {d.name}({shape})")
            own = shared if d.target else frozenset([f"dummy {d.name}"])
            arrays.append(Array(d.name, d.dims, own, d.intent != "in", d.target))
        self.rng.shuffle(rows)
        self.put(2, *rows)
        used = [x for x in self.globals() if self.chance(0.35)]
        procedure.touched |= {o for x in used for o in x.objects}
        taken = {d.name for d in procedure.dummies}
        arrays += [
            Array(self.renamed if x.text == "held" else x.text, x.dims, x.objects, True, x.target, x.integer)
            for x in used
            if x.text not in taken
        ]
        return arrays

    def step(self, name: str) -> None:
        """A routine with regions and host statements between them."""
        rng = self.rng
        procedure = self.signature(name)
        arrays = self.open_procedure(procedure)
        sizes = procedure.sizes
        self.put(2, "integer :: i, j, k, top", "real(8) :: t1, t2", "real(8) :: wk(nw)")
        local = self.chance(0.5)
        if local:
            shape = "(:,:)" if self.chance(0.4) else "(nx,ny)"
            kind = ", allocatable" if ":" in shape else ""
            self.put(2, f"real(8){kind} :: tmp{shape}")
        pointer = next((x for x in arrays if x.target and len(x.dims) == 2 and self.chance(0.4)), None)
        if pointer is not None:
            self.put(2, "real(8), pointer :: ptr(:,:)")
        self.internal = self.chance(0.3)
        self.put(2, "t1 = 0.25d0", "t2 = -0.5d0", "top = 0", "wk = 0")
        if local:
            if kind:
                self.put(2, "allocate(tmp(nx,ny))")
            self.put(2, "tmp = 0.375d0")
            arrays.append(Array("tmp", "ij", frozenset(["tmp"])))
        if pointer is not None:
            self.put(2, f"ptr => {pointer.text}")
            arrays.append(Array("ptr", "ij", pointer.objects, pointer.writable, True))
        for _ in range(rng.randint(1, 3)):
            self.region(2, arrays)
            if self.chance(0.6):
                self.host(2, arrays)
        if local and kind and self.chance(0.5):
            self.put(2, "deallocate(tmp)")
        if self.internal:
            self.put(1, "contains", "  real(8) function near(x)", "    real(8), intent(in) :: x")
            self.put(3, "near = 0.5d0*x + 0.125d0", "if (x > 0.5d0) near = -near*0.5d0")
            self.put(2, "end function near")
        self.put(1, f"end subroutine {procedure.name}")
        assert sizes == procedure.sizes
        self.internal = False
        self.procedures[self.module].append(procedure)

    def driver(self, name: str) -> None:
        """A routine that calls steps, also those of the other module, with host statements between."""
        rng = self.rng
        procedure = self.signature(name)
        arrays = self.open_procedure(procedure)
        self.put(
            2,
            "integer :: i, j, k, turn, top",
            "real(8) :: t1, t2",
            "real(8) :: wk(nw)",
            "t1 = 0.125d0",
            "t2 = 0.25d0",
            "top = 0",
        )
        mine = [(p, p.name) for p in self.procedures[self.module]]
        choices = [*mine, *self.known]
        loop = self.chance(0.4)
        if loop:
            self.put(2, "do turn = 1, 2")
        for _ in range(rng.randint(1, 3)):
            self.call(2 + loop, *rng.choice(choices), arrays, procedure)
            if self.chance(0.5):
                self.host(2 + loop, arrays)
        if loop:
            self.put(2, "end do")
        if self.chance(0.3):
            self.region(2, arrays, simple=True)
        self.put(1, f"end subroutine {procedure.name}")
        self.procedures[self.module].append(procedure)

    def call(self, level: int, callee: Procedure, local: str, arrays: list[Array], caller: Procedure | None) -> None:
        """A call with actual arguments that the language allows."""
        chosen: dict[str, Array] = {}
        for d in callee.dummies:
            fitting = []
            for x in arrays:
                if (
                    x.dims != d.dims
                    or x.integer
                    or (d.intent != "in" and not x.writable)
                    or (d.target and not x.target)
                ):
                    continue
                if x.objects & callee.touched:
                    continue
                meets = [o for o, y in zip(callee.dummies, chosen.values(), strict=False) if x.objects & y.objects]
                if all((o.intent == d.intent == "in") or (o.target and d.target) for o in meets):
                    fitting.append(x)
            if not fitting:
                return
            chosen[d.name] = self.rng.choice(fitting)
        actuals = [*(("nx", "ny", "nz") if callee.sizes else ()), *(x.text for x in chosen.values())]
        if self.chance(0.2) and not callee.sizes:  # by keywords, in any order
            pairs = [f"{n}={x.text}" for n, x in chosen.items()]
            self.rng.shuffle(pairs)
            actuals = pairs
        prefix = "if (t1 < 2.d0) " if self.chance(0.2) else ""
        self.put(level, f"{prefix}call {local}({', '.join(actuals)})")
        if caller is not None:
            caller.touched |= callee.touched

    # -- host statements

    def host(self, level: int, arrays: list[Array]) -> None:
        """A statement on the host between regions."""
        rng = self.rng
        flat = [x for x in arrays if x.dims == "ij" and not x.integer]
        written = [x for x in flat if x.writable]
        if not written:
            return
        x, y = rng.choice(written), rng.choice(flat)
        i, j = rng.randint(1, 3), rng.randint(1, 2)
        rows = rng.choice(
            (
                [f"{x.text} = 0.5d0*{x.text} + 0.25d0*{y.text}"],
                [f"{x.at(str(i), str(j))} = 0.5d0*{y.at('1', '2')}"],
                [f"{x.at(str(i), ':')} = {y.at('1', ':')}*0.5d0"],
                [f"t1 = maxval({y.text})"],
                [f"if ({y.at('2', '1')} > 0.1d0) {x.at('1', '1')} = -0.25d0"],
                [f"t2 = {y.at(str(i), str(j))}"],
                ["do j = 1, ny", f"  {x.at('1', 'j')} = 0.5d0*{x.at('1', 'j')} + 0.125d0", "end do"],
                [f"where ({y.text} > 0.3d0) {x.text} = 0.5d0*{x.text}"],
                ["if (t1 > 0.2d0) then", f"  {x.text} = -0.5d0*{x.text}", "end if"],
                [f"print '(a,es24.16)', '{x.text}', {x.at('2', '2')}"],
            )
        )
        self.put(level, *rows)

    # -- regions

    def region(self, level: int, arrays: list[Array], simple: bool = False) -> None:
        """A region over some iterators; what it writes it touches at the own point only."""
        rng = self.rng
        dims = rng.choice(("ij", "ij", "ij", "i", "ijk")) if not simple else "ij"
        full = [x for x in arrays if x.writable and set(dims) <= set(x.dims)]
        if not full:
            return
        written = rng.sample(full, min(len(full), rng.randint(1, 2)))
        taken = frozenset(o for x in written for o in x.objects)
        self.read = [x for x in arrays if not x.integer and not x.objects & taken]
        self.own = [x for x in arrays if x.objects & taken and not x.integer and set(dims) <= set(x.dims)]
        self.dims = dims
        self.scalars = []
        ends = {d: SIZES[d] for d in dims}
        starts = dict.fromkeys(dims, "1")
        attributes = [f"domName({','.join(dims)})", f"domSize({','.join(SIZES[d] for d in dims)})"]
        if self.chance(0.3):
            d = rng.choice(dims)
            starts[d] = "2"
            attributes.append(f"startAt({','.join(starts.values())})")
            if self.chance(0.5):
                ends[d] = f"{SIZES[d]} - 1"
            attributes.append(f"endAt({','.join(ends.values())})")
        reduction = "" if simple else rng.choice(("", "", "", "+", "max"))
        if reduction:
            attributes.append(f"reduction({reduction}:{'top' if reduction == '+' else 't1'})")
        if reduction == "max":
            self.reduced = "t1"
        guarded = self.chance(0.15)
        if guarded:
            self.put(level, "if (t1 < 3.d0) then")
        self.put(level, f"!@parallelRegion{{{', '.join(attributes)}}}")
        for n, d in enumerate(reversed(dims)):
            self.put(level + n, f"do {d} = {starts[d]}, {ends[d]}")
        inside = level + len(dims)
        carried = "t1" if reduction == "max" else ""
        if not simple and self.chance(0.6):
            self.put(inside, f"t2 = {self.expression(carried)}")
            self.scalars.append("t2")
        for x in written:
            self.write(inside, x, simple)
            if self.chance(0.5):
                self.write(inside, rng.choice(written), simple)
        if reduction == "+":
            self.put(inside, f"{self.maybe()}top = top + {rng.choice(('1', 'i', 'i*2'))}")
        elif reduction:
            self.put(inside, f"t1 = max(t1, {self.expression('t1')})")
        for n in reversed(range(len(dims))):
            self.put(level + n, "end do")
        self.put(level, "!@end parallelRegion")
        if guarded:
            self.put(level, "end if")
        if reduction == "+":
            self.put(level, "print *, top")

    def maybe(self) -> str:
        """A condition in front of a statement, or none."""
        return f"if ({self.condition()}) " if self.chance(0.4) else ""

    def condition(self) -> str:
        rng = self.rng
        return rng.choice(
            (
                f"{self.term()} > 0.2d0",
                f"{self.term()}.lt.{self.term()}",
                f"mod(i, 2) == {rng.randint(0, 1)}",
                f".not. {self.term()} > 0.5d0 .and. i > 1",
                f"order(i) > 2 .or. {self.term()} >= {self.term()}",
            )
        )

    def write(self, level: int, x: Array, simple: bool) -> None:
        """Statements that write an array at the own point."""
        missing = [d for d in x.dims if d not in self.dims]
        if not missing:
            self.element(level, x)
            return
        if missing == ["k"] and self.column_first and self.chance(0.5):
            column = x.at(":", "i", "j")
            self.columns_of(level, column)
            return
        for n, d in enumerate(missing):
            self.put(level + n, f"do {d} = {1 if self.chance(0.7) else 2}, {SIZES[d]}")
        outer = self.dims
        self.dims = outer + "".join(missing)
        self.element(level + len(missing), x)
        self.dims = outer
        for n in reversed(range(len(missing))):
            self.put(level + n, "end do")

    def element(self, level: int, x: Array) -> None:
        """An element gets a value, perhaps in branches."""
        rng = self.rng
        at = x.at(*x.dims)
        if x.integer:
            self.put(level, f"{self.maybe()}{at} = {at} + {rng.randint(1, 3)}")
            return
        kind = rng.random()
        if kind < 0.5:
            self.put(level, f"{self.maybe()}{at} = {self.expression()}")
        elif kind < 0.75:
            self.put(level, f"if ({self.condition()}) then", f"  {at} = {self.expression()}")
            if self.chance(0.6):
                self.put(level, "else", f"  {at} = {self.expression()}")
            self.put(level, "end if")
        elif kind < 0.88:
            self.put(level, f"select case (mod(i, {rng.randint(2, 3)}))", "case (0)", f"  {at} = {self.expression()}")
            self.put(level, "case default", f"  {self.maybe()}{at} = {self.expression()}", "end select")
        else:
            self.put(level, f"wk = {self.term()}", "do k = 2, nw" if "k" not in self.dims else "wk(1) = 0.5d0")
            if "k" not in self.dims:
                self.put(level, f"  {self.maybe()}wk(k) = 0.5d0*wk(k-1) + 0.25d0*{self.term()}", "end do")
            self.put(level, f"{at} = 0.5d0*wk(nw) + 0.5d0*{at}")

    def columns_of(self, level: int, column: str) -> None:
        """A whole column: a call, or array statements."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.6:
            if "t2" not in self.scalars:
                self.put(level, "t2 = 0.5d0")
                self.scalars.append("t2")
            self.put(level, f"{self.maybe()}call col({self.column_arguments}{column}, t2, {self.term()})")
        elif kind < 0.8:
            self.put(level, f"{column} = 0.5d0*{column} + 0.25d0*{self.term()}")
        else:
            self.put(level, f"where ({column} > {self.term()}) {column} = 0.5d0*{column}")

    # -- expressions

    def term(self) -> str:
        """A value within [-1, 1]."""
        rng = self.rng
        choices = [f"{rng.randint(1, 9)}.d-1", f"(-0.{rng.randint(1, 9)}d0)", "0.125d0*i/nx"]
        choices += self.scalars * 2
        own = [x for x in self.own if set(x.dims) <= set(self.dims)]
        choices += [x.at(*x.dims) for x in own]
        for x in self.read:
            choices += [x.at(*(self.index(d) for d in x.dims))] * 2
        return rng.choice(choices)

    def index(self, d: str) -> str:
        """An index that is within bounds."""
        rng = self.rng
        size = SIZES[d]
        if d not in self.dims:
            return rng.choice(("1", size, "2"))
        choices = [d, d, f"max({d}-1,1)", f"min({d}+1,{size})", f"{size}-{d}+1"]
        if d == "i":
            choices.append("order(i)")
        return rng.choice(choices)

    def expression(self, without: str = "") -> str:
        """A value within [-1, 1] made of some."""
        rng = self.rng
        hidden = [s for s in self.scalars if s != without]
        self.scalars, kept = hidden, self.scalars
        a, b, c = self.term(), self.term(), self.term()
        self.scalars = kept
        choices = [
            f"0.5d0*({a} + {b})",
            f"{a}*{b}",
            f"({a} - {b})/(2.d0 + abs({c}))",
            f"max({a}, min({b}, {c}))",
            f"merge({a}, {b}, {c} > 0.25d0)",
            f"sqrt(abs({a}))*{b}",
            f"val({a}, {b})",
            f"val(0.5d0*({a} + {b}), {c})*0.5d0",
            f"0.5d0*val({a}, val({b}, {c}))",
        ]
        if self.internal:
            choices += [f"near({a})", f"0.5d0*(near({b}) - {c})"]
        return rng.choice(choices)

    # -- the main module

    def main(self) -> None:
        """The module with ``run``, which calls both modules' procedures and prints everything."""
        rng = self.rng
        self.put(0, f"module {self.name}", f"  use {self.name}_data")
        called: list[tuple[Procedure, str]] = []
        for letter in "ab":
            named = [(p, f"{p.name}_{letter}") for p in self.procedures[letter]]
            self.put(0, f"  use {self.name}_{letter}, only: " + ", ".join(f"{n} => {p.name}" for p, n in named))
            called += named
        self.put(0, "  implicit none", "contains", "  subroutine run()")
        self.put(2, f"real(8), target :: x1(nx,ny), x2(nx,ny), x3({self.shape(self.columns)})")
        heap = self.chance(0.4)
        self.put(2, "real(8), allocatable, target :: x4(:,:)" if heap else "real(8), target :: x4(nx,ny)")
        self.put(2, "integer :: i, j, k, top", "real(8) :: t1, t2", "t1 = 0", "t2 = 0", "top = 0")
        if heap:
            self.put(2, "allocate(x4(nx,ny))")
        if self.dynamic:
            self.put(2, f"allocate(held(nx,ny), kept(nx,ny), deep({self.shape(self.columns)}))")
        if self.objects and "allocatable" in self.inner_q:
            self.put(2, "allocate(f%inner%q(nx,ny))")
        arrays = [Array(f"x{n}", "ij", frozenset([f"x{n}"]), target=True) for n in (1, 2, 4)]
        arrays += [Array("x3", self.columns, frozenset(["x3"]), target=True), *self.globals()]
        for number, x in enumerate(arrays):
            self.filled(x, number)
        self.put(2, "order = [(nx + 1 - i, i = 1, nx)]")
        for _ in range(rng.randint(3, 6)):
            self.call(2, *rng.choice(called), [x for x in arrays if not x.integer], None)
            if self.chance(0.3):
                self.host(2, arrays)
        for x in arrays:
            self.printed(x)
        if self.dynamic:
            self.put(2, "deallocate(held, kept, deep)")
        if self.objects and "allocatable" in self.inner_q:
            self.put(2, "deallocate(f%inner%q)")
        self.put(1, "end subroutine run")
        self.put(0, f"end module {self.name}")

    def filled(self, x: Array, number: int) -> None:
        loops = list(reversed(x.dims))
        for n, d in enumerate(loops):
            self.put(2 + n, f"do {d} = 1, {SIZES[d]}")
        value = (
            f"0.618d0*({' + '.join(f'{m}*{d}' for m, d in zip((3, 5, 7), sorted(x.dims), strict=False))} + {number})"
        )
        self.put(2 + len(loops), f"{x.at(*x.dims)} = " + ("0" if x.integer else f"2*modulo({value}, 1.d0) - 1"))
        for n in reversed(range(len(loops))):
            self.put(2 + n, "end do")

    def printed(self, x: Array) -> None:
        inner = x.at(*x.dims)
        for d in sorted(x.dims):
            inner = f"({inner}, {d}=1,{SIZES[d]})"
        form = "(a,*(i4))" if x.integer else "(a,*(es24.16))"
        self.put(2, f"print '{form}', '{x.text}', {inner}")


def folded(row: str) -> str:
    """A row as lines that are not too long."""
    if len(row) <= 120 or row.lstrip().startswith("!"):
        return row
    cut = max(row.rfind(sign, 40, 116) for sign in (", ", " + ", " - ", " > ", " = ", " ", ",", "*"))
    return f"{row[: cut + 1]} &\n{folded('      ' + row[cut + 1 :].lstrip())}"


def program_pair(rng: Random, name: str) -> Pair:
    """A random program; it is its own twin."""
    return Maker(rng, name).make()
