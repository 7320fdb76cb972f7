"""Variables of modules without source: points share what a region sets of them, and nothing is known of it."""

from __future__ import annotations

import pytest

from tests.support import translate_text

TEXT = """program strange
  USED
  integer, parameter :: n = 3000
  real(8) :: a(n)
  integer :: i
  a = 1
  DIRECTIVE
  do i = 1, n
    BODY
  end do
  print *, sum(a)
end program strange
"""
USED = ("use opaque, only: total, kk, arr, obj", "use opaque", "use opaque\n  implicit none")
# A body, and what it gets: an error where all points set the same, a warning where an index may keep them apart.
SET = {
    "recurrence": ("total = total*0.5d0 + a(i)\na(i) = total", "HF504"),
    "sum": ("total = total + a(i)", "HF504"),
    "index": ("kk = i\na(i) = kk", "HF504"),
    "array": ("arr(i) = arr(i-1) + a(i)", "HF500"),
    "object": ("obj%x(i) = obj%x(i-1) + a(i)", "HF500"),
}


def _text(used: str, body: str, directive: str) -> str:
    return TEXT.replace("USED", used).replace("BODY", body).replace("DIRECTIVE", directive)


@pytest.mark.parametrize("used", USED, ids=["by name", "all", "all, typed"])
@pytest.mark.parametrize("kind", SET)
def test_a_region_that_sets_one_is_told(kind: str, used: str) -> None:
    body, code = SET[kind]
    done = translate_text({"m.f90": _text(used, body, "!@parallelRegion")}, backend="openmp")
    assert code in done.codes("error" if code == "HF504" else "warning"), done.text


@pytest.mark.parametrize("used", USED, ids=["by name", "all", "all, typed"])
@pytest.mark.parametrize("kind", SET)
def test_no_loop_that_sets_one_is_found_parallel(kind: str, used: str) -> None:
    text = _text(used, SET[kind][0], "").replace("  a = 1\n", "")
    done = translate_text({"m.f90": text}, backend="openmp", auto=True).require()
    assert "!$omp" not in done.text


def test_what_is_stated_is_believed() -> None:
    text = _text(USED[0], "arr(i) = a(i)", "!@parallelRegion{independent(arr)}")
    assert not translate_text({"m.f90": text}, backend="openmp").diagnostics


def test_a_region_that_reads_one_is_taken() -> None:
    text = _text(USED[0], "a(i) = a(i) + arr(i)*total", "!@parallelRegion")
    assert "!$omp parallel do" in translate_text({"m.f90": text}, backend="openmp").require().text
