"""The lowerings for GPUs that directives can force: threads that walk, tiles in shared memory. Results bit by bit those
of the plain loops, at sizes that are no multiple of anything, smaller than a chunk or tile, and without points.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from hfpy.options import Options
from hfpy.pipeline import translate
from hfpy.transform.stencil.lowering import Lowering
from hfpy.translation import Translation
from tests.gpu.opencl import needs_opencl
from tests.support import LEVEL, Built, compile_files, translate_text

FLAGS = (LEVEL, "-ffp-contract=off", "-foffload=disable", "-cpp")

MODULE = """module lowered
  implicit none
contains
{routines}
end module lowered

program main
  use lowered
  implicit none
  integer, parameter :: sizes(3,6) = reshape([1,1,1, 3,2,5, 9,7,6, 33,10,13, 0,4,4, 5,6,0], [3,6])
  integer :: s
  do s = 1, 6
    call at(sizes(1,s), sizes(2,s), sizes(3,s))
  end do
contains
  subroutine at(nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    real(8) :: a(-2:nx+3,-2:ny+3,-2:nz+3), b(-2:nx+3,-2:ny+3,-2:nz+3), c(-2:ny+3)
    real(8) :: p(-2:nx+3,-2:ny+3,-2:nz+3), q(-2:nx+3,-2:ny+3,-2:nz+3)
    real(4) :: a4(-2:nx+3,-2:ny+3), p4(-2:nx+3,-2:ny+3)
    integer :: m
    a = reshape([(modulo(0.618033988749895d0 * m, 1.0d0), m = 1, size(a))], shape(a))
    b = 1.5d0 - a**2
    c = [(0.1d0 * m, m = 1, size(c))]
    a4 = real(a(:,:,0), 4)
{calls}
  end subroutine at

  subroutine show(name, n, x)
    character(*), intent(in) :: name
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    integer(8) :: mixed
    integer :: m
    mixed = 0
    do m = 1, n
      mixed = ieor(ishftc(mixed, 7), transfer(x(m), mixed))
    end do
    print '(a, i6, z20.16, es24.16)', name, n, mixed, sum(x)
  end subroutine show
end program main
"""
ROUTINE = """  subroutine {name}(nx, ny, nz, a, b, c, p, q)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in) :: a(-2:nx+3,-2:ny+3,-2:nz+3), b(-2:nx+3,-2:ny+3,-2:nz+3), c(-2:ny+3)
    real(8), intent(inout) :: p(-2:nx+3,-2:ny+3,-2:nz+3), q(-2:nx+3,-2:ny+3,-2:nz+3)
    real(8) :: t(-2:nx+3,-2:ny+3,-2:nz+3), u(-2:nx+3,-2:ny+3,-2:nz+3), v(-2:nx+3,-2:ny+3,-2:nz+3)
    real(8) :: s
{body}
  end subroutine {name}
"""
FLAT = """  subroutine flat(nx, ny, a, p)
    integer, intent(in) :: nx, ny
    real(4), intent(in) :: a(-2:nx+3,-2:ny+3)
    real(4), intent(inout) :: p(-2:nx+3,-2:ny+3)
    real(4) :: t(-2:nx+3,-2:ny+3), u(-2:nx+3,-2:ny+3)
{body}
  end subroutine flat
"""
# A region of somebody's own for teams of threads.
TURNED = """  subroutine turned(nx, ny, nz, p)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: p(-2:nx+3,-2:ny+3,-2:nz+3)
    real(8) :: part(40)
    integer :: m

    @parallelRegion{{domName(j,k), domSize(ny,nz), private(part), {asked}}}
{body}
    @end parallelRegion
  end subroutine turned
"""
REVERSED = """      do m = 1, nx
        part(m) = p(m,j,k)
      end do
      if (k > 2) then
        do m = 1, nx
          p(m,j,k) = part(nx+1-m) + k
        end do
      end if"""

# Boxes and statements of regions. Bounds differ between what is stored, sides of branches must not be computed where
# they are not taken, values are carried over gaps, and a field is changed in place.
ALONG_K = (
    ("1,1,-1", "nx,ny,nz+2", "t(i,j,k) = a(i,j,k+1) - 2*a(i,j,k) + a(i,j,k-1)"),
    ("1,1,0", "nx,ny,nz+1", "if (k > 1) then|  u(i,j,k) = t(i,j,k-1) / a(i,j,k-2)|else|  u(i,j,k) = t(i,j,k+1)|end if"),
    ("1,1,1", "nx,ny,nz", "p(i,j,k) = b(i,j,k) * (u(i,j,k+1) - u(i,j,k-1)) + t(i,j,k) + c(j)"),
    ("1,1,2", "nx,ny,nz-1", "q(i,j,k) = 0.5d0 * q(i,j,k) + sqrt(abs(t(i,j,k+1))) - u(i,j,k)"),
)
AROUND = (
    ("0,-1,1", "nx+2,ny+2,nz", "t(i,j,k) = a(i+1,j,k) - a(i,j+1,k) * a(i,j,k+1)"),
    ("0,-1,1", "nx+1,ny+1,nz", "s = t(i,j,k) - t(i+1,j,k)|if (s * t(i,j+1,k) > 0) then|  u(i,j,k) = s / t(i,j,k)|"
     "else|  u(i,j,k) = s|end if"),
    ("1,1,1", "nx,ny,nz", "v(i,j,k) = u(i,j,k) * c(j) - u(i-1,j-2,k)"),
    ("1,1,1", "nx,ny,nz", "p(i,j,k) = v(i,j,k) + u(i+1,j+1,k) - u(i,j-1,k) * b(i,j,k)"),
    ("2,1,1", "nx,ny-1,nz", "q(i,j,k) = q(i,j,k) + v(i-1,j,k) - t(i,j,k)"),
)  # fmt: skip
TWO = (  # the second output of the first stage is needed nowhere else, but stored
    ("1,1,0", "nx,ny,nz+1", "t(i,j,k) = a(i,j,k+1) - a(i,j,k)|p(i,j,k) = a(i,j,k) * c(j)"),
    ("1,1,1", "nx,ny,nz", "q(i,j,k) = t(i,j,k+1) - t(i,j,k-1)"),
)
ROW = (  # a field of one dimension, read for points beside those of the turn
    ("0,1,1", "nx-1,ny,nz", "t(i,j,k) = a(i,j,k) * (c(j+1) - c(j))"),
    ("1,1,1", "nx,ny,nz", "p(i,j,k) = t(i-1,j,k) - b(i,j,k)"),
)
IN_TWO = (
    ("0,0", "nx+1,ny+1", "t(i,j) = a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1) - 4*a(i,j)"),
    ("0,1", "nx,ny", "u(i,j) = t(i+1,j) - t(i,j)"),
    ("1,1", "nx,ny", "p(i,j) = a(i,j) - 0.2 * (u(i,j) - u(i-1,j) + t(i,j+1) - t(i,j-1))"),
)
# What is asked for, of which regions, and what the generated text has to have: of CUDA C, of all.
CASES = {
    "march_k": (ALONG_K, "march(k:4)", r"do k = hf_k_block, min\(hf_k_block\+3, nz\)"),
    "march_unrolled": (ALONG_K, "march(k:3), unroll(j:2), tile(i:16, j:4)", r"walking along k.*unrolled"),
    "march_two": (TWO, "march(k:3)", r"do k = hf_k_block, min\(hf_k_block\+2, nz\+1\)"),
    "march_row": (ROW, "march(j:3)", r"hf_c_in = hf_c_in_jp1"),
    "march_j": (AROUND, "march(j:3)", r"do j = hf_j_block, min\(hf_j_block\+2, ny\)"),
    "share_ij": (AROUND, "share(i:8, j:4)", r"tiles of 8 x 4 points"),
    "share_ik": (ALONG_K, "share(k:4, i:8)", r"tiles of 8 x 4 points"),
    "share_all": (AROUND, "share(i:4, j:3, k:2)", r"tiles of 4 x 3 x 2 points"),
}


def regions(stages: tuple[tuple[str, str, str], ...], asked: str) -> str:
    """The regions of a routine."""
    rows = []
    for starts, ends, body in stages:
        over = "i,j,k), domSize(nx,ny,nz)" if starts.count(",") > 1 else "i,j), domSize(nx,ny)"
        rows.append(f"    @parallelRegion{{domName({over}, startAt({starts}), endAt({ends}), fuse(one), {asked}}}")
        rows += [f"      {line}" for line in body.split("|")]
        rows.append("    @end parallelRegion")
    return "\n".join(rows)


def source() -> str:
    """All cases in one program, for one build."""
    routines = [ROUTINE.format(name=name, body=regions(stages, asked)) for name, (stages, asked, _) in CASES.items()]
    routines.append(FLAT.format(body=regions(IN_TWO, "share(i:8, j:4)")))
    routines.append(TURNED.format(asked="team(m:16)", body=REVERSED))
    calls = []
    for name in CASES:
        calls += ["    p = 0.25d0", "    q = b", f"    call {name}(nx, ny, nz, a, b, c, p, q)"]
        calls += [f"    call show('{name} {x}', size({x}), {x})" for x in "pq"]
    calls += ["    p4 = a4", "    call flat(nx, ny, a4, p4)", "    call show('flat', size(p4), real(p4, 8))"]
    calls += ["    p = a", "    call turned(nx, ny, nz, p)", "    call show('turned', size(p), p)"]
    return MODULE.format(routines="\n".join(routines), calls="\n".join(calls))


def built(folder: Path, backend: str, files: Mapping[str, str] | None = None) -> Built:
    made = files or translated(backend, folder / "source")
    return compile_files(made, folder, FLAGS)


def translated(backend: str, folder: Path) -> Mapping[str, str]:
    target = "cpu" if backend == "sequential" else "gpu"
    level = 0 if backend == "sequential" else 2
    return translate_text(source(), None, folder, target=target, backend=backend, opt=level).require().files


def ended(program: Built, order: str = "", watched: str = "1") -> subprocess.CompletedProcess[str]:
    more = {"HFPY_EMULATE_ORDER": order, "HFPY_EMULATE_RACES": watched, "ACC_DEVICE_TYPE": "host"}
    environment = {**os.environ, **more}
    return subprocess.run([program.path], env=environment, capture_output=True, text=True, timeout=300, check=False)


def printed(program: Built, order: str = "", watched: str = "1") -> str:
    done = ended(program, order, watched)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the regions print as they are written."""
    text = printed(built(tmp_path_factory.mktemp("plain"), "sequential"))
    assert text.count("\n") == 6 * (2 * len(CASES) + 2) and "NaN" not in text
    return text


def test_as_cuda_kernels(expected: str, tmp_path: Path) -> None:
    files = translated("cuda-c", tmp_path / "source")
    host = files["m.F90"]
    for name, (_, _, wanted) in CASES.items():
        text = host[host.index(f"subroutine {name}(") :]
        assert re.search(wanted, text[: text.index("end subroutine")]) or name.startswith("march"), name
    program = built(tmp_path / "right", "cuda-c", files)
    for order in ("", "1", "2"):
        assert printed(program, order) == expected, order
    kernels = files["m.cu"]
    assert kernels.count("__shared__") == 3 + 2 + 3 + 2 + 1
    # Without the barriers, threads meet what nobody has computed yet: poison, which is no number.
    spoilt = built(tmp_path / "spoilt", "cuda-c", {**files, "m.cu": kernels.replace("__syncthreads();", "")})
    rows = zip(printed(spoilt, "1", watched="0").splitlines(), expected.splitlines(), strict=True)
    wrong = {found.split()[0] for found, right in rows if found != right}
    assert wrong == {"share_ij", "share_ik", "share_all", "flat", "turned"}
    seen = ended(spoilt, "1")
    assert seen.returncode == 3
    assert "race on element" in seen.stderr


@needs_opencl
def test_as_opencl_kernels(expected: str, tmp_path: Path) -> None:
    """Where teams are asked for, one thread computes each point."""
    files = translated("opencl", tmp_path / "source")
    kernels = files["m_opencl.cpp"]
    assert "hfk0_turned" in kernels and "barrier" not in kernels and "__local" not in kernels
    assert printed(built(tmp_path / "right", "opencl", files)) == expected


def test_with_directives(expected: str, tmp_path: Path) -> None:
    files = translated("openacc", tmp_path / "source")
    text = files["m.F90"]
    for name, (_, _, wanted) in CASES.items():
        if name.startswith("march"):
            own = text[text.index(f"subroutine {name}(") :]
            assert re.search(wanted, own[: own.index("end subroutine")]), name
    assert printed(built(tmp_path / "build", "openacc", files)) == expected


@pytest.mark.full
def test_in_cuda_fortran(expected: str, tmp_path: Path) -> None:
    assert printed(built(tmp_path, "cuda-fortran")) == expected


# -- what cannot be granted


def reported(
    folder: Path, asked: str, backend: str = "cuda-c", stages: tuple[tuple[str, str, str], ...] = AROUND
) -> str:
    path = folder / "m.h90"
    path.write_text(f"module m\ncontains\n{ROUTINE.format(name='work', body=regions(stages, asked))}end module m\n")
    done: Translation = translate([path], Options(target="gpu", backend=backend, jobs=1))
    assert done.files
    return "; ".join(f"{d.code} {d.message}" for d in done.diagnostics)


@pytest.mark.parametrize(
    ("asked", "backend", "message"),
    [
        ("march(k:4), unroll(k:2)", "openacc", "'march' has no effect: 'k' is unrolled"),
        ("march(k:4), share(i:8, j:4)", "cuda-c", "'march' has no effect: 'share' is asked for as well"),
        (
            "share(i:8, j:4)",
            "openacc",
            "'share' has no effect: only kernels of cuda-c and hip have tiles in shared memory",
        ),
        ("share(i:8, j:4), unroll(j:2)", "cuda-c", "'share' has no effect: 'unroll' is for threads of their own"),
        ("share(j:4)", "cuda-c", "'share' has no effect: threads side by side are along 'i', which it does not name"),
        (
            "share(i:512, j:64)",
            "cuda-c",
            "'share' has no effect: such tiles need more than 49152 bytes of shared memory",
        ),
        ("march(k:4)", "cuda-c", ""),
        ("march(k:1)", "cuda-c", ""),
    ],
)
def test_wishes_that_cannot_be_granted(tmp_path: Path, asked: str, backend: str, message: str) -> None:
    assert reported(tmp_path, asked, backend) == (f"HF701 {message}" if message else "")


def test_nothing_to_share(tmp_path: Path) -> None:
    message = "'share' has no effect: nothing is needed at several points of a tile"
    assert reported(tmp_path, "share(i:8, j:4)", stages=ALONG_K) == f"HF701 {message}"


@pytest.mark.parametrize(
    ("asked", "body", "what"),
    [
        ("team(m:16), reduction(+:s)", "s = s + p(1,j,k)", "a reduction"),
        ("team(m:16)", "if (p(1,j,k) > 0) @exit|p(2,j,k) = 1", "a jump out of a point"),
        ("team(m:1025)", "do m = 1, nx|p(m,j,k) = 1|end do", "a team of 1025 x 1 x 1 threads (a block has 1024"),
        ("team(m:16)", "do m = nx, 1, -1|p(m,j,k) = 1|end do", "a loop of a team with another step than 1"),
    ],
)
def test_what_teams_cannot_do(tmp_path: Path, asked: str, body: str, what: str) -> None:
    routine = TURNED.format(asked=asked, body=body.replace("|", "\n")).replace(
        "integer :: m", "integer :: m; real(8) :: s"
    )
    found = translate_text(f"module m\ncontains\n{routine}end module m\n", None, tmp_path, target="gpu")
    assert [(d.code, d.message.split(",")[0].split(" cannot")[0]) for d in found.errors] == [("HF702", what)]


def test_threads_of_a_team() -> None:
    assert Lowering(tile={"i": 64, "j": 8}).team == {"i": 64, "j": 8}
    assert Lowering(tile={"i": 128, "j": 9}).team == {"i": 128, "j": 3}
    assert Lowering(tile={"i": 2, "j": 1, "k": 200}).team == {"i": 2, "j": 1, "k": 64}
    assert Lowering(tile={"i": 4000}).team == {"i": 500}


@pytest.mark.parametrize("asked", ["march(i:4)", "march(j:4, k:2)", "march(k)", "march(k:0)", "share(x:4)", "team(i)"])
def test_mistakes(tmp_path: Path, asked: str) -> None:
    found = translate_text(source().replace("march(k:4)", asked, 1), None, tmp_path, target="gpu")
    assert found.codes() == ["HF202"]


@pytest.mark.parametrize("wish", ["march(j:4)", "share(i:8, j:4)"])
def test_sweeps_do_not_walk_or_share(tmp_path: Path, wish: str) -> None:
    """What is asked of a region that becomes part of a sweep along columns is told, not ignored."""
    source = f"""subroutine work(nx, ny, nz, a, x)
  integer, intent(in) :: nx, ny, nz
  real(8), intent(in) :: a(nx,ny,nz)
  real(8), intent(inout) :: x(nx,ny,nz)
  real(8) :: t(nx,ny,nz)
  integer :: k
  @parallelRegion{{domName(i,j,k), domSize(nx,ny,nz), {wish}}}
  t(i,j,k) = 2.0d0 * a(i,j,k)
  @end parallelRegion
  @parallelRegion{{domName(i,j), domSize(nx,ny)}}
  do k = 2, nz
    x(i,j,k) = x(i,j,k-1) + t(i,j,k)
  end do
  @end parallelRegion
end subroutine work
"""
    (tmp_path / "work.h90").write_text(source)
    done = translate([tmp_path / "work.h90"], Options(target="gpu", backend="cuda-c", opt=2))
    name = wish.partition("(")[0]
    together = "loops along columns" in "".join(d.message for d in done.diagnostics)
    assert [d.code for d in done.diagnostics] == ["HF701"] and together, [d.message for d in done.diagnostics]
    assert f"'{name}' has no effect" in done.diagnostics[0].message
