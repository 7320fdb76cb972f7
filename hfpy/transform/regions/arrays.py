"""Array statements between regions as regions of their own (:mod:`hfpy.analyze.device.arraystatements` decides)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace

from hfpy.analyze.device.arraystatements import ArrayStatement, array_statements
from hfpy.analyze.device.elementwise import PointCode, Span
from hfpy.analyze.device.states import States
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.model.building import Maker, quoted
from hfpy.model.directives import Domain, Region
from hfpy.model.extents import Dim
from hfpy.model.statements import Construct, DirectiveLine, Node, OneLine, Part
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.expressions.fragments import ONE
from hfpy.parse.files import directive_sign
from hfpy.transform.hiddennames import needs_hidden
from hfpy.transform.passes import Made, Refusal, edited_files
from hfpy.transform.text.edits import Edit, insert_lines, replace_rows
from hfpy.transform.text.remade import remade
from hfpy.values import dataclass

_MOST_DOMAINS = 3  # dimensions of the threads of a GPU


@dataclass(frozen=True)
class MadeRegions(Made):
    """What the pass made: the lines (1-based) of the statements that became regions, by routine."""

    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def only(self, accepted: Collection[str], facts: Facts) -> MadeRegions:
        """What was done in the files whose text is accepted."""
        kept = {key: n for key, n in self.lines.items() if facts.routine(key).file in accepted}
        return replace(super().only(accepted, facts), lines=kept)


@dataclass(frozen=True)
class Arrays:
    """The pass that makes regions of array statements."""

    name: str = "arrays"
    needs: frozenset[str] = frozenset()
    whole: bool = False

    def validate(self, facts: Facts, effects: Effects) -> Mapping[str, tuple[Refusal, ...]]:
        """Nothing: ``hfpy explain`` tells why statements stay on the host."""
        return {}

    def apply(self, facts: Facts, effects: Effects, only: Collection[str] | None = None) -> MadeRegions:
        """New texts with regions in the places of statements."""
        edits: dict[str, list[Edit]] = {}
        lines: dict[str, tuple[int, ...]] = {}
        states = States(facts, effects)
        for key, routine in facts.application.routines.items():
            if not facts.graph.has(routine, only):
                continue
            index = facts.application.file(key)
            found = [s for s in array_statements(facts, states, key) if s.code is not None]
            made = [(s, edit) for s in found if not needs_hidden(facts, routine, edit := _edit(facts, index, s))]
            if made:
                edits.setdefault(routine.file, []).extend(_edits(index, routine, made))
                lines[key] = tuple(index.user_line(s.first.first) for s, _ in made)
        return MadeRegions(edited_files(facts, edits), {}, lines=lines)

    def explain(self, made: Made, _facts: Facts, key: str) -> Iterator[str]:
        """The lines of a routine with statements that became regions."""
        for line in made.lines.get(key, ()) if isinstance(made, MadeRegions) else ():
            yield f"  line {line}: an array statement as a region"


def _edits(index: FileIndex, routine: Routine, made: Sequence[tuple[ArrayStatement, Edit]]) -> Iterator[Edit]:
    """The regions in the places of statements, and the declarations of iterators that are variables of loops."""
    yield from (edit for _, edit in made)
    first = 0 if _in_comments(index) else _MOST_DOMAINS
    looped = {i for s, _ in made if s.code for _, i, _ in _ordered(s.code)[first:]}
    if looped:
        row = f"{' ' * (routine.header.segments[0][2] + 2)}integer :: {', '.join(sorted(looped))}"
        yield insert_lines(routine.spec_insert + 1, [row], 5, routine.header.first)


def _in_comments(index: FileIndex) -> bool:
    return directive_sign(index.path) != "@"


def _ordered(code: PointCode) -> list[tuple[int, str, Span]]:
    """Places in storage, iterators and spans, the first in storage first."""
    return sorted(zip(code.places, code.iterators, code.spans, strict=True), key=lambda found: found[0])


def _edit(facts: Facts, index: FileIndex, statement: ArrayStatement) -> Edit:
    """The region in the place of a statement, after the statement itself as a comment."""
    assert statement.code is not None
    first, last = statement.first.first, statement.last.last
    indent = " " * statement.first.segments[0][2]
    node: Node = _region(facts.target, statement, statement.code, _in_comments(index))
    outer = statement.node
    conditions = []
    while isinstance(outer, OneLine) and outer.kind == "if":
        conditions.append(outer)
        outer = outer.action
    for condition in reversed(conditions):
        (node,) = Maker(condition.line).branch(condition.control[0], (node,))
    said = [(f"{indent}! {row.strip()}", n) for n, row in enumerate(index.source.lines[first : last + 1], first)]
    return replace_rows(first, last, [*said, *remade(index, (node,), indent, first, last)])


def _region(target: str, statement: ArrayStatement, code: PointCode, comment: bool) -> Construct:
    """A region over the elements, the first in storage innermost; dimensions that are too many are loops in it."""
    line = replace(statement.first, comment=comment)
    make = Maker(statement.first)
    ordered = _ordered(code)
    body = code.nodes
    for _, iterator, span in ordered[_MOST_DOMAINS:]:
        body = (_loop(make, iterator, span, body),)
    taken = ordered[:_MOST_DOMAINS]
    for _, iterator, span in taken if comment else ():
        body = (_loop(make, iterator, span, body),)
    domains = tuple(Domain(iterator, _extent(span)) for _, iterator, span in taken)
    place = statement.first.place("")
    region = Region(domains, (), (), frozenset({target}), line, place, loops=comment)
    head = DirectiveLine(line, "region", made=True)
    return Construct("region", (Part(head, body),), DirectiveLine(statement.last, "region", made=True), region)


def _loop(make: Maker, iterator: str, span: Span, body: tuple[Node, ...]) -> Construct:
    return make.loop(iterator, quoted(span.lower), quoted(span.upper), body)


def _extent(span: Span) -> Dim:
    return Dim("explicit", None if span.lower == ONE else span.lower, span.upper)
