"""Variables that OpenMP makes threadprivate, in regions and in what these call (HF511)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import compile_files, output, translate_text, write_files

TEXT = """module store
  implicit none
  integer, parameter :: n = 9
  real(8) :: w(n), factor, plain
  integer :: count
  common /numbers/ count
  !$omp threadprivate(w, plain_not)
  !$OMP  ThreadPrivate(FACTOR, &
  !$OMP     /numbers/)
contains
  subroutine one(x)
    real(8), intent(inout) :: x
    call two(x)
  end subroutine
  subroutine two(x)
    real(8), intent(inout) :: x
    x = x * factor
  end subroutine
  subroutine sets(x)
    real(8), intent(inout) :: x
    factor = 2
    x = x * factor
  end subroutine
  subroutine three(x)
    real(8), intent(inout) :: x
    real(8) :: rate
    common /rates/ rate
    !$omp threadprivate(/rates/)
    x = x * rate
  end subroutine
  subroutine s(a)
    real(8), intent(inout) :: a(n)
    real(8), save :: kept = 1
    !$omp threadprivate(kept)
    integer :: i
    {directive}
    do i = 1, n
      {body}
    end do
    {behind}
  end subroutine
end module
"""
USES = {
    "an array": ("a(i) = w(i)", "w"),
    "a scalar": ("a(i) = a(i) + factor", "factor"),
    "in a common block": ("a(i) = a(i) + count", "count"),
    "a local": ("a(i) = a(i) + kept", "kept"),
    "by another name": ("associate (v => w)\na(i) = v(i)\nend associate", ""),
    "below": ("call one(a(i))", "factor"),
    "in a common block of a routine below": ("call three(a(i))", "rate"),
}
BY_HAND = "!@parallelRegion"


def reported(body: str, backend: str = "openmp", target: str = "cpu", severity: str = "error") -> list[str]:
    text = TEXT.format(directive=BY_HAND, body=body, behind="")
    done = translate_text({"store.f90": text}, target=target, backend=backend)
    return [d.message for d in done.diagnostics if d.code == "HF511" and d.severity == severity]


@pytest.mark.parametrize("case", USES)
def test_regions_of_openmp_may_not_use_them(case: str) -> None:
    body, name = USES[case]
    messages = reported(body)
    assert messages and all(f"each of which has its own '{name}" in m for m in messages)


def test_one_thread_and_kernels_may() -> None:
    body = USES["an array"][0]
    assert not reported(body, "sequential") and not reported(body, "cuda-c", "gpu")
    assert len(reported(body, "openmp-target", "gpu")) == 1


def test_others_may_be_used() -> None:
    assert not reported("a(i) = plain")


def test_what_a_routine_below_sets_may_be_meant() -> None:
    assert not reported("call sets(a(i))") and len(reported("call sets(a(i))", severity="warning")) == 1


@pytest.mark.parametrize("case", USES)
def test_loops_are_left_alone(case: str, tmp_path: Path) -> None:
    text = TEXT.format(directive="", body=USES[case][0], behind="").replace("n = 9", "n = 99999")
    paths = write_files({"store.f90": text}, tmp_path)
    verdicts = [
        v for v in found_regions(paths, Options(target="cpu", backend="openmp")).verdicts if v.key == "store::s"
    ]
    assert [v.region for v in verdicts] == [False]
    assert "threadprivate" in verdicts[0].why


def test_array_statements_beside_regions_stay() -> None:
    text = TEXT.format(directive=BY_HAND, body="a(i) = i", behind="b = factor\nb = factor + 1\nb = 3")
    text = text.replace("real(8), save :: kept", "real(8) :: b(n,n)\nreal(8), save :: kept").replace("n = 9", "n = 999")
    counts = []
    for shown in (text, text.replace("!$omp", "!").replace("!$OMP", "!")):
        made = translate_text({"store.f90": shown}, auto=True, backend="openmp")
        assert not made.errors
        counts.append(made.text.count("!$omp do") + made.text.count("!$omp parallel do"))
    assert counts == [2, 4]


CALLED_BY_THREADS = """module store
  implicit none
  integer, parameter :: n = 400
  real(8) :: w(n), factor
  !$omp threadprivate(w, factor)
contains
  subroutine all_of(a, m)
    integer, intent(in) :: m
    real(8), intent(inout) :: a(n,m)
    integer :: k
    !$omp parallel do
    do k = 1, m
      factor = k
      w = 0.5d0*k
      call column(a(:,k))
    end do
    !$omp end parallel do
  end subroutine
  subroutine column(a)
    real(8), intent(inout) :: a(n)
    integer :: i
    !@parallelRegion
    do i = 1, n
      a(i) = a(i)*factor + w(i)
    end do
  end subroutine
end module
program main
  use store
  real(8) :: a(n,23)
  a = 1.5d0
  call all_of(a, 23)
  print '(6es24.16)', sum(a, 1)
end program
"""


def test_a_routine_that_threads_call_may_do_its_regions_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether regions in a parallel loop of the user's get threads of their own is settled when the program runs."""
    files = {"store.f90": CALLED_BY_THREADS}
    reported = translate_text(files, exports=None, backend="openmp").errors
    assert {d.code for d in reported} == {"HF511"} and all("--routine column=sequential" in d.hint for d in reported)
    expected = output(compile_files(files, tmp_path / "plain"))
    done = translate_text(files, exports=None, backend="openmp", routines={"column": "sequential"}).require()
    built = compile_files(dict(done.files), tmp_path / "made", openmp=True)
    for levels in ("1", "3"):
        monkeypatch.setenv("OMP_MAX_ACTIVE_LEVELS", levels)
        assert [output(built, threads=threads) for threads in (1, 3)] == [expected] * 2


BROUGHT = """module store
  implicit none
  integer, parameter :: n = 99
  real(8) :: w(n,n), plain(n,n)
  !$omp threadprivate(w)
end module store
subroutine step(a, b)
  use store, only: n
  implicit none
  real(8), intent(inout) :: a(n,n), b(n,n)
  integer :: i, j
  @parallelRegion{domName(i,j), domSize(n,n)}
  a(i,j) = a(i,j) + i
  b(i,j) = b(i,j) + a(i,j)
  @end parallelRegion
end subroutine step
subroutine steps()
  use store
  implicit none
  integer :: t
LISTED
  do t = 1, 3
    call step(w, plain)
  end do
end subroutine steps
"""


@pytest.mark.parametrize(("backend", "count"), [("openmp-target", 1), ("openacc", 0), ("cuda-c", 0)])
def test_directives_cannot_bring_them_to_a_gpu(backend: str, count: int) -> None:
    listed = "  @domainDependant{attribute(transferHere)}\n  w\n  plain\n  @end domainDependant"
    made = translate_text({"step.h90": BROUGHT.replace("LISTED", listed)}, backend=backend, target="gpu")
    assert [d.message for d in made.errors if d.code == "HF511" and "'w'" in d.message] == [
        "each thread has its own 'w' (threadprivate), which directives cannot bring to a GPU"
    ] * count
    assert len(made.errors) == count


def test_others_are_brought_to_a_gpu() -> None:
    text = BROUGHT.replace("LISTED\n", "")
    text = text.replace("  @parallelRegion{domName(i,j), domSize(n,n)}\n", "  do j = 1, n\n  do i = 1, n\n")
    text = text.replace("  @end parallelRegion\n", "  end do\n  end do\n")
    made = translate_text({"step.f90": text}, auto=True, backend="openmp-target", target="gpu")
    assert not made.errors
    assert "map(to: plain)" in made.text and "map(to: w)" not in made.text
