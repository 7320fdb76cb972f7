"""Fortran procedures with C's calling convention, written at the end of each generated module.

They are in the module itself, so they see what its routines see: private constants, module variables, kinds. For each
routine there is

``hfpy_bytesN``
    the size in bytes of each argument's type, then of the result's;
``hfpy_callN``
    computes the extents that the arguments' declarations ask for from the scalars that came, compares them with
    those given, and calls the routine if they agree. Arrays of assumed shape and size have the extents that are given.
    Arrays that the routine expects on the device are there during the call;

and for each scalar of the module ``hfpy_vbytesN``, ``hfpy_getN`` and, unless it is fixed, ``hfpy_setN``. Everything is
passed by reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hfpy.kernels.signatures import Argument, ModuleSignature, Signature, Variable
from hfpy.values import dataclass

_C_TYPES = "use, intrinsic :: iso_c_binding, only: hf_int => c_int, hf_int64 => c_int64_t"
_DEVICE_DATA = "use hfpy_arrays, only: hf_enter, hf_leave, hf_end"


@dataclass(frozen=True)
class Numbers:
    """Where the numbers of a module's wrappers begin, so that no two in a library are the same."""

    routines: int
    variables: int


def wrappers(module: ModuleSignature, first: Numbers) -> list[str]:
    """The lines to insert before the end of a module."""
    lines = ["", "  ! for Python: the routines and scalars of this module with C's calling convention"]
    for number, routine in enumerate(module.routines, first.routines):
        if not routine.refused:
            lines += [*_bytes(number, routine), *_call(number, routine)]
    for number, variable in enumerate(module.variables, first.variables):
        lines += _access(number, variable)
    return lines


def _subroutine(name: str, arguments: Sequence[str], uses: Iterable[str], body: Iterable[str]) -> list[str]:
    begin = f'  subroutine {name}({", ".join(arguments)}) bind(C, name="{name}")'
    inner = [_C_TYPES, *uses, "implicit none", *body]
    return ["", begin, *(f"    {line}" for line in inner), f"  end subroutine {name}"]


def _described(routine: Signature) -> tuple[Argument, ...]:
    return (*routine.arguments, *([routine.result] if routine.result else []))


def _bytes(number: int, routine: Signature) -> list[str]:
    arguments = _described(routine)
    body = ["integer(hf_int64), intent(out) :: hf_bytes(*)", *routine.constants]
    body += [f"{a.type} :: {a.name}" for a in arguments]
    body += [f"hf_bytes({n}) = storage_size({a.name}) / 8" for n, a in enumerate(arguments, 1)]
    if not arguments:
        body.append("hf_bytes(1) = 0")
    return _subroutine(f"hfpy_bytes{number}", ["hf_bytes"], routine.uses, body)


def _call(number: int, routine: Signature) -> list[str]:
    scalars = [a for a in _described(routine) if not a.extents]
    arrays = [a for a in routine.arguments if a.extents]
    body = ["integer(hf_int64), intent(in) :: hf_given(*)", "integer(hf_int64), intent(inout) :: hf_wanted(*)"]
    body += ["integer(hf_int), intent(out) :: hf_status", *routine.constants]
    body += [f"{a.type}{', optional' if a.optional else ''} :: {a.name}" for a in scalars]
    tests: list[str] = []
    place = 0
    for array in arrays:
        shape, found = _shape(array, place)
        place += len(array.extents)
        body.append(f"{array.type}{', optional' if array.optional else ''} :: {array.name}({shape})")
        tests += found
    body.append("hf_status = 0")
    if tests:
        body += [f"hf_wanted(1:{place}) = hf_given(1:{place})", *tests, "if (hf_status /= 0) return"]
    passed = f"{routine.name}({', '.join(f'{a.name}={a.name}' for a in routine.arguments)})"
    there = [array for array in arrays if array.on_device]
    body += [_data_call("hf_enter", array, True) for array in there]
    body.append(f"hf_result = {passed}" if routine.result else f"call {passed}")
    body += [_data_call("hf_leave", array, array.changes) for array in reversed(there)]
    uses = [*routine.uses, *([_DEVICE_DATA] if there else [])]
    names = [a.name for a in _described(routine)]
    return _subroutine(f"hfpy_call{number}", [*names, "hf_given", "hf_wanted", "hf_status"], uses, body)


def _data_call(procedure: str, array: Argument, copied: bool) -> str:
    """The statement that brings an array to the device, or back."""
    condition = f"if (present({array.name})) " if array.optional else ""
    return f'{condition}call {procedure}({array.name}, {int(copied)}_hf_int, "{array.name}"//hf_end, "Python"//hf_end)'


def _shape(array: Argument, place: int) -> tuple[str, list[str]]:
    """The dimensions of an array as the wrapper declares them, and the statements that set what is wanted.

    ``place`` is where its extents begin in the lists of all.
    """
    shape, tests = [], []
    for number, extent in enumerate(array.extents, place + 1):
        lower = extent.lower or "1"
        shape.append(f"{lower}:hf_given({number})+({lower})-1")
        if extent.form == "explicit":
            wanted = f"hf_wanted({number})"
            # Without intrinsic functions: an argument may have the name of one.
            tests.append(f"{wanted} = ({extent.upper}) - ({lower}) + 1")
            tests.append(f"if ({wanted} < 0) {wanted} = 0")
            tests.append(f"if ({wanted} /= hf_given({number})) hf_status = 1")
    if array.optional and tests:
        tests = [f"if (present({array.name})) then", *(f"  {test}" for test in tests), "end if"]
    return ", ".join(shape), tests


def _access(number: int, variable: Variable) -> list[str]:
    bytes_ = f"hf_bytes(1) = storage_size({variable.name}) / 8"
    value = f"{variable.type}, intent({{}}) :: hf_value"
    lines = _subroutine(
        f"hfpy_vbytes{number}", ["hf_bytes"], [], ["integer(hf_int64), intent(out) :: hf_bytes(*)", bytes_]
    )
    get = [value.format("out"), f"hf_value = {variable.name}"]
    lines += _subroutine(f"hfpy_get{number}", ["hf_value"], [], get)
    if not variable.fixed:
        put = [value.format("in"), f"{variable.name} = hf_value"]
        lines += _subroutine(f"hfpy_set{number}", ["hf_value"], [], put)
    return lines
