"""Blanks of fixed form that mean nothing (Fortran 2018, 6.3.3.1): statements are read as if they were not there.

That is done where it is certain what is meant: in operators and numbers, in the keyword that a statement begins with,
in the names of an assignment, of a call, of a routine's header and of a declaration. Other statements with names that
have blanks in them are not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from hfpy.model.source import LogicalLine
from hfpy.parse.text.runtogether import run_together, with_blanks

Gaps = list[tuple[int, int]]


def _apart(words: str) -> str:
    """A pattern for words of which blanks may be anywhere."""
    return "|".join(r"\s*".join(word) for word in words.split())


_OPERATORS = _apart("lt le gt ge eq ne and or not eqv neqv xor true false")
# Operators, logical constants and numbers with blanks in them; names are passed over, as digits of theirs are none.
# What follows a number without a point may be a name: `do 1 e5 = 1, n`.
_TOKEN = re.compile(
    rf"""(?P<dotted>\.\s*(?:{_OPERATORS})\s*\.)
      |[a-z_]\w*
      |(?P<number>(?:\d(?:\s*\d)*\s*\.(?!\s*(?:[a-z]\s*)+\.)(?:\s*\d)*|\.\s*\d(?:\s*\d)*)
                  (?:\s*[edq]\s*[+-]?\s*\d(?:\s*\d)*)?
                 |\d(?:\s*\d)*(?:[edq]\s*[+-]\s*\d(?:\s*\d)*)?)
      |(?P<sign>\*\s+\*|/\s+/|[=/<>]\s+=|=\s+>)""",
    re.VERBOSE | re.IGNORECASE,
)
# Statements with texts that are not between quotes: formats, and constants of Hollerith, whose blanks count.
_WITH_TEXTS = re.compile(r"format\s*\(|.*?(?<![a-z0-9_])\d[\d\s]*h", re.IGNORECASE | re.DOTALL)
_BEGINNINGS = """
assign backspace block call character close common complex continue data dimension do double else end endif
enddo entry equivalence external format forall function go if implicit include inquire integer interface
intrinsic logical module namelist open parameter pause print procedure program pure read real recursive return
rewind save select stop subroutine type use where write allocate allocatable class contains deallocate
elemental import pointer private public target case cycle exit generic nullify optional
"""
_KNOWN = frozenset(_BEGINNINGS.split())
_KEYWORD = re.compile(
    _apart(
        """subroutine program continue return common dimension integer real logical complex character implicit parameter
        equivalence external intrinsic call data save entry write read print open close rewind backspace stop pause
        include module endif enddo end else goto"""
    ),
    re.IGNORECASE,
)
_FUNCTION = re.compile(rf"(?:[a-z]+[\s*\d()]*?\b)({_apart('function')})\s*[a-z][\w\s]*\(\s*[a-z)]", re.IGNORECASE)
# What is before a name, or before nothing but names, numbers and signs: blanks between words there mean nothing.
_NAMES = re.compile(
    rf"""(?:(?:recursive|pure|elemental|impure)\s+)*(?:end\s+)?subroutine\s+ | (?:call|entry)\s+ | (?:end\s+)?program\s+
      | (?:write|read)\s*(?=\() | (?:print|read)\s*\*\s*(?=,)
      | (?:[a-z]+[\s*\d()]*?\b)?(?:{_apart("function")})\s+(?=[a-z][\w\s]*\()
      | (?:integer|real|logical|complex|double\s+precision|dimension|common|external|intrinsic|save)(?:\s*\*\s*\d+)?\s+
        (?!\s*(?:"""
    + _apart("function recursive pure elemental impure")
    + "))",
    re.VERBOSE | re.IGNORECASE,
)
# What is in all operators and numbers with blanks, and in all names: most statements have none.
_MAYBE = re.compile(
    r"""\d\s+[\d.] | \.\s+[\da-z] | \.[a-z]+\s | \.\d*\s+[edq] | [\d.]\s*[edq]\s*[+-]?\s+\d | [*/=<>]\s+[*/=>]
      | [edq]\s+[+-]""",
    re.VERBOSE | re.IGNORECASE,
)
_FIRST = re.compile(r"[a-z_]\w*", re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"(?<=\w)\s+(?=\w)")
_BLANKS = re.compile(r"\s+")
_INSIDE = re.compile(r"\([^()]*\)")
# What is assigned to, with a sign in place of what is in parentheses; statements that may look so and are none.
_TARGET = re.compile(r"[a-z_][\w\s]*(?:\0\s*)*(?:%[\w\s]+(?:\0\s*)*)*", re.IGNORECASE)
_NEVER = frozenset({"parameter", "enumerator"})
_ACTION = re.compile(r"(?:if|where|forall)\s*\(", re.IGNORECASE)
# What is before a condition, in which no word is a keyword.
_CONDITION = re.compile(
    rf"(?:(?:{_apart('else')})?\s*{_apart('if')}|{_apart('do')}\s*(?:\d[\d\s]*,?\s*)?{_apart('while')})\s*\(",
    re.IGNORECASE,
)


def without_blanks(line: LogicalLine, masked: str) -> LogicalLine:
    """A statement of fixed form without blanks that mean nothing and that its reading would stumble over. ``masked`` is
    its text with blanked-out character constants.
    """
    gaps = _in_words(masked) if _BETWEEN_WORDS.search(masked) else []
    if _MAYBE.search(masked):
        gaps += [gap for token in _TOKEN.finditer(masked) if token.lastgroup for gap in _within(token)]
    if gaps and not _WITH_TEXTS.match(masked):
        gaps = sorted({*gaps})
        line = _cut(line, gaps)
        ends = [0, *(at for gap in gaps for at in gap), len(masked)]
        masked = "".join(masked[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True))
    return _parted(line, masked)


def _parted(line: LogicalLine, masked: str) -> LogicalLine:
    """A statement with blanks between words that run together."""
    start = _action(masked)
    start = start if start < len(masked) else 0
    places = run_together(masked, start)
    return with_blanks(line, places) if places and not _is_assignment(masked[start:], plain=False) else line


def _in_words(masked: str) -> Gaps:
    """The blanks in the keyword that a statement begins with, or in the names of an assignment, which may begin like
    any statement: `else cs = 1` sets `elsecs`.
    """
    first = _FIRST.match(masked)
    if first is None:
        return []
    word = first.group().lower()
    known = word in _KNOWN
    if word not in _NEVER and _is_assignment(masked, known):
        return [found.span() for found in _BETWEEN_WORDS.finditer(masked)]
    gaps = _in_condition(masked)
    if (action := _action(masked)) < len(masked):
        return [*gaps, *((start + action, end + action) for start, end in _in_words(masked[action:]))]
    if gaps:
        return gaps
    if known:
        found = _FUNCTION.match(masked)
        gaps = [*_within(found, 1)] if found is not None else []
        names = _NAMES.match(masked)
        return [*gaps, *(g.span() for g in _BETWEEN_WORDS.finditer(masked, names.end()))] if names is not None else gaps
    keyword = _KEYWORD.match(masked)
    return list(_within(keyword)) if keyword is not None else []


def _in_condition(masked: str) -> Gaps:
    """The blanks in the names of a condition: `if (la st) then`."""
    found = _CONDITION.match(masked)
    if found is None:
        return []
    end = _closing(masked, found.end() - 1)
    return [gap.span() for gap in _BETWEEN_WORDS.finditer(masked, found.end(), end)]


def _is_assignment(masked: str, plain: bool) -> bool:
    """Whether there is a ``=`` outside of parentheses after something that can be set, and no comma after it, as
    there is in a loop's header. ``plain`` leaves out that of pointers, which bindings of a type have, too.
    """
    if "=" not in masked:
        return False
    text = masked
    while (shorter := _INSIDE.sub("\0", text)) != text:
        text = shorter
    target, sign, value = text.partition("=")
    if not sign or not _TARGET.fullmatch(target) or "," in value:
        return False
    return value.lstrip()[:1] not in (("=", ">") if plain else ("=",))


def _action(masked: str) -> int:
    """Where the action of an ``if``, ``where`` or ``forall`` of one statement begins; the end of the text if none
    does.
    """
    found = _ACTION.match(masked)
    if found is None:
        return len(masked)
    behind = _closing(masked, found.end() - 1) + 1
    return behind + len(masked[behind:]) - len(masked[behind:].lstrip())


def _closing(masked: str, opening: int) -> int:
    """The place of the parenthesis that closes another; the end of the text if none does."""
    depth = 0
    for at in range(opening, len(masked)):
        depth += {"(": 1, ")": -1}.get(masked[at], 0)
        if not depth:
            return at
    return len(masked)


def _within(found: re.Match[str], group: int = 0) -> Iterator[tuple[int, int]]:
    """The blanks in what was found."""
    begin = found.start(group)
    for blanks in _BLANKS.finditer(found.group(group)):
        yield begin + blanks.start(), begin + blanks.end()


def _cut(line: LogicalLine, gaps: Gaps) -> LogicalLine:
    """A line without some parts of its text."""
    text, position = "", 0
    segments: list[tuple[int, int, int]] = []
    for start, end in [*gaps, (len(line.text), len(line.text))]:
        inside = ((at, row, column) for at, row, column in line.segments if position < at < start)
        segments += [(len(text), *line.locate(position)), *((len(text) + at - position, r, c) for at, r, c in inside)]
        text += line.text[position:start]
        position = end
    return replace(line, text=text, segments=tuple(segments))
