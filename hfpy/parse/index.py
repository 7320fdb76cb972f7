"""The index of a file: program units, uses, calls, schemes, found without parsing anything in full.

Enough to lay out the call graph of a whole code base at lexer speed (design contract 1); only
what directives reach is parsed further (:mod:`hfpy.parse.routines`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field, replace

from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.directives import IfDirective
from hfpy.model.source import LogicalLine
from hfpy.model.units import UnitIndex, Use
from hfpy.parse.directives.directives import DISTRIBUTED, Directive, if_of, parse_directive, scheme_of
from hfpy.parse.text.lexer import includes
from hfpy.parse.text.tokens import split_top
from hfpy.values import dataclass, fixed

_HEAD = re.compile(
    r"(?P<sub>(?:(?:recursive|pure|elemental|impure|module|non_recursive|attributes\s*\([^)]*\))\s+)*subroutine)\s+(?P<sname>[a-z_]\w*)"
    r"|(?P<mod>module)\s+(?P<mname>[a-z_]\w*)\s*$"
    r"|(?P<prog>program)\s+(?P<pname>[a-z_]\w*)\s*$"
    r"|(?P<submod>submodule)\s*\((?P<parent>[^)]*)\)\s*(?P<smname>[a-z_]\w*)"
    r"|(?P<mproc>module\s+procedure)\s+(?P<mpname>[a-z_]\w*)\s*$"
    r"|(?P<bd>block\s*data)\b\s*(?P<bdname>[a-z_]\w*)?\s*$",
    re.IGNORECASE,
)
# The prefix of a function has a type with a kind, a length or a name in parentheses (Fortran 2018, R1530, R703).
FUNCTION = re.compile(
    r"(?P<prefix>(?:(?:recursive|pure|elemental|impure|module|non_recursive|attributes\s*\([^)]*\)"
    r"|(?:integer|real|double\s*precision|double\s*complex|complex|character|logical|byte|type|class)"
    r"(?:\s*\*\s*(?:\d+|\([^()]*\)))?(?:\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?)\s*)*)"
    r"(?<![\w%])function\s+(?P<name>[a-z_]\w*)\s*\("
)
_END = re.compile(
    r"end\s*(?:(subroutine|function|module|program|submodule|procedure|block\s*data)\b\s*([a-z_]\w*)?)?\s*$",
    re.IGNORECASE,
)
_INTERFACE = re.compile(r"(abstract\s+)?interface\b(?!\s*[=(%])", re.IGNORECASE)
_END_INTERFACE = re.compile(r"end\s*interface\b", re.IGNORECASE)
_USE = re.compile(r"use\b\s*(?:,\s*(non_intrinsic|intrinsic)\s*)?(?:::)?\s*([a-z_]\w*)\s*(,.*)?$", re.IGNORECASE)
_ONLY = re.compile(r",\s*only\s*:", re.IGNORECASE)
_CALL = re.compile(r"\bcall\s+([a-z_]\w*(?:\s*(?:\([^()]*\))?\s*%\s*[a-z_]\w*)*)", re.IGNORECASE)
_REFERENCE = re.compile(r"([a-z_]\w*)\s*\(", re.IGNORECASE)
_CONTAINS = re.compile(r"contains\s*$", re.IGNORECASE)
_TYPE_BEGIN = re.compile(
    r"type(?:\s*(?:,\s*[a-z(][^:]*)?::|\s)\s*(?!is\s*\()[a-z_]\w*\s*(?:\([\w\s,]*\)\s*)?$", re.IGNORECASE
)
_END_TYPE = re.compile(r"end\s*type\b", re.IGNORECASE)
_HEAD_WORDS = (
    "subroutine",
    "function",
    "module",
    "program",
    "submodule",
    "block",
    "end",
    "contains",
    "interface",
    "use",
)

Holds = Callable[[IfDirective, str], bool]


@dataclass
class _Open:
    """A unit whose end has not come yet."""

    kind: str
    name: str
    first: int
    parent: int | None
    number: int
    scheme: str
    dummies: tuple[str, ...] = ()
    result: str = ""
    prefix: tuple[str, ...] = ()
    contains: int = -1
    calls: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    regions: int = 0
    directives: bool = False
    distributed: bool = False
    children: list[int] = field(default_factory=list)


def parse_use(line: LogicalLine) -> Use | None:
    """The ``use`` statement on a line, or None."""
    found = _USE.match(line.text)
    if not found:
        return None
    tail = (found.group(3) or "").strip()
    nature = (found.group(1) or "").lower() == "intrinsic"
    module = found.group(2).lower()
    only = _ONLY.match(tail)
    text = tail[only.end() :] if only else tail[1:]
    pairs: list[tuple[str, str]] = []
    for a, b in split_top(text, ","):
        item = text[a:b].strip().lower()
        if not item:
            continue
        local, arrow, remote = item.partition("=>")
        pairs.append((local.strip(), remote.strip() if arrow else local.strip()))
    if only:
        return Use(module, tuple(pairs), (), line, nature, found.start(3) + only.end())
    return Use(module, None, tuple(pairs), line, nature)


def _dummies(text: str, start: int) -> tuple[str, ...]:
    opening = text.find("(", start)
    if opening < 0:
        return ()
    closing = text.find(")", opening)
    return tuple(a.strip().lower() for a in text[opening + 1 : closing].split(",") if a.strip())


class _Indexer:
    """Walks the logical lines of one file and keeps the stack of open units."""

    def __init__(self, path: str, lines: list[LogicalLine], holds: Holds) -> None:
        self.path = path
        self.holds = holds
        self.conditions: list[tuple[LogicalLine, LogicalLine, bool]] = []
        self.skip_to = -1
        self.type_open = False
        self.lines = lines
        self.stack: list[_Open] = []
        self.done: dict[int, UnitIndex] = {}
        self.count = 0
        self.interface = 0
        self.found: list[Diagnostic] = []
        self.scheme = ""
        self.scheme_line: LogicalLine | None = None

    def run(self) -> tuple[tuple[UnitIndex, ...], list[Diagnostic]]:
        for number, line in enumerate(self.lines):
            if number <= self.skip_to:
                continue
            if line.directive:
                self._directive(number, line)
                continue
            lowered = line.text.lower()
            if self._in_type(number, lowered):
                continue
            if any(word in lowered for word in _HEAD_WORDS) and self._structure(number, line, lowered):
                continue
            self._code(number, line)
        if self.scheme_line is not None:
            self.found.append(error("HF204", "@scheme is not closed", self.scheme_line.place(self.path), "@end scheme"))
        self._close_open()
        return tuple(self.done[n] for n in range(self.count)), self.found

    def _in_type(self, number: int, lowered: str) -> bool:
        """Whether a line belongs to the definition of a derived type, whose ``contains`` is not its module's."""
        if self.type_open:
            self.type_open = not _END_TYPE.match(lowered)
            return True
        if lowered.startswith("type") and not self.interface and _TYPE_BEGIN.match(lowered):
            self._current(number)
            self.type_open = True
        return self.type_open

    def _directive(self, number: int, line: LogicalLine) -> None:
        if self.stack:
            self.stack[-1].directives = True
        directive, problems = parse_directive(line, self.path)
        outside = self._between_routines()
        if directive is None:
            self.found += problems if outside else []
            return
        if outside and directive.keyword not in ("scheme", "if"):
            where = "between routines" if self.stack else "outside of program units"
            hint = "put it into the routine or module that it is for"
            self.found.append(error("HF207", f"this directive is {where}", line.place(self.path), hint))
            return
        if directive.keyword == "if" and not directive.end and outside:
            self._condition(number, line, directive)
            return
        for_many = any(directive.get(name) is not None for name in ("halo", "decomposed", "halowidth"))
        if (directive.keyword in DISTRIBUTED or for_many) and self.stack:
            self.stack[-1].distributed = True
        if directive.keyword == "parallelregion" and not directive.end and self.stack:
            self.stack[-1].regions += 1
        if directive.keyword != "scheme":
            return
        if self.stack and self.stack[-1].kind in ("subroutine", "function"):
            self.found.append(
                error("HF207", "@scheme inside a routine", line.place(self.path), "put it around routines")
            )
        elif directive.end:
            if self.scheme_line is None:
                self.found.append(error("HF205", "@end scheme without @scheme", line.place(self.path)))
            self.scheme, self.scheme_line = "", None
        else:
            self.scheme, problems = scheme_of(directive, line, self.path)
            self.scheme_line = line
            self.found += problems

    def _between_routines(self) -> bool:
        return not self.stack or (self.stack[-1].kind in ("module", "submodule") and self.stack[-1].contains >= 0)

    def _condition(self, number: int, line: LogicalLine, directive: Directive) -> None:
        """An ``@if`` around whole routines: what does not hold is not even read (§3.5)."""
        condition, problems = if_of(directive, line, self.path)
        self.found += problems
        end = next((n for n in range(number + 1, len(self.lines)) if _ends_if(self.lines[n])), None)
        if end is None:
            self.found.append(error("HF204", "@if is not closed", line.place(self.path), "@end if"))
            return
        if condition is None:
            return
        if condition.kind != "architecture":
            hint = "outside a routine only architecture(…) has a meaning"
            self.found.append(error("HF207", "@if{parallelRegion(…)} outside a routine", line.place(self.path), hint))
            return
        holds = self.holds(condition, self.scheme)
        self.conditions.append((line, self.lines[end], holds))
        if not holds:
            self.skip_to = end

    def _structure(self, number: int, line: LogicalLine, lowered: str) -> bool:
        """Unit begins and ends, interfaces, uses; True if the line was one of these."""
        if self.interface:
            if _END_INTERFACE.match(lowered):
                self.interface -= 1
            elif _INTERFACE.match(lowered):
                self.interface += 1
            return True
        if lowered.startswith("end"):
            return self._end(number, line, lowered)
        if _CONTAINS.match(lowered):
            unit = self._current(number)
            unit.contains = number if unit.contains < 0 else unit.contains
            return True
        if _INTERFACE.match(lowered) and "=" not in lowered.split("(")[0]:
            self._current(number)
            self.interface += 1
            return True
        if lowered.startswith("use"):
            use = parse_use(line)
            if use is not None:
                self._current(number).uses.append(use)
                return True
        return self._header(number, line, lowered)

    def _header(self, number: int, line: LogicalLine, lowered: str) -> bool:
        found = _HEAD.match(lowered)
        if found:
            for group, name in (
                ("sub", "sname"),
                ("mod", "mname"),
                ("prog", "pname"),
                ("submod", "smname"),
                ("mproc", "mpname"),
                ("bd", "bdname"),
            ):
                if found.group(group):
                    self._open(group, found.group(name) or "", number, line, found)
                    return True
        function = FUNCTION.match(lowered)
        if function:
            name = function.group("name")
            result = re.search(r"result\s*\(\s*(\w+)\s*\)", lowered)
            unit = self._push("function", name, number)
            unit.dummies = _dummies(lowered, function.end() - 1)
            unit.result = result.group(1) if result else name
            unit.prefix = tuple(function.group("prefix").split())
            return True
        return False

    def _open(self, group: str, name: str, number: int, line: LogicalLine, found: re.Match[str]) -> None:
        kinds = {"sub": "subroutine", "mod": "module", "prog": "program", "submod": "submodule"}
        kind = kinds.get(group, "blockdata" if group == "bd" else "procedure")
        unit = self._push(kind, name, number)
        if group == "sub":
            unit.dummies = _dummies(line.text, found.end())
            unit.prefix = tuple(found.group("sub").lower().split()[:-1])
        if group == "submod":
            parent = found.group("parent").split(":")[-1].strip().lower()
            unit.uses.append(Use(parent, None, (), line))

    def _push(self, kind: str, name: str, number: int) -> _Open:
        parent = self.stack[-1] if self.stack else None
        if parent is not None and parent.kind == "program" and not parent.name and parent.contains < 0:
            parent = None
        unit = _Open(kind, name.lower(), number, parent.number if parent else None, self.count, self.scheme)
        if parent is not None:
            parent.children.append(self.count)
        self.count += 1
        self.stack.append(unit)
        return unit

    def _current(self, number: int) -> _Open:
        """The innermost open unit; an unnamed main program is opened where code is outside all units."""
        return self.stack[-1] if self.stack else self._push("program", "", number)

    def _end(self, number: int, line: LogicalLine, lowered: str) -> bool:
        found = _END.match(lowered)
        if not found:
            return False
        word = (found.group(1) or "").replace(" ", "")
        if not self.stack:
            self.found.append(error("HF109", f"'{line.text}' ends nothing", line.place(self.path)))
            return True
        self._close_inner(number, line, word, (found.group(2) or "").lower())
        unit = self.stack[-1]
        if word and word != unit.kind and not (word == "procedure" and unit.kind == "procedure"):
            message = f"'{line.text}' where {unit.kind} '{unit.name}' is open"
            related = [Related(self.lines[unit.first].place(self.path), f"the {unit.kind} is opened here")]
            self.found.append(error("HF109", message, line.place(self.path), "", related))
            return True
        self._finish(self.stack.pop(), number)
        return True

    def _close_inner(self, number: int, line: LogicalLine, word: str, name: str) -> None:
        """Close units that are open within the one that a line ends, and say that nothing ends them."""
        if not name or (word, name) == (self.stack[-1].kind, self.stack[-1].name):
            return
        if not any((unit.kind, unit.name) == (word, name) for unit in self.stack[:-1]):
            return
        while (self.stack[-1].kind, self.stack[-1].name) != (word, name):
            unit = self.stack.pop()
            opened = self.lines[unit.first].place(self.path)
            related = [Related(line.place(self.path), f"the {word} around it ends here")]
            self.found.append(error("HF109", f"{unit.kind} '{unit.name}' is not closed", opened, "", related))
            self._finish(unit, number - 1)

    def _finish(self, unit: _Open, last: int) -> None:
        text = "\n".join(unit.texts).lower()
        calls = {re.sub(r"\([^()]*\)|\s", "", c) for c in _CALL.findall(text)} if "call" in text else set()
        self.done[unit.number] = UnitIndex(
            kind=unit.kind,
            name=unit.name,
            first=unit.first,
            last=last,
            parent=unit.parent,
            dummies=unit.dummies,
            result=unit.result,
            prefix=unit.prefix,
            contains=unit.contains,
            scheme=unit.scheme,
            calls=fixed(calls),
            references=frozenset(_REFERENCE.findall(text)),
            uses=tuple(unit.uses),
            regions=unit.regions,
            directives=unit.directives,
            distributed=unit.distributed,
            children=tuple(unit.children),
        )

    def _code(self, number: int, line: LogicalLine) -> None:
        if not self.stack and includes(line.text):
            return  # a file of macros included before the first unit
        self._current(number).texts.append(line.text)

    def _close_open(self) -> None:
        last = len(self.lines) - 1
        while self.stack:
            unit = self.stack.pop()
            line = self.lines[unit.first]
            shown = f"{unit.kind} '{unit.name}'" if unit.name else "the main program"
            self.found.append(error("HF109", f"{shown} is not closed", line.place(self.path)))
            self._finish(unit, last)


def interface_body(line: LogicalLine) -> UnitIndex | None:
    """The subroutine or function that a line begins, as a unit of this line alone; None for other lines."""
    indexer = _Indexer("", [line], lambda _condition, _scheme: True)
    if not indexer._header(0, line, line.text.lower()) or indexer.stack[0].kind not in ("subroutine", "function"):
        return None
    indexer._finish(indexer.stack[0], 0)
    return replace(indexer.done[0], declared=(line,))


def _ends_if(line: LogicalLine) -> bool:
    return line.directive and line.text.lower().replace(" ", "") == "@endif"


@dataclass(frozen=True)
class Units:
    """Program units of a file in the order in which they begin, ``@if`` blocks around them, and what was wrong."""

    units: tuple[UnitIndex, ...]
    conditions: tuple[tuple[LogicalLine, LogicalLine, bool], ...]
    diagnostics: tuple[Diagnostic, ...]


def index_units(path: str, lines: list[LogicalLine], holds: Holds = lambda _condition, _scheme: True) -> Units:
    """The units of a file; ``holds`` decides about an ``@if`` in a scheme."""
    indexer = _Indexer(path, lines, holds)
    units, found = indexer.run()
    return Units(units, tuple(indexer.conditions), tuple(found))
