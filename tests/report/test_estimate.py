"""The estimate for OpenACC on a program whose figures are counted by hand."""

from pathlib import Path

import pytest

from hfpy.report.productivity.command import make_report
from hfpy.report.productivity.estimate import Estimate, NoEstimate
from hfpy.report.productivity.report import as_data, bars

# Coarse on the CPU, fine on the GPU: both routines lie differently to kernels there, `smooth` does not.
PHYSICS = """\
module physics
  implicit none
contains
  subroutine run(nx, ny, nz, t)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: t(nx, ny, nz)
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, transferHere)}
    t
    @end domainDependant
    @parallelRegion{appliesTo(CPU), domName(i,j), domSize(nx,ny)}
    call column(nx, ny, nz, t)
    @end parallelRegion
    call smooth(nx, ny, nz, t)
  end subroutine run

  subroutine column(nx, ny, nz, t)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: t(nz)
    integer :: k
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, present)}
    t
    @end domainDependant
    @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny)}
    do k = 2, nz
      t(k) = t(k) &
           + t(k-1)
    end do
    @end parallelRegion
  end subroutine column

  subroutine smooth(nx, ny, nz, t)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: t(nx, ny, nz)
    @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, present)}
    t
    @end domainDependant
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    t(i,j,1) = 0.5d0 * t(i,j,1)
    t(i,j,2) = 0.25d0 * t(i,j,2)
    @end parallelRegion
  end subroutine smooth
end module physics
"""
TOML = """\
[project]
name = "p"
sources = ["."]
exports = []
{}
"""
LAYOUT = """\
[layout]
cpu = "k i j"
gpu = "i j k"
[domains]
i = { size = ["nx"], iterators = ["i"] }
j = { size = ["ny"], iterators = ["j"] }
k = { size = ["nz"], iterators = ["k"] }
"""


def project(folder: Path, source: str, toml: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "physics.h90").write_text(source)
    (folder / "hfpy.toml").write_text(TOML.format(toml))
    return folder


@pytest.fixture(scope="module")
def estimated(tmp_path_factory: pytest.TempPathFactory) -> Estimate:
    folder = project(tmp_path_factory.mktemp("estimate") / "p", PHYSICS, LAYOUT)
    found = make_report(folder, folder, (), {}).estimate
    assert isinstance(found, Estimate)
    return found


def test_routines_with_other_positions(estimated: Estimate) -> None:
    """Without the lines of directives: OpenACC has none of them."""
    found = {d.name: (d.lines, d.cpu, d.gpu) for d in estimated.duplicated}
    assert found == {"run": (6, "within", "inside"), "column": (8, "outside", "within")}
    assert estimated.duplicated_lines == 14


def test_lines_with_storage_order_macros(estimated: Estimate) -> None:
    """One continued statement in ``column``, two in ``smooth``; a declaration in each of the three routines."""
    assert (estimated.accesses, estimated.declarations, estimated.macros) == (3, 3, 6)


def test_directives(estimated: Estimate) -> None:
    """Two kernels with a beginning and an end each, and the copies of ``t`` around them."""
    assert estimated.complete
    assert estimated.directives >= 4 + 2


def test_the_same_order_on_both_needs_no_macros(tmp_path: Path) -> None:
    folder = project(tmp_path / "p", PHYSICS, LAYOUT.replace('"k i j"', '"i j k"'))
    found = make_report(folder, folder, (), {}).estimate
    assert isinstance(found, Estimate)
    assert (found.accesses, found.declarations) == (0, 0)


def test_positions_that_agree_need_no_copy(tmp_path: Path) -> None:
    everywhere = PHYSICS.replace("appliesTo(GPU), ", "").replace(
        "    @parallelRegion{appliesTo(CPU), domName(i,j), domSize(nx,ny)}\n    call column(nx, ny, nz, t)\n"
        "    @end parallelRegion\n",
        "    call column(nx, ny, nz, t)\n",
    )
    folder = project(tmp_path / "p", everywhere, LAYOUT)
    found = make_report(folder, folder, (), {}).estimate
    assert isinstance(found, Estimate)
    assert found.duplicated == ()
    assert found.macros == 6


def test_macros_of_the_user_count(tmp_path: Path) -> None:
    source = """\
subroutine s(nx, ny, nz, a)
  integer, intent(in) :: nx, ny, nz
  real, intent(inout) :: a(nz)
  @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom, present)}
  a
  @end domainDependant
  @parallelRegion{domName(i,j), domSize(nx,ny)}
  a(1) = a(2)
  a(2) = 3.
  @end parallelRegion
end subroutine s
"""
    folder = project(tmp_path / "p", source, 'storage_order = "storage_order.F90"\n')
    (folder / "storage_order.F90").write_text("#define AT(i,j,k) k,i,j\n#define DOM(i,j,k) k,i,j\n")
    report = make_report(folder, folder, (), {})
    assert isinstance(report.estimate, Estimate)
    assert (report.estimate.accesses, report.estimate.declarations) == (2, 1)


def test_host_code_needs_no_copy(tmp_path: Path) -> None:
    """A routine that calls a kernel on one target only is host code on both."""
    host = """\
  subroutine driver(nx, ny, nz, t)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: t(nx, ny, nz)
    call only(nx, ny, nz, t)
  end subroutine driver

  subroutine only(nx, ny, nz, t)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: t(nx, ny, nz)
    @parallelRegion{appliesTo(GPU), domName(i,j), domSize(nx,ny)}
    t(i,j,1) = 0.5d0
    @end parallelRegion
  end subroutine only
end module physics
"""
    folder = project(tmp_path / "p", PHYSICS.replace("end module physics\n", host), LAYOUT)
    found = make_report(folder, folder, (), {}).estimate
    assert isinstance(found, Estimate)
    assert [d.name for d in found.duplicated] == ["run", "column", "only"]


def test_directives_of_the_user_are_not_hfpys(estimated: Estimate, tmp_path: Path) -> None:
    own = PHYSICS.replace("  subroutine smooth", "  !$acc routine seq\n  !$acc declare create(x)\n  subroutine smooth")
    folder = project(tmp_path / "p", own, LAYOUT)
    found = make_report(folder, folder, (), {}).estimate
    assert isinstance(found, Estimate)
    assert found.directives == estimated.directives


def test_the_bars_add_up(estimated: Estimate, tmp_path: Path) -> None:
    folder = project(tmp_path / "p", PHYSICS, LAYOUT)
    before = tmp_path / "before"
    before.mkdir()
    plain = [line for line in PHYSICS.splitlines() if "@" not in line and line.strip() != "t"]
    (before / "physics.f90").write_text("\n".join(plain).replace("+ t(k-1)", "+ 2 * t(k-1)"))
    report = make_report(before, folder, (), {})
    hybrid, openacc = bars(report)
    assert (report.figures.replaced, report.figures.new) == (1, 16)
    assert hybrid.total == 16
    assert {key: n for key, _, n in hybrid.parts if n} == {"parallelisation": 6, "layout": 9, "other": 1}
    assert openacc.total == estimated.directives + 6 + 14 + 1
    data = as_data(report)["openacc"]
    assert data["new"]["lines"] == openacc.total
    assert data["macro_lines"] == {"accesses": 3, "declarations": 3, "all": 6}


def test_code_that_cannot_be_analysed_gives_figures_and_the_reason(tmp_path: Path) -> None:
    folder = project(
        tmp_path / "p", PHYSICS.replace("@end parallelRegion\n  end subroutine smooth", "end subroutine"), ""
    )
    report = make_report(folder, folder, (), {})
    assert report.figures.kept == report.figures.hybrid_lines > 30
    assert isinstance(report.estimate, NoEstimate)
    assert report.estimate.problems[0].code == "HF204"
    assert len(bars(report)) == 1
    assert as_data(report)["openacc"]["estimated"] is False


def test_what_the_backend_refuses_is_said(tmp_path: Path) -> None:
    bad = PHYSICS.replace("    t(i,j,1) = 0.5d0", "    write(*,*) t(i,j,1)\n    t(i,j,1) = 0.5d0")
    report = make_report(project(tmp_path / "p", bad, LAYOUT), tmp_path / "p", (), {})
    assert isinstance(report.estimate, Estimate)
    assert not report.estimate.complete
    assert report.estimate.problems[0].code.startswith("HF")
    assert report.estimate.macros == 7
