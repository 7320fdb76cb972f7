"""Which components the routines that kernels call use of the objects that they get as arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TypeGuard

from hfpy.analyze.calls import passed
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Found
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Name, Range, base_name, walk
from hfpy.model.extents import Dim
from hfpy.model.names import unit_name
from hfpy.model.scalars import Scalar
from hfpy.model.statements import expressions
from hfpy.model.units import Symbol
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.plain.objecttypes import BASES, ObjectTypes, Path
from hfpy.transform.plain.specifics import by_generic_name, listed_procedures
from hfpy.values import dataclass

_OBJECTS = ("type", "class")


@dataclass(frozen=True)
class Dimension:
    """A dimension of an array with the bounds that its declaration gives as constants. An ``open`` one of a dummy may
    be shorter than that of the array which a call passes.
    """

    lower: int | None = None
    upper: int | None = None
    open: bool = False


@dataclass(frozen=True)
class Part:
    """A component that a routine uses: its names, the dimensions of the object and of each name, the type, whether it
    is written, and the value that it has at the beginning, if the type gives one to a dummy with ``intent(out)``.
    """

    path: Path
    dimensions: tuple[tuple[Dimension, ...], ...]
    type: Scalar
    written: bool
    initial: str = ""

    @property
    def shape(self) -> tuple[Dimension, ...]:
        """All dimensions: those of arrays on the way come first."""
        return tuple(d for listed in self.dimensions for d in listed)

    @property
    def open(self) -> list[int]:
        """The dimensions whose lower bound no declaration gives."""
        return [place for place, d in enumerate(self.shape) if d.lower is None]


@dataclass(frozen=True)
class Chain:
    """A designator of an object or of a component: the variable, the names, and for the variable and each name the
    indices there, or None.
    """

    root: str
    path: Path
    indices: tuple[tuple[Expr, ...] | None, ...]


class ObjectArguments:
    """Which dummies are taken apart, and into what."""

    def __init__(self, facts: Facts, effects: Effects, called: Collection[str]) -> None:
        self.facts = facts
        self.effects = effects
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self._listed = listed_procedures(facts)
        self._parts: dict[tuple[str, str], dict[Path, Part] | None] = {}
        self._objects: dict[tuple[str, str], tuple[Dimension, ...]] = {}
        found = ((k, d) for k in called for d in facts.routine(k).dummies if self._is_object(k, d))
        known = ((slot, parts) for slot in found if (parts := self.parts(*slot)) is not None)
        self.taken = {slot: list(parts.values()) for slot, parts in known if not self._elementwise(*slot, parts)}

    def _elementwise(self, key: str, dummy: str, parts: dict[Path, Part]) -> bool:
        """Whether an elemental routine gets arrays of objects with arrays inside: these would be arrays of arrays."""
        if "elemental" not in self.facts.routine(key).prefix or not any(part.shape for part in parts.values()):
            return False
        return any(extents for extents in self._given(key, dummy))

    def _is_object(self, key: str, dummy: str) -> bool:
        symbol = self.facts.routine(key).spec.symbols.get(dummy)
        if symbol is None or symbol.type.base not in _OBJECTS or symbol.dynamic:
            return False
        if "optional" in symbol.attributes or symbol.line is None or symbol.line.file or self._by_types(key):
            return False
        return not symbol.rank or self._always_an_array(key, dummy, symbol)

    def _by_types(self, key: str) -> bool:
        """Whether a call of a routine by a generic name is left, which other types of arguments could change."""
        if unit_name(key) not in self._listed:
            return False
        sites = (s for caller in self.facts.graph.callers_of(key) for s in self.facts.graph.sites.get(caller, ()))
        return any(s.callee == key and by_generic_name(self.facts, s) for s in sites)

    def _always_an_array(self, key: str, dummy: str, symbol: Symbol) -> bool:
        """Whether each call gives an array of objects for a dummy that is one, so that elements have the same indices
        in it: no element as the beginning of one, and none with other extents.
        """
        shape = self._shape(Found(key, symbol))
        if any(d.lower is None for d in shape) or (len(shape) > 1 and any(d.form != "assumed" for d in symbol.shape)):
            return False
        given = list(self._given(key, dummy))
        if any(len(extents) != len(shape) for extents in given):
            return False
        exact = symbol.shape[0].form == "assumed" or all(extents == _sizes(shape) for extents in given)
        self._objects[key, dummy] = shape if exact else tuple(replace(d, upper=None, open=True) for d in shape)
        return True

    def _given(self, key: str, dummy: str) -> Iterator[list[int | None]]:
        """For each call the extents of what it gives for an array of objects, as far as they are constants; none for
        what is no array whose elements all lie in one.
        """
        for caller in self.facts.graph.callers_of(key):
            for site in self.facts.graph.sites.get(caller, ()):
                if site.callee == key:
                    yield self._extents(dict(passed(self.facts, site)).get(dummy), caller)

    def _extents(self, actual: Expr | None, key: str) -> list[int | None]:
        chain = chain_of(actual) if actual is not None else None
        found = self.facts.scopes.variable(chain.root, key) if chain is not None else None
        declared = self._declared(found.symbol, found.home, chain.path) if found is not None and chain else None
        if chain is None or declared is None:
            return []
        *around, (last, own) = zip(declared, chain.indices, strict=True)
        for on_the_way, indices in around:
            if on_the_way.symbol.rank and (indices is None or any(isinstance(i, Range) for i in indices)):
                return []
        if own is None:
            return _sizes(self._shape(last))
        return [self._between(i, key) for i in own if isinstance(i, Range)]

    def _between(self, section: Range, key: str) -> int | None:
        """The number of elements of a section with constant bounds."""
        if section.step is not None or section.lower is None or section.upper is None:
            return None
        lower, upper = (self.kinds.value(bound, key) for bound in (section.lower, section.upper))
        return None if lower is None or upper is None else max(upper - lower + 1, 0)

    def parts(self, key: str, dummy: str) -> dict[Path, Part] | None:
        """The components of a dummy that a routine, or one below it, uses; None where it is used in another way."""
        slot = (key, dummy)
        if slot not in self._parts:
            self._parts[slot] = None  # recursion
            self._parts[slot] = self._found(key, dummy) if self._is_object(key, dummy) else None
        return self._parts[slot]

    def _found(self, key: str, dummy: str) -> dict[Path, Part] | None:
        symbol = self.facts.routine(key).spec.symbols[dummy]
        found: dict[Path, Part] = {}
        for reference in self.facts.references.get(key, ()):
            if reference.name != dummy or not self.facts.live(reference.at, key):
                continue
            used = self._used(reference, key, symbol)
            if used is None:
                return None
            for part in used:
                before = found.get(part.path)
                written = part.written or (before is not None and before.written)
                found[part.path] = replace(part, written=written)
        defaults = self._defaults(key, symbol) if symbol.intent == "out" else []
        if defaults is None:
            return None
        found |= {part.path: part for part in defaults}
        return dict(sorted(found.items())) if found or not symbol.rank else None

    def _defaults(self, key: str, symbol: Symbol) -> list[Part] | None:
        """The components of a dummy that its type gives values; None where that is not known."""
        leaves = ObjectTypes(self.facts, key).defaults(symbol.type.derived, key)
        found: list[Part] = []
        for leaf in leaves or ():
            declared = self._declared(symbol, key, leaf.path)
            made = self._part(declared, leaf.path, True, leaf.initial or "") if declared is not None else None
            if made is None:
                return None
            found.append(made)
        return None if leaves is None else found

    def _used(self, reference: Reference, key: str, symbol: Symbol) -> list[Part] | None:
        """The components that one reference uses."""
        chain = chain_of(_whole(reference))
        declared = self._declared(symbol, key, chain.path) if chain is not None else None
        if chain is None or declared is None:
            return None
        of_object = self._dimensions(declared[0])
        if asks(reference.call) and reference.role == "inquiry" and not chain.path and of_object:
            return None if any(d.open for d in of_object) else []
        elements = chain.indices[0] or ()
        if any(d.open for d in of_object) and (not elements or any(isinstance(i, Range) for i in elements)):
            return None
        if declared[-1].symbol.type.base not in _OBJECTS:
            if any(self._dimensions(found) for found in declared[:-1]) and self._begins(reference, key):
                return None
            part = self._part(declared, chain.path, self._writes(reference, key))
            return [part] if part is not None else None
        callee, inner, actual = self._passed(reference, key)
        below = self.parts(callee, inner) if callee else None
        if below is not None and not self.facts.routine(callee).spec.symbols[inner].rank:
            below = below if _is_one(actual, declared[-1].symbol) else None
        if below is None:
            return None
        around = [self._dimensions(found) for found in declared]
        made = [
            replace(p, path=(*chain.path, *p.path), dimensions=(*around, *p.dimensions[1:]), initial="")
            for p in below.values()
        ]
        return made if all(map(_sized, made)) else None

    def _begins(self, reference: Reference, key: str) -> bool:
        """Whether an element is the beginning of an array for a routine: the next ones lie elsewhere."""
        callee, dummy, actual = self._passed(reference, key)
        if not isinstance(actual, Apply) or any(isinstance(i, Range) for i in actual.args):
            return False
        symbol = self.facts.routine(callee).spec.symbols.get(dummy)
        return symbol is None or symbol.rank > 0

    def _declared(self, symbol: Symbol, home: str, path: Path) -> list[Found] | None:
        """The declarations of an object and of the components in a chain, and where their names are known."""
        listed = [Found(home, symbol)]
        for name in path:
            found = self.facts.scopes.component(name, listed[-1].symbol.type.derived, listed[-1].home)
            if found is None:
                return None
            listed.append(found)
        return listed

    def _part(self, declared: list[Found], path: Path, written: bool, initial: str = "") -> Part | None:
        """The component at the end of a chain; None for what is no number, and where sizes on the way may differ."""
        scalar = self.kinds.scalar(declared[-1].symbol.type, declared[-1].home)
        if scalar is None or scalar.base not in BASES:
            return None
        part = Part(path, tuple(map(self._dimensions, declared)), scalar, written, initial)
        return part if _sized(part) else None

    def _dimensions(self, found: Found) -> tuple[Dimension, ...]:
        """The dimensions of an object or a component: those of an array of objects that is a dummy as all calls know
        them.
        """
        return self._objects.get((found.home, found.symbol.name)) or self._shape(found)

    def _shape(self, found: Found) -> tuple[Dimension, ...]:
        """The dimensions of a declaration."""
        return tuple(self._dimension(dim, found.home) for dim in found.symbol.shape)

    def _dimension(self, dim: Dim, home: str) -> Dimension:
        lower = self.kinds.value((dim.lower or ONE).expr, home)
        if dim.form == "assumed":
            return Dimension(lower)
        if dim.form != "explicit" or dim.upper is None:
            return Dimension()
        upper = self.kinds.value(dim.upper.expr, home)
        return Dimension(lower, upper, upper is None)

    def _writes(self, reference: Reference, key: str) -> bool:
        if reference.role != "argument":
            return reference.writes or reference.role == "pointer"
        callee, dummy, _ = self._passed(reference, key)
        return bool(callee) and self.effects.intent(callee, dummy) != "in"

    def _passed(self, reference: Reference, key: str) -> tuple[str, str, Expr | None]:
        """The routine and the dummy that a reference is the actual argument for, and that argument."""
        site = self.facts.graph.site(key, reference.at, reference.call) if reference.role == "argument" else None
        if site is None or not site.callee:
            return "", "", None
        dummies, place = self.facts.routine(site.callee).dummies, reference.position
        if isinstance(place, str):
            return site.callee, place, next((a.value for a in site.args if _is_for(a, place)), None)
        known = place < len(dummies) and place < len(site.args)
        return (site.callee, dummies[place], site.args[place]) if known else ("", "", None)


def _sizes(shape: Collection[Dimension]) -> list[int | None]:
    """The sizes of dimensions, as far as they are constants."""
    return [d.upper - d.lower + 1 if d.lower is not None and d.upper is not None else None for d in shape]


def _is_for(argument: Expr, dummy: str) -> TypeGuard[Keyword]:
    return isinstance(argument, Keyword) and argument.name == dummy


def _is_one(actual: Expr | None, symbol: Symbol) -> bool:
    """Whether an actual argument is one object, perhaps an element of an array of them."""
    elements = actual.args if isinstance(actual, Apply) else ()
    return len(elements) == symbol.rank and not any(isinstance(i, Range) for i in elements)


def _whole(reference: Reference) -> Expr:
    """The longest designator of components that a reference begins; arrays' indices are not part of it."""
    found = reference.node
    for top in expressions(reference.at.statement):
        for node in walk(top):
            if (
                isinstance(node, Component)
                and _starts(node, reference.node)
                and len(list(walk(node))) > len(list(walk(found)))
            ):
                found = node
    return found


def _starts(node: Expr, first: Expr) -> bool:
    while isinstance(node, (Component, Apply)):
        if node is first:
            return True
        node = node.base
    return node is first


def chain_of(expr: Expr) -> Chain | None:
    """What a designator of components is made of; None for anything else."""
    indices = None
    if isinstance(expr, Apply):
        indices, expr = expr.args, expr.base
    if isinstance(expr, Name):
        return Chain(expr.name, (), (indices,))
    above = chain_of(expr.base) if isinstance(expr, Component) else None
    if above is None or not isinstance(expr, Component):
        return None
    return Chain(above.root, (*above.path, expr.name), (*above.indices, indices))


def _sized(part: Part) -> bool:
    """Whether an array that has arrays of objects on the way is as large in all of them."""
    *around, own = part.dimensions
    if not any(around):
        return True
    return all(d.lower is not None and d.upper is not None for listed in (*around[1:], own) for d in listed)


def asks(call: Expr | None) -> bool:
    """Whether an expression asks for the extent or a bound of one dimension."""
    name = base_name(call) if isinstance(call, Apply) else None
    return isinstance(call, Apply) and (name == "size" or (name in ("lbound", "ubound") and len(call.args) > 1))
