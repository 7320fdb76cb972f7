"""hfpy's own storage order: ``[layout]`` and ``[domains]`` of the project (design §4).

Every class of arrays gets a permutation from the domains of its dimensions, or a sequence of pieces where some are
split into blocks (:mod:`hfpy.analyze.arrays.pieces`). A class that meets a place where storage
can be observed in a way hfpy cannot hide keeps its declared order in the whole program, and a note says so:
``[layout]`` never changes what a program means.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hfpy.analyze.arrays.domains import DataObject, Dimension
from hfpy.analyze.arrays.orders import Node, Order
from hfpy.analyze.arrays.pieces import Piece, pieces_of
from hfpy.analyze.facts import Facts, resolve_alias, views_by_class
from hfpy.analyze.language.sizes import constant, linear, normal
from hfpy.analyze.order.macroindices import indexed_by_hand
from hfpy.analyze.order.observed import find_pins
from hfpy.analyze.order.splits import first_indices
from hfpy.diagnostics import Diagnostic, Place, error, note
from hfpy.layouts import Layout, LayoutFault, read_layout
from hfpy.model.expressions import Binary, Expr, Literal, Name, Paren
from hfpy.model.extents import Dim
from hfpy.options import DECLARED, DomainSpec
from hfpy.parse.expressions.fragments import dim_at, dim_of
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.values import dataclass

_WITH_BLOCKS = frozenset({"sequential", "openmp"})


@dataclass(frozen=True)
class Letters:
    """Tells the domain (a letter of the layout) of a dimension or an index."""

    order: tuple[str, ...]
    domains: dict[str, DomainSpec]
    sizes: Mapping[str, tuple[Dim, ...]]

    def of_name(self, name: str) -> str:
        """The domain that an iterator or domain name means, or empty."""
        if name in self.order:
            return name
        return next((d for d, spec in self.domains.items() if name in (i.lower() for i in spec.iterators)), "")

    def of_size(self, size: Dim) -> str:
        """The domain that a size or range belongs to, halos included (``0:nx+1`` belongs to ``nx``), or empty."""
        if size.upper is None or (size.lower is None and constant(size.upper.expr) is not None):
            return ""
        wanted = normal(size)
        for domain, sizes in self.sizes.items():
            if any(normal(s) == wanted for s in sizes):
                return domain
        fits = {d for d, sizes in self.sizes.items() for s in sizes if _halo_of(size, s)}
        return fits.pop() if len(fits) == 1 else ""

    def of_dimension(self, dimension: Dimension) -> str:
        """The domain of a dimension by name, else by size."""
        return (self.of_name(dimension.name) if dimension.name else "") or self.of_size(dimension.meant)

    def of_index(self, index: Expr | str) -> str:
        """The domain of an index that is an iterator plus or minus something, or empty."""
        if isinstance(index, str):
            return self.of_name(index)
        match index:
            case Name(name=name):
                return self.of_name(name)
            case Paren(inner=inner):
                return self.of_index(inner)
            case Binary(op="+" | "-", left=left, right=Literal()):
                return self.of_index(left)
            case Binary(op="+", left=Literal(), right=right):
                return self.of_index(right)
        return ""


def _halo_of(size: Dim, base: Dim) -> bool:
    """Whether a range covers a domain with a halo: its upper bound is the domain's plus something that is no domain
    size itself.
    """
    if size.upper is None or base.upper is None:
        return False
    wanted = {a: c for a, c in linear(base.upper.expr) if a}
    given = dict(linear(size.upper.expr))
    return bool(wanted) and all(given.get(a) == c for a, c in wanted.items())


def decide_layout(facts: Facts, found: list[Diagnostic]) -> Mapping[Node, Order]:
    """The order of every class that has another than the declared one, pins applied; what is to be said goes to
    ``found``.
    """
    options = facts.application.options
    layouts = _layouts(facts, found)
    domains = {k.lower(): v for k, v in options.domains.items()}
    sizes = _sizes(facts, domains, found)
    if layouts is None or sizes is None:
        return {}
    views = views_by_class(facts, hybrid_only=False)
    taking_part = _in_regions(facts)
    arrays = {k.lower(): v for k, v in options.layout_arrays.items()}
    wanted: dict[Node, Order] = {}
    for representative, members in views.items():
        rank = members[0][0].rank
        same = [m for m in members if m[0].rank == rank and not m[0].removed]
        if representative not in taking_part or not same:
            continue
        asked = next((options.layout_asked[d.identity] for d, _ in same if d.identity in options.layout_asked), None)
        text = _own_layout(same, arrays)
        if text == DECLARED or (not text and not asked and options.layout == DECLARED):
            continue
        if asked is not None:
            order = by_numbers(asked, rank)
        else:
            layout = layouts[text or options.layout or ""]
            order = _order(facts, Letters(layout.names, domains, sizes), layout, representative, same, found)
        if order is not None and not order.identity:
            wanted[representative] = order
    return keep_unpinned(facts, wanted, views, found, by_macros=False)


def _layouts(facts: Facts, found: list[Diagnostic]) -> dict[str, Layout] | None:
    """What the texts of the project's layouts say; None, with an error, if one cannot be used."""
    options = facts.application.options
    layouts: dict[str, Layout] = {}
    place = Place(facts.application.files[0].path)
    for text in dict.fromkeys([options.layout or "", *options.layout_arrays.values()]):
        if text == DECLARED:
            continue
        try:
            layouts[text] = read_layout(text)
        except LayoutFault as fault:
            hint = 'a layout names each domain once, or for blocks twice: "i:32 k i j"'
            found.append(error("HF316", f"the layout '{text}' is no order of domains: {fault}", place, hint))
            return None
    everything = (*layouts.values(), *options.layout_asked.values())
    if any(layout.blocks for layout in everything) and (unable := _without_blocks(facts)):
        found.append(error("HF316", f"a layout with blocks cannot be used: {unable}", place))
        return None
    return layouts


def _sizes(
    facts: Facts, domains: Mapping[str, DomainSpec], found: list[Diagnostic]
) -> dict[str, tuple[Dim, ...]] | None:
    """The sizes that the project binds to its domains; None, with an error, if one is no size."""
    sizes: dict[str, tuple[Dim, ...]] = {}
    for domain, spec in domains.items():
        try:
            sizes[domain] = tuple(dim_of(size) for size in spec.size)
        except GrammarError as fault:
            place = Place(facts.application.files[0].path)
            found.append(error("HF316", f"a size of the domain '{domain}' cannot be parsed: {fault}", place))
            return None
    return sizes


def _without_blocks(facts: Facts) -> str:
    """What in this build does not know blocks; empty if nothing does."""
    options = facts.application.options
    backends = {options.default_backend, *(facts.backend(identity.routine) for identity in facts.positions.regions)}
    if odd := sorted(backends - _WITH_BLOCKS):
        return f"the backend '{odd[0]}' knows none"
    return "values cannot be printed after kernels" if options.debug_print.on else ""


def keep_unpinned(
    facts: Facts,
    wanted: Mapping[Node, Order],
    views: Mapping[Node, list[tuple[DataObject, Place]]],
    found: list[Diagnostic],
    by_macros: bool,
) -> Mapping[Node, Order]:
    """The orders of the classes that are not pinned. ``found`` gets which of them keep the declared one, and why."""
    if not wanted:
        return {}
    orders: dict[Node, Order] = {}
    pins = find_pins(facts, wanted, by_macros, first_indices(facts, wanted, views))
    asked = _in_regions(facts, dimensioned=False) if by_macros and pins.reasons else set()
    by_hand = indexed_by_hand(facts) if by_macros and pins.reasons else {}
    for representative, order in wanted.items():
        reason = pins.reasons.get(representative)
        if reason is None:
            orders[representative] = order
            continue
        data, place = views[representative][0]
        macro = next(
            (d.order_macro for d, _ in views[representative] if d.order_macro), by_hand.get(representative, "")
        )
        if by_macros and macro:
            orders[representative] = order
            message = f"'{data.name}' has the order of {macro}, which is observed here: {reason.text}"
            hint = "write the loops, or pass a copy in declared order"
            found.append(error("HF311", message, reason.place or place, hint))
            continue
        if by_macros and representative not in asked and not any(d.listed for d, _ in views[representative]):
            continue  # nobody asked for another order
        message = f"'{data.name}' keeps its declared order: {reason.text}"
        hint = (
            "name in [project] exports only what is used outside"
            if reason.unseen
            else "write loops there if it shall have another order"
        )
        found.append(note("HF310", message, reason.place or place, hint))
    return orders


def _in_regions(facts: Facts, dimensioned: bool = True) -> set[Node]:
    """Classes with a member that a region, or a routine inside one, refers to; those with a parallel dimension too if
    ``dimensioned``.
    """
    result: set[Node] = set()
    for key, references in facts.references.items():
        above = bool(facts.positions.get(key).above)
        seen: set[str | None] = {None}
        for reference in references:
            name, _ = resolve_alias(reference.name, reference.at)
            if name in seen or name is None:
                continue
            data = facts.object(name, key)
            if data is None or data.rank < 2:
                seen.add(name)
                continue
            parallel = dimensioned and any(d.parallel for d in data.used)
            if above or parallel or facts.positions.active(key, reference.at) is not None:
                result.add(facts.classes.root(data.identity))
                seen.add(name)
    return result


def _order(
    facts: Facts,
    letters: Letters,
    layout: Layout,
    representative: Node,
    members: list[tuple[DataObject, Place]],
    found: list[Diagnostic],
) -> Order | None:
    """The order of a class by a layout; None for the declared one."""
    rank = members[0][0].rank
    order = letters.order
    known = _known(facts, letters, representative, members)
    placed = [i for i in range(rank) if known[i]]
    missing = [known[i] for i in placed if known[i] not in order]
    ranked = sorted(placed, key=lambda i: order.index(known[i]) if known[i] in order else -1)
    split = [i for i in placed if known[i] in layout.blocks]
    if len(placed) < 2 or (ranked == placed and not missing and not split):
        if 2 <= len(placed) < rank:
            data, place = members[0]
            unknown = next(i for i in range(rank) if not known[i])
            which = f"dimension {unknown + 1} ({data.used[unknown].size})"
            message = f"'{data.name}' keeps its declared order: {which} belongs to no domain that hfpy can tell"
            hint = f"{_bind(data.used[unknown])} to place it in the layout"
            found.append(note("HF310", message, place, hint))
        return None
    data, place = members[0]
    if missing:
        message = f"domain '{missing[0]}' of '{data.name}' is not in the layout '{' '.join(order)}'"
        found.append(error("HF308", message, place, "name every domain in [layout]"))
        return None
    if len(placed) < rank:
        unknown = next(i for i in range(rank) if not known[i])
        which = f"dimension {unknown + 1} of '{data.name}' ({data.used[unknown].size})"
        message = f"{which} belongs to no domain that hfpy can tell"
        hint = f"{_bind(data.used[unknown])}, or give '{data.name}' an order of its own in [layout.arrays]"
        found.append(error("HF308", message, place, hint))
        return None
    if split and len(set(known)) < rank:
        twice = next(d for d in known if known.count(d) > 1)
        message = f"'{data.name}' keeps its declared order: two of its dimensions belong to '{twice}'"
        found.append(note("HF310", message, place))
        return None
    if not split:
        text = " ".join(known[i] for i in ranked)
        return Order("", "", tuple(ranked), False, f"order {text} by [layout]", tuple(ranked))
    text = " ".join(f"{x.name}:{x.extent}" if x.part == "within" else x.name for x in layout.letters if x.name in known)
    return Order("", "", None, False, f"order {text} by [layout]", tuple(ranked), pieces_of(layout, known))


def by_numbers(layout: Layout, rank: int) -> Order | None:
    """The order that a layout of numbers gives an array; None where these are not its dimensions."""
    dimensions = tuple(int(name) - 1 for name in layout.names)
    if sorted(dimensions) != list(range(rank)):
        return None
    pieces = tuple(Piece(int(x.name) - 1, x.part, x.extent) for x in layout.letters)
    said = f"order of dimensions {layout} by a script"
    if layout.blocks:
        return Order("", "", None, False, said, dimensions, pieces)
    return Order("", "", dimensions, False, said, dimensions)


def _own_layout(members: list[tuple[DataObject, Place]], arrays: Mapping[str, str]) -> str:
    """The layout that a class has by the name of one of its members, in lower case; empty if none."""
    own = [arrays.get(f"{d.home}::{d.symbol.name}") or arrays.get(d.symbol.name) or "" for d, _ in members]
    return DECLARED if DECLARED in own else next((text for text in reversed(own) if text), "")


def _bind(dimension: Dimension) -> str:
    """How the layout gets to know a dimension: of a number it says nothing, since that may be the size of anything."""
    upper = dimension.meant.upper
    number = upper is not None and constant(upper.expr) is not None
    return "declare it by a named constant, and bind that in [domains]" if number else "bind its size in [domains]"


def _known(facts: Facts, letters: Letters, representative: Node, members: list[tuple[DataObject, Place]]) -> list[str]:
    """The domain of every position: by name and size from any member, else by the sizes that `allocate` gives, else by
    the indices of all accesses.
    """
    rank = members[0][0].rank
    known = [""] * rank
    for data, _ in members:
        for i, dimension in enumerate(data.used):
            known[i] = known[i] or letters.of_dimension(dimension)
    if all(known):
        return known
    sizes: list[set[str]] = [set() for _ in range(rank)]
    votes: list[set[str]] = [set() for _ in range(rank)]
    for data, _ in members:
        for reference in facts.references.get(data.routine, ()):
            if reference.name != data.name or reference.component:
                continue
            items: Iterable[Expr | str] = reference.indices or ()
            made = facts.plan_of(reference, data.routine)
            if made is not None and made.items is not None:
                items = made.items
            listed = list(items)
            if len(listed) != rank:
                continue
            for i, item in enumerate(listed):
                if reference.role == "allocate" and not isinstance(item, str):
                    size = dim_at(reference.at.statement.line.text, item)
                    sizes[i] |= {letters.of_size(size)} - {""}
                else:
                    votes[i] |= {letters.of_index(item)} - {""}
    for i in range(rank):
        upper = members[0][0].used[i].extent.upper
        found = sizes[i] or votes[i]
        if not known[i] and len(found) == 1 and (upper is None or constant(upper.expr) is None):
            candidate = next(iter(found))
            if candidate not in known:
                known[i] = candidate
    return known
