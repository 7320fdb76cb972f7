"""A diagram in the DOT language, for Graphviz and what else reads it."""

from __future__ import annotations

from collections.abc import Iterator

from hfpy.insight.diagram import HOST_CALL, KERNEL_CALL, STYLES, BoxView, Diagram


def dot(diagram: Diagram) -> str:
    """The text of a DOT file: a cluster for each group, colours and tooltips as in the SVG."""
    return "\n".join(_file(diagram)) + "\n"


def _file(diagram: Diagram) -> Iterator[str]:
    yield f"digraph {quoted(diagram.title)} {{"
    yield f'  graph [rankdir=LR, label={quoted(diagram.title)}, labelloc=t, fontname="monospace"]'
    yield '  node [shape=box, style="rounded,filled", fontname="monospace", fontsize=11]'
    yield f'  edge [color="{HOST_CALL}"]'
    for number, group in enumerate(dict.fromkeys(box.group for box in diagram.boxes)):
        yield f"  subgraph cluster_{number} {{"
        yield f"    label={quoted(group)}"
        yield from (f"    {_node(box)}" for box in diagram.boxes if box.group == group)
        yield "  }"
    for arrow in diagram.arrows:
        given = [f"tooltip={quoted(arrow.tip)}"]
        given += [f'color="{KERNEL_CALL}"'] if arrow.kernel else []
        given += ["arrowhead=none"] if not arrow.head else []
        yield f"  {quoted(arrow.source)} -> {quoted(arrow.target)} [{', '.join(given)}]"
    yield "}"


def _node(box: BoxView) -> str:
    style = STYLES[box.style]
    dashed = ', style="rounded,filled,dashed"' if style.dashed else ""
    label = quoted("\n".join(box.lines), left=len(box.lines) > 1)
    return (
        f'{quoted(box.key)} [label={label}, fillcolor="{style.fill}", color="{style.line}"{dashed}, '
        f"tooltip={quoted(box.tip)}]"
    )


def quoted(text: str, left: bool = False) -> str:
    """A text as a DOT string: what Graphviz would take for an escape means itself; ``left`` aligns its lines."""
    made = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + made.replace("\n", "\\l" if left else "\\n") + ("\\l" if left else "") + '"'
