"""The directives of a program for many processes, written out: what comes after knows regions and calls only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from hfpy.analyze.analysis import analyse
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts
from hfpy.analyze.processes.byprocess import ByProcess
from hfpy.analyze.processes.decomposed import (
    SENT,
    Directed,
    Grid,
    directives,
    element_type,
    grid_of,
    grids,
    seen_from,
    without_place,
)
from hfpy.analyze.processes.halomarks import Marks
from hfpy.analyze.processes.halos import Walk
from hfpy.analyze.processes.leftout import LeftOut
from hfpy.analyze.processes.overlaps import Overlap, Refused, region_behind
from hfpy.analyze.processes.statedgrids import Stated, without_decomposition
from hfpy.analyze.processes.widehalos import NotWide, WideHalo, WideHalos
from hfpy.diagnostics import Diagnostic, error, has_errors
from hfpy.model.directives import Width
from hfpy.model.distributed import Decomposition, Distributed, HaloExchange, Sent, WholeGrid
from hfpy.model.statements import Construct
from hfpy.model.units import Routine
from hfpy.parse.expressions.fragments import fragment
from hfpy.parse.text.physical import names_in_rows, physical
from hfpy.transform.distributed import together
from hfpy.transform.distributed.costs import Costs
from hfpy.transform.distributed.exchanges import Exchange, Field
from hfpy.transform.distributed.halotests import tests
from hfpy.transform.distributed.overlaps import Overlapping
from hfpy.transform.distributed.placed import Placements, exchanges_for, judged
from hfpy.transform.distributed.poison import poisoned
from hfpy.transform.distributed.questions import Questions
from hfpy.transform.distributed.reductions import Reductions
from hfpy.transform.distributed.redundant import Extended, RedundantRegions, counter_of
from hfpy.transform.distributed.sent import sent_by
from hfpy.transform.distributed.wholegrid import WholeGridRoutine
from hfpy.transform.settled import Settled, changed
from hfpy.transform.stencil.locals import Locals
from hfpy.transform.text.edits import Edit, insert_lines, replace_lines
from hfpy.translation import PROCESSES_MODULE
from hfpy.values import dataclass

_OFFERED = frozenset(
    "hf_named hf_cut hf_check_array hf_check_reach hf_local hf_first hf_whole hf_at_edge hf_halo hf_has_neighbour "
    "hf_wraps hf_shift hf_sum_all hf_product_all hf_max_all hf_min_all hf_and_all hf_or_all hf_is hf_processes_of "
    "hf_first_of hf_exact_real4 hf_exact_real8 hf_exact_complex4 hf_exact_complex8 hf_room hf_local_of "
    "hf_to_first hf_from_first hf_tell hf_check_same hf_check_owned hf_begin_whole hf_end_whole hf_start_room hf_sent "
    "hf_got hf_start hf_finish hf_split hf_pays hf_next_box hf_mark_set hf_mark_clean hf_mark_unknown hf_mark_needed "
    "hf_nan4 hf_nan8".split()
)


def with_processes(settled: Settled) -> Settled:
    """The application with its directives for many processes written out; as it was where there are none."""
    application = settled.application
    items: dict[str, list[Directed]] = {}
    for item in directives(application):
        items.setdefault(item.routine.key, []).append(item)
    redundant = [c.region for r in application.routines.values() for c in r.regions if c.region and c.region.halo]
    if not items and redundant:
        message = "there is no decomposition in the program whose halo could be computed"
        hint = "write @decomposition where the sizes of the grid are set"
        return replace(settled, found=[*settled.found, *(error("HF650", message, r.place, hint) for r in redundant)])
    if not items:
        return replace(settled, found=[*settled.found, *without_decomposition(application)])
    known, found = grids(application)
    facts = analyse(application)
    known = {name: grid.within(facts) for name, grid in known.items()}
    effects = Effects(facts)
    setters = dict(_decompositions(items))
    walks = [Walk(facts, effects, grid, known=known, setters=setters) for grid in known.values()]
    refused = list(_with_wide_halos(walks, items, known))
    if refused:
        return replace(settled, found=[*settled.found, *found, *refused])
    walks = [walk.program() for walk in walks]
    marks = [Marks(walk).all() for walk in walks]
    found += Stated(facts, known).all()
    found += [problem for walk in walks for problem in judged(walk)]
    by_process = ByProcess(facts, effects)
    found += [problem for walk in walks for problem in LeftOut(walk, by_process).all()]
    placements = [Placements(walk, found).all() for walk in walks if walk.grid.what.automatic]
    by_name = {walk.grid.what.name: walk for walk in walks}
    whole = frozenset(k for k, there in items.items() if any(isinstance(d.statement.what, WholeGrid) for d in there))
    changes: dict[str, list[Edit]] = {}
    sent: list[Sent] = []
    for key, routine in application.routines.items():
        work = _Routine(facts, effects, routine, known, setters, by_name, placements, marks, whole, found)
        changes.setdefault(routine.file, []).extend(work.edits(items.get(key, [])))
        sent += work.sent
    if has_errors(found):
        return replace(settled, found=[*settled.found, *found])
    made = changed(settled, {path: edits for path, edits in changes.items() if edits}, found)
    domains = frozenset(domain for grid in known.values() for domain in grid.what.domains)
    return replace(made, application=replace(made.application, decomposed=domains, sent=tuple(sent)))


@dataclass
class _Routine:
    """The directives of one routine. ``walks`` are those of the decompositions, by name, ``whole`` the routines for the
    whole grid.
    """

    facts: Facts
    effects: Effects
    routine: Routine
    known: Mapping[str, Grid]
    setters: Mapping[str, str]
    walks: Mapping[str, Walk]
    placements: Sequence[Placements]
    marks: Sequence[Marks]
    whole: frozenset[str]
    found: list[Diagnostic]
    sent: list[Sent] = field(default_factory=list)
    names: Locals = field(init=False)

    def __post_init__(self) -> None:
        self.index = self.facts.application.file(self.routine.key)
        self.names = Locals.of(self.index, self.routine)
        walks = {name: self.walks[name] for name in self._seen}
        self.redundant = RedundantRegions(
            self.facts, self.effects, self.routine, self.index, walks, self.names, self.found
        )

    def edits(self, items: list[Directed]) -> list[Edit]:
        """All changes of the routine's text."""
        whole = [item for item in items if isinstance(item.statement.what, WholeGrid)]
        asked = self._questions()
        if whole or self.routine.host in self.whole:
            asked.refused()
            self.redundant.refused()
            others = [item for item in items if item not in whole]
            return self._for_whole_grid(whole[0] if whole else None, others)
        made = [*(edit for item in items for edit in self._directive(item)), *asked.edits()]
        made += [edit for placements in self.placements for edit in self._placed(placements)]
        made += tests(self.marks, self.routine, self.index.fixed)
        if self.facts.application.options.poison_halos and not self.facts.positions.get(self.routine.key).above:
            for marks in self.marks:
                made += poisoned(marks.walk, self.routine, self.names, self.index.fixed)
        made += self.redundant.edits()
        grids_known = tuple(self._seen.values())
        made += Reductions(
            self.facts, self.effects, self.routine, self.index, grids_known, self.names, asked, self.found
        ).edits()
        return [*made, *self._declarations(made)] if made else []

    def _questions(self) -> Questions:
        """What the routine's expressions ask for."""
        return Questions(
            self.routine,
            self.facts.scopes,
            self.facts.target == "gpu" and bool(self.facts.positions.get(self.routine.key).above),
            self.index.fixed,
            tuple(self._seen.values()),
            self.names,
            self.found,
            dict(self._wide_halos()),
        )

    def _wide_halos(self) -> Iterator[tuple[int, tuple[Width, ...]]]:
        """How far regions go between exchanges of every few turns, by their constructs."""
        for walk in self.walks.values():
            for wide in walk.wide.values():
                for number in wide.regions if wide.key == self.routine.key else ():
                    construct = self.routine.regions[number]
                    if construct.region is not None:
                        yield id(construct), wide.halo(construct.region, number, walk.fields, last=False)

    def _placed(self, placements: Placements) -> Iterator[Edit]:
        """Exchanges that hfpy places."""
        for line, needs in placements.places.get(self.routine.key, {}).values():
            rows: list[str] = []
            for what in exchanges_for(placements.walk, self.routine.key, list(needs.values())):
                made = self._made(Directed(self.routine, Distributed(line, what)), what, placed=True)
                rows += together.rows(made) if made is not None else []
            indent = " " * (6 if self.index.fixed else line.segments[0][2] - (1 if line.comment else 0))
            yield insert_lines(line.first, [indent + row for row in rows], 9, line.first)

    def _for_whole_grid(self, item: Directed | None, others: list[Directed]) -> list[Edit]:
        """The changes of a routine that is written for the whole grid; none for one within such a routine."""
        if others:
            hint = "the whole grid has no neighbours"
            self.found.append(
                error("HF207", "this has no place in a routine for the whole grid", others[0].place, hint)
            )
            return []
        grid = self._grid_of(item) if item is not None else None
        if isinstance(grid, Diagnostic):
            self.found.append(grid)
        if item is None or not isinstance(grid, Grid):
            return []
        line = item.statement.line
        setter = self.setters[grid.what.name]
        further = [g for g in self.known.values() if g is not grid]
        work = WholeGridRoutine(
            self.facts, self.effects, self.routine, self.index, grid, further, setter, line, self.names, self.found
        )
        made = list(work.edits())
        return [*made, *self._declarations(made, work.modules)] if made else []

    @property
    def _seen(self) -> Mapping[str, Grid]:
        """The decompositions that the routine can mean."""
        return seen_from(self.facts, self.known, self.setters, self.routine.key)

    def _grid_of(self, item: Directed) -> Grid | Diagnostic:
        """The decomposition of a directive: the one that it names, or that the routine can mean."""
        named = not isinstance(item.statement.what, Decomposition) and item.statement.what.decomposition
        return grid_of(item, self.known if named else self._seen)

    @property
    def _indent(self) -> str:
        return " " * (6 if self.index.fixed else self.routine.header.segments[0][2] + 2)

    def _directive(self, item: Directed) -> Iterator[Edit]:
        what, line = item.statement.what, item.statement.line
        if isinstance(what, Decomposition):
            if self._wrong_sizes(item, what):
                return
            rows = list(_decomposition(self.known[what.name].what if what.name in self.known else what))
        elif isinstance(what, HaloExchange):
            made = self._made(item, what)
            if made is not None and (what.overlap or (what.auto and what.every is None)):
                edits = self._overlapping(item, made)
                if not isinstance(edits, Diagnostic):
                    yield from edits
                    return
                if what.overlap:
                    self.found.append(edits)
                    return
            rows = list(together.rows(made)) if made is not None else []
            if made is not None and what.every is not None:
                rows = list(self._in_turns(item, made))
                yield from self._counted(item)
        else:
            return
        indent = " " * (6 if self.index.fixed else line.segments[0][2] - (1 if line.comment else 0))
        yield replace_lines(line.first, line.last, [indent + row for row in rows])

    def _wide(self, item: Directed) -> WideHalo | None:
        return next((w.wide[id(item.statement)] for w in self.walks.values() if id(item.statement) in w.wide), None)

    def _in_turns(self, item: Directed, exchange: Exchange) -> Iterator[str]:
        """An exchange of every few turns: the first one, and then each m-th."""
        wide = self._wide(item)
        if wide is None:
            return  # an error says why
        counter = counter_of(self.names, wide)
        sides = zip(exchange.grid.what.domains, wide.widths, strict=True)
        widths = tuple(Width(domain, fragment(str(low)), fragment(str(high))) for domain, (low, high) in sides)
        exchange.what = replace(exchange.what, widths=widths)
        yield f"{counter} = mod({counter}, {wide.turns}) + 1"
        yield f"if ({counter} == 1) then"
        yield from (f"  {row}" for row in together.rows(exchange))
        yield "end if"

    def _counted(self, item: Directed) -> Iterator[Edit]:
        """The turns begin anew with the loop."""
        wide = self._wide(item)
        if wide is not None:
            line = wide.loop.header.line
            indent = " " * (6 if self.index.fixed else line.segments[0][2])
            yield insert_lines(line.first, [f"{indent}{counter_of(self.names, wide)} = 0"], 7, line.first)

    def _made(self, item: Directed, what: HaloExchange, placed: bool = False) -> Exchange | None:
        """The exchange of a directive; None, with errors, where there can be none."""
        grid = self._grid_of(item)
        if isinstance(grid, Diagnostic):
            self.found.append(grid)
            return None
        if self._wrong_widths(item, what, grid) or self._is_missed(item, what, grid):
            return None
        fields = [made for listed in what.fields if (made := self._field(item, listed.name, grid)) is not None]
        if len(fields) < len(what.fields):
            return None
        sign = "!@" if item.statement.line.comment else "@"
        keeps, all_saved = self.facts.target != "gpu", "*" in self.routine.spec.saved
        names = (self.facts.object(listed.name, self.routine.key) for listed in what.fields)
        marked = [d.name for d in names if d is not None and any(marks.follows(d) for marks in self.marks)]
        exchange = Exchange(grid, what, fields, self.names, sign, keeps, all_saved, marked)
        exchange.together = together.pays(exchange, self.facts.application.options)
        setter = self.setters[grid.what.name]
        self.sent.append(sent_by(self.facts, self.routine, setter, exchange, item.statement.line, placed))
        return exchange

    def _overlapping(self, item: Directed, exchange: Exchange) -> list[Edit] | Diagnostic:
        """An exchange that goes on while the region after it is computed; an error where that is not certain."""
        behind = self._region_behind(item)
        if isinstance(behind, Diagnostic):
            return behind
        names = (self.facts.object(listed.name, self.routine.key) for listed in exchange.what.fields)
        fields = [data for data in names if data is not None]
        numbers = [n for n, d in enumerate(exchange.grid.what.domains) if exchange.takes_part(d)]
        try:
            overlap = Overlap(self.facts, self.effects, exchange.grid, self.routine.key, behind, fields, numbers)
            reaches = overlap.reaches()
        except Refused as refused:
            return refused.diagnostic(self.routine.file)
        extended = self.redundant.of(behind) if overlap.region.halo else Extended(overlap.region, ())
        if extended is None:
            return []
        costs = Costs.of(self.facts.application.options) if exchange.what.auto else None
        exchange.what = replace(exchange.what, mode="overlap")
        made = Overlapping(exchange, extended.region, reaches, extended.rows, costs, overlap.arrays())
        return list(made.edits(item.statement.line, behind, self.index.fixed))

    def _region_behind(self, item: Directed) -> Construct | Diagnostic:
        """The region that comes directly after an exchange, or an error."""
        line = item.statement.line
        behind = region_behind(self.routine.body, line)
        rows = self.index.source.lines
        between = rows[line.last + 1 : behind.header.line.first] if behind is not None else ()
        if (
            behind is None
            or behind.end is None
            or any(physical(row).kind not in ("blank", "comment") for row in between)
        ):
            hint = "mode(overlap) has its place directly before a region, with all fields in one exchange"
            return error("HF659", "there is no region directly after this exchange", item.place, hint)
        return behind

    def _wrong_widths(self, item: Directed, what: HaloExchange, grid: Grid) -> bool:
        """Whether a width is of no domain of the decomposition, or negative; that is said."""
        before = len(self.found)
        for width in what.widths:
            if width.domain not in grid.what.domains:
                message = f"'{width.domain}' is no domain of the decomposition '{grid.what.name}'"
                hint = f"its domains are {', '.join(grid.what.domains)}"
                self.found.append(error("HF651", message, item.place, hint))
            values = [self.facts.domains.value(side, self.routine.key) for side in (width.low, width.high)]
            if any(value is not None and value < 0 for value in values):
                message = f"the width in '{width.domain}' is negative"
                self.found.append(error("HF651", message, item.place, "0 leaves a side as it is"))
        return len(self.found) > before

    def _is_missed(self, item: Directed, what: HaloExchange, grid: Grid) -> bool:
        """Whether not all processes along a domain of the exchange reach it, or none may; that is said."""
        where = ""
        if self.facts.positions.get(self.routine.key).above:
            where = "a region calls this routine"
        elif {"pure", "elemental"} & set(self.routine.prefix):
            where = "this routine is pure or elemental"
        if where:
            message = f"halos cannot be exchanged here: {where}"
            self.found.append(error("HF657", message, item.place, "exchange them before the call"))
            return True
        domains = {width.domain for width in what.widths} or set(grid.what.domains)
        missed = sorted(domains & self._questions().asked_around(item.statement.line.first, grid))
        if missed:
            message = f"not all processes along '{missed[0]}' reach this exchange, which waits for them"
            self.found.append(error("HF657", message, item.place, "take it out of the condition"))
        return bool(missed)

    def _wrong_sizes(self, item: Directed, what: Decomposition) -> bool:
        """Whether a variable for a local size is none; that is said."""
        before = len(self.found)
        for name in what.local:
            data = self.facts.object(name, self.routine.key)
            if data is None or data.rank or data.symbol.type.base != "integer" or data.symbol.constant:
                message = f"'{name}' is no integer variable here, which could get a local size"
                self.found.append(error("HF650", message, item.place, "declare it in a module that all routines use"))
        return len(self.found) > before

    def _field(self, item: Directed, name: str, grid: Grid) -> Field | None:
        """A field of an exchange; None, with an error, if it is none."""
        data = self.facts.object(name, self.routine.key)
        element = element_type(self.facts, data) if data is not None else ""
        if data is None or not element:
            message = f"'{name}' is no array of numbers here" if data is not None else f"'{name}' is not declared"
            self.found.append(error("HF651", message, item.place, "list arrays of the decomposed grid"))
            return None
        if element not in SENT:
            message = f"'{name}' is of a type that messages do not have: {element}"
            hint = f"known are {', '.join(sorted(SENT))}"
            self.found.append(error("HF651", message, item.place, hint))
            return None
        if data.dummy and data.symbol.intent == "in":
            message = f"'{name}' is intent(in) here: its halo cannot be set"
            hint = "declare it intent(inout), or exchange where it is set"
            self.found.append(error("HF651", message, item.place, hint))
            return None
        if not grid.cuts(data):
            domains = ", ".join(grid.what.domains)
            message = f"'{name}' has no dimension over {domains}"
            hint = "its declaration or @domainDependant tells the domains of an array"
            self.found.append(error("HF651", message, item.place, hint))
            return None
        if any(without_place(cut) for cut in grid.cuts(data)):
            message = f"'{name}' has assumed shape: which of its points are halo is not known here"
            self.found.append(error("HF651", message, item.place, f"declare where it begins, as in {name}(1-h:)"))
            return None
        return Field.of(data, element, grid)

    def _declarations(self, made: list[Edit], modules: Iterable[str] = ()) -> Iterator[Edit]:
        """Declarations of the new variables, and the ``use`` of the runtime library."""
        rows = [edit.text for edit in made]
        names = names_in_rows(rows)
        declared = [self._indent + row for row in self.names.declarations(set(names))]
        if declared:
            yield insert_lines(self.routine.spec_insert + 1, declared, 5, self.routine.header.first)
        used = sorted(_OFFERED & {name.lower() for name in names})
        if used:
            text = f"{self._indent}use {PROCESSES_MODULE}, only: {', '.join(used)}"
            rows = [text, *(self._indent + row for row in modules)]
            yield insert_lines(self.routine.uses_row, rows, 1, self.routine.header.first)


def _with_wide_halos(
    walks: Sequence[Walk], items: Mapping[str, list[Directed]], known: Mapping[str, Grid]
) -> Iterator[Diagnostic]:
    """Tell the walks of the exchanges that are done in every few turns of a loop; why some cannot be."""
    for key, listed in items.items():
        for item in listed:
            what = item.statement.what
            if not isinstance(what, HaloExchange) or what.every is None:
                continue
            grid = grid_of(item, known)
            walk = next((w for w in walks if isinstance(grid, Grid) and w.grid is known[grid.what.name]), None)
            if walk is None:
                continue  # another message tells what is wrong
            try:
                found = WideHalos(walk.fields, walk.effects, walk.regions, key, item.statement).found()
                walk.wide[id(item.statement)] = found
            except NotWide as refused:
                yield refused.diagnostic(item.routine.file)


def _decompositions(items: Mapping[str, list[Directed]]) -> Iterator[tuple[str, str]]:
    """The decompositions by name, with the routine that sets each."""
    for key, listed in items.items():
        for item in listed:
            if isinstance(item.statement.what, Decomposition):
                yield item.statement.what.name, key


def _decomposition(what: Decomposition) -> Iterator[str]:
    """The statements of a ``@decomposition``: the cut, and the sizes of the part."""
    halos = {halo.domain: halo for halo in what.halos}
    low = ", ".join(halos[d].low.text if d in halos else "0" for d in what.domains)
    high = ", ".join(halos[d].high.text if d in halos else "0" for d in what.domains)
    periodic = ", ".join(".true." if d in what.periodic else ".false." for d in what.domains)
    grid = ", ".join(g.text for g in what.grid) or ", ".join("0" for _ in what.domains)
    sizes = ", ".join(size.text for size in what.sizes)
    yield f"call hf_cut('{what.name}', [{sizes}], [{low}], [{high}], [{periodic}], [{grid}])"
    for number, local in enumerate(what.local, 1):
        yield f"{local} = hf_local('{what.name}', {number})"
