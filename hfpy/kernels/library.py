"""From sources to a shared library with wrappers, built once for the same content."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.build.cachefolder import private_folder
from hfpy.build.compile.compilers import default_jobs
from hfpy.build.compile.cuda import ARRAYS_SOURCE, CudaTools, find_cuda_tools, find_jit_tools
from hfpy.build.compile.gpuruntime import runtime_library
from hfpy.build.compile.graph import CompiledFile, dependencies
from hfpy.build.compile.objects import Objects
from hfpy.build.compile.processes import with_processes
from hfpy.build.compile.tasks import Processes, run_ordered
from hfpy.build.compile.tools import Tools, find_tools
from hfpy.build.driver import compiled_files, locked, runtime_module
from hfpy.build.files import digest, explained, read_json, write_atomically, write_json
from hfpy.build.translated import all_sources, transpile
from hfpy.diagnostics import ToolError, render
from hfpy.kernels.cache import content_key
from hfpy.kernels.devices import Expected, expected_on_device
from hfpy.kernels.gpu import KernelFiles
from hfpy.kernels.signatures import ModuleSignature, from_json, outside_modules, signatures
from hfpy.kernels.wrappers import Numbers, wrappers
from hfpy.options import Options
from hfpy.parse.files import command_line_macros, index_text
from hfpy.project import C_SUFFIXES, Project, source_files
from hfpy.translation import ARRAYS_MODULE, C_LANGUAGES
from hfpy.values import dataclass

_LIBRARY = "library.so"
_MODULES = "modules.json"
_GENERATED = "generated"


@dataclass(frozen=True)
class Built:
    """A shared library on disk, its modules, what the translation warned of; and the files with kernels, each with
    their names, that are still to be compiled, for the GPU of this machine. ``opencl``: it works on an OpenCL device.
    """

    library: Path
    modules: tuple[ModuleSignature, ...]
    warnings: tuple[str, ...] = ()
    kernels: KernelFiles = ()
    opencl: bool = False

    @property
    def folder(self) -> Path:
        """Its folder in the cache."""
        return self.library.parent

    @property
    def generated(self) -> Path:
        """The folder with the text that was compiled."""
        return self.folder / _GENERATED


def build(
    project: Project,
    options: Options,
    environment: Mapping[str, str],
    cache: Path,
    reported: Callable[[str], None] = lambda _command: None,
) -> Built:
    """The library of a project's Fortran sources, from the cache if it was built before from the same content.

    ``reported`` is called with each command that is run. Raises HfpyError for faults of the user's code, ToolError if a
    compiler is missing or fails.
    """
    sources = all_sources(project)
    tools = _tools(project, options, environment)
    cuda = _kernel_tools(environment, options) if options.target == "gpu" else None
    words = [tools.fortran.version, *tools.fortran_command(Path("x.F90"), Path("x.o"), (), ()), *tools.link_flags]
    words += [" ".join(project.flags_of_file(path)) for path in sources]
    words += [cuda.compiler.version, *cuda.kernel_command(Path("x.cu"), Path("x.o"))] if cuda else []
    others = source_files(project, C_SUFFIXES)
    words += [tools.c.version, *tools.c_command(Path("x.c"), Path("x.o"), ())] if tools.c else []
    kept = cache / content_key([*sources, *others], options, words)
    built = found(kept)
    if built is not None:
        return built
    work = private_folder(kept)
    with explained(cache):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
    try:
        _Building(project, options, tools, cuda, work, reported).run(sources, others)
        with explained(kept):
            if not kept.exists():  # another process may have been faster
                os.replace(work, kept)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    built = found(kept)
    if built is None:
        raise ToolError(f"{kept} holds no library; remove it and try again")
    return built


def found(kept: Path) -> Built | None:
    """The library that lies in a folder of the cache, if one does."""
    data = read_json(kept / _MODULES)
    if "modules" not in data or not (kept / _LIBRARY).is_file():
        return None
    modules = tuple(from_json(item) for item in data["modules"])
    kernels = tuple((kept / _GENERATED / name, tuple(held)) for name, held in data["kernels"].items())
    return Built(kept / _LIBRARY, modules, tuple(data["warnings"]), kernels, bool(data["opencl"]))


def _tools(project: Project, options: Options, environment: Mapping[str, str]) -> Tools:
    """The compiler with the flags of a shared library."""
    openmp = options.default_backend == "openmp"
    suffixes = frozenset(path.suffix for path in source_files(project, C_SUFFIXES))
    tools = find_tools(project, options, environment, openmp=openmp, debug=False, suffixes=suffixes)
    return replace(
        tools,
        fortran_flags=(*tools.fortran_flags, "-fPIC"),
        c_flags=(*tools.c_flags, "-fPIC"),
        link_flags=("-shared", "-fPIC", *tools.link_flags),
    )


def _kernel_tools(environment: Mapping[str, str], options: Options) -> CudaTools:
    """What compiles kernels for the CPU, or launchers of kernels, into a shared library.

    GNU's linker would share inline variables of the runtime between all libraries of the process.
    """
    if "opencl" in options.backends:
        tools = find_cuda_tools(environment, emulated=options.emulate, made_for="opencl")
    else:
        tools = find_cuda_tools(environment, emulated=True) if options.emulate else find_jit_tools(environment)
    own = ("-fno-gnu-unique",) if tools.compiler.family == "gnu" else ()
    return replace(tools, flags=(*tools.flags, "-fPIC", *own))


@dataclass(frozen=True)
class _Building:
    """One build in a folder of its own."""

    project: Project
    options: Options
    tools: Tools
    cuda: CudaTools | None
    folder: Path
    reported: Callable[[str], None]

    def run(self, sources: Sequence[Path], others: Sequence[Path]) -> None:
        """Translate, add wrappers, compile, with the C sources ``others``, link, write down what there is."""
        translated = transpile(sources, self.options, self.folder / _GENERATED)
        expected = Expected() if self.cuda is None else expected_on_device(sources, self.options)
        files: dict[str, CompiledFile] = {}
        modules: list[ModuleSignature] = []
        outside: list[str] = []
        for file in compiled_files(translated.files, {}):
            files[file.name] = self._with_wrappers(file, expected, modules, outside)
        if self.cuda is not None:
            files[ARRAYS_SOURCE.name] = runtime_module(ARRAYS_SOURCE, ARRAYS_MODULE)
        self._compile(with_processes(files, self.options), others)
        warnings = outside + [render(d) for d in translated.diagnostics if d.severity == "warning"]
        held = {name: file.contents.kernels for name, file in sorted(files.items()) if file.contents.kernels}
        waiting = held if self.cuda is not None and self.cuda.jit else {}
        opencl = "opencl" in self.options.backends and not self.options.emulate
        reported = {"warnings": warnings, "kernels": waiting, "opencl": opencl}
        write_json(self.folder / _MODULES, {"modules": [module.as_json() for module in modules], **reported})
        shutil.rmtree(self.folder / "objects", ignore_errors=True)
        shutil.rmtree(self.folder / "modules", ignore_errors=True)

    def _with_wrappers(
        self, file: CompiledFile, expected: Expected, modules: list[ModuleSignature], outside: list[str]
    ) -> CompiledFile:
        """The file, written anew with wrappers in its modules; ``modules`` grows by these, ``outside`` by what there
        is to say of routines that are in none.
        """
        if file.contents.language != "fortran":
            return file
        text = file.path.read_text(encoding="utf-8", errors="surrogateescape")
        lines, line_map = text.split("\n"), list(file.line_map)
        source = file.source.read_text(encoding="utf-8", errors="replace")
        index = index_text(file.path, text, self.options, command_line_macros(self.options))
        if names := ", ".join(f"'{name}'" for name in outside_modules(index, source)):
            hint = "hfpy.load has routines of modules only; put them into one"
            outside.append(f"{file.source}: warning: outside of modules: {names}; {hint}")
        inserted: list[tuple[int, list[str]]] = []
        for number, found in signatures(index, source, self.options):
            module = expected.said_of(found)
            first = Numbers(sum(len(m.routines) for m in modules), sum(len(m.variables) for m in modules))
            modules.append(module)
            callable_ = any(not routine.refused for routine in module.routines)
            if not index.fixed and (callable_ or module.variables):
                unit = index.units[number]
                contains = [] if unit.contains >= 0 else ["contains"]
                inserted.append((index.lines[unit.last].first, contains + wrappers(module, first)))
        for before, new in reversed(inserted):
            lines[before:before] = new
            line_map[before:before] = [0] * len(new)
        data = "\n".join(lines).encode("utf-8", "surrogateescape")
        write_atomically(file.path, data)
        contents = file.contents.using(() if self.cuda is None else (ARRAYS_MODULE,))
        return replace(file, digest=digest(data), line_map=tuple(line_map), contents=contents)

    def _compile(self, files: Mapping[str, CompiledFile], others: Sequence[Path]) -> None:
        needs = dependencies(tuple(files.values()))
        processes = Processes()
        objects = Objects(
            folder=self.folder,
            root=self.project.root,
            tools=self.tools,
            files=files,
            needs=needs,
            processes=processes,
            flags_of=self.project.flags_of_file,
            say=lambda _text: None,
            reported=self.reported,
        )
        selections = self.tools.selection_flags() if self.options.opt else ()

        def compile_one(name: str) -> None:
            if self.cuda is not None and files[name].contents.language in C_LANGUAGES:
                objects.compile_kernels(name, self.cuda)
            else:
                objects.compile_fortran(name, selections if files[name].contents.selections else ())

        failures = run_ordered(needs, compile_one, default_jobs(), processes.stop)
        if failures:
            raise ToolError("\n".join(str(failure) for failure in failures))
        if self.cuda is not None:
            flags = (str(self._runtime(self.cuda, objects)), *self.cuda.link_flags())
            objects.tools = replace(self.tools, link_flags=(*flags, *self.tools.link_flags))
        foreign = {path: objects.objects / f"c{number}.o" for number, path in enumerate(others)}
        for path, target in foreign.items():
            objects.compile_c(path, target)
        objects.link([*map(objects.object_of, files), *foreign.values()], self.folder / _LIBRARY)

    def _runtime(self, cuda: CudaTools, objects: Objects) -> Path:
        """The runtime of kernels, one for all libraries of the cache that are built with the same compiler."""
        kind = cuda.made_for if cuda.made_for != "cuda" else str(cuda.jit)
        folder = self.folder.parent / f"runtime-{digest(cuda.compiler.version, kind, *cuda.flags)[:16]}"
        with explained(folder):
            folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            return runtime_library(cuda, folder, objects.run)
