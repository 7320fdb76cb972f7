"""The statements of a stage as text, with every name that means something else at another point replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from hfpy.analyze.sizes import Linear, show
from hfpy.model.expressions import Expr, Name, children
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Construct, Node, OneLine, Statement, expressions
from hfpy.transform.stencil.program import Access, Offset, Pattern, Stage
from hfpy.transform.stencil.selects import Selector, assigned, reads_before_set

_STEP = "  "


def plus(text: str, by: int) -> str:
    """An index plus a number."""
    return f"{text}{by:+d}" if by else text


def bound(form: Linear, by: int = 0) -> str:
    """A bound as text."""
    terms = dict(form)
    terms[""] = terms.get("", 0) + by
    # The number last, as people write it.
    ordered = tuple((a, c) for a, c in sorted(terms.items(), key=lambda t: (not t[0], t[0])) if c)
    return show(ordered)


def element(pattern: Pattern, offset: Mapping[str, int], point: Mapping[str, str]) -> str:
    """An element of an array in memory; ``point`` names the iterators, ``offset`` is relative to them."""
    items = [plus(point[i], offset[i]) if i in point else i for i in pattern.items]
    return f"{pattern.name}({','.join(items)})"


class Printer:
    """Prints the statements of one stage at one point.

    ``access`` gives the text of an array reference, ``scalars`` the new names of scalars, ``point`` the texts of the
    iterators. With ``branch``, which gives a scalar like another one for a side of a branch, branches become
    selections where that is possible.
    """

    def __init__(
        self,
        stage: Stage,
        access: Callable[[Access], str],
        scalars: Mapping[str, str],
        point: Mapping[str, str],
        branch: Callable[[str, str], str] | None = None,
    ) -> None:
        self.stage = stage
        self.access = access
        self.scalars = scalars
        self.names = {**scalars, **point}
        self.branch = branch
        self.selector = Selector(stage.body, stage.safe, stage.accesses.keys(), stage.keeps, point.keys())
        # Variables as they are called on the side of a selection that is being printed.
        self.sides: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        """The statements, indented from column 0."""
        yield from self._nodes(self.stage.body, "")

    def _nodes(self, nodes: tuple[Node, ...], indent: str) -> Iterator[str]:
        for node in nodes:
            if self.branch is not None and self.selector.selected(node):
                yield from self._selection(node, indent, self.branch)
                continue
            if not isinstance(node, Construct):
                yield indent + self._statement(node)
                continue
            for part in node.parts:
                yield indent + self._statement(part.header)
                yield from self._nodes(part.body, indent + _STEP)
            yield indent + "end if"

    def _selection(self, node: Node, indent: str, branch: Callable[[str, str], str]) -> Iterator[str]:
        """Both sides of a branch, each in variables of its own, and which of them counts."""
        if isinstance(node, OneLine):
            line, condition = node.line, node.control[0]
            sides: list[tuple[Node, ...]] = [(node.action,)]
        else:
            assert isinstance(node, Construct)
            line, condition = node.header.line, expressions(node.header)[0]
            sides = [part.body for part in node.parts]
        outer = dict(self.sides)
        names = list(dict.fromkeys(n for side in sides for n in assigned(side)))
        mask = branch(self._current(names[0]), "mask")
        yield f"{indent}{mask} = {self._expression(condition, line)}"
        last: list[dict[str, str]] = []
        for side, word in zip(sides, ("yes", "no"), strict=False):
            own = {n: branch(outer.get(n, self._plainly(n)), word) for n in assigned(side)}
            for name, text in own.items():
                if reads_before_set(side, name):
                    yield f"{indent}{text} = {outer.get(name, self._plainly(name))}"
            self.sides = {**outer, **own}
            yield from self._nodes(side, indent)
            last.append(own)
        self.sides = outer
        for name in names:
            texts = [own.get(name) for own in (*last, {})[:2]]
            if None in texts and name not in self.stage.keeps:
                continue  # nobody reads it behind the branch
            current = self._current(name)
            yes, no = (t if t is not None else current for t in texts)
            yield f"{indent}{current} = merge({yes}, {no}, {mask})"

    def _current(self, name: str) -> str:
        return self.sides.get(name, self._plainly(name))

    def _plainly(self, name: str) -> str:
        """A variable of the stage outside of selections."""
        if name in self.scalars:
            return self.scalars[name]
        here = (0,) * len(self.stage.box)
        return self.access(Access(name, here, own=True))

    def _statement(self, statement: Statement) -> str:
        line = statement.line
        found: list[tuple[int, int, str]] = []
        listed = [*expressions(statement)]
        if isinstance(statement, OneLine) and isinstance(statement.action, Assignment):
            listed += expressions(statement.action)
        start = 0
        if isinstance(statement, Assignment):
            start = statement.target.start  # the action of an ``if`` stands behind its condition
        for expr in listed:
            self._replacements(expr, line, found)
        return _replaced(line.text, sorted(found), start).strip()

    def _expression(self, expr: Expr, line: LogicalLine) -> str:
        found: list[tuple[int, int, str]] = []
        self._replacements(expr, line, found)
        return _replaced(line.text[: expr.end], sorted(found), expr.start).strip()

    def _replacements(self, expr: Expr, line: LogicalLine, found: list[tuple[int, int, str]]) -> None:
        access = self.stage.accesses.get((line.key, expr.start, expr.end))
        if access is not None:
            text = self.sides.get(access.array) if access.own else None
            found.append((expr.start, expr.end, text or self.access(access)))
            return
        if isinstance(expr, Name):
            new = self.sides.get(expr.name, self.names.get(expr.name))
            if new is not None and new != expr.name:
                found.append((expr.start, expr.end, f"({new})" if not new.isidentifier() else new))
            return
        for child in children(expr):
            self._replacements(child, line, found)


def _replaced(text: str, found: list[tuple[int, int, str]], start: int = 0) -> str:
    pieces = []
    position = start
    for begin, end, new in found:
        pieces += [text[position:begin], new]
        position = end
    return "".join([*pieces, text[position:]])


def spelled(offset: Offset, iterators: tuple[str, ...]) -> str:
    """An offset as part of a name: ``_im1_kp1`` for (-1, 0, 1)."""
    parts = [f"_{i}{'p' if o > 0 else 'm'}{abs(o)}" for i, o in zip(iterators, offset, strict=True) if o]
    return "".join(parts)
