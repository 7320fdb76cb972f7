#!/usr/bin/env python3
"""Compares two output files of a sample, field by field: ``compare.py SAMPLE FILE REFERENCE [--tolerance T]``.

Without a tolerance the fields have to be equal bit for bit, except sums and products over many points, which
depend on the number of threads: those may differ by 1e-12, relative to the largest value. With a tolerance
the same holds for all fields of reals (compilers that contract a*b+c round differently). Status 0: equal,
1: different, 2: a file that is not what the sample writes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SUM_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Field:
    """One field of an output file; ``exact`` unless its values depend on the order of summation."""

    name: str
    values: np.ndarray
    exact: bool = True


class Reader:
    """Takes values off the front of a file's bytes; raises ValueError where they end too early."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.offset = 0

    def take(self, kind: str, count: int) -> np.ndarray:
        """The next ``count`` values of a NumPy type such as ``<f8``."""
        end = self.offset + np.dtype(kind).itemsize * count
        if count < 0 or end > len(self.data):
            raise ValueError("the file is too short")
        values = np.frombuffer(self.data, kind, count, self.offset)
        self.offset = end
        return values

    def left(self) -> int:
        """How many bytes are left."""
        return len(self.data) - self.offset

    def more(self) -> bool:
        """Whether there is anything left."""
        return self.left() > 0


def _weather(reader: Reader) -> Iterator[Field]:
    nx, ny, nz = (int(n) for n in reader.take("<i4", 3))
    yield Field("grid spacing", reader.take("<f8", 3))
    while reader.more():
        time = reader.take("<f8", 1)
        yield Field("time", time)
        for name in ("th", "u", "v", "pi"):
            yield Field(f"{name} at {time[0]:g} s", reader.take("<f8", nx * ny * nz))
        yield Field(f"w at {time[0]:g} s", reader.take("<f8", nx * ny * (nz + 1)))


def _diffusion(reader: Reader) -> Iterator[Field]:
    nx, ny, nz = (int(n) for n in reader.take("<i4", 3))
    yield Field("f", reader.take("<f8", nx * ny * nz))


def _columns(reader: Reader) -> Iterator[Field]:
    nx, ny, nz, ntlm, nsoil = (int(n) for n in reader.take("<i4", 5))
    air = reader.take("<f8", 4 * nx * ny * nz).reshape(-1, 4)
    fluxes = reader.take("<f8", 4 * nx * ny).reshape(-1, 4)
    ground = reader.take("<f8", ntlm * nx * ny * (1 + nsoil)).reshape(-1, 1 + nsoil)
    for n, name in enumerate(("u", "v", "pt", "qv")):
        yield Field(name, air[:, n])
    for n, name in enumerate(("tau_x", "tau_y", "flx_h", "flx_q")):
        yield Field(name, fluxes[:, n])
    yield Field("u_f", ground[:, 0])
    yield Field("t_soil", ground[:, 1:])


def _reduction(reader: Reader) -> Iterator[Field]:
    nx, ny, nz = (int(n) for n in reader.take("<i4", 3))
    yield Field("extremes", reader.take("<f8", 3))
    yield Field("sum of whole numbers", reader.take("<f4", 1))
    yield Field("signs and bits", reader.take("<i4", 5))
    yield Field("wide sum", reader.take("<i8", 1))
    yield Field("statements", reader.take("<i4", 4))
    yield Field("deviation", reader.take("<f8", nx * ny * nz))
    for name in ("total", "absolute", "product", "norm"):
        yield Field(name, reader.take("<f8", 1), exact=False)
    yield Field("means", reader.take("<f8", nz), exact=False)


def _module_data(reader: Reader) -> Iterator[Field]:
    nx, ny, nz, tests = (int(n) for n in reader.take("<i4", 4))
    for test in range(1, tests + 1):
        yield Field(f"test {test}", reader.take("<f8", nx * ny * nz))


def _stencils(reader: Reader) -> Iterator[Field]:
    nx, ny, nz, size = (int(n) for n in reader.take("<i4", 4))
    if size not in (4, 8):
        raise ValueError(f"numbers of {size} bytes")
    while reader.more():
        title = reader.take("S24", 1)[0].decode("ascii").strip()
        yield Field(title, reader.take(f"<f{size}", nx * ny * nz))


def _euler(reader: Reader) -> Iterator[Field]:
    nx, nz = (int(n) for n in reader.take("<i4", 2))
    yield Field("cells", reader.take("<f8", 2))
    frame = 8 * (1 + 4 * nx * nz)
    while reader.left() >= frame:
        time = reader.take("<f8", 1)
        yield Field("time", time)
        for name in ("rho", "u", "w", "theta"):
            yield Field(f"{name} at {time[0]:g} s", reader.take("<f8", nx * nz))
    for name in ("mass at the start", "energy at the start", "mass", "energy"):
        yield Field(name, reader.take("<f8", 1), exact=False)


def _cloud(reader: Reader) -> Iterator[Field]:
    nx, nlev = (int(n) for n in reader.take("<i4", 2))
    words = "t q l i r s a"
    for name in (*(f"tend_{w}" for w in words.split()), "humidity", "radius_l", "radius_i"):
        yield Field(name, reader.take("<f8", nx * nlev))
    for name in ("flux_l", "flux_i", "flux_r", "flux_s", "enth_l", "enth_s", "wet"):
        yield Field(name, reader.take("<f8", nx * (nlev + 1)))


def _ocean(reader: Reader) -> Iterator[Field]:
    nx, ny, nz = (int(n) for n in reader.take("<i4", 3))
    while reader.more():
        time = reader.take("<f8", 1)
        yield Field("time", time)
        for name, size in (("ssh", nx * ny), ("u", nx * ny), ("v", nx * ny), ("tracer", nx * ny * nz)):
            yield Field(f"{name} at {time[0]:g} s", reader.take("<f8", size))


SAMPLES: dict[str, Callable[[Reader], Iterator[Field]]] = {
    "weather": _weather,
    "diffusion": _diffusion,
    "columns": _columns,
    "reduction": _reduction,
    "module_data": _module_data,
    "stencils": _stencils,
    "euler": _euler,
    "cloud": _cloud,
    "ocean": _ocean,
}


def read_fields(sample: str, path: Path) -> list[Field]:
    """All fields of an output file; raises ValueError if it is not one of this sample, OSError if it cannot be read."""
    reader = Reader(path.read_bytes())
    try:
        fields = list(SAMPLES[sample](reader))
    except ValueError as fault:
        raise ValueError(f"{path}: {fault}") from None
    if reader.more():
        raise ValueError(f"{path}: more data than the header announces")
    return fields


def _allowed(field: Field, tolerance: float | None) -> float | None:
    if field.values.dtype.kind != "f":
        return None
    return tolerance if field.exact else max(tolerance or 0.0, SUM_TOLERANCE)


def difference(field: Field, reference: Field, tolerance: float | None) -> str | None:
    """What is wrong with a field, or None."""
    a, b = field.values, reference.values
    if a.shape != b.shape:
        return f"{field.name}: sizes differ"
    allowed = _allowed(reference, tolerance)
    if allowed is None:
        if a.tobytes() == b.tobytes():
            return None
        where = np.flatnonzero((a != b).ravel())
        first = int(where[0]) if where.size else 0
        return f"{field.name}: differs in {where.size} of {a.size} values, the first at {first}"
    if not np.isfinite(a).all():
        return f"{field.name}: not all values are finite"
    error = float(np.abs(a - b).max(initial=0.0))
    limit = allowed * float(np.abs(b).max(initial=0.0))
    return f"{field.name}: differs by {error:.3e}, allowed is {limit:.3e}" if error > limit else None


def compare(sample: str, path: Path, reference: Path, tolerance: float | None = None) -> list[str]:
    """The differences of two files, empty if there are none; raises as :func:`read_fields`."""
    ours, theirs = read_fields(sample, path), read_fields(sample, reference)
    if [f.name for f in ours] != [f.name for f in theirs]:
        return ["the files hold different fields"]
    found = (difference(a, b, tolerance) for a, b in zip(ours, theirs, strict=True))
    return [text for text in found if text]


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compares two output files of a sample.")
    parser.add_argument("sample", choices=sorted(SAMPLES))
    parser.add_argument("file", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("--tolerance", type=float, help="allowed difference relative to a field's largest value")
    arguments = parser.parse_args()
    try:
        found = compare(arguments.sample, arguments.file, arguments.reference, arguments.tolerance)
    except (OSError, ValueError) as fault:
        print(f"compare: {fault}", file=sys.stderr)
        return 2
    for text in found:
        print(text)
    if not found:
        print(f"{arguments.file} and {arguments.reference} are equal")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
