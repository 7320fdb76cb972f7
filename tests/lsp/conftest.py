"""A server for all tests of a module, and files in a project that an editor has open."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient

from hfpy.build.files import write_atomically

ROOT = Path(__file__).parents[2]
SOURCE = """module heat
  implicit none
contains
  subroutine spread(nx, ny, t, new)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: t(nx,ny)
    real(8), intent(inout) :: new(nx,ny)
    integer :: i, j
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    new(i,j) = 0.5d0 * t(i,j)
    @end parallelRegion
  end subroutine spread
  subroutine twice(nx, ny, t, new)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: t(nx,ny), new(nx,ny)
    call spread(nx, ny, t, new)
  end subroutine twice
end module heat
"""
COMMAND = [sys.executable, "-m", "hfpy", "lsp"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest_lsp.fixture(scope="module", config=ClientServerConfig(server_command=COMMAND, server_env=ENVIRONMENT))
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    lsp_client.diagnostics = Published()
    capabilities = lsp.ClientCapabilities()
    await lsp_client.initialize_session(lsp.InitializeParams(capabilities=capabilities, initialization_options={}))
    yield
    await lsp_client.shutdown_session()


class Published(dict[str, Sequence[lsp.Diagnostic]]):
    """The last diagnostics of each file, and how often some were published."""

    def __init__(self) -> None:
        super().__init__()
        self.times: Counter[str] = Counter()

    def __setitem__(self, uri: str, listed: Sequence[lsp.Diagnostic]) -> None:
        super().__setitem__(uri, listed)
        self.times[uri] += 1


class File:
    """A file that the tests work on, with all that was published of it."""

    def __init__(self, client: LanguageClient, path: Path) -> None:
        self.client = client
        self.path = path
        self.uri = path.as_uri()
        self.version = 1
        self.seen = 0
        self.text = ""

    async def said(self, patience: int = 20) -> list[lsp.Diagnostic]:
        """The next diagnostics of this file, which come within so many seconds."""
        published = self.client.diagnostics
        assert isinstance(published, Published)
        for _ in range(200 * patience):
            if published.times[self.uri] > self.seen:
                self.seen = published.times[self.uri]
                return list(published[self.uri])
            await asyncio.sleep(0.005)
        raise TimeoutError(self.uri)

    async def open(self, text: str = SOURCE) -> list[lsp.Diagnostic]:
        """Open the file with a text."""
        item = lsp.TextDocumentItem(self.uri, "fortran", self.version, text)
        self.text = text
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return await self.said()

    def change(self, text: str) -> None:
        """Type another text, and wait for nothing."""
        self.version += 1
        self.text = text
        document = lsp.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text=text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def type(self, text: str) -> list[lsp.Diagnostic]:
        """Type another text."""
        self.change(text)
        return await self.said()

    async def save(self, text: str) -> list[lsp.Diagnostic]:
        """Type a text, unless it is there, and save it."""
        if text != self.text:
            await self.type(text)
        write_atomically(self.path, text.encode())  # the server may read the file for another one's sake
        self.client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(self.uri)))
        return await self.said()

    async def actions(self, found: Sequence[lsp.Diagnostic], line: int | None = None) -> list[lsp.CodeAction]:
        """What is offered for diagnostics, or, without any, for a line (from 1)."""
        if line is not None:
            place = lsp.Range(lsp.Position(line - 1, 0), lsp.Position(line - 1, 0))
        else:
            place = found[0].range
        context = lsp.CodeActionContext(diagnostics=list(found))
        question = lsp.CodeActionParams(lsp.TextDocumentIdentifier(self.uri), place, context)
        return list(await self.client.text_document_code_action_async(question) or ())

    def at(self, line: int, column: int) -> dict[str, object]:
        """The parameters of a question about a place (both from 1)."""
        return {
            "text_document": lsp.TextDocumentIdentifier(self.uri),
            "position": lsp.Position(line - 1, column - 1),
        }


def edited(text: str, edits: Sequence[lsp.TextEdit]) -> str:
    """A text with edits of single lines."""
    rows = text.split("\n")
    for edit in sorted(edits, key=lambda e: (-e.range.start.line, -e.range.start.character)):
        row = rows[edit.range.start.line]
        rows[edit.range.start.line] = (
            row[: edit.range.start.character] + edit.new_text + row[edit.range.end.character :]
        )
    return "\n".join(rows)


_NUMBERS = itertools.count()


@pytest.fixture
def file(client: LanguageClient, tmp_path: Path) -> File:
    folder = tmp_path / f"p{next(_NUMBERS)}"
    folder.mkdir()
    (folder / "hfpy.toml").write_text('[project]\nname = "heat"\nsources = ["*.*90"]\n')
    (folder / "heat.h90").write_text(SOURCE)
    return File(client, folder / "heat.h90")
