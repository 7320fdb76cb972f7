"""Preprocessor lines in Fortran: which lines are active, and which macros hold.

Text that hfpy edits keeps its ``#`` lines (fidelity); :func:`activity` only tells, per line, whether it is compiled.
Files that must be expanded before anything else are for :mod:`hfpy.parse.text.expansion`. ``storage_order.F90`` is read
by :func:`read_macros` (hybrid-fortran.md §6).

Codes: HF105 for conditionals, conditions and definitions, HF107 for ``#error``, HF113 (a note) for an include that is
not found, HF100 for a file that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from hfpy.diagnostics import BeyondLimits, Diagnostic, HfpyError, Place, error, note
from hfpy.model.macros import Macro
from hfpy.parse.text.conditions import ConditionError, evaluate
from hfpy.parse.text.limits import readable
from hfpy.parse.text.macros import expand, parse_define, strip_c_comments
from hfpy.values import dataclass

_INCLUDE_DEPTH = 40
_MOST_INCLUDES = 2000  # read for one file: two includes of a file in itself would go on for ever
_OPEN_HINT = "each #if, #ifdef or #ifndef has at most one #else and exactly one #endif"
_DEFINE_HINT = "write #define NAME value or #define NAME(a,b) value"
_CONDITION_HINT = "conditions are integer expressions of macros, defined(NAME), comparisons, &&, || and !"
_ASKS = re.compile(r"\s*#\s*(?:if|ifdef|ifndef|define|undef|include)\b")
_NAME = re.compile(r"[A-Za-z_]\w*")
_DIRECTIVE = re.compile(r"\s*#\s*([A-Za-z]*)(.*)", re.DOTALL)
_INCLUDE = re.compile(r"\s*(?:\"([^\"]+)\"|<([^>]+)>)")


@dataclass(frozen=True)
class Activity:
    """What the preprocessor lines of a file do.

    ``active[n]``: line n (from 0) is compiled; false for lines in branches not taken and for ``#`` lines.
    ``directive[n]``: line n is a ``#`` line, or continues one with a backslash.
    ``cut[n]``: line n lies inside some conditional, taken or not.
    ``macros``: what is defined at the end; ``defined_here``: names defined in the file itself in active lines;
    ``redefined``: names that got another meaning without ``#undef``; ``undefined``: names in an ``#undef``;
    ``includes``: the names of active ``#include`` lines; ``within``: the active lines of the files that these include;
    ``meanings``: what each macro means somewhere, also where it is undefined later.
    """

    active: tuple[bool, ...]
    directive: tuple[bool, ...]
    cut: tuple[bool, ...]
    macros: Mapping[str, Macro]
    defined_here: frozenset[str] = frozenset()
    redefined: frozenset[str] = frozenset()
    undefined: frozenset[str] = frozenset()
    includes: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    within: tuple[str, ...] = ()
    meanings: Mapping[str, Collection[Macro]] = field(default_factory=dict)


@dataclass
class _Branch:
    """One open ``#if``: whether this branch is taken, whether one was, whether ``#else`` was seen."""

    line: int
    outer: bool
    taken: bool
    done: bool
    after_else: bool = False


@dataclass
class _State:
    """The working state of one evaluation, shared with the files it includes."""

    macros: dict[str, Macro]
    include_dirs: Sequence[Path]
    read: Callable[[Path], str | None]
    diagnostics: list[Diagnostic] = field(default_factory=list)
    defined_here: set[str] = field(default_factory=set)
    redefined: set[str] = field(default_factory=set)
    undefined: set[str] = field(default_factory=set)
    includes: list[str] = field(default_factory=list)
    within: list[str] = field(default_factory=list)
    meanings: dict[str, dict[Macro, None]] = field(default_factory=dict)
    files_read: int = 0


def read_text(path: Path) -> str | None:
    """The text of a file, or None if there is no such file, it cannot be read, or it is not to be (a device)."""
    try:
        if readable(path):
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def read_lines(path: Path) -> list[str] | None:
    """The lines of a file; None if it cannot be read."""
    text = read_text(path)
    return None if text is None else text.split("\n")


def activity(
    lines: Sequence[str],
    macros: Mapping[str, Macro],
    path: Path | None = None,
    include_dirs: Sequence[Path] = (),
    fixed: bool = False,
    read: Callable[[Path], str | None] = read_text,
) -> Activity:
    """Evaluate the ``#`` lines of a file whose text stays as it is.

    Args:
        lines: the file's lines, with or without line ends.
        macros: what is defined before the first line.
        path: the file, for diagnostics and for relative includes.
        include_dirs: where ``#include`` looks after the file's own directory.
        fixed: fixed form, where only a ``#`` in column 1 begins such a line (column 6 is a continuation mark).
        read: how included files are read; their defines count, and their active lines are kept.
    """
    count = len(lines)
    if not any("#" in line and _is_directive(line, fixed) for line in lines):
        everything, nothing = (True,) * count, (False,) * count
        return Activity(everything, nothing, nothing, macros, meanings={n: (m,) for n, m in macros.items()})
    state = _State(dict(macros), include_dirs, read, meanings={n: {m: None} for n, m in macros.items()})
    marks = _evaluate(lines, state, path or Path("<text>"), fixed, 0)
    return Activity(
        active=tuple(mark == "active" or mark == "active-cut" for mark in marks),
        directive=tuple(mark == "directive" for mark in marks),
        cut=tuple(mark == "off" or mark == "active-cut" for mark in marks),
        macros=state.macros,
        defined_here=frozenset(state.defined_here),
        redefined=frozenset(state.redefined),
        undefined=frozenset(state.undefined),
        includes=tuple(state.includes),
        diagnostics=tuple(state.diagnostics),
        within=tuple(state.within),
        meanings=state.meanings,
    )


def read_macros(
    path: Path, defines: Mapping[str, Macro], include_dirs: Sequence[Path] = ()
) -> tuple[dict[str, Macro], tuple[Diagnostic, ...]]:
    """The macros of a ``storage_order.F90``, with ``defines`` in force: the last definition of a name wins.

    Returns the macros (those of ``defines`` among them) and what was found wrong with the file.

    Raises:
        HfpyError: if the file cannot be read.
    """
    text = read_text(path)
    if text is None:
        raise HfpyError([error("HF100", "the storage-order file cannot be read", Place(str(path)))])
    result = activity(text.split("\n"), defines, path, include_dirs)
    return dict(result.macros), result.diagnostics


def asks_preprocessor(lines: Sequence[str], fixed: bool) -> bool:
    """Whether some lines need the preprocessor. Compilers give files such as ``x.f90`` to it with a flag only, but with
    these lines they are nothing without it.
    """
    return any("#" in line and _is_directive(line, fixed) and _ASKS.match(line) is not None for line in lines)


def _is_directive(line: str, fixed: bool) -> bool:
    return line.startswith("#") if fixed else line.lstrip().startswith("#")


def _evaluate(lines: Sequence[str], state: _State, path: Path, fixed: bool, depth: int) -> list[str]:
    """Marks per line: "active", "active-cut" (inside a conditional), "off", "directive"."""
    marks: list[str] = []
    stack: list[_Branch] = []
    index = 0
    while index < len(lines):
        if not _is_directive(lines[index], fixed):
            taken = stack[-1].taken if stack else True
            marks.append(("active-cut" if stack else "active") if taken else "off")
            index += 1
            continue
        first = index
        text = lines[index].rstrip("\r\n")
        while text.endswith("\\") and index + 1 < len(lines):
            index += 1
            text = text[:-1] + "\n" + lines[index].rstrip("\r\n")
        index += 1
        marks.extend(["directive"] * (index - first))
        _directive(text, first + 1, stack, state, path, depth)
    for branch in stack:
        place = _place(path, branch.line, lines[branch.line - 1])
        state.diagnostics.append(error("HF105", "this conditional has no #endif", place, "close it with #endif"))
    return marks


def _place(path: Path, line: int, text: str) -> Place:
    column = len(text) - len(text.lstrip()) + 1
    return Place(str(path), line, column, max(len(text.split("\n")[0].strip()), 1))


def _directive(text: str, line: int, stack: list[_Branch], state: _State, path: Path, depth: int) -> None:
    """Carry out one ``#`` line."""
    match = _DIRECTIVE.match(text)
    word, rest = (match[1], match[2]) if match else ("", "")
    place = _place(path, line, text)
    if word in ("if", "ifdef", "ifndef"):
        outer = stack[-1].taken if stack else True
        taken = outer and _condition(word, rest, state, place)
        stack.append(_Branch(line, outer, taken, taken))
    elif word in ("elif", "else", "endif"):
        _branch(word, rest, stack, state, place)
    elif not (stack[-1].taken if stack else True):
        return
    elif word == "define":
        macro = parse_define(rest.replace("\n", " "))
        if macro is None:
            state.diagnostics.append(error("HF105", "this macro definition is malformed", place, _DEFINE_HINT))
            return
        if state.macros.get(macro.name, macro) != macro:
            state.redefined.add(macro.name)
        state.macros[macro.name] = macro
        state.meanings.setdefault(macro.name, {})[macro] = None
        if depth == 0:
            state.defined_here.add(macro.name)
    elif word == "undef":
        name = _NAME.search(rest)
        if name:
            state.macros.pop(name[0], None)
            state.undefined.add(name[0])
    elif word == "include":
        _include(rest, state, place, path, depth)
    elif word == "error":
        state.diagnostics.append(error("HF107", f"#error{rest.rstrip()}", place))


def _condition(word: str, rest: str, state: _State, place: Place) -> bool:
    if word == "if":
        try:
            return evaluate(rest.replace("\n", " "), state.macros)
        except (ConditionError, BeyondLimits) as bad:
            state.diagnostics.append(
                error("HF105", f"this condition cannot be evaluated: {bad}", place, _CONDITION_HINT)
            )
            return False
    name = _NAME.match(strip_c_comments(rest).strip())
    if name is None:
        state.diagnostics.append(error("HF105", f"#{word} needs a macro name", place, f"write #{word} NAME"))
        return False
    return (name[0] in state.macros) == (word == "ifdef")


def _branch(word: str, rest: str, stack: list[_Branch], state: _State, place: Place) -> None:
    """``#elif``, ``#else`` and ``#endif``."""
    if not stack:
        state.diagnostics.append(error("HF105", f"#{word} without #if", place, _OPEN_HINT))
        return
    top = stack[-1]
    if word == "endif":
        stack.pop()
        return
    if top.after_else:
        state.diagnostics.append(
            error("HF105", f"#{word} after #else (its #if is on line {top.line})", place, _OPEN_HINT)
        )
        return
    if word == "else":
        top.taken = top.outer and not top.done
        top.after_else = True
    else:
        top.taken = top.outer and not top.done and _condition("if", rest, state, place)
    top.done = top.done or top.taken


def _include(rest: str, state: _State, place: Place, path: Path, depth: int) -> None:
    """Read an included file for its defines."""
    match = _INCLUDE.match(rest) or _INCLUDE.match(expand(rest, state.macros))
    name = (match[1] or match[2]) if match else ""
    if depth == 0 and name:
        state.includes.append(name)
    folders = [path.parent, *state.include_dirs] if match and match[1] else list(state.include_dirs)
    for folder in folders:
        text = state.read(folder / name) if name else None
        if text is not None:
            break
    else:
        reason = next((r for folder in folders if name and (r := _not_to_be_read(folder / name))), "")
        if reason:
            state.diagnostics.append(error("HF113", f"'{name}' is not read: {reason}", place))
            return
        state.diagnostics.append(
            note("HF113", f"'{name or rest.strip()}' was not found; its macros are unknown", place)
        )
        return
    state.files_read += 1
    if depth >= _INCLUDE_DEPTH or state.files_read > _MOST_INCLUDES:
        if any(d.code == "HF113" and d.severity == "error" for d in state.diagnostics):
            return
        state.diagnostics.append(error("HF113", f"'{name}' includes itself without end", place))
        return
    lines = text.split("\n")
    marks = _evaluate(lines, state, folder / name, False, depth + 1)
    state.within += (line for line, mark in zip(lines, marks, strict=True) if mark in ("active", "active-cut"))


def _not_to_be_read(path: Path) -> str:
    """Why a file that is there is not read, or nothing."""
    try:
        return "" if path.is_dir() else readable(path)
    except OSError:
        return ""
