"""Vocabulary, comments and expressions of the synthetic code base: everything that fills the lines of its routines.

All choices come from a ``random.Random`` that the caller seeds, so the same scale gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

PACKAGES = ("dyn", "rad", "mp", "pbl", "sfc", "cnv", "ocn", "ice", "chm", "lnd")
TOPICS = (
    "advection", "diffusion", "saturation", "entrainment", "drag", "albedo", "longwave", "shortwave", "sediment",
    "turbulence", "closure", "canopy", "runoff", "snowpack", "aerosol", "ozone", "damping", "pressure", "buoyancy",
    "vorticity", "plume", "autoconv", "melting", "freezing", "roughness", "mixing", "transport", "budget", "filter",
    "flux", "tendency", "profile", "cover", "depth", "layer", "relax", "nudging", "source", "sink", "balance",
)  # fmt: skip
WORDS = (
    "the", "of", "a", "and", "level", "surface", "layer", "value", "field", "scheme", "model", "column", "grid", "cell",
    "boundary", "temperature", "moisture", "momentum", "energy", "height", "pressure", "density", "wind", "below",
    "above", "between", "computed", "stored", "limited", "positive", "previous", "step", "half", "full", "mass", "heat",
    "mean", "local", "upper", "lower", "inner", "explicit", "implicit", "coefficient", "length", "scale", "stable",
    "unstable", "note:", "see", "equation", "neighbour", "interpolated", "conserved", "budget", "radiation", "cloud",
    "don't", "isn't", "(optional)", "[m/s]", "[K]", "[kg/kg]", "[W/m2]", "e.g.", "cf.", "n.b.", "time", "per", "unit",
)  # fmt: skip
FIELDS_3D = ("temp", "qv", "qc", "uwind", "vwind", "tke", "rho", "ozone")
FIELDS_2D = ("tskin", "snow", "sflux", "precip")


class Writer:
    """Collects the lines of one file with indentation."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def put(self, level: int, *lines: str) -> None:
        """Add lines, indented by ``level`` steps of two; empty ones stay empty."""
        for line in lines:
            if len(line) + 2 * level > 100 and "!" not in line:
                self.lines.extend(wrapped(level, line))
            else:
                self.lines.append("  " * level + line if line else "")

    def text(self) -> str:
        """The file."""
        return "\n".join(self.lines) + "\n"


def sentence(rng: Random, count: int) -> str:
    """Some words in a row."""
    return " ".join(rng.choices(WORDS, k=count))


def header(rng: Random, out: Writer, title: str) -> None:
    """The long comment block at the top of a file."""
    rule = "!" + rng.choice("=-*~") * 78
    out.put(0, rule, f"! {title}: {sentence(rng, 6)}", "!")
    for paragraph in range(rng.randint(2, 3)):
        out.put(0, f"! {paragraph + 1}. {sentence(rng, 3)}")
        for _ in range(rng.randint(2, 5)):
            out.put(0, f"!    {sentence(rng, rng.randint(6, 11))}")
        out.put(0, "!")
    for year in sorted(rng.sample(range(1994, 2025), rng.randint(1, 5))):
        out.put(0, f"! {year}-{rng.randint(1, 12):02d}  {sentence(rng, rng.randint(4, 8))}")
    out.put(0, rule)


def doc(rng: Random, out: Writer, arguments: Sequence[str]) -> None:
    """The comment in front of a routine."""
    out.put(1, "!" + "-" * 70)
    for _ in range(rng.randint(1, 4)):
        out.put(1, f"!> {sentence(rng, rng.randint(5, 9))}")
    for name in arguments:
        out.put(1, f"!! @param {name:10s} {sentence(rng, 4)}")


def number(rng: Random) -> str:
    """A literal below one in one of the usual spellings."""
    value = rng.randint(2, 97) / 100
    return rng.choice((f"{value:.2f}_wp", f"{value:.2f}_wp", f"{value:.3f}d0", f"{value * 10:.1f}e-1_wp"))


def expression(rng: Random, operands: Sequence[str], depth: int) -> str:
    """A bounded expression over the operands: mixtures, limits and smooth functions."""
    if depth <= 0:
        return rng.choice(operands)
    first, second = expression(rng, operands, depth - 1), expression(rng, operands, depth - 1)
    c, d = number(rng), number(rng)
    return rng.choice(
        (
            f"{c}*{first} + (1.0_wp - {c})*{second}",
            f"0.5_wp*({first} + {second})",
            f"max({first}, {c}*{second})",
            f"min({first}, {second}, {d})",
            f"({first})/(1.0_wp + abs({second}))",
            f"sqrt({c} + abs({first}))",
            f"{c}*({first}) - {d}*({second})",
            f"exp(-abs({first}))*{c}",
            f"sign({c}, {first})*{d}",
            f"({first})**2/({c} + ({first})**2)",
        )
    )


def wrapped(level: int, statement: str) -> list[str]:
    """The statement in continued lines of at most 100 characters, cut at blanks or after parentheses."""
    lines: list[str] = []
    rest = "  " * level + statement
    while len(rest) > 100:
        cut = rest.rfind(" ", 40, 92)
        cut = cut + 1 if cut > 0 else rest.rfind("(", 40, 92) + 1
        lines.append(rest[:cut].rstrip() + " &")
        rest = "  " * (level + 3) + "& " + rest[cut:]
    return [*lines, rest]


Access = Callable[[str, str], str]


def body(
    rng: Random, out: Writer, level: int, fields: Sequence[str], access: Access, scalars: Sequence[str], count: int
) -> None:
    """Statements inside a loop over ``k``: assignments of scalars and fields, branches, comments.

    ``access(name, index)`` writes the access to a field at a level; the last field and the scalars are written.
    """
    target = fields[-1]
    for n, name in enumerate(scalars):
        value = expression(rng, [access(f, "k") for f in fields], 1 + n % 2)
        out.lines.extend(wrapped(level, f"{name} = {value}"))
    sources = [*(access(f, index) for f in fields[:-1] for index in ("k", "k-1")), *scalars]
    for n in range(count):
        kind = rng.random()
        value = expression(rng, sources, rng.randint(1, 3))
        name = rng.choice(scalars)
        if kind < 0.2:
            out.put(level, f"! {sentence(rng, rng.randint(4, 8))}")
        if kind < 0.55:
            out.lines.extend(wrapped(level, f"{name} = {value}"))
        elif kind < 0.7:
            low = number(rng)
            out.put(level, f"if ({name} {rng.choice(('>', '.gt.', '<=', '.LT.'))} {low}) then")
            out.lines.extend(wrapped(level + 1, f"{name} = {value}"))
            if rng.random() < 0.5:
                out.put(level, "else")
                out.put(level + 1, f"{name} = {number(rng)}*{rng.choice(sources)}  ! {sentence(rng, 2)}")
            out.put(level, rng.choice(("end if", "endif", "END IF")))
        elif kind < 0.8:
            out.put(level, f"if ({name} > {number(rng)}) {name} = {number(rng)}*{rng.choice(sources)}")
        elif n:
            out.lines.extend(
                wrapped(level, f"{access(target, 'k')} = {access(target, 'k')}*0.5_wp + 0.25_wp*({value})")
            )
        else:
            out.put(level, "")
    mixture = " + ".join(f"{0.5 / len(scalars):.4f}_wp*{s}" for s in scalars)
    out.lines.extend(wrapped(level, f"{access(target, 'k')} = 0.5_wp*{access(target, 'k')} + {mixture}"))
