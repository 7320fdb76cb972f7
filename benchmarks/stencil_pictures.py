"""The pictures of benchmarks/stencils.py. Needs matplotlib."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from benchmarks.stencil_report import Run, mean

Panels = Sequence[tuple[str, Sequence[Run]]]
COLOURS = {"plain": "#8c96a3", "generated": "#1f6fb4", "tuned": "#d9822b"}
NAMES = {"plain": "plain loops by hand", "generated": "hfpy", "tuned": "tuned by hand"}


def draw_speedups(panels: Panels, path: Path) -> None:
    """Bars: how many times as fast as the plain program, kernel by kernel, with the geometric mean of those counted."""
    figure, axes = plt.subplots(len(panels), 1, figsize=(9, 3.4 * len(panels)), squeeze=False, layout="constrained")
    for axis, (title, runs) in zip(axes[:, 0], panels, strict=True):
        _bars(axis, runs)
        axis.set_title(title, fontsize=10, loc="left")
    axes[0, 0].legend(loc="upper right", frameon=False, fontsize=9)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _bars(axis: Axes, runs: Sequence[Run]) -> None:
    names = [r.kernel for r in runs] + ["mean of\nthe eleven"]
    speedups = [r.speedup("plain") or 0.0 for r in runs]
    speedups.append(mean([s for s, r in zip(speedups, runs, strict=True) if r.counted]))
    places = range(len(names))
    axis.bar(places, speedups, 0.55, color=COLOURS["generated"], label=NAMES["generated"])
    for place, speedup in zip(places, speedups, strict=True):
        axis.text(place, speedup, f"{speedup:.2f}", ha="center", va="bottom", fontsize=8)
    found = [r.speedup("plain", of="tuned") for r in runs]
    tuned = [(n + 0.36, speedup) for n, speedup in enumerate(found) if speedup is not None]
    if tuned:
        axis.plot(*zip(*tuned, strict=True), "D", color=COLOURS["tuned"], markersize=6, label=NAMES["tuned"])
    axis.axhline(1, color=COLOURS["plain"], linewidth=1.2)
    axis.set_xticks(list(places), names, rotation=30, ha="right", fontsize=9)
    axis.set_ylabel("speed-up over plain loops")
    axis.set_ylim(0, 1.15 * max([*speedups, *(t for _, t in tuned)]))
    axis.spines[["top", "right"]].set_visible(False)


def draw_rooflines(panels: Panels, path: Path) -> None:
    """Operations a second over operations a byte that must move, under the machine's two limits."""
    figure, axes = plt.subplots(1, len(panels), figsize=(6.2 * len(panels), 5), squeeze=False, layout="constrained")
    for axis, (title, runs) in zip(axes[0], panels, strict=True):
        _roofline(axis, runs)
        axis.set_title(title, fontsize=10, loc="left")
    axes[0, 0].legend(loc="upper left", frameon=False, fontsize=9)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _roofline(axis: Axes, runs: Sequence[Run]) -> None:
    bandwidth = statistics.median(r.bandwidth for r in runs)
    rate = statistics.median(r.rate for r in runs)
    intensities = [r.operations / r.bytes for r in runs]
    axis.set_xscale("log")
    axis.set_yscale("log")
    low, high = min(intensities) / 2, max(*intensities, rate / bandwidth) * 2
    ridge = rate / bandwidth
    axis.plot([low, ridge, high], [low * bandwidth / 1e9, rate / 1e9, rate / 1e9], color="black", linewidth=1.2)
    for program in ("plain", "generated", "tuned"):
        chosen = [r for r in runs if program in r.seconds]
        x = [r.operations / r.bytes for r in chosen]
        y = [r.operations / r.median(program) / 1e9 for r in chosen]
        marker = "D" if program == "tuned" else "o"
        axis.plot(x, y, marker, color=COLOURS[program], label=NAMES[program], markersize=6)
    axis.set_ylim(bottom=min(r.operations / r.median(p) / 1e9 for r in runs for p in r.seconds) / 12)
    floor = axis.get_ylim()[0]
    for run, place in zip(runs, _spread(intensities, low, high), strict=True):
        at, ys = run.operations / run.bytes, [run.operations / run.median(p) / 1e9 for p in ("plain", "generated")]
        axis.plot([at, at], ys, color=COLOURS["plain"], linewidth=1.2, zorder=0)
        axis.plot([place, at, at], [6.3 * floor, 7.8 * floor, min(ys)], color="#d5d9df", linewidth=0.7, zorder=0)
        axis.text(place, 6 * floor, run.kernel, fontsize=7.5, rotation=90, ha="center", va="top")
    axis.set_xlabel("operations per byte that must move")
    axis.set_ylabel("Gop/s")
    axis.grid(True, which="major", linewidth=0.3)
    axis.spines[["top", "right"]].set_visible(False)


def _spread(values: Sequence[float], low: float, high: float) -> list[float]:
    """Places for labels: near the values, in their order, a fortieth of the logarithmic axis apart."""
    step = (high / low) ** (1 / 40)
    places: dict[int, float] = {}
    last = 0.0
    for n in sorted(range(len(values)), key=lambda n: values[n]):
        last = places[n] = max(values[n], last * step)
    return [places[n] for n in range(len(values))]
