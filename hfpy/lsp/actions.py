"""Code actions: what the hints of diagnostics propose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types as lsp

from hfpy.diagnostics import Diagnostic, Fix
from hfpy.lsp.places import shown_message, uri_of
from hfpy.parse.fixes import Replacement, replacement_of, title_of

Lines = Callable[[Path], Sequence[str]]


def quick_fixes(asked: Iterable[lsp.Diagnostic], shown: Sequence[Diagnostic], lines: Lines) -> Iterator[lsp.CodeAction]:
    """The fixes of diagnostics that an editor asks for. ``shown`` are those that it was given, ``lines`` gives the
    lines of a file as they are in the editor; a fix that does not fit them is left out.
    """
    for one in asked:
        meant = [d for d in shown if d.code == one.code and shown_message(d) == one.message]
        meant.sort(key=lambda d: abs(d.place.line - 1 - one.range.start.line))
        for fix in meant[0].fixes if meant else ():
            path = Path(fix.place.file).resolve()
            edit = replacement_of(fix, lines(path))
            if edit is not None:
                yield _action(fix, one, path, edit)


def _action(fix: Fix, diagnostic: lsp.Diagnostic, path: Path, edit: Replacement) -> lsp.CodeAction:
    return lsp.CodeAction(
        title=title_of(fix),
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        edit=lsp.WorkspaceEdit(changes={uri_of(path): [text_edit(edit)]}),
        is_preferred=fix.way == "replace" or None,
    )


def text_edit(edit: Replacement) -> lsp.TextEdit:
    """An edit as the protocol has it."""
    start = lsp.Position(edit.line, edit.column)
    return lsp.TextEdit(lsp.Range(start, lsp.Position(edit.line, edit.column + edit.length)), edit.text)
