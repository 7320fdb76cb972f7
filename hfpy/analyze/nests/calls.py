"""Calls in a nest: which are followed, what a routine sees of its arguments, what it may set."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import chosen_dummies, dummies_met, dummy_name, is_elemental
from hfpy.analyze.dependence.forms import Form, number
from hfpy.analyze.dependence.model import Part, Section, Subscript
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.flow import Flow
from hfpy.analyze.effects.severalnames import POINTED
from hfpy.analyze.facts import Facts, resolve_alias, stands_for
from hfpy.analyze.language.intrinsics import ARGUMENTS, argument_intent
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.types import component, has_vector, is_parent, selector_of, set_on_entry
from hfpy.analyze.language.uses import Reference, associated
from hfpy.analyze.nests.reading import Frame, Reading
from hfpy.analyze.nests.shapes import in_another_shape
from hfpy.analyze.nests.subscripts import Subscripts, component_names
from hfpy.analyze.nests.views import Hole, Left, View
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Name, base_name
from hfpy.model.statements import Construct, Statement, flatten
from hfpy.values import dataclass

Identity = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Source:
    """Where an access is: a reference, and the routine it is in."""

    reference: Reference
    key: str


@dataclass(frozen=True, slots=True)
class Passed:
    """An argument of a call: whether its dummy is an array; ``vague`` if what happens to it is not known; ``sure`` if
    it is certainly set, ``set_first`` if it is not read before.
    """

    site: CallSite
    array: bool
    vague: bool
    sure: bool = False
    set_first: bool = False


class Calls:
    """Answers about the calls of one region."""

    def __init__(self, facts: Facts, effects: Effects, root: str) -> None:
        self.facts = facts
        self.root = root
        self.effects = effects
        self._kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self._sites: dict[str, dict[int, list[CallSite]]] = {}
        self._set_in: dict[str, frozenset[str]] = {}

    def sites(self, key: str, statement: Statement) -> list[CallSite]:
        """The calls in a statement, one for each procedure that an indirect call may mean."""
        if key not in self._sites:
            table: dict[int, list[CallSite]] = {}
            for site in self.facts.graph.below(key):
                table.setdefault(id(site.at.statement), []).append(site)
            self._sites[key] = table
        return self._sites[key].get(id(statement), [])

    def followed(self, site: CallSite, called: tuple[str, ...], deepest: int) -> bool:
        """Whether a walk goes into a called routine: it is certain that this one is called, and once for all
        arguments.
        """
        if not self._seen(site.callee) or site.callee in called or len(called) >= deepest:
            return False
        if site in self.facts.graph.indirect.get(site.caller, ()):
            return False
        arrays = (a.value if isinstance(a, Keyword) else a for a in site.args)
        many = is_elemental(self.facts, site) and any(has_vector(a, site.caller, self.facts.scopes) for a in arrays)
        return not many

    def _seen(self, key: str) -> bool:
        """Whether the body of a routine is here: where one file of many is written anew, those of others are not."""
        self.effects.looked.add((self.root, key))
        return key in self.facts.references and key in self.facts.graph.statements

    def passed(self, reference: Reference, key: str) -> Passed | None:
        """What a reference is as an argument; None if it is none of a procedure that may change it."""
        if reference.role != "argument":
            return None
        site = self.effects.site(reference, key)
        if site is None:
            return None
        if site.name in ARGUMENTS and self.facts.scopes.is_intrinsic(site.name, key):
            set_ = argument_intent(site.name, reference.position) == "out"
            return Passed(site, False, False, set_, set_)
        name = dummy_name(self.facts, site, reference.position) if site.callee else None
        data = self.facts.object(name, site.callee) if name is not None else None
        if name is None or data is None:
            return Passed(site, self._may_be_array(reference, key), True)
        if data.rank and not is_elemental(self.facts, site):
            return Passed(site, True, True)
        if not self._seen(site.callee):
            return Passed(site, False, True)
        flow = self.effects.flow(site.callee) or Flow()
        elemental = is_elemental(self.facts, site)
        return Passed(site, False, not elemental, name in flow.certain, name not in flow.exposed)

    def misread(self, site: CallSite, reference: Reference, data: DataObject) -> bool:
        """Whether elements of an argument are no elements of its dummy, as those of real numbers that a routine takes
        for complex ones: its indices do not tell which memory it means then.
        """
        name = dummy_name(self.facts, site, reference.position) if site.callee and not reference.component else None
        dummy = self.facts.object(name, site.callee) if name is not None else None
        return dummy is not None and self._differ(dummy, data)

    def _differ(self, dummy: DataObject, data: DataObject) -> bool:
        sizes = [s.size if (s := self._kinds.scalar(d.symbol.type, d.home)) is not None else 0 for d in (dummy, data)]
        plain = [d.symbol.type.base not in ("type", "class", "character") for d in (dummy, data)]
        return plain[0] != plain[1] or (all(plain) and all(sizes) and sizes[0] != sizes[1])

    def sets_values(self, key: str, dummy: str, asked: frozenset[tuple[str, str]] = frozenset()) -> bool:
        """Whether a routine may set values of a dummy argument, and not only where it points to. ``asked`` are those
        that ask, in routines that call each other.
        """
        symbol = self.facts.application.routines[key].spec.symbols.get(dummy) if self._seen(key) else None
        if symbol is None or set_on_entry(symbol, key, self.facts.scopes):
            return True
        for reference in self.facts.references[key]:
            if reference.name != dummy or reference.role == "pointer" or not self.facts.live(reference.at, key):
                continue
            met = dummies_met(self.facts, key, reference)
            more = [(s.callee, d.name) for s, d in met if d is not None] if all(d for _, d in met) else []
            if more and not any(m not in asked and self.sets_values(*m, asked | {m}) for m in more):
                continue
            if self.effects.of(reference, key)[1]:
                return True
        return False

    def _may_be_array(self, reference: Reference, key: str) -> bool:
        """Whether an argument is an array for one of several procedures that may be called. One whose source is not
        here is taken to get a scalar where it is given an element: loops with such calls are regions by hand only.
        """
        chosen = chosen_dummies(self.facts, key, reference)
        return any(dummy is None or (dummy.rank > 0 and not is_elemental(self.facts, one)) for one, dummy in chosen)

    # -- what is set

    def changes(self, body: RegionBody) -> dict[Identity, set[tuple[str, ...]]]:
        """What a region sets, its callees included: variables, each with the components that are meant."""
        found: dict[Identity, set[tuple[str, ...]]] = {}
        for reference in body.references:
            name, whole = stands_for(reference.name, reference.at)
            data = self.facts.object(name, body.key) if name is not None else None
            if data is not None and self.sets(reference, body.key):
                parts: tuple[str, ...] = ()
                line, start = reference.at.statement.line.key, reference.node.start
                through = self.facts.graph.called_through(body.key, line, start) is not None
                if reference.component and whole and not through:
                    parts = component_names(reference.at.statement, reference.node, body.key, self.facts.scopes)
                elif not whole:
                    selector = selector_of(reference)
                    if selector is not None and base_name(selector) == name:
                        parts = component_path(selector, body.key, self.facts.scopes)
                found.setdefault(data.identity, set()).add(parts)
        self._add_other_names(body, found)
        for identity in list(found):
            joint = self.facts.storage.joint(identity)
            if joint is not None:
                found.setdefault(joint, set()).add(())
        for callee in body.callees:
            for identity in (*self.effects.changed_memory(callee), *self.effects.lasting_writes(callee)):
                found.setdefault(identity, set()).add(())
        for identity, _ in body.changed_below:
            found.setdefault(identity, set()).add(())
        return found

    def sets(self, reference: Reference, key: str) -> bool:
        """Whether a reference gives a name another value, or another target."""
        return self.effects.of(reference, key)[1] or associated(reference)

    def set_in(self, key: str) -> frozenset[str]:
        """The names of what a routine sets, by itself or in its internal procedures, of pointers to which it gives
        targets, and of its variables that may be the same memory.
        """
        if key not in self._set_in:
            inner = (routine.key for routine in self.facts.application.routines_of(key))
            found = {name for unit in (key, *inner) for name in self._set_by(unit, key)}
            spec = self.facts.application.routines[key].spec
            members = {member for group in spec.groups for member in group.members}
            several = {name for name, s in spec.symbols.items() if name in members or s.attributes & POINTED}
            given = found & several | found - spec.symbols.keys()
            shared = self.facts.storage.shared
            more = (other for other in several if any(shared(name, other, key) for name in given))
            self._set_in[key] = frozenset(found).union(more)
        return self._set_in[key]

    def _set_by(self, unit: str, home: str) -> Iterator[str]:
        """The names of a routine's variables that it sets, or that one of its internal procedures does."""
        for reference in self.facts.references.get(unit, ()):
            name = stands_for(reference.name, reference.at)[0] if self.sets(reference, unit) else None
            data = self.facts.object(name, unit) if name is not None else None
            if name is not None and (unit == home or (data is not None and data.home == home)):
                yield name

    def scalars(self, body: RegionBody) -> frozenset[Identity]:
        """The scalars that all points have in common, and that one of them may set: those that called routines set by
        themselves, and those of other units that the region sets.
        """
        named = (self.facts.object(n, body.key) for n in body.flow().written)
        objects = [data for data in named if data is not None and (data.home != body.key or body.known_below(data))]
        below = (i for callee in body.callees for i in self.effects.lasting_writes(callee))
        objects += [data for data in (self.facts.object(n, home) for home, n in below) if data is not None]
        return frozenset(d.identity for d in objects if not d.rank and d.symbol.type.base not in ("type", "class"))

    def _add_other_names(self, body: RegionBody, found: dict[Identity, set[tuple[str, ...]]]) -> None:
        """What may be the same memory as something that is set, is set."""
        named = self.effects.with_functions(body.references, body.key)
        objects = {r.name: self.facts.object(r.name, body.key) for r in named}
        names = sorted(n for n, data in objects.items() if data is not None)
        for written in [n for n in names if (d := objects[n]) is not None and d.identity in found]:
            for other in names:
                data = objects[other]
                if other != written and data is not None and self.facts.storage.shared(written, other, body.key):
                    found.setdefault(data.identity, set()).add(())

    def known_to(self, site: CallSite) -> Iterator[tuple[DataObject, bool]]:
        """The variables that a called routine mentions by itself and that outlive it, and whether it may set them."""
        lasting = self.effects.lasting_writes(site.callee).keys()
        for home, name in sorted(self.effects.mentioned(site.callee) | lasting):
            data = self.facts.object(name, home)
            if data is not None and not data.symbol.constant:
                yield data, (home, name) in lasting or self.effects.may_change(site.callee, data.identity)

    def may_set(self, site: CallSite, name: str) -> bool:
        """Whether a called routine may set a variable of its caller that is not among its arguments."""
        if not site.callee:
            return False
        data = self.facts.object(name, site.caller)
        return data is not None and self.effects.may_change(site.callee, data.identity)

    def scalars_set(self, node: Construct, key: str) -> tuple[str, ...]:
        """The scalars that a construct may set, in the order of the text."""
        inside = {id(s) for s in flatten((node,))}
        found: dict[str, None] = {}
        for reference in self.facts.references.get(key, ()):
            if id(reference.at.statement) in inside and self.effects.of(reference, key)[1]:
                for name in (reference.name, stands_for(reference.name, reference.at)[0]):
                    data = self.facts.object(name, key) if name is not None else None
                    if name is not None and (data is None or not data.rank):
                        found[name] = None
        return tuple(found)

    # -- what a routine sees

    def frame(
        self, site: CallSite, references: list[Reference], subscripts: Subscripts, scalars: frozenset[Identity]
    ) -> Frame:
        """The names of a routine that is called; ``references`` are those of the calling statement. A scalar has a
        value, and a view if it is an element, a component, or one of ``scalars``.
        """
        frame, places = self._with_values(site, subscripts.reading)
        given = {r.position: r for r in references if r.role == "argument" and r.call == site.node}
        inner = Subscripts(subscripts.reading.within(frame), subscripts.statement)
        views = {}
        for data, place in places:
            scalar = not data.rank and data.symbol.type.base not in ("type", "class")
            if not scalar or self._seen_as(data, given.get(place), subscripts, scalars):
                views[data.name] = self._view(data, given.get(place), subscripts, inner)
        frame.views.update(views)
        return frame

    def _with_values(self, site: CallSite, reading: Reading) -> tuple[Frame, list[tuple[DataObject, int | str]]]:
        """A routine that is called, with the values of its scalar dummies; and all dummies that get something, with
        their places among the arguments.
        """
        frame = Frame(site.callee)
        routine = self.facts.application.routines[site.callee]
        found: list[tuple[DataObject, int | str]] = []
        for position, arg in enumerate(site.args):
            place = arg.name if isinstance(arg, Keyword) else position
            name = dummy_name(self.facts, site, place)
            data = self.facts.object(name, site.callee) if name in routine.dummies and name is not None else None
            if data is None:
                continue
            found.append((data, place))
            if not data.rank and data.symbol.type.base not in ("type", "class"):
                frame.values[data.name] = reading.form(arg.value if isinstance(arg, Keyword) else arg)
        given = {data.name: site.args[p] if isinstance(p, int) else _by_name(site.args, p) for data, p in found}
        dummies = (symbol for name in routine.dummies if (symbol := routine.spec.symbols.get(name)) is not None)
        optional = [symbol.name for symbol in dummies if "optional" in symbol.attributes]
        frame.present = {name: name in given and self._is_there(given[name], site, reading) for name in optional}
        return frame, found

    def _is_there(self, given: Expr, site: CallSite, reading: Reading) -> bool | None:
        """Whether an argument is there; None where that depends on what the caller has got, or on an allocation."""
        if not isinstance(given, Name):
            part = component(given, site.caller, self.facts.scopes) if isinstance(given, Component) else None
            return True if not isinstance(given, Component) or (part is not None and not part.dynamic) else None
        data = self.facts.object(given.name, site.caller)
        if given.name in reading.frame.given or (data is not None and data.symbol.dynamic):
            return None
        optional = data is not None and "optional" in data.symbol.attributes
        return reading.frame.present.get(given.name) if optional else True

    def reached(
        self, site: CallSite, reference: Reference, data: DataObject, places: tuple[Subscript, ...], outer: Subscripts
    ) -> tuple[Subscript, ...]:
        """What a procedure may touch that gets a part of an array as an array. An element is the first one of what it
        gets (sequence association: Fortran 2018, 15.5.2.11), which ends where the dummy or the array does.
        """
        last = max((n + 1 for n, p in enumerate(places) if isinstance(p, Part)), default=0)
        own = places[last:]
        if not own or any(isinstance(p, Section) for p in own):
            return places
        everything = (*places[:last], *(Section() for _ in own))
        name = dummy_name(self.facts, site, reference.position) if site.callee else None
        dummy = self.facts.object(name, site.callee) if name is not None else None
        if dummy is None or not dummy.rank or last or site.callee not in self.facts.application.routines:
            return everything
        frame, _ = self._with_values(site, outer.reading)
        part = _from_element(dummy, data, places, outer, Subscripts(outer.reading.within(frame), outer.statement))
        return part.places if part is not None and part.left is None else everything

    def _seen_as(
        self, dummy: DataObject, reference: Reference | None, outer: Subscripts, scalars: frozenset[Identity]
    ) -> bool:
        """Whether a scalar dummy names a part of an array or of an object, or one of some scalars."""
        name, _ = resolve_alias(reference.name, reference.at) if reference is not None else (None, False)
        if reference is None or "value" in dummy.symbol.attributes:
            return False
        data = self.facts.object(name, outer.key) if name is not None else None
        if data is None:
            return False
        view = outer.reading.frame.views.get(data.name)
        whole = data.rank or data.symbol.type.base in ("type", "class")
        return bool(whole) or view is not None or data.identity in scalars

    def _view(self, dummy: DataObject, reference: Reference | None, outer: Subscripts, inner: Subscripts) -> View:
        if reference is None:
            return View(f"value of {dummy.name}", ("", ""), None)
        name, _ = resolve_alias(reference.name, reference.at)
        data = self.facts.object(name, outer.key) if name is not None else None
        if data is None:
            return View(f"value of {dummy.name}", ("", ""), None)
        places = outer.of(reference, data)
        array, identity = outer.reading.spelled(data), data.identity
        around = outer.reading.frame.views.get(data.name)
        if around is not None:
            array, identity = around.array, around.identity
        if places is None or outer.vague or (not reference.component and self._differ(dummy, data)):
            return View(array, identity, None)
        left: Left | None = None
        first = dummy.rank and not any(isinstance(p, Section) for p in places)
        if first and reference.component:
            return View(array, identity, None)
        part = _from_element(dummy, data, places, outer, inner) if first else None
        if first and (part is None or part.left is not None):
            found = in_another_shape(dummy, data, places, outer, inner) if around is None else None
            if found is not None or part is None:
                return View(array, identity, found)
        if part is not None:
            places = part.places
            left = Left(dummy.rank - 1, inner.lower(dummy, dummy.rank - 1), part.left) if part.left else None
        if around is not None:
            placed = around.placed(places)
            if placed is None or around.left is not None:
                return View(array, identity, None)
            places = placed
        holes = _with_holes(dummy, places, inner)
        if holes is None and dummy.rank:
            return View(array, identity, in_another_shape(dummy, data, places, outer, inner))
        return View(array, identity, holes, left)


def component_path(designator: Expr, key: str, scopes: Scopes) -> tuple[str, ...]:
    """The components that a designator leads through, outermost first, without parent components."""
    found: list[str] = []
    while isinstance(designator, (Apply, Component)):
        if isinstance(designator, Component) and not is_parent(designator, key, scopes):
            found.insert(0, designator.name)
        designator = designator.base
    return tuple(found)


def _by_name(args: tuple[Expr, ...], name: str) -> Expr:
    """The argument that a keyword gives."""
    return next(a.value for a in args if isinstance(a, Keyword) and a.name == name)


def _with_holes(
    dummy: DataObject, places: tuple[Subscript, ...], inner: Subscripts
) -> tuple[Subscript | Hole, ...] | None:
    """The sections of an actual argument as the dimensions of its dummy; None if the shapes do not fit."""
    sections = [p for p in places if isinstance(p, Section)]
    if len(sections) != dummy.rank:
        return None
    found: list[Subscript | Hole] = []
    which = 0
    for place in places:
        if not isinstance(place, Section):
            found.append(place)
            continue
        if place.lower is None:
            return None
        wanted = inner.extent(dummy.used[which], dummy)
        if wanted is not None and which < dummy.rank - 1 and _length(place) != wanted:
            return None  # elements are counted in another way
        found.append(Hole(which, place.lower, inner.lower(dummy, which), place.step, place))
        which += 1
    return tuple(found)


def _length(section: Section) -> Form | None:
    if section.lower is None or section.upper is None or section.step != 1:
        return None
    return section.upper - section.lower + number(1)


@dataclass(frozen=True, slots=True)
class _Behind:
    """The part of an array that begins with an element. ``left`` is how many elements are left of the part's last
    dimension, where more of them may be asked for; those are elsewhere in the array.
    """

    places: tuple[Subscript, ...]
    left: Form | None


def _from_element(
    dummy: DataObject, data: DataObject, places: tuple[Subscript, ...], outer: Subscripts, inner: Subscripts
) -> _Behind | None:
    """The part of an array that a routine gets with its first element; None if that is no rectangle of the array."""
    rank = dummy.rank
    if len(places) < rank or len(places) != data.rank:
        return None
    found = list(places)
    behind: Form | None = None
    for which in range(rank):
        start, wanted = places[which], inner.extent(dummy.used[which], dummy)
        if not isinstance(start, Form):
            return None
        found[which] = Section(start, start + wanted - number(1) if wanted is not None else None)
        if which == data.rank - 1:
            continue  # a dummy ends where the array does, or before
        length = outer.extent(data.used[which], data)
        if length is None:
            return None
        lower = outer.lower(data, which)
        left = lower + length - start
        spare = (left - wanted).constant if wanted is not None else None
        if which < rank - 1 and (spare != 0 or start != lower):
            return None
        if spare is None or spare < 0:
            behind = left
    return _Behind(tuple(found), behind)
