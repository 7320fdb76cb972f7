"""Files that include statements of routines, read again with these statements in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from hfpy.model.macros import Macro
from hfpy.model.units import FileIndex, Routine
from hfpy.options import Options
from hfpy.parse.files import HYBRID_SUFFIXES, index_text
from hfpy.parse.includedtext import Inclusion


def with_included_statements(
    index: FileIndex, routines: Iterable[Routine], options: Options, macros: Mapping[str, Macro]
) -> FileIndex:
    """A file, read again, with the text of the included files that have statements of some of its routines."""
    wanted = {Path(path).resolve() for routine in routines for path in routine.included}
    rows = index.source.lines
    user = index.expanded if index.expanded is not None else tuple(range(1, len(rows) + 1))
    last = max((len(rows), *user, *index.included))
    found = Inclusion(Path(index.path), options.include_dirs, lambda path: path.resolve() in wanted).made(rows, last)
    if found is None:
        return index
    own = {n for n in found.line_map if n not in found.included}
    lines = tuple(user[n - 1] if n in own else n for n in found.line_map)
    included = {n: (path, line, user[at - 1]) for n, (path, line, at) in found.included.items()}
    made = index_text(Path(index.path), found.text, options, macros, lines, index.hybrid)
    plain = Path(index.path).suffix not in HYBRID_SUFFIXES
    return replace(
        made,
        original=index.original or index.source.text,
        unexpanded=(index.unexpanded or index.source.text) if plain else "",
        namesakes=index.namesakes,
        included={**index.included, **included},
    )
