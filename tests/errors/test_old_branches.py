"""What is no arithmetic ``if`` and no computed ``goto``, and jumps of them that leave a region: with their places."""

from __future__ import annotations

import pytest

from tests.support import translate_text

FREE = """module m
contains
  subroutine go(n, m, b)
    integer, intent(in) :: n, m
    real, intent(inout) :: b(n,m)
    integer :: i, k
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
    do 30 k = 1, m
      b(i,k) = 3; STATEMENT
10    b(i,k) = 1
20    b(i,k) = 2
30  continue
    end do
    !@end parallelRegion
40  b(1,1) = 2
  end subroutine
end module
"""
FIXED = """      subroutine go(n, b)
      integer n, i
      real b(n)
!@parallelRegion{domName(i), domSize(n)}
      do 100 i = 1, n
      if (b(i))
     &  10, 20,
     & 30
   10 b(i) = 1
   20 b(i) = 2
  100 continue
!@end parallelRegion
   30 continue
      end subroutine
"""
CASES = [
    ("if (b(i,k)) 10, 20", "HF110"),
    ("if (b(i,k)) 10, 20, 30, 30", "HF110"),
    ("if (b(i,k)) 10, n, 30", "HF110"),
    ("go to (10, n), k", "HF110"),
    ("go to n", "HF110"),
    ("if (b(i,k)) 10, 20, 40", "HF405"),
    ("if (b(i,k)) 40, 40, 10", "HF405"),
    ("go to (10, 20, 40), k", "HF405"),
    ("if (k > 1) goto (10, 40) k", "HF405"),
]


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@pytest.mark.parametrize(("statement", "code"), CASES)
def test_place(statement: str, code: str, target: str) -> None:
    done = translate_text({"m.f90": FREE.replace("STATEMENT", statement)}, target=target)
    assert [(d.code, d.place.line, d.place.column) for d in done.errors][:1] == [(code, 10, 19)]


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_place_in_fixed_form(target: str) -> None:
    done = translate_text({"m.f": FIXED}, target=target)
    assert [(d.code, d.place.line, d.place.column) for d in done.errors][:1] == [("HF405", 6, 7)]


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@pytest.mark.parametrize(
    ("jump", "label", "reported"),
    [
        ("if (n > 3) goto 30", "", True),  # the end of an inner loop
        ("go to (30, 40), n", "", True),
        ("if (n - 3) 40, 10, 40", "", True),
        ("if (n > 3) goto 40", "", False),
        ("if (n > 3) goto 50", "50", False),  # the region's first statement
    ],
)
def test_a_jump_into_a_region(jump: str, label: str, reported: bool, target: str) -> None:
    text = (
        FREE.replace("STATEMENT", "k = k")
        .replace("!@par", f"{jump}\n    !@par", 1)
        .replace("do i =", f"{label} do i =")
    )
    found = [d for d in translate_text({"m.f90": text}, target=target).errors if d.code == "HF405"]
    assert [d.place.line for d in found] == [7] * reported
    assert not reported or found[0].related[0].place.line == 8


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_a_jump_to_the_loop_of_the_region_leaves_it(target: str) -> None:
    text = FREE.replace("STATEMENT", "if (b(i,k) > 2) goto 50").replace("do i =", "50 do i =")
    done = translate_text({"m.f90": text}, target=target)
    assert [(d.code, d.place.line) for d in done.errors] == [("HF405", 10)]
