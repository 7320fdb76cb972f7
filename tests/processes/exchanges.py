"""Cases of halo exchange: fields of all shapes, whose every point is checked by the program's own function of the
global index. Halos begin with a mark; beyond the boundary of the grid, points have a value by their index, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.processes.programs import Case

_SIZES = {"i": "nx", "j": "ny"}
_MARK = 17
Sides = tuple[int, int]


@dataclass(frozen=True)
class Field:
    """An array: its dimensions (``i`` and ``j`` have halos ``low`` and ``high``), type, and where it comes from."""

    name: str = "u"
    dims: str = "i j nz"
    type: str = "real(8)"
    form: str = "dummy"  # or allocatable (dummy), module, local, automatic, inserted
    low: Sides = (2, 2)
    high: Sides = (2, 2)
    literal: bool = False  # bounds such as -1 in the place of 1-2

    @property
    def cut(self) -> list[str]:
        """The domains of its dimensions."""
        return [d for d in self.dims.split() if d in _SIZES]

    @property
    def indices(self) -> list[str]:
        """An index for each dimension."""
        others = iter("kl")
        return [d if d in _SIZES else next(others) for d in self.dims.split()]

    @property
    def passed(self) -> bool:
        """Whether it is an argument."""
        return self.form in ("dummy", "allocatable")

    def bounds(self, dim: str) -> Sides | tuple[str, str]:
        """The first and last index of a dimension, as texts."""
        if dim not in _SIZES:
            low, _, high = dim.rpartition(":")
            return low or "1", high
        low, high = self.low["ij".index(dim)], self.high["ij".index(dim)]
        return str(1 - low) if self.literal else f"1-{low}", f"{_SIZES[dim]}+{high}"

    def shape(self, deferred: bool = False) -> str:
        """The list of dimensions of a declaration."""
        dims = [d for d in self.dims.split() if self.form != "inserted" or d not in _SIZES]
        spans = [":" if deferred else "{}:{}".format(*self.bounds(d)) for d in dims]
        return f"({', '.join(spans)})" if spans else ""

    def value(self, code: str) -> str:
        """A number as a value of the field's type."""
        base, _, kind = self.type.rstrip(")").partition("(")
        kind = kind or "4"
        match base:
            case "logical":
                return f"logical(mod({code}/7 + {code}/100 + {code}, 2) == 0, {kind})"
            case "complex":
                return f"cmplx({code}, -{code} - 1, {kind})"
            case "integer":
                return f"int({code}, {kind})" + (" * 5000000000_8" if kind == "8" else "")
        return f"real({code}, {kind})"

    def over_all(self, body: Sequence[str]) -> Iterator[str]:
        """Loops over all points."""
        pairs = list(zip(self.indices, self.dims.split(), strict=True))
        for index, dim in reversed(pairs):
            yield "do {} = {}, {}".format(index, *self.bounds(dim))
        yield from body
        yield from ("end do" for _ in pairs)


@dataclass(frozen=True)
class Exchange:
    """A case: one exchange of some fields on one decomposition. Without ``width`` it is as wide as ``halo``."""

    fields: tuple[Field, ...]
    size: Sides = (17, 15)
    domains: str = "ij"
    periodic: str = ""
    halo: tuple[Sides, Sides] = ((2, 2), (2, 2))
    width: Mapping[str, Sides] = field(default_factory=dict)
    corners: bool = True
    plain: bool = False  # directives in comments
    overlap: bool = False  # with a region after it that reads the fields

    def text(self, name: str) -> str:
        """The module of the case."""
        kept = [f"  {f.type}, allocatable :: {f.name}{f.shape(True)}" for f in self.fields if f.form == "module"]
        given = [f for f in self.fields if f.passed]
        arguments = ", ".join(f.name for f in given)
        rows = [f"module {name}", "use zoo", "implicit none", "integer :: nx, ny", *kept, "contains"]
        rows += ["subroutine setup()", *self._decomposition(), "end subroutine", f"subroutine work({arguments})"]
        rows += [*self._declarations(), *self._body(), "end subroutine", "subroutine run()"]
        rows += [f"{f.type}, allocatable :: {f.name}{f.shape(True)}" for f in given]
        rows += [f"current = '{name}'", "call setup()"]
        rows += [f"allocate({f.name}{f.shape()})" for f in self.fields if f.passed or f.form == "module"]
        rows += [f"call work({arguments})", *(f"deallocate({f.name})" for f in self.fields if f.form == "module")]
        return "\n".join([*rows, "end subroutine", "end module", ""])

    @property
    def _sign(self) -> str:
        return "!@" if self.plain else "@"

    def _decomposition(self) -> Iterator[str]:
        sizes = dict(zip("ij", self.size, strict=True))
        yield from (f"{_SIZES[d]} = {sizes[d]}" for d in "ij" if d not in self.domains)
        halo = ", ".join("{}:{}:{}".format(d, *self.halo["ij".index(d)]) for d in self.domains)
        lists = {
            "name": "dec",
            "domName": ", ".join(self.domains),
            "global": ", ".join(str(sizes[d]) for d in self.domains),
            "local": ", ".join(_SIZES[d] for d in self.domains),
            "halo": halo,
            "grid": "px, py" if len(self.domains) == 2 else "px*py",
            "periodic": ", ".join(d for d in self.domains if d in self.periodic),
        }
        yield f"{self._sign}decomposition{{{', '.join(f'{k}({v})' for k, v in lists.items() if v)}}}"

    def _declarations(self) -> Iterator[str]:
        for each in self.fields:
            match each.form:
                case "dummy":
                    yield f"{each.type}, intent(inout) :: {each.name}{each.shape()}"
                case "allocatable":
                    yield f"{each.type}, allocatable, intent(inout) :: {each.name}{each.shape(True)}"
                case "local":
                    yield f"{each.type}, allocatable :: {each.name}{each.shape(True)}"
                case "automatic" | "inserted":
                    yield f"{each.type} :: {each.name}{each.shape()}"
        if self.overlap:
            yield "integer :: probe(nx, ny)"
        yield "integer :: i, j, k, l, code_here, gi, gj, before_i, before_j"
        yield "logical :: low_i, high_i, low_j, high_j, dirty, beside_i, beside_j, far_i, far_j"
        for each in self.fields:
            if each.form == "inserted":
                sizes = ", ".join("{}:{}".format(*each.bounds(d)) for d in each.cut)
                yield f"@domainDependant{{domName({','.join(each.cut)}), domSize({sizes}), attribute(autoDom)}}"
                yield from (each.name, "@end domainDependant")

    def _body(self) -> Iterator[str]:
        yield "k = 1; l = 1"
        if self.overlap:
            yield "probe = 0"
        yield from (f"allocate({f.name}{f.shape()})" for f in self.fields if f.form == "local")
        for d in "ij":
            if d in self.domains:
                yield from (f"{d} = 0", f"before_{d} = global({d})")
                yield from (f"low_{d} = .not. onEdge({d}, low)", f"high_{d} = .not. onEdge({d}, high)")
            else:
                yield from (f"before_{d} = 0", f"low_{d} = .false.", f"high_{d} = .false.")
        for each in self.fields:
            yield from each.over_all(list(self._filled(each)))
        width = ", ".join("{}:{}:{}".format(d, *w) for d, w in self.width.items())
        more = f", width({width})" if width else ""
        more += "" if self.corners else ", corners(no)"
        more += ", mode(overlap)" if self.overlap else ""
        yield f"{self._sign}haloExchange{{fields({', '.join(f.name for f in self.fields)}){more}}}"
        yield from self._region() if self.overlap else ()
        for each in self.fields:
            yield from each.over_all(list(self._checked(each)))

    def _region(self) -> Iterator[str]:
        """A region that reads the fields, and sets each point of an array once."""
        yield "@parallelRegion{domName(i,j), domSize(nx,ny)}"
        for each in self.fields:
            indices = [i if i in "ij" else "1" for i in each.indices if each.form != "inserted" or i not in "ij"]
            point = f"{each.name}({', '.join(indices)})" if indices else each.name
            compared = ".eqv." if each.type.startswith("logical") else "=="
            yield f"if ({point} {compared} {point}) probe(i,j) = probe(i,j) + 1"
        yield from ("@end parallelRegion", "i = 0; j = 0")
        yield f"call told(all(probe == {len(self.fields)}), 'points of the region', 0, 0, 0, 0)"

    def _filled(self, each: Field) -> Iterator[str]:
        """The statements that set a point: its value, or the mark in a halo that a neighbour has."""
        yield from self._global(each)
        yield from (f"code_here = {self._code(each)}", "dirty = .false.")
        for d in each.cut:
            yield f"if (({d} < 1 .and. low_{d}) .or. ({d} > {_SIZES[d]} .and. high_{d})) dirty = .true."
        yield f"if (dirty) code_here = {_MARK}"
        yield f"{each.name}({', '.join(each.indices)}) = {each.value('code_here')}"

    def _checked(self, each: Field) -> Iterator[str]:
        """The statements that check a point: marks are left where nothing had to come."""
        yield from self._global(each)
        yield "dirty = .false.; beside_i = .false.; beside_j = .false.; far_i = .false.; far_j = .false."
        sizes = dict(zip("ij", self.size, strict=True))
        for d in each.cut:
            low, high = self._widths(d)
            yield f"dirty = dirty .or. ({d} < 1 .and. low_{d}) .or. ({d} > {_SIZES[d]} .and. high_{d})"
            if d not in self.domains:
                continue
            yield f"beside_{d} = {d} < 1 .or. {d} > {_SIZES[d]}"
            yield f"far_{d} = {d} < 1 - {low} .or. {d} > {_SIZES[d]} + {high}"
            if d in self.periodic:
                yield f"g{d} = 1 + modulo(g{d} - 1, {sizes[d]})"
        left = "far_i .or. far_j" + ("" if self.corners else " .or. (beside_i .and. beside_j)")
        yield f"code_here = {self._code(each)}"
        yield f"if (dirty .and. ({left})) code_here = {_MARK}"
        compared = ".eqv." if each.type.startswith("logical") else "=="
        point = f"{each.name}({', '.join(each.indices)})"
        yield f"call told({point} {compared} {each.value('code_here')}, '{each.name}', i, j, k, l)"

    def _widths(self, domain: str) -> Sides:
        if domain not in self.domains:
            return 0, 0
        return self.width.get(domain, (0, 0)) if self.width else self.halo["ij".index(domain)]

    def _global(self, each: Field) -> Iterator[str]:
        yield from (f"g{d} = {d} + before_{d}" if d in each.cut else f"g{d} = 0" for d in "ij")

    def _code(self, each: Field) -> str:
        others = [i for i in each.indices if i in "kl"]
        return f"code(gi, gj, {'k' if others else '1'}, {'l' if len(others) > 1 else '1'})"


def _two(**more: object) -> tuple[Field, ...]:
    return (Field(**more),)  # type: ignore[arg-type]


def exchanges() -> dict[str, Exchange]:
    """All cases by name."""
    one = _two()
    made = {
        "base": Exchange(one),
        **{f"periodic_{p}": Exchange(one, periodic=p) for p in ("i", "j", "ij")},
        "no_corners": Exchange(one, corners=False),
        "no_corners_periodic": Exchange(one, corners=False, periodic="ij"),
        "narrow": Exchange(one, width={"i": (1, 1), "j": (1, 1)}, periodic="ij"),
        "sides": Exchange(one, width={"i": (2, 1), "j": (0, 2)}, periodic="i"),
        "only_i": Exchange(one, width={"i": (2, 1)}, periodic="ij"),
        "only_j": Exchange(one, width={"j": (1, 2)}),
        "zero": Exchange(one, width={"i": (0, 0), "j": (0, 0)}),
        "wide": Exchange(_two(low=(3, 3), high=(3, 3)), halo=((3, 3), (3, 3)), periodic="ij"),
        "uneven": Exchange(_two(low=(1, 2), high=(3, 0)), halo=((1, 3), (2, 0)), periodic="j"),
        "no_halo_in_j": Exchange(_two(low=(2, 0), high=(2, 0)), halo=((2, 2), (0, 0)), periodic="i"),
        "no_halo": Exchange(_two(low=(0, 0), high=(0, 0)), halo=((0, 0), (0, 0))),
        "more_halo": Exchange(_two(low=(3, 3), high=(3, 3)), periodic="i"),
        "one_row": Exchange(_two(low=(1, 1), high=(1, 1)), size=(6, 6), halo=((1, 1), (1, 1)), periodic="ij"),
        "literal": Exchange(_two(literal=True), periodic="i"),
        "only_domain_i": Exchange(one, (29, 7), "i", "i"),
        "only_domain_j": Exchange(one, (5, 26), "j"),
        "line": Exchange(_two(dims="j", low=(2, 3), high=(2, 1)), (5, 26), "j", "j", ((2, 2), (3, 1))),
        "plain": Exchange(one, periodic="i", plain=True),
    }
    types = "real(4) integer(4) integer(8) logical complex(4) complex(8) integer real complex".split()
    made |= {f"type_{t.replace('(', '').rstrip(')')}": Exchange(_two(type=t), periodic="i") for t in types}
    orders = ("i", "j", "i j", "nz i j", "i nz j", "j i nz", "nz i 0:nl j")
    made |= {f"dims_{n}": Exchange(_two(dims=dims), periodic="ij"[n % 2 : n % 2 + 1]) for n, dims in enumerate(orders)}
    forms = ("allocatable", "module", "local", "automatic", "inserted")
    made |= {f"form_{form}": Exchange(_two(form=form), periodic="i") for form in forms}
    made |= {
        "forms": Exchange(
            (
                Field("u", "nz i 0:nl j", form="module"),
                Field("v", "j i", "integer", "local"),
                Field("w", "i j -1:1", form="allocatable"),
                Field("x", "j", form="automatic"),
                Field("y", "i j nz", "integer(4)", "inserted"),
                Field("z", "i j", form="inserted"),
            ),
            periodic="i",
        ),
        "types": Exchange(
            (
                Field("u"),
                Field("v", type="real(4)"),
                Field("m", type="logical"),
                Field("n", "i j", "integer(8)"),
                Field("z", "nz i j", "complex(4)"),
            ),
            periodic="j",
        ),
        "shapes": Exchange(
            (Field("u"), Field("v", "i j 0:nz"), Field("w", "i j"), Field("x", "i j -1:1"), Field("y")), periodic="ij"
        ),
        "one_cut_each": Exchange((Field("u", "i nz"), Field("v", "nz j"), Field("w", "i j")), periodic="ij"),
        "plain_shapes": Exchange(
            (Field("u", "nz i 0:nl j", "real(4)"), Field("v", "j i"), Field("w", "i"), Field("x", "j", "integer")),
            periodic="ij",
            plain=True,
        ),
        "many": Exchange(tuple(Field(f"f{n}", type=("real(8)", "real(4)")[n % 2]) for n in range(6)), periodic="ij"),
    }
    made |= {f"overlap_{name}": replace(case, overlap=True) for name, case in made.items() if not case.plain}
    return made


def exchange_cases(names: Sequence[str] = ()) -> dict[str, Case]:
    """The cases as files; some of them by name."""
    found = {}
    for name, case in exchanges().items():
        if not names or name in names:
            module = f"exchange_{name}"
            found[module] = Case(module, {f"{module}.{'f90' if case.plain else 'h90'}": case.text(module)})
    return found
