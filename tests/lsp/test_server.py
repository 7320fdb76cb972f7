"""The language server over its protocol: what an editor sees."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from tests.lsp.conftest import SOURCE, File, edited

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_diagnostics(file: File) -> None:
    assert await file.open() == []
    (fault,) = await file.type(SOURCE.replace("domSize(nx,ny)", "domSise(nx,ny)"))
    assert fault.code == "HF201" and "did you mean 'domSize'" in fault.message and fault.range.start.line == 8
    assert await file.type(SOURCE) == []
    found = await file.save(SOURCE.replace("t(i,j)\n", "new(i-1,j)\n"))
    assert [d.code for d in found] == ["HF504"] and found[0].severity == lsp.DiagnosticSeverity.Error
    assert await file.save(SOURCE) == []


PLAIN = """module plain
  implicit none
contains
  subroutine s(x)
    real, intent(out) :: x
    x = 1
    x = unknown
  end subroutine s
end module plain
"""


async def test_faults_in_files_that_no_directive_reaches(file: File) -> None:
    """They are shown after a pause, of files that are not open, too."""
    plain = File(file.client, file.path.with_name("plain.f90"))
    plain.path.write_text(PLAIN)
    await file.open()
    found = await plain.said(patience=120)  # the process that reads it has a low priority
    assert [(d.code, d.range.start.line + 1) for d in found] == [("HF250", 7)]
    await plain.open(PLAIN)
    moved = PLAIN.replace("    x = 1\n", "    x = 1\n    do\n")
    found = await plain.save(moved)  # before it is read
    assert sorted((d.code, d.range.start.line + 1) for d in found) == [("HF109", 7), ("HF250", 8)]


async def test_hover_and_definition(file: File) -> None:
    await file.open()
    hover = await file.client.text_document_hover_async(lsp.HoverParams(**file.at(10, 24)))
    assert hover is not None and "**t**" in hover.contents.value and "nx" in hover.contents.value
    assert await file.client.text_document_hover_async(lsp.HoverParams(**file.at(1, 1))) is None
    place = await file.client.text_document_definition_async(lsp.DefinitionParams(**file.at(10, 24)))
    assert place is not None and (place.range.start.line, place.range.start.character) == (5, 27)
    place = await file.client.text_document_definition_async(lsp.DefinitionParams(**file.at(16, 12)))
    assert place is not None and place.range.start.line == 3


SETTINGS = """[project]
name = "heat"
sources = ["*.*90"]
[routines]
spread = { cpu = "sequential" }
"heat::twice" = { cpu = "openmp" }  # spread
nothing = { cpu = "sequential" }
"""


async def test_routines_in_the_settings(file: File, client: LanguageClient) -> None:
    """They lead to where they are defined, also while the file is edited; what is wrong there is shown."""
    await file.open()
    settings = File(client, file.path.with_name("hfpy.toml"))
    found = await settings.open(SETTINGS)
    assert found == []

    async def defined(line: int, column: int) -> tuple[str, int] | None:
        asked = lsp.DefinitionParams(**settings.at(line, column))
        place = await client.text_document_definition_async(asked)
        return (place.uri, place.range.start.line + 1) if place is not None else None

    assert await defined(5, 3) == (file.uri, 4) and await defined(6, 5) == (file.uri, 13)
    assert [await defined(*at) for at in ((7, 2), (5, 12), (6, 40), (4, 3), (1, 1), (8, 1))] == [None] * 6
    settings.change("# a line more\n" + SETTINGS)
    assert await defined(6, 3) == (file.uri, 4)
    settings.change(SETTINGS)
    found = await settings.save(SETTINGS)
    assert [(d.code, d.range.start.line) for d in found] == [("HF809", 0)] and "'nothing'" in found[0].message
    assert await client.text_document_hover_async(lsp.HoverParams(**settings.at(5, 3))) is None
    assert await file.save(SOURCE) == [], "the project is looked at as before"
    others = file.path.with_name("fpm.toml")
    item = lsp.TextDocumentItem(others.as_uri(), "toml", 1, "name = 1")
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(others.as_uri())))
    assert await file.save(SOURCE) == [] and others.as_uri() not in client.diagnostics


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


async def test_what_was_meant(file: File) -> None:
    await file.open()
    found = await file.type(SOURCE.replace("domSize(nx,ny)", "domSise(nx,ny)"))
    (action,) = await file.actions(found)
    assert action.is_preferred and action.kind == lsp.CodeActionKind.QuickFix and action.title == "write 'domSize'"
    assert edited(SOURCE.replace("domSize(nx,ny)", "domSise(nx,ny)"), action.edit.changes[file.uri]) == SOURCE


async def test_what_a_hint_proposes(file: File) -> None:
    """The attribute is added where the directive is now, and the diagnostic is gone after it."""
    await file.open()
    wrong = SOURCE.replace("t(i,j)\n", "new(i-1,j)\n")
    found = await file.save(wrong)
    assert [d.code for d in found] == ["HF504"]
    await file.type("! 😀 a line more\n" + wrong)
    (action,) = await file.actions(found)
    assert action.title == "add independent(new): no two points meet in an element" and not action.is_preferred
    right = edited("! 😀 a line more\n" + wrong, action.edit.changes[file.uri])
    assert "domSize(nx,ny), independent(new)}" in right
    await file.type(right)
    assert await file.save(right) == []
    await file.type(right.replace("@parallelRegion{", "! @parallelRegion{"))
    assert await file.actions(found) == []


async def test_half_a_file_and_nonsense(file: File) -> None:
    await file.open()
    for text in ("", "module", SOURCE[:300], "\0\1\2", "@" * 5000, SOURCE.replace("{", "{{{"), "end\n" * 300):
        await file.type(text)
    assert await file.type(SOURCE) == []
    beyond = await file.client.text_document_hover_async(lsp.HoverParams(**file.at(900, 900)))
    assert beyond is None
    assert await file.client.text_document_completion_async(lsp.CompletionParams(**file.at(900, 9))) == []


async def test_looking_runs_nothing(file: File) -> None:
    folder = file.path.parent
    (folder / "scripts").mkdir()
    mark = folder / "ran"
    (folder / "scripts" / "s.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    settings = folder / "hfpy.toml"
    settings.write_text(settings.read_text() + '\n[scripts]\ndir = "scripts"\nannotate = "s"\n')
    await file.open()
    await file.save(SOURCE)
    await asyncio.sleep(0.1)
    assert not mark.exists()


async def test_only_the_last_text_counts(file: File) -> None:
    """Of many changes in a row the last one is told, and nothing of older ones after it."""
    await file.open()
    published = file.client.diagnostics
    before = published.times[file.uri]
    wrong = SOURCE.replace("domSize(nx,ny)", "domSise(nx,ny)")
    for number in range(30):
        file.change(wrong + "! x\n" * number)
    file.change(SOURCE)
    await file.said()
    await asyncio.sleep(0.3)
    assert list(published[file.uri]) == [] and published.times[file.uri] - before <= 3
    file.path.write_text(wrong)
    file.client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(file.uri)))
    file.change(SOURCE + "! typed while the project is looked at\n")
    await file.said()
    await asyncio.sleep(1)
    assert list(published[file.uri]) == []
