"""Which operators a reduction can have that nobody names: an assignment of a variable to itself fits all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import write_files

TEXT = """module m
  implicit none
contains
  subroutine s(a, words, got)
    real(8), intent(inout) :: a(40000)
    character(3), intent(in) :: words(40000)
    DECLARED, intent(inout) :: got
    integer :: i
    do i = 1, 40000
      got = VALUE
      a(i) = a(i) + 1
    end do
  end subroutine s
end module m
"""


@pytest.mark.parametrize(
    ("declared", "value", "operator"),
    [
        ("logical", "got", ".and."),
        ("logical(1)", "got .neqv. a(i) > 2", ".neqv."),
        ("double precision", "got", "+"),
        ("complex(8)", "got*a(i)", "*"),
        ("integer", "ior(got, i)", "ior"),
        ("double precision", "dmax1(got, a(i))", "max"),
        ("double precision", "amax1(got, a(i))", ""),  # each update rounds what it was before
        ("real", "amin1(got, real(a(i)))", "min"),
        ("real", "max1(got, real(a(i)))", ""),
        ("integer", "max0(got, i)", "max"),
        ("integer", "got + isign(max1(a(i), 0.5d0), i - 7)", "+"),
        ("integer", "got + amax0(i, 2)", ""),
        ("integer(8)", "min0(got, int(i, 8))", ""),
        ("character(3)", "got", ""),
        ("character(3)", "max(got, words(i))", ""),
    ],
)
def test_the_type_decides(tmp_path: Path, declared: str, value: str, operator: str) -> None:
    """Sums of logicals, and sums and maxima of texts, did not compile."""
    (path,) = write_files({"m.f90": TEXT.replace("DECLARED", declared).replace("VALUE", value)}, tmp_path)
    (verdict,) = found_regions([path], Options()).verdicts
    assert [r.op for r in verdict.reductions] == ([operator] if operator else [])
