"""Regions in the blocks of a ``select type`` (Fortran 2018, 11.1.11), whose guards give an object another type."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from hfpy import cli
from tests.support import compile_files, output, translate_text

TEXT = """module shapes
  implicit none
  integer, parameter :: dp = 8
  type :: base
    integer :: n = 240
    real(dp) :: x(240) = 1
  end type base
  type, extends(base) :: deep
    real(dp) :: y(240) = 2, c = 3
    real(dp), allocatable :: q(:)
  end type deep
  type, extends(deep) :: deeper
    real(4) :: w(240) = 4
  end type deeper
contains
  subroutine step(this, other, z)
    class(base), intent(inout) :: this
    class(base), intent(in) :: other
    real(dp), intent(inout) :: z(240)
    integer :: i
    select type (SELECTED)
    type is (deep)
      !@parallelRegion
      do i = 1, NAME%n
        NAME%y(i) = NAME%x(i)*NAME%c + z(i)
        NAME%q(i) = NAME%y(i) + i
      end do
    CLASS  IS ( Deeper )
      !@parallelRegion
      do i = 1, 240
        NAME%w(i) = real(NAME%x(i), 4) + i
        z(i) = NAME%y(i) + NAME%q(i)
      end do
    class default
      !@parallelRegion
      do i = 1, NAME%n
        NAME%x(i) = NAME%x(i) + z(i) + i
      end do
    end select
    select type (READ)
    class is (deep)
      !@parallelRegion
      do i = 1, 240
        z(i) = z(i) + FROM%y(i) + FROM%c
      end do
    end select
  end subroutine step
  subroutine run
    type(base) :: a
    type(deep) :: b
    type(deeper) :: c
    real(dp) :: z(240)
    z = 1
    allocate(b%q(240), c%q(240))
    b%q = 1
    c%q = 2
    call step(a, b, z)
    call step(b, a, z)
    call step(c, b, z)
    print '(6f16.4)', sum(a%x), sum(b%x), sum(b%y), sum(b%q), sum(c%w), sum(z)
  end subroutine run
end module shapes
"""
MAIN = "program main\n  use shapes\n  call run\nend program main\n"
NAMES = {
    "the object itself": ("this", "this", "other", "other"),
    "another name": ("part => this", "part", "o => other", "o"),
}
WAYS: dict[str, dict[str, Any]] = {
    "openmp": {"backend": "openmp"},
    "openmp, level 0": {"backend": "openmp", "opt": 0},
    "openacc": {"target": "gpu", "backend": "openacc"},
}


def program(kind: str) -> str:
    text = TEXT
    for word, name in zip(("SELECTED", "NAME", "READ", "FROM"), NAMES[kind], strict=True):
        text = text.replace(word, name)
    return text


@pytest.mark.parametrize("kind", NAMES)
def test_programs(kind: str, tmp_path: Path) -> None:
    text = program(kind)
    plain = text.replace("!@parallelRegion", "")
    expected = output(compile_files({"m.f90": plain, "main.f90": MAIN}, tmp_path / "plain"))
    for way in ("openmp", "openmp, level 0"):
        done = translate_text({"m.f90": text, "main.f90": MAIN}, exports=None, **WAYS[way]).require()
        assert done.text.count("!$omp parallel do") == 4
        built = compile_files(dict(done.files), tmp_path / way[-1], openmp=True)
        assert output(built, threads=3) == expected


@pytest.mark.parametrize("kind", NAMES)
def test_loops_are_found(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)  # short loops become regions, too
    text = program(kind).replace("!@parallelRegion", "")
    done = translate_text({"m.f90": text, "main.f90": MAIN}, exports=None, backend="openmp", auto=True).require()
    assert done.text.count("!$omp parallel do") >= 4


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl", "hip"])
@pytest.mark.parametrize("kind", NAMES)
def test_kernels(kind: str, backend: str) -> None:
    done = translate_text({"m.f90": program(kind), "main.f90": MAIN}, exports=None, target="gpu", backend=backend)
    assert done.require().text.count(": kernel hfk") == 4


@pytest.mark.full
@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl"])
@pytest.mark.parametrize("kind", NAMES)
def test_kernels_run(kind: str, backend: str, tmp_path: Path) -> None:
    plain = program(kind).replace("!@parallelRegion", "")
    expected = output(compile_files({"m.f90": plain, "main.f90": MAIN}, tmp_path / "plain"))
    for name, text in (("m.f90", program(kind)), ("main.f90", MAIN)):
        (tmp_path / name).write_text(text)
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["m.f90", "main.f90"]\n')
    emulate = () if backend == "opencl" else ("--emulate",)
    assert cli.run(["build", str(tmp_path), "--target", "gpu", "--backend", backend, *emulate]) == 0
    (folder,) = (tmp_path / "build").iterdir()
    done = subprocess.run([folder / "main"], capture_output=True, text=True, check=True)
    assert done.stdout == expected


@pytest.mark.parametrize("kind", NAMES)
def test_points_that_meet_are_told(kind: str) -> None:
    name = NAMES[kind][1]
    text = program(kind).replace(f"{name}%q(i) =", f"{name}%q(1) = {name}%q(i) +", 1)
    done = translate_text({"m.f90": text, "main.f90": MAIN}, exports=None, backend="openmp")
    assert {*done.codes(), *done.codes("warning")} & {"HF500", "HF504"}


def test_components_that_guards_know_differently_are_refused_in_kernels() -> None:
    """Which of them is meant is not looked at: the wrong type would compute wrong numbers."""
    own = "  type, extends(base) :: other_one\n    integer :: w(240) = 4\n  end type other_one\n"
    text = program("the object itself").replace("contains\n", own + "contains\n", 1)
    text = text.replace("    class default", "    type is (other_one)\n      this%w = 2\n    class default", 1)
    files = {"m.f90": text, "main.f90": MAIN}
    done = translate_text(files, exports=None, target="gpu", backend="cuda-c")
    assert any("component 'w', which hfpy does not find" in d.message for d in done.errors)


NESTED = """module m
  implicit none
  type :: grid
    integer :: n = 60
  end type grid
  type :: state
    type(grid) :: g
    real(8) :: h(60) = 1
  end type state
contains
  subroutine step(self)
    type(state), intent(inout) :: self
    integer :: i, n
    n = 1
    associate (s => self)
      associate (g => s%g)
        !@parallelRegion
        do i = 1, g%n
          s%h(i) = s%h(i)*0.5d0 + i
        end do
      end associate
    end associate
  end subroutine step
  subroutine run
    type(state) :: s
    call step(s)
    print '(f16.6)', sum(s%h)
  end subroutine run
end module m
"""


def test_bounds_may_use_names_of_an_associate_around_the_region(tmp_path: Path) -> None:
    """They were names that nothing declares: the loop stayed serial."""
    main = "program main\nuse m\ncall run\nend program main\n"
    expected = output(compile_files({"m.f90": NESTED, "main.f90": main}, tmp_path / "plain"))
    done = translate_text({"m.f90": NESTED, "main.f90": main}, exports=None, backend="openmp").require()
    assert "default(none) shared(self)" in done.text
    assert output(compile_files(dict(done.files), tmp_path / "made", openmp=True), threads=3) == expected
    plain = NESTED.replace("!@parallelRegion", "")
    found = translate_text({"m.f90": plain, "main.f90": main}, exports=None, target="gpu", backend="cuda-c", auto=True)
    assert not found.errors


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("backend", ["openacc", "openmp-target"])
def test_directives_name_what_they_take_instead(kind: str, backend: str) -> None:
    """tests/gpu/language/guarded_parts.f90 does what the hints say."""
    done = translate_text({"m.f90": program(kind), "main.f90": MAIN}, exports=None, target="gpu", backend=backend)
    assert done.errors and {*done.codes()} <= {"HF409", "HF702"}
    given = [d.hint for d in done.errors if d.code == "HF409"]
    assert all(hint.startswith("give its components to a routine with the region") for hint in given)
    assert bool(given) == (kind == "the object itself")
