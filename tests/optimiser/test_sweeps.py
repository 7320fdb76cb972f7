"""Sweeps along columns as stages: what is one loop, what one region, and what stays (stencil-optimisation.md §7)."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate

HEAD = """module m
  implicit none
  real(8), allocatable :: kept(:,:,:)
contains
  subroutine work(nx, ny, nz, level, index, a, b, f, p, q)
    integer, intent(in) :: nx, ny, nz, level, index(nz)
    real(8), intent(in) :: a(0:nx+1,0:ny+1,0:nz+1), b(0:nx+1,0:ny+1,0:nz+1)
    real(8), intent(inout) :: f(nx,ny), p(0:nx+1,0:ny+1,0:nz+1), q(0:nx+1,0:ny+1,0:nz+1)
    real(8) :: t(0:nx+1,0:ny+1,0:nz+1), u(0:nx+1,0:ny+1,0:nz+1), s, total
    integer :: k, l
"""
TAIL = """  end subroutine work
end module m
"""


@dataclass(frozen=True)
class Done:
    """The generated text, and what ``explain --schedule`` says."""

    text: str
    schedule: str

    @property
    def groups(self) -> list[str]:
        """How many regions became one, by columns, group by group."""
        return re.findall(r"^ *! (\d+ regions as one|a region), by columns", self.text, re.M)

    @property
    def loops(self) -> int:
        """The loops along columns."""
        return len(re.findall(r"^ *do k = ", self.text, re.M))


def optimised(folder: Path, *regions: str, level: int = 2, target: str = "gpu", declare: str = "") -> Done:
    """Regions in a routine, optimised: ``iterators attributes | body``, statements of the body apart by ``;``."""
    rows = []
    for region in regions:
        attributes, sign, body = region.partition("|")
        if not sign:
            rows.append(f"    {region}")
            continue
        iterators, _, extra = attributes.strip().partition(" ")
        sizes = ",".join(f"n{'xyz'['ijk'.index(c)]}" for c in iterators)
        more = f", {extra}" if extra else ""
        rows.append(f"    @parallelRegion{{domName({','.join(iterators)}), domSize({sizes}){more}}}")
        rows += [f"      {line.strip()}" for line in body.split(";")]
        rows.append("    @end parallelRegion")
    path = folder / "m.h90"
    path.write_text(HEAD + f"    {declare}\n" + "\n".join(rows) + "\n" + TAIL)
    backend = "openmp" if target == "cpu" else "openacc"
    done = translate([path], Options(target=target, backend=backend, opt=level, jobs=1))
    assert done.files, [d.message for d in done.diagnostics]
    return Done("".join(f.text for f in done.files), done.schedule("work"))


UP = "ij| t(i,j,1) = a(i,j,1); do k = 2, nz; t(i,j,k) = 0.5d0 * t(i,j,k-1) + a(i,j,k); end do"
UP_TOO = "ij| p(i,j,1) = t(i,j,1); do k = 2, nz; p(i,j,k) = 0.5d0 * p(i,j,k-1) + t(i,j,k) - t(i,j,k-1); end do"
DOWN = "ij| p(i,j,nz) = t(i,j,nz); do k = nz-1, 1, -1; p(i,j,k) = t(i,j,k) - p(i,j,k+1); end do"


def test_two_sweeps_of_one_direction_are_one_loop(tmp_path: Path) -> None:
    done = optimised(tmp_path, UP, UP_TOO)
    assert done.groups == ["2 regions as one"] and done.loops == 1
    assert not re.search(r"\bt\(", done.text), "a local that is carried from turn to turn needs no memory"
    assert re.search(r"hf_t = 0.5d0 \* hf_t_km1 \+ a\(i,j,k\)", done.text)
    assert re.search(r"hf_t_km1 = hf_t\n *hf_p_km1 = hf_p\n *end do|hf_p_km1 = hf_p\n *hf_t_km1", done.text)
    assert "loop 2:nz upwards, stages 0, 1, carried in variables:" in done.schedule


def test_opposite_directions_are_one_region_with_two_loops(tmp_path: Path) -> None:
    done = optimised(tmp_path, UP, DOWN)
    assert done.groups == ["2 regions as one"] and done.loops == 2
    assert re.search(r"\bt\(i,j,k\) = hf_t\n", done.text), "what crosses stays in memory"
    assert "do k = nz-1, 1, -1" in done.text
    assert "loop nz-1:1 downwards, stage 1, carried in variables: p (1 level back)" in done.schedule


def test_carried_values_are_loaded_before_the_loop(tmp_path: Path) -> None:
    """Whatever is there: the loop may begin in the middle of a column."""
    done = optimised(tmp_path, "ij| do k = level, nz; p(i,j,k) = p(i,j,k-1) + a(i,j,k); end do")
    assert done.groups == ["a region"]
    assert re.search(r"if \(level <= nz\) then\n *hf_p_km1 = p\(i,j,level-1\)\n *end if\n *do k = level, nz", done.text)


def test_a_read_that_may_not_happen_is_not_brought_forward(tmp_path: Path) -> None:
    """The array has no element before the first turn, which the branch knows."""
    body = (
        "ij| do k = 1, nz; if (k > 1) then; c(i,j,k) = c(i,j,k-1) + a(i,j,k); else; c(i,j,k) = a(i,j,k); end if; end do"
    )
    declared = "real(8) :: c(nx,ny,nz)"
    done = optimised(tmp_path, body, "ij| do k = 1, nz; p(i,j,k) = c(i,j,nz+1-k); end do", declare=declared)
    assert not done.groups and "c(i,j,k-1)" in done.text
    wider = optimised(tmp_path, body.replace("c(", "p("))
    assert wider.groups == ["a region"] and "hf_p_km1 = p(i,j,0)" in wider.text


def test_a_write_under_a_condition_is_not_carried(tmp_path: Path) -> None:
    body = "ij| do k = 2, nz; if (a(i,j,k) > 0.5d0) p(i,j,k) = p(i,j,k-1) + a(i,j,k); end do"
    done = optimised(tmp_path, body)
    assert not done.groups and "p(i,j,k-1)" in done.text
    both = optimised(tmp_path, UP, f"{body.replace('a(i,j,k);', 't(i,j,k);')}")
    assert both.groups == ["2 regions as one"] and both.loops == 1 and "p(i,j,k-1)" in both.text


def test_two_levels_back(tmp_path: Path) -> None:
    body = "ij| p(i,j,1) = 0; p(i,j,2) = 1; do k = 3, nz; p(i,j,k) = p(i,j,k-1) + a(i,j,k) * p(i,j,k-2); end do"
    done = optimised(tmp_path, body)
    assert "hf_p = hf_p_km1 + a(i,j,k) * hf_p_km2" in done.text
    assert re.search(r"hf_p_km2 = hf_p_km1\n *hf_p_km1 = hf_p\n *end do", done.text)


def test_a_parallel_stage_is_computed_in_the_sweep_that_reads_it(tmp_path: Path) -> None:
    stage = "ijk startAt(0,1,1), endAt(nx+1,ny,nz)| t(i,j,k) = a(i,j,k) * b(i,j,k)"
    sweep = "ij| p(i,j,1) = t(i,j,1); do k = 2, nz; p(i,j,k) = p(i,j,k-1) + t(i+1,j,k) - t(i-1,j,k); end do"
    done = optimised(tmp_path, stage, sweep)
    assert done.groups == ["2 regions as one"]
    assert "hf_t_ip1 = a(i+1,j,k) * b(i+1,j,k)" in done.text and "hf_t = a(i,j,1) * b(i,j,1)" in done.text
    assert not re.search(r"\bt\(", done.text)
    assert optimised(tmp_path, stage, sweep, level=1).groups != ["2 regions as one"], "nothing twice at level 1"


def test_a_parallel_stage_joins_the_sweep_that_it_reads(tmp_path: Path) -> None:
    done = optimised(tmp_path, UP, "ijk startAt(1,1,2), endAt(nx,ny,nz)| q(i,j,k) = t(i,j,k) - t(i,j,k-1)")
    assert done.groups == ["2 regions as one"] and done.loops == 1
    assert "q(i,j,k) = hf_t - hf_t_km1" in done.text and not re.search(r"\bt\(", done.text)


def test_levels_that_only_one_loop_has_are_turns_around_it(tmp_path: Path) -> None:
    done = optimised(
        tmp_path, UP, "ijk| q(i,j,k) = t(i,j,k)", "ij| do k = 2, nz-1; p(i,j,k) = p(i,j,k-1) + q(i,j,k); end do"
    )
    assert done.groups == ["3 regions as one"] and done.loops == 1
    assert "do k = 2, nz-1" in done.text
    assert re.search(r"if \(1 <= nz\) then\n *q\(i,j,1\) = hf_t\n", done.text), "there may be no level at all"
    assert re.search(r"if \(2 <= nz\) then\n *hf_t = [^\n]*\n *q\(i,j,nz\) = hf_t\n", done.text), (
        "the last may be the first"
    )


def test_what_is_read_later_is_stored(tmp_path: Path) -> None:
    read = optimised(tmp_path, UP, UP_TOO, "total = t(1,1,1)")
    assert read.loops == 1 and re.search(r"\bt\(i,j,k\) = hf_t", read.text)
    module = optimised(tmp_path, *(r.replace("t(", "kept(") for r in (UP, UP_TOO)))
    assert module.loops == 1 and re.search(r"\bkept\(i,j,k\) = ", module.text)
    pair = "ij| do k = 2, nz; t(i,j,k) = a(i,j,k); end do", "ij| do k = 1, nz; p(i,j,k) = p(i,j,k-1) + t(i,j,k); end do"
    assert not re.search(r"\bt\(", optimised(tmp_path, *pair).text), "nobody sets what the first turn reads"
    again = optimised(tmp_path, "do l = 1, level", *pair, "end do")
    assert again.loops == 1 and re.search(r"\bt\(i,j,k\) = ", again.text), "it may stem from the time before"
    whole = optimised(tmp_path, "do l = 1, level", UP, UP_TOO, "end do")
    assert whole.loops == 1 and not re.search(r"\bt\(", whole.text), "it sets all that it reads"


def test_a_loop_of_single_values(tmp_path: Path) -> None:
    body = "ij| s = a(i,j,1); do k = 2, nz; s = 0.5d0 * s + a(i,j,k); p(i,j,k) = s; end do"
    done = optimised(tmp_path, UP, body, "ij| do k = 2, nz; q(i,j,k) = q(i,j,k-1) + p(i,j,k); end do")
    assert done.groups == ["3 regions as one"] and done.loops == 1
    assert "hf_s_s1 = 0.5d0 * hf_s_s1 + a(i,j,k)" in done.text


def test_prices(tmp_path: Path) -> None:
    """Each loop moves what it reads and sets: one array each way, and between two loops one more each way (§9)."""
    together = optimised(tmp_path, UP, UP_TOO).schedule
    assert "group 0-1: columns; 16 bytes and 5 operations a point" in together
    apart = optimised(tmp_path, "@stencilProgram{fuse(auto)}", UP, "@end stencilProgram", UP_TOO).schedule
    assert apart.count(" 16 bytes and ") == 2
    crossing = optimised(tmp_path, UP, DOWN).schedule
    assert "group 0-1: columns; 32 bytes and" in crossing and "instead [0] [1]" in crossing
    block = optimised(tmp_path, UP, DOWN, target="cpu").schedule
    assert "group 0-1: as written; 16 bytes and" in block, "between loops a block of columns stays in the cache"


NOT_ONE_LOOP = {
    "read ahead": (UP, "ij| do k = 2, nz-1; p(i,j,k) = p(i,j,k-1) + t(i,j,k+1); end do"),
    "the other direction": (UP, DOWN),
    "levels that cannot be compared": (UP, "ij| do k = 2, level; p(i,j,k) = p(i,j,k-1) + t(i,j,k); end do"),
    "a level by number": (UP, "ij| do k = 2, nz; p(i,j,k) = p(i,j,k-1) + t(i,j,nz); end do"),
    "one value for a column": (
        "ij| do k = 2, nz; f(i,j) = f(i,j) + a(i,j,k); end do",
        "ij| do k = 2, nz; p(i,j,k) = p(i,j,k-1) * f(i,j); end do",
    ),
    "overwritten too early": (
        "ij| do k = 2, nz; p(i,j,k) = p(i,j,k-1) + q(i,j,k-1); end do",
        "ij| do k = 2, nz; q(i,j,k) = q(i,j,k-1) + a(i,j,k); end do",
    ),
    "a level not done yet": (UP, "ij| p(i,j,1) = t(i,j,2); do k = 2, nz; p(i,j,k) = p(i,j,k-1) + t(i,j,k); end do"),
    "the highest level first": (
        UP,
        "ij| p(i,j,nz) = t(i,j,nz); do k = 2, nz-1; p(i,j,k) = p(i,j,k-1) + t(i,j,k) * p(i,j,nz); end do",
    ),
}


@pytest.mark.parametrize("name", NOT_ONE_LOOP)
def test_what_is_not_one_loop(name: str, tmp_path: Path) -> None:
    done = optimised(tmp_path, *NOT_ONE_LOOP[name])
    assert done.loops == 2, done.text


APART = {
    "another column of a sweep": (UP, "ijk| q(i,j,k) = t(i,j,k) - t(i-1,j,k)", "another column"),
    "other columns": (
        UP,
        "ij startAt(2,1), endAt(nx,ny)| do k = 2, nz; p(i,j,k) = p(i,j,k-1) + t(i,j,k); end do",
        "different columns",
    ),
    "unroll": (UP, "ijk unroll(k:2)| q(i,j,k) = t(i,j,k)", "without loops along columns"),
    "overwritten": (
        "ijk startAt(0,1,1), endAt(nx+1,ny,nz)| t(i,j,k) = q(i,j,k)",
        "ij| do k = 2, nz; q(i,j,k) = q(i,j,k-1) + t(i,j,k) + t(i+1,j,k); end do",
        "is overwritten",
    ),
    "levels that nobody computes": (
        "ijk| t(i,j,k) = a(i,j,k)",
        "ij| do k = 1, nz; p(i,j,k) = p(i,j,k-1) + t(i+1,j,k); end do",
        "does not compute it",
    ),
}


@pytest.mark.parametrize("name", APART)
def test_what_is_not_one_region(name: str, tmp_path: Path) -> None:
    first, second, reason = APART[name]
    done = optimised(tmp_path, first, second)
    assert "2 regions as one" not in done.groups, done.text
    assert reason in done.schedule, done.schedule


STAYS = {
    "ahead": ("p(i,j,k) = p(i,j,k+1) + a(i,j,k)", "2, nz", "'p' is read at k+1 and written in a loop upwards (rule 3"),
    "ahead downwards": ("p(i,j,k) = p(i,j,k-1) + a(i,j,k)", "nz, 2, -1", "written in a loop downwards (rule 3"),
    "written elsewhere": ("p(i,j,k-1) = a(i,j,k)", "2, nz", "'p' is not written at the point itself (rule 2"),
    "written at a level by number": ("p(i,j,1) = a(i,j,k)", "2, nz", "'p' is not written at the point itself (rule 2"),
    "an index array": ("p(i,j,k) = p(i,j,k-1) + a(i,j,index(k))", "2, nz", "an index of 'a' is computed (rule 1"),
    "an index turned round": ("p(i,j,k) = p(i,j,k-1) + a(i,j,nz-k)", "2, nz", "no iterator plus a number (rule 1"),
    "a step": ("p(i,j,k) = p(i,j,k-1) + a(i,j,k)", "2, nz, 2", "has a step (rule 7"),
    "a computed bound": ("p(i,j,k) = p(i,j,k-1) + a(i,j,k)", "2, index(1)", "the bounds of a loop cannot be compared"),
    "a loop in a loop": ("do l = 1, 2; p(i,j,k) = p(i,j,k-1) + l; end do", "2, nz", "there is a 'do' in it"),
    "an exit": ("if (a(i,j,k) > 1) exit; p(i,j,k) = p(i,j,k-1)", "2, nz", "no assignment (rule 6"),
    "the level after the loop": ("p(i,j,k) = p(i,j,k-1); end do; do k = k, nz; q(i,j,k) = k", "2, level", "rule 7"),
}


@pytest.mark.parametrize("name", STAYS)
def test_what_is_no_stage(name: str, tmp_path: Path) -> None:
    body, bounds, reason = STAYS[name]
    done = optimised(tmp_path, UP, f"ij| do k = {bounds}; {body}; end do")
    assert done.groups in ([], ["a region"]), done.text
    line = next(row for row in done.schedule.splitlines() if "stays as it is" in row)
    assert reason in line and re.match(r" *m\.h90:\d+: ", line), line


def test_what_another_column_has_is_no_stage(tmp_path: Path) -> None:
    """Columns beyond the region are read from the array that it writes."""
    body = "do k = 2, nz; p(i,j,k) = p(i+2,j,k-1) + a(i,j,k); end do"
    done = optimised(tmp_path, UP, f"ij startAt(1,1), endAt(2,ny)| {body}")
    assert done.groups in ([], ["a region"]), done.text
    assert "'p' is read in another column and written (rule 3" in done.schedule, done.schedule


def test_on_the_cpu_columns_come_in_blocks(tmp_path: Path) -> None:
    """Variables of the column get a block's width, arrays that vanish are as narrow."""
    done = optimised(tmp_path, UP, UP_TOO, target="cpu")
    assert "in blocks of 128 columns" in done.schedule
    assert re.search(r":: hf_hf_t_km1\(0:127\)", done.text) and not re.search(r"\(0:127,", done.text)
    plain = optimised(tmp_path, UP, "ijk startAt(1,1,2), endAt(nx,ny,nz)| q(i,j,k) = t(i,j,k)", target="cpu", level=1)
    assert not plain.groups, "without blocks a loop along the column would be slow"
