"""Where a statement is: in which region, under which conditions, in which loops."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.model.directives import IfDirective, Region
from hfpy.model.expressions import Name
from hfpy.model.statements import Construct, Header, Node, OneLine, Statement, constructs
from hfpy.model.units import Routine
from hfpy.values import dataclass

RENAMING = frozenset({"associate", "selecttype", "block"})


@dataclass(frozen=True, slots=True)
class Located:
    """A statement with its surroundings. ``regions`` are the numbers of the regions around it, outermost
    first (a region for one target may lie inside a region for the other).

    ``loop_of`` is the number of the region that brought this ``do`` or ``end do`` as one of its own loops (None: no
    region did), ``renamed`` marks statements in constructs where names may mean something else than in the routine,
    ``masked`` those in a ``where``.
    """

    statement: Statement
    regions: tuple[int, ...]
    conditions: tuple[IfDirective, ...]
    constructs: tuple[Construct, ...]
    loop_of: int | None = None
    renamed: bool = False
    masked: bool = False


def regions_of(routine: Routine) -> tuple[Construct, ...]:
    """The region constructs of a routine in the order of the text; their positions are the region numbers."""
    return routine.regions


def located(routine: Routine) -> tuple[Located, ...]:
    """Every statement of the executable part with its surroundings, in the order of the text."""
    numbers = {id(c): n for n, c in enumerate(regions_of(routine))}
    return tuple(_walk(routine.body, (), (), (), numbers, frozenset()))


def _walk(
    nodes: tuple[Node, ...],
    regions: tuple[int, ...],
    conditions: tuple[IfDirective, ...],
    outer: tuple[Construct, ...],
    numbers: dict[int, int],
    own: frozenset[str],
) -> Iterator[Located]:
    renamed, masked = _renamed(outer), any(c.kind == "where" for c in outer)
    for node in nodes:
        if isinstance(node, Construct):
            yield from _construct(node, regions, conditions, outer, numbers, own)
            continue
        yield Located(node, regions, conditions, outer, None, renamed, masked)
        within = masked
        while isinstance(node, OneLine):
            within = within or node.kind == "where"
            node = node.action
            yield Located(node, regions, conditions, outer, None, renamed, within)


def _construct(
    node: Construct,
    regions: tuple[int, ...],
    conditions: tuple[IfDirective, ...],
    outer: tuple[Construct, ...],
    numbers: dict[int, int],
    own: frozenset[str],
) -> Iterator[Located]:
    inner_regions, inner_conditions, inner_own = regions, conditions, own
    loop_of = None
    if node.kind == "region" and node.region is not None:
        inner_regions = (*regions, numbers[id(node)])
        inner_own = frozenset(node.region.iterators) if node.region.loops else frozenset()
    elif node.kind == "at_if" and node.condition is not None:
        inner_conditions = (*conditions, node.condition)
    elif node.kind == "do" and getattr(node.header, "var", "") in own:
        loop_of = regions[-1]
        inner_own = own - {getattr(node.header, "var", "")}
    around = (*outer, node)
    renamed = _renamed(around)
    for part in node.parts:
        yield Located(part.header, regions, conditions, around, loop_of, renamed)
        yield from _walk(part.body, inner_regions, inner_conditions, around, numbers, inner_own)
    if node.end is not None:
        yield Located(node.end, regions, conditions, around, loop_of, renamed)


def _renamed(constructs: tuple[Construct, ...]) -> bool:
    return any(c.kind in RENAMING for c in constructs)


def region_at(routine: Routine, number: int) -> Region:
    """The region with that number."""
    region = regions_of(routine)[number].region
    assert region is not None
    return region


def guards_of(routine: Routine) -> dict[str, frozenset[str]]:
    """The derived types that guards of ``select type`` constructs give names of a routine."""
    found: dict[str, frozenset[str]] = {}
    for construct in constructs(routine.body):
        head = construct.header
        if construct.kind != "selecttype" or not isinstance(head, Header):
            continue
        names = head.names or tuple(e.name for e in head.exprs if isinstance(e, Name))
        guards = {p.header.guard for p in construct.parts if isinstance(p.header, Header) and p.header.guard}
        found.update({name: found.get(name, frozenset()) | guards for name in names})
    return found
