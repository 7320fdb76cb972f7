"""Comments within regions that are written anew stay above what they stood above; lines lead back to their own."""

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from hfpy.translation import Translation
from tests.optimiser.test_wishes import region, text, translated


def lines_of(done: Translation) -> list[str]:
    return [line.strip() for line in text(done).splitlines()]


def test_comments_of_fused_regions(tmp_path: Path) -> None:
    done = translated(
        tmp_path,
        region("! twice\n      t(i,j) = 2 * a(i,j)\n      ! after it"),
        "    ! then more",
        "",
        region("p(i,j) = t(i,j) + a(i+1,j)"),
    )
    lines = lines_of(done)
    assert "2 regions as one" in " ".join(lines)
    assert [lines.count(c) for c in ("! twice", "! after it", "! then more")] == [1, 1, 1]
    assert lines[lines.index("! twice") + 1] == "hf_t = 2 * a(i,j)"
    assert lines.index("! twice") < lines.index("! after it") <= lines.index("! then more")


def test_directives_of_compilers_are_no_comments(tmp_path: Path) -> None:
    rows = [region("!dir$ ivdep\n      t(i,j) = 2 * a(i,j)"), region("p(i,j) = t(i,j) + a(i+1,j)")]
    assert "!dir$" not in text(translated(tmp_path, *rows))


@pytest.mark.parametrize("unrolled", ["", "unroll(j:2)"])
def test_lines_of_a_new_region_lead_back(tmp_path: Path, unrolled: str) -> None:
    done = translated(tmp_path, region("t(i,j) = 2 * a(i,j)", unrolled), region("p(i,j) = t(i,j) + a(i+1,j)", unrolled))
    source = (tmp_path / "m.h90").read_text().splitlines()
    (made,) = done.files
    places = {
        line.strip(): source[n - 1].strip() for line, n in zip(made.text.splitlines(), made.line_map, strict=True)
    }
    assert places["hf_t = 2 * a(i,j)"] == "t(i,j) = 2 * a(i,j)"
    assert places["hf_p = hf_t + a(i+1,j)"] == "p(i,j) = t(i,j) + a(i+1,j)"


def test_comments_and_lines_of_a_routine_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "m.h90"
    path.write_text(COLUMNS)
    (made,) = translate([path], Options(backend="openmp", opt=2, jobs=1)).files
    lines = [line.strip() for line in made.text.splitlines()]
    begin = next(n for n, line in enumerate(lines) if line.startswith("subroutine hfv_"))
    at = lines.index("! from below", begin)
    assert "hf_l" in lines[at + 1]
    assert (
        made.line_map[at + 1]
        == COLUMNS.splitlines().index(
            "      q(k) = exp(-q(k) * q(k-1)) + sqrt(abs(q(k-1))) * exp(-q(k) / (1 + exp(q(k-1))))"
        )
        + 1
    )


COLUMNS = """module m
  implicit none
contains
  subroutine column(n, q)
    integer, intent(in) :: n
    real(8), intent(inout) :: q(n)
    integer :: k
    do k = 2, n
      ! from below
      q(k) = exp(-q(k) * q(k-1)) + sqrt(abs(q(k-1))) * exp(-q(k) / (1 + exp(q(k-1))))
      if (q(k) > 1.0d0) then
        q(k) = exp(-q(k)) + sqrt(q(k)) + exp(-q(k-1))
      end if
    end do
  end subroutine
  subroutine step(nx, n, q)
    integer, intent(in) :: nx, n
    real(8), intent(inout) :: q(nx,n)
    @parallelRegion{domName(i), domSize(nx)}
    call column(n, q(i,:))
    @end parallelRegion
  end subroutine
end module
"""
