"""``@serial: reason``: loops that stay as they are, in every pass, and why."""

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from tests.support import Translated, translate_text

SWEEPS = """module m
  implicit none
contains
  subroutine s(nx, ny, nz, a, b)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: a(nz,nx,ny), b(nz,nx,ny)
    integer :: k
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    MARK
    do k = 2, nz
      a(k,i,j) = a(k,i,j) + 0.5d0 * a(k-1,i,j)
    end do
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    do k = 2, nz
      b(k,i,j) = b(k,i,j) + a(k,i,j) * b(k-1,i,j)
    end do
    @end parallelRegion
  end subroutine s
end module m
"""
COLUMNS = """module m
  implicit none
contains
  subroutine s(nx, ny, nz, a)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: a(nz,nx,ny)
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    call column(nz, a(:,i,j))
    @end parallelRegion
  end subroutine s
  subroutine column(nz, x)
    integer, intent(in) :: nz
    real(8), intent(inout) :: x(nz)
    real(8) :: carry
    integer :: k
    carry = 0
    MARK
    do k = 1, nz
      carry = 0.5d0 * carry + exp(x(k)) + sqrt(abs(x(k)))
      x(k) = carry
    end do
  end subroutine column
end module m
"""
MARK = "@serial: each level needs the one above"


def translated(text: str, mark: str, **options: object) -> Translated:
    return translate_text(text.replace("MARK", mark), **{"backend": "openmp", **options})


def code(made: Translated) -> list[str]:
    """The statements, but for directives: neighbouring regions share their threads."""
    return [s for s in made.statements if not s.startswith("!$omp")]


@pytest.mark.parametrize("text", [SWEEPS, COLUMNS])
def test_no_pass_touches_it(text: str) -> None:
    """Without the mark the loops are fused, or put in blocks of columns."""
    free, marked = translated(text, "").require(), translated(text, MARK).require()
    plain = translated(text, MARK, opt=0).require()
    assert code(free) != code(translated(text, "", opt=0))
    assert code(marked) == code(plain)
    assert "! @serial: each level needs the one above" in marked.text


def schedule(text: str, tmp_path: Path) -> str:
    path = tmp_path / "m.h90"
    path.write_text(text.replace("MARK", MARK))
    return translate([path], Options()).schedule("s")


def test_explain_tells_the_reason(tmp_path: Path) -> None:
    assert "a loop is called serial: each level needs the one above" in schedule(SWEEPS, tmp_path)
    path = tmp_path / "m.h90"
    shown = translate([path], Options()).explain("s")
    assert "  serial loop over k in line 10: each level needs the one above" in shown.splitlines()


NEST = "do j = 1, ny\n{}\ndo i = 1, nx\na(i,j) = 1\nend do\nend do"
SOURCE = """subroutine s(nx, ny, a)
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx,ny)
  integer :: i, j
  TEXT
end subroutine s
"""


def in_comments(text: str, **options: object) -> Translated:
    return translate_text({"s.f90": SOURCE.replace("TEXT", text)}, **options)


def test_it_ends_a_nest() -> None:
    done = in_comments("!@parallelRegion\n" + NEST.format("!@ serial : as it is")).require()
    assert "domName(j), domSize(ny)" in done.text
    taken = in_comments("!$omp parallel do\n" + NEST.format("!@serial: as it is"), directives_as_regions=True).require()
    assert "domName(j), domSize(ny)" in taken.text and "!@serial: as it is" in taken.text


def test_openacc_tells_the_compiler() -> None:
    text = "!@parallelRegion\n" + NEST.format("!@serial: as it is")
    done = in_comments(text, target="gpu", backend="openacc").require()
    assert "!$acc loop seq\ndo i = 1, nx" in done.text.replace("  ", "")


REFUSED = {
    "the region's loop": (
        "!@parallelRegion\n!@serial: no\n" + NEST.format(""),
        "HF241",
        "you call this loop serial: no",
    ),
    "a loop that is named": (
        "!@parallelRegion{domName(i,j), domSize(nx,ny)}\n" + NEST.format("!@serial: no") + "\n!@end parallelRegion",
        "HF213",
        "you call it serial: no",
    ),
    "no loop": ("!@serial: no\na = 1", "HF207", "before a loop"),
    "nothing": ("!@parallelRegion\n" + NEST.format("") + "\n!@serial: no", "HF207", "before a loop"),
    "another directive": ("!@serial: no\n!@parallelRegion\n" + NEST.format(""), "HF207", "before a loop"),
    "no reason": ("!@serial\n" + NEST.format(""), "HF202", "needs a reason"),
    "an empty reason": ("!@serial:  \n" + NEST.format(""), "HF202", "needs a reason"),
    "an end": (NEST.format("") + "\n!@end serial", "HF205", "without its beginning"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    text, code, message = REFUSED[name]
    found = in_comments(text).errors
    assert [(d.code, message in d.message) for d in found] == [(code, True)]


def test_loops_that_other_directives_call_parallel() -> None:
    text = "!$omp parallel do\n!@serial: no\n" + NEST.format("") + "\ndo concurrent (i = 1:nx)\na(i,1) = 1\nend do"
    text += "\n!@serial: not this one\ndo concurrent (i = 1:nx)\na(i,1) = 1\nend do"
    done = in_comments(text, directives_as_regions=True).require()
    kept = [d.message for d in done.diagnostics if d.code == "HF242"]
    assert [("serial: no" in m or "no loop" in m, "not this one" in m) for m in kept] == [(True, False), (True, True)]
    assert done.text.count("!@parallelRegion") == 1


def test_a_team_does_not_share_it() -> None:
    text = """program p
  implicit none
  integer, parameter :: n = 4, m = 8
  real(8) :: a(m,n)
  integer :: i
  @parallelRegion{domName(j), domSize(n), team(i:4), explicit}
  MARK
  do i = 1, m
    a(i,j) = i + j
  end do
  @end parallelRegion
  print *, a
end program p
"""
    assert translated(text, "", target="gpu", backend="cuda-c").codes() == []
    found = translated(text, MARK, target="gpu", backend="cuda-c").errors
    assert [d.code for d in found] == ["HF702"] and "called serial" in found[0].message
