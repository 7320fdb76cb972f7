"""Generated files with a fault put in, run in emulation, and as they are under sanitizers: each fault is told.

For CUDA Fortran see ``test_cuda_fortran.py``. With OpenACC and OpenMP host and device share their memory here, so that
a missing copy changes nothing that could be seen.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from hfpy.build.compile.cuda import MODULE_SOURCES
from hfpy.build.compile.gpuruntime import LIBRARY
from tests.gpu.emulated import SANITIZERS, Emulation, ran, run
from tests.kept import digest
from tests.samples.programs import ARGUMENTS, build_sample
from tests.support import (
    CUDA_C,
    CUDA_C_KIJ,
    LEVEL,
    Case,
    Corpus,
    Pair,
    batch_main,
    in_use_order,
    kernels_together,
    load_pairs,
    named_apart,
    translate_text,
    write_files,
)

PROGRAM = """
module heat
  implicit none
contains
  subroutine warm(nx, ny, nz, step, t, source, top)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in) :: step
    real(8), intent(inout) :: t(nx,ny,nz)
    real(8), intent(in) :: source(nx,ny)
    real(8), intent(out) :: top
    integer :: k
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    do k = 1, nz
      t(k) = t(k) + step * source
    end do
    @end parallelRegion
    top = t(nx,ny,nz)
    t(1,1,1) = 8
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    t(1) = t(1) + 1
    @end parallelRegion
  end subroutine warm
end module heat
program main
  use heat, only: warm
  implicit none
  real(8) :: t(5,4,3), source(5,4), top
  t = 1
  source = 2
  call warm(5, 4, 3, 0.5d0, t, source, top)
  print '(2f8.3)', sum(t), top
end program main
"""


def linked(files: Mapping[str, str], emulation: Emulation, folder: Path, source: str) -> Path:
    """The executable of generated files; those of kernels are compiled in one go, and once for the same text."""
    write_files(files, folder)
    texts = {f: text for f, text in files.items() if f.endswith(".cu")}
    kernels = emulation.folder / f"{digest(texts, map(folder.joinpath, texts))}.o"
    if not kernels.exists():
        (folder / "kernels.cu").write_text(kernels_together(list(texts)))
        emulation.kernels(folder / "kernels.cu", kernels)
    sources = [f for f in in_use_order(files) if not f.endswith(".cu") and f != "storage_order.F90"]
    options = ["-cpp", LEVEL, "-ffree-line-length-none", "-ffp-contract=off", f"-I{emulation.folder}", "-I."]
    objects = [*(emulation.folder / f"{m.stem}.o" for m in MODULE_SOURCES), emulation.folder / LIBRARY]
    program = folder / source
    flags = [*options, *emulation.flags]
    run(["gfortran", *flags, *sources, kernels, *objects, *emulation.tools().link_flags(), "-o", program], folder)
    return program


@cache
def generated() -> Mapping[str, str]:
    """The files that are made of the program."""
    return translate_text(PROGRAM, target="gpu", backend="cuda-c").require().files


def spoilt(emulation: Emulation, folder: Path, file: str, old: str, new: str) -> Path:
    """The program with the first place of a text replaced in one of its files."""
    files = dict(generated())
    assert old in files[file]
    files[file] = files[file].replace(old, new, 1)
    return linked(files, emulation, folder, "program")


def test_as_it_is(emulation: Emulation, tmp_path: Path) -> None:
    assert ran(spoilt(emulation, tmp_path, "m.cu", "", "")).stdout.split() == ["146.000", "2.000"]


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("m.F90", "call hf_enter(t,", "if (nx < 0) call hf_enter(t,", "hfk0_warm: array 't' is not on the device"),
        ("m.cu", "k <= nz", "k <= nz + 1", "hfk0_warm: index 3 of 't' is 4, outside 1:3"),
        ("m.cu", "i > nx ||", "i > nx + 1 ||", "hfk0_warm: index 1 of 't' is 6, outside 1:5"),
        (
            "m.cu",
            'launcher.array<double>(t, 1LL * nx * ny * nz, "t", 2)',
            "(double *)(t)",
            "hfk0_warm: argument 6 is a host pointer",
        ),
        ("m.cu", "1LL * nx * ny * nz", "1LL * nx * ny * nz + 1", "array 't' needs 488 bytes on the device"),
    ],
)
def test_told(emulation: Emulation, tmp_path: Path, file: str, old: str, new: str, message: str) -> None:
    ended = ran(spoilt(emulation, tmp_path, file, old, new), status=3)
    assert message in ended.stderr
    assert "m.h90:" in ended.stderr


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("call hf_enter(t, 1,", "call hf_enter(t, 0,", ["NaN", "NaN"]),
        ("call hf_update_host(", "if (nx < 0) call hf_update_host(", ["146.000", "NaN"]),
        ("call hf_update_device(", "if (nx < 0) call hf_update_device(", ["140.000", "2.000"]),
        ("call hf_leave(t, 1,", "call hf_leave(t, 0,", ["NaN", "2.000"]),
    ],
)
def test_missing_copies_change_results(
    emulation: Emulation, tmp_path: Path, old: str, new: str, result: list[str]
) -> None:
    """What is not copied is not there: device memory is not the host's."""
    assert ran(spoilt(emulation, tmp_path, "m.F90", old, new)).stdout.split() == result


# --- sanitizers


@pytest.mark.full
def test_an_index_behind_the_array_is_noticed(sanitized: Emulation, tmp_path: Path) -> None:
    """Past the checks of views, by a bare pointer."""
    program = spoilt(sanitized, tmp_path, "m.cu", "int k;", "int k;\n  t_data[nx * ny * nz] = 1;")
    ended = ran(program, status=1)
    assert "use-after-poison" in ended.stderr
    assert "hfk0_warm" in ended.stderr


FOLDERS = [Path(__file__).parent / "language", Path(__file__).parents[1] / "language" / "programs"]
GROUPS = (
    ("state_sections", "state_parts"),
    ("state_host", "state_modules", "state_handed", "state_rows", "ranks", "flags"),
)


def sanitized_batch(pairs: Iterable[Pair], sanitized: Emulation, folder: Path) -> Path:
    """Several programs in one executable."""
    cases, files = [], {}
    for pair in pairs:
        done = (CUDA_C if pair.in_comments else CUDA_C_KIJ).translated(pair).require()
        cases.append(Case(pair.name, named_apart(pair.name, done.files), pair.module, pair.entry))
        files.update(cases[-1].files)
    files["batch_main.f90"] = batch_main(cases)
    return linked(files, sanitized, folder, "all")


@pytest.mark.parametrize("names", [GROUPS[0], pytest.param(GROUPS[1], marks=pytest.mark.full)])
def test_programs_under_sanitizers(names: Sequence[str], sanitized: Emulation, tmp_path: Path) -> None:
    pairs = [p for folder in FOLDERS for p in load_pairs(folder) if p.name in names]
    assert len(pairs) == len(names)
    program = sanitized_batch(pairs, sanitized, tmp_path)
    twins = Corpus(pairs, tmp_path / "twins")
    for pair in pairs:
        ended = ran(program, pair.name)
        assert ended.stderr == ""
        assert ended.stdout == twins.expected(pair.name)


@pytest.mark.full
@pytest.mark.parametrize("sample", ARGUMENTS)
def test_samples_under_sanitizers(sample: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flags = " ".join(SANITIZERS)
    monkeypatch.setenv("LDFLAGS", flags)
    program = build_sample(sample, "cuda-c", "KIJ", f"-O1 -g {flags}", tmp_path, (), f"-O0 -g -Wall {flags}")
    ended = ran(program.path, str(tmp_path / "out.dat"), *ARGUMENTS[sample], OMP_NUM_THREADS="1")
    assert "runtime error" not in ended.stderr
    assert os.path.getsize(tmp_path / "out.dat") > 0
