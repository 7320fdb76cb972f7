"""Dummies declared as ``a(1)`` or ``a(n,1)`` and indexed beyond: their size is not known, as with ``*``."""

import pytest

from tests.support import translate_text

SOURCE = """      subroutine s(n, m, a, w)
      integer n, m, i, j
      real*8 a(n,LAST), w(n)
      BEFORE
c@parallelRegion
      do j = 1, m
      do i = 1, n
      TEXT
      end do
      end do
      end subroutine
      subroutine reset(a, n)
      integer n
      real*8 a(n)
      a(1) = 0
      end subroutine
"""


def codes(last: str, text: str, before: str = "continue", backend: str = "cuda-c") -> list[str]:
    """The codes of what is wrong with a region that has ``text``."""
    source = SOURCE.replace("LAST", last).replace("TEXT", text).replace("BEFORE", before)
    done = translate_text({"s.f": source}, target="gpu", backend=backend)
    assert all("'a'" in d.message for d in done.errors if d.code in ("HF603", "HF702"))
    return done.codes()


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl", "openacc", "openmp-target"])
@pytest.mark.parametrize("last", ["1", "1:1", "*"])
def test_sizes_that_are_not_known(last: str, backend: str) -> None:
    """The device needs as much of the array as the region certainly uses."""
    assert not codes(last, "a(i,j) = a(i,j) + w(i)", backend=backend)
    assert not codes(last, "a(i,j) = 1", "call reset(a(1,2), n)", backend=backend)
    assert codes(last, "w(i) = w(i)\n      if (w(i).gt.1) a(i,j) = 2", backend=backend).count("HF702") == 1


@pytest.mark.parametrize("last", ["2", "m", "2:1", "0:1", "n/n"])
def test_sizes_that_are_known(last: str) -> None:
    assert not codes(last, "a(i,j) = i")


def test_sizes_of_one() -> None:
    """What is never indexed beyond 1, and not passed on, has this size."""
    assert not codes("1", "if (j.eq.1) a(i,1) = i")


def test_names_with_blanks() -> None:
    """In fixed form blanks within a name mean nothing."""
    source = """      subroutine s(n, a)
      parameter (er 1 = 0.5, e r2 = 3)
      real*8 a(n)
c@parallelRegion
      do i = 1, n
      a(i) = er1 + er2
      end do
      end subroutine
"""
    text = translate_text({"s.f": source}, backend="openmp").require().text
    assert "shared(a, n)" in text
