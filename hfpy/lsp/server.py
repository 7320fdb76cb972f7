"""The language server: what an editor has open, what is known of it, and when that is found out.

Texts are read in one thread, projects are looked at in another, one after the other, so that neither overtakes itself,
and what takes long to answer is worked out in a third. What is found for a text that is no longer current is not
published. What is answered is found in the other modules of this package.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from hfpy.commands.unreached import together
from hfpy.diagnostics import Diagnostic
from hfpy.insight.survey import Survey
from hfpy.lsp.garbage import Garbage
from hfpy.lsp.looking import Looked, Looker, lines_on_disk, project_above
from hfpy.lsp.modules import Modules
from hfpy.lsp.newregions import Judge, Proposal, new_regions
from hfpy.lsp.places import as_lsp, path_of, uri_of
from hfpy.lsp.plain import Apart, Plain
from hfpy.lsp.settings import is_settings
from hfpy.lsp.shown import shown
from hfpy.lsp.texts import Outdated, Text
from hfpy.model.source import source_text
from hfpy.values import dataclass
from hfpy.version import VERSION

Answer = TypeVar("Answer")
DELAY = 0.1  # seconds without another change after which a text is read


@dataclass
class Opened:
    """A file that is open in the editor: how often it has changed, and its text with the change that it was read at."""

    path: Path
    uri: str
    changes: int = 0
    text: Text | None = None
    read_at: int = -1


class Server(LanguageServer):
    """A server with what it knows about open files and their projects."""

    def __init__(self) -> None:
        super().__init__("hfpy", VERSION, text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental)
        self.looker = Looker()
        self.opened: dict[Path, Opened] = {}
        self.looked: list[Looked] = []
        self.modules = Modules()
        self.found: dict[Path, tuple[Diagnostic, ...]] = {}
        self.begun = self.shut_down = False
        self._wanted: dict[Path, None] = {}
        self._surveyed: tuple[Looked, asyncio.Future[Survey]] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._texts = ThreadPoolExecutor(1, "texts")
        self._looks = ThreadPoolExecutor(1, "looks")
        self._questions = ThreadPoolExecutor(1, "questions")
        self._apart = Apart()
        self._plain = Plain(self._apart.find, lambda looked, files: self._show_all(looked, files, if_new=True))
        self._garbage = Garbage(lambda work: asyncio.get_running_loop().run_in_executor(self._looks, work))

    # -- texts

    def open(self, uri: str) -> Opened:
        """A file that the editor has open from now on."""
        path = path_of(uri)
        self.opened[path] = Opened(path, uri)
        return self.opened[path]

    def close_file(self, uri: str) -> None:
        """A file that the editor has no longer open: what is on disk counts."""
        path = path_of(uri)
        self.opened.pop(path, None)
        looked = self.looked_for(path)
        self.show(path, self._wrong_in(path, looked) if looked is not None else ())

    async def typed(self, path: Path) -> None:
        """Read a text that has changed, unless it changes again soon, and publish what is found."""
        opened = self.opened.get(path)
        if opened is None:
            return
        opened.changes += 1
        self._asked()
        mine = opened.changes
        await asyncio.sleep(DELAY)
        if opened.changes == mine and await self.text(path) is not None and opened.changes == mine:
            self.publish(opened)

    async def text(self, path: Path) -> Text | None:
        """The text of an open file as it is now; None where it is not open, is no Fortran, or changes while it is
        read.
        """
        opened = self.opened.get(path)
        if opened is None or is_settings(path):
            return None
        source, now = self.document(opened.uri).source, opened.changes
        return await asyncio.get_running_loop().run_in_executor(self._texts, self._read, opened, source, now)

    def text_read(self, path: Path) -> Text | None:
        """The text of an open file as it was last read."""
        opened = self.opened.get(path)
        return opened.text if opened is not None else None

    def _read(self, opened: Opened, source: str, now: int) -> Text | None:
        """The text of a file after some changes, read once."""
        if opened.read_at >= now and opened.text is not None:
            return opened.text
        options = self.looker.options(opened.path)
        first = opened.text is None  # which is worth its time: all later ones are made of it

        def current() -> bool:
            return first or opened.changes == now

        try:
            text = Text.read(opened.path, source, options, opened.text, current)
        except Outdated:
            return None
        opened.text, opened.read_at = text, now
        return text

    def document(self, uri: str) -> TextDocument:
        """A document of the editor's."""
        return self.workspace.get_text_document(uri)

    def lines(self, path: Path) -> Sequence[str]:
        """The lines of a file as they are in the editor, or on disk if it is not open."""
        opened = self.opened.get(path)
        if opened is None:
            return lines_on_disk(path)
        return source_text(str(path), self.document(opened.uri).source).lines

    # -- projects

    def looked_for(self, path: Path) -> Looked | None:
        """What was found when the project of a file was last looked at."""
        return next((looked for looked in self.looked if path in looked.sources), None)

    async def look(self, path: Path) -> None:
        """Look at the project of a file, and publish what is found. What is asked for meanwhile is done together."""
        self._wanted[path] = None
        self._asked()
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look_at_all())
        await asyncio.shield(self._looking)

    async def _look_at_all(self) -> None:
        loop = asyncio.get_running_loop()
        while self._wanted:
            paths, self._wanted = list(self._wanted), {}
            for path in {project_above(p): p for p in reversed(paths)}.values():
                looked = await loop.run_in_executor(self._looks, self.looker.project, path, tuple(self.opened))
                rest = [p for p in paths if p not in looked.sources and project_above(p) == project_above(path)]
                self._wanted |= dict.fromkeys(rest)
                if not self._wanted.keys() & looked.sources:  # else a newer look follows
                    self.take(looked)
                self._garbage.left()
        loop.run_in_executor(self._looks, self.looker.ahead.read)

    def _asked(self) -> None:
        """Something is asked for: what is done while the user pauses has to wait."""
        self._garbage.asked()
        self._plain.asked()

    def _wrong_in(self, file: Path, looked: Looked) -> tuple[Diagnostic, ...]:
        return together(looked.found.get(file, ()), self._plain.found.get(file, ()))

    def take(self, looked: Looked) -> None:
        """Publish what is found in a project; files that had diagnostics lose them."""
        same = [old for old in self.looked if old.sources & looked.sources]
        looked = replace(looked, before=next((s for old in same if (s := old.survey_at_hand) is not None), None))
        before = {file for old in same for file in old.found} | (self._plain.found.keys() & looked.sources)
        self.looked = [looked, *(old for old in self.looked if not old.sources & looked.sources)]
        self._plain.looked(looked, same)
        listed = {file for file in looked.found if file.exists()}
        self._show_all(looked, before | listed | (self.opened.keys() & looked.sources))
        if self._refreshes:
            self.workspace_code_lens_refresh(None)

    def _show_all(self, looked: Looked, files: Iterable[Path], if_new: bool = False) -> None:
        """Publish what was found in some files of a project."""
        for file in sorted(files):
            opened = self.opened.get(file)
            if opened is None:
                self.show(file, self._wrong_in(file, looked))
            elif opened.text is None or opened.read_at == opened.changes:
                self.publish(opened, if_new)  # else it is read soon, and published then

    @property
    def _refreshes(self) -> bool:
        """Whether the editor can be asked to ask for lenses again."""
        known = self.client_capabilities.workspace
        return bool(known is not None and known.code_lens is not None and known.code_lens.refresh_support)

    # -- what is published

    def publish(self, opened: Opened, if_new: bool = False) -> None:
        """Publish what is wrong with an open file as it is now; ``if_new`` says not to repeat it."""
        looked = self.looked_for(opened.path)
        found = self._wrong_in(opened.path, looked) if looked is not None else ()
        if opened.text is not None:
            lines = looked.lines.get(opened.path) if looked is not None else None
            found = shown(opened.text, found, lines)
            if not opened.text.index.hybrid and self._plain.to_come(opened.path):
                found = together(found, opened.text.found)  # a plain file whose project's look does not read it
        if not if_new or self.found.get(opened.path) != found:
            self.show(opened.path, found)

    def show(self, path: Path, found: Iterable[Diagnostic]) -> None:
        """Publish the diagnostics of a file."""
        self.found[path] = tuple(found)
        opened = self.opened.get(path)
        lines = [*opened.text.lines, ""] if opened is not None and opened.text is not None else []
        made = [as_lsp(d) for d in self.found[path]]
        for one in made:
            one.range = self.in_units(one.range, lines)
        uri = opened.uri if opened is not None else uri_of(path)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=made))

    def in_units(self, found: lsp.Range, lines: Sequence[str]) -> lsp.Range:
        """A range in characters as one in the units of the editor."""
        if found.end.line >= len(lines) or lines[found.start.line].isascii():
            return found
        return self.workspace.position_codec.range_to_client_units(lines, found)

    def survey(self, looked: Looked) -> asyncio.Future[Survey]:
        """What there is to say of the routines of a project, worked out once."""
        known = looked.__dict__.get("survey")
        if known is not None:
            done: asyncio.Future[Survey] = asyncio.get_running_loop().create_future()
            done.set_result(known)
            return done
        if self._surveyed is None or looked is not self._surveyed[0]:
            self._surveyed = looked, asyncio.ensure_future(self.apart(lambda: looked.survey))
        return self._surveyed[1]

    async def new_regions(self, path: Path, row: int) -> list[Proposal]:
        """The directives that make a region of the loops in a line (from 0) of a file."""
        text, looked = await self.text(path), self.looked_for(path)
        if text is None or looked is None or looked.session is None:
            return []
        judge = Judge(looked.session, path)
        return await self.apart(lambda: list(new_regions(text, row, judge)))

    async def apart(self, work: Callable[..., Answer], *given: Any) -> Answer:
        """What a function gives that may take long; no text and no look at a project waits for it."""
        return await asyncio.get_running_loop().run_in_executor(self._questions, work, *given)

    def close(self) -> None:
        """End all work."""
        for pool in (self._texts, self._looks, self._questions):
            pool.shutdown(wait=False, cancel_futures=True)
        self._apart.close()
        self.looker.close()
