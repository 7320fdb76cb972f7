"""Random plain programs whose variables share memory, with the regions that hfpy finds: the plain program's bits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hfpy.analyze.nests.calls import Calls
from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.storages import pair_of
from tests.automatic.test_random import VARIANTS, failures
from tests.support import Corpus, Pair, Variant, translate_text, write_files

COUNT = int(os.environ.get("HFPY_STORAGES", "8"))
FIRST = int(os.environ.get("HFPY_STORAGES_FROM", "0"))
# A pointer that runs backwards has no place on the device; what a kernel uses may be there under other names only.
# Both are told when the program runs.
TOLD = ("is not contiguous", "is not on the device")


@pytest.mark.parametrize(
    "variant", [pytest.param(v, id=v.label, marks=[pytest.mark.full] * (v is not VARIANTS[0])) for v in VARIANTS]
)
@pytest.mark.parametrize("count", [min(COUNT, 4), pytest.param(COUNT, id="all", marks=pytest.mark.full)])
def test_names_of_one_memory(count: int, variant: Variant, tmp_path: Path) -> None:
    wrong, regions = failures(variant, range(FIRST, FIRST + count), tmp_path, pair_of, TOLD)
    assert not wrong, "\n".join(wrong[:4])
    assert regions > count, regions


@pytest.mark.full
def test_an_element_taken_for_all_that_is_passed_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Calls, "reached", lambda _calls, _site, _reference, _data, places, _outer: places)
    wrong, _ = failures(VARIANTS[0], range(20), tmp_path, pair_of, TOLD)
    assert wrong


JOINED = """module joined
  implicit none
  integer :: n = 60
contains
  subroutine run
    integer :: i, b(60), s, es, t, et, u, eu
    equivalence (s, es), (t, et), (u, eu)
    b = [(modulo(7*i, 31), i = 1, 60)]
    s = 5; t = 1; u = 3
    do i = 1, n
      s = s + b(i)
    end do
    do i = 1, n
      t = b(i)
      b(i) = 2*t + 1
    end do
    do i = 1, n
      u = max(u, b(i))
    end do
    print *, s, es, t, et, u, eu, b
  end subroutine run
end module joined
"""


def test_values_of_names_in_an_equivalence_come_out(tmp_path: Path) -> None:
    """GNU Fortran 12 loses them where the threads of several loops are one (hfpy/analyze/regions/takenover.py)."""
    pair = Pair("joined", {"joined.f90": JOINED}, {"joined.f90": JOINED}, "joined")
    corpus = Corpus([pair], tmp_path, {"joined": (VARIANTS[0],)})
    corpus.check_one("joined", VARIANTS[0])
    assert corpus.translation("joined", VARIANTS[0]).text.count("!$omp parallel do") == 3


LARGE = """module large
  implicit none
contains
  subroutine run(n, m, b, s)
    integer, intent(in) :: n, m
    integer, intent(inout) :: b(n)
    integer, intent(out) :: s
    integer :: t, et, w(m,m)
    equivalence (t, et)
    t = 3
    @parallelRegion{domName(i), domSize(n), reduction(+:t)}
    w(:,:) = b(i)
    t = t + w(2,2)
    @end parallelRegion
    s = et
  end subroutine run
end module large
"""


def test_values_that_would_be_lost_are_refused() -> None:
    """Beside arrays that each thread allocates, the loop has a directive of its own."""
    (found,) = translate_text({"large.h90": LARGE}, backend="openmp").errors
    assert found.code == "HF409" and "'t' has other names by equivalence" in found.message


CALLS = """module sequence
  implicit none
  type :: holder
    integer :: w(60)
  end type holder
  integer :: gb(90), g2(20,20), g3(4,5,20)
  type(holder) :: os(20)
contains
  subroutine three(v, x)
    integer, intent(in) :: v
    integer, intent(inout) :: x(3)
    x(3) = modulo(x(2) + v, 997)
  end subroutine three
  subroutine star(v, x, n)
    integer, intent(in) :: v, n
    integer, intent(inout) :: x(*)
    integer :: l
    do l = 2, n
      x(l) = modulo(x(l-1) + v, 997)
    end do
  end subroutine star
  subroutine plane(v, x, n)
    integer, intent(in) :: v, n
    integer, intent(inout) :: x(4,*)
    integer :: l
    do l = 1, n
      x(2,l) = modulo(x(1,l) + v, 997)
    end do
  end subroutine plane
  subroutine further(v, x)
    integer, intent(in) :: v
    integer, intent(inout) :: x(*)
    call three(v, x(2))
  end subroutine further
  integer function sum_of(x)
    integer, intent(in) :: x(3)
    sum_of = x(1) + x(3)
  end function sum_of
  subroutine run(n, m, a)
    integer, intent(in) :: n, m
    integer, intent(inout) :: a(n, n)
    integer :: i
{loops}
  end subroutine run
end module sequence
"""
# A call in a loop over i, and whether its points stay apart.
LOOPS = (
    ("call three(i, gb(3*i))", True),
    ("call three(i, gb(i))", False),
    ("call star(i, g2(1,i), 20)", True),
    ("call star(i, g2(1,i), m)", False),
    ("call star(i, a(1,i), n)", True),
    ("call star(i, a(2,i), n)", False),
    ("call star(i, a(2,i), n-1)", True),
    ("call plane(i, g3(1,1,i), 5)", True),
    ("call plane(i, g3(1,1,i), 6)", False),
    ("call plane(i, g3(1,2,i), 5)", True),  # from the second column to the first one of the next plane
    ("call plane(i, g3(1,2,i), 6)", False),
    ("call further(i, gb(i))", False),
    ("call further(i, gb(4*i))", True),
    ("gb(i) = sum_of(gb(i))", False),
    ("a(i,1) = sum_of(gb(i))", True),
    ("call star(i, os(i)%w(1), 60)", True),
    ("call star(i, os(3)%w(i), 3)", False),
    ("call three(i, g2(2,i))", True),
    ("call three(i, g2(i,2))", False),
    ("associate (q => gb(3:80)); call three(i, q(i)); end associate", False),
)


def test_an_element_may_be_the_beginning_of_an_array(tmp_path: Path) -> None:
    """Fortran 2018, 15.5.2.11: what is called gets the elements after it as well."""
    loops = "\n".join(f"    do i = 1, n\n      {call}\n    end do" for call, _ in LOOPS)
    paths = write_files({"sequence.f90": CALLS.replace("{loops}", loops)}, tmp_path)
    found = [v for v in found_regions(paths, Options(target="cpu")).verdicts if v.key == "sequence::run"]
    apart = [bool(v.region) for v in sorted(found, key=lambda v: v.place.line)]
    assert apart == [wanted for _, wanted in LOOPS]


TYPES = """subroutine wide(c, v)
  implicit none
  complex(8), intent(inout) :: c{shape}
  real(8), intent(in) :: v
  c{first} = cmplx(v, 2*v, 8)
  {more}
end subroutine wide
subroutine run(n, w, x)
  implicit none
  integer, intent(in) :: n
  {type} :: w(n+1), x(n)
  integer :: i
  do i = 1, n
    call wide(w(i), real(x(i), 8))
  end do
end subroutine run
"""


@pytest.mark.parametrize("type_", ["real(8)", "complex(8)"])
@pytest.mark.parametrize(("shape", "first"), [("", ""), ("(1)", "(1)"), ("(*)", "(1)")])
@pytest.mark.parametrize("more", ["", "if (v > 1) print *, v"])
def test_elements_of_another_size(shape: str, first: str, type_: str, more: str, tmp_path: Path) -> None:
    """Old code passes real numbers where a routine has complex ones: it sets the next element as well."""
    text = TYPES.format(shape=shape, first=first, type=type_, more=more)
    paths = write_files({"types.f90": text}, tmp_path)
    (found,) = found_regions(paths, Options(target="cpu")).verdicts
    assert bool(found.region) == (type_ == "complex(8)" and not more)
    assert ("which elements of 'w' are meant is not known" in found.why) == (type_ == "real(8)" and not more)
