"""Random hybrid programs, each written twice: with directives, and plainly with loops and full indices.

Both texts come from the same draws; the plain one knows nothing of hfpy. A program is valid by construction: within a
region an array is either written (and then touched only at the own point) or read (with offsets, too); locals are set
before they are read. All randomness comes from one ``random.Random``, which hypothesis may supply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from hfpy.options import DomainSpec


class Two(NamedTuple):
    """A piece of text in the hybrid and in the plain spelling."""

    h: str
    p: str


def same(text: str) -> Two:
    return Two(text, text)


def fmt(pattern: str, *parts: Two) -> Two:
    """``pattern`` filled with the parts, in both spellings."""
    return Two(pattern.format(*(x.h for x in parts)), pattern.format(*(x.p for x in parts)))


@dataclass(frozen=True)
class Array:
    """An array: its dimensions as letters in declared order (``xyz``, ``zxy``, ``xy``, ``z``)."""

    name: str
    dims: str

    @property
    def column(self) -> str:
        """The dimensions that a column routine sees."""
        return self.dims.replace("x", "").replace("y", "")


@dataclass
class Routine:
    """A column routine or function that later code may call."""

    name: str
    dummies: tuple[Array, ...]
    written: int  # how many of the first dummies it writes
    function: bool = False
    kernel: bool = False  # its whole body is a region on the GPU


@dataclass
class Program:
    """The two texts, and the names of what has been drawn."""

    name: str
    hybrid: dict[str, str] = field(default_factory=dict)
    plain: dict[str, str] = field(default_factory=dict)
    layout: dict[str, object] = field(default_factory=dict)  # options for an order with z first, or y first


def folded(line: str) -> list[str]:
    """A statement over several lines if it is long."""
    lines = []
    while len(line) > 118:
        start = len(line) - len(line.lstrip(" &")) + 6
        cut = max(line.rfind(" ", start, 110), line.rfind(",", start, 110) + 1)
        lines.append(line[:cut].rstrip() + " &")
        line = "        & " + line[cut:].lstrip()
    return [*lines, line]


class Lines:
    """Two texts that grow together."""

    def __init__(self) -> None:
        self.h: list[str] = []
        self.p: list[str] = []

    def both(self, level: int, *texts: str | Two) -> None:
        for text in texts:
            two = same(text) if isinstance(text, str) else text
            self.hybrid(level, two.h)
            self.plain(level, two.p)

    def hybrid(self, level: int, *texts: str) -> None:
        for text in texts:
            self.h.extend(folded("  " * level + text))

    def plain(self, level: int, *texts: str) -> None:
        for text in texts:
            self.p.extend(folded("  " * level + text))


class Grid:
    """Sizes and bounds of the program."""

    def __init__(self, rng: Random) -> None:
        self.halo = rng.choice((0, 0, 0, 1))
        self.values = {"x": rng.randint(2, 5), "y": rng.randint(2, 4), "z": rng.randint(3, 5)}
        self.iterators = rng.choice(({"x": "x", "y": "y", "z": "z"}, {"x": "i", "y": "j", "z": "kk"}))
        zero = rng.random() < 0.2
        self.low = {"x": "0" if self.halo else "1", "y": "0" if self.halo else "1", "z": "0" if zero else "1"}
        extent = {d: f"n{d}" for d in "xyz"}
        self.high = {d: f"n{d}+1" if self.halo and d != "z" else extent[d] for d in "xyz"}

    def size(self, d: str) -> str:
        return self.high[d] if self.low[d] == "1" else f"{self.low[d]}:{self.high[d]}"

    def shape(self, dims: str) -> str:
        return f"({','.join(self.size(d) for d in dims)})" if dims else ""


class Context:
    """How arrays are written at the current point, and which may be read and written there."""

    def __init__(self, rng: Random, grid: Grid, region: str, arrays: Sequence[Array], written: Sequence[Array]) -> None:
        self.rng = rng
        self.grid = grid
        self.region = region  # the letters of the region's domains; "" in a column routine
        self.written = list(written)
        self.read = [a for a in arrays if a not in written]
        self.locals: list[Array] = []  # privatised column locals that are set
        self.scalars = ["s1", "s2"]
        self.coarse = False  # a CPU region that does nothing but call kernels

    def spelled(self, name: str) -> str:
        """The name in some case."""
        return self.rng.choice((name, name, name.upper(), name.capitalize()))

    def at(self, a: Array, index: dict[str, str], private: bool = False) -> Two:
        """Element or section of ``a``; ``index`` holds what dimensions outside the region get."""
        iterators = self.grid.iterators
        if private or not self.region:
            inner = ",".join(index[d] for d in a.column)
            return same(f"{self.spelled(a.name)}({inner})" if inner else self.spelled(a.name))
        full = ",".join(iterators[d] if d in self.region else index[d] for d in a.dims)
        short = ",".join(index[d] for d in a.dims if d not in self.region)
        plain = f"{a.name}({full})"
        choice = self.rng.random()
        if choice < 0.3:
            return Two(f"{self.spelled(a.name)}({full})", plain)
        return Two(f"{self.spelled(a.name)}({short})" if short else self.spelled(a.name), plain)

    def whole(self, a: Array, private: bool = False) -> Two:
        """The view of ``a`` at the point, by its bare name where that is allowed."""
        index = {"z": ":", "x": ":", "y": ":"}
        if self.rng.random() < 0.5:
            return Two(self.spelled(a.name), self.at(a, index, private).p)
        return self.at(a, index, private)

    def near(self, a: Array, index: dict[str, str]) -> Two:
        """A neighbour of the point, cut at the borders."""
        parts = []
        for d in a.dims:
            if d in self.region:
                offset = self.rng.choice(("-1", "+1", "", "+2"))
                it = self.grid.iterators[d]
                low, high = self.grid.low[d], self.grid.high[d]
                parts.append({"": it, "-1": f"max({it}-1,{low})"}.get(offset, f"min({it}{offset},{high})"))
            else:
                parts.append(index[d])
        return same(f"{a.name}({','.join(parts)})")


class Maker:
    """Draws one program."""

    def __init__(self, rng: Random, name: str) -> None:
        self.rng = rng
        self.name = name
        self.grid = Grid(rng)
        self.out = Lines()
        self.routines: list[Routine] = []
        kinds = ["xyz", "xyz", "xy", rng.choice(("xyz", "zxy")), rng.choice(("xy", "z", "xyz"))]
        self.arrays = [Array(f"a{n}", kind) for n, kind in enumerate(kinds)]
        self.module_data = rng.random() < 0.4
        self.sizes_as_arguments = rng.random() < 0.5 and not self.module_data
        self.data = Array("md", "xyz") if self.module_data else None
        self.steps = rng.randint(1, 2)

    # --- expressions and statements -----------------------------------------------------------------------------

    def constant(self) -> Two:
        return same(self.rng.choice(("0.5d0", "1.25d0", "0.125d0", "2.d0", "0.3d0", "third")))

    def operand(self, ctx: Context, index: dict[str, str]) -> Two:
        """Something readable: scalar, constant, element, neighbour, function result."""
        rng = self.rng
        kind = rng.random()
        pool = [*ctx.read, *ctx.written]
        if kind < 0.15:
            return self.constant()
        if kind < 0.3 and ctx.scalars:
            return same(rng.choice(ctx.scalars))
        if kind < 0.4 and ctx.locals:
            return ctx.at(rng.choice(ctx.locals), index, private=True)
        if kind < 0.6 and ctx.region and ctx.read:
            return ctx.near(rng.choice(ctx.read), index)
        if kind < 0.7:
            functions = [r for r in self.routines if r.function and self.can_call(r, ctx)]
            if functions:
                return self.function_call(rng.choice(functions), ctx)
        return ctx.at(rng.choice(pool), index) if pool else self.constant()

    def expression(self, ctx: Context, index: dict[str, str], depth: int = 2) -> Two:
        if depth == 0 or self.rng.random() < 0.2:
            return self.operand(ctx, index)
        a = self.expression(ctx, index, depth - 1)
        b = self.expression(ctx, index, depth - 1)
        pattern = self.rng.choice(
            ("0.5d0*({} + {})", "{} - 0.1*{}", "max({}, {})", "min({}, {})", "({})/(1 + abs({}))", "0.3d0*{}*{}",
             "sqrt(abs({}))+{}", "merge({}, 0.5d0, {} > 0)", "sign({}, {})")
        )  # fmt: skip
        value = fmt(pattern, a, b)
        return fmt("max(-9.d0, min({}, 9.d0))", value) if pattern.startswith("0.3d0") else value

    def z(self, ctx: Context, index: str) -> dict[str, str]:
        """Indices of the dimensions that the region does not give: loop variables, or a level."""
        chosen = {"z": index}
        for d, variable in (("x", "ix"), ("y", "iy")):
            if ctx.region and d not in ctx.region:
                chosen[d] = variable
        return chosen

    def can_call(self, r: Routine, ctx: Context) -> bool:
        """Whether the point may call the routine: columns need a region over x and y, or a column routine."""
        return ctx.region in ("", "xy") and r.kernel == ctx.coarse and self.fits(r, ctx)

    def fits(self, r: Routine, ctx: Context) -> bool:
        """Whether the context has arrays for every dummy."""

        writable = [a.column for a in ctx.written]
        readable = [a.column for a in (*ctx.read, *ctx.written)]
        for n, dummy in enumerate(r.dummies):
            pool = writable if n < r.written else readable
            if dummy.column not in pool:
                return False
        return r.written <= 1

    def actuals(self, r: Routine, ctx: Context) -> list[Two]:
        """Actual arguments; the written one does not occur twice."""
        taken: list[Array] = []
        result = []
        for n, dummy in enumerate(r.dummies):
            pool = ctx.written if n < r.written else [*ctx.read, *ctx.written]
            fitting = [a for a in pool if a.column == dummy.column and a not in taken]
            if not fitting:
                fitting = [a for a in pool if a.column == dummy.column]
            a = self.rng.choice(fitting)
            if n < r.written:
                taken.append(a)
            result.append(ctx.whole(a) if dummy.column else ctx.at(a, {}))
        return result

    def function_call(self, r: Routine, ctx: Context) -> Two:
        parts = self.actuals(r, ctx)
        sizes = "nx, ny, nz, " if self.sizes_as_arguments else ""
        return Two(
            f"{r.name}({sizes}{', '.join(a.h for a in parts)})", f"{r.name}({sizes}{', '.join(a.p for a in parts)})"
        )

    def call(self, r: Routine, ctx: Context) -> Two | None:
        """A call, or None if the written array would also be read through another dummy."""
        parts = self.actuals(r, ctx)
        names = [a.p.split("(")[0].lower() for a in parts]
        if names and names.count(names[0]) > 1:
            return None
        sizes = "nx, ny, nz, " if self.sizes_as_arguments else ""
        return Two(
            f"call {r.name}({sizes}{', '.join(a.h for a in parts)})",
            f"call {r.name}({sizes}{', '.join(a.p for a in parts)})",
        )

    def statements(self, ctx: Context, level: int, count: int) -> None:
        """Statements at the point, levels handled inside."""
        names, ctx.scalars = ctx.scalars, []
        for name in names:  # each is set before anything reads it, so no value comes from another point
            value = self.expression(ctx, self.z(ctx, self.grid.low["z"]), 1)
            self.out.both(level, fmt(name + " = {}", value))
            ctx.scalars.append(name)
        for _ in range(count):
            self.statement(ctx, level)

    def statement(self, ctx: Context, level: int) -> None:
        rng, out = self.rng, self.out
        columns = [a for a in ctx.written if a.column == "z"]
        points = [a for a in ctx.written if not a.column]
        kind = rng.random()
        index = self.z(ctx, rng.choice((self.grid.low["z"], "nz", "2")))
        if kind < 0.12:
            name = rng.choice(ctx.scalars)
            out.both(level, fmt(name + " = {}", self.expression(ctx, index)))
        elif kind < 0.3 and columns:
            self.level_loop(ctx, level, rng.choice(columns))
        elif kind < 0.42 and points:
            out.both(level, fmt("{} = {}", ctx.at(rng.choice(points), index), self.expression(ctx, index)))
        elif kind < 0.52 and columns:
            self.section(ctx, level, rng.choice(columns))
        elif kind < 0.62:
            self.branch(ctx, level, index)
        elif kind < 0.75:
            callable_ = [r for r in self.routines if not r.function and self.can_call(r, ctx)]
            made = self.call(rng.choice(callable_), ctx) if callable_ else None
            if made:
                out.both(level, fmt("if (s1 > -100.d0) {}", made) if rng.random() < 0.2 else made)
        elif ctx.written:
            a = rng.choice(ctx.written)
            out.both(level, fmt("{} = {}", ctx.at(a, index), self.expression(ctx, index)))
        else:
            name = rng.choice(ctx.scalars)
            out.both(level, fmt(name + " = {}", self.expression(ctx, index)))

    def level_loop(self, ctx: Context, level: int, a: Array) -> None:
        """A loop over levels: up, down, in steps, carrying values or not."""
        rng, out = self.rng, self.out
        low = self.grid.low["z"]
        head, before = rng.choice(
            (
                (f"do k = {low}+1, nz", "k-1"),
                (f"do k = nz-1, {low}, -1", "k+1"),
                (f"do k = {low}, nz", "k"),
                (f"do k = {low}, nz, 2", "k"),
            )
        )
        index = self.z(ctx, "k")
        out.both(level, head)
        if rng.random() < 0.3:
            out.both(level + 1, fmt("s2 = {}", self.expression(ctx, index, 1)))
        other = ctx.at(a, self.z(ctx, before))
        out.both(level + 1, fmt("{} = 0.5d0*{} + 0.25d0*({})", ctx.at(a, index), other, self.expression(ctx, index)))
        if rng.random() < 0.2:
            out.both(
                level + 1,
                fmt("if ({} > 2.d0) cycle", ctx.at(a, index)),
                fmt("{} = {} + 0.125d0", ctx.at(a, index), ctx.at(a, index)),
            )
        out.both(level, "end do")

    def section(self, ctx: Context, level: int, a: Array) -> None:
        """A section or the whole column."""
        rng, out = self.rng, self.out
        sources = [b for b in (*ctx.read, *ctx.written) if b.column == "z"]
        b = rng.choice(sources)
        kind = rng.randrange(4)
        if kind == 0:
            out.both(level, fmt("{} = 0.5d0*{} + s1", ctx.whole(a), ctx.whole(b)))
        elif kind == 1:
            low = self.grid.low["z"]
            out.both(
                level,
                fmt(
                    "{} = 0.75d0*{}", ctx.at(a, self.z(ctx, "2:nz")), ctx.at(b, self.z(ctx, f"{low}:nz-{2 - int(low)}"))
                ),
            )
        elif kind == 2:
            out.both(level, fmt("s1 = 0.1d0*sum({}) + maxval({})", ctx.whole(b), ctx.at(a, self.z(ctx, "2:3"))))
        else:
            out.both(level, fmt("where ({} > 1.d0) {} = 0.5d0", ctx.whole(b), ctx.whole(a)))

    def branch(self, ctx: Context, level: int, index: dict[str, str]) -> None:
        rng, out = self.rng, self.out
        condition = fmt("{} > {}", self.operand(ctx, index), self.operand(ctx, index))
        if rng.random() < 0.3:
            out.both(level, fmt("if ({}) s2 = {}", condition, self.operand(ctx, index)))
            return
        out.both(level, fmt("if ({}) then", condition))
        self.statement(ctx, level + 1)
        if rng.random() < 0.4:
            out.both(level, "else")
            self.statement(ctx, level + 1)
        out.both(level, "end if")

    # --- routines -----------------------------------------------------------------------------------------------

    def horizontal(self) -> str:
        """The horizontal domains as attributes."""
        g = self.grid
        return f"domName({g.iterators['x']},{g.iterators['y']}), domSize({g.size('x')},{g.size('y')})"

    def block(self, flags: str) -> str:
        """The head of a block that adds the horizontal domains."""
        return f"@domainDependant{{{self.horizontal()}, attribute({flags})}}"

    def sizes(self, level: int) -> None:
        if self.sizes_as_arguments:
            self.out.both(level, "integer, intent(in) :: nx, ny, nz")

    def column_routine(self, number: int) -> None:
        """A column subroutine or function; on the GPU it may hold the region."""
        rng, out = self.rng, self.out
        function = rng.random() < 0.4
        dims = ["xyz"] + [rng.choice(("xyz", "xy", "xy")) for _ in range(rng.randint(1, 2))]
        if function:
            dims = dims[:2]
        dummies = tuple(Array(f"c{n}", d) for n, d in enumerate(dims))
        r = Routine(f"{'func' if function else 'col'}{number}_{self.name}", dummies, 0 if function else 1, function)
        names = ", ".join([*(["nx", "ny", "nz"] if self.sizes_as_arguments else []), *(d.name for d in dummies)])
        out.both(1, f"function {r.name}({names}) result(res)" if function else f"subroutine {r.name}({names})")
        self.sizes(2)
        for n, d in enumerate(dummies):
            intent = "inout" if n < r.written else "in"
            out.both(2, f"real(8), intent({intent}) :: {d.name}{self.grid.shape(d.column)}")
        local = Array("w", "xyz")
        out.both(2, f"real(8) :: w{self.grid.shape('z')}, s1, s2" + (", res" if function else ""), "integer :: k")
        g = self.grid
        if rng.random() < 0.8:
            listed = ", ".join([*(d.name for d in dummies), "w"])
            flags = rng.choice(("autoDom", "autoDom, present"))
            out.hybrid(
                2,
                self.block(f"{flags}"),
                listed,
                "@end domainDependant",
            )
        with_region = not function and rng.random() < 0.4
        ctx = Context(rng, g, "", dummies, dummies[: r.written])
        if with_region:
            out.hybrid(
                2,
                f"@parallelRegion{{appliesTo(GPU), {self.horizontal()}}}",
            )
        out.both(2, "k = 1; s1 = 0; s2 = 0", f"w({':' if rng.random() < 0.5 else g.low['z'] + ':nz'}) = 0.25d0")
        ctx.locals.append(local)
        self.statements(ctx, 2, rng.randint(1, 4))
        if function:
            out.both(2, fmt("res = 0.5d0*({})", self.expression(ctx, {"z": "2"})))
        if with_region:
            out.hybrid(2, "@end parallelRegion")
        out.both(1, f"end {'function' if function else 'subroutine'} {r.name}", "")
        r.kernel = with_region
        self.routines.append(r)

    def region(self, arrays: Sequence[Array], held: Array | None, level: int) -> None:
        """One region with its body; ``held`` is a local that lives across regions."""
        rng, out, g = self.rng, self.out, self.grid
        dims = rng.choice(("xy", "xy", "xy", "xy", "xyz", "x", "y"))
        if g.halo and dims in ("x", "y"):
            dims = "xy"
        full = [a for a in arrays if set(dims) <= set(a.dims)]
        written = rng.sample(full, min(len(full), rng.randint(1, 2)))
        pool = [a for a in arrays if a in full or set(a.dims) & set(dims) or dims == "xy"]
        ctx = Context(rng, g, dims, pool, written)
        if held and dims == "xy":
            (ctx.written if rng.random() < 0.5 else ctx.read).append(held)
        it = g.iterators
        ctx.coarse = dims == "xy" and rng.random() < 0.4 and any(self.fits(r, ctx) for r in self.routines if r.kernel)
        bounds = self.bounds(dims)
        attributes = [f"domName({','.join(it[d] for d in dims)})", f"domSize({','.join(g.size(d) for d in dims)})"]
        given = {d: b for d, b in bounds.items() if b != (g.low[d], g.high[d])}
        if given:
            attributes.append(f"startAt({','.join(bounds[d][0] for d in dims)})")
            attributes.append(f"endAt({','.join(bounds[d][1] for d in dims)})")

        if ctx.coarse:
            attributes.append("appliesTo(CPU)")
        reduction = rng.choice(("max", "min", "+")) if rng.random() < 0.3 and not ctx.coarse else ""
        variable = "total" if reduction == "+" else "red"
        if reduction:
            attributes.append(f"reduction({reduction}:{variable})")

        rng.shuffle(attributes)
        out.hybrid(level, f"@parallelRegion{{{', '.join(attributes)}}}")
        for d in reversed(dims):
            out.plain(level, f"do {it[d]} = {bounds[d][0]}, {bounds[d][1]}")
        inner = [d for d in "xy" if d not in dims] if dims != "xyz" else []
        for d in inner:
            out.both(level, f"do i{d} = 1, n{d}")
        if dims == "xy" and not ctx.coarse and rng.random() < 0.5:
            scalars, ctx.scalars = ctx.scalars, []
            out.both(level + 1, fmt("w = {}", self.operand(ctx, self.z(ctx, "2"))))
            ctx.scalars = scalars
            ctx.locals.append(Array("w", "xyz"))
        if ctx.coarse:
            self.kernel_calls(ctx, level + 1)
        elif dims == "xyz":
            self.point_statements(ctx, level + 1)
        elif inner:
            self.plane_statements(ctx, level + 1)
        else:
            self.statements(ctx, level + 1, rng.randint(1, 5))
            if rng.random() < 0.15:
                out.both(level + 1, fmt("if (s1 > {}) then", self.constant()))
                out.hybrid(level + 2, "@exit")
                out.plain(level + 2, "cycle")
                out.both(level + 1, "end if")
                self.statement(ctx, level + 1)
        if reduction:
            value = {
                "max": "red = max(red, {})",
                "min": "red = min(red, {})",
                "+": "total = total + nint(4*min(abs({}), 100.d0))",
            }[reduction]
            out.both(
                level + 1, fmt(value, ctx.at(written[0], self.z(ctx, "2")) if dims != "xyz" else ctx.at(written[0], {}))
            )
        for _ in inner:
            out.both(level, "end do")
        out.hybrid(level, "@end parallelRegion")
        for _ in dims:
            out.plain(level, "end do")

    def kernel_calls(self, ctx: Context, level: int) -> None:
        """The body of a coarse region."""
        kernels = [r for r in self.routines if r.kernel and self.fits(r, ctx)]
        for _ in range(self.rng.randint(1, 2)):
            made = self.call(self.rng.choice(kernels), ctx)
            if made:
                self.out.both(level, made)

    def bounds(self, dims: str) -> dict[str, tuple[str, str]]:
        """Loop bounds per domain: the inner points of a halo, the whole extent, or a part of it."""
        g = self.grid
        result = {}
        for d in dims:
            full = (g.low[d], g.high[d])
            inner = ("1", f"n{d}")
            part = self.rng.choice((("2", g.high[d]), (g.low[d], f"n{d}-1"), ("1", f"n{d}")))
            result[d] = inner if g.halo and d != "z" and self.rng.random() < 0.6 else full
            if self.rng.random() < 0.15:
                result[d] = part
        return result

    def point_statements(self, ctx: Context, level: int) -> None:
        """In a region over all three domains every access is one element."""
        ctx.read = [a for a in ctx.read if set(a.dims) <= set("xyz")]
        self.out.both(level, fmt("s1 = {}", self.operand_without_s1(ctx)))
        self.out.both(level, "s2 = s1 + 1")
        for a in ctx.written:
            self.out.both(level, fmt("{} = {}", ctx.at(a, {}), self.expression(ctx, {})))

    def plane_statements(self, ctx: Context, level: int) -> None:
        """In a region over one horizontal domain the other one is a loop of the user."""
        index = self.z(ctx, "2")
        self.out.both(level, fmt("s1 = {}", self.operand_without_s1(ctx, index)), "s2 = 0.5d0*s1")
        for a in ctx.written:
            at = self.z(ctx, self.rng.choice(("1", "2", "nz")))
            self.out.both(level, fmt("{} = {}", ctx.at(a, at), self.expression(ctx, at)))

    def operand_without_s1(self, ctx: Context, index: dict[str, str] | None = None) -> Two:
        return ctx.at(self.rng.choice([*ctx.written, *ctx.read]), index or {})

    def step(self) -> None:
        """The routine with the regions."""
        rng, out, g = self.rng, self.out, self.grid
        names = ", ".join(
            [*(["nx", "ny", "nz"] if self.sizes_as_arguments else []), *(a.name for a in self.arrays), "red", "total"]
        )
        out.both(1, f"subroutine step_{self.name}({names})")
        if self.data:
            out.both(2, f"use {self.name}_data, only: md")
        self.sizes(2)
        as_column = []
        for a in self.arrays:
            column = a.dims in ("xyz", "xy") and rng.random() < 0.5
            if column:
                as_column.append(a)
            out.both(
                2,
                Two(
                    f"real(8), intent(inout) :: {a.name}{g.shape(a.column if column else a.dims)}",
                    f"real(8), intent(inout) :: {a.name}{g.shape(a.dims)}",
                ),
            )
        held = Array("held", "xyz") if rng.random() < 0.5 else None
        if held:
            out.both(2, Two(f"real(8) :: held{g.shape('z')}", f"real(8) :: held{g.shape('xyz')}"))
        out.both(
            2,
            "real(8), intent(inout) :: red, total",
            f"real(8) :: w{g.shape('z')}, s1, s2",
            "integer :: k, ix, iy, rep",
        )
        out.plain(2, f"integer :: {', '.join(g.iterators[d] for d in 'xyz')}")
        listed = [*(a.name for a in as_column), *(["held"] if held else [])]
        if listed:
            out.hybrid(
                2,
                self.block("autoDom"),
                ", ".join(listed),
                "@end domainDependant",
            )
        out.both(2, "k = 0; ix = 0; iy = 0; rep = 0; s1 = 0; s2 = 0; w = 0")
        if held:
            out.both(2, "held = 0.5d0")
        usable = [*self.arrays, *([self.data] if self.data else [])]
        for number in range(rng.randint(1, 4)):
            wrap = rng.random()
            if wrap < 0.15:
                out.both(2, f"if (red > {number - 3}.d0) then")
            elif wrap < 0.25:
                out.both(2, "do rep = 1, 2")
            self.region(usable, held, 3)
            if wrap < 0.15:
                out.both(2, "end if")
            elif wrap < 0.25:
                out.both(2, "end do")
            if rng.random() < 0.2:
                out.both(2, "red = red + 0.5d0")
        out.both(1, f"end subroutine step_{self.name}", "")

    def frame(self) -> Program:
        """The whole program: data module, main routine, fill and show."""
        rng, out, g = self.rng, self.out, self.grid
        constants = f"integer, parameter :: nx = {g.values['x']}, ny = {g.values['y']}, nz = {g.values['z']}"
        pre = Lines()
        if self.data:
            pre.both(
                0, f"module {self.name}_data", "  implicit none", f"  {constants}", f"  real(8) :: md{g.shape('xyz')}"
            )
            pre.hybrid(
                1,
                self.block("autoDom, host"),
                "md",
                "@end domainDependant",
            )
            pre.both(0, f"end module {self.name}_data")
        for number in range(rng.randint(0, 3)):
            self.column_routine(number)
        self.step()
        body = out
        self.out = out = Lines()
        out.both(0, f"module {self.name}")
        if self.data:
            out.both(1, f"use {self.name}_data, only: {'' if self.sizes_as_arguments else 'nx, ny, nz, '}md")
        out.both(1, "implicit none", "real(8), parameter :: third = 1.d0/3")
        if not self.sizes_as_arguments and not self.data:
            out.both(1, constants)
        out.both(0, "contains")
        out.both(1, "subroutine run()")
        if self.sizes_as_arguments:
            out.both(2, constants)
        for a in self.arrays:
            out.both(2, f"real(8) :: {a.name}{g.shape(a.dims)}")
        out.both(2, "real(8) :: red, total", "integer :: n", "red = 0.5d0; total = 0")
        arguments = ["nx", "ny", "nz"] if self.sizes_as_arguments else []
        shown = [*self.arrays, *([self.data] if self.data else [])]
        for n, a in enumerate(shown):
            out.both(2, f"call fill_{a.dims}({', '.join([*arguments, a.name, f'{n + 1}.d0'])})")
        step = ", ".join([*arguments, *(a.name for a in self.arrays), "red", "total"])
        out.both(2, f"do n = 1, {self.steps}", f"  call step_{self.name}({step})", "end do")
        for a in shown:
            out.both(2, f"call show_{a.dims}({', '.join([*arguments, a.name])})")
        out.both(2, "print '(es24.16)', red, total")
        out.both(1, "end subroutine run")
        for dims in sorted({a.dims for a in shown}):
            self.fill_and_show(dims, arguments)
        result = Program(self.name, layout=self.layout())
        end = [f"end module {self.name}", ""]
        result.hybrid[f"{self.name}.h90"] = "\n".join([*pre.h, *out.h, *body.h, *end])
        result.plain[f"{self.name}.f90"] = "\n".join([*pre.p, *out.p, *body.p, *end])
        return result

    def layout(self) -> dict[str, object]:
        """Options that put the domains into another order."""
        g, it = self.grid, self.grid.iterators
        order = self.rng.choice(("zxy", "zyx", "yxz"))
        more = {"z": ("k",), "x": ("ix",), "y": ("iy",)}
        domains = {it[d]: DomainSpec((g.size(d),), (it[d], *more[d])) for d in "xyz"}
        return {"layout": " ".join(it[d] for d in order), "domains": domains}

    def fill_and_show(self, dims: str, arguments: Sequence[str]) -> None:
        """Routines that touch an array element by element, so that they are right in any order."""
        out, g = self.out, self.grid
        loops = [f"do i{d} = {g.low[d]}, {g.high[d]}" for d in reversed(dims)]
        element = f"a({','.join('i' + d for d in dims)})"
        weights = {"x": "0.7d0", "y": "0.31d0", "z": "0.17d0"}
        value = " + ".join(f"{weights[d]}*i{d}" for d in dims)
        for kind, intent, extra in (("fill", "out", ["f"]), ("show", "in", [])):
            out.both(1, f"subroutine {kind}_{dims}({', '.join([*arguments, 'a', *extra])})")
            self.sizes(2)
            out.both(2, f"real(8), intent({intent}) :: a{g.shape(dims)}")
            if extra:
                out.both(2, "real(8), intent(in) :: f")
            out.both(2, f"integer :: {', '.join('i' + d for d in dims)}", *loops)
            out.both(3, f"{element} = sin(f + {value})" if kind == "fill" else f"print '(es24.16)', {element}")
            out.both(2, *(["end do"] * len(dims)))
            out.both(1, f"end subroutine {kind}_{dims}")


def make_program(rng: Random, name: str) -> Program:
    """One program in both spellings."""
    return Maker(rng, name).frame()
