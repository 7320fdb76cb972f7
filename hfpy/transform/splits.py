"""The texts of shapes and indices of arrays with dimensions in blocks (:mod:`hfpy.analyze.arrays.pieces`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hfpy.analyze.arrays.orders import Order
from hfpy.analyze.language.sizes import constant
from hfpy.model.building import apply, binary, literal, number, paren, plus, quoted
from hfpy.model.expressions import Binary, Expr, Fragment, Literal, Name, Quoted, Unary
from hfpy.model.extents import Dim
from hfpy.model.printing import expression
from hfpy.parse.expressions.fragments import fragment, piece
from hfpy.values import dataclass


@dataclass(frozen=True)
class BlockLoop:
    """An iterator of a region whose loop is two: over blocks of ``extent``, counted by ``number``, and within each."""

    iterator: str
    extent: int
    number: str

    @property
    def within(self) -> str:
        """The place of the iterator within its block, from 1."""
        return f"{self.iterator}-{self.extent}*{self.number}+{self.extent}"

    @property
    def first(self) -> str:
        """The first index of the block."""
        return f"{self.extent}*{self.number}-{self.extent - 1}"

    @property
    def last(self) -> str:
        """The last index of the block."""
        return f"{self.extent}*{self.number}"


def _plus(index: Fragment, by: int) -> Expr:
    """An integer expression plus a number; a number at its end is changed."""
    match index.expr:
        case Literal() as given if _plain(given):
            return number(int(given.text) + by)
        case Unary(op="+" | "-" as sign, operand=Literal() as given) if _plain(given):
            return number(int(sign + given.text) + by)
        case Binary(op="+" | "-" as sign, left=left, right=Literal() as given) if _plain(given):
            return plus(quoted(piece(index.text, left)), by + int(sign + given.text))
    return plus(quoted(index), by)


def _plain(given: Literal) -> bool:
    """Whether a literal is an integer of the default kind."""
    return given.integer is not None and not given.parameter


def number_of(index: Fragment, extent: int) -> str:
    """The number of the block that an index lies in: ``shiftr(i+31,5)``.

    A shift, where that can be: compilers warn of divisions of constants that leave a rest, and it is faster.
    """
    shifted = _plus(index, extent - 1)
    if (value := constant(shifted)) is not None:
        return str(value // extent)
    if (bits := _bits(extent)) is not None:
        return _text(apply("shiftr", (shifted, number(bits))))
    alone = isinstance(shifted, Quoted) and isinstance(shifted.fragment.expr, Name)
    return _text(binary(shifted if alone else paren(shifted), "/", number(extent)))


def place_of(index: Fragment, extent: int, kind_of: Callable[[Expr], str]) -> str:
    """The place of an index within its block, from 1: ``iand(i+31,31)+1``. Both arguments of ``iand`` are of one kind;
    ``kind_of`` gives what literals of the kind of an integer end with (``_8``), where that is not the default kind.
    """
    shifted = _plus(index, extent - 1)
    if (value := constant(shifted)) is not None:
        return str(value % extent + 1)
    function, by = ("iand", extent - 1) if _bits(extent) is not None else ("mod", extent)
    kind = kind_of(fragment(_text(shifted)).expr)
    return _text(plus(apply(function, (shifted, literal("int", f"{by}{kind}"))), 1))


def _text(expr: Expr) -> str:
    return expression(expr, tight=True)


def _bits(extent: int) -> int | None:
    """The exponent of a power of two."""
    return extent.bit_length() - 1 if extent & (extent - 1) == 0 else None


def numbers_of(dim: Dim, extent: int) -> str:
    """The range of blocks of a dimension with a size or range."""
    if dim.open and dim.lower is None:
        return dim.text
    first = number_of(dim.lower, extent) if dim.lower is not None else "1"
    last = number_of(dim.upper, extent) if dim.upper is not None else ""
    return last if first == "1" and last else f"{first}:{last}"


def arranged(dims: Sequence[Dim], order: Order) -> list[str]:
    """The dimensions of a shape in storage order, as text: a split dimension has a block and the blocks."""
    if not order.pieces:
        return [dims[i].text for i in order.permutation or range(len(dims))]
    shown = []
    for part in order.pieces:
        dim = dims[part.dimension]
        if part.part == "whole":
            shown.append(dim.text)
        elif part.part == "within":
            shown.append(":" if dim.open else str(part.extent))
        else:
            shown.append(numbers_of(dim, part.extent))
    return shown
