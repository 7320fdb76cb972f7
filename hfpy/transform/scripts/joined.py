"""Arrays that become one (:mod:`hfpy.transform.scripts.interleaving`): their views, and how these are declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.arrays.orders import IDENTITY, Node
from hfpy.analyze.facts import Facts, views_by_class
from hfpy.analyze.order.fixedorders import declared_orders, fixed_orders
from hfpy.analyze.order.unsplit import in_declarations, kept_whole
from hfpy.diagnostics import Place
from hfpy.model.extents import shape_text
from hfpy.model.source import LogicalLine
from hfpy.model.units import Routine, Symbol, Use
from hfpy.parse.expressions.fragments import listed_names, same_text
from hfpy.parse.text.physical import names_in_rows, physical
from hfpy.transform.scripts.layouts import users_place
from hfpy.transform.scripts.legality import Against
from hfpy.transform.scripts.work import Work
from hfpy.transform.stencil.removal import removable, removals
from hfpy.transform.text.edits import Edit, insert_lines, replace_range

Group = tuple[Node, ...]  # arrays that become one, by home and name

TOGETHER = "the arrays are declared, allocated and passed together, of one type and shape, and hfpy sees all their uses"
_PLAIN = frozenset({"allocatable", "dimension", "save", "public", "private"})


@dataclass
class Joined:
    """Groups of arrays in a program all of which was read: their views, and the arrays that they become."""

    work: Work
    groups: tuple[Group, ...]
    members: dict[Node, tuple[int, int]] = field(default_factory=dict)  # by class: the group, the place in it

    def __post_init__(self) -> None:
        for number, group in enumerate(self.groups):
            for place, identity in enumerate(group):
                root = self.facts.classes.root(identity)
                if root in self.members:
                    raise Against(TOGETHER, f"'{identity[1]}' is in two groups, or is one array with another")
                self.members[root] = number, place

    @property
    def facts(self) -> Facts:
        """What is known of the program."""
        return self.work.facts

    def member(self, data: DataObject | None) -> tuple[int, int] | None:
        """The group that an array is in, and its place there, from 0; None if it is in none."""
        return self.members.get(self.facts.classes.root(data.identity)) if data is not None else None

    def seen(self, name: str, key: str) -> tuple[int, int] | None:
        """The same of a name in a routine."""
        return self.member(self.facts.object(name, key))

    def against(self, name: str, reason: str, place: Place | None) -> Against:
        """The refusal for an array."""
        shown = users_place(self.work.application, place) if place is not None else None
        return Against(TOGETHER, f"'{name}': {reason}", place=shown)

    @cached_property
    def homes(self) -> Mapping[tuple[int, str], tuple[DataObject, ...]]:
        """The members of a group that a unit declares, in their order. Raises Against where some are missing."""
        found: dict[tuple[int, str], dict[int, DataObject]] = {}
        views = views_by_class(self.facts, hybrid_only=False)
        for root, (group, place) in self.members.items():
            for data, at in views.get(root, ()):
                own = found.setdefault((group, data.home), {}) if data.home == data.routine else {}
                if own.setdefault(place, data) is not data:
                    raise self.against(data.name, "it has two names in one routine", at)
        made = {}
        for (group, home), here in found.items():
            if len(here) < len(self.groups[group]):
                data = next(iter(here.values()))
                raise self.against(data.name, "it is declared without the others there", self._place(data))
            made[group, home] = tuple(here[n] for n in range(len(here)))
        return made

    def _place(self, data: DataObject) -> Place:
        line, routine = data.symbol.line, self.facts.routine(data.home)
        return line.place(routine.file, *data.symbol.name_span) if line is not None else routine.place()

    def name(self, group: int, home: str) -> str:
        """What the array is called that a unit has in the place of a group."""
        joined = "_".join(data.name for data in self.homes[group, home])
        return f"hf_{joined}"[:60]

    def whole(self, name: str, key: str) -> str:
        """The array that a name in a routine becomes a part of."""
        data = self.facts.object(name, key)
        member = self.member(data)
        assert data is not None and member is not None
        return self.name(member[0], data.home)

    def check(self) -> None:
        """Whether declarations and directives allow it. Raises Against."""
        for data, reason, place, _ in (*declared_orders(self.facts, False), *fixed_orders(self.facts, False)):
            if self.member(data) is not None:
                raise self.against(data.name, reason, place)
        views = views_by_class(self.facts, hybrid_only=False)
        for root, reason in kept_whole(self.facts, {n: v for n, v in views.items() if n in self.members}).items():
            if root in self.members:
                data, place = views[root][0]
                raise self.against(data.name, reason, place)
        for root in self.members:
            for data, place in views.get(root, ()):
                self._check_view(data, place)
        self._check_directives({data.name: data for root in self.members for data, _ in views.get(root, ())})
        for (group, home), members in self.homes.items():
            self._check_home(self.facts.routine(home), members, self.name(group, home))

    def _check_directives(self, known: Mapping[str, DataObject]) -> None:
        """Whether no directive of another kind names them, in which nothing is written anew."""
        for index in self.work.application.files:
            for number, row in enumerate(index.rows, 1):
                names = names_in_rows([row]) & known.keys() if physical(row).kind == "directive" else ()
                if names:
                    raise self.against(min(names), "a directive names it", Place(index.path, number))

    def _check_view(self, data: DataObject, place: Place) -> None:
        reason = ""
        if data.name != data.symbol.name:
            reason = "it is imported under another name"
        elif data.removed or any(d.declared is None for d in data.used) or data.listed is not None:
            reason = "a directive says which dimensions it has, or where it is"
        elif data.identity in self.work.application.options.padded:
            reason = "it has got more elements"
        elif self.facts.order(data) is not IDENTITY:
            reason = "it has another order in memory than the declared one"
        elif data.name in in_declarations(self.facts, self.facts.routine(data.routine)):
            reason = "a declaration, or the head of a region, asks about it"
        if reason:
            raise self.against(data.name, reason, place)

    def _check_home(self, routine: Routine, members: Sequence[DataObject], name: str) -> None:
        first = members[0].symbol
        for data in members:
            symbol, reason = data.symbol, ""
            if symbol.type.base in ("type", "class") or symbol.attributes - _PLAIN:
                reason = "it is of a derived type, or has attributes that one array for all would not have"
            elif not same_text(_shape_and_type(symbol), _shape_and_type(first)):
                reason = f"it has another type or shape than '{first.name}'"
            elif symbol.attributes - {"dimension"} != first.attributes - {"dimension"}:
                reason = f"it has other attributes than '{first.name}'"
            elif (data.name in routine.dummies) != (first.name in routine.dummies):
                reason = f"it is an argument, or '{first.name}' is one"
            elif _declared_besides(routine, data):
                reason = "a statement of its own says more of it"
            elif not removable(routine, data.name) or not symbol.shape:
                reason = "its declaration cannot be changed"
            if reason:
                raise self.against(data.name, reason, self._place(data))
        if name in routine.spec.symbols:
            raise self.against(first.name, f"there is a '{name}' already", self._place(members[0]))

    # -- declarations

    def declarations(self) -> dict[str, list[Edit]]:
        """Edits of specification parts, by path: declarations, dummy arguments, imports. Raises Against."""
        edits: dict[str, list[Edit]] = {}
        gone: dict[str, set[str]] = {}
        for (group, home), members in self.homes.items():
            routine = self.facts.routine(home)
            gone.setdefault(home, set()).update(data.name for data in members)
            name, lines = self.name(group, home), [d.symbol.line for d in members if d.symbol.line is not None]
            last = max(lines, key=lambda line: line.last)
            row = f"{' ' * last.segments[0][2]}{_declaration(name, members)}"
            own = edits.setdefault(routine.file, [])
            own.append(insert_lines(last.last + 1, [row], 5, last.first))
            if members[0].name in routine.dummies:
                own += _in_list(routine.header, 0, {d.name for d in members}, name)
        for home, names in gone.items():
            routine = self.facts.routine(home)
            edits[routine.file] += removals(routine, names)
        for key, routine in self.facts.application.routines.items():
            for use in routine.spec.uses:
                edits.setdefault(routine.file, []).extend(self._import(use, key, routine))
        return {path: found for path, found in edits.items() if found}

    def _import(self, use: Use, key: str, routine: Routine) -> Iterable[Edit]:
        for (group, home), members in self.homes.items():
            names = {data.name for data in members}
            listed = {local: name for local, name in (*(use.only or ()), *use.renames) if name in names}
            if home != use.module or not listed:
                continue
            if use.line is None or use.line.file or any(local != name for local, name in listed.items()):
                raise self.against(min(names), "it is imported under another name", routine.place())
            yield from _in_list(use.line, use.listed, names, self.name(group, home))


def _declaration(name: str, members: Sequence[DataObject]) -> str:
    """The declaration of the array that members become."""
    first = members[0].symbol
    intents = {data.symbol.intent for data in members}
    intent = intents.pop() if len(intents) == 1 else "inout"
    attributes = [*sorted(first.attributes - {"dimension"}), *([f"intent({intent})"] if intent else [])]
    count = ":" if first.shape[0].form in ("deferred", "assumed") else str(len(members))
    return f"{', '.join([first.type.text, *attributes])} :: {name}({count},{shape_text(first.shape)})"


def _declared_besides(routine: Routine, data: DataObject) -> bool:
    """Whether a declaration names an array that declares neither it nor another variable or component."""
    spec = routine.spec
    components = (c for derived in spec.types.values() for c in derived.components)
    declaring = {s.line.key for s in (*spec.symbols.values(), *components) if s.line is not None}
    return any(data.name in names_in_rows([line.text]) for line in spec.lines if line.key not in declaring)


def _shape_and_type(symbol: Symbol) -> str:
    return f"{symbol.type.text} {shape_text(symbol.shape)}"


def _in_list(line: LogicalLine, start: int, names: set[str], name: str) -> Iterable[Edit]:
    """The first of some names in a list as another one, the others with the commas before them taken out."""
    found = [listed for listed in listed_names(line.text, start) if listed[0] in names]
    for number, (_, comma, first, end) in enumerate(found):
        yield replace_range(line, comma if number else first, end, "" if number else name)
