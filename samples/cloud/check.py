#!/usr/bin/env python3
"""Compares a file of the sample with the same physics in NumPy: ``check.py FILE``.

This is another formulation than that of the Fortran sources: it goes level by level for all columns, solves the
systems of the species by LAPACK, and needs no order of the species, since a donor's share is all that counts. Status
0: equal within the bound, 1: different, 2: a file that is not what the sample writes.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass

import numpy as np

#: The largest difference that is allowed, relative to the largest value of a field.
BOUND = 1e-9
DT = 600.0
MELT, FREEZE, GRAVITY, CP = 273.16, 250.16, 9.80665, 1004.7
VAPORISE, SUBLIMATE, RATIO, DRY_GAS = 2.5008e6, 2.8345e6, 0.622, 287.06
FALL = np.array([0.0, 0.15, 4.0, 1.0, 0.0])
LIQUID, ICE, RAIN, SNOW, VAPOUR = range(5)
LEVELS = ["tend_t", "tend_q", "tend_l", "tend_i", "tend_r", "tend_s", "tend_a", "humidity", "radius_l", "radius_i"]
FACES = ["flux_l", "flux_i", "flux_r", "flux_s", "enth_l", "enth_s", "wet"]
Fields = dict[str, np.ndarray]


def read(path: str) -> tuple[int, int, Fields]:
    """Columns, levels and fields of a file, each field by column and level. Raises ValueError."""
    with open(path, "rb") as file:
        nx, nlev = (int(n) for n in np.fromfile(file, "<i4", 2))
        values = np.fromfile(file, "<f8")
    sizes = [nx * nlev] * len(LEVELS) + [nx * (nlev + 1)] * len(FACES)
    if values.size != sum(sizes):
        raise ValueError(f"{path} has {values.size} values, and not {sum(sizes)}")
    parts = np.split(values, np.cumsum(sizes)[:-1])
    return nx, nlev, {n: p.reshape(-1, nx).T for n, p in zip(LEVELS + FACES, parts, strict=True)}


@dataclass(frozen=True)
class State:
    """What the sample begins with; fields by column and level."""

    pressure: np.ndarray
    faces: np.ndarray
    eta: np.ndarray
    wave: np.ndarray
    land: np.ndarray

    @classmethod
    def of(cls, nx: int, nlev: int) -> State:
        """The state for so many columns and levels."""
        i, k = np.arange(1, nx + 1)[:, None], np.arange(1, nlev + 2)[None, :]
        faces = 1e3 + 9.9e4 * ((k - 1) / nlev) ** 2 + 10 * (i % 7) * k / nlev
        k = k[:, :-1]
        wave = ((37 * i + 11 * k) % 101) / 101
        return cls(0.5 * (faces[:, :-1] + faces[:, 1:]), faces, k / nlev, wave, (i[:, 0] % 3) // 2)


def liquid_share(temperature: np.ndarray) -> np.ndarray:
    """The share of condensate that is liquid."""
    return np.minimum(1, ((np.clip(temperature, FREEZE, MELT) - FREEZE) / (MELT - FREEZE)) ** 2)


def saturation(temperature: np.ndarray, pressure: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The specific humidity of saturation over the mixture of both phases, and its slope over liquid."""
    share = liquid_share(temperature)
    over_liquid = 611.21 * np.exp(17.502 * (temperature - MELT) / (temperature - 32.19))
    over_ice = 611.21 * np.exp(22.587 * (temperature - MELT) / (temperature + 0.7))
    value = np.minimum(0.5, RATIO * (share * over_liquid + (1 - share) * over_ice) / pressure)
    return value, value * 17.502 * (MELT - 32.19) / (temperature - 32.19) ** 2


def adjusted(temperature: np.ndarray, now: np.ndarray, pressure: np.ndarray, cover: np.ndarray) -> np.ndarray:
    """One step of saturation adjustment: changes ``now``, by species and column, and gives the temperature."""
    value, slope = saturation(temperature, pressure)
    share = liquid_share(temperature)
    latent = share * VAPORISE + (1 - share) * SUBLIMATE
    excess = np.maximum((now[VAPOUR] - value) / (1 + latent / CP * slope), -now[LIQUID] - now[ICE])
    active = (excess > 0) | (cover < 0.99)
    of_cloud = now[LIQUID] / np.maximum(now[LIQUID] + now[ICE], 1e-12)
    part = np.where(excess > 0, share, of_cloud)
    change = np.where(active, excess, 0.0)
    now += np.array([part * change, (1 - part) * change, 0 * change, 0 * change, -change])
    return temperature + (part * VAPORISE + (1 - part) * SUBLIMATE) / CP * change


def shares(
    now: np.ndarray, temperature: np.ndarray, dry: np.ndarray, cover: np.ndarray, land: np.ndarray
) -> np.ndarray:
    """What each species gives to each other one in a step, as shares of what it has: [to, from, column]. ``dry`` is
    what the air outside of rain evaporates, without the root of its density for rain.
    """
    given = np.zeros((5, 5, now.shape[1]))
    autoconverted = [DT * 2e-4 * (1 - np.exp(-((now[s] / 3e-4) ** 2))) for s in (LIQUID, ICE)]
    liquid, ice, warm = now[LIQUID] > 1e-12, now[ICE] > 1e-12, temperature > MELT
    collected = DT * 2.2 * now[RAIN] * np.maximum(cover, 0.01)
    given[RAIN, LIQUID] = np.where(liquid, autoconverted[0] + collected, 0)
    given[ICE, LIQUID] = np.where(liquid & (temperature < FREEZE - 12), 1, 0)
    given[SNOW, ICE] = np.where(ice, autoconverted[1] * np.exp(0.025 * (temperature - MELT)), 0)
    given[RAIN, SNOW] = np.where(warm, np.minimum(1, DT * 2e-3 * (temperature - MELT)), 0)
    given[LIQUID, ICE] = np.where(warm, 1, 0)
    given[VAPOUR, RAIN] = dry[0]
    given[VAPOUR, SNOW] = dry[1]
    given[VAPOUR, LIQUID] = DT * 1e-6 * (1 - cover) * (1 + land)
    return given / np.maximum(1, given.sum(axis=0))


def physics(nx: int, nlev: int) -> Fields:
    """The fields of the sample for so many columns and levels."""
    state = State.of(nx, nlev)
    eta, wave = np.broadcast_to(state.eta, (nx, nlev)), state.wave
    found = {n: np.zeros((nx, nlev)) for n in LEVELS} | {n: np.zeros((nx, nlev + 1)) for n in FACES}
    falling, above = np.zeros((5, nx)), np.zeros(nx)
    for k in range(nlev):
        e, w, p = eta[:, k], wave[:, k], state.pressure[:, k]
        dp = state.faces[:, k + 1] - state.faces[:, k]
        t, q = 205 + 90 * e + 4 * w, 1e-6 + 1.4e-2 * e**3 * (0.4 + w)
        before = np.array(
            [
                np.where((w > 0.4) & (e > 0.5), 4e-4 * w, 0),
                np.where((w > 0.5) & (e < 0.7), 1e-4 * w, 0),
                1e-5 * w,
                1e-5 * (1 - w),
                q,
            ]
        )
        temperature = t + DT * 1e-5 * (w - 0.5) - DT * 1e-5 * e
        density = p / (DRY_GAS * temperature)
        now = before + DT * np.array([1e-10 * w, 1e-10 * (1 - w), 0 * w, 0 * w, 1e-8 * (0.5 - w) * e])
        part = liquid_share(temperature)
        now[LIQUID] += DT * part * 1e-5 * w * 0.1 * e * GRAVITY / dp
        now[ICE] += DT * (1 - part) * 1e-5 * w * 0.1 * (1 - e) * GRAVITY / dp
        for _ in range(2):
            temperature = adjusted(temperature, now, p, w)
        saturated = saturation(temperature, p)[0]
        humidity = now[VAPOUR] / saturated
        above = np.where(now[LIQUID] + now[ICE] > 1e-12, np.maximum(0.9 * above, w), 0.9 * above)
        drying = DT * np.maximum(0, 1 - humidity) * 0.3 * (1 - above)
        dry = np.array([drying * np.sqrt(density) * 1e-2, drying * 1e-3])
        given = shares(now, temperature, dry, w, state.land)
        # What a species has afterwards, with what it gives, what falls out, and what it gets.
        matrix = -given
        diagonal = 1 + DT * density * GRAVITY * FALL[:, None] / dp + given.sum(axis=0)
        for n in range(5):
            matrix[n, n] = diagonal[n]
        right = now + falling * DT * GRAVITY / dp
        then = np.linalg.solve(matrix.transpose(2, 0, 1), right.T[:, :, None])[:, :, 0].T
        falling = FALL[:, None] * density * then
        heating = (then - now)[[LIQUID, RAIN]].sum(axis=0) * VAPORISE
        heating += (then - now)[[ICE, SNOW]].sum(axis=0) * SUBLIMATE
        cloud = then[LIQUID] + then[ICE]
        at_level = {
            "tend_t": (temperature - t + heating / CP) / DT + 1e-9 * 0.1 * (w - 0.5),
            **{f"tend_{n}": (then[s] - before[s]) / DT for s, n in enumerate("lirsq")},
            "tend_a": (cloud / (cloud + 0.1 * saturated) - w) / DT,
            "humidity": humidity,
            "radius_l": np.minimum(30, 4 + 1e4 * then[LIQUID]),
            "radius_i": np.minimum(90, 20 + 2e5 * then[ICE]),
        }
        at_face = {f"flux_{n}": falling[s] for s, n in enumerate("lirs")}
        at_face["enth_l"] = -VAPORISE * (falling[LIQUID] + falling[RAIN])
        at_face["enth_s"] = -SUBLIMATE * (falling[ICE] + falling[SNOW])
        at_face["wet"] = above
        for name, values in at_level.items():
            found[name][:, k] = values
        for name, values in at_face.items():
            found[name][:, k + 1] = values
    return found


def differences(path: str) -> dict[str, float]:
    """The largest difference of each field of a file from the physics here, relative to the field's largest value."""
    nx, nlev, fields = read(path)
    expected = physics(nx, nlev)
    return {n: float(abs(fields[n] - e).max() / max(abs(e).max(), 1e-300)) for n, e in expected.items()}


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compares a file of the sample cloud with its physics in NumPy.")
    parser.add_argument("file")
    given = parser.parse_args()
    try:
        found = differences(given.file)
    except (OSError, ValueError) as fault:
        print(f"check.py: {fault}", file=sys.stderr)
        return 2
    worst = max(found, key=lambda name: found[name])
    wrong = [name for name, value in found.items() if not value <= BOUND]
    for name in wrong:
        print(f"{name} differs by {found[name]:.1e} of its largest value")
    print(
        f"{len(found)} fields, the largest difference {found[worst]:.1e} in {worst}: {'different' if wrong else 'ok'}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
