"""Places for the boxes of a diagram: groups (modules) in layers from left to right, and in each the boxes in layers.

Two levels of :mod:`hfpy.insight.layers`. What leaves a group, or comes into it, does so at a *port* on its right or
left edge, one for each box concerned; so no arrow crosses a box or a group that it does not belong to.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hfpy.insight.layers import Arrangement, Edge, Point, Rectangle, Spacing, Stretch, acyclic, arrange
from hfpy.values import dataclass

Port = tuple[str, str]  # ("", box), ("in", box) or ("out", box)

PADDING = 14.0
TITLE = 26.0
_INNER = Spacing(across=42.0, down=12.0, thread=5.0, height=520.0)
_OUTER = Spacing(across=72.0, down=26.0, thread=10.0)
_THREAD_STEP = 4.0
_SHAPE = 1.5  # the width of a picture to its height, if there is a choice
_HEIGHTS = (500.0, 750.0, 1100.0, 1600.0, 2300.0, 3300.0, 4800.0, 7000.0)


@dataclass(frozen=True)
class Layout:
    """Places of boxes and groups, and for each edge the level stretches that it goes through, from its source to its
    target; between them, and to the boxes, it goes in curves. ``turned`` are edges that run from right to left.
    """

    boxes: Mapping[str, Rectangle]
    groups: Mapping[str, Rectangle]
    routes: Mapping[Edge[str], tuple[Stretch, ...]]
    turned: frozenset[Edge[str]]
    width: float
    height: float


@dataclass(frozen=True)
class _Group:
    """The inside of a group, its own corner being the origin."""

    inside: Arrangement[Port]
    width: float
    height: float

    def place(self, port: Port) -> Rectangle:
        """The place of a box, as wide as all in its layer, or of a port."""
        box = self.inside.boxes[port]
        return Rectangle(box.x + PADDING, box.y + TITLE, self.inside.ends[port] - box.x, box.height)

    def way(self, edge: Edge[Port]) -> list[Stretch]:
        """The stretches of an edge inside."""
        return [_moved(stretch, PADDING, TITLE) for stretch in self.inside.ways[edge]]


def lay_out(
    sizes: Mapping[str, tuple[float, float]],
    group_of: Mapping[str, str],
    titles: Mapping[str, float],
    edges: Sequence[Edge[str]],
) -> Layout:
    """Places for boxes of these sizes; ``group_of`` says which group a box is in, ``titles`` how wide the group's title
    is. Edges from a box to itself have no route.
    """
    edges = [e for e in dict.fromkeys(edges) if e[0] != e[1]]
    names = list(dict.fromkeys(group_of[key] for key in sizes))
    between = [e for e in edges if group_of[e[0]] != group_of[e[1]]]
    turned_groups = acyclic(names, [(group_of[s], group_of[t]) for s, t in between])
    turned = {e for e in between if (group_of[e[0]], group_of[e[1]]) in turned_groups}
    groups: dict[str, _Group] = {}
    for name in names:
        members = [key for key in sizes if group_of[key] == name]
        own = [e for e in edges if group_of[e[0]] == group_of[e[1]] == name]
        back = acyclic(members, own)
        turned |= back
        oriented = [_turn(e) if e in back else e for e in own]
        crossing = [_turn(e) if e in turned else e for e in between]
        groups[name] = _inside({k: sizes[k] for k in members}, oriented, crossing, titles[name])
    oriented = [_turn(e) if e in turned else e for e in edges]
    outer = _outside(groups, group_of, [e for e in oriented if group_of[e[0]] != group_of[e[1]]])
    routes = _routes(groups, group_of, oriented, outer)
    boxes = {}
    for key in sizes:
        corner = outer.boxes[group_of[key]]
        boxes[key] = groups[group_of[key]].place(("", key)).moved(corner.x, corner.y)
    final = {}
    for edge in edges:
        way = routes[_turn(edge) if edge in turned else edge]
        final[edge] = tuple((b, a) for a, b in reversed(way)) if edge in turned else tuple(way)
    return Layout(boxes, outer.boxes, final, frozenset(turned), outer.width, outer.height)


def _turn(edge: Edge[str]) -> Edge[str]:
    return edge[1], edge[0]


def _moved(stretch: Stretch, x: float, y: float) -> Stretch:
    (x1, y1), (x2, y2) = stretch
    return (x1 + x, y1 + y), (x2 + x, y2 + y)


def _inside(
    sizes: Mapping[str, tuple[float, float]], edges: Sequence[Edge[str]], crossing: Sequence[Edge[str]], title: float
) -> _Group:
    """The boxes of one group, with a port for each that has to do with other groups."""
    out = [("out", s) for s in dict.fromkeys(s for s, _ in crossing if s in sizes)]
    into = [("in", t) for t in dict.fromkeys(t for _, t in crossing if t in sizes)]
    all_sizes: dict[Port, tuple[float, float]] = {("", k): size for k, size in sizes.items()}
    all_sizes.update(dict.fromkeys((*out, *into), (0.0, _INNER.thread)))
    joined: list[Edge[Port]] = [(("", s), ("", t)) for s, t in edges]
    joined += [(("", s), (word, s)) for word, s in out]
    joined += [((word, t), ("", t)) for word, t in into]
    inside = arrange(all_sizes, joined, _INNER, frozenset(into), frozenset(out))
    width = max(inside.width, title) + 2 * PADDING
    return _Group(inside, width, inside.height + TITLE + PADDING)


def _outside(groups: Mapping[str, _Group], group_of: Mapping[str, str], edges: Sequence[Edge[str]]) -> Arrangement[str]:
    """The groups in layers of the height that gives the best shape, those without calls to others below them."""
    pairs = [(group_of[s], group_of[t]) for s, t in edges]
    threads = {pair: _THREAD_STEP * pairs.count(pair) for pair in dict.fromkeys(pairs)}
    joined = {name for pair in pairs for name in pair}
    sizes = {name: (group.width, group.height) for name, group in groups.items()}
    chosen = {name: size for name, size in sizes.items() if name in joined}
    best: Arrangement[str] | None = None
    tallest = max((height for _, height in chosen.values()), default=0.0)
    for height in _HEIGHTS if chosen else ():
        if best is not None and height < tallest:
            continue
        spacing = Spacing(_OUTER.across, _OUTER.down, _OUTER.thread, height)
        made = arrange(chosen, pairs, spacing, threads=threads)
        if best is None or _misshapen(made) < _misshapen(best):
            best = made
    return _with_the_rest(best, {n: s for n, s in sizes.items() if n not in joined})


def _misshapen(arrangement: Arrangement[str]) -> float:
    return abs(math.log(max(arrangement.width, 1.0) / max(arrangement.height, 1.0) / _SHAPE))


def _with_the_rest(main: Arrangement[str] | None, sizes: Mapping[str, tuple[float, float]]) -> Arrangement[str]:
    """Groups that nothing joins to others, in rows below the others."""
    boxes = dict(main.boxes) if main is not None else {}
    ends = dict(main.ends) if main is not None else {}
    area = sum((w + _OUTER.down) * (h + _OUTER.down) for w, h in sizes.values())
    limit = max(main.width if main is not None else 0.0, math.sqrt(area * _SHAPE), *(w for w, _ in sizes.values()), 0.0)
    x, y, row = 0.0, main.height + _OUTER.down if main is not None else 0.0, 0.0
    width = main.width if main is not None else 0.0
    for name, (w, h) in sorted(sizes.items(), key=lambda item: -item[1][1]):
        if x and x + w > limit:
            x, y, row = 0.0, y + row + _OUTER.down, 0.0
        boxes[name] = Rectangle(x, y, w, h)
        ends[name] = x + w
        width, x, row = max(width, x + w), x + w + _OUTER.down, max(row, h)
    height = max((box.bottom for box in boxes.values()), default=0.0)
    height = max(height, main.height if main is not None else 0.0)
    return Arrangement(boxes, ends, main.ways if main is not None else {}, width, height)


def _routes(
    groups: Mapping[str, _Group], group_of: Mapping[str, str], edges: Sequence[Edge[str]], outer: Arrangement[str]
) -> dict[Edge[str], list[Stretch]]:
    """The stretches of every edge, which leads from left to right."""
    routes: dict[Edge[str], list[Stretch]] = {}
    bundles: dict[Edge[str], list[Edge[str]]] = {}
    for source, target in edges:
        home = group_of[source]
        if home == group_of[target]:
            corner = outer.boxes[home]
            way = groups[home].way((("", source), ("", target)))
            routes[(source, target)] = [_moved(s, corner.x, corner.y) for s in way]
        else:
            bundles.setdefault((home, group_of[target]), []).append((source, target))
    for (left, right), bundle in bundles.items():
        leaving = {s: _leaving(groups[left], s, outer.boxes[left], outer.ends[left]) for s, _ in bundle}
        coming = {t: _coming(groups[right], t, outer.boxes[right]) for _, t in bundle}
        bundle.sort(key=lambda e: (leaving[e[0]][-1][1][1], coming[e[1]][0][0][1]))  # so that few cross on the way
        for number, (source, target) in enumerate(bundle):
            shift = (number - (len(bundle) - 1) / 2) * _THREAD_STEP
            passing = [_moved(s, 0.0, shift) for s in outer.ways[(left, right)]]
            routes[(source, target)] = [*leaving[source], *passing, *coming[target]]
    return routes


def _leaving(group: _Group, box: str, corner: Rectangle, end: float) -> list[Stretch]:
    """From a box to where the layer of its group ends."""
    port = group.place(("out", box)).moved(corner.x, corner.y)
    way = [_moved(s, corner.x, corner.y) for s in group.way((("", box), ("out", box)))]
    return [*way, ((port.x, port.middle), (end, port.middle))]


def _coming(group: _Group, box: str, corner: Rectangle) -> list[Stretch]:
    """From the left edge of a group to a box in it."""
    port = group.place(("in", box)).moved(corner.x, corner.y)
    way = [_moved(s, corner.x, corner.y) for s in group.way((("in", box), ("", box)))]
    return [((corner.x, port.middle), (port.x, port.middle)), *way]


def ends_of(edge: Edge[str], boxes: Mapping[str, Rectangle], turned: bool) -> tuple[Point, Point]:
    """Where an edge leaves its source and reaches its target: on the sides that face each other in the layout."""
    source, target = boxes[edge[0]], boxes[edge[1]]
    if turned:
        return (source.x, source.middle), (target.right, target.middle)
    return (source.right, source.middle), (target.x, target.middle)
