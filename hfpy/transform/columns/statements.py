"""The statements of a body for a block of columns: loops over the block around as many of them as go together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from hfpy.analyze.graph import CallSite
from hfpy.analyze.intrinsics import INQUIRY
from hfpy.model.expressions import Apply, Expr, Keyword, Literal, Name, Range, children
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Call, Construct, Header, Jump, Node, OneLine, Statement, expressions
from hfpy.model.units import Routine
from hfpy.transform.columns.common import Instance, line_of, named, parts_of, place_of, refused
from hfpy.transform.columns.selections import guard, guarded, selectable, selection, without_merges
from hfpy.transform.columns.varying import Varying, jumps_vary, loop_variables
from hfpy.transform.stencil.locals import Locals

STEP = "  "
LANE = "hf_l"
_IN_LANE = frozenset({"if", "do", "dowhile", "select", "where"})


@dataclass(frozen=True)
class Lanes:
    """Which lanes are at work: the text of their number, and what stands for references of compressed columns."""

    count: str
    instead: Mapping[str, str] = field(default_factory=dict)
    results: Mapping[tuple[int, int], str] = field(default_factory=dict)


@dataclass(frozen=True)
class Variables:
    """How a body's variables are called in the blocked text.

    ``blocked`` has the new name of each varying variable that has the block as its first dimension; ``direct`` are
    arrays that stay where they are. ``items`` gives the indices of a reference without those that the block takes the
    place of (None for a bare name); ``rank`` the rank of what a reference without indices is; ``point`` the texts of
    iterators.
    """

    blocked: Mapping[str, str]
    direct: frozenset[str]
    items: Callable[[Expr, LogicalLine], tuple[Expr | str, ...] | None]
    rank: Callable[[str], int]
    type_text: Callable[[str], str]
    point: Mapping[str, str] = field(default_factory=dict)


class BodyWriter:
    """Writes the statements of one routine or region. ``clone`` gives the name of a routine's blocked form."""

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

    def block(self, nodes: tuple[Node, ...], lanes: Lanes) -> list[str]:
        """The lines that run some statements for the lanes. Raises Refused."""
        out: list[str] = []
        pending: list[tuple[Node, Lanes]] = []

        def flush() -> None:
            if pending:
                out.extend(self.lane_loop(lanes, [row for n, own in pending for row in self._in_lane(n, own)]))
                pending.clear()

        for node in self.analysis.plain(self.routine, nodes):
            alone = self._alone(node, lanes)
            if alone is not None:
                flush()
                out += alone
                continue
            rows, own = self._hoisted(node, lanes)
            if rows:
                flush()
                out += rows
            pending.append((node, own))
        flush()
        return out

    def lane_loop(self, lanes: Lanes, rows: list[str]) -> list[str]:
        """A loop over the lanes."""
        return [f"do {LANE} = 0, {lanes.count} - 1", *(STEP + row for row in rows), "end do"]

    def _alone(self, node: Node, lanes: Lanes) -> list[str] | None:
        """The lines of a node that is no part of a loop over lanes; None for one that is."""
        match node:
            case Assignment():
                if node.pointer:
                    raise refused("a pointer is set in it", place_of(self.routine, node))
                if named(node.target) not in self.varying:
                    return [self.statement(node, lanes)]
                return self._array_statement(node, lanes) if self.rank(node.target, node.line) else None
            case Call():
                return self._call(node, lanes)
            case Jump(kind="continue") if not node.line.label:
                return []
            case Jump(kind="cycle" | "exit"):
                return [self.statement(node, lanes)]
            case OneLine(kind="if"):
                return self._one_line(node, lanes)
            case OneLine(kind="where"):
                return self.lane_loop(lanes, list(self.inside((node,), lanes)))
            case Construct():
                return self._construct(node, lanes)
        raise refused("there is a statement in it that is no computation", line_of(node).place(self.routine.file))

    def _one_line(self, node: OneLine, lanes: Lanes) -> list[str] | None:
        if not self._uniform(node.control, node):
            return self._compressed(node, lanes) if _calls((node,)) else None
        if isinstance(node.action, Jump) or not self._touches(node.action):
            if isinstance(node.action, Jump) and node.action.kind not in ("cycle", "exit"):
                raise refused("it is left early", place_of(self.routine, node))
            return [self.statement(node, lanes)]
        rows = self.block((node.action,), lanes)
        return [f"if ({self.text(node.control[0], node.line, lanes)}) then", *(STEP + r for r in rows), "end if"]

    def _construct(self, node: Construct, lanes: Lanes) -> list[str] | None:
        if node.kind not in _IN_LANE or node.end is None or node.end.line.label or node.header.line.file:
            raise refused(f"there is a '{node.kind}' in it", node.header.line.place(self.routine.file))
        uniform = all(self._uniform(expressions(p.header), p.header) for p in node.parts) and node.kind != "where"
        if uniform and not (
            node.kind in ("do", "dowhile") and jumps_vary(self.analysis, self.routine, node, self.varying)
        ):
            out = []
            for part in node.parts:
                out.append(self.statement(part.header, lanes))
                out += [STEP + row for row in self.block(part.body, lanes)]
            return [*out, node.end.line.text.strip()]
        if node.kind == "if" and (_calls((node,)) or loop_variables((node,))):
            return self._compressed(node, lanes)
        self._check_left_behind(node)
        return None

    def _check_left_behind(self, node: Construct) -> None:
        """Variables of loops that run within a lane must not be read behind them."""
        for name in loop_variables((node,)):
            for reference in self.analysis.facts.references[self.routine.key]:
                loops = [c for c in reference.at.constructs if _counts(c, name)]
                if reference.name == name and not loops and not _counts_here(reference.at.statement, name):
                    text = f"'{name}' counts a loop that ends elsewhere in each column"
                    raise refused(text, node.header.line.place(self.routine.file))

    def _uniform(self, exprs: tuple[Expr, ...], statement: Statement) -> bool:
        return not any(self.analysis.varies(self.routine, e, statement, self.varying) for e in exprs)

    def _touches(self, node: Node) -> bool:
        """Whether a statement has to do with what varies."""
        if isinstance(node, Call):
            return True
        exprs = expressions(node) if isinstance(node, Statement) else ()
        return not self._uniform(tuple(exprs), node) if isinstance(node, Statement) else True

    # -- text

    def _in_lane(self, node: Node, lanes: Lanes) -> Iterator[str]:
        """One of the statements of a loop over lanes; a branch as a selection, if it can be one."""
        if isinstance(node, Construct | OneLine) and selectable(self, node):
            yield from selection(self, node, lanes)
        elif isinstance(node, Assignment):
            yield from without_merges(self, node, lanes)
        else:
            yield from self.inside((node,), lanes)

    def guarded_text(
        self, expr: Expr, line: LogicalLine, lanes: Lanes, own: Mapping[str, str], taken: str, before: list[str]
    ) -> str:
        """The text of a value on one side of a selection: ``own`` are variables that the side has set, operations that
        other columns must not do are guarded by ``taken``, in lines ``before`` where they need some.
        """
        found: list[tuple[int, int, str]] = []

        def visit(node: Expr) -> None:
            if isinstance(node, Name) and node.name in own:
                found.append((node.start, node.end, own[node.name]))
                return
            if named(node) in self.varying or isinstance(node, Name):
                self._replace(node, line, lanes, found)
                return
            operand = guard(node)
            for child in children(node):
                if isinstance(node, Apply) and child is node.base:
                    continue
                if child is operand:
                    inner = self.guarded_text(child, line, lanes, own, taken, before)
                    found.append((child.start, child.end, guarded(self, child, inner, taken, before)))
                else:
                    visit(child)

        visit(expr)
        return _with(line.text[: expr.end], found, expr.start).strip()

    def inside(self, nodes: tuple[Node, ...], lanes: Lanes) -> Iterator[str]:
        """Statements within a loop over lanes, as they stand but for their variables."""
        for node in self.analysis.plain(self.routine, nodes):
            if not isinstance(node, Construct):
                action = node.action if isinstance(node, OneLine) else node
                if isinstance(action, Jump) and action.kind not in ("cycle", "exit", "continue"):
                    raise refused("it is left early", place_of(self.routine, node))
                if isinstance(node, OneLine) and not isinstance(action, Assignment | Call | Jump):
                    raise refused("there is a statement in it that is no computation", place_of(self.routine, node))
                if not isinstance(node, (Assignment, Call, Jump, OneLine)) or node.line.label:
                    raise refused("there is a statement in it that is no computation", place_of(self.routine, node))
                yield self.statement(node, lanes)
                continue
            if node.kind not in _IN_LANE or node.end is None or node.end.line.label:
                raise refused(f"there is a '{node.kind}' in it", node.header.line.place(self.routine.file))
            for part in node.parts:
                yield self.statement(part.header, lanes)
                yield from (STEP + row for row in self.inside(part.body, lanes))
            yield node.end.line.text.strip()

    def statement(self, statement: Statement, lanes: Lanes) -> str:
        """The text of one statement, with its action where it is a one-line ``if``."""
        listed = [*expressions(statement)]
        if isinstance(statement, Call):
            listed = [*statement.args]
        if isinstance(statement, OneLine):
            listed += statement.action.args if isinstance(statement.action, Call) else expressions(statement.action)
        if statement.line.file:
            raise refused("it is part of an included file", place_of(self.routine, statement))
        found: list[tuple[int, int, str]] = []
        for expr in listed:
            self._replace(expr, statement.line, lanes, found)
        start = statement.target.start if isinstance(statement, Assignment) else 0
        return _with(statement.line.text, found, start).strip()

    def with_replaced(self, statement: Assignment, lanes: Lanes, given: list[tuple[int, int, str]]) -> str:
        """The text of an assignment with some of its parts replaced by other texts."""
        found = list(given)

        def visit(expr: Expr) -> None:
            if any(start <= expr.start and expr.end <= end for start, end, _ in given):
                return
            if any(expr.start <= start and end <= expr.end for start, end, _ in given):
                for child in children(expr):
                    visit(child)
                return
            self._replace(expr, statement.line, lanes, found)

        for expr in expressions(statement):
            visit(expr)
        return _with(statement.line.text, found, statement.target.start).strip()

    def text(self, expr: Expr, line: LogicalLine, lanes: Lanes) -> str:
        """The text of an expression within a loop over lanes."""
        found: list[tuple[int, int, str]] = []
        self._replace(expr, line, lanes, found)
        return _with(line.text[: expr.end], found, expr.start).strip()

    def _replace(self, expr: Expr, line: LogicalLine, lanes: Lanes, found: list[tuple[int, int, str]]) -> None:
        result = lanes.results.get((expr.start, expr.end))
        if result is not None:
            found.append((expr.start, expr.end, f"{result}({LANE})"))
            return
        name = named(expr)
        if isinstance(expr, Apply) and name in INQUIRY and name not in self.varying:
            self._replace_asked(expr, line, lanes, found)
            return
        if isinstance(expr, Name) and (point := self.variables.point.get(name)) is not None:
            found.append((expr.start, expr.end, point))
            return
        if name in self.varying and isinstance(expr, Name | Apply):
            found.append((expr.start, expr.end, self._reference(expr, line, lanes)))
            return
        if isinstance(expr, Name):
            return
        for child in children(expr):
            if isinstance(expr, Keyword | Apply) and child is getattr(expr, "base", None) and isinstance(child, Name):
                continue
            self._replace(child, line, lanes, found)

    def _replace_asked(self, expr: Apply, line: LogicalLine, lanes: Lanes, found: list[tuple[int, int, str]]) -> None:
        """The arguments of an inquiry: about the whole variable, or about its first column."""
        for arg in expr.args:
            value = arg.value if isinstance(arg, Keyword) else arg
            if named(value) not in self.varying:
                self._replace(value, line, lanes, found)
                continue
            place = line.place(self.routine.file, expr.start, expr.end)
            if not isinstance(value, Name) or value.name not in self.variables.blocked:
                raise refused(f"'{named(expr)}' asks about a part of '{named(value)}'", place)
            block, rank = self.variables.blocked[value.name], self.variables.rank(value.name)
            if named(expr) != "present":
                if named(expr) in ("lbound", "ubound") and rank:
                    raise refused(f"'{named(expr)}' asks about '{value.name}'", place)
                block = f"{block}({','.join(['0', *(':' for _ in range(rank))])})"
            found.append((value.start, value.end, block))

    def _reference(self, expr: Expr, line: LogicalLine, lanes: Lanes) -> str:
        return self.reference_text(expr, self.key(expr, line), line, lanes)

    def reference_text(self, expr: Expr, key: str, line: LogicalLine, lanes: Lanes) -> str:
        """A varying variable in a lane; ``key`` is its text in the source."""
        name = named(expr)
        instead = lanes.instead.get(key)
        if instead is not None:
            return f"{instead}({LANE})"
        items = self.indices(expr, line, lanes)
        if name in self.variables.direct:
            return f"{name}({','.join(items)})"
        return f"{self.variables.blocked[name]}({','.join([LANE, *items])})"

    def indices(self, expr: Expr, line: LogicalLine, lanes: Lanes) -> list[str]:
        """The indices of a reference as texts; colons for a bare array."""
        items = self.variables.items(expr, line)
        if items is None:
            return [":"] * self.variables.rank(named(expr))
        return [self._index(i, line, lanes) for i in items]

    def _index(self, item: Expr | str, line: LogicalLine, lanes: Lanes) -> str:
        name = item if isinstance(item, str) else item.name if isinstance(item, Name) else ""
        point = self.variables.point.get(name)
        if point is not None:
            return point.removeprefix("(").removesuffix(")")
        return item if isinstance(item, str) else self.text(item, line, lanes)

    def key(self, expr: Expr, line: LogicalLine) -> str:
        """A reference as a normal text, the same for the same element."""
        return "".join(line.text[expr.start : expr.end].lower().split())

    def rank(self, expr: Expr, line: LogicalLine) -> int:
        """The rank of a reference in one column."""
        items = self.variables.items(expr, line) if isinstance(expr, Name | Apply) else None
        if items is None:
            return self.variables.rank(named(expr)) if isinstance(expr, Name) else 0
        return sum(1 for i in items if isinstance(i, Range) or i == ":")

    # -- arrays and calls

    def _array_statement(self, node: Assignment, lanes: Lanes) -> list[str]:
        """A statement on whole arrays: plane by plane where it only copies, else column by column."""
        source = node.value
        whole = isinstance(node.target, Name) and (
            isinstance(source, Literal) or (isinstance(source, Name) and source.name in self.varying)
        )
        names = [named(e) for e in (node.target, source) if not isinstance(e, Literal)]
        if whole and not set(names) & self.variables.direct and not lanes.instead:
            rest = "".join(",:" for _ in range(self.variables.rank(names[0])))
            section = f"(0:{lanes.count}-1{rest})"
            if isinstance(source, Literal) or self.variables.rank(named(source)) == self.variables.rank(names[0]):
                value = source.text if isinstance(source, Literal) else self.variables.blocked[named(source)] + section
                return [f"{self.variables.blocked[names[0]]}{section} = {value}"]
        return self.lane_loop(lanes, [self.statement(node, lanes)])

    def _call(self, node: Call, lanes: Lanes) -> list[str]:
        for site in self.analysis.sites(self.routine, node):
            rows, args, instance = self._arguments(site, node.line, lanes)
            return [*rows, f"call {self.clone(instance)}({', '.join([lanes.count, *args])})"]
        raise refused("it calls a routine whose source is not known", place_of(self.routine, node))

    def _arguments(self, site: CallSite, line: LogicalLine, lanes: Lanes) -> tuple[list[str], list[str], Instance]:
        analysis, statement = self.analysis, site.at.statement
        given = dict(analysis.actuals(site))
        seed = {d for d, e in given.items() if analysis.varies(self.routine, e, statement, self.varying)}
        # What a routine sets for columns that are at work only must differ from column to column.
        seed |= {d for d, e in given.items() if named(e) in self.varying}
        instance = analysis.final(Instance(site.callee, frozenset(seed)))
        rows: list[str] = []
        args = []
        for arg in site.args:
            value = arg.value if isinstance(arg, Keyword) else arg
            dummy = next((d for d, e in given.items() if e is value), "")
            word = f"{arg.name}=" if isinstance(arg, Keyword) else ""
            if dummy not in instance.varying:
                args.append(word + self.text(value, line, lanes))
                continue
            before, actual = self._lane_actual(site, dummy, value, line, lanes)
            rows += before
            args.append(word + actual)
        return rows, args, instance

    def _lane_actual(
        self, site: CallSite, dummy: str, value: Expr, line: LogicalLine, lanes: Lanes
    ) -> tuple[list[str], str]:
        """An actual argument with the block as its first dimension, and lines before the call."""
        place = place_of(self.routine, site.at.statement, value)
        data = self.analysis.facts.object(dummy, site.callee)
        wanted = data.rank if data is not None else 0
        name = named(value)
        known = name in self.varying and isinstance(value, Name | Apply)
        if known and self.rank(value, line) != wanted:
            raise refused(f"'{name}' is passed on in another shape", place)
        if known and (instead := lanes.instead.get(self.key(value, line))) is not None:
            return [], instead
        if known and name in self.variables.blocked:
            if self.variables.items(value, line) is None or isinstance(value, Name):
                return [], self.variables.blocked[name]
            return [], f"{self.variables.blocked[name]}({','.join([':', *self.indices(value, line, lanes)])})"
        if wanted or self.analysis.effects.intent(site.callee, dummy) != "in":
            raise refused(f"the argument for '{dummy}' of '{site.name}' cannot be put in blocks", place)
        room = self.room(f"{site.name}_{dummy}", self._dummy_type(site.callee, dummy))
        return self.lane_loop(lanes, [f"{room}({LANE}) = {self.text(value, line, lanes)}"]), room

    def _dummy_type(self, key: str, dummy: str) -> str:
        data = self.analysis.facts.object(dummy, key)
        assert data is not None
        return self.variables_type(key, dummy)

    def variables_type(self, key: str, name: str) -> str:
        """The type of another routine's variable, as a declaration anywhere may give it. Raises Refused."""
        from hfpy.transform.columns.types import plain_type

        return plain_type(self.analysis.facts, key, name)

    def room(self, base: str, type_text: str) -> str:
        """A new array with an element for each lane."""
        self.made += 1
        return self.names.array(f"{base}_{self.made}", "", type_text, f"0:{self.width - 1}")

    def _hoisted(self, node: Node, lanes: Lanes) -> tuple[list[str], Lanes]:
        """Calls of functions in a statement, made for all lanes before it, and the lanes with their results."""
        if not isinstance(node, Assignment):
            return [], lanes
        rows: list[str] = []
        results = dict(lanes.results)
        for site in self.analysis.sites(self.routine, node, node.value):
            outer = [s for s in results if s[0] <= site.node.start and site.node.end <= s[1]]
            if outer or not site.function or not self._worth_a_call(site):
                continue
            before, args, instance = self._arguments(site, node.line, replace(lanes, results=results))
            callee = self.analysis.facts.routine(site.callee)
            if callee.result not in instance.varying:
                continue
            room = self.room(f"{site.name}", self.variables_type(site.callee, callee.result))
            rows += [*before, f"call {self.clone(instance)}({', '.join([lanes.count, *args, room])})"]
            results[site.node.start, site.node.end] = room
        return rows, replace(lanes, results=results)

    def _worth_a_call(self, site: CallSite) -> bool:
        """Whether a function has branches or loops, or stands in another module: the compiler will not inline it."""
        callee = self.analysis.facts.application.routines.get(site.callee)
        if (
            callee is None
            or "elemental" in callee.prefix
            or (
                callee.module == self.routine.module
                and not any(isinstance(n, Construct | OneLine) for n in callee.body)
            )
        ):
            return False
        data = self.analysis.facts.object(callee.result, site.callee)
        return data is not None and not data.rank

    def _compressed(self, node: Construct | OneLine, lanes: Lanes) -> list[str]:
        from hfpy.transform.columns.branches import compressed

        return compressed(self, node, lanes)


def _counts(construct: Construct, name: str) -> bool:
    return _counts_here(construct.header, name)


def _counts_here(statement: Statement, name: str) -> bool:
    return isinstance(statement, Header) and statement.var == name


def _calls(nodes: tuple[Node, ...]) -> bool:
    """Whether there is a call of a subroutine in some statements."""
    return any(isinstance(n, Call) or any(_calls(part) for part in parts_of(n)) for n in nodes)


def _with(text: str, found: list[tuple[int, int, str]], start: int) -> str:
    pieces = []
    position = start
    for begin, end, new in sorted(found):
        pieces += [text[position:begin], new]
        position = end
    return "".join([*pieces, text[position:]])
