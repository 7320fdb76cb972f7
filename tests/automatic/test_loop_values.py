"""Variables of loops that outlive the routine: what they are after the loop may be used elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import found_regions
from tests.automatic.test_verdicts import VARIANTS
from tests.support import Corpus, Pair, Variant, write_files

COUNTERS = """module counters
  implicit none
  integer :: read_later = 7, only_counts = 0
end module counters
"""
SOURCE = """module old
  use counters
  implicit none
contains
  subroutine run
    real(8) :: b(50000)
    integer :: mine, own
    b = 1
    call filled(b)
    call counted(b)
    call given(b, mine)
    call inner
    print '(f20.2,3i8)', sum(b), read_later, mine, own
    call renamed
  contains
    subroutine inner
      do own = 1, 50000
        b(own) = b(own)*2
      end do
    end subroutine inner
  end subroutine run

  subroutine filled(b)
    real(8) :: b(50000)
    do read_later = 1, 50000
      b(read_later) = b(read_later) + read_later
    end do
  end subroutine filled

  subroutine counted(b)
    real(8) :: b(50000)
    do only_counts = 1, 50000
      b(only_counts) = b(only_counts) + 1
    end do
  end subroutine counted

  subroutine given(b, back)
    real(8) :: b(50000)
    integer :: back
    do back = 1, 50000
      b(back) = b(back) - 3
    end do
  end subroutine given

  subroutine renamed
    use counters, only: later => read_later
    print '(i8)', later + 1
  end subroutine renamed
end module old
"""
FILES = {"counters.f90": COUNTERS, "old.f90": SOURCE}


@pytest.mark.parametrize(("target", "backend"), [("cpu", "openmp"), ("gpu", "cuda-c")])
def test_a_loop_whose_variable_is_used_elsewhere_stays(target: str, backend: str, tmp_path: Path) -> None:
    found = found_regions(write_files(FILES, tmp_path), Options(target=target, backend=backend))
    why = {v.key: v.why for v in found.verdicts if not v.region}
    assert {v.key for v in found.verdicts if v.region} == {"old::counted"}
    assert why["old::filled"].endswith("may use the value that 'read_later' has after the loop")
    assert why["old::given"] == "a caller may use the value that 'back' has after the loop"
    assert why["old::run::inner"] == "'run' may use the value that 'own' has after the loop"


def test_one_name_of_it_is_enough(tmp_path: Path) -> None:
    """A routine that knows the variable by another name."""
    text = SOURCE.replace("sum(b), read_later,", "sum(b), 0,")
    found = found_regions(write_files({**FILES, "old.f90": text}, tmp_path), Options(target="cpu"))
    why = next(v.why for v in found.verdicts if v.key == "old::filled")
    assert why == "'renamed' may use the value that 'read_later' has after the loop"


@pytest.mark.parametrize(
    "read", ["real(8) :: w(later)\n    print '(i8)', size(w)", "namelist /n/ later\n    write (*, n)"]
)
def test_sizes_and_namelists_read(read: str, tmp_path: Path) -> None:
    text = SOURCE.replace("sum(b), read_later,", "sum(b), 0,").replace("print '(i8)', later + 1", read)
    found = found_regions(write_files({**FILES, "old.f90": text}, tmp_path), Options(target="cpu"))
    assert "'renamed' may use" in next(v.why for v in found.verdicts if v.key == "old::filled")


@pytest.mark.parametrize(
    "read",
    ["do concurrent (j = 1:3)\n w(j) = later\n end do", "forall (j = 1:later)\n w(j) = j\n end forall"],
    ids=["do concurrent", "forall"],
)
def test_loops_over_others_read(read: str, tmp_path: Path) -> None:
    """Every name in them was taken for their variable, so that the loop became a region, and 'later' kept no value."""
    read = f"real :: w(50001)\n    integer :: j\n    {read}"
    text = SOURCE.replace("sum(b), read_later,", "sum(b), 0,").replace("print '(i8)', later + 1", read)
    found = found_regions(write_files({**FILES, "old.f90": text}, tmp_path), Options(target="cpu"))
    assert "'renamed' may use" in next(v.why for v in found.verdicts if v.key == "old::filled")


INDEXED = """module m
  implicit none
contains
  subroutine s(n, at, a, b)
    integer, intent(in) :: n, at(n)
    real(8), intent(inout) :: a(n,n), b(n)
    integer :: i, j, k
    do i = 1, n
      a(i,i) = 0
      do k = 1, at(i)
        do j = 1, n
          a(j,i) = a(j,i) + i*j
        end do
      end do
    end do
    {behind}
  end subroutine s
end module m
"""


@pytest.mark.parametrize(
    "behind",
    ["do concurrent (j = 1:n)\n b(at(j)) = j\n end do", "forall (j = 1:n) b(at(j)) = j"],
    ids=["do concurrent", "forall"],
)
def test_variables_of_such_loops_are_none_of_the_routine(behind: str, tmp_path: Path) -> None:
    """They were taken for the value that an inner loop of a region leaves."""
    files = {"m.f90": INDEXED.format(behind=behind)}
    for target in ("cpu", "gpu"):
        found = found_regions(write_files(files, tmp_path / target), Options(target=target, backend=""))
        assert found.verdicts[0].region, found.verdicts


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_the_program_is_the_plain_one(variant: Variant, tmp_path: Path) -> None:
    corpus = Corpus([Pair("old", FILES, FILES, "old")], tmp_path, {"old": (variant,)})
    corpus.check_one("old", variant)
