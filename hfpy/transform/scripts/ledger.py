"""What has been done to kernels: the transformations of each, and all kernels that came about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hfpy.diagnostics import Place
from hfpy.transform.stencil.locals import Locals

if TYPE_CHECKING:
    from hfpy.transform.scripts.kernel import Kernel
    from hfpy.transform.scripts.questions import Questions


@dataclass(frozen=True)
class Step:
    """A transformation that was done: the call as text, and the line of the script, or who else asked for it."""

    call: str
    script: Place | None
    by: str = ""

    def __str__(self) -> str:
        asked = self.script or self.by
        return f"{asked}: {self.call}" if asked else self.call


@dataclass
class Ledger:
    """Every kernel that transformations have made, and the new local variables of routines. ``kernels`` are the names
    of the program's kernels by routine and number. ``timed`` gives the seconds of a kernel's routine for sizes, in so
    many rounds; None where kernels cannot be run.
    """

    made: list[Questions] = field(default_factory=list)
    names: dict[str, Locals] = field(default_factory=dict)
    kernels: dict[tuple[str, int], str] = field(default_factory=dict)
    timed: Callable[[Kernel, Mapping[str, int], int], float] | None = None
