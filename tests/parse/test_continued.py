"""Statements of free form over several lines: without an ``&`` before it, the next line begins another word (Fortran
2018, 6.3.2.4); gfortran is the oracle.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hfpy.parse.text.lexer import logical_lines
from tests.support import compile_files, output, translate_text

READ = {
    "end do&\nouter": "end do outer",
    "end&  ! done\n\n  ! a comment\n  do": "end   do",
    "inte&\n  &ger :: n": "integer :: n",
    "call&\nf(1&\n&2)": "call f(12)",
    "x = a(i)&\n  + b": "x = a(i)+ b",
    "x = a *&\n  b": "x = a *b",
    "print *, 'a&\n  & b', 'c&\nd'": "print *, 'a b', 'cd'",
}

LOOPS = """subroutine s(n, a)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n)
  integer :: i, j
  columns : &
  do j = 1, n
    check : &
    if (j > 2) then
      a(:,j) = 0
    else check
      rows : &
      do i = 1, n
        if (i == j) cycle&
rows
        a(i,j) = i
      enddo&
      rows
    endif&
check
  end&
  do&
  columns
end subroutine
"""


@pytest.mark.parametrize("text", READ)
def test_words_end_with_their_line(text: str) -> None:
    lines, found = logical_lines("s.f90", text.splitlines(), hybrid=False)
    assert [line.text.split() for line in lines] == [READ[text].split()] and not found


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("!@parallelRegion ! all of it", "@parallelRegion"),
        (
            "!@parallelRegion{domName(i), & ! one\n!@ local(t)} ! isn't it",
            "@parallelRegion{domName(i), local(t)}",
        ),
        ("!@end parallelRegion ! here", "@end parallelRegion"),
        ("!@serial: it's shown! twice", "@serial: it's shown! twice"),  # what is behind the colon is the reason
    ],
)
@pytest.mark.parametrize("suffix", ["f90", "f"])
def test_comments_behind_directives_in_comments(text: str, read: str, suffix: str) -> None:
    lines, found = logical_lines(f"s.{suffix}", text.splitlines(), hybrid=False, fixed=suffix == "f")
    assert [line.text for line in lines] == [read] and not found


def test_places_behind_a_word_that_ended() -> None:
    lines, _ = logical_lines("s.f90", ["  end do&", "   outer"], hybrid=False)
    assert [lines[0].locate(n) for n in (5, 6, 7, 8)] == [(0, 7), (0, 8), (1, 3), (1, 4)]


def test_names_of_constructs(tmp_path: Path) -> None:
    done = translate_text({"s.f90": LOOPS}, backend="openmp", auto=True).require()
    assert "omp parallel do" in done.text
    main = "program t\n  real(8) :: a(3,3) = 0\n  call s(3, a)\n  print *, a\nend program\n"
    built = compile_files({"s.f90": done.text, "t.f90": main}, tmp_path, openmp=True)
    assert output(built).split() == [f"{x}.0000000000000000" for x in (0, 2, 3, 1, 0, 3, 0, 0, 0)]
