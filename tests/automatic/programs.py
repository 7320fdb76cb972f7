"""Random plain programs: loops, calls, conditions, index arrays, other names for arrays, components, jumps.

Nothing in them is meant to be parallel: what may be is for hfpy to find. All subscripts stay within the arrays. Values
are integers that are kept small, so that sums are the same in any order. The program prints sums that tell elements
apart.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.support import Pair

N = 24  # the most turns of a loop
LINES = ("a", "b", "c", "ga", "p", "o%c", "w")  # arrays with one dimension
PLANES = ("d", "e")
SCALARS = ("s", "t", "u", "x")

HELPERS = """
  pure integer function twice(v)
    integer, intent(in) :: v
    twice = 2*v + 1
  end function twice

  integer function counted(v)
    integer, intent(in) :: v
    integer, save :: calls = 0
    calls = calls + 1
    counted = v + modulo(calls, 3)
  end function counted

  subroutine put(v, at, where)
    integer, intent(in) :: v, at
    integer, intent(inout) :: where(-9:60)
    where(at) = modulo(where(at) + v, 997)
  end subroutine put

  subroutine row(v, r)
    integer, intent(in) :: v
    integer, intent(inout) :: r(:)
    integer :: l
    do l = 2, size(r)
      r(l) = modulo(r(l-1) + v, 997)
    end do
  end subroutine row

  subroutine outside(v)
    integer, intent(in) :: v
    g = modulo(g + v, 997)
  end subroutine outside

  subroutine told(v)
    integer, intent(in) :: v
    if (v == 5) print *, 'told', v
  end subroutine told

  subroutine halves(v, low, high)
    integer, intent(in) :: v
    integer, intent(out) :: low, high
    low = v / 2
    high = v - low
  end subroutine halves
"""


class Maker:
    """Draws one program."""

    def __init__(self, number: int) -> None:
        self.rng = Random(number)
        self.rows: list[str] = []
        self.level = 2
        self.open: list[str] = []  # variables of the loops around
        self.deep = 0
        self.labels = 0
        self.tame: frozenset[str] = frozenset()  # the arrays that a nest writes, each at its own point only

    def write(self, text: str) -> None:
        self.rows.append("  " * self.level + text)

    def some(self, *choices: str) -> str:
        return self.rng.choice(choices)

    # -- expressions

    def index(self) -> str:
        """A subscript that stays within -9 to 60."""
        if not self.open:
            return str(self.rng.randint(1, N))
        v = self.rng.choice(self.open[-2:]) if self.rng.random() < 0.8 else self.rng.choice(self.open)
        kinds = [v] * 7 + [f"{v}+{self.rng.randint(1, 3)}", f"{v}-{self.rng.randint(1, 3)}", f"2*{v}", f"n+1-{v}"]
        kinds += [f"idx({v})", f"{v}/2", f"mod({v},5)", f"2*{v}+1", str(self.rng.randint(1, N)), f"perm({v})", "m"]
        kinds += [f"max({v},3)", "jj", f"{v}+m"]
        return self.rng.choice(kinds)

    def element(self, written: bool = False) -> str:
        if self.tame and self.open:
            return self.tame_element(written)
        if self.rng.random() < 0.4:
            return f"{self.rng.choice(PLANES)}({self.index()},{self.index()})"
        names = LINES if written else (*LINES, "r")
        name = self.rng.choice(names)
        return f"int(r({self.index()}))" if name == "r" else f"{name}({self.index()})"

    def tame_element(self, written: bool) -> str:
        """An element that other points do not write; those of planes have the indices of all loops that are open."""
        names = sorted(self.tame) if written else sorted({*LINES, *PLANES} - self.tame)
        name = self.rng.choice(names)
        first, last = self.open[0], self.open[-1]
        if name in PLANES:
            return f"{name}({last},{first})" if written else f"{name}({self.index()},{first})"
        return f"{name}({first})" if written else f"{name}({self.index()})"

    def value(self) -> str:
        terms = [self.element() for _ in range(self.rng.randint(1, 2))]
        if self.rng.random() < 0.5:
            terms.append(self.some(*(() if self.tame else (*SCALARS, "g")), *self.open, "n"))
        if self.rng.random() < 0.15:
            terms.append(self.some(f"twice({self.element()})", "counted(3)", f"sum(w(1:{self.rng.randint(2, 6)}))"))
        return self.some(" + ", " - ", " + 2*").join(terms)

    def condition(self) -> str:
        left = self.some(self.element(), *(() if self.tame else SCALARS[:2]), *self.open)
        return f"{left} {self.some('>', '<', '==', '/=')} {self.rng.randint(1, 30)}"

    # -- statements

    def statement(self) -> None:
        kinds: list[tuple[int, Callable[[], None]]] = [
            (10, self.assign),
            (4, self.scalar),
            (3, self.reduction),
            (3, self.branch),
            (3, self.temporary),
            (2, self.work_array),
            (2, self.section),
            (2, self.call),
            (1, self.jump),
            (1, self.one_line),
            (1, self.associated),
            (1, self.chosen),
            (1, self.real),
            (1, self.ways),
            (2, self.over),
        ]
        if self.deep < 3:
            kinds += [(4, self.loop)]
        if self.tame:
            calm = (
                self.assign,
                self.scalar,
                self.temporary,
                self.branch,
                self.one_line,
                self.work_array,
                self.loop,
                self.ways,
                self.over,
            )
            wild = self.rng.random() < 0.08
            kinds = [k for k in kinds if wild or k[1] in calm or (k[1] == self.reduction and self.rng.random() < 0.3)]
        weights, made = zip(*kinds, strict=True)
        self.rng.choices(made, weights)[0]()

    def assign(self) -> None:
        self.write(f"{self.element(True)} = modulo({self.value()}, 997)")

    def scalar(self) -> None:
        if self.tame and self.open:
            return self.temporary()
        self.write(f"{self.some(*SCALARS, 'jj')} = modulo({self.value()}, 20)")

    def temporary(self) -> None:
        name = self.some(*SCALARS)
        self.write(f"{name} = modulo({self.value()}, 997)")
        self.write(f"{self.element(True)} = modulo({name} + {self.value()}, 997)")

    def reduction(self) -> None:
        s, v = self.some("s", "t", "g"), self.value()
        self.write(
            self.some(
                f"{s} = {s} + modulo({v}, 997)",
                f"{s} = max({s}, {v})",
                f"if ({v} < {s}) {s} = {v}",
                f"{s} = {s} - modulo({v}, 11)",
                f"if ({self.condition()}) {s} = {s} + 1",
                f"{s} = ieor({s}, {v})",
            )
        )

    def branch(self) -> None:
        self.write(f"if ({self.condition()}) then")
        self.block(1)
        if self.rng.random() < 0.5:
            self.write("else")
            self.block(1)
        self.write("end if")

    def block(self, most: int) -> None:
        self.level += 1
        for _ in range(self.rng.randint(1, most)):
            self.statement()
        self.level -= 1

    def one_line(self) -> None:
        self.write(f"if ({self.condition()}) {self.element(True)} = modulo({self.value()}, 997)")

    def work_array(self) -> None:
        last = self.rng.randint(3, 6)
        self.write(self.some("w = 0", f"w(1:{last}) = {self.some(*SCALARS)}", f"w(1) = {self.element()}"))
        at = self.rng.randint(1, last)
        self.write(f"w({at}) = w({self.rng.randint(1, last)}) + modulo({self.value()}, 97)")
        self.write(f"{self.element(True)} = modulo(w({self.rng.randint(1, last)}), 997)")

    def section(self) -> None:
        v = self.open[-1] if self.open else "3"
        first = self.rng.randint(1, 4)
        self.write(
            self.some(
                f"d(1:6,{v}) = e({first}:{first + 5},{self.index()})",
                f"d({v},:) = e({v},:)",
                f"e({v},2:8) = e({v},1:7)",
                f"where (d(1:6,{v}) > 20) d(1:6,{v}) = modulo(e(1:6,{v}), 997)",
                f"c({v}:{v}+2) = {self.some(*SCALARS)}",
            )
        )

    def call(self) -> None:
        v = self.open[-1] if self.open else "3"
        self.write(
            self.some(
                f"call put({self.element()}, {self.index()}, {self.some('a', 'b', 'ga', 'o%c')})",
                f"call row({self.element()}, d(1:9,{v}))",
                f"call row({v}, e({v},1:9))",
                f"call outside({v})",
                f"call told({v})",
                f"call halves({self.element()}, {self.some('s', 'u')}, x)",
                f"call halves({self.element()}, a({v}), b({v}))",
            )
        )

    def jump(self) -> None:
        if self.open:
            word = self.some("cycle", "cycle", "cycle", "exit", "return" if self.rng.random() < 0.1 else "cycle")
            self.write(f"if ({self.condition()}) {word}")
        else:
            self.assign()

    def associated(self) -> None:
        target = self.element(True)
        self.write(f"associate (q => {target})")
        self.write(f"  q = modulo(q + {self.some(*SCALARS)}, 997)")
        self.write("end associate")

    def chosen(self) -> None:
        self.write(f"select case (modulo({self.value()}, 3))")
        self.write("case (0)")
        self.block(1)
        self.write("case default")
        self.block(1)
        self.write("end select")

    def ways(self) -> None:
        """An arithmetic ``if`` or a computed ``go to``, with a statement or nothing after each label."""
        labels = [str(10 * (self.labels + n)) for n in range(1, self.rng.randint(2, 4))]
        self.labels += len(labels)
        first, second, third = (self.rng.choice(labels) for _ in range(3))
        listed = ", ".join(self.rng.choice(labels) for _ in range(self.rng.randint(1, 4)))
        chosen = f"go to ({listed}), modulo({self.value()}, 5)"
        self.write(
            self.some(
                f"if ({self.element()} - {self.rng.randint(1, 30)}) {first}, {second}, {third}",
                f"if ({self.value()}) {first}, {second}, {third}",
                chosen,
                f"if ({self.condition()}) {chosen}",
            )
        )
        if self.rng.random() < 0.5:
            self.block(1)
        for label in labels:
            self.rows.append(f"{label} continue")
            if self.rng.random() < 0.7:
                self.block(1)

    def over(self) -> None:
        """A jump to a label, and after it a second jump that leads over that label or out of the loop.

        What the label marks is executed by the points that took the first jump. Often these statements alone
        make the loop serial.
        """
        first, second = (10 * (self.labels + n) for n in (1, 2))
        self.labels += 2
        self.write(f"if ({self.condition()}) go to {first}")
        self.block(1)
        away = self.some(f"go to {second}", "cycle") if self.open else f"go to {second}"
        self.write(self.some("", f"if ({self.condition()}) ") + away)
        self.rows.append(f"{first} continue")
        if self.tame and self.open and self.rng.random() < 0.4:
            self.conflict()
        else:
            self.block(2)
        if away != "cycle":
            self.rows.append(f"{second} continue")

    def conflict(self) -> None:
        """An element of this point that takes in one of another point."""
        name = self.rng.choice(sorted(self.tame))
        first, last = self.open[0], self.open[-1]
        mine = f"{name}({last},{first})" if name in PLANES else f"{name}({first})"
        far = f"{name}({self.index()},{self.index()})" if name in PLANES else f"{name}({self.index()})"
        self.write(f"{mine} = modulo({far} + {self.rng.randint(1, 9)}, 997)")

    def real(self) -> None:
        self.write(f"r({self.index()}) = {self.some('0.5d0*', '')}modulo({self.value()}, 64)")

    def loop(self) -> None:
        free = [v for v in ("i", "j", "k") if v not in self.open]
        v = free[0]
        low, high = self.some("1", "1", "2", "m"), self.some("n", "n", "n-1", "12", "m+4")
        if self.open and self.rng.random() < 0.15:
            low, high = self.some((self.open[-1]), "1"), self.some("n", self.open[-1])
        step = self.some("", "", "", "", ", 2", ", 3", ", m")
        if self.rng.random() < 0.05:
            low, high, step = "n", "1", ", -1"
        self.write(f"do {v} = {low}, {high}{step}")
        self.open.append(v)
        self.deep += 1
        perfect = self.deep < 3 and self.rng.random() < 0.4
        self.level += 1
        if perfect:
            self.loop()
        else:
            for _ in range(self.rng.randint(1, 3)):
                self.statement()
        self.level -= 1
        self.deep -= 1
        self.open.pop()
        self.write("end do")

    def nests(self) -> str:
        for _ in range(self.rng.randint(3, 5)):
            arrays = [*(n for n in LINES if n != "w"), *PLANES]
            self.tame = (
                frozenset(self.rng.sample(arrays, self.rng.randint(1, 3))) if self.rng.random() < 0.6 else frozenset()
            )
            self.loop()
            self.tame = frozenset()
            if self.rng.random() < 0.3:
                self.scalar()
        return "\n".join(self.rows)


def pair_of(number: int) -> Pair:
    """A program by its number, which is its own twin."""
    maker = Maker(number)
    name = f"plain{number}"
    permuted = "modulo(7*i, 25)"  # each value once, since 7 and 25 have no common factor
    text = f"""module {name}
  implicit none
  type :: holder
    integer :: c(-9:60)
  end type holder
  integer :: g = 3, ga(-9:60)
  type(holder) :: o
contains
  subroutine run
    integer, target :: pt(-9:60)
    integer, pointer :: p(:)
    integer :: a(-9:60), b(-9:60), c(-9:60), d(-9:60,-9:60), e(-9:60,-9:60), w(-9:60), idx({N}), perm({N})
    real(8) :: r(-9:60)
    integer :: i, j, k, n, m, s, t, u, x, jj
    n = {maker.rng.randint(5, N)}
    m = {maker.rng.randint(1, 4)}
    s = 1; t = 2; u = 3; x = 4; jj = 5
    {maker.some("p(-9:60) => pt", "p(-9:60) => pt(60:-9:-1)")}
    do i = -9, 60
      a(i) = modulo(3*i, 31); b(i) = modulo(5*i, 29); c(i) = i + 9; ga(i) = modulo(i, 7); pt(i) = 2*i
      o%c(i) = modulo(11*i, 37); w(i) = 1; r(i) = 0.5d0*i
      do j = -9, 60
        d(i,j) = modulo(i*j, 41); e(i,j) = modulo(i + 3*j, 43)
      end do
    end do
    do i = 1, {N}
      idx(i) = modulo(i*i, {maker.rng.randint(5, 23)}) + 1
      perm(i) = {permuted}
    end do
    call work
    print '(12i9)', s, t, u, x, jj, g, sum(a*[(i, i=-9,60)]), sum(b*[(i, i=-9,60)]), sum(c*[(i, i=-9,60)])
    print '(6i12)', sum(ga*[(i, i=-9,60)]), sum(p*[(i, i=-9,60)]), sum(o%c*[(i, i=-9,60)]), sum(w*[(i, i=-9,60)])
    print '(f16.3)', sum(r*[(i, i=-9,60)])
    print '(2i14)', sum([((i*d(i,j) + j*d(i,j), i=-9,60), j=-9,60)]), sum([((i*e(i,j) + j*e(i,j), i=-9,60), j=-9,60)])
  contains
    subroutine work
{{nests}}
    end subroutine work
  end subroutine run
{HELPERS}
end module {name}
"""
    return Pair(name, {f"{name}.f90": ""}, {f"{name}.f90": ""}, name) if not text else _pair(name, text, maker)


def _pair(name: str, text: str, maker: Maker) -> Pair:
    text = text.replace("{nests}", maker.nests())
    return Pair(name, {f"{name}.f90": text}, {f"{name}.f90": text}, name)
