"""``hfpy annotate`` on the command line: reports, directives in sources, patches, questions, bad input."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from hfpy.cli import cli
from tests.support import compile_files, output, translate_text

TOML = '[project]\nname = "p"\nsources = ["src"]\n'
SOURCE = """program p
  implicit none
  integer, parameter :: n = 300
  real(8) :: a(n,n), s
  integer :: i, j, idx(n)
  do j = 1, n
    do i = 1, n
      a(i,j) = i + j
    end do
  end do
  idx = 1
  s = 0
  do j = 1, n
    do i = 1, n
      s = max(s, a(i,j))
    end do
  end do
  do j = 1, n
    a(idx(j),:) = j
  end do
  do j = 2, n
    do i = 1, n
      a(i,j) = a(i,j-1)
    end do
  end do
  print *, s, a(3,3)
end program p
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "hfpy.toml").write_text(TOML)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "p.f90").write_text(SOURCE)
    return tmp_path


def said(project: Path, *arguments: str, status: int = 0, given: str | None = None) -> str:
    done = CliRunner().invoke(cli, ["annotate", str(project), *arguments], standalone_mode=False, input=given)
    assert done.exception is None, done.exception
    assert (done.return_value or 0) == status, done.output
    return done.output


def test_the_report(project: Path) -> None:
    text = said(project)
    rows = [" ".join(r.partition("p.f90:")[2].split()[:2]) for r in text.splitlines() if "p.f90:" in r]
    assert rows[:5] == ["6 region", "13 reduction", "18 question", "21 serial", "22 region"]
    assert "max:s" in text
    assert "!@parallelRegion{distinct(idx)}" in text
    assert "1 question decides 1 more" in text
    assert "reads" in next(r for r in text.splitlines() if "p.f90:21" in r)  # the two points that meet


def test_one_target(project: Path) -> None:
    for asked, target in (
        (("--target", "gpu"), "gpu"),
        (("--target", "cpu"), "cpu"),
        (("--backend", "openacc"), "gpu"),
    ):
        summary = json.loads(said(project, "--format", "json", *asked))["summary"]
        assert list(summary) == [target]


def test_directives_for_one_target_say_so(project: Path) -> None:
    said(project, "--write", "--target", "cpu")
    rows = [r.strip() for r in (project / "src" / "p.f90").read_text().splitlines() if "@" in r]
    assert rows == ["!@parallelRegion{appliesTo(CPU)}", "!@parallelRegion{reduction(max:s), appliesTo(CPU)}"]


def test_as_json(project: Path) -> None:
    made = json.loads(said(project, "--format", "json"))
    assert [n["verdict"] for n in made["nests"] if n["line"] in (6, 13, 18, 21)] == [
        "region",
        "reduction",
        "question",
        "serial",
    ]
    assert made["summary"]["cpu"]["parallel"] == 2


def test_written_directives_change_no_other_line(project: Path) -> None:
    said(project, "--write")
    text = (project / "src" / "p.f90").read_text()
    added = [r.strip() for r in text.splitlines() if "@" in r]
    assert [r for r in text.splitlines() if "@" not in r] == SOURCE.splitlines()
    assert added == ["!@parallelRegion", "!@parallelRegion{reduction(max:s)}", "!@parallelRegion{appliesTo(GPU)}"]


def test_twice_changes_nothing(project: Path) -> None:
    said(project, "--write")
    first = (project / "src" / "p.f90").read_bytes()
    said(project, "--write")
    assert (project / "src" / "p.f90").read_bytes() == first


def test_line_ends_and_strange_bytes_stay(project: Path) -> None:
    source = SOURCE.replace("program p\n", "program p ! caf\xe9 \x0c\n", 1).replace("\n", "\r\n").encode("latin-1")
    (project / "src" / "p.f90").write_bytes(source)
    said(project, "--write")
    rows = (project / "src" / "p.f90").read_bytes().split(b"\n")
    assert b"\n".join(r for r in rows if b"@" not in r) == source
    assert all(r.endswith(b"\r") for r in rows if b"@" in r)


def test_a_patch_that_patch_takes(project: Path) -> None:
    said(project, "--patch", str(project / "regions.patch"))
    assert (project / "src" / "p.f90").read_text() == SOURCE
    subprocess.run(["git", "apply", "--unsafe-paths", "regions.patch"], cwd=project, check=True, env=_apart(project))
    text = (project / "src" / "p.f90").read_text()
    said(project, "--write")
    assert (project / "src" / "p.f90").read_text() == text
    assert "!@parallelRegion" in text


def _apart(folder: Path) -> dict[str, str]:
    return {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}


def test_questions_are_asked(project: Path) -> None:
    text = said(project, "--ask", "--write", given="y\n")
    assert "distinct(idx)" in text
    assert "!@parallelRegion{distinct(idx)}" in (project / "src" / "p.f90").read_text()


def test_no_is_an_answer(project: Path) -> None:
    said(project, "--ask", "--write", given="n\n")
    assert "distinct" not in (project / "src" / "p.f90").read_text()


def test_a_page(project: Path) -> None:
    said(project, "--html", str(project / "loops.html"))
    page = (project / "loops.html").read_text()
    assert "a(i,j) = a(i,j-1)" in page
    assert "which loops are parallel" in page


WRONG = """subroutine wrong(n, c)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: c(n)
  real(8) :: s
  real(8) :: s
  integer :: i
  do i = 1, n
    s = 2
    c(i) = s
  end do
end subroutine wrong
"""
LEFT = """subroutine left(n, c, d)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: c(n), d(n)
  integer :: i
  do i = 1, n
    if (c(i) > 900) exit
    d(i) = c(i)
  end do
  do i = 1, n
    d(i) = d(i) + 1
  end do
end subroutine left
"""


def test_files_with_errors_are_left_out(project: Path) -> None:
    """After an error the program is not looked at any further: what would be said of loops elsewhere is not known."""
    (project / "src" / "p.f90").write_text(LEFT)
    (project / "src" / "wrong.f90").write_text(WRONG)
    text = said(project, "--write")
    assert "error HF301: 's' is declared twice" in text
    assert "left.f90" not in text
    assert "p.f90:6   serial" in text
    assert "p.f90:10  region" in text
    assert "wrong.f90:9" not in text
    assert (project / "src" / "wrong.f90").read_text() == WRONG
    assert (project / "src" / "p.f90").read_text().count("@parallelRegion") == 1


def test_modules_without_source_are_named(project: Path) -> None:
    assert "no file has the module" not in said(project)
    (project / "src" / "far.f90").write_text(
        "subroutine far(a, n)\nuse kinds, only: wp\nuse, intrinsic :: iso_c_binding\nuse mpi\nuse phys\n"
        "integer :: n, i\nreal :: a(n)\ndo i = 1, n\ncall column(a(i))\nend do\nend subroutine far\n"
    )
    assert "no file has the modules kinds, phys, whose procedures may do anything" in said(project)
    assert json.loads(said(project, "--format", "json"))["unseen"] == ["kinds", "phys"]


def test_included_files_that_are_not_there_are_named(project: Path) -> None:
    assert "no folder has" not in said(project)
    (project / "src" / "far.F90").write_text(
        '#include "loops.h"\nsubroutine far(a, n)\ninteger :: n, i\nreal :: a(n)\n'
        "ROWS\na(i) = i\nEND_ROWS\nend subroutine far\n"
    )
    assert "no folder has the included file loops.h, whose macros may be loops" in said(project)
    assert json.loads(said(project, "--format", "json"))["unread"] == ["loops.h"]
    (project / "inc").mkdir()
    (project / "inc" / "loops.h").write_text("#define ROWS do i = 1, n\n#define END_ROWS end do\n")
    text = said(project, "-I", str(project / "inc"))
    assert "no folder has" not in text and "far.F90:5  region" in text


def test_files_that_cannot_be_read_are_left_out(project: Path) -> None:
    (project / "src" / "bad.f90").write_text(
        "module bad\ncontains\nsubroutine s(\n!@parallelRegion{domName(i}\nend module\n"
    )
    done = CliRunner().invoke(cli, ["annotate", str(project), "--write"], standalone_mode=False)
    assert done.exception is None
    assert "bad.f90" in done.output
    assert "!@parallelRegion" in (project / "src" / "p.f90").read_text()
    assert (project / "src" / "bad.f90").read_text().startswith("module bad\ncontains")


def test_write_and_patch_exclude_each_other(project: Path) -> None:
    done = CliRunner().invoke(cli, ["annotate", str(project), "--write", "--patch", "x"], standalone_mode=False)
    assert done.exception is not None
    assert "exclude" in str(done.exception)
    assert (project / "src" / "p.f90").read_text() == SOURCE


def test_fixed_form(project: Path) -> None:
    (project / "src" / "p.f90").unlink()
    text = "      program p\n      real a(3000)\n      integer i\n      do 10 i = 1, 3000\n      a(i) = i\n"
    text += " 10   continue\n"
    (project / "src" / "p.f").write_text(text + "      print *, a(3)\n      end\n")
    said(project, "--write")
    rows = (project / "src" / "p.f").read_text().splitlines()
    assert rows[3].startswith("!@parallelRegion")
    assert rows[4].lstrip().startswith("do 10")


DRIVEN = """module steps
  implicit none
contains
  subroutine step(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,n), b(n,n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        b(i,j) = a(i,j) + 1
      end do
    end do
  end subroutine step
end module steps
program p
  use steps
  implicit none
  integer, parameter :: n = 80
  real(8) :: a(n,n), b(n,n)
  integer :: t
  read (*, *) a
  do t = 1, 10
    call step(n, a, b)
    call step(n, b, a)
    if (t == 5) print *, a(1,2)
  end do
  print *, sum(a)
end program p
"""


def test_the_routine_with_the_time_loop_brings_arrays_to_the_device(project: Path) -> None:
    (project / "src" / "p.f90").write_text(DRIVEN)
    text = said(project, "--write")
    assert "'p' brings a, b to the device" in text
    written = (project / "src" / "p.f90").read_text()
    assert "  !@domainDependant{attribute(transferHere)}\n  !@  a\n  !@  b\n  !@end domainDependant\n" in written
    assert [r for r in written.splitlines() if "@" not in r] == DRIVEN.splitlines()
    assert "brings" not in said(project, "--write")


def test_nothing_is_brought_where_kernels_are_in_the_same_routine(project: Path) -> None:
    assert "brings" not in said(project)


def test_regions_of_the_users_are_left_alone(project: Path) -> None:
    marked = SOURCE.replace("  do j = 1, n\n", "  !@parallelRegion{domName(j)}\n  do j = 1, n\n", 1)
    (project / "src" / "p.f90").write_text(marked)
    said(project, "--write")
    text = (project / "src" / "p.f90").read_text()
    assert text.count("!@parallelRegion{domName(j)}\n") == 1
    assert [r for r in text.splitlines() if "@" not in r] == SOURCE.splitlines()


CONCURRENT = """program p
  implicit none
  integer, parameter :: n = 8000
  real(8) :: a(n), b(n), w(3), x, y, s, t
  integer :: i
  y = 2
  s = 0
  t = 0
  do concurrent (i = 1:n) local(x) local(w) local_init(y) shared(a, b) reduce(+:s, t)
    w = i
    x = w(2)*y
    a(i) = x
    s = s + x
    t = t + 1
  end do
  x = 3
  do concurrent (i = 1:n) local(x)
    x = a(i)
    b(i) = x
  end do
  print *, x, s, t
  do concurrent (i = 1:n) local_init(y)
    b(i) = b(i) + y
    y = a(i)
  end do
  do concurrent (i = 1:n) reduce(+:a)
    a(2) = a(2) + b(i)
  end do
end program p
"""


def test_do_concurrent_with_locality(project: Path) -> None:
    path = project / "src" / "p.f90"
    path.write_text(CONCURRENT)
    said(project, "--write")
    written = path.read_text()
    assert [r.strip() for r in written.splitlines() if "@" in r] == [
        "!@parallelRegion{reduction(+:s), reduction(+:t)}",
    ]
    assert [r for r in written.splitlines() if "@" not in r] == CONCURRENT.splitlines()
    nests = json.loads(said(project, "--format", "json"))["nests"]
    reported = {n["line"]: n["targets"]["cpu"]["why"] for n in nests if n["targets"]["cpu"].get("why")}
    assert "'x' is local to the loop, but what has its name outside is used after it" in reported[18]
    assert "point i = 1 writes y" in reported[23]
    assert "a reduction with 'a' is none" in reported[27]


def test_a_written_do_concurrent_runs(project: Path) -> None:
    path = project / "src" / "p.f90"
    source = CONCURRENT.partition("  x = 3")[0] + "  print *, s, t, a(n)\nend program p\n"
    path.write_text(source)
    said(project, "--write")
    files = translate_text({"p.f90": path.read_text()}, backend="openmp").require().files
    assert "reduction(+:s, t)" in files["p.f90"]
    assert "do concurrent" not in files["p.f90"]
    expected = [2.0 * sum(range(1, 8001)), 8000.0, 16000.0]
    built = compile_files(files, project / "made", openmp=True)
    assert [float(x) for x in output(built, threads=3).split()] == expected


CONVERTED = """subroutine fill(n, graph, at, out)
  implicit none
  integer, intent(in) :: n, at(n)
  real(8), intent(in) :: graph(n, 2)
  real(8), intent(inout) :: out(n)
  integer :: k, j
  do k = 1, n
    j = {index}
    out(j) = graph(k, 2)
  end do
end subroutine fill
"""


@pytest.mark.parametrize("index", ["int(graph(k, 1)) + 1", "ishft(at(k), 1)", "at(k)**2", "nint(graph(k, 1))"])
def test_that_an_operation_takes_no_value_twice_is_not_asked(index: str, tmp_path: Path) -> None:
    (tmp_path / "hfpy.toml").write_text(TOML)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "p.f90").write_text(CONVERTED.replace("{index}", index))
    text = said(tmp_path)
    assert "!@parallelRegion{independent(out)}" in text
    assert "distinct" not in text


def test_files_of_one_name_in_several_folders(project: Path) -> None:
    (project / "src" / "other").mkdir()
    (project / "src" / "other" / "p.f90").write_text(SOURCE.replace("program p", "program q"))
    rows = [row for row in said(project).splitlines() if "  region " in row]
    assert {"other" in row for row in rows} == {True, False}


HIDING = """module m
  implicit none
contains
  subroutine s(n, q)
    integer, intent(in) :: n
    real(8), intent(inout) :: q(n)
    integer :: i
    do i = 1, n
      q(i) = q(i) + 1
    end do
    do i = 1, n
      q(i) = q(i) + zz
    end do
    call s(q)
    !@parallelRegion{domName(i), domSize(n)}
    do i = 1, n
      q(i) = 2*q(i)
    end do
    !@end parallelRegion
  end subroutine s
end module m
"""


@pytest.mark.parametrize("backend", ["openmp", "cuda-c"])
def test_regions_that_are_found_hide_no_error(backend: str, tmp_path: Path) -> None:
    (tmp_path / "m.f90").write_text(HIDING)
    command = ["check", "--auto", "--backend", backend, "--format", "json", str(tmp_path / "m.f90")]
    done = CliRunner().invoke(cli, command, standalone_mode=False)
    found = [(d["code"], d["line"]) for d in json.loads(done.output)]
    assert found == [("HF401", 4), ("HF250", 12), ("HF400", 14)]
