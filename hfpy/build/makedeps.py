"""What ``hfpy.mk`` needs to know: objects, module dependencies and compiler options, as a fragment for make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from hfpy.build.compile.graph import CompiledFile, dependencies
from hfpy.build.compile.includes import IncludeScanner
from hfpy.build.compile.objects import remove_stale_modules
from hfpy.build.compile.tools import Tools, find_tools
from hfpy.build.driver import compiled_files, executables
from hfpy.build.files import write_atomically
from hfpy.build.translated import Translated
from hfpy.diagnostics import UsageError
from hfpy.options import Options
from hfpy.project import C_SUFFIXES, Project, include_folders, source_files
from hfpy.suffixes import FREE, PREPROCESSED

_FORBIDDEN = frozenset(" \t#:$%\\|;&<>()'\"*?[]")


def write_depfile(
    depfile: Path, project: Project, options: Options, translated: Translated, environment: Mapping[str, str]
) -> None:
    """Write the fragment that ``hfpy.mk`` includes, after everything it speaks of is in place.

    The fragment is remade when a source, a folder of sources, or a file included by one changes.
    Raises UsageError for file names that make cannot handle, HfpyError for faults in the project, ToolError if
    a compiler is missing.
    """
    mains = executables(project, translated.files, depfile.parent)
    files = compiled_files(translated.files, mains)
    foreign = source_files(project, C_SUFFIXES)
    tools = find_tools(
        project,
        options,
        environment,
        openmp=translated.openmp,
        modules={module for file in translated.files for module in file.uses},
        debug=False,
        suffixes=frozenset(path.suffix for path in foreign),
    )
    fragment = _Fragment(depfile, tools, IncludeScanner([f.resolve() for f in include_folders(options)]))
    fragment.inputs(project, options, translated)
    fragment.settings(options)
    fragment.fortran(project, files)
    fragment.foreign(foreign)
    fragment.link(files, mains, foreign)
    text = fragment.text()
    modules = depfile.parent / "modules"
    if modules.is_dir():
        remove_stale_modules(modules, files)
    write_atomically(depfile, text.encode("utf-8", "surrogateescape"))


class _Fragment:
    """Lines of make in the making. Folders are spoken of through HFPY_BUILD, as in ``hfpy.mk``."""

    def __init__(self, depfile: Path, tools: Tools, scanner: IncludeScanner) -> None:
        self.depfile, self.tools, self.scanner = depfile, tools, scanner
        self.lines: list[str] = ["# Made by hfpy for hfpy.mk; it is made again when a source changes."]

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def inputs(self, project: Project, options: Options, translated: Translated) -> None:
        """The fragment itself depends on all sources, what they include, and the folders where new ones may appear."""
        sources = [file.source for file in translated.files]
        found: dict[Path, None] = dict.fromkeys([*sources, *project.files])
        if options.storage_order is not None:
            found[options.storage_order] = None
        for source in sources:
            found |= dict.fromkeys(self.scanner.closure(source, source.read_bytes()))
        found |= dict.fromkeys(folder for folder in _folders(project))
        names = [_name(path) for path in found]
        self.lines.append(f"{_name(self.depfile)}: {' '.join(names)}")
        # A file that is gone is no error: what was made from it goes too.
        self.lines += [f"{name}:" for name in names]

    def settings(self, options: Options) -> None:
        """Options that all compilations share."""
        spelling = self.tools.fortran.spelling
        macros = " ".join(f"-D{_quoted(d)}" for d in self.tools.definitions)
        folders = " ".join(f"-I{_name(folder)}" for folder in include_folders(options) if folder.is_dir())
        parallel = " ".join(self.tools.parallel)
        self.lines += [
            f"HFPY_CPP := {' '.join(spelling.preprocess)} {macros}".rstrip(),
            f"HFPY_DEFINES := {macros}".rstrip(),
            f"HFPY_LONG_LINES := {' '.join(spelling.long_lines)}".rstrip(),
            f"HFPY_SELECTIONS := {' '.join(spelling.selections)} {_unless_trapping(spelling.untrapped)}".rstrip(),
            f"HFPY_PARALLEL := {parallel}".rstrip(),
            f"HFPY_INCLUDES := {folders}".rstrip(),
            f"HFPY_MODULE_OUT := {' '.join(spelling.module_out)}",
        ]

    def fortran(self, project: Project, files: Iterable[CompiledFile]) -> None:
        """For each generated file its object, and on which modules and included files that depends."""
        files = tuple(files)
        needs = dependencies(files)
        provider = {module: file.name for file in files for module in file.provides}
        self.lines.append(f"HFPY_GENERATED := {' '.join(f'$(HFPY_BUILD)/generated/{_text(f.name)}' for f in files)}")
        for file in files:
            target = _object(file.name)
            data = file.path.read_bytes()
            modules = [m for m in dict.fromkeys(file.uses) if provider.get(m, file.name) != file.name]
            included = self.scanner.closure(file.path, data, [file.source.parent])
            before = [*(_module(m) for m in modules), *(_name(path) for path in included)]
            if file.contents.submodules:  # reads more of its module than the module file's users see
                before += [_object(name) for name in needs[file.name]]
            self.lines.append(f"{target}: {' '.join(before)}".rstrip())
            flags = [f"-I{_name(file.source.parent)}", *project.flags_of_file(file.source)]
            if file.path.suffix in PREPROCESSED or file.contents.preprocessed:
                flags.insert(0, "$(HFPY_CPP)")
            if file.path.suffix in FREE:
                flags.insert(0, "$(HFPY_LONG_LINES)")
            if file.contents.free_form:
                flags.append(" ".join(self.tools.fortran.spelling.in_free_form))
            if file.contents.selections:
                flags.append("$(HFPY_SELECTIONS)")
            self.lines.append(f"{target}: HFPY_FILE_FLAGS := {' '.join(flags)}")
            self.lines += [f"{_module(module)}: {target}" for module in file.provides]

    def foreign(self, sources: Iterable[Path]) -> None:
        """For each C file its object, with the recipe, since these are compiled where they are."""
        for source in sources:
            included = self.scanner.closure(source, source.read_bytes())
            before = " ".join(_name(path) for path in (source, *included))
            self.lines += [f"{_foreign_object(source)}: {before} $(HFPY_BUILD)/flags", "\t$(HFPY_COMPILE_C)"]

    def link(self, files: Iterable[CompiledFile], mains: Mapping[str, CompiledFile], foreign: Iterable[Path]) -> None:
        """The archive's members, and for each executable its main object."""
        others = [file for file in files if not file.programs]
        always = [_object(file.name) for file in others if file.contents.block_data]
        members = [_object(file.name) for file in others if not file.contents.block_data]
        members += [_foreign_object(source) for source in foreign]
        self.lines += [
            f"HFPY_MEMBERS := {' '.join(members)}".rstrip(),
            f"HFPY_ALWAYS := {' '.join(always)}".rstrip(),
            f"HFPY_EXECUTABLES := {' '.join(f'$(HFPY_BUILD)/{_text(name)}' for name in mains)}",
        ]
        self.lines += [f"$(HFPY_BUILD)/{_text(name)}: {_object(file.name)}" for name, file in mains.items()]


def _folders(project: Project) -> list[Path]:
    """The folders of sources: their time changes when a file comes or goes."""
    folders: dict[Path, None] = {}
    for entry in project.sources:
        path = project.root / entry
        if path.is_dir():
            build = project.root / project.build_dir
            inner = (p for p in sorted(path.rglob("*")) if p.is_dir() and not p.is_relative_to(build))
            folders |= dict.fromkeys([path, *(p for p in inner if not p.name.startswith("."))])
    return list(folders)


def _unless_trapping(flags: tuple[str, ...]) -> str:
    """Flags for programs that do not stop at traps of floating-point numbers."""
    return f"$(if $(findstring trap,$(FFLAGS)),,{' '.join(flags)})" if flags else ""


def _object(name: str) -> str:
    return f"$(HFPY_BUILD)/objects/{_text(name)}.o"


def _module(name: str) -> str:
    return f"$(HFPY_BUILD)/modules/{_text(name)}.mod"


def _foreign_object(source: Path) -> str:
    return f"$(HFPY_BUILD)/objects/c/{_text('_'.join(source.parts))}.o"


def _name(path: Path) -> str:
    return _text(path.as_posix())


def _text(text: str) -> str:
    if not _FORBIDDEN.isdisjoint(text):
        raise UsageError(f"make cannot handle the file name '{text}': it holds a blank or a special character")
    return text


def _quoted(definition: str) -> str:
    """A macro's definition as a word of a shell command within a makefile."""
    escaped = definition.replace("'", "'\\''").replace("$", "$$").replace("#", "\\#")
    return f"'{escaped}'"
