"""Runs of regions: neighbours over the same iterators, with nothing between them, as one program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import regions_of
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.regions.sharing import RoutineSharing
from hfpy.model.statements import Construct, Node, flatten, targets
from hfpy.transform.passes import Refusal, Refused
from hfpy.transform.stencil.lift import Draft
from hfpy.transform.stencil.program import Box, Pattern, Program, Read, Stage, Version, within
from hfpy.transform.stencil.sweeplift import SweepLifter
from hfpy.values import dataclass

MOST_REGIONS = 48  # in one program: what is known of each concerns all others


@dataclass(frozen=True)
class Found:
    """The programs of a routine, and why its other active regions are none."""

    programs: tuple[Program, ...]
    refusals: tuple[Refusal, ...]


class RunFinder:
    """Finds the programs of one routine."""

    def __init__(self, facts: Facts, sharing: RoutineSharing) -> None:
        self.facts = facts
        self.routine = sharing.routine
        self.lifter = SweepLifter(facts, sharing)
        self.numbers = {id(c): n for n, c in enumerate(regions_of(self.routine))}
        self.refusals: list[Refusal] = []
        self.by_name: dict[str, list[Reference]] = {}
        self.by_region: dict[int, list[Reference]] = {}
        self.roles: dict[str, Counter[str]] = {}
        for reference in facts.references[self.routine.key]:
            self.by_name.setdefault(reference.name, []).append(reference)
            self.roles.setdefault(reference.name, Counter())[reference.role] += 1
            for number in set(reference.at.regions):
                self.by_region.setdefault(number, []).append(reference)

    def search(self) -> Found:
        """All programs, in the order of the text; a region alone is a program of one stage."""
        jumps = any(targets(s) for s in flatten(self.routine.body))
        programs = [self._program(run, again) for run, again in self._runs(self.routine.body, jumps)]
        return Found(tuple(programs), tuple(self.refusals))

    def _runs(self, nodes: Sequence[Node], again: bool) -> Iterator[tuple[list[Draft], bool]]:
        """The runs in some statements, and whether they may run several times in one call of the routine."""
        current: list[Draft] = []
        for node in nodes:
            draft = self._draft(node)
            if current and (draft is None or not self._joins(current, draft)):
                yield current, again
                current = []
            if draft is not None:
                current.append(draft)
            elif isinstance(node, Construct):
                for part in node.parts:
                    yield from self._runs(part.body, again or node.kind in ("do", "dowhile", "doconcurrent"))
        if current:
            yield current, again

    def _draft(self, node: Node) -> Draft | None:
        if not isinstance(node, Construct) or node.kind != "region":
            return None
        number = self.numbers[id(node)]
        if RegionId(self.routine.key, number) not in self.facts.positions.regions:
            return None
        try:
            return self.lifter.draft(node, number)
        except Refused as refused:
            self.refusals.append(refused.refusal)
            return None

    def _joins(self, run: list[Draft], draft: Draft) -> bool:
        """Whether a region can be in one program with those before it; if not, the reason is kept."""
        reason = self._against(run, draft)
        if reason:
            self.refusals.append(Refusal(reason[0], reason[1], draft.place))
        return not reason

    def _against(self, run: list[Draft], draft: Draft) -> tuple[int, str] | None:
        if "no" in (draft.wishes.fuse, run[-1].wishes.fuse):
            return 9, "'fuse' keeps it apart"
        if draft.scope != run[0].scope:
            return 9, "a @stencilProgram begins or ends before it"
        if draft.iterators != run[0].iterators:
            return 7, f"its iterators are not those of the region before ({', '.join(run[0].iterators)})"
        if len(run) >= MOST_REGIONS:
            return 9, f"there are {MOST_REGIONS} regions before it, the most that are looked at together"
        everyone = [*run, draft]
        written = {name for d in everyone for name in d.written}
        for name in sorted({n for d in run for n in d.patterns} & draft.patterns.keys()):
            ways = {d.patterns[name].items for d in everyone if name in d.patterns}
            if len(ways) > 1:
                return 1, f"'{name}' is indexed in another way than in a region before"
        if changed := written & {n for d in everyone for n in d.fixed}:
            return 7, f"bounds or indices depend on '{min(changed)}', which is written"
        open_names = {n for d in everyone for n in d.open}
        arrays = {n for d in everyone for n in d.patterns}
        for first in sorted(open_names & written):
            for other in sorted(open_names - {first}):
                if other in arrays or self.facts.storage.shared(first, other, self.routine.key):
                    return 5, f"'{first}' may be the same memory as '{other}'"
        return None

    def _program(self, run: list[Draft], again: bool) -> Program:
        latest: dict[str, int] = {}
        stages = []
        for number, draft in enumerate(run):
            stages.append(_stage(number, draft, latest))
        patterns = {name: pattern for d in run for name, pattern in d.patterns.items()}
        last = {
            Version(name, number)
            for name, number in latest.items()
            if number and self._live(patterns[name], run, stages)
        }
        live = frozenset(last | _shining_through(stages, last))
        types = {n: self.lifter.type_text(n, d.place)[0] for d in run for n in d.scalars}
        read, written = self._elsewhere(run, patterns)
        settled = not again or all(self._steady(n) for d in run for n in d.fixed)
        return Program(
            self.routine.key, run[0].iterators, tuple(stages), patterns, live, types, read, written, again, settled
        )

    def _elsewhere(self, run: list[Draft], patterns: Mapping[str, Pattern]) -> tuple[frozenset[str], frozenset[str]]:
        """The arrays of a program that are read, and those that are set, outside of it."""
        inside = self._inside(run)
        read = frozenset(n for n in patterns if self._used_elsewhere(n, inside, "write"))
        written = frozenset(n for n in patterns if self._used_elsewhere(n, inside, "read"))
        return read, written | {n for n in patterns if not self._of_routine(n)}

    def _of_routine(self, name: str) -> bool:
        """Whether an array is the routine's own; what temporaries of others hold before is not known here."""
        data = self.facts.object(name, self.routine.key)
        return data is not None and data.local

    def _steady(self, name: str) -> bool:
        """Whether a variable keeps its value while the routine runs."""
        data = self.facts.object(name, self.routine.key)
        if data is None:
            return False
        if any(r.role not in ("read", "inquiry") for r in self.by_name.get(name, ())):
            return False
        return data.symbol.constant or data.local or data.symbol.intent == "in"

    def _live(self, pattern: Pattern, run: list[Draft], stages: list[Stage]) -> bool:
        """Whether what the program leaves in an array may be read later (rule 4)."""
        if not pattern.local:
            return True
        if any(_reads_from_before(s, r, stages) for s in stages for r in s.reads if r.version.array == pattern.name):
            return True  # the program itself reads it the next time
        return self._used_elsewhere(pattern.name, self._inside(run), "write")

    def _inside(self, run: list[Draft]) -> Counter[tuple[str, str]]:
        """How often names are mentioned in the regions of a run, in each role."""
        mentioned = {id(r): r for d in run for r in self.by_region.get(self.numbers[id(d.region)], ())}
        return Counter((r.name, r.role) for r in mentioned.values())

    def _used_elsewhere(self, name: str, inside: Counter[tuple[str, str]], but: str) -> bool:
        """Whether a name is mentioned outside of a run, other than to allocate it, and in another role than ``but``."""
        roles = (role for role in self.roles.get(name, ()) if role not in (but, "allocate"))
        return any(self.roles[name][role] > inside[(name, role)] for role in roles)


def _reads_from_before(stage: Stage, read: Read, stages: list[Stage]) -> bool:
    """Whether a stage reads, at some of its points, what an array held before the program: no version made since
    covers all of them.
    """
    wanted = stage.reached(read)
    made = [
        s.box for s in stages for v in s.writes if v.array == read.version.array and v.number <= read.version.number
    ]
    return not any(within(wanted, box) for box in made)


def _shining_through(stages: list[Stage], last: set[Version]) -> set[Version]:
    """Versions that stay visible at points where later versions of their array were not computed: at the end, or
    where a stage reads. They have to be in memory.
    """
    boxes = {v: s.box for s in stages for v in s.writes}
    found: set[Version] = set()

    def look(version: Version, wanted: Box) -> None:
        while version in boxes and not within(wanted, boxes[version]):
            version = Version(version.array, version.number - 1)
            if version in boxes:
                found.add(version)

    for stage in stages:
        for read in stage.reads:
            look(read.version, stage.reached(read))
    for version in last:
        covered = [boxes[version]]
        for number in range(version.number - 1, 0, -1):
            before = Version(version.array, number)
            if not any(within(boxes[before], box) for box in covered):
                found.add(before)
            covered.append(boxes[before])
    return found


def _stage(number: int, draft: Draft, latest: dict[str, int]) -> Stage:
    """A draft with versions; ``latest`` has the last version of each array so far, and is brought forward."""
    reads = set()
    for name, offsets in draft.offsets.items():
        before = Version(name, latest.get(name, 0))
        if name in draft.written:
            continue
        reads |= {Read(before, offset) for offset in offsets}
    here = (0,) * len(draft.iterators)
    for name in sorted(draft.keeps):
        reads.add(Read(Version(name, latest.get(name, 0)), here))
    writes = []
    for name in draft.written:
        latest[name] = latest.get(name, 0) + 1
        writes.append(Version(name, latest[name]))
    accesses = {key: replace(a, own=a.array in draft.written) for key, a in draft.accesses.items()}
    return Stage(
        number,
        draft.region,
        draft.body,
        draft.box,
        tuple(writes),
        frozenset(reads),
        accesses,
        draft.safe,
        draft.scalars,
        draft.keeps,
        draft.operations,
        draft.place,
        draft.wishes,
        draft.pieces,
    )
