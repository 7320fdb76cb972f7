"""What differs from column to column: a fixed point over the statements of a routine and of those it calls."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import dummy_name
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, keeps_value
from hfpy.analyze.language.uses import Reference
from hfpy.model.expressions import Expr, Keyword, Name, walk
from hfpy.model.statements import (
    Assignment,
    Call,
    Construct,
    Header,
    Jump,
    Node,
    OneLine,
    Statement,
    expressions,
    flatten,
)
from hfpy.model.units import Routine
from hfpy.transform.columns.common import NUMBERS, Instance, Questions, named, place_of, refused
from hfpy.transform.columns.fitness import check_jumps, check_routine, check_same_in_all, other_name, renames

_DEEPEST = 12
_ROUNDS = 30


class Varying(Questions):
    """Finds what varies; raises Refused for what cannot be computed for a block. What was found is kept."""

    def __init__(self, facts: Facts, effects: Effects) -> None:
        super().__init__(facts, effects)
        self._found: dict[tuple[Instance, int], frozenset[str]] = {}
        self._checked: set[str] = set()

    def in_routine(self, instance: Instance, depth: int = 0) -> frozenset[str]:
        """The variables of a routine that vary if the dummies of the instance do, its own dummies among them."""
        slot = instance, depth
        if slot not in self._found:
            self._found[slot] = self._in_routine(instance, depth)
        return self._found[slot]

    def _in_routine(self, instance: Instance, depth: int) -> frozenset[str]:
        if depth > _DEEPEST:
            raise refused("its calls are nested too deeply", self.facts.routine(instance.key).place())
        routine = self.facts.routine(instance.key)
        self.check_routine(routine)
        varying = self.in_nodes(routine, self.plain(routine, routine.body), instance.varying, depth)
        for name in sorted(varying - {routine.result}):
            data = self.facts.object(name, routine.key)
            if data is None or data.home != routine.key:
                raise refused(f"'{routine.name}' changes '{name}', which is not its own", routine.place())
        return varying

    def final(self, instance: Instance, depth: int = 0) -> Instance:
        """The instance with the dummies that vary because the routine makes them so."""
        routine = self.facts.routine(instance.key)
        names = self.in_routine(instance, depth) & {*routine.dummies, routine.result}
        return Instance(instance.key, frozenset(names))

    def in_nodes(
        self, routine: Routine, nodes: tuple[Node, ...], seed: frozenset[str], depth: int = 0
    ) -> frozenset[str]:
        """The variables that vary in some statements of a routine, if those of ``seed`` do."""
        varying = set(seed)
        for _ in range(_ROUNDS):
            before = len(varying)
            self._block(routine, nodes, varying, False, depth)
            if len(varying) == before:
                if both := loop_variables(nodes) & varying:
                    message = f"'{min(both)}' differs from column to column, and is the variable of a loop elsewhere"
                    raise refused(message, routine.place())
                check_jumps(routine, nodes)
                check_same_in_all(routine, nodes, frozenset(varying))
                return frozenset(varying)
        raise refused("what varies in it is not known", routine.place())

    def varies(self, routine: Routine, expr: Expr, statement: Statement, varying: frozenset[str] | set[str]) -> bool:
        """Whether an expression differs from column to column."""
        if any(name in varying for name in self.valued(routine, expr)):
            return True
        return any(
            site.function and site.callee and self._function_varies(routine, site, varying)
            for site in self.sites(routine, statement, expr)
        )

    def _function_varies(self, routine: Routine, site: CallSite, varying: frozenset[str] | set[str]) -> bool:
        return any(name in varying for a in site.args for name in self.valued(routine, a))

    def sites(self, routine: Routine, statement: Statement, within: Expr | None = None) -> Iterator[CallSite]:
        """The calls of procedures with source in a statement, or in one of its expressions."""
        anew = statement.made and within is not None
        for site in self.facts.graph.sites.get(routine.key, ()):
            there = site.at.statement
            same = there is statement or (isinstance(there, OneLine) and there.action is statement)
            if not same and not (anew and there.line.key == statement.line.key):
                continue
            if within is None or (within.start <= site.node.start and site.node.end <= within.end):
                yield site

    # -- one pass

    def _block(self, routine: Routine, nodes: tuple[Node, ...], varying: set[str], guarded: bool, depth: int) -> None:
        for node in nodes:
            if isinstance(node, Construct):
                self._construct(routine, node, varying, guarded, depth)
            elif isinstance(node, OneLine):
                inner = guarded or any(self.varies(routine, c, node, varying) for c in node.control)
                self._block(routine, (node.action,), varying, inner, depth)
            elif isinstance(node, Assignment):
                if guarded or self.varies(routine, node.value, node, varying) or _indexed(node, varying):
                    varying.add(self._variable(routine, node.target, node))
            elif isinstance(node, Call):
                for site in self.sites(routine, node):
                    self._call(routine, site, varying, guarded, depth)

    def _construct(self, routine: Routine, node: Construct, varying: set[str], guarded: bool, depth: int) -> None:
        inner = guarded
        for part in node.parts:
            inner = inner or any(self.varies(routine, e, part.header, varying) for e in expressions(part.header))
        if node.kind in ("do", "dowhile") and jumps_vary(self, routine, node, varying):
            inner = True
        for part in node.parts:
            self._block(routine, self.plain(routine, part.body), varying, inner, depth)

    def _call(self, routine: Routine, site: CallSite, varying: set[str], guarded: bool, depth: int) -> None:
        callee = self.facts.application.routines.get(site.callee)
        if callee is None:
            raise refused(f"'{site.name}' is called, whose source is not known", place_of(routine, site.at.statement))
        given = dict(self.actuals(site))
        seed = {d for d, e in given.items() if self.varies(routine, e, site.at.statement, varying)}
        if guarded:
            seed |= {d for d in given if self.effects.intent(site.callee, d) != "in"}
        final = self.final(Instance(site.callee, frozenset(seed)), depth + 1)
        for dummy in final.varying:
            if dummy in given and self.effects.intent(site.callee, dummy) != "in":
                varying.add(self._variable(routine, given[dummy], site.at.statement))

    @staticmethod
    def _variable(routine: Routine, target: Expr, statement: Statement) -> str:
        """The variable that is set. Raises Refused for components."""
        if not named(target):
            raise refused("a component of an object is set", place_of(routine, statement))
        return named(target)

    def actuals(self, site: CallSite) -> Iterator[tuple[str, Expr]]:
        """The actual arguments of a call by the names of the dummies."""
        for number, arg in enumerate(site.args):
            position: int | str = arg.name if isinstance(arg, Keyword) else number
            name = dummy_name(self.facts, site, position)
            if name is not None:
                yield name, arg.value if isinstance(arg, Keyword) else arg

    # -- what a routine must be

    def check_routine(self, routine: Routine) -> None:
        """Raises Refused for a routine that cannot have a blocked form."""
        if routine.key not in self._checked:
            self._check(routine)
            self._checked.add(routine.key)

    def _check(self, routine: Routine) -> None:
        check_routine(self, routine)
        for reference in self.facts.references.get(routine.key, ()):
            self.check_reference(routine, reference)

    def check_reference(self, routine: Routine, reference: Reference) -> None:
        """Raises Refused for a use of a variable that has no blocked form."""
        place = place_of(routine, reference.at.statement, reference.node)
        if renames(reference) or other_name(self, routine, reference):
            return
        name = reference.name
        data = self.facts.object(name, routine.key)
        if data is None:
            return
        writes = reference.writes or reference.role in ("allocate", "pointer")
        if reference.role in ("allocate", "pointer", "io", "input"):
            raise refused(f"'{name}' is used as more than a number", place)
        if data.home == routine.key or data.routine != routine.key:
            if writes and not data.dummy and keeps_value(routine, name):
                raise refused(f"'{name}' keeps its value", place)
            if data.symbol.attributes & {"pointer", "target", "volatile"} or data.symbol.name in routine.spec.storage:
                raise refused(f"'{name}' may have other names", place)
        if data.home != routine.key and writes and not data.full:
            raise refused(f"'{name}' of a module is written", place)
        if writes and (reference.component or data.symbol.type.base not in NUMBERS):
            raise refused(f"'{name}' is written in parts", place)


def _indexed(statement: Assignment, varying: set[str]) -> bool:
    """Whether which element is set depends on the column."""
    return any(isinstance(n, Name) and n.name in varying for n in walk(statement.target) if n is not statement.target)


def jumps_vary(analysis: Varying, routine: Routine, loop: Construct, varying: set[str] | frozenset[str]) -> bool:
    """Whether a loop is left, or a turn of it ended, in some columns earlier than in others. What ends loops within it
    does not count.
    """

    def ends(jump: Jump, within: tuple[str, ...]) -> bool:
        if jump.kind not in ("exit", "cycle"):
            return True
        return jump.target not in within if jump.target else not within

    def below(nodes: tuple[Node, ...], guarded: bool, within: tuple[str, ...]) -> bool:
        for node in nodes:
            if isinstance(node, Jump) and guarded and ends(node, within):
                return True
            if isinstance(node, OneLine):
                inner = guarded or any(analysis.varies(routine, c, node, varying) for c in node.control)
                if below((node.action,), inner, within):
                    return True
            if isinstance(node, Construct):
                inner = guarded or any(
                    analysis.varies(routine, e, p.header, varying) for p in node.parts for e in expressions(p.header)
                )
                header = node.header
                name = header.construct_name if isinstance(header, Header) else ""
                inside = (*within, name) if node.kind in ("do", "dowhile") else within
                if any(below(analysis.plain(routine, p.body), inner, inside) for p in node.parts):
                    return True
        return False

    return below(analysis.plain(routine, loop.body), False, ())


def loop_variables(nodes: tuple[Node, ...]) -> set[str]:
    """The variables of the loops in some statements."""
    return {s.var for s in flatten(nodes) if isinstance(s, Header) and s.var}
