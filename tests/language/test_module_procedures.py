"""``module procedure`` in submodules (Fortran 2018, 15.6.2.5): its arguments are in the interface alone, so calls of it
may do anything, and its regions may not set them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hfpy.options import DomainSpec
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


@pytest.mark.parametrize("typed", ["implicit none", ""], ids=["typed", "by the implicit rules"])
@pytest.mark.parametrize("way", WAYS)
def test_a_call_may_set_what_it_gets(way: str, typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hfpy.analyze.plainloops.WORTH", 0)  # short loops become regions, too
    monkeypatch.setattr("hfpy.transform.automatic._FEW", {"cpu": 1, "gpu": 1})
    text = TEXT.replace("IMPLICIT", typed)
    expected = output(compile_files({"m.f90": text}, tmp_path / "plain"))
    done = translate_text({"m.f90": text}, exports=None, **WAYS[way]).require()
    openmp = WAYS[way]["backend"] == "openmp"
    assert any(word in done.text for word in ("!$omp parallel", "hfl0_main", "!$acc parallel"))
    built = compile_files(dict(done.files), tmp_path / "made", openmp=openmp)
    assert output(built, threads=3 if openmp else 1) == expected


def test_a_region_that_sets_an_argument_is_told() -> None:
    text = TEXT.replace("    do j = 1, ny\n      do i = 1, nx\n        s = x", "!@parallelRegion\n\\g<0>")
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
