"""What hints propose, done to the text: the diagnostic is gone after it, and nothing new is said."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from hfpy.commands.formats import shown
from hfpy.diagnostics import Fix, Place
from hfpy.parse.fixes import directive_at, replacement_of, title_of
from tests.errors.test_formats import SCHEMA
from tests.support import translate_text

HEAD = """subroutine s(n, to, a, b)
  integer, intent(in) :: n, to(n)
  real(8), intent(inout) :: a(n), b(n)
  integer :: i
"""
NEIGHBOUR = (
    "  @parallelRegion{domName(i), domSize(n), startAt(2)}\n  a(i) = a(i) + a(i-1)\n  @end parallelRegion\nend\n"
)
OPEN = "  do i = 2, n\n    a(i) = a(i) + a(i-1)\n  end do\nend\n"
SCATTER = "  @parallelRegion{domName(i), domSize(n)}\n  a(to(i)) = a(to(i)) + b(i)\n  @end parallelRegion\nend\n"
PRIVATE = """subroutine s(n, a)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  real(8) :: w(3)
  @parallelRegion{domName(i), domSize(n), explicit}
  if (a(i) > 0) w(:) = a(i)
  a(i) = w(2)
  @end parallelRegion
end
"""
SAVED = """module m
contains
  subroutine s(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    @parallelRegion{domName(i), domSize(n)}
    call below(a(i), i)
    @end parallelRegion
  end subroutine
  subroutine below(x, i)
    real(8), intent(inout) :: x
    integer, intent(in) :: i
    real(8), save :: kept(100)
    kept(int(x)) = x
    x = kept(i)
  end subroutine
end module
"""


def fixed(text: str) -> str:
    """A text in fixed form."""
    return "\n".join(row if row.startswith("!") else "      " + row.strip() for row in text.splitlines()) + "\n"


@pytest.mark.parametrize(
    ("name", "text", "code", "written"),
    [
        ("s.h90", HEAD + NEIGHBOUR, "HF504", "startAt(2), independent(a)}"),
        ("s.h90", HEAD + NEIGHBOUR.replace("startAt(2)}", "startAt(2), independent( b )}"), "HF504", "( b , a)}"),
        (
            "s.h90",
            HEAD + NEIGHBOUR.replace(", startAt", ",&\n     & startAt"),
            "HF504",
            " & startAt(2), independent(a)}",
        ),
        ("s.h90", HEAD + "  @parallelRegion\n" + OPEN, "HF504", "@parallelRegion{independent(a)}"),
        ("s.h90", HEAD + "  @parallelRegion{ }\n" + OPEN, "HF504", "@parallelRegion{independent(a) }"),
        ("s.f90", HEAD + "  !@parallelRegion\n" + OPEN, "HF504", "  !@parallelRegion{independent(a)}"),
        (
            "s.f90",
            HEAD + "  !@parallelRegion{domName(i),&\n  !@& domSize(n)}\n" + OPEN,
            "HF504",
            "!@& domSize(n), indep",
        ),
        (
            "s.f",
            fixed(HEAD + "!@parallelRegion{domName(i), &\n!& domSize(n)}\n" + OPEN),
            "HF504",
            "!& domSize(n), indep",
        ),
        ("s.F", fixed(HEAD) + "c@parallelRegion\n" + fixed(OPEN), "HF504", "c@parallelRegion{independent(a)}"),
        ("s.h90", HEAD + SCATTER, "HF500", "domSize(n), distinct(to)}"),
        ("s.H90", HEAD + SCATTER, "HF500", "domSize(n), distinct(to)}"),
        ("s.h90", PRIVATE, "HF504", "explicit, private(w)}"),
        ("s.h90", SAVED, "HF505", "domSize(n), independent(kept)}"),
    ],
)
def test_attributes(name: str, text: str, code: str, written: str) -> None:
    if name.endswith("f90") and "end parallelRegion" not in text and "domName" in text:
        text = text.replace("  end do\n", "  end do\n  !@end parallelRegion\n")
    if name == "s.f":
        text = text.replace("      end do\n", "      end do\n!@end parallelRegion\n")
    before = translate_text({name: text}).diagnostics
    (found,) = (d for d in before if d.code == code)
    (fix,) = found.fixes
    rows = text.split("\n")
    edit = replacement_of(fix, rows)
    assert edit is not None and edit.length == 0
    rows[edit.line] = rows[edit.line][: edit.column] + edit.text + rows[edit.line][edit.column :]
    assert written in "\n".join(rows)
    assert [d.code for d in translate_text({name: "\n".join(rows)}).diagnostics] == [
        d.code for d in before if d != found
    ]
    assert replacement_of(fix, rows) is None, "it is there already"


@pytest.mark.parametrize(
    ("line", "wrong", "right"),
    [
        ("@parallelRegion{domName(i), domSise(n)}", "domSise", "domSize"),
        ("@paralelRegion{domName(i), domSize(n)}", "paralelRegion", "parallelRegion"),
        ("@parallelRegion{appliesTo(CPV), domName(i), domSize(n)}", "CPV", "CPU"),
    ],
)
def test_words(line: str, wrong: str, right: str) -> None:
    rows = f"{HEAD}  {line}\n  a(i) = 0\n  @end parallelRegion\nend\n".split("\n")
    found = next(d for d in translate_text("\n".join(rows)).diagnostics if d.fixes)
    (fix,) = found.fixes
    edit = replacement_of(fix, rows)
    assert edit is not None and title_of(fix) == f"write '{right}'"
    assert rows[edit.line][edit.column : edit.column + edit.length] == wrong
    rows[edit.line] = rows[edit.line].replace(wrong, edit.text)
    assert translate_text("\n".join(rows)).errors == ()


def test_no_edit_of_another_text() -> None:
    fix = Fix(Place("s.h90", 2, 3), "independent(a)", "state")
    assert replacement_of(fix, ["", "  @parallelRegion{domName(i)}"]) is not None
    for other in (
        "",
        "  a(i) = 0",
        "  @end parallelRegion",
        "  @parallelRegion{domName(i",
        "  x = '@'",
        "  ! @parallelRegion",
    ):
        assert replacement_of(fix, ["", other]) is None, other
    assert replacement_of(fix, []) is None
    assert replacement_of(Fix(Place("s.h90", 1, 3, 5), "x"), ["  ab cd"]) is None
    assert directive_at(Path("s.f90"), ["!@parallelRegion"], 0) is not None


def test_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON and SARIF have the edits."""
    monkeypatch.chdir(tmp_path)
    (found,) = translate_text({"s.h90": HEAD + NEIGHBOUR}, folder=tmp_path).errors
    (plain,) = data = json.loads(shown([found], "json"))
    jsonschema.validate(data, SCHEMA)
    (fix,) = plain["fixes"]
    assert (fix["line"], fix["length"], fix["text"]) == (5, 0, ", independent(a)")
    assert fix["title"].startswith("add independent(a)")
    (result,) = json.loads(shown([found], "sarif"))["runs"][0]["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    assert region["startColumn"] == region["endColumn"] == fix["column"] == 53
    assert (change["artifactLocation"]["uri"], replacement["insertedContent"]["text"]) == ("s.h90", ", independent(a)")
