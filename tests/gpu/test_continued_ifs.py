"""One-line ifs in fixed form whose actions begin on lines that go on, with copies around the actions."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support import translate_text

SOURCE = """      subroutine s(n, f)
      integer n, i
      real*8 f(n)
c@parallelRegion
      do i = 1, n
        f(i) = f(i) + 1
      end do
      if (n .gt. 3)
     *  f(1) = f(2) + 1
      if (n .gt. 4)
     1  f(1) = f(2)
     2         + f(3)
      end
"""


def test_the_mark_of_a_line_that_goes_on_is_not_left(tmp_path: Path) -> None:
    text = translate_text({"s.f": SOURCE}, target="gpu", backend="openacc").require().text
    assert text.count("!$acc update self(f)") == 2
    (tmp_path / "s.f").write_text(text)
    command = ["gfortran", "-fopenacc", "-foffload=disable", "-cpp", "-fsyntax-only", "s.f"]
    subprocess.run(command, cwd=tmp_path, check=True)
