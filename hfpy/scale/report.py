"""What ``hfpy scale`` prints: a table, or values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hfpy.commands.tables import Table
from hfpy.scale.prediction import Prediction, predict, weak
from hfpy.scale.scalefile import Plan
from hfpy.values import dataclass


@dataclass(frozen=True)
class Row:
    """A prediction with its ``efficiency`` against the smallest number of processes that is predicted."""

    prediction: Prediction
    efficiency: float


def strong(plan: Plan) -> list[Row | int]:
    """The same grid on more and more processes; a number alone where it does not fit."""
    return _rows(plan, lambda n: predict(plan.program, plan.computer, n), lambda first, n: first / n)


def weakly(plan: Plan) -> list[Row | int]:
    """As many points for each process on more and more of them."""
    return _rows(plan, lambda n: weak(plan.program, plan.computer, n), lambda first, n: 1.0)


def _rows(
    plan: Plan, predicted: Callable[[int], Prediction | None], ideal: Callable[[int, int], float]
) -> list[Row | int]:
    made: list[Row | int] = []
    first: Prediction | None = None
    for processes in plan.processes:
        found = predicted(processes)
        if found is None:
            made.append(processes)
            continue
        first = first or found
        made.append(Row(found, first.seconds * ideal(first.processes, processes) / found.seconds))
    return made


def shown(plan: Plan, rows: Sequence[Row | int], title: str) -> Iterator[str | Table]:
    """The predictions as a text and a table."""
    yield f"{plan.name}, {title}"
    head = ("processes", "grid", "part", "step", "efficiency", "exchange", "hidden", "binds")
    yield Table(head, [_cells(row) for row in rows], frozenset(range(len(head) - 1)))


def _cells(row: Row | int) -> tuple[str, ...]:
    if isinstance(row, int):
        return (str(row), *[""] * 6, "does not fit: too few points or too little memory for each process")
    made = row.prediction
    grid, part = ("x".join(map(str, listed)) for listed in (made.grid, made.part.points))
    exchange = sum(made.spent.get(name, 0.0) for name in ("latency", "network", "packing", "staging"))
    times = time(made.seconds), f"{row.efficiency:.0%}", time(exchange), time(made.hidden)
    return (str(made.processes), grid, part, *times, f"{made.binds} {made.spent[made.binds] / made.seconds:.0%}")


def time(seconds: float) -> str:
    """A time with a unit in which it is easy to read."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    return ""


def as_values(plan: Plan, rows: Sequence[Row | int]) -> list[dict[str, object]]:
    """For JSON."""
    values: list[dict[str, object]] = []
    for row in rows:
        if isinstance(row, int):
            values.append({"processes": row, "fits": False})
            continue
        made = row.prediction
        values.append(
            {
                "processes": made.processes,
                "fits": True,
                "grid": list(made.grid),
                "part": [*made.part.points, made.part.levels],
                "seconds": made.seconds,
                "efficiency": row.efficiency,
                "spent": made.spent,
                "hidden": made.hidden,
                "binds": made.binds,
            }
        )
    return values
