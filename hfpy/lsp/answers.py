"""What the server answers to which question of an editor."""

from __future__ import annotations

from lsprotocol import types as lsp

from hfpy.lsp.actions import quick_fixes, region_actions
from hfpy.lsp.calls import Calls
from hfpy.lsp.hovers import hover_of
from hfpy.lsp.lenses import lenses_of, resolved
from hfpy.lsp.looking import Looker
from hfpy.lsp.names import definition_elsewhere, definition_of
from hfpy.lsp.places import location_of, path_of
from hfpy.lsp.server import Server
from hfpy.lsp.settings import is_of_others, is_settings, routine_in_settings
from hfpy.lsp.words import completions


def make_server() -> Server:
    """A server with all that it answers."""
    server = Server()
    _files(server)
    _questions(server)
    _lenses(server)
    _hierarchy(server)
    return server


def _files(server: Server) -> None:
    @server.feature(lsp.INITIALIZE)
    def begin(ls: Server, params: lsp.InitializeParams) -> None:
        options = params.initialization_options
        given = options if isinstance(options, dict) else {}
        target = given.get("target") if given.get("target") in ("cpu", "gpu") else "cpu"
        ls.looker.close()
        ls.looker = Looker(str(target), given.get("trust") is True)

    @server.feature(lsp.SHUTDOWN)
    def shutdown(ls: Server, _params: None) -> None:
        ls.shut_down = True

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
        if is_of_others(path_of(params.text_document.uri)):
            return
        opened = ls.open(params.text_document.uri)
        await ls.look(opened.path)
        if await ls.text(opened.path) is not None:
            ls.publish(opened, if_new=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path in ls.opened:
            await ls.look(path)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def typed(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
        await ls.typed(path_of(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
        ls.close_file(params.text_document.uri)


def _questions(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
        word, path = _word(ls, params), path_of(params.text_document.uri)
        text, looked = await ls.text(path), ls.looked_for(path)
        if not word or text is None or looked is None:
            return None
        survey = looked.survey_at_hand
        now = ls.survey(looked)
        if survey is None:
            survey = await now
        found = hover_of(word, text, params.position.line, survey)
        old = "" if now.done() else "\n\n*as of an earlier save: the last one is being looked at*"
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, found + old)) if found else None

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(ls: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
        word, path = _word(ls, params), path_of(params.text_document.uri)
        row, looked = params.position.line, ls.looked_for(path)
        if is_settings(path):
            asked = (ls.lines(path), row, params.position.character, looked)
            named = await ls.apart(routine_in_settings, *asked) if looked is not None else None
            return location_of(named) if named is not None else None
        text = await ls.text(path) if word else None
        if text is None:
            return None
        place = definition_of(word, row, text)
        if place is None and looked is not None:
            place = await ls.apart(definition_elsewhere, word, row, text, looked, ls.modules)
        return location_of(place) if place is not None else None

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["@", "{", "(", ","]))
    def complete(ls: Server, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        lines = ls.lines(path_of(params.text_document.uri))
        line = lines[params.position.line] if params.position.line < len(lines) else ""
        found = completions(line[: params.position.character])
        kind = lsp.CompletionItemKind.Keyword
        return [lsp.CompletionItem(label=word, kind=kind, insert_text=text) for word, text in found]

    kinds = [lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.RefactorRewrite]

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=kinds))
    async def actions(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri, context = params.text_document.uri, params.context
        path = path_of(uri)
        asked = [d for d in context.diagnostics if d.source == "hfpy"]
        made = list(quick_fixes(asked, ls.found.get(path, ()), ls))
        if _asks_for_rewriting(context):
            made += region_actions(await ls.new_regions(path, params.range.start.line), uri)
        return made


def _asks_for_rewriting(context: lsp.CodeActionContext) -> bool:
    """Whether the user asks for what may be done, rather than the editor by itself at each step: it takes a while."""
    kind = lsp.CodeActionKind.RefactorRewrite.value
    wanted = [str(getattr(k, "value", k)) for k in context.only or ("",)]
    by_user = context.trigger_kind is not lsp.CodeActionTriggerKind.Automatic
    return by_user and any(not w or kind == w or kind.startswith(f"{w}.") for w in wanted)


def _lenses(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions(resolve_provider=True))
    async def lenses(ls: Server, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        uri = params.text_document.uri
        text = await ls.text(path_of(uri))
        return list(lenses_of(text, uri)) if text is not None else []

    @server.feature(lsp.CODE_LENS_RESOLVE)
    async def lens(ls: Server, params: lsp.CodeLens) -> lsp.CodeLens:
        path = path_of(params.data["uri"]) if isinstance(params.data, dict) and "uri" in params.data else None
        looked = ls.looked_for(path) if path is not None else None
        return await ls.apart(resolved, params, looked)


def _hierarchy(server: Server) -> None:
    def calls_for(ls: Server, uri: str) -> Calls | None:
        looked = ls.looked_for(path_of(uri))
        return Calls(looked, ls.text_read, ls.lines) if looked is not None else None

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
    async def prepare(ls: Server, params: lsp.CallHierarchyPrepareParams) -> list[lsp.CallHierarchyItem] | None:
        word, calls = _word(ls, params), calls_for(ls, params.text_document.uri)
        text = await ls.text(path_of(params.text_document.uri))
        if not word or text is None or calls is None:
            return None
        found = await ls.apart(calls.named, word, text, params.position.line)
        return [calls.item(found)] if found is not None else None

    @server.feature(lsp.CALL_HIERARCHY_INCOMING_CALLS)
    async def incoming(
        ls: Server, params: lsp.CallHierarchyIncomingCallsParams
    ) -> list[lsp.CallHierarchyIncomingCall] | None:
        uri, key = _asked(params.item)
        calls = calls_for(ls, uri)
        return await ls.apart(lambda: list(calls.incoming(key))) if calls is not None else None

    @server.feature(lsp.CALL_HIERARCHY_OUTGOING_CALLS)
    async def outgoing(
        ls: Server, params: lsp.CallHierarchyOutgoingCallsParams
    ) -> list[lsp.CallHierarchyOutgoingCall] | None:
        uri, key = _asked(params.item)
        calls = calls_for(ls, uri)
        return await ls.apart(lambda: list(calls.outgoing(key))) if calls is not None else None


def _asked(item: lsp.CallHierarchyItem) -> tuple[str, str]:
    """The file of an item's project, and the key of its routine; empty where the editor has not kept it."""
    return item.uri, str(item.data.get("key", "")) if isinstance(item.data, dict) else ""


def _word(ls: Server, params: lsp.HoverParams | lsp.DefinitionParams | lsp.CallHierarchyPrepareParams) -> str:
    """The word at a position of a file that is open."""
    if path_of(params.text_document.uri) not in ls.opened:
        return ""
    return ls.document(params.text_document.uri).word_at_position(params.position)
