"""The statements of a body for a block of columns: loops over the block around as many of them as go together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.language.referenced import asks
from hfpy.model.building import COLON, Maker, apply, between, binary, keyword, name, number, plus, quoted
from hfpy.model.expressions import (
    Apply,
    Expr,
    Instead,
    Keyword,
    Literal,
    Name,
    Range,
    with_children,
    without_places,
)
from hfpy.model.source import LogicalLine
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    Header,
    Jump,
    Node,
    OneLine,
    Part,
    Statement,
    expressions,
    map_expressions,
)
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import fragment
from hfpy.transform.columns.branches import compressed, rare
from hfpy.transform.columns.common import LANE, Instance, Lanes, calls, in_lane, line_of, named, place_of, refused
from hfpy.transform.columns.selections import guard, guarded, selectable, selection, without_merges
from hfpy.transform.columns.types import plain_type
from hfpy.transform.columns.varying import Varying, jumps_vary, loop_variables
from hfpy.transform.stencil.locals import Locals
from hfpy.values import dataclass

_IN_LANE = frozenset({"if", "do", "dowhile", "select", "where", "associate"})


@dataclass(frozen=True)
class Variables:
    """How a body's variables are called in the blocked form.

    ``blocked`` has the new name of each varying variable that has the block as its first dimension; ``direct`` are
    arrays that stay where they are. ``items`` gives the indices of a reference without those that the block takes the
    place of (None for a bare name); ``rank`` the rank of what a reference without indices is; ``point`` what represents
    iterators. ``in_place`` are direct arrays whose columns lie in blocks in memory as they are computed; ``begin`` is
    the first column of a block.
    """

    blocked: Mapping[str, str]
    direct: frozenset[str]
    items: Callable[[Expr, LogicalLine], tuple[Expr | str, ...] | None]
    rank: Callable[[str], int]
    type_text: Callable[[str], str]
    point: Mapping[str, Expr] = field(default_factory=dict)
    in_place: frozenset[str] = frozenset()
    begin: str = ""

    def column(self, lane: Expr) -> Expr:
        """The column of a lane."""
        return binary(name(self.begin), "+", lane)


class BodyWriter:
    """Makes the statements of one routine or region for blocks of columns. ``clone`` gives the name of a routine's
    blocked form.
    """

    def __init__(
        self,
        analysis: Varying,
        routine: Routine,
        varying: frozenset[str],
        variables: Variables,
        names: Locals,
        clone: Callable[[Instance], str],
        width: int,
    ) -> None:
        self.analysis = analysis
        self.routine = routine
        self.varying = varying
        self.variables = variables
        self.names = names
        self.clone = clone
        self.width = width
        self.made = 0

    # -- blocks of statements

    def block(self, nodes: tuple[Node, ...], lanes: Lanes) -> tuple[Node, ...]:
        """The statements that run some statements for the lanes. Raises Refused."""
        out: list[Node] = []
        pending: list[tuple[Node, Lanes]] = []

        def flush() -> None:
            out.extend(lanes.loop([made for n, own in pending for made in self.in_lane(n, own)]))
            pending.clear()

        for node in self.analysis.plain(self.routine, nodes):
            alone = self._alone(node, lanes)
            if alone is not None:
                flush()
                out += alone
                continue
            before, own = self._hoisted(node, lanes)
            if before:
                flush()
                out += before
            pending.append((node, own))
        flush()
        return tuple(out)

    def _alone(self, node: Node, lanes: Lanes) -> tuple[Node, ...] | None:
        """What becomes of a node that is no part of a loop over lanes; None for one that is."""
        match node:
            case Assignment():
                if node.pointer:
                    raise refused("a pointer is set in it", place_of(self.routine, node))
                if named(node.target) not in self.varying:
                    return (self.statement(node, lanes),)
                return self._array_statement(node, lanes) if self.rank(node.target, node.line) else None
            case Call():
                return self._call(node, lanes)
            case Jump(kind="continue") if not node.line.label:
                return ()
            case Jump(kind="cycle" | "exit"):
                return (self.statement(node, lanes),)
            case OneLine(kind="if"):
                return self._one_line(node, lanes)
            case OneLine(kind="where"):
                return lanes.loop(self.inside((node,), lanes))
            case Construct():
                return self._construct(node, lanes)
        raise refused("there is a statement in it that is no computation", line_of(node).place(self.routine.file))

    def _one_line(self, node: OneLine, lanes: Lanes) -> tuple[Node, ...] | None:
        if not self._uniform(node.control, node):
            return compressed(self, node, lanes) if calls((node,)) else rare(self, node, lanes)
        if isinstance(node.action, Jump) or not self._touches(node.action):
            if isinstance(node.action, Jump) and node.action.kind not in ("cycle", "exit"):
                raise refused("it is left early", place_of(self.routine, node))
            return (self.statement(node, lanes),)
        inner = self.block((node.action,), lanes)
        return Maker(node.line).branch(self.expression(node.control[0], node.line, lanes), inner)

    def _construct(self, node: Construct, lanes: Lanes) -> tuple[Node, ...] | None:
        if node.kind not in _IN_LANE or node.end is None or node.end.line.label or node.header.line.file:
            raise refused(f"there is a '{node.kind}' in it", node.header.line.place(self.routine.file))
        self._check_serial(node)
        uniform = all(self._uniform(expressions(p.header), p.header) for p in node.parts) and node.kind != "where"
        if uniform and not (
            node.kind in ("do", "dowhile") and jumps_vary(self.analysis, self.routine, node, self.varying)
        ):
            parts = [Part(self.statement(p.header, lanes), self.block(p.body, lanes)) for p in node.parts]
            return (Construct(node.kind, tuple(parts), node.end),)
        if node.kind == "if" and (calls((node,)) or loop_variables((node,))):
            return compressed(self, node, lanes)
        self._check_left_behind(node)
        return rare(self, node, lanes) if node.kind == "if" else None

    def _check_serial(self, node: Construct) -> None:
        """Loops that the user wants to stay as they are must not get lanes in them."""
        if isinstance(node.header, Header) and node.header.serial:
            raise refused(f"a loop is called serial: {node.header.serial}", node.header.line.place(self.routine.file))

    def _check_left_behind(self, node: Construct) -> None:
        """Variables of loops that run within a lane must not be read after them."""
        for counter in loop_variables((node,)):
            for reference in self.analysis.facts.references[self.routine.key]:
                loops = [c for c in reference.at.constructs if _counts(c, counter)]
                if reference.name == counter and not loops and not _counts_here(reference.at.statement, counter):
                    text = f"'{counter}' counts a loop that ends elsewhere in each column"
                    raise refused(text, node.header.line.place(self.routine.file))

    def _uniform(self, exprs: tuple[Expr, ...], statement: Statement) -> bool:
        return not any(self.analysis.varies(self.routine, e, statement, self.varying) for e in exprs)

    def _touches(self, node: Node) -> bool:
        """Whether a statement has to do with what varies."""
        if isinstance(node, Call):
            return True
        exprs = expressions(node) if isinstance(node, Statement) else ()
        return not self._uniform(tuple(exprs), node) if isinstance(node, Statement) else True

    # -- statements and expressions

    def in_lane(self, node: Node, lanes: Lanes) -> Iterator[Node]:
        """One of the statements of a loop over lanes; a branch as a selection, if it can be one."""
        if isinstance(node, (Construct, OneLine)) and selectable(self, node):
            yield from selection(self, node, lanes)
        elif isinstance(node, Assignment):
            yield from without_merges(self, node, lanes)
        else:
            yield from self.inside((node,), lanes)

    def inside(self, nodes: tuple[Node, ...], lanes: Lanes) -> tuple[Node, ...]:
        """Statements within a loop over lanes, as they are but for their variables."""
        return tuple(self._inside(node, lanes) for node in self.analysis.plain(self.routine, nodes))

    def _inside(self, node: Node, lanes: Lanes) -> Node:
        if not isinstance(node, Construct):
            action = node.action if isinstance(node, OneLine) else node
            if isinstance(action, Jump) and action.kind not in ("cycle", "exit", "continue"):
                raise refused("it is left early", place_of(self.routine, node))
            odd = isinstance(node, OneLine) and not isinstance(action, (Assignment, Call, Jump))
            if odd or not isinstance(node, (Assignment, Call, Jump, OneLine)) or node.line.label:
                raise refused("there is a statement in it that is no computation", place_of(self.routine, node))
            return self.statement(node, lanes)
        if node.kind not in _IN_LANE or node.end is None or node.end.line.label:
            raise refused(f"there is a '{node.kind}' in it", node.header.line.place(self.routine.file))
        self._check_serial(node)
        parts = [Part(self.statement(p.header, lanes), self.inside(p.body, lanes)) for p in node.parts]
        return Construct(node.kind, tuple(parts), node.end)

    def statement(self, statement: Statement, lanes: Lanes) -> Statement:
        """One statement for a lane, with its action where it is a one-line ``if``."""
        if statement.line.file:
            raise refused("it is part of an included file", place_of(self.routine, statement))
        return map_expressions(statement, lambda e: self.expression(e, statement.line, lanes))

    def guarded_value(
        self, expr: Expr, line: LogicalLine, lanes: Lanes, own: Mapping[str, Expr], taken: Expr, before: list[Node]
    ) -> Expr:
        """A value on one side of a selection: ``own`` are variables that the side has set, operations that other
        columns must not do are guarded by ``taken``, in statements ``before`` where they need some.
        """

        def visit(node: Expr) -> Expr:
            if isinstance(node, Name) and node.name in own:
                return Instead(node.start, node.end, own[node.name])
            if named(node) in self.varying or isinstance(node, Name):
                return self.expression(node, line, lanes)
            operand = guard(node)
            function = node.base if isinstance(node, Apply) else None

            def change(child: Expr) -> Expr:
                if child is function:
                    return child
                if child is not operand:
                    return visit(child)
                inner = self.guarded_value(child, line, lanes, own, taken, before)
                return Instead(child.start, child.end, guarded(self, child, inner, taken, before, line))

            return with_children(node, change)

        return visit(expr)

    def expression(self, expr: Expr, line: LogicalLine, lanes: Lanes) -> Expr:
        """An expression of a line within a loop over lanes."""
        new: Expr | None = lanes.results.get((expr.start, expr.end)) if expr.start >= 0 else None
        called = named(expr)
        if new is None and isinstance(expr, Name) and without_places(expr) not in lanes.instead:
            new = self.variables.point.get(called)
        if new is None and called in self.varying and isinstance(expr, (Name, Apply)):
            new = self.reference(expr, line, lanes)
        if new is not None:
            return Instead(expr.start, expr.end, new)
        if isinstance(expr, Apply) and asks(expr, self.routine.key, self.analysis.facts.scopes):
            return with_children(expr, lambda child: self._asked(expr, child, line, lanes))
        function = expr.base if isinstance(expr, Apply) and isinstance(expr.base, Name) else None
        return with_children(expr, lambda e: e if e is function else self.expression(e, line, lanes))

    def _asked(self, inquiry: Apply, arg: Expr, line: LogicalLine, lanes: Lanes) -> Expr:
        """An argument of an inquiry: about the whole variable, or about its first column."""
        if arg is inquiry.base:
            return arg
        value = arg.value if isinstance(arg, Keyword) else arg
        if named(value) not in self.varying:
            return self.expression(arg, line, lanes)
        place = line.place(self.routine.file, inquiry.start, inquiry.end)
        if not isinstance(value, Name) or value.name not in self.variables.blocked:
            raise refused(f"'{named(inquiry)}' asks about a part of '{named(value)}'", place)
        block, rank = name(self.variables.blocked[value.name]), self.variables.rank(value.name)
        about: Expr = block
        if named(inquiry) != "present":
            if named(inquiry) in ("lbound", "ubound") and rank:
                raise refused(f"'{named(inquiry)}' asks about '{value.name}'", place)
            about = apply(block.name, (number(0), *(COLON for _ in range(rank))))
        new = Instead(value.start, value.end, about)
        return replace(arg, value=new) if isinstance(arg, Keyword) else new

    def reference(self, expr: Expr, line: LogicalLine, lanes: Lanes) -> Expr:
        """A varying variable in a lane."""
        instead = lanes.instead.get(without_places(expr))
        if instead is not None:
            return in_lane(instead)
        items = self.indices(expr, line, lanes)
        if named(expr) in self.variables.direct:
            return apply(named(expr), items)
        return in_lane(self.variables.blocked[named(expr)], *items)

    def indices(self, expr: Expr, line: LogicalLine, lanes: Lanes) -> list[Expr]:
        """The indices of a reference; colons for a bare array."""
        items = self.variables.items(expr, line)
        if items is None:
            return [COLON] * self.variables.rank(named(expr))
        return [self._index(i, line, lanes) for i in items]

    def _index(self, item: Expr | str, line: LogicalLine, lanes: Lanes) -> Expr:
        called = item if isinstance(item, str) else item.name if isinstance(item, Name) else ""
        point = self.variables.point.get(called)
        if point is not None:
            return point
        if isinstance(item, str):
            return COLON if item == ":" else quoted(fragment(item))
        return self.expression(item, line, lanes)

    def rank(self, expr: Expr, line: LogicalLine) -> int:
        """The rank of a reference in one column."""
        items = self.variables.items(expr, line) if isinstance(expr, (Name, Apply)) else None
        if items is None:
            return self.variables.rank(named(expr)) if isinstance(expr, Name) else 0
        return sum(1 for i in items if isinstance(i, Range) or i == ":")

    # -- arrays and calls

    def _array_statement(self, node: Assignment, lanes: Lanes) -> tuple[Node, ...]:
        """A statement on whole arrays: plane by plane where it only copies, else column by column."""
        source = node.value
        whole = isinstance(node.target, Name) and (
            isinstance(source, Literal) or (isinstance(source, Name) and source.name in self.varying)
        )
        names = [named(e) for e in (node.target, source) if not isinstance(e, Literal)]
        if whole and not set(names) & self.variables.direct and not lanes.instead:
            rank = self.variables.rank(names[0])
            section = [between(number(0), plus(name(lanes.count), -1)), *(COLON for _ in range(rank))]
            if isinstance(source, Literal) or self.variables.rank(named(source)) == rank:
                there = [apply(self.variables.blocked[each], section) for each in names]
                return (Maker(node.line).assign(there[0], source if isinstance(source, Literal) else there[1]),)
        return lanes.loop([self.statement(node, lanes)])

    def _call(self, node: Call, lanes: Lanes) -> tuple[Node, ...]:
        for site in self.analysis.sites(self.routine, node):
            before, args, instance = self._arguments(site, node.line, lanes)
            return (*before, Maker(node.line).call(self.clone(instance), [name(lanes.count), *args]))
        raise refused("it calls a routine whose source is not known", place_of(self.routine, node))

    def _arguments(self, site: CallSite, line: LogicalLine, lanes: Lanes) -> tuple[list[Node], list[Expr], Instance]:
        analysis, statement = self.analysis, site.at.statement
        given = dict(analysis.actuals(site))
        seed = {d for d, e in given.items() if analysis.varies(self.routine, e, statement, self.varying)}
        # What a routine sets for columns that are at work only must differ from column to column.
        seed |= {d for d, e in given.items() if named(e) in self.varying}
        instance = analysis.final(Instance(site.callee, frozenset(seed)))
        before: list[Node] = []
        args = []
        for arg in site.args:
            value = arg.value if isinstance(arg, Keyword) else arg
            dummy = next((d for d, e in given.items() if e is value), "")
            if dummy not in instance.varying:
                actual = self.expression(value, line, lanes)
            else:
                more, actual = self._lane_actual(site, dummy, value, line, lanes)
                before += more
            args.append(keyword(arg.name, actual) if isinstance(arg, Keyword) else actual)
        return before, args, instance

    def _lane_actual(
        self, site: CallSite, dummy: str, value: Expr, line: LogicalLine, lanes: Lanes
    ) -> tuple[tuple[Node, ...], Expr]:
        """An actual argument with the block as its first dimension, and statements before the call."""
        place = place_of(self.routine, site.at.statement, value)
        data = self.analysis.facts.object(dummy, site.callee)
        wanted = data.rank if data is not None else 0
        called = named(value)
        known = called in self.varying and isinstance(value, (Name, Apply))
        if known and self.rank(value, line) != wanted:
            raise refused(f"'{called}' is passed on in another shape", place)
        if known and (instead := lanes.instead.get(without_places(value))) is not None:
            return (), name(instead)
        if known and called in self.variables.blocked:
            block = self.variables.blocked[called]
            if self.variables.items(value, line) is None or isinstance(value, Name):
                return (), name(block)
            return (), apply(block, [COLON, *self.indices(value, line, lanes)])
        if known and called in self.variables.in_place:
            here, begin = self.variables.column(name(LANE)), name(self.variables.begin)
            whole = between(begin, plus(begin, self.width - 1))
            items = self.indices(value, line, lanes)
            return (), apply(called, [whole if item == here else item for item in items])
        if wanted or self.analysis.effects.intent(site.callee, dummy) != "in":
            raise refused(f"the argument for '{dummy}' of '{site.name}' cannot be put in blocks", place)
        room = self.room(f"{site.name}_{dummy}", plain_type(self.analysis.facts, site.callee, dummy))
        return lanes.loop([Maker(line).assign(in_lane(room), self.expression(value, line, lanes))]), name(room)

    def room(self, base: str, type_text: str) -> str:
        """A new array with an element for each lane."""
        self.made += 1
        return self.names.array(f"{base}_{self.made}", "", type_text, f"0:{self.width - 1}")

    def _hoisted(self, node: Node, lanes: Lanes) -> tuple[list[Node], Lanes]:
        """Calls of functions in a statement, made for all lanes before it, and the lanes with their results."""
        if not isinstance(node, Assignment):
            return [], lanes
        made: list[Node] = []
        results = dict(lanes.results)
        for site in self.analysis.sites(self.routine, node, node.value):
            outer = [s for s in results if s[0] <= site.node.start and site.node.end <= s[1]]
            if outer or not site.function or not self._worth_a_call(site):
                continue
            before, args, instance = self._arguments(site, node.line, replace(lanes, results=results))
            callee = self.analysis.facts.routine(site.callee)
            if callee.result not in instance.varying:
                continue
            room = self.room(f"{site.name}", plain_type(self.analysis.facts, site.callee, callee.result))
            actuals = [name(lanes.count), *args, name(room)]
            made += [*before, Maker(node.line).call(self.clone(instance), actuals)]
            results[site.node.start, site.node.end] = in_lane(room)
        return made, replace(lanes, results=results)

    def _worth_a_call(self, site: CallSite) -> bool:
        """Whether a function has branches or loops, or is in another module: the compiler will not inline it."""
        callee = self.analysis.facts.application.routines.get(site.callee)
        if (
            callee is None
            or "elemental" in callee.prefix
            or (
                callee.module == self.routine.module
                and not any(isinstance(n, (Construct, OneLine)) for n in callee.body)
            )
        ):
            return False
        data = self.analysis.facts.object(callee.result, site.callee)
        return data is not None and not data.rank


def _counts(construct: Construct, name: str) -> bool:
    return _counts_here(construct.header, name)


def _counts_here(statement: Statement, name: str) -> bool:
    return isinstance(statement, Header) and statement.var == name
