"""The backend cuda-fortran: its files run in emulation as plain twins do, and flang's front end takes them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from hfpy.build.compile.cuda import EMULATION, MODULE_SOURCES, RUNTIME
from hfpy.build.compile.cudafortran import EMULATED_SOURCE, LAUNCHES_SOURCE, emulated
from samples.compare import compare
from tests.command import CXXFLAGS, hfpy_process
from tests.gpu import test_language
from tests.gpu.emulated import Emulation, ran
from tests.gpu.turns import in_cuda_c
from tests.samples.programs import ARGUMENTS, EXACT, SAMPLES, Program, build_twin, run_program
from tests.support import (
    CUDA_FORTRAN,
    CUDA_FORTRAN_IJK,
    CUDA_FORTRAN_KIJ,
    LEVEL,
    Corpus,
    Variant,
    load_pairs,
    translate_text,
)

FLANG = shutil.which("flang-22")
STUB = Path(__file__).parent / "programs" / "cudafor.f90"
NAMES = tuple(ARGUMENTS)
_LETTERS = {"KIJ": "k tile i j", "IJK": "i j k tile"}

needs_flang = pytest.mark.skipif(FLANG is None, reason="flang-22 is not on this machine")

Twins = dict[str, Path]


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Twins:
    """What the samples' twins write, made when first asked for."""
    folder = tmp_path_factory.mktemp("twins")

    class Made(Twins):
        def __missing__(self, sample: str) -> Path:
            self[sample] = run_program(build_twin(sample, folder), sample, 1)
            return self[sample]

    return Made()


@pytest.fixture(scope="module")
def flang(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the modules that generated files use, as flang's front end wrote them."""
    folder = tmp_path_factory.mktemp("flang")
    for source in (STUB, LAUNCHES_SOURCE):
        checked(source, folder)
    return folder


def checked(source: Path, folder: Path) -> str:
    """What flang's front end for CUDA Fortran says about a file."""
    command = [FLANG or "", "-fc1", "-x", "cuda", "-fsyntax-only", f"-J{folder}", f"-I{folder}", str(source)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode in (0, 1), ended.stderr
    return ended.stderr


def ordered(project: Path, order: str) -> list[str]:
    """Give a copied sample an order of data on the GPU; the further options that this takes."""
    settings = project / "hfpy.toml"
    text = settings.read_text(encoding="utf-8")
    if "[layout]" not in text:
        return ["-D", "ORDER_IJK"] if order == "IJK" else []
    bound = re.findall(r"^(\w+) = \{ size", text, re.MULTILINE)
    letters = " ".join(letter for letter in _LETTERS[order].split() if letter in bound)
    head, layout, rest = text.partition("[layout]")
    changed, count = re.subn(r'^gpu = "[^"]*"$', f'gpu = "{letters}"', rest, flags=re.MULTILINE)
    assert count == 1
    settings.write_text(head + layout + changed, encoding="utf-8")
    return []


def built(sample: str, order: str, folder: Path, *options: str) -> Program:
    """A sample, built by ``hfpy build`` for the emulated GPU."""
    project = folder / sample
    shutil.copytree(SAMPLES / sample, project, ignore=shutil.ignore_patterns("build", "output", "reference"))
    command = ["build", ".", "--target", "gpu", "--backend", "cuda-fortran", "--emulate"]
    environment = {**os.environ, "FFLAGS": f"{LEVEL} -Wall {EXACT}", "CXXFLAGS": CXXFLAGS}
    ended = hfpy_process([*command, "-j", "1", *ordered(project, order), *options], cwd=project, env=environment)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return Program(project / "build" / "gpu-cuda-fortran-emulated" / sample, ended.stdout + ended.stderr)


def in_orders() -> Iterator[ParameterSet]:
    """Every sample in both orders, most of them only in a full run."""
    soon = {("reduction", "IJK")}
    for way in product(NAMES, ("IJK", "KIJ")):
        yield pytest.param(*way, marks=[] if way in soon else [pytest.mark.full])


@pytest.mark.parametrize(("sample", "order"), list(in_orders()))
def test_sample(sample: str, order: str, twins: Twins, flang: Path, tmp_path: Path) -> None:
    """Emulated, every sample gives the bits of its twin; flang takes every file of kernels."""
    program = built(sample, order, tmp_path)
    assert not compare(sample, run_program(program, sample, 1), twins[sample])
    files = sorted((program.path.parent / "generated").rglob("*.cuf"))
    assert files
    if FLANG is not None:
        assert [checked(file, flang) for file in files] == [""] * len(files)


@pytest.mark.full
def test_both_kinds_of_kernels_share_device_data(twins: Twins, tmp_path: Path) -> None:
    program = built("weather", "IJK", tmp_path, "--routine", "vertical_diffusion_run=cuda-c")
    generated = program.path.parent / "generated"
    assert (generated / "vertical_diffusion.cu").exists()
    assert not list(generated.rglob("vertical_diffusion*.cuf"))
    assert list(generated.rglob("*.cuf"))
    assert not compare("weather", run_program(program, "weather", 1), twins["weather"])


# These mean something else on a GPU than in their twins (architecture, domains of the CPU alone), print nothing, or
# are refused before there is a backend; or bring an array with gaps to the device, which is told when they run.
APART = set("grains schemes l07 b22 r48b r52b t03 t04 r11".split())
PROGRAMS = {
    pair.name: pair
    for part in ("language", "defects", "realcode")
    for pair in load_pairs(Path(__file__).parents[1] / part / "programs")
    if pair.reference and pair.name not in APART
}
# What CUDA Fortran, or hfpy for it, does not know in kernels: texts, output, routines without source, …
REFUSED = set("accessors b19 b30 l02 l09 r15 r18 r26 r33 r34".split())


ORDERS = (CUDA_FORTRAN_IJK, CUDA_FORTRAN_KIJ)
WAYS = {name: (CUDA_FORTRAN,) if pair.in_comments else ORDERS for name, pair in PROGRAMS.items()}
# Programs that run in CUDA C alone by default (test_language.py) run here in a full run, as all do in the other order.
IN_CUDA_C = {pair.name for pair in test_language.RUNNING if in_cuda_c(pair.name)}
SOON = {name: ways[:1] for name, ways in WAYS.items() if name not in IN_CUDA_C}
LATE = {name: ways if name in IN_CUDA_C else ways[1:] for name, ways in WAYS.items()}
LATE = {name: ways for name, ways in LATE.items() if ways and name not in REFUSED}


def chosen(ways: Mapping[str, tuple[Variant, ...]], folder: Path) -> Corpus:
    """The programs of other tests that run in some ways."""
    return Corpus([PROGRAMS[name] for name in ways], folder, ways)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return chosen(SOON, tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return chosen(LATE, tmp_path_factory.mktemp("late"))


def is_right(name: str, corpus: Corpus, flang: Path, folder: Path) -> None:
    """What the plain twin prints, bit for bit; flang takes the kernels."""
    corpus.check(name)
    done = corpus.translation(name, corpus.variants[name][0])
    for file, text in done.files.items():
        if file.endswith(".cuf") and FLANG is not None:
            (folder / file).write_text(text)
            assert checked(folder / file, flang) == ""


@pytest.mark.parametrize("name", SOON)
def test_program(name: str, corpus: Corpus, flang: Path, tmp_path: Path) -> None:
    """It is right, or what is refused is known."""
    if name in REFUSED:
        assert "HF702" in corpus.translation(name, corpus.variants[name][0]).codes()
    else:
        is_right(name, corpus, flang, tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("name", LATE)
def test_program_in_other_ways(name: str, late: Corpus, flang: Path, tmp_path: Path) -> None:
    is_right(name, late, flang, tmp_path)


HEAT = """
module heat
  implicit none
contains
  subroutine warm(nx, ny, nz, step, t, source)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in) :: step
    real(8), intent(inout) :: t(nx,ny,nz)
    real(8), intent(in) :: source(nx,ny)
    integer :: k
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    do k = 1, nz
      t(k) = t(k) + step * source
    end do
    @end parallelRegion
  end subroutine warm
end module heat
program main
  use heat, only: warm
  implicit none
  real(8) :: t(5,4,3), source(5,4)
  t = 1
  source = 2
  call warm(5, 4, 3, 0.5d0, t, source)
  print '(f8.3)', sum(t)
end program main
"""


def heat_files(folder: Path) -> dict[str, str]:
    return dict(translate_text(HEAT, folder=folder, target="gpu", backend="cuda-fortran").require().files)


def linked(files: Iterable[Path], emulation: Emulation, folder: Path) -> Path:
    program = folder / "program"
    plain = [*MODULE_SOURCES, EMULATED_SOURCE]
    command = ["gfortran", LEVEL, "-fcheck=bounds", "-ffree-line-length-none", f"-J{folder}", "-cpp", *plain, *files]
    library = emulation.folder / "libhfpy_device.a"
    ended = subprocess.run([*map(str, command), str(library), "-lstdc++", "-o", str(program)], capture_output=True)
    assert ended.returncode == 0, ended.stderr.decode()
    return program


def heat_program(emulation: Emulation, folder: Path, host: tuple[str, str] = ("", ""), **kernels: str) -> Path:
    """The program, with one text of the host file, or of the kernels, replaced."""
    files = heat_files(folder)
    spoilt = files["m_kernels.cuf"]
    for old, new in kernels.items():
        assert old in spoilt
        spoilt = spoilt.replace(old, new)
    assert host[0] in files["m.F90"]
    paths = []
    for name, text in (
        ("launches.f90", LAUNCHES_SOURCE.read_text()),
        ("kernels.f90", spoilt),
        ("host.f90", files["m.F90"].replace(*host) if host[0] else files["m.F90"]),
    ):
        paths.append(folder / name)
        paths[-1].write_text(emulated(text))
    return linked(paths, emulation, folder)


def test_heat(emulation: Emulation, tmp_path: Path) -> None:
    assert ran(heat_program(emulation, tmp_path)).stdout.split() == ["120.000"]


def test_missing_transfer(emulation: Emulation, tmp_path: Path) -> None:
    files = heat_files(tmp_path)["m.F90"]
    enter = next(line for line in files.splitlines() if "call hf_enter(t" in line)
    ended = ran(heat_program(emulation, tmp_path, (enter, "")), status=3)
    assert "kernel hfk0_warm: array 't' is not on the device" in ended.stderr


def test_missing_copy(emulation: Emulation, tmp_path: Path) -> None:
    """The memory is there, but holds nothing."""
    ended = ran(heat_program(emulation, tmp_path, ("call hf_enter(t, 1,", "call hf_enter(t, 0,")))
    assert ended.stdout.split() == ["NaN"]


def test_wrong_bound(emulation: Emulation, tmp_path: Path) -> None:
    ended = ran(heat_program(emulation, tmp_path, **{"do k = 1, nz": "do k = 1, nz + 1"}), status=2)
    assert "Index '4' of dimension 3 of array 't' above upper bound of 3" in ended.stderr


def test_host_pointer(emulation: Emulation, tmp_path: Path) -> None:
    changes = {
        "  use hfpy_launches": "  use, intrinsic :: iso_c_binding, only: c_loc\n  use hfpy_launches",
        "real(8), intent(in) :: t(*)": "real(8), intent(in), target :: t(*)",
        'hf_device(t, hf_bytes(t_shape, 8), "t"//c_null_char, hf_kernel, hf_where)': "c_loc(t)",
    }
    ended = ran(heat_program(emulation, tmp_path, **changes), status=3)
    assert "kernel hfk0_warm: argument 6 is a host pointer" in ended.stderr


@needs_flang
def test_flang_refuses_host_data_in_a_kernel(flang: Path, tmp_path: Path) -> None:
    text = heat_files(tmp_path)["m_kernels.cuf"]
    good, bad = tmp_path / "good.cuf", tmp_path / "bad.cuf"
    good.write_text(text)
    bad.write_text(text.replace("source_device, t_device)", "source, t_device)"))
    assert bad.read_text() != text
    assert checked(good, flang) == ""
    assert "has ATTRIBUTES(DEVICE) but its associated actual argument has no CUDA data attribute" in checked(bad, flang)


def test_the_filter_keeps_lines(tmp_path: Path) -> None:
    text = heat_files(tmp_path)["m_kernels.cuf"]
    plain = emulated(text)
    assert plain.count("\n") == text.count("\n")
    assert "<<<" in text and "<<<" not in plain
    assert ", device" in text and ", device" not in plain
    assert "attributes(" not in plain


SCALARS_AND_ARRAYS = """
subroutine first(n, ix)
  integer, intent(in) :: n
  integer, intent(inout) :: ix(n)
  integer :: i
  @parallelRegion{domName(i), domSize(n)}
  ix(i) = i
  @end parallelRegion
end subroutine first
subroutine other(n, a, ix)
  integer, intent(in) :: n, a(n)
  integer, intent(inout) :: ix
  integer :: i
  @parallelRegion{domName(i), domSize(n)}
  if (a(i) > 3) ix = 1
  @end parallelRegion
end subroutine other
program main
  implicit none
  integer :: a(5), ix
  ix = 0
  call first(5, a)
  call other(5, a, ix)
  print *, a, ix
end program main
"""


def test_a_name_of_an_array_and_of_a_scalar(emulation: Emulation, tmp_path: Path) -> None:
    """The arguments that are checked are those that are arrays in the same launcher."""
    options = {"target": "gpu", "backend": "cuda-fortran"}
    files = translate_text({"m.h90": SCALARS_AND_ARRAYS}, folder=tmp_path, **options).require().files
    paths = []
    for name, text in (("launches.f90", LAUNCHES_SOURCE.read_text()), *sorted(files.items(), reverse=True)):
        paths.append(tmp_path / f"{Path(name).stem}.F90")
        paths[-1].write_text(emulated(text))
    assert ran(linked(paths, emulation, tmp_path)).stdout.split() == ["1", "2", "3", "4", "5", "1"]


def test_the_runtime_is_where_the_build_looks_for_it() -> None:
    assert LAUNCHES_SOURCE.parent == RUNTIME
    assert EMULATED_SOURCE.parent == EMULATION


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("write (9, *) k", "input or output"),
        ("stop k", "'stop' with a code that is no constant"),
        ("call random_number(source)", "a call of 'random_number', whose source hfpy does not have,"),
    ],
)
def test_refused(statement: str, what: str) -> None:
    done = translate_text(HEAT.replace("t(k) = t(k) + step * source", statement), target="gpu", backend="cuda-fortran")
    found = [d for d in done.errors if d.code == "HF702"]
    assert len(found) == 1
    assert what in found[0].message
    assert found[0].place.line == HEAT[: HEAT.index("t(k) =")].count("\n") + 1
