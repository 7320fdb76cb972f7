"""Variables whose names are those of intrinsics that regions made anew use: such regions stay as they are."""

from pathlib import Path

import pytest

from hfpy.transform.text.wrapping import wrap_line
from tests.optimiser.test_even_rows import built, generated, output
from tests.support import translate_text


@pytest.mark.parametrize("backend", ["openmp", "sequential"])
@pytest.mark.parametrize("name", ["max", "min", "modulo"])
@pytest.mark.parametrize("shape", ["", "(5,70)"])
def test_a_variable_of_that_name(tmp_path: Path, name: str, shape: str, backend: str) -> None:
    """As an array it would even compile: a bound would be one of its elements."""
    before, behind = f"integer :: {name}{shape}\n    {name} = 3", f"b(0,0) = {name}{'(2,2)' if shape else ''}"
    wanted = output(built(tmp_path / "plain", generated(before=before, behind=behind, opt=0)), 1)
    made = generated(before=before, behind=behind, backend=backend)
    assert "regions as one" not in made
    assert output(built(tmp_path / "made", made), 3) == wanted


def test_another_name_changes_nothing() -> None:
    assert "regions as one" in generated(before="integer :: sum\n    sum = 3", behind="b(0,0) = sum")


COLUMN = """module column
  implicit none
contains
  subroutine sweep(nx, ny, nz, a, x)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in) :: a(nx,ny,nz)
    real(8), intent(inout) :: x(nx,ny,nz)
    real(8) :: carry, here
    integer :: k, NAME
    NAME = 3
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    carry = x(i,j,1)
    do k = 2, nz
      here = a(i,j,k)
      if (here > 0.5d0) then
        carry = 0.5d0*carry + here
      else
        carry = carry - here
      end if
      x(i,j,k) = carry/x(i,j,k)
    end do
    @end parallelRegion
    x(1,1,1) = NAME
  end subroutine sweep
end module column
"""


@pytest.mark.parametrize(("name", "blocks", "selections"), [("top", 1, 1), ("min", 0, 0), ("merge", 1, 0)])
def test_blocks_of_columns(name: str, blocks: int, selections: int) -> None:
    made = translate_text(COLUMN.replace("NAME", name), backend="openmp", opt=2).require().text
    assert ("hf_n = min(" in made, "merge(" in made) == (blocks, selections)


def test_long_lines_for_openmp_alone() -> None:
    """What goes on is for OpenMP alone, too."""
    rows = wrap_line(
        f"{' ' * 60}!$ rows_of_a_block = (rows_of_a_block - 1)/omp_get_max_threads() + 1 + {'some_name' * 4}"
    )
    assert len(rows) == 2
    assert all(row.startswith(f"{' ' * 60}!$ ") and len(row) <= 132 for row in rows)
    assert rows[0].endswith(" &")
