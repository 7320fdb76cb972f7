"""What the C printers hand around: variables as C knows them, printed expressions, and refusals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Literal

from hfpy.analyze.language.sizes import linear, show
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Name, Range
from hfpy.model.scalars import Scalar
from hfpy.model.source import LogicalLine
from hfpy.values import dataclass
from hfpy.version import PACKAGE

#: Where a variable lies: in the device's memory, or with the thread.
Space = Literal["global", "private"]

# How tightly C's operators bind (ISO/IEC 14882, [expr]); printed operands of a lower level get parentheses.
PRIMARY, PREFIX, TIMES, PLUS, LESS, EQUAL, AND, OR, LOWEST = 100, 90, 80, 70, 60, 50, 40, 30, 0

_C_TYPES = {
    ("real", 4): "float",
    ("real", 8): "double",
    ("integer", 1): "signed char",
    ("integer", 2): "short",
    ("integer", 4): "int",
    ("integer", 8): "long long",
    ("logical", 1): "signed char",
    ("logical", 2): "short",
    ("logical", 4): "int",
    ("logical", 8): "long long",
    ("complex", 4): "hf_complex<float>",
    ("complex", 8): "hf_complex<double>",
}
_KEYWORDS = frozenset(
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr "
    "const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false float "
    "for friend "
    "goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected "
    "public register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch "
    "template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile "
    "wchar_t while xor xor_eq restrict threadidx blockidx blockdim griddim warpsize main assert linux unix".split()
)


# Functions of the C library that printed expressions call under other names than Fortran's.
FUNCTIONS = frozenset(
    "pow powf fabs fabsf abs llabs sqrtf expf sinf cosf tanf asinf acosf atanf sinhf coshf tanhf asinhf acoshf atanhf "
    "erff erfcf logf log10f hypotf atan2f tgamma tgammaf lgamma lgammaf".split()
)

_RUNTIME, _TEMPLATES = PACKAGE / "runtime", PACKAGE / "templates"
_OWN = re.compile(r"\bhf_\w+")

NO_STOP = "'stop' with a code that is no constant, or where its routine cannot return,"


class CannotPrint(Exception):
    """Something that has no counterpart in a kernel: what, where in the statement's text, what to do instead, and
    where else the same is to be found.
    """

    def __init__(self, what: str, start: int = 0, end: int = -1, hint: str = "", also: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.start = start
        self.end = end
        self.hint = hint
        self.also = also


class Follows(CannotPrint):
    """Something that only cannot be printed because a name in it was refused before."""


@dataclass(frozen=True)
class Problem:
    """What cannot be printed, at characters ``start`` to ``end`` of a line, what to do instead, and where else the
    same is to be found (both may be empty).
    """

    what: str
    line: LogicalLine
    start: int
    end: int
    file: str
    hint: str = ""
    also: str = ""


class Unprintable(Exception):
    """A region, or a routine called in one, that cannot be printed: all problems that were found in it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(p.what for p in self.problems))


class Refusals:
    """Collects what cannot be printed of one body, each problem once, so that all of them are reported together.

    ``names`` are variables that are refused, those of modules with their home: what mentions them needs no problem of
    its own.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.names: set[str | tuple[str, str]] = set()
        self._followed = False
        self._problems: dict[tuple[str, str, int, int], Problem] = {}

    @contextmanager
    def at(self, line: LogicalLine, start: int = 0, end: int = -1, name: str | tuple[str, str] = "") -> Iterator[None]:
        """Keeps what cannot be printed of a line, or of its characters ``start`` to ``end``; goes on after the block.
        ``name`` is then refused, if given.
        """
        try:
            yield
        except CannotPrint as problem:
            if name:
                self.names.add(name)
            if isinstance(problem, Follows):
                self._followed = True
                return
            if problem.end >= 0:
                start, end = problem.start, problem.end
            end = end if end >= 0 else len(line.text)
            self.add([Problem(problem.what, line, start, end, self.file, problem.hint, problem.also)])
        except Unprintable as problem:
            self.add(problem.problems)

    def add(self, problems: Iterable[Problem]) -> None:
        """Keep problems, each once."""
        for made in problems:
            self._problems.setdefault((made.what, made.file, made.line.first, made.start), made)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was collected, in the order in which it was found."""
        return tuple(self._problems.values())

    def check(self) -> None:
        """Raise Unprintable with what was collected, if anything was refused."""
        if self._problems or self.names or self._followed:
            raise Unprintable(self.problems)


def check_all(keys: Iterable[str], check: Callable[[str], None]) -> None:
    """Check routines one after the other. Raises Unprintable with all that is against them."""
    refusals = Refusals("")
    for key in keys:
        try:
            check(key)
        except Unprintable as problems:
            refusals.add(problems.problems)
    refusals.check()


@contextmanager
def refused_at(line: LogicalLine, file: str) -> Iterator[None]:
    """Turns what cannot be printed of a whole unit or region into a refusal at its first line."""
    try:
        yield
    except CannotPrint as problem:
        raise Unprintable([Problem(problem.what, line, 0, len(line.text), file, problem.hint)]) from problem


@dataclass(frozen=True, slots=True)
class CText:
    """A printed expression with its type and how tightly it binds."""

    text: str
    type: Scalar
    level: int = PRIMARY

    def at(self, level: int) -> str:
        """The text as an operand of an operator of that level."""
        return self.text if self.level >= level else f"({self.text})"


@dataclass(frozen=True, slots=True)
class CVariable:
    """A variable as C sees it.

    ``text`` is what represents it in expressions (``(*x)`` for one reached through a pointer). For arrays ``lower``
    and ``upper`` are the bounds of its dimensions as C text, in the order of Fortran's index list; ``storage`` gives
    for each place in storage the place in that list. ``present`` is the text that tells whether an optional argument
    was given, empty for all others; ``handed`` is what it is handed on as, the value with that word. ``data`` is the
    memory of an array, ``space`` where a variable lies, for dialects that tell them apart.
    """

    text: str
    type: Scalar
    lower: tuple[str, ...] = ()
    upper: tuple[str, ...] = ()
    storage: tuple[int, ...] = ()
    present: str = ""
    handed: str = ""
    data: str = ""
    space: Space = "private"

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.storage)


_NUMBERS = ("integer", "real", "complex")


def wider(left: Scalar, right: Scalar, expr: Expr) -> Scalar:
    """The type of an operation between two. Raises CannotPrint for what are no numbers."""
    if left.base not in _NUMBERS or right.base not in _NUMBERS:
        raise CannotPrint(f"an operation between {left.base} and {right.base}", expr.start, expr.end)
    if "complex" in (left.base, right.base):
        return Scalar("complex", max(t.bytes for t in (left, right) if t.base != "integer"))
    if left.base != right.base:
        return left if left.base == "real" else right
    return left if left.bytes >= right.bytes else right


def root_name(expr: Expr) -> str:
    """The variable that a designator begins with; empty for anything else."""
    while isinstance(expr, (Component, Apply)):
        expr = expr.base
    return expr.name if isinstance(expr, Name) else ""


def component_name(expr: Expr) -> str:
    """``a%b(2)%c`` for a chain of components of a variable, with elements on the way in one spelling; empty for
    sections and for anything else.
    """
    match expr:
        case Name(name=name):
            return name
        case Component(base=base, name=name):
            above = component_name(base)
            return f"{above}%{name}" if above else ""
        case Apply(base=Name() | Component() as base, args=args):
            above = component_name(base)
            if not above or any(isinstance(a, (Range, Keyword)) for a in args):
                return ""
            return f"{above}({','.join(show(linear(a)) for a in args)})"
    return ""


def packed_name(expr: Expr) -> tuple[str, tuple[Expr, ...]] | None:
    """``p()%l()%x`` and the indices i, j, k for a chain of components ``p(i,j)%l(k)%x`` with elements, or sections, on
    the way.
    """
    inner: Expr = expr
    names: list[str] = []
    found: tuple[Expr, ...] = ()
    while isinstance(inner, Component):
        names.insert(0, f"%{inner.name}")
        inner = inner.base
        if isinstance(inner, Apply):
            found, inner = (*inner.args, *found), inner.base
            names.insert(0, "()")
    if not found or not isinstance(inner, Name):
        return None
    return "".join([inner.name, *names]), found


def c_type(scalar: Scalar) -> str:
    """The C type of the same size. Raises CannotPrint where C has none."""
    found = _C_TYPES.get((scalar.base, scalar.bytes))
    if found is None:
        raise CannotPrint(f"type {scalar.base} of {scalar.bytes} bytes")
    return found


def c_name(name: str) -> str:
    """A Fortran name as a C name: the same, but for C++'s own words and the functions that kernels call, which get an
    underscore, and the same words with underscores, which get one more.
    """
    plain = name.rstrip("_")
    own = plain.startswith("hf_") and plain in _names_of_the_runtime()
    return f"{name}_" if own or plain in _KEYWORDS | FUNCTIONS else name


@cache
def _names_of_the_runtime() -> frozenset[str]:
    """The names that the files define which the text of kernels includes, and those in their templates."""
    headers = [*_RUNTIME.glob("cuda/*.hpp"), *_RUNTIME.glob("opencl/*.cl"), *_TEMPLATES.glob("[co]*/*.j2")]
    return frozenset(name.rstrip("_") for path in headers for name in _OWN.findall(path.read_text().lower()))


def extent(first: str, last: str, step: str) -> str:
    """The number of elements of a triplet as C text (it may be negative for none)."""
    if step == "1":
        return last if first == "1" else f"{operand(last)} - {operand(first)} + 1"
    return f"({operand(last)} - {operand(first)} + {operand(step)}) / {operand(step)}"


def operand(text: str) -> str:
    """C text as an operand: in parentheses unless it is a name or a number."""
    return text if text.isidentifier() or text.isalnum() else f"({text})"
