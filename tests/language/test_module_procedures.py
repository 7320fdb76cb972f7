"""``module procedure`` (Fortran 2018, 15.6.2.5): its arguments are in the interface alone, from which hfpy takes them.
Where it cannot, calls may do anything, and regions may not set the arguments.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hfpy import cli
from hfpy.options import DomainSpec, Options, Outside
from hfpy.pipeline import translate
from tests.support import compile_files, output, translate_text

TEXT = """module base
  IMPLICIT
  integer, parameter :: nx = 20, ny = 10
  interface
    module subroutine add(x, s)
      real(8), intent(inout) :: x(nx,ny)
      real(8), intent(inout) :: s
    end subroutine add
  end interface
end module base
submodule (base) impl
contains
  module procedure add
    integer :: i, j
    do j = 1, ny
      do i = 2, nx
        x(i,j) = x(i-1,j)*0.5d0 + i + 10*j
        s = s*0.5d0 + x(i,j)
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        s = x(i,j)
        x(i,j) = s + 1
      end do
    end do
  end procedure add
end submodule impl
program main
  use base
  implicit none
  real(8) :: x(nx,ny), s
  integer :: i, j, n
  x = 1
  s = 1
  do n = 1, 3
    do j = 1, ny
      do i = 1, nx
        x(i,j) = x(i,j)*0.25d0 + mod(i*7 + j, 11)
      end do
    end do
    call add(x, s)
  end do
  print '(3f16.8)', s, sum(x), x(3,4)
end program main
"""
ORDERED = {
    "layout": "j i",
    "domains": {"i": DomainSpec(("nx",), ("i",)), "j": DomainSpec(("ny",), ("j",))},
}
WAYS: dict[str, dict[str, Any]] = {
    "openmp": {"backend": "openmp", "auto": True},
    "another order": {"backend": "openmp", "auto": True, **ORDERED},
    "cuda-c": {"target": "gpu", "backend": "cuda-c", "auto": True},
    "openacc": {"target": "gpu", "backend": "openacc", "auto": True},
}


# What hfpy does not take from an interface: names that no other unit knows.
BROUGHT = "use, intrinsic :: iso_fortran_env, only: int64"


@pytest.mark.parametrize("typed", ["implicit none", ""], ids=["typed", "by the implicit rules"])
@pytest.mark.parametrize("way", WAYS)
def test_a_call_may_set_what_it_gets(way: str, typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)  # short loops become regions, too
    monkeypatch.setattr("hfpy.transform.loops.automatic._FEW", {"cpu": 1, "gpu": 1})
    text = TEXT.replace("IMPLICIT", typed)
    expected = output(compile_files({"m.f90": text}, tmp_path / "plain"))
    done = translate_text({"m.f90": text}, exports=None, **WAYS[way]).require()
    openmp = WAYS[way]["backend"] == "openmp"
    assert any(word in done.text for word in ("!$omp parallel", "hfl0_main", "!$acc parallel"))
    built = compile_files(dict(done.files), tmp_path / "made", openmp=openmp)
    assert output(built, threads=3 if openmp else 1) == expected


def test_a_region_that_sets_an_argument_is_told() -> None:
    text = TEXT.replace("add(x, s)\n      real", f"add(x, s)\n      {BROUGHT}\n      real", 1)
    text = text.replace("    do j = 1, ny\n      do i = 1, nx\n        s = x", "!@parallelRegion\n\\g<0>")
    text = text.replace("\\g<0>", "    do j = 1, ny\n      do i = 1, nx\n        s = x")
    done = translate_text({"m.f90": text.replace("IMPLICIT", "")}, backend="openmp", exports=None)
    assert "HF504" in done.codes()
    assert any("module subroutine" in d.hint for d in done.errors)


@pytest.mark.parametrize(("statement", "doubt"), [("x(i) = x(i-1)", "points may meet"), ("s = i", "all points set")])
def test_regions_do_not_set_what_only_the_interface_declares(statement: str, doubt: str) -> None:
    """Where a warning alone let threads compute other numbers."""
    text = f"""module base
  implicit none
  interface
    module subroutine add(x, s, n)
      {BROUGHT}
      integer, intent(in) :: n
      real(8), intent(inout) :: x(0:n), s
    end subroutine add
  end interface
end module base
submodule (base) impl
contains
  module procedure add
    @parallelRegion{{domName(i), domSize(n)}}
    {statement}
    @end parallelRegion
  end procedure add
end submodule impl
"""
    found = translate_text({"m.h90": text}, backend="openmp").errors
    assert [d.code for d in found] == ["HF504"]
    assert doubt in found[0].message and "'module subroutine'" in found[0].hint


PARENT = """module base
  implicit none
  integer, parameter :: dp = 8
  type point
    real(dp) :: a, b
  end type point
  interface
    {step}
    end subroutine step
    {scaled}
    end function scaled
  end interface
  interface
    {total}
    end function
  end interface
end module base
"""
CHILD = """submodule (base) impl
  implicit none
contains
  {step}
    integer :: i
    real(dp) :: t
    @parallelRegion{{domName(i), domSize(n)}}
    t = scaled(x(i))
    if (present(o)) t = t + o(i)
    x(i) = t*p%a + p%b
    @end parallelRegion
    s = total(x(1:), n)
  end {end_step}
  {scaled}
    r = 2*y + 1
  end {end_scaled}
  {total}
    integer :: i
    total = 0
    @parallelRegion{{domName(i), domSize(n), reduction(+:total)}}
    total = total + y(i)
    @end parallelRegion
  end {end_total}
end submodule impl
"""
USER = """program main
  use base
  implicit none
  real(dp) :: x(0:10), s, o(10)
  x = 1
  o = 3
  call step(x, s, 10, p=point(2._dp, 3._dp))
  print '(f12.4)', s
  call step(x, s, 10, o, point(.5_dp, 3._dp))
  print '(12f12.4)', s, x
end program
"""
REPEATED = {
    "step": """module subroutine step(x, s, n, o, p)
      integer, intent(in) :: n
      real(dp), intent(inout) :: x(0:n), s
      real(dp), intent(in), optional :: o(n)
      type(point), intent(in) :: p""",
    "scaled": """pure module function scaled(y) result(r)
      real(dp), intent(in) :: y
      real(dp) :: r""",
    "total": """real(dp) module function total(y, n)
      integer, intent(in) :: n
      real(dp), intent(in) :: y(n)""",
    "end_step": "subroutine",
    "end_scaled": "function",
    "end_total": "function total",
}
ALONE = {
    "step": "module procedure step",
    "scaled": "MODULE  PROCEDURE scaled",
    "total": "module procedure total",
    "end_step": "procedure step",
    "end_scaled": "procedure",
    "end_total": "procedure",
}


def program(forms: dict[str, str], parent_first: bool = True) -> dict[str, str]:
    """Parent, child and user, with the procedures of the child in one form or the other."""
    child = CHILD.format(**forms)
    names = ("a_base.h90", "b_impl.h90") if parent_first else ("b_base.h90", "a_impl.h90")
    return {names[0]: PARENT.format(**REPEATED), names[1]: child, "main.f90": USER}


KERNELS: dict[str, dict[str, Any]] = {
    "openmp": {"backend": "openmp"},
    "cuda-c": {"target": "gpu", "backend": "cuda-c"},
    "cuda-fortran": {"target": "gpu", "backend": "cuda-fortran"},
    "opencl": {"target": "gpu", "backend": "opencl"},
    "openacc": {"target": "gpu", "backend": "openacc"},
    "openmp-target": {"target": "gpu", "backend": "openmp-target"},
}


@pytest.mark.parametrize("parent_first", [True, False])
@pytest.mark.parametrize("way", KERNELS)
def test_arguments_are_those_of_the_interface(way: str, parent_first: bool) -> None:
    """Kernels and directives are those of the same procedures with their arguments repeated."""
    done, other = (
        translate_text(program(forms, parent_first), exports=None, **KERNELS[way]).require()
        for forms in (ALONE, REPEATED)
    )

    def shown(files: dict[str, str]) -> list[str]:
        kept = [line for name in sorted(files) if "impl" in name for line in files[name].splitlines()]
        leading = ("module", "MODULE", "pure module", "real(dp) module", "end ", "integer, intent", "real(dp)", "type(")
        lines = [line.strip() for line in kept if not line.strip().startswith(leading)]
        return [re.sub(r"(?<=h90:)\d+", "N", line) for line in lines]

    assert shown(dict(done.files)) == shown(dict(other.files))
    assert len(shown(dict(done.files))) > 15


@pytest.mark.parametrize("way", ["openmp", "openacc"])
def test_programs_with_arguments_of_interfaces_run(way: str, tmp_path: Path) -> None:
    done = translate_text(program(ALONE), exports=None, **KERNELS[way]).require()
    built = compile_files(dict(done.files), tmp_path, openmp=way == "openmp")
    assert output(built, threads=3 if way == "openmp" else 1).split() == ["90.0000", "140.0000", "1.0000"] + 10 * [
        "14.0000"
    ]


@pytest.mark.parametrize("forms", [ALONE, REPEATED], ids=["alone", "repeated"])
def test_what_callers_pass_is_looked_at(forms: dict[str, str]) -> None:
    """Calls change what the interface lets them: points meet in ``s``."""
    text = program(forms)
    region = "@parallelRegion{domName(i), domSize(3)}\n  x(i) = 1\n  call step(x, s, 10, p=point(2._dp, i*1._dp))\n"
    made = USER.replace("  call step", f"  {region}@end parallelRegion\n  call step", 1).replace(
        "s, o(10)", "s, o(10)\n  integer :: i"
    )
    del text["main.f90"]
    assert translate_text({**text, "main.h90": made}, exports=None, backend="openmp").errors


def test_a_body_in_the_module_of_its_interface() -> None:
    """gfortran 12 does not compile it."""
    bodies = CHILD.format(**ALONE).split("contains\n")[1]
    text = PARENT.format(**REPEATED).replace("end module base", "contains\n" + bodies)
    text = text.replace("end submodule impl", "end module base")
    done = translate_text({"base.h90": text, "main.f90": USER}, exports=None, backend="openmp").require()
    assert done.text.count("!$omp parallel do") == 2


@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_edits_of_bodies(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is made again after an edit is what a full translation makes."""
    monkeypatch.setattr("hfpy.store.incremental._WORTH", 1)
    files = program(ALONE, parent_first=False)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    paths = [tmp_path / name for name in files]
    kept = Options(target=target, cache_dir=tmp_path / "cache")
    assert not translate(paths, kept).diagnostics
    for old, new in (("t*p%a", "t*p%b"), ("2*y", "x*y"), ("x*y", "5*y")):
        child = tmp_path / "a_impl.h90"
        child.write_text(child.read_text().replace(old, new))
        again, whole = translate(paths, kept), translate(paths, replace(kept, cache_dir=None))
        assert [f.text for f in again.files] == [f.text for f in whole.files]
        assert again.diagnostics == whole.diagnostics
        assert again.faults(Outside()) == whole.faults(Outside())


@pytest.mark.parametrize(
    "declaration",
    ["", "use, intrinsic :: iso_fortran_env, only: real64", "implicit real(a-h)", "interface\n end interface"],
)
def test_what_is_not_taken_from_an_interface(declaration: str) -> None:
    """Arguments by the implicit rules, and interfaces with more than declarations: the hint says what to do."""
    text = f"""module base
  interface
    module subroutine add(x)
      {declaration}
      {"real, intent(inout) :: x" if declaration else ""}
    end subroutine add
  end interface
end module base
submodule (base) impl
contains
  module procedure add
    @parallelRegion{{domName(i), domSize(3)}}
    x = i
    @end parallelRegion
  end procedure add
end submodule impl
"""
    found = translate_text({"m.h90": text}, backend="openmp").errors
    assert [d.code for d in found] == ["HF504"] and "'module subroutine'" in found[0].hint


def test_faults_are_found_in_bodies_without_arguments(tmp_path: Path) -> None:
    files = program(ALONE)
    files["b_impl.h90"] = files["b_impl.h90"].replace("    s = total", "    n = 2\n    q = 1\n    s = total")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    done = translate([tmp_path / name for name in files], Options())
    assert not done.diagnostics
    found = done.faults(Outside(complete=True))
    assert [d.code for d in found] == ["HF252", "HF250"]
    assert found[0].related[0].place.file.endswith("a_base.h90")


# Kernels call bodies that end the run, give arrays, and take objects: steps to their plain form change the arguments.
CALLED = """module base
  implicit none
  type point
    real(8) :: a, b
  end type point
  interface
    pure module function root(y) result(r)
      real(8), intent(in) :: y
      real(8) :: r
    end function root
    module subroutine moved(y, p)
      real(8), intent(inout) :: y
      type(point), intent(in) :: p
    end subroutine moved
    module function several(y) result(z)
      real(8), intent(in) :: y
      real(8) :: z(3)
    end function several
  end interface
contains
  subroutine run(n, x, p)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    type(point), intent(in) :: p
    real(8) :: w(3)
    @parallelRegion{domName(i), domSize(n)}
    x(i) = root(x(i))
    call moved(x(i), p)
    w = several(x(i))
    x(i) = x(i) + w(2)
    @end parallelRegion
  end subroutine run
end module base
submodule (base) impl
  implicit none
contains
  module procedure root
    if (y < 0) error stop 'negative'
    r = 2*y + 1
  end procedure root
  module procedure moved
    if (y > 1d9) stop 3
    y = y*p%a + p%b
  end procedure
  module procedure several
    integer :: k
    do k = 1, 3
      z(k) = y*k
    end do
  end procedure
end submodule impl
"""
CALLER = """program main
  use base
  implicit none
  real(8) :: x(10)
  integer :: i
  do i = 1, 10
    x(i) = i
  end do
  call run(10, x, point(2, 3))
  print '(5f10.3)', x
end program main
"""


@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl", "hip"])
def test_kernels_call_them(backend: str) -> None:
    files = {"base.h90": CALLED, "main.f90": CALLER}
    done = translate_text(files, exports=None, target="gpu", backend=backend).require()
    assert "module procedure moved" in done.text  # what the compiler of the host gets
    assert "kernel hfk0_run" in done.text


@pytest.mark.full
@pytest.mark.parametrize("backend", ["cuda-c", "cuda-fortran", "opencl"])
def test_kernels_that_call_them_run(backend: str, tmp_path: Path) -> None:
    for name, text in {"base.h90": CALLED, "main.f90": CALLER}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["base.h90", "main.f90"]\n')
    emulate = () if backend == "opencl" else ("--emulate",)
    assert cli.run(["build", str(tmp_path), "--target", "gpu", "--backend", backend, *emulate]) == 0
    (folder,) = (tmp_path / "build").iterdir()
    done = subprocess.run([folder / "main"], capture_output=True, text=True, check=True)
    wanted = [3 * ((2 * i + 1) * 2 + 3) for i in range(1, 11)]
    assert [float(word) for word in done.stdout.split()] == wanted
