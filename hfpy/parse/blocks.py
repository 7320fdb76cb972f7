"""Statements to blocks: the nested constructs of an executable part (L14).

Directives are blocks like any other, so that regions in branches, branches in regions and early ends
are seen as what they are, and crossing them is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace

from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.directives import IfDirective, Region, StencilScope
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Construct,
    DirectiveLine,
    End,
    Header,
    Jump,
    Node,
    OneLine,
    Opaque,
    Part,
    Specification,
    Statement,
)
from hfpy.parse.declarations.declarations import parse_declaration
from hfpy.parse.directives.directives import (
    DISTRIBUTED,
    NO_SIZES,
    Directive,
    Sizes,
    check_names,
    if_of,
    is_region_end,
    parse_directive,
    shown_keyword,
)
from hfpy.parse.directives.distributed import distributed_of
from hfpy.parse.directives.regions import REGION_ATTRIBUTES, REGION_FLAGS, region_of
from hfpy.parse.directives.schedules import scope_of
from hfpy.parse.statements.branches import listed, without_branch
from hfpy.parse.statements.images import OTHER_IMAGES, without_images
from hfpy.parse.statements.nests import take_loops
from hfpy.parse.statements.statements import opaque, parse_statement
from hfpy.parse.text.limits import DEEPEST_BLOCKS
from hfpy.parse.text.tokens import words_of
from hfpy.values import dataclass

_CLOSES = {
    "if": ("if",),
    "do": ("do", "dowhile", "doconcurrent"),
    "select": ("select", "selecttype"),
    "where": ("where",),
    "forall": ("forall",),
    "associate": ("associate",),
    "block": ("block",),
    "critical": ("critical",),
    "team": ("team",),
}
_REGIONS = ("region", "nest", "columns")
_MIDDLE = {"elseif": ("if",), "else": ("if",), "case": ("select", "selecttype"), "elsewhere": ("where",)}


@dataclass
class _Open:
    kind: str
    header: Statement
    parts: list[Part] = field(default_factory=list)
    body: list[Node] = field(default_factory=list)
    region: Region | None = None
    condition: IfDirective | None = None
    directive: Directive | None = None  # of a nest, which has no sizes

    @property
    def complete(self) -> bool:
        """Whether it is a nest that has its loops, so that it ends here unless its end directive follows."""
        return self.kind == "nest" and bool(self.body)

    def close_part(self, header: Statement) -> None:
        self.parts.append(Part(self.header, tuple(self.body)))
        self.header = header
        self.body = []

    def build(self, end: Statement | None) -> Construct:
        parts = (*self.parts, Part(self.header, tuple(self.body)))
        declared: list[object] = []
        if self.kind == "block":
            for node in parts[0].body:
                if isinstance(node, (Specification, Opaque)):
                    declared += parse_declaration(node.line) or ()
        return Construct(self.kind, parts, end, self.region, self.condition, tuple(declared))


class BlockBuilder:
    """Builds the tree of one executable part, line by line; problems are collected in ``found``, the
    ``@stencilProgram`` of the part in ``scopes``: they are no blocks, their regions remain neighbours of what surrounds
    them. ``sizes`` are those of the project's domains.
    """

    def __init__(self, file: str, sizes: Sizes = NO_SIZES) -> None:
        self.file = file
        self.sizes = sizes
        self.root: list[Node] = []
        self.stack: list[_Open] = []
        self.found: list[Diagnostic] = []
        self.scopes: list[StencilScope] = []
        self.given_up = False
        self.included: list[LogicalLine] = []  # those of the lines that are in included files
        self.assigned: Callable[[], tuple[str, ...]] = tuple  # labels that are in variables
        self.regions = 0  # that have begun
        self.unknown: dict[str, str] = {}  # arrays of whose elements nothing is known, each with the reason
        self.serial: tuple[LogicalLine, str] | None = None  # a @serial whose loop has not come yet, and its reason
        # The open @stencilProgram, its line, and the blocks around it.
        self.scope: tuple[Directive, LogicalLine, list[_Open]] | None = None

    def add_line(self, line: LogicalLine) -> None:
        """Take the next logical line."""
        if self.given_up:
            return
        if self.stack and self.stack[-1].complete and not is_region_end(line):
            self._append(self.stack.pop().build(None))
        if line.directive:
            self._directive(line)
            return
        statement = parse_statement(line)
        if self.serial is not None:
            statement = self._serial(statement)
        match statement:
            case Header(kind=kind) if kind in _MIDDLE:
                self._middle(statement, kind)
                self._names_unknown(statement)
            case Header(kind=kind):
                self._open(kind, statement)
                self._names_unknown(statement)
            case End(kind=kind):
                self._end(statement, kind)
            case _:
                known = listed(statement, self.assigned)
                self._append(self._not_known(known) or without_branch(self._of_region(known)))
        if line.label:
            self._labelled_end(line.label)

    def _not_known(self, statement: Statement) -> Opaque | None:
        """A statement with an array of whose elements nothing is known, or the header of a block with what another
        image has, as an opaque one; None for others.
        """
        if isinstance(statement, Header) and "[" in statement.line.text and without_images(statement.line) is not None:
            return opaque(statement.line, OTHER_IMAGES, legal=True)
        words = words_of(statement.line.text) if self.unknown else set()
        names = self.unknown.keys() & words
        return opaque(statement.line, self.unknown[min(names)], legal=True) if names else None

    def _names_unknown(self, header: Header) -> None:
        """The same where a block that has just begun names such an array; ``select rank`` may give it another name."""
        if (found := self._not_known(header)) is not None:
            self.unknown |= dict.fromkeys(header.names, found.reason)
            self._append(found)

    def _serial(self, statement: Statement | None) -> Statement:
        """The statement after a ``@serial``, a loop with its reason."""
        assert self.serial is not None
        line, reason = self.serial
        self.serial = None
        if isinstance(statement, Header) and statement.kind in ("do", "dowhile", "doconcurrent"):
            return replace(statement, serial=reason)
        self.found.append(error("HF207", "@serial is before a loop", line.place(self.file), "put it right before"))
        return statement if statement is not None else DirectiveLine(line, "serial")

    def _open(self, kind: str, statement: Statement) -> None:
        """A block begins; the first that is nested too deeply is reported, and the rest of the unit is not read."""
        if len(self.stack) >= DEEPEST_BLOCKS:
            if not self.given_up:
                message = f"blocks are nested more than {DEEPEST_BLOCKS} deep"
                self.found.append(error("HF114", message, statement.line.place(self.file)))
            self.given_up = True
        self.stack.append(_Open(kind, statement))

    def finish(self) -> tuple[Node, ...]:
        """The tree; blocks still open are reported. Nothing of a unit whose blocks are nested too deeply."""
        if self.given_up:
            return ()
        if self.serial is not None:
            self._serial(None)
        if self.scope is not None:
            self.found.append(error("HF204", "@stencilProgram is not closed", self.scope[1].place(self.file)))
        if self.stack and self.stack[-1].complete:
            self._append(self.stack.pop().build(None))
        while self.stack:
            block = self.stack.pop()
            place = block.header.line.place(self.file)
            code = "HF204" if block.kind in (*_REGIONS, "at_if") else "HF109"
            shown = dict.fromkeys(_REGIONS, "@parallelRegion") | {"at_if": "@if"}
            name = shown.get(block.kind, f"'{block.kind}'")
            self.found.append(error(code, f"{name} is not closed", place))
            self._append(block.build(None))
        return tuple(self.root)

    def _append(self, node: Node) -> None:
        block = self.stack[-1] if self.stack else None
        (block.body if block is not None else self.root).append(node)
        if block is not None and block.kind == "nest" and block.directive is not None and not _is_nest(block, node):
            block.kind = "region"
            block.region, problems = region_of(block.directive, block.header.line, self.file, self.sizes)
            self.found += problems

    def _middle(self, statement: Statement, kind: str) -> None:
        if not self.stack or self.stack[-1].kind not in _MIDDLE[kind]:
            self._misplaced(statement, f"'{kind}' outside its block")
            return
        self.stack[-1].close_part(statement)

    def _misplaced(self, statement: Statement, message: str) -> None:
        related = []
        if self.stack:
            related.append(Related(self.stack[-1].header.line.place(self.file), "this block is open here"))
        self.found.append(error("HF109", message, statement.line.place(self.file), "", related))

    def _end(self, statement: End, kind: str) -> None:
        if not self.stack or self.stack[-1].kind not in _CLOSES.get(kind, ()):
            self._misplaced(statement, f"'end {kind}' does not match the open block")
            return
        self._append(self.stack.pop().build(statement))

    def _labelled_end(self, label: str) -> None:
        """Close every ``do LABEL`` that ends on the statement just added (shared ends too)."""
        while self.stack:
            complete = self.stack[-1].complete and len(self.stack) > 1
            header = self.stack[-2 if complete else -1].header  # a nest that has its loops ends before an outer one
            if not isinstance(header, Header) or header.label != label:
                break
            self._append(self.stack.pop().build(None))

    def _directive(self, line: LogicalLine) -> None:
        if self.serial is not None:
            self._serial(None)
        directive, problems = parse_directive(line, self.file)
        self.found += problems
        if directive is None:
            if "{" in line.text and "region" in line.text.lower():
                # Most likely a region: its end shall not be reported too.
                self.stack.append(_Open("region", self._named(line, "region")))
            return
        if line.comment and directive.keyword in ("if", "exit"):
            hint = "a plain compiler would take both branches; use a hybrid file (.h90)"
            message = f"@{directive.keyword} has no meaning in a comment"
            self.found.append(error("HF212", message, line.place(self.file), hint))
            return
        if directive.keyword == "serial" and not directive.end:
            self.serial = line, directive.attributes[0].entries[0]
        elif directive.keyword == "stencilprogram":
            self._scope(line, directive)
        elif directive.end:
            self._end_directive(line, directive.keyword)
        elif directive.keyword == "parallelregion" and directive.get("columns") is not None:
            self._columns(line, directive)
        elif directive.keyword == "parallelregion" and directive.get("domsize") is None:
            self.stack.append(_Open("nest", self._named(line, "nest"), directive=directive))
        elif directive.keyword == "parallelregion":
            region, problems = region_of(directive, line, self.file)
            self.found += problems
            self.stack.append(_Open("region", self._named(line, "region"), region=region))
        elif directive.keyword == "if":
            condition, problems = if_of(directive, line, self.file)
            self.found += problems
            if any(b.kind == "at_if" for b in self.stack):
                self.found.append(error("HF207", "@if inside @if", line.place(self.file), "close the first one before"))
            self.stack.append(_Open("at_if", DirectiveLine(line, "at_if"), condition=condition))
        elif directive.keyword in DISTRIBUTED:
            self._distributed(line, directive)
        elif directive.keyword == "exit":
            if not any(b.kind in _REGIONS for b in self.stack):
                self.found.append(error("HF207", "@exit outside a region", line.place(self.file)))
            self._append(self._of_region(Jump(line, "@exit")))
        else:
            hint = "put it after the declarations"
            message = f"@{shown_keyword(directive.keyword)} in the executable part"
            self.found.append(error("HF207", message, line.place(self.file), hint))

    def _named(self, line: LogicalLine, kind: str) -> DirectiveLine:
        """The directive by which a region begins, with a name for it."""
        self.regions += 1
        return DirectiveLine(line, kind, f"@{self.regions}")

    def _of_region(self, statement: Statement) -> Statement:
        """A statement of the innermost region, with the name of it where it is an ``@exit``."""
        if isinstance(statement, OneLine):
            action = self._of_region(statement.action)
            return statement if action is statement.action else replace(statement, action=action)
        if not isinstance(statement, Jump) or statement.kind != "@exit":
            return statement
        opened = next((b.header for b in reversed(self.stack) if b.kind in _REGIONS), None)
        return replace(statement, target=opened.name) if isinstance(opened, DirectiveLine) else statement

    def _columns(self, line: LogicalLine, directive: Directive) -> None:
        """A region whose loops over the columns are in it begins."""
        problems = check_names(directive, line, self.file, REGION_ATTRIBUTES, REGION_FLAGS)
        for name in ("domname", "domsize", "startat", "endat", "stride"):
            attribute = directive.get(name)
            if attribute is not None:
                message = "the loops in the region say what the columns are"
                place = line.place(self.file, attribute.start, attribute.end)
                problems.append(error("HF202", message, place, "leave it out beside columns(…)"))
        if any(b.kind in _REGIONS for b in self.stack):
            problems.append(error("HF207", "columns(…) inside a region", line.place(self.file), "end that one before"))
        self.found += problems
        self.stack.append(_Open("columns", self._named(line, "columns")))

    def _distributed(self, line: LogicalLine, directive: Directive) -> None:
        if any(b.kind in _REGIONS for b in self.stack):
            message = f"@{shown_keyword(directive.keyword)} inside a region"
            hint = "processes exchange halos between regions"
            self.found.append(error("HF207", message, line.place(self.file), hint))
            return
        made, problems = distributed_of(directive, line, self.file)
        self.found += problems
        if made is not None:
            self._append(made)

    def _scope(self, line: LogicalLine, directive: Directive) -> None:
        place = line.place(self.file)
        if not directive.end:
            around = next((b for b in self.stack if b.kind == "region"), None)
            if around is not None or self.scope is not None:
                other = around.header.line if around is not None else self.scope[1] if self.scope else line
                related = [Related(other.place(self.file), "this is open here")]
                where = "a region" if around is not None else "another"
                self.found.append(error("HF207", f"@stencilProgram inside {where}", place, "", related))
                return
            self.scope = directive, line, list(self.stack)
            return
        if self.scope is None:
            self.found.append(error("HF205", "@end stencilProgram without its beginning", place))
            return
        opened, first, blocks = self.scope
        self.scope = None
        if len(blocks) != len(self.stack) or any(a is not b for a, b in zip(blocks, self.stack, strict=True)):
            related = [Related(first.place(self.file), "it begins here")]
            message = "@stencilProgram begins and ends in different blocks"
            self.found.append(error("HF109", message, place, "", related))
        made, problems = scope_of(opened, first, line, self.file)
        self.found += problems
        self.scopes += [made] if made is not None else []

    def _end_directive(self, line: LogicalLine, keyword: str) -> None:
        kind = {"parallelregion": "region", "if": "at_if"}.get(keyword)
        if kind == "region" and self.stack and self.stack[-1].kind == "nest":
            self._append(self.stack.pop().build(DirectiveLine(line, "nest")))
            return
        if kind == "region":
            kind = next((b.kind for b in reversed(self.stack) if b.kind in ("region", "columns")), kind)
        if kind is None or not any(b.kind == kind for b in self.stack):
            shown = {"parallelregion": "parallelRegion", "domaindependant": "domainDependant"}.get(keyword, keyword)
            self.found.append(error("HF205", f"@end {shown} without its beginning", line.place(self.file)))
            return
        if self.stack[-1].kind != kind:
            inner = self.stack[-1]
            related = [Related(inner.header.line.place(self.file), "this block is still open")]
            self.found.append(error("HF109", "the directive ends inside a block", line.place(self.file), "", related))
            while self.stack[-1].kind != kind:
                self._append(self.stack.pop().build(None))
        block = self.stack.pop()
        construct = block.build(DirectiveLine(line, kind))
        if construct.region is not None:
            region, problems = take_loops(construct, construct.region, self.file)
            self.found += problems
            construct = replace(construct, region=region)
        self._append(construct)


def _is_nest(block: _Open, node: Node) -> bool:
    """Whether what begins a region without sizes is its loops: any loop, or one over a domain that it names."""
    names = block.directive.get("domname") if block.directive is not None else None
    if names is None:
        return True
    header = node.header if isinstance(node, Construct) else None
    return isinstance(header, Header) and header.kind == "do" and header.var in [n.lower() for n in names.entries]
