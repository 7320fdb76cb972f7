"""Arrays of which kernels ask shapes alone: nothing is copied for them, and no memory is taken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hfpy.backends import kernelspec
from tests.support import (
    CUDA_C,
    CUDA_FORTRAN,
    OPENACC,
    OPENCL,
    OPENMP_TARGET,
    Corpus,
    Variant,
    pair,
    some_soon,
    translate_text,
)

BACKENDS = ("cuda-c", "hip", "opencl", "cuda-fortran", "openacc", "openmp-target")
ASKS = """module asks
  implicit none
  real(8), allocatable :: kept(:)
contains
  subroutine run()
    real(8) :: a(4,3), b(2,5), p(3), c(4), d(7)
    a = 0
    b = 1
    c = 2
    d = 3
    p = 4
    allocate(kept(2))
    kept = 5
    call go(4, 3, a, b, p, d, c)
    call go(4, 3, a, b, p, d)
    print *, a, b, c, d, p
  end subroutine run
  subroutine go(nx, ny, a, b, p, d, c)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(nx,ny), d(:)
    real(8), intent(in) :: b(:,:), p(0:)
    real(8), intent(inout), optional :: c(nx)
    integer :: i, j
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    a(i,j) = a(i,j) + size(b, 1) + 10*size(b) + 100*lbound(p, 1) + ubound(p, 1)*i + size(d)
    if (present(c)) a(i,j) = a(i,j) + 1000
    @end parallelRegion
  end subroutine go
end module asks
"""
PLAIN = ASKS.replace(
    "    @parallelRegion{domName(i,j), domSize(nx,ny)}\n", "    do j = 1, ny\n    do i = 1, nx\n"
).replace("    @end parallelRegion\n", "    end do\n    end do\n")


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_is_copied(backend: str) -> None:
    text = translate_text(ASKS, target="gpu", backend=backend).require().files["m.F90"]
    routine = text.split("subroutine go(")[1].split("end subroutine go")[0]
    calls = r"hf_enter\((\w+)|(?:\b(?:copy|copyin|copyout|create)\(|map\((?:to|from|tofrom): )(\w+)"
    moved = {one or other for one, other in re.findall(calls, routine)}
    assert moved == {"a"}, routine
    clauses = {"openacc": "no_create(b, c, d, p)", "openmp-target": "map(alloc: b, c, d, p)"}
    assert clauses.get(backend, "hf_enter(a") in routine


@pytest.mark.parametrize("variant", some_soon((CUDA_C, OPENCL, OPENACC, OPENMP_TARGET, CUDA_FORTRAN)))
def test_results(variant: Variant, tmp_path: Path) -> None:
    Corpus([pair("asks", ASKS, PLAIN)], tmp_path, {"asks": (variant,)}).check("asks")


ELSEWHERE = """module asks
  implicit none
  real(8), allocatable :: kept(:), other(:)
  type box
    real(8), allocatable :: x(:,:), y(:)
  end type box
contains
  subroutine run()
    type(box) :: state, parts(2)
    real(8) :: a(4)
    allocate(kept(-1:3), other(2), state%x(0:5,3), state%y(2), parts(2)%x(2,7), parts(2)%y(1))
    a = 0
    kept = 1
    other = 2
    state%x = 3
    state%y = 4
    parts(2)%x = 5
    parts(2)%y = 6
    call go(4, 2, a, state, parts)
    print *, a
  end subroutine run
  subroutine go(nx, n, a, state, parts)
    integer, intent(in) :: nx, n
    real(8), intent(inout) :: a(nx)
    type(box), intent(in) :: state, parts(2)
    integer :: i
    @parallelRegion{domName(i), domSize(nx)}
    a(i) = a(i) + size(kept) + 10*lbound(kept, 1) + size(other)*other(1) + 100*ubound(state%x, 1) + size(state%x)
    a(i) = a(i) + 1000*size(parts(n)%x, 2) + size(state%y)*state%y(2) + parts(n)%y(size(parts(n)%y))
    @end parallelRegion
  end subroutine go
end module asks
"""
ELSEWHERE_PLAIN = ELSEWHERE.replace("    @parallelRegion{domName(i), domSize(nx)}\n", "    do i = 1, nx\n").replace(
    "    @end parallelRegion\n", "    end do\n"
)


@pytest.mark.parametrize("backend", ["cuda-c", "hip", "opencl", "cuda-fortran"])
def test_nothing_is_copied_of_modules_and_components(backend: str) -> None:
    text = translate_text(ELSEWHERE, target="gpu", backend=backend).require().files["m.F90"]
    assert set(re.findall(r"hf_enter(?:_once)?\(([\w%()]+),", text)) == {"a", "other", "state%y", "parts(n)%y"}


@pytest.mark.parametrize("variant", some_soon((CUDA_C, OPENCL, CUDA_FORTRAN)))
def test_results_with_modules_and_components(variant: Variant, tmp_path: Path) -> None:
    Corpus([pair("asks", ELSEWHERE, ELSEWHERE_PLAIN)], tmp_path, {"asks": (variant,)}).check("asks")


GIVEN = "    @parallelRegion{domName(i), domSize(nx)}\n    a(i,1) = a(i,1) + BODY\n    @end parallelRegion\n"
GIVEN_PLAIN = "    do i = 1, nx\n    a(i,1) = a(i,1) + BODY\n    end do\n"
FUNCTION = """  real(8) function length(x)
    real(8), intent(in) :: x(:)
    length = x(1)*size(x)
  end function length
  real(8) function stored()
    stored = kept(1)
  end function stored
"""
USED = {
    "an element": "size(d) + d(2)",
    "a section": "size(d(2:))",
    "an argument": "size(d) + length(d)",
    "an index": "size(d) + b(1,int(d(1)))",
    "an array that a called function knows": "size(kept) + stored()",
}


@pytest.mark.parametrize("name", USED)
def test_arrays_of_which_more_is_asked_are_there(name: str, tmp_path: Path) -> None:
    source, plain = (
        text.replace("  end subroutine go\n", given.replace("BODY", USED[name]) + "  end subroutine go\n" + FUNCTION)
        for text, given in ((ASKS, GIVEN), (PLAIN, GIVEN_PLAIN))
    )
    Corpus([pair("asks", source, plain)], tmp_path, {"asks": (CUDA_C,)}).check("asks")


def test_an_array_without_memory_shows_where_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reference is taken for a question about the shape."""
    monkeypatch.setattr(kernelspec, "inquired", lambda body: frozenset({"d"}))
    body = USED["an element"]
    source = ASKS.replace("size(d)", body)
    corpus = Corpus([pair("asks", source, PLAIN.replace("size(d)", body))], tmp_path, {"asks": (CUDA_C,)})
    with pytest.raises(AssertionError):
        corpus.check("asks")
