"""Whole files through the C preprocessor: ``.H90`` files, those whose own macros need ``#``, ``##`` or a backtick,
which means a new line (hybrid-fortran.md §2.3; GPU is defined for the GPU target, design §6), and plain files with
macros that are no values (:mod:`hfpy.parse.text.macroshapes`).

Codes: HF107 for a preprocessor that fails, and those of :mod:`hfpy.parse.text.preprocess`.
"""

from __future__ import annotations

import contextlib
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.model.macros import Macro
from hfpy.parse.text.lexer import mask_strings
from hfpy.parse.text.macros import parse_define
from hfpy.parse.text.preprocess import activity
from hfpy.parse.text.tokens import split_top
from hfpy.values import dataclass

_ENDLESS = ("error", "HF113")
_SECONDS = 20
_NOTHING = re.compile(r"((?!))")
_CARD = 72  # columns of a line in fixed form
_SLASHES, _JOINT, _COMMENT = "\x01", "\x02", "\x03"  # private characters, hidden from the preprocessor
_LINE_MARKER = re.compile(r'#\s*(\d+)\s+"((?:[^"\\]|\\.)*)"([ \d]*)\Z')
_GCC_MESSAGE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?:fatal )?error: (?P<text>.*)")
_STRING_OR_COMMENT = re.compile(r"'[^']*'|\"[^\"]*\"|!.*")
_HIDDEN_COMMENT = re.compile("\x03([0-9]+)\x03")
_DOT_OPERATOR = re.compile(r"(?<=\d\.)(?=[A-Za-z]{2,5}\.)")
_DEFINED = re.compile(r"\s*#\s*define\s+\w+")
_DIRECTIVE = re.compile(r"\s*!@|[cC*]@")
_TARGET = re.compile(r"\b(GPU)\b")
_HIDDEN_NAME = re.compile(r"hf_hidden_([A-Za-z]\w*?)_name_")
# What begins a statement, where it is no part of an expression: after a label, ``;`` or the condition of an ``if``.
_BEGINNING = re.compile(r"(?:^\s*(?:\d+\s+)?|;\s*|\)\s*)([A-Za-z_]\w*)")
_OWN_DEFINE = re.compile(r"^[ \t]*#[ \t]*define\b((?:[^\n]*\\\r?\n)*[^\n]*)", re.MULTILINE)


@dataclass(frozen=True)
class Form:
    """How the text of a file is preprocessed: names that stay, flags of the preprocessor, whether the file is in fixed
    form, and whether each ``;`` in what a macro means ends a line.
    """

    hidden: frozenset[str] = frozenset()
    flags: tuple[str, ...] = ()
    fixed: bool = False
    cut: bool = False


HYBRID = Form(frozenset({"GPU"}))
PLAIN = Form(flags=("-traditional-cpp",), cut=True)  # as gfortran does it
PLAIN_FIXED = replace(PLAIN, fixed=True)


@dataclass(frozen=True)
class Expanded:
    """A preprocessed file: its text without ``#`` lines, and for each line the source line it stems from (1-based).

    Lines out of an included file carry the line of the ``#include``.
    """

    text: str
    line_map: tuple[int, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def needs_expansion(text: str) -> bool:
    """Whether a macro the file itself defines uses ``#``, ``##`` or a backtick for a new line, or is the beginning of a
    designator (``obj%``) and has several meanings.
    """
    if "#" not in text or "define" not in text:
        return False
    beginnings: dict[str, str] = {}
    for match in _OWN_DEFINE.finditer(text):
        macro = parse_define(match[1].replace("\\\r\n", " ").replace("\\\n", " "))
        if macro is None:
            continue
        body = _STRING_OR_COMMENT.sub("", macro.body)
        if "`" in body or "##" in body or (macro.params is not None and "#" in body):
            return True
        beginning = macro.params is None and body.rstrip().endswith("%")
        if beginning and beginnings.setdefault(macro.name, body) != body:
            return True
    return False


def statement_macros(lines: Sequence[str], macros: Mapping[str, Macro]) -> frozenset[str]:
    """The macros that mean statements somewhere, as in ``SWAP(a, b, t)`` by itself or after ``if (…)``."""
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
    form: Form = HYBRID,
) -> Expanded:
    """Run the C preprocessor over a Fortran source, as hybrid-fortran.md §2.3 describes, or as compilers do it with a
    plain file.

    Macros in ``kept`` decide conditions, but stay in the text as they are; so does the name of the target, which is a
    word of the directives, as in ``appliesTo(GPU)``. ``//`` and everything in Fortran comments is kept from the
    preprocessor; a backtick becomes a new line; lines that it did not change come out byte for byte. A failure (a
    missing include, an unbalanced ``#if``) is in the diagnostics, and the text is then empty. In a plain file a ``;``
    in what a macro means ends a line, as regions take whole lines.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    comments: list[str] = []
    names = re.compile(rf"\b({'|'.join(sorted({*form.hidden, *kept}))})\b") if form.hidden or kept else _NOTHING
    protected = "\n".join(_protect(line, comments, names, form.fixed) for line in lines) + "\n"
    command = ["gcc", "-E", "-w", "-undef", "-nostdinc", "-x", "c", *form.flags]
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
        given = protected.encode("utf-8", "surrogateescape")
        status, said, output = _preprocessed([*command, "-"], given, folder)
    except subprocess.TimeoutExpired:
        message = f"preprocessing failed: it takes longer than {_SECONDS} s"
        return Expanded("", (), (error("HF107", message, Place(str(path))),))
    if status != 0:
        return Expanded("", (), _failures(said.decode(errors="replace"), path))
    texts, origins = _collect(output.decode(errors="surrogateescape"), lines, comments, form, str(path))
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


def _protect(line: str, comments: list[str], names: re.Pattern[str], fixed: bool) -> str:
    """A line as the preprocessor may see it; its comment goes to ``comments``."""
    if line.lstrip().startswith("#"):
        defined = _DEFINED.match(line)
        behind = defined.end() if defined else len(line)
        return line[:behind] + names.sub(r"hf_hidden_\1_name_", line[behind:])
    if _DIRECTIVE.match(line):
        return _TARGET.sub(r"hf_hidden_\1_name_", line)
    if fixed and line[:1] in "cC*dD!" and line[1:2] != "$":
        comments.append(line)
        return f"{_COMMENT}{len(comments) - 1}{_COMMENT}"
    line = names.sub(r"hf_hidden_\1_name_", line)
    if "!" in line:
        for match in _STRING_OR_COMMENT.finditer(line):
            if match[0].startswith("!") and not match[0].startswith("!$"):
                comments.append(match[0])
                line = f"{line[: match.start()]}{_COMMENT}{len(comments) - 1}{_COMMENT}"
                break
    return _DOT_OPERATOR.sub(_JOINT, line.replace("//", _SLASHES))


def _restore(line: str, comments: Sequence[str], form: Form) -> list[str]:
    """A line of output cut at its backticks, or at each ``;``, with everything that was hidden back in place."""
    shown = line.replace(_SLASHES, "//").replace(_JOINT, "")
    pieces = _cut(shown, form.fixed) if form.cut else shown.split("`")
    named = (_HIDDEN_NAME.sub(r"\1", piece) for piece in pieces)
    return [_HIDDEN_COMMENT.sub(lambda m: comments[int(m[1])], piece) for piece in named]


def _cut(line: str, fixed: bool) -> list[str]:
    """The statements of a line, each with its blanks, and in fixed form continued where it is too long. Directives stay
    in their line.
    """
    if line.lstrip()[:1] == "!" or (fixed and line[:1] in ("c", "C", "*")):
        return [line]
    pieces = [piece for a, b in split_top(mask_strings(line), ";") if (piece := line[a:b].strip())]
    before = line[: len(line) - len(line.lstrip())]
    blank = before or ("      " if fixed else "")
    rows = [before + "".join(pieces[:1]), *(blank + piece for piece in pieces[1:])]
    return [part for row in rows for part in _cards(row)] if fixed else rows


def _cards(row: str) -> list[str]:
    """A statement in fixed form, in as many lines as it needs; its comment may be longer."""
    code, mark, comment = row.partition(_COMMENT)
    first, rest = code[:_CARD], code[_CARD:]
    width = _CARD - 6
    parts = [first, *("     &" + rest[n : n + width] for n in range(0, len(rest), width))]
    return [*parts[:-1], parts[-1] + mark + comment]


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


def _collect(
    output: str, source: Sequence[str], comments: Sequence[str], form: Form, path: str
) -> tuple[list[str], list[int]]:
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
        original = source[current - 1] if inside and current <= len(source) else ""
        plain = _restore(line, comments, HYBRID)
        if len(plain) == 1 and plain[0].split() == original.split():
            pieces = [original]
        else:
            pieces = _restore(line.replace('"<stdin>"', f'"{path}"'), comments, form)
        if not inside:
            if line.strip():
                included.extend(range(len(origins), len(origins) + len(pieces)))
                texts.extend(pieces)
                origins.extend([0] * len(pieces))
            continue
        if line.strip() or not original.strip():
            texts.extend(pieces)
            origins.extend([min(current, len(source))] * len(pieces))
        current += 1  # lines that came out empty (directives, branches not taken, rests of macro calls) are left out
    for position in included:
        origins[position] = len(source)
    blank_lines(current, len(source))
    return texts, origins
