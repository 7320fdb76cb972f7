"""Directives as values (hybrid-fortran.md §3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from hfpy.diagnostics import Place
from hfpy.model.expressions import Fragment
from hfpy.model.extents import Dim
from hfpy.model.source import LogicalLine


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain as a directive names it: iterator name (lower case) and size; a size ``n`` means 1 to n."""

    name: str
    extent: Dim

    @property
    def upper(self) -> Fragment:
        """The upper bound."""
        assert self.extent.upper is not None  # the grammar of directives lets no other domain through
        return self.extent.upper


@dataclass(frozen=True, slots=True)
class Reduction:
    """One ``reduction(op:name)``: operator in lower case, variable in lower case."""

    op: str
    name: str


@dataclass(frozen=True, slots=True)
class Width:
    """How many points of a halo: on the low and on the high side of a domain."""

    domain: str
    low: Fragment
    high: Fragment


@dataclass(frozen=True, slots=True)
class Region:
    """One ``@parallelRegion``. ``starts``/``ends`` are the effective bounds, one per domain.

    ``private`` are arrays of which every point has its own. ``independent`` are arrays in which no two points meet,
    ``distinct`` index arrays that take no value twice, as the user says. ``local`` are scalars whose values do not
    leave the region. ``loops`` says that the body's own ``do`` nest
    over the iterators serves as the loops (comment form). ``stated`` are those of ``startat`` and ``endat`` that were
    given. ``explicit`` says that all indices are written: nothing is inserted, and a name alone is the whole array.
    ``halo`` are the points of the halo that each process computes too, by the region's iterators.
    """

    domains: tuple[Domain, ...]
    starts: tuple[Fragment, ...]
    ends: tuple[Fragment, ...]
    applies_to: frozenset[str]
    line: LogicalLine
    place: Place
    template: str = ""
    reductions: tuple[Reduction, ...] = ()
    vector: bool = False
    strides: tuple[Fragment, ...] = ()
    name: str = ""
    backend: str = ""
    schedule: str = ""
    collapse: int = 0
    private: tuple[str, ...] = ()
    independent: tuple[str, ...] = ()
    distinct: tuple[str, ...] = ()
    local: tuple[str, ...] = ()
    hints: tuple[tuple[str, tuple[str, ...]], ...] = ()
    loops: bool = False
    stated: frozenset[str] = frozenset()
    explicit: bool = False
    halo: tuple[Width, ...] = ()

    def entries(self, hint: str) -> tuple[str, ...]:
        """What an attribute such as ``fuse`` or ``annotate`` has, as written, wherever it is given."""
        return tuple(entry for name, entries in self.hints if name == hint for entry in entries)

    @property
    def annotations(self) -> dict[str, str]:
        """What ``annotate(column:k, stencil)`` says: keys in lower case, values as written (empty for a key alone)."""
        parts = [entry.partition(":") for entry in self.entries("annotate")]
        return {key.strip().lower(): value.strip() for key, _, value in parts}

    @property
    def scripts(self) -> tuple[tuple[str, str], ...]:
        """The modules and functions that ``transform(module:function)`` names (empty: that of the kernel's name)."""
        parts = [entry.partition(":") for entry in self.entries("transform")]
        return tuple((module.strip(), function.strip()) for module, _, function in parts)

    @property
    def sizes(self) -> tuple[tuple[str, int], ...]:
        """The sizes that ``specialise(nz:60, n1)`` names, in lower case, with their values (0: none is given)."""
        entries = (*self.entries("specialise"), *self.entries("specialize"))
        parts = [entry.partition(":") for entry in entries]
        return tuple((name.strip().lower(), int(number or 0)) for name, _, number in parts)

    def factors(self, hint: str) -> tuple[tuple[str, int], ...]:
        """The iterators that ``unroll(j:2)`` or ``tile(i:32, j:8)`` names, with their numbers; none without it."""
        found = next((entries for name, entries in self.hints if name == hint), ())
        parts = [entry.partition(":") for entry in found]
        return tuple((name.strip().lower(), int(number)) for name, _, number in parts)

    @property
    def bound_names(self) -> frozenset[str]:
        """Every name that its bounds and strides mention."""
        return frozenset(n for bound in (*self.starts, *self.ends, *self.strides) for n in bound.names)

    @property
    def fusion(self) -> str:
        """What ``fuse(…)`` says, in lower case: ``no``, the name of a group, or nothing."""
        return next((entries[0].lower() for name, entries in self.hints if name == "fuse"), "")

    @property
    def queue(self) -> int:
        """The number of the queue that ``async(…)`` names; 0 without it."""
        return next((int(entries[0]) for name, entries in self.hints if name == "async"), 0)

    @property
    def iterators(self) -> tuple[str, ...]:
        """The iterator names in the order of the directive (first is the innermost loop)."""
        return tuple(d.name for d in self.domains)

    def active(self, target: str) -> bool:
        """Whether the region has loops on the target (``cpu`` or ``gpu``)."""
        return not self.applies_to or target in self.applies_to

    def turns_on(self, target: str) -> bool:
        """Whether its points are turns of loops that are not in the text, on a target, for those who see its body."""
        return self.vector and not self.loops and self.active(target)


@dataclass(frozen=True, slots=True)
class Listed:
    """A name in a ``@domainDependant`` block or in ``temporary(…)``, with its place."""

    name: str
    place: Place

    @property
    def component(self) -> bool:
        """Whether it is a component of an object."""
        return "%" in self.name


@dataclass(frozen=True, slots=True)
class StencilScope:
    """One ``@stencilProgram``: regions that may become one, ``temporaries`` that are not read after it, and ``fuse``,
    which is ``auto``, ``all`` or ``none`` (kernel-metadata-and-transforms.md §2.1).
    """

    line: LogicalLine
    end: LogicalLine
    place: Place
    temporaries: tuple[Listed, ...] = ()
    fuse: str = "auto"
    name: str = ""


@dataclass(frozen=True, slots=True)
class IfDirective:
    """One ``@if``: ``kind`` is architecture or parallelregion, ``values`` in lower case."""

    kind: str
    values: tuple[str, ...]
    line: LogicalLine


@dataclass(frozen=True, slots=True)
class Dependants:
    """One ``@domainDependant`` block. ``decomposed`` is the decomposition that its arrays belong to (empty: not said),
    and ``halo_widths`` how wide their halos are at least. ``condition`` is the ``@if`` around it.
    """

    names: tuple[Listed, ...]
    domains: tuple[Domain, ...]
    flags: frozenset[str]
    access_macro: str
    domain_macro: str
    declaration_prefix: str
    place: Place
    lines: tuple[LogicalLine, ...] = field(default=())
    decomposed: str = ""
    halo_widths: tuple[Width, ...] = ()
    condition: IfDirective | None = None

    @property
    def auto(self) -> bool:
        """Whether the domains are added to the declared dimensions (``autoDom``)."""
        return "autodom" in self.flags
