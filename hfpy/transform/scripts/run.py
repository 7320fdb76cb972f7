"""The kernels of a program after the scripts of its project (kernel-metadata-and-transforms.md §2.2, §2.3).

Each kernel goes through the function ``annotate`` of the project's own module, with all its annotations, then through
the functions that ``transform(module:function)`` names. What comes out is the program's text from then on: for the
optimiser and the backends the attributes are as if the user had written them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.diagnostics import Diagnostic, HfpyError, Place, Related, error, has_errors, note, warning
from hfpy.model.directives import Region
from hfpy.transform.scripts.annotations import Annotations, nameless
from hfpy.transform.scripts.context import Context, context_of
from hfpy.transform.scripts.faults import Fault, Faults
from hfpy.transform.scripts.interleaving import with_interleaved
from hfpy.transform.scripts.kernel import Kernel
from hfpy.transform.scripts.layouts import with_layouts
from hfpy.transform.scripts.ledger import Ledger, Step
from hfpy.transform.scripts.loading import Loader, NoScript, importing_from, run
from hfpy.transform.scripts.padding import with_pads
from hfpy.transform.scripts.replay import Replay
from hfpy.transform.scripts.work import Work, declarations, lines_of
from hfpy.transform.settled import Settled, changed
from hfpy.transform.text.edits import Edit, replace_rows

ANNOTATE = "annotate"


def with_scripts(settled: Settled) -> Settled:
    """The program after the project's scripts, if there are any, and after the changes of its options. Where scripts
    may not be run, as for commands that only look, a note says that.

    Raises HfpyError for what is wrong with the scripts, or cannot be changed.
    """
    options = settled.application.options
    folder = options.scripts
    if has_errors(settled.found):
        return settled
    if folder is None:
        settled = _unscripted(settled)
    elif not folder.trusted:
        text = "the project's scripts are not run by commands that only look at it"
        reported = note("HF674", text, Place(str(folder.path)), "--trust runs them")
        settled = replace(settled, notes=(*settled.notes, reported))
        folder = None
    if has_errors(settled.found) or (folder is None and not options.changes):
        return settled
    work = Work(settled)
    if has_errors(work.facts.found):
        return settled
    runner = _Runner(work, Loader(folder) if folder is not None else None, Ledger())
    kernels = left(runner.done, list(kernels_of(work, runner.ledger)))
    replay = Replay(options.changes, options.opt > 0)
    kernels = left(replay.done, kernels)
    found = [*runner.found, *replay.found, *replay.unused(kernel.name for kernel in kernels)]
    if has_errors(found):
        raise HfpyError((*settled.notes, *found))  # their places are those of the user's files
    return applied(settled, kernels, runner.ledger, found)


def left(done: Callable[[Kernel], Kernel], kernels: Sequence[Kernel]) -> list[Kernel]:
    """Kernels after something is done to each, without those that are in an earlier one by now."""
    made: list[Kernel] = []
    taken: set[tuple[str, int]] = set()
    for kernel in kernels:
        if (kernel.key, kernel.number) not in taken:
            made.append(done(kernel))
            taken |= {(kernel.key, number) for number in made[-1].taken}
    return made


def applied(settled: Settled, kernels: Sequence[Kernel], ledger: Ledger, notes: list[Diagnostic]) -> Settled:
    """A program with its kernels as transformations have made them. Raises HfpyError where they contradict each
    other.
    """
    kernels = _whole(kernels)
    edits = edits_of([k for k in kernels if k.steps], ledger)
    made = with_pads(with_layouts(changed(settled, edits, notes), kernels), kernels)
    return with_interleaved(made, kernels)


def _whole(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Kernels without those that are in others. Raises HfpyError where one of these was transformed by itself, too."""
    inside = {(k.key, number): k for k in kernels for number in k.taken}
    for kernel in kernels:
        first = inside.get((kernel.key, kernel.number))
        if first is not None and kernel.steps:
            message = f"'{kernel.name}' is part of the kernel '{first.name}', and transformed by itself, too"
            hint = f"transform '{first.name}', which has all statements of both"
            step = kernel.steps[-1]
            related = [Related(step.script, "asked for here")] if step.script is not None else []
            raise HfpyError([error("HF670", message, kernel.source, hint, related)])
    return [k for k in kernels if (k.key, k.number) not in inside]


def _unscripted(settled: Settled) -> Settled:
    """Errors for regions that ask for scripts where the project has none; annotations are for people then."""
    found: list[Diagnostic] = []
    hint = 'name the folder below [scripts] in hfpy.toml: dir = "hfpy_scripts"'
    for routine in settled.application.routines.values():
        for construct in routine.regions:
            region = construct.region
            if region is not None and region.scripts:
                found.append(error("HF672", "the project has no folder of scripts", region.place, hint))
    return Settled(settled.application, [*settled.found, *found], settled.notes) if found else settled


def kernels_of(work: Work, ledger: Ledger) -> Iterator[Kernel]:
    """The regions of a program that are kernels on its target, in the order of the text."""
    for key, routine in work.application.routines.items():
        if not work.facts.hybrid(key):
            continue
        active = [
            (n, c.region)
            for n, c in enumerate(routine.regions)
            if c.region is not None and RegionId(key, n) in work.facts.positions.regions
        ]
        unnamed = [n for n, region in active if not region.name]
        numbered = {n: f"{routine.name}:{place}" for place, n in enumerate(unnamed, 1)}
        names = {n: r.name or (routine.name if len(unnamed) == 1 else numbered[n]) for n, r in active}
        ledger.kernels.update({(key, number): name for number, name in names.items()})
        for number, region in active:
            name = names[number]
            yield Kernel(name, key, number, work, region, ledger)


def edits_of(kernels: list[Kernel], ledger: Ledger) -> dict[str, list[Edit]]:
    """The edits of files that kernels need, by path; each kernel has a comment with what was done."""
    edits: dict[str, list[Edit]] = {}
    declared: dict[str, set[str]] = {}
    for kernel in kernels:
        program = kernel.program
        index, construct = program.file(kernel.key), program.routine(kernel.key).regions[kernel.number]
        behind = program.routine(kernel.key).regions[(kernel.number, *kernel.taken)[-1]]
        first, last = lines_of(construct)[0], lines_of(behind)[1]
        margin = " " * construct.header.line.segments[0][2]
        sign = "c " if index.fixed else f"{margin}! "
        reported = [(f"{sign}by {_report(step)}", first) for step in kernel.steps]
        before, after = ([margin + row for row in rows] for rows in (kernel.rows_before, kernel.rows_after))
        rows = [*((row, first) for row in before), *kernel.work.region_rows(kernel.key, kernel.number, kernel.region)]
        rows += [(row, last) for row in after]
        edits.setdefault(index.path, []).append(replace_rows(first, last, [*reported, *rows]))
        declared.setdefault(kernel.key, set()).update(kernel.declared)
    for key, names in declared.items():
        if names:
            program = next(k.program for k in kernels if k.key == key)
            edits[program.file(key).path] += declarations(
                program.routine(key), list(ledger.names[key].declarations(names))
            )
    return edits


def _report(step: Step) -> str:
    asked = f"{Path(step.script.file).name}:{step.script.line}" if step.script is not None else step.by
    return f"{asked}: {step.call}" if asked else step.call


@dataclass
class _Runner:
    """Runs the scripts over kernels; what is wrong is in ``found``. Functions in ``broken`` are not run again."""

    work: Work
    loader: Loader | None
    ledger: Ledger
    faults: Faults = field(default_factory=Faults)
    broken: dict[tuple[str, str], Fault] = field(default_factory=dict)

    @property
    def found(self) -> list[Diagnostic]:
        return self.faults.found

    def done(self, kernel: Kernel) -> Kernel:
        """A kernel after all scripts that concern it."""
        if self.loader is None:
            return kernel
        annotations = Annotations(kernel.region.annotations)
        context = context_of(self.work.application.options, kernel.target)
        made = kernel
        if self.loader.folder.annotate:
            made = self._through(self.loader, made, self.loader.folder.annotate, ANNOTATE, annotations, context)
        for module, function in kernel.region.scripts:
            made = self._through(self.loader, made, module, function or kernel.name, context)
        self._check_annotations(kernel, annotations)
        return made

    def _through(
        self, loader: Loader, kernel: Kernel, module: str, function: str, *more: Annotations | Context
    ) -> Kernel:
        """A kernel after one function; as it was where that fails."""
        before = len(self.ledger.made)
        if (module, function) in self.broken:
            self.faults.tell(self.broken[module, function], kernel.source)
            return kernel
        try:
            called = loader.function(module, function)
        except NoScript as reason:
            fault = self.broken[module, function] = Fault("HF672", reason.message, reason.hint, reason.place)
            self.faults.tell(fault, kernel.source)
            return kernel
        try:
            with importing_from(loader.folder.path):
                result = run(lambda: called(kernel, *more), loader.folder.path / f"{module}.py")
        except NoScript as reason:
            fault = Fault("HF672", reason.message, reason.hint, reason.place)
            if reason.lasting:
                self.broken[module, function] = fault
            self.faults.tell(fault, kernel.source)
            return kernel
        except HfpyError as refused:
            self.faults.tell_all(refused.diagnostics)
            return kernel
        return self._checked(kernel, result, called, before)

    def _checked(self, kernel: Kernel, result: Any, called: Callable[..., Any], before: int) -> Kernel:
        """What a function gives, if it is a kernel that was made from the one it got, and nothing was dropped."""
        code = getattr(called, "__code__", None)
        line = Place(code.co_filename, code.co_firstlineno) if code is not None else kernel.source
        if not isinstance(result, Kernel) or not result.descends_from(kernel):
            what = "nothing" if result is None else f"a value of type {type(result).__name__}"
            what = "another kernel" if isinstance(result, Kernel) else what
            hint = "end the function with: return kernel"
            message = f"the script gives {what} back, not the kernel that it got"
            self.faults.tell(Fault("HF672", message, hint, line, "the function begins here"), kernel.source)
            return kernel
        for made in self.ledger.made[before:]:
            if not result.descends_from(made):
                step = made.steps[-1]
                hint = "a transformation leaves its kernel as it is and gives a new one: kernel = kernel." + step.call
                message = f"the result of {step.call} is dropped"
                self.faults.tell(Fault("HF671", message, hint, step.script), kernel.source)
                return kernel
        return result

    def _check_annotations(self, kernel: Kernel, annotations: Annotations) -> None:
        failed = has_errors(self.found)  # what scripts would have asked for is not known then
        for key in annotations.unused() if not failed else ():
            message = f"no script asks for the annotation '{key}'"
            self.found.append(warning("HF673", message, kernel.source, 'scripts ask by name: annotations.get("key")'))
        region: Region = kernel.region
        if annotations and self._has_words(annotations):
            names = kernel.work.body(kernel.key, kernel.number).names()
            known = {*kernel.loops, *kernel.arrays, *region.iterators, *names}
            for key, value in nameless(annotations, known):
                message = f"the annotation '{key}' names '{value}', which is no loop or array of the kernel"
                self.found.append(warning("HF673", message, kernel.source))

    @staticmethod
    def _has_words(annotations: Annotations) -> bool:
        return bool(nameless(annotations, ()))
