"""What users' scripts can ask of a kernel (kernel-metadata-and-transforms.md §2.3, queries)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from hfpy.diagnostics import Place
from hfpy.model.directives import Region
from hfpy.model.names import in_unit_of
from hfpy.model.statements import Construct, Opaque
from hfpy.transform.scripts.arrays import Array, arrays_of
from hfpy.transform.scripts.arrays import reported as described_arrays
from hfpy.transform.scripts.ledger import Ledger, Step
from hfpy.transform.scripts.loops import Loop, loops_of
from hfpy.transform.scripts.modelled import Stats, stats_of
from hfpy.transform.scripts.stages import Stages, stages_of
from hfpy.transform.scripts.work import Work


@dataclass(frozen=True, eq=False, repr=False)
class Questions:
    """A region of a program, and what a script can ask of it.

    ``name`` is the one that its directive gives, or that of its routine with a number where there are several.
    """

    name: str
    key: str
    number: int
    work: Work
    region: Region
    ledger: Ledger
    steps: tuple[Step, ...] = ()
    parent: Questions | None = None
    declared: frozenset[str] = frozenset()
    rows_before: tuple[str, ...] = ()
    rows_after: tuple[str, ...] = ()
    taken: tuple[int, ...] = ()  # the numbers of the regions after it that are in this kernel
    padded: Mapping[tuple[str, str], tuple[tuple[int, int], ...]] = field(default_factory=dict)  # as padding has them
    together: tuple[tuple[tuple[str, str], ...], ...] = ()  # arrays that become one

    # -- questions

    @property
    def construct(self) -> Construct:
        """The region as it was read."""
        return self.work.routine(self.key).regions[self.number]

    @property
    def source(self) -> Place:
        """The file and the line of its directive."""
        index = self.work.file(self.key)
        return replace(self.region.place, line=index.user_line(self.construct.header.line.first))

    @property
    def routine(self) -> str:
        """The routine that it is in, as ``module::name``."""
        return self.key

    @property
    def full_name(self) -> str:
        """``module::name``, or the name alone of a kernel in no module, in lower case."""
        return in_unit_of(self.key, self.name)

    @property
    def target(self) -> str:
        """The backend of its routine, such as ``openmp`` or ``cuda-c``."""
        return self.work.facts.backend(self.key)

    @cached_property
    def loops(self) -> Mapping[str, Loop]:
        """Its loops by name: those of the region, outermost first, then those in the body in the order of the text."""
        return MappingProxyType(loops_of(self.construct, self.region))

    @cached_property
    def arrays(self) -> Mapping[str, Array]:
        """Its arrays by name."""
        return MappingProxyType(arrays_of(self.work, self.key, self.number))

    @property
    def kind(self) -> str:
        """``stencil`` if the optimiser's model knows it, ``opaque`` if it calls what hfpy has no source of, else
        ``parallel``.
        """
        if self.stats is not None:
            return "stencil"
        body = self.work.body(self.key, self.number)
        scopes = self.work.facts.scopes
        sites = (s for s in self.work.facts.graph.below(self.key) if self.number in s.at.regions)
        unseen = any(not s.callee and not s.possible and not scopes.is_intrinsic(s.name, self.key) for s in sites)
        return "opaque" if unseen or any(isinstance(at.statement, Opaque) for at in body.inside) else "parallel"

    @cached_property
    def stages(self) -> Stages | None:
        """The stages of the stencil program that it is part of, its neighbours among them; None of a kernel that is in
        none.
        """
        return stages_of(self.work, self.key, self.number)

    @cached_property
    def stats(self) -> Stats | None:
        """Bytes and operations a point, and seconds by the optimiser's model; None of a kernel that it does not know
        (``why_not`` says why).
        """
        found = stats_of(self.work, self.key, self.number)
        return found if isinstance(found, Stats) else None

    @property
    def why_not(self) -> str:
        """Why there are no ``stats``; empty if there are."""
        found = stats_of(self.work, self.key, self.number)
        return found if isinstance(found, str) else ""

    def model(self) -> float | None:
        """Predicted seconds, for as many points as the model plans for; None of a kernel that it does not know."""
        return self.stats.seconds if self.stats is not None else None

    @property
    def text(self) -> str:
        """Its lines as they are now."""
        return "\n".join(row for row, _ in self.work.region_rows(self.key, self.number, self.region))

    @property
    def mapping(self) -> Mapping[str, str]:
        """What its directive asks for: ``tile``, ``unroll``, ``schedule`` and so on, as text."""
        found = {name: ", ".join(entries) for name, entries in self.region.hints}
        found |= {"schedule": self.region.schedule} if self.region.schedule else {}
        found |= {"collapse": str(self.region.collapse)} if self.region.collapse else {}
        return MappingProxyType(found)

    def __repr__(self) -> str:
        rows = [f"kernel {self.name} ({self.source.file}:{self.source.line})"]
        rows += [f"  {'loop':<9} {repr(loop)[1:-1]}" for loop in self.loops.values()]
        rows += [f"  {row}" for row in described_arrays(dict(self.arrays))]
        rows += [f"  {name:<9} {value}" for name, value in self.mapping.items()]
        rows += [f"  done      {step}" for step in self.steps]
        return "\n".join(rows)

    @property
    def program(self) -> Work:
        """The program as it was read."""
        work = self.work
        while work.before is not None:
            work = work.before
        return work

    def descends_from(self, other: Questions) -> bool:
        """Whether the kernel was made from another one, or is it."""
        kernel: Questions | None = self
        while kernel is not None and kernel is not other:
            kernel = kernel.parent
        return kernel is other
