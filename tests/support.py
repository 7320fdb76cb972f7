"""Helpers of the tests: translate text, compile many programs at once, run them, compare what they print.

The reading of Fortran done here is deliberately simple and independent of hfpy.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from random import SystemRandom
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from hfpy.build.compile import processes
from hfpy.build.compile.cuda import ARRAYS_SOURCE, RUNTIME, CudaTools, find_cuda_tools
from hfpy.build.compile.cuda import OPENCL as OPENCL_RUNTIME
from hfpy.build.compile.cudafortran import EMULATED_SOURCE, LAUNCHES_SOURCE, emulated
from hfpy.build.compile.gpuruntime import runtime_library
from hfpy.diagnostics import Diagnostic, render
from hfpy.options import Options
from hfpy.pipeline import translate
from tests.command import CXXFLAGS
from tests.kept import Refused, digest, made, version

COMPILER = os.environ.get("FC", "gfortran")
# Compiled programs run for a moment only, so optimising them costs more than it saves; the full run does it, since
# compilers then use all that the standard lets them assume.
LEVEL = os.environ.get("HFPY_TEST_LEVEL", "-O0")
# No contraction: results are compared bit by bit. Array temporaries are legal, so not reported.
FLAGS = (LEVEL, "-ffp-contract=off", "-foffload=disable", "-cpp")
CHECKS = ("-Wall", "-fcheck=all,no-array-temps", "-ffpe-trap=invalid,zero,overflow")

# Half of a small program's time is the linker's, and this one is faster. What hfpy builds has the usual one.
_LINKER = ("-fuse-ld=gold",) if COMPILER == "gfortran" and shutil.which("ld.gold") else ()

# The architecture of a GPU: kernels in CUDA C are compiled for it instead of for the CPU (tests/gpu/device).
DEVICE = os.environ.get("HFPY_TEST_DEVICE")

OPENCL_KERNELS = "_opencl.cpp"
KERNELS = (".cu", OPENCL_KERNELS)  # how the names of files with kernels end, with launchers in C++
_INCLUDED = (".h", ".inc")  # written beside the sources, not translated themselves
_ORDERS = {
    "IJK": {rank: tuple(range(rank)) for rank in range(3, 8)},
    "KIJ": {rank: (*range(2, rank), 0, 1) for rank in range(3, 8)},
    "IKJ": {rank: (0, *range(2, rank), 1) for rank in range(3, 8)},
}

# The order in which the emulation runs threads: another one in each run of the tests, unless it is given.
THREAD_ORDER = os.environ.get("HFPY_EMULATE_ORDER") or str(SystemRandom().randrange(1, 2**31))


def storage_order(cpu: str = "KIJ", gpu: str = "IJK", extra: str = "") -> str:
    """A ``storage_order.F90`` with the stock macros (hybrid-fortran.md §6.2); ``extra`` lines come last."""
    lines = ["! order of dimensions, per target"]
    for target, order in (("#ifdef GPU", gpu), ("#else", cpu)):
        lines.append(target)
        for rank, places in _ORDERS[order].items():
            names = "abcdefg"[:rank]
            suffix = "" if rank == 3 else str(rank)
            body = ",".join(names[p] for p in places)
            lines.append(f"#define AT{suffix}({','.join(names)}) {body}")
            lines.append(f"#define DOM{suffix}({','.join(names)}) AT{suffix}({','.join(names)})")
    tight = ["#define AT_TIGHT(a,b,c) b,a,c", "#define DOM_TIGHT(a,b,c) AT_TIGHT(a,b,c)"]  # a name of the user's choice
    return "\n".join([*lines, "#endif", *tight, extra, ""])


@dataclass(frozen=True)
class Translated:
    """What a translation gave: the generated files by name, and the diagnostics."""

    files: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The errors among the diagnostics."""
        return tuple(d for d in self.diagnostics if d.severity == "error")

    def codes(self, severity: str = "error") -> list[str]:
        """The codes of the diagnostics of one severity, in order."""
        return [d.code for d in self.diagnostics if d.severity == severity]

    @property
    def text(self) -> str:
        """All generated text."""
        return "\n".join(self.files.values())

    @property
    def statements(self) -> list[str]:
        """All generated text as :func:`statements`."""
        return statements(self.text)

    def require(self) -> Translated:
        """Itself, after making sure that there are no errors."""
        assert not self.errors, "\n".join(render(d) for d in self.errors)
        assert self.files, "nothing was generated"
        return self


def translate_text(
    sources: Mapping[str, str] | str, storage: str | None = None, folder: Path | None = None, **options: Any
) -> Translated:
    """Translate sources given as text (a single text is ``m.h90``), for the sequential backend unless asked otherwise.

    ``storage`` is the text of a ``storage_order.F90``. ``folder`` keeps the files; else they are gone afterwards.
    """
    named = {"m.h90": sources} if isinstance(sources, str) else sources
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="hfpy-test-") as temporary:
            return translate_text(named, storage, Path(temporary), **options)
    paths = [path for path in write_files(named, folder) if not _beside(path.name)]
    if storage is not None:
        options["storage_order"] = folder / "storage_order.F90"
        options["storage_order"].write_text(storage)
    if "target" not in options or options["target"] == "cpu":
        options.setdefault("backend", "sequential")
    options.setdefault("jobs", 1)
    options.setdefault("exports", ("run",))  # by which batches run programs
    done = translate(paths, Options(**options))
    files = {generated.name: generated.text for generated in done.files}
    if files:
        files.update({name: text for name, text in named.items() if _beside(name)})
    if storage is not None and files:
        files["storage_order.F90"] = storage
    return Translated(files, done.diagnostics)


def _beside(name: str) -> bool:
    """Whether a file goes to the compiler only."""
    return name.endswith(_INCLUDED) or ".opaque." in name


def write_files(files: Mapping[str, str], folder: Path) -> list[Path]:
    """Write texts into ``folder``; the paths in the order given."""
    paths = []
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
        paths.append(path)
    return paths


# --- reading Fortran, simply --------------------------------------------------------------------------------------


def _pieces(line: str) -> tuple[str, bool]:
    """A line without blanks (strings keep theirs) and without comment, in lower case; whether it continues."""
    result: list[str] = []
    quote = ""
    for char in line:
        if quote:
            result.append(char)
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
            result.append(char)
        elif char == "!":
            break
        elif char not in " \t\r":
            result.append(char.lower())
    text = "".join(result)
    return (text[:-1], True) if text.endswith("&") else (text, False)


def statements(text: str) -> list[str]:
    """Fortran statements and ``!$omp`` lines: joined, split at ``;``, blanks removed, lower case, comments dropped."""
    found: list[str] = []
    pending, sentinel = "", False
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped.startswith("#"):
            found.append(re.sub(r"\s+", " ", stripped))
            continue
        omp = stripped.lower().startswith("!$omp")
        if not stripped or (stripped.startswith("!") and not omp):
            continue
        if omp:
            rest = stripped[5:]
            piece, more = _pieces(rest)
            piece = piece.lstrip("&")
            pending = (pending if sentinel else "!$omp") + piece
        else:
            piece, more = _pieces(line)
            pending += piece.lstrip("&") if pending else piece
        sentinel = omp and more
        if not more:
            found.extend([pending] if omp else _split_semicolons(pending))
            pending = ""
    return [s for s in found if s]


def _split_semicolons(text: str) -> list[str]:
    parts = [""]
    quote = ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == ";":
            parts.append("")
            continue
        parts[-1] += char
    return parts


def squeezed(text: str) -> str:
    """One statement as :func:`statements` would give it."""
    return "".join(statements(text))


_MODULE = re.compile(
    r"^\s*module\s+(?!procedure\b|subroutine\b|function\b)(\w+)\s*(?:!.*)?$", re.IGNORECASE | re.MULTILINE
)
_USE = re.compile(r"^\s*use\s*(?:,[^:\n]*::)?\s*(?:::)?\s*(\w+)", re.IGNORECASE | re.MULTILINE)


def in_use_order(files: Mapping[str, str]) -> list[str]:
    """File names sorted so that modules come before their users."""
    homes = {m.lower(): name for name, text in files.items() for m in _MODULE.findall(text)}
    done: list[str] = []

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in done or name in path:
            return
        for used in _USE.findall(files[name]):
            home = homes.get(used.lower())
            if home is not None and home != name:
                visit(home, (*path, name))
        done.append(name)

    for name in files:
        visit(name, ())
    return done


# --- compiling and running ----------------------------------------------------------------------------------------


class CompileError(AssertionError):
    """The compiler refused; the message holds what it said."""


@dataclass(frozen=True)
class Built:
    """An executable and what the compiler said while it was made."""

    path: Path
    messages: str


@dataclass(frozen=True)
class Compiler:
    """A Fortran compiler: its command, and the flags of programs that are compared bit by bit."""

    command: str = COMPILER
    flags: tuple[str, ...] = FLAGS
    checks: tuple[str, ...] = CHECKS


GFORTRAN = Compiler()
FLANG = Compiler("flang-22", (LEVEL, "-ffp-contract=off", "-cpp"), ())


def compile_files(
    files: Mapping[str, str],
    folder: Path,
    flags: Sequence[str] = FLAGS,
    openmp: bool = False,
    name: str = "x",
    compiler: str = COMPILER,
) -> Built:
    """Compile and link the files in the order their modules ask for.

    Raises:
        CompileError: with the compiler's messages.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kernels = [f for f in files if f.endswith(KERNELS)]
    in_fortran = [f for f in files if f.endswith(".cuf")]
    files = _plain(files) if in_fortran else files
    write_files(files, folder)
    linked: list[str | Path] = []
    if kernels or in_fortran:
        runtime = runtime_of(kernels)
        linked = [*(["kernels.o"] if kernels else []), *runtime.link_words]
        flags = [*flags, "-ffree-line-length-none", "-fcheck=no-pointer", f"-I{runtime.folder}"]
    beside = ("storage_order.F90", *kernels)
    sources = [f for f in in_use_order(files) if f not in beside and not f.endswith((".h", ".inc"))]
    if any("use hfpy_processes" in text for text in files.values()):
        flags = [*flags, *(["-DHFPY_CUDA"] if linked else [])]
        sources = [*(str(s) for home in reversed(processes.ALONE) for s in sorted(home.glob("*.[fF]90"))), *sources]
    flags = [*flags, *(["-fopenmp"] if openmp else []), *(_LINKER if compiler == COMPILER else ())]
    command = [compiler, *flags, "-I.", "-o", name]

    def make() -> str:
        if kernels:
            _compile_kernels(kernels, folder)
        return compile_sources(command, sources, files, linked, folder)

    words = [*command, *sources, *map(str, linked)]
    try:
        return Built(folder / name, made([*_deciding(words, bool(kernels)), *files, *files.values()], folder, make))
    except Refused as fault:
        raise CompileError(str(fault)) from None


def compile_sources(
    command: Sequence[str], sources: Sequence[str], files: Mapping[str, str], linked: Sequence[str | Path], folder: Path
) -> str:
    """Run a compiler on sources, which are in a folder, and what is linked: what it says. Raises Refused."""
    if command[0].startswith(("gfortran", "mpifort")) and {"-O0", "-cpp"} <= {*command}:
        with contextlib.suppress(Refused):  # it compares what files call in others of the same text
            together = _together(sources, files, folder)
            said = _compiled([*command, *together, *map(str, linked)], folder)
            for source in set(together) - set(sources):
                (folder / source).unlink()
            return said
    return _compiled([*command, *sources, *map(str, linked)], folder)


_DIRECTIVE = re.compile(r"^#(?!include \"storage_order)", re.MULTILINE)


def _together(sources: Sequence[str], files: Mapping[str, str], folder: Path) -> list[str]:
    """The sources, neighbours in one file where that means the same: a third of the time goes into beginning files."""
    runs: list[list[str]] = []
    for source in sources:
        alike = source in files and source.lower().endswith(".f90") and not _DIRECTIVE.search(files[source])
        if alike and runs and runs[-1][0] != "":
            runs[-1].append(source)
        else:
            runs.append([source] if alike else ["", source])
    together = []
    for number, run in enumerate(runs):
        if run[0] == "" or len(run) == 1:
            together.append(run[-1])
            continue
        text = "".join(f'# 1 "{name}"\n{files[name]}\n' for name in run)
        together.append(f"together_{number}.F90")
        (folder / together[-1]).write_text(text)
    return together


def _deciding(command: Sequence[str], kernels: bool) -> list[str]:
    """What decides about the result of a command besides its folder; objects elsewhere count by their content."""
    words = [version(command[0]), *((version("g++"), runtime_digest(), str(DEVICE)) if kernels else ())]
    for word in command:
        path = Path(word.removeprefix("-I"))
        if path.is_absolute() and path.is_file():
            word = digest([], [path])
        elif path.is_absolute() and path.is_dir():  # modules
            word = digest([], path.glob("*.mod"))
        words.append(word)
    return words


def _compiled(command: Sequence[str], folder: Path) -> str:
    """Run a compiler; what it says."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        raise Refused(f"{' '.join(command)}\n{done.stderr[:6000]}")
    return done.stderr


def _plain(files: Mapping[str, str]) -> dict[str, str]:
    """Kernels in CUDA Fortran as plain Fortran, with the modules that they use."""
    plain = {name.replace(".cuf", ".cuf.f90"): emulated(text) for name, text in files.items() if name.endswith(".cuf")}
    modules = {f"{path.stem}.f90": emulated(path.read_text()) for path in (LAUNCHES_SOURCE, EMULATED_SOURCE)}
    return {**modules, **plain, **{name: text for name, text in files.items() if not name.endswith(".cuf")}}


def kernels_together(kernels: Sequence[str]) -> str:
    """One C++ file of several kernel files. Each has a namespace, as device routines are printed into every file that
    needs them.
    """
    parts = _headers(any(name.endswith(OPENCL_KERNELS) for name in kernels))
    parts += [f'namespace file{n} {{\n#include "{name}"\n}}' for n, name in enumerate(kernels)]
    return "\n".join([*parts, ""])


def _headers(opencl: bool) -> list[str]:
    """What files of kernels begin with."""
    names = ["hfpy_kernel.hpp", "hfpy_launch.hpp", *(["hfpy_opencl_launch.hpp"] if opencl else [])]
    return [f'#include "{name}"' for name in names]


def _compile_kernels(kernels: Sequence[str], folder: Path) -> None:
    """All kernels in one go: the headers they share take the compiler longer than they do."""
    runtime = runtime_of(kernels)
    source = folder / ("kernels.cpp" if runtime.for_cpu else "kernels.cu")
    text = kernels_together(kernels)
    # The same again, which the compiler reads in its own form: a fifth of the time.
    source.write_text(f'#include "{_HEADERS}"\n{text}' if runtime.for_cpu else text)
    tools = replace(runtime.tools, flags=(*runtime.tools.flags, f"-I{runtime.folder}"))
    _compiled(tools.kernel_command(source, folder / "kernels.o"), folder)


_HEADERS = "hfpy_tests.hpp"  # the headers of all kernels, compiled beforehand


def _compile_headers(tools: CudaTools, folder: Path) -> None:
    """Compile the headers of kernels as they are compiled themselves."""
    (folder / _HEADERS).write_text("\n".join([*_headers(tools.made_for == "opencl"), ""]))
    command = tools.kernel_command(folder / _HEADERS, folder / f"{_HEADERS}.gch")
    command[command.index("-x") + 1] = "c++-header"
    _compiled(command, folder)


@dataclass(frozen=True)
class KernelRuntime:
    """The runtime of kernels, built for the CPU: one for all programs of a test run."""

    folder: Path
    tools: CudaTools

    @property
    def for_cpu(self) -> bool:
        """Whether a C++ compiler compiles the kernels, or what launches them."""
        return self.tools.emulated or self.tools.made_for == "opencl"

    @property
    def link_words(self) -> tuple[str, ...]:
        """What a program is linked with."""
        return (str(self.folder / "libhfpy_arrays.a"), str(self.folder / "libhfpy_device.a"), *self.tools.link_flags())


def runtime_of(kernels: Iterable[str]) -> KernelRuntime:
    """The runtime that files of kernels need, by their names."""
    return opencl_runtime() if any(name.endswith(OPENCL_KERNELS) for name in kernels) else emulated_runtime()


@lru_cache(maxsize=1)
def emulated_runtime() -> KernelRuntime:
    """The emulated runtime, without optimisation: it is compiled faster than it runs. With HFPY_TEST_DEVICE it is the
    one for GPUs.
    """
    return _runtime(find_cuda_tools(_CHECKED, emulated=DEVICE is None, arch=DEVICE, exact=True))


@lru_cache(maxsize=1)
def opencl_runtime() -> KernelRuntime:
    """The runtime for OpenCL devices."""
    return _runtime(find_cuda_tools(_CHECKED, emulated=False, made_for="opencl"))


_CHECKED = {**os.environ, "CXXFLAGS": f"{CXXFLAGS} -Werror -Wno-unused-but-set-variable -Wno-ignored-attributes"}


def _runtime(tools: CudaTools) -> KernelRuntime:
    folder = Path(tempfile.mkdtemp(prefix="hfpy-runtime-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)

    def make() -> str:
        plain = replace(tools, flags=tuple(CXXFLAGS.split())) if KernelRuntime(folder, tools).for_cpu else tools
        cache = Path(os.environ["HFPY_CACHE"]) if "HFPY_CACHE" in os.environ else None
        runtime_library(plain, folder, lambda command: print(_compiled(command, folder), end=""), 1, cache)
        if KernelRuntime(folder, tools).for_cpu:
            _compile_headers(tools, folder)
        _compiled([COMPILER, "-c", f"-J{folder}", str(ARRAYS_SOURCE), "-o", str(folder / "arrays.o")], folder)
        return _compiled(["ar", "rcs", "libhfpy_arrays.a", "arrays.o"], folder)

    deciding = [
        version(COMPILER),
        version("g++"),
        runtime_digest(),
        tools.made_for,
        str(DEVICE),
        *tools.flags,
        _HEADERS,
    ]
    made(deciding, folder, make)
    return KernelRuntime(folder, tools)


@lru_cache(maxsize=1)
def runtime_digest() -> str:
    """A digest of the runtime's sources."""
    return digest([], (path for home in (RUNTIME, OPENCL_RUNTIME) for path in home.rglob("*") if path.is_file()))


def run(built: Built, *arguments: str, threads: int = 1, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """Run an executable in its folder. In emulation the threads of kernels run in an order that is drawn anew, and in
    half of these orders work waits in queues: missing waits show there, missing copies where it does not wait.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_DYNAMIC": "false"}
    environment["HFPY_EMULATE_ORDER"] = THREAD_ORDER
    environment.setdefault("HFPY_QUEUES", "1" if int(THREAD_ORDER) % 2 else "4")
    return subprocess.run(
        [str(built.path), *arguments],
        cwd=built.path.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def output(built: Built, *arguments: str, threads: int = 1) -> str:
    """What the executable prints; it must end well."""
    done = run(built, *arguments, threads=threads)
    assert done.returncode == 0, (
        f"{built.path.name} {' '.join(arguments)} ended with {done.returncode} (HFPY_EMULATE_ORDER={THREAD_ORDER}):\n"
        f"{done.stderr[-3000:]}"
    )
    return done.stdout


def compiler_warnings(messages: str) -> list[tuple[str, int, str]]:
    """The warnings in what gfortran said: file, line, text with its flag."""
    found: list[tuple[str, int, str]] = []
    place = ("", 0)
    for line in messages.splitlines():
        at = re.match(r"([^\s:]+):(\d+):\d+:", line)
        if at:
            place = (at[1], int(at[2]))
        elif line.startswith("Warning:"):
            found.append((*place, line.removeprefix("Warning: ")))
    return found


@dataclass(frozen=True)
class Case:
    """A program in a batch: its files, and the module subroutine without arguments that runs it."""

    name: str
    files: Mapping[str, str]
    module: str
    entry: str = "run"


def batch_main(cases: Iterable[Case]) -> str:
    """A main program that runs the case named on its command line."""
    cases = list(cases)
    lines = [
        "program batch",
        *(f"  use {c.module}, only: case_{n} => {c.entry}" for n, c in enumerate(cases)),
        "  implicit none",
    ]
    lines += ["  character(len=80) :: name", "  call get_command_argument(1, name)", "  select case (trim(name))"]
    for number, case in enumerate(cases):
        lines += [f"  case ('{case.name}')", f"    call case_{number}()"]
    return "\n".join([*lines, "  case default", "    stop 9", "  end select", "end program batch", ""])


class Batch:
    """Many cases in one executable; a case that does not compile is set apart so that the others still run."""

    def __init__(
        self,
        cases: Iterable[Case],
        folder: Path,
        flags: Sequence[str] = FLAGS,
        openmp: bool = False,
        compiler: str = COMPILER,
    ) -> None:
        self.folder = folder
        self.compiler = compiler
        self.flags = flags
        self.openmp = openmp
        self.cases = {case.name: case for case in cases}
        self.faults: dict[str, str] = {}
        self.built: Built | None = None
        if self.cases:
            self._build()

    def _build(self) -> None:
        try:
            self.built = self._compile(self.cases.values(), "all")
        except CompileError as failed:
            for case in self.cases.values():
                try:
                    self._compile([case], f"only_{case.name}")
                except CompileError as alone:
                    self.faults[case.name] = str(alone)
            if not self.faults:
                raise failed
            rest = [c for c in self.cases.values() if c.name not in self.faults]
            self.built = self._compile(rest, "rest") if rest else None

    def _compile(self, cases: Iterable[Case], folder: str) -> Built:
        cases = list(cases)
        files: dict[str, str] = {}
        for case in cases:
            for name, text in case.files.items():
                assert files.get(name, text) == text, f"two cases have a file {name}"
                files[name] = text
        files["batch_main.f90"] = batch_main(cases)
        return compile_files(files, self.folder / folder, self.flags, self.openmp, compiler=self.compiler)

    def output(self, name: str, threads: int = 1) -> str:
        """What the case prints.

        Raises:
            CompileError: if the case did not compile.
        """
        if name in self.faults:
            raise CompileError(self.faults[name])
        assert self.built is not None
        return output(self.built, name, threads=threads)


# --- hybrid programs against their plain twins -------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """A hybrid program and its plain twin: the same module with the same entry, which prints what is compared."""

    name: str
    hybrid: Mapping[str, str]
    reference: Mapping[str, str]
    module: str
    entry: str = "run"
    layout: Mapping[str, Any] = field(default_factory=dict)  # options that ask for another order, without macros

    @property
    def in_comments(self) -> bool:
        """Whether the directives are in comments, so that the program is its own twin."""
        return self.hybrid == self.reference


def pair(name: str, hybrid: str, reference: str) -> Pair:
    """A pair of one file each; the module is called ``name`` in both."""
    return Pair(name, {f"{name}.h90": hybrid}, {f"{name}.f90": reference}, name)


def load_pairs(folder: Path) -> list[Pair]:
    """The pairs in a folder of program files, by name.

    ``NAME.h90`` or ``NAME.H90`` has its plain twin in ``NAME.ref.f90``; a lone ``NAME.f90`` (directives in comments)
    is its own twin. ``NAME.common.f90`` (or ``.f``) and includes ``NAME_*.h``, ``NAME_*.inc`` belong to both;
    ``NAME.opaque.f90`` does, too, but hfpy does not see it. A program that is not meant to run needs no twin.
    """
    pairs = []
    for path in sorted(folder.iterdir()):
        name, _, kind = path.name.partition(".")
        if kind not in ("h90", "H90", "f90", "F90"):
            continue
        reference = folder / f"{name}.ref.f90" if kind in ("h90", "H90") else path
        shared = [p for p in sorted(folder.glob(f"{name}[._]*")) if ".common." in p.name or _beside(p.name)]
        common = {p.name: p.read_text() for p in shared}
        hybrid = {**common, path.name: path.read_text()}
        twin = {**common, reference.name: reference.read_text()} if reference.exists() else {}
        pairs.append(Pair(name, hybrid, twin, name))
    return pairs


@dataclass(frozen=True)
class Variant:
    """One way to translate and run: options of the translation, the order of the macros, numbers of threads."""

    label: str
    options: Mapping[str, Any]
    order: str | None = None
    threads: tuple[int, ...] = (1,)
    extra_macros: str = ""
    layout: bool = False  # with the pair's own layout options
    flags: tuple[str, ...] = ()  # the compiler's, for programs whose routines have backends of their own

    def translated(self, tested: Pair) -> Translated:
        """The pair, translated in this way."""
        storage = storage_order(self.order, self.order, extra=self.extra_macros) if self.order else None
        layout = dict(tested.layout) if self.layout else {}
        if "layout" in layout and self.options.get("target") == "gpu":  # where there are no blocks
            layout["layout"] = re.sub(r"\w+:\d+ ", "", layout["layout"])
        return translate_text(tested.hybrid, storage, **self.options, **layout)


SEQUENTIAL = Variant("sequential", {"backend": "sequential"})
SEQUENTIAL_KIJ = Variant("sequential-kij", {"backend": "sequential"}, "KIJ")
SEQUENTIAL_IJK = Variant("sequential-ijk", {"backend": "sequential"}, "IJK")
OPENMP = Variant("openmp", {"backend": "openmp"}, None, (1, 2))
OPENMP_KIJ = Variant("openmp-kij", {"backend": "openmp"}, "KIJ", (1, 2))
LAYOUT = Variant("layout", {"backend": "sequential"}, layout=True)
LAYOUT_OPENMP = Variant("layout-openmp", {"backend": "openmp"}, None, (2,), layout=True)
CUDA_C = Variant("cuda-c", {"target": "gpu", "backend": "cuda-c"})
CUDA_C_KIJ = Variant("cuda-c-kij", {"target": "gpu", "backend": "cuda-c"}, "KIJ")
CUDA_C_IJK = Variant("cuda-c-ijk", {"target": "gpu", "backend": "cuda-c"}, "IJK")
HIP = Variant("hip", {"target": "gpu", "backend": "hip"})
OPENCL = Variant("opencl", {"target": "gpu", "backend": "opencl"})
OPENCL_KIJ = Variant("opencl-kij", {"target": "gpu", "backend": "opencl"}, "KIJ")
LAYOUT_OPENCL = Variant("layout-opencl", {"target": "gpu", "backend": "opencl"}, layout=True)
OPENACC = Variant("openacc", {"target": "gpu", "backend": "openacc"})
OPENACC_KIJ = Variant("openacc-kij", {"target": "gpu", "backend": "openacc"}, "KIJ")
LAYOUT_OPENACC = Variant("layout-openacc", {"target": "gpu", "backend": "openacc"}, layout=True)
OPENMP_TARGET = Variant("openmp-target", {"target": "gpu", "backend": "openmp-target"}, None, (1, 4))
OPENMP_TARGET_IJK = Variant("openmp-target-ijk", {"target": "gpu", "backend": "openmp-target"}, "IJK", (4,))
CUDA_FORTRAN = Variant("cuda-fortran", {"target": "gpu", "backend": "cuda-fortran"})
CUDA_FORTRAN_KIJ = Variant("cuda-fortran-kij", {"target": "gpu", "backend": "cuda-fortran"}, "KIJ")
CUDA_FORTRAN_IJK = Variant("cuda-fortran-ijk", {"target": "gpu", "backend": "cuda-fortran"}, "IJK")
LAYOUT_CUDA_C = Variant("layout-cuda-c", {"target": "gpu", "backend": "cuda-c"}, layout=True)
MACRO_VARIANTS = (SEQUENTIAL_KIJ, SEQUENTIAL_IJK, OPENMP_KIJ)  # for hybrid files
PLAIN_VARIANTS = (SEQUENTIAL, OPENMP)  # for files with directives in comments


def some_soon(variants: Iterable[Variant]) -> list[ParameterSet]:
    """Ways for a test of each, of which one with threads and one with kernels are met by default."""
    soon = (LAYOUT_OPENMP, CUDA_C)
    return [pytest.param(v, id=v.label, marks=[pytest.mark.full] * (v not in soon)) for v in variants]


def variants_of(tested: Pair) -> tuple[Variant, ...]:
    """The ways a pair is run."""
    return PLAIN_VARIANTS if tested.in_comments else MACRO_VARIANTS


class Corpus:
    """Many pairs, each translated by itself, compiled together per variant; built when first asked for."""

    def __init__(
        self,
        pairs: Iterable[Pair],
        folder: Path,
        variants: Mapping[str, Sequence[Variant]] | None = None,
        compiler: Compiler = GFORTRAN,
    ) -> None:
        self.compiler = compiler
        self.pairs = {p.name: p for p in pairs}
        self.variants = variants or {p.name: variants_of(p) for p in self.pairs.values()}
        self.folder = folder
        self.translated: dict[tuple[str, str], Translated] = {}
        self._batches: dict[str, Batch] = {}

    def _reference(self) -> Batch:
        if "reference" not in self._batches:
            cases = [Case(p.name, p.reference, p.module, p.entry) for p in self.pairs.values()]
            flags = (*self.compiler.flags, *self.compiler.checks)
            self._batches["reference"] = Batch(cases, self.folder / "reference", flags, compiler=self.compiler.command)
        return self._batches["reference"]

    def _batch(self, variant: Variant) -> Batch:
        if variant.label in self._batches:
            return self._batches[variant.label]
        cases = []
        for p in self.pairs.values():
            if variant not in self.variants[p.name]:
                continue
            done = variant.translated(p)
            self.translated[variant.label, p.name] = done
            if not done.errors:
                cases.append(Case(p.name, named_apart(p.name, done.files), p.module, p.entry))
        backend = variant.options.get("backend")
        mine = self.compiler
        flags = (*mine.flags, *mine.checks, *(("-fopenacc",) if backend == "openacc" else ()), *variant.flags)
        openmp = backend in ("openmp", "openmp-target")
        batch = Batch(cases, self.folder / variant.label, flags, openmp, mine.command)
        self._batches[variant.label] = batch
        return batch

    def translation(self, name: str, variant: Variant) -> Translated:
        """A pair as it was translated in one of its variants."""
        self._batch(variant)
        return self.translated[variant.label, name]

    def new_warnings(self, name: str) -> list[str]:
        """What the compiler says about the generated files of a pair, but not about its plain twin."""
        twin = self._reference()
        known = {w[2] for w in compiler_warnings(twin.built.messages if twin.built else "")}
        files = {Path(f).stem for f in self.pairs[name].hybrid}
        found = []
        for variant in self.variants[name]:
            built = self._batch(variant).built
            for file, line, text in compiler_warnings(built.messages if built else ""):
                if "[-Wtabs]" in text:  # tabs are the user's own
                    continue
                if Path(file).stem in files and text not in known:
                    found.append(f"{variant.label}: {file}:{line}: {text}")
        return found

    def expected(self, name: str) -> str:
        """What the plain twin prints."""
        text = self._reference().output(name)
        assert text.strip(), f"{name} prints nothing, so it compares nothing"
        return text

    def output(self, name: str, variant: Variant) -> str:
        """What a pair prints in one of its variants, with one thread."""
        return self._batch(variant).output(name)

    def check(self, name: str) -> None:
        """Translate, compile and run a pair in every variant; it must print what its twin prints."""
        for variant in self.variants[name]:
            self.check_one(name, variant)

    def check_one(self, name: str, variant: Variant) -> None:
        """The same for one variant."""
        expected = self.expected(name)
        batch = self._batch(variant)
        self.translated[variant.label, name].require()
        for threads in variant.threads:
            got = batch.output(name, threads)
            label = f"{name} differs: {variant.label}, {threads} threads, HFPY_EMULATE_ORDER={THREAD_ORDER}"
            assert got == expected, (
                f"{label}\n{self.translated[variant.label, name].text}\n{_difference(got, expected)}"
            )


def named_apart(name: str, files: Mapping[str, str]) -> Mapping[str, str]:
    """A program's files with names of kernels that no other program has: they are global in an executable."""
    if not any(file.endswith(KERNELS) for file in files):
        return files

    def renamed(found: re.Match[str]) -> str:
        longer = f"hf{found[1]}{found[2]}_{name}_{found[3]}"
        return longer if len(longer) <= 63 else found[0]

    return {file: re.sub(r"\bhf([kl])(\d+)_(\w+)", renamed, text) for file, text in files.items()}


def _difference(got: str, expected: str) -> str:
    for number, (a, b) in enumerate(zip(got.splitlines(), expected.splitlines(), strict=False), 1):
        if a != b:
            return f"line {number}: got {a!r}, expected {b!r}"
    return f"got {len(got.splitlines())} lines, expected {len(expected.splitlines())}"
