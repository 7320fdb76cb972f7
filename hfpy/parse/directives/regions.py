"""The attributes of ``@parallelRegion`` (hybrid-fortran.md §3.2; additions: kernel-metadata §2.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod

from hfpy.diagnostics import Diagnostic, Place, error
from hfpy.model.directives import Reduction, Region, Width
from hfpy.model.expressions import Fragment
from hfpy.model.source import LogicalLine
from hfpy.options import schedule_fault
from hfpy.parse.directives.directives import (
    NO_SIZES,
    WORD,
    Directive,
    Sizes,
    check_names,
    domains_of,
    listed_words,
    no_expression,
    parse_directive,
    single_entry,
    suggestion,
)
from hfpy.parse.directives.widths import widths_of
from hfpy.parse.expressions.fragments import ONE, fragment
from hfpy.parse.expressions.grammar import GrammarError

REGION_ATTRIBUTES = (
    "domname domsize appliesto startat endat template reduction private name backend schedule collapse unroll tile "
    "march share team block fuse annotate transform specialise specialize async stride independent distinct halo "
    "columns local"
).split()
# Attributes that name iterators with numbers, and all that say how a region is to be computed.
MOST_COPIES = 256  # that unroll makes of a body
MOST_QUEUES = 16  # as in hfpy_queues.cpp
FACTORS = ("unroll", "tile", "march", "share", "team")
HINTS = (*FACTORS, "block", "fuse", "annotate", "transform", "specialise", "specialize", "async")
REGION_FLAGS = ("vector", "explicit")
TARGETS = ("cpu", "gpu")
OPERATORS = "+ * - max min iand ior ieor .and. .or. .eqv. .neqv.".split()
#: Attributes that list variables.
NAME_LISTS = ("private", "independent", "distinct", "local")


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
    reductions, more = reductions_of(directive, line, file)
    problems += more
    problems += factor_problems(directive, line, file, [d.name for d in domains])
    problems += _size_problems(directive, line, file)
    problems += _name_problems(directive, line, file)
    problems += _queue_problems(directive, line, file)
    halo, more = _halo(directive, line, file, [d.name for d in domains])
    problems += more
    problems += problems or _loop_problems(directive, line, file, count)
    if problems:
        return None, problems
    lists = (directive.get(name) for name in NAME_LISTS)
    private, independent, distinct, local = (tuple(e.lower() for e in x.entries) if x else () for x in lists)
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
            local=local,
            hints=tuple((a.name, a.entries) for a in directive.attributes if a.name in HINTS),
            halo=halo,
        ),
        [],
    )


def _name_problems(directive: Directive, line: LogicalLine, file: str) -> list[Diagnostic]:
    """Entries that are no names where variables are listed."""
    problems = []
    for attribute in directive.attributes:
        for entry in attribute.entries if attribute.name in NAME_LISTS else ():
            if not WORD.fullmatch(entry):
                last = entry.split("(")[0].split("%")[-1].strip()
                place = line.place(file, attribute.start, attribute.end)
                message = f"'{entry}' in '{attribute.name}' is no name"
                problems.append(error("HF202", message, place, f"name the variable or component alone: {last}"))
    return problems


def listed_names(region: Region) -> Iterator[tuple[str, str, int]]:
    """The attributes of a region's directive that list variables, with each name there, in lower case, and its offset
    in the line.
    """
    directive, _ = parse_directive(region.line, region.place.file)
    for attribute in directive.attributes if directive is not None else ():
        offset = attribute.start + len(attribute.name)
        for entry in attribute.entries if attribute.name in NAME_LISTS else ():
            found = re.compile(rf"\b{re.escape(entry)}\b").search(region.line.text, offset)
            yield attribute.name, entry.lower(), found.start() if found else 0


def more_private(region: Region, names: Sequence[str]) -> tuple[int, str]:
    """What makes more variables private in a region's directive: the offset in its line, and what is inserted there."""
    directive, _ = parse_directive(region.line, region.place.file)
    attribute = directive.get("private") if directive is not None else None
    if attribute is None:
        return len(region.line.text) - 1, f", private({', '.join(names)})"
    return attribute.end - 1, f", {', '.join(names)}"


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
        return default, [no_expression(name, fault, line.place(file, attribute.start, attribute.end))]


def reductions_of(directive: Directive, line: LogicalLine, file: str) -> tuple[tuple[Reduction, ...], list[Diagnostic]]:
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
            if not op or not WORD.fullmatch(name):
                problems.append(error("HF202", "a reduction is written reduction(op:name)", place))
            elif op not in OPERATORS:
                problems.append(error("HF209", f"unknown reduction operator '{op}'", place, suggestion(op, OPERATORS)))
            else:
                result.append(Reduction(op, name.lower()))
    return tuple(result), problems


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
    for attribute in (directive.get(name) for name in NAME_LISTS):
        if attribute and (wrong := [e for e in attribute.entries if not WORD.fullmatch(e)]):
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
            elif name not in iterators and attribute.name != "team":  # whose loops are in the body
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


def _size_problems(directive: Directive, line: LogicalLine, file: str) -> list[Diagnostic]:
    """What is wrong with ``specialise(nz:60, nx)``: each entry is a name, alone or with a number above 0."""
    problems = []
    for attribute in directive.attributes:
        if attribute.name not in ("specialise", "specialize"):
            continue
        for entry in attribute.entries:
            name, colon, number = (part.strip() for part in entry.partition(":"))
            if not WORD.fullmatch(name) or (colon and not (number.isdigit() and 0 < int(number) < 2**31)):
                place = line.place(file, attribute.start, attribute.end)
                problems.append(error("HF202", f"'{entry}' is no size with a number", place, "write specialise(nx:64)"))
    return problems


def _queue_problems(directive: Directive, line: LogicalLine, file: str) -> list[Diagnostic]:
    """What is wrong with ``async(2)``: one number of a queue, from 1 on."""
    asked = directive.get("async")
    if asked is None or _is_queue(asked.entries):
        return []
    message = f"'async' takes the number of a queue, from 1 to {MOST_QUEUES}"
    return [error("HF202", message, line.place(file, asked.start, asked.end), "write async(1)")]


def _is_queue(entries: Sequence[str]) -> bool:
    number = entries[0] if len(entries) == 1 else ""
    return number.isdecimal() and number.isascii() and len(number) <= 2 and 1 <= int(number) <= MOST_QUEUES


def _too_many_copies(entries: Sequence[str], place: Place) -> list[Diagnostic]:
    """An error for ``unroll`` with numbers whose product is beyond :data:`MOST_COPIES`."""
    numbers = [number.strip() for _, _, number in (entry.partition(":") for entry in entries)]
    copies = prod(int(n) for n in numbers if n.isdigit() and len(n) <= 9)
    if copies <= MOST_COPIES:
        return []
    return [error("HF202", f"this makes {copies} copies of the body; {MOST_COPIES} are the most", place)]


def _first_of(entry: str, iterators: list[str]) -> bool:
    return entry.partition(":")[0].strip().lower() in iterators[:1]
