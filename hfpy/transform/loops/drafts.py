"""An application with loops as regions, to be looked at: nothing of it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hfpy.analyze.loops.loopregions import World
from hfpy.diagnostics import Diagnostic
from hfpy.model.application import Application
from hfpy.parse.application import with_texts
from hfpy.transform.loops.tried import Tried, region_edits
from hfpy.transform.passes import edited, with_text
from hfpy.transform.text.edits import Edit


class Draft:
    """The application with loops as regions, round after round: files whose regions stay are not read again."""

    def __init__(self, application: Application, worlds: Mapping[str, World]) -> None:
        self.application = application
        self._files = {f.path: f for f in application.files}
        self._worlds = worlds
        self._regions: dict[str, tuple[tuple[int, int, tuple[str, ...]], ...]] = {}
        self._wrong: set[str] = set()  # files with whose text something is wrong

    @property
    def clean(self) -> Application:
        """The application, in which files are as they were where something is wrong with their new texts."""
        files = (self._files[f.path] if f.path in self._wrong else f for f in self.application.files)
        return replace(self.application, files=tuple(files))

    @property
    def wrong(self) -> frozenset[str]:
        """The files with whose text something is wrong."""
        return frozenset(self._wrong)

    def write(self, loops: Sequence[Tried]) -> list[Diagnostic]:
        """Put these loops into the place of those before; what is wrong with the new texts."""
        wanted: dict[str, list[Tried]] = {}
        for loop in loops:
            wanted.setdefault(self.application.file(loop.key).path, []).append(loop)
        macros = self.application.macros
        texts: dict[str, tuple[str, tuple[int, ...]]] = {}
        for path in wanted.keys() | self._regions.keys():
            here = wanted.get(path, [])
            regions = tuple(sorted((x.candidate.row, x.depth, x.candidate.attributes) for x in here))
            if regions != self._regions.get(path, ()):
                self._regions[path] = regions
                texts[path] = with_text(self._files[path], edited(self._files[path], self._edits(path, here), macros))
        self.application, found = with_texts(self.application, texts)
        self._wrong = (self._wrong - texts.keys()) | {d.place.file for d in found}
        return found

    def _edits(self, path: str, loops: Sequence[Tried]) -> list[Edit]:
        made: dict[Edit, None] = {}
        for loop in loops:
            world = self._worlds[loop.key]
            region = loop.candidate.region(world, loop.depth)
            made |= dict.fromkeys(region_edits(self._files[path], world, loop.candidate, region))
        return list(made)
