"""The arrays of a kernel as scripts see them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hfpy.analyze.language.sizes import linear
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Apply, Expr, Keyword, Range
from hfpy.transform.scripts.work import Work

Offset = tuple[int | None, ...]


@dataclass(frozen=True)
class Array:
    """An array: its dimensions as text (those of domains included), its type as written, its role (``input``,
    ``output``, ``inout`` or ``temporary``), and where it is used.

    ``layout`` are its dimensions in the order of storage, fastest first, counted from 0; ``space`` is where it lies:
    ``host``, ``device``, or ``private`` to each point. ``offsets`` are the places relative to the point, an entry for
    each index that is written: None for one that is no iterator plus a number. It is None itself where the array is
    used whole.
    """

    name: str
    rank: int
    dims: tuple[str, ...]
    type: str
    intent: str
    role: str
    offsets: frozenset[Offset] | None
    layout: tuple[int, ...] = ()
    space: str = "host"

    def __repr__(self) -> str:
        return f"<{self.role} {self.name}({', '.join(self.dims)}) {self.type}>"


def arrays_of(work: Work, key: str, number: int) -> dict[str, Array]:
    """The arrays of a region by their names, in alphabetical order."""
    body = work.body(key, number)
    private = {*work.sharing(key).region(number).place().private}
    found: dict[str, Array] = {}
    for name in sorted(body.names()):
        data = work.facts.object(name, key)
        if data is None or not data.rank:
            continue
        references = body.references_of(name)
        effects = [work.effects.of(r, key) for r in references]
        reads, writes = any(e[0] for e in effects), any(e[1] for e in effects)
        role = "temporary" if name in private else "inout" if reads and writes else "output" if writes else "input"
        dims = tuple(d.extent.text for d in data.used)
        offsets = _offsets(references, frozenset(body.region.iterators), data.inserted)
        intent = data.symbol.intent
        order = work.facts.order(data)
        layout = order.storage if order.storage is not None else tuple(range(data.rank))
        space = "private" if name in private else "device" if work.application.options.target == "gpu" else "host"
        found[name] = Array(name, data.rank, dims, data.symbol.type.text, intent, role, offsets, layout, space)
    return found


def _offsets(references: list[Reference], iterators: frozenset[str], inserted: bool) -> frozenset[Offset] | None:
    found: set[Offset] = set()
    for reference in references:
        node = reference.node
        if not isinstance(node, Apply):
            if not inserted:
                return None
            found.add(())  # the element of the point
            continue
        found.add(tuple(_offset(arg, iterators) for arg in node.args))
    return frozenset(found)


def _offset(arg: Expr, iterators: frozenset[str]) -> int | None:
    if isinstance(arg, (Range, Keyword)):
        return None
    terms = dict(linear(arg))
    by = terms.pop("", 0)
    ((name, factor),) = terms.items() if len(terms) == 1 else (("", 0),)
    return by if factor == 1 and name in iterators else None


def reported(arrays: dict[str, Array]) -> Iterator[str]:
    """The arrays in lines of text."""
    for array in arrays.values():
        yield f"{array.role:<9} {array.name}({', '.join(array.dims)})"
