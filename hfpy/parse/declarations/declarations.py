"""Type declarations: one statement to the symbols it declares, with the places that edits need."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from hfpy.model.expressions import Fragment
from hfpy.model.source import LogicalLine
from hfpy.model.units import FType, SharedShape, StorageGroup, Symbol
from hfpy.parse.expressions.fragments import fragment, length_of, shape_of
from hfpy.parse.text.lexer import mask_strings
from hfpy.parse.text.tokens import find_top, matching, split_top, trim
from hfpy.values import fixed

_TYPE = re.compile(
    r"(?P<double>double\s*precision|double\s*complex)\b"
    r"|(?P<base>real|integer|logical|complex|character|byte)\b\s*(?P<star>\*\s*(?:\d+|(?=\()))?"
    r"|(?P<derived>type|class|procedure)\s*(?=\()",
    re.IGNORECASE,
)
_DIMENSION = "dimension"
_ENTITY = re.compile(r"\s*([A-Za-z_]\w*)\s*")
_ENUMERATOR = re.compile(r"\s*enumerator\b\s*(?:::)?", re.IGNORECASE)


def storage_groups(word: str, rest: str) -> list[StorageGroup]:
    """What a ``common``, ``equivalence`` or ``namelist`` statement puts together, and the blocks that ``bind`` makes
    known to C, without members; ``rest`` is the text after the word, in lower case. A ``data`` statement has none.
    """
    if word == "bind":
        return [StorageGroup(word, name.strip(), ()) for name in rest.split("/")[1::2]]
    if word == "equivalence":
        sets = (rest[a:b].strip() for a, b in split_top(rest, ","))
        return [StorageGroup(word, "", *_designators(s[1:-1])) for s in sets if s.startswith("(")]
    if word not in ("common", "namelist"):
        return []
    return [StorageGroup(word, name, _first_names(rest[a:b])) for name, a, b in _lists(rest)]


def _lists(rest: str) -> list[tuple[str, int, int]]:
    """The lists of a ``common`` or ``namelist`` statement: the name between slashes before each, which the blank common
    block does not need, and where the list is.
    """
    ends = [a for a, _ in split_top(rest, "/")][1:]  # after each slash that is in no parentheses
    found = [("", 0, ends[0] - 1 if ends else len(rest))]
    for opening, closing, after in zip(ends[0::2], ends[1::2], [*ends[2::2], len(rest) + 1], strict=False):
        found.append((rest[opening : closing - 1].strip(), closing, after - 1))
    return [one for one in found if rest[one[1] : one[2]].strip(" ,")]


def common_arrays(masked: str, start: int) -> list[tuple[str, int, int, int]]:
    """The arrays whose dimensions a ``common`` statement has: the name, where it is, and where the list of dimensions
    begins and ends, without its parentheses. ``start`` is the place after the word.
    """
    found = []
    for _, first, last in _lists(masked[start:]):
        for a, b in split_top(masked, ",", start + first, start + last):
            name = _ENTITY.match(masked, a, b)
            closing = matching(masked, name.end()) if name and masked[name.end() : name.end() + 1] == "(" else -1
            if name and 0 <= closing < b:
                found.append((name[1].lower(), name.start(1), name.end() + 1, closing))
    return found


def _first_names(text: str) -> tuple[str, ...]:
    """The names at the beginning of the pieces of a list."""
    return _designators(text)[0]


def _designators(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names at the beginning of the pieces of a list, and these pieces."""
    pieces = [text[a:b].strip() for a, b in split_top(text, ",")]
    named = [(found[0], piece) for piece in pieces if (found := re.match(r"[a-z_]\w*", piece))]
    return tuple(name for name, _ in named), tuple(piece for _, piece in named)


def type_spec(text: str, masked: str) -> tuple[FType, int] | None:
    """The type at the beginning of a declaration and the offset after it, or None."""
    found = _TYPE.match(masked)
    if not found:
        return None
    end = found.end()
    if found.group("double"):
        base = "complex" if "complex" in found.group("double").lower() else "real"
        return FType(base, None, "", text[:end].strip(), double=True), end
    rest = masked[end:]
    skipped = len(rest) - len(rest.lstrip())
    opening = end + skipped
    if found.group("derived"):
        closing = matching(masked, opening)
        if closing < 0:
            return None
        inner = text[opening + 1 : closing].strip().lower()
        return FType(found.group("derived").lower(), None, inner, text[: closing + 1]), closing + 1
    base = found.group("base").lower()
    given = (found.group("star") or "").replace("*", "").strip()
    kind, length = _bytes(base, given) if given else None, None
    if masked[opening : opening + 1] == "(":
        closing = matching(masked, opening)
        if closing < 0:
            return None
        kind, length = _parameters(base, text[opening + 1 : closing])
        end = closing + 1
    if base == "byte":
        base, kind = "integer", fragment("1")
    if base == "character" and given:
        kind, length = None, kind
    return FType(base, kind, "", text[:end].strip(), length=length), end


def _bytes(base: str, given: str) -> Fragment:
    """The kind of ``real*8`` and its like: a complex number has two parts."""
    return fragment(str(int(given) // 2) if base == "complex" else given)


def _parameters(base: str, text: str) -> tuple[Fragment | None, Fragment | None]:
    """Kind and length in the parentheses of a type. Raises GrammarError if one is no expression."""
    given: dict[str, Fragment] = {}
    order = ("len", "kind") if base == "character" else ("kind",)
    for place, (a, b) in enumerate(split_top(mask_strings(text), ",")):
        keyword, sign, value = text[a:b].partition("=")
        if not sign or not keyword.strip().isidentifier():
            keyword, value = order[min(place, len(order) - 1)], text[a:b]
        word = keyword.strip().lower()
        given[word] = length_of(value) if word == "len" else fragment(value)
    return given.get("kind"), given.get("len")


def stated_type(spec: str) -> FType:
    """The type that an array constructor names, as in ``[real(dp) :: …]`` or ``[pair :: …]`` (Fortran 2018, R770)."""
    found = type_spec(spec, mask_strings(spec))
    return found[0] if found is not None else FType("type", None, spec.strip().lower(), spec)


def is_declaration(masked: str) -> bool:
    """Whether a statement of a specification part declares variables."""
    found = _TYPE.match(masked)
    if not found:
        return False
    tail = masked[found.end() :].lstrip()
    if found.group("derived"):
        return True
    return bool(tail) and (tail[0] in "(,:*" or tail[0].isalpha() or tail[0] == "_" or tail[0].isdigit())


def kind_unknown(symbol: Symbol, parameters: frozenset[str]) -> Symbol:
    """A component of a derived type, with a kind that no unit knows where it depends on parameters of the type."""
    kind = symbol.type.kind
    if kind is None or not parameters & kind.names:
        return symbol
    return replace(symbol, type=replace(symbol.type, kind=fragment(f"hf_{symbol.name}_kind")))


def parse_declaration(line: LogicalLine) -> tuple[Symbol, ...] | None:
    """The symbols that a type declaration declares, or None if the line is none.

    Raises GrammarError if a kind, a bound or an initial value is no expression.
    """
    text = line.text
    masked = mask_strings(text)
    typed = type_spec(text, masked)
    if typed is None:
        return None
    ftype, position = typed
    double_colon = find_top(masked, ("::",), position)
    attributes: set[str] = set()
    intent = ""
    shared_shape = ""
    shared: SharedShape | None = None
    if double_colon >= 0:
        for a, b in split_top(masked, ",", position, double_colon):
            attribute = text[a:b].strip()
            word = attribute.split("(")[0].strip().lower()
            if word in ("dimension", "intent") and not ("(" in attribute and attribute.endswith(")")):
                return None
            if word == "dimension":
                shared = SharedShape(a - 1, (masked.index("(", a) + 1, masked.rindex(")", a, b)), trim(text, a, b)[1])
                shared_shape = text[slice(*shared.span)]
            elif word == "intent":
                intent = "".join(attribute[attribute.index("(") + 1 : attribute.rindex(")")].lower().split())
            elif word:
                attributes.add("codimension" if word.startswith("codimension") else word)
        position = double_colon + 2
    elif masked[position:].lstrip().startswith(","):
        position += masked[position:].index(",") + 1
    deferred = bool(attributes & {"allocatable", "pointer"})
    ranges = split_top(masked, ",", position)
    symbols: list[Symbol] = []
    for a, b in ranges:
        symbol = _entity(line, masked, a, b, ftype, shared_shape, fixed(attributes), intent, deferred, len(ranges))
        if symbol is None:
            return None
        symbols.append(symbol if shared is None else replace(symbol, shared_shape=shared))
    return tuple(symbols)


def entity_spans(line: LogicalLine) -> list[tuple[int, int]]:
    """The places of all that a declaration lists, or a ``dimension`` statement, whatever else declares of it."""
    declared = parse_declaration(line)
    if declared is not None:
        return [symbol.entity_span for symbol in declared]
    masked = mask_strings(line.text)
    listed = masked[len(_DIMENSION) :].lstrip(": ")
    return [trim(line.text, a, b) for a, b in split_top(masked, ",", len(masked) - len(listed))]


def enumerators(lines: Iterable[LogicalLine]) -> Iterator[Symbol]:
    """The named constants that the statements of an enumeration declare (Fortran 2018, 7.6.1): each is one more than
    the one before, where it has no value, and the first is zero then. Their kind is that of ``enum`` in C, which has
    four bytes for all compilers that hfpy knows about.

    Raises GrammarError if a value is no expression.
    """
    ftype = FType("integer", fragment("4"), "", "integer(4)")
    following = fragment("0")
    for line in lines:
        masked = mask_strings(line.text)
        word = _ENUMERATOR.match(masked)
        ranges = split_top(masked, ",", word.end()) if word else []
        for a, b in ranges:
            attributes = frozenset({"parameter", "initialised"})
            symbol = _entity(line, masked, a, b, ftype, "", attributes, "", False, len(ranges))
            if symbol is None:
                continue
            yield replace(symbol, initial=symbol.initial or following)
            value = (symbol.initial or following).text
            following = fragment(str(int(value) + 1) if value.isdecimal() else f"{symbol.name} + 1")


def attribute_spans(line: LogicalLine, attributes: Collection[str]) -> Iterator[tuple[int, int]]:
    """The places of some attributes (lower case, no arguments) in a type declaration, with the comma before each."""
    masked = mask_strings(line.text)
    typed = type_spec(line.text, masked)
    double_colon = find_top(masked, ("::",), typed[1]) if typed is not None else -1
    if typed is None or double_colon < 0:
        return
    for a, b in split_top(masked, ",", typed[1], double_colon):
        start, end = trim(line.text, a, b)
        if line.text[start:end].lower() in attributes:
            yield a - 1, end


def _entity(
    line: LogicalLine,
    masked: str,
    start: int,
    end: int,
    ftype: FType,
    shared_shape: str,
    attributes: frozenset[str],
    intent: str,
    deferred: bool,
    count: int,
) -> Symbol | None:
    found = _ENTITY.match(masked, start, end)
    if not found:
        return None
    text = line.text
    position = found.end()
    shape_span: tuple[int, int] | None = None
    shape_text = shared_shape
    if masked[position : position + 1] == "(" and position < end:
        closing = matching(masked, position)
        if closing < 0:
            return None
        shape_span = (position + 1, closing)
        shape_text = text[position + 1 : closing]
        position = closing + 1
    rest = text[position:end].strip()
    initial = fragment(rest.partition("=")[2].lstrip(">")) if "=" in rest else None
    more = {"initialised"} if initial else set[str]()
    more |= {"codimension"} if rest.startswith("[") else set()
    return Symbol(
        name=found.group(1).lower(),
        type=ftype,
        shape=shape_of(shape_text, deferred),
        attributes=attributes | more if more else attributes,
        intent=intent,
        initial=initial,
        line=line,
        name_span=found.span(1),
        shape_span=shape_span,
        entity_span=trim(text, start, end),
        entity_count=count,
    )


def implicit_types(rules: str) -> list[tuple[str, FType]]:
    """What an ``implicit`` statement says after its first word: letters that names begin with, and their type
    (Fortran 2018, 8.7). Rules that are none are left out.
    """
    found: list[tuple[str, FType]] = []
    for start, end in split_top(rules, ","):
        piece = rules[start:end].strip()
        opening = piece.rfind("(")
        text, letters = piece[:opening].strip(), piece[opening + 1 : -1]
        typed = type_spec(text, text) if opening > 0 and piece.endswith(")") else None
        if typed is not None:
            found.append((_letters(letters), typed[0]))
    return found


def _letters(text: str) -> str:
    """The letters that ``a-h, o-z`` means."""
    found = ""
    for item in text.split(","):
        low, _, high = item.strip().partition("-")
        if low:
            found += "".join(map(chr, range(ord(low[0]), ord((high.strip() or low)[0]) + 1)))
    return found


def is_dimension_statement(line: LogicalLine) -> bool:
    """Whether a line that declares arrays does so without a type: a ``dimension`` statement."""
    return line.text.lower().startswith(_DIMENSION)
