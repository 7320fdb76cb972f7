"""Routines that are written for the whole grid (``@wholeGrid``): initial fields, input, output.

The routine becomes two. One has the user's statements and runs on the first process, with fields of the whole grid
and its sizes. The other has the user's name: it collects the parts of the fields that the first needs, calls it, and
hands out what it has set. What goes to a process is its part with the halo, so that it has all that a single process
would have. With one process there is nothing to collect, and the user's statements work on the fields themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.processes.decomposed import Cut
from hfpy.diagnostics import has_errors
from hfpy.model.statements import flatten
from hfpy.transform.distributed.sharedfields import Shared, SharedFields
from hfpy.transform.stencil.removal import removable, removals
from hfpy.transform.text.edits import Edit, insert_rows, replace_lines


class WholeGridRoutine(SharedFields):
    """The text of one routine for the whole grid; what is against it is added to ``found``."""

    def edits(self) -> Iterator[Edit]:
        """The new body of the routine, and the user's after it under a new name."""
        routine, end = self.routine, self.routine.end
        assert end is not None
        if not self._possible():
            return
        shared = [s for s in (*self._arguments(), *self._module_variables()) if s is not None]
        if has_errors(self.found):
            return
        indent = " " * (6 if self.index.fixed else routine.header.segments[0][2] + 2)
        yield replace_lines(routine.body_first, end.first - 1, [indent + row for row in self._body(shared)])
        yield insert_rows(end.last + 1, self._copy(indent if self.index.fixed else indent[2:]), 6)
        yield from removals(routine, {n for n in self._own_variables() if removable(routine, n)})

    @property
    def _name(self) -> str:
        return f"hf_whole_{self.routine.name}"

    def _possible(self) -> bool:
        routine = self.routine
        where = "" if routine.kind == "subroutine" else "it is no subroutine"
        if not routine.module and not routine.host:
            where = "it is in no module"
        if "pure" in routine.prefix or "elemental" in routine.prefix or routine.interoperable:
            where = "it is pure, elemental or bind(c)"
        if self.facts.positions.get(routine.key).above:
            where = "a region calls it"
        first = next(iter(flatten(routine.body)), None)
        if first is not None and first.line.first != self.line.first:
            self._refuse("this is not the first executable statement of the routine", "put it before all others")
            return False
        if where:
            self._refuse(f"this routine cannot be one for the whole grid: {where}")
        return not where

    def _own_variables(self) -> set[str]:
        """The local variables, which only statements and internal procedures need that are now elsewhere."""
        symbols = self.routine.spec.symbols
        needed = {n for name, symbol in symbols.items() if name in self.routine.dummies for n in symbol.names}
        return {name for name in symbols if name not in needed and name not in self.routine.dummies}

    # -- the routine with the user's name

    def _body(self, shared: Sequence[Shared]) -> Iterator[str]:
        grid = self.grid.what.name
        given = ", ".join(self.routine.dummies)
        yield f"if (hf_processes_of('{grid}') == 1) then"
        yield f"  call {self._name}({given})"
        yield "  return"
        yield "end if"
        for item in shared:
            if item.cuts:
                yield from self._collected(item)
        yield f"if (hf_is('{grid}', 0)) then"
        yield from ("  " + row for row in self._called(shared))
        yield "end if"
        for item in shared:
            if item.sets:
                yield from (self._handed_out(item) if item.cuts else self._report(item))
        for item in shared:
            if item.cuts and not item.sets and not item.dummy:
                yield from self._put(self._kept(item), item.name, item.rank, item.sizes)

    def _called(self, shared: Sequence[Shared]) -> Iterator[str]:
        """The call with the whole fields, under the sizes of the whole grid."""
        grid = self.grid.what
        whole = {s.name: self._whole(s) for s in shared if s.cuts and s.dummy}
        variables = list(self._sizes().items())
        numbers = {name: self.grid.number_of_size(name, self.routine.key) for name in self.routine.dummies}
        inside = {name: number + 1 for name, number in numbers.items() if number is not None}
        for item in shared:
            if item.cuts and not item.dummy:
                yield from self._put(item.name, self._kept(item), item.rank)
        for variable, number in variables:
            yield f"{self._own_size(number)} = hf_whole('{grid.name}', {number})"
            yield from self._swapped(variable, number)
        for item in shared:
            if item.cuts and not item.dummy:
                yield from self._put(self._whole(item), item.name, item.rank, item.sizes)
        sizes = {name: f"hf_whole('{grid.name}', {number})" for name, number in inside.items()}
        yield f"call hf_begin_whole('{grid.name}')"
        yield f"call {self._name}({', '.join(whole.get(n) or sizes.get(n) or n for n in self.routine.dummies)})"
        yield f"call hf_end_whole('{grid.name}')"
        for variable, number in variables:
            yield from self._swapped(variable, number)
        for item in shared:
            if item.cuts and not item.dummy:
                yield from self._put(item.name, self._whole(item), item.rank)
                if item.sets:
                    yield from self._put(self._kept(item), item.name, item.rank, item.sizes)

    def _put(self, source: str, target: str, rank: int, sizes: Sequence[str] = ()) -> Iterator[str]:
        """What one array has, in another one of these sizes; the first is gone then. By elements, as their orders may
        differ.
        """
        indices = self._indices(rank)
        bounds = [(f"lbound({source}, {n})", f"ubound({source}, {n})") for n in range(1, rank + 1)]
        at = ", ".join(indices)
        yield f"if (allocated({source})) then"
        yield f"  allocate({target}({', '.join(sizes or [f'{a}:{b}' for a, b in bounds])}))"
        loops = [(index, *both) for index, both in zip(indices, bounds, strict=True)]
        yield from ("  " + row for row in _nest(loops, [f"{target}({at}) = {source}({at})"]))
        yield f"  deallocate({source})"
        yield "end if"

    def _swapped(self, identity: tuple[str, str], number: int) -> Iterator[str]:
        """A variable with a local size and the routine's own for it change their values."""
        own, name = self._own_size(number), identity[1]
        if self._is_hidden(identity):
            yield f"call {self._swap(name)}({own})"
            return
        variable, other = self._size_variable(identity), self._scalar("was")
        yield from (f"{other} = {variable}", f"{variable} = {own}", f"{own} = {other}")

    def _is_hidden(self, identity: tuple[str, str]) -> bool:
        """Whether the routine has a variable of its own with the name of one of its module."""
        found = self.facts.scopes.variable(identity[1], self.routine.key)
        return identity[0] == self.routine.module and found is not None and found.home != identity[0]

    def _swap(self, name: str) -> str:
        return f"hf_swap_{name}_{self.routine.name}"

    def _swaps(self) -> Iterator[str]:
        """Routines that know variables of the module whose names the routine has for others."""
        for identity in self._sizes():
            if self._is_hidden(identity):
                name, own, other = identity[1], *(self.names.new(w, "value") for w in ("other_", "was_"))
                yield f"subroutine {self._swap(name)}({own})"
                yield f"  integer, intent(inout) :: {own}"
                yield f"  integer :: {other}"
                yield from (f"  {other} = {name}", f"  {name} = {own}", f"  {own} = {other}")
                yield f"end subroutine {self._swap(name)}"

    def _size_variable(self, identity: tuple[str, str]) -> str:
        """The name under which the routine knows a variable with a local size."""
        home, name = identity
        found = self.facts.scopes.variable(name, self.routine.key)
        if found is not None and (found.home, found.symbol.name) == identity:
            return name
        own = self.names.new("size_", name)
        self.modules[f"use {self.facts.routine(home).name}, only: {own} => {name}"] = None
        return own

    def _own_size(self, number: int) -> str:
        return self.names.scalar(f"own{number}", "", "integer")

    def _whole(self, item: Shared) -> str:
        shape = ",".join(":" for _ in range(item.rank))
        return self.names.array("all_", item.name, f"{item.type}, allocatable", shape)

    def _kept(self, item: Shared) -> str:
        shape = ",".join(":" for _ in range(item.rank))
        return self.names.array("own_", item.name, f"{item.type}, allocatable", shape)

    def _scalar(self, what: str) -> str:
        return self.names.scalar(what, "", "integer")

    def _buffer(self, item: Shared) -> str:
        letters = "".join(c for c in item.type if c.isalnum())
        return self.names.array("part_", letters, f"{item.type}, allocatable", ":")

    def _indices(self, rank: int) -> list[str]:
        return [self._scalar(f"i{n}") for n in range(1, rank + 1)]

    def _collected(self, item: Shared) -> Iterator[str]:
        """The whole field at the first process, with what all have of it."""
        grid, whole = self.grid.what.name, self._whole(item)
        if item.allocatable:
            yield f"if (allocated({item.name})) then"
        for cut in item.cuts:
            at = f"({item.name}, {cut.position + 1})"
            points = f"hf_local('{grid}', {cut.number + 1})"
            yield f"call hf_check_owned('{item.name}', {cut.position + 1}, lbound{at}, ubound{at}, {points})"
        yield f"if (hf_is('{grid}', 0)) allocate({whole}({', '.join(self._whole_bounds(item))}))"
        if item.reads or item.sets:
            yield from self._moved(item, collects=True)
        if item.allocatable:
            yield "end if"

    def _whole_bounds(self, item: Shared) -> Iterator[str]:
        """The bounds of the whole field."""
        for position in range(item.rank):
            at, cut = f"({item.name}, {position + 1})", item.cut(position)
            more = f" + {self._beyond(cut)}" if cut is not None else ""
            yield f"lbound{at}:ubound{at}{more}"

    def _beyond(self, cut: Cut) -> str:
        """The points that the whole grid has more than the part of the process."""
        at = f"'{self.grid.what.name}', {cut.number + 1}"
        return f"hf_whole({at}) - hf_local({at})"

    def _handed_out(self, item: Shared) -> Iterator[str]:
        """The parts of the whole field that the first process has set."""
        grid, whole, there = self.grid.what.name, self._whole(item), self.names.scalar("there", "", "logical")
        if not item.allocatable:
            yield from self._moved(item, collects=False)
            yield f"if (allocated({whole})) deallocate({whole})"
            return
        yield f"{there} = allocated({whole})"
        yield f"call hf_tell('{grid}', {there})"
        yield f"if (allocated({item.name}) .and. .not. {there}) deallocate({item.name})"
        yield f"if ({there}) then"
        bounds = []
        for position in range(item.rank):
            low, high = self._scalar(f"l{position + 1}"), self._scalar(f"u{position + 1}")
            cut = item.cut(position)
            yield f"if (hf_is('{grid}', 0)) {low} = lbound({whole}, {position + 1})"
            yield f"if (hf_is('{grid}', 0)) {high} = ubound({whole}, {position + 1})"
            yield f"call hf_tell('{grid}', {low})"
            yield f"call hf_tell('{grid}', {high})"
            bounds.append(f"{low}:{high}" + (f" - ({self._beyond(cut)})" if cut is not None else ""))
        yield f"if (.not. allocated({item.name})) allocate({item.name}({', '.join(item.sizes or bounds)}))"
        yield from self._moved(item, collects=False)
        yield f"if (allocated({whole})) deallocate({whole})"
        yield "end if"

    def _moved(self, item: Shared, collects: bool) -> Iterator[str]:
        """The parts of a field, one process after the other, to the first process or from it."""
        grid, whole, buffer = self.grid.what.name, self._whole(item), self._buffer(item)
        rank, at = self._scalar("rank"), self._scalar("at")
        first = {c.position: self._scalar(f"first{c.position + 1}") for c in item.cuts}
        low = [self._scalar(f"l{n + 1}") for n in range(item.rank)]
        high = [self._scalar(f"u{n + 1}") for n in range(item.rank)]
        yield f"do {rank} = 0, hf_processes_of('{grid}') - 1"
        for position in range(item.rank):
            yield from ("  " + row for row in self._span(item, position, low[position], high[position], collects))
        count = "*".join(f"max(0, {b} - {a} + 1)" for a, b in zip(low, high, strict=True))
        yield f"  allocate({buffer}({count}))"
        indices = self._indices(item.rank)
        shifted = [f"{i} + {first[p]}" if p in first else i for p, i in enumerate(indices)]
        own, others = f"{item.name}({', '.join(indices)})", f"{whole}({', '.join(shifted)})"
        one, other = (own, others) if collects else (others, own)
        loops = list(zip(indices, low, high, strict=True))
        yield f"  if (hf_is('{grid}', {rank if collects else 0})) then"
        yield from ("    " + row for row in _loops(loops, at, f"{buffer}({at}) = {one}"))
        yield "  end if"
        yield f"  call {'hf_to_first' if collects else 'hf_from_first'}('{grid}', {rank}, {buffer})"
        yield f"  if (hf_is('{grid}', {0 if collects else rank})) then"
        yield from ("    " + row for row in _loops(loops, at, f"{other} = {buffer}({at})"))
        yield "  end if"
        yield f"  deallocate({buffer})"
        yield "end do"

    def _span(self, item: Shared, position: int, low: str, high: str, collects: bool) -> Iterator[str]:
        """The indices of a process's part in a dimension. The halo is collected where the grid ends, and handed out to
        every process.
        """
        grid, cut = self.grid.what.name, item.cut(position)
        bounds = f"({item.name}, {position + 1})"
        yield f"{low} = lbound{bounds}"
        if cut is None:
            yield f"{high} = ubound{bounds}"
            return
        at = f"'{grid}', {cut.number + 1}"
        first, rank, points = self._scalar(f"first{position + 1}"), self._scalar("rank"), self._scalar("points")
        yield f"{first} = hf_first_of('{grid}', {cut.number + 1}, {rank})"
        yield f"{points} = hf_local_of('{grid}', {cut.number + 1}, {rank})"
        yield f"{high} = ubound{bounds} - hf_local({at}) + {points}"
        if collects:
            yield f"if ({first} > 0) {low} = max({low}, 1)"
            yield f"if ({first} + {points} < hf_whole({at})) {high} = min({high}, {points})"

    def _report(self, item: Shared) -> Iterator[str]:
        """What the first process has set, for all."""
        grid = self.grid.what.name
        if not item.rank:
            yield f"call hf_tell('{grid}', {item.name})"
            return
        low = [self._scalar(f"l{n + 1}") for n in range(item.rank)]
        high = [self._scalar(f"u{n + 1}") for n in range(item.rank)]
        buffer, at = self._buffer(item), self._scalar("at")
        there = self.names.scalar("there", "", "logical")
        if item.allocatable:
            yield f"{there} = allocated({item.name})"
            yield f"call hf_tell('{grid}', {there})"
            yield f"if (allocated({item.name}) .and. .not. {there}) deallocate({item.name})"
            yield f"if ({there}) then"
        for position, (a, b) in enumerate(zip(low, high, strict=True), 1):
            yield f"if (hf_is('{grid}', 0)) {a} = lbound({item.name}, {position})"
            yield f"if (hf_is('{grid}', 0)) {b} = ubound({item.name}, {position})"
            yield f"call hf_tell('{grid}', {a})"
            yield f"call hf_tell('{grid}', {b})"
            if not item.allocatable:
                there = f"{a}, {b}, lbound({item.name}, {position}), ubound({item.name}, {position})"
                yield f"call hf_check_same('{item.name}', {position}, {there})"
        if item.allocatable:
            bounds = [f"{a}:{b}" for a, b in zip(low, high, strict=True)]
            yield f"if (.not. allocated({item.name})) allocate({item.name}({', '.join(item.sizes or bounds)}))"
        count = "*".join(f"max(0, {b} - {a} + 1)" for a, b in zip(low, high, strict=True))
        yield f"allocate({buffer}({count}))"
        indices = self._indices(item.rank)
        loops = list(zip(indices, low, high, strict=True))
        element = f"{item.name}({', '.join(indices)})"
        yield f"if (hf_is('{grid}', 0)) then"
        yield from ("  " + row for row in _loops(loops, at, f"{buffer}({at}) = {element}"))
        yield "end if"
        yield f"call hf_tell('{grid}', {buffer})"
        yield from _loops(loops, at, f"{element} = {buffer}({at})")
        yield f"deallocate({buffer})"
        if item.allocatable:
            yield "end if"

    # -- the routine with the user's statements

    def _copy(self, indent: str) -> Iterator[tuple[str, int]]:
        """The user's lines under a new name, each with the line that it stems from."""
        routine, end = self.routine, self.routine.end
        assert end is not None
        header = routine.header
        yield "", header.first
        given = f"({', '.join(routine.dummies)})"
        yield f"{indent}{''.join(f'{word} ' for word in routine.prefix)}subroutine {self._name}{given}", header.first
        for row in range(header.last + 1, end.first):
            if not self.line.first <= row <= self.line.last:
                yield self.index.source.lines[row], row
        yield f"{indent}end subroutine {self._name}", end.first
        for text in self._swaps():
            yield f"{indent}{text}", header.first


def _loops(loops: Sequence[tuple[str, str, str]], at: str, statement: str) -> Iterator[str]:
    """A loop nest that counts its points."""
    yield f"{at} = 0"
    yield from _nest(loops, [f"{at} = {at} + 1", statement])


def _nest(loops: Sequence[tuple[str, str, str]], body: Sequence[str]) -> Iterator[str]:
    """A loop nest, the first index innermost."""
    for depth, (index, low, high) in enumerate(reversed(loops)):
        yield "  " * depth + f"do {index} = {low}, {high}"
    yield from ("  " * len(loops) + row for row in body)
    for depth in reversed(range(len(loops))):
        yield "  " * depth + "end do"
