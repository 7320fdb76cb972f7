"""A program unit of the index, parsed: its specification and its executable part as a tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path

from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model import statements
from hfpy.model.directives import IfDirective
from hfpy.model.macros import Macro
from hfpy.model.names import unit_name
from hfpy.model.source import LogicalLine, source_text
from hfpy.model.statements import Node
from hfpy.model.targets import holds_architecture
from hfpy.model.units import POINTEE, FileIndex, Routine, Specification, Symbol, UnitIndex
from hfpy.options import Options
from hfpy.parse.blocks import BlockBuilder
from hfpy.parse.deadline import Deadline, TooSlow
from hfpy.parse.declarations.datastatements import with_late_data
from hfpy.parse.declarations.specification import SpecificationParser
from hfpy.parse.expressions.fragments import with_dimensions
from hfpy.parse.files import command_line_macros
from hfpy.parse.oldsizes import with_old_sizes
from hfpy.parse.statements.branches import assigned_labels
from hfpy.parse.text.lexer import includes, logical_lines
from hfpy.parse.text.limits import readable, within_limits
from hfpy.parse.text.preprocess import activity
from hfpy.suffixes import FIXED_COLUMNS


def unit_key(index: FileIndex, number: int) -> str:
    """The name of a unit in the whole application.

    ``module::routine``, ``::routine`` outside modules, ``program::name`` (with a number behind it where a file before
    has a program of this name), and the host's key before the name of an internal procedure.
    """
    unit = index.units[number]
    if unit.parent is not None:
        return f"{unit_key(index, unit.parent)}::{unit.name}"
    prefix = {"module": "", "submodule": "", "program": "program::"}.get(unit.kind, "::")
    mark = f"__{index.namesakes + 1}" if unit.kind == "program" and index.namesakes else ""
    return f"{prefix}{unit.name}{mark}"


class Includes:
    """Finds and lexes included files: beside the including file, then in the include directories. They have the form of
    that file, whatever their names (Fortran 2018, 6.4). Their ``#`` lines count where the ``macros`` are known.
    """

    def __init__(
        self,
        path: str,
        include_dirs: tuple[Path, ...],
        fixed: bool = False,
        macros: Mapping[str, Macro] | None = None,
        columns: int = FIXED_COLUMNS,
    ) -> None:
        self.folders = (Path(path).parent, *include_dirs)
        self.fixed = fixed
        self.macros = macros
        self.columns = columns

    def __call__(self, name: str, line: LogicalLine) -> list[LogicalLine] | None:
        """Logical lines of the file, each marked with it; None where it cannot be found."""
        for folder in self.folders:
            candidate = folder / name
            if not candidate.is_file() or readable(candidate):
                continue
            text = source_text(str(candidate), candidate.read_text(encoding="utf-8", errors="replace"))
            lines, _ = within_limits(str(candidate), self._lines(candidate, text.lines))
            return [
                LogicalLine(
                    item.text, item.segments, item.last, item.label, item.directive, item.comment, str(candidate)
                )
                for item in lines
            ]
        return None

    def _lines(self, path: Path, rows: Sequence[str]) -> list[LogicalLine]:
        active: Sequence[bool] | None = None
        includes: Sequence[str] = ()
        if self.macros is not None:
            seen = activity(rows, self.macros, path, self.folders, self.fixed)
            active, includes = seen.active, seen.includes
        read, _ = logical_lines(
            str(path), rows, hybrid=False, active=active, fixed=self.fixed, includes=includes, columns=self.columns
        )
        return read


def _module_of(index: FileIndex, unit: UnitIndex) -> str:
    parent = unit.parent
    name = unit.name if unit.kind in ("module", "submodule") else ""
    while parent is not None:
        outer = index.units[parent]
        if outer.kind in ("module", "submodule"):
            name = outer.name
        parent = outer.parent
    return name


def parse_unit(
    index: FileIndex,
    number: int,
    include_dirs: tuple[Path, ...] = (),
    limit: float = inf,
    macros: Mapping[str, Macro] | None = None,
    executable: bool = True,
) -> tuple[Routine, list[Diagnostic]]:
    """Parse one unit of a file in full (nested units are units of their own).

    What takes longer than ``limit`` seconds is given up: a diagnostic names the unit and how far it got. ``macros`` are
    those that all files see; without them no ``#`` lines of included files count. Without ``executable`` only what it
    declares is read.
    """
    unit = index.units[number]
    lines = list(index.lines[unit.first : unit.last + 1])
    known = None if macros is None else {**macros, **index.definitions}
    reader = Includes(index.path, include_dirs, index.fixed, known, index.columns)
    deadline = Deadline.after(limit)
    around = partial(_around, index, unit, reader)
    parser = SpecificationParser(index.path, reader, deadline, around, index.sizes, index.definitions)
    named = unit.kind != "program" or bool(unit.name)
    body: tuple[Node, ...] = ()
    body_first = -1
    executed: list[LogicalLine] = []
    last = lines[0].last
    late: list[Diagnostic] = []
    builder = BlockBuilder(index.path, index.sizes)
    try:
        stop = unit.contains - unit.first if unit.contains >= 0 else len(lines) - 1
        first = 1 if named else 0
        declares = unit.kind in ("module", "submodule", "blockdata")
        declared = list(unit.declared[1:])
        understood = parser.read(declared, 0, len(declared))
        late += [_unread(line, index.path) for line in declared[understood : understood + 1]]
        behind = parser.read(lines, first, max(stop, first))
        while (executed := parser.behind) and behind < stop:
            parser.behind = []
            more = parser.read(lines, behind, stop)
            if more == behind:
                break
            behind = more  # declarations follow: what hfpy did not understand were some, too
        while declares and behind < stop and _is_macro(lines[behind], index):
            behind = parser.read(lines, behind + 1, stop)  # what it declares, the compiler knows
        header = lines[0]
        last = max([line.last for line in lines[first:behind]] or [header.last if named else header.first - 1])
        body_first = lines[behind].first if behind < len(lines) else -1
        if not declares and executable:
            executable_lines = [*executed, *lines[behind:stop]]
            builder.assigned = partial(assigned_labels, executable_lines)
            builder.unknown = dict(_unknown(parser.state.symbols.values()))
            body = _executable(builder, reader, executable_lines, deadline)
        elif declares and behind < stop:
            late.append(_unread(lines[behind], index.path))
    except TooSlow as reached:
        given_up = _given_up(index, unit, limit, reached.line)
        return _routine(index, number, parser.result(last), (), body_first), [given_up]
    spec = parser.result(last)
    if index.definitions:
        spec = replace(spec, symbols={n: with_dimensions(s, index.definitions) for n, s in spec.symbols.items()})
    statements_read = () if declares else (*executed, *builder.included)
    included = frozenset(line.file for line in statements_read if line.file)
    routine = replace(_routine(index, number, spec, body, body_first), scopes=tuple(builder.scopes), included=included)
    return routine, [*late, *parser.found, *builder.found]


def declared_unit(index: FileIndex, number: int, options: Options) -> tuple[Routine, list[Diagnostic]]:
    """A unit without its executable part."""
    macros = command_line_macros(options)
    return parse_unit(index, number, options.include_dirs, options.parse_limit, macros, executable=False)


def unit_for(index: FileIndex, number: int, options: Options) -> tuple[Routine, list[Diagnostic]]:
    """A unit as a build has it: of what is declared or listed in ``@if`` for one architecture each, that which holds
    there.
    """
    routine, found = parse_unit(index, number, options.include_dirs, options.parse_limit, command_line_macros(options))
    spec = routine.spec
    if not spec.conditions:
        return routine, found
    backend = options.backend_of(routine.key, unit_name(routine.key), routine.scheme)

    def holds(condition: IfDirective) -> bool:
        return condition.kind == "architecture" and holds_architecture(condition, backend)

    held = {symbol.name: symbol for condition, symbol in spec.alternatives if holds(condition)}
    listed = tuple(
        b for b in spec.dependants if b.condition is None or b.condition.kind != "architecture" or holds(b.condition)
    )
    return replace(routine, spec=replace(spec, symbols={**spec.symbols, **held}, dependants=listed)), found


def _around(index: FileIndex, unit: UnitIndex, reader: Includes, name: str) -> bool:
    """Whether a unit around another one may give a name a meaning: by a declaration, a module that it uses, a procedure
    in it, or since all names have to be declared.
    """
    if unit.parent is None:
        return unit.kind == "submodule"
    given = names_given(index, unit.parent, reader)
    return given is None or name in given or _around(index, index.units[unit.parent], reader, name)


def names_given(index: FileIndex, number: int, reader: Includes) -> frozenset[str] | None:
    """The names that may mean something in the units that a unit contains, since it declares them, lists them where it
    uses a module, or contains procedures of these names; None: it may be any name.
    """
    outer = index.units[number]
    parser = SpecificationParser(index.path, reader, around=lambda _name: True)
    stop = outer.contains if outer.contains >= 0 else outer.last
    parser.read(
        list(index.lines[outer.first : stop]), 1 if outer.name or outer.kind != "program" else 0, stop - outer.first
    )
    known = parser.state
    used = known.used_names
    if used is None or known.implicit_none:
        return None
    inside = (u.name for u in index.units if u.parent == number)
    return frozenset((*used, *known.symbols, outer.result, *outer.dummies, *inside))


def _unknown(symbols: Iterable[Symbol]) -> Iterator[tuple[str, str]]:
    """The variables of whose elements nothing is known, each with the reason."""
    for symbol in symbols:
        if any(dim.any_rank for dim in symbol.shape):
            yield symbol.name, f"the rank of '{symbol.name}' is not known"
        elif POINTEE in symbol.attributes:
            yield symbol.name, f"a pointer of the kind that Cray's compilers have tells where '{symbol.name}' is"


def _is_macro(line: LogicalLine, index: FileIndex) -> bool:
    """Whether a line is a macro of the file in the place of a statement."""
    found = re.match(r"\w+", line.text)
    return found is not None and (found[0] in index.macros or found[0] in index.definitions)


def _unread(line: LogicalLine, path: str) -> Diagnostic:
    """The error for a line at which the specification part of a module ends too early."""
    if line.directive:
        hint = "regions are in routines"
        return error("HF207", "this directive has no place among declarations", line.place(path), hint)
    return error("HF110", "this statement cannot be parsed: it is no declaration", line.place(path))


def _given_up(index: FileIndex, unit: UnitIndex, limit: float, line: LogicalLine) -> Diagnostic:
    place = index.lines[unit.first].place(index.path)
    related = [Related(line.place(index.path), "this far it came")]
    what = f"{unit.kind} '{unit.name}'" if unit.name else "the main program"
    return error("HF111", f"{what} takes longer than {limit:g} s to parse", place, "", related)


def _routine(index: FileIndex, number: int, spec: Specification, body: tuple[Node, ...], body_first: int) -> Routine:
    unit = index.units[number]
    header = index.lines[unit.first]
    key = unit_key(index, number)
    host = unit_key(index, unit.parent) if unit.parent is not None else ""
    if unit.kind == "submodule" and unit.uses:  # its parent, whose names it sees, the private ones too
        host = unit.uses[0].module
    stated = unit.declared[0] if unit.declared else header
    if index.locals_kept and unit.kind in ("subroutine", "function") and "recursive" not in unit.prefix:
        spec = replace(spec, saved=spec.saved | {"*"})
    spec = with_late_data(with_old_sizes(_with_function_type(spec, unit, stated), unit.dummies, body), body)
    return Routine(
        key=key,
        kind=unit.kind,
        name=unit.name,
        module=_module_of(index, unit),
        file=index.path,
        unit=number,
        header=header,
        end=index.lines[unit.last],
        dummies=unit.dummies,
        result=unit.result,
        spec=spec,
        body=body,
        host=host,
        scheme=unit.scheme,
        prefix=unit.prefix,
        interoperable="bind(c" in stated.compact,
        body_first=body_first,
        spec_insert=spec.last,
        entries=tuple(s.name for s in statements.flatten(body) if isinstance(s, statements.Specification) and s.name),
    )


def _executable(
    builder: BlockBuilder, reader: Includes, lines: list[LogicalLine], deadline: Deadline
) -> tuple[Node, ...]:
    """The statements of an executable part. Raises TooSlow when the deadline passes."""
    for line in deadline.within(lines):
        if includes(line.text):
            _include_code(builder, reader, line, deadline)
        else:
            builder.add_line(line)
    return builder.finish()


def _include_code(builder: BlockBuilder, reader: Includes, line: LogicalLine, deadline: Deadline) -> None:
    """Executable statements of an included file, marked with it so that nothing tries to edit them."""
    text = line.text[len("include") :].strip().strip("'\"<>")
    for inner in deadline.within(reader(text, line) or ()):
        builder.included.append(inner)
        builder.add_line(inner)


def _with_function_type(spec: Specification, unit: UnitIndex, header: LogicalLine) -> Specification:
    """Declare the result of ``real(dp) function f(x)``, whose type is before the keyword."""

    from hfpy.parse.declarations.declarations import type_spec
    from hfpy.parse.text.lexer import mask_strings

    if unit.kind != "function" or unit.result in spec.symbols:
        return spec
    text = header.text
    for start in range(len(text)):
        if start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            continue
        typed = type_spec(text[start:], mask_strings(text[start:]))
        if typed is not None and typed[0].base not in ("procedure",):
            symbol = Symbol(unit.result, typed[0], line=header, attributes=frozenset({"header"}))
            return replace(spec, symbols={**spec.symbols, unit.result: symbol})
        if text[start:].lower().startswith("function"):
            break
    return spec
