"""Messages of compilers led back from the generated files to the lines that the user wrote."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


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

    Below each message that changed stands a note with the line of the generated file, since the
    excerpt that the compiler shows is from there.
    """
    by_name: dict[str, Origin] = {}
    exact: list[str] = []
    for origin in origins:
        path = origin.generated
        by_name.setdefault(path.name, origin)
        exact += [str(path.resolve()), str(path), f"{path.parent.name}/{path.name}"]
    if not by_name:
        return output
    spelled = "|".join(re.escape(text) for text in sorted(set(exact), key=len, reverse=True))
    bare = "|".join(re.escape(name) for name in sorted(by_name, key=len, reverse=True))
    place = re.compile(
        rf"(?<![\w./-])((?:[^\s:()'\"]*/)?(?:{spelled})|(?:\./)?(?:{bare}))(:\s?|\()(\d+)(?::(\d+))?(?!\d)"
    )

    def origin_of(match: re.Match[str]) -> Origin:
        return by_name[match.group(1).rsplit("/", 1)[-1]]

    lines: list[str] = []
    notes: dict[str, None] = {}
    for line in output.splitlines():
        for match in place.finditer(line):
            notes |= dict.fromkeys(_notes(origin_of(match), int(match.group(3))))
        lines.append(place.sub(lambda match: _in_source(origin_of(match), match), line))
        if notes and _MESSAGE.search(line):
            lines += notes
            notes = {}
    return "\n".join([*lines, *notes])


# GNU says the message on a line of its own below the excerpt, others on the line with the place.
_MESSAGE = re.compile(r"^\s*(?:Fatal )?(?:Error|Warning)\b|\b(?:error|warning|note|undefined reference)\b")


def _in_source(origin: Origin, match: re.Match[str]) -> str:
    _, separator, number, column = match.groups()
    line, _ = origin.line(int(number))
    return f"{user_path(origin.source)}{separator}{line}" + (f":{column}" if column else "")


def _notes(origin: Origin, number: int) -> tuple[str, ...]:
    """What to say about a line of a generated file; nothing if the source itself was compiled."""
    if origin.source.resolve() == origin.generated.resolve():
        return ()
    line, exact = origin.line(number)
    how = "comes from" if exact else "was made by hfpy, near"
    return (f"  note: line {number} of {user_path(origin.generated)} {how} {user_path(origin.source)}:{line}",)
