"""Device routines: procedures that kernels call, copied into every module of kernels that needs them.

A copy a file keeps the files independent of each other, whatever modules the routines come from (L3). Module
variables that they use become further arguments, given by their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.scopes import Found
from hfpy.backends.c.device import DeviceRoutines, declared_at
from hfpy.backends.c.space import constant_bounds, own_arrays
from hfpy.backends.c.values import CannotPrint, Refusals, refused_at
from hfpy.backends.c.views import scalar_of
from hfpy.backends.fortran.constants import Constants, type_text
from hfpy.backends.fortran.rows import Lines
from hfpy.backends.fortran.spelling import Spelling
from hfpy.backends.fortran.text import KernelText
from hfpy.model.extents import Dim, shape_text
from hfpy.model.names import Names
from hfpy.model.scalars import Scalar
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import expanded_dim
from hfpy.transform.text.wrapping import wrap_line
from hfpy.values import dataclass

_IDENTITIES = {
    "+": "0",
    "-": "0",
    "*": "1",
    "iand": "not({0})",
    "ior": "{0}",
    "ieor": "{0}",
    "max": "-huge({0})",
    "min": "huge({0})",
    ".and.": ".true.",
    ".or.": ".false.",
    ".eqv.": ".true.",
    ".neqv.": ".false.",
}

Slot = tuple[str, str]

Pairs = tuple[tuple[str, str], ...]


def identity_of(op: str, scalar: Scalar) -> str:
    """What a reduction starts from: it changes no value. Raises CannotPrint for operators that there are not."""
    found = _IDENTITIES.get(op)
    if found is None:
        raise CannotPrint(f"a reduction by {op}")
    if op == "max" and scalar.base == "integer":
        return f"-huge({zero(scalar)}) - 1"
    return found.format(zero(scalar))


def zero(scalar: Scalar) -> str:
    """A constant of a type."""
    if scalar.base == "logical":
        return f".false._{scalar.bytes}"
    if scalar.base == "complex":
        return f"(0.0_{scalar.bytes}, 0.0_{scalar.bytes})"
    return f"0.0_{scalar.bytes}" if scalar.base == "real" else f"0_{scalar.bytes}"


@dataclass(frozen=True)
class Form:
    """What tells a compiler that a routine runs on the device: words before ``subroutine``, a directive. ``spaces``:
    local arrays of run-time size are arguments.
    """

    words: str = "attributes(device) "
    directive: str = ""
    spaces: bool = True


CUDA_FORTRAN = Form()


@dataclass
class FortranRoutines:
    """Names, further arguments and texts of all device routines of a program; texts are made when asked for."""

    device: DeviceRoutines
    form: Form = CUDA_FORTRAN
    _texts: dict[str, Lines] = field(default_factory=dict)
    _scopes: dict[str, Names] = field(default_factory=dict)

    @property
    def facts(self) -> Facts:
        """The facts about the program."""
        return self.device.facts

    def _further(self, key: str, wanted: str, *meaning: object) -> str:
        """The name of a further argument of a routine, which none of the routine's own has."""
        scope = self._scopes.setdefault(key, Names(frozenset(self.facts.routine(key).spec.symbols)))
        return scope.name(wanted, meaning)

    def bound_names(self, key: str, array: str, rank: int) -> Pairs:
        """The names of the arguments that hold the bounds of a module's array."""
        words = [[(word, d) for word in ("lower", "upper")] for d in range(1, rank + 1)]
        names = ([self._further(key, f"{array}_{word}{d}", array, word, d) for word, d in pair] for pair in words)
        return tuple((low, high) for low, high in names)

    def names(self) -> Mapping[str, str]:
        """The names of all routines, should kernels call them."""
        routines = self.facts.application.routines.values()
        return {r.key: self.device.name(r.key) for r in routines if r.kind in ("subroutine", "function")}

    def dummy(self, key: str, variable: Found) -> str:
        """The name of a further dummy argument: what the routine calls the variable, if it knows it."""
        home, name, slot = variable.home, variable.symbol.name, self.device.slot(variable)
        names = {name, *(resolve_alias(r.name, r.at)[0] for r in self.facts.references.get(key, ()))}
        for local in sorted(n for n in names if n is not None):
            found = self.facts.scopes.variable(local, key)
            if found is not None and self.device.slot(found) == slot:
                return local
        return self._further(key, f"{name}_of_{self.facts.routine(home).name}", *slot)

    def spaces(self, key: str) -> tuple[Slot, ...]:
        """The local arrays of run-time size of a routine and of those below it: routine and name.

        They are further arguments too: the kernel has a place for each thread.
        """
        found: list[Slot] = []
        for unit in self.device.reached({key}) if self.form.spaces else ():
            found += [(unit, data.name) for data in own_arrays(self.device, unit)]
        return tuple(found)

    def space_dummy(self, key: str, slot: Slot) -> str:
        """The name of such an argument in a routine."""
        owner, name = slot
        return name if owner == key else self._further(key, f"{name}_of_{self.facts.routine(owner).name}", owner, name)

    def further(
        self, given: Mapping[Slot, str], bounds: Mapping[str, Pairs], callees: Iterable[str]
    ) -> Mapping[str, Sequence[str]]:
        """For each routine the further arguments of its calls, where the caller calls variables and arrays as given.

        ``bounds`` are those of the module's arrays, by these names.
        """
        result: dict[str, list[str]] = {}
        for key in callees:
            result[key] = []
            for found in self.device.globals(key):
                actual = given.get(self.device.slot(found))
                if actual is None:
                    continue  # refused variables are not given
                dummy = self.dummy(key, found)
                result[key].append(f"{dummy}={actual}")
                if self.device.in_block(found):
                    continue  # whose bounds are known
                own = self.bound_names(key, dummy, len(bounds.get(actual, ())))
                for names, texts in zip(own, bounds.get(actual, ()), strict=True):
                    result[key] += [f"{name}={text}" for name, text in zip(names, texts, strict=True)]
            spaces = (s for s in self.spaces(key) if s in given)  # nor is room of a size that is refused
            result[key] += [f"{self.space_dummy(key, slot)}={given[slot]}" for slot in spaces]
        return result

    def callees(self, key: str) -> list[str]:
        """The routines that a unit calls where its code is live."""
        sites = self.facts.graph.sites.get(key, ())
        return list(dict.fromkeys(s.callee for s in sites if s.callee and self.facts.live(s.at, key)))

    def optional(self, callees: Iterable[str]) -> Mapping[str, Mapping[str, tuple[str, str]]]:
        """For each routine its optional dummies, with the argument that tells whether they are given, and a value of
        their type. Raises CannotPrint.
        """
        return {key: self._optional(key) for key in callees}

    def _optional(self, key: str) -> Mapping[str, tuple[str, str]]:
        found = {}
        for dummy in self.facts.routine(key).dummies:
            data = self.facts.object(dummy, key)
            if data is None or "optional" not in data.symbol.attributes:
                continue
            if data.rank or self.device.effects.intent(key, dummy) != "in":
                raise CannotPrint(f"the argument '{dummy}', which is optional and an array, or changed,")
            given = self._further(key, f"{dummy}_given", dummy, "given")
            found[dummy] = given, zero(scalar_of(self.device.kinds, data))
        return found

    def text(self, key: str) -> Lines:
        """The definition of a routine. Raises Unprintable."""
        if key not in self._texts:
            self._texts[key] = _Definition(self, self.facts.routine(key)).text()
        return self._texts[key]


class _Definition:
    """Writes one device routine."""

    def __init__(self, routines: FortranRoutines, routine: Routine) -> None:
        self.routines = routines
        self.device = routines.device
        self.facts = routines.facts
        self.routine = routine
        self.key = routine.key
        self.scalars: list[str] = []
        self.arrays: list[str] = []
        self.names: set[str] = set()
        self.mentioned: set[str] = set()
        self.given: dict[Slot, str] = {}
        self.bounds: dict[str, Pairs] = {}
        self.optional: dict[str, str] = {}
        self.refusals = Refusals(routine.file)

    def text(self) -> Lines:
        """The lines with where they stem from. Raises Unprintable."""
        line = self.routine.header
        further: list[str] = []
        spelling = Spelling(self.routines.names(), {}, {})
        with self.refusals.at(line):
            further = self._declare()
            if not self.refusals.names:
                callees = self.routines.callees(self.key)
                further_of = self.routines.further(self.given, self.bounds, callees)
                optional = self.routines.optional(callees)
                spelling = Spelling(self.routines.names(), further_of, optional, self.optional)
        body = KernelText(self.facts, self.routine, spelling, "return", self.refusals)
        body.block(self.routine.body, 2)
        self.refusals.check()
        with refused_at(line, self.routine.file):
            constants = Constants(self.facts, self.device.kinds, self.names)
            constants.of(self.mentioned | body.names, self.key)
        kind, name = self.routine.kind, self.device.name(self.key)
        elemental = "elemental " if "elemental" in self.routine.prefix else ""
        result = f" result({self._result})" if self._result else ""
        place = self.facts.application.shown_place(self.key, line)
        form = self.routines.form
        words = f"{form.words}{elemental}{kind}"
        counters = [f"integer(4) :: {', '.join(sorted(body.counted))}"] if body.counted else []
        rows = [
            f"  ! {place}: {kind} {self.routine.name}",
            f"  {words} {name}({', '.join([*self.routine.dummies, *further])}){result}",
            *(f"    {row}" for row in (*constants.lines, *self.scalars, *self.arrays, *counters)),
            *([f"    {form.directive}"] if form.directive else []),
        ]
        head = [(part, line.first) for row in rows for part in wrap_line(row)]
        return [*head, *body.lines, (f"  end {kind} {name}", line.first)]

    @property
    def _result(self) -> str:
        return (self.routine.result or self.routine.name) if self.routine.kind == "function" else ""

    def _declare(self) -> list[str]:
        """Declarations of all variables; the names of the further arguments."""
        with self.refusals.at(self.routine.header):
            self.device.check_result(self.key)
        for dummy in self.routine.dummies:
            with self.refusals.at(*declared_at(self.routine, dummy), name=dummy):
                data = self._object(dummy, self.key)
                if data.symbol.dynamic:
                    raise CannotPrint(f"the argument '{dummy}', which is a pointer or allocatable,")
                intent = "in" if self.device.effects.intent(self.key, dummy) == "in" else "inout"
                value = "value" in data.symbol.attributes  # a copy, which the routine may change
                self._declaration(data, dummy, ", value" if value else f", intent({intent})")
        self.optional = {dummy: given for dummy, (given, _) in self.routines.optional([self.key])[self.key].items()}
        further = list(self.optional.values())
        self.scalars += [f"logical(4), intent(in) :: {text}" for text in further]
        self.names |= set(further)
        for found in self.device.globals(self.key):
            slot, name = self.device.slot(found), found.symbol.name
            place = declared_at(self.routine, name) if found.home == self.key else (self.routine.header, 0, -1)
            with self.refusals.at(*place, name=slot):
                self.device.check_global(self.key, found, self.refusals)
                text = self.routines.dummy(self.key, found)
                if self.device.in_block(found):
                    self._member(found, text)
                    further.append(text)
                else:
                    further += [text, *self._global(self._object(name, found.home), text)]
                self.given[slot] = text
        for slot in self.routines.spaces(self.key):
            further.append(self._space(slot))
        for data in self.device.locals(self.key):
            with self.refusals.at(*declared_at(self.routine, data.name), name=data.name):
                self.device.check_local(data)
            if data.name in self.refusals.names:
                continue
            given = self.routines.form.spaces and data.rank and constant_bounds(self.facts, data) is None
            if not given:  # others are further arguments
                self._declaration(data, data.name, "")
        return further

    def _global(self, data: DataObject, text: str) -> list[str]:
        """A module variable as a further argument; the names of those with its bounds."""
        scalar = scalar_of(self.device.kinds, data)
        self.names.add(text)
        if not data.rank:
            self.scalars.append(f"{type_text(scalar)}, intent(in) :: {text}")
            return []
        pairs = self.bounds[text] = self.routines.bound_names(self.key, text, data.rank)
        names = [name for pair in pairs for name in pair]
        self.names |= set(names)
        kind = self.device.kinds.defaults.integer
        self.scalars.append(f"integer({kind}), intent(in) :: {', '.join(names)}")
        shape = ",".join(f"{low}:{high}" for low, high in pairs)
        self.arrays.append(f"{type_text(scalar)}, intent(in) :: {text}({shape})")
        return names

    def _member(self, found: Found, text: str) -> None:
        """A member of a common block as a further argument."""
        member = self.device.members.member(found.home, found.symbol.name)
        kind = type_text(scalar_of(self.device.kinds, self._object(found.symbol.name, found.home)))
        self.names.add(text)
        if member is not None and member.bounds:
            self.arrays.append(f"{kind}, intent(in) :: {text}({','.join(f'{a}:{b}' for a, b in member.bounds)})")
        else:
            self.scalars.append(f"{kind}, intent(in) :: {text}")

    def _space(self, slot: Slot) -> str:
        """A local array of run-time size, here or in a routine below, as a further argument."""
        owner, name = slot
        text = self.routines.space_dummy(self.key, slot)
        data = self._object(name, owner)
        if owner == self.key:
            self._declaration(data, text, ", intent(inout)")
        else:
            self.names.add(text)
            self.arrays.append(f"{type_text(scalar_of(self.device.kinds, data))}, intent(inout) :: {text}(*)")
        self.given[slot] = text
        return text

    def _object(self, name: str, key: str) -> DataObject:
        data = self.facts.object(name, key)
        if data is None:
            raise CannotPrint(f"'{name}'")
        return data

    def _declaration(self, data: DataObject, text: str, intent: str) -> None:
        scalar = scalar_of(self.device.kinds, data)
        self.names.add(text)
        if not data.rank:
            self.scalars.append(f"{type_text(scalar)}{intent} :: {text}")
            return
        storage = self.facts.order(data).storage or tuple(range(data.rank))
        sizes = [self._size(data, d) for d in storage]
        self.mentioned.update(*(dim.names for dim in sizes))
        self.arrays.append(f"{type_text(scalar)}{intent} :: {text}({shape_text(sizes)})")

    def _size(self, data: DataObject, dimension: int) -> Dim:
        size = data.used[dimension]
        form = data.symbol.shape[size.declared] if size.declared is not None else None
        if form is not None and form.open:
            return form
        return expanded_dim(size.extent, self.facts.application.macros_of(self.key))
