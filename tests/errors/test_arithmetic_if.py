"""The error for an arithmetic ``if`` stands at the statement, in each form, wherever it is."""

from __future__ import annotations

import pytest

from tests.support import translate_text

FREE = """module m
contains
  subroutine before(n, a)
    integer, intent(in) :: n
    real, intent(inout) :: a(n,n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        a(i,j) = 2*a(i,j)
      end do
    end do
  end subroutine
  subroutine go(n, m, b)
    integer, intent(in) :: n, m
    real, intent(inout) :: b(n,m)
    integer :: i, k
    if (n - m) 1, 2, &
      & 2
1   b(1,1) = 2
2   continue
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
    do 30 k = 1, m
      b(i,k) = 3; if (b(i,k)) 10, 20, 30
10    b(i,k) = 1
20    b(i,k) = 2
30  continue
    end do
    !@end parallelRegion
  end subroutine
end module
"""
FIXED = """      subroutine go(n, b)
      integer n, i
      real b(n)
      if (n
     &  - 3) 40,
     & 50, 50
   40 b(1) = 1
   50 continue
!@parallelRegion{domName(i), domSize(n)}
      do 100 i = 1, n
      if (b(i)) 10, 20, 30
   10 b(i) = 1
   20 b(i) = 2
   30 continue
  100 continue
!@end parallelRegion
      end subroutine
"""


@pytest.mark.parametrize("auto", [False, True])
@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_place(target: str, auto: bool) -> None:
    done = translate_text({"m.f90": FREE}, target=target, auto=auto)
    assert [(d.code, d.place.line, d.place.column) for d in done.errors] == [("HF110", 17, 5), ("HF110", 24, 19)]
    texts = [FREE.splitlines()[d.place.line - 1] for d in done.errors]
    shown = [text[d.place.column - 1 :][: d.place.length] for text, d in zip(texts, done.errors, strict=True)]
    assert shown[0].startswith("if (n - m) 1, 2") and shown[1] == "if (b(i,k)) 10, 20, 30"
    assert all("if (x < 0) then" in d.hint for d in done.errors)


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_place_in_fixed_form(target: str) -> None:
    done = translate_text({"m.f": FIXED}, target=target)
    assert [(d.code, d.place.line, d.place.column) for d in done.errors] == [("HF110", 4, 7), ("HF110", 11, 7)]
