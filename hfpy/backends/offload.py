"""Regions as loops under directives for a device: what OpenACC and OpenMP target have in common.

The arrays of a region are on the device already (:mod:`hfpy.transform.device.devicedata`), scalars go there with the
region. Each point has its own copies of what is private. A private variable that has a value before the region gets it
at the beginning of each point, from a copy that is only read; the value of the last point comes back through a variable
of the block around the loops. So neither depends on how points are shared out among threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.device.inquired import in_bounds, inquired
from hfpy.analyze.device.states import States, kept_there
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, stands_for
from hfpy.analyze.language.sizes import constant
from hfpy.analyze.regions.neighbours import apart, touched
from hfpy.backends.addresses import Addresses, Names, NotAddressed
from hfpy.backends.behind import behind
from hfpy.backends.c.rewriter import refused as reported
from hfpy.backends.c.values import Refusals
from hfpy.backends.called import Called, Known, not_shared, plain_type, refused
from hfpy.backends.clones import Clones, Given
from hfpy.backends.deep import deep_objects
from hfpy.backends.kindarguments import names_in_kinds
from hfpy.backends.offloadcode import KINDS, OffloadCode, lower_bounds
from hfpy.backends.offloadvariables import Variables
from hfpy.backends.openacc import interfaces
from hfpy.backends.refused import COLLECT, COMPONENTS, ELEMENT_OF_CONSTANT, FUNCTION, OUTSIDE
from hfpy.backends.sections import Sections
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, Component, walk
from hfpy.model.kernel import Block, Import
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    End,
    Header,
    Jump,
    Memory,
    OneLine,
    Statement,
    constructs,
    flatten,
    own_exits,
)
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE, expanded, fragment
from hfpy.parse.statements.nests import own_nest
from hfpy.parse.text.physical import physical
from hfpy.transform.device.queues import Asked, may_be_queued, no_effect, queued
from hfpy.transform.device.transient import is_transient
from hfpy.transform.regions.regioncode import Backend, Loop, RegionCode
from hfpy.transform.regions.regions import RegionRewriter
from hfpy.transform.regions.together import Prepared
from hfpy.transform.text.edits import Edit, insert_lines


class OffloadRewriter(RegionRewriter):
    """Edits for the regions of a routine whose backend writes directives for a device.

    ``imports`` are module variables that the routine has to import, ``blocks`` common blocks that it has to declare,
    ``uses`` are for the copies of routines (:mod:`hfpy.backends.clones`) that its regions call. ``shared`` and
    ``own`` are the arrays that some region has on the device, and those of which some region has one for each point.
    ``addressed``: the arrays are in hfpy's own table (:mod:`hfpy.backends.addresses`).
    """

    def __init__(
        self,
        facts: Facts,
        effects: Effects,
        routine: Routine,
        backend: Backend,
        called: Called,
        clones: Clones,
        addressed: bool = False,
    ) -> None:
        super().__init__(facts, effects, routine, backend)
        self.called = called
        self.clones = clones
        self.addressed = addressed
        self.imports: list[Import] = []
        self.blocks: list[Block] = []
        self.uses: list[str] = []
        self.shared: set[str] = set()
        self.own: set[str] = set()
        self.given: set[str] = set()
        self.offloaded: list[OffloadCode] = []
        self._addressed_names: dict[int, Names] = {}
        self._calls: dict[int, list[Edit]] = {}
        self.sections = Sections(routine, backend.name, called.device)

    def _atomic(self, region: Region) -> str:
        return "acc" if self.backend.name == "openacc" else "omp"

    def _looks_beside(self) -> bool:
        regions = (c.region for c in self.sharing.constructs)
        return may_be_queued(self.facts) and any(r is not None and r.queue for r in regions)

    def _beside(self, run: Sequence[Prepared]) -> Iterator[Prepared]:
        codes = {p.whole.number: p.whole for p in run}
        data = {p.whole.number: touched(self.facts, self.sharing, p.whole.number, p.whole.sharing) for p in run}
        ordered = self.backend.name == "openacc"
        asked = []
        for number, code in codes.items():
            may = isinstance(code, OffloadCode) and not code.waited_for and self._looks_beside()
            alone = not isinstance(code, OffloadCode) or bool(code.updates) or self._bounded_by_arrays(code.region)
            asked.append(Asked(number, (code.region.queue if ordered else code.region.queue and 1) * may, alone))
        found = queued(asked, lambda one, other: apart(self.facts, self.routine, data[one], data[other]), ordered)
        for made in run:
            code, placed = made.code, found[made.whole.number]
            if isinstance(code, OffloadCode):
                if code.region.queue and not placed.queue and self._looks_beside():
                    because = code.waited_for or "nothing runs beside the region"
                    self.found.append(no_effect(code.region, because))
                made = replace(made, code=replace(code, queued=placed))
            yield made

    def _bounded_by_arrays(self, region: Region) -> bool:
        """Whether the host reads arrays for the bounds of a region, which another region may have set."""
        found = (self.facts.object(name, self.routine.key) for name in in_bounds(self.facts, self.routine.key, region))
        bounds = (*region.starts, *region.ends, *region.strides)
        components = (isinstance(n, Apply) and isinstance(n.base, Component) for b in bounds for n in walk(b.expr))
        return any(components) or any(data is not None and data.rank for data in found)

    def interfaces(self) -> list[Edit]:
        """The declarations of the procedures that regions call."""
        margin = " " * (self.routine.header.segments[0][2] + 2)
        rows = [margin + row for row in interfaces(self.offloaded)]
        return [insert_lines(self.routine.spec_insert + 1, rows, 1, self.routine.header.first)] if rows else []

    def only_own(self, name: str, states: States) -> bool:
        """Whether a local array is never needed on the device: each point has its own, and nothing else is done."""
        return (
            name in self.own and name not in self.shared and not kept_there(self.facts, states, self.routine.key, name)
        )

    def check_data(self, arrays: Sequence[str]) -> None:
        """What cannot be done with the arrays that the routine has on the device, after all its regions."""
        both = sorted(self.given & set(arrays))
        if both:
            what = f"'{both[0]}', on the device for some regions and of its own for each point of others,"
            self._refuse(what, self.routine.header)

    def _nested(self, number: int) -> bool:
        """Whether a region runs within a kernel: it lies in another region, or its routine is called in one."""
        key = self.routine.key
        if self.facts.positions.get(key).above:
            return True
        construct = self.sharing.constructs[number]
        around = (c for n, c in enumerate(self.sharing.constructs) if RegionId(key, n) in self.facts.positions.regions)
        return any(inner is construct for c in around if c is not construct for inner in constructs(c.body))

    def _region(self, node: Construct, region: Region) -> Iterator[Edit]:
        yield from super()._region(node, region)
        yield from self._calls.pop(id(node), ())
        yield from self._serial_loops(node)
        yield from self.sections.declarations()
        self.found += self.sections.found
        self.sections.found = []
        names = self._addressed_names.pop(id(node), None)
        if names is None:
            return
        try:
            number = self.numbers[id(node)]
            tables = self.called.tables.get((self.routine.key, number), {})
            changed = sorted(tables.keys() & {*self.sharing.region(number).body.flow().written})
            if changed:
                what = f"'{changed[0]}', which a region changes and a routine called in it takes from its module,"
                raise NotAddressed(what)
            addresses = Addresses(self.called.device, self.routine, tables)
            self.contained.append(addresses.contained(node, number, names, self.backend.name))
        except NotAddressed as problem:
            self.found.append(not_shared(str(problem), node.header.line, self.routine.file))

    def _serial_loops(self, node: Construct) -> Iterator[Edit]:
        """OpenACC's word for loops that the user calls serial, where compilers would look for parallel ones."""
        for inner in constructs(node.body) if self.backend.name == "openacc" else ():
            header = inner.header
            if isinstance(header, Header) and header.serial:
                indent = " " * header.line.segments[0][2]
                yield insert_lines(header.line.first, [f"{indent}!$acc loop seq"], 3, header.line.first)

    def _code(self, node: Construct, region: Region) -> RegionCode:
        code = super()._code(node, region)
        number = self.numbers[id(node)]
        if self._nested(number):
            return code
        self._check_text(node)
        named = self._variables(node, code)
        self._check_results(node, code, named.results)
        own = self._objects(sorted(named.own))
        self._check_objects(node, [d for d in (*named.shared, *own) if d.name not in named.deep])
        self._check_reduced(node, [d for d in named.in_blocks if d.name in named.reduced])
        self.shared |= {d.name for d in named.shared if d.rank} - named.asked
        self.own |= {d.name for d in own if d.rank}
        self.given |= {d.name for d in named.given if d.rank}
        offloaded = self._offloaded(node, code, named)
        if self.backend.name == "openacc":
            self.offloaded.append(offloaded)
        if offloaded.addressed:
            self._addressed_names[id(node)] = _names(offloaded)
            if not code.sharing.complete:
                what = "a region with names that hfpy does not know"
                self.found.append(not_shared(what, node.header.line, self.routine.file))
        return offloaded

    def _variables(self, node: Construct, code: RegionCode) -> Variables:
        """What the directives of a region have to say of its variables."""
        body, region, sharing = self.sharing.region(self.numbers[id(node)]).body, code.region, code.sharing
        shared = self._objects(sharing.shared)
        inner = {i for c in constructs(node.body) if c.region is not None for i in c.region.iterators}
        objects = [d for d in shared if not d.rank and self._as_object(d)]
        given, results = self._objects(sharing.firstprivate), self._objects(sharing.lastprivate)
        own = {*sharing.private, *sharing.heap, *(d.name for d in (*given, *results)), *region.iterators}
        attached = self.backend.name == "openacc" and not self.addressed
        return Variables(
            shared=tuple(shared),
            written=frozenset(body.flow().written),
            reduced=frozenset(r.name for r in region.reductions),
            asked=frozenset(inquired(body)),
            objects=tuple(objects),
            plain=tuple(d for d in shared if not d.rank and d not in objects and d.name not in inner),
            own=frozenset(own | (inner & set(sharing.shared))),
            given=tuple(given),
            results=tuple(results),
            deep=deep_objects(self.facts, body, objects) if attached else {},
            in_blocks=tuple(d for d in shared if self._in_block(d)),
            transient=frozenset(d.name for d in shared if d.rank and is_transient(self.facts, self.routine.key, d)),
        )

    def _offloaded(self, node: Construct, code: RegionCode, named: Variables) -> OffloadCode:
        """The region as a kernel."""
        number = self.numbers[id(node)]
        loops = code.loops if not code.region.loops else self._own_order(node, code.region)
        updates, returned = self._updates(number, named)
        below = self._given_below(node, number)
        members = {n: rank for n, rank in below.members.items() if n not in named.names}
        whole = tuple(n for n, rank in members.items() if rank or self.backend.name == "openacc")
        others = {n: rank for n, rank in below.others.items() if n not in named.names}
        scalars = (*(n for n in members if n not in whole), *(n for n, rank in others.items() if not rank))
        tables = self.called.tables.get((self.routine.key, number))
        body = self.sharing.region(number).body
        return OffloadCode(
            **{f.name: getattr(code, f.name) for f in fields(RegionCode)},
            arrays=named.arrays,
            transient=tuple(n for n in named.arrays if n in named.transient),
            asked=tuple(d.name for d in named.shared if d.name in named.asked),
            copied=named.copied,
            scalars=(*named.only_read, *scalars),
            objects=(*named.read_objects, *whole, *(n for n, rank in others.items() if rank)),
            changed=named.changed_objects,
            deep=named.deep,
            owned=tuple(sorted(named.own)),
            given=named.given,
            results=named.results,
            constants=tuple(self._constants(node)),
            updates=updates,
            returned=returned,
            nested=self._rectangular(loops),
            last=" .and. ".join(_at_end(loop) for loop in loops),
            sections=self.sections.of(body, named.unsized, node.header.line, self.addressed),
            members=(*named.members, *whole),
            addressed=self.addressed and bool(named.arrays or tables),
        )

    def _updates(self, number: int, named: Variables) -> tuple[tuple[Known, ...], tuple[Known, ...]]:
        """The module variables that the device must have for a region, and those that it gives back."""
        local, imports, problems = self.called.updates(self.routine, number)
        scalars = (*named.plain, *named.objects)
        returned = self.called.own_updates(self.routine, [d.name for d in scalars if d.name in named.written])
        returned += self.called.own_updates(self.routine, sorted(named.reduced - {v.name for v in returned}))
        local += self.called.own_updates(self.routine, [d.name for d in scalars])
        self.imports += imports
        self.found += problems
        return tuple(dict.fromkeys((*local, *returned))), tuple(returned)

    def _given_below(self, node: Construct, number: int) -> Given:
        """What the region gives copies of routines that read common blocks."""
        refusals = Refusals(self.routine.file)
        given = self.clones.of(self.routine, self.backend.name, self.called.sites(self.routine.key, number), refusals)
        self.found += reported(refusals.problems)
        if given.edits and self.addressed:
            line = node.header.line
            self.found.append(not_shared("a call of a routine that reads a common block", line, self.routine.file))
        self.imports += given.imports
        self.blocks += given.blocks
        self.uses += given.uses
        self._calls[id(node)] = given.edits
        return given

    def _objects(self, names: Sequence[str]) -> list[DataObject]:
        found = (self.facts.object(name, self.routine.key) for name in names)
        return [d for d in found if d is not None]

    def _constants(self, node: Construct) -> list[DataObject]:
        """Named constants with elements that a region names. OpenACC compilers take them for variables, which they
        would copy back; so they are given variables of the same names, which statement functions do not see.
        """
        if self.backend.name != "openacc":
            return []
        body = self.sharing.region(self.numbers[id(node)]).body
        found = [d for d in self._objects(sorted(body.names())) if d.symbol.constant and d.rank]
        inside = {read.name for r in body.references for read in body.effects.read_by_function(r, body.key)}
        kinds = names_in_kinds(node.body, self.routine.key, self.facts.scopes) if found else set[str]()
        for data in found:
            if data.name in kinds:
                self._refuse(f"the constant array '{data.name}' in a kind", node.header.line, ELEMENT_OF_CONSTANT)
            if data.name in inside:
                self._refuse(f"the constant array '{data.name}' in a statement function", node.header.line, FUNCTION)
            plain = all(constant(low.expr) is not None for low in lower_bounds(data))
            if data.symbol.type.base not in KINDS or not plain:
                self._refuse(f"the constant array '{data.name}'", node.header.line)
        return found

    def _as_object(self, data: DataObject) -> bool:
        """Whether a scalar goes to the device as arrays do: of derived type; perhaps not there; in a namelist or the
        like, of which compilers make no private copies.
        """
        derived = data.symbol.type.base in ("type", "class")
        home = self.facts.application.routines.get(data.home)
        stored = home is not None and data.symbol.name in home.spec.storage
        if stored and home is not None and self.backend.name == "openmp-target":
            kinds = {g.kind for g in home.spec.groups if data.symbol.name in g.members}
            stored = kinds != {"common"}
        listed = data.identity in self.facts.scopes.in_namelists  # in another routine, perhaps
        return derived or stored or listed or "optional" in data.symbol.attributes

    def _own_order(self, node: Construct, region: Region) -> tuple[Loop, ...]:
        """The loops that a region brings, outermost first."""
        steps = region.strides or (ONE,) * len(region.domains)
        known = {
            i: Loop(i, low.text, high.text, "" if step == ONE else step.text)
            for i, low, high, step in zip(region.iterators, region.starts, region.ends, steps, strict=True)
        }
        return tuple(known[h.var] for c in own_nest(node.body, region.iterators) if isinstance(h := c.header, Header))

    def _in_block(self, data: DataObject) -> bool:
        """Whether a variable shares its memory with others by ``common`` or ``equivalence``."""
        return self.facts.storage.joint(data.identity) is not None

    def _check_reduced(self, node: Construct, reduced: Sequence[DataObject]) -> None:
        """Members of common blocks in reductions: no clause of OpenMP's takes them by another name."""
        for data in reduced if self.backend.name == "openmp-target" and not self.addressed else ():
            spec = self.facts.routine(data.home).spec
            others = {n for g in spec.groups if data.symbol.name in g.members for n in g.members}
            if any(s.rank for n, s in spec.symbols.items() if n in others):
                self._refuse(f"a reduction of '{data.name}', in a common block with arrays,", node.header.line, COLLECT)

    def _rectangular(self, loops: tuple[Loop, ...]) -> int:
        """How many loops, from the outermost, have bounds that do not depend on one another."""
        macros = self.facts.application.macros_of(self.routine.key)
        outer: set[str] = set()
        for depth, loop in enumerate(loops):
            bounds = [expanded(fragment(text), macros) for text in (loop.lower, loop.upper, loop.step) if text]
            if outer & {name for bound in bounds for name in bound.names}:
                return depth
            outer.add(loop.var)
        return len(loops)

    # -- what cannot be done

    def _refuse(self, what: str, line: LogicalLine, hint: str = "") -> None:
        self.found.append(refused(what, self.backend.name, line, self.routine.file, hint))

    def _check_text(self, node: Construct) -> None:
        """The user's own directives of the same family in a region, and names that mean others around it."""
        assert node.end is not None
        sentinel = "acc" if self.backend.name == "openacc" else "omp"
        rows = self.source.lines[node.header.line.last + 1 : node.end.line.first]
        if any(physical(row).sentinel == sentinel for row in rows):
            self._refuse(f"a region with directives !${sentinel} of its own", node.header.line)
        references = self.sharing.region(self.numbers[id(node)]).body.references
        for reference in references:
            if reference.role == "pointer" and _sets_pointer(reference.at.statement):
                self._refuse("a pointer assignment in a region", reference.at.statement.line)
                return
            if reference.role == "allocate" and stands_for(reference.name, reference.at)[0] is not None:
                what = f"to allocate or free '{reference.name}', which all points share, in a region"
                self._refuse(what, reference.at.statement.line, OUTSIDE)
                return
        if self.backend.name != "openacc":
            return  # compilers take associate names in OpenMP regions
        for reference in references:
            outer = reference.at.constructs[: reference.at.constructs.index(node)]
            named = {n for c in outer for n in getattr(c.header, "names", ())}
            if reference.name in named:
                self._refuse(
                    f"'{reference.name}', which is associated outside of the region,", reference.at.statement.line
                )
                return

    def _check_objects(self, node: Construct, objects: Sequence[DataObject]) -> None:
        line = node.header.line
        own = set(self._own_names(node))
        for data in objects:
            base = data.symbol.type.base
            if base == "character":
                self._refuse(f"the text '{data.name}'", line)
            elif base in ("type", "class") and not plain_type(self.facts, data):
                what = f"'{data.name}', whose type has allocatable or pointer components or is not known,"
                self._refuse(what, line, COMPONENTS)
            elif data.name in own and data.symbol.dynamic:
                self._refuse(f"'{data.name}', allocatable or a pointer and of its own for each point,", line)

    def _own_names(self, node: Construct) -> list[str]:
        result = self.sharing.region(self.numbers[id(node)]).result
        return [*result.private, *result.heap, *result.firstprivate, *result.lastprivate]

    def _check_results(self, node: Construct, code: RegionCode, results: Sequence[DataObject]) -> None:
        exits = own_exits(node)
        jumps = [*exits, *(s for s in flatten(node.body) if isinstance(s, Jump) and s.kind == "cycle")]
        own = code.region.loops or bool(exits)
        if results and jumps and own:
            self._refuse(f"'{results[0].name}', used after the region, with a point that ends early,", jumps[0].line)
        for data in results:
            if data.symbol.type.base not in KINDS or data.rank:
                self._refuse(f"'{data.name}', used after the region,", node.header.line)
            elif (
                data.symbol.line is None and not data.dummy
            ):  # gfortran 12 makes it local to the block around the loops
                self._refuse(f"'{data.name}', used after the region and declared nowhere,", node.header.line)

    # -- regions that bring their loops

    def _own_loops(self, node: Construct, region: Region, code: RegionCode, moved: bool) -> Iterator[Edit]:
        yield from super()._own_loops(node, region, code, moved)
        if not isinstance(code, OffloadCode):
            return
        inner = own_nest(node.body, region.iterators)[-1]
        margin = " " * (inner.header.line.segments[0][2] + 2)
        last = _last_line(inner)
        if code.last_rows and last is None:
            self._refuse("a loop that ends with a label, with variables that have a value after it,", inner.header.line)
            return
        if code.first_rows:
            rows = [margin + row for row in code.first_rows]
            yield insert_lines(inner.header.line.last + 1, rows, 1, node.header.line.first)
        if code.last_rows and last is not None:
            rows = [margin + row for row in code.last_rows]
            yield insert_lines(last.first, rows, -1, node.header.line.first)


def _last_line(loop: Construct) -> LogicalLine | None:
    """The line after all that a turn of a loop does. None where the loop ends with a label that more than the loop
    names, or on a statement that does something.
    """
    if loop.end is not None:
        return None if loop.end.line.label else loop.end.line
    *others, last = flatten(loop.body)
    label = last.line.label
    does_more = not isinstance(last, Jump) or last.kind != "continue"
    return None if does_more or any(_may_jump_to(s, label) for s in others) else last.line


def _may_jump_to(statement: Statement, label: str) -> bool:
    if isinstance(statement, Jump):
        return statement.kind == "goto" and (statement.target == label or not statement.target.isdigit())
    return not isinstance(statement, (Assignment, Call, Header, End, OneLine))


def _names(code: OffloadCode) -> Names:
    """What an addressed region names, for its procedure."""
    kept = [d.name for d in (*code.given, *code.results)]
    variables = (*code.asked, *code.copied, *code.changed, *kept)
    return Names(code.arrays, (*code.scalars, *code.objects), variables, code.owned)


def _sets_pointer(statement: Statement) -> bool:
    while isinstance(statement, OneLine):
        statement = statement.action
    return isinstance(statement, Memory) or (isinstance(statement, Assignment) and statement.pointer)


def _at_end(loop: Loop) -> str:
    if loop.step:
        return behind(f"{loop.var} + ({loop.step})", loop.upper, f"({loop.step})")
    return f"{loop.var} == {loop.upper}"
