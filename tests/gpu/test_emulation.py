"""The emulation: generated files run on the CPU, and each fault that a GPU would hide or answer by a crash is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gpu.emulated import Emulation, ran


@pytest.fixture(scope="module")
def kernels(emulation: Emulation) -> Path:
    """The program of small launches."""
    return emulation.program("kernels.cu")


@pytest.fixture(scope="module")
def sanitized_kernels(sanitized: Emulation) -> Path:
    """The same with sanitizers."""
    return sanitized.program("kernels.cu")


def test_generated_program(emulation: Emulation) -> None:
    assert ran(emulation.program("advect.cu", "advect.f90")).stdout == "right\n"


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (
            "NO_ENTER",
            "array 'q' is not on the device: nothing on the way to this place has brought it there",
        ),
        ("LAST=nx+1", "index 1 of 'q' is 38, outside 1:37"),
    ],
)
def test_spoilt_program(emulation: Emulation, define: str, message: str) -> None:
    ended = ran(emulation.program("advect.cu", "advect.f90", [define]), status=3)
    assert ended.stderr == f"hfpy: advect.h90:42: kernel hfk0_advect: {message}\n"


def test_missing_copy_gives_nan(emulation: Emulation) -> None:
    assert ran(emulation.program("advect.cu", "advect.f90", ["COPY_IN=0"])).stdout == "NaN\n"


GOOD = ["scale", "null_pointer", "barriers", "points", "columns", "scalars", "grids", "mixed_kinds"]


@pytest.mark.parametrize("case", GOOD)
def test_launch(kernels: Path, case: str) -> None:
    assert ran(kernels, case).stdout == "done\n"


@pytest.mark.parametrize("case", GOOD)
def test_launch_under_sanitizers(sanitized_kernels: Path, case: str) -> None:
    assert ran(sanitized_kernels, case).stdout == "done\n"


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("host_pointer", "kernel hfk0_scale: argument 3 is a host pointer"),
        ("returned_pointer", "kernel hfk0_scale: argument 3 points to device memory that was given back"),
        ("barriers_unsaid", "kernel hfk3_reverse: it waits at a barrier, but was not launched with HF_BARRIERS"),
        ("dummy_too_long", "kernel hfk5_columns: index 1 of 'values' is 7, outside 0:6"),
        (
            "grid_too_large",
            "kernel hfk0_scale: 1 x 1 x 5000000 points in blocks of this size do not fit into a grid",
        ),
    ],
)
def test_faults_of_launches(kernels: Path, case: str, message: str) -> None:
    assert ran(kernels, case, status=3).stderr == f"hfpy: k.h90:2: {message}\n"


def test_hidden_host_pointer_is_caught_by_address_sanitizer(sanitized_kernels: Path) -> None:
    ended = ran(sanitized_kernels, "hidden_pointer", status=1)
    assert "use-after-poison" in ended.stderr
    assert "hfk2_hidden" in ended.stderr


def test_order_of_threads_shows_races(kernels: Path) -> None:
    results = {ran(kernels, "race", HFPY_EMULATE_ORDER=seed).stdout for seed in ("", "1", "2", "3")}
    assert len(results) > 1
    again = [ran(kernels, "race", HFPY_EMULATE_ORDER="2").stdout for _ in range(2)]
    assert again[0] == again[1]


@pytest.mark.parametrize("seed", ["", "5"])
@pytest.mark.parametrize("case", ["scale", "barriers", "points", "columns"])
def test_order_does_not_matter_otherwise(kernels: Path, case: str, seed: str) -> None:
    assert ran(kernels, case, HFPY_EMULATE_ORDER=seed).stdout == "done\n"


def test_reductions(emulation: Emulation) -> None:
    assert ran(emulation.program("reductions.cu"), "exact").stdout == "done\n"


@pytest.mark.full
def test_reductions_under_sanitizers(sanitized: Emulation) -> None:
    assert ran(sanitized.program("reductions.cu"), "exact").stdout == "done\n"


def test_sums_do_not_depend_on_the_order_of_threads(emulation: Emulation) -> None:
    program = emulation.program("reductions.cu")
    results = {ran(program, "rounded", HFPY_EMULATE_ORDER=seed).stdout for seed in ("", "1", "2")}
    assert len(results) == 1
    harmonic = 12.090146129863428 + 0.1
    assert float.fromhex(results.pop().split()[0]) == pytest.approx(harmonic, rel=1e-14)


def test_whole_program_under_sanitizers(sanitized: Emulation) -> None:
    assert ran(sanitized.program("advect.cu", "advect.f90")).stdout == "right\n"
    assert ran(sanitized.program("table.cpp"), "sub_ranges").stdout == "done\n"
