"""Programs as lines that remember where they stood, and their tokens: what the changes of programs work on.

The reading of Fortran done here is deliberately simple and independent of hfpy. A change that moves or adds lines gives
each the place of the line that it was made of, so that diagnostics are compared by the statement that they blame.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

Program = Mapping[str, "tuple[Line, ...]"]
_LITERAL = r"""(?P<string>'(?:[^']|'')*'|"(?:[^"]|"")*")"""
_TOKEN = re.compile(
    _LITERAL
    + r"""|(?P<open>['"].*)
      |(?P<number>(?:\d+\.?\d*[EeDd][+-]?\d+|\.\d+(?:[EeDd][+-]?\d+)?|\d+\.(?![A-Za-z]+\.)\d*|\d+))
      |(?P<name>[A-Za-z]\w*)
      |(?P<dots>\.[A-Za-z]+\.)
      |(?P<op>\*\*|//|/=|==|<=|>=|=>|::|\(/(?!=)|/\)|\S)
      |(?P<space>\s+)""",
    re.VERBOSE,
)
_DIRECTIVE = re.compile(r"\s*!?\s*@")
_REFUSED = (".h", ".inc", ".f", ".F")  # what changes leave alone: included text and fixed form


@dataclass(frozen=True)
class Line:
    """One line, and the file and number (from 1) of the line that it was in the user's program."""

    text: str
    home: tuple[str, int]
    fixed: bool = False  # for the preprocessor, or a line that goes on from such a one

    @property
    def parts(self) -> tuple[str, str, str]:
        """The begin with blanks and the sign of a directive, the code, the comment with the blanks before it."""
        return (self.text, "", "") if self.fixed else parts(self.text)

    @property
    def directive(self) -> bool:
        """Whether the line holds a directive."""
        return not self.fixed and bool(_DIRECTIVE.match(self.text))

    @property
    def code(self) -> bool:
        """Whether the line holds (a piece of) a statement that is no directive."""
        return bool(self.parts[1]) and not self.directive


@dataclass(frozen=True)
class Token:
    """``kind``: string, open (a literal that goes on in the next line), number, name, dots, op, space."""

    kind: str
    text: str

    @property
    def word(self) -> str:
        """The text in lower case."""
        return self.text.lower()


def program(files: Mapping[str, str]) -> Program:
    """Files as lines."""
    return {name: tuple(_lines(name, content)) for name, content in files.items()}


def _lines(name: str, content: str) -> Iterator[Line]:
    fixed = False
    for number, text in enumerate(content.split("\n"), 1):
        fixed = text.lstrip().startswith("#") or fixed
        yield Line(text, (name, number), fixed)
        fixed = fixed and text.endswith("\\")


def texts(lines: Program) -> dict[str, str]:
    """The files again."""
    return {name: "\n".join(line.text for line in content) for name, content in lines.items()}


def changeable(name: str) -> bool:
    """Whether changes go into a file."""
    return not name.endswith(_REFUSED) and ".opaque." not in name


def tokens(code: str) -> list[Token]:
    """The tokens of a piece of one line, blanks included."""
    return [Token(found.lastgroup or "op", found.group()) for found in _TOKEN.finditer(code)]


def words(code: str) -> list[str]:
    """The tokens in lower case, without blanks."""
    return [token.word for token in tokens(code) if token.kind != "space"]


def parts(text: str) -> tuple[str, str, str]:
    """The beginning of a line (blanks, the sign of a directive), its code, and its comment with the blanks before."""
    stripped = text.lstrip()
    if not stripped or stripped[0] == "#":
        return text, "", ""
    head = text[: len(text) - len(stripped)]
    if stripped[0] == "!":
        if not _DIRECTIVE.match(text):
            return "", "", text
        at = text.index("@")
        return text[:at], text[at:], ""
    quote = ""
    for place, char in enumerate(stripped):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "!":
            code = stripped[:place].rstrip()
            return head, code, stripped[len(code) :]
    code = stripped.rstrip()
    return head, code, stripped[len(code) :]


def each_code(lines: Program, change: Callable[[str], str]) -> Program:
    """The program with the code of each line changed, directives included; comments and other lines stay."""
    return {
        name: tuple(_all_changed(content, change)) if changeable(name) else content for name, content in lines.items()
    }


def _all_changed(content: tuple[Line, ...], change: Callable[[str], str]) -> Iterator[Line]:
    """The lines with their code changed, but for those that begin within a text."""
    within = False
    for line in content:
        yield line if within else _changed(line, change)
        code = line.parts[1]
        if code:
            opened = any(token.kind == "open" for token in tokens(code))
            within = opened if not within else code.endswith("&") and "'" not in code and '"' not in code


def _changed(line: Line, change: Callable[[str], str]) -> Line:
    head, code, comment = line.parts
    return replace(line, text=head + change(code) + comment) if code else line


def each_token(lines: Program, change: Callable[[Token], str]) -> Program:
    """The program with its tokens changed, those of directives, too."""
    return each_code(lines, lambda code: "".join(change(token) for token in tokens(code)))


def alone(content: tuple[Line, ...], at: int) -> bool:
    """Whether a line holds exactly one whole statement: nothing is continued, joined or labelled there."""
    code = content[at].parts[1]
    if not code or content[at].directive or code[0] in "&0123456789" or code.endswith("&"):
        return False
    if any(token.text == ";" or token.kind == "open" for token in tokens(code)):
        return False
    return not (_before(content, at) or "").endswith("&")


def _before(content: tuple[Line, ...], at: int) -> str | None:
    """The code that is before a line, past comments and blank lines."""
    for line in reversed(content[:at]):
        code = line.parts[1]
        if code:
            return code
    return None


def names(lines: Program) -> Iterator[str]:
    """All names of the program in lower case, also of files and lines that are not changed."""
    for content in lines.values():
        for line in content:
            yield from re.findall(r"[a-z]\w*", line.text.lower())


def fixed_names(lines: Program) -> set[str]:
    """Names that are where no change goes: preprocessor lines, directives of others, included and fixed files."""
    found: set[str] = set()
    for name, content in lines.items():
        for line in content:
            stripped = line.text.lstrip()
            if not changeable(name) or line.fixed or stripped[:2] == "!$":
                found.update(re.findall(r"[a-z]\w*", line.text.lower()))
    return found
