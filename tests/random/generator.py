"""Random hybrid programs, each written twice: with directives, and plainly with loops and full indices.

Both texts come from the same draws; the plain one knows nothing of hfpy. A program is valid by construction: within a
region an array is either written (and then touched only at the own point) or read (with offsets, too); locals are set
before they are read. All randomness comes from one ``random.Random``, which hypothesis may supply.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hfpy.options import DomainSpec
from tests.random.statements import Statements
from tests.random.texts import SIZES, Array, Context, Lines, Program, Routine, Two, fmt


class Maker(Statements):
    """Draws one program."""

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
            self.out.both(level, f"integer, intent(in) :: {', '.join(SIZES)}")

    def column_routine(self, number: int) -> None:
        """A column subroutine or function; on the GPU it may hold the region."""
        rng, out = self.rng, self.out
        function = rng.random() < 0.4
        dims = ["xyz"] + [rng.choice(("xyz", "xy", "xy")) for _ in range(rng.randint(1, 2))]
        if function:
            dims = dims[:2]
        dummies = tuple(Array(f"c{n}", d) for n, d in enumerate(dims))
        r = Routine(f"{'func' if function else 'col'}{number}_{self.name}", dummies, 0 if function else 1, function)
        names = ", ".join([*(SIZES if self.sizes_as_arguments else ()), *(d.name for d in dummies)])
        out.both(1, f"function {r.name}({names}) result(res)" if function else f"subroutine {r.name}({names})")
        self.sizes(2)
        for n, d in enumerate(dummies):
            intent = "inout" if n < r.written else "in"
            out.both(2, f"real(8), intent({intent}) :: {d.name}{self.grid.shape(d.column)}")
        local = Array("w", "xyz")
        out.both(2, f"real(8) :: w{self.grid.shape('z')}, s1, s2" + (", res" if function else ""), "integer :: k")
        g = self.grid
        with_region = not function and rng.random() < 0.4
        # A kernel of its own needs the domains of its arguments.
        if with_region or rng.random() < 0.8:
            listed = ", ".join([*(d.name for d in dummies), "w"])
            flags = rng.choice(("autoDom", "autoDom, present"))
            out.hybrid(
                2,
                self.block(f"{flags}"),
                listed,
                "@end domainDependant",
            )
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
        # What a coarse region calls has regions of its own on the GPU, over all points.
        bounds = {d: (g.low[d], g.high[d]) for d in dims} if ctx.coarse else self.bounds(dims)
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

        if rng.random() < 0.1:
            attributes.append("vector")
        rng.shuffle(attributes)
        directive = f"@parallelRegion{{{', '.join(attributes)}}}"
        out.hybrid(level, directive)
        out.comment(level, directive)
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
            out.both(level + 1, fmt(value, ctx.at(written[0], self.z(ctx, "2"))))
        for _ in inner:
            out.both(level, "end do")
        out.hybrid(level, "@end parallelRegion")
        for _ in dims:
            out.plain(level, "end do")
        out.comment(level, "@end parallelRegion")

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
        ctx.read = [a for a in ctx.read if set(a.dims) <= set("xyzl")]
        self.out.both(level, fmt("s1 = {}", self.operand_without_s1(ctx)))
        self.out.both(level, "s2 = s1 + 1")
        for a in ctx.written:
            self.out.both(level, fmt("{} = {}", ctx.at(a, self.z(ctx, "2")), self.expression(ctx, self.z(ctx, "2"))))

    def plane_statements(self, ctx: Context, level: int) -> None:
        """In a region over one horizontal domain the other one is a loop of the user."""
        index = self.z(ctx, "2")
        self.out.both(level, fmt("s1 = {}", self.operand_without_s1(ctx, index)), "s2 = 0.5d0*s1")
        for a in ctx.written:
            at = self.z(ctx, self.rng.choice(("1", "2", "nz")))
            self.out.both(level, fmt("{} = {}", ctx.at(a, at), self.expression(ctx, at)))

    def operand_without_s1(self, ctx: Context, index: dict[str, str] | None = None) -> Two:
        return ctx.at(self.rng.choice([*ctx.written, *ctx.read]), index or self.z(ctx, "2"))

    def step(self) -> None:
        """The routine with the regions."""
        rng, out, g = self.rng, self.out, self.grid
        names = ", ".join([*(SIZES if self.sizes_as_arguments else ()), *(a.name for a in self.arrays), "red", "total"])
        out.both(1, f"subroutine step_{self.name}({names})")
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
        """The whole program: module of sizes and data, column routines, main routine, regions, fill and show."""
        rng = self.rng
        result = Program(self.name)
        self.data_module(result)
        for number in range(rng.randint(0, 3)):
            self.column_routine(number)
        columns, self.out = self.out, Lines()
        separate = bool(self.routines) and rng.random() < 0.4
        if separate:
            head = Lines()
            head.both(0, f"module {self.name}_cols", f"  {self.use_data()}", "  implicit none", "contains")
            end = [f"end module {self.name}_cols", ""]
            self.finish(result, f"{self.name}_cols", [*head.h, *columns.h, *end], [*head.p, *columns.p, *end])
            columns = Lines()
        self.step()
        steps, self.out = self.out, Lines()
        self.head(separate)
        end = [f"end module {self.name}", ""]
        self.finish(
            result, self.name, [*self.out.h, *columns.h, *steps.h, *end], [*self.out.p, *columns.p, *steps.p, *end]
        )
        result.layout.update(self.layout())
        return result

    def finish(self, result: Program, name: str, hybrid: list[str], plain: list[str]) -> None:
        result.hybrid[f"{name}.h90"] = "\n".join(hybrid)
        result.plain[f"{name}.f90"] = "\n".join(plain)

    def use_data(self) -> str:
        """An import of the sizes and data, with or without only."""
        names = ["third", *(["md"] if self.data else []), *([] if self.sizes_as_arguments else SIZES)]
        return f"use {self.name}_data" + (f", only: {', '.join(names)}" if self.rng.random() < 0.5 else "")

    def constants(self) -> str:
        v = self.grid.values
        return f"integer, parameter :: nx = {v['x']}, ny = {v['y']}, nz = {v['z']}, nl = 2"

    def data_module(self, result: Program) -> None:
        pre = Lines()
        pre.both(0, f"module {self.name}_data", "  implicit none", "  real(8), parameter :: third = 1.d0/3")
        if not self.sizes_as_arguments:
            pre.both(1, self.constants())
        if self.data:
            pre.both(1, f"real(8) :: md{self.grid.shape('xyz')}")
            pre.hybrid(1, self.block("autoDom, host"), "md", "@end domainDependant")
        pre.both(0, f"end module {self.name}_data", "")
        self.finish(result, f"{self.name}_data", pre.h, pre.p)

    def head(self, separate: bool) -> None:
        """The main module up to the routines with regions."""
        out, g = self.out, self.grid
        out.both(0, f"module {self.name}", f"  {self.use_data()}")
        if separate:
            out.both(1, f"use {self.name}_cols")
        out.both(1, "implicit none")
        out.both(0, "contains")
        out.both(1, "subroutine run()")
        if self.sizes_as_arguments:
            out.both(2, self.constants())
        for a in self.arrays:
            out.both(2, f"real(8) :: {a.name}{g.shape(a.dims)}")
        out.both(2, "real(8) :: red, total", "integer :: n", "red = 0.5d0; total = 0")
        arguments = list(SIZES) if self.sizes_as_arguments else []
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

    def layout(self) -> dict[str, object]:
        """Options that put the domains into another order, or into blocks."""
        g, it = self.grid, self.grid.iterators
        order = self.rng.choice(
            ("z x y l", "l z y x", "y x l z", "x:3 z l x y", "x:2 z x y l", "z x:4 y l x", "y:2 z x l y")
        )
        letters = (letter.partition(":") for letter in order.split())
        more = {"z": ("k",), "x": ("ix",), "y": ("iy",)}
        domains = {it[d]: DomainSpec((g.size(d),), (it[d], *more[d])) for d in "xyz"}
        domains["l"] = DomainSpec(("nl",), ("il",))
        return {"layout": " ".join(it.get(d, d) + colon + n for d, colon, n in letters), "domains": domains}

    def fill_and_show(self, dims: str, arguments: Sequence[str]) -> None:
        """Routines that touch an array element by element, so that they are right in any order."""
        out, g = self.out, self.grid
        loops = [f"do i{d} = {g.low[d]}, {g.high[d]}" for d in reversed(dims)]
        element = f"a({','.join('i' + d for d in dims)})"
        weights = {"x": "0.7d0", "y": "0.31d0", "z": "0.17d0", "l": "1.3d0"}
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
