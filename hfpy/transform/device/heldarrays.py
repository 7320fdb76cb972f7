"""Arrays that a routine itself has on the device: brought there when it begins, taken back before it returns, and
followed where they are allocated, freed, or associated anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.calls import dummies_met
from hfpy.analyze.device.residence import value_of
from hfpy.analyze.device.states import LOCAL, PRESENT, TRANSFER, States
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.analyze.language.types import set_at_birth
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Name
from hfpy.model.names import derived
from hfpy.model.printing import expression as printed
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Construct,
    Jump,
    Memory,
    OneLine,
    Statement,
    branches,
    flatten,
)
from hfpy.model.units import OldSize, Routine
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.routines import unit_key
from hfpy.transform.declarations import with_unknown_size
from hfpy.transform.device.datadialect import DataDialect, DataDirectives, Handle, Scoped, kept_aside, remembered
from hfpy.transform.device.packed import as_block
from hfpy.transform.device.reallocated import frees_below, memory_below
from hfpy.transform.device.targets import Targets
from hfpy.transform.device.transient import is_transient
from hfpy.transform.imports import Imports
from hfpy.transform.mainprogram import large_in_main
from hfpy.transform.text.edits import Edit, insert_lines, replace_range
from hfpy.transform.text.rows import Rows
from hfpy.transform.text.wrapping import wrap_line

_DATA = "hf_data"  # the construct that a routine's data are on the device for, which returns leave
_END_LABEL = -9  # before all that is put before the end of a routine
_RETURN = "hf_return"  # which label of the caller's a return goes to


class HeldArrays(Targets):
    """Edits that bring the arrays of one routine to the device and take them back. ``declared`` are the module arrays
    that have memory on the device all the time.
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
        """``copies`` are statements that mean copies already."""
        super().__init__(facts, effects, states, imports, routine, dialect, copies)
        self.declared: frozenset[tuple[str, str]] = frozenset()
        self.rows = Rows(facts.application.file(routine.key), routine)
        self._remembered: set[str] = set()
        self._aside: set[str] = set()
        self._held_once: list[DataObject] | None = None
        self._scoped_once: list[DataObject] | None = None
        self._old_sizes: dict[str, OldSize] = {}
        self._asked: set[str] = set()  # pointers that generated code asks for
        self.opened: set[int] = set()  # one-line ifs that are blocks now

    # -- the beginning and the end of the routine

    def _held(self) -> list[DataObject]:
        """Arrays that the routine itself brings to the device and takes back."""
        if self._held_once is None:
            self._held_once = self._find_held()
        return self._held_once

    def _find_held(self) -> list[DataObject]:
        objects = (self.facts.object(n, self.key) for n in self.arrays)
        held = [d for d in objects if d is not None and self.states.of(d.name, self.key) in (TRANSFER, LOCAL)]
        return [d for d in held if not self.transient(d)]

    @cached_property
    def _dynamic(self) -> dict[str, DataObject]:
        """Those among them that can be allocated or associated."""
        return {d.name: d for d in self._held() if d.symbol.dynamic}

    @cached_property
    def _freeable(self) -> dict[str, DataObject]:
        """The same, and arrays that pointers of this routine, or callers, may have on the device."""
        found = (self.facts.object(n, self.key) for n in (self.arrays if self.dialect.parts else ()))
        return {d.name: d for d in found if d is not None and d.symbol.dynamic} | self._dynamic

    def holders(self, name: str) -> Sequence[str]:
        """See :meth:`HostStatements.holders`: an array with an ``equivalence`` may be there as parts of others, or
        reach beyond them, so that a copy by its own name would copy nothing. It would where a caller has the memory
        there.
        """
        data = self.facts.object(name, self.key)
        storage = self.facts.storage
        held = {d.name: d for d in self._held()}
        if data is None or name in held:
            return (name,)
        if self.dialect.scopes and "pointer" in data.symbol.attributes:
            return self.targets(name)
        if not storage.equivalent(data.identity):
            return (name,)
        joint = storage.joint(data.identity)
        names = [n for n, d in held.items() if storage.joint(d.identity) == joint]
        callers = storage.meet(storage.of_identity(data.identity), self.states.resident(self.key))
        return [*names, name] if callers or not names else names

    def transient(self, data: DataObject) -> bool:
        """Whether an array is brought to the device for each kernel, or call, alone."""
        return self.dialect.scopes and is_transient(self.facts, self.key, data)

    def _scoped(self) -> list[DataObject]:
        """Those that are on the device as long as the routine runs, by one `data` construct."""
        if self._scoped_once is None:
            held = self._held() if self.dialect.scopes else []
            shared = self._share([data.name for data in held])  # the order of names decides what is copied
            self._scoped_once = [] if shared else [data for data in held if self._all_along(data)]
        return self._scoped_once

    @staticmethod
    def _all_along(data: DataObject) -> bool:
        """Whether a `data` construct can hold an array. One of a module, or one that the routine allocates, needs none:
        no pointer of it stays on the device (see :class:`DataDirectives`).
        """
        here = data.dummy or not data.symbol.dynamic
        return here and "optional" not in data.symbol.attributes and data.home == data.routine

    def _returns(self) -> list[Jump]:
        statements = (s.action if isinstance(s, OneLine) else s for s in flatten(self.routine.body))
        return [s for s in statements if isinstance(s, Jump) and s.kind == "return"]

    def _entry(self) -> Iterator[Edit]:
        scoped = self._scoped()
        rows = self.dialect.open_scope([self._in_scope(data) for data in scoped]) if scoped else []
        # A loop that runs once: in a block construct `data` would set no variables of the procedure.
        rows += [f"{_DATA}: do"] if scoped and self._returns() else []
        # A block right after ``target data`` would be all of that construct (OpenMP 5.2, 1.2.2).
        begins = self.routine.body[0] if self.routine.body else None
        rows += ["continue"] if scoped and isinstance(begins, Construct) and begins.kind == "block" else []
        for data in self._held():
            if data not in scoped and (
                not (data.symbol.dynamic and data.local) or keeps_value(self.routine, data.name)
            ):
                rows += self._enter(data, self.routine.header)
        if rows:
            at = (
                self.rows.above(self.routine.body_first)
                if self.routine.body_first >= 0
                else self.routine.spec_insert + 1
            )
            yield insert_lines(at, [self._margin + row for row in rows], 8, self.routine.header.first)

    def _in_scope(self, data: DataObject) -> Scoped:
        return Scoped(self.handle(data.name, self.routine.header), self._goes_there(data), self._goes_back(data))

    def _enter(self, data: DataObject, line: LogicalLine, values: bool = False) -> list[str]:
        """Bring an array to the device, with its values where it has some that may matter: ``values`` says that a
        local one has.
        """
        return self.dialect.enter(self.handle(data.name, line, self._flag(data)), values or self._goes_there(data))

    def _leave_rows(self, line: LogicalLine) -> list[str]:
        held = [(data, self._goes_back(data)) for data in reversed(self._held()) if data not in self._scoped()]
        if isinstance(self.dialect, DataDirectives) and self._share([data.name for data, _ in held]):
            held.sort(key=lambda one: one[1])  # the last name of an array decides whether it is copied
        handles = [(self.handle(data.name, line, self._flag(data)), back) for data, back in held]
        rows = [row for handle, back in handles for row in self.dialect.leave(handle, back)]
        return [*(row for name in self._value() for row in self.dialect.update_host(self.handle(name, line))), *rows]

    def _value(self) -> list[str]:
        """The array that is the function's value: callers may have its memory on the device, so that nothing is copied
        when it leaves.
        """
        return [name for home, name in value_of(self.facts, self.key) if name in self.arrays]

    def _share(self, names: Sequence[str]) -> bool:
        """Whether two of the names may mean one array."""
        return any(self.facts.storage.shared(a, b, self.key) for a, b in itertools.combinations(names, 2))

    def _goes_there(self, data: DataObject) -> bool:
        """Whether values of an array are copied to the device when the routine begins."""
        if self.states.of(data.name, self.key) == LOCAL:
            return self._born_with_values(data) and not data.symbol.dynamic
        return self.states.copies(data.name, self.key)[0]

    def _born_with_values(self, data: DataObject) -> bool:
        """Whether the type of an array's objects gives them values where their life begins, on the host."""
        return set_at_birth(data.symbol, data.home, self.facts.scopes)

    def _goes_back(self, data: DataObject) -> bool:
        """Whether an array is copied to the host when it leaves the device."""
        if data.name in self._value():
            return False
        return self.states.of(data.name, self.key) == TRANSFER and self.states.copies(data.name, self.key)[1]

    def _exits(self) -> Iterator[Edit]:
        last_row = self._end_row()
        if last_row is None or not (self._held() or self._value()):
            return
        for node in flatten(self.routine.body):
            if isinstance(node, OneLine) and isinstance(node.action, Jump) and node.action.kind == "return":
                yield self._opened(node)
            elif isinstance(node, Jump) and node.kind == "return" and not self._in_one_line(node):
                yield from self._before_return(node)
        assert self.routine.end is not None
        rows = self._leave_rows(self.routine.end)
        if self._scoped():
            ends = [f"exit {_DATA}", f"end do {_DATA}"] if self._returns() else []
            rows = [
                *ends,
                *rows,
                *self.dialect.close_scope(),
                *([f"return {_RETURN}"] if self._goes_elsewhere() else []),
            ]
        if rows:
            yield from self.rows.move_label(self.routine.end, last_row, _END_LABEL)  # a jump there is a return
        yield insert_lines(last_row, [self._margin + row for row in rows], -2, self.routine.end.first)

    def _before_return(self, jump: Jump) -> Iterator[Edit]:
        """The copies before a return, or the way out of the construct in its place."""
        if not self._scoped():
            yield from self.rows.before(jump.line, self._leave_rows(jump.line), 12)
            return
        yield from self.rows.before(jump.line, self._chosen(jump), 12)
        yield replace_range(jump.line, 0, len(jump.line.text), f"exit {_DATA}")

    @staticmethod
    def _chosen(jump: Jump) -> list[str]:
        """What keeps to which label of the caller's a return goes."""
        return [f"{_RETURN} = {printed(expr, jump.line.text)}" for expr in jump.exprs]

    def _goes_elsewhere(self) -> bool:
        """Whether a ``return`` goes to a label of the caller's."""
        return any(jump.exprs for jump in self._returns())

    def _in_one_line(self, jump: Jump) -> bool:
        return any(isinstance(s, OneLine) and s.action is jump for s in flatten(self.routine.body))

    def _opened(self, statement: OneLine) -> Edit:
        """``if (c) return`` as a block, with the copies before the return (B5), or as the way out of the block."""
        line, jump = statement.line, statement.action
        assert isinstance(jump, Jump)
        rows, action = self._leave_rows(line), line.text[statement.begin :]
        if self._scoped():
            rows, action = self._chosen(jump), f"exit {_DATA}"
            if not rows:
                return replace_range(line, statement.begin, len(line.text), action)
        margin = self.rows.margin(line)
        text = "\n".join(["then", *(f"{margin}  {row}" for row in (*rows, action)), f"{margin}end if"])
        return replace_range(line, statement.begin, len(line.text), text)

    def _end_row(self) -> int | None:
        """The physical line before which the routine's last statements are."""
        if self.routine.end is None:
            return None
        unit = self.facts.application.file(self.key).units[self.routine.unit]
        if unit.contains >= 0:
            return self.facts.application.file(self.key).lines[unit.contains].first
        return self.routine.end.first

    # -- allocatable arrays and pointers

    def _memory(self) -> Iterator[Edit]:
        """After ``allocate`` an array goes to the device, before ``deallocate`` it leaves it."""
        held, freeable = self._dynamic, self._freeable
        below = memory_below(self.effects, self.key) if freeable else {}
        ifs = {id(s.action): s for s in flatten(self.routine.body) if isinstance(s, OneLine) and s.kind == "if"}
        for statement in flatten(self.routine.body):
            if isinstance(statement, Memory) and statement.kind == "allocate":
                yield from self._behind_allocate(statement, held)
            elif isinstance(statement, Memory) and statement.kind == "deallocate":
                yield from self._before_free(statement, ifs.get(id(statement)))
            elif isinstance(statement, Statement):
                yield from self._behind_setup(statement, held, below.get(id(statement), ()))

    def _behind_allocate(self, statement: Memory, held: dict[str, DataObject]) -> Iterator[Edit]:
        values = any(isinstance(o, Keyword) and o.name == "source" for o in statement.options)
        rows: list[str] = []
        for data in (held[n] for i in statement.items if (n := _base(i)) in held):
            rows += self._enter(data, statement.line, values or self._born_with_values(data))
        yield from self.rows.behind(statement.line, rows, -8)

    def _before_free(self, statement: Memory, chosen: OneLine | None) -> Iterator[Edit]:
        """Before ``deallocate``; where that is the action of a one-line ``if``, only if it is done."""
        rows = self.freed(statement)
        if chosen is None:
            yield from self.rows.before(statement.line, rows, 11)
        elif rows and id(chosen) not in self.opened:
            self.opened.add(id(chosen))
            yield from as_block(self.rows, chosen, rows)

    def freed(self, statement: Statement) -> list[str]:
        """What lets arrays leave the device that a statement frees."""
        if not isinstance(statement, Memory) or statement.kind != "deallocate":
            return []
        rows: list[str] = []
        for name in (n for i in statement.items if (n := _base(i)) in self.arrays):
            data = self._dynamic.get(name)
            if data is not None:
                rows += self.dialect.leave(self.handle(name, statement.line, self._flag(data), tested=False), False)
            else:
                rows += self.dialect.freed(self.handle(name, statement.line))
        return rows

    def _behind_setup(
        self, statement: Statement, held: dict[str, DataObject], below: Collection[tuple[Identity, str]]
    ) -> Iterator[Edit]:
        """A call that may allocate an array or associate a pointer of this routine, or free an array."""
        may = self._freeable
        given = [r for r in self.references.get(id(statement), ()) if r.role == "argument" and r.name in may]
        known = {name: {kind for i, kind in below if i == d.identity} for name, d in may.items()} if below else {}
        # Maybe not in every run: their values go back.
        freed = dict.fromkeys(name for name, kinds in known.items() if "deallocate" in kinds)
        freed |= dict.fromkeys(r.name for r in given if self.leaves_for(r, r.name))
        self._aside.update(freed)
        rows: list[str] = []
        for name in freed:
            handle = self.handle(name, statement.line, self._flag(held[name]) if name in held else "")
            yield from self.rows.before(statement.line, self.dialect.set_aside(handle), 11)
            rows += self.dialect.take_back(handle)
        allocated = [name for name, kinds in known.items() if "allocate" in kinds]
        allocated += [r.name for r in given if r.name in held and self.may_allocate(r)]
        for name in dict.fromkeys(n for n in allocated if n in held and n not in freed):
            rows += self._enter(held[name], statement.line)
        if rows and branches(statement):
            message = (
                "a function that this statement calls before it branches may allocate or free an array on the device"
            )
            place = statement.line.place(self.routine.file)
            self.found.append(error("HF603", message, place, "call it in a statement of its own before"))
            return
        yield from self.rows.behind(statement.line, rows, -8)

    def leaves_for(self, reference: Reference, name: str) -> bool:
        """Whether an array leaves the device for a call that may free its memory: another array may have that
        before the call is over.
        """
        if reference.role != "argument" or reference.name != name or name not in self._freeable:
            return False
        if not self.dialect.parts and self._dynamic[name].identity in self.states.resident(self.key):
            return False  # see DeviceData: directives cannot take it from the device
        met = [(site, d) for site, d in dummies_met(self.facts, self.key, reference) if d is not None]
        expected = any(self.states.decided(d.name, site.callee) == PRESENT for site, d in met)
        return not expected and frees_below(self.facts, reference, self.key)

    def _flag(self, data: DataObject) -> str:
        """The variable that remembers whether an allocatable array or a pointer was brought to the device here."""
        asked = data.symbol.dynamic and data not in self._scoped()
        return derived("hf_entered_", data.name) if asked else ""

    def _flags(self) -> Iterator[Edit]:
        kept = [*map(remembered, sorted(self._remembered)), *map(kept_aside, sorted(self._aside))]
        if kept and self.dialect.parts:
            row = f"{self._margin}integer(8) :: {', '.join(kept)}"
            yield insert_lines(self.routine.spec_insert + 1, [row], 1, self.routine.header.first)
        names = [flag for d in self._held() if (flag := self._flag(d))]
        names += [_RETURN] if self._scoped() and self._goes_elsewhere() else []
        if names:
            margin = self._margin
            rows = [f"{margin}integer(4) :: {', '.join(names)}"]
            yield insert_lines(self.routine.spec_insert + 1, rows, 1, self.routine.header.first)
            body = self.routine.body_first
            before = self.rows.above(body) if body >= 0 else self.routine.spec_insert + 1
            yield insert_lines(before, [f"{margin}{n} = 0" for n in names], 7, self.routine.header.first)

    def _defined_pointers(self) -> Iterator[Edit]:
        """``nullify`` for pointers that generated code asks for before the user's sets them, here or in an internal
        procedure: they are undefined when the routine begins (Fortran 2018, 19.5.2.5), and may not be asked for.
        """
        names = {n for n in self._asked if self._undefined(self.facts.object(n, self.key))}
        application = self.facts.application
        for number in application.unit(self.key).children:
            key = unit_key(application.file(self.key), number)
            met = (self.facts.object(r.name, key) for r in self.facts.references.get(key, ()))
            names |= {data.name for data in met if data is not None and self._undefined(data)}
        if names:
            body = self.routine.body_first
            before = self.rows.above(body) if body >= 0 else self.routine.spec_insert + 1
            rows = wrap_line(f"{self._margin}nullify({', '.join(sorted(names))})")
            yield insert_lines(before, rows, 7, self.routine.header.first)

    def _undefined(self, data: DataObject | None) -> bool:
        """Whether a variable is an array pointer of this routine that points nowhere known when the routine begins."""
        if data is None or data.home != self.key or not data.rank or "pointer" not in data.symbol.attributes:
            return False
        given = data.dummy and data.symbol.intent != "out"
        return not given and not keeps_value(self.routine, data.name)

    def _outside_of_frames(self) -> Iterator[Edit]:
        """``save`` for arrays of a main program with internal procedures, which keep their values anyway (Fortran 2018,
        8.5.16). Otherwise GCC 12 has all variables that internal procedures name in one object, which it brings to the
        device for their regions, and which must not have parts there.
        """
        inner = self.facts.application.routines_of(self.key)
        if self.routine.kind != "program" or not self.dialect.scopes or not inner:
            return
        saved = {symbol.name for symbol in large_in_main(self.facts, self.routine)}
        objects = (self.facts.object(name, self.key) for name in self.arrays if name not in saved)
        own = [
            d.name for d in objects if d is not None and d.home == self.key and not keeps_value(self.routine, d.name)
        ]
        if own:
            rows = wrap_line(f"{self._margin}save :: {', '.join(own)}")
            yield insert_lines(self.routine.spec_insert + 1, rows, 2, self.routine.header.first)

    # -- text

    def handle(self, name: str, line: LogicalLine, flag: str = "", tested: bool = True) -> Handle:
        """An array for the dialect: tested for being there where it may not be, unless asked otherwise."""
        data = self.facts.object(name, self.key)
        symbol = data.symbol if data is not None else self.foreign.get(name)
        pointer = symbol is not None and "pointer" in symbol.attributes
        if pointer and tested:
            self._asked.add(name)
        if symbol is not None and symbol.old_size is not None:
            self._old_sizes[name] = symbol.old_size
        test = ""
        if symbol is not None and symbol.dynamic:
            test = f"associated({name})" if pointer else f"allocated({name})"
        elif symbol is not None and "optional" in symbol.attributes:
            test = f"present({name})"
        place = self.facts.application.shown_place(self.key, line)
        declared = data is not None and data.identity in self.declared
        rank = data.rank if data is not None else 0
        behind = name in self._old_sizes or (symbol is not None and any(d.form == "star" for d in symbol.shape))
        inside = name in self.foreign and isinstance(fragment(name).expr, Component)
        return Handle(
            name, place, test if tested else "", flag, declared, pointer, rank=rank, behind=behind, component=inside
        )

    def _with_unknown_sizes(self) -> Iterator[Edit]:
        """Arrays declared with 1 that are copied get ``*``: a copy would have one element of them."""
        for name, place in self._old_sizes.items():
            made = with_unknown_size(name, place, self.routine.file)
            if isinstance(made, Diagnostic):
                self.found.append(made)
            else:
                yield made

    @property
    def _margin(self) -> str:
        return " " * (self.routine.header.segments[0][2] + 2)


def _base(expr: Expr) -> str:
    node = expr.base if isinstance(expr, Apply) else expr
    return node.name if isinstance(node, Name) else ""
