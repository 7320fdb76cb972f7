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


def _thread(number: int, block: int = 0) -> str:
    return f"thread ({number},0,0) of block ({block},0,0)"


GOOD = ["scale", "null_pointer", "barriers", "points", "columns", "scalars", "grids", "mixed_kinds", "flags", "bytes"]
WATCHED = ["tile", "set_anew", "left_behind", "reaching_parts"]


@pytest.mark.parametrize("case", [*GOOD, *WATCHED])
def test_launch(kernels: Path, case: str) -> None:
    assert ran(kernels, case).stdout == "done\n"


@pytest.mark.full
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
        ("race", f"kernel hfk1_race: race on element 2 of 'a': {_thread(1)} reads what {_thread(0)} has written"),
        (
            "one_writes",
            f"kernel hfk7_one_writes: race on element 100 of 'a': {_thread(1)} reads what {_thread(0)} has written",
        ),
        (
            "second_reader",
            f"kernel hfk8_second_reader: race on element 3 of 'a': {_thread(1)} writes what several threads have read",
        ),
        (
            "flags_differ",
            f"kernel hfk9_flags: race on element 1 of 'flag': {_thread(3, 3)} writes what {_thread(2, 3)} has set to "
            "another value",
        ),
        (
            "tile_without_barrier",
            f"kernel hfk11_tile: race on element 2 of 'tile': {_thread(1)} writes what {_thread(0)} has read",
        ),
        (
            "tile_across_blocks",
            f"kernel hfk11_tile: race on element 100 of 'a': {_thread(49, 1)} writes what several threads have read",
        ),
        (
            "scratch",
            f"kernel hfk12_scratch: race on element 1 of 'kept': {_thread(1)} writes what {_thread(0)} has set to "
            "another value",
        ),
        (
            "much_shared",
            "kernel hfk13_much_shared: it needs 49160 bytes of shared memory: a device gives a block 49152",
        ),
        (
            "many_threads",
            "kernel hfk0_scale: a block of 64 x 32 x 1 threads cannot be started: a device allows 1024, 64 in z",
        ),
    ],
)
def test_faults_of_launches(kernels: Path, case: str, message: str) -> None:
    assert ran(kernels, case, status=3).stderr == f"hfpy: k.h90:2: {message}\n"


@pytest.mark.parametrize(("case", "place", "first"), [("old_copy", "k.h90:5", 8), ("old_part", "k.h90:6", 8)])
def test_missing_copy_back(kernels: Path, case: str, place: str, first: int) -> None:
    assert ran(kernels, case, status=3).stderr == (
        f"hfpy: {place}: array 'a' is copied to the device, but the host does not have what kernel hfk0_scale "
        f"(k.h90:2) has set there: the bytes from {first} on of its copy have not been brought back\n"
    )


@pytest.mark.parametrize("case", ["race", "one_writes", "second_reader", "flags_differ"])
def test_watch_switched_off(kernels: Path, case: str) -> None:
    status = 1 if case == "flags_differ" else 0
    assert "race on" not in ran(kernels, case, status=status, HFPY_EMULATE_RACES="0").stderr


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("case", ["race", "one_writes", "second_reader", "tile_without_barrier", "scratch"])
def test_races_are_found_in_any_order(kernels: Path, case: str, seed: int) -> None:
    assert ": race on element " in ran(kernels, case, status=3, HFPY_EMULATE_ORDER=str(seed)).stderr


@pytest.mark.full  # a quarter of a minute to build; tests/gpu/test_spoilt.py has the sanitizer, too
def test_hidden_host_pointer_is_caught_by_address_sanitizer(sanitized_kernels: Path) -> None:
    ended = ran(sanitized_kernels, "hidden_pointer", status=1)
    assert "use-after-poison" in ended.stderr
    assert "hfk2_hidden" in ended.stderr


def test_order_of_threads_shows_races(kernels: Path) -> None:
    unwatched = {"HFPY_EMULATE_RACES": "0"}
    results = {ran(kernels, "race", HFPY_EMULATE_ORDER=seed, **unwatched).stdout for seed in ("", "1", "2", "3")}
    assert len(results) > 1
    again = [ran(kernels, "race", HFPY_EMULATE_ORDER="2", **unwatched).stdout for _ in range(2)]
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
