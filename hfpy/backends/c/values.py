"""What the C printers hand around: variables as C knows them, printed expressions, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hfpy.analyze.sizes import linear, show
from hfpy.model.expressions import Apply, Component, Expr, Keyword, Name, Range
from hfpy.model.scalars import Scalar
from hfpy.model.source import LogicalLine

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

NO_STOP = "'stop' in a called routine, or with a code that is no constant,"


class CannotPrint(Exception):
    """Something that has no counterpart in a kernel: what, and where in the statement's text."""

    def __init__(self, what: str, start: int = 0, end: int = -1) -> None:
        super().__init__(what)
        self.what = what
        self.start = start
        self.end = end


class Unprintable(Exception):
    """A statement that cannot be printed: what is wrong, and where."""

    def __init__(self, what: str, line: LogicalLine, start: int, end: int, file: str) -> None:
        super().__init__(what)
        self.file = file
        self.what = what
        self.line = line
        self.start = start
        self.end = end


@contextmanager
def refused_at(line: LogicalLine, file: str) -> Iterator[None]:
    """Turns what cannot be printed of a whole unit or region into a refusal at its first line."""
    try:
        yield
    except CannotPrint as problem:
        raise Unprintable(problem.what, line, 0, len(line.text), file) from problem


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

    ``text`` is what stands for it in expressions (``(*x)`` for one reached through a pointer). For arrays ``lower``
    and ``upper`` are the bounds of its dimensions as C text, in the order of Fortran's index list; ``storage`` gives
    for each place in storage the place in that list. ``present`` is the text that tells whether an optional argument
    was given, empty for all others; ``handed`` is what it is handed on as, the value with that word.
    """

    text: str
    type: Scalar
    lower: tuple[str, ...] = ()
    upper: tuple[str, ...] = ()
    storage: tuple[int, ...] = ()
    present: str = ""
    handed: str = ""

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.storage)


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
            if not above or any(isinstance(a, Range | Keyword) for a in args):
                return ""
            return f"{above}({','.join(show(linear(a)) for a in args)})"
    return ""


def packed_name(expr: Expr) -> tuple[str, tuple[Expr, ...]] | None:
    """``p()%x`` and the indices for a chain of components ``p(i,j)%x`` with one element, or section, on the way."""
    inner: Expr = expr
    names: list[str] = []
    found: tuple[Expr, ...] | None = None
    while isinstance(inner, Component):
        names.insert(0, f"%{inner.name}")
        inner = inner.base
        if isinstance(inner, Apply):
            if found is not None:
                return None
            found, inner = inner.args, inner.base
            names.insert(0, "()")
    if found is None or not isinstance(inner, Name):
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
    return f"{name}_" if name.rstrip("_") in _KEYWORDS | FUNCTIONS else name


def extent(first: str, last: str, step: str) -> str:
    """The number of elements of a triplet as C text (it may be negative for none)."""
    if step == "1":
        return last if first == "1" else f"{operand(last)} - {operand(first)} + 1"
    return f"({operand(last)} - {operand(first)} + {operand(step)}) / {operand(step)}"


def operand(text: str) -> str:
    """C text as an operand: in parentheses unless it is a name or a number."""
    return text if text.isidentifier() or text.isalnum() else f"({text})"
