#!/usr/bin/env python3
"""Compares a solution with NumPy's: ``check.py FILE``. The right-hand side is that of the file, since its values depend
on the last bits of the library's cosine; all else is found anew. Status 0: the residuals agree to 1e-9.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.polynomial import legendre


def quadrature(order: int) -> tuple[np.ndarray, np.ndarray]:
    """The weights, and the matrix of the derivative, on the points of Gauss, Lobatto and Legendre."""
    p = legendre.Legendre.basis(order)
    z = np.concatenate([[-1.0], np.sort(p.deriv().roots().real), [1.0]])
    weights = 2 / (order * (order + 1) * p(z) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        d = p(z)[:, None] / (p(z)[None, :] * (z[:, None] - z[None, :]))
    np.fill_diagonal(d, 0.0)
    d[0, 0] = -order * (order + 1) / 4
    d[-1, -1] = -d[0, 0]
    return weights, d


def numbers(order: int, levels: int) -> np.ndarray:
    """A number for each point, equal for those that are one: axes (k, j, i) within (ez, ey, ex)."""
    first = (levels + 2) // 3
    second = (levels - first + 1) // 2
    nx, ny, nz = 2**first, 2**second, 2 ** (levels - first - second)
    along = np.arange(order + 1)
    x = (order * np.arange(nx))[:, None] + along
    y = (order * np.arange(ny))[:, None] + along
    z = (order * np.arange(nz))[:, None] + along
    return (
        x[None, None, :, None, None, :]
        + (order * nx + 1) * (y[None, :, None, None, :, None] + (order * ny + 1) * z[:, None, None, :, None, None])
    ).reshape(-1)


def residuals(order: int, levels: int, steps: int, f: np.ndarray) -> np.ndarray:
    """The residual before the first step and after each."""
    weights, d = quadrature(order)
    scale = np.einsum("k,j,i->kji", weights, weights, weights)
    _, place, count = np.unique(numbers(order, levels), return_inverse=True, return_counts=True)
    c = 1 / count[place]
    shape = (2**levels, order + 1, order + 1, order + 1)

    def operator(u: np.ndarray) -> np.ndarray:
        u = u.reshape(shape)
        w = np.einsum("li,ekjl->ekji", d, scale * np.einsum("il,ekjl->ekji", d, u))
        w += np.einsum("lj,ekli->ekji", d, scale * np.einsum("jl,ekli->ekji", d, u))
        w += np.einsum("lk,elji->ekji", d, scale * np.einsum("kl,elji->ekji", d, u))
        summed = np.bincount(place, w.reshape(-1))[place] + 0.1 * u.reshape(-1)
        summed[0] = 0
        return summed

    x, p, r = np.zeros_like(f), np.zeros_like(f), f.copy()
    r[0] = 0
    rho = before = float((r * c * r).sum())
    found = [before**0.5]
    for n in range(steps):
        p = (rho / before if n else 0.0) * p + r
        w = operator(p)
        alpha = rho / float((w * c * p).sum())
        x += alpha * p
        r -= alpha * w
        before, rho = rho, float((r * c * r).sum())
        found.append(rho**0.5)
    return np.array(found)


def main() -> int:
    data = Path(sys.argv[1]).read_bytes()
    order, levels, steps = (int(n) for n in np.frombuffer(data, "<i4", 3))
    count = 2**levels * (order + 1) ** 3
    values = np.frombuffer(data, "<f8", offset=12)
    f, history = values[:count], values[count : count + steps + 1]
    expected = residuals(order, levels, steps, f)
    worst = float(np.max(np.abs(history[: min(steps, 20) + 1] / expected[: min(steps, 20) + 1] - 1)))
    print(f"residual {history[0]:.6e} at first, {history[-1]:.6e} after {steps}; at most {worst:.1e} from NumPy's")
    return int(worst > 1e-9)


if __name__ == "__main__":
    sys.exit(main())
