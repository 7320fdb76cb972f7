"""Arguments of another type than their dummies, as old code gives parts of one work array to: kernels refuse them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.support import translate_text, write_files

TEXT = """subroutine numbers(n, x, marks)
  implicit none
  integer :: n, i, marks(n)
  real(8) :: x(n)
  do i = 1, n
    marks(i) = i*i
    x(i) = x(i) + 0.5d0*marks(i)
  end do
end subroutine numbers
subroutine parts(n, c)
  implicit none
  integer :: n, i
  real(8) :: c(2*n)
  do i = 1, 2*n
    c(i) = c(i) + i
  end do
end subroutine parts
subroutine single(x)
  implicit none
  real :: x
  x = x + 1
end subroutine single
program p
  implicit none
  real(8) :: a(5,600), w(20)
  complex(8) :: z(5)
  integer :: j
  !@parallelRegion{private(w, z)}
  do j = 1, 600
    z = j
    w = j
    call CALL
    a(1:5,j) = real(z) + w(1:5)
  end do
  print *, sum(a)
end program p
"""
CALLS = {
    "numbers(5, w(1), w(11))": "an argument of another type than 'marks' of 'numbers'",
    "parts(5, z)": "an argument of another type than 'c' of 'parts'",
    "parts(5, z(1))": "an argument of another type than 'c' of 'parts'",
    "single(w(3))": "an argument of another type than 'x' of 'single'",
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl"])
def test_refused(backend: str, call: str) -> None:
    """The kernels were not compiled: memory has one type in C, and procedures of a module know each other's."""
    done = translate_text({"p.f90": TEXT.replace("CALL", call)}, target="gpu", backend=backend)
    (found,) = [d for d in done.diagnostics if d.severity == "error"]
    assert found.code == "HF702" and CALLS[call] in found.message


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran"])
def test_stays_serial(tmp_path: Path, backend: str) -> None:
    """With ``--auto`` the loop stays what it is, and the program is compiled."""
    whole = "subroutine whole(n, z)\n  integer :: n\n  complex(8) :: z(n)\n  call parts(n, z)\nend subroutine whole\n"
    text = TEXT.replace("CALL", "whole(5, z)").replace("!@parallelRegion{private(w, z)}\n", "\n") + whole
    (path,) = write_files({"p.f90": text}, tmp_path)
    verdicts = found_regions([path], Options(target="gpu", backend=backend)).verdicts
    assert any(CALLS["parts(5, z)"] in v.why and not v.iterators for v in verdicts)
    assert found_regions([path], Options()).verdicts[-1].iterators == ("j",)


def test_the_same_type() -> None:
    text = TEXT.replace("CALL", "parts(5, w(11))")
    assert not translate_text({"p.f90": text}, target="gpu", backend="cuda-fortran").codes("error")
