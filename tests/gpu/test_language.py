"""Small programs as kernels, run in emulation, against their plain twins: device state, and all that other tests hold.

``language`` has the programs that are about the device; those of ``tests/language``, ``tests/realcode`` and
``tests/defects`` run here too, but for what REFUSED says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from zlib import crc32

import pytest

from tests.gpu.emulated import needs_nvcc, nvcc_command, run
from tests.gpu.turns import in_cuda_c
from tests.support import (
    CUDA_C,
    CUDA_C_IJK,
    CUDA_C_KIJ,
    CUDA_FORTRAN,
    CUDA_FORTRAN_KIJ,
    OPENACC,
    OPENACC_KIJ,
    OPENMP_TARGET,
    Corpus,
    Pair,
    Variant,
    kernels_together,
    load_pairs,
    named_apart,
    translate_text,
    write_files,
)

TESTS = Path(__file__).parent.parent
OWN = load_pairs(Path(__file__).parent / "language")
OTHERS = [p for folder in ("language", "realcode", "defects") for p in load_pairs(TESTS / folder / "programs")]

# Programs that kernels cannot hold yet, or never will, with the code of the refusal.
REFUSED = {
    **dict.fromkeys(("l09",), "HF702"),  # output of sections
    **dict.fromkeys(("accessors",), "HF702"),  # functions whose value is text
    **dict.fromkeys(("r26", "r34", "b30"), "HF702"),  # text
    **dict.fromkeys(("r18", "b19"), "HF702"),  # allocatable arrays of a point
    **dict.fromkeys(("l02",), "HF702"),  # recursion
    "r15": "HF702",  # output in a called routine
    "r33": "HF702",  # generic names
    "r43": "HF702",  # a macro of an included file in a statement function
    "r37b": "HF405",  # goto out of a region
    "r48b": "HF405",  # return in a region
    "b22": "HF304",  # straight code that is meant for one target
    **dict.fromkeys(("t03", "t04"), "HF504"),  # a race; a mask that may keep points apart
    "grains": "HF305",  # blocks for the CPU only
}
# Programs that ask for the target, and so mean something else than their twin.
OTHER_MEANING = ("l07", "schemes")
# Sections with gaps have no place on the device: told when the program runs.
AT_RUN_TIME = ("r11",)
# A library's matmul adds up in another way: the last places differ.
ADDED_UP = ("r46",)


# What directives cannot update: parts of arrays, arrays of unknown size; for OpenMP components of objects.
RUNTIME_ONLY = ("state_parts", "unsized_calls", "unsized_columns", "unsized_bounds", "overlapping", "texts")
NO_COMPONENTS = (
    "associated_parts",
    "listed_names",
    "common_pointers",
    "state_handed",
    "state_whole_objects",
    "deep_objects",
    "asked_sizes",
    "changed_sizes",
    "given_elsewhere",
)
# Objects with allocatable components of which kernels get numbers; calls of type-bound procedures; objects of modules
# and constant ones, which other backends leave where they are; tables of called routines; variables of the host.
KERNELS = ("nested_allocated", "bound_calls", "module_objects", "constant_objects", "late_tables", "read_below")
# Sections with gaps for dummies of assumed shape, and arrays in statement functions, which CUDA Fortran does not take.
GAPS = ("nested_lists", "generic_names", "statement_functions")
# In fixed form, where the longer names of kernels in one executable of many programs would break columns.
FIXED_FORM = ("fixed", "old_commons")


def variants(pair: Pair) -> tuple[Variant, ...]:
    """Files with directives in comments have no macros. Programs about device data run with every backend."""
    if pair not in OWN:
        return (CUDA_C,) if pair.in_comments else (CUDA_C_KIJ,)
    if not pair.in_comments:
        return (CUDA_C_KIJ, CUDA_C_IJK, CUDA_FORTRAN_KIJ, OPENACC_KIJ)
    if pair.name in RUNTIME_ONLY:
        return (CUDA_C, CUDA_FORTRAN)
    if pair.name in FIXED_FORM:
        return (OPENACC, OPENMP_TARGET)
    if pair.name in KERNELS:
        return (CUDA_C, CUDA_FORTRAN)
    if pair.name in GAPS:
        return (CUDA_C, OPENACC, OPENMP_TARGET)
    return (CUDA_C, CUDA_FORTRAN, OPENACC, *(() if pair.name in NO_COMPONENTS else (OPENMP_TARGET,)))


ELSEWHERE = (*REFUSED, *OTHER_MEANING, *AT_RUN_TIME, *ADDED_UP)
RUNNING = [p for p in (*OWN, *OTHERS) if p.reference and p.name not in ELSEWHERE]


# Which CUDA Fortran does not run (test_cuda_fortran.py).
CUDA_C_ONLY = ("r52b",)


def soon(pair: Pair) -> tuple[Variant, ...]:
    """The ways in which a program runs by default: those about the device in the first and in one of the others, which
    depends on its name, the programs of other tests here or in test_cuda_fortran.py.
    """
    ways = variants(pair)
    if pair in OWN:
        return (ways[0], ways[1 + crc32(pair.name.encode()) % (len(ways) - 1)])
    return ways if in_cuda_c(pair.name) or pair.name in CUDA_C_ONLY else ()


SOON = {p.name: soon(p) for p in RUNNING}
LATE = {p.name: tuple(v for v in variants(p) if v not in SOON[p.name]) for p in RUNNING}


def chosen(ways: Mapping[str, tuple[Variant, ...]], folder: Path) -> Corpus:
    """The programs that run in some ways."""
    return Corpus([p for p in RUNNING if ways[p.name]], folder, ways)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return chosen(SOON, tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return chosen(LATE, tmp_path_factory.mktemp("late"))


@pytest.mark.parametrize("name", [name for name, ways in SOON.items() if ways])
def test_program_as_kernels(corpus: Corpus, name: str) -> None:
    corpus.check(name)


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name, ways in LATE.items() if ways])
def test_program_as_kernels_in_other_ways(late: Corpus, name: str) -> None:
    late.check(name)


def test_every_backend_has_programs() -> None:
    backends = [variant.options["backend"] for ways in SOON.values() for variant in ways]
    assert all(backends.count(b) >= 5 for b in ("cuda-c", "cuda-fortran", "openacc", "openmp-target")), backends


@pytest.mark.parametrize("name", OTHER_MEANING)
def test_program_that_asks_for_the_target(name: str) -> None:
    pair = next(p for p in OTHERS if p.name == name)
    assert variants(pair)[0].translated(pair).require()


def test_every_program_is_somewhere() -> None:
    """A program that is not run is refused, or else one of the few that are told apart above."""
    for pair in (p for p in OTHERS if not p.reference and p.name not in REFUSED):
        assert "HF900" not in variants(pair)[0].translated(pair).codes()


@pytest.mark.parametrize("name", list(REFUSED))
def test_refused(name: str) -> None:
    """Nothing stumbles: what cannot be a kernel is told with its place."""
    pair = next(p for p in OTHERS if p.name == name)
    done = variants(pair)[0].translated(pair)
    assert REFUSED[name] in done.codes()
    assert "HF900" not in done.codes()
    assert all(d.place is not None and d.place.line > 0 for d in done.errors)


# What differs most in what kernels hold: by default in one file, as nvcc reads its headers longer than all of them.
SELECTED = ("state_host", "r04", "r09", "r31", "r38", "ranks", "b36", "l14")


def compiled_by_nvcc(names: Iterable[str], arch: str, folder: Path) -> None:
    """Compile the kernels of some programs for a GPU, with warnings as errors."""
    files: dict[str, str] = {}
    for pair in (p for p in RUNNING if p.name in names):
        files |= named_apart(pair.name, variants(pair)[0].translated(pair).require().files)
    kernels = [file for file in files if file.endswith(".cu")]
    write_files({file: files[file] for file in kernels}, folder)
    if kernels:
        (folder / "all.cu").write_text(kernels_together(kernels))
        run(nvcc_command(folder / "all.cu", folder / "x.o", arch))


@needs_nvcc
def test_nvcc_has_nothing_to_say_of_some(tmp_path: Path) -> None:
    assert {p.name for p in RUNNING} >= set(SELECTED)
    compiled_by_nvcc(SELECTED, "sm_90", tmp_path)


@needs_nvcc
@pytest.mark.full
@pytest.mark.parametrize("name", [p.name for p in RUNNING])
def test_nvcc_has_nothing_to_say(name: str, tmp_path: Path) -> None:
    """The same text compiles for GPUs without a warning, for one architecture or the other by turns."""
    compiled_by_nvcc([name], ("sm_80", "sm_90")[len(name) % 2], tmp_path)


@pytest.mark.parametrize(
    "asked, named",
    [("size(k)", "'size' of 'k'"), ("lbound(i,1)", "'lbound' of 'i'"), ("sum(ubound(t))", "'ubound' of 't'")],
)
def test_an_inquiry_that_a_kernel_cannot_answer_names_its_argument(asked: str, named: str) -> None:
    source = f"""module m
implicit none
contains
subroutine s(n, k, a)
integer, intent(in) :: n, k
real(8), intent(inout) :: a(n)
real(8) :: t(3)
t = 1
@parallelRegion{{domName(i), domSize(n)}}
a(i) = sum(t) + {asked}
@end parallelRegion
end subroutine s
end module m
"""
    found = [d.message for d in translate_text(source, target="gpu", backend="cuda-c").diagnostics if d.code == "HF702"]
    assert any(named in message for message in found), found
