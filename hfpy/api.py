"""The program as a Python value: kernels, what is known of them, their transformations, the generated sources.

    import hfpy

    program = hfpy.read("project")
    kernel = program["dycore::hdiff"]
    kernel = kernel.tile(i=32, j=4)
    program.write("out")

Scripts of a project get the same :class:`Kernel` (docs/scripts.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hfpy.build.session import Given, Session, open_files, open_project
from hfpy.diagnostics import Diagnostic, HfpyError, UsageError, has_errors, ordered
from hfpy.making import deep
from hfpy.options import Options
from hfpy.pipeline import program_of, translated
from hfpy.project import PROJECT_FILE, source_files
from hfpy.transform.regions.regioncode import Backend, RegionCode
from hfpy.transform.scripts.annotations import Annotations
from hfpy.transform.scripts.arrays import Array
from hfpy.transform.scripts.context import Context, context_of
from hfpy.transform.scripts.illegal import IllegalTransform
from hfpy.transform.scripts.kernel import Kernel
from hfpy.transform.scripts.ledger import Ledger, Step
from hfpy.transform.scripts.loops import Loop
from hfpy.transform.scripts.replay import calls_of
from hfpy.transform.scripts.run import applied, kernels_of
from hfpy.transform.scripts.work import Work

if TYPE_CHECKING:
    from hfpy.kernels.objects import Library

__all__ = [
    "Annotations",
    "Array",
    "Backend",
    "Context",
    "IllegalTransform",
    "Kernel",
    "Loop",
    "Program",
    "RegionCode",
    "Step",
    "read",
]

Source = str | os.PathLike[str]


def read(
    source: Source | Sequence[Source],
    target: str = "cpu",
    backend: str | None = None,
    *,
    trust: bool = False,
    **options: Any,
) -> Program:
    """Read a program: a folder with an ``hfpy.toml``, a file, or several files.

    ``target`` is ``cpu`` or ``gpu``; ``options`` are those of the command line, such as ``opt=3`` or
    ``layout="k i j"``. Nothing of a project is executed unless ``trust``, which runs its scripts.

    Raises HfpyError for faults of the Fortran code or of scripts, UsageError for options that cannot be.
    """
    names = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    paths = [Path(name) for name in names]
    for path in paths:
        if not path.exists():
            raise UsageError(f"no such file or folder: {path}")
    try:
        given = Given(target=target, backend=backend, trust=trust, **options)
    except TypeError as fault:
        raise UsageError(f"hfpy.read: {fault}") from None
    if len(paths) == 1 and (paths[0] / PROJECT_FILE).is_file():
        session = open_project(paths[0], given, os.environ)
    else:
        session = open_files(paths, given)
    return Program(session)


class Program(Mapping[str, Kernel]):
    """The kernels of a program by name, in the order of the text.

    A kernel is found by its name alone, or as ``module::name``, where no other has it. A transformation gives a new
    kernel, which takes the place of the one that it was made from. Where a kernel has been transformed in several ways,
    ``program[name] = kernel`` says which of them counts, the first one among them.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._paths = tuple(source_files(session.project))
        with deep():
            settled = program_of(self._paths, session.options)
            if has_errors(settled.found):
                raise HfpyError(ordered([*settled.notes, *settled.found]))
            self._work = Work(settled)
            if has_errors(self._work.facts.found):
                raise HfpyError(ordered(self._work.facts.found))
        self._ledger = Ledger(timed=self._timed)
        self._read = tuple(kernels_of(self._work, self._ledger))
        self._chosen: dict[int, tuple[Kernel, int]] = {}  # with the number of all that were made before

    @property
    def options(self) -> Options:
        """What the translation is asked to do."""
        return self._session.options

    @property
    def context(self) -> Context:
        """What is known of the target, as scripts get it."""
        return context_of(self.options, self.options.default_backend)

    def __iter__(self) -> Iterator[str]:
        names = [kernel.name for kernel in self._read]
        for kernel in self._read:
            yield kernel.name if names.count(kernel.name) == 1 else kernel.full_name

    def __len__(self) -> int:
        return len(self._read)

    def __getitem__(self, name: str) -> Kernel:
        """The kernel as it is now. Raises KeyError for a name that no kernel has, or that several have."""
        return self._now(self._find(name))

    def __setitem__(self, name: str, kernel: Kernel) -> None:
        """Say which of several transformed kernels counts."""
        number = self._find(name)
        if not kernel.descends_from(self._read[number]):
            raise ValueError(f"this kernel was not made from '{name}'")
        self._chosen[number] = kernel, len(self._ledger.made)

    def __repr__(self) -> str:
        return "\n".join(f"{k.full_name}  ({k.source.file}:{k.source.line})" for k in self._read)

    def _find(self, name: str) -> int:
        wanted = name.lower()
        found = [n for n, k in enumerate(self._read) if wanted in (k.name.lower(), k.full_name)]
        if len(found) == 1:
            return found[0]
        if found:
            raise KeyError(f"several kernels are called '{name}': {', '.join(self._read[n].full_name for n in found)}")
        near = get_close_matches(wanted, [*self, *(k.full_name for k in self._read)], 1)
        hint = (
            f"did you mean '{near[0]}'?" if near else f"there are {', '.join(self)}" if self._read else "there is none"
        )
        raise KeyError(f"no kernel is called '{name}': {hint}")

    def _now(self, number: int) -> Kernel:
        """A kernel after its transformations. Raises ValueError where there are several ways."""
        first, since = self._chosen.get(number, (self._read[number], 0))
        made = [k for k in self._ledger.made[since:] if isinstance(k, Kernel) and k.descends_from(first)]
        last = made[-1] if made else first
        for kernel in made:
            if not last.descends_from(kernel):
                step = kernel.steps[-1]
                raise ValueError(
                    f"'{first.name}' was transformed in several ways, and the result of {step} is in none of the later "
                    f"ones: say which counts, program['{first.name}'] = kernel"
                )
        return last

    def write(self, folder: Source, backends: Mapping[str, Backend] | None = None) -> tuple[Path, ...]:
        """Generate the sources into a folder, each file only if it changes; gives their paths. ``backends`` are your
        own in the place of ``sequential`` or ``openmp``.

        Raises HfpyError with all diagnostics, having written nothing, if there is an error among them.
        """
        from hfpy.build.files import write_if_changed

        files, _ = self._translated(backends or {})
        paths = []
        for file in files.items():
            path = Path(folder) / file[0]
            path.parent.mkdir(parents=True, exist_ok=True)
            write_if_changed(path, file[1].encode("utf-8", "surrogateescape"))
            paths.append(path)
        return tuple(paths)

    def texts(self, backends: Mapping[str, Backend] | None = None) -> Mapping[str, str]:
        """The generated sources by name. Raises HfpyError if there is an error."""
        return self._translated(backends or {})[0]

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What hfpy has to say of the program as it is now. Raises HfpyError if there is an error."""
        return self._translated({})[1]

    def load(self, **sizes: Any) -> Library:
        """The program as it is now, compiled, with its routines as callables (docs/python.md). ``sizes`` are scalars of
        modules, set before each call.

        Raises HfpyError for faults of the code, ToolError if a compiler is missing or fails, UsageError for what cannot
        be loaded.
        """
        from hfpy.kernels.api import loaded

        return loaded(self._with({}), sizes)

    def _with(self, forms: Mapping[str, Kernel]) -> Session:
        """The session with all transformations as changes, and some kernels in other forms, by their full names."""
        names = {kernel.full_name: number for number, kernel in enumerate(self._read)}
        now = {name: forms.get(name) or self._now(number) for name, number in names.items()}
        options = self._session.options
        changes = calls_of({n: k for n, k in now.items() if k is not self._read[names[n]]}, "hfpy.api")
        return replace(self._session, options=replace(options, changes=(*options.changes, *changes)))

    def _timed(self, kernel: Kernel, sizes: Mapping[str, int], rounds: int) -> float:
        """The median seconds of a call of a kernel's routine. Raises UsageError where it cannot be called."""
        from hfpy.build.cachefolder import cache_folder
        from hfpy.kernels.api import for_callers
        from hfpy.tune.arrays import package_for
        from hfpy.tune.calls import Calls
        from hfpy.tune.timing import routine_of

        routine = routine_of(kernel)
        if routine.alone:
            raise UsageError(f"'{routine.key}' cannot be called by itself: {routine.alone}")
        session = for_callers(self._with({kernel.full_name: kernel}))
        calls = Calls(session.project, os.environ, cache_folder(os.environ), sizes, rounds)
        package = package_for(session.options, routine.backend)
        measured = calls.measure(routine.key, dict(routine.sizes), [session.options], package)
        if measured.reason:
            raise UsageError(f"'{routine.key}' cannot be called: {measured.reason}")
        return measured.median(0)

    def _translated(self, backends: Mapping[str, Backend]) -> tuple[dict[str, str], tuple[Diagnostic, ...]]:
        kernels = [self._now(number) for number in range(len(self._read))]
        with deep():
            settled = self._work.settled
            made = applied(settled, kernels, self._ledger, [])
            options = replace(made.application.options, own_backends=tuple(backends.items()))
            done = translated(replace(made, application=replace(made.application, options=options)))
        if has_errors(done.diagnostics):
            raise HfpyError(done.diagnostics)
        return {file.name: file.text for file in done.files}, done.diagnostics
