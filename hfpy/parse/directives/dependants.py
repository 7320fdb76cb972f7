"""The lines of a ``@domainDependant`` block (hybrid-fortran.md §3.3)."""

from __future__ import annotations

import re

from hfpy.diagnostics import Diagnostic, Place, error, warning
from hfpy.model.directives import Domain, Width
from hfpy.model.source import LogicalLine
from hfpy.parse.directives.directives import (
    NO_SIZES,
    Directive,
    Sizes,
    check_names,
    domains_of,
    listed_words,
    single_entry,
)
from hfpy.parse.directives.widths import widths_of
from hfpy.parse.text.tokens import split_top, trim
from hfpy.values import dataclass

DEPENDANT_ATTRIBUTES = (
    "attribute",
    "domname",
    "domsize",
    "accpp",
    "dompp",
    "declarationprefix",
    "decomposed",
    "halowidth",
)
DEPENDANT_FLAGS = ("autodom", "present", "transferhere", "host")


@dataclass(frozen=True, slots=True)
class DependantsHead:
    """The first line of a ``@domainDependant`` block, taken apart."""

    domains: tuple[Domain, ...]
    flags: frozenset[str]
    access_macro: str
    domain_macro: str
    declaration_prefix: str
    decomposed: str = ""
    halo_widths: tuple[Width, ...] = ()


def dependants_of(
    directive: Directive, line: LogicalLine, file: str, known: Sizes = NO_SIZES
) -> tuple[DependantsHead | None, list[Diagnostic]]:
    """What a ``@domainDependant`` line says (§3.3); ``known`` are sizes of the project's domains."""
    problems = check_names(directive, line, file, DEPENDANT_ATTRIBUTES)
    if problems:
        return None, problems
    domains, more = domains_of(directive, line, file, known)
    problems += more
    flags, more = listed_words(directive, "attribute", DEPENDANT_FLAGS, line, file)
    problems += more
    if problems:
        return None, problems
    decomposed, widths, problems = _belonging(directive, line, file)
    if problems:
        return None, problems
    states = [f for f in ("transferhere", "present", "host") if f in flags]
    keep = frozenset(f for f in flags if f == "autodom") | frozenset(states[:1])
    head = DependantsHead(
        domains,
        keep,
        single_entry(directive, "accpp"),
        single_entry(directive, "dompp"),
        single_entry(directive, "declarationprefix"),
        decomposed,
        widths,
    )
    if len(states) > 1:
        attribute = directive.get("attribute")
        place = line.place(file, attribute.start, attribute.end) if attribute else line.place(file)
        return head, [warning("HF210", f"states {', '.join(states)} in one block: {states[0]} holds", place)]
    return head, []


def _belonging(directive: Directive, line: LogicalLine, file: str) -> tuple[str, tuple[Width, ...], list[Diagnostic]]:
    """The decomposition that the arrays belong to, and the widths of their halos (distributed.md §3.1)."""
    named, given = directive.get("decomposed"), directive.get("halowidth")
    problems: list[Diagnostic] = []
    widths: tuple[Width, ...] = ()
    name = single_entry(directive, "decomposed").lower()
    if named is not None and (len(named.entries) != 1 or not re.fullmatch(r"[a-z]\w*", name)):
        place = line.place(file, named.start, named.end)
        problems.append(error("HF202", "'decomposed' needs the name of a decomposition", place, "decomposed(grid)"))
    if given is not None:
        widths, more = widths_of("haloWidth", given.entries, line.place(file, given.start, given.end))
        problems += more
    return name, widths, problems


def names_line(line: LogicalLine, file: str) -> tuple[list[tuple[str, Place]], list[Diagnostic]]:
    """The names on one line of a ``@domainDependant`` block (trailing comma allowed; ``obj%member`` accepted)."""
    names: list[tuple[str, Place]] = []
    problems: list[Diagnostic] = []
    text = line.text[1:] if line.text.startswith("@") else line.text
    shift = len(line.text) - len(text)
    for begin, end in split_top(text, ","):
        a, b = trim(text, begin, end)
        if a == b:
            continue
        word = text[a:b]
        place = line.place(file, a + shift, b + shift)
        if not re.fullmatch(r"[A-Za-z_]\w*(\s*(\([^()]*\))?\s*%\s*[A-Za-z_]\w*)*", word):
            hint = "is @end domainDependant missing?"
            problems.append(error("HF202", f"'{word}' is no list of names", place, hint))
            break
        names.append((re.sub(r"\s+", "", word).lower(), place))
    return names, problems
