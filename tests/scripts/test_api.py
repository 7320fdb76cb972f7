"""Programs as Python values: finding kernels, several ways, statements around them, and what is generated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import hfpy
from hfpy.api import IllegalTransform, RegionCode
from hfpy.diagnostics import HfpyError, UsageError
from hfpy.options import ScriptFolder
from tests.support import CUDA_C, OPENMP, Corpus, Pair, Variant, translate_text

SOURCE = """module one
  implicit none
contains
  subroutine work(nx, u, v)
    integer, intent(in) :: nx
    real(8), intent(inout) :: u(4,4,nx), v(4,nx)
    integer :: i, k, l
    @parallelRegion{domName(i), domSize(nx)}
    do l = 1, 4
      do k = 1, 4
        u(k,l,i) = u(k,l,i) + v(k,i)
      end do
    end do
    @end parallelRegion
    @parallelRegion{domName(i), domSize(nx), name(last)}
    v(:,i) = 0
    @end parallelRegion
  end subroutine
end module
module two
  implicit none
contains
  subroutine work(nx, u)
    integer, intent(in) :: nx
    real(8), intent(inout) :: u(nx)
    integer :: i
    @parallelRegion{domName(i), domSize(nx)}
    u(i) = 1
    @end parallelRegion
  end subroutine
end module
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "all.h90"
    path.write_text(SOURCE)
    return path


def test_kernels_by_name(source: Path) -> None:
    program = hfpy.read(source)
    assert list(program) == ["one::work", "last", "two::work"] and len(program) == 3
    assert program["ONE::work"].source.line == 8 and program["one::last"].name == "last"
    with pytest.raises(KeyError, match="several kernels are called 'work': one::work, two::work"):
        program["work"]
    with pytest.raises(KeyError, match="did you mean 'last'"):
        program["lst"]
    assert program["two::work"].arrays["u"].role == "output" and program["last"].target == "openmp"


def test_what_counts(source: Path, tmp_path: Path) -> None:
    program = hfpy.read(source)
    first = program["one::work"]
    one = first.interchange("l", "k")
    assert program["one::work"] is one and first.steps == ()
    other = first.unroll("k")
    with pytest.raises(ValueError, match="transformed in several ways"):
        program.write(tmp_path / "out")
    program["one::work"] = one
    assert "do k = 1, 4" in program.texts()["all.F90"]
    program["one::work"] = other
    text = program.texts()["all.F90"]
    assert "u(4,l,i) = u(4,l,i) + v(4,i)" in text and program["one::work"] is other
    program["one::work"] = first
    assert program["one::work"] is first and "! by" not in program.texts()["all.F90"]
    assert program["one::work"].unroll("l") is program["one::work"]
    with pytest.raises(ValueError, match="was not made from"):
        program["last"] = other


def test_what_is_written(source: Path, tmp_path: Path) -> None:
    """Nothing asked: what hfpy writes by itself. The same again: no file is written anew."""
    program = hfpy.read(source)
    (path,) = program.write(tmp_path / "out")
    assert path.read_text() == translate_text({"all.h90": SOURCE}, backend="openmp", exports=None).files["all.F90"]
    before = path.stat().st_mtime_ns
    assert program.write(tmp_path / "out") == (path,) and path.stat().st_mtime_ns == before
    program["last"].schedule("dynamic")
    program.write(tmp_path / "out")
    assert "schedule(dynamic)" in path.read_text()


def test_faults(source: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        hfpy.read(tmp_path / "nothing.h90")
    with pytest.raises(UsageError, match="unexpected keyword"):
        hfpy.read(source, colour="red")
    with pytest.raises(IllegalTransform) as refused:
        hfpy.read(source)["one::work"].split("l", 0)
    assert refused.value.rule == "a number from 1 to 256" and refused.value.place.line == 8
    assert refused.value.script is not None and refused.value.script.file == __file__
    wrong = tmp_path / "wrong.h90"
    wrong.write_text(SOURCE.replace("domSize(nx)}\n    u(i)", "domSize(nx)\n    u(i)"))
    with pytest.raises(HfpyError, match="HF2"):
        hfpy.read(wrong)
    program = hfpy.read(source)
    program["last"].after("v(1,1) = 'text' ) (")
    with pytest.raises(HfpyError):
        program.texts()


def test_what_the_model_says(source: Path) -> None:
    program = hfpy.read(source)
    assert program["one::work"].stats is None and program["one::work"].model() is None
    assert "'do'" in program["one::work"].why_not
    plain = program["two::work"]
    assert plain.stats is not None and (plain.stats.bytes, plain.stats.operations, plain.why_not) == (8, 0, "")
    assert plain.model() == plain.stats.seconds > 0


class Marked:
    """Loops with a comment before them."""

    name = "marked"
    openmp = False

    def open_region(self, code: RegionCode) -> list[str]:
        return [f"{code.indent}! mine", *(f"{code.indent}{loop.head}" for loop in code.loops)]

    def close_region(self, code: RegionCode) -> list[str]:
        return [f"{code.indent}{loop.end}" for loop in code.loops]


def test_a_backend_of_ones_own(source: Path) -> None:
    program = hfpy.read(source, backend="sequential")
    text = program.texts({"sequential": Marked()})["all.F90"]
    assert text.count("! mine") == 3 and "! mine" not in program.texts()["all.F90"]


AROUND = """module around
  implicit none
contains
  subroutine work(nx, u, v)
    integer, intent(in) :: nx
    real(8), intent(inout) :: u(4,nx), v(4,nx)
    integer :: i, k
    {before}{begin}
    do k = 1, 4
      u(k,i) = u(k,i) + v(k,i)
    end do
    {end}{after}
    {begin}
    v(:,i) = 2 * v(:,i) + u(:,i)
    {end}
  end subroutine
  subroutine run()
    real(8) :: u(4,3), v(4,3)
    integer :: n
    u = reshape([(0.5d0*n, n = 1, size(u))], shape(u))
    v = reshape([(0.25d0*n, n = 1, size(v))], shape(v))
    call work(3, u, v)
    print '(6f9.3)', u, v
  end subroutine
end module
"""
SUM, SET = "print '(f8.3)', sum(u)", "v(1,1) = v(1,1) + 1"


@pytest.mark.parametrize("variant", [OPENMP, CUDA_C], ids=lambda v: v.label)
def test_statements_around_a_kernel(variant: Variant, tmp_path: Path) -> None:
    """They see what the kernel has set, and it sees what they set, wherever that is."""
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "s.py").write_text(
        "def annotate(kernel, annotations, context):\n"
        f"    return kernel.before({SUM!r}).after({SUM!r}, {SET!r}) if kernel.name == 'first' else kernel\n"
    )
    way = replace(variant, options={**variant.options, "scripts": ScriptFolder(scripts, "s", "", True)})
    region = "@parallelRegion{domName(i), domSize(nx)}"
    hybrid = AROUND.format(before="", begin=region, end="@end parallelRegion", after="")
    hybrid = hybrid.replace(region, "@parallelRegion{domName(i), domSize(nx), name(first)}", 1)
    plain = AROUND.format(before=f"{SUM}\n", begin="do i = 1, nx", end="end do", after=f"\n{SUM}\n{SET}")
    pair = Pair("around", {"around.h90": hybrid}, {"around.f90": plain}, "around")
    Corpus([pair], tmp_path, {"around": (way,)}).check_one("around", way)
