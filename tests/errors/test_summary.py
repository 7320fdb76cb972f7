"""``hfpy check --summary``: causes, counted by the regions that each cure would free."""

import json
from pathlib import Path

from click.testing import CliRunner

from hfpy.cli import cli

SOURCE = """module m
  implicit none
  real(8) :: counted
contains
  subroutine go(n, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    integer :: k
    @parallelRegion{domName(i), domSize(n)}
    b(i) = unknown
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n)}
    b(i) = unknown + 1
    print *, b
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n)}
    b(i) = 2 * unknown
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n)}
    call keeps(b(i))
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n)}
    call above(b(i))
    write (9, *) b(i)
    b(i) = 3
    @end parallelRegion
    @parallelRegion{domName(i), domSize(n)}
    b(i) = 4
    @end parallelRegion
  end subroutine
  subroutine above(x)
    real(8), intent(inout) :: x
    call keeps(x)
  end subroutine
  subroutine keeps(x)
    real(8), intent(inout) :: x
    character(len=3) :: text
    text = 'abc'
    x = x + len(text)
  end subroutine
end module
"""


def summarised(folder: Path, *options: str, source: str = SOURCE) -> str:
    path = folder / "m.h90"
    path.write_text(source)
    return CliRunner().invoke(cli, ["check", "--summary", str(path), *options]).output


def test_causes_are_ordered_by_what_their_cures_free(tmp_path: Path) -> None:
    made = json.loads(summarised(tmp_path, "--target", "gpu", "--format", "json"))
    assert (made["regions"], made["refused"]) == (6, 5)
    found = [(c["frees"], c["regions"], c["cause"].split(" cannot")[0]) for c in made["causes"]]
    assert found[0] == (2, 3, "'unknown', which hfpy does not know,")
    assert (0, 1, "input or output ('print')") in found
    assert (0, 1, "input or output ('write')") in found
    below = [f for f in found if f[1] == 2]  # what is wrong in 'keeps' is against both regions that lead to it
    assert below
    assert [f[:2] for f in found] == sorted((f[:2] for f in found), reverse=True)
    assert len(made["causes"][0]["places"]) == 3
    assert made["causes"][0]["hint"]


def test_the_text_says_the_same(tmp_path: Path) -> None:
    lines = summarised(tmp_path, "--target", "gpu").splitlines()
    assert lines[0].startswith("5 of 6 regions are refused")
    first = next(line for line in lines if "'unknown'" in line)
    assert first.split()[:2] == ["2", "3"]
    assert any("and 2 more" in line for line in lines)


def test_nothing_wrong_and_nothing_read(tmp_path: Path) -> None:
    plain = SOURCE[: SOURCE.index("    @parallel")] + "  end subroutine\nend module\n"
    assert summarised(tmp_path, source=plain) == "no problems found\n"
    broken = summarised(tmp_path, source="module m\ncontains\nsubroutine s\n@parallelRegion{domName(i)}\nend module\n")
    assert "0 of 0 regions" in broken
