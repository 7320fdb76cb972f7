"""Directives where none may be are errors: none is dropped, and none ends what is read."""

import pytest

from tests.support import translate_text

SOURCE = """\
@1
module m
  @2
  integer :: k
  @3
contains
  @4
  subroutine s(a, n)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    integer :: i
    @parallelRegion{domName(i), domSize(n)}
    a(i) = 1.0
    @end parallelRegion
  end subroutine
  @5
end module
@6
"""
DEPENDANT = "@domainDependant{attribute(autoDom)}\nk\n@end domainDependant"
REGION = "@parallelRegion{domName(i), domSize(n)}"


def placed(directive: str, place: int) -> str:
    """The source with a directive at one of the places."""
    for number in range(1, 7):
        SOURCE.index(f"@{number}\n")
    rows = [row if row.strip() != f"@{place}" else directive for row in SOURCE.splitlines()]
    return "\n".join(row for row in rows if not row.strip().removeprefix("@").isdigit()) + "\n"


@pytest.mark.parametrize("place", range(1, 7))
@pytest.mark.parametrize(
    "directive",
    [
        REGION,
        "@end parallelRegion",
        "@stencilProgram{fuse(auto)}",
        "@domainDependant{attribute(autoDom)}\nk\n@end domainDependant",
    ],
)
def test_a_directive_at_a_wrong_place(directive: str, place: int) -> None:
    if directive.startswith("@domainDependant") and place in (2, 3):
        pytest.skip("there it may be" if place == 3 else "its names are declared later")
    text = placed(directive, place)
    found = translate_text(text).diagnostics
    assert found
    assert {d.code for d in found} <= {"HF207", "HF205", "HF109"}, [str(d.message) for d in found]
    assert found[0].place.line == text.splitlines().index(directive.splitlines()[0]) + 1


@pytest.mark.parametrize("place", [1, 4, 5, 6])
def test_an_unknown_directive_between_routines(place: int) -> None:
    assert [d.code for d in translate_text(placed("@paralelRegion{domName(i)}", place)).diagnostics] == ["HF200"]


def test_a_statement_among_the_declarations_of_a_module() -> None:
    """It ended the declarations without a word: ``m`` below was not known."""
    text = SOURCE.replace("  @2\n", "  k = 3\n  integer, parameter :: m = 4\n")
    text = "".join(row for row in text.splitlines(keepends=True) if not row.strip().removeprefix("@").isdigit())
    found = translate_text(text).diagnostics
    assert [(d.code, d.place.line) for d in found] == [("HF110", 2)]


def test_a_macro_among_the_declarations_of_a_plain_module() -> None:
    """What it declares is the compiler's to know; the declarations after it are read."""
    text = "".join(row for row in SOURCE.splitlines(keepends=True) if not row.strip().removeprefix("@").isdigit())
    text = text.replace("    @", "    !@").replace(
        "    a(i) = 1.0\n", "    do i = 1, m\n      a(i) = 1.0\n    end do\n"
    )
    text = text.replace("domSize(n)", "domSize(m)").replace(
        "  integer :: k\n", "  COUNTED(k)\n  integer, parameter :: m = 4\n"
    )
    assert not translate_text({"m.F90": "#define COUNTED(x) integer :: x\n" + text}).diagnostics
    assert [d.code for d in translate_text({"m.F90": text}).diagnostics] == ["HF110"]
