"""What the declarations of a routine read when it is called: the sizes of its arrays, the lengths of its texts. Points
that call it may see there what other points of a region have set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.effects.memory import done_in
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.referenced import asks
from hfpy.diagnostics import Diagnostic, Place, Related, warning
from hfpy.model.expressions import Expr, Fragment, Name, children
from hfpy.model.statements import Node, constructs
from hfpy.model.units import Symbol

if TYPE_CHECKING:
    from hfpy.analyze.effects.bodies import RegionBody

#: What is noted of a variable: its value is read, or its bounds, length or allocation.
SIZE, ASKED = "size", "asked"
DECLARED = frozenset({SIZE, ASKED})


def declared_of(
    facts: Facts, mentioned: Callable[[str], frozenset[Identity]]
) -> dict[str, frozenset[tuple[Identity, str]]]:
    """What the declarations of each routine read of variables that it does not have by itself, and functions that they
    call; ``mentioned`` gives what a routine knows.
    """
    own = {key: set(_read_in(facts, key, _names(facts, key))) for key in facts.graph.sites}
    return {key: frozenset(_with_functions(there, mentioned)) for key, there in own.items()}


def _with_functions(
    read: Iterable[tuple[Identity | str, str]], mentioned: Callable[[str], frozenset[Identity]]
) -> Iterator[tuple[Identity, str]]:
    for what, word in read:
        if isinstance(what, str):
            yield from ((identity, SIZE) for identity in mentioned(what))
        else:
            yield what, word


def _read_in(facts: Facts, key: str, names: Iterable[tuple[str, str]]) -> Iterator[tuple[Identity | str, str]]:
    """What some names in declarations of a routine mean: variables that outlive a call, and functions by their keys."""
    for name, word in names:
        variable = facts.scopes.variable(name, key)
        if variable is None:
            yield from ((function, word) for function in facts.scopes.procedures(name, key))
        elif not variable.symbol.constant and variable.home != key:
            yield (variable.home, variable.symbol.name), word
        elif not variable.symbol.constant and (joint := facts.storage.joint((key, name))) is not None:
            yield joint, word


def dummies_in_declarations(facts: Facts, key: str) -> frozenset[str]:
    """The dummy arguments whose values the declarations of a routine read when it is called."""
    routine = facts.routine(key)
    names = _in_declarations(facts, key, routine.spec.symbols.values())
    return frozenset(n for n, word in names if word == SIZE and n in routine.dummies)


def read_by_blocks(facts: Facts, key: str, nodes: tuple[Node, ...]) -> frozenset[str]:
    """The names whose values declarations in ``block`` constructs of a routine read."""
    return frozenset(n for n, word in _in_blocks(facts, key, nodes) if word == SIZE)


def read_by_functions(
    facts: Facts, mentioned: Callable[[str], frozenset[Identity]], key: str, nodes: tuple[Node, ...]
) -> frozenset[tuple[Identity, str]]:
    """What functions know that declarations in ``block`` constructs of a routine call."""
    called = (r for r in _read_in(facts, key, _in_blocks(facts, key, nodes)) if isinstance(r[0], str))
    return frozenset(_with_functions(called, mentioned))


def _names(facts: Facts, key: str) -> Iterator[tuple[str, str]]:
    routine = facts.application.routines[key]
    yield from _in_declarations(facts, key, routine.spec.symbols.values())
    yield from _in_blocks(facts, key, routine.body)


def _in_blocks(facts: Facts, key: str, nodes: tuple[Node, ...]) -> Iterator[tuple[str, str]]:
    for construct in constructs(nodes):
        if construct.kind == "block":
            yield from _in_declarations(facts, key, construct.declarations)


def _in_declarations(facts: Facts, key: str, declared: Iterable[object]) -> Iterator[tuple[str, str]]:
    for symbol in declared:
        if isinstance(symbol, Symbol):
            for fragment in _fragments(symbol):
                yield from _read(facts, key, fragment.expr)


def _fragments(symbol: Symbol) -> Iterable[Fragment]:
    length = (symbol.type.length,) if symbol.type.length is not None else ()
    return (*length, *(bound for dim in symbol.shape for bound in dim.bounds))


def _read(facts: Facts, key: str, expr: Expr, word: str = SIZE) -> Iterator[tuple[str, str]]:
    """The names in an expression, and what is read of each."""
    if isinstance(expr, Name):
        yield expr.name, word
        return
    inquiry = asks(expr, key, facts.scopes)
    for part in children(expr):
        yield from _read(facts, key, part, ASKED if inquiry else word)


def seen_in_declarations(body: RegionBody) -> Iterator[Diagnostic]:
    """A warning (HF501) for each variable that points set, and that declarations read: those of called routines, and
    functions in blocks of the region.
    """
    read = [(known, body.facts.routine(c).name) for c in body.callees for known in sorted(body.effects.declared(c))]
    here = read_by_functions(body.facts, body.effects.mentioned_memory, body.key, (body.construct,))
    read += [(known, "") for known in sorted(here)]
    if not read:
        return
    written = _written(body)
    anew = {identity for identity, _ in done_in(body) | body.changed_below}
    reported: set[Identity] = set()
    for (identity, word), name in read:
        for changed in written if word == SIZE else anew:
            if changed not in reported and identity in (changed, body.facts.storage.joint(changed)):
                reported.add(changed)
                place = written.get(changed, body.region.place)
                where = f"'{name}' declares" if name else "a block declares"
                message = f"'{changed[1]}' is set in the region, and sizes that {where} depend on it"
                hint = f"set '{changed[1]}' before the region, or let the sizes depend on something else"
                related = [Related(body.region.place, "the region")]
                yield warning("HF501", f"{message}: points may see what others set", place, hint, related)


def _written(body: RegionBody) -> dict[Identity, Place]:
    """What the region writes, or a routine that it calls, each with the place of a write."""
    written: dict[Identity, Place] = {}
    for name, reference in body.flow().written.items():
        data = body.facts.object(name, body.key)
        if data is not None:
            written[data.identity] = body.place(reference)
    for callee in body.callees:
        for identity, place in body.effects.lasting_writes(callee).items():
            written.setdefault(identity, place)
    return written
