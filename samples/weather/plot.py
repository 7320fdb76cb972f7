#!/usr/bin/env python3
"""Draws the rising thermal: ``plot.py weather.dat weather.png [--processes 2x1]``.

Reads the stream file that the model writes (header nx, ny, nz, dx, dy, dz; frames of time, th, u, v, pi
and w, see source/output.h90) and shows vertical cross-sections of the deviation of potential temperature
through the thermal at every output time, and a horizontal map of the updraft at the last one, with the borders
between the parts of processes if their number along x and y is given.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.image import AxesImage


@dataclass(frozen=True)
class Frame:
    """The fields at one time, indexed [k, j, i]; ``w`` has one level more than the others."""

    time: float
    th: np.ndarray
    u: np.ndarray
    v: np.ndarray
    pi: np.ndarray
    w: np.ndarray


@dataclass(frozen=True)
class Run:
    """Grid spacing in metres and all frames of an output file."""

    spacing: tuple[float, float, float]
    frames: tuple[Frame, ...]


def read(path: Path) -> Run:
    """Reads an output file; raises ValueError if its length does not fit its header."""
    data = path.read_bytes()
    nx, ny, nz = (int(n) for n in np.frombuffer(data, "<i4", 3))
    dx, dy, dz = (float(d) for d in np.frombuffer(data, "<f8", 3, 12))
    level = nx * ny
    frame_size = 1 + 4 * nz * level + (nz + 1) * level
    values = np.frombuffer(data, "<f8", offset=36)
    if values.size == 0 or values.size % frame_size:
        raise ValueError(f"{path}: not an output file of the weather sample")
    frames = []
    for record in values.reshape(-1, frame_size):
        th, u, v, pi = record[1 : 1 + 4 * nz * level].reshape(4, nz, ny, nx)
        w = record[1 + 4 * nz * level :].reshape(nz + 1, ny, nx)
        frames.append(Frame(float(record[0]), th, u, v, pi, w))
    return Run((dx, dy, dz), tuple(frames))


def cross_section(axes: Axes, run: Run, frame: Frame, limit: float) -> AxesImage:
    """Draws th and the wind in the plane y = const that holds the strongest updraft of the last frame."""
    dx, _, dz = run.spacing
    last = run.frames[-1]
    j = int(np.unravel_index(last.w.argmax(), last.w.shape)[1])
    nz, _, nx = frame.th.shape
    extent = (0.0, nx * dx / 1000, 0.0, nz * dz / 1000)
    image = axes.imshow(
        frame.th[:, j, :],
        origin="lower",
        extent=extent,
        cmap="RdBu_r",
        vmin=-limit,
        vmax=limit,
        interpolation="bilinear",
    )
    step = max(1, nx // 18)
    x = (np.arange(nx) + 0.5) * dx / 1000
    z = (np.arange(nz) + 0.5) * dz / 1000
    u_mass = 0.5 * (frame.u[:, j, :] + np.roll(frame.u[:, j, :], 1, axis=1))
    w_mass = 0.5 * (frame.w[1:, j, :] + frame.w[:-1, j, :])
    part = (slice(None, None, step), slice(None, None, step))
    axes.quiver(x[::step], z[::step], u_mass[part], w_mass[part], scale=220, width=0.0035, color="0.25")
    axes.set_title(f"t = {frame.time:.0f} s")
    axes.set_xlabel("x [km]")
    axes.set_ylabel("z [km]")
    return image


def updraft_map(axes: Axes, run: Run) -> AxesImage:
    """Draws w of the last frame in the horizontal plane of its maximum, with contours of th."""
    dx, dy, dz = run.spacing
    frame = run.frames[-1]
    k = min(int(np.unravel_index(frame.w.argmax(), frame.w.shape)[0]), frame.th.shape[0] - 1)
    _, ny, nx = frame.w.shape
    extent = (0.0, nx * dx / 1000, 0.0, ny * dy / 1000)
    limit = max(float(np.abs(frame.w[k]).max()), 1e-6)
    image = axes.imshow(
        frame.w[k], origin="lower", extent=extent, cmap="PuOr_r", vmin=-limit, vmax=limit, interpolation="bilinear"
    )
    axes.contour(frame.th[k], levels=[0.25, 0.5, 0.75, 1.0], extent=extent, colors="0.2", linewidths=0.7)
    axes.set_title(f"updraft at z = {k * dz / 1000:.1f} km, t = {frame.time:.0f} s")
    axes.set_xlabel("x [km]")
    axes.set_ylabel("y [km]")
    return image


def borders(points: int, processes: int) -> list[int]:
    """How many points there are before each part but the first: sizes differ by one, the first parts have more."""
    sizes = [points // processes + (n < points % processes) for n in range(processes)]
    return [int(n) for n in np.cumsum(sizes)[:-1]]


def draw_borders(axes: Axes, run: Run, processes: tuple[int, int]) -> None:
    """Draws the borders between the parts of processes on a map."""
    dx, dy, _ = run.spacing
    _, ny, nx = run.frames[-1].w.shape
    style = {"color": "tab:green", "linestyle": "--", "linewidth": 1.6}
    for n in borders(nx, processes[0]):
        axes.axvline(n * dx / 1000, **style)
    for n in borders(ny, processes[1]):
        axes.axhline(n * dy / 1000, **style)
    axes.set_title(f"{axes.get_title()}, {processes[0]} x {processes[1]} processes")


def draw(run: Run, path: Path, processes: tuple[int, int] | None = None) -> None:
    """Writes the picture of a run to a PNG file: the last three frames and the map."""
    shown = run.frames[-3:]
    figure, axes = plt.subplots(2, 2, figsize=(11, 9.2), constrained_layout=True)
    places = axes.ravel()
    limit = max(0.1, 0.9 * float(np.abs(shown[-1].th).max()))
    for place, frame in zip(places, shown, strict=False):
        image = cross_section(place, run, frame, limit)
        figure.colorbar(image, ax=place, label="deviation of potential temperature [K]", shrink=0.85)
    for place in places[len(shown) : -1]:
        place.set_axis_off()
    figure.colorbar(updraft_map(places[-1], run), ax=places[-1], label="w [m/s]", shrink=0.85)
    if processes is not None:
        draw_borders(places[-1], run, processes)
    figure.suptitle("A dry thermal rising into a stable layer")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Draws the output of the weather sample.")
    parser.add_argument("data", type=Path, nargs="?", default=Path("weather.dat"))
    parser.add_argument("picture", type=Path, nargs="?", default=Path("weather.png"))
    parser.add_argument("--processes", metavar="NXxNY", help="processes along x and y, whose borders are drawn")
    arguments = parser.parse_args()
    along = tuple(map(int, arguments.processes.split("x"))) if arguments.processes else None
    draw(read(arguments.data), arguments.picture, along)
    print(f"wrote {arguments.picture}")


if __name__ == "__main__":
    main()
