"""What host statements do with arrays that are on the device: by their names, through namelists, through components of
objects, and through the routines that they call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.arrays.accesses import is_full_range
from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import component_object
from hfpy.analyze.device.residence import renamed_chains
from hfpy.analyze.device.states import HOST, States
from hfpy.analyze.effects.declared import dummies_in_declarations
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.effects.insides import objects_touched
from hfpy.analyze.effects.memory import allocation_moved
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.components import chains_from, in_one_spelling, indexed
from hfpy.analyze.language.types import component, is_parent
from hfpy.analyze.language.uses import Reference, declared_in_block, has_nulls
from hfpy.diagnostics import error
from hfpy.model.expressions import Component, Expr, Name
from hfpy.model.statements import Assignment, InputOutput, Statement
from hfpy.model.units import Routine, Symbol
from hfpy.transform.device.datadialect import DataDialect
from hfpy.transform.device.hostcalls import HostCalls
from hfpy.transform.device.reallocated import allocates, allocates_below
from hfpy.transform.device.setapart import SetApart, is_element
from hfpy.transform.device.touched import Touched
from hfpy.transform.device.traffic import MessageTraffic
from hfpy.transform.imports import Imports


class HostStatements:
    """Tells what the host statements of one routine read and write. ``imports`` and ``foreign`` are those of the calls
    (:class:`HostCalls`).
    """

    def __init__(
        self,
        facts: Facts,
        effects: Effects,
        states: States,
        imports: Imports,
        routine: Routine,
        dialect: DataDialect,
        copies: Sequence[Statement] = (),
    ) -> None:
        """``copies`` are statements that are passed over."""
        self.facts = facts
        self.effects = effects
        self.states = states
        self.routine = routine
        self.key = routine.key
        self.dialect = dialect
        self.arrays = states.arrays(self.key)
        able = dialect.components, dialect.parts
        self.calls = HostCalls(facts, effects, states, imports, routine, lambda: self.arrays, *able)
        self.imports = self.calls.imports
        self.blocks = self.calls.blocks
        self.foreign = self.calls.foreign
        self.found = self.calls.found
        self.traffic = MessageTraffic(facts, effects, states, routine)
        self.references: dict[int, list[Reference]] = {}
        self.apart = SetApart(
            facts,
            effects,
            states,
            self.key,
            lambda statement: self.references.get(id(statement), ()),
            lambda statement: self.calls.sites.get(id(statement), ()),
            self.device_name,
        )
        self._in_declarations: dict[str, frozenset[str]] = {}  # dummies whose values declarations read, by routine
        done = {id(s) for s in copies}
        for reference in facts.references.get(self.key, ()):
            if id(reference.at.statement) not in done:
                self.references.setdefault(id(reference.at.statement), []).append(reference)

    def device_name(self, reference: Reference) -> str:
        """The device array that a reference means; empty if it means none."""
        name = stands_for(reference.name, reference.at)[0]
        return name if name is not None and name in self.arrays else ""

    def touch(self, statement: Statement, touched: Touched, conditional: bool = False) -> None:
        """Add what a statement reads and writes; ``conditional`` where it may not be executed."""
        for reference in self.references.get(id(statement), ()):
            if reference.role in ("pointer", "allocate", "inquiry") or not self.facts.live(reference.at, self.key):
                continue
            self.calls.led_to(reference, touched)
            for meant, partly in self._meant(reference):
                self._touch(reference, meant, touched, conditional or partly)
            for read in self.effects.read_by_function(reference, self.key):
                name = self.device_name(read)
                for meant in self.holders(name) if name else ():
                    self._touch(read, meant, touched, conditional)
        self.calls.listed(statement, touched)
        self.calls.used_in_block(statement)
        self.calls.touch(statement, touched)
        touched.written |= self.traffic.ended(statement)

    def _meant(self, reference: Reference) -> Iterator[tuple[str, bool]]:
        """The arrays on the device that a reference means, and whether it means a part of them."""
        name = self.device_name(reference) or self._component(reference)
        for meant in self.holders(name) if name else ():
            yield meant, meant != name
        for array in self._around_scalar(reference):
            yield array, True
        for inside in self._in_objects(reference):
            yield inside, True

    def holders(self, name: str) -> Sequence[str]:
        """The arrays by whose names the memory of an array is on the device."""
        return (name,)

    def leaves_for(self, reference: Reference, name: str) -> bool:
        """Whether an array is not on the device during a call."""
        return False

    def _touch(self, reference: Reference, name: str, touched: Touched, partly: bool) -> None:
        """Add what a reference does with an array; ``partly`` where it may leave some of it as it is."""
        if self.traffic.takes(reference, name, touched, self.found) or self.leaves_for(reference, name):
            return
        anew = allocates_below(self.facts, reference, self.key)
        if self.states.stays_on_device(reference, self.key):
            touched.followed |= {name} if anew else set()
            by_host = reference.at.loop_of is not None or self._gives_sizes(reference)
            if by_host and not self.states.as_on_host(name, self.key):
                touched.read.add(name)  # the host finds the bounds of a region's loops, and sizes that are declared
            return
        if self._of_unknown_size(name, reference) or self.calls.points_elsewhere(reference, touched):
            return
        if allocation_moved(reference, self.key, self.facts):
            if reference.position not in (0, "from") and self.states.decided(name, self.key) == HOST:
                return  # it may have got this memory: what is reported of the other array is enough
            self._refuse(reference, f"'{name}' is on the device, and its memory goes to another array here")
            return
        reads, writes = self.effects.of(reference, self.key)
        if reads and not self.states.as_on_host(name, self.key):
            touched.read.add(name)
        data = self.facts.object(name, self.key)
        if anew or (data is not None and allocates(self.facts, reference, data)):
            touched.moved.add(name)
        if writes:
            whole = self._sets_whole(reference, data, partly)
            if not whole and self._by_both(reference, name):
                if self._part(reference, data) is None:
                    message = (
                        f"the host sets some of '{name}' here, and kernels may set some of it in the same statement"
                    )
                    self._refuse(reference, message, "set it in a statement of its own")
                elif self.apart.copied_over(reference, name):
                    message = (
                        f"a copy of an array of unknown size may go over the element of '{name}' that this call sets"
                    )
                    self._refuse(reference, message, "give a variable of its own, and set the element after the call")
                return  # the part goes to the device by itself
            touched.written.add(name)
            if not whole:
                touched.partly.add(name)

    def _sets_whole(self, reference: Reference, data: DataObject | None, partly: bool) -> bool:
        """Whether a reference sets all of an array, for certain."""
        whole = _whole(reference) if not reference.component else data is None and self._sets_component(reference)
        whole = whole and not _goes_on(data) and stands_for(reference.name, reference.at)[1]
        return whole and not (partly or reference.at.masked or _may_stay(reference) or self._may_be_left(reference))

    def _sets_component(self, reference: Reference) -> bool:
        """Whether a statement sets all of a component of an object, not the parts of complex numbers (``z%re``)."""
        statement = reference.at.statement
        target = statement.target if isinstance(statement, Assignment) else None
        return isinstance(target, Component) and component(target, self.key, self.facts.scopes) is not None

    def _may_be_left(self, reference: Reference) -> bool:
        """Whether a called routine may leave some of an argument as it is, ``intent(out)`` or not, as where an error
        makes it return early. Of the intrinsic ones those do that give a certain number of values (``date_and_time``).
        """
        if reference.role != "argument":
            return False
        site = self.effects.site(reference, self.key)
        return site is None or site.name != "random_number" or not self.facts.scopes.is_intrinsic(site.name, self.key)

    def _by_both(self, reference: Reference, name: str) -> bool:
        """Whether kernels may set an array in a statement in which the host does."""
        return self.calls.runs_kernels(reference.at.statement) and self.apart.among(reference, name)

    def _part(self, reference: Reference, data: DataObject | None) -> Expr | None:
        """What the host sets in such a statement, if it can go to the device by itself."""
        part = self.apart.part(reference)
        if part is None or self.dialect.parts:
            return part
        return part if data is not None and is_element(part, data.rank) else None

    def parts_set(self, statement: Statement) -> Iterator[tuple[str, Expr]]:
        """The parts of arrays that the host sets in a statement in which kernels may set others."""
        for reference in self.references.get(id(statement), ()) if self.calls.runs_kernels(statement) else ():
            if not self.facts.live(reference.at, self.key) or not self.effects.of(reference, self.key)[1]:
                continue
            if self.states.stays_on_device(reference, self.key):
                continue
            for name, partly in self._meant(reference):
                data = self.facts.object(name, self.key)
                if not self._sets_whole(reference, data, partly) and self._by_both(reference, name):
                    part = self._part(reference, data)
                    if part is not None:
                        yield name, part

    def _gives_sizes(self, reference: Reference) -> bool:
        """Whether declarations of a routine read what a reference passes to it."""
        dummy = self.states.dummy(reference, self.key)
        found = [dummy] if dummy is not None else self.states.chosen(reference, self.key)
        for data in found:
            if data is not None and data.routine not in self._in_declarations:
                self._in_declarations[data.routine] = dummies_in_declarations(self.facts, data.routine)
        return any(d is not None and d.name in self._in_declarations[d.routine] for d in found)

    def _refuse(self, reference: Reference, message: str, hint: str = "copy the values instead") -> None:
        place = reference.at.statement.line.place(self.routine.file, reference.node.start, reference.node.end)
        self.found.append(error("HF603", message, place, hint))

    def _of_unknown_size(self, name: str, reference: Reference) -> bool:
        """Tell that a directive cannot update an array whose last extent is ``*``."""
        data = self.facts.object(name, self.key)
        if self.dialect.parts or data is None or not any(d.form == "star" for d in data.symbol.shape):
            return False
        message = f"'{name}' may be on the device here, and directives cannot update it: its last extent is not known"
        self._refuse(reference, message, "declare it with its extents")
        return True

    def _component(self, reference: Reference) -> str:
        """The component through which a statement may get at an array on the device."""
        there = self.states.there(self.key)
        for expr in chains_from(reference) if reference.component and there else ():
            line = reference.at.statement.line
            known = not reference.at.renamed or declared_in_block(reference.name, reference.at) is None
            text = in_one_spelling(expr, line.text[expr.start : expr.end])
            symbol = component(expr, self.key, self.facts.scopes) if known else None
            if self._may_be_there(expr, symbol):
                return self._named(expr, text, symbol, reference, expr)
        for expr in renamed_chains(reference) if there else ():
            symbol = component(expr, self.key, self.facts.scopes)
            if self._may_be_there(expr, symbol):
                return self._named(expr, in_one_spelling(expr, reference.name), symbol, reference, reference.node)
        return ""

    def _may_be_there(self, expr: Component, symbol: Symbol | None) -> bool:
        """Whether a component may be an array that is on the device."""
        storage, there = self.facts.storage, self.states.there(self.key)
        if symbol is None:
            array = not is_parent(expr, self.key, self.facts.scopes)
        else:
            array = bool(symbol.rank) and symbol.type.base not in ("type", "class", "procedure")
        return array and storage.meet(storage.of_identity(component_object(expr.name)), there)

    def _named(self, expr: Component, text: str, symbol: Symbol | None, reference: Reference, shown: Expr) -> str:
        """The component under its name, if it can be updated under that."""
        if symbol is not None and not indexed(expr) and self.dialect.components:
            self.foreign[text] = symbol
            return text
        place = reference.at.statement.line.place(self.routine.file, shown.start, shown.end)
        message = f"'{text}' may be an array that is on the device, which cannot be updated under this name"
        self.found.append(error("HF603", message, place, "point to it with a pointer variable first"))
        return ""

    def _around_scalar(self, reference: Reference) -> Iterator[str]:
        """Arrays on the device of which a scalar may be an element, by ``equivalence`` or as a pointer."""
        name = stands_for(reference.name, reference.at)[0]
        data = self.facts.object(name, self.key) if name is not None else None
        if data is None or data.rank:
            return
        storage = self.facts.storage
        if "pointer" in data.symbol.attributes or storage.equivalent(data.identity):
            for array in self.arrays:
                if storage.shared(data.name, array, self.key):
                    yield from self.holders(array)

    def _in_objects(self, reference: Reference) -> Iterator[str]:
        """The arrays on the device that may be in an object which a reference names as a whole."""
        storage, there = self.facts.storage, self.states.there(self.key)
        line = reference.at.statement.line
        for expr, found in objects_touched(self.facts, reference, self.key) if there else ():
            text = in_one_spelling(expr, line.text[expr.start : expr.end])
            for inside in found:
                if not storage.meet(storage.of_identity(component_object(inside.path[-1])), there):
                    continue
                name = "%".join((text, *inside.path))
                if inside.single and not indexed(expr) and self.dialect.components:
                    self.foreign[name] = inside.symbol
                    yield name
                else:
                    message = f"'{name}' may be an array that is on the device, which cannot be updated under this name"
                    self._refuse(reference, message, "point to it with a pointer variable first")


def _goes_on(data: DataObject | None) -> bool:
    """Whether copies of an array take more than what is meant by it: all that is on the device after its beginning."""
    return data is not None and any(d.form == "star" for d in data.symbol.shape)


def _may_stay(reference: Reference) -> bool:
    """Whether what a statement reads may leave elements of an array as they are."""
    statement = reference.at.statement
    read = isinstance(statement, InputOutput) and statement.kind == "read" and has_nulls(statement)
    return not reference.sure or (reference.role == "input" and read)


def _whole(reference: Reference) -> bool:
    """Whether a reference without a component means all of its array, for certain."""
    indices = reference.indices
    return isinstance(reference.node, Name) or (indices is not None and all(is_full_range(i) for i in indices))
