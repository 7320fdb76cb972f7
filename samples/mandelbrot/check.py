#!/usr/bin/env python3
"""Compares a picture with NumPy's: ``check.py FILE NX TURNS``. Status 0: equal, but for 1 % of the pixels at most.

Compilers that contract a*b+c give some pixels on the boundary another turn; without contraction all are equal.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np


def escape(nx: int, turns: int) -> np.ndarray:
    """The picture in single precision, a turn of all pixels at a time."""
    left, right, bottom, top = (np.float32(x) for x in (-2.0, 0.47, -1.12, 1.12))
    ny = int(np.float32(nx) * (top - bottom) / (right - left))
    dx, dy = (right - left) / np.float32(nx), (top - bottom) / np.float32(ny)
    cr = (left + np.arange(nx, dtype=np.float32) * dx)[:, None] + np.zeros((1, ny), np.float32)
    ci = (bottom + np.arange(ny, dtype=np.float32) * dy)[None, :] + np.zeros((nx, 1), np.float32)
    zr, zi = cr.copy(), ci.copy()
    picture = np.zeros((nx, ny), np.int32)
    inside = np.ones((nx, ny), bool)
    for m in range(turns):
        zr, zi = (
            np.where(inside, zr * zr - zi * zi + cr, zr),
            np.where(inside, np.float32(2) * zr * zi + ci, zi),
        )
        leaves = inside & (zr * zr + zi * zi > np.float32(4))
        picture[leaves] = m
        inside &= ~leaves
    return picture


def main() -> int:
    data = np.fromfile(Path(sys.argv[1]), np.int32)
    nx, ny = int(data[0]), int(data[1])
    picture = data[2:].reshape((nx, ny), order="F")
    expected = escape(int(sys.argv[2]), int(sys.argv[3]))
    if picture.shape != expected.shape:
        print(f"the picture has {picture.shape}, not {expected.shape}")
        return 1
    different = int((picture != expected).sum())
    sums = int(picture.sum(dtype=np.int64)), int(expected.sum(dtype=np.int64))
    print(f"{different} of {picture.size} pixels differ, sums {sums[0]} and {sums[1]}")
    return int(different > 0.01 * picture.size or abs(sums[0] - sums[1]) > 0.005 * max(sums[1], 1))


if __name__ == "__main__":
    sys.exit(main())
