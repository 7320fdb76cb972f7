"""Code actions: what the hints of diagnostics propose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from lsprotocol import types as lsp

from hfpy.diagnostics import Diagnostic, Fix
from hfpy.lsp.newregions import Proposal
from hfpy.lsp.places import shown_message, uri_of
from hfpy.parse.fixes import Replacement, replacement_of, title_of


class Editor(Protocol):
    """The lines of files as they are in the editor, and its units for positions."""

    def lines(self, path: Path) -> Sequence[str]:
        """The lines of a file."""

    def in_units(self, found: lsp.Range, lines: Sequence[str]) -> lsp.Range:
        """A range in characters as one in the units of the editor."""


def quick_fixes(
    asked: Iterable[lsp.Diagnostic], shown: Sequence[Diagnostic], editor: Editor
) -> Iterator[lsp.CodeAction]:
    """The fixes of diagnostics that an editor asks for. ``shown`` are those that it was given; a fix that does not fit
    the lines of its file is left out.
    """
    for one in asked:
        meant = [d for d in shown if d.code == one.code and shown_message(d) == one.message]
        meant.sort(key=lambda d: abs(d.place.line - 1 - one.range.start.line))
        for fix in meant[0].fixes if meant else ():
            path = Path(fix.place.file).resolve()
            lines = editor.lines(path)
            edit = replacement_of(fix, lines)
            if edit is not None:
                made = text_edit(edit)
                made.range = editor.in_units(made.range, lines)
                yield _action(fix, one, path, made)


def _action(fix: Fix, diagnostic: lsp.Diagnostic, path: Path, edit: lsp.TextEdit) -> lsp.CodeAction:
    return lsp.CodeAction(
        title=title_of(fix),
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        edit=lsp.WorkspaceEdit(changes={uri_of(path): [edit]}),
        is_preferred=fix.way == "replace" or None,
    )


def region_actions(proposals: Iterable[Proposal], uri: str) -> Iterator[lsp.CodeAction]:
    """What makes a region of a loop nest."""
    for made in proposals:
        start = lsp.Position(made.row, 0)
        edit = lsp.TextEdit(lsp.Range(start, start), made.line + "\n")
        yield lsp.CodeAction(
            title=f"insert {made.line.strip()} over {', '.join(made.iterators)}",
            kind=lsp.CodeActionKind.RefactorRewrite,
            edit=lsp.WorkspaceEdit(changes={uri: [edit]}),
        )


def text_edit(edit: Replacement) -> lsp.TextEdit:
    """An edit as the protocol has it."""
    start = lsp.Position(edit.line, edit.column)
    return lsp.TextEdit(lsp.Range(start, lsp.Position(edit.line, edit.column + edit.length)), edit.text)
