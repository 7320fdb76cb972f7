"""Names that a region lists in ``private``, ``independent``, ``distinct`` or ``local``, or has in its bounds, and that
mean nothing there: what is stated of them would be lost without a word (design §4, contract 6), and a bound would be a
variable that nothing sets.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, routines_to_check
from hfpy.analyze.faults.undeclared import Undeclared, declared_by
from hfpy.diagnostics import Diagnostic, error, warning
from hfpy.model.directives import Region
from hfpy.model.names import is_own
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.directives.directives import respelled
from hfpy.parse.directives.regions import listed_names
from hfpy.parse.text.physical import preprocessed

_ALSO_BELOW = ("independent", "distinct")  # what they state holds for variables of called routines, too


def listed_nowhere(facts: Facts, effects: Effects) -> Iterator[Diagnostic]:
    """An error (HF250) for each such name of the active regions. It is a warning in files with lines for the
    preprocessor, as a branch that is not taken may declare the name.
    """
    names = Undeclared(facts)
    for routine in routines_to_check(facts):
        for identity in facts.positions.get(routine.key).own:
            region = facts.positions.regions[identity]
            yield from _in_bounds(names, routine, region)
            if not any((region.private, region.independent, region.distinct, region.local)):
                continue
            for attribute, name, offset in listed_names(region):
                if is_own(name) or _means_something(names, name, routine):
                    continue
                if attribute in _ALSO_BELOW and name in _names_below(effects, routine.key, identity.number):
                    continue
                near = sorted(n for n in routine.spec.symbols if not is_own(n))
                place = region.line.place(routine.file, offset, offset + len(name))
                message = f"'{name}' in '{attribute}' means nothing here: no declaration has that name"
                fixes = respelled(name, near, region.line, routine.file, offset)
                hint = f"did you mean '{fixes[0].text}'?" if fixes else ""
                said = warning if _has_branches(facts.application.file(routine.key)) else error
                yield said("HF250", message, place, hint).proposing(*fixes)


def _in_bounds(names: Undeclared, routine: Routine, region: Region) -> Iterator[Diagnostic]:
    """An error for the first name in the bounds of a region that means nothing, also where the implicit rules would
    give it a type.
    """
    nowhere = (n for n in sorted(region.bound_names) if not is_own(n) and not _means_something(names, n, routine))
    name = next(nowhere, "")
    if not name:
        return
    said = warning if _has_branches(names.facts.application.file(routine.key)) else error
    sizes = {size.lower() for size in names.facts.application.options.domain_sizes.values()}
    hint = "write domSize(…) in the directive, with the name that it has here" if name in sizes else ""
    message = f"'{name}' in the bounds of this region means nothing here: no declaration or statement has that name"
    yield said("HF250", message, region.line.place(routine.file), hint)


def _has_branches(index: FileIndex) -> bool:
    return index.expanded is not None or preprocessed(index.source.lines, index.fixed)


def _means_something(names: Undeclared, name: str, routine: Routine) -> bool:
    """Whether the routine has the name, or may have it from something that has no source here."""
    facts, key = names.facts, routine.key
    if names.scopes.opaque.seen_by(key) or names.lacks_text(key) or names.known(name, key):
        return True
    if any(r.name == name for r in facts.references[key]):
        return True
    macros = (*facts.application.macros_of(key), *facts.application.file(key).macros)
    return name in (m.lower() for m in macros) or name in _parts(facts)


def _parts(facts: Facts) -> set[str]:
    """The names of all components of the program's types."""
    return {part.name for derived in facts.scopes.parts.types.values() for part in derived.components}


def _names_below(effects: Effects, key: str, number: int) -> set[str]:
    """The names that routines called in a region have, and those of the variables that they mention."""
    facts, found = effects.facts, set[str]()
    pending = [s.callee for s in facts.graph.below(key) if number in s.at.regions and s.callee]
    seen = set(pending)
    while pending:
        callee = pending.pop()
        effects.looked.add((callee, key))
        found |= {name for _, name in effects.mentioned_memory(callee)} | declared_by(facts.routine(callee))
        more = {s.callee for s in facts.graph.below(callee) if s.callee} - seen
        seen |= more
        pending += sorted(more)
    return found
