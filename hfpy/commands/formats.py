"""Diagnostics in the forms that other tools read: SARIF, annotations of GitHub, code quality of GitLab.

Sources: *Static Analysis Results Interchange Format 2.1.0* (OASIS, 2023), §3; GitHub's workflow commands ``error``,
``warning`` and ``notice``; GitLab's code quality report, which is a part of Code Climate's format. Places are given
relative to the folder that a command runs in, as all of them expect.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hfpy.codes import CODES, HINTS
from hfpy.diagnostics import Diagnostic, Place, source_line, source_lines
from hfpy.parse.fixes import Replacement, replacement_of, title_of
from hfpy.version import VERSION

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_GITHUB = {"error": "error", "warning": "warning", "note": "notice"}
_GITLAB = {"error": "major", "warning": "minor", "note": "info"}


def shown(diagnostics: Sequence[Diagnostic], form: str) -> str:
    """All diagnostics in one of :data:`FORMS`, without a final newline."""
    return FORMS[form](diagnostics)


def plain_json(diagnostics: Iterable[Diagnostic]) -> str:
    """All diagnostics as one JSON array."""
    return json.dumps([{**d.as_dict(), "fixes": _plain_fixes(d)} for d in diagnostics], indent=2)


def _plain_fixes(d: Diagnostic) -> list[dict[str, Any]]:
    return [
        {
            "title": title,
            "file": file,
            "line": edit.line + 1,
            "column": edit.column + 1,
            "length": edit.length,
            "text": edit.text,
        }
        for title, file, edit in _edits(d)
    ]


def _edits(d: Diagnostic) -> Iterator[tuple[str, str, Replacement]]:
    """What a diagnostic proposes: titles, files and edits."""
    for fix in d.fixes:
        edit = replacement_of(fix, source_lines(fix.place.file))
        if edit is not None:
            yield title_of(fix), fix.place.file, edit


def sarif(diagnostics: Iterable[Diagnostic]) -> str:
    """A log with one run; rules are the codes that occur."""
    listed = list(diagnostics)
    codes = sorted({d.code for d in listed})
    rules = [{"id": code, "shortDescription": {"text": CODES.get(code, code)}, **_help(code)} for code in codes]
    driver = {"name": "hfpy", "version": VERSION, "semanticVersion": VERSION, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(d, codes.index(d.code)) for d in listed],
    }
    return json.dumps({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}, indent=2)


def _help(code: str) -> dict[str, Any]:
    return {"help": {"text": HINTS[code]}} if code in HINTS else {}


def _result(d: Diagnostic, rule: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": d.code,
        "ruleIndex": rule,
        "level": d.severity,
        "message": {"text": _with_hint(d)},
        "locations": [_location(d.place)],
    }
    if d.related:
        result["relatedLocations"] = [
            {"id": n, "message": {"text": r.message}, **_location(r.place)} for n, r in enumerate(d.related, 1)
        ]
    if fixes := [_fix(*proposed) for proposed in _edits(d)]:
        result["fixes"] = fixes
    return result


def _fix(title: str, file: str, edit: Replacement) -> dict[str, Any]:
    """A fix (§3.55): one file, one replacement; an insertion deletes a region of no length."""
    column = edit.column + 1
    region = {"startLine": edit.line + 1, "startColumn": column, "endColumn": column + edit.length}
    replacement = {"deletedRegion": region, "insertedContent": {"text": edit.text}}
    change = {"artifactLocation": {"uri": _uri(file)}, "replacements": [replacement]}
    return {"description": {"text": title}, "artifactChanges": [change]}


def _location(place: Place) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.file)}}
    if place.line:
        column = max(place.column, 1)
        end = column + max(place.length, 1)
        physical["region"] = {"startLine": place.line, "startColumn": column, "endColumn": end}
    return {"physicalLocation": physical}


def _uri(file: str) -> str:
    """A file as a relative reference, or as a URI where it is not below the folder of the command."""
    path = _path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _path(file: str) -> Path:
    """A file relative to the folder of the command, if it is below it."""
    path = Path(file)
    try:
        return path.resolve().relative_to(Path.cwd())
    except ValueError:
        return path.resolve()


def github(diagnostics: Iterable[Diagnostic]) -> str:
    """A workflow command for each diagnostic, which becomes an annotation at its line."""
    return "\n".join(_command(d) for d in diagnostics)


def _command(d: Diagnostic) -> str:
    where: dict[str, object] = {"file": _path(d.place.file).as_posix()}
    if d.place.line:
        column = max(d.place.column, 1)
        where |= {"line": d.place.line, "col": column, "endColumn": column + max(d.place.length, 1) - 1}
    where["title"] = d.code
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in where.items())
    return f"::{_GITHUB[d.severity]} {properties}::{_data(_with_hint(d))}"


def _data(text: str) -> str:
    """A text in a workflow command: what would end it is escaped."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def gitlab(diagnostics: Iterable[Diagnostic]) -> str:
    """The list of a code quality report. A fingerprint is made of the code, the file, the message and the text of the
    line, so that it stays as it is when lines move.
    """
    met: Counter[str] = Counter()
    issues = []
    for d in diagnostics:
        line = source_line(d.place) or ""
        about = "\0".join([d.code, _path(d.place.file).as_posix(), d.message, " ".join(line.split())])
        met[about] += 1
        issues.append(
            {
                "description": _with_hint(d),
                "check_name": d.code,
                "fingerprint": hashlib.sha256(f"{about}\0{met[about]}".encode("utf-8", "surrogateescape")).hexdigest(),
                "severity": _GITLAB[d.severity],
                "location": {"path": _path(d.place.file).as_posix(), "lines": {"begin": max(d.place.line, 1)}},
            }
        )
    return json.dumps(issues, indent=2)


def _with_hint(d: Diagnostic) -> str:
    return f"{d.message}\nhint: {d.hint}" if d.hint else d.message


FORMS: dict[str, Callable[[Sequence[Diagnostic]], str]] = {
    "json": plain_json,
    "sarif": sarif,
    "github": github,
    "gitlab": gitlab,
}
