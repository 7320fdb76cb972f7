"""The definition of names: in a text, through directives, in modules that are used, in scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.diagnostics import Place
from hfpy.lsp.looking import Looked, Looker
from hfpy.lsp.modules import Modules
from hfpy.lsp.names import definition_elsewhere, definition_of
from hfpy.lsp.texts import Text

GRID = """module grid
  implicit none
  integer, parameter :: nx = 4, &
    ny = 3
contains
  pure real(8) function half(x)
    real(8), intent(in) :: x
    half = 0.5d0 * x
  end function half
end module grid
"""
BETWEEN = "module between\n  use grid, only: across => nx, ny, half\n  public\nend module between\n"
HEAT = """module heat
  use between, along => ny
contains
  subroutine spread(t, new)
    real(8), intent(in) :: t(across,along)
    real(8), intent(inout) :: new(across,along)
    @parallelRegion{domName(i,j), domSize(across,along), transform(tune:faster), halo(i:1)}
    new(i,j) = half(t(i,j))
    @end parallelRegion
  end subroutine spread
end module heat
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    settings = '[project]\nname = "heat"\nsources = ["*.h90", "*.f90"]\n[scripts]\ndir = "scripts"\n'
    for name, text in {"hfpy.toml": settings, "grid.f90": GRID, "between.f90": BETWEEN, "heat.h90": HEAT}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "tune.py").write_text("import os\n\n\ndef faster(kernel):\n    raise SystemExit\n")
    return tmp_path


def found(project: Path, line: int, word: str, text: str = HEAT) -> tuple[str, int, str] | None:
    """The file, the line and the marked text of the definition of a word in a line (from 1)."""
    path = (project / "heat.h90").resolve()
    looker = Looker()
    sources = frozenset(p.resolve() for p in project.glob("*.?90"))
    read = Text.read(path, text, looker.options(path))
    assert word in text.split("\n")[line - 1]
    place = definition_of(word, line - 1, read)
    if place is None:
        place = definition_elsewhere(word, line - 1, read, Looked(sources=sources), Modules())
    looker.close()
    return (Path(place.file).name, place.line, marked(place, text)) if place is not None else None


def marked(place: Place, text: str) -> str:
    rows = text.split("\n") if Path(place.file).name == "heat.h90" else Path(place.file).read_text().split("\n")
    return rows[place.line - 1][place.column - 1 :][: place.length]


@pytest.mark.parametrize(
    ("line", "word", "where"),
    [
        (7, "across", ("grid.f90", 3, "nx")),
        (7, "along", ("grid.f90", 4, "ny")),
        (8, "half", ("grid.f90", 6, "pure real(8) function half(x)")),
        (8, "t", ("heat.h90", 5, "t")),
        (7, "faster", ("tune.py", 4, "faster")),
        (7, "tune", ("tune.py", 1, "i")),
        (4, "spread", ("heat.h90", 4, "subroutine spread(t, new)")),
        (8, "new", ("heat.h90", 6, "new")),
        (7, "domSize", None),
        (2, "ny", None),
    ],
)
def test_definitions(project: Path, line: int, word: str, where: tuple[str, int, str] | None) -> None:
    assert found(project, line, word) == where


def test_iterators(project: Path) -> None:
    """One that is declared leads there, another to its region."""
    where = found(project, 8, "i")
    assert where is not None and where[:2] == ("heat.h90", 7) and where[2].startswith("@parallelRegion{")
    declared = HEAT.replace("    @parallel", "    integer :: i\n    @parallel", 1)
    assert found(project, 9, "i", declared) == ("heat.h90", 7, "i")


def test_changed_on_disk(project: Path) -> None:
    """A module is read again when it has changed, and only then."""
    modules = Modules()
    looker = Looker()
    path = (project / "heat.h90").resolve()
    read = Text.read(path, HEAT, looker.options(path))
    looked = Looked(sources=frozenset(p.resolve() for p in project.glob("*.?90")))
    first = definition_elsewhere("across", 6, read, looked, modules)
    (project / "grid.f90").write_text("! a line more\n" + GRID)
    second = definition_elsewhere("across", 6, read, looked, modules)
    (project / "grid.f90").unlink()
    assert first is not None and second is not None and (first.line, second.line) == (3, 4)
    assert definition_elsewhere("across", 6, read, looked, modules) is None
    looker.close()
