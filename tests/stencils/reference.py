"""The transport operator and the inputs of the stencil kernels in NumPy, from the formulas of stencil-kernels.md."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

HALO = 4
Array = npt.NDArray[np.float64]


def scattered(i: Array | int, j: Array | int, k: Array | int, number: int) -> Array:
    """The hash u of [0,1) of places counted from zero (§7)."""
    m = np.asarray(i + 4 + 512 * (j + 4) + 262144 * (k + 4) + 33554432 * number, dtype=np.int64)
    for _ in range(3):
        m = ((m ^ (m >> 15)) * 1103515245 + 12345) & 2147483647
    return np.asarray(m / 2147483648.0)


def field(number: int, sizes: tuple[int, int, int]) -> Array:
    """u on the domain and its halo."""
    places = [np.arange(-HALO, n + HALO) for n in sizes]
    i, j, k = np.meshgrid(*places, indexing="ij")
    return scattered(i, j, k, number)


def at(f: Array, axis: int, by: int) -> Array:
    """``f`` at the neighbour; what comes in at the border means nothing."""
    return np.roll(f, -by, axis)


def face(q: Array, c: Array, axis: int) -> Array:
    """The limited upwind value of ``q`` at the faces along an axis (§6)."""
    al = 7 / 12 * (at(q, axis, -1) + q) + 1 / 12 * (at(q, axis, -2) + at(q, axis, 1))
    left, right = al - q, at(al, axis, 1) - q
    both = left + right
    steep = left * right < 0
    m = steep | at(steep, axis, -1)
    with_wind = at(q, axis, -1) + m * (1 - c) * (at(right, axis, -1) - c * at(both, axis, -1))
    return np.where(c > 0, with_wind, q + m * (1 + c) * (left + c * both))


def transport(sizes: tuple[int, int, int]) -> tuple[Array, Array]:
    """The fluxes of the whole operator on the domain, for the sample's inputs."""
    u = [field(n, sizes) for n in range(1, 9)]
    q, xfx, yfx, ra_x, ra_y, area = (0.5 + u[n] for n in (0, 3, 4, 5, 6, 7))
    crx, cry = 2 * u[1] - 1, 2 * u[2] - 1
    fy2, fx2 = face(q, cry, 1), face(q, crx, 0)
    fyy, fxx = yfx * fy2, xfx * fx2
    q_i = (q * area + fyy - at(fyy, 1, 1)) / ra_y
    q_j = (q * area + fxx - at(fxx, 0, 1)) / ra_x
    fx = 0.5 * (face(q_i, crx, 0) + fx2) * xfx
    fy = 0.5 * (face(q_j, cry, 1) + fy2) * yfx
    inner = (slice(HALO, -HALO),) * 3
    return fx[inner], fy[inner]


def residual(x: Array) -> float:
    """The largest residual of the solver's system for the sample's inputs."""
    sizes = (x.shape[0], x.shape[1], x.shape[2])
    inner = (slice(HALO, -HALO),) * 3
    a, b, c, d = (field(n, sizes)[inner] for n in (1, 2, 3, 4))
    left = (2.5 + b) * x
    left[:, :, 1:] += (a[:, :, 1:] - 1) * x[:, :, :-1]
    left[:, :, :-1] += (c[:, :, :-1] - 1) * x[:, :, 1:]
    return float(np.abs(left - (2 * d - 1)).max())
