"""Directives of OpenMP and OpenACC that users wrote around or in regions: refused where hfpy writes some, too."""

import pytest

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
