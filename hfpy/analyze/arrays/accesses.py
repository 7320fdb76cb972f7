"""What becomes of one array reference: indices inserted, dropped, kept, or an error (hybrid-fortran.md §5.4, §5.5).

The rule: as many indices as the array has dimensions here are final; as many as are left when the region's parallel
dimensions are taken away, none of them a bare iterator, get the iterators inserted; anything else is an error.
"""

from __future__ import annotations

from collections.abc import Collection

from hfpy.analyze.arrays.domains import DataObject, Dimension
from hfpy.analyze.language.intrinsics import dimension_argument
from hfpy.analyze.language.sizes import normal
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, Place, Related, error
from hfpy.model.directives import Domain, Region
from hfpy.model.expressions import Apply, Binary, Expr, Name, Paren, Range, Unary
from hfpy.parse.expressions.fragments import ONE
from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """The new index list of a reference: user's expressions and inserted texts in declared order, or None for a bare
    name.

    ``final`` says that the list was written by the user as a macro call and stays. ``asked`` is the dimension that an
    inquiry about a bare name means, ``size(a, 1)``, where that is not the one of its number.
    """

    items: tuple[Expr | str, ...] | None
    changed: bool
    final: bool = False
    asked: int | None = None

    @property
    def section_rank(self) -> int:
        """Rank of what the plan denotes (vector subscripts are counted as scalars)."""
        return sum(1 for i in self.items or () if isinstance(i, Range) or i == ":")


UNCHANGED = Plan(None, False)
_OF_THE_WHOLE = ("allocated", "associated", "present", "kind", "c_associated", "huge", "tiny", "epsilon")


def is_macro_call(indices: tuple[Expr, ...] | None, macros: Collection[str]) -> bool:
    """Whether an index list is a single call of a user's macro, such as ``AT(x,y,z)`` (B8)."""
    if not indices or len(indices) != 1 or not isinstance(indices[0], Apply):
        return False
    base = indices[0].base
    return isinstance(base, Name) and any(name.lower() == base.name for name in macros)


def bare_iterators(expr: Expr, iterators: tuple[str, ...]) -> bool:
    """Whether an iterator is in an index outside nested references (``x+1`` counts, ``kbot(x,y)`` does not)."""
    match expr:
        case Name(name=name):
            return name in iterators
        case Paren(inner=inner):
            return bare_iterators(inner, iterators)
        case Unary(operand=operand):
            return bare_iterators(operand, iterators)
        case Binary(left=left, right=right):
            return bare_iterators(left, iterators) or bare_iterators(right, iterators)
        case Range(lower=lower, upper=upper, step=step):
            return any(bare_iterators(p, iterators) for p in (lower, upper, step) if p is not None)
    return False


def parallel_positions(data: DataObject, region: Region | None) -> dict[int, str]:
    """The dimensions in use that the region's loops run over: position → iterator.

    Names come first; a dimension known by its size alone matches the region's domains of that size in order.
    """
    if region is None:
        return {}
    found = {i: d.name for i, d in enumerate(data.used) if d.name and d.name in region.iterators}
    left = [d for d in region.domains if d.name not in found.values()]
    for i, dimension in enumerate(data.used):
        if i in found or not dimension.by_size:
            continue
        match = next((d for d in left if normal(d.extent) == normal(dimension.meant)), None)
        if match is not None:
            left.remove(match)
            found[i] = match.name
    return dict(sorted(found.items()))


def is_full_range(item: Expr | str) -> bool:
    """Whether an index is ``:``."""
    return item == ":" or (isinstance(item, Range) and item.lower is None and item.upper is None and item.step is None)


def view(data: DataObject, region: Region) -> tuple[Expr | str, ...]:
    """The array at one point: iterators at the parallel dimensions, ``:`` elsewhere."""
    parallel = parallel_positions(data, region)
    return tuple(parallel.get(i, ":") for i in range(data.rank))


@dataclass(frozen=True)
class Surroundings:
    """What a plan needs to know besides the object: the active region, inactive regions around, the dummy's rank,
    the place; ``one_value``, of what is written in no active region: the statement gives its target a value that is no
    array and the same at all points.
    """

    region: Region | None
    inactive: tuple[Region, ...]
    dummy: DataObject | None
    dummy_known: bool
    place: Place
    macros: Collection[str]
    one_value: bool = False


def plan(data: DataObject, reference: Reference, around: Surroundings) -> tuple[Plan, list[Diagnostic]]:
    """The plan for one reference, and what is wrong with it."""
    written_out = around.region is not None and around.region.explicit
    parallel = {} if written_out else parallel_positions(data, around.region)
    ambiguous = [d for d in data.used if d.ambiguous]
    if is_macro_call(reference.indices, around.macros):
        return Plan(None, False, True), []
    if reference.indices is None:
        result, problems = _bare(data, reference, around, parallel)
    else:
        result, problems = _indexed(data, reference.indices, reference, around, parallel)
    if result.changed and ambiguous and result.items is not None and parallel:
        sizes = ambiguous[0].size
        message = f"dimensions of size {sizes} of '{reference.name}' cannot be told apart"
        hint = f"give every index, or list '{reference.name}' in @domainDependant with domName and domSize"
        return UNCHANGED, [error("HF303", message, around.place, hint)]
    if result.changed and around.region is not None and (crossed := _crossed(data, around.region)):
        return UNCHANGED, [_other_sizes(data, around, *crossed)]
    return result, problems


def _crossed(data: DataObject, region: Region) -> tuple[Dimension, Domain, Domain] | None:
    """A dimension that has the name of one of the region's domains and the size of another one: with the domain of its
    name, and that of its size.
    """
    for dimension in data.used:
        named = next((d for d in region.domains if d.name == dimension.name), None)
        size = normal(dimension.meant)
        if named is None or normal(named.extent) == size:
            continue
        sized = next((d for d in region.domains if normal(d.extent) == size), None)
        if sized is not None:
            return dimension, named, sized
    return None


def _other_sizes(
    data: DataObject, around: Surroundings, dimension: Dimension, named: Domain, sized: Domain
) -> Diagnostic:
    message = (
        f"'{data.name}' has the size {dimension.size} along {dimension.name}, "
        f"but here {named.name} has {named.extent.text} and {sized.name} has {sized.extent.text}"
    )
    related = [Related(data.listed, "its domains come from here")] if data.listed else []
    return error("HF302", message, around.place, "give domains one name in both places, or give every index", related)


def _bare(
    data: DataObject, reference: Reference, around: Surroundings, parallel: dict[int, str]
) -> tuple[Plan, list[Diagnostic]]:
    if reference.role in ("pointer", "allocate") or (reference.component and not data.rank):
        return UNCHANGED, []
    if around.region is None or not parallel:
        return UNCHANGED, _rank_problem(data, data.rank, reference, around)
    if reference.role == "inquiry" and (asked := _asked(data, reference, around, parallel)) is not None:
        return asked
    if reference.role == "argument" and around.dummy_known:
        dummy_rank = around.dummy.rank if around.dummy is not None else 0
        if dummy_rank == data.rank - len(parallel):
            return Plan(view(data, around.region), True), []
        return UNCHANGED, _rank_problem(data, data.rank, reference, around)
    return Plan(view(data, around.region), True), []


def _asked(
    data: DataObject, reference: Reference, around: Surroundings, parallel: dict[int, str]
) -> tuple[Plan, list[Diagnostic]] | None:
    """What becomes of an inquiry: it asks for what is declared, which is the array at one point where dimensions are
    inserted. A dimension is that of the array at the point; bounds are kept. None for the array at the point.
    """
    call = reference.call
    name = call.base.name if isinstance(call, Apply) and isinstance(call.base, Name) else ""
    if name in _OF_THE_WHOLE or not data.inserted:
        return UNCHANGED, []
    if not isinstance(call, Apply) or name not in ("size", "lbound", "ubound"):
        return None
    left = [i for i in range(data.rank) if i not in parallel]
    number = dimension_argument(call)
    if number is not None:
        if 1 <= int(number.text) <= len(left):
            return Plan(None, True, asked=left[int(number.text) - 1]), []
        message = f"'{name}' asks for dimension {number.text} of '{data.name}', which has {len(left)} at a point"
        return UNCHANGED, [error("HF304", message, around.place, "give the number of a dimension of its declaration")]
    if name == "size" or all(data.used[i].extent.lower in (None, ONE) for i in left):
        return None
    message = f"'{name}' asks for the bounds of '{data.name}' at a point without a dimension that is a number"
    return UNCHANGED, [
        error("HF320", message, around.place, f"ask for one dimension at a time: {name}({data.name}, 1)")
    ]


def _indexed(
    data: DataObject,
    given: tuple[Expr, ...],
    reference: Reference,
    around: Surroundings,
    parallel: dict[int, str],
) -> tuple[Plan, list[Diagnostic]]:
    count = len(given)
    region = around.region
    everywhere = _at_all_points(data, given, reference, around)
    if everywhere is not None:
        return everywhere, []
    if count == data.rank:
        cleared = _without_inactive(data, given, reference, around)
        if cleared is not None:
            rank = data.rank if cleared.items is None else cleared.section_rank
            return cleared, _rank_problem(data, rank, reference, around, changed=True)
        plan_kept = Plan(given, False)
        return plan_kept, _rank_problem(data, plan_kept.section_rank, reference, around)
    if region is not None and parallel and count == data.rank - len(parallel):
        if any(bare_iterators(g, tuple(parallel.values())) for g in given):
            return UNCHANGED, [_wrong_count(data, count, reference, around)]
        rest = iter(given)
        items = tuple(parallel[i] if i in parallel else next(rest) for i in range(data.rank))
        inserted = Plan(items, True)
        return inserted, _rank_problem(data, inserted.section_rank, reference, around)
    if data.removed and count == len(data.full):
        return _dropped(data, given, reference, around)
    completed = _completed(data, given, reference, around)
    if completed is not None:
        return completed, []
    return UNCHANGED, [_wrong_count(data, count, reference, around)]


def _at_all_points(
    data: DataObject, given: tuple[Expr, ...], reference: Reference, around: Surroundings
) -> Plan | None:
    """``a(:) = 0.`` or ``a(x,y,1) = 0.`` in a region that is not active here: every point gets the value."""
    if around.region is not None or not around.inactive or not around.one_value or reference.role != "write":
        return None
    inactive = around.inactive[-1]
    parallel = parallel_positions(data, inactive)
    if not parallel or inactive.loops:
        return None
    if len(given) == data.rank - len(parallel):
        rest = iter(given)
        items = tuple(":" if i in parallel else next(rest) for i in range(data.rank))
    elif len(given) == data.rank:
        at = [isinstance(g, Name) and g.name == parallel.get(i) for i, g in enumerate(given)]
        items = tuple(":" if bare else g for bare, g in zip(at, given, strict=True))
    else:
        return None
    return Plan(items, True) if any(i == ":" for i in items) else None


def _without_inactive(
    data: DataObject, given: tuple[Expr, ...], reference: Reference, around: Surroundings
) -> Plan | None:
    """An actual argument ``a(x,y,:)`` in a region that is not active here: the iterators mean nothing, the array is
    passed.
    """
    if reference.role != "argument" or not around.inactive or around.region is not None:
        return None
    iterators = {i for r in around.inactive if not r.loops for i in r.iterators}
    if not any(isinstance(g, Name) and g.name in iterators for g in given):
        return None
    items: tuple[Expr | str, ...] = tuple(":" if isinstance(g, Name) and g.name in iterators else g for g in given)
    whole = all(i == ":" or (isinstance(i, Range) and i.lower is i.upper is i.step is None) for i in items)
    return Plan(None if whole else items, True)


def _completed(data: DataObject, given: tuple[Expr, ...], reference: Reference, around: Surroundings) -> Plan | None:
    """An actual argument ``a(:)`` in a region that is not active here: the missing dimensions are passed whole
    (§5.5).
    """
    if reference.role != "argument" or not around.inactive or around.region is not None:
        return None
    iterators = {i for r in around.inactive for i in r.iterators}
    parallel = [i for i, d in enumerate(data.used) if d.name in iterators]
    if not parallel or len(given) != data.rank - len(parallel):
        return None
    rest = iter(given)
    items: tuple[Expr | str, ...] = tuple(":" if i in parallel else next(rest) for i in range(data.rank))
    return Plan(None if all(is_full_range(i) for i in items) else items, True)


def _dropped(
    data: DataObject, given: tuple[Expr, ...], reference: Reference, around: Surroundings
) -> tuple[Plan, list[Diagnostic]]:
    """All indices given where the parallel dimensions are removed: those positions are dropped."""
    items: list[Expr | str] = []
    for position, index in enumerate(given):
        if position not in data.removed:
            items.append(index)
            continue
        name = data.full[position].name
        if not is_full_range(index) and not (isinstance(index, Name) and index.name == name):
            message = f"index {position + 1} of '{reference.name}' is not '{name}', but only that point is here"
            hint = "column code sees one point; reach neighbours from a routine that holds the region"
            return UNCHANGED, [error("HF314", message, around.place, hint)]
    return Plan(tuple(items) if items else None, True), []


def _shape_text(data: DataObject) -> str:
    if not data.used:
        return "no dimensions"
    return "(" + ", ".join(d.size + (f" [{d.name}]" if d.name else "") for d in data.used) + ")"


def _wrong_count(data: DataObject, count: int, reference: Reference, around: Surroundings) -> Diagnostic:
    message = f"{count} indices for '{reference.name}', which has {data.rank} dimensions here: {_shape_text(data)}"
    hint = "outside a region every dimension needs its index"
    if around.region is not None:
        hint = "give all indices, or leave out exactly those of the region's iterators"
    elif around.inactive:
        hint = "the region is not active for this target: move the statement to where one is, or put it into @if"
    related = [Related(data.listed, "its domains come from here")] if data.listed else []
    return error("HF304", message, around.place, hint, related)


def _an_object(data: DataObject) -> bool:
    return data.symbol.type.base in ("type", "class")


def _rank_problem(
    data: DataObject, rank: int, reference: Reference, around: Surroundings, changed: bool = False
) -> list[Diagnostic]:
    """Actual and dummy of different rank, where hfpy changed the dimensions of one of them (B3, §5.6), or the indices
    (``changed``).
    """
    dummy = around.dummy
    if reference.role != "argument" or dummy is None or reference.component:
        return []
    if rank == dummy.rank or rank == 0 or any("transferhere" in d.flags and _an_object(d) for d in (data, dummy)):
        return []  # an object with transferHere has an error of its own (HF605)
    in_region = around.region is not None and bool(parallel_positions(data, around.region))
    if not changed and not in_region and not (data.inserted or dummy.inserted or data.removed or dummy.removed):
        return []
    message = (
        f"'{reference.name}' is passed with {rank} dimensions, "
        f"but '{dummy.name}' has {dummy.rank} in '{dummy.routine}': {_shape_text(dummy)}"
    )
    place = dummy.symbol.line.place(around.place.file, *dummy.symbol.name_span) if dummy.symbol.line else around.place
    related = [Related(dummy.listed or place, "the dummy gets its dimensions here")]
    hint = "list the array with the same domains in both routines, or pass the part that is meant"
    return [error("HF305", message, around.place, hint, related)]
