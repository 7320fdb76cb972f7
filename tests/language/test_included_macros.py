"""Macros that make what an included file says (``ITEM(real, depth)``), and macros that are undefined after their use.

A list of variables is included several times, each time with another meaning of its macros: as declarations, as
assignments, as output. Such files are read after the preprocessor; the results are those of the compiler's own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from tests.support import CUDA_C, OPENACC, OPENMP, Corpus, Pair, Variant, write_files

ITEMS = """#define MOST 20000

ITEM(int,integer,count,"%d",3)
ITEM(double,real(8),scale,"%lf",2.5d0)
ROWS(double,real(8),depth,MOST,0.25d0)
#undef ITEM
#undef ROWS
#undef MOST
"""
UPDATE = """do i = 2, size(field)
  ADD(field(i), depth(i))
  ADD(total(i), field(i-1))
end do
"""
LISTS = """module lists
  implicit none
#define ITEM(ctype,ftype,name,cformat,value) ftype :: name
#define ROWS(ctype,ftype,name,extent,value) ftype, dimension(extent) :: name
#include "items.h"
  real(8) :: behind
contains
  subroutine begin(start)
    integer, intent(in) :: start
#define ITEM(ctype,ftype,name,cformat,value) name = value + start
#define ROWS(ctype,ftype,name,extent,value) name = value*start
#include "items.h"
    behind = start
  end subroutine begin
  subroutine add(field, total)
    real(8), intent(inout) :: field(20000), total(20000)
    integer :: i
#define ADD(a, b) a = a + b
#include "update.h"
#undef ADD
  end subroutine add
  subroutine scaled(field, total)
    real(8), intent(inout) :: field(20000), total(20000)
    integer :: i
#define ROW do i = 1, 20000
#define SET(a, b) a = scale*b
#define NEXT mod(i, 20000) + 1
    ROW
      SET(field(i), depth(i))
      field(i) = field(i) + count + behind
    end do
    ROW
      SET(total(i), field(NEXT)) + total(i)
    end do
#undef ROW
#undef SET
#undef NEXT
  end subroutine scaled
  subroutine run()
    real(8) :: field(20000), total(20000)
    integer :: i
    call begin(2)
    do i = 1, 20000
      field(i) = i
      total(i) = 0
    end do
    call add(field, total)
    call scaled(field, total)
    print '(4es24.16)', field(::997), total(::997), scale, behind
  end subroutine run
end module lists
"""
FILES = {"lists.F90": LISTS, "items.h": ITEMS, "update.h": UPDATE}
AUTO = [Variant(f"auto-{v.label}", {**v.options, "auto": True}, threads=v.threads) for v in (OPENMP, CUDA_C, OPENACC)]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus([Pair("lists", FILES, FILES, "lists")], tmp_path_factory.mktemp("lists"), {"lists": AUTO})


@pytest.mark.parametrize("variant", AUTO, ids=str)
def test_results(corpus: Corpus, variant: Variant) -> None:
    corpus.check_one("lists", variant)
    made = corpus.translation("lists", variant).text
    assert made.count("!$omp parallel do") + made.count("!$acc parallel loop") + made.count("hfl") >= 1


@pytest.mark.parametrize("auto", [False, True])
def test_nothing_is_said(tmp_path: Path, auto: bool) -> None:
    path = write_files(FILES, tmp_path)[0]
    found = translate([path], Options(auto=auto)).diagnostics
    assert not [d for d in found if d.severity != "note"]


def test_files_whose_names_do_not_ask_for_the_preprocessor(tmp_path: Path) -> None:
    path, *_ = write_files({"lists.f90": LISTS, **FILES}, tmp_path)
    made = translate([path], Options(auto=True))
    assert not [d for d in made.diagnostics if d.severity != "note"]
    assert "!$omp parallel do" in made.files[0].text


HYBRID = """module columns
  implicit none
contains
  subroutine warm(nx, nz, t)
    integer, intent(in) :: nx, nz
    real(8), intent(inout) :: t(nx,nz)
    integer :: k
#define LEVELS do k = 1, nz
#define DONE end do
    @parallelRegion{domName(i), domSize(nx)}
    LEVELS
      t(k) = t(k) + 1
    DONE
    @end parallelRegion
#undef LEVELS
#undef DONE
  end subroutine warm
end module columns
"""


def test_hybrid_files(tmp_path: Path) -> None:
    (path,) = write_files({"columns.h90": HYBRID}, tmp_path)
    made = translate([path], Options())
    assert not [d for d in made.diagnostics if d.severity == "error"], made.diagnostics
    assert "t(i,k) = t(i,k) + 1" in made.files[0].text.replace("i, k", "i,k")
