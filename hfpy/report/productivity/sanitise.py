"""Sources without what does not count: no comments, no blank lines, continued lines merged, case and blanks set aside.

This is the form in which the paper counts and compares lines ("Hybrid Fortran", §4: "removing white space, comments and
merging continued lines"). Directives (``@…``, ``!$omp``, ``!$acc``) and preprocessor lines are lines like others. All
branches of preprocessor conditionals count, since somebody has to write and keep them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hfpy.parse.directives.directives import KEYWORDS
from hfpy.parse.text.cards import card, without_margin
from hfpy.parse.text.lexer import strip_comment
from hfpy.values import dataclass

_STRINGS = re.compile(r"""('(?:[^']|'')*'?|"(?:[^"]|"")*"?)""")
_SENTINEL = re.compile(r"[!cC*](\$[A-Za-z]*|(?:dir|dec|gcc|ibm|nec|ocl|pgi)\$)", re.IGNORECASE)
_COMMENTED = re.compile(rf"!\s*@\s*(?:end\s*)?(?:{'|'.join(KEYWORDS)}|domaindependent)\b", re.IGNORECASE)
_NAMES_FOLLOW = re.compile(r"@\s*domaindepend[ae]nt", re.IGNORECASE)
_FIXED_COMMENT = "cC*!dD"
_C_COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Line:
    """One line that counts: ``key`` is what is compared, ``text`` the joined line to be shown and compared, ``first``
    and ``last`` are the physical lines (1-based) that it is on.
    """

    key: str
    text: str
    first: int
    last: int

    @property
    def directive(self) -> bool:
        """Whether it is one of hfpy's directives."""
        return self.text.startswith("@")

    @property
    def of_compiler(self) -> bool:
        """Whether it is a directive of OpenMP or OpenACC."""
        return self.key.startswith(("!$omp", "!$acc", "c$omp", "c$acc", "*$omp", "*$acc"))


def squeezed(text: str) -> str:
    """A text in lower case without blanks, except inside of character literals."""
    if "'" not in text and '"' not in text:
        return "".join(text.lower().split())
    parts = _STRINGS.split(text)
    return "".join(p if n % 2 else "".join(p.lower().split()) for n, p in enumerate(parts))


def sanitised(lines: Sequence[str], fixed: bool = False) -> tuple[Line, ...]:
    """The lines of a Fortran file that count. ``fixed``: the file is in fixed form."""
    reader = _Fixed(lines) if fixed else _Free(lines)
    return tuple(reader.run())


def sanitised_c(text: str) -> tuple[Line, ...]:
    """The lines of a C or CUDA file that count (generated kernels): no comments, no blank lines."""

    def gap(found: re.Match[str]) -> str:
        token = found.group()
        return token if token.startswith('"') else "\n" * token.count("\n")

    lines = _C_COMMENT.sub(gap, text).split("\n")
    return tuple(
        Line(" ".join(line.split()), " ".join(line.split()), number, number)
        for number, line in enumerate(lines, 1)
        if line.strip()
    )


class _Reader:
    """Goes over the physical lines of a file and collects those that count."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.out: list[Line] = []
        self.index = 0

    def emit(self, parts: Sequence[str], first: int) -> None:
        """Add a joined line that began at the index ``first`` and ends before the current one."""
        text = " ".join(part.strip() for part in parts) if len(parts) > 1 else parts[0].strip()
        if text:
            self.out.append(Line(squeezed(text), text, first + 1, self.index))

    def preprocessor(self) -> None:
        """A ``#`` line with those that a backslash joins to it; its case counts."""
        first, parts = self.index, []
        more = True
        while more and self.index < len(self.lines):
            text = self.lines[self.index].rstrip()
            more = text.endswith("\\")
            parts.append(text.rstrip("\\"))
            self.index += 1
        text = " ".join(" ".join(parts).split())
        self.out.append(Line(text.replace("# ", "#", 1), text, first + 1, self.index))

    def sentinel(self, mark: str, body: str) -> None:
        """A directive of a compiler, such as ``!$omp``, with the lines of the same kind that continue it."""
        first, word = self.index, "!" + mark[1:].lower()
        parts = [word]
        while True:
            code = strip_comment(body)[0].strip()
            self.index += 1
            more = code.endswith("&")
            parts.append(code.rstrip("&").strip())
            following = self.lines[self.index].strip() if self.index < len(self.lines) else ""
            found = _SENTINEL.match(following)
            if not found or found.group(1).lower() != mark[1:].lower():
                break
            body = following[found.end() :]
            if not self.continues(more, body):
                break
            body = body.lstrip()[1:] if body.lstrip()[:1] == "&" or not more else body
        self.emit(parts, first)

    def continues(self, more: bool, body: str) -> bool:
        """Whether a sentinel line goes on with the next one, of which ``body`` follows the sentinel."""
        return more


class _Free(_Reader):
    """Free form, with directives after ``@`` or ``!@``."""

    def run(self) -> list[Line]:
        """All lines that count."""
        while self.index < len(self.lines):
            stripped = self.lines[self.index].strip()
            if not stripped:
                self.index += 1
            elif stripped[0] == "#":
                self.preprocessor()
            elif stripped[0] == "!":
                self.comment(stripped)
            else:
                self.statement()
        return self.out

    def comment(self, stripped: str) -> None:
        """A comment is dropped, unless it is a directive."""
        found = _SENTINEL.match(stripped)
        if found:
            self.sentinel("!" + found.group(1), stripped[found.end() :])
        elif _COMMENTED.match(stripped):
            self.commented()
        else:
            self.index += 1

    def commented(self) -> None:
        """A directive of hfpy in comments; the names of ``@domainDependant`` follow in comments of their own."""
        first, more = self.index, True
        parts: list[str] = []
        while more and self.index < len(self.lines):
            body = self.lines[self.index].strip().lstrip("!").strip()
            body = body.lstrip("@&").lstrip() if parts else body
            more = body.endswith("&")
            parts.append(body.rstrip("&"))
            self.index += 1
        self.emit(parts, first)
        if not _NAMES_FOLLOW.match(self.out[-1].text):
            return
        while self.index < len(self.lines):
            stripped = self.lines[self.index].strip()
            if not stripped.startswith("!") or _COMMENTED.match(stripped):
                return
            self.index += 1
            self.emit([stripped[1:].lstrip("@ \t")], self.index - 1)

    def statement(self) -> None:
        """A statement or an ``@`` directive with its continuation lines."""
        first, quote = self.index, ""
        parts: list[str] = []
        body = self.lines[self.index].lstrip()
        literal = False
        while True:
            code, quote = strip_comment(body, quote) if quote or _marked(body) else (body, "")
            text = code.rstrip()
            self.index += 1
            more = text.endswith("&")
            self.add(parts, text[:-1] if more else code, literal)
            if not more or not self.next_code():
                break
            line = self.lines[self.index]
            stripped = line.lstrip()
            literal = bool(quote)
            body = stripped[1:] if stripped[:1] == "&" else (line if quote else stripped)
        self.emit(parts, first)

    @staticmethod
    def add(parts: list[str], piece: str, literal: bool) -> None:
        """Add a piece; inside of a literal it goes on without a gap."""
        if literal and parts:
            parts[-1] += piece
        else:
            parts.append(piece)

    def next_code(self) -> bool:
        """Go to the next line that can continue a statement; False at the end of the file."""
        while self.index < len(self.lines):
            stripped = self.lines[self.index].lstrip()
            if stripped and stripped[0] not in "!#":
                return True
            self.index += 1
        return False

    def emit(self, parts: Sequence[str], first: int) -> None:
        """Literals that go on across lines keep their blanks; all else is joined with one."""
        text = " ".join(part.strip() if n else part.rstrip() for n, part in enumerate(parts)).strip()
        if text:
            self.out.append(Line(squeezed(text), text, first + 1, self.index))


class _Fixed(_Reader):
    """Fixed form: comments by their first column, continuation by the sixth."""

    def run(self) -> list[Line]:
        """All lines that count."""
        while self.index < len(self.lines):
            line = self.lines[self.index]
            found = _SENTINEL.match(line)
            if line[:1] == "#":
                self.preprocessor()
            elif found:
                self.sentinel("!" + found.group(1), line[found.end() :])
            elif self.blank(line):
                self.index += 1
            else:
                self.statement()
        return self.out

    @staticmethod
    def blank(line: str) -> bool:
        """Whether a line is a comment or empty."""
        return not line.strip() or line[0] in _FIXED_COMMENT or line.lstrip()[0] == "!"

    def continues(self, more: bool, body: str) -> bool:
        """In fixed form the sixth column says it on the following line."""
        return body[:1] not in ("", " ", "0")

    def statement(self) -> None:
        """A statement with its label and its continuation lines."""
        first = self.index
        code, quote = strip_comment(without_margin(self.lines[self.index]))
        parts = [code]
        self.index += 1
        end = self.index
        while self.index < len(self.lines):
            raw = self.lines[self.index]
            if self.blank(raw) or raw[:1] == "#":
                self.index += 1
                continue
            raw = without_margin(raw)
            if not card(raw).continues:
                break
            code, quote = strip_comment(raw[card(raw).start :], quote)
            parts[0] += code
            self.index += 1
            end = self.index
        self.index = end  # comments between statements belong to none
        self.emit(parts, first)


def _marked(text: str) -> bool:
    return "!" in text or "'" in text or '"' in text
