"""Directives on a device with memory of its own: a missing copy shows, which it does not where regions run on the host.

GCC's code for nvptx needs a GPU. But its runtime decides on the host what is copied, and asks a plugin for all that
a device does. ``separate/device.c`` is such a plugin, for GCC 12. It has memory apart from the host's, and runs each
region as the function that GCC compiles for the host. Programs that had the right numbers on the host and wrong ones
on a GPU have the wrong ones here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.gpu.prepare import OFFLOADED, can_offload
from tests.automatic.programs import pair_of as plain_pair
from tests.automatic.storages import pair_of as stored_pair
from tests.automatic.test_random import VARIANTS as AUTOMATIC
from tests.gpu.test_language import OWN, variants
from tests.gpu.test_mixed import PROGRAM as MIXED
from tests.gpu.test_mixed import translated as mixture
from tests.random.test_random import DIRECTIVE_VARIANTS, draw
from tests.support import (
    GFORTRAN,
    OPENACC,
    Corpus,
    Pair,
    Variant,
    compile_files,
    output,
    translate_text,
)

DEVICE = Path(__file__).parent / "separate" / "device.c"
FLAGS = ("-O1", "-ffp-contract=off", "-cpp", "-w", "-foffload=nvptx-none")
FLAGS += tuple(f"-foffload-options=nvptx-none={word}" for word in OFFLOADED)
COUNT = int(os.environ.get("HFPY_SEPARATE", "40"))
FIRST = int(os.environ.get("HFPY_SEPARATE_FROM", "0"))
# Regions in internal procedures on arrays of the procedure around them: GCC 12 brings all its variables there as one
# object, and ends the run where an array in it is there already.
HOST_ASSOCIATED = ("state_handed",)
# GCC 12 has no arrays of run-time size of a point in regions of OpenACC on nvptx.
RUN_TIME_SIZES = ("asked_sizes", "other_shapes")
NO_SIZES = "target cannot support alloca"

Task = tuple[Pair, Variant]


def version() -> str:
    """GCC's, whose plugins have an interface of their own in each release."""
    return subprocess.run(["gfortran", "-dumpversion"], capture_output=True, text=True, check=True).stdout.strip()


pytestmark = [
    pytest.mark.skipif(not can_offload(), reason="gfortran cannot offload to nvptx here (make offload)"),
    pytest.mark.skipif(shutil.which("gfortran") is not None and version() != "12", reason="the device is for GCC 12"),
]


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The device, by the name under which GCC's runtime looks for it."""
    made = tmp_path_factory.mktemp("device") / "libgomp-plugin-nvptx.so.1"
    command = ["gcc", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", str(DEVICE), "-o", str(made), "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return made


def ran(program: Path, plugin: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A program on the device: nothing in it may run on the host instead."""
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": str(plugin.parent),
        "LD_PRELOAD": str(plugin),
        "ACC_DEVICE_TYPE": "nvidia",
        "OMP_TARGET_OFFLOAD": "MANDATORY",
        "OMP_NUM_THREADS": "2",
        **more,
    }
    command = [str(program), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


def corpus_of(tasks: Sequence[Task], folder: Path) -> Corpus:
    """The programs, compiled for the device."""
    ways = {pair.name: (variant,) for pair, variant in tasks}
    return Corpus((pair for pair, _ in tasks), folder, ways, replace(GFORTRAN, flags=FLAGS, checks=()))


def failures(tasks: Sequence[Task], folder: Path, plugin: Path) -> list[str]:
    """The programs that end badly, or print something else than their plain twins; all in one way to translate."""
    variant = tasks[0][1]
    corpus = corpus_of(tasks, folder)
    batch = corpus._batch(variant)
    wrong = [f"{name}: {fault[-500:]}" for name, fault in batch.faults.items() if NO_SIZES not in fault]
    for name in batch.cases.keys() - batch.faults.keys():
        assert batch.built is not None
        done = ran(batch.built.path, plugin, name)
        if done.returncode or done.stdout != corpus.expected(name):
            wrong.append(f"{name}: status {done.returncode}, {done.stderr[-300:]}\n{done.stdout[-300:]}")
    return wrong


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("backend", ["openacc", "openmp-target"])
def test_programs_about_device_data(backend: str, part: int, tmp_path: Path, plugin: Path) -> None:
    """By default every second one, for each backend others. All run on the host, in turn (test_language.py)."""
    ways: dict[str, list[Task]] = {}
    left_out = (*HOST_ASSOCIATED, *(RUN_TIME_SIZES if backend == "openacc" else ()))
    first = part if backend == "openacc" else 1 - part
    for pair in OWN[first::2]:
        for variant in variants(pair):
            if variant.options["backend"] == backend and pair.name not in left_out:
                ways.setdefault(variant.label, []).append((pair, variant))
    wrong = [text for label, tasks in ways.items() for text in failures(tasks, tmp_path / label, plugin)]
    assert not wrong, "\n".join(wrong)
    assert sum(map(len, ways.values())) > 6


@pytest.mark.parametrize("name", HOST_ASSOCIATED)
def test_what_gcc_cannot_do_ends_with_a_message(name: str, tmp_path: Path, plugin: Path) -> None:
    (pair,) = (p for p in OWN if p.name == name)
    (wrong,) = failures([(pair, OPENACC)], tmp_path, plugin)
    assert re.search(r"status 1, \s*libgomp: Trying to map into device .* is already mapped", wrong), wrong


@pytest.mark.parametrize("name", RUN_TIME_SIZES)
def test_what_gcc_does_not_compile(name: str, tmp_path: Path) -> None:
    (pair,) = (p for p in OWN if p.name == name)
    assert NO_SIZES in corpus_of([(pair, OPENACC)], tmp_path)._batch(OPENACC).faults[name]


@pytest.mark.full
@pytest.mark.parametrize("number", range(len(DIRECTIVE_VARIANTS)))
def test_random_programs(number: int, tmp_path: Path, plugin: Path) -> None:
    variant = DIRECTIVE_VARIANTS[number]
    tasks = [(pair, variant) for pair in draw(FIRST, COUNT)[number :: len(DIRECTIVE_VARIANTS)]]
    wrong = failures(tasks, tmp_path, plugin)
    assert not wrong, "\n".join(wrong[:4])


@pytest.mark.full
def test_random_plain_programs(tmp_path: Path, plugin: Path) -> None:
    """Those whose regions are not all in an internal procedure."""
    variant = next(v for v in AUTOMATIC if v.options["backend"] == "openacc")
    wrong = failures([(plain_pair(n), variant) for n in range(FIRST, FIRST + COUNT)], tmp_path, plugin)
    others = [text for text in wrong if "is already mapped" not in text]
    assert not others, "\n".join(others[:4])


@pytest.mark.full
def test_names_of_one_memory(tmp_path: Path, plugin: Path) -> None:
    """GCC's runtime ends some runs with a message, where names share parts of what is on the device."""
    variant = next(v for v in AUTOMATIC if v.options["backend"] == "openacc")
    wrong = failures([(stored_pair(n), variant) for n in range(FIRST, FIRST + COUNT)], tmp_path, plugin)
    others = [text for text in wrong if "libgomp: " not in text]
    assert not others, "\n".join(others[:4])


MISSED = """
module values
  implicit none
  real(8) :: gain = 0
  real(8) :: table(4) = 0
contains
  real(8) function raised(x, i)
    real(8), intent(in) :: x
    integer, intent(in) :: i
    raised = gain*x + table(i)
  end function raised
end module values

module steps
  use values, only: raised, gain
  implicit none
contains
  subroutine step(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    @parallelRegion{domName(i), domSize(n)}
    a(i) = raised(a(i), i) + gain
    @end parallelRegion
    if (a(1) > 100) return
    a(1) = a(2) + 0.5d0
    @parallelRegion{domName(i), domSize(n)}
    a(i) = 2*a(i)
    @end parallelRegion
  end subroutine step
end module steps

program main
  use values, only: gain, table
  use steps, only: step
  implicit none
  real(8) :: a(4)
  integer :: n
  a = [1d0, 2d0, 3d0, 4d0]
  do n = 1, 4
    gain = 0.5d0*n
    table = [0.25d0*n, 1d0, 2d0, 3d0]
    call step(4, a)
    print *, a
  end do
end program main
"""
COPIES = {
    "openacc": (
        r"call hf_update_device\(\w*gain",
        r"!\$acc update device\(\w*table",
        r"!\$acc update self",
        r"!\$acc update device\(a\)",
    ),
    "openmp-target": (
        r"!\$omp target update to\(\w*gain",
        r"!\$omp target update from",
        r"!\$omp target update to\(a\)",
    ),
}


@pytest.mark.parametrize("backend", COPIES)
def test_a_missing_copy_is_noticed(backend: str, tmp_path: Path, plugin: Path) -> None:
    """The device is apart from the host: without any of the copies a program prints something else."""
    plain = translate_text({"m.h90": MISSED}, target="gpu", backend="sequential").require()
    expected = output(compile_files(plain.files, tmp_path / "plain", FLAGS))
    done = translate_text({"m.h90": MISSED}, target="gpu", backend=backend).require()
    flags = (*FLAGS, "-fopenacc" if backend == "openacc" else "-fopenmp")
    assert ran(compile_files(done.files, tmp_path / "whole", flags).path, plugin).stdout == expected, done.text
    for number, begin in enumerate(COPIES[backend]):
        without = {name: re.sub(rf"\n *{begin}[^\n]*", "", made) for name, made in done.files.items()}
        assert without != done.files, (begin, done.text)
        program = compile_files(without, tmp_path / str(number), flags).path
        assert ran(program, plugin).stdout != expected, begin


MAIN = """
program main
  implicit none
  SAVED
  integer, parameter :: n = 6
  real(8) :: a(n), factor
  real(8), allocatable :: b(:)
  integer :: i, turn
  allocate(b(n))
  a = [(0.5d0*i, i = 1, n)]
  b = 1
  factor = 0.25d0
  do turn = 1, 3
    call add
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      b(i) = b(i) + a(i)
    end do
    !@end parallelRegion
    a(turn) = b(turn)
    factor = factor + 1
    print *, a, b
  end do
contains
  subroutine add
    integer :: i
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      a(i) = a(i) + factor*b(i)
    end do
    !@end parallelRegion
  end subroutine add
end program main
"""


@pytest.mark.parametrize("saved", ["", "save"])
@pytest.mark.parametrize("backend", COPIES)
def test_a_main_program_with_internal_procedures(backend: str, saved: str, tmp_path: Path, plugin: Path) -> None:
    text = MAIN.replace("SAVED", saved)
    expected = output(compile_files({"m.f90": text}, tmp_path / "plain", FLAGS))
    done = translate_text({"m.f90": text}, target="gpu", backend=backend).require()
    assert ("  save :: a, b\n" in done.text) is (not saved), done.text
    flags = (*FLAGS, "-fopenacc" if backend == "openacc" else "-fopenmp")
    ended = ran(compile_files(done.files, tmp_path / "made", flags).path, plugin)
    assert ended.stdout == expected, ended.stderr + done.text


# OpenACC in `back` has a private array of run-time size, which GCC 12 has not on nvptx.
SHARED = [(r, b) for r in ("smooth", "back", "driver") for b in COPIES if (r, b) != ("back", "openacc")]


@pytest.mark.parametrize(("routine", "backend"), SHARED)
def test_addresses_of_cuda_are_not_copied(routine: str, backend: str, tmp_path: Path, plugin: Path) -> None:
    """Directives get the addresses of kernels' arrays: GCC's runtime, which does not know these, copies none of them.
    On a GPU the host cannot read there.
    """
    text = MIXED.replace("nx = 6, ny = 5", "nx = 12, ny = 11")
    plain = translate_text({"m.h90": text}, target="gpu", backend="sequential").require()
    expected = output(compile_files(plain.files, tmp_path / "plain", FLAGS))
    done = mixture({routine: backend}, text).require()
    flags = (*FLAGS, "-fopenacc" if backend == "openacc" else "-fopenmp")
    ended = ran(compile_files(done.files, tmp_path / "made", flags).path, plugin, DEVICE_COPIES="1")
    assert ended.stdout == expected, ended.stderr + done.text
    copies = [int(n) for n in re.findall(r"copy of (\d+) bytes", ended.stderr)]
    assert copies and max(copies) < 8 * 12 * 11, copies
