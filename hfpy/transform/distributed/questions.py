"""``global(i)``, ``global(nx)`` and ``onEdge(i, low)`` in expressions: the index of a point in the whole grid, the size
of the whole grid, and whether the process has the boundary of the grid on a side.

In a region they are variables of the routine, set before it, so that every device can read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from hfpy.analyze.language.scopes import Scopes
from hfpy.analyze.language.sizes import linear
from hfpy.analyze.processes.decomposed import Grid
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Region, Width
from hfpy.model.distributed import SIDES
from hfpy.model.expressions import Apply, Expr, Name, walk
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Node, Statement, expressions, flatten
from hfpy.model.units import Routine
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.text.edits import Edit, insert_lines, replace_range
from hfpy.values import dataclass

WORDS = ("global", "onedge")


@dataclass
class Questions:
    """What the expressions of one routine ask for; what is wrong is added to ``found``. ``in_kernels`` tells whether
    kernels of a device call the routine, where the runtime library is not known. ``halos`` are those that regions
    compute without saying so, by their constructs.
    """

    routine: Routine
    scopes: Scopes
    in_kernels: bool
    fixed: bool
    grids: tuple[Grid, ...]
    names: Locals
    found: list[Diagnostic]
    halos: Mapping[int, tuple[Width, ...]] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)

    def edits(self) -> Iterator[Edit]:
        """The answers in the places of the questions."""
        self._in_declarations()
        outside = flatten_outside(self.routine.body)
        yield from self._answered(outside, None)
        for region in outermost_regions(self.routine.body):
            set_before: dict[str, None] = {}
            self.regions = list(_regions_in(region, self.halos))
            yield from self._answered(flatten((region,)), set_before)
            self.regions = []
            if set_before:
                line = region.header.line
                indent = " " * (6 if self.fixed else line.segments[0][2] - (1 if line.comment else 0))
                yield insert_lines(line.first, [indent + row for row in set_before], 7, line.first)

    def _in_declarations(self) -> None:
        """Refuse questions where variables are declared."""
        for symbol in self.routine.spec.symbols.values():
            for word in WORDS:
                if word in symbol.names and symbol.line is not None and self._asks(word):
                    place = symbol.line.place(self.routine.file)
                    message = f"'{word}' has no place in a declaration"
                    self.found.append(error("HF652", message, place, "allocate the array with what it gives"))

    def asked_around(self, row: int, grid: Grid) -> set[str]:
        """The domains about whose points the conditions around a line ask: not all processes along them reach it."""
        return set(self._asked_in(self.routine.body, row, grid))

    def _asked_in(self, nodes: Iterable[Node], row: int, grid: Grid) -> Iterator[str]:
        for node in nodes:
            if not isinstance(node, Construct) or node.end is None:
                continue
            if not node.header.line.first <= row <= node.end.line.last:
                continue
            for part in node.parts:
                if node.kind in ("if", "select"):
                    yield from self._asked_by(part.header, grid)
                yield from self._asked_in(part.body, row, grid)

    def _asked_by(self, condition: Statement, grid: Grid) -> Iterator[str]:
        for top in expressions(condition):
            for node in walk(top):
                if isinstance(node, Apply) and isinstance(node.base, Name) and self._asks(node.base.name) and node.args:
                    yield _domain_of(grid, node.args[0])

    def refused(self) -> None:
        """Refuse them all, in a routine for the whole grid."""
        for statement in flatten(self.routine.body):
            for top in expressions(statement):
                for node in walk(top):
                    if isinstance(node, Apply) and isinstance(node.base, Name) and self._asks(node.base.name):
                        word = _text(statement.line, node.base)
                        hint = "indices and sizes are those of the whole grid here"
                        self._refuse(
                            node, statement.line, f"'{word}' has no place in a routine for the whole grid", hint
                        )

    def _answered(self, statements: Iterable[Statement], set_before: dict[str, None] | None) -> Iterator[Edit]:
        """The answers in some statements. ``set_before`` gets statements that set the variables for them; without it
        they are calls.
        """
        for statement in statements:
            for top in expressions(statement):
                for node in walk(top):
                    if isinstance(node, Apply) and isinstance(node.base, Name) and self._asks(node.base.name):
                        text = self._answer(node, statement.line, set_before)
                        if text:
                            yield replace_range(statement.line, node.start, node.end, text)

    def _asks(self, name: str) -> bool:
        """Whether a name is one of this language, and none of the program."""
        key = self.routine.key
        return name in WORDS and self.scopes.variable(name, key) is None and not self.scopes.procedures(name, key)

    def _answer(self, node: Apply, line: LogicalLine, set_before: dict[str, None] | None) -> str:
        assert isinstance(node.base, Name)
        if self.in_kernels and set_before is None:
            hint = "pass what it gives as an argument"
            self._refuse(node, line, f"'{_text(line, node.base)}' is not known in a routine that kernels call", hint)
            return ""
        if any(isinstance(n, Apply) and isinstance(n.base, Name) and self._asks(n.base.name) for n in _inner(node)):
            self._refuse(node, line, "this is asked within another such question", "give the inner one a name before")
            return ""
        if node.base.name == "onedge":
            return self._edge(node, line, set_before)
        if len(node.args) == 1:
            for grid in self.grids:
                size = (
                    grid.number_of_size(node.args[0].name, self.routine.key) if isinstance(node.args[0], Name) else None
                )
                if size is not None:
                    return self._value("whole", (), grid, size, set_before)
            found = [(g, d) for g in self.grids if (d := _domain_of(g, node.args[0]))]
            if self._unclear(found, node, line):
                return ""
            for grid, domain in found:
                number = grid.what.number(domain)
                before = self._value("first", (), grid, number, set_before)
                index = f"{_text(line, node.args[0])} + {before}"
                if domain in grid.what.periodic and any(self._goes_beyond(r, grid, domain) for r in self.regions):
                    return f"(modulo({index} - 1, {self._value('whole', (), grid, number, set_before)}) + 1)"
                return f"({index})"
        hint = "write global(i) with the iterator of a domain of the decomposition, or global(nx) with a local size"
        self._refuse(node, line, "this is no index or size of a decomposition", hint)
        return ""

    def _goes_beyond(self, region: Region, grid: Grid, domain: str) -> bool:
        """Whether a region may compute points of the halo: their index is that of the owner's point."""
        letters = grid.letters_of(self.routine.key)
        for own, start, end in zip(region.domains, region.starts, region.ends, strict=True):
            if (letters.of_name(own.name) or letters.of_size(own.extent)) == domain:
                wide = any(width.domain == own.name for width in region.halo)
                return wide or start.text != "1" or not grid.is_whole(domain, end, self.routine.key)
        return False

    def _edge(self, node: Apply, line: LogicalLine, set_before: dict[str, None] | None) -> str:
        first, second = (*node.args, None, None)[:2]
        if len(node.args) == 2 and isinstance(first, Name) and isinstance(second, Name) and second.name in SIDES:
            found = [(g, d) for g in self.grids if (d := _domain_of(g, first))]
            if self._unclear(found, node, line):
                return ""
            for grid, domain in found:
                side = ", 1" if second.name == "high" else ", -1"
                return self._value("at_edge", (second.name, side), grid, grid.what.number(domain), set_before)
        hint = "write onEdge(i, low) or onEdge(i, high) with a domain of the decomposition"
        self._refuse(node, line, "this is no boundary of a decomposition", hint)
        return ""

    def _unclear(self, found: list[tuple[Grid, str]], node: Expr, line: LogicalLine) -> bool:
        """Whether an index belongs to several decompositions; that is said."""
        if len(found) > 1:
            both = " and ".join(f"'{grid.what.name}'" for grid, _ in found)
            hint = "give their domains different names"
            self._refuse(node, line, f"this index is one of the decompositions {both}", hint)
        return len(found) > 1

    def _value(
        self, function: str, side: tuple[str, ...], grid: Grid, number: int, set_before: dict[str, None] | None
    ) -> str:
        """The call of a function of the runtime library, or the variable that has its value."""
        call = f"hf_{function}('{grid.what.name}', {number + 1}{''.join(side[1:])})"
        if set_before is None:
            return call
        domain = grid.what.domains[number]
        about = "_".join([*side[:1], *([grid.what.name] if len(self.grids) > 1 else []), domain])
        type_text = "logical" if side else "integer"
        name = self.names.scalar(f"{function}_", about, type_text)
        set_before[f"{name} = {call}"] = None
        return name

    def _refuse(self, node: Expr, line: LogicalLine, message: str, hint: str) -> None:
        self.found.append(error("HF652", message, line.place(self.routine.file, node.start, node.end), hint))


def _domain_of(grid: Grid, index: Expr) -> str:
    """The domain of a decomposition that an index belongs to: an iterator, perhaps with something added that has none;
    empty if there is none.
    """
    named = [(grid.letters.of_name(atom), times) for atom, times in linear(index)]
    domains = [domain for domain, times in named if domain in grid.what.domains and times == 1]
    return domains[0] if len(domains) == 1 else ""


def _inner(node: Apply) -> Iterator[Expr]:
    """All parts of the arguments."""
    for argument in node.args:
        yield from walk(argument)


def _text(line: LogicalLine, node: Expr) -> str:
    return line.text[node.start : node.end]


def _regions_in(construct: Construct, halos: Mapping[int, tuple[Width, ...]]) -> Iterator[Region]:
    """The regions of a construct: it, and those within it, with some halos that they compute."""
    if construct.region is not None:
        yield replace(construct.region, halo=halos.get(id(construct), construct.region.halo))
    for part in construct.parts:
        for node in part.body:
            if isinstance(node, Construct):
                yield from _regions_in(node, halos)


def outermost_regions(nodes: tuple[Node, ...], target: str = "") -> Iterator[Construct]:
    """The regions of a routine that are in no other region; of those with loops on a target, if one is given."""
    for node in nodes:
        if not isinstance(node, Construct):
            continue
        if node.kind == "region" and (not target or (node.region is not None and node.region.active(target))):
            yield node
        else:
            for part in node.parts:
                yield from outermost_regions(part.body, target)


def flatten_outside(nodes: tuple[Node, ...]) -> Iterator[Statement]:
    """The statements of a routine that are in no region."""
    for node in nodes:
        if not isinstance(node, Construct):
            yield from flatten((node,))
        elif node.kind != "region":
            for part in node.parts:
                yield part.header
                yield from flatten_outside(part.body)
