"""Small programs as kernels, run in emulation, against their plain twins: device state, and all that other tests hold.

``language`` has the programs that are about the device; those of ``tests/language``, ``tests/realcode`` and
``tests/defects`` run here too, but for what REFUSED says.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gpu.emulated import needs_nvcc, nvcc_command, run
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
    load_pairs,
    translate_text,
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
    "r15": "HF702",  # an element as the beginning of an array
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
# Arrays of objects whose components are arrays: kernels do not take them.
DIRECTIVES = ("state_elements",)
NO_COMPONENTS = ("state_handed", "state_whole_objects", "deep_objects")
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
    if pair.name in (*FIXED_FORM, *DIRECTIVES):
        return (OPENACC, OPENMP_TARGET)
    return (CUDA_C, CUDA_FORTRAN, OPENACC, *(() if pair.name in NO_COMPONENTS else (OPENMP_TARGET,)))


ELSEWHERE = (*REFUSED, *OTHER_MEANING, *AT_RUN_TIME, *ADDED_UP)
RUNNING = [p for p in (*OWN, *OTHERS) if p.reference and p.name not in ELSEWHERE]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(RUNNING, tmp_path_factory.mktemp("kernels"), {p.name: variants(p) for p in RUNNING})


@pytest.mark.parametrize("name", [p.name for p in RUNNING])
def test_program_as_kernels(corpus: Corpus, name: str) -> None:
    corpus.check(name)


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


# What differs most in what kernels hold; the others under ``-m full``.
SELECTED = ("state_host", "r04", "r09", "r31", "r38", "ranks", "b36", "l14")


@needs_nvcc
@pytest.mark.parametrize(
    "name", [pytest.param(p.name, marks=() if p.name in SELECTED else pytest.mark.full) for p in RUNNING]
)
def test_nvcc_has_nothing_to_say(name: str, tmp_path: Path) -> None:
    """The same text compiles for GPUs without a warning, for one architecture or the other by turns."""
    pair = next(p for p in RUNNING if p.name == name)
    files = variants(pair)[0].translated(pair).require().files
    for file, text in files.items():
        if file.endswith(".cu"):
            (tmp_path / file).write_text(text)
            run(nvcc_command(tmp_path / file, tmp_path / "x.o", ("sm_80", "sm_90")[len(name) % 2]))


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
