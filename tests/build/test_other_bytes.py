"""Plain files that are not UTF-8: what hfpy makes of them has their bytes, and pages about them can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from hfpy.cli import cli

TEXT = """program p
  implicit none ! Gr\xf6\xdfe
  integer, parameter :: n = 90000
  real(8) :: a(n), b(n)
  integer :: i
  do i = 1, n
    a(i) = i ! \xfcber
    if (a(i) < 0) print *, 'zu gro\xdf'
  end do
  do i = 1, n
    b(i) = sqrt(2*a(i)) ! \xe4
  end do
  print '(a,f9.3)', '\xe9t\xe9', b(n)
end program p
""".encode("latin-1")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["src"]\n')
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "p.f90").write_bytes(TEXT)
    return tmp_path


def _done(*command: str) -> str:
    done = CliRunner().invoke(cli, [*command], standalone_mode=False)
    assert done.exception is None and "HF900" not in done.output, done.output
    assert not done.return_value, done.output
    return done.output


def test_a_build_with_found_regions(project: Path) -> None:
    _done("build", str(project), "--auto")
    made = next(project.glob("build/*/generated/p.f90")).read_bytes()
    assert b"!$omp" in made
    assert b"'\xe9t\xe9'" in made


@pytest.mark.parametrize(
    "command",
    [
        ("-C", "{}", "explain", "--auto", "--html", "pages"),
        ("-C", "{}", "graph", "--auto", "-o", "g.svg"),
        ("check", "--auto", "--format", "gitlab", "{}/src/p.f90"),
        ("check", "--auto", "--format", "sarif", "{}/src/p.f90"),
        ("annotate", "--html", "{}/page.html", "{}"),
    ],
    ids=" ".join,
)
def test_commands_that_show_it(command: tuple[str, ...], project: Path) -> None:
    _done(*(word.format(project) for word in command))
    for page in [*project.glob("pages/**/*.html"), *project.glob("*.html"), *project.glob("*.svg")]:
        page.read_text("utf-8")
