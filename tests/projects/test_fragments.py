"""Files with the name of a source that others include, and that are no whole units, are no sources of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from hfpy.build.fragments import fragments
from hfpy.cli import cli
from tests.support import write_files

MAIN = """program main
  implicit none
{}
  n = 3
  print '(i0)', n
end program
"""
DECLARED = "  ! sizes\n  integer :: n ! of all\n"


@pytest.mark.parametrize(
    ("line", "name", "text"),
    [
        ("  include 'sizes.f90'", "sizes.f90", DECLARED),
        ('  INCLUDE "parts/sizes.h90"', "parts/sizes.h90", DECLARED),
        ('#include "sizes.h90"\n  integer :: n', "sizes.h90", "#define HERE\n"),
    ],
)
def test_a_project_with_one_is_built(line: str, name: str, text: str, tmp_path: Path) -> None:
    write_files({"main.F90": MAIN.format(line), name: text}, tmp_path)
    assert "1 source, 1 main program" in CliRunner().invoke(cli, ["init", str(tmp_path)]).output
    (tmp_path / "hfpy.toml").write_text('[project]\nsources = ["."]\n')
    done = CliRunner().invoke(cli, ["build", str(tmp_path)], env={"FFLAGS": "-O0"})
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert (done.exit_code, "no problems found" in done.output) == (0, True)


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("a.f90", "integer :: n\n", True),
        ("a.f90", "", True),
        ("a.f90", "#define A\n! nothing else\n", True),
        ("a.f90", "interface\nend interface\n", True),
        ("a.f90", "do i = 1, n\nend do\n", True),
        ("a.f90", "endings = 3\n", True),
        ("a.f90", "subroutine s\nend\n", False),
        ("a.f90", "subroutine s\nend subroutine s ! done\n! more\n\n", False),
        ("a.f90", "integer :: n\nEND PROGRAM\n", False),
        ("a.f90", "module m\nendmodule m\n", False),
        ("a.f", "      integer n\nc     end\n", True),
        ("a.f", "      subroutine s\n 10   end\n*     more\n", False),
        ("a.f", "      block data\n      end block data\n", False),
    ],
)
def test_what_is_a_part(name: str, text: str, part: bool, tmp_path: Path) -> None:
    write_files({f"sub/{name}": text, "sub/b.F90": f"program b\n include '{name}'\nend\n"}, tmp_path)
    files = [tmp_path / "sub" / name, tmp_path / "sub" / "b.F90"]
    assert fragments(files) == ({files[0]} if part else set())


def test_only_where_another_file_includes_it(tmp_path: Path) -> None:
    texts = {"a.f90": "integer :: n\n", "b.f90": "print *, 1\n", "sub/a.f90": "include 'a.f90'\nprint *, 1\n"}
    write_files(texts, tmp_path)
    files = [tmp_path / name for name in texts]
    assert fragments(files) == set()
    assert fragments(files, [Path(os.path.relpath(tmp_path))]) == {files[0]}
