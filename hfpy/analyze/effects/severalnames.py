"""What routines do to memory that has several names, by pointers, ``common`` and ``equivalence``: which variables and
pointer components they use, set, and give to pointers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hfpy.analyze.arrays.storage import Identity, component_object
from hfpy.analyze.effects.declared import SIZE
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.components import chains_in
from hfpy.analyze.language.types import component, component_at_home, named_outside, selector_of
from hfpy.analyze.language.uses import Reference, aliases_of, associated, sets_component
from hfpy.model.expressions import Component, walk
from hfpy.model.units import Symbol

if TYPE_CHECKING:
    from hfpy.analyze.effects.effects import Effects

#: What is noted of a routine: that it uses a variable, sets it, or sets a pointer to it, which others may have then.
USE, SET, LENT = "use", "set", "lend"
TOUCHED = frozenset({USE, SET, LENT})
POINTED = frozenset({"pointer", "target"})

#: The designators of components in statements that were looked at.
Chains = dict[int, Mapping[tuple[int, str], Sequence[Component]]]


def touched_in(
    facts: Facts,
    effects: Effects,
    key: str,
    declared: Iterable[tuple[Identity, str]],
) -> Iterator[tuple[Identity, str]]:
    """The memory with other names that a routine's statements use and set. Local pointers count as their targets; who
    gets the target of a pointer uses it. Dummy arguments are the callers' own.
    What is ``declared`` is read, too (:mod:`hfpy.analyze.effects.declared`).
    """
    yield from ((identity, USE) for identity, word in declared if word == SIZE)
    routine = facts.application.routines.get(key)
    references = effects.with_functions(facts.references.get(key, ()), key)
    for reference, identity, symbol in references_to(facts, references, key, True):
        if routine is None or (identity[0] == key and identity[1] in routine.dummies):
            continue
        if reference.role == "pointer":
            yield identity, LENT
            continue
        reads, writes = effects.of(reference, key)
        found = frozenset({identity})
        if identity[0] == key and symbol is not None and "pointer" in symbol.attributes:
            found |= facts.storage.of_identity(identity)
        for each in found if reads or writes else ():
            yield each, SET if writes else USE


def references_to(
    facts: Facts, references: Sequence[Reference], key: str, targets: bool = False
) -> Iterator[tuple[Reference, Identity, Symbol | None]]:
    """The references that mean memory with other names: what they mean, a variable or a pointer component. With
    ``targets`` what pointers are set to is among them.
    """
    chains: Chains = {}
    plain: set[str] = set()  # names of no such memory, where they mean what they mean in the routine
    for reference in references:
        if reference.name in plain and not reference.component and not reference.at.renamed:
            continue
        set_ = reference.role == "pointer" and (not targets or associated(reference) or sets_component(reference))
        if set_ or reference.role == "inquiry":
            continue
        aliases = aliases_of(reference.at)
        selector = selector_of(reference)
        parts = [node for node in walk(selector) if isinstance(node, Component)] if selector is not None else []
        if reference.component:
            behind = _chain(reference, chains)
            meant = (named_outside(part, aliases) if selector is not None else part for part in behind)
            parts += [part for part in meant if isinstance(part, Component)]
        found = [(part.name, component(part, key, facts.scopes)) for part in parts]
        pointer = next((p for p in reversed(found) if p[1] is not None and "pointer" in p[1].attributes), None)
        if pointer is not None:
            yield reference, component_object(pointer[0]), pointer[1]
            continue
        variable = facts.variable(reference.name, reference.at, key)
        if variable is not None and not variable.symbol.constant:
            identity = variable.home, variable.symbol.name
            if variable.symbol.attributes & POINTED or facts.storage.joint(identity) is not None:
                yield reference, identity, variable.symbol
                continue
        if not reference.at.renamed:
            plain.add(reference.name)


def components_meant(facts: Facts, reference: Reference, key: str, chains: Chains) -> frozenset[str] | None:
    """The names of the components that a reference of an object means: those on its way, and all that lie in what it
    means at last. None if they are not known. ``chains`` is kept for the next references.
    """
    aliases = aliases_of(reference.at)
    selector = selector_of(reference)
    around = [node for node in walk(selector) if isinstance(node, Component)] if selector is not None else []
    behind = sorted(_chain(reference, chains), key=lambda node: node.end) if reference.component else []
    if not behind and (reference.component or reference.at.renamed):
        return None
    last = named_outside(behind[-1], aliases) if behind else None
    meant = component_at_home(last, key, facts.scopes) if isinstance(last, Component) else None
    if behind and meant is None:
        return None
    meant = meant or facts.variable(reference.name, reference.at, key)
    inside = facts.storage.inside.of_type(meant.symbol.type, meant.home) if meant is not None else None
    return None if inside is None else inside | {node.name for node in (*around, *behind)}


def _chain(reference: Reference, chains: Chains) -> Sequence[Component]:
    """The designators of components that begin with the variable of a reference."""
    statement = reference.at.statement
    listed = chains.get(id(statement)) or chains.setdefault(id(statement), chains_in(statement))
    return listed.get((reference.node.start, reference.name), ())
