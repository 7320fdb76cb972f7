"""The two pictures of the report as SVG: the flow of lines, and new lines by what they are for, stacked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hfpy.report.productivity.figures import Figures
from hfpy.report.productivity.report import Bar
from hfpy.report.productivity.text import number, percent

WIDTH = 960
_HEIGHT = 250.0  # of the larger side of the flow
_TOP = 64
_COLUMNS = (150.0, 350.0, 594.0, 794.0)  # left edges of the blocks
_BLOCK = 16.0
_LEAST = 1.5  # what is there is seen, however little it is


def flow(f: Figures) -> str:
    """The flow of lines: reference, raw and sanitised, what is kept and replaced, what is new, the hybrid code."""
    largest = max(f.reference_raw, f.hybrid_raw, 1)
    scale = _HEIGHT / largest
    gap = 34.0

    def high(lines: int) -> float:
        return max(lines * scale, _LEAST) if lines else 0.0

    a, b, c, d = _COLUMNS
    kept = high(f.kept)
    out: list[str] = []
    lower = _TOP + kept + gap
    bottom_a = _TOP + max(high(f.reference_raw), high(f.reference_lines))
    bottom_d = _TOP + max(high(f.hybrid_raw), high(f.hybrid_lines))
    height = max(bottom_a, bottom_d, lower + max(high(f.replaced), high(f.new)) + 44) + 26
    # bands
    out.append(_band(a + _BLOCK, _TOP, kept, b, _TOP, kept, "kept"))
    out.append(_band(a + _BLOCK, _TOP + kept, high(f.replaced), b, lower, high(f.replaced), "replaced"))
    out.append(_band(b + _BLOCK, _TOP, kept, c, _TOP, kept, "kept"))
    if f.replaced and f.new:
        out.append(_band(b + _BLOCK, lower, high(f.replaced), c, lower, high(f.new), "swap"))
    out.append(_band(c + _BLOCK, _TOP, kept, d, _TOP, kept, "kept"))
    out.append(_band(c + _BLOCK, lower, high(f.new), d, _TOP + kept, high(f.new), "new"))
    # blocks
    rest_a, rest_d = f.reference_raw - f.reference_lines, f.hybrid_raw - f.hybrid_lines
    out += [
        _block(a, _TOP, kept, "kept"),
        _block(a, _TOP + kept, high(f.replaced), "replaced"),
        _block(a, _TOP + kept + high(f.replaced), high(max(rest_a, 0)), "blank"),
        _block(b, _TOP, kept, "kept"),
        _block(b, lower, high(f.replaced), "replaced"),
        _block(c, _TOP, kept, "kept"),
        _block(c, lower, high(f.new), "new"),
        _block(d, _TOP, kept, "kept"),
        _block(d, _TOP + kept, high(f.new), "new"),
        _block(d, _TOP + kept + high(f.new), high(max(rest_d, 0)), "blank"),
    ]
    # words
    out += _words(
        a - 10,
        _TOP + kept / 2,
        "end",
        "Reference",
        f"{number(f.reference_lines)} lines",
        f"of {number(f.reference_raw)} raw",
    )
    out += _words(
        d + _BLOCK + 10,
        _TOP + kept / 2,
        "start",
        "Hybrid code",
        f"{number(f.hybrid_lines)} lines",
        f"of {number(f.hybrid_raw)} raw",
    )
    middle = (b + _BLOCK + c) / 2
    out += _over(
        middle,
        _TOP - 30,
        f"kept one to one: {number(f.kept)}",
        f"{percent(f.kept, f.reference_lines)} of the reference, {percent(f.kept, f.hybrid_lines)} of the hybrid code",
    )
    under = lower + max(high(f.replaced), high(f.new)) + 18
    out += _over(
        b + _BLOCK / 2,
        under,
        f"replaced: {number(f.replaced)}",
        f"{percent(f.replaced, f.reference_lines)} of the reference",
    )
    out += _over(c + _BLOCK / 2, under, f"new: {number(f.new)}", f"{percent(f.new, f.hybrid_lines)} of the hybrid code")
    title = (
        f"Of {number(f.reference_lines)} lines {number(f.kept)} are kept and {number(f.replaced)} replaced; "
        f"with {number(f.new)} new ones the hybrid code has {number(f.hybrid_lines)}."
    )
    return _svg(height, "Flow of lines", title, out)


def stacked(bars: Sequence[Bar], reference_lines: int) -> str:
    """New lines of each side, one bar each, in parts by what they are for."""
    largest = max((bar.total for bar in bars), default=0) or 1
    left, right = 150.0, 150.0
    scale = (WIDTH - left - right) / largest
    out: list[str] = []
    y = 14.0
    for bar in bars:
        x = left
        out.append(
            f'<text class="strong" x="{left - 12:.1f}" y="{y + 26:.1f}" text-anchor="end">{escape(bar.title)}</text>'
        )
        for key, label, lines in bar.parts:
            width = lines * scale
            if not lines:
                continue
            told = f"{label}: {number(lines)}"
            out.append(
                f'<rect class="k-{key}" x="{x:.1f}" y="{y:.1f}" width="{max(width - 1, 0.5):.1f}" height="40">'
                f"<title>{escape(told)}</title></rect>"
            )
            if width > 9 * len(number(lines)) + 10:
                out.append(
                    f'<text class="in k-on-{key}" x="{x + width / 2:.1f}" y="{y + 25:.1f}" text-anchor="middle">{number(lines)}</text>'
                )
            x += width
        least = "" if bar.complete else "≥ "
        out.append(f'<text class="strong" x="{x + 10:.1f}" y="{y + 18:.1f}">{least}{number(bar.total)}</text>')
        share = percent(bar.total, reference_lines)
        out.append(f'<text class="soft" x="{x + 10:.1f}" y="{y + 35:.1f}">{share} of reference</text>')
        y += 62
    title = "; ".join(f"{bar.title}: {number(bar.total)} new lines" for bar in bars)
    return _svg(y, "New lines by what they are for", title, out)


def bar_of(kept: int, new: int, largest: int) -> str:
    """A small bar for a row of a table: what is kept, and what is new."""
    scale = 160 / max(largest, 1)
    first = kept * scale
    second = new * scale
    parts = [
        f'<rect class="kept" x="0" y="2" width="{first:.1f}" height="10"/>' if kept else "",
        f'<rect class="new" x="{first:.1f}" y="2" width="{max(second, 1):.1f}" height="10"/>' if new else "",
    ]
    return f'<svg class="row" width="162" height="14" role="img" aria-label="{kept} kept, {new} new">{"".join(parts)}</svg>'


def _svg(height: float, title: str, told: str, parts: Sequence[str]) -> str:
    body = "\n".join(part for part in parts if part)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">\n'
        f"<desc>{escape(told)}</desc>\n{body}\n</svg>"
    )


def _block(x: float, y: float, height: float, kind: str) -> str:
    if not height:
        return ""
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{_BLOCK}" height="{height:.1f}"/>'


def _band(x: float, y: float, height: float, to_x: float, to_y: float, to_height: float, kind: str) -> str:
    """A band from one block to another, curved where they are not at the same height."""
    if not height or not to_height:
        return ""
    middle = (x + to_x) / 2
    path = (
        f"M{x:.1f} {y:.1f} C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f} "
        f"V{to_y + to_height:.1f} "
        f"C{middle:.1f} {to_y + to_height:.1f} {middle:.1f} {y + height:.1f} {x:.1f} {y + height:.1f} Z"
    )
    return f'<path class="band {kind}" d="{path}"/>'


def _words(x: float, y: float, anchor: str, head: str, *lines: str) -> list[str]:
    y = max(y, _TOP + 14)
    out = [f'<text class="strong" x="{x:.1f}" y="{y - 6:.1f}" text-anchor="{anchor}">{escape(head)}</text>']
    for n, line in enumerate(lines):
        out.append(
            f'<text class="{"" if n == 0 else "soft"}" x="{x:.1f}" y="{y + 14 + 18 * n:.1f}" text-anchor="{anchor}">{escape(line)}</text>'
        )
    return out


def _over(x: float, y: float, head: str, line: str) -> list[str]:
    return [
        f'<text class="strong" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(head)}</text>',
        f'<text class="soft" x="{x:.1f}" y="{y + 17:.1f}" text-anchor="middle">{escape(line)}</text>',
    ]
