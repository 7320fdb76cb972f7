#!/usr/bin/env python3
"""Draws the bubbles: ``plot.py euler.dat euler.png``.

Reads the stream file that the program writes (numbers and sizes of cells; frames of time, rho, u, w and theta;
the totals) and shows potential temperature with the wind at every output time.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@dataclass(frozen=True)
class Frame:
    """The fields at one time, indexed [k, i]."""

    time: float
    u: np.ndarray
    w: np.ndarray
    theta: np.ndarray


def read(path: Path) -> tuple[tuple[float, float], list[Frame]]:
    """Sizes of the cells and all frames of a file; raises ValueError if its length does not fit its header."""
    data = path.read_bytes()
    nx, nz = (int(n) for n in np.frombuffer(data, "<i4", 2))
    dx, dz = (float(d) for d in np.frombuffer(data, "<f8", 2, 8))
    values = np.frombuffer(data, "<f8", offset=24)[:-4]
    size = 1 + 4 * nx * nz
    if values.size == 0 or values.size % size:
        raise ValueError(f"{path}: not an output file of the euler sample")
    frames = []
    for record in values.reshape(-1, size):
        _, u, w, theta = record[1:].reshape(4, nz, nx)
        frames.append(Frame(float(record[0]), u, w, theta))
    return (dx, dz), frames


def draw(spacing: tuple[float, float], frames: list[Frame], path: Path) -> None:
    """Writes the picture of the last four frames to a PNG file."""
    shown = frames[-4:]
    dx, dz = spacing
    nz, nx = shown[0].theta.shape
    limit = max(0.1, *(float(np.abs(f.theta).max()) for f in shown))
    figure, axes = plt.subplots(2, 2, figsize=(12, 7), constrained_layout=True, squeeze=False)
    places = axes.ravel()
    step = max(1, nx // 24)
    x = (np.arange(nx) + 0.5) * dx / 1000
    z = (np.arange(nz) + 0.5) * dz / 1000
    extent = (0.0, nx * dx / 1000, 0.0, nz * dz / 1000)
    part = (slice(None, None, step), slice(None, None, step))
    for place, frame in zip(places, shown, strict=False):
        image = place.imshow(frame.theta, origin="lower", extent=extent, cmap="RdBu_r", vmin=-limit, vmax=limit)
        place.quiver(x[::step], z[::step], frame.u[part], frame.w[part], scale=900, width=0.002, color="0.25")
        place.set_title(f"t = {frame.time:.0f} s")
        place.set_xlabel("x [km]")
        place.set_ylabel("z [km]")
    for place in places[len(shown) :]:
        place.set_axis_off()
    figure.colorbar(image, ax=axes, label="deviation of potential temperature [K]", shrink=0.8)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Draws the output of the euler sample.")
    parser.add_argument("data", type=Path, nargs="?", default=Path("euler.dat"))
    parser.add_argument("picture", type=Path, nargs="?", default=Path("euler.png"))
    arguments = parser.parse_args()
    draw(*read(arguments.data), arguments.picture)
    print(f"wrote {arguments.picture}")


if __name__ == "__main__":
    main()
