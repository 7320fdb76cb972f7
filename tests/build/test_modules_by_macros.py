"""Modules whose names are macros: one may have several of them, by which files are compiled in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import hfpy_process
from tests.support import write_files

FILES = {
    "hfpy.toml": '[project]\nname = "demo"\nsources = ["source"]\n',
    "source/z_base.F90": """#define THE_BASE base_of_8
module THE_BASE
  implicit none
  real(8) :: field(1000) = 3
end module THE_BASE
""",
    "source/names.h": "#define LINK_A LINK_B\n#define LINK_B base_of_8\n",
    "source/middle.F90": """#include "names.h"
module middle
  use LINK_A, only: field
  implicit none
contains
  real(8) function total()
    total = sum(field)
  end function total
end module middle
""",
    "source/demo.F90": """#define Field_Data base_of_8
program demo
  use Field_Data
  use middle, only: total
  implicit none
  integer :: i
  do i = 1, 1000
    field(i) = field(i) + i
  end do
  print '(f12.2)', total()
end program demo
""",
}


@pytest.mark.parametrize("auto", [[], ["--auto"]])
def test_one_module_under_the_names_of_several_macros(tmp_path: Path, auto: list[str]) -> None:
    """Files that use the module were compiled before it."""
    write_files(FILES, tmp_path)
    done = hfpy_process(["run", *auto], cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.split()[-1] == "503500.00", done.stderr
