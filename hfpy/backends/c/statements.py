"""Fortran statements as C: one statement a line, names kept (design contract 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from hfpy.backends.c import intrinsics
from hfpy.backends.c.arrays import ArrayStatements
from hfpy.backends.c.calls import call_text
from hfpy.backends.c.values import NO_STOP, PRIMARY, CannotPrint, CText, c_type
from hfpy.backends.masked import parts_of
from hfpy.backends.prints import WORDS, words
from hfpy.backends.refused import INDEXED, MEMORY, OUTSIDE, PRINT, STOP, check_exits, no_source
from hfpy.model.expressions import Apply, Expr, Range, names_in, walk
from hfpy.model.kernel import Print
from hfpy.model.scalars import INTEGER, LOGICAL, Scalar
from hfpy.model.source import LineKey
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    Header,
    InputOutput,
    Jump,
    Memory,
    Node,
    OneLine,
    Statement,
    expressions,
    flatten,
)
from hfpy.values import dataclass


@dataclass
class Statements(ArrayStatements):
    """Prints the statements of one body.

    ``point_exit`` is what ``@exit`` and ``return`` become. ``own_loop`` is the name of the innermost loop of the
    user's that threads take the place of, None if there is no such loop. ``team`` has the threads of a team by the loop
    variable whose points they share, those of ``x`` first; after such loops they wait for one another. ``stops`` are
    the parameters for statements that end the run, by their lines. ``prints`` is output by its lines, ``point`` the
    number of the point. ``left`` tells whether a point is left before its
    end.
    """

    point_exit: str = "return;"
    own_loop: str | None = None
    team: Mapping[str, int] = field(default_factory=dict)
    stops: Mapping[LineKey, str] = field(default_factory=dict)
    prints: Mapping[LineKey, Print] = field(default_factory=dict)
    point: str = "0"
    _sharing: int = 0
    _loops: list[tuple[str, str]] = field(default_factory=list)
    _labels: set[str] = field(default_factory=set)
    _count: int = 0
    _gotos: frozenset[str] | None = None
    left: bool = field(default=False, init=False)

    def block(self, nodes: Sequence[Node], depth: int) -> None:
        """Print a block at an indentation depth. What cannot be printed is left to the refusals of the body."""
        for node in nodes:
            first = node.header if isinstance(node, Construct) else node
            if first.line.label and first.line.label in self._targets(first):
                self.put(f"hf_label_{first.line.label}:;", depth, first)
            if isinstance(node, Construct):
                self._construct(node, depth)
            else:
                self._guarded(node, depth)

    def _targets(self, statement: Statement) -> frozenset[str]:
        """The labels of this routine that ``goto`` names."""
        at = self.located.get(id(statement))
        if at is None:
            return frozenset()
        if self._gotos is None:
            live, key = self.body.facts.live, self.body.key
            jumps = (a.statement for a in self.located.values() if live(a, key))
            self._gotos = frozenset(j.target for j in map(_jump_of, jumps) if j is not None and j.kind == "goto")
        return self._gotos

    def end_label(self, node: Construct, depth: int) -> None:
        """The label of a construct's last statement, where ``goto`` names it."""
        end = node.end
        if end is not None and end.line.label and end.line.label in self._targets(end):
            self.put(f"hf_label_{end.line.label}:;", depth, end)

    def _guarded(self, statement: Statement, depth: int) -> None:
        with self.body.refusals.at(statement.line):
            self._statement(statement, depth)
            return
        self.body.prelude.clear()
        self._look_on(statement)

    def _look_on(self, statement: Statement) -> None:
        """What else of a statement that is refused cannot be printed: functions without source, a statement after a
        condition.
        """
        printer = self.expressions(statement)
        for node in (n for top in expressions(statement) for n in walk(top)):
            if isinstance(node, Apply):
                with self.body.refusals.at(statement.line):
                    printer.check_function(node)
        if isinstance(statement, OneLine) and statement.kind == "if":
            self._guarded(statement.action, 0)

    # -- single statements

    def _statement(self, statement: Statement, depth: int) -> None:
        match statement:
            case Assignment(pointer=True):
                raise CannotPrint("a pointer assignment", hint=OUTSIDE)
            case Assignment():
                self._assignment(statement, depth)
            case Call():
                self._call(statement, depth)
            case OneLine(kind="if"):
                self._one_line_if(statement, depth)
            case OneLine(kind="where", action=Assignment()):
                self.where(parts_of(statement), depth)
            case Jump():
                self._jump(statement, depth)
            case InputOutput():
                self._print(statement, depth)
            case Memory():
                raise CannotPrint(f"'{statement.kind}'", hint=MEMORY)
            case OneLine(kind="forall"):
                raise CannotPrint("this 'forall'", hint=INDEXED)
            case _:
                raise CannotPrint("this statement", hint=OUTSIDE)

    def _print(self, statement: InputOutput, depth: int) -> None:
        """Output, as a record in the buffer."""
        made = self.prints.get(statement.line.key)
        if made is None:
            raise CannotPrint(f"input or output ('{statement.kind}')", hint=PRINT)
        printer = self.expressions(statement)
        scalars = tuple(scalar for _, scalar in made.values)
        parts: list[CText] = []
        for expr, scalar in made.values:
            value = intrinsics.convert(self.body.dialect, printer.print(expr), scalar)
            part = Scalar("real", scalar.bytes)
            of_complex = [CText(f"{value.at(PRIMARY)}.{name}", part) for name in ("re", "im")]
            parts += of_complex if scalar.base == "complex" else [value]
        self.flush(depth, statement)
        asked = f"{WORDS}, {words(scalars)}, {self.point}, {made.number}"
        buffer = self.body.variables[made.parameter]
        self.put(self.body.dialect.record("hf_values", buffer, asked), depth, statement)
        for number, part_text in enumerate(map(self.body.dialect.word, parts)):
            self.put(f"hf_values[{number}] = {part_text};", depth + 1, statement)
        if not parts:
            self.put("(void)hf_values;", depth + 1, statement)
        self.put("}", depth, statement)

    def _assignment(self, statement: Assignment, depth: int, mask: Expr | None = None) -> None:
        printer = self.expressions(statement)
        if printer.rank(statement.target):
            self.array_assignment(statement, depth, mask)
            return
        value = printer.print(statement.value)
        target = printer.target(statement.target)
        self.flush(depth, statement)
        self.put(f"{target.text} = {intrinsics.convert(self.body.dialect, value, target.type).text};", depth, statement)

    def _call(self, statement: Call, depth: int) -> None:
        printer = self.expressions(statement)
        site = self.body.callee(statement.designator, self.body.key, printer.at)
        if site is None:
            raise no_source(statement, self.body.key, self.body.facts.scopes)
        if self.elemental_call(printer, site, statement, depth):
            return
        text = call_text(printer, site)
        self.flush(depth, statement)
        self.put(f"{text};", depth, statement)

    def _one_line_if(self, statement: OneLine, depth: int) -> None:
        condition = self._condition(statement, statement.control[0])
        self.flush(depth, statement)
        self.put(f"if ({condition.text}) {{", depth, statement)
        self._guarded(statement.action, depth + 1)
        self.put("}", depth, statement)

    def _jump(self, jump: Jump, depth: int) -> None:
        if jump.kind in ("return", "@exit"):
            self.put(self._leaving(), depth, jump)
        elif jump.kind in ("cycle", "exit"):
            self.put(self._loop_jump(jump), depth, jump)
        elif jump.kind == "goto" and jump.target.isdigit():
            self.put(f"goto hf_label_{jump.target};", depth, jump)
        elif jump.kind in ("stop", "errorstop") and jump.line.key in self.stops:
            self.put(f"{self.body.variables[self.stops[jump.line.key]].text} = 1;", depth, jump)
            self.put(self._leaving(), depth, jump)
        elif jump.kind in ("stop", "errorstop"):
            raise CannotPrint(NO_STOP, hint=STOP)
        elif jump.kind != "continue":
            raise CannotPrint(f"'{jump.kind}'", hint=OUTSIDE)

    def _leaving(self) -> str:
        self.left = True
        return self.point_exit

    def _loop_jump(self, jump: Jump) -> str:
        if jump.kind == "cycle" and self.own_loop is not None and self._leaves_point(jump):
            return self._leaving()
        if not self._loops:
            raise CannotPrint(f"'{jump.kind}' of a loop that is not here")
        word = "continue;" if jump.kind == "cycle" else "break;"
        if not jump.target or jump.target == self._loops[-1][0]:
            return word
        for name, label in self._loops:
            if name == jump.target:
                wanted = f"{jump.kind}_{label}"
                self._labels.add(wanted)
                return f"goto {wanted};"
        raise CannotPrint(f"'{jump.kind} {jump.target}', which is no loop here,")

    def _leaves_point(self, jump: Jump) -> bool:
        """Whether a ``cycle`` goes on with the next point of the region."""
        if not jump.target:
            return not self._loops
        return jump.target == self.own_loop and all(name != jump.target for name, _ in self._loops)

    # -- constructs

    def _construct(self, node: Construct, depth: int) -> None:
        printers = {
            "do": self._do,
            "dowhile": self._do_while,
            "if": self._if,
            "select": self._select,
            "where": self.where_block,
        }
        with self.body.refusals.at(node.header.line):
            if node.kind in ("at_if", "region", "associate"):
                self._transparent(node, depth)
            elif node.kind in printers:
                printers[node.kind](node, depth)
            elif node.kind in ("forall", "doconcurrent"):
                raise CannotPrint(
                    f"this '{'do concurrent' if node.kind == 'doconcurrent' else node.kind}'", hint=INDEXED
                )
            else:
                raise CannotPrint(f"a '{node.kind}' construct")
            return
        if node.kind in ("do", "dowhile"):
            self._loop_body(node, node.header, depth)

    def _condition(self, statement: Statement, expr: Expr) -> CText:
        """A condition, or the value of a selection. What is wrong with it keeps nothing after it from being read."""
        with self.body.refusals.at(statement.line):
            return self.expressions(statement).print(expr)
        self.body.prelude.clear()
        return CText("false", LOGICAL)

    def _transparent(self, node: Construct, depth: int) -> None:
        """Blocks that change nothing here: ``@if`` (false ones are gone), regions of the other target, aliases."""
        if node.kind == "at_if" and node.condition is not None:
            if self.body.facts.holds(node.condition, self.body.key):
                self.block(node.body, depth)
            return
        check_exits(node)
        self.block(node.body, depth)

    def _do(self, node: Construct, depth: int) -> None:
        header = node.header
        assert isinstance(header, Header)
        if not header.var:
            self._forever(node, header, depth)
            return
        printer = self.expressions(header)
        variable = self.body.variable(header.var, self.body.key)
        if variable is None or len(header.exprs) < 2:
            raise CannotPrint(f"the loop over '{header.var}'")
        written = _written_in(node) | {header.var}
        first = printer.print(header.exprs[0]).text
        last = self._kept(printer.print(header.exprs[1]), header.exprs[1], written, depth, header)
        step = printer.print(header.exprs[2]).text if len(header.exprs) > 2 else "1"
        var = variable.text
        value = self.body.kinds.value(header.exprs[2], self.body.key) if len(header.exprs) > 2 else 1
        self.flush(depth, header)
        if header.var in self.team and header.serial:
            raise CannotPrint(f"a loop of a team that is called serial ({header.serial})")
        if header.var in self.team:
            self._shared_loop(node, header, (var, first, last), value, depth)
            return
        if value is None:
            self._counted(node, header, (var, first, last, step), depth)
            return
        if value == 0:
            raise CannotPrint("a loop with step 0")
        compare = "<=" if value > 0 else ">="
        moved = f"++{var}" if value == 1 else f"--{var}" if value == -1 else f"{var} += {value}"
        self.put(f"for ({var} = {first}; {var} {compare} {last}; {moved}) {{", depth, header)
        self._loop_body(node, header, depth)

    def _shared_loop(
        self, node: Construct, header: Header, parts: tuple[str, str, str], step: int | None, depth: int
    ) -> None:
        """A loop whose points the threads of a team share; after the outermost they wait for one another."""
        if step != 1:
            raise CannotPrint("a loop of a team with another step than 1")
        var, first, last = parts
        axis = dict(zip(self.team, "xyz", strict=False))[header.var]
        begin = f"{first} + (int)threadIdx.{axis}"
        self.put(f"for ({var} = {begin}; {var} <= {last}; {var} += {self.team[header.var]}) {{", depth, header)
        self._sharing += 1
        self._loop_body(node, header, depth)
        self._sharing -= 1
        if not self._sharing:
            self.put("__syncthreads();", depth, node.end or header)

    def _kept(self, value: CText, expr: Expr, written: set[str], depth: int, header: Header) -> str:
        """A bound that the loop's body may change is evaluated once, before the loop."""
        if not (names_in(expr) & written) and not any(isinstance(n, Apply) for n in walk(expr)):
            return value.text
        self.flush(depth, header)
        name = self.body.temporary(c_type(value.type), "hf_last")
        self.put(f"{name} = {value.text};", depth, header)
        return name

    def _counted(self, node: Construct, header: Header, parts: tuple[str, str, str, str], depth: int) -> None:
        """A loop whose step is known at run time only: by its number of turns (Fortran 2018, 11.1.7.4)."""
        var, first, last, step = parts
        turns, by = self.body.temporary("int", "hf_turns"), self.body.temporary(c_type(INTEGER), "hf_step")
        self.put(f"{by} = {step};", depth, header)
        self.put(f"{turns} = ({last} - ({first}) + {by}) / {by};", depth, header)
        self.put(f"for ({var} = {first}; {turns} > 0; {var} += {by}, --{turns}) {{", depth, header)
        self._loop_body(node, header, depth)

    def _forever(self, node: Construct, header: Header, depth: int) -> None:
        self.put("while (true) {", depth, header)
        self._loop_body(node, header, depth)

    def _do_while(self, node: Construct, depth: int) -> None:
        header = node.header
        assert isinstance(header, Header)
        condition = self._condition(header, header.exprs[0])
        if self.body.prelude:
            self.put("while (true) {", depth, header)
            self.flush(depth + 1, header)
            self.put(f"if (!({condition.text})) break;", depth + 1, header)
        else:
            self.put(f"while ({condition.text}) {{", depth, header)
        self._loop_body(node, header, depth)

    def _loop_body(self, node: Construct, header: Statement, depth: int) -> None:
        self._count += 1
        label = f"hf_loop{self._count}"
        self._loops.append((getattr(header, "construct_name", ""), label))
        self.block(node.body, depth + 1)
        self._loops.pop()
        self.end_label(node, depth + 1)
        last = node.end or header
        if f"cycle_{label}" in self._labels:
            self.put(f"cycle_{label}:;", depth + 1, last)
        self.put("}", depth, last)
        if f"exit_{label}" in self._labels:
            self.put(f"exit_{label}:;", depth, last)

    def _if(self, node: Construct, depth: int) -> None:
        closing = 0
        for number, part in enumerate(node.parts):
            header = part.header
            assert isinstance(header, Header)
            if not header.exprs:
                self.put("} else {", depth, header)
            else:
                condition = self._condition(header, header.exprs[0])
                if number and self.body.prelude:
                    # What the condition needs must be worked out after the conditions before it were false.
                    self.put("} else {", depth, header)
                    depth, closing = depth + 1, closing + 1
                    self.flush(depth, header)
                    number = 0
                self.flush(depth, header)
                self.put(f"{'} else ' if number else ''}if ({condition.text}) {{", depth, header)
            self.block(part.body, depth + 1)
        self.end_label(node, depth + 1)
        last = node.end or node.header
        for level in reversed(range(depth - closing, depth + 1)):
            self.put("}", level, last)

    def _select(self, node: Construct, depth: int) -> None:
        """``select case`` as a chain of conditions on a value that is evaluated once."""
        header = node.header
        assert isinstance(header, Header)
        value = self._condition(header, header.exprs[0])
        chosen = self.body.temporary(c_type(value.type), "hf_case")
        self.flush(depth, header)
        self.put(f"{chosen} = {value.text};", depth, header)
        cases = [p for p in node.parts[1:] if isinstance(p.header, Header)]
        ordered = [p for p in cases if getattr(p.header, "exprs", ())] + [
            p for p in cases if not getattr(p.header, "exprs", ())
        ]
        for number, part in enumerate(ordered):
            head = part.header
            assert isinstance(head, Header)
            opening = "} else " if number else ""
            if head.exprs:
                condition = " || ".join(self._case(chosen, e, head) for e in head.exprs)
                self.put(f"{opening}if ({condition}) {{", depth, head)
            else:
                self.put(f"{opening or ''}{{", depth, head)
            self.block(part.body, depth + 1)
        if ordered:
            self.end_label(node, depth + 1)
            self.put("}", depth, node.end or header)

    def _case(self, chosen: str, expr: Expr, header: Header) -> str:
        if not isinstance(expr, Range):
            value = self._condition(header, expr)
            return f"{chosen} == {value.at(80)}" if value.type.base != "logical" else f"!{chosen} == !{value.at(90)}"
        low = f"{self._condition(header, expr.lower).at(80)} <= {chosen}" if expr.lower is not None else ""
        high = f"{chosen} <= {self._condition(header, expr.upper).at(80)}" if expr.upper is not None else ""
        return f"({low} && {high})" if low and high else f"({low or high})"


def _jump_of(statement: Statement) -> Jump | None:
    if isinstance(statement, OneLine):
        return _jump_of(statement.action)
    return statement if isinstance(statement, Jump) else None


def _written_in(node: Construct) -> set[str]:
    """Names that assignments, loops and calls below a construct may set."""
    names: set[str] = set()
    for statement in flatten(node.body):
        match statement:
            case Assignment(target=target):
                names |= names_in(target)
            case Header(var=var) if var:
                names.add(var)
            case Call(args=args):
                names |= {n for a in args for n in names_in(a)}
    return names
