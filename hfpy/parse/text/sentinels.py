"""Directives of OpenMP and OpenACC that users wrote, as values (OpenMP 5.2 §3.1, OpenACC 3.3 §2.1).

In free form they begin with ``!$omp`` or ``!$acc`` anywhere in a line, in fixed form with ``!``, ``c`` or ``*`` in the
first column. A line that ends with ``&``, or in fixed form one with a mark in column 6, goes on in the next. ``!$`` and
a blank is conditional compilation: code for compilers that heed OpenMP.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from hfpy.model.source import LogicalLine
from hfpy.parse.text.lexer import mask_strings, strip_comment
from hfpy.parse.text.tokens import find_top, matching, split_top, tokenise
from hfpy.values import dataclass

_FREE = re.compile(r"\s*!\$(omp|acc)\b(&?)", re.IGNORECASE)
_FREE_CODE = re.compile(r"\s*!\$\s")
_FIXED = re.compile(r"[!cC*]\$(omp|acc)(.)", re.IGNORECASE)
_FIXED_CODE = re.compile(r"[!cC*]\$[\s\d]{3}")
_KNOWN = (
    "atomic barrier cache critical data declare depobj distribute do end enter exit flush host_data init kernels loop "
    "masked master ordered parallel routine scan scope section sections serial set shutdown simd single target task "
    "taskgroup taskloop taskwait taskyield teams threadprivate update wait workshare"
).split()
_NEVER_LATER = frozenset(
    "barrier cache flush init ordered routine set shutdown threadprivate wait".split()
)  # are clauses
_JOINED = re.compile(f"(?:{'|'.join(sorted(_KNOWN, key=len, reverse=True))})+")
_PART = re.compile("|".join(sorted(_KNOWN, key=len, reverse=True)))
_PARALLEL = re.compile(r"(?:!|^[c*])\$(?:omp|acc)\b|\bdo\s*,?\s*concurrent\b", re.IGNORECASE)
_COUNT = re.compile(r"\bomp_get_num_threads\s*\(")
_IS_FIRST = r"\s*\(\s*\)\s*(?:[=/]=|>|\.(?:eq|ne|gt)\.)\s*0\b"
#: The function of OpenMP that gives a thread's number, by that name alone.
NUMBER = frozenset({"omp_get_thread_num"})
_RENAMES = re.compile(r"\b([a-z]\w*)\s*=>[\s&!$]*([a-z]\w*)", re.IGNORECASE)
_LOOPS = frozenset({"do", "loop", "simd", "taskloop", "distribute"})
_BLOCKS = frozenset(
    "critical data host_data kernels masked master parallel scope sections serial single target task taskgroup teams "
    "workshare".split()
)
_ADDRESSES = frozenset({"use_device", "use_device_ptr", "use_device_addr"})
_ALONE = frozenset({"update", "enter", "exit", "declare", "cancel"})
_WAITS = frozenset({"barrier", "taskwait", "taskyield", "flush", "cancel", "cancellation", "wait"})
_BY_ONE = frozenset({"single", "master", "masked"})
_DECLARING = (("threadprivate",), ("requires",), ("routine",))


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its name in lower case, and what is between its parentheses (None without any)."""

    name: str
    text: str | None = None

    @property
    def entries(self) -> tuple[str, ...]:
        """What it lists, in lower case: the parts between commas, after the colon of ``reduction(op:…)``."""
        text = (self.text or "").lower()
        begin = self._colon + 1
        return tuple(text[a:b].strip() for a, b in split_top(mask_strings(text), ",", begin))

    @property
    def operator(self) -> str:
        """What is before the colon of ``reduction(op:…)``, in lower case."""
        return (self.text or "")[: max(self._colon, 0)].strip().lower()

    @property
    def _colon(self) -> int:
        return find_top(mask_strings(self.text or ""), (":",)) if self.name in ("reduction", "reduce") else -1


@dataclass(frozen=True, slots=True)
class OwnDirective:
    """A directive of the user's. ``sentinel`` is ``omp`` or ``acc``, empty for conditional compilation, which has no
    words; ``words`` are those of its name, ``end`` among them; ``first`` and ``last`` are its lines, counted from 0.
    """

    sentinel: str
    words: tuple[str, ...]
    clauses: tuple[Clause, ...]
    first: int
    last: int

    @property
    def ends(self) -> bool:
        """Whether it ends another one."""
        return self.words[:1] == ("end",)

    @property
    def for_loop(self) -> bool:
        """Whether it belongs to the loop after it."""
        return not self.ends and bool(_LOOPS & set(self.words))

    @property
    def for_block(self) -> bool:
        """Whether it holds up to its end directive."""
        return not self.ends and not self.for_loop and bool(_BLOCKS & set(self.words)) and not _ALONE & set(self.words)

    @property
    def for_data(self) -> bool:
        """Whether it moves data between host and device, and does nothing else."""
        if self.sentinel == "acc":
            return bool({"data", "host_data", "update"} & set(self.words))
        return "target" in self.words and bool({"data", "update"} & set(self.words))

    @property
    def declares(self) -> bool:
        """Whether it is among declarations, and not before a statement."""
        return "declare" in self.words or self.words[:1] in _DECLARING

    @property
    def for_one(self) -> bool:
        """Whether it begins or ends a block that one thread does, and no loop."""
        return bool(_BY_ONE & set(self.words)) and not _LOOPS & set(self.words)

    @property
    def waits(self) -> bool:
        """Whether it is something to do by itself, which others wait for or see: no statement belongs to it."""
        return self.words[:1] != () and self.words[0] in _WAITS

    @property
    def listed(self) -> tuple[str, ...]:
        """The names that ``threadprivate`` lists, those of common blocks without their slashes."""
        return tuple(name.strip("/ ") for clause in self.clauses for name in clause.entries)

    @property
    def on_device(self) -> bool:
        """Whether the device works for it, or its addresses are used."""
        words = set(self.words)
        if any(c.name in _ADDRESSES for c in self.clauses):
            return True
        if self.sentinel == "acc":
            return bool({"parallel", "kernels", "serial", "host_data"} & words)
        return "target" in words and not {"data", "update", "enter", "exit", "declare"} & words

    @property
    def name(self) -> str:
        """What it is called, as users write it."""
        return f"!${self.sentinel} {' '.join(self.words)}"


def split_words(word: str) -> tuple[str, ...]:
    """The words of a directive's name that may be written without blanks between them, such as ``enddo``."""
    return tuple(_PART.findall(word)) if word not in _KNOWN and _JOINED.fullmatch(word) else (word,)


def own_directives_in(rows: Sequence[str], first: int, last: int, fixed: bool) -> Iterator[OwnDirective]:
    """The directives in the lines from ``first`` up to, not including, ``last``."""
    row = first
    while row < last:
        found = (_FIXED if fixed else _FREE).match(rows[row])
        if found is None:
            if (_FIXED_CODE if fixed else _FREE_CODE).match(rows[row]):
                yield OwnDirective("", (), (), row, row)
            row += 1
            continue
        sentinel = found[1].lower()
        text, behind = _joined(rows, row, last, sentinel, fixed)
        yield OwnDirective(sentinel, *_taken_apart(text), row, behind - 1)
        row = behind


def _joined(rows: Sequence[str], row: int, last: int, sentinel: str, fixed: bool) -> tuple[str, int]:
    """The text of a directive with the lines that continue it, and the line after."""
    pieces: list[str] = []
    goes_on, behind = True, row
    while row < last and goes_on:
        found = (_FIXED if fixed else _FREE).match(rows[row])
        if found is None and pieces and not fixed and rows[row].lstrip()[:1] in ("", "!"):
            row += 1  # a comment or a blank line may be before the line that goes on
            continue
        if found is None or found[1].lower() != sentinel or (fixed and pieces and found[2] in " 0"):
            break
        code = strip_comment(rows[row][found.end() :])[0].strip()
        code = code.removeprefix("&") if pieces and not fixed else code
        goes_on = fixed or code.endswith("&")
        pieces.append(code.removesuffix("&"))
        row = behind = row + 1
    return " ".join(pieces), behind


@lru_cache(maxsize=20_000)
def _taken_apart(text: str) -> tuple[tuple[str, ...], tuple[Clause, ...]]:
    """The words of a directive's name and its clauses."""
    masked = mask_strings(text)
    words: list[str] = []
    clauses: list[Clause] = []
    position = 0
    for token in tokenise(masked):
        if token.start < position or token.kind != "name":
            continue
        name = token.text.lower()
        opening = len(masked) - len(masked[token.end :].lstrip())
        closing = matching(masked, opening) if masked[opening : opening + 1] == "(" else -1
        position = closing + 1 if closing >= 0 else token.end
        parts = split_words(name)
        named = closing < 0 and all(p in _KNOWN and p not in _NEVER_LATER for p in parts)
        if not clauses and (not words or words[-1] == "end" or named):
            words += parts
            if closing >= 0:
                clauses.append(Clause("", text[opening + 1 : closing].strip()))
            continue
        clauses.append(Clause(name, text[opening + 1 : closing].strip() if closing >= 0 else None))
    return tuple(words), tuple(clauses)


def locality_of(line: LogicalLine) -> tuple[Clause, ...]:
    """The clauses after the index control of a ``do concurrent`` (F2023 R1130)."""
    masked = mask_strings(line.text)
    closing = matching(masked, max(masked.find("("), 0))
    return _taken_apart(f"do {line.text[closing + 1 :]}")[1] if closing >= 0 else ()


def index_types(line: LogicalLine) -> str:
    """The type that the index control of a ``do concurrent`` gives its variables, without blanks; empty without one."""
    masked = mask_strings(line.text)
    begin = max(masked.find("("), 0)
    end = masked.find("::", begin, max(matching(masked, begin), 0))
    return "".join(line.text[begin + 1 : end].lower().split()) if end >= 0 else ""


def calls_loops_parallel(rows: Sequence[str]) -> bool:
    """Whether one of some lines may call a loop parallel: with a directive, or as ``do concurrent``."""
    return any(_PARALLEL.search(row) for row in rows)


def shares_by_number(rows: Iterable[str], names: frozenset[str] = NUMBER) -> bool:
    """Whether some lines ask for the number of a thread, not only whether it is the first, and not for how many there
    are: what all threads do then depends on a count that is known elsewhere. ``names`` are those of the function.
    """
    code = [strip_comment(row.replace("!$", "  ", 1))[0].lower() for row in rows]
    asked, first = (sum(len(asks.findall(row)) for row in code) for asks in _asking(names))
    return asked > first and not any(_COUNT.search(row) for row in code)


@lru_cache(maxsize=8)
def _asking(names: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What calls a function with one of some names, and what asks by it whether a thread is the first."""
    called = rf"\b(?:{'|'.join(sorted(names))})"
    return re.compile(called + r"\s*\("), re.compile(called + _IS_FIRST)


def asks_for_number(text: str) -> bool:
    """Whether a text may ask for the number of a thread."""
    return "omp_get_thread_num" in text.lower()


def names_of_number(texts: Collection[str]) -> frozenset[str]:
    """The names that the function for a thread's number has in some texts: its own, those that ``use`` gives it
    (``me => omp_get_thread_num``), and pointers to it.
    """
    if not any(map(asks_for_number, texts)):
        return NUMBER
    renames = {(new.lower(), old.lower()) for text in texts for new, old in _RENAMES.findall(text)}
    names = set(NUMBER)
    while more := {new for new, old in renames if old in names} - names:
        names |= more
    return frozenset(names)


def has_threadprivate(text: str) -> bool:
    """Whether a text may have the directive that gives each thread its own copy of variables."""
    return "threadprivate" in text.lower()
