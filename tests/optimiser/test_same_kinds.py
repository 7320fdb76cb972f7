"""Regions made anew whose sizes and iterators are not of default kind: what hfpy adds is standard Fortran."""

from pathlib import Path

import pytest

from tests.optimiser.test_even_rows import MAIN, ROUTINE, output
from tests.optimiser.test_hidden_names import COLUMN
from tests.support import FLAGS, compile_files, translate_text

STRICT = (*FLAGS, "-std=f2018", "-pedantic-errors")
NUMBERS = """module numbers
contains
  pure integer function int(a, b)
    integer, intent(in) :: a, b
    int = a - b
  end function int
end module numbers
"""


def stencils(size: str, iterator: str, uses: str = "") -> dict[str, str]:
    """A module and a program whose sizes and iterators have some kinds."""
    text = ROUTINE.replace("THREADS", "").replace("USES", uses).replace("BEHIND", "")
    text = text.replace("BEFORE", f"{iterator} :: i, j").replace(
        "integer, intent(in) :: nx", f"{size}, intent(in) :: nx"
    )
    main = MAIN.replace("work(9, rows(n)", f"work(int(9, {size[8]}), int(rows(n), {size[8]})") if "(" in size else MAIN
    return {"m.h90": text, "main.f90": main}


@pytest.mark.parametrize("opt", [2, 3])
@pytest.mark.parametrize("iterator", ["integer", "integer(8)", "integer(2)"])
@pytest.mark.parametrize("size", ["integer", "integer(8)", "integer(2)"])
def test_rows(size: str, iterator: str, opt: int, tmp_path: Path) -> None:
    files = stencils(size, iterator)
    made = {level: translate_text(files, backend="openmp", opt=level).require() for level in (0, opt)}
    assert "regions as one, by blocks of rows, one a thread" in made[opt].text
    printed = [
        output(compile_files(dict(done.files), tmp_path / str(level), STRICT, openmp=True).path, 3)
        for level, done in made.items()
    ]
    assert printed[0] == printed[1]


def test_a_function_of_that_name(tmp_path: Path) -> None:
    """Text that would need the intrinsic function is not written."""
    files = {"numbers.f90": NUMBERS, **stencils("integer(8)", "integer(8)", uses="use numbers")}
    assert "regions as one" not in translate_text(files, backend="openmp", opt=2).require().text


@pytest.mark.parametrize(("size", "converted"), [("integer", 0), ("integer(8)", 1)])
def test_blocks_of_columns(size: str, converted: int, tmp_path: Path) -> None:
    text = COLUMN.replace("NAME", "top").replace("integer, intent(in) :: nx", f"{size}, intent(in) :: nx")
    made = translate_text({"column.h90": text}, backend="openmp", opt=2).require()
    assert ("hf_n = min(" in made.text, "int(nx-hf_i_block+1)" in made.text) == (1, converted)
    main = "program main\n  use column\nend program main\n"
    compile_files({**made.files, "main.f90": main}, tmp_path, STRICT, openmp=True)
