"""Several queues: what the runtime orders, what it leaves free, and how a forgotten wait shows."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.gpu.emulated import Emulation, ran

WAIT = "_Z19cudaStreamWaitEventP17hf_emulate_streamP16hf_emulate_eventj"
CASES = ("readers", "overwritten", "used_again", "buffers", "random_work", "chains")
SEEDS = ("", "1", "2", "3", "4", "5", "6", "7", "8")


@pytest.fixture(scope="module")
def queues(emulation: Emulation) -> Path:
    """The program, linked so that waits can be forgotten."""
    return emulation.program("queues.cu", link=[f"-Wl,--wrap={WAIT}"])


def differs(program: Path, case: str, seed: str, **environment: str) -> bool:
    """Whether a case ends with another number than it should have."""
    done = subprocess.run(
        [program, case], env={"HFPY_EMULATE_ORDER": seed, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1) and ("not so" in done.stderr) == (done.returncode == 1), done.stderr
    return done.returncode == 1


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("memory", [{}, {"HFPY_EMULATE_POOL": "1"}], ids=["own", "pool"])
def test_any_legal_order_gives_the_numbers_of_the_calls(queues: Path, case: str, memory: dict[str, str]) -> None:
    for seed in SEEDS:
        assert ran(queues, case, HFPY_EMULATE_ORDER=seed, **memory).stdout.endswith("done\n")
    assert ran(queues, case, HFPY_EMULATE_ORDER="1", HFPY_QUEUES="1", **memory).stdout.endswith("done\n")
    assert ran(queues, case, HFPY_EMULATE_ORDER="2", HFPY_QUEUES="16", **memory).stdout.endswith("done\n")


@pytest.mark.parametrize("case", ["readers", "overwritten"])
def test_each_wait_is_needed(queues: Path, case: str) -> None:
    """A program that forgets any one wait has wrong numbers in some order; and none in the order of the calls."""
    count = int(ran(queues, case).stdout.split()[0])
    assert count > 0
    for forgotten in map(str, range(1, count + 1)):
        orders = [seed for seed in map(str, range(1, 30)) if differs(queues, case, seed, HFPY_FORGET=forgotten)]
        assert orders, f"wait {forgotten} of {count}"
        assert not differs(queues, case, "", HFPY_FORGET=forgotten)


@pytest.mark.parametrize("case", CASES[:-1])
def test_no_waits_at_all_show(queues: Path, case: str) -> None:
    assert any(differs(queues, case, seed, HFPY_FORGET="0") for seed in SEEDS)


def test_chains_that_share_nothing_have_a_queue_each(queues: Path) -> None:
    ended = ran(queues, "chains", HFPY_TRACE="1")
    found = re.findall(r"q\.h90:5: kernel hfk0_sum(?: in queue (\d))?\n", ended.stderr)
    assert len(found) == 9 and found[:3] == found[3:6] == found[6:] and len(set(found)) == 3
    alone = ran(queues, "chains", HFPY_TRACE="1", HFPY_QUEUES="1")
    assert "queue" not in alone.stderr and alone.stderr.count("kernel hfk0_sum\n") == 9


def test_trace_counts_queues_and_waits(queues: Path, tmp_path: Path) -> None:
    count = int(ran(queues, "readers").stdout.split()[0])
    ended = ran(queues, "readers", HFPY_TRACE="summary")
    assert re.search(r"^hfpy: (\d+) queues, (\d+) waits between them$", ended.stderr, re.M)
    ran(queues, "readers", HFPY_TRACE=f"json:{tmp_path / 'trace'}")
    reported = json.loads((tmp_path / "trace").read_text())["queues"]
    assert reported["count"] > 1 and reported["waits"] >= count


def test_one_queue_where_each_kernel_is_waited_for(queues: Path) -> None:
    assert "queue" not in ran(queues, "chains", HFPY_TRACE="1", HFPY_SYNC="1").stderr


@pytest.mark.parametrize("value", ["0", "17", "two", "-1"])
def test_a_wrong_number_of_queues_is_refused(queues: Path, value: str) -> None:
    ended = ran(queues, "chains", status=3, HFPY_QUEUES=value)
    assert ended.stderr == f"hfpy: HFPY_QUEUES: '{value}' is no number from 1 to 16\n"


@pytest.mark.full
@pytest.mark.parametrize("memory", [{}, {"HFPY_EMULATE_POOL": "1"}], ids=["own", "pool"])
def test_any_legal_order_under_sanitizers(sanitized: Emulation, memory: dict[str, str]) -> None:
    """Memory is not used before the queue has taken it, nor once it has given it back."""
    program = sanitized.program("queues.cu", link=[f"-Wl,--wrap={WAIT}"])
    for case in CASES:
        for seed in SEEDS:
            assert ran(program, case, HFPY_EMULATE_ORDER=seed, **memory).stdout.endswith("done\n")
