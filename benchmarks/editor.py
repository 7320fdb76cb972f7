"""How long an editor waits for ``hfpy lsp``: in a project of many files, and in one file as long as the project.

    python -m benchmarks.editor --lines 40000

It opens a file, types in a routine, types between routines, and saves: after an edit of a value, with a comment more,
with an error, with a local variable more. It prints the time until diagnostics come, with the wait after the last key
(``hfpy.lsp.server.DELAY``) in it, and the CPU time that the server takes until then, which other work on the machine
concerns less (on Linux). Needs what ``pip install 'hfpy[lsp]'`` installs.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from .synthetic import generate, write


class Took(NamedTuple):
    """Seconds by the clock, and of CPU time."""

    clock: float
    cpu: float


class Editor:
    """An editor with one file open."""

    def __init__(self, path: Path) -> None:
        self.client = LanguageClient("benchmark", "1")
        self.path = path
        self.uri = path.as_uri()
        self.version = 1
        self.published = asyncio.Event()
        self.rows = path.read_text().split("\n")

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: lsp.PublishDiagnosticsParams) -> None:
            if params.uri == self.uri:
                self.published.set()

    async def start(self) -> None:
        """Start the server."""
        await self.client.start_io(sys.executable, "-m", "hfpy", "lsp")
        await self.client.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities()))
        self.client.initialized(lsp.InitializedParams())

    async def timed(self, act: Callable[[], None]) -> Took:
        """How long it takes from an act until diagnostics come."""
        self.published.clear()
        begin, worked = time.perf_counter(), self.worked()
        act()
        await self.published.wait()
        return Took(time.perf_counter() - begin, self.worked() - worked)

    async def idle(self) -> None:
        """Wait until the server has nothing to do: it looks for garbage while the user pauses."""
        before = -1.0
        while before != self.worked():
            before = self.worked()
            await asyncio.sleep(3)

    def worked(self) -> float:
        """The CPU seconds of the server until now; 0 where the system does not tell."""
        server = self.client._server
        if server is None or not Path("/proc/self/stat").exists():
            return 0.0
        fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def open(self) -> None:
        """Open the file."""
        item = lsp.TextDocumentItem(self.uri, "fortran", self.version, "\n".join(self.rows))
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def type(self, row: int, text: str) -> None:
        """Insert a text at the end of a row."""
        self.version += 1
        place = lsp.Position(row, len(self.rows[row]))
        self.rows[row : row + 1] = (self.rows[row] + text).split("\n")
        change = lsp.TextDocumentContentChangePartial(range=lsp.Range(place, place), text=text)
        document = lsp.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def saved(self, row: int, text: str, instead: int = 0) -> Took:
        """How long it takes to save the file with a text at the end of a row, ``instead`` of so many characters; the
        user pauses before.
        """
        if instead:
            self.rows[row] = self.rows[row][:-instead]
            self.version += 1
            document = lsp.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
            whole = lsp.TextDocumentContentChangeWholeDocument(text="\n".join(self.rows))
            self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))
        await self.timed(lambda: self.type(row, text))
        await self.idle()
        return await self.timed(self.save)

    def save(self) -> None:
        """Save the file."""
        self.path.write_text("\n".join(self.rows))
        self.client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(self.uri)))


async def measured(title: str, path: Path) -> None:
    """Print the times for one file."""
    editor = Editor(path)
    await editor.start()
    opened = await editor.timed(editor.open)
    await asyncio.sleep(5)  # the text is read after the first diagnostics
    inside = next(n for n in range(len(editor.rows) // 2, len(editor.rows)) if " = " in editor.rows[n])
    within = [await editor.timed(lambda: editor.type(inside, " ")) for _ in range(7)]
    between = next(n for n in range(inside, len(editor.rows)) if "end subroutine" in editor.rows[n])
    new = [await editor.timed(lambda: editor.type(between, "\n  ! between routines")) for _ in range(5)]
    added = []
    for number in range(5):
        routine = f"\n  subroutine extra_{number}()\n  end subroutine extra_{number}"
        added.append(await editor.timed(lambda text=routine: editor.type(between, text)))
    saved = [await editor.saved(inside, f" + {n + 1}.0d-3") for n in range(4)]
    commented = [await editor.saved(inside - 1, f"\n    ! note {n}") for n in range(3)]
    inside += 3
    faulty = [await editor.saved(inside, " + * 2") for _ in range(3)]
    await editor.saved(inside, " ! mended", len(" + * 2" * 3))
    head = next(n for n in range(inside, 0, -1) if "::" in editor.rows[n])
    declared = [await editor.saved(head, f"\n    integer :: more_{n}") for n in range(3)]
    print(f"{title}, {len(editor.rows)} lines in the file:")
    rows = {
        "open": [opened],
        "type in a routine": within,
        "type a comment": new,
        "type a new routine": added,
        "save": saved,
        "save a comment": commented,
        "save with an error": faulty,
        "save a declaration": declared,
    }
    for what, times in rows.items():
        clock, cpu = [t.clock for t in times], statistics.median(t.cpu for t in times)
        worst = f"worst {max(clock) * 1e3:.0f} ms"
        print(f"  {what:22} {statistics.median(clock) * 1e3:7.0f} ms  ({worst})  {cpu * 1e3:7.0f} ms of CPU time")
    await editor.client.shutdown_async(None)
    editor.client.exit(None)
    await editor.client.stop()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=40_000)
    lines = parser.parse_args().lines
    with tempfile.TemporaryDirectory() as folder:
        many = Path(folder) / "many"
        write(generate(lines), many)
        files = sorted(many.rglob("*.h90"), key=lambda p: p.stat().st_size)
        asyncio.run(measured("one of many files", files[-1]))
        one = Path(folder) / "one"
        one.mkdir()
        (one / "hfpy.toml").write_text('[project]\nname = "one"\nsources = ["*.h90"]\n')
        together = [p.read_text() for p in sorted(many.rglob("*.?90"))]
        (one / "all.h90").write_text("".join(text for text in together if "program " not in text))
        asyncio.run(measured("one file", one / "all.h90"))


if __name__ == "__main__":
    main()
