"""Preprocessor macros: their definition, and their expansion in one line of Fortran.

The rules are those of the C preprocessor (hybrid-fortran.md §2.3, §6), read with Fortran's eyes: a number ends
before ``.eq.``, a ``!`` outside quotes begins a comment that is left alone, ``!$`` sentinels are not comments.
Expansion follows the classic algorithm of hide sets, so a macro that names itself ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from hfpy.diagnostics import BeyondLimits
from hfpy.model.macros import Macro
from hfpy.values import dataclass


@dataclass(frozen=True)
class _Token:
    kind: str  # "name", "number", "string", "blank", "comment" or "other"
    text: str
    hidden: frozenset[str] = field(default=frozenset())


_TOKEN = re.compile(
    r"""(?P<name>[A-Za-z_]\w*)
      | (?P<number>\d+(?:\.(?![A-Za-z]{2,5}\.)\d*)?(?:[eEdDqQ][+-]?\d+)?(?:_\w+)?(?:[A-Za-z]\w*)?)
      | (?P<string>'[^']*' | "[^"]*")
      | (?P<blank>[ \t\r\n]+)
      | (?P<comment>!(?!\$).*)
      | (?P<other>\#\# | .)
    """,
    re.VERBOSE | re.DOTALL,
)
_DEFINE = re.compile(r"([A-Za-z_]\w*)(\(([^)]*)\))?[ \t]*(.*)", re.DOTALL)
_PARAMETER = re.compile(r"[A-Za-z_]\w*\Z|\.\.\.\Z")
_C_COMMENT = re.compile(r"('[^'\n]*'|\"[^\"\n]*\")|/\*.*?(?:\*/|\Z)", re.DOTALL)


def strip_c_comments(text: str) -> str:
    """``text`` without ``/* … */`` outside quotes (each becomes a blank)."""
    if "/*" not in text:
        return text
    return _C_COMMENT.sub(lambda m: m[1] or " ", text)


def parse_define(text: str) -> Macro | None:
    """The macro in the text after ``#define``, or None if it is malformed.

    A parenthesis makes the macro function-like only if it follows the name at once.
    """
    match = _DEFINE.match(strip_c_comments(text).strip())
    if match is None:
        return None
    name, list_, inner, body = match[1], match[2], match[3], match[4].strip()
    if list_ is None:
        return Macro(name, None, body)
    params = tuple(p.strip() for p in inner.split(",")) if inner.strip() else ()
    if not all(_PARAMETER.match(p) for p in params):
        return None
    return Macro(name, params, body)


def parse_defines(definitions: Iterable[str]) -> dict[str, Macro]:
    """Macros given as ``NAME`` (means 1), ``NAME=VALUE`` or ``NAME(a,b)=VALUE``, as after ``-D``.

    Raises:
        ValueError: for a text that is none of these.
    """
    macros: dict[str, Macro] = {}
    for definition in definitions:
        head, equals, value = definition.partition("=")
        macro = parse_define(f"{head} {value if equals else '1'}")
        if macro is None or not definition.strip():
            raise ValueError(f"not a macro definition: {definition!r} (expected NAME or NAME=VALUE)")
        macros[macro.name] = macro
    return macros


def numbers_named(prefix: str, macros: Mapping[str, Macro]) -> dict[str, int]:
    """The numbers that macros with a common prefix have as values, by the rest of their names in lower case."""
    found: dict[str, int] = {}
    for name, macro in macros.items():
        body = macro.body.strip().strip("()")
        if name.upper().startswith(prefix) and body.lstrip("-").isdigit():
            found[name[len(prefix) :].lower()] = int(body)
    return found


def expand(text: str, macros: Mapping[str, Macro]) -> str:
    """One line of Fortran with every macro in it expanded, as often as that takes.

    Strings and comments stay as they are; a function-like macro without arguments in parentheses, or whose
    parenthesis is not closed in ``text``, or with a wrong number of arguments, is left alone.
    """
    if not macros or not any(word in macros for word in re.findall(r"[A-Za-z_]\w*", text)):
        return text
    return "".join(token.text for token in _expand_tokens(_tokens(text), macros, _Budget()))


def split_arguments(text: str) -> tuple[str, ...]:
    """``text`` cut at the commas outside parentheses, brackets and quotes; each part stripped."""
    parts: list[str] = []
    depth = 0
    current: list[str] = []
    for token in _tokens(text):
        if token.text in "([" and token.kind == "other":
            depth += 1
        elif token.text in ")]" and token.kind == "other":
            depth -= 1
        if token.text == "," and depth == 0:
            parts.append("".join(current).strip())
            current = []
        else:
            current.append(token.text)
    parts.append("".join(current).strip())
    return tuple(parts)


def permutation(name: str, rank: int, macros: Mapping[str, Macro]) -> tuple[int, ...] | None:
    """The order in which macro ``name`` puts its ``rank`` arguments.

    Entry ``p[m]`` is the (0-based) argument that comes m-th in the expansion: ``AT(a,b,c)`` → ``c, a, b`` gives
    ``(2, 0, 1)``. None if the macro does not exist, takes another number of arguments, or does more than reorder.
    """
    arguments, parts = _applied(name, rank, macros)
    bare = [_bare(part) for part in parts]
    return tuple(arguments.index(part) for part in bare) if sorted(bare) == sorted(arguments) else None


def argument_order(name: str, rank: int, macros: Mapping[str, Macro]) -> tuple[int, ...] | None:
    """The same for a macro of shapes, which may also give bounds: ``BOX(a,b)`` → ``0:b+1, a`` gives ``(1, 0)``. None if
    not each of its arguments belongs to one dimension.
    """
    arguments, parts = _applied(name, rank, macros)
    named = [{t.text for t in _tokens(part)} & set(arguments) for part in parts]
    if any(len(names) != 1 for names in named) or sorted(n for names in named for n in names) != sorted(arguments):
        return None
    return tuple(arguments.index(min(names)) for names in named)


def applied(name: str, arguments: Sequence[str], macros: Mapping[str, Macro]) -> tuple[str, ...]:
    """What a macro of a list makes of arguments, part by part; macros in the arguments stay as they are."""
    places, parts = _applied(name, len(arguments), macros)
    given = dict(zip(places, arguments, strict=True))
    return tuple("".join(given.get(t.text, t.text) for t in _tokens(part)) for part in parts)


def has_parentheses(name: str, macros: Mapping[str, Macro]) -> bool:
    """Whether a macro puts parentheses around arguments, which cannot be ranges then."""
    params = macros[name].params or ()
    return any("(" in part for part in _applied(name, len(params), macros)[1])


def _applied(name: str, rank: int, macros: Mapping[str, Macro]) -> tuple[list[str], tuple[str, ...]]:
    """Arguments for a macro, and the parts of its expansion with them (none if there is no such macro)."""
    arguments = [f"hf_argument_{n}" for n in range(rank)]
    if name not in macros:
        return arguments, ()
    return arguments, split_arguments(expand(f"{name}({','.join(arguments)})", macros))


def _bare(text: str) -> str:
    """A name without the parentheses around it."""
    inner = text.strip()
    while inner[:1] == "(" and inner[-1:] == ")":
        inner = inner[1:-1].strip()
    return inner


@dataclass
class _Budget:
    """What one expansion may still make: macros of macros can grow without end."""

    left: int = 200_000

    def spend(self, tokens: int) -> None:
        """Raises BeyondLimits if there is no more."""
        self.left -= tokens
        if self.left < 0:
            raise BeyondLimits("HF115", "the macros of this line expand to more than 200000 words")


def _tokens(text: str) -> list[_Token]:
    return [_Token(str(match.lastgroup), match[0]) for match in _TOKEN.finditer(text)]


def _expand_tokens(tokens: Sequence[_Token], macros: Mapping[str, Macro], budget: _Budget) -> list[_Token]:
    """Expand until nothing changes; ``pending`` is a stack with the next token last."""
    pending = list(reversed(tokens))
    done: list[_Token] = []
    while pending:
        token = pending.pop()
        macro = macros.get(token.text) if token.kind == "name" else None
        if macro is None or token.text in token.hidden:
            done.append(token)
            continue
        if macro.params is None:
            body = _substitute(macro, [], token.hidden | {macro.name}, macros, budget)
            pending.extend(reversed(body))
            continue
        call = _take_arguments(pending, macro)
        if call is None:
            done.append(token)
            continue
        arguments, closing_hidden = call
        hidden = (token.hidden & closing_hidden) | {macro.name}
        pending.extend(reversed(_substitute(macro, arguments, hidden, macros, budget)))
    return done


def _take_arguments(pending: list[_Token], macro: Macro) -> tuple[list[list[_Token]], frozenset[str]] | None:
    """The arguments after a macro name, taken from ``pending``; None (and nothing taken) if there is no call."""
    at = len(pending) - 1
    while at >= 0 and pending[at].kind == "blank":
        at -= 1
    if at < 0 or pending[at].text != "(":
        return None
    arguments: list[list[_Token]] = [[]]
    depth = 0
    for index in range(at, -1, -1):
        token = pending[index]
        if token.text == "(" and token.kind == "other":
            depth += 1
            if depth == 1:
                continue
        elif token.text == ")" and token.kind == "other":
            depth -= 1
            if depth == 0:
                fitted = _fit(arguments, macro)
                if fitted is None:
                    return None
                del pending[index:]
                return fitted, token.hidden
        if token.text == "," and depth == 1:
            arguments.append([])
        else:
            arguments[-1].append(token)
    return None


def _fit(arguments: list[list[_Token]], macro: Macro) -> list[list[_Token]] | None:
    """Arguments trimmed of blanks and matched in number to the macro's parameters; None if they do not match."""
    trimmed = [_trim(argument) for argument in arguments]
    params = macro.params or ()
    if not params:
        return [] if trimmed == [[]] else None
    if params[-1] == "...":
        fixed = len(params) - 1
        if len(trimmed) < fixed:
            return None
        rest: list[_Token] = []
        for argument in trimmed[fixed:]:
            rest.extend([*([_Token("other", ",")] if rest else []), *argument])
        return [*trimmed[:fixed], rest]
    return trimmed if len(trimmed) == len(params) else None


def _trim(tokens: list[_Token]) -> list[_Token]:
    start, end = 0, len(tokens)
    while start < end and tokens[start].kind == "blank":
        start += 1
    while end > start and tokens[end - 1].kind == "blank":
        end -= 1
    return tokens[start:end]


def _substitute(
    macro: Macro,
    arguments: list[list[_Token]],
    hidden: frozenset[str],
    macros: Mapping[str, Macro],
    budget: _Budget,
) -> list[_Token]:
    """The macro's body with its arguments put in, ``#`` and ``##`` done, and the names in ``hidden`` blocked."""
    names = {("__VA_ARGS__" if p == "..." else p): n for n, p in enumerate(macro.params or ())}
    body = _tokens(macro.body)
    result: list[_Token] = []
    paste = False
    index = 0
    while index < len(body):
        token = body[index]
        index += 1
        if token.text == "##":
            while result and result[-1].kind == "blank":
                result.pop()
            paste = True
            continue
        if paste and token.kind == "blank":
            continue
        if token.text == "#" and macro.params is not None:
            following = index
            while following < len(body) and body[following].kind == "blank":
                following += 1
            if following < len(body) and body[following].text in names:
                argument = arguments[names[body[following].text]]
                piece = [_Token("string", '"' + "".join(t.text for t in argument) + '"')]
                index = following + 1
            else:
                piece = [token]
        elif token.text in names:
            argument = arguments[names[token.text]]
            raw = paste or _pasted_next(body, index)
            piece = list(argument) if raw else _expand_tokens(argument, macros, budget)
        else:
            piece = [token]
        if paste:
            piece = _pasted(result, piece)
            paste = False
        budget.spend(1 + len(piece))
        result.extend(piece)
    return [_Token(t.kind, t.text, t.hidden | hidden) if t.kind == "name" or t.text == ")" else t for t in result]


def _pasted_next(body: Sequence[_Token], index: int) -> bool:
    """Whether the next token that is not blank is ``##``."""
    while index < len(body) and body[index].kind == "blank":
        index += 1
    return index < len(body) and body[index].text == "##"


def _pasted(left: list[_Token], right: list[_Token]) -> list[_Token]:
    """The right-hand tokens, the first of them glued to the last on the left (which is taken off)."""
    if not left or not right:
        return right
    glued = left.pop().text + right[0].text
    return [*_tokens(glued), *right[1:]]
