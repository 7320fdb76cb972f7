"""Arrays that are components of objects, as the regions of a routine use them on a GPU.

No directive brings them to the device: kernels get them for the time of one launch, directives for devices the whole
object.
"""

from __future__ import annotations

from dataclasses import field

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.components import chains_from, path_of
from hfpy.analyze.language.typed import Types
from hfpy.analyze.language.types import component, part_rank
from hfpy.analyze.language.uses import Reference
from hfpy.backendtable import TABLE
from hfpy.model.expressions import Component
from hfpy.model.extents import shape_text
from hfpy.model.units import Symbol
from hfpy.parse.expressions.fragments import ONE
from hfpy.values import dataclass


@dataclass
class ComponentUse:
    """An array in an object, by its designator such as ``s%t``: its dimensions as its type declares them, its bytes (0:
    not known), the regions that use it, and those that may set it.
    """

    name: str
    dimensions: str
    bytes: int
    regions: set[int] = field(default_factory=set)
    setting: set[int] = field(default_factory=set)

    @property
    def state(self) -> str:
        """What is copied, and how often."""
        count = len(self.regions)
        text = "copied to the device for " + (f"each of {count} kernels" if count > 1 else "its kernel")
        if self.setting:
            text += " and back" if self.setting == self.regions else f", back from {len(self.setting)}"
        return f"{text}, {self.bytes:,} bytes a time" if self.bytes else text


def component_uses(facts: Facts, effects: Effects, key: str) -> tuple[ComponentUse, ...]:
    """The arrays in objects that the active regions of a routine use where kernels are written, in the order of their
    names. There are none where directives bring whole objects to the device.
    """
    if facts.target != "gpu" or TABLE[facts.backend(key)].kind != "kernels":
        return ()
    found: dict[str, ComponentUse] = {}
    for reference in facts.references.get(key, ()):
        numbers = {n for n in reference.at.regions if RegionId(key, n) in facts.positions.regions}
        if not numbers or not reference.component:
            continue
        for chain in chains_from(reference):
            use = _use(facts, key, chain)
            if use is None:
                continue
            known = found.setdefault(use.name, use)
            known.regions |= numbers
            known.setting |= numbers if _sets(effects, reference, key) else set()
    return tuple(found[name] for name in sorted(found))


def _sets(effects: Effects, reference: Reference, key: str) -> bool:
    return reference.writes or effects.of(reference, key)[1]


def _use(facts: Facts, key: str, chain: Component) -> ComponentUse | None:
    """An array in an object with no elements of arrays on the way; None for other designators."""
    path, symbol = path_of(chain), component(chain, key, facts.scopes)
    if path is None or symbol is None or not symbol.rank or part_rank(chain, key, facts.scopes) != symbol.rank:
        return None
    variable = chain.base
    while isinstance(variable, Component):
        variable = variable.base
    name = "%".join((getattr(variable, "name", ""), *path))
    return ComponentUse(name, f"({shape_text(symbol.shape)})", _bytes(facts, key, chain, symbol))


def _bytes(facts: Facts, key: str, chain: Component, symbol: Symbol) -> int:
    typed = Types(facts.application, facts.scopes).expression(chain, key)
    total = (typed.bytes or 0) * (2 if typed.base == "complex" else 1) if typed is not None else 0
    for dim in symbol.shape:
        if dim.upper is None:
            return 0
        low, high = (facts.domains.value(bound, key) for bound in (dim.lower or ONE, dim.upper))
        if low is None or high is None:
            return 0
        total *= max(high - low + 1, 0)
    return total
