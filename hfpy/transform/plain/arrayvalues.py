"""Values that are no numbers in plain form: variables for what functions give back as arrays or objects, and for such
expressions that are actual arguments.

A function with such a value gets a form as a subroutine, whose last argument is the value. The statement before which a
variable gets its value must be one that is executed once where it is; others stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.intrinsics import ELEMENTAL
from hfpy.analyze.language.kinds import Kinds
from hfpy.analyze.language.types import component
from hfpy.model.expressions import (
    Apply,
    ArrayConstructor,
    Component,
    Expr,
    Fragment,
    ImpliedDo,
    Keyword,
    Name,
    Range,
    base_name,
    children,
    names_in,
    walk,
)
from hfpy.model.extents import Dim
from hfpy.model.names import plain_name
from hfpy.model.statements import Assignment, Call, Construct, Header, Node, OneLine, Statement, expressions
from hfpy.model.units import Routine, Symbol
from hfpy.parse.directives.regions import more_private
from hfpy.parse.expressions.fragments import ONE
from hfpy.transform.plain.functionforms import as_subroutine, form_name, made_public, result_of
from hfpy.transform.plain.objecttypes import BASES
from hfpy.transform.text.edits import Edit, insert, insert_lines, replace_rows

_STEM = "value"
_ZEROS = {"real": "0", "integer": "0", "logical": ".false.", "complex": "0"}


class _Left(Exception):
    """A statement stays as it is."""


def value_edits(facts: Facts, effects: Effects, keys: Collection[str], packs: bool = False) -> dict[str, list[Edit]]:
    """The edits of files for such values in the kernels of some routines. ``packs`` asks for variables in the places
    of sections with gaps that are arguments for arrays of assumed shape, too.
    """
    made: dict[str, list[Edit]] = {}
    owners = {r.routine for r in facts.positions.regions}
    forms: dict[str, Routine] = {}
    found = {k: list(_Values(facts, effects, facts.routine(k), k in owners, forms, packs).edits()) for k in keys}
    for key, edits in found.items():
        made.setdefault(facts.routine(key).file, []).extend(edits)
    for routine in forms.values():
        made.setdefault(routine.file, []).append(as_subroutine(facts, routine, found.get(routine.key, ())))
        made[routine.file] += made_public(facts, routine)
    return made


class _Values:
    """The array values of one routine."""

    def __init__(
        self, facts: Facts, effects: Effects, routine: Routine, owner: bool, forms: dict[str, Routine], packs: bool
    ) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.key = routine.key
        self.owner = owner
        self.forms = forms
        self.packs = packs
        self._after: list[str] = []
        self.kinds = Kinds(facts.scopes, facts.application.options.kinds)
        self.declared: list[str] = []
        self.imports: dict[str, str] = {}
        self._sites: dict[tuple[object, int, int], CallSite] = {}
        for site in facts.graph.sites.get(routine.key, ()):
            if site.callee:
                self._sites[site.at.statement.line.key, site.node.start, site.node.end] = site
        self._shapes: dict[tuple[object, int, int], list[str]] = {}
        self._line: object = None

    def edits(self) -> Iterator[Edit]:
        """All edits."""
        yield from self._nodes(self.routine.body, not self.owner)
        margin = " " * (self.routine.header.segments[0][2] + 2)
        if self.declared:
            rows = [margin + row for row in self.declared]
            yield insert_lines(self.routine.spec_insert + 1, rows, 8, self.routine.header.first)
        if self.imports:
            uses = [f"{margin}use {module}, only: {name}" for name, module in self.imports.items()]
            yield insert_lines(self.routine.uses_row, uses, -30, self.routine.header.first)

    def _nodes(self, nodes: tuple[Node, ...], inside: bool) -> Iterator[Edit]:
        for node in nodes:
            if isinstance(node, Construct) and node.kind == "region" and node.region is not None:
                first = len(self.declared)
                yield from self._nodes(node.body, True)
                names = [plain_name(_STEM, n + 1) for n in range(first, len(self.declared))]
                if names:
                    # They are set before they are read, whatever can be proved of their sizes.
                    yield insert(node.region.line, *more_private(node.region, names))
            elif isinstance(node, Construct):
                for part in node.parts:
                    if inside and part is node.parts[0] and node.kind in ("if", "do", "select"):
                        yield from self._before(part.header)
                    yield from self._nodes(part.body, inside)
            elif inside:
                yield from self._before(node)

    # -- one statement

    def _before(self, statement: Statement) -> Iterator[Edit]:
        """The edit of a statement that has array values."""
        line = statement.line
        self._line = line.key
        if line.file or not self._has_any(statement):
            return
        known = dict(self.imports), list(self.declared), dict(self.forms)
        try:
            rows = list(self._rows(statement))
        except _Left:
            self.imports, self.declared = known[0], known[1]
            self.forms.clear()
            self.forms.update(known[2])
            return
        if len(rows) > 1 and self.facts.application.file(self.key).alone(line):
            margin = " " * line.segments[0][2]
            rows = [f"{line.label} continue", *rows] if line.label else rows
            yield replace_rows(line.first, line.last, [(margin + row, line.first) for row in rows])

    def _rows(self, statement: Statement) -> Iterator[str]:
        """A statement after what sets the variables in it."""
        before: list[str] = []
        if isinstance(statement, OneLine) and statement.kind == "if":
            self._after = []
            condition = self._text(statement.control[0], statement.line.text, before)
            if self._after:
                raise _Left
            yield from [*before, f"if ({condition}) then", *self._rows(statement.action), "end if"]
        else:
            self._after = []
            text = self._shown(statement, before)
            if self._after and isinstance(statement, Header):
                raise _Left
            yield from [*before, text, *self._after]

    def _has_any(self, statement: Statement) -> bool:
        exprs = [*expressions(statement)]
        if isinstance(statement, OneLine):
            exprs += expressions(statement.action)
        sites = [self._site(n) for e in exprs for n in walk(e)]
        return any(s is not None and self._concerned(s) for s in sites)

    def _site(self, node: Expr) -> CallSite | None:
        return self._sites.get((self._line, node.start, node.end))

    def _concerned(self, site: CallSite) -> bool:
        """Whether a call has an array as value, or as an argument what is no variable."""
        if self._result(site) is not None:
            return True
        return any(self._made(site, dummy, value) for dummy, value in self._arguments(site))

    def _result(self, site: CallSite) -> Symbol | None:
        return result_of(self.facts, site.callee)

    def _arguments(self, site: CallSite) -> Iterator[tuple[str, Expr]]:
        dummies = self.facts.routine(site.callee).dummies
        for number, argument in enumerate(site.args):
            if isinstance(argument, Keyword):
                yield argument.name, argument.value
            elif number < len(dummies):
                yield dummies[number], argument

    def _made(self, site: CallSite, dummy: str, value: Expr) -> bool:
        """Whether an actual argument for an array or an object is an expression."""
        data = self.facts.object(dummy, site.callee)
        if data is not None and not data.rank and data.symbol.type.base == "type":
            return self._is_constructed(value)
        if data is None or not data.rank or "elemental" in self.facts.routine(site.callee).prefix:
            return False
        base = value.base if isinstance(value, Apply) else value
        if isinstance(value, Component) or (isinstance(value, Apply) and isinstance(base, Component)):
            return False
        if isinstance(base, Name) and self.facts.scopes.variable(base.name, self.key) is not None:
            chosen = isinstance(value, Apply) and any(self._is_vector(a) for a in value.args)
            if self.packs and self._has_gaps(value, site, dummy):
                return True
            return chosen and self.effects.intent(site.callee, dummy) == "in"
        site_of_value = self._site(value)
        return site_of_value is None or self._result(site_of_value) is None

    def _is_constructed(self, value: Expr) -> bool:
        """Whether an expression is a structure constructor."""
        if not isinstance(value, Apply) or not isinstance(value.base, Name) or self._site(value) is not None:
            return False
        name, scopes = value.base.name, self.facts.scopes
        return scopes.variable(name, self.key) is None and scopes.derived_type(name, self.key) is not None

    def _has_gaps(self, value: Expr, site: CallSite, dummy: str) -> bool:
        """Whether an actual argument for an array of assumed shape is a section whose elements lie apart."""
        data = self.facts.object(dummy, site.callee)
        base = value.base if isinstance(value, Apply) else value
        own = self.facts.object(base.name, self.key) if isinstance(base, Name) else None
        if data is None or own is None or all(d.form != "assumed" for d in data.symbol.shape):
            return False
        items = self._items(value, own)
        order = self.facts.order(own).storage or tuple(range(own.rank))
        stored = [items[d] for d in order] if items is not None and len(items) == own.rank else []
        ranged = [i == ":" or isinstance(i, Range) for i in stored]
        return any(ranged) and not ranged[0]

    def _items(self, expr: Expr, data: DataObject) -> tuple[Expr | str, ...] | None:
        """The indices of a reference in declared order; None where a macro of the user's has them."""
        plan = self.facts.plan_at(_key_of(self._line), expr, self.key)
        if plan is not None and plan.final:
            return None
        if plan is not None and (plan.items is not None or plan.changed):
            return plan.items or ()
        return expr.args if isinstance(expr, Apply) else (":",) * data.rank

    def _is_vector(self, index: Expr) -> bool:
        """Whether an index is a vector subscript."""
        if isinstance(index, Range):
            return False
        names = (index,) if isinstance(index, Name) else ()
        symbols = (self.facts.scopes.variable(n.name, self.key) for n in names)
        return isinstance(index, ArrayConstructor) or any(s is not None and s.symbol.rank == 1 for s in symbols)

    # -- texts

    def _shown(self, statement: Statement, before: list[str]) -> str:
        """The text of a statement with variables in the places of array values. Raises _Left."""
        line = statement.line
        match statement:
            case Assignment(pointer=False, target=target, value=value):
                return f"{self._text(target, line.text, before)} = {self._text(value, line.text, before)}"
            case Call(designator=designator):
                site = self._site(designator)
                if site is None:
                    raise _Left
                head = line.text[designator.start : designator.end]
                return f"call {head}({', '.join(self._passed(site, line.text, before))})"
            case Header(exprs=exprs):
                text, position = "", 0
                for expr in exprs:
                    text += line.text[position : expr.start] + self._text(expr, line.text, before)
                    position = expr.end
                return text + line.text[position:]
        raise _Left

    def _text(self, expr: Expr, text: str, before: list[str]) -> str:
        site = self._site(expr) if isinstance(expr, Apply) else None
        if site is not None and isinstance(expr, Apply):
            passed = self._passed(site, text, before)
            if self._result(site) is not None:
                return self._value(site, expr, passed, text, before)
            return f"{text[expr.base.start : expr.base.end]}({', '.join(passed)})"
        pieces: list[str] = []
        position = expr.start
        for child in sorted(children(expr), key=lambda c: c.start):
            pieces += [text[position : child.start], self._text(child, text, before)]
            position = child.end
        return "".join([*pieces, text[position : expr.end]])

    def _passed(self, site: CallSite, text: str, before: list[str]) -> list[str]:
        """The actual arguments of a call, with variables in the places of expressions for arrays."""
        shown = []
        for argument, (dummy, value) in zip(site.args, self._arguments(site), strict=True):
            head = text[argument.start : value.start]
            inner = self._text(value, text, before)
            if self._made(site, dummy, value):
                data = self.facts.object(dummy, site.callee)
                assert data is not None
                shape = self._shape(value, text) if data.rank else []
                if data.rank and (not shape or (len(shape) != data.rank and not data.shaped)):
                    raise _Left
                name = self._variable(data.symbol, site.callee, shape)
                before.append(f"{name} = {inner}")
                if self.effects.intent(site.callee, dummy) != "in":
                    self._check_indices(value, site)
                    self._after.append(f"{inner} = {name}")
                inner = name
            shown.append(head + inner)
        return shown

    def _check_indices(self, value: Expr, site: CallSite) -> None:
        """Raise _Left where a call sets what tells which section gets the values back."""
        inner = value.args if isinstance(value, Apply) else ()
        names = {name for index in inner for name in names_in(index)}
        for dummy, other in self._arguments(site):
            if base_name(other) in names and self.effects.intent(site.callee, dummy) != "in":
                raise _Left

    def _value(self, site: CallSite, expr: Apply, passed: list[str], text: str, before: list[str]) -> str:
        """A variable for the value of a function."""
        callee = self.facts.routine(site.callee)
        symbol = self._result(site)
        assert symbol is not None
        given = dict(self._arguments(site))
        shape = [self._size(dim, callee, given, text) for dim in symbol.shape]
        name = self._variable(symbol, callee.key, shape)
        self._shapes[self._line, expr.start, expr.end] = shape
        self.forms[callee.key] = callee
        form = form_name(callee)
        if callee.module and callee.module != self.routine.module:
            self.imports[form] = callee.module
        if any(isinstance(n, Apply) for d in symbol.shape if d.upper is not None for n in walk(d.upper.expr)):
            # Sizes that ask for others cannot be compared with the variable's, so that it is set as a whole before.
            before.append(f"{name} = {_ZEROS[symbol.type.base]}")
        value = callee.result or callee.name
        named = len(site.args) < len(callee.dummies) or any(isinstance(a, Keyword) for a in site.args)
        before.append(f"call {form}({', '.join([*passed, f'{value}={name}' if named else name])})")
        return name

    def _variable(self, symbol: Symbol, home: str, shape: list[str]) -> str:
        """A new local array or object."""
        if symbol.type.base == "type":
            return self._object(symbol.type.derived, home)
        scalar = self.kinds.scalar(symbol.type, home)
        if scalar is None or scalar.base not in BASES:
            raise _Left
        name = plain_name(_STEM, len(self.declared) + 1)
        self.declared.append(f"{scalar.base}({scalar.bytes}) :: {name}({', '.join(shape)})")
        return name

    def _object(self, derived: str, home: str) -> str:
        """A new local object of a type that another routine names. Raises _Left where the name means something else."""
        scopes = self.facts.scopes
        there, here = scopes.type_at_home(derived, home), scopes.type_at_home(derived, self.key)
        if there is None or (here is None and scopes.variable(derived, self.key) is not None):
            raise _Left
        if here is None:
            self.imports[derived] = there[0]
        elif here != there:
            raise _Left
        name = plain_name(_STEM, len(self.declared) + 1)
        self.declared.append(f"type({derived}) :: {name}")
        return name

    # -- shapes

    def _size(self, dim: Dim, callee: Routine, given: Mapping[str, Expr], text: str) -> str:
        """The extent of a function's value in terms of the caller. Raises _Left."""
        if dim.form != "explicit" or dim.upper is None:
            raise _Left
        high = self._from_callee(dim.upper, callee, given, text)
        low = self._from_callee(dim.lower or ONE, callee, given, text)
        return high if low == "1" else f"({high}) - ({low}) + 1"

    def _from_callee(self, found: Fragment, callee: Routine, given: Mapping[str, Expr], text: str) -> str:
        """An expression of a called routine with its arguments in the places of dummies. Raises _Left."""
        value = self.kinds.value(found.expr, callee.key)
        return str(value) if value is not None else self._replaced(found.expr, found.text, callee, given, text)

    def _replaced(self, expr: Expr, own: str, callee: Routine, given: Mapping[str, Expr], text: str) -> str:
        if isinstance(expr, Apply) and isinstance(expr.base, Name) and expr.base.name == "size" and expr.args:
            first = expr.args[0]
            if not isinstance(first, Name) or first.name not in given:
                raise _Left
            shape = self._shape(given[first.name], text)
            if len(expr.args) == 1:
                return shape[0] if len(shape) == 1 else "*".join(f"({s})" for s in shape)
            number = self.kinds.value(expr.args[1], callee.key)
            if number is None or not 1 <= number <= len(shape):
                raise _Left
            return f"({shape[number - 1]})"
        if isinstance(expr, Name):
            if expr.name in given:
                actual = given[expr.name]
                return f"({text[actual.start : actual.end]})"
            constant = self.kinds.value(expr, callee.key)
            if constant is None:
                raise _Left
            return str(constant)
        pieces: list[str] = []
        position = expr.start
        for child in sorted(children(expr), key=lambda c: c.start):
            skipped = isinstance(expr, Apply) and child is expr.base
            shown = own[child.start : child.end] if skipped else self._replaced(child, own, callee, given, text)
            pieces += [own[position : child.start], shown]
            position = child.end
        return "".join([*pieces, own[position : expr.end]])

    def _shape(self, expr: Expr, text: str) -> list[str]:
        """The extents of an expression as text; none for one value. Raises _Left where they are not known."""
        known = self._shapes.get((self._line, expr.start, expr.end))
        if known is not None:
            return known
        base = expr.base if isinstance(expr, Apply) else expr
        if isinstance(base, Name) and self.facts.object(base.name, self.key) is not None:
            return self._of_variable(expr, base.name, text)
        if isinstance(base, Component):
            return self._of_component(expr, base, text)
        if isinstance(expr, ArrayConstructor):
            if any(isinstance(i, ImpliedDo) or self._shape(i, text) for i in expr.items):
                raise _Left
            return [str(len(expr.items))]
        if isinstance(expr, Apply) and isinstance(base, Name):
            site = self._site(expr)
            elemental = (
                base.name in ELEMENTAL if site is None else "elemental" in self.facts.routine(site.callee).prefix
            )
            if not elemental:
                return []
        inner = expr.args if isinstance(expr, Apply) else children(expr)
        found = (self._shape(c.value if isinstance(c, Keyword) else c, text) for c in inner)
        return next((shape for shape in found if shape), [])

    def _of_variable(self, expr: Expr, name: str, text: str) -> list[str]:
        data = self.facts.object(name, self.key)
        assert data is not None
        items = self._items(expr, data)
        if items is None:
            raise _Left
        if len(items) != data.rank:
            raise _Left
        shape = []
        for place, item in enumerate(items):
            if not isinstance(item, str | Range):
                shape += self._shape(item, text) if self._is_vector(item) else []
                continue
            if isinstance(item, str) and item != ":":
                continue
            size = data.used[place]
            form = data.symbol.shape[size.declared] if size.declared is not None else size.extent
            explicit = form.form == "explicit" and size.extent.upper is not None
            low = (size.extent.lower or ONE).text if explicit else f"lbound({name},{place + 1})"
            high = size.extent.upper.text if explicit and size.extent.upper else f"ubound({name},{place + 1})"
            if not explicit and (item == ":" or (isinstance(item, Range) and item.lower is item.upper is None)):
                low, high = "1", f"size({name},{place + 1})"
            shape.append(self._extent(item, low, high, text))
        return shape

    @staticmethod
    def _extent(item: Expr | str, low: str, high: str, text: str) -> str:
        if isinstance(item, Range):
            low = text[item.lower.start : item.lower.end] if item.lower is not None else low
            high = text[item.upper.start : item.upper.end] if item.upper is not None else high
            if item.step is not None:
                step = text[item.step.start : item.step.end]
                return f"(({high}) - ({low}) + ({step}))/({step})"
        return high if low == "1" else f"({high}) - ({low}) + 1"

    def _of_component(self, expr: Expr, base: Component, text: str) -> list[str]:
        symbol = component(base, self.key, self.facts.scopes)
        if symbol is None:
            raise _Left
        items: tuple[Expr | str, ...] = expr.args if isinstance(expr, Apply) else (":",) * symbol.rank
        shape = []
        for dim, item in zip(symbol.shape, items, strict=False):
            if item != ":" and not isinstance(item, Range):
                continue
            high = self.kinds.value(dim.upper.expr, self.key) if dim.upper is not None else None
            low = self.kinds.value((dim.lower or ONE).expr, self.key)
            if high is None or low is None:
                raise _Left
            shape.append(self._extent(item, str(low), str(high), text))
        return shape


def _key_of(line: object) -> tuple[str, int, int]:
    assert isinstance(line, tuple)
    return line
