"""Size specialisation: each region a second time with numbers for sizes, chosen at run time (stencil-optimisation.md
§8).

The new text is annotated Fortran, like the other optimisers': an ``if`` that compares the sizes, the region with
numbers, ``else`` the region as it was. Where sizes have other values the general region runs. What declarations say in
sizes becomes constant in kernels and in bodies that are routines of their own (:mod:`hfpy.analyze.regions.known`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import product
from math import prod

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.language.given import given_by, given_in
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.analyze.nests.around import around
from hfpy.analyze.regions.known import is_size, with_literals
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.diagnostics import Diagnostic, Place, note
from hfpy.model.directives import Region
from hfpy.model.expressions import Literal, Name, unplaced
from hfpy.model.statements import Construct, Header, constructs, flatten
from hfpy.model.units import Routine
from hfpy.parse.directives.directives import parse_directive
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.text.physical import preprocessed
from hfpy.transform.passes import Made, Refusal, edited_files
from hfpy.transform.stencil.optimise import BACKENDS
from hfpy.transform.text.edits import Edit, apply_edits, bare, insert, replace_range
from hfpy.values import dataclass

MOST_VERSIONS = 16  # of a region, beside the general one


@dataclass(frozen=True)
class Specialised:
    """A region that has a version for sizes: its line (1-based), and the condition."""

    line: int
    condition: str


@dataclass(frozen=True)
class Versions(Made):
    """What the pass made: regions with two versions by routine."""

    regions: Mapping[str, tuple[Specialised, ...]] = field(default_factory=dict)

    def only(self, accepted: Collection[str], facts: Facts) -> Versions:
        """What was done in the files whose text is accepted."""
        kept = {key: n for key, n in self.regions.items() if facts.routine(key).file in accepted}
        return replace(super().only(accepted, facts), regions=kept)


class _Refused(Exception):
    """Why a region has one version only."""


@dataclass(frozen=True)
class Specialise:
    """The pass that gives regions versions for given sizes."""

    name: str = "specialise"
    needs: frozenset[str] = frozenset({"fuse", "columns"})
    whole: bool = False

    def validate(self, facts: Facts, effects: Effects) -> Mapping[str, tuple[Refusal, ...]]:
        """Nothing: what it cannot do is said by notes, as the user asked for it."""
        return {}

    def apply(self, facts: Facts, effects: Effects, only: Collection[str] | None = None) -> Versions:
        """New texts with two versions of regions, where the options name sizes."""
        return specialise(facts, effects, only)

    def explain(self, made: Made, _facts: Facts, key: str) -> Iterator[str]:
        """The regions of a routine that have a version for sizes."""
        for sized in made.regions.get(key, ()) if isinstance(made, Versions) else ():
            yield f"  line {sized.line}: a version of its own for {sized.condition}, the general one besides"


def specialise(facts: Facts, effects: Effects, only: Collection[str] | None = None) -> Versions:
    """Give each region that sizes of the options matter to a version for them; in some files only where their paths are
    given.
    """
    options = facts.application.options
    values = dict(options.specialise)
    edits: dict[str, list[Edit]] = {}
    regions: dict[str, tuple[Specialised, ...]] = {}
    notes: list[Diagnostic] = []
    used: set[str] = set()
    for key, routine in facts.application.routines.items():
        if not facts.graph.has(routine, only):
            continue
        if not facts.hybrid(key) or not facts.positions.get(key).own or facts.backend(key) not in BACKENDS:
            continue
        if not values and not any(map(_asks, routine.regions)):
            continue
        work = _RoutineSizes(facts, effects, routine, values)
        made = list(work.edits())
        notes += work.notes
        used |= work.used
        if made:
            edits.setdefault(routine.file, []).extend(made)
            regions[key] = tuple(work.made)
    for name in sorted(values.keys() - used):
        message = f"'{name}' is no size of a region: there is nothing to specialise for {name} = {values[name]}"
        notes.append(note("HF705", message, Place("specialise")))
    return Versions(edited_files(facts, edits), {}, tuple(notes), regions=regions)


def _asks(construct: Construct) -> bool:
    """Whether a region names sizes itself."""
    region = construct.region
    return region is not None and bool(region.sizes)


def _given(body: RegionBody) -> set[str]:
    """Names that something in a region or around it gives a meaning of its own: conditions and numbers would be about
    another variable there.
    """
    nodes = [*given_in((body.construct,)), *(pair for construct in around(body) for pair in given_by(construct))]
    return {name for name, _ in nodes}


def _versions(wanted: Mapping[str, tuple[int, ...]]) -> list[dict[str, int]]:
    """Every combination of values. Raises _Refused for more than :data:`MOST_VERSIONS`."""
    count = prod(len(values) for values in wanted.values())
    if count > MOST_VERSIONS:
        raise _Refused(f"{count} versions were asked for, {MOST_VERSIONS} are the most")
    return [dict(zip(wanted, row, strict=True)) for row in product(*wanted.values())]


class _RoutineSizes:
    """The regions of one routine."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine, values: Mapping[str, int]) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.values = values
        self.listed = dict(facts.application.options.sizes_listed)
        self.index = facts.application.file(routine.key)
        self.sharing = RoutineSharing(facts, effects, routine)
        self.made: list[Specialised] = []
        self.notes: list[Diagnostic] = []
        self.used: set[str] = set()

    def edits(self) -> Iterator[Edit]:
        """Both versions in the place of each region."""
        for number, construct in enumerate(regions_of(self.routine)):
            if RegionId(self.routine.key, number) not in self.facts.positions.regions or construct.region is None:
                continue
            place = self._in_user_file(construct)
            asked = self._asked(construct.region, place)
            wanted = {**{name: (value,) for name, value in self.values.items()}, **asked}
            names = self._sizes(number, construct.region, wanted.keys()) if wanted else set()
            self.used |= names
            for name in sorted(asked.keys() - names):
                message = f"'{name}' is no size of the region, or is not the same all over it"
                self.notes.append(note("HF705", message, place))
            if not names:
                continue
            try:
                self._check(construct)
                versions = _versions({name: wanted[name] for name in sorted(names)})
                yield self._all(number, construct, construct.region, versions)
            except _Refused as reason:
                self.notes.append(note("HF705", f"the region has no version for sizes of its own: {reason}", place))

    def _asked(self, region: Region, place: Place) -> dict[str, tuple[int, ...]]:
        """The values that the region's own attribute names for sizes, or that the project lists for them."""
        found: dict[str, tuple[int, ...]] = {}
        for name, value in region.sizes:
            if value:
                found[name] = tuple(dict.fromkeys((*found.get(name, ()), value)))
            elif name in self.listed:
                found[name] = tuple(dict.fromkeys((*found.get(name, ()), *self.listed[name])))
            else:
                message = f"no value is known for '{name}'"
                hint = f"write specialise({name}:64), or {name} = [64] below [specialise] in hfpy.toml"
                self.notes.append(note("HF705", message, place, hint))
        return found

    def _sizes(self, number: int, region: Region, known: Collection[str]) -> set[str]:
        """The sizes among some that the region names: in its bounds, its body, or the declarations of its arrays."""
        body = self.sharing.region(number).body
        named = body.names()
        mentioned = region.bound_names | named
        for name in named:
            data = self.facts.object(name, self.routine.key)
            for dimension in data.used if data is not None else ():
                mentioned |= {n for n in dimension.extent.names if self._same(n, data.home)}  # type: ignore[union-attr]
        names = mentioned & set(known) - _given(body)
        return {n for n in names if n not in body.flow().written and self._kept(n)}

    def _same(self, name: str, home: str) -> bool:
        return self.facts.scopes.variable(name, home) == self.facts.scopes.variable(name, self.routine.key)

    def _kept(self, name: str) -> bool:
        """Whether a name is a size that no routine called in the region changes."""
        if not is_size(self.facts, self.routine, name):
            return False
        found = self.facts.scopes.variable(name, self.routine.key)
        assert found is not None
        shared = found.symbol.name in self.effects.shared_writes(self.routine.key)
        return found.home == self.routine.key or not shared

    def _check(self, construct: Construct) -> None:
        """Raises _Refused for what may not be there twice."""
        assert construct.end is not None
        first, last = construct.header.line.first, construct.end.line.last
        if self.index.fixed:
            raise _Refused("the file is in fixed form")
        if preprocessed(self.index.source.lines[first : last + 1]):
            raise _Refused("there are preprocessor lines in it")
        if any(s.line.label or s.line.file for s in flatten((construct,))):
            raise _Refused("there are labels or included lines in it")
        for inner in constructs(construct.body):
            if inner.kind == "region":
                raise _Refused("there is another region in it")
            if isinstance(inner.header, Header) and inner.header.construct_name:
                raise _Refused("a block in it has a name")

    def _all(self, number: int, construct: Construct, region: Region, versions: Sequence[Mapping[str, int]]) -> Edit:
        """All versions of a region, the general one last."""
        assert construct.end is not None
        first, last = construct.header.line.first, construct.end.line.last
        indent = " " * construct.header.line.segments[0][2]
        rows: list[tuple[str, int]] = []
        for values in versions:
            condition = " .and. ".join(f"{name} == {value}" for name, value in values.items())
            numbered = self._with_numbers(number, construct, region, values)
            rows += [(f"{indent}{'else ' if rows else ''}if ({condition}) then", first)]
            rows += [("  " + row if row.strip() else row, origin) for row, origin in numbered]
            self.made.append(Specialised(self._in_user_file(construct).line, condition))
        plain = [(bare(self.index.source, n), n) for n in range(first, last + 1)]
        rows += [(f"{indent}else", first)]
        rows += [("  " + row if row.strip() else row, origin) for row, origin in plain]
        rows += [(f"{indent}end if", last)]
        text = "".join(row + "\n" for row, _ in rows)
        return Edit(first, 0, last + 1, 0, 0, text, first, tuple(origin for _, origin in rows))

    def _with_numbers(
        self, number: int, construct: Construct, region: Region, values: Mapping[str, int]
    ) -> list[tuple[str, int]]:
        """The lines of a region with numbers for sizes, each with the line that it stems from (0-based)."""
        assert construct.end is not None
        first, last = construct.header.line.first, construct.end.line.last
        edits = [*self._header(region, values), *self._body(number, values)]
        source = self.index.source.with_lines(self.index.source.lines[: last + 1])
        done = apply_edits(source, edits)
        rows = zip(done.lines, done.line_map, strict=True)
        return [(row, origin - 1) for row, origin in rows if first <= origin - 1 <= last]

    def _header(self, region: Region, values: Mapping[str, int]) -> Iterator[Edit]:
        """Bounds with numbers. Sizes of domains stay, since arrays' dimensions are known by them."""
        directive, _ = parse_directive(region.line, self.routine.file)
        assert directive is not None
        sizes = directive.get("domsize") or directive.get("domname")
        assert sizes is not None
        texts = {name: self._literal(name, value) for name, value in values.items()}
        literals = {name: unplaced(fragment(text).expr) for name, text in texts.items()}
        for name, bounds in (("startAt", region.starts), ("endAt", region.ends)):
            numbered = [with_literals(bound, literals) for bound in bounds]
            attribute = directive.get(name.lower())
            if numbered == list(bounds):
                continue
            text = f"{name}({','.join(b.text for b in numbered)})"
            if attribute is None:
                yield insert(region.line, sizes.end, f", {text}")
            else:
                yield replace_range(region.line, attribute.start, attribute.end, text)

    def _body(self, number: int, values: Mapping[str, int]) -> Iterator[Edit]:
        """Numbers where statements read sizes."""
        seen: set[tuple[int, int, int]] = set()
        for reference in self.facts.references[self.routine.key]:
            if number not in reference.at.regions or not self._read(reference, values):
                continue
            line, node = reference.at.statement.line, reference.node
            place = (line.first, node.start, node.end)
            if place not in seen:
                seen.add(place)
                yield replace_range(line, node.start, node.end, self._literal(reference.name, values[reference.name]))

    @staticmethod
    def _read(reference: Reference, values: Mapping[str, int]) -> bool:
        if (
            reference.name not in values
            or reference.role not in ("read", "argument")
            or not isinstance(reference.node, Name)
        ):
            return False
        return reference.name not in aliases_of(reference.at)

    def _literal(self, name: str, value: int) -> str:
        """A number of the kind that the variable has, so that no expression changes its kind. A name that the routine
        does not have, as where a module does not pass on that of its kind, cannot be written.
        """
        found = self.facts.scopes.variable(name, self.routine.key)
        kind = found.symbol.type.kind if found is not None else None
        if found is None or kind is None:
            return str(value)
        if all(self._same(n, found.home) for n in kind.names):
            return f"{value}_{kind}" if isinstance(kind.expr, (Name, Literal)) else f"int({value}, {kind})"
        return f"int({value}, kind({name}))"

    def _in_user_file(self, construct: Construct) -> Place:
        """The place of a region in the file as the user wrote it."""
        return Place(self.routine.file, self.index.user_line(construct.header.line.first))
