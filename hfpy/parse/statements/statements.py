"""One logical line to one statement.

The kind of a statement follows from its first word and its shape (Fortran has no reserved words, so an
assignment is looked for first); its expressions are fparser's, tied to the text
(:mod:`hfpy.parse.expressions.expressions`). Blocks are put together in :mod:`hfpy.parse.blocks`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from hfpy.model.expressions import Expr, Keyword, Literal, Name, Star
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Assignment,
    Call,
    End,
    Header,
    InputOutput,
    Jump,
    Memory,
    OneLine,
    Opaque,
    Specification,
    Statement,
)
from hfpy.parse.expressions.expressions import expression, io_item
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.statements.branches import Branch, labels_in
from hfpy.parse.statements.designators import argument, arguments, assignment_sign, designator_end
from hfpy.parse.statements.images import ORDERS_IMAGES, OTHER_IMAGES, orders_images, without_images
from hfpy.parse.text.lexer import label_of, mask_strings
from hfpy.parse.text.tokens import find_top, matching, places_of_words, split_top

_GOTO = re.compile(r"goto\d+")  # compilers take it without a blank, in free form as well
_FIRST_WORD = re.compile(r"([A-Za-z_]\w*)")
_CONSTRUCT_NAME = re.compile(r"([A-Za-z_]\w*)\s*:(?!:)\s*(?=[A-Za-z])")
_DO = re.compile(r"do\b\s*(\d[\d\s]*)?(?:,\s*)?", re.IGNORECASE)
_DO_CONTROL = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)")
_END = re.compile(
    r"end\s*(if|do|select|where|forall|associate|block|critical|team|change)\b\s*([A-Za-z_]\w*)?\s*$", re.IGNORECASE
)
SPECIFICATION_WORDS = frozenset(
    "implicit save parameter external intrinsic public private data common dimension target pointer allocatable "
    "optional intent equivalence namelist use import volatile asynchronous protected contiguous value bind "
    "procedure include cray enum enumerator generic final sequence codimension".split()
)
TYPE_WORDS = frozenset("real integer logical character complex double doubleprecision type class byte".split())


def opaque(line: LogicalLine, reason: str, legal: bool = False) -> Opaque:
    """A statement that is not understood, with the words of its line that may be names."""
    words = places_of_words(mask_strings(line.text))  # where the inside of texts is made of underscores
    named = (Name(start, end, word) for word, start, end in words if word.strip("_"))
    return Opaque(line, reason, tuple(named), legal)


def parse_statement(line: LogicalLine) -> Statement:
    """The statement on a logical line of an executable part; :class:`Opaque` if it cannot be understood."""
    here = without_images(line) if "[" in line.text else None
    try:
        found = _parse(here or line, 0, len(line.text))
    except GrammarError as problem:
        return opaque(line, str(problem) or "no Fortran expression")
    if here is None or isinstance(found, Opaque):
        return found
    # What is allocated has no image selectors, only bounds of coarrays; a block is there, whatever its condition is.
    return replace(found, line=line) if isinstance(found, (Header, Memory)) else opaque(line, OTHER_IMAGES, legal=True)


def _parse(line: LogicalLine, start: int, end: int) -> Statement:
    text = line.text
    masked = mask_strings(text[start:end])
    begin = start
    name = ""
    named = _CONSTRUCT_NAME.match(masked)
    if named:
        name = named.group(1).lower()
        masked = masked[named.end() :]
        begin += named.end()
    sign = assignment_sign(masked)
    loop = _do_header(line, masked, begin, end, name)
    if loop is not None:
        return loop
    if sign is not None:
        return _assignment(line, begin, end, *sign)
    word = _FIRST_WORD.match(masked)
    if masked.startswith("@"):
        if re.fullmatch(r"@\s*exit\s*", masked, re.IGNORECASE):
            return Jump(line, "@exit", span=(begin, end))
        return opaque(line, "a directive is on a line of its own")
    if word is None:
        return opaque(line, "no statement begins like this")
    lowered = word.group(1).lower()
    handler = _HANDLERS.get("goto" if _GOTO.fullmatch(lowered) else lowered)
    if handler is not None:
        return handler(line, masked, begin, end, name)
    if lowered.startswith(("end", "else")):
        return _ending(line, masked, begin)
    if lowered in SPECIFICATION_WORDS or lowered in TYPE_WORDS:
        listed = masked[word.end() : end].lower().replace("::", "").split(",") if lowered == "save" else ()
        return Specification(line, lowered, saved=frozenset(n.strip() for n in listed if n.strip()))
    if orders_images(masked):
        return opaque(line, ORDERS_IMAGES, legal=True)
    return opaque(line, f"unknown statement '{word.group(1)}'")


def _assignment(line: LogicalLine, start: int, end: int, sign: int, pointer: bool) -> Statement:
    text = line.text
    target = expression(text[start : start + sign], start)
    right = start + sign + (2 if pointer else 1)
    return Assignment(line, target, expression(text[right:end], right), pointer)


def _do_header(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement | None:
    found = _DO.match(masked)
    if not found:
        return None
    label = label_of(found.group(1) or "")
    rest = found.end()
    text = line.text
    control = _DO_CONTROL.match(masked, rest)
    if control:
        pieces = split_top(masked, ",", control.end())
        if len(pieces) not in (2, 3):
            return None
        bounds = tuple(expression(text[a + start : b + start], a + start) for a, b in pieces)
        return Header(line, "do", bounds, control.group(1).lower(), name, label, var_start=start + control.start(1))
    tail = masked[rest:].strip().lower()
    if not tail:
        return Header(line, "do", (), "", name, label)
    if re.match(r",?\s*while\s*\(", tail):
        opening = masked.index("(", rest)
        closing = matching(masked, opening)
        condition = expression(text[start + opening + 1 : start + closing], start + opening + 1)
        return Header(line, "dowhile", (condition,), "", name, label)
    if re.match(r",?\s*concurrent\s*\(", tail):
        opening = masked.index("(", rest)
        local, begun = (_listed(masked, matching(masked, opening) + 1, word) for word in ("local", "local_init"))
        indices = _triplets(text, masked, opening, start)
        return Header(line, "doconcurrent", indices, "", name, label, local=local, begun=begun)
    return None


def _listed(masked: str, begin: int, word: str) -> tuple[str, ...]:
    """The names in a clause ``word(…)`` after the control of a ``do concurrent``."""
    found = re.compile(rf"\b{word}\s*\(([^()]*)\)", re.IGNORECASE).search(masked, max(begin, 0))
    return tuple(part.strip().lower() for part in found[1].split(",")) if found else ()


def _triplets(text: str, masked: str, opening: int, base: int) -> tuple[Expr, ...]:
    """Index control ``(i = a:b, …, mask)`` as keyword expressions whose values are ranges."""
    closing = matching(masked, opening)
    if closing < 0:
        raise GrammarError("a parenthesis is not closed")
    result: list[Expr] = []
    for a, b in split_top(masked, ",", opening + 1, closing):
        piece = text[a + base : b + base]
        found = re.match(r"\s*(?:integer\s*(?:\([^()]*\)\s*)?::)?\s*([A-Za-z_]\w*)\s*=(?!=)", piece, re.IGNORECASE)
        if found:
            wrapped = expression("q(" + piece[found.end() :] + ")", a + base + found.end() - 2)
            value = wrapped.args[0]  # type: ignore[attr-defined]
            result.append(Keyword(a + base + found.start(1), value.end, found.group(1).lower(), value))
        elif not piece.strip().lower().startswith("integer"):
            result.append(expression(piece, a + base))
    return tuple(result)


def _if(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    opening = masked.find("(")
    closing = matching(masked, opening) if opening >= 0 else -1
    if closing < 0 or masked[2:opening].strip():
        return opaque(line, "an if without its condition")
    condition = expression(line.text[start + opening + 1 : start + closing], start + opening + 1)
    tail = masked[closing + 1 :].strip()
    if tail.lower() == "then":
        return Header(line, "if", (condition,), "", name)
    if not tail:
        return opaque(line, "an if without an action")
    if tail[0].isdigit():
        labels = labels_in(tail)
        if len(labels) != 3:
            return opaque(line, "an arithmetic if has three labels")
        return Branch(line, condition, labels, arithmetic=True)
    begin = start + closing + 1 + len(masked[closing + 1 :]) - len(masked[closing + 1 :].lstrip())
    return OneLine(line, "if", (condition,), _parse(line, begin, end), start + closing + 1, begin)


def _where(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    opening = masked.find("(")
    closing = matching(masked, opening) if opening >= 0 else -1
    if closing < 0:
        return opaque(line, "a where without its mask")
    forall = masked[:6].lower() == "forall"
    if forall:
        control = _triplets(line.text, masked, opening, start)
    else:
        control = (expression(line.text[start + opening + 1 : start + closing], start + opening + 1),)
    kind = "forall" if forall else "where"
    tail = masked[closing + 1 :]
    if not tail.strip():
        return Header(line, kind, control, "", name)
    begin = start + closing + 1 + len(tail) - len(tail.lstrip())
    return OneLine(line, kind, control, _parse(line, begin, end), start + closing + 1, begin)


def _ending(line: LogicalLine, masked: str, start: int) -> Statement:
    lowered = " ".join(masked.lower().split())
    found = _END.match(masked)
    if found:
        return End(line, found.group(1).lower(), (found.group(2) or "").lower())
    joined = lowered.replace(" ", "")
    if joined.startswith("elseif("):
        opening = masked.index("(")
        closing = matching(masked, opening)
        condition = expression(line.text[start + opening + 1 : start + closing], start + opening + 1)
        return Header(line, "elseif", (condition,))
    if joined.startswith("elsewhere"):
        opening = masked.find("(")
        if opening < 0:
            return Header(line, "elsewhere")
        closing = matching(masked, opening)
        mask = expression(line.text[start + opening + 1 : start + closing], start + opening + 1)
        return Header(line, "elsewhere", (mask,))
    if lowered == "else" or re.fullmatch(r"else \w+", lowered):
        return Header(line, "else")
    if joined.startswith("endfile"):
        return _control_only("endfile")(line, masked, start, start + len(masked), "")
    return opaque(line, "unknown end")


def _select(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    found = re.match(r"select\s*(case|type|rank)\s*\(", masked, re.IGNORECASE)
    if not found:
        return opaque(line, "unknown select")
    opening = found.end() - 1
    closing = matching(masked, opening)
    inner = line.text[start + opening + 1 : start + closing]
    kind = "select" if found.group(1).lower() == "case" else "selecttype"
    renamed = re.match(r"\s*(\w+)\s*=>", inner)
    shift = renamed.end() if renamed else 0
    selector = expression(inner[shift:], start + opening + 1 + shift)
    names = (renamed.group(1).lower(),) if renamed else ()
    return Header(line, kind, (selector,), "", name, "", names)


def _case(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    opening = masked.find("(")
    if opening < 0:
        return Header(line, "case")
    closing = matching(masked, opening)
    if closing < 0:
        raise GrammarError("a parenthesis is not closed")
    wrapped = expression("q(" + line.text[start + opening + 1 : start + closing] + ")", start + opening - 1)
    return Header(line, "case", wrapped.args)  # type: ignore[attr-defined]


def _type_guard(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    if re.match(r"class\s*default\b", masked, re.IGNORECASE):
        return Header(line, "case")
    if found := re.match(r"(type|class)\s*is\s*\(", masked, re.IGNORECASE):
        return Header(line, "case", guard=line.text[found.end() : matching(masked, found.end() - 1)].strip().lower())
    return Specification(line, "type")


def _associate(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    opening = masked.find("(")
    closing = matching(masked, opening) if opening >= 0 else -1
    if closing < 0:
        return opaque(line, "an associate without its list")
    names: list[str] = []
    selectors: list[Expr] = []
    for a, b in split_top(masked, ",", opening + 1, closing):
        arrow = masked.find("=>", a, b)
        if arrow < 0:
            return opaque(line, "an association needs =>")
        names.append(masked[a:arrow].strip().lower())
        selectors.append(expression(line.text[start + arrow + 2 : start + b], start + arrow + 2))
    return Header(line, "associate", tuple(selectors), "", name, "", tuple(names))


def _call(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    begin = len("call")
    stop = designator_end(masked, begin)
    if stop < len(masked.rstrip()):
        return opaque(line, "a call that hfpy cannot take apart")
    text = line.text
    opening = -1
    stripped = masked.rstrip()
    if stripped.endswith(")"):
        position = begin
        while position < len(stripped):
            if stripped[position] == "(":
                closing = matching(stripped, position)
                if closing == len(stripped) - 1:
                    opening = position
                    break
                position = closing
            position += 1
    if opening < 0:
        return Call(line, expression(text[start + begin : end], start + begin), ())
    args = arguments(text, masked, opening, start)
    designator = expression(text[start + begin : start + opening], start + begin)
    return Call(line, designator, args, start + opening)


def _jump(kind: str) -> Callable[[LogicalLine, str, int, int, str], Statement]:
    def parse(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
        words = masked.split(None, 1)
        tail = words[1].strip() if len(words) > 1 else ""
        if kind in ("exit", "cycle"):
            return Jump(line, kind, tail.lower(), span=(start, end))
        lead = start + len(masked) - len(masked[len(words[0]) :].lstrip()) if tail else end
        return Jump(line, kind, "", _code(line.text, lead, end) if tail else ())

    return parse


def _error_stop(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    found = re.match(r"error\s*stop\b\s*", masked, re.IGNORECASE)
    if not found:
        return opaque(line, "unknown statement 'error'")
    begin = start + found.end()
    return Jump(line, "errorstop", "", _code(line.text, begin, end) if line.text[begin:end].strip() else ())


def _code(text: str, start: int, end: int) -> tuple[Expr, ...]:
    """What is behind ``stop``: a code, and maybe ``quiet=`` with a condition (Fortran 2018, R1161)."""
    masked = mask_strings(text[start:end])
    pieces = split_top(masked, ",")
    if len(pieces) > 1 and masked[pieces[1][0] :].strip().lower().startswith("quiet"):
        return tuple(argument(text, start + a, start + b) for a, b in pieces)
    return (expression(text[start:end], start),)


def _goto(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    found = re.fullmatch(r"go\s*to\s*(\d[\d\s]*)", masked, re.IGNORECASE)
    if found:
        return Jump(line, "goto", label_of(found.group(1)))
    opening = masked.find("(")
    closing = matching(masked, opening) if opening >= 0 else -1
    chosen = re.match(r"go\s*to\s*([a-z_]\w*)", masked, re.IGNORECASE)
    labels = labels_in(masked[opening + 1 : closing]) if closing >= 0 else ()
    if chosen is not None:
        begin, behind = chosen.span(1)
        return Branch(line, expression(masked[begin:behind], start + begin), labels, assigned=True)
    if not labels:
        return opaque(line, "a computed goto without its labels")
    behind = closing + 1 + len(masked[closing + 1 :]) - len(masked[closing + 1 :].lstrip(", "))
    return Branch(line, expression(line.text[start + behind : end], start + behind), labels)


def _assign(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    found = re.fullmatch(r"assign\s*\d+\s*to\s*([A-Za-z_]\w*)\s*", masked, re.IGNORECASE)
    if found is None:
        return opaque(line, "unknown statement 'assign'")
    begin, behind = found.span(1)
    return Opaque(line, "an assign", (Name(start + begin, start + behind, found.group(1).lower()),), legal=True)


def _memory(kind: str) -> Callable[[LogicalLine, str, int, int, str], Statement]:
    def parse(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
        opening = masked.find("(")
        if opening < 0:
            return opaque(line, f"{kind} without a list")
        closing = matching(masked, opening)
        inner = opening + 1
        typed = find_top(masked[: max(closing, 0)], ("::",), inner)
        begin = typed + 2 if typed >= 0 else inner
        if closing < 0:
            raise GrammarError("a parenthesis is not closed")
        parts = [argument(line.text, a + start, b + start) for a, b in split_top(masked, ",", begin, closing)]
        items = tuple(p for p in parts if not isinstance(p, Keyword))
        options = tuple(p for p in parts if isinstance(p, Keyword))
        return Memory(line, kind, items, options)

    return parse


def _io(kind: str) -> Callable[[LogicalLine, str, int, int, str], Statement]:
    def parse(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
        opening = len(kind) + len(masked[len(kind) :]) - len(masked[len(kind) :].lstrip())
        text = line.text
        control: tuple[Expr, ...] = ()
        form: Expr | None = None
        rest = opening
        if masked[opening : opening + 1] == "(" and kind != "print":
            control = arguments(text, masked, opening, start)
            rest = matching(masked, opening) + 1
            if comma := re.match(r"\s*,", masked[rest:]):  # an extension of many compilers
                rest += comma.end()
            ranges = split_top(masked, ",", rest)
        else:
            pieces = split_top(masked, ",", rest)
            if not pieces:
                raise GrammarError(f"a {kind} without anything")
            (first, last), *ranges = pieces
            given = argument(text, first + start, last + start) if kind == "print" else None
            form = given if isinstance(given, (Star, Literal)) else None
        items = tuple(io_item(text[a + start : b + start], a + start) for a, b in ranges)
        return InputOutput(line, kind, control, items, form)

    return parse


def _control_only(kind: str) -> Callable[[LogicalLine, str, int, int, str], Statement]:
    def parse(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
        opening = masked.find("(")
        control = arguments(line.text, masked, opening, start) if opening >= 0 else ()
        return InputOutput(line, kind, control, ())

    return parse


def _plain(kind: str) -> Callable[[LogicalLine, str, int, int, str], Statement]:
    def parse(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
        return Header(line, kind, (), "", name)

    return parse


def _team(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    if re.match(r"change\s*team\s*\(", masked, re.IGNORECASE):
        return Header(line, "team", (), "", name)
    return opaque(line, "unknown statement 'change'")


def _continue(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    return Jump(line, "continue")


def _specification(line: LogicalLine, masked: str, start: int, end: int, name: str) -> Statement:
    word, _, rest = masked[start:end].strip().lower().partition(" ")
    named = re.match(r"\w+", rest.strip()) if word == "entry" else None
    return Specification(line, word, named[0] if named else "")


_HANDLERS: dict[str, Callable[[LogicalLine, str, int, int, str], Statement]] = {
    "if": _if,
    "where": _where,
    "forall": _where,
    "select": _select,
    "selectcase": _select,
    "selecttype": _select,
    "case": _case,
    "type": _type_guard,
    "class": _type_guard,
    "rank": _type_guard,
    "associate": _associate,
    "block": _plain("block"),
    "critical": _plain("critical"),
    "change": _team,
    "changeteam": _team,
    "call": _call,
    "return": _jump("return"),
    "stop": _jump("stop"),
    "exit": _jump("exit"),
    "cycle": _jump("cycle"),
    "error": _error_stop,
    "go": _goto,
    "goto": _goto,
    "assign": _assign,
    "continue": _continue,
    "allocate": _memory("allocate"),
    "deallocate": _memory("deallocate"),
    "nullify": _memory("nullify"),
    "write": _io("write"),
    "read": _io("read"),
    "print": _io("print"),
    "open": _control_only("open"),
    "close": _control_only("close"),
    "inquire": _io("inquire"),
    "wait": _control_only("wait"),
    "pause": _control_only("pause"),
    "rewind": _control_only("rewind"),
    "backspace": _control_only("backspace"),
    "flush": _control_only("flush"),
    "format": _specification,
    "entry": _specification,
}
