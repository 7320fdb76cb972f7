"""Components of objects in a kernel: each one that the region names is a parameter of its own (design §4, L4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hfpy.analyze.device.inquired import inquires_component
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.types import component_at_home
from hfpy.backends.c.values import CannotPrint, c_type, component_name, packed_name
from hfpy.backends.c.views import objects_in_storage
from hfpy.backends.chains import begins, chain_of, has_elements, mentioned_at, names_of, parts_of
from hfpy.backends.refused import COMMON, WHOLE, no_component
from hfpy.model.expressions import Apply, Component, names_in, walk
from hfpy.model.kernel import Access, Parameter
from hfpy.model.scalars import Scalar
from hfpy.model.units import Symbol
from hfpy.values import dataclass

if TYPE_CHECKING:
    from hfpy.backends.kernelspec import SpecBuilder


@dataclass(frozen=True)
class _Chain:
    """A component as the region names it: its last mention, its text there, whether it is written, whether the region
    only asks about it.
    """

    node: Component
    text: str
    written: bool
    asked: bool


def add_components(builder: SpecBuilder, name: str, found: Found) -> None:
    """Makes parameters of the components of an object that the region names. Raises CannotPrint."""
    if name in builder.region.private:
        raise CannotPrint(f"'{name}', which each point has for itself and does not set,", hint=WHOLE)
    for shown, chain in sorted(_chains(builder, name, found.symbol).items()):
        with builder.refusals.at(*mentioned_at(builder.sharing, name, names_of(chain.node)), name=name):
            symbol = _declared(builder, found, chain.node)
            scalar = builder.device.kinds.scalar(symbol.type, found.home)
            if scalar is None:
                actual = _actual(shown, chain)
                raise CannotPrint(f"'{actual}', which has the type {symbol.type.text or symbol.type.base},")
            c_type(scalar)
            if _same_everywhere(builder, chain.node):
                _component(builder, shown, chain, symbol, scalar)
            else:
                _packed(builder, shown, chain, symbol, scalar)


def _chains(builder: SpecBuilder, name: str, symbol: Symbol) -> dict[str, _Chain]:
    """The components of an object that the region names, by the text that means them."""
    chains: dict[str, _Chain] = {}
    for reference in builder.sharing.body.references_of(name):
        node = chain_of(reference)
        shown = component_name(node) if node is not None else ""
        packed = packed_name(node) if node is not None else None
        at = reference.node
        with builder.refusals.at(reference.at.statement.line, at.start, at.end, name):
            if node is None or not (shown or packed):
                what = f"'{name}' of type {symbol.type.derived} as a whole, or with sections on the way"
                raise CannotPrint(what, hint=WHOLE)
            if not _same_everywhere(builder, node):
                if packed is None:
                    raise CannotPrint(f"'{shown}', whose object may differ from point to point,", hint=WHOLE)
                shown = packed[0]
            text = reference.at.statement.line.text[node.start : node.end]
            before = chains.get(shown)
            written = builder.device.effects.of(reference, builder.key)[1] or (before is not None and before.written)
            asks = inquires_component(builder.facts, reference, node, builder.key)
            chains[shown] = _Chain(node, text, written, asks and (before is None or before.asked))
    return chains


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


def _packed(builder: SpecBuilder, shown: str, chain: _Chain, symbol: Symbol, scalar: Scalar) -> None:
    """A number of all elements of an array of objects: it lies in an array of its own while the kernel runs."""
    names, packed = names_of(chain.node), packed_name(chain.node)
    assert packed is not None
    if symbol.rank or symbol.dynamic:
        what = f"an array in an element of '{names[0]}', whose object may differ from point to point,"
        raise CannotPrint(what, hint=WHOLE)
    text = builder.meaning[shown] = builder.names.name("_".join(names), ("component", shown))
    whole = next(component_name(p.base) for p in walk(chain.node) if isinstance(p, Apply) and p.args is packed[1])
    storage = objects_in_storage(builder.facts, chain.node, packed[1], builder.key)
    bounds = []
    for dimension in range(len(packed[1])):
        lower, upper = builder.asked_bounds(text, whole, storage.index(dimension) + 1, True, True)
        bounds.append((lower, upper))
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
        packed=(whole, "%".join(names)),
    )


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
    builder.variables[text] = Parameter(
        "array", shown, text, scalar, actual, access, tuple(bounds), storage, aliased=True, asked=chain.asked
    )


def _declared(builder: SpecBuilder, found: Found, node: Component) -> Symbol:
    """The declaration of a component of an object, through nested types."""
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
    return found.symbol
