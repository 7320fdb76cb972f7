"""Existing Hybrid Fortran projects, without ``hfpy.toml``, as projects of hfpy (hybrid-fortran.md §13, design §6)."""

from __future__ import annotations

import difflib
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hfpy.build import codes
from hfpy.build.compile.compilers import Compiler, Language, find_compiler, named_compiler
from hfpy.build.existing.framework import installed_programs, place_of, read_framework
from hfpy.build.existing.legacyflags import translate_flags, unknown_flags
from hfpy.build.existing.makesettings import GENERAL, Settings, read_settings
from hfpy.build.files import explained, require_inside
from hfpy.diagnostics import Diagnostic, HfpyError, Place, error, note, warning
from hfpy.options import DebugPrint
from hfpy.project import PROJECT_FILE, Project, TargetSettings
from hfpy.suffixes import FORTRAN, HYBRID
from hfpy.version import PACKAGE

HF_DIR = PACKAGE.resolve() / "makefiles" / "hf"

Finder = Callable[[Language, str | None, Mapping[str, str]], Compiler]
# @scheme{name(X)}, as it is in a line of hybrid sources.
_SCHEME = re.compile(r"@scheme\s*\{[^}]*?(?:name\s*\(\s*)?(\w+)\s*\)?\s*\}", re.IGNORECASE)
_BACKENDS = {
    "FortranImplementation": "sequential",
    "OpenMPFortranImplementation": "openmp",
    "TraceGeneratingFortranImplementation": "sequential",
    "PGIOpenACCFortranImplementation": "openacc",
    "DebugPGIOpenACCFortranImplementation": "openacc",
    "TraceCheckingOpenACCFortranImplementation": "openacc",
    "CUDAFortranImplementation": "cuda-fortran",
    "DebugCUDAFortranImplementation": "cuda-fortran",
    "DebugEmulatedCUDAFortranImplementation": "cuda-fortran",
}
# Backends of the project, and the backends of schemes that give way to them: no program has two runtimes for devices.
_ALONG = {
    "cuda-c": ("openacc",),
    "hip": ("openacc", "cuda-c", "cuda-fortran"),
    "opencl": ("openacc", "cuda-c", "cuda-fortran"),
}
# The library that the predecessor makes of a project, where nothing else is said: settings link with -lpp.
_OWN_LIBRARY = "pp"
_DEFAULTS = {
    ("cpu", "PRODUCTION"): "OpenMPFortranImplementation",
    ("cpu", "DEBUG"): "FortranImplementation",
    ("gpu", "PRODUCTION"): "CUDAFortranImplementation",
    ("gpu", "DEBUG"): "DebugCUDAFortranImplementation",
}
_DEBUG_PRINT = "DEBUG_PRINT"
_OPENMP = "_OPENMP"
_MPI = "USE_MPI"  # the macro that makes init_hf ask for the process's number (§12)
_WRAPPER = "mpifort"
_LEVEL = "-O3"  # what the compilers that such settings were written for do by themselves is not far from it
_WITHOUT_EFFECT = {
    "LIBRARY_OBJECTS": "hfpy finds the order of the objects by itself",
    "AUTO_DEPENDENCY_GENERATOR_SCRIPT": "hfpy finds the dependencies by itself",
    "ACCURACY_TEST_PARAMETERS": "the tests compare with a tolerance of 1e-6",
    "FRAMEWORK_NON_HYBRID_EXECUTABLE_PATHS": "hfpy builds hybrid programs alone",
    "CUDAFLAGS": "hfpy gives nvcc flags of its own",
}


def is_legacy(folder: Path) -> bool:
    """Whether a folder holds an existing Hybrid Fortran project and no ``hfpy.toml``."""
    return (folder / "config" / GENERAL).is_file() and not (folder / PROJECT_FILE).is_file()


def load_legacy(
    folder: Path,
    target: str,
    environment: Mapping[str, str],
    *,
    debug: bool,
    runs: bool = False,
    backend: str | None = None,
) -> tuple[Project, tuple[Diagnostic, ...]]:
    """The project in ``folder`` as its ``config`` describes it for a target, and what was translated or has no effect.
    ``backend`` is what the user asks for in place of the project's; schemes go along where the two cannot be in one
    program.

    Nothing is executed unless ``runs``: then compilers are asked what they are, and make where settings run commands.
    Raises HfpyError for unusable settings, ToolError if make cannot read them or there is no compiler.
    """
    settings = read_settings(folder, target, environment, debug=debug, hf_dir=HF_DIR, runs=runs)
    find = find_compiler if runs else named_compiler
    debug = debug or settings.text("DEBUG_MODE").lower() == "true"
    flags = [flag for word in settings.words("OPTION_FLAGS") for flag in word.split(",") if flag]
    notes = list(_without_effect(settings, flags))
    source = _relative(settings.text("SRC_DIR_COMMON", "source"))
    if not (folder / source).is_dir():
        place = settings.place("SRC_DIR_COMMON")
        raise HfpyError([error(codes.NO_SOURCES, f"the folder of sources '{source}' is not there", place)])
    build = _relative(settings.text("BASEDIR", "build"))
    mode = "DEBUG" if debug else "PRODUCTION"
    macros, folders = _preprocessor_flags(settings, notes)
    sources = (source, *_framework_folders(settings, folder / source))
    used = _schemes_in(folder / name for name in sources)
    found = _schemes(settings, target, mode, used, notes)
    settings_of_target = _target(settings, target, mode, environment, notes, find, _MPI in macros)
    schemes = {}
    for name, class_name, key in found:
        own = _backend(settings, class_name, key, notes)
        chosen = backend or settings_of_target.backend or ""
        schemes[name] = {target: _beside(chosen, own, name, settings.place(key), notes)}
    settings_of_target = _with_framework(settings, settings_of_target, sources, notes)
    project = Project(
        root=folder,
        name=settings.text("HYBRID_LIBRARY_FILENAME_POSTFIX", folder.resolve().name),
        sources=sources,
        executables=settings.words("EXECUTABLES"),
        define=macros,
        build_dir=build,
        exclude=_exceptions(folder, source, build, settings.words("EXCEPTIONS")),
        include_dirs=(*folders, *dict.fromkeys(f for s in sources for f in _folders_of(folder / s, folder))),
        targets={target: settings_of_target},
        schemes=schemes,
        debug_print=DebugPrint(on=_DEBUG_PRINT in flags),
        legacy=True,
        install_dir=_relative(settings.text("TESTDIR", "test")),
        installed=installed_programs(settings),
        cuda_everywhere=_cuda_everywhere(settings, target, sources, notes),
    )
    return project, tuple(dict.fromkeys(notes))


def _without_effect(settings: Settings, flags: Sequence[str]) -> Iterator[Diagnostic]:
    """Notes on what is set and has no effect here; ``flags`` are those of ``OPTION_FLAGS``."""
    for key, why in _WITHOUT_EFFECT.items():
        if settings.words(key):
            yield note(codes.SETTING_IGNORED, f"{key} has no effect: {why}", settings.place(key))
    for place, key, why in settings.unknown:
        message = f"{f'{key}: ' if key else ''}{why}; only commands that build run anything"
        yield note(codes.SETTING_IGNORED, message, place)
    if settings.text("TEST_WITH_EVERY_BUILD").lower() == "true":
        message = "TEST_WITH_EVERY_BUILD has no effect: 'make tests' builds and tests"
        yield note(codes.SETTING_IGNORED, message, settings.place("TEST_WITH_EVERY_BUILD"))
    for flag in (f for f in flags if f != _DEBUG_PRINT):
        message = f"OPTION_FLAGS: {flag} has no effect: there are no such settings here"
        yield note(codes.SETTING_IGNORED, message, settings.place("OPTION_FLAGS"))


def copy_of(project: Project, target: str, name: str, executables: Collection[str]) -> Path:
    """Where an executable of an existing project is copied to."""
    there = place_of(name, executables, project.installed) or f"{project.install_dir or 'test'}/{name}/{name}"
    return project.root / f"{there}_{target}"


def install(project: Project, target: str, executables: Mapping[str, Path]) -> dict[str, Path]:
    """Copy executables to where an existing project has them, ``test/NAME/NAME_cpu`` or where those of its own build
    system go; the copies by name.

    Raises HfpyError if one cannot be written.
    """
    copies = {}
    for name, path in executables.items():
        copy = copy_of(project, target, name, executables)
        require_inside(project.root, copy.parent, Place(str(project.root)))
        temporary = copy.with_name(f".{copy.name}.tmp")
        with explained(copy):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, temporary)
            os.replace(temporary, copy)
        copies[name] = copy
    return copies


def _target(
    settings: Settings,
    target: str,
    mode: str,
    environment: Mapping[str, str],
    notes: list[Diagnostic],
    find: Finder,
    mpi: bool,
) -> TargetSettings:
    """Compilers and flags of the target, in the words of what is on this machine. ``mpi`` asks for one that finds
    the modules and libraries of MPI, where the compiler of the settings is not there.
    """
    key = f"{target.upper()}_IMPLEMENTATION_{mode}"
    name = settings.text(key, _DEFAULTS[target, mode])
    fortran = _compiler(settings, "FC", "fortran", environment, notes, find, _WRAPPER if mpi else None)
    c = _compiler(settings, "CC", "c", environment, notes, find) if settings.text("CC") else None
    own_library = f"-l{settings.text('HYBRID_LIBRARY_FILENAME_POSTFIX', _OWN_LIBRARY)}"
    asking = environment if find is find_compiler else None
    flags = _flags(settings, "FFLAGS", fortran, notes, asking)
    if mode == "PRODUCTION" and not any(flag.startswith("-O") for flag in flags):
        flags = (_LEVEL, *flags)
        message = f"FFLAGS has no level of optimisation, {_LEVEL} is used"
        notes.append(note(codes.SETTING_TRANSLATED, message, settings.place("FFLAGS")))
    link = tuple(f for f in _flags(settings, "LDFLAGS", fortran, notes, asking) if f != own_library)
    if Path(fortran.command[0]).name.startswith("mpi"):
        link = _without_mpi(settings, link, fortran.command[0], notes)
    if fortran.family == "gnu":
        flags = ("-std=legacy", *flags)  # such code was written for a lenient compiler
    return TargetSettings(
        backend=_backend(settings, name, key, notes),
        compiler=" ".join(fortran.command),
        c_compiler=" ".join(c.command) if c else None,
        flags=flags,
        cflags=_flags(settings, "CFLAGS", c, notes, asking) if c else settings.words("CFLAGS"),
        ldflags=link,
    )


def _compiler(
    settings: Settings,
    key: str,
    language: Language,
    environment: Mapping[str, str],
    notes: list[Diagnostic],
    find: Finder,
    rather: str | None = None,
) -> Compiler:
    """The compiler that is set, or another where that is not on this machine: ``rather`` if it is. A note says so."""
    asked = settings.text(key)
    command = asked.split()
    if not asked or key in environment:
        return find(language, None, environment)
    if shutil.which(command[0]):
        return find(language, asked, environment)
    found = find(language, rather if rather is not None and shutil.which(rather) else None, environment)
    message = f"{key}={asked} is not on this machine, {' '.join(found.command)} is used"
    notes.append(note(codes.SETTING_TRANSLATED, message, settings.place(key)))
    return found


def _without_mpi(settings: Settings, flags: tuple[str, ...], compiler: str, notes: list[Diagnostic]) -> tuple[str, ...]:
    """Flags of the linker without MPI's own libraries, whose names are those of one MPI: its compiler knows them."""
    gone = [flag for flag in flags if re.fullmatch(r"-l(?:f?mpi|f?mpich|mpl|opa)(?:[_-]?\w+)*", flag)]
    if gone:
        message = f"LDFLAGS: left out: {' '.join(gone)}; {compiler} links its own MPI"
        notes.append(note(codes.SETTING_TRANSLATED, message, settings.place("LDFLAGS")))
    return tuple(flag for flag in flags if flag not in gone)


def _flags(
    settings: Settings,
    key: str,
    compiler: Compiler,
    notes: list[Diagnostic],
    environment: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Flags in the words of the compiler; with an environment it is asked which of them it does not know."""
    words = settings.words(key)
    translated = translate_flags(words, compiler.family)
    unknown: list[str] = []
    if environment is not None and compiler.family == "gnu":
        unknown = unknown_flags(translated.flags, compiler.command, "c" if key == "CFLAGS" else "f95", environment)
    if translated.changed or unknown:
        changes = [f"{old} → {new}" for old, new in translated.changed if new]
        dropped = [*(old for old, new in translated.changed if not new), *unknown]
        reported = [*changes, *([f"left out: {' '.join(dropped)}"] if dropped else [])]
        message = f"{key} was translated for {compiler.command[0]}: {'; '.join(reported)}"
        notes.append(note(codes.SETTING_TRANSLATED, message, settings.place(key)))
    return tuple(flag for flag in translated.flags if flag not in unknown)


def _backend(settings: Settings, name: str, key: str, notes: list[Diagnostic]) -> str:
    """The backend for the name of a class. Raises HfpyError for a name that is none."""
    if name not in _BACKENDS:
        hint = f"known are {', '.join(_BACKENDS)}"
        raise HfpyError([error(codes.WRONG_VALUE, f"{key}: unknown backend class '{name}'", settings.place(key), hint)])
    backend = _BACKENDS[name]
    if backend == "cuda-fortran" and shutil.which("nvfortran") is None:
        backend = "cuda-c"
        message = f"{name} needs nvfortran, which is not on this machine; the backend cuda-c is used"
        notes.append(note(codes.SETTING_TRANSLATED, message, settings.place(key)))
    if name.startswith(("Trace", "DebugEmulated")):
        message = f"{name} is built as backend {backend}, without tracing or emulation"
        notes.append(note(codes.SETTING_TRANSLATED, message, settings.place(key)))
    return backend


def _beside(default: str, backend: str, scheme: str, place: Place, notes: list[Diagnostic]) -> str:
    """The backend of a scheme beside the project's: that of its class, or the project's where no program can have both
    or where one compiler alone lets OpenACC and CUDA share arrays.
    """
    if backend not in _ALONG.get(default, ()):
        return backend
    message = f"the scheme {scheme} is built as backend {default}, like the rest: it has reductions, too"
    notes.append(note(codes.SETTING_TRANSLATED, message, place))
    return default


def _schemes(
    settings: Settings, target: str, mode: str, used: Collection[str], notes: list[Diagnostic]
) -> list[tuple[str, str, str]]:
    """Scheme, backend class and key of every ``GPU_IMPLEMENTATION_PRODUCTION_SCHEME`` for the target and mode. Only
    schemes that the sources have count (§13.5); settings of others are reported, files of ``config`` are not.
    """
    prefix = f"{target.upper()}_IMPLEMENTATION_{mode}_"
    found = {key.removeprefix(prefix): (settings.text(key), key) for key in settings.values if key.startswith(prefix)}
    if target == "gpu":
        found.setdefault("REDUCTION_SUPPORT", ("PGIOpenACCFortranImplementation", f"{prefix}REDUCTION_SUPPORT"))
    by_case = {name.lower(): name for name in used}
    for scheme, (_, key) in sorted(found.items()):
        place = settings.place(key)
        if scheme.lower() not in by_case and place.line:
            near = difflib.get_close_matches(scheme.lower(), list(by_case), 1, 0.6)
            hint = f"did you mean '{by_case[near[0]]}'?" if near else ""
            message = f"{key} has no effect: no source has a @scheme '{scheme}'"
            notes.append(warning(codes.NAME_UNKNOWN, message, place, hint))
    return [(scheme, name, key) for scheme, (name, key) in sorted(found.items()) if scheme.lower() in by_case]


def _schemes_in(folders: Iterable[Path]) -> set[str]:
    """The names of the schemes in hybrid sources, as far as single lines tell them."""
    files = (path for folder in folders for path in _sources_in(folder) if path.suffix in HYBRID)
    return {name for path in files for name in _SCHEME.findall(path.read_text(encoding="utf-8", errors="replace"))}


def _cuda_everywhere(settings: Settings, target: str, sources: Sequence[str], notes: list[Diagnostic]) -> bool:
    """Whether the CUDA C of a project is compiled for the CPU, too: where its settings for the CPU name a compiler for
    it, and this machine has one. A note says what is left out.
    """
    found = [p for folder in sources for p in _sources_in(settings.folder / folder) if p.suffix == ".cu"]
    if target != "cpu" or not found:
        return False
    if settings.text("CUDAC") and shutil.which("nvcc"):
        return True
    why = "nvcc is not on this machine" if settings.text("CUDAC") else "MakesettingsCPU has no CUDAC"
    message = f"left out: {' '.join(sorted(p.name for p in found))}; {why}"
    notes.append(note(codes.SETTING_IGNORED, message, settings.place("CUDAC")))
    return False


def _framework_folders(settings: Settings, source: Path) -> tuple[str, ...]:
    """The folders of a framework, if one of them holds a main program that is not among the sources themselves."""
    missing = set(settings.words("EXECUTABLES")) - {path.stem for path in _sources_in(source)}
    folders = [_relative(word) for word in settings.words("FRAMEWORK_DIRS")]
    held = {path.stem for f in folders for path in _sources_in(settings.folder / f)}
    return tuple(f for f in folders if (settings.folder / f).is_dir()) if missing & held else ()


def _with_framework(
    settings: Settings, chosen: TargetSettings, sources: Sequence[str], notes: list[Diagnostic]
) -> TargetSettings:
    """The settings with the libraries that the framework's makefile links; what is not followed is said."""
    if not settings.words("FRAMEWORK_MAKEFILE"):
        return chosen
    place = settings.place("FRAMEWORK_MAKEFILE")
    path = settings.folder / _relative(settings.text("FRAMEWORK_MAKEFILE"))
    stems = {file.stem for folder in sources for file in _sources_in(settings.folder / folder)}
    own = f"-l{settings.text('HYBRID_LIBRARY_FILENAME_POSTFIX', _OWN_LIBRARY)}"
    found = read_framework(path, stems | {*settings.words("EXECUTABLES")}, {*chosen.ldflags, own, "-L."})
    message = "FRAMEWORK_MAKEFILE is not run: hfpy builds the executables by itself"
    if found.link_flags:
        message += f", linked with {' '.join(found.link_flags)} as there"
    if found.ignored:
        message += f"; left out: {' '.join(found.ignored)}"
    notes.append(note(codes.SETTING_IGNORED, message, place))
    return replace(chosen, ldflags=(*chosen.ldflags, *found.link_flags))


def _preprocessor_flags(settings: Settings, notes: list[Diagnostic]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Macros and include folders in PFLAGS, ``-DNAME`` or ``-D NAME``; what else is there is reported."""
    found: dict[str, list[str]] = {"-D": [], "-I": []}
    left: list[str] = []
    words = list(settings.words("PFLAGS"))
    while words:
        word = words.pop(0)
        kind, value = word[:2], word[2:]
        if kind not in found:
            left.append(word)
        elif value or words:
            found[kind].append(value or words.pop(0))
    if _OPENMP in found["-D"]:  # compilers define it themselves, where they compile with OpenMP
        found["-D"].remove(_OPENMP)
        left.append(f"-D{_OPENMP}")
    if left:
        message = f"PFLAGS: left out: {' '.join(left)}"
        notes.append(note(codes.SETTING_TRANSLATED, message, settings.place("PFLAGS")))
    return tuple(found["-D"]), tuple(found["-I"])


def _exceptions(folder: Path, source: str, build: str, words: Sequence[str]) -> tuple[str, ...]:
    """The sources whose path holds one of the words as a whole word."""
    if not words:
        return ()
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    paths = (p.relative_to(folder).as_posix() for p in _sources_in(folder / source))
    return tuple(p for p in sorted(paths) if not p.startswith(f"{build}/") and pattern.search(p))


def _folders_of(source: Path, folder: Path) -> list[str]:
    """All folders with sources: such projects are compiled in one flat folder, where every file sees every other."""
    folders = {source, *(path.parent for path in source.rglob("*") if path.is_file())}
    return [path.relative_to(folder).as_posix() for path in sorted(folders)]


def _sources_in(folder: Path) -> Iterable[Path]:
    return (p for p in folder.rglob("*") if p.is_file() and p.suffix in (*FORTRAN, ".c", ".cu"))


def _relative(path: str) -> str:
    return path.removeprefix("./").rstrip("/") or "."
