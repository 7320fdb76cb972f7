"""The pictures of the report as SVG: the flow of lines, new lines by what they are for, small bars for tables.

Colours are classes of the page's style sheet, so that they follow its light and dark themes.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hfpy.report.productivity.figures import Figures
from hfpy.report.productivity.report import Bar
from hfpy.report.productivity.text import number, percent

WIDTH = 960
_LEAST = 1.5  # what is there is seen, however little it is
_HEIGHT = 250.0  # of the larger side of the flow
_TOP = 64.0
_GAP = 34.0  # between what is kept and what is not
_BLOCK = 16.0
_REFERENCE, _BEFORE, _AFTER, _HYBRID = 150.0, 350.0, 594.0, 794.0  # left edges of the four columns
_BAR, _BARS_LEFT, _BARS_RIGHT = 40.0, 192.0, 165.0
_ROW = 160  # the longest bar in a table


def flow(f: Figures) -> str:
    """The flow of lines: the reference, what is kept and replaced of it, what is new, the hybrid code."""
    scale = _HEIGHT / max(f.reference_raw, f.hybrid_raw, 1)

    def high(lines: int) -> float:
        return max(lines * scale, _LEAST) if lines > 0 else 0.0

    kept, replaced, new = high(f.kept), high(f.replaced), high(f.new)
    lower = _TOP + kept + _GAP
    under = lower + max(replaced, new) + 20
    left = _column(
        _REFERENCE, (kept, "kept"), (replaced, "replaced"), (high(f.reference_raw - f.reference_lines), "blank")
    )
    right = _column(_HYBRID, (kept, "kept"), (new, "new"), (high(f.hybrid_raw - f.hybrid_lines), "blank"))
    ends = _TOP + max(
        kept + replaced + high(f.reference_raw - f.reference_lines), kept + new + high(f.hybrid_raw - f.hybrid_lines)
    )
    middle = (_BEFORE + _BLOCK + _AFTER) / 2
    parts = [
        _band(_REFERENCE, _TOP, kept, _BEFORE, _TOP, kept, "kept"),
        _band(_REFERENCE, _TOP + kept, replaced, _BEFORE, lower, replaced, "replaced"),
        _band(_BEFORE, _TOP, kept, _AFTER, _TOP, kept, "kept"),
        _band(_BEFORE, lower, replaced, _AFTER, lower, new, "swap"),
        _band(_AFTER, _TOP, kept, _HYBRID, _TOP, kept, "kept"),
        _band(_AFTER, lower, new, _HYBRID, _TOP + kept, new, "new"),
        *left,
        _block(_BEFORE, _TOP, kept, "kept") + _block(_BEFORE, lower, replaced, "replaced"),
        _block(_AFTER, _TOP, kept, "kept") + _block(_AFTER, lower, new, "new"),
        *right,
        *_side(_REFERENCE - 10, kept, "end", "Reference", f.reference_lines, f.reference_raw),
        *_side(_HYBRID + _BLOCK + 10, kept, "start", "Hybrid code", f.hybrid_lines, f.hybrid_raw),
        *_caption(
            middle,
            _TOP - 30,
            f"kept one to one: {number(f.kept)}",
            f"{percent(f.kept, f.reference_lines)} of the reference, "
            f"{percent(f.kept, f.hybrid_lines)} of the hybrid code",
        ),
        *_caption(
            _BEFORE + _BLOCK / 2,
            under,
            f"replaced: {number(f.replaced)}",
            f"{percent(f.replaced, f.reference_lines)} of the reference",
        ),
        *_caption(
            _AFTER + _BLOCK / 2, under, f"new: {number(f.new)}", f"{percent(f.new, f.hybrid_lines)} of the hybrid code"
        ),
    ]
    reported = (
        f"Of {number(f.reference_lines)} lines {number(f.kept)} are kept and {number(f.replaced)} replaced; "
        f"with {number(f.new)} new ones the hybrid code has {number(f.hybrid_lines)}."
    )
    return _svg(max(ends, under + 20) + 16, "Flow of lines", reported, parts)


def stacked(bars: Sequence[Bar], reference_lines: int) -> str:
    """New lines of each side, one bar each, in parts by what they are for."""
    largest = max((bar.total for bar in bars), default=0) or 1
    scale = (WIDTH - _BARS_LEFT - _BARS_RIGHT) / largest
    parts: list[str] = []
    for n, bar in enumerate(bars):
        parts += _stack(bar, 14.0 + n * (_BAR + 22), scale, reference_lines)
    reported = "; ".join(f"{bar.title}: {number(bar.total)} new lines" for bar in bars)
    return _svg(14.0 + len(bars) * (_BAR + 22), "New lines by what they are for", reported, parts)


def _stack(bar: Bar, y: float, scale: float, reference_lines: int) -> list[str]:
    x = _BARS_LEFT
    parts = [_text(x - 12, y + 26, bar.title, "strong", "end")]
    for key, label, lines in bar.parts:
        width = lines * scale
        if not lines:
            continue
        shape = f'x="{x:.1f}" y="{y:.1f}" width="{max(width - 1, 0.5):.1f}" height="{_BAR:.0f}"'
        parts.append(f'<rect class="k-{key}" {shape}><title>{escape(f"{label}: {number(lines)}")}</title></rect>')
        if width > 9 * len(number(lines)) + 10:  # room for the number
            parts.append(_text(x + width / 2, y + 25, number(lines), f"in k-on-{key}", "middle"))
        x += width
    least = "" if bar.complete else "≥ "
    parts.append(_text(x + 10, y + 18, f"{least}{number(bar.total)}", "strong", "start"))
    parts.append(_text(x + 10, y + 35, f"{percent(bar.total, reference_lines)} of reference", "soft", "start"))
    return parts


def row_bar(kept: int, new: int, largest: int) -> str:
    """A small bar for a row of a table: what is kept, and what is new. ``largest`` is as long as a bar gets."""
    scale = _ROW / max(largest, 1)
    first, second = kept * scale, new * scale
    bar = f'<rect class="kept" x="0" y="2" width="{first:.1f}" height="10"/>' if kept else ""
    bar += f'<rect class="new" x="{first:.1f}" y="2" width="{max(second, 1):.1f}" height="10"/>' if new else ""
    label = f"{kept} kept, {new} new"
    return f'<svg class="row" width="{_ROW + 2}" height="14" role="img" aria-label="{label}">{bar}</svg>'


def _svg(height: float, title: str, reported: str, parts: Sequence[str]) -> str:
    body = "\n".join(part for part in parts if part)
    head = f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
    return f"{head}\n<desc>{escape(reported)}</desc>\n{body}\n</svg>"


def _text(x: float, y: float, text: str, style: str, anchor: str) -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _block(x: float, y: float, height: float, kind: str) -> str:
    if not height:
        return ""
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{_BLOCK:.0f}" height="{height:.1f}"/>'


def _column(x: float, *blocks: tuple[float, str]) -> list[str]:
    """Blocks one below the other."""
    y, parts = _TOP, []
    for height, kind in blocks:
        parts.append(_block(x, y, height, kind))
        y += height
    return parts


def _band(x: float, y: float, height: float, to_x: float, to_y: float, to_height: float, kind: str) -> str:
    """A band from a block to one of the next column, curved where they are not at the same height."""
    if not height or not to_height:
        return ""
    x += _BLOCK
    middle = (x + to_x) / 2
    foot, to_foot = y + height, to_y + to_height
    path = (
        f"M{x:.1f} {y:.1f} C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f} V{to_foot:.1f} "
        f"C{middle:.1f} {to_foot:.1f} {middle:.1f} {foot:.1f} {x:.1f} {foot:.1f} Z"
    )
    return f'<path class="band {kind}" d="{path}"/>'


def _side(x: float, kept: float, anchor: str, head: str, lines: int, raw: int) -> list[str]:
    """What is beside an outer column."""
    y = max(_TOP + kept / 2, _TOP + 14)
    return [
        _text(x, y - 6, head, "strong", anchor),
        _text(x, y + 14, f"{number(lines)} lines", "", anchor),
        _text(x, y + 32, f"of {number(raw)} raw", "soft", anchor),
    ]


def _caption(x: float, y: float, head: str, line: str) -> list[str]:
    return [_text(x, y, head, "strong", "middle"), _text(x, y + 17, line, "soft", "middle")]
