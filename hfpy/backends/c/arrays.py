"""Array statements as C: loops over the elements.

Fortran works out the whole right-hand side first. So a statement that reads elements that it sets goes over them in an
order in which none is read too late, or through room of its own, or is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import is_elemental, passed
from hfpy.analyze.language.context import Located
from hfpy.backends.c import intrinsics
from hfpy.backends.c.body import Body, Scratch
from hfpy.backends.c.calls import call_text
from hfpy.backends.c.expressions import Designator, Expressions
from hfpy.backends.c.overlap import directions, others, sections
from hfpy.backends.c.rearranged import is_composed
from hfpy.backends.c.values import CannotPrint, CText, CVariable, c_type, extent
from hfpy.backends.masked import Masked, assignments, flat, parts_of
from hfpy.model.expressions import Apply, ArrayConstructor, Component, Expr, Name, names_in
from hfpy.model.scalars import Scalar
from hfpy.model.statements import Assignment, Call, Construct, Statement
from hfpy.values import dataclass


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
        """Print what has to be before the statement."""
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
        assert isinstance(statement.target, (Name, Apply, Component))
        conflicts = self._kept_elements(printer, statement.target, (statement.value,))
        lanes, counts = self._lanes(printer, statement.target)
        ways = directions(printer, statement.target, conflicts) if conflicts else (1,) * len(lanes)
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

    def _kept_elements(self, printer: Expressions, target: Designator, values: Sequence[Expr]) -> list[Designator]:
        """The arrays that are read at other elements than are set at the same turn. Single elements are worked out
        before the statement, also those in the indices of what is set.
        """
        name, own = printer.resolved(target), sections(printer, target)
        inside = others(printer, name, own, target)
        conflicts = [*inside, *(n for value in values for n in others(printer, name, own, value))]
        for node in conflicts:
            if not printer.rank(node):
                self._keep(printer, node)
            elif node in inside:
                raise CannotPrint(f"an array statement with '{name}' as an index of itself", node.start, node.end)
        return [n for n in conflicts if printer.rank(n)]

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

    def elemental_call(self, printer: Expressions, site: CallSite, statement: Call, depth: int) -> bool:
        """A call of an elemental subroutine with arrays, one for each of their elements; False for any other call."""
        given = dict(passed(self.body.facts, site))
        arrays = [d for d, value in given.items() if printer.rank(value)]
        if not is_elemental(self.body.facts, site) or not arrays:
            return False
        what = f"a call of '{site.name}' with arrays"
        if "impure" in self.body.facts.routine(site.callee).prefix:
            raise CannotPrint(f"{what}, which is not pure,")
        ways: tuple[int, ...] = ()
        for target in (given[d] for d in arrays if self.body.effects.intent(site.callee, d) != "in"):
            assert isinstance(target, (Name, Apply, Component))
            conflicts = self._kept_elements(printer, target, tuple(v for v in given.values() if v is not target))
            found = directions(printer, target, conflicts) if conflicts else ways
            if found is None or ways not in ((), found):
                node, name = conflicts[0], printer.resolved(target)
                raise CannotPrint(f"{what} that reads other elements of '{name}' than it sets", node.start, node.end)
            ways = found
        lanes, counts = self._lanes(printer, given[arrays[0]])
        text = call_text(printer, site, lanes)
        self.flush(depth, statement)
        self._loops_over(lanes, counts, ways, depth, statement, f"{text};")
        return True

    def _constructed(self, statement: Assignment, value: ArrayConstructor, depth: int) -> None:
        """``v = [a, b, c]``, element by element; the elements must not read the array that is set."""
        printer = self.expressions(statement)
        assert isinstance(statement.target, (Name, Apply, Component))
        self._kept_elements(printer, statement.target, ())
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
        assert isinstance(target, (Name, Apply, Component))
        name = at_target.resolved(target)
        for value in values:
            for node in others(printer, name, sections(at_target, target), value):
                raise CannotPrint(f"a 'where' that reads other elements of '{name}' than it sets", node.start, node.end)

    def where(self, parts: Sequence[Masked], depth: int) -> None:
        """Masked assignments in one loop over the elements (see :mod:`hfpy.backends.masked`)."""
        listed = assignments(parts)
        if not listed:
            return
        statement = parts[0].header
        masks = [(self.expressions(p.header), p.mask) for p in flat(parts) if p.mask is not None]
        lanes, counts = self._lanes(self.expressions(listed[0]), listed[0].target)
        for assignment in listed:
            own = self.expressions(assignment)
            for printer, mask in masks:
                self._check_overlap(own, assignment.target, printer, [mask])
            for other in listed:
                self._check_overlap(self.expressions(other), other.target, own, [assignment.target, assignment.value])
        rows = list(self._masked(parts, lanes, 0))
        self.flush(depth, statement)
        inner = self._open_lanes(lanes, counts, depth, statement)
        for text, more, origin in rows:
            self.put(text, inner + more, origin)
        self._close(inner, depth, statement)

    def _masked(
        self, parts: Sequence[Masked], lanes: Sequence[str], depth: int
    ) -> Iterator[tuple[str, int, Statement]]:
        """The lines for one element: the masks, then what is done under the first that holds."""
        conditions = [self._mask(part, lanes) for part in parts]
        for part, (condition, name) in zip(parts, conditions, strict=True):
            if condition:
                yield f"{name} = {condition};", depth, part.header
        before = ""
        for part, (condition, name) in zip(parts, conditions, strict=True):
            yield f"{before}if ({name}) {{" if condition else f"{before}{{", depth, part.header
            for item in part.items:
                if not isinstance(item, Assignment):
                    yield from self._masked(item, lanes, depth + 1)
                    continue
                own = self.expressions(item)
                target = own.target(item.target, lanes)
                value = own.print(item.value, lanes if own.rank(item.value) else ())
                shown = intrinsics.convert(self.body.dialect, value, target.type).text
                yield f"{target.text} = {shown};", depth + 1, item
            before = "} else "
        yield "}", depth, parts[0].header

    def _mask(self, part: Masked, lanes: Sequence[str]) -> tuple[str, str]:
        if part.mask is None:
            return "", ""
        printer = self.expressions(part.header)
        shown = printer.print(part.mask, lanes if printer.rank(part.mask) else ())
        return shown.text, self.body.temporary("bool", "hf_mask")

    def where_block(self, node: Construct, depth: int) -> None:
        """A ``where`` construct."""
        self.where(parts_of(node), depth)
