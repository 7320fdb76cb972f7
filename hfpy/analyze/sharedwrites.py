"""Writes of a region into shared arrays: elements that several points write, and values that go between points."""

from __future__ import annotations

from hfpy.analyze.accesses import is_macro_call
from hfpy.analyze.bodies import RegionBody, words
from hfpy.analyze.dependences import Access, conflict, scattered
from hfpy.analyze.domains import DataObject
from hfpy.analyze.facts import resolve_alias
from hfpy.analyze.uses import Reference
from hfpy.diagnostics import Diagnostic, Related, error, warning
from hfpy.model.expressions import Name, walk


class SharedWrites:
    """Checks the shared arrays of one region; what is wrong is added to ``found``."""

    def __init__(self, body: RegionBody, found: list[Diagnostic]) -> None:
        self.body = body
        self.found = found

    def check(self, name: str, data: DataObject) -> None:
        """Elements that every point writes (HF504), then dependences between points (HF500)."""
        own = self.body.references_of(name)
        self._check_writes(name, data, own)
        self._check_dependences(name, own)

    def check_elements(self, name: str, data: DataObject) -> None:
        """The first check alone, for arrays that no iterator indexes."""
        self._check_writes(name, data, self.body.references_of(name))

    def _check_writes(self, name: str, data: DataObject, own: list[Reference]) -> None:
        """Writes that do not depend on every iterator: several points write one element (real-code.md §1, finding
        5).
        """
        iterators = set(self.body.long_iterators())
        for reference in own:
            _, writes = self.body.effects.of(reference, self.body.key)
            if not writes or (reference.component and not reference.indices):
                continue
            missing = iterators - self.body.iterators_in(reference, data)
            if not missing or is_macro_call(reference.indices, self.body.macros):
                continue
            if reference.role == "argument" and not self._argument_writes_all(reference):
                continue
            if self._guarded(reference, missing) or self._same_value(reference, missing):
                continue
            shown = ", ".join(sorted(missing))
            message = f"'{name}' is written by every point in {shown}: the index does not contain {shown}"
            hint = "index it with every iterator, make it a reduction, or make it local to the routine"
            self.found.append(error("HF504", message, self.body.place(reference), hint))
            return

    def _check_dependences(self, name: str, own: list[Reference]) -> None:
        """Loop-carried dependences of one shared array, and scatters through an index array (warnings)."""
        accesses = []
        for reference in own:
            made = self.body.facts.plan_of(reference, self.body.key)
            items = made.items if made is not None and made.items is not None else reference.indices
            if items is None or reference.component or is_macro_call(reference.indices, self.body.macros):
                continue
            accesses.append(Access(reference, items, self.body.effects.of(reference, self.body.key)[1]))
        iterators = self.body.region.iterators
        varying = frozenset(self.body.flow().written) - set(iterators)
        for access in accesses:
            if access.writes and scattered(access.items, iterators):
                message = f"'{name}' is written through an index array: two points may write one element"
                hint = "hfpy cannot check this; make sure that the indices are all different"
                self.found.append(warning("HF500", message, self.body.place(access.reference), hint))
                return
        met = conflict(accesses, iterators, varying)
        if met is not None:
            message = f"a point writes '{name}' where a neighbour in '{met.iterator}' uses it"
            related = [Related(self.body.place(met.other), "the neighbour's use")]
            hint = "write into another array, unless a mask keeps the points apart"
            self.found.append(warning("HF500", message, self.body.place(met.write), hint, related))

    def _argument_writes_all(self, reference: Reference) -> bool:
        return reference.indices is not None

    def _guarded(self, reference: Reference, missing: set[str]) -> bool:
        """Whether an ``if`` on each missing iterator picks one point (``if (x == 1) …``)."""
        names: set[str] = set()
        for construct in reference.at.constructs:
            if construct.kind == "if":
                for expr in getattr(construct.header, "exprs", ()):
                    names |= {n.name for n in walk(expr) if isinstance(n, Name)}
        line = reference.at.statement.line.text
        return missing <= names or (line.lower().lstrip().startswith("if") and all(m in words(line) for m in missing))

    def _same_value(self, reference: Reference, missing: set[str]) -> bool:
        """Whether every point writes the same value: the right-hand side depends on none of the missing iterators."""
        value = getattr(reference.at.statement, "value", None)
        if value is None:
            return False
        for other in self.body.references:
            if other.at is reference.at and other.role != "write":
                name, _ = resolve_alias(other.name, other.at)
                data = self.body.facts.object(name, self.body.key) if name else None
                if name in missing or name == reference.name:
                    return False
                if data is not None and self.body.iterators_in(other, data) & missing:
                    return False
                if (
                    data is not None
                    and not data.rank
                    and any(o.name == name and self.body.effects.of(o, self.body.key)[1] for o in self.body.references)
                ):
                    return False
        return True
