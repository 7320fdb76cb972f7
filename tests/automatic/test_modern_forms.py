"""Forms of modern Fortran in plain loops: what assignments mean, lines with several statements, what threads own."""

from __future__ import annotations

from pathlib import Path

from tests.automatic.test_random import VARIANTS
from tests.support import Corpus, Pair, compile_files, output, translate_text

ASSIGNED = """module assigned
  implicit none
  type :: point
    integer :: x = 0, y = 0
  contains
    procedure, private :: from_number
    generic :: assignment(=) => from_number
  end type point
  type :: tally
    integer :: x = 0, y = 0
  end type tally
  type :: cell
    type(point) :: at
    type(tally) :: seen
    integer, allocatable :: q(:)
  end type cell
  interface assignment(=)
    module procedure from_other
  end interface
contains
  pure subroutine from_number(self, v)
    class(point), intent(inout) :: self
    integer, intent(in) :: v
    self%x = v
    self%y = self%y + v
  end subroutine from_number
  pure subroutine from_other(self, v)
    type(tally), intent(inout) :: self
    integer, intent(in) :: v
    self%x = v
    self%y = self%y + v
  end subroutine from_other
  subroutine into(c, v)
    type(cell), intent(inout) :: c
    integer, intent(in) :: v
    c%at = v
  end subroutine into
  subroutine run
    call work(30)
  end subroutine run
  subroutine work(n)
    integer, intent(in) :: n
    integer :: i, a(30), b(30), c(30), d(30), e(30)
    type(cell) :: one, two, three, four
    integer, allocatable :: x
    do i = 1, n
      call into(one, i)
      a(i) = one%at%y
    end do
    do i = 1, n
      two%at = i
      b(i) = two%at%y
    end do
    do i = 1, n
      three%seen = i
      c(i) = three%seen%y
    end do
    allocate(x)
    do i = 1, n
      four%q = [i, 2]
      x = i
      d(i) = four%q(1) + x
    end do
    do i = 1, n
      four%seen%x = i
      e(i) = four%seen%x
    end do
    print *, a, b, c, d, e
  end subroutine work
end module assigned
"""


def test_assignments_that_a_program_defines_read_what_they_set(tmp_path: Path) -> None:
    """Also those of components. Objects with allocatable parts that threads own are named around their regions."""
    pair = Pair("assigned", {"assigned.f90": ASSIGNED}, {"assigned.f90": ASSIGNED}, "assigned")
    corpus = Corpus([pair], tmp_path, {"assigned": (VARIANTS[0],)})
    corpus.check_one("assigned", VARIANTS[0])
    text = corpus.translation("assigned", VARIANTS[0]).text
    assert text.count("@parallelRegion{") == 2 and text.count("!$omp parallel") == 1, text


BESIDE = """module beside
  implicit none
contains
  subroutine run
    call work(30)
  end subroutine run
  subroutine work(n)
    integer, intent(in) :: n
    integer :: i, k, a(30)
    a = 1
    k = 3; do concurrent (i = 1:n)
      a(i) = a(i) + i
    end do; k = k + 2
    do concurrent (i = 1:n, a(i) > 4); a(i) = a(i) + k; end do
    k = 4; do i = 1, n
      a(i) = a(i) + i
    end do
    do i = 1, n
      a(i) = a(i) + i
    end do; k = k + 1
    do i = 1, n; a(i) = a(i) + k; end do
    print *, a, k
  end subroutine work
end module beside
"""


def test_statements_on_the_lines_of_a_loop_stay(tmp_path: Path) -> None:
    """They were lost beside ``do concurrent``, whose lines are written anew."""
    expected = output(compile_files({"beside.f90": BESIDE, "main.f90": MAIN}, tmp_path / "plain"))
    done = translate_text({"beside.f90": BESIDE, "main.f90": MAIN}, backend="openmp", auto=True).require()
    assert done.text.count("@parallelRegion{") == 1
    assert output(compile_files(done.files, tmp_path / "made", openmp=True), threads=3) == expected
    by_hand = BESIDE.replace("k = 3; do", "k = 3\n!@parallelRegion\ndo")
    (found,) = translate_text({"beside.f90": by_hand}, backend="openmp").errors
    assert found.code == "HF241" and "other statements" in found.message


MAIN = """program main
  use beside, only: run
  call run
end program main
"""


MOVING = """module moving
  implicit none
  integer, target :: g(12,30), h(12,30), f(30)
contains
  subroutine run
    g = 1; h = 2; f = 3
    call work(30, 3)
    print *, g, h, f
  end subroutine run
  subroutine work(n, m)
    integer, intent(in) :: n, m
    integer :: i
    integer, pointer :: p(:), q(:,:)
    p => g(:,1)
    q => g
    do i = 1, n
      f(i) = g(m,i) + h(m,i)
    end do
    do i = 1, n
      p => g(:,i)
      p(3:5) = p(2:4) + i
      f(1) = f(1) + p(3)
    end do
    do i = 1, n
      g(m,i) = g(m,i) + h(m,i) + f(i)
    end do
    if (m > 2) then
      q(1:3,1:3) => h(1:9,2)
      q(1,:) = q(2,:) + f(1)
      q => g
    else
      q => h
      q(:,1) = f(1)
    end if
    do i = 1, n
      h(m,i) = h(m-1,i) + f(i)
    end do
    do i = 1, n
      h(m,i) = h(m-1,i) + f(i)
    end do
  end subroutine work
end module moving
"""


def test_pointers_that_move_among_host_statements_mean_their_targets(tmp_path: Path) -> None:
    """A copy by the pointer's name before a loop or condition, and another behind it, are of different elements."""
    pair = Pair("moving", {"moving.f90": MOVING}, {"moving.f90": MOVING}, "moving")
    corpus = Corpus([pair], tmp_path, {"moving": (VARIANTS[1],)})
    corpus.check_one("moving", VARIANTS[1])
    assert corpus.translation("moving", VARIANTS[1]).text.count("__global__") > 2
