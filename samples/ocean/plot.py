#!/usr/bin/env python3
"""Draws the tracer and the currents: ``plot.py ocean.dat ocean.png``.

Reads the stream file that the program writes (numbers of cells; frames of time, surface, u, v and tracer) and shows the
tracer of the uppermost level with the currents at the last four output times.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

CELL = 0.1  # km


@dataclass(frozen=True)
class Frame:
    """The fields at one time, indexed [jj, ji]; the tracer is that of the uppermost level."""

    time: float
    surface: np.ndarray
    u: np.ndarray
    v: np.ndarray
    tracer: np.ndarray


def read(path: Path) -> list[Frame]:
    """All frames of a file; raises ValueError if its length does not fit its header."""
    data = path.read_bytes()
    nx, ny, nz = (int(n) for n in np.frombuffer(data, "<i4", 3))
    values = np.frombuffer(data, "<f8", offset=12)
    plane, size = nx * ny, 1 + 3 * nx * ny + nx * ny * nz
    if values.size == 0 or values.size % size:
        raise ValueError(f"{path}: not an output file of the ocean sample")
    frames = []
    for record in values.reshape(-1, size):
        surface, u, v = record[1 : 1 + 3 * plane].reshape(3, ny, nx)
        frames.append(Frame(float(record[0]), surface, u, v, record[1 + 3 * plane :].reshape(nz, ny, nx)[0]))
    return frames


def draw(frames: list[Frame], path: Path) -> None:
    """Writes the picture of the last four frames to a PNG file."""
    shown = frames[-4:]
    ny, nx = shown[0].tracer.shape
    land = np.all([f.u == 0 for f in frames], axis=0) & np.all([f.v == 0 for f in frames], axis=0)
    top = max(0.1, *(float(f.tracer.max()) for f in shown))
    fastest = max(1e-6, *(float(np.hypot(f.u, f.v).max()) for f in shown))
    step = max(1, nx // 24)
    x, y = (np.arange(nx) + 0.5) * CELL, (np.arange(ny) + 0.5) * CELL
    part = (slice(None, None, step), slice(None, None, step))
    figure, axes = plt.subplots(2, 2, figsize=(12, 8.5), constrained_layout=True, squeeze=False)
    for place, frame in zip(axes.ravel(), shown, strict=False):
        tracer = np.ma.masked_where(land, frame.tracer)
        image = place.imshow(
            tracer, origin="lower", extent=(0, nx * CELL, 0, ny * CELL), cmap="viridis", vmin=0, vmax=top
        )
        place.set_facecolor("0.75")
        place.quiver(x[::step], y[::step], frame.u[part], frame.v[part], scale=30 * fastest, width=0.002, color="white")
        place.set_title(f"after {frame.time / 3600:.1f} hours")
        place.set_xlabel("x [km]")
        place.set_ylabel("y [km]")
    for place in axes.ravel()[len(shown) :]:
        place.set_axis_off()
    figure.colorbar(image, ax=axes, label="tracer in the uppermost level (land is grey)", shrink=0.8)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Draws the output of the ocean sample.")
    parser.add_argument("data", type=Path, nargs="?", default=Path("ocean.dat"))
    parser.add_argument("picture", type=Path, nargs="?", default=Path("ocean.png"))
    arguments = parser.parse_args()
    draw(read(arguments.data), arguments.picture)
    print(f"wrote {arguments.picture}")


if __name__ == "__main__":
    main()
