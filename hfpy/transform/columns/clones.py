"""Blocked forms of routines that regions call: ``hfv_NAME`` beside each, for a block of columns at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator
from dataclasses import field
from functools import cached_property

import networkx as nx

from hfpy.analyze.arrays.domains import DataObject
from hfpy.model.expressions import Apply, Expr
from hfpy.model.expressions import mentioned as mentioned_in
from hfpy.model.extents import Dim
from hfpy.model.names import Names, blocked_name
from hfpy.model.printing import STEP
from hfpy.model.source import LogicalLine
from hfpy.model.statements import all_names
from hfpy.model.units import Routine, Symbol
from hfpy.transform.columns.common import LANE, Instance, Lanes, refused
from hfpy.transform.columns.fitness import defined
from hfpy.transform.columns.statements import BodyWriter, Variables
from hfpy.transform.columns.types import plain_type
from hfpy.transform.columns.varying import Varying
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.text.remade import remade
from hfpy.values import dataclass

COUNT = "hf_n"
_ATTRIBUTES = frozenset({"parameter", "optional", "contiguous", "initialised", "dimension", "intent", "header"})


@dataclass(frozen=True)
class Clone:
    """A blocked routine: its lines, each with the physical line that it stems from, and the arrays that it declares."""

    lines: tuple[tuple[str, int], ...]
    arrays: frozenset[str]


@dataclass(frozen=True)
class Form:
    """A blocked form in a file: its name, its lines, each with the line that it stems from, and the files whose regions
    use it.
    """

    file: str
    name: str
    lines: tuple[tuple[str, int], ...]
    users: frozenset[str]


State = tuple[dict[Instance, str], dict[Instance, Clone], dict[tuple[str | Instance, Instance], None]]


@dataclass
class Clones:
    """The blocked forms that have been asked for, each with its name, for blocks of ``width`` columns."""

    analysis: Varying
    width: int
    names: dict[Instance, str] = field(default_factory=dict)
    made: dict[Instance, Clone] = field(default_factory=dict)
    asked: dict[tuple[str | Instance, Instance], None] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()

    def state(self) -> State:
        """What there is now, for :meth:`back_to`."""
        return dict(self.names), dict(self.made), dict(self.asked)

    def back_to(self, state: State) -> None:
        """Forget what was asked for since."""
        self.names, self.made, self.asked = state

    def add(self, later: State) -> bool:
        """Add what later routines asked for by themselves. Where a form would have got another name after those that
        are here, nothing is added, and the answer is False.
        """
        names, made, asked = later
        given = {name.lower(): instance for instance, name in self.names.items()}
        if any(given.get(n.lower(), i) != i or self.names.get(i, n) != n for i, n in names.items()):
            return False
        self.names |= names
        self.made |= {i: clone for i, clone in made.items() if i not in self.made}
        self.asked |= asked
        return True

    def forms(self) -> tuple[Form, ...]:
        """The forms that were made, with the files whose regions ask for them, by way of others too."""
        net = nx.DiGraph()
        net.add_nodes_from(self.made)
        net.add_edges_from(self.asked)
        application = self.analysis.facts.application
        found = []
        for instance, clone in self.made.items():
            users = frozenset(a for a in nx.ancestors(net, instance) if isinstance(a, str))
            found.append(Form(application.file(instance.key).path, self.names[instance], clone.lines, users))
        return tuple(found)

    def name(self, instance: Instance, asking: str | Instance) -> str:
        """The name of the blocked form of a routine, which a region of a file (its path) or another form calls. No two
        forms share one: a region may call routines of one name from several modules, and so may whoever uses those
        modules.
        """
        self.asked[asking, instance] = None
        if instance not in self.names:
            given: dict[Hashable, str] = dict(self.names.items())
            scope = Names(self._users(), given)
            self.names[instance] = scope.name(blocked_name(self._distinguished(instance.key)), instance)
        return self.names[instance]

    def _distinguished(self, key: str) -> str:
        """A routine's name, with its module's before it where another routine has the same name."""
        routine = self.analysis.facts.routine(key)
        return routine.name if self._named[routine.name] == 1 else f"{routine.module}_{routine.name}"

    @cached_property
    def _named(self) -> Counter[str]:
        """How many routines have each name."""
        return Counter(routine.name for routine in self.analysis.facts.application.routines.values())

    def _users(self) -> frozenset[str]:
        """The names in the program: a blocked form must be no other's, in whatever module it is used."""
        if not self.taken:
            application = self.analysis.facts.application
            units = {unit.name for index in application.files for unit in index.units}
            self.taken = frozenset(units.union(*(r.spec.symbols for r in application.routines.values())))
        return self.taken

    def write(self) -> None:
        """Make all that were asked for, and what these ask for. Raises Refused."""
        while missing := [i for i in self.names if i not in self.made]:
            for instance in missing:
                self.made[instance] = _CloneWriter(self, instance).write()

    def modules(self, module: str, mentioned: Collection[str]) -> Iterator[str]:
        """The ``use`` statements that statements of a module which mention some names need for blocked forms of other
        modules.
        """
        wanted: dict[str, list[str]] = {}
        for instance, name in self.names.items():
            home = self.analysis.facts.routine(instance.key).module
            if name in mentioned and home and home != module:
                wanted.setdefault(home, []).append(name)
        for home in sorted(wanted):
            yield f"use {home}, only: {', '.join(sorted(wanted[home]))}"


class _CloneWriter:
    """Makes one blocked routine."""

    def __init__(self, clones: Clones, instance: Instance) -> None:
        self.clones = clones
        self.analysis = clones.analysis
        self.facts = clones.analysis.facts
        self.instance = instance
        self.routine: Routine = self.facts.routine(instance.key)
        self.varying = self.analysis.in_routine(instance)
        self.index = self.facts.application.file(instance.key)
        self.names = Locals.of(self.index)

    def write(self) -> Clone:
        """The routine."""
        routine = self.routine
        variables = Variables(
            {v: v for v in self.varying},
            frozenset(),
            self._items,
            lambda name: self._data(name).rank,
            lambda name: plain_type(self.facts, routine.key, name),
        )
        writer = BodyWriter(
            self.analysis,
            routine,
            self.varying,
            variables,
            self.names,
            lambda instance: self.clones.name(instance, self.instance),
            self.clones.width,
        )
        body = writer.block(routine.body, Lanes(COUNT))
        assert routine.end is not None
        name, first, last = self.clones.names[self.instance], routine.header.first, routine.end.first
        result = [routine.result] if routine.kind == "function" else []
        dummies = [COUNT, *routine.dummies, *result]
        mentioned = all_names(body)
        for function in defined(routine, mentioned):
            mentioned |= self._of_function(function)
        declared = self._declared(mentioned | set(dummies))
        before = [*self.clones.modules(routine.module, mentioned), *self._uses(), "implicit none"]
        before += [f"integer, intent(in) :: {COUNT}", *map(self._declaration, declared)]
        before += self.names.declarations(mentioned)
        before += [f"integer :: {LANE}"] if LANE in mentioned else []
        before += self._functions(mentioned)
        lines = [
            (f"! {routine.name} for a block of columns: the first dimension of what differs between them.", first),
            (f"subroutine {name}({', '.join(dummies)})", first),
            *((STEP + row, first) for row in before),
            ("", first),
            *remade(self.index, body, STEP, first, last),
            (f"end subroutine {name}", last),
        ]
        arrays = {s.name for s in declared if not s.constant and (s.name in self.varying or any(self._extents(s.name)))}
        return Clone(tuple(lines), frozenset(arrays | {n for n in self.names.arrays if n in mentioned}))

    def _of_function(self, name: str) -> set[str]:
        """What a statement function mentions, itself included."""
        found = (f for f in self.routine.spec.statement_functions if f[0] == name)
        return {name}.union(*({*dummies} | mentioned_in(value) for _, dummies, value, _ in found))

    def _functions(self, used: set[str]) -> Iterator[str]:
        """The statement functions that some names need, as they are written."""
        needed = defined(self.routine, used)
        for name, dummies, value, line in self.routine.spec.statement_functions:
            if name in needed:
                yield f"{name}({', '.join(dummies)}) = {line.text[value.start : value.end]}"

    def _uses(self) -> Iterator[str]:
        for use in self.routine.spec.uses:
            if use.line is None or use.line.file:
                raise refused(f"'{self.routine.name}' has declarations of an included file", self.routine.place())
            yield use.line.text.strip()

    def _data(self, name: str) -> DataObject:
        data = self.facts.object(name, self.routine.key)
        assert data is not None
        return data

    def _items(self, expr: Expr, line: LogicalLine) -> tuple[Expr | str, ...] | None:
        plan = self.facts.plan_at(line.key, expr, self.routine.key)
        if plan is not None and plan.items is not None:
            return plan.items
        return expr.args if isinstance(expr, Apply) else None

    def _declared(self, used: set[str]) -> list[Symbol]:
        """What is declared: constants, then what sizes may depend on, then the rest; what is not used is left out."""
        symbols = self.routine.spec.symbols
        needed = [symbols[n] for n in self._with_sizes(used & symbols.keys())]
        return sorted(needed, key=lambda s: (not s.constant, bool(s.shape) or s.name in self.varying))

    def _with_sizes(self, names: set[str]) -> list[str]:
        """The names with those that their shapes and values mention, in the order of the text."""
        symbols = self.routine.spec.symbols
        found = set(names)
        while True:
            more = {w for n in found for w in self._mentioned(symbols[n])} & symbols.keys()
            if more <= found:
                return [n for n in symbols if n in found]
            found |= more

    def _declaration(self, symbol: Symbol) -> str:
        name, routine = symbol.name, self.routine
        odd = symbol.attributes - _ATTRIBUTES
        if odd or not symbol.type.text or (symbol.initial is not None and not symbol.constant):
            raise refused(f"'{name}' of '{routine.name}' has the attribute {', '.join(sorted(odd))}", routine.place())
        words_before = [symbol.type.text]
        if symbol.constant:
            words_before.append("parameter")
        intent = "out" if name == routine.result and routine.kind == "function" else symbol.intent
        words_before += [f"intent({intent})"] if intent else []
        words_before += ["optional"] if "optional" in symbol.attributes else []
        dims = symbol.shape if symbol.constant else tuple(self._extents(name))
        sizes = [dim.text for dim in dims]
        if name in self.varying:
            assumed = any(dim.form in ("assumed", "deferred") for dim in dims)
            sizes = [f"{s}:" if assumed and dim.upper is not None else s for s, dim in zip(sizes, dims, strict=True)]
            sizes = ["0:" if assumed else f"0:{self.clones.width - 1}", *sizes]
        shape = f"({','.join(sizes)})" if sizes else ""
        value = f" = {symbol.initial}" if symbol.constant else ""
        return f"{', '.join(words_before)} :: {name}{shape}{value}"

    def _extents(self, name: str) -> Iterator[Dim]:
        """The dimensions of a variable; a statement function has none."""
        data = self.facts.object(name, self.routine.key)
        yield from (d.extent for d in data.used) if data is not None else ()

    def _mentioned(self, symbol: Symbol) -> set[str]:
        initial = symbol.initial.names if symbol.initial is not None else frozenset()
        return set(initial.union(symbol.type.names, *(d.names for d in self._extents(symbol.name))))
