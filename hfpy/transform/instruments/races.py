"""Calls that tell the watch over races what a region shares and where its points begin (``hfpy verify --races``).

Accesses themselves are seen by the compiler's instrumentation (``runtime/races/hfpy_shadow.h``), in called routines,
too. What is passed here are names: the arrays that a region shares, the module variables and saved locals that called
routines work on, and scalars that points share and set. What is private to a point is not among them, and so not
watched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, keeps_value, resolve_alias, stands_for
from hfpy.analyze.language.context import Located, regions_of
from hfpy.analyze.language.intrinsics import TRANSFORMING
from hfpy.analyze.language.types import component as component_of
from hfpy.analyze.language.uses import Reference, aliases_of
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.diagnostics import Diagnostic, note
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, ArrayConstructor, Component, Expr, Literal, Name, base_name, names_in, walk
from hfpy.model.printing import character
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Construct, Header, OneLine, expressions
from hfpy.model.units import Routine, Symbol
from hfpy.parse.statements.nests import own_nest
from hfpy.parse.text.physical import physical
from hfpy.transform.text.edits import Edit, insert_lines
from hfpy.transform.text.rows import Rows

MODULE = "hfpy_races"
_NAMES = ("region", "array", "array_in", "memory", "begin", "point", "end", "atomic", "zero", "set", "text")
_BEFORE, _BEHIND, _INSIDE, _ENTRY, _STATEMENT = 13, -7, 3, 12, 4
_MOST_ITERATORS = 6
_LIBRARY = TRANSFORMING - {"loc", "c_loc", "c_funloc", "null", "transfer"}


def race_watch(facts: Facts, effects: Effects, routine: Routine) -> tuple[list[Edit], list[Diagnostic]]:
    """All edits of a routine, and notes on what is not watched."""
    if routine.key not in facts.graph.statements:
        return [], []
    watch = _Watch(facts, effects, routine)
    edits = list(watch.edits())
    if edits:
        margin = " " * (routine.header.segments[0][2] + 2)
        names = ", ".join(f"hf_race_{name}" for name in _NAMES if name in watch.used)
        edits.append(insert_lines(routine.uses_row, [f"{margin}use {MODULE}, only: {names}"], -16, 0))
    return edits, watch.found


class _Watch:
    """The edits of one routine."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.key = routine.key
        self.pure = bool({"pure", "elemental"} & set(routine.prefix)) and "impure" not in routine.prefix
        self.sharing = RoutineSharing(facts, effects, routine)
        self.rows = Rows(facts.application.file(routine.key), routine)
        self.found: list[Diagnostic] = []
        self.used: set[str] = set()  # of the names that the runtime has, those that the edits mention

    def edits(self) -> Iterator[Edit]:
        """Rows around regions and within them, at the beginning of called routines, and at statements."""
        position = self.facts.positions.get(self.key)
        if not self.pure:
            for number, construct in enumerate(regions_of(self.routine)):
                region = self.facts.positions.regions.get(RegionId(self.key, number))
                if region is not None and construct.end is not None:
                    yield from self._region(number, construct, region)
        if position.above:
            yield from self._called()
        for at in self.facts.graph.statements[self.key]:
            if (position.above or self.facts.positions.active(self.key, at)) and self.facts.live(at, self.key):
                self._unwatched(at)
                if not self.pure:
                    yield from self._statement(at)

    # -- regions

    def _region(self, number: int, construct: Construct, region: Region) -> Iterator[Edit]:
        assert construct.end is not None
        first, last = construct.header.line, construct.end.line
        iterators = list(region.iterators)
        place = self.facts.application.shown_place(self.routine.key, region.line)
        before = [
            self._call("region", self._text(place), self._text(",".join(iterators))),
            *self._shared(number, construct),
            self._call("begin", str(min(len(iterators), _MOST_ITERATORS))),
        ]
        values = [f"int({name}, 8)" for name in iterators[:_MOST_ITERATORS]]
        values += ["0_8"] * (_MOST_ITERATORS - len(values))
        inside = first.last
        if region.loops:
            inside = own_nest(construct.body, region.iterators)[-1].header.line.last
        yield insert_lines(first.first, self.rows.indented(before, first), _BEFORE, first.first)
        point = self.rows.indented([self._call("point", *values)], first)
        yield insert_lines(inside + 1, point, _INSIDE, first.first)
        end = self.rows.indented([self._call("end")], first)
        yield insert_lines(last.last + 1, end, _BEHIND, last.first)

    def _shared(self, number: int, construct: Construct) -> Iterator[str]:
        """A call for each variable that the points share."""
        sharing = self.sharing.region(number)
        shared, written = set(sharing.place().shared), set(sharing.body.flow().written)
        rows: dict[str, None] = {}
        for reference in sharing.body.references:
            selector = aliases_of(reference.at).get(reference.name)
            name = stands_for(reference.name, reference.at)[0]
            found = self.facts.scopes.variable(name, self.key) if name is not None else None
            if found is None or name is None or name not in shared or found.symbol.constant:
                continue
            data = self.facts.object(name, self.key)
            if found.symbol.type.base in ("type", "class"):
                rows |= dict.fromkeys(
                    self._components(reference, selector, written | set(construct_iterators(construct)))
                )
            elif (data is not None and data.rank) or name in written:
                rows[self._array(name, found.symbol, bool(data is not None and data.rank))] = None
        return iter(rows)

    def _array(self, name: str, symbol: Symbol, array: bool) -> str:
        call = self._call("array_in" if self.pure else "array", name, self._text(name))
        return _guarded(name, symbol, call)

    def _components(self, reference: Reference, selector: Expr | None, varying: set[str]) -> Iterator[str]:
        """Calls for an object of derived type and for the arrays that its components are somewhere else in memory."""
        name = base_name(selector) if selector is not None else reference.name
        found = self.facts.scopes.variable(name, self.key) if name is not None else None
        if name is None or found is None or self.pure:
            return
        size = f"int(storage_size({name})/8, 8)" + (f"*size({name}, kind=8)" if found.symbol.rank else "")
        if not any(dim.form == "star" for dim in found.symbol.shape):
            yield _guarded(name, found.symbol, self._call("memory", f"loc({name})", size, self._text(name)))
        if reference.component or selector is not None:
            line = reference.at.statement.line
            if selector is not None:
                line = next(c.header.line for c in reversed(reference.at.constructs) if reference.name in _named(c))
            for expr in (selector,) if selector is not None else expressions(reference.at.statement):
                for node in walk(expr):
                    if isinstance(node, Component) and base_name(node) == name:
                        yield from self._component(node, line, varying)

    def _component(self, node: Component, line: LogicalLine, varying: set[str]) -> Iterator[str]:
        symbol = component_of(node, self.key, self.facts.scopes)
        if symbol is None or not symbol.dynamic or symbol.type.base == "procedure":
            return
        text = line.text[node.start : node.end]
        indices = [a for n in walk(node) if isinstance(n, Apply) for a in n.args]
        if any(names_in(a) & varying for a in indices):
            message = f"what '{text}' is for each point is not watched: it is another array for each"
            self._note(message, line, node.start, node.end)
            return
        tests = [*self._on_the_way(node.base, text, node.start), f"{_test(symbol)}({text})"]
        if symbol.type.base in ("type", "class"):
            length = f"*size({text}, kind=8)" if symbol.rank else ""
            size = f"int(storage_size({text})/8, 8){length}"
            call = self._call("memory", f"loc({text})", size, self._text(text))
        else:
            call = self._call("array", text, self._text(text))
        yield "; ".join([*(f"if ({test}) then" for test in tests), call, *("end if" for _ in tests)])

    def _on_the_way(self, base: Expr, text: str, start: int) -> Iterator[str]:
        """What must be there before a component can be asked for, outermost first."""
        if isinstance(base, (Component, Apply)):
            yield from self._on_the_way(base.base, text, start)
        if isinstance(base, Component):
            symbol = component_of(base, self.key, self.facts.scopes)
        elif isinstance(base, Name):
            found = self.facts.scopes.variable(base.name, self.key)
            symbol = found.symbol if found is not None else None
        else:
            return
        if symbol is not None and symbol.dynamic:
            yield f"{_test(symbol)}({text[: base.end - start]})"

    # -- called routines

    def _called(self) -> Iterator[Edit]:
        """At the beginning of a routine that a region calls: what outlives the call."""
        rows: dict[str, None] = {}
        for reference in self.facts.references[self.key]:
            name, _ = resolve_alias(reference.name, reference.at)
            found = self.facts.scopes.variable(name, self.key) if name is not None else None
            if name is None or found is None or found.symbol.constant or not self.facts.live(reference.at, self.key):
                continue
            if not self._outlives(name, found.home):
                continue
            if found.symbol.type.base in ("type", "class"):
                rows |= dict.fromkeys(self._components(reference, None, self._own_names()))
            elif found.symbol.rank or (self.effects.of(reference, self.key)[1] and not self.pure):
                rows[self._array(name, found.symbol, bool(found.symbol.rank))] = None
        if rows:
            at = self.routine.body_first
            row = self.rows.above(at) if at >= 0 else self.routine.spec_insert + 1
            margin = " " * (self.routine.header.segments[0][2] + 2)
            yield insert_lines(row, [margin + text for text in rows], _ENTRY, self.routine.header.first)

    def _outlives(self, name: str, home: str) -> bool:
        if home == self.key:
            return keeps_value(self.routine, name) and name not in self.routine.dummies
        return not self.facts.positions.get(home).above

    def _own_names(self) -> set[str]:
        """Names that mean nothing yet where the routine begins."""
        names = {r.name for r in self.facts.references[self.key] if self.effects.of(r, self.key)[1]}
        return names - set(self.routine.dummies)

    # -- statements

    def _call(self, procedure: str, *arguments: str) -> str:
        self.used.add(procedure)
        return f"call hf_race_{procedure}({', '.join(arguments)})"

    def _text(self, text: str) -> str:
        self.used.add("text")
        return f"{character(text)}//hf_race_text"

    def _statement(self, at: Located) -> Iterator[Edit]:
        line = at.statement.line
        if line.first > 0 and physical(self.rows.lines[line.first - 1]).words[:1] == ("atomic",):
            yield from self.rows.before(line, [self._call("atomic", "1")], _STATEMENT)
            yield from self.rows.behind(line, [self._call("atomic", "0")], -_STATEMENT)
        action = at.statement
        condition = ""
        if isinstance(action, OneLine):
            if action.kind != "if" or any(isinstance(n, Apply) for c in action.control for n in walk(c)):
                return
            condition = f"if ({line.text[action.control[0].start : action.control[0].end]}) "
            action = action.action
        elif any(c.kind in ("where", "forall") for c in at.constructs):
            return
        if isinstance(action, Assignment) and not self._changes(action) and (call := self._whole(action)):
            yield from self.rows.before(line, [condition + call], _STATEMENT)

    def _changes(self, statement: Assignment) -> bool:
        """Whether an access of a statement gets indices, so that it means an element."""
        here = (r for r in self.facts.references[self.key] if r.at.statement is statement)
        plans = (self.facts.plan_of(r, self.key) for r in here)
        return any(plan is not None and plan.changed for plan in plans)

    def _whole(self, statement: Assignment) -> str:
        """The call before an assignment that a compiler may do without telling; empty for others."""
        target, value = statement.target, statement.value
        if not isinstance(target, Name) or statement.pointer:
            return ""
        found = self.facts.scopes.variable(target.name, self.key)
        if found is None or not found.symbol.rank or any(d.form != "explicit" for d in found.symbol.shape):
            return ""
        if isinstance(value, Literal) and value.zero:
            return self._call("zero", target.name)
        text = statement.line.text[value.start : value.end]
        other = self.facts.scopes.variable(value.name, self.key) if isinstance(value, Name) else None
        fixed = other is not None and other.symbol.rank and all(d.form == "explicit" for d in other.symbol.shape)
        return self._call("set", target.name, text) if fixed or isinstance(value, ArrayConstructor) else ""

    def _unwatched(self, at: Located) -> None:
        """Notes on procedures that work on arrays without being seen."""
        line = at.statement.line
        for site in self.facts.graph.sites[self.key]:
            if site.at.statement is at.statement and site.callee not in self.facts.graph.statements and site.name:
                self._note(f"accesses of '{site.name}' are not watched: hfpy does not see it", line, site.node.start)
        for expr in expressions(at.statement):
            for node in walk(expr):
                name = node.base.name if isinstance(node, Apply) and isinstance(node.base, Name) else ""
                if name in _LIBRARY and self.facts.scopes.is_intrinsic(name, self.key):
                    self._note(f"accesses of '{name}' are not watched: it is the compiler's", line, node.start)

    def _note(self, message: str, line: LogicalLine, start: int, end: int = -1) -> None:
        self.found.append(note("HF508", message, line.place(self.routine.file, start, end)))


def construct_iterators(construct: Construct) -> Sequence[str]:
    """The iterators of a region's construct."""
    return construct.region.iterators if construct.region is not None else ()


def _named(construct: Construct) -> Sequence[str]:
    """The names that an ``associate`` construct gives."""
    return construct.header.names if isinstance(construct.header, Header) else ()


def _test(symbol: Symbol) -> str:
    return "associated" if "pointer" in symbol.attributes else "allocated"


def _guarded(name: str, symbol: Symbol, call: str) -> str:
    """A call for a variable, only where it is there."""
    if "optional" in symbol.attributes:
        if symbol.dynamic:
            return f"if (present({name})) then; if ({_test(symbol)}({name})) {call}; end if"
        return f"if (present({name})) {call}"
    return f"if ({_test(symbol)}({name})) {call}" if symbol.dynamic else call
