"""Statements in regions that give a point what depends on the points before it: input, random numbers, and what each
thread has for itself, the modes and flags of its arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.analyze.language.types import is_internal
from hfpy.analyze.language.uses import aliases_of
from hfpy.analyze.regions.donebypoints import DoneByPoints
from hfpy.diagnostics import Diagnostic, Related, error, warning
from hfpy.model.expressions import Apply, Name, base_name, walk
from hfpy.model.statements import Call, InputOutput, expressions
from hfpy.model.units import Routine

# Statements that read a file or move in it.
_INPUT = frozenset({"read", "open", "close", "rewind", "backspace", "endfile"})
_RANDOM = frozenset({"random_number", "random_seed", "random_init"})
# Functions that many compilers have besides; a source of the program may have others of that name.
_RANDOM_FUNCTIONS = frozenset({"rand", "irand", "ran", "drand", "random"})

_IEEE_SET = frozenset({"ieee_set_rounding_mode", "ieee_set_underflow_mode", "ieee_set_modes", "ieee_set_status"})
_IEEE_GET = frozenset({"ieee_get_flag", "ieee_get_status"})
_IEEE = frozenset({*_IEEE_SET, *_IEEE_GET, "ieee_set_flag", "ieee_set_halting_mode"})

_ORDER = "its points run in any order"
_NUMBERS = "which point gets which numbers depends on their order"


def in_any_order(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """HF404 for such statements: input in a region is an error. It is a warning in a routine that is called from a
    region, where it may be for the first call, and so are random numbers everywhere: the order may not matter there.
    """
    points = DoneByPoints(facts, routine.key)
    if not points.some:
        return
    functions = facts.application.file(routine.key).units[routine.unit].references & _RANDOM_FUNCTIONS
    for at in facts.graph.statements[routine.key]:
        found, random = _input(facts, routine, at), _random(facts, routine, at, functions)
        region = points.region(at) if found or random else None
        if region is None:
            continue
        inside = points.around(at) is not None
        around = "a region" if inside else "a routine that is called in a region"
        message = f"'{found or random}' in {around}: {_NUMBERS if random else _ORDER}"
        related = [Related(region.place, "the region")]
        place = at.statement.line.place(routine.file)
        if random:
            hint = "draw them into an array before the region, or accept that runs differ"
            yield warning("HF404", message, place, hint, related)
        elif inside:
            yield error("HF404", message, place, "do it before or after the region", related)
        else:
            hint = "do it before the region, or make sure that it is done once"
            yield warning("HF404", message, place, hint, related)


def modes_of_threads(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """A warning (HF404) for each call in a region that sets or asks for modes and flags of the arithmetic, of which
    each thread has its own, and for each beside regions that these should know about, or that should know about them.
    What a called routine sets is taken back where it returns (Fortran 2018, 17.3, 17.4).
    """
    position = facts.positions.get(routine.key)
    if facts.backend(routine.key) == "sequential" or not (position.own or position.below):
        return
    regions = [facts.positions.regions[i] for i in sorted(position.own or position.below, key=str)]
    for at in facts.graph.statements[routine.key]:
        name = base_name(at.statement.designator) or "" if isinstance(at.statement, Call) else ""
        if name not in _IEEE or facts.scopes.procedures(name, routine.key) or not facts.live(at, routine.key):
            continue
        region = facts.positions.region(routine.key, at)
        alone = "sets this thread's mode alone" if name in _IEEE_SET else "tells of this thread alone"
        if region is not None:
            message = f"'{name}' in a region: each thread has modes and flags of its own"
        elif name in _IEEE_SET | _IEEE_GET:
            message = f"'{name}' beside regions {alone}"
        else:
            continue
        hint = "choose modes by options of the compiler, look at values instead of flags, or acknowledge this: !@allow"
        related = [Related((region or regions[0]).place, "the region")]
        yield warning("HF404", message, at.statement.line.place(routine.file), hint, related)


def _input(facts: Facts, routine: Routine, at: Located) -> str:
    """The kind of a statement that reads a file, or moves in one; an empty text for others."""
    statement = at.statement
    if not isinstance(statement, InputOutput) or statement.kind not in _INPUT:
        return ""
    return "" if is_internal(statement, routine.key, facts.scopes, aliases_of(at)) else statement.kind


def _random(facts: Facts, routine: Routine, at: Located, functions: frozenset[str]) -> str:
    """The name of what draws random numbers in a statement; an empty text where nothing does. ``functions`` are those
    whose names the routine has.
    """
    statement = at.statement
    if isinstance(statement, Call):
        name = base_name(statement.designator) or ""
        if name in _RANDOM and facts.scopes.is_intrinsic(name, routine.key):
            return name
    if not functions:
        return ""
    defined = {function for function, *_ in routine.spec.statement_functions}
    for node in (node for expr in expressions(statement) for node in walk(expr)):
        if isinstance(node, Apply) and isinstance(node.base, Name) and node.base.name in functions:
            name, scopes = node.base.name, facts.scopes
            known = scopes.variable(name, routine.key)
            own = name in defined or bool(scopes.procedures(name, routine.key))
            if not own and (known is None or not known.symbol.rank):
                return name
    return ""
