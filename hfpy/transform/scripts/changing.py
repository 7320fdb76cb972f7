"""How transformations of a kernel come about: loops by name, refusals with their places, the kernel written anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from hfpy.diagnostics import Place
from hfpy.model.directives import Region
from hfpy.model.statements import Construct, Statement
from hfpy.parse.directives.regions import MOST_COPIES
from hfpy.transform.scripts import legality, loopchanges
from hfpy.transform.scripts.illegal import IllegalTransform, script_place
from hfpy.transform.scripts.ledger import Step
from hfpy.transform.scripts.legality import Against
from hfpy.transform.scripts.loops import Loop
from hfpy.transform.scripts.questions import Questions
from hfpy.transform.stencil.locals import Locals


@dataclass(frozen=True, eq=False, repr=False)
class Changing(Questions):
    """What all transformations of a kernel need."""

    def _loop(self, call: str, name: str) -> Loop:
        found = self.loops.get(name.lower())
        if found is None:
            raise self._illegal(
                call, "a loop of the kernel", f"there is no loop '{name}'; there are {listed(self.loops)}"
            )
        return found

    def _inner(self, call: str, name: str, size: int) -> Construct:
        """A loop of the body that is to get another form."""
        found = self._loop(call, name).construct
        if found is None:
            raise self._illegal(call, "a loop in the body", f"'{name}' is a loop of the region: use tile")
        if not 0 < size <= MOST_COPIES:
            raise self._illegal(call, f"a number from 1 to {MOST_COPIES}", f"{size} is none")
        behind = legality.read_elsewhere(self.work.body(self.key, self.number), found)
        if behind is not None:
            raise self._illegal(call, "the variable is used in the loop alone", f"'{name}' is used here, too", behind)
        return found

    def _factors(self, what: str, sizes: Mapping[str, int] | None, more: Mapping[str, int], call: str = "") -> Self:
        """An attribute that names the region's loops with numbers."""
        given = {name.lower(): n for name, n in {**(sizes or {}), **more}.items()}
        call = call or call_text(what, **given)
        for name, n in given.items():
            if name not in self.region.iterators:
                message = f"'{name}' is none of the region's loops, which are {listed(self.region.iterators)}"
                raise self._illegal(call, "loops of the region", message)
            if not isinstance(n, int) or n < 1 or n > 999_999_999:
                raise self._illegal(call, "numbers above 0", f"{n} is no size for '{name}'")
        if not given:
            raise self._illegal(call, "loops of the region with numbers", "none is named")
        return self._hint(call, what, tuple(f"{name}:{n}" for name, n in given.items()))

    def _hint(self, call: str, name: str, entries: tuple[str, ...]) -> Self:
        hints = (*((n, e) for n, e in self.region.hints if n != name), (name, entries))
        return self._with(call, replace(self.region, hints=hints))

    def _with(self, call: str, region: Region) -> Self:
        """The kernel with another directive."""
        return self._made(replace(self, region=region, steps=self._done(call), parent=self))

    def _rewritten(
        self, call: str, old: Construct, new: tuple[Construct | Statement, ...], declared: frozenset[str] = frozenset()
    ) -> Self:
        """The kernel with other nodes in the place of a loop."""
        return self._written(call, loopchanges.with_nodes(self.construct, old, new), declared)

    def _written(self, call: str, new: Construct, declared: frozenset[str]) -> Self:
        """The kernel with another body."""
        return self._made(self._tried(call, new, declared))

    def _tried(self, call: str, new: Construct, declared: frozenset[str] = frozenset()) -> Self:
        """The kernel with another body, which is not taken yet."""
        if self.work.file(self.key).fixed:
            raise self._illegal(call, "a file in free form", "hfpy does not write loops anew in fixed form")
        region = replace(new, region=self.region)
        rows = list(self._names().declarations(set(declared - self.declared)))
        work = self.work.with_region(self.key, self.number, region, rows)
        if work is None:
            raise self._illegal(call, "text that hfpy reads", "hfpy cannot read what this makes of the kernel")
        made = work.routine(self.key).regions[self.number].region
        assert made is not None
        return replace(
            self, work=work, region=made, steps=self._done(call), parent=self, declared=self.declared | declared
        )

    def _made(self, kernel: Self) -> Self:
        self.ledger.made.append(kernel)
        return kernel

    def _done(self, call: str) -> tuple[Step, ...]:
        return (*self.steps, Step(call, script_place()))

    def _names(self) -> Locals:
        if self.key not in self.ledger.names:
            self.ledger.names[self.key] = Locals.of(self.work.file(self.key), self.work.routine(self.key))
        return self.ledger.names[self.key]

    def _illegal(self, call: str, rule: str, message: str, at: Statement | None = None) -> IllegalTransform:
        place = self.source
        if at is not None:
            row = self.work.origin(at.line.first)
            line = self.program.file(self.key).user_line(row)
            here = at.line.place(place.file)
            place = replace(here, line=line) if self.work.before is None else Place(place.file, line, 0)
        return IllegalTransform(call, rule, message, place)

    def _require(self, call: str, check: Callable[..., None], *what: object) -> None:
        """Ask whether a transformation of the kernel is legal. Raises IllegalTransform."""
        try:
            check(self.work, self.key, self.number, *what)
        except Against as reason:
            raise self._against(call, reason) from None

    def _against(self, call: str, reason: Against) -> IllegalTransform:
        if reason.place is not None:
            return IllegalTransform(call, reason.rule, reason.message, reason.place)
        return self._illegal(call, reason.rule, reason.message, reason.statement)


def call_text(name: str, *args: object, **named: object) -> str:
    """A call of a transformation as text."""
    shown = [repr(a) for a in args] + [f"{n}={v!r}" for n, v in named.items()]
    return f"{name}({', '.join(shown)})"


def listed(names: Iterable[str]) -> str:
    """Names in quotes, with commas."""
    return ", ".join(f"'{n}'" for n in names)
