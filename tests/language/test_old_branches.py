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


@pytest.mark.parametrize("effect", ["x = x + 1", "total = total + 1", "kept = kept + 1", ""])
@pytest.mark.parametrize("below", [False, True])
def test_a_function_that_changes_something_is_not_called_twice(effect: str, below: bool) -> None:
    """In a region, or in a routine that it calls; in no other, and not where two labels are the same."""
    asked = "10  if (changing(x)) {}\n20  x = x + 1\n30  x = x + 1\n40  continue"
    source = f"""module m
  implicit none
  real(8) :: total
contains
  subroutine work(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    real(8) :: x
    @parallelRegion{{{{domName(i), domSize(n)}}}}
    x = a(i)
    {"call under(x)" if below else asked}
    a(i) = x
    @end parallelRegion
  end subroutine
  subroutine under(x)
    real(8), intent(inout) :: x
    {asked if below else ""}
  end subroutine
  subroutine other(x)
    real(8), intent(inout) :: x
    {asked.replace("{}", "20, 30, 40")}
  end subroutine
  function changing(x) result(y)
    real(8) :: x, y
    integer, save :: kept = 0
    y = x - 1
    {effect}
  end function
end module
"""
    for target in ("cpu", "gpu"):
        found = translate_text({"m.h90": source.format("20, 30, 40")}, target=target).errors
        places = {(d.place.line, d.code) for d in found if "twice" in d.message}
        assert places == ({(18 if below else 12, "HF702")} if effect else set())
        for labels in ("20, 20, 30", "20, 30, 30"):
            found = translate_text({"m.h90": source.format(labels)}, target=target).errors
            assert not any("twice" in d.message for d in found)


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
