"""Whether a point reads only what it has itself written before: then each point may have an array of its own."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.dependence.congruence import Point, find
from hfpy.analyze.dependence.encoding import Applied, Encoding, Linear, Scope
from hfpy.analyze.dependence.forms import Form, Index, atom, atoms_of, number
from hfpy.analyze.dependence.masks import under_same_mask
from hfpy.analyze.dependence.model import Access, Compare, Condition, Loop, Nest, Part, Section, Some
from hfpy.analyze.dependence.sets import Sets, Taken


def exposed(sets: Sets, nest: Nest, read: Access, writes: tuple[Access, ...]) -> Point | None:
    """A place that a read may see as it was before the point began; None if there is none. Raises TooHardError.

    The point's own indices are the same for the read and all writes. What a write covers is never assumed: only
    writes that certainly happen count, and values of unknown functions only where their arguments are the read's.
    """
    encoding = Encoding()
    shared: dict[Index, str] = {}
    for loop in read.at.loops:
        if loop.index in nest.points:
            shared[loop.index] = encoding.dimension()
            encoding.loop(loop, shared[loop.index], shared)
    scope = encoding.instance(read, dict(shared), read.at.guards)
    for condition in (*nest.facts.assumed, *read.inside):
        encoding.assume(condition, scope)
    places = [None if isinstance(s, Part) else _place(encoding, s, scope) for s in read.subscripts]
    inner = list(encoding.applied)
    taken: list[Taken] = []
    for write in writes:
        if write.must and (before := list(_before(read, write, nest.points))):
            covered = _covered(encoding, read, write, places, scope, shared, before, inner)
            if covered is not None:
                taken.append(covered)
    ask = lambda extra: sets.left(encoding.system(extra), tuple(taken))  # noqa: E731
    return find(encoding, nest.facts.distinct, ask)


def obviously_covers(write: Access, read: Access) -> bool:
    """Whether a write of the same subscripts certainly comes before a read in the same turn of all loops around it."""
    loops, guards = write.at.loops, write.at.guards
    if (
        not (write.must or under_same_mask(write, read))
        or read.at.loops[: len(loops)] != loops
        or read.at.guards[: len(guards)] != guards
    ):
        return False
    if any(isinstance(s, Section) and (s.lower is None or s.upper is None) for s in write.subscripts):
        return False
    inside = 0
    for mine, other in zip(read.at.position, write.at.position, strict=False):
        if mine != other:
            before = isinstance(mine, int) and isinstance(other, int) and other < mine
            return before and inside == len(loops)
        inside += isinstance(mine, Index)
    return False


def uncovered(write: Access, read: Access) -> Condition | None:
    """The condition under which a read is of no element that a write sets before it in the same point; None if hfpy
    cannot say. Known are writes of a box: of each element between bounds in each dimension.
    """
    own = _finished(write, read)
    guards = write.at.guards
    if own is None or not write.must or write.mask or read.at.guards[: len(guards)] != guards:
        return None
    if len(write.subscripts) != len(read.subscripts):
        return None
    outside: list[Condition] = []
    left = dict(own)  # of loops that count in no dimension it matters whether they have a turn
    for mine, other in zip(write.subscripts, read.subscripts, strict=True):
        if isinstance(mine, Part) or isinstance(other, Part):
            if mine != other:
                return None
            continue
        ends = _ends(mine, left, own) if isinstance(other, Form) else None
        if ends is None or not isinstance(other, Form):
            return None
        outside += [Compare(ends[0] - other - number(1), ">="), Compare(other - ends[1] - number(1), ">=")]
    for loop in left.values():
        low, high = _upwards(loop)
        outside.append(Compare(low - high - number(1), ">="))
    return Some(tuple(outside))


def _finished(write: Access, read: Access) -> dict[Index, Loop] | None:
    """The loops around a write alone, if all of their turns come before a read in each turn of the others; with bounds
    that are the same in all of these turns.
    """
    common: set[Index] = set()
    for mine, other in zip(read.at.position, write.at.position, strict=False):
        if mine == other:
            common |= {mine} if isinstance(mine, Index) else set()
        elif isinstance(mine, int) and isinstance(other, int) and other < mine:
            break
        else:
            return None
    else:
        return None
    own = {loop.index: loop for loop in write.at.loops if loop.index not in common}
    for loop in own.values():
        inside = {a for f in (loop.lower, loop.upper) for a in atoms_of(f)}
        if inside & own.keys() or loop.step.constant not in (1, -1):
            return None
    return own


def _ends(subscript: Form | Section, left: dict[Index, Loop], own: dict[Index, Loop]) -> tuple[Form, Form] | None:
    """The first and the last place of all turns of some loops, with every place between them; the loop that counts
    there is taken out of ``left``.
    """
    if isinstance(subscript, Section):
        low, high = subscript.lower, subscript.upper
        if low is None or high is None or subscript.step != 1:
            return None
        return None if {*atoms_of(low), *atoms_of(high)} & own.keys() else (low, high)
    inside = [a for a in set(atoms_of(subscript)) if a in own]
    if not inside:
        return subscript, subscript
    index = inside[0]
    count = dict(subscript.terms).get((index,), 0)
    rest = subscript - atom(index).times(count)
    if len(inside) > 1 or abs(count) != 1 or index in atoms_of(rest) or index not in left:
        return None
    assert isinstance(index, Index)
    low, high = _upwards(left.pop(index))
    return (rest + low, rest + high) if count > 0 else (rest - high, rest - low)


def _upwards(loop: Loop) -> tuple[Form, Form]:
    return (loop.lower, loop.upper) if loop.step.constant == 1 else (loop.upper, loop.lower)


def may_come_before(write: Access, read: Access, points: tuple[Index, ...]) -> bool:
    """Whether a write can come before a read in one point."""
    return any(True for _ in _before(read, write, points))


def _place(encoding: Encoding, subscript: Form | Section, scope: Scope) -> Linear:
    if isinstance(subscript, Section):
        return encoding.section(subscript, scope)
    return encoding.linear(subscript, scope)


def _covered(
    encoding: Encoding,
    read: Access,
    write: Access,
    places: list[Linear | None],
    scope: Scope,
    shared: dict[Index, str],
    before: list[tuple[tuple[Index, int], ...]],
    inner: list[Applied],
) -> Taken | None:
    """What a write covers of a read's places; None if hfpy cannot say."""
    part = encoding.part()
    own = part.instance(write, dict(shared), write.at.guards)
    solved: dict[str, Linear] = {}
    for subscript, target, place in zip(write.subscripts, read.subscripts, places, strict=False):
        if place is None or isinstance(subscript, Part):
            if subscript != target:
                return None
            continue
        here = _place(part, subscript, own)
        part.constraints.append(f"{here.text()} = {place.text()}")
        solved.update(_solved(here, place, set(part.dimensions)))
    rest = read.subscripts[len(write.subscripts) :]
    whole = bool(write.subscripts) and isinstance(write.subscripts[-1], Part)  # all elements of the component
    if len(write.subscripts) > len(read.subscripts) or (rest and not whole and not isinstance(rest[0], Part)):
        return None
    cases = []
    for alternative in before:
        parts = ["1 = 1"]
        for index, sign in alternative:
            op = "=" if not sign else "<" if sign > 0 else ">"
            parts.append(f"{own[index]} {op} {scope[index]}")
        cases.append("(" + " and ".join(parts) + ")")
    part.constraints.append("(" + " or ".join(cases) + ")")
    for value in part.applied:
        same = list(_same_values(value, inner))
        args = tuple(_substituted(a, solved) for a in value.args)
        if not any(a.names() & set(part.dimensions) for a in args):
            known = encoding.value(value.function, args)
            same.append(f"{value.name} = {known}")
            solved[value.name] = Linear(((known, 1),), 0)  # also as an argument of what follows
        if not same:
            return None
        part.constraints.append("(" + " or ".join(same) + ")")
    return None if part.approximate else Taken(tuple(part.dimensions), tuple(part.constraints))


def _same_values(value: Applied, inner: list[Applied]) -> Iterator[str]:
    """A value within a write is one of the read's: equal arguments, equal values."""
    for known in inner:
        if known.function.name == value.function.name and len(known.args) == len(value.args):
            equal = [f"{a.text()} = {b.text()}" for a, b in zip(value.args, known.args, strict=True)]
            yield "(" + " and ".join([f"{value.name} = {known.name}", *equal]) + ")"


def _solved(here: Linear, place: Linear, own: set[str]) -> dict[str, Linear]:
    """An index of a write by the place that is read, where the two being equal gives it."""
    mine = [(n, c) for n, c in here.terms if n in own]
    if len(mine) != 1 or abs(mine[0][1]) != 1:
        return {}
    name, sign = mine[0]
    terms = dict(place.terms)
    for other, factor in here.terms:
        if other != name:
            terms[other] = terms.get(other, 0) - factor
    listed = tuple(sorted((n, c * sign) for n, c in terms.items() if c))
    return {name: Linear(listed, (place.constant - here.constant) * sign)}


def _substituted(linear: Linear, values: dict[str, Linear]) -> Linear:
    terms: dict[str, int] = {}
    constant = linear.constant
    for name, factor in linear.terms:
        known = values.get(name)
        for other, count in known.terms if known is not None else ((name, 1),):
            terms[other] = terms.get(other, 0) + factor * count
        constant += factor * known.constant if known is not None else 0
    return Linear(tuple(sorted((n, c) for n, c in terms.items() if c)), constant)


def _before(read: Access, write: Access, points: tuple[Index, ...]) -> Iterator[tuple[tuple[Index, int], ...]]:
    """The ways in which a write comes before a read in one point: for each loop around both, from the outermost,
    whether it is in the same turn (0) or an earlier one (1 upwards, -1 downwards).
    """
    steps = {loop.index: loop.step.constant for loop in (*read.at.loops, *write.at.loops)}
    equal: tuple[tuple[Index, int], ...] = ()
    for mine, other in zip(read.at.position, write.at.position, strict=False):
        if isinstance(mine, Index) and mine == other:
            if mine in points:
                continue
            step = steps[mine]
            if step is not None:
                yield (*equal, (mine, 1 if step > 0 else -1))
            equal = (*equal, (mine, 0))
        elif mine != other:
            if isinstance(mine, int) and isinstance(other, int) and other < mine:
                yield equal
            return
