"""A group of columns as the body of a region: one thread a column, its loops one after the other
(stencil-optimisation.md §7, lowering).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field

from hfpy.analyze.language.sizes import Linear, linear
from hfpy.model.building import Maker, apply, binary, literal, name, number, plus
from hfpy.model.expressions import Apply, Binary, Expr, walk
from hfpy.model.statements import Assignment, Construct, Node, OneLine, Part, Statement, expressions
from hfpy.transform.stencil.clusters import Cluster
from hfpy.transform.stencil.linearforms import atom, bound, shown
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.members import Instance, Member, Spot, base_of, spot_of
from hfpy.transform.stencil.program import Access, Stage, Version, distance, moved
from hfpy.transform.stencil.substitution import Substitution, spelled
from hfpy.transform.stencil.sweeps import ColumnGroup, lags
from hfpy.values import dataclass


@dataclass
class _Turn:
    """One turn of a cluster: its level as it is written, the level where that is a number or a size (None in the
    loop), and what single variables hold by now: arrays set in this turn, and stages computed for it.
    """

    shown: Expr
    level: Linear | None
    variables: Mapping[str, int]
    stored: frozenset[str]
    known: set[str] = field(default_factory=set)
    computed: set[Instance] = field(default_factory=set)


class _InColumn(Substitution):
    """Statements of a stage in a turn; what some of them set goes to a variable, and to memory besides. Beside
    the loop, where the level is known, conditions about it are decided.
    """

    def __init__(
        self,
        stage: Stage,
        access: Callable[[Access], Expr],
        scalars: Mapping[str, str],
        point: Mapping[str, Expr],
        level: tuple[str, Linear | None],
        kept: Callable[[Access], tuple[Expr | None, Expr | None]],
    ) -> None:
        super().__init__(stage, access, scalars, point)
        self.level, self.at = level
        self.kept = kept

    def _node(self, node: Node) -> Iterator[Node]:
        if isinstance(node, Construct):
            yield from self._branches(node)
            return
        action: Statement = node
        condition: Expr | None = None
        if isinstance(node, OneLine):
            action = node.action
            known = self._decided(node.control[0])
            if known is False:
                return
            condition = None if known else self.expression(node.control[0], node.line)
        made = self._assigned(action)
        if condition is not None and len(made) == 1:
            yield Maker(node.line).only_if(condition, made[0])
        else:
            yield from Maker(node.line).branch(condition, made)

    def _branches(self, node: Construct) -> Iterator[Node]:
        """A branch, without the sides that are never taken."""
        sides: list[Part] = []
        for part in node.parts:
            conditions = expressions(part.header)
            known = self._decided(conditions[0]) if conditions else True
            if known is False:
                continue
            if not sides and known:
                yield from self.of(part.body)
                return
            line = part.header.line
            condition = None if known else self.expression(conditions[0], line)
            sides.append(Maker(line).side(condition, self.of(part.body), not sides))
            if known:
                break
        if sides:
            yield Maker(node.header.line).branches(sides)

    def _assigned(self, action: Statement) -> list[Statement]:
        assert isinstance(action, Assignment)
        value = self.expression(action.value, action.line)
        access = self.stage.accesses.get((action.line.key, action.target.start, action.target.end))
        variable, memory = self.kept(access) if access is not None else (None, None)
        make = Maker(action.line)
        if variable is None:
            return [make.assign(self.expression(action.target, action.line), value)]
        return [make.assign(variable, value), *([make.assign(memory, variable)] if memory is not None else [])]

    def _decided(self, condition: Expr) -> bool | None:
        """Whether a condition about the level holds, where that is known."""
        if self.at is None or not isinstance(condition, Binary) or condition.op not in _COMPARED:
            return None
        if any(isinstance(n, Apply) for n in walk(condition)):
            return None
        sides = [linear(e) for e in (condition.left, condition.right)]
        integers = {"", self.level} | {atom for atom, _ in self.at}
        if any(atom not in integers for form in sides for atom, _ in form):
            return None
        left, right = (self._there(form) for form in sides)
        by = distance(left, right)
        return None if by is None else _COMPARED[condition.op](by)

    def _there(self, form: Linear) -> Linear:
        """A form with the level put in."""
        assert self.at is not None
        terms = dict(form)
        times = terms.pop(self.level, 0)
        for what, factor in self.at if times else ():
            terms[what] = terms.get(what, 0) + factor * times
        return tuple(sorted((a, c) for a, c in terms.items() if c))


# What the difference of two sides says of a comparison.
_COMPARED: Mapping[str, Callable[[int], bool]] = {
    "==": lambda by: by == 0,
    "/=": lambda by: by != 0,
    "<": lambda by: by < 0,
    "<=": lambda by: by <= 0,
    ">": lambda by: by > 0,
    ">=": lambda by: by >= 0,
}


class SweepWriter:
    """Makes the body of a region over the columns of a group. ``evaluations`` counts how often stages are made."""

    def __init__(self, group: ColumnGroup, names: Locals, target: str) -> None:
        self.group = group
        self.program = group.program
        self.names = names
        self.target = target
        self.level = self.program.iterators[-1]
        self.way = 1
        self.make = Maker(group.stages[0].region.header.line)
        self.evaluations: dict[int, int] = {}

    def nodes(self) -> Iterator[Node]:
        """The whole body."""
        for cluster in self.group.clusters:
            self.way = cluster.way
            yield from self._cluster(cluster)

    # -- loops and the turns around them

    def _cluster(self, cluster: Cluster) -> Iterator[Node]:
        gone = {a: lags(cluster, a) for a in sorted(self.group.vanished & _written(cluster))}
        outside = _Turn(name(""), None, {}, frozenset())
        for one in cluster.at("first"):
            yield from self._member(one, outside)
        if cluster.levels is not None:
            yield from self._around(cluster, gone)
        outside = _Turn(name(""), None, {}, frozenset())
        for one in cluster.at("last"):
            yield from self._member(one, outside)

    def _around(self, cluster: Cluster, gone: Mapping[str, int]) -> Iterator[Node]:
        before = [node for n in range(-cluster.before, 0) for node in self._turn(cluster, gone, n)]
        behind = [node for n in range(cluster.behind) for node in self._turn(cluster, gone, n, behind=True)]
        yield from self._begin(cluster, gone, bool(before or behind))
        yield from before
        carried = dict(self.group.carried(cluster)) if self.target == "gpu" else {}
        yield from self._loaded(cluster, carried)
        turn = _Turn(name(self.level), None, {**gone, **carried}, frozenset(carried))
        inner = [node for one in cluster.loops for node in self._member(one, turn)]
        inner += self._passed_on({**gone, **carried})
        yield self.make.loop(self.level, bound(cluster.begin), bound(cluster.end), inner, self.way)
        yield from behind

    def _begin(self, cluster: Cluster, gone: Mapping[str, int], guarded: bool) -> Iterator[Node]:
        """Values for variables that may be read before the first turn that sets them, which nobody looks at then."""
        for array, back in gone.items():
            zero = self._zero(array)
            if not self._set_before(cluster, array, back):
                yield from (self.make.assign(self.variable(array, by), zero) for by in range(1, back + 1))
                if guarded:
                    yield self.make.assign(self.variable(array, 0), zero)

    def _zero(self, array: str) -> Expr:
        """A value that any element of an array may have."""
        logical = self.program.patterns[array].logical
        return literal("logical", ".false.") if logical else number(0)

    @staticmethod
    def _set_before(cluster: Cluster, array: str, back: int) -> bool:
        """Whether statements before the loop set all that its first turn finds in variables of an array."""
        if cluster.behind or cluster.before != 1 or back > 1:
            return False
        early = [t for m in cluster.loops if cluster.starts_early(m) for t in m.touches if t.array == array]
        earlier = [t for t in early if t.write or t.spot.level != 0]
        rows = [m for m in cluster.at("turn") if m.span is None]
        return not earlier and any(array in m.sure for m in rows)

    def _loaded(self, cluster: Cluster, carried: Mapping[str, int]) -> Iterator[Node]:
        """What the first turns of the loop find in variables."""
        make = self.make
        for array, back in carried.items():
            loads = []
            for by in range(1, back + 1):
                there = self.element(array, (), bound(moved(cluster.begin, -by * self.way)))
                loads.append(make.assign(self.variable(array, by), there))
            if all(self._surely_set(cluster, array, by) for by in range(1, back + 1)):
                yield from loads
                continue
            assert cluster.levels is not None
            yield from (make.assign(load.target, self._zero(array)) for load in loads)
            yield from make.branch(_not_above(cluster.levels.lower, cluster.levels.upper), loads)

    @staticmethod
    def _surely_set(cluster: Cluster, array: str, by: int) -> bool:
        """Whether a statement before the loop has set the element so many levels before its first."""
        level = moved(cluster.begin, -by * cluster.way)
        rows = [m for m, p in zip(cluster.members, cluster.places, strict=True) if m.span is None and p != "last"]
        return any(m.row == level and array in m.sure for m in rows)

    def _passed_on(self, variables: Mapping[str, int]) -> Iterator[Node]:
        """The values of this turn as those of the turn before the next."""
        for array, back in variables.items():
            for by in range(back, 0, -1):
                yield self.make.assign(self.variable(array, by), self.variable(array, by - 1))

    def _turn(self, cluster: Cluster, gone: Mapping[str, int], number: int, behind: bool = False) -> Iterator[Node]:
        """A turn before or after the loop, each loop in it as far as it goes."""
        level = moved(cluster.end, (number + 1) * self.way) if behind else moved(cluster.begin, number * self.way)
        turn = _Turn(bound(level), level, gone, frozenset())
        last: Expr | None = None
        inner: list[Node] = []
        for one in cluster.at("turn"):
            there, condition = self._condition(cluster, one, level, behind)
            if not there:
                continue
            if condition != last:
                yield from self.make.branch(last, inner)
                last, inner = condition, []
                turn.computed = set()
            inner += self._member(one, turn)
        passed = [*self._passed_on(gone)]
        condition = self._reached(cluster, level) if behind else None
        if condition != last:
            yield from self.make.branch(last, inner)
            inner = []
        yield from self.make.branch(condition, [*inner, *passed])

    def _condition(self, cluster: Cluster, one: Member, level: Linear, behind: bool) -> tuple[bool, Expr | None]:
        """Whether a member may have a turn at a level beside the loop, and the condition that it has."""
        if one.span is None:
            return one.row == level and self._side(cluster, one) == behind, None
        first, last = (one.span.lower, one.span.upper)[:: self.way]
        if behind:
            late = distance(level, last)
            if late is None or late * self.way > 0:
                return False, None
            return True, self._reached(cluster, level)
        early = distance(level, first)
        if early is None or early * self.way < 0:
            return False, None
        return True, _not_above(level, last) if self.way > 0 else _not_above(last, level)

    @staticmethod
    def _side(cluster: Cluster, one: Member) -> bool:
        """Whether a statement about a level is after the loop."""
        assert one.row is not None
        early = cluster.after_begin(one.row)
        return early is None or early >= 0

    def _reached(self, cluster: Cluster, level: Linear) -> Expr | None:
        """Where a level after the loop is not one of those before it."""
        return _not_above(cluster.begin, level) if self.way > 0 else _not_above(level, cluster.begin)

    # -- statements

    def _member(self, one: Member, turn: _Turn) -> Iterator[Node]:
        for instance in one.instances:
            yield from self._instance(instance, turn)
        self.evaluations[one.stage.number] = self.evaluations.get(one.stage.number, 0) + 1
        base = base_of(one.stage, one.span)
        point = {**{i: name(i) for i in self.program.iterators}, self.level: turn.shown}
        yield from _InColumn(
            one.stage,
            lambda a: self.value(one.stage, a, base, turn, one),
            self.scalars(one.stage, ""),
            point,
            (self.level, turn.level),
            lambda a: self._kept(a, turn),
        ).of(one.body)
        turn.known |= one.sure

    def _instance(self, instance: Instance, turn: _Turn) -> Iterator[Node]:
        """The statements that compute a stage at a spot, into variables."""
        if instance in turn.computed:
            return
        turn.computed.add(instance)
        stage, spot = instance.stage, instance.spot
        self.evaluations[stage.number] = self.evaluations.get(stage.number, 0) + 1
        point = {i: plus(name(i), o) for i, o in zip(self.program.iterators, spot.across, strict=False)}
        point[self.level] = self._level(spot, turn)
        at = spot.row
        if at is None and turn.level is not None and spot.level is not None:
            at = moved(turn.level, spot.level)
        yield from _InColumn(
            stage,
            lambda a: self._instance_value(instance, a, turn),
            self.scalars(stage, self._suffix(spot, turn)),
            point,
            (self.level, at),
            lambda a: (self._computed(stage.version(a.array), spot, turn), None),
        ).of(stage.body)

    def _kept(self, access: Access, turn: _Turn) -> tuple[Expr | None, Expr | None]:
        """The variable that a turn keeps what it sets in, and the element in memory if that is set, too."""
        if access.array not in turn.variables:
            return None, None
        memory = self.element(access.array, (), turn.shown) if access.array in turn.stored else None
        return self.variable(access.array, 0), memory

    def _instance_value(self, instance: Instance, access: Access, turn: _Turn) -> Expr:
        if access.own:
            return self._computed(instance.stage.version(access.array), instance.spot, turn)
        return self.value(instance.stage, access, instance.spot, turn, None)

    # -- values

    def value(self, stage: Stage, access: Access, base: Spot, turn: _Turn, one: Member | None) -> Expr:
        """What represents an element that a stage at a spot names."""
        pattern = self.program.patterns[access.array]
        spot = spot_of(base, access, pattern, self.level)
        source = self.group.inliner.source(stage, access.array, spot)
        if source is not None:
            return self._computed(source.version(access.array), spot, turn)
        back = self._back(spot, turn)
        if access.array in turn.variables and back is not None and not any(spot.across):
            early = one is not None and access.array in one.exposed
            known = access.array in turn.known or (one is not None and access.array in one.writes and not early)
            if back > 0 or known or access.array not in turn.stored:
                return self.variable(access.array, back)
        return self.element(access.array, spot.across, self._level(spot, turn))

    def _back(self, spot: Spot, turn: _Turn) -> int | None:
        """How many turns before this one a level was."""
        if spot.level is not None:
            back = -spot.level * self.way
            return back if back >= 0 else None
        if spot.row is None or turn.level is None:
            return None
        by = distance(turn.level, spot.row)
        return by * self.way if by is not None and by * self.way >= 0 else None

    def _level(self, spot: Spot, turn: _Turn) -> Expr:
        """A spot's level; what has none does not ask for it."""
        if spot.row is not None:
            return bound(spot.row)
        if spot.level is None:
            return name("")
        if turn.level is not None:
            return bound(moved(turn.level, spot.level))
        return plus(turn.shown, spot.level)

    def element(self, array: str, across: tuple[int, ...], level: Expr) -> Expr:
        """An element in memory."""
        at = dict(zip(self.program.iterators, across or (0,) * len(self.program.iterators), strict=False))
        items = []
        for item in self.program.patterns[array].items:
            items.append(level if item == self.level else plus(atom(item), at.get(item, 0)))
        return apply(array, items)

    def variable(self, array: str, back: int) -> Expr:
        """The variable that holds what an array has so many turns before this one."""
        at = tuple(-back * self.way if i == self.level else 0 for i in self.program.iterators)
        suffix = spelled(at, self.program.iterators)
        return name(self.names.scalar(array, suffix, self.program.patterns[array].type_text))

    def _computed(self, version: Version, spot: Spot, turn: _Turn) -> Expr:
        """The variable that holds what was computed for a spot."""
        count = f"_v{version.number}" if version.number > 1 else ""
        text = self.program.patterns[version.array].type_text
        return name(self.names.scalar(version.array, f"{count}{self._suffix(spot, turn)}", text))

    def _suffix(self, spot: Spot, turn: _Turn) -> str:
        """A spot as part of a name."""
        level, at = spot.level, ""
        if spot.row is not None:
            level = distance(spot.row, turn.level) if turn.level is not None else None
            at = "" if level is not None else "_at_" + "".join(c if c.isalnum() else "_" for c in shown(spot.row))
        return spelled((*spot.across, level or 0), self.program.iterators) + at

    def scalars(self, stage: Stage, suffix: str) -> dict[str, str]:
        """The names of a stage's own variables."""
        types = self.program.types
        return {n: self.names.scalar(n, f"_s{stage.number}{suffix}", types[n]) for n in stage.scalars}


def _written(cluster: Cluster) -> set[str]:
    return {a for m in cluster.members for a in m.writes}


def _not_above(low: Linear, high: Linear) -> Expr | None:
    """The condition that one level is not above another; None where that is sure."""
    by = distance(high, low)
    return None if by is not None and by >= 0 else binary(bound(low), "<=", bound(high))
