"""Arrays of unknown size (``a(*)``) in directives for devices: the part that a region uses, copied for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.backends.c.device import DeviceRoutines
from hfpy.backends.c.values import CannotPrint, Refusals
from hfpy.backends.called import refused
from hfpy.backends.refused import ASSUMED_SIZE, unknown_size
from hfpy.backends.unsized import Measured
from hfpy.diagnostics import Diagnostic
from hfpy.model.expressions import Fragment
from hfpy.model.names import derived
from hfpy.model.source import LogicalLine
from hfpy.model.units import OldSize, Routine
from hfpy.parse.expressions.fragments import expanded
from hfpy.transform.declarations import with_unknown_size
from hfpy.transform.text.edits import Edit
from hfpy.values import dataclass


@dataclass(frozen=True)
class Section:
    """A part of an array of unknown size for a directive: the array, the variable with the last index of its last
    dimension, what the host gives it, and the section's text.
    """

    array: str
    variable: str
    last: str
    text: str


def section(measured: Measured, body: RegionBody, data: DataObject, device: DeviceRoutines) -> Section:
    """The part of an array of unknown size that a region uses, in whole columns. Raises CannotPrint, or Unprintable
    with the statement, where it is not known, or where the last column may be there in part only.
    """
    macros = body.facts.application.macros_of(body.key)

    def lasting(bound: Fragment) -> Fragment | None:
        plain = expanded(bound, macros)
        return plain if device.lasting(plain.names, data.home, body.key) is not None else None

    used = measured.used(data, lasting)
    if not used.whole_columns:
        what = unknown_size(data.name)
        raise CannotPrint(what, hint=ASSUMED_SIZE, also=": its last column may be there in part only")
    variable = derived("hf_size_", data.name)
    low = "" if used.lower.text == "1" else used.lower.text
    dims = [":"] * (data.rank - 1) + [f"{low}:{variable}"]
    return Section(data.name, variable, used.last(used.elements), f"{data.name}({','.join(dims)})")


class Sections:
    """The parts of arrays of unknown size that the regions of one routine use. ``found`` is filled on the way."""

    def __init__(self, routine: Routine, backend: str, device: DeviceRoutines) -> None:
        self.found: list[Diagnostic] = []
        self._routine = routine
        self._backend = backend
        self._device = device
        self._old: dict[str, OldSize] = {}
        self._declared: set[str] = set()

    def of(
        self, body: RegionBody, unsized: Sequence[DataObject], line: LogicalLine, addressed: bool
    ) -> tuple[Section, ...]:
        """The parts that a region uses; ``addressed`` regions, whose arrays are in hfpy's own table, have none."""
        made, measured = [], Measured(body)
        refusals = Refusals(self._routine.file)
        for data in unsized:
            if data.symbol.old_size is not None:
                self._old[data.name] = data.symbol.old_size
            with refusals.at(line):
                if addressed:
                    what = unknown_size(data.name)
                    raise CannotPrint(what, hint=ASSUMED_SIZE, also=": arrays are shared with another backend")
                made.append(section(measured, body, data, self._device))
        self.found += [refused(p.what, self._backend, p.line, p.file, p.hint, p.also) for p in refusals.problems]
        return tuple(made)

    def declarations(self) -> Iterator[Edit]:
        """The edits of declarations with 1 for an extent that is not known, each once."""
        for name in sorted(self._old.keys() - self._declared):
            self._declared.add(name)
            made = with_unknown_size(name, self._old[name], self._routine.file)
            if isinstance(made, Diagnostic):
                self.found.append(made)
            else:
                yield made
