"""The tools of one build: compilers and the flags they get, from the project, the target and the environment."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.backendtable import with_directives
from hfpy.build.compile.compilers import Compiler, Family, environment_flags, find_compiler
from hfpy.build.compile.processes import compiler_asked
from hfpy.options import Options
from hfpy.project import DEFAULT_FLAGS, Project, include_folders
from hfpy.suffixes import FREE, PREPROCESSED
from hfpy.values import dataclass

GPU_MACRO = "GPU"
POSITION_INDEPENDENT = "-fPIC"

_DEBUG_FLAGS: Mapping[Family, tuple[str, ...]] = {
    "gnu": ("-g", "-O0", "-fcheck=all", "-fbacktrace"),
    "nvidia": ("-g", "-O0", "-Mbounds", "-traceback"),
    "intel": ("-g", "-O0", "-check", "all", "-traceback"),
    "llvm": ("-g", "-O0"),
    "cray": ("-g", "-O0", "-Rb"),
    "other": ("-g", "-O0"),
}


@dataclass(frozen=True)
class Tools:
    """What compiles and links, with the options that all files share.

    ``definitions`` are macros without ``-D``; ``include_dirs`` are searched after the folder of the source.
    """

    fortran: Compiler
    fortran_flags: tuple[str, ...]
    c: Compiler | None
    c_flags: tuple[str, ...]
    cuda: Compiler | None
    cuda_flags: tuple[str, ...]
    parallel: tuple[str, ...]
    link_flags: tuple[str, ...]
    definitions: tuple[str, ...]
    include_dirs: tuple[Path, ...]

    def fortran_command(
        self,
        source: Path,
        target: Path,
        folders: Sequence[Path],
        extra: Iterable[str],
        module_flags: Sequence[str] = (),
    ) -> list[str]:
        """The command that compiles a Fortran file; ``folders`` go before the common include folders. The folders of
        ``module_flags`` go before both: module files of other builds may lie beside sources.
        """
        spelling = self.fortran.spelling
        command = [*self.fortran.command, "-c", *module_flags]
        if source.suffix in PREPROCESSED:
            command += self.preprocessing()
        if source.suffix in FREE:
            command += spelling.long_lines
        command += self._include_flags(folders)
        return [*command, *self.fortran_flags, *self.parallel, *extra, "-o", str(target), str(source)]

    def asks_for_preprocessor(self, own: Iterable[str]) -> bool:
        """Whether the flags of the target, or a file's ``own``, call the preprocessor."""
        return not {*self.fortran_flags, *own}.isdisjoint(self.fortran.spelling.preprocess)

    def preprocessing(self) -> list[str]:
        """The flags that call the preprocessor, with the macros of the project."""
        return [*self.fortran.spelling.preprocess, *(f"-D{d}" for d in self.definitions)]

    def c_command(self, source: Path, target: Path, extra: Iterable[str]) -> list[str]:
        """The command that compiles a C or CUDA file. Needs the compiler to be there."""
        compiler = self.cuda if source.suffix == ".cu" else self.c
        assert compiler is not None, "found when the sources were listed"
        flags = self.cuda_flags if source.suffix == ".cu" else self.c_flags
        command = [*compiler.command, "-c", *(f"-D{d}" for d in self.definitions)]
        return [*command, *self._include_flags([source.parent]), *flags, *extra, "-o", str(target), str(source)]

    def link_command(self, objects: Iterable[Path], target: Path) -> list[str]:
        """The command that links objects and archives into an executable."""
        return [*self.fortran.command, "-o", str(target), *map(str, objects), *self.link_flags]

    def shared_command(self, objects: Iterable[Path], target: Path, name: str) -> list[str]:
        """The command that links objects into a shared library, which programs look for by ``name``."""
        named = f"-Wl,-install_name,@rpath/{name}" if sys.platform == "darwin" else f"-Wl,-soname,{name}"
        return [*self.fortran.command, "-shared", named, "-o", str(target), *map(str, objects), *self.link_flags]

    def position_independent(self) -> Tools:
        """The tools for code that a shared library can hold."""
        return replace(
            self,
            fortran_flags=(*self.fortran_flags, POSITION_INDEPENDENT),
            c_flags=(*self.c_flags, POSITION_INDEPENDENT),
            cuda_flags=(*self.cuda_flags, "-Xcompiler", POSITION_INDEPENDENT),
        )

    def selection_flags(self, of_file: Iterable[str] = ()) -> tuple[str, ...]:
        """The flags for files with selections and blocks of columns; ``of_file`` are the file's own flags."""
        spelling = self.fortran.spelling
        traps = any("trap" in flag for flag in (*self.fortran_flags, *of_file))
        return spelling.selections if traps else (*spelling.selections, *spelling.untrapped)

    def _include_flags(self, first: Iterable[Path]) -> list[str]:
        # gfortran warns of folders that are not there.
        return [f"-I{folder}" for folder in dict.fromkeys([*first, *(d for d in self.include_dirs if d.is_dir())])]


OPENMP_MODULE, OPENACC_MODULE = "omp_lib", "openacc"


def find_tools(
    project: Project,
    options: Options,
    environment: Mapping[str, str],
    *,
    openmp: bool,
    debug: bool,
    suffixes: frozenset[str],
    modules: Container[str] = (),
) -> Tools:
    """The compilers for sources with these suffixes, and their flags. ``modules`` are those that sources use: the
    libraries of OpenMP and OpenACC are linked for theirs, even if no such directives are compiled.

    Of the flags the later win: the project's, the target's, FFLAGS, CFLAGS and LDFLAGS of the environment.
    Raises ToolError if a compiler that is needed is not on this machine.
    """
    settings = project.target(options.target)
    fortran = find_compiler("fortran", compiler_asked(settings.compiler, options), environment)
    c = find_compiler("c", settings.c_compiler, environment) if ".c" in suffixes else None
    cuda = find_compiler("cuda", None, environment) if ".cu" in suffixes else None
    flags = DEFAULT_FLAGS if settings.flags is None else settings.flags
    given = (*flags, *environment_flags(environment, "FFLAGS"))
    mode = parallel_flags(fortran, options, openmp)
    if any(flag.startswith("-foffload") for flag in given):
        mode = tuple(flag for flag in mode if flag != "-foffload=disable")  # compilers take both together for a mistake
    spelled = ((OPENMP_MODULE, fortran.spelling.openmp), (OPENACC_MODULE, fortran.spelling.openacc))
    needed = (flag for module, words in spelled if module in modules for flag in words)
    library = tuple(dict.fromkeys(flag for flag in needed if flag not in mode))
    debugging = _DEBUG_FLAGS[fortran.family] if debug else ()
    c_flags = (*project.cflags, *settings.cflags) or ("-O2",)
    link = [*project.ldflags, *settings.ldflags, *environment_flags(environment, "LDFLAGS")]
    link += [f"-l{library}" for library in project.libraries]
    if cuda is not None:
        link += _cuda_link_flags(cuda)
    return Tools(
        fortran=fortran,
        fortran_flags=(*flags, *debugging, *environment_flags(environment, "FFLAGS")),
        c=c,
        c_flags=(*c_flags, *(("-g", "-O0") if debug else ()), *environment_flags(environment, "CFLAGS")),
        cuda=cuda,
        cuda_flags=(*((f"-arch={settings.arch}",) if settings.arch else ()), *project.nvccflags),
        parallel=mode,
        link_flags=(*mode, *library, *_link_relevant(given), *link),
        definitions=definitions(options),
        include_dirs=tuple(folder.resolve() for folder in include_folders(options)),
    )


def definitions(options: Options) -> tuple[str, ...]:
    """The macros that all sources see: those of the options, and ``GPU`` on the GPU."""
    gpu = (GPU_MACRO,) if options.target == "gpu" else ()
    return (*gpu, *options.define)


def parallel_flags(compiler: Compiler, options: Options, openmp: bool) -> tuple[str, ...]:
    """The compiler's switch for the directives that the generated code holds."""
    backends = options.backends
    flags: tuple[str, ...] = ()
    if openmp or backends & with_directives("openmp"):
        flags += compiler.spelling.openmp
    if backends & with_directives("openacc"):
        flags += tuple(f for f in compiler.spelling.openacc if f not in flags)
    return flags


def _link_relevant(flags: Iterable[str]) -> tuple[str, ...]:
    """The compile flags that the linker's driver has to see too."""
    wanted = (
        "-O",
        "-g",
        "-m",
        "-fsanitize",
        "-foffload",
        "-fopenmp",
        "-fopenacc",
        "-qopenmp",
        "-acc",
        "-h",
        "-flto",
        "-fprofile",
        "-pg",
        "-static",
        "-p",
        "-tp",
        "-Mcuda",
        "-cuda",
    )
    return tuple(flag for flag in flags if flag.startswith(wanted) and not flag.startswith("-mod"))


def _cuda_link_flags(cuda: Compiler) -> list[str]:
    """Where the CUDA runtime library of this nvcc is."""
    from hfpy.build.compile.cuda import library_folders

    return [*(f"-L{folder}" for folder in library_folders(cuda)), "-lcudart"]
