"""``target="gpu"``: arrays of CuPy go to kernels where they lie. Without a GPU: a stand-in for CuPy (``standin``) runs
what is launched, and the real NVRTC compiles the kernels, where it is installed.
"""

import ctypes
import ctypes.util
import importlib.util
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hfpy
from hfpy.build.compile.cuda import RUNTIME
from hfpy.diagnostics import UsageError
from hfpy.kernels.gpu import form_of
from hfpy.options import Options
from hfpy.pipeline import translate
from hfpy.tune.worker import run
from tests.load.sources import field
from tests.load.standin import StandIn

SAMPLES = Path(__file__).parents[2] / "samples"
SOURCE = """
module flow
  implicit none
  real(8) :: weight = 0.25d0
contains
  subroutine relax(nx, ny, a, b, most)
    integer, intent(in) :: nx, ny
    real(8), intent(in) :: a(0:nx+1,0:ny+1)
    real(8), intent(inout) :: b(0:nx+1,0:ny+1)
    real(8), intent(out) :: most
    real(8) :: t(0:nx+1,0:ny+1)
    most = 0
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(0,0), endAt(nx+1,ny+1)}
    t(i,j) = a(i,j) * weight
    @end parallelRegion
    @parallelRegion{domName(i,j), domSize(nx,ny), reduction(max:most)}
    b(i,j) = b(i,j) + t(i+1,j) - t(i,j-1)
    most = max(most, b(i,j))
    @end parallelRegion
  end subroutine relax

  subroutine both(nx, ny, a, b)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(0:nx+1,0:ny+1), b(0:nx+1,0:ny+1)
    call add(nx, ny, a, b)
    call add(nx, ny, amount=b, to=a)
  end subroutine both

  subroutine add(nx, ny, to, amount)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: to(0:nx+1,0:ny+1)
    real(8), intent(in) :: amount(0:nx+1,0:ny+1)
    @parallelRegion{domName(i,j), domSize(nx,ny), startAt(0,0), endAt(nx+1,ny+1)}
    to(i,j) = to(i,j) + amount(i,j)
    @end parallelRegion
  end subroutine add

  subroutine summed(nx, ny, a, b, total)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(0:nx+1,0:ny+1), b(0:nx+1,0:ny+1)
    real(8), intent(out) :: total
    call add(nx, ny, a, b)
    total = sum(a)
  end subroutine summed
end module flow
"""


@pytest.fixture(scope="module")
def stand_in() -> StandIn:
    """One for all tests: libraries keep its memory for later calls."""
    if shutil.which("g++") is None:
        pytest.skip("no g++ here")
    module = StandIn()
    module.__spec__ = importlib.util.spec_from_loader("cupy", None)
    return module


@pytest.fixture
def cupy(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """The stand-in in the place of CuPy, with nothing counted so far."""
    monkeypatch.setitem(sys.modules, "cupy", stand_in)
    stand_in.launches.clear()
    stand_in.copies.clear()
    return stand_in


def relaxed(a: Any, b: Any) -> tuple[Any, float]:
    t = a * 0.25
    out = b.copy(order="F")
    out[1:-1, 1:-1] = out[1:-1, 1:-1] + t[2:, 1:-1] - t[1:-1, :-2]
    return out, max(0.0, out[1:-1, 1:-1].max())


def test_arrays_of_cupy_are_used_where_they_lie(cupy: StandIn) -> None:
    flow = hfpy.load(SOURCE, target="gpu", opt=2)
    a, b = field(71, 9), -field(71, 9)
    wanted, most = relaxed(a, b)
    there, here = cupy.asarray(a), cupy.asarray(b)
    assert flow.relax(69, 7, there, here) == most
    assert np.array_equal(here.get(), wanted)
    assert np.array_equal(there.get(), a)
    # The result of the reduction came back, no array was copied.
    assert all(size < a.nbytes for _, size in cupy.copies)
    assert [name.split("_")[-1] for name, _ in cupy.launches] == ["relax<int>"] * len(cupy.launches) != []
    # The same call with NumPy's arrays copies them there and back.
    mine = b.copy(order="F")
    assert flow.relax(69, 7, a, mine) == most
    assert np.array_equal(mine, wanted)
    assert sorted(kind for kind, size in cupy.copies if size >= a.nbytes)[-1] == 2

    cupy.launches.clear()
    cupy.copies.clear()
    flow.both(69, 7, there, here)
    assert np.array_equal(there.get(), a + wanted + wanted)
    assert np.array_equal(here.get(), wanted)
    assert not cupy.copies
    assert [name for name, _ in cupy.launches] == ["hfk0_add<int>", "hfk0_add<int>"]


def test_host_code_gets_no_device_array(cupy: StandIn) -> None:
    flow = hfpy.load(SOURCE, target="gpu", opt=2)
    a, b = field(8, 6), field(8, 6) + 1
    with pytest.raises(TypeError, match=r"argument 'a'.*host code of the routine may work on it: pass a NumPy array"):
        flow.summed(6, 4, cupy.asarray(a), cupy.asarray(b))
    expected = a + b
    assert flow.summed(6, 4, a, cupy.asarray(b)) == pytest.approx(expected.sum())
    assert np.array_equal(a, expected)


def test_what_is_wrong_with_an_array_is_said(cupy: StandIn) -> None:
    flow = hfpy.load(SOURCE, target="gpu", opt=2)
    a, b = cupy.asarray(field(8, 6)), cupy.asarray(field(8, 6))
    with pytest.raises(ValueError, match=r"argument 'to'.*wanted shape \(7, 6\), got \(8, 6\)"):
        flow.add(5, 4, a, b)
    with pytest.raises(TypeError, match="wanted an array of float64, got one of float32"):
        flow.add(6, 4, cupy.asarray(field(8, 6).astype(np.float32)), b)
    with pytest.raises(ValueError, match=r"got an array in order C; .*cupy\.asfortranarray"):
        flow.add(6, 4, cupy.asarray(np.ascontiguousarray(field(8, 6))), b)
    with pytest.raises(ValueError, match="arguments 'to' and 'amount' share memory"):
        flow.add(6, 4, a, a)
    with pytest.raises(TypeError, match="wanted a NumPy array"):
        hfpy.load(SOURCE, opt=2).add(6, 4, a, b)


def test_routines_are_timed_there(cupy: StandIn) -> None:
    """What hfpy tune does in a process of its own, with arrays of CuPy."""
    folders = [str(hfpy.load(SOURCE, target="gpu", opt=2).path.parent)] * 2
    job = {"folders": folders, "package": "cupy", "routine": "flow.relax", "sizes": {"nx": 69, "ny": 7}, "rounds": 3}
    answer = run(job)
    assert [len(seconds) for seconds in answer["seconds"]] == [3, 3]
    assert all(second > 0 for seconds in answer["seconds"] for second in seconds)
    assert {name for name, _ in cupy.launches} == {"hfk0_relax<int>", "hfk1_relax<int>"}
    assert not any(size >= 71 * 9 * 8 for _, size in cupy.copies)


def test_without_cupy_or_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    if importlib.util.find_spec("cupy") is None:
        with pytest.raises(UsageError, match=r"needs CuPy for the GPU: .*emulate=True"):
            hfpy.load(SOURCE, target="gpu")
    module = StandIn(devices=0)
    module.__spec__ = importlib.util.spec_from_loader("cupy", None)
    monkeypatch.setitem(sys.modules, "cupy", module)
    with pytest.raises(UsageError, match=r"CuPy finds no GPU; emulate=True"):
        hfpy.load(SOURCE, target="gpu")


def test_what_is_used_is_there_in_cupy() -> None:
    """The stand-in has what hfpy uses; so must the real one, where it is installed."""
    cupy = pytest.importorskip("cupy")
    assert "intptr_t kernel_params" in cupy.cuda.driver.launchKernel.__doc__
    assert cupy.cuda.runtime.memcpy.__doc__.startswith("memcpy(intptr_t dst, intptr_t src, size_t size, int kind)")
    assert issubclass(cupy.cuda.memory.OutOfMemoryError, Exception)
    assert all(hasattr(cupy.cuda, name) for name in ("alloc", "get_current_stream"))
    assert "name_expressions" in cupy.RawModule.__doc__
    assert hasattr(cupy.RawModule, "get_function") and hasattr(cupy.RawKernel, "kernel")
    assert hasattr(cupy.cuda.function.Function, "ptr")


def nvrtc() -> ctypes.CDLL | None:
    """The real NVRTC: of the system, or of a package of NVIDIA's."""
    places = [ctypes.util.find_library("nvrtc")]
    try:
        spec = importlib.util.find_spec("nvidia.cuda_nvrtc")
    except ImportError:
        spec = None
    for folder in spec.submodule_search_locations or () if spec is not None else ():
        places += [str(path) for path in sorted(Path(folder, "lib").glob("libnvrtc.so.*"))]
    for place in filter(None, places):
        return ctypes.CDLL(place)
    return None


def compiled(library: ctypes.CDLL, text: str) -> str:
    """The PTX of a generated file, compiled as CuPy would."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None) == 0
    options = [b"-std=c++17", f"-I{RUNTIME}".encode(), b"-arch=sm_80"]
    for name in re.findall(r"__global__ void (\w+)\(", text):
        for index in ("int", "long long"):
            assert library.nvrtcAddNameExpression(program, form_of(name, index).encode()) == 0
    status = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    assert status == 0, log.value.decode()
    library.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    library.nvrtcGetPTX(program, ptx)
    return ptx.value.decode()


@pytest.mark.full
@pytest.mark.parametrize("sample", ["stencils", "weather", "columns"])
def test_nvrtc_compiles_what_is_generated(sample: str) -> None:
    library = nvrtc()
    if library is None:
        pytest.skip("no NVRTC here: pip install nvidia-cuda-nvrtc-cu12")
    sources = sorted(p for p in (SAMPLES / sample / "source").iterdir() if p.suffix in (".h90", ".f90", ".F90"))
    sizes = (("nx", 64), ("ny", 32))
    options = Options(target="gpu", backend="cuda-c", opt=2, layout="i j k", specialise=sizes)
    made = translate(sources, options)
    kernels = [file for file in made.files if file.name.endswith(".cu")]
    assert kernels, made.diagnostics
    for file in kernels:
        entries = compiled(library, file.text).count(".entry ")
        assert entries == 2 * file.text.count("__global__ void")
