"""Parallel stages in a group of columns: which of them are computed where a sweep needs them, and what that touches.

Computed where it is needed, a stage sees its inputs later than it was written to; so none of them may have been
overwritten by then, and it must have been computed there at all (stencil-optimisation.md §3, rules 1 to 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from hfpy.model.statements import Assignment
from hfpy.transform.stencil.groups import Illegal
from hfpy.transform.stencil.members import (
    Instance,
    Member,
    Spot,
    Touch,
    base_of,
    member,
    named,
    pieces_of,
    spot_of,
    with_exposed,
)
from hfpy.transform.stencil.program import Access, Program, Span, Stage, Version, distance, moved, within

MOST_INSTANCES = 60  # of other stages that a member may compute before it


class Inliner:
    """Decides for the stages of one group. ``gone`` are the numbers of those that are computed where they are needed
    only, and never stored.
    """

    def __init__(self, program: Program, stages: Sequence[Stage]) -> None:
        self.program = program
        self.stages = stages
        self.level = program.iterators[-1]
        self.inside = {s.number for s in stages}
        self.before = {s.number: {r.version.array: r.version for r in s.reads} for s in stages}
        self.writers: dict[str, list[Stage]] = {}
        for stage in program.stages:
            for version in stage.writes:
                self.writers.setdefault(version.array, []).append(stage)
        self.gone: frozenset[int] = frozenset()
        self._choose()

    def _choose(self) -> None:
        """Stages vanish as long as the others can do without what they store, the last first."""
        found: set[int] = set()
        for stage in reversed(self.stages):
            if self._could_go(stage) and self._legal(frozenset(found | {stage.number})):
                found.add(stage.number)
        while half := {n for n in found for s in self._fellows(n) if s.number not in found}:
            found -= half
        self._legal(frozenset(found))

    def _legal(self, gone: frozenset[int]) -> bool:
        """Whether the members can do without some stages; these are taken for gone from now on."""
        self.gone = gone
        self.__dict__.pop("members", None)
        try:
            return bool(self.members)
        except Illegal:
            return False

    def _fellows(self, number: int) -> list[Stage]:
        """The stages that write what a stage writes: where one of them has not been, the value of another shows."""
        stage = self.program.stages[number]
        return [s for v in stage.writes for s in self.writers[v.array]]

    def _could_go(self, stage: Stage) -> bool:
        """Whether nobody outside of the group reads what a stage computes, or what was there before."""
        for fellow in self._fellows(stage.number):
            if fellow.pieces or fellow.keeps or fellow.number not in self.inside:
                return False
        for version in stage.writes:
            before = any(Version(version.array, 0) == r.version for s in self.stages for r in s.reads)
            if before or self.read_outside(version.array) or not self.program.patterns[version.array].local:
                return False
        return True

    def read_outside(self, array: str) -> bool:
        """Whether an array is read by others than the stages of the group."""
        return array in self.program.read_elsewhere or any(
            r.version.array == array for s in self.program.stages if s.number not in self.inside for r in s.reads
        )

    def known_outside(self, array: str) -> bool:
        """Whether an array may hold values that no stage of the group has computed."""
        return array in self.program.set_elsewhere or any(s.number not in self.inside for s in self.writers[array])

    @cached_property
    def members(self) -> tuple[Member, ...]:
        """The members of the group in their order. Raises Illegal if a stage cannot be computed where it is needed."""
        found: list[Member] = []
        for stage in self.stages:
            if stage.number in self.gone:
                continue
            for body, span, step in pieces_of(stage):
                found.append(self._member(len(found), stage, body, span, step))
        written = {a for m in found for a in m.writes}
        for one in found:
            for touch in one.touches:
                if touch.array in written and any(touch.spot.across):
                    raise Illegal(f"'{touch.array}' is read in another column and written")
        return tuple(found)

    def _member(self, number: int, stage: Stage, body: tuple, span: Span | None, step: int) -> Member:  # type: ignore[type-arg]
        base = base_of(stage, span)
        touches: list[Touch] = []
        before: list[Touch] = []  # of what is computed before the member
        instances: dict[Instance, None] = {}
        plain = all(isinstance(node, Assignment) for node in body)
        for access, write, surely in named(body, stage.accesses):
            spot = spot_of(base, access, self.program.patterns[access.array], self.level)
            source = None if write else self.source(stage, access.array, spot)
            if source is None:
                touches.append(Touch(access.array, spot, write, surely))
            else:
                self._compute(source, spot, (stage, span, plain), instances, before, (stage, access.array))
        made = member(number, stage, body, span, step, (*touches, *before), tuple(instances))
        here = frozenset(
            t.array for t in before if t.spot.level == 0 or (t.spot.row is not None and t.spot.row == made.row)
        )
        return with_exposed(made, here & made.writes)

    def source(self, stage: Stage, array: str, spot: Spot) -> Stage | None:
        """The stage that is computed anew for what a stage reads at a spot; None if it is read from memory."""
        version = self.before[stage.number].get(array)
        if version is None or array in {v.array for v in stage.writes}:
            return None
        producer = self.program.producer(version)
        if producer is None or producer.number not in self.inside:
            return None
        if producer.number in self.gone:
            return producer
        if not any(spot.across):
            return None
        if producer.pieces or producer.keeps:
            raise Illegal(f"'{array}' is read in another column and written")
        return producer

    def _compute(
        self,
        stage: Stage,
        spot: Spot,
        reader: tuple[Stage, Span | None, bool],
        instances: dict[Instance, None],
        touches: list[Touch],
        why: tuple[Stage, str],
    ) -> None:
        """What computing a stage at a spot takes, and before it what it needs in turn."""
        instance = Instance(stage.number, spot, stage)
        if instance in instances:
            return
        self._check_covered(stage, spot, reader, why)
        for access, write, _ in named(stage.body, stage.accesses):
            if write or access.own:
                continue
            there = spot_of(spot, access, self.program.patterns[access.array], self.level)
            source = self.source(stage, access.array, there)
            if source is not None:
                self._compute(source, there, reader, instances, touches, (stage, access.array))
                continue
            self._check_kept(stage, reader[0], access)
            touches.append(Touch(access.array, there, False, True))
        instances[instance] = None
        if len(instances) > MOST_INSTANCES:
            raise Illegal(f"more than {MOST_INSTANCES} values would be computed anew for one")

    def _check_kept(self, stage: Stage, reader: Stage, access: Access) -> None:
        """What a stage reads must still be there when it is computed for another one."""
        for other in self.writers.get(access.array, ()):
            if stage.number < other.number <= reader.number and other.number in self.inside - self.gone:
                raise Illegal(f"'{access.array}' is overwritten before it is read for the last time")

    def _check_covered(
        self, stage: Stage, spot: Spot, reader: tuple[Stage, Span | None, bool], why: tuple[Stage, str]
    ) -> None:
        """A stage must have been computed at a spot, or else nothing may be known of its values there."""
        consumer, span, plain = reader
        _, array = why
        across = consumer.box[:-1]
        wanted = tuple(Span(moved(s.lower, o), moved(s.upper, o)) for s, o in zip(across, spot.across, strict=True))
        fits = within(wanted, stage.box[:-1])
        levels = stage.box[-1]
        if fits and spot.level is not None:
            assert span is not None
            fits = within((Span(moved(span.lower, spot.level), moved(span.upper, spot.level)),), (levels,))
        elif fits and spot.row is not None:
            below, above = distance(spot.row, levels.lower), distance(levels.upper, spot.row)
            known = [d for d in (below, above) if d is not None]
            fits = len(known) == 2 and min(known) >= 0
            if not fits and known and min(known) >= 0:
                # Only where the stage has no levels at all it does not have this one; then nobody has set the element.
                fits = plain and self._only(array)
        if not fits:
            raise Illegal(f"'{array}' is read where this region does not compute it")

    def _only(self, array: str) -> bool:
        """Whether one stage, and nobody else in the routine, sets an array, on the same levels each time."""
        others = array in self.program.set_elsewhere or array in self.program.read_elsewhere
        return len(self.writers[array]) == 1 and not others and self.program.settled
