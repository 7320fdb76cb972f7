"""Files of settings in the language of make, read without running anything: assignments, conditionals, includes.

Of make's functions those are known that only rearrange words. What needs more (``$(shell …)``, ``!=``, ``define``) is
not followed; that is reported, and the value is empty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from hfpy.diagnostics import Place
from hfpy.values import dataclass

_ASSIGNMENT = re.compile(
    r"\s*((?:(?:export|override|private)\s+)*)([^\s:#=+?!]+)\s*(::?:?=|\+=|\?=|!=|=)\s*(.*)", re.DOTALL
)
_CONDITION = re.compile(r"\s*(else\s+)?(ifdef|ifndef|ifeq|ifneq)\b\s*(.*)", re.DOTALL)
_INCLUDE = re.compile(r"\s*([-s]?)include\s+(.*)", re.DOTALL)
_RULE = re.compile(r"[^\s#=][^#=]*:(?!=)")
_MOST_TEXT = 1_000_000
_DEEPEST = 50


class NotFollowed(Exception):
    """Something that only make could tell."""


@dataclass(frozen=True)
class Read:
    """Values by name as make would have them, and what was not followed: the place, the name set there, and why."""

    values: Mapping[str, str]
    unknown: tuple[tuple[Place, str, str], ...]


@dataclass
class _Variable:
    text: str
    later: bool  # whether the text is expanded when the variable is used
    place: Place
    name: str


@dataclass
class _Reader:
    folder: Path
    given: Mapping[str, str]  # on make's command line: nothing goes over these
    environment: Mapping[str, str]
    variables: dict[str, _Variable] = field(default_factory=dict)
    unknown: list[tuple[Place, str, str]] = field(default_factory=list)
    spent: int = 0
    depth: int = 0

    def file(self, path: Path, depth: int = 0) -> None:
        """Read one file."""
        branches: list[tuple[bool, bool]] = []  # whether this branch is taken, whether one was
        in_rule = in_definition = False
        for number, line in _lines(path.read_text(encoding="utf-8", errors="replace")):
            place = Place(str(path), number, 1, max(len(line.split("\n")[0]), 1))
            word = (line.split() or [""])[0]
            if in_definition:
                in_definition = word != "endef"
                continue
            if self._condition(line, branches, place):
                continue
            if not all(taken for taken, _ in branches) or (in_rule and line.startswith("\t")):
                continue
            if word == "define":
                self.unknown.append((place, "", "'define' is not followed"))
                in_definition = True
                continue
            in_rule = False
            if (included := _INCLUDE.match(line)) is not None:
                self._include(included[2], bool(included[1]), place, depth)
            elif (found := _ASSIGNMENT.match(line)) is not None:
                self._assign(found[2], found[3], found[4], place)
            elif _RULE.match(line):
                in_rule = True

    def _condition(self, line: str, branches: list[tuple[bool, bool]], place: Place) -> bool:
        words = line.split()
        if words == ["endif"]:
            if branches:
                branches.pop()
            return True
        if words == ["else"]:
            if branches:
                branches[-1] = not branches[-1][1], True
            return True
        found = _CONDITION.match(line)
        if found is None:
            return False
        before = False
        if found[1] and branches:
            before = branches.pop()[1]
        outside = all(taken for taken, _ in branches)
        holds = outside and not before and self._holds(found[2], found[3].strip(), place)
        branches.append((holds, before or holds))
        return True

    def _holds(self, word: str, rest: str, place: Place) -> bool:
        try:
            if word in ("ifdef", "ifndef"):
                name = self.expand(rest).strip()
                return bool(self._raw(name)) == (word == "ifdef")
            if rest.startswith("(") and rest.endswith(")"):
                parts = _arguments(rest[1:-1])
            else:
                parts = re.findall(r"\"[^\"]*\"|'[^']*'", rest)
                parts = [p[1:-1] for p in parts]
            if len(parts) != 2:
                raise NotFollowed("it cannot be read")
            one, other = (self.expand(p).strip() for p in parts)
            return (one == other) == (word == "ifeq")
        except NotFollowed as reason:
            self.unknown.append((place, "", f"this condition counts as false: {reason}"))
            return False

    def _include(self, names: str, optional: bool, place: Place, depth: int) -> None:
        try:
            wanted = self.expand(names).split()
        except NotFollowed as reason:
            self.unknown.append((place, "", str(reason)))
            return
        for name in wanted:
            path = self.folder / name
            if depth >= _DEEPEST or not path.is_file():
                if not optional:
                    self.unknown.append((place, "", f"'{name}' is not there, or includes itself"))
                continue
            self.file(path, depth + 1)

    def _assign(self, name: str, sign: str, text: str, place: Place) -> None:
        try:
            name = self.expand(name).strip()
            if name in self.given or (sign == "?=" and (name in self.variables or name in self.environment)):
                return
            if sign == "!=":
                raise NotFollowed("'!=' runs a command")
            known = self.variables.get(name)
            if sign == "+=" and known is not None:
                added = text if known.later else self.expand(text)
                self.variables[name] = _Variable(f"{known.text} {added}".strip(), known.later, place, name)
            elif sign in (":=", "::=", ":::="):
                self.variables[name] = _Variable(self.expand(text), False, place, name)
            else:
                self.variables[name] = _Variable(text, True, place, name)
        except NotFollowed as reason:
            self.unknown.append((place, name, str(reason)))
            self.variables[name] = _Variable("", False, place, name)

    # -- values

    def _raw(self, name: str) -> str:
        if name in self.given:
            return self.given[name]
        if name in self.variables:
            return self.variables[name].text
        return self.environment.get(name, "")

    def value(self, name: str, within: tuple[str, ...] = ()) -> str:
        """The value of a variable. Raises NotFollowed."""
        if name in within:
            raise NotFollowed(f"'{name}' is defined by itself")
        variable = self.variables.get(name)
        if name in self.given or variable is None or not variable.later:
            return self._raw(name)
        return self.expand(variable.text, (*within, name))

    def expand(self, text: str, within: tuple[str, ...] = ()) -> str:
        """A text with the values of what it names. Raises NotFollowed."""
        parts: list[str] = []
        at = 0
        while (dollar := text.find("$", at)) >= 0:
            parts.append(text[at:dollar])
            opening = text[dollar + 1 : dollar + 2]
            if opening in ("(", "{"):
                closing = _closing(text, dollar + 1)
                if closing < 0 or self.depth > _DEEPEST:
                    raise NotFollowed("its parentheses do not match" if closing < 0 else "it is nested too deeply")
                self.depth += 1
                try:
                    parts.append(self._reference(text[dollar + 2 : closing], within))
                finally:
                    self.depth -= 1
                at = closing + 1
            else:
                parts.append("$" if opening == "$" else self.value(opening, within) if opening else "")
                at = dollar + 2
            self.spent += len(parts[-1]) + 1
            if self.spent > _MOST_TEXT:
                raise NotFollowed("the values are too long")
        return "".join([*parts, text[at:]])

    def _reference(self, inner: str, within: tuple[str, ...]) -> str:
        function, blank, rest = inner.partition(" ")
        if blank and function.strip() in _FUNCTIONS:
            return _FUNCTIONS[function.strip()]([self.expand(a, within) for a in _arguments(rest.lstrip())])
        if blank or "\t" in inner:
            raise NotFollowed(f"'$({inner.split()[0] if inner.split() else ''} …)' is not followed")
        name, colon, change = self.expand(inner, within).partition(":")
        value = self.value(name, within)
        if not colon:
            return value
        old, sign, new = change.partition("=")
        if not sign or "%" in change:
            raise NotFollowed(f"'$({inner})' is not followed")
        return " ".join(w[: len(w) - len(old)] + new if w.endswith(old) else w for w in value.split())


def _filtered(arguments: Sequence[str], wanted: bool) -> str:
    patterns = [re.compile(".*".join(map(re.escape, p.split("%", 1)))) for p in arguments[0].split()]
    return " ".join(w for w in arguments[-1].split() if any(p.fullmatch(w) for p in patterns) == wanted)


_FUNCTIONS: dict[str, Callable[[list[str]], str]] = {
    "strip": lambda a: " ".join(a[0].split()),
    "subst": lambda a: a[2].replace(a[0], a[1]) if len(a) == 3 and a[0] else a[-1],
    "filter": lambda a: _filtered(a, True),
    "filter-out": lambda a: _filtered(a, False),
    "addprefix": lambda a: " ".join(a[0] + w for w in a[-1].split()),
    "addsuffix": lambda a: " ".join(w + a[0] for w in a[-1].split()),
    "firstword": lambda a: (a[0].split() or [""])[0],
    "lastword": lambda a: (a[0].split() or [""])[-1],
    "sort": lambda a: " ".join(sorted(set(a[0].split()))),
}


def _closing(text: str, opening: int) -> int:
    """Where the parenthesis or brace that begins there ends, or -1."""
    pair = {"(": ")", "{": "}"}[text[opening]]
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == text[opening]) - (text[at] == pair)
        if not depth:
            return at
    return -1


def _arguments(text: str) -> list[str]:
    """A text cut at the commas outside of parentheses and braces."""
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "({") - (char in ")}")
        if char == "," and not depth:
            parts.append(text[begin:at])
            begin = at + 1
    return [*parts, text[begin:]]


def _lines(text: str) -> list[tuple[int, str]]:
    """Lines with their numbers: those that a backslash continues are joined, comments are gone."""
    found = []
    rows = text.splitlines()
    at = 0
    while at < len(rows):
        number, line = at + 1, rows[at]
        while line.endswith("\\") and at + 1 < len(rows):
            at += 1
            line = line[:-1].rstrip() + " " + rows[at].lstrip()
        at += 1
        line = re.sub(r"(?<!\\)#.*", "", line).replace("\\#", "#")
        if line.strip():
            found.append((number, line))
    return found


def read_assignments(
    folder: Path, files: Sequence[Path], given: Mapping[str, str], environment: Mapping[str, str]
) -> Read:
    """The values that some files give to variables, read one after the other as make run in ``folder`` would.

    ``given`` are the variables of make's command line.
    """
    reader = _Reader(folder, given, environment)
    for path in files:
        reader.file(path)
    values = {}
    for name, variable in reader.variables.items():
        try:
            values[name] = reader.value(name)
        except NotFollowed as reason:
            reader.unknown.append((variable.place, name, str(reason)))
            values[name] = ""
    return Read(values, tuple(reader.unknown))
