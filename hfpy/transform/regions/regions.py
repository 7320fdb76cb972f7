"""Regions and conditions: directive lines become loops, or comments where they do not apply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.language.sizes import constant
from hfpy.analyze.regions.neighbours import side_by_side
from hfpy.analyze.regions.sharing import RoutineSharing, Sharing
from hfpy.analyze.regions.vectors import simd_plan
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Region
from hfpy.model.names import is_own, point_name, region_name
from hfpy.model.source import LogicalLine, SourceText
from hfpy.model.statements import Construct, Header, Jump, Node, constructs, flatten, own_exits, turn_ends
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import ONE, expanded
from hfpy.parse.statements.nests import own_nest
from hfpy.parse.text.physical import physical
from hfpy.transform.declarations import dims_in_use
from hfpy.transform.regions.atomics import atomic_writes
from hfpy.transform.regions.blockloops import block_loops_of, loops_of, may_go_by_blocks, storage_levels
from hfpy.transform.regions.outline import Contained, Outline, Refused, outline
from hfpy.transform.regions.regioncode import Backend, InnerLines, Loop, RegionCode
from hfpy.transform.regions.rowbodies import row_of
from hfpy.transform.regions.together import Prepared, may_be_together, together
from hfpy.transform.regions.typedfunctions import said_functions
from hfpy.transform.samekinds import SameKinds
from hfpy.transform.splits import BlockLoop, arranged
from hfpy.transform.text.edits import Edit, insert_lines, replace_lines, replace_range
from hfpy.transform.text.indent import Body


def comment_out(source: SourceText, first: int, last: int, note: str = "") -> Edit:
    """Physical lines turned into comments, in place."""
    lines = []
    for row in range(first, last + 1):
        text = source.lines[row]
        found = physical(text)
        lines.append(text if found.apart else f"{text[: found.column]}! {text[found.column :]}")
    if note:
        lines[-1] += f"  ! hfpy: {note}"
    return replace_lines(first, last, lines)


class RegionRewriter:
    """Edits for the regions and ``@if`` blocks of one routine."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine, backend: Backend) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.backend = backend
        self.source = facts.application.file(routine.key).source
        self.numbers = {id(c): n for n, c in enumerate(regions_of(routine))}
        self.sharing = RoutineSharing(facts, effects, routine)
        self.outlines: list[Outline] = []
        self.contained: list[Contained] = []
        self.found: list[Diagnostic] = []
        self.iterators: dict[str, Region] = {}
        self.left: list[Region] = []
        self.removed: list[tuple[int, int]] = []
        self.bodies: list[Body] = []
        self.block_loops: dict[int, dict[str, BlockLoop]] = {}
        self._prepared: dict[int, Prepared] = {}
        self._runs: dict[int, tuple[Construct, ...]] = {}
        if self._looks_beside():
            for run in side_by_side(routine.body, self.source):
                self._runs |= dict.fromkeys(map(id, run), run)

    def _looks_beside(self) -> bool:
        """Whether what is written of a region depends on its neighbours."""
        return self.backend.openmp and may_be_together(self.facts)

    def edits(self) -> Iterator[Edit]:
        """Edits of the whole executable part."""
        for scope in self.routine.scopes:
            if not scope.line.comment:
                yield comment_out(self.source, scope.line.first, scope.line.last)
                yield comment_out(self.source, scope.end.first, scope.end.last)
        yield from self._nodes(self.routine.body)
        within = [made.node for made in self._prepared.values() if made.whole.in_block]
        # Directives that make routines known to kernels say of those of the program that they are external.
        yield from said_functions(self.facts, self.routine, within, self.backend.openmp)

    def _nodes(self, nodes: tuple[Node, ...]) -> Iterator[Edit]:
        for node in nodes:
            if not isinstance(node, Construct):
                continue
            if node.kind == "at_if" and node.condition is not None and node.end is not None:
                first, last = node.header.line, node.end.line
                if not self.facts.holds(node.condition, self.routine.key):
                    yield self._dropped(first, last)
                    continue
                yield comment_out(self.source, first.first, first.last)
                yield comment_out(self.source, last.first, last.last)
            if node.kind == "region" and node.region is not None and node.end is not None:
                yield from self._region(node, node.region)
                if self._gone(node):
                    continue
            for part in node.parts:
                yield from self._nodes(part.body)

    def _gone(self, node: Construct) -> bool:
        """Whether a region's text was replaced as a whole, so that nothing in it is edited."""
        return any(first <= node.header.line.first <= last for first, last in self.removed)

    def _dropped(self, first: LogicalLine, last: LogicalLine) -> Edit:
        indent = " " * first.segments[0][2]
        return replace_lines(first.first, last.last, [f"{indent}! {first.text}: not in this build"])

    def _region(self, node: Construct, region: Region) -> Iterator[Edit]:
        assert node.end is not None
        opened, closed = node.header.line, node.end.line
        if RegionId(self.routine.key, self.numbers[id(node)]) not in self.facts.positions.regions:
            yield from self._inactive(node, region)
            return
        made = self._ready(node, region)
        whole, code, moved = made.whole, made.code, made.moved
        if atomic := self._atomic(region):
            yield from atomic_writes(self.source, node.body, whole.sharing.flags, atomic)
        if region.loops:
            yield from self._own_loops(node, region, code, moved)
            return
        for name in code.region.iterators:
            self.iterators.setdefault(name, region)
        self.left.append(code.region)
        for loop in () if moved else self.block_loops[code.number].values():
            self.iterators.setdefault(loop.number, region)
        self.bodies.append(
            Body(opened.first, opened.last + 1, closed.first - 1, len(code.indent) + 2 * len(code.loops))
        )
        yield replace_lines(opened.first, opened.last, self.backend.open_region(code))
        yield replace_lines(closed.first, closed.last, self.backend.close_region(code))
        yield from self._exits(node, whole, moved)

    def _ready(self, node: Construct, region: Region) -> Prepared:
        """What is to be written of a region, with its place among neighbours."""
        number = self.numbers[id(node)]
        if number not in self._prepared:
            found = [self._prepare(n, n.region) for n in self._runs.get(id(node), (node,)) if n.region is not None]
            for active, run in groupby(found, lambda made: made is not None):
                if active:
                    beside = self._beside([made for made in run if made is not None])
                    self._prepared |= {made.whole.number: made for made in beside}
        return self._prepared[number]

    def _beside(self, run: Sequence[Prepared]) -> Iterator[Prepared]:
        """Regions with nothing between them, with what they do for one another."""
        found = together(self.facts, self.sharing, run)
        for made in run:
            yield replace(made, code=replace(made.code, together=found.get(made.whole.number)))

    def _prepare(self, node: Construct, region: Region) -> Prepared | None:
        if RegionId(self.routine.key, self.numbers[id(node)]) not in self.facts.positions.regions:
            return None
        code = self._code(node, region)
        return Prepared(node, code, *self._outlined(node, region, code))

    def _atomic(self, region: Region) -> str:
        """The sentinel of the directive before a write that several points may do; empty where none do it at a time."""
        return "omp" if self.backend.openmp and not region.vector else ""

    def _outlined(self, node: Construct, region: Region, code: RegionCode) -> tuple[RegionCode, bool]:
        """Move the rows, or else the body, into a routine of its own where that pays
        (:mod:`hfpy.transform.regions.rowbodies`, :mod:`hfpy.transform.regions.outline`). Also whether it was the body,
        so that a point is left by ``return``.
        """
        if not self.backend.openmp or region.vector or code.simd:
            return code, False
        number = self.numbers[id(node)]
        if self.facts.application.options.opt and (rows := self._rows(node, code)) is not None:
            return rows, False
        by_block = block_loops_of(self.facts, self.routine.key, region, number)
        try:
            made = outline(self.facts, self.routine, node, region, self.sharing.region(number), number, by_block)
        except Refused:
            return code, False
        self.outlines.append(made)
        self.block_loops[number] = by_block
        # The routine finds the number of its block by itself.
        exits = any(loop.name for loop in code.loops)
        loops = self._loops(region, number, exits, code.sharing, {})
        return replace(code, sharing=made.sharing, loops=loops), True

    def _rows(self, node: Construct, code: RegionCode) -> RegionCode | None:
        """What is left of a region whose rows went to a routine of their own; None if they stay."""
        try:
            made, left = row_of(self.facts, self.effects, self.routine, node, self.sharing.region(code.number), code)
        except Refused:
            return None
        self.outlines.append(made)
        return replace(code, region=left, sharing=made.sharing, loops=code.loops[:-1])

    def _inactive(self, node: Construct, region: Region) -> Iterator[Edit]:
        """The body stays as straight code; a named block takes the place of ``@exit``'s loop (§3.6)."""
        assert node.end is not None
        opened, closed = node.header.line, node.end.line
        exits = [s for s in own_exits(node) if s.kind == "@exit"]
        name = region_name(self.numbers[id(node)])
        if opened.comment:
            return
        note = f"not active on the {self.facts.target}"
        yield comment_out(self.source, opened.first, opened.last, note)
        yield comment_out(self.source, closed.first, closed.last)
        if exits:
            indent = " " * opened.segments[0][2]
            yield insert_lines(opened.last + 1, [f"{indent}{name}: block"], 3, opened.first)
            yield insert_lines(closed.first, [f"{indent}end block {name}"], -3, closed.first)
            for jump in exits:
                yield _instead(jump, f"exit {name}")

    def _own_loops(self, node: Construct, region: Region, code: RegionCode, moved: bool) -> Iterator[Edit]:
        """The body's own nest serves as the loops: only directives are added around and inside it."""
        assert node.end is not None
        loops = own_nest(node.body, region.iterators)
        opened, closed = node.header.line, node.end.line
        self.left.append(code.region)
        if not opened.comment:
            yield comment_out(self.source, opened.first, opened.last)
            yield comment_out(self.source, closed.first, closed.last)
        bare = replace(code, loops=())
        before = self.backend.open_region(bare)
        after = self.backend.close_region(bare)
        outer = loops[0]
        if before:
            yield insert_lines(outer.header.line.first, before, 2, opened.first)
        if after and (outer.end is not None or len(after) > 1):  # an end directive alone may be left out after a label
            last = outer.end.line.last if outer.end is not None else max(s.line.last for s in flatten(outer.body))
            yield insert_lines(last + 1, after, -2, closed.first)
        inner = loops[-1].header.line
        begins = not self.source.lines[inner.first][: inner.segments[0][2]].strip()  # nothing before it: ``do j; do i``
        if len(loops) > 1 and code.simd and begins and isinstance(self.backend, InnerLines):
            indent = " " * inner.segments[0][2]
            lines = self.backend.inner_lines(replace(code, indent=indent, loops=()))
            yield insert_lines(inner.first, [indent + line.lstrip() for line in lines], 2, inner.first)
        for jump in own_exits(node):
            if jump.kind != "@exit":
                continue
            header = loops[-1].header
            assert isinstance(header, Header)
            target = f" {header.construct_name}" if header.construct_name else ""
            yield _instead(jump, "return" if moved else f"cycle{target}")

    def _exits(self, node: Construct, code: RegionCode, moved: bool) -> Iterator[Edit]:
        """``@exit`` leaves the region for the current point: the next turn of the innermost loop (B18)."""
        for jump in own_exits(node):
            if jump.kind == "@exit":
                yield _instead(jump, "return" if moved else f"cycle {code.loops[-1].name}")

    # -- what the backend needs

    def _code(self, node: Construct, region: Region) -> RegionCode:
        number = self.numbers[id(node)]
        sharing = self.sharing.region(number).place()
        self.found += sharing.found
        self._check_jumps(node, region)
        exits = any(j.kind == "@exit" for j in own_exits(node))
        by_block = block_loops_of(self.facts, self.routine.key, region, number) if may_go_by_blocks(region) else {}
        self.block_loops[number] = by_block
        loops = self._loops(region, number, exits, sharing, by_block)
        simd, private = simd_plan(
            self.facts, self.effects, self.routine, node, region, sharing, "" if region.loops else loops[-1].var
        )
        # Loops that OpenMP makes one of have no directive between them.
        simd = simd and not exits and not region.collapse >= len(region.domains) > 1
        indent = " " * node.header.line.segments[0][2]
        if region.loops:
            indent = " " * own_nest(node.body, region.iterators)[0].header.line.segments[0][2]
        schedule = region.schedule or (
            "" if self.facts.application.options.schedule == "static" else self.facts.application.options.schedule
        )
        return RegionCode(
            region=region,
            indent=indent,
            loops=loops,
            sharing=sharing,
            number=number,
            simd=simd,
            simd_private=private,
            collapse=region.collapse or (0 if by_block else self._collapse(region)),
            schedule=schedule,
            heap=() if region.vector else tuple(self._heap(name) for name in sharing.heap),  # one thread has its own
            certain=self._certain(region),
        )

    def _certain(self, region: Region) -> bool:
        """Whether the region has a point, by bounds and steps with known values."""
        strides = region.strides or (ONE,) * len(region.domains)
        for row in zip(region.starts, region.ends, strides, strict=True):
            first, last, step = (self.facts.domains.value(bound, self.routine.key) for bound in row)
            if first is None or last is None or not step or (last - first) * step < 0:
                return False
        return True

    def _loops(
        self, region: Region, number: int, exits: bool, sharing: Sharing, by_block: Mapping[str, BlockLoop]
    ) -> tuple[Loop, ...]:
        strides = [s.text for s in region.strides] or [""] * len(region.domains)
        bounds = ([b.text for b in ends] for ends in (region.starts, region.ends))
        rows = list(zip(region.iterators, *bounds, strides, strict=True))
        free = not exits and sharing.clean
        fastest = storage_levels(self.facts, self.routine.key, region, number, by_block) if free else ()
        if sorted({name for name, _ in fastest}) != sorted(region.iterators) or len(set(fastest)) < len(fastest):
            fastest = ()
        same = SameKinds(self.facts, self.routine.key, (loop.number for loop in by_block.values()))
        return loops_of(rows, fastest, by_block, same, point_name(number) if exits else "")

    def _collapse(self, region: Region) -> int:
        """How many outer loops become one, so that no thread is idle: two where the innermost one goes over blocks that
        hfpy made, each of which is much work, or where the outermost one is known to be short. The innermost loop over
        points is never among them.
        """
        if len(region.domains) < 2 or region.vector:
            return 0
        if is_own(region.iterators[0]) and region.strides and region.strides[0] != ONE:
            return 2
        if len(region.domains) < 3:
            return 0
        macros = self.facts.application.macros_of(self.routine.key)
        low, high = (constant(expanded(b, macros).expr) for b in (region.starts[-1], region.ends[-1]))
        return 2 if low is not None and high is not None and high - low + 1 < 16 else 0

    def _heap(self, name: str) -> tuple[str, str]:
        data = self.facts.object(name, self.routine.key)
        assert data is not None
        order = self.facts.order(data)
        listed = ",".join(arranged(dims_in_use(data), order))
        if order.domain_macro:
            listed = f"{order.domain_macro}({listed})"
        places = ",".join(":" * order.places(data.rank))
        return f"{data.symbol.type.text}, allocatable :: {name}({places})", f"{name}({listed})"

    def _check_jumps(self, node: Construct, region: Region) -> None:
        """Jumps out of the region: ``goto`` to a label outside, ``exit``/``cycle`` of a loop around it (B18)."""
        loops = own_nest(node.body, region.iterators) if region.loops else []
        before = {loop.header.line.label for loop in loops}  # before a turn of the region's own loops
        labels = {s.line.label for s in flatten(node.body) if s.line.label} - before
        labels |= {h.header.label for h in constructs(node.body) if isinstance(h.header, Header) and h.header.label}
        for outer in loops[:-1]:  # a jump to its end goes on with the next row, not with the next point
            labels -= turn_ends(outer) - turn_ends(loops[-1])
        for jump, named, depth in _jumps(node.body, (), 0):
            place = jump.line.place(self.routine.file)
            hint = "use @exit to go on with the next point"
            own = len(region.domains) if region.loops else 0
            if jump.kind == "goto" and jump.target not in labels:
                self.found.append(error("HF405", "goto out of a region", place, hint))
            elif jump.kind in ("exit", "cycle") and jump.target and jump.target not in named:
                self.found.append(error("HF405", f"'{jump.kind} {jump.target}' leaves the region", place, hint))
            elif jump.kind in ("exit", "cycle") and not jump.target:
                if depth == 0 or (depth <= own and jump.kind == "exit") or depth < own:
                    self.found.append(error("HF405", f"'{jump.kind}' leaves the region", place, hint))
            elif jump.kind == "return":
                self.found.append(error("HF405", "return inside a region", place, hint))


def _instead(jump: Jump, text: str) -> Edit:
    """Put a jump in the place of an ``@exit``."""
    start, end = jump.span
    return replace_range(jump.line, start, len(jump.line.text) if end < 0 else end, text)


def _jumps(nodes: tuple[Node, ...], named: tuple[str, ...], depth: int) -> Iterator[tuple[Jump, tuple[str, ...], int]]:
    """Jumps below the nodes with the construct names around them and the number of loops around them."""
    from hfpy.model.statements import OneLine

    for node in nodes:
        if isinstance(node, Construct):
            name = getattr(node.header, "construct_name", "")
            inner = (*named, name) if name else named
            loop = node.kind in ("do", "dowhile", "doconcurrent")
            for part in node.parts:
                yield from _jumps(part.body, inner, depth + loop)
            continue
        while isinstance(node, OneLine):
            node = node.action
        if isinstance(node, Jump):
            yield node, named, depth
