"""Directives for many processes as values (distributed.md §3.1)."""

from __future__ import annotations

from dataclasses import replace

from hfpy.model.directives import Listed, Width
from hfpy.model.expressions import Fragment, Name
from hfpy.model.statements import Call, Statement
from hfpy.values import dataclass

#: The two sides of a dimension, by the words of ``onEdge(i, low)``.
SIDES = ("low", "high")

# Routines of the runtime library that note what happens to arrays, or test it, by their addresses.
MARKS = frozenset({"hf_mark_set", "hf_mark_clean", "hf_mark_unknown", "hf_mark_needed"})

# Routines of the runtime library that work with buffers where they are, on the device or on the host: the numbers of
# these arguments, from 0.
BUFFERS = {"hf_shift": (2, 3), "hf_start": (2, 3), "hf_finish": (2,)}


def takes_buffer(statement: Statement, position: int | str) -> bool:
    """Whether a statement passes an argument to the runtime library as a buffer, wherever it is."""
    if not isinstance(statement, Call) or not isinstance(statement.designator, Name):
        return False
    return position in BUFFERS.get(statement.designator.name, ())


@dataclass(frozen=True, slots=True)
class Decomposition:
    """One ``@decomposition``: the grid of ``sizes`` is cut along its ``domains`` into a part for each process.

    ``local`` are the variables that get the sizes of the part, ``halos`` the widest halos that arrays have, ``grid``
    the number of processes along each domain (``0``: hfpy's choice). ``reductions`` says whether reductions of regions
    over the domains are ``global``, over all processes, ``exact``, the same without rounding of sums, or ``local``,
    ``exchange`` whether hfpy places the exchanges
    (``auto``) or all of them are ``stated`` (empty: nothing is said).
    """

    name: str
    domains: tuple[str, ...]
    sizes: tuple[Fragment, ...]
    local: tuple[str, ...]
    halos: tuple[Width, ...]
    periodic: tuple[str, ...] = ()
    grid: tuple[Fragment, ...] = ()
    reductions: str = ""
    exchange: str = ""

    @property
    def automatic(self) -> bool:
        """Whether hfpy places the exchanges."""
        return self.exchange == "auto"

    def with_defaults(self, exchange: str, reductions: str) -> Decomposition:
        """The same, with what the project says where the directive says nothing."""
        return replace(self, exchange=self.exchange or exchange, reductions=self.reductions or reductions)

    def number(self, domain: str) -> int:
        """The number of a domain, from 0."""
        return self.domains.index(domain)

    def number_of_size(self, name: str) -> int | None:
        """The number of the domain whose local size a variable has, from 0; None if it has none."""
        return self.local.index(name) if name in self.local else None


#: How messages travel. ``blocking``: all before the next statement; ``overlap``: while the region after is computed,
#: as far as it does not read them; ``auto``: so where that can be done and pays. An exchange that blocks sends in
#: ``phases``, along one domain after the other, or ``together``, to all neighbours at once; else the model decides.
MODES = ("blocking", "overlap", "auto", "phases", "together")


@dataclass(frozen=True, slots=True)
class HaloExchange:
    """One ``@haloExchange``: the halos of ``fields`` become what the owners of the points have. Without ``widths`` the
    halos are as wide as the decomposition says. ``corners`` tells whether points beside the part in two domains are
    exchanged, too. ``mode`` is one of :data:`MODES`. ``every``: in a loop it is done in each so-many-th turn alone,
    with as many times the widths.
    """

    fields: tuple[Listed, ...]
    widths: tuple[Width, ...] = ()
    corners: bool = True
    decomposition: str = ""
    mode: str = "blocking"
    every: Fragment | None = None

    @property
    def overlap(self) -> bool:
        """Whether the region after is computed while the messages travel."""
        return self.mode == "overlap"

    @property
    def auto(self) -> bool:
        """Whether it overlaps with the region after where that can be done and pays."""
        return self.mode == "auto"


@dataclass(frozen=True, slots=True)
class WholeGrid:
    """``@wholeGrid``: the routine is written for the whole grid, and runs on the first process."""

    decomposition: str = ""


@dataclass(frozen=True, slots=True)
class Distributed(Statement):
    """A directive for many processes among the statements of a routine."""

    what: Decomposition | HaloExchange | WholeGrid


@dataclass(frozen=True, slots=True)
class Sent:
    """What an exchange of a routine sends: ``fields`` with their ``sizes`` (bytes of an element, elements for each
    point of the domains that are cut, or None, and the numbers of these domains), ``widths`` by domain (None: no
    number), in which ``mode``, in each turn of a loop or ``every`` few; ``placed`` by hfpy. ``row`` is the line of the
    user's file. ``contiguous`` is the number of the domain whose points are beside each other in the first field.
    ``together``: to all neighbours at once where the exchange ends before the next statement.
    """

    routine: str
    file: str
    row: int
    fields: tuple[str, ...]
    sizes: tuple[tuple[int, int | None, frozenset[int]], ...]
    domains: tuple[str, ...]
    widths: tuple[tuple[int | None, int | None], ...]
    corners: bool
    mode: str
    every: int = 1
    placed: bool = False
    contiguous: int | None = None
    together: bool = False
