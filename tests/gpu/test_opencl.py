"""The backend opencl, on whatever OpenCL device is here: the build, the cache of programs, and what can go wrong.

The support table's examples run in test_support_table.py; what a device lacks is played by a library that answers in
the place of the loader.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from hfpy.backends.opencl.words import in_opencl
from hfpy.build.compile.cuda import OPENCL as OPENCL_RUNTIME
from hfpy.build.compile.cuda import find_cuda_tools
from samples.compare import compare
from tests.command import CXXFLAGS, hfpy_process
from tests.gpu.emulated import run as compiled
from tests.gpu.opencl import needs_opencl
from tests.gpu.test_hip import HEAT, MAIN
from tests.optimiser.generator import stencil_pair
from tests.optimiser.sweeps import sweep_pair
from tests.random.programs import program_pair
from tests.samples.programs import ARGUMENTS, CHECKED, build_sample, build_twin, run_program
from tests.support import CUDA_C, OPENCL, OPENCL_KIJ, Corpus, Pair, Variant, load_pairs, pair, translate_text

TESTS = Path(__file__).parent.parent
LOADER = r"""
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *value, size_t *needed) {
  cl_int (*real)(cl_device_id, cl_device_info, size_t, void *, size_t *) = dlsym(RTLD_NEXT, "clGetDeviceInfo");
  const cl_int status = real(device, what, bytes, value, needed);
  const char *lacks = getenv("LACKS");
  if (what == CL_DEVICE_DOUBLE_FP_CONFIG && !strcmp(lacks, "doubles")) memset(value, 0, bytes);
  if (what == CL_DEVICE_MAX_PARAMETER_SIZE && !strcmp(lacks, "arguments")) *(size_t *)value = 10;
  if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && !strcmp(lacks, "memory")) *(cl_ulong *)value = 100;
  return status;
}

cl_int clGetKernelWorkGroupInfo(
    cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t bytes, void *value, size_t *needed) {
  cl_int (*real)(cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t, void *, size_t *) =
      dlsym(RTLD_NEXT, "clGetKernelWorkGroupInfo");
  const cl_int status = real(kernel, device, what, bytes, value, needed);
  if (what == CL_KERNEL_WORK_GROUP_SIZE && !strcmp(getenv("LACKS"), "threads")) *(size_t *)value = 8;
  return status;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint count, const cl_event *before,
                              cl_event *event) {
  cl_int (*real)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                 const cl_event *, cl_event *) = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
  const char *lacks = getenv("LACKS");
  if (!strcmp(lacks, "resources") || !strcmp(lacks, "arguments")) return CL_OUT_OF_RESOURCES;
  if (!strcmp(lacks, "threads") && local[0] * local[1] * local[2] > 8) return CL_INVALID_WORK_GROUP_SIZE;
  return real(queue, kernel, dimensions, offset, global, local, count, before, event);
}
"""


def hfpy(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return hfpy_process(words, cwd=folder, env={**os.environ, "CXXFLAGS": CXXFLAGS})


@needs_opencl
@pytest.mark.parametrize("source", sorted(OPENCL_RUNTIME.glob("*.cpp")), ids=lambda path: path.stem)
def test_the_runtime_compiles_without_warnings(source: Path, tmp_path: Path) -> None:
    flags = "-O0 -Wall -Werror -Wno-unused-but-set-variable -Wno-ignored-attributes"
    tools = find_cuda_tools({**os.environ, "CXXFLAGS": flags}, emulated=False, made_for="opencl")
    compiled(tools.runtime_command(source, tmp_path / "x.o"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opencl")
    (folder / "hfpy.toml").write_text('[project]\nname = "heat"\nsources = ["."]\nexecutables = ["main"]\n')
    (folder / "heat.h90").write_text(HEAT)
    (folder / "main.f90").write_text(MAIN)
    done = hfpy(folder, "build", "--target", "gpu", "--backend", "opencl")
    assert done.returncode == 0, done.stdout + done.stderr
    loader = folder / "loader.c"
    loader.write_text(LOADER)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / "loader.so", loader, "-ldl"], check=True)
    return folder


def run(project: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """The program with more environment. Nothing is kept unless a test says where."""
    environment: Mapping[str, str] = {**os.environ, "HFPY_OPENCL_CACHE": "0", **more}
    program = project / "build/gpu-opencl/main"
    return subprocess.run([program], env=environment, capture_output=True, text=True, check=False, timeout=300)


def lacking(project: Path, what: str) -> subprocess.CompletedProcess[str]:
    return run(project, LACKS=what, LD_PRELOAD=str(project / "loader.so"))


@pytest.fixture(scope="module")
def expected(project: Path) -> str:
    done = hfpy(project, "run", "--target", "cpu", "--backend", "sequential")
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
    return done.stdout


@needs_opencl
def test_the_program_prints_what_it_prints_on_the_cpu(project: Path, expected: str) -> None:
    done = run(project, HFPY_TRACE="1")
    assert done.returncode == 0 and done.stdout == expected
    assert "hfpy: heat.h90:10: kernel hfk0_warm\n" in done.stderr
    assert "hfpy: kernel hfk0_warm: 1 launches" in done.stderr


@needs_opencl
def test_programs_are_kept(project: Path, expected: str, tmp_path: Path) -> None:
    """One file for a program; one that is damaged, or of another text, is not used. Where no folder can be, none is."""
    cache = tmp_path / "a" / "b"
    assert run(project, HFPY_OPENCL_CACHE=str(cache)).stdout == expected
    (kept,) = cache.iterdir()
    before = kept.read_bytes()
    assert b"hfk0_warm" in before
    assert run(project, HFPY_OPENCL_CACHE=str(cache)).stdout == expected
    assert kept.read_bytes() == before
    for damaged in (before[: len(before) - 100], before[:1000], before.replace(b"hf_max_r8", b"hf_min_r8"), b""):
        kept.write_bytes(damaged)
        assert run(project, HFPY_OPENCL_CACHE=str(cache)).stdout == expected
        assert [kept] == list(cache.iterdir())
    assert run(project, HFPY_OPENCL_CACHE=str(kept / "below")).stdout == expected


@needs_opencl
@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"HFPY_OPENCL_DEVICE": "no such"}, "HFPY_OPENCL_DEVICE is 'no such', and the devices here are\n  0: "),
        ({"HFPY_OPENCL_DEVICE": "77"}, "HFPY_OPENCL_DEVICE is '77'"),
        ({"OCL_ICD_VENDORS": "/nowhere"}, "no driver for OpenCL tells of a device"),
        ({"HFPY_OPENCL_FLAGS": "-Dconst=wrong"}, "does not take the kernels of heat.h90 (CL_BUILD_PROGRAM_FAILURE)\n"),
    ],
)
def test_what_is_wrong_outside(project: Path, environment: dict[str, str], said: str) -> None:
    done = run(project, **environment)
    assert done.returncode == 3
    assert "hfpy: heat.h90:" in done.stderr and said in done.stderr


@needs_opencl
@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("doubles", "the kernels of heat.h90 compute with double precision, which '"),
        ("memory", "no device memory for 't': it needs 512 bytes, and 0 are in use by this program\n  '"),
        ("memory", "' gives at most 100 bytes in one piece: choose another device by HFPY_OPENCL_DEVICE"),
        ("resources", "has too little of something that this kernel needs (CL_OUT_OF_RESOURCES)"),
        ("arguments", "kernel hfk0_warm: its arguments have "),
    ],
)
def test_what_a_device_lacks(project: Path, what: str, said: str) -> None:
    done = lacking(project, what)
    assert done.returncode == 3 and said in done.stderr


@needs_opencl
def test_small_groups(project: Path, expected: str) -> None:
    """A device with smaller groups gets more of them."""
    assert lacking(project, "threads").stdout == expected


def test_it_has_no_emulation(tmp_path: Path) -> None:
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "heat"\nsources = ["."]\n')
    (tmp_path / "heat.h90").write_text(HEAT)
    (tmp_path / "main.f90").write_text(MAIN)
    done = hfpy(tmp_path, "build", "--target", "gpu", "--backend", "opencl", "--emulate")
    assert done.returncode == 2 and "the backend opencl has no emulation" in done.stderr, done.stderr


INDICES = """\
module indices
  implicit none
contains
  subroutine go(nx, ny, n, a, b)
    integer, intent(in) :: nx, ny, n
    real(8), intent(inout) :: a(nx,ny)
    real(8), intent(in) :: b(0:nx,ny)
    real(8) :: w(3)
    @parallelRegion{domName(i,j), domSize(nx,ny)}
    w(:) = 0
    a(i,j) = b(i-1,j) + place(b(1:nx,j), n + i) + w(1)
    @end parallelRegion
  end subroutine go
  real(8) function place(values, at)
    real(8), intent(in) :: values(:)
    integer, intent(in) :: at
    real(8) :: own(0:8)
    own = 2
    place = values(min(at, 9)) + own(at)
  end function place
end module indices
program main
  use indices
  implicit none
  real(8) :: a(5,4) = 1, b(0:5,4) = 1
  integer :: n
  read *, n
  call go(5, 4, n, a, b)
  print *, sum(a)
end program main
"""


@pytest.mark.parametrize("checked", [False, True])
def test_where_indices_are_checked(checked: bool) -> None:
    made = translate_text({"indices.h90": INDICES}, target="gpu", backend="opencl", checked=checked).require()
    text = made.files["indices_opencl.cpp"]
    assert ("__kernel void hfk0_go(__global long *hf_failed," in text) == checked
    assert ('values_data[HF_CHECKED1(values, "values", hf_min_i4(at, 9))]' in text) == checked
    assert ('own_data[HF_CHECKED1(own, "own", at)]' in text) == checked
    assert (')hf_opencl", true, true};' in text) == checked


@needs_opencl
@pytest.mark.full
def test_indices_are_checked(tmp_path: Path) -> None:
    """The messages are those of the emulation, but for which of several wrong indices is told."""
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "heat"\nsources = ["."]\n')
    (tmp_path / "indices.h90").write_text(INDICES)
    for backend in (("opencl", "--debug"), ("cuda-c", "--emulate")):
        words = ("--target", "gpu", "--backend", *backend)
        done = hfpy(tmp_path, "build", *words)
        assert done.returncode == 0, done.stderr
        program = tmp_path / "build" / f"gpu-{backend[0]}{'-emulated' * (backend[0] == 'cuda-c')}" / "indices"
        for given, said in (
            ("0", ""),
            ("1", "hfpy: indices.h90:9: kernel hfk0_go: index 1 of 'values' is 6, outside 1:5"),
            ("-1", "hfpy: indices.h90:9: kernel hfk0_go: index 1 of 'values' is 0, outside 1:5"),
        ):
            ran = subprocess.run([program], input=given, capture_output=True, text=True, check=False)
            assert ran.returncode == (3 if said else 0) and ran.stderr.strip() == said, ran.stderr


SECTIONS = """module sections
  implicit none
contains
  subroutine go(nx, n, l, k, a, b)
    integer, intent(in) :: nx, n, l, k
    real(8), intent(inout) :: a(nx)
    real(8), intent(in) :: b(0:4,3)
    @parallelRegion{domName(i), domSize(nx)}
    a(i) = a(i) + total(l, b(n:n+l-1,k))
    @end parallelRegion
  end subroutine go
  subroutine few(nx, m, a, b)
    integer, intent(in) :: nx, m
    real(8), intent(inout) :: a(nx)
    real(8), intent(in) :: b(5)
    @parallelRegion{domName(i), domSize(nx)}
    a(i) = a(i) + total(m, b)
    @end parallelRegion
  end subroutine few
  real(8) function total(m, x)
    integer, intent(in) :: m
    real(8), intent(in) :: x(m)
    total = sum(x)
  end function total
end module sections
program main
  use sections
  implicit none
  real(8) :: a(3) = 1, b(0:4,3) = 2
  integer :: n, l, k
  read *, n, l, k
  if (k == 0) then
    call few(3, l, a, b(:,1))
  else
    call go(3, n, l, k, a, b)
  end if
  print *, a
end program main
"""


@needs_opencl
@pytest.mark.full
def test_sections_are_checked(tmp_path: Path) -> None:
    """Those that routines in kernels get, by their first and last elements, and by the size that a routine declares."""
    (tmp_path / "hfpy.toml").write_text('[project]\nname = "heat"\nsources = ["."]\n')
    (tmp_path / "sections.h90").write_text(SECTIONS)
    for backend in (("opencl", "--debug"), ("cuda-c", "--emulate")):
        done = hfpy(tmp_path, "build", "--target", "gpu", "--backend", *backend)
        assert done.returncode == 0, done.stderr
        program = tmp_path / "build" / f"gpu-{backend[0]}{'-emulated' * (backend[0] == 'cuda-c')}" / "sections"
        for given, said in (
            ("0 3 3", ""),
            ("9 0 1", ""),  # no element
            ("1 5 0", ""),
            ("3 3 3", "sections.h90:8: kernel hfk0_go: index 1 of 'b' is 5, outside 0:4"),
            ("-1 2 1", "sections.h90:8: kernel hfk0_go: index 1 of 'b' is -1, outside 0:4"),
            ("2 2 4", "sections.h90:8: kernel hfk0_go: index 2 of 'b' is 4, outside 1:3"),
            ("1 6 0", "sections.h90:16: kernel hfk0_few: index 1 of 'x' is 6, outside 1:5"),
        ):
            ran = subprocess.run([program], input=given, capture_output=True, text=True, check=False)
            assert ran.returncode == (3 if said else 0), (given, ran.stderr)
            assert ran.stderr.strip() == (f"hfpy: {said}" if said else ""), given


WITH_CHECKS = replace(OPENCL, options={**OPENCL.options, "checked": True})


@needs_opencl
@pytest.mark.full
@pytest.mark.parametrize("number", range(1, 5))
def test_checks_change_no_result(number: int, tmp_path: Path) -> None:
    pairs = [program_pair(Random(number), "p"), sweep_pair(Random(number), "w"), stencil_pair(Random(number), "s")]
    corpus = Corpus(pairs, tmp_path, {p.name: (WITH_CHECKS,) for p in pairs})
    for tested in pairs:
        if not corpus.translation(tested.name, WITH_CHECKS).errors:
            corpus.check(tested.name)


def test_one_runtime_a_program() -> None:
    more = HEAT.replace("heat", "cool").replace("warm", "chill")
    files = {"heat.h90": HEAT, "cool.h90": more}
    done = translate_text(files, target="gpu", backend="opencl", routines={"chill": "cuda-c"})
    assert done.codes() == ["HF703"]


SHARED = """\
module shared
  implicit none
contains
  subroutine first(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    @domainDependant{attribute(transferHere)}
    a
    @end domainDependant
    @parallelRegion{domName(i), domSize(n)}
    a(i) = a(i) + 1
    @end parallelRegion
    call second(n, a)
  end subroutine first
  subroutine second(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    @domainDependant{attribute(present)}
    a
    @end domainDependant
    @parallelRegion{domName(i), domSize(n)}
    a(i) = 2*a(i)
    @end parallelRegion
  end subroutine second
end module shared
"""


def test_no_addresses_for_directives() -> None:
    """OpenACC can use arrays that CUDA kernels have on the device, but none in buffers of OpenCL."""
    for backend, codes in (("cuda-c", []), ("opencl", ["HF703"])):
        done = translate_text({"m.h90": SHARED}, target="gpu", backend=backend, routines={"second": "openacc"})
        assert done.codes() == codes


# -- words


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("const long long hf_points = 1LL * (n);", "const long hf_points = 1L * (n);"),
        ("  i = (int)(blockIdx.y * blockDim.y);", "  i = (int)(get_group_id(1) * get_local_size(1));"),
        ("signed char x; hf_complex<double> z;", "char x; hf_c8 z;"),
        ("local = half_ + t.global;", "local_ = half__ + t.global;"),
        ('f("kernel", float4, floats);', 'f("kernel", float4_, floats);'),
        ("// local: long long", "// local: long long"),
    ],
)
def test_words(printed: str, text: str) -> None:
    assert in_opencl(printed) == text


NAMES = "kernel", "local", "global", "half", "uint", "float4", "barrier", "long8", "event_t", "ceil", "hypot"


def named_pair() -> Pair:
    """A program whose variables are words of OpenCL."""
    declared = "\n".join(f"real(8), intent(inout) :: {name}(n)" for name in NAMES)
    body = "\n".join(f"{name}(i) = {name}(i) + {before}(i)*i" for name, before in zip(NAMES[1:], NAMES, strict=False))
    arguments = ", ".join(NAMES)
    text = f"""\
module words
implicit none
contains
subroutine step(n, {arguments})
integer, intent(in) :: n
{declared}
integer :: i
@parallelRegion{{domName(i), domSize(n)}}
{body}
@end parallelRegion
end subroutine step
subroutine run
integer, parameter :: n = 7
real(8) :: a(n,{len(NAMES)})
integer :: i, j
do j = 1, {len(NAMES)}
do i = 1, n
a(i,j) = i + 10*j
end do
end do
call step(n, {", ".join(f"a(:,{k})" for k in range(1, len(NAMES) + 1))})
print '(7f14.1)', a
end subroutine run
end module words
"""
    plain = text.replace("@parallelRegion{domName(i), domSize(n)}", "do i = 1, n").replace(
        "@end parallelRegion", "end do"
    )
    hybrid = text.replace("integer :: i\n@", "@")
    return pair("words", hybrid, plain)


@needs_opencl
def test_names_that_are_words_of_opencl(tmp_path: Path) -> None:
    Corpus([named_pair()], tmp_path, {"words": (OPENCL,)}).check("words")


# -- programs of other tests


def variant(tested: Pair) -> tuple[Variant, ...]:
    return (OPENCL,) if tested.in_comments else (OPENCL_KIJ,)


@needs_opencl
def test_parts_of_buffers(tmp_path: Path) -> None:
    """Sections, components and elements of what was brought to the device: a kernel gets a buffer and an offset."""
    names = (
        "state_sections",
        "state_parts",
        "unsized",
        "unsized_calls",
        "unsized_columns",
        "unsized_bounds",
        "overlapping",
        "rearranged",
        "texts",
    )
    chosen = [p for p in load_pairs(TESTS / "gpu" / "language") if p.name in names]
    assert len(chosen) == len(names)
    corpus = Corpus(chosen, tmp_path, {p.name: variant(p) for p in chosen})
    for tested in chosen:
        corpus.check(tested.name)


@needs_opencl
@pytest.mark.full
def test_programs_of_other_tests(tmp_path: Path) -> None:
    """All that cuda-c translates prints what it prints on the CPU."""
    from tests.gpu.test_language import RUNNING

    corpus = Corpus(RUNNING, tmp_path, {p.name: variant(p) for p in RUNNING})
    for tested in RUNNING:
        corpus.check(tested.name)


@needs_opencl
@pytest.mark.parametrize("sample", [pytest.param(s, marks=[pytest.mark.full] * (s != "reduction")) for s in ARGUMENTS])
@pytest.mark.parametrize("order", ["IJK", pytest.param("KIJ", marks=pytest.mark.full)])
def test_samples(sample: str, order: str, tmp_path: Path) -> None:
    """They write what their twins write, bit for bit, but for what powers and exponentials give on this device."""
    if sample == "euler" and order != "IJK":
        pytest.skip("this sample knows one order of data")
    program, twin = build_sample(sample, "opencl", order, CHECKED, tmp_path), build_twin(sample, tmp_path / "twin")
    tolerance = 1e-12 if sample in WITH_LIBRARY else None
    assert not compare(sample, run_program(program, sample, 1), run_program(twin, sample, 1), tolerance)


WITH_LIBRARY = ("columns", "euler", "cloud", "ocean")


@needs_opencl
@pytest.mark.parametrize("level", [pytest.param(0, marks=pytest.mark.full), 2, pytest.param(3, marks=pytest.mark.full)])
def test_random_programs(level: int, tmp_path: Path) -> None:
    """What is not refused prints what its twin prints: stencils, sweeps along columns, whole programs."""
    asked = replace(OPENCL, options={**OPENCL.options, "opt": level})
    count = int(os.environ.get("HFPY_RANDOM", "10"))
    pairs = [stencil_pair(Random(n), f"s{n}") for n in range(level, count // 5 + level)]
    pairs += [sweep_pair(Random(n), f"w{n}") for n in range(level, count // 10 + level)]
    pairs += [program_pair(Random(n), f"p{n}") for n in range(level, count // 5 + level)]
    corpus = Corpus(pairs, tmp_path, {p.name: (asked,) for p in pairs})
    for tested in pairs:
        if not corpus.translation(tested.name, asked).errors:
            corpus.check(tested.name)


@pytest.mark.full
def test_the_same_is_refused_as_with_cuda_c() -> None:
    for folder in ("language", "realcode", "defects"):
        for tested in load_pairs(TESTS / folder / "programs"):
            mine, other = (v.translated(tested) for v in (OPENCL, CUDA_C))
            assert mine.codes() == other.codes(), tested.name
