"""The value of a preprocessor condition (``#if``, ``#elif``).

Integer expressions of C: ``defined``, ``! ~ + -``, ``* / %``, shifts, comparisons, ``& ^ |``, ``&& ||``, ``? :``;
macros are expanded first, names that remain are 0. Arithmetic is on Python integers, division truncates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from hfpy.model.macros import Macro
from hfpy.parse.text.macros import expand, strip_c_comments

_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*([A-Za-z_]\w*)\s*\)|([A-Za-z_]\w*))")
_HAS_INCLUDE = re.compile(r"\b__has_include\s*\([^)]*\)")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*(?![\w.]))|(?P<name>[A-Za-z_]\w*)|(?P<char>'(?:\\.|[^'\\])')"
    r"|(?P<op>&&|\|\||[=!<>]=|<<|>>|[-+*/%!~<>&^|?:()]))"
)
_MOST_DIGITS = 25
_DEEPEST = 100  # parentheses and signs within each other
_ROUNDS = 10  # macros whose bodies contain "!" expand in rounds; deeper nesting than this is no code
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)


class ConditionError(Exception):
    """A condition that is no integer expression; the message says why."""


def evaluate(text: str, macros: Mapping[str, Macro]) -> bool:
    """Whether the condition holds.

    Raises:
        ConditionError: if it is no valid expression.
    """
    plain = _resolve_defined(_HAS_INCLUDE.sub(" 0 ", strip_c_comments(text).split("//")[0]), macros)
    for _ in range(_ROUNDS):
        # "!" means "not" here, while expansion takes it for a Fortran comment: hide it meanwhile
        plain = _resolve_defined(expand(plain.replace("!", "\x01"), macros), macros)
        if "!" not in plain:
            break
    reader = _Reader(plain.replace("\x01", "!"))
    value = reader.conditional()
    if reader.token:
        raise ConditionError(f"'{reader.token}' is not expected there")
    return value != 0


def _resolve_defined(text: str, macros: Mapping[str, Macro]) -> str:
    return _DEFINED.sub(lambda m: " 1 " if (m[1] or m[2]) in macros else " 0 ", text)


class _Reader:
    """A recursive-descent evaluator; ``token`` is the next token, empty at the end.

    ``live`` is false in an operand whose value does not matter, so that ``0 && 1/0`` is no error.
    """

    def __init__(self, text: str) -> None:
        self._text = text.strip()
        self._at = 0
        self._live = True
        self._depth = 0
        self.token = ""
        self._value = 0
        self._is_value = False
        if not self._text:
            raise ConditionError("the condition is empty")
        self._next()

    def _next(self) -> None:
        rest = self._text[self._at :].strip()
        if not rest:
            self.token, self._is_value = "", False
            return
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            raise ConditionError(f"'{rest.split()[0]}' is no part of an integer expression")
        self._at = match.end()
        self.token = match[0].strip()
        self._is_value = match["op"] is None
        if match["number"]:
            self._value = _number(match["number"])
        elif match["char"]:
            self._value = ord(match["char"][-2])
        else:
            self._value = 0

    def conditional(self) -> int:
        """``a ? b : c`` and everything that binds tighter."""
        self._depth += 1
        value = self._choice()
        self._depth -= 1
        return value

    def _choice(self) -> int:
        condition = self._binary(0)
        if self.token != "?":
            return condition
        self._next()
        first = self._guarded(condition != 0, self.conditional)
        if self.token != ":":
            raise ConditionError("':' is missing after '?'")
        self._next()
        second = self._guarded(condition == 0, self.conditional)
        return first if condition else second

    def _guarded(self, live: bool, read: Callable[[], int]) -> int:
        before = self._live
        self._live = before and live
        value = read()
        self._live = before
        return value

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self.token in _LEVELS[level]:
            operator = self.token
            self._next()
            live = not ((operator == "&&" and not left) or (operator == "||" and left))
            right = self._guarded(live, lambda: self._binary(level + 1))
            left = self._apply(operator, left, right)
        return left

    def _unary(self) -> int:
        self._depth += 1
        if self._depth > 2 * _DEEPEST:
            raise ConditionError(f"it is nested more than {_DEEPEST} deep")
        value = self._operand()
        self._depth -= 1
        return value

    def _operand(self) -> int:
        operator = self.token
        if operator in ("!", "~", "-", "+"):
            self._next()
            value = self._unary()
            return {"!": int(not value), "~": ~value, "-": -value, "+": value}[operator]
        if operator == "(":
            self._next()
            value = self.conditional()
            if self.token != ")":
                raise ConditionError("')' is missing")
            self._next()
            return value
        if not self._is_value:
            raise ConditionError(f"a value is missing before '{operator}'" if operator else "a value is missing")
        value = self._value
        self._next()
        if self.token == "(":
            raise ConditionError(f"'{operator}' is not a macro with arguments here")
        return value

    def _apply(self, operator: str, left: int, right: int) -> int:
        if operator in ("/", "%"):
            if right == 0:
                if self._live:
                    raise ConditionError("division by zero")
                return 0
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if operator == "/" else left - quotient * right
        if operator in ("<<", ">>"):
            shift = min(max(right, 0), 63)
            return left << shift if operator == "<<" else left >> shift
        return int(_OPERATORS[operator](left, right))


def _number(text: str) -> int:
    digits = text.rstrip("uUlL")
    if len(digits) > _MOST_DIGITS:
        raise ConditionError("this number is too large")
    if digits[:2] in ("0x", "0X"):
        return int(digits, 16)
    if digits[0] == "0" and len(digits) > 1:
        try:
            return int(digits, 8)
        except ValueError as bad:
            raise ConditionError(f"'{text}' is no octal number") from bad
    return int(digits)


_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "||": lambda a, b: bool(a or b),
    "&&": lambda a, b: bool(a and b),
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
