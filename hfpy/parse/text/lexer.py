"""The lexical layer: physical lines to logical lines (design contract 1).

Comments are dropped, continuations joined, ``;`` split, labels taken off; fixed form is read as free
form. Each logical line keeps the map from its characters back to the file.
Directive lines: ``@…`` in hybrid files (``.h90``, ``.H90``), ``!@…`` in ``.f90``/``.F90`` (design §6).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hfpy.diagnostics import Diagnostic, Place, error, note
from hfpy.model.source import LogicalLine
from hfpy.parse.text.blanks import without_blanks
from hfpy.parse.text.cards import card, without_margin
from hfpy.suffixes import FIXED_COLUMNS

_QUOTED_OR_COMMENT = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|['"!]""")
_SERIAL = re.compile(r"@\s*serial\b", re.IGNORECASE)
_STRINGS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")
_WORD = re.compile(r"\w")
_LABEL = re.compile(r"(\d{1,5})(?=\s+[A-Za-z])\s*")
_INCLUDE_LINE = re.compile(r"#\s*include\s*[\"<]([^\">]*)")
_INCLUDES = re.compile(r"include\s*['\"<]", re.IGNORECASE)
_DIRECTIVE_WORDS = re.compile(
    r"@\s*(end\s*)?(parallelregion|domaindepend[ae]nt|stencilprogram|decomposition|haloexchange|wholegrid|scheme|serial|if"
    r"|exit)\b",
    re.IGNORECASE,
)

# ``5habcde``, a text of so many characters (Fortran 66), where an expression begins.
_HOLLERITH = re.compile(r"[(,=/.]\s*(\d+)h", re.IGNORECASE)


def mask_strings(text: str) -> str:
    """The text with the inside of character literals and Hollerith constants replaced by ``_`` (same length)."""
    if "'" in text or '"' in text:
        text = _STRINGS.sub(lambda m: m.group()[0] + "_" * (len(m.group()) - 2) + m.group()[0], text)
    found = _HOLLERITH.search(text)
    while found is not None:
        end = min(found.end() + int(found[1]), len(text))
        text = text[: found.end()] + "_" * (end - found.end()) + text[end:]
        found = _HOLLERITH.search(text, end)
    return text


def strip_comment(line: str, quote: str = "") -> tuple[str, str]:
    """Code part of a physical line and the quote still open at its end.

    ``quote`` is the quote character open at the beginning (a continued character literal), or empty.
    """
    position = 0
    if quote:
        end = _closing(line, 0, quote)
        if end < 0:
            return line, quote
        position = end
    while True:
        match = _QUOTED_OR_COMMENT.search(line, position)
        if match is None:
            return line, ""
        token = match.group()
        if token == "!":
            return line[: match.start()], ""
        if len(token) == 1:
            return line, token
        position = match.end()


def _closing(line: str, start: int, quote: str) -> int:
    """Offset after the closing quote, or -1."""
    index = start
    while True:
        index = line.find(quote, index)
        if index < 0:
            return -1
        if line[index + 1 : index + 2] == quote:
            index += 2
            continue
        return index + 1


class _Joiner:
    """Collects the pieces of one logical line."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.length = 0
        self.segments: list[tuple[int, int, int]] = []
        self.last = 0

    def add(self, piece: str, line: int, column: int) -> None:
        if piece or not self.segments:
            self.segments.append((self.length, line, column))
        self.text.append(piece)
        self.length += len(piece)
        self.last = line


def _emit(joiner: _Joiner, out: list[LogicalLine], directive: bool, comment: bool = False) -> None:
    text = "".join(joiner.text)
    if directive:
        out.append(LogicalLine(text.rstrip(), tuple(joiner.segments), joiner.last, "", True, comment))
        return
    if ";" in text:
        masked = mask_strings(text)
        start = 0
        for piece in masked.split(";"):
            _emit_piece(text, joiner, start, start + len(piece), out)
            start += len(piece) + 1
        return
    _emit_piece(text, joiner, 0, len(text), out)


def _emit_piece(text: str, joiner: _Joiner, start: int, end: int, out: list[LogicalLine]) -> None:
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    stripped = piece.strip()
    if not stripped:
        return
    start += lead
    label, label_at, width = "", (-1, -1), 0
    if stripped[0].isdigit():
        match = _LABEL.match(stripped)
        if match:
            label, width = label_of(match.group(1)), len(match.group(1))
            label_at = _cut(joiner.segments, start, width)[0][1:]
            stripped = stripped[match.end() :]
            start += match.end()
    segments = _cut(joiner.segments, start, len(stripped))
    out.append(LogicalLine(stripped, segments, joiner.last, label, label_at=label_at, label_width=width))


def _cut(segments: list[tuple[int, int, int]], start: int, length: int) -> tuple[tuple[int, int, int], ...]:
    """Segments of a piece of the joined text, offsets relative to the piece."""
    if len(segments) == 1:
        offset, line, column = segments[0]
        return ((0, line, column + start - offset),)
    cut: list[tuple[int, int, int]] = []
    for index, (offset, line, column) in enumerate(segments):
        following = segments[index + 1][0] if index + 1 < len(segments) else 1 << 30
        if following <= start or offset >= start + length:
            continue
        begin = max(offset, start)
        cut.append((begin - start, line, column + begin - offset))
    return tuple(cut)


def logical_lines(
    path: str,
    lines: Sequence[str],
    *,
    hybrid: bool,
    active: Sequence[bool] | None = None,
    fixed: bool = False,
    includes: Sequence[str] = (),
    columns: int = FIXED_COLUMNS,
) -> tuple[list[LogicalLine], list[Diagnostic]]:
    """Logical lines of a file and what was wrong with its lexical form.

    An active ``#include`` (named in ``includes``) is kept as a line of its own. ``active`` masks lines that the
    preprocessor drops; ``hybrid`` says that ``@`` at the beginning of a line is a directive; in ``fixed``
    form so many ``columns`` count.
    """
    if fixed:
        return _fixed_form(path, lines, active, includes, columns)
    out: list[LogicalLine] = []
    found: list[Diagnostic] = []
    total = len(lines)
    index = 0
    while index < total:
        line = lines[index]
        stripped = line.lstrip()
        if not stripped:
            index += 1
            continue
        first = stripped[0]
        if first == "#":
            out += _include_line(line, index, includes)
            index += 1
            while lines[index - 1].endswith("\\") and index < total:
                index += 1
            continue
        if active is not None and not active[index]:
            index += 1
            continue
        if first == "!":
            if "@" in stripped and _is_comment_directive(stripped):
                if hybrid:
                    found.append(_commented_out(path, index, line))
                else:
                    index = _comment_directive(lines, index, out, active)
                    continue
            index += 1
            continue
        index = _join(path, lines, index, out, found, hybrid and first == "@", active)
    return out, found


def _include_line(line: str, index: int, includes: Sequence[str]) -> list[LogicalLine]:
    """An active ``#include`` as a line of its own; nothing for other lines."""
    stripped = line.lstrip()
    found = _INCLUDE_LINE.match(stripped) if includes else None
    if found is None or found.group(1) not in includes:
        return []
    column = len(line) - len(stripped[1:].lstrip())
    return [LogicalLine(stripped[1:].strip(), ((0, index, column),), index)]


def _is_comment_directive(stripped: str) -> bool:
    return bool(_DIRECTIVE_WORDS.match(stripped[1:].lstrip()))


def _commented_out(path: str, index: int, line: str) -> Diagnostic:
    return note(
        "HF106",
        "directive after '!' in a hybrid file is a comment",
        Place(path, index + 1, line.index("!") + 1),
        "remove the '!' to make it act",
    )


def _comment_directive(
    lines: Sequence[str], index: int, out: list[LogicalLine], active: Sequence[bool] | None, fixed: bool = False
) -> int:
    """Read a directive after ``!`` with its continuation lines (``!@ …`` or ``!& …``), without a comment behind it;
    return the next line's index.
    """
    joiner = _Joiner()
    total = len(lines)
    continued = reason = False
    while index < total:
        line = lines[index]
        bang = _comment_mark(line, fixed)
        if bang < 0 or (active is not None and not active[index]):
            break
        text = line[bang + 1 :]
        if continued:
            body = text.lstrip()
            body = body[1:].lstrip() if body[:1] == "@" else body
            body = body[1:] if body[:1] == "&" else body
        else:
            body = text.lstrip()
            reason = _SERIAL.match(body) is not None
        column = len(line) - len(body)
        body = (body if reason else strip_comment(body)[0]).rstrip()
        continued = body.endswith("&")
        joiner.add(body[:-1] if continued else body, index, column)
        index += 1
        if not continued:
            break
    _emit(joiner, out, True, True)
    if re.match(r"@\s*domaindepend[ae]nt", out[-1].text, re.IGNORECASE):
        return _commented_names(lines, index, out, fixed)
    return index


def _commented_names(lines: Sequence[str], index: int, out: list[LogicalLine], fixed: bool) -> int:
    """The lines of names of a commented ``@domainDependant`` block (``! a, b`` or ``!@ a, b``)."""
    while index < len(lines):
        mark = _comment_mark(lines[index], fixed)
        stripped = lines[index][mark:]
        if mark < 0 or _is_comment_directive(stripped):
            break
        body = stripped[1:].lstrip("@ \t").rstrip()
        if body:
            column = lines[index].index(body)
            out.append(LogicalLine(body, ((0, index, column),), index, "", False, True))
        index += 1
    return index


def _join(
    path: str,
    lines: Sequence[str],
    index: int,
    out: list[LogicalLine],
    found: list[Diagnostic],
    directive: bool,
    active: Sequence[bool] | None,
) -> int:
    """Read one free-form logical line that begins at ``index``; return the index after it."""
    joiner = _Joiner()
    begin = index
    line = lines[index]
    column = len(line) - len(line.lstrip())
    quote = ""
    total = len(lines)
    while True:
        line = lines[index]
        if quote or "!" in line or "'" in line or '"' in line:
            code, quote = strip_comment(line[column:], quote)
        else:
            code = line[column:]
        text = code.rstrip()
        if not text.endswith("&"):
            joiner.add(code if quote else text, index, column)
            index += 1
            break
        joiner.add(text[:-1], index, column)
        mark = column + len(text) - 1
        in_word = not quote and len(text) > 1 and _WORD.match(text, len(text) - 2) is not None
        index = _next_code(lines, index + 1, active)
        if index >= total:
            place = Place(path, begin + 1, 1)
            found.append(error("HF103", "the file ends inside a continued statement", place))
            break
        line = lines[index]
        column = len(line) - len(line.lstrip())
        if line[column : column + 1] == "&":
            column += 1
        elif quote:
            column = 0
        elif in_word and _WORD.match(line, column):
            # Only an ``&`` there would go on with the word: ``end do&`` before a name are two.
            joiner.add(" ", joiner.last, mark)
    if quote:
        line, column = lines[begin], len(lines[begin]) - len(lines[begin].lstrip())
        place = Place(path, begin + 1, column + 1, len(line) - column)
        found.append(error("HF104", f"character literal opened with {quote} is not closed", place))
    _emit(joiner, out, directive)
    return index


def _next_code(lines: Sequence[str], index: int, active: Sequence[bool] | None) -> int:
    """Index of the next line that can continue a statement: comments, blanks, preprocessor and inactive lines are
    passed over.
    """
    total = len(lines)
    while index < total:
        stripped = lines[index].lstrip()
        if stripped and stripped[0] not in "!#" and (active is None or active[index]):
            return index
        index += 1
    return index


def _fixed_form(
    path: str, lines: Sequence[str], active: Sequence[bool] | None, includes: Sequence[str], columns: int
) -> tuple[list[LogicalLine], list[Diagnostic]]:
    out: list[LogicalLine] = []
    found: list[Diagnostic] = []
    index = 0
    total = len(lines)
    while index < total:
        if lines[index].startswith("#") and (row := _include_line(lines[index], index, includes)):
            out += row
            index += 1
            continue
        if _fixed_directive(lines[index]) and (active is None or active[index]):
            index = _comment_directive(lines, index, out, active, True)
            continue
        if (active is not None and not active[index]) or _fixed_comment(lines[index]):
            index += 1
            continue
        joiner = _Joiner()
        code, quote = strip_comment(without_margin(lines[index], columns))
        label, _, column = card(code)
        label_at = index, code.find(label)
        joiner.add(code[column:], index, column)
        index += 1
        while index < total and not _fixed_directive(lines[index]):
            if lines[index].startswith("#") and _include_line(lines[index], index, includes):
                break
            if (active is not None and not active[index]) or _fixed_comment(lines[index]):
                index += 1
                continue
            raw = without_margin(lines[index], columns)
            _, continues, column = card(raw)
            if not continues:
                break
            code, quote = strip_comment(raw[column:], quote)
            joiner.add(code, index, column)
            index += 1
        before = len(out)
        _emit(joiner, out, False)
        out[before:] = [without_blanks(line, mask_strings(line.text)) for line in out[before:]]
        number = label_of(label)
        if number.isdigit() and len(out) > before:
            out[before] = replace(out[before], label=number, label_at=label_at, label_width=len(label))
    return out, found


def _comment_mark(line: str, fixed: bool) -> int:
    """Where the mark of a line that is a comment is; -1 for any other line."""
    if fixed and line[:1] in ("c", "C", "*"):
        return 0
    column = len(line) - len(line.lstrip())
    return column if line[column : column + 1] == "!" else -1


def _fixed_directive(line: str) -> bool:
    """Whether a line of fixed form is a directive in a comment."""
    mark = _comment_mark(line, True) if "@" in line else -1
    return mark >= 0 and _is_comment_directive(line[mark:])


def _fixed_comment(line: str) -> bool:
    return not line.strip() or line[0] in "cC*!dD#" or line.lstrip().startswith("!")


def label_of(text: str) -> str:
    """A label in its plain form: in fixed form blanks within it mean nothing, and leading zeros never do (Fortran 2018,
    6.2.5). Empty for a text without any.
    """
    digits = "".join(text.split())
    return digits.lstrip("0") or digits[:1]


def includes(text: str) -> bool:
    """Whether a line of code includes a file; ``included = .true.`` does not."""
    return _INCLUDES.match(text) is not None
