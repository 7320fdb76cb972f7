"""What is wrong with scripts, each fault reported once: at the first kernel that meets it, with how many more do."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace

from hfpy.diagnostics import Diagnostic, Place, Related, error


@dataclass(frozen=True)
class Fault:
    """A fault of a script: a code, a message, the line of the script (None: there is none) with what is said there."""

    code: str
    message: str
    hint: str = ""
    place: Place | None = None
    reported: str = "here"


@dataclass
class Faults:
    """The diagnostics so far. A fault is one with another where both are at one line of a script, with one code."""

    found: list[Diagnostic] = field(default_factory=list)
    _known: dict[tuple[str, Hashable], int] = field(default_factory=dict)
    _others: dict[int, list[Place]] = field(default_factory=dict)

    def tell(self, fault: Fault, kernel: Place) -> None:
        """Say what is wrong at a kernel's directive, or that an earlier kernel's fault is met there too."""
        place: Hashable = fault.message if fault.place is None else replace(fault.place, column=0, length=1)
        related = (Related(fault.place, fault.reported),) if fault.place is not None else ()
        self._add(place, error(fault.code, fault.message, kernel, fault.hint, related))

    def tell_all(self, refused: Iterable[Diagnostic]) -> None:
        """Say why transformations are refused, once for all kernels of which one line of a script asks the same in
        vain.
        """
        for found in refused:
            self._add((found.message, *(related.place for related in found.related)), found)

    def _add(self, place: Hashable, fault: Diagnostic) -> None:
        number = self._known.setdefault((fault.code, place), len(self.found))
        if number == len(self.found):
            self.found.append(fault)
            return
        kernel = fault.place
        others = self._others.setdefault(number, [])
        others.append(kernel)
        several = f"for {len(others)} more kernels, the first of which is" if len(others) > 1 else "for another kernel,"
        first = self.found[number]
        kept = tuple(r for r in first.related if r.place != others[0])
        self.found[number] = replace(first, related=(*kept, Related(others[0], f"the same {several} here")))
