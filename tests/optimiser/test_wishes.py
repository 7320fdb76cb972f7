"""What directives ask of the optimiser: ``unroll``, ``tile``, ``fuse`` and ``@stencilProgram``. Results are compared in
``test_random.py``; here is what becomes of the text, and what is told where a wish cannot be granted.
"""

import re
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from hfpy.translation import Translation

MODULE = """module m
  implicit none
  real(8), allocatable :: kept(:,:)
contains
  subroutine work(nx, ny, a, p, q)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: a(0:nx+1,0:ny+1)
    real(8), intent(inout) :: p(0:nx+1,0:ny+1), q(0:nx+1,0:ny+1)
    real(8) :: t(0:nx+1,0:ny+1)
{body}
  end subroutine work
end module m
"""
DOMAIN = "domName(i,j), domSize(nx,ny)"


def region(body: str, attributes: str = "") -> str:
    extra = f", {attributes}" if attributes else ""
    return f"    @parallelRegion{{{DOMAIN}{extra}}}\n      {body}\n    @end parallelRegion"


def translated(folder: Path, *rows: str, backend: str = "openmp", level: int = 2) -> Translation:
    path = folder / "m.h90"
    path.write_text(MODULE.format(body="\n".join(rows)))
    target = "cpu" if backend in ("openmp", "sequential") else "gpu"
    return translate([path], Options(target=target, backend=backend, opt=level, jobs=1))


def text(done: Translation) -> str:
    assert done.files, [d.message for d in done.diagnostics]
    assert not done.diagnostics, [d.message for d in done.diagnostics]
    return "".join(f.text for f in done.files)


def warned(done: Translation) -> list[tuple[str, int, str]]:
    return [(d.code, d.place.line, d.message) for d in done.diagnostics]


def test_a_thread_of_two_points_guards_the_second(tmp_path: Path) -> None:
    made = text(translated(tmp_path, region("p(i,j) = a(i,j) + a(i,j+1)", "unroll(j:2)"), backend="openacc"))
    assert "do j = 1, ny, 2" in made
    assert re.search(r"if \(j <= ny-1\) then\n *hf_p_jp1 = a\(i,j\+1\) \+ a\(i,j\+2\)", made)


def test_two_dimensions_at_once(tmp_path: Path) -> None:
    made = text(translated(tmp_path, region("p(i,j) = a(i,j)", "unroll(i:2, j:3)"), backend="openacc"))
    assert len(re.findall(r"p\(i(?:\+1)?,j(?:\+[12])?\) = ", made)) == 6


def test_the_rest_of_the_rows_has_a_loop_of_its_own(tmp_path: Path) -> None:
    made = text(translated(tmp_path, region("p(i,j) = a(i,j)", "unroll(j:4)")))
    assert re.search(r"do j = hf_j_block, min\(hf_j_block\+\d+, ny\)-3, 4", made)
    assert re.search(r"do j = j, min\(hf_j_block\+\d+, ny\)", made)
    assert made.count("p(i,j+3) = ") == 1


def test_tiles_on_the_cpu(tmp_path: Path) -> None:
    made = text(translated(tmp_path, region("p(i,j) = a(i,j)", "tile(i:16, j:4)")))
    assert "do hf_j_block = 1, ny, 4" in made
    assert "do hf_i_block = 1, nx, 16" in made
    assert "do i = hf_i_block, min(hf_i_block+15, nx)" in made


@pytest.mark.parametrize("fused", [False, True])
def test_tiles_are_blocks_of_threads_for_cuda(tmp_path: Path, fused: bool) -> None:
    regions = [region("t(i,j) = a(i,j)", "tile(i:64, j:2)"), region("p(i,j) = t(i,j)")]
    if not fused:
        regions = [region("p(i,j) = a(i,j)", "tile(i:64, j:2)")]
    done = translated(tmp_path, *regions, backend="cuda-c")
    assert not done.diagnostics
    made = "".join(f.text for f in (*done.files, *done.beside))
    assert re.search(r"\b64, 2, 1\b", made), made


def test_keeping_apart_and_together(tmp_path: Path) -> None:
    chain = ("t(i,j) = a(i,j) + 1", "p(i,j) = t(i,j) * 2", "q(i,j) = p(i,j) - 1")

    def groups(*names: str) -> list[str]:
        rows = [region(body, f"fuse({n})" if n else "") for body, n in zip(chain, names, strict=True)]
        return re.findall(r"! (\d) regions as one", text(translated(tmp_path, *rows)))

    assert groups("", "", "") == ["3"]
    assert groups("", "", "no") == ["2"]
    assert groups("x", "y", "y") == ["2"]
    assert groups("x", "y", "z") == []


def test_a_module_array_vanishes_if_it_is_temporary(tmp_path: Path) -> None:
    rows = (region("kept(i,j) = a(i,j) + 1"), region("p(i,j) = kept(i,j) * 2"))
    assert "kept(i,j) = " in text(translated(tmp_path, *rows))
    around = ("    @stencilProgram{temporary(kept)}", *rows, "    @end stencilProgram")
    made = text(translated(tmp_path, *around))
    assert "hf_kept = a(i,j) + 1" in made
    assert not re.search(r"\bkept\(i,j\)", made)


def test_no_region_inside_is_fused_with_one_outside(tmp_path: Path) -> None:
    rows = [region("t(i,j) = a(i,j) + 1"), region("p(i,j) = t(i,j)"), region("q(i,j) = p(i,j)")]
    rows.insert(1, "    @stencilProgram{fuse(auto)}")
    rows.append("    @end stencilProgram")
    assert re.findall(r"! (\d) regions as one.*: (.*)", text(translated(tmp_path, *rows))) == [("2", "p; q")]


def test_fuse_none(tmp_path: Path) -> None:
    rows = ["    @stencilProgram{fuse(none)}", region("t(i,j) = a(i,j)"), region("p(i,j) = t(i,j)")]
    made = text(translated(tmp_path, *rows, "    @end stencilProgram"))
    assert "as one" not in made


def test_level_0_grants_nothing_and_says_nothing(tmp_path: Path) -> None:
    made = text(translated(tmp_path, region("p(i,j) = a(i,j)", "unroll(j:4), tile(j:8)"), level=0))
    assert "block" not in made


def test_wishes_that_cannot_be_granted(tmp_path: Path) -> None:
    loop = region("p(i,j) = sum(a(i,:))", "unroll(j:2)")
    assert warned(translated(tmp_path, loop)) == [("HF701", 10, "'unroll' has no effect: 'sum' is called")]
    tiled = region("p(i,j) = a(i,j)", "tile(i:8)")
    assert warned(translated(tmp_path, tiled, backend="openacc")) == [
        ("HF701", 10, "'tile' has no effect: this backend leaves the shape of blocks to the compiler")
    ]
    carried = [region("p(i,j) = a(i,j)"), region("q(i,j) = p(i-1,j) + p(i+1,j)")]
    scope = ["    @stencilProgram{fuse(all)}", *carried, "    @end stencilProgram"]
    assert warned(translated(tmp_path, *scope)) == [
        (
            "HF701",
            10,
            "fuse(all): the regions of this stencil program are not one: "
            "'p' is read where this region does not compute it",
        )
    ]


def test_what_follows_optimised_regions_is_told_at_its_place(tmp_path: Path) -> None:
    rows = [region("t(i,j) = a(i,j)"), region("p(i,j) = t(i,j)"), region("q(i,j) = sum(a(i,:))", "unroll(j:2)")]
    assert [place for _, place, _ in warned(translated(tmp_path, *rows))] == [16]


@pytest.mark.parametrize(
    ("rows", "code", "line"),
    [
        ([region("p(i,j) = a(i,j)", "unroll(k:2)")], "HF202", 10),
        ([region("p(i,j) = a(i,j)", "unroll(j)")], "HF202", 10),
        ([region("p(i,j) = a(i,j)", "tile(j:0)")], "HF202", 10),
        ([region("p(i,j) = a(i,j)", "tile(j:2, j:4)")], "HF202", 10),
        (["    @stencilProgram{temporary(nobody)}", "    @end stencilProgram"], "HF300", 10),
        (["    @stencilProgram{temporary(nx)}", "    @end stencilProgram"], "HF202", 10),
        (["    @stencilProgram{fuse(some)}", "    @end stencilProgram"], "HF210", 10),
        (["    @stencilProgram{fuse(all)}"], "HF204", 10),
        (["    @end stencilProgram"], "HF205", 10),
        (
            ["    @stencilProgram{fuse(all)}", "    if (nx > 1) then", "    @end stencilProgram", "    end if"],
            "HF109",
            12,
        ),
        (["    @stencilProgram{name(x)}"] * 2 + ["    @end stencilProgram"], "HF207", 11),
        (
            [
                "    @stencilProgram{temporary(t)}",
                region("t(i,j) = a(i,j)"),
                "    @end stencilProgram",
                "    p(1,1) = t(2,2)",
            ],
            "HF507",
            15,
        ),
    ],
)
def test_mistakes(tmp_path: Path, rows: list[str], code: str, line: int) -> None:
    done = translated(tmp_path, *rows)
    assert not done.files
    assert (code, line) in [(d.code, d.place.line) for d in done.diagnostics if d.severity == "error"]


def test_directives_in_comments(tmp_path: Path) -> None:
    """In a plain file the directives are in comments, and regions bring their loops."""
    path = tmp_path / "m.f90"
    rows = [
        "    integer :: i, j",
        "    !@stencilProgram{temporary(kept), fuse(all)}",
        *(
            line
            for body in ("kept(i,j) = a(i,j) * 2", "p(i,j) = kept(i,j) + 1")
            for line in (
                f"    !@parallelRegion{{{DOMAIN}, unroll(j:2)}}",
                "    do j = 1, ny",
                "      do i = 1, nx",
                f"        {body}",
                "      end do",
                "    end do",
                "    !@end parallelRegion",
            )
        ),
        "    !@end stencilProgram",
    ]
    path.write_text(MODULE.format(body="\n".join(rows)))
    made = text(translate([path], Options(target="cpu", backend="openmp", jobs=1)))
    assert "2 regions as one" in made and "unrolled j:2" in made
    assert not re.search(r"\bkept\(i,j\)", made)
