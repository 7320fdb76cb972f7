"""``hfpy build``: from a project to its executables, doing again only what has to be."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from pathlib import Path

from hfpy.build import codes
from hfpy.build.cachefolder import cache_folder
from hfpy.build.compile import cudafortran
from hfpy.build.compile.cuda import ARRAYS_SOURCE, CudaTools, devices_of, find_cuda_tools
from hfpy.build.compile.gpuruntime import runtime_library
from hfpy.build.compile.graph import CompiledFile, dependencies
from hfpy.build.compile.limits import LIMITS, needs_limits, with_limits
from hfpy.build.compile.linking import Library, link_library, link_programs
from hfpy.build.compile.objects import Objects, remove_stale_modules
from hfpy.build.compile.processes import flags_for_processes, with_processes
from hfpy.build.compile.races import watching
from hfpy.build.compile.samples import sampling
from hfpy.build.compile.sharing import check_sharing
from hfpy.build.compile.tasks import Processes, run_ordered
from hfpy.build.compile.tools import Tools, find_tools
from hfpy.build.compile.unneeded import without_unneeded
from hfpy.build.files import digest, explained, require_inside
from hfpy.build.progress import Phases
from hfpy.build.translated import (
    DEBUG_MODULE,
    GENERATED,
    PROFILE_MODULE,
    RACES_MODULE,
    STATE,
    VERIFY_MODULE,
    Translated,
    all_sources,
    bring_up_to_date,
)
from hfpy.diagnostics import Diagnostic, HfpyError, ToolError, error
from hfpy.options import Options
from hfpy.project import C_SUFFIXES, CUDA_SUFFIXES, Project, key_place, source_files
from hfpy.translation import ARRAYS_MODULE, C_LANGUAGES, Contents, Language
from hfpy.values import dataclass
from hfpy.version import PACKAGE

VERIFY_FOLDER = PACKAGE / "runtime" / "verify"
DEBUG_FOLDER = VERIFY_FOLDER.parent / "debug"
PROFILE_FOLDER = VERIFY_FOLDER.parent / "profile"
RACES_FOLDER = VERIFY_FOLDER.parent / "races"
SAMPLES_FOLDER = VERIFY_FOLDER.parent / "samples"
KINDS = (
    "-mpi",
    "-emulated",
    "-traced",
    "-level0",
    "-profiled",
    "-watched",
    "-sampled",
)  # in the names of build folders
KERNEL_LANGUAGES = C_LANGUAGES | {"cuda-fortran"}


@dataclass(frozen=True)
class Built:
    """What a build gave: executables by name, the library if the project is one, what the translator said, and the
    files that were compiled or linked.
    """

    executables: Mapping[str, Path]
    library: Library | None
    folder: Path
    diagnostics: tuple[Diagnostic, ...]
    done: tuple[str, ...]


@dataclass(frozen=True)
class Request:
    """How to build: ``say`` takes compilers' messages, ``reported`` every command run, ``diagnosed`` the diagnostics.

    ``exact`` forbids compilers what changes last bits: fused multiply-add, vectorised library functions.
    """

    jobs: int
    environment: Mapping[str, str]
    phases: Phases
    debug: bool = False
    exact: bool = False
    say: Callable[[str], None] = field(default=lambda _: None)
    reported: Callable[[str], None] = field(default=lambda _: None)
    diagnosed: Callable[[Sequence[Diagnostic]], None] = field(default=lambda _: None)


def build(project: Project, options: Options, request: Request) -> Built:
    """Translate, compile and link a project for ``options.target``.

    Raises HfpyError for faults of the user's code and settings, ToolError with the tool's output (led back
    to the user's lines) when a compiler or the linker fails or is missing.
    """
    folder = build_folder(project, options)
    if not project.scratch:
        for path in (folder, *(p for p in folder.glob("*") if p.is_symlink() and p.is_dir())):
            require_inside(project.root, path, key_place(project, "project", "build_dir"))
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        cached = replace(options, cache_dir=folder / "cache", jobs=request.jobs)
        sources, reported = all_sources(project), request.phases.reported
        translated = bring_up_to_date(sources, cached, folder / GENERATED, folder / STATE, reported)
        request.diagnosed(translated.diagnostics)
        return _compile_and_link(project, options, request, folder, translated)


def build_folder(project: Project, options: Options) -> Path:
    """The folder of this target and backend, with the executables directly in it."""
    levels = (options.trace, options.trace and not options.opt)
    asked = (options.mpi, options.emulate, *levels, options.profile, options.races, options.samples)
    suffix = "".join(word for word, wanted in zip(KINDS, asked, strict=True) if wanted)
    return project.root / project.build_dir / f"{options.target}-{options.default_backend}{suffix}"


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Only one build at a time works in a folder; others wait."""
    with explained(folder):
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _with_runtime_modules(
    files: dict[str, CompiledFile], options: Options, folder: Path, cuda: bool
) -> dict[str, CompiledFile]:
    """The files with the modules of the runtime that they use."""
    found = dict(files)
    if cuda:
        found[ARRAYS_SOURCE.name] = runtime_module(ARRAYS_SOURCE, ARRAYS_MODULE)
        found = cudafortran.added(found, options.emulate, folder / "emulated")
    parts = (
        (options.trace, VERIFY_FOLDER / "hfpy_verify.f90", VERIFY_MODULE),
        (options.debug_print.on, DEBUG_FOLDER / "hfpy_debug.f90", DEBUG_MODULE),
        (options.profile, PROFILE_FOLDER / "hfpy_profile.f90", PROFILE_MODULE),
        (options.races, RACES_FOLDER / "hfpy_races.f90", RACES_MODULE),
    )
    return found | {source.name: runtime_module(source, module) for wanted, source, module in parts if wanted}


def _foreign_sources(project: Project, options: Options) -> tuple[Path, ...]:
    """The sources in C and CUDA C: the project's, and those of the runtime."""
    suffixes = C_SUFFIXES + (CUDA_SUFFIXES if options.target == "gpu" or project.cuda_everywhere else ())
    parts = (
        (options.trace, VERIFY_FOLDER / "hfpy_verify.c"),
        (options.debug_print.on, DEBUG_FOLDER / "hfpy_debug.c"),
        (options.profile, PROFILE_FOLDER / "hfpy_profile.c"),
        (options.races, RACES_FOLDER / "hfpy_races.c"),
        (options.samples, SAMPLES_FOLDER / "hfpy_samples.c"),
    )
    return (*source_files(project, suffixes), *(source for wanted, source in parts if wanted))


def _compile_and_link(
    project: Project, options: Options, request: Request, folder: Path, translated: Translated
) -> Built:
    mains = executables(project, translated.files, folder)
    tools, others = _tools(project, options, request, translated)
    files = _to_compile(project, request, tools, translated, mains)
    check_sharing(files.values(), tools.fortran, (*tools.fortran_flags, *tools.parallel), options)
    languages = {file.contents.language for file in files.values()}
    cuda = _cuda_tools(project, options, request, languages) if languages & KERNEL_LANGUAGES else None
    files = with_processes(_with_runtime_modules(files, options, folder, cuda is not None), options)
    objects = Objects(
        folder=folder,
        root=project.root,
        tools=tools,
        files=files,
        needs=dependencies(tuple(files.values())),
        processes=Processes(),
        flags_of=project.flags_of_file,
        say=request.say,
        reported=request.reported,
    )
    compilation = _Compilation(project, options, objects, _foreign_objects(others, project.root, objects), cuda)
    compilation.run(request)
    return _linked(compilation, request, mains, translated)


def _tools(
    project: Project, options: Options, request: Request, translated: Translated
) -> tuple[Tools, tuple[Path, ...]]:
    """What compiles, with the flags that the options ask for, and the sources in C and CUDA C."""
    others = _foreign_sources(project, options)
    tools = find_tools(
        project,
        options,
        request.environment,
        openmp=translated.openmp,
        modules={module for file in translated.files for module in file.uses},
        debug=request.debug,
        suffixes=frozenset(path.suffix for path in others),
    )
    if needs_limits(tools, options):
        others = (*others, LIMITS)
        tools = with_limits(tools, project.target(options.target).c_compiler, request.environment)
    if request.exact:
        tools = replace(tools, fortran_flags=(*tools.fortran_flags, *tools.fortran.spelling.exact))
    if options.races:
        tools = watching(tools)
    if options.samples:
        tools = sampling(tools)
    return (tools.position_independent() if options.library else tools), others


def _to_compile(
    project: Project, request: Request, tools: Tools, translated: Translated, mains: Mapping[str, CompiledFile]
) -> dict[str, CompiledFile]:
    """The translated files that are compiled, by name."""
    compiled = compiled_files(translated.files, mains)
    if project.legacy and tools.fortran.family in ("gnu", "llvm"):
        compiled, reported = without_unneeded(compiled, mains.values())
        request.diagnosed(reported)
    return {file.name: file for file in compiled}


@dataclass(frozen=True)
class _Compilation:
    """The files of a build on their way to objects. ``foreign`` are the objects of sources in C and CUDA C, by source;
    ``cuda`` compiles kernels, if there are any.
    """

    project: Project
    options: Options
    objects: Objects
    foreign: Mapping[Path, Path]
    cuda: CudaTools | None

    def run(self, request: Request) -> None:
        """Compiles what is not up to date. Raises ToolError with what compilers said."""
        objects = self.objects
        sources = {f"{path.name} {number}": path for number, path in enumerate(self.foreign)}
        request.phases.phase("compiling", len(objects.needs) + len(sources))
        remove_stale_modules(objects.modules, objects.files.values())
        work = {**dict.fromkeys(sources, ()), **objects.needs}
        failures = run_ordered(
            work,
            lambda name: self._compile(name, sources.get(name)),
            request.jobs,
            objects.processes.stop,
            request.phases.step,
        )
        if failures:
            raise ToolError("\n".join(str(failure) for failure in failures))

    @property
    def in_fortran(self) -> bool:
        """Whether there are kernels in CUDA Fortran."""
        return any(file.contents.language == "cuda-fortran" for file in self.objects.files.values())

    def _compile(self, name: str, source: Path | None) -> None:
        """Compiles a file of the translation, or a ``source`` in C or CUDA C."""
        if source is not None:
            self.objects.compile_c(source, self.foreign[source])
        elif self.cuda is not None and self.objects.files[name].contents.language in C_LANGUAGES:
            self.objects.compile_kernels(name, self.cuda)
        else:
            self.objects.compile_fortran(name, self._flags(self.objects.files[name]))

    def _flags(self, file: CompiledFile) -> tuple[str, ...]:
        """The flags of one Fortran file beside those of all."""
        tools = self.objects.tools
        if file.contents.language == "cuda-fortran":
            assert self.cuda is not None
            return cudafortran.compile_flags(tools.fortran, self.cuda, tools.fortran_flags)
        flags = self.project.flags_of_file(file.source)
        chosen = tools.selection_flags(flags) if file.contents.selections else ()
        form = tools.fortran.spelling.in_free_form if file.contents.free_form else ()
        return (*form, *chosen, *flags_for_processes(file, self.options, self.cuda is not None))


def _linked(
    compilation: _Compilation, request: Request, mains: Mapping[str, CompiledFile], translated: Translated
) -> Built:
    """The programs of a build, and its library if it makes one."""
    objects, cuda, project = compilation.objects, compilation.cuda, compilation.project
    if cuda is not None:
        objects.tools = with_runtime(objects, cuda, request, compilation.in_fortran)
    others = tuple(target for source, target in compilation.foreign.items() if source != LIMITS)
    objects.always = tuple(target for target in compilation.foreign.values() if target not in others)
    linked = link_programs(objects, project.name, mains, others, request.jobs, request.phases)
    library = None
    if compilation.options.library:
        runtime = [path.with_suffix(".o").name for path in cuda.runtime_sources()] if cuda is not None else []
        library = link_library(objects, project.name, others, [objects.folder / name for name in runtime])
    return Built(linked, library, objects.folder, translated.diagnostics, tuple(objects.compiled))


def _cuda_tools(project: Project, options: Options, request: Request, languages: Set[Language]) -> CudaTools:
    """What compiles the kernels: nvcc or hipcc, or a C++ compiler for emulation."""
    settings = project.target(options.target)
    tools = find_cuda_tools(
        request.environment,
        emulated=options.emulate,
        arch=settings.arch,
        exact=request.exact,
        debug=request.debug,
        nvcc_flags=project.nvccflags,
        made_for=devices_of(languages),
    )
    return tools.position_independent() if options.library else tools


def runtime_module(source: Path, module: str) -> CompiledFile:
    """A Fortran module of the runtime, compiled like a file of the project."""
    data = source.read_bytes()
    lines = range(1, data.count(b"\n") + 1)
    return CompiledFile(source.name, source, source, digest(data), Contents(provides=(module,)), lines)


def with_runtime(objects: Objects, cuda: CudaTools, request: Request, in_fortran: bool = False) -> Tools:
    """The tools with the GPU's runtime among what is linked. Raises ToolError if that cannot be built."""
    cache = cache_folder(request.environment)
    stop = objects.processes.stop
    library = runtime_library(cuda, objects.folder.resolve(), objects.run, request.jobs, cache, stop)
    flags = (str(library), *(cudafortran.link_flags(cuda) if in_fortran else cuda.link_flags()))
    return replace(objects.tools, link_flags=(*flags, *objects.tools.link_flags))


def _foreign_objects(sources: Sequence[Path], root: Path, objects: Objects) -> dict[Path, Path]:
    """The objects of C and CUDA files, in the folders that they have in the project."""
    targets = {}
    for path in sources:
        inside = path.relative_to(root) if path.is_relative_to(root) else Path(path.name)
        targets[path] = objects.objects / "c" / inside.with_name(f"{inside.name}.o")
    return targets


def executables(project: Project, files: Sequence[CompiledFile], folder: Path) -> dict[str, CompiledFile]:
    """For each executable the file with its main program: those that the project names, by the file or the program,
    else all there are; of a library those alone that it names.

    Raises HfpyError if one is named that has no main program, if a program has none at all, or if two have one name.
    """
    mains = _mains(files)
    known = f"main programs here: {', '.join(sorted(mains))}" if mains else "no source holds a main program"
    mains = _by_programs(files, project.executables) | mains
    place = key_place(project, "project", "executables")
    problems = []
    for name in project.executables:
        if name not in mains:
            problems.append(error(codes.NAME_UNKNOWN, f"no main program or its file is named '{name}'", place, known))
    library = project.kind == "library"
    if not mains and not project.executables and not library:
        hint = 'add a Fortran `program` to the sources, or write kind = "library" below [project]'
        problems.append(error(codes.NO_SOURCES, "no source holds a main program", place, hint))
    chosen = project.executables or (() if library else tuple(mains))
    for name in chosen:
        if len(mains.get(name, ())) > 1:
            where = ", ".join(str(file.source) for file in mains[name])
            problems.append(error(codes.NAME_TWICE, f"two main programs are named '{name}': {where}", place))
        if name in (GENERATED, "modules", "objects", "cache"):
            problems.append(
                error(codes.NAME_TWICE, f"an executable cannot be named '{name}': {folder} holds one", place)
            )
    if problems:
        raise HfpyError(problems)
    return {name: mains[name][0] for name in chosen}


def _mains(files: Iterable[CompiledFile]) -> dict[str, list[CompiledFile]]:
    """The files with main programs by the names of executables: those of the sources, or those of the generated files
    where several sources have one name.
    """
    same: dict[str, list[CompiledFile]] = {}
    for file in files:
        if file.programs:
            same.setdefault(file.source.stem, []).append(file)
    mains: dict[str, list[CompiledFile]] = {}
    for stem, group in same.items():
        for file in group:
            mains.setdefault(stem if len(group) == 1 else Path(file.name).stem, []).append(file)
    return mains


def _by_programs(files: Iterable[CompiledFile], names: Sequence[str]) -> dict[str, list[CompiledFile]]:
    """The files whose main programs have some names, in any case."""
    found = {name: [file for file in files if name.lower() in file.programs] for name in names}
    return {name: group for name, group in found.items() if group}


def compiled_files(files: Sequence[CompiledFile], mains: Mapping[str, CompiledFile]) -> list[CompiledFile]:
    """The files to compile: all but main programs that nobody asked for (unless they hold modules)."""
    wanted = {file.name for file in mains.values()}
    return [file for file in files if not file.programs or file.provides or file.name in wanted]
