"""Nothing that a directive, a setting or an option says is dropped without a word (D)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hfpy import cli
from hfpy.options import schedule_fault
from tests.support import compile_files, translate_text

SOURCE = """\
module physics
contains
subroutine step(nx, ny, field)
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: field(nx,ny)
  @scheme{name(radiation)}
  @end scheme
  @parallelRegion{domName(i,j), domSize(nx,ny)}
  field(i,j) = field(i,j) + 1
  @end parallelRegion
end subroutine
end module
"""
SCHEME = """\
@scheme{name(radiation)}
module scheme_module
contains
subroutine warm(nx, heat)
  integer, intent(in) :: nx
  real(8), intent(inout) :: heat(nx)
  @parallelRegion{domName(i), domSize(nx)}
  heat(i) = heat(i) + 1
  @end parallelRegion
end subroutine
end module
@end scheme
"""


def project(folder: Path, further: str = "", of_project: str = "") -> Path:
    (folder / "source").mkdir(exist_ok=True)
    (folder / "source/physics.h90").write_text(SOURCE.replace("  @scheme{name(radiation)}\n  @end scheme\n", ""))
    (folder / "source/warm.h90").write_text(SCHEME)
    text = f'[project]\nname = "p"\nsources = ["source"]\n{of_project}\n{further}\n'
    (folder / "hfpy.toml").write_text(text)
    return folder


def checked(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[dict[str, Any]]]:
    capfd.readouterr()
    status = cli.run(["check", "--format", "json", *words])
    out = capfd.readouterr().out
    return status, json.loads(out) if out.startswith("[") else []


WRONG = {
    "routine": ('[routines]\nstepp = "openmp"', "", "step"),
    "routine of a module": ('[routines]\n"physics::stp" = "openmp"', "", "physics::step"),
    "scheme": ('[schemes]\nRADIATON = "openmp"', "", "RADIATION"),
    "scheme, per target": ('[schemes]\nradiatio = { cpu = "openmp" }', "", "RADIATION"),
    "array": ('[layout]\ncpu = "j i"\n[layout.arrays]\nfeild = "i j"', "", "field"),
    "array of a routine": ('[layout]\ncpu = "j i"\n[layout.arrays]\n"physics::step::fields" = "i j"', "", "field"),
    "domain": ('[layout]\ncpu = "j i"\n[domains]\njj = { size = "ny", iterators = "q" }', "", "j"),
    "file": ('[files."physic.h90"]\nflags = ["-O0"]', "", "physics.h90"),
    "exclude": ("", 'exclude = ["source/warn.h90"]', "source/warm.h90"),
    "include_dirs": ("", 'include_dirs = ["sorce"]', "source"),
}
RIGHT = (
    '[routines]\nSTEP = "openmp"\n"physics::step" = "sequential"',
    '[schemes]\nradiation = "openmp"\nRADIATION = "openmp"',
    '[layout]\ncpu = "j i"\n[layout.arrays]\nField = "i j"',
    '[layout]\ncpu = "j i"\n[domains]\ni = { size = "nx", iterators = "i" }\nj = { size = "ny", iterators = ["j"] }',
    '[files."phys*.h90"]\nflags = ["-O0"]',
)


@pytest.mark.parametrize("name", WRONG)
def test_names_in_settings(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    further, of_project, meant = WRONG[name]
    status, found = checked(capfd, str(project(tmp_path, further, of_project)))
    reported = [d for d in found if d["code"] == "HF809"]
    assert status == 0 and len(reported) == 1, found
    assert reported[0]["severity"] == "warning" and reported[0]["file"].endswith("hfpy.toml")
    assert meant in reported[0]["hint"], reported


@pytest.mark.parametrize("further", RIGHT)
def test_names_that_are_there(further: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    of_project = 'exclude = ["warm.h90"]\ninclude_dirs = ["source"]' if "files" in further else ""
    _, found = checked(capfd, str(project(tmp_path, further, of_project)))
    assert [d for d in found if d["code"] in ("HF809", "HF801")] == []


@pytest.mark.parametrize(
    ("option", "value", "meant"),
    [
        ("--routine", "stop=openmp", "step"),
        ("--routine", "physic::step=openmp", "physics::step"),
        ("--scheme", "radiaton=openmp", "RADIATION"),
        ("-I", "{root}/sourc", "source"),
    ],
)
@pytest.mark.parametrize("single", [False, True])
def test_names_on_the_command_line(
    option: str, value: str, meant: str, single: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = project(tmp_path)
    paths = [str(root / "source/physics.h90"), str(root / "source/warm.h90")] if single else [str(root)]
    _, found = checked(capfd, *paths, option, value.format(root=root))
    reported = [d for d in found if d["code"] == "HF809"]
    assert len(reported) == 1 and meant in reported[0]["hint"], found
    right = {"--routine": "Step=openmp", "--scheme": "Radiation=openmp", "-I": str(root / "source")}[option]
    assert [d for d in checked(capfd, *paths, option, right)[1] if d["code"] == "HF809"] == []


@pytest.mark.parametrize("further", [[], ["--schedule"]])
@pytest.mark.parametrize(("asked", "meant"), [("stp", "step"), ("physics::stepp", "step"), ("nosuch", "step, warm")])
def test_explain_of_what_is_not_there(
    asked: str, meant: str, further: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = project(tmp_path)
    assert cli.run(["explain", *further, asked, str(root)]) == 2
    err = capfd.readouterr().err
    assert f"no routine '{asked}'" in err and meant in err
    for there in ("step", "STEP", "physics::step"):
        assert cli.run(["explain", *further, there, str(root)]) == 0
        assert capfd.readouterr().out.strip()


SCHEDULES = {
    "statik": "static",
    "dynamic,": "size of chunks",
    "dynamic, 0": "size of chunks",
    "guide": "guided",
    "auto,4": "takes no",
    "nonmonotone:dynamic": "nonmonotonic",
    "4": "there are",
}


@pytest.mark.parametrize("text", SCHEDULES)
def test_schedules(text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    said = SCHEDULES[text]
    root = project(tmp_path, f'[target.cpu]\nschedule = "{text}"')
    status, found = checked(capfd, str(root))
    assert status == 1 and found[0]["code"] == "HF802" and said in found[0]["message"] and found[0]["line"] == 6
    project(tmp_path)
    assert cli.run(["check", str(root), "--schedule", text]) == 2
    assert said in capfd.readouterr().err
    for backend in ("openmp", "sequential"):
        done = translate_text(SCHEME.replace("domSize(nx)", f"domSize(nx), schedule({text})"), backend=backend)
        assert set(done.codes()) & {"HF210", "HF202"}


@pytest.mark.parametrize(
    "text", ["static", "Dynamic,4", "guided, n", "auto", "RUNTIME", "nonmonotonic:dynamic,8", "monotonic : static"]
)
def test_right_schedules(text: str) -> None:
    assert schedule_fault(text) == ""
    assert translate_text(SCHEME.replace("domSize(nx)", f"domSize(nx), schedule({text})")).codes() == []


# --- schedule and collapse of regions that become one

PAIR = """\
module m
contains
subroutine s(nx, ny, a, b, c)
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: a(nx,ny)
  real(8), intent(inout) :: b(nx,ny), c(nx,ny)
  @parallelRegion{{domName(i,j), domSize(nx,ny){margin}{first}}}
  b(i,j) = {read} + 1
  @end parallelRegion
  @parallelRegion{{domName(i,j), domSize(nx,ny){margin}{second}}}
  c(i,j) = {again}*2
  @end parallelRegion
end subroutine
end module
"""
POINTS = {"read": "a(i,j)", "again": "b(i,j)", "margin": ""}
ROWS = {"read": "a(i,j)", "again": "(b(i,j-1) + b(i,j+1))", "margin": ", startAt(2,2), endAt(nx-1,ny-1)"}


def directives(text: str) -> list[str]:
    words = ("!$omp parallel do ", "!$omp do ")
    return [line.strip() for line in text.lower().splitlines() if line.strip().startswith(words)]


@pytest.mark.parametrize("shape", [POINTS, ROWS], ids=["points", "rows"])
@pytest.mark.parametrize("opt", [1, 2, 3])
@pytest.mark.parametrize("words", ["schedule(dynamic,4)", "schedule( Guided )", "schedule(static, 1)"])
def test_one_schedule(words: str, opt: int, shape: dict[str, str]) -> None:
    text = PAIR.format(first=f", {words}", second=f", {words.lower()}", **shape)
    made = translate_text(text, backend="openmp", opt=opt).require()
    wanted = "".join(words.lower().split())
    assert all(wanted in "".join(line.split()) for line in directives(made.text)), made.text
    plain = translate_text(PAIR.format(first="", second="", **shape), backend="openmp", opt=opt)
    assert len(directives(made.text)) == len(directives(plain.text))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (", schedule(dynamic)", ""),
        ("", ", schedule(dynamic)"),
        (", schedule(dynamic)", ", schedule(guided)"),
        (", collapse(2)", ""),
        (", schedule(dynamic), collapse(2)", ", schedule(dynamic)"),
    ],
)
@pytest.mark.parametrize("opt", [1, 2, 3])
def test_different_schedules(
    first: str, second: str, opt: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = PAIR.format(first=first, second=second, **POINTS)
    made = translate_text(text, backend="openmp", opt=opt).require()
    one, other = directives(made.text)
    for words, line in ((first, one), (second, other)):
        for word in ("schedule(dynamic)", "schedule(guided)", "collapse(2)"):
            assert (word in line) == (word in words), (line, words)
    (tmp_path / "m.h90").write_text(text)
    assert cli.run(["explain", "--schedule", "s", str(tmp_path / "m.h90"), "--opt", str(opt)]) == 0
    assert "different 'schedule' or 'collapse'" in capfd.readouterr().out


@pytest.mark.parametrize("shape", [POINTS, ROWS], ids=["points", "rows"])
@pytest.mark.parametrize("further", ["", ", tile(j:8)", ", unroll(i:2)"])
@pytest.mark.parametrize("opt", [0, 2])
def test_one_collapse(opt: int, shape: dict[str, str], further: str, tmp_path: Path) -> None:
    words = f", collapse(2){further}"
    made = translate_text(PAIR.format(first=words, second=words, **shape), backend="openmp", opt=opt).require()
    compile_files({**made.files, "p.f90": "end\n"}, tmp_path, ("-O1", "-cpp"), True)
    found = directives(made.text)
    assert found and all("collapse(2)" in line for line in found), made.text


def test_collapse_of_blocked_columns() -> None:
    text = """\
module m
contains
subroutine s(nx, ny, nz, t)
  integer, intent(in) :: nx, ny, nz
  real(8), intent(inout) :: t(nz,nx,ny)
  integer :: k
  @parallelRegion{domName(i,j), domSize(nx,ny), collapse(2), schedule(dynamic)}
  do k = 2, nz
    t(k,i,j) = t(k,i,j) + 0.5d0*t(k-1,i,j)*exp(-t(k,i,j)) + sqrt(1 + t(k-1,i,j)**2)
  end do
  @end parallelRegion
end subroutine
end module
"""
    for opt in (0, 1, 2, 3):
        made = translate_text(text, backend="openmp", opt=opt).require()
        (line,) = directives(made.text)
        assert "collapse(2)" in line and "schedule(dynamic)" in line, made.text


# --- transferHere for what is no array of its own

OBJECTS = """\
module m
type state
  real(8) :: t(4)
  real(8), pointer :: p(:)
end type
contains
subroutine step(s, many, x)
  type(state), intent(inout) :: s
  class(state), intent(inout) :: many(3)
  real(8), intent(inout) :: x(4)
  @domainDependant{{attribute({state})}}
  {name}
  @end domainDependant
  @parallelRegion{{domName(i), domSize(4)}}
  x(i) = x(i) + 1
  @end parallelRegion
end subroutine
end module
"""


@pytest.mark.parametrize("name", ["s", "many", "s%t", "S%P", "many(1)%t", "x\n  s"])
@pytest.mark.parametrize("options", [{}, {"target": "gpu"}, {"target": "gpu", "backend": "openacc"}], ids=str)
def test_objects_are_not_transferred(name: str, options: dict[str, Any]) -> None:
    assert "HF605" in translate_text(OBJECTS.format(state="transferHere", name=name), **options).codes()
    assert translate_text(OBJECTS.format(state="transferHere", name="x"), **options).codes() == []


# --- startAt and endAt beside loops of the region's own

LOOPS = """\
module m
contains
subroutine s(nx, ny, a)
  integer, intent(in) :: nx, ny
  real(8), intent(inout) :: a(nx,ny)
  {sign}@parallelRegion{{domName(i,j), domSize(nx,ny){bounds}}}
  do j = {low}, {high}
    do i = 1, nx
      a(i,j) = a(i,j) + 1
    end do
  end do
  {sign}@end parallelRegion
end subroutine
end module
"""


@pytest.mark.parametrize("sign", ["", "!"])
@pytest.mark.parametrize(
    ("bounds", "low", "high", "fits"),
    [
        (", startAt(1,2), endAt(nx,ny-1)", "2", "ny - 1", True),
        (", startAt(1,2), endAt(NX,NY-1)", "2", "ny-1", True),
        (", startAt(1,2)", "2", "ny-5", True),
        ("", "3", "ny-3", True),
        (", startAt(1,1)", "2", "ny", False),
        (", startAt(1,2)", "1", "ny", False),
        (", endAt(nx,ny)", "1", "ny-1", False),
        (", startAt(2,1), endAt(nx,ny)", "1", "ny", False),
    ],
)
def test_bounds_of_loops(sign: str, bounds: str, low: str, high: str, fits: bool) -> None:
    text = LOOPS.format(sign=sign, bounds=bounds, low=low, high=high)
    name = "m.f90" if sign else "m.h90"
    for options in ({}, {"backend": "openmp", "opt": 3}, {"target": "gpu"}):
        done = translate_text({name: text}, **options)
        assert done.codes() == ([] if fits else ["HF213"])


# --- domSize in the wrong order

SIZED = """\
module m
contains
subroutine s(nx, ny, nz, a, b)
  integer, intent(in) :: nx, ny, nz
  real(8), intent(inout) :: a({a}), b({b})
  integer :: k
  @parallelRegion{{domName(i,j), domSize({sizes})}}
  do k = 1, nz
    a(i,j) = a(i,j) + b({index})
  end do
  @end parallelRegion
end subroutine
end module
"""


@pytest.mark.parametrize(
    ("a", "b", "sizes", "index", "reported"),
    [
        ("nx,ny", "nx,ny,nz", "nx,ny", "i,j,k", False),
        ("nx,ny", "nx,ny,nz", "ny,nx", "i,j,k", True),
        ("NX,NY", "nz,nx,ny", "ny, nx", "k,i,j", True),
        ("0:nx+1,0:ny+1", "nx,ny,nz", "0:ny+1,0:nx+1", "i,j,k", False),  # not all of them
        ("0:nx+1,0:ny+1", "0:nx+1,0:ny+1,nz", "0:ny+1,0:nx+1", "i,j,k", True),
        ("nx,nx", "nx,nx,nz", "nx,nx", "i,j,k", False),
        ("nz,nz", "nz,nz,nz", "nx,ny", "i,j,k", False),
        ("nx,ny", "nx,ny,nz", "nx-1,ny-1", "i,j,k", False),
        (":,:", ":,:,:", "ny,nx", "i,j,k", False),
    ],
)
def test_sizes_in_the_wrong_order(a: str, b: str, sizes: str, index: str, reported: bool) -> None:
    for options in ({}, {"backend": "openmp"}, {"target": "gpu"}):
        done = translate_text(SIZED.format(a=a, b=b, sizes=sizes, index=index), **options)
        assert ("HF318" in done.codes("warning")) == reported
