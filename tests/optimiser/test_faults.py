"""Text of the optimiser's that is at fault is not used, in that file alone."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.model.units import FileIndex
from hfpy.options import Options
from hfpy.pipeline import translate
from hfpy.transform import passes
from hfpy.transform.text.edits import Edit

MODULE = """module {name}
  implicit none
contains
  subroutine work_{name}(n, a, p)
    integer, intent(in) :: n
    real(8), intent(in) :: a(0:n+1)
    real(8), intent(inout) :: p(0:n+1)
    real(8) :: t(0:n+1)
    @parallelRegion{{domName(i), domSize(n), startAt(0), endAt(n+1)}}
    t(i) = a(i) * 2
    @end parallelRegion
    @parallelRegion{{domName(i), domSize(n)}}
    p(i) = t(i+1) - t(i-1)
    @end parallelRegion
  end subroutine work_{name}
end module {name}
"""


@pytest.mark.parametrize(("broken", "where"), [("    end do", "behind"), ("      read (*, *) p", "inside")])
def test_the_other_files_stay_optimised(
    broken: str, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / f"{name}.h90" for name in ("one", "two")]
    for path in paths:
        path.write_text(MODULE.format(name=path.stem))
    right = passes.edited

    def wrong(index: FileIndex, edits: list[Edit], macros: Collection[str]) -> passes.NewText:
        done = right(index, edits, macros)
        if not index.path.endswith("one.h90"):
            return done
        begin = next(n for n, line in enumerate(done.lines) if "@end parallelRegion" in line)
        at = begin + 1 if where == "behind" else begin
        lines = (*done.lines[:at], broken, *done.lines[at:])
        return replace(done, lines=lines, line_map=(*done.line_map[:at], 0, *done.line_map[at:]))

    monkeypatch.setattr(passes, "edited", wrong)
    done = translate(paths, Options(target="gpu", backend="cuda-c", jobs=1))
    assert not done.diagnostics, [d.message for d in done.diagnostics]
    texts = {f.name: f.text for f in (*done.files, *done.beside)}
    assert "as one" not in texts["one.F90"]
    assert "2 regions as one" in texts["two.F90"]
    assert "two" in done.schedule("work_two")
