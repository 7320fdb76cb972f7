"""What the documentation says that nobody has seen on a GPU, each with the answer of a run on one.

`prepare.py` puts this file beside the programs, and `run.py` takes it from there: it needs nothing but Python.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

ELSEWHERE = "not by this run: it needs {} there"
TIMED = ("weather", "euler", "ocean")  # samples with many regions, of which some may run beside others


@dataclass(frozen=True)
class Run:
    """A run of everything. ``start`` runs a program of those carried along with arguments and further environment, and
    gives what it writes to the standard error. ``large`` are the arguments of the samples' large runs.
    """

    start: Callable[[str, list[str], Mapping[str, str]], str]
    large: Mapping[str, list[str]]
    results: Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """A question, the page that leaves it open with words of it, and how a run answers it."""

    text: str
    page: str
    words: str
    answer: Callable[[Run], str]


def answers(run: Run) -> str:
    """All questions with their answers, as text."""
    return "\n".join(f"{one.page}: {one.text}\n    {one.answer(run)}" for one in QUESTIONS)


def _seconds(run: Run, sample: str, environment: Mapping[str, str]) -> float:
    """The shortest of two runs of a sample in its large size."""
    times = []
    for _ in range(2):
        begin = time.perf_counter()
        run.start(f"{sample}_cuda-c", [os.devnull, *run.large[sample]], environment)
        times.append(time.perf_counter() - begin)
    return min(times)


def _both(run: Run, setting: Mapping[str, str], said: str) -> str:
    """The time of each sample as it is, and with something switched off."""
    found = []
    for sample in [s for s in run.large if s in TIMED] or run.large:
        own, other = _seconds(run, sample, {}), _seconds(run, sample, setting)
        found.append(f"{sample} {own:.2f} s, {said} {other:.2f} s")
    return "; ".join(found)


def _bits(run: Run) -> str:
    equal = run.results["equal"]["cuda-c"]
    others = [f"{sample} {found}" for sample, found in equal.items() if found != "bits"]
    return f"bit for bit in all {len(equal)} samples" if not others else f"not in: {'; '.join(others)}"


def _devices(run: Run) -> str:
    sample = next(iter(run.large))
    rank = {"OMPI_COMM_WORLD_LOCAL_RANK": "1", "HFPY_TRACE": "1"}
    said = run.start(f"{sample}_cuda-c", [os.devnull, *run.large[sample]], rank).splitlines()
    chosen = next((line for line in said if line.startswith("hfpy: device ")), "nothing is said of a device")
    return chosen if "of 1" not in chosen else f"there is one device only ({chosen})"


def _needs(what: str) -> Callable[[Run], str]:
    return lambda _: ELSEWHERE.format(what)


QUESTIONS = (
    Question(
        "Are the results those of the CPU, with -fmad=false?",
        "docs/gpu.md",
        "Results on a GPU equal those of the CPU bit for bit",
        _bits,
    ),
    Question(
        "What do queues save?",
        "docs/gpu.md",
        "no more than runs differ among themselves",
        lambda run: _both(run, {"HFPY_QUEUES": "1"}, "in one queue"),
    ),
    Question(
        "What does the driver's pool of memory save?",
        "docs/gpu.md",
        "device memory from lists of hfpy's own, not from the driver's pool",
        lambda run: _both(run, {"HFPY_MEMORY": "own"}, "with lists of hfpy's own"),
    ),
    Question("Do processes take a device each?", "docs/gpu.md", "has not been tried on a machine", _devices),
    Question("CUDA Fortran?", "docs/gpu.md", "nvfortran has not been at hand", _needs("nvfortran")),
    Question("HIP?", "docs/gpu.md", "An AMD GPU has not been at hand", _needs("an AMD GPU and hipcc")),
)
