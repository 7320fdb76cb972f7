"""Programs whose CUDA kernels and directives share arrays on the device (design §6), in emulation: device memory is
memory of its own there, and OpenACC's and OpenMP's regions run on the host, on addresses in it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from samples.compare import compare
from tests.command import CXXFLAGS, hfpy_process
from tests.gpu.emulated import ran
from tests.samples.programs import EXACT, SAMPLES, Program, build_twin, run_program
from tests.support import CHECKS, FLAGS, Built, Translated, compile_files, output, run, translate_text

ROOT = Path(__file__).parent.parent.parent
DIRECTIVES = ("-fopenacc", "-fopenmp")

# A program with allocatable and static module arrays, an assumed shape with a lower bound of its own, a private array
# that begins with a value, reductions, the last point's value of a scalar, and a point that ends early.
PROGRAM = """
module fields
  implicit none
  integer, parameter :: wp = 8
  integer :: nx = 6, ny = 5, nz = 4
  real(wp), allocatable :: heat(:,:)
  real(wp) :: gain(3) = [1d0, 2d0, 3d0], weight(4) = [1d0, 2d0, 4d0, 8d0]
  real(wp), allocatable :: profile(:)
end module fields

module steps
  use fields, only: heat, gain, weight, profile, wp
  implicit none
contains
  subroutine smooth(nx, ny, a, b)
    integer, intent(in) :: nx, ny
    real(wp), intent(in) :: a(0:nx+1,ny)
    real(wp), intent(inout) :: b(nx,ny)
    @domainDependant{attribute(present)}
    a, b, heat
    @end domainDependant
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    b(i,j) = 0.5d0*(a(i-1,j) + a(i+1,j)) + heat(i,j)
    if (b(i,j) > 30) @exit
    heat(i,j) = heat(i,j) + 0.25d0*gain(2)
    @end parallelRegion
  end subroutine smooth

  subroutine back(nx, ny, nz, a, b, worst, total, last)
    integer, intent(in) :: nx, ny, nz
    real(wp), intent(inout) :: a(0:,:)
    real(wp), intent(in) :: b(nx,ny)
    real(wp), intent(out) :: worst, total
    integer, intent(out) :: last
    real(wp) :: column(nz), own(2), s
    integer :: k
    @domainDependant{attribute(present)}
    a, b, heat
    @end domainDependant
    worst = -1
    total = 0
    own = 0.125d0
    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(max:worst, +:total)}
    s = b(i,j) + weighed(mod(i, 4) + 1)
    do k = 1, nz
      column(k) = s*k
    end do
    a(i,j) = sum(column)/10 + own(1)
    own(2) = a(i,j)
    worst = max(worst, own(2))
    total = total + heat(i,j)
    last = 10*i + j
    @end parallelRegion
  end subroutine back

  real(wp) function weighed(n)
    integer, intent(in) :: n
    weighed = 0.125d0*weight(n) + profile(n)
  end function weighed
end module steps

module test
  use fields, only: nx, ny, nz, heat, weight, profile, wp
  use steps, only: smooth, back
  implicit none
contains
  subroutine run()
    real(wp), allocatable :: a(:,:), b(:,:)
    integer :: i, j
    allocate(a(0:nx+1,ny), b(nx,ny), heat(nx,ny), profile(4))
    profile = [(0.0625d0*i, i = 1, 4)]
    do j = 1, ny
      do i = 0, nx + 1
        a(i,j) = i + 0.5d0*j
      end do
    end do
    b = 0
    heat = 0.5d0
    call driver(a, b)
  end subroutine run
  subroutine driver(a, b)
    real(wp), intent(inout) :: a(0:nx+1,ny), b(nx,ny)
    real(wp) :: worst, total
    integer :: n, last
    @domainDependant{attribute(transferHere)}
    a, b, heat, weight, profile
    @end domainDependant
    do n = 1, 3
      @parallelRegion{domName(i), domSize(4)}
      weight(i) = weight(i) + n
      profile(i) = 2*profile(i)
      @end parallelRegion
      call smooth(nx, ny, a, b)
      call back(nx, ny, nz, a, b, worst, total, last)
      print '(2es24.16,i4)', worst, total, last
      @parallelRegion{domName(i,j), domSize(nx,ny)}
      a(i,j) = a(i,j) + 1
      @end parallelRegion
    end do
    print '(4es24.16)', a, b, heat
  end subroutine driver
end module test

program main
  use test, only: run
  implicit none
  call run()
end program main
"""


def translated(routines: dict[str, str], text: str = PROGRAM, **options: object) -> Translated:
    """The program with backends of the routines' own."""
    return translate_text({"m.h90": text}, target="gpu", backend="cuda-c", routines=routines, **options)


def built(done: Translated, folder: Path) -> Built:
    """The emulated program."""
    return compile_files(done.files, folder, (*FLAGS, *CHECKS, *DIRECTIVES))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the program prints with plain loops."""
    plain = translate_text({"m.h90": PROGRAM}, target="gpu", backend="sequential").require()
    return output(compile_files(plain.files, tmp_path_factory.mktemp("plain"), (*FLAGS, *CHECKS)))


MIXTURES = {
    "first": {"smooth": "openacc"},
    "acc": {"back": "openacc"},
    "omp": {"back": "openmp-target"},
    "three": {"smooth": "cuda-fortran", "back": "openacc", "driver": "openmp-target"},
    "around": {"smooth": "cuda-fortran", "driver": "openacc", "back": "openacc"},
}


@pytest.mark.parametrize("name", MIXTURES)
def test_results(name: str, tmp_path: Path, expected: str) -> None:
    """Bit by bit what plain loops give, and no copy but those that the directives ask for."""
    done = translated(MIXTURES[name]).require()
    program = built(done, tmp_path)
    for threads, queues in (("1", "4"), ("3", "4"), ("1", "1")):
        trace = f"json:{tmp_path / 'trace'}"
        ended = ran(program.path, OMP_NUM_THREADS=threads, HFPY_QUEUES=queues, HFPY_TRACE=trace)
        assert ended.stdout == expected, done.text
    traced = json.loads((tmp_path / "trace").read_text())
    # To the device once, back for the output and at the end; what only one routine's kernels use is there meanwhile.
    assert {n: (c["to_device"], c["to_host"]) for n, c in traced["arrays"].items() if n in ("a", "b", "heat")} == {
        "a": (1, 2),
        "b": (1, 2),
        "heat": (1, 2),
    }
    launches = {name: kernel["launches"] for name, kernel in traced["kernels"].items()}
    assert set(launches.values()) == {3}
    assert len(launches) == (4 if "back" in MIXTURES[name] else 5)  # a kernel of CUDA more, for an array of its own


def test_what_is_generated() -> None:
    """A region becomes a procedure with the bounds of its arrays; nothing else than the table moves data."""
    text = translated(MIXTURES["acc"]).require().text
    assert "real(wp) :: a(hf_l1_a:hf_u1_a,hf_l2_a:hf_u2_a)" in text  # an assumed shape
    assert "real(wp) :: b(nx,ny)" in text
    assert "real(8) :: heat(hf_l1_heat:hf_u1_heat,hf_l2_heat:hf_u2_heat)" in text  # its kind is not known here
    assert "call hf_region_begins(hf_region, hf_where, 1)" in text
    moved = set(re.findall(r"!\$acc (?:enter|exit|update).*?\((\w+)\)", text))
    assert moved == {"profile", "weight"}  # which a called routine takes from the module
    assert "has_device_addr(a, b, heat)" in translated(MIXTURES["omp"]).require().text


def test_lines_lead_back_to_the_source() -> None:
    import tempfile

    from hfpy.options import Options
    from hfpy.pipeline import translate

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "m.h90"
        source.write_text(PROGRAM)
        options = Options(target="gpu", backend="cuda-c", routines=MIXTURES["acc"], jobs=1)
        (file,) = [f for f in translate([source], options).files if f.name == "m.F90"]
    lines = file.text.splitlines()
    at = next(n for n, line in enumerate(lines) if "column(k) = s*k" in line)
    assert PROGRAM.splitlines()[file.line_map[at] - 1].strip() == "column(k) = s*k"


def is_right(program: Built, expected: str) -> bool:
    """Whether a program prints what it should; the emulation ends programs that miss a copy, in some orders of work."""
    done = run(program)
    assert done.returncode in (0, 3), done.stderr
    return done.returncode == 0 and done.stdout == expected


def test_removed_transfers_are_noticed(tmp_path: Path, expected: str) -> None:
    done = translated({"smooth": "openacc"}).require()
    without = {n: re.sub(r"\n *call hf_enter\(b, 1[^\n]*", "", t, count=1) for n, t in done.files.items()}
    ended = ran(built(Translated(without, ()), tmp_path / "without").path, status=3)
    assert "kernel hfr0_smooth: array 'b' is not on the device" in ended.stderr
    uncopied = {n: t.replace("call hf_enter(a, 1,", "call hf_enter(a, 0,") for n, t in done.files.items()}
    flags = (*FLAGS, *DIRECTIVES)  # poison is no number: no traps
    assert not is_right(compile_files(uncopied, tmp_path / "uncopied", flags), expected)
    unreturned = {
        n: t.replace("call hf_update_host(b", "if (.false.) call hf_update_host(b") for n, t in done.files.items()
    }
    assert not is_right(compile_files(unreturned, tmp_path / "unreturned", flags), expected)


# --- many routines over the same arrays ---------------------------------------------------------------------------

BACKENDS = ("cuda-c", "openacc", "openmp-target", "cuda-fortran")


def chain(rng: Random, count: int) -> str:
    """A program of ``count`` routines with kernels that work on two arguments and two module arrays by turns, some
    called by others, some with copies of their own.
    """
    routines = []
    for n in range(count):
        x, y, z, t = rng.sample(("p", "q", "u", "v"), 4)
        kind = rng.randrange(4)
        state = rng.choice(("present", "transferHere"))
        body = {
            0: f"{x}(i,j) = {x}(i,j) + 0.5d0*{y}(i,j) - {z}(min(i+1,nx-1),j)",
            1: f"w = {y}(i,j)\n    {x}(i,j) = w*0.75d0 + {t}(i,max(j-1,1))",
            2: f"if ({x}(i,j) > {n % 5}) @exit\n    {x}(i,j) = {x}(i,j) + {n} + 0.125d0*{y}(i,j)",
            3: f"{x}(i,j) = {y}(i,j) - {z}(i,j)\n    top = max(top, {x}(i,j))",
        }[kind]
        reduced = ", reduction(max:top)" if kind == 3 else ""
        call = f"call r{rng.randrange(n)}(p, q, top)" if n and rng.random() < 0.4 else ""
        host = f"{y}(1,1) = {y}(1,1) + 0.25d0" if rng.random() < 0.3 else ""
        routines.append(f"""
  subroutine r{n}(p, q, top)
    real(8), intent(inout) :: p(nx,ny), q(0:nx-1,ny), top
    real(8) :: w
    @domainDependant{{attribute({state})}}
    p, q, u, v
    @end domainDependant
    {host}
    @parallelRegion{{domName(i,j), domSize(1:nx-1,ny){reduced}}}
    {body}
    @end parallelRegion
    {call}
  end subroutine r{n}""")
    calls = "\n".join(f"      call r{rng.randrange(count)}(p, q, top)" for _ in range(2 * count))
    return f"""
module data
  implicit none
  integer, parameter :: nx = 5, ny = 4
  real(8), allocatable :: u(:,:)
  real(8) :: v(nx,ny)
end module data
module work
  use data, only: nx, ny, u, v
  implicit none
contains{"".join(routines)}
  subroutine all(p, q, top)
    real(8), intent(inout) :: p(nx,ny), q(0:nx-1,ny), top
    integer :: n
    @domainDependant{{attribute(transferHere)}}
    p, q, u, v
    @end domainDependant
    do n = 1, 2
{calls}
      p = 0.01d0*p
      u = u/(1 + abs(u))
    end do
  end subroutine all
end module work
program main
  use data, only: nx, ny, u, v
  use work, only: all
  implicit none
  real(8) :: p(nx,ny), q(0:nx-1,ny), top
  integer :: i, j
  allocate(u(nx,ny))
  do j = 1, ny
    do i = 1, nx
      p(i,j) = i + 0.1d0*j; q(i-1,j) = i*j; u(i,j) = i - j; v(i,j) = 0.5d0*i
    end do
  end do
  top = -9
  call all(p, q, top)
  print '(es24.16)', top, p, q, u, v
end program main
"""


@pytest.mark.parametrize("number", [1, 2, *(pytest.param(n, marks=pytest.mark.full) for n in range(3, 12))])
def test_many_routines(number: int, tmp_path: Path) -> None:
    """The stress variant: every routine by a backend drawn for it, all on the same arrays."""
    rng = Random(number)
    text = chain(rng, 10)
    plain = translate_text({"m.h90": text}, target="gpu", backend="sequential").require()
    wanted = output(compile_files(plain.files, tmp_path / "plain", (*FLAGS, *CHECKS)))
    routines = {f"r{n}": BACKENDS[n] if n < 4 else rng.choice(BACKENDS) for n in range(10)}
    done = translated({**routines, "all": rng.choice(BACKENDS)}, text).require()
    assert set(re.findall(r"hf_where, ([01])\)", done.text)) == {"0", "1"}
    assert output(built(done, tmp_path), threads=2) == wanted, done.text


@pytest.mark.full
def test_a_sample(tmp_path: Path) -> None:
    """The weather with three families of backends gives the bits of its plain twin."""
    twin = run_program(build_twin("weather", tmp_path / "twin"), "weather", 1)
    shutil.copytree(SAMPLES / "weather", tmp_path / "weather", ignore=shutil.ignore_patterns("build", "output"))
    routines = ("vertical_diffusion_run=openacc", "radiation_run=openmp-target", "surface_flux_run=cuda-fortran")
    chosen = [word for routine in routines for word in ("--routine", routine)]
    done = hfpy(tmp_path / "weather", "build", "--target", "gpu", "--emulate", *chosen, FFLAGS=f"-O1 {EXACT}")
    assert done.returncode == 0, done.stderr
    program = Program(tmp_path / "weather/build/gpu-cuda-c-emulated/weather", "")
    generated = "".join(path.read_text() for path in program.path.parent.joinpath("generated").rglob("*.F90"))
    assert set(re.findall(r"hf_where, ([01])\)", generated)) == {"0", "1"}
    assert not compare("weather", run_program(program, "weather", 1), twin)


# --- what cannot be done ------------------------------------------------------------------------------------------

SMALL = """
module small
  implicit none
  integer, parameter :: nx = 4
  real :: table(nx)
contains
  subroutine outer(a)
    real, intent(inout) :: a(nx)
    @domainDependant{attribute(transferHere)}
    a
    @end domainDependant
    @parallelRegion{domName(i), domSize(nx)}
    a = a + 1
    @end parallelRegion
    call inner(a)
  end subroutine outer
  subroutine inner(aDUMMY)
    real, intent(inout) :: a(nx)
    DECLARED
    @domainDependant{attribute(present)}
    a
    @end domainDependant
    BEFORE
    @parallelRegion{domName(i), domSize(nx)}
    STATEMENT
    @end parallelRegion
    BEHIND
  end subroutine inner
  real function picked(i)
    integer, intent(in) :: i
    picked = table(i)
  end function picked
end module small
"""
REFUSED = {
    "optional": (
        ", extra",
        "real, intent(in), optional :: extra(nx)",
        "",
        "a = a + extra(i)",
        "",
        "the optional argument 'extra'",
    ),
    "changed": (
        "",
        "",
        "",
        "table(i) = a(i)\n    a = picked(i)",
        "",
        "'table', which a region changes and a routine called in it takes from its module,",
    ),
    "block": ("", "", "block", "a = a + 1", "end block", "a region in a 'block' or 'associate'"),
}


def small(case: str) -> str:
    dummy, declared, before, statement, behind, _ = REFUSED.get(case, ("", "", "", "a = a + 1", "", ""))
    text = SMALL.replace("DUMMY", dummy).replace("DECLARED", declared).replace("BEFORE", before)
    return text.replace("STATEMENT", statement).replace("BEHIND", behind)


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("backend", ["openacc", "openmp-target"])
def test_refused(case: str, backend: str) -> None:
    """With a reason; alone, with the same directives for all, most of it is possible."""
    (found,) = translated({"inner": backend}, small(case)).errors
    assert found.code == "HF703"
    assert REFUSED[case][-1] in found.message
    if case != "block":
        assert not translate_text(small(case), target="gpu", backend=backend).errors


def test_internal_procedures_are_refused() -> None:
    text = (
        SMALL.replace("DUMMY", "")
        .replace("STATEMENT", "a = a + 1")
        .replace("  call inner(a)\n  end subroutine outer", "  call inner(a)\n  contains")
    )
    text = text.replace("  end subroutine inner", "  end subroutine inner\n  end subroutine outer")
    for word in ("DECLARED", "BEFORE", "BEHIND"):
        text = text.replace(word, "")
    (found,) = translated({"inner": "openacc"}, text).errors
    assert (found.code, "internal procedure 'inner'" in found.message) == ("HF703", True)


def test_openacc_and_openmp_without_cuda_are_refused() -> None:
    text = small("plain")
    done = translate_text(text, target="gpu", backend="openacc", routines={"inner": "openmp-target"})
    assert done.codes() == ["HF703"]


def test_programs_that_share_nothing_keep_their_directives() -> None:
    """Each family brings its own arrays to the device and back: as it was without the other."""
    text = small("plain").replace("    call inner(a)\n", "").replace("attribute(present)", "attribute(transferHere)")
    done = translated({"inner": "openacc"}, text).require()
    assert "!$acc data copy(a)" in done.text
    assert "hf_region_begins" not in done.text
    assert done.text.count("call hf_enter") == 1


def test_a_routine_without_kernels_follows_those_below_it() -> None:
    """All kernels by OpenACC: what is around them brings the arrays there by OpenACC, whatever its own backend is."""
    text = small("plain")
    begin, end = text.index("    @parallelRegion"), text.index("    call inner(a)")
    text = text[:begin] + text[end:]
    done = translated({"inner": "openacc"}, text).require()
    assert "!$acc data copy(a)" in done.text
    assert "hf_enter" not in done.text


# --- building -----------------------------------------------------------------------------------------------------

TOML = """
[project]
name = "mixed"
sources = ["m.h90"]

[target.gpu]
backend = "cuda-c"

[routines]
back = { gpu = "BACKEND" }
"""


def hfpy(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run hfpy in a folder with some environment variables."""
    environment = {**os.environ, "CXXFLAGS": CXXFLAGS, **variables}
    command = [*arguments]
    return hfpy_process(command, cwd=folder, env=environment)


@pytest.mark.parametrize("backend", ["openacc", "openmp-target"])
def test_directives_on_the_host_are_refused(backend: str, tmp_path: Path) -> None:
    """Kernels on a GPU, regions on the host, and both on the same arrays: no program."""
    (tmp_path / "hfpy.toml").write_text(TOML.replace("BACKEND", backend))
    (tmp_path / "m.h90").write_text(PROGRAM)
    done = hfpy(tmp_path, "build", "--target", "gpu")
    assert done.returncode == 1, done.stderr
    assert f"error HF812: the {backend} regions would run on the host" in done.stderr
    assert "-foffload=nvptx-none" in done.stderr


def test_emulated_build_runs(tmp_path: Path, expected: str) -> None:
    (tmp_path / "hfpy.toml").write_text(TOML.replace("BACKEND", "openacc"))
    (tmp_path / "m.h90").write_text(PROGRAM)
    done = hfpy(tmp_path, "run", "--target", "gpu", "--emulate")
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected


def test_flags_that_send_directives_to_a_gpu() -> None:
    from hfpy.build.compile.compilers import Compiler
    from hfpy.build.compile.sharing import offloaded

    gnu, nvidia, llvm = (Compiler(("x",), family, "") for family in ("gnu", "nvidia", "llvm"))
    assert not offloaded(gnu, ("-O3", "-fopenacc", "-foffload=disable"), "openacc")
    assert not offloaded(gnu, ("-O3", "-fopenacc"), "openacc")
    assert offloaded(gnu, ("-foffload=nvptx-none", "-fopenmp"), "openmp-target")
    assert offloaded(nvidia, ("-acc",), "openacc") and not offloaded(nvidia, ("-acc=multicore",), "openacc")
    assert offloaded(nvidia, ("-mp=gpu",), "openmp-target") and not offloaded(nvidia, ("-mp",), "openmp-target")
    assert offloaded(llvm, ("-fopenmp-targets=nvptx64",), "openmp-target") and not offloaded(llvm, (), "openmp-target")


def test_flags_for_a_gpu_are_not_taken_back(tmp_path: Path) -> None:
    """hfpy's own ``-foffload=disable`` gives way to what the project says, also for the linker."""
    from hfpy.build.compile.tools import find_tools
    from hfpy.build.session import Given, open_project

    flags = "-foffload=nvptx-none"
    (tmp_path / "hfpy.toml").write_text(TOML.replace("BACKEND", "openacc"))
    (tmp_path / "m.h90").write_text(PROGRAM)
    session = open_project(tmp_path, Given(target="gpu"), {"FFLAGS": flags})
    tools = find_tools(
        session.project,
        session.options,
        {**os.environ, "FFLAGS": flags},
        openmp=False,
        debug=False,
        suffixes=frozenset(),
    )
    if shutil.which("gfortran") is None or tools.fortran.family != "gnu":
        pytest.skip("not gfortran")
    assert "-foffload=disable" not in (*tools.parallel, *tools.link_flags)
    assert flags in tools.fortran_flags and flags in tools.link_flags
