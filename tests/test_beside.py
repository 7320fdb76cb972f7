"""A second process gives what one process gives, however it ends, and none is left behind."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import hfpy.beside
from benchmarks.synthetic import generate
from hfpy.beside import beside, worth_two
from hfpy.diagnostics import render
from tests.support import translate_text

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a second process is used on Linux only")


@pytest.fixture(autouse=True)
def no_process_left() -> Iterator[None]:
    yield
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_computed_in_another_process() -> None:
    with beside(os.getpid, True) as pending:
        assert pending.result() != os.getpid()
    with beside(os.getpid, False) as pending:
        assert pending.result() == os.getpid()


def test_large_results() -> None:
    with beside(lambda: "x" * 3_000_000, True) as pending:
        assert len(pending.result()) == 3_000_000


def test_exceptions_are_those_of_one_process() -> None:
    def fails() -> int:
        raise ValueError("in vain")

    with pytest.raises(ValueError, match="in vain"), beside(fails, True) as pending:
        pending.result()


def test_a_killed_process_is_made_up_for() -> None:
    first = os.getpid()

    def killed_elsewhere() -> int:
        if os.getpid() != first:
            os.kill(os.getpid(), signal.SIGKILL)
        return 7

    with beside(killed_elsewhere, True) as pending:
        assert pending.result() == 7


def test_what_cannot_be_handed_over_is_computed_here() -> None:
    with beside(lambda: lambda: 3, True) as pending:
        assert pending.result()() == 3


def test_an_interrupt_ends_it() -> None:
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt), beside(lambda: time.sleep(60), True):
        raise KeyboardInterrupt
    assert time.monotonic() - begin < 30


def test_one_process_unless_it_is_worth_two() -> None:
    assert worth_two(2, 100_000)
    assert not worth_two(1, 100_000)
    assert not worth_two(0, 100_000)
    assert not worth_two(2, 100)


@pytest.mark.parametrize("ends", ["well", "killed"])
def test_same_translation(ends: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    files = generate(1_200).files
    expected = translate_text(files)
    begun: list[int] = []
    begin = hfpy.beside._begun

    def told(compute: object) -> object:
        pending = begin(compute)  # type: ignore[arg-type]
        begun.append(pending._process)
        if ends == "killed":
            os.kill(pending._process, signal.SIGKILL)
        return pending

    monkeypatch.setattr(hfpy.beside, "LEAST_LINES", 0)
    monkeypatch.setattr(hfpy.beside, "_begun", told)
    found = translate_text(files, jobs=2)
    assert begun
    assert found.files == expected.files
    assert list(map(render, found.diagnostics)) == list(map(render, expected.diagnostics))
