"""How copies between host and device are written: as calls of the GPU runtime, or as directives.

In all of them host arrays are the handles, data that are on the device already are not copied again, and the last user
takes them back. What is copied where is decided by :mod:`hfpy.transform.device.devicedata`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Protocol

from hfpy.model.names import derived
from hfpy.options import DefaultKinds
from hfpy.transform.device.directivelines import Clause, clause, directive_lines
from hfpy.values import dataclass

_WIDTH = 100  # of directives, which are indented later


@dataclass(frozen=True)
class Handle:
    """An array as one line names it: the place for messages, the test whether it is there (``allocated(a)``; empty if
    it always is), and the variable that remembers whether the routine brought it to the device (empty: not asked).
    ``declared`` says that the device has memory for it all the time, as directives of its module ask for, so that
    entering and leaving alone copy nothing. ``pointer`` marks pointers: what they mean may change. ``behind`` says that
    the last extent is ``*``. ``part`` is a section that may have gaps, ``alone`` a part without which the rest of the
    array stays as it is. ``component`` says that the name is that of a component, with what it is in (``o%p``).
    """

    name: str
    place: str
    test: str = ""
    flag: str = ""
    declared: bool = False
    pointer: bool = False
    part: str = ""
    rank: int = 0
    behind: bool = False
    alone: str = ""
    component: bool = False


@dataclass(frozen=True)
class Scoped:
    """An array that is on the device as long as a routine runs: whether its values go there, and come back."""

    handle: Handle
    enters: bool
    leaves: bool


class DataDialect(Protocol):
    """Writes Fortran lines, without indentation. ``names`` are the runtime's procedures that they call; ``parts`` says
    whether parts of arrays can be updated, gaps and all, ``components`` whether components of objects can, ``scopes``
    whether there is :meth:`open_scope`.
    """

    names: set[str]
    parts: bool
    components: bool
    scopes: bool

    def open_scope(self, arrays: Sequence[Scoped]) -> list[str]:
        """Begin a construct that has arrays on the device as long as it runs."""

    def close_scope(self) -> list[str]:
        """End that construct."""

    def enter(self, array: Handle, copy: bool) -> list[str]:
        """Bring an array to the device, or count one more user; ``copy`` its values if it was not there."""

    def leave(self, array: Handle, copy: bool) -> list[str]:
        """The other end; the last user may ``copy`` the values back."""

    def update_host(self, array: Handle) -> list[str]:
        """Copy an array from the device to the host, if it is there."""

    def update_device(self, array: Handle) -> list[str]:
        """Copy an array from the host to the device, if it is there."""

    def remember(self, array: Handle, valid: bool) -> list[str]:
        """Before a statement that may allocate an array anew, if it is there; ``valid`` says that the host's values are
        those of the device, and are those to take after it.
        """

    def moved(self, array: Handle, valid: bool) -> list[str]:
        """After it: bring the array to the device again, for all its users if ``parts``, else for this routine."""

    def freed(self, array: Handle) -> list[str]:
        """Before an array is deallocated that others may have on the device: a pointer of the routine, or a caller."""

    def set_aside(self, array: Handle) -> list[str]:
        """Before a call that may free an array of this routine's: take it from the device with its values."""

    def take_back(self, array: Handle) -> list[str]:
        """After it: bring the array that is there then to the device."""

    def only_if(self, test: str, rows: Sequence[str]) -> list[str]:
        """Lines of this dialect that are to be executed where a test holds (empty: always)."""


def _updating(procedure: str, array: Handle) -> str:
    return f"{procedure}_behind" if array.behind and not (array.part or array.alone) else procedure


_NAMED = "hf_named"  # a component, in an ``associate``


def _nothing(_: object) -> list[str]:
    return []


@dataclass
class RuntimeCalls:
    """Calls of the procedures in ``hfpy_arrays.f90``."""

    kinds: DefaultKinds
    names: set[str] = field(default_factory=set)
    parts: bool = True
    components: bool = True
    scopes: bool = False

    def open_scope(self, arrays: Sequence[Scoped]) -> list[str]:
        """There are none: calls bring arrays there and back."""
        return []

    close_scope = _nothing

    def enter(self, array: Handle, copy: bool) -> list[str]:
        """``call hf_enter``, or ``hf_enter_once`` with a flag, ``hf_enter_into`` for a pointer."""
        return self.only_if(array.test, [self._moved("hf_enter", array, copy)])

    def leave(self, array: Handle, copy: bool) -> list[str]:
        """``call hf_leave``, or ``hf_leave_once`` with a flag; for a pointer whatever it has meant. Where an array
        is not tested, since it is about to be deallocated, ``hf_forget``, and for a pointer what it means now.
        """
        if array.pointer and array.flag:
            procedure = "hf_leave_all" if array.test else "hf_leave_from"
            self.names.add(procedure)
            what = "" if array.test else f"{array.name}, "
            return [f"call {procedure}({what}{self.kinds.counted(copy)}, {array.flag}, {self._texts(array)})"]
        if array.flag and not array.test:
            self.names.add("hf_forget")
            return [f"if ({array.flag} /= 0) call hf_forget({array.name}, {array.flag})"]
        call = self._moved("hf_leave", array, copy)
        if array.flag:
            return [f"if ({array.flag} /= 0) then", f"  if ({array.test}) {call}", "end if"]
        return self.only_if(array.test, [call])

    def update_host(self, array: Handle) -> list[str]:
        """``call hf_update_host``, or ``hf_update_host_behind`` for all behind the beginning of an array."""
        return self.only_if(array.test, [self._call(_updating("hf_update_host", array), array, "")])

    def update_device(self, array: Handle) -> list[str]:
        """``call hf_update_device``, or ``hf_update_device_behind``."""
        return self.only_if(array.test, [self._call(_updating("hf_update_device", array), array, "")])

    def remember(self, array: Handle, valid: bool) -> list[str]:
        """``hf_location``, into a variable of the routine's."""
        self.names.add("hf_location")
        return [f"{remembered(array.name)} = hf_location({array.name})"]

    def moved(self, array: Handle, valid: bool) -> list[str]:
        """``call hf_moved``."""
        self.names.add("hf_moved")
        return [
            f"call hf_moved({array.name}, {remembered(array.name)}, {self.kinds.counted(valid)}, {self._texts(array)})"
        ]

    def freed(self, array: Handle) -> list[str]:
        """``call hf_freed``."""
        self.names.add("hf_freed")
        return self.only_if(array.test, [f"call hf_freed({array.name})"])

    def set_aside(self, array: Handle) -> list[str]:
        """``call hf_set_aside``."""
        number = kept_aside(array.name)
        return [f"{number} = 0", *self.only_if(array.test, [self._call("hf_set_aside", array, f"{number}, ")])]

    def take_back(self, array: Handle) -> list[str]:
        """``call hf_take_back``, where it lies as before; else a routine that holds it brings it there as a new one."""
        number = kept_aside(array.name)
        self.names.add("hf_drop_set_aside")
        back = self.only_if(array.test, [self._call("hf_take_back", array, f"{number}, ")])
        entered = self.enter(array, True) if array.flag else []
        return [*back, f"if ({number} /= 0) call hf_drop_set_aside({number})", *entered]

    def only_if(self, test: str, rows: Sequence[str]) -> list[str]:
        """A call alone is the action of a one-line ``if``."""
        return [f"if ({test}) {row}" for row in rows] if test and len(rows) == 1 else in_block(test, rows)

    def _moved(self, procedure: str, array: Handle, copy: bool) -> str:
        copied = self.kinds.counted(copy)
        if array.flag:
            kind = "into" if array.pointer else "once"
            return self._call(f"{procedure}_{kind}", array, f"{copied}, {array.flag}, ")
        return self._call(procedure, array, f"{copied}, ")

    def _call(self, procedure: str, array: Handle, more: str) -> str:
        self.names.add(procedure)
        return f"call {procedure}({array.alone or array.part or array.name}, {more}{self._texts(array)})"

    @staticmethod
    def _texts(array: Handle) -> str:
        return f'"{array.name}"//hf_end, "{array.place}"//hf_end'


@dataclass(frozen=True)
class Spelling:
    """The data directives of a family, each with the name of an array to come into it; the construct of a block with
    data, and its clauses by whether values enter, and leave.
    """

    sentinel: str
    scope: str
    clauses: Mapping[tuple[bool, bool], str]
    copy_in: str
    create: str
    copy_out: str
    drop: str
    to_host: str
    to_device: str


OPENACC = Spelling(
    "!$acc",
    "data",
    {(True, True): "copy(", (True, False): "copyin(", (False, True): "copyout(", (False, False): "create("},
    "!$acc enter data copyin({})",
    "!$acc enter data create({})",
    "!$acc exit data copyout({})",
    "!$acc exit data delete({})",
    "!$acc update self({}) if_present",
    "!$acc update device({}) if_present",
)
# An update of an array that is not there does nothing.
OPENMP_TARGET = Spelling(
    "!$omp",
    "target data",
    {
        (True, True): "map(tofrom: ",
        (True, False): "map(to: ",
        (False, True): "map(from: ",
        (False, False): "map(alloc: ",
    },
    "!$omp target enter data map(to: {})",
    "!$omp target enter data map(alloc: {})",
    "!$omp target exit data map(from: {})",
    "!$omp target exit data map(release: {})",
    "!$omp target update from({})",
    "!$omp target update to({})",
)


@dataclass
class DataDirectives:
    """Directives, always for whole arrays, with the tests around them as blocks: a directive cannot be the action of a
    one-line ``if``.

    Dummies and arrays with bounds are in a construct of the routine's length: with ``enter data`` GCC 12 brings the
    pointers by which it knows them there, too, and keeps them, so that kernels find the addresses of an earlier call.
    """

    spelling: Spelling
    names: set[str] = field(default_factory=set)
    parts: bool = False
    components: bool = True
    scopes: bool = True

    def open_scope(self, arrays: Sequence[Scoped]) -> list[str]:
        """``data``, or ``target data``."""
        clauses: list[str | Clause] = [self.spelling.scope]
        for copied, word in self.spelling.clauses.items():
            clauses += clause(word, (a.handle.name for a in arrays if (a.enters, a.leaves) == copied))
        return directive_lines("", self.spelling.sentinel, clauses, _WIDTH)

    def close_scope(self) -> list[str]:
        """``end data``, or ``end target data``."""
        return [f"{self.spelling.sentinel} end {self.spelling.scope}"]

    def enter(self, array: Handle, copy: bool) -> list[str]:
        """``enter data``, once where a flag is asked."""
        rows = [self._directive(self.spelling.copy_in if copy else self.spelling.create, array)]
        if array.declared and copy:
            rows.append(self._directive(self.spelling.to_device, array))
        if array.flag:
            rows = in_block(f"{array.flag} == 0", [*rows, f"{array.flag} = 1"])
        return in_block(array.test, rows)

    def leave(self, array: Handle, copy: bool) -> list[str]:
        """``exit data``, where the flag tells that there was an ``enter data``."""
        rows = [self._directive(self.spelling.copy_out if copy else self.spelling.drop, array)]
        if array.declared and copy:
            rows = [self._directive(spelling, array) for spelling in (self.spelling.to_host, self.spelling.drop)]
        if array.flag:
            return in_block(f"{array.flag} /= 0", in_block(array.test, [*rows, f"{array.flag} = 0"]))
        return in_block(array.test, rows)

    def update_host(self, array: Handle) -> list[str]:
        """``update self``."""
        return in_block(array.test, self._updated(self.spelling.to_host, array))

    def update_device(self, array: Handle) -> list[str]:
        """``update device``."""
        return in_block(array.test, self._updated(self.spelling.to_device, array))

    def _updated(self, spelling: str, array: Handle) -> list[str]:
        """An update of an array. GCC 12 ends the run where it gets a component of an object that the device does not
        have, though it has the memory of the component.
        """
        if not array.component:
            return [self._directive(spelling, array)]
        named = f"associate ({_NAMED} => {array.alone or array.name})"
        return [named, f"  {spelling.format(_NAMED)}", "end associate"]

    def freed(self, array: Handle) -> list[str]:
        """Nothing: what a pointer means is there for each kernel alone, and what callers hold is not freed (HF603)."""
        return []

    def set_aside(self, array: Handle) -> list[str]:
        """``exit data``."""
        return self.leave(array, True)

    def take_back(self, array: Handle) -> list[str]:
        """``enter data``."""
        return self.enter(array, True)

    def remember(self, array: Handle, valid: bool) -> list[str]:
        """``exit data``, with a copy where the host does not have the values."""
        return self.leave(array, not valid)

    def moved(self, array: Handle, valid: bool) -> list[str]:
        """``enter data``."""
        return self.enter(array, True)

    def only_if(self, test: str, rows: Sequence[str]) -> list[str]:
        """An ``if`` block."""
        return in_block(test, rows)

    def _directive(self, spelling: str, array: Handle) -> str:
        """A directive with an array. GCC 12 drops an update of one that the device knows from its module, but not one
        of a section.
        """
        if array.alone:
            return spelling.format(array.alone)
        updates = array.declared and spelling in (self.spelling.to_host, self.spelling.to_device)
        return spelling.format(f"{array.name}({','.join(':' * array.rank)})" if updates else array.name)


def remembered(name: str) -> str:
    """The variable that keeps where an allocatable array was."""
    return derived("hf_was_", name)


def kept_aside(name: str) -> str:
    """The variable for what was on the device of an array that a call may free."""
    return derived("hf_aside_", name)


def in_block(test: str, rows: Sequence[str]) -> list[str]:
    """Lines in an ``if`` block, or as they are where there is nothing to test."""
    return [f"if ({test}) then", *(f"  {row}" for row in rows), "end if"] if test else list(rows)


def dialect_of(backend: str, kinds: DefaultKinds) -> DataDialect:
    """A new dialect for the routine of a backend, with the compiler's default kinds."""
    if backend == "openacc":
        return DataDirectives(OPENACC)
    if backend == "openmp-target":
        return DataDirectives(OPENMP_TARGET, components=False)  # gfortran 12 takes names alone
    return RuntimeCalls(kinds)
