"""Values that are no numbers in plain form: variables for what functions give back as arrays or objects, and for such
expressions that are actual arguments.

A function with such a value gets a form as a subroutine, whose last argument is the value. The statement before which a
variable gets its value must be one that is executed once where it is; others stay as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.model.expressions import (
    Apply,
    Component,
    Expr,
    Keyword,
    Name,
    Paren,
    Range,
    base_name,
    names_in,
    walk,
)
from hfpy.model.names import plain_name
from hfpy.model.statements import Assignment, Call, Construct, Header, Node, OneLine, Statement, expressions
from hfpy.model.units import Routine, Symbol
from hfpy.parse.directives.regions import more_private
from hfpy.parse.expressions.fragments import respelled
from hfpy.transform.plain.functionforms import (
    OPERATORS,
    as_subroutine,
    form_name,
    made_public,
    result_of,
)
from hfpy.transform.plain.objecttypes import BASES
from hfpy.transform.plain.valueshapes import Left, Shapes
from hfpy.transform.text.edits import Edit, insert, insert_lines, replace_rows

_STEM = "value"
_ZEROS = {"real": "0", "integer": "0", "logical": ".false.", "complex": "0"}


def value_edits(facts: Facts, effects: Effects, keys: Collection[str], packs: bool = False) -> dict[str, list[Edit]]:
    """The edits of files for such values in the kernels of some routines. ``packs`` asks for variables in the places
    of sections with gaps that are arguments for arrays of assumed shape, too.
    """
    owners = {r.routine for r in facts.positions.regions}
    forms: dict[str, Routine] = {}
    public: dict[str, Routine] = {}
    found: dict[str, list[Edit]] = {}
    pending = [*keys]
    while pending:
        for key in pending:
            found[key] = list(_Values(facts, effects, facts.routine(key), key in owners, forms, public, packs).edits())
        pending = [key for key in (*forms, *public) if key not in found]  # behind operators
    made: dict[str, list[Edit]] = {}
    for key, edits in found.items():
        made.setdefault(facts.routine(key).file, []).extend(edits)
    for routine in forms.values():
        made[routine.file].append(as_subroutine(facts, routine, found[routine.key]))
        made[routine.file] += made_public(facts, routine, form_name(routine))
    for routine in public.values():
        made[routine.file] += made_public(facts, routine, routine.name)
    return made


class _Values(Shapes):
    """The values of one routine."""

    def __init__(
        self,
        facts: Facts,
        effects: Effects,
        routine: Routine,
        owner: bool,
        forms: dict[str, Routine],
        public: dict[str, Routine],
        packs: bool,
    ) -> None:
        super().__init__(facts, routine)
        self.effects = effects
        self.owner = owner
        self.forms = forms
        self.public = public
        self.packs = packs
        self._after: list[str] = []
        self.declared: list[str] = []
        self.imports: dict[str, str] = {}

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
                if inside and node.kind in ("if", "dowhile") and node.end is not None:
                    yield from self._tested_again(node, node.end)
            elif inside:
                yield from self._before(node)

    # -- one statement

    def _before(self, statement: Statement) -> Iterator[Edit]:
        """The edit of a statement that has array values."""
        line = statement.line
        self._line = line.key
        if line.file or not self._has_any(statement):
            return
        rows = self._tried(self._rows(statement))
        if len(rows) > 1 and self.facts.application.file(self.key).alone(line):
            margin = " " * line.segments[0][2]
            rows = [f"{line.label} continue", *rows] if line.label else rows
            yield replace_rows(line.first, line.last, [(margin + row, line.first) for row in rows])

    def _tested_again(self, node: Construct, end: Statement) -> Iterator[Edit]:
        """``else if`` as an ``if`` after ``else``, ``do while`` as a loop with an ``exit``, where conditions have array
        values: so there is a place before the condition.
        """
        margin = " " * node.header.line.segments[0][2]
        alone = self.facts.application.file(self.key).alone
        for header in (p.header for p in (node.parts[1:] if node.kind == "if" else node.parts)):
            line = header.line
            self._line = line.key
            if not isinstance(header, Header) or line.file or end.line.file or not self._has_any(header):
                continue
            rows = self._tried(self._condition(header))
            if rows and alone(line) and alone(end.line):
                yield replace_rows(line.first, line.last, [(margin + row, line.first) for row in rows])
                if header.kind == "elseif":
                    yield insert_lines(end.line.first, [f"{margin}end if"], 3, end.line.first)

    def _condition(self, header: Header) -> Iterator[str]:
        """What comes in the place of an ``else if`` or a ``do while``. Raises Left."""
        before: list[str] = []
        self._after = []
        condition = self._text(header.exprs[0], header.line.text, before)
        if self._after or header.label or header.line.label:
            raise Left
        if header.kind == "elseif":
            yield from ("else", *before, f"if ({condition}) then")
        else:
            name = f"{header.construct_name}: " if header.construct_name else ""
            yield from (f"{name}do", *before, f"if (.not. ({condition})) exit")

    def _tried(self, rows: Iterator[str]) -> list[str]:
        """Rows; none where a statement has to stay as it is."""
        known = dict(self.imports), list(self.declared), dict(self.forms)
        try:
            return list(rows)
        except Left:
            self.imports, self.declared = known[0], known[1]
            self.forms.clear()
            self.forms.update(known[2])
            return []

    def _rows(self, statement: Statement) -> Iterator[str]:
        """A statement after what sets the variables in it."""
        before: list[str] = []
        if isinstance(statement, OneLine) and statement.kind == "if":
            self._after = []
            condition = self._text(statement.control[0], statement.line.text, before)
            if self._after:
                raise Left
            yield from [*before, f"if ({condition}) then", *self._rows(statement.action), "end if"]
        else:
            self._after = []
            text = self._shown(statement, before)
            if self._after and isinstance(statement, Header):
                raise Left
            yield from [*before, text, *self._after]

    def _has_any(self, statement: Statement) -> bool:
        exprs = [*expressions(statement)]
        if isinstance(statement, OneLine):
            exprs += expressions(statement.action)
        sites = [self._site(n) for e in exprs for n in walk(e)]
        return any(s is not None and self._concerned(s) for s in sites)

    def _concerned(self, site: CallSite) -> bool:
        """Whether a call has an array as value, or as an argument what is no variable."""
        if self._result(site) is not None or isinstance(site.node, OPERATORS):
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
        if self._is_object(site, dummy):
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

    def _is_object(self, site: CallSite, dummy: str) -> bool:
        data = self.facts.object(dummy, site.callee)
        return data is not None and not data.rank and data.symbol.type.base == "type"

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

    # -- texts

    def _shown(self, statement: Statement, before: list[str]) -> str:
        """The text of a statement with variables in the places of array values. Raises Left."""
        line = statement.line
        match statement:
            case Assignment(pointer=False, target=target, value=value):
                return f"{self._text(target, line.text, before)} = {self._text(value, line.text, before)}"
            case Call(designator=designator):
                site = self._site(designator)
                if site is None:
                    raise Left
                head = line.text[designator.start : designator.end]
                return f"call {head}({', '.join(self._passed(site, line.text, before))})"
            case Header(exprs=exprs):
                text, position = "", 0
                for expr in exprs:
                    text += line.text[position : expr.start] + self._text(expr, line.text, before)
                    position = expr.end
                return text + line.text[position:]
        raise Left

    def _text(self, expr: Expr, text: str, before: list[str]) -> str:
        site = self._site(expr) if isinstance(expr, (Apply, *OPERATORS)) else None
        if site is not None:
            passed = self._passed(site, text, before)
            if self._result(site) is not None:
                return self._value(site, expr, passed, text, before)
            name = text[expr.base.start : expr.base.end] if isinstance(expr, Apply) else self._function(site)
            return f"{name}({', '.join(passed)})"
        return respelled(expr, text, lambda child: self._text(child, text, before))

    def _passed(self, site: CallSite, text: str, before: list[str]) -> list[str]:
        """The actual arguments of a call, with variables in the places of expressions for arrays."""
        shown = []
        for argument, (dummy, value) in zip(site.args, self._arguments(site), strict=True):
            head = text[argument.start : value.start] if isinstance(argument, Keyword) else ""
            while isinstance(value, Paren) and self._is_object(site, dummy):
                value = value.inner  # whose components are taken
            inner = self._text(value, text, before)
            if self._made(site, dummy, value):
                data = self.facts.object(dummy, site.callee)
                assert data is not None
                shape = self._shape(value, text) if data.rank else []
                if data.rank and (not shape or (len(shape) != data.rank and not data.shaped)):
                    raise Left
                name = self._variable(data.symbol, site.callee, shape)
                before.append(f"{name} = {inner}")
                if self.effects.intent(site.callee, dummy) != "in":
                    self._check_indices(value, site)
                    self._after.append(f"{inner} = {name}")
                inner = name
            shown.append(head + inner)
        return shown

    def _check_indices(self, value: Expr, site: CallSite) -> None:
        """Raise Left where a call sets what tells which section gets the values back."""
        inner = value.args if isinstance(value, Apply) else ()
        names = {name for index in inner for name in names_in(index)}
        for dummy, other in self._arguments(site):
            if base_name(other) in names and self.effects.intent(site.callee, dummy) != "in":
                raise Left

    def _function(self, site: CallSite) -> str:
        """The name of a function that defines an operator. Raises Left where it is not accessible."""
        callee, scopes = self.facts.routine(site.callee), self.facts.scopes
        if callee.key in scopes.procedures(callee.name, self.key):
            return callee.name
        home = self.facts.application.routines.get(callee.module)
        if home is None or callee.name in home.spec.private or scopes.variable(callee.name, self.key) is not None:
            raise Left
        if not home.spec.accessible(callee.name):
            self.public[callee.key] = callee
        self.imports[callee.name] = callee.module
        return callee.name

    def _value(self, site: CallSite, expr: Expr, passed: list[str], text: str, before: list[str]) -> str:
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
            raise Left
        name = plain_name(_STEM, len(self.declared) + 1)
        self.declared.append(f"{scalar.base}({scalar.bytes}) :: {name}({', '.join(shape)})")
        return name

    def _object(self, derived: str, home: str) -> str:
        """A new local object of a type that another routine names. Raises Left where the name means something else."""
        scopes = self.facts.scopes
        there, here = scopes.type_at_home(derived, home), scopes.type_at_home(derived, self.key)
        if there is None or (here is None and scopes.variable(derived, self.key) is not None):
            raise Left
        if here is None:
            self.imports[derived] = there[0]
        elif here != there:
            raise Left
        name = plain_name(_STEM, len(self.declared) + 1)
        self.declared.append(f"type({derived}) :: {name}")
        return name
