"""OpenCL C 1.2: no templates, no overloaded functions, no references, and pointers that say which memory they lead to.

An array is a pointer to its memory and a shape beside it; functions have the type of their arguments in their names
(``hf_max_r8``), see ``runtime/opencl/hfpy_kernel.cl``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hfpy.backends.c.dialect import Dialect, Picked, Reduced
from hfpy.backends.c.values import PLUS, TIMES, CText, CVariable, Space, c_type
from hfpy.model.scalars import Scalar

QUALIFIERS: dict[Space, str] = {"global": "__global ", "private": ""}
_LETTERS: dict[Space, str] = {"global": "g", "private": "p"}
_OPERATIONS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
_COMBINED = {
    "hf_and": "hf_a && hf_b",
    "hf_or": "hf_a || hf_b",
    "hf_eqv": "!hf_a == !hf_b",
    "hf_neqv": "!hf_a != !hf_b",
    "hf_iand": "hf_a & hf_b",
    "hf_ior": "hf_a | hf_b",
    "hf_ieor": "hf_a ^ hf_b",
}
_GROUP = 128  # threads of a group with reductions: hf_reduction_grid of hfpy_grid.hpp
_MOST = 64  # the largest exponent with a function of its own


def suffix(scalar: Scalar) -> str:
    """A type in the name of a function."""
    letter = {"real": "r", "complex": "c"}.get(scalar.base, "i")
    return f"{letter}{scalar.bytes}"


def widest(args: Sequence[CText]) -> Scalar:
    """The type that C gives an operation of numbers."""
    return max((a.type for a in args), key=lambda t: (t.base == "complex", t.base == "real", t.bytes))


class OpenCL(Dialect):
    """OpenCL C 1.2. ``checked``: all indices are, and kernels and device routines get memory for the first that is out
    of bounds.
    """

    can_shift = False
    takes_gaps = False

    def __init__(self, checked: bool = False) -> None:
        self.checked = checked

    # -- arrays

    def element(self, array: CVariable, indices: Sequence[str]) -> str:
        """An element, by indices in storage order."""
        if self.checked:
            return f'{array.data}[HF_CHECKED{len(indices)}({array.text}, "{array.text}", {", ".join(indices)})]'
        return f"{array.data}[{self._at(array, indices)}]"

    @staticmethod
    def _at(array: CVariable, indices: Sequence[str]) -> str:
        return f"HF_AT{len(indices)}({array.text}, {', '.join(indices)})"

    def view(self, array: CVariable, name: str, const: bool, data: str) -> list[str]:
        """The shape of an array whose memory is there already."""
        return self._shape(array, "1")

    def _shape(self, array: CVariable, step: str) -> list[str]:
        kind = f"hf_shape{array.rank}"
        return [f"const {kind} {array.text} = {kind}_of({step}, {self.pairs(array)});"]

    def parameter_view(
        self, array: CVariable, name: str, const: bool, data: str, point: Sequence[str] = (), apart: str = ""
    ) -> list[str]:
        """Its memory, and its shape."""
        return [*self.pointer(c_type(array.type), data, const), *self.view(array, "", const, data)]

    def pointer(self, ctype: str, text: str, const: bool = False) -> list[str]:
        """The pointer for a parameter of the kernel: so many bytes after the beginning of a buffer."""
        kind = "__global const" if const else "__global"
        moved = f"({kind} char *)hf_base_{text} + hf_at_{text}"
        return [f"{kind} {ctype} *const {text} = ({kind} {ctype} *)({moved});"]

    def dummy_view(self, array: CVariable, name: str, const: bool, actual: str) -> list[str]:
        """The shape of a dummy argument: its own bounds, and the distances of the actual argument. Where indices are
        checked it may not be larger than that.
        """
        kind, text = f"hf_shape{array.rank}", array.text
        made, there = f"{kind} {text} = {kind}_as({actual}, {self.pairs(array)});", f"{actual}_there"
        if not self.checked:
            return [f"const {made}"]
        fits = (
            f'{text}.extent[{d}] = hf_fitting(hf_failed, "{name}", {d + 1}, {text}.lower[{d}], {text}.extent[{d}],'
            f" {there}.extent[{d}]);"
            for d in range(array.rank)
        )
        has = f"const {kind} {there} = hf_there{array.rank}({actual}, {text});"
        return [made, has, *(f"if ({array.data} != 0) {row}" for row in fits)]

    def taken(self, array: CVariable, name: str) -> list[str]:
        """Shape and memory of an array in the thread's part of the workspace."""
        ctype = f"__global {c_type(array.type)} *"
        place = "hf_space.data + (hf_space.used * hf_space.threads + hf_space.thread) * hf_space.slot"
        return [
            *self._shape(array, f"hf_space.threads * (hf_space.slot / (int)sizeof({c_type(array.type)}))"),
            f"{ctype}const {array.data} = ({ctype})({place});",
            f"hf_space.used += hf_elements{array.rank}({array.text});",
        ]

    def copy(self, to: CVariable, source: CVariable) -> str:
        """The statement that sets an array to the values of another."""
        return f"HF_COPY({to.rank}, {to.data}, {to.text}, {source.data}, {source.text});"

    def present(self, data: str) -> str:
        """Whether there is an array."""
        return f"({data} != 0)"

    def bound(self, array: str, which: Literal["lower", "upper", "extent"], place: int) -> str:
        """A bound, or the extent, of a dimension by its place in storage."""
        if which == "upper":
            return f"(int)({array}.lower[{place}] + {array}.extent[{place}] - 1)"
        return f"(int){array}.{which}[{place}]"

    def left(self, array: str, place: int, others: Sequence[str]) -> str:
        """The extent of the last dimension of an argument whose other dimensions have these extents in the routine."""
        return f"(int)hf_left({array}.extent[{place}], {array}.stride[{place}], {' * '.join(others)})"

    # -- kernels: the runtime compiles them for one type of indices, and may take smaller blocks

    def kernel_head(self, threads: int, fixed: bool) -> list[str]:
        """Nothing is before a kernel."""
        return []

    def blocks_are(self, block: tuple[int, int, int], fixed: bool) -> list[str]:
        """The compiler cannot count on a shape."""
        return []

    def known(self, condition: str) -> list[str]:
        """Nor on what follows from it."""
        return []

    # -- arguments and parameters

    def kernel_parameter(self, passing: str, scalar: Scalar, ctype: str, text: str, restrict: bool) -> str:
        """A parameter of a kernel: a buffer comes with the number of bytes before what is meant."""
        if passing == "value":
            return f"const {ctype} {text}"
        if passing == "optional":
            return f"const hf_optional_{suffix(scalar)} {text}"
        return f"__global {ctype} *{'restrict ' if restrict else ''}hf_base_{text}, const long hf_at_{text}"

    def called(self, name: str, spaces: Sequence[Space]) -> str:
        """The name of a device routine: one for each kind of memory that it gets addresses in."""
        letters = "".join(_LETTERS[space] for space in spaces)
        return f"{name}_{letters}" if letters else name

    def call(self, name: str, spaces: Sequence[Space], arguments: str) -> str:
        """A call of it."""
        given = ["hf_failed"] * self.checked + [arguments] * bool(arguments)
        return f"{self.called(name, spaces)}({', '.join(given)})"

    def routine_parameters(self, parameters: Sequence[str]) -> Sequence[str]:
        """The parameters of a device routine."""
        return ["__global long *hf_failed"] * self.checked + [*parameters]

    def routine_head(self, text: str) -> str:
        """The head of a device routine."""
        return f"static {text}"

    def whole(self, array: CVariable) -> str:
        """An array as an argument."""
        return f"{array.data}, {array.text}"

    def section(self, array: CVariable, picked: Sequence[Picked]) -> str:
        """A section as an argument: where its first element is, extents and distances."""
        kept = []
        for d, index in enumerate(picked):
            if index.kind == "all":
                kept.append(f"{array.text}.extent[{d}], {array.text}.stride[{d}]")
            elif index.kind == "range":
                count = f"hf_triplet({index.first}, {index.last}, {index.step})"
                kept.append(f"{count}, {array.text}.stride[{d}] * ({index.step})")
        return f"{array.data} + {self._begin(array, picked)}, hf_section{len(kept)}({', '.join(kept)})"

    def sequence(self, array: CVariable, first: Sequence[str], rank: int) -> str:
        """Where the first element is, and how many there are from it."""
        begin = self._begin(array, [Picked("element", index) for index in first]) if first else ""
        behind = f" - ({begin}) / {array.text}.stride[0]" if first else ""
        shape = f"hf_sequence{rank}({array.text}.stride[0], hf_elements{array.rank}({array.text}){behind})"
        return f"{array.data}{f' + {begin}' if first else ''}, {shape}"

    def _begin(self, array: CVariable, picked: Sequence[Picked]) -> str:
        """How far the first element of a section lies from that of its array."""
        if not self.checked:
            first = [f"{array.text}.lower[{d}]" if p.kind == "all" else p.first for d, p in enumerate(picked)]
            return self._at(array, first)
        parts = []
        for d, index in enumerate(picked):
            has = f"{array.text}.lower[{d}], {array.text}.extent[{d}]"
            where = f'hf_failed, "{array.text}", {d + 1}'
            if index.kind == "range":
                asked = f"hf_range({where}, {index.first}, {index.last}, {index.step}, {has})"
                parts.append(f"{asked} * {array.text}.stride[{d}]")
            elif index.kind == "element":
                parts.append(f"hf_along({where}, {index.first}, {has}) * {array.text}.stride[{d}]")
        return f"({' + '.join(parts) or '0'})"

    def reference(self, text: str) -> str:
        """A variable as an argument for a dummy that is set."""
        return f"&{text}"

    def given(self, value: CText) -> str:
        """A value as an argument for an optional dummy."""
        return f"hf_given_{suffix(value.type)}({value.text})"

    def absent(self, scalar: Scalar, rank: int) -> str:
        """The argument for an optional dummy that is not given."""
        return f"0, hf_no_shape{rank}()" if rank else f"hf_absent_{suffix(scalar)}()"

    def reference_parameter(self, scalar: Scalar, text: str, space: Space) -> tuple[str, str]:
        """The parameter for a dummy that is set, and what represents it in expressions."""
        return f"{QUALIFIERS[space]}{c_type(scalar)} *{text}", f"(*{text})"

    def optional_parameter(self, scalar: Scalar, text: str) -> str:
        """The parameter for an optional scalar. A routine may set one that no kernel gives."""
        return f"hf_optional_{suffix(scalar)} {text}"

    def array_parameter(self, element: str, rank: int, text: str, data: str, space: Space) -> str:
        """The parameters for an array."""
        return f"{QUALIFIERS[space]}{element} *{data}, const hf_shape{rank} {text}"

    def data_of(self, actual: str, data: str) -> str:
        """The memory of an array that is a parameter of a device routine."""
        return data

    # -- functions

    def function(self, name: str, args: Sequence[CText], of: Scalar | None = None) -> str:
        """A call of a function of the runtime, by the type of its arguments."""
        if name == "hf_ipow":
            kinds = f"{suffix(args[0].type)}_i{8 if args[1].type.bytes == 8 else 4}"
            return f"{name}_{kinds}({args[0].text}, {args[1].text})"
        if name in ("hf_max", "hf_min"):
            called = f"{name}_{suffix(of or widest(args))}"
            text = args[0].text
            for other in args[1:]:
                text = f"{called}({text}, {other.text})"
            return text
        by_first = name not in ("hf_mod", "hf_modulo", "hf_dim")
        scalar = of or (args[0].type if by_first else widest(args))
        texts = [a.text for a in args]
        if name == "hf_ishftc" and len(texts) == 2:
            texts.append(str(8 * scalar.bytes))
        return f"{name}_{suffix(scalar)}({', '.join(texts)})"

    def as_kind(self, name: str, value: CText, to: Scalar) -> str:
        """``int``, ``nint``, ``floor`` and ``ceiling`` with a result of an asked kind."""
        shown = "" if name == "hf_int" else f"{name}_{suffix(value.type)}"
        return f"({c_type(to)}){shown}({value.text})"

    def same_bits(self, value: CText, to: Scalar) -> str:
        """The bits of a number as a number of another type with as many bytes."""
        return f"hf_transfer_{suffix(to)}_{suffix(value.type)}({value.text})"

    def library(self, name: str, args: Sequence[CText], scalar: Scalar) -> str:
        """A call of a function that OpenCL has for both kinds of reals."""
        texts = [a.text if a.type == scalar else f"({c_type(scalar)}){a.at(95)}" for a in args]
        return f"{name}({', '.join(texts)})"

    def absolute(self, value: CText) -> str:
        """The absolute value; OpenCL's own one of integers has no sign."""
        return f"fabs({value.text})" if value.type.base == "real" else f"hf_abs_{suffix(value.type)}({value.text})"

    def power(self, base: CText, exponent: int) -> str:
        """A real to a constant integer power."""
        one = "1.0f" if base.type.bytes == 4 else "1.0"
        if exponent == 0:
            return one
        kind, turns = suffix(base.type), abs(exponent)
        text = f"hf_pow{turns}_{kind}({base.text})" if turns <= _MOST else f"hf_squared_{kind}({base.text}, {turns})"
        return text if exponent > 0 else f"({one} / {text})"

    def model(self, name: str, scalar: Scalar) -> str:
        """``huge``, ``tiny`` or ``epsilon`` of a type."""
        return f"hf_{name}_{suffix(scalar)}()"

    def least(self, name: str, scalar: Scalar) -> str:
        """What ``maxval`` and ``minval`` give for no elements."""
        return f"hf_{'most_negative' if name == 'maxval' else 'huge'}_{suffix(scalar)}()"

    def identity(self, operator: str, scalar: Scalar) -> str:
        """What changes nothing in a reduction."""
        ends = {"hf_maximum": "lowest", "hf_minimum": "highest"}
        if operator in ends:
            return f"hf_{ends[operator]}_{suffix(scalar)}()"
        number = {"hf_product": "1", "hf_and": "1", "hf_eqv": "1", "hf_iand": "-1"}.get(operator, "0")
        return f"hf_make_{suffix(scalar)}({number}, 0)" if scalar.base == "complex" else number

    def room(self, scalar: Scalar, name: str) -> str:
        """Local memory with a value of each thread."""
        return f"__local {c_type(scalar)} {name}[{_GROUP}];"

    def collected(self, variables: Sequence[Reduced]) -> list[str]:
        """The statements that combine them, in three steps."""
        combined = {v: self._combined(v.operator, v.type) for v in variables}
        return [
            *(f"HF_REDUCE_PUT({v.room}, {v.value})" for v in variables),
            "HF_TOGETHER",
            *(f"HF_REDUCE_HALVES({c_type(v.type)}, {v.room}, {combined[v]})" for v in variables),
            "HF_TOGETHER",
            *(f"HF_REDUCE_LAST({c_type(v.type)}, {v.room}, {v.partials}, {combined[v]})" for v in variables),
        ]

    def _combined(self, operator: str, scalar: Scalar) -> str:
        """What becomes of two values, as the class of that name in ``hfpy_reductions.hpp`` has it."""
        a, b = CText("hf_a", scalar), CText("hf_b", scalar)
        if operator in ("hf_sum", "hf_product"):
            symbol, level = ("+", PLUS) if operator == "hf_sum" else ("*", TIMES)
            return self.arithmetic(symbol, a, b, level)
        if operator in ("hf_maximum", "hf_minimum"):
            return self.function(operator[:6], [a, b])
        return _COMBINED[operator]

    # -- complex numbers

    def arithmetic(self, op: str, left: CText, right: CText, level: int) -> str:
        """An operation; of complex numbers a function, with ``r`` in its name for an operand that is real."""
        if "complex" not in (left.type.base, right.type.base):
            return super().arithmetic(op, left, right, level)
        return f"hf_{_OPERATIONS[op]}_{self._kinds(left, right)}({left.text}, {right.text})"

    @staticmethod
    def _kinds(left: CText, right: CText) -> str:
        letters = "".join("c" if side.type.base == "complex" else "r" for side in (left, right))
        return f"{letters}{widest([left, right]).bytes}"

    def equal(self, symbol: str, left: CText, right: CText, level: int) -> str:
        """Whether complex numbers are equal, or differ."""
        text = f"hf_equal_{self._kinds(left, right)}({left.text}, {right.text})"
        return text if symbol == "==" else f"!{text}"

    def negative(self, value: CText, text: str) -> str:
        """A negative complex number."""
        return f"hf_negative_{suffix(value.type)}({value.text})"

    def complex(self, to: Scalar, parts: Sequence[CText]) -> str:
        """A complex number of its parts, or of one number of any kind."""
        if len(parts) == 1 and parts[0].type.base == "complex":
            return f"hf_kind_{suffix(to)}({parts[0].text})"
        texts = [p.text for p in parts] + ["0"] * (2 - len(parts))
        return f"hf_make_{suffix(to)}({', '.join(texts)})"

    # -- output

    def record(self, name: str, buffer: CVariable, asked: str) -> str:
        """The beginning of a block where ``name`` points to the values of a new record, if there is room."""
        first = f"__global long *{name} = hf_print({buffer.data}, {asked})"
        return f"for ({first}; {name} != 0; {name} = 0) {{"

    def word(self, value: CText) -> str:
        """A value as a word of the record."""
        return f"hf_word_{suffix(value.type)}({value.text})"


OPENCL, CHECKED = OpenCL(), OpenCL(checked=True)
