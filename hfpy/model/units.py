"""Program units: symbols, routines, modules, files, and the application that holds them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from hfpy.diagnostics import Diagnostic, Place
from hfpy.model.directives import Dependants, IfDirective, StencilScope
from hfpy.model.expressions import Expr, Fragment
from hfpy.model.extents import Dim
from hfpy.model.macros import Macro
from hfpy.model.source import LineKey, LogicalLine, SourceText, compact
from hfpy.model.statements import Construct, Node, Statement, constructs
from hfpy.suffixes import FIXED_COLUMNS
from hfpy.values import dataclass

_COMMENT = ("c", "C", "*")  # what begins a comment in fixed form, beside ``!``

# Attributes that no program writes by these names.
POINTEE = "pointee"  # of what a pointer of Cray's kind points to


@dataclass(frozen=True, slots=True)
class FType:
    """A Fortran type: ``base`` (real, integer, logical, complex, character, type, class, procedure), kind, derived
    name, length of a character; ``double`` is that of ``double precision``.

    ``text`` is the type as written, e.g. ``real(dp)``.
    """

    base: str
    kind: Fragment | None = None
    derived: str = ""
    text: str = ""
    double: bool = False
    length: Fragment | None = None

    @property
    def compact(self) -> str:
        """The type as written, but without blanks and in lower case."""
        return compact(self.text)

    @property
    def default(self) -> bool:
        """Whether it is of the default kind."""
        return self.kind is None and not self.double

    @property
    def names(self) -> frozenset[str]:
        """Every name that kind and length mention."""
        return frozenset(n for part in (self.kind, self.length) if part is not None for n in part.names)


@dataclass(frozen=True, slots=True)
class SharedShape:
    """The attribute ``dimension(…)`` of a declaration, as offsets into its line: ``begin`` is that of the comma before
    it, ``span`` that of the shape between the parentheses, ``end`` that after them.
    """

    begin: int
    span: tuple[int, int]
    end: int


@dataclass(frozen=True, slots=True)
class OldSize:
    """A last extent ``1`` that means ``*``: the line, and the offsets of the extent in it; -1 where several arrays have
    it in common.
    """

    line: LogicalLine
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declared name in one scope.

    ``line`` is the declaration's logical line; ``name_span`` and ``shape_span`` (the text inside the parentheses
    of the entity's own shape, or None where the shape comes from ``dimension(…)`` or elsewhere) are offsets into it,
    ``shared_shape`` is the place of the attribute ``dimension(…)``, if the declaration has one. ``old_size`` is the
    place of a last extent that is written as 1 and means ``*`` (:mod:`hfpy.parse.oldsizes`).
    """

    name: str
    type: FType
    shape: tuple[Dim, ...] = ()
    attributes: frozenset[str] = frozenset()
    intent: str = ""
    initial: Fragment | None = None
    line: LogicalLine | None = None
    name_span: tuple[int, int] = (0, 0)
    shape_span: tuple[int, int] | None = None
    entity_span: tuple[int, int] = (0, 0)
    entity_count: int = 1
    shared_shape: SharedShape | None = None
    old_size: OldSize | None = None

    @property
    def rank(self) -> int:
        """Number of declared dimensions."""
        return len(self.shape)

    @property
    def names(self) -> frozenset[str]:
        """Every name that its declaration mentions, but for its own: in kind, length, shape and initial value."""
        initial = self.initial.names if self.initial is not None else frozenset()
        return initial.union(self.type.names, *(dim.names for dim in self.shape))

    @property
    def constant(self) -> bool:
        """Whether it is a named constant."""
        return "parameter" in self.attributes

    @property
    def dynamic(self) -> bool:
        """Whether it is allocatable or a pointer."""
        return bool(self.attributes & {"allocatable", "pointer"})


@dataclass(frozen=True, slots=True)
class Use:
    """One ``use``: module, the ``only`` list as local name → name in the module, or None for everything, and
    renames. ``listed`` is the offset after the colon of ``only:`` in the line.
    """

    module: str
    only: tuple[tuple[str, str], ...] | None
    renames: tuple[tuple[str, str], ...] = ()
    line: LogicalLine | None = None
    intrinsic: bool = False
    listed: int = -1


@dataclass(frozen=True, slots=True)
class Interface:
    """A generic or explicit interface: generic name (or empty) and the names of its procedures. ``bodies`` are the
    procedures that it describes, ``dummies`` the names that each of these gives its arguments.
    """

    name: str
    procedures: tuple[str, ...]
    bodies: tuple[str, ...] = ()
    dummies: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class DerivedType:
    """A derived type: its components in order, the type it extends, its bindings as name → procedure (a generic name →
    each of its bindings), its final procedures.
    """

    name: str
    components: tuple[Symbol, ...] = ()
    extends: str = ""
    bindings: tuple[tuple[str, str], ...] = ()
    finals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StorageGroup:
    """What one ``common``, ``equivalence`` or ``namelist`` statement puts together: ``name`` is the block's or the
    list's (empty for the blank common block), ``members`` are variables. ``bind`` has blocks alone. ``designators`` are
    the texts of an ``equivalence``, one for each member.
    """

    kind: str
    name: str
    members: tuple[str, ...]
    designators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Specification:
    """What a specification part declares. ``implicit`` are the types that ``implicit`` statements give, each with the
    letters that names of it begin with. ``repeated`` are declarations that only say again what is known,
    ``interface_blocks`` the lines of directives in interface bodies, which have no effect. ``split`` is an ``@if`` that
    goes on in the executable part, with the first line there. ``alternatives`` are the symbols that are declared within
    an ``@if``, with its condition; ``symbols`` has the last one of a name until a build chooses.
    """

    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    uses: tuple[Use, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    types: Mapping[str, DerivedType] = field(default_factory=dict)
    dependants: tuple[Dependants, ...] = ()
    implicit_none: bool = False
    implicit: tuple[tuple[str, FType], ...] = ()
    statement_functions: tuple[tuple[str, tuple[str, ...], Expr, LogicalLine], ...] = ()
    private: frozenset[str] = frozenset()
    public: frozenset[str] = frozenset()
    default_private: bool = False
    saved: frozenset[str] = frozenset()
    storage: frozenset[str] = frozenset()
    groups: tuple[StorageGroup, ...] = ()
    repeated: tuple[Symbol, ...] = ()
    interface_blocks: tuple[LogicalLine, ...] = ()
    lines: tuple[LogicalLine, ...] = ()
    last: int = -1
    conditions: tuple[tuple[IfDirective, LogicalLine, LogicalLine], ...] = ()
    split: tuple[LogicalLine, LogicalLine] | None = None
    alternatives: tuple[tuple[IfDirective, Symbol], ...] = ()

    def accessible(self, name: str) -> bool:
        """Whether other units may use a name of this module (Fortran 2018, 8.6.1)."""
        symbol = self.symbols.get(name)
        attributes = symbol.attributes if symbol is not None else frozenset()
        if name in self.public or "public" in attributes:
            return True
        return not (name in self.private or "private" in attributes or self.default_private)


@dataclass(frozen=True, slots=True)
class UnitIndex:
    """What the index knows about one program unit without parsing it.

    ``kind``: module, submodule, program, subroutine, function, blockdata. ``lines`` is the range of its logical
    lines in
    the file, header and end included; ``body`` the range without nested units. ``calls`` are names after ``call``,
    ``names`` every identifier that is before a parenthesis. ``distributed`` says that it has directives for many
    processes. ``declared`` are header and declarations of the interface of a ``module procedure``, which does not
    repeat them, as lines of another file.
    """

    kind: str
    name: str
    first: int
    last: int
    parent: int | None = None
    dummies: tuple[str, ...] = ()
    result: str = ""
    prefix: tuple[str, ...] = ()
    contains: int = -1
    scheme: str = ""
    calls: frozenset[str] = frozenset()
    references: frozenset[str] = frozenset()
    uses: tuple[Use, ...] = ()
    regions: int = 0
    directives: bool = False
    distributed: bool = False
    children: tuple[int, ...] = ()
    declared: tuple[LogicalLine, ...] = ()


@dataclass(frozen=True)
class FileIndex:
    """A file after the lexical layer: its text, logical lines, program units, and what was wrong with it.

    ``conditions`` are the ``@if`` blocks around whole routines: begin, end, and whether they hold in this build.
    ``macros`` are the names that the file defines, ``definitions`` the macros that it brings in by itself or by files
    it includes and that mean the same all over it. ``sizes`` are those of the project's domains, by the names that mean
    them. So many ``columns`` count in ``fixed`` form. ``locals_kept`` says that the compiler keeps the
    locals of procedures. ``namesakes`` counts the files before it whose main program has
    the name of its own. ``unexpanded`` is the text of a plain file that went through the preprocessor, which stays
    where nothing of the file changes. ``included`` has the lines that were put in from included files. They
    are numbered behind the last line of the file: for each the included file, the line there, and that of the
    ``include``.
    """

    source: SourceText
    digest: str
    lines: tuple[LogicalLine, ...]
    units: tuple[UnitIndex, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    hybrid: bool = False
    expanded: tuple[int, ...] | None = None
    macros: frozenset[str] = frozenset()
    definitions: Mapping[str, Macro] = field(default_factory=dict)
    includes: tuple[str, ...] = ()
    fixed: bool = False
    columns: int = FIXED_COLUMNS
    locals_kept: bool = False
    original: str = ""
    unexpanded: str = ""
    sizes: Mapping[str, str] = field(default_factory=dict)
    conditions: tuple[tuple[LogicalLine, LogicalLine, bool], ...] = ()
    namesakes: int = 0
    included: Mapping[int, tuple[str, int, int]] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Path as the user wrote it."""
        return self.source.path

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The physical lines, with comments of fixed form marked as in free form."""
        lines = self.source.lines
        return tuple(f"!{row[1:]}" if row[:1] in _COMMENT else row for row in lines) if self.fixed else lines

    def alone(self, line: LogicalLine) -> bool:
        """Whether no other statement is on the physical lines of one."""
        return all(self._on_row.get(row, line.key) == line.key for row in range(line.first, line.last + 1))

    @cached_property
    def _on_row(self) -> dict[int, LineKey | None]:
        """By physical line the statement that has it; None where there are several."""
        found: dict[int, LineKey | None] = {}
        for line in self.lines:
            if not line.file:
                for row in range(line.first, line.last + 1):
                    found[row] = line.key if found.get(row, line.key) == line.key else None
        return found

    def user_line(self, row: int) -> int:
        """The line of the user's file, counted from 1, for a row of the text that was read, counted from 0.

        They differ where the preprocessor or the optimiser has made that text.
        """
        return self.expanded[row] if self.expanded is not None and 0 <= row < len(self.expanded) else row + 1

    def at(self, line: int) -> tuple[str, int]:
        """The user's file and the line there for a number that :meth:`user_line` gives."""
        found = self.included.get(line)
        return found[:2] if found is not None else (self.path, line)


@dataclass(frozen=True, slots=True)
class Routine:
    """A routine, program or module, parsed: specification and, for the former, the executable part. ``interoperable``
    ones are ``bind(c)``. ``entries`` are the names of its other entries, ``included`` the files that hold statements of
    its body.
    """

    key: str
    kind: str
    name: str
    module: str
    file: str
    unit: int
    header: LogicalLine
    end: LogicalLine | None
    dummies: tuple[str, ...]
    result: str
    spec: Specification
    body: tuple[Node, ...]
    host: str = ""
    scheme: str = ""
    prefix: tuple[str, ...] = ()
    interoperable: bool = False
    body_first: int = -1
    spec_insert: int = -1
    scopes: tuple[StencilScope, ...] = ()
    entries: tuple[str, ...] = ()
    included: frozenset[str] = frozenset()
    regions: tuple[Construct, ...] = field(init=False, repr=False, compare=False)
    guarded: tuple[tuple[Statement, Construct], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sets what is asked for all the time: ``regions`` are the region constructs in the order of the text,
        ``guarded`` are the heads of each side of an ``if`` with nothing but a region, and that region.
        """
        everything = tuple(constructs(self.body))
        regions = tuple(c for c in everything if c.kind == "region" and c.region is not None)
        sides = (part for c in everything if c.kind == "if" for part in c.parts if len(part.body) == 1)
        alone = ((part.header, part.body[0]) for part in sides)
        guarded = tuple((h, inner) for h, inner in alone if isinstance(inner, Construct) and inner.kind == "region")
        object.__setattr__(self, "regions", regions)
        object.__setattr__(self, "guarded", guarded)

    @property
    def uses_row(self) -> int:
        """The row before which ``use`` statements can be: after the header, or before the first statement of a main
        program that has none.
        """
        headed = self.kind != "program" or bool(self.name)
        return self.header.last + 1 if headed else self.header.first

    def place(self) -> Place:
        """Where the routine begins."""
        return self.header.place(self.file)

    def scope(self, line: LogicalLine) -> StencilScope | None:
        """The ``@stencilProgram`` around a line of the executable part."""
        return next((s for s in self.scopes if s.line.first < line.first < s.end.first), None)
