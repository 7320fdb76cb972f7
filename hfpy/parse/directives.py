"""The grammar of directives (hybrid-fortran.md §3; additions: design §5, kernel-metadata §2.1).

    directive := '@' keyword '{' [ attribute { [','] attribute } ] '}' [anything]
    attribute := name '(' entry { ',' entry } ')'  |  flag
    end       := '@end' keyword [anything]
    serial    := '@serial' ':' reason

Names are case-insensitive; entries are split at commas of depth 0; unknown names are errors with a suggestion.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from types import MappingProxyType

from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.model.directives import Domain, IfDirective, Reduction, Region, Width
from hfpy.model.expressions import Fragment
from hfpy.model.source import LogicalLine
from hfpy.options import schedule_fault
from hfpy.parse.fragments import ONE, dim_of, fragment
from hfpy.parse.grammar import GrammarError
from hfpy.parse.tokens import matching, split_top, trim
from hfpy.parse.widths import widths_of

#: Keywords of the directives for many processes.
DISTRIBUTED = ("decomposition", "haloexchange", "wholegrid")
Sizes = Mapping[str, str]  # of the project's domains, by the names that mean them
NO_SIZES: Sizes = MappingProxyType({})
KEYWORDS = (
    "parallelregion",
    "domaindependant",
    "stencilprogram",
    "decomposition",
    "haloexchange",
    "wholegrid",
    "scheme",
    "serial",
    "if",
    "exit",
)

REGION_ATTRIBUTES = (
    "domname domsize appliesto startat endat template reduction private name backend schedule collapse unroll tile "
    "march share team block fuse annotate transform specialise specialize async stride independent distinct halo"
).split()
# Attributes that name iterators with numbers, and all that say how a region is to be computed.
MOST_COPIES = 256  # that unroll makes of a body
FACTORS = ("unroll", "tile", "march", "share", "team")
HINTS = (*FACTORS, "block", "fuse", "annotate", "transform", "specialise", "specialize", "async")
REGION_FLAGS = ("vector", "explicit")
TARGETS = ("cpu", "gpu")
OPERATORS = "+ * - max min iand ior ieor .and. .or. .eqv. .neqv.".split()
ARCHITECTURES = ("cpu", "host", "cuda", "gpu", "nvd", "nvidia", "openacc")
POSITIONS = ("within", "inside", "outside")
_SPELLING = {"domaindependent": "domaindependant"}
_WORD = re.compile(r"[A-Za-z_]\w*")
_END = re.compile(r"@\s*end\s*([A-Za-z]\w*)", re.IGNORECASE)
_START = re.compile(r"@\s*([A-Za-z]\w*)\s*(\{)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute as written: name in lower case, entries as written, place in the logical line."""

    name: str
    entries: tuple[str, ...]
    start: int
    end: int
    flag: bool = False


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive line taken apart: keyword in lower case, whether it is an end, and its attributes."""

    keyword: str
    end: bool
    attributes: tuple[Attribute, ...]

    def get(self, name: str) -> Attribute | None:
        """The attribute of that name, or None."""
        return next((a for a in self.attributes if a.name == name), None)


_SHOWN = {
    word.lower(): word
    for word in (
        "domName domSize appliesTo startAt endAt accPP domPP declarationPrefix autoDom transferHere CPU GPU MAX MIN "
        "IAND IOR "
        "IEOR haloWidth parallelRegion domainDependant stencilProgram haloExchange wholeGrid"
    ).split()
}


def shown_keyword(keyword: str) -> str:
    """A keyword as the language spells it."""
    return _SHOWN.get(keyword, keyword)


def suggestion(word: str, known: tuple[str, ...] | list[str]) -> str:
    """A hint that names the nearest known word, or all of them, as the language spells them."""
    near = difflib.get_close_matches(word.lower(), known, 1, 0.6)
    if near:
        return f"did you mean '{_SHOWN.get(near[0], near[0])}'?"
    return "known are: " + ", ".join(_SHOWN.get(k, k) for k in known)


def parse_directive(line: LogicalLine, file: str) -> tuple[Directive | None, list[Diagnostic]]:
    """Take a directive line apart; None with diagnostics if it cannot be."""
    text = line.text
    found = _END.match(text)
    if found:
        keyword = _SPELLING.get(found.group(1).lower(), found.group(1).lower())
        if keyword not in KEYWORDS:
            return None, [_unknown(line, file, found.start(1), found.end(1))]
        return Directive(keyword, True, ()), []
    found = _START.match(text)
    if not found:
        return None, [error("HF200", "a directive needs a keyword after '@'", line.place(file), ", ".join(KEYWORDS))]
    keyword = _SPELLING.get(found.group(1).lower(), found.group(1).lower())
    if keyword not in KEYWORDS:
        return None, [_unknown(line, file, found.start(1), found.end(1))]
    if keyword == "exit":
        return Directive(keyword, False, ()), []
    if keyword == "serial":
        return _serial(line, file, found.end(1))
    if not found.group(2) and keyword in ("parallelregion", "wholegrid") and not text[found.end() :].strip():
        return Directive(keyword, False, ()), []  # all of it comes from the loops behind
    if not found.group(2):
        hint = f"write @{found.group(1)}{{…}}"
        return None, [error("HF202", f"@{found.group(1)} needs braces", line.place(file), hint)]
    closing = text.rfind("}")
    if closing < 0:
        place = line.place(file, found.start(2), found.end(2))
        return None, [error("HF204", "the brace is not closed", place, "continue a directive over lines with '&'")]
    attributes, problems = _attributes(line, file, found.end(2), closing)
    if problems:
        return None, problems
    return Directive(keyword, False, tuple(attributes)), []


def _serial(line: LogicalLine, file: str, start: int) -> tuple[Directive | None, list[Diagnostic]]:
    """``@serial: reason``."""
    rest = line.text[start:].strip()
    reason = rest[1:].strip()
    if rest[:1] != ":" or not reason:
        hint = "write why: @serial: each turn needs the one before"
        return None, [error("HF202", "@serial needs a reason", line.place(file), hint)]
    return Directive("serial", False, (Attribute("reason", (reason,), start, len(line.text)),)), []


def is_serial(line: LogicalLine) -> bool:
    """Whether a directive line is ``@serial``."""
    return line.directive and line.compact.startswith("@serial:")


def is_scheme(line: LogicalLine) -> bool:
    """Whether a directive line is ``@scheme`` or its end."""
    text = line.text.lstrip("@").strip().lower()
    return text.startswith(("scheme", "end scheme", "endscheme"))


def is_region_end(line: LogicalLine) -> bool:
    """Whether a line is ``@end parallelRegion``."""
    return line.directive and line.compact.startswith("@endparallelregion")


def _unknown(line: LogicalLine, file: str, start: int, end: int) -> Diagnostic:
    word = line.text[start:end]
    shown = [_SHOWN.get(word, word) for word in KEYWORDS]
    near = difflib.get_close_matches(word.lower(), KEYWORDS, 1, 0.6)
    hint = f"did you mean '{shown[KEYWORDS.index(near[0])]}'?" if near else "known are: " + ", ".join(shown)
    return error("HF200", f"unknown directive '@{word}'", line.place(file, start, end), hint)


def _attributes(line: LogicalLine, file: str, start: int, end: int) -> tuple[list[Attribute], list[Diagnostic]]:
    text = line.text
    result: list[Attribute] = []
    problems: list[Diagnostic] = []
    position = start
    while position < end:
        if text[position] in " \t,}":
            position += 1
            continue
        word = _WORD.match(text, position)
        if word is None:
            problems.append(
                error(
                    "HF202",
                    f"'{text[position]}' where an attribute was expected",
                    line.place(file, position, position + 1),
                )
            )
            break
        name, begin = word.group(), word.start()
        position = word.end()
        while position < end and text[position] in " \t":
            position += 1
        if position >= end or text[position] != "(":
            result.append(Attribute(name.lower(), (), begin, word.end(), True))
            continue
        closing = matching(text[:end], position)
        if closing < 0:
            problems.append(error("HF202", f"the parenthesis of '{name}' is not closed", line.place(file, begin, end)))
            break
        spans = [trim(text, *span) for span in split_top(text, ",", position + 1, closing)]
        entries = tuple(text[a:b] for a, b in spans)
        if not entries or any(not e for e in entries):
            problems.append(error("HF202", f"'{name}' has an empty entry", line.place(file, begin, closing + 1)))
        result.append(Attribute(name.lower(), entries, begin, closing + 1))
        position = closing + 1
    return result, problems


def check_names(
    directive: Directive, line: LogicalLine, file: str, known: list[str] | tuple[str, ...], flags: tuple[str, ...] = ()
) -> list[Diagnostic]:
    """Unknown, misplaced and repeated attributes (B16)."""
    problems: list[Diagnostic] = []
    seen: set[str] = set()
    for attribute in directive.attributes:
        place = line.place(file, attribute.start, attribute.end)
        if attribute.flag and attribute.name in flags:
            continue
        if attribute.name not in known:
            hint = suggestion(attribute.name, [*known, *flags])
            spelled = line.text[attribute.start : attribute.end].split("(")[0].strip()
            keyword = _SHOWN.get(directive.keyword, directive.keyword)
            problems.append(error("HF201", f"unknown attribute '{spelled}' of @{keyword}", place, hint))
        elif attribute.flag:
            problems.append(error("HF202", f"attribute '{attribute.name}' needs parentheses with a value", place))
        elif attribute.name in seen and attribute.name not in ("reduction", "annotate"):
            problems.append(error("HF202", f"attribute '{attribute.name}' is given twice", place))
        seen.add(attribute.name)
    return problems


def domains_of(
    directive: Directive, line: LogicalLine, file: str, known: Sizes = NO_SIZES
) -> tuple[tuple[Domain, ...], list[Diagnostic]]:
    """The pairs of domName and domSize; without domSize those that the project has ``known`` sizes of."""
    names, sizes = directive.get("domname"), directive.get("domsize")
    if names is None and sizes is None:
        return (), []
    if names is not None and sizes is None:
        listed = [known.get(name.lower(), "") for name in names.entries]
        sizes = replace(names, name="domsize", entries=tuple(listed)) if all(listed) else None
    if names is None or sizes is None:
        missing = "domName" if names is None else "domSize"
        unknown = next((n for n in names.entries if n.lower() not in known), "") if names is not None else ""
        hint = f", or name '{unknown}' in [domains] of hfpy.toml" if unknown else ""
        hint = f"domName and domSize come in pairs: give {missing}{hint}"
        return (), [error("HF208", f"{missing} is missing", line.place(file), hint)]
    place = line.place(file, names.start, max(names.end, sizes.end))
    if len(names.entries) != len(sizes.entries):
        message = f"domName has {len(names.entries)} entries, domSize {len(sizes.entries)}"
        return (), [error("HF203", message, place, "one size for each name, separated by commas")]
    lowered = [n.lower() for n in names.entries]
    problems = [
        error("HF202", f"'{name}' is no iterator name", place) for name in names.entries if not _WORD.fullmatch(name)
    ]
    problems += [
        error("HF211", f"domain '{n}' is named twice", place) for i, n in enumerate(lowered) if n in lowered[:i]
    ]
    domains: list[Domain] = []
    for name, size in zip(lowered, sizes.entries, strict=True):
        try:
            domains.append(Domain(name, dim_of(size)))
        except GrammarError as fault:
            problems.append(_no_expression("domSize", fault, line.place(file, sizes.start, sizes.end)))
            domains.append(Domain(name, dim_of("1")))
        if domains[-1].extent.open:
            message = f"'{size}' is no size of a domain"
            hint = "a size is an expression n, which means 1 to n, or a range a:b"
            problems.append(error("HF202", message, line.place(file, sizes.start, sizes.end), hint))
    return tuple(domains), problems


def _no_expression(attribute: str, fault: GrammarError, place: Place) -> Diagnostic:
    return error("HF202", f"an entry of '{attribute}' cannot be parsed: {fault}", place)


def _bounds(
    directive: Directive, name: str, count: int, default: tuple[Fragment, ...], line: LogicalLine, file: str
) -> tuple[tuple[Fragment, ...], list[Diagnostic]]:
    attribute = directive.get(name)
    if attribute is None:
        return default, []
    if len(attribute.entries) != count:
        place = line.place(file, attribute.start, attribute.end)
        message = f"'{name}' has {len(attribute.entries)} entries for {count} domains"
        return default, [error("HF203", message, place)]
    try:
        return tuple(fragment(entry) for entry in attribute.entries), []
    except GrammarError as fault:
        return default, [_no_expression(name, fault, line.place(file, attribute.start, attribute.end))]


_NAME_LISTS = ("private", "independent", "distinct")


def region_of(
    directive: Directive, line: LogicalLine, file: str, known: Sizes = NO_SIZES
) -> tuple[Region | None, list[Diagnostic]]:
    """The region that a ``@parallelRegion`` line declares (§3.2); ``known`` are sizes of the project's domains."""
    problems = check_names(directive, line, file, REGION_ATTRIBUTES, REGION_FLAGS)
    if problems:
        return None, problems  # an unknown name may be the one that is missing
    domains, more = domains_of(directive, line, file, known)
    problems += more
    if not domains and not more:
        hint = "@parallelRegion{domName(x,y), domSize(NX,NY)}"
        problems.append(error("HF208", "a region needs domName and domSize", line.place(file), hint))
    count = len(domains)
    starts, more = _bounds(directive, "startat", count, tuple(d.extent.lower or ONE for d in domains), line, file)
    problems += more
    ends, more = _bounds(directive, "endat", count, tuple(d.extent.upper or ONE for d in domains), line, file)
    problems += more
    strides, more = _bounds(directive, "stride", count, (), line, file)
    problems += more
    targets, more = listed_words(directive, "appliesto", TARGETS, line, file)
    problems += more
    reductions, more = _reductions(directive, line, file)
    problems += more
    problems += factor_problems(directive, line, file, [d.name for d in domains])
    halo, more = _halo(directive, line, file, [d.name for d in domains])
    problems += more
    problems += problems or _loop_problems(directive, line, file, count)
    if problems:
        return None, problems
    lists = (directive.get(name) for name in _NAME_LISTS)
    private, independent, distinct = (tuple(e.lower() for e in x.entries) if x else () for x in lists)
    collapse = directive.get("collapse")
    return (
        Region(
            domains=domains,
            starts=starts,
            ends=ends,
            stated=frozenset(name for name in ("startat", "endat") if directive.get(name) is not None),
            applies_to=frozenset(targets),
            line=line,
            place=line.place(file),
            template=single_entry(directive, "template"),
            reductions=reductions,
            vector=any(a.flag and a.name == "vector" for a in directive.attributes),
            explicit=any(a.flag and a.name == "explicit" for a in directive.attributes),
            strides=strides,
            name=single_entry(directive, "name"),
            backend=single_entry(directive, "backend").lower(),
            schedule=single_entry(directive, "schedule"),
            collapse=int(collapse.entries[0]) if collapse else 0,
            private=private,
            independent=independent,
            distinct=distinct,
            hints=tuple((a.name, a.entries) for a in directive.attributes if a.name in HINTS),
            halo=halo,
        ),
        [],
    )


def _halo(
    directive: Directive, line: LogicalLine, file: str, iterators: list[str]
) -> tuple[tuple[Width, ...], list[Diagnostic]]:
    """The widths of ``halo(i:1, j:0:1)`` by iterators of the region."""
    attribute = directive.get("halo")
    if attribute is None:
        return (), []
    place = line.place(file, attribute.start, attribute.end)
    widths, problems = widths_of("halo", attribute.entries, place)
    others = [width.domain for width in widths if width.domain not in iterators]
    problems += [
        error("HF202", f"'{name}' is no iterator of this region", place, suggestion(name, iterators)) for name in others
    ]
    return widths, problems


def _loop_problems(directive: Directive, line: LogicalLine, file: str, loops: int) -> list[Diagnostic]:
    """What is wrong with lists of variables, ``schedule`` and ``collapse`` of a region with so many loops."""
    found = []
    for attribute in (directive.get(name) for name in _NAME_LISTS):
        if attribute and (wrong := [e for e in attribute.entries if not _WORD.fullmatch(e)]):
            place = line.place(file, attribute.start, attribute.end)
            found.append(error("HF202", f"'{wrong[0]}' is no name of a variable", place))
    asked = directive.get("schedule")
    if asked and (fault := schedule_fault(",".join(asked.entries))):
        found.append(error("HF210", fault, line.place(file, asked.start, asked.end)))
    collapse = directive.get("collapse")
    if collapse and not (collapse.entries[0].isdigit() and 0 < int(collapse.entries[0]) <= loops):
        place = line.place(file, collapse.start, collapse.end)
        found.append(error("HF202", "collapse takes a number of loops of this region", place))
    return found


def factor_problems(directive: Directive, line: LogicalLine, file: str, iterators: list[str]) -> list[Diagnostic]:
    """What is wrong with ``unroll(j:2)``, ``tile(i:32, j:8)``, ``share(i:32, j:8)`` and ``march(k:10)``: each entry is
    an iterator and a number above 0; a thread marches along one iterator, which is not the first.
    """
    problems: list[Diagnostic] = []
    for attribute in directive.attributes:
        if attribute.name not in FACTORS:
            continue
        place = line.place(file, attribute.start, attribute.end)
        if attribute.name == "march" and (len(attribute.entries) != 1 or _first_of(attribute.entries[0], iterators)):
            hint = f"write march({iterators[-1]}:10)" if len(iterators) > 1 else ""
            message = "a thread marches along one iterator, and not along the first"
            problems.append(error("HF202", message, place, hint))
            continue
        seen: set[str] = set()
        for entry in attribute.entries:
            name, _, number = (part.strip().lower() for part in entry.partition(":"))
            if not number.isdigit() or int(number) < 1:
                hint = f"write {attribute.name}({name or 'i'}:4)"
                problems.append(error("HF202", f"'{entry}' is no iterator with a number", place, hint))
            elif name not in iterators and attribute.name != "team":  # whose loops stand in the body
                hint = suggestion(name, iterators)
                problems.append(error("HF202", f"'{name}' is no iterator of this region", place, hint))
            elif name in seen:
                problems.append(error("HF202", f"'{name}' is named twice", place))
            elif len(number) > 9:
                problems.append(error("HF202", f"the number of '{name}' is too large", place))
            seen.add(name)
        if attribute.name == "unroll":
            problems += _too_many_copies(attribute.entries, place)
    return problems


def _too_many_copies(entries: Sequence[str], place: Place) -> list[Diagnostic]:
    """An error for ``unroll`` with numbers whose product is beyond :data:`MOST_COPIES`."""
    numbers = [number.strip() for _, _, number in (entry.partition(":") for entry in entries)]
    copies = prod(int(n) for n in numbers if n.isdigit() and len(n) <= 9)
    if copies <= MOST_COPIES:
        return []
    return [error("HF202", f"this makes {copies} copies of the body; {MOST_COPIES} are the most", place)]


def _first_of(entry: str, iterators: list[str]) -> bool:
    return entry.partition(":")[0].strip().lower() in iterators[:1]


def single_entry(directive: Directive, name: str) -> str:
    """The value of an attribute as one text; empty without it."""
    attribute = directive.get(name)
    return ", ".join(attribute.entries) if attribute else ""


def listed_words(
    directive: Directive, name: str, known: tuple[str, ...], line: LogicalLine, file: str
) -> tuple[tuple[str, ...], list[Diagnostic]]:
    """The entries of an attribute in lower case, and errors for those that are not known."""
    attribute = directive.get(name)
    if attribute is None:
        return (), []
    place = line.place(file, attribute.start, attribute.end)
    words = tuple(e.lower() for e in attribute.entries)
    return words, [
        error("HF210", f"unknown value '{w}' of '{name}'", place, suggestion(w, known)) for w in words if w not in known
    ]


def _reductions(directive: Directive, line: LogicalLine, file: str) -> tuple[tuple[Reduction, ...], list[Diagnostic]]:
    result: list[Reduction] = []
    problems: list[Diagnostic] = []
    for attribute in directive.attributes:
        if attribute.name != "reduction":
            continue
        place = line.place(file, attribute.start, attribute.end)
        op = ""
        for entry in attribute.entries:
            head, colon, tail = entry.partition(":")
            op = head.strip().lower() if colon else op
            name = (tail if colon else entry).strip()
            if not op or not _WORD.fullmatch(name):
                problems.append(error("HF202", "a reduction is written reduction(op:name)", place))
            elif op not in OPERATORS:
                problems.append(error("HF209", f"unknown reduction operator '{op}'", place, suggestion(op, OPERATORS)))
            else:
                result.append(Reduction(op, name.lower()))
    return tuple(result), problems


def if_of(directive: Directive, line: LogicalLine, file: str) -> tuple[IfDirective | None, list[Diagnostic]]:
    """The condition of an ``@if`` (§3.5)."""
    known = {"architecture": ARCHITECTURES, "parallelregion": POSITIONS}
    problems = check_names(directive, line, file, tuple(known))
    if not problems and len(directive.attributes) != 1:
        problems.append(error("HF208", "@if takes exactly one condition", line.place(file), "architecture(GPU)"))
    if problems:
        return None, problems
    attribute = directive.attributes[0]
    words, problems = listed_words(directive, attribute.name, known[attribute.name], line, file)
    if problems:
        return None, problems
    return IfDirective(attribute.name, words, line), []


def scheme_of(directive: Directive, line: LogicalLine, file: str) -> tuple[str, list[Diagnostic]]:
    """The name of a ``@scheme``: ``name(X)``, or the short form ``{X}`` (B16)."""
    if len(directive.attributes) == 1 and directive.attributes[0].flag:
        attribute = directive.attributes[0]
        return line.text[attribute.start : attribute.end].upper(), []
    problems = check_names(directive, line, file, ("name",))
    attribute_or_none = directive.get("name")
    if attribute_or_none is None and not problems:
        problems.append(error("HF208", "@scheme needs a name", line.place(file), "@scheme{name(HOST_ONLY)}"))
    if problems or attribute_or_none is None:
        return "", problems
    return attribute_or_none.entries[0].upper(), []
