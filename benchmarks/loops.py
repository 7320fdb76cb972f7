"""Sixty loops as they are in models, each a routine with one or several regions, for :mod:`benchmarks.never_slower`.

A loop has fields ``a``, ``b``, ``c``, ``d`` of one shape. ``a`` and ``c`` are read only; their values lie between 0 and
1 and depend on the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

#: The layouts of the projects that the loops are built in; loops of one layout are one program.
LAYOUTS = {"declared": "", "k first": "k i j", "blocks": "i:32 k i j"}
Shape = tuple[tuple[str, int], ...]  # iterators with their sizes, as the fields are declared


@dataclass(frozen=True)
class Loop:
    """One loop: the domains of its regions, the shape of its fields, its statements, and what is beside its routine
    in the module (routines that it calls).
    """

    name: str
    shape: Shape
    domains: tuple[str, ...]
    body: str
    layout: str = "declared"
    beside: str = ""
    declared: str = ""

    @property
    def points(self) -> int:
        """The elements of a field."""
        product = 1
        for _, size in self.shape:
            product *= size
        return product


def at(shape: Shape, field: str, **steps: int) -> str:
    """A field at the point, or at steps from it."""
    return f"{field}({','.join(f'{n}{steps[n]:+d}' if steps.get(n) else n for n, _ in shape)})"


def region(domains: Sequence[str], body: str, margin: int = 0) -> str:
    """A region over domains, without some points on both sides of ``i`` and ``j``."""
    sizes = ",".join(f"n{d}" for d in domains)
    bounds = ""
    if margin:
        starts = ",".join(f"{1 + margin}" if d in "ij" else "1" for d in domains)
        ends = ",".join(f"n{d}-{margin}" if d in "ij" else f"n{d}" for d in domains)
        bounds = f", startAt({starts}), endAt({ends})"
    return f"@parallelRegion{{domName({','.join(domains)}), domSize({sizes}){bounds}}}\n{body}\n@end parallelRegion"


# -- bodies at a point


def _points(shape: Shape) -> dict[str, str]:
    a, b, c, d = (at(shape, f) for f in "abcd")
    return {
        "copy": f"{b} = {a}",
        "light": f"{b} = 2*{a} + {c}",
        "update": f"{b} = {b} + 0.1d0*({a} - {c})\n{d} = {a}*{c}",
        "divide": f"{b} = {a}/({c} + 2) + {c}/({a} + 3)",
        "heavy": f"{b} = exp({a})*log({c} + 2) + sqrt({a}*{a} + 1)",
        "rare exp": f"{b} = {a}\nif ({a} > 0.985d0) {b} = exp({a}*{c}) + {c}**{a}",
        "rare pow": f"if ({c} < 0.02d0) then\n{b} = ({a} + 1)**1.7d0\n"
        f"{d} = log({a} + 2)\nelse\n{b} = {c}\n{d} = {a}\nend if",
        "half exp": f"if ({a} > 0.5d0) then\n{b} = exp(-{a})\nelse\n{b} = {c} + 1\nend if",
        "cases": f"select case (int(4*{a}))\ncase (0)\n{b} = {c}\n"
        f"case (1)\n{b} = {c}*2\ncase default\n{b} = sqrt({c})\nend select",
        "turns": f"t = {a}\ndo n = 1, 6\nt = 0.5d0*(t + {c}/(t + 0.1d0))\nend do\n{b} = t",
    }


_LOCALS = "real(8) :: t, u\ninteger :: n\n"
BIG: Shape = (("i", 192), ("j", 96), ("k", 40))
FLAT: Shape = (("i", 96), ("j", 64))
THIN: Shape = (("i", 5), ("j", 500), ("k", 40))
LINE: Shape = (("i", 20000),)
FOUR: Shape = (("i", 48), ("j", 24), ("k", 20), ("l", 4))
FIVE: Shape = (("i", 32), ("j", 12), ("k", 10), ("l", 4), ("m", 3))
COLUMNS: Shape = (("i", 192), ("j", 48), ("k", 40))
UPRIGHT: Shape = (("k", 40), ("i", 192), ("j", 48))


def _at_points(shape: Shape, names: Sequence[str], word: str) -> list[Loop]:
    domains = tuple(n for n, _ in shape)
    made = _points(shape)
    return [Loop(f"{word}, {n}", shape, domains, region(domains, made[n]), declared=_LOCALS) for n in names]


# -- chains of stages


def _stages(shape: Shape) -> dict[str, str]:
    def p(field: str, **steps: int) -> str:
        return at(shape, field, **steps)

    def stage(body: str, margin: int = 0) -> str:
        return region([n for n, _ in shape], body, margin)

    around = f"{p('a', i=-1)} + {p('a', i=1)} + {p('a', j=-1)} + {p('a', j=1)} - 4*{p('a')}"
    again = f"{p('b')} = {p('a')} - 0.1d0*({p('e', i=-1)} + {p('e', i=1)} - 2*{p('e')})"
    flux = f"{p('e')} = {p('a', i=1)} - {p('a')}\nif ({p('e')}*{p('c')} > 0.3d0) {p('e')} = 0"
    limited = f"{p('b')} = {p('a')} - {p('e')} + {p('e', i=-1)}"
    beside = f"{p('b')} = {p('e', i=1)} - {p('e', i=-1)} + {p('e', j=1)}"
    star = f"{p('b')} = {p('e', i=-1)} + {p('e', i=1)} + {p('e', j=-1)} + {p('e', j=1)} - 4*{p('e')}"
    return {
        "laplacian": stage(f"{p('b')} = {around}", 1),
        "star of sums": "\n".join((stage(f"{p('e')} = {p('a')} + {p('c')}"), stage(star, 1))),
        "star of roots": "\n".join((stage(f"{p('e')} = sqrt({p('a')}*{p('a')} + {p('c')})"), stage(star, 1))),
        "two": "\n".join((stage(f"{p('e')} = {around}", 1), stage(again, 2))),
        "limited flux": "\n".join((stage(flux, 1), stage(limited, 2))),
        "costly": "\n".join((stage(f"{p('e')} = exp({p('a')})*sqrt({p('c')} + 1)"), stage(beside, 1))),
        "pointwise": "\n".join(
            (
                stage(f"{p('e')} = 2*{p('a')} + {p('c')}"),
                stage(f"{p('b')} = {p('e')}*{p('e')}"),
                stage(f"{p('d')} = {p('b')} + {p('e')}"),
            )
        ),
    }


def _chains(shape: Shape, names: Sequence[str], word: str) -> list[Loop]:
    made = _stages(shape)
    sizes = ",".join(f"n{n}" for n, _ in shape)
    loops = (Loop(f"{word}, {n}", shape, tuple(n for n, _ in shape), made[n]) for n in names)
    return [replace(loop, declared=f"real(8) :: e({sizes})\n" if at(shape, "e") in loop.body else "") for loop in loops]


# -- columns

_COLUMN = """subroutine {name}(nk, a, b, c, d)
  integer, intent(in) :: nk
  real(8), intent(in) :: a(nk), c(nk)
  real(8), intent(inout) :: b(nk), d(nk)
  real(8) :: t, u, w(nk)
  integer :: k
{statements}
end subroutine {name}"""
_IN_COLUMNS = {
    "sum": "t = 0\ndo k = 1, nk\nt = t + a(k)\nb(k) = t\nend do",
    "decay": "t = 1\ndo k = 1, nk\nt = t*exp(-a(k))\nb(k) = t*c(k)\nend do",
    "tridiagonal": "w(1) = c(1)/(2 + c(1))\nb(1) = a(1)/(2 + c(1))\ndo k = 2, nk\n"
    "t = 2 + c(k) - 0.5d0*w(k-1)\nw(k) = c(k)/t\n"
    "b(k) = (a(k) + 0.5d0*b(k-1))/t\nend do\ndo k = nk - 1, 1, -1\nb(k) = b(k) - w(k)*b(k+1)\nend do",
    "rare exp": "t = 0\ndo k = 1, nk\nt = 0.5d0*t + a(k)\nif (c(k) > 0.99d0) then\nt = exp(-t) + (a(k) + 1)**c(k)\n"
    "d(k) = log(t + 3)\nelse\nd(k) = t\nend if\nb(k) = t\nend do",
    "rare call": "do k = 1, nk\nb(k) = a(k)\nif (a(k)*c(k) > 0.95d0) b(k) = exp(a(k))**1.3d0 + log10(c(k) + 1)\nend do",
    "two thirds": "do k = 2, nk\nif (a(k) > 0.33d0) then\nb(k) = exp(-a(k))*c(k) + b(k-1)*0.1d0\nelse\n"
    "b(k) = c(k)\nend if\nend do",
    "local": "do k = 1, nk\nw(k) = sqrt(a(k) + c(k))\nend do\ndo k = 2, nk\nb(k) = w(k) - w(k-1)\nend do",
    "search": "t = 0\ndo k = 1, nk\nif (a(k) > t) t = a(k)\nend do\ndo k = 1, nk\nb(k) = a(k)/t\nend do",
    "nothing": "do k = 1, nk\nb(k) = a(k)\nend do",
}


def _columns(shape: Shape, names: Sequence[str], word: str) -> list[Loop]:
    loops = []
    for number, name in enumerate(names):
        routine = f"column_{word.replace(' ', '_')}_{number}"
        fields = ", ".join(at(shape, f).replace("k", ":") for f in "abcd")
        body = region([n for n, _ in shape if n != "k"], f"call {routine}(nk, {fields})")
        beside = _COLUMN.format(name=routine, statements=_IN_COLUMNS[name])
        loops.append(Loop(f"{word}, {name}", shape, tuple(n for n, _ in shape if n != "k"), body, beside=beside))
    return loops


def _in(layout: str, loops: Sequence[Loop]) -> list[Loop]:
    return [replace(loop, name=f"{layout}: {loop.name}", layout=layout) for loop in loops]


def _all() -> tuple[Loop, ...]:
    points, chains, columns = list(_points(BIG)), list(_stages(BIG)), list(_IN_COLUMNS)
    made = _at_points(BIG, points, "big")
    made += _at_points(FLAT, [points[n] for n in (4, 5)], "flat")
    made += _at_points(THIN, [points[n] for n in (1, 4, 5)], "thin")
    made += _at_points(LINE, [points[n] for n in (4, 6)], "line")
    made += _at_points(FOUR, [points[n] for n in (5,)], "four")
    made += _at_points(FIVE, [points[n] for n in (6,)], "five")
    made += (
        _chains(BIG, chains, "chain")
        + _chains(FLAT, chains[1:6], "short chain")
        + _chains(THIN, chains[2:6], "thin chain")
    )
    made += _columns(COLUMNS, columns, "columns") + _columns(UPRIGHT, columns[:-1], "upright")
    made += _in(
        "k first", [*_columns(COLUMNS, columns[2:5], "turned columns"), *_at_points(BIG, points[5:6], "turned")]
    )
    made += _in("blocks", [*_columns(COLUMNS, columns[1:5], "blocked columns")])
    return tuple(made)


LOOPS = _all()
