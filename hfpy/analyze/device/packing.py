"""Which actual arguments a compiler packs into a temporary, whose address then means no array on the device.

A section with gaps (in the order of storage) that meets a dummy with explicit shape is copied before the call, and
copied back after it. So is a pointer or an assumed-shape array that has gaps when the program runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.analyze.order.vectorsubscripts import is_vector
from hfpy.model.expressions import Apply, Component, Expr, Literal, Name, Range
from hfpy.model.units import Symbol

#: Never packed; packed if it has gaps when the program runs; surely with gaps; a vector subscript, always copied.
NEVER, PERHAPS, GAPS, VECTOR = "never", "perhaps", "gaps", "vector"


def gaps(facts: Facts, reference: Reference, key: str, entered: bool = False) -> str:
    """Whether what a reference denotes may have gaps in memory; ``entered`` arrays have none, as the routine itself has
    brought them to the device as a whole.
    """
    if reference.component:
        return NEVER
    name, plain = resolve_alias(reference.name, reference.at)
    if not plain:
        return _renamed(facts, reference.node, reference.at, key, entered)
    data = facts.object(name, key) if name is not None else None
    if data is None or not data.rank:
        return NEVER
    made = facts.plan_of(reference, key)
    items = made.items if made is not None and (made.changed or made.items is not None) else reference.indices
    return _of_items(facts, data, items, reference.at, key, entered)


def _renamed(facts: Facts, node: Expr, at: Located, key: str, entered: bool, seen: frozenset[str] = frozenset()) -> str:
    """The same for an expression with an associate name, or for what such a name means. The values of expressions, and
    elements by a vector subscript, are in memory of the compiler's by then.
    """
    base, items = (node.base, node.args) if isinstance(node, Apply) else (node, None)
    if items and any(not isinstance(i, Range) and is_vector(i, at, key, facts) for i in items):
        return NEVER
    if not isinstance(base, Name):
        return PERHAPS if isinstance(base, Component) else NEVER
    aliases = aliases_of(at)
    if base.name not in aliases or base.name in seen:  # `x => x(2:)` is of the x around it
        data = facts.object(base.name, key)
        return _of_items(facts, data, items, at, key, entered) if data is not None and data.rank else NEVER
    selector = aliases[base.name]
    around = _renamed(facts, selector, at, key, entered, seen | {base.name}) if selector is not None else NEVER
    if items is None:
        return around
    ranges = [i for i in items if isinstance(i, Range)]
    if not ranges:
        return NEVER
    if any(map(_strided, ranges)):
        return GAPS
    return around if len(items) == 1 else PERHAPS


def _of_items(
    facts: Facts, data: DataObject, items: Sequence[Expr | str] | None, at: Located, key: str, entered: bool
) -> str:
    """The same for an array with indices, or as a whole."""
    one_piece = entered and (data.home, data.symbol.name) not in facts.gapped
    whole = PERHAPS if _may_have_gaps(data.symbol) and not one_piece else NEVER
    if items is None:
        return whole
    if any(not isinstance(i, (str, Range)) and is_vector(i, at, key, facts) for i in items):
        return VECTOR
    if not any(i == ":" or isinstance(i, Range) for i in items):
        return NEVER  # an element, where an array may begin
    if len(items) != data.rank:
        return PERHAPS  # a macro of the user's
    storage = _storage(facts, data)
    if storage is None:
        return PERHAPS
    ranges = [items[p] == ":" or isinstance(items[p], Range) for p in storage]
    if any(isinstance(i, Range) and _strided(i) for i in items) or _after_index(ranges):
        return GAPS
    return whole if _in_one_piece(items, storage) else PERHAPS


def packs(dummy: Symbol) -> bool:
    """Whether a dummy argument needs its elements one after the other: others take arrays as they lie."""
    if dummy.dynamic:
        return False
    return "contiguous" in dummy.attributes or not any(d.form == "assumed" for d in dummy.shape)


def _may_have_gaps(symbol: Symbol) -> bool:
    if "contiguous" in symbol.attributes or "allocatable" in symbol.attributes:
        return False
    return "pointer" in symbol.attributes or any(d.form == "assumed" for d in symbol.shape)


def _storage(facts: Facts, data: DataObject) -> Sequence[int] | None:
    """The declared positions in the order of storage; None where a macro does not tell."""
    order = facts.order(data)
    return order.storage if order.storage is not None or order.access_macro else range(data.rank)


def _strided(item: Range) -> bool:
    step = item.step
    return step is not None and not (isinstance(step, Literal) and step.integer == 1)


def _after_index(ranges: Sequence[bool]) -> bool:
    """Whether a range is after a single index."""
    return any(not first and second for first, second in itertools.pairwise(ranges))


def _in_one_piece(items: Sequence[Expr | str], storage: Sequence[int]) -> bool:
    """Whether a section is in one piece whatever its bounds are: of its ranges, all but the last one are full."""
    ranges = [items[p] for p in storage if items[p] == ":" or isinstance(items[p], Range)]
    return all(is_full_range(i) for i in ranges[:-1])
