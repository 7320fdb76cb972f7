"""What options of statements set, and what they read: ``errmsg=``, ``iomsg=``, those of ``inquire``."""

from __future__ import annotations

import pytest

from tests.dependence.oneregion import one_region
from tests.support import Translated

DECLARED = """
  integer, intent(inout) :: a(n), b(n)
  real, allocatable :: x(:)
  character(40) :: text, name
  integer :: i, k, s
  logical :: is
  text = 'none'
"""


def made(inside: str, behind: str = "") -> Translated:
    """A region with a statement, and what comes after it."""
    return one_region("n, a, b", DECLARED, inside, behind)


@pytest.mark.parametrize(
    "statement",
    [
        "allocate (x(a(i)), stat=s, errmsg=text); deallocate (x)",
        "write (name, '(i2)', iostat=s, iomsg=text) a(i); b(i) = len_trim(name)",
    ],
)
def test_a_message_stays_where_nothing_fails(statement: str) -> None:
    """So its last value is not that of the last point."""
    assert not made(statement).diagnostics
    assert made(statement, "print *, text").codes() == ["HF502"]
    assert not made(statement, "print *, s").diagnostics


@pytest.mark.parametrize(
    ("behind", "name"),
    [
        ("inquire (unit=k, exist=is)", "k"),
        ("inquire (k, exist=is)", "k"),
        ("inquire (file=name, exist=is)", "name"),
        ("open (k, file='a', status='old', iostat=s)", "k"),
    ],
)
def test_what_is_asked_about_is_read(behind: str, name: str) -> None:
    inside = "k = a(i); write (name, '(i2)') k"
    text = made(inside, behind).require().text
    (clause,) = (row for row in text.splitlines() if "parallel do" in row and "end" not in row)
    assert name in clause.partition("lastprivate(")[2]
    assert "lastprivate" not in made("k = a(i); b(i) = k", "inquire (10, number=k)").require().text
