"""Preprocessor lines in Fortran: which lines are active, which macros hold, and the expansion of ``.H90`` files.

Text that hfpy edits keeps its ``#`` lines (fidelity); :func:`activity` only tells, per line, whether it is compiled.
``.H90`` files, and files whose own macros need ``#``, ``##`` or a backtick (which means a new line), are expanded
before anything else by :func:`expand_file` (hybrid-fortran.md §2.3; GPU is defined for the GPU target, design §6).
``storage_order.F90`` is read by :func:`read_macros` (hybrid-fortran.md §6).

Codes: HF105 for conditionals, conditions and definitions, HF107 for ``#error`` and a preprocessor that fails,
HF113 (a note) for an include that is not found, HF100 for a file that cannot be read.
"""

from __future__ import annotations

import contextlib
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hfpy.model.macros import Macro

from ..diagnostics import BeyondLimits, Diagnostic, HfpyError, Place, error, note
from .conditions import ConditionError, evaluate
from .limits import readable
from .macros import expand, parse_define, parse_defines, permutation, split_arguments, strip_c_comments

__all__ = [
    "Activity",
    "Expanded",
    "Macro",
    "activity",
    "expand",
    "expand_file",
    "needs_expansion",
    "statement_macros",
    "parse_defines",
    "permutation",
    "read_macros",
    "split_arguments",
]

_INCLUDE_DEPTH = 40
_MOST_INCLUDES = 2000  # read for one file: two includes of a file in itself would go on for ever
_OPEN_HINT = "each #if, #ifdef or #ifndef has at most one #else and exactly one #endif"
_DEFINE_HINT = "write #define NAME value or #define NAME(a,b) value"
_CONDITION_HINT = "conditions are integer expressions of macros, defined(NAME), comparisons, &&, || and !"
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
    ``includes``: the names of active ``#include`` lines.
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
        read: how included files are read; their defines count, nothing else of them does.
    """
    count = len(lines)
    if not any("#" in line and _is_directive(line, fixed) for line in lines):
        everything, nothing = (True,) * count, (False,) * count
        return Activity(everything, nothing, nothing, macros)
    state = _State(dict(macros), include_dirs, read)
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
    _evaluate(text.split("\n"), state, folder / name, False, depth + 1)


def _not_to_be_read(path: Path) -> str:
    """Why a file that is there is not read, or nothing."""
    try:
        return "" if path.is_dir() else readable(path)
    except OSError:
        return ""


# --- expansion of whole files ---------------------------------------------------------------------------------

_ENDLESS = ("error", "HF113")
_SECONDS = 20
_SLASHES, _JOINT, _COMMENT = "\x01", "\x02", "\x03"  # private characters, hidden from the preprocessor
_LINE_MARKER = re.compile(r'#\s*(\d+)\s+"((?:[^"\\]|\\.)*)"([ \d]*)\Z')
_GCC_MESSAGE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<text>.*)")
_STRING_OR_COMMENT = re.compile(r"'[^']*'|\"[^\"]*\"|!.*")
_HIDDEN_COMMENT = re.compile("\x03([0-9]+)\x03")
_DOT_OPERATOR = re.compile(r"(?<=\d\.)(?=[A-Za-z]{2,5}\.)")
_DEFINED = re.compile(r"\s*#\s*define\s+\w+")
_HIDDEN_NAME = re.compile(r"hf_hidden_([A-Za-z]\w*?)_name_")
# What begins a statement, where it is no part of an expression: behind a label, ``;`` or the condition of an ``if``.
_BEGINNING = re.compile(r"(?:^\s*(?:\d+\s+)?|;\s*|\)\s*)([A-Za-z_]\w*)")
_OWN_DEFINE = re.compile(r"^[ \t]*#[ \t]*define\b((?:[^\n]*\\\r?\n)*[^\n]*)", re.MULTILINE)


@dataclass(frozen=True)
class Expanded:
    """A preprocessed file: its text without ``#`` lines, and for each line the source line it stems from (1-based).

    Lines out of an included file carry the line of the ``#include``.
    """

    text: str
    line_map: tuple[int, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def needs_expansion(text: str) -> bool:
    """Whether a macro the file itself defines uses ``#``, ``##`` or a backtick for a new line."""
    if "#" not in text or "define" not in text:
        return False
    for match in _OWN_DEFINE.finditer(text):
        macro = parse_define(match[1].replace("\\\r\n", " ").replace("\\\n", " "))
        if macro is None:
            continue
        body = _STRING_OR_COMMENT.sub("", macro.body)
        if "`" in body or "##" in body or (macro.params is not None and "#" in body):
            return True
    return False


def statement_macros(lines: Sequence[str], macros: Mapping[str, Macro]) -> frozenset[str]:
    """The macros that stand for statements somewhere, as in ``SWAP(a, b, t)`` by itself or behind ``if (…)``."""
    found: set[str] = set()
    continued = False
    for line in lines if macros else ():
        if line.lstrip().startswith(("#", "!")) or not line.strip():
            continue
        if not continued:
            found.update(name for name in _BEGINNING.findall(line) if name in macros)
        continued = _STRING_OR_COMMENT.sub("", line).rstrip().endswith("&")
    return frozenset(found)


def expand_file(
    text: str,
    path: Path,
    defines: Mapping[str, Macro],
    include_dirs: Sequence[Path] = (),
    kept: Collection[str] = (),
) -> Expanded:
    """Run the C preprocessor over a Fortran source, as hybrid-fortran.md §2.3 describes.

    Macros in ``kept`` decide conditions, but stay in the text as they are; so does the name of the target, which is a
    word of the directives, as in ``appliesTo(GPU)``. ``//`` and everything in Fortran comments is kept from the
    preprocessor; a backtick becomes a new line; lines that it did not change come out byte for byte. A failure (a
    missing include, an unbalanced ``#if``) is in the diagnostics, and the text is then empty.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    comments: list[str] = []
    names = re.compile(rf"\b({'|'.join(sorted({'GPU', *kept}))})\b")
    protected = "\n".join(_protect(line, comments, names) for line in lines) + "\n"
    command = ["gcc", "-E", "-w", "-undef", "-nostdinc", "-x", "c"]
    command += [f"-I{folder.absolute()}" for folder in include_dirs]
    command += [f"-D{_command_line(macro)}" for macro in defines.values()]
    if shutil.which("gcc") is None:
        hint = "gcc comes with gfortran: install either"
        return Expanded(
            "", (), (error("HF107", "gcc, which preprocesses this file, was not found", Place(str(path)), hint),)
        )
    wrong = [d for d in activity(lines, defines, path, include_dirs).diagnostics if (d.severity, d.code) == _ENDLESS]
    if wrong:
        return Expanded("", (), tuple(wrong))
    folder = path.parent if path.parent.is_dir() else Path()
    try:
        status, said, output = _preprocessed([*command, "-"], protected.encode(), folder)
    except subprocess.TimeoutExpired:
        message = f"preprocessing failed: it takes longer than {_SECONDS} s"
        return Expanded("", (), (error("HF107", message, Place(str(path))),))
    if status != 0:
        return Expanded("", (), _failures(said.decode(errors="replace"), path))
    texts, origins = _collect(output.decode(errors="replace"), lines, comments)
    ending = newline if texts and text.endswith("\n") else ""
    return Expanded(newline.join(texts) + ending, tuple(origins))


def _preprocessed(command: Sequence[str], text: bytes, folder: Path) -> tuple[int, bytes, bytes]:
    """Status, messages and output of the preprocessor, which gets so much time and memory and no more."""
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            command,
            input=text,
            stdout=output,
            stderr=subprocess.PIPE,
            cwd=folder,
            check=False,
            timeout=_SECONDS,
            preexec_fn=_limited,
        )
        output.seek(0)
        return done.returncode, done.stderr, output.read()


def _limited() -> None:
    """Limits of memory and of the size of what is written, for the process that begins."""
    for what, size in ((resource.RLIMIT_AS, 512 << 20), (resource.RLIMIT_FSIZE, 256 << 20)):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(what, (size, size))


def _command_line(macro: Macro) -> str:
    parameters = "" if macro.params is None else f"({','.join(macro.params)})"
    return f"{macro.name}{parameters}={macro.body}"


def _protect(line: str, comments: list[str], names: re.Pattern[str]) -> str:
    """A line as the preprocessor may see it; its comment goes to ``comments``."""
    if line.lstrip().startswith("#"):
        defined = _DEFINED.match(line)
        behind = defined.end() if defined else len(line)
        return line[:behind] + names.sub(r"hf_hidden_\1_name_", line[behind:])
    line = names.sub(r"hf_hidden_\1_name_", line)
    if "!" in line:
        for match in _STRING_OR_COMMENT.finditer(line):
            if match[0].startswith("!") and not match[0].startswith("!$"):
                comments.append(match[0])
                line = f"{line[: match.start()]}{_COMMENT}{len(comments) - 1}{_COMMENT}"
                break
    return _DOT_OPERATOR.sub(_JOINT, line.replace("//", _SLASHES))


def _restore(line: str, comments: Sequence[str]) -> list[str]:
    """A line of output cut at its backticks, with everything that was hidden back in place."""
    pieces = line.replace(_SLASHES, "//").replace(_JOINT, "").split("`")
    named = (_HIDDEN_NAME.sub(r"\1", piece) for piece in pieces)
    return [_HIDDEN_COMMENT.sub(lambda m: comments[int(m[1])], piece) for piece in named]


def _failures(messages: str, path: Path) -> tuple[Diagnostic, ...]:
    """The errors gcc reported, with places in the user's file."""
    found: list[Diagnostic] = []
    for match in _GCC_MESSAGE.finditer(messages):
        file = str(path) if match["file"] == "<stdin>" else match["file"]
        text = match["text"]
        hint = "add its folder to include_dirs" if "No such file" in text else ""
        found.append(
            error(
                "HF107",
                f"preprocessing failed: {text}",
                Place(file, int(match["line"]), int(match["column"] or 1)),
                hint,
            )
        )
    if not found:
        found.append(error("HF107", f"preprocessing failed: {messages.strip()}", Place(str(path))))
    return tuple(found)


def _collect(output: str, source: Sequence[str], comments: Sequence[str]) -> tuple[list[str], list[int]]:
    """The preprocessor's output without line markers, and for each line the number of its source line."""
    texts: list[str] = []
    origins: list[int] = []
    included: list[int] = []  # positions in ``origins`` that wait for the number of their #include line

    def blank_lines(first: int, last: int) -> None:
        """Long runs of empty lines are cut short in the output: put those of the source back."""
        numbers = [n for n in range(first, last + 1) if not source[n - 1].strip()]
        texts.extend(source[n - 1] for n in numbers)
        origins.extend(numbers)

    current, inside = 1, True
    for line in output.split("\n")[:-1]:
        marker = _LINE_MARKER.match(line)
        if marker:
            inside = marker[2] == "<stdin>"
            if inside:
                number = int(marker[1])
                for position in included:
                    origins[position] = number - 1
                if not included:
                    blank_lines(current, min(number - 1, len(source)))
                included.clear()
                current = max(number, 1)
            continue
        pieces = _restore(line, comments)
        if not inside:
            if line.strip():
                included.extend(range(len(origins), len(origins) + len(pieces)))
                texts.extend(pieces)
                origins.extend([0] * len(pieces))
            continue
        original = source[current - 1] if current <= len(source) else ""
        if line.strip() or not original.strip():
            if len(pieces) == 1 and pieces[0].split() == original.split():
                pieces = [original]
            texts.extend(pieces)
            origins.extend([min(current, len(source))] * len(pieces))
        current += 1  # lines that came out empty (directives, branches not taken, rests of macro calls) are left out
    for position in included:
        origins[position] = len(source)
    blank_lines(current, len(source))
    return texts, origins
