"""Functions of which a routine declares nothing but the type (``real(8) :: f``), and that regions call.

GNU Fortran (12) takes such a name for a variable where all its references are in a ``block``, and refuses the program.
Where hfpy writes a ``block`` around a region, it adds that the function is external, or intrinsic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hfpy.analyze.facts import Facts
from hfpy.model.expressions import Apply, Name, walk
from hfpy.model.statements import Construct, expressions, flatten
from hfpy.model.units import Routine, Symbol
from hfpy.transform.text.edits import Edit, insert_lines

_SAID = frozenset({"external", "intrinsic"})


def said_functions(facts: Facts, routine: Routine, regions: Iterable[Construct], external: bool) -> Iterator[Edit]:
    """A statement for each function that some regions call and of which the routine declares the type alone, for those
    of the program where ``external`` asks for them, too.
    """
    called = {name for region in regions for name in _called(region)}
    for symbol in routine.spec.symbols.values():
        if symbol.name in called and symbol.line is not None and _of_type_alone(facts, routine, symbol):
            word = "intrinsic" if facts.scopes.is_intrinsic(symbol.name, routine.key) else "external"
            if word == "external" and not external:
                continue
            margin = " " * symbol.line.segments[0][2]
            yield insert_lines(symbol.line.last + 1, [f"{margin}{word} {symbol.name}"], 4, symbol.line.first)


def _called(region: Construct) -> Iterator[str]:
    """The names with arguments in a region."""
    nodes = (node for s in flatten((region,)) for expr in expressions(s) for node in walk(expr))
    return (n.base.name for n in nodes if isinstance(n, Apply) and isinstance(n.base, Name))


def _of_type_alone(facts: Facts, routine: Routine, symbol: Symbol) -> bool:
    """Whether a name is that of a function, and no more than its type is declared, in the routine's own text."""
    assert symbol.line is not None
    if symbol.line.file or not symbol.type.base or symbol.type.base == "procedure" or symbol.attributes & _SAID:
        return False
    if symbol.rank or symbol.name in (*routine.dummies, routine.result, routine.name):
        return False
    scopes = facts.scopes
    variable = scopes.variable(symbol.name, routine.key) is not None
    return not variable and not scopes.statement_function(symbol.name, routine.key)
