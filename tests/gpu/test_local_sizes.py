"""Local arrays of run-time size in routines that kernels call: their sizes in words of the kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import CUDA_C, CUDA_FORTRAN, Batch, Case, Corpus, Pair, pair, translate_text

# The callee's `n` and `m` are the caller's `m` and `n`.
TEXT = """module {name}
  implicit none
contains
  subroutine point({dummies}, i, r)
    integer, intent(in) :: {dummies}, i
    real(8), intent(out) :: r
    real(8) :: w({size})
    integer :: l
    do l = 1, size(w)
      w(l) = i + 0.5d0*l
    end do
    r = sum(w) + size(w)
  end subroutine point
{middle}
  subroutine work(n, m, r)
    integer, intent(in) :: n, m
    real(8), intent(out) :: r(n)
    integer :: i
    {open}
    call {call}
    {close}
  end subroutine work
  subroutine run()
    real(8) :: r(5)
    call work(5, 3, r)
    print *, r
  end subroutine run
end module {name}
"""
MIDDLE = """
  subroutine through(m, n, i, r)
    integer, intent(in) :: m, n, i
    real(8), intent(out) :: r
    call point(n, m, i, r)
  end subroutine through
"""
# What the callee's array has elements, with the sizes 5 and 3 that the program works with.
ELEMENTS = {"swapped": 53, "upper": 53, "expressions": 14, "twice": 22, "levels": 53, "parts_of_names": 16}
CASES = {
    "swapped": ("n, m", "n + 10*m", "point(m, n, i, r(i))", ""),
    "upper": ("n, m", "M*10 + N", "point(m, n, i, r(i))", ""),
    "expressions": ("n, m", "2*n - m", "point(m + n, n - m, i, r(i))", ""),
    "twice": ("n, m", "m*m - n", "point(m, n, i, r(i))", ""),
    "levels": ("n, m", "n + 10*m", "through(n, m, i, r(i))", MIDDLE),
    "parts_of_names": ("n, nn", "n*nn + 1", "point(m, n, i, r(i))", ""),
}


def _pairs() -> Iterator[Pair]:
    for name, (dummies, size, call, middle) in CASES.items():
        words = {"name": name, "dummies": dummies, "size": size, "call": call, "middle": middle}
        region = TEXT.format(open="@parallelRegion{domName(i), domSize(n)}", close="@end parallelRegion", **words)
        yield pair(name, region, TEXT.format(open="do i = 1, n", close="end do", **words))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    pairs = list(_pairs())
    return Corpus(pairs, tmp_path_factory.mktemp("sizes"), {p.name: (CUDA_C, CUDA_FORTRAN) for p in pairs})


@pytest.mark.parametrize("name", CASES)
def test_sizes(name: str, corpus: Corpus) -> None:
    corpus.check(name)


@pytest.mark.parametrize("name", CASES)
def test_the_launcher_takes_memory_for_what_the_routine_declares(name: str, corpus: Corpus) -> None:
    """Neighbouring threads would share memory otherwise, which a run in the order of the threads does not show."""
    text = corpus.translation(name, CUDA_FORTRAN).require().text
    size = re.search(r"w_of_point_shape = \[hf_extent\(1, (.*)\), hf_threads\]", text)
    assert size is not None
    assert eval(size[1], {}, {"n": 5, "m": 3}) == ELEMENTS[name]


# A local array has the size that it was given at the beginning of the routine.
CHANGED = """module m
  implicit none
  integer :: many = 6
contains
  subroutine step(n, x)
    integer, intent(inout) :: n
    real(8), intent(inout) :: x(4)
    real(8) :: w(SIZE)
    integer :: i, k, last
    last = n
    BEFORE
    @parallelRegion{domName(i), domSize(4)}
    do k = 1, last
      w(k) = x(i) + k
    end do
    x(i) = w(last) + n
    @end parallelRegion
    BEHIND
  end subroutine step
  subroutine shrink(n)
    integer, intent(inout) :: n
    n = 2
  end subroutine shrink
  subroutine fewer()
    many = 2
  end subroutine fewer
end module m
"""


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
@pytest.mark.parametrize(
    ("size", "before", "behind"),
    [
        ("n", "n = 2", ""),
        ("2*n", "call shrink(n)", ""),
        ("max(N,1)", "N = 2", ""),
        ("many", "many = 2", ""),
        ("many", "call fewer()", ""),
    ],
)
def test_sizes_that_change_are_those_of_the_beginning(size: str, before: str, behind: str, backend: str) -> None:
    text = CHANGED.replace("SIZE", size).replace("BEFORE", before).replace("BEHIND", behind)
    done = translate_text(text, target="gpu", backend=backend)
    assert "ubound(w, 1)" in done.require().text


@pytest.mark.parametrize("size", ["n", "many", "max(n,1)", "2*n"])
def test_sizes_that_do_not_change_are_kept(size: str) -> None:
    text = (
        CHANGED.replace("SIZE", size)
        .replace("BEFORE", "")
        .replace("BEHIND", "")
        .replace("intent(inout) :: n", "intent(in) :: n", 1)
    )
    assert not translate_text(text, target="gpu", backend="cuda-c").errors


MANY = """module many
  implicit none
contains
  subroutine fill(n, m, r)
    integer, intent(in) :: n, m
    real(8), intent(out) :: r(n,n)
    real(8) :: w(-1:m)
    integer :: i, j, l
    {open}
    do l = -1, m
      w(l) = i*0.5d0 + j*l
    end do
    r(i,j) = w(m) - w(-1) + sum(w(0:1))
    if (mod(i, 7) == 0) @exit
    r(i,j) = r(i,j) + 1
    {close}
  end subroutine fill
  subroutine run()
    real(8) :: r(401,401)
    call fill(401, 3, r)
    print *, r(1:401:50,1:401:50), sum(r)
  end subroutine run
end module many
"""


def test_workspaces_are_as_large_as_the_threads_that_run(tmp_path: Path) -> None:
    """More points than threads: each thread uses its part of the workspace for one point after the other."""
    opened = "@parallelRegion{domName(i,j), domSize(n,n), private(w)}"
    kernels = translate_text(
        {"many.h90": MANY.format(open=opened, close="@end parallelRegion")}, target="gpu", backend="cuda-c"
    ).require()
    text = kernels.files["many.cu"]
    assert "hf_walking_grid(hf_count(n) * hf_count(n))" in text
    assert "HF_BLOCK(64)" in text and "hf_blocks_are<int, 64, 1, 1>();" in text
    loops = "do j = 1, n\ndo i = 1, n"
    plain = MANY.format(open=loops, close="end do\nend do").replace("@exit", "cycle")
    printed = []
    for name, files in (("plain", {"many.f90": plain}), ("kernels", kernels.files)):
        batch = Batch([Case("many", files, "many")], tmp_path / name)
        printed.append(batch.output("many"))
    assert printed[0] == printed[1] and printed[0].strip()


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl"])
@pytest.mark.parametrize("kind", ["real(8)", "integer"])
def test_sizes_that_no_one_knows_before_the_kernel(kind: str, backend: str) -> None:
    """Refused, whatever else is said of the size: a real number is none."""
    text = TEXT.format(
        name="m", dummies="x", size="x", middle="", open="!@parallelRegion\ndo i = 1, n", close="end do", call="CALL"
    )
    text = text.replace("integer, intent(in) :: x, i", f"{kind}, intent(in) :: x\n    integer, intent(in) :: i")
    text = text.replace("call CALL", f"call point({'r(i)' if kind == 'real(8)' else 'mod(i, 3)'}, i, r(i))")
    done = translate_text({"m.f90": text}, target="gpu", backend=backend)
    assert [d.code for d in done.errors] == ["HF702"], done.diagnostics


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
@pytest.mark.parametrize("declared", ["integer :: levels(3) = 5", "integer, allocatable :: levels(:)"])
def test_sizes_that_are_elements_are_refused_as_what_they_are(declared: str, backend: str) -> None:
    """An allocatable array was called an intrinsic."""
    text = TEXT.format(
        name="m",
        dummies="x",
        size="levels(2)",
        middle="",
        open="!@parallelRegion\ndo i = 1, n",
        close="end do",
        call="point(3, i, r(i))",
    )
    text = text.replace("contains", f"{declared}\ncontains", 1)
    (found,) = translate_text({"m.f90": text}, target="gpu", backend=backend).errors
    assert "size" in found.message and "intrinsic" not in found.message and "as an argument" in found.hint


@pytest.mark.parametrize("backend", ["cuda-c", "hip", "opencl", "cuda-fortran"])
def test_expressions_as_arguments_whose_size_goes_with_the_point(backend: str) -> None:
    """The message named a variable of hfpy's, and a cause that was none."""
    text = """module m
  implicit none
contains
  real(8) function total(x)
    real(8), intent(in) :: x(:)
    total = x(1) + x(size(x))
  end function total
  subroutine work(n, f, s)
    integer, intent(in) :: n
    real(8), intent(in) :: f(n)
    real(8), intent(out) :: s(n)
    integer :: i, low
    !@parallelRegion
    do i = 1, n
      low = max(1, i - 3)
      s(i) = total(f(low:i)*2)
    end do
  end subroutine work
end module m
"""
    found = translate_text({"m.f90": text}, target="gpu", backend=backend).errors
    assert [d.code for d in found] == ["HF702"]
    assert "an expression as an argument, whose size changes" in found[0].message
