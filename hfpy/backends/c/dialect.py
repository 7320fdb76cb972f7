"""What the dialects of C write in different ways: this is CUDA C++ (and HIP), others are derived from it.

Everything that depends on templates, overloaded functions, references or address spaces goes through here; the rest of
the printers' text is common C. Words that only have another name are left to :mod:`hfpy.backends.opencl.words`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hfpy.backends.c.values import CText, CVariable, Space, c_type
from hfpy.model.scalars import Scalar
from hfpy.values import dataclass


@dataclass(frozen=True, slots=True)
class Argument:
    """An actual argument of a device routine: its text, and where it lies if it is passed by its address."""

    text: str
    space: Space | None = None


@dataclass(frozen=True, slots=True)
class Picked:
    """One index of a section: the whole dimension, a range (``first`` to ``last`` by ``step``), or one element
    (``first``).
    """

    kind: Literal["all", "range", "element"]
    first: str = ""
    last: str = ""
    step: str = ""


@dataclass(frozen=True, slots=True)
class Reduced:
    """A variable that threads reduce: its type, the name of the operator's class in ``hfpy_reductions.hpp``, what a
    block has for it in shared memory, the partial results of all blocks, the value of a thread.
    """

    type: Scalar
    operator: str
    room: str
    partials: str
    value: str


class Dialect:
    """CUDA C++: arrays are objects that are called with indices, functions are templates or overloaded."""

    #: Whether arrays can be addressed from a point.
    can_shift = True

    #: Whether kernels take arrays with gaps between their elements.
    takes_gaps = True

    # -- arrays

    def element(self, array: CVariable, indices: Sequence[str]) -> str:
        """An element, by indices in storage order."""
        return f"{array.text}({', '.join(indices)})"

    def view(self, array: CVariable, name: str, const: bool, data: str) -> list[str]:
        """The definition of an array over memory, or over a dummy argument, with bounds in storage order."""
        element = f"{'const ' if const else ''}{c_type(array.type)}"
        kind = f"hf_array<{element}, {array.rank}, hf_index>"
        return [f'const {kind} {array.text}("{name}", {data}, {self.pairs(array)});']

    def parameter_view(
        self, array: CVariable, name: str, const: bool, data: str, point: Sequence[str] = (), apart: str = ""
    ) -> list[str]:
        """The same for a parameter of the kernel, addressed from a point if there is one. ``apart`` are the distances
        between the elements of an array that may have gaps.
        """
        if not point and not apart:
            return self.view(array, name, const, data)
        kind = f"hf_array<{'const ' if const else ''}{c_type(array.type)}, {array.rank}, hf_index>"
        made = f'{kind}("{name}", {data}, {self.pairs(array)})'
        made += f".apart({apart})" if apart else ""
        made += f".around({', '.join(point)})" if point else ""
        return [f"const auto {array.text} = {made};"]

    def dummy_view(self, array: CVariable, name: str, const: bool, actual: str) -> list[str]:
        """The same for a dummy argument, which is called ``actual`` with its own bounds."""
        return self.view(array, name, const, actual)

    def taken(self, array: CVariable, name: str) -> list[str]:
        """The definition of an array in the thread's part of the workspace."""
        ctype = f"{c_type(array.type)}, {array.rank}, hf_index"
        return [f'const hf_array<{ctype}> {array.text} = hf_space.local<{ctype}>("{name}", {self.pairs(array)});']

    @staticmethod
    def pairs(array: CVariable) -> str:
        """Lower and upper bound of each dimension in storage order."""
        return ", ".join(f"{array.lower[d]}, {array.upper[d]}" for d in array.storage)

    def copy(self, to: CVariable, source: CVariable) -> str:
        """The statement that sets an array to the values of another."""
        return f"hf_copy({to.text}, {source.text});"

    def present(self, data: str) -> str:
        """Whether there is an array."""
        return f"({data} != nullptr)"

    def bound(self, array: str, which: Literal["lower", "upper", "extent"], place: int) -> str:
        """A bound, or the extent, of a dimension by its place in storage."""
        return f"{array}.{which}({place})"

    def left(self, array: str, place: int, others: Sequence[str]) -> str:
        """The extent of the last dimension of an argument whose other dimensions have these extents in the routine."""
        return f"{array}.left({' * '.join(others)})"

    def pointer(self, ctype: str, text: str, const: bool = False) -> list[str]:
        """The definition of the pointer for a parameter of the kernel, where that is not the pointer itself."""
        return []

    # -- kernels

    def kernel_head(self, threads: int, fixed: bool) -> list[str]:
        """What is before a kernel: it is a template of the type of indices; blocks have so many threads, which is
        ``fixed`` or may be changed by the launcher.
        """
        return ["template <class hf_index>", f"{'HF_BLOCK' if fixed else 'HF_THREADS'}({threads})"]

    def blocks_are(self, block: tuple[int, int, int], fixed: bool) -> list[str]:
        """The statement that tells the compiler the shape of the blocks."""
        return [f"hf_blocks_are<{'int' if fixed else 'hf_index'}, {', '.join(map(str, block))}>();"]

    def known(self, condition: str) -> list[str]:
        """The statement that tells the compiler what holds in blocks of that shape."""
        return [f"hf_known<hf_index>({condition});"]

    # -- arguments and parameters

    def kernel_parameter(self, passing: str, scalar: Scalar, ctype: str, text: str, restrict: bool) -> str:
        """A parameter of a kernel, passed as :data:`hfpy.model.kernel.Passing` says."""
        if passing == "value":
            return f"const {ctype} {text}"
        if passing == "optional":
            return f"const hf_optional<{ctype}> {text}"
        return f"{ctype} *{'__restrict__ ' if restrict else ''}{text}"

    def called(self, name: str, spaces: Sequence[Space]) -> str:
        """The name of a device routine for arguments that lie there."""
        return name

    def call(self, name: str, spaces: Sequence[Space], arguments: str) -> str:
        """A call of it."""
        return f"{self.called(name, spaces)}<hf_index>({arguments})"

    def routine_parameters(self, parameters: Sequence[str]) -> Sequence[str]:
        """The parameters of a device routine, and those that all of them have."""
        return parameters

    def routine_head(self, text: str) -> str:
        """The head of a device routine: a template of the type of indices."""
        return f"template <class hf_index> static __device__ {text}"

    def whole(self, array: CVariable) -> str:
        """An array as an argument."""
        return array.text

    def section(self, array: CVariable, picked: Sequence[Picked]) -> str:
        """A section as an argument; indices are in storage order."""
        shown = []
        for index in picked:
            if index.kind == "all":
                shown.append("hf_all()")
            elif index.kind == "range":
                shown.append(f"hf_triplet({index.first}, {index.last}, {index.step})")
            else:
                shown.append(index.first)
        return f"hf_section({array.text}, {', '.join(shown)})"

    def sequence(self, array: CVariable, first: Sequence[str], rank: int) -> str:
        """An array from an element on (``first``, its indices in storage order) or from the first one, as an argument
        for a dummy of another shape with so many dimensions.
        """
        return f"hf_sequence<{rank}>({', '.join((array.text, *first))})"

    def reference(self, text: str) -> str:
        """A variable as an argument for a dummy that is set."""
        return text

    def given(self, value: CText) -> str:
        """A value as an argument for an optional dummy."""
        return value.text

    def absent(self, scalar: Scalar, rank: int) -> str:
        """The argument for an optional dummy that is not given."""
        return "{}"

    def reference_parameter(self, scalar: Scalar, text: str, space: Space) -> tuple[str, str]:
        """The parameter for a dummy that is set, and what represents it in expressions."""
        return f"{c_type(scalar)} &{text}", text

    def optional_parameter(self, scalar: Scalar, text: str) -> str:
        """The parameter for an optional scalar. A routine may set one that no kernel gives."""
        return f"hf_optional<{c_type(scalar)}> {text}"

    def array_parameter(self, element: str, rank: int, text: str, data: str, space: Space) -> str:
        """The parameter for an array, which is called ``text``, and its memory ``data``."""
        return f"const hf_array<{element}, {rank}, hf_index> &{text}"

    def data_of(self, actual: str, data: str) -> str:
        """The memory of an array that is a parameter of a device routine."""
        return f"{actual}.data"

    # -- functions

    def function(self, name: str, args: Sequence[CText], of: Scalar | None = None) -> str:
        """A call of a function of the runtime. Its type is that of the first argument, or ``of`` where C++ would not
        find that by itself.
        """
        shown = f"<{c_type(of)}>" if of is not None else ""
        return f"{name}{shown}({', '.join(a.text for a in args)})"

    def as_kind(self, name: str, value: CText, to: Scalar) -> str:
        """A call of ``hf_int``, ``hf_nint``, ``hf_floor`` or ``hf_ceiling``, whose result has an asked kind."""
        return f"{name}<{c_type(to)}>({value.text})"

    def same_bits(self, value: CText, to: Scalar) -> str:
        """The bits of a number as a number of another type with as many bytes."""
        return f"hf_transfer<{c_type(to)}, {c_type(value.type)}>({value.text})"

    def library(self, name: str, args: Sequence[CText], scalar: Scalar) -> str:
        """A call of a function of the C library."""
        return f"{name}{'f' if scalar.bytes == 4 else ''}({', '.join(a.text for a in args)})"

    def absolute(self, value: CText) -> str:
        """The absolute value of a real or an integer."""
        if value.type.base == "real":
            name = "fabsf" if value.type.bytes == 4 else "fabs"
        else:
            name = "llabs" if value.type.bytes == 8 else "abs"
        return f"{name}({value.text})"

    def power(self, base: CText, exponent: int) -> str:
        """A real to a constant integer power."""
        return f"hf_pow_const<{exponent}>({base.text})"

    def model(self, name: str, scalar: Scalar) -> str:
        """``huge``, ``tiny`` or ``epsilon`` of a type."""
        return f"hf_{name}<{c_type(scalar)}>()"

    def least(self, name: str, scalar: Scalar) -> str:
        """What ``maxval`` and ``minval`` give for no elements."""
        return f"hf_limits<{c_type(scalar)}>::{'most_negative' if name == 'maxval' else 'huge'}()"

    def identity(self, operator: str, scalar: Scalar) -> str:
        """What changes nothing in a reduction; ``operator`` is the name of its class in ``hfpy_reductions.hpp``."""
        return f"{operator}::identity<{c_type(scalar)}>()"

    def room(self, scalar: Scalar, name: str) -> str:
        """The definition of what a block needs to make one value of those that its threads have collected."""
        return f"__shared__ hf_block_room<{c_type(scalar)}> {name};"

    def collected(self, variables: Sequence[Reduced]) -> list[str]:
        """The statements that do so for all variables, and write each value to the block's place."""
        return [f"hf_reduce_block<{v.operator}>({v.room}, {v.partials}, {v.value});" for v in variables]

    # -- operators: those of complex numbers are functions in some dialects

    def arithmetic(self, op: str, left: CText, right: CText, level: int) -> str:
        """``+``, ``-``, ``*`` or ``/`` with operands of the kinds that they need."""
        return f"{left.at(level)} {op} {right.at(level + 1)}"

    def equal(self, symbol: str, left: CText, right: CText, level: int) -> str:
        """``==`` or ``!=`` of complex numbers."""
        return f"{left.at(level + 1)} {symbol} {right.at(level + 1)}"

    def negative(self, value: CText, text: str) -> str:
        """A negative complex number; ``text`` is that with an operator."""
        return text

    def complex(self, to: Scalar, parts: Sequence[CText]) -> str:
        """A complex number of its parts, or of one number of any kind."""
        return f"{c_type(to)}({', '.join(p.text for p in parts)})"

    # -- output

    def record(self, name: str, buffer: CVariable, asked: str) -> str:
        """The beginning of a block where ``name`` points to the values of a new record, if there is room."""
        return f"if (long long *{name} = hf_print({buffer.text}.data, {asked})) {{"

    def word(self, value: CText) -> str:
        """A value as a word of the record."""
        return f"hf_word({value.text})"


CUDA = Dialect()
