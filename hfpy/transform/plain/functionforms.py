"""Functions whose values are arrays or objects, as subroutines whose last argument is the value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.facts import Facts
from hfpy.model.expressions import Binary, Unary
from hfpy.model.macros import Macro
from hfpy.model.names import plain_name
from hfpy.model.source import SourceText
from hfpy.model.units import Routine, Symbol
from hfpy.transform.plain.declarations import without
from hfpy.transform.plain.objecttypes import BASES, ObjectTypes
from hfpy.transform.text.edits import Edit, apply_edits, insert_lines
from hfpy.transform.text.wrapping import wrap_line

OPERATORS = (Binary, Unary)


def defined_operators(facts: Facts, key: str) -> Iterator[CallSite]:
    """The operators in a routine that certainly mean one function: that is the only one that fits, and an operand is an
    object, for which no operator is intrinsic.
    """
    found: dict[tuple[object, int, int], list[CallSite]] = {}
    for site in facts.graph.indirect.get(key, ()):
        if isinstance(site.node, OPERATORS):
            found.setdefault((site.at.statement.line.key, site.node.start, site.node.end), []).append(site)
    for sites in found.values():
        site = sites[0]
        if len(sites) == 1 and site.callee and _without_classes(facts.routine(site.callee)):
            types = [facts.graph.candidates.operand(operand, site.at, key) for operand in site.args]
            if any(t is not None and t.derived is not None for t in types):
                yield site


def _without_classes(routine: Routine) -> bool:
    symbols = [routine.spec.symbols.get(dummy) for dummy in routine.dummies]
    return all(s is not None and s.type.base != "class" for s in symbols)


def form_name(routine: Routine) -> str:
    """The name of a function's form as a subroutine."""
    return plain_name(routine.name, 0)


def result_of(facts: Facts, key: str) -> Symbol | None:
    """The declaration of a function's value, if that is an array of numbers or an object of numbers."""
    routine = facts.routine(key)
    symbol = routine.spec.symbols.get(routine.result or routine.name) if routine.kind == "function" else None
    if symbol is None or symbol.dynamic or symbol.line is None or symbol.line.file:
        return None
    if symbol.type.base == "type" and not symbol.rank:
        line, index = symbol.line, facts.application.file(key)
        simple = line.first == line.last and index.alone(line)
        return symbol if simple and ObjectTypes(facts, key).leaves(symbol.type.derived, key) is not None else None
    return symbol if symbol.rank and symbol.type.base in BASES else None


def as_subroutine(facts: Facts, routine: Routine, edits: Iterable[Edit]) -> Edit:
    """The form of a function as a subroutine, after the function, with the edits of its body."""
    source = facts.application.file(routine.key).source
    header, end = routine.header, routine.end
    assert end is not None
    name, value = form_name(routine), routine.result or routine.name
    symbol = routine.spec.symbols[value]
    margin = " " * header.segments[0][2]
    declaration = f"{margin}  {'' if symbol.rank else f'type({symbol.type.derived}), '}intent(out) :: {value}"
    own = [*edits, insert_lines(routine.spec_insert + 1, [declaration], 9, header.first)]
    if not symbol.rank and symbol.line is not None and symbol.line is not header:
        own.append(without(routine, symbol.line, {value}))
    rows = [(f"{margin}subroutine {name}({', '.join([*routine.dummies, value])})", header.first)]
    rows += [*_edited(source, header.first, end.first, own, facts.application.macros)][header.last + 1 - header.first :]
    rows.append((f"{margin}end subroutine {name}", end.first))
    text = "".join(f"{row}\n" for row, _ in rows)
    return Edit(end.last + 1, 0, end.last + 1, 0, 9, text, end.last, tuple(n for _, n in rows))


def _edited(
    source: SourceText, first: int, end: int, edits: Iterable[Edit], macros: Mapping[str, Macro]
) -> Iterator[tuple[str, int]]:
    """The rows of a file from ``first`` to before ``end``, with edits, and the rows that they stem from."""
    inside = source.with_lines(source.lines[first:end])
    done = apply_edits(inside, (_up(e, first) for e in edits), lambda text, _: wrap_line(text, macros))
    yield from ((row, first + line - 1) for row, line in zip(done.lines, done.line_map, strict=True))


def _up(edit: Edit, rows: int) -> Edit:
    """The same edit some rows further up."""
    return replace(
        edit,
        line=edit.line - rows,
        end_line=edit.end_line - rows,
        origin=edit.origin - rows if edit.origin >= 0 else -1,
        origins=tuple(n - rows for n in edit.origins),
    )


def made_public(facts: Facts, routine: Routine, name: str) -> Iterator[Edit]:
    """The edit of a routine's module that makes a name public where it is private."""
    home = facts.application.routines.get(routine.module)
    if home is not None and not home.spec.accessible(name):
        yield public_in(home, name)


def public_in(module: Routine, name: str) -> Edit:
    """The edit that makes a name of a module public."""
    row = f"{' ' * (module.header.segments[0][2] + 2)}public :: {name}"
    return insert_lines(module.spec_insert + 1, [row], 5, module.header.first)
