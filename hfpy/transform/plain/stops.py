"""``stop`` of called routines in plain form: the routine returns, and its callers ask whether it has stopped.

A routine that may end the run gets two further arguments. The first, an integer, is the number of the statement that
was come to; the second is what these numbers count from. The statements of the routine itself come first, then those of
the routines that it calls. After each statement that calls such a routine, the caller returns too, or, in a region,
executes the statement in its own name, where it is one of the region's own (:mod:`hfpy.backends.stops`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.typed import Types
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Literal, Name, children, walk
from hfpy.model.names import plain_name
from hfpy.model.source import LineKey, LogicalLine
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    Header,
    Jump,
    Node,
    OneLine,
    Statement,
    expressions,
    flatten,
)
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import list_behind, word_span
from hfpy.transform.text.edits import Edit, insert, insert_lines, replace_range, replace_rows
from hfpy.values import dataclass

_NUMBER, _FROM = plain_name("stop", 0), plain_name("stops", 0)
_STOPS = ("stop", "errorstop")
_ZEROS = {"real": "0", "integer": "0", "logical": ".false.", "complex": "0"}
_MOST = 200
Rows = list[tuple[str, int]]


class _Left(Exception):
    """A routine stays as it is."""


@dataclass(frozen=True)
class _End:
    """A statement that ends the run: its text with a constant code, its routine and line."""

    text: str
    key: str
    line: LogicalLine


def stop_edits(facts: Facts, _effects: Effects, keys: Collection[str]) -> dict[str, list[Edit]]:
    """The edits of files for the routines of ``keys`` that may end the run, and for those that call them in kernels."""
    owners = {r.routine for r in facts.positions.regions}
    stops = _Stops(facts, [k for k in keys if k not in owners])
    while stops.taken:
        made: dict[str, list[Edit]] = {}
        for key in keys:
            routine = facts.routine(key)
            try:
                found = list(_Edits(stops, routine, key in owners).all())
            except _Left:
                # What it calls cannot tell it of a stop, and it cannot tell its callers.
                stops.leave({key, *stops.callees(key)})
                break
            made.setdefault(routine.file, []).extend(found)
        else:
            return made
    return {}


class _Stops:
    """``taken`` are the routines called in kernels that may end the run, and say so; ``own`` the statements in each
    that do.
    """

    def __init__(self, facts: Facts, called: Collection[str]) -> None:
        self.facts = facts
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self.types = Types(facts.application, facts.scopes)
        found = {key: self._own(key) for key in called}
        self.own = {key: own for key, own in found.items() if own is not None}
        self.taken = frozenset(self.own)
        self._ends: dict[str, tuple[_End, ...]] = {}
        self.leave(frozenset())

    def leave(self, keys: Collection[str]) -> None:
        """Leave some routines as they are, and those that cannot end the run without them."""
        self.taken -= frozenset(keys)
        self._ends = {}
        self.taken = frozenset(key for key in self.taken if 0 < len(self.ends(key)) <= _MOST)
        self._ends = {}

    def ends(self, key: str) -> tuple[_End, ...]:
        """The statements of a routine that end the run, and after them those of the routines that it calls."""
        if key not in self._ends:
            self._ends[key] = ()  # recursion
            below = [end for callee in self.callees(key) if callee in self.taken for end in self.ends(callee)]
            self._ends[key] = (*self.own.get(key, ()), *below)
        return self._ends[key]

    def callees(self, key: str) -> list[str]:
        """The routines that one calls, in the order of their first calls."""
        sites = (s for s in self.facts.graph.sites.get(key, ()) if s.callee)
        return list(dict.fromkeys(s.callee for s in sites if self.facts.live(s.at, key)))

    def _own(self, key: str) -> tuple[_End, ...] | None:
        """The statements of one routine; None where a code is no constant."""
        found = []
        for at in self.facts.graph.statements.get(key, ()):
            statement = at.statement
            if isinstance(statement, Jump) and statement.kind in _STOPS and self.facts.live(at, key):
                code = self._code(statement, key)
                if code is None:
                    return None
                word = "stop" if statement.kind == "stop" else "error stop"
                found.append(_End(f"{word} {code}".rstrip(), key, statement.line))
        return tuple(found)

    def _code(self, statement: Jump, key: str) -> str | None:
        """The code of a statement as every routine can write it; None where it is no constant."""
        if not statement.exprs:
            return ""
        code = statement.exprs[0]
        value = self.kinds.value(code, key)
        if value is not None:
            return str(value)
        plain = isinstance(code, Literal) and code.kind == "char"
        return statement.line.text[code.start : code.end] if plain else None


class _Edits:
    """The edits of one routine; ``owner`` tells that it has regions, in which alone its statements are in kernels."""

    def __init__(self, stops: _Stops, routine: Routine, owner: bool) -> None:
        self.stops = stops
        self.facts = stops.facts
        self.routine = routine
        self.key = routine.key
        self.owner = owner
        self.file = self.facts.application.file(routine.key)
        self.touched = False
        sites = (s for s in self.facts.graph.sites.get(routine.key, ()) if s.callee)
        self.sites = {(s.at.statement.line.key, s.node.start, s.node.end): s for s in sites}
        self.first: dict[str, int] = {}
        count = 0 if owner else len(stops.own.get(self.key, ()))
        for callee in (c for c in stops.callees(self.key) if c in stops.taken):
            self.first[callee] = count
            count += len(stops.ends(callee))
        bodies = [s for s in flatten(routine.body) if isinstance(s, Header)]
        self.labels = {s.label for s in bodies if s.label}

    def all(self) -> Iterator[Edit]:
        """Header, declarations, statements. Raises _Left."""
        if not self.owner and self.key not in self.stops.taken:
            if self.first:
                raise _Left  # it calls what may end the run, and cannot say so
            return
        yield from self._nodes(self.routine.body, not self.owner)
        margin = " " * (self.routine.header.segments[0][2] + 2)
        rows: list[str] = []
        if self.owner and self.touched:
            rows = [f"integer(4) :: {_NUMBER}"]
        elif not self.owner:
            yield from self._header()
            rows = [f"integer(4), intent(inout) :: {_NUMBER}", f"integer(4), intent(in) :: {_FROM}"]
        if rows:
            yield insert_lines(
                self.routine.spec_insert + 1, [margin + row for row in rows], 7, self.routine.header.first
            )

    def _header(self) -> Iterator[Edit]:
        line, routine = self.routine.header, self.routine
        if line.file or routine.interoperable or not self.file.alone(line) or routine.end is None:
            raise _Left
        if "elemental" in routine.prefix:
            if any(map(self._by_element, self.facts.graph.callers.get(self.key, ()))):
                raise _Left
            yield replace_range(line, *word_span(line.text, "elemental"), "")
        span = list_behind(line.text, routine.name)
        listed = ", ".join([*routine.dummies, _NUMBER, _FROM])
        if span is not None:
            yield replace_range(line, *span, f"({listed})")
        else:
            yield insert(line, len(line.text), f"({listed})")

    def _by_element(self, site: CallSite) -> bool:
        """Whether a reference of an elemental routine may be one for each element of an array."""
        for argument in site.args:
            value = argument.value if isinstance(argument, Keyword) else argument
            typed = self.stops.types.expression(value, site.caller)
            if typed is None or typed.rank != 0:
                return True
        return False

    # -- statements

    def _nodes(self, nodes: tuple[Node, ...], inside: bool) -> Iterator[Edit]:
        for node in nodes:
            if not isinstance(node, Construct):
                if inside:
                    yield from self._statement(node)
            elif node.kind == "at_if" and node.condition is not None and not self.facts.holds(node.condition, self.key):
                continue
            elif node.kind == "region":
                yield from self._nodes(node.body, True)
            else:
                yield from self._construct(node, inside)

    def _construct(self, node: Construct, inside: bool) -> Iterator[Edit]:
        called = inside and any(self._called(e, node.header) for p in node.parts for e in expressions(p.header))
        if called:
            yield from self._header_of(node)
        for part in node.parts:
            yield from self._nodes(part.body, inside)

    def _header_of(self, node: Construct) -> Iterator[Edit]:
        """A construct whose conditions or bounds call what may end the run: asked in each part, and after the end."""
        end, header = node.end, node.header
        labelled = isinstance(header, Header) and header.label
        if node.kind not in ("if", "do", "dowhile", "select") or end is None or labelled:
            raise _Left
        found: dict[str, None] = {}
        for part in node.parts:
            for expr in expressions(part.header):
                found |= self._called(expr, part.header)
                if self._called(expr, part.header):
                    line = part.header.line
                    yield replace_range(line, expr.start, expr.end, self._text(expr, line))
            if part.header is node.header and node.kind == "select":
                continue
            yield from self._behind(part.header, found)
        yield from self._behind(end, found)
        yield from self._before(node.header)

    def _statement(self, statement: Statement) -> Iterator[Edit]:
        """A statement in a kernel, or in a routine that kernels call."""
        line = statement.line
        action = statement.action if isinstance(statement, OneLine) else statement
        is_stop = not self.owner and isinstance(action, Jump) and action.kind in _STOPS
        exprs = (*expressions(statement), *(expressions(action) if action is not statement else ()))
        found: dict[str, None] = {}
        for expr in exprs:
            found |= self._called(expr, statement)
        if not is_stop and not found:
            return
        if line.file or (line.label and line.label in self.labels):
            raise _Left
        if isinstance(statement, OneLine) and (statement.kind != "if" or isinstance(action, OneLine)):
            raise _Left
        if not isinstance(action, (Assignment, Call)) and not is_stop and isinstance(statement, OneLine):
            raise _Left
        rows: Rows = [(f"{_NUMBER} = 0", line.first)] if self.owner else []
        if isinstance(statement, OneLine):
            condition = self._text(statement.control[0], line)
            rows.append((f"if ({condition}) then", line.first))
            first = self._called(statement.control[0], statement)
            rows += self._asked(first, line)
            rows += self._acted(action, is_stop)
            rows += self._asked({n: None for e in expressions(action) for n in self._called(e, statement)}, line)
            rows.append(("end if", line.first))
            rows += self._asked(first, line)
        else:
            rows += [*self._acted(statement, is_stop), *self._asked(found, line)]
        self.touched = True
        if not self.file.alone(line):
            yield replace_range(line, 0, len(line.text), "; ".join(row for row, _ in rows))
            return
        margin = " " * line.segments[0][2]
        rows = [(f"{line.label} continue", line.first), *rows] if line.label else rows
        yield replace_rows(line.first, line.last, [(margin + row, origin) for row, origin in rows])

    def _acted(self, statement: Statement, is_stop: bool) -> Rows:
        """A statement with the arguments of its calls, or what ends the run."""
        line = statement.line
        if is_stop:
            own = self.stops.own[self.key]
            number = next(n for n, end in enumerate(own, 1) if end.line.key == line.key)
            rows = [f"{_NUMBER} = {_FROM} + {number}"]
            if self.routine.kind == "function":
                result = self.routine.result or self.routine.name
                symbol = self.routine.spec.symbols.get(result)
                if symbol is None or symbol.type.base not in _ZEROS or symbol.dynamic:
                    raise _Left
                rows.append(f"{result} = {_ZEROS[symbol.type.base]}")
            return [(row, line.first) for row in [*rows, "return"]]
        match statement:
            case Assignment(target=target, value=value, pointer=False):
                return [(f"{self._text(target, line)} = {self._text(value, line)}", line.first)]
            case Call(designator=designator, args=args):
                site = self._site(designator, line)
                listed = [self._text(a, line) for a in args] + (self._further(site) if site is not None else [])
                head = line.text[designator.start : designator.end]
                return [(f"call {head}({', '.join(listed)})", line.first)]
        raise _Left

    def _check_alone(self, line: LogicalLine) -> None:
        if line.file or not self.file.alone(line) or (line.label and line.label in self.labels):
            raise _Left

    # -- what is asked

    def _asked(self, called: Collection[str], line: LogicalLine) -> Rows:
        """Whether one of some routines has come to a statement that ends the run, and what is done then."""
        if not called:
            return []
        if not self.owner:
            return [(f"if ({_NUMBER} /= 0) return", line.first)]
        numbers: dict[tuple[str, LineKey], tuple[_End, list[int]]] = {}
        for callee in called:
            for number, end in enumerate(self.stops.ends(callee), self.first[callee] + 1):
                numbers.setdefault((end.key, end.line.key), (end, []))[1].append(number)
        rows: Rows = []
        for end, listed in numbers.values():
            here = self.facts.routine(end.key).file == self.routine.file and not end.line.file
            condition = " .or. ".join(f"{_NUMBER} == {n}" for n in dict.fromkeys(listed))
            rows.append((f"if ({condition}) {end.text}", end.line.first if here else line.first))
        return rows

    def _behind(self, statement: Statement, called: Collection[str]) -> Iterator[Edit]:
        """The questions after a line."""
        line = statement.line
        self._check_alone(line)
        margin = " " * line.segments[0][2]
        rows = [(margin + row, origin) for row, origin in self._asked(called, line)]
        if rows:
            text = "".join(f"{row}\n" for row, _ in rows)
            yield Edit(line.last + 1, 0, line.last + 1, 0, 3, text, line.first, tuple(origin for _, origin in rows))

    def _before(self, statement: Statement) -> Iterator[Edit]:
        """Nothing has been come to before a construct."""
        line = statement.line
        self.touched = True
        if line.label:
            raise _Left
        if self.owner:
            yield insert_lines(line.first, [f"{' ' * line.segments[0][2]}{_NUMBER} = 0"], 2, line.first)

    # -- calls

    def _site(self, node: Expr, line: LogicalLine) -> CallSite | None:
        """The call of a routine that may end the run, which an expression is."""
        site = self.sites.get((line.key, node.start, node.end))
        return site if site is not None and site.callee in self.first else None

    def _called(self, expr: Expr, statement: Statement) -> dict[str, None]:
        """The routines that may end the run and that an expression calls. Raises _Left where a value that is none would
        choose an element, or go to another routine.
        """
        found: dict[str, None] = {}
        for node in walk(expr):
            site = self._site(node, statement.line)
            if site is not None and self.facts.live(site.at, self.key):
                found[site.callee] = None
        passed = isinstance(statement, Call) and expr is not statement.designator
        if found and (passed or self._chooses(expr, statement.line)):
            raise _Left
        return found

    def _chooses(self, expr: Expr, line: LogicalLine) -> bool:
        """Whether a reference is in an index, or in an argument of a routine of the program."""
        for child in children(expr):
            deep = isinstance(expr, (Apply, Component)) and child is not getattr(expr, "base", None)
            intrinsic = (
                isinstance(expr, Apply)
                and isinstance(expr.base, Name)
                and self.facts.scopes.variable(expr.base.name, self.key) is None
                and (line.key, expr.start, expr.end) not in self.sites
            )
            if deep and not intrinsic and any(self._site(n, line) is not None for n in walk(child)):
                return True
            if self._chooses(child, line):
                return True
        return False

    def _further(self, site: CallSite) -> list[str]:
        """The further arguments of a call, by their names."""
        number = self.first[site.callee]
        first = str(number) if self.owner else f"{_FROM} + {number}"
        return [f"{_NUMBER}={_NUMBER}", f"{_FROM}={first}"]

    def _text(self, expr: Expr, line: LogicalLine) -> str:
        """An expression with the arguments of its calls."""
        site = self._site(expr, line)
        pieces: list[str] = []
        position = expr.start
        for child in sorted(children(expr), key=lambda c: c.start):
            pieces += [line.text[position : child.start], self._text(child, line)]
            position = child.end
        if site is None:
            return "".join([*pieces, line.text[position : expr.end]])
        more = ", ".join(self._further(site))
        return "".join([*pieces, f", {more})" if site.args else f"{line.text[position : expr.end - 1]}{more})"])
