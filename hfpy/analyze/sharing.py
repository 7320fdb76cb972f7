"""Who owns what in a parallel region: shared, private, firstprivate, lastprivate, reduction.

Every symbol of a region is placed (``default(none)``). What cannot be placed so that the result equals the
sequential meaning is an error or a warning with the references that show it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hfpy.analyze.accesses import is_macro_call, parallel_positions
from hfpy.analyze.context import Located, regions_of
from hfpy.analyze.dependences import Access, conflict, scattered
from hfpy.analyze.domains import DataObject
from hfpy.analyze.effects import Effects
from hfpy.analyze.facts import Facts, resolve_alias
from hfpy.analyze.flow import Flow, FlowScan, is_whole
from hfpy.analyze.positions import RegionId
from hfpy.analyze.uses import Reference
from hfpy.diagnostics import Diagnostic, Place, Related, error, warning
from hfpy.model.directives import Region
from hfpy.model.expressions import Apply, Expr, Name, names_in, walk
from hfpy.model.statements import Construct, Header
from hfpy.model.units import Routine
from hfpy.parse.macros import expand
from hfpy.parse.nests import innermost_body


@dataclass
class Sharing:
    """Placement of every name in one region; ``complete`` tells that no name is unknown."""

    shared: list[str] = field(default_factory=list)
    private: list[str] = field(default_factory=list)
    firstprivate: list[str] = field(default_factory=list)
    lastprivate: list[str] = field(default_factory=list)
    heap: list[str] = field(default_factory=list)
    complete: bool = True
    found: list[Diagnostic] = field(default_factory=list)


class RoutineSharing:
    """The regions of one routine; data flow of a region is scanned once, as other regions ask for it too."""

    def __init__(self, facts: Facts, effects: Effects, routine: Routine) -> None:
        self.facts = facts
        self.effects = effects
        self.routine = routine
        self.constructs = regions_of(routine)
        self.by_name: dict[str, list[Reference]] = {}
        for reference in facts.references[routine.key]:
            self.by_name.setdefault(reference.name, []).append(reference)
        self._regions: dict[int, RegionSharing] = {}

    def region(self, number: int) -> RegionSharing:
        """The analysis of the region with that number."""
        if number not in self._regions:
            self._regions[number] = RegionSharing(self, number)
        return self._regions[number]


class RegionSharing:
    """Places the symbols of one active region."""

    def __init__(self, owner: RoutineSharing, number: int) -> None:
        facts, routine = owner.facts, owner.routine
        self.owner = owner
        self.facts = facts
        self.effects = owner.effects
        self.routine = routine
        self.key = routine.key
        self.construct: Construct = owner.constructs[number]
        region = self.construct.region
        assert region is not None
        self.region: Region = region
        self.identity = RegionId(routine.key, number)
        self.inside = [
            at for at in facts.graph.statements[self.key] if number in at.regions and facts.live(at, self.key)
        ]
        ids = {id(at.statement) for at in self.inside}
        self.references = [
            r for r in facts.references[self.key] if id(r.at.statement) in ids and number in r.at.regions
        ]
        self.result = Sharing()
        self._scanned: Flow | None = None
        self.body_names: frozenset[str] = frozenset()

    def place(self) -> Sharing:
        """Classify every name."""
        flow = self.flow()
        names = self._names()
        iterators = set(self.region.iterators)
        reductions = {r.name for r in self.region.reductions}
        for name in sorted(names):
            if name in iterators or name in reductions:
                continue
            found = self.facts.scopes.variable(name, self.key)
            if found is None:
                self._unknown(name)
                continue
            if found.symbol.constant:
                continue
            data = self.facts.object(name, self.key)
            assert data is not None
            if data.rank or found.symbol.type.base in ("type", "class"):
                self._array(name, data, flow)
            else:
                self._scalar(name, data, flow)
        self._check_reductions(flow)
        return self.result

    # -- names

    def _names(self) -> set[str]:
        """Every variable name that the region's code mentions, names in macros and bounds included."""
        macros = self.facts.application.macros
        names: set[str] = set()
        for reference in self.references:
            if reference.at.own_loop:
                continue  # the bounds are among the region's
            name, _ = resolve_alias(reference.name, reference.at)
            if name is not None:
                names.add(name)
            elif not self._declared_inside(reference):
                names.add(reference.name)
            names |= self._alias_names(reference)
        for at in self.inside:
            for expr in _macro_calls(at, macros):
                names |= _words(expand(expr, macros))
        for reference in list(self.references):
            if reference.name.upper() in macros or reference.name in macros:
                names |= _words(expand(_spelling(reference), macros))
        names |= self._statement_function_names(names)
        self.body_names = frozenset(names)
        for text in (*self.region.starts, *self.region.ends, *self.region.strides):
            names |= _words(expand(text, macros))
        return {n for n in names if n not in _lowered(macros)}

    def _declared_inside(self, reference: Reference) -> bool:
        from hfpy.analyze.uses import aliases_of

        return reference.name in aliases_of(reference.at)

    def _alias_names(self, reference: Reference) -> set[str]:
        from hfpy.analyze.uses import aliases_of

        selector = aliases_of(reference.at).get(reference.name)
        return names_in(selector) if selector is not None else set()

    def _statement_function_names(self, names: set[str]) -> set[str]:
        more: set[str] = set()
        for name, dummies, value, _ in self.routine.spec.statement_functions:
            if name in names or any(
                name in names_in(v) for n, _, v, _ in self.routine.spec.statement_functions if n in names
            ):
                more |= {n for n in names_in(value) if n not in dummies}
        return more

    def _unknown(self, name: str) -> None:
        scopes = self.facts.scopes
        if scopes.procedures(name, self.key) or scopes.statement_function(name, self.key):
            return
        called = any(r.name == name and isinstance(r.node, Apply) for r in self.references)
        if scopes.is_intrinsic(name, self.key) and called:
            return
        self.result.complete = False

    # -- flow

    def flow(self) -> Flow:
        """What the region's body reads and writes, in which order."""
        if self._scanned is None:
            self._scanned = self._scan()
        return self._scanned

    def _scan(self) -> Flow:
        effects: dict[int, list[tuple[Reference, bool, bool, bool]]] = {}
        for reference in self.references:
            name, _ = resolve_alias(reference.name, reference.at)
            if name is None:
                continue
            reads, writes = self.effects.of(reference, self.key)
            entry = (reference, reads, writes, is_whole(reference))
            effects.setdefault(id(reference.at.statement), []).append(entry)
        for listed in effects.values():
            listed.sort(key=lambda e: e[2])
        return FlowScan(effects).scan(innermost_body(self.construct, self.region))

    # -- scalars

    def _scalar(self, name: str, data: DataObject, flow: Flow) -> None:
        if name not in flow.written:
            self.result.shared.append(name)
            return
        write = flow.written[name]
        live_out = self._live_out(name, data)
        if data.home != self.key and (name in flow.exposed or self._seen_below(data)):
            self._module_write(name, write)
            self.result.shared.append(name)
            return
        if name in flow.exposed and name in flow.certain | flow.written.keys():
            carried = self._carried(name, flow.exposed[name], write)
            if live_out and carried:
                self._live_error(name, write)
                return
            self.result.firstprivate.append(name)
            return
        if not live_out:
            self.result.private.append(name)
        elif name in flow.certain:
            self.result.lastprivate.append(name)
        else:
            self._live_error(name, write)

    def _carried(self, name: str, read: Reference, write: Reference) -> bool:
        """A scalar read before it is certainly set, and set later: a value may go from one point to the next."""
        message = f"'{name}' is read before it is set in the region, so one point may see the value of another"
        related = [Related(self._place(write), "it is set here")]
        hint = "set it first, or use reduction(…) if it collects a result"
        self.result.found.append(warning("HF500", message, self._place(read), hint, related))
        return True

    def _live_error(self, name: str, write: Reference) -> None:
        after = self._read_after(name)
        related = [Related(self._place(after), "it is read here")] if after is not None else []
        hint = f"use reduction(op:{name}), or set it for every point"
        message = f"'{name}' is set in the region and used after it, but which point sets it last is not defined"
        self.result.found.append(error("HF502", message, self._place(write), hint, related))

    def _live_out(self, name: str, data: DataObject) -> bool:
        symbol = data.symbol
        if data.home != self.key:
            return True
        if (data.dummy and symbol.intent != "in") or (name == self.routine.result and self.routine.kind == "function"):
            return True
        if self.routine.kind != "program" and (name in self.routine.spec.saved or "save" in symbol.attributes):
            return True
        return self._read_after(name) is not None or self._in_outer_loop(name)

    def _read_after(self, name: str) -> Reference | None:
        """A reference behind the region that may read the value set in it."""
        last = self.construct.end.line.first if self.construct.end is not None else -1
        first_after: Reference | None = None
        for reference in self.owner.by_name.get(name, ()):
            if reference.at.statement.line.first <= last:
                continue
            if self.identity.number in reference.at.regions:
                continue
            reads, writes = self.effects.of(reference, self.key)
            straight = not any(c.kind not in ("region",) for c in reference.at.constructs)
            if reads and not self._set_first(name, reference):
                return reference
            if writes and is_whole(reference) and straight and first_after is None:
                return None
        return None

    def _set_first(self, name: str, reference: Reference) -> bool:
        """Whether the region around a later reference sets the name before it reads it (a private of that region)."""
        identity = self.facts.positions.active(self.key, reference.at)
        if identity is None:
            return False
        return name not in self.owner.region(identity.number).flow().exposed

    def _in_outer_loop(self, name: str) -> bool:
        """Whether a loop around the region reads the name before the region sets it again."""
        loops = [
            c
            for at in self.inside[:1]
            for c in at.constructs
            if c.kind in ("do", "dowhile") and c.header.line.first < self.region.line.first
        ]
        if not loops:
            return False
        start = loops[0].header.line.first
        for reference in self.owner.by_name.get(name, ()):
            line = reference.at.statement.line.first
            if start <= line < self.region.line.first:
                reads, writes = self.effects.of(reference, self.key)
                if reads:
                    return not self._set_first(name, reference)
                if writes and is_whole(reference):
                    return False
        return False

    def _seen_below(self, data: DataObject) -> bool:
        """Whether a routine called in the region knows the variable, so that a copy for each thread would not do."""
        calls = (s for s in self.facts.graph.sites[self.key] if self.identity.number in s.at.regions and s.callee)
        return any(data.identity in self.effects.mentioned(s.callee) for s in calls)

    def _module_write(self, name: str, write: Reference) -> None:
        message = f"module variable '{name}' is written in a region: all threads share it"
        hint = "make it a local, or list it in @domainDependant so that every point has its own"
        self.result.found.append(warning("HF501", message, self._place(write), hint))

    # -- arrays and objects of derived type

    def _array(self, name: str, data: DataObject, flow: Flow) -> None:
        if name not in flow.written:
            self.result.shared.append(name)
            return
        own = [r for r in self.references if resolve_alias(r.name, r.at)[0] == name]
        parallel = parallel_positions(data, self.region)
        indexed = [r for r in own if self._iterators_in(r, data)]
        if parallel or indexed or not data.local:
            self.result.shared.append(name)
            self._check_writes(name, data, own)
            self._check_dependences(name, own, flow)
            return
        if self._live_out(name, data) and self._read_after(name) is not None:
            self.result.shared.append(name)
            self._check_writes(name, data, own)
            return
        outside = any(
            self.identity.number not in r.at.regions and self.effects.of(r, self.key)[1]
            for r in self.owner.by_name.get(name, ())
        )
        if outside or data.symbol.attributes & {"initialised"}:
            if name in flow.exposed:
                self._carried(name, flow.exposed[name], flow.written[name])
            self.result.firstprivate.append(name)
        elif self._large(data):
            self.result.heap.append(name)
        else:
            self.result.private.append(name)

    def _iterators_in(self, reference: Reference, data: DataObject) -> set[str]:
        """The region's iterators on which a reference's place in the array depends."""
        made = self.facts.plan_of(reference, self.key)
        found: set[str] = set()
        items = made.items if made is not None and made.items is not None else reference.indices or ()
        for item in items:
            if isinstance(item, str):
                found |= {item} & set(self.region.iterators)
            else:
                found |= self._reached(item)
        return found

    def _reached(self, index: Expr) -> set[str]:
        names = names_in(index)
        direct = names & set(self.region.iterators)
        if direct:
            return direct
        # An index that is a scalar of this region may have been made from the iterators: follow one assignment, and a
        # loop over the block that begins at an iterator with a stride.
        blocks = {i for i, s in zip(self.region.iterators, self.region.strides, strict=False) if s.strip() != "1"}
        for name in names:
            for at in self.inside:
                statement = at.statement
                if isinstance(statement, Header) and statement.kind == "do" and statement.var == name:
                    direct |= names_in(statement.exprs[0]) & blocks if statement.exprs else set()
                target = getattr(statement, "target", None)
                if isinstance(target, Name) and target.name == name:
                    direct |= names_in(statement.value) & set(self.region.iterators)  # type: ignore[attr-defined]
        return direct

    def _check_writes(self, name: str, data: DataObject, own: list[Reference]) -> None:
        """Writes that do not depend on every iterator: several points write one element (real-code.md §1, finding
        5).
        """
        iterators = set(self._long_iterators())
        for reference in own:
            _, writes = self.effects.of(reference, self.key)
            if not writes or (reference.component and not reference.indices):
                continue
            missing = iterators - self._iterators_in(reference, data)
            if not missing or is_macro_call(reference.indices, self.facts.application.macros):
                continue
            if reference.role == "argument" and not self._argument_writes_all(reference):
                continue
            if self._guarded(reference, missing) or self._same_value(reference, missing):
                continue
            shown = ", ".join(sorted(missing))
            message = f"'{name}' is written by every point in {shown}: the index does not contain {shown}"
            hint = "index it with every iterator, make it a reduction, or make it local to the routine"
            self.result.found.append(error("HF504", message, self._place(reference), hint))
            return

    def _check_dependences(self, name: str, own: list[Reference], flow: Flow) -> None:
        """Loop-carried dependences of one shared array, and scatters through an index array (warnings)."""
        accesses = []
        for reference in own:
            made = self.facts.plan_of(reference, self.key)
            items = made.items if made is not None and made.items is not None else reference.indices
            if items is None or reference.component or is_macro_call(reference.indices, self.facts.application.macros):
                continue
            accesses.append(Access(reference, items, self.effects.of(reference, self.key)[1]))
        iterators = self.region.iterators
        varying = frozenset(flow.written) - set(iterators)
        for access in accesses:
            if access.writes and scattered(access.items, iterators):
                message = f"'{name}' is written through an index array: two points may write one element"
                hint = "hfpy cannot check this; make sure that the indices are all different"
                self.result.found.append(warning("HF500", message, self._place(access.reference), hint))
                return
        met = conflict(accesses, iterators, varying)
        if met is not None:
            message = f"a point writes '{name}' where a neighbour in '{met.iterator}' uses it"
            related = [Related(self._place(met.other), "the neighbour's use")]
            hint = "write into another array, unless a mask keeps the points apart"
            self.result.found.append(warning("HF500", message, self._place(met.write), hint, related))

    def _argument_writes_all(self, reference: Reference) -> bool:
        return reference.indices is not None

    def _long_iterators(self) -> list[str]:
        region = self.region
        return [
            i
            for i, low, high in zip(region.iterators, region.starts, region.ends, strict=True)
            if low.strip() != high.strip()
        ]

    def _guarded(self, reference: Reference, missing: set[str]) -> bool:
        """Whether an ``if`` on each missing iterator picks one point (``if (x == 1) …``)."""
        names: set[str] = set()
        for construct in reference.at.constructs:
            if construct.kind == "if":
                for expr in getattr(construct.header, "exprs", ()):
                    names |= {n.name for n in walk(expr) if isinstance(n, Name)}
        line = reference.at.statement.line.text
        return missing <= names or (line.lower().lstrip().startswith("if") and all(m in _words(line) for m in missing))

    def _same_value(self, reference: Reference, missing: set[str]) -> bool:
        """Whether every point writes the same value: the right-hand side depends on none of the missing iterators."""
        value = getattr(reference.at.statement, "value", None)
        if value is None:
            return False
        for other in self.references:
            if other.at is reference.at and other.role != "write":
                name, _ = resolve_alias(other.name, other.at)
                data = self.facts.object(name, self.key) if name else None
                if name in missing or name == reference.name:
                    return False
                if data is not None and self._iterators_in(other, data) & missing:
                    return False
                if (
                    data is not None
                    and not data.rank
                    and any(o.name == name and self.effects.of(o, self.key)[1] for o in self.references)
                ):
                    return False
        return True

    def _large(self, data: DataObject) -> bool:
        """Whether a private copy belongs on the heap: two or more run-time extents, or more than 32 KiB."""
        total = 8
        unknown = 0
        for dimension in data.used:
            text = expand(dimension.size, self.facts.application.macros).strip()
            low, _, high = text.rpartition(":")
            if high.strip().isdigit() and (not low or low.strip().lstrip("-").isdigit()):
                total *= int(high) - (int(low) if low else 1) + 1
            else:
                unknown += 1
        if data.symbol.dynamic or data.symbol.type.base in ("type", "class", "character"):
            return False
        return unknown > 1 or total > 32 * 1024

    # -- reductions

    def _check_reductions(self, flow: Flow) -> None:
        for reduction in self.region.reductions:
            found = self.facts.scopes.variable(reduction.name, self.key)
            if found is None:
                hint = "declare it in the routine"
                message = f"reduction variable '{reduction.name}' is not declared"
                self.result.found.append(error("HF300", message, self.region.place, hint))

    def _place(self, reference: Reference) -> Place:
        node = reference.node
        return reference.at.statement.line.place(self.routine.file, node.start, node.end)


def _words(text: str) -> set[str]:
    import re

    return {w.lower() for w in re.findall(r"(?<![\w.%])[A-Za-z_]\w*", text)}


def _lowered(macros: object) -> set[str]:
    return {m.lower() for m in macros}  # type: ignore[attr-defined]


def _spelling(reference: Reference) -> str:
    node = reference.node
    start = node.base.start if isinstance(node, Apply) else node.start
    end = node.base.end if isinstance(node, Apply) else node.end
    return reference.at.statement.line.text[start:end]


def _macro_calls(at: Located, macros: object) -> list[str]:
    """Texts of function-like macro calls in a statement (names behind them must be placed too)."""
    from hfpy.model.statements import expressions

    texts = []
    lowered = _lowered(macros)
    for expr in expressions(at.statement):
        for node in walk(expr):
            if isinstance(node, Apply) and isinstance(node.base, Name) and node.base.name in lowered:
                texts.append(at.statement.line.text[node.start : node.end])
    return texts
