"""Module arrays whose indices a routine gives in the order of a macro of its own (hybrid-fortran.md §6.3).

``accPP(AT_KIJ)`` around ``a(k,i,j)`` is right where ``a`` was declared with ``AT`` as ``a(i,j,k)``, if both macros put
the same parameters, by their names, into the same order in memory. The indices then get the order of the declaration,
and the macro goes. Where there is a doubt, nothing is changed, and the orders contradict each other (HF306).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hfpy.analyze.arrays.listings import Listing, listing_of, merged_listing
from hfpy.analyze.language.context import located
from hfpy.analyze.language.referenced import references_in
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, note
from hfpy.model.directives import Dependants, Listed
from hfpy.model.expressions import Apply, Name, Range, names_in, walk
from hfpy.model.macros import Macro
from hfpy.model.names import access_macro, domain_macro
from hfpy.model.units import Routine
from hfpy.parse.text.macros import permutation
from hfpy.transform.text.edits import Edit, replace_lines, replace_range
from hfpy.values import dataclass


@dataclass(frozen=True)
class Turned:
    """An array of a block whose indices have another order there: for each dimension, as declared, its index."""

    listed: Listed
    order: tuple[int, ...]


def turned_indices(scopes: Scopes, routine: Routine) -> tuple[list[Edit], list[Diagnostic]]:
    """Edits that put indices into the order of the declaration, and a note for each block that asked for another."""
    blocks = [b for b in routine.spec.dependants if b.access_macro and not b.decomposed and not b.halo_widths]
    found = {id(block): list(_turned(scopes, routine, block)) for block in blocks}
    names = {turned.listed.name for several in found.values() for turned in several}
    statements = located(routine) if names else ()
    if any(at.renamed for at in statements):
        return [], []
    references = [r for r in references_in(statements, routine.key, scopes) if r.name in names]
    edits: list[Edit] = []
    notes: list[Diagnostic] = []
    for block in blocks:
        taken = [t for t in found[id(block)] if _plain(scopes, routine, t, references)]
        if not taken:
            continue
        edits.append(replace_lines(block.lines[0].first, block.lines[-1].last, list(_rows(block, taken))))
        for turned in taken:
            edits += [e for r in references if r.name == turned.listed.name for e in _reordered(r, turned.order)]
        reported = ", ".join(f"'{turned.listed.name}'" for turned in taken)
        params = ", ".join(scopes.application.macros[block.access_macro].params or ())
        message = f"the indices of {reported} are taken in the order of {block.access_macro}({params}) here"
        notes.append(note("HF306", message, block.place, "they mean the same memory as those of the declaration"))
    return edits, notes


def _turned(scopes: Scopes, routine: Routine, block: Dependants) -> Iterator[Turned]:
    """The variables of modules in a block whose macro lists the parameters of that of the declaration otherwise."""
    macros = scopes.application.macros
    for listed in block.names:
        variable = scopes.variable(listed.name, routine.key)
        home = scopes.application.routines.get(variable.home) if variable is not None else None
        if variable is None or home is None or home.key == routine.key or variable.symbol.rank < 3:
            continue
        said: Listing | None = None
        for other in home.spec.dependants:
            for name in other.names:
                if name.name == variable.symbol.name:
                    said = merged_listing(said, listing_of(other, name.place))
        if said is None or variable.symbol.rank != len(macros[block.access_macro].params or ()):
            continue
        usual = "AT" if variable.symbol.rank == 3 else f"AT{variable.symbol.rank}"
        declared = said.access_macro or (access_macro(said.domain_macro) if said.domain_macro else usual)
        order = _by_names(declared, block.access_macro, macros)
        domain = block.domain_macro or domain_macro(block.access_macro)
        fits = domain not in macros or _by_names(declared, domain, macros) == order
        if order is not None and list(order) != sorted(order) and fits:
            yield Turned(listed, order)


def _by_names(declared: str, own: str, macros: Mapping[str, Macro]) -> tuple[int, ...] | None:
    """For each parameter of a macro its place among those of another one that puts all of them into memory alike; None
    if it does not, or has parameters of other names.
    """
    first, other = macros.get(declared), macros.get(own)
    if first is None or other is None or first.params is None or other.params is None:
        return None
    stored = (permutation(m.name, len(m.params or ()), macros) for m in (first, other))
    one, two = stored
    if one is None or two is None or [first.params[p] for p in one] != [other.params[p] for p in two]:
        return None
    places = {name: place for place, name in enumerate(other.params)}
    return tuple(places[name] for name in first.params)


def _plain(scopes: Scopes, routine: Routine, turned: Turned, references: Sequence[Reference]) -> bool:
    """Whether all references to an array have one scalar index for each dimension, without such arrays in it."""
    turned_names = {reference.name for reference in references}
    shapes = (bound for s in routine.spec.symbols.values() for d in s.shape for bound in (d.lower, d.upper) if bound)
    if any(turned.listed.name in names_in(bound.expr) for bound in shapes):
        return False
    for reference in references:
        if reference.name != turned.listed.name:
            continue
        if reference.role not in ("read", "write", "io", "input") or reference.component:
            return False
        given = reference.indices or ()
        if len(given) != len(turned.order) or not isinstance(reference.node, Apply):
            return False
        for node in (n for index in given for n in walk(index)):
            if isinstance(node, Range) or (isinstance(node, Name) and node.name in turned_names):
                return False
            variable = scopes.variable(node.name, routine.key) if isinstance(node, Name) else None
            if variable is not None and variable.symbol.rank and node in given:
                return False
    return True


def _reordered(reference: Reference, order: tuple[int, ...]) -> Iterator[Edit]:
    """Edits of an index list: each dimension gets the index at its place."""
    given, line = reference.indices or (), reference.at.statement.line
    for index, taken in zip(given, (given[place] for place in order), strict=True):
        if index is not taken:
            yield replace_range(line, index.start, index.end, line.text[taken.start : taken.end])


def _rows(block: Dependants, taken: Sequence[Turned]) -> Iterator[str]:
    """The block without its macros for some of its names, and as it is for the rest."""
    names = [turned.listed.name for turned in taken]
    rest = [listed.name for listed in block.names if listed.name not in names]
    bare = replace(block, access_macro="", domain_macro="")
    for listed, said in ((names, bare), (rest, block)):
        if listed:
            yield f"@domainDependant{{{', '.join(_attributes(said))}}}"
            yield ", ".join(listed)
            yield "@end domainDependant"


def _attributes(block: Dependants) -> Iterator[str]:
    if block.domains:
        yield f"domName({', '.join(d.name for d in block.domains)})"
        yield f"domSize({', '.join(d.extent.text for d in block.domains)})"
    if block.flags:
        yield f"attribute({', '.join(sorted(block.flags))})"
    for name, value in (
        ("accPP", block.access_macro),
        ("domPP", block.domain_macro),
        ("declarationPrefix", block.declaration_prefix),
    ):
        if value:
            yield f"{name}({value})"
