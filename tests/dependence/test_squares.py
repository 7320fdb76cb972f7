"""Indices with squares, such as those of the rows of a triangle: loops over rows are parallel where no two rows have an
element in common. Python says which do.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import write_files

TEXT = """subroutine rows(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(-200:200)
  real(8), intent(in) :: b(-200:200)
  integer :: i, j
  do i = {rows}
    do j = {columns}
      a({index}) = sqrt(b(i) + j) + exp(b(j))
    end do
  end do
end subroutine rows
"""
CASES = [  # rows, columns, index, whether hfpy finds out that rows are apart
    ("0, n", "-i, i", "i*i + i + 1 + j", True),
    ("0, n", "-i, i + 1", "i*i + i + 1 + j", False),
    ("0, n", "-i - 1, i", "i*i + i + 1 + j", False),
    ("0, n", "-i, i", "i*(i + 1) + j", True),
    ("0, n", "0, 2*i", "i**2 + j", True),
    ("0, n", "0, 2*i + 1", "i**2 + j", False),
    ("-n, n", "0, 0", "i*i", False),
    ("-n, 0", "0, -2*i - 2", "i*i - j", True),
    ("-n, 0", "0, -2*i", "i*i - j", False),
    ("1, n", "1, i", "i*(i - 1)/2 + j", True),
    ("1, n", "0, i", "i*(i - 1)/2 + j", False),
    ("1, n", "1, i", "(i - 1)*i/2 - j", False),
    ("n, 1, -1", "1, i", "i*(i - 1)/2 + j", True),
    ("0, n", "0, i", "i*(i + 1)/2 + j", True),
    ("0, n, 2", "0, 2*i + 2", "i*(i + 1)/2 + j", False),  # what is known of neighbours is too little
    ("0, n, 2", "0, i", "i*(i + 1)/2 + j", True),
    ("0, n", "i, 2*i", "j + i*i/2", True),
    ("0, n", "0, i - 1", "-i*i + j", True),
    ("0, n", "0, i", "2*i*i - 3*i + j", False),
    ("2, n", "0, i", "2*i*i - 3*i + j", True),
    ("0, n", "0, i", "3 - i*i - j", True),
    ("1, n", "0, 2*i - 2", "-i*i + j", True),
    ("1, n", "0, 2*i - 1", "-i*i + j", False),
]


def counted(bounds: str, names: dict[str, int]) -> range:
    """The turns of a loop."""
    first, last, step = (eval(part, dict(names)) for part in (bounds + ", 1").split(", ")[:3])
    return range(first, last + (1 if step > 0 else -1), step)


def apart(rows: str, columns: str, index: str, n: int) -> bool:
    """Whether no element is in two rows."""
    text = index.replace("/2", "//2")
    touched = [
        {eval(text, {"i": i, "j": j, "n": n}) for j in counted(columns, {"i": i, "n": n})}
        for i in counted(rows, {"n": n})
    ]
    return all(one.isdisjoint(other) for one, other in combinations(touched, 2))


@pytest.mark.parametrize(("rows", "columns", "index", "known"), CASES)
def test_rows_with_squares(rows: str, columns: str, index: str, known: bool, tmp_path: Path) -> None:
    text = TEXT.format(rows=rows, columns=columns, index=index)
    made = found_regions(write_files({"rows.f90": text}, tmp_path), Options(target="gpu", backend="cuda-c"))
    (verdict,) = (v for v in made.verdicts if v.place.line == 7)
    assert not known or all(apart(rows, columns, index, n) for n in range(10)), "Python finds otherwise"
    assert (verdict.iterators[:1] == ("i",)) == known, verdict.why
