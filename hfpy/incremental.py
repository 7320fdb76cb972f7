"""Translation of a code base of which nothing or little has changed.

A full translation leaves in the store, under a digest of all that it depends on, what it made: what was translated once
is not translated again. Of code bases that are not small it leaves the facts, too, without the bodies of routines, and
the signatures of all files (:mod:`hfpy.signatures`). While those are unchanged, an edit makes anew the files that ask
for the edited bodies (:mod:`hfpy.analyze.asked`), and no others: the same passes run as in a full translation, on facts
that have the bodies of these files and of those that they ask for. Where more is asked for, a full translation is made.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hfpy.diagnostics import Diagnostic, has_errors, ordered
from hfpy.options import Options, Outside
from hfpy.store import Store, key_of
from hfpy.translation import GeneratedFile, Translation
from hfpy.version import PACKAGE, VERSION

if TYPE_CHECKING:
    from hfpy.analyze.effects import Effects
    from hfpy.analyze.facts import Facts
    from hfpy.kept import Stage
    from hfpy.making import Made
    from hfpy.model.units import FileIndex, Routine
    from hfpy.transform.passes import NewText

_TEXTS = "translation"
_LAST = "last"
_FACTS = "facts"
_LOWERED = "lowered"
_MANY = 100  # files of islands beyond which a full translation is as good
_WORTH = 20_000  # lines below which a full translation is fast enough


@dataclass(frozen=True)
class KeptForm:
    """A blocked form of a routine: a digest of its lines, and the files whose regions use it."""

    digest: str
    users: frozenset[str]


@dataclass(frozen=True)
class Kept:
    """What a full translation left behind. ``stages`` are the numbers of the facts after each step, among those that
    are kept under ``key``, and ``signatures`` those of files in each. ``net`` tells who asks for whose bodies,
    ``forms`` are the blocked forms of routines, ``openmp`` files with OpenMP directives, ``whole`` is what was found
    for the program as a whole. Without signatures it is of use only while nothing changes.
    """

    key: str
    digests: Mapping[str, str]
    translation: Translation
    signatures: tuple[Mapping[str, str], ...] = ()
    stages: Mapping[str, int] = field(default_factory=dict)
    net: Mapping[str, frozenset[str]] = field(default_factory=dict)
    forms: Mapping[tuple[str, str], KeptForm] = field(default_factory=dict)
    openmp: frozenset[str] = frozenset()
    whole: tuple[Diagnostic, ...] = ()


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


def remember(
    paths: Sequence[Path],
    options: Options,
    translation: Translation,
    key: str,
    facts: Facts,
    looked: Collection[tuple[str, str]],
    made: Made,
) -> None:
    """Keep a full translation for the next time. Nothing is kept with errors: how long parsing may take is none of the
    things that a key tells.

    ``key`` is that of the sources before they were read: nothing is kept if they have changed since. ``facts`` are
    those of the user's sources, ``looked`` pairs of a routine with regions and another whose body was asked for them,
    ``made`` is what became of the facts.
    """
    if options.cache_dir is None or not translation.files:
        return
    digests = _digests(paths)
    if digests is None:
        return
    surroundings = _surroundings(paths, options)
    if _key(surroundings, digests) != key:
        return
    kept = Kept(key, digests, _plain(translation))
    store = Store(options.cache_dir)
    if _of_use_after_edits(options, facts):
        from hfpy.analyze.asked import asked_files
        from hfpy.kept import without_bodies
        from hfpy.making import in_source_lines
        from hfpy.signatures import signatures

        distinct = list({id(f): f for f in (facts, *(after for _, after in made.stages))}.values())
        numbers = {id(f): n for n, f in enumerate(distinct)}
        kept = replace(
            kept,
            signatures=tuple(signatures(f) for f in distinct),
            stages={name: numbers[id(after)] for name, after in made.stages},
            net=asked_files(facts, looked, made.facts.application),
            forms=_forms(made),
            openmp=made.written.openmp,
            whole=in_source_lines(facts.application.files, made.whole),
        )
        store.put(_FACTS, kept.key, without_bodies(distinct))
        store.put(_LOWERED, kept.key, tuple(_lowered(f, facts) for f in distinct))
    store.put(_TEXTS, kept.key, kept)
    store.put(_LAST, surroundings, kept.key)


def _forms(made: Made) -> dict[tuple[str, str], KeptForm]:
    """The blocked forms, by file and name."""
    from hfpy.transform.columns.optimise import InBlocks

    steps = made.optimised.steps if made.optimised is not None else ()
    forms = (form for step in steps if isinstance(step.made, InBlocks) for form in step.made.forms)
    return {(f.file, f.name): KeptForm(key_of([repr(f.lines)]), f.users) for f in forms}


def _lowered(facts: Facts, first: Facts) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The texts of the files that passes have changed, with the lines of the user's text."""
    before = {f.path: f for f in first.application.files}
    files = (f for f in facts.application.files if f is not before[f.path])
    return {f.path: (f.source.text, f.expanded or ()) for f in files}


def _plain(translation: Translation) -> Translation:
    """A translation without the answers to later questions."""
    return replace(
        translation,
        explain=_nothing,
        schedule=_nothing,
        kernels=_no_kernels,
        survey=_no_survey,
        faults=_no_faults,
    )


def _of_use_after_edits(options: Options, facts: Facts) -> bool:
    """Whether signatures and facts are kept: not of small code bases, of code that loses directives of the user's (an
    edited file would have to be settled before it is compared), and where what one file becomes depends on the bodies
    of others in more than an island: code for a device (states of arrays), arrays in blocks.
    """
    if sum(len(f.source.lines) for f in facts.application.files) < _WORTH:
        return False
    return not (options.drop_directives or options.directives_as_regions or options.specialise)


def key_now(paths: Sequence[Path], options: Options) -> str:
    """The key of a translation of the sources as they are now; empty if one cannot be read."""
    digests = _digests(paths)
    return _key(_surroundings(paths, options), digests) if digests is not None else ""


def _key(surroundings: str, digests: Mapping[str, str]) -> str:
    """What decides a translation: the sources by their paths, and their surroundings."""
    return key_of([surroundings, *(part for item in digests.items() for part in item)])


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
    changed = frozenset(str(p) for p in paths if kept.digests[str(p)] != digests[str(p)])
    made = _made_again(changed, options, kept, store)
    if made is None:
        return None
    store.put(_TEXTS, key, Kept(key, digests, made))
    return _asking(made, full)


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


def _made_again(changed: frozenset[str], options: Options, kept: Kept, store: Store) -> Translation | None:
    """The translation after edits of bodies in some files; None where it cannot be told from what was kept."""
    from hfpy.analyze.asked import asking
    from hfpy.kept import NotKept
    from hfpy.making import in_source_lines, made_of

    files = asking(kept.net, changed)
    if len(files) > _MANY or any({d.place.file, *(r.place.file for r in d.related)} & changed for d in kept.whole):
        return None
    try:
        again = _Again.of(files, changed, options, kept, store)
        facts, effects = again.first()
        made = made_of(facts, effects, only=files, again=again)
        if not _same_elsewhere(_forms(made), kept.forms, files):
            return None
    except NotKept:
        return None
    except Exception:
        if os.environ.get("HFPY_DEBUG"):
            raise
        return None  # a full translation tells what is wrong
    before = kept.translation
    found = in_source_lines(facts.application.files, [d for d in made.found if d.place.file in files])
    if has_errors(found):
        return None
    elsewhere = [*(d for d in before.diagnostics if d.place.file not in files), *kept.whole]
    return replace(
        before,
        files=_in_place(before.files, made.written.files, files),
        diagnostics=ordered(dict.fromkeys([*elsewhere, *found])),
        openmp=bool(kept.openmp - files or made.written.openmp),
    )


def _same_elsewhere(
    now: Mapping[tuple[str, str], KeptForm], before: Mapping[tuple[str, str], KeptForm], files: frozenset[str]
) -> bool:
    """Whether the blocked forms in other files than those that are made anew are what they were."""
    for place, form in now.items():
        if place[0] not in files and (place not in before or before[place].digest != form.digest):
            return False
    gone = (form for place, form in before.items() if place[0] not in files and place not in now)
    return all(form.users - files or not form.users for form in gone)


def _in_place(
    before: Iterable[GeneratedFile], made: Iterable[GeneratedFile], again: Collection[str]
) -> tuple[GeneratedFile, ...]:
    """The generated files with those that were made again in the places of their former selves."""
    new: dict[Path, list[GeneratedFile]] = {}
    for file in made:
        new.setdefault(file.source, []).append(file)
    files: list[GeneratedFile] = []
    for file in before:
        files += [file] if str(file.source) not in again else new.pop(file.source, ())
    return tuple(files)


@dataclass
class _Again:
    """The facts after each step: those that were kept, with the bodies of ``indexes``, of which ``files`` are made
    anew and ``changed`` have another text. ``at`` are the facts that were given, with their numbers.
    """

    options: Options
    kept: Kept
    stages: Sequence[Stage]
    lowered: Sequence[Mapping[str, tuple[str, tuple[int, ...]]]]
    indexes: tuple[FileIndex, ...]
    files: frozenset[str]
    changed: frozenset[str]
    at: list[tuple[Facts, int]] = field(default_factory=list)

    @classmethod
    def of(cls, files: frozenset[str], changed: frozenset[str], options: Options, kept: Kept, store: Store) -> _Again:
        """Files read anew, with those whose bodies they ask for. Raises NotKept where something is not in the store."""
        from hfpy.analyze.asked import asked
        from hfpy.kept import NotKept
        from hfpy.parse.files import index_file, project_macros

        stages, lowered = store.get(_FACTS, kept.key), store.get(_LOWERED, kept.key)
        if not isinstance(stages, tuple) or not isinstance(lowered, tuple):
            raise NotKept("facts")
        macros, _ = project_macros(options)
        needed = asked(kept.net, files)
        every = stages[0].facts.application.files
        indexes = tuple(index_file(Path(f.path), options, macros) for f in every if f.path in needed)
        return cls(options, kept, stages, lowered, indexes, files, changed)

    def first(self) -> tuple[Facts, Effects]:
        """The facts of the user's sources."""
        from hfpy.kept import NotKept
        from hfpy.transform.settled import Settled, with_open_regions

        before = self.stages[0].facts.application
        read = {f.path: f for f in self.indexes}
        units = self._units(0, self.indexes)
        files = tuple(read.get(f.path, f) for f in before.files)
        application = replace(before, files=files, routines={**before.routines, **units})
        settled = with_open_regions(Settled(application, []), units)
        if settled.found:
            raise NotKept("directives")
        self.indexes = tuple(f for f in settled.application.files if f.path in read)
        return self._with(0, self.indexes, {k: settled.application.routines[k] for k in units}, self.changed)

    def __call__(self, name: str, before: Facts, texts: Mapping[str, NewText]) -> tuple[Facts, Effects] | None:
        """See :data:`hfpy.transform.passes.Again`. Raises NotKept where a step made something else of the files than
        before, as other files can see them.
        """
        from hfpy.analyze.checks import check
        from hfpy.kept import NotKept
        from hfpy.transform.pipelines import PASSES

        stage = self.kept.stages.get(name, -1)
        now = next(number for facts, number in self.at if facts is before)
        if stage < 0 or (stage == now and texts):
            raise NotKept("a step that changed nothing before")
        if stage == now:
            return None
        made = {f.path: f for f in before.application.files}
        if name not in PASSES and any(self._differs(made[p], stage, texts[p]) for p in texts.keys() - self.files):
            raise NotKept("another plain form of a file that is not made anew")
        indexes = [self._read(made[f.path], stage, texts.get(f.path)) for f in self.indexes]
        facts, effects = self._with(stage, indexes, self._units(stage, indexes), self.files)
        if has_errors([*facts.found, *check(facts, effects)]):
            raise NotKept("faults")
        return facts, effects

    def _differs(self, index: FileIndex, stage: int, text: NewText) -> bool:
        """Whether a step gave a file another text than it had at that stage."""
        from hfpy.transform.passes import with_text

        return with_text(index, text) != self.lowered[stage].get(index.path)

    def _read(self, index: FileIndex, stage: int, text: NewText | None) -> FileIndex:
        """A file after a step that gave it a new text, or none. A file that is not made anew has the text that it had
        at that stage: of the blocked forms of its routines only those are known here that are asked for.
        """
        from hfpy.parse.application import reindexed
        from hfpy.transform.passes import with_text

        application = self.stages[stage].facts.application
        if index.path not in self.files:
            lowered = self.lowered[stage].get(index.path)
            index = next(f for f in self.indexes if f.path == index.path)
        else:
            lowered = with_text(index, text) if text is not None else None
        if lowered is None:
            return index
        hybrid = next(f.hybrid for f in application.files if f.path == index.path)
        return replace(reindexed(index, lowered, self.options, application.macros), hybrid=hybrid)

    def _units(self, stage: int, indexes: Sequence[FileIndex]) -> dict[str, Routine]:
        """The units of files that are parsed in full at a stage."""
        wanted: dict[str, list[str]] = {}
        for key, routine in self.stages[stage].facts.application.routines.items():
            wanted.setdefault(routine.file, []).append(key)
        return {k: r for i in indexes for k, r in _units(i, wanted.get(i.path, ()), self.options).items()}

    def _with(
        self, number: int, indexes: Sequence[FileIndex], routines: Mapping[str, Routine], checked: Collection[str]
    ) -> tuple[Facts, Effects]:
        """The facts with these files. Raises NotKept where the signature of one of those to be checked is another."""
        from hfpy.kept import NotKept, with_bodies
        from hfpy.signatures import signature

        stage, known = self.stages[number], self.kept.signatures[number]
        facts = with_bodies(stage, indexes, routines)
        self.at.append((facts, number))
        for index in indexes:
            own = [routine for routine in routines.values() if routine.file == index.path]
            if index.path in checked and signature(facts, index, own) != known.get(index.path):
                raise NotKept(index.path)
        return facts, stage.effects(facts)


def _units(index: FileIndex, wanted: Iterable[str], options: Options) -> dict[str, Routine]:
    """The units of a file that were parsed before, parsed again. Raises NotKept if something is wrong with them."""
    from hfpy.kept import NotKept
    from hfpy.parse.routines import parse_unit, unit_key

    numbers = {unit_key(index, number): number for number in range(len(index.units))}
    routines: dict[str, Routine] = {}
    for key in wanted:
        if index.diagnostics or key not in numbers:
            raise NotKept(key)
        routines[key], problems = parse_unit(index, numbers[key], options.include_dirs, options.parse_limit)
        if problems:
            raise NotKept(key)
    return routines
