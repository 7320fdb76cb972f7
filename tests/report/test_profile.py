"""``hfpy run --profile`` on a program whose calls, points and bytes are counted by hand; the table and the picture."""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hfpy import cli
from hfpy.build.driver import PROFILE_FOLDER
from hfpy.commands.tables import as_text
from hfpy.report.profile.picture import picture
from hfpy.report.profile.results import Copies, Kernel, Profile, as_data, read
from hfpy.report.profile.text import show
from tests.support import translate_text

NX, NY, NZ, STEPS = 12, 10, 7, 5
PROGRAM = f"""
module model
  implicit none
  integer, parameter :: nx = {NX}, ny = {NY}, nz = {NZ}
contains
  subroutine step(a, b, weights, extra)
    real(8), intent(in) :: a(0:nx+1, 0:ny+1, nz)
    real(4), intent(inout) :: b(nx, ny, nz)
    real(8), intent(in) :: weights(2)
    real(8), intent(in), optional :: extra(nx, ny)
    integer :: k
    real(8) :: own(nz)
    @domainDependant{{attribute(autoDom, transferHere)}}
    a, b, extra
    @end domainDependant

    @parallelRegion{{domName(i,j), domSize(nx,ny)}}
    own(1) = 0
    do k = nz, 2, -1
      own(k) = a(i-1,j,k) + a(i+1,j,k) + a(i,j,k-1)
      b(i,j,k) = b(i,j,k) + real(own(k) + weights(1), 4)
    end do
    if (present(extra)) b(i,j,1) = real(extra(i,j), 4)
    @end parallelRegion
    call edges(b)
  end subroutine step

  subroutine edges(b)
    real(4), intent(inout) :: b(nx, ny, nz)
    @domainDependant{{attribute(autoDom, present)}}
    b
    @end domainDependant
    @parallelRegion{{domName(j,k), domSize(ny,nz), startAt(2,1), endAt(ny-1,nz), name(rim)}}
    b(1,j,k) = b(2,j,k)
    b(nx,j,k) = b(nx-1,j,k)
    @end parallelRegion
  end subroutine edges
end module model

program main
  use model, only: nx, ny, nz, step
  implicit none
  real(8) :: a(0:nx+1, 0:ny+1, nz), w(2), extra(nx, ny)
  real(4) :: b(nx, ny, nz)
  integer :: n
  a = 1.5d0
  b = 0
  w = 0.25d0
  extra = 3
  do n = 1, {STEPS}
    if (n == 1) then
      call step(a, b, w, extra)
    else
      call step(a, b, w)
    end if
  end do
  print '(f12.4)', sum(b)
  error stop 7
end program main
"""
TOML = '[project]\nname = "model"\nsources = ["model.h90"]\n[target.cpu]\nflags = ["-O1", "-ffp-contract=off"]\n'
BANDWIDTH = 1e13
COLUMN = NX * NY * (NZ - 1)  # points of the loop in the first region
EDGE = (NY - 2) * NZ
# b is read and stored by the loop, stored at the lowest level besides; a is read at k and k-1, which is one range
FIRST = 8 * COLUMN + 4 * (COLUMN + NX * NY * NZ) + 8
EXPECTED = {
    "step": ("model.h90:17", STEPS, STEPS * NX * NY, STEPS * FIRST + 8 * NX * NY),
    "edges (rim)": ("model.h90:33", STEPS, STEPS * EDGE, STEPS * 4 * 4 * EDGE),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("profiled")
    (folder / "model.h90").write_text(PROGRAM)
    (folder / "hfpy.toml").write_text(TOML)
    machine = {"bandwidth": BANDWIDTH, "rate": 1e10, "cache": 4096, "launch": 1e-6}
    (folder / "hfpy-machine.json").write_text(json.dumps({"cpu": machine}))
    return folder


def profiled(project: Path, options: Sequence[str], capfd: pytest.CaptureFixture[str]) -> tuple[Any, str, str]:
    """The JSON of a run, what it printed, and what hfpy said."""
    assert cli.run(["run", "-C", str(project), "--profile", *options]) == 7
    said = capfd.readouterr()
    (path,) = re.findall(r"wrote (\S+profile\.json)", said.err)
    return json.loads(Path(path).read_text()), said.out, said.err


BUILDS = {"sequential": ["--backend", "sequential"], "openmp": [], "emulated": ["--target", "gpu", "--emulate"]}


@pytest.mark.parametrize("build", ["sequential", "openmp", pytest.param("emulated", marks=pytest.mark.full)])
def test_calls_points_and_bytes(build: str, project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    data, out, err = profiled(project, BUILDS[build], capfd)
    assert float(out) == STEPS * (3 * 1.5 + 0.25) * COLUMN + 3 * NX * NY
    assert {k["name"]: (k["place"], k["calls"], k["points"], k["bytes"]) for k in data["kernels"]} == EXPECTED
    for kernel in data["kernels"]:
        assert 0 < kernel["longest"] <= kernel["seconds"] < data["seconds"]
        rate = kernel["bytes"] / kernel["seconds"]
        assert kernel["bytes_per_second"] == pytest.approx(rate, rel=1e-4)
        assert kernel["share_of_bandwidth"] == pytest.approx(rate / BANDWIDTH, rel=1e-4)
    assert (data["processes"], data["bandwidth"], data["bandwidth_from"]) == (1, BANDWIDTH, "from hfpy-machine.json")
    assert re.search(r"step +model\.h90:17 +5 ", err) and "of bandwidth" in err

    assert bool(data["copies"]) == (data["seconds_in_copies"] > 0) == ("copies of" in err) == (build == "emulated")


ARRAYS = """
subroutine s(nx, n, a, b, c, d, e, at, p, t)
  integer, intent(in) :: nx, n, at(nx)
  real(8), intent(in) :: a(nx,*), b(0:nx,3), c(nx)
  real(8), intent(inout) :: d(nx,4)
  real(8), allocatable, intent(inout) :: e(:)
  real(8), pointer, intent(in) :: p(:)
  real(8), intent(in) :: t(nx)
  integer :: h, i
  @parallelRegion{domName(i), domSize(nx), startAt(2), endAt(nx-1), stride(2)}
  do h = 1, n
    d(i,h) = b(i-1,1) + b(i+1,3) + b(i,1) + c(at(i)) + a(i,h)
  end do
  do h = 1, i
    d(i,1) = d(i,1) + t(h)
  end do
  d(i,4) = sum(b(i,:)) + p(2*i+h)
  if (allocated(e)) e(i) = c(nx+1-i) + c(i)
  @end parallelRegion
end subroutine s
"""
REACHED = {
    "a": "8*I*N",  # of assumed size: what the loop reaches
    "b": "8*I*size(b, 2, 8)",
    "c": "8*min(I + I + I, size(c, 1, 8))",  # from both ends and through another array, but not more than there are
    "d": "8*I*1_8 + I*min(N + 2_8, size(d, 2, 8))",
    "e": "8*I",
    "p": "8*I",
    "at": "8*I",
    "t": "8*size(t, 1, 8)",  # the loop is another one at every point
}


def test_what_is_reached() -> None:
    """The expressions for each array, with I for the domain, N for the loop, 8 for the size of an element."""
    done = translate_text(ARRAYS, opt=0, profile=True).require()
    text = re.sub(r"&\s*&?\s*", "", next(iter(done.files.values())))
    found = {}
    for name, moved in re.findall(r"call hf_profile_moves\(int\(storage_size\((\w+)\)/8, 8\)(.*)\)\n", text):
        moved = moved.replace("hf_profile_count(int(2, 8), int(nx-1, 8), int(1, 8))", "I")
        moved = moved.replace("hf_profile_count(int(1, 8), int(n, 8), int(1, 8))", "N")
        found[name] = "8" + moved.replace(" *", "*")
    assert found == {name: bytes_.replace("8*", "8*(", 1) + ")" for name, bytes_ in REACHED.items()}
    assert "if (allocated(e)) call hf_profile_moves" in text and "if (associated(p)) call" in text
    assert "hf_profile_count(int(2, 8), int(nx-1, 8), int(2, 8)))" in text  # points, with the stride


COPIED = """
subroutine s(n, a, b)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  @domainDependant{attribute(transferHere)}
  a, b
  @end domainDependant
  a(1) = 3
  @parallelRegion{domName(i), domSize(n)}
  b(i) = a(i)
  @end parallelRegion
  print *, b(1)
end subroutine s
"""


def test_copies_are_no_part_of_a_kernel() -> None:
    text = translate_text(COPIED, target="gpu", opt=0, profile=True).require().files["m.F90"]
    calls = re.findall(r"call (hf_profile_start|hf_profile_stop|hf_update\w*|hf_enter|hfl\w*)", text)
    assert calls.index("hf_profile_stop") == calls.index("hf_profile_start") + 2
    assert any(c.startswith("hf_update") for c in calls[: calls.index("hf_profile_start")])
    assert any(c.startswith("hf_update") for c in calls[calls.index("hf_profile_stop") :])


PLACES = """
module m
  implicit none
contains
  pure subroutine quiet(a)
    real, intent(inout) :: a(4)
    integer :: i
    @parallelRegion{domName(i), domSize(4)}
    a(i) = 1
    @end parallelRegion
  end subroutine quiet
  subroutine both(a)
    real, intent(inout) :: a(4)
    @parallelRegion{appliesTo(GPU), domName(i), domSize(4)}
    @parallelRegion{appliesTo(CPU), domName(i), domSize(4)}
    call inner(a(i))
    @end parallelRegion
    @end parallelRegion
  end subroutine both
  subroutine inner(x)
    real, intent(inout) :: x
    x = 2*x
  end subroutine inner
end module m
"""


def test_what_is_timed() -> None:
    """No pure routine; of regions for either target the one that is active."""
    done = translate_text(PLACES, opt=0, profile=True).require()
    (text,) = done.files.values()
    assert text.count("call hf_profile_start()") == text.count("call hf_profile_stop()") == 1
    assert 'call hf_profile_kernel("both"//hf_profile_end, "' in text and ':15"//hf_profile_end' in text
    lines = [line.strip() for line in text.splitlines()]
    assert (
        lines.index("call hf_profile_start()") < lines.index("call inner(a(i))") < lines.index("call hf_profile_stop()")
    )


def test_other_builds_know_nothing_of_it(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["run", "-C", str(project), "--backend", "sequential"]) == 7
    assert "profile" not in capfd.readouterr().err
    assert "hf_profile" not in (project / "build" / "cpu-sequential" / "generated" / "model.F90").read_text()


def test_a_program_that_is_killed_leaves_no_profile(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.f90").write_text("program p\n  call abort()\nend program p\n")
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "p"\nsources = ["p.f90"]\n')
    assert cli.run(["run", "-C", str(tmp_path), "--profile"]) > 128
    assert "or was ended before it could write one" in capfd.readouterr().err


THREADS = """
#include <stdint.h>
void hfq_kernel(const char *, const char *, int64_t);
void hfq_moves(int64_t);
void hfq_start(void);
void hfq_stop(void);
static void nest(int depth) {
  hfq_kernel("deep", "x\\"\\\\y", 1);
  hfq_moves(3);
  hfq_start();
  if (depth > 1) nest(depth - 1);
  hfq_stop();
}
int main(void) {
#pragma omp parallel for num_threads(4)
  for (int n = 0; n < 4000; ++n) {
    char name[] = {'k', (char)('a' + n % 20), (char)('a' + n % 10), 0};
    hfq_kernel(name, "here", 2);
    hfq_moves(n);
    hfq_start();
    hfq_stop();
  }
  nest(100);
  hfq_stop();
  return 0;
}
"""


def test_threads_nesting_and_names(tmp_path: Path) -> None:
    """Many threads and kernels at a time; deeper nesting than there is room for; quotes in names; a stop too many."""
    (tmp_path / "t.c").write_text(THREADS)
    gcc = shutil.which("gcc")
    assert gcc is not None
    sources = [str(tmp_path / "t.c"), str(PROFILE_FOLDER / "hfpy_profile.c")]
    flags = ["-Wall", "-Wextra", "-Werror", "-O1", "-fopenmp"]
    subprocess.run([gcc, *flags, *sources, "-o", str(tmp_path / "t")], check=True)
    (tmp_path / "out").mkdir()
    for _ in range(2):
        subprocess.run([str(tmp_path / "t")], check=True, env={"HFPY_PROFILE": str(tmp_path / "out")})
    (tmp_path / "out" / "torn.json").write_text('{"seconds": 1')
    measured = read(tmp_path / "out")
    assert measured is not None and measured.processes == 2
    kernels = {k.name: k for k in measured.kernels}
    assert len(kernels) == 21
    assert sum(k.bytes for k in kernels.values() if k.name != "deep") == 2 * sum(range(4000))
    assert {k.calls for k in kernels.values() if k.name != "deep"} == {400}
    assert (kernels["deep"].calls, kernels["deep"].bytes, kernels["deep"].place) == (2 * 64, 2 * 64 * 3, 'x"\\y')
    subprocess.run([str(tmp_path / "t")], check=True, env={})  # nothing is asked for


def made(kernels: int, copies: int = 2, bandwidth: float = 2e10) -> Profile:
    some = tuple(
        Kernel(f"k{n} <{'x' * n}>", f"f.h90:{n}", n + 1, 10, 10**9, 2.0 / (n + 1), 0.5) for n in range(kernels)
    )
    more = tuple(Copies(f"a{n}", ("to device", "to host")[n % 2], 3, 10**6, 0.01) for n in range(copies))
    return Profile("p & q", "cpu", "openmp", 2, 9.0, some, more, bandwidth, "from somewhere")


def test_the_table() -> None:
    text = as_text(show(made(3, 13)))
    assert "p & q (cpu, openmp): 9 s in 2 processes" in text
    assert re.search(r"k0 <> +f.h90:0 +1 +1 s +11.1 % +500 ms +1 GB +1 GB/s +5.0 %\n", text)
    assert "bandwidth: 20 GB/s, from somewhere" in text and "and 3 more" in text
    assert "no kernel ran" in as_text(show(made(0, 0))) and "–" in as_text(show(made(1, 0, 0.0)))


@pytest.mark.parametrize("kernels", [0, 1, 24, 60])
def test_the_picture(kernels: int) -> None:
    root = ElementTree.fromstring(picture(made(kernels)))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    spaces = {"s": "http://www.w3.org/2000/svg"}
    bars = [r for r in root.findall("s:rect", spaces) if r.get("class") in ("time", "copy")]
    assert len(bars) == min(kernels, 24) + (kernels > 24) + 2
    for rect in root.findall("s:rect", spaces):
        right = float(rect.get("x", "0")) + float(rect.get("width", "0"))
        assert right <= width and float(rect.get("y", "0")) + float(rect.get("height", "0")) <= height
    boxes = []
    for text in root.findall("s:text", spaces):
        x, y, letters = float(text.get("x", "0")), float(text.get("y", "0")), len(text.text or "")
        boxes.append((x, y - 12, x + letters * (6.9 if text.get("class") == "soft" else 7.6), y + 3))
    assert all(b[2] <= width and b[3] <= height for b in boxes)
    for n, a in enumerate(boxes):
        for b in boxes[n + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)
    assert len(as_data(made(kernels))["kernels"]) == kernels


def test_versions_for_sizes_have_names_of_their_own() -> None:
    """Which version ran, and that no version was for a size, is in the table."""
    source = """module m
  implicit none
contains
  subroutine work(n, nx, a)
    integer, intent(in) :: n, nx
    real(8), intent(inout) :: a(n,nx)
    integer :: k
    @parallelRegion{domName(i), domSize(nx), name(twice), specialise(n:3, n:4)}
    do k = 1, n
      a(k,i) = 2 * a(k,i)
    end do
    @end parallelRegion
    @parallelRegion{domName(i), domSize(nx), name(once)}
    a(1,i) = a(1,i) + 1
    @end parallelRegion
  end subroutine
end module
"""
    text = translate_text(source, profile=True, backend="openmp").text
    names = re.findall(r'hf_profile_kernel\("([^"]*)"', text)
    own = ["work 1 (twice), n = 3", "work 2 (twice), n = 4"]
    assert names == [*own, "work 3 (twice), other sizes", "work 4 (once)"]
    general = translate_text(source.replace("n:3, n:4", "nx:5, n:2"), profile=True, backend="openmp").text
    names = re.findall(r'hf_profile_kernel\("([^"]*)"', general)
    assert names[0] == "work 1 (twice), n = 2, nx = 5" and names[1] == "work 2 (twice), other sizes"
    plain = translate_text(source.replace(", specialise(n:3, n:4)", ""), profile=True, backend="openmp").text
    assert "other sizes" not in plain
