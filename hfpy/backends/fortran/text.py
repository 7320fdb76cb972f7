"""Statements of kernels and device routines: the user's text with its references rewritten (design contract 3).

Array references get the indices and the order that :class:`hfpy.transform.accesses.AccessRewriter` gives them on the
host too. On top of that come calls of device routines with their further arguments, components of derived types,
which are parameters of their own, and local arrays that all threads keep in one array.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hfpy.analyze.facts import Facts
from hfpy.analyze.graph import CallSite
from hfpy.backends.c.values import CannotPrint, Follows, Refusals, component_name, root_name
from hfpy.backends.refused import MEMORY, OUTSIDE, SOURCE, TEXT, no_source
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Literal, Name, Range, walk
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
)
from hfpy.model.units import Routine
from hfpy.parse.fragments import dim_of, expanded, expanded_dim, fragment
from hfpy.parse.macros import expand
from hfpy.transform.accesses import AccessRewriter
from hfpy.transform.wrapping import wrap_line

Lines = list[tuple[str, int]]

_CONSTRUCTS = frozenset({"if", "do", "dowhile", "select"})  # no `where`: CUDA Fortran has none in device code
_INQUIRIES = ("size", "lbound", "ubound")


@dataclass
class Spelling:
    """What kernels call things.

    ``routines`` are the names of device routines by their key, ``further`` the further arguments of their calls as
    ``dummy=actual``, ``optional`` their optional dummies, each with the argument that tells whether it is given and a
    value if it is not, ``given`` what tells whether an optional argument of this routine was given. ``components`` are
    parameters, ``threaded`` the local arrays that have a place for each thread (whether that index comes first), of
    these ranks.
    """

    routines: Mapping[str, str]
    further: Mapping[str, Collection[str]]
    optional: Mapping[str, Mapping[str, tuple[str, str]]]
    given: Mapping[str, str] = field(default_factory=dict)
    components: Mapping[str, str] = field(default_factory=dict)
    threaded: Mapping[str, bool] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)


class KernelText(AccessRewriter):
    """The text of one routine's statements. ``leave`` is what ``@exit`` becomes. ``names`` are all that their
    expressions mention, ``expanded`` those of them that macros stand for.
    """

    def __init__(self, facts: Facts, routine: Routine, spelling: Spelling, leave: str, refusals: Refusals) -> None:
        super().__init__(facts, routine)
        self.refusals = refusals
        self.spelling = spelling
        self.leave = leave
        self.lines: Lines = []
        self.macros = facts.application.macros_of(routine.key)
        self.names: set[str] = set()
        self.expanded: set[str] = set()
        self._sites: dict[tuple[Any, int, int], CallSite] = {}
        for site in facts.graph.sites.get(routine.key, ()):
            if site.callee:
                self._sites[(site.at.statement.line.key, site.node.start, site.node.end)] = site
        self._key: Any = None
        self.point = ""
        self._loops: list[str] = []

    def block(self, nodes: tuple[Node, ...], depth: int) -> None:
        """Print a block at an indentation depth. What cannot be printed is left to the refusals."""
        for node in nodes:
            if not isinstance(node, Construct):
                self._put(node, depth)
            elif node.kind == "region":
                self.block(node.body, depth)
            elif node.kind == "at_if":
                if node.condition is not None and self.facts.holds(node.condition, self.routine.key):
                    self.block(node.body, depth)
            else:
                self._construct(node, depth)

    def _construct(self, node: Construct, depth: int) -> None:
        if node.kind not in _CONSTRUCTS or node.end is None:
            with self.refusals.at(node.header.line):
                raise CannotPrint(f"'{node.kind}'")
            return
        if isinstance(node.header, Header) and node.header.label:
            with self.refusals.at(node.header.line):
                raise CannotPrint("a loop that ends on a label", hint="end it with 'end do'")
        loop = node.kind in ("do", "dowhile")
        if loop:
            self._loops.append(getattr(node.header, "construct_name", ""))
        for part in node.parts:
            self._put(part.header, depth)
            self.block(part.body, depth + 1)
        self._put(node.end, depth)
        if loop:
            self._loops.pop()

    def _put(self, statement: Statement, depth: int) -> None:
        line = statement.line
        text = ""
        with self.refusals.at(line):
            text = self.statement(statement)
        text = expand(text, self.macros)
        self.lines += [(row, line.first) for row in wrap_line("  " * depth + text.strip())]

    # -- one statement

    def statement(self, statement: Statement) -> str:
        """The text of a statement. Raises CannotPrint."""
        line = statement.line
        if line.label:
            raise CannotPrint("a label")
        self._key = line.key
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

    def _mention(self, texts: Iterable[str]) -> None:
        """Remember the names in expressions, and in ranges of cases, as they are printed."""
        for made in map(dim_of, texts):
            plain = expanded_dim(made, self.macros)
            self.names |= plain.names
            self.expanded |= plain.names - made.names

    def _pieces(self, statement: Statement, text: str) -> Iterator[tuple[int, int, str]]:
        planned = self._by_statement.get(id(statement), {})
        if isinstance(statement, Call):
            site = self._site(statement.designator)
            if site is None:
                raise CannotPrint(no_source(statement), hint=SOURCE)
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
        match statement:
            case Assignment(pointer=True):
                raise CannotPrint("a pointer assignment", hint=OUTSIDE)
            case InputOutput():
                raise CannotPrint(f"input or output ('{statement.kind}')", hint=OUTSIDE)
            case Memory():
                raise CannotPrint(f"'{statement.kind}'", hint=MEMORY)
            case OneLine(kind=kind) if kind != "if":
                raise CannotPrint(f"'{kind}'")
            case Jump(kind=kind) if kind not in ("return", "@exit", "cycle", "exit", "continue"):
                raise CannotPrint(f"'{kind}'")
        if type(statement).__name__ in ("Specification", "Opaque"):
            raise CannotPrint("this statement", hint=OUTSIDE)
        for top in expressions(statement):
            for node in walk(top):
                with self.refusals.at(statement.line):
                    if isinstance(node, Literal) and node.kind in ("char", "complex"):
                        hint = TEXT if node.kind == "char" else ""
                        raise CannotPrint("a text or complex number", node.start, node.end, hint)
                    if isinstance(node, Apply):
                        self._check_function(node, statement.line.text)

    def _check_function(self, node: Apply, text: str) -> None:
        if not isinstance(node.base, Name) or self._site(node) is not None or self._site(node.base) is not None:
            return
        name, key = node.base.name, self.routine.key
        if name in self.refusals.names:
            return
        if self.facts.scopes.variable(name, key) is not None:
            return
        if any(name == f[0] for f in self.routine.spec.statement_functions):
            raise CannotPrint(f"the statement function '{name}'", node.start, node.end)
        spelled = text[node.base.start : node.base.end]
        if not self.facts.scopes.is_intrinsic(name, key) and spelled not in self.facts.application.macros_of(key):
            raise CannotPrint(f"the function '{name}', whose source hfpy does not have,", node.start, node.end, SOURCE)

    # -- expressions

    def _site(self, expr: Expr) -> CallSite | None:
        return self._sites.get((self._key, expr.start, expr.end))

    def _render(self, expr: Expr, text: str, planned: Any) -> str:
        """The text of an expression: kernels' own rules first, then those of the host."""
        if isinstance(expr, Component):
            chain = component_name(expr)
            if chain in self.spelling.components:
                return self.spelling.components[chain]
            if root_name(expr) in self.refusals.names:
                raise Follows(f"'{chain}'")
            if chain:
                raise CannotPrint(f"'{chain}'", expr.start, expr.end)
        if isinstance(expr, Name | Apply):
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
        return super()._render(expr, text, planned)

    def _call(self, site: CallSite, args: tuple[Expr, ...], text: str, planned: Any) -> str:
        if len(args) > len(self.facts.routine(site.callee).dummies):
            raise CannotPrint(f"a call of '{site.name}' with more arguments than it takes")
        if site.callee not in self.spelling.further:
            raise Follows(f"'{site.name}'")
        values = [self._render(a.value if isinstance(a, Keyword) else a, text, planned) for a in args]
        self._check_sections(site, values)
        named = (text[a.start : a.value.start] if isinstance(a, Keyword) else "" for a in args)
        shown = [name + value for name, value in zip(named, values, strict=True)]
        shown += [*self._optional(site, args), *self.spelling.further[site.callee]]
        return f"{self.spelling.routines[site.callee]}({', '.join(shown)})"

    def _check_sections(self, site: CallSite, shown: list[str]) -> None:
        """Refuse sections with gaps for arguments of assumed shape, which CUDA Fortran does not know."""
        dummies = self.facts.routine(site.callee).dummies
        for number, (given, argument) in enumerate(zip(shown, site.args, strict=True)):
            name = argument.name if isinstance(argument, Keyword) else dummies[number]
            data = self.facts.object(name, site.callee)
            if data is None or not data.rank or all(d.form != "assumed" for d in data.symbol.shape):
                continue
            tree = expanded(fragment(given), self.macros).expr
            if isinstance(tree, Apply) and not isinstance(tree.args[0], Range):
                raise CannotPrint(f"a section with gaps for '{name}', which has assumed shape,")

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
        """``size(a, 2)``: of an array in another order, the dimension's place in storage."""
        first = expr.args[0] if expr.args else None
        if len(expr.args) < 2 or not isinstance(first, Name):
            return super()._render(expr, text, planned)
        edit = self._dimension(expr, planned)
        rest = [self._render(a, text, planned) for a in expr.args[1:]]
        if edit is not None:
            rest[0] = edit
        base = text[expr.start : expr.open].rstrip()
        return f"{base}({text[first.start : first.end]}, {', '.join(rest)})"

    def _dimension(self, expr: Apply, planned: Any) -> str | None:
        first, number = expr.args[0], expr.args[1]
        entry = planned.get((first.start, first.end))
        known = isinstance(number, Literal) and number.text.isdigit()
        storage = entry[3].storage if entry is not None else None
        place = int(number.text) if isinstance(number, Literal) and known else 0
        if storage is not None:
            if not known:
                raise CannotPrint("a dimension that is no number", number.start, number.end)
            if place - 1 not in storage:
                raise CannotPrint("a dimension that is not there", number.start, number.end)
            place = entry[3].place(place - 1) + 1
        if isinstance(first, Name) and self.spelling.threaded.get(first.name):
            place += 1
        return str(place) if known else None

    def _threaded(self, expr: Name | Apply, name: str, text: str, planned: Any) -> str:
        """A local array's part of the array of all threads."""
        first = self.spelling.threaded[name]
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
        listed = f"hf_thread, {inner}" if first else f"{inner}, hf_thread"
        return f"{name}({listed})"
