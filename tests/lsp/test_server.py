"""The language server over its protocol: what an editor sees."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient

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


@pytest_lsp.fixture(
    config=ClientServerConfig(
        server_command=[sys.executable, "-m", "hfpy", "lsp"], server_env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "heat"\nsources = ["heat.h90"]\n')
    (tmp_path / "heat.h90").write_text(SOURCE)
    root = tmp_path.as_uri()
    await lsp_client.initialize_session(
        lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), root_uri=root, initialization_options={})
    )
    yield
    await lsp_client.shutdown_session()


class File:
    """The file that the tests work on."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.path = folder / "heat.h90"
        self.uri = self.path.as_uri()
        self.version = 1

    async def said(self) -> list[lsp.Diagnostic]:
        await self.client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        return list(self.client.diagnostics[self.uri])

    async def open(self, text: str = SOURCE) -> list[lsp.Diagnostic]:
        item = lsp.TextDocumentItem(self.uri, "fortran", self.version, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return await self.said()

    async def type(self, text: str) -> list[lsp.Diagnostic]:
        self.version += 1
        document = lsp.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text=text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))
        return await self.said()

    async def save(self, text: str) -> list[lsp.Diagnostic]:
        self.path.write_text(text)
        self.client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(self.uri)))
        return await self.said()

    def at(self, line: int, column: int) -> dict[str, object]:
        """The parameters of a question about a place (both from 1)."""
        return {
            "text_document": lsp.TextDocumentIdentifier(self.uri),
            "position": lsp.Position(line - 1, column - 1),
        }


@pytest.fixture
def file(client: LanguageClient, tmp_path: Path) -> File:
    return File(client, tmp_path)


@pytest.mark.asyncio
async def test_diagnostics(file: File) -> None:
    assert await file.open() == []
    (fault,) = await file.type(SOURCE.replace("domSize(nx,ny)", "domSise(nx,ny)"))
    assert fault.code == "HF201" and "did you mean 'domSize'" in fault.message and fault.range.start.line == 8
    assert await file.type(SOURCE) == []
    found = await file.save(SOURCE.replace("t(i,j)\n", "new(i-1,j)\n"))
    assert [d.code for d in found] == ["HF504"] and found[0].severity == lsp.DiagnosticSeverity.Error
    assert await file.save(SOURCE) == []


@pytest.mark.asyncio
async def test_hover_and_definition(file: File) -> None:
    await file.open()
    hover = await file.client.text_document_hover_async(lsp.HoverParams(**file.at(10, 24)))
    assert hover is not None and "**t**" in hover.contents.value and "nx" in hover.contents.value
    assert await file.client.text_document_hover_async(lsp.HoverParams(**file.at(1, 1))) is None
    place = await file.client.text_document_definition_async(lsp.DefinitionParams(**file.at(10, 24)))
    assert place is not None and (place.range.start.line, place.range.start.character) == (5, 27)
    place = await file.client.text_document_definition_async(lsp.DefinitionParams(**file.at(16, 12)))
    assert place is not None and place.range.start.line == 3


@pytest.mark.asyncio
async def test_completion(file: File) -> None:
    await file.open()
    cases = [
        ("    @par", "parallelRegion"),
        ("    @parallelRegion{dom", "domSize"),
        ("    !@domainDependant{attribute(auto", "autoDom"),
        ("    @end ", "stencilProgram"),
    ]
    for line, word in cases:
        rows = SOURCE.splitlines()
        rows[8] = line
        await file.type("\n".join(rows) + "\n")
        answer = await file.client.text_document_completion_async(lsp.CompletionParams(**file.at(9, len(line) + 1)))
        assert word in [item.label for item in answer], line
    plain = await file.client.text_document_completion_async(lsp.CompletionParams(**file.at(5, 8)))
    assert plain == []


@pytest.mark.asyncio
async def test_what_was_meant(file: File) -> None:
    await file.open()
    found = await file.type(SOURCE.replace("domSize(nx,ny)", "domSise(nx,ny)"))
    question = lsp.CodeActionParams(
        lsp.TextDocumentIdentifier(file.uri), found[0].range, lsp.CodeActionContext(diagnostics=found)
    )
    (action,) = await file.client.text_document_code_action_async(question)
    assert action.is_preferred and action.kind == lsp.CodeActionKind.QuickFix
    (edit,) = action.edit.changes[file.uri]
    assert (action.title, edit.new_text) == ("write 'domSize'", "domSize")
    rows = SOURCE.replace("domSize(nx,ny)", "domSise(nx,ny)").splitlines()
    row = rows[edit.range.start.line]
    assert row[edit.range.start.character : edit.range.end.character] == "domSise"


@pytest.mark.asyncio
async def test_half_a_file_and_nonsense(file: File) -> None:
    await file.open()
    for text in ("", "module", SOURCE[:300], "\0\1\2", "@" * 5000, SOURCE.replace("{", "{{{"), "end\n" * 300):
        await file.type(text)
    assert await file.type(SOURCE) == []
    beyond = await file.client.text_document_hover_async(lsp.HoverParams(**file.at(900, 900)))
    assert beyond is None
    assert await file.client.text_document_completion_async(lsp.CompletionParams(**file.at(900, 9))) == []


@pytest.mark.asyncio
async def test_looking_runs_nothing(file: File, tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    mark = tmp_path / "ran"
    (tmp_path / "scripts" / "s.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    settings = tmp_path / "hfpy.toml"
    settings.write_text(settings.read_text() + '\n[scripts]\ndir = "scripts"\nannotate = "s"\n')
    await file.save(SOURCE)
    await asyncio.sleep(0.1)
    assert not mark.exists()
