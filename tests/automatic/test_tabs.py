"""Lines with tabs in the label's columns, operators and numbers with blanks in them, as old code in fixed form has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.parse.text.cards import Card, card
from hfpy.parse.text.tokens import tokenise
from hfpy.pipeline import found_regions
from hfpy.transform.text.fixedform import wrap_fixed
from tests.automatic.test_verdicts import VARIANTS
from tests.support import GFORTRAN, Corpus, Pair, Variant, write_files

TABS = """\tsubroutine tb(a, b, n)
\tinteger n, i
\treal*8 a(n), b(n)
      do 60 i = 1, n
\ta(i) = 1.5 d0*i
\t1 + b(i)
   60\t    continue
      do 70 i = 1, n
      if (a(i). gt. 20.d0) go to 70
      if (mod(i, 3) .eq. 0. or. i .lt. 4) then
     \tb(i) = b(i)
     2  + a(i)
      end if
70\tcontinue
\tend
"""
RUN = """module tt
contains
  subroutine run
    real(8) :: a(40), b(40)
    integer :: i
    b = [(0.25d0*i, i = 1, 40)]
    call tb(a, b, 40)
    print '(3f20.6)', sum(a), a(7), b(3)
    print '(40f9.2)', b
  end subroutine run
end module tt
"""
FILES = {"t.f": TABS, "tt.f90": RUN}
LOOSE = replace(GFORTRAN, checks=("-Wno-tabs",))


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.label)
def test_the_program_is_the_plain_one(variant: Variant, tmp_path: Path) -> None:
    made = found_regions(write_files(FILES, tmp_path / "looked"), Options(**variant.options))
    assert [v.place.line for v in made.verdicts if v.region] == [4, 8]
    Corpus([Pair("tt", FILES, FILES, "tt")], tmp_path, {"tt": (variant,)}, LOOSE).check_one("tt", variant)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("   60     x = 1", Card("60", False, 6)),
        ("   60\tx = 1", Card("60", False, 6)),
        ("60\tx = 1", Card("60", False, 3)),
        ("\tx = 1", Card("", False, 1)),
        ("\t1 + y", Card("", True, 2)),
        ("\t0 + y", Card("", False, 1)),
        ("     \tx = 1", Card("", False, 6)),
        ("     1 + y", Card("", True, 6)),
        ("     0x = 1", Card("", False, 6)),
        ("12   0x = 1", Card("12", False, 6)),
        ("12\t1x = 1", Card("12", False, 3)),
        ("      x = \t1", Card("", False, 6)),
        ("", Card("", False, 6)),
    ],
)
def test_columns(line: str, expected: Card) -> None:
    assert card(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("   60\t    continue", ["60    continue"]),
        ("\ta(i) = 1", ["      a(i) = 1"]),
        ("\t1 + b(i)", ["     & + b(i)"]),
        ("     \tb(i) = b(i)", ["      b(i) = b(i)"]),
    ],
)
def test_changed_lines_have_columns(line: str, expected: list[str]) -> None:
    assert wrap_fixed(line) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(n. eq. 1) .or. x", ["(", "n", ".eq.", "1", ")", ".or.", "x"]),
        ("1. and. k", ["1", ".and.", "k"]),
        ("1. .and. k", ["1.", ".and.", "k"]),
        ("n .ne . 2", ["n", ".ne.", "2"]),
        ("f(1., .true.)", ["f", "(", "1.", ",", ".true.", ")"]),
        (".5.lt.1.e3", [".5", ".lt.", "1.e3"]),
        ("2.5 e24*1. d - 5", ["2.5e24", "*", "1.d-5"]),
        ("3 e1 + .5 e1", ["3", "e1", "+", ".5e1"]),
    ],
)
def test_blanks(text: str, expected: list[str]) -> None:
    tokens = tokenise(text)
    assert [t.text for t in tokens] == expected
    assert all("".join(text[t.start : t.end].split()) == t.text for t in tokens)
