"""Regions that take names, sizes and bounds from the loops after their directive."""

import pytest

from hfpy.options import DomainSpec
from tests.support import Translated, translate_text

SOURCE = """module m
  implicit none
contains
  subroutine s(nx, ny, nz, a, b, c, total)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: a(nx,ny), b(0:nx+1,ny), c(nz,nx,ny), total
    real(8) :: x
    integer :: i, j, k, n
    TEXT
  end subroutine s
end module m
"""
LOOPS = "do j = 1, ny\ndo i = 1, nx\nBODY\nend do\nend do"


def translated(text: str, name: str = "m.f90", **options: object) -> Translated:
    return translate_text({name: SOURCE.replace("TEXT", text)}, opt=0, **options)


def directive(text: str, name: str = "m.f90") -> str:
    """The directive as it is written out."""
    done = translated(text, name).require()
    rows = [r.strip() for r in done.text.splitlines() if "parallelRegion{" in r or r.strip().startswith("!@  ")]
    return " ".join(r.removesuffix(" &").removeprefix("!@  ").removeprefix("! ") for r in rows)


# A directive, its loops, and the attributes that they give it.
TAKEN = {
    "own sizes": ("", LOOPS.replace("BODY", "a(i,j) = 1"), "domName(i,j), domSize(nx,ny), explicit"),
    "inner bounds": (
        "",
        "do j = 2, ny - 1\ndo i = 2, nx-1, 2\na(i,j) = 1\nend do\nend do",
        "domName(i,j), domSize(nx,ny), explicit",
    ),
    "halo": ("", "do i = 0, nx + 1\nb(i,1) = i\nend do", "domName(i), domSize(0:nx + 1), explicit"),
    "no array": (
        "{reduction(+:total)}",
        "do i = 3, nx\ntotal = total + i\nend do",
        "domName(i), domSize(3:nx), explicit, reduction(+:total)",
    ),
    "storage order": (
        "",
        "do j = 1, ny\ndo k = 1, nz\ndo i = 1, nx\nc(k,i,j) = 1\nend do\nend do\nend do",
        "domName(k,i,j), domSize(nz,nx,ny), explicit",
    ),
    "the outer loop alone": ("{domName(J)}", LOOPS.replace("BODY", "a(i,j) = 1"), "domName(j), domSize(ny), explicit"),
    "a body with loops": (
        "",
        "do j = 1, ny\ndo i = 1, nx\nx = 0\ndo k = 1, nz\nx = x + c(k,i,j)\nend do\na(i,j) = x\nend do\nend do",
        "domName(i,j), domSize(nx,ny), explicit",
    ),
    "attributes": (
        "{ collapse(2) , schedule(dynamic,4) }",
        LOOPS.replace("BODY", "a(i,j) = 1"),
        "domName(i,j), domSize(nx,ny), explicit, collapse(2), schedule(dynamic,4)",
    ),
    "sizes of what is set": (
        "",
        "do j = lbound(a, dim=2), size(a, 2)\n do i = 1, ubound(a(:,1:2), 1)\na(i,j) = 1\nend do\nend do",
        "domName(i,j), domSize(nx,ny), explicit",
    ),
    "a mixed case": (
        "",
        "DO J = 1, NY\n DO I = 1, NX\nA(I,J) = 1\nENDDO\nENDDO",
        "domName(i,j), domSize(NX,NY), explicit",
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    given, loops, attributes = TAKEN[name]
    assert directive(f"!@parallelRegion{given}\n{loops}") == f"!@parallelRegion{{{attributes}}}"
    assert directive(f"!@ parallelRegion{given}\n{loops}\n!@end parallelRegion") == f"!@parallelRegion{{{attributes}}}"
    hybrid = directive(f"@parallelRegion{given}\n! a comment\n{loops}\nx = 1", "m.h90")
    assert hybrid == f"@parallelRegion{{{attributes}}}"


# What is after the directive, the code, its line, and a word of the message and of the hint.
REFUSED = {
    "no loop": ("x = 1", "HF241", 9, "before a loop nest", "right before"),
    "nothing": ("", "HF204", 9, "not closed", "@end"),
    "do while": ("do while (x > 0)\nx = x - 1\nend do", "HF241", 10, "needs a variable", "do VARIABLE"),
    "do without bounds": ("do\nexit\nend do", "HF241", 10, "needs a variable", ""),
    "a triangle": ("do j = 1, ny\ndo i = 1, j\na(i,j) = 1\nend do\nend do", "HF241", 11, "depend on 'j'", "domName(j)"),
    "a real variable": ("do x = 1, 3\na(1,1) = 1\nend do", "HF241", 10, "no integer", "integer"),
    "a step of nothing": ("do i = nx, 1, 0\na(i,1) = 1\nend do", "HF241", 10, "the step 0", "no such"),
    "a bound set in it": ("do i = 1, n\nn = 3\nend do", "HF241", 11, "'n' is set in the nest", ""),
    "an iterator set in it": ("do i = 1, nx\ni = 3\nend do", "HF241", 11, "'i' is set in the nest", ""),
    "a jump out": ("do i = 1, nx\nif (a(i,1) > 0) exit\nend do", "HF405", 11, "leaves", ""),
    "a jump to the next row": (
        "rows: do j = 1, ny\ndo i = 1, nx\nif (a(i,j) > 0) cycle rows\na(i,j) = 1\nend do\nend do rows",
        "HF405",
        12,
        "'cycle rows' leaves",
        "@exit",
    ),
    "a jump out of a row": (
        "do j = 1, ny\nrow: do i = 1, nx\nif (a(i,j) > 0) exit row\na(i,j) = 1\nend do row\nend do",
        "HF405",
        12,
        "'exit row' leaves",
        "@exit",
    ),
    "a jump after the row": (
        "do 20 j = 1, ny\ndo 10 i = 1, nx\nif (a(i,j) > 0) goto 20\na(i,j) = 1\n10 end do\n20 end do",
        "HF405",
        12,
        "goto out",
        "@exit",
    ),
    "points that meet": (
        "do k = 1, nz\ndo i = 1, nx\na(i,1) = k\nend do\nend do",
        "HF504",
        12,
        "a(1,1)",
        "name the others alone",
    ),
    "a bound that is set": ("do i = 1, n\nif (x > 1) n = 2\na(i,1) = x\nend do", "HF241", 11, "'n' is set", "do not"),
    "a value that is set": ("do i = 1, size(a(1:n,1))\nn = 2\nend do", "HF241", 11, "'n' is set", "do not"),
    "carried": ("do i = 2, nx\na(i,1) = a(i-1,1)\nend do", "HF504", 11, "a(2,1)", ""),
    "used after": ("do i = 1, nx\na(i,1) = 1\nend do\nn = i", "HF319", 13, "'i' is read", ""),
    "code after the loops": (
        LOOPS.replace("BODY", "a(i,j) = 1") + "\nx = 2\n!@end parallelRegion",
        "HF205",
        16,
        "",
        "",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    text, code, line, message, hint = REFUSED[name]
    done = translated(f"!@parallelRegion\n{text}")
    found = next(d for d in done.diagnostics if d.code == code)
    assert (found.place.line, message in found.message, hint in found.hint) == (line, True, True), found
    assert found.severity == "error"


def test_named_loops_must_be_there() -> None:
    done = translated("!@parallelRegion{domName(i,j)}\ndo j = 1, ny\nx = 1\ndo i = 1, nx\na(i,j) = x\nend do\nend do")
    assert [(d.code, d.place.line) for d in done.errors] == [("HF241", 10)]
    assert "'i' is missing" in done.errors[0].message
    assert translated(
        "!@parallelRegion{domName(q)}\ndo j = 1, ny\na(1,j) = 1\nend do\n!@end parallelRegion"
    ).codes() == ["HF208"]


def test_names_alone_are_whole_arrays() -> None:
    text = "!@parallelRegion\ndo i = 1, nx\na(i,1) = sum(b) + maxval(a(:,2:))\nend do"
    assert "sum(b) + maxval(a(:,2:))" in translated(text).require().text
    short = translated("!@parallelRegion\ndo i = 1, nx\na(i) = 1\nend do")
    assert short.codes() == ["HF304"]


def test_layouts_know_the_arrays() -> None:
    text = "!@parallelRegion\n" + LOOPS.replace("BODY", "do k = 1, nz\nc(k,i,j) = 1\nend do")
    done = translated(text, domains={"k": DomainSpec(("nz",), ("k",))}, layout="k j i", exports=())
    assert "c(k,j,i) = 1" in done.require().text
