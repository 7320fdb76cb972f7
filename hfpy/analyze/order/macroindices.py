"""Indices that the user wrote with a storage-order macro, ``a(AT(i,j,k))``, against the order that the array has.

Such indices are final (B8). They are right if the macro puts the index of each dimension where the array has that
dimension in memory. Two macros with one permutation do so, whatever they and their arguments are called; two with
different ones do if the array was declared with its dimensions in another order than the indices are given in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.orders import Node, Order
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.facts import Facts, resolve_alias, routines_to_check
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.agreement import arguments_joined
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, Binary, Expr, Literal, Name, Paren
from hfpy.model.units import Routine
from hfpy.parse.text.macros import argument_order, permutation


def misplaced_indices(facts: Facts) -> list[Diagnostic]:
    """An error for each reference whose macro puts the index of a domain where the array has another one."""
    found: list[Diagnostic] = []
    for routine in routines_to_check(facts) if facts.application.macros else ():
        reported: set[tuple[str, str]] = set()
        for reference, call, data in _final(facts, routine):
            macro = reference.at.statement.line.text[call.base.start : call.base.end]
            if (data.name, macro) not in reported and _contradicts(facts, routine, reference, call, data, macro):
                reported.add((data.name, macro))
                found.append(_misplaced(facts, routine, reference, data, macro))
    return found


def indexed_by_hand(facts: Facts) -> dict[Node, str]:
    """Macros by which users index or allocate arrays in another order than that of the arguments, by class."""
    found: dict[Node, str] = {}
    for key in facts.references:
        for reference, call, data in _final(facts, facts.routine(key)):
            macro = reference.at.statement.line.text[call.base.start : call.base.end]
            put = permutation(macro, data.rank, facts.application.macros)
            if put is not None and list(put) != sorted(put):
                found.setdefault(facts.classes.root(data.identity), macro)
    return found


def macros_beside_layout(facts: Facts) -> list[Diagnostic]:
    """Under ``[layout]`` hfpy puts no indices into macros. An error for each array that is declared with a macro which
    reorders, and is indexed without one, or is the same array as one that is declared without it.
    """
    options = facts.application.options
    if not facts.application.macros or not (options.layout or options.layout_arrays):
        return []
    declared = (s for routine in facts.application.routines.values() for s in routine.spec.symbols.values())
    if not any(map(facts.domains.macro_of, declared)):
        return []
    found: dict[tuple[str, str], Diagnostic] = {}
    for routine in routines_to_check(facts):
        for reference in facts.references[routine.key]:
            data = facts.object(reference.name, routine.key)
            if data is None or data.identity in found or not _reordered(facts, data):
                continue
            made = facts.plan_of(reference, routine.key)
            if made is not None and not made.final and (made.changed or reference.indices is not None):
                found[data.identity] = _beside(facts, routine, reference, data, "indexed without a macro")
    for joint in (j for routine in routines_to_check(facts) for j in arguments_joined(facts, routine.key)):
        data, other = joint.data, joint.other
        if joint.reference is None or {data.identity, other.identity} & found.keys():
            continue
        orders = _stored(facts, data), _stored(facts, other)
        if (_reordered(facts, data) or _reordered(facts, other)) and orders[0] != orders[1] and None not in orders:
            what = f"the same array as '{other.name}' of '{other.routine}' in another order"
            found[data.identity] = _beside(facts, facts.routine(joint.key), joint.reference, data, what)
    return list(found.values())


def _reordered(facts: Facts, data: DataObject) -> bool:
    """Whether a macro of the user's around its shape gives an array another order than that of its indices."""
    if not data.order_macro:
        return False
    stored = argument_order(data.order_macro, data.rank, facts.application.macros)
    return stored is None or list(stored) != sorted(stored)


def _beside(facts: Facts, routine: Routine, reference: Reference, data: DataObject, what: str) -> Diagnostic:
    node = reference.node
    place = reference.at.statement.line.place(routine.file, node.start, node.end)
    message = f"'{data.name}' is {what}, but macros and [layout] give it orders of their own"
    return error("HF306", message, place, "declare it without a macro, so that [layout] orders it, or drop [layout]")


def macro_of_template(order: Order, region: Region) -> str:
    """The macro that indices get in a region with a template (§6.3), or empty."""
    return f"{order.access_macro}_{region.template}" if order.default_macro and region.template else ""


def other_templates(facts: Facts) -> list[Diagnostic]:
    """An error for each region whose template has a macro that orders indices otherwise than arrays are declared."""
    found: dict[RegionId, Diagnostic] = {}
    macros = facts.application.macros
    if not any(region.template for region in facts.positions.regions.values()):
        return []
    for routine in routines_to_check(facts):
        for reference in facts.references[routine.key]:
            region = facts.positions.region(routine.key, reference.at)
            identity = facts.positions.active(routine.key, reference.at)
            data = facts.object(reference.name, routine.key)
            if region is None or identity is None or identity in found or not region.template or data is None:
                continue
            order = facts.order(data)
            named = macro_of_template(order, region)
            put = permutation(named, data.rank, macros) if named in macros else None
            if put is not None and order.storage is not None and put != order.storage:
                message = f"{named} has another order than {order.access_macro}, by which '{data.name}' is declared"
                hint = f"define {named} with the order of {order.access_macro}"
                found[identity] = error("HF306", message, region.place, hint)
    return list(found.values())


def _final(facts: Facts, routine: Routine) -> Iterator[tuple[Reference, Apply, DataObject]]:
    """The references whose indices are one call of a macro."""
    final = any(plan.final for plan in facts.plans.get(routine.key, {}).values())
    for reference in facts.references[routine.key] if final else ():
        made = facts.plan_of(reference, routine.key)
        if made is None or not made.final or not reference.indices or not facts.live(reference.at, routine.key):
            continue
        name, _ = resolve_alias(reference.name, reference.at)
        data = facts.object(name, routine.key) if name is not None else None
        call = reference.indices[0]
        if data is not None and isinstance(call, Apply) and len(call.args) == data.rank:
            yield reference, call, data


def _contradicts(
    facts: Facts, routine: Routine, reference: Reference, call: Apply, data: DataObject, macro: str
) -> bool:
    """Whether an index that is the iterator of a domain comes to a dimension of another one."""
    macros = facts.application.macros
    put, stored = permutation(macro, data.rank, macros), _stored(facts, data)
    if put is None or stored is None or put == tuple(stored):
        return False
    domains = [d.name if d.name and not d.ambiguous else "" for d in data.used]
    regions = [r.region for n, r in enumerate(routine.regions) if n in reference.at.regions and r.region is not None]
    known = {name for region in regions for name in region.iterators} & set(domains)
    for argument, dimension in zip(put, stored, strict=True):
        iterator = _iterator(call.args[argument])
        if iterator in known and domains[dimension] != iterator:
            return True
    return False


def _stored(facts: Facts, data: DataObject) -> Sequence[int] | None:
    """Position in storage → declared position; None where macros do not tell."""
    order = facts.order(data)
    if order.pieces or (order.access_macro and order.storage is None):
        return None
    if data.order_macro and order.storage is None:
        return argument_order(data.order_macro, data.rank, facts.application.macros)
    return order.stored(data.rank)


def _iterator(index: Expr) -> str:
    """The name in an index that is a name, or one plus or minus a number."""
    match index:
        case Name(name=name):
            return name
        case Paren(inner=inner) | Binary(op="+" | "-", left=inner, right=Literal()):
            return _iterator(inner)
        case Binary(op="+", left=Literal(), right=right):
            return _iterator(right)
    return ""


def _misplaced(facts: Facts, routine: Routine, reference: Reference, data: DataObject, macro: str) -> Diagnostic:
    order = facts.order(data)
    own = data.order_macro or order.access_macro
    line = data.symbol.line
    home = facts.application.routines.get(data.home, routine)
    declared = line.place(home.file, *data.symbol.name_span) if line is not None else home.place()
    node = reference.node
    place = reference.at.statement.line.place(routine.file, node.start, node.end)
    has = f"is stored in the order of {own}" if own else "is stored in its declared order"
    message = f"{macro} puts the indices of '{reference.name}' in another order than it has in memory: it {has}"
    hint = "write the indices without a macro, in the order of the declaration"
    return error("HF306", message, place, hint, [Related(declared, "it is declared here")])
