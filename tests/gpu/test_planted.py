"""Faults planted in generated text, and who finds them: the emulation, pocl, and oclgrind with its watch for races.

At least two of the three have to see each fault: by a message, or by a result that is not the serial program's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from hfpy.build.compile.cuda import MODULE_SOURCES, CudaTools, find_cuda_tools
from hfpy.build.compile.gpuruntime import LIBRARY
from tests.command import CXXFLAGS
from tests.gpu.emulated import Emulation, run
from tests.gpu.opencl import needs_opencl
from tests.support import kernels_together, translate_text, write_files

OCLGRIND = shutil.which("oclgrind")
NX, NY = 37, 11
PROGRAM = """module heat
  implicit none
contains
  subroutine warm(nx, ny, a, b, total)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(nx,ny), b(nx,ny)
    real(8), intent(inout) :: total
    integer :: i, j
    !@parallelRegion{domName(i,j), domSize(nx,ny), startAt(2,1), endAt(nx,ny)}
    do j = 1, ny
      do i = 2, nx
        b(i,j) = a(i-1,j) + 2*a(i,j)
      end do
    end do
    !@end parallelRegion
    b(1,2) = b(3,4)
    !@parallelRegion{domName(i,j), domSize(nx,ny)}
    do j = 1, ny
      do i = 1, nx
        a(i,j) = a(i,j) + b(i,j)*j
      end do
    end do
    !@end parallelRegion
    !@parallelRegion{domName(i,j), domSize(nx,ny), reduction(+:total)}
    do j = 1, ny
      do i = 1, nx
        total = total + a(i,j)*(i + 3*j)
      end do
    end do
    !@end parallelRegion
  end subroutine warm
end module heat
program main
  use heat, only: warm
  implicit none
  real(8) :: a(NX,NY), b(NX,NY), total
  integer :: i
  a = reshape([(mod(7*i, 101), i = 1, NX*NY)], [NX, NY])
  b = 0.25d0
  total = 0
  call warm(NX, NY, a, b, total)
  print '(3f24.6)', total, sum(a*b), a(1,2)
end program main
""".replace("NX", str(NX)).replace("NY", str(NY))


@dataclass(frozen=True)
class Fault:
    """A text that is replaced in the generated kernels, or in the Fortran around them; ``spelt`` is what OpenCL has for
    the old text. ``opencl`` where only OpenCL has it in its generated text.
    """

    old: str
    new: str
    around: bool = False
    opencl: bool = False
    spelt: tuple[str, str] | None = None

    def of(self, backend: str) -> tuple[str, str]:
        """The old text and the new one."""
        return self.spelt if self.spelt is not None and backend == "opencl" else (self.old, self.new)


FAULTS = {
    "guard": Fault("if (i > nx || j > ny) return;", "if (i > nx + 3 || j > ny) return;"),
    "index": Fault("i - 1, j", "i - 1, j + 1"),
    "halo": Fault("const int i = 2 + ", "const int i = 1 + "),
    "race": Fault("b(i, j) =", "b(i - i % 2, j) =", spelt=("(b, i, j)] =", "(b, i - i % 2, j)] =")),
    "barrier": Fault("  HF_TOGETHER\n", "", opencl=True),
    "copy in": Fault("call hf_enter(a, 1,", "call hf_enter(a, 0,", around=True),
    "copy between": Fault("call hf_update_host(", "if (nx < 0) call hf_update_host(", around=True),
    "copy back": Fault("call hf_leave(a, 1,", "call hf_leave(a, 0,", around=True),
}


class OnOpenCl(Emulation):
    """The runtime over OpenCL in place of the emulation."""

    def tools(self) -> CudaTools:
        """The compiler of its host part."""
        flags = {**os.environ, "CXXFLAGS": " ".join([CXXFLAGS, *self.flags])}
        return find_cuda_tools(flags, emulated=False, made_for="opencl")


@pytest.fixture(scope="module")
def opencl(tmp_path_factory: pytest.TempPathFactory) -> Emulation:
    """The runtime over OpenCL."""
    return OnOpenCl(tmp_path_factory.mktemp("opencl"), ()).prepare()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the plain program prints."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "plain.f90").write_text(PROGRAM)
    run(["gfortran", "-O1", "-ffp-contract=off", "plain.f90", "-o", "plain"], folder)
    return subprocess.run([folder / "plain"], capture_output=True, text=True, check=True).stdout


def spoilt(machine: Emulation, backend: str, fault: Fault | None, folder: Path) -> Path:
    """The program with a fault, for one of the machines."""
    files: Mapping[str, str] = translate_text({"m.f90": PROGRAM}, target="gpu", backend=backend).require().files
    kernels = next(name for name in files if name.endswith((".cu", "_opencl.cpp")))
    texts = dict(files)
    if fault is not None:
        old, new = fault.of(backend)
        wanted = [name for name in files if (name != kernels) == fault.around and old in files[name]]
        assert wanted, f"{old!r} is not in the generated text"
        for name in wanted:
            texts[name] = texts[name].replace(old, new)
    write_files(texts, folder)
    (folder / "kernels.cpp").write_text(kernels_together([kernels]))
    run(machine.tools().kernel_command(folder / "kernels.cpp", folder / "kernels.o"))
    fortran = [name for name in texts if name != kernels]
    objects = [*(machine.folder / f"{m.stem}.o" for m in MODULE_SOURCES), machine.folder / LIBRARY]
    options = ["-cpp", "-O1", "-ffree-line-length-none", "-ffp-contract=off", f"-I{machine.folder}", "-I."]
    run(["gfortran", *options, *fortran, "kernels.o", *objects, *machine.tools().link_flags(), "-o", "program"], folder)
    return folder / "program"


def noticed(command: list[str | Path], folder: Path, expected: str) -> bool:
    """Whether a run ends, prints or logs other than it should."""
    environment = {**os.environ, "HFPY_OPENCL_CACHE": "0"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    log = folder / "log"
    return done.returncode != 0 or done.stdout != expected or (log.exists() and log.read_text() != "")


def finders(
    fault: Fault | None, emulation: Emulation, opencl: Emulation, folder: Path, expected: str
) -> dict[str, bool]:
    """Who notices a fault."""
    found = {}
    if fault is None or not fault.opencl:
        program = spoilt(emulation, "cuda-c", fault, folder / "emulated")
        found["emulation"] = noticed([program], folder / "emulated", expected)
    program = spoilt(opencl, "opencl", fault, folder / "opencl")
    found["pocl"] = noticed([program], folder / "opencl", expected)
    watched: list[str | Path] = [str(OCLGRIND), "--data-races", "--log", folder / "opencl" / "log", program]
    found["oclgrind"] = noticed(watched, folder / "opencl", expected)
    return found


pytestmark = [
    needs_opencl,
    pytest.mark.full,
    pytest.mark.skipif(OCLGRIND is None, reason="oclgrind is not on this machine (make oclgrind)"),
]


def test_nothing_is_found_where_nothing_is_wrong(
    emulation: Emulation, opencl: Emulation, tmp_path: Path, expected: str
) -> None:
    assert not any(finders(None, emulation, opencl, tmp_path, expected).values())


@pytest.mark.parametrize("name", FAULTS)
def test_two_of_three_find_it(
    name: str, emulation: Emulation, opencl: Emulation, tmp_path: Path, expected: str
) -> None:
    found = finders(FAULTS[name], emulation, opencl, tmp_path, expected)
    assert sum(found.values()) >= 2, found
