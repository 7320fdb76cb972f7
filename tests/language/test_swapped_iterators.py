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


NAMED = """module named
  implicit none
  integer, parameter :: nx = 5, ny = 4
  real :: level, b(nx,ny)
  @domainDependant{domName(i,j), domSize(nx,ny), attribute(autoDom)}
  level
  @end domainDependant
contains
  subroutine add
    @parallelRegion{domName(DOMAINS), domSize(SIZES)}
    b(CROSSED) = 2*INDEXED
    @end parallelRegion
  end subroutine add
end module named
"""


@pytest.mark.parametrize(
    ("domains", "sizes", "indexed", "expected"),
    [
        ("i,j", "nx,ny", "level", []),
        ("j,i", "ny,nx", "level", []),
        ("i,j", "nx,0:ny", "level", []),
        ("i,j", "ny,nx", "level", ["HF302"]),
        ("j,i", "nx,ny", "level", ["HF302"]),
        ("j,i", "nx,0:ny+1", "level", ["HF302"]),
        ("i,j", "ny,nx", "level(j,i)", []),
    ],
)
def test_names_of_a_module_that_contradict_sizes(domains: str, sizes: str, indexed: str, expected: list[str]) -> None:
    """Names come first; where the sizes show that a region has them the other way round, no index is inserted."""
    own = dict(zip(sizes.split(","), domains.split(","), strict=True))
    first = next(name for size, name in own.items() if size == "nx")
    second = next(name for size, name in own.items() if size != "nx")
    text = NAMED.replace("DOMAINS", domains).replace("SIZES", sizes).replace("INDEXED", indexed)
    done = translate_text(text.replace("CROSSED", f"{first},{second}"))
    assert [d.code for d in done.errors] == expected
