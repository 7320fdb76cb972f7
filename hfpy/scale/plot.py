"""The picture of ``hfpy scale``: the time of a step by what it is spent on, and the efficiency."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hfpy.diagnostics import UsageError
from hfpy.extras import require
from hfpy.scale.report import Row

# In this order from below, with colours that stay apart in print and for the colour-blind.
COLOURS = {
    "memory": "#0072b2",
    "operations": "#56b4e9",
    "launches": "#009e73",
    "frame": "#7fbf7b",
    "packing": "#f0e442",
    "staging": "#e69f00",
    "latency": "#d55e00",
    "network": "#cc79a7",
    "reductions": "#8c564b",
    "serial": "#666666",
}


def draw(path: Path, title: str, rows: Sequence[Row | int]) -> None:
    """Write the picture; its form comes from the name, such as ``.svg`` or ``.png``. Raises UsageError without
    matplotlib.
    """
    require("matplotlib", "plot", "a picture")
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    made = [row for row in rows if isinstance(row, Row)]
    if not made:
        raise UsageError("there is nothing to draw: the program fits on none of the processes")
    names = [name for name in COLOURS if any(name in row.prediction.spent for row in made)]
    figure, (upper, lower) = pyplot.subplots(
        2, 1, figsize=(7, 6), sharex=True, height_ratios=(3, 1), layout="constrained"
    )
    places = list(range(len(made)))
    bottoms = [0.0] * len(made)
    for name in names:
        shares = [row.prediction.spent.get(name, 0.0) / row.prediction.seconds for row in made]
        upper.bar(places, shares, bottom=bottoms, width=0.8, color=COLOURS[name], label=name)
        bottoms = [a + b for a, b in zip(bottoms, shares, strict=True)]
    for place, row in zip(places, made, strict=True):
        upper.text(place, 1.01, f"{1e3 * row.prediction.seconds:.3g}", ha="center", va="bottom", fontsize=8)
    upper.set_ylabel("share of a step (above: its time in ms)")
    upper.set_ylim(0, 1.08)
    upper.set_title(title)
    upper.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    lower.plot(places, [row.efficiency for row in made], "o-", color="#0072b2")
    lower.set_ylim(0, 1.1)
    lower.set_ylabel("efficiency")
    lower.set_xlabel("processes")
    lower.set_xticks(places, [str(row.prediction.processes) for row in made])
    lower.grid(alpha=0.3)
    figure.savefig(path)
    pyplot.close(figure)
