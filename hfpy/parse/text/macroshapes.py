"""Macros that are no values in a plain file: beginnings and ends of loops, operators, lists of indices, whole
statements, nothing at all, second names of what the code names otherwise.

What a statement with one of these means can only be read after the preprocessor. All others stay in the text as they
are, where each counts as a name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from hfpy.model.macros import Macro
from hfpy.parse.text.lexer import mask_strings, strip_comment
from hfpy.parse.text.tokens import find_top, split_top

# What begins, divides or ends a block, as the first words of a statement, or its last.
_BLOCK = re.compile(
    r"(?:do\b(?!\s*=)|end\s*(?:do|if|select|where|forall|associate|block)?\s*$|else|select\s*case|case\s*\()", re.I
)
_OPENS = re.compile(r"\bthen\s*$", re.I)
_FIRST = re.compile(r"\s*(?:[*/=,)><%&]|\.(?:and|or|eq|ne|lt|le|gt|ge|eqv|neqv)\.)", re.I)
_LAST = re.compile(r"(?:[-+*/=,(><%&]|\.(?:and|or|not|eq|ne|lt|le|gt|ge|eqv|neqv)\.)\s*$", re.I)
_EXPONENTS = ("d", "e", "q")  # as in 0.5 _d 0
_OPERATORS = ("+", "-", "*", "/")
_TYPE = re.compile(r"\s*(?:integer|real|logical|complex|character)\s*\*\s*\d+\s*$", re.I)
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[edq][+-]?\d+)?(?:_\w+)?", re.I)
_NAMED = re.compile(r"[A-Za-z]\w*")
_DOTTED = re.compile(r"\.[A-Za-z]+\.")  # as in .true.
# A statement that is one name, perhaps with arguments, by itself or after the condition of an ``if``.
_WHOLE = re.compile(r"\s*(?:\d+\s+)?(?:if\s*\(.*\)\s*)?([A-Za-z_]\w*)\s*(?:\(.*)?$", re.I)
_CARD = re.compile(r" {5}[^ 0]")  # continues the line before, in fixed form
_DECLARED_TYPE = re.compile(
    r"\s*(?:integer|real|logical|complex|character|type|class)\s*(?:\*\s*\d+|\([^()]*\))?\s*$", re.I
)
_DECLARES = re.compile(
    r"\s*(?:integer|real|double\s*precision|logical|character|complex|type\s*\(|class\s*\(|dimension|common)\b", re.I
)


def used_shapes(rows: Sequence[str], active: Sequence[bool] | None, macros: Mapping[str, Macro]) -> frozenset[str]:
    """The macros that are shapes (see :func:`is_shape`), and that ``active`` lines of a file use."""
    shapes = {name for name, macro in macros.items() if is_shape(macro)}
    return frozenset(_used(_active(rows, active), shapes))


def used_in_plain(
    rows: Sequence[str], active: Sequence[bool] | None, macros: Mapping[str, Macro], fixed: bool = False
) -> frozenset[str]:
    """The same, with lists and sums, which count in statements alone: in declarations they are read as they are. And
    whole statements, and second names, see :func:`_second_names`.
    """
    if not macros:
        return frozenset()
    shapes = {name for name, macro in macros.items() if is_shape(macro)}
    lists = {name for name, macro in macros.items() if name not in shapes and not is_value(macro)}
    code = list(_active(rows, active))
    code = [row for row in code if row[:1] not in ("c", "C", "*")] if fixed else code
    statements = [row for row in code if not _DECLARES.match(row)]
    used = (*_used(code, shapes), *_used(statements, lists), *_whole_statements(statements, macros, fixed))
    return frozenset((*used, *_second_names(code, statements, macros)))


def telling(meanings: Mapping[str, Iterable[Macro]]) -> dict[str, Macro]:
    """Of each macro the meaning that most asks for the preprocessor: a shape, or a list or sum; the last of several.
    A macro that is undefined, or gets another meaning, has made what is above it.
    """
    return {name: max(reversed([*found]), key=_asking) for name, found in meanings.items()}


def _asking(macro: Macro) -> int:
    return 2 if is_shape(macro) else int(not is_value(macro))


def _whole_statements(rows: Iterable[str], macros: Mapping[str, Macro], fixed: bool) -> Iterator[str]:
    """The macros that are statements by themselves, as in ``CHECK(x)``."""
    for code in _first_rows(rows, fixed):
        for text in (code[start:end] for start, end in split_top(code, ";")):
            found = _WHOLE.match(text)
            if found and found[1] in macros and find_top(text, ("=",)) < 0:
                yield found[1]


def _first_rows(rows: Iterable[str], fixed: bool) -> Iterator[str]:
    """The lines that continue no other, without texts and comments."""
    continued = False
    for row in rows:
        code = mask_strings(strip_comment(row)[0])
        if not code.strip() or code.lstrip().startswith("#"):
            continue
        if not continued and not (fixed and _CARD.match(code)):
            yield code
        continued = not fixed and code.rstrip().endswith("&")


def _second_names(code: Sequence[str], statements: Sequence[str], macros: Mapping[str, Macro]) -> Iterator[str]:
    """The macros by which code names what it names otherwise, too (``#define T work``), types among them, and those
    whose names differ from others in the case of letters alone: as names they would be read for something else.
    """
    used = frozenset(_used(code, macros))
    if not used:
        return
    rows = (mask_strings(strip_comment(row)[0]) for row in code if not row.lstrip().startswith("#"))
    others = {name.lower() for row in rows for name in _NAMED.findall(row) if name not in macros}
    yield from (name for name in used if name.lower() in others or _DECLARED_TYPE.match(macros[name].body))
    yield from _used(statements, {name for name in used if others & _behind(name, macros)})


def _behind(name: str, macros: Mapping[str, Macro]) -> set[str]:
    """The names in what a macro means, in small letters, through the macros that it names."""
    found: set[str] = set()
    pending, seen = [name], {name}
    while pending:
        macro = macros[pending.pop()]
        names = set(_NAMED.findall(_NUMBER.sub("0", _DOTTED.sub(" ", mask_strings(macro.body)))))
        names -= set(macro.params or ())
        found |= {n.lower() for n in names if n not in macros}
        pending += [n for n in names if n in macros and n not in seen]
        seen |= names
    return found


def _active(rows: Sequence[str], active: Sequence[bool] | None) -> Iterator[str]:
    return (row for number, row in enumerate(rows) if active is None or active[number])


def _used(rows: Iterable[str], names: Collection[str]) -> Iterator[str]:
    """Those of some names that lines have outside of texts and comments."""
    named = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names)))})\b")
    for row in rows if names else ():
        if not row.lstrip().startswith("#") and named.search(row):
            yield from (m[0] for m in named.finditer(mask_strings(strip_comment(row)[0])))


def is_shape(macro: Macro) -> bool:
    """Whether a macro begins or ends a block, is only a part of an expression or a number, or means nothing."""
    body = mask_strings(macro.body)
    if not body.strip():
        return True
    statements = [body[a:b].strip() for a, b in split_top(body, ";")]
    if any(_BLOCK.match(s) or _OPENS.search(s) for s in statements) or body.strip().lower() in _EXPONENTS:
        return True
    return bool(_FIRST.match(body) or _LAST.search(body)) or body.count("(") != body.count(")")


def is_value(macro: Macro) -> bool:
    """Whether a macro that is no shape is one value wherever it is, or whole statements, and not a list, nor a sum of
    names without parentheses, which means other things beside other operators.
    """
    body = mask_strings(macro.body)
    if find_top(body, (";", "=")) >= 0 or _TYPE.match(body):
        return True
    terms = _NUMBER.sub("0", body).lstrip().lstrip("+-")
    return find_top(terms, (",",)) < 0 and (find_top(terms, _OPERATORS) < 0 or not _NAMED.search(terms))
