"""Variables that a region sets by other names, or without an assignment: each point has its own, or it is told."""

from __future__ import annotations

import re

import pytest

from tests.support import translate_text

TEXT = """\
module m
  implicit none
  type :: box
    real(8) :: x(4), s
  end type box
  character(8) :: of_module
contains
  subroutine s(n, a, c)
    integer, intent(in) :: n
    real(8), intent(inout), target :: a(n,4)
    character(8), intent(inout) :: c(n)
    DECLARED
    BEFORE
    @parallelRegion{domName(i), domSize(n)MORE}
    BODY
    @end parallelRegion
    BEHIND
  end subroutine s
end module m
"""
# Declarations, the body of the region, and what each point has of its own.
OWN = {
    "scalar": ("real(8) :: w", "associate (z => w)\nz = a(i,1)\na(i,1) = 2*z\nend associate", "w"),
    "scalar of a scalar": (
        "real(8) :: w",
        "associate (y => w)\nassociate (z => y)\nz = a(i,1)\nend associate\na(i,1) = y\nend associate",
        "w",
    ),
    "element": ("real(8) :: w(7)", "associate (z => w(2))\nz = a(i,1)\na(i,1) = 2*z\nend associate", "w"),
    "section": ("real(8) :: w(7)", "associate (z => w(2:4))\nz = a(i,1)\na(i,1) = z(2)\nend associate", "w"),
    "array": ("real(8) :: w(7)", "associate (z => w)\nz = a(i,1)\na(i,1) = sum(z)\nend associate", "w"),
    "component": ("type(box) :: w", "associate (z => w%s)\nz = a(i,1)\na(i,1) = z\nend associate", "w"),
    "component of rank one": ("type(box) :: w", "associate (z => w%x)\nz = a(i,1)\na(i,1) = z(3)\nend associate", "w"),
    "text": ("character(8) :: w", "write (w, '(f8.3)') a(i,1)\nread (w, *) a(i,2)", "w"),
    "text by keyword": ("character(8) :: w", "write (fmt='(f8.3)', unit=w) a(i,1)\nread (w, *) a(i,2)", "w"),
    "text in capitals": ("character(len=8) :: W", "WRITE(W,*) a(i,1)\nREAD(w,*) a(i,2)", "w"),
    "texts": ("character(8) :: w(3)", "write (w(2), *) a(i,1)\nread (w(2), *) a(i,2)", "w"),
    "text by another name": (
        "character(8) :: w",
        "associate (z => w)\nwrite (z, *) a(i,1)\nread (w, *) a(i,2)\nend associate",
        "w",
    ),
    "pointer that is read": ("real(8), pointer :: w(:)", "w => a(i,:)\na(i,1) = sum(w)", "w"),
    "scalar pointer": ("real(8), pointer :: w", "w => a(i,2)\na(i,1) = w", "w"),
    "pointer that is nullified": ("real(8), pointer :: w(:)", "nullify(w)\nif (.not. associated(w)) a(i,1) = 0", "w"),
}
# Declarations, before, more of the directive, body, after; the code that is told, and words of the message.
TOLD = {
    "by a name from outside": (
        *("real(8) :: w", "associate (z => w)", "", "z = a(i,1)\na(i,1) = 2*z", "end associate", "HF504"),
        "'z' is 'w' as it is outside of the region",
    ),
    "array from outside": (
        *("real(8) :: w(7)", "associate (z => w)", "", "z = a(i,1)\na(i,1) = z(2)", "end associate", "HF504"),
        "'z' is 'w'",
    ),
    "reduction by a name from outside": (
        *("real(8) :: w\nw = 0", "associate (z => w)", ", reduction(+:w)", "z = z + a(i,1)", "end associate"),
        *("HF504", "'z'"),
    ),
    "one element of a target": (
        *("real(8), pointer :: w(:)", "", "", "w => a(1,:)\nw(2) = w(2)*0.5d0 + i", "", "HF500"),
        "'w' is written, a pointer that is set in the region to 'a'",
    ),
    "a scalar target": (
        *("real(8), pointer :: w\nreal(8), target :: t", "", "", "w => t\nw = i", "", "HF500"),
        "set in the region to 't'",
    ),
    "a text of the module": ("", "", "", "write (of_module, *) a(i,1)\nread (of_module, *) a(i,2)", "", "", ""),
    "a text after": ("character(8) :: w", "", "", "if (a(i,1) > 0) write (w, *) a(i,1)", "print *, w", "HF502", "'w'"),
}
HARMLESS = {
    "texts of all points": ("", "write (c(i), *) a(i,1)"),
    "a unit": ("integer :: u", "if (i == 1) write (u, *) a(i,1)"),
    "an array from outside": ("", "a(i,2) = a(i,1)"),
    "stated": ("real(8), pointer :: w(:)", "w => a(i,:)\nw(2) = w(1)"),
}


def translated(case: tuple[str, str, str, str, str], **options: object) -> tuple[str, list[tuple[str, str]]]:
    text = TEXT
    for word, part in zip(("DECLARED", "BEFORE", "MORE", "BODY", "BEHIND"), case, strict=True):
        text = text.replace(word, part)
    done = translate_text(text, backend="openmp", opt=0, **options)
    return "".join(done.files.values()), [(d.code, d.message) for d in done.diagnostics]


def private(text: str) -> set[str]:
    """The names in the clauses for own copies of the first directive."""
    directive = re.search(r"!\$omp parallel do(?:.*&\n)*.*", text)
    assert directive, text
    return {n.strip() for c in re.findall(r"private\(([^)]*)\)", directive[0]) for n in c.split(",")}


@pytest.mark.parametrize("name", OWN)
def test_each_point_has_its_own(name: str) -> None:
    declared, body, variable = OWN[name]
    text, reported = translated((declared, "", "", body, ""))
    assert variable in private(text), text
    assert not [code for code, _ in reported if code in ("HF502", "HF504")]


@pytest.mark.parametrize("name", TOLD)
def test_told(name: str) -> None:
    *case, code, words = TOLD[name]
    text, reported = translated(tuple(case))  # type: ignore[arg-type]
    if code:
        assert [m for c, m in reported if c == code and words in m], reported
    else:
        assert "of_module" in private(text) or reported


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(name: str) -> None:
    declared, body = HARMLESS[name]
    more = ", independent(w)" if name == "stated" else ""
    around = ("associate (z => a)", "end associate") if "outside" in name else ("", "")
    body = body.replace("a(i,2)", "z(i,2)") if "outside" in name else body
    text, reported = translated((declared, around[0], more, body, around[1]))
    assert not reported, reported
    assert "parallel do" in text
