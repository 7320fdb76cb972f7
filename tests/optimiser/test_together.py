"""Neighbouring regions in one parallel region: which are, and after which of them threads wait."""

import re

import pytest

from tests.support import Translated, translate_text

TEXT = """module m
  implicit none
  type state
    real(8) :: x(9,9), y(9,9)
    real(8), pointer :: p(:,:)
  contains
    procedure :: at
  end type state
  real(8) :: field(9,9), other(9,9)
  real(8) :: u(9,9), v(9,9)
  common /shared/ u
  real(8), target :: goal(9,9)
  real(8), pointer :: p(:,:) => null(), q(:,:) => null()
contains
  pure real(8) function at(o, i, j)
    class(state), intent(in) :: o
    integer, intent(in) :: i, j
    at = o%p(i,j)
  end function at
  pure real(8) function by_object(o, i, j)
    type(state), intent(in) :: o
    integer, intent(in) :: i, j
    by_object = o%p(i,j)
  end function by_object
  pure real(8) function by_pointer(i, j)
    integer, intent(in) :: i, j
    by_pointer = p(i,j)
  end function by_pointer
  subroutine sets(i, j)
    integer, intent(in) :: i, j
    field(i,j) = 1
  end subroutine sets
  pure real(8) function reads(i, j)
    integer, intent(in) :: i, j
    reads = field(i,j)
  end function reads
  subroutine same(i, j)
    integer, intent(in) :: i, j
    real(8) :: w(9,9)
    common /shared/ w
    w(i,j) = 2
  end subroutine same
  subroutine point(o)
    type(state), intent(inout) :: o
    p => goal
    q => p
    o%p => goal
  end subroutine point
  subroutine s(nx, ny, n, a, b, c, d, o, one, two)
    integer, intent(in) :: nx, ny
    integer, intent(inout) :: n
    real(8), intent(inout) :: a(9,9), b(9,9), c(9,9), d(9,9)
    real(8), target :: one(9,9), two(9,9)
    type(state), intent(inout) :: o
    real(8) :: t, sum, e(9,9), f(9,9)
    real(8), pointer :: here
    logical :: found
    integer :: k
    equivalence (e, f)
    external :: unknown
    DECLARED
    t = 1; sum = 0; found = .false.
    @parallelRegion{domName(i,j), domSize(nx,ny)ONE}
    FIRST
    @end parallelRegion
    BETWEEN
    @parallelRegion{domName(i,j), domSize(nx,ny)TWO}
    SECOND
    @end parallelRegion
    print *, t, sum, found
  end subroutine s
end module m
"""


def made(first: str, second: str, between: str = "", one: str = "", two: str = "", **options: object) -> Translated:
    parts = {"FIRST": first, "SECOND": second, "BETWEEN": between, "ONE": one, "TWO": two, "DECLARED": ""}
    text = re.sub("|".join(parts), lambda found: parts[found[0]], TEXT)
    # Nothing is fused, so that two regions stay two.
    text = text.replace("domSize(nx,ny)", "domSize(nx,ny), fuse(no)")
    return translate_text({"m.h90": text}, **{"backend": "openmp", "opt": 2, **options}).require()


def waits(translated: Translated) -> list[bool]:
    """Of each loop with a directive of its own whether the threads wait after it."""
    ends = re.findall(r"^ *!\$omp end do( simd)?( nowait)?$", translated.text, re.M)
    return [not nowait for _, nowait in ends]


APART = {
    "other arrays": ("a(i,j) = 1", "b(i,j) = 2"),
    "both read": ("a(i,j) = c(i,j)", "b(i,j) = c(j,i)"),
    "private scalars": ("t = a(i,j)\n    c(i,j) = t", "t = b(i,j)\n    d(i,j) = t"),
    "module arrays": ("field(i,j) = 1", "other(i,j) = 2"),
    "arguments that may be one": ("a(i,j) = b(i,j)", "c(i,j) = d(i,j)"),
    "a reduction": ("a(i,j) = 1", "sum = sum + b(i,j)", "", "", ", reduction(+:sum)"),
}
WAITING = {
    "what was written is read": ("a(i,j) = 1", "b(i,j) = a(j,i)"),
    "what was read is written": ("b(i,j) = a(j,i)", "a(i,j) = 1"),
    "both write": ("a(i,j) = 1", "a(j,i) = 2"),
    "the same point": ("a(i,j) = 1", "b(i,j) = a(i,j)"),
    "a routine writes": ("call sets(i, j)", "b(i,j) = field(j,i)"),
    "a function reads": ("field(i,j) = 1", "b(i,j) = reads(j, i)"),
    "a common block": ("call same(i, j)", "b(i,j) = u(j,i)"),
    "components": ("o%x(i,j) = 1", "b(i,j) = o%x(j,i)"),
    "objects": ("o%x(i,j) = 1", "o%y(i,j) = 2"),  # what of them is not told apart
    "equivalence": ("e(i,j) = 1", "b(i,j) = f(j,i)"),
    "targets": ("one(i,j) = 1", "b(i,j) = two(j,i)"),
    "pointers": ("p(i,j) = 1", "b(i,j) = q(j,i)"),
    "a pointer and a target": ("goal(i,j) = 1", "b(i,j) = p(j,i)"),
    "a pointer component": ("o%p(i,j) = 1", "b(i,j) = goal(j,i)"),
    "a reduced value": ("sum = sum + a(i,j)", "b(i,j) = sum", "", ", reduction(+:sum)", ""),
    "reduced twice": ("sum = sum + a(i,j)", "sum = sum + b(i,j)", "", *[", reduction(+:sum)"] * 2),
    "a flag": ("if (a(i,j) > 1) found = .true.", "b(i,j) = merge(1, 2, found)"),
    "an associate name": ("associate (x => a)\n    x(i,j) = 1\n    end associate", "b(i,j) = a(j,i)"),
}
# The same for what OpenACC takes no region with.
BY_POINTERS = {
    "a bound function": ("goal(i,j) = 1", "b(i,j) = o%at(j, i)"),
    "a pointer in an argument": ("goal(i,j) = 1", "b(i,j) = by_object(o, j, i)"),
    "a pointer of a module": ("goal(i,j) = 1", "b(i,j) = by_pointer(j, i)"),
    "a pointer of each point": ("here => goal(i,j)\n    here = 1", "b(i,j) = goal(j,i)"),
    "a pointer of each point that is read": ("goal(i,j) = 1", "here => goal(j,i)\n    b(i,j) = here"),
}


@pytest.mark.parametrize("name", APART)
def test_threads_go_on(name: str) -> None:
    text = made(*APART[name])
    assert text.text.count("!$omp parallel default") == 1
    assert waits(text) == [False, False]


@pytest.mark.parametrize("name", [*WAITING, *BY_POINTERS])
def test_threads_wait(name: str) -> None:
    text = made(*{**WAITING, **BY_POINTERS}[name])
    assert text.text.count("!$omp parallel default") == 1
    assert waits(text) == [True, False]


@pytest.mark.parametrize("between", ["n = 2", "if (n > 1) t = 2", "print *, n", "call sets(1, 1)", "continue"])
def test_statements_keep_regions_apart(between: str) -> None:
    assert made("a(i,j) = 1", "b(i,j) = 2", between).text.count("!$omp parallel do") == 2


@pytest.mark.parametrize("between", ["", "! a comment", "\n\n    ! two\n    ! lines"])
def test_comments_do_not(between: str) -> None:
    assert waits(made("a(i,j) = 1", "b(i,j) = 2", between)) == [False, False]


@pytest.mark.parametrize("row", ["!$omp barrier", "!$ n = 2", "!dir$ noinline"])
def test_lines_for_others_keep_regions_apart(row: str) -> None:
    assert made("a(i,j) = 1", "b(i,j) = 2", row).text.count("!$omp parallel do") == 2


@pytest.mark.parametrize("options", [{"profile": True}, {"races": True}, {"trace": True}, {"opt": 0}])
def test_watched_regions_stay_alone(options: dict[str, object]) -> None:
    text = made("a(i,j) = 1", "b(i,j) = 2", **options).text
    assert text.count("!$omp parallel do") == 2


def test_three_in_a_row() -> None:
    """Threads wait where the third needs what the first writes, though the second does not."""
    third = "@end parallelRegion\n    @parallelRegion{domName(i,j), domSize(nx,ny)}\n    c(i,j) = a(j,i)"
    assert waits(made("a(i,j) = 1", f"b(i,j) = 2\n    {third}")) == [False, True, False]
    third = third.replace("a(j,i)", "b(j,i)")
    assert waits(made("a(i,j) = 1", f"b(i,j) = a(j,i)\n    {third}")) == [True, True, False]


def test_a_region_that_is_not_active_keeps_others_apart() -> None:
    """Its statements are done once, not by each thread."""
    third = "@end parallelRegion\n    @parallelRegion{domName(i,j), domSize(nx,ny)}\n    c(i,j) = 3"
    text = made("a(i,j) = 1", f"n = n + 1\n    {third}", two=", appliesTo(gpu)").text
    assert text.count("!$omp parallel do") == 2 and "!$omp parallel default" not in text
