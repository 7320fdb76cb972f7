"""Places, names and kinds of lines come from the parser, whatever the spelling that a search in text would miss."""

import pytest

from hfpy.model.source import LogicalLine
from hfpy.model.statements import Header
from hfpy.parse.statements.statements import parse_statement
from tests.support import Translated, statements, translate_text

KINDS = """module kinds
  implicit none
  integer, parameter :: wp = 8, sp = 4
end module kinds
"""


def given(body: str, specification: str = "", **options: object) -> Translated:
    """A module with a routine ``run``, which has the names of the module ``kinds``."""
    text = f"""module m
  implicit none
  integer, parameter :: nx = 6, nz = 5
contains
  subroutine run(a, b)
    use kinds, only: sp, wp
    real(8), intent(in) :: a(nx, nz)
    real(8), intent(inout) :: b(nx, nz)
    integer :: k
{specification}
{body}
  end subroutine run
end module m
"""
    return translate_text({"kinds.f90": KINDS, "m.h90": text}, **options).require()


def outlined(done: Translated) -> list[str]:
    """The statements of the routine that a region's body was moved to."""
    found = statements(done.files["m.F90"])
    begin = next(n for n, row in enumerate(found) if row.startswith("subroutinehfb"))
    return found[begin:]


REGION = """    @parallelRegion{domName(i), domSize(nx)}
    do k = 1, nz
      b(i, k) = EXPRESSION
    end do
    @end parallelRegion
"""


@pytest.mark.parametrize(
    ("expression", "specification"),
    [
        ("a(i, k)*2.0_wp", ""),
        ("a(i, k)*2.0E0_WP + 1._wp", ""),
        ("a(i, k) + half", "    real(wp), parameter :: half = 0.5d0"),
        ("a(i, k) + half", "    real(8), parameter :: half = 0.5_wp"),
        ("a(i, k) + sum([real(wp) :: 1, 2])", ""),
        ("a(i, k) + TWO", "#define TWO 2.0_wp"),
    ],
)
def test_a_moved_body_has_the_kinds_of_its_literals(expression: str, specification: str) -> None:
    done = given(REGION.replace("EXPRESSION", expression), specification, backend="openmp")
    assert "usekinds,only:wp" in outlined(done)


@pytest.mark.parametrize("literal", ["1.0_wp", "1.0e0_wp", "-2._WP", "sum([real(wp) :: 1, 2])"])
def test_kinds_in_what_stays_stay_imported(literal: str) -> None:
    body = f"    b(1, 1) = {literal}\n" + REGION.replace("EXPRESSION", "a(i, k)*2.0_sp")
    found = statements(given(body, backend="openmp").files["m.F90"])
    assert "usekinds,only:wp" in found
    assert "usekinds,only:sp" in found


@pytest.mark.parametrize("atomic", ["!$omp atomic write", "!$OMP ATOMIC WRITE", "!$omp  atomic", "!$Omp atomic update"])
def test_an_atomic_of_the_users_is_seen(atomic: str) -> None:
    text = f"""module m
  implicit none
  integer, parameter :: nx = 6
contains
  subroutine run(a, bad)
    real(8), intent(in) :: a(nx)
    integer, intent(inout) :: bad
    @parallelRegion{{domName(i), domSize(nx)}}
    if (a(i) < 0.) then
      {atomic}
      bad = 1
    end if
    @end parallelRegion
  end subroutine run
end module m
"""
    done = translate_text(text, backend="openmp")
    assert done.text.lower().count("atomic") == 1


@pytest.mark.parametrize("other", ["1", "(1)", "1 ", "(( 1))"])
def test_a_flag_is_set_to_one_value_however_it_is_spelled(other: str) -> None:
    text = f"""module m
  implicit none
  integer, parameter :: nx = 6
contains
  subroutine run(a, bad)
    real(8), intent(in) :: a(nx)
    integer, intent(inout) :: bad
    @parallelRegion{{domName(i), domSize(nx)}}
    if (a(i) < 0.) bad = 1
    if (a(i) > 9.) bad = {other}
    @end parallelRegion
  end subroutine run
end module m
"""
    assert translate_text(text, backend="openmp").require().text.count("!$omp atomic write") == 2


@pytest.mark.parametrize(
    ("text", "start"),
    [("do d = 1, 3", 3), ("do o=1,3", 3), ("DO 10 D = 1, 3", 6), ("outer: do o = 1, 3", 10), ("do  do = 1, 3", 4)],
)
def test_the_place_of_a_loop_variable(text: str, start: int) -> None:
    header = parse_statement(LogicalLine(text, ((0, 0, 0),), 0))
    assert isinstance(header, Header)
    assert header.var_start == start


@pytest.mark.parametrize("label", ["10 ", "10    ", "10 &\n     ", "20&\n  &  "])
def test_a_label_moves_from_where_it_stands(label: str) -> None:
    """Lines come before a statement with a label; the label may be on an earlier line."""
    text = f"""module m
  implicit none
  integer, parameter :: nx = 6
contains
  subroutine run(a, n)
    real(8), intent(inout) :: a(nx)
    integer, intent(in) :: n
    if (n > 10) goto {label.strip(" &").split("&")[0]}
    @parallelRegion{{domName(i), domSize(nx)}}
    a(i) = a(i) + 1
    @end parallelRegion
{label}a(1) = a(2)
    @parallelRegion{{domName(i), domSize(nx)}}
    a(i) = a(i) + 1
    @end parallelRegion
  end subroutine run
end module m
"""
    done = translate_text(text, target="gpu", backend="openacc").require()
    number = label[:2]
    rows = [row for row in done.files["m.F90"].splitlines() if row.startswith(number)]
    assert rows == [f"{number}    continue"]


@pytest.mark.parametrize(
    "declared",
    [
        "real(8) :: t(nx, ny); real(8) :: w",
        "real(8) :: w; real(8) :: t(nx, ny)",
        "real(8) :: w\n    real(8) :: &\n      t(nx, ny); integer :: unused",
        "real(8), dimension(nx, ny) :: t; real(8) w",
    ],
)
def test_a_vanished_array_takes_no_other_declaration_with_it(declared: str) -> None:
    """The array goes into scalars; what shares a line with its declaration stays."""
    text = f"""module m
  implicit none
  integer, parameter :: nx = 60, ny = 50
contains
  subroutine run(a, q)
    real(8), intent(in) :: a(nx, ny)
    real(8), intent(inout) :: q(nx, ny)
    {declared}
    @parallelRegion{{domName(i,j), domSize(nx,ny)}}
    t(i,j) = 2 * a(i,j)
    @end parallelRegion
    @parallelRegion{{domName(i,j), domSize(nx,ny)}}
    q(i,j) = t(i,j) + a(i,j)
    @end parallelRegion
    w = 1
    q(1,1) = q(1,1) + w
  end subroutine run
end module m
"""
    found = translate_text(text, backend="openmp", opt=2).require().statements
    assert {"real(8)::w", "real(8)w"} & set(found)
    assert "hf_t=2*a(i,j)" in found


@pytest.mark.parametrize("step", ["-1", "(-1)", "( - 2 )", "-nx/nx"])
def test_a_loop_that_runs_backwards_is_counted(step: str) -> None:
    """What `hfpy run --profile` counts: the values of a loop's variable, from the last to the first."""
    body = f"""    @parallelRegion{{domName(i), domSize(nx)}}
    do k = nz, 2, {step}
      b(i, k) = a(i, k)
    end do
    @end parallelRegion
"""
    found = given(body, opt=0, profile=True).text
    assert "hf_profile_count(int(2, 8), int(nz, 8), int(1, 8))" in found.replace("&\n", "")
