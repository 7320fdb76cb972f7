"""Arrays as a called routine sees them: which element of the caller's array an index means."""

from __future__ import annotations

from hfpy.analyze.dependence.forms import Form, number, quotient, remainder
from hfpy.analyze.dependence.model import Compare, Section, Subscript
from hfpy.values import dataclass

_NONE = number(0)


@dataclass(frozen=True, slots=True)
class Hole:
    """A place in the caller's subscripts that the routine's index number ``which`` fills: ``first`` in the routine is
    ``lower`` in the caller. ``whole`` is the part that the caller passes.
    """

    which: int
    lower: Form
    first: Form
    step: int
    whole: Section


@dataclass(frozen=True, slots=True)
class Counted:
    """A dimension of a routine's array by which elements are counted: its index number ``which``, from ``first``,
    ``count`` of them (None: not known), each ``stride`` elements from the one before.
    """

    which: int
    first: Form
    count: Form | None
    stride: int

    def all_of_it(self, subscript: Subscript) -> bool:
        """Whether a subscript takes the dimension from end to end."""
        if not isinstance(subscript, Section) or subscript.step != 1 or self.count is None:
            return False
        end = self.first + self.count - number(1)
        return subscript.lower in (None, self.first) and subscript.upper in (None, end)


@dataclass(frozen=True, slots=True)
class Folded:
    """A place in the caller's subscripts of an array that the routine sees in another shape. Where the routine's
    indices say that ``n`` elements come before one, its place in this dimension is ``mod(n / before, count)``, or
    ``n / before`` in the last one, for which ``count`` is None; it is counted from ``lower`` with a step. ``whole`` is
    the dimension from end to end, for the routine's dimensions from end to end; None where these are less. So many
    elements as ``ahead`` says come before the routine's first one.
    """

    counted: tuple[Counted, ...]
    before: int
    count: int | None
    lower: Form
    step: int
    whole: Section | None
    ahead: Form = _NONE

    def placed(self, subscripts: tuple[Subscript, ...]) -> Subscript | None:
        """The caller's subscript for those of the routine, all of whose dimensions there are, or for none; None where
        it is not known.
        """
        mine = [(one, subscripts[one.which]) for one in self.counted] if subscripts else []
        if self.whole is not None and all(one.all_of_it(subscript) for one, subscript in mine):
            return self.whole
        if not mine:
            return None
        ahead = self.ahead
        for one, subscript in mine:
            if not isinstance(subscript, Form):
                return None
            ahead += (subscript - one.first).times(one.stride)
        index = quotient(ahead, self.before)
        index = remainder(index, self.count) if self.count is not None else index
        return self.lower + index.times(self.step)


@dataclass(frozen=True, slots=True)
class Left:
    """How far a dummy that begins with an element is what its view says: index number ``which``, counted from
    ``first``, for ``count`` indices. What is after them is elsewhere in the array.
    """

    which: int
    first: Form
    count: Form

    def inside(self, subscripts: tuple[Subscript, ...]) -> tuple[Compare, ...] | None:
        """The conditions, which all hold where subscripts of the routine mean what the view says; None where this
        is not known.
        """
        own = subscripts[self.which] if self.which < len(subscripts) else None
        low, high = (own.lower, own.upper) if isinstance(own, Section) else (own, own)
        if not isinstance(low, Form) or not isinstance(high, Form):
            return None
        if isinstance(own, Section) and own.step < 0:
            low, high = high, low
        return (Compare(low - self.first, ">="), Compare(self.first + self.count - number(1) - high, ">="))


@dataclass(frozen=True, slots=True)
class View:
    """A dummy array. ``places`` is None where hfpy cannot tell which elements it has. ``left`` is given where they are
    those of ``places`` up to some index alone.
    """

    array: str
    identity: tuple[str, str]
    places: tuple[Subscript | Hole | Folded, ...] | None
    left: Left | None = None

    @property
    def dimensions(self) -> int:
        """How many indices of the routine say which element is meant."""
        own = (p.which for p in self.places or () if isinstance(p, Hole))
        counted = (one.which for p in self.places or () if isinstance(p, Folded) for one in p.counted)
        return max((*own, *counted), default=-1) + 1

    def placed(self, subscripts: tuple[Subscript, ...]) -> tuple[Subscript, ...] | None:
        """The caller's subscripts for those of the routine, or for the whole array if there are none; None where they
        are not known.
        """
        if self.places is None:
            return None
        holes = self.dimensions
        if subscripts and len(subscripts) < holes:
            return None
        found: list[Subscript] = []
        for place in self.places:
            if isinstance(place, Folded):
                part = place.placed(subscripts)
            elif isinstance(place, Hole):
                part = _moved(place, subscripts[place.which]) if subscripts else place.whole
            else:
                part = place
            if part is None:
                return None
            found.append(part)
        return (*found, *subscripts[holes:])

    def behind(self, own: tuple[Subscript | Hole, ...]) -> tuple[Subscript | Hole, ...] | None:
        """The places in the caller's subscripts of a part whose places in the routine's are ``own``."""
        holes = self.dimensions
        if self.places is None or len(own) < holes:
            return None
        found: list[Subscript | Hole] = []
        for place in self.places:
            if isinstance(place, Folded):
                return None
            if not isinstance(place, Hole):
                found.append(place)
                continue
            inner = own[place.which]
            whole = _moved(place, inner.whole if isinstance(inner, Hole) else inner)
            if whole is None:
                return None
            if isinstance(inner, Hole) and isinstance(whole, Section):
                lower = place.lower + (inner.lower - place.first).times(place.step)
                found.append(Hole(inner.which, lower, inner.first, inner.step * place.step, whole))
            else:
                found.append(whole)
        return (*found, *own[holes:])


def _moved(hole: Hole, subscript: Subscript) -> Subscript | None:
    if isinstance(subscript, Form):
        return hole.lower + (subscript - hole.first).times(hole.step)
    if not isinstance(subscript, Section):
        return None
    ends = [subscript.lower, subscript.upper]
    moved = [None if e is None else hole.lower + (e - hole.first).times(hole.step) for e in ends]
    low = moved[0] if moved[0] is not None else hole.whole.lower
    high = moved[1] if moved[1] is not None else hole.whole.upper
    return Section(low, high, subscript.step * hole.step)


def from_one(places: tuple[Subscript, ...]) -> tuple[Subscript | Hole, ...] | None:
    """The places of a part of an array whose own indices count from 1."""
    found: list[Subscript | Hole] = []
    for place in places:
        if isinstance(place, Section):
            if place.lower is None:
                return None
            which = sum(isinstance(p, Hole) for p in found)
            found.append(Hole(which, place.lower, number(1), place.step, place))
        else:
            found.append(place)
    return tuple(found)
