"""Pointers that get other targets on the host, under their own names, in objects, or in called routines. What they
meant before and what they mean afterwards is kept in step with the device by the names of the arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

from hfpy.analyze.arrays.storage import Identity, component_object
from hfpy.analyze.calls import dummies_met
from hfpy.analyze.effects.retargeted import retargeted_by
from hfpy.analyze.facts import keeps_value, stands_for
from hfpy.analyze.language.components import path_of
from hfpy.analyze.language.uses import Reference, associated
from hfpy.diagnostics import error
from hfpy.model.distributed import takes_buffer
from hfpy.model.expressions import Apply, Component, Expr, Name, base_name
from hfpy.model.statements import Call, Construct, Node, Statement
from hfpy.parse.expressions.fragments import fragment
from hfpy.transform.device.hoststatements import HostStatements
from hfpy.transform.device.reallocated import allocates_below
from hfpy.transform.device.touched import Touched


class Targets(HostStatements):
    """Host statements with pointers that change."""

    def by_targets(self, statements: Sequence[Statement], touched: Touched) -> dict[str, Sequence[str]]:
        """Put the arrays in the place of pointers that get others, or other parts, among some statements: a copy before
        these and one after them would not be of the same elements. In a single one that is so where a routine does it
        that the statement calls. What is put in the place of which name comes back.
        """
        renamed: dict[str, Sequence[str]] = {}
        if not touched.names:
            return renamed
        retargeted = {id(s): self._retargeted(s) for s in statements}
        for name in sorted(touched.names):
            at = next((s for s in statements if self._elsewhere(s, name, retargeted[id(s)])), None)
            known = at is not None and self._by_allocation(name)
            if at is None and len(statements) > 1:
                at = next((s for s in statements if self._associates(s, name)), None)
            if at is None:
                continue
            named = self.targets(name, kept=False)
            meant = self._with_own_memory(name, named)
            if (name in named or not meant) and not known:
                message = f"the pointer '{name}' gets other elements here, and the device may have what it had before"
                hint = "set the pointer before the loop or condition around this, or use the arrays by their names"
                self.found.append(error("HF603", message, at.line.place(self.routine.file), hint))
            touched.rename(name, meant)
            renamed[name] = meant
        return renamed

    def _with_own_memory(self, name: str, targets: Sequence[str]) -> Sequence[str]:
        """The targets of a pointer, with its own name, as it may mean what was allocated for it, and with those of
        others that may mean that. A pointer on the way to a component may have no target afterwards.
        """
        expr = fragment(name).expr
        own = component_object(expr.name) if isinstance(expr, Component) else None
        if own is not None and self._by_pointers(expr):
            storage = self.facts.storage
            allocated = {own, *(each for each in storage.of_identity(own) if self._passes_on(*each))}
            return () if storage.meet(allocated, self.states.there(self.key)) else targets
        others = (other for other in self.arrays if other != name and self._in_one_memory(name, other))
        return tuple(dict.fromkeys((*targets, name, *sorted(others))))

    def _by_allocation(self, name: str) -> bool:
        """Whether all memory of a pointer that may be on the device is what was allocated for it, or for a pointer of
        a called routine that gave it on.
        """
        expr, data = fragment(name).expr, self.facts.object(name, self.key)
        own = component_object(expr.name) if isinstance(expr, Component) else data.identity if data else ("", name)
        storage, there = self.facts.storage, self.states.there(self.key)
        for home, other in storage.of_identity(own) - {own}:
            if storage.meet({(home, other)}, there) and not self._passes_on(home, other):
                return False
        return not isinstance(expr, Component) or not self._by_pointers(expr)

    def _passes_on(self, home: str, name: str) -> bool:
        """Whether a variable is a pointer of another routine that means nothing between two calls."""
        routine = self.facts.application.routines.get(home)
        symbol = routine.spec.symbols.get(name) if routine is not None else None
        if routine is None or symbol is None or "pointer" not in symbol.attributes or home == self.key:
            return False
        return routine.kind in ("subroutine", "function") and not keeps_value(routine, name)

    def by_other_names(self, node: Node, inner: Touched, around: frozenset[str]) -> frozenset[str]:
        """The arrays that a choice touches which may be in one memory with arrays that statements ``around`` it touch:
        copies within its branches would go over what these have set. Pointers on the way to a component may have no
        target outside of the choice, so that the names of the arrays take its place. Their names come back, too.
        """
        found = set[str]()
        for name in sorted(inner.names - around):
            if not any(self._in_one_memory(name, other) for other in around):
                continue
            expr = fragment(name).expr
            meant = self.targets(name) if isinstance(expr, Component) else (name,)
            if name in meant and self._by_pointers(expr):
                message = f"'{name}' may be an array that is on the device, and that other statements here use, too"
                hint = "point to it with a pointer variable before, or use one name for the array"
                line = node.header.line if isinstance(node, Construct) else node.line
                self.found.append(error("HF603", message, line.place(self.routine.file), hint))
            inner.rename(name, meant)
            found |= {name, *meant}
        return frozenset(found)

    def _in_one_memory(self, name: str, other: str) -> bool:
        """Whether two arrays may be in one memory, as pointers and their targets are."""
        storage, exprs = self.facts.storage, [fragment(each).expr for each in (name, other)]
        if not any(isinstance(expr, Component) for expr in exprs):
            return storage.shared(name, other, self.key)
        meant = [
            storage.of_identity(component_object(expr.name))
            if isinstance(expr, Component)
            else storage.objects(base_name(expr) or "", self.key)
            for expr in exprs
        ]
        return storage.meet(*meant)

    def _by_pointers(self, expr: Expr) -> bool:
        """Whether pointers, or what may not be allocated, are on the way to a component."""
        if not isinstance(expr, Component):
            return False
        if not isinstance(expr.base, Name):
            return True
        data = self.facts.scopes.variable(expr.base.name, self.key)
        return data is None or data.symbol.dynamic

    def _retargeted(self, statement: Statement) -> frozenset[Identity]:
        """The pointers that a statement may give other targets: components by their names, and variables that called
        routines know by themselves.
        """
        own = (r for r in self.references.get(id(statement), ()) if self.facts.live(r.at, self.key))
        found = {component_object(name) for r in own for name in retargeted_by(self.facts, r, self.key)}
        for site in self.calls.sites.get(id(statement), ()):
            found |= self.effects.retargeted(site.callee) if site.callee else frozenset()
        return frozenset(found)

    def _elsewhere(self, statement: Statement, name: str, retargeted: frozenset[Identity]) -> bool:
        """Whether the elements of an array, or of a component, are others after a statement that gives some pointers
        other targets: the pointer itself, or one on the way to the component.
        """
        expr = fragment(name).expr
        path = [component_object(part) for part in path_of(expr) or ()]
        data = self.facts.object(base_name(expr) or "", self.key)
        if not retargeted.isdisjoint(path):
            return True
        if data is None or "pointer" not in data.symbol.attributes:
            return False
        return data.identity in retargeted or (bool(path) and self._associates(statement, data.name))

    def _associates(self, statement: Statement, name: str) -> bool:
        """Whether a statement sets a pointer under its own name."""
        for reference in self.references.get(id(statement), ()):
            if associated(reference) and stands_for(reference.name, reference.at)[0] == name:
                return True
            if reference.name == name and reference.role == "argument" and self.may_allocate(reference):
                data = self.facts.object(name, self.key)
                return data is not None and "pointer" in data.symbol.attributes
        return False

    def targets(self, pointer: str, kept: bool = True) -> Sequence[str]:
        """The arrays that a pointer, or one in an object, may have parts of, where this routine has names for all of
        them. Directives would take the elements of a pointer for neighbours in memory, which those of ``a(n:1:-1)`` or
        ``a(i,:)`` are not. What pointers of called routines have given on counts where it is ``kept`` elsewhere, too.
        """
        names: list[str] = []
        data, expr = self.facts.object(pointer, self.key), fragment(pointer).expr
        meant = component_object(expr.name) if isinstance(expr, Component) else data.identity if data else ("", pointer)
        for home, name in sorted(self.facts.storage.of_identity(meant) - {meant}):
            if not self.facts.storage.meet({(home, name)}, self.states.there(self.key)):
                continue
            if not kept and self._passes_on(home, name):
                continue
            found = self.facts.scopes.variable(name, self.key)
            if found is None or (found.home, found.symbol.name) != (home, name) or not found.symbol.rank:
                return (pointer,)
            names += [name] if self.states.on_device(name, self.key) else []
        return names or (pointer,)

    def may_allocate(self, reference: Reference) -> bool:
        """Whether a procedure may allocate an argument that it gets, or give it another target."""
        if isinstance(reference.node, Apply):
            return False  # an element or a section stays where it is
        if takes_buffer(reference.at.statement, reference.position):
            return False
        met = dummies_met(self.facts, self.key, reference)
        if not met:
            # Any subroutine whose source is not here may, `c_f_pointer` among them.
            statement = reference.at.statement
            return isinstance(statement, Call) and reference.call is statement.designator
        dynamic = any(d is not None and d.symbol.dynamic and d.symbol.intent != "in" for _, d in met)
        return dynamic and not allocates_below(self.facts, reference, self.key)  # see DeviceData
