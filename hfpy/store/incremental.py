"""Translation of a code base of which nothing or little has changed.

A full translation leaves in the store, under a digest of all that it depends on, what it made: what was translated once
is not translated again. Of code bases that are not small it leaves the facts, too, without the bodies of routines, and
the signatures of all files (:mod:`hfpy.store.signatures`). While those are unchanged, an edit makes anew the files that
ask for the edited bodies (:mod:`hfpy.analyze.asked`), and no others: the same passes run as in a full translation, on
facts that have the bodies of these files and of those that they ask for. Where more is asked for, a full translation is
made.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hfpy.beside import beside, worth_two
from hfpy.diagnostics import Diagnostic, has_errors, ordered
from hfpy.options import Options, Outside
from hfpy.store.steps import Kept, KeptForm, Steps
from hfpy.store.store import Store, key_of
from hfpy.translation import PROCESSES_MODULE, GeneratedFile, Translation
from hfpy.values import dataclass
from hfpy.version import PACKAGE, VERSION

if TYPE_CHECKING:
    from hfpy.analyze.effects.effects import Effects
    from hfpy.analyze.facts import Facts
    from hfpy.making import Made
    from hfpy.parse.application import Texts
    from hfpy.store.kept import Stage

_TEXTS = "translation"
_LAST = "last"
_FACTS = "facts"
_LOWERED = "lowered"
_FAULTS = "faults"
_MANY = 100  # files of islands beyond which a full translation is as good
_WORTH = 3_000  # lines below which a full translation is fast enough


@cache
def _own_build() -> str:
    """A digest of hfpy itself."""
    parts = [VERSION]
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in (".py", ".j2"):
            status = path.stat()
            parts.append(f"{path.relative_to(PACKAGE)} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Now:
    """Sources as they are: what is in the files, digests of it by path, a digest of everything beside the sources, and
    the key of what is made of it all.
    """

    data: Mapping[str, bytes]
    digests: Mapping[str, str]
    surroundings: str
    key: str

    @classmethod
    def of(cls, paths: Sequence[Path], options: Options) -> Now | None:
        """Some files read now; None if one of them cannot be read."""
        try:
            data = {str(p): p.read_bytes() for p in paths}
            surroundings = _surroundings(paths, data, options)
        except OSError:
            return None
        digests = {path: hashlib.sha256(read).hexdigest() for path, read in data.items()}
        return cls(data, digests, surroundings, _key(surroundings, digests))


def _surroundings(paths: Sequence[Path], read: Mapping[str, bytes], options: Options) -> str:
    """A digest of everything beside the sources: options, hfpy, the storage-order file, included files."""
    from hfpy.build.compile.includes import IncludeScanner

    scanner = IncludeScanner(options.include_dirs)
    extra: dict[Path, None] = {}
    for path in paths:
        data = read[str(path)]
        if b"nclude" in data or b"NCLUDE" in data:
            extra.update(dict.fromkeys(scanner.closure(path, data)))
    if options.storage_order is not None and options.storage_order.is_file():
        extra[options.storage_order] = None
    parts = [repr(replace(options, jobs=0, cache_dir=None)), _own_build(), *(str(p) for p in paths)]
    parts += [hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(extra)]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def remember(
    paths: Sequence[Path],
    options: Options,
    translation: Translation,
    key: str,
    effects: Effects,
    made: Made,
    text: Sequence[Diagnostic],
) -> None:
    """Keep a full translation for the next time. Nothing is kept with errors: how long parsing may take is none of the
    things that a key tells.

    ``key`` is that of the sources before they were read: nothing is kept if they have changed since. ``effects`` are
    those of the user's sources, ``made`` is what became of them, ``text`` what was found in the texts by themselves.
    """
    if options.cache_dir is None or not translation.files:
        return
    now = Now.of(paths, options)
    if now is None or now.key != key:
        return
    store, facts = Store(options.cache_dir), effects.facts
    known = [effects, *((made.optimised.effects,) if made.optimised is not None else ())]
    looked = set[tuple[str, str]]().union(*(e.looked for e in known))
    distinct = list({id(f): f for f in (facts, *(after for _, after in made.stages))}.values())
    useful = _of_use_after_edits(options, facts)
    two = useful and worth_two(options.jobs, _lines(facts))
    with beside(lambda: _keep_facts(store, key, distinct, known), two) as kept:
        steps = _steps(distinct, made, looked, text) if useful else None
        store.put(_TEXTS, key, Kept(key, now.digests, _plain(translation), steps))
        if useful:
            kept.result()
    store.put(_LAST, now.surroundings, key)


def _keep_facts(store: Store, key: str, distinct: Sequence[Facts], known: Sequence[Effects]) -> None:
    """Keep facts without bodies, and the texts that passes have made. ``known`` are the effects under some of them."""
    from hfpy.store.kept import without_bodies

    store.put(_FACTS, key, without_bodies(distinct, known))
    store.put(_LOWERED, key, tuple(_lowered(f, distinct[0]) for f in distinct))


def _steps(
    distinct: Sequence[Facts], made: Made, looked: Collection[tuple[str, str]], text: Sequence[Diagnostic]
) -> Steps:
    """What is known of the steps that gave these facts, the first of which are those of the user's sources."""
    from hfpy.analyze.asked import asked_files
    from hfpy.making import in_source_lines
    from hfpy.parse.outside import mentions
    from hfpy.store.parts import asked_parts, parted_files
    from hfpy.store.signatures import signatures_of

    numbers = {id(f): n for n, f in enumerate(distinct)}
    signed = signatures_of(distinct)
    parted = parted_files(distinct[0].application, made.written.files)
    return Steps(
        tuple(step.files for step in signed),
        {name: numbers[id(after)] for name, after in made.stages},
        asked_files(distinct[0], looked, made.facts.application),
        _forms(made),
        made.written.openmp,
        in_source_lines(distinct[0].application.files, made.whole),
        in_source_lines(distinct[0].application.files, text),
        in_source_lines(distinct[0].application.files, made.said),
        mentions(distinct[0].application),
        parted,
        tuple(step.units for step in signed),
        asked_parts(parted, distinct[0], looked, made.facts.application),
    )


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
        explained=_nothing,
        schedule=_nothing,
        kernels=_no_kernels,
        survey=_no_survey,
        loops=_no_survey,
        faults=_no_faults,
    )


def _of_use_after_edits(options: Options, facts: Facts) -> bool:
    """Whether signatures and facts are kept: not of small code bases, of code that loses directives of the user's (an
    edited file would have to be settled before it is compared), and where what one file becomes depends on the bodies
    of others in more than an island: code for a device (states of arrays), arrays in blocks.
    """
    if _lines(facts) < _WORTH:
        return False
    if any(use.module == PROCESSES_MODULE for f in facts.application.files for u in f.units for use in u.uses):
        return False  # where halos are exchanged depends on the whole program
    if facts.application.by_column:
        return False  # what any routine does may speak against it
    if facts.application.reworded:
        return False  # an edited file would have to be reworded before it is compared
    if options.scripts is not None or options.changes:
        return False  # what they make of a kernel is not asked for again
    found = options.directives_as_regions or options.auto
    return not (options.drop_directives or found or options.specialise)


def _lines(facts: Facts) -> int:
    """The lines of a program."""
    return sum(len(f.source.lines) for f in facts.application.files)


def key_now(paths: Sequence[Path], options: Options) -> str:
    """The key of a translation of the sources as they are now; empty if one cannot be read."""
    now = Now.of(paths, options)
    return now.key if now is not None else ""


def _key(surroundings: str, digests: Mapping[str, str]) -> str:
    """What decides a translation: the sources by their paths, and their surroundings."""
    return key_of([surroundings, *(part for item in digests.items() for part in item)])


def _nothing(_name: str | None) -> str:
    return ""


def _no_kernels(_pass: str, _name: str | None) -> str:
    return ""


def _no_faults(_outside: Outside) -> tuple[Diagnostic, ...]:
    raise LookupError("faults")


def _no_survey() -> None:
    return None


@dataclass(frozen=True)
class Full:
    """How a full translation is had where later questions need one, and one that is kept."""

    once: Callable[[], Translation]
    kept: Callable[[], Translation]


def from_cache(paths: Sequence[Path], options: Options, full: Full) -> Translation | None:
    """The translation, if all but the bodies of a few files is as it was; None where a full translation is needed.
    ``full`` gives that where later questions need it.
    """
    if options.cache_dir is None:
        return None
    now = Now.of(paths, options)
    if now is None:
        return None
    store = Store(options.cache_dir)
    kept = store.get(_TEXTS, now.key)
    if isinstance(kept, Kept) and kept.key == now.key:
        return _asking(kept.translation, options, now.key, full)
    last = last_kept(store, now)
    made = _made_again(last[1], options, last[0], store) if last is not None else None
    if made is None:
        return None
    store.put(_TEXTS, now.key, Kept(now.key, now.digests, _plain(made)))
    return _asking(made, options, now.key, full)


def last_kept(store: Store, now: Now) -> tuple[Kept, frozenset[str]] | None:
    """What the last full translation of the same files left behind, and which of them have another text now."""
    last = store.get(_LAST, now.surroundings)
    kept = store.get(_TEXTS, last) if isinstance(last, str) else None
    if not isinstance(kept, Kept) or kept.steps is None or kept.digests.keys() != now.digests.keys():
        return None
    return kept, frozenset(path for path, digest in now.digests.items() if kept.digests[path] != digest)


def facts_kept(store: Store, kept: Kept) -> tuple[tuple[Stage, ...], tuple[Texts, ...]] | None:
    """The facts after each step of a translation that was kept, and the texts that passes made; None where they are not
    there any more.
    """
    stages, lowered = store.get(_FACTS, kept.key), store.get(_LOWERED, kept.key)
    return (stages, lowered) if isinstance(stages, tuple) and isinstance(lowered, tuple) else None


def asked_next(store: Store, now: Now, outside: Outside) -> tuple[tuple[str, str], ...]:
    """The entries, by step and key, that are asked for when sources with these surroundings are edited."""
    key = store.get(_LAST, now.surroundings)
    if not isinstance(key, str):
        return ()
    return (_TEXTS, key), (_FAULTS, faults_key(key, outside)), (_FACTS, key), (_LOWERED, key)


def faults_kept(store: Store, kept: Kept, outside: Outside) -> tuple[Diagnostic, ...] | None:
    """The faults of a program that was translated; None where they are not known."""
    found = store.get(_FAULTS, faults_key(kept.key, outside))
    return found if isinstance(found, tuple) else None


def _asking(translation: Translation, options: Options, key: str, full: Full) -> Translation:
    """A translation from what was kept, with the answers of a full one to later questions."""

    def faults(outside: Outside) -> tuple[Diagnostic, ...]:
        assert options.cache_dir is not None
        known = Store(options.cache_dir).get(_FAULTS, faults_key(key, outside))
        if isinstance(known, tuple):
            return known
        try:
            return translation.faults(outside)
        except LookupError:
            return full.kept().faults(outside)  # so that after the next edit those of the other files are known

    return replace(
        translation,
        explained=lambda name: full.once().explained(name),
        schedule=lambda name: full.once().schedule(name),
        kernels=lambda step, name: full.once().kernels(step, name),
        survey=lambda: full.once().survey(),
        loops=lambda: full.once().loops(),
        faults=remembered_faults(options, key, faults),
    )


def _made_again(changed: frozenset[str], options: Options, kept: Kept, store: Store) -> Translation | None:
    """The translation after edits of bodies in some files; None where what was kept does not say it."""
    from hfpy.analyze.asked import asking
    from hfpy.making import in_source_lines, made_of
    from hfpy.store.again import Again
    from hfpy.store.kept import NotKept

    steps, there = kept.steps, facts_kept(store, kept)
    if steps is None or there is None:
        return None
    stages, lowered = there
    files = asking(steps.net, changed)
    if len(files) > _MANY or any({d.place.file, *(r.place.file for r in d.related)} & changed for d in steps.whole):
        return None
    try:
        again = Again.of(files, changed, options, steps, stages, lowered)
        facts, effects = again.first()
        made = made_of(facts, effects, only=files, again=again)
    except NotKept:
        return None
    except Exception:
        if os.environ.get("HFPY_DEBUG"):
            raise
        return None  # a full translation tells what is wrong
    before = kept.translation
    found = in_source_lines(facts.application.files, [d for d in made.found if d.place.file in files])
    if has_errors(found) or not _same_elsewhere(_forms(made), steps.forms, files):
        return None
    elsewhere = [*(d for d in before.diagnostics if d.place.file not in files), *steps.whole]
    return replace(
        before,
        files=_in_place(before.files, made.written.files, files),
        diagnostics=ordered(dict.fromkeys([*elsewhere, *found])),
        openmp=bool(steps.openmp - files or made.written.openmp),
        faults=_faults_again(facts, effects, files, kept, store),
    )


def _faults_again(
    facts: Facts, effects: Effects, files: frozenset[str], kept: Kept, store: Store
) -> Callable[[Outside], tuple[Diagnostic, ...]]:
    """The faults of a program some files of which were made anew, from those that are kept. Raises
    LookupError where there are none, or they are not enough.
    """

    def faults(outside: Outside) -> tuple[Diagnostic, ...]:
        from hfpy.analyze.faults.faults import faults_of
        from hfpy.making import deep, in_source_lines

        before = faults_kept(store, kept, outside)
        with deep():
            here = faults_of(facts, effects, outside, files) if before is not None else None
        if before is None or here is None:
            raise LookupError(kept.key)
        elsewhere = (d for d in before if d.place.file not in files)
        return ordered([*elsewhere, *in_source_lines(facts.application.files, here)])

    return faults


def remembered_faults(
    options: Options, key: str, found: Callable[[Outside], tuple[Diagnostic, ...]]
) -> Callable[[Outside], tuple[Diagnostic, ...]]:
    """Faults that are kept once they are asked for; ``key`` is that of the translation."""

    def faults(outside: Outside) -> tuple[Diagnostic, ...]:
        made = found(outside)
        if options.cache_dir is not None:
            Store(options.cache_dir).put(_FAULTS, faults_key(key, outside), made)
        return made

    return faults


def faults_key(key: str, outside: Outside) -> str:
    """What decides the faults of a program: the key of its translation, and what is known of other modules."""
    modules = (str(p) for folder in outside.modules for p in sorted(folder.glob("*.mod")))
    return key_of([key, repr(outside), *modules])


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
