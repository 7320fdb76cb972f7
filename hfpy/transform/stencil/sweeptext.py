"""A group of columns as the body of a region: one thread a column, its loops one after the other
(stencil-optimisation.md §7, lowering).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from hfpy.analyze.sizes import Linear, linear
from hfpy.model.expressions import Apply, Binary, Expr, walk
from hfpy.model.statements import Assignment, Construct, Node, OneLine, Statement, expressions
from hfpy.transform.stencil.clusters import Cluster
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.stencil.members import Instance, Member, Spot, base_of, spot_of
from hfpy.transform.stencil.program import Access, Stage, Version, distance, moved
from hfpy.transform.stencil.sweeps import ColumnGroup, lags
from hfpy.transform.stencil.text import Printer, bound, plus, spelled


@dataclass
class _Turn:
    """One turn of a cluster: the text of its level, the level where that is a number or a size (None in the loop), and
    what single variables hold by now: arrays set in this turn, and stages computed for it.
    """

    text: str
    level: Linear | None
    variables: Mapping[str, int]
    stored: frozenset[str]
    known: set[str] = field(default_factory=set)
    computed: set[Instance] = field(default_factory=set)


class _ColumnPrinter(Printer):
    """Prints statements of a stage in a turn; what some of them set goes to a variable, and to memory besides. Beside
    the loop, where the level is known, conditions about it are decided.
    """

    def __init__(
        self,
        stage: Stage,
        access: Callable[[Access], str],
        scalars: Mapping[str, str],
        point: Mapping[str, str],
        level: tuple[str, Linear | None],
        kept: Callable[[Access], tuple[str, str]],
    ) -> None:
        super().__init__(stage, access, scalars, point)
        self.level, self.at = level
        self.kept = kept

    def of(self, body: tuple[Node, ...]) -> Iterator[str]:
        """Some of the stage's statements, indented from column 0."""
        yield from self._nodes(body, "")

    def _nodes(self, nodes: tuple[Node, ...], indent: str) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, Construct):
                yield from self._branches(node, indent)
                continue
            yield from self._action(node, indent)

    def _branches(self, node: Construct, indent: str) -> Iterator[str]:
        """A branch, without the sides that are never taken."""
        begun = False
        for part in node.parts:
            conditions = expressions(part.header)
            known = self._decided(conditions[0]) if conditions else True
            if known is False:
                continue
            if not begun and known:
                yield from self._nodes(part.body, indent)
                return
            condition = self._expression(conditions[0], part.header.line) if conditions else ""
            word = "else if" if begun else "if"
            yield f"{indent}{word} ({condition}) then" if not known else f"{indent}else"
            yield from self._nodes(part.body, indent + "  ")
            begun = True
            if known:
                break
        if begun:
            yield f"{indent}end if"

    def _action(self, node: Node, indent: str) -> Iterator[str]:
        assert isinstance(node, Statement)
        action = node
        condition = ""
        if isinstance(node, OneLine):
            action = node.action
            known = self._decided(node.control[0])
            if known is False:
                return
            condition = "" if known else self._expression(node.control[0], node.line)
        lines = self._assigned(action)
        if condition and len(lines) == 1:
            yield f"{indent}if ({condition}) {lines[0]}"
        elif condition:
            yield f"{indent}if ({condition}) then"
            yield from (f"{indent}  {line}" for line in lines)
            yield f"{indent}end if"
        else:
            yield from (indent + line for line in lines)

    def _assigned(self, action: Statement) -> list[str]:
        assert isinstance(action, Assignment)
        value = self._expression(action.value, action.line)
        access = self.stage.accesses.get((action.line.key, action.target.start, action.target.end))
        name, memory = self.kept(access) if access is not None else ("", "")
        if not name:
            return [f"{self._expression(action.target, action.line)} = {value}"]
        return [f"{name} = {value}", *([f"{memory} = {name}"] if memory else [])]

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
        for atom, factor in self.at if times else ():
            terms[atom] = terms.get(atom, 0) + factor * times
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
    """Writes the body of a region over the columns of a group. ``evaluations`` counts how often stages are written."""

    def __init__(self, group: ColumnGroup, names: Locals, target: str) -> None:
        self.group = group
        self.program = group.program
        self.names = names
        self.target = target
        self.level = self.program.iterators[-1]
        self.way = 1
        self.evaluations: dict[int, int] = {}

    def lines(self) -> Iterator[str]:
        """The whole body."""
        for cluster in self.group.clusters:
            self.way = cluster.way
            yield from self._cluster(cluster)

    # -- loops and the turns around them

    def _cluster(self, cluster: Cluster) -> Iterator[str]:
        gone = {a: lags(cluster, a) for a in sorted(self.group.vanished & _written(cluster))}
        outside = _Turn("", None, {}, frozenset())
        for one in cluster.at("first"):
            yield from self._member(one, outside)
        if cluster.levels is not None:
            yield from self._around(cluster, gone)
        outside = _Turn("", None, {}, frozenset())
        for one in cluster.at("last"):
            yield from self._member(one, outside)

    def _around(self, cluster: Cluster, gone: Mapping[str, int]) -> Iterator[str]:
        before = [line for n in range(-cluster.before, 0) for line in self._turn(cluster, gone, n)]
        behind = [line for n in range(cluster.behind) for line in self._turn(cluster, gone, n, behind=True)]
        yield from self._begin(cluster, gone, bool(before or behind))
        yield from before
        carried = dict(self.group.carried(cluster)) if self.target == "gpu" else {}
        yield from self._loaded(cluster, carried)
        first, last = bound(cluster.begin), bound(cluster.end)
        yield f"do {self.level} = {first}, {last}{', -1' if self.way < 0 else ''}"
        turn = _Turn(self.level, None, {**gone, **carried}, frozenset(carried))
        for one in cluster.loops:
            yield from ("  " + line for line in self._member(one, turn))
        yield from ("  " + line for line in self._passed_on({**gone, **carried}))
        yield "end do"
        yield from behind

    def _begin(self, cluster: Cluster, gone: Mapping[str, int], guarded: bool) -> Iterator[str]:
        """Values for variables that may be read before the first turn that sets them, which nobody looks at then."""
        for array, back in gone.items():
            zero = ".false." if self.program.patterns[array].type_text.startswith("logical") else "0"
            if not self._set_before(cluster, array, back):
                yield from (f"{self.variable(array, by)} = {zero}" for by in range(1, back + 1))
                if guarded:
                    yield f"{self.variable(array, 0)} = {zero}"

    @staticmethod
    def _set_before(cluster: Cluster, array: str, back: int) -> bool:
        """Whether statements before the loop set all that its first turn finds in variables of an array."""
        if cluster.behind or cluster.before != 1 or back > 1:
            return False
        early = [t for m in cluster.loops if cluster.starts_early(m) for t in m.touches if t.array == array]
        earlier = [t for t in early if t.write or t.spot.level != 0]
        rows = [m for m in cluster.at("turn") if m.span is None]
        return not earlier and any(array in m.sure for m in rows)

    def _loaded(self, cluster: Cluster, carried: Mapping[str, int]) -> Iterator[str]:
        """What the first turns of the loop find in variables."""
        for array, back in carried.items():
            zero = ".false." if self.program.patterns[array].type_text.startswith("logical") else "0"
            loads = []
            for by in range(1, back + 1):
                text = self.element(array, (), bound(moved(cluster.begin, -by * self.way)))
                loads.append((self.variable(array, by), text))
            if all(self._surely_set(cluster, array, by) for by in range(1, back + 1)):
                yield from (f"{name} = {text}" for name, text in loads)
                continue
            assert cluster.levels is not None
            yield from (f"{name} = {zero}" for name, _ in loads)
            condition = _not_above(cluster.levels.lower, cluster.levels.upper)
            if condition:
                yield f"if ({condition}) then"
            yield from (f"{'  ' if condition else ''}{name} = {text}" for name, text in loads)
            if condition:
                yield "end if"

    @staticmethod
    def _surely_set(cluster: Cluster, array: str, by: int) -> bool:
        """Whether a statement before the loop has set the element so many levels before its first."""
        level = moved(cluster.begin, -by * cluster.way)
        rows = [m for m, p in zip(cluster.members, cluster.places, strict=True) if m.span is None and p != "last"]
        return any(m.row == level and array in m.sure for m in rows)

    def _passed_on(self, variables: Mapping[str, int]) -> Iterator[str]:
        """The values of this turn as those of the turn before the next."""
        for array, back in variables.items():
            for by in range(back, 0, -1):
                yield f"{self.variable(array, by)} = {self.variable(array, by - 1)}"

    def _turn(self, cluster: Cluster, gone: Mapping[str, int], number: int, behind: bool = False) -> Iterator[str]:
        """A turn before or behind the loop, each loop in it as far as it goes."""
        level = moved(cluster.end, (number + 1) * self.way) if behind else moved(cluster.begin, number * self.way)
        turn = _Turn(bound(level), level, gone, frozenset())
        last = ""
        inner: list[str] = []
        for one in cluster.at("turn"):
            condition = self._condition(cluster, one, level, behind)
            if condition is None:
                continue
            if condition != last:
                yield from _under(last, inner)
                last, inner = condition, []
                turn.computed = set()
            inner += self._member(one, turn)
        passed = [*self._passed_on(gone)]
        condition = self._reached(cluster, level) if behind else ""
        if condition != last:
            yield from _under(last, inner)
            inner = []
        yield from _under(condition, [*inner, *passed])

    def _condition(self, cluster: Cluster, one: Member, level: Linear, behind: bool) -> str | None:
        """Where a member has a turn at a level beside the loop: a condition, none (empty), or nowhere (None)."""
        if one.span is None:
            return "" if one.row == level and self._side(cluster, one) == behind else None
        first, last = (one.span.lower, one.span.upper)[:: self.way]
        if behind:
            late = distance(level, last)
            if late is None or late * self.way > 0:
                return None
            return self._reached(cluster, level)
        early = distance(level, first)
        if early is None or early * self.way < 0:
            return None
        return _not_above(level, last) if self.way > 0 else _not_above(last, level)

    @staticmethod
    def _side(cluster: Cluster, one: Member) -> bool:
        """Whether a statement about a level stands behind the loop."""
        assert one.row is not None
        early = cluster.after_begin(one.row)
        return early is None or early >= 0

    def _reached(self, cluster: Cluster, level: Linear) -> str:
        """Where a level behind the loop is not one of those before it."""
        return _not_above(cluster.begin, level) if self.way > 0 else _not_above(level, cluster.begin)

    # -- statements

    def _member(self, one: Member, turn: _Turn) -> Iterator[str]:
        for instance in one.instances:
            yield from self._instance(instance, turn)
        self.evaluations[one.stage.number] = self.evaluations.get(one.stage.number, 0) + 1
        base = base_of(one.stage, one.span)
        point = {**{i: i for i in self.program.iterators}, self.level: turn.text}
        yield from _ColumnPrinter(
            one.stage,
            lambda a: self.value(one.stage, a, base, turn, one),
            self.scalars(one.stage, ""),
            point,
            (self.level, turn.level),
            lambda a: self._kept(a, turn),
        ).of(one.body)
        turn.known |= one.sure

    def _instance(self, instance: Instance, turn: _Turn) -> Iterator[str]:
        """The lines that compute a stage at a spot, into variables."""
        if instance in turn.computed:
            return
        turn.computed.add(instance)
        stage, spot = instance.stage, instance.spot
        self.evaluations[stage.number] = self.evaluations.get(stage.number, 0) + 1
        point = {i: plus(i, o) for i, o in zip(self.program.iterators, spot.across, strict=False)}
        point[self.level] = self._level(spot, turn)
        at = spot.row
        if at is None and turn.level is not None and spot.level is not None:
            at = moved(turn.level, spot.level)
        yield from _ColumnPrinter(
            stage,
            lambda a: self._instance_value(instance, a, turn),
            self.scalars(stage, self._suffix(spot, turn)),
            point,
            (self.level, at),
            lambda a: (self._computed(stage.version(a.array), spot, turn), ""),
        ).of(stage.body)

    def _kept(self, access: Access, turn: _Turn) -> tuple[str, str]:
        """The variable that a turn keeps what it sets in, and the element in memory if that is set, too."""
        if access.array not in turn.variables:
            return "", ""
        memory = self.element(access.array, (), turn.text) if access.array in turn.stored else ""
        return self.variable(access.array, 0), memory

    def _instance_value(self, instance: Instance, access: Access, turn: _Turn) -> str:
        if access.own:
            return self._computed(instance.stage.version(access.array), instance.spot, turn)
        return self.value(instance.stage, access, instance.spot, turn, None)

    # -- values

    def value(self, stage: Stage, access: Access, base: Spot, turn: _Turn, one: Member | None) -> str:
        """The text of an element that a stage at a spot names."""
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

    def _level(self, spot: Spot, turn: _Turn) -> str:
        """The text of a spot's level."""
        if spot.row is not None:
            return bound(spot.row)
        if spot.level is None:
            return ""
        if turn.level is not None:
            return bound(moved(turn.level, spot.level))
        return plus(turn.text, spot.level)

    def element(self, array: str, across: tuple[int, ...], level: str) -> str:
        """An element in memory."""
        at = dict(zip(self.program.iterators, across or (0,) * len(self.program.iterators), strict=False))
        items = []
        for item in self.program.patterns[array].items:
            items.append(level if item == self.level else plus(item, at[item]) if item in at else item)
        return f"{array}({','.join(items)})"

    def variable(self, array: str, back: int) -> str:
        """The variable that holds what an array has so many turns before this one."""
        at = tuple(-back * self.way if i == self.level else 0 for i in self.program.iterators)
        return self.names.scalar(array, spelled(at, self.program.iterators), self.program.patterns[array].type_text)

    def _computed(self, version: Version, spot: Spot, turn: _Turn) -> str:
        """The variable that holds what was computed for a spot."""
        number = f"_v{version.number}" if version.number > 1 else ""
        text = self.program.patterns[version.array].type_text
        return self.names.scalar(version.array, f"{number}{self._suffix(spot, turn)}", text)

    def _suffix(self, spot: Spot, turn: _Turn) -> str:
        """A spot as part of a name."""
        level, at = spot.level, ""
        if spot.row is not None:
            level = distance(spot.row, turn.level) if turn.level is not None else None
            at = "" if level is not None else "_at_" + "".join(c if c.isalnum() else "_" for c in bound(spot.row))
        return spelled((*spot.across, level or 0), self.program.iterators) + at

    def scalars(self, stage: Stage, suffix: str) -> dict[str, str]:
        """The names of a stage's own variables."""
        types = self.program.types
        return {n: self.names.scalar(n, f"_s{stage.number}{suffix}", types[n]) for n in stage.scalars}


def _written(cluster: Cluster) -> set[str]:
    return {a for m in cluster.members for a in m.writes}


def _not_above(low: Linear, high: Linear) -> str:
    """The condition that one level is not above another; empty where that is sure."""
    by = distance(high, low)
    return "" if by is not None and by >= 0 else f"{bound(low)} <= {bound(high)}"


def _under(condition: str, lines: list[str]) -> Iterator[str]:
    """Lines under a condition, if there is one."""
    if not lines:
        return
    if not condition:
        yield from lines
        return
    yield f"if ({condition}) then"
    yield from ("  " + line for line in lines)
    yield "end if"
