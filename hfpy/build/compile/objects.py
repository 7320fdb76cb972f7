"""Compiling one file at a time, and knowing when that is not needed.

Beside every object lies a record of what it was made from. The record goes before the object is replaced and
comes back, renamed into place, after it: an object without a matching record is never taken as good.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from hfpy.build import codes
from hfpy.build.compile.compilers import Family, shown
from hfpy.build.compile.cuda import CudaTools
from hfpy.build.compile.graph import CompiledFile, closure
from hfpy.build.compile.includes import IncludeScanner
from hfpy.build.compile.messages import Origin, mapped, user_path
from hfpy.build.compile.tasks import Processes
from hfpy.build.compile.tools import Tools
from hfpy.build.files import digest, explained, file_digest, read_json, write_json
from hfpy.diagnostics import ToolError
from hfpy.values import dataclass

_UNDEFINED = re.compile(r"\bundefined (?:reference to|symbol:?) [`'\u2018]?(\w+)")
_PGI_DATE = re.compile(rb"^\d\d/\d\d/\d{4}\s+\d\d:\d\d:\d\d$", re.M)


@dataclass
class Objects:
    """The objects and module files of one build folder. ``compile_*`` may be called from several threads.

    ``needs`` gives for each file (by name) the files whose modules it uses. ``say`` takes what compilers
    print, already led back to the user's lines; ``reported`` is called with each command that is run. ``always`` are
    objects that are linked though nothing refers to them.
    """

    folder: Path
    root: Path
    tools: Tools
    files: Mapping[str, CompiledFile]
    needs: Mapping[str, Sequence[str]]
    processes: Processes
    flags_of: Callable[[Path], tuple[str, ...]]
    say: Callable[[str], None]
    reported: Callable[[str], None]
    compiled: list[str] = field(default_factory=list)
    always: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        self.root = self.root.resolve()
        self.modules = self.folder / "modules"
        self.objects = self.folder / "objects"
        self._scanner = IncludeScanner(self.tools.include_dirs)
        self._module_digests: dict[str, dict[str, str]] = {}
        with explained(self.folder):
            self.modules.mkdir(parents=True, exist_ok=True)
            self.objects.mkdir(parents=True, exist_ok=True)

    def object_of(self, name: str) -> Path:
        """The object of a file, by the file's name below the folder of generated files."""
        return self.objects / f"{name}.o"

    def compile_fortran(self, name: str, extra: Sequence[str] = ()) -> None:
        """Compile a file, with ``extra`` flags, unless its object is good.

        Raises ToolError with the compiler's output if that fails.
        """
        file, target = self.files[name], self.object_of(name)
        private = target.with_name(f"{target.name}.modules")
        temporary = target.with_name(f"{target.name}.tmp")
        module_flags = self.tools.fortran.module_flags(self._seen(private), self._seen(self.modules))
        own = self.flags_of(file.source)
        preprocessed = file.contents.preprocessed or self.tools.asks_for_preprocessor(own)
        flags = [*(self.tools.preprocessing() if preprocessed else ()), *own, *extra]
        paths = self._seen(file.path), self._seen(temporary)
        command = self.tools.fortran_command(*paths, [self._seen(file.source.parent)], flags, module_flags)
        if self._apart:
            command = self._from_elsewhere(command)
        key = digest(*command, self.tools.fortran.version, file.digest, *self._surroundings(file))
        record = self._good_record(target, key)
        if record is not None:
            self._module_digests[name] = record
            return
        with explained(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            self._record_of(target).unlink(missing_ok=True)
            shutil.rmtree(private, ignore_errors=True)
            private.mkdir()
        origins = [Origin(file.path, file.source, file.line_map)]
        self._run(command, origins, user_path(file.source), private if self._apart else None)
        with explained(target):
            digests = self._take_modules(private)
            os.replace(temporary, target)
        self._module_digests[name] = digests
        self._write_record(target, key, digests)

    def compile_c(self, source: Path, target: Path) -> None:
        """Compile a C or CUDA file unless its object is good. Raises ToolError with the compiler's output."""
        temporary = target.with_name(f"{target.name}.tmp")
        command = self.tools.c_command(self._seen(source), self._seen(temporary), self.flags_of(source))
        compiler = self.tools.cuda if source.suffix == ".cu" else self.tools.c
        try:
            data = source.read_bytes()
        except OSError as fault:
            raise ToolError(f"{user_path(source)}: cannot be read: {fault.strerror}") from None
        included = [file_digest(path) for path in self._scanner.closure(source, data)]
        key = digest(*command, compiler.version if compiler else "", digest(data), *included)
        if self._good_record(target, key) is not None:
            return
        with explained(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            self._record_of(target).unlink(missing_ok=True)
        self._run(command, [], user_path(source))
        with explained(target):
            os.replace(temporary, target)
        self._write_record(target, key, {})

    def compile_kernels(self, name: str, cuda: CudaTools) -> None:
        """Compile a file of kernels unless its object is good. Raises ToolError with the compiler's output."""
        file, target = self.files[name], self.object_of(name)
        temporary = target.with_name(f"{target.name}.tmp")
        command = cuda.kernel_command(self._seen(file.path), self._seen(temporary))
        key = digest(*command, cuda.compiler.version, file.digest, *(file_digest(path) for path in cuda.headers()))
        if self._good_record(target, key) is not None:
            return
        with explained(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            self._record_of(target).unlink(missing_ok=True)
        self._run(command, [Origin(file.path, file.source, file.line_map)], f"{user_path(file.source)} (kernels)")
        with explained(target):
            os.replace(temporary, target)
        self._write_record(target, key, {})

    def link(self, objects: Sequence[Path], target: Path, shared: bool = False) -> None:
        """Link objects into an executable or a ``shared`` library, unless it is good.

        Raises ToolError with the linker's output.
        """
        seen, temporary = map(self._seen, objects), self._seen(_unfinished(target))
        if shared:
            command = self.tools.shared_command(seen, temporary, target.name)
        else:
            command = self.tools.link_command(seen, temporary)
        self._put_together(command, objects, target)

    def archive(self, objects: Sequence[Path], target: Path, whole: bool = False) -> None:
        """Put objects into an archive, unless it is good; all in one member if a program must get the ``whole``.

        Raises ToolError with the output of the tools.
        """
        members = list(objects)
        if whole:
            members = [self.objects / f"{target.stem}.whole.o"]
            command = ["ld", "-r", "-o", str(self._seen(_unfinished(members[0]))), *map(str, map(self._seen, objects))]
            self._put_together(command, objects, members[0])
        # Not "r": it takes objects of the same name from two folders for one.
        command = ["ar", "qcs", str(self._seen(_unfinished(target))), *map(str, map(self._seen, members))]
        self._put_together(command, members, target)

    def _put_together(self, command: Sequence[str], objects: Sequence[Path], target: Path) -> None:
        temporary = _unfinished(target)
        record = self.objects / f"{target.name}.link"
        named = [*objects, *self._libraries(command)]
        key = digest(*command, self.tools.fortran.version, *(file_digest(path) for path in named))
        if self._good_record(target, key, record) is not None:
            return
        with explained(target):
            record.unlink(missing_ok=True)
            temporary.unlink(missing_ok=True)
        origins = [Origin(file.path, file.source, file.line_map) for file in self.files.values()]
        self._run(command, origins, user_path(target))
        with explained(target):
            os.replace(temporary, target)
        self._write_record(target, key, {}, record)

    def _libraries(self, command: Sequence[str]) -> Iterator[Path]:
        """The libraries that flags name by their files, such as that of the GPU's runtime."""
        paths = (self.root / word for word in command if word.endswith((".a", ".so", ".dylib")))
        return (path for path in paths if path.is_file())

    def _seen(self, path: Path) -> Path:
        """A path as commands get it: they run in the project's folder, but for those that must not
        (:attr:`_apart`).
        """
        path = path.resolve()
        return path.relative_to(self.root) if path.is_relative_to(self.root) and not self._apart else path

    @cached_property
    def _apart(self) -> bool:
        """Whether Fortran files are compiled in a folder without files. Compilers look for modules in the folder in
        which they run before all others, and another build has left some in that of the project.
        """
        return any(self.root.glob("*.*mod"))

    def _from_elsewhere(self, command: Sequence[str]) -> list[str]:
        """The command with the folders of the user's flags as seen from another folder than the project's. Files that
        are included, and modules of which this build has none, are looked for in the project's folder in the end.
        """
        seen = [f"-I{self.root / word[2:]}" if re.match("-I.", word) else word for word in command]
        seen = [str(self.root / word) if before == "-I" else word for before, word in pairwise(["", *seen])]
        return [*seen[:-1], f"-I{self.root}", seen[-1]]

    def _surroundings(self, file: CompiledFile) -> list[str]:
        """Digests of what a file is compiled with: what it includes, and the module files it reads.

        gfortran copies what a module file needs from other modules into it; other compilers read on in
        the modules used indirectly, so those count too.
        """
        data = file.path.read_bytes()
        parts = [f"{path} {file_digest(path)}" for path in self._scanner.closure(file.path, data, [file.source.parent])]
        direct = self.tools.fortran.family == "gnu"
        for name in sorted(self.needs[file.name]) if direct else closure(self.needs, file.name):
            parts += [f"{module} {value}" for module, value in sorted(self._module_digests[name].items())]
        return parts

    def run(self, command: Sequence[str]) -> None:
        """Run a command that makes something other than an object of the project. Raises ToolError if it fails."""
        self._run(command, [], Path(command[-1]).name)

    def _run(self, command: Sequence[str], origins: Sequence[Origin], what: str, folder: Path | None = None) -> None:
        self.reported(shown(command))
        self.compiled.append(what)
        finished = self.processes.run(command, folder or self.root)
        output = mapped(finished.output, origins).rstrip()
        if finished.status != 0:
            reported = output or f"'{shown(command)}' ended with status {finished.status} and no message"
            failed = f"{reported}\nerror {codes.TOOL_FAILED}: {command[0]} failed on {what}"
            names = _UNDEFINED.findall(reported)
            if any(name.startswith("acc_") for name in names):
                failed += (
                    "\n  hint: acc_… are routines of OpenACC; add its library to LDFLAGS, which is -lgomp for gfortran"
                )
            elif names:
                failed += "\n  hint: 'hfpy check' names the calls of subroutines that no source has"
            raise ToolError(failed)
        if output:
            self.say(output)

    def _take_modules(self, private: Path) -> dict[str, str]:
        """Move the module files that a compilation wrote to the others, those that are the same excepted."""
        digests = {}
        for path in sorted(private.iterdir()):
            value = module_digest(path, self.tools.fortran.family)
            there = self.modules / path.name
            digests[path.name] = value
            if not there.exists() or module_digest(there, self.tools.fortran.family) != value:
                os.replace(path, there)
        shutil.rmtree(private)
        return digests

    def _good_record(self, target: Path, key: str, record: Path | None = None) -> dict[str, str] | None:
        """The digests of the module files in the record of ``target``, if it and they are as the record says."""
        kept = read_json(record or self._record_of(target))
        if kept.get("key") != key or kept.get("object") != _identity(target):
            return None
        modules: dict[str, str] = kept["modules"]
        family = self.tools.fortran.family
        if any(module_digest(self.modules / name, family) != value for name, value in modules.items()):
            return None
        return modules

    def _record_of(self, target: Path) -> Path:
        return target.with_name(f"{target.name}.record")

    def _write_record(self, target: Path, key: str, modules: dict[str, str], record: Path | None = None) -> None:
        write_json(record or self._record_of(target), {"key": key, "object": _identity(target), "modules": modules})


def _unfinished(target: Path) -> Path:
    """Where a file is written before it replaces an older one."""
    return target.with_name(f".{target.name}.tmp")


def remove_stale_modules(modules: Path, files: Iterable[CompiledFile]) -> None:
    """Remove module files that none of the files provides, so that none can be used by mistake."""
    provided = {module for file in files for module in file.provides}
    with explained(modules):
        for path in modules.iterdir():
            if path.stem.lower().split("@")[0] not in provided:
                path.unlink()


def module_digest(path: Path, family: Family) -> str:
    """A digest of a module file that only changes with its meaning; ``missing`` if it is not there."""
    if family != "nvidia":
        return file_digest(path)
    try:
        return digest(_PGI_DATE.sub(b"", path.read_bytes()))
    except OSError:
        return "missing"


def _identity(path: Path) -> list[int]:
    try:
        status = path.stat()
    except OSError:
        return []
    return [status.st_size, status.st_mtime_ns]
