"""Facts as they are kept between translations, without the bodies of routines, and how some bodies come back.

Of a routine whose body is not there, declarations, position, storage orders, intents and effects are known. To ask for
its statements is refused (:class:`NotKept`), so that nothing is worked out from a body that is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

from hfpy.analyze.analysis import plans_of, references_of
from hfpy.analyze.arrays.domains import Domains
from hfpy.analyze.arrays.storage import Identity
from hfpy.analyze.callgraph.graph import CallGraph
from hfpy.analyze.callgraph.positions import Positions, RegionId
from hfpy.analyze.device.states import States
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.language.scopes import Scopes
from hfpy.backendtable import DEVICE_BACKENDS
from hfpy.diagnostics import Diagnostic
from hfpy.model.directives import Region
from hfpy.model.source import SourceText
from hfpy.model.units import FileIndex, Routine
from hfpy.values import dataclass

T = TypeVar("T")
NOTHING: Mapping[str, Any] = MappingProxyType({})


class NotKept(Exception):
    """A question that the facts that were kept do not answer."""


class Unread(NotKept):
    """Texts with errors, which are all that a translation tells then: ``found`` has them, at places of the lines that
    were read.
    """

    def __init__(self, found: Sequence[Diagnostic]) -> None:
        super().__init__("errors in a text")
        self.found = tuple(found)


@dataclass(frozen=True)
class Stage:
    """Facts without bodies, and what was known of the effects of all routines: intents by routine and dummy, what they
    change, what they mention, what they allocate and free, and which members of common blocks they mention.
    """

    facts: Facts
    intents: Mapping[tuple[str, str], str]
    changes: Mapping[str, frozenset[Identity]]
    mentions: Mapping[str, frozenset[Identity]]
    memory: Mapping[str, frozenset[tuple[Identity, str]]]
    members: Mapping[str, frozenset[Identity]]

    def effects(self, facts: Facts) -> Effects:
        """The effects under facts with some bodies."""
        known = dict(self.changes), dict(self.mentions), dict(self.memory), dict(self.members)
        return Effects(facts, dict(self.intents), *known)


def without_bodies(stages: Sequence[Facts], known: Sequence[Effects] = ()) -> tuple[Stage, ...]:
    """Facts of one application after one step after the other, without bodies. What they share they go on to share.
    ``known`` are the effects under some of them.
    """
    bare = _Bare({}, {}, {id(effects.facts): effects for effects in known})
    return tuple(bare.stage(facts) for facts in stages)


def _on_device(facts: Facts) -> bool:
    """Whether a program has kernels of backends with device data."""
    return any(facts.backend(region.routine) in DEVICE_BACKENDS for region in facts.positions.regions)


@dataclass(frozen=True)
class _Bare:
    """Routines and files without bodies and texts, by the identity of those with; effects by that of their facts."""

    routines: dict[int, Routine]
    files: dict[int, FileIndex]
    effects: dict[int, Effects]

    def routine(self, routine: Routine) -> Routine:
        return self.routines.setdefault(id(routine), replace(routine, body=()))

    def file(self, index: FileIndex) -> FileIndex:
        empty = SourceText(index.path, ())
        return self.files.setdefault(id(index), replace(index, lines=(), source=empty, original="", unexpanded=""))

    def stage(self, facts: Facts) -> Stage:
        effects = self.effects.get(id(facts)) or Effects(facts)
        routines = facts.application.routines
        intents = {(key, name): effects.intent(key, name) for key, r in routines.items() for name in r.dummies}
        application = replace(
            facts.application,
            files=tuple(self.file(f) for f in facts.application.files),
            routines={key: self.routine(r) for key, r in routines.items()},
        )
        scopes = Scopes(application)
        domains = Domains(application, scopes, facts.positions, private=facts.domains.private)
        graph = CallGraph(application, scopes, facts.graph)
        storage = facts.storage.without_bodies(application, scopes, graph)
        slim = replace(
            facts,
            application=application,
            scopes=scopes,
            graph=graph,
            domains=domains,
            storage=storage,
            device=States(facts, effects).known() if _on_device(facts) else None,
            references={},
            plans={},
            found=(),
        )
        changes = {key: effects.changed_memory(key) for key in routines}
        mentions = {key: effects.mentioned_memory(key) for key in routines}
        members = {key: effects.members(key) for key in routines}
        return Stage(slim, intents, changes, mentions, {key: effects.all_memory(key) for key in routines}, members)


class _Known(dict[str, T]):
    """What is known by routine; of some it is worked out when it is asked for. To ask for one of the others is refused,
    and so is to go through all.
    """

    def __init__(
        self, found: Mapping[str, T], others: Collection[str], later: Mapping[str, Callable[[str], T]] = NOTHING
    ) -> None:
        super().__init__(found)
        self.others = others
        self.later = later

    def __missing__(self, key: str) -> T:
        if key in self.later:
            found = self[key] = self.later[key](key)
            return found
        if key in self.others:
            raise NotKept(key)
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        if key in self.others:
            raise NotKept(str(key))
        return super().__contains__(key) or key in self.later

    def get(self, key: str, default: Any = None) -> Any:
        """As of any mapping, but for the others."""
        if key not in self:
            return default
        return self[key]

    def _refused(self, *_given: object) -> NoReturn:
        raise NotKept("all routines")

    __iter__ = keys = values = items = _refused


class _NoBody(tuple[Any, ...]):
    """The body of a routine that was not kept."""

    __slots__ = ()

    def _refused(self, *_given: object) -> NoReturn:
        raise NotKept("the body of a routine")

    __iter__ = __len__ = __getitem__ = __contains__ = __bool__ = _refused


def with_bodies(
    stage: Stage, files: Iterable[FileIndex], routines: Mapping[str, Routine], beside: Collection[str] = ()
) -> Facts:
    """The facts of a stage with some files and their routines, which may differ from what they were in bodies only.
    ``beside`` are those of the routines that others ask for and that are themselves not looked at.

    Takes the stage for its own: it is of no use afterwards. Raises NotKept where a routine calls other procedures now.
    """
    facts = stage.facts
    old = facts.application
    given = {f.path: f for f in files}
    kept = {key: routine if key in routines else _bodiless(routine) for key, routine in old.routines.items()}
    application = replace(old, files=tuple(given.get(f.path, f) for f in old.files), routines={**kept, **routines})
    scopes = Scopes(application)
    positions = replace(
        facts.positions, regions={**facts.positions.regions, **dict(_regions(facts.positions, routines))}
    )
    facts.domains.turn_to(application, scopes, positions)
    facts.storage.turn_to(application, scopes)
    graph = facts.graph
    everything = set(graph.with_statements())
    read = [routine for key, routine in routines.items() if key in everything]
    graph.turn_to(application, scopes)
    if not all(graph.read_again(routine) for routine in read):
        raise NotKept("calls")
    others = everything - {r.key for r in read}
    graph.absent = frozenset(old.routines.keys() - routines.keys()).union(beside)
    _forget(graph, others)
    looked_at = [r for r in read if r.key not in beside]
    left = [r.key for r in read if r.key in beside]
    uses = dict.fromkeys(left, lambda key: references_of(key, graph, scopes))
    references = _Known({r.key: references_of(r.key, graph, scopes) for r in looked_at}, others, uses)
    facts = replace(facts, application=application, scopes=scopes, positions=positions, references=references)
    found: list[Diagnostic] = []
    known = _Known({r.key: plans_of(facts, r, found) for r in looked_at}, others)
    facts = replace(facts, plans=known, found=tuple(found))
    known.later = dict.fromkeys(left, lambda key: plans_of(facts, application.routines[key], []))
    return facts


def _bodiless(routine: Routine) -> Routine:
    """A routine whose statements cannot be asked for."""
    for name in ("body", "regions", "guarded"):
        object.__setattr__(routine, name, _NoBody())
    return routine


def _regions(before: Positions, routines: Mapping[str, Routine]) -> Iterator[tuple[RegionId, Region]]:
    """The active regions of routines."""
    for key, routine in routines.items():
        for number, construct in enumerate(regions_of(routine)):
            if construct.region is not None and RegionId(key, number) in before.regions:
                yield RegionId(key, number), construct.region


def _forget(graph: CallGraph, others: Collection[str]) -> None:
    """Statements and calls of some routines are not to be asked for; who calls whom is not known as a whole."""
    graph.statements = _Known({k: s for k, s in graph.statements.items() if k not in others}, others)
    graph.sites = _Known({k: s for k, s in graph.sites.items() if k not in others}, others)
    graph.indirect = _Known({k: s for k, s in graph.indirect.items() if k not in others}, others)
    graph.callers = _Known({}, graph.application.routines)
