"""The kernels of benchmarks/gpu/hand that hfpy's are timed beside: their results against NumPy, on the CPU."""

from __future__ import annotations

import subprocess
from ctypes import CDLL, c_double, c_void_p

import numpy as np
import numpy.typing as npt
import pytest

from benchmarks.gpu.prepare import HAND

pytestmark = pytest.mark.full

HALO = 4
Array = npt.NDArray[np.float64]
# CUDA C for one thread after another: where a thread is lies in variables.
ONE_BY_ONE = """
#define __global__ static
#define __device__
#define __host__
struct place { int x, y, z; };
static place blockIdx, blockDim = {1, 1, 1}, threadIdx;
#include "stencils.hpp"
template <class F> void all(int nx, int ny, int nz, F launch) {
  for (blockIdx.z = 0; blockIdx.z <= nz; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y <= ny; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x <= nx; ++blockIdx.x) launch();
}
extern "C" void run_hdiffsa(int nx, int ny, int nz, double *const *f) {
  all(nx, ny, nz, [&] { hdiffsa(nx, ny, nz, f[0], f[1], f[2], f[3], f[4]); });
}
extern "C" void run_fastwavesuv(int nx, int ny, int nz, double *const *f, double dt, double edadlat) {
  all(nx, ny, nz, [&] {
    fastwavesuv(nx, ny, nz, dt, edadlat, f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10]);
  });
}
"""
SIZES = (7, 5, 4)
IN = (slice(HALO, -HALO),) * 3


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> CDLL:
    folder = tmp_path_factory.mktemp("hand")
    (folder / "one_by_one.cpp").write_text(ONE_BY_ONE)
    words = ["g++", "-std=c++17", "-O1", "-ffp-contract=off", "-shared", "-fPIC", f"-I{HAND}", "one_by_one.cpp"]
    subprocess.run([*words, "-o", "kernels.so"], cwd=folder, check=True)
    return CDLL(str(folder / "kernels.so"))


def fields(count: int, rows: tuple[int, ...]) -> list[Array]:
    """Made-up fields with their halos, first index contiguous; those in ``rows`` have the second dimension alone."""
    random = np.random.default_rng(7)
    shape = tuple(n + 2 * HALO for n in SIZES)
    whole = ((shape[1],) if n in rows else shape for n in range(count))
    return [np.asfortranarray(random.uniform(0.5, 1.5, one)) for one in whole]


def called(kernel: object, given: list[Array], *more: float) -> None:
    pointers = (c_void_p * len(given))(*(one.ctypes.data for one in given))
    kernel(*SIZES, pointers, *map(c_double, more))  # type: ignore[operator]


def at(f: Array, axis: int, by: int) -> Array:
    """The neighbour's value; what comes in at the border means nothing."""
    return np.roll(f, -by, axis)


def test_hdiffsa(kernels: CDLL) -> None:
    given = fields(5, (2, 3))
    inp, mask, to, back = (f.copy() for f in given[:4])
    before = given[4].copy()
    called(kernels.run_hdiffsa, given)
    to, back = to[None, :, None], back[None, :, None]
    lap = at(inp, 0, -1) + at(inp, 0, 1) - 2.0 * inp + to * (at(inp, 1, 1) - inp) + back * (at(inp, 1, -1) - inp)
    flx, fly = at(lap, 0, 1) - lap, to * (at(lap, 1, 1) - lap)
    flx = np.where(flx * (at(inp, 0, 1) - inp) > 0, 0, flx)
    fly = np.where(fly * (at(inp, 1, 1) - inp) > 0, 0, fly)
    out = inp + mask * (at(flx, 0, -1) - flx + at(fly, 1, -1) - fly)
    assert np.array_equal(given[4][IN], out[IN])
    before[IN] = out[IN]
    assert np.array_equal(given[4], before)


def test_fastwavesuv(kernels: CDLL) -> None:
    given = fields(11, (8,))
    uin, utens, vin, vtens, wgtfac, ppuv, hhl, rho, fx = (f.copy() for f in given[:9])
    dt, edadlat = 0.25, 1.75
    called(kernels.run_fastwavesuv, given, dt, edadlat)
    ppgk = wgtfac * ppuv + (1.0 - wgtfac) * at(ppuv, 2, -1)
    ppgc = at(ppgk, 2, 1) - ppgk
    up = at(hhl, 2, 1)

    def towards(axis: int) -> Array:
        slope = (up + hhl) - (at(up, axis, 1) + at(hhl, axis, 1))
        deep = (up - hhl) + (at(up, axis, 1) - at(hhl, axis, 1))
        return (at(ppuv, axis, 1) - ppuv) + 0.5 * (at(ppgc, axis, 1) + ppgc) * slope / deep

    uout = uin + dt * (utens - towards(0) * (2.0 * fx[None, :, None] / (at(rho, 0, 1) + rho)))
    vout = vin + dt * (vtens - towards(1) * (2.0 * edadlat / (at(rho, 1, 1) + rho)))
    assert np.array_equal(given[9][IN], uout[IN]) and np.array_equal(given[10][IN], vout[IN])
