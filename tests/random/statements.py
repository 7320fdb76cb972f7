"""Random expressions and statements, in both spellings."""

from __future__ import annotations

from random import Random

from tests.random.texts import SIZES, Array, Context, Grid, Lines, Routine, Two, fmt, same


class Statements:
    """Draws expressions and statements at a point of a program."""

    def __init__(self, rng: Random, name: str) -> None:
        self.rng = rng
        self.name = name
        self.grid = Grid(rng)
        self.out = Lines()
        self.routines: list[Routine] = []
        kinds = ["xyz", "xyz", "xy", rng.choice(("xyz", "zxy")), rng.choice(("xy", "z", "xyz", "xyzl"))]
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
        chosen = {"z": index, "l": self.rng.choice(("1", "2"))}
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
            result.append(ctx.whole(a) if dummy.column else ctx.at(a, self.z(ctx, "2")))
        return result

    def function_call(self, r: Routine, ctx: Context) -> Two:
        parts = self.actuals(r, ctx)
        sizes = ", ".join([*SIZES, ""]) if self.sizes_as_arguments else ""
        return Two(
            f"{r.name}({sizes}{', '.join(a.h for a in parts)})", f"{r.name}({sizes}{', '.join(a.p for a in parts)})"
        )

    def call(self, r: Routine, ctx: Context) -> Two | None:
        """A call, or None if the written array would also be read through another dummy."""
        parts = self.actuals(r, ctx)
        names = [a.p.split("(")[0].lower() for a in parts]
        if names and names.count(names[0]) > 1:
            return None
        sizes = ", ".join([*SIZES, ""]) if self.sizes_as_arguments else ""
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
