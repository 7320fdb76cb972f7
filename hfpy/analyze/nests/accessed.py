"""The accesses that a walk over a region's statements meets: by names of arrays, of parts of them, of pointers."""

from __future__ import annotations

from dataclasses import replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.dependence.model import (
    Access,
    Condition,
    Instance,
    Position,
    Section,
    Some,
    Subscript,
    Value,
    negated,
    target_of,
)
from hfpy.analyze.facts import resolve_alias
from hfpy.analyze.language.types import may_be_substring
from hfpy.analyze.language.uses import Reference, sets_component
from hfpy.analyze.nests.calls import Source
from hfpy.analyze.nests.given import Naming
from hfpy.analyze.nests.objects import components_of
from hfpy.analyze.nests.parts import part_around
from hfpy.analyze.nests.reading import Reading
from hfpy.analyze.nests.subscripts import Subscripts, whole_shape, within
from hfpy.analyze.nests.views import View
from hfpy.model.expressions import base_name
from hfpy.model.statements import Assignment

READ, CALL, WRITE = 0, 1, 2  # in the order in which a statement does them
_DEEPEST = 12  # calls, one in the other


class Accessed(Naming):
    """Notes what references mean."""

    def _reference(self, reference: Reference, subscripts: Subscripts, here: Position) -> None:
        key = self.frame.key
        if reference.role == "pointer" and not sets_component(reference):
            self._pointed(reference, subscripts, here)
            return
        if reference.role == "inquiry" and self._may_change(reference):
            reference = replace(reference, role="read")
        if reference.name in self.frame.indices or reference.role == "inquiry":
            return
        for read in self.effects.read_by_function(reference, key):
            data = self.facts.object(read.name, key)
            if data is not None and self._counts(data):
                self.inside = ()
                why = f"what the statement function '{reference.name}' reads of its elements is not known"
                self._access(read, data, subscripts.of(read, data), (False, False, False), (*here, READ), why)
        name, _ = resolve_alias(reference.name, reference.at)
        if name is None:
            self._alias(reference, subscripts, here)
            return
        data = self.facts.object(name, key)
        if data is None or not self._counts(data):
            return
        self.inside = ()
        reads, writes = self.effects.of(reference, key)
        passed = self.calls.passed(reference, key)
        if passed is not None and self._follows(passed.site):
            return  # the routine's own references tell
        vague = passed is not None and passed.vague
        sure = passed.sure if passed is not None else reference.sure
        if passed is not None and passed.sure:
            reads = reads and not passed.set_first
        places = subscripts.of(reference, data)
        if places is not None and data.local and not reference.component:
            self.inside = subscripts.inside(data, places)
        if passed is not None and self.calls.misread(passed.site, reference, data):
            places = None
        if places is not None and passed is not None and passed.array:
            places = self.calls.reached(passed.site, reference, data, places, subscripts)
        exact = not vague and not subscripts.vague
        why = f"what '{passed.site.name}' does with its elements is not known" if vague and passed is not None else ""
        if subscripts.through:
            why = f"what a procedure of '{data.name}' does with its elements is not known"
            writes = writes and reference.role != "write"  # what its result points to, which is reported elsewhere
        if reads:
            self._access(reference, data, places, (False, exact, exact), (*here, READ), why)
        if writes:
            reading = subscripts.reading if not subscripts.vague else None
            self._access(reference, data, places, (True, exact, exact and sure), (*here, WRITE), why, reading)

    def _may_change(self, reference: Reference) -> bool:
        """Whether points may change the bounds, the length or the target of what an inquiry of a called routine is
        about.
        """
        name, _ = resolve_alias(reference.name, reference.at)
        data = self.facts.object(name, self.frame.key) if name is not None and self.frame.key != self.body.key else None
        if data is None:
            return False
        view = self._view(data)
        return (view.array if view is not None else data.name_in(self.body.key)) in self.body.resized

    def _pointed(self, reference: Reference, subscripts: Subscripts, here: Position) -> None:
        """What a pointer is set to, as if all of it were written, under a name of its own."""
        statement, name = reference.at.statement, resolve_alias(reference.name, reference.at)[0]
        data = self.facts.object(name, self.frame.key) if name is not None else None
        if not isinstance(statement, Assignment) or data is None or self.frame.key != self.body.key:
            return
        pointer = base_name(statement.target)
        if pointer is None or reference.node.start < statement.value.start:
            return
        places = subscripts.of(reference, data)
        at = Instance(self.loops, () if self.loose else self.guards, here)
        exact = places is not None and not subscripts.vague and not self.loose
        self.accesses.append(Access(target_of(pointer, data.name), places or (), True, at, False, exact))

    def _counts(self, data: DataObject) -> bool:
        """Whether accesses of a variable belong to the nest: of an array, an object, a scalar of all points."""
        if data.rank or data.symbol.type.base in ("type", "class") or data.identity in self.scalars:
            return True
        return data.home == self.frame.key and data.name in self.frame.views

    def _alias(self, reference: Reference, subscripts: Subscripts, here: Position) -> None:
        """A name that ``associate`` gives to a part of an array. An element of it that is passed to an array dummy is
        the beginning of what the routine gets.
        """
        found = self.frame.parts.get(reference.name)
        if found is None:
            found = part_around(self.body, reference, self.frame.key, self.fresh)
        if found is None or not self._counts(found[0]):
            return  # declared in a block, or the value of an expression
        self.inside = ()
        data, view = found
        reads, writes = self.effects.of(reference, self.frame.key)
        given = subscripts.listed(reference, view.dimensions)
        passed = self.calls.passed(reference, self.frame.key)
        beginning = passed is not None and passed.array and given and not any(isinstance(p, Section) for p in given)
        places = view.placed(given) if given is not None and not beginning else None
        if places is not None and data.local:
            self.inside = subscripts.inside(data, places)
        exact = places is not None and not subscripts.vague and reference.role != "argument"
        why = f"'{reference.name}' is a name of a part of '{data.name}'"
        if reads:
            self._access(reference, data, places, (False, exact, exact), (*here, READ), why)
        if writes:
            reading = subscripts.reading if not subscripts.vague else None
            self._access(reference, data, places, (True, exact, exact and reference.sure), (*here, WRITE), why, reading)

    def _access(
        self,
        reference: Reference,
        data: DataObject,
        places: tuple[Subscript, ...] | None,
        flags: tuple[bool, bool, bool],
        position: Position,
        why: str = "",
        reading: Reading | None = None,
    ) -> None:
        """Add an access; ``flags`` say whether it writes, is exact, and certainly happens. ``reading`` is given where
        what is written may be known.
        """
        view = self._view(data)
        array, at = data.name_in(self.body.key), Instance(self.loops, self.conditions(), position)
        if view is not None:
            array, given = view.array, places
            places = view.placed(given) if given is not None else None
            near = view.left.inside(given) if view.left is not None and given is not None else ()
            if places is not None and near is None:
                places = None
            elif places is not None and near:
                far = replace(at, guards=(*at.guards, Some(tuple(negated(one) for one in near))))
                behind = f"'{data.name}' goes on after a part of '{array}'"
                self._accessed(reference, data, array, None, (flags[0], False, False), far, behind, None)
                at = replace(at, guards=(*at.guards, *near))
            self.inside = self._within(view, places) if places is not None else ()
        self._accessed(reference, data, array, places, flags, at, why, reading)

    def _accessed(
        self,
        reference: Reference,
        data: DataObject,
        array: str,
        places: tuple[Subscript, ...] | None,
        flags: tuple[bool, bool, bool],
        at: Instance,
        why: str,
        reading: Reading | None,
    ) -> None:
        """Add an access of an array of the region."""
        write, exact, must = flags
        value = self._value(reference, places, reading) if write and reading is not None else None
        if places is None:
            exact = must = False
            places = ()
            why = why or f"which elements of '{array}' are meant is not known"
        if self.loose:
            exact = must = False
            why = "a jump goes backwards"
        mask = self.mask if self.mask and self.elementwise(reference) else ()
        source = Source(reference, self.frame.key)
        must = must and not self.masked
        whole = not write and reference.role == "read" and not reference.component and self._view(data) is None
        for more in components_of(self.facts, data) if whole else ((),):
            part = (*places, *more)
            self.accesses.append(Access(array, part, write, at, must, exact, value, self.inside, mask, why, source))

    def _within(self, view: View, places: tuple[Subscript, ...]) -> tuple[Condition, ...]:
        """What is certain of subscripts in an array that a called routine has from a local one of the region's."""
        data = self.facts.object(view.array, self.body.key)
        if data is None or not data.local or not data.rank or data.identity != view.identity:
            return ()
        return within(whole_shape(self.body, data), places)

    def _view(self, data: DataObject) -> View | None:
        """What the caller passes for a dummy, of this routine or of its host."""
        frames = (f for f in (self.frame, *reversed(self.hosts)) if f.key == data.home)
        return next((f.views[data.name] for f in frames if data.name in f.views), None)

    def _value(self, reference: Reference, places: tuple[Subscript, ...] | None, reading: Reading) -> Value | None:
        """What a reference writes, where that is known."""
        statement = reference.at.statement
        if not isinstance(statement, Assignment) or reference.role != "write" or places is None or self.loose:
            return None
        if may_be_substring(statement.target, self.frame.key, self.facts.scopes):
            return None
        return reading.written(statement.value, places)

    def _follows(self, site: CallSite) -> bool:
        return self.detailed and self.calls.followed(site, self.called, _DEEPEST)
