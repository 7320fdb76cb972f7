"""A search after stretches of columns does not look again at loops whose text is as it was."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from hfpy.transform.loops.automatic import Search
from hfpy.transform.loops.tried import Tried
from tests.automatic.test_columns import PHYSICS
from tests.support import write_files

OTHER = """module other
  implicit none
contains
  subroutine parallel(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 1, n
      a(i) = a(i) + i
    end do
  end subroutine parallel
  subroutine serial(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 2, n
      a(i) = a(i) + a(i-1)
    end do
  end subroutine serial
end module other
"""


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_loops_are_looked_at_once(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: Counter[tuple[str, int, int]] = Counter()
    look = Search._look

    def counted(self: Search, routine, gapped, construct, number, loop: Tried) -> bool:  # type: ignore[no-untyped-def]
        looked[(*self.at(loop.key, loop.candidate.outer), loop.depth)] += 1
        return look(self, routine, gapped, construct, number, loop)

    monkeypatch.setattr(Search, "_look", counted)
    paths = write_files({"physics.f90": PHYSICS, "other.f90": OTHER}, tmp_path)
    made = found_regions(paths, Options(target=target, backend="cuda-c" if target == "gpu" else "openmp"))
    assert any(v.columns for v in made.verdicts)  # there was a second search
    by_line = {v.place.line: v for v in made.verdicts if v.place.file.endswith("other.f90")}
    assert by_line[8].region and not by_line[16].region
    assert {x[1]: n for x, n in looked.items() if x[0].endswith("other.f90")} == {8: 1, 16: 1}
    assert set(looked.values()) == {1}
