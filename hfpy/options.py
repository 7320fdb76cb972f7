"""What a translation is asked to do: plain values, made by the command line or by a project file."""

from __future__ import annotations

import difflib
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path

from hfpy.changes import Changes
from hfpy.diagnostics import Place
from hfpy.layouts import Layout
from hfpy.model.extents import Dim
from hfpy.scale.network import Network
from hfpy.suffixes import FIXED_COLUMNS
from hfpy.values import dataclass

# Told how far long work is: the name of the phase, how much of it is done, and how much there is (0: not known).
Progress = Callable[[str, int, int], None]

_WISH = re.compile(r"(march|share)\((.*)\)")
_SIZE = re.compile(r"(\w+):([1-9]\d*)")
TUNING_FILE = "hfpy-tuning.json"  # what `hfpy tune` has chosen, beside hfpy.toml
DECLARED = "declared"  # the layout of arrays that keep the order of their declaration
DEFAULT_BACKEND = {"cpu": "openmp", "gpu": "cuda-c"}


@dataclass(frozen=True)
class DomainSpec:
    """One entry of ``[domains]``: the sizes (texts) and iterator names that mean this domain."""

    size: tuple[str, ...] = ()
    iterators: tuple[str, ...] = ()


@dataclass(frozen=True)
class DefaultKinds:
    """The sizes in bytes of types that are declared without a kind, as the compiler's flags make them."""

    real: int = 4
    double: int = 8
    integer: int = 4

    def counted(self, number: int) -> str:
        """A number as an integer of four bytes, which procedures of hfpy's runtime take."""
        return f"{int(number)}" if self.integer == 4 else f"{int(number)}_4"


_WIDE_REALS = frozenset(
    "-fdefault-real-8 -r8 -Mr8 -real-size=64 -autodouble -sreal64 -s=real64 -sdefault64 -s=default64".split()
)
_FIXED_LENGTH = re.compile(
    r"(?<!\S)(?:-ffixed-line-length[-=](none|\d+)|-Mextend|-fextend-source"
    r"|-extend[-_]source(?:[: ](\d+))?|-N ?(\d+)|-(72|80|132))(?!\S)"
)
_WIDE_INTEGERS = frozenset(
    "-fdefault-integer-8 -i8 -Mi8 -integer-size=64 -sinteger64 -s=integer64 -sdefault64 -s=default64".split()
)


def default_kinds(flags: Iterable[str]) -> DefaultKinds:
    """The default kinds under a Fortran compiler's flags (gfortran's, nvfortran's, Intel's, Cray's spelling)."""
    words = list(flags)
    given = {*words, *map("=".join, itertools.pairwise(words))}  # some take their value as a word of its own
    real = 8 if given & _WIDE_REALS else 4
    # gfortran doubles double precision too, if nothing keeps it.
    double = 16 if "-fdefault-real-8" in given and "-fdefault-double-8" not in given else 8
    return DefaultKinds(real, double, 8 if given & _WIDE_INTEGERS else 4)


def fixed_columns(flags: Iterable[str]) -> int:
    """The columns that count in a line of fixed form under a Fortran compiler's flags (gfortran's, flang's,
    nvfortran's, Intel's, Cray's, NEC's spelling).
    """
    found = FIXED_COLUMNS
    for match in _FIXED_LENGTH.finditer(" ".join(flags)):
        given = next(filter(None, match.groups()), None)
        length = given or ("2048" if match[0] == "-fextend-source" else "132")
        found = int(length) if length.strip("0").isdigit() else sys.maxsize  # 0 and "none": all
    return found


_KEEPING = dict.fromkeys("-fno-automatic -save -noauto -noautomatic -Msave -qsave -ev".split(), True)
_AUTOMATIC = dict.fromkeys("-fautomatic -auto -automatic -Mnosave -qnosave".split(), False)


def keeps_locals(flags: Iterable[str]) -> bool:
    """Whether locals of procedures that are not recursive are as with ``save`` under a Fortran compiler's flags
    (gfortran's, Intel's, nvfortran's, IBM's, Cray's spelling; the last one counts).
    """
    ways = {**_KEEPING, **_AUTOMATIC}
    return next((ways[flag] for flag in reversed([*flags]) if flag in ways), False)


def directives_of(flags: Iterable[str]) -> tuple[str, ...]:
    """The sentinels of directives (``omp``, ``acc``) that a Fortran compiler heeds under these flags."""
    given = {flag.split("=")[0] for flag in flags}
    spelled = {"omp": {"-fopenmp", "-qopenmp", "-mp", "-openmp", "-homp"}, "acc": {"-fopenacc", "-acc", "-hacc"}}
    return tuple(sentinel for sentinel, switches in spelled.items() if given & switches)


@dataclass(frozen=True)
class DebugPrint:
    """What programs print after each kernel, if ``on``: the values at a ``point``, which has an index for domains,
    sizes or places of dimensions; only of some ``routines`` and ``arrays`` (names; none: all).
    """

    on: bool = False
    point: tuple[tuple[str, int], ...] = ()
    routines: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()


# What ``exchange(…)`` and ``reductions(…)`` of a decomposition may say.
EXCHANGES = ("auto", "stated")
REDUCTIONS = ("global", "exact", "local")


@dataclass(frozen=True)
class Decompositions:
    """What is set for decompositions whose directive says nothing: ``exchange`` and ``reductions`` as there."""

    exchange: str = ""
    reductions: str = ""


@dataclass(frozen=True)
class Device:
    """What the model must know about a GPU besides bandwidth and rate (stencil-optimisation.md §11); the defaults are
    NVIDIA's H100.

    ``processors`` with so many ``threads``, ``registers`` (of 4 bytes) and bytes of ``shared`` memory each; bytes a
    second of the cache that they share (``far``) and of all their first caches and shared memories (``near``);
    instructions of threads a second (``issue``: 128 a clock and processor, of which three fifths are to be had).
    ``teams`` says whether the threads of a block can work together; a lowering other than one thread a point is taken
    if its time is below the share ``gain`` of that one's. Kernels are in so many ``queues``; ``link``: bytes a second
    of copies between host and device, which go through memory that a thread of the host copies to and from.
    """

    processors: int = 132
    threads: int = 2048
    registers: int = 65536
    shared: int = 227 * 1024
    far: float = 5.5e12
    near: float = 2.9e13
    issue: float = 1.8e13
    teams: bool = False
    gain: float = 0.9
    queues: int = 4
    link: float = 1e10


@dataclass(frozen=True)
class Machine:
    """What the optimiser's model must know about a machine (stencil-optimisation.md §11).

    ``bandwidth`` in bytes and ``rate`` in operations, both per second and for all of it; ``cache``: bytes that one
    thread has near it; ``launch``: seconds that a region costs by itself; ``points`` and ``row``: points of a field
    and of one of its rows where the program does not tell; ``device``: of a GPU.
    """

    bandwidth: float
    rate: float
    cache: int
    launch: float
    points: int = 256 * 256 * 60
    row: int = 256
    device: Device | None = None


# What is planned for where nothing was measured: two cores of a server's processor; and NVIDIA's H100 by its documents
# (3.35 TB/s of which a copy gets nine tenths; 64 operations in double precision a clock on each of 132 processors, of
# which four fifths are to be had). `hfpy probe` measures processors.
CPU = Machine(25e9, 40e9, 512 * 1024, 5e-6)
GPU = Machine(3e12, 1.2e13, 0, 4e-6, device=Device())


@dataclass(frozen=True)
class Tuned:
    """What ``hfpy tune`` has chosen for one run of regions.

    ``routine`` is its key; ``stages`` a digest of the regions' text, without which the choice is of no use; ``groups``
    the number of regions in each group; ``rows`` those of a block (0: as the model has it); ``lowering`` how a GPU
    computes groups whose directives do not say it, as a directive would (``march(j:8)``; empty: as the model has it).
    ``seconds`` were measured with this choice, ``model_seconds`` with the model's own.
    """

    routine: str
    stages: str
    backend: str
    groups: tuple[int, ...]
    rows: int = 0
    lowering: str = ""
    seconds: float = 0.0
    model_seconds: float = 0.0

    @property
    def wish(self) -> tuple[str, dict[str, int]]:
        """What ``lowering`` says: ``march`` or ``share``, and the number for each iterator; none if it says neither."""
        found = _WISH.fullmatch(self.lowering)
        if found is None:
            return "", {}
        return found[1], {name: int(number) for name, number in _SIZE.findall(found[2])}


@dataclass(frozen=True)
class ScriptFolder:
    """A project's scripts: their folder, the module with ``annotate`` (empty: none), a digest of all of them, and
    whether they may be run.
    """

    path: Path
    annotate: str = ""
    digest: str = ""
    trusted: bool = False


@dataclass(frozen=True)
class Options:
    """Everything that decides what a translation yields, besides the sources themselves.

    ``schemes`` maps a scheme name (upper case) to a backend, ``routines`` maps ``routine`` or
    ``module::routine`` (lower case) to a backend. ``layout`` is an order of domain names such as
    ``"k i j"`` (leftmost contiguous), ``layout_arrays`` the same for single arrays, ``layout_asked`` what scripts ask
    for, by unit and array: numbers of dimensions, from 1; ``layouts_elsewhere`` are those of other targets.
    ``padded`` are arrays that have more elements by now for a script, by unit and array: dimensions, from 0, with how
    many; ``unpadded`` are the shapes that these had.
    ``exports`` are the procedures and variables that code outside of the sources uses, as ``name`` or
    ``module::name`` (None: as the sources tell; of a ``library`` all that is public).
    ``trace`` writes arrays at kernel boundaries, for ``hfpy verify``, ``debug_print`` prints values there, ``profile``
    counts and times kernels, for ``hfpy run --profile``, ``races`` lets programs watch for races, for
    ``hfpy verify --races``, ``samples`` lets them note where they are, for ``hfpy annotate --profile``.
    ``kinds`` are the compiler's default ones, which kernels must know, ``directives`` the sentinels of those that its
    flags make it heed (``omp``, ``acc``), ``columns`` how many count in fixed form, ``locals_kept`` that they make
    locals keep their values, ``compiler`` its family, whose macros count. ``emulate`` builds GPU code for the
    CPU (design §4), ``checked`` lets kernels in OpenCL C check their indices (others do so by a macro), ``mpi``
    programs for many processes, ``poison_halos`` makes halos NaN while they are stale. ``legacy`` repairs leniencies of
    older compilers in existing projects (design §6). ``network`` is what messages cost, if that was measured.
    ``machine`` is what the optimiser plans for, if it was measured; ``tuning`` are choices that go over its own.
    ``specialise`` are sizes with values for which regions get versions of their own. ``settings`` is the file that
    names in them come from. ``drop_directives`` are the files in whose regions the user's own directives are dropped
    (``*``: all). ``indent`` moves bodies of regions to the right by the loops around them. ``directives_as_regions``
    reads parallel loops of other directives, and ``do concurrent``, as regions, ``auto`` all loops that are proved to
    be parallel. ``scripts`` are those that transform kernels, ``changes`` transformations besides theirs,
    ``sizes_listed`` the values that the project lists for sizes which regions ask versions for. ``own_backends`` are a
    user's own, each in the place of the one of a name.
    """

    target: str = "cpu"
    backend: str | None = None
    schemes: Mapping[str, str] = field(default_factory=dict)
    routines: Mapping[str, str] = field(default_factory=dict)
    storage_order: Path | None = None
    define: tuple[str, ...] = ()
    include_dirs: tuple[Path, ...] = ()
    layout: str | None = None
    layout_arrays: Mapping[str, str] = field(default_factory=dict)
    layouts_elsewhere: tuple[str, ...] = ()
    layout_asked: Mapping[tuple[str, str], Layout] = field(default_factory=dict)
    padded: Mapping[tuple[str, str], tuple[tuple[int, int], ...]] = field(default_factory=dict)
    unpadded: Mapping[tuple[str, str], tuple[Dim, ...]] = field(default_factory=dict)
    exports: tuple[str, ...] | None = None
    library: bool = False
    domains: Mapping[str, DomainSpec] = field(default_factory=dict)
    decomposition: Decompositions = Decompositions()
    schedule: str = "static"
    line_markers: bool = False
    indent: bool = False
    legacy: bool = False
    opt: int = 2
    machine: Machine | None = None
    network: Network | None = None
    tuning: tuple[Tuned, ...] = ()
    specialise: tuple[tuple[str, int], ...] = ()
    emulate: bool = False
    checked: bool = False
    mpi: bool = False
    poison_halos: bool = False
    kinds: DefaultKinds = DefaultKinds()
    columns: int = FIXED_COLUMNS
    locals_kept: bool = False
    directives: tuple[str, ...] = ()
    compiler: str = "gnu"
    trace: bool = False
    debug_print: DebugPrint = DebugPrint()
    profile: bool = False
    races: bool = False
    samples: bool = False
    jobs: int = 0
    parse_limit: float = 60.0
    cache_dir: Path | None = None
    settings: Place | None = None
    drop_directives: tuple[str, ...] = ()
    directives_as_regions: bool = False
    auto: bool = False
    scripts: ScriptFolder | None = None
    changes: tuple[Changes, ...] = ()
    sizes_listed: tuple[tuple[str, tuple[int, ...]], ...] = ()
    own_backends: tuple[tuple[str, object], ...] = ()

    def __post_init__(self) -> None:
        """An order of one array concerns every file that names it, as a layout does."""
        if (self.layout_arrays or self.layout_asked) and not self.layout:
            object.__setattr__(self, "layout", DECLARED)

    def backend_of(self, key: str, name: str, scheme: str) -> str:
        """The backend of a routine: by its key, by its name, by its scheme (empty: none), else the default."""
        for one in (key, name):
            if one in self.routines:
                return self.routines[one]
        return self.schemes.get(scheme, self.default_backend) if scheme else self.default_backend

    def drops_directives(self, path: str) -> bool:
        """Whether the user's own directives are dropped from regions of a file."""
        return self.directives_as_regions or "*" in self.drop_directives or path in self.drop_directives

    @property
    def exported(self) -> tuple[tuple[str, str], ...]:
        """What ``exports`` names: modules (empty: any) and names in them, in lower case."""
        named = (full.lower().rpartition("::") for full in self.exports or ())
        return tuple((module, name) for module, _, name in named)

    @property
    def domain_sizes(self) -> dict[str, str]:
        """The first size of each domain of the project, by its name and by those of its iterators."""
        found = [(name, spec) for name, spec in self.domains.items() if spec.size]
        named = {i.lower(): spec.size[0] for _, spec in found for i in spec.iterators}
        return {**named, **{name.lower(): spec.size[0] for name, spec in found}}

    @property
    def default_backend(self) -> str:
        """The backend of routines that nothing else assigns one to."""
        return self.backend or DEFAULT_BACKEND[self.target]

    @property
    def backends(self) -> frozenset[str]:
        """The backends that any routine may have."""
        return frozenset((self.default_backend, *self.schemes.values(), *self.routines.values()))

    @property
    def defined(self) -> frozenset[str]:
        """The names of the macros that are defined for every file."""
        return frozenset(given.partition("=")[0] for given in self.define)

    @property
    def reads_all(self) -> bool:
        """Whether all units are parsed, those too that directives do not reach and that know nothing of their arrays:
        for regions in plain loops, and where the order of single arrays is asked for, or macros tell orders.
        """
        single = bool(self.layout_arrays or self.layout_asked or self.changes) or self.scripts is not None
        macros = self.storage_order is not None or self.legacy
        return self.auto or (bool(self.layout) and (single or macros))

    @property
    def reads_sharing(self) -> bool:
        """Whether units are parsed for the arrays that they know, and others are not (:mod:`hfpy.parse.sharing`)."""
        return bool(self.layout) and not self.reads_all

    @property
    def layout_with_blocks(self) -> str:
        """The first layout that splits a dimension into blocks; empty if none does."""
        return next((t for t in (self.layout or "", *self.layout_arrays.values()) if ":" in t), "")


def sizes_of(text: str) -> tuple[tuple[str, int], ...] | None:
    """The sizes in a text such as ``"nx=256 ny=128"`` (blanks or commas between them), by name; None if it is no such
    text.
    """
    sizes: dict[str, int] = {}
    for item in text.replace(",", " ").split():
        name, _, value = item.partition("=")
        if not name.isidentifier() or not (value.isascii() and value.isdecimal()):
            return None
        sizes[name.lower()] = int(value)
    return tuple(sorted(sizes.items()))


_SCHEDULES = ("static", "dynamic", "guided", "auto", "runtime")
_MODIFIERS = ("monotonic", "nonmonotonic", "simd")


def schedule_fault(text: str) -> str:
    """What is wrong with a schedule of OpenMP such as ``static``, ``dynamic,4`` or ``nonmonotonic:guided, n``; empty if
    nothing is. (OpenMP 5.2, 11.5.3)
    """
    head, comma, chunk = text.partition(",")
    *modifiers, kind = (word.strip().lower() for word in head.replace(":", ",").split(","))
    for word in modifiers:
        if word not in _MODIFIERS:
            return f"unknown modifier '{word}' of a schedule{_near(word, _MODIFIERS)}"
    if kind not in _SCHEDULES:
        return f"unknown schedule '{kind}'{_near(kind, _SCHEDULES)}"
    if comma and kind in ("auto", "runtime"):
        return f"the schedule '{kind}' takes no size of chunks"
    chunk = chunk.strip()
    if comma and (not chunk or (chunk.lstrip("+-").isdigit() and int(chunk[:19]) < 1)):
        return f"'{chunk}' is no size of chunks"
    return ""


def _near(word: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(word, known, 1)
    return f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(known)}"


def silent(_phase: str, _done: int, _total: int) -> None:
    """A progress that tells nobody."""


@dataclass(frozen=True)
class Outside:
    """What may come from outside of the sources. ``complete``: the sources are those of a whole program.
    ``modules``: folders with modules that compilers find. ``libraries``: libraries or objects are linked.
    ``unknown``: the compiler or its flags may bring modules of their own. ``kinds_known``: all files are compiled with
    the default kinds that the options say.
    """

    complete: bool = False
    modules: tuple[Path, ...] = ()
    libraries: bool = True
    unknown: bool = True
    kinds_known: bool = False


def with_flags(options: Options, flags: Iterable[str]) -> Options:
    """The options with what a Fortran compiler's flags say of the language."""
    words = tuple(flags)
    return replace(options, kinds=default_kinds(words), columns=fixed_columns(words), locals_kept=keeps_locals(words))
