"""Names that no directive takes, or of which no thread can have its own (HF409)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.facts import keeps_value
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.renamed import given_around, other_way
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Range, base_name


def given_iterators(body: RegionBody) -> Iterator[Diagnostic]:
    """Iterators that are names of a construct around the region, and so of a variable of the routine: each point has
    its own iterators, under their own names.
    """
    for name in sorted(given_around(body).intersection(body.region.iterators)):
        message = f"'{name}' is a name that a construct around the region gives; no region counts with it"
        yield error("HF409", message, body.region.place, "use a variable of the routine in the loop")


def given_names(body: RegionBody, listed: Collection[str]) -> Iterator[Diagnostic]:
    """Names that compilers do not take in a directive: what ``select type`` gives under the selector's own name,
    and within such a construct, or an ``associate``, the result of a function that has its name.
    """
    given, routine = given_around(body), body.routine
    if again := sorted(given.intersection(listed)):
        message = f"'{again[0]}' is a name that a construct around the region gives; no directive takes it"
        yield error("HF409", message, body.region.place, other_way(again[0], body.facts.backend(body.key)))
    name = routine.result
    if given and routine.kind == "function" and name == routine.name and name in listed:
        message = f"'{name}' is the function's name too; in an associate or select type no directive takes it"
        yield error("HF409", message, body.region.place, "give the result a name of its own: result(…)")


def not_for_threads(body: RegionBody, own: Collection[str]) -> Iterator[Diagnostic]:
    """What no thread may have for itself: variables of namelists (OpenMP 5.2, 5.4.3), texts whose length is deferred,
    of which GNU Fortran 12 has one length for all threads, or none, and polymorphic variables, whose memory it frees.
    """
    for name in sorted(own):
        data = body.facts.object(name, body.key)
        length = data.symbol.type.length if data is not None else None
        if data is not None and data.identity in body.facts.scopes.in_namelists:
            why, hint = "is in a namelist", f"use another variable in the region, and copy '{name}'"
        elif length is not None and isinstance(length.expr, Range):
            why, hint = "has a deferred length", f"give '{name}' a fixed length in the region: character(80)"
        elif data is not None and data.symbol.type.base == "class":
            why, hint = "is polymorphic", "declare it with type(…), or set it in a routine that the region calls"
        else:
            continue
        message = f"'{name}' {why}, and each thread would need its own: no directive gives it that"
        yield error("HF409", message, body.region.place, hint)


def lost_texts(body: RegionBody, shared: Collection[str]) -> Iterator[Diagnostic]:
    """Local texts of deferred length that a region uses: GNU Fortran 12 takes them for the threads' own, where they
    have no ``target``, and gives these a wrong length or address.
    """
    for name in sorted(shared):
        data = body.facts.object(name, body.key)
        if data is None or not data.local or data.rank or "target" in data.symbol.attributes:
            continue
        length = data.symbol.type.length
        deferred = length is not None and isinstance(length.expr, Range) and "allocatable" in data.symbol.attributes
        kept = name == body.routine.result or keeps_value(body.routine, name)
        if deferred and not kept and any(r.name == name and not _asks_length(r) for r in body.references):
            message = f"'{name}' is a local text of deferred length: GNU Fortran 12 gives threads a wrong one"
            hint = f"declare '{name}' with the attribute target, or with save"
            yield error("HF409", message, body.region.place, hint)


def _asks_length(reference: Reference) -> bool:
    return reference.role == "inquiry" and reference.call is not None and base_name(reference.call) == "len"
