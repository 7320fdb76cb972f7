"""Local arrays of run-time size in routines that kernels call, in terms of the kernel: how large each of them is, for
every way in which calls lead to its routine.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.language.scopes import Found
from hfpy.backends.c.space import bounds_of
from hfpy.backends.c.views import scalar_of
from hfpy.model.expressions import Apply, Component, Expr, Fragment, Keyword, Literal, Name, Range, children
from hfpy.model.kernel import Bounds, Slot, Workspace
from hfpy.model.names import plain_from
from hfpy.parse.expressions.fragments import ONE, expanded, fragment, piece

if TYPE_CHECKING:
    from hfpy.backends.kernelspec import SpecBuilder

Chain = tuple[CallSite, ...]
Pair = tuple[Fragment, Fragment]
_INTEGERS = frozenset("abs int max min mod".split())  # functions in sizes that hosts and kernels know
_MOST = 32  # chains of calls that are looked at


def workspace(builder: SpecBuilder, slot: Slot, called: list[str]) -> Workspace:
    """The room for a local array of a routine called in a region, given by the routine's key and the array's name."""
    owner, name = slot
    data = builder.facts.object(name, owner)
    assert data is not None
    routine = builder.facts.routine(owner).name
    chains = list(islice(_chains(builder, owner, called), _MOST + 1))
    found = [_Sizes(builder, chain).local(data) for chain in chains]
    bounds = _largest(found) if len(chains) <= _MOST else None
    storage = builder.facts.order(data).storage or tuple(range(data.rank))
    text = builder.names.name(f"{name}_of_{routine}", ("workspace", *slot))
    scalar = scalar_of(builder.device.kinds, data)
    return Workspace(slot, routine, text, scalar, tuple(bounds[d] for d in storage) if bounds is not None else None)


def shaped(builder: SpecBuilder, local: DataObject, bound: Fragment) -> Fragment | None:
    """A bound of one of the kernel's own local arrays that asks other arrays for their shape: the host works it out.
    None for other bounds.
    """
    own = local.home == builder.key
    text = _on_host(builder, bound.expr, bound.text, bool(plain_from(local.name))) if own else None
    if text is None:
        return None
    return builder.asked(f"{local.name}_size", ("size", text), text)


def declared_bound(builder: SpecBuilder, local: DataObject, word: str, dimension: int) -> Fragment | None:
    """A bound of one of the kernel's own local arrays that asks for anything else: the host has such an array, too.
    None where it stores the array in another way.
    """
    order = builder.facts.order(local)
    if local.home != builder.key or order.pieces or not builder.facts.scopes.is_intrinsic(word, builder.key):
        return None
    text = f"{word}({local.name}, {order.place(dimension) + 1})"
    return builder.asked(f"{local.name}_size", ("size", text), text)


def _on_host(builder: SpecBuilder, expr: Expr, text: str, here: bool) -> str | None:
    """An expression of integers that keep their values, and of shapes of arrays, as the host has them in storage.
    ``here`` says that shapes count as they are where the region begins, not where the routine does.
    """
    match expr:
        case Apply(base=Name(name="size" | "lbound" | "ubound" as word), args=(Name(name=name), Literal() as number)):
            data = builder.facts.object(name, builder.key)
            place = number.integer
            if data is None or (data.symbol.dynamic and not here) or place is None or not 1 <= place <= data.rank:
                return None
            order = builder.facts.order(data)
            known = builder.facts.scopes.is_intrinsic(word, builder.key) and not order.pieces
            return f"{word}({name}, {order.place(place - 1) + 1})" if known else None
        case Name():
            shown = text[expr.start : expr.end]
            return shown if builder.lasting(fragment(shown), builder.key) is not None else None
        case Apply() | Component():
            return None
    shown, position = "", expr.start
    for child in sorted(children(expr), key=lambda c: c.start):
        inner = _on_host(builder, child, text, here)
        if inner is None:
            return None
        shown += text[position : child.start] + inner
        position = child.end
    return shown + text[position : expr.end]


def _chains(builder: SpecBuilder, unit: str, called: list[str]) -> Iterator[Chain]:
    """The calls that lead from the kernel to a routine. There is no recursion in kernels."""
    for caller in (builder.key, *called):
        sites = builder.sites if caller == builder.key else builder.facts.graph.sites.get(caller, ())
        for site in sites:
            if site.callee != unit:
                continue
            if caller == builder.key:
                yield (site,)
            else:
                yield from ((*above, site) for above in _chains(builder, caller, called))


def _largest(found: list[Bounds | None]) -> Bounds | None:
    """Room for all of some shapes: the largest upper bound of each dimension; None where one is not known, or where
    lower bounds differ.
    """
    known = list(dict.fromkeys(f for f in found if f is not None))
    if not known or None in found:
        return None
    if len(known) == 1:
        return known[0]
    pairs = []
    for dimension in zip(*known, strict=True):
        low = {pair[0] for pair in dimension}
        high = list(dict.fromkeys(pair[1].text for pair in dimension))
        if len(low) > 1:
            return None
        largest = high[0] if len(high) == 1 else f"max({', '.join(f'int({text})' for text in high)})"
        pairs.append((low.pop(), fragment(largest)))
    return tuple(pairs)


class _Sizes:
    """Sizes in the routine that a chain of calls leads to, in terms of the kernel."""

    def __init__(self, builder: SpecBuilder, chain: Chain) -> None:
        self.builder = builder
        self.facts = builder.facts
        self.chain = chain
        self.unit = chain[-1].callee if chain else builder.key
        self.scopes = builder.facts.scopes

    def local(self, data: DataObject) -> Bounds | None:
        """The bounds of a local array; None where they are not known."""
        return self._all((self.known(low), self.known(high)) for low, high in bounds_of(self.facts, data))

    @staticmethod
    def _all(pairs: Iterator[tuple[Fragment | None, Fragment | None]]) -> Bounds | None:
        found: list[Pair] = []
        for low, high in pairs:
            if low is None or high is None:
                return None
            found.append((low, high))
        return tuple(found)

    def known(self, bound: Fragment | None) -> Fragment | None:
        """An integer expression of the routine; None where it means what only the device knows."""
        if bound is None:
            return None
        if not self.chain:
            return self.builder.lasting(bound, self.unit)
        plain = expanded(bound, self.facts.application.macros_of(self.builder.key))
        value = self.builder.device.kinds.value(plain.expr, self.unit)
        if value is not None:
            return fragment(str(value))
        pieces: list[tuple[int, int, str]] = []
        if not self._collect(plain.expr, pieces):
            return None
        # All names at once: what represents one may mention another, such as `n, m` given for `m, n`.
        shown = plain.text
        for start, end, given in sorted(pieces, reverse=True):
            shown = shown[:start] + given + shown[end:]
        return fragment(shown)

    def _collect(self, expr: Expr, pieces: list[tuple[int, int, str]]) -> bool:
        """What represents the names and inquiries in an expression; False where one is not known."""
        given: str | None = ""
        match expr:
            case Name(name=name):
                found = self.scopes.variable(name, self.unit)
                given = self._given(name, found) if found is not None else None
            case Apply(base=Name(name="size" | "lbound" | "ubound" as word)) if self._intrinsic(word):
                given = self._inquired(word, expr)
            case Apply(base=Name(name=word), args=args):
                return word in _INTEGERS and self._intrinsic(word) and all(self._collect(a, pieces) for a in args)
            case Apply() | Component():
                return False
            case _:
                return all(self._collect(child, pieces) for child in children(expr))
        if given is None:
            return False
        single = given.isidentifier() or given.isdigit()
        pieces.append((expr.start, expr.end, given if single else f"({given})"))
        return True

    def _intrinsic(self, name: str) -> bool:
        return self.scopes.is_intrinsic(name, self.unit)

    def _given(self, name: str, found: Found) -> str | None:
        if found.symbol.constant:
            value = self.builder.device.kinds.value(Name(0, 0, name), self.unit)
            return str(value) if value is not None else None
        slot = self.builder.device.slot(found)
        if slot in self.builder.globals or found.home != self.unit:
            return self.builder.globals.get(slot)
        actual = self._actual(name)
        if actual is None or self.builder.device.effects.intent(self.unit, name) != "in":
            return None
        known = self._caller().known(piece(self.chain[-1].at.statement.line.text, actual))
        return known.text if known is not None else None

    def _caller(self) -> _Sizes:
        return _Sizes(self.builder, self.chain[:-1])

    def _actual(self, name: str) -> Expr | None:
        """The actual argument for a dummy; None if there is none."""
        site, dummies = self.chain[-1], self.facts.routine(self.unit).dummies
        for number, argument in enumerate(site.args):
            if (argument.name if isinstance(argument, Keyword) else dummies[number]) == name:
                return argument.value if isinstance(argument, Keyword) else argument
        return None

    # -- shapes of arrays

    def _inquired(self, word: str, expr: Apply) -> str | None:
        """``size``, ``lbound`` or ``ubound`` of an array, of one dimension or, for ``size``, of all."""
        first = expr.args[0] if expr.args else None
        rest = [a.value if isinstance(a, Keyword) and a.name == "dim" else a for a in expr.args[1:]]
        bounds = self.shape(first.name) if isinstance(first, Name) else None
        if bounds is None or len(rest) > 1:
            return None
        counts = [f"({high.text}) - ({low.text}) + 1" if low != ONE else high.text for low, high in bounds]
        if not rest:
            joined = "*".join(f"({c})" for c in counts)
            return None if word != "size" else counts[0] if len(counts) == 1 else joined
        number = rest[0].integer if isinstance(rest[0], Literal) else None
        if number is None or not 1 <= number <= len(bounds):
            return None
        chosen = bounds[number - 1]
        return counts[number - 1] if word == "size" else chosen[0 if word == "lbound" else 1].text

    def shape(self, name: str) -> Bounds | None:
        """The bounds of an array of the routine, in the order of Fortran's index list; None where they are not
        known.
        """
        data = self.facts.object(name, self.unit)
        if data is None or not data.rank:
            return None
        if not self.chain or data.home != self.unit:
            return self._in_kernel(name, data)
        forms = [data.symbol.shape[d.declared] if d.declared is not None else d.extent for d in data.used]
        if all(form.form == "explicit" for form in forms):
            return self._all((self.known(d.extent.lower or ONE), self.known(d.extent.upper)) for d in data.used)
        actual = self._actual(name)
        extents = self._caller().extents(actual) if actual is not None else None
        if extents is None or len(extents) != data.rank:
            return None
        pairs = []
        for form, extent in zip(forms, extents, strict=True):
            low = self.known(form.lower or ONE)
            high = None if low is None else extent if low == ONE else fragment(f"{extent.text} + ({low.text}) - 1")
            pairs.append((low, high))
        return self._all(iter(pairs))

    def _in_kernel(self, name: str, data: DataObject) -> Bounds | None:
        """The bounds of what is an array of the kernel itself."""
        builder = self.builder
        slot = builder.device.members.slot(data.home, data.symbol.name)
        if self.chain and slot not in builder.device.mentioned(self.unit):
            return None  # sizes alone do not bring it to the device
        text = builder.globals.get(slot) if self.chain else builder.meaning.get(name)
        found = builder.variables.get(text or "")
        return found.bounds or None if found is not None else None

    def extents(self, actual: Expr) -> list[Fragment] | None:
        """The extents of an array or a section of one, as an actual argument; None where they are not known."""
        base = actual.base if isinstance(actual, Apply) else actual
        bounds = self.shape(base.name) if isinstance(base, Name) else None
        site = next((s for s in self._sites() if any(_within(actual, a) for a in s.args)), None)
        if bounds is None or site is None:
            return None
        plan = self.facts.plan_at(site.at.statement.line.key, actual, self.unit)
        if plan is not None and plan.final:
            return None
        items: tuple[Expr | str, ...] = actual.args if isinstance(actual, Apply) else (":",) * len(bounds)
        if plan is not None and (plan.items is not None or plan.changed):
            items = plan.items or ()
        if len(items) != len(bounds):
            return None
        text = site.at.statement.line.text
        ranged = [(i, b) for i, b in zip(items, bounds, strict=True) if i == ":" or isinstance(i, Range)]
        found = [self._extent(item, pair, text) for item, pair in ranged]
        return None if None in found else [f for f in found if f is not None]

    def _sites(self) -> tuple[CallSite, ...]:
        return tuple(self.facts.graph.sites.get(self.unit, ()))

    def _extent(self, item: Expr | str, bounds: Pair, text: str) -> Fragment | None:
        low: Fragment | None = bounds[0]
        high: Fragment | None = bounds[1]
        step: Fragment | None = ONE
        if isinstance(item, Range) and not is_full_range(item):
            low = self.known(piece(text, item.lower)) if item.lower is not None else low
            high = self.known(piece(text, item.upper)) if item.upper is not None else high
            step = self.known(piece(text, item.step)) if item.step is not None else step
        if low is None or high is None or step is None:
            return None
        plain = high.text if low == ONE else f"({high.text}) - ({low.text}) + 1"
        if step == ONE:
            return fragment(plain)
        return fragment(f"(({high.text}) - ({low.text}) + ({step.text})) / ({step.text})")


def _within(actual: Expr, argument: Expr) -> bool:
    return actual is (argument.value if isinstance(argument, Keyword) else argument)
