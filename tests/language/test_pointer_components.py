"""Pointer components in regions that use their targets by name as well."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import compile_files, output, translate_text

TEXT = """program parts
  implicit none
  type level
    real(8), pointer :: p(:) => null()
    real(8), allocatable :: q(:)
  end type level
  integer, parameter :: n = 240
  real(8), target :: a(n,3)
  real(8) :: b(n)
  type(level) :: lev(3), other
  integer :: i, k
  do k = 1, 3
    do i = 1, n
      a(i,k) = mod(7*i + k, 11)
    end do
    lev(k)%p => a(:,k)
  end do
  allocate(other%p(n), other%q(n))
  other%p = 1; other%q = 2; b = 3
  AROUND
  DIRECTIVE
  do i = 2, n
    BODY
  end do
  BEHIND
  print '(3f16.6)', sum(a), sum(b), sum(other%p)
end program parts
"""
MEET = {
    "set by the component": ("", "lev(3)%p(i) = a(i-1,3)*0.5d0 + 1"),
    "set by the name": ("", "a(i,3) = lev(3)%p(i-1)*0.5d0 + 1"),
    "of an associate": ("x => lev(2)%p", "x(i) = a(i-1,2)*0.5d0 + 1"),
}
APART = {
    "memory of its own": ("", "other%p(i) = b(i-1) + i"),
    "a target that is not named": ("", "lev(2)%p(i) = lev(2)%p(i) + b(i-1)"),
    "only read": ("", "b(i) = lev(3)%p(i-1) + a(i,3)"),
    "not a pointer": ("", "other%q(i) = a(i-1,3)\nb(i) = other%q(i)"),
}


def _text(names: str, body: str, directive: str) -> str:
    around = (f"associate ({names})", "end associate") if names else ("", "")
    text = TEXT.replace("AROUND", around[0]).replace("BEHIND", around[1])
    return text.replace("BODY", body).replace("DIRECTIVE", directive)


@pytest.mark.parametrize("kind", MEET)
def test_a_target_under_two_names_is_told(kind: str) -> None:
    done = translate_text({"m.f90": _text(*MEET[kind], "!@parallelRegion")}, backend="openmp", exports=None)
    assert "HF500" in {*done.codes("warning")} and "may point to 'a'" in str(done.diagnostics)


@pytest.mark.parametrize("kind", [*MEET, *APART])
def test_found_regions_give_the_results_of_the_serial_program(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)  # short loops become regions, too
    text = _text(*{**MEET, **APART}[kind], "")
    expected = output(compile_files({"m.f90": text}, tmp_path / "plain"))
    done = translate_text({"m.f90": text}, backend="openmp", auto=True, exports=None).require()
    built = compile_files(dict(done.files), tmp_path / "made", openmp=True)
    assert [output(built, threads=n) for n in (1, 3)] == [expected] * 2


@pytest.mark.parametrize("kind", APART)
def test_nothing_is_told_of_others(kind: str) -> None:
    text = _text(*APART[kind], "!@parallelRegion")
    assert not translate_text({"m.f90": text}, backend="openmp", exports=None).diagnostics
