"""Translation of a code base of which nothing or little has changed.

A full translation leaves in the store, under a digest of all that it depends on, what it made: what was translated once
is not translated again. Of large code bases it leaves the *signatures* of all sources and the facts, too. The signature
of a file is all that other files' output can depend on: units, declarations, directives, calls, and which variables it
reads and writes how. While that is unchanged, an edit regenerates its file alone (design §3: an edit in a body
regenerates one file); anything else is a full translation.

With the optimiser there are two sets of facts and signatures: of the user's sources, and of what the optimiser made of
them. An edited file is optimised again; if its new text has the old signature, it alone is written anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hfpy.options import Options, Outside
from hfpy.store import Store, key_of
from hfpy.translation import GeneratedFile, Translation
from hfpy.version import PACKAGE, VERSION
from hfpy.written import generated, untouched

if TYPE_CHECKING:
    from hfpy.analyze.facts import Facts
    from hfpy.diagnostics import Diagnostic
    from hfpy.model.macros import Macro
    from hfpy.model.units import FileIndex, Routine

_Memory = dict[str, frozenset[tuple[str, str]]]
Known = tuple[dict[tuple[str, str], str], _Memory, _Memory]  # as Effects takes them
_TEXTS = "translation"
_LAST = "last"
_FACTS = "facts"
_FACTS_BEFORE = "facts-before"
_MANY = 8  # changed files beyond which a full translation is as good
_WORTH = 20_000  # lines below which a full translation is fast enough


@dataclass(frozen=True)
class Kept:
    """What a full translation left behind; ``lowered`` are the signatures after the optimiser, ``looked`` the files of
    routines whose bodies were asked for the sake of regions in other files. Without signatures it is of use only while
    nothing changes. Facts are kept under ``key``.
    """

    key: str
    digests: Mapping[str, str]
    signatures: Mapping[str, str]
    lowered: Mapping[str, str]
    reached: Mapping[str, tuple[str, ...]]
    translation: Translation
    looked: frozenset[str] = frozenset()


@cache
def _own_build() -> str:
    """A digest of hfpy itself."""
    parts = [VERSION]
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in (".py", ".j2"):
            status = path.stat()
            parts.append(f"{path.relative_to(PACKAGE)} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _digests(paths: Sequence[Path]) -> dict[str, str] | None:
    try:
        return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}
    except OSError:
        return None


def _surroundings(paths: Sequence[Path], options: Options) -> str:
    """A digest of everything beside the sources: options, hfpy, the storage-order file, included files."""
    from hfpy.build.includes import IncludeScanner

    scanner = IncludeScanner(options.include_dirs)
    extra: dict[Path, None] = {}
    for path in paths:
        data = path.read_bytes()
        if b"nclude" in data or b"NCLUDE" in data:
            extra.update(dict.fromkeys(scanner.closure(path, data)))
    if options.storage_order is not None and options.storage_order.is_file():
        extra[options.storage_order] = None
    parts = [repr(replace(options, jobs=0, cache_dir=None)), _own_build(), *(str(p) for p in paths)]
    parts += [hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(extra)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def signature(index: FileIndex, routines: Mapping[str, Routine]) -> str:
    """The signature of a file: ``routines`` are its units that were parsed."""
    from hfpy.analyze.context import located
    from hfpy.analyze.intrinsics import INTRINSICS
    from hfpy.analyze.uses import uses
    from hfpy.model.expressions import Apply, Range, base_name
    from hfpy.model.statements import Assignment, Call, DirectiveLine, Header, Opaque

    parts: list[str] = []
    for unit in index.units:
        uses_of = [(u.module, u.only, u.renames) for u in unit.uses]
        parts.append(repr((unit.kind, unit.name, unit.parent, unit.dummies, unit.result, unit.prefix, unit.scheme)))
        parts.append(repr((uses_of, sorted(unit.calls), sorted(unit.references), unit.regions)))
    for key, routine in sorted(routines.items()):
        parts.append(key)
        parts += [line.text for line in routine.spec.lines]
        rows: set[str] = set()
        statements = located(routine)
        for at in statements:
            # What may be put in blocks of columns depends on the kinds of statements, also in other files.
            rows.add(f"{type(at.statement).__name__} {getattr(at.statement, 'kind', '')}")
            pointed = isinstance(at.statement, Assignment) and at.statement.pointer
            if pointed or isinstance(at.statement, Call | DirectiveLine | Opaque):
                rows.add(f"{at.regions} {at.statement.line.text}")
            if isinstance(at.statement, Header) and at.statement.serial:
                rows.add(f"{at.regions} serial {at.statement.line.text}")
            if isinstance(at.statement, Header) and at.statement.kind in ("associate", "block"):
                rows.add(f"{at.regions} {at.statement.line.text}")
        for reference in uses(statements):
            text = reference.at.statement.line.text
            shape = ["range" if isinstance(i, Range) else text[i.start : i.end] for i in (reference.indices or ())]
            rows.add(repr((reference.name, reference.role, shape, reference.component, reference.at.regions)))
            call = reference.call
            if isinstance(call, Apply) and base_name(call) not in INTRINSICS:
                rows.add(f"{reference.name} {text[call.start : call.end]}")  # a function's argument
        parts += sorted(rows)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def remember(
    paths: Sequence[Path],
    options: Options,
    translation: Translation,
    before: Facts,
    facts: Facts,
    key: str,
    looked: Collection[tuple[str, str]] = (),
) -> None:
    """Keep a full translation for the next time. Nothing is kept with errors: how long parsing may take is none of the
    things that a key tells.

    ``before`` are the facts of the user's sources, ``facts`` those after the optimiser; ``looked`` are pairs
    of a routine with regions and another whose body was asked for them. ``key`` is that of the sources before they
    were read: nothing is kept if they have changed since.
    """
    if options.cache_dir is None or not translation.files:
        return
    digests = _digests(paths)
    if digests is None:
        return
    surroundings = _surroundings(paths, options)
    if _key(surroundings, digests) != key:
        return
    plain = replace(
        translation,
        explain=_nothing,
        schedule=_nothing,
        kernels=_no_kernels,
        survey=_no_survey,
        faults=_no_faults,
    )
    kept = Kept(key, digests, {}, {}, {}, plain)
    store = Store(options.cache_dir)
    if _of_use_after_edits(options, facts):
        signatures, reached = _signatures(before)
        lowered = signatures if facts is before else _signatures(facts)[0]
        pairs = ((facts.application.file(a).path, facts.application.file(b).path) for a, b in looked)
        asked = frozenset(there for here, there in pairs if here != there)
        kept = replace(kept, signatures=signatures, lowered=lowered, reached=reached, looked=asked)
        store.put(_FACTS, kept.key, _without_bodies(facts))
        if facts is not before:
            store.put(_FACTS_BEFORE, kept.key, _without_bodies(before))
    store.put(_TEXTS, kept.key, kept)
    store.put(_LAST, surroundings, kept.key)


def _of_use_after_edits(options: Options, facts: Facts) -> bool:
    """Whether signatures and facts are kept: not of small code bases, of code that loses directives of the user's (an
    edited file would have to be settled before it is compared), and of code for a device, where what one file becomes
    depends on the bodies of others (states of arrays, routines that kernels call).
    """
    from hfpy.backendtable import DEVICE_BACKENDS

    if sum(len(f.source.lines) for f in facts.application.files) < _WORTH:
        return False
    if options.drop_directives or options.directives_as_regions:
        return False
    return not DEVICE_BACKENDS & {options.default_backend, *options.schemes.values(), *options.routines.values()}


def key_now(paths: Sequence[Path], options: Options) -> str:
    """The key of a translation of the sources as they are now; empty if one cannot be read."""
    digests = _digests(paths)
    return _key(_surroundings(paths, options), digests) if digests is not None else ""


def _key(surroundings: str, digests: Mapping[str, str]) -> str:
    """What decides a translation: the sources by their paths, and their surroundings."""
    return key_of([surroundings, *(part for item in digests.items() for part in item)])


def _signatures(facts: Facts) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """The signature of each file, and the units of it that were parsed, both by path."""
    by_file: dict[str, dict[str, Routine]] = {}
    for key, routine in facts.application.routines.items():
        by_file.setdefault(routine.file, {})[key] = routine
    signatures = {f.path: signature(f, by_file.get(f.path, {})) for f in facts.application.files}
    return signatures, {path: tuple(routines) for path, routines in by_file.items()}


def _without_bodies(facts: Facts) -> tuple[Facts, Known]:
    """What the rewriting of one file needs to know of all others: their declarations, positions and orders, and the
    intents of their dummies and what they change; not their texts and statements.
    """
    from hfpy.analyze.domains import Domains
    from hfpy.analyze.effects import Effects
    from hfpy.analyze.facts import Facts as AllFacts
    from hfpy.analyze.graph import CallGraph
    from hfpy.analyze.scopes import Scopes
    from hfpy.model.source import SourceText

    effects = Effects(facts)
    routines = facts.application.routines
    intents = {(key, name): effects.intent(key, name) for key, r in routines.items() for name in r.dummies}
    application = replace(
        facts.application,
        files=tuple(replace(f, lines=(), source=SourceText(f.path, ()), original="") for f in facts.application.files),
        routines={key: replace(r, body=()) for key, r in routines.items()},
    )
    scopes = Scopes(application)
    domains = Domains(application, scopes, facts.positions, private=facts.domains.private)
    graph = CallGraph(application, scopes, facts.graph)
    storage = facts.storage.without_bodies(application, scopes, graph)
    slim = AllFacts(
        application, facts.target, scopes, graph, facts.positions, domains, {}, facts.classes, storage, facts.orders
    )
    changes = {key: effects.changed_memory(key) for key in routines}
    return slim, (intents, changes, {key: effects.mentioned_memory(key) for key in routines})


def _nothing(_name: str | None) -> str:
    return ""


def _no_kernels(_pass: str, _name: str | None) -> str:
    return ""


def _no_faults(_outside: Outside) -> tuple[Diagnostic, ...]:
    return ()


def _no_survey() -> None:
    return None


def from_cache(paths: Sequence[Path], options: Options, full: Callable[[], Translation]) -> Translation | None:
    """The translation, if all but the bodies of a few files is as it was; None where a full translation is needed.
    ``full`` gives that where later questions need it.
    """
    if options.cache_dir is None:
        return None
    digests = _digests(paths)
    if digests is None:
        return None
    store = Store(options.cache_dir)
    surroundings = _surroundings(paths, options)
    key = _key(surroundings, digests)
    kept = store.get(_TEXTS, key)
    if isinstance(kept, Kept) and kept.key == key:
        return _asking(kept.translation, full)
    last = store.get(_LAST, surroundings)
    kept = store.get(_TEXTS, last) if isinstance(last, str) else None
    if not isinstance(kept, Kept) or not kept.signatures or kept.digests.keys() != digests.keys():
        return None
    changed = [p for p in paths if kept.digests[str(p)] != digests[str(p)]]
    if len(changed) > _MANY:
        return None
    if any(str(p) in kept.looked for p in changed):
        return None  # regions in other files depend on the bodies
    if any(d.place.file in {str(p) for p in changed} for d in kept.translation.diagnostics):
        return None
    if changed and len(kept.translation.files) != len(paths):
        return None  # kernel files hold copies of routines of other files
    if changed and options.layout_with_blocks:
        return None  # which arrays have blocks is decided by all statements, more than signatures tell
    if changed and options.target == "gpu":
        return None  # which arrays are on the device, and where, is decided by the bodies of all files
    made = _regenerated(changed, options, kept)
    if made is None:
        return None
    files = tuple(made.get(str(f.source), f) for f in kept.translation.files)
    return _asking(replace(kept.translation, files=files), full)


def _asking(translation: Translation, full: Callable[[], Translation]) -> Translation:
    """A translation that was kept, with the answers of a full one to later questions."""
    return replace(
        translation,
        explain=lambda name: full().explain(name),
        schedule=lambda name: full().schedule(name),
        kernels=lambda step, name: full().kernels(step, name),
        survey=lambda: full().survey(),
        faults=lambda outside: full().faults(outside),
    )


def _regenerated(changed: list[Path], options: Options, kept: Kept) -> dict[str, GeneratedFile] | None:
    from hfpy.parse.files import index_file, project_macros

    macros, _ = project_macros(options)
    store = _KeptFacts(options, kept.key, kept.lowered != kept.signatures)
    made: dict[str, GeneratedFile] = {}
    for path in changed:
        index = index_file(path, options, macros)
        if index.diagnostics:
            return None
        routines = _units_again(index, kept.reached.get(str(path), ()), options)
        if routines is None or signature(index, routines) != kept.signatures.get(str(path)):
            return None
        if not index.hybrid and not options.layout:
            made[str(path)] = untouched(index)
            continue
        if options.opt:
            lowered = _optimised_again(store, index, routines, options, macros)
            if lowered is None or signature(*lowered) != kept.lowered.get(str(path)):
                return None
            index, routines = lowered
        generated = _again(store, index, routines, options)
        if generated is None:
            return None
        made[str(path)] = generated
    return made


class _KeptFacts:
    """The facts that were kept, each set read when it is first wanted; None if they cannot be read."""

    def __init__(self, options: Options, key: str, optimised: bool) -> None:
        self.folder = options.cache_dir
        self.key = key
        self.optimised = optimised
        self.loaded: dict[str, tuple[Facts, Known] | None] = {}

    def after(self, index: FileIndex, routines: dict[str, Routine]) -> tuple[Facts, Known] | None:
        """Facts after the optimiser, with a changed file, and the intents of dummies."""
        return self._with(_FACTS, index, routines)

    def before(self, index: FileIndex, routines: dict[str, Routine]) -> tuple[Facts, Known] | None:
        """Facts of the user's sources, with a changed file."""
        return self._with(_FACTS_BEFORE if self.optimised else _FACTS, index, routines)

    def _with(self, name: str, index: FileIndex, routines: dict[str, Routine]) -> tuple[Facts, Known] | None:
        loaded = self.loaded[name] if name in self.loaded else self._load(name)
        facts = _put_in_place(loaded[0], index, routines) if loaded is not None else None
        self.loaded[name] = (facts, loaded[1]) if loaded is not None and facts is not None else None
        return self.loaded[name]

    def _load(self, name: str) -> tuple[Facts, Known] | None:
        value = Store(self.folder).get(name, self.key) if self.folder is not None else None
        return value if isinstance(value, tuple) else None


def _units_again(index: FileIndex, wanted: tuple[str, ...], options: Options) -> dict[str, Routine] | None:
    """The units of a file that were parsed before, parsed again; None if there is something wrong with them."""
    from hfpy.parse.routines import parse_unit, unit_key

    routines: dict[str, Routine] = {}
    for number in range(len(index.units)):
        key = unit_key(index, number)
        if key in wanted:
            routines[key], problems = parse_unit(index, number, options.include_dirs, options.parse_limit)
            if problems:
                return None
    return routines if set(routines) == set(wanted) else None


def _optimised_again(
    store: _KeptFacts, index: FileIndex, routines: dict[str, Routine], options: Options, macros: Mapping[str, Macro]
) -> tuple[FileIndex, dict[str, Routine]] | None:
    """What the optimiser makes of a changed file now; None where that cannot be told from what was kept."""
    from hfpy.analyze.context import regions_of
    from hfpy.analyze.effects import Effects
    from hfpy.parse.application import reindexed
    from hfpy.transform.columns.optimise import put_in_blocks
    from hfpy.transform.passes import with_text
    from hfpy.transform.pipelines import LEVELS
    from hfpy.transform.stencil.effort import EFFORTS
    from hfpy.transform.stencil.honoured import not_honoured
    from hfpy.transform.stencil.optimise import optimise

    if not any(regions_of(r) for r in routines.values()):
        return index, routines
    if options.specialise:
        return None
    loaded = store.before(index, routines)
    if loaded is None:
        return None
    facts, known = loaded
    if facts.found:
        return None
    effects = Effects(facts, *known)
    result = optimise(facts, effects, EFFORTS[options.opt], only=index.path)
    if result.notes or not_honoured(facts, result, facts):
        return None  # what has to be told is for the whole translation
    if index.path not in result.files:
        columns = any(step.name == "columns" for step in LEVELS[options.opt])
        return None if columns and put_in_blocks(facts, effects, index.path).files else (index, routines)
    made = reindexed(index, with_text(index, result.files[index.path]), options, macros)
    units = None if made.diagnostics else _units_again(made, tuple(routines), options)
    return None if units is None else (made, units)


def _put_in_place(facts: Facts, index: FileIndex, routines: dict[str, Routine]) -> Facts | None:
    """The facts with a changed file in the place of its former self; None where it calls other procedures now."""
    from hfpy.analyze.analysis import plans_of, references_of
    from hfpy.analyze.context import regions_of
    from hfpy.analyze.positions import RegionId
    from hfpy.analyze.scopes import Scopes

    old = facts.application
    files = tuple(index if f.path == index.path else f for f in old.files)
    application = replace(old, files=files, routines={**old.routines, **routines})
    scopes = Scopes(application)
    regions = dict(facts.positions.regions)
    for key, routine in routines.items():
        for number, construct in enumerate(regions_of(routine)):
            if construct.region is not None and RegionId(key, number) in regions:
                regions[RegionId(key, number)] = construct.region
    positions = replace(facts.positions, regions=regions)
    facts.domains.turn_to(application, scopes, positions)
    facts.graph.turn_to(application, scopes)
    facts.storage.turn_to(application, scopes)
    read = [routine for key, routine in routines.items() if key in facts.graph.statements]
    if not all(facts.graph.read_again(routine) for routine in read):
        return None
    references = {**facts.references, **{r.key: references_of(r.key, facts.graph, scopes) for r in read}}
    facts = replace(facts, application=application, scopes=scopes, positions=positions, references=references)
    found: list[Diagnostic] = []
    plans = {place: plan for place, plan in facts.plans.items() if place[0] not in routines}
    for routine in read:
        plans |= plans_of(facts, routine, found)
    return replace(facts, plans=plans, found=tuple(found))


def _again(store: _KeptFacts, index: FileIndex, routines: dict[str, Routine], options: Options) -> GeneratedFile | None:
    """Write a changed file anew; None if something is to be said about it."""
    from hfpy.analyze.effects import Effects
    from hfpy.analyze.regionchecks import check_regions
    from hfpy.backends.workshop import Backends
    from hfpy.model.statements import Opaque
    from hfpy.transform.files import FileRewriter

    loaded = store.after(index, routines)
    if loaded is None:
        return None
    facts, known = loaded
    effects = Effects(facts, *known)
    result = FileRewriter(facts, effects, index, Backends(facts, effects)).run()
    opaque = any(isinstance(at.statement, Opaque) for key in routines for at in facts.graph.statements.get(key, ()))
    checked = any(d for key in routines if key in facts.graph.statements for d in check_regions(facts, effects, key))
    if opaque or checked or facts.found or facts.domains.found or result.diagnostics:
        return None
    return generated(index, result, options.line_markers)
