"""Elements that loops name in two ways: by the object, and by its parent component."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_random import VARIANTS
from tests.support import Corpus, Pair, write_files

TEXT = """module m
  implicit none
  type :: grid
    real(8) :: w(0:9) = 1
  end type grid
  type, extends(grid) :: field
    real(8) :: u(0:9) = 2
  end type field
  type, extends(field) :: state
    type(grid) :: inner
    integer :: n = 9
  end type state
  type :: model
    type(state) :: now, before
  end type model
contains
  subroutine s(x, y)
    type(state), intent(inout) :: x
    type(model), intent(inout) :: y
    integer :: i
    do i = 1, 9
      {body}
    end do
  end subroutine s
  subroutine put(g, i)
    type(grid), intent(inout) :: g
    integer, intent(in) :: i
    g%w(i) = g%w(i-1) + i
  end subroutine put
  subroutine run
    type(state) :: x
    type(model) :: y
    integer :: i
    x%w = [(i*1.5d0, i = 0, 9)]
    y%now = x
    call s(x, y)
    print '(10f12.4)', x%w, x%u, x%inner%w, y%now%w, y%now%u, y%before%w
  end subroutine run
end module m
"""
MEET = (
    "x%w(i) = x%field%w(i-1) + i",
    "x%field%grid%w(i) = x%w(i-1) + i",
    "x%grid%w(i) = x%field%w(i-1) + i",
    "x%u(i) = x%field%u(i-1)*2",
    "call put(x%grid, i)",
    "call put(x%field%grid, i); x%w(0) = 3",
    "y%now%w(i) = y%now%grid%w(i-1) + i",
    "if (i < x%n) x%w(i) = x%field%grid%w(x%n - i)",
    "x%grid = y%now%grid; x%w(i) = i",
)
APART = (
    "x%w(i) = x%field%w(i) + x%inner%w(i-1)",
    "y%now%w(i) = y%before%grid%w(i-1) + i",
    "x%field%u(i) = x%grid%w(i-1)",
    "x%inner%w(i) = x%w(i-1) + x%u(i)",
)


def source(body: str) -> dict[str, str]:
    return {"m.f90": TEXT.replace("{body}", body.replace("; ", "\n      "))}


def found(files: dict[str, str], folder: Path, **options: str) -> list[bool]:
    """Whether the loop over points is a region."""
    made = found_regions(write_files(files, folder), Options(**options))
    return [v.region for v in made.verdicts if v.key == "m::s"]


@pytest.fixture(autouse=True)
def worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops of nine points are worth a region."""
    monkeypatch.setattr("hfpy.analyze.loops.plainloops.WORTH", 0)
    monkeypatch.setattr("hfpy.transform.loops.automatic._FEW", {"cpu": 1, "gpu": 1})


@pytest.mark.parametrize("body", MEET)
def test_names_that_meet(body: str, tmp_path: Path) -> None:
    for target, backend in (("cpu", "openmp"), ("gpu", "cuda-c")):
        assert found(source(body), tmp_path, target=target, backend=backend) == [False]


def test_names_that_are_apart(tmp_path: Path) -> None:
    pairs = []
    for number, body in enumerate(APART):
        files = source(body)
        assert found(files, tmp_path / str(number), target="cpu", backend="openmp") == [True], body
        named = {f"m{number}.f90": files["m.f90"].replace("module m\n", f"module m{number}\n")}
        pairs.append(Pair(f"m{number}", named, named, f"m{number}"))
    corpus = Corpus(pairs, tmp_path, {p.name: VARIANTS[:2] for p in pairs})
    for pair in pairs:
        for variant in VARIANTS[:2]:
            corpus.check_one(pair.name, variant)
