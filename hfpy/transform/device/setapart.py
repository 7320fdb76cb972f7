"""Parts of arrays that the host sets in a statement of which kernels change other parts: ``call s(a(1), a(2:n))``,
where ``s`` sets its first argument on the host, and its second one in a kernel; ``a(1) = f(a(2:n))``.

After such a statement neither the host nor the device has all of the array. What the host has set goes to the device
by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.device.states import States
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.vectorsubscripts import may_be_vector
from hfpy.model.expressions import Apply, Expr, Keyword, Name, Range, names_in, walk
from hfpy.model.statements import Assignment, Statement


class SetApart:
    """Answers for the statements of one routine. ``references`` are those of a statement, ``calls`` its calls, both by
    the identity of the statement; ``means`` gives the array on the device that a reference means.
    """

    def __init__(
        self,
        facts: Facts,
        effects: Effects,
        states: States,
        key: str,
        references: Callable[[Statement], Sequence[Reference]],
        calls: Callable[[Statement], Sequence[CallSite]],
        means: Callable[[Reference], str],
    ) -> None:
        self.facts = facts
        self.effects = effects
        self.states = states
        self.key = key
        self.references = references
        self.calls = calls
        self.means = means

    def among(self, reference: Reference, name: str) -> bool:
        """Whether kernels that the statement of a reference runs may change the array ``name``, too."""
        statement = reference.at.statement
        storage = self.facts.storage
        for other in self.references(statement):
            meant = self.means(other)
            if other is reference or not meant or not self.states.stays_on_device(other, self.key):
                continue
            same = meant == name or storage.shared(meant, name, self.key) or self._copied_along(name, meant)
            if same and self.effects.of(other, self.key)[1]:
                return True
        data = self.facts.object(name, self.key)
        objects = storage.of_identity(data.identity) if data is not None else frozenset()
        for site in self.calls(statement) if objects else ():
            position = self.facts.positions.get(site.callee) if site.callee else None
            if position is None or not (position.own or position.below):
                continue
            views = self.states.residence.seen_from(site)
            if any(v.writes and storage.meet(storage.of_identity(v.stands_for), objects) for v in views):
                return True
        return False

    def _copied_along(self, name: str, other: str) -> bool:
        """Whether a copy of an array whose last extent is ``*`` may take another one with it: it is of all that is on
        the device behind its beginning, such as other parts of one work array.
        """
        found = [self.facts.object(n, self.key) for n in (name, other)]
        data, more = found
        if data is None or more is None or not any(d.form == "star" for d in data.symbol.shape):
            return False
        storage = self.facts.storage
        return storage.meet(storage.of_identity(data.identity), storage.of_identity(more.identity))

    def copied_over(self, reference: Reference, name: str) -> bool:
        """Whether a routine that the statement calls sets an element for a scalar, while one of these copies what is
        behind the beginning of an array ``x(*)`` to the host, of which the element may be a part: the copy has the old
        value. An assignment sets what it sets after the call.
        """
        data = self.facts.object(name, self.key)
        if reference.role != "argument" or data is None:
            return False
        objects = self.facts.storage.of_identity(data.identity)
        pending = {s.callee for s in self.calls(reference.at.statement) if s.callee}
        seen = set(pending)
        while pending:
            key = pending.pop()
            if any(self._copied(dummy, key, objects) for dummy in self._open_ended(key)):
                return True
            new = {s.callee for s in self.facts.graph.below(key) if s.callee} - seen
            seen |= new
            pending |= new
        return False

    def _open_ended(self, key: str) -> list[DataObject]:
        """The arrays of a routine whose last extent is ``*``."""
        routine = self.facts.application.routines.get(key)
        found = (self.facts.object(name, key) for name in routine.dummies) if routine is not None else ()
        return [d for d in found if d is not None and any(dim.form == "star" for dim in d.symbol.shape)]

    def _copied(self, dummy: DataObject, key: str, objects: frozenset[Identity]) -> bool:
        """Whether the host reads or sets an array, which may have memory in common with some objects, by itself."""
        storage = self.facts.storage
        if not storage.meet(storage.of_identity(dummy.identity), objects):
            return False
        named = (r for r in self.facts.references[key] if r.name == dummy.name and r.role not in ("inquiry", "pointer"))
        return any(not self.states.stays_on_device(r, key) and self.states.dummy(r, key) is None for r in named)

    def part(self, reference: Reference) -> Expr | None:
        """What the host sets, as the statement has it, where that means the same after the statement; None otherwise,
        and for whole arrays.
        """
        given = self._given(reference)
        if given is None or (isinstance(given, Name) and self._is_array(given.name)):
            return None
        at = reference.at
        indices = [i for node in walk(given) if isinstance(node, Apply) for i in node.args]
        if any(may_be_vector(i, at, self.key, self.facts) for i in indices):
            return None  # such a part is a temporary of the compiler
        return None if self._moves(given, reference) else given

    def _given(self, reference: Reference) -> Expr | None:
        """The argument that a reference is in, or the variable that is assigned."""
        statement = reference.at.statement
        if reference.role == "argument":
            dummy = self.states.dummy(reference, self.key)
            if dummy is None or dummy.rank:
                return None  # an element may be the beginning of an array there
            site = self.effects.site(reference, self.key)
            around = [a.value if isinstance(a, Keyword) else a for a in site.args] if site is not None else []
        elif isinstance(statement, Assignment) and reference.role == "write":
            around = [statement.target]
        else:
            around = []
        node = reference.node
        return next((a for a in around if a.start <= node.start and node.end <= a.end), None)

    def _is_array(self, name: str) -> bool:
        data = self.facts.object(name, self.key)
        return data is not None and bool(data.rank)

    def _moves(self, given: Expr, reference: Reference) -> bool:
        """Whether the indices of a designator may have other values after the statement, or call something."""
        statement = reference.at.statement
        called = [s for s in self.calls(statement) if s.node is not given]
        if any(given.start <= s.node.start and s.node.end <= given.end for s in called):
            return True
        named = names_in(given) - {reference.name}
        for other in self.references(statement):
            if other.name in named and self.effects.of(other, self.key)[1]:
                return True
        changed = frozenset().union(*(self.effects.changed_memory(s.callee) for s in called if s.callee))
        for name in named if changed else ():
            data = self.facts.object(name, self.key)
            if data is not None and (data.identity in changed or self.facts.storage.joint(data.identity) in changed):
                return True
        return False


def is_element(part: Expr, rank: int) -> bool:
    """Whether a part is one element of an array that is named without a component."""
    if not isinstance(part, Apply) or not isinstance(part.base, Name) or len(part.args) != rank:
        return False
    return not any(isinstance(index, Range) for index in part.args)
