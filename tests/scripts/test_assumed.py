"""Conditions that scripts rely on and programs test; places of loops; questions on stages and arrays."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import hfpy
from hfpy.api import IllegalTransform, Kernel
from tests.support import translate_text

SOURCE = """module shift
  implicit none
  integer :: far = 3
contains
  subroutine work(nx, n, m, u, s)
    integer, intent(in) :: nx, n, m
    real(8), intent(inout) :: u(n+m,n,nx), s
    integer :: i, k, l
    @parallelRegion{domName(i), domSize(nx), name(moved)}
    do l = 2, n
      do k = 1, n
        u(k,l,i) = u(k+m,l-1,i) + 1
      end do
    end do
    @end parallelRegion
    @parallelRegion{domName(i), domSize(nx), name(total), reduction(+:s)}
    s = s + u(1,1,i)
    @end parallelRegion
  end subroutine work
end module shift
program test
  use shift
  implicit none
  integer :: nx, n, m, i
  real(8), allocatable :: u(:,:,:)
  real(8) :: s
  character(8) :: word
  call get_command_argument(1, word)
  read (word, *) m
  nx = 5
  n = 6
  allocate (u(n+abs(m),n,nx))
  u = reshape([(mod(7*i, 23), i=1, size(u))], shape(u))
  s = 0
  call work(nx, n, m, u, s)
  print *, sum(u), u(2,3,4), s
end program test
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    source = tmp_path / "shift.h90"
    source.write_text(SOURCE)
    return source


def _run(program: hfpy.api.Program, folder: Path, m: int) -> subprocess.CompletedProcess[str]:
    program.write(folder)
    built = folder / "test"
    subprocess.run(["gfortran", "-cpp", "-o", str(built), *map(str, folder.glob("*.F90"))], check=True, cwd=folder)
    return subprocess.run([str(built), str(m)], capture_output=True, text=True, check=False)


def test_what_is_assumed_makes_a_transformation_legal_and_is_tested(path: Path, tmp_path: Path) -> None:
    program = hfpy.read(path, backend="sequential")
    kernel = program["moved"]
    with pytest.raises(IllegalTransform, match="in another order"):
        kernel.interchange("l", "k")
    made = kernel.assume("m <= 0 .and. n >= 1").interchange("l", "k")
    assert [step.call for step in made.steps] == ["assume('m <= 0 .and. n >= 1')", "interchange('l', 'k')"]
    program["moved"] = made
    plain = _run(hfpy.read(path, backend="sequential"), tmp_path / "plain", 0)
    changed = _run(program, tmp_path / "made", 0)
    assert plain.returncode == 0 and changed.stdout == plain.stdout
    refused = _run(program, tmp_path / "made", 1)
    assert refused.returncode != 0 and "shift.h90:9: kernel moved needs m <= 0 .and. n >= 1" in refused.stderr


def test_a_condition_that_does_not_help(path: Path) -> None:
    kernel = hfpy.read(path, backend="sequential")["moved"].assume("m >= 1")
    with pytest.raises(IllegalTransform, match="in another order"):
        kernel.interchange("l", "k")


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("m + 1", "'m \\+ 1' is something else"),
        ("m >", "'m >' is no expression"),
        ("size(u) > 3", "is something else"),
        ("s > 3", "'s' is no integer variable"),
        ("zzz > 3", "'zzz' is no integer variable"),
        ("u > 3", "'u' is no integer variable"),
        ("k > 0", "'k' may change in it"),
        ("i > 0", "'i' (is no integer|may change)"),
        ("mod(m, 2) == 0", "is something else"),
    ],
)
def test_what_cannot_be_assumed(condition: str, message: str, path: Path) -> None:
    with pytest.raises(IllegalTransform, match=message):
        hfpy.read(path, backend="sequential")["moved"].assume(condition)


def test_variables_of_modules(path: Path) -> None:
    kernel = hfpy.read(path, backend="sequential")["moved"].assume("far > 2 .or. .not. (m > 1)")
    assert kernel.rows_before[0] == "if (.not. (far > 2 .or. .not. (m > 1))) then"


POINTS = """module points
  implicit none
contains
  subroutine smooth(nx, ny, a, b, c)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: a(nx,ny)
    real(8), intent(inout) :: b(nx,ny), c(nx,ny)
    real(8) :: w(2)
    integer :: i, j, k
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(2,2), endAt(nx-1,ny-1), name(first), explicit}
    b(i,j) = a(i-1,j) + a(i+1,j)
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(3,2), endAt(nx-2,ny-1), name(second), explicit}
    c(i,j) = b(i-1,j) + b(i+1,j) + a(i,j)
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny), name(inner), explicit, private(w)}
    do k = 1, 2
      w(k) = a(i,j)
    end do
    call other(w, c(i,j))
    @end parallelRegion
  end subroutine smooth
end module points
"""


def _points(tmp_path: Path, **options: object) -> hfpy.api.Program:
    (tmp_path / "points.h90").write_text(POINTS)
    return hfpy.read(tmp_path / "points.h90", **options)


def test_stages(tmp_path: Path) -> None:
    kernel = _points(tmp_path)["second"]
    stages = kernel.stages
    assert kernel.kind == "stencil" and stages is not None
    assert [s.sets for s in stages.stages] == [("b",), ("c",)] and stages.iterators == ("i", "j")
    assert stages.stages[1].reads == {"a": frozenset({(0, 0)}), "b": frozenset({(-1, 0), (1, 0)})}
    assert stages.extent("b") == {"i": (-1, 1), "j": (0, 0)} and stages.extent("c") == {"i": (0, 0), "j": (0, 0)}
    assert stages.evaluations() == (3, 1)
    with pytest.raises(KeyError, match="no stage sets 'a'"):
        stages.extent("a")


def test_a_kernel_without_stages(tmp_path: Path) -> None:
    kernel = _points(tmp_path)["inner"]
    assert kernel.stages is None and kernel.kind == "opaque"
    assert kernel.arrays["w"].space == "private" and kernel.arrays["a"].space == "host"
    assert hfpy.read(tmp_path / "points.h90", target="gpu", backend="cuda-c")["first"].arrays["a"].space == "device"


def test_layout(tmp_path: Path) -> None:
    source = """program turned
  implicit none
  integer, parameter :: nx = 4, ny = 3
  real(8) :: a(nx,ny), b(nx,ny)
  integer :: i, j
  @parallelRegion{domName(i,j), domSize(nx,ny), name(first), explicit}
  a(i,j) = i
  b(i,j) = a(i,j) + j
  @end parallelRegion
  print *, sum(b)
end program turned
"""
    (tmp_path / "turned.h90").write_text(source)
    assert hfpy.read(tmp_path / "turned.h90")["first"].arrays["b"].layout == (0, 1)
    domains = '[domains]\ni = { size = ["nx"], iterators = ["i"] }\nj = { size = ["ny"], iterators = ["j"] }\n'
    settings = '[project]\nname = "p"\nsources = ["turned.h90"]\n[layout]\ncpu = "j i"\n'
    (tmp_path / "hfpy.toml").write_text(settings + domains)
    assert hfpy.read(tmp_path)["first"].arrays["b"].layout == (1, 0)


def _tagged(kernel: Kernel, *tags: tuple[str, str]) -> Kernel:
    for loop, where in tags:
        kernel = kernel.tag(loop, where)
    return kernel


def test_places_of_loops(tmp_path: Path) -> None:
    kernel = _points(tmp_path)["first"]
    assert _tagged(kernel, ("j", "omp.simd")).region.iterators == ("j", "i")
    assert _tagged(kernel, ("i", "omp.parallel")).region.collapse == 2
    gpu = hfpy.read(tmp_path / "points.h90", target="gpu", backend="cuda-c")["first"]
    assert _tagged(gpu, ("j", "thread.x")).region.iterators == ("j", "i")
    assert _tagged(gpu, ("i", "block.y")).region.iterators == ("j", "i")
    inner = _points(tmp_path)["inner"].tag("k", "unroll")
    assert "w(2) = a(i,j)" in inner.text


@pytest.mark.parametrize(
    ("loop", "where", "message"),
    [
        ("i", "thread.x", "there are 'unroll', 'omp.simd'"),
        ("i", "somewhere", "there are 'unroll'"),
        ("k", "omp.simd", "'k' is in its body"),
        ("z", "omp.simd", "there is no loop 'z'"),
        ("i", "unroll", "'i' is a loop of the region"),
    ],
)
def test_wrong_places(loop: str, where: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(IllegalTransform, match=message):
        _points(tmp_path)["inner"].tag(loop, where)


def test_more_places_than_loops(path: Path) -> None:
    kernel = hfpy.read(path, target="gpu", backend="cuda-c")["moved"]
    with pytest.raises(IllegalTransform, match="the region has 1 loops"):
        kernel.tag("i", "thread.z")


def test_reductions(path: Path) -> None:
    gpu = hfpy.read(path, target="gpu", backend="cuda-c")
    assert gpu["total"].reduction("two_stage").steps[0].call == "reduction('two_stage')"
    for kernel, kind in (
        (gpu["total"], "atomic"),
        (gpu["moved"], "two_stage"),
        (hfpy.read(path)["total"], "two_stage"),
    ):
        with pytest.raises(IllegalTransform):
            kernel.reduction(kind)


def test_from_the_command_line(tmp_path: Path) -> None:
    from hfpy.changes import changes_of

    made = translate_text({"points.h90": POINTS}, backend="openmp", changes=(changes_of("tag.first=i,omp.parallel"),))
    assert "collapse(2)" in made.require().text
