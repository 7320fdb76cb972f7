"""Whether a pointer may mean a variable is asked for each variable: an answer does not go through all pointers."""

from __future__ import annotations

import cProfile
import pstats
from pathlib import Path

from hfpy.analyze.analysis import analyse
from hfpy.options import Options
from hfpy.pipeline import settled_application
from tests.support import write_files


def test_the_work_grows_with_the_variables(tmp_path: Path) -> None:
    taken = []
    for count in (30, 120):
        names = [f"  real(8), target :: a{n}(10), b{n}(10)\n  real(8), pointer :: p{n}(:)\n" for n in range(count)]
        points = "".join(f"    p{n} => a{n}\n" for n in range(count))
        text = f"module m\n{''.join(names)}contains\n  subroutine s()\n{points}  end subroutine s\nend module m\n"
        paths = write_files({"m.f90": text}, tmp_path / str(count))
        options = Options(target="cpu", backend="openmp", auto=True, jobs=1)
        storage = analyse(settled_application(paths, options).application).storage
        profile = cProfile.Profile()
        asked = [("m", f"{letter}{n}") for n in range(count) for letter in "ab"]
        found = profile.runcall(lambda storage=storage, asked=asked: [storage.alone(each) for each in asked])
        assert found == [False, True] * count
        taken.append(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]
    assert taken[1] < 6 * taken[0], taken
