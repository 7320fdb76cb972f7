"""Random physics of columns side by side: loops over columns in loops over levels, with what is between them.

Most of what is drawn may be computed column by column, and some of it may not: neighbours, sums over columns, scalars
that carry a value from one column on, variables that columns and all share. Values are small integers, so that sums are
the same in any order. The program prints sums that tell elements apart.
"""

from __future__ import annotations

from random import Random

from tests.support import Pair

COLUMNS, LEVELS = 70, 6
GIVEN, OWN, FLAT, LEVEL = ("a", "b", "c"), ("w", "v"), ("u", "h"), ("f", "e")
UNIFORM, TURN = ("p", "q"), ("s", "t")

PROGRAM = """module {name}
  implicit none
  integer, parameter :: nc = {columns}, nl = {levels}
  type point
    integer :: x, y
  end type point
contains
{routine}
  pure integer function twice(x)
    integer, intent(in) :: x
    twice = 2*x + 1
  end function twice

  subroutine both(x, y)
    integer, intent(in) :: x
    integer, intent(inout) :: y
    y = modulo(y + 3*x, 97)
  end subroutine both

  subroutine run()
    integer :: a(nc,nl), b(nc,nl), c(nc,nl), g(nc), i, k
    do k = 1, nl
      do i = 1, nc
        a(i,k) = modulo(7*i + 3*k, 31)
        b(i,k) = modulo(5*i - k, 29)
        c(i,k) = modulo(i*k, 23)
      end do
    end do
    g = 1
    do i = 1, 2
      call work(nc, nl, a, b, c, g)
    end do
    do k = 1, nl
      print '(*(i0,1x))', (sum(a(i::7,k)), sum(b(i::7,k)), sum(c(i::7,k)), i = 1, 7)
    end do
    print '(*(i0,1x))', g(::9)
  end subroutine run
end module {name}
"""


class Columns:
    """Draws one routine."""

    def __init__(self, number: int) -> None:
        self.rng = Random(number)
        self.wild = self.rng.random() < 0.3  # whether it does what a column may not
        self.counting = self.rng.random() < 0.3
        self.rows: list[str] = []
        self.level = 2
        self.k = ""  # the variable of the loop over levels that is open

    def write(self, text: str) -> None:
        self.rows.append("  " * self.level + text)

    def some(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    # -- for all columns

    def uniform(self) -> str:
        """A value that is the same for all columns."""
        at = self.some(self.place(), self.place(), f"1+modulo({self.some(*UNIFORM)},nl)")
        return self.some(*UNIFORM, *(("k",) if self.k else ()), "nl", str(self.rng.randint(1, 9)), f"f({at})")

    def place(self) -> str:
        """A level."""
        return self.some("k", "nl+1-k", "max(k-1,1)") if self.k else str(self.rng.randint(1, LEVELS))

    def counted(self, names: tuple[str, ...]) -> str:
        """A statement in which a variable counts on."""
        name = self.some(*names)
        return f"{name} = {name} + {self.rng.randint(1, 3)}"

    def for_all(self) -> None:
        """A statement outside of the loops over columns."""
        name = self.some(*OWN)
        level = self.place()
        kinds = [
            f"{self.some(*UNIFORM)} = modulo({self.uniform()} + {self.uniform()}, 19)",
            f"{self.some(*LEVEL)}({level}) = modulo({self.uniform()} + 2, 17)",
            f"{self.some(*FLAT)} = {self.uniform()}",
            f"{name}(:,{level}) = {self.uniform()}",
            f"{name}(:,{level}) = {self.some(*GIVEN)}(:,{level}) + {self.some(*OWN)}(:,{level})",
            f"{self.some(*FLAT)}(:) = modulo({self.some(*FLAT)} + {name}(:,{level}), 13)",
            f"if ({self.uniform()} > 4) {self.some(*UNIFORM)} = {self.uniform()}",
        ]
        if self.counting:
            kinds.append(self.counted(UNIFORM))
        if self.wild and self.chance(0.3):
            kinds = [
                f"{self.some(*UNIFORM)} = modulo(sum({name}(:,{level})), 19)",
                f"{self.some(*GIVEN)}(:,{level}) = {self.uniform()}",
                f"{self.some(*TURN)} = {self.uniform()}",
                f"{self.some(*UNIFORM)} = {self.some(*TURN)}",
                f"g(:) = {self.uniform()}",
                f"{self.some(*UNIFORM)} = i",
                f"call both({self.uniform()}, {self.some(*UNIFORM)})",
                f"{self.some(*FLAT)} = cshift({self.some(*FLAT)}, 1)",
            ]
        self.write(self.rng.choice(kinds))

    # -- for a column

    def element(self, written: bool) -> str:
        names = (*GIVEN, *OWN, *OWN)
        column = "i"
        if self.wild and self.chance(0.06):
            column = self.some("nc+1-i", "max(i-1,1)", "min(i+1,nc)", "3")
        if self.chance(0.25):
            return f"{self.some(*FLAT, 'g')}({column})"
        if not written and self.chance(0.1):
            return f"{self.some(*LEVEL)}({self.place()})"
        return f"{self.some(*names)}({column},{self.place()})"

    def value(self) -> str:
        terms = [self.element(False), self.some(self.element(False), self.uniform(), *self.known)]
        if self.chance(0.15):
            terms.append(f"twice({self.element(False)})")
        return self.some(" + ", " - ", " + 2*").join(terms)

    def for_one(self, deep: int = 0) -> None:
        kind = self.rng.randint(0, 11)
        if kind <= 4:
            self.write(f"{self.element(True)} = modulo({self.value()}, 97)")
        elif kind <= 6:
            name = self.some(*TURN)
            self.write(f"{name} = modulo({self.value()}, 89)")
            self.known.add(name)
        elif kind == 7 and deep < 2:
            self.write(f"if ({self.value()} > {self.rng.randint(0, 60)}) then")
            self.body(deep + 1, self.rng.randint(1, 2))
            self.write("end if")
        elif kind == 8 and not deep:
            self.write(f"if ({self.value()} > {self.rng.randint(20, 90)}) cycle")
        elif kind == 9:
            self.write(f"call both({self.value()}, {self.element(True)})")
        elif kind == 10 and not self.k:
            self.write("do k = 2, nl")
            self.k = "k"
            self.body(deep, 1)
            self.k = ""
            self.write("end do")
        elif self.wild and self.chance(0.5):
            name = self.some(*UNIFORM, *TURN)
            self.write(
                self.some(
                    self.counted((name,)),
                    f"{name} = max({name}, {self.element(False)})",
                    f"{self.element(True)} = {name}",
                    f"if ({self.element(False)} > 20) {name} = 3",
                    f"{self.some(*LEVEL)}({self.place()}) = {self.element(False)}",
                    "if (b(i,1) == 28) exit",
                )
            )

    def body(self, deep: int, count: int) -> None:
        known = set(self.known)
        self.level += 1
        for _ in range(count):
            self.for_one(deep)
        self.level -= 1
        self.known = known

    def columns(self) -> None:
        self.known: set[str] = set()
        last = "nc - 1" if self.wild and self.chance(0.05) else "nc"
        self.write(f"do i = 1, {last}")
        self.body(0, self.rng.randint(1, 4))
        self.write("end do")

    # -- blocks

    def block(self, deep: int) -> None:
        kind = self.rng.randint(0, 9)
        if kind <= 3:
            self.columns()
        elif kind <= 5:
            self.for_all()
        elif kind <= 8 and not self.k:
            self.write(self.some("do k = 1, nl", "do k = 2, nl", "do k = nl, 2, -1"))
            self.level += 1
            self.k = "k"
            for _ in range(self.rng.randint(1, 3)):
                self.block(deep + 1)
            if self.chance(0.1):
                self.write(f"if ({self.uniform()} > 12) exit")
            self.k = ""
            self.level -= 1
            self.write("end do")
        elif deep < 2:
            self.write(f"if ({self.uniform()} > {self.rng.randint(1, 9)}) then")
            self.level += 1
            self.block(deep + 1)
            self.level -= 1
            self.write("end if")

    def routine(self) -> str:
        self.known = set()
        for name in (*OWN, *FLAT, *LEVEL, *UNIFORM, *TURN):
            self.write(f"{name} = 1")
        for _ in range(self.rng.randint(4, 7)):
            self.block(0)
        for name in GIVEN:
            if self.chance(0.7):
                self.write(f"{name}(:,1) = modulo({name}(:,1) + w(:,2) + h, 97)")
        head = [
            "  subroutine work(nc, nl, a, b, c, g)",
            "    integer, intent(in) :: nc, nl",
            "    integer, intent(inout) :: a(nc,nl), b(nc,nl), c(nc,nl), g(nc)",
            self.some(
                "    integer :: w(nc,nl), v(nc,nl), u(nc), h(nc), f(nl), e(nl)",
                "    integer, dimension(nc,nl) :: w, v\n    integer :: u(nc), h(nc), f(nl), e(nl)",
            ),
            "    integer :: p, q, s, t, i, k",
            "    i = 1",
        ]
        return "\n".join([*head, *self.rows, "  end subroutine work\n"])


def pair_of(number: int) -> Pair:
    """The program with that number, which is its own twin."""
    name = f"columns{number}"
    text = PROGRAM.format(name=name, columns=COLUMNS, levels=LEVELS, routine=Columns(number).routine())
    files = {f"{name}.f90": text}
    return Pair(name, files, files, name)
