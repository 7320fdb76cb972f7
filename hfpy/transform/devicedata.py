"""Copies between host and device in host code: when a routine begins and ends, and around statements that touch
arrays whose valid copy is on the device.

Host arrays stay the handles; every call below names the host array (hybrid-fortran.md §7, with the table of
:mod:`hfpy.analyze.states`). A statement, or a whole construct that starts nothing on the device, is one unit: what it
reads comes to the host before it, what it writes goes to the device behind it. What only a branch of an ``if`` or a
``select`` touches is copied within this branch.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence

from hfpy.analyze.calls import dummies_met
from hfpy.analyze.commonparts import divided_otherwise
from hfpy.analyze.domains import DataObject
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.offloaded import Offloaded
from hfpy.analyze.states import LOCAL, TRANSFER, States
from hfpy.analyze.storage import Identity
from hfpy.analyze.uses import Reference
from hfpy.diagnostics import error
from hfpy.model.distributed import takes_buffer
from hfpy.model.expressions import Apply, Expr, Keyword, Name
from hfpy.model.names import derived
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Call, Construct, Header, Jump, Memory, Node, OneLine, Statement, flatten
from hfpy.model.units import Routine
from hfpy.transform.accesses import AccessRewriter
from hfpy.transform.datadialect import DataDialect, DataDirectives, Handle, remembered
from hfpy.transform.edits import Edit, insert_lines, replace_range
from hfpy.transform.hoststatements import HostStatements
from hfpy.transform.imports import Imports
from hfpy.transform.packed import packed_copies, packed_rows
from hfpy.transform.reallocated import allocates_below, memory_below
from hfpy.transform.rows import Rows
from hfpy.transform.touched import Touched

_BRANCHES = ("if", "select")


class DeviceData(HostStatements):
    """Edits of one routine that keep host and device copies in step, in the words of a dialect.

    ``declared`` are the module arrays that have memory on the device all the time.
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
        """``copies`` are statements that stand for copies already."""
        super().__init__(facts, effects, states, imports, routine, dialect, copies)
        self.declared: frozenset[tuple[str, str]] = frozenset()
        self.rows = Rows(facts.application.file(routine.key), routine)
        self.accesses = AccessRewriter(facts, routine)
        self._offloaded = Offloaded(facts, routine)
        self._remembered: set[str] = set()
        self._held_once: list[DataObject] | None = None

    def edits(self) -> Iterator[Edit]:
        """All edits of the routine."""
        if not self.arrays and not self.states.resident(self.key):
            return
        self.found += [*self.traffic.conflicts(), *divided_otherwise(self.states, self.key)]
        yield from self._nodes(self.routine.body)
        yield from self._entry()
        yield from self._exits()
        yield from self._memory()
        yield from self._flags()
        for line in self.rows.unplaced:
            message = "a copy to the device has no place behind this statement, which ends a loop by its label"
            self.found.append(error("HF603", message, line.place(self.routine.file), "let the loop end on a continue"))
        self.found[:] = dict.fromkeys(self.found)  # a statement can be looked at twice

    # -- begin and end of the routine

    def _held(self) -> list[DataObject]:
        """Arrays that the routine itself brings to the device and takes back."""
        if self._held_once is None:
            self._held_once = self._find_held()
        return self._held_once

    def _find_held(self) -> list[DataObject]:
        objects = (self.facts.object(n, self.key) for n in self.arrays)
        return [d for d in objects if d is not None and self.states.of(d.name, self.key) in (TRANSFER, LOCAL)]

    def _entry(self) -> Iterator[Edit]:
        rows: list[str] = []
        for data in self._held():
            if not (data.symbol.dynamic and data.local):
                rows += self._enter(data, self.routine.header)
        if rows:
            at = (
                self.rows.above(self.routine.body_first)
                if self.routine.body_first >= 0
                else self.routine.spec_insert + 1
            )
            yield insert_lines(at, [self._margin + row for row in rows], 8, self.routine.header.first)

    def _enter(self, data: DataObject, line: LogicalLine, values: bool = False) -> list[str]:
        """Bring an array to the device, with its values where it has some that may matter: ``values`` says that a
        local one has.
        """
        known = self.states.of(data.name, self.key) != LOCAL and self.states.copies(data.name, self.key)[0]
        copy = values or known
        return self.dialect.enter(self.handle(data.name, line, self._flag(data)), copy)

    def _leave_rows(self, line: LogicalLine) -> list[str]:
        held = [(data, self._goes_back(data)) for data in reversed(self._held())]
        if isinstance(self.dialect, DataDirectives) and self._share([data.name for data, _ in held]):
            held.sort(key=lambda one: one[1])  # the last name of an array decides whether it is copied
        handles = [(self.handle(data.name, line, self._flag(data)), back) for data, back in held]
        return [row for handle, back in handles for row in self.dialect.leave(handle, back)]

    def _share(self, names: Sequence[str]) -> bool:
        """Whether two of the names may stand for one array."""
        return any(self.facts.storage.shared(a, b, self.key) for a, b in itertools.combinations(names, 2))

    def _goes_back(self, data: DataObject) -> bool:
        """Whether an array is copied to the host when the routine ends."""
        return self.states.of(data.name, self.key) == TRANSFER and self.states.copies(data.name, self.key)[1]

    def _exits(self) -> Iterator[Edit]:
        last_row = self._end_row()
        if last_row is None or not self._held():
            return
        for node in flatten(self.routine.body):
            if isinstance(node, OneLine) and isinstance(node.action, Jump) and node.action.kind == "return":
                yield self._opened(node)
            elif isinstance(node, Jump) and node.kind == "return" and not self._in_one_line(node):
                yield from self.rows.before(node.line, self._leave_rows(node.line), 12)
        assert self.routine.end is not None
        rows = [self._margin + row for row in self._leave_rows(self.routine.end)]
        yield insert_lines(last_row, rows, -2, self.routine.end.first)

    def _in_one_line(self, jump: Jump) -> bool:
        return any(isinstance(s, OneLine) and s.action is jump for s in flatten(self.routine.body))

    def _opened(self, statement: OneLine) -> Edit:
        """``if (c) return`` as a block, with the copies before the return (B5)."""
        line = statement.line
        margin = self.rows.margin(line)
        rows = [f"{margin}  {row}" for row in self._leave_rows(line)]
        text = "\n".join(["then", *rows, f"{margin}  return", f"{margin}end if"])
        return replace_range(line, statement.begin, len(line.text), text)

    def _end_row(self) -> int | None:
        """The physical line before which the routine's last statements stand."""
        if self.routine.end is None:
            return None
        unit = self.facts.application.file(self.key).units[self.routine.unit]
        if unit.contains >= 0:
            return self.facts.application.file(self.key).lines[unit.contains].first
        return self.routine.end.first

    # -- allocatable arrays and pointers

    def _memory(self) -> Iterator[Edit]:
        """Behind ``allocate`` an array goes to the device, before ``deallocate`` it leaves it."""
        held = {d.name: d for d in self._held() if d.symbol.dynamic}
        below = memory_below(self.effects, self.key) if held else {}
        for statement in flatten(self.routine.body):
            if isinstance(statement, Memory) and statement.kind in ("allocate", "deallocate"):
                yield from self._around_memory(statement, held)
            elif isinstance(statement, Statement):
                yield from self._behind_setup(statement, held, below.get(id(statement), ()))

    def _around_memory(self, statement: Memory, held: dict[str, DataObject]) -> Iterator[Edit]:
        names = [n for i in statement.items if (n := _base(i)) in held]
        values = any(isinstance(o, Keyword) and o.name == "source" for o in statement.options)
        rows = []
        for name in names:
            data = held[name]
            if statement.kind == "allocate":
                rows += self._enter(data, statement.line, values)
            else:
                rows += self.dialect.leave(self.handle(name, statement.line, self._flag(data), tested=False), False)
        if statement.kind == "allocate":
            yield from self.rows.behind(statement.line, rows, -8)
        else:
            yield from self.rows.before(statement.line, rows, 11)

    def _behind_setup(
        self, statement: Statement, held: dict[str, DataObject], below: Collection[tuple[Identity, str]]
    ) -> Iterator[Edit]:
        """A call that may allocate an array or associate a pointer of this routine, or free an array."""
        names = []
        for name, data in held.items() if below else ():
            kinds = {kind for identity, kind in below if identity == data.identity}
            names += [name] if "allocate" in kinds else []
            if "deallocate" in kinds:  # maybe not in every run: its values go back
                freed = self.handle(name, statement.line, self._flag(data))
                yield from self.rows.before(statement.line, self.dialect.leave(freed, True), 11)
        for reference in self.references.get(id(statement), ()):
            if reference.name in held and reference.role == "argument" and self._may_allocate(reference):
                names.append(reference.name)
        rows = [row for n in dict.fromkeys(names) for row in self._enter(held[n], statement.line)]
        yield from self.rows.behind(statement.line, rows, -8)

    def _may_allocate(self, reference: Reference) -> bool:
        if takes_buffer(reference.at.statement, reference.position):
            return False
        met = dummies_met(self.facts, self.key, reference)
        if not met:
            # Any subroutine whose source is not here may, `c_f_pointer` among them.
            statement = reference.at.statement
            return isinstance(statement, Call) and reference.call is statement.designator
        dynamic = any(d is not None and d.symbol.dynamic and d.symbol.intent != "in" for _, d in met)
        return dynamic and not allocates_below(self.facts, reference, self.key)  # see _moved

    def _flag(self, data: DataObject) -> str:
        """The variable that remembers whether an allocatable array or a pointer was brought to the device here."""
        return derived("hf_entered_", data.name) if data.symbol.dynamic else ""

    def _flags(self) -> Iterator[Edit]:
        if self._remembered:
            kept = ", ".join(remembered(n) for n in sorted(self._remembered))
            row = f"{self._margin}integer(8) :: {kept}"
            yield insert_lines(self.routine.spec_insert + 1, [row], 1, self.routine.header.first)
        names = [flag for d in self._held() if (flag := self._flag(d))]
        if names:
            margin = self._margin
            rows = [f"{margin}integer :: {', '.join(names)}"]
            yield insert_lines(self.routine.spec_insert + 1, rows, 1, self.routine.header.first)
            body = self.routine.body_first
            before = self.rows.above(body) if body >= 0 else self.routine.spec_insert + 1
            yield insert_lines(before, [f"{margin}{n} = 0" for n in names], 7, self.routine.header.first)

    # -- host statements

    def _nodes(self, nodes: Sequence[Node], branch: bool = False) -> Iterator[Edit]:
        """The statements of a block; in a ``branch`` host statements that follow each other are one unit."""
        run: list[Node] = []
        for node in nodes:
            skipped = isinstance(node, Construct) and self._skipped(node)
            apart = isinstance(node, Construct) and not skipped and self._taken_apart(node)
            together = branch and not skipped and not apart and self._on_host(node)
            if run and not (together and self._on_host(run[-1])):
                yield from self._unit(run)
                run = []
            yield from self._entering(node)
            if skipped:
                continue
            if isinstance(node, Construct) and apart:
                yield from self._headers(node)
                for part in node.parts:
                    yield from self._nodes(part.body, node.kind in _BRANCHES)
            else:
                run.append(node)
        if run:
            yield from self._unit(run)

    def _on_host(self, node: Node) -> bool:
        """Whether a node can be together with others: all of it is done, and on the host, and nothing leads there."""
        for statement in flatten([node]):
            if isinstance(statement, Jump | Memory) or statement.line.label or self._works(statement):
                return False
        return True

    def _entering(self, node: Node) -> Iterator[Edit]:
        """Arrays that were allocated, and pointers that were set, since the routine began go to the device before a
        kernel or a routine with kernels that needs them.
        """
        if isinstance(node, Construct) and not self._skipped(node):
            return
        held = {d.name: d for d in self._held() if d.symbol.dynamic and self._may_change(d)}
        needed = {
            name
            for statement in (flatten([node]) if held else ())
            for reference in self.references.get(id(statement), ())
            if (name := self.device_name(reference)) in held
            and self.facts.live(reference.at, self.key)
            and self.states.stays_on_device(reference, self.key)
        }
        line = node.header.line if isinstance(node, Construct) else node.line
        handles = [self.handle(name, line, self._flag(held[name])) for name in sorted(needed)]
        rows = [row for handle in handles for row in self.dialect.enter(handle, True)]
        yield from self.rows.before(line, rows, 9)

    def _may_change(self, data: DataObject) -> bool:
        """Whether what a pointer or a module's allocatable array stands for may change while the routine runs, apart
        from its own ``allocate``.
        """
        references = self.facts.references.get(self.key, ())
        if any(r.role == "pointer" and resolve_alias(r.name, r.at)[0] == data.name for r in references):
            return True
        callees = (s.callee for s in self.facts.graph.below(self.key) if s.callee)
        return data.home != self.key and any(data.identity in self.effects.mentioned(c) for c in callees)

    def _skipped(self, node: Construct) -> bool:
        """Active regions, and ``@if`` blocks that are not in this build."""
        if node.kind == "region" and node.region is not None:
            return node.region.active(self.facts.target)
        return node.kind == "at_if" and node.condition is not None and not self.facts.holds(node.condition, self.key)

    def _taken_apart(self, node: Construct) -> bool:
        """Whether a construct holds kernels, calls that work on device data, or ways out of it."""
        if node.kind in ("region", "at_if"):
            return True
        for statement in flatten([node]):
            if isinstance(statement, Jump) and statement.kind in ("return", "goto", "exit", "cycle"):
                return True
            if self._works(statement):
                return True
        return any(isinstance(c, Construct) and c.kind == "region" for c in _below(node))

    def _works(self, statement: Statement) -> bool:
        """Whether a statement runs kernels, or hands on data that stay on the device."""
        references = self.references.get(id(statement), ())
        return self.calls.runs_kernels(statement) or any(
            self.device_name(r) and self.states.stays_on_device(r, self.key) for r in references
        )

    def arguments(self, statement: Statement) -> list[tuple[str, Reference]]:
        """The device arrays that a statement passes on, with their names in the routine."""
        given = ((self.device_name(r), r) for r in self.references.get(id(statement), ()) if r.role == "argument")
        return [(name, r) for name, r in given if name and self.facts.live(r.at, self.key)]

    def cannot_update(self, name: str, reference: Reference) -> None:
        """Tell that a part of an array would have to be updated, and not the rest of it."""
        place = reference.at.statement.line.place(self.routine.file, reference.node.start, reference.node.end)
        message = f"'{name}' is passed twice, here as a section with gaps, which directives cannot update alone"
        self.found.append(error("HF603", message, place, "copy the section to an array of its own before the call"))

    def _headers(self, node: Construct) -> Iterator[Edit]:
        """What the conditions and bounds of a construct read, before it."""
        touched = Touched()
        for part in node.parts:
            if isinstance(part.header, Header):
                self.touch(part.header, touched)
                if part.header.kind == "dowhile" and touched.read:
                    place = part.header.line.place(self.routine.file)
                    message = (
                        f"the condition of this loop reads '{min(touched.read)}', whose valid copy is on the device"
                    )
                    self.found.append(error("HF601", message, place, "read it into a scalar inside the loop"))
        rows = [row for n in touched.before for row in self.dialect.update_host(self.handle(n, node.header.line))]
        for header in (p.header for p in node.parts if isinstance(p.header, Header)):
            packed = packed_rows(self, header)
            rows += packed.before
            if packed.after or touched.written or (packed.before and header.kind == "dowhile"):
                place = header.line.place(self.routine.file)
                message = "this condition calls a function that changes, or packs, an array that is on the device"
                self.found.append(error("HF603", message, place, "call it in a statement of its own before"))
                break
        yield from self.rows.before(node.header.line, rows, 10)

    def _unit(self, nodes: Sequence[Node], covered: frozenset[str] = frozenset()) -> Iterator[Edit]:
        """The copies around nodes that follow each other. What is touched under a condition only is copied under it;
        ``covered`` are arrays that are copied around all of this.
        """
        touched = Touched()
        branches: list[tuple[Node, Touched]] = []
        for node in nodes:
            if self._conditional(node):
                for statement in _conditions(node):
                    self.touch(statement, touched)
                branches.append((node, self._touched(_behind_conditions(node), True)))
                continue
            if isinstance(node, Statement):
                yield from packed_copies(self, node)
            around = self._touched(flatten([node]), isinstance(node, Construct | OneLine))
            touched.take(around, around.names)
        here = touched.names.union(*(inner.moved | inner.followed for _, inner in branches))
        for _, inner in branches:
            touched.take(inner, here)
        yield from self._around(nodes, touched, covered)
        for node, _ in branches:
            yield from self._inside(node, covered | here)

    def _touched(self, statements: Iterable[Statement], conditional: bool) -> Touched:
        touched = Touched()
        for statement in statements:
            self.touch(statement, touched, conditional)
        return touched

    def _conditional(self, node: Node) -> bool:
        """Whether a node is a choice whose conditions only read arrays, and into which lines can be put."""
        if isinstance(node, OneLine):
            if node.kind != "if" or self.rows.ends_loop(node.line):
                return False
        elif not isinstance(node, Construct) or node.kind not in _BRANCHES or node.end is None:
            return False
        touched = self._touched(_conditions(node), False)
        packed = (packed_rows(self, statement) for statement in _conditions(node))
        return not (touched.written | touched.moved | touched.followed) and not any(p.before or p.after for p in packed)

    def _inside(self, node: Node, covered: frozenset[str]) -> Iterator[Edit]:
        """The copies within the branches of a choice."""
        if isinstance(node, OneLine):
            touched = self._touched(flatten([node.action]), False)
            before, after = self._copies(touched, covered, node.line)
            if before or after:
                self._check_directives(node.line, node.line)
            yield from packed_copies(self, node, before, after)
            return
        for part in node.parts if isinstance(node, Construct) else ():
            if part.body:
                yield from self._unit(part.body, covered)

    def _copies(
        self, touched: Touched, covered: frozenset[str], line: LogicalLine
    ) -> tuple[Sequence[str], Sequence[str]]:
        """The lines before and behind what is touched."""
        dialect = self.dialect
        before = [r for n in touched.before if n not in covered for r in dialect.update_host(self.handle(n, line))]
        after = [r for n in touched.after if n not in covered for r in dialect.update_device(self.handle(n, line))]
        for name in sorted((touched.moved | touched.followed) - covered):
            rows = self._moved(name, line, name in touched.moved)
            before += rows[0]
            after += rows[1]
        return before, after

    def _around(self, nodes: Sequence[Node], touched: Touched, covered: frozenset[str]) -> Iterator[Edit]:
        """The copies before the first and behind the last of some nodes."""
        first = nodes[0].header.line if isinstance(nodes[0], Construct) else nodes[0].line
        # A loop that ends on a labelled statement has no end of its own.
        last = max([s.line for s in flatten([nodes[-1]])], key=lambda line: line.last)
        if isinstance(nodes[-1], Construct) and nodes[-1].end is not None:
            last = nodes[-1].end.line
        before, after = self._copies(touched, covered, first)
        if before or after:
            self._check_directives(first, last)
        yield from self.rows.before(first, before, 10)
        yield from self.rows.behind(last, after, -5, first)

    def _check_directives(self, first: LogicalLine, last: LogicalLine) -> None:
        """Tell that directives of the user's let the device do what is copied here as host code."""
        found = self._offloaded.error(first, last)
        self.found += [found] if found is not None else []

    def _moved(self, name: str, line: LogicalLine, valid: bool) -> tuple[list[str], list[str]]:
        """What stands around a statement that may allocate an array anew."""
        data = self.facts.object(name, self.key)
        assert data is not None
        mine = self.states.decided(name, self.key) in (TRANSFER, LOCAL)
        if not self.dialect.parts and (not mine or data.identity in self.states.resident(self.key)):
            message = f"'{name}' may be allocated anew here, while a caller has it on the device"
            hint = "allocate it in the routine that brings it to the device"
            self.found.append(error("HF603", message, line.place(self.routine.file), hint))
            return [], []
        handle = self.handle(name, line, self._flag(data) if mine else "")
        if not self.dialect.parts:
            return self.dialect.remember(handle, valid), self.dialect.moved(handle, valid)
        self._remembered.add(name)
        more = self.dialect.enter(handle, True) if mine else []
        return self.dialect.remember(handle, valid), [*self.dialect.moved(handle, valid), *more]

    # -- text

    def handle(self, name: str, line: LogicalLine, flag: str = "", tested: bool = True) -> Handle:
        """An array for the dialect: tested for being there where it may not be, unless told otherwise."""
        data = self.facts.object(name, self.key)
        symbol = data.symbol if data is not None else self.foreign.get(name)
        pointer = symbol is not None and "pointer" in symbol.attributes
        test = ""
        if symbol is not None and symbol.dynamic:
            test = f"associated({name})" if pointer else f"allocated({name})"
        elif symbol is not None and "optional" in symbol.attributes:
            test = f"present({name})"
        place = self.facts.application.shown_place(self.key, line)
        declared = data is not None and data.identity in self.declared
        return Handle(name, place, test if tested else "", flag, declared, pointer)

    @property
    def _margin(self) -> str:
        return " " * (self.routine.header.segments[0][2] + 2)


def _conditions(node: Node) -> Iterator[Statement]:
    """What a choice evaluates before its branches."""
    if isinstance(node, Construct):
        yield from (part.header for part in node.parts)
    else:
        yield node


def _behind_conditions(node: Node) -> Iterator[Statement]:
    """The statements of the branches of a choice."""
    if isinstance(node, Construct):
        for part in node.parts:
            yield from flatten(part.body)
    elif isinstance(node, OneLine):
        yield from flatten([node.action])


def _base(expr: Expr) -> str:
    node = expr.base if isinstance(expr, Apply) else expr
    return node.name if isinstance(node, Name) else ""


def _below(node: Construct) -> Iterator[Node]:
    for part in node.parts:
        for inner in part.body:
            yield inner
            if isinstance(inner, Construct):
                yield from _below(inner)
