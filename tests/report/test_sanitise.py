"""What counts as a line: comments, blanks, continuations, case, fixed form, directives."""

import pytest

from hfpy.report.productivity.sanitise import sanitised, sanitised_c, squeezed


def keys(text: str, fixed: bool = False) -> list[str]:
    return [line.key for line in sanitised(text.splitlines(), fixed)]


FREE = """\
! a comment
Program  P   ! after code

  X = 'it''s ! no  Comment' // "A & B" ! one
  y = x + &    ! continued
    ! in between

      & Z
  s = 'Two &
      &Wo&
   &rds'
#ifdef  GPU
#define A(x) \\
   x+1
#endif
!$OMP parallel do &
!$omp private(I)
!$acc kernels
  ! !$acc nothing
  @parallelRegion{domName(i), &
    domSize(NX)}
  a=1; B = 2
End Program P
"""


def test_free_form() -> None:
    assert keys(FREE) == [
        "programp",
        """x='it''s ! no  Comment'//"A & B\"""",
        "y=x+z",
        "s='Two Words'",
        "#ifdef GPU",
        "#define A(x) x+1",
        "#endif",
        "!$ompparalleldoprivate(i)",
        "!$acckernels",
        "@parallelregion{domname(i),domsize(nx)}",
        "a=1;b=2",
        "endprogramp",
    ]


def test_the_physical_lines_are_known() -> None:
    places = {line.key: (line.first, line.last) for line in sanitised(FREE.splitlines())}
    assert places["programp"] == (2, 2)
    assert places["y=x+z"] == (5, 8)
    assert places["s='Two Words'"] == (9, 11)
    assert places["#define A(x) x+1"] == (13, 14)
    assert places["!$ompparalleldoprivate(i)"] == (16, 17)
    assert places["endprogramp"] == (23, 23)


FIXED = """\
C     a comment
c$omp parallel do
C$OMP& private(i)
      SUBROUTINE  S(A,
     &              B)
* another
      x = 'a  B ! c' ! after

! in the middle
     1   + 1{pad}column 73
   10 CONTINUE
#ifdef A
      END
#endif
""".replace("{pad}", " " * 60)


def test_fixed_form() -> None:
    assert keys(FIXED, fixed=True) == [
        "!$ompparalleldoprivate(i)",
        "subroutines(a,b)",
        "x='a  B ! c'+1",
        "10continue",
        "#ifdef A",
        "end",
        "#endif",
    ]


def test_both_forms_of_one_statement_are_equal() -> None:
    free = "call s(a, &\n  b, 'X y')\nend do"
    fixed = "      CALL S(A,\n     +  B,'X y')\n      ENDDO"
    assert keys(free) == keys(fixed, fixed=True)


def test_directives_in_comments_count_like_others() -> None:
    plain = "@domainDependant{domName(i), domSize(nx)}\na, b\n@end domainDependant\n@parallelRegion{domName(i)}"
    comments = "!@domainDependant{domName(i), &\n!@& domSize(nx)}\n! a, b\n!@end domainDependant\n"
    assert keys(plain) == keys(f"{comments}! @parallelRegion{{domName(i)}}")
    assert len(keys(plain)) == 4


@pytest.mark.parametrize("text", ["", "\n\n", "! one\n  ! two\n", "  &\n"])
def test_nothing_counts_where_there_is_nothing(text: str) -> None:
    assert keys(text) == []


def test_literals_keep_case_and_blanks() -> None:
    assert squeezed("Print *, 'A  b', \"C'  D\"") == "print*,'A  b',\"C'  D\""
    assert keys("x = 'A'") != keys("x = 'a'")


def test_c() -> None:
    text = '/* head\n more */\nint  a; // x\n\nchar *s = "/* no */ // no";\n#include <a.h>\n'
    assert [line.key for line in sanitised_c(text)] == ["int a;", 'char *s = "/* no */ // no";', "#include <a.h>"]
