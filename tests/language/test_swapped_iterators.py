"""Iterators whose names go along other domains in another routine: the sizes tell where a domain is."""

from __future__ import annotations

import pytest

from tests.support import translate_text

PROGRAM = """module fields
  implicit none
  integer, parameter :: nx = 5, ny = 4
contains
  subroutine rows(a)
    real, intent(inout) :: a
    @domainDependant{domName(i,j), domSize(ny,nx), attribute(autoDom)}
    a
    @end domainDependant
    @parallelRegion{domName(j,i), domSize(nx,ny)}
    a = 0.5*i + j
    @end parallelRegion
  end subroutine rows
  subroutine columns(a)
    real, intent(inout) :: a
    @domainDependant{domName(FIRST), domSize(SIZES), attribute(autoDom)}
    a
    @end domainDependant
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    a = 0.5*i + j
    @end parallelRegion
  end subroutine columns
end module fields
program swapped
  use fields
  implicit none
  real :: a(ny,nx), b(nx,ny)
  call rows(a)
  call columns(b)
  print *, a, b
end program swapped
"""


@pytest.mark.parametrize("target", ["cpu", "gpu"])
@pytest.mark.parametrize("layout", [None, "i j", "j i"])
def test_sizes_tell_the_places(target: str, layout: str | None) -> None:
    text = PROGRAM.replace("FIRST", "i,j").replace("SIZES", "nx,ny")
    assert translate_text(text, target=target, **({"layout": layout} if layout else {})).codes() == []


def test_an_array_the_other_way_round_is_refused() -> None:
    text = PROGRAM.replace("FIRST", "j,i").replace("SIZES", "ny,nx")
    assert translate_text(text).codes() == ["HF305"]
