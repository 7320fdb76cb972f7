"""What becomes of plain loops when regions are looked for (:mod:`hfpy.transform.loops.automatic`)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hfpy.analyze.callgraph.graph import CallGraph
from hfpy.analyze.effects.effects import Effects
from hfpy.diagnostics import Diagnostic, Place
from hfpy.model.application import Application
from hfpy.model.directives import Reduction
from hfpy.model.statements import Construct
from hfpy.transform.settled import Settled
from hfpy.values import dataclass

Stated = Mapping[tuple[str, int], str]
Brought = Mapping[str, tuple[str, ...]]  # arrays that routines bring to the device
Loops = frozenset[tuple[str, int]]  # by file and line
NOTHING: Stated = MappingProxyType({})


@dataclass(frozen=True)
class Verdict:
    """What became of one loop of a routine: the iterators of its region, outermost first, and the reductions of that;
    or why it is none. ``nested`` are the loops that are right in each other from this one on. ``inside`` says that it
    is in a region, or in a routine that is called in one. ``clause`` would make a region of it, if the user can
    state that. ``last`` is its last line. ``columns`` are iterators of a stretch whose loops over them were taken out;
    ``beside`` says what is in the way of code for one column around a serial loop, ``against`` all that was found
    against a region. Lines are the user's.
    """

    key: str
    loop: Construct
    place: Place
    last: int
    iterators: tuple[str, ...] = ()
    nested: int = 1
    reductions: tuple[Reduction, ...] = ()
    why: str = ""
    clause: str = ""
    stated: str = ""
    inside: bool = False
    holds: bool = False
    columns: tuple[str, ...] = ()
    beside: str = ""
    against: tuple[Diagnostic, ...] = ()

    @property
    def region(self) -> bool:
        """Whether the loop has become a region."""
        return bool(self.iterators)


@dataclass(frozen=True)
class Automatic:
    """An application with the regions that were found, what became of each loop, and the call graph of the application
    without them. ``brought`` are arrays that routines bring to the device for what they call. ``effects`` are those
    with which the application was judged in the end.
    """

    settled: Settled
    verdicts: tuple[Verdict, ...]
    graph: CallGraph
    brought: Brought
    effects: Effects | None = None

    @property
    def original(self) -> Application:
        """The application without the regions."""
        return self.graph.application
