"""Real literals of more than eight bytes, by kind or with ``q`` before the exponent, which many compilers know."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.model.expressions import Literal
from hfpy.options import Options
from hfpy.parse.expressions.expressions import expression
from hfpy.pipeline import found_regions
from tests.automatic.test_verdicts import VARIANTS
from tests.support import Corpus, Pair, Variant, translate_text, write_files

FIXED = """      subroutine wide(n, a, b)
      integer n, i
      real(8) a(n), b(n)
      real*16 small
      parameter (small = 1.Q-25)
      do 10 i = 1, n
        a(i) = a(i) + 0.5d0*i
   10 continue
      do 20 i = 1, n
        if (a(i) > 1.q0) then
          b(i) = (1Q0 + small) - 1.0 q 0
        end if
   20 continue
      do 30 i = 1, n
        a(i) = a(i) + ((1d0 + 1.q-2 0) - 1d0)*1.q2 0
   30 continue
      end
"""
RUN = """module old
  implicit none
contains
  subroutine run
    real(8) :: a(40000), b(40000)
    a = 0.25d0; b = 0
    call wide(40000, a, b)
    call free(40000, a, b)
    print '(2es24.16)', a(7), b(7), sum(a), sum(b)
  end subroutine run
  subroutine free(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    do i = 1, n
      b(i) = b(i) + real((1 + 1.0e-22_16) - 1, 8)
    end do
    do i = 1, n
      a(i) = a(i) + .5q-3 + 3q-1*i
    end do
  end subroutine free
end module old
"""
FILES = {"wide.f": FIXED, "old.f90": RUN}


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.label != "auto-openacc"], ids=lambda v: v.label)
def test_the_program_is_the_plain_one(variant: Variant, tmp_path: Path) -> None:
    Corpus([Pair("old", FILES, FILES, "old")], tmp_path, {"old": (variant,)}).check_one("old", variant)


def test_loops_with_them_are_regions_for_threads_and_none_for_kernels(tmp_path: Path) -> None:
    paths = write_files(FILES, tmp_path)
    for target, backend, count in (("cpu", "openmp", 5), ("gpu", "cuda-c", 1), ("gpu", "opencl", 1)):
        found = found_regions(paths, Options(target=target, backend=backend))
        assert len([v for v in found.verdicts if v.region]) == count


@pytest.mark.parametrize("literal", ["1.0_16", "1.0_10", "1.q0", "2_16"])
@pytest.mark.parametrize("backend", ["cuda-c", "hip", "opencl"])
def test_kernels_in_c_refuse_them(literal: str, backend: str) -> None:
    text = f"""subroutine s(n, a)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
  !@parallelRegion
  do i = 1, n
    a(i) = (a(i) + {literal}) - a(i)
  end do
end subroutine s
"""
    assert translate_text({"s.f90": text}, target="gpu", backend=backend).codes() == ["HF702"]


@pytest.mark.parametrize("text", ["1.q0", "1Q-5", ".5q+3", "2.5Q10"])
def test_they_are_literals(text: str) -> None:
    found = expression(text)
    assert isinstance(found, Literal)
    assert (found.kind, found.quad, found.double, found.zero) == ("real", True, False, False)
