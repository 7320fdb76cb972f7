"""Files that are compiled in one go are what they are alone: messages, macros, and calls that do not agree."""

from pathlib import Path

from tests.support import FLAGS, Built, compile_files, compiler_warnings, output

MAIN = "program main\n  use a, only: one\n  implicit none\n  call one\nend program main\n"
MODULE = """module a
  implicit none
contains
  subroutine one()
    integer :: unused
    print '(i0)', 1
  end subroutine one
end module a
"""


def built(folder: Path, main: str, module: str) -> Built:
    return compile_files({"main.f90": main, "a.f90": module}, folder, (*FLAGS, "-Wall"))


def test_warnings_name_the_file_and_the_line(tmp_path: Path) -> None:
    main = MAIN.replace("  call", "  integer :: mine\n  call")
    found = compiler_warnings(built(tmp_path, main, MODULE).messages)
    assert [place for *place, _ in found] == [["a.f90", 5], ["main.f90", 4]]


def test_macros_end_with_their_file(tmp_path: Path) -> None:
    module = MODULE.replace("contains", "  integer, parameter :: pair(2) = [5, 6]\n#define pair(x) x\ncontains")
    main = MAIN.replace("only: one", "only: one, pair").replace("call one", "call one\n  print '(i0)', pair(1)")
    assert output(built(tmp_path, main, module)) == "1\n5\n"


def test_calls_that_do_not_agree(tmp_path: Path) -> None:
    """Old programs have such calls, which a compiler sees in one file only."""
    beside = "subroutine old(x)\n  real :: x(4)\n  print '(f3.1)', x(1)\nend subroutine old\n"
    main = "program main\n  integer :: n(4) = 0\n  call old(n)\nend program main\n"
    assert output(built(tmp_path, main, beside)) == "0.0\n"
