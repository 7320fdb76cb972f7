"""First touch: large local arrays that are set to a scalar before the regions are set by the threads of the regions."""

from pathlib import Path

import pytest

from tests.support import Batch, Case, load_pairs, storage_order, translate_text

PAIR = next(p for p in load_pairs(Path(__file__).parent / "programs") if p.name == "touch")
LOOP = "dohf_touch="


def first(statement: str, before: str = "", declared: str = "real(8) :: w(nx,ny,3)") -> list[str]:
    """The generated statements of a routine that has the statement before its region over ``w``."""
    source = f"""module m
  implicit none
contains
  subroutine s(nx, ny, a, x, flag)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(nx,ny,3), x
    logical, intent(in) :: flag
    {declared}
    {before}
    {statement}
    @parallelRegion{{domName(i,j), domSize(nx,ny)}}
    w(i,j,1) = w(i,j,1) + a(2)
    a(1) = w(i,j,1)
    @end parallelRegion
  end subroutine s
  real(8) function f()
    f = 1
  end function f
end module m
"""
    return translate_text(source, backend="openmp").require().statements


@pytest.mark.parametrize("order", [None, "KIJ", "IJK"])
@pytest.mark.parametrize("threads", [2, 8])
def test_threads_set_what_the_twin_sets(tmp_path: Path, order: str | None, threads: int) -> None:
    storage = storage_order(order) if order else None
    done = translate_text(PAIR.hybrid, storage, backend="openmp").require()
    assert sum(s.startswith(LOOP) for s in done.statements) == 4
    flags = ("-O1", "-ffp-contract=off", "-cpp", "-fcheck=all,no-array-temps", "-Wall", "-Werror")
    made = Batch([Case("touch", done.files, "touch", "run")], tmp_path / "made", flags, True)
    twin = Batch([Case("touch", PAIR.reference, "touch", "run")], tmp_path / "twin", flags)
    assert made.output("touch", threads) == twin.output("touch") != ""


def test_the_dimension_shared_out_is_the_slowest_parallel_one() -> None:
    assert "w(:,hf_touch,:)=0" in first("w = 0")
    source = PAIR.hybrid
    kij = translate_text(source, storage_order("KIJ"), backend="openmp").statements
    assert "tmp(:,:,hf_touch)=start*scale-1" in kij
    assert "dohf_touch=lbound(tmp,3),ubound(tmp,3)" in kij
    ijk = translate_text(source, storage_order("IJK"), backend="openmp").statements
    assert "tmp(:,hf_touch,:)=start*scale-1" in ijk
    assert "!$ompparalleldodefault(none)shared(tmp,scale,start)" in ijk


def test_layouts_of_our_own() -> None:
    from hfpy.options import DomainSpec

    domains = {
        "i": DomainSpec(("nx", "40"), ("i",)),
        "j": DomainSpec(("ny", "30"), ("j",)),
        "k": DomainSpec(("nz", "0:nz"), ("k",)),
    }
    made = translate_text(PAIR.hybrid, backend="openmp", layout="j k i", domains=domains).require().statements
    assert "tmp(:,:,hf_touch)=start*scale-1" in made
    assert "w(:,hf_touch)=3.d0*n" in made


def test_nothing_without_threads() -> None:
    assert "hf_touch" not in translate_text(PAIR.hybrid, backend="sequential").require().text


@pytest.mark.parametrize("value", ["0.", "x", "-x + 2", "tiny0"])
def test_values_that_are_scalars(value: str) -> None:
    declared = "real(8), parameter :: tiny0 = 1d-9\n    real(8) :: w(nx,ny,3)"
    assert any(s.startswith(LOOP) for s in first(f"w(:,:,:) = {value}", declared=declared))


@pytest.mark.parametrize(
    "statement, before, declared",
    [
        ("w = a", "", "real(8) :: w(nx,ny,3)"),
        ("w = f()", "", "real(8) :: w(nx,ny,3)"),
        ("w = sum(a)", "", "real(8) :: w(nx,ny,3)"),
        ("w(:,:,1) = 0", "", "real(8) :: w(nx,ny,3)"),
        ("w = 0", "w(1,1,1) = 1", "real(8) :: w(nx,ny,3)"),
        ("if (flag) w = 0", "", "real(8) :: w(nx,ny,3)"),
        ("w = 0", "", "real(8), save, allocatable :: w(:,:,:)"),
        ("w = 0", "allocate(w(nx,ny,3))", "real(8), allocatable :: w(:,:,:)"),
        ("w = 0", "", "real(8), pointer :: w(:,:,:)"),
    ],
)
def test_all_else_stays(statement: str, before: str, declared: str) -> None:
    made = first(statement, before, declared)
    assert not any(s.startswith(LOOP) for s in made)
    assert any(s.replace(" ", "") == statement.replace(" ", "") for s in made)


def test_small_arrays_stay() -> None:
    source = PAIR.hybrid["touch.h90"].replace("integer, parameter :: nz = 4", "integer, parameter :: nz=4, nx=4, ny=3")
    source = source.replace("    integer, intent(in) :: nx, ny\n", "").replace("step(nx, ny, ", "step(")
    source = source.replace("step(40, 30, ", "step(").replace("a(40,30,nz)", "a(nx,ny,nz)")
    assert "hf_touch" not in translate_text({"touch.h90": source}, backend="openmp").require().text
