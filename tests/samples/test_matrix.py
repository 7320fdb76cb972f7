"""Every sample against its hand-written twin: backend × order of data × number of threads.

By default each value of each axis is met at least once. ``-m full`` (``make test-full``) meets each once per sample
(the *covering* set), and then runs the whole matrix. Results are equal bit for bit, sums and products of reals over
many points within 1e-12 (``samples/compare.py`` knows which these are).
"""

from itertools import product
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from samples.compare import compare, read_fields
from tests.samples.programs import (
    ARGUMENTS,
    CHECKED,
    DIRECTIVE_BACKENDS,
    KERNEL_BACKENDS,
    OPTIMISED,
    ORDERS,
    SAMPLES,
    build_sample,
    build_twin,
    run_program,
)

BACKENDS = ("sequential", "openmp", "cuda-c", *DIRECTIVE_BACKENDS)
THREADS = (1, 2, 8)
NAMES = tuple(ARGUMENTS)

# (backend, order) → threads: every value of every axis, with run-time checks and all warnings.
COVERING = {("sequential", "IJK"): (1,), ("openmp", "KIJ"): (1, 2, 8), ("openmp", "IJK"): (2,)}
COVERING |= {("cuda-c", order): (1,) for order in ORDERS}  # the samples take turns
COVERING |= {("openacc", "IJK"): (1,), ("openmp-target", "KIJ"): (2,)}

# Samples that know one order of data only.
ONE_ORDER = ("euler", "ocean")
_ELSEWHERE = (("openmp", "IJK"), ("sequential", "IJK"))  # for these in the whole matrix

# Samples whose arrays live in blocks of columns, as their physics is computed.
IN_BLOCKS = ("weather", "columns")

Twins = dict[str, Path]


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Twins:
    """Output files of twins by sample, made when first asked for."""
    folder = tmp_path_factory.mktemp("twins")

    class Made(Twins):
        def __missing__(self, sample: str) -> Path:
            program = build_twin(sample, folder)
            assert not program.warnings, program.warnings
            self[sample] = run_program(program, sample, 2)
            return self[sample]

    return Made()


def check(
    sample: str, backend: str, order: str, threads: tuple[int, ...], flags: str, expected: Path, folder: Path
) -> None:
    """Build a sample once, run it with each number of threads, compare every run."""
    program = build_sample(sample, backend, order, flags, folder)
    different = {n: compare(sample, run_program(program, sample, n), expected) for n in threads}
    assert not any(different.values()), {n: found for n, found in different.items() if found}
    if flags == CHECKED:
        # What only a region names or calls is in the kernel now; the host's copy stays without use.
        moved = backend in KERNEL_BACKENDS
        # gfortran finds its own copies of reduction variables in OpenACC loops uninitialised.
        reduced = backend == "openacc"
        warnings = [
            w
            for w in program.warnings
            if not (moved and "[-Wunused-" in w) and not (reduced and "[-Wuninitialized]" in w)
        ]
        assert not warnings, "\n".join(warnings)


def test_the_samples_are_all_here() -> None:
    # files needs libraries (tests/samples/test_files.py), two are compared with NumPy (test_scripted.py).
    assert {p.parent.name for p in SAMPLES.glob("*/hfpy.toml")} == {*NAMES, "files", "mandelbrot", "spectral"}


def test_what_runs_by_default_covers() -> None:
    samples, backends, orders = (set(axis) for axis in zip(*SOON, strict=True))
    assert samples == {*NAMES} - {"stencils"} and backends == set(BACKENDS) and orders == set(ORDERS)


def test_the_covering_set_covers() -> None:
    assert {b for b, _ in COVERING} == set(BACKENDS)
    assert {o for _, o in COVERING} == set(ORDERS)
    assert {n for threads in COVERING.values() for n in threads} == set(THREADS)


# What runs by default: every sample, backend, order and number of threads; stencils in test_levels.py.
SOON = {("weather", "sequential", "IJK"), ("columns", "sequential", "IJK"), ("module_data", "openacc", "IJK")}
SOON |= {("reduction", "openmp-target", "KIJ"), ("reduction", "cuda-c", "IJK")}
SOON |= {(sample, "openmp", "KIJ") for sample in ("diffusion", "reduction", "euler", "cloud", "ocean")}
SOON |= {(sample, "openmp", "IJK") for sample in ("columns", "module_data")}


def covered() -> list[ParameterSet]:
    """Sample, backend, order: with cuda-c each sample has one of the orders."""
    turns = {sample: ORDERS[n % len(ORDERS)] for n, sample in enumerate(NAMES)}
    cases = [(s, b, o) for s in NAMES for b, o in COVERING if b not in KERNEL_BACKENDS or o == turns[s]]
    chosen = [(s, b, o) for s, b, o in cases if s not in ONE_ORDER or (b, o) not in _ELSEWHERE]
    assert set(chosen) >= SOON
    return [pytest.param(*case, marks=[] if case in SOON else [pytest.mark.full]) for case in chosen]


@pytest.mark.parametrize(("sample", "backend", "order"), covered())
def test_covering(sample: str, backend: str, order: str, twins: Twins, tmp_path: Path) -> None:
    check(sample, backend, order, COVERING[backend, order], CHECKED, twins[sample], tmp_path)


@pytest.mark.parametrize("sample", [pytest.param(s, marks=[pytest.mark.full] * (s == "weather")) for s in IN_BLOCKS])
def test_arrays_in_blocks(sample: str, twins: Twins, tmp_path: Path) -> None:
    check(sample, "openmp", "BLOCKS", (1, 2), CHECKED, twins[sample], tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("flags", [CHECKED, OPTIMISED], ids=["checked", "optimised"])
@pytest.mark.parametrize("backend", ["sequential", "openmp"])
@pytest.mark.parametrize("sample", [n for n in NAMES if "[domains]" in (SAMPLES / n / "hfpy.toml").read_text()])
def test_every_sample_in_blocks(sample: str, backend: str, flags: str, twins: Twins, tmp_path: Path) -> None:
    check(sample, backend, "BLOCKS", THREADS, flags, twins[sample], tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("flags", [CHECKED, OPTIMISED], ids=["checked", "optimised"])
@pytest.mark.parametrize(("backend", "order"), list(product(BACKENDS, ORDERS)))
@pytest.mark.parametrize("sample", NAMES)
def test_whole_matrix(sample: str, backend: str, order: str, flags: str, twins: Twins, tmp_path: Path) -> None:
    threads = (1,) if backend in KERNEL_BACKENDS else THREADS
    check(sample, backend, order, threads, flags, twins[sample], tmp_path)


def test_a_wrong_result_is_seen(twins: Twins, tmp_path: Path) -> None:
    """The comparison can fail: one bit of one number, in a field that is compared bit by bit."""
    for sample in ("reduction", "module_data"):
        expected = twins[sample]
        data = bytearray(expected.read_bytes())
        data[-1 if sample == "module_data" else 16] ^= 1
        wrong = tmp_path / f"{sample}.dat"
        wrong.write_bytes(data)
        assert read_fields(sample, expected)
        assert compare(sample, wrong, expected)
