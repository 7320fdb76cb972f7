"""Integers that a statement sets on every way to a loop, with a value that stays the same: ``kp1 = k + 1``."""

import pytest

from tests.support import translate_text

ROUTINE = """subroutine s(n, m, a, e)
  implicit none
  integer :: n, m, e(400)
  integer, intent(inout) :: a(400,400)
  integer :: i, j, k, l, kp1, mm
  do k = 1, n
    BODY
  end do
end subroutine s
subroutine change(m)
  integer :: m
  m = m - 3
end subroutine change
"""
LOOP = "do j = kp1, n; a(:,j) = a(:,j) + a(:,k); end do"


@pytest.fixture(autouse=True)
def short_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)


def parallel(body: str, declared: str = "") -> bool:
    """Whether the loop over j is: its points write other columns than the one that they read."""
    text = ROUTINE.replace("BODY", body.replace("LOOP", LOOP).replace("; ", "\n    "))
    text = text.replace("  do k", f"  {declared}\n  do k", 1) if declared else text
    made = translate_text({"m.f90": text}, backend="openmp", auto=True).require().text
    return any("omp parallel do" in row and "private" in row and "j" in row for row in made.splitlines())


HOLDS = (
    "kp1 = k + 1; LOOP",
    "kp1 = k + 1; if (e(k) > 0) kp1 = k + 2; kp1 = k + 1; LOOP",
    "l = k; kp1 = l + 1; if (e(k) > 0) then; LOOP; end if",
    "mm = max(m, 0); kp1 = k + mm + 1; LOOP",
    "kp1 = max(k, m) + 1; LOOP",
    "kp1 = k + 1; if (e(k) == 0) go to 10; e(k) = 1; go to 20; 10 e(k) = 2; 20 continue; LOOP",
    "kp1 = k + 1; if (e(k)) 10, 20, 30; 10 e(k) = 1; 20 e(k) = 2; 30 continue; LOOP",
    "if (e(k) == 0) go to 10; kp1 = k + 1; LOOP; 10 continue",
    "kp1 = k + 1; do l = 1, 3; if (e(l) == 2) exit; LOOP; end do",
    "10 kp1 = k + 1; LOOP; e(k) = e(k) - 1; if (e(k) > 0) go to 10",
    "kp1 = k + 1; call change(m); print *, kp1, n; LOOP",
    "kp1 = k + 1; LOOP; kp1 = k - 1",
)
FAILS = (
    "LOOP; kp1 = k + 1",
    "kp1 = k + 1; if (e(k) > 0) kp1 = k - 2; LOOP",
    "l = k; kp1 = l + 1; l = n; do j = kp1, n; a(:,j) = a(:,j) + a(:,l); end do",
    "l = k; kp1 = l + 1; if (e(k) > 0) l = n; do j = kp1, n; a(:,j) = a(:,j) + a(:,l); end do",
    "kp1 = k + 1; if (e(k) == 0) go to 10; kp1 = m; 10 continue; LOOP",
    "kp1 = m; if (e(k) == 0) go to 10; kp1 = k + 1; 10 continue; LOOP",
    "kp1 = m; if (e(k)) 10, 20, 10; 20 kp1 = k + 1; 10 continue; LOOP",
    "kp1 = k + 1; 10 continue; LOOP; e(k) = e(k) - 1; kp1 = kp1 - 1; if (e(k) > 0) go to 10",
    "kp1 = k + 1; do l = 1, 3; LOOP; kp1 = kp1 - 1; end do",
    "kp1 = k + 1; call change(kp1); LOOP",
    "kp1 = k + 1; read *, kp1; LOOP",
    "kp1 = k + 1; print *, (e(kp1), kp1 = 1, 3); LOOP",
    "kp1 = k + 1; read (*, *, err=10) e; kp1 = m; 10 continue; LOOP",
    "select case (e(k)); case (1); kp1 = k + 1; case default; kp1 = m; end select; LOOP",
    "kp1 = k + e(k); LOOP",
    "l = m; kp1 = l + 1; do concurrent (l = 1:n:2); do j = kp1, n; a(:,j) = a(:,l); end do; end do",
    "kp1 = k + 1; block; integer :: k; k = m; LOOP; end block",
    "kp1 = k + 1; associate (k => m); LOOP; end associate",
)


@pytest.mark.parametrize("body", HOLDS)
def test_the_value_is_known(body: str) -> None:
    assert parallel(body)


@pytest.mark.parametrize("body", FAILS)
def test_the_value_is_not_known(body: str) -> None:
    assert not parallel(body)


@pytest.mark.parametrize(
    ("declared", "change"),
    [
        ("equivalence (kp1, l)", "l = m"),
        ("common /c/ kp1", "call change(m)"),
        ("namelist /list/ kp1", "read (5, list)"),
        ("integer, pointer :: other; target :: kp1", "other => kp1; other = m"),
    ],
)
def test_other_names_may_change_it(declared: str, change: str) -> None:
    assert not parallel(f"kp1 = k + 1; {change}; LOOP", declared)


@pytest.mark.parametrize(("prefix", "known"), [("", True), ("recursive ", False)])
def test_a_call_of_the_routine_by_itself_may_set_what_is_saved(prefix: str, known: bool) -> None:
    body = f"kp1 = l + 1; call change(m); {LOOP}".replace("; ", "\n    ").replace("a(:,k)", "a(:,l)")
    text = ROUTINE.replace("BODY", body).replace("  do k", "  save l\n  do k", 1)
    text = text.replace("subroutine s(", f"{prefix}subroutine s(", 1).replace(f"end {prefix}", "end ")
    made = translate_text({"m.f90": text}, backend="openmp", auto=True).require().text
    assert any("omp parallel do" in row and "private(j" in row for row in made.splitlines()) == known
