"""Labels as old code writes them: blanks within them in fixed form, and leading zeros, mean nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support import translate_text

SOURCE = """      subroutine s(n, a, b)
      integer n, i, k
      real*8 a(n), b(n)
      k = 0
      if (n .gt. 2) FIRST
      k = 5
LABEL do 1 0 i = 1, n
      if (mod(i, 3) .eq. 1) go to 1 0
      if (b(i) - 2) 020, 2 0, 0 30
   20 b(i) = b(i) + 1
      goto (0010, 3 0), i - 1
  30  a(i) = i
 1 0  continue
      a(1) = a(1) + k
      end
      program main
      real*8 a(7), b(7)
      do 5 i = 1, 7
      a(i) = 0.5
005   b(i) = i*0.5
      call s(7, a, b)
      call s(2, a, b)
      print *, a, b
      end
"""
REGION = "c@parallelRegion\n"
FORMS = [("go to 00 40", "0040 "), ("go to 4 0", " 40  "), ("go to 40", "4  0 "), ("GOTO40", "40   ")]


def run(text: str, folder: Path) -> str:
    """What the program prints."""
    (folder / "s.f").write_text(text)
    flags = ["-std=legacy", "-w", "-ffixed-line-length-none", "-cpp", "-fopenmp"]
    subprocess.run(["gfortran", *flags, "s.f", "-o", "s"], cwd=folder, check=True, capture_output=True)
    return subprocess.run([folder / "s"], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("forms", FORMS)
def test_jumps_lead_to_their_labels(forms: tuple[str, str], tmp_path: Path) -> None:
    plain = SOURCE.replace("FIRST", forms[0]).replace("LABEL", forms[1])
    lines = plain.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if " do 1 0 " in line)
    marked = "".join([*lines[:at], REGION, *lines[at:]])
    done = translate_text({"s.f": marked}, backend="openmp").require()
    assert "!$omp" in done.text or "c$omp" in done.text
    assert "40    continue" in done.text
    assert run(done.text, tmp_path) == run(plain, tmp_path)


@pytest.mark.parametrize("jump", ["go to 10", "goto10", "GoTo10"])
def test_labels_of_free_form(jump: str) -> None:
    text = (
        "subroutine s(n, a)\ninteger :: n, i\nreal(8) :: a(n)\n!@parallelRegion{domName(i), domSize(n)}\ndo i = 1, n\n"
    )
    text += f"if (i == 2) {jump}\na(i) = i\n0010 continue\nend do\n!@end parallelRegion\nend subroutine s\n"
    assert not translate_text({"s.f90": text}, backend="openmp").errors


def test_operators_with_blanks_become_those_of_free_form() -> None:
    """Kernels are in free form, where operators and numbers have no blanks in them."""
    text = "      subroutine s(n, a)\n      integer n, i\n      real a(n)\nc@parallelRegion\n      do 10 i = 1, n\n"
    text += "      if (a(i). gt.2.5 e0 . and. a(i) .lt . 9.) a(i) = 1.\n   10 continue\n      end\n"
    done = translate_text({"s.f": text}, target="gpu", backend="cuda-fortran").require()
    assert "if (a(i).gt.2.5e0 .and. a(i) .lt. 9.) a(i) = 1." in done.text
