"""``@exit`` of a region within another one, or in a called routine: it ends what is left of its own region alone."""

from __future__ import annotations

import pytest

from tests.gpu.opencl import needs_opencl
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENCL, OPENMP_TARGET, Corpus, Pair, Variant, translate_text

PROGRAM = """module inner_exits
  implicit none
  integer, parameter :: nx = 6, ny = 4
contains
  subroutine columns(n, a, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(0:nx,ny), c(ny)
    real(8) :: s
    integer :: i, j
    <GPU
    if (j == n) @exit
    s = 0.5d0*j
    do i = 0, nx
      <CPU
      if (a(i,j) > 4) then
        a(i,j) = a(i,j) - 1
        @exit
      end if
      s = s + a(i,j)
      if (s > 9) @exit
      a(i,j) = s
      >
      a(i,j) = a(i,j) + 0.25d0
    end do
    c(j) = c(j) + s
    >
    <GPU
    call column(n, a(:,j))
    c(j) = c(j) + a(nx,j)
    >
  end subroutine columns
  subroutine column(n, q)
    integer, intent(in) :: n
    real(8), intent(inout) :: q(0:nx)
    integer :: k
    <CPU
    do k = 1, nx
      q(k) = q(k) + n
      if (q(k) > 6) @exit
    end do
    q(0) = -q(0)
    >
    <CPU
    q(nx) = q(nx)*2
    @if{architecture(CPU)}
    @exit
    @end if
    q(0) = q(0) + 1
    >
  end subroutine column
  subroutine run
    real(8) :: a(0:nx,ny), c(ny)
    integer :: n
    a = reshape([(mod(n*n, 7)*1d0, n = 1, size(a))], shape(a))
    c = 1
    call columns(1, a, c)
    call columns(3, a, c)
    print '(7f10.4)', a, c
  end subroutine run
end module inner_exits
"""
VARIANTS = (CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, pytest.param(OPENCL, marks=needs_opencl))


def the_pair() -> Pair:
    """The program with regions for the lines in angles, and with loops for those of the GPU."""
    hybrid, plain, opened = [], [], []
    for line in PROGRAM.splitlines():
        row = line.strip()
        if row.startswith("<"):
            opened.append((row[1:], f"r{len(plain)}"))
            target, name = opened[-1]
            hybrid.append(f"@parallelRegion{{appliesTo({target}), domName(j), domSize(ny)}}")
            plain.append(f"{name}: do j = 1, ny" if target == "GPU" else f"{name}: block")
        elif row == ">":
            target, name = opened.pop()
            hybrid.append("@end parallelRegion")
            plain.append(f"end {'do' if target == 'GPU' else 'block'} {name}")
        elif row.startswith("@if") or plain[-1:] == ["!"]:
            hybrid.append(line)
            plain.append("" if row == "@end if" else "!")  # not in a build for GPUs
        else:
            hybrid.append(line)
            jump = f"{'cycle' if opened and opened[-1][0] == 'GPU' else 'exit'} {opened[-1][1] if opened else ''}"
            plain.append(line.replace("@exit", jump))
    texts = ["\n".join(rows) + "\n" for rows in (hybrid, plain)]
    return Pair("inner_exits", {"inner_exits.h90": texts[0]}, {"inner_exits.f90": texts[1]}, "inner_exits")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    ways = [CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, OPENCL]
    return Corpus([the_pair()], tmp_path_factory.mktemp("inner_exits"), {"inner_exits": ways})


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_a_kernel_goes_on_behind_the_inner_region(variant: Variant, programs: Corpus) -> None:
    programs.check_one("inner_exits", variant)


POINT = """subroutine work(n, a, b, c)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n), c(n)
  real(8) :: s, w(4)
  integer :: i, j
  s = 5
  w = 3
  @parallelRegion{domName(j), domSize(n)}
  @parallelRegion{INNER}
  BODY
  @end parallelRegion
  LAST
  @end parallelRegion
end subroutine work
"""
INNER = {
    "other": "appliesTo(OTHER), domName(i), domSize(n)",
    "vector": "domName(i), domSize(4), vector",
}
# What the inner region does, what is behind it, and the fault.
FAULTS = {
    "scalar": ("if (c(j) > 1) @exit\ns = 2*c(j)", "b(j) = s", "HF500"),
    "array": ("if (c(j) > 1) @exit\nw = 2*c(j)", "b(j) = w(2)", "HF504"),
    "guard": ("if (j /= 1) @exit\na(j) = 1", "b(1) = b(1) + c(j)", "HF504"),
}


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("inner", INNER.values(), ids=INNER)
def test_what_is_behind_it_is_done_by_all_points(inner: str, fault: tuple[str, str, str], target: str) -> None:
    body, last, code = fault
    there = inner.replace("OTHER", "GPU" if target == "cpu" else "CPU")
    text = POINT.replace("INNER", there).replace("BODY", body).replace("LAST", last)
    done = translate_text(text, target=target, backend="openmp" if target == "cpu" else "cuda-c")
    assert code in {d.code for d in done.diagnostics}
