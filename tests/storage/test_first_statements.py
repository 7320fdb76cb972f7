"""The first statement of a routine assigns an element of an array that is declared elsewhere: no statement function."""

from __future__ import annotations

import pytest

from tests.storage.programs import program
from tests.support import CUDA_C, OPENMP, SEQUENTIAL, Corpus, translate_text

TEXT = """module NAME
  implicit none
  real(8) :: kept(4) = 1, w(4)
contains
  subroutine run()
    real(8) :: own(4)
    integer :: k
    own = 2
    w = 0
    do k = 1, 4
      call count(k)
      call inner(k)
    end do
    call step()
    print *, kept, w, own
  contains
    subroutine inner(x)
      integer, intent(in) :: x
      own(x) = own(x) + 10*x
    end subroutine inner
  end subroutine run
  subroutine count(x)
    integer, intent(in) :: x
    kept(x) = kept(x) + x
  end subroutine count
  subroutine step()
    integer :: i
<i
    w(i) = kept(i)
>
  end subroutine step
end module NAME
"""
VARIANTS = (SEQUENTIAL, OPENMP, CUDA_C)
PAIRS = [program("elements", TEXT), program("upper", TEXT.replace("kept(x) = kept(x) + x", "KEPT (X) = Kept(x) + x"))]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(PAIRS, tmp_path_factory.mktemp("first"), {p.name: VARIANTS for p in PAIRS})


@pytest.mark.parametrize("name", [p.name for p in PAIRS])
def test_programs(name: str, corpus: Corpus) -> None:
    corpus.check(name)


WRITTEN = """module m
  implicit none
  integer, parameter :: n = 4
  real(8) :: kept(n) = 0
contains
  subroutine count(x)
    integer, intent(in) :: x
    kept(1) = kept(1) + x
  end subroutine count
  subroutine other(x)
    integer, intent(in) :: x
    kept(x) = kept(x) + 1
  end subroutine other
  subroutine step()
    @parallelRegion{domName(i), domSize(n)}
    call CALLED(i)
    @end parallelRegion
  end subroutine step
end module m
"""


def test_the_write_is_seen_in_a_region() -> None:
    """An element of a module's array that a called routine writes at all points is told, with two of them."""
    (found,) = translate_text(WRITTEN.replace("CALLED", "count")).diagnostics
    assert (found.code, found.severity) == ("HF504", "error")
    assert "points i = 1 and i = 4 both write kept(1)" in found.message


def test_each_point_has_its_own_element() -> None:
    assert not translate_text(WRITTEN.replace("CALLED", "other")).diagnostics


@pytest.mark.parametrize("index", ["perm(x)", "mod(x, 3) + 1", "n + 1 - x", "x + shift"])
def test_an_element_that_a_computed_index_names(index: str) -> None:
    """Certain where the engine can tell; else it is a warning, as for scalars."""
    text = WRITTEN.replace("CALLED", "other").replace("real(8) :: kept", "integer :: perm(n), shift\n  real(8) :: kept")
    found = translate_text(text.replace("kept(x) = kept(x) + 1", f"kept({index}) = kept({index}) + 1")).diagnostics
    expected = {"perm(x)": ["HF501"], "mod(x, 3) + 1": ["HF504"], "n + 1 - x": [], "x + shift": []}
    assert [d.code for d in found] == expected[index], [d.message for d in found]
