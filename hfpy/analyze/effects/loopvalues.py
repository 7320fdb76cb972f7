"""Values that variables of loops have after them: who may use those that a routine leaves."""

from __future__ import annotations

from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.implied import ImpliedLoops
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.unsplit import in_declarations
from hfpy.model.statements import Construct, Header

INDEXED = ("forall", "doconcurrent")  # which variables they have is not asked


def values_read(facts: Facts) -> dict[Identity, set[str]]:
    """The variables that routines read elsewhere than in loops over them, each with the keys of these routines. Sizes
    in declarations and members of a ``namelist`` count.
    """
    found: dict[Identity, set[str]] = {}
    for key, references in facts.references.items():
        implied, routine = ImpliedLoops(), facts.routine(key)
        names = {r.name for r in references if not (r.writes or in_loop_over(r, implied))}
        names |= in_declarations(facts, routine)
        names = names.union(*(g.members for g in routine.spec.groups if g.kind == "namelist"))
        for data in (facts.object(name, key) for name in names):
            if data is not None:
                found.setdefault(data.identity, set()).add(key)
    return found


def counts_only(facts: Facts, key: str, name: str) -> bool:
    """Whether a routine reads a variable in loops over it alone, so that no value of it is used after them."""
    implied = ImpliedLoops()
    reads = (r for r in facts.references[key] if r.name == name and not r.writes)
    return all(in_loop_over(r, implied) for r in reads)


def bound(reference: Reference, loops: ImpliedLoops) -> bool:
    """Whether a name means the variable of an implied loop, or of a ``forall`` or ``do concurrent`` around it."""
    return any(c.kind in INDEXED for c in reference.at.constructs) or loops.bind(reference)


def in_loop_over(reference: Reference, implied: ImpliedLoops) -> bool:
    """Whether a name means the variable of a loop around it, of an implied one, a ``forall`` or ``do concurrent``."""
    return bound(reference, implied) or any(_over(c, reference) for c in reference.at.constructs)


def _over(construct: Construct, reference: Reference) -> bool:
    """Whether a reference is in a loop over its name, and not in the loop's bounds."""
    header = construct.header
    return isinstance(header, Header) and header.var == reference.name and header is not reference.at.statement
