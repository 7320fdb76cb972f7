"""``hfpy explain --html``: the call graph, what is known of each routine, and the source beside the text made of it.

Plain pages that link to each other: one for the whole, one for each file. They need no script, nor anything from
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from hfpy.diagnostics import Diagnostic
from hfpy.insight.diagram import STYLES, diagram
from hfpy.insight.sidebyside import ADDED, CHANGED, MOVED, REMOVED, SAME, Row, rows, rows_of_part
from hfpy.insight.survey import UNPARSED, RoutineView, Survey
from hfpy.insight.svg import svg
from hfpy.translation import GeneratedFile
from hfpy.values import dataclass

INDEX = "index.html"
_KINDS = {SAME: "", CHANGED: "changed", ADDED: "added", REMOVED: "not in this text", MOVED: "from elsewhere"}
_DIRECTIVE = re.compile(r"^\s*(!\s*)?@\w")
_SENTINEL = re.compile(r"^\s*!\$(omp|acc|cuf)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Explained:
    """What pages are made of: the survey, the generated files, messages, the optimiser's word on a routine by key."""

    name: str
    survey: Survey
    files: Sequence[GeneratedFile]
    diagnostics: Sequence[Diagnostic]
    schedule: Callable[[str], str]


@dataclass(frozen=True)
class _Line:
    """One row of a page, with its texts and how they look."""

    row: Row
    left: str
    right: str
    left_style: str
    right_style: str


def pages(explained: Explained) -> dict[str, str]:
    """The pages by file name; ``index.html`` is the first to look at."""
    survey = explained.survey
    known = [r for r in survey.routines if r.position != UNPARSED]
    names = page_names(sorted({r.file for r in known} | {str(f.source) for f in explained.files}))
    links = {r.key: f"{names[r.file]}#{anchor(r.key)}" for r in known}
    shared = {"name": explained.name, "target": survey.target, "styles": STYLES, "links": links, "anchor": anchor}
    made = {INDEX: _index(explained, known, names, shared)}
    for path, name in names.items():
        made[name] = _file_page(explained, path, shared)
    return made


def page_names(paths: Sequence[str]) -> dict[str, str]:
    """A file name for the page of each path, without the folders that all of them are in; each name once."""
    parts = {path: Path(path).parts for path in paths}
    common = 0
    while paths and all(len(p) > common + 1 and p[common] == parts[paths[0]][common] for p in parts.values()):
        common += 1
    names: dict[str, str] = {}
    taken = {INDEX}
    for path in paths:
        base = re.sub(r"[^\w.]+", "-", "-".join(parts[path][common:])).strip("-")
        name, number = f"{base}.html", 2
        while name.lower() in taken:
            name, number = f"{base}-{number}.html", number + 1
        taken.add(name.lower())
        names[path] = name
    return names


def anchor(key: str) -> str:
    """The anchor of a routine."""
    return "routine-" + re.sub(r"\W+", "-", key).strip("-")


def _index(
    explained: Explained, routines: Sequence[RoutineView], names: Mapping[str, str], shared: Mapping[str, Any]
) -> str:
    survey = explained.survey
    counts = {word: sum(r.position == word for r in routines) for word in STYLES}
    title = f"{explained.name}: calls on the {survey.target.upper()}"
    return _render(
        "index.html.j2",
        **shared,
        graph=svg(diagram(survey, title, links=shared["links"])),
        routines=routines,
        counts={word: n for word, n in counts.items() if n},
        kernels=sum(len(r.kernels) for r in routines),
        pages=names,
        diagnostics=explained.diagnostics,
    )


def _file_page(explained: Explained, path: str, shared: Mapping[str, Any]) -> str:
    survey = explained.survey
    here = [r for r in survey.routines if r.file == path and r.position != UNPARSED]
    schedules = {r.key: explained.schedule(r.key) for r in here}
    return _render(
        "file.html.j2",
        **shared,
        path=path,
        starts={r.line: r for r in here},
        texts=_texts(explained, path),
        kinds=_KINDS,
        routines=here,
        callers=_others(survey, here, up=True),
        callees=_others(survey, here, up=False),
        schedules={key: text.partition("\n")[2] for key, text in schedules.items() if text},
        diagnostics=[d for d in explained.diagnostics if d.place.file == path],
    )


def _texts(explained: Explained, path: str) -> list[tuple[str, list[_Line], bool]]:
    """The texts made of a file: name, rows, and whether it is the Fortran text, which has the whole file beside it."""
    source = _lines_of(Path(path))
    texts: list[tuple[str, list[_Line], bool]] = []
    for file in explained.files:
        if str(file.source) == path:
            main = not texts
            generated = file.text.splitlines()
            known = [n if n <= len(source) else 0 for n in file.line_map]  # the file may have changed since
            found = rows(source, generated, known) if main else rows_of_part(known)
            texts.append((file.name, [_line(row, source, generated) for row in found], main))
    return texts or [("", [_line(Row(n, 0, SAME), source, ()) for n in range(1, len(source) + 1)], True)]


def _others(survey: Survey, routines: Sequence[RoutineView], up: bool) -> dict[str, list[RoutineView]]:
    """The callers (``up``) or callees of routines."""
    by_key = {r.key: r for r in survey.routines}
    found: dict[str, list[RoutineView]] = {r.key: [] for r in routines}
    for call in survey.calls:
        key, other = (call.callee, call.caller) if up else (call.caller, call.callee)
        if key in found:
            found[key].append(by_key[other])
    return found


def _lines_of(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _line(row: Row, source: Sequence[str], generated: Sequence[str]) -> _Line:
    left = source[row.source - 1] if row.source else ""
    right = generated[row.generated - 1] if row.generated else ""
    return _Line(row, left, right, _style(left), _style(right))


def _style(line: str) -> str:
    """How a line looks: a directive, one for a compiler, a comment, or code."""
    if _DIRECTIVE.match(line) or _SENTINEL.match(line):
        return "directive"
    return "comment" if line.lstrip().startswith(("!", "//")) else ""


@lru_cache(maxsize=1)
def environment() -> Any:
    """The templates of pages."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("hfpy", "templates/insight"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )


def _render(template: str, **values: object) -> str:
    text: str = environment().get_template(template).render(**values)
    return text
