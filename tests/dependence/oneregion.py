"""A routine with one region, for statements in it and after it."""

from __future__ import annotations

from tests.support import Translated, translate_text

SOURCE = """
subroutine work({dummies})
  implicit none
  integer, intent(in) :: n
  {declared}
  @parallelRegion{{domName(i), domSize(n)}}
  {inside}
  @end parallelRegion
  {behind}
end subroutine
"""


def one_region(dummies: str, declared: str, inside: str, behind: str) -> Translated:
    """The routine for OpenMP. ``declared`` are its declarations, and what comes before the region."""
    text = SOURCE.format(dummies=dummies, declared=declared, inside=inside, behind=behind)
    return translate_text({"m.h90": text}, backend="openmp")
