"""A program of many routines for pictures: drivers, physics and column routines in modules, with kernels in some."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

MODULES = 50
ROUTINES = 10
LAYERS = 6
_TOPICS = (
    "radiation",
    "cloud",
    "surface",
    "soil",
    "ocean",
    "chemistry",
    "turbulence",
    "convection",
    "dynamics",
    "tracer",
)
_PARTS = ("setup", "run", "update", "column", "flux", "solve")


def program(modules: int = MODULES, routines: int = ROUTINES, seed: int = 1) -> dict[str, str]:
    """The files of a program with ``modules * routines`` routines and a main program."""
    random = Random(seed)
    names = [f"{_TOPICS[m % len(_TOPICS)]}_{_PARTS[m // len(_TOPICS) % len(_PARTS)]}_{m}" for m in range(modules)]
    files = {f"{names[m]}.h90": "\n".join(_module(m, names, routines, random)) + "\n" for m in range(modules)}
    calls = [f"  call {names[m]}_1(nx, ny, a)" for m in range(max(1, modules // 6))]
    uses = [f"  use {names[m]}" for m in range(max(1, modules // 6))]
    head = [
        "program everything",
        *uses,
        "  implicit none",
        "  integer, parameter :: nx = 4, ny = 3",
        "  real :: a(nx, ny)",
    ]
    files["everything.f90"] = (
        "\n".join([*head, "  a = 1.0", *calls, "  print *, sum(a)", "end program everything"]) + "\n"
    )
    return files


def _module(number: int, names: list[str], routines: int, random: Random) -> Iterator[str]:
    """A module that calls the first routines of some of the next layer of modules."""
    name = names[number]
    layer = number * LAYERS // len(names) + 1
    below = [other for other in range(number + 1, len(names)) if other * LAYERS // len(names) == layer]
    later = random.sample(below, min(3, len(below)))
    yield f"module {name}"
    yield from (f"  use {names[other]}, only: {names[other]}_1" for other in later)
    yield from ("  implicit none", "contains")
    for routine in range(1, routines + 1):
        kernel = routine > 1 and routine % 3 == 0
        pointwise = routine % 3 == 1 and routine > 1
        own = [o for o in range(routine + 1, routines + 1) if o % 3 != 1]
        called = random.sample(own, min(2, len(own))) if not kernel and not pointwise else []
        yield from _routine(
            name, routine, called, [names[o] for o in later] if routine == 1 else [], kernel, pointwise, routines
        )
    yield f"end module {name}"


def _routine(
    module: str, number: int, called: list[int], others: list[str], kernel: bool, pointwise: bool, routines: int
) -> Iterator[str]:
    name = f"{module}_{number}"
    if pointwise:
        yield from (f"  pure subroutine {name}(x)", "    real, intent(inout) :: x", "    x = 0.5 * x + 1.0")
    else:
        yield f"  subroutine {name}(nx, ny, a)"
        yield from ("    integer, intent(in) :: nx, ny", "    real, intent(inout) :: a(nx, ny)")
        if kernel:
            yield "    @parallelRegion{domName(i,j), domSize(nx,ny)}"
            yield f"    call {module}_{number + 1}(a)" if number + 1 <= routines else "    a = a + 1.0"
            yield "    @end parallelRegion"
        yield from (f"    call {module}_{other}(nx, ny, a)" for other in called)
        yield from (f"    call {other}_1(nx, ny, a)" for other in others)
    yield f"  end subroutine {name}"
