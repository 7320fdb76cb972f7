"""What ``hfpy annotate`` asks about a loop: all that the clause denies, and a clause that can be true."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from hfpy.cli import cli
from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import translate_text

# Rows of ice cells are listed by two index arrays, whose pairs alone are distinct; what 'find' gives may be anything.
SOURCE = """module m
  implicit none
  real(8), allocatable, target :: store(:,:)
contains
  subroutine find(which, p)
    integer, intent(in) :: which
    real(8), pointer :: p(:)
    p => store(:,which)
  end subroutine find
  subroutine pairs(n, ix, jx, a, b)
    integer, intent(in) :: n, ix(n), jx(n)
    real(8), intent(inout) :: a(100,100), b(100,100)
    integer :: i, j, k
    do k = 1, n  ! pairs
      i = ix(k)
      j = jx(k)
      a(i,j) = a(i,j) + b(i,j)
      b(i,j) = 0.5d0*a(i,j)
    end do
  end subroutine pairs
  subroutine tables(n, cells, a)
    integer, intent(in) :: n, cells(2,n)
    real(8), intent(inout) :: a(100,100)
    integer :: k
    do k = 1, n  ! columns of a table
      a(cells(1,k),cells(2,k)) = k
    end do
    do k = 1, n  ! one column
      a(cells(2,k),7) = k
    end do
  end subroutine tables
  subroutine scatter(n, last, first, second)
    integer, intent(in) :: n, last(n), first, second
    real(8), pointer :: p(:), q(:)
    integer :: k
    call find(first, p)
    call find(second, q)
    do k = 1, n  ! scatter
      p(last(k) + k) = p(last(k) + k) + q(k)
    end do
  end subroutine scatter
  subroutine wet(n, corner, dry, a)
    integer, intent(in) :: n, corner(2,n), dry(100)
    real(8), intent(inout) :: a(100)
    integer :: k
    do k = 1, n  ! wet
      if (dry(corner(1,k))*dry(corner(2,k)) == 0) cycle
      a(corner(1,k)) = a(corner(1,k)) + 1
    end do
  end subroutine wet
  subroutine blocked(n, width, list, a)
    integer, intent(in) :: n, width, list(n)
    real(8), intent(inout) :: a(width,100)
    integer :: k
    do k = 1, n  ! blocked
      a(mod(list(k)-1, width)+1, (list(k)-1)/width+1) = k
    end do
  end subroutine blocked
  subroutine coloured(n, m, u)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: u(n,m)
    integer :: i, j, colour
    do colour = 0, 1  ! colours
      do j = 2, m - 1
        do i = 2 + mod(j + colour, 2), n - 1, 2
          u(i,j) = 0.25d0*(u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1))
        end do
      end do
    end do
  end subroutine coloured
end module m
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """By the remark on its first line: what is asked of a loop, and the clause."""
    file = tmp_path_factory.mktemp("questions") / "m.f90"
    file.write_text(SOURCE, encoding="utf-8")
    said = CliRunner().invoke(cli, ["annotate", str(file)]).output.splitlines()
    found = {}
    for why, hint in pairwise(said):
        if "if this cannot happen" in hint:
            line = int(why.partition(": ")[0].rpartition(":")[2])
            found[SOURCE.splitlines()[line - 1].split("! ")[1]] = (why, hint.split("!@parallelRegion")[1])
    return found


def test_pairs_of_indices_are_no_question_of_one_index_array(asked: dict[str, tuple[str, str]]) -> None:
    """``distinct(ix)`` was proposed, which such lists are not."""
    why, clause = asked["pairs"]
    assert clause == "{independent(a, b)}"
    assert "the indices come from 'ix' and 'jx'" in why and why.endswith("and the same of 'b'")


@pytest.mark.parametrize("loop", ["columns of a table", "one column"])
def test_a_table_of_indices_may_have_values_twice(loop: str, asked: dict[str, tuple[str, str]]) -> None:
    """``distinct(cells)`` was proposed, which says more than what keeps the points apart."""
    why, clause = asked[loop]
    assert clause == "{independent(a)}"
    assert "the indices come from 'cells', and two points" in why


def test_a_question_names_all_that_its_clause_denies(asked: dict[str, tuple[str, str]]) -> None:
    """A user who knows that two pointers have two targets was led to state that no points meet."""
    why, clause = asked["scatter"]
    assert clause == "{independent(p)}"
    assert "'q' may be the same memory" in why and "two points may meet in an element of 'p'" in why


def test_a_product_in_a_condition_is_none_in_an_index(asked: dict[str, tuple[str, str]]) -> None:
    """An index was said to be a product, and the index array that the question is about was not named."""
    why, clause = asked["wet"]
    assert clause == "{independent(a)}" and "the indices come from 'corner'" in why


def test_points_that_meet_for_all_large_sizes_are_no_question(asked: dict[str, tuple[str, str]]) -> None:
    """A loop whose bounds are sizes, but for a remainder, is long where they are large: a yes would be wrong."""
    assert "scatter" in asked and "colours" not in asked


def test_a_quotient_is_shown_as_it_is_written(asked: dict[str, tuple[str, str]]) -> None:
    """It was ``/(-1+list(k),width)``."""
    assert "(list(k) - 1) / width" in asked["blocked"][0]


# The lists are components: a clause could only name the object, or a component of all objects. No kernel can be made
# of the loop over lists, so that the loop in it is looked at after that.
LISTS = """module lists
  implicit none
  type piece
    integer :: n = 0
    integer, allocatable :: list(:)
  end type piece
  type(piece) :: pieces(2)
  real(8) :: x(100,2,3)
contains
  subroutine update
    integer :: i, l, n
    do n = 1, 2
      do i = 1, pieces(n)%n
        l = pieces(n)%list(i)
        call grow(x(l,n,:))
      end do
    end do
  end subroutine update
  subroutine grow(y)
    real(8), intent(inout) :: y(:)
    integer :: k
    do k = 1, size(y)
      y(k) = y(k)*2 + k
    end do
  end subroutine grow
end module lists
"""


def test_index_arrays_that_no_clause_can_name(tmp_path: Path) -> None:
    (tmp_path / "lists.f90").write_text(LISTS)
    said = CliRunner().invoke(cli, ["annotate", "--target", "gpu", str(tmp_path / "lists.f90")]).output
    assert "the indices come from 'pieces%list', and two points" in said
    assert "!@parallelRegion{independent(x)}" in said and "distinct" not in said


def test_loops_in_a_loop_that_no_kernel_can_hold_are_looked_at() -> None:
    done = translate_text({"lists.f90": LISTS}, target="gpu", backend="opencl", auto=True).require()
    assert not done.diagnostics and "hfl0" not in done.text


SIZES = """module sizes
  implicit none
  type grid
    integer :: n
  end type grid
contains
  subroutine run(g, a, b, c)
    type(grid), intent(in) :: g
    real(8), intent(inout) :: a(99,99), b(99,99), c(99)
    integer :: i, k
    do i = 1, g%n
      do k = 1, g%n
        c(k) = a(k,i)*2
      end do
      do k = 2, g%n
        b(k,i) = c(k) + c(k-1)
      end do
    end do
  end subroutine run
end module sizes
"""


def test_sizes_in_objects_are_no_questions(tmp_path: Path) -> None:
    """All turns set a work array: nothing that could be stated changes that."""
    (tmp_path / "sizes.f90").write_text(SIZES)
    found = found_regions([tmp_path / "sizes.f90"], Options(target="cpu"))
    outer = next(v for v in found.verdicts if v.place.line == 11)
    assert not outer.region and not outer.clause and "both write c(1)" in outer.why


STACK = """module stack
  implicit none
  integer :: top = 0
  real(8) :: kept(999)
  integer, parameter :: n = 9, half = 2*(n+1)*(n+1)
contains
  subroutine pop(x)
    real(8), intent(out) :: x
    x = kept(top)
    top = top - 1
  end subroutine pop
  subroutine back(m, list, a)
    integer, intent(in) :: m, list(m)
    real(8), intent(inout) :: a(99)
    real(8) :: x
    integer :: i
    do i = m, 1, -1
      call pop(x)
      a(list(i)) = a(list(i)) + x
    end do
  end subroutine back
  subroutine unroll(a, b)
    real(8), intent(in) :: a(100)
    real(8), intent(out) :: b(half)
    integer :: i
    do i = 1, 100
      b(i) = a(i)
      b(i + half/2) = 2*a(i)
    end do
  end subroutine unroll
end module stack
"""


def test_what_a_called_routine_keeps_is_in_the_way_of_a_question(tmp_path: Path) -> None:
    """It was asked whether values of the list are distinct, and a yes was refused."""
    (tmp_path / "stack.f90").write_text(STACK)
    found = found_regions([tmp_path / "stack.f90"], Options(target="cpu"))
    popped = next(v for v in found.verdicts if v.place.line == 17)
    assert not popped.clause and "writes top" in popped.why


def test_a_constant_that_is_a_product_of_constants_is_no_question(tmp_path: Path) -> None:
    """It was asked whether points meet for some other value of the constant."""
    (tmp_path / "stack.f90").write_text(STACK)
    found = found_regions([tmp_path / "stack.f90"], Options(target="gpu", backend="cuda-c"))
    assert next(v for v in found.verdicts if v.place.line == 26).region
