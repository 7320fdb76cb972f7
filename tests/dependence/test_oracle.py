"""Random nests, judged by running them: nothing proved is wrong, nothing refuted is wrong, and little is left open.

``HFPY_NESTS=20000`` runs more of them.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from hfpy.analyze.dependence.answers import Proved, Refuted, Unknown
from hfpy.analyze.dependence.queries import Engine
from tests.dependence.notation import do, meets, nest, put, reads_from_outside, run, when

NESTS = int(os.environ.get("HFPY_NESTS", "250"))
SIZES = [(n, m, kk) for n in range(1, 6) for m in range(1, 5) for kk in (-1, 0, 2)]
VALUES = range(0, 4)
TABLES = 8


def index(rnd: random.Random, names: list[str], functions: bool, products: bool) -> str:
    v, w = rnd.choice(names), rnd.choice(names)
    texts = [v, f"{v}+1", f"{v}-1", f"2*{v}", f"2*{v}+1", f"n-{v}", f"({v}-3)/2", f"mod({v}-2,3)", f"min({v},m)"]
    texts += [f"max({v},2)", f"{v}+{w}", f"{v}-2*{w}", "1", "n", "kk", f"{v}+kk", v, v]
    if products:
        texts += [f"n*({names[0]}-1)+{names[-1]}", f"n*({names[0]}-1)+{names[-1]}+1", f"m*{v}+{w}"]
    if functions:
        texts += [f"ix({v})", f"ix({v}+1)", f"ix(mod({v},2))", f"ix({v})+{w}"]
    return rnd.choice(texts)


def condition(rnd: random.Random, names: list[str], functions: bool) -> str:
    v = rnd.choice(names)
    texts = [
        f"{v}>1",
        f"{v}==1",
        f"{v}!=2",
        f"{v}==kk",
        f"mod({v},2)==0",
        f"{v}>1 and {v}<n",
        f"{v}<2 or {v}>m",
        "kk>0",
    ]
    if functions:
        texts += [f"p({v})", f"p({v}+1)", f"not p({v})", f"ix({v})>2", f"p({v}) and {v}>1", f"{v}==ix({names[0]})"]
    return rnd.choice(texts)


def statement(rnd: random.Random, names: list[str], functions: bool, products: bool, rank: int):
    def element() -> str:
        places = [index(rnd, names, functions, products) for _ in range(rank)]
        if rnd.random() < 0.15:
            low, high = rnd.choice([("1", "m"), ("1", names[-1]), ("2", "n"), (names[0], f"{names[0]}+1")])
            places[rnd.randrange(rank)] = f"R({low},{high})"
        return f"a({','.join(places)})"

    writes = [element()] if rnd.random() < 0.8 else []
    reads = [element()] if rnd.random() < 0.6 or not writes else []
    constant = rnd.choice(["1", names[-1], "ix(kk)" if functions else "kk"])
    return put(writes, *reads, value=constant if rnd.random() < 0.2 and not reads else "")


def body(rnd: random.Random, names: list[str], functions: bool, products: bool, rank: int, depth: int) -> list:
    found = []
    for _ in range(rnd.choice([1, 1, 2])):
        kind = rnd.random()
        if depth < 2 and kind < 0.4:
            bounds = [("1", "m"), ("1", "n"), ("i", "n"), ("1", "i"), ("i", "min(i+1,n)"), ("2", "m-1")]
            bounds += [("ix(i)", "m")] if functions else []
            low, high = rnd.choice(bounds)
            step = rnd.choice(["1", "1", "1", "2", "-1", "-2"])
            low, high = (high, low) if step.startswith("-") else (low, high)
            var = "jklq"[depth + 2 * rnd.randrange(2)] if "ij" not in "".join(names) else "kq"[rnd.randrange(2)]
            if var in names:
                continue
            found.append(do(var, low, high, *body(rnd, [*names, var], functions, products, rank, depth + 1), step=step))
        elif kind < 0.65:
            other = [statement(rnd, names, functions, products, rank)] if rnd.random() < 0.4 else []
            then = [statement(rnd, names, functions, products, rank)]
            found.append(when(condition(rnd, names, functions), *then, other=other))
        else:
            found.append(statement(rnd, names, functions, products, rank))
    return found or [statement(rnd, names, functions, products, rank)]


def make(rnd: random.Random):
    """A nest, its points, and whether it is affine."""
    functions, products = rnd.random() < 0.4, rnd.random() < 0.15
    rank = rnd.choice([1, 1, 2])
    step = rnd.choice(["1", "1", "1", "2", "-1"])
    low, high = rnd.choice([("1", "n"), ("2", "n"), ("1", "m")])
    low, high = (high, low) if step == "-1" else (low, high)
    if rnd.random() < 0.3:
        inner = body(rnd, ["i", "j"], functions, products, rank, 1)
        return [do("i", low, high, do("j", "1", "m", *inner), step=step)], ["i", "j"], not (functions or products)
    return (
        [do("i", low, high, *body(rnd, ["i"], functions, products, rank, 0), step=step)],
        ["i"],
        not (functions or products),
    )


def runs(tree, rnd: random.Random, affine: bool) -> Iterator[list]:
    """The nest's accesses with small sizes and, where it has functions, with some of their values."""
    for n, m, kk in SIZES:
        for _ in range(1 if affine else TABLES):
            values: dict[tuple, int] = {}

            def function(name: str, args: tuple, values: dict = values) -> int:
                if (name, args) not in values:
                    values[name, args] = rnd.randrange(2) if name == "p" else rnd.choice(VALUES)
                return values[name, args]

            yield run(tree, {"n": n, "m": m, "kk": kk}, function)


@pytest.mark.full
def test_against_runs() -> None:
    rnd = random.Random(7)
    engine = Engine()
    counts: Counter[str] = Counter()
    for number in range(NESTS):
        tree, points, affine = make(rnd)
        model = nest(tree, points)
        answer = engine.independent(model, "a")
        private = engine.private(model, "a")
        found = list(runs(tree, rnd, affine))
        real = [meets(touched, points, "a") for touched in found]
        reported = f"nest {number}: {tree}\n{answer}"
        match answer:
            case Proved():
                assert answer.repeated or not any(real), reported
                counts["proved"] += 1
            case Refuted(witness=witness) | Unknown(kind="condition" | "distinct", witness=witness):
                assert witness is not None and replayed(tree, points, witness), reported
                counts["refuted" if isinstance(answer, Refuted) else answer.kind] += 1
            case Unknown(kind=kind):
                counts[kind] += 1
        if isinstance(private, Proved):
            counts["private"] += 1
            assert not any(reads_from_outside(touched, points, "a") for touched in found), reported
        if affine:
            counts["affine"] += 1
            # What sizes decide is decided by no one; it counts as open only if the runs all agree.
            some = any(real) and not all(real)
            open_ = isinstance(answer, Unknown) and not (answer.kind in ("parameter", "condition") and some)
            counts["open"] += open_
        if not any(reads_from_outside(touched, points, "a") for touched in found):
            counts["could be private"] += 1
    print(dict(counts), engine.sets.asked)
    assert counts["open"] <= 0.05 * counts["affine"], counts
    assert min(counts["proved"], counts["refuted"], counts["private"]) > NESTS / 20


def replayed(tree, points: list[str], witness) -> bool:
    given = dict(witness.given)
    if any(name.startswith("*") for name in given) or any(abs(v) > 60 for v in given.values()):
        return True  # a product's value is free, and what is large takes too long
    values = lambda name, args: given.get(f"{name}({','.join(map(str, args))})", 0)  # noqa: E731
    sizes = {"n": 3, "m": 3, "kk": 0, **{k: v for k, v in given.items() if k.isidentifier()}}
    return meets(run(tree, sizes, values), points, "a")
