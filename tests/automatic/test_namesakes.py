"""Loops whose statements look like updates by intrinsic functions, but call functions of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_verdicts import VARIANTS
from tests.support import Corpus, Pair, Variant, write_files

N = 40000
SOURCE = f"""module old
  implicit none
contains
  pure real(8) function max(a, b)
    real(8), intent(in) :: a, b
    max = a*0.5d0 + b
  end function max
  pure integer function iand(a, b)
    integer, intent(in) :: a, b
    iand = mod(3*a - b, 1009)
  end function iand
  pure real(8) function digits(x)
    real(8), intent(in) :: x
    digits = x*0.75d0
  end function digits
  subroutine run
    real(8) :: a({N}), s, most
    integer :: k, i
    do i = 1, {N}
      a(i) = mod(7*i, 11)*1.5d0
    end do
    s = 0
    do i = 1, {N}
      s = max(s, a(i))
    end do
    k = 1
    do i = 1, {N}
      k = iand(k, int(a(i)))
    end do
    do i = 2, {N}
      a(i) = a(i) + digits(a(i-1))
    end do
    most = 0
    do i = 1, {N}
      if (a(i) > most) most = a(i)
    end do
    print '(2f16.8,i8,f16.8)', s, most, k, sum(a)
  end subroutine run
end module old
"""


FILES = {"old.f90": SOURCE}


@pytest.mark.parametrize(("target", "backend"), [("cpu", "openmp"), ("gpu", "cuda-c")])
def test_they_are_serial(target: str, backend: str, tmp_path: Path) -> None:
    """Also the loop with an ``if``, whose reduction would need the intrinsic ``max``."""
    found = found_regions(write_files(FILES, tmp_path), Options(target=target, backend=backend))
    first = SOURCE.splitlines().index(f"    do i = 1, {N}") + 1
    assert [v.place.line for v in found.verdicts if v.region] == [first]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_the_program_is_the_plain_one(variant: Variant, tmp_path: Path) -> None:
    corpus = Corpus([Pair("old", FILES, FILES, "old")], tmp_path, {"old": (variant,)})
    corpus.check_one("old", variant)
