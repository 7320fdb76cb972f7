"""Commands that build kernels and the GPU runtime, for a GPU and for the emulation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from hfpy.build.compile.compilers import Compiler
from hfpy.build.compile.cuda import (
    DEFAULT_ARCH,
    EMULATION,
    RUNTIME,
    SHADOW,
    WATCHES,
    CudaTools,
    find_cuda_tools,
    library_folders,
)
from hfpy.build.compile.gpuruntime import LIBRARY, runtime_library
from hfpy.build.compile.tools import find_tools
from hfpy.diagnostics import ToolError
from hfpy.options import Options
from hfpy.project import Project

NVCC = Compiler(("nvcc",), "nvidia", "13")
GXX = Compiler(("g++",), "gnu", "12")
SOURCE, TARGET = Path("a.cu"), Path("a.o")


def stand_in(folder: Path, text: str) -> dict[str, str]:
    """An environment whose nvcc is a script."""
    nvcc = folder / "nvcc"
    nvcc.write_text(f"#!/bin/sh\n{text}\n")
    nvcc.chmod(0o755)
    return {"NVCC": str(nvcc)}


def test_kernels_for_a_gpu() -> None:
    command = CudaTools(NVCC, False, arch="sm_90", flags=("-lineinfo",)).kernel_command(SOURCE, TARGET)
    assert command == [
        "nvcc",
        "-c",
        "-std=c++17",
        "-O3",
        f"-I{RUNTIME}",
        "-arch=sm_90",
        "-lineinfo",
        "-o",
        "a.o",
        "a.cu",
    ]


def test_exact_and_checked_kernels() -> None:
    plain = CudaTools(NVCC, False).kernel_command(SOURCE, TARGET)
    exact = CudaTools(NVCC, False, exact=True).kernel_command(SOURCE, TARGET)
    checked = CudaTools(NVCC, False, debug=True).kernel_command(SOURCE, TARGET)
    assert set(exact) - set(plain) == {"-fmad=false"}
    assert set(checked) - set(plain) == {"-DHFPY_CHECK", "-g"}
    assert f"-arch={DEFAULT_ARCH}" in plain  # without it nvcc takes one that its newest versions do not know


def test_kernels_for_the_emulation() -> None:
    command = CudaTools(GXX, True, arch="sm_90").kernel_command(SOURCE, TARGET)
    own = ["-x", "c++", "-O2", "-ffp-contract=off", *WATCHES["gnu"]]
    folders = [f"-I{RUNTIME}", f"-I{EMULATION}", f"-I{SHADOW}", "-DHFPY_EMULATE"]
    assert command == ["g++", "-c", "-std=c++17", *own, *folders, "-o", "a.o", "a.cu"]


def test_no_watch_beside_sanitizers_and_unknown_compilers() -> None:
    for tools in (CudaTools(GXX, True, flags=("-fsanitize=address",)), CudaTools(NVCC, True)):
        assert "-fsanitize=thread" not in tools.kernel_command(SOURCE, TARGET)
    assert "-fsanitize=thread" not in CudaTools(GXX, True).runtime_command(SOURCE, TARGET)


def test_sources_of_the_runtime() -> None:
    real, emulated = CudaTools(NVCC, False).runtime_sources(), CudaTools(GXX, True).runtime_sources()
    assert {path.name for path in real} == {
        f"hfpy_{name}.cpp" for name in "arrays device gapped grid memory queues ranks regions table trace".split()
    }
    assert {path.name for path in set(emulated) - set(real)} == {
        f"hfpy_{name}.cpp" for name in ("emulate", "fibres", "streams", "watch")
    }


def test_flags_come_from_where_they_belong(tmp_path: Path) -> None:
    environment = {**stand_in(tmp_path, "echo nvcc: NVIDIA"), "CXXFLAGS": "-fsanitize=address"}
    real = find_cuda_tools(environment, emulated=False, arch="sm_80", exact=True, nvcc_flags=["-lineinfo"])
    assert (real.flags, real.arch, real.exact, real.emulated) == (("-lineinfo",), "sm_80", True, False)
    emulated = find_cuda_tools(environment, emulated=True, arch="sm_80", nvcc_flags=["-lineinfo"])
    assert (emulated.flags, emulated.emulated) == (("-fsanitize=address",), True)
    assert emulated.link_flags() == ("-lstdc++", "-lpthread")


def test_missing_nvcc_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError) as reported:
        find_cuda_tools({}, emulated=False)
    text = str(reported.value)
    assert text.startswith("error HF804: no CUDA compiler is on this machine\n")
    assert "NVCC" in text and "--emulate" in text
    with pytest.raises(ToolError, match=r"(?s)HF804: no C\+\+ compiler is on this machine.*g\+\+.*CXX"):
        find_cuda_tools({}, emulated=True)


def test_nvcc_is_asked_for_its_libraries(tmp_path: Path) -> None:
    """Nothing but what nvcc says is believed; the folder of stubs is no place to link from."""
    (tmp_path / "lib" / "stubs").mkdir(parents=True)
    said = f'#$ LIBRARIES=  "-L{tmp_path}/bin/../lib/stubs" "-L{tmp_path}/bin/../lib" "-L{tmp_path}/none"'
    (tmp_path / "bin").mkdir()
    environment = stand_in(tmp_path, f"echo '{said}' >&2")
    tools = find_cuda_tools(environment, emulated=False)
    assert library_folders(tools.compiler) == (tmp_path / "lib",)
    assert tools.link_flags()[:2] == (f"-L{tmp_path}/lib", "-lcudart_static")
    gone = Compiler((str(tmp_path / "gone"),), "nvidia", "13")
    with pytest.raises(ToolError, match=r"HF805: .*does not run"):
        library_folders(gone)


class Runner:
    """Notes commands and leaves files where they say."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []
        self.broken = False

    def __call__(self, command: Sequence[str]) -> None:
        self.commands.append(list(command))
        if self.broken:
            raise ToolError("broken")
        Path(command[2] if command[0] == "ar" else command[command.index("-o") + 1]).touch()


def test_the_runtime_is_built_once(tmp_path: Path) -> None:
    run, tools = Runner(), CudaTools(GXX, True)
    library = runtime_library(tools, tmp_path / "folder", run)
    assert library == tmp_path / "folder" / LIBRARY
    assert len(run.commands) == len(tools.runtime_sources()) + 1
    runtime_library(tools, tmp_path / "folder", run)
    assert len(run.commands) == len(tools.runtime_sources()) + 1
    runtime_library(CudaTools(GXX, True, debug=True), tmp_path / "folder", run)
    assert len(run.commands) == 2 * len(tools.runtime_sources()) + 2
    library.unlink()
    runtime_library(CudaTools(GXX, True, debug=True), tmp_path / "folder", run)
    assert len(run.commands) == 3 * len(tools.runtime_sources()) + 3


def test_the_runtime_is_kept_for_other_folders(tmp_path: Path) -> None:
    run, tools, cache = Runner(), CudaTools(GXX, True), tmp_path / "cache"
    first = runtime_library(tools, tmp_path / "one", run, 2, cache)
    count = len(run.commands)
    second = runtime_library(tools, tmp_path / "other", run, 2, cache)
    assert len(run.commands) == count and second.read_bytes() == first.read_bytes()
    assert sorted(p.name for p in second.parent.iterdir()) == sorted(p.name for p in first.parent.iterdir())
    runtime_library(CudaTools(GXX, True, debug=True), tmp_path / "debug", run, 2, cache)
    assert len(run.commands) == 2 * count, "other flags are another library"


def test_a_kept_runtime_that_is_damaged_is_compiled_again(tmp_path: Path) -> None:
    run, tools, cache = Runner(), CudaTools(GXX, True), tmp_path / "cache"
    runtime_library(tools, tmp_path / "one", run, 1, cache)
    count = len(run.commands)
    (kept,) = cache.rglob(LIBRARY)
    kept.write_text("x")
    assert runtime_library(tools, tmp_path / "two", run, 1, cache).read_text() == ""
    assert len(run.commands) == 2 * count
    runtime_library(tools, tmp_path / "three", run, 1, cache)
    assert len(run.commands) == 2 * count


def test_a_cache_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    assert runtime_library(CudaTools(GXX, True), tmp_path / "folder", Runner(), 1, blocked).exists()


def test_a_few_runtimes_are_kept(tmp_path: Path) -> None:
    run, cache = Runner(), tmp_path / "cache"
    for number in range(20):
        runtime_library(CudaTools(GXX, True, flags=(f"-DN={number}",)), tmp_path / str(number), run, 1, cache)
    assert len([*cache.rglob(LIBRARY)]) == 16
    before = len(run.commands)
    runtime_library(CudaTools(GXX, True, flags=("-DN=19",)), tmp_path / "again", run, 1, cache)
    assert len(run.commands) == before


def test_a_broken_build_of_the_runtime_is_done_again(tmp_path: Path) -> None:
    run, tools = Runner(), CudaTools(GXX, True)
    runtime_library(tools, tmp_path, run)
    run.broken = True
    with pytest.raises(ToolError, match="broken"):
        runtime_library(CudaTools(GXX, True, debug=True), tmp_path, run)
    run.broken = False
    before = len(run.commands)
    runtime_library(tools, tmp_path, run)
    assert len(run.commands) > before


@pytest.mark.skipif("NVCC" in os.environ, reason="another nvcc is asked for")
def test_the_real_nvcc_knows_its_static_runtime() -> None:
    try:
        tools = find_cuda_tools({}, emulated=False)
    except ToolError:
        pytest.skip("nvcc is not on this machine")
    assert any((folder / "libcudart_static.a").exists() for folder in library_folders(tools.compiler))


@pytest.mark.parametrize("backend", ["openacc", "openmp-target"])
def test_offloading_that_the_user_asks_for_replaces_that_of_hfpy(backend: str) -> None:
    """Compilers refuse to link with both; the linker's driver has to see the user's."""
    asked = ("-foffload=nvptx-none", "-foffload-options=nvptx-none=-misa=sm_80")
    project = Project(Path("."), "x", ("a.f90",))
    options = Options(target="gpu", backend=backend)
    for flags, expected in (("", ["-foffload=disable"]), (" ".join(asked), list(asked))):
        given = {**os.environ, "FC": "gfortran", "FFLAGS": flags, "LDFLAGS": ""}
        tools = find_tools(project, options, given, openmp=False, debug=False, suffixes=frozenset({".f90"}))
        assert [f for f in tools.link_flags if f.startswith("-foffload")] == expected
        compiled = tools.fortran_command(Path("a.f90"), TARGET, [Path("m")], ())
        assert [f for f in compiled if f.startswith("-foffload")] == expected
