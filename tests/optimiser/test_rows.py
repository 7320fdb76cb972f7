"""Groups on the CPU: which stages are kept, and how many rows of them there are. Results are compared in
``test_random.py``.
"""

import re
from pathlib import Path

import pytest

from hfpy.options import Machine, Options
from hfpy.pipeline import translate
from tests.optimiser.test_legality import WIDE, optimised

HEAVY = "t(i,j) = (a(i,j) + b(i,j)) * (a(i,j) - b(i,j)) / (a(i,j) + 2) + a(i,j) * b(i,j) - exp(b(i,j))"


@pytest.mark.parametrize(
    ("use", "room", "first"),
    [
        ("t(i,j+1) - t(i,j-1)", r"hf_t_rows\(1:nx,0:3\)", "hf_j_block-2"),
        ("t(i,j) - t(i,j-1)", r"hf_t_rows\(1:nx,0:1\)", "hf_j_block-1"),
        ("t(i,j+1) - t(i+1,j+1)", r"hf_t_rows\(1:nx\+1\)", "hf_j_block"),
        ("t(i+1,j) - t(i-1,j)", r"hf_t_rows\(0:nx\+1\)", "hf_j_block"),
    ],
)
def test_a_ring_holds_the_rows_from_the_last_read_to_the_newest_up_to_a_power_of_two(
    tmp_path: Path, use: str, room: str, first: str
) -> None:
    done = optimised(tmp_path, f"{WIDE}| {HEAVY}", f"| p(i,j) = {use}")
    assert re.search(rf":: {room}", done.text), done.text
    assert f"do hf_j_row = {first}, min(" in done.text
    assert "row by row" in done.schedule


def test_what_is_cheap_is_computed_again(tmp_path: Path) -> None:
    done = optimised(tmp_path, f"{WIDE}| t(i,j) = a(i,j) + b(i,j)", "| p(i,j) = t(i,j+1) - t(i,j-1)")
    assert done.fused == 1
    assert "_rows" not in done.text


def test_it_counts_where_a_stage_would_be_computed_not_how_often_it_is_needed(tmp_path: Path) -> None:
    """``u`` is needed at four points, but as ``t`` is kept, only at two of them for each of its own."""
    done = optimised(
        tmp_path,
        f"{WIDE}| u(i,j) = a(i,j) * 2 + b(i,j)",
        "startAt(1,1), endAt(nx+1,ny)| t(i,j) = u(i,j) * u(i-1,j) / (b(i,j) + 2) * a(i,j) - exp(a(i,j) + b(i,j)) + 1",
        "startAt(1,1)| p(i,j) = t(i,j) - t(i+1,j)",
    )
    assert done.fused == 1
    assert "hf_t_rows" in done.text
    assert "hf_u_rows" not in done.text
    assert re.search(r"stage 0: needed at 3 points .*, written out 2 times, vanishes", done.schedule)


def test_a_row_that_is_stored_later_is_in_the_ring_until_then(tmp_path: Path) -> None:
    done = optimised(tmp_path, f"{WIDE}| {HEAVY.replace('t(', 'kept(', 1)}", "| p(i,j) = kept(i,j+2) / 3 - kept(i,j+1)")
    if done.fused:
        assert re.search(r":: hf_kept_rows\(.*,0:3\)", done.text)


def test_one_iterator_has_no_rows(tmp_path: Path) -> None:
    """Whatever a stage costs: a group over one iterator computes everything at the point."""
    path = tmp_path / "line.h90"
    path.write_text(
        "subroutine line(n, a, p)\n  implicit none\n  integer, intent(in) :: n\n"
        "  real(8), intent(in) :: a(0:n+1)\n  real(8), intent(inout) :: p(0:n+1)\n  real(8) :: t(0:n+1)\n"
        "  @parallelRegion{domName(i), domSize(n), startAt(0), endAt(n+1)}\n"
        "  t(i) = exp(a(i)) * exp(2 * a(i)) + exp(3 * a(i))\n  @end parallelRegion\n"
        "  @parallelRegion{domName(i), domSize(n)}\n  p(i) = t(i+1) - t(i-1)\n  @end parallelRegion\n"
        "end subroutine line\n"
    )
    dear = Machine(1e9, 1e13, 1 << 19, 1e-5)  # memory is slow: fusing pays
    done = translate([path], Options(backend="openmp", opt=2, jobs=1, machine=dear))
    assert not done.diagnostics
    assert "2 regions as one, by points" in done.files[0].text
    assert "_rows" not in done.files[0].text


def outside(stage: str, iterators: str, use: str, folder: Path) -> str:
    """The text for a stage ``t`` in three iterators, the last of the text ``iterators`` outside, and its user."""
    _, j, k = iterators
    path = folder / "outside.h90"
    head = f"domName({','.join(iterators)}), domSize(n,n,n)"
    path.write_text(
        "subroutine outside(n, a, b, p)\n  implicit none\n  integer, intent(in) :: n\n"
        "  real(8), intent(in) :: a(0:n+1,0:n+1,0:n+1), b(0:n+1,0:n+1,0:n+1)\n"
        "  real(8), intent(inout) :: p(0:n+1,0:n+1,0:n+1)\n  real(8) :: t(0:n+1,0:n+1,0:n+1)\n"
        f"  @parallelRegion{{{head}, startAt(1,1,1), endAt(n,n+1,n+1)}}\n  t(i,{j},{k}) = {stage}\n"
        "  @end parallelRegion\n"
        f"  @parallelRegion{{{head}}}\n  p(i,{j},{k}) = {use}\n  @end parallelRegion\n"
        "end subroutine outside\n"
    )
    done = translate([path], Options(backend="openmp", opt=2, jobs=1, machine=Machine(1e9, 1e13, 1 << 19, 1e-5)))
    assert not done.diagnostics
    assert "2 regions as one" in done.files[0].text
    return done.files[0].text


@pytest.mark.parametrize("iterators", ["ijk", "ikj"])
def test_rows_that_reach_along_an_outer_iterator_are_kept_only_if_dear(iterators: str, tmp_path: Path) -> None:
    """Eight operations at four points are computed again; exponential functions are not."""
    _, j, k = iterators
    at = f"(i,{j},{k})"
    cheap, dear = f"b{at}*a{at} + (1 - b{at})*a{at}*(2 - a{at})*(3 - b{at})", f"exp(a{at}) + exp(b{at})"
    row, level = f"{j}+1,{k}", f"{j},{k}+1"
    both = f"t{at} - t(i,{level}) + t(i,{row}) + t(i,{j}+1,{k}+1)"
    assert "_rows" not in outside(cheap, iterators, both, tmp_path)
    text = outside(dear, iterators, both, tmp_path)
    assert "hf_t_rows" in text and f"hf_{k}_block" in text


def test_threads_share_the_blocks_of_all_levels(tmp_path: Path) -> None:
    """There may be more threads than levels."""
    text = outside("exp(a(i,j,k)) + exp(b(i,j,k))", "ijk", "t(i,j+1,k) - t(i,j,k)", tmp_path)
    loops = r"!\$omp parallel do collapse\(2\).*\n(?:.*&.*\n)*\s*do k = 1, n\n\s*do hf_j_block = 1, n, \d+\n"
    assert re.search(loops, text), text


@pytest.mark.parametrize(
    "stage",
    [
        "sqrt(a(i,j)*a(i,j) + b(i,j))",
        "a(i,j)/(b(i,j) + 2)",
        "(a(i,j) + 2)**1.5d0",
        "tanh(b(i,j))",
        "a(i,j) + b(i,j)",
    ],
)
def test_a_star_of_values_has_kept_rows(stage: str, tmp_path: Path) -> None:
    """Five roots or divisions a point cost more than a row; of a sum, reading its fields five times does."""
    star = "t(i-1,j) + t(i+1,j) + t(i,j-1) + t(i,j+1) - 4*t(i,j)"
    done = optimised(tmp_path, f"{WIDE}| t(i,j) = {stage}", f"| p(i,j) = {star}")
    assert done.fused == 1
    assert re.search(r":: hf_t_rows\(0:nx\+1,0:3\)", done.text), done.text
