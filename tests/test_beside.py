"""A second process gives what one process gives, however it ends, and none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

import hfpy.beside
from benchmarks.synthetic import generate
from hfpy.beside import beside, halves, worth_two
from hfpy.build.compile.compilers import default_jobs
from hfpy.diagnostics import Place, UsageError
from hfpy.model.statements import flatten
from hfpy.options import Options
from hfpy.parse.application import read_application
from hfpy.pipeline import translate
from hfpy.transform.columns.clones import Clones
from hfpy.transform.columns.common import Instance
from hfpy.transform.columns.varying import Varying
from hfpy.translation import Translation
from tests.support import write_files

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


def test_a_process_that_is_done_ends_before_its_result_is_asked_for() -> None:
    with beside(lambda: "x" * 3_000_000, True) as pending:
        state = Path(f"/proc/{pending._process}/stat")
        begin = time.monotonic()
        while state.read_text().rsplit(")", 1)[1].split()[0] != "Z" and time.monotonic() - begin < 60:
            time.sleep(0.01)
        assert state.read_text().rsplit(")", 1)[1].split()[0] == "Z"
        assert len(pending.result()) == 3_000_000


@pytest.mark.parametrize("missing", [OSError, FileNotFoundError])
def test_without_a_place_for_its_result_it_is_computed_here(
    missing: type[OSError], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> None:
        raise missing("no room")

    monkeypatch.setattr(tempfile, "TemporaryFile", fails)
    with beside(os.getpid, True) as pending:
        assert pending.result() == os.getpid()


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


ALONE = Options(backend="openmp", opt=2, jobs=1)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], Translation]:
    """A large program, and what one process makes of it."""
    paths = write_files(generate(2_500).files, tmp_path_factory.mktemp("large"))
    expected = translate(paths, ALONE)
    assert ", with blocked forms of" in expected.schedule(None)
    return paths, expected


@pytest.mark.parametrize("ends", ["well", "killed", "other names"])
def test_same_translation(ends: str, large: tuple[list[Path], Translation], monkeypatch: pytest.MonkeyPatch) -> None:
    paths, expected = large
    begun: list[int] = []
    begin = hfpy.beside._begun

    def reported(compute: object, known: Sequence[object], patient: bool) -> object:
        pending = begin(compute, known, patient)  # type: ignore[arg-type]
        begun.append(pending._process)
        if ends == "killed":
            os.kill(pending._process, signal.SIGKILL)
        return pending

    monkeypatch.setattr(hfpy.beside, "LEAST_LINES", 0)
    monkeypatch.setattr(hfpy.beside, "_begun", reported)
    if ends == "other names":
        monkeypatch.setattr(Clones, "add", lambda clones, later: False)
    found = translate(paths, replace(ALONE, jobs=2))
    assert len(begun) == 7
    assert found.files == expected.files
    assert found.diagnostics == expected.diagnostics
    assert found.schedule(None) == expected.schedule(None)


@pytest.mark.parametrize("backend", ["cuda-c", "opencl", "cuda-fortran", "openacc"])
def test_same_kernels(backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes write kernels. What directives need in a file may depend on others: there it is one."""
    paths = write_files(generate(1_500).files, tmp_path)
    alone = Options(target="gpu", backend=backend, jobs=1)
    expected = translate(paths, alone)
    assert expected.files
    begun: list[bool] = []
    begin = hfpy.beside._begun

    def reported(compute: object, known: Sequence[object], patient: bool) -> object:
        begun.append(patient)
        return begin(compute, known, patient)  # type: ignore[arg-type]

    monkeypatch.setattr(hfpy.beside, "LEAST_LINES", 0)
    monkeypatch.setattr(hfpy.beside, "_begun", reported)
    found = translate(paths, replace(alone, jobs=2))
    assert found.files == expected.files
    assert found.diagnostics == expected.diagnostics
    assert any(begun) is (backend != "openacc")


def test_a_patient_process_lets_others_go_first() -> None:
    with beside(lambda: os.nice(0), True, patient=True) as pending:
        assert pending.result() == os.nice(0) + hfpy.beside.PATIENCE
    with beside(lambda: os.nice(0), True) as pending:
        assert pending.result() == os.nice(0)


@pytest.mark.parametrize("opt", [0, 2])
def test_same_text_where_the_optimiser_changes_nothing(
    opt: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What became of the user's text beside the optimiser is what is written then."""
    one = WRONG.replace("domNam(", "domName(").replace("a(i) = a(i) + 1", "a(i) = sin(a(i))")
    paths = write_files({f"wrong_{n}.h90": one.format(n) for n in range(4)}, tmp_path)
    expected = translate(paths, replace(ALONE, opt=opt))
    monkeypatch.setattr(hfpy.beside, "LEAST_LINES", 0)
    found = translate(paths, replace(ALONE, opt=opt, jobs=2))
    assert not expected.diagnostics
    same = found.files == expected.files, found.diagnostics == expected.diagnostics, found.openmp == expected.openmp
    assert same == (True, True, True)


def test_known_objects_are_those_of_this_process() -> None:
    known = [Place("a.f90", n) for n in range(5)]
    with beside(lambda: (known[3], Place("b.f90", 1), [known[3], known[0]]), True, known) as pending:
        found, other, more = pending.result()
    assert found is known[3]
    assert other == Place("b.f90", 1)
    assert more[0] is known[3] and more[1] is known[0]


def test_halves_by_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hfpy.beside, "LEAST_LINES", 4)
    for items, first in ([1, 1, 1, 1], 2), ([7, 1, 1, 1], 0), ([1, 1, 1, 7], 3), ([1, 1, 1], 3), ([], 0):
        assert halves(items, lambda lines: lines, 2) == (items[:first], items[first:] or ())
        assert halves(items, lambda lines: lines, 1) == (items, ())


WRONG = """module wrong_{0}
contains
subroutine work_{0}(a, n)
  integer, intent(in) :: n
  real, intent(inout) :: a(n)
  integer :: i
  @parallelRegion{{domNam(i), domSize(n)}}
  a(i) = a(i) + 1
  @end parallelRegion
end subroutine
end module
"""


def test_same_application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong is said in the order of the files, and statements have the lines of their files."""
    files = {**generate(1_000).files, **{f"{'az'[n]}_wrong_{n}.h90": WRONG.format(n) for n in range(2)}}
    paths = write_files(dict(sorted(files.items())), tmp_path)
    alone, expected = read_application(paths, ALONE)
    monkeypatch.setattr(hfpy.beside, "LEAST_LINES", 0)
    found, said = read_application(paths, replace(ALONE, jobs=2))
    assert said == expected
    assert len({d.place.file for d in said}) == 2
    assert found.files == alone.files
    assert dict(found.routines) == dict(alone.routines)
    assert list(found.routines) == list(alone.routines)
    for key, routine in found.routines.items():
        lines = {id(line) for line in found.file(key).lines}
        assert id(routine.header) in lines
        assert all(id(statement.line) in lines for statement in flatten(routine.body))


def test_forms_of_both_have_names_of_their_own() -> None:
    one, other = Instance("m::a", frozenset({"x"})), Instance("m::a", frozenset({"y"}))
    clones = Clones(cast(Varying, None), 32, {one: "hfv_a"})
    assert not clones.add(({other: "hfv_a"}, {}, {}))
    assert not clones.add(({one: "hfv_a_2"}, {}, {}))
    assert clones.add(({one: "hfv_a", other: "hfv_a_2"}, {}, {}))
    assert clones.names == {one: "hfv_a", other: "hfv_a_2"}


def test_how_many_processes_the_environment_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HFPY_JOBS", "3")
    assert default_jobs() == 3
    for wrong in ("0", "-1", "many", "²"):
        monkeypatch.setenv("HFPY_JOBS", wrong)
        with pytest.raises(
            UsageError, match=r"HFPY_JOBS is '.*', which is no number of processes: set it to 1 or more"
        ):
            default_jobs()
    monkeypatch.delenv("HFPY_JOBS")
    assert default_jobs() == len(os.sched_getaffinity(0))


BEGUN = """
import os, time
from hfpy.beside import beside

def compute():
    print(os.getpid(), flush=True)
    time.sleep(600)

with beside(compute, True) as pending:
    pending.result()
"""


def test_it_ends_with_a_killed_process() -> None:
    first = subprocess.Popen([sys.executable, "-c", BEGUN], stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None
    second = int(first.stdout.readline())
    first.kill()
    first.wait()
    first.stdout.close()
    for _ in range(100):
        if not Path(f"/proc/{second}").exists() or Path(f"/proc/{second}/stat").read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    os.kill(second, signal.SIGKILL)
    pytest.fail("it goes on alone")
