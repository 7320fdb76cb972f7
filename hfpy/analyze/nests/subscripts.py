"""The subscripts of a reference: as the plan of accesses has them, with the bounds that declarations give."""

from __future__ import annotations

from hfpy.analyze.arrays.accesses import is_macro_call, parallel_positions
from hfpy.analyze.arrays.domains import DataObject, Dimension
from hfpy.analyze.dependence.forms import Form, Index, Parameter, atom, number
from hfpy.analyze.dependence.model import Compare, Condition, Every, Part, Section, Some, Subscript
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.intrinsics import gives_scalar
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import has_vector, is_parent
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.nests.reading import Frame, Reading, World
from hfpy.model.expressions import Apply, Component, Expr, Fragment, Name, Range, base_name, children
from hfpy.model.statements import Statement, expressions
from hfpy.parse.expressions.expressions import expression
from hfpy.parse.expressions.fragments import expanded
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.macros import expand


class Subscripts:
    """Reads the subscripts in one statement. ``vague`` tells that the last ones are more than what is touched, and
    ``through`` that they are those of an object through which a procedure is called.
    """

    def __init__(self, reading: Reading, statement: Statement) -> None:
        self.reading = reading
        self.facts = reading.facts
        self.key = reading.frame.key
        self.statement = statement
        self.vague = self.through = False

    def of(self, reference: Reference, data: DataObject) -> tuple[Subscript, ...] | None:
        """The subscripts of a reference; None where they are not known."""
        self.vague = self.through = False
        if reference.role == "allocate" and not reference.component:
            return tuple(Section() for _ in data.used)  # all of it, with new bounds
        items = self._items(reference, data)
        if items is None and reference.indices is not None:
            return None
        found = self._listed(data, items)
        end = self.facts.graph.called_through(self.key, self.reading.line, reference.node.start)
        links = _links(self.statement, reference.node) if reference.component else ()
        self.through = end is not None  # the procedure may touch all of the object
        self.vague = self.vague or links is None or self.through
        return (*found, *(s for link in _before_call(links or (), end) for s in self._link(link)))

    def listed(self, reference: Reference, rank: int) -> tuple[Subscript, ...] | None:
        """The indices of a name that is no variable of the routine, and has ``rank`` dimensions, with the components
        behind it; None where these are not known.
        """
        self.vague = False
        found = tuple(self._one(item, None, -1) for item in reference.indices or ())
        if not reference.component:
            return found
        links = _links(self.statement, reference.node)
        if links is None or self.facts.graph.called_through(self.key, self.reading.line, reference.node.start):
            return None
        found = found if reference.indices is not None else (Section(),) * rank
        return (*found, *(s for link in links for s in self._link(link)))

    def _items(self, reference: Reference, data: DataObject) -> tuple[Expr | str, ...] | None:
        macros = self.facts.application.macros_of(self.key)
        if is_macro_call(reference.indices, macros):
            assert reference.indices is not None and isinstance(reference.indices[0], Apply)
            given = reference.indices[0].args
            # The macro of the array's own order: its arguments are the indices as declared.
            named = _order_macro(self.facts, data) == base_name(reference.indices[0])
            return given if named else self._expanded(reference)
        made = self.facts.plan_of(reference, self.key)
        return made.items if made is not None and made.items is not None else reference.indices

    def _expanded(self, reference: Reference) -> tuple[Expr | str, ...] | None:
        """The indices after a user's macro."""
        node = reference.node
        text = self.statement.line.text[node.start : node.end]
        try:
            made = expression(expand(text, self.facts.application.macros_of(self.key)))
        except GrammarError:
            return None
        return made.args if isinstance(made, Apply) else None

    def _listed(self, data: DataObject, items: tuple[Expr | str, ...] | None) -> tuple[Subscript, ...]:
        used = data.used
        if items is None:
            return tuple(self.whole(data, n) for n in range(len(used)))
        return tuple(self._one(item, data, n if len(used) == len(items) else -1) for n, item in enumerate(items))

    def _one(self, item: Expr | str, data: DataObject | None, place: int) -> Subscript:
        if isinstance(item, str):
            if item == ":":
                return self.whole(data, place) if data is not None and place >= 0 else Section()
            index = self.reading.frame.indices.get(item)
            return atom(index) if index is not None else self.reading.form(expression(item))
        if isinstance(item, Range):
            return self._section(item, data, place)
        if has_vector(item, self.key, self.facts.scopes) and self._is_vector(item):
            self.vague = True
            return Section()
        return self.reading.form(item)

    def _is_vector(self, item: Expr) -> bool:
        """Whether an index is an array: a name of one without indices, or a section."""
        stack = [item]
        while stack:
            node = stack.pop()
            if isinstance(node, Apply):
                name = node.base
                if isinstance(name, Name) and self._gives_scalar(name.name, node):
                    continue
                stack += [a for a in node.args if not isinstance(name, Component)]
                if any(isinstance(a, Range) for a in node.args):
                    return True
                continue
            if isinstance(node, Component):
                continue
            data = self.facts.object(node.name, self.key) if hasattr(node, "name") else None
            made = self.facts.plan_at(self.reading.line, node, self.key) if data is not None and data.rank else None
            if data is not None and data.rank and (made is None or made.items is None or made.section_rank):
                return True
            stack += children(node)
        return False

    def _gives_scalar(self, name: str, call: Apply) -> bool:
        intrinsic = self.facts.object(name, self.key) is None and self.facts.scopes.is_intrinsic(name, self.key)
        return intrinsic and gives_scalar(name, call.args)

    def _section(self, item: Range, data: DataObject | None, place: int) -> Section:
        whole = self.whole(data, place) if data is not None and place >= 0 else Section()
        step = 1
        if item.step is not None:
            value = self.reading.form(item.step).constant
            if not value:
                self.vague = True
                return Section()
            step = value
        ends = (whole.lower, whole.upper) if step > 0 else (whole.upper, whole.lower)
        low = self.reading.form(item.lower) if item.lower is not None else ends[0]
        high = self.reading.form(item.upper) if item.upper is not None else ends[1]
        return Section(low, high, step)

    def _link(self, link: Expr) -> tuple[Subscript, ...]:
        if isinstance(link, Component):
            return () if is_parent(link, self.key, self.facts.scopes) else (Part(link.name),)
        assert isinstance(link, Apply)
        return tuple(self._one(a, None, -1) for a in link.args)

    # -- declared bounds

    def whole(self, data: DataObject, place: int) -> Section:
        """A dimension of an array from end to end."""
        return Section(self.lower(data, place), self._end(data, place))

    def lower(self, data: DataObject, place: int) -> Form:
        """The lower bound of a dimension."""
        dim = data.used[place].extent
        if dim.lower is not None:
            return self._bound(dim.lower)
        deferred = data.symbol.dynamic and dim.open
        return atom(Parameter(f"lbound({self._name(data)},{place + 1})")) if deferred else number(1)

    def _end(self, data: DataObject, place: int) -> Form | None:
        upper = data.used[place].extent.upper
        if upper is None:
            if data.name in self.reading.frame.views:
                return None  # what the caller passes
            return atom(Parameter(f"ubound({self._name(data)},{place + 1})"))
        return self._bound(upper)

    def inside(self, data: DataObject, places: tuple[Subscript, ...]) -> tuple[Condition, ...]:
        """That single subscripts, and the ends of sections that are not empty, lie between declared bounds."""
        found: list[Condition] = []
        for which, place in enumerate(places if len(places) == len(data.used) else ()):
            if (end := self._end(data, which)) is not None:
                found += _between(place, self.lower(data, which), end)
        return tuple(found)

    def extent(self, dimension: Dimension, data: DataObject) -> Form | None:
        """The number of elements of a dimension; None where a declaration does not tell."""
        dim = dimension.extent
        if dim.upper is None:
            return None
        low = self._bound(dim.lower) if dim.lower is not None else number(1)
        return self._bound(dim.upper) - low + number(1)

    def _bound(self, bound: Fragment) -> Form:
        return self.reading.form(expanded(bound, self.facts.application.macros_of(self.key)).expr)

    def _name(self, data: DataObject) -> str:
        return self.reading.spelled(data)


def within(shape: tuple[Section, ...], places: tuple[Subscript, ...]) -> tuple[Condition, ...]:
    """The same for an array that a routine has from its caller, as far as the array's bounds are constant."""
    found: list[Condition] = []
    for dim, place in zip(shape, places, strict=True) if len(shape) == len(places) else ():
        ends = dim.lower, dim.upper
        if ends[0] is not None and ends[1] is not None and all(e is not None and e.constant is not None for e in ends):
            found += _between(place, ends[0], ends[1])
    return tuple(found)


def _between(place: Subscript, lower: Form, end: Form) -> tuple[Condition, ...]:
    """That a single subscript, or the ends of a section that is not empty, lie between bounds."""
    first, last, empty = _ends(place)
    if first is None or last is None:
        return ()
    gaps = (f for f in (first - lower, end - last) if f.constant is None)
    between = tuple(Compare(f, ">=") for f in gaps)
    return between if empty is None or not between else (Some((empty, Every(between))),)


def _ends(place: Subscript) -> tuple[Form | None, Form | None, Condition | None]:
    """The lowest and the highest index, and for a section the condition that there are none."""
    if isinstance(place, Form):
        return place, place, None
    if not isinstance(place, Section) or abs(place.step) != 1 or place.lower is None or place.upper is None:
        return None, None, None
    low, high = (place.lower, place.upper)[:: place.step]
    return low, high, Compare(low - high - number(1), ">=")


def _order_macro(facts: Facts, data: DataObject) -> str:
    """The macro, in lower case, that puts indices of an array into storage order; empty if there is none."""
    return facts.order(data).access_macro.lower()


def at_point(body: RegionBody, data: DataObject) -> tuple[Subscript, ...]:
    """What a point of a region has of an array: its element in the region's dimensions, all of the others."""
    own = parallel_positions(data, body.region)
    shape = whole_shape(body, data)
    return tuple(atom(Index(own[n])) if n in own else dim for n, dim in enumerate(shape))


def whole_shape(body: RegionBody, data: DataObject) -> tuple[Section, ...]:
    """All dimensions of an array from end to end, by names as they are where a region begins."""
    still = World(body.facts, body.key, lambda identity, parts: False, lambda shown: atom(Parameter(shown)))
    header = body.construct.header
    subscripts = Subscripts(Reading(still, Frame(body.key), header.line.key), header)
    return tuple(subscripts.whole(data, n) for n in range(len(data.used)))


def _before_call(links: tuple[Expr, ...], end: int | None) -> tuple[Expr, ...]:
    """The components after a reference without the procedure that is called through them, by where the call ends."""
    call = next((n for n, link in enumerate(links) if link.end == end), len(links))
    if call < len(links) and isinstance(links[call], Apply):
        call -= 1  # its arguments
    return links[:call]


def component_names(statement: Statement, node: Expr, key: str, scopes: Scopes) -> tuple[str, ...]:
    """The names of the components behind a reference's own indices, without parent components."""
    links = (link for link in _links(statement, node) or () if isinstance(link, Component))
    return tuple(link.name for link in links if not is_parent(link, key, scopes))


def _links(statement: Statement, node: Expr) -> tuple[Expr, ...] | None:
    """What follows a reference's own indices in its designator: components, and indices of theirs."""
    for whole in expressions(statement):
        stack = [whole]
        while stack:
            here = stack.pop()
            chain: list[Expr] = []
            link = here
            while isinstance(link, (Apply, Component)) and link is not node and link != node:
                chain.insert(0, link)
                link = link.base
            if chain and link == node:
                return tuple(chain)
            stack += children(here)
    return None
