"""From a path to the index of a file: reading, preprocessing, lexing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from hfpy.backendtable import with_directives
from hfpy.diagnostics import Diagnostic, Place, error, warning
from hfpy.model.macros import Macro
from hfpy.model.source import SourceText, source_text
from hfpy.model.targets import holds_architecture
from hfpy.model.units import FileIndex
from hfpy.options import Options
from hfpy.parse.includedtext import WithIncluded, with_included_units
from hfpy.parse.index import index_units
from hfpy.parse.text.expansion import PLAIN, PLAIN_FIXED, Expanded, expand_file, needs_expansion, statement_macros
from hfpy.parse.text.lexer import logical_lines
from hfpy.parse.text.limits import readable, within_limits
from hfpy.parse.text.macros import parse_defines
from hfpy.parse.text.macroshapes import telling, used_in_plain, used_shapes
from hfpy.parse.text.preprocess import activity, asks_preprocessor, read_macros
from hfpy.parse.text.sentinels import calls_loops_parallel
from hfpy.parse.text.sourceform import is_fixed
from hfpy.suffixes import FORTRAN, HYBRID, PREPROCESSED
from hfpy.values import dataclass
from hfpy.version import PACKAGE

# The directives that generated code may have, their sentinels, and what compilers define then.
COMPILED = (("openmp", "omp", "_OPENMP", "201511"), ("openacc", "acc", "_OPENACC", "201711"))
# What families of compilers define by themselves.
PREDEFINED = {
    "gnu": {"__GFORTRAN__": "1", "__GNUC__": "12"},
    "llvm": {"__flang__": "1"},
    "nvidia": {"__NVCOMPILER": "1", "__PGI": "1"},
    "intel": {"__INTEL_COMPILER": "20250000"},
    "cray": {"_CRAYFTN": "1"},
}
HYBRID_SUFFIXES = HYBRID
FORTRAN_SUFFIXES = (*FORTRAN, ".f77")


def backend_for(options: Options, scheme: str) -> str:
    """The backend of a scheme (empty: none): what the project says, else the default."""
    return options.schemes.get(scheme, options.default_backend) if scheme else options.default_backend


def is_fortran(path: Path) -> bool:
    """Whether hfpy reads the file as Fortran."""
    return path.suffix in FORTRAN_SUFFIXES


def command_line_macros(options: Options) -> dict[str, Macro]:
    """Macros of the target and of ``-D`` (hybrid-fortran.md §2.3: ``GPU`` on the GPU, nothing on the CPU), and those
    that the compiler defines by itself.
    """
    macros = dict(parse_defines(options.define))
    if options.target == "gpu":
        macros.setdefault("GPU", Macro("GPU", None, "1"))
    for directives, sentinel, name, version in COMPILED:
        if options.backends & with_directives(directives) or sentinel in options.directives:
            macros.setdefault(name, Macro(name, None, version))
    for name, value in PREDEFINED.get(options.compiler, {}).items():
        macros.setdefault(name, Macro(name, None, value))
    return macros


def project_macros(options: Options) -> tuple[dict[str, Macro], list[Diagnostic]]:
    """Macros that hybrid files see: the command line's and those of the storage-order file."""
    macros = command_line_macros(options)
    if options.storage_order is None:
        return macros, []
    if not options.storage_order.is_file():
        place = Place(str(options.storage_order))
        return macros, [error("HF100", "the storage-order file cannot be read", place)]
    read, problems = read_macros(options.storage_order, macros, options.include_dirs)
    return dict(read), list(problems)


def read_source(path: Path) -> tuple[str | None, list[Diagnostic]]:
    """The text of a file, or None with the reason."""
    place = Place(str(path))
    try:
        if not path.is_dir() and (reason := readable(path)):
            return None, [error("HF100", f"the file is not read: {reason}", place)]
        data = path.read_bytes()
    except FileNotFoundError:
        return None, [error("HF100", "file not found", place)]
    except IsADirectoryError:
        return None, [error("HF100", "this is a directory, not a file", place)]
    except OSError as problem:
        return None, [error("HF100", f"the file cannot be read: {problem.strerror}", place)]
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        column = problem.start - (data.rfind(b"\n", 0, problem.start) + 1) + 1
        if path.suffix in HYBRID_SUFFIXES:
            hint = "convert it, for example: iconv -f latin1 -t utf-8"
            return None, [error("HF101", "the file is not UTF-8", Place(str(path), line, column), hint)]
        # Plain files pass through; the surrogates of this decoding turn back into the same bytes.
        return data.decode("utf-8", "surrogateescape"), []


def leaves_preprocessed(path: Path) -> bool:
    """Whether compilers preprocess what is generated from a file (not from ``.f90`` and ``.f``)."""
    return path.suffix in HYBRID_SUFFIXES or not path.suffix.islower()


def index_file(path: Path, options: Options, macros: Mapping[str, Macro]) -> FileIndex:
    """Read one file into its index; what is wrong with it is among its diagnostics."""
    text, problems = read_source(path)
    if text is None:
        return FileIndex(SourceText(str(path), ()), "", (), (), tuple(problems))
    return index_text(path, text, options, macros)


def _expanded(path: Path, text: str, options: Options, macros: Mapping[str, Macro]) -> Expanded | None:
    """The text of a hybrid file behind the preprocessor, if its macros have to be expanded before it can be read.

    In a ``.h90`` those of the storage-order file stay, unless one means whole statements.
    """
    if path.suffix == ".H90":
        return expand_file(text, path, command_line_macros(options), options.include_dirs)
    lines = text.split("\n")
    seen = activity(lines, macros, path, options.include_dirs)
    own, told, rows = seen.macros, telling(seen.meanings), (*lines, *seen.within)
    statements = statement_macros(rows, told)
    shapes = used_shapes(lines, seen.active, {n: m for n, m in told.items() if macros.get(n) != m})
    made_of_macros = bool(seen.defined_here) and _includes_units(path, lines, options)
    if not statements and not shapes and not made_of_macros and not needs_expansion(text):
        return None
    given = command_line_macros(options)
    kept = {n for n, macro in macros.items() if n not in given and own.get(n) == macro and n not in statements}
    return expand_file(text, path, macros, options.include_dirs, kept)


def _includes_units(path: Path, rows: Sequence[str], options: Options) -> bool:
    """Whether a hybrid file includes files with whole procedures."""
    return with_included_units(path, rows, options.include_dirs, fixed=False, directives=False) is not None


@dataclass(frozen=True)
class _Seen:
    """What the preprocessor lines of a file say: which lines are active, and names of macros that it defines, those
    among them that keep one meaning with it, names of included files. ``macros`` has what most asks for the
    preprocessor of all that a macro means somewhere, ``within`` the lines of included files.
    """

    active: Sequence[bool] | None = None
    defined: frozenset[str] = frozenset()
    definitions: Mapping[str, Macro] = field(default_factory=dict)
    includes: tuple[str, ...] = ()
    diagnostics: Sequence[Diagnostic] = ()
    macros: Mapping[str, Macro] = field(default_factory=dict)
    within: Sequence[str] = ()


def _seen(path: Path, source: SourceText, options: Options, macros: Mapping[str, Macro], fixed: bool) -> _Seen:
    """The preprocessor lines of a file that may have some."""
    if "#" not in source.text or not (_by_name(path) or asks_preprocessor(source.lines, fixed)):
        return _Seen()
    known = macros if path.suffix in HYBRID_SUFFIXES else command_line_macros(options)
    made = activity(source.lines, known, path, options.include_dirs, fixed)
    changing = made.redefined | made.undefined
    definitions = {n: m for n, m in made.macros.items() if n not in known and n not in changing}
    told = telling(made.meanings)
    return _Seen(made.active, made.defined_here, definitions, made.includes, made.diagnostics, told, made.within)


def _expanded_plain(
    path: Path, source: SourceText, options: Options, seen: _Seen, fixed: bool, wanted: bool = False
) -> Expanded | None:
    """The text of a plain file behind the preprocessor, if that is wanted, or hfpy has to read statements with macros
    that are no values. Where the preprocessor fails, there is none, and why is in its diagnostics.
    """
    if (path.suffix not in PREPROCESSED and not asks_preprocessor(source.lines, fixed)) or PACKAGE in path.parents:
        return None  # hfpy's own files are read as they are, so that a check starts no preprocessor for them
    given = command_line_macros(options)
    own = seen.macros or given
    if not wanted and any("##" in macro.body for macro in own.values()):
        return None  # macros that paste are for other preprocessors than those of Fortran compilers
    used = (
        wanted or used_in_plain(source.lines, seen.active, own, fixed) or used_in_plain(seen.within, None, own, fixed)
    )
    if not used:
        return None
    form = PLAIN_FIXED if fixed else PLAIN
    return expand_file(source.text, path, given, options.include_dirs, form=form)


def _by_name(path: Path) -> bool:
    return path.suffix in (".h90", *PREPROCESSED)


def wants_preprocessor(index: FileIndex) -> bool:
    """Whether a file has lines for the preprocessor, and no name by which compilers call it."""
    return not _by_name(Path(index.path)) and asks_preprocessor(index.source.lines, index.fixed)


def directive_sign(path: str) -> str:
    """How directives begin in a file: in hybrid ones by ``@``, in others they are in comments (design §6)."""
    return "@" if Path(path).suffix in HYBRID_SUFFIXES else "!@"


def text_digest(text: str) -> str:
    """What tells a text from others."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


_PASTED = "##"  # by which preprocessors of C join names, those of Fortran do not


@dataclass(frozen=True)
class _Text:
    """The text of a file that is read. ``line_map`` has the source line of each of its lines where it is not the file's
    own text, ``unexpanded`` a plain file's text before the preprocessor; ``diagnostics`` are about macros and lines for
    the preprocessor.
    """

    source: SourceText
    fixed: bool
    seen: _Seen
    diagnostics: tuple[Diagnostic, ...]
    line_map: tuple[int, ...] | None = None
    unexpanded: str = ""
    included: Mapping[int, tuple[str, int, int]] = field(default_factory=dict)


def _read(
    path: Path, text: str, options: Options, macros: Mapping[str, Macro], line_map: tuple[int, ...] | None
) -> _Text:
    """The text of a file with the procedures that it includes, and behind the preprocessor where its macros have to be
    expanded; else as it is.
    """
    hybrid, found = path.suffix in HYBRID_SUFFIXES, list[Diagnostic]()
    given = line_map is not None
    if not given and hybrid and (result := _expanded(path, text, options, macros)) is not None:
        found += result.diagnostics
        text, line_map = result.text, result.line_map
    source = source_text(str(path), text)
    fixed = is_fixed(path, source.lines)
    whole = None if given else with_included_units(path, source.lines, options.include_dirs, fixed, not hybrid)
    if whole is not None and (made := _with_units(path, text, whole, options, macros, line_map)) is not None:
        return replace(made, diagnostics=(*found, *made.diagnostics))
    seen, unexpanded = _seen(path, source, options, macros, fixed), ""
    plain = None if hybrid or given else _expanded_plain(path, source, options, seen, fixed)
    if plain is not None and not plain.diagnostics:
        line_map, unexpanded, source, seen = plain.line_map, text, source_text(str(path), plain.text), _Seen()
    elif plain is not None and options.auto:
        found += [replace(d, severity="warning") for d in plain.diagnostics]
    return _Text(source, fixed, seen, (*found, *seen.diagnostics), line_map, unexpanded)


def _with_units(
    path: Path,
    text: str,
    whole: WithIncluded,
    options: Options,
    macros: Mapping[str, Macro],
    line_map: tuple[int, ...] | None,
) -> _Text | None:
    """A file with the procedures that it includes; None where their macros cannot be expanded as compilers do. Macros
    of the file itself may make several procedures of one included file.
    """
    hybrid, source = path.suffix in HYBRID_SUFFIXES, source_text(str(path), whole.text)
    fixed, lines = is_fixed(path, source.lines), _mapped(line_map, whole.line_map)
    seen, unexpanded = _seen(path, source, options, macros, fixed), "" if hybrid else text
    # An existing project has such a file from hfpy's runtime library, and nothing may run where it is only looked at.
    if seen.defined and (hybrid or options.legacy):
        return None
    plain = None if hybrid else _expanded_plain(path, source, options, seen, fixed, bool(seen.defined))
    if plain is not None and (plain.diagnostics or _PASTED in plain.text):
        return None
    if plain is not None:
        lines, source, seen = _mapped(lines, plain.line_map), source_text(str(path), plain.text), _Seen()
    return _Text(source, fixed, seen, (*seen.diagnostics,), lines, unexpanded, whole.included)


def _mapped(first: tuple[int, ...] | None, second: tuple[int, ...]) -> tuple[int, ...]:
    """The lines from which those of a text stem which was made in two steps; without a ``first``, in one."""
    return second if first is None else tuple(first[n - 1] if 0 < n <= len(first) else 0 for n in second)


def index_text(
    path: Path,
    text: str,
    options: Options,
    macros: Mapping[str, Macro],
    line_map: tuple[int, ...] | None = None,
    directives: bool = False,
) -> FileIndex:
    """The index of a file with the given text. ``line_map`` has the source line of each line of a text that hfpy has
    made from the user's; its macros are expanded already, where that is needed. ``directives`` says that a file has
    some of which this is a part.
    """
    hybrid = path.suffix in HYBRID_SUFFIXES
    found = [warning("HF102", "the file is empty", Place(str(path)))] if not text.strip() else []
    read = _read(path, text, options, macros, line_map)
    found += read.diagnostics
    lines, problems = logical_lines(
        str(path),
        read.source.lines,
        hybrid=hybrid,
        active=read.seen.active,
        fixed=read.fixed,
        includes=read.seen.includes,
        columns=options.columns,
    )
    found += problems
    lines, problems = within_limits(str(path), lines)
    found += problems
    indexed = index_units(str(path), lines, lambda c, scheme: holds_architecture(c, backend_for(options, scheme)))
    found += indexed.diagnostics
    reads_directives = hybrid or directives or any(line.directive for line in lines)
    if options.directives_as_regions:
        reads_directives = reads_directives or calls_loops_parallel(read.source.lines)
    if not reads_directives:
        # The compiler will tell what is wrong with a plain file; it passes through hfpy.
        found = [d for d in found if d.code not in ("HF103", "HF104", "HF109", "HF115")]
    return FileIndex(
        source=replace(read.source, columns=options.columns) if read.fixed else read.source,
        digest=text_digest(text),
        lines=tuple(lines),
        units=indexed.units,
        conditions=indexed.conditions,
        diagnostics=tuple(found),
        hybrid=reads_directives,
        expanded=read.line_map,
        macros=read.seen.defined,
        definitions=read.seen.definitions,
        includes=read.seen.includes,
        fixed=read.fixed,
        columns=options.columns,
        locals_kept=options.locals_kept,
        original=text if read.line_map is not None else "",
        unexpanded=read.unexpanded,
        included=read.included,
        sizes=options.domain_sizes,
    )
