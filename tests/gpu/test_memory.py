"""Which arrays get memory on the device: those that kernels use, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, Corpus, pair, translate_text

KERNELS = ("cuda-c", "cuda-fortran", "opencl")
BACKENDS = (*KERNELS, "openacc", "openmp-target")
TEXT = """module memory
  implicit none
contains
  subroutine run()
    integer, parameter :: nx = 5, ny = 4, nz = 6
    real(8) :: a(nx,ny)
    integer :: k
    a = reshape([(0.5d0*k, k = 1, nx*ny)], [nx, ny])
    call go(nx, ny, nz, a)
    print '(5es24.16)', a
  end subroutine run
  subroutine go(nx, ny, nz, a)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: a(nx,ny)
    real(8) :: w(nz), host(nx,ny), unused(nx,ny), begun(nz), both(nz), passed(nz)
    integer :: i, j, k
    host = a
    begun = 2
    both = 1
    passed = 3
    call on_device(nz, passed)
    BEGIN
    begun(1) = a(i,j)
    do k = 1, nz
      w(k) = a(i,j)*k
      passed(k) = w(k)
    end do
    do k = 1, nz
      a(i,j) = a(i,j) + w(k) + passed(k) + both(k)
    end do
    a(i,j) = a(i,j) + begun(1) + begun(2)
    ENDS
    BEGIN
    do k = 1, nz
      both(k) = k
    end do
    do k = 1, nz
      a(i,j) = a(i,j) + both(k)
    end do
    ENDS
    a = a + host
  end subroutine go
  subroutine on_device(n, v)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    integer :: k
    OVER_K
    v(k) = 2*v(k)
    END_K
  end subroutine on_device
end module memory
"""
PLAIN = {
    "BEGIN": "do j = 1, ny\n    do i = 1, nx",
    "ENDS": "end do\n    end do",
    "END_K": "end do",
    "OVER_K": "do k = 1, n",
}
REGIONS = {
    "BEGIN": "@parallelRegion{domName(i,j), domSize(nx,ny)}",
    "ENDS": "@end parallelRegion",
    "END_K": "@end parallelRegion",
    "OVER_K": "@parallelRegion{domName(k), domSize(n)}",
}


def text(words: dict[str, str]) -> str:
    """The program with loops or with regions."""
    return re.sub("|".join(words), lambda found: words[found[0]], TEXT)


HYBRID = text(REGIONS)
NEEDED = {"a", "both", "passed"}


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_brought_to_the_device(backend: str) -> None:
    """No work array of points, none that only the host uses."""
    done = translate_text({"memory.h90": HYBRID}, target="gpu", backend=backend).require()
    routine = done.files["memory.F90"].split("subroutine go(")[1].split("end subroutine go")[0]
    routine = re.sub(r" &\n *!\$(?:acc|omp)&", "", routine)
    found = {*re.findall(r"call hf_enter\((\w+),", routine)}
    for clauses in re.findall(r"!\$(?:acc|omp target) (?:enter )?data (.*)", routine):
        found |= {name for listed in re.findall(r"\((?:\w+: )?([^)]*)\)", clauses) for name in listed.split(", ")}
    assert found == NEEDED | ({"begun"} if backend in KERNELS else set())


def test_results(tmp_path: Path) -> None:
    corpus = Corpus([pair("memory", HYBRID, text(PLAIN))], tmp_path, {"memory": (CUDA_C, CUDA_FORTRAN, OPENACC)})
    corpus.check("memory")
