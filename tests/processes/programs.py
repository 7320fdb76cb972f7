"""Programs of many small cases for many processes: translated, compiled on one of the MPIs, run on grids of processes.

Each case is a module with a subroutine ``run`` that checks every point by the global index, and tells what is wrong.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from hfpy.build.compile import processes
from hfpy.options import DomainSpec
from hfpy.scale.network import Network
from tests import support
from tests.kept import digest, made, version
from tests.mpi.launch import BUILDS, EXACT, SOURCES, environment
from tests.support import (
    CHECKS,
    FLAGS,
    KERNELS,
    _compile_kernels,
    _plain,
    compile_sources,
    in_use_order,
    named_apart,
    runtime_of,
    storage_order,
    translate_text,
    write_files,
)

PROGRAMS = Path(__file__).parent / "programs"
TIMEOUT = 300
SUPPORT = (PROGRAMS / "zoo.f90").read_text()
TWO = {"i": DomainSpec(("nx",), ("i",)), "j": DomainSpec(("ny",), ("j",))}
DOMAINS = {**TWO, "a": DomainSpec(("mx",), ("ia",)), "b": DomainSpec(("my",), ("ib",))}
ALL = {**DOMAINS, "k": DomainSpec(("nz",), ("k",)), "l": DomainSpec(("nl",), ("l",))}

BUFFERS = EXACT.parents[1] / "buffers" / "hfpy_buffers.F90"
# Flags of the runtime library for data on devices.
DEVICES = {
    "": ("-fopenmp",),
    "cuda": ("-fopenmp", "-DHFPY_CUDA", "-DHFPY_OFFLOAD"),
    "opencl": ("-fopenmp", "-DHFPY_CUDA", "-DHFPY_OPENCL", "-DHFPY_OFFLOAD"),
    "openacc": ("-fopenacc", "-DHFPY_OFFLOAD"),
    "openmp-target": ("-fopenmp", "-DHFPY_OFFLOAD"),
}
MARKS = EXACT.parents[1] / "marks" / "hfpy_marks.f90"


@dataclass(frozen=True)
class Way:
    """A way to translate: options, the text of a file with storage order macros, and how many threads run it."""

    label: str
    options: Mapping[str, Any] = field(hash=False)
    storage: str | None = None
    threads: int = 1

    @property
    def gpu(self) -> bool:
        """Whether regions are kernels."""
        return self.options.get("target") == "gpu"

    @property
    def device(self) -> str:
        """What the runtime library has to know about devices: a word of :data:`DEVICES`."""
        backend = self.options["backend"]
        return "cuda" if backend.startswith("cuda") else backend if self.gpu else ""


def _device(backend: str, **more: Any) -> dict[str, Any]:
    return {"target": "gpu", "backend": backend, "domains": DOMAINS, **more}


def _laid_out(layout: str, **more: Any) -> dict[str, Any]:
    return {"layout": layout, **more, "domains": ALL}


POISON = {"poison_halos": True}
# Messages are so slow that the model sends them to all neighbours at once.
SLOW = Network(1.0, 0.0, 0.0, 1e12)
WAYS = {
    way.label: way
    for way in (
        Way("openmp", {"backend": "openmp", "domains": DOMAINS}, threads=2),
        Way("sequential", {"backend": "sequential", "domains": DOMAINS, **POISON}),
        *(Way(f"opt{n}", {"backend": "openmp", "opt": n, "domains": DOMAINS}) for n in (0, 1, 3)),
        Way("cuda-c", _device("cuda-c") | POISON),
        Way("cuda-fortran", _device("cuda-fortran")),
        Way("openacc", _device("openacc") | POISON),
        Way("openmp-target", _device("openmp-target"), threads=2),
        Way("far", {"backend": "openmp", "domains": DOMAINS, "network": SLOW}),
        Way("far-sequential", {"backend": "sequential", "domains": DOMAINS, "network": SLOW, **POISON}),
        Way("far-cuda-c", _device("cuda-c", network=SLOW)),
        Way("far-openacc", _device("openacc", network=SLOW)),
        Way("kij", _laid_out("l k i j a b", backend="openmp")),
        Way("jik", _laid_out("j l i k b a", backend="sequential")),
        Way("blocks", _laid_out("i:4 l k j i b a", backend="openmp"), threads=2),
        Way("kij-cuda-c", _device("cuda-c") | _laid_out("l k i j a b") | POISON),
        Way("jki-cuda-fortran", _device("cuda-fortran") | _laid_out("j k i l b a")),
        Way("kij-openacc", _device("openacc") | _laid_out("k l i j a b")),
        Way("macros", {"backend": "openmp", "domains": DOMAINS}, storage_order("KIJ", "KIJ")),
        Way("macros-cuda-c", _device("cuda-c"), storage_order("KIJ", "KIJ")),
    )
}


@dataclass(frozen=True)
class Case:
    """A case: its name, which its module has, and its files."""

    name: str
    files: Mapping[str, str] = field(hash=False)


def written() -> dict[str, Case]:
    """The cases in the folder ``programs``: ``NAME.h90`` or ``NAME.f``, with ``NAME.other.f90`` beside it."""
    found = {}
    for path in sorted(PROGRAMS.iterdir()):
        name = path.name.split(".")[0]
        if path.suffix in (".h90", ".f"):
            beside = PROGRAMS / f"{name}.other.f90"
            other = {f"{name}_other.f90": beside.read_text()} if beside.exists() else {}
            found[name] = Case(name, {**other, path.name: path.read_text()})
    return found


@lru_cache(maxsize=1)
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="hfpy-processes-")


def _folder() -> Path:
    return Path(tempfile.mkdtemp(dir=_scratch().name))


def _done(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr[:6000]}"
    return done.stderr


@lru_cache
def library(name: str, device: str = "") -> Path:
    """The runtime library in one build (``alone``: the form for one process), for devices of one kind, as an archive
    with its modules.
    """
    folder = _folder()
    if name == "alone":
        compiler, flags, homes = "gfortran", (), processes.ALONE
        sources = [EXACT, MARKS, BUFFERS, homes[0] / "hfpy_processes.F90"]
    else:
        build = BUILDS[name]
        if build.missing:
            pytest.skip(f"{build.missing} is not installed (make mpi)")
        compiler, flags, homes = build.compiler, build.flags, processes.ON_MPI
        sources = [*SOURCES, MARKS, BUFFERS, homes[0] / "hfpy_processes.F90"]
    if device and DEVICES[device][0] == DEVICES[""][0]:
        # What is in the other files says nothing of devices.
        shutil.copytree(library(name), folder, dirs_exist_ok=True)
        sources = sources[-2:]
    includes = [f"-I{home}" for home in homes]
    own = [compiler, *flags, "-g", *DEVICES[device], "-fcheck=all", *includes, "-c"]
    texts = [path for home in homes for path in home.iterdir() if path.is_file()]

    def compiled() -> str:
        for source in sources:
            _done([*own, str(source)], folder)
        return _done(["ar", "rcs", "libprocesses.a", *sorted(p.name for p in folder.glob("*.o"))], folder)

    made([*own, version(compiler), digest([], texts)], folder, compiled)
    return folder


@dataclass(frozen=True)
class Translated:
    """Cases as one program: the generated files, and by case the codes of the errors of those that were refused."""

    files: Mapping[str, str]
    refused: Mapping[str, tuple[str, ...]]


_TRANSLATED: dict[tuple[str, tuple[str, ...]], Translated] = {}
_ALONE: dict[tuple[str, Case], support.Translated] = {}


def translated(way: Way, cases: Mapping[str, Case]) -> Translated:
    """Cases translated in one way, each by itself, with a main program that runs them."""
    asked = way.label, tuple(cases)
    if asked not in _TRANSLATED:
        files, refused = {"zoo.f90": SUPPORT}, {}
        for name, case in cases.items():
            done = _by_itself(way, case)
            if done.errors:
                refused[name] = tuple(f"{d.code} {d.place.line}" for d in done.errors)
                continue
            for file, text in named_apart(name, done.files).items():
                own = file if name in file or file == "storage_order.F90" else f"{name}_{file}"
                files["zoo.f90" if file.startswith("zoo.") else own] = text
        files["main.f90"] = _main([name for name in cases if name not in refused])
        _TRANSLATED[asked] = Translated(files, refused)
    return _TRANSLATED[asked]


def _by_itself(way: Way, case: Case) -> support.Translated:
    """A case as it is translated, once for all the programs that it is in."""
    if (way.label, case) not in _ALONE:
        _ALONE[way.label, case] = translate_text({"zoo.f90": SUPPORT, **case.files}, way.storage, **way.options)
    return _ALONE[way.label, case]


def _main(names: list[str]) -> str:
    """The main program: the grid of processes, and perhaps one case, are its arguments."""
    rows = ["program cases", "  use zoo", *(f"  use {n}, only: run_{n} => run" for n in names), "  implicit none"]
    rows += ["  character(len=80) :: word", "  call get_command_argument(1, word)", "  read (word, *) px"]
    rows += ["  call get_command_argument(2, word)", "  read (word, *) py", "  call get_command_argument(3, word)"]
    rows += [f"  if (word == ' ' .or. word == '{n}') call run_{n}()" for n in names]
    rows += ["  if (faults > 0) error stop 'faults'", "  print '(a)', 'fine'", "end program cases"]
    return "\n".join([*rows, ""])


_BUILT: dict[tuple[str, str, tuple[str, ...]], Path] = {}


def built(way: Way, mpi: str, cases: Mapping[str, Case]) -> Path:
    """The executable of some cases, which is compiled once."""
    asked = way.label, mpi, tuple(cases)
    if asked not in _BUILT:
        _BUILT[asked] = executable(way, mpi, translated(way, cases).files)
    return _BUILT[asked]


def executable(way: Way, mpi: str, files: Mapping[str, str]) -> Path:
    """The executable of a program's generated files, with the runtime library on one of the MPIs."""
    home, folder = library(mpi, way.device), _folder()
    compiler = "gfortran" if mpi == "alone" else BUILDS[mpi].compiler
    kernels = [file for file in files if file.endswith(KERNELS)]
    emulated = bool(kernels) or any(file.endswith(".cuf") for file in files)
    runtime = runtime_of(kernels) if emulated else None
    if any(file.endswith(".cuf") for file in files):
        files = _plain(files)
    write_files(files, folder)
    backend = way.options["backend"]
    flags = [*FLAGS, *CHECKS, "-ffree-line-length-none", "-ffixed-line-length-none", "-fcheck=no-pointer"]
    flags += ["-fopenacc"] if backend == "openacc" else ["-fopenmp"]
    linked = [str(home / "libprocesses.a"), "-lgomp"]
    if runtime is not None:
        flags += [f"-I{runtime.folder}"]
        linked = [*(["kernels.o"] if kernels else []), linked[0], *map(str, runtime.link_words), "-lgomp"]
    sources = [file for file in in_use_order(files) if file != "storage_order.F90" and file not in kernels]
    command = [compiler, *flags, "-I.", f"-I{home}", "-o", "cases"]

    def compiled() -> str:
        if kernels:
            _compile_kernels(kernels, folder)
        return compile_sources(command, sources, files, linked, folder)

    archives = [home / "libprocesses.a", *([runtime.folder / "libhfpy_device.a"] if runtime is not None else [])]
    made([*command, *sources, version(compiler), digest([], archives)], folder, compiled)
    return folder / "cases"


def faults(way: Way, mpi: str, grid: tuple[int, int], cases: Mapping[str, Case], only: str = "", **more: str) -> str:
    """What is wrong with the cases on a grid of processes, as text; empty if all are right. ``more`` are environment
    variables.
    """
    program = built(way, mpi, cases)
    ranks = grid[0] * grid[1]
    launcher = BUILDS[mpi].launcher if mpi != "alone" else ()
    count = ("-n", str(ranks)) if launcher else ()
    command = [*launcher, *count, str(program), *map(str, grid), only]
    home = tempfile.mkdtemp(dir=_scratch().name)
    extra = {"OMP_NUM_THREADS": str(way.threads), "OMP_DYNAMIC": "false", "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run(
        command,
        cwd=home,
        env=environment() | extra | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    if done.returncode == 0 and done.stdout.split() == ["fine"] * ranks:
        return ""
    return f"{way.label} on {mpi}, {grid}: ended with {done.returncode}\n{done.stdout[:3000]}\n{done.stderr[:3000]}"


def marked(values: Mapping[Any, bool]) -> list[Any]:
    """Parameters of a test, those with False for the full run only."""
    return [v if always else pytest.param(v, marks=pytest.mark.full) for v, always in values.items()]
