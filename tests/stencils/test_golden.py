"""What the stencil kernels compute: golden values, in both kinds, and independent formulas where there are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samples.compare import read_fields
from tests.samples.programs import CHECKED, build_sample, run_program
from tests.stencils.golden import GOLDEN, POINTS, SIZES
from tests.stencils.reference import Array, residual, scattered, transport

ARGUMENTS = tuple(str(n) for n in SIZES)
SINGLE = 1e-5  # allowed of the largest value in single precision (§10)


def _results(folder: Path, options: tuple[str, ...]) -> dict[str, Array]:
    program = build_sample("stencils", "sequential", "IJK", CHECKED, folder, options)
    file = run_program(program, "stencils", 1, ARGUMENTS)
    return {f.name: f.values.reshape(SIZES, order="F") for f in read_fields("stencils", file)}


@pytest.fixture(scope="module")
def double(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Array]:
    """The results in double precision, by name."""
    return _results(tmp_path_factory.mktemp("double"), ())


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Array]:
    """The results in single precision, by name."""
    return _results(tmp_path_factory.mktemp("single"), ("-D", "SINGLE"))


def test_the_inputs_are_those_of_the_specification() -> None:
    assert scattered(0, 0, 0, 1) == 0.6304793427698314
    assert scattered(3, 5, 7, 2) == 0.5601582303643227


def test_golden_values(double: dict[str, Array]) -> None:
    assert GOLDEN.keys() <= double.keys()
    for name, (total, absolute, *values) in GOLDEN.items():
        found = double[name]
        assert found.dtype == np.float64
        assert found.sum() == pytest.approx(total, rel=0, abs=1e-12 * absolute), name
        assert np.abs(found).sum() == pytest.approx(absolute, rel=1e-12), name
        largest = np.abs(found).max()
        assert [found[p] for p in POINTS] == pytest.approx(values, rel=0, abs=1e-12 * largest), name


def test_every_result_is_checked(double: dict[str, Array]) -> None:
    assert double.keys() - GOLDEN.keys() == {"fvtp2d fx", "fvtp2d fy", "thomas_if x"}


def test_the_transport_operator_as_a_whole(double: dict[str, Array]) -> None:
    for name, expected in zip(("fvtp2d fx", "fvtp2d fy"), transport(SIZES), strict=True):
        assert np.abs(double[name] - expected).max() <= 1e-14 * np.abs(expected).max(), name


def test_the_solver_solves(double: dict[str, Array]) -> None:
    assert residual(double["thomas x"]) < 1e-13
    assert np.array_equal(double["thomas_if x"], double["thomas x"])


@pytest.mark.full
def test_single_precision(double: dict[str, Array], single: dict[str, Array]) -> None:
    assert single.keys() == double.keys()
    for name, expected in double.items():
        assert single[name].dtype == np.float32
        error = np.abs(single[name] - expected).max() / np.abs(expected).max()
        assert 0 < error <= SINGLE, name
