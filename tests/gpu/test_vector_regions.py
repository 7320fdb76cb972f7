"""Regions with ``vector`` within kernels, there or in a called routine: their points are the turns of a loop."""

from __future__ import annotations

import pytest

from tests.gpu.opencl import needs_opencl
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENCL, OPENMP, OPENMP_TARGET, Corpus, Pair, Variant

HYBRID = """module NAME
  implicit none
  integer, parameter :: nx = 7, ny = 5, nz = 4
contains
  subroutine rows(n, m, q)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: q(n,m)
    <j: m>
    call row(n, q(:,j))
    call row(n - 2, q(:,j))
    >
  end subroutine rows
  subroutine row(n, q)
    integer, intent(in) :: n
    real(8), intent(inout) :: q(n)
    real(8) :: total
    integer :: k
    <i: n, vector>
    q(i) = q(i)*1.5d0 + i
    if (q(i) > 8) @exit
    q(i) = q(i) - 0.5d0
    >
    total = 0
    k = 2
    <l: n, startAt(k), endAt(n-1), stride(k), vector, reduction(+:total)>
    total = total + q(l)*l
    >
    q(n) = q(n) + total
  end subroutine row
  subroutine direct(n, m, a, f)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(n,m,nz)
    real(8), intent(in) :: f(n)
    integer :: i, j, k
    <j: m>
    do k = 2, nz
      <i: n, vector>
      if (f(i) > 3) then
        a(i,j,k) = a(i,j,k)*f(i) + a(i,j,k-1)
      else
        a(i,j,k) = -a(i,j,k)
      end if
      >
    end do
    >
    <j: m>
    <i,k: n,nz, startAt(2,1), endAt(n,nz-1), vector>
    if (mod(i + k, 3) == 0) then
      @exit
    end if
    a(i,j,k) = a(i,j,k) + i + 10*k
    >
    a(1,j,1) = a(1,j,1) + 100
    >
  end subroutine direct
  subroutine alone(n, m, a)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: a(n,m,nz)
    integer :: j
    do j = 2, m
      <i: n, vector>
      a(i,j,1) = a(i,j,1) + 0.5d0*a(i,j-1,1)
      >
    end do
  end subroutine alone
  subroutine run
    real(8) :: a(nx,ny,nz), q(nx,ny), f(nx)
    integer :: n
    a = reshape([(0.5d0*n, n = 1, size(a))], shape(a))
    q = reshape([(0.25d0*n, n = 1, size(q))], shape(q))
    f = [(1d0*n, n = 1, nx)]
    call rows(nx, ny, q)
    call direct(nx, ny, a, f)
    call alone(nx, ny, a)
    print '(7f14.4)', q, a
  end subroutine run
end module NAME
"""
VARIANTS = (OPENMP, CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, pytest.param(OPENCL, marks=needs_opencl))


def pair_of(name: str) -> Pair:
    """The program with regions for the lines in angles, and with loops."""
    hybrid, plain, open_ = [], [], []
    for line in HYBRID.replace("NAME", name).splitlines():
        row = line.strip()
        if row.startswith("<"):
            names, _, rest = row[1:-1].partition(": ")
            count = names.count(",") + 1
            parts = rest.split(", ")
            sizes, more = parts[0].split(","), parts[1:]
            hybrid.append(f"@parallelRegion{{domName({names}), domSize({parts[0]}){''.join(f', {m}' for m in more)}}}")
            given = {m.partition("(")[0]: m.partition("(")[2][:-1].split(",") for m in more}
            first, last = given.get("startAt", ["1"] * count), given.get("endAt", sizes)
            steps = given.get("stride", ["1"] * count)
            loops = zip(names.split(","), first, last, steps, strict=True)
            plain += [f"do {n} = {a}, {b}, {c}" for n, a, b, c in loops]
            open_.append(count)
        elif row == ">":
            hybrid.append("@end parallelRegion")
            plain += ["end do"] * open_.pop()
        else:
            hybrid.append(line)
            plain.append(line.replace("@exit", "cycle"))
    declared = [
        f"{row}\n    integer :: i, j, l" if "subroutine row(" in row or "subroutine rows(" in row else row
        for row in plain
    ]
    declared = [f"{row}\n    integer :: i" if "subroutine alone(" in row else row for row in declared]
    return Pair(name, {f"{name}.h90": "\n".join(hybrid) + "\n"}, {f"{name}.f90": "\n".join(declared) + "\n"}, name)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pair = pair_of("vectors")
    ways = [OPENMP, CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, OPENCL]
    return Corpus([pair], tmp_path_factory.mktemp("vectors"), {pair.name: ways})


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_their_points_are_turns(variant: Variant, programs: Corpus) -> None:
    programs.check_one("vectors", variant)
