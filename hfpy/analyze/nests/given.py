"""Names that ``associate``, ``select type`` and ``block`` give a meaning of their own (Fortran 2018, 19.4): inside they
are no variables of the routine, whatever it declares under these names.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hfpy.analyze.arrays.domains import DataObject
from hfpy.analyze.dependence.forms import Form, Parameter, atom, number
from hfpy.analyze.dependence.model import Section
from hfpy.analyze.facts import stands_for
from hfpy.analyze.nests.around import around
from hfpy.analyze.nests.calls import component_path
from hfpy.analyze.nests.reading import Given, Reading
from hfpy.analyze.nests.views import Hole, View
from hfpy.analyze.nests.walked import Walked
from hfpy.model.expressions import Expr, Name, base_name
from hfpy.model.statements import Construct, Header, flatten
from hfpy.model.units import Symbol

Named = tuple[str, Given, Expr | Symbol]


def given_by(construct: Construct, reading: Reading) -> list[Named]:
    """The names that a construct gives, with what they mean: a selector, or the declaration in a block."""
    header = construct.header
    if construct.kind in ("associate", "selecttype") and isinstance(header, Header):
        pairs = zip(header.names, header.exprs, strict=False)
        return [(name, _of(e, reading), e) for name, e in pairs if not (isinstance(e, Name) and e.name == name)]
    symbols = (s for s in construct.declarations if isinstance(s, Symbol))
    return [(s.name, Given("", s.type.base == "integer", not s.rank), s) for s in symbols]


def _of(selector: Expr, reading: Reading) -> Given:
    facts, frame = reading.facts, reading.frame
    name = base_name(selector) or ""
    before = frame.given.get(name)
    data = facts.object(name, frame.key) if name and before is None else None
    base = before.base if before is not None else name if data is not None else ""
    whole = before.scalar if before is not None else data is None or not data.rank
    return Given(base, reading.is_integer(selector), whole or not isinstance(selector, Name))


class Naming(Walked):
    """A walk that knows such names, and which scalars are one under several of them."""

    @contextmanager
    def naming(self, construct: Construct) -> Iterator[None]:
        """The body of a construct that may give names."""
        frame, reading = self.frame, self.reading(construct.header)
        found = given_by(construct, reading)
        first = {name: self._at_first(given, made, reading) for name, given, made in found}
        whole = {name: part for name, given, made in found if (part := self._whole(given, made)) is not None}
        names = first.keys()
        given, parts = frame.given, frame.parts
        indices = {name: frame.indices.pop(name) for name in names if name in frame.indices}
        hidden = {name: value for name, value in frame.values.items() if name in names}
        frame.given = {**given, **{name: one for name, one, _ in found}}
        frame.parts = {**{name: part for name, part in parts.items() if name not in names}, **whole}
        frame.values = {name: value for name, value in frame.values.items() if name not in names}
        frame.values |= {name: value for name, value in first.items() if value is not None}
        yield
        frame.given, frame.parts = given, parts
        frame.indices |= indices
        frame.values = {name: value for name, value in frame.values.items() if name not in names}
        stays = self._leaves_others(construct)
        frame.values |= {name: value if stays else self.fresh(name) for name, value in hidden.items()}

    def _leaves_others(self, construct: Construct) -> bool:
        """Whether a construct certainly sets no variable whose name it gives to something else."""
        statements = flatten(construct.body) if construct.kind == "block" and not self.frame.given else ()
        return bool(statements) and not any(self.calls.sites(self.frame.key, s) for s in statements)

    def _at_first(self, given: Given, made: Expr | Symbol, reading: Reading) -> Form | None:
        """The value of a scalar at the beginning; None for arrays, and for parts of variables, whose values change."""
        if not given.scalar:
            return None
        if isinstance(made, Symbol):
            constant = self._constant(made)
            return self.fresh(made.name) if constant is None else constant
        part = given.base and not isinstance(made, Name)
        return reading.form(made) if given.integer and not part else None

    def _constant(self, symbol: Symbol) -> Form | None:
        if not symbol.constant or symbol.initial is None or symbol.type.base != "integer":
            return None
        value = self.facts.domains.value(symbol.initial, self.frame.key)
        return None if value is None else number(value)

    def _whole(self, given: Given, made: Expr | Symbol) -> tuple[DataObject, View] | None:
        """What a name for a whole array means."""
        data = self.facts.object(given.base, self.frame.key) if given.base and not given.scalar else None
        if data is None or not isinstance(made, Name) or made.name in self.frame.given:
            return None
        holes = tuple(Hole(n, number(0), number(0), 1, Section()) for n in range(data.rank))
        return data, View("", data.identity, holes)

    def name_around(self) -> list[str]:
        """Begin with the names that constructs around the region give. Gives those whose values points may change:
        they are the same for all of its points where it begins alone.
        """
        reported: list[str] = []
        frame, key = self.frame, self.body.key
        writes = [r for r in self.body.references if self.effects.of(r, key)[1]]
        written = {r.name for r in writes} | {stands_for(r.name, r.at)[0] for r in writes}
        for construct in around(self.body):
            for name, given, made in given_by(construct, self.reading(construct.header)):
                frame.given[name] = given
                value = self._constant(made) if isinstance(made, Symbol) else None
                shadows = self.facts.object(name, key) is not None
                frame.values[name] = atom(Parameter(f"{name}'" if shadows else name)) if value is None else value
                data = self.facts.object(given.base, key) if given.base else None
                path = () if isinstance(made, Symbol) else component_path(made, key, self.facts.scopes)
                meant = {name} if path else {name, given.base}
                if meant & written or (data is not None and self._is_changed(data.identity, path)):
                    reported.append(name)
        return reported

    # -- scalars with several names

    def forget(self, name: str) -> None:
        """A scalar that has another value from here on, under all its names."""
        memory = self.memory_of(name)
        for other in {**self.frame.values, name: None}:
            if self.memory_of(other) == memory:
                self.frame.values[other] = self.fresh(other)

    def memory_of(self, name: str) -> str:
        """The variable of the routine that a name means; what a construct has by itself is none."""
        given = self.frame.given.get(name)
        return name if given is None else given.base or f"{name} in a construct"
