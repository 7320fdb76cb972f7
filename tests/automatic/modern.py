"""Random plain programs in modern Fortran: objects, array expressions, pointers, constructs, in and around loops.

A loop mostly writes elements of its own turn, so that a good part of the loops may run in parallel. The programs
conform to the standard, and all their values are small integers, whatever their type. ``modernframe.py`` has the text
around the loops.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.automatic.modernframe import FIRST, INSIDE, METHOD, SECOND, TEXT, Routine, View
from tests.automatic.modernphrases import ARRAYS, BETWEEN, MORE, MORE_SHOWN, OWNED, READ, STATEMENTS, TERMS, WRITTEN
from tests.automatic.storages import filled
from tests.support import Pair


def broken(row: str) -> str:
    """A line in pieces that are short enough, broken after commas or signs."""
    rows = []
    while len(row) > 125:
        at = row.rfind(", ", 20, 120) + 1 or row.rfind(" + ", 20, 120) + 2
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
        if (self.owned and self.rng.random() < 0.3) or not self.readable():
            view = self.rng.choice(self.owned)
            return READ[view.kind].replace("{}", self.own_of(view))
        view = self.rng.choice(self.readable())
        return READ[view.kind].replace("{}", self.placed(view, self.index(), self.short()))

    def section(self, size: int = 9) -> str:
        found = [v for v in self.readable() if v.kind == "int" and not v.single and "%" not in v.text.split("{")[-1]]
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
            [
                *("{el} > {k}", "{el} > {k}", "{i} /= {s}", "{el} < {el}", "any({arr} > 900)", "btest({el}, 2)"),
                *("{el} > {k} .and. {el} < 800", "{el} == {el} .neqv. {i} > 7", "all({sec} >= 3)"),
            ]
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
                return self.set_own()
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
        if "do ll" in template or ("ll =" in template and "[(" not in template):
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
        routine: which.text.replace("{routine}", routine)
        .replace("{more}", rng.choice(MORE_SHOWN))
        .replace("{nests}", Maker(rng, which, level).nests())
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
    sizes = {"n": str(rng.randint(18, 24)), "m": str(rng.randint(2, 9))}
    return filled(TEXT, name, number, calls, made | sizes)
