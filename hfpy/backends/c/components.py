"""Components of derived types in kernels: each one that a region names becomes a parameter of its own (L4).

``grid%dx`` is passed as ``grid_dx``; arrays are found on the device by their own addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hfpy.analyze.kinds import INTEGER, Scalar
from hfpy.analyze.uses import Reference
from hfpy.backends.c.parameters import Parameter
from hfpy.backends.c.values import CannotPrint, CVariable, c_type, component_name
from hfpy.model.expressions import Apply, Component, Expr, walk
from hfpy.model.statements import expressions
from hfpy.model.units import FType, Symbol

if TYPE_CHECKING:
    from hfpy.backends.c.kernel import KernelBuilder


# Parameters, flattened name, variable, definitions.
Flattened = tuple[list[Parameter], str, CVariable, list[str]]


def components(builder: KernelBuilder, name: str, symbol: Symbol) -> Iterator[Flattened]:
    """For each component of a variable that a region names: parameters, flattened name, variable, definitions.

    Raises CannotPrint for what cannot be flattened.
    """
    declared = builder.facts.scopes.variable(name, builder.key)
    home = declared.home if declared is not None else builder.key
    chains: dict[str, bool] = {}
    for reference in builder.sharing.body.references_of(name):
        found = _chain(reference)
        if not found:
            raise CannotPrint(f"'{name}' of type {symbol.type.derived} as a whole, or with indices on the way")
        chains[found] = chains.get(found, False) or builder.device.effects.of(reference, builder.key)[1]
    for chain, written in sorted(chains.items()):
        yield _flattened(builder, symbol, home, chain, written)


def _chain(reference: Reference) -> str:
    """The longest chain of components that a reference is the begin of."""
    longest = ""
    for top in expressions(reference.at.statement):
        for node in walk(top):
            if isinstance(node, Component) and _begins(node, reference.node):
                chain = component_name(node)
                longest = chain if len(chain) > len(longest) else longest
    return longest


def _begins(node: Expr, first: Expr) -> bool:
    while isinstance(node, Component | Apply):
        if node is first:
            return True
        node = node.base
    return node is first


def _flattened(builder: KernelBuilder, symbol: Symbol, home: str, chain: str, written: bool) -> Flattened:
    found = _component(builder, symbol.type, home, chain.split("%")[1:])
    scalar = builder.device.kinds.scalar(found.type, home)
    if scalar is None:
        raise CannotPrint(f"'{chain}', which has the type {found.type.text or found.type.base}")
    c_type(scalar)
    text = chain.replace("%", "_")
    if not found.rank:
        if written:
            raise CannotPrint(f"a write of '{chain}', which all points share")
        return [Parameter("value", chain, text, scalar, chain)], chain, CVariable(text, scalar), []
    return _array(found, chain, text, scalar, written)


def _component(builder: KernelBuilder, ftype: FType, home: str, names: list[str]) -> Symbol:
    """The declaration of a component, through nested types."""
    current = ftype
    symbol: Symbol | None = None
    for name in names:
        definition = builder.facts.scopes.derived_type(current.derived, home)
        symbol = next((c for c in definition.components if c.name == name), None) if definition is not None else None
        if symbol is None:
            raise CannotPrint(f"the component '{name}', which hfpy does not find")
        current = symbol.type
    assert symbol is not None
    return symbol


def _array(symbol: Symbol, chain: str, text: str, scalar: Scalar, written: bool) -> Flattened:
    parameters = []
    bounds = []
    for d in range(1, symbol.rank + 1):
        pair = []
        for word, intrinsic in (("lower", "lbound"), ("upper", "ubound")):
            name = f"{text}_{word}{d}"
            parameters.append(Parameter("value", name, name, INTEGER, f"{intrinsic}({chain}, {d})"))
            pair.append(name)
        bounds.append((pair[0], pair[1]))
    count = " * ".join(["1LL", *(f"({high} - {low} + 1)" for low, high in bounds)])
    variable = CVariable(
        text, scalar, tuple(b[0] for b in bounds), tuple(b[1] for b in bounds), tuple(range(symbol.rank))
    )
    parameters.append(Parameter("array", chain, f"{text}_data", scalar, chain, not written, count, restrict=False))
    listed = ", ".join(f"{low}, {high}" for low, high in bounds)
    const = "" if written else "const "
    view = f'const hf_array<{const}{c_type(scalar)}, {symbol.rank}> {text}("{chain}", {text}_data, {listed});'
    return parameters, chain, variable, [view]
