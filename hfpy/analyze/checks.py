"""Checks over the whole application that no single pass makes."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.calls import dummy_name
from hfpy.analyze.device.coarrays import coarrays_on_device
from hfpy.analyze.effects.effects import Effects
from hfpy.analyze.facts import Facts, opaque_in_regions, routines_to_check
from hfpy.analyze.faults.listednames import listed_nowhere
from hfpy.analyze.language.context import region_at
from hfpy.analyze.language.uses import Reference
from hfpy.analyze.order.componentorders import component_orders
from hfpy.analyze.order.domainsizes import swapped_sizes
from hfpy.analyze.order.macroindices import macros_beside_layout, misplaced_indices, other_templates
from hfpy.analyze.regions.askedtwice import asked_twice
from hfpy.analyze.regions.giventwice import given_twice
from hfpy.analyze.regions.iterators import iterators_outside
from hfpy.analyze.regions.jumpsinto import jumps_into
from hfpy.analyze.regions.lasting import written_below
from hfpy.analyze.regions.programs import check_programs
from hfpy.analyze.regions.regionchecks import check_regions
from hfpy.analyze.regions.sharedarguments import shared_arguments
from hfpy.analyze.regions.threadcopies import thread_copies
from hfpy.backendtable import TABLE
from hfpy.diagnostics import Diagnostic, Place, Related, error, warning
from hfpy.model.directives import Region
from hfpy.model.expressions import Expr, Name, Range
from hfpy.model.names import twin_of
from hfpy.model.statements import Jump, flatten
from hfpy.model.units import Routine

_SAME = "results are the same with and without it"


def check(facts: Facts, effects: Effects) -> list[Diagnostic]:
    """All of them, for the routines whose statements are there."""
    return [
        *opaque_in_regions(facts),
        *listed_nowhere(facts, effects),
        *asked_twice(facts, effects),
        *(d for routine in routines_to_check(facts) for d in jumps_into(facts, routine)),
        *written_below(facts, effects),
        *_points_unknown(facts),
        *_strided_results(facts, effects),
        *given_twice(facts, effects),
        *shared_arguments(facts, effects),
        *thread_copies(facts, effects),
        *coarrays_on_device(facts),
        *_lost_iterators(facts, effects),
        *(d for routine in routines_to_check(facts) for d in iterators_outside(facts, effects, routine)),
        *_not_honoured(facts),
        *_of_cuda_fortran(facts),
        *_repeated(facts),
        *check_programs(facts),
        *swapped_sizes(facts),
        *misplaced_indices(facts),
        *other_templates(facts),
        *macros_beside_layout(facts),
        *component_orders(facts),
        *(d for routine in routines_to_check(facts) for d in check_regions(facts, effects, routine.key)),
    ]


def _repeated(facts: Facts) -> list[Diagnostic]:
    """Names declared twice: an error, in existing projects a warning, since the second declaration is left out."""
    found = []
    for routine in facts.application.routines.values():
        for symbol in routine.spec.repeated:
            assert symbol.line is not None
            place = symbol.line.place(routine.file, *symbol.name_span)
            message = f"'{symbol.name}' is declared twice"
            if facts.application.options.legacy and facts.application.file(routine.key).hybrid:
                hint = "the second declaration is left out because this is an existing project"
                found.append(warning("HF301", message, place, hint))
            else:
                found.append(error("HF301", message, place))
    return found


def _points_unknown(facts: Facts) -> list[Diagnostic]:
    """Variables of other units that have a value for each point, used without all indices in routines that are called
    for one point: which point that is, these cannot know (§5.3).
    """
    found: list[Diagnostic] = []
    for routine in routines_to_check(facts):
        above = facts.positions.get(routine.key).above
        for reference in facts.references[routine.key] if above else ():
            data = facts.object(reference.name, routine.key)
            if data is None or data.home == routine.key or reference.role == "inquiry":
                continue
            home = facts.object(data.symbol.name, data.home)
            inserted = [d.size for d in home.used if d.declared is None] if home is not None else []
            if home is None or not inserted or len(reference.indices or ()) == len(home.full):
                continue
            if not facts.live(reference.at, routine.key) or facts.positions.active(routine.key, reference.at):
                continue
            place = reference.at.statement.line.place(routine.file, reference.node.start, reference.node.end)
            message = f"'{reference.name}' has a value for each point, and '{routine.name}' is called for one of them"
            hint = f"pass the value of the point to '{routine.name}' as an argument"
            region = facts.positions.regions[min(above, key=str)]
            related = [Related(region.place, f"the region that leads to '{routine.name}'")]
            found.append(error("HF302", message, place, hint, related))
            break
    return found


def _strided_results(facts: Facts, effects: Effects) -> list[Diagnostic]:
    """Strided sections passed to ``intent(out)`` dummies of routines that may return early (B31).

    The compiler passes a copy; what the routine does not write comes back undefined.
    """
    found: list[Diagnostic] = []
    for routine in routines_to_check(facts):
        for reference in facts.references[routine.key]:
            if reference.role != "argument" or not facts.live(reference.at, routine.key):
                continue
            site = effects.site(reference, routine.key)
            data = facts.object(reference.name, routine.key)
            if site is None or not site.callee or data is None or data.rank < 2:
                continue
            name = dummy_name(facts, site, reference.position)
            callee = facts.application.routines[site.callee]
            if name is None or effects.intent(site.callee, name) != "out":
                continue
            effects.looked.add((routine.key, site.callee))
            if not _returns_early(callee):
                continue
            made = facts.plan_of(reference, routine.key)
            items = made.items if made is not None and made.items is not None else reference.indices
            if items is None or _contiguous(items, facts.order(data).storage):
                continue
            node = reference.node
            place = reference.at.statement.line.place(routine.file, node.start, node.end)
            message = f"'{name}' of '{site.name}' is intent(out), and its actual argument is a section with a stride"
            hint = f"'{site.name}' may return before it has written all of '{name}': declare it intent(inout)"
            found.append(warning("HF506", message, place, hint, [Related(callee.place(), f"'{site.name}'")]))
    return found


def _lost_iterators(facts: Facts, effects: Effects) -> list[Diagnostic]:
    """Iterators of a region that is not active for the target, used where nothing gives them a value.

    In a routine that nobody calls, such as one for the other target alone, that is only worth a warning.
    """
    found: list[Diagnostic] = []
    for routine in routines_to_check(facts):
        called = routine.kind == "program" or facts.graph.is_called(routine.key)
        references = facts.references[routine.key]
        valued = {r.name for r in references if r.writes} | set(routine.dummies)
        reported: set[tuple[str, Place]] = set()
        for reference in references:
            if reference.name in valued or not facts.live(reference.at, routine.key):
                continue
            region = _without_loops(facts, routine, reference)
            if region is None or _handed_down(facts, effects, routine, reference):
                continue
            if _index_dropped(facts, routine, reference, references):
                continue
            if (reference.name, region.place) in reported:
                continue  # one mistake, however many statements the region has
            reported.add((reference.name, region.place))
            place = reference.at.statement.line.place(routine.file, reference.node.start, reference.node.end)
            message = f"'{reference.name}' has no value here: its region is not active for the {facts.target}"
            hint = f"pass '{reference.name}' to '{routine.name}', or move the statement into a region that is active"
            related = [Related(region.place, f"the region over '{reference.name}'")]
            found.append((error if called else warning)("HF315", message, place, hint, related))
    return found


def _without_loops(facts: Facts, routine: Routine, reference: Reference) -> Region | None:
    """The inactive region around a reference to its iterator, unless an active one gives it a value."""
    found: Region | None = None
    for number in reference.at.regions:
        region = region_at(routine, number)
        if reference.name in region.iterators and not region.loops:
            found = region if not region.active(facts.target) else None
            if found is None:
                return None
    home = facts.scopes.variable(reference.name, routine.key)
    return found if home is None or home.home == routine.key else None


def _handed_down(facts: Facts, effects: Effects, routine: Routine, reference: Reference) -> bool:
    """Whether an iterator goes, as it is, to a routine that leads to a region of its own."""
    if reference.role != "argument" or not isinstance(reference.node, Name):
        return False
    site = effects.site(reference, routine.key)
    return site is not None and facts.positions.get(site.callee).label in ("within", "inside")


def _index_dropped(facts: Facts, routine: Routine, reference: Reference, all_: tuple[Reference, ...]) -> bool:
    """Whether a reference is in an index that does not come out again."""
    node = reference.node
    for outer in all_:
        if outer.at.statement is not reference.at.statement or outer.indices is None:
            continue
        if not any(i.start <= node.start and node.end <= i.end for i in outer.indices):
            continue
        made = facts.plan_of(outer, routine.key)
        if made is None or not made.changed:
            continue
        kept = [i for i in made.items or () if not isinstance(i, str)]
        if not any(i.start <= node.start and node.end <= i.end for i in kept):
            return True
    return False


def _returns_early(routine: Routine) -> bool:
    return any(isinstance(s, Jump) and s.kind == "return" for s in flatten(routine.body[:-1]))


def _contiguous(items: tuple[Expr | str, ...], storage: tuple[int, ...] | None) -> bool:
    """Whether a section lies in one piece: no full range after a single index in storage order."""
    single = False
    for position in storage if storage is not None else range(len(items)):
        item = items[position]
        if item == ":" or isinstance(item, Range):
            if single:
                return False
        else:
            single = True
    return True


def _not_honoured(facts: Facts) -> list[Diagnostic]:
    """Attributes of regions that nothing acts on yet: never ignored in silence (design contract 8)."""
    found: list[Diagnostic] = []
    waiting: dict[str, Region] = {}
    for identity, region in facts.positions.regions.items():
        chosen = facts.backend(identity.routine)
        if region.queue and not TABLE[chosen].queues:
            waiting.setdefault(chosen, region)
        if region.backend and region.backend != chosen:
            message = f"the region asks for the backend '{region.backend}', its routine has '{chosen}'"
            hint = "choose the backend of the routine: --routine, [routines] or @scheme"
            found.append(error("HF215", message, region.place, hint))
        for name, _ in region.hints:
            if name == "block" and (facts.target == "cpu" or TABLE[chosen].runtime):
                continue
            if name == "block":
                message = f"'{name}' is not acted on yet: the region keeps its plain schedule"
                found.append(warning("HF701", message, region.place, _SAME))
    for chosen, region in waiting.items():
        message = f"'async' has no effect, here and elsewhere: the backend '{chosen}' has no queues"
        found.append(warning("HF701", message, region.place, _SAME))
    return found


def _of_cuda_fortran(facts: Facts) -> Iterator[Diagnostic]:
    """A warning for dummy arguments of existing projects that are on the device by CUDA Fortran, where cuda-c is
    used instead.
    """
    options = facts.application.options
    if not options.legacy or options.target != "gpu" or options.default_backend != "cuda-c":
        return
    for routine in routines_to_check(facts):
        for name in routine.dummies:
            symbol = routine.spec.symbols.get(name)
            if symbol is not None and "device" in symbol.attributes and symbol.line is not None and not twin_of(name):
                message = (
                    f"'{name}' has the attribute 'device' of CUDA Fortran, which nvfortran alone knows; "
                    "the backend is cuda-c here"
                )
                hint = "build with nvfortran, or compute on the device in a region, whose arrays hfpy brings there"
                yield warning("HF701", message, symbol.line.place(routine.file, *symbol.name_span), hint)
