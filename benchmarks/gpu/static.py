"""What the compiler makes of the generated kernels, counted without a GPU.

    python -m benchmarks.gpu.static [SAMPLE…] [--arch sm_90] [--define SINGLE] [--docs]

Each sample is translated for the GPU as its ``hfpy.toml`` says, and ``nvcc -cubin -O3`` compiles the kernels.
``cuobjdump`` lists their machine code (SASS), ``ptxas -v`` tells the rest. One row a kernel:

instructions
    The SASS instructions of the kernel, counted in the listing: each once, whether a thread executes it or not. What
    fills up memory after the last one is not counted. Where a kernel is straight code, as most stencils are, this is
    what a thread executes for its point, so that two texts of one kernel can be compared. Where it has loops (walks,
    columns, teams) or branches, it is only the size of the code: a thread executes a loop's instructions once a turn.
    Functions of the mathematical library are counted where they were inlined. They are those of the form of the kernel
    that has indices of 32 bits; ``64 bits`` are those of the other form, for arrays of 2^31 elements and more.
registers
    The registers of a thread. 65,536 for all threads of a multiprocessor say how many threads can be there at a time:
    2,048 with 32 registers, 1,024 with 64.
spills
    Bytes a thread that are written to memory and read again because registers are short. None is the aim.
shared
    Bytes of shared memory of a block.

Needs nvcc, and cuobjdump and nvdisasm: those of the CUDA toolkit, or of ``pip install 'hfpy[gpu-static]'``. ``--docs``
brings the table to ``docs/performance.md``. What is counted depends on the compiler's version, not on the machine.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import hfpy
from hfpy.build.compile.cuda import RUNTIME

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"
SAMPLES = ("stencils", "weather", "diffusion", "columns")
BEGIN, END = "<!-- gpu_static: begin -->", "<!-- gpu_static: end -->"

# One line of a listing: address, predicate, operation, operands.
_INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+ )?([A-Z][\w.]*)([^;]*);")
_REGION = re.compile(r"^// (\S+): region .*\n(?:(?!//).*\n)*?__global__ void (\w+)\($", re.M)
_ENTRY = re.compile(r"Compiling entry function '(\w+)'(.*?)(?=Compiling entry function|\Z)", re.S)


@dataclass(frozen=True)
class Count:
    """What was counted of one kernel, in the form with indices of 32 bits; ``wide`` are the instructions of the other
    form, ``spills`` bytes stored and loaded, ``where`` file and line of the region.
    """

    kernel: str
    where: str
    instructions: int
    wide: int
    registers: int
    spills: int
    shared: int


def cuobjdump() -> str | None:
    """The program that lists machine code: on the path, beside nvcc, or in a package of this Python; None without."""
    nvcc = shutil.which("nvcc")
    beside = [Path(nvcc).resolve().parent / "cuobjdump"] if nvcc else []
    packages = Path(sysconfig.get_paths()["platlib"]) / "nvidia"
    found = [*beside, *sorted(packages.glob("cu*/bin/cuobjdump"))]
    return shutil.which("cuobjdump") or next((str(path) for path in found if path.is_file()), None)


def instructions(listing: str) -> Mapping[str, int]:
    """The number of instructions of each function in a listing of cuobjdump."""
    counts = {}
    for part in listing.split("Function : ")[1:]:
        name = part.split(maxsplit=1)[0]
        found = _INSTRUCTION.findall(part)
        while found and _fills(*found[-1]):
            found.pop()
        counts[name] = len(found)
    return counts


def _fills(address: str, operation: str, operands: str) -> bool:
    """Whether an instruction only fills up memory: nothing, or a branch to itself."""
    to = re.search(r"0x([0-9a-f]+)", operands)
    return operation == "NOP" or (operation == "BRA" and to is not None and int(to[1], 16) == int(address, 16))


def used(said: str) -> Mapping[str, tuple[int, int, int]]:
    """Registers, spilled bytes and bytes of shared memory of each kernel, from what ``ptxas -v`` says."""

    def number(pattern: str, text: str) -> int:
        return sum(map(int, re.findall(pattern, text)))

    return {
        name: (
            number(r"Used (\d+) registers", text),
            number(r"(\d+) bytes spill (?:stores|loads)", text),
            number(r"(\d+) bytes smem", text),
        )
        for name, text in _ENTRY.findall(said)
    }


def counted(source: Path, arch: str = "sm_90") -> list[Count]:
    """What the compiler makes of the kernels of one generated file. Raises CalledProcessError where it does not."""
    tool = cuobjdump()
    assert tool is not None
    with tempfile.TemporaryDirectory() as folder:
        target = f"{folder}/kernels.cubin"
        own = ["-O3", "-std=c++17", "-Xptxas", "-v", f"-I{RUNTIME}"]
        made = _run(["nvcc", "-cubin", f"-arch={arch}", *own, str(source), "-o", target])
        known = used(made.stderr + made.stdout)
        listed = instructions(_run([tool, "-sass", target]).stdout)
    rows = []
    for place, name in _REGION.findall(source.read_text("utf-8")):
        narrow, wide = (next(n for n in listed if n.startswith(f"_Z{len(name)}{name}I{i}E")) for i in "ix")
        rows.append(Count(name, place, listed[narrow], listed[wide], *known[narrow]))
    return rows


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True)


def kernels(project: Path, folder: Path, defines: Iterable[str] = ()) -> Iterator[Path]:
    """The files of kernels that hfpy makes of a project, written into a folder."""
    program = hfpy.read(project, target="gpu", backend="cuda-c", define=tuple(defines))
    program.write(folder)
    yield from sorted(folder.rglob("*.cu"))


def table(counts: Mapping[str, Sequence[Count]]) -> str:
    """The rows of all samples, as in the documentation."""
    titles = ("sample", "kernel", "region", "instructions", "64 bits", "registers", "spills", "shared")
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for sample, rows in counts.items():
        for row in rows:
            figures = f"{row.instructions} | {row.wide} | {row.registers} | {row.spills or ''} | {row.shared or ''}"
            lines.append(f"| {sample} | {row.kernel} | {row.where} | {figures} |")
    return "\n".join(lines)


def compiler_version() -> str:
    """The version that nvcc tells."""
    found = re.search(r"release ([\d.]+)", _run(["nvcc", "--version"]).stdout)
    return found[1] if found else ""


def publish(text: str, arch: str, page: Path = PAGE) -> None:
    """Bring a table to the page, between its markers."""
    said = f"nvcc {compiler_version()}, `-O3 -arch={arch}`, double precision:"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n\n{said}\n\n{text}\n\n{END}{after}", encoding="utf-8")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Count the instructions of generated kernels.")
    parser.add_argument("samples", nargs="*", metavar="SAMPLE", help=f"default: {' '.join(SAMPLES)}")
    parser.add_argument("--arch", default="sm_90", help="nvcc's name of the GPU's architecture")
    parser.add_argument("--define", action="append", default=[], metavar="NAME[=VALUE]", help="a preprocessor macro")
    parser.add_argument("--docs", action="store_true", help="bring the table to docs/performance.md")
    arguments = parser.parse_args()
    if shutil.which("nvcc") is None or cuobjdump() is None:
        print("needs nvcc and cuobjdump (pip install 'hfpy[gpu-static]')", file=sys.stderr)
        return 3
    counts = {}
    with tempfile.TemporaryDirectory() as temporary:
        for sample in arguments.samples or SAMPLES:
            made = kernels(ROOT / "samples" / sample, Path(temporary) / sample, arguments.define)
            counts[sample] = [row for source in made for row in counted(source, arguments.arch)]
    text = table(counts)
    print(text)
    if arguments.docs:
        publish(text, arguments.arch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
