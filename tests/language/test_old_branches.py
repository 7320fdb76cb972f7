"""Arithmetic ``if`` and computed ``goto`` in routines that a layout reaches: the arrays in them get the new order."""

import pytest

from tests.support import translate_text

MAIN = """program main
  use work_m, only: step
  use old_m, only: old
  implicit none
  real(8) :: a(3,2), t
  integer :: i, j
  do j = 1, 2
    do i = 1, 3
      a(i,j) = 10 * i + j
    end do
  end do
  call step(3, 2, a)
  do i = -1, 3
    t = i
    call old(3, 2, a, t)
    print *, t
  end do
end program main
"""
WORK = """module work_m
  implicit none
contains
  subroutine step(nx, ny, a)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(nx,ny)
    integer :: i, j
    {begin}
      a(i,j) = a(i,j) + 1
    {end}
  end subroutine step
end module work_m
"""
OLD = """module old_m
  implicit none
contains
  subroutine old(nx, ny, a, x)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(nx,ny), x
    IF (a(3,1)*x) 10, 20, 30
10  x = a(1,2)
    go to 40
20  x = 2
30  x = x + 3
40  continue
    goto (50, 60), int(a(3,2)) - 32
    x = x + 100
50  x = x + a(2,1)
60  if (a(2,1) - 22) 70, 70, 80
70  x = x + a(3,1)
80  continue
    if (x > 1) go to (90, 100) nint(a(1,1)) - 10
    return
90  x = 7
100 x = x + 1
  end subroutine old
end module old_m
"""
REGION = {"begin": "@parallelRegion{domName(i,j), domSize(nx,ny)}", "end": "@end parallelRegion"}
LOOPS = {"begin": "do j = 1, ny\n do i = 1, nx", "end": "end do\n end do"}


def test_they_read_the_new_order() -> None:
    hybrid = {"old.f90": OLD, "work.h90": WORK.format(**REGION), "main.f90": MAIN}
    done = translate_text(hybrid, layout="j i", exports=()).require()
    assert "IF (a(1,3)*x) 10, 20, 30" in done.files["old.f90"]
    assert "goto (50, 60), int(a(2,3)) - 32" in done.files["old.f90"]
    assert "if (a(1,2) - 22) 70, 70, 80" in done.files["old.f90"]
    assert "if (x > 1) go to (90, 100) nint(a(1,1)) - 10" in done.files["old.f90"]


@pytest.mark.parametrize("statement", ["if (a(1,1)) 10, 10, 20", "goto (10, 20), i", "if (i > 1) goto (10, 20) i"])
@pytest.mark.parametrize("below", [False, True])
def test_they_are_refused_where_a_region_reaches_them(statement: str, below: bool) -> None:
    lines = f"    {statement}\n10  a(1,1) = 2\n20  continue"
    if below:
        more = f"  subroutine below(a, i)\n    real(8) :: a(3,2)\n    integer :: i\n{lines}\n  end subroutine\n"
        source = WORK.format(begin=REGION["begin"], end="call below(a, i)\n" + REGION["end"])
        source = source.replace("end module work_m", more + "end module work_m")
    else:
        source = WORK.format(begin=REGION["begin"], end=lines + "\n" + REGION["end"])
    assert "HF110" in translate_text({"work.h90": source}).codes()


@pytest.mark.parametrize(("stride", "step"), [("w", "W"), ("2*W", "2 * w"), ("(w)", "w")])
def test_strides_are_compared_without_case(stride: str, step: str) -> None:
    source = f"""subroutine s(n, w, a)
  integer, intent(in) :: n, W
  real(8), intent(inout) :: a(n)
  integer :: i
  @parallelRegion{{domName(i), domSize(n), stride({stride})}}
  do i = 1, n, {step}
    a(i) = 1
  end do
  @end parallelRegion
end subroutine
"""
    assert not translate_text(source).errors
    other = translate_text(source.replace(f"do i = 1, n, {step}", "do i = 1, n, 3")).errors
    assert [d.code for d in other] == ["HF213"]
