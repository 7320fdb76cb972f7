"""The statements of a stage at another point: its trees with every name that means something else there replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from hfpy.model.building import Maker, apply, name, plus
from hfpy.model.expressions import Expr, Instead, Name, with_children
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Node, Part, Statement, map_expressions, sides
from hfpy.transform.stencil.linearforms import atom
from hfpy.transform.stencil.program import Access, Offset, Pattern, Stage
from hfpy.transform.stencil.selects import Selector, assigned, reads_before_set


def element(pattern: Pattern, offset: Mapping[str, int], point: Mapping[str, Expr]) -> Expr:
    """An element of an array in memory; ``point`` names the iterators, ``offset`` is relative to them."""
    items = [plus(point[i], offset[i]) if i in point else atom(i) for i in pattern.items]
    return apply(pattern.name, items)


class Substitution:
    """The statements of one stage at one point.

    ``access`` gives what represents an array reference, ``scalars`` the new names of scalars, ``point`` what represents
    iterators. With ``branch``, which gives a scalar like another one for a side of a branch, branches become selections
    where that is possible.
    """

    def __init__(
        self,
        stage: Stage,
        access: Callable[[Access], Expr],
        scalars: Mapping[str, str],
        point: Mapping[str, Expr],
        branch: Callable[[str, str], str] | None = None,
    ) -> None:
        self.stage = stage
        self.access = access
        self.names = {**{old: name(new) for old, new in scalars.items()}, **point}
        self.scalars = scalars
        self.branch = branch
        self.selector = Selector(stage.body, stage.safe, stage.accesses.keys(), stage.keeps, point.keys())
        # Variables as they are called on the side of a selection that is being made.
        self.sides: dict[str, Expr] = {}

    def nodes(self) -> tuple[Node, ...]:
        """The statements at the point."""
        return self.of(self.stage.body)

    def of(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """Some of the stage's statements at the point."""
        return tuple(new for node in nodes for new in self._node(node))

    def _node(self, node: Node) -> Iterator[Node]:
        if self.branch is not None and self.selector.selected(node):
            yield from self._selection(node, self.branch)
        elif isinstance(node, Construct):
            parts = tuple(Part(self._statement(p.header), self.of(p.body)) for p in node.parts)
            yield Construct(node.kind, parts, Maker(node.header.line).end(node.kind))
        else:
            yield self._statement(node)

    def _selection(self, node: Node, branch: Callable[[str, str], str]) -> Iterator[Node]:
        """Both sides of a branch, each in variables of its own, and which of them counts."""
        line = node.header.line if isinstance(node, Construct) else node.line
        make = Maker(line)
        found = sides(node)
        assert found is not None
        condition, bodies = found
        outer = dict(self.sides)
        names = list(dict.fromkeys(n for body in bodies for n in assigned(body)))
        mask = name(branch(self._called(names[0], outer), "mask"))
        yield make.assign(mask, self.expression(condition, line))
        last: list[dict[str, Expr]] = []
        for body, word in zip(bodies, ("yes", "no"), strict=False):
            own: dict[str, Expr] = {n: name(branch(self._called(n, outer), word)) for n in assigned(body)}
            for old, new in own.items():
                if reads_before_set(body, old):
                    yield make.assign(new, self._current(old, outer))
            self.sides = {**outer, **own}
            yield from self.of(body)
            last.append(own)
        self.sides = outer
        for each in names:
            known = [own.get(each) for own in (*last, {})[:2]]
            if None in known and each not in self.stage.keeps:
                continue  # nobody reads it after the branch
            current = self._current(each, outer)
            yes, no = (one if one is not None else current for one in known)
            yield make.assign(current, apply("merge", (yes, no, mask)))

    def _current(self, variable: str, sides: Mapping[str, Expr]) -> Expr:
        """A variable of the stage, on a side of selections or outside of them."""
        if variable in sides:
            return sides[variable]
        if variable in self.scalars:
            return self.names[variable]
        return self.access(Access(variable, (0,) * len(self.stage.box), own=True))

    def _called(self, variable: str, sides: Mapping[str, Expr]) -> str:
        """The name of such a variable: where there are selections, all that stages set is in scalars."""
        current = self._current(variable, sides)
        assert isinstance(current, Name)
        return current.name

    def _statement(self, statement: Statement) -> Statement:
        return map_expressions(statement, lambda e: self.expression(e, statement.line))

    def expression(self, expr: Expr, line: LogicalLine) -> Expr:
        """An expression of a line at the point."""
        access = self.stage.accesses.get((line.key, expr.start, expr.end))
        new: Expr | None = None
        if access is not None:
            new = (self.sides.get(access.array) if access.own else None) or self.access(access)
        elif isinstance(expr, Name):
            new = self.sides.get(expr.name, self.names.get(expr.name))
            new = None if isinstance(new, Name) and new.name == expr.name else new
        else:
            return with_children(expr, lambda child: self.expression(child, line))
        return expr if new is None else Instead(expr.start, expr.end, new)


def spelled(offset: Offset, iterators: tuple[str, ...]) -> str:
    """An offset as part of a name: ``_im1_kp1`` for (-1, 0, 1)."""
    parts = [f"_{i}{'p' if o > 0 else 'm'}{abs(o)}" for i, o in zip(iterators, offset, strict=True) if o]
    return "".join(parts)
