"""What host statements do with arrays that are on the device: by their names, through the routines that they call,
through namelists, and through pointers in objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hfpy.analyze.accesses import is_full_range
from hfpy.analyze.components import indexed, pointer_component
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.graph import CallSite
from hfpy.analyze.residence import POINTED, TARGETS, marks, namelist_members
from hfpy.analyze.states import States
from hfpy.analyze.uses import Reference
from hfpy.diagnostics import Diagnostic, error
from hfpy.model.expressions import Name
from hfpy.model.names import imported
from hfpy.model.statements import Call, InputOutput, Statement
from hfpy.model.units import Routine, Symbol
from hfpy.transform.datadialect import DataDialect
from hfpy.transform.reallocated import allocates, allocates_below


@dataclass
class Touched:
    """The device arrays that host code reads and writes; ``partly`` are those written not for certain as a whole,
    ``moved`` those that may be allocated anew, ``followed`` those that may be so in a routine that works on the device.
    """

    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    partly: set[str] = field(default_factory=set)
    moved: set[str] = field(default_factory=set)
    followed: set[str] = field(default_factory=set)

    @property
    def before(self) -> list[str]:
        """What has to be valid on the host before."""
        return sorted(self.read | self.partly)

    @property
    def after(self) -> list[str]:
        """What has to go to the device afterwards."""
        return sorted(self.written - self.moved)


class HostStatements:
    """Tells what the host statements of one routine read and write.

    ``imports`` are module variables that the routine has to import: module, name there, name here; ``foreign`` what is
    not declared here but has to be named: those, and components.
    """

    def __init__(
        self,
        facts: Facts,
        effects: Effects,
        states: States,
        routine: Routine,
        dialect: DataDialect,
        copies: Sequence[Statement] = (),
    ) -> None:
        """``copies`` are statements that are passed over."""
        self.facts = facts
        self.effects = effects
        self.states = states
        self.routine = routine
        self.key = routine.key
        self.dialect = dialect
        self.found: list[Diagnostic] = []
        self.imports: list[tuple[str, str, str]] = []
        self.foreign: dict[str, Symbol] = {}
        self.arrays = states.arrays(self.key)
        self.references: dict[int, list[Reference]] = {}
        done = {id(s) for s in copies}
        for reference in facts.references.get(self.key, ()):
            if id(reference.at.statement) not in done:
                self.references.setdefault(id(reference.at.statement), []).append(reference)

    def device_name(self, reference: Reference) -> str:
        """The device array that a reference means; empty if it means none."""
        name = resolve_alias(reference.name, reference.at)[0]
        return name if name is not None and name in self.arrays else ""

    def touch(self, statement: Statement, touched: Touched, conditional: bool = False) -> None:
        """Add what a statement reads and writes; ``conditional`` where it may not be executed."""
        for reference in self.references.get(id(statement), ()):
            if reference.role in ("pointer", "allocate", "inquiry") or not self.facts.live(reference.at, self.key):
                continue
            name = self.device_name(reference) or self._pointed(reference)
            if not name:
                continue
            anew = allocates_below(self.facts, self.effects, reference, self.key)
            if self.states.stays_on_device(reference, self.key):
                touched.followed |= {name} if anew else set()
                continue
            if self._of_unknown_size(name, reference):
                continue
            if isinstance(statement, Call) and getattr(statement.designator, "name", "") == "move_alloc":
                self._refuse(reference, f"'{name}' is on the device, and its memory goes to another array here")
                continue
            reads, writes = self.effects.of(reference, self.key)
            if reads:
                touched.read.add(name)
            data = self.facts.object(name, self.key)
            if anew or (data is not None and allocates(self.facts, reference, data)):
                touched.moved.add(name)
            if writes:
                touched.written.add(name)
                if conditional or not _whole(reference):
                    touched.partly.add(name)
        for data in namelist_members(self.facts, self.key, statement):
            name = next((n for n in self.arrays if self._means(n, data.identity)), "")
            if name and isinstance(statement, InputOutput) and statement.kind == "read":
                touched.written.add(name)
                touched.partly.add(name)
            elif name:
                touched.read.add(name)
        self._through_modules(statement, touched)

    def _refuse(self, reference: Reference, message: str, hint: str = "copy the values instead") -> None:
        place = reference.at.statement.line.place(self.routine.file, reference.node.start, reference.node.end)
        self.found.append(error("HF603", message, place, hint))

    def _of_unknown_size(self, name: str, reference: Reference) -> bool:
        """Tell that a directive cannot update an array whose last extent is ``*``."""
        data = self.facts.object(name, self.key)
        if self.dialect.parts or data is None or not any(d.form == "star" for d in data.symbol.shape):
            return False
        message = f"'{name}' may be on the device here, and directives cannot update it: its last extent is not known"
        self._refuse(reference, message, "declare it with its extents")
        return True

    def _pointed(self, reference: Reference) -> str:
        """The component, as it is written, through which a statement may get at an array on the device."""
        if not reference.component or not self.states.points(self.key):
            return ""
        found = pointer_component(self.facts, reference, self.key)
        if found is None:
            return ""
        expr, symbol = found
        line = reference.at.statement.line
        text = line.text[expr.start : expr.end]
        if indexed(expr) or not self.dialect.components:
            place = line.place(self.routine.file, expr.start, expr.end)
            message = f"'{text}' may point to an array that is on the device, which cannot be updated under this name"
            self.found.append(error("HF603", message, place, "point to it with a pointer variable first"))
            return ""
        self.foreign[text] = symbol
        return text

    def _means(self, name: str, identity: tuple[str, str]) -> bool:
        data = self.facts.object(name, self.key)
        return data is not None and data.identity == identity

    def _through_modules(self, statement: Statement, touched: Touched) -> None:
        """Host routines that are called here and know an array that is on the device without getting it from here."""
        for site in self.facts.graph.sites.get(self.key, ()):
            if site.at.statement is not statement or not site.callee or self._works_on_device(site.callee):
                continue
            reached = self.states.residence.touched(site.callee)
            here: set[tuple[str, str]] = set()
            for name in self.arrays:
                data = self.facts.object(name, self.key)
                stands = marks(self.facts, data) - {TARGETS} if data is not None else set()
                here |= stands
                if data is not None and stands & reached:
                    self._touched_by(site, name, data.identity, touched)
            for home, name in sorted(self._unnamed(reached) - here):
                if home == "common":
                    self._unreachable(site, name)
                else:
                    self._touched_by(site, self._imported(site, home, name), (home, name), touched)

    def _unnamed(self, reached: frozenset[tuple[str, str]]) -> set[tuple[str, str]]:
        """What may be on the device, of what a host routine may name: by its name, or because it points there."""
        found = set((self.states.resident(self.key) & reached) - {TARGETS})
        if self.states.points(self.key):
            homes = ((i, self.facts.application.routines.get(i[0])) for i in reached)
            found |= {i for i, h in homes if h is not None and h.spec.symbols[i[1]].attributes & POINTED}
        return found

    def _touched_by(self, site: CallSite, local: str, identity: tuple[str, str], touched: Touched) -> None:
        touched.read.add(local)
        named = identity in self.effects.mentioned(site.callee)
        if not named or self.states.written_below(identity, site.callee):
            touched.written.add(local)
            touched.partly.add(local)

    def _unreachable(self, site: CallSite, block: str) -> None:
        place = site.at.statement.line.place(self.routine.file, site.node.start, site.node.end)
        what = f"the common block '{block}'" if block else "the blank common block"
        message = f"'{site.name}' uses {what}, of which a caller of '{self.routine.name}' has arrays on the device"
        self.found.append(error("HF603", message, place, f"declare the block in '{self.routine.name}', too"))

    def _imported(self, site: CallSite, home: str, name: str) -> str:
        """The name here of a module's array that only a called routine names."""
        found = self.facts.scopes.variable(name, self.key)
        if found is not None and (found.home, found.symbol.name) == (home, name):
            return name
        owner = self.facts.routine(home)
        symbol = owner.spec.symbols[name]
        hidden = name in owner.spec.private or (owner.spec.default_private and "public" not in symbol.attributes)
        if hidden and self.routine.host != home:
            place = site.at.statement.line.place(self.routine.file, site.node.start, site.node.end)
            message = f"'{site.name}' uses '{name}' of '{owner.name}', which is private and may be on the device here"
            self.found.append(error("HF601", message, place, f"make '{name}' public"))
        local = imported(owner.name, name)
        self.imports.append((owner.name, name, local))
        self.foreign[local] = symbol
        return local

    def _works_on_device(self, callee: str) -> bool:
        position = self.facts.positions.get(callee)
        return bool(position.own or position.below)


def _whole(reference: Reference) -> bool:
    """Whether a reference means all of its array."""
    indices = reference.indices
    return isinstance(reference.node, Name) or (indices is not None and all(is_full_range(i) for i in indices))
