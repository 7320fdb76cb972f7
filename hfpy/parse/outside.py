"""What a project needs and does not have, as far as the index of its files tells: modules and subroutines.

They are reported only where nothing outside of the sources can bring them; :class:`hfpy.options.Outside` says what is
known of that.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from hfpy.diagnostics import Diagnostic, error
from hfpy.model.application import Application
from hfpy.model.source import LogicalLine
from hfpy.model.units import FileIndex, UnitIndex, Use
from hfpy.options import Outside
from hfpy.parse.text.lexer import mask_strings
from hfpy.parse.text.limits import readable

# Those of the standard (Fortran 2018, 16.10.2, 17.1, 18.2), then modules of compilers, and of libraries that compilers'
# wrappers or usual installations bring.
STANDARD = frozenset({"iso_c_binding", "iso_fortran_env", "ieee_arithmetic", "ieee_exceptions", "ieee_features"})
_KNOWN = STANDARD | frozenset(
    "omp_lib omp_lib_kinds openacc openacc_kinds cudafor cublas cufft curand cusolver cusparse nvtx accel_lib mpi "
    "mpi_f08 mpi_constants mpi_base netcdf netcdf95 pnetcdf hdf5 h5lt h5im h5tb h5ds lapack95 blas95 f95_precision "
    "mkl_dfti mkl_vsl ifport ifcore iflport ifposix dfport dflib".split()
)
# What those modules and usual libraries call their subroutines.
_PREFIXES = (
    "mpi_",
    "pmpi_",
    "nf_",
    "nf90_",
    "nfmpi_",
    "nf90mpi_",
    "omp_",
    "acc_",
    "h5",
    "ieee_",
    "cuda",
    "hf_",
    "c_f_",
)
# How the names of intrinsic modules begin, and all names of the one whose names begin in no way of their own (Fortran
# 2018, 16.10.2, 17.1, 18.2; those of Fortran 2023 among them).
_BEGINNINGS = {"iso_c_binding": ("c_", "f_c_"), "omp_lib": ("omp_",), "openacc": ("acc_", "openacc_")}
_ENVIRONMENT = frozenset(
    "int8 int16 int32 int64 logical8 logical16 logical32 logical64 real32 real64 numeric_storage_size "
    "character_storage_size file_storage_size "
    "atomic_int_kind atomic_logical_kind character_kinds compiler_options compiler_version current_team error_unit "
    "event_type initial_team input_unit integer_kinds iostat_end iostat_eor iostat_inquire_internal_unit lock_type "
    "logical_kinds notify_type output_unit parent_team real16 real128 real_kinds stat_failed_image stat_locked "
    "stat_locked_other_image stat_stopped_image stat_unlocked stat_unlocked_failed_image team_type".split()
)
_CALL = re.compile(r"\bcall\s+([a-z_]\w*)\s*(?![\w%\s(]*%)", re.IGNORECASE)
_INCLUDED = re.compile(r"^\s*include\b", re.MULTILINE)
_INCLUDE = re.compile(r"#?\s*include\s*['\"<](.*?)['\">]\s*(?:!.*)?$", re.IGNORECASE)
_USE = re.compile(r"\s*use\b", re.IGNORECASE)
_IGNORED = ("ignore_tkr", "no_arg_check")


def may_have(module: str, name: str) -> bool:
    """Whether an intrinsic module may have a public name; of a module that the standard does not know, any."""
    if module == "iso_fortran_env":
        return name in _ENVIRONMENT
    beginnings = ("ieee_",) if module.startswith("ieee_") else _BEGINNINGS.get(module)
    return beginnings is None or name.startswith(beginnings)


def any_kind_fits(index: FileIndex) -> bool:
    """Whether a file has directives by which compilers accept arguments of any type, kind or rank."""
    return any(word in row.lower() for row in index.source.lines for word in _IGNORED)


def included_rows(index: FileIndex, lines: Iterable[LogicalLine], include_dirs: Collection[Path]) -> list[str] | None:
    """The rows of all files that some lines of a file include, and those include; None where one cannot be found, or
    uses modules.
    """
    folders = (Path(index.path).parent, *include_dirs)
    pending = [line.text for line in lines]
    rows: list[str] = []
    seen: set[str] = set()
    while pending:
        found = _INCLUDE.match(pending.pop().strip())
        if found is None or found[1] in seen:
            continue
        seen.add(found[1])
        path = next((folder / found[1] for folder in folders if (folder / found[1]).is_file()), None)
        if path is None or readable(path):
            return None
        new = path.read_text(encoding="utf-8", errors="replace").splitlines()
        if any(map(_USE.match, new)):
            return None
        rows += new
        pending += [row for row in new if "nclude" in row or "NCLUDE" in row]
    return rows


def lacks_included(index: FileIndex, lines: Iterable[LogicalLine], include_dirs: Collection[Path]) -> bool:
    """Whether a file cannot be found that some lines of a file include, or that the preprocessor would."""
    found = (_INCLUDE.match(line.text) for line in lines if line.text[:7].lower() == "include")
    names = {*index.includes, *(one[1] for one in found if one)}
    return any(_not_there(index, names, include_dirs))


def _not_there(index: FileIndex, names: Iterable[str], include_dirs: Collection[Path]) -> Iterator[str]:
    """Those of some names of included files that a file's folder and the folders of included files do not have."""
    folders = (Path(index.path).parent, *include_dirs)
    return (name for name in names if not any((folder / name).is_file() for folder in folders))


def unread_files(application: Application) -> Iterator[str]:
    """The names of files that the preprocessor includes and that cannot be found: what their macros mean is unknown."""
    for index in application.files:
        yield from _not_there(index, index.includes, application.options.include_dirs)


def unseen_modules(application: Application) -> Iterator[str]:
    """The names of modules that are used and that no file has, but for those of compilers and usual libraries."""
    yield from dict.fromkeys(use.module for _, use, _ in _unseen(application))


def _unseen(application: Application) -> Iterator[tuple[FileIndex, Use, LogicalLine]]:
    known = _modules(application)
    for index in application.files:
        for use in _uses(index):
            if use.line is None or use.line.file or use.intrinsic or use.module in known or use.module in _KNOWN:
                continue
            if use.module in {m.lower() for m in (*application.macros, *index.macros)}:
                continue
            if not use.module.startswith("hfpy_"):
                yield index, use, use.line


def _modules(application: Application) -> set[str]:
    return {u.name for index in application.files for u in index.units if u.kind in ("module", "submodule")}


def missing_modules(application: Application, outside: Outside) -> Iterator[Diagnostic]:
    """Modules that are used and that no file has."""
    if not outside.complete or outside.unknown:
        return
    known = _modules(application)
    for index, use, line in _unseen(application):
        if not any(_has_module(folder, use.module) for folder in outside.modules):
            message = f"no file has the module '{use.module}'"
            yield error("HF254", message, line.place(index.path), _hint(use.module, known))


def _uses(index: FileIndex) -> Iterator[Use]:
    for unit in index.units:
        yield from unit.uses


def _has_module(folder: Path, name: str) -> bool:
    return any((folder / f"{spelled}.mod").exists() for spelled in (name, name.upper()))


def _hint(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, sorted(known), 1, 0.7)
    return f"did you mean '{near[0]}'?" if near else ""


def missing_subroutines(application: Application, outside: Outside, intrinsic: frozenset[str]) -> Iterator[Diagnostic]:
    """Subroutines that are called, are not intrinsic, and that nothing in the project mentions but calls."""
    wanted = unknown_subroutines(application, outside, intrinsic)
    known = {u.name for index in application.files for u in index.units}
    for index in application.files:
        for unit in index.units:
            if unit.calls & wanted:
                yield from _calls(index, unit, wanted, known)


def unknown_subroutines(
    application: Application, outside: Outside, intrinsic: frozenset[str], mentioned: Collection[str] = ()
) -> set[str]:
    """The names of such subroutines. Of files without their text that on disk is taken. ``mentioned`` are names that
    are known to be elsewhere.
    """
    if not outside.complete or outside.libraries or not _links(application):
        return set()
    wanted = _called_only(application) - intrinsic - frozenset(mentioned)
    if not wanted:
        return set()
    found = _mentions(application, wanted)
    return set(wanted - found.keys()) if found is not None else set()


def mentions(application: Application) -> dict[str, str]:
    """Subroutines that are called and that no file has, whose names are elsewhere, such as those of types: each with
    the path of a file where it does. Empty where an included file may hold any.
    """
    return _mentions(application, _called_only(application)) or {}


def _called_only(application: Application) -> frozenset[str]:
    """The names of subroutines that are called and that no file has, but for those of usual libraries."""
    known = {u.name for index in application.files for u in index.units}
    macros = {m.lower() for m in (*application.macros, *(m for index in application.files for m in index.macros))}
    called = {name for index in application.files for unit in index.units for name in unit.calls}
    others = called - known - macros
    return frozenset(name for name in others if name.isidentifier() and not name.startswith(_PREFIXES))


def _links(application: Application) -> bool:
    """Whether the files are a program, all of whose text is known: an included file, or a module without source that
    is used as a whole, may hold any routine.
    """
    modules = _KNOWN | {u.name for index in application.files for u in index.units}
    uses = (use for index in application.files for use in _uses(index))
    programs = any(unit.kind == "program" for index in application.files for unit in index.units)
    foreign = any(use.only is None and not use.intrinsic and use.module not in modules for use in uses)
    return programs and not foreign and not any(index.includes for index in application.files)


def _mentions(application: Application, names: frozenset[str]) -> dict[str, str] | None:
    """Those of some names that are anywhere, in comments or inactive lines, too, but after ``call``: each with the
    path of the first such file. None where a file includes another: what that holds is not known.
    """
    found: dict[str, str] = {}
    for index in application.files:
        text = "\n".join(index.source.lines).lower() or _on_disk(index)
        if _INCLUDED.search(text):
            return None
        found |= dict.fromkeys((name for name in names - found.keys() if mentioned_in(text, name)), index.path)
    return found


def mentioned_in(text: str, name: str) -> bool:
    """Whether a name is anywhere in a text but after ``call``; both are in lower case."""
    return name in text and any(not m.group(1) for m in re.finditer(rf"(\bcall\s+)?\b{name}\b", text))


def _on_disk(index: FileIndex) -> str:
    try:
        return Path(index.path).read_text("utf-8", "surrogateescape").lower()
    except OSError:
        return ""


def _calls(index: FileIndex, unit: UnitIndex, wanted: set[str], known: set[str]) -> Iterator[Diagnostic]:
    inner = [(index.units[n].first, index.units[n].last) for n in unit.children]
    for number in range(unit.first, unit.last + 1):
        line: LogicalLine = index.lines[number]
        if line.directive or line.file or any(first <= number <= last for first, last in inner):
            continue
        for found in _CALL.finditer(mask_strings(line.text)):
            name = found.group(1).lower()
            if name in wanted:
                message = f"no file has the subroutine '{name}', and nothing declares it"
                yield error("HF253", message, line.place(index.path, *found.span(1)), _hint(name, known))
