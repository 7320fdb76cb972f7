"""Arrays of unknown size (``a(*)``) in regions on devices: the elements that a region uses, as the host works them out.

An array goes to the device for one region, with the elements from its beginning to the furthest that the region uses
(:mod:`hfpy.analyze.dependence.furthest`). That is never more than the caller owns, and what the region does not set
comes back as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.dependence.forms import Atom, Extreme, Form, Quotient, Remainder, atom, number
from hfpy.analyze.dependence.forms import Parameter as Value
from hfpy.analyze.dependence.furthest import End, Layout, NotTold, furthest
from hfpy.analyze.dependence.model import Access, Compare, Condition, Every, Nest
from hfpy.analyze.dependence.model import Facts as Known
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.nests.builder import build
from hfpy.analyze.nests.calls import Source
from hfpy.analyze.nests.reading import Frame, Reading, World
from hfpy.backends.c.values import CannotPrint, Problem, Unprintable
from hfpy.backends.refused import ASSUMED_SIZE, OPTIONAL_BOUNDS, unknown_size
from hfpy.model.expressions import Fragment
from hfpy.model.kernel import Elements, Parameter
from hfpy.model.names import plain_from
from hfpy.model.scalars import Scalar
from hfpy.parse.expressions.fragments import ONE, expanded

if TYPE_CHECKING:
    from hfpy.backends.kernelspec import SpecBuilder


def is_unsized(data: DataObject) -> bool:
    """Whether the last extent of an array is ``*``, and so not known."""
    return any(d.form == "star" for d in data.symbol.shape)


def unsized(builder: SpecBuilder, data: DataObject, text: str) -> tuple[Elements, tuple[Fragment, Fragment]]:
    """The elements of an array of unknown size that a kernel gets, and the bounds of its last dimension. Raises
    CannotPrint where they are not known.
    """
    try:
        used = builder.measured.used(data, lambda bound: builder.lasting(bound, data.home))
    except Unprintable:
        builder.refusals.names.add(data.name)
        raise
    variable = builder.names.name(f"hf_elements_{text}", ("elements", text))
    parameter = builder.names.name(f"{text}_elements", (text, "elements"))
    builder.variables[parameter] = Parameter("value", data.name, parameter, Scalar("integer", 8), variable)
    last = builder.asked(f"{text}_upper{data.rank}", (text, "upper", data.rank), used.last(variable))
    return Elements(parameter, variable, used.elements), (used.lower, last)


def _whole_columns(ends: tuple[End, ...], stride: Form) -> bool:
    """Whether all ends are ends of columns of so many elements."""
    if stride == number(1):
        return True
    if len(stride.terms) != 1:
        return False
    atoms, factor = stride.terms[0]
    own = Counter(atoms)
    return all(own <= Counter(m) and f % factor == 0 for e in ends for m, f in e.elements.terms)


class UsedElements:
    """What a region uses of an array of unknown size, as Fortran texts: ``elements`` is their number from the array's
    begin on, with 8 bytes. ``whole_columns`` says that the last one is the last of a column.
    """

    def __init__(self, elements: str, lower: Fragment, first: Form, stride: Form, texts: Texts, whole: bool) -> None:
        self.elements = elements
        self.whole_columns = whole
        self.lower = lower
        self._first = first
        self._stride = stride
        self._texts = texts

    def last(self, elements: str) -> str:
        """The last index of the last dimension among so many elements."""
        columns, texts = f"({elements})", self._texts
        if self._stride != number(1):
            stride = texts.form(self._stride)
            columns = f"({elements}{texts.added(self._stride)} - 1)/max({stride}, 1_8)"
        return columns if self._first == number(1) else f"{columns}{texts.added(self._first)} - 1"


class Measured:
    """How much a region uses of arrays of unknown size."""

    def __init__(self, body: RegionBody) -> None:
        self._body = body

    @cached_property
    def _nest(self) -> Nest | None:
        return build(self._body, Known(), True)

    def used(self, data: DataObject, lasting: Callable[[Fragment], Fragment | None]) -> UsedElements:
        """The elements of one. ``lasting`` gives the declared bounds that keep their values. Raises CannotPrint, or
        Unprintable with the statement for which they are not known.
        """
        if "optional" in data.symbol.attributes:
            what = f"'{data.name}', an array of unknown size that need not be there,"
            raise CannotPrint(what, hint=OPTIONAL_BOUNDS)
        dims = [d.extent for d in data.used]
        if len(dims) != len(data.symbol.shape) or dims[-1].form != "star":
            what = f"'{data.name}', an array of unknown size with other dimensions here,"
            raise CannotPrint(what, hint=ASSUMED_SIZE)
        first = lasting(dims[-1].lower or ONE)
        if first is None:
            raise CannotPrint(
                f"'{data.name}', an array of unknown size whose last lower bound changes,", hint=ASSUMED_SIZE
            )
        read, texts = _reader(self._body), Texts(self._body, data)

        def bound(word: str, dimension: int, declared: Fragment) -> Form:
            """A bound as it was at the beginning of the routine. Only the array tells it once its names may differ."""
            if lasting(declared) is not None:
                return read(declared)
            return atom(Value(texts.asked(f"{word}({data.name}, {dimension + 1})")))

        lower = (*(bound("lbound", n, d.lower or ONE) for n, d in enumerate(dims[:-1])), read(dims[-1].lower or ONE))
        strides = [number(1)]
        for n, (dim, low) in enumerate(zip(dims[:-1], lower, strict=False)):
            assert dim.upper is not None
            strides.append(strides[-1] * (bound("ubound", n, dim.upper) - low + number(1)))
        try:
            ends = furthest(self._accesses(data), Layout(lower, tuple(strides)))
        except NotTold as found:
            raise Unprintable([_problem(self._body, data, found)]) from None
        whole = _whole_columns(ends, strides[-1])
        return UsedElements(texts.furthest(ends), first, lower[-1], strides[-1], texts, whole)

    def _accesses(self, data: DataObject) -> tuple[Access, ...]:
        if self._nest is None:
            what = unknown_size(data.name)
            raise CannotPrint(what, hint=ASSUMED_SIZE, also=": the region has too many statements to know its elements")
        return self._nest.of(data.name_in(self._body.key))


def _below_one(elements: Form, condition: Condition) -> bool:
    """Whether there are no elements where a condition does not hold."""
    if not isinstance(condition, Compare) or condition.op != ">=":
        return False
    rest = (elements - condition.form).constant
    return rest is not None and rest <= 1


def _problem(body: RegionBody, data: DataObject, found: NotTold) -> Problem:
    source = found.access.source
    assert isinstance(source, Source)
    reference, routine = source.reference, body.facts.routine(source.key)
    what, line = unknown_size(data.name), reference.at.statement.line
    at = (reference.node.start, reference.node.end)
    return Problem(what, line, *at, routine.file, ASSUMED_SIZE, f": {found.why}")


def _reader(body: RegionBody) -> Callable[[Fragment], Form]:
    """What reads declared bounds by names as they are where the region begins."""
    still = World(body.facts, body.key, lambda identity, parts: False, lambda shown: atom(Value(shown)))
    reading = Reading(still, Frame(body.key), body.construct.header.line.key)
    macros = body.facts.application.macros_of(body.key)
    return lambda bound: reading.form(expanded(bound, macros).expr)


class Texts:
    """Forms and conditions as Fortran that the host evaluates before a region, with integers of 8 bytes."""

    def __init__(self, body: RegionBody, array: DataObject) -> None:
        self._array = array.name
        self._asked: set[str] = set()
        region, routine = body.region, body.facts.routine(body.key)
        extents = [*(d.extent for d in array.used), *(d.extent for d in region.domains)]
        bounds = [b for extent in extents for b in extent.bounds]
        named = (n for b in (*bounds, *region.starts, *region.ends, *(region.strides or ())) for n in b.names)
        self._names = {
            data.name_in(body.key): name
            for name in sorted({*body.mentioned, *routine.spec.symbols, *named})
            if (data := body.facts.object(name, body.key)) is not None
        }

    def asked(self, shown: str) -> str:
        """What the host asks an array for, which is from now on as good as a name."""
        self._asked.add(shown)
        return shown

    def furthest(self, ends: tuple[End, ...]) -> str:
        """The number of elements to the furthest of some ends."""
        shown = [self._end(end) for end in ends]
        return f"max({', '.join(['0_8', *dict.fromkeys(shown)])})"

    def _end(self, end: End) -> str:
        # A loop without turns whose last index is below its first one by as much as the end is below 1: max is enough.
        needed = [c for c in end.conditions if not _below_one(end.elements, c)]
        elements = self.form(end.elements)
        if not needed:
            return elements
        return f"merge({elements}, 0_8, {' .and. '.join(self.condition(c) for c in needed)})"

    def condition(self, condition: Condition) -> str:
        """A condition, with parentheses around what is composed."""
        if isinstance(condition, Compare):
            op = {">=": ">=", "=": "==", "!=": "/="}[condition.op]
            right = Form(tuple((atoms, -factor) for atoms, factor in condition.form.terms if factor < 0))
            return f"{self.form(condition.form + right)} {op} {self.form(right)}"
        if not condition.of:
            return ".true." if isinstance(condition, Every) else ".false."
        word = ".and." if isinstance(condition, Every) else ".or."
        return f"({f' {word} '.join(self.condition(c) for c in condition.of)})"

    def form(self, form: Form) -> str:
        """An integer of 8 bytes. Raises CannotPrint for names that the host does not know."""
        shown = ""
        for monomial, factor in form.terms:
            atoms = [self._atom(a) for a in monomial]
            parts = [f"{abs(factor)}_8", *atoms] if abs(factor) != 1 or not atoms else atoms
            sign = (" - " if shown else "-") if factor < 0 else (" + " if shown else "")
            shown += sign + "*".join(parts)
        return shown or "0_8"

    def added(self, form: Form) -> str:
        """A form after what it is added to."""
        negative = bool(form.terms) and form.terms[0][1] < 0
        return f" {self.form(form)}" if negative else f" + {self.form(form)}"

    def _atom(self, item: Atom) -> str:
        match item:
            case Value(name=name):
                return f"int({self._name(name)}, 8)"
            case Quotient(of=of, by=by):
                return f"(({self.form(of)})/{by}_8)"
            case Remainder(of=of, by=by):
                return f"mod({self.form(of)}, {by}_8)"
            case Extreme(kind=kind, of=forms):
                return f"{kind}({', '.join(self.form(f) for f in forms)})"
        raise CannotPrint("a size that only the region knows")

    def _name(self, name: str) -> str:
        if name in self._asked:
            return name
        if name in self._names:
            found = self._names[name]
            if not plain_from(found):
                return found
        what = unknown_size(self._array)
        known = plain_from(self._names.get(name, "")) or name
        raise CannotPrint(what, hint=ASSUMED_SIZE, also=f": how much is used depends on '{known}'")
