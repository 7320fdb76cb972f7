"""Jumps from outside of a region to a label in it.

A jump to the label of the statement with which a region begins is a jump to the region; the label goes to a
``continue`` before it (:mod:`hfpy.transform.regions.regionlabels`). Any other has no meaning: the points would have
done nothing of what is before the label.
"""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.analyze.callgraph.positions import RegionId
from hfpy.analyze.facts import Facts
from hfpy.analyze.language.context import Located
from hfpy.diagnostics import Diagnostic, Related, error
from hfpy.model.source import LogicalLine
from hfpy.model.statements import Construct, Node, flatten, targets
from hfpy.model.units import Routine


def goto_labels(nodes: tuple[Node, ...]) -> frozenset[str]:
    """The labels to which some nodes jump."""
    return frozenset(label for s in flatten(nodes) for label in targets(s))


def first_line(region: Construct) -> LogicalLine | None:
    """The line of the statement with which a region begins."""
    node = next(iter(region.body), None)
    return None if node is None else node.header.line if isinstance(node, Construct) else node.line


def begun_by_jumps(routine: Routine) -> Iterator[tuple[Construct, LogicalLine]]:
    """The regions that begin with a labelled statement to which the routine jumps from outside alone, with its line.
    Labels in included files stay where they are.
    """
    for region in routine.regions:
        line = first_line(region)
        if line is None or not line.label or line.file or region.header.line.file:
            continue
        if line.label in goto_labels(routine.body) - goto_labels(region.body):
            yield region, line


def jumps_into(facts: Facts, routine: Routine) -> Iterator[Diagnostic]:
    """HF405 for each jump from outside of a region that is active to a label in it."""
    if not routine.regions:
        return
    begins = {id(region): line.label for region, line in begun_by_jumps(routine)}
    jumps: dict[str, list[Located]] = {}
    for at in facts.graph.statements[routine.key]:
        for label in targets(at.statement) if facts.live(at, routine.key) else ():
            jumps.setdefault(label, []).append(at)
    for number, region in enumerate(routine.regions if jumps else ()):
        found = facts.positions.regions.get(RegionId(routine.key, number))
        if found is None:
            continue
        labels = {s.line.label for s in flatten(region.body)} - {"", begins.get(id(region), "")}
        for label in sorted(labels & jumps.keys()):
            for at in (at for at in jumps[label] if number not in at.regions):
                place = at.statement.line.place(routine.file)
                message = f"a jump to '{label}' leads into a region"
                hint = "jump to a statement before the region, or bring the jump into it"
                yield error("HF405", message, place, hint, [Related(found.place, "the region")])
