"""Names that settings and command lines mention: each has to be there, or what is said of it would be lost silently."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator

from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, Place, warning
from hfpy.layouts import letters_in
from hfpy.model.names import is_own, shown_key


def unknown_names(facts: Facts) -> Iterator[Diagnostic]:
    """A warning for each routine, scheme, array or domain of the options that the program does not have."""
    application = facts.application
    options = application.options
    units = [unit for index in application.files for unit in index.units]
    place = options.settings or Place(application.files[0].path if application.files else "")
    routines = {shown_key(key) for key in application.units} | {unit.name for unit in units}
    yield from _unknown(options.routines, routines, "routine", place)
    schemes = {unit.scheme for unit in units if unit.scheme}
    yield from _unknown(options.schemes, schemes, "scheme", place)
    if options.layout_arrays:
        own = [(key, name) for key, r in application.routines.items() for name in r.spec.symbols]
        arrays = {name for _, name in own} | {f"{key}::{name}" for key, name in own}
        yield from _unknown(options.layout_arrays, arrays, "array", place)
    if options.domains:
        yield from _unknown(options.domains, _domains(facts), "domain", place)


def _domains(facts: Facts) -> set[str]:
    """The names of domains in directives, and the letters of layouts, those of other targets included."""
    options = facts.application.options
    found = {d.name for region in facts.positions.regions.values() for d in region.domains}
    for routine in facts.application.routines.values():
        found |= {d.name for block in routine.spec.dependants for d in block.domains}
        found |= {d.name for c in routine.regions if c.region is not None for d in c.region.domains}
    found = {name for name in found if not is_own(name)} | facts.application.decomposed
    for text in (options.layout or "", *options.layout_arrays.values(), *options.layouts_elsewhere):
        found |= letters_in(text)
    for domain, spec in options.domains.items():  # an entry may give a domain of directives another letter
        if found & {name.lower() for name in spec.iterators}:
            found.add(domain.lower())
    return found


def _unknown(names: Collection[str], known: Collection[str], what: str, place: Place) -> Iterator[Diagnostic]:
    by_case = {name.lower(): name for name in known}
    for name in names:
        if name.lower() not in by_case:
            message = f"there is no {what} '{name}' in the program: what is said of it has no effect"
            yield warning("HF809", message, place, suggestion(name, known, what))


def suggestion(name: str, known: Collection[str], what: str) -> str:
    """A hint with the nearest of the names that are there."""
    by_case = {n.lower(): n for n in known}
    near = difflib.get_close_matches(name.lower(), list(by_case), 1, 0.6)
    if near:
        return f"did you mean '{by_case[near[0]]}'?"
    shown = sorted(known)
    few = ", ".join(shown[:6]) + (", …" if len(shown) > 6 else "")
    return f"the program has {few}" if shown else f"the program has no {what}s"
