"""Regions with ``vector`` in pure procedures: host code would start kernels for them, which does not compile."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """module pure_vectors
  implicit none
contains
  subroutine rows(n, m, a)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(n,m)
    integer :: j
    @parallelRegion{domName(j), domSize(m)}
    call row(n, a(:,j))
    @end parallelRegion
  end subroutine rows
  PURE subroutine row(n, q)
    integer, intent(in) :: n
    real(8), intent(inout) :: q(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n), vector}
    q(i) = q(i) + 1
    @end parallelRegion
  end subroutine row
end module pure_vectors
"""
KERNELS = ("cuda-c", "cuda-fortran", "hip", "opencl")


@pytest.mark.parametrize("backend", ["sequential", "openmp", "openacc", *KERNELS])
@pytest.mark.parametrize("prefix", ["pure", ""])
def test_they_are_refused_where_they_would_be_kernels(backend: str, prefix: str) -> None:
    target = "cpu" if backend in ("sequential", "openmp") else "gpu"
    done = translate_text(PROGRAM.replace("PURE", prefix), target=target, backend=backend)
    assert done.codes() == (["HF404"] if prefix and backend in KERNELS else [])
