"""Arrays of a region: whether points meet in an element, and whether each point may have the array to itself.

The dependence engine (:mod:`hfpy.analyze.dependence`) answers; this module asks, and says what follows. Refuted: an
error with two points that meet. Only data keep the points apart: an error too, until the region says
``independent(a)`` or ``distinct(idx)``. Unknown: a warning with the fact that would decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.dependence.again import in_turns
from hfpy.analyze.dependence.answers import Answer, Pair, Proved, Refuted, Unknown, Witness
from hfpy.analyze.dependence.forms import Form, Index, Parameter, atom, computed_from
from hfpy.analyze.dependence.model import Access, Compare, Condition, Facts, Instance, Nest, Part, target_of
from hfpy.analyze.effects.bodies import RegionBody
from hfpy.analyze.effects.firstuses import reads_first
from hfpy.analyze.facts import stands_for
from hfpy.analyze.nests.around import around, lasting, loops_around
from hfpy.analyze.nests.builder import build
from hfpy.analyze.nests.calls import Source
from hfpy.analyze.nests.setbefore import set_before
from hfpy.analyze.nests.subscripts import at_point, whole_shape
from hfpy.analyze.nests.walked import Read
from hfpy.diagnostics import Diagnostic, Fix, Place, Related, error, note, warning
from hfpy.model.expressions import Name
from hfpy.model.extents import Dim
from hfpy.model.names import at_homes, without_home
from hfpy.model.statements import LOOPS
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE

_LAST = 1 << 30  # after all statements
_WRITTEN = "index it with every iterator, make it a reduction, or make it local to the routine"
_READ = "write into another array; if no two points meet, say so in the region: independent({name})"
_STATE = "if no two points that do this meet in an element, say so in the region: independent({name})"
_STATE_ONE = "if one point alone does this, say so in the region: independent({name})"
_COLLECTS = "use reduction(…) if it collects a result"
_LONG = "the routines that are called are too long to look into"


class SharedArrays:
    """Questions about the arrays of one region; what is wrong is added to ``found``."""

    def __init__(self, body: RegionBody, found: list[Diagnostic]) -> None:
        self.body = body
        self.found = found
        self.refuted: list[Witness] = []  # of all that points certainly meet in
        self._nests: dict[bool, Nest | None] = {}

    def check(self, name: str, data: DataObject) -> None:
        """Whether points meet in an element of a shared array that one of them writes (HF504, HF500)."""
        if name in self.body.region.independent or self._in_error(name):
            return
        self._other_names(name, data)
        answer = self.independent(data)
        writes = isinstance(answer, Refuted) and all(a.write for a in answer.pair)
        hint = _WRITTEN if writes else _READ.format(name=name)
        if isinstance(answer, Unknown) and answer.kind != "condition":
            self._unknown(name, answer)
        else:
            self._tell_answer(name, answer, hint, () if writes else (self.stating("independent", name),))

    def check_target(self, name: str, data: DataObject) -> None:
        """The same for the target of a pointer to a scalar."""
        if name in self.body.region.independent or self._in_error(name):
            return
        nest = build(self.body, self._known(), True, frozenset({data.identity}), self._read)
        array = data.name_in(self.body.key)
        if nest is None or not nest.of(array):
            return
        answer = self.body.effects.engine.independent(nest, array)
        if isinstance(answer, Unknown) and answer.kind != "condition":
            self._unknown(name, answer)
        else:
            hint = f"all points share the target of '{name}': use a variable that is no pointer"
            self._tell_answer(name, answer, hint)

    def check_common(self, data: DataObject, hint: str) -> str:
        """Whether points meet in a variable that all of them have in common, such as one of a module, and that the
        region or a routine called in it writes: reported as an error (HF504), or as a note (HF509) if all write the
        same.

        ``hint`` is the cure. Gives what would decide where it is not known; else an empty text.
        """
        name, array = data.symbol.name, data.name_in(self.body.key)
        if name in self.body.region.independent or self._in_error(name):
            return ""
        nest = self._nest(True)
        if nest is None:
            return _LONG
        answer = self.body.effects.engine.independent(nest, array)
        if isinstance(answer, Unknown) and answer.kind != "condition":
            return self._shown(answer.text) or "it depends on sizes"
        if isinstance(answer, Refuted) and not data.rank:
            first = isinstance(self.body.effects.engine.private(nest, array), Proved)
            hint = f"each point sets it before it reads it: {hint}" if first else f"{hint}; {_COLLECTS}"
        self._tell_answer(name, answer, hint)
        return ""

    def _shown(self, text: str) -> str:
        """A text in which names of the nest are as the user writes them, without their units (``kk@grid``)."""
        return at_homes(text, self.body.facts.application.routines)

    def stating(self, attribute: str, name: str) -> Fix:
        """The fix that states something of a name in the region."""
        return Fix(self.body.region.place, f"{attribute}({name})", "state")

    def _tell_answer(self, name: str, answer: Answer, hint: str, fixes: tuple[Fix, ...] = ()) -> None:
        """Say that points certainly meet, or but for data, or that they write the same. ``fixes`` go with ``hint``."""
        match answer:
            case Proved(repeated=pair) if pair is not None:
                what = "may write one element of" if pair[0].subscripts else "write the variable"
                shown = f"several points {what} '{name}', all the same value"
                hint = "the result is the same in any order; write it once if speed matters"
                self.found.append(note("HF509", shown, self._place(pair[0]), hint))
            case Refuted(pair=pair, witness=witness):
                self.refuted.append(witness)
                if self.body.region.explicit and len(self.body.region.domains) > 1:
                    hint += "; if a loop has to stay serial, name the others alone: domName(…)"
                self._tell(error("HF504", _meeting(name, pair, witness), self._place(pair[0]), hint), pair, fixes)
            case Unknown(pair=pair, witness=witness) if witness is not None:
                met = _meeting(name, pair, witness)
                message = f"{met}: only a condition on data keeps points apart, {self._shown(answer.name)}"
                state = _STATE if pair[0].subscripts else _STATE_ONE
                said = error("HF504", message, self._place(pair[0]), state.format(name=name))
                self._tell(said, pair, (self.stating("independent", name),))

    def _other_names(self, name: str, data: DataObject) -> None:
        """Say that an array which the region writes may have another name in it (storage objects tell): which elements
        of one are elements of the other, nothing tells.
        """
        named = (r for r in self.body.references if stands_for(r.name, r.at)[0] == name)  # also parts of it
        writes = [r for r in named if self.body.effects.of(r, self.body.key)[1]]
        arrays = {n for n in self.body.mentioned if (o := self.body.facts.object(n, self.body.key)) and o.rank}
        shared = self.body.facts.storage.shared
        others = sorted(n for n in arrays - {name} if writes and shared(name, n, self.body.key))
        if others:
            message = f"'{name}' is written here, and '{others[0]}' may be the same memory: nothing keeps points apart"
            said = warning("HF500", message, self.body.place(writes[0]), _STATE.format(name=name))
            self.found.append(said.proposing(self.stating("independent", name)))

    def carried(self, data: DataObject) -> Answer | None:
        """Whether each point sets what it reads of a scalar of its own; None if the region is too long to ask."""
        nest = self._with_asked if data.identity in self._asked else None
        if nest is None:  # fewer accesses may not be too many
            nest = build(self.body, self._known(), True, frozenset({data.identity}), self._read)
        return self.body.effects.engine.carried(nest, data.name_in(self.body.key)) if nest is not None else None

    def check_carried(self, name: str, answer: Answer | None) -> bool:
        """Report HF504 if a point certainly reads a value that another point sets; return whether it does."""
        if not isinstance(answer, Refuted):
            return False
        self._tell_answer(name, answer, f"set it before it is read; {_COLLECTS}")
        return True

    def independent(self, data: DataObject) -> Answer:
        """Whether no two points meet in an element of an array that one of them writes."""
        return self._ask(data, "independent")

    def private(self, data: DataObject) -> Answer:
        """Whether each point sets what it reads of an array."""
        return self._ask(data, "private")

    def sets_all(self, data: DataObject) -> bool:
        """Whether each point sets all that it has of an array (its element in the region's dimensions, all of the
        others) and reads nothing of it before: what was there before does not matter.
        """
        array = data.name_in(self.body.key)
        if reads_first(self.body.effects, self.body.references, self.body.key, array):
            return False  # by a look at the text, without a nest
        for nest in self._looks(data):
            accesses = nest.of(array)
            if not accesses:
                return False
            loops = accesses[0].at.loops[: len(nest.points)]
            end = Instance(loops, (), (*nest.points, _LAST))
            last = Access(array, at_point(self.body, data), False, end)
            asked = replace(nest, accesses=(*accesses, last))
            if isinstance(self.body.effects.engine.private(asked, array), Proved):
                return True
        return False

    def sets_whole(self, data: DataObject) -> bool:
        """Whether all points together set all of an array, and none reads an element that it has not set before."""
        array, shape = data.name_in(self.body.key), whole_shape(self.body, data)
        engine = self.body.effects.engine
        return any(
            isinstance(engine.private(n, array), Proved) and engine.filled(n, array, shape) for n in self._looks(data)
        )

    def _looks(self, data: DataObject) -> Iterator[Nest]:
        """The nests that may tell of an array in the region: without a look into called routines, where these do not
        know it by themselves, and with one if there are any.
        """
        for detailed in (False, True)[self.body.known_below(data) : 1 + bool(self.body.callees)]:
            nest = self._nest(detailed)
            if nest is not None:
                yield nest

    def by_point(self, data: DataObject) -> bool:
        """Whether the place of an element depends on the point: an index of the region is in a subscript, but not
        in that of an index array, or in the bounds of a loop whose variable does.
        """
        nest = self._nest(False)
        assert nest is not None
        return any(_follows(a, nest.points) for a in nest.of(data.name_in(self.body.key)))

    def targets_apart(self, pointer: str, arrays: Iterable[str]) -> bool:
        """Whether no two points set a pointer to the same element of some arrays, all of what it is set to."""
        nest = self._nest(False)
        engine = self.body.effects.engine
        names = [target_of(pointer, array) for array in arrays]
        asked = [name for name in names if nest is not None and nest.of(name)]
        return len(asked) == len(names) and all(
            nest is not None and isinstance(engine.independent(nest, name), Proved) for name in asked
        )

    def unchanged(self, data: DataObject) -> Answer:
        """Whether no point reads an element that another point writes, in any turn of loops around the region."""
        return self._ask(data, "unchanged")

    def not_private(self, name: str, data: DataObject, answer: Answer) -> None:
        """Say that an array of which each point needs its own is read before the point has set it, or may be."""
        assert isinstance(answer, Unknown)
        if self.check_carried(name, self._ask(data, "carried")):
            return
        place = self._place(answer.pair[0])
        message = f"'{name}' may be read here before the point has set it, so that one point sees the value of another"
        hint = f"set all of it first ('{name} = 0'), or, if each point sets what it reads, write private({name})"
        self.found.append(error("HF504", message, place, hint).proposing(self.stating("private", name)))

    def _in_error(self, name: str) -> bool:
        """Whether something is wrong with a reference that is reported already: what it means is not known then."""
        reported = {d.place for d in self.body.facts.found if d.severity == "error"}
        return bool(reported) and any(self.body.place(r) in reported for r in self.body.references_of(name))

    def _ask(self, data: DataObject, question: str) -> Answer:
        """By what is known without a look into called routines; if that is not enough, with one."""
        array = data.name_in(self.body.key)
        engine = self.body.effects.engine
        asks = {"independent": engine.independent, "private": engine.private, "carried": engine.carried}
        ask = asks.get(question, self._in_turns)
        nest = self._nest(False)
        assert nest is not None
        answer = ask(nest, array)
        below = self.body.known_below(data)
        if not below and (isinstance(answer, Proved) or all(a.exact for a in nest.of(array))):
            return answer
        detailed = self._nest(True)
        if detailed is not None:
            return ask(detailed, array)
        first = nest.of(array)[0]
        return Unknown("inexact", _LONG, (first, first)) if below and isinstance(answer, Proved) else answer

    def _in_turns(self, nest: Nest, array: str) -> Answer:
        """The engine's answer to whether an array is unchanged, where a loop is around the region for all its turns."""
        if any(c.kind in LOOPS for c in around(self.body)):
            nest = in_turns(nest, frozenset(lasting(self.body)))
        return self.body.effects.engine.unchanged(nest, array)

    @cached_property
    def _read(self) -> Read:
        return Read.of(self.body)

    @cached_property
    def _asked(self) -> frozenset[tuple[str, str]]:
        """The scalars that points may give to each other, by identity: set, and read where that is not sure before."""
        flow = self.body.flow()
        found = (self.body.facts.object(name, self.body.key) for name in sorted(flow.exposed.keys() & flow.written))
        return frozenset(d.identity for d in found if d is not None and not d.rank)

    @cached_property
    def _with_asked(self) -> Nest | None:
        """The nest with a look into called routines, and with the scalars that may be asked for: one walk for all."""
        return build(self.body, self._known(), True, self._asked, self._read)

    def _nest(self, detailed: bool) -> Nest | None:
        if detailed not in self._nests:
            nest = self._with_asked if detailed else build(self.body, self._known(), False, read=self._read)
            if nest is None and detailed and self._asked:  # fewer accesses may not be too many
                nest = build(self.body, self._known(), True, read=self._read)
            self._nests[detailed] = nest
        return self._nests[detailed]

    def _known(self) -> Facts:
        """What the region states and its declarations tell."""
        objects = (self.body.facts.object(n, self.body.key) for n in self.body.region.distinct)
        assumed = (*self._sizes(), *loops_around(self.body), *set_before(self.body))
        return Facts(assumed, frozenset(d.name_in(self.body.key) for d in objects if d is not None))

    def _sizes(self) -> tuple[Condition, ...]:
        """Names that are the size of a domain or a dimension as they are: they are not negative. Procedures within
        one program or routine share its names, and tell of them by their declarations.
        """
        facts, key = self.body.facts, self.body.key
        sizes = _sizes_of([d.extent for d in self.body.region.domains])
        for unit in self._family():
            reported = _sizes_of([d for s in unit.spec.symbols.values() for d in s.shape])
            same = (n for n in reported if facts.scopes.variable(n, unit.key) == facts.scopes.variable(n, key))
            sizes |= reported if unit.key == key else set(same)
        found: dict[str, Condition] = {}
        for size in sorted(sizes):
            data = facts.object(size, key)
            if data is not None and not data.rank and not data.symbol.constant:
                name = data.name_in(key)
                found[name] = Compare(atom(Parameter(name)), ">=")
        return tuple(found.values())

    def _family(self) -> list[Routine]:
        """The routine, and for an internal procedure its host and the others in it."""
        application, routine = self.body.facts.application, self.body.routine
        host = application.routines.get(routine.host)
        if host is None or host.kind in ("module", "submodule"):
            return [routine]
        return [host, *application.routines_of(host.key)]

    def _unknown(self, name: str, answer: Unknown) -> None:
        pair = answer.pair
        place = self._place(pair[0])
        hint, fix = _STATE.format(name=name), self.stating("independent", name)
        text = self._shown(answer.text)
        if answer.kind == "distinct" and answer.beside:
            indices = "' and '".join(self._shown(n) for n in dict.fromkeys((answer.name, *answer.beside)))
            text = f"the indices come from '{indices}', and two points may have the same values of all of them"
        elif answer.kind == "distinct":
            text = f"the index comes from '{self._shown(answer.name)}', and two of its values may be equal"
            index = without_home(answer.name)
            data = self.body.facts.object(index, self.body.key)
            if data is not None and data.name_in(self.body.key) == answer.name:  # no component, and known in the region
                hint = f"if no two of its values are equal, say so in the region: distinct({index})"
                fix = self.stating("distinct", index)
        message = f"two points may meet in an element of '{name}' that one of them writes: {text}"
        self._tell(warning("HF500", message, place, hint), pair, (fix,))

    def _tell(self, said: Diagnostic, pair: Pair, fixes: tuple[Fix, ...]) -> None:
        here, there = self._place(pair[0]), self._place(pair[1])
        related = (Related(there, "the other point's use"),) if here != there else ()
        self.found.append(replace(said, related=related, fixes=fixes))

    def _place(self, access: Access) -> Place:
        """The place in the user's text where an access is."""
        source = access.source
        assert isinstance(source, Source)
        node = source.reference.node
        routine = self.body.facts.routine(source.key)
        return source.reference.at.statement.line.place(routine.file, node.start, node.end)


def _sizes_of(dims: list[Dim]) -> set[str]:
    """The names that are upper bounds of dimensions which begin with 1."""
    ends = (d.upper.expr for d in dims if d.upper is not None and d.lower in (None, ONE))
    return {end.name for end in ends if isinstance(end, Name)}


def _meeting(name: str, pair: Pair, witness: Witness) -> str:
    """``points i = 2 and i = 3 both write a(3)``."""
    one, other = (", ".join(f"{n} = {v}" for n, v in point) for point in (witness.first, witness.second))
    element = _element(name, pair[0], witness.shown)
    if all(a.write for a in pair):
        return f"points {one} and {other} both write {element}"
    return f"point {one} writes {element}, which point {other} reads"


def _element(name: str, access: Access, values: tuple[str, ...]) -> str:
    """An element by its indices, as far as they are known."""
    text, place = name, 0
    listed: list[str] = []
    for subscript in access.subscripts:
        if isinstance(subscript, Part):
            text += f"({','.join(listed)})" if listed else ""
            text, listed = f"{text}%{subscript.name}", []
        elif place < len(values):
            listed.append(values[place])
            place += 1
    return text + (f"({','.join(listed)})" if listed else "")


def _follows(access: Access, points: tuple[Index, ...]) -> bool:
    """Whether the subscripts of an access follow the indices of a region."""
    loops = {loop.index: loop for loop in access.at.loops}
    seen: set[Index] = set()
    forms = [s for s in access.subscripts if isinstance(s, Form)]
    while forms:
        found = {i for i in computed_from(forms.pop()) if i not in seen}
        if found & set(points):
            return True
        seen |= found
        forms += [f for i in found if i in loops for f in (loops[i].lower, loops[i].upper)]
    return False
