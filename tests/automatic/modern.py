"""Random plain programs in modern Fortran: objects, array expressions, pointers, constructs, in and around loops.

A loop mostly writes elements of its own turn, so that a good part of the loops may run in parallel. The programs conform
to the standard, and all their values are small integers, whatever their type. ``modernframe.py`` has the text around
the loops.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.automatic.modernframe import FIRST, INSIDE, METHOD, SECOND, TEXT, Routine, View
from tests.support import Pair

READ = {
    "int": "{}",
    "i8": "int({})",
    "i2": "int({})",
    "r4": "int({})",
    "r8": "int({})",
    "complex": "int(real({}))",
    "logical": "merge(5, 2, {})",
    "char": "iachar({})",
    "string": "iachar({}(2:2))",
    "point": "weight({})",
    "tally": "{}%turns",
}
WRITTEN = {
    "int": ("{t} = modulo({v}, 997)",),
    "i8": ("{t} = modulo({v}, 997)", "{t} = int(modulo({v}, 997), 8)"),
    "i2": ("{t} = int(modulo({v}, 997), 2)",),
    "r4": ("{t} = 0.25*modulo({v}, 64)",),
    "r8": ("{t} = 0.5d0*modulo({v}, 64)", "{t} = real(modulo({v}, 97), 8)"),
    "complex": ("{t} = cmplx(modulo({v}, 97), modulo({v}, 31), 8)", "{t}%re = modulo({v}, 97)"),
    "logical": ("{t} = {c}",),
    "char": ("{t} = achar(97 + modulo({v}, 26))",),
    "string": ("{t} = 'a'//achar(97 + modulo({v}, 26))//'z'", "{t}(2:4) = achar(98 + modulo({v}, 25))//'pq'"),
    "tally": ("{t} = {v}", "{t} = modulo({v}, 31)"),
    "point": (
        "{t} = {pt}",
        "{t} = {v}",
        "{t}%y = modulo({v}, 997)",
        "{t} = mk(y={v}, x={v})",
        "pa = {pt}; {t} = pa + {pt}",
    ),
}

# Terms, and the areas that they touch: with array values of nine elements {arr}, elements {el}, sections {sec}, points {pt}.
TERMS: tuple[tuple[str, str], ...] = tuple(
    (text, "")
    for text in (
        "twice({el})",
        "clip({el}, hi={k}+20, lo=2)",
        "clip(hi=40, v={el})",
        "fib(modulo({el}, 7))",
        "byval({el})",
        "byval(({i}))",
        "sum({arr})",
        "sum({arr}, mask={arr} > {k})",
        "maxval({arr}, mask={arr} > {k}, dim=1)",
        "minval({arr})",
        "modulo(dot_product(modulo({arr}, 97), modulo({arr}, 97)), 997)",
        "maxloc({arr}, dim=1)",
        "minloc({arr}, dim=1, back=.true.)",
        "sum(maxloc({sec}))",
        "findloc({arr}, {el}, dim=1)",
        "count({arr} > {k})",
        "count([{c}, {c}, .true.])",
        "merge({el}, {el}, {c})",
        "merge(1, 0, any({arr} == {k}))",
        "merge({k}, 0, all({sec} < 900))",
        "iand({el}, 255)",
        "ior({el}, {k})",
        "ieor({el}, {k})",
        "ishft(iand({el}, 255), {s})",
        "popcnt({el})",
        "ibits({el}, 1, 4)",
        "ibset({el}, {s})",
        "product(modulo({sec}, 3) + 1)",
        "linesum({arr})",
        "linesum({sec})",
        "sizesum(9, {sec})",
        "sizesum(x={arr}, k=9)",
        "starsum({sec}, 9)",
        "farsum({sec})",
        "weight({el})",
        "weight(0.5d0*{el})",
        "weight({pt})",
        "size(grown({sec}))",
        "sum(row_of({el}, 3))",
        "int(real(cmplx({el}, {k})*(0.0, 1.0)))",
        "level",
        "blue",
        "green",
        "int(sqrt(real({k}*{k})))",
        "nint(0.5*{el})",
        "index('abcdefg', achar(97 + modulo({el}, 8)))",
        "len_trim(repeat('a', modulo({el}, 4))//' ')",
        "scan('xyzabc', achar(97 + modulo({el}, 3)))",
        "ichar(achar(modulo({el}, 100)))",
        "sum(pack({arr}, {arr} > {k}))",
        "size(pack({sec}, {sec} > 30))",
        "sum([{el}, {el}, {i}])",
        "sum([({el}*ll, ll = 1, 3)])",
        "int(sum([integer(8) :: {el}, {k}]))",
        "int(5_8*{el}/2)",
        "sum(matmul(reshape(modulo({arr}, 31), [3, 3]), [1, 2, {k}]))",
        "sum(spread(modulo({arr}, 9), 1, 2)*2)",
        "dim({el}, {k})",
        "sign({k}, {el} - 30)",
        "max({el}, {k}, {i})",
        "min({el}, {el})",
        "norm1([{el}, {k}])",
    )
    if "norm1" not in text
) + (
    ("o%get({x})", "o"),
    ("o%plain({x})", "o"),
    ("o%field%c({x})%at%length()", "o"),
    ("big%f%get({x})", "big"),
    ("hold({three})%f%get({x})", "hold"),
    ("hold({three})%f%c({x})%w(3)", "hold"),
    ("maxval(os(1:9)%n)", "os"),
    ("sum(o%g(2,1:9:2))", "o"),
    ("sum(o%c({x})%w)", "o"),
    ("sum(os({x})%q(2:4))", "os"),
)
ARRAYS = (
    "{sec}",
    "{sec}",
    "{sec}",
    "row_of({el}, 9)",
    "cshift({arr}, {s})",
    "cshift({sec}, -{s})",
    "eoshift({arr}, {s})",
    "eoshift({sec}, -1, boundary={el})",
    "merge({arr}, {arr}, {sec} > {k})",
    "({arr} + {arr})",
    "({arr} - {el})",
    "(-{sec})",
    "twice({arr})",
    "grown({sec})",
    "weight({sec})",
    "[({el} + ll, ll = 1, 9)]",
    "[{el}, row_of({k}, 8)]",
    "reshape(transpose(reshape({arr}, [3, 3])), [9])",
    "reshape({sec}, [9], order=[1])",
    "pack({sec}, {arr} > {k}, vector={arr})",
    "unpack({arr}, {sec} > {k}, {arr})",
    "sum(spread({sec}, 2, 3), dim=2)",
    "maxval(reshape([{arr}, {arr}], [9, 2]), dim=2)",
    "count(reshape([{arr}, {arr}], [9, 2]) > {k}, dim=2)",
    "matmul(reshape([(modulo({el} + ll, 11), ll = 1, 27)], [9, 3]), [1, {k}, 2])",
    "matmul([1, 2], reshape([modulo({arr}, 31), modulo({arr}, 31)], [2, 9]))",
    "spread({el}, 1, 9)",
    "modulo({arr}, 7)",
    "iand({arr}, 15)",
    "abs({arr})",
    "max({arr}, {arr})",
)
# Statements: {own} is an integer of the turn, {line} nine of them; {set} and {setline} set such; {t} is a temporary.
STATEMENTS: tuple[tuple[int, str], ...] = (
    (14, "{set}"),
    (5, "{setline}"),
    (4, "{t} = modulo({v}, 97)\n{own} = modulo({t} + {v}, 997)"),
    (3, "if ({c}) then\n  {stmt}\nelse if ({c}) then\n  {stmt}\nelse\n  {stmt}\nend if"),
    (2, "if ({c}) {own} = modulo({v}, 997)"),
    (
        2,
        "block\n  integer :: tb, wb(9)\n  integer, allocatable :: ab(:)\n  tb = {v}\n  wb = {arr}\n  wb({s}) = tb\n"
        "  ab = wb(3:9)\n  {own} = modulo(wb({s}) + ab(2) + size(ab), 997)\nend block",
    ),
    (1, "block\n  integer :: wb(m)\n  wb = {el}\n  wb(2) = {i}\n  {own} = modulo(sum(wb), 997)\nend block"),
    (1, "part{n}: block\n  if ({c}) exit part{n}\n  {own} = modulo({v}, 997)\nend block part{n}"),
    (1, "check{n}: if ({c}) then\n  if ({c}) exit check{n}\n  {stmt}\nend if check{n}"),
    (2, "associate (qa => {own}, qb => {v})\n  qa = modulo(qa + qb, 997)\nend associate"),
    (2, "associate (qa => {line})\n  qa(2:9) = modulo(qa(1:8) + {v}, 997)\n  qa(1) = {k}\nend associate"),
    (1, "associate (qa => row_of({el}, 9), qb => {line})\n  qb = modulo(qa + qb, 997)\nend associate"),
    (1, "associate (qc => {pt})\n  {own} = modulo(qc%x + qc%length(), 997)\nend associate"),
    (2, "where ({arr} > {k})\n  {setarr}\nelsewhere ({sec} < {k})\n  {setarr}\nelsewhere\n  {setarr}\nend where"),
    (1, "where ({line} > {k}) {line} = modulo({arr}, 997)"),
    (1, "forall (ll = 1:9, ll /= {s}) {atll} = modulo({calm} + ll, 997)"),
    (1, "do concurrent (ll = 1:9, {calm} > {k})\n  {atll} = modulo(ll + {calm}, 997)\nend do"),
    (3, "do ll = 1, {nine}\n  {atll} = modulo({v} + ll, 997)\nend do"),
    (2, "do ll = {nine}, 1, -1\n  if ({c}) cycle\n  {atll} = modulo({v} + ll, 997)\nend do"),
    (
        2,
        "deep{n}: do ll = 2, 9\n  inner{n}: block\n    if ({c}) cycle deep{n}\n    if ({c}) exit inner{n}\n"
        "    if ({c}) exit deep{n}\n    {atll} = modulo({v}, 997)\n  end block inner{n}\nend do deep{n}",
    ),
    (2, "{t} = {k}\ndo while ({t} < 40)\n  {t} = 2*{t} + 1 + modulo({el}, 3)\nend do\n{own} = {t}"),
    (1, "{t} = {el}\ndo\n  if ({t} < 10) exit\n  {t} = {t}/2\nend do\n{own} = {t}"),
    (
        2,
        "select case (modulo({v}, 9))\ncase (:1)\n  {stmt}\ncase (2, 4:5)\n  {stmt}\ncase default\n  {stmt}\nend select",
    ),
    (
        1,
        "select case (achar(97 + modulo({el}, 9)))\ncase ('a':'c')\n  {stmt}\ncase ('d', 'f')\n  {stmt}\nend select",
    ),
    (1, "wk = {arr}\n{own} = modulo(wk({s}) + size(wk), 997)"),
    (1, "wk = [{arr}, {el}]\nwk({s}) = 5\n{own} = modulo(sum(wk), 997)"),
    (1, "if (allocated(wk)) deallocate(wk)\nallocate(wk(9), source={arr})\n{own} = modulo(wk(2) + wk(9), 997)"),
    (1, "wk = {arr}\ncall move_alloc(wk, wl)\nwk = wl(1:3)\n{own} = modulo(wl(4) + wk(2), 997)"),
    (2, "pa = {pt}\npb = pa .with. {pt}\n{own} = modulo(pb%x + pa%length(), 997)"),
    (1, "ta = {el}\n{own} = modulo(ta%v + ta%turns, 997)"),
    (1, "ta = tally(2, 3)\nta = {el}\n{own} = modulo(ta%v + ta%turns, 997)"),
    (1, "pa%x = {v}\npa%y = {i}\n{own} = modulo(weight(pa), 997)"),
    (
        1,
        "ce = cell(mk({v}), n={v}, w={k}, q=null())\nce%q = row_of({el}, 2)\nce%w({s}) = {i}\n{own} = modulo(sum(ce%w) + ce%q(1), 997)",
    ),
    (1, "call into(ce, ({v}))\n{own} = modulo(ce%n + ce%w(3) + ce%at%y, 997)"),
    (1, "str = achar(97 + modulo({el}, 26))//'bc'\n{own} = index(str, 'c') + iachar(str(1:1)) + len_trim(str)"),
    (2, "call row(({v}), {line})"),
    (2, "call sized(9, {line}, ({v}))"),
    (1, "call sized(k=9, r={line})"),
    (1, "call starred(({v}), {line}, 9)"),
    (1, "call row(r={line}, v={i})"),
    (1, "call swap({line}, {line2})"),
    (2, "call maybe({own}, k=({v}))"),
    (1, "call maybe(k={k}, v=({v}), out={own})"),
    (1, "call maybe({t}, {k}, ({el}))\n{own} = {t}"),
    (1, "call gappy({line}, {el})"),
    (2, "s = s + modulo({v}, 11)"),
    (1, "t = max(t, {v})"),
    (1, "if ({c}) u = u + 1"),
    (1, "l8 = {i} + {el}\n{own} = int(modulo(l8, 997_8))"),
)
# Statements with areas that they touch besides the turn's own.
MORE: tuple[tuple[int, str, str], ...] = (
    (1, "pl => gt2(1:9,{x})\n{own} = modulo(sum(pl) + pl(2), 997)", "gt2"),
    (1, "pl(0:8) => gt2(2:10,{x})\n{own} = modulo(pl(0) + pl(8), 997)", "gt2"),
    (1, "pq(1:3,0:2) => gt2(1:9,{x})\n{own} = modulo(pq(2,0) + sum(pq(:,1)), 997)", "gt2"),
    (1, "pl => o%c({x})%w\n{own} = modulo(pl(3) + size(pl), 997)", "o"),
    (1, "associate (f => os({x}))\n  {own} = modulo(f%n + f%w(2) + {v}, 997)\nend associate", "os"),
    (1, "associate (f => o%c({x})%w)\n  {own} = modulo(f(2) + sum(f), 997)\nend associate", "o"),
    (
        1,
        "select type (f => hold({three})%f)\ntype is (more)\n  {own} = f%extra({x})\nclass default\n  {own} = f%al({x})\n"
        "end select",
        "hold",
    ),
    (1, "select type (f => big%f)\nclass is (field)\n  {own} = modulo(f%al({x}) + f%c(3)%n, 997)\nend select", "big"),
    (1, "ce = os({x})\nce%w({s}) = {v}\n{own} = modulo(ce%w(2) + ce%w({s}) + ce%q(3), 997)", "os"),
)
OWNED: tuple[tuple[int, str, str], ...] = (
    (2, "call into(os({i}), ({v}))", "os"),
    (1, "os({i}) = cell(mk({v}), {k}, {arr12})\nos({i})%q = {arr12}", "os"),
    (1, "os({i})%q = {arr12}", "os"),
    (1, "pl => gt2(1:9,{i})\npl(3) = {k}\npl = modulo(pl + {v}, 997)", "gt2"),
    (1, "pq(1:3,0:2) => gt2(1:9,{i})\npq(2,:) = modulo(pq(1,:) + {v}, 997)", "gt2"),
    (1, "call o%put({i}, ({v}))", "o"),
    (1, "call into(o%c({i}), ({v}))", "o"),
    (1, "o%c({i}) = os({i})", "o"),
    (1, "call big%f%put(at={i}, v=({v}))", "big"),
    (1, "pts({i}) = pts({i}) + pts({i})", "pts"),
    (1, "associate (f => os({i}))\n  f%n = {k}\n  f%w(2:4) = f%w(1:3)\nend associate", "os"),
    (1, "associate (f => o%c({i})%w)\n  f(2:) = f(:11)\n  f(1) = {i}\nend associate", "o"),
)
BETWEEN: tuple[tuple[str, str], ...] = (
    ("ga = ga(30:1:-1)", ""),
    ("ga(1:9) = {arr}", ""),
    ("gt2(2:10,3) = {arr}", ""),
    ("where (g2 > 40) g2 = g2 - 1", ""),
    ("g2 = cshift(g2, 1, dim=2)", ""),
    ("os%n = os%w(2)", ""),
    ("os(2:8) = os(3:9)", ""),
    ("pts = pts(30:1:-1)", ""),
    ("pts%x = ga", ""),
    ("kp%v = ga", ""),
    ("o%al = o%al(30:1:-1)", "o"),
    ("o%p => g3(:,2)", "op"),
    ("o%g = g2; o%c = os", "o"),
    ("hold(3)%f%c = hold(1)%f%c", "hold"),
    ("deallocate(big%f%al); allocate(big%f%al, source=ga)", "big"),
    ("deallocate(hold(1)%f); allocate(hold(1)%f, source=hold(2)%f)", "hold"),
    ("call raise({k})", ""),
    ("call set3(gt)", ""),
    ("gt = gt + level", ""),
    ("idx = perm(30:1:-1)", ""),
)


def broken(row: str) -> str:
    """A line in pieces that are short enough, broken behind commas."""
    rows = []
    while len(row) > 125:
        at = row.rfind(", ", 0, 120) + 1
        rows.append(row[:at] + " &")
        row = "      " + row[at:].lstrip()
    return "\n".join([*rows, row])


class Maker:
    """Draws the loops of one routine."""

    def __init__(self, rng: Random, routine: Routine, level: int) -> None:
        self.rng = rng
        self.routine = routine
        self.level = level
        self.rows: list[str] = []
        self.i = "5"  # the long index of the turn
        self.j = ""  # the short one
        self.owned: tuple[View, ...] = ()
        self.tame = True
        self.pure = False  # within do concurrent
        self.depth = 0
        self.number = 0
        areas = {area for v in routine.views for area in v.area.split()}
        self.absent = {"o", "op", "big", "hold"} - areas if "o" not in areas else set()

    # -- what may be touched

    def free(self, areas: str) -> bool:
        found = set(areas.split())
        if found & self.absent:
            return False
        return not (self.tame and found & self.touched())

    def touched(self) -> set[str]:
        return {area for view in self.owned for area in view.area.split()}

    def index(self) -> str:
        v = self.i
        if v.isdigit():
            return str(self.rng.randint(1, 24))
        forms = [v] * 4 + [f"{v}+{self.rng.randint(1, 3)}", f"max({v}-1, 1)", f"n+1-{v}", f"perm({v})", f"idx({v})"]
        return self.rng.choice([*forms, str(self.rng.randint(1, 24)), f"mod({v}, 5)+1", "m"])

    def short(self) -> str:
        forms = [str(self.rng.randint(1, 9)), "m"]
        return self.rng.choice([*forms, *(4 * [self.j]), f"{self.j}+1"] if self.j else forms)

    def placed(self, view: View, long: str, short: str, tiny: str | None = None) -> str:
        tiny = tiny or str(self.rng.randint(1, 4))
        return view.text.replace("{L}", long).replace("{S}", short).replace("{K}", tiny)

    def own_of(self, view: View, short: str = "") -> str:
        """An element that belongs to the turn."""
        return self.placed(view, self.i, short or self.j or self.short(), "2")

    def readable(self) -> list[View]:
        return [v for v in self.routine.views if self.free(v.area) and not (self.pure and "class" in v.kind)]

    def element(self) -> str:
        if self.owned and self.rng.random() < 0.3 or not self.readable():
            view = self.rng.choice(self.owned)
            return READ[view.kind].replace("{}", self.own_of(view))
        view = self.rng.choice(self.readable())
        return READ[view.kind].replace("{}", self.placed(view, self.index(), self.short()))

    def section(self, size: int = 9) -> str:
        found = [v for v in self.readable() if v.kind == "int" and "%" not in v.text.split("{")[-1]]
        own = [v for v in self.owned if v.wide]
        if own and not self.j and self.rng.random() < 0.25:
            return self.own_of(self.rng.choice(own), f"1:{size}")
        whole = [v for v in found if v.text.count("(") == 1]
        if not whole:
            return f"row_of({self.k()}, {size})"
        view = self.rng.choice(whole)
        a = self.rng.randint(1, 3)
        short = self.rng.choice([f"{a}:{a + size - 1}", f"{size + a - 1}:{a}:-1"])
        wide = [short, f"1:{2 * size - 1}:2", f"perm({a}:{a + size - 1})", f"idx({a}:{a + size - 1})"]
        if "{S}" in view.text and self.rng.random() < 0.6:
            return self.placed(view, self.index(), short)
        return self.placed(view, self.rng.choice(wide), self.short())

    # -- words of templates

    def k(self) -> str:
        return str(self.rng.randint(3, 60))

    def value(self) -> str:
        self.depth += 1
        terms = [self.term() for _ in range(self.rng.randint(1, 2))]
        self.depth -= 1
        return self.rng.choice([" + ", " - ", " + 2*"]).join(terms)

    def term(self) -> str:
        draw = self.rng.random()
        if draw < 0.45 or self.depth > 3:
            return self.element()
        if draw < 0.55:
            value = f"int({self.i})" if self.i == "l8" else self.i
            return self.rng.choice([value, "m", self.k(), *([self.j] if self.j else [])])
        if draw < 0.62 and self.routine.terms and not self.pure:
            text = self.rng.choice(self.routine.terms)
            text = text if self.terms_free(text) else "{el}"
        else:
            text, areas = self.rng.choice(TERMS)
            if not self.free(areas) or (self.pure and ("grown" in text or "farsum" in text)) or self.clashes(text):
                text = "{el}"
        return self.fill(text)

    def clashes(self, text: str) -> bool:
        """Whether it declares the index that is in use, or reads the array that a function reads."""
        return ("ll =" in text and self.busy) or ("farsum" in text and not self.free("ga"))

    busy = False

    def terms_free(self, text: str) -> bool:
        """Whether no name in a term of the routine is that of an area which the nest sets."""
        areas = self.touched() if self.tame else set()
        if "hosted" in text and areas & {"ha", "hb", "hd"}:
            return False
        return not any(re.search(rf"\b{area}\b", text) for area in areas)

    def array(self) -> str:
        self.depth += 1
        text = self.rng.choice(ARRAYS) if self.depth < 4 else "{sec}"
        if self.clashes(text) or (self.pure and "grown" in text):
            text = "{sec}"
        made = self.fill(text)
        self.depth -= 1
        return made

    def condition(self) -> str:
        text = self.rng.choice(
            ["{el} > {k}", "{el} > {k}", "{i} /= {s}", "{el} < {el}", "any({arr} > 900)", "btest({el}, 2)"]
            + ["{el} > {k} .and. {el} < 800", "{el} == {el} .neqv. {i} > 7", "all({sec} >= 3)"]
        )
        self.depth += 1
        made = self.fill(text if self.depth < 4 else "{el} > {k}")
        self.depth -= 1
        return made

    def point(self) -> str:
        found = [v for v in self.readable() if v.kind == "point"]
        known = [self.placed(v, self.index(), "3") for v in found[:3]]
        self.depth += 1
        text = self.rng.choice(["mk({el}, {k})", "mk(y={el}, x={i})", "point({k}, y={k})", "({pt} + {pt})"])
        text = self.rng.choice([text, "({pt} .with. {pt})", "pick"]) if self.depth < 4 else "pick"
        made = (
            (self.rng.choice(known) if known else "pts(3)" if self.free("pts") else "mk(3)") if text == "pick" else ""
        )
        made = made or self.fill(text)
        self.depth -= 1
        return made

    def integer_own(self) -> View:
        return self.rng.choice([v for v in self.owned if v.kind == "int"])

    def line(self) -> str:
        wide = [v for v in self.owned if v.wide]
        return self.own_of(self.rng.choice(wide), "1:9") if wide and not self.j else ""

    def set_own(self) -> str:
        view = self.rng.choice(self.owned)
        text = self.rng.choice(WRITTEN[view.kind])
        if self.pure and "pa =" in text:
            text = WRITTEN[view.kind][0]
        if not self.tame and self.rng.random() < 0.4:
            view = self.rng.choice([v for v in self.routine.views if self.free(v.area)])
            return self.fill(WRITTEN[view.kind][0].replace("{t}", self.placed(view, self.index(), self.short())))
        return self.fill(text.replace("{t}", self.own_of(view)))

    def fill(self, template: str) -> str:
        """A template with its words drawn; some words mean the same each time."""
        self.number += 1
        same: dict[str, str] = {"n": str(self.number), "t": self.rng.choice(["t1", "t2", "t3"])}
        if "{line" in template or "{setarr}" in template or "{atll}" in template or "{setline}" in template:
            wide = [v for v in self.owned if v.wide]
            if not wide or self.j:
                return self.set_own() if "{line}" not in template or "(" not in template else self.set_own()
            view = self.rng.choice(wide)
            same["line"] = self.own_of(view, "1:9")
            same["atll"] = self.own_of(view, "ll")
            if "{line2}" in template:
                others = [v for v in wide if v.area != view.area]
                if not others:
                    return self.set_own()
                same["line2"] = self.own_of(self.rng.choice(others), "1:9")
        if "{own}" in template:
            same["own"] = self.own_of(self.integer_own())
        if "{i}" in template and template.startswith("l8") and self.i == "l8":
            return self.set_own()
        if "do ll" in template or "ll =" in template and "[(" not in template:
            if self.busy:
                return self.set_own()
            self.busy = True
            made = self.replaced(template, same)
            self.busy = False
            return made
        return self.replaced(template, same)

    def replaced(self, template: str, same: dict[str, str]) -> str:
        words: dict[str, Callable[[], str]] = {
            "v": self.value,
            "el": self.element,
            "calm": self.element,
            "arr": self.array,
            "arr12": lambda: f"[{self.array()}, {self.k()}, {self.k()}, {self.k()}]",
            "sec": self.section,
            "c": self.condition,
            "pt": self.point,
            "k": self.k,
            "s": lambda: str(self.rng.randint(1, 3)),
            "i": lambda: f"int({self.i})" if self.i == "l8" else self.i,
            "x": lambda: f"int({found})" if "l8" in (found := self.index()) else found,
            "three": lambda: self.rng.choice(["1", "2", "3"]),
            "nine": lambda: self.rng.choice(["9", "9", "m"]),
            "set": self.set_own,
            "stmt": self.statement,
            "setarr": lambda: f"{same['line']} = modulo({self.array()}, 997)",
            "setline": lambda: f"{same['line']} = modulo({self.array()}, 997)",
        }
        rows = []
        for row in template.split("\n"):
            pad = row[: len(row) - len(row.lstrip())]
            made = re.sub(r"\{(\w+)\}", lambda found: same.get(found[1]) or words[found[1]](), row)
            rows.append(made.replace("\n", "\n" + pad))
        return "\n".join(rows)

    def statement(self) -> str:
        self.depth += 1
        choices = [(w, text) for w, text in STATEMENTS if self.depth < 3 or "{stmt}" not in text]
        if self.pure:
            choices = [
                (w, text) for w, text in choices if text.startswith(("{set}", "{setline}", "if ({c}", "associate"))
            ]
        else:
            choices += [(w, text) for w, text, areas in MORE if self.free(areas)]
            if not self.j:
                mine = self.touched() if self.tame else {"os", "gt2", "o", "big", "pts"} - self.absent
                choices += [(2 * w, text) for w, text, area in OWNED if area in mine and self.allowed(text)]
            choices += [(2, text) for text in self.routine.statements if not self.j and self.mine(text)]
        weights, texts = zip(*choices, strict=True)
        made = self.fill(self.rng.choices(texts, weights)[0])
        self.depth -= 1
        return made

    def allowed(self, text: str) -> bool:
        return "os(" not in text.split("=")[-1] or self.free("os") or "o%" not in text

    def mine(self, text: str) -> bool:
        """Whether a statement of the routine writes an area that the nest owns."""
        area = {"put": "self", "sethost": "ha"}.get(re.split(r"\W+", text)[2 if "self" in text else 1], "")
        area = area or re.sub(r"^(if \(present\(ra\)\) )?", "", text).split("(")[0]
        return area in self.touched() or not self.tame

    # -- nests

    def write(self, text: str) -> None:
        self.rows.extend(broken("  " * self.level + row) for row in text.split("\n"))

    def nest(self) -> None:
        self.tame = self.rng.random() < 0.8
        self.number += 1
        whole = [v for v in self.routine.views if v.kind == "int"]
        first = self.rng.choice(whole)
        rest = [v for v in self.routine.views if not set(v.area.split()) & set(first.area.split())]
        self.owned = (first, *self.rng.sample(rest, self.rng.choice([0, 0, 1, 1, 2])))
        areas: set[str] = set()
        kept = []
        for view in self.owned:
            if not areas & set(view.area.split()):
                kept.append(view)
                areas |= set(view.area.split())
        self.owned = tuple(kept)
        last = self.rng.choice(["n", "n", "n", "n-1", "n-2"])
        grid = all("{S}" in v.text for v in self.owned) and self.rng.random() < 0.6
        draw = self.rng.random()
        if draw < 0.13 and self.tame:
            self.concurrent(last, grid)
        elif grid:
            self.grid(last)
        else:
            self.flat(last)
        self.i, self.j, self.pure = "5", "", False

    def concurrent(self, last: str, grid: bool) -> None:
        self.pure = True
        self.i, self.j = "i", "j" if grid else ""
        mask = self.rng.choice(["", "", ", i /= 5", ", mod(i, 3) > 0"])
        self.write(f"do concurrent (i = 1:{last}{', j = 1:9' if grid else ''}{mask})")
        self.body()
        self.write("end do")

    def grid(self, last: str) -> None:
        loops = [f"do i = 1, {last}", f"do j = {self.rng.choice(['1, 9', '1, m', '9, 1, -1', '2, 10, 2'])}"]
        self.rng.shuffle(loops)
        self.write(loops[0])
        self.level += 1
        if self.rng.random() < 0.2:
            self.i, self.j = "3", ""
            if loops[0].startswith("do i"):
                self.i = "i"
                self.write(self.fill("{t} = {v}"))
        self.i, self.j = "i", "j"
        self.write(loops[1])
        self.body()
        self.write("end do")
        self.level -= 1
        self.write("end do")

    def flat(self, last: str) -> None:
        self.i = self.rng.choice(["i"] * 6 + ["l8"])
        bounds = self.rng.choice([f"1, {last}"] * 5 + [f"{last}, 1, -1", f"2, {last}, 2", f"m, {last}", "3, 17, m"])
        name = self.rng.choice(["", "", "outer"])
        name = name and f"{name}{self.number}"
        self.write(f"{name}{': ' if name else ''}do {self.i} = {bounds}")
        if name and self.rng.random() < 0.6:
            self.write(f"  if ({self.condition()}) cycle {name}")
        self.body()
        self.write(f"end do {name}".rstrip())

    def body(self) -> None:
        self.level += 1
        for _ in range(self.rng.randint(1, 3)):
            self.write(self.statement())
        self.level -= 1

    def between(self) -> None:
        self.tame, self.owned = False, ()
        own = [(text, "") for text in self.routine.before]
        text, _ = self.rng.choice([p for p in (*BETWEEN, *own, *own) if self.free(p[1]) and "set3" not in p[0]])
        if text.startswith(("o%", "hold", "deallocate(big", "deallocate(hold")) and self.absent:
            return
        self.write(self.fill(text))

    def nests(self) -> str:
        for _ in range(self.rng.randint(2, 4)):
            self.nest()
            while self.rng.random() < 0.35:
                self.between()
        return "\n".join(self.rows)


def pair_of(number: int) -> Pair:
    """A program by its number, which is its own twin."""
    rng = Random(f"modern {number}")
    name = f"modern{number}"
    made = {
        routine: which.text.replace("{routine}", routine).replace("{nests}", Maker(rng, which, level).nests())
        for routine, which, level in (
            ("first", FIRST, 2),
            ("second", SECOND, 2),
            ("method", METHOD, 2),
            ("inside", INSIDE, 3),
        )
    }
    calls = [
        rng.choice(
            [
                "call first(n, m, xa, ya, za, mm, ra, m)",
                "call first(opt=n, n=n, m=m, mm=mm, z=za, y=ya, x=xa(40:1:-1), ra=ra)",
                "call first(n, m, y=ya, x=xa, z=za(2), mm=mm, ra=ra(30:1:-1))",
            ]
        ),
        "call second(n, m)",
        rng.choice(
            [
                "call o%apply(n, m, hold(2)%f, pos)",
                "call method(big%f, n, m, pos=pos, other=hold(1)%f)",
                "call method(o%field, n, m, big%f, pos(30:1:-1))",
            ]
        ),
        "call inside(m)",
    ]
    rng.shuffle(calls)
    whole = TEXT
    for key, text in (
        *made.items(),
        ("calls", "\n".join(f"    {call}" for call in calls)),
        ("name", name),
        ("number", str(number)),
        ("n", str(rng.randint(18, 24))),
        ("m", str(rng.randint(2, 9))),
    ):
        whole = whole.replace("{" + key + "}", text)
    return Pair(name, {f"{name}.f90": whole}, {f"{name}.f90": whole}, name)
