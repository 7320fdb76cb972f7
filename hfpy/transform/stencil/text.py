"""The statements of a stage as text, with every name that means something else at another point replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from hfpy.analyze.sizes import Linear, show
from hfpy.model.expressions import Expr, Name, children
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Construct, Node, OneLine, Statement, expressions
from hfpy.transform.stencil.program import Access, Offset, Pattern, Stage

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
    iterators.
    """

    def __init__(
        self,
        stage: Stage,
        access: Callable[[Access], str],
        scalars: Mapping[str, str],
        point: Mapping[str, str],
    ) -> None:
        self.stage = stage
        self.access = access
        self.names = {**scalars, **point}

    def lines(self) -> Iterator[str]:
        """The statements, indented from column 0."""
        yield from self._nodes(self.stage.body, "")

    def _nodes(self, nodes: tuple[Node, ...], indent: str) -> Iterator[str]:
        for node in nodes:
            if not isinstance(node, Construct):
                yield indent + self._statement(node)
                continue
            for part in node.parts:
                yield indent + self._statement(part.header)
                yield from self._nodes(part.body, indent + _STEP)
            yield indent + "end if"

    def _statement(self, statement: Statement) -> str:
        line = statement.line
        found: list[tuple[int, int, str]] = []
        listed = [*expressions(statement)]
        if isinstance(statement, OneLine) and isinstance(statement.action, Assignment):
            listed += expressions(statement.action)
        for expr in listed:
            self._replacements(expr, line, found)
        return _replaced(line.text, sorted(found)).strip()

    def _replacements(self, expr: Expr, line: LogicalLine, found: list[tuple[int, int, str]]) -> None:
        access = self.stage.accesses.get((line.key, expr.start, expr.end))
        if access is not None:
            found.append((expr.start, expr.end, self.access(access)))
            return
        if isinstance(expr, Name):
            new = self.names.get(expr.name)
            if new is not None and new != expr.name:
                found.append((expr.start, expr.end, f"({new})" if not new.isidentifier() else new))
            return
        for child in children(expr):
            self._replacements(child, line, found)


def _replaced(text: str, found: list[tuple[int, int, str]]) -> str:
    pieces = []
    position = 0
    for start, end, new in found:
        pieces += [text[position:start], new]
        position = end
    return "".join([*pieces, text[position:]])


def spelled(offset: Offset, iterators: tuple[str, ...]) -> str:
    """An offset as part of a name: ``_im1_kp1`` for (-1, 0, 1)."""
    parts = [f"_{i}{'p' if o > 0 else 'm'}{abs(o)}" for i, o in zip(iterators, offset, strict=True) if o]
    return "".join(parts)
