"""The directives of found regions in the user's files: comments before loops, all other bytes as they are."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from hfpy.annotate.nests import TARGETS, Found, Nest, Nests
from hfpy.parse.files import directive_sign
from hfpy.transform.loops.tried import transfer_rows

_LONG = 110


def directive(nest: Nest, sign: str) -> list[str]:
    """The lines of a nest's directive, without its indentation; ``sign`` begins directives in its file."""
    regions = {target: f for target, f in nest.found.items() if f.iterators}
    chosen = min(regions.values(), key=lambda f: len(f.iterators))
    attributes = list(_attributes(nest, chosen))
    if len(regions) < len(TARGETS):  # nothing is known of the other one
        attributes.append(f"appliesTo({','.join(target.upper() for target in regions)})")
    return _broken(f"{sign}parallelRegion", attributes, "" if sign == "@" else sign)


def _attributes(nest: Nest, found: Found) -> Iterator[str]:
    """What the loops alone do not say: which of them are meant, what was stated, and reductions."""
    if nest.columns:
        yield f"columns({','.join(reversed(found.iterators))})"
    elif len(found.iterators) < nest.nested:
        yield f"domName({','.join(reversed(found.iterators))})"
    if found.stated:
        yield found.stated
    yield from (f"reduction({reduction})" for reduction in found.reductions)


def _broken(word: str, attributes: Sequence[str], sign: str) -> list[str]:
    """A directive in lines that are not too long."""
    if not attributes:
        return [word]
    rows = [f"{word}{{"]
    for number, attribute in enumerate(attributes):
        if len(rows[-1]) + len(attribute) > _LONG and number:
            rows[-1] = f"{rows[-1].rstrip()} &"
            rows.append(f"{sign}  ")
        rows[-1] += attribute + (", " if number < len(attributes) - 1 else "}")
    return rows


def annotated(nests: Nests) -> dict[str, str]:
    """The new texts of the files in which regions were found, by path."""
    by_file: dict[str, list[Nest]] = {}
    for nest in nests.nests:
        if any(f.iterators for f in nest.found.values()):
            by_file.setdefault(nest.place.file, []).append(nest)
    paths = {*by_file, *(path for path, _ in nests.brought)}
    return {path: _with_directives(nests, path, by_file.get(path, [])) for path in sorted(paths)}


def _with_directives(nests: Nests, path: str, listed: Sequence[Nest]) -> str:
    """A file's text, as it is on disk, with directives before loops; line ends as in the line of the loop."""
    fixed = path in nests.fixed
    rows = text_of(path).split("\n")
    sign = directive_sign(path)
    added = {row: b for (file, row), b in nests.brought.items() if file == path}
    lines = {row: [" " * b.indent + line for line in transfer_rows(b.names, sign)] for row, b in added.items()}
    for nest in (n for n in listed if n.columns):
        indent = "" if fixed else _indent(rows[nest.place.line - 1])
        lines.setdefault(nest.last, []).append(f"{indent}{sign}end parallelRegion")
    for nest in listed:
        row = nest.place.line - 1
        indent = "" if fixed else _indent(rows[row])
        lines.setdefault(row, []).extend(f"{indent}{line}" for line in directive(nest, sign))
    for row in sorted(lines, reverse=True):
        end = "\r" if rows[row].endswith("\r") else ""
        rows[row:row] = [f"{line}{end}" for line in lines[row]]
    return "\n".join(rows)


def _indent(row: str) -> str:
    return row[: len(row) - len(row.lstrip(" \t"))]


def text_of(path: str) -> str:
    """A file as it is; bytes that are no UTF-8 come back as they were when it is written."""
    return Path(path).read_bytes().decode("utf-8", "surrogateescape")


def patch(texts: dict[str, str], root: Path) -> str:
    """The changes of files as a unified diff, with paths relative to a folder."""
    parts: list[str] = []
    for path in sorted(texts):
        name = _relative(path, root)
        rows = difflib.unified_diff(_rows(text_of(path)), _rows(texts[path]), f"a/{name}", f"b/{name}")
        parts += (row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)
    return "".join(parts)


def _rows(text: str) -> list[str]:
    """The lines with their ends; only a line feed ends one."""
    rows = [f"{row}\n" for row in text.split("\n")]
    return rows[:-1] if text.endswith("\n") else [*rows[:-1], rows[-1][:-1]]


def _relative(path: str, root: Path) -> str:
    whole, folder = Path(path).resolve(), root.resolve()
    return whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else path
