"""What statements do with arrays that become one (:mod:`hfpy.transform.scripts.interleaving`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hfpy.analyze.callgraph.graph import CallSite
from hfpy.analyze.calls import dummies_met, passed
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.typed import Types
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.pointers import seen_otherwise
from hfpy.model.expressions import Apply, Expr, Keyword, Name, Range, base_name
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Assignment, Call, DirectiveLine, Header, Memory, Opaque
from hfpy.parse.text.physical import names_in_rows
from hfpy.transform.scripts.joined import Joined
from hfpy.transform.scripts.legality import Against
from hfpy.transform.text.edits import Edit, insert, replace_range

_ANY_PART = frozenset({"size", "shape", "kind", "huge", "tiny", "epsilon", "storage_size"})
_SETS_ELEMENTS = frozenset({"random_number"})  # subroutines that take any part of an array


class Uses:
    """The edits of all executable parts."""

    def __init__(self, joined: Joined) -> None:
        self.joined = joined
        self.facts = joined.facts
        self.changes: dict[str, list[Edit]] = {}

    def edits(self) -> dict[str, list[Edit]]:
        """Edits of files, by path. Raises Against."""
        for key in self.facts.references:
            mine = self.changes.setdefault(self.facts.routine(key).file, [])
            for at in self.facts.graph.statements[key]:
                mine += self._statement(at, key)
            for site in (*self.facts.graph.sites[key], *self.facts.graph.indirect[key]):
                mine += self._call(site, key)
            for reference in self.facts.references[key]:
                if self.joined.seen(reference.name, key) is not None and self.facts.live(reference.at, key):
                    mine += self._reference(reference, key)
        return {path: edits for path, edits in self.changes.items() if edits}

    def _against(self, name: str, reason: str, at: Located, key: str, node: Expr | None = None) -> Against:
        line, file = at.statement.line, self.facts.routine(key).file
        place = line.place(file, node.start, node.end) if node is not None else line.place(file)
        return self.joined.against(name, reason, place)

    # -- statements

    def _statement(self, at: Located, key: str) -> Iterator[Edit]:
        statement = at.statement
        for name in sorted(statement.names) if isinstance(statement, Opaque) else ():
            if self.joined.seen(name, key) is not None:
                raise self._against(name, "a statement that hfpy cannot parse names it", at, key)
        for name in sorted(self._directed(at, key)):
            if self.joined.seen(name, key) is not None:
                raise self._against(name, "a directive names it", at, key)
        for data, reason in seen_otherwise(self.facts, at, key):
            if self.joined.member(data) is not None:
                raise self._against(data.name, reason, at, key)
        if isinstance(statement, Memory):
            yield from self._memory(statement, at, key)

    def _directed(self, at: Located, key: str) -> frozenset[str]:
        """The names in a directive: in one of a region, those that mean more than a word to scripts."""
        if not isinstance(at.statement, DirectiveLine):
            return frozenset()
        line = at.statement.line
        for construct in self.facts.routine(key).regions:
            region = construct.region
            if construct.header.line is line and region is not None:
                reduced = frozenset(reduction.name for reduction in region.reductions)
                return reduced.union(region.private, region.independent, region.distinct, region.local)
        return names_in_rows([line.text])

    def _memory(self, statement: Memory, at: Located, key: str) -> Iterator[Edit]:
        """An ``allocate`` or ``deallocate``, which has to name all of a group."""
        found: dict[int, dict[int, Expr]] = {}
        for item in statement.items:
            name = base_name(item) if isinstance(item, (Apply, Name)) else None
            member = self.joined.seen(name, key) if name else None
            if member is not None:
                found.setdefault(member[0], {})[member[1]] = item
        line = statement.line
        for group, items in found.items():
            first = min(items.values(), key=lambda item: item.start)
            name = base_name(first)
            assert name is not None
            shapes = {self._indices(item, line.text) for item in items.values()}
            options = {o.name for o in statement.options if isinstance(o, Keyword)}
            if len(items) < len(self.joined.groups[group]) or len(shapes) > 1 or options & {"source", "mold"}:
                raise self._against(name, "it is not allocated together with the others, in one shape", at, key, first)
            shape = shapes.pop()
            count = f"({len(items)},{shape})" if shape else ""
            yield replace_range(line, first.start, first.end, f"{self.joined.whole(name, key)}{count}")
            yield from _without(line, statement.items, [i for i in items.values() if i is not first])

    @staticmethod
    def _indices(item: Expr, text: str) -> str:
        return text[item.args[0].start : item.args[-1].end] if isinstance(item, Apply) and item.args else ""

    # -- calls

    def _call(self, site: CallSite, key: str) -> Iterator[Edit]:
        """A call that passes groups on to dummy arguments that are groups."""
        if not site.callee:
            return
        values = dict(passed(self.facts, site))
        groups: dict[int, dict[int, tuple[str, Expr]]] = {}
        for dummy, value in values.items():
            member = self.joined.seen(dummy, site.callee)
            if member is None:
                continue
            given = self.joined.seen(value.name, key) if isinstance(value, Name) else None
            if given != member or site.chosen:
                raise self._against(dummy, f"'{site.name}' gets something else, or is chosen by the run", site.at, key)
            groups.setdefault(member[0], {})[member[1]] = dummy, value
        line = site.at.statement.line
        for group, given_ones in groups.items():
            dummy, value = given_ones[min(given_ones)]
            if len(given_ones) < len(self.joined.groups[group]):
                raise self._against(dummy, f"'{site.name}' gets it without the others", site.at, key, value)
            args = {id(arg.value if isinstance(arg, Keyword) else arg): arg for arg in site.args}
            ordered = sorted((args[id(v)] for _, v in given_ones.values()), key=lambda arg: arg.start)
            assert isinstance(value, Name)
            text = self.joined.whole(value.name, key)
            if isinstance(ordered[0], Keyword):
                text = f"{self.joined.whole(dummy, site.callee)}={text}"
            yield replace_range(line, ordered[0].start, ordered[0].end, text)
            yield from _without(line, site.args, ordered[1:])

    # -- references

    def _reference(self, reference: Reference, key: str) -> Iterator[Edit]:
        """A name with or without indices as a part of the array."""
        data = self.facts.object(reference.name, key)
        assert data is not None
        made, node = self.facts.plan_of(reference, key), reference.node
        reason, whole = "", False
        if reference.role == "allocate":
            return
        given = reference.indices
        if (made is not None and (made.changed or made.final)) or (given is not None and len(given) != data.rank):
            reason = "its indices are not those of its dimensions"
        elif reference.at.statement.line.file:
            reason = "an included line names it"
        elif reference.role == "pointer" or reference.at.renamed or self._named(reference):
            reason = "it gets another name"
        elif reference.role == "inquiry":
            name = base_name(reference.call) if isinstance(reference.call, Apply) else ""
            whole = name == "allocated"
            reason = "" if whole or name in _ANY_PART else f"'{name}' asks about more than its elements"
        elif reference.role == "argument":
            if self._with_its_group(reference, key):
                return
            reason = self._argument(reference, key)
        elif reference.role == "write" and data.symbol.dynamic and reference.indices is None:
            reason = self._reallocated(reference, key)
        if reason:
            raise self._against(reference.name, reason, reference.at, key, node)
        yield from self._part(reference, key, whole)

    def _part(self, reference: Reference, key: str, whole: bool) -> Iterator[Edit]:
        node, line = reference.node, reference.at.statement.line
        name, member = self.joined.whole(reference.name, key), self.joined.seen(reference.name, key)
        assert member is not None
        if isinstance(node, Apply):
            yield replace_range(line, node.base.start, node.base.end, name)
            yield insert(line, node.args[0].start, f"{member[1] + 1},")
        else:
            data = self.facts.object(reference.name, key)
            assert data is not None
            part = "" if whole else f"({','.join([str(member[1] + 1), *[':'] * data.rank])})"
            yield replace_range(line, node.start, node.end, f"{name}{part}")

    @staticmethod
    def _named(reference: Reference) -> bool:
        statement = reference.at.statement
        if not isinstance(statement, Header) or statement.kind not in ("associate", "selecttype"):
            return False
        return any(e.start <= reference.node.start and reference.node.end <= e.end for e in statement.exprs)

    def _with_its_group(self, reference: Reference, key: str) -> bool:
        """Whether an argument is the whole array for a dummy that is in the same group."""
        if reference.indices is not None:
            return False
        return any(self.joined.member(dummy) is not None for _, dummy in dummies_met(self.facts, key, reference))

    def _argument(self, reference: Reference, key: str) -> str:
        """Why an argument cannot be a part of an array that is not contiguous; empty if it can."""
        call = reference.call
        name = base_name(call) if call is not None else ""
        if name and self.facts.scopes.is_intrinsic(name, key):
            statement = reference.at.statement
            called = isinstance(statement, Call) and statement.designator is call
            return "" if not called or name in _SETS_ELEMENTS else f"it goes to '{name}'"
        met = dummies_met(self.facts, key, reference)
        if met and all(dummy is not None and not dummy.rank for _, dummy in met):
            elements = reference.indices is not None and not any(isinstance(i, Range) for i in reference.indices)
            return "" if elements else f"'{name}' takes it element by element"
        return f"it goes to '{name or 'a procedure'}'"

    def _reallocated(self, reference: Reference, key: str) -> str:
        statement = reference.at.statement
        if isinstance(statement, Assignment) and statement.target is reference.node:
            found = Types(self.joined.work.application, self.facts.scopes).expression(statement.value, key)
            if found is None or found.rank:
                return "an assignment may allocate it"
        return ""


def _without(line: LogicalLine, items: Sequence[Expr], gone: Sequence[Expr]) -> Iterator[Edit]:
    """Items of a list, none of which is its first one, taken out with the commas before them."""
    for item in gone:
        before = max((i for i in items if i.end <= item.start), key=lambda i: i.end)
        yield replace_range(line, before.end, item.end, "")
