"""One file: the edits of all its units, applied to the user's text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from pathlib import Path

from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.model.directives import Region
from hfpy.model.names import is_operator
from hfpy.model.source import LogicalLine
from hfpy.model.statements import constructs
from hfpy.model.units import FileIndex, Routine
from hfpy.parse.directives.directives import is_scheme, is_serial
from hfpy.parse.files import COMPILED, PREDEFINED, leaves_preprocessed
from hfpy.parse.text.physical import identifiers, names_in_rows, physical
from hfpy.transform.accesses import AccessRewriter
from hfpy.transform.declarations import DeclarationRewriter, without
from hfpy.transform.device.twins import twin_declarations
from hfpy.transform.firsttouch import first_touches, touching_loop
from hfpy.transform.hiddennames import hidden_intrinsics
from hfpy.transform.hiddenvariables import hidden_variables, mixed_names
from hfpy.transform.instruments import debugprint, profiling, races, tracing
from hfpy.transform.instruments.debugprint import debug_prints
from hfpy.transform.instruments.profiling import profiled
from hfpy.transform.instruments.races import race_watch
from hfpy.transform.instruments.tracing import traces
from hfpy.transform.leniencies import repeated_declarations
from hfpy.transform.mainprogram import saved_in_main
from hfpy.transform.regions.outline import Contained, Outline
from hfpy.transform.regions.regions import comment_out
from hfpy.transform.selections import holds_selections
from hfpy.transform.storageorder import resolved
from hfpy.transform.text.edits import (
    Edit,
    Edited,
    OverlapError,
    apply_edits,
    insert_lines,
    moved_lines,
    replace_lines,
    replace_range,
)
from hfpy.transform.text.fixedform import lines_for
from hfpy.transform.text.indent import Body, with_indentation
from hfpy.transform.text.rows import Rows
from hfpy.transform.text.wrapping import wrap_line
from hfpy.transform.workshop import Beside, Workshop
from hfpy.translation import Contents
from hfpy.values import dataclass


@dataclass(frozen=True)
class FileResult:
    """A file after the passes."""

    edited: Edited
    diagnostics: tuple[Diagnostic, ...]
    openmp: bool = False
    beside: tuple[Beside, ...] = ()
    added: Contents = field(default_factory=Contents)


class FileRewriter:
    """Collects and applies the edits of one file."""

    def __init__(self, facts: Facts, effects: Effects, index: FileIndex, workshop: Workshop) -> None:
        self.facts = facts
        self.workshop = workshop
        self.effects = effects
        self.index = index
        self.found: list[Diagnostic] = []
        self.outlines: list[Outline] = []
        self.contained: list[Contained] = []
        self.openmp = False
        self.modules: dict[str, None] = {}
        self.bodies: list[Body] = []
        self.containing: set[str] = set()

    def run(self) -> FileResult:
        """All passes on the file."""
        edits: list[Edit] = []
        here = (self.index.path,)
        routines = [r for r in self.facts.application.routines_in(self.index.path) if self.facts.graph.has(r, here)]
        indented = self._indented_conditions()
        for routine in routines:
            own = self._in_build(routine, self._unit(routine))
            self.found += hidden_intrinsics(self.facts, routine, own)
            if self.facts.target == "gpu":
                self.found += hidden_variables(self.facts.scopes, routine, own)
            self.found += mixed_names(routine, own, bool(self.facts.positions.regions))
            if routine.kind not in ("module", "submodule") and routine.end is not None:
                rows = [r for r in indented if routine.header.first <= r <= routine.end.last]
                own += self._at_margin(rows, own)
                indented = [r for r in indented if r not in rows]
            edits += self._contained(routine, self._moved(routine, own))
        edits += self._at_margin(indented, edits)
        edits += self._directive_lines(routines)
        added = self.workshop.finish(self.index, self.found)
        if edits or self._needs_macros():
            edits.append(insert_lines(0, [*self._head(), *added.head], -99, 0))
        wrap = lines_for(self.index, self.facts.application.macros)
        try:
            edited = apply_edits(self.index.source, list(dict.fromkeys(edits)), wrap)
            if self.facts.application.options.indent and not self.index.fixed:
                edited = with_indentation(edited, self.bodies)
        except OverlapError as clash:
            place = Place(self.index.path, clash.line + 1, 1)
            hint = "check the blocks around this line; if they are right, please report it"
            self.found.append(error("HF109", "two blocks or changes meet in this line", place, hint))
            edited = apply_edits(self.index.source, ())
        contents = replace(added.contents, selections=holds_selections(routines)).using(self.modules)
        return FileResult(edited, tuple(self.found), self.openmp, added.beside, contents)

    def _in_build(self, routine: Routine, edits: Iterable[Edit]) -> list[Edit]:
        """The edits without those of lines that are not in this build: ``@if`` takes away all lines of a block."""
        gone: set[int] = set()
        for block in constructs(routine.body):
            end, condition = block.end, block.condition
            if end is not None and condition is not None and not self.facts.holds(condition, routine.key):
                gone.update(range(block.header.line.first + 1, end.line.last + 1))
        return [edit for edit in edits if edit.line not in gone]

    def _indented_conditions(self) -> list[int]:
        """Physical lines for the preprocessor that do not begin with their ``#``.

        Other preprocessors take them; that of gfortran takes them for Fortran.
        """
        if Path(self.index.path).suffix not in (".h90", ".H90"):
            return []
        found = ((n, physical(line)) for n, line in enumerate(self.index.source.lines))
        return [n for n, row in found if row.kind == "preprocessor" and row.column]

    def _at_margin(self, rows: list[int], edits: list[Edit]) -> list[Edit]:
        """Edits that take away the indentation of lines, unless the lines go anyway."""
        gone = [(e.line, e.end_line) for e in edits if not e.insertion]
        kept = [row for row in rows if not any(first <= row < last for first, last in gone)]
        return [replace_lines(row, row, [self.index.source.lines[row].lstrip()]) for row in kept]

    def _needs_macros(self) -> bool:
        """Whether a file without edits names a macro of the storage-order file."""
        return bool(self._macro_lines())

    def _head(self) -> list[str]:
        options = self.facts.application.options
        lines = [
            f"! Made by hfpy from {Path(self.index.path).name} for {options.target} ({options.default_backend}): "
            "edit the source, not this file."
        ]
        if options.layout:
            lines.append(f"! Storage order: {options.layout}.")
        return lines + self._macro_lines()

    def _macro_lines(self) -> list[str]:
        """The storage-order macros that the file names, resolved for this target (§3.7).

        Resolved, because a Fortran compiler's preprocessor knows neither ``##`` nor macros redefined half-way (§2.3).
        """
        if self.facts.application.options.storage_order is None or not self.index.hybrid:
            return []
        if not leaves_preprocessed(Path(self.index.path)):
            return []  # its index lists are permuted instead
        names = self._macro_words()
        return [resolved(name, self.facts.application.macros) for name in sorted(names)]

    def _macro_words(self) -> set[str]:
        application = self.facts.application
        words = set(identifiers(self.index.source.lines))
        for order in (o for chosen in self.facts.orders.values() for o in (chosen, *(own for _, own in chosen.others))):
            words |= {order.access_macro, order.domain_macro}
            templates = {r.template for r in self.facts.positions.regions.values() if r.template}
            words |= {f"{order.access_macro}_{t}" for t in templates}
        return (
            (words & application.macros.keys())
            - application.options.defined
            - {"GPU", *(name for _, _, name, _ in COMPILED)}
            - PREDEFINED.get(application.options.compiler, {}).keys()
            - self.index.macros
        )

    def _unit(self, routine: Routine) -> Iterator[Edit]:
        if self.facts.application.options.races:
            watching, noted = race_watch(self.facts, self.effects, routine)
            yield from self._with(races.MODULE, watching)
            self.found += noted
        yield from saved_in_main(self.facts, routine)
        if not self.index.hybrid and not self.facts.application.options.layout:
            yield from self._without_directives(routine)
            return
        yield from self._conditions(routine)
        yield from twin_declarations(self.facts, routine)
        yield from self.workshop.known_on_device(routine)
        declarations = DeclarationRewriter(self.facts, routine)
        if routine.key not in self.facts.graph.statements:
            yield from declarations.edits()
            self.found += declarations.found
            return
        rewriter = self.workshop.rewriter(routine)
        regions: list[Edit] = []
        removed: list[tuple[int, int]] = []
        left: list[Region] = []
        if rewriter is not None:
            regions = [*rewriter.edits(), *self._iterators(routine, rewriter.iterators)]
            regions += self.workshop.data(routine, self.found)
            self.openmp = self.openmp or (rewriter.backend.openmp and bool(rewriter.numbers))
            self.found += rewriter.found
            self.outlines, removed = rewriter.outlines, rewriter.removed
            left = rewriter.left
            self.bodies += rewriter.bodies
            self.contained = rewriter.contained
        moved = self._moved_names(routine, left)
        yield from declarations.edits(moved)
        self.found += declarations.found
        yield from self._imports(routine, left)
        touches = first_touches(self.facts, routine) if rewriter is not None and rewriter.backend.openmp else []
        for touch in touches:
            yield from touching_loop(touch, self._indent(touch.statement.line))
        accesses = AccessRewriter(self.facts, routine, rewriter.block_loops if rewriter is not None else {})
        yield from self._serial_lines(routine, removed)
        touched = {id(touch.statement) for touch in touches}
        gone = {row for first, last in removed for row in range(first, last + 1)}
        for at in self.facts.graph.statements[routine.key]:
            if at.statement.line.first not in gone and id(at.statement) not in touched:
                yield from accesses.edits(at.statement)
        self.found += accesses.found
        if accesses.counters:
            margin = " " * (routine.header.segments[0][2] + 2)
            rows = [f"{margin}integer :: {', '.join(sorted(accesses.counters))}"]
            yield insert_lines(routine.spec_insert + 1, rows, 6, routine.header.first)
        if self.facts.application.options.legacy:
            yield from repeated_declarations(routine)
        yield from regions
        if self.facts.application.options.trace:
            yield from self._with(tracing.MODULE, traces(self.facts, self.effects, routine))
        yield from self._with(debugprint.MODULE, debug_prints(self.facts, self.effects, routine))
        yield from self._with(profiling.MODULE, profiled(self.facts, self.effects, routine))
        yield from self._allocations(routine, declarations.allocations)

    def _serial_lines(self, routine: Routine, removed: list[tuple[int, int]]) -> Iterator[Edit]:
        """``@serial`` becomes a comment, where its loop is still there."""
        unit = self.index.units[routine.unit]
        behind = unit.contains if unit.contains >= 0 else unit.last
        for line in self.index.lines[unit.first : behind]:
            if not is_serial(line) or line.comment:
                continue
            if not any(first <= line.first <= last for first, last in removed):
                yield comment_out(self.index.source, line.first, line.last)

    def _with(self, module: str, edits: Iterable[Edit]) -> Iterator[Edit]:
        """Edits that make a routine use a module of the runtime, if there are any."""
        for edit in edits:
            self.modules[module] = None
            yield edit

    def _without_directives(self, routine: Routine) -> Iterator[Edit]:
        """Copies to and from the device, and what makes routines and variables known there, in a file that has nothing
        else for hfpy to do.
        """
        yield from self.workshop.known_on_device(routine)
        if routine.key in self.facts.graph.statements and self.workshop.rewriter(routine) is not None:
            yield from self.workshop.data(routine, self.found)

    def _indent(self, line: LogicalLine) -> str:
        text = self.index.source.lines[line.first]
        return text[: len(text) - len(text.lstrip())]

    def _moved_names(self, routine: Routine, regions: list[Region]) -> frozenset[str]:
        """Locals that only bodies moved to routines of their own mention. The regions have the loops that are left."""
        names = frozenset().union(*(made.locals for made in self.outlines))
        left = {
            r.name
            for r in self.facts.references[routine.key]
            if r.name in names and not self._in_outline(r.at.statement.line.first)
        }
        in_sizes = {n for s in routine.spec.symbols.values() for d in s.shape for n in d.names}
        left |= {n for n in names if n in in_sizes or n in routine.spec.storage}
        left |= {name for region in regions for name in region.iterators}
        left |= {name for made in self.outlines for name in made.arguments}
        unit = self.index.units[routine.unit]
        if self.outlines and unit.contains >= 0:  # the routine's own procedures
            left |= set(names_in_rows(line.text for line in self.index.lines[unit.contains : unit.last + 1]))
        return names - left

    def _in_outline(self, row: int) -> bool:
        return any(made.first <= row <= made.last for made in self.outlines)

    def _inserted_words(self, routine: Routine) -> set[str]:
        """Names in the sizes of inserted dimensions."""
        words: set[str] = set()
        for name in routine.spec.symbols:
            data = self.facts.object(name, routine.key)
            for dimension in data.used if data is not None else ():
                words |= dimension.extent.names
        return words

    def _imports(self, routine: Routine, regions: list[Region]) -> Iterator[Edit]:
        """``only`` lists without the names that moved bodies alone mention."""
        options = self.facts.application.options
        if not self.outlines or routine.end is None or options.profile or options.debug_print.on:
            return  # what is called around regions names what they name
        if any(made.within for made in self.outlines):
            return
        passed_over = {id(line) for block in routine.spec.dependants for line in block.lines}
        passed_over |= {id(use.line) for use in routine.spec.uses}
        unit = self.index.units[routine.unit]
        left = (
            line.text
            for line in self.index.lines[unit.first : unit.last + 1]
            if id(line) not in passed_over and not line.directive and not self._in_outline(line.first)
        )
        kept = set(names_in_rows(left))
        kept |= {a for made in self.outlines for a in made.arguments}
        kept |= {name for region in regions for name in (*region.bound_names, *region.iterators)}
        kept |= self._inserted_words(routine)
        for use in routine.spec.uses:
            if use.line is None or use.line.file or not use.only:
                continue
            needed = [(a, b) for a, b in use.only if a in kept or is_operator(a)]
            if len(needed) < len(use.only):
                shown = ", ".join(a if a == b else f"{a} => {b}" for a, b in needed)
                yield replace_range(use.line, use.listed, len(use.line.text), f" {shown}".rstrip())

    def _moved(self, routine: Routine, edits: list[Edit]) -> list[Edit]:
        """Move the bodies of outlined regions, with the edits inside them, after the routine."""
        outlines, self.outlines = self.outlines, []
        source = self.index.source
        for made in outlines:
            edits, lines, origins = self._taken_out(made, edits)
            text = source.lines[made.first]
            indent = text[: len(text) - len(text.lstrip())]
            call = wrap_line(f"{indent}call {made.name}({', '.join(made.arguments)})", ())
            edits.append(replace_lines(made.first, made.last, call, 1))
            rows = [*made.head, *lines, *made.tail]
            where = [made.first] * len(made.head) + origins + [made.last] * len(made.tail)
            edits.append(self._behind(routine, made, rows, where))
        return edits

    def _behind(self, routine: Routine, made: Outline, rows: list[str], where: list[int]) -> Edit:
        """A new routine after the one that its body stems from, or as the last of that one's internal procedures."""
        assert routine.end is not None
        at = routine.end.first if made.within else routine.end.last + 1
        rank = made.first
        if made.within:
            rank += len(self.index.source.lines)  # after what is at the end of the executable part
            if self.index.units[routine.unit].contains < 0 and routine.key not in self.containing:
                self.containing.add(routine.key)
                rows = [" " * routine.header.segments[0][2] + "contains", *rows]
                where = [made.first, *where]
        return Edit(at, 0, at, 0, rank, "".join(r + "\n" for r in rows), made.first, tuple(where))

    def _contained(self, routine: Routine, edits: list[Edit]) -> list[Edit]:
        """Move regions, with the edits inside them, into internal procedures of the routine."""
        contained, self.contained = self.contained, []
        rows: list[str] = []
        where: list[int] = []
        for made in contained:
            edits, lines, origins = self._taken_out(made, edits)
            call = [piece for row in made.call for piece in wrap_line(row, self.facts.application.macros)]
            edits.append(replace_lines(made.first, made.last, call, 1))
            head = [piece for row in made.head for piece in wrap_line(row, self.facts.application.macros)]
            rows += [*head, *lines, *made.tail]
            where += [*([made.first] * len(head)), *origins, *([made.last] * len(made.tail))]
        if contained and routine.end is not None:
            if self.index.units[routine.unit].contains < 0:
                rows.insert(0, " " * routine.header.segments[0][2] + "contains")
                where.insert(0, where[0])
            at = routine.end.first
            edits.append(Edit(at, 0, at, 0, 50, "".join(r + "\n" for r in rows), where[0], tuple(where)))
        return edits

    def _taken_out(self, made: Outline | Contained, edits: list[Edit]) -> tuple[list[Edit], list[str], list[int]]:
        """The edits outside of what is moved, and its lines after those inside, with the lines that they stem from."""
        inside = [e for e in edits if made.first <= e.line and _ends(e) <= made.last and not _at_edge(e, made)]
        lines, origins = moved_lines(self.index.source, inside, made.first, made.last)
        return [e for e in edits if e not in inside], lines, origins

    def _conditions(self, routine: Routine) -> Iterator[Edit]:
        """``@if`` blocks of the specification part."""
        for condition, opened, closed in routine.spec.conditions:
            if self.facts.holds(condition, routine.key):
                yield comment_out(self.index.source, opened.first, opened.last)
                yield comment_out(self.index.source, closed.first, closed.last)
            else:
                row = " " * opened.segments[0][2] + f"! {opened.text}: not in this build"
                yield Edit(opened.first, 0, closed.last + 1, 0, 0, row + "\n", opened.first)

    def _directive_lines(self, routines: list[Routine]) -> Iterator[Edit]:
        """Lines of ``@domainDependant`` and ``@scheme`` become comments (they are comments already in plain files)."""
        for routine in routines:
            dropped = [
                (o.first, c.last) for cond, o, c in routine.spec.conditions if not self.facts.holds(cond, routine.key)
            ]
            for line in routine.spec.interface_blocks:
                yield comment_out(self.index.source, line.first, line.last)
            for block in routine.spec.dependants:
                if block.lines and block.lines[0].comment:
                    continue
                for line in block.lines:
                    if not any(a <= line.first <= b for a, b in dropped):
                        yield comment_out(self.index.source, line.first, line.last)
        gone = []
        for opened, closed, holds in self.index.conditions:
            if holds:
                yield comment_out(self.index.source, opened.first, opened.last)
                yield comment_out(self.index.source, closed.first, closed.last)
            else:
                gone.append((opened.first, closed.last))
                row = " " * opened.segments[0][2] + f"! {opened.text}: not in this build"
                yield Edit(opened.first, 0, closed.last + 1, 0, 0, row + "\n", opened.first)
        for line in self.index.lines:
            if any(a <= line.first <= b for a, b in gone):
                continue
            if line.directive and not line.comment and is_scheme(line):
                yield comment_out(self.index.source, line.first, line.last)

    def _iterators(self, routine: Routine, iterators: dict[str, Region]) -> Iterator[Edit]:
        """Declare the iterators of generated loops that nothing declares (§3.2, B12). A variable of the host would be
        hidden by that, so that the routine has to mean nothing else by the name.
        """
        missing = []
        for name, region in iterators.items():
            found = self.facts.scopes.variable(name, routine.key)
            of_host = found is not None and found.home != routine.key and routine.host == found.home
            if found is None or (of_host and not self._used_elsewhere(routine, name)):
                missing.append(name)
                continue
            symbol = found.symbol
            if symbol.constant or symbol.rank or symbol.type.base != "integer":
                message = f"iterator '{name}' is declared as something else than an integer variable"
                self.found.append(error("HF302", message, region.place, "choose another iterator name"))
            elif name in routine.dummies and symbol.line is not None:
                yield from self._dummy_iterator(routine, name, symbol.line)
        if missing:
            indent = " " * (routine.header.segments[0][2] + 2)
            rows = [f"{indent}integer(4) :: {', '.join(missing)}"]
            yield insert_lines(routine.spec_insert + 1, rows, 6, routine.header.first)

    def _used_elsewhere(self, routine: Routine, name: str) -> bool:
        """Whether a routine, or a procedure in it, names a variable elsewhere than in regions over it."""
        own = {n for n, c in enumerate(regions_of(routine)) if c.region is not None and name in c.region.iterators}
        meant = self.facts.scopes.variable(name, routine.key)
        inner = [r.key for r in self.facts.application.routines_of(routine.key)]
        inside = (key for key in inner if self.facts.scopes.variable(name, key) == meant)
        return any(r.name == name and not own & {*r.at.regions} for r in self.facts.references[routine.key]) or any(
            r.name == name for key in inside for r in self.facts.references[key]
        )

    def _dummy_iterator(self, routine: Routine, name: str, line: LogicalLine) -> Iterator[Edit]:
        """An iterator that is a dummy argument gets its own copy: loops must not change the caller's variable."""
        symbol = routine.spec.symbols[name]
        others = [s for s in routine.spec.symbols.values() if s.line is line and s.name != name]
        iterators = self.routine_iterators(routine)
        names = [symbol]
        if any(o.name in iterators and o.name in routine.dummies for o in others):
            names = [s for s in (symbol, *others) if s.name in iterators and s.name in routine.dummies]
            if min(n.name_span for n in names) != symbol.name_span:
                return
        spelled = ", ".join(line.text[n.name_span[0] : n.name_span[1]] for n in names)
        yield from without(names, [f"integer(4), value :: {spelled}"])

    def routine_iterators(self, routine: Routine) -> set[str]:
        """Iterators of the active regions of a routine."""
        return {i for r in self.facts.positions.get(routine.key).own for i in self.facts.positions.regions[r].iterators}

    def _allocations(self, routine: Routine, allocations: list[str]) -> Iterator[Edit]:
        if not allocations:
            return
        indent = " " * (routine.header.segments[0][2] + 2)
        rows = [f"{indent}allocate({text})" for text in allocations]
        before = routine.body_first if routine.body_first >= 0 else routine.spec_insert + 1
        before = Rows(self.index, routine).above(before)
        yield insert_lines(before, rows, 7, before)


def _ends(edit: Edit) -> int:
    """The last physical line that an edit changes."""
    return edit.end_line - 1 if edit.end_column == 0 and edit.end_line > edit.line else edit.end_line


def _at_edge(edit: Edit, made: Outline | Contained) -> bool:
    """Whether an insertion of whole lines belongs before the body, not to it (directives before the first line)."""
    return edit.whole_lines and edit.line == made.first
