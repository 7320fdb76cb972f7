"""What an implementation with OpenACC would take, by the paper's rules (Hybrid Fortran, §4, figure 5).

1. Its directives are those that hfpy's OpenACC backend writes for the same program.
2. OpenACC has no granularity: routines that lie differently to the kernels on CPU and GPU have to be there twice.
3. It has no order of data either: every line with an access to, or a declaration of, an array that has not the same
   order on both targets needs a storage-order macro.

What was changed in specifications, signatures and the rest is taken over from the hybrid code, as in the paper.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path

from hfpy.analyze.analysis import analyse
from hfpy.analyze.arrays.orders import Node, Order
from hfpy.analyze.callgraph.positions import Position
from hfpy.analyze.facts import Facts, analysed_routines, resolve_alias
from hfpy.diagnostics import Diagnostic, has_errors, ordered
from hfpy.model.application import Application
from hfpy.options import DebugPrint, Options, silent
from hfpy.report.productivity.kinds import kinds_of
from hfpy.report.productivity.sanitise import sanitised
from hfpy.report.productivity.tree import File, Tree
from hfpy.values import dataclass

_Spot = tuple[str, int]  # path of a file, a physical line in it


@dataclass(frozen=True)
class Duplicated:
    """A routine that would have to be there twice: its place, its lines that count, its positions on CPU and GPU."""

    name: str
    file: str
    line: int
    lines: int
    cpu: str
    gpu: str


@dataclass(frozen=True)
class Estimate:
    """What OpenACC would need: directive lines, lines with storage-order macros (``accesses`` and ``declarations``),
    duplicated routines. Where hfpy's OpenACC backend refuses something, ``problems`` has the reasons; the directives
    are those for the rest then.
    """

    directives: int
    accesses: int
    declarations: int
    duplicated: tuple[Duplicated, ...]
    problems: tuple[Diagnostic, ...] = field(default=())

    @property
    def complete(self) -> bool:
        """Whether all directives were counted."""
        return not self.problems

    @property
    def macros(self) -> int:
        """Lines with storage-order macros."""
        return self.accesses + self.declarations

    @property
    def duplicated_lines(self) -> int:
        """Lines of duplicated routines."""
        return sum(d.lines for d in self.duplicated)


@dataclass(frozen=True)
class NoEstimate:
    """Why there is none."""

    problems: tuple[Diagnostic, ...]


def estimate(paths: Sequence[Path], cpu: Options, gpu: Options, hybrid: Tree) -> Estimate | NoEstimate:
    """The estimate for the sources at ``paths``, with the project's options for both targets, and their tree."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return _estimate(paths, _plain(cpu, "openmp"), _plain(gpu, "openacc"), hybrid)
    finally:
        if enabled:
            gc.enable()


def _plain(options: Options, backend: str) -> Options:
    """Options with one backend for everything, and nothing written but what the program means."""
    return replace(
        options,
        backend=backend,
        schemes={},
        routines={},
        opt=0,
        line_markers=False,
        emulate=False,
        trace=False,
        debug_print=DebugPrint(),
        cache_dir=None,
    )


def _estimate(paths: Sequence[Path], cpu: Options, gpu: Options, hybrid: Tree) -> Estimate | NoEstimate:
    from hfpy.pipeline import settled_application

    sides: list[Facts] = []
    for options in (cpu, gpu):
        settled = settled_application(paths, options)
        if has_errors(settled.found):
            return NoEstimate(ordered(d for d in settled.found if d.severity == "error"))
        sides.append(analyse(settled.application))
    here, there = sides
    counted = {file.path: _statements(file) for file in hybrid.files}
    accesses, declarations = _macro_lines(here, there)
    directives, problems = _directives(there, hybrid)
    return Estimate(
        directives, len(accesses), len(declarations - accesses), tuple(_duplicated(here, there, counted)), problems
    )


def _statements(file: File) -> set[int]:
    """Physical lines on which statements begin; directives of hfpy need no second copy."""
    kinds = zip(file.lines, kinds_of(file), strict=True)
    return {line.first for line, kind in kinds if kind not in ("parallelisation", "layout")}


def _directives(facts: Facts, hybrid: Tree) -> tuple[int, tuple[Diagnostic, ...]]:
    """Lines of directives that the OpenACC backend writes, without those that the user has written."""
    from hfpy.analyze.checks import check
    from hfpy.analyze.effects.effects import Effects
    from hfpy.making import rewritten

    effects = Effects(facts)
    found = [*facts.found, *check(facts, effects)]
    if has_errors(found):
        return 0, ordered(d for d in found if d.severity == "error")
    done = rewritten(facts, effects, silent)
    there = sum(
        line.text.startswith("!$acc")
        for file in done.files
        if file.name[-3:].lower() not in (".cu",)
        for line in sanitised(file.text.splitlines(), file.name.lower().endswith((".f", ".for")))
    )
    given = sum(line.text.startswith("!$acc") for file in hybrid.files for line in file.lines)
    return max(there - given, 0), ordered(d for d in done.found if d.severity == "error")


def _duplicated(here: Facts, there: Facts, counted: dict[Path | None, set[int]]) -> Iterator[Duplicated]:
    """Routines that lie differently to kernels on the two targets."""
    for key, routine in here.application.routines.items():
        if routine.kind not in ("subroutine", "function", "procedure") or key not in there.application.routines:
            continue
        cpu, gpu = here.positions.get(key), there.positions.get(key)
        labels = {cpu.label, gpu.label}
        if labels <= {"none", "inside"}:  # host code on both
            continue
        if len(labels) == 1 and _domains(here, cpu) == _domains(there, gpu):
            continue
        file = here.application.file(key)
        first, last = _extent(here.application, key)
        lines = sum(first <= n <= last for n in counted.get(Path(file.path).resolve(), ()))
        yield Duplicated(routine.name, file.path, first, lines, cpu.label, gpu.label)


def _domains(facts: Facts, position: Position) -> set[frozenset[str]]:
    """What the regions of a routine are parallel over, whatever the order of their loops."""
    return {frozenset(facts.positions.regions[identity].iterators) for identity in position.own}


def _extent(application: Application, key: str) -> tuple[int, int]:
    """The first and last physical line of a routine in the user's file, 1-based."""
    routine, file = application.routines[key], application.file(key)
    first = routine.header.first
    last = routine.end.last if routine.end is not None else first
    return file.user_line(first), file.user_line(last)


def _macro_lines(here: Facts, there: Facts) -> tuple[set[_Spot], set[_Spot]]:
    """Lines with accesses and declarations of arrays whose order is not the same on both targets."""
    differing = _differing(here, there)
    accesses: set[_Spot] = set()
    declarations: set[_Spot] = set()
    for routine in analysed_routines(there):
        path = there.application.file(routine.key).path
        for reference in there.references[routine.key]:
            name, _ = resolve_alias(reference.name, reference.at)
            data = there.object(name, routine.key) if name is not None else None
            if data is None or data.rank < 2 or there.classes.root(data.identity) not in differing:
                continue
            made = there.plan_of(reference, routine.key)
            if reference.indices is not None or (made is not None and made.items is not None):
                line = reference.at.statement.line
                accesses.add((line.file or path, line.first))
    for key, unit in there.application.routines.items():
        for name, symbol in unit.spec.symbols.items():
            data = there.object(name, key)
            known = data is not None and data.rank > 1 and there.classes.root(data.identity) in differing
            explicit = data is not None and any(d.size.strip(": ") for d in data.used)
            if known and explicit and symbol.line is not None:
                declarations.add((symbol.line.file or there.application.file(key).path, symbol.line.first))
    return accesses, declarations


def _differing(here: Facts, there: Facts) -> set[Node]:
    """Classes of arrays on the GPU that have another order on the CPU, or a macro for their order."""
    found: set[Node] = set()
    for representative, members in there.classes.members().items():
        order = there.orders.get(representative)
        if order is not None and order.access_macro:
            found.add(representative)
            continue
        for member in members:
            other = here.orders.get(here.classes.root(member))
            if _shape(order) != _shape(other):
                found.add(representative)
                break
    return found


def _shape(order: Order | None) -> tuple[int, ...] | None:
    """The permutation that an order is; None for the declared one."""
    if order is None or order.identity:
        return None
    return order.permutation or order.storage
