"""One file: the edits of all its units, applied to the user's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.directives import Region
from hfpy.model.source import LogicalLine
from hfpy.model.units import FileIndex, Routine
from hfpy.transform.accesses import AccessRewriter
from hfpy.transform.declarations import DeclarationRewriter
from hfpy.transform.edits import Edit, Edited, apply_edits, insert_lines, moved_lines, replace_lines, replace_range
from hfpy.transform.leniencies import logical_equalities
from hfpy.transform.outline import Outline
from hfpy.transform.regioncode import Backend
from hfpy.transform.regions import RegionRewriter, comment_out
from hfpy.transform.wrapping import wrap_line

# Directives of compilers, which belong to the statement behind them.
_SENTINEL = re.compile(r"\s*!(\$|dir\$|dec\$|pgi\$|gcc\$|ibm\*|ocl)", re.IGNORECASE)


@dataclass(frozen=True)
class FileResult:
    """A file after the passes."""

    edited: Edited
    diagnostics: tuple[Diagnostic, ...]
    openmp: bool = False


class FileRewriter:
    """Collects and applies the edits of one file."""

    def __init__(
        self, facts: Facts, effects: Effects, index: FileIndex, backends: Callable[[str], Backend | None]
    ) -> None:
        self.facts = facts
        self.backends = backends
        self.effects = effects
        self.index = index
        self.found: list[Diagnostic] = []
        self.outlines: list[Outline] = []
        self.openmp = False

    def run(self) -> FileResult:
        """All passes on the file."""
        edits: list[Edit] = []
        routines = [r for r in self.facts.application.routines.values() if r.file == self.index.path]
        for routine in routines:
            edits += self._moved(routine, list(self._unit(routine)))
        edits += self._directive_lines(routines)
        if edits or self._needs_macros():
            edits.append(insert_lines(0, self._head(), -10, 0))
        wrap = None if self.index.fixed else (lambda text: wrap_line(text, self.facts.application.macros))
        edited = apply_edits(self.index.source, list(dict.fromkeys(edits)), wrap)
        return FileResult(edited, tuple(self.found), self.openmp)

    def _needs_macros(self) -> bool:
        """Whether a file without edits names a macro of the storage-order file."""
        options = self.facts.application.options
        if options.storage_order is None or not self.index.hybrid:
            return False
        words = set(re.findall(r"[A-Za-z_]\w*", self.index.source.text))
        return bool(words & self.facts.application.macros.keys())

    def _head(self) -> list[str]:
        options = self.facts.application.options
        lines = [
            f"! Made by hfpy from {Path(self.index.path).name} for {options.target} ({options.default_backend}): "
            "edit the source, not this file."
        ]
        if options.layout:
            lines.append(f"! Storage order: {options.layout}.")
        if options.storage_order is not None and self.index.hybrid:
            lines.append(f'#include "{options.storage_order.name}"')
        return lines

    def _unit(self, routine: Routine) -> Iterator[Edit]:
        yield from self._conditions(routine)
        declarations = DeclarationRewriter(self.facts, routine)
        yield from declarations.edits()
        self.found += declarations.found
        if routine.key not in self.facts.graph.statements:
            return
        accesses = AccessRewriter(self.facts, routine)
        for at in self.facts.graph.statements[routine.key]:
            yield from accesses.edits(at.statement)
        self.found += accesses.found
        if self.facts.application.options.legacy:
            repairs, warned = logical_equalities(self.facts, routine)
            yield from repairs
            self.found += warned
        chosen = self.backends(self.facts.backend(routine.key))
        if chosen is not None:
            regions = RegionRewriter(self.facts, self.effects, routine, chosen)
            made = list(regions.edits())
            self.openmp = self.openmp or (chosen.openmp and bool(regions.numbers))
            yield from made
            self.found += regions.found
            self.outlines = regions.outlines
            yield from self._iterators(routine, regions.iterators)
        yield from self._allocations(routine, declarations.allocations)

    def _moved(self, routine: Routine, edits: list[Edit]) -> list[Edit]:
        """Move the bodies of outlined regions, with the edits inside them, behind the routine."""
        outlines, self.outlines = self.outlines, []
        source = self.index.source
        for made in outlines:
            inside = [e for e in edits if made.first <= e.line and e.end_line <= made.last and not _at_edge(e, made)]
            edits = [e for e in edits if e not in inside]
            lines, origins = moved_lines(source, inside, made.first, made.last)
            text = source.lines[made.first]
            indent = text[: len(text) - len(text.lstrip())]
            call = wrap_line(f"{indent}call {made.name}({', '.join(made.arguments)})", ())
            edits.append(replace_lines(made.first, made.last, call, 1))
            assert routine.end is not None
            rows = [*made.head, *lines, *made.tail]
            where = [made.first] * len(made.head) + origins + [made.last] * len(made.tail)
            at = routine.end.last + 1
            edits.append(Edit(at, 0, at, 0, made.first, "".join(r + "\n" for r in rows), made.first, tuple(where)))
        return edits

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
            if line.directive and not line.comment and _is_scheme(line):
                yield comment_out(self.index.source, line.first, line.last)

    def _iterators(self, routine: Routine, iterators: dict[str, Region]) -> Iterator[Edit]:
        """Declare the iterators of generated loops that nothing declares (§3.2, B12)."""
        missing = []
        for name, region in iterators.items():
            found = self.facts.scopes.variable(name, routine.key)
            if found is None or (found.home != routine.key and routine.host == found.home):
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

    def _dummy_iterator(self, routine: Routine, name: str, line: LogicalLine) -> Iterator[Edit]:
        """An iterator that is a dummy argument gets its own copy: loops must not change the caller's variable."""
        symbol = routine.spec.symbols[name]
        others = [s for s in routine.spec.symbols.values() if s.line is line and s.name != name]
        attributes = ["integer(4)", "value"]
        spelled = line.text[symbol.name_span[0] : symbol.name_span[1]]
        rows = [f"{', '.join(attributes)} :: {spelled}"]
        indent = "\n" + " " * line.segments[0][2]
        if not others:
            yield replace_range(line, 0, len(line.text), rows[0])
            return
        if any(o.name in self.routine_iterators(routine) and o.name in routine.dummies for o in others):
            names = [
                s for s in (symbol, *others) if s.name in self.routine_iterators(routine) and s.name in routine.dummies
            ]
            if min(n.name_span for n in names) != symbol.name_span:
                return
            rest = [o for o in (symbol, *others) if o not in names]
        else:
            names, rest = [symbol], others
        kept = []
        if rest:
            head = [symbol.type.text, *sorted(symbol.attributes)]
            if symbol.intent:
                head.append(f"intent({symbol.intent})")
            kept = [f"{', '.join(head)} :: {', '.join(line.text[s.entity_span[0] : s.entity_span[1]] for s in rest)}"]
        first = f"integer(4), value :: {', '.join(line.text[n.name_span[0] : n.name_span[1]] for n in names)}"
        yield replace_range(line, 0, len(line.text), indent.join([first, *kept]))

    def routine_iterators(self, routine: Routine) -> set[str]:
        """Iterators of the active regions of a routine."""
        return {i for r in self.facts.positions.get(routine.key).own for i in self.facts.positions.regions[r].iterators}

    def _allocations(self, routine: Routine, allocations: list[str]) -> Iterator[Edit]:
        if not allocations:
            return
        indent = " " * (routine.header.segments[0][2] + 2)
        rows = [f"{indent}allocate({text})" for text in allocations]
        before = routine.body_first if routine.body_first >= 0 else routine.spec_insert + 1
        lines = self.index.source.lines
        while before > 0 and _SENTINEL.match(lines[before - 1]):
            before -= 1
        yield insert_lines(before, rows, 7, before)


def _at_edge(edit: Edit, made: Outline) -> bool:
    """Whether an insertion of whole lines belongs before the body, not to it (directives before the first line)."""
    return edit.insertion and edit.column == 0 and edit.line == made.first and edit.text.endswith("\n")


def _is_scheme(line: LogicalLine) -> bool:
    text = line.text.lstrip("@").strip().lower()
    return text.startswith(("scheme", "end scheme", "endscheme"))
