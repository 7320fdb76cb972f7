"""``hfpy explain --schedule``: what the optimiser made of a routine, and why the alternatives lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from hfpy.analyze.facts import Facts
from hfpy.model.units import FileIndex
from hfpy.transform.passes import Refusal
from hfpy.transform.pipelines import Lowered

_RULES = {
    1: "arrays are read at constant offsets",
    2: "arrays are written at the point itself",
    3: "no array is read at a neighbour and written",
    5: "written arrays have one name",
    6: "a region holds assignments and conditions only",
    7: "bounds do not depend on what is computed",
    9: "directives can keep regions apart",
    8: "a block of columns is computed like one column",
}


def show_schedules(facts: Facts, made: Lowered, name: str | None) -> str:
    """The schedules of one routine (by name, ``module::name`` or the name of one of its kernels), or of all with
    regions; empty if there is none.
    """
    wanted = re.sub(r"^hfk\d+_", "", name.lower()) if name is not None else None
    looked_at = dict.fromkeys(key for step in made.steps for key in step.made.refusals)
    keys = [k for k in looked_at if wanted is None or wanted in (k, facts.routine(k).name)]
    return "\n\n".join("\n".join(_routine(facts, made, key)) for key in keys)


def _routine(facts: Facts, made: Lowered, key: str) -> Iterator[str]:
    routine = facts.routine(key)
    place = routine.place()
    line = facts.application.file(key).user_line(place.line - 1)
    yield f"{routine.kind} {routine.name}  ({place.file}:{line}), target {facts.target}"
    for step in made.steps:
        yield from step.done.explain(step.made, step.before, key)
    for step in made.steps:
        index = step.before.application.file(key)
        yield from (_refusal(refusal, index) for refusal in step.made.refusals.get(key, ()))


def _refusal(refusal: Refusal, index: FileIndex) -> str:
    place = f"{PurePath(refusal.place.file).name}:{index.user_line(refusal.place.line - 1)}"
    return f"  {place}: stays as it is: {refusal.text} (rule {refusal.rule}: {_RULES[refusal.rule]})"
