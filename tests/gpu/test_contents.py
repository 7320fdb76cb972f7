"""What generated files tell the build of themselves: the same as their texts say. And a backend that is registered for
kernels without being able to write them is refused.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hfpy import backendtable
from hfpy.backends import registry
from hfpy.diagnostics import UsageError
from hfpy.options import Options
from hfpy.pipeline import translate
from hfpy.translation import Contents

PROGRAM = """
module fields
  implicit none
  integer, parameter :: nx = 6, ny = 5
  real(8), allocatable :: heat(:,:)
end module fields
submodule (fields) inner
end submodule inner
block data start
  common /shared/ x
  data x /1.0/
end block data start
module steps
  use fields, only: heat, nx, ny
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
contains
  subroutine step(a, b, largest)
    real(8), intent(in) :: a(nx,ny)
    real(8), intent(inout) :: b(nx,ny)
    real(8), intent(inout) :: largest
    @domainDependant{attribute(present)}
    heat
    @end domainDependant
    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(max:largest)}
    if (a(i,j) > 1d0) then
      b(i,j) = a(i,j) - 1d0
    else
      b(i,j) = a(i,j) + heat(i,j)
    end if
    largest = max(largest, b(i,j))
    @end parallelRegion
  end subroutine step
  subroutine other(a, b)
    real(8), intent(in) :: a(nx,ny)
    real(8), intent(inout) :: b(nx,ny)
    @domainDependant{attribute(present)}
    heat
    @end domainDependant
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    b(i,j) = a(i,j) * 2d0 + heat(i,j)
    @end parallelRegion
  end subroutine other
  subroutine both(a, b, largest)
    real(8), intent(in) :: a(nx,ny)
    real(8), intent(inout) :: b(nx,ny)
    real(8), intent(inout) :: largest
    @domainDependant{attribute(transferHere)}
    heat
    @end domainDependant
    call step(a, b, largest)
    call other(a, b)
  end subroutine both
end module steps
"""
SWEEP = """
module sweeps
  implicit none
contains
  subroutine sweep(n, nz, a, b)
    integer, intent(in) :: n, nz
    real(8), intent(in) :: a(n,nz)
    real(8), intent(inout) :: b(n,nz)
    integer :: k
    @parallelRegion{domName(i), domSize(n)}
    do k = 2, nz
      if (a(i,k) > 0d0) then
        b(i,k) = b(i,k-1) + a(i,k)
      else
        b(i,k) = b(i,k-1) - a(i,k)
      end if
    end do
    @end parallelRegion
  end subroutine sweep
end module sweeps
"""
RUNTIME = ("hfpy_arrays", "hfpy_verify", "hfpy_debug", "hfpy_profile", "hfpy_races")


def contents(folder: Path, text: str, **options: Any) -> dict[str, tuple[str, Contents]]:
    """Text and contents of each generated file."""
    path = folder / "m.h90"
    path.write_text(text)
    done = translate([path], Options(exports=(), **options))
    assert not [d for d in done.diagnostics if d.severity == "error"], done.diagnostics
    return {file.name: (file.text, file.contents) for file in done.files}


GPU = {"target": "gpu"}
CASES: dict[str, dict[str, Any]] = {
    "sequential": {"backend": "sequential"},
    "cuda-c": {**GPU, "backend": "cuda-c"},
    "cuda-fortran": {**GPU, "backend": "cuda-fortran"},
    "openacc": {**GPU, "backend": "openacc"},
    "mixed": {**GPU, "backend": "cuda-c", "routines": {"other": "openacc"}},
    "mixed again": {**GPU, "backend": "openmp-target", "routines": {"other": "cuda-fortran"}},
    "two kinds of kernels": {**GPU, "backend": "cuda-c", "routines": {"other": "cuda-fortran"}},
    "traced": {**GPU, "backend": "cuda-c", "trace": True},
    "profiled": {"backend": "openmp", "profile": True},
    "watched": {"backend": "sequential", "races": True},
}


@pytest.mark.parametrize("case", CASES)
def test_contents_are_what_the_text_says(case: str, tmp_path: Path) -> None:
    for name, (text, found) in contents(tmp_path, PROGRAM, **CASES[case]).items():
        lines = text.lower()
        provided = set(re.findall(r"^\s*module (\w+)\s*$", lines, re.M)) | set(
            re.findall(r"^\s*submodule \(fields\) (\w+)", lines, re.M)
        )
        used = set(re.findall(r"^\s*use (\w+)", lines, re.M))
        assert set(found.provides) == provided, name
        assert set(found.uses) == used - provided, name
        assert found.block_data == ("block data" in lines)
        assert found.submodules == ("submodule (" in lines)
        kernels = re.findall(r"(?:__global__ void|attributes\(global\) subroutine) (\w+)\(", text)
        assert list(found.kernels) == kernels
        languages = {".cu": "cuda-c", ".cuf": "cuda-fortran"}
        assert found.language == languages.get(Path(name).suffix, "fortran")
        regions = {"1": "openacc", "0": "openmp-target"}
        shared = {regions[n] for n in re.findall(r"call hf_region_begins\(hf_region, hf_where, ([01])\)", lines)}
        assert set(found.sharing) == shared
        assert not found.selections


def test_there_is_something_to_tell(tmp_path: Path) -> None:
    """The cases above have, together, all that the build asks for."""
    every = [c for options in CASES.values() for _, c in contents(tmp_path, PROGRAM, **options).values()]
    assert {module for c in every for module in c.uses} >= {"hfpy_arrays", "hfpy_verify", "hfpy_profile", "hfpy_races"}
    assert {b for c in every for b in c.sharing} == {"openacc", "openmp-target"}
    assert {c.language for c in every} == {"fortran", "cuda-c", "cuda-fortran"}


def test_selections_are_told(tmp_path: Path) -> None:
    """Branches that the optimiser makes selections of, or blocks of columns, need flags; plain loops do not."""
    made = contents(tmp_path, SWEEP, backend="openmp", opt=3)
    plain = contents(tmp_path, SWEEP, backend="openmp", opt=0)
    assert [c.selections for _, c in made.values()] == ["do hf_l = 0" in text for text, _ in made.values()] == [True]
    assert [c.selections for _, c in plain.values()] == [False]


class OnlyLoops:
    """A backend that knows loops alone."""

    name = "made-up"
    openmp = False

    def open_region(self, _code: object) -> list[str]:
        return []

    def close_region(self, _code: object) -> list[str]:
        return []


class OnlyKernels(OnlyLoops):
    """One that writes kernels."""

    def writer(self, _device: object) -> None:
        return None


@pytest.mark.parametrize(
    ("kind", "made", "said"),
    [
        ("kernels", "OnlyLoops", "registered for kernels, but OnlyLoops cannot write kernels"),
        ("loops", "OnlyKernels", "registered for loops, but OnlyKernels writes kernels"),
    ],
)
def test_a_backend_that_cannot_do_what_it_is_registered_for(
    kind: Any, made: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused with the name of the class, whoever asks; never replaced by another backend's kernels."""
    entry = backendtable.Entry("made-up", "gpu", kind, f"{__name__}:{made}")
    monkeypatch.setitem(backendtable.TABLE, "made-up", entry)
    registry.backend.cache_clear()
    with pytest.raises(UsageError, match=said):
        contents(tmp_path, PROGRAM, target="gpu", backend="made-up")
