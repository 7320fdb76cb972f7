"""``hfpy tune --script``: a script proposes forms of kernels; each is timed, the fastest is kept for later builds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hfpy.api import Program
from hfpy.build.files import digest
from hfpy.build.session import Session
from hfpy.changes import TUNE, Changes
from hfpy.diagnostics import UsageError
from hfpy.options import Options, ScriptFolder
from hfpy.pipeline import translate
from hfpy.project import source_files
from hfpy.transform.scripts.kernel import Kernel
from hfpy.transform.scripts.loading import Loader, NoScript, importing_from, run
from hfpy.transform.scripts.replay import digest_of
from hfpy.tune.timing import Timer, Wish, check_target, reported_winner, routine_of
from hfpy.tune.tune import keep_kernels
from hfpy.values import dataclass

SEARCH = "search"  # the function of a script that says nothing else
MOST_WAYS = 100


def tuned_by_script(
    session: Session, wish: Wish, script: str, environment: Mapping[str, str], say: Callable[[str], None]
) -> Path:
    """Time what a script proposes for kernels of a project; the file with the choices. ``script`` is ``module`` or
    ``module:function`` in the project's folder of scripts.

    Raises UsageError for what cannot be tuned, HfpyError for faults of the sources or scripts, ToolError if something
    cannot be compiled or run.
    """
    check_target(session.options)
    folder = session.options.scripts
    if folder is None:
        raise UsageError('the project has no folder of scripts; name it below [scripts] in hfpy.toml: dir = "…"')
    plain = replace(session, options=without_chosen(session.options))
    program = Program(plain)
    kernels = _wanted(program, wish.routines)
    ways = {kernel.full_name: _proposed(kernel, folder, script, program) for kernel in kernels}
    with tempfile.TemporaryDirectory(prefix="hfpy-tune-") as temporary:
        found = [
            _KernelTuner(plain, wish, environment, Path(temporary), say, kernel).choose(ways[kernel.full_name])
            for kernel in kernels
        ]
    chosen = [c for c in found if c is not None]
    return keep_kernels(session, [c for c in chosen if c.calls], [(c.kernel, c.backend) for c in chosen])


def without_chosen(options: Options) -> Options:
    """Options without what was chosen for kernels before."""
    return replace(options, changes=tuple(c for c in options.changes if c.by != TUNE))


def _wanted(program: Program, names: Sequence[str]) -> list[Kernel]:
    """The kernels that are named, all without a name. Raises UsageError."""
    kernels = list(program.values())
    if not names:
        return kernels
    found = []
    for name in names:
        fitting = [k for k in kernels if name.lower() in (k.name.lower(), k.full_name)]
        if not fitting:
            near = get_close_matches(name.lower(), [k.name for k in kernels], 1)
            raise UsageError(f"no kernel is called '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
        found += fitting
    return found


def _proposed(kernel: Kernel, folder: ScriptFolder, script: str, program: Program) -> list[Kernel]:
    """The forms of a kernel that a script proposes. Raises UsageError for what is wrong with the script."""
    module, _, name = script.partition(":")
    loader = Loader(folder)
    try:
        search = loader.function(module, name or SEARCH)
        with importing_from(folder.path):
            given = run(lambda: _listed(search(kernel, program.context)), folder.path / f"{module}.py")
    except NoScript as fault:
        where = f"{fault.place}: " if fault.place is not None else ""
        raise UsageError(f"{where}{fault.message}" + (f"; {fault.hint}" if fault.hint else "")) from None
    if not all(isinstance(k, Kernel) and k.descends_from(kernel) for k in given):
        raise UsageError(f"{script} gives something else than forms of the kernel '{kernel.name}' that it got")
    if len(given) > MOST_WAYS:
        raise UsageError(f"{script} proposes more than {MOST_WAYS} forms of the kernel '{kernel.name}'")
    return list(given)


def _listed(given: Any) -> list[Any]:
    """What a script gives, as a list: kernels, one kernel, or nothing."""
    if given is None:
        return []
    if isinstance(given, Kernel) or not isinstance(given, Iterable):
        return [given]
    return [item for _, item in zip(range(MOST_WAYS + 1), given, strict=False)]


@dataclass(frozen=True)
class _KernelTuner:
    session: Session
    wish: Wish
    environment: Mapping[str, str]
    folder: Path
    say: Callable[[str], None]
    kernel: Kernel

    def choose(self, proposed: Sequence[Kernel]) -> Changes | None:
        """The fastest form as changes, none of them if that is the present one; None if nothing can be measured."""
        self.say(f"{self.kernel.full_name}:")
        ways = self._distinct([self.kernel, *proposed])
        if len(ways) == 1:
            self.say("  the script proposes no other form")
            return None
        timer = Timer(self.session, self.wish, self.environment, self.folder, self.say, routine_of(self.kernel))
        measured = timer([self._options(way) for way in ways])
        if measured.reason:
            self.say(f"  cannot be tuned: {measured.reason}")
            return None
        labels = [", ".join(self._changes(way).calls) or "as it is" for way in ways]
        return self._changes(ways[reported_winner(measured, labels, self.say)])

    def _changes(self, way: Kernel) -> Changes:
        calls = tuple(step.call for step in way.steps[len(self.kernel.steps) :])
        return Changes(self.kernel.full_name, calls, TUNE, digest_of(self.kernel), self.kernel.target)

    def _options(self, way: Kernel) -> Options:
        options = self.session.options
        change = self._changes(way)
        return replace(options, changes=(*options.changes, change)) if change.calls else options

    def _distinct(self, ways: Sequence[Kernel]) -> list[Kernel]:
        """The forms that give texts of their own."""
        seen: dict[str, Kernel] = {}
        sources = source_files(self.session.project)
        for way in ways:
            done = translate(sources, self._options(way))
            lines = (line for file in done.files for line in file.text.splitlines())
            seen.setdefault(digest("\n".join(x for x in lines if not x.lstrip().startswith("! by "))), way)
        return list(seen.values())
