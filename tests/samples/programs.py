"""Building and running the samples and their twins for the tests: small sizes, bitwise flags, warnings collected."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.command import CXXFLAGS, hfpy_process
from tests.support import LEVEL

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
COMPILER = os.environ.get("FC", "gfortran")
# Neither contraction nor vectorised library functions: results are compared bit by bit (samples/README.md).
EXACT = "-ffp-contract=off -nostdinc"
CHECKED = f"{LEVEL} -Wall -fcheck=all,no-array-temps {EXACT}"
OPTIMISED = f"-O3 -march=native {EXACT}"
ORDERS = ("KIJ", "IJK")
KERNEL_BACKENDS = ("cuda-c",)
EMULATED = (*KERNEL_BACKENDS, "cuda-fortran")
DIRECTIVE_BACKENDS = ("openacc", "openmp-target")
DEVICE_BACKENDS = (*EMULATED, *DIRECTIVE_BACKENDS, "opencl")
_LETTERS = {"KIJ": "k tile i j", "IJK": "i j k tile", "BLOCKS": "i:4 k tile l lt i j"}
_LAYOUT = re.compile(r'^(cpu|gpu) = "[^"]*"$', re.MULTILINE)
_PLACE = re.compile(r"(\S+?):(\d+):\d+:")

# Arguments after the output file, as samples/README.md gives them for a small run.
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "weather": ("16", "12", "10", "5", "1"),
    "diffusion": ("20", "16", "18", "21"),
    "columns": ("9", "7", "11", "20"),
    "reduction": ("12", "10", "9"),
    "module_data": ("7", "5", "4"),
    "stencils": ("13", "11", "9"),
    "euler": ("24", "12", "8", "2"),
    "cloud": ("41", "9", "2"),
    "ocean": ("24", "18", "4", "30", "2"),
}


@dataclass(frozen=True)
class Program:
    """An executable and what the compiler said while it was made."""

    path: Path
    messages: str

    @property
    def warnings(self) -> list[str]:
        """The compiler's warnings, each with its place in the user's source."""
        found = []
        place = ""
        for line in self.messages.splitlines():
            if _PLACE.match(line):
                place = line
            elif line.startswith("Warning:"):
                found.append(f"{place} {line}")
        return found


def set_order(project: Path, order: str) -> list[str]:
    """Give a copied sample an order of data; the further options of ``hfpy build`` that this takes.

    Where ``hfpy.toml`` has a ``[layout]``, its lines are replaced; samples with macros take
    ``-D ORDER_IJK`` or ``-D ORDER_KIJ``.
    """
    settings = project / "hfpy.toml"
    text = settings.read_text(encoding="utf-8")
    bound = re.findall(r"^(\w+) = \{ size", text, re.MULTILINE)
    letters = " ".join(letter for letter in _LETTERS[order].split() if letter.split(":")[0] in bound)
    if "[layout]" not in text:
        return ["--layout", letters] if bound and order == "BLOCKS" else ["-D", f"ORDER_{order}"]
    replaced, count = _LAYOUT.subn(rf'\1 = "{letters}"', text)
    assert count >= 1, f"{settings}: where is the layout?"
    settings.write_text(replaced, encoding="utf-8")
    return []


def _run(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"[-6000:]
    return done.stdout + done.stderr


def build_sample(
    sample: str,
    backend: str,
    order: str,
    flags: str,
    folder: Path,
    further: Sequence[str] = (),
    kernel_flags: str = CXXFLAGS,
    prepare: Callable[[Path], None] = lambda _project: None,
) -> Program:
    """Build a sample by ``hfpy build`` in a copy below ``folder``, with further options, after the copy was
    changed by ``prepare``; kernels run in emulation.

    Compiled without optimisation unless asked otherwise: the compiler gains more time than small programs lose.
    """
    project = folder / sample
    shutil.copytree(SAMPLES / sample, project, ignore=shutil.ignore_patterns("build", "output", "reference"))
    prepare(project)
    options = [*set_order(project, order), *further]
    target = "gpu" if backend in DEVICE_BACKENDS else "cpu"
    emulated = backend in EMULATED
    options += ["--target", target, *(["--emulate"] if emulated else [])]
    command = ["build", ".", "--backend", backend, "-j", "1", *options]
    settings = {"FC": COMPILER, "FFLAGS": flags, "CXXFLAGS": kernel_flags}
    done = hfpy_process(command, cwd=project, env={**os.environ, **settings})
    said = done.stdout + done.stderr
    assert done.returncode == 0, f"{command}\n{said}"[-6000:]
    folder_name = f"{target}-{backend}" + ("-emulated" if emulated else "")
    return Program(project / "build" / folder_name / sample, said)


def build_twin(sample: str, folder: Path, defines: Sequence[str] = (), of: str = "reference") -> Program:
    """Compile the twin that is beside a sample, in the folder ``of``, with the flags of the comparison."""
    sources = SAMPLES / sample / of
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"{sample}_twin"
    files = [sources / name for name in (sources / "files.txt").read_text(encoding="utf-8").split()]
    in_c = [f for f in files if f.suffix == ".c"]  # not all Fortran compilers take them
    for number, file in enumerate(in_c):
        files[files.index(file)] = folder / f"c{number}.o"
        _run([os.environ.get("CC", "gcc"), "-c", file, "-o", folder / f"c{number}.o"], folder)
    said = _run([COMPILER, *CHECKED.split(), *defines, "-fopenmp", "-J", folder, *files, "-o", program], folder)
    return Program(program, said)


def run_program(program: Program, sample: str, threads: int, arguments: Sequence[str] | None = None) -> Path:
    """Run a sample or its twin, in the small size unless arguments are given; the file it wrote."""
    words = ARGUMENTS[sample] if arguments is None else tuple(arguments)
    size = "" if arguments is None else "_" + "x".join(words)
    result = program.path.parent / f"{program.path.name}_{threads}{size}.dat"
    environment = {
        "OMP_NUM_THREADS": str(threads),
        "OMP_DYNAMIC": "false",
        "OMP_WAIT_POLICY": "passive",  # threads that wait must not take the cores from those that work
        "OMP_STACKSIZE": "64M",
    }
    _run([program.path, result, *words], program.path.parent, environment)
    return result
