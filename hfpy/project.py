"""A project: what ``hfpy.toml`` says (design §5), as plain values, and the options that follow from it for a target."""

from __future__ import annotations

import fnmatch
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path

from hfpy.build import codes
from hfpy.build.fragments import fragments
from hfpy.build.settings.tomlplaces import find_key
from hfpy.changes import TUNE, Changes
from hfpy.diagnostics import Diagnostic, HfpyError, Place, UsageError, error
from hfpy.nosources import no_fortran, nothing_listed, nothing_named
from hfpy.options import (
    DEFAULT_BACKEND,
    GPU,
    TUNING_FILE,
    DebugPrint,
    Decompositions,
    DomainSpec,
    Machine,
    Options,
    ScriptFolder,
    Tuned,
    with_flags,
)
from hfpy.scale.network import Network
from hfpy.suffixes import FORTRAN
from hfpy.values import dataclass

PROJECT_FILE = "hfpy.toml"
MACHINE_FILE = "hfpy-machine.json"  # what `hfpy probe` measures
STORAGE_ORDER_FILE = "storage_order.F90"
STORAGE_ORDER_MACRO = "HFPY_STORAGE_ORDER"
TARGETS = ("cpu", "gpu")
KINDS = ("program", "library")
C_SUFFIXES = (".c",)
CUDA_SUFFIXES = (".cu",)

DEFAULT_FLAGS = ("-O3",)


@dataclass(frozen=True)
class TargetSettings:
    """What is set for one target; ``None`` and empty mean: take what is found on the machine or the project's own."""

    backend: str | None = None
    compiler: str | None = None
    c_compiler: str | None = None
    flags: tuple[str, ...] | None = None
    cflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    arch: str | None = None
    schedule: str | None = None
    opt: int | None = None
    specialise: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Scripts:
    """Where a project's scripts are, and the module with ``annotate`` (empty: none)."""

    folder: str
    annotate: str = ""


@dataclass(frozen=True)
class Project:
    """A project as its settings describe it. Paths in it are as the user wrote them, relative to ``root``.

    ``kind`` is ``program`` or ``library``, ``version`` what the library's users ask for.
    ``schemes`` and ``routines`` map a name to a backend for each target; ``layout_arrays`` maps an array
    to an order for each target. ``exports`` are procedures and variables that code outside of the project uses (None:
    as the sources tell). ``drop_directives`` are patterns of files in whose regions the user's own directives are
    dropped. ``legacy`` marks a Hybrid Fortran project that has no ``hfpy.toml``:
    its sources get the repairs of design §6, and ``install_dir`` is the folder that its executables are
    copied to; ``installed`` has by name, without the target, where those of its own build system go;
    ``cuda_everywhere`` says that its own CUDA C is for the CPU, too.
    """

    root: Path
    name: str
    sources: tuple[str, ...]
    kind: str = "program"
    version: str = "0"
    executables: tuple[str, ...] = ()
    storage_order: str | None = None
    define: tuple[str, ...] = ()
    build_dir: str = "build"
    named: bool = False  # whether a command names the sources, and not an hfpy.toml
    scratch: bool = False  # whether the build folder is one that hfpy made itself, outside of the project
    exclude: tuple[str, ...] = ()
    exports: tuple[str, ...] | None = None
    include_dirs: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    cflags: tuple[str, ...] = ()
    nvccflags: tuple[str, ...] = ()
    targets: Mapping[str, TargetSettings] = field(default_factory=dict)
    domains: Mapping[str, DomainSpec] = field(default_factory=dict)
    layout: Mapping[str, str] = field(default_factory=dict)
    layout_arrays: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    schemes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    routines: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    file_flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    debug_print: DebugPrint = field(default_factory=DebugPrint)
    decomposition: Decompositions = field(default_factory=Decompositions)
    legacy: bool = False
    install_dir: str | None = None
    installed: Mapping[str, str] = field(default_factory=dict)
    cuda_everywhere: bool = False
    drop_directives: tuple[str, ...] = ()
    directives_as_regions: bool = False
    auto: bool = False
    scripts: Scripts | None = None
    sizes_listed: tuple[tuple[str, tuple[int, ...]], ...] = ()

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """Every file that ``sources`` reaches, less what is excluded, each once, in the order of the entries, as they
        are when somebody asks first.

        Raises HfpyError for entries that name nothing.
        """
        return _files(self)

    @cached_property
    def fragments(self) -> frozenset[Path]:
        """Those of them that are parts of others."""
        folders = [self.root / folder for folder in self.include_dirs]
        return fragments((path for path in self.files if path.suffix in FORTRAN), folders)

    def target(self, name: str) -> TargetSettings:
        """The settings of a target, the defaults if nothing is set."""
        return self.targets.get(name, TargetSettings())

    def backend(self, target: str) -> str:
        """The backend that routines of the target get unless something else assigns one."""
        return self.target(target).backend or DEFAULT_BACKEND[target]

    def build_path(self, target: str) -> Path:
        """The folder that receives the target's executables and everything on the way to them."""
        return self.root / self.build_dir / f"{target}-{self.backend(target)}"

    def flags_of_file(self, path: Path) -> tuple[str, ...]:
        """The extra compiler flags of one source (``[files."x.f90"] flags``), by name or path in the project."""
        flags: list[str] = []
        for pattern, extra in self.file_flags.items():
            if matches(path, self.root, pattern):
                flags += extra
        return tuple(flags)


def matches(path: Path, root: Path, pattern: str) -> bool:
    """Whether a file is meant by a pattern: a glob or plain text on its name, its path in the project, or a folder."""
    relative = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    pattern = pattern.rstrip("/").removeprefix("./")
    return (
        fnmatch.fnmatchcase(path.name, pattern)
        or fnmatch.fnmatchcase(relative, pattern)
        or relative.startswith(f"{pattern}/")
    )


def _layouts_elsewhere(project: Project, target: str) -> tuple[str, ...]:
    """The layouts of other targets, of all and of single arrays."""
    layouts = [project.layout, *project.layout_arrays.values()]
    return tuple(text for orders in layouts for other, text in sorted(orders.items()) if other != target)


def options_for(project: Project, target: str) -> Options:
    """The translator's options for a target. Paths in them are absolute, or relative as ``project.root`` is."""
    settings = project.target(target)
    order = storage_order_file(project)
    options = Options(
        target=target,
        backend=project.backend(target),
        schemes={n: b[target] for n, b in project.schemes.items() if target in b},
        routines={n: b[target] for n, b in project.routines.items() if target in b},
        storage_order=order,
        define=project.define + settings.define,
        include_dirs=tuple(project.root / d for d in project.include_dirs),
        layout=project.layout.get(target),
        exports=project.exports,
        library=project.kind == "library",
        layout_arrays={n: o[target] for n, o in project.layout_arrays.items() if target in o},
        layouts_elsewhere=_layouts_elsewhere(project, target),
        domains=project.domains,
        legacy=project.legacy,
        debug_print=project.debug_print,
        decomposition=project.decomposition,
        specialise=settings.specialise,
        settings=Place(str(project.root / PROJECT_FILE)) if not project.legacy else None,
        drop_directives=_files_of(project, project.drop_directives),
        directives_as_regions=project.directives_as_regions,
        auto=project.auto,
        scripts=script_folder(project),
        sizes_listed=project.sizes_listed,
    )
    options = with_flags(options, settings.flags or ())
    if settings.schedule is not None:
        options = replace(options, schedule=settings.schedule)
    if settings.opt is not None:
        options = replace(options, opt=settings.opt)
    options = replace(options, machine=measured_machine(project.root, target), network=measured_network(project.root))
    tuning, changes = tuned_runs(project.root, target), tuned_kernels(project.root, target)
    return with_order_macro(replace(options, tuning=tuning, changes=changes))


def script_folder(project: Project) -> ScriptFolder | None:
    """The folder of a project's scripts, which nobody may run yet; None if it has none."""
    if project.scripts is None:
        return None
    folder = project.root / project.scripts.folder
    parts = [f"{p.name} {hashlib.sha256(p.read_bytes()).hexdigest()}" for p in sorted(folder.glob("*.py"))]
    return ScriptFolder(folder, project.scripts.annotate, hashlib.sha256("\n".join(parts).encode()).hexdigest())


def _files_of(project: Project, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The sources that one of the patterns means; ``*`` alone means all."""
    if not patterns or "*" in patterns:
        return patterns
    return tuple(str(p) for p in project.files if any(matches(p, project.root, x) for x in patterns))


def measured_machine(folder: Path, target: str = "cpu") -> Machine | None:
    """What a project's file says of its machine: what ``hfpy probe`` has measured of the CPU, figures of a GPU that
    somebody wrote there, the others being the model's own. None if it says nothing.

    Raises UsageError for a file that has something else.
    """
    path = folder / MACHINE_FILE
    if not path.is_file():
        return None
    try:
        entries = json.loads(path.read_text("utf-8"))
        entry = dict({"cpu": None, "gpu": None, **entries}[target] or {})
        if not entries.keys() <= {"cpu", "gpu", "network"}:
            raise ValueError
        if not entry:
            return None
        if target == "cpu":
            return Machine(**entry)
        assert GPU.device is not None
        device = replace(GPU.device, **(entry.pop("device", None) or {}))
        return replace(GPU, **entry, device=device)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"'{path}' is no result of hfpy probe: remove it, or probe again") from None


def measured_network(folder: Path) -> Network | None:
    """What ``hfpy probe --mpi`` has measured of messages; None if it has not been run.

    Raises UsageError for a file that has something else.
    """
    path = folder / MACHINE_FILE
    if not path.is_file():
        return None
    try:
        entry = json.loads(path.read_text("utf-8")).get("network")
        return Network(**entry) if entry else None
    except (OSError, ValueError, TypeError, AttributeError):
        raise UsageError(f"'{path}' is no result of hfpy probe: remove it, or probe again") from None


def tuned_runs(folder: Path, target: str) -> tuple[Tuned, ...]:
    """What ``hfpy tune`` has chosen for a target of the project in a folder; nothing if it has not been run.

    Raises UsageError for a file that it has not written like this.
    """
    path = folder / TUNING_FILE
    if not path.is_file():
        return ()
    try:
        entries = json.loads(path.read_text("utf-8"))[target]
        return tuple(Tuned(**{**entry, "groups": tuple(map(int, entry["groups"]))}) for entry in entries)
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(f"'{path}' is no result of hfpy tune: remove it, or tune again") from None


def tuned_kernels(folder: Path, target: str) -> tuple[Changes, ...]:
    """The transformations that ``hfpy tune --script`` has chosen for kernels of a project's target.

    Raises UsageError for a file that it has not written like this.
    """
    path = folder / TUNING_FILE
    if not path.is_file():
        return ()
    try:
        entries = json.loads(path.read_text("utf-8")).get("kernels", {}).get(target, [])
        names = ("kernel", "text", "backend")
        return tuple(
            Changes(calls=tuple(map(str, e["calls"])), by=TUNE, **{n: str(e[n]) for n in names}) for e in entries
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"'{path}' is no result of hfpy tune: remove it, or tune again") from None


def with_order_macro(options: Options) -> Options:
    """The options with the macro that tells the runtime library of a storage order file, if there is one."""
    if options.storage_order is None or STORAGE_ORDER_MACRO in options.define:
        return options
    return replace(options, define=(*options.define, STORAGE_ORDER_MACRO))


def storage_order_file(project: Project) -> Path | None:
    """The macro file: the one that is set, else a ``storage_order.F90`` among the sources, else none.

    Raises HfpyError if the one that is set is not there.
    """
    if project.storage_order is not None:
        path = project.root / project.storage_order
        if not path.is_file():
            raise HfpyError(
                [
                    error(
                        codes.NO_SOURCES,
                        f"storage order file not found: {path}",
                        key_place(project, "project", "storage_order"),
                    )
                ]
            )
        return path
    for path in project.files:
        if path.name == STORAGE_ORDER_FILE:
            return path
    return None


def include_folders(options: Options) -> tuple[Path, ...]:
    """Where included files are looked for, besides the folder of the source."""
    order = () if options.storage_order is None else (options.storage_order.parent,)
    return (*order, *options.include_dirs)


def source_files(project: Project, suffixes: Iterable[str] = FORTRAN) -> tuple[Path, ...]:
    """The project's sources with one of the suffixes, in a fixed order, without the storage order file and those that
    are parts of others.

    Raises HfpyError for entries of ``sources`` that name nothing.
    """
    wanted = frozenset(suffixes)
    order = storage_order_file(project)
    parts = project.fragments if wanted & {*FORTRAN} else frozenset()
    return tuple(p for p in project.files if p.suffix in wanted and p != order and p not in parts)


def key_place(project: Project, *path: str) -> Place:
    """The place of a key in the project's ``hfpy.toml``; the project's folder if it has none."""
    file = project.root / PROJECT_FILE
    try:
        return find_key(file.read_text(encoding="utf-8"), path, str(file))
    except OSError:
        return Place(str(project.root))


def fortran_missing(project: Project) -> Diagnostic:
    """The error for a project without Fortran files."""
    place = key_place(project, "project", "sources") if not project.named else Place(project.sources[0])
    everything = [path for entry in project.sources for path in _entry_files(project.root, entry)]
    root = project.root if not project.named else None
    return no_fortran(root, project.files, sorted({*everything} - {*project.files}), place)


def _files(project: Project) -> tuple[Path, ...]:
    problems, files = [], []
    for entry in project.sources:
        found = sorted(_entry_files(project.root, entry))
        if not found and project.named:
            problems.append(nothing_named(entry))
        elif not found:
            problems.append(nothing_listed(project.root, entry, key_place(project, "project", "sources")))
        files += found
    if problems:
        raise HfpyError(problems)
    build = project.root / project.build_dir
    return tuple(
        path
        for path in dict.fromkeys(files)
        if not path.is_relative_to(build) and not any(matches(path, project.root, x) for x in project.exclude)
    )


def _entry_files(root: Path, entry: str) -> Iterator[Path]:
    path = root / entry
    if path.is_dir():
        yield from (p for p in path.rglob("*") if p.is_file() and not _hidden(p, path))
    elif path.is_file():
        yield path
    elif any(c in entry for c in "*?[") and not Path(entry).is_absolute():
        for match in root.glob(entry.removeprefix("./")):
            if match.is_dir():
                yield from _entry_files(root, str(match.relative_to(root)))
            else:
                yield match


def _hidden(path: Path, base: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(base).parts)
