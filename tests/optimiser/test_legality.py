"""What may be fused and what not, case by case (stencil-optimisation.md §1, §3, §13)."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate

HEAD = """module m
  implicit none
  integer, parameter :: h = 2
  real(8), allocatable :: kept(:,:)
contains
  subroutine work(nx, ny, a, b, index, p, q{more})
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: a(1-h:nx+h,1-h:ny+h), b(1-h:nx+h,1-h:ny+h)
    integer, intent(in) :: index(nx)
    real(8), intent(inout) :: p(1-h:nx+h,1-h:ny+h), q(1-h:nx+h,1-h:ny+h)
    real(8) :: t(1-h:nx+h,1-h:ny+h), u(1-h:nx+h,1-h:ny+h), s, total
    integer :: last
"""
TAIL = """  end subroutine work
  subroutine other(x)
    real(8), intent(inout) :: x
    x = x + 1
  end subroutine other
  pure function flux(x, y) result(z)
    real(8), intent(in) :: x, y
    real(8) :: z, d
    d = y - x
    if (d > 0) d = twice(d)
    z = max(d, -1.0d0)
  end function flux
  elemental real(8) function twice(x)
    real(8), intent(in) :: x
    twice = 2 * x
  end function twice
  pure function near(x) result(z)
    real(8), intent(in) :: x
    real(8) :: z
    z = x + kept(1,1)
  end function near
  pure function beyond(x) result(z)
    real(8), intent(in) :: x
    real(8) :: z
    z = near(x) + 1
  end function beyond
  function plain(x) result(z)
    real(8), intent(in) :: x
    real(8) :: z
    z = x
  end function plain
  pure function along(x) result(z)
    real(8), intent(in) :: x(2)
    real(8) :: z
    z = x(1) + x(2)
  end function along
end module m
"""
WIDE = "startAt(0,0), endAt(nx+1,ny+1)"


@dataclass(frozen=True)
class Done:
    """The generated text, and what ``explain --schedule`` says."""

    text: str
    schedule: str

    @property
    def fused(self) -> int:
        """How many groups of more than one region there are."""
        return len(re.findall(r"^ *! \d+ regions as one", self.text, re.M))


def optimised(folder: Path, *regions: str, declare: str = "", level: int = 2, target: str = "cpu") -> Done:
    """Regions (attributes, ``|``, body; or other statements) in a routine, optimised."""
    rows = []
    for region in regions:
        attributes, sign, body = region.partition("|")
        if not sign:
            rows.append(f"    {region}")
            continue
        extra = f", {attributes.strip()}" if attributes.strip() else ""
        rows.append(f"    @parallelRegion{{domName(i,j), domSize(nx,ny){extra}}}")
        rows += [f"      {line.strip()}" for line in body.split(";")]
        rows.append("    @end parallelRegion")
    path = folder / "m.h90"
    path.write_text(HEAD.format(more="") + f"    {declare}\n" + "\n".join(rows) + "\n" + TAIL)
    backend = "openmp" if target == "cpu" else "openacc"
    done = translate([path], Options(target=target, backend=backend, opt=level, jobs=1))
    assert done.files, [d.message for d in done.diagnostics]
    return Done("".join(f.text for f in done.files), done.schedule("work"))


def test_a_chain_vanishes(tmp_path: Path) -> None:
    done = optimised(tmp_path, f"{WIDE}| t(i,j) = a(i,j) + b(i,j)", "| p(i,j) = t(i+1,j) - t(i-1,j)")
    assert done.fused == 1
    assert not re.search(r"\bt\(", done.text)
    assert ":: t(" not in done.text


def test_twice_at_the_same_offset_is_computed_once(tmp_path: Path) -> None:
    done = optimised(
        tmp_path, f"{WIDE}| t(i,j) = a(i,j) + b(i,j)", "| p(i,j) = t(i+1,j) * t(i+1,j) + t(i+1,j)", target="gpu"
    )
    assert done.text.count("a(i+1,j) + b(i+1,j)") == 1


def test_an_index_shifts_with_its_producer(tmp_path: Path) -> None:
    done = optimised(tmp_path, f"{WIDE}| t(i,j) = a(i,j) * i", "| p(i,j) = t(i+1,j)", target="gpu")
    assert "a(i+1,j) * (i+1)" in done.text


def test_a_scratch_array_for_two_values(tmp_path: Path) -> None:
    done = optimised(
        tmp_path,
        f"{WIDE}| t(i,j) = a(i,j) + 1",
        "| p(i,j) = t(i+1,j)",
        f"{WIDE}| t(i,j) = b(i,j) + 2",
        "| q(i,j) = t(i,j-1)",
    )
    assert done.fused == 1
    assert ":: t(" not in done.text


def test_an_update_in_place_is_another_version(tmp_path: Path) -> None:
    done = optimised(
        tmp_path, f"{WIDE}| t(i,j) = a(i,j)", f"{WIDE}| t(i,j) = t(i,j) * b(i,j)", "| p(i,j) = t(i+1,j)", target="gpu"
    )
    assert done.fused == 1
    assert re.search(r"hf_t_v2_ip1 = hf_t_ip1\n *hf_t_v2_ip1 = hf_t_v2_ip1 \* b\(i\+1,j\)", done.text)


def test_what_a_module_keeps_is_stored(tmp_path: Path) -> None:
    done = optimised(tmp_path, "| kept(i,j) = a(i,j)", "| p(i,j) = kept(i,j) + 1")
    assert re.search(r"kept\(i,j\) = ", done.text)


def test_what_the_routine_reads_later_is_stored(tmp_path: Path) -> None:
    done = optimised(tmp_path, f"{WIDE}| t(i,j) = a(i,j) + 1", "| p(i,j) = t(i,j)", "total = t(1,1)")
    assert re.search(r"\bt\(i,j\) = ", done.text)


def test_a_field_of_lower_rank(tmp_path: Path) -> None:
    done = optimised(
        tmp_path, f"{WIDE}| t(i,j) = a(i,j) * c(j)", "| p(i,j) = t(i,j+1)", declare="real(8) :: c(0:ny+1)", target="gpu"
    )
    assert "a(i,j+1) * c(j+1)" in done.text


def test_a_guarded_division_stays_a_branch(tmp_path: Path) -> None:
    done = optimised(
        tmp_path,
        f"{WIDE}| if (a(i,j) > 0.1d0) then; t(i,j) = b(i,j) / a(i,j); else; t(i,j) = 0.0d0; end if",
        "| p(i,j) = t(i+1,j) - t(i-1,j)",
    )
    assert done.fused == 1
    assert "merge(" not in done.text


def test_a_harmless_branch_becomes_a_selection(tmp_path: Path) -> None:
    done = optimised(
        tmp_path,
        f"{WIDE}| if (a(i,j) > 0.1d0) then; t(i,j) = b(i,j) * a(i,j); else; t(i,j) = 0.0d0; end if",
        "| p(i,j) = t(i+1,j) - t(i-1,j)",
    )
    assert "merge(hf_t_im1_yes, hf_t_im1_no, hf_t_im1_mask)" in done.text


def test_a_branch_that_asks_for_the_point_stays(tmp_path: Path) -> None:
    """It may keep away from elements that are not there."""
    done = optimised(
        tmp_path,
        f"{WIDE}| if (i > 1) then; t(i,j) = b(i,j); else; t(i,j) = 0.0d0; end if",
        "| p(i,j) = t(i+1,j) - t(i-1,j)",
    )
    assert done.fused == 1
    assert "merge(" not in done.text


def test_level_1_computes_nothing_twice(tmp_path: Path) -> None:
    regions = f"{WIDE}| t(i,j) = a(i,j) + b(i,j)", "| p(i,j) = t(i+1,j) - t(i-1,j)"
    assert optimised(tmp_path, *regions, level=1).fused == 0
    assert optimised(tmp_path, *regions, level=2).fused == 1
    assert optimised(tmp_path, f"{WIDE}| t(i,j) = a(i,j)", "| p(i,j) = t(i,j)", level=1).fused == 1
    assert optimised(tmp_path, f"{WIDE}| t(i,j) = a(i,j)", "| p(i,j) = t(i,j)", level=0).fused == 0


STAYS = {
    "an index array": (f"{WIDE}| t(i,j) = a(i,j)", "| p(i,j) = t(index(i),j)", "computed"),
    "written at a neighbour": ("| t(i+1,j) = a(i,j)", "| p(i,j) = t(i,j)", "not written at the point"),
    "read at a neighbour and written": (
        f"{WIDE}| t(i,j) = a(i,j)",
        "endAt(2,ny)| p(i,j) = p(i+2,j) + t(i,j)",
        "at a neighbour",
    ),
    "a fact that is stated": (
        f"{WIDE}| t(i,j) = a(i,j)",
        "independent(p)| p(i,j) = p(i-1,j) + t(i,j)",
        "what hfpy cannot prove",
    ),
    "a call": (f"{WIDE}| t(i,j) = a(i,j)", "| call other(p(i,j))", "no assignment"),
    "a reduction": (f"{WIDE}| t(i,j) = a(i,j)", "reduction(+:total)| total = total + t(i,j)", "reduction"),
    "fuse(no)": (f"{WIDE}| t(i,j) = a(i,j)", "fuse(no)| p(i,j) = t(i,j)", "fuse(no)"),
    "a statement between": (f"{WIDE}| t(i,j) = a(i,j)", "last = nx", ""),
    "a missing halo": ("| t(i,j) = a(i,j)", "| p(i,j) = t(i+1,j)", "where this region does not compute it"),
    "a bound that is written": ("| t(i,j) = a(i,j)", "startAt(index(1),1)| p(i,j) = t(i,j)", ""),
}


@pytest.mark.parametrize("name", STAYS)
def test_what_is_not_fused(name: str, tmp_path: Path) -> None:
    first, second, reason = STAYS[name]
    more = ["| p(i,j) = t(i,j)"] if "|" not in second else []
    done = optimised(tmp_path, first, second, *more)
    assert done.fused == 0, done.text
    assert reason in done.schedule, done.schedule


def test_memory_with_two_names(tmp_path: Path) -> None:
    done = optimised(
        tmp_path,
        "| x(i,j) = a(i,j)",
        "| y(i,j) = x(i,j) + 1",
        declare="real(8), pointer :: x(:,:), y(:,:)",
    )
    assert done.fused == 0
    assert "may be the same memory" in done.schedule


def test_different_bounds_are_kept_apart(tmp_path: Path) -> None:
    """Stages over different points in one group: each is stored on its own points."""
    done = optimised(tmp_path, f"{WIDE}| p(i,j) = a(i,j)", "| q(i,j) = a(i,j) + b(i,j)", target="gpu")
    assert done.fused == 1
    assert re.search(r"if \(i >= 1 \.and\. i <= nx \.and\. j >= 1 \.and\. j <= ny\) then", done.text)


def test_an_overwritten_part_stays_visible(tmp_path: Path) -> None:
    """The second region covers a part of the first only, so both have to be stored."""
    done = optimised(tmp_path, f"{WIDE}| p(i,j) = a(i,j)", "| p(i,j) = b(i,j)")
    assert done.fused == 0
    assert "stored twice" in done.schedule


def test_pure_functions_of_numbers_move_with_their_arguments(tmp_path: Path) -> None:
    done = optimised(
        tmp_path, f"{WIDE}| t(i,j) = flux(a(i,j), b(i+1,j))", "| p(i,j) = t(i+1,j) - twice(t(i,j-1))", target="gpu"
    )
    assert done.fused == 1
    assert "flux(a(i+1,j), b(i+2,j))" in done.text
    assert "flux(a(i,j-1), b(i+1,j-1))" in done.text
    # A difference, a branch and its comparison, the product in twice, max, a sign.
    assert re.search(r"stage 0  t: 6 operations", done.schedule), done.schedule


@pytest.mark.parametrize(
    ("call", "because"),
    [
        ("near(a(i,j))", "'near' is called: it reads 'kept', which is not its own"),
        ("beyond(a(i,j))", "'beyond' is called: it calls 'near': it reads 'kept', which is not its own"),
        ("plain(a(i,j))", "'plain' is called: it is not declared 'pure' or 'elemental'"),
        ("along([a(i,j), b(i,j)])", "'along' is called: 'x' is no single number"),
    ],
)
def test_other_functions_keep_regions_apart(tmp_path: Path, call: str, because: str) -> None:
    done = optimised(tmp_path, f"{WIDE}| t(i,j) = {call}", "| p(i,j) = t(i,j) + 1")
    assert done.fused == 0
    assert because in done.schedule, done.schedule
