"""A process that times one routine in several libraries, in turns: ``python -m hfpy.tune.worker``, a job as JSON in,
seconds or a reason as JSON out. It is a process of its own since compiled code may end it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from hfpy.kernels.calls import Routine
from hfpy.kernels.library import found
from hfpy.kernels.objects import Library
from hfpy.tune.arrays import Arrays, OnHost, arrays_by
from hfpy.tune.data import NoData, made_up
from hfpy.values import dataclass

_HOST = OnHost()
_LONG_ENOUGH = 0.01  # seconds that a measurement lasts at least …
_MOST_CALLS = 20  # … unless that takes more calls than this: fields that change must not run away


@dataclass(frozen=True)
class _Contender:
    """One library's routine with its arguments; ``fresh`` are arrays to put back before each measurement, ``there``
    are the names of those on a device, of which ``device`` knows more.
    """

    routine: Routine
    arguments: dict[str, Any]
    fresh: dict[str, Any]
    there: frozenset[str]
    device: Arrays

    def seconds(self, calls: int) -> float:
        """The time of one call, the mean of several."""
        for name, values in self.fresh.items():
            (self.device if name in self.there else _HOST).put(self.arguments[name], values)
        self.device.wait()
        begin = perf_counter()
        for _ in range(calls):
            self.routine(**self.arguments)
        self.device.wait()
        return (perf_counter() - begin) / calls


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Do a job: ``folders`` of libraries, the ``package`` that has arrays on their device (empty: they are for the
    CPU), the ``routine`` as module.name, ``sizes``, the number of ``rounds``.
    """
    try:
        contenders = _contenders(job)
    except NoData as reason:
        return {"refused": str(reason)}
    first = [min(c.seconds(1) for _ in range(2)) for c in contenders]
    calls = [max(1, min(_MOST_CALLS, round(_LONG_ENOUGH / max(s, 1e-9)))) for s in first]
    seconds: list[list[float]] = [[] for _ in contenders]
    for number in range(job["rounds"]):
        order = list(range(len(contenders)))
        for n in order if number % 2 == 0 else order[::-1]:
            seconds[n].append(contenders[n].seconds(calls[n]))
    return {"seconds": seconds}


def _contenders(job: dict[str, Any]) -> list[_Contender]:
    """The routine in each library; all work on the same arrays, so that none lies better in memory."""
    routines = [_routine(Path(folder), job["routine"], job["sizes"]) for folder in job["folders"]]
    arguments = made_up(routines[0], job["sizes"])
    device = arrays_by(job["package"])
    listed = [a for a in routines[0].arguments if a.extents]
    there = frozenset(a.name for a in listed if job["package"] and not a.on_host and a.base != "logical")
    fresh = {a.name: arguments[a.name].copy(order="F") for a in listed if a.changes}
    for values in (arguments, fresh):
        values |= {name: device.made(values[name]) for name in there & values.keys()}
    return [_Contender(routine, arguments, fresh, there, device) for routine in routines]


def _routine(folder: Path, name: str, sizes: dict[str, int]) -> Routine:
    built = found(folder)
    if built is None:
        raise NoData(f"{folder} holds no library")
    library = Library(built, {})
    routine = library.routines.get(name)
    if routine is None:
        raise NoData("it is no public routine of a module")
    if routine.refused:
        raise NoData(routine.refused)
    for module in library.modules.values():
        for scalar in module.scalars.keys() & sizes.keys():
            if not module.scalars[scalar].fixed:
                module.scalars[scalar].set(sizes[scalar])
    return routine


def main(_arguments: Sequence[str] = ()) -> None:
    """One job from standard input to standard output."""
    json.dump(run(json.load(sys.stdin)), sys.stdout)


if __name__ == "__main__":
    main()
