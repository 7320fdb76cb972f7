"""Files as they are written: text with its edits applied, and which source line each line stems from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hfpy.model.source import source_text
from hfpy.parse.files import wants_preprocessor
from hfpy.parse.index import parse_use
from hfpy.suffixes import FIXED, HYBRID, PREPROCESSED
from hfpy.translation import Contents, GeneratedFile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hfpy.model.units import FileIndex
    from hfpy.transform.files import FileResult
    from hfpy.transform.workshop import Beside


def untouched(index: FileIndex, name: str) -> GeneratedFile:
    """A file that passes through byte for byte, under a name."""
    text = index.unexpanded or index.source.text
    lines = tuple(range(1, len(source_text(index.path, text).lines) + 1))
    return GeneratedFile(Path(index.path), name, text, lines, contents_of(index))


def generated(index: FileIndex, name: str, result: FileResult, markers: bool) -> GeneratedFile:
    """A file with its edits applied, under a name."""
    if index.unexpanded and not any(result.edited.changed):
        return replace(untouched(index, name), contents=contents_of(index).with_added(result.added))
    source = index.source
    lines = result.edited.lines
    line_map = result.edited.line_map
    if markers and Path(index.path).suffix in (*HYBRID, *PREPROCESSED):
        lines, line_map = with_markers(lines, line_map, index)
    text = (
        source.mark
        + source.newline.join(lines)
        + (source.newline if source.final_newline or any(result.edited.changed) else "")
    )
    if not any(result.edited.changed) and index.expanded is None:
        text = source.text
    if index.expanded is not None:
        made = (index.expanded[n - 1] if 0 < n <= len(index.expanded) else 0 for n in line_map)
        line_map = tuple(index.included[n][2] if n in index.included else n for n in made)
    return GeneratedFile(Path(index.path), name, text, line_map, contents_of(index).with_added(result.added))


def written_beside(index: FileIndex, made: Beside) -> GeneratedFile:
    """A file that comes with a generated Fortran file."""
    text = "".join(f"{line}\n" for line, _ in made.lines)
    return GeneratedFile(Path(index.path), made.name, text, tuple(o + 1 for _, o in made.lines), made.contents)


def with_markers(
    lines: tuple[str, ...], line_map: tuple[int, ...], index: FileIndex
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Insert ``#line`` markers wherever the next line does not stem from the next source line (contract 3, B26).

    None is inside a continued statement, which a preprocessor line would cut.
    """
    out: list[str] = []
    mapped: list[int] = []
    expected = index.path, -1
    for line, number in zip(lines, line_map, strict=True):
        own = index.expanded[number - 1] if index.expanded and 0 < number <= len(index.expanded) else number
        file, source = index.at(own)
        continued = bool(out) and out[-1].split("!")[0].rstrip().endswith("&")
        if source and (file, source) != expected and not continued:
            out.append(f'#line {source} "{file}"')
            mapped.append(number)
        out.append(line)
        mapped.append(number)
        expected = file, source + 1 if source else -1
    return tuple(out), tuple(mapped)


def contents_of(index: FileIndex) -> Contents:
    """What the build has to know about a file of the user's."""
    kinds = {u.kind for u in index.units}
    made = Contents(
        provides=_spelled((u.name for u in index.units if u.kind in ("module", "submodule")), index),
        programs=tuple(u.name or Path(index.path).stem for u in index.units if u.kind == "program"),
        block_data="blockdata" in kinds,
        submodules="submodule" in kinds,
        preprocessed=wants_preprocessor(index),
        free_form=Path(index.path).suffix in FIXED and not index.fixed,
    )
    stated = (parse_use(line) for line in index.lines if line.text[:3].lower() == "use")  # in interface bodies, too
    uses = (*(use for unit in index.units for use in unit.uses), *(use for use in stated if use is not None))
    return made.using(_spelled((use.module for use in uses if not use.intrinsic), index))


def _spelled(modules: Iterable[str], index: FileIndex) -> tuple[str, ...]:
    """Modules by the names in the text, and by those that the file's macros put in their place: one module may have
    several of them. Macros care for upper and lower case, which names here have lost; a name too many does no harm.
    """
    plain = {name.lower(): m.body.strip().lower() for name, m in index.definitions.items() if m.params is None}
    found = dict.fromkeys(modules)
    pending = list(found)
    while pending:
        name = plain.get(pending.pop(), "")
        if name.isidentifier() and name not in found:
            found[name] = None
            pending.append(name)
    return tuple(found)
