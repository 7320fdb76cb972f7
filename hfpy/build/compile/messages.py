"""Messages of compilers led back from the generated files to the lines that the user wrote."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hfpy.diagnostics import printable
from hfpy.values import dataclass


@dataclass(frozen=True)
class Origin:
    """Where a generated file comes from: ``line_map`` gives each line's 1-based source line (0: hfpy's)."""

    generated: Path
    source: Path
    line_map: Sequence[int]

    def line(self, number: int) -> tuple[int, bool]:
        """The source line of a generated line, and whether it is exactly that (else it is the nearest before it)."""
        if 1 <= number <= len(self.line_map) and self.line_map[number - 1]:
            return self.line_map[number - 1], True
        for index in range(min(number, len(self.line_map)) - 1, -1, -1):
            if self.line_map[index]:
                return self.line_map[index], False
        return 1, False


def user_path(path: Path) -> str:
    """The path as a user in the current folder would write it."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return str(path)
    return relative if not relative.startswith(os.path.join("..", "..", "..")) else str(path)


def mapped(output: str, origins: Iterable[Origin]) -> str:
    """A tool's output with every ``file:line:column:``, ``file:line:`` and ``(file: line)`` led back to the source.

    Where the compiler shows a line that hfpy changed or made, a note below the message says which line of
    the generated file that is. Control characters are shown escaped.
    """
    mapper = _Mapper(tuple(origins))
    return printable(mapper.text(output) if mapper.by_name else output)


# GNU says the message on a line of its own below the excerpt, others on the line with the place.
_MESSAGE = re.compile(r"^\s*(?:Fatal )?(?:Error|Warning)\b|\b(?:error|warning|note|undefined reference)\b")
_EXCERPT = re.compile(r"^(\s*)(\d+)( \|)(.*)$")


class _Mapper:
    """Goes through the lines of one output; ``_shown`` and ``_notes`` belong to the message at hand."""

    def __init__(self, origins: Sequence[Origin]) -> None:
        self.by_name: dict[str, Origin] = {}
        exact: set[str] = set()
        for origin in origins:
            path = origin.generated
            self.by_name.setdefault(path.name, origin)
            exact |= {str(path.resolve()), str(path), f"{path.parent.name}/{path.name}"}
        spelled = "|".join(re.escape(text) for text in sorted(exact, key=len, reverse=True))
        bare = "|".join(re.escape(name) for name in sorted(self.by_name, key=len, reverse=True))
        self._place = re.compile(
            rf"(?<![\w./-])((?:[^\s:()'\"]*/)?(?:{spelled})|(?:\./)?(?:{bare}))(:\s?|\()(\d+)(?::(\d+))?(?!\d)"
        )
        self._shown: dict[int, Origin] = {}
        self._notes: dict[str, None] = {}
        self._texts: dict[Path, tuple[str, ...]] = {}

    def text(self, output: str) -> str:
        """The output, mapped."""
        lines: list[str] = []
        for line in output.splitlines():
            changed = self._place.sub(self._in_source, line)
            lines.append(_EXCERPT.sub(self._excerpt, changed))
            if _MESSAGE.search(line):
                lines += self._notes
                self._notes, self._shown = {}, {}
        return "\n".join([*lines, *self._notes])

    def _in_source(self, match: re.Match[str]) -> str:
        name, separator, number, column = match.groups()
        origin = self.by_name[name.rsplit("/", 1)[-1]]
        line, exact = origin.line(int(number))
        self._shown[int(number)] = origin
        if not exact or not self._is_unchanged(origin, int(number)):
            how = "comes from" if exact else "was made by hfpy, near"
            source = f"{user_path(origin.source)}:{line}"
            self._notes[f"  note: line {number} of {user_path(origin.generated)} {how} {source}"] = None
        return f"{user_path(origin.source)}{separator}{line}" + (f":{column}" if column else "")

    def _excerpt(self, match: re.Match[str]) -> str:
        """The line number before a line that the compiler shows, if it shows the user's own text."""
        blanks, number, bar, text = match.groups()
        origin = self._shown.get(int(number))
        if origin is None or not self._is_unchanged(origin, int(number)):
            return match.group()
        return f"{origin.line(int(number))[0]:>{len(blanks) + len(number)}}{bar}{text}"

    def _is_unchanged(self, origin: Origin, number: int) -> bool:
        """Whether a generated line is the user's own text."""
        line, exact = origin.line(number)
        generated, source = self._lines(origin.generated), self._lines(origin.source)
        return exact and number <= len(generated) and line <= len(source) and generated[number - 1] == source[line - 1]

    def _lines(self, path: Path) -> tuple[str, ...]:
        if path not in self._texts:
            try:
                self._texts[path] = tuple(path.read_text(encoding="utf-8", errors="replace").splitlines())
            except OSError:
                self._texts[path] = ()
        return self._texts[path]
