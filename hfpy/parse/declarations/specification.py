"""The specification part of a unit: what it declares, imports and announces to hfpy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from hfpy.diagnostics import error
from hfpy.model.directives import Dependants, IfDirective, Listed
from hfpy.model.expressions import Apply, Name
from hfpy.model.macros import Macro
from hfpy.model.source import LogicalLine
from hfpy.model.units import DerivedType, Specification, Symbol
from hfpy.parse.deadline import Deadline
from hfpy.parse.declarations.attributes import AttributeStatements
from hfpy.parse.declarations.bindings import INTERFACE, bound_names, final_procedures, interface_lines, interface_of
from hfpy.parse.declarations.constants import circular_constants, says_nothing_new
from hfpy.parse.declarations.declarations import (
    enumerators,
    is_declaration,
    kind_unknown,
    parse_declaration,
)
from hfpy.parse.directives.dependants import DependantsHead, dependants_of, names_line
from hfpy.parse.directives.directives import NO_SIZES, Sizes, if_of, parse_directive
from hfpy.parse.expressions.expressions import expression
from hfpy.parse.expressions.grammar import GrammarError
from hfpy.parse.index import parse_use
from hfpy.parse.statements.designators import assignment_sign
from hfpy.parse.statements.statements import SPECIFICATION_WORDS
from hfpy.parse.text.lexer import includes, mask_strings
from hfpy.parse.text.macros import expand
from hfpy.values import fixed

_TYPE_BEGIN = re.compile(
    r"type\s*(?:,[^:]*)?(?:::)?\s*([a-z_]\w*)\s*(\([\w\s,]*\)\s*)?$|type\s*,.*?::\s*([a-z_]\w*)\s*(\([\w\s,]*\)\s*)?$",
    re.IGNORECASE,
)
_EXTENDS = re.compile(r"extends\s*\(\s*(\w+)\s*\)", re.IGNORECASE)
_WORD = re.compile(r"([A-Za-z_]\w*)")
_ACCESS = re.compile(r",\s*(public|private)\b")
_INCLUDE = re.compile(r"include\s*(['\"<])(.*?)['\">]\s*$", re.IGNORECASE)

IncludeReader = Callable[[str, LogicalLine], "list[LogicalLine] | None"]


def has_entry(lines: Iterable[LogicalLine]) -> bool:
    """Whether an ``entry`` is among declarations."""
    return any((found := _WORD.match(line.text)) is not None and found[1].lower() == "entry" for line in lines)


class SpecificationParser(AttributeStatements):
    """Reads the logical lines of one specification part; ``around`` tells whether units around may give a name a
    meaning, ``sizes`` are those of the project's domains, ``macros`` what the file defines: statement functions may be
    written with them.
    """

    def __init__(
        self,
        file: str,
        read_include: IncludeReader | None = None,
        deadline: Deadline | None = None,
        around: Callable[[str], bool] = lambda _name: False,
        sizes: Sizes = NO_SIZES,
        macros: Mapping[str, Macro] | None = None,
    ) -> None:
        super().__init__(file)
        self.sizes = sizes
        self.around = around
        self.deadline = deadline
        self.read_include = read_include
        self.macros = macros or {}
        self.conditions: list[tuple[IfDirective, LogicalLine, LogicalLine]] = []
        self._condition: tuple[IfDirective, LogicalLine] | None = None
        self.split: tuple[LogicalLine, LogicalLine] | None = None
        self.behind: list[LogicalLine] = []  # lines of an included file after its declarations

    def read(self, lines: list[LogicalLine], first: int, stop: int) -> int:
        """Read from ``first``; return the index of the first line after the specification part.

        Raises TooSlow when the deadline passes.
        """
        index = first
        while index < stop and not self.behind:
            if self.deadline is not None:
                self.deadline.check(lines[index])
            following = self._one(lines, index, stop)
            if following == index:
                break
            self.state.lines += lines[index:following]
            index = following
        if self._condition is not None and index >= stop:
            self.found.append(error("HF204", "@if is not closed", self._condition[1].place(self.file)))
        elif self._condition is not None:
            self.split = (self._condition[1], lines[index])
        return index

    def result(self, last: int) -> Specification:
        """What was read, as a value; ``last`` is the physical line (0-based) on which the part ends."""
        s = self.state
        self.found += circular_constants(s.symbols, self.file, self.macros)
        return Specification(
            symbols=s.symbols,
            uses=tuple(s.uses),
            interfaces=tuple(s.interfaces),
            types=s.types,
            dependants=tuple(s.dependants),
            implicit_none=s.implicit_none,
            implicit=tuple(s.implicit),
            statement_functions=tuple(s.statement_functions),  # type: ignore[arg-type]
            private=fixed(s.private),
            public=fixed(s.public),
            default_private=s.default_private,
            saved=fixed(s.saved),
            storage=fixed(s.storage),
            groups=tuple(s.groups),
            repeated=tuple(s.repeated),
            interface_blocks=tuple(s.interface_blocks),
            lines=tuple(s.lines),
            last=last,
            conditions=tuple(self.conditions),
            split=self.split,
            alternatives=tuple(s.alternatives),
        )

    # -- one statement

    def _one(self, lines: list[LogicalLine], index: int, stop: int) -> int:
        line = lines[index]
        if line.directive:
            return self._directive(lines, index, stop)
        text = line.text
        word_match = _WORD.match(text)
        word = word_match.group(1).lower() if word_match else ""
        if includes(text):
            return self._include(line, index)
        masked = mask_strings(text)
        if word == "use":
            use = parse_use(line)
            if use is not None:
                self.state.uses.append(use)
                return index + 1
        if word in ("interface", "abstract") and INTERFACE.match(masked):
            return self._interface(lines, index, stop)
        if word == "type":
            begin = _TYPE_BEGIN.match(masked)
            if begin and not masked[4:].lstrip().startswith("("):
                parameters = frozenset(_WORD.findall((begin.group(2) or begin.group(4) or "").lower()))
                name = (begin.group(1) or begin.group(3)).lower()
                return self._derived_type(lines, index, stop, name, parameters)
        if word == "enum":
            return self._enumeration(lines, index, stop)
        if is_declaration(masked) and ("::" in masked or assignment_sign(masked) is None):
            return index + 1 if self._declaration(line) else index
        if word in SPECIFICATION_WORDS or word == "format" or word == "entry":
            sign = assignment_sign(masked)
            if sign is None:
                self.attribute_statement(line, masked, word)
                return index + 1
        return index + 1 if self._statement_function(line, masked) else index

    def _declaration(self, line: LogicalLine) -> bool:
        symbols = self._declared(line)
        if symbols is None:
            return False
        for symbol in symbols:
            known = self.state.symbols.get(symbol.name)
            if known is not None and self._condition is None and says_nothing_new(symbol, known):
                self.state.repeated.append(symbol)
                continue
            if known is not None and known.line is not None and known.type.base and self._condition is None:
                place = line.place(self.file, *symbol.name_span)
                self.found.append(error("HF301", f"'{symbol.name}' is declared twice", place))
            if known is not None and not known.type.base:
                symbol = replace(
                    symbol,
                    attributes=symbol.attributes | known.attributes,
                    shape=symbol.shape or known.shape,
                    intent=symbol.intent or known.intent,
                )
            self.state.symbols[symbol.name] = symbol
            if self._condition is not None:
                self.state.alternatives.append((self._condition[0], symbol))
        return True

    def _declared(self, line: LogicalLine) -> tuple[Symbol, ...] | None:
        """The symbols of a declaration, with an error for one that is not Fortran; None if the line is none."""
        try:
            return parse_declaration(line)
        except GrammarError as problem:
            self.found.append(error("HF110", f"this declaration cannot be parsed: {problem}", line.place(self.file)))
            return ()

    def _include(self, line: LogicalLine, index: int) -> int:
        found = _INCLUDE.match(line.text)
        if found and self.read_include is not None:
            inner = self.read_include(found.group(2), line)
            if inner is not None:
                stop = self.read(inner, 0, len(inner))
                self.behind += inner[stop:]
        return index + 1

    def _skip_to(self, lines: list[LogicalLine], index: int, stop: int, end: str) -> int:
        wanted = end.replace(" ", "")
        for position in range(index + 1, stop):
            if lines[position].text.lower().replace(" ", "").startswith(wanted):
                return position + 1
        return stop

    def _enumeration(self, lines: list[LogicalLine], index: int, stop: int) -> int:
        after = self._skip_to(lines, index, stop, "end enum")
        try:
            self.state.symbols.update((s.name, s) for s in enumerators(lines[index + 1 : after - 1]))
        except GrammarError as problem:
            place = lines[index].place(self.file)
            self.found.append(error("HF110", f"this enumeration cannot be parsed: {problem}", place))
        return after

    def _interface(self, lines: list[LogicalLine], index: int, stop: int) -> int:
        inner, own = interface_lines(lines[index:stop])
        self._interface_blocks(inner)
        self.state.interfaces.append(interface_of(lines[index].text, own))
        return min(index + len(inner) + 2, stop)

    def _interface_blocks(self, lines: list[LogicalLine]) -> None:
        """Directives in interface bodies: blocks of domain dependants say what the procedure's own file says."""
        inside = False
        for line in lines:
            if line.directive and not line.comment:
                word = "".join(line.text.lstrip("@").lower().split())
                if not word.startswith(("domaindependant", "domaindependent", "enddomaindepend")):
                    place = line.place(self.file)
                    self.found.append(error("HF207", "this directive has no place in an interface", place))
                inside = not word.startswith("end")
                self.state.interface_blocks.append(line)
            elif inside:
                self.state.interface_blocks.append(line)

    def _derived_type(
        self, lines: list[LogicalLine], index: int, stop: int, name: str, parameters: frozenset[str]
    ) -> int:
        """A derived type. Components whose kind depends on its ``parameters`` differ from object to object: they get a
        kind that is not known. A type with lengths for parameters is not read.
        """
        after = self._skip_to(lines, index, stop, "end type")
        components: list[Symbol] = []
        bindings: list[tuple[str, str]] = []
        finals: list[str] = []
        contains = False
        for line in lines[index + 1 : after - 1]:
            lowered = line.text.lower().strip()
            if lowered == "contains":
                contains = True
            elif contains:
                bindings += bound_names(lowered)
                finals += final_procedures(lowered)
            else:
                components += (kind_unknown(s, parameters) for s in self._declared(line) or ())
        if any(parameters & part.names or "len" in part.attributes for part in components):
            return index
        extends = _EXTENDS.search(lines[index].text)
        for access in _ACCESS.findall(lines[index].text.lower().partition("::")[0]):
            (self.state.public if access == "public" else self.state.private).add(name)
        self.state.types[name] = DerivedType(
            name, tuple(components), extends.group(1).lower() if extends else "", tuple(bindings), tuple(finals)
        )
        return after

    def _statement_function(self, line: LogicalLine, masked: str) -> bool:
        """Whether the line is a statement function ``f(x) = …`` (peers.md §3.5), which is then recorded.

        A name that is declared nowhere here may be an array of a module or of a host, and the line an assignment.
        """
        sign = assignment_sign(masked)
        if sign is None or sign[1]:
            return False
        line = self._readable(line, sign[0])
        try:
            target = expression(line.text[: sign[0]])
        except GrammarError:
            return False
        if not isinstance(target, Apply) or not isinstance(target.base, Name):
            return False
        symbol = self.state.symbols.get(target.base.name)
        scalar = symbol is None or (symbol.rank == 0 and not symbol.dynamic and symbol.type.base != "character")
        used = self.state.used_names
        elsewhere = self.state.implicit_none or used is None or target.base.name in used
        if not scalar or not all(isinstance(a, Name) for a in target.args):
            return False
        if symbol is None and (elsewhere or self.around(target.base.name)):
            return False
        try:
            value = expression(line.text[sign[0] + 1 :], sign[0] + 1)
        except GrammarError:
            return False
        names = tuple(a.name for a in target.args if isinstance(a, Name))
        self.state.statement_functions.append((target.base.name, names, value, line))
        return True

    def _readable(self, line: LogicalLine, sign: int) -> LogicalLine:
        """A line whose value is an expression behind the preprocessor only, such as ``f(t) = t - CST rtt`` with the
        macro ``c%`` for CST, as it is there; all others as they are.
        """
        try:
            expression(line.text[sign + 1 :], sign + 1)
        except GrammarError:
            return replace(line, text=line.text[: sign + 1] + expand(line.text[sign + 1 :], self.macros))
        return line

    # -- directives

    def _directive(self, lines: list[LogicalLine], index: int, stop: int) -> int:
        line = lines[index]
        directive, problems = parse_directive(line, self.file)
        if directive is None:
            self.found += problems
            return index + 1
        if directive.keyword == "scheme":
            return index + 1
        if directive.keyword == "if":
            return self._if(line, index, lines, stop)
        if directive.keyword != "domaindependant":
            return index
        if directive.end:
            self.found.append(error("HF205", "@end domainDependant without its beginning", line.place(self.file)))
            return index + 1
        head, problems = dependants_of(directive, line, self.file, self.sizes)
        self.found += problems
        return self._names(lines, index, stop, head)

    def _if(self, line: LogicalLine, index: int, lines: list[LogicalLine], stop: int) -> int:
        directive, _ = parse_directive(line, self.file)
        assert directive is not None
        if directive.end:
            if self._condition is None:
                return index
            self.conditions.append((*self._condition, line))
            self._condition = None
            return index + 1
        if not self._holds_specification(lines, index, stop):
            return index
        condition, problems = if_of(directive, line, self.file)
        self.found += problems
        if line.comment:
            hint = "a plain compiler would take the lines always; use a hybrid file (.h90)"
            self.found.append(error("HF212", "@if has no meaning in a comment", line.place(self.file), hint))
        if self._condition is not None:
            self.found.append(error("HF207", "@if inside @if", line.place(self.file), "close the first one before"))
        if condition is not None:
            self._condition = (condition, line)
        return index + 1

    def _holds_specification(self, lines: list[LogicalLine], index: int, stop: int) -> bool:
        """Whether the first statement inside an ``@if`` still belongs to the specification part."""
        if index + 1 >= stop or lines[index + 1].directive:
            return index + 1 < stop and not lines[index + 1].text.lower().lstrip("@ ").startswith(
                ("parallelregion", "stencilprogram")
            )
        probe = SpecificationParser(self.file, around=self.around)
        probe.state.symbols.update(self.state.symbols)
        return probe._one(lines, index + 1, stop) > index + 1

    def _names(self, lines: list[LogicalLine], index: int, stop: int, head: DependantsHead | None) -> int:
        opened = lines[index]
        names: list[Listed] = []
        position = index + 1
        while position < stop:
            line = lines[position]
            if line.directive:
                directive, problems = parse_directive(line, self.file)
                if directive is not None and directive.end and directive.keyword == "domaindependant":
                    break
                message = "a directive inside a @domainDependant block"
                self.found += problems or [
                    error("HF207", message, line.place(self.file), "@end domainDependant is missing")
                ]
                if directive is None or directive.keyword != "domaindependant":
                    position += 1
                    continue
                return position
            found, problems = names_line(line, self.file)
            names += [Listed(n, p) for n, p in found]
            self.found += problems
            if problems:
                # most likely the end is missing: what follows is code
                self._record(head, names, opened, lines[index : position + 1])
                return position
            position += 1
        else:
            self.found.append(
                error("HF204", "@domainDependant is not closed", opened.place(self.file), "@end domainDependant")
            )
        self._record(head, names, opened, lines[index : position + 1])
        return position + 1

    def _record(
        self, head: DependantsHead | None, names: list[Listed], opened: LogicalLine, lines: list[LogicalLine]
    ) -> None:
        seen: set[str] = set()
        for listed in names:
            if listed.name in seen:
                self.found.append(error("HF214", f"'{listed.name}' is listed twice", listed.place))
            seen.add(listed.name)
        if head is None:
            return
        self.state.dependants.append(
            Dependants(
                tuple(names),
                head.domains,
                head.flags,
                head.access_macro,
                head.domain_macro,
                head.declaration_prefix,
                opened.place(self.file),
                tuple(lines),
                head.decomposed,
                head.halo_widths,
                self._condition[0] if self._condition is not None else None,
            )
        )
