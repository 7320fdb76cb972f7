"""Array statements as C: loops over the elements.

Fortran works out the whole right-hand side first. So a statement that reads elements that it sets goes over them in an
order in which none is read too late, or through room of its own, or is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hfpy.analyze.context import Located
from hfpy.backends.c import intrinsics
from hfpy.backends.c.body import Body, Scratch
from hfpy.backends.c.expressions import Designator, Expressions
from hfpy.backends.c.overlap import directions, others, sections
from hfpy.backends.c.rearranged import is_composed
from hfpy.backends.c.values import CannotPrint, CText, CVariable, c_type, extent
from hfpy.model.expressions import Apply, ArrayConstructor, Component, Expr, Name, names_in
from hfpy.model.scalars import Scalar
from hfpy.model.statements import Assignment, Construct, Header, Statement


@dataclass
class ArrayStatements:
    """Prints array statements of one body into ``lines``: text, and the line of the source that it is from."""

    body: Body
    file: str
    located: dict[int, Located]
    lines: list[tuple[str, int]] = field(default_factory=list, init=False)

    def put(self, text: str, depth: int, statement: Statement) -> None:
        """Print one line."""
        self.lines.append(("  " * depth + text, statement.line.first))

    def expressions(self, statement: Statement) -> Expressions:
        """The printer of a statement's expressions."""
        return Expressions(self.body, self.body.key, self.located.get(id(statement)))

    def flush(self, depth: int, statement: Statement) -> None:
        """Print what has to stand before the statement."""
        for line in self.body.prelude:
            self.put(line, depth, statement)
        self.body.prelude.clear()

    def array_assignment(self, statement: Assignment, depth: int, mask: Expr | None = None) -> None:
        """An assignment to an array or a section, for the elements of a mask alone if there is one."""
        composes = is_composed(self.expressions(statement), statement.value)
        if isinstance(statement.value, ArrayConstructor) and mask is None and not composes:
            self._constructed(statement, statement.value, depth)
            return
        printer = self.expressions(statement)
        assert isinstance(statement.target, Name | Apply | Component)
        lanes, counts = self._lanes(printer, statement.target)
        ways: tuple[int, ...] | None = (1,) * len(lanes)
        conflicts = others(
            printer, printer.resolved(statement.target), sections(printer, statement.target), statement.value
        )
        if conflicts:
            for node in conflicts:
                if not printer.rank(node):
                    self._keep(printer, node)
            conflicts = [n for n in conflicts if printer.rank(n)]
            ways = directions(printer, statement.target, conflicts)
        target = printer.target(statement.target, lanes)
        value = printer.print(statement.value, lanes if printer.rank(statement.value) else ())
        text = intrinsics.convert(self.body.dialect, value, target.type).text
        self.flush(depth, statement)
        if ways is None:
            made = self._room(printer, statement.target, target.type, conflicts[0])
            room = self.body.dialect.element(made, lanes)
            self._loops_over(lanes, counts, (), depth, statement, f"{room} = {text};")
            text = room
            ways = ()
        self._loops_over(lanes, counts, ways, depth, statement, f"{target.text} = {text};")

    def _keep(self, printer: Expressions, node: Name | Apply | Component) -> None:
        """Work out an element before the statement that may set it."""
        value = printer.print(node)
        name = self.body.temporary(c_type(value.type), "hf_element")
        self.body.prelude.append(f"{name} = {value.text};")
        printer.kept[node.start, node.end] = CText(name, value.type)

    def _room(self, printer: Expressions, target: Designator, scalar: Scalar, conflict: Expr) -> CVariable:
        """Room for the values of an array statement: as much as the array has in the dimensions that are set."""
        name = printer.resolved(target)
        variable = self.body.variable(name, self.body.key)
        if variable is None or self.body.facts.object(name, self.body.key) is None:
            raise CannotPrint(f"an array statement that reads other elements of '{name}' than it sets", conflict.start)
        dimensions = tuple(b.dimension for b in sections(printer, target))
        extents = tuple(f"({e})" for e in (extent(variable.lower[d], variable.upper[d], "1") for d in dimensions))
        made = Scratch(name, f"hf_room{len(self.body.scratch) + 1}", scalar, dimensions, extents)
        self.body.scratch.append(made)
        return made.variable

    def _lanes(self, printer: Expressions, target: Expr) -> tuple[list[str], list[str]]:
        counts = printer.extents(target)
        return [self.body.temporary("int", "hf_e") for _ in counts], counts

    def _loops_over(
        self,
        lanes: Sequence[str],
        counts: Sequence[str],
        ways: Sequence[int],
        depth: int,
        statement: Statement,
        text: str,
    ) -> None:
        inner = self._open_lanes(lanes, counts, depth, statement, ways)
        self.put(text, inner, statement)
        self._close(inner, depth, statement)

    def _open_lanes(
        self, lanes: Sequence[str], counts: Sequence[str], depth: int, statement: Statement, ways: Sequence[int] = ()
    ) -> int:
        """Loops over the elements, the last dimension outermost, down where ``ways`` has -1."""
        ways = ways or (1,) * len(lanes)
        for lane, count, way in reversed(list(zip(lanes, counts, ways, strict=True))):
            up = f"for ({lane} = 0; {lane} < {count}; ++{lane}) {{"
            down = f"for ({lane} = {count} - 1; {lane} >= 0; --{lane}) {{"
            self.put(up if way > 0 else down, depth, statement)
            depth += 1
        return depth

    def _close(self, inner: int, depth: int, statement: Statement) -> None:
        for level in reversed(range(depth, inner)):
            self.put("}", level, statement)

    def _constructed(self, statement: Assignment, value: ArrayConstructor, depth: int) -> None:
        """``v = [a, b, c]``, element by element; the elements must not read the array that is set."""
        printer = self.expressions(statement)
        assert isinstance(statement.target, Name | Apply | Component)
        if len(printer.extents(statement.target)) != 1 or any(printer.rank(i) for i in value.items):
            raise CannotPrint("this array constructor", value.start, value.end)
        name = printer.resolved(statement.target)
        if name in names_in(value):
            raise CannotPrint(f"an array constructor that reads '{name}' while it is set", value.start, value.end)
        for number, item in enumerate(value.items):
            target = printer.target(statement.target, [str(number)])
            shown = intrinsics.convert(self.body.dialect, printer.print(item), target.type)
            self.flush(depth, statement)
            self.put(f"{target.text} = {shown.text};", depth, statement)

    def _check_overlap(
        self, at_target: Expressions, target: Expr, printer: Expressions, values: Sequence[Expr]
    ) -> None:
        """Refuse what reads elements of the target that an earlier turn of the loop may have set."""
        assert isinstance(target, Name | Apply | Component)
        name = at_target.resolved(target)
        for value in values:
            for node in others(printer, name, sections(at_target, target), value):
                raise CannotPrint(f"a 'where' that reads other elements of '{name}' than it sets", node.start, node.end)

    def where(self, parts: Sequence[tuple[Expr | None, list[Assignment]]], statement: Statement, depth: int) -> None:
        """Masked assignments in one loop over the elements.

        That equals Fortran's order, mask first and one assignment after the other, as every element is made of
        elements at the same place; anything else is refused.
        """
        assignments = [a for _, listed in parts for a in listed]
        if not assignments:
            return
        masks = [m for m, _ in parts if m is not None]
        printer = self.expressions(statement)
        lanes, counts = self._lanes(self.expressions(assignments[0]), assignments[0].target)
        for assignment in assignments:
            own = self.expressions(assignment)
            self._check_overlap(own, assignment.target, printer, masks)
            for other in assignments:
                self._check_overlap(self.expressions(other), other.target, own, [assignment.target, assignment.value])
        inner = depth
        rows: list[tuple[str, int, Statement]] = []
        conditions = [self._mask(m, statement, lanes) for m, _ in parts]
        for condition, name in conditions:
            if condition:
                rows.append((f"{name} = {condition};", 0, statement))
        before = ""
        for (condition, name), (_, listed) in zip(conditions, parts, strict=True):
            rows.append((f"{before}if ({name}) {{" if condition else f"{before}{{", 0, statement))
            for assignment in listed:
                own = self.expressions(assignment)
                target = own.target(assignment.target, lanes)
                value = own.print(assignment.value, lanes if own.rank(assignment.value) else ())
                rows.append(
                    (
                        f"{target.text} = {intrinsics.convert(self.body.dialect, value, target.type).text};",
                        1,
                        assignment,
                    )
                )
            before = "} else "
        self.flush(depth, statement)
        inner = self._open_lanes(lanes, counts, depth, statement)
        for text, more, origin in rows:
            self.put(text, inner + more, origin)
        self.put("}", inner, statement)
        self._close(inner, depth, statement)

    def _mask(self, mask: Expr | None, statement: Statement, lanes: Sequence[str]) -> tuple[str, str]:
        if mask is None:
            return "", ""
        printer = self.expressions(statement)
        shown = printer.print(mask, lanes if printer.rank(mask) else ())
        return shown.text, self.body.temporary("bool", "hf_mask")

    def where_block(self, node: Construct, depth: int) -> None:
        """A ``where`` construct."""
        parts: list[tuple[Expr | None, list[Assignment]]] = []
        for part in node.parts:
            header = part.header
            assert isinstance(header, Header)
            listed = []
            for inner in part.body:
                if not isinstance(inner, Assignment) or inner.pointer:
                    raise CannotPrint("a 'where' with more than assignments")
                listed.append(inner)
            parts.append((header.exprs[0] if header.exprs else None, listed))
        self.where(parts, node.header, depth)
