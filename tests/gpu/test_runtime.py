"""The table of host arrays on the device: entries and exits, ranges inside others, messages, speed, trace."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.gpu.emulated import Emulation, ran

SMALLER = "  a smaller grid needs less, and so does each of several processes with a device of its own"
EMULATE = "(hfpy build --emulate compiles for the CPU)"


@pytest.fixture(scope="module")
def table(emulation: Emulation) -> Path:
    """The program of tests of the table."""
    return emulation.program("table.cpp")


@pytest.mark.parametrize(
    "case",
    "round_trip not_copied_in used_again poison_of_all_types nested sub_ranges zero_sizes large neighbours "
    "parts_that_overlap larger_than_entry larger_leaves_first devices".split(),
)
def test_table(table: Path, case: str) -> None:
    assert ran(table, case).stdout == "done\n"


@pytest.mark.parametrize(
    "case", "round_trip not_copied_in used_again sub_ranges zero_sizes large parts_that_overlap".split()
)
def test_table_with_memory_of_a_pool(table: Path, case: str) -> None:
    assert ran(table, case, HFPY_EMULATE_POOL="1").stdout == "done\n"


def test_memory_of_a_pool(emulation: Emulation) -> None:
    """It is used again; where it is short, the pool first gives back what it keeps; then the message says how much."""
    program = emulation.program("pool.cu")
    assert ran(program, HFPY_EMULATE_POOL="1").stdout == "4.5\nroom for all\n"
    short = ran(program, HFPY_EMULATE_POOL="1000000", status=3)
    assert short.stdout == "4.5\n"
    assert short.stderr == (
        "hfpy: pool.h90:5: no device memory for 'third': it needs 600000 bytes, and 700000 are in use by this program\n"
        f"{SMALLER}\n"
    )
    own = ran(program, HFPY_EMULATE_POOL="1000000", HFPY_MEMORY="own")
    assert own.stdout == "4.5\nroom for all\n"


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("leave_without_enter", "array 'a' is not on the device: it is given back without having been brought there"),
        ("left_twice", "array 'a' is not on the device: it is given back without having been brought there"),
        (
            "overlap_with_adopted",
            "array 'lower' overlaps in part with 'upper', which was brought to the device at Python",
        ),
        (
            "pointer_to_more",
            "kernel hfk0_x: array 'a' needs 160 bytes on the device, but 'small', brought there at t.h90:1, "
            "has only 40",
        ),
        ("update_of_absent", "array 'a' is not on the device: nothing on the way to this place has brought it there"),
        (
            "too_large",
            f"no device memory for 'a': it needs {1 << 60} bytes, and 0 are in use by this program\n{SMALLER}",
        ),
    ],
)
def test_faults_end_the_program_with_a_message(table: Path, case: str, message: str) -> None:
    ended = ran(table, case, status=3)
    assert ended.stderr == f"hfpy: t.h90:7: {message}\n"
    assert ended.stdout == ""


WRAPPED = (
    "_Z16cudaGetLastErrorv",
    "_Z18cudaGetDeviceCountPi",
    "_Z15cudaMemcpyAsyncPvPKvm14cudaMemcpyKindP17hf_emulate_stream",
)


@pytest.mark.parametrize(
    ("case", "environment", "message"),
    [
        ("at_launch", {}, "f.h90:5: CUDA error in kernel hfk1_bad: invalid argument\n"),
        ("at_copy", {}, "f.h90:1: CUDA error while copying 'a': invalid argument\n"),
        (
            "at_copy_after_kernel",
            {},
            "f.h90:7: CUDA error while copying 'a': invalid argument\n"
            "  (a kernel launched before may be at fault, the last was hfk0_some; HFPY_SYNC=1 names the right one)\n",
        ),
        (
            "at_copy_after_kernel",
            {"HFPY_SYNC": "1"},
            "f.h90:7: CUDA error while copying 'a': invalid argument\n",
        ),
        ("without_device", {}, f"f.h90:1: no CUDA device can be used: this machine has none {EMULATE}\n"),
    ],
)
def test_errors_of_the_device(emulation: Emulation, case: str, environment: dict[str, str], message: str) -> None:
    program = emulation.program("failing.cpp", link=[f"-Wl,--wrap={name}" for name in WRAPPED])
    assert ran(program, case, status=3, **environment).stderr == f"hfpy: {message}"


def test_many_entries_are_fast(table: Path) -> None:
    """Linear search among 40,000 entries would take minutes of a processor's time."""
    assert float(ran(table, "many").stdout.split()[0]) < 5


def test_report_without_trace(table: Path) -> None:
    assert ran(table, "report").stdout == "hfpy: nothing was counted: HFPY_TRACE is not set\ndone\n"


def test_report_on_demand(table: Path) -> None:
    ended = ran(table, "report", HFPY_TRACE="summary")
    lines = [" ".join(line.split()) for line in ended.stdout.splitlines()]
    assert "hfpy: host -> device 1 copies 800 bytes" in lines
    assert "hfpy: device -> host 1 copies 800 bytes" in lines
    assert ended.stderr.count("hfpy: host -> device  ") == 1


def test_trace_prints_each_copy_and_launch(emulation: Emulation) -> None:
    ended = ran(emulation.program("advect.cu", "advect.f90"), HFPY_TRACE="1")
    step = [
        "hfpy: advect.h90:40: host -> device 'q', 13320 bytes",
        "hfpy: advect.h90:40: host -> device 'r', 13320 bytes",
        "hfpy: advect.h90:42: kernel hfk0_advect",
        "hfpy: advect.h90:50: device -> host 'r', 13320 bytes",
    ]
    lines = ended.stderr.splitlines()
    assert [re.sub(r" in queue [2-4]$", "", line) for line in lines[:12]] == step * 3
    assert re.fullmatch(r"hfpy: kernel hfk0_advect: 3 launches, \d\.\d{6} s", lines[-2])
    assert re.fullmatch(r"hfpy: [2-4] queues, \d+ waits between them", lines[-1])
    assert len(lines) == 18


def test_trace_of_one_queue(emulation: Emulation) -> None:
    """All is in the order of the calls, and queues have no numbers."""
    ended = ran(emulation.program("advect.cu", "advect.f90"), HFPY_TRACE="1", HFPY_QUEUES="1")
    assert "queue" not in ended.stderr and len(ended.stderr.splitlines()) == 17


def test_trace_as_json(emulation: Emulation, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    ended = ran(emulation.program("advect.cu", "advect.f90"), HFPY_TRACE=f"json:{file}")
    assert ended.stderr == ""
    counted = json.loads(file.read_text())
    assert counted["host_to_device"] == {"count": 6, "bytes": 6 * 13320}
    assert counted["device_to_host"] == {"count": 3, "bytes": 3 * 13320}
    assert counted["values_to_device"] == counted["values_to_host"] == {"count": 0, "bytes": 0}
    assert counted["arrays"] == {"q": {"to_device": 3, "to_host": 0}, "r": {"to_device": 3, "to_host": 3}}
    assert counted["kernels"]["hfk0_advect"]["launches"] == 3
    assert counted["kernels"]["hfk0_advect"]["seconds"] > 0


def test_many_launches_are_counted(emulation: Emulation, tmp_path: Path) -> None:
    """More launches than are measured at once."""
    file = tmp_path / "trace.json"
    ran(emulation.program("kernels.cu"), "many_launches", HFPY_TRACE=f"json:{file}")
    assert json.loads(file.read_text())["kernels"]["hfk0_scale"]["launches"] == 2000


def test_unknown_trace_is_refused(table: Path) -> None:
    ended = ran(table, "round_trip", status=3, HFPY_TRACE="yes")
    assert ended.stderr == "hfpy: HFPY_TRACE: 'yes' is none of 1, summary, json:PATH\n"


def test_trace_file_that_cannot_be_written(table: Path) -> None:
    ended = ran(table, "round_trip", HFPY_TRACE="json:/no/such/folder/x.json")
    assert ended.stderr == "hfpy: HFPY_TRACE: '/no/such/folder/x.json' cannot be written\n"
