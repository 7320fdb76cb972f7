"""Values that variables of loops have after them: who may use those that a routine leaves."""

from __future__ import annotations

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.effects.statementfunctions import with_functions
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.implied import ImpliedLoops
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.unsplit import in_declarations
from hfpy.model.expressions import Keyword
from hfpy.model.statements import Construct, Header, OneLine, Statement

_INDEXED = ("forall", "doconcurrent")


class OwnVariables:
    """The names in a routine that mean the variable of an implied loop, a ``forall`` or a ``do concurrent``, which is
    none of the routine's. ``likely`` as for :class:`~hfpy.analyze.language.implied.ImpliedLoops`.
    """

    def __init__(self, facts: Facts, key: str, likely: bool = False) -> None:
        self._implied = ImpliedLoops(likely)
        self._lines = facts.indexed_lines(key)

    def has(self, reference: Reference) -> bool:
        """Whether a name is one of them."""
        alone = self._lines.get(reference.at.statement.line.key)
        if alone is not None and reference.name in _indices(alone):
            return True
        around = (c.header for c in reference.at.constructs if c.kind in _INDEXED)
        return any(reference.name in _indices(header) for header in around) or self._implied.bind(reference)


def _indices(statement: Statement) -> frozenset[str]:
    """The variables of a ``forall`` or a ``do concurrent``."""
    control = statement.exprs if isinstance(statement, Header) else ()
    control = statement.control if isinstance(statement, OneLine) else control
    return frozenset(e.name for e in control if isinstance(e, Keyword))


def values_read(facts: Facts) -> dict[Identity, set[str]]:
    """The variables that routines read elsewhere than in loops over them, each with the keys of these routines. Sizes
    in declarations and members of a ``namelist`` count.
    """
    found: dict[Identity, set[str]] = {}
    for key, references in facts.references.items():
        own, routine = OwnVariables(facts, key), facts.routine(key)
        used = with_functions(facts, references, key)
        names = {r.name for r in used if not (r.writes or in_loop_over(r, own))}
        names |= in_declarations(facts, routine)
        names = names.union(*(g.members for g in routine.spec.groups if g.kind == "namelist"))
        for data in (facts.object(name, key) for name in names):
            if data is not None:
                found.setdefault(data.identity, set()).add(key)
    return found


def counts_only(facts: Facts, key: str, name: str) -> bool:
    """Whether a routine reads a variable in loops over it alone, so that no value of it is used after them."""
    own = OwnVariables(facts, key)
    references = with_functions(facts, facts.references[key], key)
    reads = (r for r in references if r.name == name and not r.writes)
    return all(in_loop_over(r, own) for r in reads)


def in_loop_over(reference: Reference, own: OwnVariables) -> bool:
    """Whether a name means the variable of a loop around it, of an implied one, a ``forall`` or ``do concurrent``."""
    return own.has(reference) or any(_over(c, reference) for c in reference.at.constructs)


def _over(construct: Construct, reference: Reference) -> bool:
    """Whether a reference is in a loop over its name, and not in the loop's bounds."""
    header = construct.header
    return isinstance(header, Header) and header.var == reference.name and header is not reference.at.statement
