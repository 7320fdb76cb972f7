"""What statement functions read where they are used: names that no statement there has (Fortran 2018, 15.6.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Name, names_in


def read_by_function(facts: Facts, reference: Reference, key: str) -> Iterator[Reference]:
    """What a reference of a statement function reads besides its arguments, each as if it stood in its place."""
    routine = facts.application.routines.get(key)
    if routine is None or not routine.spec.statement_functions:
        return
    defined = {name: (dummies, value) for name, dummies, value, _ in routine.spec.statement_functions}
    pending, seen = [reference.name] if reference.name in defined else [], set[str]()
    while pending:
        dummies, value = defined[pending.pop()]
        for name in sorted(names_in(value) - set(dummies) - seen):
            seen.add(name)
            if name in defined:
                pending.append(name)
            elif facts.scopes.variable(name, key) is not None:
                start = reference.node.start
                yield Reference(name, Name(start, start + len(reference.name), name), reference.at, "read")


def with_functions(facts: Facts, references: Sequence[Reference], key: str) -> Sequence[Reference]:
    """References of a routine, with what its statement functions read where they are used."""
    routine = facts.application.routines.get(key)
    if routine is None or not routine.spec.statement_functions:
        return references
    return [each for r in references for each in (r, *read_by_function(facts, r, key))]
