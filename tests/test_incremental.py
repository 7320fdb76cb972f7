"""What is kept between translations: an edited body gives what a full translation gives, and is checked as there."""

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from hfpy.store import incremental
from hfpy.translation import Translation

SHARED = """module shared
  implicit none
  real(8) :: level = 0
contains
  subroutine column(t)
    real(8), intent(inout) :: t(3)
    t = t + level
  end subroutine column
end module shared
"""
WORK = """module work
  use shared, only: column, level
  implicit none
contains
  subroutine step(a)
    real(8), dimension(3), intent(inout) :: a
    real(8) :: s
    @domainDependant{domName(i), domSize(8), attribute(autoDom)}
    a
    @end domainDependant
    @parallelRegion{domName(i), domSize(8)}
    s = 1
    a(1) = s
    call column(a)
    @end parallelRegion
  end subroutine step
end module work
"""


def unwanted() -> Translation:
    """The full translation that nothing here asks for."""
    raise AssertionError("asked for everything")


@pytest.fixture
def again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Translates, edits the file ``work``, and translates with and without what was kept."""
    monkeypatch.setattr(incremental, "_WORTH", 0)
    paths = [tmp_path / "shared.h90", tmp_path / "work.h90"]
    kept = Options(backend="openmp", cache_dir=tmp_path / "cache")

    def run(old: str, new: str) -> tuple[bool, Translation, Translation]:
        for path, text in zip(paths, (SHARED, WORK), strict=True):
            path.write_text(text)
        assert translate(paths, kept).files
        assert old in WORK
        paths[1].write_text(WORK.replace(old, new))
        quick = incremental.from_cache(paths, kept, incremental.Full(unwanted, unwanted)) is not None
        return quick, translate(paths, kept), translate(paths, Options(backend="openmp"))

    return run


@pytest.mark.parametrize("new", ["s = 2*3", "s = 1; s = s + 1"])
def test_an_edited_body_gives_the_same_files(again: object, new: str) -> None:
    quick, first, second = again("s = 1", new)  # type: ignore[operator]
    assert quick
    assert first.files == second.files
    assert first.diagnostics == second.diagnostics
    assert first.explain(None) == second.explain(None) != ""
    assert first.survey() == second.survey() is not None


@pytest.mark.parametrize(
    "new, code",
    [("s = 1; rewind 10", "HF404"), ("hf_point0: do while (s > 9)\n    s = 1\n    end do hf_point0", "HF406")],
)
def test_what_a_full_translation_refuses_is_refused(again: object, new: str, code: str) -> None:
    _, first, second = again("s = 1", new)  # type: ignore[operator]
    assert code in [d.code for d in second.diagnostics]
    assert first.diagnostics == second.diagnostics
    assert not first.files


FUSED = """module fused
  implicit none
  integer, parameter :: nx = 8
contains
  subroutine step(a, b)
    real(8), intent(in) :: a(nx)
    real(8), intent(out) :: b(nx)
    real(8) :: t(nx)
    @parallelRegion{domName(i), domSize(nx)}
    t(i) = a(i) + 1
    @end parallelRegion
    @parallelRegion{domName(i), domSize(nx)}
    b(i) = t(i) * 2
    @end parallelRegion
  end subroutine step
  subroutine sweep(c)
    real(8), intent(inout) :: c(nx,9)
    integer :: k
    @parallelRegion{domName(i), domSize(nx)}
    do k = 2, 9
      c(i,k) = c(i,k) * 3
    end do
    @end parallelRegion
  end subroutine sweep
end module fused
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a(i) + 1", "a(i) + 5", True),
        ("a(i) + 1", "a(i) - a(1)", False),
        ("c(i,k) * 3", "c(i,k) * 4", True),
        ("c(i,k) * 3", "c(i,k-1) * 3", False),
    ],
)
def test_an_optimised_file_is_optimised_again(
    old: str, new: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes out is what a full translation gives, whether or not the quick way is taken."""
    monkeypatch.setattr(incremental, "_WORTH", 0)
    paths = [tmp_path / "shared.h90", tmp_path / "fused.h90"]
    paths[0].write_text(SHARED)
    paths[1].write_text(FUSED)
    kept = Options(backend="openmp", opt=2, cache_dir=tmp_path / "cache")
    first = translate(paths, kept)
    assert "2 regions as one" in "".join(f.text for f in first.files)
    paths[1].write_text(FUSED.replace(old, new))
    assert (incremental.from_cache(paths, kept, incremental.Full(unwanted, unwanted)) is not None) == expected
    assert translate(paths, kept).files == translate(paths, Options(backend="openmp", opt=2)).files


FILLED = """module shared
  implicit none
contains
  subroutine fill(w, n)
    integer, intent(in) :: n
    real(8), intent(out) :: w(4)
    integer :: k
    do k = 1, 4
      w(k) = n*k
    end do
  end subroutine fill
end module shared
"""
PRIVATE = """module work
  use shared, only: fill
  implicit none
contains
  subroutine step(a)
    real(8), intent(inout) :: a(8)
    real(8) :: column(4), s
    @parallelRegion{domName(i), domSize(8)}
    s = 1
    call fill(column, i)
    a(i) = column(4) + s
    @end parallelRegion
  end subroutine step
end module work
"""


@pytest.mark.parametrize(
    "name, old, new, refused",
    [
        ("shared.h90", "n*k", "n*k + 1", False),
        ("shared.h90", "do k = 1, 4", "do k = 1, 3", True),
        ("shared.h90", "w(k) = n*k", "if (n > 2) w(k) = n*k", True),
        ("work.h90", "s = 1", "s = 2", False),
    ],
)
def test_bodies_that_regions_elsewhere_depend_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str, refused: bool
) -> None:
    """Whether an array is private to a point depends on what a routine of another file sets."""
    monkeypatch.setattr(incremental, "_WORTH", 0)
    paths = [tmp_path / "shared.h90", tmp_path / "work.h90"]
    for path, text in zip(paths, (FILLED, PRIVATE), strict=True):
        path.write_text(text)
    kept = Options(backend="openmp", cache_dir=tmp_path / "cache")
    assert translate(paths, kept).files
    edited = tmp_path / name
    edited.write_text(edited.read_text().replace(old, new))
    quick, full = translate(paths, kept), translate(paths, Options(backend="openmp"))
    assert [d.code for d in full.diagnostics] == (["HF504"] if refused else [])
    assert quick.diagnostics == full.diagnostics and quick.files == full.files
