"""The language server: requests in, answers out. What is answered is found in :mod:`.looking` and :mod:`.words`."""

from __future__ import annotations

import re
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from hfpy.diagnostics import Diagnostic, Place
from hfpy.lsp.looking import Looked, Looker, declaration_of, unit_named
from hfpy.lsp.words import completions
from hfpy.version import VERSION

_SEVERITY = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
_MEANT = re.compile(r"did you mean '([^']+)'")


class Server(LanguageServer):
    """A server with what it knows of each project. ``looked`` is by file."""

    def __init__(self) -> None:
        super().__init__("hfpy", VERSION, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.looker = Looker()
        self.looked: dict[Path, Looked] = {}
        self.shown: dict[Path, set[Path]] = {}

    def show(self, path: Path, found: tuple[Diagnostic, ...]) -> None:
        """Publish the diagnostics of a file."""
        made = [as_lsp(d) for d in found]
        uri = from_fs_path(str(path)) or ""
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=made))

    def look(self, path: Path) -> None:
        """Look at the project of a file, and publish what is found; files that had diagnostics lose them."""
        looked = self.looker.project(path)
        self.looked[path] = looked
        before = self.shown.get(path, set())
        self.shown[path] = {file for file in looked.found if file.exists()} | {path}
        for file in before | self.shown[path]:
            self.show(file, looked.found.get(file, ()))


def as_lsp(found: Diagnostic) -> lsp.Diagnostic:
    """A diagnostic as editors take it, with hint and related places."""
    related = [lsp.DiagnosticRelatedInformation(location_of(r.place), r.message) for r in found.related if r.place.line]
    message = f"{found.message}\n{found.hint}" if found.hint else found.message
    return lsp.Diagnostic(
        range=range_of(found.place),
        message=message,
        severity=_SEVERITY[found.severity],
        code=found.code,
        source="hfpy",
        related_information=related or None,
    )


def range_of(place: Place) -> lsp.Range:
    """A place as a range; the whole first line where there is no line."""
    line, column = max(place.line - 1, 0), max(place.column - 1, 0)
    return lsp.Range(lsp.Position(line, column), lsp.Position(line, column + max(place.length, 1)))


def location_of(place: Place) -> lsp.Location:
    """A place as a location."""
    return lsp.Location(from_fs_path(str(Path(place.file).resolve())) or "", range_of(place))


def path_of(uri: str) -> Path:
    """The file that a URI means."""
    return Path(to_fs_path(uri) or "").resolve()


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
    def actions(_ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        made = []
        for diagnostic in params.context.diagnostics:
            meant = _MEANT.search(diagnostic.message)
            if diagnostic.source == "hfpy" and meant:
                edit = lsp.TextEdit(word_range(server, params.text_document.uri, diagnostic.range), meant[1])
                made.append(
                    lsp.CodeAction(
                        title=f"write '{meant[1]}'",
                        kind=lsp.CodeActionKind.QuickFix,
                        diagnostics=[diagnostic],
                        edit=lsp.WorkspaceEdit(changes={params.text_document.uri: [edit]}),
                        is_preferred=True,
                    )
                )
        return made

    return server


def word_range(server: Server, uri: str, found: lsp.Range) -> lsp.Range:
    """The word at the begin of a range: a diagnostic about an attribute is about all of it."""
    lines = server.workspace.get_text_document(uri).lines
    line = lines[found.start.line] if found.start.line < len(lines) else ""
    rest = line[found.start.character :]
    word = re.match(r"@?\w+", rest)
    length = word.end() if word else found.end.character - found.start.character
    return lsp.Range(found.start, lsp.Position(found.start.line, found.start.character + length))
