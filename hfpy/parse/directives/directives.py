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
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from hfpy.diagnostics import Diagnostic, Fix, Place, error
from hfpy.model.directives import Domain, IfDirective
from hfpy.model.source import LogicalLine
from hfpy.parse.expressions.fragments import dim_of
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.text.tokens import matching, split_top, trim
from hfpy.values import dataclass

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

ARCHITECTURES = ("cpu", "host", "cuda", "gpu", "nvd", "nvidia", "openacc")
POSITIONS = ("within", "inside", "outside")
_SPELLING = {"domaindependent": "domaindependant"}
WORD = re.compile(r"[A-Za-z_]\w*")
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
    near = _nearest(word, known)
    return f"did you mean '{near}'?" if near else "known are: " + ", ".join(_SHOWN.get(k, k) for k in known)


def _nearest(word: str, known: tuple[str, ...] | list[str]) -> str:
    near = difflib.get_close_matches(word.lower(), known, 1, 0.6)
    return _SHOWN.get(near[0], near[0]) if near else ""


def respelled(word: str, known: tuple[str, ...] | list[str], line: LogicalLine, file: str, start: int) -> list[Fix]:
    """The fix that writes the nearest known word in the place of the first ``word`` after an offset; none without
    one.
    """
    near = _nearest(word, known)
    found = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE).search(line.text, start) if near else None
    return [Fix(line.place(file, *found.span()), near)] if found else []


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
        return Directive(keyword, False, ()), []  # all of it comes from the loops after
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
    found = error("HF200", f"unknown directive '@{word}'", line.place(file, start, end), suggestion(word, KEYWORDS))
    return found.proposing(*respelled(word, KEYWORDS, line, file, start))


def _attributes(line: LogicalLine, file: str, start: int, end: int) -> tuple[list[Attribute], list[Diagnostic]]:
    text = line.text
    result: list[Attribute] = []
    problems: list[Diagnostic] = []
    position = start
    while position < end:
        if text[position] in " \t,}":
            position += 1
            continue
        word = WORD.match(text, position)
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
            unknown = error("HF201", f"unknown attribute '{spelled}' of @{keyword}", place, hint)
            near = respelled(spelled, [*known, *flags], line, file, attribute.start)
            problems.append(unknown.proposing(*near))
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
        error("HF202", f"'{name}' is no iterator name", place) for name in names.entries if not WORD.fullmatch(name)
    ]
    problems += [
        error("HF211", f"domain '{n}' is named twice", place) for i, n in enumerate(lowered) if n in lowered[:i]
    ]
    domains: list[Domain] = []
    for name, size in zip(lowered, sizes.entries, strict=True):
        try:
            domains.append(Domain(name, dim_of(size)))
        except GrammarError as fault:
            problems.append(no_expression("domSize", fault, line.place(file, sizes.start, sizes.end)))
            domains.append(Domain(name, dim_of("1")))
        if domains[-1].extent.open:
            message = f"'{size}' is no size of a domain"
            hint = "a size is an expression n, which means 1 to n, or a range a:b"
            problems.append(error("HF202", message, line.place(file, sizes.start, sizes.end), hint))
    return tuple(domains), problems


def no_expression(attribute: str, fault: GrammarError, place: Place) -> Diagnostic:
    """The error for an entry of an attribute that is no expression."""
    return error("HF202", f"an entry of '{attribute}' cannot be parsed: {fault}", place)


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
        error("HF210", f"unknown value '{w}' of '{name}'", place, suggestion(w, known)).proposing(
            *respelled(w, known, line, file, attribute.start + len(name))
        )
        for w in words
        if w not in known
    ]


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
