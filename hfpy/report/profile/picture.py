"""A profile as a picture: where the time went, and how near each kernel came to the bandwidth. One SVG, no script."""

from __future__ import annotations

from html import escape

from hfpy.report.profile.results import Kernel, Profile, totals
from hfpy.report.profile.text import amount, per_cent, rate, seconds

WIDTH = 1000
_KERNELS = 24  # bars; the rest is one bar
_LEFT, _BARS, _SHARE, _SHARE_WIDTH = 290.0, 270.0, 715.0, 110.0
_ROW, _BAR, _TOP = 44.0, 20.0, 108.0
_NAME = 36  # letters of a name that there is room for

_STYLE = """
  svg { --paper: #ffffff; --ink: #1c2430; --soft: #566174; --line: #dde2e9; --time: #3b7dc4; --copy: #e07b28;
    --share: #3f8f5f; --room: #e9edf2; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14181f; --ink: #e8ecf2; --soft: #a3aebd; --line: #333c49; --time: #5b9be0; --copy: #ee9148;
      --share: #5aad7c; --room: #262d37; }
  }
  text { font: 14px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: var(--ink); }
  .title { font-size: 19px; font-weight: 600; }
  .strong { font-weight: 600; }
  .soft { fill: var(--soft); font-size: 12.5px; }
  .paper { fill: var(--paper); } .room { fill: var(--room); } .line { stroke: var(--line); }
  .time { fill: var(--time); } .copy { fill: var(--copy); } .share { fill: var(--share); }
"""


def picture(profile: Profile) -> str:
    """The picture as the text of an SVG file."""
    rows = _rows(profile)
    longest = max((row[2] for row in rows), default=0) or 1
    parts = [_text(20, 34, f"{profile.program} ({profile.target}, {profile.backend})", "title")]
    reported = f"{seconds(profile.seconds)}, of these {seconds(profile.in_kernels)} in kernels"
    reported += f" and {seconds(profile.in_copies)} in copies" if profile.copies else ""
    parts.append(_text(20, 56, reported, "soft"))
    heads = [(_LEFT, "time"), (_SHARE, f"of {amount(profile.bandwidth)}/s" if profile.bandwidth else "rate")]
    parts += [_text(x, _TOP - 14, word, "strong") for x, word in heads]
    parts.append(f'<path class="line" d="M20 {_TOP - 4:.0f} H{WIDTH - 20}"/>')
    for n, (name, below, time, style, kernel) in enumerate(rows):
        y = _TOP + 8 + n * _ROW
        parts += [_text(20, y + 13, name, "strong"), _text(20, y + 29, below, "soft")]
        width = max(time / longest * _BARS, 1)
        parts.append(f'<rect class="{style}" x="{_LEFT}" y="{y:.1f}" width="{width:.1f}" height="{_BAR:.0f}" rx="2"/>')
        of_run = per_cent(time / profile.seconds if profile.seconds else None)
        parts.append(_text(_LEFT + width + 8, y + 15, f"{seconds(time)}, {of_run}", ""))
        if kernel is not None:
            parts += _bandwidth(profile, kernel, y)
    if not rows:
        parts.append(_text(20, _TOP + 22, "no kernel ran", ""))
    height = _TOP + max(len(rows), 1) * _ROW + 16
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" role="img">'
    paper = f'<rect class="paper" width="{WIDTH}" height="{height:.0f}"/>'
    return "\n".join([head, f"<style>{_STYLE}</style>", paper, *parts, "</svg>\n"])


def _rows(profile: Profile) -> list[tuple[str, str, float, str, Kernel | None]]:
    """What has a bar: name, the line below, seconds, style, and the kernel if it is one."""
    rows: list[tuple[str, str, float, str, Kernel | None]] = []
    for kernel in profile.kernels[:_KERNELS]:
        below = f"{kernel.place}, {kernel.calls:,} call{'s' if kernel.calls != 1 else ''}"
        rows.append((_short(kernel.name), _short(below), kernel.seconds / profile.processes, "time", kernel))
    rest = profile.kernels[_KERNELS:]
    if rest:
        time = sum(k.seconds for k in rest) / profile.processes
        rows.append((f"{len(rest)} more kernels", f"{sum(k.calls for k in rest):,} calls", time, "time", None))
    for way, copies in totals(profile.copies).items():
        below = f"{copies.calls:,} cop{'ies' if copies.calls != 1 else 'y'}, {amount(copies.bytes)}"
        rows.append((f"copies, {way}", below, copies.seconds / profile.processes, "copy", None))
    return rows


def _bandwidth(profile: Profile, kernel: Kernel, y: float) -> list[str]:
    """The share of the bandwidth as a bar of its own; a cache may give more, which fills it."""
    share = profile.share(kernel)
    if share is None:
        return [_text(_SHARE, y + 15, rate(profile, kernel), "")]
    shape = f'x="{_SHARE}" y="{y:.1f}" height="{_BAR:.0f}" rx="2"'
    return [
        f'<rect class="room" {shape} width="{_SHARE_WIDTH}"/>',
        f'<rect class="share" {shape} width="{min(share, 1) * _SHARE_WIDTH:.1f}"/>',
        _text(_SHARE + _SHARE_WIDTH + 8, y + 15, f"{per_cent(share)}, {rate(profile, kernel)}", ""),
    ]


def _short(text: str) -> str:
    return text if len(text) <= _NAME else f"{text[: _NAME - 1]}…"


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
