"""A survey as a diagram: boxes with lines of text, arrows, colours and what they mean; the same for SVG and DOT."""

from __future__ import annotations

import textwrap
from collections import Counter
from pathlib import PurePath

from hfpy.insight.survey import CallView, PassedArray, RegionView, RoutineView, Survey
from hfpy.values import dataclass

_LABEL_WIDTH = 34
_LABEL_LINES = 9


@dataclass(frozen=True)
class Style:
    """How boxes of one kind look, and what that means. The text on ``fill`` has a contrast of at least 7 to 1."""

    fill: str
    line: str
    meaning: str
    dashed: bool = False


STYLES = {
    "within": Style("#ffe0b8", "#b35c00", "holds kernels (within)"),
    "inside": Style("#dbe8fb", "#2b62ad", "leads to kernels (inside)"),
    "outside": Style("#d6f0dc", "#1f7a3e", "runs in kernels (outside)"),
    "none": Style("#f0f0f0", "#707070", "no kernels concern it"),
    "unparsed": Style("#ffffff", "#707070", "no directive reaches it", dashed=True),
    "label": Style("#fffbe6", "#a89a4a", "arrays that a call passes"),
}
HOST_CALL, KERNEL_CALL, BACK_CALL = "#5b6470", "#1f7a3e", "#b3261e"


@dataclass(frozen=True)
class BoxView:
    """One box: lines of text, the first of them its name; ``tip`` is shown when one points at it."""

    key: str
    group: str
    style: str
    lines: tuple[str, ...]
    tip: str
    bold: bool = False
    link: str = ""


@dataclass(frozen=True)
class ArrowView:
    """One arrow: ``kernel`` says that the call is in a region, ``head`` whether it has a point."""

    source: str
    target: str
    tip: str
    kernel: bool = False
    head: bool = True


@dataclass(frozen=True)
class Diagram:
    """Boxes in groups, with arrows between them."""

    title: str
    boxes: tuple[BoxView, ...]
    arrows: tuple[ArrowView, ...]

    @property
    def styles(self) -> tuple[str, ...]:
        """The styles in use, in the order of the legend."""
        used = {box.style for box in self.boxes}
        return tuple(name for name in STYLES if name in used)


def diagram(survey: Survey, title: str, data: bool = False, links: dict[str, str] | None = None) -> Diagram:
    """The diagram of a survey; with ``data`` calls say which arrays they pass, and where those are. ``links`` are the
    pages of routines.
    """
    routines = {r.key: r for r in survey.routines}
    boxes = [_box(r, (links or {}).get(r.key, "")) for r in survey.routines]
    arrows: list[ArrowView] = []
    for call in survey.calls:
        tip = _call_tip(call, routines)
        if data and call.arrays:
            label = f"{call.caller} -> {call.callee}"
            boxes.append(BoxView(label, _group(routines[call.callee]), "label", _array_lines(call.arrays), tip))
            arrows.append(ArrowView(call.caller, label, tip, call.in_region, head=False))
            arrows.append(ArrowView(label, call.callee, tip, call.in_region))
        else:
            arrows.append(ArrowView(call.caller, call.callee, tip, call.in_region))
    return Diagram(title, tuple(boxes), tuple(arrows))


def _group(routine: RoutineView) -> str:
    return routine.module or PurePath(routine.file).name


def _box(routine: RoutineView, link: str) -> BoxView:
    lines = [routine.name or "main program"]
    kernels = Counter(r.iterators for r in routine.kernels)
    lines += [f"{n} kernels over {i}" if n > 1 else f"kernel over {i}" for i, n in kernels.items()]
    others = Counter(r.iterators for r in routine.regions if not r.active)
    lines += [f"not here: region over {i}" for i in others if i not in kernels]
    return BoxView(
        routine.key, _group(routine), routine.position, tuple(lines), _tip(routine), routine.kind == "program", link
    )


def _tip(routine: RoutineView) -> str:
    style = STYLES[routine.position]
    backend = f", backend {routine.backend}" if routine.backend else ""
    lines = [
        f"{routine.kind} {routine.name}",
        f"{routine.file}:{routine.line}",
        f"{style.meaning}{backend}",
    ]
    for word, regions in (("kernel", routine.kernels), ("in the kernel", routine.above)):
        lines += [f"{word} over {r.text}, {_place(r)}" for r in regions[:8]]
    return "\n".join(lines)


def _place(region: RegionView) -> str:
    return f"{PurePath(region.file).name}:{region.line}"


def _call_tip(call: CallView, routines: dict[str, RoutineView]) -> str:
    caller, callee = routines[call.caller], routines[call.callee]
    lines = [f"{caller.name} calls {callee.name}"]
    if call.lines:
        places = ", ".join(map(str, sorted(set(call.lines))))
        lines.append(f"{PurePath(caller.file).name}:{places}{', in a kernel' if call.in_region else ''}")
    for array in call.arrays:
        renamed = array.name if array.name == array.dummy else f"{array.name} as {array.dummy}"
        lines.append(f"{renamed}: {array.state}" if array.state else renamed)
    return "\n".join(lines)


def _array_lines(arrays: tuple[PassedArray, ...]) -> tuple[str, ...]:
    """The arrays of a call by where they are."""
    by_state: dict[str, list[str]] = {}
    for array in arrays:
        by_state.setdefault(array.state, []).append(array.name)
    lines: list[str] = []
    for state, names in by_state.items():
        listed = ", ".join(dict.fromkeys(names))
        lines += textwrap.wrap(f"{state}: {listed}" if state else listed, _LABEL_WIDTH, subsequent_indent="  ")
    if len(lines) > _LABEL_LINES:
        lines = [*lines[: _LABEL_LINES - 1], "…"]
    return tuple(lines)
