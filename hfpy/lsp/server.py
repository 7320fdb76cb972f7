"""The language server: requests in, answers out. What is answered is found in :mod:`.looking` and :mod:`.words`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from hfpy.diagnostics import Diagnostic, Place, source_lines
from hfpy.lsp.actions import quick_fixes
from hfpy.lsp.looking import Looked, Looker, declaration_of, unit_named
from hfpy.lsp.places import as_lsp, location_of, path_of, uri_of
from hfpy.lsp.words import completions
from hfpy.version import VERSION


class Server(LanguageServer):
    """A server with what it knows of each project. ``looked`` is by file."""

    def __init__(self) -> None:
        super().__init__("hfpy", VERSION, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.looker = Looker()
        self.looked: dict[Path, Looked] = {}
        self.shown: dict[Path, set[Path]] = {}
        self.found: dict[Path, tuple[Diagnostic, ...]] = {}

    def show(self, path: Path, found: tuple[Diagnostic, ...]) -> None:
        """Publish the diagnostics of a file."""
        self.found[path] = found
        made = [as_lsp(d) for d in found]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri_of(path), diagnostics=made))

    def lines(self, path: Path) -> Sequence[str]:
        """The lines of a file as they are in the editor, or on disk if it is not open."""
        document = self.workspace.text_documents.get(uri_of(path))
        return document.source.split("\n") if document is not None else source_lines(str(path))

    def look(self, path: Path) -> None:
        """Look at the project of a file, and publish what is found; files that had diagnostics lose them."""
        looked = self.looker.project(path)
        self.looked[path] = looked
        before = self.shown.get(path, set())
        self.shown[path] = {file for file in looked.found if file.exists()} | {path}
        for file in before | self.shown[path]:
            self.show(file, looked.found.get(file, ()))


def make_server() -> Server:
    """A server with all that it answers."""
    server = Server()

    @server.feature(lsp.INITIALIZE)
    def begin(ls: Server, params: lsp.InitializeParams) -> None:
        options = params.initialization_options
        given = options if isinstance(options, dict) else {}
        target = given.get("target") if given.get("target") in ("cpu", "gpu") else "cpu"
        ls.looker = Looker(str(target), given.get("trust") is True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @server.thread()
    def opened(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
        ls.look(path_of(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    @server.thread()
    def saved(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
        ls.look(path_of(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    @server.thread()
    def typed(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
        document = ls.workspace.get_text_document(params.text_document.uri)
        path = path_of(params.text_document.uri)
        _, _, found = ls.looker.typed(path, document.source)
        ls.show(path, found)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
        document = ls.workspace.get_text_document(params.text_document.uri)
        path = path_of(params.text_document.uri)
        word = document.word_at_position(params.position)
        looked = ls.looked.get(path)
        if not word or looked is None:
            return None
        line = params.position.line + 1
        data, routine = looked.data_at(path, line, word), looked.routine_at(path, line)
        if data is not None:
            rows = [f"**{data.name}**({data.dimensions})", data.kind, data.state, data.order]
            text = "\n\n".join(row for row in rows if row)
        elif routine is not None and routine.name == word.lower():
            text = f"**{routine.name}**: backend {routine.backend}, position {routine.position}"
        else:
            return None
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(ls: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
        document = ls.workspace.get_text_document(params.text_document.uri)
        path = path_of(params.text_document.uri)
        word = document.word_at_position(params.position)
        if not word:
            return None
        _, units, _ = ls.looker.typed(path, document.source)
        place = declaration_of(word, params.position.line + 1, units) or unit_named(word, units)
        looked = ls.looked.get(path)
        if place is None and looked is not None and looked.survey is not None:
            routines = looked.survey.named(word)
            place = Place(routines[0].file, routines[0].line) if routines else None
        return location_of(place) if place is not None else None

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["@", "{", "(", ","]))
    def complete(ls: Server, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        document = ls.workspace.get_text_document(params.text_document.uri)
        lines = document.lines
        line = lines[params.position.line] if params.position.line < len(lines) else ""
        found = completions(line[: params.position.character])
        kind = lsp.CompletionItemKind.Keyword
        return [lsp.CompletionItem(label=word, kind=kind, insert_text=text) for word, text in found]

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    def actions(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        shown = ls.found.get(path_of(params.text_document.uri), ())
        asked = [d for d in params.context.diagnostics if d.source == "hfpy"]
        return list(quick_fixes(asked, shown, ls.lines))

    return server
