"""Regions of one target in regions of the other: what the bounds of their own loops read counts like any statement."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import CUDA_C, OPENMP, Corpus, Pair, translate_text

ROWS = """    !@parallelRegion{appliesTo(GPU)}
    do i = BOUNDS
      a(i,k) = a(i,k) + b(i,k)
    end do
"""
INNER = {
    "array": ROWS.replace("BOUNDS", "lo(k), hi(k)"),
    "scalar": ROWS.replace("BOUNDS", "first, last"),
    "called": "    call row(k, lo, hi, a(:,k), b(:,k))\n",
}
CHANGES = {
    "none": "",
    "own": "    b(1,k) = a(2,k)\n",
    "next": "    hi(k+1) = 3\n",
    "next_first": "    lo(k+1) = 2\n",
    "counted": "    last = last - 1\n",
}
PROGRAM = """module NAME
  implicit none
contains
  subroutine step(m, lo, hi, a, b)
    integer, intent(in) :: m
    integer, intent(inout) :: lo(m+1), hi(m+1)
    real(8), intent(inout) :: a(9,m), b(9,m)
    integer :: i, k, first, last
    first = 2; last = 8
    !@parallelRegion{appliesTo(CPU)}
    do k = 1, m
INNER    end do
  end subroutine step
  subroutine row(k, lo, hi, a, b)
    integer, intent(in) :: k
    integer, intent(in) :: lo(:), hi(:)
    real(8), intent(inout) :: a(9), b(9)
    integer :: i
    !@parallelRegion{appliesTo(GPU)}
    do i = lo(k), hi(k)
      a(i) = a(i) + b(i)
    end do
  end subroutine row
  subroutine run()
    integer, parameter :: m = 7
    integer :: lo(m+1), hi(m+1), i, k
    real(8) :: a(9,m), b(9,m)
    do k = 1, m
      lo(k) = 1 + mod(k, 3); hi(k) = 9 - mod(k, 4)
      do i = 1, 9
        a(i,k) = i + 10*k; b(i,k) = sin(1d0*i*k)
      end do
    end do
    lo(m+1) = 1; hi(m+1) = 9
    call step(m, lo, hi, a, b)
    print '(es24.16)', a, b
    print '(i0)', lo, hi
  end subroutine run
end module NAME
"""


def program(inner: str, change: str) -> tuple[str, str]:
    name = f"{inner}_{change}"
    return name, PROGRAM.replace("NAME", name).replace("INNER", INNER[inner] + CHANGES[change])


REFUSED = [("array", "next"), ("array", "next_first"), ("called", "next"), ("called", "next_first")]
ACCEPTED = [("scalar", "counted"), *((inner, change) for inner in INNER for change in ("none", "own"))]


@pytest.mark.parametrize(("inner", "change"), REFUSED)
def test_bounds_that_other_points_set(inner: str, change: str) -> None:
    name, text = program(inner, change)
    done = translate_text({f"{name}.f90": text}, backend="openmp")
    assert [d.code for d in done.errors] == ["HF504"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    texts = dict(program(*case) for case in ACCEPTED)
    pairs = [Pair(n, {f"{n}.f90": text}, {f"{n}.f90": text}, n) for n, text in texts.items()]
    return Corpus(pairs, tmp_path_factory.mktemp("inner"), {p.name: (OPENMP, CUDA_C) for p in pairs})


@pytest.mark.parametrize(("inner", "change"), ACCEPTED)
def test_results(inner: str, change: str, corpus: Corpus) -> None:
    corpus.check(program(inner, change)[0])


def test_bounds_are_in_the_directive(tmp_path: Path) -> None:
    name, text = program("scalar", "none")
    made = translate_text({f"{name}.f90": text}, backend="openmp").require().text
    (row,) = [r for r in made.splitlines() if "!$omp parallel do" in r]
    assert "first, last" in row
