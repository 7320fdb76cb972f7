"""The furthest element that a nest touches, against nests that are run: small ones, drawn at random."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Iterator, Mapping
from random import Random

import pytest

from hfpy.analyze.dependence.forms import Application, Atom, Form, Index, Parameter, atom, extreme, number, substituted
from hfpy.analyze.dependence.furthest import End, Layout, NotTold, furthest
from hfpy.analyze.dependence.model import Access, Compare, Condition, Every, Instance, Loop, Section, holds

N, M, LD = (atom(Parameter(name)) for name in ("n", "m", "ld"))
ROW, COL = (atom(Index(name)) for name in ("i", "j"))
ONE_DIMENSION = Layout((number(1),), (number(1),))


def loop(name: str, low: Form, high: Form, step: int = 1) -> Loop:
    return Loop(Index(name), low, high, number(step))


def access(*subscripts: Form | Section, loops: tuple[Loop, ...], guards: tuple[Condition, ...] = ()) -> Access:
    return Access("a", subscripts, False, Instance(loops, guards))


def value(form: Form, values: Mapping[str, int]) -> int:
    known: dict[Atom, Form] = {Parameter(name): number(v) for name, v in values.items()}
    known |= {Index(name): number(v) for name, v in values.items()}
    found = substituted(form, known).constant
    assert found is not None, form.text
    return found


def true(condition: Condition, values: Mapping[str, int]) -> bool:
    if isinstance(condition, Compare):
        found = value(condition.form, values)
        return {">=": found >= 0, "=": found == 0, "!=": found != 0}[condition.op]
    held = (true(c, values) for c in condition.of)
    return all(held) if isinstance(condition, Every) else any(held)


def turns(loops: tuple[Loop, ...], values: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """The values of the variables of loops, turn by turn."""
    if not loops:
        yield dict(values)
        return
    first, *rest = loops
    low, high, step = (value(f, values) for f in (first.lower, first.upper, first.step))
    for at in range(low, high + (1 if step > 0 else -1), step):
        yield from turns(tuple(rest), {**values, first.index.name: at})


def touched(tested: Access, layout: Layout, values: Mapping[str, int]) -> int:
    """How many elements lie up to the furthest that is touched; 0 if none is."""
    most = 0
    for at in turns(tested.at.loops, values):
        if all(true(g, at) for g in tested.at.guards):
            place = sum(
                (value(s, at) - value(low, at)) * value(stride, at)
                for s, low, stride in zip(tested.subscripts, layout.lower, layout.strides, strict=True)
                if isinstance(s, Form)
            )
            most = max(most, place + 1)
    return most


def reported(ends: tuple[End, ...], values: Mapping[str, int]) -> int:
    return max([0, *(value(e.elements, values) for e in ends if all(true(c, values) for c in e.conditions))])


def drawn(rng: Random) -> tuple[tuple[Access, ...], Layout]:
    """Some accesses of one array, in loops that may depend on each other."""
    layout = ONE_DIMENSION if rng.random() < 0.5 else Layout((number(1), number(0)), (number(1), LD))
    outer = loop("i", number(rng.choice((1, 2))), N, rng.choice((1, 1, 2)))
    if rng.random() < 0.3:
        outer = loop("i", N, number(1), rng.choice((-1, -2)))
    inner = rng.choice((None, loop("j", number(1), M), loop("j", number(1), ROW), loop("j", ROW, N), loop("j", ROW, M)))
    inner = inner if inner is None or rng.random() < 0.8 else loop("j", number(1), M, rng.choice((2, 3)))
    loops = (outer,) if inner is None else (outer, inner)
    accesses = []
    for _ in range(rng.choice((1, 2))):
        terms = [ROW, N - ROW + number(1), ROW.times(2), M * ROW - M + number(1), number(3), N]
        terms += [COL, ROW + COL, ROW - COL + M, (COL - number(1)) * N + ROW] if inner is not None else []
        subscripts = tuple(rng.choice(terms) for _ in layout.lower)
        guard = rng.choice(((), (), (Compare(M - number(2), ">="),), (Compare(ROW - number(2), ">="),)))
        accesses.append(access(*subscripts, loops=loops, guards=guard))
    return tuple(accesses), layout


def test_ends_are_those_of_the_nest_as_it_runs() -> None:
    """Never further than what is touched, and never less: for all sizes."""
    rng, known = Random(12), 0
    for _ in range(100):
        accesses, layout = drawn(rng)
        try:
            ends = furthest(accesses, layout)
        except NotTold:
            continue
        known += 1
        for n in (-1, 0, 1, 2, 5):
            for m in (0, 1, 2, 4):
                # Elements before the array's begin, and strides below what an index means, are in no program.
                values = {"n": n, "m": m, "ld": 9}
                expected = max(touched(a, layout, values) for a in accesses)
                assert reported(ends, values) == expected, (accesses, values, ends)
    assert known > 40


@pytest.mark.parametrize(
    ("why", "tested"),
    [
        ("whether this is executed", access(ROW, loops=(loop("i", number(1), N),), guards=(holds("x", (ROW,)),))),
        ("not linear", access(atom(Application("k", (ROW,))), loops=(loop("i", number(1), N),))),
        ("not linear", access(ROW * ROW, loops=(loop("i", number(1), N),))),
        ("not linear", access(ROW * COL, loops=(loop("i", number(1), N), loop("j", number(1), ROW)))),
        (
            "values that only the region knows",
            access(ROW + atom(Application("k", ())), loops=(loop("i", number(1), N),)),
        ),
        ("how far its loops go", access(ROW, loops=(loop("i", number(1), N), loop("j", ROW, M)))),
        ("where its sections end", access(Section(number(1)), loops=(loop("i", number(1), N),))),
    ],
)
def test_what_is_not_known_is_told(why: str, tested: Access) -> None:
    with pytest.raises(NotTold) as found:
        furthest((tested,), ONE_DIMENSION)
    assert why in found.value.why


def test_an_access_that_surely_goes_as_far_makes_up_for_one_that_may_not_happen() -> None:
    loops = (loop("i", number(1), N),)
    perhaps = access(ROW - number(1), loops=loops, guards=(Compare(ROW - number(2), ">="),))
    left = access(COL, loops=(*loops, loop("j", number(1), extreme("min", (ROW, atom(Application("last", (ROW,))))))))
    assert furthest((perhaps, left, access(ROW, loops=loops)), ONE_DIMENSION)[0].elements == N


def test_many_accesses_take_few_sums() -> None:
    """As in the passes of an FFT: sections of one work array, which begin at sums of sizes."""
    sizes = [atom(Parameter(name)) for name in ("ido", "l1", "mp", "one")]
    places = [x + y.times(n) + z for n, x in enumerate(sizes, 1) for y in sizes for z in sizes]
    loops = (loop("i", number(1), N), loop("j", number(2), M))
    used = [access(ROW + COL * LD + place, loops=loops) for place in places[:24]]
    profile = cProfile.Profile()
    with pytest.raises(NotTold):
        profile.runcall(furthest, used, ONE_DIMENSION)
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    assert sum(calls for (_, _, name), (_, calls, *_) in stats.items() if name == "_sum") < 4000
