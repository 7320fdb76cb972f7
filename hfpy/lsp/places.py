"""Places and diagnostics as the protocol has them, and back."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp
from pygls.uris import from_fs_path, to_fs_path

from hfpy.diagnostics import Diagnostic, Place

_SEVERITY = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}


def as_lsp(found: Diagnostic) -> lsp.Diagnostic:
    """A diagnostic as editors take it, with hint and related places."""
    related = [lsp.DiagnosticRelatedInformation(location_of(r.place), r.message) for r in found.related if r.place.line]
    return lsp.Diagnostic(
        range=range_of(found.place),
        message=shown_message(found),
        severity=_SEVERITY[found.severity],
        code=found.code,
        source="hfpy",
        related_information=related or None,
    )


def shown_message(found: Diagnostic) -> str:
    """The message of a diagnostic with its hint."""
    return f"{found.message}\n{found.hint}" if found.hint else found.message


def range_of(place: Place) -> lsp.Range:
    """A place as a range; the whole first line where there is no line."""
    line, column = max(place.line - 1, 0), max(place.column - 1, 0)
    return lsp.Range(lsp.Position(line, column), lsp.Position(line, column + max(place.length, 1)))


def location_of(place: Place) -> lsp.Location:
    """A place as a location."""
    return lsp.Location(uri_of(Path(place.file).resolve()), range_of(place))


def path_of(uri: str) -> Path:
    """The file that a URI means."""
    return Path(to_fs_path(uri) or "").resolve()


def uri_of(path: Path) -> str:
    """The URI of a file."""
    return from_fs_path(str(path)) or ""
