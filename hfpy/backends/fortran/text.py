"""Statements of kernels and device routines: the user's text with its references rewritten (design contract 3).

Array references get the indices and the order that :class:`hfpy.transform.accesses.AccessRewriter` gives them on the
host too. On top of that come calls of device routines with their further arguments, components of derived types,
which are parameters of their own, and local arrays that all threads keep in one array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.types import is_part
from hfpy.backends.c.values import (
    CannotPrint,
    Follows,
    Refusals,
    component_name,
    packed_name,
    root_name,
)
from hfpy.backends.fortran.accepted import check_function, check_sections, check_statement, check_types, place_asked
from hfpy.backends.fortran.elements import counters_of
from hfpy.backends.fortran.inserted import StatementFunctions
from hfpy.backends.fortran.rows import Rows
from hfpy.backends.fortran.spelling import Spelling
from hfpy.backends.fortran.words import word_texts
from hfpy.backends.masked import Masked, assignments, flat, parts_of
from hfpy.backends.prints import WORDS, words
from hfpy.backends.refused import INDEXED, PRINT, TEXT, check_exits, no_source
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Binary,
    Component,
    Expr,
    Keyword,
    Literal,
    Name,
    Unary,
    base_name,
    walk,
)
from hfpy.model.kernel import Print
from hfpy.model.printing import OPERATORS, statement_of
from hfpy.model.source import LineKey
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    Header,
    InputOutput,
    Jump,
    Node,
    OneLine,
    Statement,
    expressions,
)
from hfpy.model.units import Routine

_CONSTRUCTS = frozenset({"if", "do", "dowhile", "select"})
_INQUIRIES = ("size", "lbound", "ubound")
# Kernels get arrays as explicit-shape dummies, which are neither allocated nor associated.
_OF_DESCRIPTORS = ("allocated", "associated", "is_contiguous", "loc", "c_loc", "c_associated")


class KernelText(Rows):
    """The text of one routine's statements. ``leave`` is what ``@exit`` becomes. ``names`` are all that their
    expressions mention, ``expanded`` those of them that macros mean; ``counted`` are the counters of loops over
    elements.
    """

    def __init__(self, facts: Facts, routine: Routine, spelling: Spelling, leave: str, refusals: Refusals) -> None:
        super().__init__(facts, routine, refusals)
        self.spelling = spelling
        self.leave = leave
        self._sites: dict[tuple[Any, int, int], CallSite] = {}
        for site in facts.graph.sites.get(routine.key, ()):
            if site.callee:
                self._sites[(site.at.statement.line.key, site.node.start, site.node.end)] = site
        self._key: Any = None
        self.point = ""
        self.stops: Mapping[LineKey, str] = {}
        self.prints: Mapping[LineKey, Print] = {}
        self.number = "0"
        self._loops: list[str] = []
        self.counted: set[str] = set()
        self.functions = StatementFunctions(facts, routine)
        self.threaded_first = dict(spelling.threaded)

    def block(self, nodes: tuple[Node, ...], depth: int) -> None:
        """Print a block at an indentation depth. What cannot be printed is left to the refusals."""
        for node in nodes:
            if isinstance(node, OneLine) and node.kind == "where" and isinstance(node.action, Assignment):
                with self.refusals.at(node.line):
                    self._where(node, depth)
            elif not isinstance(node, Construct) and (stopped := self._stop(node)):
                with self.refusals.at(node.line):
                    self._stopping(node, stopped, depth)
            elif not isinstance(node, Construct) and (made := self._output(node)) is not None:
                with self.refusals.at(node.line):
                    self._printing(node, made, depth)
            elif not isinstance(node, Construct):
                self._put(node, depth)
            elif node.kind == "region":
                with self.refusals.at(node.header.line):
                    check_exits(node)
                self.block(node.body, depth)
            elif node.kind == "where":
                with self.refusals.at(node.header.line):
                    self._where(node, depth)
            elif node.kind == "at_if":
                if node.condition is not None and self.facts.holds(node.condition, self.routine.key):
                    self.block(node.body, depth)
            else:
                self._construct(node, depth)

    def _stop(self, statement: Statement) -> str:
        """What tells that a point has come to a statement that ends the run; empty for other statements."""
        action = statement.action if isinstance(statement, OneLine) else statement
        stops = isinstance(action, Jump) and action.kind in ("stop", "errorstop")
        return self.stops.get(statement.line.key, "") if stops else ""

    def _stopping(self, statement: Statement, stopped: str, depth: int) -> None:
        """A statement that ends the run: the point is left, and the host gets a flag."""
        inner = depth
        if isinstance(statement, OneLine):
            with self._at(statement):
                condition = self._shown(statement.control[0], statement)
            self._row(f"if ({condition}) then", depth, statement)
            inner += 1
        self._line(f"{stopped} = 1", inner, statement)
        self._line(self.leave, inner, statement)
        if isinstance(statement, OneLine):
            self._line("end if", depth, statement)

    def _output(self, statement: Statement) -> Print | None:
        """Output that becomes a record; None for other statements."""
        action = statement.action if isinstance(statement, OneLine) else statement
        return self.prints.get(statement.line.key) if isinstance(action, InputOutput) else None

    def _printing(self, statement: Statement, made: Print, depth: int) -> None:
        """Output, as a record in the buffer; ``hf_at`` is after what is taken."""
        with self._at(statement):
            planned = self._entered(statement)
            action = statement.action if isinstance(statement, OneLine) else statement
            planned = {**planned, **self._by_statement.get(id(action), {})}
            texts = []
            for expr, scalar in made.values:
                if any(r.dimensions for r in self.reads(expr, statement.line.text, planned)):
                    raise CannotPrint("an array in output", expr.start, expr.end, PRINT)
                self._check_parts(expr, statement)
                texts += word_texts(self._render(expr, statement.line.text, planned), scalar)
            self._mention(texts)
        inner = depth
        if isinstance(statement, OneLine):
            with self._at(statement):
                condition = self._shown(statement.control[0], statement)
            self._row(f"if ({condition}) then", depth, statement)
            inner += 1
        buffer, count = made.parameter, words(tuple(s for _, s in made.values))
        self._line(f"hf_at = atomicadd({buffer}(1), {count}_8)", inner, statement)
        self._line(f"if (hf_at + {count} < {WORDS}) then", inner, statement)
        for place, text in enumerate([f"{count}", self.number, str(made.number), *texts], 2):
            self._line(f"{buffer}(hf_at + {place}) = {text}", inner + 1, statement)
        self._line("end if", inner, statement)
        if isinstance(statement, OneLine):
            self._line("end if", depth, statement)

    def _construct(self, node: Construct, depth: int) -> None:
        if node.kind not in _CONSTRUCTS:
            with self.refusals.at(node.header.line):
                if node.kind in ("forall", "doconcurrent"):
                    word = "do concurrent" if node.kind == "doconcurrent" else node.kind
                    raise CannotPrint(f"this '{word}'", hint=INDEXED)
                raise CannotPrint(f"'{node.kind}'")
            return
        loop = node.kind in ("do", "dowhile")
        if loop:
            self._loops.append(getattr(node.header, "construct_name", ""))
        for part in node.parts:
            if isinstance(part.header, Header) and part.header.label:
                with self.refusals.at(part.header.line):
                    self._labelled_do(part.header, depth)
            else:
                self._put(part.header, depth)
            self.block(part.body, depth + 1)
        if node.end is not None and not getattr(node.header, "label", ""):
            self._put(node.end, depth)
        else:
            self.end_label(node, depth + 1)
            name = getattr(node.header, "construct_name", "")
            self._line(f"end do {name}".rstrip(), depth, node.end or node.header)
        if loop:
            self._loops.pop()

    def end_label(self, node: Construct, depth: int) -> None:
        """The label of a loop's last statement, as a ``continue`` in the loop."""
        if node.end is not None and node.end.line.label:
            self._row("continue", depth, node.end)

    def _labelled_do(self, header: Header, depth: int) -> None:
        """The beginning of a loop that ends on a label, without the label."""
        with self._at(header):
            self._check(header)
            planned, text = self._entered(header), header.line.text
            shown = [self._render(e, text, planned) for e in header.exprs]
        self._mention(shown)
        name = f"{header.construct_name}: " if header.construct_name else ""
        control = f"{header.var} = {', '.join(shown)}" if header.var else ""
        if header.kind == "dowhile":
            control = f"while ({shown[0]})"
        self._row(f"{name}do {control}".rstrip(), depth, header)

    def _put(self, statement: Statement, depth: int) -> None:
        text = ""
        with self.refusals.at(statement.line):
            text = self.statement(statement)
        self._row(text, depth, statement)

    # -- masked assignments

    def _where(self, node: Node, depth: int) -> None:
        """Loops over the elements, the last dimension outermost, with an ``if`` in them (hfpy.backends.masked)."""
        parts = parts_of(node)
        listed = assignments(parts)
        if not listed:
            return
        self.lanes = ()
        head, first = parts[0].header, listed[0]
        self._checked_apart(parts)
        with self._at(first):
            planned = self._entered(first)
            counts = self.counts(first.target, first.line.text, planned)
            self._mention(counts)
        self.lanes = counters_of(len(counts))
        self.counted |= set(self.lanes)
        if head.line.label:
            self._row("continue", depth, head)
        inner = depth
        for lane, count in reversed(list(zip(self.lanes, counts, strict=True))):
            self._line(f"do {lane} = 1, {count}", inner, head)
            inner += 1
        self._masked(parts, inner)
        for level in reversed(range(depth, inner)):
            self._line("end do", level, head)
        self.lanes = ()

    def _masked(self, parts: Sequence[Masked], depth: int) -> None:
        """What is done with one element."""
        for number, part in enumerate(parts):
            with self._at(part.header):
                shown = self._shown(part.mask, part.header) if part.mask is not None else ""
            word = "else " if number else ""
            self._line(f"{word}if ({shown}) then" if shown else "else", depth, part.header)
            for item in part.items:
                if not isinstance(item, Assignment):
                    self._masked(item, depth + 1)
                    continue
                with self._at(item):
                    sides = [self._shown(e, item) for e in (item.target, item.value)]
                self._line(" = ".join(sides), depth + 1, item)
        self._line("end if", depth, parts[0].header)

    def _entered(self, statement: Statement) -> Any:
        """What is planned for a statement, which is the current one from now on."""
        self._key = statement.line.key
        return self._by_statement.get(id(statement), {})

    def _shown(self, expr: Expr, statement: Statement) -> str:
        """An expression for one element."""
        planned = self._entered(statement)
        self._check_parts(expr, statement)
        text = self._render(expr, statement.line.text, planned)
        self._mention([text])
        return text

    def _checked_apart(self, parts: Sequence[Masked]) -> None:
        """Refuse what is not made of elements at the same place."""
        targets, used = [], []
        for part in flat(parts):
            with self._at(part.header):
                planned = self._entered(part.header)
                used += list(self.reads(part.mask, part.header.line.text, planned)) if part.mask is not None else []
        for made in assignments(parts):
            with self._at(made):
                planned = self._entered(made)
                found = self.ranges(made.target, made.line.text, planned)
                if found is None or not found.dimensions:
                    raise CannotPrint("a 'where' that sets no array")
                targets.append(found)
                used += [found, *self.reads(made.target, made.line.text, planned)]
                used += self.reads(made.value, made.line.text, planned)
        with self._at(parts[0].header):
            self.check_apart(targets, used)

    # -- one statement

    def statement(self, statement: Statement) -> str:
        """The text of a statement. Raises CannotPrint."""
        line = statement.line
        self._key = line.key
        if statement.made:
            return self._made(statement)
        pieces: list[tuple[int, int, str]] = []
        inner: Statement | None = statement
        while inner is not None:
            self._check(inner)
            made = list(self._pieces(inner, line.text))
            if not isinstance(inner, Jump):
                self._mention(new for _, _, new in made)
            pieces += made
            inner = inner.action if isinstance(inner, OneLine) else None
        text, position = "", 0
        for start, end, new in sorted(pieces):
            text += line.text[position:start] + new
            position = end
        return text + line.text[position:]

    def _made(self, statement: Statement) -> str:
        """The text of a statement that was made of a part of a line (:mod:`hfpy.parse.statements.branches`)."""
        self._check(statement)
        planned = self._by_statement.get(id(statement), {})

        def shown(expr: Expr) -> str:
            text = self._render(expr, statement.line.text, planned)
            self._mention([text])
            return text

        return statement_of(statement, shown)

    def _pieces(self, statement: Statement, text: str) -> Iterator[tuple[int, int, str]]:
        planned = self._by_statement.get(id(statement), {})
        if isinstance(statement, Assignment):
            self.check_memory(statement, text, planned)
        if isinstance(statement, Call):
            site = self._site(statement.designator)
            if site is None:
                raise no_source(statement, self.routine.key, self.facts.scopes)
            yield statement.designator.start, len(text), self._call(site, statement.args, text, planned)
            return
        if isinstance(statement, Jump):
            start, end = statement.span
            if statement.kind == "@exit" or (statement.kind in ("cycle", "exit") and not self._inside(statement)):
                yield start, len(text) if end < 0 else end, self.leave
            return
        for expr in expressions(statement):
            yield expr.start, expr.end, self._render(expr, text, planned)

    def _inside(self, jump: Jump) -> bool:
        """Whether a jump means a loop of the body; if not, it goes on with the next point. Raises CannotPrint."""
        if jump.target in self._loops if jump.target else self._loops:
            return True
        if jump.kind != "cycle" or jump.target not in ("", self.point):
            raise CannotPrint(f"'{jump.kind} {jump.target}'")
        return False

    def _check(self, statement: Statement) -> None:
        check_statement(statement)
        for top in expressions(statement):
            self._check_parts(top, statement)

    def _check_parts(self, top: Expr, statement: Statement) -> None:
        for node in walk(top):
            with self.refusals.at(statement.line):
                if isinstance(node, Literal) and node.kind in ("char", "hollerith"):
                    raise CannotPrint("a text", node.start, node.end, TEXT)
                if isinstance(node, Apply) and isinstance(node.base, Name):
                    here = self._site(node) or self._site(node.base)
                    name = node.base.name
                    if here is None and name not in self.refusals.names and name not in self.functions:
                        check_function(node, node.base, statement.line.text, self.facts, self.routine.key)

    # -- expressions

    def call_at(self, expr: Expr) -> CallSite | None:
        """The call of a routine with source that an expression of the current statement is."""
        return self._site(expr)

    def places(self, name: str, inner: str) -> str:
        """The index list of an array, with the thread's own index where all threads share one."""
        first = self.spelling.threaded.get(name)
        return inner if first is None else f"hf_thread, {inner}" if first else f"{inner}, hf_thread"

    def _site(self, expr: Expr) -> CallSite | None:
        return self._sites.get((self._key, expr.start, expr.end))

    def _render(self, expr: Expr, text: str, planned: Any) -> str:
        """The text of an expression: kernels' own rules first, then those of the host."""
        if is_part(expr, self.routine.key, self.facts.scopes):
            return f"{self._render(expr.base, text, planned)}%{expr.name}"
        if self.lanes and isinstance(expr, ArrayConstructor):
            raise CannotPrint("an array constructor in a 'where'", expr.start, expr.end)
        if self.lanes and isinstance(expr, Apply) and self._worked_out_before(expr, planned):
            return self.whole(expr, text, planned)
        if self.lanes and isinstance(expr, (Name, Apply, Component)):
            made = self.element(expr, text, planned)
            if made is not None:
                return made
            if isinstance(expr, Apply) and self.indices(expr, planned) is not None:
                return self.scalar(expr, text, planned)
        if isinstance(expr, Component):
            chain = component_name(expr)
            if chain in self.spelling.components:
                return self.spelling.components[chain]
            if packed_name(expr) is not None and (made := self.packed(expr, (), text, planned)) is not None:
                return made
            if root_name(expr) in self.refusals.names:
                raise Follows(f"'{chain}'")
            if chain:
                raise CannotPrint(f"'{chain}'", expr.start, expr.end)
        if isinstance(expr, Apply) and isinstance(expr.base, Component):
            made = self.packed(expr.base, expr.args, text, planned)
            if made is not None:
                return made
        if isinstance(expr, (Binary, Unary)) and expr.op not in OPERATORS:
            raise CannotPrint(f"the operator {expr.op}", expr.start, expr.end)
        if isinstance(expr, (Name, Apply)):
            if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name in self.functions:
                return self.functions.text(expr.base.name, [self._render(a, text, planned) for a in expr.args])
            site = self._site(expr)
            if site is not None:
                return self._call(site, expr.args if isinstance(expr, Apply) else (), text, planned)
            name = expr.base if isinstance(expr, Apply) else expr
            if isinstance(name, Name) and name.name in self.spelling.threaded:
                return self._threaded(expr, name.name, text, planned)
        if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name == "present":
            return self._present(expr)
        if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name in _INQUIRIES:
            return self._inquiry(expr, text, planned)
        called = base_name(expr) or "" if isinstance(expr, Apply) else ""
        if called in _OF_DESCRIPTORS and self.facts.scopes.is_intrinsic(called, self.routine.key):
            raise CannotPrint(f"the intrinsic '{called}'", expr.start, expr.end)
        return super()._render(expr, text, planned)

    def _worked_out_before(self, expr: Apply, planned: Any) -> bool:
        """Whether a function reference has one value for all elements."""
        if self.indices(expr, planned) is not None or not isinstance(expr.base, Name):
            return False
        spelled = expr.base.name in {name.lower() for name in self.macros}
        return not spelled and not self.by_element(expr)

    def _call(self, site: CallSite, args: tuple[Expr, ...], text: str, planned: Any) -> str:
        if len(args) > len(self.facts.routine(site.callee).dummies):
            raise CannotPrint(f"a call of '{site.name}' with more arguments than it takes")
        if site.callee not in self.spelling.further:
            raise Follows(f"'{site.name}'")
        values = [self._render(a.value if isinstance(a, Keyword) else a, text, planned) for a in args]
        check_sections(site, values, self.facts, self.macros)
        check_types(site, self.facts)
        named = (text[a.start : a.value.start] if isinstance(a, Keyword) else "" for a in args)
        shown = [name + value for name, value in zip(named, values, strict=True)]
        shown += [*self._optional(site, args), *self.spelling.further[site.callee]]
        return f"{self.spelling.routines[site.callee]}({', '.join(shown)})"

    def _optional(self, site: CallSite, args: tuple[Expr, ...]) -> Iterator[str]:
        """For each optional dummy whether it is given, with a value that nobody reads if it is not."""
        dummies = self.facts.routine(site.callee).dummies
        actual = {a.name if isinstance(a, Keyword) else dummies[n]: a for n, a in enumerate(args)}
        for dummy, (given, value) in self.spelling.optional.get(site.callee, {}).items():
            if dummy not in actual:
                yield f"{dummy}={value}"
                yield f"{given}=.false."
                continue
            found = actual[dummy]
            found = found.value if isinstance(found, Keyword) else found
            name = found.name if isinstance(found, Name) else ""
            yield f"{given}={self.spelling.given.get(name, '.true.')}"

    def _present(self, expr: Apply) -> str:
        name = expr.args[0].name if expr.args and isinstance(expr.args[0], Name) else ""
        if name not in self.spelling.given:
            raise CannotPrint(f"'present' of '{name}'", expr.start, expr.end)
        return self.spelling.given[name]

    def _inquiry(self, expr: Apply, text: str, planned: Any) -> str:
        """``size(a, 2)``: of an array in another order, or with more dimensions, the dimension's place in storage."""
        first = expr.args[0] if expr.args else None
        if isinstance(first, Component) and (before := self.parameter_of(first)[1]):
            return self.inquiry_of_elements(expr, first, before, text, planned)
        asked = isinstance(first, Name) and len(expr.args) > 1
        place = place_asked(expr, planned.get((first.start, first.end))) if asked and first is not None else None
        if place is None or not isinstance(first, Name):
            return super()._render(expr, text, planned)
        threads_first = bool(self.spelling.threaded.get(first.name))
        rest = [str(place + 1 + threads_first), *(self._render(a, text, planned) for a in expr.args[2:])]
        base = text[expr.start : expr.open].rstrip()
        return f"{base}({text[first.start : first.end]}, {', '.join(rest)})"

    def _threaded(self, expr: Name | Apply, name: str, text: str, planned: Any) -> str:
        """A local array's part of the array of all threads."""
        entry = planned.get((expr.start, expr.end))
        inner: str | None = None
        if entry is not None:
            made = self._list(expr, entry, text, planned)
            inner = made.text if made is not None else None
        if inner is None:
            if isinstance(expr, Apply):
                inner = ", ".join(self._render(a, text, planned) for a in expr.args)
            else:
                inner = ",".join([":"] * self.spelling.ranks[name])
        return f"{name}({self.places(name, inner)})"
