#!/usr/bin/env python3
"""Draws the set: ``plot.py picture.dat picture.png``. Colours say after how many turns a point leaves."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot


def main() -> None:
    """The command line."""
    data = np.fromfile(Path(sys.argv[1]), np.int32)
    nx, ny = int(data[0]), int(data[1])
    turns = data[2:].reshape((nx, ny), order="F").T
    shades = np.log1p(np.where(turns == 0, turns.max() + 1, turns))  # points that never leave have 0
    pyplot.imsave(sys.argv[2], shades, cmap="twilight_shifted", origin="lower")
    print(f"wrote {sys.argv[2]}")


if __name__ == "__main__":
    main()
