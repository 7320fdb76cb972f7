"""Domains of a program, by its loops and arrays: a proposal for ``[domains]`` in ``hfpy.toml``.

Dimensions belong together if their upper bounds differ by constants (``nx``, ``0:nx+1``), or if one has what the other
has and more (``1-h:nx+h``). Such a group is a domain if variables of loops or regions index its dimensions; each
variable belongs to the group that it indexes most often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from hfpy.analyze.language.context import located
from hfpy.analyze.language.referenced import references_in
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.sizes import linear, normal
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.loops.loopregions import iterator_of
from hfpy.diagnostics import Place
from hfpy.model.application import Application
from hfpy.model.expressions import Apply
from hfpy.model.extents import Dim
from hfpy.model.source import LogicalLine, compact
from hfpy.model.statements import Header, Memory
from hfpy.model.units import Routine
from hfpy.options import DomainSpec
from hfpy.parse.expressions.fragments import dim_at
from hfpy.values import dataclass


@dataclass(frozen=True)
class Proposal:
    """A domain: its name, the sizes that mean it and the variables of its loops, most frequent first, but sizes
    that are a name alone before others: the first is what a directive without ``domSize`` means. ``uses`` is how
    often a variable indexes it, ``loops`` the number of its loops, ``place`` that of the first one; ``stated`` is the
    domain of the project that has one of the sizes.
    """

    name: str
    sizes: tuple[str, ...]
    iterators: tuple[str, ...]
    uses: int
    loops: int
    place: Place
    stated: str = ""


@dataclass
class _Group:
    """Dimensions that belong together."""

    sizes: Counter[str] = field(default_factory=Counter)
    texts: dict[str, str] = field(default_factory=dict)
    iterators: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, dim: Dim) -> None:
        """A variable that goes over a dimension."""
        self.sizes[normal(dim)] += 1
        self.texts.setdefault(normal(dim), compact(dim.text))
        self.iterators[name] += 1

    def take(self, other: _Group) -> None:
        """Another group as a part of this one."""
        self.sizes += other.sizes
        self.texts = {**other.texts, **self.texts}
        self.iterators += other.iterators


_Base = tuple[tuple[str, int], ...]  # the upper bound of a dimension without its constant


def proposals(application: Application) -> tuple[Proposal, ...]:
    """The domains of a program, most used first."""
    scopes = Scopes(application)
    references = {key: references_in(located(r), key, scopes) for key, r in application.routines.items() if r.body}
    allocated = _allocated(scopes, references)
    groups: dict[_Base, _Group] = {}
    for key, listed in references.items():
        routine = application.routines[key]
        domains = [d for c in routine.regions if c.region is not None for d in c.region.domains]
        loops = {h.var for h in _loops(routine)} | {d.name for d in domains}
        pairs = [pair for r in listed for pair in _indexed(scopes, key, r, allocated) if pair[0] in loops]
        for name, dim in [*pairs, *((d.name, d.extent) for d in domains)]:
            if base := _base(dim):
                groups.setdefault(base, _Group()).add(name, dim)
    merged = _merged(groups)
    return tuple(_named(application, sorted(merged, key=lambda g: -g.iterators.total())))


def _base(dim: Dim) -> _Base:
    return tuple((atom, n) for atom, n in linear(dim.upper.expr) if atom) if dim.upper is not None else ()


def _merged(groups: Mapping[_Base, _Group]) -> list[_Group]:
    """The groups, with those that have what just one other has and more as parts of that."""
    kept: dict[_Base, _Group] = {}
    for base in sorted(groups, key=len):
        within = [other for other in kept if set(other) < set(base)]
        if len(within) == 1:
            kept[within[0]].take(groups[base])
        else:
            kept[base] = groups[base]
    return list(kept.values())


def _indexed(
    scopes: Scopes, key: str, reference: Reference, allocated: Mapping[tuple[str, str], tuple[Dim, ...]]
) -> Iterator[tuple[str, Dim]]:
    """The variables, plus or minus numbers, that index an array, with the dimension of each."""
    found = scopes.variable(reference.name, key)
    if found is None or reference.indices is None or reference.component or reference.role == "allocate":
        return
    shape = found.symbol.shape
    if any(dim.form != "explicit" for dim in shape):
        shape = allocated.get((found.home, found.symbol.name), ())
    if len(shape) == len(reference.indices):
        for index, dim in zip(reference.indices, shape, strict=True):
            if (name := iterator_of(index)) and dim.form == "explicit":
                yield name, dim


def _allocated(scopes: Scopes, references: Mapping[str, Iterable[Reference]]) -> dict[tuple[str, str], tuple[Dim, ...]]:
    """The shapes that arrays get by ``allocate``, the first one of each."""
    shapes: dict[tuple[str, str], tuple[Dim, ...]] = {}
    for key, listed in references.items():
        for reference in listed:
            statement = reference.at.statement
            found = scopes.variable(reference.name, key)
            if not isinstance(statement, Memory) or statement.kind != "allocate" or found is None:
                continue
            if isinstance(reference.node, Apply) and not reference.component:
                dims = tuple(dim_at(statement.line.text, a) for a in reference.node.args)
                shapes.setdefault((found.home, found.symbol.name), dims)
    return shapes


def _loops(routine: Routine) -> list[Header]:
    headers = (at.statement for at in located(routine))
    return [h for h in headers if isinstance(h, Header) and h.kind == "do" and h.var]


def _named(application: Application, groups: Iterable[_Group]) -> Iterator[Proposal]:
    """The groups with names and variables of their own."""
    best: dict[str, _Group] = {}
    listed = list(groups)
    for group in listed:
        for name, count in group.iterators.items():
            if name not in best or count > best[name].iterators[name]:
                best[name] = group
    domains = application.options.domains
    taken: set[str] = set()
    for group in listed:
        own = [n for n, _ in group.iterators.most_common() if best[n] is group]
        if not own:
            continue
        sizes = [group.texts[s] for s in sorted(group.sizes, key=lambda s: (not s.isidentifier(), -group.sizes[s]))]
        stated = next((d for d, spec in domains.items() if _means(spec, sizes)), "")
        name = stated or next(n for n in (*own, *(f"{own[0]}{k}" for k in range(2, 99))) if n not in taken)
        taken.add(name)
        places = list(_places(application, own))
        yield Proposal(
            name, tuple(sizes), tuple(own), sum(group.iterators[n] for n in own), len(places), places[0], stated
        )


def _means(spec: DomainSpec, sizes: Iterable[str]) -> bool:
    given = {compact(size) for size in spec.size}
    return bool(given & set(sizes))


def _places(application: Application, names: Iterable[str]) -> Iterator[Place]:
    """Where loops and regions over some variables begin."""
    wanted = set(names)
    for routine in application.routines.values():
        lines: list[LogicalLine] = [h.line for h in _loops(routine) if h.var in wanted]
        lines += [c.region.line for c in routine.regions if c.region is not None and wanted & {*c.region.iterators}]
        for line in sorted(lines, key=lambda line: line.first):
            yield replace(line.place(routine.file), line=application.user_line(routine.key, line.first))
