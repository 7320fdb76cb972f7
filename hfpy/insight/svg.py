"""A diagram as SVG: one file, without script or fonts from elsewhere; pointing at a box or an arrow tells about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from hfpy.insight.diagram import BACK_CALL, HOST_CALL, KERNEL_CALL, STYLES, ArrowView, BoxView, Diagram
from hfpy.insight.layers import Point, Rectangle, Stretch
from hfpy.insight.layout import Layout, ends_of, lay_out

MARGIN = 20.0
_FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
_LETTER = 0.603  # the width of a letter of these fonts, in sizes
_SIZE, _SMALL = 12.0, 10.5
_LINE, _FIRST = 14.0, 24.0
_HEAD = 68.0  # the title and the legend
_STYLE = f"""
  text {{ font-family: {_FONT}; font-size: {_SIZE}px; fill: #1a1a1a; }}
  text.small {{ font-size: {_SMALL}px; fill: #333; }}
  text.title {{ font-size: 16px; font-weight: bold; }}
  text.group {{ font-weight: bold; fill: #333; }}
  .bold {{ font-weight: bold; }}
  rect.group {{ fill: #fbfbfc; stroke: #c3c8cf; }}
  path {{ fill: none; stroke-width: 1.2; stroke-opacity: .75; }}
  path:hover {{ stroke-width: 3; stroke-opacity: 1; }}
  path.host {{ stroke: {HOST_CALL}; }}
  path.kernel {{ stroke: {KERNEL_CALL}; }}
  path.back {{ stroke: {BACK_CALL}; stroke-dasharray: 5 3; }}
  a:hover rect, g.box:hover rect {{ stroke-width: 2.5; }}
"""


def svg(diagram: Diagram) -> str:
    """The text of an SVG file."""
    return "\n".join(_file(diagram, placed(diagram))) + "\n"


def placed(diagram: Diagram) -> Layout:
    """Places for all boxes of a diagram, as :func:`svg` draws them (less the margin and the head)."""
    sizes = {box.key: box_size(box) for box in diagram.boxes}
    titles = {box.group: len(box.group) * _SIZE * _LETTER for box in diagram.boxes}
    return lay_out(
        sizes, {b.key: b.group for b in diagram.boxes}, titles, [(a.source, a.target) for a in diagram.arrows]
    )


def box_size(box: BoxView) -> tuple[float, float]:
    """Width and height of a box with its text."""
    if box.style == "label":
        return max(map(len, box.lines)) * _SMALL * _LETTER + 16, _LINE * len(box.lines) + 8
    width = max(len(box.lines[0]) * _SIZE, *(len(line) * _SMALL for line in box.lines[1:]), 0.0) * _LETTER
    return width + 22, _FIRST + _LINE * (len(box.lines) - 1)


def _file(diagram: Diagram, layout: Layout) -> Iterator[str]:
    legend = list(_legend(diagram))
    width = max(layout.width, 760.0, len(diagram.title) * 10.0) + 2 * MARGIN
    height = layout.height + _HEAD + 2 * MARGIN
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">'
    )
    yield f"<title>{escape(diagram.title)}</title>"
    yield f"<style>{_STYLE}</style>"
    yield "<defs>" + "".join(_marker(name, colour) for name, colour in _ARROWS.items()) + "</defs>"
    yield f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>'
    yield f'<text class="title" x="{MARGIN}" y="{MARGIN + 8}">{escape(diagram.title)}</text>'
    yield from legend
    yield f'<g transform="translate({MARGIN} {MARGIN + _HEAD})">'
    for name, box in layout.groups.items():
        yield f'<rect class="group" {_extent(box)} rx="6"/>'
        yield f'<text class="group" x="{box.x + 12:.1f}" y="{box.y + 17:.1f}">{escape(name)}</text>'
    for arrow in diagram.arrows:
        yield _arrow(arrow, layout)
    for view in diagram.boxes:
        yield from _box(view, layout.boxes[view.key])
    yield "</g>"
    yield "</svg>"


_ARROWS = {"host": HOST_CALL, "kernel": KERNEL_CALL, "back": BACK_CALL}


def _marker(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto" '
        f'markerUnits="userSpaceOnUse"><path d="M0 0.5 L8 4 L0 7.5 z" style="fill:{colour};stroke:none"/></marker>'
    )


def _legend(diagram: Diagram) -> Iterator[str]:
    """What colours and lines mean, in one row below the title."""
    x, y = MARGIN, MARGIN + 24
    for name in diagram.styles:
        style = STYLES[name]
        yield _rectangle(Rectangle(x, y, 18, 13), name)
        yield f'<text class="small" x="{x + 24:.1f}" y="{y + 10.5}">{escape(style.meaning)}</text>'
        x += 24 + len(style.meaning) * _SMALL * _LETTER + 22
    x, y = MARGIN, y + 20
    meanings = {"host": "call", "kernel": "call in a kernel", "back": "call back in a recursion"}
    for name, meaning in meanings.items():
        yield f'<path class="{name}" d="M{x:.1f} {y + 6.5} h26" marker-end="url(#{name})"/>'
        yield f'<text class="small" x="{x + 32:.1f}" y="{y + 10.5}">{meaning}</text>'
        x += 32 + len(meaning) * _SMALL * _LETTER + 22


def _extent(box: Rectangle) -> str:
    return f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'


def _rectangle(box: Rectangle, style_name: str) -> str:
    style = STYLES[style_name]
    dashes = ' stroke-dasharray="4 3"' if style.dashed else ""
    return f'<rect {_extent(box)} rx="4" fill="{style.fill}" stroke="{style.line}"{dashes}/>'


def _box(view: BoxView, box: Rectangle) -> Iterator[str]:
    yield f'<a href="{escape(view.link)}">' if view.link else '<g class="box">'
    yield f"<title>{escape(view.tip)}</title>"
    yield _rectangle(box, view.style)
    if view.style == "label":
        for number, line in enumerate(view.lines):
            yield _text(box.x + 8, box.y + 14.5 + number * _LINE, line, "small")
    else:
        yield _text(box.x + 11, box.y + 16, view.lines[0], "bold" if view.bold else "")
        for number, line in enumerate(view.lines[1:], 1):
            yield _text(box.x + 11, box.y + 16 + number * _LINE, line, "small")
    yield "</a>" if view.link else "</g>"


def _text(x: float, y: float, text: str, kind: str) -> str:
    given = f' class="{kind}"' if kind else ""
    return f'<text{given} x="{x:.1f}" y="{y:.1f}" xml:space="preserve">{escape(text)}</text>'


def _arrow(arrow: ArrowView, layout: Layout) -> str:
    edge = (arrow.source, arrow.target)
    turned = edge in layout.turned
    kind = "back" if turned or arrow.source == arrow.target else "kernel" if arrow.kernel else "host"
    head = f' marker-end="url(#{kind})"' if arrow.head else ""
    if arrow.source == arrow.target:
        box = layout.boxes[arrow.source]
        path = f"M{box.right - 30:.1f} {box.y:.1f} c2 -13 20 -13 20 0"
    else:
        start, end = ends_of(edge, layout.boxes, turned)
        path = curve(start, layout.routes[edge], end)
    return f'<path class="{kind}" d="{path}"{head}><title>{escape(arrow.tip)}</title></path>'


def curve(start: Point, stretches: Sequence[Stretch], end: Point) -> str:
    """The path from a point to another through level stretches, level at all of their ends."""
    parts = [f"M{start[0]:.1f} {start[1]:.1f}"]
    at = start
    for left, right in stretches:
        parts += [_bend(at, left), f"H{right[0]:.1f}"]
        at = right
    return " ".join([*parts, _bend(at, end)])


def _bend(start: Point, end: Point) -> str:
    middle = (start[0] + end[0]) / 2
    return f"C{middle:.1f} {start[1]:.1f} {middle:.1f} {end[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
