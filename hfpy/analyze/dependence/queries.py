"""The questions that the dependence engine answers, and the order in which ways to answer are tried.

Cheap ones first: most pairs differ in a constant, or have each index of the region alone in a place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hfpy.analyze.dependence.answers import Answer, Pair, Proved, Refuted, Unknown, Witness
from hfpy.analyze.dependence.conflicts import Meeting, Question, apart, is_data, product_parameters
from hfpy.analyze.dependence.congruence import Point, find
from hfpy.analyze.dependence.coverage import exposed, may_come_before, obviously_covers, uncovered
from hfpy.analyze.dependence.encoding import Applied, Linear
from hfpy.analyze.dependence.forms import (
    Application,
    Atom,
    Form,
    Index,
    Parameter,
    atom,
    atoms_of,
    number,
    spelled,
    substituted,
)
from hfpy.analyze.dependence.model import (
    Access,
    Compare,
    Condition,
    Every,
    Facts,
    Instance,
    Loop,
    Nest,
    Section,
    Some,
    Subscript,
    forms_of,
)
from hfpy.analyze.dependence.sets import Sets, TooHardError
from hfpy.analyze.dependence.splitting import is_product
from hfpy.analyze.dependence.ways import ways
from hfpy.model.names import without_home

_PAIRS = 3_000  # of one array, but those that are obviously apart
_OPEN = 12
_COVERED = 20_000  # reads times writes
# Sizes that mean all where a product of a size and an index is in the way.
_SIZES = ((9, 7), (14, 11), (23, 16))


_OPERATIONS = frozenset("/*(")  # an operation begins with one of these; ``distinct`` is for arrays alone


class Engine:
    """Answers questions about nests. What was answered is kept with the engine."""

    def __init__(self) -> None:
        self.sets = Sets()

    def independent(self, nest: Nest, array: str) -> Answer:
        """Whether no two points of a nest meet in an element of an array that one of them writes.

        The worst answer of all pairs: refuted, then unknown, then proved.
        """
        return max((self._independent(way, array) for way in ways(nest)), key=_rank)

    def _independent(self, nest: Nest, array: str) -> Answer:
        return self._worst(nest, _pairs(_without_copies(nest.of(array)), frozenset(nest.points)))

    def unchanged(self, nest: Nest, array: str) -> Answer:
        """Whether a point that reads an element without having set it finds what was there before all points."""
        return max((self._unchanged(way, array) for way in ways(nest)), key=_rank)

    def _unchanged(self, nest: Nest, array: str) -> Answer:
        accesses = nest.of(array)
        writes = _without_copies(tuple(a for a in accesses if a.write))
        worst: Answer = Proved()
        for read in _without_copies(tuple(a for a in accesses if not a.write)):
            alone = replace(nest, accesses=(*writes, read))
            if not isinstance(self.private(alone, array), Proved):
                left = tuple(c for w in writes if (c := uncovered(w, read)) is not None)
                rest = replace(read, at=replace(read.at, guards=(*read.at.guards, *left)))
                worst = max(worst, self._worst(nest, ((w, rest) for w in writes)), key=_rank)
        return worst

    def _worst(self, nest: Nest, pairs: Iterator[Pair]) -> Answer:
        """The worst answer for some pairs. Where many are open, more would change nothing."""
        worst: Answer = Proved()
        left = _OPEN
        for count, pair in enumerate(pairs):
            answer = self.pair(nest.points, nest.facts, *pair) if count < _PAIRS else _too_hard(pair)
            if isinstance(answer, Refuted):
                return answer
            if _rank(answer) > _rank(worst):
                worst = answer
            left -= isinstance(answer, Unknown)
            if not left or count == _PAIRS:
                break
        return worst

    def pair(self, points: tuple[Index, ...], facts: Facts, first: Access, second: Access) -> Answer:
        """The same for two accesses."""
        if not first.write:
            first, second = second, first
        try:
            return self._pair(points, facts, (first, second))
        except TooHardError:
            return self._coarse(points, facts, (first, second))

    def private(self, nest: Nest, array: str) -> Answer:
        """Whether each point reads only elements of an array that it has set before.

        Unknown with the read that may see another value, and its kind ``exposed``.
        """
        return max((self._private(way, array) for way in ways(nest)), key=_rank)

    def _private(self, nest: Nest, array: str) -> Answer:
        accesses = nest.of(array)
        writes = _without_copies(tuple(a for a in accesses if a.write))
        reads = _without_copies(tuple(a for a in accesses if not a.write))
        same: dict[tuple[Subscript, ...], list[Access]] = {}
        for write in writes:
            same.setdefault(write.subscripts, []).append(write)
        reads = tuple(r for r in reads if not any(obviously_covers(w, r) for w in same.get(r.subscripts, ())))
        if len(reads) * len(writes) > _COVERED:
            return _too_hard((reads[0], reads[0]))
        for read in reads:
            try:
                point = exposed(self.sets, nest, read, writes)
            except TooHardError:
                return _too_hard((read, read))
            if point is not None:
                return Unknown("exposed", "an element may be read before the point has set it", (read, read))
        return Proved()

    def carried(self, nest: Nest, variable: str) -> Answer:
        """Whether each point sets what it reads of a variable. Refuted where a read that no write in its point can come
        before certainly sees what another point writes.
        """
        return max((self._carried(way, variable) for way in ways(nest)), key=_rank)

    def _carried(self, nest: Nest, variable: str) -> Answer:
        answer = self.private(nest, variable)
        if isinstance(answer, Proved):
            return answer
        accesses = nest.of(variable)
        writes = _without_copies(tuple(a for a in accesses if a.write))
        for read in _without_copies(tuple(a for a in accesses if not a.write)):
            if not any(may_come_before(w, read, nest.points) for w in writes):
                worst = self._worst(nest, ((w, read) for w in writes))
                if isinstance(worst, Refuted):
                    return worst
        return answer

    def filled(self, nest: Nest, array: str, shape: tuple[Section, ...]) -> bool:
        """Whether the points of a nest together certainly set all elements of an array, whose bounds are given."""
        return all(self._filled(way, array, shape) for way in ways(nest))

    def _filled(self, nest: Nest, array: str, shape: tuple[Section, ...]) -> bool:
        loops = []
        for place, dim in enumerate(shape):
            if dim.lower is None or dim.upper is None:
                return False
            loops.append(Loop(Index(f"element#{place}"), dim.lower, dim.upper, number(1)))
        places = tuple(atom(loop.index) for loop in loops)
        behind = Access(array, places, False, Instance(tuple(loops), (), (1,)))
        writes = (a for a in nest.of(array) if a.write)
        first = tuple(replace(a, at=replace(a.at, position=(0, *a.at.position))) for a in writes)
        return isinstance(self.private(Nest((), (*first, behind), nest.facts), array), Proved)

    # -- one pair

    def _pair(self, points: tuple[Index, ...], facts: Facts, pair: Pair) -> Answer:
        question = Question(self.sets, points, *pair, facts)
        meeting = question.meeting()
        if meeting is None:
            return Proved()
        if self._same_value(meeting, pair):
            return Proved(pair)
        exact = all(a.exact for a in pair) and not question.encoding.approximate
        if exact and question.encoding.products:
            left = (_without_products(pair[0]), _without_products(pair[1]))
            answer = self._pair(points, facts, left) if left != pair else None
            return answer if isinstance(answer, Unknown) else self._by_sizes(points, facts, pair)
        witness = _witness(meeting)
        values = question.values_matter(meeting)
        missing = question.missing(meeting)
        if exact and not values and missing is None:
            return Refuted(pair, witness)
        certain = question.certain(meeting) if exact and values else None
        if certain is not None and question.missing(certain) is None:
            return Refuted(pair, _witness(certain))
        if exact and self._but_for_data(points, facts, pair):
            shown = _conditions(pair)
            return Unknown("condition", f"only conditions on data keep the points apart: {shown}", pair, shown, witness)
        for function in values:
            if (
                function.args
                and function.name[:1] not in _OPERATIONS
                and function.name in _in_places(pair)
                and question.meeting(facts.distinct | {function.name}) is None
            ):
                text = f"it is safe if '{function.name}' takes no value twice"
                return Unknown("distinct", text, pair, function.name, witness, _beside(pair, function.name))
        return self._undecided(pair, witness, values, missing)

    def _undecided(self, pair: Pair, witness: Witness, values: tuple[Application, ...], missing: str | None) -> Unknown:
        vague = next((a for a in pair if not a.exact), None)
        if vague is not None:
            return Unknown("inexact", vague.why or "what an access touches is not known", pair, "", witness)
        if values:
            names = ", ".join(dict.fromkeys(v.shown or spelled(v) for v in values))
            return Unknown("value", f"it depends on the values of {names}", pair, values[0].name, witness)
        given = ", ".join(f"{n} = {v}" for n, v in witness.given)
        return Unknown("parameter", f"it depends on sizes: they meet with {given}" if given else "", pair, "", witness)

    def _but_for_data(self, points: tuple[Index, ...], facts: Facts, pair: Pair) -> bool:
        """Whether the accesses certainly meet if conditions on data are left out."""
        if not any(is_data(g) for a in pair for g in a.at.guards):
            return False
        question = Question(self.sets, points, *pair, facts, bare=True)
        if question.encoding.products or question.encoding.approximate:
            return False
        meeting = question.meeting()
        if meeting is None or question.values_matter(meeting):
            return False
        return question.missing(meeting) is None

    def _same_value(self, meeting: Meeting, pair: Pair) -> bool:
        """Whether both accesses write, and wherever they meet they write the same value."""
        one, other = (a.value for a in pair)
        if one is None or other is None or not all(a.write for a in pair):
            return False
        if one.text != other.text or len(one.forms) != len(other.forms):
            return False
        encoding, scopes = meeting.question.encoding.copy(), meeting.question.scopes
        rows = [
            (encoding.linear(a, scopes[0]), encoding.linear(b, scopes[1]))
            for a, b in zip(one.forms, other.forms, strict=True)
        ]
        differ = " or ".join(f"{a.text()} != {b.text()}" for a, b in rows if a != b)
        if not differ:
            return True
        ask = lambda extra: self.sets.point(encoding.system((*meeting.added, f"({differ})", *extra)))  # noqa: E731
        return find(encoding, meeting.question.facts.distinct, ask) is None

    def _by_sizes(self, points: tuple[Index, ...], facts: Facts, pair: Pair) -> Answer:
        """Products of sizes and indices that could not be taken apart: some sizes are tried."""
        sizes = sorted({p for a in pair for p in product_parameters(a)}, key=lambda p: p.name)
        answers = []
        for row in _SIZES if set(sizes) <= _in_bounds(pair) else ():
            values = {p: number(row[n % len(row)]) for n, p in enumerate(sizes)}
            tried = _with_sizes(pair, facts, values)
            question = Question(self.sets, points, *tried[0], tried[1])
            meeting = question.meeting()
            if meeting is None or question.encoding.products or question.values_matter(meeting):
                break
            if question.missing(meeting) is not None:
                break
            given = tuple((p.name, v.constant or 0) for p, v in values.items())
            answers.append(_witness(meeting, given))
        if sizes and len(answers) == len(_SIZES):
            return Refuted(pair, answers[0])
        return Unknown("product", "an index is a product that hfpy cannot take apart", pair)

    def _coarse(self, points: tuple[Index, ...], facts: Facts, pair: Pair) -> Answer:
        """A second try without conditions, which can only prove."""
        bare = tuple(replace(a, at=replace(a.at, guards=())) for a in pair)
        try:
            if Question(self.sets, points, bare[0], bare[1], facts).meeting() is None:
                return Proved()
        except TooHardError:
            pass
        return _too_hard(pair)


def _too_hard(pair: Pair) -> Unknown:
    return Unknown("hard", "it is too hard to decide", pair)


def _without_products(access: Access) -> Access:
    """An access without the conditions on data that ask for products, such as ``wet(a)*wet(b) /= 0``."""
    products = [
        g for g in access.at.guards if is_data(g) and any(is_product(m) for f in forms_of(g) for m, _ in f.terms)
    ]
    kept = tuple(g for g in access.at.guards if g not in products)
    return replace(access, at=replace(access.at, guards=kept))


def _rank(answer: Answer) -> int:
    if isinstance(answer, Proved):
        return 1 if answer.repeated else 0
    if isinstance(answer, Refuted):
        return 4
    return 3 if answer.kind == "condition" else 2


def _without_copies(accesses: tuple[Access, ...]) -> tuple[Access, ...]:
    """The accesses without those that say the same again."""
    kept: dict[tuple[object, ...], Access] = {}
    for a in accesses:
        kept.setdefault((a.subscripts, a.write, a.at, a.must, a.exact, a.value), a)
    return tuple(kept.values())


def _pairs(accesses: tuple[Access, ...], points: frozenset[Index]) -> Iterator[Pair]:
    """Pairs of which one writes and that are not obviously apart; each write with itself, too."""
    rows: dict[tuple[tuple[Subscript, ...], bool], list[Access]] = {}
    for access in accesses:
        rows.setdefault((access.subscripts, access.write), []).append(access)
    groups = list(rows.values())
    for place, mine in enumerate(groups):
        for others in groups[place:]:
            if not (mine[0].write or others[0].write) or apart(mine[0], others[0], points):
                continue
            seen: set[tuple[object, ...]] = set()
            for number_, one in enumerate(mine):
                for other in others[number_:] if others is mine else others:
                    key = (*_apart_from_place(one), *_apart_from_place(other))
                    if key not in seen:
                        seen.add(key)
                        yield one, other


def _apart_from_place(access: Access) -> tuple[object, ...]:
    """What an answer depends on: the place of an access in the text is not part of it."""
    return access.at.loops, access.at.guards, access.exact, access.value


def _in_places(pair: Pair) -> set[str]:
    """The index arrays in the subscripts of two accesses."""
    return {name for a in pair for s in a.subscripts for name in _arrays_in(s)}


def _beside(pair: Pair, name: str) -> tuple[str, ...]:
    """The index arrays in those subscripts that are without one of them; itself, where a part of its values counts, or
    several in an element.
    """
    subscripts = [_arrays_in(s) for a in pair for s in a.subscripts]
    found = {other for names in subscripts if name not in names for other in names}
    several = any(sum(name in _arrays_in(s) for s in a.subscripts) > 1 for a in pair)
    uses = (i for a in pair for s in a.subscripts for i in _applied(s) if i.name == name)
    fixed = (not any(isinstance(i, Index) for i in atoms_of(arg)) for use in uses for arg in use.args)
    if several or any(fixed):
        found.add(name)
    return tuple(sorted(n for n in found if n[:1] not in _OPERATIONS))


def _arrays_in(subscript: Subscript) -> set[str]:
    """The index arrays in a subscript."""
    return {i.name for i in _applied(subscript)}


def _applied(subscript: Subscript) -> list[Application]:
    """The elements of index arrays in a subscript."""
    found = atoms_of(subscript) if isinstance(subscript, Form) else ()
    return [i for i in found if isinstance(i, Application) and i.args and not i.truth and not i.anew]


def _in_bounds(pair: Pair) -> set[Parameter]:
    """The parameters in the bounds of the loops around two accesses."""
    forms = [f for a in pair for x in a.at.loops for f in (x.lower, x.upper)]
    return {i for f in forms for i in atoms_of(f) if isinstance(i, Parameter)}


def _witness(meeting: Meeting, given: tuple[tuple[str, int], ...] = ()) -> Witness:
    question, point = meeting.question, meeting.point
    rows = [tuple((i.name, point[scope[i]]) for i in question.points if i in scope) for scope in question.scopes]
    element = tuple(one.value(point) for one, _ in question.elements)
    shown = tuple(_shown_at(one, meeting) for one, _ in question.elements)
    reported = [(m, n) for m, n in question.encoding.parameters.items() if all(getattr(a, "reported", True) for a in m)]
    found = tuple(("*".join(spelled(a) for a in m), point[n]) for m, n in reported)
    values = tuple((_applied_at(a, point), point[a.name]) for a in question.encoding.applied)
    return Witness(rows[0], rows[1], element, shown, (*given, *found, *values))


def _applied_at(value: Applied, point: Point) -> str:
    """``idx(3)``: an unknown value with its arguments at a point."""
    return f"{without_home(value.function.name)}({','.join(str(a.value(point)) for a in value.args)})"


def _shown_at(place: Linear, meeting: Meeting) -> str:
    """An index at a point: its value, with unknown values by their names, ``idx(3) + 1``."""
    unknown = {a.name: a for a in meeting.question.encoding.applied if not a.function.anew}
    known = Linear(tuple((n, c) for n, c in place.terms if n not in unknown), place.constant).value(meeting.point)
    rows = [(c, _applied_at(unknown[n], meeting.point)) for n, c in place.terms if n in unknown]
    terms = [text if factor == 1 else f"{factor}*{text}" for factor, text in rows]
    return " + ".join([*terms, *([str(known)] if known or not terms else [])])


def _conditions(pair: Pair) -> str:
    """The conditions on data around two accesses, for messages."""
    found: dict[str, None] = {}
    for access in pair:
        for guard in access.at.guards:
            if is_data(guard):
                found[_show(guard)] = None
    return ", ".join(found)


def _show(condition: Condition) -> str:
    if isinstance(condition, Compare):
        for monomial, _ in condition.form.terms:
            if len(monomial) == 1 and isinstance(monomial[0], Application) and monomial[0].truth:
                return monomial[0].shown or monomial[0].name
        form = Form(tuple((tuple(map(_as_written, m)), c) for m, c in condition.form.terms))
        left = Form(tuple((m, c) for m, c in form.terms if c > 0))
        op = {"=": "==", "!=": "/="}.get(condition.op, condition.op)
        return f"{left.text} {op} {(left - form).text}"
    word = " and " if isinstance(condition, Every) else " or "
    return word.join(_show(c) for c in condition.of if any(f.constant is None for f in forms_of(c)))


def _as_written(item: Atom) -> Atom:
    """A value that each turn finds anew, or that is no element of an array, as the program spells it."""
    spelled = isinstance(item, Application) and item.shown and (item.anew or not without_home(item.name).isidentifier())
    return Parameter(item.shown) if isinstance(item, Application) and spelled else item


def _with_sizes(pair: Pair, facts: Facts, values: dict[Parameter, Form]) -> tuple[Pair, Facts]:
    """Two accesses and the facts with parameters replaced by numbers."""
    table: dict[Atom, Form] = {}
    for name, value in values.items():
        table[name] = value

    def form(item: Form) -> Form:
        return substituted(item, table)

    def condition(item: Condition) -> Condition:
        if isinstance(item, Compare):
            return Compare(form(item.form), item.op)
        of = tuple(condition(c) for c in item.of)
        return Every(of) if isinstance(item, Every) else Some(of)

    def subscript(item: Subscript) -> Subscript:
        if isinstance(item, Section):
            return Section(
                None if item.lower is None else form(item.lower),
                None if item.upper is None else form(item.upper),
                item.step,
            )
        return form(item) if isinstance(item, Form) else item

    def access(item: Access) -> Access:
        loops = tuple(Loop(x.index, form(x.lower), form(x.upper), form(x.step)) for x in item.at.loops)
        at = Instance(loops, tuple(condition(g) for g in item.at.guards), item.at.position)
        return replace(item, subscripts=tuple(subscript(s) for s in item.subscripts), at=at)

    return (access(pair[0]), access(pair[1])), replace(facts, assumed=tuple(condition(c) for c in facts.assumed))
