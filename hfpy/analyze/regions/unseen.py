"""What in regions may change what all points share, though no analysis of variables shows it: routines that are called
by another ``entry``, whose bodies are not read under that name, what functions point to, and saved variables and
pointers of a ``block``, which are none of the routine's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hfpy.analyze.arrays.storage import BLOCK, block_object
from hfpy.analyze.callgraph.indirect import by_procedure_variable
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.resultsset import results_set
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.uses import aliases_of, declared_in_block
from hfpy.analyze.regions.donebypoints import DoneByPoints
from hfpy.diagnostics import Diagnostic, Related, error, warning
from hfpy.model.expressions import Apply, Expr, Name, walk
from hfpy.model.statements import Call, Construct, Specification, expressions
from hfpy.model.units import Routine, Symbol


def unseen_changes(facts: Facts, effects: Effects, routine: Routine) -> Iterator[Diagnostic]:
    """A warning for each in a region of a routine, or in a routine that is called in one; an error where a region sets
    what a function points to.
    """
    points = DoneByPoints(facts, routine.key)
    if points.some:
        yield from _in_results(facts, effects, routine, points)
        yield from _in_statements(facts, routine, points)
        yield from _saved_in_blocks(facts, effects, routine, points)
        yield from _pointers_in_blocks(facts, routine, points)


def _in_results(facts: Facts, effects: Effects, routine: Routine, points: DoneByPoints) -> Iterator[Diagnostic]:
    for reference, name, _ in results_set(facts, effects, routine.key):
        at = reference.at
        region = points.region(at)
        if region is None:
            continue
        place = at.statement.line.place(routine.file)
        message = f"what the function '{name}' points to is written: nothing tells whether points meet in it"
        hint = f"set a pointer, as in p => {name}(…), and write to that"
        below = points.around(at) is None
        said = (warning if below else error)("HF501" if below else "HF404", message, place, hint)
        yield replace(said, related=(Related(region.place, "the region"),))


def _in_statements(facts: Facts, routine: Routine, points: DoneByPoints) -> Iterator[Diagnostic]:
    for at in facts.graph.statements[routine.key]:
        region = points.region(at)
        if region is None:
            continue
        related = [Related(region.place, "the region")]
        for node in _called(at) if facts.scopes.entries else ():
            message, hint = _said(facts, routine, at, node)
            if message:
                place = at.statement.line.place(routine.file, node.start, node.end)
                yield warning("HF501", message, place, hint, related)


def _pointers_in_blocks(facts: Facts, routine: Routine, points: DoneByPoints) -> Iterator[Diagnostic]:
    """The pointers of blocks that may point to what is there outside of them."""
    seen: set[str] = set()
    for reference in facts.references[routine.key]:
        name = reference.name
        symbol = declared_in_block(name, reference.at) if reference.at.renamed and name not in seen else None
        region = points.region(reference.at)
        if region is None or symbol is None:
            continue
        seen.add(name)
        if _leads_out(facts, symbol, routine.key):
            place = reference.at.statement.line.place(routine.file, reference.node.start, reference.node.end)
            message = (
                f"nothing tells where '{name}', a pointer of a block or in it, points to, and two points may meet there"
            )
            hint = f"declare '{name}' in the routine"
            yield warning("HF501", message, place, hint, [Related(region.place, "the region")])


def _leads_out(facts: Facts, symbol: Symbol, key: str) -> bool:
    """Whether a variable of a block is a pointer to what is there outside of the block, or holds pointers."""
    if "pointer" in symbol.attributes:
        return any(home != BLOCK for home, _ in facts.storage.of_identity(block_object(symbol.name, key)))
    lines, pointing = facts.scopes.lineage(symbol.type.derived, key), facts.scopes.parts.pointing
    return any(pointing.get((home, derived.name)) for home, derived in lines)


def _saved_in_blocks(facts: Facts, effects: Effects, routine: Routine, points: DoneByPoints) -> Iterator[Diagnostic]:
    seen: set[int] = set()
    for reference in facts.references[routine.key]:
        if not reference.at.renamed:
            continue
        region, symbol = points.region(reference.at), declared_in_block(reference.name, reference.at)
        if region is None or symbol is None or id(symbol) in seen or not effects.of(reference, routine.key)[1]:
            continue
        if _is_saved(symbol, reference.at):
            seen.add(id(symbol))
            place = reference.at.statement.line.place(routine.file, reference.node.start, reference.node.end)
            message = f"the saved variable '{symbol.name}' of a block is written, and two points may meet in it"
            hint = f"make '{symbol.name}' a variable of the block without 'save' and initial value, or of the routine"
            yield warning("HF505", message, place, hint, [Related(region.place, "the region")])


def _is_saved(symbol: Symbol, at: Located) -> bool:
    """Whether a variable of a ``block`` around a statement keeps its value; with ``save`` or ``data`` there it may."""
    if symbol.attributes & {"parameter"}:
        return False
    if symbol.attributes & {"save", "initialised"}:
        return True
    inside: list[Construct] = [c for c in at.constructs if c.kind == "block" and symbol in c.declarations]
    nodes = (node for c in inside for node in c.parts[0].body)
    stated = [n for n in nodes if isinstance(n, Specification) and n.kind in ("save", "data")]
    return any(n.kind == "data" or not n.saved or symbol.name in n.saved for n in stated)


def _called(at: Located) -> Iterator[Name]:
    """The names by which a statement calls procedures, or may."""
    if isinstance(at.statement, Call) and isinstance(at.statement.designator, Name):
        yield at.statement.designator
    nodes: Iterator[Expr] = (n for e in expressions(at.statement) for n in walk(e))
    yield from (n.base for n in nodes if isinstance(n, Apply) and isinstance(n.base, Name))


def _said(facts: Facts, routine: Routine, at: Located, node: Name) -> tuple[str, str]:
    """What is to be said of a name that may be called, and a hint; else empty."""
    scopes, name = facts.scopes, node.name
    if not scopes.is_entry(name, routine.key):
        return "", ""
    found = scopes.variable(name, routine.key)
    variable = found is not None and (found.symbol.rank or found.symbol.type.base == "character")
    if variable or name in aliases_of(at) or by_procedure_variable(name, routine, scopes, at):
        return "", ""
    message = f"'{name}' is another entry of a routine, whose statements hfpy does not read under this name"
    return f"{message}: two points may meet in a variable", "make a subroutine of its own of what is after the entry"
