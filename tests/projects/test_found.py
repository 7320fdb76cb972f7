"""What the projects brought to light: one small case for each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from tests.support import Translated, storage_order, translate_text, write_files

GLUED = """\
#define GLUE(a,b) a##b
#define PASTE(a,b) GLUE(a,b)
#define IJK_3(i,j,k) i,j,k
#define KIJ_3(i,j,k) k,i,j
#define ORDER KIJ
#define AT(i,j,k) PASTE(ORDER,_3)(i,j,k)
#define DOM AT
"""
REDEFINED = """\
#define AT(i,j,k) i,j,k
#define DOM(i,j,k) AT(i,j,k)
#ifndef GPU
#define AT(i,j,k) k,i,j
#endif
"""
REGION = """\
module m
contains
  subroutine s(nx, ny, nz, a)
    integer, intent(in) :: nx, ny, nz
    real, intent(inout) :: a(nx, ny, nz)
    integer :: k
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    do k = 1, nz
      a(k) = k
    end do
    @end parallelRegion
  end subroutine
end module
"""


@pytest.mark.parametrize("storage", [GLUED, REDEFINED])
@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_storage_orders_that_only_the_c_preprocessor_understands(storage: str, target: str) -> None:
    """``##`` and second definitions (hybrid-fortran.md §2.3) become macros that every preprocessor knows."""
    text = translate_text(REGION, storage, target=target, backend="sequential").require().files["m.F90"]
    order = "k,i,j" if target == "cpu" or storage is GLUED else "i,j,k"
    assert f"#define AT(i,j,k) {order}" in text
    assert f"#define DOM(i,j,k) {order}" in text
    assert "##" not in text and text.count("#define AT(") == 1


@pytest.mark.parametrize("storage", [GLUED, REDEFINED])
def test_plain_files_that_include_the_storage_order_get_it_resolved(storage: str, tmp_path: Path) -> None:
    """The predecessor ran the C preprocessor over plain files too."""
    files = {"m.h90": REGION, "plain.F90": '#include "storage_order.F90"\n', "storage_order.F90": storage}
    paths = write_files(files, tmp_path)
    [beside] = translate(paths[:2], Options(storage_order=paths[2], backend="sequential")).beside
    assert beside.name == "storage_order.F90"
    assert "#define AT(i,j,k) k,i,j" in beside.text.splitlines()
    assert len(re.findall("#define AT\\b", beside.text)) == 1


def test_plain_files_include_an_ordinary_storage_order_as_it_is(tmp_path: Path) -> None:
    files = {"m.h90": REGION, "plain.F90": '#include "storage_order.F90"\n', "storage_order.F90": storage_order()}
    paths = write_files(files, tmp_path)
    assert translate(paths[:2], Options(storage_order=paths[2], backend="sequential")).beside == ()


def test_empty_macros_of_the_storage_order_are_defined() -> None:
    """``#define SCHEME`` without a body decides an ``#ifdef`` in a hybrid file."""
    storage = storage_order(extra="#define SHALLOW")
    source = REGION.replace("    integer :: k\n", "    integer :: k\n#ifdef SHALLOW\n    k = 0\n#endif\n")
    text = translate_text(source, storage).require().files["m.F90"]
    assert "#define SHALLOW\n" in text


def test_arrays_passed_to_internal_procedures_of_programs_have_one_order() -> None:
    """A plain array of the main program must not get an order that the internal procedure does not know."""
    program = """\
program p
  use m
  implicit none
  integer, parameter :: nx = 3, ny = 2, nz = 4
  real :: a(DOM(nx,ny,nz)), expected(nx,ny,nz)
  expected = 1.
  call s(nx, ny, nz, a)
  call compare(a, expected)
contains
  subroutine compare(one, other)
    real, intent(in) :: one(DOM(nx,ny,nz)), other(nx,ny,nz)
    if (one(AT(1,2,3)) /= other(1,2,3)) stop 2
  end subroutine
end program
"""
    text = translate_text({"m.h90": REGION, "p.h90": program}, storage_order()).require().text.lower()
    orders = {"expected(nx,ny,nz)" in text, "other(nx,ny,nz)" in text, "other(1,2,3)" in text}
    assert len(orders) == 1, text


WRAPPER = """\
module m
contains
  subroutine wrapper(nx, ny, nz, a, s, i0)
    integer, intent(in) :: nx, ny, nz, i0
    real, intent(inout) :: a(nz), s
    real :: t(nz), u
    @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom)}
    a, s, t, u
    @end domainDependant
    @parallelRegion{appliesTo(CPU), domName(x,y), domSize(nx,ny)}
    STATEMENT
    call leaf(nx, ny, nz, a(x,y,:), t, s, u, x, y)
    @end parallelRegion
  end subroutine
  subroutine leaf(nx, ny, nz, a, t, s, u, x, y)
    integer, intent(in) :: nx, ny, nz, x, y
    real, intent(inout) :: a(nz), t(nz), s, u
    @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom)}
    a, t, s, u
    @end domainDependant
    @parallelRegion{appliesTo(GPU), domName(x,y), domSize(nx,ny)}
    a(1) = s + u + t(2) + x
    @end parallelRegion
  end subroutine
end module
"""


def wrapper(statement: str, target: str) -> Translated:
    return translate_text(WRAPPER.replace("STATEMENT", statement), target=target, backend="sequential")


@pytest.mark.parametrize(
    ("statement", "cpu", "gpu"),
    [
        ("t(:) = 0.0", "t(:)=0.0", "t(:,:,:)=0.0"),
        ("t(nz) = s0(i0)", "t(nz)=s0(i0)", "t(:,:,nz)=s0(i0)"),
        ("a(x,y,2) = 1.0", "a(x,y,2)=1.0", "a(:,:,2)=1.0"),
        ("t(2:nz-1) = 2.0*nz", "t(2:nz-1)=2.0*nz", "t(:,:,2:nz-1)=2.0*nz"),
        ("s = 0.0", "s(x,y)=0.0", "s=0.0"),
    ],
)
def test_a_value_for_all_points_where_the_region_is_not_active(statement: str, cpu: str, gpu: str) -> None:
    assert cpu in wrapper(statement, "cpu").require().statements
    assert gpu in wrapper(statement, "gpu").require().statements


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("u = real(x)", "HF315"),
        ("s = a(x,y,1)", "HF315"),
        ("if (x > 3) u = 2.0", "HF315"),
        ("t(:) = a(:)", "HF304"),
        ("t(x) = 0.0", "HF315"),
    ],
)
def test_the_point_means_nothing_where_the_region_is_not_active(statement: str, code: str) -> None:
    """Without a message the iterator had any value (defect class B7)."""
    wrapper(statement, "cpu").require()
    assert code in wrapper(statement, "gpu").codes()


@pytest.mark.parametrize("given", ["a(x,y,:)", "a(:)", "a"])
def test_a_column_passed_where_the_region_is_not_active_is_the_whole_array(given: str) -> None:
    source = WRAPPER.replace("    STATEMENT\n", "").replace("a(x,y,:)", given)
    text = translate_text(source, target="gpu", backend="sequential").require().text
    assert "call leaf(nx, ny, nz, a, t, s, u, x, y)" in text


def test_no_note_about_an_order_that_nobody_asked_for() -> None:
    """A plain array of the main program may be summed up; that it has no storage order is no news."""
    program = """\
program p
  use m
  integer, parameter :: nx = 3, ny = 2, nz = 4
  real :: a(DOM(nx,ny,nz)), plain(nx,ny,nz)
  plain = 1.
  call s(nx, ny, nz, a)
  print *, sum(plain, 3)
end program
"""
    assert translate_text({"m.h90": REGION, "p.h90": program}, storage_order()).require().diagnostics == ()


MODULE_SCALAR = """\
module m
  integer, parameter :: nx = 3, ny = 2
  real :: level, a(nx,ny)
contains
  subroutine s()
    @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom)}
    level
    @end domainDependant
    @parallelRegion{domName(x,y), domSize(nx,ny)}
    level = real(x)
    a(x,y) = level + y
    CALL
    @end parallelRegion
  end subroutine
  subroutine below()
    if (level > 2.) stop 2
  end subroutine
end module
"""


def test_a_module_scalar_that_a_routine_alone_gives_domains_stays_a_scalar_on_the_cpu() -> None:
    """Its module declares one number; each point sets it first, so each thread may have its own (§5.3, §7.3)."""
    done = translate_text(MODULE_SCALAR.replace("    CALL\n", ""), backend="openmp").require()
    assert done.diagnostics == ()
    assert "level=real(x)" in done.statements
    assert any("lastprivate(level)" in s for s in done.statements if s.startswith("!$omp"))


def test_a_module_scalar_that_routines_below_read_is_shared_and_diagnosed() -> None:
    done = translate_text(MODULE_SCALAR.replace("CALL", "call below()"), backend="openmp").require()
    assert done.codes("warning") == ["HF501"]
    assert not any("private(level)" in s for s in done.statements)


def test_a_module_scalar_whose_value_lives_between_regions_needs_its_domains_in_the_module() -> None:
    source = MODULE_SCALAR.replace("    CALL\n", "").replace(
        "  end subroutine\n  subroutine below",
        "    @parallelRegion{domName(x,y), domSize(nx,ny)}\n    a(x,y) = level\n    @end parallelRegion\n"
        "  end subroutine\n  subroutine below",
    )
    assert translate_text(source).codes() == ["HF302"]
    block = "  @domainDependant{domName(x,y), domSize(nx,ny), attribute(autoDom)}\n  level\n  @end domainDependant\n"
    listed = source.replace("contains\n", f"{block}contains\n").replace("(level > 2.)", "(level(1,1) > 2.)")
    assert "level(x,y)=real(x)" in translate_text(listed).require().statements
