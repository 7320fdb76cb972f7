"""Statements that old programs have: ``pause``, and ``endfile`` in two words."""

from __future__ import annotations

import pytest

from tests.support import translate_text

SOURCE = """      subroutine s(n, a, k)
      integer n, k, i, ios
      real a(n)
      ios = 3
      STATEMENT
      if (k .eq. 0) STATEMENT
      do 10 i = 1, n
        a(i) = a(i) + ios
   10 continue
      end
"""


def made(statement: str, **options: object) -> tuple[list[str], str]:
    done = translate_text({"s.f": SOURCE.replace("STATEMENT", statement)}, exports=None, auto=True, **options)
    return [d.code for d in done.diagnostics], done.require().text


@pytest.mark.parametrize(
    "statement", ["pause", "pause 7", "pause 'A text, ('", "end file 10", "endfile 10", "end file (k)"]
)
def test_they_are_understood(statement: str) -> None:
    codes, text = made(statement, backend="openmp")
    assert "HF110" not in codes
    assert "!$omp parallel do" in text or "c$omp parallel do" in text.lower()


STATUS = """      subroutine s(n, a, b)
      integer n, i, ios(2)
      real a(n), b(n)
      do 10 i = 1, 2
        ios(i) = i
   10 continue
      STATEMENT
      do 20 i = 1, n
        a(i) = b(i) + ios(2)
   20 continue
      end
"""


@pytest.mark.parametrize("statement", ["endfile (10, iostat=ios(2))", "end file (unit=10, iostat=ios(2))"])
def test_what_endfile_sets_goes_to_the_device(statement: str) -> None:
    """The kernel got the old value."""
    source = STATUS.replace("STATEMENT", statement)
    done = translate_text({"s.f": source}, exports=None, auto=True, target="gpu", backend="cuda-c").require()
    behind = done.text.split(statement)[1]
    assert "hf_update_device(ios" in behind.split("call hfl1_s")[0]
