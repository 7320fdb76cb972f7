"""The storage-order macros in the words of every preprocessor (hybrid-fortran.md §2.3, §6).

The predecessor ran the C preprocessor, which knows ``#`` and ``##`` in macros and takes a second definition of
a name without complaint. Preprocessors in the compilers' Fortran mode know neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hfpy.model.macros import Macro
from hfpy.options import Options
from hfpy.parse.files import command_line_macros
from hfpy.parse.text.macros import expand
from hfpy.parse.text.physical import physical
from hfpy.parse.text.preprocess import activity, read_lines


def plain_macros(path: Path, options: Options) -> str | None:
    """A file that defines, for the target, what the storage-order file defines there: each name once, ``##`` done.

    None if it can be used as it is.
    """
    lines = read_lines(path)
    if lines is None:
        return None
    given = command_line_macros(options)
    result = activity(lines, given, path, options.include_dirs)
    # In the compilers' Fortran mode only a # at the margin begins a line for the preprocessor; of files that this one
    # includes the same has to hold.
    indented = any(row.kind == "preprocessor" and row.column for row in map(physical, lines))
    own = [name for name, macro in result.macros.items() if given.get(name) != macro]
    if not (result.redefined or indented or result.includes) and not any(result.macros[name].pastes for name in own):
        return None
    lines = [f"! Made by hfpy from {path.name} for {options.target}: edit that file, not this one."]
    lines += [f"#undef {name}" for name in own if name in given]
    lines += [resolved(name, result.macros) for name in own]
    return "\n".join([*lines, ""])


def resolved(name: str, macros: Mapping[str, Macro]) -> str:
    """The ``#define`` line of a macro with everything in it expanded."""
    return _defined(name, name, macros)


def _defined(name: str, means: str, macros: Mapping[str, Macro]) -> str:
    """The ``#define`` line that gives a name the meaning of a macro."""
    macro = macros[means]
    if macro.params is None:
        body = expand(means, macros).strip()
        if body in macros and macros[body].params is not None:
            return _defined(name, body, macros)
        return f"#define {name} {body}".rstrip()
    clash = set(macro.params) & macros.keys()
    stand_ins = [f"hf_{n}" if clash else p for n, p in enumerate(macro.params, 1)]
    listed = f"({','.join(stand_ins)})"
    return f"#define {name}{listed} {expand(means + listed, macros).strip()}".rstrip()
