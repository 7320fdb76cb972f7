"""Building what the cuda-fortran backend generates: nvfortran for a GPU, and the emulation of its files.

For the emulation (design §4) the words that hfpy writes into ``.cuf`` files and that plain Fortran does not know are
taken out, line by line, so that messages still lead to the right line: attributes of procedures and variables, and
launches, which become loops over the threads of the grid. The module ``cudafor`` of the emulation holds their indices.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.build import codes
from hfpy.build.compile.compilers import Compiler
from hfpy.build.compile.cuda import EMULATION, RUNTIME, CudaTools, watched
from hfpy.build.compile.graph import CompiledFile
from hfpy.build.files import digest, explained, write_if_changed
from hfpy.diagnostics import ToolError
from hfpy.translation import Contents

SUFFIX = ".cuf"
LAUNCHES_SOURCE = RUNTIME / "hfpy_launches.cuf"
LAUNCHES_MODULE = "hfpy_launches"
EMULATED_SOURCE = EMULATION / "cudafor.f90"
EMULATED_MODULE = "cudafor"

# A declaration on several lines, which has its attributes on the first.
_FOLDED = re.compile(r"^ *\w+\(\d\), [^\n!]*&\n(?:[^\n]*&\n)*[^\n]*$", re.M)
_ATTRIBUTES = re.compile(r"^(\s*)attributes\((?:global|device)\) ", re.M)
_DEVICE = re.compile(r", device\b(?=.* :: )")
_BEGIN = re.compile(r"^\s*subroutine\b")
_POINTER = re.compile(r"^\s*\w+\(\d\), pointer, contiguous :: (\w+)\(")
_LAUNCH = re.compile(r"^(\s*)call (\w+)<<<(\w+), (\w+)>>>\( &$")


def emulated(text: str) -> str:
    """A ``.cuf`` file that hfpy made as plain Fortran with as many lines."""
    lines: list[str] = []
    arrays: set[str] = set()
    whole = _FOLDED.sub(_unfolded, _ATTRIBUTES.sub(r"\1", text))
    rows = iter(_DEVICE.sub("", whole).splitlines())
    for row in rows:
        if _BEGIN.match(row):
            arrays = set()  # in another launcher a name may be a scalar's
        pointer = _POINTER.match(row)
        if pointer is not None:
            arrays.add(pointer[1])
        launch = _LAUNCH.match(row)
        if launch is None:
            lines.append(row)
            continue
        arguments = []
        for rest in rows:
            arguments.append(rest)
            if not rest.rstrip().endswith("&"):
                break
        lines += _loop(launch, arguments, arrays)
    return "".join(f"{line}\n" for line in lines)


def _unfolded(found: re.Match[str]) -> str:
    """A statement of several lines on the first of them; the others stay as empty ones."""
    rows = found[0].split("\n")
    pieces = [rows[0].rstrip(" &"), *(row.strip(" &") for row in rows[1:])]
    return " ".join(pieces) + "\n" * (len(rows) - 1)


def _loop(launch: re.Match[str], arguments: Sequence[str], arrays: Iterable[str]) -> list[str]:
    """The lines of a launch: its array arguments are checked, then the kernel is called for each thread."""
    names = re.findall(r"\w+", " ".join(arguments))
    checks = [f"call hf_emulate_check({n}_4, {name})" for n, name in enumerate(names, 1) if name in arrays]
    begin = f"call hf_emulate_begin(hf_kernel, hf_where, {launch[3]}, {launch[4]})"
    first = "; ".join([begin, *checks, "do while (hf_emulate_next())", f"call {launch[2]}( &"])
    return [launch[1] + first, *arguments[:-1], f"{arguments[-1]}; end do"]


def runtime_files(emulate: bool) -> tuple[CompiledFile, ...]:
    """The Fortran sources of the runtime that launchers need, to be compiled like files of the project."""
    made = [_runtime_file(LAUNCHES_SOURCE, LAUNCHES_MODULE, (EMULATED_MODULE,))]
    if emulate:
        made.append(_runtime_file(EMULATED_SOURCE, EMULATED_MODULE, ()))
    return tuple(made)


def _runtime_file(path: Path, module: str, uses: tuple[str, ...]) -> CompiledFile:
    data = path.read_bytes()
    contents = Contents("cuda-fortran" if path.suffix == SUFFIX else "fortran", (module,), uses)
    return CompiledFile(path.name, path, path, digest(data), contents, range(1, data.count(b"\n") + 1))


def for_emulation(file: CompiledFile, folder: Path) -> CompiledFile:
    """The same file as plain Fortran in ``folder``. Raises HfpyError if it cannot be written."""
    data = emulated(file.path.read_text(encoding="utf-8")).encode("utf-8")
    path = folder / f"{file.path.stem}.f90"
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_if_changed(path, data)
    return replace(file, path=path, digest=digest(data))


def added(files: Mapping[str, CompiledFile], emulate: bool, folder: Path) -> dict[str, CompiledFile]:
    """What the files of a project become: those with kernels in Fortran, and the runtime's, ready for the compiler."""
    if not any(file.contents.language == "cuda-fortran" for file in files.values()):
        return dict(files)
    every = {**files, **{file.name: file for file in runtime_files(emulate)}}
    if not emulate:
        return every
    return {n: for_emulation(f, folder) if n.endswith(SUFFIX) else f for n, f in every.items()}


def compile_flags(compiler: Compiler, cuda: CudaTools, fortran_flags: Sequence[str] = ()) -> tuple[str, ...]:
    """The flags for files of kernels beside the others, ``fortran_flags``. Raises ToolError if the compiler knows no
    CUDA Fortran.
    """
    if cuda.emulated:
        checks = ("-ffp-contract=off", "-fcheck=bounds", "-fcheck=no-pointer")
        return (*checks, *watched(compiler, fortran_flags)) if compiler.family == "gnu" else ()
    if compiler.family != "nvidia":
        raise ToolError(
            f"error {codes.TOOL_MISSING}: kernels in CUDA Fortran need nvfortran, not {compiler.command[0]}\n"
            "  hint: name it in FC or hfpy.toml, choose the backend cuda-c, or try --emulate"
        )
    arch = (f"-gpu=cc{cuda.arch.removeprefix('sm_')}",) if cuda.arch else ()
    return ("-cuda", *arch)


def link_flags(cuda: CudaTools) -> tuple[str, ...]:
    """What links kernels in Fortran: nvfortran's own CUDA runtime serves the library of hfpy too."""
    return cuda.link_flags() if cuda.emulated else ("-cuda", "-lstdc++")
