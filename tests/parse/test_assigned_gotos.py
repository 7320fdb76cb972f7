"""Labels in variables: where an assigned ``goto`` without labels may go on."""

from __future__ import annotations

from pathlib import Path

from hfpy.model.statements import Jump, flatten
from hfpy.options import Options
from hfpy.pipeline import settled_application
from tests.support import write_files

TEXT = """subroutine s(k)
  integer one, other, k
  equivalence (one, other)
  assign 10 to one
  if (k > 3) assign 20 to other
  go to one
10 k = 1
20 k = k + 2
30 k = k*3
end subroutine s
"""


def test_all_that_the_routine_assigns(tmp_path: Path) -> None:
    """The variable may have another name."""
    paths = write_files({"s.f90": TEXT}, tmp_path)
    application = settled_application(paths, Options(target="cpu", backend="openmp", auto=True)).application
    jumps = [s for s in flatten(application.routines["::s"].body) if isinstance(s, Jump)]
    assert [jump.target for jump in jumps] == ["10", "20"]
