"""Components of objects in a kernel: each one that the region names is a parameter of its own (design §4, L4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hfpy.analyze.calls import dummies_met, passed
from hfpy.analyze.device.inquired import inquires_component
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.types import component_at_home, is_part
from hfpy.analyze.language.uses import Reference
from hfpy.backends.c.values import CannotPrint, c_type, component_name, packed_name, root_name
from hfpy.backends.c.views import objects_in_storage
from hfpy.backends.chains import begins, chain_of, elements_of, has_elements, mentioned_at, names_of, parts_of
from hfpy.backends.refused import ASSUMED_SIZE, COMMON, WHOLE, no_component, unknown_size
from hfpy.model.expressions import Apply, Component, Expr, Range, names_in, walk
from hfpy.model.extents import Dim
from hfpy.model.kernel import Access, Packed, Parameter
from hfpy.model.scalars import Scalar
from hfpy.model.units import Symbol
from hfpy.parse.expressions.fragments import ONE, fragment
from hfpy.values import dataclass

if TYPE_CHECKING:
    from hfpy.backends.kernelspec import SpecBuilder

_Pair = tuple[int, int]


@dataclass(frozen=True)
class _Chain:
    """A component as the region names it: its last mention, its text there, whether it is written, whether the region
    only asks about it, and whether it is that of all elements of arrays of objects.
    """

    node: Component
    text: str
    written: bool
    asked: bool
    packed: bool


def add_components(builder: SpecBuilder, name: str, found: Found) -> None:
    """Makes parameters of the components of an object that the region names. Raises CannotPrint."""
    if name in builder.region.private:
        raise CannotPrint(f"'{name}', which each point has for itself and does not set,", hint=WHOLE)
    imported = builder.imported.found(found.home, found.symbol.name, builder.key)
    if imported is not None and imported.local == name:  # the plain form gives it to called routines
        builder.imports.append(imported)
    for shown, chain in sorted(_chains(builder, name, found.symbol).items()):
        with builder.refusals.at(*mentioned_at(builder.sharing, name, names_of(chain.node)), name=name):
            symbol = _declared(builder, found, chain.node)
            scalar = builder.device.kinds.scalar(symbol.type, found.home)
            if scalar is None:
                actual = _actual(shown, chain)
                raise CannotPrint(f"'{actual}', which has the type {symbol.type.text or symbol.type.base},")
            c_type(scalar)
            if chain.packed:
                _packed(builder, shown, chain, found, scalar)
            else:
                _component(builder, shown, chain, symbol, scalar)


def _chains(builder: SpecBuilder, name: str, symbol: Symbol) -> dict[str, _Chain]:
    """The components of an object that the region names, by the text that means them."""
    chains: dict[str, _Chain] = {}
    for reference in builder.sharing.body.references_of(name):
        node = chain_of(reference)
        if node is not None and is_part(node, builder.key, builder.facts.scopes):
            inner = node.base.base if isinstance(node.base, Apply) else node.base
            node = inner if isinstance(inner, Component) else None
        shown = component_name(node) if node is not None else ""
        packed = packed_name(node) if node is not None else None
        at = reference.node
        with builder.refusals.at(reference.at.statement.line, at.start, at.end, name):
            if node is None or not (shown or packed):
                what = f"'{name}' of type {symbol.type.derived} as a whole, or with sections on the way"
                raise CannotPrint(what, hint=WHOLE)
            same = _same_everywhere(builder, node)
            if not same:
                if packed is None:
                    raise CannotPrint(f"'{shown}', whose object may differ from point to point,", hint=WHOLE)
                shown = packed[0]
                _check_passed(builder, reference, node)
            text = reference.at.statement.line.text[node.start : node.end]
            before = chains.get(shown)
            written = builder.device.effects.of(reference, builder.key)[1] or (before is not None and before.written)
            asks = inquires_component(builder.facts, reference, node, builder.key)
            own = _Chain(node, text, written, asks and (before is None or before.asked), not same)
            if any(_apart(own, other) for key, other in chains.items() if key != shown):
                raise CannotPrint(f"'{text}', which the region names with other elements on the way, too,", hint=WHOLE)
            chains[shown] = own
    return chains


def _check_passed(builder: SpecBuilder, reference: Reference, node: Component) -> None:
    """Raises CannotPrint where an element is the beginning of an array for a routine: the next ones lie elsewhere."""
    for site, dummy in dummies_met(builder.facts, builder.key, reference):
        actual = dict(passed(builder.facts, site)).get(dummy.name) if dummy is not None else None
        whole = isinstance(actual, Apply) and actual.base is node and not any(isinstance(i, Range) for i in actual.args)
        if dummy is not None and dummy.rank and whole:
            what = f"an element of an array in '{root_name(node)}' as the beginning of the array '{dummy.name}'"
            raise CannotPrint(what, hint=WHOLE)


def _apart(one: _Chain, other: _Chain) -> bool:
    """Whether two components that lie in two places of the device may be one, and one of them is written."""
    same = names_of(one.node) == names_of(other.node)
    return same and (one.packed or other.packed) and (one.written or other.written)


def _same_everywhere(builder: SpecBuilder, node: Component) -> bool:
    """Whether elements of arrays of objects on the way are the same for all points, and no array tells which."""
    changing = {*builder.region.iterators, *builder.flow.written, *builder.sharing.result.private}
    on_the_way = (n for n in walk(node) if isinstance(n, Apply) and begins(node, n))
    parts = [index for part in on_the_way for index in part.args]
    names = {name for index in parts for name in names_in(index)}
    arrays = {n for n in names if (data := builder.facts.object(n, builder.key)) is not None and data.rank}
    return not names & (changing | arrays) and component_name(node) != ""


def _actual(shown: str, chain: _Chain) -> str:
    """What the host gives the kernel for a component."""
    return chain.text if has_elements(chain.node) else shown


def _packed(builder: SpecBuilder, shown: str, chain: _Chain, found: Found, scalar: Scalar) -> None:
    """A component of all elements of arrays of objects: it lies in an array of its own while the kernel runs."""
    names, objects = names_of(chain.node), elements_of(chain.node)[0]
    declared = next(d for part, d in _declarations(builder, found, chain.node) if part is objects.base)
    if any(dim.form == "star" for dim in declared.symbol.shape):
        raise CannotPrint(unknown_size(root_name(chain.node)), hint=ASSUMED_SIZE)
    rest = _behind(builder, found, chain.node, objects)
    inner = tuple(bounds for _, dimensions in rest for bounds in dimensions)
    counters = (builder.names.name(f"hf_{n}", ("counter", n)) for n in range(1, len(inner) + 1))
    counted = tuple((counter, *bounds) for counter, bounds in zip(counters, inner, strict=True))
    text = builder.meaning[shown] = builder.names.name("_".join(names), ("component", shown))
    whole = component_name(objects.base)
    storage = objects_in_storage(builder.facts, chain.node, len(objects.args) + len(inner), builder.key)
    bounds = []
    for dimension in range(len(objects.args)):
        lower, upper = builder.asked_bounds(text, whole, storage.index(dimension) + 1, True, True)
        bounds.append((lower, upper))
    bounds += [(fragment(str(lower)), fragment(str(upper))) for lower, upper in inner]
    access: Access = "inout" if chain.written else "in"
    builder.variables[text] = Parameter(
        "array",
        shown,
        text,
        scalar,
        builder.names.name(f"hf_{'_'.join(names)}", ("packed", shown)),
        access,
        tuple(bounds),
        storage,
        packed=Packed(whole, tuple((name, len(dimensions)) for name, dimensions in rest), counted),
    )


def _behind(builder: SpecBuilder, found: Found, node: Component, objects: Apply) -> list[tuple[str, list[_Pair]]]:
    """The components behind an array of objects on the way, each with its bounds, which its type tells. Raises
    CannotPrint where an object may have an array of another size than others, or none.
    """
    made: list[tuple[str, list[_Pair]]] = []
    for part, declared in _declarations(builder, found, node):
        if not isinstance(part, Component) or any(n is part for n in walk(objects)):
            continue
        symbol = declared.symbol
        pairs = [_pair(builder, dim, declared.home) for dim in symbol.shape]
        if symbol.dynamic or None in pairs:
            what = f"an array in an element of '{root_name(node)}', whose object may differ from point to point,"
            raise CannotPrint(what, hint=WHOLE)
        made.append((part.name, [p for p in pairs if p is not None]))
    return made


def _pair(builder: SpecBuilder, dim: Dim, home: str) -> _Pair | None:
    """The bounds of a dimension, if they are constants."""
    kinds = builder.device.kinds
    lower = kinds.value((dim.lower or ONE).expr, home)
    upper = kinds.value(dim.upper.expr, home) if dim.upper is not None else None
    return None if lower is None or upper is None else (lower, upper)


def _component(builder: SpecBuilder, shown: str, chain: _Chain, symbol: Symbol, scalar: Scalar) -> None:
    """A component of an object that is the same for all points."""
    names, actual = names_of(chain.node), _actual(shown, chain)
    meant = ("component", *((shown,) if has_elements(chain.node) else names))
    text = builder.meaning[shown] = builder.names.name("_".join(names), meant)
    if not symbol.rank:
        if chain.written:
            raise CannotPrint(f"a write of '{actual}', which all points share,", hint=COMMON)
        builder.variables[text] = Parameter("value", shown, text, scalar, actual)
        return
    bounds = []
    for place in range(1, symbol.rank + 1):
        lower, upper = builder.asked_bounds(text, actual, place, True, True)
        bounds.append((lower, upper))
    access: Access = "out" if chain.written else "in"
    storage = tuple(range(symbol.rank))
    gapped = "pointer" in symbol.attributes and builder.facts.storage.gapped(symbol.name)
    builder.variables[text] = Parameter(
        "array", shown, text, scalar, actual, access, tuple(bounds), storage, True, asked=chain.asked, gapped=gapped
    )


def _declared(builder: SpecBuilder, found: Found, node: Component) -> Symbol:
    """The declaration of a component of an object, through nested types."""
    *_, (_, last) = _declarations(builder, found, node)
    return last.symbol


def _declarations(builder: SpecBuilder, found: Found, node: Component) -> Iterator[tuple[Expr, Found]]:
    """The object and the components on the way to one, and it, with their declarations and where these are."""
    scopes = builder.facts.scopes
    for part in parts_of(node):
        if isinstance(part, Component):
            component = scopes.component(part.name, found.symbol.type.derived, found.home)
            component = component or component_at_home(part, builder.key, scopes)
            if component is None:
                raise no_component(part, builder.key, scopes)
            found = component
        indexed = any(isinstance(n, Apply) and n.base is part for n in walk(node))
        if found.symbol.rank and part is not node and not indexed:
            raise CannotPrint(f"a component of all elements of '{component_name(part)}',")
        yield part, found
