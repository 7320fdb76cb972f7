"""Pointers in two elements of an array of objects, or in two parts of one object, may have one target."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import write_files

FOUND = """
program found
  implicit none
  type holder
    real(8), pointer :: p(:)
  end type holder
  type two
    type(holder) :: first, second
  end type two
  type(holder) :: several(2)
  type(two) :: both
  real(8), target :: c(9000)
  integer :: i
  several(1)%p => c
  several(2)%p => c
  both%first%p => c
  both%second%p => c
  do i = 2, 9000
    {body}
  end do
  print *, c
end program found
"""


@pytest.mark.parametrize(
    "body",
    ["several(1)%p(i) = several(2)%p(i-1)", "both%first%p(i) = both%second%p(i-1)"],
)
def test_loops_stay_serial(body: str, tmp_path: Path) -> None:
    paths = write_files({"found.f90": FOUND.format(body=body)}, tmp_path)
    (verdict,) = found_regions(paths, Options(target="cpu")).verdicts
    assert not verdict.region and "one target" in verdict.why


@pytest.mark.parametrize(
    "body",
    [
        "associate (y => several(1)); c(i) = y%p(i-1); end associate",
        "associate (y => both%first); y%p(i) = c(i-1); end associate",
        "associate (y => both); associate (z => y%first); c(i) = z%p(i-1); end associate; end associate",
    ],
)
def test_a_pointer_behind_another_name_of_an_object(body: str, tmp_path: Path) -> None:
    paths = write_files({"found.f90": FOUND.format(body=body)}, tmp_path)
    (verdict,) = found_regions(paths, Options(target="cpu")).verdicts
    assert not verdict.region and "too little" not in verdict.why


@pytest.mark.parametrize("body", ["several(1)%p(i) = several(1)%p(i) + 1", "both%first%p(i) = both%first%p(i) + 1"])
def test_one_pointer_is_no_obstacle(body: str, tmp_path: Path) -> None:
    paths = write_files({"found.f90": FOUND.format(body=body)}, tmp_path)
    (verdict,) = found_regions(paths, Options(target="cpu")).verdicts
    assert verdict.region, verdict.why
