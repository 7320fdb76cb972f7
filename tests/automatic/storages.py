"""Random plain programs in which one place in memory has several names.

Common blocks that routines divide in different ways, ``equivalence``, arguments that are a part of an array, pointers
that overlap, inherited components, variables of hosts and modules, entries, statement functions, calls through pointers
and objects. Loops write some of these names and read others, so that what may run in parallel depends on which names
mean the same memory. All subscripts are between 1 and 50, and all values are small integers. The programs conform to
the standard: a call sees nothing that it changes under two names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from tests.support import Pair

N = 24  # the last turn of a loop at most; the first is 3


@dataclass(frozen=True)
class View:
    """A name for the elements of an area in memory: its text with {} for a subscript, and {m} for a small one. Pieces
    of a ``plain`` one may be arguments.
    """

    area: str
    text: str
    plain: bool = True


@dataclass(frozen=True)
class Routine:
    """A routine that gets loops: its text around them, the names that it has, and what may be called there: statements,
    and functions that change nothing, with the areas that they touch.
    """

    text: str
    views: tuple[View, ...]
    calls: tuple[tuple[str, frozenset[str]], ...]
    functions: tuple[tuple[str, frozenset[str]], ...]
    scalars: tuple[str, ...]


def _areas(*names: str) -> frozenset[str]:
    return frozenset(names)


OBJECT_VIEWS = (
    View("o", "o%w({})"),
    View("o", "o%base%w({})"),
    View("z", "o%z({})"),
    View("os", "os(2)%w({})"),
    View("os", "os({m})%w({})"),
    View("os", "os({m})%base%w({})"),
)
CALLS = (
    ("call cput({value}, {index})", _areas("cb")),
    ("call gput(at={index}, v={value})", _areas("ga")),
    ("call pp({value}, {index})", _areas("cb", "ga")),
    ("call o%add({value}, {index})", _areas("o")),
    ("call os({m})%add({value}, {index})", _areas("os")),
    ("call two({value}, {index})", _areas("kept")),
    ("call three({value})", _areas("kept")),
    ("call three({value}, at={index})", _areas("kept")),
)
FUNCTIONS = (
    ("cget({index})", _areas("cb")),
    ("gget({index})", _areas("ga", "gt")),
    ("o%seen({index})", _areas("o", "z")),
    ("held({index})", _areas("kept")),
    ("scalar_sum()", _areas("sc")),
)

FIRST = Routine(
    """
  subroutine first(n, m)
    integer, intent(in) :: n, m
    integer :: p(60), q(60), s2(80), ks, kt
    integer :: ea(60), eb(60), ed(50,2), es, s, t
    integer :: i, j, k, sf
    common /cb/ p, q, s2
    common /sc/ ks, kt
    equivalence (ea(5), eb(1)), (ed(3,1), ea(1)), (s, es)
    sf(k) = p(k) + ga(k+1)
    ed = 3; ea = [(3*i, i = 1, 60)]; s = 2; t = 1
{nests}
    print '(a,6i12)', 'first', total(ea, 60), total(eb, 60), total(ed, 100), es, t, sf(3)
  end subroutine first
""",
    (
        View("cb", "p({})"),
        View("cb", "q({})"),
        View("cb", "s2({})"),
        View("e", "ea({})"),
        View("e", "eb({})"),
        View("e", "ed({},2)"),
        View("e", "ed({},1)"),
        View("ga", "ga({})"),
        View("gb", "gb({})"),
        *OBJECT_VIEWS,
    ),
    CALLS,
    (*FUNCTIONS, ("sf({index})", _areas("cb", "ga"))),
    ("s", "t", "es", "ks"),
)

SECOND = Routine(
    """
  subroutine second(n, m)
    integer, intent(in) :: n, m
    integer :: u(50,4), kk(2)
    integer, pointer :: p1(:), p2(:), p3(:), q2(:,:)
    class(base), pointer :: po
    integer, allocatable :: al(:), am(:)
    integer :: i, j, k, s, t
    common /cb/ u
    common /sc/ kk
    p1 => gt(1:55)
    p2 => gt(6:60)
    p3 => gt(60:1:-1)
    q2(1:50,1:2) => gv
    if (m > 2) p1 => gv(11:70)
    po => o
    if (m == 2) po => os(3)
    al = [(7*i, i = 1, 60)]
    s = 1; t = 5
{nests}
    call move_alloc(al, am)
    print '(a,6i12)', 'second', total(am, 60), s, t, sum(p1), sum(q2)
  end subroutine second
""",
    (
        View("cb", "u({},{m})"),
        View("cb", "u({},3)"),
        View("gt", "gt({})"),
        View("gt gv", "p1({})", False),
        View("gt", "p2({})", False),
        View("gt", "p3({})", False),
        View("gv", "q2({},1)", False),
        View("gv", "q2({},2)", False),
        View("gv", "gv({})"),
        View("o os", "po%w({})"),
        View("al", "al({})"),
        View("ga", "ga({})"),
        *OBJECT_VIEWS,
    ),
    CALLS,
    FUNCTIONS,
    ("s", "t", "kk(1)"),
)

THIRD = Routine(
    """
subroutine third_{number}(n, m, x, y, f)
  implicit integer (a-z)
  dimension x(*), y(50,*)
  external f
  common /cb/ lead(25), w(175)
  common /sc/ ks, kt
  common /own/ a(60), b(60)
  equivalence (a(7), c(1))
  dimension c(100)
  s = 1
  t = 4
  do i = 1, 60
    a(i) = 2*i
    b(i) = i
  end do
{nests}
  print '(a,6i12)', 'third', s, t, a(9), b(9), ks
end subroutine third_{number}
""",
    (
        View("cb", "w({})"),
        View("x", "x({})"),
        View("y", "y({},1)"),
        View("y", "y({},2)"),
        View("own", "a({})"),
        View("own", "b({})"),
        View("own", "c({})"),
    ),
    (("call f({value}, {index})", _areas("cb")),),
    (),
    ("s", "t", "ks"),
)

INSIDE = Routine(
    """
    subroutine inside(m)
      integer, intent(in) :: m
      integer :: i, j, k, s, lb(60)
      s = 3; lb = [(i*i, i = 1, 60)]
{nests}
      print '(a,6i12)', 'inside', s, total(lb, 60), total(la, 60), t
    end subroutine inside
""",
    (
        View("la", "la({})"),
        View("la", "lp({})", False),
        View("lb", "lb({})"),
        View("ga", "ga({})"),
        View("gt", "gt({})"),
        *OBJECT_VIEWS,
    ),
    (*CALLS, ("call hput({value}, {index})", _areas("la"))),
    (*FUNCTIONS, ("hget({index})", _areas("la"))),
    ("s", "t"),
)

TEXT = """module {name}
  implicit none
  type :: base
    integer :: w(60)
  contains
    procedure :: add => base_add
  end type base
  type, extends(base) :: more
    integer :: z(60)
  contains
    procedure :: seen
  end type more
  abstract interface
    subroutine putter(v, at)
      integer, intent(in) :: v, at
    end subroutine putter
  end interface
  integer :: ga(60), gb(60), perm(24)
  integer, target :: gt(60), gv(100)
  type(more), target :: o, os(4)
  procedure(putter), pointer :: pp
contains
  integer function total(x, n)
    integer, intent(in) :: n, x(n)
    integer :: l
    total = 0
    do l = 1, n
      total = modulo(total + l*x(l), 99991)
    end do
  end function total

  subroutine base_add(self, v, at)
    class(base), intent(inout) :: self
    integer, intent(in) :: v, at
    self%w(at) = modulo(self%w(at) + v, 997)
  end subroutine base_add

  integer function seen(self, at)
    class(more), intent(in) :: self
    integer, intent(in) :: at
    seen = self%w(at) + self%z(at+1)
  end function seen

  subroutine cput(v, at)
    integer, intent(in) :: v, at
    integer :: h1(100), h2(100)
    common /cb/ h1, h2
    h2(at) = modulo(h2(at) + v, 997)
  end subroutine cput

  integer function cget(at)
    integer, intent(in) :: at
    integer :: z(4,50)
    common /cb/ z
    cget = z(2,at)
  end function cget

  subroutine gput(v, at)
    integer, intent(in) :: v, at
    ga(at) = modulo(ga(at) + v, 997)
  end subroutine gput

  integer function gget(at)
    integer, intent(in) :: at
    gget = ga(at) + gt(at)
  end function gget

  integer function scalar_sum()
    integer :: both(2)
    common /sc/ both
    scalar_sum = both(1) + 2*both(2)
  end function scalar_sum

  subroutine two(v, at)
    integer, intent(in) :: v
    integer, intent(in), optional :: at
    integer, save :: kept(60) = 1
    integer :: held, to
    kept(at) = modulo(kept(at) + v, 997)
    return
  entry three(v, at)
    to = 1
    if (present(at)) to = at
    kept(to) = modulo(kept(to) + 2*v, 997)
  end subroutine two

  integer function held(at)
    integer, intent(in) :: at
    held = at
  end function held

  subroutine part(v, x)
    integer, intent(in) :: v
    integer, intent(inout) :: x(3)
    x(1) = v
    x(3) = modulo(x(2) + v, 997)
  end subroutine part

  integer function three_of(x)
    integer, intent(in) :: x(3)
    three_of = x(1) + 2*x(2) + x(3)
  end function three_of
{first}{second}
  subroutine run
    integer, target :: la(60)
    integer, pointer :: lp(:)
    integer :: ya(110), i, t, n, m
    integer :: c(200)
    common /cb/ c
    integer :: sc(2)
    common /sc/ sc
    external third_{number}
    n = {n}; m = {m}; t = 0; sc = [4, 9]
    c = [(modulo(3*i, 31), i = 1, 200)]
    ga = [(modulo(5*i, 37), i = 1, 60)]; gb = [(i, i = 1, 60)]; gt = [(60 - i, i = 1, 60)]; gv = [(i*i, i = 1, 100)]
    la = [(modulo(i*i, 43), i = 1, 60)]; ya = [(modulo(i, 7), i = 1, 110)]
    perm = [(modulo(7*i, 25), i = 1, 24)]
    o%w = gb; o%z = gt
    do i = 1, 4
      os(i)%w = i + gb; os(i)%z = i*gt
    end do
    lp => la(60:1:-1)
    pp => cput
    if (m > 1) pp => gput
{calls}
    print '(a,6i12)', 'run', total(c, 200), total(ga, 60), total(gb, 60), total(gt, 60), total(gv, 100), total(la, 60)
    print '(a,6i12)', 'objects', total(o%w, 60), total(o%z, 60), (total(os(i)%w, 60), i = 1, 4)
    print '(a,6i12)', 'rest', total(ya, 110), sc, t, m, n
  contains
    subroutine hput(v, at)
      integer, intent(in) :: v, at
      la(at) = modulo(la(at) + v, 997)
    end subroutine hput

    integer function hget(at)
      integer, intent(in) :: at
      hget = lp(at)
    end function hget
{inside}
  end subroutine run
end module {name}
{third}
"""


class Maker:
    """Draws the loops of one routine."""

    def __init__(self, rng: Random, routine: Routine, level: int) -> None:
        self.rng = rng
        self.routine = routine
        self.level = level
        self.rows: list[str] = []
        self.open: list[str] = []
        self.written: tuple[View, ...] = ()  # by this nest, each turn its own element
        self.apart = True  # nothing else of these areas is touched

    def write(self, text: str) -> None:
        self.rows.append("  " * self.level + text)

    def index(self) -> str:
        v = self.rng.choice(self.open) if self.open else "5"
        near = [v] * 5 + [f"{v}+{self.rng.randint(1, 3)}", f"i-{self.rng.randint(1, 2)}" if v == "i" else v]
        return self.rng.choice([*near, f"2*{v}", f"n+1-{v}+m", str(self.rng.randint(1, 50)), "m", f"{v}+m"])

    def small(self) -> str:
        return self.rng.choice(["1", "2", "4", "m", "m"])

    def named(self, view: View, index: str, small: str) -> str:
        return view.text.replace("{m}", small).replace("{}", index)

    def touched(self) -> frozenset[str]:
        return frozenset(area for view in self.written for area in view.area.split())

    def free(self, areas: frozenset[str]) -> bool:
        """Whether something that touches these areas may be written here."""
        return not (self.apart and areas & self.touched()) or self.rng.random() < 0.02

    def element(self) -> str:
        found = [v for v in self.routine.views if self.free(frozenset(v.area.split()))]
        if not found or (self.written and self.rng.random() < 0.2):
            return self.own(self.rng.choice(self.written)) if self.written else "3"
        return self.named(self.rng.choice(found), self.index(), self.small())

    def own(self, view: View) -> str:
        """The element of a view that belongs to the turn."""
        small = self.open[1] if len(self.open) > 1 else "m"
        return self.named(view, self.open[0] if self.open else "4", small)

    def value(self) -> str:
        terms = [self.element() for _ in range(self.rng.randint(1, 2))]
        if self.rng.random() < 0.4:
            terms.append(self.rng.choice([*self.open, "m", "3", *(() if self.apart else self.routine.scalars)]))
        functions = [text for text, areas in self.routine.functions if self.free(areas)]
        if functions and self.rng.random() < 0.3:
            terms.append(self.rng.choice(functions).replace("{index}", self.index()))
        plain = [v for v in self.routine.views if v.plain and self.free(frozenset(v.area.split()))]
        if plain and self.open and self.rng.random() < 0.15 and "x(*)" not in self.routine.text:
            terms.append(f"three_of({self.named(self.rng.choice(plain), self.rng.choice(self.open), self.small())})")
        return self.rng.choice([" + ", " - ", " + 2*"]).join(terms)

    def statement(self) -> None:
        kind = self.rng.random()
        if kind < 0.62 or not self.open:
            if self.apart or self.rng.random() < 0.5:
                target = self.own(self.rng.choice(self.written))
            else:
                target = self.named(self.rng.choice(self.routine.views), self.index(), self.small())
            self.write(f"{target} = modulo({self.value()}, 997)")
        elif kind < 0.72:
            name = self.rng.choice(self.routine.scalars)
            self.write(f"{name} = modulo({self.value()}, 97)")
            self.write(f"{self.own(self.rng.choice(self.written))} = {name} + {self.rng.choice(self.open)}")
        elif kind < 0.80:
            self.write(f"{self.routine.scalars[0]} = {self.routine.scalars[0]} + modulo({self.value()}, 11)")
        elif kind < 0.88:
            self.write(f"if ({self.element()} > {self.rng.randint(1, 40)}) then")
            self.level += 1
            self.statement()
            self.level -= 1
            self.write("end if")
        elif kind < 0.96:
            self.call()
        else:
            self.passed()

    def call(self) -> None:
        calls = [text for text, areas in self.routine.calls if not self.apart or not areas & self.touched()]
        if not calls:
            return
        text = self.rng.choice(calls)
        at = self.open[0] if self.rng.random() < 0.8 else self.index()
        filled = text.replace("{value}", f"({self.value()})").replace("{index}", at).replace("{m}", self.small())
        self.write(filled)

    def passed(self) -> None:
        """A call with three elements of an array."""
        plain = [v for v in self.written if v.plain]
        if plain and "x(*)" not in self.routine.text:
            start = self.rng.choice([f"3*{self.open[0]}-8" if self.rng.random() < 0.5 else self.open[0], "m"])
            view = self.rng.choice(plain)
            if start.startswith("3*") and self.rng.random() < 0.5:
                start = f"min({start}, 48)"
            elif start.startswith("3*"):
                start = self.open[0]
            self.write(f"call part(({self.value()}), {self.named(view, start, 'm')})")

    def nest(self) -> None:
        self.apart = self.rng.random() < 0.7
        self.written = tuple(self.rng.sample(self.routine.views, self.rng.randint(1, 2)))
        if self.apart and len(self.written) == 2 and self.written[0].area == self.written[1].area:
            self.written = self.written[:1]
        last = self.rng.choice(["n", "n", "n-1", "12"])
        step = self.rng.choice(["", "", "", ", 2", ", m"])
        planes = [v for v in self.written if "{m}" in v.text]
        inner = bool(planes) and len(planes) == len(self.written) and self.rng.random() < 0.7
        if inner and self.rng.random() < 0.5:
            self.write("do j = 1, m")
            self.level += 1
            inner, self.open = False, ["i", "j"]
            self.write(f"do i = 3, {last}{step}")
            self.body()
            self.level -= 1
            self.write("end do")
        else:
            self.write(f"do i = 3, {last}{step}")
            self.open = ["i"]
            self.body()
        self.open = []

    def body(self) -> None:
        self.level += 1
        for _ in range(self.rng.randint(1, 3)):
            self.statement()
        self.level -= 1
        self.write("end do")

    def nests(self) -> str:
        for _ in range(self.rng.randint(2, 4)):
            self.nest()
        return "\n".join(self.rows)


def pair_of(number: int) -> Pair:
    """A program by its number, which is its own twin."""
    rng = Random(f"storage {number}")
    name = f"stored{number}"
    text = {
        routine: which.text.replace("{number}", str(number)).replace("{nests}", Maker(rng, which, level).nests())
        for routine, which, level in (
            ("first", FIRST, 2),
            ("second", SECOND, 2),
            ("third", THIRD, 1),
            ("inside", INSIDE, 3),
        )
    }
    calls = [
        "call first(n, m)",
        "call second(n, m)",
        f"call third_{number}(n, m, la(2), ya(4), cput)",
        "call inside(m)",
    ]
    rng.shuffle(calls)
    sizes = {"n": str(rng.randint(10, N)), "m": str(rng.randint(1, 4))}
    return filled(TEXT, name, number, calls, text | sizes)


def filled(template: str, name: str, number: int, calls: Sequence[str], parts: Mapping[str, str]) -> Pair:
    """A program, which is its own twin, from a text with places in braces for its name, its calls and other parts."""
    own = {"calls": "\n".join(f"    {call}" for call in calls), "name": name, "number": str(number)}
    for place, text in {**parts, **own}.items():
        template = template.replace("{" + place + "}", text)
    return Pair(name, {f"{name}.f90": template}, {f"{name}.f90": template}, name)
