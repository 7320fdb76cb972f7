"""Faults in files without directives, for ``hfpy check``: a translation parses no more of these than regions need.

Files that are read for this are kept in the store of the project, if it was built: what a file says depends on its
text, and on what is beside all sources.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from hfpy.analyze.faults.plainfiles import PlainFile, plain_file, undeclared_in
from hfpy.beside import Pending, beside, worth_two
from hfpy.commands.mishaps import unexpected
from hfpy.diagnostics import Diagnostic, Place
from hfpy.making import deep
from hfpy.model.macros import Macro
from hfpy.options import Options
from hfpy.parse.files import index_file, is_fortran, project_macros
from hfpy.parse.text.allowed import acknowledged
from hfpy.store.incremental import Now
from hfpy.store.store import Store
from hfpy.values import dataclass

_STEP = "plain"
_LINE = 35  # bytes of a line, about


@dataclass(frozen=True)
class Unreached:
    """The files of a program, of which ``only`` some are looked at (None: all), and where it is kept what they say."""

    paths: tuple[Path, ...]
    options: Options
    only: frozenset[Path] | None = None
    store: Store | None = None

    @property
    def wanted(self) -> bool:
        """Whether there may be such files: not where a translation reads all in full."""
        return not self.options.reads_all

    @contextmanager
    def begun(self) -> Iterator[Pending[tuple[Diagnostic, ...]]]:
        """What is found, in a process of its own where the program is not small."""
        lines = sum(path.stat().st_size for path in self.paths if path.is_file()) // _LINE
        with beside(self.found, worth_two(self.options.jobs, lines)) as pending:
            yield pending

    def found(self) -> tuple[Diagnostic, ...]:
        """All that is wrong there."""
        if not self.wanted:
            return ()
        now = Now.of(self.paths, self.options)
        if now is None:
            return ()
        with deep():
            files = self._files(now)
            found = [d for one in files.values() for d in one.problems]
            found += undeclared_in([*files.values()])
        return tuple(acknowledged(found))

    def _files(self, now: Now) -> Mapping[str, PlainFile]:
        """What each file says. Where all is as it was, it is not read."""
        kept = self.store.get(_STEP, now.surroundings) if self.store is not None else None
        before: Mapping[str, tuple[str, PlainFile]] = kept if isinstance(kept, dict) else {}
        macros, _ = project_macros(self.options)
        made: dict[str, tuple[str, PlainFile]] = {}
        for path in filter(self._is_source, self.paths):
            digest, wanted = now.digests[str(path)], self.only is None or path.resolve() in self.only
            then = before.get(str(path))
            same = then is not None and then[0] == digest and (then[1].read or not wanted)
            made[str(path)] = then if then is not None and same else (digest, self._read(path, macros, wanted))
        if self.store is not None and made != before:
            self.store.put(_STEP, now.surroundings, made)
        return {path: one for path, (_, one) in made.items()}

    def _is_source(self, path: Path) -> bool:
        order = self.options.storage_order
        return is_fortran(path) and (order is None or path.resolve() != order.resolve())

    def _read(self, path: Path, macros: Mapping[str, Macro], wanted: bool) -> PlainFile:
        try:
            index = index_file(path, self.options, macros)
            return plain_file(index, macros, self.options.include_dirs, self.options.parse_limit, wanted)
        except Exception as fault:
            if os.environ.get("HFPY_DEBUG"):
                raise
            return PlainFile(problems=(unexpected(fault, Place(str(path))),))


def together(found: Sequence[Diagnostic], more: Collection[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What a translation found, and what was found beside it at other places."""
    reported = {(d.place.file, d.place.line) for d in found}
    return (*found, *(d for d in more if (d.place.file, d.place.line) not in reported))
