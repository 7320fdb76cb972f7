"""Directives of OpenMP and OpenACC that users wrote around or in regions: refused where hfpy writes some, too."""

import pytest

from hfpy.options import directives_of
from tests.support import translate_text

SOURCE = """subroutine s(nx, ny, a, total)
  integer, intent(in) :: nx, ny
  real, intent(inout) :: a(nx,ny), total
  integer :: i, j
  {before}
  !@parallelRegion{{domName(i,j), domSize(nx,ny)}}
  do j = 1, ny
    do i = 1, nx
      {within}
      a(i,j) = 2 * a(i,j)
    end do
  end do
  !@end parallelRegion
  {after}
end subroutine s
"""

REFUSED = {
    "right before": ("!$omp parallel do private(i)", ""),
    "before, with a comment between": ("!$OMP PARALLEL DO &\n  !$omp& private(i)\n  ! the loop", ""),
    "an open region": ("!$omp parallel\n  total = 0", ""),
    "an open single": ("!$omp parallel\n  a = 1\n  !$omp end parallel\n  !$omp single\n  total = 1", ""),
    "within": ("", "!$omp parallel do"),
}
ACCEPTED = {
    "closed before": ("!$omp parallel\n  total = 0\n  !$omp end parallel", ""),
    "a loop of its own before": (
        "!$omp parallel do\n  do i = 1, nx\n    a(i,1) = 0\n  end do\n  !$omp end parallel do",
        "",
    ),
    "atomic within": ("", "!$omp atomic"),
    "for another model": ("!$acc parallel loop", ""),
    "conditional compilation": ("!$ total = 1", ""),
}


def codes(case: tuple[str, str], backend: str, target: str = "cpu") -> list[str]:
    source = SOURCE.format(before=case[0], within=case[1], after="")
    return translate_text({"s.f90": source}, backend=backend, target=target).codes()


@pytest.mark.parametrize("name", REFUSED)
def test_refused_where_hfpy_writes_directives(name: str) -> None:
    assert codes(REFUSED[name], "openmp") == ["HF216"]
    assert codes(REFUSED[name], "sequential") == []
    assert codes(REFUSED[name], "cuda-c", "gpu") == []


@pytest.mark.parametrize("name", ACCEPTED)
def test_left_alone(name: str) -> None:
    assert codes(ACCEPTED[name], "openmp") == []


def test_openacc() -> None:
    case = ("!$acc kernels", "")
    assert codes(case, "openacc", "gpu") == ["HF216"]
    assert codes(case, "openmp") == []
    assert codes(("!$acc data copy(a)", ""), "openacc", "gpu") == []


REGION = """  !@parallelRegion{domName(i,j), domSize(nx,ny)}
  do j = 1, ny
    do i = 1, nx
      a(i,j) = 2 * a(i,j)
    end do
  end do
  !@end parallelRegion"""
EVERY_THREAD = {
    "an open region": "!$omp parallel\nREGION\n!$omp end parallel",
    "with clauses": "!$OMP PARALLEL default(shared) &\n!$omp& private(n)\nREGION\n!$OMP END PARALLEL",
    "among other things": "!$omp parallel\n!$omp single\ntotal = 1\n!$omp end single\nREGION\n!$omp end parallel",
    "in a loop of each thread": "!$omp parallel\ndo n = 1, 3\nREGION\nend do\n!$omp end parallel",
    "in a critical section": "!$omp parallel\n!$omp critical\nREGION\n!$omp end critical\n!$omp end parallel",
    "in a condition": "!$omp parallel\nif (total > 0) then\nREGION\nend if\n!$omp end parallel",
}
BY_ONE = {
    "by one thread": "!$omp parallel\n!$omp single\nREGION\n!$omp end single\n!$omp end parallel",
    "a loop around it": "!$omp parallel do\ndo n = 1, 3\nREGION\nend do\n!$omp end parallel do",
    "a shared loop around it": "!$omp parallel\n!$omp do\ndo n = 1, 3\nREGION\nend do\n!$omp end parallel",
    "closed before": "!$omp parallel\ntotal = 1\n!$omp end parallel\nREGION",
}


def heeded(text: str, backend: str, directives: tuple[str, ...], **options: object) -> list[str]:
    source = "\n".join(
        [
            "subroutine s(nx, ny, a, total)",
            "  integer, intent(in) :: nx, ny",
            "  real, intent(inout) :: a(nx,ny), total",
            "  integer :: i, j, n",
            text.replace("REGION", REGION),
            "end subroutine s",
            "",
        ]
    )
    target = "cpu" if backend == "sequential" else "gpu"
    done = translate_text({"s.f90": source}, backend=backend, target=target, directives=directives, **options)
    return done.codes()


@pytest.mark.parametrize("backend", ["sequential", "cuda-c", "cuda-fortran"])
@pytest.mark.parametrize("name", EVERY_THREAD)
def test_a_region_that_every_thread_would_do(name: str, backend: str) -> None:
    """S15: refused if the compiler heeds the directive."""
    assert heeded(EVERY_THREAD[name], backend, ("omp",)) == ["HF216"]
    assert heeded(EVERY_THREAD[name], backend, ()) == []
    assert heeded(EVERY_THREAD[name], backend, ("acc",)) == []


@pytest.mark.parametrize("backend", ["sequential", "cuda-c"])
@pytest.mark.parametrize("name", BY_ONE)
def test_a_region_that_is_done_once(name: str, backend: str) -> None:
    assert heeded(BY_ONE[name], backend, ("omp",)) == []


def test_directives_heeded_for_another_routine() -> None:
    """Where some routine has the backend openmp, all files are compiled with its switch."""
    text = EVERY_THREAD["an open region"]
    assert heeded(text, "sequential", (), routines={"other": "openmp"}) == ["HF216"]


@pytest.mark.parametrize(
    ("flags", "found"),
    [(["-O2"], ()), (["-fopenmp", "-acc=gpu"], ("omp", "acc")), (["-mp"], ("omp",)), (["-fopenacc"], ("acc",))],
)
def test_flags_that_make_compilers_heed(flags: list[str], found: tuple[str, ...]) -> None:
    assert directives_of(flags) == found
