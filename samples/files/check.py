#!/usr/bin/env python3
"""Compares the files of the sample with the same steps in NumPy: ``check.py FILE.nc FILE.h5 [NX NY NZ]``.

A classic NetCDF file with one variable ends with its records, big-endian; an HDF5 file has a contiguous dataset as it
is in memory. Status 0: equal within the bound, 1: different.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

#: The largest difference that is allowed; the fields are of the order of 1.
BOUND = 1e-12
SNAPSHOTS, STEPS = 3, 4


def snapshots(nx: int, ny: int, nz: int) -> list[np.ndarray]:
    """The fields that are written, indexed [k, j, i]."""
    i, j = np.arange(1, nx + 1)[None, None, :], np.arange(1, ny + 1)[None, :, None]
    k = np.arange(1, nz + 1)[:, None, None]
    field = np.exp(-0.05 * ((i - nx // 3) ** 2 + (j - ny // 2) ** 2)) + 0.001 * k
    found = []
    for _ in range(SNAPSHOTS):
        for _ in range(STEPS):
            along = 0.3 * (np.roll(field, 1, axis=2) - field)
            across = 0.1 * (np.roll(field, -1, axis=1) + np.roll(field, 1, axis=1) - 2 * field)
            field = field + (along + across) / k
        found.append(field)
    return found


def records(path: Path, nx: int, ny: int, nz: int) -> np.ndarray:
    """The snapshots of a NetCDF file, indexed [time, k, j, i]. Raises ValueError."""
    data = path.read_bytes()
    size = SNAPSHOTS * nx * ny * nz
    if data[:3] != b"CDF" or len(data) < 8 * size:
        raise ValueError(f"{path} is no NetCDF file with {SNAPSHOTS} snapshots of that size")
    return np.frombuffer(data[-8 * size :], ">f8").reshape(SNAPSHOTS, nz, ny, nx)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compares the files of the sample files with NumPy.")
    parser.add_argument("netcdf", type=Path)
    parser.add_argument("hdf5", type=Path)
    parser.add_argument("sizes", type=int, nargs="*", default=[24, 16, 8])
    given = parser.parse_args()
    found = records(given.netcdf, *given.sizes)
    expected = np.array(snapshots(*given.sizes))
    difference = float(abs(found - expected).max())
    archived = found[-1].astype("<f8").tobytes() in given.hdf5.read_bytes()
    print(
        f"{SNAPSHOTS} snapshots, the largest difference {difference:.1e}; last one {'' if archived else 'not '}archived"
    )
    return 0 if difference <= BOUND and archived else 1


if __name__ == "__main__":
    sys.exit(main())
