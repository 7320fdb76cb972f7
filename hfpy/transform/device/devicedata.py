"""Copies between host and device in host code: when a routine begins and ends, and around statements that touch
arrays whose valid copy is on the device.

Host arrays stay the handles; every call below names the host array (hybrid-fortran.md §7, with the table of
:mod:`hfpy.analyze.device.states`). A statement, or a whole construct that starts nothing on the device, is one unit:
what it reads comes to the host before it, what it writes goes to the device after it. What only a branch of an ``if``
or a ``select`` touches is copied within this branch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.device.commonparts import divided_otherwise, joined_here, scalars_there
from hfpy.analyze.device.inquired import in_bounds
from hfpy.analyze.device.largerdummies import larger_than_given
from hfpy.analyze.device.states import LOCAL, TRANSFER, States
from hfpy.analyze.directives.offloaded import Offloaded
from hfpy.analyze.directives.threadsaround import copied_by_threads, parallel_blocks
from hfpy.analyze.effects.declared import read_by_blocks
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.language.uses import Reference
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Call,
    Construct,
    Header,
    InputOutput,
    Jump,
    Memory,
    Node,
    OneLine,
    Statement,
    flatten,
    leads_away,
    leaving,
    targets,
)
from hfpy.model.units import Routine
from hfpy.parse.statements.nests import own_nest
from hfpy.transform.accesses import AccessRewriter
from hfpy.transform.device.brokeninput import set_at_label
from hfpy.transform.device.datadialect import DataDialect, Scoped
from hfpy.transform.device.heldarrays import HeldArrays
from hfpy.transform.device.packed import packed_copies, packed_rows
from hfpy.transform.device.touched import Touched
from hfpy.transform.imports import Imports
from hfpy.transform.text.edits import Edit

_BRANCHES = ("if", "select")
_BEHIND_LABEL = 6  # between a label and what else comes before its statement


class DeviceData(HeldArrays):
    """Edits of one routine that keep host and device copies in step, in the words of a dialect."""

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
        self.accesses = AccessRewriter(facts, routine)
        self._offloaded = Offloaded(facts, routine)
        self._labels_behind: dict[int, LogicalLine] = {}  # the statements at which input goes on that is before them

    def edits(self) -> Iterator[Edit]:
        """All edits of the routine."""
        if not self.arrays and not self.states.resident(self.key):
            return
        self.found += [*self.traffic.conflicts(), *divided_otherwise(self.states, self.key)]
        self.found += scalars_there(self.states, self.key)
        self.found += larger_than_given(self.states, self.key)
        self.found += joined_here(self.states, self.key) if self.dialect.scopes else ()
        yield from self._nodes(self.routine.body)
        yield from self._entry()
        yield from self._exits()
        yield from self._memory()
        yield from self._flags()
        yield from self._defined_pointers()
        yield from self._outside_of_frames()
        yield from self._with_unknown_sizes()
        for line in self.rows.unplaced:
            message = "a copy to the device has no place after this statement, which ends a loop by its label"
            self.found.append(
                error("HF603", message, line.place(self.routine.file), "let the loop end on a continue of its own")
            )
        self.found[:] = dict.fromkeys(self.found)  # a statement can be looked at twice

    # -- host statements

    def _nodes(self, nodes: Sequence[Node], branch: bool = False) -> Iterator[Edit]:
        """The statements of a block; in a ``branch`` host statements that follow each other are one unit, and so are
        those in one parallel construct of the user's: copies between them would be made by each thread. Input and the
        ``continue`` behind it at which it goes on are one, too; the label of another statement there goes to one.
        """
        run: list[Node] = []
        for node in nodes:
            skipped = isinstance(node, Construct) and self._skipped(node)
            apart = isinstance(node, Construct) and not skipped and self._taken_apart(node)
            together = branch and not skipped and not apart and self._on_host(node)
            by_threads = not skipped and not apart and run and self._by_one_team(run[-1], node)
            at_label = bool(run) and self._goes_on_at(run[-1], node)
            if at_label and not (isinstance(node, Jump) and node.kind == "continue"):
                self._labels_behind[id(run[-1])] = _line(node)
                at_label = False
            if run and not by_threads and not at_label and not (together and self._on_host(run[-1])):
                yield from self._unit(run)
                run = []
            yield from self._entering(node)
            if skipped:
                yield from self._bounds(node)
                continue
            if isinstance(node, Construct):
                sizes = read_by_blocks(self.facts, self.key, (node,)).intersection(self.arrays)
                yield from self._read_before(node, sizes.union(self.calls.in_blocks(node)))
            if isinstance(node, Construct) and apart:
                yield from self._headers(node)
                for part in node.parts:
                    yield from self._nodes(part.body, node.kind in _BRANCHES)
            else:
                run.append(node)
        if run:
            yield from self._unit(run)

    def _goes_on_at(self, one: Node, other: Node) -> bool:
        """Whether a statement right behind input or output is where that goes on in all cases, and nothing else."""
        line = _line(other)
        if not isinstance(one, InputOutput) or not line.label or line.file or self.rows.ends_loop(line):
            return False
        return {*targets(one)} == {line.label} and self._arrivals[line.label] == 1

    @cached_property
    def _arrivals(self) -> Counter[str]:
        """How many statements may go on at each label."""
        return Counter(label for statement in flatten(self.routine.body) for label in {*targets(statement)})

    def _by_one_team(self, one: Node, other: Node) -> bool:
        """Whether two nodes are in one parallel construct of the user's, and the host does all of them."""
        rows = [(node.header if isinstance(node, Construct) else node).line.first for node in (one, other)]
        if not any(first < min(rows) and max(rows) < last for first, last in self._teams):
            return False
        return not any(isinstance(s, Memory) or self._works(s) for s in flatten([one, other]))

    @cached_property
    def _teams(self) -> list[tuple[int, int]]:
        return parallel_blocks(self.facts.application.file(self.key), self.routine)

    def _on_host(self, node: Node) -> bool:
        """Whether a node can be together with others: all of it is done, and on the host, and nothing leads there."""
        for statement in flatten([node]):
            if isinstance(statement, (Jump, Memory)) or statement.line.label or self._works(statement):
                return False
        return True

    def _entering(self, node: Node) -> Iterator[Edit]:
        """Arrays that were allocated, and pointers that were set, since the routine began go to the device before a
        kernel or a routine with kernels that needs them.
        """
        if isinstance(node, Construct) and not self._skipped(node):
            return
        yield from self._for_this_alone(node)
        held = {d.name: d for d in self._held() if d.symbol.dynamic and self._may_change(d)}
        needed = {
            name
            for statement in (flatten([node]) if held else ())
            for reference in self.references.get(id(statement), ())
            if (name := self.device_name(reference)) in held
            and self.facts.live(reference.at, self.key)
            and self.states.stays_on_device(reference, self.key)
        }
        line = _line(node)
        handles = [self.handle(name, line, self._flag(held[name])) for name in sorted(needed)]
        rows = [row for handle in handles for row in self.dialect.enter(handle, True)]
        yield from self.rows.before(line, rows, 9)

    def _bounds(self, node: Node) -> Iterator[Edit]:
        """Arrays whose elements are bounds of a region go to the host before it, which starts the kernel."""
        region = node.region if isinstance(node, Construct) else None
        if region is None or not isinstance(node, Construct):
            return
        touched = Touched()
        for loop in own_nest(node.body, region.iterators) if region.loops else ():
            self.touch(loop.header, touched)
        yield from self._read_before(
            node, touched.read | in_bounds(self.facts, self.key, region).intersection(self.arrays)
        )

    def _read_before(self, node: Construct, names: Iterable[str]) -> Iterator[Edit]:
        """Arrays go to the host before a construct, which reads them."""
        line = node.header.line
        found = [name for name in sorted(names) if not self.states.as_on_host(name, self.key)]
        rows = [row for name in found for row in self.dialect.update_host(self.handle(name, line))]
        yield from self.rows.before(line, rows, 10)

    def _for_this_alone(self, node: Node) -> Iterator[Edit]:
        """A block with data around a call that needs arrays which are there for it alone; regions say it themselves."""
        if isinstance(node, Construct):
            return
        given = (self.facts.object(n, self.key) for s in flatten([node]) for n, _ in self.arguments(s))
        needed = {d.name: d for d in given if d is not None and self.transient(d)} if self._works_below(node) else {}
        if needed:
            arrays = [Scoped(self.handle(name, node.line), True, True) for name in sorted(needed)]
            yield from self.rows.before(node.line, self.dialect.open_scope(arrays), 9)
            yield from self.rows.behind(node.line, self.dialect.close_scope(), -6)

    def _works_below(self, node: Statement) -> bool:
        return any(self._works(statement) for statement in flatten([node]))

    def _may_change(self, data: DataObject) -> bool:
        """Whether what a pointer or a module's allocatable array means may change while the routine runs, apart
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
        if any(leaving(node)) or any(self._works(statement) for statement in flatten([node])):
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
                branches.append((node, self._behind_conditions(node)))
                continue
            if isinstance(node, Statement):
                yield from packed_copies(self, node)
            around = self._touched(flatten([node]), isinstance(node, (Construct, OneLine)))
            touched.take(around, around.names)
        renamed = self.by_targets(list(flatten(list(nodes))), touched)
        here = touched.names.union(*(inner.moved | inner.followed for _, inner in branches))
        for node, inner in branches:
            for name, meant in renamed.items():
                inner.rename(name, meant)
            here |= self.by_other_names(node, inner, here)
        for _, inner in branches:
            touched.take(inner, here)
        yield from self._around(nodes, touched, covered)
        for node, _ in branches:
            yield from self._inside(node, covered | here | touched.names | renamed.keys())

    def _behind_conditions(self, node: Node) -> Touched:
        """What the branches of a choice touch."""
        found = Touched()
        for body in _branches(node):
            inner = self._touched(body, True)
            self.by_targets(body, inner)
            found.take(inner, inner.names)
        return found

    def _touched(self, statements: Iterable[Statement], conditional: bool) -> Touched:
        touched = Touched()
        for statement in statements:
            self.touch(statement, touched, conditional)
        return touched

    def _conditional(self, node: Node) -> bool:
        """Whether a node is a choice whose conditions only read arrays, and into which lines can be put: no statement
        in it goes on behind those.
        """
        if isinstance(node, OneLine):
            if node.kind != "if" or self.rows.ends_loop(node.line):
                return False
        elif not isinstance(node, Construct) or node.kind not in _BRANCHES or node.end is None:
            return False
        if isinstance(node, Construct) and any(any(leaving(n)) for part in node.parts for n in part.body):
            return False
        touched = self._touched(_conditions(node), False)
        packed = (packed_rows(self, statement) for statement in _conditions(node))
        return not (touched.written | touched.moved | touched.followed) and not any(p.before or p.after for p in packed)

    def _inside(self, node: Node, covered: frozenset[str]) -> Iterator[Edit]:
        """The copies within the branches of a choice."""
        if isinstance(node, OneLine):
            touched = self._touched(flatten([node.action]), False)
            self.by_targets(list(flatten([node.action])), touched)
            before, moved, copied = self._copies(touched, covered, node.line)
            after = [*moved, *copied]
            if before or after:
                self._check_directives(node.line, node.line, bool(after), inside=True)
            self.check_ways([node], after)
            yield from packed_copies(self, node, before, after)
            return
        for part in node.parts if isinstance(node, Construct) else ():
            if part.body:
                yield from self._unit(part.body, covered)

    def _copies(
        self, touched: Touched, covered: frozenset[str], line: LogicalLine
    ) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
        """The lines before what is touched, those after it which say where arrays are now, and the copies after it."""
        dialect = self.dialect
        before = [r for n in touched.before if n not in covered for r in dialect.update_host(self.handle(n, line))]
        after = [r for n in touched.after if n not in covered for r in dialect.update_device(self.handle(n, line))]
        moved = []
        for name in sorted((touched.moved | touched.followed) - covered):
            rows = self._moved(name, line, name in touched.moved)
            before += rows[0]
            moved += rows[1]
        return before, moved, after

    def _around(self, nodes: Sequence[Node], touched: Touched, covered: frozenset[str]) -> Iterator[Edit]:
        """The copies before the first and after the last of some nodes."""
        first = _line(nodes[0])
        # A loop that ends on a labelled statement has no end of its own.
        last = max([s.line for s in flatten([nodes[-1]])], key=lambda line: line.last)
        if isinstance(nodes[-1], Construct) and nodes[-1].end is not None:
            last = nodes[-1].end.line
        before, moved, copied = self._copies(touched, covered, first)
        after = [*moved, *copied]
        inside = bool(before or after) and self._by_threads(first, last, bool(after), inside=False) is not None
        if before or after:
            self._check_directives(first, last, bool(after), inside)
        self.check_ways(nodes, after)
        yield from self.rows.before(first, before, 10, inside)
        # Another array may have the memory that one had before: it is brought there (-8) when that is known.
        label = self._labels_behind.get(id(nodes[-1]))
        if label is not None:
            yield from self.rows.before(label, after, _BEHIND_LABEL, inside)
            return
        yield from self.rows.behind(last, moved, -9, first, inside)
        yield from self.rows.behind(last, copied, -5, first, inside)

    def _check_directives(self, first: LogicalLine, last: LogicalLine, after: bool, inside: bool) -> None:
        """Tell that directives of the user's let the device do what is copied here as host code, or several threads."""
        found = self._offloaded.error(first, last) or self._by_threads(first, last, after, inside)
        self.found += [found] if found is not None else []

    def _by_threads(self, first: LogicalLine, last: LogicalLine, after: bool, inside: bool) -> Diagnostic | None:
        """What is wrong with copies before and after some statements, where threads of the user's are: around a block
        that one thread does, or inside.
        """
        rows = [self.rows.above(first.first, inside), *([self.rows.below(last, inside)] if after else [])]
        found = (copied_by_threads(self.facts, self.routine, row) for row in rows)
        return next((fault for fault in found if fault is not None), None)

    def check_ways(self, nodes: Sequence[Node], after: Sequence[str]) -> None:
        """Tell that a statement may go on past the copies after it: a call at a label, an ``if`` by a jump, where its
        condition calls what changes an array, input that goes on at a label.
        """
        away = {id(statement) for node in nodes for statement in leaving(node)} if after else set[int]()
        away -= {id(one) for one, other in pairwise(nodes) if self._goes_on_at(one, other)}
        away -= self._labels_behind.keys()
        for statement in flatten(list(nodes)) if away else ():
            if isinstance(statement, Call) and id(statement) in away:
                hint = "return a number instead, and branch by it after the call"
            elif isinstance(statement, OneLine) and id(statement.action) in away and leads_away(statement.action):
                hint = "call the function in a statement of its own before"
            elif isinstance(statement, InputOutput) and id(statement) in away and self._set_at_label(statement):
                hint = "ask for 'iostat' instead, and branch by it after the statement"
            else:
                continue
            message = "an array that is on the device is changed here, and a jump may pass the copy after the statement"
            self.found.append(error("HF603", message, statement.line.place(self.routine.file), hint))

    def _set_at_label(self, statement: InputOutput) -> bool:
        """Whether what a statement sets of arrays on the device counts where it goes on at a label."""
        mine = (r for r in self.references.get(id(statement), ()) if any(self._meant(r)))
        return set_at_label(statement, mine)

    def _moved(self, name: str, line: LogicalLine, valid: bool) -> tuple[list[str], list[str]]:
        """What is around a statement that may allocate an array anew."""
        data = self.facts.object(name, self.key)
        assert data is not None
        mine = self.states.decided(name, self.key) in (TRANSFER, LOCAL)
        if not self.dialect.parts and (not mine or data.identity in self.states.resident(self.key)):
            message = f"'{name}' may be allocated anew here, while a caller has it on the device"
            hint = "allocate it in the routine that brings it to the device"
            self.found.append(error("HF603", message, line.place(self.routine.file), hint))
            return [], []
        if self.transient(data):
            return [], []
        handle = self.handle(name, line, self._flag(data) if mine else "")
        if not self.dialect.parts:
            return self.dialect.remember(handle, valid), self.dialect.moved(handle, valid)
        self._remembered.add(name)
        more = self.dialect.enter(handle, True) if mine else []
        return self.dialect.remember(handle, valid), [*self.dialect.moved(handle, valid), *more]


def _line(node: Node) -> LogicalLine:
    """The line that a node begins with."""
    return node.header.line if isinstance(node, Construct) else node.line


def _conditions(node: Node) -> Iterator[Statement]:
    """What a choice evaluates before its branches."""
    if isinstance(node, Construct):
        yield from (part.header for part in node.parts)
    else:
        yield node


def _branches(node: Node) -> Iterator[Sequence[Statement]]:
    """The statements of each branch of a choice."""
    if isinstance(node, Construct):
        yield from (list(flatten(part.body)) for part in node.parts)
    elif isinstance(node, OneLine):
        yield list(flatten([node.action]))


def _below(node: Construct) -> Iterator[Node]:
    for part in node.parts:
        for inner in part.body:
            yield inner
            if isinstance(inner, Construct):
                yield from _below(inner)
