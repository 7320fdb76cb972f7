#!/usr/bin/env python3
"""Draws the clouds: ``plot.py cloud.dat cloud.png``. Shows what the physics gives for the first columns, by height."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np
from check import Fields, State, read

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLUMNS = 101  # after which the state repeats itself, but for the land
DAY = 86400.0
# Field, title, unit, factor, colours; those with two colours have zero in the middle.
PANELS = (
    ("humidity", "relative humidity", "%", 100.0, "viridis"),
    ("tend_l", "change of cloud water", "g/kg a day", 1e3 * DAY, "RdBu"),
    ("tend_i", "change of cloud ice", "g/kg a day", 1e3 * DAY, "RdBu"),
    ("tend_t", "change of temperature", "K a day", DAY, "RdBu_r"),
    ("flux_r", "rain that falls", "mm a day", DAY, "Blues"),
    ("flux_s", "snow that falls", "mm a day", DAY, "Purples"),
)


def draw(nx: int, nlev: int, fields: Fields, path: Path) -> None:
    """Writes the picture of the first columns to a PNG file."""
    shown = min(nx, COLUMNS)
    faces = State.of(nx, nlev).faces[:shown] / 100
    columns = np.broadcast_to(np.arange(shown)[:, None] + 0.5, faces.shape)
    figure, axes = plt.subplots(2, 3, figsize=(13, 7), constrained_layout=True, sharex=True, sharey=True)
    for place, (name, title, unit, factor, colours) in zip(axes.ravel(), PANELS, strict=True):
        values = factor * fields[name][:shown]
        # A field at levels fills the space between faces; one at faces is drawn over the level above.
        cells = values if values.shape[1] == nlev else values[:, 1:]
        limits = (0.0, float(np.percentile(cells, 99.5)) or 1.0)
        if colours.startswith("RdBu"):
            largest = float(np.percentile(np.abs(cells), 99)) or 1.0
            limits = (-largest, largest)
        drawn = place.pcolormesh(columns, faces, cells[:-1], cmap=colours, vmin=limits[0], vmax=limits[1])
        place.set_title(title)
        figure.colorbar(drawn, ax=place, label=unit, extend="max" if limits[0] == 0 else "both")
    axes[0, 0].invert_yaxis()
    for place in axes[:, 0]:
        place.set_ylabel("pressure, hPa")
    for place in axes[1]:
        place.set_xlabel("column")
    figure.suptitle(f"Cloud physics of {shown} of {nx} columns, {nlev} levels")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Draws an output file of the sample cloud.")
    parser.add_argument("file", type=Path)
    parser.add_argument("picture", type=Path)
    given = parser.parse_args()
    nx, nlev, fields = read(str(given.file))
    draw(nx, nlev, fields, given.picture)


if __name__ == "__main__":
    main()
