"""Copies for host statements under a condition are made under it, in all dialects."""

from __future__ import annotations

import pytest

from tests.storage.programs import program
from tests.support import CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET, SEQUENTIAL, Corpus, translate_text

TEXT = """\
module NAME
  implicit none
contains
  subroutine run()
    real(8) :: a(4), b(4), c(4)
    integer :: i, k
    do k = 1, 5
      do i = 1, 4
        a(i) = i*k
        b(i) = i - k*2.1d0
        c(i) = i + 4*k
      end do
      call step(4, a, b, c, k)
      print *, a, b, c
    end do
  end subroutine run
  subroutine step(n, a, b, c, way)
    integer, intent(in) :: n, way
    real(8), intent(inout) :: a(n), b(n), c(n)
    integer :: i, turn
<i
    a(i) = a(i) + 10*i
    b(i) = b(i) + a(i)
    c(i) = c(i) - 1
>
    if (way == 77) print *, a(1)
    if (way == 1) a(2) = 5
    if (way == 4) where (a > c(1)) a = 2
    if (way == 2) call say(c(2:3)); if (way == 1) c(1) = b(2)
    if (b(1) > 0) then
      a(1) = 3
      a(2) = a(2) + 1
      if (way == 3) c(1) = 3
      print *, 'x'
    else if (way == 3) then
      b(1) = 1
    else
      print *, c
    end if
    select case (way)
    case (1)
      b(2) = b(3)
    case (3)
      do i = 2, n
        c(i) = c(i-1)
      end do
      c(1) = 0
      if (a(1) > 0) c(2) = a(1)
    case default
      if (way == 4) then
        if (c(2) > 1) print *, b(1)
      end if
      print *, 'nothing'
    end select
    do turn = 1, 2
      if (way == 2) then
        a = c(1)
        a(2) = 7
        a(3) = 8
        if (turn == 2) cycle
        a(4) = 9
      end if
<i
      a(i) = a(i) + 10*i
      b(i) = b(i) + a(i)
      c(i) = c(i) - 1
>
      if (mod(turn, 2) == 0) call say(b)
      do i = 1, n
        if (way == 5) a(i) = a(i) + b(1)
      end do
      if (turn == 2) exit
    end do
  end subroutine step
  subroutine say(x)
    real(8), intent(inout) :: x(:)
    print *, x
    x(2) = -x(2)
  end subroutine say
end module NAME
"""
PAIRS = [program("branches", TEXT)]
VARIANTS = (SEQUENTIAL, CUDA_C, CUDA_FORTRAN, OPENACC, OPENMP_TARGET)
BACKENDS = ("cuda-c", "cuda-fortran", "openacc", "openmp-target")
COPIES = {
    "openacc": ("!$acc update self", "!$acc update device"),
    "openmp-target": ("!$omp target update from", "!$omp target update to"),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("branches"), {p.name: VARIANTS for p in PAIRS})


@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_programs(name: str, corpus: Corpus) -> None:
    corpus.check(name)


# The statements, and what comes of them: copies of an array to the host (a>) and to the device (>a), the rest as it is.
PLACES = {
    "if (k == 1) print *, a(1)": "if (k == 1) then; a>; print *, a(1); end if",
    "if (k == 1) a(2) = 3": "if (k == 1) then; a>; a(2) = 3; >a; end if",
    "if (a(1) > 0) print *, a(2)": "a>; if (a(1) > 0) print *, a(2)",
    "if (k == 1) k = 2": "if (k == 1) k = 2",
    "if (k == 1) then\n print *, a\n else\n b(1) = 2\n end if": (
        "if (k == 1) then; a>; print *, a; else; b>; b(1) = 2; >b; end if"
    ),
    "if (k == 1) then\n a(1) = 2\n a(2) = 3\n end if": "if (k == 1) then; a>; a(1) = 2; a(2) = 3; >a; end if",
    "if (k == 1) then\n k = 2\n if (k == 3) print *, a\n end if": (
        "if (k == 1) then; k = 2; if (k == 3) then; a>; print *, a; end if; end if"
    ),
    "if (k == 1) then\n a(2) = 2\n if (k == 3) print *, a, b\n end if": (
        "if (k == 1) then; a>; a(2) = 2; if (k == 3) then; b>; print *, a, b; end if; >a; end if"
    ),
    "select case (k)\n case (1)\n print *, a\n case default\n print *, b\n end select": (
        "select case (k); case (1); a>; print *, a; case default; b>; print *, b; end select"
    ),
    "do k = 1, 3\n if (k == 2) print *, a\n end do": "a>; do k = 1, 3; if (k == 2) print *, a; end do",
    "if (k == 1) then\n do i = 1, 3\n print *, a(i)\n end do\n end if": (
        "if (k == 1) then; a>; do i = 1, 3; print *, a(i); end do; end if"
    ),
}
KERNELS = """\
module m
  implicit none
contains
  subroutine run(n, k, a, b)
    integer, intent(in) :: n
    integer, intent(inout) :: k
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    a(i) = b(i)
    b(i) = b(i) + 1
    @end parallelRegion
    k = k + 1
    STATEMENT
    k = k + 2
  end subroutine run
end module m
"""


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("statement", PLACES)
def test_places(statement: str, backend: str) -> None:
    text = translate_text(KERNELS.replace("STATEMENT", statement), target="gpu", backend=backend).require().text
    to_host, to_device = COPIES.get(backend, ("call hf_update_host", "call hf_update_device"))
    found = []
    for line in text.split("k = k + 1\n")[1].split("    k = k + 2")[0].splitlines():
        words = " ".join(line.split())
        array = words.partition("(")[2][:1]
        found.append(f"{array}>" if to_host in words else f">{array}" if to_device in words else words)
    assert "; ".join(found) == PLACES[statement]
